"""Clips for a character that is observed: Bobbin sneezes fire, chases his tail, and notices a visitor."""

import math

from kit.curves import bump, keyed, pulse, thrown, wave
from kit.maths import rotate, smoothstep, euler

from bobbin_parts import leaps
from bobbin_parts.actor import BALL, SIDES, Tread

SNEEZE_SECONDS = 2.8


def squint(a, amount, down=0.0):
    """Rotates both eyes toward the tip of the nose; amount 1 is the full rotation."""
    a.both("eye", yaw=-22.0 * amount, pitch=down * amount)


# --- the sneeze

_BURST = 1.27        # seconds at which the fire leaves the mouth
_HOP = {side: Tread(BALL[0], BALL[1] * sign, 0.0,
                    (1.26, 1.56, BALL[0] - 3.0, BALL[1] * sign, 0.0, 1.7, 10.0)) for side, sign in SIDES}


def sneeze(a, t):
    """Inhales three times, each time deeper, waits a moment, and sneezes a burst of fire that throws him
    back. As soon as his eyes are open, Bobbin stares at the fire, and then at his smoking nose."""
    # Between the inhales Bobbin exhales a little.
    full = keyed(t, (0.06, 0.0), (0.30, 0.40), (0.44, 0.24), (0.68, 0.74), (0.80, 0.58), (1.02, 1.0),
                 (1.24, 1.04))
    deep = full * (1.0 - thrown(t, 1.22, 1.32, 1.6))
    delayed = keyed(t, (0.10, 0.0), (0.34, 0.40), (0.48, 0.26), (0.72, 0.74), (0.84, 0.60), (1.05, 1.0),
                    (1.23, 1.0)) * (1.0 - thrown(t, 1.21, 1.31, 1.4))
    burst = thrown(t, 1.22, 1.32, 1.6) * (1.0 - keyed(t, (1.36, 0.0), (1.50, 0.30), (1.82, 1.0)))
    # The legs are slower than the head.
    push = keyed(t, (1.16, 0.0), (1.38, 1.0), (1.66, 0.0))
    tall = full * (1.0 - keyed(t, (1.16, 0.0), (1.36, 1.0)))
    back = keyed(t, (1.18, 0.0), (1.30, 0.25), (1.42, 0.8), (1.56, 1.0))
    sink = pulse(t, 1.42, 1.86, 0.10)
    stare = keyed(t, (1.35, 0.0), (1.43, 1.0), (1.68, 1.0), (1.80, 0.0))
    after = keyed(t, (1.66, 0.0), (1.78, 1.0), (2.60, 1.0), (2.74, 0.0))
    drop = keyed(t, (2.16, 0.0), (2.24, 1.15), (2.32, 0.95), (2.58, 1.0), (2.76, 0.0))
    a.neutral_stance()
    a.root(-3.0 * back)
    a.move("hips", x=-1.3 * tall + 1.6 * push, y=0.5 * tall, z=0.5 * tall - 1.1 * push - 1.1 * sink)
    a.rotate("hips", pitch=-3.0 * tall + 10.0 * push)
    a.bend(pitch=-13.0 * deep + 25.0 * burst - 4.0 * after)
    a.rotate("chest", pitch=-2.5 * deep)
    a.stretch(1.3 * deep - 0.9 * burst)
    a.move("belly", x=0.5 * deep - 0.6 * burst)
    # The head is 25 degrees back and remains there until the sneeze.
    a.nod(pitch=-25.0 * delayed - 9.0 * burst + 7.0 * after,
          roll=3.0 * after + 1.5 * wave(t, 7) * pulse(t, 1.05, 1.22, 0.07))
    shut = keyed(t, (0.10, 0.0), (1.0, 0.55), (1.18, 0.75), (1.24, 1.0), (1.34, 1.0), (1.42, 0.0))
    blink = keyed(t, (2.64, 0.0), (2.69, 1.0), (2.71, 1.0), (2.77, 0.0))
    for side, _ in SIDES:
        a.lids(side, max(shut, blink) - 0.2 * stare, max(0.9 * shut, blink) - 0.15 * stare, 2.0 - 6.0 * blink)
    a.brows(0.8 * delayed - 0.6 * shut * burst + 0.9 * stare + 0.5 * after,
            -0.9 * delayed + 0.8 * shut * burst - 0.7 * stare - 0.7 * after)
    # Both eyes look at the fire, which moves farther and farther away.
    squint(a, stare * keyed(t, (1.43, 0.6), (1.80, 0.25)) + after, 11.0)
    a.look(0.0, -5.0 * delayed + 9.0 * stare * (1.0 - after))
    gape = keyed(t, (1.18, 0.0), (1.34, 1.0), (1.44, 0.9), (1.66, 0.0))
    a.mouth(0.16 + 0.72 * delayed + 0.84 * gape * (1.0 - delayed), 1.0 - 1.5 * max(delayed, gape))
    a.rotate("jaw", pitch=14.0 * gape)
    # The hands rise, the right hand up to the nose and the left hand less high. Then both are thrown back and
    # down.
    for side, sign, much, bent in (("l", 0.0, 0.62, 46.0), ("r", 0.05, 1.0, 78.0)):
        up = keyed(t - sign, (0.12, 0.0), (0.34, 0.35), (0.48, 0.28), (0.72, 0.70), (0.84, 0.62), (1.06, 1.0),
                   (1.19, 1.0), (1.40, 0.0))
        fling = keyed(t - sign, (1.20, 0.0), (1.40, 1.0), (1.50, 0.9), (1.90, 0.0))
        a.rotate_side("clavicle", side, roll=9.0 * up + 3.0 * fling, yaw=9.0 * fling)
        fling *= 1.2 - 0.4 * much
        up *= much
        a.arm(side, roll=34.0 * up + 28.0 * fling, pitch=-20.0 * up + 34.0 * fling)
        a.elbow(side, bent * up + 6.0 * fling)
        a.rotate_side("hand", side, roll=18.0 * fling - 10.0 * up)
        a.grip(side, -0.5 * up - 0.55 * fling)
    a.tail_pose(rise=10.0 * deep - 12.0 * burst + 7.0 * sink, curl=16.0 * deep - 26.0 * burst)
    # The ears are blown back and swing after the head.
    flap = keyed(t, (1.20, 0.0), (1.42, 1.0), (1.80, 0.0))
    a.ears(8.0 * tall - 8.0 * flap - 8.0 * after, 12.0 * tall + 22.0 * flap)
    a.ears(-46.0 * drop, 0.0, "l")      # and the left ear droops
    for side, _ in SIDES:
        x, y, z, pitch, yaw = _HOP[side].at(t)
        a.foot(side, x, y, z, pitch + 13.0 * tall * pulse(t, 0.80, 1.40, 0.15), yaw, 0.5)
        a.spread(side, 5.0 * sink)


