"""Thimble's clips."""

import math

from kit import clip
from kit.curves import bump, caught, keyed, looped, pulse, thrown, wave
from kit.gait import Gait
from kit.maths import add, conj, mirror, mix, mul, rotate, scale, smoothstep, sub, euler, unit
from kit.rig import Pose
from kit.spring import Chain, between

from thimble_parts.skeleton import ANKLE, ANTENNA, BOLT, LEGS, azimuth, on_leg

HOMES = {leg: on_leg(leg, ANKLE) for leg in LEGS}
_UP = (0.0, 0.0, 1.0)
SPRINGS = [Chain(("antenna_1_" + side, "antenna_2_" + side),
                 ANTENNA[2] if side == "l" else mirror(ANTENNA[2]), 4.0, 0.12, 22.0)
           for side in "lr"]


class Actor:
    """A pose with controls for legs, eye and guns."""

    def __init__(self, bones):
        self.pose = Pose(bones)
        self.rotate, self.move = self.pose.rotate, self.pose.move

    def root(self, x=0.0, y=0.0, yaw=0.0):
        self.move("origin", x, y)
        self.rotate("origin", yaw=yaw)

    def shutters(self, upper, lower=None):
        """Sets the shutters of the eye: 0 open, 1 shut."""
        self.rotate("shutter_upper", pitch=40.0 * upper)
        self.rotate("shutter_lower", pitch=-40.0 * (upper if lower is None else lower))

    def recoil(self, side, progress):
        self.move("barrel_" + side, x=-progress)

    def leg(self, leg, ankle, yaw=0.0, drawn=0.0):
        """Puts an ankle at a position in model space, with the foot level and rotated by yaw. drawn:
        retraction of the shin."""
        s = self.pose.skeleton
        pair, side = leg

        def name(part):
            return "%s_%d_%s" % (part, pair, side)

        position, swing = self.pose.locate(s.index["body"])
        out = rotate(conj(swing), sub(ankle, position))
        coxa = s.position[s.index[name("coxa")]]
        base = s.position[s.index["body"]]
        swung = math.degrees(math.atan2(out[1] - coxa[1] + base[1], out[0] - coxa[0] + base[0]))
        self.rotate(name("coxa"), yaw=(swung - azimuth(leg) + 180.0) % 360.0 - 180.0)
        knee, foot = (s.position[s.index[name(part)]] for part in ("tibia", "foot"))
        self.move(name("foot"), *scale(unit(sub(knee, foot)), drawn))
        self.pose.reach(name("femur"), name("tibia"), name("foot"), ankle, _UP)
        self.pose.fix(name("foot"), euler(yaw=yaw))
        # The piston's halves point at each other. They swing in the plane of the leg, which the coxa rotates.
        ends = [s.index[name(part)] for part in ("cylinder", "rod")]
        plane = self.pose.locate(s.index[name("coxa")])[1]
        ends_now = [rotate(conj(plane), self.pose.locate(n)[0]) for n in ends]
        bind = [s.position[n] for n in ends]
        swung = mul(plane, between(unit(sub(bind[1], bind[0])), unit(sub(ends_now[1], ends_now[0]))))
        for part in ("cylinder", "rod"):
            self.pose.fix(name(part), swung)

    def stand(self):
        for leg in LEGS:
            self.leg(leg, HOMES[leg])


# --- walking


class _Stride(Gait):
    """A gait whose feet leave the floor and land on it without a jolt. Such short legs rotate by ten degrees
    if a foot moves by one unit."""

    def step(self, sign, phase_offset, t):
        phase = t / self.seconds - phase_offset
        count = math.floor(phase)
        phase -= count
        (x, y, _), heading = self._stand(sign, count, phase_offset)
        if phase < self.duty:
            return x, y, 0.0, 0.0, heading, 0.0
        s = (phase - self.duty) / (1.0 - self.duty)
        (to_x, to_y, _), to_heading = self._stand(sign, count + 1, phase_offset)
        # Between its ends, the speed is more even than with only the cubic curve.
        progress = s * s * (3.0 - 2.0 * s) + 1.5 * s * s * (1.0 - s) * (1.0 - s) * (1.0 - 2.0 * s)
        return (x + (to_x - x) * progress, y + (to_y - y) * progress, self.lift * _soft_arc(s), 0.0,
                heading + (to_heading - heading) * progress, 0.0)


def _soft_arc(s, power=1.5):
    """Returns the height of a foot in its swing: 0 at both ends with zero speed, 1 in the middle."""
    return math.sin(math.pi * s) ** power


