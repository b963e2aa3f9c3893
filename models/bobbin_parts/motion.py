"""Bobbin's clips. Each is a function from a phase (0..1, the loop) to a pose.

All movement is made of functions that are periodic in the phase, so every clip loops. What hangs
(tail, ears, belly) repeats the movement of what carries it, later and larger towards the tip."""

import math

from kit.maths import add, mul, rotate, smoothstep, turn
from kit.rig import Pose

from bobbin_parts.face import HINGE, LOWER_EDGE, UPPER_EDGE
from bobbin_parts.skeleton import joints

_BIND = {joint.name: joint.bind for joint in joints()}
_BALL = _BIND["toes_l"]
_ANKLE = _BIND["foot_l"]
SHUT = -15.5  # degrees of jaw that close the smile


class Clip:
    """A loop of `intervals` steps at `rate` per second; pose(bones, phase) gives each instant."""

    def __init__(self, name, rate, intervals, pose):
        self.name, self.rate, self.intervals, self.pose = name, rate, intervals, pose


def wave(phase, cycles=1, shift=0.0):
    """Sine with an integer number of cycles per loop; shift in cycles, > 0 is later."""
    return math.sin(2.0 * math.pi * (phase * cycles - shift))


def bump(phase, start, stop, ramp):
    """0 outside start..stop, 1 inside, with smooth ramps of length `ramp`; wraps around."""
    phase = (phase - start) % 1.0
    length = stop - start
    return smoothstep(0.0, ramp, phase) * smoothstep(length, length - ramp, phase)


class Actor:
    """A pose with handles for the parts that always move together."""

    def __init__(self, bones):
        self.pose = Pose(bones)
        self.turn, self.move = self.pose.turn, self.pose.move
        # The bind pose looks a little outwards; this brings both eyes onto something near.
        self.both("eye", yaw=-4.5)

    def both(self, joint, pitch=0.0, yaw=0.0, roll=0.0):
        """The same for left and right, mirrored."""
        self.turn(joint + "_l", pitch, yaw, roll)
        self.turn(joint + "_r", pitch, -yaw, -roll)

    def lids(self, side, upper, lower, line=-9.0):
        """0 open, 1 shut, for each lid of one eye. Shut lids meet at `line` degrees above the
        middle of the eye: a low line for a blink, a high one for a laugh."""
        # Hinges are turned outwards with the eyes. A mirrored turn has its axis flipped and its
        # angle negated: what is left is the axis with x and z negated.
        axis = HINGE if side == "l" else (-HINGE[0], HINGE[1], -HINGE[2])
        self.pose.spin("lid_upper_" + side, axis, (UPPER_EDGE - line + 2.0) * upper)
        self.pose.spin("lid_lower_" + side, axis, (LOWER_EDGE - line - 2.0) * lower)

    def blink(self, shut):
        for side in ("l", "r"):
            self.lids(side, shut, shut)

    def look(self, yaw, pitch=0.0):
        self.turn("eye_l", pitch, yaw)
        self.turn("eye_r", pitch, yaw)

    def mouth(self, wide):
        """0 shut, 1 as in the bind pose; the cheeks rise with it."""
        self.turn("jaw", pitch=SHUT * (1.0 - wide))
        for side, sign in (("l", 1.0), ("r", -1.0)):
            self.move("cheek_" + side, x=0.15, y=0.25 * sign, z=0.25 + 0.35 * wide)

    def stretch(self, amount):
        """> 0 taller, < 0 squashed; in units over the whole trunk."""
        for joint, share in (("spine_1", 0.3), ("chest", 0.35), ("neck", 0.2), ("head", 0.15)):
            self.move(joint, z=amount * share)
        self.move("belly", x=-0.45 * amount, z=-0.1 * amount)

    def arms_down(self, amount=1.0):
        """From the spread arms of the bind pose to arms that hang at the sides."""
        self.both("upperarm", roll=-24.0 * amount, pitch=4.0 * amount)
        self.both("forearm", roll=-8.0 * amount, pitch=-14.0 * amount)
        self.both("hand", roll=8.0 * amount)

    def tail(self, swing, curl, phase, cycles, delay):
        """A wave that runs down the tail."""
        for n in range(1, 7):
            late = delay * n
            size = 0.5 + 0.13 * n
            self.turn("tail_%d" % n, yaw=swing * size * wave(phase, cycles, late),
                      pitch=curl * size * wave(phase, 2 * cycles, late))
        self.turn("tail_fin", yaw=swing * 1.2 * wave(phase, cycles, delay * 7.2))

    def ears(self, lift, phase, cycles, delay):
        """Flapping ears: tips late."""
        for n in range(1, 4):
            self.both("ear_%d" % n, roll=lift * (0.6 + 0.35 * n) * wave(phase, cycles, delay * n))

    def foot(self, side, x, y, z, pitch=0.0, yaw=0.0, facing=0.0):
        """Puts the ball of a foot at (x, y) with the sole z above the floor. pitch > 0 lifts the
        heel, the toes staying flat; yaw turns the foot out; `facing` turns everything about the
        vertical axis."""
        sign = 1.0 if side == "l" else -1.0
        heading = turn(yaw=facing)
        ball = rotate(heading, (x, y * sign, z + _BALL[2]))
        flat = mul(heading, turn(yaw=yaw * sign))
        tilt = mul(flat, turn(pitch=pitch))
        back = (_ANKLE[0] - _BALL[0], (_ANKLE[1] - _BALL[1]) * sign, _ANKLE[2] - _BALL[2])
        ankle = add(ball, rotate(tilt, back))
        knee = rotate(heading, (1.0, 0.32 * sign, 0.12))
        self.pose.reach("thigh_" + side, "shin_" + side, "foot_" + side, ankle, knee)
        self.pose.fix("foot_" + side, tilt)
        self.pose.fix("toes_" + side, flat if pitch > 0.0 else tilt)

    def stand(self):
        for side in ("l", "r"):
            self.foot(side, _BALL[0], _BALL[1], 0.0)


