"""Bobbin's body as a distance field: a smooth union of one shape per part."""

from kit.field import ball, cone, ellipsoid, melt, union
from kit.loft import curve, table

from bobbin_parts.skeleton import joints

J = {joint.name: joint.bind for joint in joints()}
AIM = {joint.name: joint.aim for joint in joints()}

EYE = J["eye_l"]
EYE_RADIUS = 5.6
DIGITS = ("thumb", "finger_a", "finger_b")


def _torso():
    return union([
        ellipsoid((0.4, 0, 17.6), (8.6, 9.2, 9.0)),
        ellipsoid((-0.2, 0, 25.5), (6.4, 7.0, 6.6)),
        cone((0, 4.4, 28.2), (0, 6.8, 27.8), 3.2, 2.9),
        cone((0, 0, 28), (0.6, 0, 34), 5.0, 5.4),
    ], 3.0)


def _head():
    skull = union([
        ellipsoid((0.6, 0, 42.6), (10.6, 12.2, 10.0)),
        ellipsoid((4.6, 5.6, 37.0), (6.4, 6.6, 5.2)),
    ], 3.5)
    muzzle = ellipsoid((8.4, 0, 36.9), (6.8, 7.2, 5.4), -4)
    brow = cone((7.2, 3.4, 47.0), (4.2, 9.6, 46.6), 1.7, 1.2)
    nose = cone((13.6, 1.3, 40.6), (12.4, 1.8, 40.9), 0.9, 0.9)
    ear = cone((-1.0, 7.6, 46.4), J["ear_1_l"], 3.6, 1.9)

    def distance(x, y, z):
        d = melt(skull(x, y, z), muzzle(x, y, z), 3.0)
        d = melt(d, brow(x, y, z), 1.6)
        d = melt(d, nose(x, y, z), 1.2)
        return melt(d, ear(x, y, z), 2.5)

    return distance


def mouth_height(x, y):
    """Returns the height of the middle of the mouth: a smile."""
    return 35.2 + 0.055 * y * y - 0.14 * (x - 13.2)


def _mouth():
    """Returns the hollow of the mouth: a flat lens, lower in front, bent upwards at the corners."""
    lens = ellipsoid((13.2, 0, 0), (6.0, 5.8, 1.6))

    def distance(x, y, z):
        return lens(x, y, z - mouth_height(x, y))

    return distance


def _arm():
    shoulder, elbow, wrist = J["upperarm_l"], J["forearm_l"], J["hand_l"]
    shapes = [cone(shoulder, elbow, 2.9, 2.35), cone(elbow, wrist, 2.35, 2.2),
              ellipsoid((3.2, 17.8, 19.2), (2.7, 2.5, 2.5))]
    limb = union(shapes, 1.0)
    digits = [cone(J[n + "_1_l"], AIM[n + "_2_l"], 1.5, 1.4) for n in DIGITS]

    def distance(x, y, z):
        d = limb(x, y, z)
        nearest = min(digit(x, y, z) for digit in digits)
        return melt(d, nearest, 0.9)

    return distance


def _leg():
    limb = union([cone(J["thigh_l"], J["shin_l"], 5.0, 3.6),
                  cone(J["shin_l"], J["foot_l"], 3.6, 2.8)], 1.5)
    x, y, _ = J["foot_l"]
    foot = union([ellipsoid((x + 2.4, y + 0.4, 1.9), (4.9, 3.5, 2.5)),
                  ball((x - 0.6, y, 2.2), 2.5)], 1.5)
    toes = [cone((4.2, 5.4, 1.6), (6.9, 5.1, 1.4), 1.8, 1.6),
            cone((4.6, 7.6, 1.6), (8.1, 8.2, 1.4), 1.8, 1.7),
            cone((3.8, 9.5, 1.6), (6.3, 11.2, 1.4), 1.8, 1.6)]

    def distance(px, py, pz):
        d = melt(limb(px, py, pz), foot(px, py, pz), 1.6)
        d = melt(d, min(toe(px, py, pz) for toe in toes), 0.8)
        # The sole is flat: cut at the floor, with a soft rim.
        return -melt(-d, pz, 0.8)

    return distance


TAIL = tuple(J["tail_%d" % n] for n in range(1, 7)) + (J["tail_fin"],)
TAIL_RADII = (6.0, 4.7, 3.8, 3.1, 2.5, 2.0, 1.5)


def _tail():
    """Returns the tail: cones along a curve. There are twice as many cones as joints, so that its bends are
    smoother."""
    path = curve(TAIL, 12)
    radii = [table(TAIL_RADII, n / 12) for n in range(13)]
    cones = [cone(a, b, ra, rb) for a, b, ra, rb in zip(path, path[1:], radii, radii[1:])]
    return union(cones, 0.25)


PARTS = {"torso": _torso(), "head": _head(), "arm": _arm(), "leg": _leg(), "tail": _tail()}
MOUTH = _mouth()


def body(x, y, z):
    """Returns the distance to the skin. Symmetric in y."""
    if y < 0.0:
        y = -y
    p = PARTS
    d = melt(p["torso"](x, y, z), p["tail"](x, y, z), 4.0)
    d = melt(d, p["leg"](x, y, z), 2.6)
    d = melt(d, p["arm"](x, y, z), 1.6)
    d = melt(d, p["head"](x, y, z), 2.2)
    if x > 5.0 and 26.0 < z < 42.0:
        d = -melt(-d, MOUTH(x, y, z), 1.85)
    return d


def part_at(p):
    """Returns the part whose own shape is nearest to p."""
    x, y, z = p[0], abs(p[1]), p[2]
    return min(PARTS, key=lambda name: PARTS[name](x, y, z))


def eye_distance(x, y, z):
    """Returns the distance to the nearer eyeball."""
    dx, dy, dz = x - EYE[0], abs(y) - EYE[1], z - EYE[2]
    return (dx * dx + dy * dy + dz * dz) ** 0.5 - EYE_RADIUS


def solid(x, y, z):
    """Returns the distance to the body with its eyeballs, for shadows."""
    return min(body(x, y, z), eye_distance(x, y, z))
