"""Expressions of Bobbin's face, as displacements of his skin in the bind pose: the effect of the joints of
his face, and displacements of only the skin at the corners of the mouth and the lips."""

import math

from kit.maths import add, cross, dot, mirror, rotate, scale, smoothstep, sub, unit

from bobbin_parts import shape
from bobbin_parts.actor import Actor
from bobbin_parts.face import GAZE, HINGE, WIDE, angles, at_angles, lid_edge
from bobbin_parts.skin import fang

# Position of the left corner of the mouth.
CORNER = (12.6, 5.5, 36.8)


def _near(p, center, radius):
    """Returns a weight that is 1 at the center and 0 at `radius`, equal on both sides of the face."""
    d = ((p[0] - center[0]) ** 2 + (abs(p[1]) - center[1]) ** 2 + (p[2] - center[2]) ** 2)
    return math.exp(-d / (radius * radius))


def _pull(p, center, radius, move):
    """Moves points near the center by (forward, outward, up)."""
    weight = _near(p, center, radius)
    side = max(-1.0, min(1.0, p[1] / 1.5))
    return (move[0] * weight, move[1] * weight * side, move[2] * weight)


def _smile(actor):
    actor.mouth(1.05, 2.6)
    actor.brows(0.45)
    return lambda p: _pull(p, CORNER, 3.0, (-0.7, 0.9, 1.7))


def _crying(actor):
    """Poses a wide mouth whose corners go down, for fright and pain."""
    actor.mouth(1.4, -0.5)
    return lambda p: add(_pull(p, CORNER, 3.0, (-0.3, -1.3, -3.0)),
                         _pull(p, (13.4, 3.0, 34.0), 2.2, (0.0, 0.0, -0.5)))


def _fright(actor):
    actor.brows(1.3, -2.0)
    for side in "lr":
        actor.lids(side, -0.22, -0.3)
        actor.droop(side, 8.0)
    actor.both("ear_1", roll=-24.0)
    actor.both("ear_2", roll=-10.0)
    return _crying(actor)


def _sleepy(actor):
    actor.mouth(0.3, -0.3)
    actor.brows(-0.35, -1.0)
    actor.both("ear_1", roll=-14.0)
    return lambda p: _pull(p, CORNER, 2.6, (0.0, -0.2, -0.7))


def _muzzle(y):
    """Returns how far forward the muzzle is at y: points that move sideways slide along it."""
    return 6.8 * math.sqrt(1.0 - min(0.95, abs(y) / 7.8) ** 2)


def _lips(p, narrow, flat):
    """Shapes the lips. narrow: reduction of the mouth's width; flat: reduction of its smile."""
    middle = shape.mouth_height(p[0], p[1])
    away = math.hypot((p[0] - 13.5) / 6.0, p[1] / 7.8, (p[2] - middle) / 3.7)
    # The cheek and its freckles do not move.
    weight = (1.0 - smoothstep(0.35, 1.4, away)) * (1.0 - smoothstep(6.6, 8.4, abs(p[1])))
    inward = weight * narrow * p[1]
    return (_muzzle(p[1] - inward) - _muzzle(p[1]), -inward, weight * -flat * 0.055 * p[1] * p[1])


# Half the width and half the height of the ellipse along which the lips are thickest in the bind pose,
# without the smile. Each point around the mouth is on an ellipse with the same foci; half the width of that
# ellipse is the size of the point.
_LIPS = (6.03, 2.24)
_FOCUS = math.sqrt(_LIPS[0] ** 2 - _LIPS[1] ** 2)
# Sizes at which skin begins to follow the lips less, and not at all; the chin moves farther with the lower
# lip.
_FOLLOWS, _CHIN = (6.0, 7.1), 1.5
# Fraction by which the cheeks follow the lips, rigidly with their freckles, and the sizes between which this
# ends.
_CHEEK, _BACK = 0.3, (9.8, 13.0)
_POUT = 0.45    # distance by which the ring of the lips protrudes from the face
_TONGUE = 0.8   # distance by which the floor of the mouth sinks behind the lower lip