def _gait(seconds, duty, lift, forward=0.0, yaw_rate=0.0, wide=0.0):
    """Returns a gait for each leg, with the home of the leg. wide: additional distance of the front and rear
    legs, which fold when the body passes their feet."""
    def home(leg):
        x, y, _ = on_leg(leg, (ANKLE[0] + (0.0 if leg[0] == 2 else wide), 0.0))
        return x, abs(y)

    return {leg: _Stride(seconds, home(leg), duty, lift, 0.0, 0.0, forward=forward, yaw_rate=yaw_rate,
                         out=0.0)
            for leg in LEGS}


WALK = _gait(1.2, 21.0 / 36.0, 4.0, forward=15.0)
TROT = _gait(16.0 / 30.0, 0.5, 3.4, forward=46.0, wide=1.5)
BACK = _gait(1.0, 17.0 / 30.0, 3.4, forward=-11.0)
# Arcs with the same speed and duration as WALK and TROT, so that a state machine can blend them at the same
# phase.
WALK_L, WALK_R = (_gait(1.2, 21.0 / 36.0, 3.6, forward=15.0, yaw_rate=yaw_rate) for yaw_rate in (16.0, -16.0))
TROT_L, TROT_R = (_gait(16.0 / 30.0, 0.5, 3.2, forward=46.0, yaw_rate=yaw_rate, wide=1.5)
                  for yaw_rate in (26.0, -26.0))


def _phase_offset(leg):
    """Returns the phase of a leg. Two sets of three legs alternate: front and rear of one side with the
    middle of the other."""
    return 0.0 if (leg[0] == 2) == (leg[1] == "r") else 0.5


def _move_root(a, t, gait):
    """Moves the root. The rest of the body is posed after this call and before _plant()."""
    any_leg = gait[LEGS[0]]
    x, y, heading = any_leg.root(t)
    a.root(x, y, heading)
    return t / any_leg.seconds


def _plant(a, t, gait):
    for leg in LEGS:
        x, y, z, _, yaw, _ = gait[leg].step(1.0 if leg[1] == "l" else -1.0, _phase_offset(leg), t)
        a.leg(leg, (x, y, z + ANKLE[1]), yaw)


def _walk(a, t, gait, lead=0.0):
    """Walks on three legs at a time with a level body. The eye sweeps from side to side, or looks into the
    curve."""
    phase = _move_root(a, t, gait)
    a.move("body", y=0.4 * wave(phase), z=0.75 * wave(phase, 2, 0.2))
    a.rotate("body", roll=3.0 * wave(phase, 1, 0.05) - 1.0 * lead, pitch=1.4 * wave(phase, 2, 0.3))
    a.rotate("eye", yaw=14.0 * wave(phase) * (1.0 - abs(lead)) + 20.0 * lead, pitch=2.0)
    a.shutters(0.12)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        a.rotate("gun_" + side, pitch=3.0 * wave(phase, 2, 0.4), yaw=sign * 2.0 + 6.0 * lead)
    _plant(a, t, gait)


def walk(a, t):
    _walk(a, t, WALK)


def walk_left(a, t):
    _walk(a, t, WALK_L, 1.0)


def walk_right(a, t):
    _walk(a, t, WALK_R, -1.0)


def _trot(a, t, gait, lead=0.0):
    """Trots: the body bounces and leans forward."""
    phase = _move_root(a, t, gait)
    a.move("body", z=-0.4 + 0.9 * wave(phase, 2, 0.3), y=0.3 * wave(phase))
    a.rotate("body", pitch=5.0 + 1.8 * wave(phase, 2, 0.3), roll=2.2 * wave(phase, 1, 0.05) - 2.0 * lead)
    a.move("dome", z=0.16 * wave(phase, 2, 0.45))
    a.rotate("eye", pitch=-5.0 - 1.8 * wave(phase, 2, 0.35), yaw=20.0 * lead)
    a.shutters(0.3, 0.2)
    for side in "lr":
        a.rotate("gun_" + side, pitch=-5.0 + 5.0 * wave(phase, 2, 0.5), yaw=6.0 * lead)
    _plant(a, t, gait)


def trot(a, t):
    _trot(a, t, TROT)


def trot_left(a, t):
    _trot(a, t, TROT_L, 1.0)


def trot_right(a, t):
    _trot(a, t, TROT_R, -1.0)


def _shrink(a, amount):
    """Shrinks back from a danger in front: the body is low and pitched up, the eye is wide open, the antennae
    are laid back, and the guns are raised."""
    a.move("body", x=-0.6 * amount, z=-0.9 * amount)
    a.rotate("body", pitch=-4.0 * amount)
    a.shutters(0.12 - 0.42 * amount)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        a.rotate("antenna_1_" + side, pitch=-17.0 * amount, roll=sign * 6.0 * amount)
        a.rotate("gun_" + side, pitch=-5.0 * amount, yaw=-sign * 3.0 * amount)


