"""Clips without locomotion: idle, talk, and gestures that begin and end in the neutral stance."""

import math

from kit.curves import bump, keyed, looped, pulse, wave
from kit.maths import add, smoothstep

from bobbin_parts.actor import BALL, SIDES, Tread

IDLE_SECONDS, WAVE_SECONDS, TALK_SECONDS, CARRY_SECONDS = 5.0, 3.5, 4.0, 4.0


def _hip(phase):
    """Returns 1 if the weight is on the left hip, -1 if it is on the right hip, with holds."""
    side = wave(phase)
    return math.copysign(smoothstep(0.0, 0.8, abs(side)), side)


def idle(a, t):
    """Breathes, shifts the weight, looks around, scratches the belly, and swings the tail."""
    phase = t / IDLE_SECONDS
    breath = wave(phase, 2)
    # The weight is on one hip for a second, then on the other hip. The back follows, and then the head.
    sway, trunk, head = _hip(phase), _hip(phase - 0.025), _hip(phase - 0.05)
    a.move("hips", y=2.5 * sway, z=-0.55 - 0.25 * abs(sway) + 0.12 * wave(phase, 2, 0.1),
           x=0.1 * wave(phase, 1, 0.2))
    a.rotate("hips", roll=3.2 * sway, yaw=1.5 * wave(phase, 1, 0.1))
    a.bend(roll=-5.2 * trunk, pitch=0.4 * breath)
    a.rotate("chest", pitch=-1.0 * breath)
    a.stretch(0.28 * wave(phase, 2, 0.05))
    a.move("belly", x=0.25 * wave(phase, 2, 0.45))
    # Bobbin looks to the left, then to the right. The eyes lead, and the head follows.
    left, right = bump(phase, 0.26, 0.50, 0.05), bump(phase, 0.58, 0.80, 0.05)
    left_delayed, right_delayed = bump(phase, 0.28, 0.53, 0.08), bump(phase, 0.60, 0.83, 0.08)
    a.look(13.0 * left - 12.0 * right, -3.0 * left)
    a.rotate("neck", yaw=5.0 * left_delayed - 5.0 * right_delayed, roll=1.5 * head)
    a.rotate("head", yaw=9.0 * left_delayed - 9.0 * right_delayed,
             roll=4.0 * right_delayed - 3.5 * left_delayed,
             pitch=-1.5 + 1.0 * wave(phase, 2, 0.12) - 3.0 * left_delayed)
    a.brows(0.5 * left - 0.15 * right, 0.25 * right)
    a.brows(0.35 * right, 0.0, "l")
    a.mouth(0.16 + 0.14 * right_delayed + 0.05 * breath)
    a.arms_down()
    a.both("clavicle", roll=1.3 * wave(phase, 2, 0.08))
    a.both("upperarm", roll=1.5 * wave(phase, 2, 0.12) + 2.5 * abs(trunk), pitch=1.5 * wave(phase, 1, 0.1))
    a.rotate("upperarm_l", pitch=2.0 * wave(phase, 1, 0.2))
    a.rotate("upperarm_r", pitch=-2.0 * wave(phase, 1, 0.2))
    a.both("forearm", pitch=-2.0 * wave(phase, 2, 0.2))
    for side, shift in (("l", 0.1), ("r", 0.16)):
        a.grip(side, 0.08 * wave(phase, 2, shift) + 0.15 * bump(phase, 0.64, 0.78, 0.05))
    a.tail(6.0, 1.0, phase, 2, 0.07)
    a.ears(1.5 * wave(phase, 2, 0.08) + 4.0 * left + 3.0 * right)
    # The left hand makes a questioning gesture.
    gesture = bump(phase, 0.29, 0.50, 0.08)
    a.arm("l", roll=7.0 * gesture, pitch=-5.0 * gesture)
    a.elbow("l", 30.0 * gesture)
    a.wrist("l", 34.0 * bump(phase, 0.31, 0.51, 0.07))
    a.grip("l", -0.35 * bump(phase, 0.32, 0.50, 0.05))
    _scratch(a, phase)
    # One ear twitches when Bobbin looks that way.
    a.ears(22.0 * (bump(phase, 0.31, 0.37, 0.02) - 0.6 * bump(phase, 0.345, 0.40, 0.02)), 0.0, "l")
    a.ears(20.0 * bump(phase, 0.64, 0.70, 0.025), 0.0, "r")
    a.stand()
    a.spread("l", 3.0 * bump(phase, 0.44, 0.52, 0.03))


