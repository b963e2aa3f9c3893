"""Clips that begin or end on both feet, for a character that a player steers: turning on the spot, starting
to walk, stopping, skidding to a stop, and leaping while running. The positions of planted feet match, so that
a transition from one of these clips to a matching clip moves no foot on the floor."""

import math

from kit.curves import arch, bump, keyed, pulse, smootherstep, thrown, wave
from kit.footing import Footing
from kit.maths import blend, mix, rotate, euler

from bobbin_parts import leaps
from bobbin_parts.actor import BALL, SIDES, Actor
from bobbin_parts.walking import BACKWARD, RUN, WALK, backward, run, walk

TURN_SECONDS, TURN_DEGREES = 0.6, 45.0
START_SECONDS, STOP_SECONDS, SETTLED_SECONDS = 0.6, 0.5, 0.7
SKID_SECONDS, SKID_ENDS = 0.4, 0.9
LEAP_SECONDS = 0.75
RUN_START_SECONDS, SLOW_SECONDS, STUMBLE_SECONDS, SLIP_SECONDS = 0.75, 0.8, 1.6, 1.5


def _stance(a, t=0.0):
    a.neutral_stance(t)
    a.mouth(0.16)


def _between(a, first_act, second_act, fraction):
    """Blends all joints except feet between two poses, each posed by a function of an actor."""
    first, second = Actor(a.pose.skeleton), Actor(a.pose.skeleton)
    first_act(first)
    second_act(second)
    root = a.pose.skeleton.index["origin"]
    for n, (p, q) in enumerate(zip(first.pose.rotations, second.pose.rotations)):
        if n != root:
            a.pose.rotations[n] = blend(p, q, fraction)
            a.pose.moves[n] = mix(first.pose.moves[n], second.pose.moves[n], fraction)


def _eased(s):
    return s * s * (3.0 - 2.0 * s)


# --- turning on the spot


def _turning(a, t, sign):
    """Turns on the spot in two steps, from standing to standing. The eyes move first, then head, chest and
    hips, and the tail last."""
    s = t / TURN_SECONDS
    heading = sign * TURN_DEGREES * (0.65 * s + 0.35 * _eased(s))
    lead, follow = ("l", "r") if sign > 0.0 else ("r", "l")
    weight = sign * (bump(s, 0.547, 0.975, 0.192) - bump(s, 0.0, 0.497, 0.228))
    ahead, swing = math.sin(math.pi * s) ** 2, wave(s) * math.sin(math.pi * s)
    a.root(yaw=heading)
    _stance(a)
    # The leg that lands last bends a little.
    a.move("hips", y=1.5 * weight, z=-0.5 * ahead + 0.5 * wave(s, 2, 0.36) * ahead
           - 0.4 * pulse(s, 0.755, 1.0, 0.119))
    a.rotate("hips", roll=3.5 * weight, yaw=4.0 * sign * ahead)
    a.bend(yaw=9.0 * sign * ahead, roll=-5.0 * weight - 3.0 * sign * ahead)
    a.nod(yaw=17.0 * sign * ahead, roll=-3.0 * sign * ahead)
    a.look(14.0 * sign * ahead)
    a.brows(0.3 * ahead)
    # The arms swing against the steps.
    for side, foot_sign in SIDES:
        a.arm(side, roll=7.0 * ahead, bend=14.0 * ahead, pitch=-16.0 * foot_sign * sign * swing)
    a.tail_pose(side=-20.0 * sign * ahead)
    # The first step is larger. The second step only brings the other foot to the same direction.
    for side, start, end, much in ((lead, 0.015, 0.511, 1.0), (follow, 0.53, 0.965, 0.67)):
        foot_sign = 1.0 if side == "l" else -1.0
        move = (s - start) / (end - start)
        progress, up = smootherstep(move), arch(move, 2.03, 1.93)
        yaw = sign * TURN_DEGREES * progress
        x, y, _ = rotate(euler(yaw=yaw), (BALL[0], BALL[1] * foot_sign, 0.0))
        a.foot(side, x, y, 2.5 * much * up, 8.5 * much * up, yaw, 0.5)


def turn_left(a, t):
    _turning(a, t, 1.0)


def turn_right(a, t):
    _turning(a, t, -1.0)


def turn_events(sign):
    lead, follow = ("left", "right") if sign > 0.0 else ("right", "left")
    return ((9, "footstep " + lead), (17, "footstep " + follow))


