#!/usr/bin/env python3
"""Compares the result of a glTF round trip, except models and clips, with independent arithmetic.

    python3 gltf_back.py morphs BEFORE.md5machine AFTER.md5machine    the curves of clips, frame by frame
    python3 gltf_back.py path BEFORE.md5camera AFTER.md5camera        cuts, and numbers to 1e-4
    python3 gltf_back.py film FILM.glb FOLDER                         the camera of gltf_make.py at 24 frames
    per second
"""

import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gltf_poser import Gltf  # noqa: E402


def curves(path):
    """Returns {(target, clip): [keys of each row]}."""
    result = {}
    for target, clip, keys in re.findall(r"^\s*morph (\S+) clip (\S+) \(([^)]*)\)", open(path).read(), re.M):
        numbers = [float(x) for x in keys.split()]
        result.setdefault((target, clip), []).append(list(zip(numbers[::2], numbers[1::2])))
    return result


def weight(rows, frame):
    total = 0.0
    for keys in rows:
        before = [k for k in keys if k[0] <= frame] or keys[:1]
        after = [k for k in keys if k[0] > frame] or keys[-1:]
        (f, a), (g, b) = before[-1], after[0]
        total += a if g <= f else a + (b - a) * (frame - f) / (g - f)
    return total


def numbers(path):
    words = re.findall(r"[-+.\w]+", open(path).read().split("numFrames")[1])
    return [float(x) for x in words if not x[0].isalpha()]


def check_close(before, after, tolerance, label):
    if not before or len(before) != len(after):
        sys.exit(f"{label}: {len(before)} and {len(after)}")
    difference = max(abs(a - b) for a, b in zip(before, after))
    if not difference <= tolerance:
        sys.exit(f"{label}: off by {difference:.3g}")


def rotate(q, v):
    """Rotates a vector by the rotation of a file, whose w is negative."""
    x, y, z = q
    w = -math.sqrt(max(0.0, 1 - x * x - y * y - z * z))

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    product = cross(q, v)
    return [v[i] + 2 * w * product[i] + 2 * cross(q, product)[i] for i in range(3)]


def check_film(path, folder):
    """Checks the camera: the frame before the cut must be the view just before the time of the cut."""
    file = Gltf(path)
    text = open(folder + "/Film.md5camera").read()
    if "numCuts 1" not in text or text.split("cuts {")[1].split()[0] != "12":
        sys.exit("expected a cut after frame 12")
    rows = [[float(x) for x in re.findall(r"[-.\d]+", row)]
            for row in text.split("camera {")[1].split("\n")[1:-2]]
    if len(rows) != 26:
        sys.exit(f"{len(rows)} frames, expected 26")
    fov = math.degrees(2 * math.atan(math.tan(0.4) * 4 / 3))
    for i, row in enumerate(rows):
        time = (i - (i > 12)) / 24
        world = file.worlds(file.animation("Film"), time)[1]
        if i == 12:  # the position of this frame, and the rotation before the cut
            world = [a[:3] + b[3:] for a, b in zip(file.worlds(file.animation("Film"), 11 / 24)[1], world)]

        def to_id(column, sign):
            return [sign * world[k][column] for k in (2, 0, 1)]
        expected = to_id(3, 1) + to_id(2, -1) + to_id(1, 1) + [fov]
        axes = rotate(row[3:6], [1, 0, 0]) + rotate(row[3:6], [0, 0, 1])
        check_close(expected, row[:3] + axes + row[6:], 1e-4, f"frame {i}")


def main():
    kind, before, after = sys.argv[1:4]
    if kind == "film":
        check_film(before, after)
    elif kind == "path":
        check_close(numbers(before), numbers(after), 1e-4, "numbers")
    else:
        old_curves, new_curves = curves(before), curves(after)
        if old_curves.keys() != new_curves.keys() or not old_curves:
            differences = sorted(old_curves.keys() ^ new_curves.keys())
            sys.exit(f"{differences} of {len(old_curves)} curves are in one machine only")
        for key in old_curves:
            frames = range(int(max(k[0] for row in old_curves[key] + new_curves[key] for k in row)) + 1)
            check_close([weight(old_curves[key], f) for f in frames],
                        [weight(new_curves[key], f) for f in frames], 1e-5, key)


main()