def _scratch(a, phase):
    """Looks to the right, and scratches the belly four times with the right hand."""
    amount, busy = bump(phase, 0.40, 0.80, 0.11), bump(phase, 0.50, 0.70, 0.03)
    stroke = busy * wave(phase, 20)
    hips = a.pose.locate(a.pose.skeleton.index["hips"])[0]
    a.rotate_side("clavicle", "r", yaw=-5.0 * amount)
    # The hand approaches from the front, so that it does not hit the hip.
    a.arm("r", roll=20.0 * amount, pitch=-10.0 * amount)
    a.elbow("r", 40.0 * amount)
    a.palm("r", add(hips, (11.2, -8.3, 4.6 + 0.5 * stroke)), (0.25, 0.95, -0.15), amount,
           (0.9, -0.25, 0.3), (-0.5, 0.9, -0.3))
    a.grip("r", 0.35 * amount + 0.1 * busy * wave(phase, 20, 0.2))
    a.move("belly", z=0.12 * stroke)


def greet(a, t):
    """Straightens up, waves with the right hand, smiles, winks, and returns to the neutral stance."""
    phase = t / WAVE_SECONDS
    up = bump(phase, 0.06, 0.90, 0.13)
    shake = bump(phase, 0.17, 0.82, 0.09)
    dip = bump(phase, 0.0, 0.14, 0.06) + 0.6 * bump(phase, 0.84, 0.99, 0.07)
    bounce = wave(phase, 6, 0.05)
    a.move("hips", y=1.3 * up, z=-0.55 - 1.4 * dip + 0.4 * up + 0.28 * shake * bounce)
    a.rotate("hips", roll=-2.5 * up, yaw=4.0 * up)
    a.stretch(-0.7 * dip + 0.7 * up + 0.2 * shake * wave(phase, 6, 0.12))
    a.bend(roll=1.0 * up + 2.7 * shake * wave(phase, 3, 0.13), pitch=6.0 * dip - 3.0 * up)
    a.rotate("neck", roll=5.0 * up, yaw=-2.0 * up)
    a.rotate("head", roll=8.0 * up + 2.5 * shake * wave(phase, 3, 0.2), pitch=4.0 * dip - 5.0 * up,
             yaw=-3.0 * up)
    a.mouth(0.16 + 0.84 * up + 0.08 * shake * bounce)
    a.brows(0.7 * up)
    # The left eye winks. The right eye narrows at the same time.
    wink = bump(phase, 0.40, 0.58, 0.04)
    a.lids("l", wink, wink, 8.0)
    a.lids("r", 0.18 * wink, 0.45 * wink)
    a.brows(-0.9 * wink, 0.5 * wink, "l")
    a.arms_down()
    # The right arm rises far to the side of the head, so that it hides neither eye nor ear. The forearm
    # swings along an arc, and the hand follows with a delay.
    a.rotate_side("clavicle", "r", roll=14.0 * up, yaw=6.0 * up)
    a.rotate_side("upperarm", "r", roll=83.0 * up, yaw=4.0 * up)
    a.rotate_side("forearm", "r", roll=-22.0 * up + 21.0 * shake * wave(phase, 6), pitch=4.0 * up)
    a.rotate_side("hand", "r", roll=18.0 * up + 20.0 * shake * wave(phase, 6, 0.16), pitch=6.0 * up)
    a.grip("r", -0.5 * up + 0.25 * shake * wave(phase, 6, 0.22), -0.3 * up)
    # The left arm balances, a little away from the body.
    a.arm("l", roll=12.0 * up + 2.0 * shake * bounce, pitch=8.0 * up, bend=18.0 * up)
    a.rotate_side("hand", "l", roll=14.0 * up)
    a.tail(6.0 + 5.0 * up, 1.5, phase, 3, 0.08)
    a.ears(13.0 * up - 14.0 * dip + 3.0 * shake * bounce)
    a.look(0.0, -2.0 * up)
    a.stand()


# Position of the pointing wrist: at Bobbin's side, so that it is visible from the front.
_POINTS = (12.2, -14.2, 30.6)


