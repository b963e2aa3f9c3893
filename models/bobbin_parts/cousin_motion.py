"""Spindle's own clips: Bobbin's acts on longer legs, at the pace of somebody tall.

Bobbin's frames are retargeted joint by joint; then the legs are placed again, because soles must not
slide. The clip adds further movements of a tall body."""

import math

from kit import rig
from kit.clip import Clip
from kit.curves import bump, keyed, wave
from kit.maths import add, axis_angle, conj, mul, rotate, scale, sub

from bobbin_parts import motion, skeleton
from bobbin_parts.actor import Actor
from bobbin_parts.build import BOBBIN

STRIDE = 1.4       # steps, in Bobbin's
_ASIDE = 0.6        # to the sides, of feet and hips: on long legs as much would cross them
_HEIGHT = 1.9       # of the hips, in Bobbin's
# The same of clips whose knees would stay bent like rubber.
_LEVEL = {"walk": 1.4, "idle": 1.1}
_AHEAD = 1.2        # of the feet, before his hips
_HEEL = (-7.0, -1.2, -1.4)  # from the ball of the left foot


def _sway(pose, phase):
    """A long neck and a long tail come after the rest."""
    late = math.sin(2.0 * math.pi * (2.0 * phase - 0.42))
    side = math.sin(2.0 * math.pi * (phase - 0.16))
    pose.turn("neck", pitch=6.0 * late, roll=4.0 * side)
    pose.turn("head", pitch=-4.5 * late, roll=-2.0 * side)
    pose.turn("spine_2", pitch=3.0, roll=3.0 * side)
    pose.move("hips", z=-0.5 + 0.55 * math.sin(2.0 * math.pi * (2.0 * phase - 0.05)))


def _breathe(pose, phase):
    """Standing he is never quite still: the neck moves with the breath. His habit: he cranes the neck far
    ahead as a heron does, sniffs twice, and draws it back in."""
    breath = math.sin(4.0 * math.pi * phase)
    pose.turn("neck", pitch=1.5 * breath)
    pose.turn("head", pitch=-1.2 * breath)
    _scratch(Actor.of(pose), phase)
    # It begins with a small movement back, and the head stays level.
    crane = keyed(phase, (0.02, 0.0), (0.07, -0.25), (0.17, 1.0), (0.30, 1.0), (0.39, 0.0))
    sniff = bump(phase, 0.185, 0.235, 0.02) + bump(phase, 0.245, 0.295, 0.02)
    pose.turn("spine_2", pitch=7.0 * crane)
    pose.turn("chest", pitch=9.0 * crane)
    pose.turn("neck", pitch=30.0 * crane - 5.0 * sniff)
    pose.turn("head", pitch=-34.0 * crane - 5.0 * sniff)
    actor = Actor.of(pose)
    actor.ears(-10.0 * crane + 6.0 * sniff, 10.0 * crane)
    actor.brows(0.5 * crane)
    actor.tail_pose(rise=8.0 * crane)


def _scratch(a, phase):
    """His belly is thinner than the one that Bobbin scratches, and higher: the right palm lies down on it,
    and three strokes take it along."""
    there, busy = bump(phase, 0.40, 0.80, 0.11), bump(phase, 0.50, 0.70, 0.03)
    stroke = busy * wave(phase, 15)
    hips, _ = a.pose.where(a.pose.skeleton.index["hips"])
    a.palm("r", add(hips, (8.35, -6.0, 7.6 + 1.5 * stroke)), (0.1, 0.82, -0.56), there, (0.99, -0.12, -0.05),
           (-0.4, 0.9, -0.2))
    # Straight, where Bobbin's are half a fist.
    a.grip("r", -0.42 * there - 0.2 * bump(phase, 0.62, 0.80, 0.05) + 0.08 * busy * wave(phase, 15, 0.2))
    # And closed: spread they would be a star.
    for finger, close in (("finger_a_1", 1.0), ("finger_b_1", -1.0)):
        a.one(finger, "r", pitch=18.0 * close * there)
    a.move("belly", x=-0.15 * there, z=0.45 * stroke)


def _nothing(pose, phase):
    """As Bobbin does it."""


def _stoop(pose, phase):
    """He bends down to those he greets."""
    low = math.sin(math.pi * min(1.0, max(0.0, (phase - 0.08) / 0.84))) ** 2
    pose.turn("spine_2", pitch=12.0 * low)
    pose.turn("chest", pitch=6.0 * low)
    pose.turn("neck", pitch=10.0 * low, roll=5.0 * low * math.sin(4.0 * math.pi * phase))
    pose.turn("head", pitch=-25.0 * low)
    pose.move("hips", z=-1.6 * low)