# --- starting and stopping to walk


class _Change:
    """The change from standing to a gait and back. left, right: positions of the feet at phase 0, when the
    left foot lands and the root is at x = 0. act: poses the gait. start: seconds from standing to the
    landing; stop: seconds until the root stands still, after which the body settles. heel: pitch of the foot
    that leaves the floor first, as keys (fraction of the clip, degrees). shift: fraction of the clip after
    which the weight is on the right foot. lean: how far the trunk leans forward at the start, degrees. dip:
    how far the hips sink at the end. balance: how strongly knee, arms, head and tail react to the shift of
    the weight at the start, 0 to 1. glance: 1 if the gait looks over the left shoulder: eyes and head then
    move before the body; otherwise 0."""

    def __init__(self, gait, act, start, stop, heel, shift, lean, dip, balance, glance=0.0):
        self.gait, self.act, self.start, self.stop = gait, act, start, stop
        self.heel, self.shift, self.lean, self.dip = heel, shift, lean, dip
        self.balance, self.glance = balance, glance
        self.left, self.right = gait.step(1.0, 0.0, 0.0), gait.step(-1.0, 0.5, 0.0)
        # Change of the pitch of the right foot, in degrees per second.
        self.roll_speed = (gait.step(-1.0, 0.5, 0.001)[3] - self.right[3]) / 0.001


_AHEAD = _Change(WALK, walk, START_SECONDS, STOP_SECONDS, ((0.0, 0.0), (0.33, 23.0), (0.46, 31.0)),
                 0.21, 5.0, 1.3, 1.0)
_BACK = _Change(BACKWARD, backward, 0.5, STOP_SECONDS, ((0.08, 0.0), (0.48, 18.0)), 0.38, -5.0, 1.0, 0.8,
                1.0)


def _hermite(s, end, slope):
    """Returns a cubic curve: 0 with slope 0 at s = 0, and `end` with the given slope at s = 1."""
    return (3.0 * end - slope) * s * s + (slope - 2.0 * end) * s * s * s


def _balance(a, s, weight, amount):
    """Shows the shift of the weight to the right foot: the right knee bends and stretches again, the left hip
    drops, the left arm moves outwards, and the tail moves to the left. The arms first swing in the direction
    opposite to their first swing in the gait."""
    sunk, out = amount * pulse(s, 0.0, 0.60, 0.28), amount * pulse(s, 0.06, 0.72, 0.24)
    a.move("hips", y=-0.3 * amount * weight, z=-0.5 * sunk)
    a.rotate("hips", roll=-1.8 * amount * weight)
    a.bend(roll=1.5 * amount * weight, pitch=2.0 * sunk)
    a.nod(roll=-3.5 * amount * weight, pitch=-2.0 * sunk)
    a.arm("l", roll=13.0 * out, pitch=-9.0 * sunk, bend=10.0 * out)
    a.arm("r", roll=4.0 * out, pitch=11.0 * sunk, bend=4.0 * out)
    a.tail_pose(side=18.0 * out)


def _start(a, t, change):
    """Starts a gait: from standing until the left foot lands."""
    s, gait, left, right = t / change.start, change.gait, change.left, change.right
    # The right foot does not move. Therefore its position determines the position of the gait's root at the
    # end.
    x_end, y_end = BALL[0] - right[0], -BALL[1] - right[1]
    a.root(_hermite(s, x_end, gait.forward * change.start), y_end * _eased(s))
    _between(a, _stance, lambda b: change.act(b, t - change.start), _eased(s))
    # The weight moves over the right foot while the left heel rises, and then to the left foot.
    weight = keyed(s, (0.0, 0.0), (change.shift, 1.0), (change.shift + 0.12, 0.96), (0.92, 0.0))
    a.move("hips", x=0.7 * weight, y=-2.3 * weight, z=-0.35 * weight)
    a.rotate("hips", roll=-3.0 * weight)
    a.bend(pitch=4.0 * weight, roll=4.0 * weight)
    _balance(a, s, weight, change.balance)
    # The trunk falls forward before the foot catches it. The head remains level.
    lean = change.lean * arch((s - 0.1) / 0.9, 2.4, 2.0)
    a.rotate("hips", pitch=0.35 * lean)
    a.bend(pitch=lean)
    a.nod(pitch=-0.8 * lean)
    # The eyes move first, then the head. Ears and brows rise.
    eyes, head = (change.glance * keyed(s - by, (0.0, 0.0), (0.22, 1.0), (0.36, 0.8), (0.9, 0.0))
                  for by in (0.0, 0.1))
    a.look(15.0 * eyes - 6.0 * head)
    a.nod(yaw=13.0 * head, roll=-3.0 * head)
    a.brows(0.6 * eyes)
    a.ears(12.0 * head)
    # The left foot swings from its position in the stance to its first position in the gait.
    move = min(1.0, max(0.0, (s - 0.24) / 0.76))
    progress, up = smootherstep(move), arch(move, 1.5, 1.2)
    a.foot("l", BALL[0] + (x_end + left[0] - BALL[0]) * progress,
           BALL[1] + (y_end + left[1] - BALL[1]) * progress, gait.lift * up,
           keyed(s, *change.heel, (0.75, 0.0), (1.0, left[3])), left[4] * progress, 0.6)
    # The right heel rises until it has the angular velocity of the gait.
    roll = _hermite(max(0.0, s - 0.5) / 0.5, right[3], change.roll_speed * 0.5 * change.start)
    a.foot("r", BALL[0], -BALL[1], 0.0, roll, right[4] * _eased(s))