def point(a, t):
    """Draws the arm in, thrusts it out to point at something, and checks that the viewer looks there."""
    draw = keyed(t, (0.0, 0.0), (0.34, 1.0), (0.62, 0.0))
    out = keyed(t, (0.26, 0.0), (0.60, 1.05), (0.78, 1.0), (1.75, 1.0), (2.25, 0.0))
    # Twice more, the arm draws back less far and thrusts again.
    jab = bump(t / 2.5, 0.38, 0.53, 0.075) + bump(t / 2.5, 0.54, 0.69, 0.075)
    a.neutral_stance()
    a.move("hips", x=-0.9 * draw + 1.0 * out, y=0.9 * draw - 1.9 * out, z=-0.7 * draw - 0.25 * out)
    a.rotate("hips", yaw=-7.0 * draw + 6.0 * out, roll=1.5 * draw - 2.0 * out)
    # The shoulders rotate until they are in line with the arm.
    a.bend(yaw=-12.0 * draw + 35.0 * out - 6.0 * jab, pitch=3.0 * draw + 4.0 * out - 2.5 * jab,
           roll=-2.0 * out)
    a.stretch(-0.4 * draw + 0.5 * out - 0.25 * jab)
    gaze = keyed(t, (0.16, 0.0), (0.30, 1.0), (1.80, 1.0), (2.05, 0.0))
    back = bump(t / 2.5, 0.50, 0.70, 0.04)
    a.look(-9.0 * gaze + 20.0 * back, -1.0 * gaze)
    a.nod(yaw=-36.0 * keyed(t, (0.26, 0.0), (0.6, 1.0), (1.75, 1.0), (2.3, 0.0)) + 13.0 * back,
          pitch=-3.0 * out + 4.0 * draw, roll=3.0 * out)
    a.brows(0.8 * out - 0.4 * draw, 0.3 * draw)
    a.mouth(0.16 + 0.5 * out + 0.2 * jab - 0.1 * draw)
    # The eyes are shut for three frames and never half shut: half-shut eyes over a pointing finger would
    # look smug.
    a.blink(max(bump(t / 2.5, at, at + 0.075, 0.012) for at in (0.0625, 0.7958)))
    # The right arm is bent at the ribs, then stretched out. The finger moves last.
    reach = keyed(t, (0.12, 0.0), (0.70, 1.0), (1.75, 1.0), (2.40, 0.0))
    delayed = keyed(t, (0.36, 0.0), (0.60, 1.06), (0.74, 1.0), (1.70, 1.0), (2.25, 0.0))
    a.rotate_side("clavicle", "r", yaw=-9.0 * out, roll=6.0 * draw + 5.0 * out)
    a.arm("r", roll=12.0 * draw, pitch=26.0 * draw)
    # The elbow remains bent on the way out, because the forearm would swing through the body otherwise.
    a.elbow("r", 56.0 * keyed(t, (0.0, 0.0), (0.36, 1.0), (1.80, 1.0), (2.35, 0.0)))
    a.rotate_side("hand", "r", roll=-18.0 * draw)
    a.palm("r", (_POINTS[0] - 8.0 * (1.0 - reach) - 3.4 * jab, _POINTS[1], _POINTS[2] + 0.5 * jab),
           (0.78, -0.62, 0.34 - 0.16 * jab), reach)
    for name in ("finger_b_1", "finger_b_2"):
        a.rotate_side(name, "r", roll=-42.0 * delayed)
    a.rotate_side("finger_a_1", "r", roll=22.0 * delayed, pitch=10.0 * delayed)
    a.rotate_side("finger_a_2", "r", roll=16.0 * delayed)
    a.rotate_side("thumb_1", "r", yaw=22.0 * delayed, pitch=14.0 * delayed)
    a.rotate_side("thumb_2", "r", yaw=26.0 * delayed)
    # The left arm swings back as a counterbalance.
    a.arm("l", roll=18.0 * out, pitch=-9.0 * draw + 19.0 * out, bend=12.0 * out)
    a.grip("l", 0.5 * out)
    a.tail_pose(side=-9.0 * draw + 14.0 * out, rise=4.0 * out)
    a.ears(-7.0 * draw + 13.0 * out)
    for side, sign in SIDES:
        a.foot(side, BALL[0], BALL[1] * sign)


def bow(a, t):
    """Bows formally: one arm in front of the belly, one arm behind the back, eyes shut, ears forward."""
    rise = keyed(t, (0.0, 0.0), (0.35, 1.0), (0.60, 0.0), (2.15, 0.0), (2.45, 0.5), (2.8, 0.0))
    down = keyed(t, (0.25, 0.0), (1.0, 1.0), (1.5, 1.04), (2.25, 0.0))
    head = keyed(t, (0.30, 0.0), (1.15, 1.0), (1.55, 1.0), (2.35, 0.0))
    arm = keyed(t, (0.10, 0.0), (0.85, 1.0), (1.75, 1.0), (2.45, 0.0))
    a.neutral_stance()
    # The body leans toward the arm that sweeps out, then over the other foot. Head and tail rotate a
    # little.
    aside = keyed(t, (0.0, 0.0), (0.42, -0.7), (1.05, 1.0), (1.7, 0.85), (2.5, 0.0))
    a.move("hips", x=-2.9 * down + 0.3 * rise, y=1.2 * aside, z=-0.9 * down + 0.35 * rise)
    a.rotate("hips", pitch=21.0 * down - 2.0 * rise, roll=2.5 * aside, yaw=5.0 * aside)
    a.bend(pitch=30.0 * down - 7.0 * rise, roll=-6.0 * aside, yaw=-4.0 * aside)
    a.stretch(0.6 * rise - 0.3 * down)
    a.nod(pitch=15.0 * head - 9.0 * rise)
    a.blink(keyed(t, (0.6, 0.0), (0.8, 1.0), (1.75, 1.0), (1.95, 0.0)), 2.0)
    a.brows(0.5 * rise, -0.3 * down)
    a.mouth(0.12 + 0.25 * rise, 1.2)
    # The right arm goes out to the side first, then in an arc in front of the belly.
    out = keyed(t, (0.05, 0.0), (0.42, 1.0), (0.9, 0.0), (1.75, 0.0), (2.1, 0.6), (2.6, 0.0))
    a.rotate_side("clavicle", "r", yaw=-10.0 * arm)
    a.arm("r", roll=30.0 * out + 4.0 * arm, pitch=-18.0 * arm, yaw=-14.0 * arm)
    a.elbow("r", 10.0 * out + 62.0 * arm)
    a.rotate_side("hand", "r", roll=16.0 * out - 16.0 * arm)
    a.grip("r", -0.25 * out + 0.1 * arm)
    # The left arm sweeps out and back.
    a.arm("l", roll=16.0 * out + 22.0 * arm, pitch=44.0 * arm)
    a.elbow("l", 8.0 * arm)
    a.rotate_side("hand", "l", roll=18.0 * arm)
    a.grip("l", -0.4 * arm)
    a.tail_pose(rise=16.0 * down, side=-26.0 * aside, curl=-16.0 * down + 6.0 * rise)
    a.ears(9.0 * rise - 12.0 * down, -22.0 * head)
    a.stand()


