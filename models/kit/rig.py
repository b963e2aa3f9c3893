"""Binding a skin to joints, and posing joints."""

from kit import maths, md5
from kit.maths import add, conj, mul, rotate, segment_nearest, sub


class Pull:
    """How one joint draws on the skin: a segment of its limb and the limb's radius there."""

    def __init__(self, joint, a, b, radius):
        self.joint, self.a, self.b, self.radius = joint, a, b, radius


def by_distance(p, pulls, sharpness):
    """Weights falling with the distance to each limb, measured in radii of the limb: a thick
    limb reaches further, and a point halfway round a bend belongs to both sides of it."""
    found = {}
    for pull in pulls:
        _, distance = segment_nearest(p, pull.a, pull.b)
        share = max(distance / pull.radius, 0.25) ** -sharpness
        found[pull.joint] = max(found.get(pull.joint, 0.0), share)
    return normalised(found)


def normalised(weights):
    total = sum(weights.values())
    return {joint: share / total for joint, share in weights.items()}


def swapped(weights, twin):
    return {twin(joint): share for joint, share in weights.items()}


def blend(parts):
    """Sum of (share, weights) pairs, brought back to one."""
    found = {}
    for share, weights in parts:
        for joint, bias in weights.items():
            found[joint] = found.get(joint, 0.0) + share * bias
    return normalised(found)


def smooth(weights, near, centre, twin, rounds, keep=0.5):
    """Diffuses weights along the surface of a half mesh. A vertex in the mirror plane also sees
    the twins of its neighbours, which leaves it with equal weights left and right."""
    for _ in range(rounds):
        fresh = []
        for v, own in enumerate(weights):
            if not near[v]:
                fresh.append(own)
                continue
            part = (1.0 - keep) / len(near[v])
            around = [(part, weights[other]) for other in near[v]]
            if centre[v]:
                around = [(0.5 * s, w) for s, w in around] \
                    + [(0.5 * s, swapped(w, twin)) for s, w in around]
            fresh.append(blend([(keep, own)] + around))
        weights = fresh
    return weights


def strongest_pairs(weights, twin, most):
    """The strongest weights, at most `most` of them, without ever parting a joint from its twin.
    For vertices in the mirror plane: readers that keep four influences then keep the same four on
    both halves of the skin, and no crack opens between them."""
    kept = {}
    for joint in sorted(weights, key=lambda name: (-round(weights[name], 9), name)):
        pair = {joint, twin(joint)}
        if len(kept.keys() | pair) <= most:
            kept.update((name, weights[name]) for name in sorted(pair))
    return normalised(kept)


def steal(weights, joint, share):
    """Hands `share` of all weights to one joint."""
    if share < 0.004:
        return weights
    return blend([(1.0 - share, weights), (share, {joint: 1.0})])


class Skeleton:
    """Joints (name, parent, bind, aim, up) with bind places and orientations; poses are turns away from the bind pose, told in
    the axes of the model (x forward, y left, z up) and carried along by the parent."""

    def __init__(self, joints):
        self.joints = joints
        self.index = {joint.name: n for n, joint in enumerate(joints)}
        self.parent = [self.index[j.parent] if j.parent else -1 for j in joints]
        self.place = [j.bind for j in joints]
        # What readers will rebuild from the file, so that clips and mesh agree to the last digit.
        self.orient = [md5.stored(maths.frame(sub(j.aim, j.bind), j.up)) for j in joints]

    def rows(self):
        """(name, parent, place, orientation) in model space, for the file."""
        return [(j.name, self.parent[n], self.place[n], self.orient[n])
                for n, j in enumerate(self.joints)]


