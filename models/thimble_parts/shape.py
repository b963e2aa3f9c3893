"""Thimble's parts: lathed, each rigid on one joint."""

import math

from kit import lathe, md5
from kit.maths import add, cross, dot, mirror, rotate, scale, sub, euler, unit

from thimble_parts.paint import BRASS, DIMPLED, ENAMEL, GLASS, LENS, RUBBER, STEEL
from thimble_parts.skeleton import (ANKLE, ANTENNA, BOLT, COXA, EYE, GUN, HIP, KNEE, LEGS, PISTON_END,
                                    PISTON_TOP, azimuth)

SHADER = "models/thimble/thimble"
_BEVEL = 0.14


def _crisp(profile):
    """Rounds every corner of a profile a little, so that smooth normals keep its sides flat."""
    out = [profile[0]]
    for before, corner, after in zip(profile, profile[1:], profile[2:]):
        before_edge = (corner[0] - before[0], corner[1] - before[1])
        after_edge = (after[0] - corner[0], after[1] - corner[1])
        before_length, after_length = math.hypot(*before_edge), math.hypot(*after_edge)
        product = before_edge[0] * after_edge[0] + before_edge[1] * after_edge[1]
        bend = product / (before_length * after_length)
        if bend > 0.93:
            out.append(corner)
            continue
        for size, direction, sign in ((before_length, before_edge, -1.0), (after_length, after_edge, 1.0)):
            offset = sign * min(_BEVEL, 0.35 * size) / size
            out.append((corner[0] + direction[0] * offset, corner[1] + direction[1] * offset))
    return out + [profile[-1]]


class Builder:
    def __init__(self):
        self.points, self.uvs, self.tris, self.weights = [], [], [], []

    def add(self, joint, part, move=None):
        points, uvs, tris = part
        base = len(self.points)
        self.points += [move(p) for p in points] if move else points
        self.uvs += uvs
        self.tris += [tuple(base + v for v in tri) for tri in tris]
        self.weights += [[(joint, 1.0)]] * len(points)

    def lathe(self, joint, a, b, profile, strip, columns=12, move=None, end=None):
        """Adds a lathed part along ab (in the plane y = 0). profile: (distance along ab, radius). end:
        (distance, joint): the part beyond this distance moves with this joint, such as a rod that can be
        pushed in."""
        profile = _crisp(profile)
        ahead = unit(sub(b, a))
        path = [add(a, scale(ahead, direction)) for direction, _ in profile]
        part = lathe.tube(path, [r for _, r in profile], columns, strip, axis=ahead)
        self.add(joint, part, move)
        for n, p in enumerate(reversed(part[0])):
            if end and dot(sub(p, a), ahead) > end[0]:
                self.weights[-1 - n] = [(end[1], 1.0)]

    def ball(self, joint, at, radius, strip, columns=10, rows=5, move=None):
        profile = [(-radius * math.cos(math.pi * n / rows), radius * math.sin(math.pi * n / rows))
                   for n in range(rows + 1)]
        path = [add(at, (0.0, 0.0, direction)) for direction, _ in profile]
        radii = [0.0] + [r for _, r in profile[1:-1]] + [0.0]
        self.add(joint, lathe.tube(path, radii, columns, strip), move)


# (height, radius)
DOME = [(13.9, 0.0), (13.9, 9.1), (15.2, 9.5), (15.8, 9.0), (17.8, 8.6), (20.2, 7.4), (22.0, 5.6),
        (23.2, 3.2), (23.7, 1.2), (23.75, 0.0)]


def _body(b):
    b.lathe("body", (0, 0, 0), (0, 0, 1), [(8.2, 0.0), (8.2, 4.6), (9.4, 7.6), (11.0, 9.2),
                                           (12.6, 9.7), (12.6, 10.4), (14.2, 10.4), (14.2, 8.6),
                                           (14.2, 0.0)], ENAMEL, 28)
    b.lathe("body", (0, 0, 0), (0, 0, 1), [(7.4, 0.0), (7.4, 2.4), (8.3, 2.9), (8.3, 0.0)], STEEL, 16)
    b.lathe("dome", (0, 0, 0), (0, 0, 1), DOME, DIMPLED, 28)
    b.lathe("dome", (0, 0, 0), (0, 0, 1), [(23.4, 0.0), (23.4, 1.5), (24.2, 1.5), (24.5, 0.9),
                                           (24.5, 0.0)], BRASS, 12)