_STRIKE = Tread(BALL[0], BALL[1], 0.0, (0.18, 0.52, 11.2, 7.4, 5.0, 2.4, 10.0),
                (0.74, 1.10, BALL[0], BALL[1], 0.0, 1.6, 12.0))


def attack(a, t):
    """Winds up, lunges onto the left foot, and strikes across the body with the claws of the right hand."""
    wind = keyed(t, (0.0, 0.0), (0.26, 0.98), (0.34, 1.0), (0.50, 0.0))
    hit = keyed(t, (0.28, 0.0), (0.52, 1.0), (0.72, 1.0), (1.12, 0.0))
    over = keyed(t, (0.46, 0.0), (0.66, 1.0), (1.12, 0.0))
    lunge = keyed(t, (0.26, 0.0), (0.56, 1.0), (0.72, 1.0), (1.12, 0.0))
    # Bobbin crouches, rises over the foot that steps out, and falls forward into the strike.
    tall = keyed(t, (0.20, 0.0), (0.38, 1.0), (0.55, 0.0))
    a.neutral_stance()
    a.move("hips", x=-2.6 * wind + 6.9 * lunge, y=-1.1 * wind + 1.0 * lunge,
           z=-1.9 * wind - 2.0 * lunge + 2.6 * tall)
    a.rotate("hips", yaw=-15.0 * wind + 15.0 * hit, pitch=-3.0 * wind + 11.0 * hit)
    a.bend(yaw=-27.0 * wind + 36.0 * hit + 25.0 * over, pitch=-9.0 * wind + 15.0 * hit,
           roll=5.0 * wind - 4.0 * hit)
    a.stretch(-0.7 * wind + 1.1 * tall - 0.4 * over)
    a.nod(yaw=30.0 * wind - 26.0 * hit - 17.0 * over, pitch=6.0 * wind - 17.0 * hit)
    a.brows(-0.6 * wind - 0.7 * hit, 2.1 * max(wind, hit))
    for side, _ in SIDES:
        a.lids(side, 0.34 * wind + 0.30 * hit, 0.34 * wind + 0.30 * hit)
        a.droop(side, -12.0 * max(wind, hit))
    a.mouth(0.16 - 0.12 * wind + 0.8 * keyed(t, (0.34, 0.0), (0.49, 1.0), (0.68, 0.85),
                                             (0.98, 0.0)), 1.0 - 1.2 * wind - 2.0 * hit)
    # The right hand goes up and back, over the shoulder, and down across the body.
    a.rotate_side("clavicle", "r", roll=17.0 * wind - 5.0 * over, yaw=13.0 * wind - 17.0 * hit)
    # The strike ends to the left of the left hip with a straight arm, so that the arm does not wrap around
    # the body.
    a.arm("r", roll=79.0 * wind + 42.0 * hit - 30.0 * over,
          yaw=37.0 * wind - 57.0 * hit - 22.0 * over)
    a.elbow("r", 62.0 * wind + 8.0 * hit - 12.0 * over)
    a.rotate_side("hand", "r", roll=26.0 * wind - 14.0 * hit - 10.0 * over)
    a.grip("r", -0.7 * wind + 0.12 * hit + 0.35 * over, -0.5 * wind)
    a.rotate_side("clavicle", "l", yaw=-5.0 * wind)
    a.arm("l", roll=20.0 * wind + 62.0 * hit, pitch=-34.0 * wind + 16.0 * hit, yaw=16.0 * hit)
    a.elbow("l", 44.0 * wind + 6.0 * hit)
    a.grip("l", 0.35 * wind + 0.5 * hit)
    a.tail_pose(side=20.0 * wind - 26.0 * over, rise=7.0 * wind + 5.0 * hit)
    a.ears(-9.0 * wind - 5.0 * hit, 16.0 * wind + 24.0 * hit)
    x, y, z, pitch, yaw = _STRIKE.at(t)
    a.foot("l", x, y, z, pitch, yaw, 0.6)
    # The right foot pushes off with its toes.
    a.foot("r", BALL[0], -BALL[1], 0.0, keyed(t, (0.16, 0.0), (0.56, 44.0), (0.72, 42.0),
                                              (1.06, 0.0)))
    for side, _ in SIDES:
        a.spread(side, 5.0 * hit)


