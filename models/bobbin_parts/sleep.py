"""Clips for a character that waits for input: Bobbin yawns, falls asleep, sits down to sleep, and starts
up."""

from kit.curves import bump, keyed, looped, pulse, wave

from bobbin_parts.actor import BALL, SIDES, Tread

YAWN_SECONDS, DOZE_SECONDS, STARTLE_SECONDS = 3.0, 4.0, 1.1
_NOD = 17.0        # pitch of the sleeping head, degrees
_SAG = -20.0       # line at which sleeping lids meet, degrees above the middle of the eye
_DROWSY = 0.62     # fraction by which lids are shut before Bobbin sits


def _asleep(a, amount, breath=0.0, shut=None):
    """Poses Bobbin asleep: the trunk sinks, head, arms and ears hang, and the lids are shut (by `shut`, if it
    is given). Half-shut lids hang at their outer ends and the brows rise at their inner ends, because level
    lids would look angry."""
    shut = amount if shut is None else shut
    half = 4.0 * shut * (1.0 - shut)
    a.move("hips", z=-0.9 * amount + 0.10 * breath, x=-0.3 * amount)
    a.rotate("hips", pitch=4.0 * amount)
    a.bend(pitch=10.0 * amount - 1.6 * breath)
    a.stretch(-0.5 * amount + 0.35 * breath)
    a.move("belly", x=0.35 * breath)
    a.nod(pitch=_NOD * amount - 4.5 * breath, roll=7.0 * amount)
    for side, _ in SIDES:
        a.lids(side, shut, shut, _SAG)
        a.droop(side, 23.0 * half)
        a.arm(side, pitch=-4.0 * amount, roll=2.0 * breath)
    a.ears(-13.0 * amount - 2.0 * breath, 9.0 * amount)
    a.brows(-0.2 * amount, -0.3 * amount - 0.7 * half)


def yawn(a, t):
    """Breathes in, yawns and stretches with raised fists, one higher than the other, smacks the lips, and
    falls asleep."""
    before = pulse(t, 0.0, 0.62, 0.28)
    wide = keyed(t, (0.25, 0.0), (0.80, 1.0), (1.35, 0.94), (1.75, 0.0))
    stretch = keyed(t, (0.30, 0.0), (0.95, 0.9), (1.30, 1.0), (1.40, 1.0), (1.90, 0.0))
    # The stretched limbs drop, and the body sinks with them.
    sigh = pulse(t, 1.50, 2.20, 0.26)
    sleep = keyed(t, (1.75, 0.0), (2.25, 0.55), (2.45, 0.35), (YAWN_SECONDS, 1.0))
    # After the eyes were shut, the lids remain low.
    heavy = keyed(t, (1.54, 0.0), (1.60, 0.6))
    a.neutral_stance()
    _asleep(a, sleep, shut=_DROWSY * max(sleep, heavy))
    a.move("hips", x=0.7 * stretch, y=0.9 * stretch, z=-0.8 * before - 1.1 * sigh)
    a.rotate("hips", roll=2.5 * stretch, pitch=-2.0 * stretch + 3.0 * sigh)
    a.bend(pitch=6.0 * before - 11.0 * stretch + 7.0 * sigh, roll=-6.0 * stretch, yaw=5.0 * stretch)
    a.stretch(-0.4 * before + 1.1 * stretch - 0.5 * sigh)
    a.move("belly", x=0.5 * stretch - 0.4 * sigh)
    tremble = wave(t, 11) * pulse(t, 0.95, 1.40, 0.15)
    # The stretched limbs shiver.
    shiver = wave(t, 4) * pulse(t, 0.92, 1.78, 0.2)
    a.rotate("chest", pitch=1.5 * shiver, roll=1.0 * shiver)
    a.nod(pitch=5.0 * before - 14.0 * wide + 0.5 * tremble, roll=-6.0 * stretch, yaw=3.0 * wide)
    smack = pulse(t, 1.80, 1.98, 0.09) + 0.7 * pulse(t, 2.02, 2.18, 0.08)
    # The smile disappears in the yawn and does not return, because a smile under half-shut lids would be
    # a leer.
    tired = keyed(t, (0.30, 0.0), (0.80, 1.0))
    a.mouth(0.16 - 0.10 * tired + 0.94 * wide + 0.22 * smack, 1.0 - 1.5 * tired - 0.4 * wide)
    a.rotate("jaw", pitch=15.0 * wide)      # the jaw opens by 30 degrees
    # The mouth is modeled as a smile, so a wide mouth laughs unless its corners go down.
    a.grimace(1.0 * wide + 0.2 * tired)
    squint = keyed(t, (0.47, 0.0), (0.59, 1.0), (1.54, 1.0), (1.60, 0.0))
    # The eyes look down with the head: half-shut lids over eyes that look at the viewer would look smug.
    a.look(0.0, 8.0 * keyed(t, (1.55, 0.0), (1.70, 1.0), (2.6, 1.0), (YAWN_SECONDS, 0.0)))
    for side, _ in SIDES:
        a.lids(side, squint, 0.95 * squint, 5.0)
    a.brows(0.7 * wide, -0.8 * wide)
    # The right fist goes up and out. Later the left fist goes up next to the cheek.
    left_stretch = keyed(t, (0.40, 0.0), (1.05, 1.0), (1.42, 1.0), (1.98, 0.0))
    a.rotate_side("clavicle", "r", roll=14.0 * stretch)
    a.arm("r", roll=96.0 * stretch, yaw=20.0 * stretch, pitch=-4.0 * stretch)
    a.elbow("r", 58.0 * pulse(t, 0.28, 0.98, 0.34) + 26.0 * stretch + 1.5 * tremble)
    a.rotate_side("clavicle", "l", roll=9.0 * left_stretch, yaw=10.0 * left_stretch)
    a.arm("l", roll=52.0 * left_stretch, pitch=18.0 * left_stretch)
    a.elbow("l", 88.0 * left_stretch + 1.5 * tremble)
    for side, amount in (("r", stretch), ("l", left_stretch)):
        a.grip(side, 0.75 * amount)
        a.wrist(side, 8.0 * shiver)
    a.ears(-10.0 * wide + 6.0 * sigh, 16.0 * wide)
    a.tail_pose(rise=12.0 * stretch, side=-10.0 * stretch, curl=8.0 * stretch)
    a.stand()