def walk_start(a, t):
    _start(a, t, _AHEAD)


def back_start(a, t):
    _start(a, t, _BACK)


def _stop(a, t, change, sign):
    """Stops a gait: from the landing of a foot (left if sign is 1) until Bobbin stands with both feet next to
    each other. The root halts within `change.stop` seconds, and the body settles until SETTLED_SECONDS."""
    s, gait, left, right = min(1.0, t / change.stop), change.gait, change.left, change.right
    front, rear = ("l", "r") if sign > 0.0 else ("r", "l")
    phase_offset = 0.0 if sign > 0.0 else 0.5
    x_end, y_end = left[0] - BALL[0], sign * (left[1] - BALL[1])
    a.root(x_end - _hermite(1.0 - s, x_end, gait.forward * change.stop), y_end * _eased(s))
    _between(a, lambda b: change.act(b, phase_offset * gait.seconds + 0.6 * t), _stance, _eased(s))
    # The knees catch the weight at frame 9. At frame 14 the body is up again, a little higher than in the
    # stance. Each part comes to rest after the part below it.
    sink = keyed(t, (0.0, 0.0), (0.30, 1.0), (0.50, -0.22), (SETTLED_SECONDS, 0.0))
    a.move("hips", z=-change.dip * sink, x=-0.4 * sink)
    a.stretch(-1.1 * keyed(t, (0.02, 0.0), (0.31, 1.0), (0.52, -0.35), (SETTLED_SECONDS, 0.0)))
    a.bend(pitch=-3.0 * sink)
    # The weight stays over the front foot until the other foot has landed, and then sways past the middle.
    sway = keyed(t, (0.0, 0.0), (0.27, 1.0), (0.53, -0.35), (SETTLED_SECONDS, 0.0))
    a.move("hips", y=0.7 * sign * sway)
    a.bend(roll=-2.0 * sign * sway)
    # The head continues in the direction of the gait, and overshoots a little when it comes back. The arms
    # spread.
    onward = keyed(t, (0.08, 0.0), (0.28, 8.0), (0.51, -3.0), (SETTLED_SECONDS, 0.0))
    a.nod(pitch=2.0 * sink + math.copysign(1.0, x_end) * onward, roll=2.0 * sign * sway)
    for side, foot_sign in SIDES:
        later = 0.0 if foot_sign == sign else 0.04
        spread = keyed(t - later, (0.06, 0.0), (0.33, 1.0), (SETTLED_SECONDS - 0.04, 0.0))
        a.arm(side, roll=9.0 * spread, bend=8.0 * spread)
        # After a walk backward, the arms continue to move backward, one arm farther than the other. The tail
        # sweeps aside.
        far = change.glance * (16.0 if foot_sign == sign else 8.0) * spread
        a.arm(side, pitch=far, roll=0.6 * far)
        a.rotate_side("hand", side, roll=0.8 * far)
    eyes = change.glance * keyed(t, (0.0, 0.0), (0.13, 1.0), (0.36, 0.0))
    a.look(-16.0 * eyes)
    a.brows(-0.3 * eyes + 0.5 * change.glance * pulse(t, 0.28, SETTLED_SECONDS, 0.16))
    a.tail_pose(side=14.0 * change.glance * keyed(t, (0.0, 0.0), (0.22, 1.0), (0.50, -0.4),
                                                  (SETTLED_SECONDS, 0.0)))
    a.foot(front, left[0], left[1] * sign, 0.0, keyed(s, (0.0, left[3]), (0.4, 0.0)),
           sign * left[4] * (1.0 - _eased(s)))
    # The rear foot leaves the floor immediately, because its heel is already up.
    move = min(1.0, max(0.0, (s - 0.05) / 0.85))
    progress, up = _eased(move), arch(move, 1.0, 1.5)
    goal = (x_end + BALL[0], y_end - BALL[1] * sign)
    origin = (right[0], right[1] * sign)
    a.foot(rear, origin[0] + (goal[0] - origin[0]) * progress, origin[1] + (goal[1] - origin[1]) * progress,
           2.2 * up, keyed(s, (0.0, right[3]), (0.2, right[3] + 8.0), (0.6, 6.0), (0.9, 0.0)),
           sign * right[4] * (1.0 - progress), 0.6)