def _crest(up):
    """Returns how far forward the lips are in the bind pose where they are thickest. up: -1 in the middle of
    the lower lip, 0 at the corners, 1 in the middle of the upper lip."""
    return 11.9 + 0.6 * up * up + 2.4 * max(0.0, up) ** 2


def _ring(p, wide, high, sink, crest, pout=_POUT, follows=_FOLLOWS):
    """Returns the displacement that shapes the lips as a ring. wide, high: half the width and half the height
    of the ring; sink: how far its middle is below the middle of the mouth; crest: how far forward the lips
    are at the corners, at the lower lip and at the upper lip. The ring follows ellipses: if width and height
    were scaled separately, a wide mouth would become a lozenge."""
    smile = shape.mouth_height(p[0], p[1])
    far, near = (math.hypot(abs(p[1]) + side, p[2] - smile) for side in (_FOCUS, -_FOCUS))
    size, aside = 0.5 * (far + near), 0.5 * (far - near) / _FOCUS
    up = math.copysign(math.sqrt(max(0.0, 1.0 - aside * aside)), p[2] - smile)
    tall, below = math.sqrt(max(0.0, size * size - _FOCUS * _FOCUS)), max(0.0, -up) ** 2
    weight = 1.0 - smoothstep(follows[0], follows[1] + _CHIN * below, size)
    if size < _LIPS[0]:
        width, tall = size * wide / _LIPS[0], tall * high / _LIPS[1]
        tall += _TONGUE * below * smoothstep(12.2, 11.0, p[0])
    else:
        cheek = (1.0 - weight) * _CHEEK * aside ** 4 * (1.0 - smoothstep(*_BACK, size))
        width, tall = size - (weight + cheek) * (_LIPS[0] - wide), tall + weight * (high - _LIPS[1])
    corner, lower, upper = crest
    ahead = corner + 0.5 * (upper - lower) * up + (0.5 * (upper + lower) - corner) * up * up - _crest(up)
    ahead = weight * ahead + pout * max(0.0, 1.0 - ((size - 6.2) / 0.8) ** 2) ** 2
    flat = shape.mouth_height(p[0], 0.0) - sink - smile
    move = (ahead, math.copysign(width * aside, p[1]) - p[1], smile + weight * flat + tall * up - p[2])
    return scale(move, smoothstep(5.0, 10.0, p[0]))


def _oh(actor):
    actor.mouth(1.45, -0.6)
    actor.brows(0.8)
    return lambda p: _ring(p, 2.9, 3.2, 0.1, (13.0, 12.4, 14.2))


def _oo(actor):
    actor.mouth(1.1, -0.5)
    actor.brows(0.3)
    actor.move("tongue", x=-2.0, z=-0.8)
    return lambda p: _ring(p, 1.9, 2.7, 0.0, (14.8, 13.9, 15.6), 0.3, (6.0, 7.4))


def _shut(actor):
    actor.mouth(-0.05, 0.1)
    return lambda p: _lips(p, 0.08, 0.35)


def _corners_shut(p, at):
    """Returns a position of the lower lip that keeps the corners of the mouth. The jaw lifts the whole lower
    lip by nearly the same distance. At the corners, where the mouth is hardly open, the lower lip would
    therefore penetrate the upper lip."""
    below = abs(p[2] - shape.mouth_height(p[0], p[1]))
    weight = (0.6 * smoothstep(2.2, 5.2, abs(p[1])) * (1.0 - smoothstep(2.0, 5.5, below))
              * smoothstep(8.0, 11.0, p[0]))
    return add(scale(at, 1.0 - weight), scale(p, weight))


def _blink(actor):
    actor.brows(-0.25)
    return lambda p: (0.0, 0.0, 0.0)


