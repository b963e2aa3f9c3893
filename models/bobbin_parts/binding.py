"""Which joints move which part of the skin."""

import math

from kit.maths import smoothstep
from kit.rig import Pull, blend, by_distance, smooth, steal, swapped

from bobbin_parts import shape
from bobbin_parts.skeleton import other_side

J, AIM = shape.J, shape.AIM


def _chain(names, radii):
    return [Pull(name, J[name], AIM[name], radius) for name, radius in zip(names, radii)]


_PULLS = {
    "torso": [Pull("hips", (-1, 0, 11), (-0.8, 0, 18), 9.0),
              Pull("spine_1", (-0.6, 0, 20.5), (-0.3, 0, 24), 8.0),
              Pull("chest", (-0.3, 0, 25.5), (0, 0, 29), 6.6),
              Pull("neck", (0, 0, 31), (0.6, 0, 33), 4.2),
              Pull("clavicle_l", (0, 4.6, 28.2), J["upperarm_l"], 3.2)],
    "arm": [Pull("clavicle_l", (0, 4.0, 28.2), (0, 6.2, 28.0), 3.2),
            Pull("upperarm_l", J["upperarm_l"], J["forearm_l"], 2.7),
            Pull("forearm_l", J["forearm_l"], J["hand_l"], 2.3),
            Pull("hand_l", J["hand_l"], (3.5, 18.2, 18.9), 2.5)]
    + [Pull(n, J[n], AIM[n], 1.4) for n in ("thumb_l", "finger_a_l", "finger_b_l")],
    "leg": [Pull("hips", (-0.5, 3.0, 16.0), (-0.5, 4.6, 15.0), 4.5),
            Pull("thigh_l", J["thigh_l"], J["shin_l"], 4.3),
            Pull("shin_l", J["shin_l"], J["foot_l"], 3.1),
            Pull("foot_l", J["foot_l"], J["toes_l"], 3.0)],
    "tail": [Pull("hips", (-1, 0, 15), (-5.5, 0, 14.6), 7.0)]
    + _chain(["tail_%d" % n for n in range(1, 7)], shape.TAIL_RADII),
    "head": [Pull("head", (1, 0, 38), (1, 0, 48), 10.0),
             Pull("neck", (0, 0, 30), (0.6, 0, 33), 4.2)],
}


def _gauss(p, centre, radius):
    return math.exp(-sum((p[i] - centre[i]) ** 2 for i in range(3)) / (radius * radius))


def jaw_share(p):
    """1 on the lower lip and chin, 0 on the upper lip and behind the corners of the mouth."""
    x, y, z = p[0], abs(p[1]), p[2]
    middle = shape.mouth_height(x, y)
    below = 1.0 - smoothstep(-0.55, 0.35, z - middle)
    return below * smoothstep(4.0, 9.0, x) * (1.0 - 0.95 * smoothstep(4.2, 8.6, y))


def skin_weights(points, near, centre):
    """Weights of the body's vertices (left half)."""
    parts = [shape.part_at(p) for p in points]
    weights = [by_distance(p, _PULLS[part], 7.0) for p, part in zip(points, parts)]
    weights = smooth(weights, near, centre, other_side, 5)
    for v, p in enumerate(points):
        w = weights[v]
        if parts[v] == "leg":
            w = steal(w, "toes_l", smoothstep(3.4, 6.2, p[0]) * smoothstep(4.0, 3.0, p[2]))
        if parts[v] in ("torso", "leg"):
            w = steal(w, "belly", 0.75 * _gauss(p, (9.0, 0.0, 17.6), 6.0))
        if parts[v] == "head":
            w = steal(w, "jaw", jaw_share(p))
            w = steal(w, "cheek_l", 0.8 * _gauss(p, (9.6, 8.2, 36.6), 3.4))
        weights[v] = w
    weights = smooth(weights, near, centre, other_side, 1, keep=0.7)
    # Both halves share the vertices of the mirror plane: equal weights left and right, or the
    # halves would part as soon as one side moves.
    return [blend([(0.5, w), (0.5, swapped(w, other_side))]) if middle else w
            for w, middle in zip(weights, centre)]


def along_chain(names, stops, t):
    """Weights along a leaf: each joint is full at its stop and fades into the next."""
    for (a, low), (b, high) in zip(zip(names, stops), zip(names[1:], stops[1:])):
        if t <= high:
            share = smoothstep(low, high, t)
            return {a: 1.0 - share, b: share} if 0.0 < share < 1.0 else {b if share else a: 1.0}
    return {names[-1]: 1.0}