def back(a, t):
    """Walks backward in fear: the body shrinks back in one jerk for each step, and the eye darts between the
    dangers in front."""
    phase = _move_root(a, t, BACK)
    _shrink(a, 1.0)
    dart = looped(phase, 1.0, (0.06, -1.0), (0.42, -1.0), (0.56, 1.0), (0.92, 1.0))
    a.move("body", x=0.45 * wave(phase, 2, 0.02), y=0.5 * wave(phase), z=0.75 * wave(phase, 2, 0.2))
    a.rotate("body", pitch=1.8 * wave(phase, 2, 0.3), roll=3.2 * wave(phase, 1, 0.05), yaw=2.0 * dart)
    a.rotate("eye", yaw=13.0 * dart, pitch=1.0)
    for side in "lr":
        a.rotate("gun_" + side, pitch=2.0 * wave(phase, 2, 0.4), yaw=4.0 * dart)
        a.rotate("antenna_1_" + side, pitch=5.0 * wave(phase, 2, 0.45))
    _plant(a, t, BACK)


# --- starts, stops and turns: from standing to a gait as its first three legs land, and back


def _stepped(a, t, moves):
    """Moves the feet by one step. moves: for each set of three legs (start, end, x, yaw, from_x). From time
    `start` to `end`, a foot moves from its home plus `from_x` to its home, rotated by `yaw`, plus `x`."""
    for leg in LEGS:
        start, end, x, yaw, from_x = moves[0 if _phase_offset(leg) == 0.0 else 1]
        home = HOMES[leg]
        from_position = add(home, (from_x, 0.0, 0.0))
        to_position = add(rotate(euler(yaw=yaw), home), (x, 0.0, 0.0))
        s = min(1.0, max(0.0, (t - start) / (end - start)))
        progress = smoothstep(0.0, 1.0, s)
        a.leg(leg, add(mix(from_position, to_position, progress), (0.0, 0.0, 2.5 * _soft_arc(s, 1.2))),
              progress * yaw)


def _start(a, t, gait, seconds, shrinks=0.0):
    """Starts a gait: leans in the opposite direction, then begins to walk. The second set of three legs steps
    first; the first set lands when the gait begins. shrinks: how far Thimble shrinks back at the end, 0 to
    1."""
    gait, begin = gait[LEGS[0]], 0.12 * seconds
    progress = 0.5 * gait.forward * (seconds - begin)
    a.root(progress * thrown(t, begin, seconds, 2.0))
    sign = math.copysign(1.0, gait.forward)
    lean = keyed(t, (0.0, 0.0), (0.3 * seconds, 1.0), (0.75 * seconds, -0.6), (seconds, 0.0))
    a.move("body", z=-1.5 * lean, x=-1.4 * sign * lean)
    a.rotate("body", pitch=-5.0 * sign * lean)
    a.rotate("eye", pitch=4.5 * sign * lean)
    _shrink(a, shrinks * keyed(t, (0.04, 0.0), (0.5 * seconds, 1.15), (seconds, 1.0)))
    for side in "lr":
        a.rotate("gun_" + side, pitch=7.0 * lean)
        a.rotate("antenna_1_" + side, pitch=-12.0 * sign * lean)
    ahead = [gait.forward * gait.seconds * (0.5 * gait.duty - phase_offset) for phase_offset in (0.0, 0.5)]
    _stepped(a, t, ((0.60 * seconds, seconds, progress + ahead[0], 0.0, 0.0),
                    (0.08 * seconds, 0.5 * seconds, progress + ahead[1], 0.0, 0.0)))


def _stop(a, t, gait, phase_offset, shrinks=0.0):
    """Stops a gait: the legs that have just landed remain, and the other legs take one step. The body
    continues to move, dips, and swings back. shrinks: how far Thimble has shrunk back at the beginning, 0 to
    1. If it is > 0, the eye looks left and right for the danger."""
    gait = gait[LEGS[0]]
    progress = 0.5 * gait.forward * gait.seconds * gait.duty
    seconds = gait.seconds * gait.duty
    a.root(progress * caught(t, 0.0, seconds, 2.0))
    sign = math.copysign(1.0, gait.forward)
    nod = keyed(t, (0.0, 0.0), (0.65 * seconds, 1.0), (1.1 * seconds, -0.4), (1.38 * seconds, 0.0))
    nod *= 1.0 - 0.45 * shrinks     # the rear legs are already bent
    a.move("body", z=-1.1 * nod, x=1.4 * sign * nod)
    a.rotate("body", pitch=5.0 * sign * nod)
    dart = shrinks * keyed(t, (0.0, 0.0), (0.12, -1.0), (0.22, -1.0), (0.32, 1.2), (0.52, 1.2), (0.70, 0.0))
    a.rotate("eye", pitch=-5.0 * sign * nod, yaw=13.0 * dart)
    _shrink(a, shrinks * keyed(t, (0.0, 1.0), (0.55 * seconds, 0.75), (1.38 * seconds, 0.0)))
    # The antennae continue to move, and swing back after the body.
    onward = keyed(t - 0.06, (0.0, 0.0), (0.65 * seconds, 1.0), (1.1 * seconds, -0.4), (1.28 * seconds, 0.0))
    for side in "lr":
        a.rotate("gun_" + side, pitch=-6.0 * nod)
        a.rotate("antenna_1_" + side, pitch=14.0 * sign * onward)
    stands = (2.0, 3.0, progress, 0.0, progress)
    steps = (0.1 * gait.seconds, 0.48 * gait.seconds, progress, 0.0,
             gait.forward * gait.seconds * (0.5 * gait.duty - 0.5))
    _stepped(a, t, (stands, steps) if phase_offset == 0.0 else (steps, stands))


