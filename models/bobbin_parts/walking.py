"""Clips of locomotion: walking, running, sneaking, and walking backward, sideways and along arcs."""

import math
from copy import copy

from kit.curves import looped, wave
from kit.gait import Gait

from bobbin_parts.actor import SIDES


def replace(gait, yaw_rate):
    """Returns a copy of a gait that follows an arc."""
    curved = copy(gait)
    curved.yaw_rate = yaw_rate
    return curved


WALK = Gait(1.0, (3.6, 6.2), 0.58, 3.0, -12.7, 30.0, forward=20.0, kick=8.0, even=-0.26, gentle=(1.47, 1.43))
RUN = Gait(0.8, (3.6, 5.0), 0.235, 3.15, forward=44.0, out=-1.0, even=1.0, soft=0.06,
           gentle=(1.12, 0.95), hang=0.59, reach=(2.4, 1.4),
           roll=((0.0, -14.0), (0.25, 0.0), (0.40, 0.0), (1.0, 34.0), (1.2, 54.0),
                 (1.48, 1.0), (1.85, -16.0)))
SNEAK = Gait(1.5, (3.4, 6.0), 0.66, 4.2, 14.5, 30.0, forward=8.6, kick=6.0, even=0.3, gentle=(1.2, 1.3))
BACKWARD = Gait(0.9, (2.6, 6.6), 0.60, 2.9, forward=-10.5, out=0.0, even=-0.05, gentle=(1.5, 1.35),
                roll=((0.0, 14.0), (0.38, 0.0), (0.59, 0.0), (1.0, -9.0), (1.3, -6.7), (1.73, 0.0)))
ASIDE_L = Gait(0.75, (3.4, 8.4), 0.58, 2.2, 4.1, 13.0, left=10.5, out=2.0, kick=-1.8, even=0.4,
               gentle=(1.35, 1.4), after=0.4)
ASIDE_R = Gait(0.75, (3.4, 8.4), 0.58, 2.2, 4.1, 13.0, left=-10.5, out=2.0, kick=-1.8, even=0.4,
               gentle=(1.35, 1.4), after=0.4)
WALK_L, WALK_R = (replace(WALK, yaw_rate=yaw_rate) for yaw_rate in (60.0, -60.0))
RUN_L, RUN_R = (replace(RUN, yaw_rate=yaw_rate) for yaw_rate in (90.0, -90.0))


def _curve(a, sign, lean):
    """Adds the pose of a curve toward `sign` (1 left, -1 right): the eyes lead, the head follows, the body
    leans inwards by `lean` degrees, and the tail swings outwards."""
    if sign:
        a.rotate("hips", roll=-0.4 * lean * sign)
        a.bend(roll=-0.6 * lean * sign, yaw=5.0 * sign)
        a.nod(yaw=15.0 * sign, roll=0.4 * lean * sign)
        a.look(9.0 * sign)
        a.tail_pose(side=-14.0 * sign)


def _swing_arms(a, phase, reach, bend, pump, wide):
    """Swings the arms against the legs. Forearms and hands follow with a delay."""
    for side, sign in SIDES:
        ahead = -sign * wave(phase, 1, -0.23)       # > 0: this arm is in front
        delayed = -sign * wave(phase, 1, -0.17)
        later = -sign * wave(phase, 1, -0.11)
        a.rotate_side("clavicle", side, yaw=-5.0 * ahead, roll=1.5 * wave(phase, 2, 0.1))
        a.arm(side, roll=wide + 3.0 * wave(phase, 2, 0.2), pitch=-reach * ahead,
              bend=bend + pump * delayed)
        a.rotate_side("hand", side, pitch=-8.0 * later, roll=5.0 * wave(phase, 2, 0.3))
        a.grip(side, 0.1 + 0.06 * later)