_STAGGER = Tread(BALL[0], -BALL[1], 0.0, (0.04, 0.30, -2.2, -8.6, -8.0, 1.8, 4.0),
                 (0.50, 0.84, BALL[0], -BALL[1], 0.0, 1.5, 10.0))


def hit(a, t):
    """Is hit on the chest: is thrown back onto the right foot, winces, and shakes the head."""
    blow = keyed(t, (0.0, 0.0), (0.10, 1.0), (0.24, 0.9), (0.62, 0.0))
    whip = keyed(t, (0.0, 0.0), (0.07, -0.8), (0.20, 1.0), (0.50, 0.0))
    after = keyed(t, (0.08, 0.0), (0.28, 1.0), (0.45, 0.8), (0.85, 0.0))
    a.neutral_stance()
    a.move("hips", x=-3.2 * keyed(t, (0.0, 0.0), (0.24, 1.0), (0.42, 0.95), (0.87, 0.0)),
           y=-0.9 * after, z=0.45 * blow - 2.1 * after)
    a.rotate("hips", pitch=-7.0 * blow + 7.0 * after, yaw=-8.0 * after)
    a.bend(pitch=-19.0 * blow + 20.0 * after, yaw=-9.0 * blow, roll=-4.0 * after)
    a.stretch(-0.8 * blow)
    a.move("belly", x=-1.0 * blow)
    a.nod(pitch=-20.0 * whip + 5.0 * after, yaw=-7.0 * whip
          + 8.0 * pulse(t, 0.46, 0.89, 0.16) * wave(t, 4), roll=5.0 * whip)
    # The face shows shock first: wide eyes and an open mouth. Then it shows pain: eyes squeezed shut and
    # clenched teeth. Shut eyes over an open mouth would look like singing. Bobbin looks at the place that
    # hurts. His face relaxes only when he stands again.
    shock = keyed(t, (0.0, 0.0), (0.07, 1.0), (0.16, 0.9), (0.25, 0.0))
    cry = keyed(t, (0.0, 0.0), (0.08, 1.0), (0.15, 0.9), (0.27, 0.0))
    wince = keyed(t, (0.15, 0.0), (0.25, 1.0), (0.43, 1.0), (0.54, 0.0))
    pain = keyed(t, (0.0, 0.0), (0.08, 1.0), (0.56, 0.9), (0.72, 0.6), (0.88, 0.0))
    for side, _ in SIDES:
        a.wince(side, wince)
        a.lids(side, -0.16 * shock, -0.2 * shock)
    woe = keyed(t, (0.40, 0.0), (0.54, 1.0), (0.68, 0.9), (0.86, 0.0))
    a.brows(1.1 * shock - 0.7 * wince + 0.3 * woe, -1.0 * shock + 1.2 * wince - 1.6 * woe)
    a.look(4.0 * woe, 9.0 * woe)
    a.mouth(0.10 + 0.75 * cry + 0.16 * after, 1.0 - pain)
    a.grimace(pain)
    # The left arm stays in front of the body, and the right arm is thrown out, because the right side goes
    # back. Then the left hand goes to the place that hurts.
    hurt = keyed(t, (0.20, 0.0), (0.42, 1.0), (0.60, 1.0), (0.90, 0.0))
    for side, delayed, wide, ahead in (("l", 0.0, 32.0, -28.0), ("r", 0.04, 66.0, -6.0)):
        fling = keyed(t - delayed, (0.0, 0.0), (0.20, 1.1), (0.32, 0.7), (0.75, 0.0))
        a.rotate_side("clavicle", side, yaw=-12.0 * fling, roll=5.0 * fling)
        a.arm(side, roll=wide * fling, pitch=ahead * fling, yaw=0.8 * ahead * fling)
        a.elbow(side, 6.0 * fling + 22.0 * after)
        a.rotate_side("hand", side, roll=-24.0 * blow + 10.0 * after)
        a.grip(side, -0.5 * fling)
    a.arm("l", roll=7.0 * hurt, pitch=-10.0 * hurt)
    a.elbow("l", 46.0 * hurt)
    a.grip("l", 0.2 * hurt)
    a.tail_pose(rise=14.0 * blow, curl=-10.0 * blow, side=8.0 * after)
    # The ears move late: only the hit itself whips them.
    flap = keyed(t, (0.06, 0.0), (0.30, 1.0), (0.38, 0.95), (0.74, 0.0))
    a.ears(-16.0 * keyed(t, (0.06, 0.0), (0.34, 1.0), (0.48, 0.9), (0.88, 0.0)), -16.0 * flap)
    a.foot("l", BALL[0], BALL[1], 0.0, -15.0 * keyed(t, (0.05, 0.0), (0.16, 1.0), (0.34, 0.0)))
    x, y, z, pitch, yaw = _STAGGER.at(t)
    a.foot("r", x, y, z, pitch, yaw, 0.5)


