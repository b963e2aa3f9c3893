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
    parts = [{"tri": [], "v": [], "bv": [], "st": []}]
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "time":
            parts.append({"v": []})
        if word in ("submesh", "skin"):
            for kind in ("tri", "v", "bv", "st"):
                if kind in parts[-1]:
                    parts[-1][kind].append([])
        part = parts[-1]
        if word in ("tri", "v", "bv", "st"):
            part[word][-1].append([float(number) for number in rest.split()])
        elif word in ("bindmat", "world"):
            part.setdefault(word, []).append([float(number) for number in rest.split()[1:]])
        if word == "submesh":
            parts[0].setdefault("shaders", []).append(re.search('"(.*)"', rest)[1])
        elif word == "joint":
            part.setdefault(word, []).append(rest.split(" ", 2))
    return parts


def largest(ours, theirs):
    """Returns the largest difference between two lists of equal shape."""
    if len(ours) != len(theirs):
        return float("inf")
    return max((abs(a - b) for one, two in zip(ours, theirs) for a, b in zip(one, two)), default=0.0)


def by_corner(part, tris):
    return [part[int(vertex)] for tri in tris for vertex in tri]


def pairs_of(tris, corners):
    """Returns pairs of vertices, of the file and of Blender, that are the same corner of a triangle."""
    mine = [int(vertex) for tri in tris for vertex in tri]
    return sorted(set(zip(mine, corners))) if len(mine) == len(corners) else None


def furthest(pairs, part, points):
    if pairs is None:
        return float("inf")
    return max(max(abs(part[mine][n] - points[3 * other + n]) for n in range(3))
               for mine, other in pairs)


def volume(points):
    """Returns six times the volume enclosed by triangles; negative if they are clockwise from outside."""
    total = 0.0
    for n in range(0, len(points), 3):
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = points[n:n + 3]
        total += (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx))
    return total


class Judge:
    def __init__(self):
        self.worst, self.wrong = {}, 0

    def see(self, what, value, limit=TOLERANCE):
        kind = what.split(":")[0]
        self.worst[kind] = max(self.worst.get(kind, 0.0), value)
        if not value <= limit:
            self.wrong += 1
            print("%s: off by %g" % (what, value))

    def demand(self, what, fact):
        if not fact:
            self.wrong += 1
            print("failed: " + what)


def compare_rest(judge, bind, truth):
    rest = truth["rest"]
    judge.demand("as many meshes as Blender has parts", len(bind["tri"]) == len(rest["points"]))
    judge.demand("joints named %s, not %s" % (truth["names"], [j[2] for j in bind["joint"]]),
                 [joint[2].strip('"') for joint in bind["joint"]] == truth["names"])
    judge.demand("parents precede their children",
                 all(int(parent) < int(n) for n, parent, _ in bind["joint"]))
    judge.see("bind joints", largest(bind["bindmat"], rest["joints"]))
    for number, tris in enumerate(bind["tri"]):
        pairs = pairs_of(tris, rest["corners"][number])
        judge.see("bind vertices: mesh %d" % number,
                  furthest(pairs, bind["bv"][number], rest["points"][number]))
        judge.see("uvs: mesh %d" % number,
                  largest(by_corner(bind["st"][number], tris), rest["uvs"][number]), 1e-6)
        if number in truth.get("closed", []):
            judge.demand("mesh %d is clockwise from outside" % number,
                         volume(by_corner(bind["bv"][number], tris)) < 0)
    judge.demand("shaders %s, not %s" % (truth["shaders"], bind["shaders"]),
                 bind["shaders"] == truth["shaders"])
    judge.demand("%s vertices, not %s" % (truth["vertices"], [len(v) for v in bind["bv"]]),
                 [len(v) for v in bind["bv"]] == truth["vertices"])


def compare_clip(judge, tool, mesh, clip, truth, folder):
    last = clip["frames"] - 1
    times = []
    for moment in clip["moments"]:
        # In a loop the library maps the exact end to the start.
        early = 1e-4 if moment["frame"] == last and last > 0 else 0.0
        times.append(moment["frame"] * 1000.0 / clip["rate"] - early)
    parts = dump(tool, mesh, os.path.join(folder, clip["file"]), times)
    boxes = file_boxes(os.path.join(folder, clip["file"]))
    judge.demand(clip["file"] + " has a box for each frame", len(boxes) == clip["frames"])
    judge.demand(clip["file"] + " has all samples", len(parts) == len(times) + 1)
    pairs = [pairs_of(tris, corners)
             for tris, corners in zip(parts[0]["tri"], truth["rest"]["corners"])]
    for moment, part in zip(clip["moments"], parts[1:]):
        place = "%s frame %d" % (clip["file"], moment["frame"])
        judge.see("joints: " + place, largest(part["world"], moment["joints"]))
        used = []
        for number, points in enumerate(moment["points"]):
            judge.see("vertices: %s mesh %d" % (place, number),
                      furthest(pairs[number], part["v"][number], points))
            used += [points[3 * other:3 * other + 3] for _, other in pairs[number] or ()]
        if truth["own_bounds"]:
            box = [fold(point[n] for point in used) for fold in (min, max) for n in range(3)]
            judge.see("bounds: " + place, largest([boxes[moment["frame"]]], [box]))


def read_truth(path):
    """Reads the files of truth.py; the lengths in the JSON are replaced by the arrays, in order."""
    with open(path + ".bin", "rb") as numbers:
        def fill(found):
            if "points" in found:
                lengths, found["points"] = found["points"], []
                for length in lengths:
                    found["points"].append(array("f"))
                    found["points"][-1].fromfile(numbers, length)
            return found
        with open(path, encoding="utf-8") as file:
            return json.load(file, object_hook=fill)


def file_boxes(path):
    """Returns the numbers in each line of the file's bounds."""
    with open(path, encoding="utf-8") as file:
        block = re.search(r"^bounds \{$(.*?)^\}$", file.read(), re.DOTALL | re.MULTILINE)[1]
    return [[float(number) for number in re.findall(r"[-0-9.]+", line)]
            for line in block.strip().splitlines()]


def main(tool, path):
    truth = read_truth(path)
    folder = os.path.dirname(path)
    judge = Judge()
    mesh = os.path.join(folder, truth["mesh"])
    compare_rest(judge, dump(tool, mesh)[0], truth)
    for clip in truth["clips"]:
        compare_clip(judge, tool, mesh, clip, truth, folder)
    clips = sorted(name for name in os.listdir(folder) if name.endswith(".md5anim"))
    judge.demand("the clips %s" % clips, clips == sorted(clip["file"] for clip in truth["clips"]))
    print("note: %s: %s" % (os.path.basename(folder), ", ".join(
        "%s %.1e" % worst for worst in sorted(judge.worst.items()))))
    return 1 if judge.wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
