"""Bobbin's moving body as shapes that joints carry, to measure the depth of points in it.

The shapes are the shapes of shape.py without fillets. Each shape moves rigidly with one joint, so near a bent
joint the depth is accurate only to about half a unit."""

from kit.field import cone, ellipsoid
from kit.maths import add, conj, length, mirror, mix, mul, rotate, sub

from bobbin_parts import shape

_J = shape.J
_SIDES = (("l", lambda p: p), ("r", mirror))


def _limbs():
    for side, mirror_point in _SIDES:
        hip, knee, ankle = (mirror_point(_J[name]) for name in ("thigh_l", "shin_l", "foot_l"))
        for joint, a, b, radius_a, radius_b in (("thigh_", hip, knee, 5.0, 3.6),
                                                ("shin_", knee, ankle, 3.6, 2.8)):
            radius = 0.5 * length(sub(a, b)) + radius_a
            yield joint + side, mix(a, b, 0.5), radius, cone(a, b, radius_a, radius_b)


def _head(x, y, z):
    return shape.PARTS["head"](x, abs(y), z)


# (joint, a point and a radius around it that contain the shape, distance in the bind pose). The
# trunk's fillets are omitted, because arms hang there.
_SHAPES = [("head", (3.0, 0, 42.0), 14.0, _head),
           ("hips", (0.4, 0, 17.6), 9.3, ellipsoid((0.4, 0, 17.6), (8.6, 9.2, 9.0))),
           ("spine_2", (-0.2, 0, 25.5), 7.1, ellipsoid((-0.2, 0, 25.5), (6.4, 7.0, 6.6))),
           ("chest", (0.3, 0, 31.0), 8.6, cone((0, 0, 28), (0.6, 0, 34), 5.0, 5.4))] + list(_limbs())

# Parts that must stay outside: vertices with their largest weight on these joints.
PARTS = (("hand", ("hand_", "finger_", "thumb_")), ("tail", ("tail_4", "tail_5", "tail_6", "tail_fin")))
_EVERY = 6         # every sixth of these vertices is measured: they are half a unit apart


class Solid:
    def __init__(self, mesh):
        names = [joint[0] for joint in mesh.joints]
        self.bind = [(position, rotation) for _, _, position, rotation in mesh.joints]
        self.shapes = [(names.index(shape[0]),) + shape[1:] for shape in _SHAPES]
        self.points = []
        for name, starts in PARTS:
            candidates = [(name, shape) for shape in mesh.vertices[0]
                          if names[max(shape, key=lambda w: w[1])[0]].startswith(starts)]
            self.points += candidates[::_EVERY]
        self.mesh = mesh

    def depth(self, posed):
        """Returns the depth of the deepest point of each part, or 0: {"hand": ..., "tail": ...}."""
        found = {name: 0.0 for name, _ in PARTS}
        carried = []
        for joint, center, radius, distance in self.shapes:
            back = mul(self.bind[joint][1], conj(posed[joint][1]))
            center_now = add(posed[joint][0], rotate(conj(back), sub(center, self.bind[joint][0])))
            carried.append((center_now, radius * radius, back, center, distance))
        for name, vertex in self.points:
            at = self.mesh.position(vertex, posed)
            for center_now, reach, back, center, distance in carried:
                away = sub(at, center_now)
                if away[0] ** 2 + away[1] ** 2 + away[2] ** 2 < reach:
                    x, y, z = rotate(back, away)
                    inside = -distance(x + center[0], y + center[1], z + center[2])
                    found[name] = max(found[name], inside)
        return found