def _eye(b):
    x = EYE[0]

    b.lathe("body", EYE, (x + 1.0, 0.0, EYE[2]), [(-1.0, 0.0), (-1.0, 4.3), (1.6, 4.3), (2.0, 4.1),
                                                  (2.0, 3.75), (0.6, 3.75), (0.6, 0.0)], BRASS, 20)
    profile = [(3.3 * math.cos(a), 3.3 * math.sin(a)) for a in
               (math.pi * (1.0 - n / 10) for n in range(11))]
    profile[0], profile[-1] = (-3.3, 0.0), (3.3, 0.0)
    path = [(x + direction, 0.0, EYE[2]) for direction, _ in profile]
    b.add("eye", lathe.tube(path, [r for _, r in profile], 18, LENS))
    for joint, sign in (("shutter_upper", 1.0), ("shutter_lower", -1.0)):
        b.add(joint, _shutter(sign))


def _shutter(sign, columns=14, rows=4):
    """Adds a shutter, a part of a shell in front of the eye. It is modeled open: above (below) the lens."""
    points, uvs, tris = [], [], []
    u0, v0, u1, v1 = ENAMEL
    steps = [(0.0, 3.36), (0.0, 3.6)] + [(n / rows, 3.6) for n in range(1, rows + 1)]
    for n, (fraction, radius) in enumerate(steps):
        height = math.radians(38.0 + 60.0 * fraction) * sign
        for column in range(columns + 1):
            side = math.radians(-84.0 + 168.0 * column / columns)
            points.append((EYE[0] + radius * math.cos(side) * math.cos(height),
                           radius * math.sin(side),
                           EYE[2] + radius * math.cos(side) * math.sin(height)))
            uvs.append((u0 + (u1 - u0) * column / columns, v0 + (v1 - v0) * n / (rows + 1)))
    wide = columns + 1
    for row in range(len(steps) - 1):
        for column in range(columns):
            a = row * wide + column
            quad = ((a, a + 1, a + wide + 1), (a, a + wide + 1, a + wide))
            tris += quad if sign > 0.0 else [(p, r, q) for p, q, r in quad]
    return points, uvs, tris


def _lamp(b):
    b.lathe("lamp", (0, 0, 16.0), (-1, 0, 16.0), [(8.2, 0.0), (8.2, 1.9), (9.8, 1.9), (9.8, 1.4),
                                                  (9.8, 0.0)], BRASS, 12)
    b.lathe("lamp", (0, 0, 16.0), (-1, 0, 16.0), [(9.6, 0.0), (9.6, 1.3), (10.5, 1.15), (11.0, 0.7),
                                                  (11.2, 0.0)], GLASS, 12)


def _gun(b, side):
    def move(p):
        p = (p[0], p[1] + GUN[1], p[2])
        return p if side == "l" else mirror(p)

    z = GUN[2]
    flip = Builder()
    flip.lathe("gun_" + side, (GUN[0], 0, z), (GUN[0] + 1, 0, z),
               [(-2.6, 0.0), (-2.4, 1.3), (-1.6, 1.9), (2.2, 1.9), (2.9, 1.5), (2.9, 0.0)], ENAMEL, 14)
    flip.lathe("gun_" + side, (GUN[0], 0, z - 3.4), (GUN[0], 0, z),
               [(0.0, 0.0), (0.0, 1.0), (2.4, 1.2), (2.4, 0.0)], STEEL, 10)
    flip.lathe("barrel_" + side, (GUN[0] + 3, 0, z), (GUN[0] + 4, 0, z),
               [(-1.4, 0.0), (-1.4, 0.75), (4.2, 0.62), (4.2, 0.95), (5.6, 0.95), (5.6, 0.55),
                (4.6, 0.45), (4.6, 0.0)], STEEL, 12)
    flip.lathe("barrel_" + side, (GUN[0] + 3, 0, z), (GUN[0] + 4, 0, z),
               [(1.2, 0.0), (1.2, 1.05), (2.0, 1.05), (2.0, 0.0)], BRASS, 12)
    _append_mirrored(b, flip, move, side)


def _antenna(b, side):
    flip = Builder()
    for n, size in ((1, 0.34), (2, 0.22)):
        a, c = ANTENNA[n - 1], ANTENNA[n]
        lean = unit(sub(c, a))
        length = math.dist(a, c)
        part = Builder()
        part.lathe("antenna_%d_%s" % (n, side), (0, 0, 0), (0, 0, 1),
                   [(-0.3, 0.0), (-0.3, size * 2.0), (0.5, size * 2.0), (0.5, size),
                    (length, 0.7 * size), (length, 0.0)], STEEL, 6)
        if n == 2:
            part.ball("antenna_2_" + side, (0, 0, length + 0.4), 0.8, GLASS, 8, 5)
        _lean(flip, part, a, lean)
    _append_mirrored(b, flip, lambda p: p if side == "l" else mirror(p), side)