def walk_start(a, t):
    _start(a, t, WALK, 0.8)


def walk_stop_left(a, t):
    _stop(a, t, WALK, 0.0)


def walk_stop_right(a, t):
    _stop(a, t, WALK, 0.5)


def back_start(a, t):
    _start(a, t, BACK, 0.7, 1.0)


def back_stop(a, t):
    _stop(a, t, BACK, 0.0, 1.0)


_TURN = 27.0            # degrees, in 0.9 s


def _turning(a, t, sign):
    """Turns on the spot in two steps, from standing to standing. The eye leads."""
    s = t / 0.9
    a.root(yaw=sign * _TURN * (0.3 * s + 0.7 * smoothstep(0.0, 1.0, s)))
    # The body rises in each step and leans over the three legs that stand: first two right legs and a left
    # leg, then the reverse.
    lead = keyed(s, (0.0, 0.0), (0.16, -0.35), (0.55, 1.0), (1.0, 0.0))
    weight = pulse(s, 0.02, 0.52, 0.16) - pulse(s, 0.42, 0.96, 0.16)
    a.move("body", y=-0.5 * weight, z=0.9 * wave(s, 2, 0.1) * math.sin(math.pi * s))
    a.rotate("body", yaw=sign * 2.2 * lead, roll=-sign * 2.0 * math.sin(math.pi * s) + 2.5 * weight,
             pitch=1.6 * wave(s, 2, 0.2) * math.sin(math.pi * s))
    a.rotate("eye", yaw=sign * 24.0 * bump(s, 0.0, 0.9, 0.35))
    a.shutters(0.1)
    first, second = (0.05, 0.40, 0.0, sign * _TURN, 0.0), (0.45, 0.80, 0.0, sign * _TURN, 0.0)
    _stepped(a, t, (first, second))


def turn_left(a, t):
    _turning(a, t, 1.0)


def turn_right(a, t):
    _turning(a, t, -1.0)


# --- on the spot


def idle(a, t):
    """Hums and looks around with a jerk. Then it notices something on its left front foot, bends down to
    look, shakes the foot, looks again, puts it down and sighs."""
    phase = t / 4.0
    look = bump(phase, 0.04, 0.27, 0.06)
    stoop = bump(phase, 0.31, 0.83, 0.09)
    lifted = bump(phase, 0.39, 0.77, 0.07)
    shake = bump(phase, 0.50, 0.67, 0.04)
    sigh = bump(phase, 0.77, 0.99, 0.08)
    aside = shake * math.sin(2.0 * math.pi * 16.0 * (phase - 0.50))
    a.move("body", x=0.3 * wave(phase) - 1.2 * lifted, y=0.9 * stoop - 2.6 * lifted - 1.2 * look,
           z=0.4 * wave(phase, 2) + 0.9 * look - 1.5 * sigh)
    a.rotate("body", pitch=0.8 * wave(phase, 1, 0.2) + 5.0 * stoop - 3.0 * lifted + 2.0 * sigh,
             roll=-3.5 * look - 2.0 * stoop + 6.0 * lifted + 0.9 * aside, yaw=-8.0 * look + 9.5 * stoop)
    # The eye moves before the body. It looks at the foot from the time at which the foot lifts.
    yaw = looped(phase, 1.0, (0.02, 0.0), (0.06, -26.0), (0.24, -26.0), (0.29, 20.0), (0.72, 23.0),
                 (0.80, 0.0))
    a.rotate("eye", yaw=yaw, pitch=13.0 * stoop - 3.0 * shake + 3.0 * sigh)
    half = 0.30 * shake + 0.42 * sigh - 0.28 * bump(phase, 0.30, 0.50, 0.04)
    a.shutters(0.1 + half, 0.1 + half * (1.0 - 0.7 * sigh))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        a.rotate("gun_" + side, pitch=-9.0 * look + 9.0 * sigh - 6.0 * lifted + 2.0 * sign * aside,
                 yaw=0.25 * yaw)
        # The antennae point at the foot, and hang during the sigh.
        a.rotate("antenna_1_" + side, pitch=20.0 * bump(phase, 0.33, 0.54, 0.06) - 14.0 * shake + 24.0 * sigh,
                 roll=sign * (6.0 * look - 5.0 * lifted))
    a.rotate("dome", yaw=0.25 * yaw)
    a.move("dome", z=0.3 * look - 0.45 * sigh)
    for leg in LEGS:
        x, y, z = HOMES[leg]
        high = lifted if leg == (1, "l") else 0.0
        rattle = aside if leg == (1, "l") else 0.0
        away = high * high     # a foot moves sideways only above the floor
        a.leg(leg, (x + 2.6 * away + 0.7 * rattle, y - 1.5 * away - 0.9 * rattle, z + 6.5 * high))


