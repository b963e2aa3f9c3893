"""Spindle's clips: Bobbin's clips with longer legs, at the pace of a tall character.

Each joint gets the rotation of Bobbin's joint. Then inverse kinematics poses the legs, so that the soles do
not slide. Each clip adds movements of a tall body."""

import math

from kit import rig
from kit.clip import Clip
from kit.curves import bump, keyed, wave
from kit.maths import add, axis_angle, conj, mul, rotate, scale, sub

from bobbin_parts import motion, skeleton
from bobbin_parts.actor import Actor
from bobbin_parts.build import BOBBIN

# Ratios of Spindle's movements to Bobbin's.
STRIDE = 1.4       # length of steps
_ASIDE = 0.6        # movement of feet and hips to the sides
_HEIGHT = 1.9       # height of the hips
# Height of the hips in clips in which the knees would otherwise remain bent.
_LEVEL = {"walk": 1.4, "idle": 1.1}
_AHEAD = 1.2        # distance of the feet in front of the hips, units
_HEEL = (-7.0, -1.2, -1.4)  # from the ball of the left foot


def _sway(pose, phase):
    """Moves the long neck and the long tail with a delay."""
    delayed = math.sin(2.0 * math.pi * (2.0 * phase - 0.42))
    side = math.sin(2.0 * math.pi * (phase - 0.16))
    pose.rotate("neck", pitch=6.0 * delayed, roll=4.0 * side)
    pose.rotate("head", pitch=-4.5 * delayed, roll=-2.0 * side)
    pose.rotate("spine_2", pitch=3.0, roll=3.0 * side)
    pose.move("hips", z=-0.5 + 0.55 * math.sin(2.0 * math.pi * (2.0 * phase - 0.05)))


def _breathe(pose, phase):
    """Adds a breath that moves the neck while Spindle stands. Also adds a habit: Spindle stretches the neck
    far forward like a heron, sniffs twice, and draws it back."""
    breath = math.sin(4.0 * math.pi * phase)
    pose.rotate("neck", pitch=1.5 * breath)
    pose.rotate("head", pitch=-1.2 * breath)
    _scratch(Actor.from_pose(pose), phase)
    # The movement begins with a small movement back. The head remains level.
    crane = keyed(phase, (0.02, 0.0), (0.07, -0.25), (0.17, 1.0), (0.30, 1.0), (0.39, 0.0))
    sniff = bump(phase, 0.185, 0.235, 0.02) + bump(phase, 0.245, 0.295, 0.02)
    pose.rotate("spine_2", pitch=7.0 * crane)
    pose.rotate("chest", pitch=9.0 * crane)
    pose.rotate("neck", pitch=30.0 * crane - 5.0 * sniff)
    pose.rotate("head", pitch=-34.0 * crane - 5.0 * sniff)
    actor = Actor.from_pose(pose)
    actor.ears(-10.0 * crane + 6.0 * sniff, 10.0 * crane)
    actor.brows(0.5 * crane)
    actor.tail_pose(rise=8.0 * crane)


def _scratch(a, phase):
    """Replaces Bobbin's scratching, because Spindle's belly is thinner and higher: the right palm lies on the
    belly, and three strokes move the skin along."""
    amount, busy = bump(phase, 0.40, 0.80, 0.11), bump(phase, 0.50, 0.70, 0.03)
    stroke = busy * wave(phase, 15)
    hips, _ = a.pose.locate(a.pose.skeleton.index["hips"])
    a.palm("r", add(hips, (8.35, -6.0, 7.6 + 1.5 * stroke)), (0.1, 0.82, -0.56), amount, (0.99, -0.12, -0.05),
           (-0.4, 0.9, -0.2))
    # The fingers are straight, but Bobbin's fingers form half a fist.
    a.grip("r", -0.42 * amount - 0.2 * bump(phase, 0.62, 0.80, 0.05) + 0.08 * busy * wave(phase, 15, 0.2))
    # The fingers are closed, because spread fingers would look like a star.
    for finger, close in (("finger_a_1", 1.0), ("finger_b_1", -1.0)):
        a.rotate_side(finger, "r", pitch=18.0 * close * amount)
    a.move("belly", x=-0.15 * amount, z=0.45 * stroke)


def _nothing(pose, phase):
    """Adds no movement to Bobbin's clip."""


def _stoop(pose, phase):
    """Bends the body down to the smaller character that Spindle greets."""
    low = math.sin(math.pi * min(1.0, max(0.0, (phase - 0.08) / 0.84))) ** 2
    pose.rotate("spine_2", pitch=12.0 * low)
    pose.rotate("chest", pitch=6.0 * low)
    pose.rotate("neck", pitch=10.0 * low, roll=5.0 * low * math.sin(4.0 * math.pi * phase))
    pose.rotate("head", pitch=-25.0 * low)
    pose.move("hips", z=-1.6 * low)