# --- sitting on the floor: legs stretched out, hands in the lap, the tail around the body

SIT_SECONDS = 1.4
_SEAT = (-4.4, -5.9)                 # displacement of the hips (x, z) relative to standing
_OUT = {side: (13.6, 8.2 * sign, 8.0 * sign) for side, sign in SIDES}
_DOWN = {side: Tread(BALL[0], BALL[1] * sign, 0.0,
                     (0.44 + delay, 0.86 + delay) + _OUT[side] + (2.2, 0.0))
         for (side, sign), delay in zip(SIDES, (0.0, 0.16))}
# Both feet come in, one shortly before the other, and then leave the floor together.
_UP = {side: Tread(*_OUT[side], (delay, 0.37 + delay, BALL[0], BALL[1] * sign, 0.0, 1.2, 0.0),
                   (0.44, 0.74, BALL[0], BALL[1] * sign, 0.0, 2.3, 8.0))
       for (side, sign), delay in zip(SIDES, (0.0, 0.06))}


def _seated(a, amount, legs, curl, hands=(1.0, 1.0)):
    """Poses Bobbin as he sits. legs: for each side, how far the leg is stretched out; curl: how far the tail
    is around the body; hands: how far each hand is on its thigh. All from 0 to 1."""
    a.move("hips", x=_SEAT[0] * amount, y=0.6 * amount, z=(_SEAT[1] + 0.55) * amount)
    a.rotate("hips", pitch=-15.0 * amount)
    a.bend(pitch=13.0 * amount)
    a.nod(pitch=4.0 * amount)
    a.move("belly", x=0.5 * amount)
    for n, pitch in ((1, 41.0), (2, 7.0), (3, -5.0), (4, -2.0)):
        a.rotate("tail_%d" % n, pitch=pitch * amount)
    for n, yaw in ((1, 12.0), (2, 27.0), (3, 34.0), (4, 34.0), (5, 32.0), (6, 27.0)):
        a.rotate("tail_%d" % n, yaw=-yaw * curl)
    for side, _ in SIDES:
        a.grip(side, 0.1 * amount)
    for side, (x, y, z, pitch, yaw) in legs.items():
        up = min(1.0, max(0.0, (x - BALL[0]) / (_OUT["l"][0] - BALL[0])))
        a.foot(side, x, y, z + 0.35 * up, pitch - 48.0 * up, yaw, 0.5,
               (1.0 - 0.8 * up, 0.32, 0.12 + 0.88 * up))
    for (side, _), hand_amount in zip(SIDES, hands):
        a.on_thigh(side, hand_amount)


