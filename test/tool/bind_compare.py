"""Binds Bobbin's surface to the skeleton with md5tool bind, and compares the weights with the original ones.

    python3 test/tool/bind_compare.py MD5TOOL FOLDER

Writes the surface with its triangles to FOLDER as an OBJ file. The result must have the same
triangles and bind pose, and at most four weights per vertex, which sum to 1. In frames of the clips
its surface must be close to the original one: the mean distance is at most 0.35 units, and the model is 57
units long."""

import math
import os
import subprocess
import sys

BOBBIN = os.path.join("models", "bobbin", "bobbin.md5mesh")
CLIPS = ("walk", "wave", "attack")
SPECIAL = ("prop", "eye", "lid", "belly", "cheek", "tongue", "twist")


def read_dump(tool, mesh, clip):
    """Returns, for each mesh, texture coordinates, triangles, bind pose and posed surface; and the joint
    names."""
    anim = os.path.join("models", "bobbin", clip + ".md5anim")
    run = subprocess.run([tool, "dump", "--ms", "400", mesh, anim], check=True, capture_output=True,
                         text=True)
    meshes, posed, names = [], [], []
    for line in run.stdout.splitlines():
        keyword, _, fields = line.partition(" ")
        if keyword == "joint":
            names.append(fields.split('"')[1])
        elif keyword == "submesh":
            meshes.append({"st": [], "tri": [], "bv": [], "shader": fields.split('"')[1]})
        elif keyword in ("st", "tri", "bv"):
            meshes[-1][keyword].append(tuple(float(n) for n in fields.split()))
        elif keyword == "skin":
            posed.append([])
        elif keyword == "v":
            posed[-1].append(tuple(float(n) for n in fields.split()))
    for record, points in zip(meshes, posed):
        record["v"] = points
    return meshes, names


def write_obj(path, meshes):
    """Writes each position once: vertices at a seam of the texture share a position."""
    lines, positions, coordinates = ["# Bobbin"], {}, 0
    for mesh in meshes:
        lines.append("usemtl " + mesh["shader"])
        for at in mesh["bv"]:
            if at not in positions:
                positions[at] = len(positions) + 1
                lines.append("v %.9g %.9g %.9g" % at)
        lines += ["vt %.9g %.9g" % (u, 1.0 - v) for u, v in mesh["st"]]
        for tri in mesh["tri"]:
            a, b, c = ("%d/%d" % (positions[mesh["bv"][int(n)]], coordinates + int(n) + 1) for n in tri)
            lines.append("f %s %s %s" % (a, c, b))
        coordinates += len(mesh["st"])
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def read_weights(path):
    """Returns the sum of the biases of each vertex, and the largest number of weights of a vertex."""
    sums, max_weights = [], 0
    with open(path, encoding="ascii") as file:
        for block in file.read().split("mesh {")[1:]:
            biases = [float(line.split()[3]) for line in block.splitlines() if line.startswith("\tweight ")]
            for line in block.splitlines():
                if line.startswith("\tvert "):
                    first, count = (int(n) for n in line.split()[-2:])
                    sums.append(sum(biases[first:first + count]))
                    max_weights = max(max_weights, count)
    return sums, max_weights


def corners(mesh, key):
    return [mesh[key][int(n)] for tri in mesh["tri"] for n in tri]


def largest_distance(left, right):
    return max(math.dist(a, b) for a, b in zip(left, right))


def main(tool, folder):
    original, names = read_dump(tool, BOBBIN, CLIPS[0])
    surface_path, bound_path = os.path.join(folder, "bobbin.obj"), os.path.join(folder, "bound.md5mesh")
    write_obj(surface_path, original)
    excluded = [word for name in names if any(s in name for s in SPECIAL) for word in ("--exclude", name)]
    subprocess.run([tool, "bind", "--output", bound_path] + excluded + [surface_path, BOBBIN], check=True)
    sums, max_weights = read_weights(bound_path)
    assert max_weights == 4, "a vertex has %d weights" % max_weights
    assert max(abs(s - 1.0) for s in sums) < 1e-5, "biases do not sum to 1"
    differences = []
    for clip in CLIPS:
        original, _ = read_dump(tool, BOBBIN, clip)
        bound, same_names = read_dump(tool, bound_path, clip)
        assert names == same_names and len(original) == len(bound)
        for a, b in zip(original, bound):
            assert a["shader"] == b["shader"] and len(a["tri"]) == len(b["tri"])
            assert largest_distance(corners(a, "bv"), corners(b, "bv")) < 1e-4, "the bind pose differs"
            assert largest_distance(corners(a, "st"), corners(b, "st")) < 1e-6, "texture coordinates differ"
            differences += [math.dist(p, q) for p, q in zip(corners(a, "v"), corners(b, "v"))]
    mean = sum(differences) / len(differences)
    print("Bobbin bound by md5tool: mean difference %.3f units, largest %.2f" % (mean, max(differences)))
    assert 0.0 < mean < 0.35 and max(differences) < 10.0


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