def _lean(target, part, at, direction):
    """Moves a part that was created along z to `at`, and rotates it to `direction`."""
    x = unit(cross((0.0, 1.0, 0.0), direction))
    y = cross(direction, x)

    def move(p):
        return add(at, add(add(scale(x, p[0]), scale(y, p[1])), scale(direction, p[2])))

    base = len(target.points)
    target.points += [move(p) for p in part.points]
    target.uvs += part.uvs
    target.tris += [tuple(base + v for v in tri) for tri in part.tris]
    target.weights += part.weights


def _append_mirrored(target, part, move, side):
    base = len(target.points)
    target.points += [move(p) for p in part.points]
    target.uvs += part.uvs
    tris = [tuple(base + v for v in tri) for tri in part.tris]
    target.tris += tris if side == "l" else [(p, r, q) for p, q, r in tris]
    target.weights += part.weights


def _leg(b, leg):
    heading = euler(yaw=azimuth(leg))

    def move(p):
        return rotate(heading, p)

    def name(part):
        return "%s_%d_%s" % ((part,) + leg)

    def flat(at):
        return (at[0], 0.0, at[1])

    coxa, hip, knee, ankle = (flat(at) for at in (COXA, HIP, KNEE, ANKLE))
    b.ball(name("coxa"), coxa, 1.9, STEEL, 10, 5, move)
    b.lathe(name("coxa"), coxa, hip, [(0.4, 0.0), (0.4, 1.25), (2.2, 1.1), (2.2, 0.0)], STEEL, 10,
            move)
    b.ball(name("femur"), hip, 1.55, BRASS, 10, 5, move)
    size = math.dist(hip, knee)
    b.lathe(name("femur"), hip, knee, [(0.6, 0.0), (0.6, 1.2), (2.0, 1.75), (size - 3.0, 1.35),
                                       (size - 1.2, 1.0), (size - 1.2, 0.0)], ENAMEL, 10, move)
    b.ball(name("tibia"), knee, 1.45, BRASS, 10, 5, move)
    size = math.dist(knee, ankle)
    b.lathe(name("tibia"), knee, ankle, [(0.7, 0.0), (0.7, 1.0), (2.2, 1.3), (5.0, 1.25),
                                         (5.4, 0.8), (size - 0.3, 0.5), (size - 0.3, 0.0)], ENAMEL, 10,
            move, (size - 0.5, name("foot")))
    b.ball(name("foot"), ankle, 0.85, BRASS, 8, 5, move)
    x = ankle[0]
    b.lathe(name("foot"), (x, 0, 0), (x, 0, 1), [(0.0, 0.0), (0.0, 1.9), (0.7, 2.1), (1.2, 1.5),
                                                 (2.0, 0.8), (2.0, 0.0)], RUBBER, 12, move)
    top, end = flat(PISTON_TOP), flat(PISTON_END)
    gap = math.dist(top, end)
    b.lathe(name("cylinder"), top, end, [(-0.4, 0.0), (-0.4, 0.6), (0.62 * gap, 0.6),
                                         (0.62 * gap, 0.3), (0.62 * gap, 0.0)], STEEL, 8, move)
    b.lathe(name("rod"), end, top, [(-0.4, 0.0), (-0.4, 0.5), (0.4, 0.5), (0.4, 0.3),
                                    (0.66 * gap, 0.3), (0.66 * gap, 0.0)], BRASS, 6, move)


def _bolt(b):
    """Adds the bolt that Thimble shoots. It is brightest at its tip."""
    u0, v0, u1, v1 = GLASS
    first = len(b.points)
    for n, (joint, at) in enumerate(BOLT.items()):
        along = {"bolt_tip": 0.98, "bolt_tail": 0.55}.get(joint, 0.86)
        b.add(joint, ([at], [(u0 + (u1 - u0) * n / 5.0, v0 + (v1 - v0) * along)], []))
    tip, tail, ring = first, first + 1, range(first + 2, first + 6)
    for corner, next_corner in zip(ring, list(ring)[1:] + [ring[0]]):
        b.tris += [(tip, corner, next_corner), (tail, next_corner, corner)]


def mesh():
    b = Builder()
    _body(b)
    _eye(b)
    _lamp(b)
    for side in "lr":
        _gun(b, side)
        _antenna(b, side)
    for leg in LEGS:
        _leg(b, leg)
    _bolt(b)
    return md5.Mesh("thimble", SHADER, b.points, b.uvs, b.tris, b.weights)