# Bobbin's clip, frames per second, added movement. A step takes a third longer.
CLIPS = (("blink", 24, _nothing), ("idle", 20, _breathe), ("walk", 18, _sway), ("wave", 19, _stoop))


class _Legs:
    """The path of a foot. It rolls about the lower one of its heel and ball. The position of the ball, or its
    position in a flat foot, is scaled by the length of steps."""

    def __init__(self, own, bones, side):
        self.own, self.bones, self.side, self.sign = own, bones, side, 1.0 if side == "l" else -1.0
        self.number = own.index["foot_" + side]
        self.ball = own.position[own.index["toes_" + side]]
        self.spots = [(0.0, 0.0, 0.0), (_HEEL[0], self.sign * _HEEL[1], _HEEL[2])]

    def place(self, pose, positions, turns, root, turned):
        turn, s = turns[self.number], self.bones
        ball = add(positions[self.number], rotate(turn, sub(self.ball, self.own.position[self.number])))
        _, spot = min((add(ball, rotate(turn, spot))[2] - spot[2], spot) for spot in self.spots)
        ahead = rotate(turn, (1.0, 0.0, 0.0))
        flat = axis_angle((0.0, 0.0, 1.0), math.degrees(math.atan2(ahead[1], ahead[0])))
        rolled = sub(rotate(flat, spot), rotate(turn, spot))
        moved = sub(rotate(conj(turned), sub(sub(ball, rolled), positions[0])), self.ball)
        # A foot that leaves the floor does so at once: in his long steps toes would drag.
        high = max(0.0, moved[2])
        high = 1.3 * high + 0.2 * (1.0 - math.exp(-10.0 * high))
        moved = (STRIDE * moved[0] + _AHEAD, _ASIDE * moved[1], high)
        # His feet are a little shorter.
        own = s.position[s.index["toes_" + self.side]]
        goal = add(add(root, rotate(turned, add(own, moved))), scale(rolled, 0.93))
        foot = add(goal, rotate(turn, sub(s.position[s.index["foot_" + self.side]], own)))
        pose.reach("thigh_" + self.side, "shin_" + self.side, "foot_" + self.side, foot,
                   rotate(turned, (1.0, 0.08 * self.sign, 0.1)))
        pose.fix("foot_" + self.side, turn)
        pose.fix("toes_" + self.side, turns[self.own.index["toes_" + self.side]])


def _carried(own, bones, positions, turns, height):
    """A pose of his from Bobbin's joints."""
    pose = rig.Pose(bones)
    for n, parent in enumerate(own.parent):
        if parent < 0:
            pose.moves[n], pose.turns[n] = scale(positions[n], STRIDE), turns[n]
            continue
        pose.turns[n] = mul(conj(turns[parent]), turns[n])
        away = rotate(conj(turns[parent]), sub(positions[n], positions[parent]))
        away = sub(away, sub(own.position[n], own.position[parent]))
        if own.joints[n].name == "hips":
            away = (away[0], _ASIDE * away[1], height * away[2])
        pose.moves[n] = away
    return pose


def frames(name, added, bones):
    """(positions, turns) of every frame of his version of a clip."""
    own = rig.Skeleton(BOBBIN.joints(), skeleton.HALVES)
    clip = next(clip for clip in motion.CLIPS if clip.name == name)
    solved, legs = [], [_Legs(own, bones, side) for side in "lr"]
    for n, (positions, turns) in enumerate(clip.frames(own)):
        pose = _carried(own, bones, positions, turns, _LEVEL.get(name, _HEIGHT))
        added(pose, n / clip.intervals)
        for leg in legs:
            leg.place(pose, positions, turns, pose.moves[0], turns[0])
        solved.append(pose.solve())
    return solved


def clips():
    """Returns the clips with the properties in their files."""
    of = {clip.name: clip for clip in motion.CLIPS}
    return [Clip(name, rate, of[name].intervals, None, of[name].loop, of[name].events, of[name].still)
            for name, rate, _ in CLIPS]


def bake(clip, added, bones, bounds):
    """Frames and bounds of a clip of his."""
    solved = frames(clip.name, added, bones)
    rows = [rig.local_frames(bones, positions, turns) for positions, turns in solved]
    if clip.loop:
        rows[-1][1:] = rows[0][1:]
    return rows, [bounds.of(positions, turns) for positions, turns in solved]