# Closing of the shutters, by frames.
_BLINK = (0.1, 0.8, 1.0, 1.0, 0.6, 0.1)


def blink(a, t):
    """Closes and opens both shutters, for a separate layer."""
    a.shutters(_BLINK[round(30.0 * t)])
    for leg in LEGS:
        a.leg(leg, HOMES[leg])


def alert(a, t):
    """Watches on its toes with raised antennae and guns. The wide open eye darts around. The body follows the
    eye, and shrinks back from the danger."""
    phase = t / 2.0
    turned = looped(phase, 1.0, (0.04, 0.0), (0.22, 0.0), (0.36, 1.0), (0.46, 1.0), (0.60, -1.0),
                    (0.72, -1.0), (0.88, 0.0))
    wary = bump(phase, 0.22, 0.42, 0.07) + bump(phase, 0.46, 0.68, 0.07)
    a.move("body", z=3.2 + 0.15 * wave(phase, 4) - 2.6 * wary, x=-0.7 - 2.1 * wary, y=1.6 * turned)
    a.rotate("body", pitch=-3.0 - 4.5 * wary, roll=0.4 * wave(phase, 4, 0.3) + 3.5 * turned, yaw=8.5 * turned)
    a.move("dome", z=0.45 - 0.55 * wary)
    dart = looped(phase, 1.0, (0.02, 0.0), (0.20, 0.0), (0.24, 20.0), (0.44, 20.0), (0.48, -20.0),
                  (0.70, -20.0), (0.75, 0.0))
    a.rotate("eye", yaw=dart, pitch=2.0 + 3.0 * wary)
    a.shutters(-0.35)
    for side, sign in (("l", 1.0), ("r", -1.0)):
        # The gun on the side of the danger aims, the other gun remains down; the antennae lie back.
        aims = max(0.0, sign * turned)
        a.rotate("gun_" + side, pitch=-7.0 + 1.0 * wave(phase, 4, 0.1) + 5.0 * wary - 9.0 * aims,
                 yaw=0.45 * dart)
        a.rotate("antenna_1_" + side, pitch=14.0 - 34.0 * wary,
                 roll=sign * (4.0 + 3.0 * wave(phase, 8) + 5.0 * wary))
    # Thimble draws back the front foot on the side of the danger, and puts it down again in small steps.
    drawn = {(1, "l"): bump(phase, 0.19, 0.46, 0.12), (1, "r"): bump(phase, 0.45, 0.73, 0.12)}
    for leg in LEGS:
        x, y, z = HOMES[leg]
        back = drawn.get(leg, 0.0)
        feels = 0.5 * back * (1.0 + wave(phase, 6, 0.06))
        away = back * back     # a foot moves sideways only above the floor
        a.leg(leg, (x - 3.0 * away, y * (1.0 - 0.10 * away), z + 4.6 * back + 1.2 * feels))


def beg(a, t):
    """Rears up with a wide eye, paws the air with its front feet, then steps from one foot to the other."""
    phase = t / 2.0
    up = bump(phase, 0.08, 0.60, 0.14)
    a.move("body", x=-1.2 * up, z=-0.3 - 0.8 * wave(phase, 2, 0.1), y=0.8 * wave(phase))
    a.rotate("body", pitch=-4.0 + 1.5 * wave(phase, 4) - 5.0 * up, roll=4.5 * wave(phase, 1, 0.05))
    a.move("dome", z=-0.2 * wave(phase, 2, 0.2))
    a.rotate("eye", pitch=-7.0)
    a.shutters(-0.3 + 1.3 * max(bump(phase, at, at + 0.07, 0.028) for at in (0.44, 0.54)))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        a.rotate("gun_" + side, pitch=4.0 - 4.0 * sign * wave(phase, 2, 0.1))
        a.rotate("antenna_1_" + side, pitch=10.0 + 7.0 * wave(phase, 4, 0.1), roll=3.0 * sign)
    for leg in LEGS:
        x, y, z = HOMES[leg]
        if leg[0] == 1:
            delay = 0.0 if leg[1] == "l" else 0.25
            tread = bump(phase, 0.62 + 0.8 * delay, 0.78 + 0.8 * delay, 0.08)
            x += -0.6 * tread * tread - 0.5 * up * up
            y *= 1.0 - 0.08 * up * up
            z += 4.0 * tread + up * up * (6.5 + 1.3 * wave(phase, 4, delay))
        a.leg(leg, (x, y, z))


