"""Secondary motion of hanging parts (tails, ears, a belly) by damped springs.

A spring swings about the animated pose. Only acceleration of that pose drives it, so a body that runs
at constant speed drags nothing behind."""

import math

from kit import maths
from kit.maths import add, conj, mul, rotate, scale, sub


_NONE = (0.0, 0.0, 0.0)
_QUICK = 270.0     # maximum change of a joint's bend, degrees per second


class Chain:
    """Joints, each the parent of the next, that bend; `tip` is the point at which the last joint points.
    frequency: swings per second; damping: 0..1 (1 never overshoots); limit: degrees per joint, approached but
    never reached, see soft()."""

    def __init__(self, joints, tip, frequency, damping, limit):
        self.joints, self.tip = joints, tip
        self.frequency, self.damping, self.limit = frequency, damping, limit


class Mass:
    """One joint that is displaced, by less than `limit` units."""

    def __init__(self, joint, aim, frequency, damping, limit):
        self.joint, self.aim = joint, aim
        self.frequency, self.damping, self.limit = frequency, damping, limit


class _Point:
    """A point on a spring: position, velocity, and its position in the pose."""

    def __init__(self, target):
        self.position, self.speed, self.target = target, (0.0, 0.0, 0.0), target

    def step(self, target, frequency, damping, seconds):
        """Advances the spring by one implicit step, which is stable for any stiffness."""
        rate = 2.0 * math.pi * frequency
        stiff, drag = rate * rate, 2.0 * damping * rate
        lead = scale(sub(target, self.target), 1.0 / seconds)
        push = add(scale(sub(target, self.position), seconds * stiff), scale(lead, seconds * drag))
        self.speed = scale(add(self.speed, push),
                           1.0 / (1.0 + seconds * drag + seconds * seconds * stiff))
        self.position = add(self.position, scale(self.speed, seconds))
        self.target = target

    def carry(self, position, rotation):
        """Transforms into another frame of reference, where a loop restarts."""
        self.position = rotate(rotation, add(self.position, position))
        self.target = rotate(rotation, add(self.target, position))
        self.speed = rotate(rotation, self.speed)


def between(a, b):
    """Returns the shortest rotation from direction a to direction b (not for opposite directions)."""
    axis = maths.cross(a, b)
    return maths.normalized((axis[0], axis[1], axis[2], 1.0 + maths.dot(a, b)))


def soft(size, limit):
    """Returns `size`, compressed to values below `limit`: a hard limit would stop a swing abruptly."""
    return limit * math.tanh(size / limit)


class Follow:
    """All springs of one creature, through one clip."""

    def __init__(self, skeleton, springs):
        self.skeleton, self.springs = skeleton, springs
        self.points, self.bends = {}, {}

    def carry(self, position, rotation):
        for point in self.points.values():
            point.carry(position, rotation)

    def _point(self, joint, target, spring, seconds):
        point = self.points.get(joint)
        if point is None:
            point = self.points[joint] = _Point(target)
        point.step(target, spring.frequency, spring.damping, seconds)
        return point

    def _ease(self, joint, bend, seconds):
        """Returns bend, in degrees about its axis, limited to a maximum change from the previous step."""
        before = self.bends.get(joint, _NONE)
        away = sub(bend, before)
        size = maths.length(away)
        if size > 1e-6:
            bend = add(before, scale(away, soft(size, _QUICK * seconds) / size))
        self.bends[joint] = bend
        return bend

    def step(self, pose, seconds):
        """Advances the springs by one step. Returns rotations and moves by joint index, which replace the
        rotations and moves of the pose."""
        rotations, moves = {}, {}
        for spring in self.springs:
            if isinstance(spring, Chain):
                self._chain(pose, spring, seconds, rotations)
            else:
                self._mass(pose, spring, seconds, moves)
        return rotations, moves

    def _chain(self, pose, spring, seconds, rotations):
        s = self.skeleton
        joints = [s.index[name] for name in spring.joints]
        parent = s.parent[joints[0]]
        position, rotation = pose.locate(parent)
        for n, after in zip(joints, joints[1:] + [None]):
            local = add(sub(s.position[n], s.position[parent]), pose.moves[n])
            position = add(position, rotate(rotation, local))
            led = mul(rotation, pose.rotations[n])
            tip = sub(s.position[after] if after is not None else spring.tip, s.position[n])
            reach = maths.length(tip)
            target = rotate(led, tip)
            point = self._point(n, add(position, target), spring, seconds)
            ahead, direction = maths.unit(target), maths.unit(sub(point.position, position))
            bend = between(ahead, direction)
            # The point swings at its distance, up to three times the limit; larger swings are invisible.
            size = 2.0 * math.degrees(math.atan2(maths.length(bend[:3]), bend[3]))
            if size > 3.0 * spring.limit:
                direction = rotate(maths.axis_angle(maths.unit(bend[:3]), 3.0 * spring.limit), ahead)
            point.position = add(position, scale(direction, reach))
            shown = scale(maths.unit(bend[:3]), soft(size, spring.limit)) if size > 1e-6 else _NONE
            shown = self._ease(n, rotate(conj(led), shown), seconds)
            size = maths.length(shown)
            bend = maths.axis_angle(rotate(led, shown), size) if size > 1e-6 else maths.IDENTITY
            swung = mul(bend, led)
            rotations[n] = mul(conj(rotation), swung)
            rotation, parent = swung, n

    def _mass(self, pose, spring, seconds, moves):
        n = self.skeleton.index[spring.joint]
        position, rotation = pose.locate(n)
        target = add(position, rotate(rotation, sub(spring.aim, self.skeleton.position[n])))
        point = self._point(n, target, spring, seconds)
        away = rotate(conj(rotation), sub(point.position, target))
        size = maths.length(away)
        if size > 1e-6:
            away = scale(away, soft(size, spring.limit) / size)
        moves[n] = add(pose.moves[n], away)