# --- the tail chase

# Start of the spin in seconds; number of steps; angle of the spin, two rotations.
_SEES, _STEPS, _DEGREES = 0.85, 16, 720.0
_REEL = 0.45
_ENDS = [_SEES]  # times at which steps end; each step is shorter than the last one
for _step in range(_STEPS):
    _ENDS.append(_ENDS[-1] + 0.30 - 0.08 * _step / (_STEPS - 1))
CHASE_SECONDS = round(20.0 * (_ENDS[-1] + _REEL)) / 20.0
DIZZY_SECONDS = 2.4


def _heading(t):
    return keyed(t, (_SEES - 0.1, 0.0), *[(end, _DEGREES * n / _STEPS) for n, end in enumerate(_ENDS) if n])


def _planted(step):
    """Returns the direction of a foot after step number `step`. The foot stands during the next step."""
    return min(_DEGREES, _DEGREES * (step + 1.5) / _STEPS) if step >= 0 else 0.0


def _chasing_foot(side, t):
    """Returns (yaw about the body's middle, height from 0 to 1); left and right feet alternate."""
    last = -1
    for step in range(0 if side == "l" else 1, _STEPS, 2):
        start, end = _ENDS[step], _ENDS[step + 1]
        s = (t - start) / (end - start)
        if s <= 0.0:
            break
        if s < 1.0:
            progress = smoothstep(0.05, 0.95, s)
            before = _planted(last)
            return before + (_planted(step) - before) * progress, math.sin(math.pi * s)
        last = step
    return _planted(last), 0.0