# --- idle


def _blinks(phase, times, length):
    return max(bump(phase, t, t + length, 0.45 * length) for t in times)


def idle(bones, phase):
    """Breathes, shifts its weight, looks about, blinks, swings the tail."""
    a = Actor(bones)
    sway, breath = wave(phase), wave(phase, 2)
    a.move("hips", y=0.7 * sway, z=-0.55 + 0.12 * wave(phase, 2, 0.1), x=0.1 * wave(phase, 1, 0.2))
    a.turn("hips", roll=1.6 * sway, yaw=1.5 * wave(phase, 1, 0.1))
    a.turn("spine_1", roll=-1.4 * sway, pitch=1.0 * breath)
    a.turn("chest", roll=-1.2 * wave(phase, 1, 0.06), pitch=-1.2 * breath)
    a.stretch(0.28 * wave(phase, 2, 0.05))
    a.move("belly", x=0.22 * wave(phase, 2, 0.45))
    # A look to the left, then to the right; the eyes lead, the head follows.
    left, right = bump(phase, 0.26, 0.50, 0.05), bump(phase, 0.58, 0.80, 0.05)
    left_late, right_late = bump(phase, 0.28, 0.53, 0.08), bump(phase, 0.60, 0.83, 0.08)
    a.look(13.0 * left - 12.0 * right, -3.0 * left)
    a.turn("neck", yaw=5.0 * left_late - 5.0 * right_late, roll=-1.0 * sway)
    a.turn("head", yaw=9.0 * left_late - 9.0 * right_late, roll=4.0 * right_late - 3.5 * left_late,
           pitch=-1.5 + 1.0 * wave(phase, 2, 0.12) - 3.0 * left_late)
    a.mouth(0.16 + 0.14 * right_late + 0.05 * breath)
    a.blink(_blinks(phase, (0.09, 0.255, 0.565, 0.595, 0.86), 0.042))
    a.arms_down()
    a.both("clavicle", roll=1.3 * wave(phase, 2, 0.08))
    a.both("upperarm", roll=1.5 * wave(phase, 2, 0.12), pitch=1.5 * wave(phase, 1, 0.1))
    a.turn("upperarm_l", pitch=2.0 * wave(phase, 1, 0.2))
    a.turn("upperarm_r", pitch=-2.0 * wave(phase, 1, 0.2))
    a.both("forearm", pitch=-2.0 * wave(phase, 2, 0.2))
    for finger, late in (("finger_a", 0.1), ("finger_b", 0.16), ("thumb", 0.2)):
        a.both(finger, roll=-5.0 + 4.0 * wave(phase, 2, late))
    a.tail(7.0, 1.0, phase, 2, 0.07)
    a.ears(2.2, phase, 2, 0.08)
    # One ear twitches when Bobbin looks that way.
    twitch = bump(phase, 0.31, 0.37, 0.02) - 0.6 * bump(phase, 0.345, 0.40, 0.02)
    for n in range(1, 4):
        a.turn("ear_%d_l" % n, roll=8.0 * twitch, pitch=4.0 * twitch)
        a.turn("ear_%d_r" % n, roll=-7.0 * bump(phase, 0.64, 0.70, 0.025))
    a.stand()
    return a.pose


