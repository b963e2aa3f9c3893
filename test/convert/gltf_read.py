#!/usr/bin/env python3
"""Compares the result of `md5tool convert` for a glTF file, posed by `md5tool dump`, with the poser of
gltf_poser.py, or with a table of positions.

    python3 gltf_read.py TOOL FILE.glb FOLDER [EXPECTED.json]

FOLDER contains the converted files, with --scale 1. Prints the largest difference relative to the size.
"""

import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gltf_poser import Gltf  # noqa: E402

MAX = 1e-4


def to_gltf(v):
    """Converts id's x forward, y left, z up to glTF's z forward, x left, y up."""
    return [v[1], v[2], v[0]]


def dump(tool, mesh, *words):
    """Returns the vertex records of each mesh: names, and lists of positions."""
    lines = subprocess.run(
        [tool, "dump", mesh, *words], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    posed = bool(words)
    meshes = []
    for line in lines:
        words = line.split(" ")
        if words[0] == ("skin" if posed else "submesh"):
            meshes.append([])
        elif words[0] == ("v" if posed else "bv"):
            meshes[-1].append(to_gltf([float(x) for x in words[1:]]))
    return meshes


def difference(found, expected, title):
    """Compares positions. The file's vertices come first, in order; duplicates for drawing follow and are
    ignored."""
    if len(found) != len(expected):
        sys.exit(f"{title}: {len(found)} meshes, expected {len(expected)}")
    largest = 0.0
    for found_mesh, expected_mesh in zip(found, expected):
        if len(found_mesh) < len(expected_mesh):
            sys.exit(f"{title}: {len(found_mesh)} vertices, expected {len(expected_mesh)}")
        differences = [abs(a - b) for p, q in zip(found_mesh, expected_mesh) for a, b in zip(p, q)]
        largest = max([largest] + differences)
    return largest


def in_file_order(file, table):
    """Returns primitives in the order of written meshes: depth first over nodes."""
    children = {i: node.get("children", []) for i, node in enumerate(file.json["nodes"])}
    roots = [i for i in children if i not in file.parents]
    order = []
    while roots:
        node = roots.pop(0)
        order.append(node)
        roots = children[node] + roots
    return [
        [table[key][v] for v in file.distinct_vertices(*key)]
        for n in order
        for key in sorted(table)
        if key[0] == n
    ]


def sanitized_name(name):
    replaced = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    return "_".join(part for part in replaced.split("_") if part)


def frame_at(folder, clip, time):
    """Returns the frame at a time. Clips with one frame have the same pose at any time."""
    text = open(f"{folder}/{clip}.md5anim").read()

    def header_value(word):
        return float(text.split(word)[1].split()[0])
    frame = float(time) * header_value("frameRate")
    if abs(frame - round(frame)) > 1e-6:
        sys.exit(f"{clip}: {time} s is between two frames")
    return str(min(round(frame), int(header_value("numFrames")) - 1))


def main():
    tool, path, folder = sys.argv[1:4]
    stem = os.path.splitext(os.path.basename(path))[0]
    mesh = f"{folder}/{stem}.md5mesh"
    file = Gltf(path)
    cases = []  # title, words of dump, expected, the same words of a morph target, its weight
    if len(sys.argv) > 4:
        table = json.load(open(sys.argv[4]))[os.path.basename(path)]
        for clip, times in table.items():
            for time, meshes in times.items():
                if time == "duration" or times.get("duration") and float(time) > times["duration"]:
                    continue
                anim = [f"{folder}/{clip}.md5anim", "--frame", frame_at(folder, clip, time)] if clip else []
                morphs = glob.glob(f"{folder}/morphs/nose.md5mesh") if clip else []  # its weight is the time
                cases.append(
                    (
                        f"{clip} at {time} s",
                        [mesh, *anim],
                        list(meshes.values()),
                        [(m, *anim) for m in morphs],
                        float(time),
                    )
                )
    else:
        rest = f"{folder}/rest.md5anim"
        with open(mesh) as text:
            counts = [int(line.split()[1]) for line in text if line.startswith("\tnumverts")]
        expected = [len(m) for m in in_file_order(file, file.vertices(None, 0))]
        if counts != expected:
            sys.exit(f"{counts} vertices, expected {expected}")
        rest_options = [rest, "--frame", "0"] if os.path.exists(rest) else []
        cases.append(("rest", [mesh, *rest_options], in_file_order(file, file.vertices(None, 0)), [], 0))
        for animation in file.json.get("animations", []):
            name = sanitized_name(animation["name"])
            anim = f"{folder}/{name}.md5anim"
            rate = float(open(anim).read().split("frameRate ")[1].split()[0])
            for frame in (0, 1, 7, 13, 20, 29):
                cases.append(
                    (
                        f"{name} frame {frame}",
                        [mesh, anim, "--frame", str(frame)],
                        in_file_order(file, file.vertices(animation["name"], frame / rate)),
                        [],
                        0,
                    )
                )
        for target in glob.glob(f"{folder}/morphs/big_grin.md5mesh"):
            expected = in_file_order(file, file.vertices(None, 0, 0))
            cases.append(("big_grin", [target, *rest_options], expected, [], 0))
    largest = 0.0
    for title, arguments, expected, morphs, weight in cases:
        found = dump(tool, *arguments)
        for morph_arguments in morphs:
            found = [
                [[a + weight * (b - a) for a, b in zip(p, q)] for p, q in zip(*pair)]
                for pair in zip(found, dump(tool, *morph_arguments))
            ]
        size = max(abs(x) for m in expected for p in m for x in p)
        difference_ratio = difference(found, expected, title) / size
        if not difference_ratio <= MAX:
            sys.exit(f"{title}: off by {difference_ratio:.2g} of the size")
        largest = max(largest, difference_ratio)
    if not cases:
        sys.exit("nothing was compared")
    print(f"{len(cases)} poses, at most {largest:.2g} of the size off")


main()