def chase_events():
    return [(math.ceil(40.0 * end), "footstep " + ("left", "right")[n % 2])
            for n, end in enumerate(_ENDS[1:])]


def chase(a, t):
    """Sees the fin of the tail over the left shoulder, chases it faster and faster, and reels."""
    over = _ENDS[-1]
    sees = keyed(t, (0.08, 0.0), (0.34, 1.0), (over - 0.05, 1.0), (over + 0.25, 0.0))
    head = keyed(t, (0.16, 0.0), (0.46, 1.0), (over - 0.05, 1.0), (over + 0.30, 0.0))
    ready = pulse(t, 0.48, _SEES + 0.12, 0.14)
    run = keyed(t, (_SEES - 0.15, 0.0), (_SEES + 0.35, 0.75), (over, 1.0), (over + 0.30, 0.0))
    reel = keyed(t, (over - 0.12, 0.0), (over + 0.30, 1.0))
    beat = sum(pulse(t, one, two, 0.5 * (two - one)) for one, two in zip(_ENDS, _ENDS[1:]))
    side = sum((-1.0) ** n * pulse(t, one, two, 0.5 * (two - one))
               for n, (one, two) in enumerate(zip(_ENDS, _ENDS[1:])))
    a.root(yaw=_heading(t))
    a.neutral_stance()
    a.move("hips", x=-0.5 * ready + 0.5 * run, y=-0.6 * side * run + 1.2 * reel,
           z=-1.3 * ready - 1.4 * run + 0.4 * beat * run - 1.0 * reel)
    a.rotate("hips", roll=-4.0 * run - 1.4 * side * run, yaw=6.0 * sees, pitch=4.0 * ready + 6.0 * run)
    a.bend(yaw=19.0 * head + 8.0 * run - 16.0 * reel, roll=-11.0 * run + 7.0 * reel,
           pitch=6.0 * ready + 9.0 * run - 6.0 * reel)
    a.stretch(-0.5 * ready + 0.3 * beat * run)
    a.look(15.0 * sees - 9.0 * reel, 5.0 * sees)
    a.nod(yaw=35.0 * head - 12.0 * reel, roll=-7.0 * head + 12.0 * reel, pitch=6.0 * head - 5.0 * reel)
    a.brows(0.7 * sees - 0.8 * ready, 0.6 * ready + 0.3 * run - 0.8 * reel)
    a.blink(max(bump(t / CHASE_SECONDS, 0.03, 0.08, 0.02), 0.5 * reel))
    a.mouth(0.16 + 0.45 * run + 0.25 * ready + 0.3 * reel, 1.0 - 1.2 * reel)
    # The hands snap at the tail at each step.
    for name, sign in SIDES:
        snap = run * (0.5 + 0.5 * sign * side)
        a.rotate_side("clavicle", name, roll=5.0 * run, yaw=-6.0 * run)
        a.arm(name, roll=(26.0 if name == "l" else 15.0) * run + 14.0 * ready + 40.0 * reel,
              pitch=(-34.0 if name == "l" else -17.0) * run - 10.0 * ready - 12.0 * snap)
        a.elbow(name, (30.0 if name == "l" else 50.0) * run + 26.0 * ready - 22.0 * snap + 8.0 * reel)
        a.grip(name, -0.45 * max(run, ready) + 0.7 * snap - 0.4 * reel)
    # The tail bends to the side to which Bobbin looks, and is always a little ahead of him.
    a.tail_pose(side=26.0 * sees + 92.0 * run - 22.0 * ready * wave(t, 3), rise=6.0 * sees, curl=8.0 * run)
    a.ears(14.0 * sees - 22.0 * run, 26.0 * run - 8.0 * sees)
    for name, sign in SIDES:
        yaw, up = _chasing_foot(name, t)
        x, y, _ = rotate(euler(yaw=yaw), (BALL[0], BALL[1] * sign, 0.0))
        a.foot(name, x, y, 1.8 * up ** 1.4, 8.0 * up ** 1.4, yaw, 0.5)