def purr(a, t):
    """Is patted: with half-shut shutters the body sways, vibrates and sinks between the legs; the feet knead,
    and the antennae droop."""
    phase = t / 2.0
    rumble = 0.10 * wave(phase, 16)
    # In the first half a hand pats the dome, which sways below it. Then the body sinks.
    melt = bump(phase, 0.46, 0.98, 0.15)
    sways = bump(phase, 0.04, 0.98, 0.10)
    a.move("body", z=0.5 * wave(phase) + rumble - 2.0 * melt,
           y=0.4 * wave(phase) + 1.0 * sways * wave(phase, 2))
    a.rotate("body", pitch=1.0 * wave(phase, 1, 0.1) + 2.0 * melt, yaw=2.0 * wave(phase),
             roll=2.0 * wave(phase) + 3.5 * sways * wave(phase, 2, 0.05))
    a.rotate("eye", pitch=-3.0)
    # Each pat shuts the eye a little more.
    shut = max(bump(phase, at, at + 0.15, 0.05) for at in (0.0, 0.18, 0.36))
    # The eye remains nearly shut, because an open eye over a sinking body would show alarm.
    calm = bump(phase, 0.28, 0.90, 0.14)
    a.shutters(max(0.62 + 0.16 * wave(phase, 1, 0.2) + 0.14 * shut, 0.84 * calm),
               max(0.45 + 0.10 * wave(phase, 1, 0.2) + 0.12 * shut, 0.62 * calm))
    for side, sign, delay in (("l", 1.0, 0.0), ("r", -1.0, 0.06)):
        a.rotate("gun_" + side, pitch=9.0 + 2.0 * wave(phase, 1, 0.3))
        # From the first pat on, the antennae sink back and to the sides, out of the way of the hand, and then
        # hang.
        sink = looped(phase - delay, 1.0, (0.03, 0.0), (0.22, 0.42), (0.42, 0.52), (0.62, 1.0), (0.80, 1.0),
                      (0.93, 0.0))
        hang = max(0.0, 2.0 * sink - 1.0)
        a.rotate("antenna_1_" + side, pitch=-14.0 + 14.0 * sink + 24.0 * hang + 3.0 * wave(phase, 1, 0.2),
                 roll=sign * (9.0 - 47.0 * sink) + (2.0 + 4.0 * hang) * wave(phase, 2, 0.15))
        a.rotate("antenna_2_" + side, pitch=10.0 * hang, roll=-sign * 34.0 * sink)
    # The front feet knead, like a cat's paws.
    for leg in LEGS:
        x, y, z = HOMES[leg]
        tread = max(0.0, wave(phase, 4, 0.0 if leg[1] == "l" else 0.5)) ** 2 if leg[0] == 1 else 0.0
        a.leg(leg, (x - 0.5 * tread * tread, y, z + (1.2 + 1.4 * melt) * tread))


_FIRE = (0.4, 0.4 + 12.0 / 30.0)  # seconds of the left and the right shot
_SPEED, _FLIGHT = 220.0, 7.0 / 30.0
_GLOW = 4.0 / 30.0                # duration of the glow at the muzzle before a shot


def _brace(a, t):
    """Poses shoot() without its shots."""
    brace = keyed(t, (0.0, 0.0), (0.22, 1.0), (1.08, 1.0), (1.43, 0.0))
    kicks = [keyed(t - at, (0.0, 0.0), (0.035, 1.0), (0.10, 0.8), (0.30, 0.0)) for at in _FIRE]
    # The recoil moves a barrel back within one frame, and soon afterwards the body on its six legs. Both are
    # forward again before the next shot.
    left, right = (keyed(t - at, (0.0, 0.0), (0.14, 1.0), (0.20, 1.0), (0.38, -0.10), (0.48, 0.0))
                   for at in _FIRE)
    both = left + right
    a.move("body", x=-0.6 * brace - 3.6 * both, z=-2.2 * brace + 1.4 * both, y=0.9 * (right - left))
    a.rotate("body", pitch=3.0 * brace - 13.0 * both, yaw=3.0 * (right - left), roll=2.0 * (right - left))
    a.rotate("eye", pitch=-2.0 * brace + 4.0 * both)
    a.shutters(0.45 * brace + 0.4 * max(kicks), 0.35 * brace + 0.4 * max(kicks))
    for side, kick in zip("lr", kicks):
        a.rotate("gun_" + side, pitch=-3.0 * brace - 8.0 * kick)
        a.recoil(side, 2.6 * kick)
        # The antennae lag behind, and are whipped back.
        a.rotate("antenna_1_" + side, pitch=12.0 * brace + 8.0 * both)
    a.move("dome", z=-0.5 * brace + 0.5 * max(kicks))