# Syllables: the time at which the mouth opens, how far it opens, and if the lips spread (1) or round (0).
_SYLLABLES = ((0.10, 0.6, 0.8), (0.28, 0.35, 0.3), (0.44, 0.85, 1.0), (0.70, 0.5, 0.2),
              (0.86, 0.7, 0.9), (1.02, 0.3, 0.5), (1.40, 0.5, 0.1), (1.56, 0.9, 1.0),
              (1.78, 0.45, 0.4), (1.94, 0.65, 0.8), (2.12, 0.35, 0.1), (2.30, 0.95, 1.0),
              (2.56, 0.4, 0.6), (2.95, 0.55, 0.9), (3.11, 0.35, 0.2), (3.28, 0.75, 0.8))


def talk(a, t):
    """Tells a story: each syllable is a shape of the mouth, each stress is a nod and a gesture of a hand."""
    phase = t / TALK_SECONDS
    wide, spread = 0.0, 0.0
    for start, size, lips in _SYLLABLES:
        open_ = bump(phase, (start - 0.08) / TALK_SECONDS, (start + 0.16) / TALK_SECONDS, 0.025)
        wide, spread = max(wide, size * open_), max(spread, lips * open_)
    left = bump(phase, 0.06, 0.34, 0.06) + bump(phase, 0.54, 0.80, 0.06)
    right = bump(phase, 0.34, 0.62, 0.06) + 0.8 * bump(phase, 0.56, 0.80, 0.06)
    # While one hand gestures, the other hand also moves a little.
    left, right = left + 0.25 * right, right + 0.25 * left
    stress = max(bump(phase, s, s + 0.07, 0.03) for s in (0.09, 0.37, 0.55, 0.80))
    a.neutral_stance()
    a.move("hips", y=0.9 * wave(phase, 1, 0.05), z=-0.25 * stress)
    a.rotate("hips", yaw=3.0 * wave(phase, 1, 0.1), roll=1.6 * wave(phase, 1, 0.05))
    a.bend(yaw=6.0 * wave(phase, 1, 0.14), roll=-2.6 * wave(phase, 1, 0.08),
           pitch=2.5 * stress + 1.0 * wave(phase, 2, 0.3))
    a.stretch(0.15 * wave(phase, 2) - 0.25 * stress)
    a.nod(pitch=7.0 * stress - 3.0 * wave(phase, 2, 0.1), yaw=7.0 * wave(phase, 1, 0.2),
          roll=4.0 * wave(phase, 2, 0.35))
    a.look(6.0 * wave(phase, 1, 0.12) - 6.0 * bump(phase, 0.64, 0.76, 0.03),
           -4.0 * bump(phase, 0.64, 0.76, 0.03))
    a.mouth(0.12 + 0.86 * wide, 0.2 + 0.9 * spread + 0.3 * stress)
    a.move("jaw", x=0.25 * wide * (1.0 - spread))
    a.rotate("tongue", pitch=-9.0 * wide * spread)
    a.brows(0.75 * stress + 0.25 * left, -0.35 * bump(phase, 0.62, 0.78, 0.05))
    # Once the left hand rises above the shoulder to show a height.
    high = bump(phase, 0.52, 0.80, 0.08)
    a.arm("l", roll=72.0 * high, yaw=10.0 * high)
    a.elbow("l", -38.0 * high)
    for side, gesture in (("l", left), ("r", right)):
        beat = gesture * stress
        a.rotate_side("clavicle", side, roll=4.0 * gesture, yaw=-5.0 * gesture)
        a.arm(side, roll=10.0 * gesture, pitch=-10.0 * gesture + 6.0 * beat,
              yaw=-10.0 * gesture)
        a.elbow(side, 58.0 * gesture - 20.0 * beat)
        a.wrist(side, 45.0 * gesture)
        a.rotate_side("hand", side, roll=8.0 * gesture + 14.0 * beat)
        a.grip(side, -0.45 * gesture)
    a.tail(5.0, 1.0, phase, 2, 0.07)
    a.ears(6.0 * stress + 3.0 * wave(phase, 2, 0.1))
    a.stand()