# --- walk

STEP = 4.6          # half the stride
STANCE = 0.58       # share of the cycle that a foot is on the ground
WALK_SECONDS = 1.0
WALK_SPEED = 2.0 * STEP / (STANCE * WALK_SECONDS)  # units per second that match the feet


def _step(phase):
    """(x, height, pitch) of the ball of a foot; phase 0 is the moment it lands. On the ground it
    moves back at constant speed, so it does not slide on a floor that passes at WALK_SPEED."""
    phase %= 1.0
    if phase < STANCE:
        t = phase / STANCE
        # Comes down heel first, rolls off over the ball at the end.
        pitch = -12.0 * smoothstep(0.16, 0.0, t) + 34.0 * smoothstep(0.66, 1.0, t)
        lift = 0.75 * smoothstep(0.16, 0.0, t)
        return STEP - 2.0 * STEP * t, lift, pitch
    t = (phase - STANCE) / (1.0 - STANCE)
    # Cubic swing that leaves and meets the ground at ground speed.
    slope = -2.0 * STEP * (1.0 - STANCE) / STANCE
    h = t * t * (3.0 - 2.0 * t)
    x = -STEP + 2.0 * STEP * h + slope * (t - 3 * t * t + 2 * t ** 3) + slope * (t ** 3 - t * t)
    lift = 3.1 * math.sin(math.pi * t) ** 1.3 * (1.0 - 0.25 * t) + 0.75 * smoothstep(0.75, 1.0, t)
    pitch = 34.0 * (1.0 - smoothstep(0.0, 0.55, t)) + 10.0 * math.sin(math.pi * t) \
        - 12.0 * smoothstep(0.6, 1.0, t)
    return x, lift, pitch


def walk(bones, phase):
    """A cheerful waddle, in place."""
    a = Actor(bones)
    left, right = phase, phase + 0.5
    # Left foot is under the body at 0.29: the weight is over it then.
    weight, swing = wave(phase, 1, 0.04), wave(phase, 1, -0.25)
    a.move("hips", x=0.3, y=1.35 * weight, z=-0.75 + 0.62 * wave(phase, 2, 0.16))
    a.turn("hips", roll=5.5 * wave(phase, 1, 0.08), yaw=-8.0 * swing, pitch=4.0)
    a.turn("spine_1", roll=-3.0 * wave(phase, 1, 0.08), yaw=6.0 * swing)
    a.turn("chest", roll=-4.5 * wave(phase, 1, 0.1), yaw=8.0 * wave(phase, 1, -0.22),
           pitch=-2.0 + 1.5 * wave(phase, 2, 0.3))
    a.stretch(0.35 * wave(phase, 2, 0.22))
    a.move("belly", z=0.4 * wave(phase, 2, 0.32), x=0.15 * wave(phase, 2, 0.4))
    a.turn("neck", roll=1.0 * weight, yaw=-3.0 * swing)
    a.turn("head", roll=3.5 * wave(phase, 1, 0.16), yaw=-3.0 * wave(phase, 1, -0.21),
           pitch=-3.0 + 2.2 * wave(phase, 2, 0.34))
    a.mouth(0.42 + 0.12 * wave(phase, 2, 0.3))
    a.blink(bump(phase, 0.60, 0.74, 0.06))
    a.arms_down(0.75)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        swing = -sign * wave(phase, 1, -0.23)
        late = wave(phase, 1, 0.31) * sign
        a.turn("clavicle_" + side, yaw=-4.0 * swing * sign)
        a.turn("upperarm_" + side, pitch=-26.0 * swing, roll=sign * 4.0 * wave(phase, 2, 0.2))
        a.turn("forearm_" + side, pitch=-16.0 - 14.0 * late)
        a.turn("hand_" + side, pitch=-8.0 * late, roll=sign * 6.0 * wave(phase, 2, 0.3))
    a.tail(10.0, 3.2, phase, 1, 0.075)
    a.ears(6.5, phase, 2, 0.07)
    for side, step in (("l", left), ("r", right)):
        x, lift, pitch = _step(step)
        a.foot(side, 3.2 + x, 6.2, lift, pitch, yaw=4.0)
    return a.pose