def walk(a, t, gait=WALK, sign=0.0):
    """Walks with a cheerful waddle, straight ahead or along an arc toward `sign` (1 left, -1 right)."""
    phase = t / gait.seconds
    gait.move_root(a, t)
    _curve(a, sign, 8.0)
    # At phase 0.29 the weight is over the left foot.
    weight, stride = wave(phase, 1, 0.04), wave(phase, 1, -0.25)
    a.move("hips", x=0.3 + 0.25 * wave(phase, 2, 0.45), y=2.5 * weight,
           z=-0.75 + 0.62 * wave(phase, 2, 0.22))
    a.rotate("hips", roll=6.0 * wave(phase, 1, 0.08), yaw=-8.0 * stride,
             pitch=4.0 + 1.5 * wave(phase, 2, 0.95))
    a.bend(roll=-9.0 * wave(phase, 1, 0.1), yaw=14.0 * wave(phase, 1, -0.22),
           pitch=-2.0 + 2.5 * wave(phase, 2, 0.32))
    a.stretch(0.38 * wave(phase, 2, 0.25))
    a.nod(roll=4.0 * wave(phase, 1, 0.16), yaw=-6.0 * wave(phase, 1, -0.21),
          pitch=-3.0 + 3.0 * wave(phase, 2, 0.38))
    a.mouth(0.42 + 0.12 * wave(phase, 2, 0.3))
    a.brows(0.25 + 0.15 * wave(phase, 2, 0.4))
    a.arms_down(0.75)
    _swing_arms(a, phase, 27.0, 12.0, 13.0, 2.0)
    a.tail(9.0, 1.6, phase, 1, 0.075)
    a.ears(2.0, 3.0)
    gait.plant(a, t, 3.0)


def walk_left(a, t):
    walk(a, t, WALK_L, 1.0)


def walk_right(a, t):
    walk(a, t, WALK_R, -1.0)


def run_left(a, t):
    run(a, t, RUN_L, 1.0)


def run_right(a, t):
    run(a, t, RUN_R, -1.0)


def run(a, t, gait=RUN, sign=0.0):
    """Runs at full speed: the arms pump, and the air blows the ears back."""
    phase = t / gait.seconds
    gait.move_root(a, t)
    _curve(a, sign, 14.0)
    # The body is squashed while a foot bears the weight, and stretched in the air. The head leads the chest.
    stride, air = wave(phase, 1, -0.25), wave(phase, 2, 0.5)
    a.move("hips", x=0.9, y=0.7 * wave(phase, 1, -0.07), z=-0.5 + gait.bounce(phase) - 0.9 * abs(sign))
    a.rotate("hips", pitch=18.0 + 3.0 * wave(phase, 2, 0.1), yaw=-15.0 * stride,
             roll=4.5 * wave(phase, 1, 0.0))
    a.bend(pitch=13.0 - 5.0 * wave(phase, 2, 0.4), yaw=26.0 * wave(phase, 1, -0.22),
           roll=-4.0 * wave(phase, 1, 0.02))
    a.stretch(-0.1 + 1.2 * wave(phase, 2, 0.55))
    a.rotate("neck", pitch=9.0, yaw=-3.0 * wave(phase, 1, -0.21))
    a.rotate("head", pitch=-34.0 + 5.0 * air, yaw=-8.0 * wave(phase, 1, -0.21),
             roll=3.0 * wave(phase, 1, 0.1))
    a.mouth(0.72 + 0.16 * wave(phase, 2, 0.2))
    a.brows(0.5, 0.25)
    a.look(0.0, -3.0)
    a.arms_down(0.35)
    _swing_arms(a, phase, 50.0, 56.0, 17.0, -2.0)
    for side, _ in SIDES:
        a.grip(side, 0.55)
    a.tail_pose(rise=20.0, curl=-10.0)
    a.tail(8.5, 2.5, phase, 1, 0.08)
    a.ears(-6.0 + 3.0 * wave(phase, 2, 0.1), 30.0)
    gait.plant(a, t, 4.0)


