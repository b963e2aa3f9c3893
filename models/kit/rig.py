"""Binding a skin to joints, and posing joints."""

from kit import maths, md5
from kit.maths import add, conj, mul, rotate, segment_nearest, sub


class Pull:
    """The influence of one joint on the skin: a segment of its limb and the limb's radius."""

    def __init__(self, joint, a, b, radius):
        self.joint, self.a, self.b, self.radius = joint, a, b, radius


def by_distance(p, pulls, sharpness):
    """Returns weights that decrease with the distance to each limb, measured in radii of the limb: a thick
    limb reaches farther, and a point in the middle of a bend belongs to both sides of it."""
    found = {}
    for pull in pulls:
        _, distance = segment_nearest(p, pull.a, pull.b)
        weight = max(distance / pull.radius, 0.25) ** -sharpness
        found[pull.joint] = max(found.get(pull.joint, 0.0), weight)
    return normalized(found)


def normalized(weights):
    total = sum(weights.values())
    return {joint: weight / total for joint, weight in weights.items()}


def swapped(weights, twin):
    return {twin(joint): weight for joint, weight in weights.items()}


def blend(parts):
    """Returns the sum of (fraction, weights) pairs, normalized."""
    found = {}
    for fraction, weights in parts:
        for joint, bias in weights.items():
            found[joint] = found.get(joint, 0.0) + fraction * bias
    return normalized(found)


def smooth(weights, near, center, twin, rounds, keep=0.5):
    """Diffuses weights along the surface of a half mesh. A vertex in the mirror plane also sees
    the twins of its neighbors, which leaves it with equal weights left and right."""
    for _ in range(rounds):
        fresh = []
        for v, vertex_weights in enumerate(weights):
            if not near[v]:
                fresh.append(vertex_weights)
                continue
            part = (1.0 - keep) / len(near[v])
            around = [(part, weights[neighbor]) for neighbor in near[v]]
            if center[v]:
                around = [(0.5 * s, w) for s, w in around] \
                    + [(0.5 * s, swapped(w, twin)) for s, w in around]
            fresh.append(blend([(keep, vertex_weights)] + around))
        weights = fresh
    return weights


def strongest_pairs(weights, twin, max_count):
    """Returns at most `max_count` of the largest weights, without separating a joint from its twin.
    For vertices in the mirror plane: readers that use four influences then use the same four on
    both halves of the skin, and no crack appears between them."""
    strongest = {}
    for joint in sorted(weights, key=lambda name: (-round(weights[name], 9), name)):
        pair = {joint, twin(joint)}
        if len(strongest.keys() | pair) <= max_count:
            strongest.update((name, weights[name]) for name in sorted(pair))
    return normalized(strongest)


def steal(weights, joint, fraction):
    """Moves a fraction of all weights to one joint."""
    if fraction < 0.004:
        return weights
    return blend([(1.0 - fraction, weights), (fraction, {joint: 1.0})])


class Skeleton:
    """Joints (name, parent, bind, axis, up) with bind positions and orientations; poses are rotations
    relative to the bind pose, in the axes of the model (x forward, y left, z up), and rotated
    with the parent."""

    def __init__(self, joints, halves=None):
        self.joints = joints
        self.index = {joint.name: n for n, joint in enumerate(joints)}
        self.parent = [self.index[j.parent] if j.parent else -1 for j in joints]
        self.position = [j.bind for j in joints]
        # Helper joints with half of another joint's rotation: (index, the other joint's index).
        halves = halves or {}
        self.halves = [(n, self.index[halves[j.name]]) for n, j in enumerate(joints) if j.name in halves]
        # The rotations that readers rebuild from the file, so that clips and mesh agree to the last digit.
        self.orient = [md5.stored(maths.frame(j.axis, j.up)) for j in joints]

    def file_joints(self):
        """Returns (name, parent, position, orientation) in model space, for the file."""
        return [(j.name, self.parent[n], self.position[n], self.orient[n])
                for n, j in enumerate(self.joints)]