def walk_stop_left(a, t):
    _stop(a, t, _AHEAD, 1.0)


def walk_stop_right(a, t):
    _stop(a, t, _AHEAD, -1.0)


def back_stop(a, t):
    _stop(a, t, _BACK, 1.0)


# --- out of a run


# Steps of the foot that lands first and of the other foot. Both are defined for a left foot; the right foot
# mirrors them.
_STEP_FIRST = Footing(BALL[0] + 5.0, BALL[1] - 1.0, 6.0, (0.57, 0.83, BALL[0], BALL[1], 0.0, 1.8, 10.0),
                      gentle=1.5)
_STEP_SECOND = Footing(BALL[0] + 2.0, BALL[1] - 1.0, 14.0, (0.41, 0.67, BALL[0], BALL[1], 0.0, 1.8, 10.0),
                       gentle=1.5)


def _skid(a, t, sign):
    """Stops after a run: leans back and skids on both heels with circling arms, sways forward, and stands.
    Begins when the left foot (sign 1) or the right foot (-1) lands."""
    s = min(1.0, t / SKID_SECONDS)
    # Friction decelerates the root at a constant rate.
    x = 0.5 * RUN.forward * SKID_SECONDS * (1.0 - (1.0 - s) ** 2)
    a.root(x)
    phase = 0.0 if sign > 0.0 else 0.5 * RUN.seconds
    back = keyed(t, (0.0, 0.0), (0.13, 1.0), (0.34, 1.0), (0.52, -0.35), (0.85, 0.0))
    calm = keyed(t, (0.0, 0.0), (0.55, 0.4), (SKID_ENDS, 1.0))
    _between(a, lambda b: run(b, phase + 0.06 * (1.0 - math.exp(-t / 0.06))), _stance,
             keyed(t, (0.0, 0.0), (0.212, 1.0)))
    # The leg that lands last bends a little.
    a.move("hips", x=-3.4 * max(back, 0.0),
           z=1.05 * pulse(t, 0.44, 0.80, 0.17) - 0.5 * pulse(t, 0.74, 0.90, 0.08)
           - 4.2 * keyed(t, (0.0, 0.0), (0.24, 1.0), (0.42, 0.9), (0.8, 0.0)))
    a.rotate("hips", pitch=-11.0 * back, yaw=7.0 * sign * max(back, 0.0))
    a.bend(pitch=-15.0 * back, yaw=-9.0 * sign * max(back, 0.0))
    a.nod(pitch=15.0 * back)
    a.stretch(2.5 * pulse(t, 0.42, 0.84, 0.2) - 0.6 * max(back, 0.0))
    wild = keyed(t, (0.0, 0.0), (0.18, 1.0), (0.42, 1.0), (0.75, 0.0))
    for side, foot_sign in SIDES:
        # One arm is up while the other is down. They circle more and more slowly.
        round_ = 2.0 * math.pi * (3.2 * t - 1.3 * t * t + (0.6 if foot_sign == sign else 0.0))
        high, far = (58.0, 14.0) if foot_sign == sign else (14.0, 20.0)
        a.arm(side, roll=(high + far * math.sin(round_)) * wild, yaw=28.0 * math.cos(round_) * wild)
        a.elbow(side, (16.0 + 10.0 * math.sin(round_ - 0.8)) * wild)
        a.grip(side, -0.5 * wild)
    # Bobbin cries out, and clenches the teeth when the heels begin to hold.
    cry = keyed(t, (0.0, 0.0), (0.13, 1.0), (0.24, 1.0), (0.36, -0.9), (0.46, -0.9), (0.70, 0.0))
    a.rotate("jaw", pitch=11.0 * max(cry, 0.0) + 5.0 * min(cry, 0.0))
    a.frightened(wild)
    a.ears(22.0 * wild, -12.0 * max(back, 0.0))
    a.tail_pose(rise=19.0 * max(back, 0.0) + 25.0 * pulse(t, 0.17, 0.80, 0.18) + 9.0 * (1.0 - calm),
                side=18.0 * sign * max(back, 0.0))
    for side, foot_sign in SIDES:
        first = foot_sign == sign
        fx, fy, fz, pitch, yaw = (_STEP_FIRST if first else _STEP_SECOND).at(t)
        fade = keyed(t, (0.0, 0.0), (0.19 if first else 0.25, 1.0))
        px, py, pz, run_pitch, run_yaw, toes = RUN.step(foot_sign, 0.0 if side == "l" else 0.5, phase)
        heels = -11.0 * keyed(t, (0.06, 0.0), (0.195, 1.0), (0.31, 1.0), (0.44, 0.0))
        px -= RUN.forward * phase
        a.foot(side, x + px + (fx - px) * fade, py + (foot_sign * fy - py) * fade, fz + pz * (1.0 - fade),
               pitch * fade + heels + run_pitch * (1.0 - fade),
               foot_sign * yaw * fade + run_yaw * (1.0 - fade), toes * (1.0 - fade) + 0.5 * fade)