def dizzy(a, t):
    """Sits dizzily: the head circles, and the eyes circle in opposite directions."""
    phase = t / DIZZY_SECONDS
    much = pulse(phase, 0.0, 1.0, 0.16)
    # The trunk circles, the head follows with a delay, and the tail circles in the other direction.
    leaps.fall(a, leaps.FALL_SECONDS, (3.5 * much * wave(phase, 2, 0.05), 4.0 * much * wave(phase, 2, -0.20)))
    a.tail_pose(side=16.0 * much * wave(phase, 2, 0.1), curl=8.0 * much * wave(phase, 2, 0.35))
    a.nod(pitch=9.0 * much * wave(phase, 2, 0.25), roll=11.0 * much * wave(phase, 2),
          yaw=6.0 * much * wave(phase, 1))
    for name, sign in SIDES:
        rounds = 2 if name == "l" else 3
        a.rotate("eye_" + name, yaw=13.0 * much * wave(phase, rounds, 0.25),
                 pitch=13.0 * sign * much * wave(phase, rounds))
        a.lids(name, (0.68 if name == "l" else -0.28) * much, -0.12 * much, 3.0)
    a.droop("l", 14.0 * much)
    a.ears(5.0 * much * wave(phase, 2, 0.3), 0.0, "l")
    a.ears(-5.0 * much * wave(phase, 2, 0.3), 0.0, "r")
    a.rotate("jaw", pitch=8.0 * much)
    # The corners of the mouth alternately hang lower.
    for name, sign in SIDES:
        a.move("cheek_" + name, z=-1.1 * sign * much * wave(phase, 2, 0.1))
    a.move("tongue", x=1.8 * much, y=0.5 * much * wave(phase, 2), z=0.3 * much)


# --- patting a head that is 25 units high and whose middle is 27 units in front of Bobbin

PAT_SECONDS = 3.2
_PATS = (1.05, 1.42, 1.79)       # seconds at which the hand is down
_HEAD_WRIST = (15.3, -13.2, 24.0)    # position of the wrist at these times


def pat_events():
    return [(round(30.0 * at), "pat") for at in _PATS]


def pat(a, t):
    """Bends down to another character, pats its head three times with the right hand, nods, and straightens
    up."""
    stoop = keyed(t, (0.10, 0.0), (0.80, 1.0), (2.10, 1.0), (2.80, 0.0))
    head = keyed(t, (0.0, 0.0), (0.40, 1.0), (2.30, 1.0), (3.0, 0.0))
    reach = keyed(t, (0.34, 0.0), (0.86, 1.0), (1.98, 1.0), (2.60, 0.0))
    wag = pulse(t, 0.5, 2.9, 0.4)
    down = max(pulse(t, at - 0.19, at + 0.19, 0.19) for at in _PATS)
    delayed = max(pulse(t, at + 0.04, at + 0.40, 0.17) for at in _PATS)
    a.neutral_stance()
    a.move("hips", x=0.8 * stoop, y=0.6 * stoop, z=-1.2 * stoop - 0.25 * down)
    a.rotate("hips", pitch=13.0 * stoop, yaw=4.0 * stoop)
    a.bend(pitch=22.0 * stoop + 1.5 * down, yaw=14.0 * stoop, roll=-3.0 * stoop)
    a.nod(pitch=10.0 * head - 25.0 * stoop + 2.5 * delayed + 4.0 * pulse(t, 2.25, 2.65, 0.16),
          roll=-8.0 * stoop, yaw=-11.0 * stoop)
    a.look(-4.0 * head, 15.0 * head)
    a.brows(0.6 * head)
    a.mouth(0.16 + 0.5 * stoop, 1.0)
    blink = bump(t / PAT_SECONDS, 0.42, 0.50, 0.03)
    for side, _ in SIDES:
        a.lids(side, max(blink, 0.15 * stoop), max(blink, 0.35 * stoop), 2.0)
    a.rotate_side("clavicle", "r", yaw=-14.0 * reach, roll=4.0 * reach)
    # The hand rises next to the chest and moves out from there, over the edge of the other character's head.
    bent = max(pulse(t, 0.16, 1.00, 0.36), pulse(t, 1.92, 2.78, 0.36))
    a.arm("r", roll=16.0 * bent, pitch=-14.0 * bent)
    a.elbow("r", 84.0 * bent)
    lift = 1.0 - down
    # The first pat is lower, because Thimble rises before the other pats.
    low = 0.45 * (1.0 - smoothstep(1.12, 1.34, t))
    # The fingers follow the wrist.
    a.grip("r", -0.12 * reach + 0.26 * reach * delayed)
    a.palm("r", (_HEAD_WRIST[0] - 0.6 * lift, _HEAD_WRIST[1], _HEAD_WRIST[2] + 3.8 * lift - low),
           (1.0, -0.10, 0.14 + 0.30 * lift), reach)
    a.arm("l", roll=10.0 * stoop, pitch=22.0 * stoop)
    a.elbow("l", 16.0 * stoop)
    a.tail_pose(side=26.0 * wag * math.sin(2.0 * math.pi * 2.2 * t), rise=16.0 * stoop)
    a.ears(12.0 * head, -4.0 * head)
    a.stand()


