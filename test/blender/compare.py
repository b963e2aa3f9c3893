"""compare.py MD5TOOL TRUTH.json: compares exported files as the library and Blender evaluate them.

Prints the differences and exits with status 1 if a joint or a vertex is off by more than 1e-4 units."""

import json
import os
import re
import subprocess
import sys
from array import array

TOLERANCE = 1e-4


def dump(tool, mesh, clip=None, times=()):
    """Returns md5tool's output for each sample time, as {keyword: lists of numbers}. [0] is the bind pose."""
    command = [tool, "dump", mesh] + ([clip] if clip else [])
    for time in times:
        command += ["--ms", "%.9f" % time]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
    samples = [{"tri": [], "v": [], "bv": [], "st": []}]
    for line in text.splitlines():
        keyword, _, fields = line.partition(" ")
        if keyword == "time":
            samples.append({"v": []})
        if keyword in ("submesh", "skin"):
            for kind in ("tri", "v", "bv", "st"):
                if kind in samples[-1]:
                    samples[-1][kind].append([])
        sample = samples[-1]
        if keyword in ("tri", "v", "bv", "st"):
            sample[keyword][-1].append([float(index) for index in fields.split()])
        elif keyword in ("bindmat", "world"):
            sample.setdefault(keyword, []).append([float(index) for index in fields.split()[1:]])
        if keyword == "submesh":
            samples[0].setdefault("shaders", []).append(re.search('"(.*)"', fields)[1])
        elif keyword == "joint":
            sample.setdefault(keyword, []).append(fields.split(" ", 2))
    return samples


def largest_difference(found, expected):
    """Returns the largest difference between two lists of equal shape."""
    if len(found) != len(expected):
        return float("inf")
    return max((abs(a - b) for found_row, expected_row in zip(found, expected)
                for a, b in zip(found_row, expected_row)), default=0.0)


def values_by_corner(values, tris):
    return [values[int(vertex)] for tri in tris for vertex in tri]


def vertex_pairs(tris, corners):
    """Returns pairs of vertices, of the file and of Blender, that are the same corner of a triangle."""
    file_corners = [int(vertex) for tri in tris for vertex in tri]
    return sorted(set(zip(file_corners, corners))) if len(file_corners) == len(corners) else None


def largest_distance(pairs, positions, points):
    if pairs is None:
        return float("inf")
    return max(max(abs(positions[file_vertex][n] - points[3 * blender_vertex + n]) for n in range(3))
               for file_vertex, blender_vertex in pairs)


def volume(points):
    """Returns six times the volume enclosed by triangles; negative if they are clockwise from outside."""
    total = 0.0
    for n in range(0, len(points), 3):
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = points[n:n + 3]
        total += (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx))
    return total


class Checker:
    def __init__(self):
        self.largest, self.num_failed = {}, 0

    def check_difference(self, label, value, limit=TOLERANCE):
        kind = label.split(":")[0]
        self.largest[kind] = max(self.largest.get(kind, 0.0), value)
        if not value <= limit:
            self.num_failed += 1
            print("%s: off by %g" % (label, value))

    def check(self, label, condition):
        if not condition:
            self.num_failed += 1
            print("failed: " + label)


def compare_rest(checker, bind, truth):
    rest = truth["rest"]
    checker.check("as many meshes as Blender has parts", len(bind["tri"]) == len(rest["points"]))
    checker.check("joints named %s, not %s" % (truth["names"], [j[2] for j in bind["joint"]]),
                  [joint[2].strip('"') for joint in bind["joint"]] == truth["names"])
    checker.check("parents precede their children",
                  all(int(parent) < int(n) for n, parent, _ in bind["joint"]))
    checker.check_difference("bind joints", largest_difference(bind["bindmat"], rest["joints"]))
    for index, tris in enumerate(bind["tri"]):
        pairs = vertex_pairs(tris, rest["corners"][index])
        checker.check_difference("bind vertices: mesh %d" % index,
                                 largest_distance(pairs, bind["bv"][index], rest["points"][index]))
        checker.check_difference("uvs: mesh %d" % index,
                                 largest_difference(values_by_corner(bind["st"][index], tris),
                                                    rest["uvs"][index]), 1e-6)
        if index in truth.get("closed", []):
            checker.check("mesh %d is clockwise from outside" % index,
                          volume(values_by_corner(bind["bv"][index], tris)) < 0)
    checker.check("shaders %s, not %s" % (truth["shaders"], bind["shaders"]),
                  bind["shaders"] == truth["shaders"])
    checker.check("%s vertices, not %s" % (truth["vertices"], [len(v) for v in bind["bv"]]),
                  [len(v) for v in bind["bv"]] == truth["vertices"])