# Factors of the distance to the middle of the eye: (upper lids, lower lids, eyeballs). A morph target moves
# vertices along straight lines, but lids move along arcs. Half-shut lids would therefore be inside the
# eyeball. To prevent this, the target moves lids outwards and eyeballs inwards, like a frog's eyes.
RIM = 1.01 * shape.EYE_RADIUS
FRONT = math.cos(math.radians(70.0))
EYES = {"blink": (1.03, 1.0, 0.46), "sleepy": (1.04, 1.0, 0.91)}
# Rims of upper and lower lids in degrees above the gaze: in their middle, at their inner and outer end. In a
# smile, only the cheeks push the lower lids up. Lowered upper lids would make the smile look evil.
RIMS = {"smile": (None, (-38.0, -48.0, -60.0)), "sleepy": ((3.0, 17.0, -32.0), (-48.0, -54.0, -60.0)),
        "blink": ((-30.0, -30.0, -52.0), (-38.0, -40.0, -74.0))}

# The expression `pain` contains only the mouth. Clips squeeze the lids shut, because a target would move the
# lids along straight lines.
EXPRESSIONS = (("smile", _smile), ("fright", _fright), ("pain", _crying), ("sleepy", _sleepy), ("oh", _oh),
               ("oo", _oo), ("shut", _shut), ("blink", _blink))


# Fangs are rigid: each fang moves with the lip at its root, and also back and up, under the lip, by these
# distances.
FANGS = {"oo": (-0.3, 1.6), "oh": (0.0, 0.3), "sleepy": (-1.0, 1.5), "shut": (-1.6, 2.2)}
_FANG = fang()
_FANG_ROOT = (11.7, 3.7, 38.1)


def nearest_eye(point):
    """Returns the middle of the eye on the side of a point."""
    return (shape.EYE[0], math.copysign(shape.EYE[1], point[1]), shape.EYE[2])


def _on_joints(influences, names, start):
    """Returns true if a vertex has weights only on joints with these names."""
    return all(names[joint].startswith(start) for joint, bias in influences if bias > 0.0)


def _resized(at, influences, names, sizes):
    """Scales the distance of lids and eyeballs to the middle of the eye. The ends of lids keep their
    positions, because they would stick out of the head's outline otherwise."""
    for start, size in zip(("lid_upper_", "lid_lower_", "eye_"), sizes):
        if _on_joints(influences, names, start):
            away = sub(at, nearest_eye(at))
            if start == "eye_":
                return add(nearest_eye(at), scale(away, size))
            out = abs(dot(away, _hinge(at))) / shape.EYE_RADIUS
            size += (1.0 - size) * min(1.0, out * out)
            return add(nearest_eye(at), scale(away, size))
    return at


def _hinge(at):
    """Returns the hinge of the lids of the eye on the side of a point, as in Actor.lids()."""
    return HINGE if at[1] > 0.0 else (-HINGE[0], HINGE[1], -HINGE[2])


def _rotated_lid(point, upper, rim):
    """Rotates a point of a lid by the angle of its rim at this distance from its middle."""
    if point[1] < 0.0:
        return mirror(_rotated_lid(mirror(point), upper, rim))
    radius, side, height = angles(point)
    middle, inner, outer = rim
    out = math.sin(side)
    if not upper and out > WIDE:  # behind the opening, the lid stays inside the head
        return point
    edge = math.radians(middle + ((inner if out < 0.0 else outer) - middle) * out * out)
    return at_angles(radius, side, height + edge - lid_edge(upper, side))


def is_fang(point):
    """Returns true if a point in the bind pose belongs to a fang."""
    return any(math.dist((point[0], abs(point[1]), point[2]), fang_point) < 1e-3
               for fang_point in _FANG.points)


def joint_names(bones):
    return [joint.name for joint in bones.joints]


def _shows(point):
    """Returns true if a point of a lid is in front: farther back, lids are inside the head."""
    ray = unit(sub(point, nearest_eye(point)))
    return ray[0] * GAZE[0] + ray[1] * math.copysign(GAZE[1], point[1] * GAZE[1]) + ray[2] * GAZE[2] > FRONT


def eye_depth(bones, meshes, moved, weight):
    """Returns the depth of the lids in the eyeballs, units, with a target of that weight; below 0 they are
    outside. meshes: as for displaced(), whose result is `moved`. Measures along the lines from the
    middle of the eye, and only visible parts of the lids without the rims, which curl into the
    eyeballs."""
    names, eyes, lids = joint_names(bones), [], []
    for (points, weights), ends in zip(meshes, moved):
        for point, end, influences in zip(points, ends, weights):
            at = add(scale(point, 1.0 - weight), scale(end, weight))
            if _on_joints(influences, names, "eye_"):
                eyes.append(math.dist(at, nearest_eye(at)))
            elif (_on_joints(influences, names, "lid_") and math.dist(point, nearest_eye(point)) > RIM
                  and _shows(at)):
                lids.append(math.dist(at, nearest_eye(at)))
    return max(eyes) - min(lids)