def sit(a, t):
    """Sinks while Bobbin sleeps on his feet, drops onto the floor, and draws the tail around the body."""
    squat = keyed(t, (0.0, 0.0), (0.46, 0.55), (0.52, 0.55))
    drop = min(1.0, max(0.0, (t - 0.50) / 0.28)) ** 2
    down = squat + (1.0 - squat) * drop
    plump = pulse(t, 0.76, 1.10, 0.08)
    a.neutral_stance()
    _asleep(a, 1.0, shut=keyed(t, (0.0, _DROWSY), (0.28, 0.50), (0.60, 1.0)))
    a.mouth(0.06, -0.5)
    # Bobbin sways before the knees give way.
    sway = pulse(t, 0.0, 0.62, 0.24)
    a.move("hips", y=1.3 * sway)
    a.bend(pitch=9.0 * pulse(t, 0.1, 0.8, 0.3) + 4.0 * plump, roll=-4.0 * sway)
    a.nod(roll=6.0 * pulse(t, 0.04, 0.76, 0.26))
    a.stretch(-0.8 * plump)
    a.nod(pitch=7.0 * plump - 3.0 * pulse(t, 0.92, 1.3, 0.14))
    a.tail_pose(rise=10.0 * pulse(t, 0.1, 0.8, 0.3))
    # The impact on the floor throws hanging parts up, one arm after the other.
    for side, delay, high in (("l", 0.0, 17.0), ("r", 0.07, 9.0)):
        # While Bobbin sways, the arms swing out and forward.
        hang = pulse(t - delay, 0.04, 0.68, 0.26)
        a.arm(side, roll=high * pulse(t - delay, 0.56, 1.12, 0.22) + 0.6 * high * hang, pitch=-9.0 * hang)
        a.elbow(side, 0.8 * high * pulse(t - delay, 0.64, 1.24, 0.24))
    _seated(a, down, {side: _DOWN[side].at(t) for side, _ in SIDES}, keyed(t, (0.62, 0.0), (1.38, 1.0)),
            (keyed(t, (0.62, 0.0), (1.16, 1.0)), keyed(t, (0.84, 0.0), (1.38, 1.0))))


def doze(a, t):
    """Sleeps while sitting, with deep breaths and a snore that opens the mouth. The head slips sideways,
    farther and farther. Bobbin catches it, opens one eye a little, smacks the lips, and falls asleep again.
    One ear twitches."""
    phase = t / DOZE_SECONDS
    breath = wave(phase, 1, 0.25) + 1.0       # 0 at the beginning of the loop
    slip = looped(phase, 1.0, (0.02, 0.0), (0.20, 0.08), (0.44, 0.45), (0.62, 1.0), (0.705, -0.22),
                  (0.78, 0.06), (0.86, 0.0))
    caught, peek = bump(phase, 0.63, 0.80, 0.06), bump(phase, 0.64, 0.82, 0.03)
    smack = bump(phase, 0.80, 0.86, 0.03) + 0.7 * bump(phase, 0.87, 0.93, 0.03)
    a.neutral_stance()
    _asleep(a, 1.0, 0.75 * breath)
    a.rotate("hips", pitch=-1.5 * breath)
    a.bend(roll=-1.5 * wave(phase) + 5.0 * slip, pitch=2.0 * slip - 3.0 * caught)
    a.nod(roll=11.0 * slip, pitch=5.0 * slip - 5.0 * caught, yaw=-4.0 * slip)
    a.move("hips", y=0.15 * wave(phase, 1, 0.1) - 0.15 * wave(0.0, 1, 0.1))
    a.move("belly", x=0.25 * breath)
    a.lids("r", -0.6 * peek, -0.3 * peek, _SAG)
    # Air enters through the mouth, which the expression `oo` makes round, and leaves with shut lips.
    snore = looped(phase, 1.0, (0.05, 0.0), (0.30, 0.8), (0.44, 1.0), (0.56, 0.0), (0.95, 0.0))
    snore *= 1.0 + 0.2 * wave(phase, 16) * bump(phase, 0.22, 0.50, 0.1)
    a.mouth(0.06 + 0.45 * snore + 0.2 * smack, -0.5 - 0.4 * snore)
    a.rotate("tongue", pitch=7.0 * snore)
    a.ears(16.0 * bump(phase, 0.70, 0.76, 0.03), 0.0, "l")
    a.ears(-6.0 * slip + 6.0 * caught, 0.0)
    for side, delay in (("l", 0.0), ("r", 0.03)):
        a.rotate_side("clavicle", side, roll=2.5 * breath + 4.0 * bump(phase - delay, 0.64, 0.80, 0.06))
    a.rotate("tail_6", yaw=-6.0 * bump(phase, 0.72, 0.86, 0.05))
    a.rotate("tail_fin", yaw=-9.0 * bump(phase, 0.73, 0.88, 0.05))
    _seated(a, 1.0, {side: Tread(*_OUT[side]).at(0.0) for side, _ in SIDES}, 1.0)
    # The hands move with the breath. The right hand slips off the knee with the head, and Bobbin draws
    # it back.
    slide = looped(phase, 1.0, (0.06, 0.0), (0.34, 0.25), (0.64, 1.0), (0.71, 1.06), (0.80, -0.1),
                   (0.88, 0.0))
    a.on_thigh("l", 1.0, 0.3 * breath + 0.5 * caught)
    a.on_thigh("r", 1.0, 0.3 * breath + 2.2 * slide)