def skid_stop(a, t):
    _skid(a, t, 1.0)


def skid_stop_right(a, t):
    _skid(a, t, -1.0)


def _run_jump(a, t, sign):
    """Leaps while running: takes off with the left foot (sign 1) or the right foot (-1) and lands on the
    other foot."""
    begin = 0.0 if sign > 0.0 else 0.5 * RUN.seconds
    stance, flight = RUN.duty * RUN.seconds, LEAP_SECONDS - RUN.duty * RUN.seconds
    s = min(1.0, max(0.0, (t - stance) / flight))
    # The flight takes longer than in the run. The other parts have the same speed as in the run.
    rest = 0.5 * RUN.seconds - stance
    ran = t if t < stance else stance + rest * (s + 0.25 * math.sin(2.0 * math.pi * s) / math.pi)
    run(a, begin + ran)
    x = RUN.forward * (t - ran - begin)
    height = 4.0 * 9.0 * s * (1.0 - s)
    top = math.sin(math.pi * s) ** 2
    push = pulse(t, 0.0, stance + 0.07, 0.14)
    a.move("origin", x, 0.0, height)
    # Bobbin sinks less than in a run, because a leap can also follow a walk.
    a.move("hips", z=1.0 * top - 0.35 * min(0.0, RUN.bounce(t / RUN.seconds)) * (t < stance))
    a.rotate("hips", pitch=-8.0 * top)
    a.bend(pitch=-6.0 * top + 6.0 * push)
    a.nod(pitch=8.0 * top)
    # The arms rise like wings. The arm on the side of the trailing leg rises higher.
    for side, foot_sign in SIDES:
        high = 1.0 - 0.35 * foot_sign * sign
        a.rotate_side("clavicle", side, roll=10.0 * top)
        a.arm(side, roll=58.0 * high * top, pitch=-6.0 * top)
        a.grip(side, -0.8 * top)
    a.rotate("jaw", pitch=8.0 * top)
    a.brows(0.5 * top, -0.3 * top)
    a.ears(14.0 * top, -14.0 * top)
    a.tail_pose(rise=-8.0 * top)
    for side, foot_sign in SIDES:
        fx, fy, fz, pitch, yaw, toes = RUN.step(foot_sign, 0.0 if side == "l" else 0.5, begin + ran)
        # Bobbin does a split in the air: the front knee is drawn up, and the rear foot trails with its sole
        # up.
        rear = 0.5 + 0.5 * foot_sign * sign
        a.foot(side, fx + x + (1.4 - 3.0 * rear) * top, fy, fz + height + (1.6 + 1.0 * rear) * top,
               pitch + (26.0 * rear - 12.0 * (1.0 - rear)) * top, yaw, toes)


def run_jump_left(a, t):
    _run_jump(a, t, 1.0)


def run_jump_right(a, t):
    _run_jump(a, t, -1.0)