def _lit_hip(phase):
    """Returns the hip that bears the weight: the left hip while Bobbin peers, and from frame 34 on the hip on
    the side of the lantern, before and while Bobbin lifts it."""
    return looped(phase, 1.0, (0.03, 0.7), (0.24, 1.0), (0.355, -1.0), (0.66, -1.0), (0.80, -0.7))


def carry(a, t):
    """Peers ahead by the light of a lantern in the right hand, then holds the lantern up and looks at it. As
    a layer over other clips, only the right arm of this clip is used. The hips shift to the side of the
    lantern before it rises, and the left arm balances."""
    phase = t / CARRY_SECONDS
    breath = wave(phase, 2)
    sway, trunk, head = (_lit_hip(phase - delayed) for delayed in (0.0, 0.03, 0.06))
    a.neutral_stance()
    a.mouth(0.16 + 0.05 * breath)
    # The light moves ahead and to the left. The eyes move earlier than the light, the head later.
    ahead, peers = bump(phase, 0.06, 0.37, 0.09), bump(phase, 0.04, 0.35, 0.05)
    high = bump(phase, 0.38, 0.80, 0.12)
    a.move("hips", x=0.1 * wave(phase, 1, 0.2) + 0.9 * ahead, y=2.4 * sway,
           z=-0.2 * abs(sway) + 0.14 * wave(phase, 2, 0.1) - 0.5 * ahead)
    a.rotate("hips", roll=3.2 * sway, yaw=1.5 * wave(phase, 1, 0.1))
    a.bend(roll=-5.2 * trunk, pitch=0.6 * breath + 8.0 * ahead, yaw=11.0 * ahead)
    a.rotate("chest", pitch=-1.6 * breath)
    a.stretch(0.32 * wave(phase, 2, 0.05))
    a.move("belly", x=0.3 * wave(phase, 2, 0.45))
    a.both("clavicle", roll=1.6 * wave(phase, 2, 0.08))
    a.rotate_side("clavicle", "r", roll=5.0, yaw=-4.0 - 8.0 * ahead)
    # The arm keeps the light level: it follows the trunk with a delay.
    a.arm("r", roll=1.5 * wave(phase, 2, 0.15) + 2.0 * trunk,
          pitch=-25.0 + 1.5 * wave(phase, 2, 0.12) - 14.0 * high - 16.0 * ahead, yaw=20.0)
    a.elbow("r", 50.0 + 3.0 * wave(phase, 2, 0.2) + 8.0 * high - 10.0 * ahead)
    a.wrist("r", 25.0)
    a.rotate_side("hand", "r", pitch=2.0 * wave(phase, 2, 0.26), roll=2.0 * head)
    a.grip("r", 0.55)
    # The left arm balances: it is out at frame 52 and overshoots a little. Its hand follows later.
    answer, delayed = (keyed(phase - by, (0.40, 0.0), (0.542, 1.0), (0.62, 0.8), (0.72, 0.8), (0.86, 0.0))
                       for by in (0.0, 0.035))
    a.rotate_side("upperarm", "l",
                  roll=2.0 * wave(phase, 2, 0.12) + 2.5 * abs(trunk) + 34.0 * answer + 9.0 * ahead,
                  pitch=3.0 * wave(phase, 1, 0.2) + 16.0 * ahead + 10.0 * answer)
    a.rotate_side("forearm", "l", pitch=-3.0 * wave(phase, 2, 0.2) - 26.0 * answer - 14.0 * ahead)
    a.rotate_side("hand", "l", roll=20.0 * delayed)
    a.grip("l", -0.5 * delayed)
    # Bobbin looks at the light for a long time, eyes first, and then ahead again.
    eyes, look = bump(phase, 0.40, 0.84, 0.05), bump(phase, 0.42, 0.88, 0.10)
    a.look(-20.0 * eyes + 9.0 * peers, 12.0 * eyes)
    delayed = bump(phase, 0.08, 0.39, 0.09)
    a.nod(yaw=-26.0 * look + 12.0 * delayed, roll=2.0 + 1.5 * head - 3.0 * look - 5.0 * delayed,
          pitch=1.2 * wave(phase, 2, 0.12) + 9.0 * look - 3.0 * delayed)
    a.brows(0.4 * eyes - 0.2 * peers, 0.35 * peers)
    a.tail(4.0, 0.6, phase, 2, 0.07)
    a.ears(1.5 * wave(phase, 2, 0.08) + 3.0 * look + 9.0 * peers)
    a.stand()