class Pose:
    """One instant. turn() and move() add to what is there; solve() gives model space."""

    def __init__(self, skeleton):
        self.skeleton = skeleton
        count = len(skeleton.joints)
        self.turns = [maths.IDENTITY] * count
        self.moves = [(0.0, 0.0, 0.0)] * count
        self.fixed = [None] * count

    def turn(self, joint, pitch=0.0, yaw=0.0, roll=0.0):
        n = self.skeleton.index[joint]
        self.turns[n] = mul(self.turns[n], maths.turn(pitch, yaw, roll))

    def spin(self, joint, axis, degrees):
        """A turn about any axis."""
        n = self.skeleton.index[joint]
        self.turns[n] = mul(self.turns[n], maths.axis_angle(axis, degrees))

    def move(self, joint, x=0.0, y=0.0, z=0.0):
        n = self.skeleton.index[joint]
        self.moves[n] = add(self.moves[n], (x, y, z))

    def fix(self, joint, turn):
        """Turn relative to the bind pose in model space, whatever the parent does."""
        self.fixed[self.skeleton.index[joint]] = turn

    def solve(self):
        """Lists of places and turns (away from the bind pose) in model space."""
        s = self.skeleton
        places, turns = [], []
        for n, parent in enumerate(s.parent):
            if parent < 0:
                places.append(add(s.place[n], self.moves[n]))
                turns.append(self.turns[n])
                continue
            local = add(sub(s.place[n], s.place[parent]), self.moves[n])
            places.append(add(places[parent], rotate(turns[parent], local)))
            own = self.fixed[n] if self.fixed[n] else mul(turns[parent], self.turns[n])
            turns.append(own)
        return places, turns

    def reach(self, upper, lower, end, target, hint):
        """Two-bone inverse kinematics: turns `upper` and `lower` so that `end` comes to target
        (as far as it can); the middle joint bends towards `hint`."""
        s = self.skeleton
        a, b, c = (s.place[s.index[name]] for name in (upper, lower, end))
        places, _ = self.solve()
        start = places[s.index[upper]]
        one, two = maths.length(sub(b, a)), maths.length(sub(c, b))
        to = sub(target, start)
        far = min(maths.length(to), 0.9985 * (one + two))
        far = max(far, abs(one - two) * 1.02)
        ahead = maths.unit(to)
        side = maths.unit(sub(hint, maths.scale(ahead, maths.dot(hint, ahead))))
        along = (one * one + far * far - two * two) / (2.0 * far)
        rise = max(one * one - along * along, 0.0) ** 0.5
        middle = add(start, add(maths.scale(ahead, along), maths.scale(side, rise)))
        goal = add(start, maths.scale(ahead, far))
        # The bend plane of the bind pose and of the solution carry the limb's roll.
        bind_side = sub(b, a)
        bind_ahead = maths.unit(sub(c, a))
        bind_side = sub(bind_side, maths.scale(bind_ahead, maths.dot(bind_side, bind_ahead)))
        for name, was, now in ((upper, sub(b, a), sub(middle, start)),
                               (lower, sub(c, b), sub(goal, middle))):
            before = maths.frame(was, maths.cross(bind_ahead, bind_side))
            after = maths.frame(now, maths.cross(ahead, side))
            self.fix(name, mul(after, conj(before)))


def local_frames(skeleton, places, turns):
    """(place, orientation) per joint relative to its parent, as clips store them."""
    out = []
    world = [mul(turns[n], skeleton.orient[n]) for n in range(len(places))]
    for n, parent in enumerate(skeleton.parent):
        if parent < 0:
            out.append((places[n], world[n]))
        else:
            back = conj(world[parent])
            out.append((rotate(back, sub(places[n], places[parent])), mul(back, world[n])))
    return out


def bounds(skeleton, meshes, places, turns):
    """Smallest box around the skinned vertices of all meshes."""
    rows = []
    for n in range(len(places)):
        x, y, z = (rotate(turns[n], axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
        t = sub(places[n], rotate(turns[n], skeleton.place[n]))
        rows.append((x[0], y[0], z[0], t[0], x[1], y[1], z[1], t[1], x[2], y[2], z[2], t[2]))
    low, high = [1e9] * 3, [-1e9] * 3
    for mesh in meshes:
        for (px, py, pz), weights in zip(mesh.points, mesh.weights):
            x = y = z = 0.0
            for joint, bias in weights:
                m = rows[skeleton.index[joint]]
                x += bias * (m[0] * px + m[1] * py + m[2] * pz + m[3])
                y += bias * (m[4] * px + m[5] * py + m[6] * pz + m[7])
                z += bias * (m[8] * px + m[9] * py + m[10] * pz + m[11])
            low = [min(low[0], x), min(low[1], y), min(low[2], z)]
            high = [max(high[0], x), max(high[1], y), max(high[2], z)]
    return tuple(low), tuple(high)