# --- into a run, and what ends it


def run_start(a, t):
    """Crouches, tips forward and pushes off with the right foot. Ends when the left foot lands in a run."""
    flight, last = (0.5 - RUN.duty) * RUN.seconds, t - RUN_START_SECONDS
    off = RUN_START_SECONDS - flight
    # The right foot stands until it leaves the floor as in a run. The root accelerates to the position that
    # it has in the run at this time.
    rear = RUN.step(-1.0, 0.5, -flight)
    gone, aside = BALL[0] - rear[0] - RUN.forward * flight, -BALL[1] - rear[1]
    speed_up = 2.5 * gone / RUN.forward
    x = gone * thrown(t, off - speed_up, off, 2.5) if t < off else gone + RUN.forward * (t - off)
    fraction = keyed(t, (0.16, 0.0), (off, 1.0))
    a.root(x, aside * fraction)
    _between(a, _stance, lambda b: run(b, last), fraction)
    low, tip = pulse(t, 0.0, off, 0.26), pulse(t, 0.16, 0.58, 0.2)
    a.move("hips", x=-1.2 * low + 1.6 * tip, z=-2.6 * low)
    a.rotate("hips", pitch=8.0 * low + 5.0 * tip)
    a.bend(pitch=9.0 * low)
    a.stretch(-0.7 * low)
    a.nod(pitch=-12.0 * low - 4.0 * tip)
    a.both("upperarm", pitch=22.0 * low)
    a.brows(-0.3 * low, 0.6 * low)
    a.tail_pose(rise=12.0 * low, side=-10.0 * low)
    # At first, the run's left foot is behind the standing foot. The left foot moves from its position in the
    # stance to the run's left foot.
    fx, fy, fz, pitch, yaw, toes = RUN.step(1.0, 0.0, last)
    progress = keyed(t, (0.22, 0.0), (0.66, 1.0))
    up = arch((t - 0.22) / 0.34, 1.05, 1.4)
    begin = gone + RUN.forward * flight             # x of the origin of the run
    goal = begin + fx
    a.foot("l", BALL[0] + (goal - BALL[0]) * progress, BALL[1] + (aside + fy - BALL[1]) * progress,
           fz * progress + 1.2 * up, pitch * progress + 9.0 * up, yaw * progress,
           toes * progress + 0.5 * (1.0 - progress))
    fx, fy, fz, pitch, yaw, toes = RUN.step(-1.0, 0.5, last)
    if t < off:
        a.foot("r", BALL[0], -BALL[1], 0.0, rear[3] * keyed(t, (off - 0.24, 0.0), (off, 1.0)),
               rear[4] * fraction)
    else:
        a.foot("r", begin + fx, aside + fy, fz, pitch, yaw, toes)


