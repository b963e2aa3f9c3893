"""Thimble's clips."""

import math

from kit import clip
from kit.curves import bump, keyed, looped, pulse, wave
from kit.gait import Gait
from kit.maths import conj, mirror, rotate, sub, turn, unit
from kit.rig import Pose
from kit.spring import Chain, between

from thimble_parts.skeleton import ANKLE, ANTENNA, LEGS, azimuth, on_leg

HOMES = {leg: on_leg(leg, ANKLE) for leg in LEGS}
_UP = (0.0, 0.0, 1.0)
SPRINGS = [Chain(("antenna_1_" + side, "antenna_2_" + side),
                 ANTENNA[2] if side == "l" else mirror(ANTENNA[2]), 4.0, 0.12, 22.0)
           for side in "lr"]


class Actor:
    """A pose with controls for legs, eye and guns."""

    def __init__(self, bones):
        self.pose = Pose(bones)
        self.turn, self.move = self.pose.turn, self.pose.move

    def root(self, x=0.0, y=0.0, yaw=0.0):
        self.move("origin", x, y)
        self.turn("origin", yaw=yaw)

    def shutters(self, upper, lower=None):
        """0 open, 1 shut, over the eye."""
        self.turn("shutter_upper", pitch=40.0 * upper)
        self.turn("shutter_lower", pitch=-40.0 * (upper if lower is None else lower))

    def recoil(self, side, way):
        self.move("barrel_" + side, x=-way)

    def leg(self, leg, ankle, yaw=0.0):
        """Puts an ankle at a position in model space, the foot level and turned by yaw."""
        s = self.pose.skeleton
        number, side = leg

        def name(part):
            return "%s_%d_%s" % (part, number, side)

        position, swing = self.pose.where(s.index["body"])
        out = rotate(conj(swing), sub(ankle, position))
        coxa = s.position[s.index[name("coxa")]]
        base = s.position[s.index["body"]]
        swung = math.degrees(math.atan2(out[1] - coxa[1] + base[1], out[0] - coxa[0] + base[0]))
        self.turn(name("coxa"), yaw=(swung - azimuth(leg) + 180.0) % 360.0 - 180.0)
        self.pose.reach(name("femur"), name("tibia"), name("foot"), ankle, _UP)
        self.pose.fix(name("foot"), turn(yaw=yaw))
        # The piston's halves point at each other.
        ends = [s.index[name(part)] for part in ("cylinder", "rod")]
        now = [self.pose.where(n)[0] for n in ends]
        bind = [s.position[n] for n in ends]
        swung = between(unit(sub(bind[1], bind[0])), unit(sub(now[1], now[0])))
        for part in ("cylinder", "rod"):
            self.pose.fix(name(part), swung)

    def stand(self):
        for leg in LEGS:
            self.leg(leg, HOMES[leg])


# --- walking


def _gait(seconds, duty, lift, forward=0.0, spin=0.0):
    """A gait per leg: its own home, the rest alike."""
    return {leg: Gait(seconds, (HOMES[leg][0], abs(HOMES[leg][1])), duty, lift, 0.0, 0.0,
                      forward=forward, spin=spin, out=0.0) for leg in LEGS}


WALK = _gait(1.2, 0.58, 4.0, forward=15.0)
TROT = _gait(0.5, 0.52, 3.4, forward=46.0)
TURN_L = _gait(0.9, 0.58, 3.4, spin=36.0)
TURN_R = _gait(0.9, 0.58, 3.4, spin=-36.0)


def _late(leg):
    """Two sets of three take turns: front and rear of one side with the middle of the other."""
    return 0.0 if (leg[0] == 2) == (leg[1] == "r") else 0.5


def _go(a, t, gait):
    """Root first: the rest of the body is posed between this and _plant()."""
    any_leg = gait[LEGS[0]]
    x, y, heading = any_leg.root(t)
    a.root(x, y, heading)
    return t / any_leg.seconds


def _plant(a, t, gait):
    for leg in LEGS:
        x, y, z, _, yaw, _ = gait[leg].step(1.0 if leg[1] == "l" else -1.0, _late(leg), t)
        a.leg(leg, (x, y, z + ANKLE[1]), yaw)