def _hit(start, ray, a, b, c):
    """Returns true if a ray meets a triangle, by the algorithm of Moeller and Trumbore."""
    ab, ac, from_a = sub(b, a), sub(c, a), sub(start, a)
    ray_cross_ac = cross(ray, ac)
    determinant = dot(ab, ray_cross_ac)
    if abs(determinant) < 1e-9:
        return False
    from_a_cross_ab = cross(from_a, ab)
    u = dot(from_a, ray_cross_ac) / determinant
    v = dot(ray, from_a_cross_ab) / determinant
    distance = dot(ac, from_a_cross_ab) / determinant
    return u >= 0.0 and v >= 0.0 and u + v <= 1.0 and distance > 1e-3


def fang_visibility(points, moved, tris, ray):
    """Returns the visibility of the left fang against the direction of a ray, if the skin is at `moved`: for
    each point along its middle, from root to tip, true if it is visible."""
    fang_vertices = {v for v, point in enumerate(points) if point[1] > 0.0 and is_fang(point)}
    flesh = [[moved[v] for v in tri] for tri in tris
             if not fang_vertices & set(tri) and min(points[v][0] for v in tri) > 6.0]
    rings = {}
    for v in fang_vertices:
        nearest = min(range(len(_FANG.points)), key=lambda n: math.dist(points[v], _FANG.points[n]))
        rings.setdefault(_FANG.along[nearest], []).append(moved[v])
    middle = [scale([sum(axis) for axis in zip(*rings[ring])], 1.0 / len(rings[ring]))
              for ring in sorted(rings)]
    line = [add(scale(a, 1.0 - n / 5.0), scale(b, n / 5.0))
            for a, b in zip(middle, middle[1:]) for n in range(5)] + middle[-1:]
    return [not any(_hit(at, ray, *tri) for tri in flesh) for at in line]


def displaced(bones, name, expression, meshes):
    """Returns for each mesh a list of the new positions of its vertices. meshes: for each mesh the points and
    their weights, lists of (index of the joint, bias)."""
    names = joint_names(bones)
    actor = Actor(bones)
    actor.both("eye", yaw=4.5)  # as in the bind pose
    warp = expression(actor)
    positions, rotations = actor.pose.solve()
    out = []
    for points, weights in meshes:
        moved = []
        for point, influences in zip(points, weights):
            at = (0.0, 0.0, 0.0)
            for joint, bias in influences:
                carried = add(positions[joint],
                              rotate(rotations[joint], sub(point, bones.position[joint])))
                at = add(at, scale(carried, bias))
            # Eyeballs and hidden parts of the head are rigid; only the skin of the face is warped.
            if is_fang(point):
                root = (_FANG_ROOT[0], math.copysign(_FANG_ROOT[1], point[1]), _FANG_ROOT[2])
                back, up = FANGS.get(name, (0.0, 0.0))
                moved.append(add(add(at, warp(root)), (back, 0.0, up)))
                continue
            soft = 1.0 if point[0] > 6.0 and point[2] > 28.0 else 0.0
            if math.dist(point, (shape.EYE[0], math.copysign(shape.EYE[1], point[1]),
                                 shape.EYE[2])) < shape.EYE_RADIUS * 1.08:
                soft = 0.0
            if name in ("shut", "sleepy"):
                at = _corners_shut(point, at)
            at = add(at, scale(warp(point), soft))
            for start, rim in zip(("lid_upper_", "lid_lower_"), RIMS.get(name, ())):
                if rim and _on_joints(influences, names, start):
                    at = _rotated_lid(point, start == "lid_upper_", rim)
            moved.append(_resized(at, influences, names, EYES[name]) if name in EYES else at)
        out.append(moved)
    return out