class Pose:
    """The pose at one time. rotate() and move() accumulate; solve() returns model space."""

    def __init__(self, skeleton):
        self.skeleton = skeleton
        count = len(skeleton.joints)
        self.rotations = [maths.IDENTITY] * count
        self.moves = [(0.0, 0.0, 0.0)] * count
        self.fixed = [None] * count

    def rotate(self, joint, pitch=0.0, yaw=0.0, roll=0.0):
        n = self.skeleton.index[joint]
        self.rotations[n] = mul(self.rotations[n], maths.euler(pitch, yaw, roll))

    def rotate_about(self, joint, axis, degrees):
        """Rotates a joint about any axis."""
        n = self.skeleton.index[joint]
        self.rotations[n] = mul(self.rotations[n], maths.axis_angle(axis, degrees))

    def move(self, joint, x=0.0, y=0.0, z=0.0):
        n = self.skeleton.index[joint]
        self.moves[n] = add(self.moves[n], (x, y, z))

    def fix(self, joint, rotation):
        """Sets a rotation relative to the bind pose in model space, independent of the parent."""
        self.fixed[self.skeleton.index[joint]] = rotation

    def solve(self):
        """Returns lists of positions and rotations (relative to the bind pose) in model space."""
        s = self.skeleton
        positions, rotations = [], []
        for n, parent in enumerate(s.parent):
            if parent < 0:
                positions.append(add(s.position[n], self.moves[n]))
                rotations.append(self.rotations[n])
                continue
            local = add(sub(s.position[n], s.position[parent]), self.moves[n])
            positions.append(add(positions[parent], rotate(rotations[parent], local)))
            rotation = self.fixed[n] if self.fixed[n] else mul(rotations[parent], self.rotations[n])
            rotations.append(rotation)
        for n, whole in s.halves:
            parent = rotations[s.parent[n]]
            positions[n] = positions[whole]
            rotations[n] = mul(parent, half_rotation(mul(conj(parent), rotations[whole])))
        return positions, rotations

    def locate(self, joint):
        """Returns position and rotation of one joint in model space."""
        s = self.skeleton
        line = [joint]
        while s.parent[line[-1]] >= 0:
            line.append(s.parent[line[-1]])
        n = line.pop()
        position, rotation, parent = add(s.position[n], self.moves[n]), self.rotations[n], n
        while line:
            n = line.pop()
            local = add(sub(s.position[n], s.position[parent]), self.moves[n])
            position = add(position, rotate(rotation, local))
            rotation = self.fixed[n] if self.fixed[n] else mul(rotation, self.rotations[n])
            parent = n
        return position, rotation

    def reach(self, upper, lower, end, target, hint):
        """Rotates `upper` and `lower` by two-bone inverse kinematics so that `end` is at the target, or as
        near as possible. The middle joint bends toward `hint`. If `end` was moved along the lower bone, the
        length of this bone is changed."""
        s = self.skeleton
        a, b, c = (s.position[s.index[name]] for name in (upper, lower, end))
        c = add(c, self.moves[s.index[end]])
        start, _ = self.locate(s.index[upper])
        upper_length, lower_length = maths.length(sub(b, a)), maths.length(sub(c, b))
        to = sub(target, start)
        far = min(maths.length(to), 0.9985 * (upper_length + lower_length))
        far = max(far, abs(upper_length - lower_length) * 1.02)
        ahead = maths.unit(to)
        side = maths.unit(sub(hint, maths.scale(ahead, maths.dot(hint, ahead))))
        along = (upper_length * upper_length + far * far - lower_length * lower_length) / (2.0 * far)
        height = max(upper_length * upper_length - along * along, 0.0) ** 0.5
        middle = add(start, add(maths.scale(ahead, along), maths.scale(side, height)))
        goal = add(start, maths.scale(ahead, far))
        # The bend plane of the bind pose and of the solution carry the limb's roll.
        bind_side = sub(b, a)
        bind_ahead = maths.unit(sub(c, a))
        bind_side = sub(bind_side, maths.scale(bind_ahead, maths.dot(bind_side, bind_ahead)))
        for name, bind_direction, direction in ((upper, sub(b, a), sub(middle, start)),
                                                (lower, sub(c, b), sub(goal, middle))):
            before = maths.frame(bind_direction, maths.cross(bind_ahead, bind_side))
            after = maths.frame(direction, maths.cross(ahead, side))
            self.fix(name, mul(after, conj(before)))


def half_rotation(rotation):
    """Returns half of a rotation, along the shorter arc."""
    x, y, z, w = rotation if rotation[3] >= 0.0 else tuple(-c for c in rotation)
    return maths.normalized((x, y, z, w + 1.0))