def compare_clip(checker, tool, mesh, clip, truth, folder):
    last = clip["frames"] - 1
    times = []
    for expected in clip["samples"]:
        # In a loop the library maps the exact end to the start.
        earlier = 1e-4 if expected["frame"] == last and last > 0 else 0.0
        times.append(expected["frame"] * 1000.0 / clip["rate"] - earlier)
    samples = dump(tool, mesh, os.path.join(folder, clip["file"]), times)
    boxes = file_boxes(os.path.join(folder, clip["file"]))
    checker.check(clip["file"] + " has a box for each frame", len(boxes) == clip["frames"])
    checker.check(clip["file"] + " has all samples", len(samples) == len(times) + 1)
    pairs = [vertex_pairs(tris, corners)
             for tris, corners in zip(samples[0]["tri"], truth["rest"]["corners"])]
    for expected, sample in zip(clip["samples"], samples[1:]):
        label = "%s frame %d" % (clip["file"], expected["frame"])
        checker.check_difference("joints: " + label, largest_difference(sample["world"], expected["joints"]))
        used_points = []
        for index, points in enumerate(expected["points"]):
            checker.check_difference("vertices: %s mesh %d" % (label, index),
                                     largest_distance(pairs[index], sample["v"][index], points))
            used_points += [points[3 * vertex:3 * vertex + 3] for _, vertex in pairs[index] or ()]
        if truth["has_exact_bounds"]:
            box = [function(point[n] for point in used_points) for function in (min, max) for n in range(3)]
            checker.check_difference("bounds: " + label,
                                     largest_difference([boxes[expected["frame"]]], [box]))


def read_truth(path):
    """Reads the files of truth.py; the lengths in the JSON are replaced by the arrays, in order."""
    with open(path + ".bin", "rb") as numbers:
        def fill(table):
            if "points" in table:
                lengths, table["points"] = table["points"], []
                for length in lengths:
                    table["points"].append(array("f"))
                    table["points"][-1].fromfile(numbers, length)
            return table
        with open(path, encoding="utf-8") as file:
            return json.load(file, object_hook=fill)


def file_boxes(path):
    """Returns the numbers in each line of the file's bounds."""
    with open(path, encoding="utf-8") as file:
        block = re.search(r"^bounds \{$(.*?)^\}$", file.read(), re.DOTALL | re.MULTILINE)[1]
    return [[float(index) for index in re.findall(r"[-0-9.]+", line)]
            for line in block.strip().splitlines()]


def main(tool, path):
    truth = read_truth(path)
    folder = os.path.dirname(path)
    checker = Checker()
    mesh = os.path.join(folder, truth["mesh"])
    compare_rest(checker, dump(tool, mesh)[0], truth)
    for clip in truth["clips"]:
        compare_clip(checker, tool, mesh, clip, truth, folder)
    clips = sorted(name for name in os.listdir(folder) if name.endswith(".md5anim"))
    checker.check("the clips %s" % clips, clips == sorted(clip["file"] for clip in truth["clips"]))
    print("note: %s: %s" % (os.path.basename(folder), ", ".join(
        "%s %.1e" % entry for entry in sorted(checker.largest.items()))))
    return 1 if checker.num_failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