def _muzzle(bones, side, t):
    """Returns position and direction of a muzzle."""
    shooter = Actor(bones)
    _brace(shooter, t)
    position, swing = shooter.pose.locate(bones.index["barrel_" + side])
    ahead = rotate(swing, (1.0, 0.0, 0.0))
    return add(position, scale(ahead, 5.0)), ahead


def _fly(a, t):
    """Poses the bolt of both shots. It first glows at the left, then at the right muzzle, the second time
    brighter. After each glow it flies away as a spindle that shrinks in the distance. It moves to the next
    muzzle between two frames, while its corners are at one point and it is invisible."""
    middle = {name: (0.0, 0.0, 11.0) for name in BOLT}
    since_hit = t - _FIRE[-1] - _FLIGHT
    if since_hit > 1.5 / 30.0 or t < _FIRE[0] - _GLOW - 1.5 / 30.0:
        return
    for side, at in zip("lr", _FIRE):
        gone = t - at
        if -_GLOW - 1e-6 < gone < 0.5 / 30.0:
            start, ahead = _muzzle(a.pose.skeleton, side, t)
            size = (2.6 if side == "l" else 3.4) * smoothstep(-_GLOW, 0.0, gone)
            middle = {name: add(start, scale(ahead, size)) for name in BOLT}
            middle["bolt_tail"] = sub(start, scale(ahead, 0.5 * size))
            for n in range(4):
                angle = 0.5 * math.pi * n
                around = (0.0, 0.8 * size * math.cos(angle), 0.8 * size * math.sin(angle))
                middle["bolt_%d" % (n + 1)] = add(start, around)
        elif 0.0 < gone < _FLIGHT + 1e-6:
            start, ahead = _muzzle(a.pose.skeleton, side, at - 0.5 / 30.0)
            far = add(start, scale(ahead, _SPEED * gone))
            long = 16.0 * smoothstep(0.0, 0.03, gone) * smoothstep(_FLIGHT, _FLIGHT - 0.07, gone)
            wide = (0.9 + 1.3 * smoothstep(0.08, 0.033, gone)) * min(1.0, 0.1 * long)
            middle = {name: far for name in BOLT}
            middle["bolt_tail"] = sub(far, scale(ahead, long * min(1.0, gone / 0.066)))
            for n in range(4):
                angle = 0.5 * math.pi * n
                around = (0.0, wide * math.cos(angle), wide * math.sin(angle))
                middle["bolt_%d" % (n + 1)] = add(sub(far, scale(ahead, 0.3 * long)), around)
    for name, at in BOLT.items():
        a.move(name, *sub(middle[name], at))


def shoot(a, t):
    """Braces the legs, fires left and right, and returns to standing."""
    _brace(a, t)
    _fly(a, t)
    for leg in LEGS:
        x, y, z = HOMES[leg]
        # The front feet step outwards before the shots, one after the other, and back afterwards.
        delayed_t = t - (0.05 if leg[1] == "r" else 0.0)
        wide = keyed(delayed_t, (0.05, 0.0), (0.20, 1.0), (1.17, 1.0), (1.39, 0.0)) if leg[0] == 1 else 0.0
        up = 0.0
        if leg[0] == 1:
            up = max(pulse(delayed_t, 0.02, 0.23, 0.1), pulse(delayed_t, 1.14, 1.42, 0.12))
        # Each shot throws the front foot of its side up and back.
        kick = 0.0
        if leg[0] == 1:
            kick = pulse(t - _FIRE["lr".index(leg[1])], 0.0, 0.30, 0.12)
        a.leg(leg, (x + 1.6 * wide - 1.6 * kick ** 3, y * (1.0 + 0.14 * wide), z + 1.8 * up + 2.6 * kick))


# Folded to a ball: position of an ankle on its leg, and the descent of the body to the floor. Shins are
# retracted by _DRAWN, because a shin is longer than the height of the body.
_TUCKED, _SUNK, _DRAWN = (13.5, 17.0), -7.0, 11.0