# --- wave


def greet(bones, phase):
    """Perks up, waves with the right hand, beams, and comes back to rest."""
    a = Actor(bones)
    up = bump(phase, 0.06, 0.90, 0.13)
    shake = bump(phase, 0.17, 0.82, 0.09)
    dip = bump(phase, 0.0, 0.14, 0.06) + 0.6 * bump(phase, 0.84, 0.99, 0.07)
    bounce = wave(phase, 6, 0.05)
    a.move("hips", y=0.9 * up, z=-0.6 - 1.1 * dip + 0.4 * up + 0.28 * shake * bounce)
    a.turn("hips", roll=-2.5 * up, yaw=4.0 * up)
    a.stretch(-0.7 * dip + 0.7 * up + 0.2 * shake * wave(phase, 6, 0.12))
    a.turn("spine_1", roll=-3.0 * up + 1.2 * shake * wave(phase, 3, 0.1), pitch=3.0 * dip)
    a.turn("chest", roll=4.0 * up + 1.5 * shake * wave(phase, 3, 0.15), pitch=-3.0 * up + 3.0 * dip)
    a.move("belly", z=0.35 * shake * wave(phase, 6, 0.3))
    a.turn("neck", roll=5.0 * up, yaw=-2.0 * up)
    a.turn("head", roll=8.0 * up + 2.5 * shake * wave(phase, 3, 0.2), pitch=4.0 * dip - 5.0 * up,
           yaw=-3.0 * up)
    a.mouth(0.15 + 0.85 * up + 0.08 * shake * bounce)
    # A wink of the left eye; the right one narrows along with it.
    a.blink(_blinks(phase, (0.03, 0.90), 0.05))
    wink = bump(phase, 0.40, 0.58, 0.04)
    a.lids("l", wink, wink, 8.0)
    a.lids("r", 0.18 * wink, 0.45 * wink)
    a.arms_down()
    # The right arm goes up beside the head; the forearm draws the arc, the hand follows late.
    a.turn("clavicle_r", roll=-14.0 * up)
    a.turn("upperarm_r", roll=-62.0 * up, yaw=6.0 * up)
    a.turn("forearm_r", roll=-44.0 * up - 25.0 * shake * wave(phase, 6), pitch=14.0 * up)
    a.turn("hand_r", roll=-18.0 * up - 20.0 * shake * wave(phase, 6, 0.16), pitch=6.0 * up)
    for finger, late in (("finger_a", 0.2), ("finger_b", 0.24), ("thumb", 0.28)):
        a.turn(finger + "_r", roll=-10.0 * shake * wave(phase, 6, late))
    # The left one balances, a little away from the body.
    a.turn("upperarm_l", roll=12.0 * up + 2.0 * shake * bounce, pitch=8.0 * up)
    a.turn("forearm_l", pitch=-18.0 * up)
    a.turn("hand_l", roll=14.0 * up)
    a.tail(6.0 + 5.0 * up, 1.5, phase, 3, 0.08)
    a.ears(2.0 + 3.5 * shake, phase, 6, 0.07)
    for n in range(1, 4):
        a.both("ear_%d" % n, roll=5.0 * up - 5.0 * dip)
    a.look(0.0, -2.0 * up)
    a.stand()
    return a.pose


# --- dance


def _hop(t):
    """A jump at t in 0..1: (height 0..1, crouch 0..1 before and after it)."""
    rise = (t - 0.29) / 0.42
    height = 4.0 * rise * (1.0 - rise) if 0.0 < rise < 1.0 else 0.0
    before = smoothstep(0.0, 0.17, t) * smoothstep(0.34, 0.17, t)
    after = smoothstep(0.66, 0.80, t) * smoothstep(1.0, 0.80, t)
    return height, max(before, after)