def walk(a, t):
    """Three legs at a time, the body level as a tray; the eye sweeps."""
    phase = _go(a, t, WALK)
    a.move("body", y=0.4 * wave(phase), z=0.75 * wave(phase, 2, 0.2))
    a.turn("body", roll=3.0 * wave(phase, 1, 0.05), pitch=1.4 * wave(phase, 2, 0.3))
    a.turn("eye", yaw=14.0 * wave(phase), pitch=2.0)
    a.shutters(0.12 + 0.88 * bump(phase, 0.46, 0.56, 0.03))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        a.turn("gun_" + side, pitch=3.0 * wave(phase, 2, 0.4), yaw=sign * 2.0)
    _plant(a, t, WALK)


def trot(a, t):
    """In a hurry: it bounces and leans into it."""
    phase = _go(a, t, TROT)
    a.move("body", z=-0.4 + 0.9 * wave(phase, 2, 0.12), y=0.3 * wave(phase))
    a.turn("body", pitch=5.0 + 1.8 * wave(phase, 2, 0.3), roll=2.2 * wave(phase, 1, 0.05))
    a.move("dome", z=0.16 * wave(phase, 2, 0.4))
    a.turn("eye", pitch=-5.0 - 1.8 * wave(phase, 2, 0.35))
    a.shutters(0.3, 0.2)
    for side in "lr":
        a.turn("gun_" + side, pitch=-5.0 + 5.0 * wave(phase, 2, 0.5))
    _plant(a, t, TROT)


def _turning(a, t, gait, sign):
    phase = _go(a, t, gait)
    a.move("body", z=0.3 * wave(phase, 2, 0.2))
    a.turn("body", yaw=sign * 2.0 * wave(phase, 2, 0.1), roll=-sign * 1.5)
    a.turn("eye", yaw=sign * 24.0)
    a.shutters(0.1)
    _plant(a, t, gait)


def turn_left(a, t):
    _turning(a, t, TURN_L, 1.0)


def turn_right(a, t):
    _turning(a, t, TURN_R, -1.0)


# --- on the spot


def idle(a, t):
    """Hums: sinks and rises a little, looks about in jerks, blinks, flexes one foot."""
    phase = t / 4.0
    a.move("body", z=0.3 * wave(phase, 2), x=0.2 * wave(phase))
    a.turn("body", pitch=0.8 * wave(phase, 1, 0.2), roll=0.7 * wave(phase))
    yaw = looped(phase, 1.0, (0.04, 0.0), (0.16, 0.0), (0.20, 26.0), (0.36, 26.0), (0.39, 12.0),
                 (0.50, 12.0), (0.55, -24.0), (0.78, -24.0), (0.84, 0.0))
    a.turn("eye", yaw=yaw, pitch=4.0 * wave(phase, 3, 0.1))
    a.shutters(0.1 + 0.9 * max(bump(phase, at, at + 0.035, 0.014) for at in (0.17, 0.53, 0.82, 0.90)))
    for side, late in (("l", 0.0), ("r", 0.3)):
        a.turn("gun_" + side, pitch=-9.0 * bump(phase, 0.22 + late, 0.44 + late, 0.05),
               yaw=0.25 * yaw)
    a.turn("dome", yaw=0.2 * yaw)
    for leg in LEGS:
        x, y, z = HOMES[leg]
        tap = bump(phase, 0.60, 0.74, 0.05) if leg == (1, "l") else 0.0
        a.leg(leg, (x + 0.6 * tap, y, z + 2.2 * tap))


def shoot(a, t):
    """Braces, fires left and right, and lets the smoke clear."""
    brace = keyed(t, (0.0, 0.0), (0.22, 1.0), (0.95, 1.0), (1.3, 0.0))
    kicks = [keyed(t - at, (0.0, 0.0), (0.035, 1.0), (0.10, 0.8), (0.30, 0.0)) for at in (0.4, 0.67)]
    a.move("body", x=-1.0 * brace - 2.0 * sum(kicks), z=-2.2 * brace + 0.4 * sum(kicks))
    a.turn("body", pitch=3.0 * brace - 6.5 * sum(kicks), yaw=-5.0 * kicks[0] + 5.0 * kicks[1])
    a.turn("eye", pitch=-2.0 * brace)
    a.shutters(0.45 * brace + 0.4 * max(kicks), 0.35 * brace + 0.4 * max(kicks))
    for side, kick in zip("lr", kicks):
        a.turn("gun_" + side, pitch=-3.0 * brace - 8.0 * kick)
        a.recoil(side, 2.6 * kick)
    a.move("dome", z=-0.5 * brace + 0.5 * max(kicks))
    a.stand()


