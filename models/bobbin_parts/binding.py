"""Weights of the skin on joints."""

import math

from kit.maths import segment_nearest, smoothstep
from kit.rig import Pull, blend, by_distance, halve, smooth, steal, swapped

from bobbin_parts import shape
from bobbin_parts.skeleton import other_side

J, AIM = shape.J, shape.AIM


def _chain(names, radii):
    return [Pull(name, J[name], AIM[name], radius) for name, radius in zip(names, radii)]


_PULLS = {
    "torso": [Pull("hips", (-1, 0, 11), (-0.8, 0, 17.2), 9.0),
              Pull("spine_1", (-0.7, 0, 19.2), (-0.5, 0, 21.4), 8.4),
              Pull("spine_2", (-0.5, 0, 22.8), (-0.3, 0, 24.8), 7.6),
              Pull("chest", (-0.2, 0, 26.2), (0, 0, 29), 6.6),
              Pull("neck", (0, 0, 31), (0.6, 0, 33), 4.2),
              Pull("clavicle_l", (0, 4.6, 28.2), J["upperarm_l"], 3.9)],
    "arm": [Pull("clavicle_l", (0, 4.0, 28.2), (0, 6.2, 28.0), 3.2),
            Pull("upperarm_l", J["upperarm_l"], J["forearm_l"], 2.7),
            Pull("forearm_l", J["forearm_l"], J["forearm_twist_l"], 2.3),
            Pull("forearm_twist_l", J["forearm_twist_l"], J["hand_l"], 2.2),
            Pull("hand_l", J["hand_l"], (3.5, 18.2, 18.9), 2.5)]
    + [Pull("%s_%d_l" % (n, k), J["%s_%d_l" % (n, k)], AIM["%s_%d_l" % (n, k)], 1.4)
       for n in shape.DIGITS for k in (1, 2)],
    "leg": [Pull("hips", (-0.5, 3.0, 16.0), (-0.5, 4.6, 15.0), 4.5),
            Pull("thigh_l", J["thigh_l"], J["shin_l"], 4.3),
            Pull("shin_l", J["shin_l"], J["foot_l"], 3.1),
            Pull("foot_l", J["foot_l"], J["toes_l"], 3.0)],
    "tail": [Pull("hips", (-1, 0, 15), (-5.5, 0, 14.6), 7.0)]
    + _chain(["tail_%d" % n for n in range(1, 7)], shape.TAIL_RADII),
    "head": [Pull("head", (1, 0, 38), (1, 0, 48), 10.0),
             Pull("neck", (0, 0, 30), (0.6, 0, 33), 4.2)],
}


# Helper joints with half of a joint's rotation. Each entry contains a helper, this joint, and the joints to
# which its skin is connected.
_HALVED = (("knee_l", "shin_l", ("thigh_l",)), ("elbow_l", "forearm_l", ("upperarm_l",)),
           ("hip_l", "thigh_l", ("hips", "spine_1", "belly")),
           ("shoulder_l", "upperarm_l", ("clavicle_l", "chest", "spine_2")),
           ("neck", "head", ("chest", "clavicle_l", "clavicle_r", "spine_2")))


def _gauss(p, center, radius):
    return math.exp(-sum((p[i] - center[i]) ** 2 for i in range(3)) / (radius * radius))


def jaw_weight(p):
    """Returns 1 on the lower lip and chin, 0 on the upper lip and behind the corners of the mouth."""
    x, y, z = p[0], abs(p[1]), p[2]
    middle = shape.mouth_height(x, y)
    below = 1.0 - smoothstep(-0.55, 0.35, z - middle)
    return below * smoothstep(4.0, 9.0, x) * (1.0 - 0.95 * smoothstep(4.2, 8.6, y))


def tongue_weight(p):
    """Returns 1 on the tongue, which is painted on the floor of the mouth."""
    x, y, z = p[0], abs(p[1]), p[2]
    under = smoothstep(0.1, -0.5, z - shape.mouth_height(x, y))
    inside = smoothstep(0.5, 0.05, shape.MOUTH(x, y, z))
    return under * inside * smoothstep(1.1, 0.5, ((x - 9.6) / 4.2) ** 2 + (y / 3.6) ** 2)


def _toes(w, p):
    """Adds the weights of the toes. The sole has weights only on the foot and bends along one line, so that
    it does not slide. The ball of the foot bends as a whole. The weight of each toe increases toward its
    tip."""
    low = smoothstep(2.6, 0.5, p[2])
    w = steal(w, "foot_l", smoothstep(1.9, 0.8, p[2]))
    w = steal(w, "toes_l", smoothstep(3.4 - 0.7 * low, 6.2 - 1.9 * low, p[0])
              * smoothstep(4.0, 3.0, p[2]))
    near = {n: segment_nearest(p, J[n], AIM[n]) for n in ("toe_in_l", "toe_mid_l", "toe_out_l")}
    toe = min(near, key=lambda n: near[n][1])
    second = sorted(at for _, at in near.values())[1]
    alone = smoothstep(0.0, 1.0, second - near[toe][1])
    return steal(w, toe, 0.85 * alone * smoothstep(0.0, 0.5, near[toe][0])
                 * smoothstep(3.0, 2.2, near[toe][1]))


def skin_weights(points, near, center):
    """Returns the weights of the body's vertices (left half)."""
    parts = [shape.part_at(p) for p in points]
    weights = [by_distance(p, _PULLS[part], 7.0) for p, part in zip(points, parts)]
    weights = smooth(weights, near, center, other_side, 5)
    for v, p in enumerate(points):
        w = weights[v]
        if parts[v] == "leg":
            w = _toes(w, p)
        if parts[v] in ("torso", "leg"):
            w = steal(w, "belly", 0.75 * _gauss(p, (9.0, 0.0, 17.6), 6.0))
        if parts[v] == "head":
            w = steal(w, "jaw", jaw_weight(p))
            w = steal(w, "tongue", 0.9 * tongue_weight(p))
            w = steal(w, "cheek_l", 0.8 * _gauss(p, (9.6, 8.2, 36.6), 3.4))
            w = steal(w, "brow_l", 0.85 * _gauss(p, (7.4, 6.4, 48.9), 3.0))
        weights[v] = w
    weights = smooth(weights, near, center, other_side, 1, keep=0.7)
    for helper, joint, others in _HALVED:
        weights = [halve(w, joint, helper, others) for w in weights]
    # Both halves share the vertices of the mirror plane: equal weights left and right, or the
    # halves would separate as soon as one side moves.
    return [blend([(0.5, w), (0.5, swapped(w, other_side))]) if middle else w
            for w, middle in zip(weights, center)]


def along_chain(names, stops, t):
    """Returns weights along a leaf: each joint is full at its stop and fades into the next."""
    for (a, low), (b, high) in zip(zip(names, stops), zip(names[1:], stops[1:])):
        if t <= high:
            weight = smoothstep(low, high, t)
            return {a: 1.0 - weight, b: weight} if 0.0 < weight < 1.0 else {b if weight else a: 1.0}
    return {names[-1]: 1.0}