def _slow(a, t, sign):
    """Slows down from a run to a walk: begins when the left foot (sign 1) or the right foot (-1) lands, and
    ends when it lands again. One braking step, heel first, is followed by one short step."""
    s, begin = t / SLOW_SECONDS, 0.0 if sign > 0.0 else 0.5
    slower = RUN.forward - WALK.forward
    x = RUN.forward * t - slower * SLOW_SECONDS * (s * s * s - 0.5 * s ** 4)
    end = (RUN.forward - 0.5 * slower) * SLOW_SECONDS
    a.root(x)
    fraction = keyed(s, (0.0, 0.0), (0.62, 1.0))
    _between(a, lambda b: run(b, begin * RUN.seconds + 0.4 * t * (1.0 - 0.5 * s)),
             lambda b: walk(b, begin * WALK.seconds + t - SLOW_SECONDS), fraction)
    back = pulse(s, 0.10, 0.92, 0.34)
    a.move("hips", x=-2.2 * back, z=-0.9 * back)
    a.rotate("hips", pitch=-9.0 * back)
    a.bend(pitch=-8.0 * back)
    a.nod(pitch=9.0 * back)
    # The arm opposite to the braking foot rises first and higher. The arm on the side of this foot remains
    # low and follows.
    for side, foot_sign in SIDES:
        if foot_sign == sign:
            a.arm(side, roll=5.0 * pulse(s, 0.22, 1.0, 0.34), pitch=14.0 * pulse(s, 0.22, 1.0, 0.34))
        else:
            a.arm(side, roll=28.0 * back, pitch=-18.0 * back)
            a.elbow(side, 10.0 * back)
    a.tail_pose(rise=12.0 * back + 18.0 * pulse(s, 0.25, 1.0, 0.3), side=9.0 * sign * back)
    front, rear = ("l", "r") if sign > 0.0 else ("r", "l")
    # The front foot stands until the rear foot has landed, and lands where the walk begins.
    origin, goal = RUN.step(1.0, 0.0, 0.0), WALK.step(1.0, 0.0, 0.0)
    move = min(1.0, max(0.0, (s - 0.34) / 0.66))
    progress, up = smootherstep(move), arch(move, 1.2, 1.4)
    pitch = keyed(s, (0.0, origin[3]), (0.10, 0.0), (0.18, 0.0), (0.42, 34.0), (0.76, 0.0), (1.0, goal[3]))
    a.foot(front, origin[0] + (end + goal[0] - origin[0]) * progress,
           sign * (origin[1] + (goal[1] - origin[1]) * progress),
           2.6 * up, pitch, sign * (origin[4] + (goal[4] - origin[4]) * progress), 0.5)
    origin, goal = RUN.step(-1.0, 0.5, 0.0), WALK.step(-1.0, 0.5, 0.0)
    move = min(1.0, 2.0 * s)
    progress = _eased(move)
    pitch = keyed(s, (0.0, origin[3]), (0.22, 12.0), (0.5, -13.0), (0.62, 0.0), (0.8, 0.0), (1.0, goal[3]))
    a.foot(rear, (x + origin[0] + 2.0 * move) * (1.0 - progress) + (end + goal[0]) * progress,
           sign * (origin[1] + (goal[1] - origin[1]) * progress), origin[2] * (1.0 - progress) * (1.0 - move)
           + 1.1 * arch(move, 1.2, 1.2), pitch, sign * (origin[4] + (goal[4] - origin[4]) * progress), 0.5)


def run_to_walk(a, t):
    _slow(a, t, 1.0)


def run_to_walk_right(a, t):
    _slow(a, t, -1.0)


def _stumble(a, t, sign):
    """Stumbles while running after a hit: is thrown forward with circling arms, takes two low steps, and
    straightens up."""
    s = t / STUMBLE_SECONDS
    begin = 0.0 if sign > 0.0 else 0.5 * RUN.seconds
    run(a, begin + t)
    blow = keyed(t, (0.0, 0.0), (0.12, 1.0), (0.45, 0.7), (0.9, 0.0))
    low = keyed(t, (0.0, 0.0), (0.30, 1.0), (0.80, 0.85), (1.40, 0.0))
    wild = keyed(t, (0.02, 0.0), (0.24, 1.0), (0.85, 1.0), (1.45, 0.0))
    # The knees bend at each of the first three landings.
    sunk = sum(size * pulse(t, 0.4 * n, 0.4 * n + 0.36, 0.17) for n, size in ((0, 0.7), (1, 1.0), (2, 0.6)))
    a.move("hips", x=0.4 * low, y=0.7 * sign * low * math.sin(2.0 * math.pi * s), z=-1.6 * sunk)
    a.rotate("hips", pitch=6.0 * low, roll=-3.0 * sign * blow, yaw=5.0 * sign * blow)
    a.bend(pitch=15.0 * low, yaw=15.0 * sign * blow, roll=-7.0 * sign * blow)
    a.nod(pitch=14.0 * blow - 11.0 * low, yaw=-9.0 * sign * blow, roll=8.0 * sign * blow)
    for side, foot_sign in SIDES:
        # One arm circles high. The other arm circles low and half a circle later.
        round_ = 2.0 * math.pi * (2.0 * t + (0.1 if foot_sign == sign else 0.6))
        high = 60.0 if foot_sign == sign else 26.0
        a.arm(side, roll=(high + 20.0 * math.sin(round_)) * wild, yaw=20.0 * math.cos(round_) * wild)
        a.elbow(side, -26.0 * wild if foot_sign == sign else 12.0 * math.sin(round_) * wild)
        a.grip(side, -0.6 * wild)
    # Eyes and teeth are shut for a moment. Then eyes and mouth are wide open.
    wince = keyed(t, (0.02, 0.0), (0.09, 1.0), (0.22, 1.0), (0.27, 0.0))
    for side, _ in SIDES:
        a.wince(side, wince)
    a.rotate("jaw", pitch=9.0 * wild * (1.0 - wince) - 6.0 * wince)
    # The brows are slower than the lids.
    a.frightened(wild * (1.0 - wince), keyed(t, (0.16, 0.0), (0.40, 1.0), (0.85, 1.0), (1.45, 0.0)))
    a.grimace(wince + 0.35 * wild * (1.0 - wince))      # cancels the grin of the run
    a.brows(-0.7 * wince, 1.1 * pulse(t, 0.0, 0.36, 0.14))
    a.tail_pose(rise=14.0 * low, side=16.0 * sign * blow)
    # The run begins at x = 0.
    a.move("origin", x=-RUN.forward * begin)
    for side, foot_sign in SIDES:
        phase_offset = 0.0 if side == "l" else 0.5
        x, y, z, pitch, yaw, toes = RUN.step(foot_sign, phase_offset, begin + t)
        # The feet pass close to the floor, and farther to the side.
        swing = max(0.0, ((begin + t) / RUN.seconds - phase_offset) % 1.0 - RUN.duty) / (1.0 - RUN.duty)
        drag = low * math.sin(math.pi * swing) ** 2
        a.foot(side, x - RUN.forward * begin, y + 1.6 * foot_sign * drag, z * (1.0 - 0.4 * drag), pitch, yaw,
               toes)


