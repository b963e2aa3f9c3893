#!/usr/bin/env python3
"""Generates Bobbin's expressions: morph targets with the topology of models/bobbin/bobbin.md5mesh.

    python3 models/make_expressions.py [FOLDER]     writes the files (default: models/bobbin/morphs)
    python3 models/make_expressions.py --check      regenerates them and compares

Plain Python, no packages; the same input gives the same files."""

import math
import os
import re
import struct
import sys
from operator import mul

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit import md5, program, read, rig  # noqa: E402
from kit.maths import normalized, rotate  # noqa: E402
from bobbin_parts import expressions, skeleton  # noqa: E402
from bobbin_parts.build import BOBBIN  # noqa: E402

BASE = os.path.join(FOLDER, "bobbin", "bobbin.md5mesh")
COMMAND = "make_expressions.py"
CLEARANCE = 0.05  # units between lids and eyeballs: between the corners of a triangle they are closer
MIN_MOVE = 1e-4  # units; vertices that move by less are bit-identical


def _points(base):
    """Returns for each mesh the positions in the bind pose and the weights by joint."""
    posed = [(position, rotation) for _, _, position, rotation in base.joints]
    return [([base.position(influences, posed) for influences in vertices],
             [[(joint, bias) for joint, bias, _ in influences] for influences in vertices])
            for vertices in base.vertices]


def _raised(points, rise):
    """Raises points. Expressions are defined for a body with shorter legs, whose head is lower."""
    return [(x, y, z + rise) for x, y, z in points]


def _float(x):
    """Returns the nearest 32-bit float."""
    return struct.unpack("f", struct.pack("f", x))[0]


def _shortest(x):
    """Formats a 32-bit float with the fewest digits that identify it."""
    return next(text for text in ("%.*g" % (digits, x) for digits in range(5, 10))
                if _float(float(text)) == x)


def _matrices(joints):
    """Returns the rows of the joints' matrices in the bind pose, bit-identical to md5model."""
    out = []
    for _, _, position, rotation in joints:
        x, y, z = map(_float, rotation[:3])
        square = _float(_float(_float(x * x) + _float(y * y)) + _float(z * z))
        rotation = normalized((x, y, z, -_float(math.sqrt(abs(_float(1.0 - square))))))
        columns = [rotate(rotation, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
        out.append([tuple(map(_float, matrix_row)) for matrix_row in zip(*columns, position)])
    return out


def _stays(influences, matrices):
    """Returns the weight that keeps a vertex bit-identical to the base, so that vertices without movement
    cause no difference, also in normals. The root is at the origin, without rotation."""
    at = [_float(sum(_float(bias) * (sum(map(mul, matrices[joint][axis], map(_float, offset)))
                                     + matrices[joint][axis][3]) for joint, bias, offset in influences))
          for axis in range(3)]
    return "0 1 ( %s %s %s )" % tuple(map(_shortest, at))


def target_text(text, base, moved, points):
    """Returns the text of the base with one weight per vertex, because targets are not skinned."""
    matrices = _matrices(base.joints)
    head, *bodies = text.split("mesh {")
    out = [re.sub(r'commandline "[^"]*"', 'commandline "%s"' % COMMAND, head[:-1])]
    for body, vertices, uvs, (old, _), new in zip(bodies, base.vertices, base.uvs, points, moved):
        weights_per_vertex = [[_stays(influences, matrices) if math.dist(old[v], new[v]) < MIN_MOVE
                               else "0 1 " + md5.triple(new[v], md5.LENGTH)]
                              for v, influences in enumerate(vertices)]
        verts, weights = md5.vertex_and_weight_lines(uvs, weights_per_vertex)
        start, tris = body.split("\tvert ", 1)[0], re.search(r"\n\tnumtris \d+\n(?:\ttri [^\n]*\n)*", body)
        out.append(start + "\n".join(verts) + "\n" + tris[0] + "\n\tnumweights %d\n" % len(weights)
                   + "\n".join(weights) + "\n}\n")
    return "\nmesh {".join(out)


def _check_eyes(bones, name, points, moved):
    """Checks that lids stay outside the eyeballs during the whole movement."""
    deepest = max((expressions.eye_depth(bones, points, moved, n / 20.0), n / 20.0) for n in range(21))
    if deepest[0] > -CLEARANCE:
        raise ValueError("%s: lids are %.3f units in the eyeballs at weight %.2f" % ((name,) + deepest))


def _check_fangs(name, points, moved, tris):
    """Checks that shut lips hide the fangs; otherwise fangs appear only below the upper lip."""
    for azimuth in (-40.0, 0.0, 40.0):
        ray = (math.cos(math.radians(azimuth)), math.sin(math.radians(azimuth)), 0.0)
        text = "".join(".#"[visible] for visible in expressions.fang_visibility(points, moved, tris, ray))
        if "#" in text if name == "shut" else "." in text.strip("."):
            raise ValueError("%s: a fang goes through a lip, seen from %g degrees" % (name, azimuth))


def generate(folder):
    with open(BASE, encoding="ascii") as file:
        text = file.read()
    base, bones = read.Mesh(BASE), rig.Skeleton(skeleton.joints(), skeleton.HALVES)
    rise = BOBBIN.rise("head")
    meshes = _points(base)
    points = [(_raised(mesh, -rise), weights) for mesh, weights in meshes]
    for name, expression in expressions.EXPRESSIONS:
        moved = expressions.displaced(bones, name, expression, points)
        _check_eyes(bones, name, points, moved)
        _check_fangs(name, points[0][0], moved[0], base.tris[0])
        moved = [_raised(mesh, rise) for mesh in moved]
        program.save(folder, name + ".md5mesh", target_text(text, base, moved, meshes))
    return "%d expressions" % len(expressions.EXPRESSIONS)


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(FOLDER, "bobbin", "morphs"), generate, __doc__))