# Radius of the footing when folded. Drawn in, the legs would come within 15 degrees of half a turn,
# where the format loses precision.
_SPREAD = 25.6


def _folded(a, amount, legs):
    """Sits on the floor with the dome down, shutters closed, knees up."""
    a.move("body", z=-7.1 * amount)
    a.move("dome", z=-0.9 * amount)
    a.shutters(0.1 + 0.9 * amount)
    a.turn("eye", pitch=6.0 * amount)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        a.turn("gun_" + side, pitch=62.0 * amount)
        a.recoil(side, 1.2 * amount)
        a.turn("antenna_1_" + side, pitch=-50.0 * amount)
        a.turn("antenna_2_" + side, pitch=-20.0 * amount)
    for leg in LEGS:
        x, y, z = HOMES[leg]
        share, lift = legs[leg]
        near = on_leg(leg, (_SPREAD, ANKLE[1]))
        a.leg(leg, (x + (near[0] - x) * share, y + (near[1] - y) * share, z + lift))


def fold(a, t):
    """Sets its legs wide, three and three, sinks down between them and shuts everything."""
    amount = keyed(t, (0.5, 0.0), (1.25, 1.03), (1.4, 1.0))
    legs = {}
    for leg in LEGS:
        start = 0.06 if _late(leg) == 0.0 else 0.32
        s = min(1.0, max(0.0, (t - start) / 0.26))
        legs[leg] = (s * s * (3.0 - 2.0 * s), 3.0 * math.sin(math.pi * s) if s < 1.0 else 0.0)
    _folded(a, amount, legs)


def unfold(a, t):
    """Wakes: a blink first, then up in one go, then the legs in, three and three."""
    amount = keyed(t, (0.32, 1.0), (0.70, -0.21), (0.92, 0.06), (1.10, 0.0))
    legs = {}
    for leg in LEGS:
        start = 0.80 if _late(leg) == 0.0 else 1.06
        s = min(1.0, max(0.0, (t - start) / 0.26))
        legs[leg] = (1.0 - s * s * (3.0 - 2.0 * s), 3.0 * math.sin(math.pi * s) if s < 1.0 else 0.0)
    _folded(a, amount, legs)
    peek = pulse(t, 0.06, 0.24, 0.06)
    a.shutters(-0.5 * peek)


class Clip(clip.Clip):
    actor, springs = Actor, SPRINGS


def _steps(gait, rate):
    """Legs are identified by the suffixes of their joints' names: 1_l is the left one in front."""
    seconds = gait[LEGS[0]].seconds
    return [(round(late * seconds * rate), "footstep %d_%s" % leg)
            for late in (0.0, 0.5) for leg in LEGS if _late(leg) == late]


def _both_sets(first, second):
    return [(first if _late(leg) == 0.0 else second, "footstep %d_%s" % leg) for leg in LEGS]


CLIPS = (
    Clip("fold", 30, 42, fold, loop=False, events=_both_sets(10, 18) + [(38, "thud")]),
    Clip("idle", 30, 120, idle),
    Clip("shoot", 30, 42, shoot, events=((12, "shot left"), (20, "shot right"))),
    Clip("trot", 30, 15, trot, events=_steps(TROT, 30)),
    Clip("turn_left", 30, 27, turn_left, events=_steps(TURN_L, 30)),
    Clip("turn_right", 30, 27, turn_right, events=_steps(TURN_R, 30)),
    Clip("unfold", 30, 42, unfold, loop=False, events=_both_sets(32, 40)),
    Clip("walk", 30, 36, walk, events=_steps(WALK, 30)),
)