def sneak(a, t):
    """Sneaks on tiptoe with a bent back, and pauses over each foot before the next step."""
    phase = t / SNEAK.seconds
    SNEAK.move_root(a, t)
    weight = 1.15 * wave(phase, 1, 0.09)
    weight = max(-1.0, min(1.0, weight))
    stride = wave(phase, 1, -0.22)
    a.move("hips", x=0.4 + 0.5 * wave(phase, 2, 0.4), y=1.9 * weight,
           z=-2.3 + 0.55 * wave(phase, 2, 0.36))
    a.rotate("hips", pitch=13.0, yaw=-9.0 * stride, roll=4.0 * wave(phase, 1, 0.14))
    a.bend(pitch=17.0 + 3.0 * wave(phase, 2, 0.5), yaw=8.0 * wave(phase, 1, -0.2),
           roll=-6.0 * weight)
    a.stretch(-0.5 + 0.3 * wave(phase, 2, 0.4))
    # The head remains level and looks around; the eyes lead.
    about = looped(phase, 1.0, (0.05, -1.0), (0.4, -1.0), (0.55, 1.0), (0.9, 1.0))
    early = looped(phase + 0.05, 1.0, (0.05, -1.0), (0.35, -1.0), (0.5, 1.0), (0.88, 1.0))
    a.nod(pitch=-24.0, yaw=13.0 * about, roll=-3.0 * about + 2.0 * weight)
    a.look(14.0 * early, 2.0)
    a.brows(0.2, 0.7)
    a.mouth(0.05)
    # The hands dangle in front of the chest.
    a.arms_down(0.5)
    for side, sign in SIDES:
        ahead = -sign * wave(phase, 1, -0.15)
        a.rotate_side("clavicle", side, yaw=-6.0, roll=8.0)
        a.arm(side, roll=-4.0 + 3.0 * ahead, pitch=-30.0 - 11.0 * ahead, bend=58.0 + 8.0 * ahead,
              lift=-6.0)
        a.rotate_side("hand", side, pitch=54.0 - 9.0 * -sign * wave(phase, 1, -0.05), roll=-6.0)
        a.grip(side, 0.35 + 0.1 * ahead)
    a.tail_pose(rise=10.0, curl=14.0)
    a.tail(8.0, 2.0, phase, 1, 0.1)
    a.ears(8.0 - 9.0 * about, -4.0, "l")
    a.ears(8.0 + 9.0 * about, -4.0, "r")
    SNEAK.plant(a, t, 4.0)


def backward(a, t):
    """Walks backward and looks over the left shoulder."""
    phase = t / BACKWARD.seconds
    BACKWARD.move_root(a, t)
    weight, stride = wave(phase, 1, 0.05), wave(phase, 1, -0.25)
    a.move("hips", x=-0.5, y=1.9 * weight, z=-1.05 + 0.6 * wave(phase, 2, 0.22))
    a.rotate("hips", pitch=1.0, yaw=8.0 * stride, roll=5.0 * wave(phase, 1, 0.08))
    a.bend(pitch=7.0 + 2.5 * wave(phase, 2, 0.3), yaw=12.0 - 10.0 * stride,
           roll=-7.5 * wave(phase, 1, 0.1))
    a.stretch(0.4 * wave(phase, 2, 0.25))
    # The head looks farther back while the left foot goes back. The eyes keep looking at one point on the
    # ground.
    seek = wave(phase, 1, -0.30)
    a.nod(yaw=37.0 + 7.0 * seek, pitch=2.0 + 3.0 * wave(phase, 2, 0.4), roll=-5.0 + 3.0 * weight)
    a.look(18.0 - 5.0 * seek, 6.0)
    a.brows(0.4 + 0.25 * seek, -0.4)
    a.mouth(0.08 + 0.06 * wave(phase, 2, 0.2), -0.4)
    a.arms_down(0.85)
    for side, sign in SIDES:
        # An arm swings forward while the foot of its side steps back. Forearm and hand follow with a delay.
        ahead, delayed, later = (sign * wave(phase, 1, by) for by in (-0.23, -0.17, -0.11))
        a.rotate_side("clavicle", side, yaw=-5.0 * ahead, roll=1.5 * wave(phase, 2, 0.1))
        # The arm on the side that he looks over stays a little behind the other arm. Both arms swing straight
        # back and forth although the chest is rotated to that side.
        a.arm(side, roll=2.0 * wave(phase, 2, 0.2), pitch=4.0 * sign - 24.0 * ahead, yaw=-4.0 - 7.0 * sign,
              bend=16.0 + 12.0 * delayed)
        a.rotate_side("hand", side, roll=4.0 * wave(phase, 2, 0.3), pitch=-8.0 * later)
        a.grip(side, 0.12 + 0.06 * later)
    a.tail_pose(rise=9.0, curl=6.0)
    a.tail(9.0, 1.5, phase, 1, 0.08)
    a.ears(5.0, 12.0)
    BACKWARD.plant(a, t, 3.0)