# --- Layers: added to other clips as differences from the stance.


def stand(a, t):
    """Stands still. Layers are differences between their clip and this pose."""
    a.neutral_stance()
    a.mouth(0.16)
    a.stand()


# Closing of the lids, by frames: they fall faster than they rise.
_BLINK = (0.0, 0.75, 1.0, 1.0, 0.4, 0.08, 0.0, 0.0)


def blink(a, t):
    """Shuts and opens both eyes. The brows move down a little."""
    shut = _BLINK[round(24.0 * t)]
    stand(a, t)
    a.blink(shut, -22.5)      # shut lids meet low, in the shape of a U, as in sleep
    for side, _ in SIDES:     # half-shut lids that are level would look sly
        a.droop(side, 60.0 * shut * (1.0 - shut))
    a.brows(-0.2 * shut)


def breathe(a, t):
    """Takes a deep breath, which moves shoulders and belly. The feet are unaffected."""
    # Both are 0 at the beginning, where the layer adds nothing.
    breath = wave(t / 2.5, 1, 0.25) - wave(0.0, 1, 0.25)
    delayed = wave(t / 2.5, 1, 0.31) - wave(0.0, 1, 0.31)
    a.neutral_stance()
    a.mouth(0.16)
    a.rotate("spine_2", pitch=-1.5 * breath)
    a.rotate("chest", pitch=-3.2 * breath)
    a.rotate("neck", pitch=2.6 * breath)
    a.rotate("head", pitch=1.6 * delayed)
    a.move("chest", z=0.34 * breath)
    a.move("belly", x=0.5 * delayed)
    a.both("clavicle", roll=4.2 * breath)
    a.both("upperarm", roll=3.0 * delayed)
    a.ears(2.5 * delayed)
    a.stand()


def _positive(x):
    """Returns about `x` if it is positive, otherwise 0, without a corner at 0."""
    return max(0.0, x) ** 2 / (abs(x) + 0.2) * 1.2


def lean(a, t):
    """Leans far to the left quickly, then less far to the right and more slowly, and returns to standing: for
    curves and pushes. The head moves first, and the weight shifts onto the other hip. The balls of the feet
    do not move."""
    head = keyed(t, (0.0, 0.0), (0.40, 1.0), (0.62, 0.76), (1.26, -0.8), (1.50, -0.6), (1.84, 0.08),
                 (2.0, 0.0))
    side = keyed(t, (0.0, 0.0), (0.50, 1.0), (0.72, 0.78), (1.38, -0.85), (1.58, -0.66), (1.90, 0.06),
                 (2.0, 0.0))
    delayed = keyed(t, (0.06, 0.0), (0.60, 1.0), (0.84, 0.76), (1.48, -0.85), (1.66, -0.62), (2.0, 0.0))
    a.neutral_stance()
    a.mouth(0.16)
    a.move("hips", y=-2.3 * side, z=-0.5 * side * side)
    a.rotate("hips", roll=-4.0 * side, yaw=2.5 * side)
    a.move("belly", y=0.4 * delayed)
    for joint, degrees in (("spine_1", 9.0), ("spine_2", 9.0), ("chest", 8.0)):
        a.rotate(joint, roll=-degrees * side, yaw=0.3 * degrees * side)
    a.rotate("neck", roll=5.0 * delayed, yaw=4.0 * head)
    a.rotate("head", roll=11.0 * delayed - 2.0 * head, yaw=6.0 * head, pitch=2.0 * abs(head))
    a.look(7.0 * head)
    # If Bobbin leans to the left, the right arm goes out to the side, below the shoulder. If he leans to
    # the right, the left arm goes back, later. The arm on the lower side moves outwards, so that it does
    # not hit the hip.
    left, right, out, back = (_positive(way) for way in (side, -side, delayed, -delayed))
    a.arm("r", roll=17.0 * out + 20.0 * right, pitch=10.0 * out, lift=10.0 * left)
    a.elbow("r", 16.0 * left + 14.0 * right)
    a.rotate_side("hand", "r", roll=10.0 * out)
    a.arm("l", roll=32.0 * left + 24.0 * back, pitch=10.0 * left + 36.0 * back)
    a.elbow("l", 34.0 * left + 44.0 * back)
    a.rotate_side("hand", "l", roll=12.0 * back)
    a.rotate("tail_1", yaw=5.0 * delayed)
    a.rotate("tail_2", yaw=7.0 * delayed)
    a.ears(7.0 * delayed, 0.0, "l")
    a.ears(-5.0 * delayed, 0.0, "r")
    # The foot on the side away from the lean bears less weight: its heel rises.
    for side_name, sign, light in (("l", 1.0, right), ("r", -1.0, left)):
        a.foot(side_name, BALL[0], BALL[1] * sign, 0.0, 11.0 * light)