# --- noticing

LOOK_YAW, LOOK_PITCH = 60.0, 30.0    # degrees by which the poses below look aside and up
GIGGLE_SECONDS, PRICK_SECONDS = 1.9, 0.75


def _stance(a):
    a.neutral_stance()
    a.mouth(0.16)
    a.stand()


def _head_toward(yaw, pitch):
    """Returns the act of a pose in which the head has rotated most of the way, and the eyes, which moved
    first, have rotated back."""
    def act(a, t):
        _stance(a)
        a.rotate("chest", yaw=8.0 * yaw, pitch=-3.0 * pitch)
        a.rotate("neck", yaw=14.0 * yaw, pitch=-7.0 * pitch)
        a.rotate("head", yaw=28.0 * yaw, pitch=-14.0 * pitch, roll=-3.0 * yaw)
        a.look(-17.0 * yaw, 6.0 * pitch)
    return act


def _eyes_toward(yaw, pitch):
    """Returns the act of a pose for small angles, at which only the eyes move."""
    def act(a, t):
        _stance(a)
        a.look(27.0 * yaw, -12.0 * pitch)
        a.brows(0.3 * pitch)
        for side, _ in SIDES:
            a.lids(side, 0.16 * max(0.0, -pitch) - 0.08 * max(0.0, pitch), 0.0)
    return act


look_left, look_right = _head_toward(1.0, 0.0), _head_toward(-1.0, 0.0)
look_up, look_down = _head_toward(0.0, 1.0), _head_toward(0.0, -1.0)
eyes_left, eyes_right = _eyes_toward(1.0, 0.0), _eyes_toward(-1.0, 0.0)
eyes_up, eyes_down = _eyes_toward(0.0, 1.0), _eyes_toward(0.0, -1.0)


def prick(a, t):
    """Notices something. A tenth of a second after the eyes, the ears rise one after the other and overshoot;
    then brows and chest rise, and the head tilts. Half of this movement remains at the end."""
    a.neutral_stance()
    a.stand()
    for side, delay in (("l", 0.0), ("r", 0.05)):
        up = keyed(t - delay, (0.10, 0.0), (0.26, 1.0), (0.40, 0.8), (0.66, 0.5))
        a.ears(52.0 * up, -16.0 * up, side)
    rise = keyed(t, (0.14, 0.0), (0.34, 1.0), (0.74, 0.45))
    a.bend(pitch=-4.0 * rise)
    a.both("clavicle", roll=5.0 * rise)
    a.nod(pitch=-2.0 * rise, roll=6.0 * keyed(t, (0.20, 0.0), (0.42, 1.0), (0.74, 0.5)))
    a.brows(keyed(t, (0.12, 0.0), (0.30, 1.0), (0.70, 0.4)))
    a.mouth(0.16 + 0.3 * keyed(t, (0.16, 0.0), (0.36, 1.0), (0.70, 0.4)))
    a.stretch(1.2 * rise)