def _folded(a, amount, flat, legs):
    """Poses Thimble folded into a ball: thighs up next to the dome, shins and feet in front of the thighs,
    shutters closed. flat: 1 if the antennae lie along the dome. legs: how far each leg is folded."""
    a.move("body", z=_SUNK * amount)
    a.move("dome", z=-0.9 * amount)
    a.shutters(0.1 + 0.9 * amount)
    a.rotate("eye", pitch=6.0 * amount)
    for side in "lr":
        a.rotate("gun_" + side, pitch=62.0 * amount)
        a.recoil(side, 1.2 * amount)
        a.rotate("antenna_1_" + side, pitch=102.0 * flat)
        a.rotate("antenna_2_" + side, pitch=36.0 * flat)
    for leg in LEGS:
        # A foot moves up before it moves inwards.
        x, y, z = HOMES[leg]
        up, progress = smoothstep(0.0, 0.85, legs[leg]), smoothstep(0.15, 1.0, legs[leg])
        to_x, to_y, to_z = on_leg(leg, _TUCKED)
        a.leg(leg, (x + (to_x - x) * progress, y + (to_y - y) * progress,
                    z + (to_z + _SUNK * amount - z) * up),
              drawn=_DRAWN * progress)


def fold(a, t):
    """Rises a little, draws in three legs, then the other legs, so that the body drops onto the floor, and
    closes the shutters."""
    amount = keyed(t, (0.0, 0.0), (0.34, -0.16), (0.50, -0.13), (0.86, 1.02), (0.98, 0.93), (1.12, 1.0))
    flat = keyed(t, (0.20, 0.0), (0.44, -0.12), (0.96, 1.03), (1.12, 1.0))
    starts = {leg: 0.08 if _phase_offset(leg) == 0.0 else 0.46 for leg in LEGS}
    _folded(a, amount, flat, {leg: (t - starts[leg]) / 0.36 for leg in LEGS})


def unfold(a, t):
    """Wakes up: blinks first, stretches out the legs in two sets of three, rises in one movement and
    overshoots, and raises the antennae."""
    amount = keyed(t, (0.20, 1.0), (0.52, 1.02), (0.86, -0.215), (1.10, 0.06), (1.28, 0.0))
    flat = keyed(t, (0.56, 1.0), (0.92, -0.22), (1.14, 0.08), (1.32, 0.0))
    starts = {leg: 0.16 if _phase_offset(leg) == 0.0 else 0.30 for leg in LEGS}
    _folded(a, amount, flat, {leg: 1.0 - (t - starts[leg]) / 0.36 for leg in LEGS})
    peek = pulse(t, 0.06, 0.24, 0.06)
    a.shutters(-0.5 * peek)


class Clip(clip.Clip):
    actor, springs = Actor, SPRINGS


def _steps(gait, rate):
    """Yields footstep events (frame, text). A leg is identified by the suffix of its joints' names: 1_l is
    the left front leg."""
    seconds = gait[LEGS[0]].seconds
    return [(round(phase_offset * seconds * rate), "footstep %d_%s" % leg)
            for phase_offset in (0.0, 0.5) for leg in LEGS if _phase_offset(leg) == phase_offset]


def _both_sets(first, second):
    return [(first if _phase_offset(leg) == 0.0 else second, "footstep %d_%s" % leg) for leg in LEGS]


def _three_feet(frame, phase_offset):
    return [(frame, "footstep %d_%s" % leg) for leg in LEGS if _phase_offset(leg) == phase_offset]


CLIPS = (
    Clip("alert", 30, 60, alert),
    Clip("back", 30, 30, back, events=_steps(BACK, 30)),
    Clip("back_start", 30, 21, back_start, loop=False, events=_both_sets(21, 11)),
    Clip("back_stop", 30, 24, back_stop, loop=False, events=_three_feet(15, 0.5)),
    Clip("beg", 30, 60, beg),
    Clip("blink", 30, 5, blink, loop=False),
    Clip("fold", 30, 42, fold, loop=False, leaves=True, events=((26, "thud"),)),
    Clip("idle", 30, 120, idle),
    Clip("purr", 30, 60, purr),
    Clip("shoot", 30, 46, shoot, events=((12, "shot left"), (24, "shot right"))),
    Clip("trot", 30, 16, trot, events=_steps(TROT, 30)),
    Clip("trot_left", 30, 16, trot_left, events=_steps(TROT, 30)),
    Clip("trot_right", 30, 16, trot_right, events=_steps(TROT, 30)),
    Clip("turn_left", 30, 27, turn_left, events=_both_sets(12, 24)),
    Clip("turn_right", 30, 27, turn_right, events=_both_sets(12, 24)),
    Clip("unfold", 30, 42, unfold, loop=False, leaves=True, events=_both_sets(16, 20)),
    Clip("walk", 30, 36, walk, events=_steps(WALK, 30)),
    Clip("walk_left", 30, 36, walk_left, events=_steps(WALK, 30)),
    Clip("walk_right", 30, 36, walk_right, events=_steps(WALK, 30)),
    Clip("walk_start", 30, 24, walk_start, loop=False, events=_both_sets(24, 12)),
    Clip("walk_stop_left", 30, 29, walk_stop_left, loop=False, events=_three_feet(18, 0.5)),
    Clip("walk_stop_right", 30, 29, walk_stop_right, loop=False, events=_three_feet(18, 0.0)),
)