def dance(bones, phase):
    """Eight beats: four steps from side to side, two hops with the arms up, a jump once around."""
    a = Actor(bones)
    beat = phase * 8.0
    stepping = bump(phase, -0.05, 0.54, 0.09)
    cheering = bump(phase, 0.46, 1.0, 0.09)
    side = math.sin(math.pi * beat + 0.5 * math.pi) * stepping
    late = math.sin(math.pi * (beat - 0.3) + 0.5 * math.pi) * stepping
    pulse = wave(phase, 8, 0.25)
    hop, crouch, height, spin, fling = 0.0, 0.0, 0.0, 0.0, 0.0
    if 4.0 <= beat < 6.0:
        hop, crouch = _hop(beat % 1.0)
        height = 3.4 * hop
        fling = math.sin(math.pi * (beat % 1.0)) ** 2
    elif beat >= 6.0:
        t = (beat - 6.0) / 2.0
        hop, crouch = _hop(t)
        height = 10.0 * hop
        fling = math.sin(math.pi * t) ** 2
        spin = 360.0 * smoothstep(0.14, 0.86, t)
    airborne = smoothstep(0.0, 0.8, hop)
    a.turn("origin", yaw=spin)
    a.move("hips", y=2.6 * side, z=-0.8 - 0.55 * pulse * stepping - 2.2 * crouch + height)
    a.turn("hips", roll=-7.0 * side, yaw=9.0 * late)
    a.stretch(0.45 * wave(phase, 8, 0.4) * stepping - 1.4 * crouch + 1.1 * airborne)
    a.move("belly", z=0.5 * wave(phase, 8, 0.5) - 0.5 * airborne)
    a.turn("spine_1", roll=5.0 * side, yaw=-5.0 * late, pitch=5.0 * crouch)
    a.turn("chest", roll=6.0 * late, yaw=-9.0 * late, pitch=5.0 * crouch - 4.0 * airborne)
    a.turn("neck", roll=-3.0 * late)
    a.turn("head", roll=-7.0 * late, pitch=2.5 * wave(phase, 8, 0.45) * stepping + 5.0 * crouch
           - 6.0 * airborne, yaw=4.0 * side)
    a.mouth(0.45 + 0.35 * cheering + 0.2 * airborne - 0.2 * crouch + 0.1 * pulse)
    a.blink(bump(phase, 0.215, 0.26, 0.02))
    squint = bump(phase, 0.76, 0.82, 0.02)
    for eye in ("l", "r"):
        a.lids(eye, 0.9 * squint, 0.95 * squint, 6.0)
    # Arms: one up, one down with the steps; both up for the hops.
    a.arms_down(0.6 * stepping + 0.2 * crouch)
    for sign, name in ((1.0, "l"), (-1.0, "r")):
        own = 0.5 + 0.5 * sign * math.sin(math.pi * (beat - 0.1) + 0.5 * math.pi)
        lift = stepping * (58.0 * own - 6.0) + cheering * (8.0 + 52.0 * fling)
        bend = stepping * (42.0 * own + 8.0) + cheering * (14.0 + 8.0 * wave(phase, 8, 0.5))
        a.turn("clavicle_" + name, roll=sign * 0.2 * lift)
        a.turn("upperarm_" + name, roll=sign * lift, pitch=-14.0 * stepping * (1.0 - own))
        a.turn("forearm_" + name, roll=sign * bend, pitch=-26.0 * stepping * (1.0 - own))
        a.turn("hand_" + name, roll=sign * (10.0 * wave(phase, 8, 0.6) + 8.0 * fling))
        for finger in ("finger_a", "finger_b"):
            a.turn(finger + "_" + name, roll=sign * 10.0 * (own - 0.5) * stepping)
    a.tail(11.0 * (0.4 + 0.6 * stepping) + 3.0 * fling, 2.0, phase, 4, 0.08)
    for n in range(1, 5):
        a.turn("tail_%d" % n, pitch=3.5 * crouch - 4.0 * fling)
    a.ears(7.0, phase, 8, 0.07)
    for n in range(1, 4):
        a.both("ear_%d" % n, roll=cheering * (7.0 - 17.0 * fling))
    # Feet: the free one lifts on its beat; in the air both hang.
    for sign, name in ((1.0, "l"), (-1.0, "r")):
        free = max(0.0, -sign * side)
        lift = 2.0 * smoothstep(0.35, 1.0, free)
        hang = height * 0.92
        a.foot(name, _BALL[0], _BALL[1] + 0.8 - 2.4 * free, lift + hang,
               pitch=14.0 * smoothstep(0.2, 1.0, free) + 28.0 * airborne, yaw=6.0, facing=spin)
    return a.pose


CLIPS = (Clip("idle", 24, 120, idle), Clip("walk", 24, 24, walk),
         Clip("wave", 24, 84, greet), Clip("dance", 30, 120, dance))