def startle(a, t):
    """Starts up with wide eyes, raised ears and spread arms, draws the feet under the body, pushes off with a
    hop, lands, shakes the head, and stands."""
    sleep = keyed(t, (0.0, 1.0), (0.18, 0.0))
    fright = keyed(t, (0.06, 0.0), (0.24, 1.0), (0.62, 0.9), (1.0, 0.0))
    # The hips remain down until the feet are below them.
    down = 1.0 - keyed(t, (0.16, 0.0), (0.30, 0.28), (0.54, 1.0))
    lean = keyed(t, (0.12, 0.0), (0.34, 1.0), (0.50, 0.0))
    up = keyed(t, (0.40, 0.0), (0.57, 1.0), (0.74, 0.0))
    sink = pulse(t, 0.66, 1.02, 0.15)
    squash = pulse(t, 0.0, 0.22, 0.10)       # before the hop
    a.neutral_stance()
    _asleep(a, sleep, shut=keyed(t, (0.0, 1.0), (0.10, 0.0)))      # the eyes open first
    a.move("hips", x=2.6 * lean, z=0.5 * fright + 2.3 * up - 1.5 * sink)
    a.rotate("hips", pitch=9.0 * lean + 3.0 * sink)
    a.bend(pitch=-8.0 * fright + 19.0 * lean + 7.0 * sink + 8.0 * squash)
    a.stretch(0.9 * fright - 0.7 * lean + 0.5 * up - 0.6 * sink - 1.3 * squash)
    a.nod(pitch=-7.0 * fright - 14.0 * lean, yaw=9.0 * pulse(t, 0.66, STARTLE_SECONDS, 0.12) * wave(t, 4))
    # The left arm flies out. A little later, the right arm comes in front of the chest.
    right_fright = keyed(t, (0.10, 0.0), (0.36, 1.0), (0.60, 0.9), (1.02, 0.0))
    for side, amount, wide, ahead, bent in (("l", fright, 34.0, -4.0, 14.0),
                                            ("r", right_fright, 0.0, -20.0, 34.0)):
        a.arm(side, roll=wide * amount + 10.0 * up, pitch=ahead * amount + 14.0 * lean)
        a.elbow(side, bent * amount)
        a.grip(side, -0.5 * amount)
    a.mouth(0.16 + 0.5 * fright, 1.0 - fright)
    a.frightened(fright)
    a.ears(44.0 * keyed(t, (0.06, 0.0), (0.28, 1.0), (0.60, 0.9), (1.0, 0.0)))
    a.tail_pose(rise=9.0 * fright)
    _seated(a, down, {side: _UP[side].at(t) for side, _ in SIDES}, 1.0 - keyed(t, (0.04, 0.0), (0.46, 1.0)),
            (keyed(t, (0.0, 1.0), (0.36, 0.0)), keyed(t, (-0.14, 1.0), (0.26, 0.0))))