def halve(weights, joint, helper, connected):
    """Moves weights between a joint and the joints `connected` to the helper with half of the joint's
    rotation: all of the weight where both weights are equal, and less toward either joint."""
    far, near = weights.get(joint, 0.0), sum(weights.get(name, 0.0) for name in connected)
    if not far or not near:
        return weights
    moved = maths.smoothstep(0.0, 1.0, 2.0 * min(far, near) / (far + near))
    changed = {joint: (1.0 - moved) * (far + near) if far > near else 0.0}
    for name in connected:
        changed[name] = weights.get(name, 0.0) / near * (far + near) * (1.0 - moved) if near >= far else 0.0
    changed[helper] = weights.get(helper, 0.0) + moved * (far + near)
    out = dict(weights)
    out.update(changed)
    return {name: weight for name, weight in out.items() if weight > 0.0}


def local_frames(skeleton, positions, rotations):
    """Returns (position, orientation) of each joint relative to its parent, as clips store them."""
    out = []
    world = [mul(rotations[n], skeleton.orient[n]) for n in range(len(positions))]
    for n, parent in enumerate(skeleton.parent):
        if parent < 0:
            out.append((positions[n], world[n]))
        else:
            back = conj(world[parent])
            out.append((rotate(back, sub(positions[n], positions[parent])), mul(back, world[n])))
    return out


class Bounds:
    """Smallest boxes around the skinned vertices of meshes.

    Vertices with the same joints form a group. A skinned vertex is a mean of the positions to which
    its joints carry it, so a group whose box, carried by each of its joints, lies within the
    current bounds cannot widen them: most groups are skipped, and the box is exact."""

    def __init__(self, skeleton, meshes):
        self.skeleton = skeleton
        groups = {}
        for mesh in meshes:
            for point, weights in zip(mesh.points, mesh.weights):
                influences = [(skeleton.index[joint], bias) for joint, bias in weights]
                key = tuple(sorted({joint for joint, _ in influences}))
                groups.setdefault(key, []).append((point, influences))
        self.groups = []
        for joints, vertices in sorted(groups.items()):
            low = [min(p[axis] for p, _ in vertices) for axis in range(3)]
            high = [max(p[axis] for p, _ in vertices) for axis in range(3)]
            middle = [0.5 * (a + b) for a, b in zip(low, high)]
            half = [0.5 * (b - a) for a, b in zip(low, high)]
            self.groups.append((joints, middle, half, vertices))
        # The groups that widened the last box: they come first.
        self.wide = []

    def compute(self, positions, rotations):
        matrices = []
        for n in range(len(positions)):
            x, y, z = (rotate(rotations[n], axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
            t = sub(positions[n], rotate(rotations[n], self.skeleton.position[n]))
            matrices.append(((x[0], y[0], z[0], t[0]), (x[1], y[1], z[1], t[1]),
                             (x[2], y[2], z[2], t[2])))
        low, high = [1e9] * 3, [-1e9] * 3
        first, wide = set(self.wide), []
        for n in self.wide + [n for n in range(len(self.groups)) if n not in first]:
            joints, middle, half, vertices = self.groups[n]
            if not _sticks_out([matrices[j] for j in joints], middle, half, low, high):
                continue
            before = low + high
            for point, weights in vertices:
                for axis in range(3):
                    at = 0.0
                    for joint, bias in weights:
                        a, b, c, d = matrices[joint][axis]
                        at += bias * (a * point[0] + b * point[1] + c * point[2] + d)
                    if at < low[axis]:
                        low[axis] = at
                    if at > high[axis]:
                        high[axis] = at
            if low + high != before:
                wide.append(n)
        self.wide = wide
        return tuple(low), tuple(high)


def _sticks_out(matrices, middle, half, low, high):
    """Returns true if a box, transformed by any of the joints, exceeds low..high."""
    for axis in range(3):
        for a, b, c, d in (matrix[axis] for matrix in matrices):
            at = a * middle[0] + b * middle[1] + c * middle[2] + d
            size = abs(a) * half[0] + abs(b) * half[1] + abs(c) * half[2] + 1e-9
            if at - size < low[axis] or at + size > high[axis]:
                return True
    return False