def _aside(a, t, gait, sign):
    """Steps sideways toward `sign` (1 left, -1 right). The comments describe steps to the left."""
    phase = t / gait.seconds + (0.0 if sign > 0.0 else 0.5)
    gait.move_root(a, t)
    # The feet are farthest apart at phase 0.0, when the leading foot lands, and closest at 0.5.
    apart = wave(phase, 1, -0.25)
    a.move("hips", x=-0.2, y=sign * 2.9 * wave(phase, 1, 0.06),
           z=-1.2 - 1.0 * apart)
    a.rotate("hips", roll=sign * (-3.0 + 5.5 * wave(phase, 1, 0.12)), yaw=sign * 7.0 * apart,
             pitch=4.0)
    a.bend(roll=sign * (3.0 - 8.0 * wave(phase, 1, 0.15)), yaw=-sign * 6.0 * apart,
           pitch=6.0 + 2.5 * wave(phase, 2, 0.2))
    a.stretch(-0.6 * wave(phase, 1, -0.2))
    # The eyes move before the leading foot leaves the floor, and the head follows them.
    a.nod(roll=sign * (-2.0 + 3.0 * wave(phase, 1, 0.25)), yaw=sign * (12.0 + 6.0 * wave(phase, 1, 0.48)),
          pitch=-6.0 + 1.5 * wave(phase, 2, 0.3))
    a.look(sign * (11.0 + 8.0 * wave(phase, 1, 0.26)), 0.0)
    a.brows(0.15, 0.35)
    a.mouth(0.12 + 0.08 * apart, 0.3)
    a.arms_down(0.55)
    for side, foot_sign in SIDES:
        lead = foot_sign * sign
        # The arms swing against the weight, and rise when the feet part.
        swing = lead * wave(phase, 1, 0.1)
        # The trailing arm moves inwards with its foot, in the middle of the cycle.
        inward = max(0.0, -lead) * max(0.0, -apart)
        # The arm moves inwards by at most 12 degrees, so that the hand does not penetrate the hip.
        out = 12.0 * apart - 8.0 * swing - 7.0 * inward
        out = max(out, 12.0 * math.tanh(out / 12.0))
        a.arm(side, roll=out - 1.0, pitch=-6.0 + 24.0 * swing,
              bend=24.0 + 15.0 * wave(phase, 1, -0.1 + 0.08 * lead))
        a.elbow(side, 30.0 * inward)
        a.rotate_side("hand", side, roll=8.0 + 7.0 * wave(phase, 1, -0.05), pitch=-4.0)
        a.grip(side, 0.15 - 0.4 * max(0.0, wave(phase, 1, -0.15)))
    a.tail_pose(rise=4.0, side=-sign * 10.0)
    a.tail(sign * 6.0, 1.5, phase, 1, 0.08)
    a.ears(5.0)
    gait.plant(a, t, 3.0)


def strafe_left(a, t):
    _aside(a, t, ASIDE_L, 1.0)


def strafe_right(a, t):
    _aside(a, t, ASIDE_R, -1.0)