# Bobbin's clip, frames per second, added movement. The lower frame rate makes a step a third longer.
CLIPS = (("blink", 24, _nothing), ("idle", 20, _breathe), ("walk", 18, _sway), ("wave", 19, _stoop))


class _Legs:
    """The path of a foot, which rolls about its heel or its ball, whichever is lower. The position that the
    ball has in a flat foot is scaled by the length of steps."""

    def __init__(self, bobbin, bones, side):
        self.bobbin, self.bones, self.side, self.sign = bobbin, bones, side, 1.0 if side == "l" else -1.0
        self.foot = bobbin.index["foot_" + side]
        self.ball = bobbin.position[bobbin.index["toes_" + side]]
        self.spots = [(0.0, 0.0, 0.0), (_HEEL[0], self.sign * _HEEL[1], _HEEL[2])]

    def place(self, pose, positions, rotations, root, root_rotation):
        rotation, s = rotations[self.foot], self.bones
        ball = add(positions[self.foot], rotate(rotation, sub(self.ball, self.bobbin.position[self.foot])))
        _, spot = min((add(ball, rotate(rotation, spot))[2] - spot[2], spot) for spot in self.spots)
        ahead = rotate(rotation, (1.0, 0.0, 0.0))
        flat = axis_angle((0.0, 0.0, 1.0), math.degrees(math.atan2(ahead[1], ahead[0])))
        rolled = sub(rotate(flat, spot), rotate(rotation, spot))
        moved = sub(rotate(conj(root_rotation), sub(sub(ball, rolled), positions[0])), self.ball)
        # The whole foot leaves the floor at the same time, because in long steps the toes would drag.
        high = max(0.0, moved[2])
        high = 1.3 * high + 0.2 * (1.0 - math.exp(-10.0 * high))
        moved = (STRIDE * moved[0] + _AHEAD, _ASIDE * moved[1], high)
        # Spindle's feet are a little shorter.
        bind = s.position[s.index["toes_" + self.side]]
        goal = add(add(root, rotate(root_rotation, add(bind, moved))), scale(rolled, 0.93))
        foot = add(goal, rotate(rotation, sub(s.position[s.index["foot_" + self.side]], bind)))
        pose.reach("thigh_" + self.side, "shin_" + self.side, "foot_" + self.side, foot,
                   rotate(root_rotation, (1.0, 0.08 * self.sign, 0.1)))
        pose.fix("foot_" + self.side, rotation)
        pose.fix("toes_" + self.side, rotations[self.bobbin.index["toes_" + self.side]])


def _carried(bobbin, bones, positions, rotations, height):
    """Returns Spindle's pose from Bobbin's joints."""
    pose = rig.Pose(bones)
    for n, parent in enumerate(bobbin.parent):
        if parent < 0:
            pose.moves[n], pose.rotations[n] = scale(positions[n], STRIDE), rotations[n]
            continue
        pose.rotations[n] = mul(conj(rotations[parent]), rotations[n])
        away = rotate(conj(rotations[parent]), sub(positions[n], positions[parent]))
        away = sub(away, sub(bobbin.position[n], bobbin.position[parent]))
        if bobbin.joints[n].name == "hips":
            away = (away[0], _ASIDE * away[1], height * away[2])
        pose.moves[n] = away
    return pose


def frames(name, added, bones):
    """Returns (positions, rotations) of each frame of Spindle's version of a clip."""
    bobbin = rig.Skeleton(BOBBIN.joints(), skeleton.HALVES)
    clip = next(clip for clip in motion.CLIPS if clip.name == name)
    solved, legs = [], [_Legs(bobbin, bones, side) for side in "lr"]
    for n, (positions, rotations) in enumerate(clip.frames(bobbin)):
        pose = _carried(bobbin, bones, positions, rotations, _LEVEL.get(name, _HEIGHT))
        added(pose, n / clip.intervals)
        for leg in legs:
            leg.place(pose, positions, rotations, pose.moves[0], rotations[0])
        solved.append(pose.solve())
    return solved


def clips():
    """Returns the clips with the properties in their files."""
    clip_by_name = {clip.name: clip for clip in motion.CLIPS}
    originals = [(name, rate, clip_by_name[name]) for name, rate, _ in CLIPS]
    return [Clip(name, rate, original.intervals, None, original.loop, original.events, original.still)
            for name, rate, original in originals]


def bake(clip, added, bones, bounds):
    """Returns frames and bounds of a clip of Spindle."""
    solved = frames(clip.name, added, bones)
    local_frames = [rig.local_frames(bones, positions, rotations) for positions, rotations in solved]
    if clip.loop:
        local_frames[-1][1:] = local_frames[0][1:]
    return local_frames, [bounds.compute(positions, rotations) for positions, rotations in solved]
