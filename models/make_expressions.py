#!/usr/bin/env python3
"""Makes Bobbin's expressions: morph targets with the topology of models/bobbin/bobbin.md5mesh.

    python3 models/make_expressions.py [FOLDER]     write the files (default: models/bobbin/morphs)
    python3 models/make_expressions.py --check      make them anew and compare

Plain Python, no packages; the same input gives the same files."""

import math
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from kit import md5, program, read, rig  # noqa: E402
from kit.maths import conj, rotate, sub  # noqa: E402
from bobbin_parts import expressions, skeleton  # noqa: E402

BASE = os.path.join(HERE, "bobbin", "bobbin.md5mesh")
COMMAND = "make_expressions.py"
CLEARANCE = 0.05  # units between lids and eyeballs: between the corners of a triangle they are closer
LEAST = 1e-4  # units; what moves by less stays, to the last digit


def _points(base):
    """Per mesh the positions in the bind pose and the weights by joint."""
    posed = [(position, turn) for _, _, position, turn in base.joints]
    return [([base.position(rows, posed) for rows in vertices],
             [[(joint, bias) for joint, bias, _ in rows] for rows in vertices])
            for vertices in base.vertices]


def _weight(joints, rows, point):
    """One weight that holds a vertex at a point: targets are not skinned, so they need no more."""
    joint = max(rows, key=lambda row: row[1])[0]
    _, _, position, turn = joints[joint]
    offset = rotate(conj(turn), sub(point, position))
    return "%d 1 ( %s %s %s )" % ((joint,) + tuple(md5.number(c) for c in offset))


def target_text(text, base, moved, points):
    """The text of the base with other weights for the vertices that move."""
    head, *bodies = text.split("mesh {")
    out = [re.sub(r'commandline "[^"]*"', 'commandline "%s"' % COMMAND, head)]
    for n, body in enumerate(bodies):
        old = re.findall(r"\tweight \d+ ([^\n]*)\n", body)
        verts, weights = [], []
        for v, line in enumerate(re.findall(r"\tvert \d+ ([^\n]*)\n", body)):
            uv, first, count = re.match(r"(\(.*\)) (\d+) (\d+)", line).groups()
            kept = old[int(first):int(first) + int(count)]
            apart = max(abs(a - b) for a, b in zip(moved[n][v], points[n][0][v]))
            if apart >= LEAST:
                kept = [_weight(base.joints, points[n][1][v], moved[n][v])]
            verts.append("\tvert %d %s %d %d\n" % (v, uv, len(weights), len(kept)))
            weights += kept
        start, tris = body.split("\tvert ", 1)[0], re.findall(r"\tnumtris \d+\n(?:\ttri [^\n]*\n)*", body)
        rows = "".join("\tweight %d %s\n" % row for row in enumerate(weights))
        counted = "\n\tnumweights %d\n" % len(weights)
        out.append(start + "".join(verts) + "\n" + tris[0] + counted + rows + "}\n"
                   + ("\n" if n + 1 < len(bodies) else ""))
    return "mesh {".join(out)


def _check_eyes(bones, name, points, moved):
    """Lids stay outside the eyeballs all the way."""
    deepest = max((expressions.eye_depth(bones, points, moved, n / 20.0), n / 20.0) for n in range(21))
    if deepest[0] > -CLEARANCE:
        raise ValueError("%s: lids are %.3f units in the eyeballs at weight %.2f" % ((name,) + deepest))


def _check_fangs(name, points, moved, tris):
    """Shut lips hide the fangs; else those come out from under the upper lip, and not again farther down."""
    for azimuth in (-40.0, 0.0, 40.0):
        ray = (math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth)), 0.0)
        text = "".join(".#"[seen] for seen in expressions.fang_seen(points, moved, tris, ray))
        if "#" in text if name == "shut" else "." in text.strip("."):
            raise ValueError("%s: a fang goes through a lip, seen from %g degrees" % (name, azimuth))


def make(folder):
    with open(BASE, encoding="ascii") as file:
        text = file.read()
    base, bones = read.Mesh(BASE), rig.Skeleton(skeleton.joints(), skeleton.HALVES)
    points = _points(base)
    for name, expression in expressions.EXPRESSIONS:
        moved = expressions.displaced(bones, name, expression, points)
        _check_eyes(bones, name, points, moved)
        _check_fangs(name, points[0][0], moved[0], base.tris[0])
        program.save(folder, name + ".md5mesh", target_text(text, base, moved, points))
    return "%d expressions" % len(expressions.EXPRESSIONS)


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(HERE, "bobbin", "morphs"), make, __doc__))