def giggle(a, t):
    """Laughs as if tickled: hunches, throws back the head with the hands at the chest, doubles up over the
    hands, straightens up, and peeks with one eye."""
    hunch = pulse(t, 0.0, 0.40, 0.17)
    back = keyed(t, (0.20, 0.0), (0.46, 1.0), (0.70, 0.93), (1.08, 0.0))
    double = keyed(t, (0.72, 0.0), (1.02, 1.0), (1.34, 0.9), (1.66, 0.0))
    peek = pulse(t, 1.28, 1.86, 0.24)
    much = pulse(t, 0.06, 1.74, 0.40)
    # The laughter comes in bursts: quick and small while Bobbin is upright, slower and stronger while he is
    # doubled up.
    beat = 2.0 * math.pi * (4.7 * t - 0.9 * double * (t - 0.9))
    shake, delayed = (much * math.sin(beat - by) for by in (0.0, 1.1))
    a.neutral_stance()
    a.move("hips", x=-0.9 * back - 1.4 * double, y=0.8 * back - 1.0 * double,
           z=-0.8 * hunch - 0.1 * back - 1.9 * double - 0.3 * peek + 0.35 * shake)
    a.rotate("hips", pitch=-5.0 * back + 10.0 * double, roll=2.5 * back - 3.0 * double, yaw=4.0 * double)
    a.bend(pitch=9.0 * hunch - 17.0 * back + 20.0 * double + 5.0 * peek + 2.5 * shake,
           roll=5.0 * back - 7.0 * double, yaw=-5.0 * back + 9.0 * double)
    a.stretch(-0.6 * hunch + 0.5 * back - 0.5 * double + 0.25 * delayed)
    a.move("belly", x=0.35 * delayed)
    a.nod(pitch=7.0 * hunch - 21.0 * back - 8.0 * double - 4.0 * peek + 2.5 * delayed,
          roll=7.0 * back - 6.0 * double + 12.0 * peek, yaw=5.0 * back + 3.0 * double - 5.0 * peek)
    a.mouth(0.16 + 0.2 * hunch + 0.9 * back + 0.45 * double + 0.25 * peek + 0.08 * shake, 1.0)
    for name, opens in (("l", 1.34), ("r", 1.66)):
        shut = pulse(t, 0.10, opens, 0.08)
        a.lids(name, shut, shut, 18.0)
    a.look(-8.0 * peek, -4.0 * peek)
    a.brows(0.9 * hunch + 0.5 * back - 0.2 * double + 0.6 * peek, -0.5 * double)
    a.both("clavicle", roll=11.0 * hunch + (4.0 + 4.0 * shake) * much)
    for name, _ in SIDES:
        a.grip(name, 0.30 * much)
    # Both hands are in front of the chest. Then the left hand stays there, and the right hand moves farther
    # out.
    hold = pulse(t, 0.10, 1.72, 0.30)
    up = keyed(t, (0.70, 0.0), (1.00, 1.0), (1.34, 1.0), (1.68, 0.0))
    a.arm("l", roll=7.0 * hold, pitch=-10.0 * hold - 2.0 * delayed)
    a.elbow("l", 72.0 * hold + 3.0 * delayed)
    a.rotate_side("hand", "l", roll=-12.0 * hold)
    a.arm("r", roll=7.0 * hold + 3.0 * up, pitch=-10.0 * hold - 46.0 * up - 2.0 * delayed)
    a.elbow("r", 72.0 * hold - 16.0 * up + 3.0 * delayed)
    a.rotate_side("hand", "r", roll=-12.0 * hold + 4.0 * up)
    a.tail_pose(side=20.0 * much * math.sin(2.0 * math.pi * 2.0 * t), rise=3.0 * back + 14.0 * double)
    a.ears(14.0 * hunch - 4.0 * double + 6.0 * peek, 14.0 * back - 8.0 * hunch)
    a.stand()