def stumble(a, t):
    _stumble(a, t, 1.0)


def stumble_right(a, t):
    _stumble(a, t, -1.0)


def run_fall(a, t):
    """Slips while running: both feet shoot out ahead, and Bobbin lands on the bottom and slides until he
    stops. Ends in the last pose of fall()."""
    down, rest = 0.36, 1.2                  # seconds at which Bobbin hits the floor, and at which he stops
    seated_time = max(0.0, t - down)
    slid = min(seated_time, rest - down)
    x = RUN.forward * (min(t, down) + slid - 0.5 * slid * slid / (rest - down))
    fallen = 0.70 + seated_time * (leaps.FALL_SECONDS - 0.70) / (SLIP_SECONDS - down)
    fraction, ran = keyed(t, (0.0, 0.0), (down + 0.04, 1.0)), 0.03 * (1.0 - math.exp(-t / 0.03))
    a.root(x)
    _between(a, lambda b: run(b, ran), lambda b: leaps.fall(b, fallen), fraction)
    tip, fling = pulse(t, 0.0, 0.62, 0.24), pulse(t, 0.02, 1.15, 0.26)
    a.rotate("hips", pitch=3.0 * tip)
    a.bend(pitch=-20.0 * tip)
    a.nod(pitch=16.0 * tip)
    a.move("hips", z=4.5 * pulse(t, 0.02, 0.42, 0.2))
    for side, high in (("l", 6.0 * fling), ("r", 72.0 * pulse(t, 0.0, 1.45, 0.28))):
        a.arm(side, roll=high)
        a.elbow(side, -26.0 * tip)
        a.grip(side, -0.5 * fling)
    leaps.lean(a, keyed(t, (0.67, 0.0), (1.50, 1.0)), x)
    a.frightened(pulse(t, 0.0, 0.46, 0.12) * (1.0 - fraction))
    a.rotate("jaw", pitch=8.0 * pulse(t, 0.02, 0.80, 0.2))
    a.ears(10.0 * tip)
    a.tail_pose(rise=7.0 * pulse(t, 0.22, 0.78, 0.16) - 8.0 * pulse(t, 0.0, 0.3, 0.14), side=36.0 * tip)
    a.rotate("tail_1", pitch=-6.5 * pulse(t, 0.16, 0.46, 0.12))
    for n, (side, foot) in enumerate(leaps.fallen_feet(fallen)):
        px, *run_foot = RUN.step(1.0 - 2.0 * n, 0.5 * n, ran)
        up = pulse(t, 0.02 + 0.18 * n, 0.66 + 0.1 * n, 0.24)
        part = keyed(t, (0.0, 0.0), (down + 0.04 + 0.15 * n, 1.0))
        fx, fy, fz, pitch, yaw, toes = (
            start_value + (end_value - start_value) * part
            for start_value, end_value in zip((px - RUN.forward * ran, *run_foot), foot))
        a.foot(side, x + fx + 1.5 * up, fy, fz + (4.5 - 2.5 * n) * up, pitch, yaw, toes,
               mix((1.0, 0.32, 0.12), foot[6], part))
    a.on_thigh("l", keyed(t, (0.95, 0.0), (1.46, 1.0)), leaps.HAND_DISTANCE)
