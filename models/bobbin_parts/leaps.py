"""Clips in which Bobbin leaves the floor or falls onto it: jump, fall, get up, dance."""

import math

from kit.curves import bump, caught, keyed, pulse, thrown, wave
from kit.maths import rotate, euler

from bobbin_parts.actor import BALL, SIDES, Tread

START_SECONDS, AIR_SECONDS, LAND_SECONDS = 0.5, 0.5, 0.6
_HEIGHT = 17.0        # height of a jump, units: 0.5 s of flight at a gravity of 544 units per second squared
_TOES_OFF = 52.0      # pitch of the feet when they leave the floor, degrees
_TOUCH = 1.1          # height of the hips relative to standing when the toes touch the floor, units
_TAIL_SWING = 6.0     # degrees to the side
_DELAYS = (("l", 0.0), ("r", 0.06))     # the right arm follows by two frames


# --- jump


def _crouched(a, amount):
    # A little more weight is on the left foot.
    a.move("hips", x=-1.3 * amount, y=0.3 * amount, z=-3.8 * amount)
    a.rotate("hips", pitch=13.0 * amount)
    a.bend(roll=-5.0 * amount)
    a.bend(pitch=22.0 * amount)
    a.stretch(-3.2 * amount)
    a.nod(pitch=-21.0 * amount)


def _arms(a, arms):
    """Poses the arms. arms: for each side the amounts (swung back, thrown up, held out), each 0 to 1."""
    for side, (back, up, out) in arms.items():
        a.rotate_side("clavicle", side, roll=12.0 * up, yaw=8.0 * back - 4.0 * up)
        a.arm(side, roll=12.0 * back + 74.0 * up + 46.0 * out, pitch=46.0 * back - 6.0 * up,
              yaw=-18.0 * up)
        a.elbow(side, 8.0 * back + 16.0 * up + 14.0 * out)
        a.rotate_side("hand", side, roll=8.0 * back + 12.0 * up + 16.0 * out)
        a.grip(side, 0.4 * back - 0.5 * up - 0.5 * out)


def _start(a, t):
    """Crouches, pauses for two frames, and takes off; t is 0 to START_SECONDS. Returns the pitch of the
    feet."""
    # The body leaves the floor at the speed at which the flight begins.
    launch = thrown(t, 0.32, START_SECONDS, 2.6)
    crouch = keyed(t, (0.0, 0.0), (0.24, 1.0), (0.33, 1.02)) * (1.0 - launch)
    a.neutral_stance()
    _crouched(a, crouch)
    a.move("hips", x=0.8 * launch, z=2.6 * launch)
    a.rotate("hips", pitch=4.0 * launch)
    a.bend(pitch=-9.0 * launch)
    a.stretch(1.3 * launch)
    a.nod(pitch=-9.0 * launch)
    _arms(a, {side: (keyed(t - delay, (0.0, 0.0), (0.20, 1.0), (0.41, 0.0)),
                     keyed(t - delay, (0.14, 0.0), (0.44, 1.0)), 0.0) for side, delay in _DELAYS})
    a.mouth(0.16 - 0.14 * crouch + 0.75 * launch, 1.0 - 0.4 * crouch)
    a.brows(-0.4 * crouch + 0.9 * launch, 0.6 * crouch)
    for side, _ in SIDES:
        a.lids(side, 0.2 * crouch, 0.35 * crouch)
    a.look(0.0, -9.0 * max(crouch, launch))
    a.ears(-9.0 * crouch, 8.0 * crouch)
    a.tail_pose(rise=9.0 * crouch - 6.0 * launch, side=-_TAIL_SWING * launch, curl=9.0 * crouch)
    return _TOES_OFF * thrown(t, 0.26, START_SECONDS, 2.0)


def _air(a, t, rising, paddle, rising_right=None):
    """Poses the flight. rising: from 1 (moving upwards) to -1 (moving downwards); `rising_right`: the same
    for the right arm."""
    rising_right = rising if rising_right is None else rising_right
    a.neutral_stance()
    top = 1.0 - abs(rising)
    # The knees bend before the feet touch the floor.
    a.move("hips", x=0.8 - 0.8 * top, z=2.6 - 0.6 * top + (_TOUCH - 2.6) * max(-rising, 0.0))
    a.rotate("hips", pitch=4.0 + 5.0 * top)
    a.bend(pitch=-9.0 + 12.0 * top + 2.0 * min(rising, 0.0) * -1.0)
    a.stretch(1.3 - 0.6 * top)
    a.nod(pitch=-9.0 + 11.0 * top + 5.0 * max(-rising, 0.0), roll=4.0 * top)
    a.bend(roll=3.0 * top)
    beat = math.sin(2.0 * math.pi * 3.0 * t) * paddle
    # The arms paddle alternately.
    _arms(a, {side: (0.0, max(up, 0.0), 1.0 - max(up, 0.0) + 0.30 * sign * beat)
              for (side, sign), up in zip(SIDES, (rising, rising_right))})
    a.mouth(0.91, 1.0)
    a.brows(0.9)
    a.look(0.0, -9.0 * rising + 6.0)
    a.ears(10.0 * beat, 0.0)
    a.tail_pose(rise=-6.0 + 10.0 * top + 14.0 * max(-rising, 0.0), side=-_TAIL_SWING * rising,
                curl=-6.0 * rising)


def _hang(a, height, lift, swing, pitch=_TOES_OFF, toes=0.5):
    """Lets the feet hang under a body that is `height` above the floor; `lift` draws them up."""
    for side, sign in SIDES:
        offset = swing * sign
        a.foot(side, BALL[0] + 0.9 * offset - 0.12 * lift, BALL[1] * sign,
               height + lift + 0.45 * offset, pitch - 9.0 * offset, 0.0, toes)


def _land(a, t):
    """Touches the floor with the toes, sinks, and rises again. The other parts follow a little later."""
    # The body touches the floor at the speed with which it fell.
    down = caught(t, 0.0, 0.14, 2.5)
    sink = down * keyed(t, (0.13, 1.0), (0.18, 1.0), (0.40, -0.12), (0.58, 0.0))
    reach = 1.0 - down
    head = keyed(t, (0.0, 0.0), (0.16, 1.0), (0.38, -0.15), (0.58, 0.0))
    # One arm comes down immediately, and the other arm balances.
    arms = [keyed(t - delay, (0.0, 1.0), (0.20, half), (0.50, 0.0))
            for (_, delay), half in zip(_DELAYS, (0.35, 0.85))]
    a.neutral_stance()
    _crouched(a, 0.95 * sink)
    a.move("hips", x=0.8 * reach, z=_TOUCH * reach)
    a.rotate("hips", pitch=4.0 * reach)
    a.bend(pitch=-7.0 * reach)
    a.stretch(1.3 * reach)
    a.nod(pitch=-4.0 * reach + 15.0 * head)
    _arms(a, {side: (0.35 * max(sink, 0.0), 0.0, arm) for (side, _), arm in zip(_DELAYS, arms)})
    a.mouth(0.16 + 0.75 * keyed(t, (0.0, 1.0), (0.1, 0.1), (0.3, 0.5), (0.6, 0.0)))
    a.brows(0.9 * reach - 0.5 * max(sink, 0.0) + 0.4 * pulse(t, 0.25, 0.58, 0.12))
    squeeze = keyed(t, (0.03, 0.0), (0.07, 1.0), (0.20, 1.0), (0.25, 0.0))
    for side, _ in SIDES:
        a.lids(side, squeeze, squeeze, 0.0)
    a.look(0.0, 15.0 * reach)
    a.ears(-8.0 * sink)
    # Gravity moves the tail downwards, so it is held up above the floor.
    a.tail_pose(rise=8.0 + 22.0 * max(sink, 0.0) - 8.0 * keyed(t, (0.25, 0.0), (0.58, 1.0)),
                side=_TAIL_SWING * keyed(t, (0.0, 1.0), (0.3, -0.3), (0.55, 0.0)), curl=6.0 * reach)
    # The heels come down slowly, because the soles would slide otherwise.
    return (_TOES_OFF - 7.0) * (1.0 - caught(t, 0.0, 0.13, 1.8)) + 7.0 * keyed(t, (0.05, 1.0), (0.34, 0.0))


def jump_start(a, t):
    """Starts a jump: from standing until the toes leave the floor."""
    pitch = _start(a, t)
    for side, sign in SIDES:
        a.foot(side, BALL[0], BALL[1] * sign, 0.0, pitch)


def jump_air(a, t):
    """Circles arms and legs in the air, as a loop for a flight of any duration. The game moves the whole
    body."""
    _air(a, 0.0, 0.0, 0.0)
    rock, quarter = wave(t / AIR_SECONDS), wave(t / AIR_SECONDS, 1, -0.25)
    after = 0.5 - 0.5 * math.cos(4.0 * math.pi * t / AIR_SECONDS)
    # The trunk rotates against the legs, and the head against the trunk.
    a.move("hips", y=-0.6 * rock, z=0.3 * rock)
    a.rotate("hips", yaw=8.0 * rock, roll=4.0 * rock)
    a.bend(yaw=-15.0 * rock, roll=-8.0 * rock, pitch=3.0 * after)
    a.nod(yaw=5.0 * rock, roll=4.0 * rock, pitch=-3.0 * after)
    a.ears(4.0 * wave(t / AIR_SECONDS, 2, 0.15))
    for side, sign in SIDES:
        ahead, up = sign * rock, sign * quarter
        delayed = sign * wave(t / AIR_SECONDS, 1, 0.12)
        # Each arm circles against the leg of its side; the elbow and the hand follow with a delay.
        a.arm(side, roll=-20.0 * up, pitch=26.0 * ahead)
        a.elbow(side, 12.0 - 12.0 * delayed)
        a.rotate_side("hand", side, roll=10.0 * delayed)
        # The legs run: a foot moves forward when it is high and back when it is low, with its heel
        # up on the way back.
        a.foot(side, BALL[0] - 0.4 + 4.2 * ahead, BALL[1] * sign, 3.8 + 2.2 * up,
               38.0 - 20.0 * ahead, 0.0, 0.5)


def jump_land(a, t):
    """Ends a jump: from the first touch of the toes until standing."""
    pitch = _land(a, t)
    for side, sign in SIDES:
        a.foot(side, BALL[0], BALL[1] * sign, 0.0, pitch)
        a.spread(side, 5.0 * keyed(t, (0.08, 0.0), (0.24, 1.0), (0.45, 0.0)))


def jump(a, t):
    """Poses the whole jump: the root rises and falls as in free fall."""
    flown = t - START_SECONDS
    if flown <= 0.0:
        jump_start(a, t)
    elif flown >= AIR_SECONDS:
        jump_land(a, flown - AIR_SECONDS)
    else:
        s = flown / AIR_SECONDS
        rising = keyed(s, (0.0, 1.0), (0.45, 0.0), (0.6, 0.0), (1.0, -1.0))
        top = keyed(s, (0.0, 0.0), (0.5, 1.0), (1.0, 0.0))
        # The right arm still rises when the feet leave the floor.
        _air(a, flown, rising, top, keyed(s - 0.1, (0.0, 1.0), (0.45, 0.0), (0.6, 0.0), (0.9, -1.0)))
        height = 4.0 * _HEIGHT * s * (1.0 - s)
        a.root(z=height)
        # The feet continue to bend as on the floor. The toes uncurl, and curl again before they
        # touch the floor.
        near = 2.0 * min(s, 1.0 - s)
        swung = 6.75 * near * (1.0 - near) ** 2
        _hang(a, height, 2.6 * top - (1.4 if s < 0.5 else 0.5) * swung, 0.0, _TOES_OFF + 16.0 * swung,
              0.5 * top)


# --- fall and get up

# (x, y, yaw) of a foot that lies on its heel, toes up: x and y of the ball as if the foot were flat.
_SIT_FOOT = (13.1, 8.6, 8.0)
_FALL = {"l": Tread(BALL[0], BALL[1], 0.0, (0.46, 0.84, _SIT_FOOT[0], _SIT_FOOT[1], _SIT_FOOT[2],
                                            2.4, 0.0)),
         "r": Tread(BALL[0], -BALL[1], 0.0, (0.05, 0.33, -1.4, -8.4, -6.0, 2.0, 6.0),
                    (0.38, 0.86, _SIT_FOOT[0], -_SIT_FOOT[1], -_SIT_FOOT[2], 2.6, 0.0))}
_RISE = {"l": Tread(_SIT_FOOT[0], _SIT_FOOT[1], _SIT_FOOT[2],
                    (0.18, 0.52, BALL[0], BALL[1] + 1.2, 4.0, 1.4, 0.0),
                    (1.06, 1.34, BALL[0], BALL[1], 0.0, 0.9, 8.0)),
         "r": Tread(_SIT_FOOT[0], -_SIT_FOOT[1], -_SIT_FOOT[2],
                    (0.50, 0.86, BALL[0], -BALL[1] - 1.2, -4.0, 1.6, 0.0),
                    (1.30, 1.58, BALL[0], -BALL[1], 0.0, 0.9, 8.0))}
_TOES_UP = -48.0
FALL_SECONDS = 1.5
_SEAT = -5.86                    # height of the hips relative to standing, units
DIZZY_GRIMACE = 0.8      # amount of grimace() while Bobbin is dizzy
HAND_DISTANCE = 3.8      # argument `out` of the left hand on its thigh
_PALM = (-10.0, -14.0, 3.0)      # position of the right wrist while its hand is on the floor


def _knee(up):
    """Returns the direction of a knee: forwards under the body (up = 0), upwards if the leg lies on the floor
    (1)."""
    return (1.0 - 0.8 * up, 0.32, 0.12 + 0.88 * up)


def _sitting(a, amount, back=0.0, dizzy=0.0):
    """Poses Bobbin as he sits on the floor with the legs stretched out and leans on the right hand. His arms
    are short, so the trunk leans over this hand. back: how far the trunk leans back; dizzy: how far the head
    hangs."""
    a.move("hips", x=-4.4 * amount, y=-0.7 * amount, z=_SEAT * amount)
    a.rotate("hips", pitch=-16.0 * amount - 0.3 * back, roll=7.0 * amount)
    a.bend(pitch=-0.5 * amount - 0.7 * back, roll=25.0 * amount)
    a.nod(pitch=15.0 * amount + 9.0 * dizzy + 0.45 * back, roll=-19.0 * amount - 5.0 * dizzy)
    a.move("belly", z=0.3 * amount)
    # The tail bends up at its root and lies down behind Bobbin, because it would go through the
    # floor otherwise.
    for n, pitch in ((1, 43.0), (2, 7.0), (3, -6.0), (4, -2.0)):
        a.rotate("tail_%d" % n, pitch=pitch * amount)
    a.rotate("tail_1", pitch=0.2 * max(0.0, back), yaw=6.0 * amount)


def lean(a, amount, x=0.0):
    """Puts the right hand onto the floor next to a body at x. The hand leaves the floor upwards and does not
    slide."""
    a.palm("r", (x + _PALM[0], _PALM[1], _PALM[2] + 13.0 * (1.0 - amount)), (-0.35, -0.9, -0.12), amount)


def _props(a, right):
    """Puts the right hand onto the floor, behind the hips and to their right."""
    a.rotate_side("clavicle", "r", roll=-8.0 * right, yaw=10.0 * right)
    a.grip("r", -0.4 * right)
    lean(a, right)


def fall(a, t, sway=(0.0, 0.0)):
    """Loses the balance, steps back in vain, flails the arms and falls onto the bottom. sway: additional
    pitch and roll of the trunk."""
    tip = keyed(t, (0.0, 0.0), (0.30, 0.7), (0.55, 1.0), (0.80, 0.25), (1.0, 0.0))
    down = keyed(t, (0.34, 0.0), (0.70, 1.0))
    # The body accelerates downwards and bounces once.
    drop = min(1.0, max(0.0, (t - 0.34) / 0.36)) ** 2
    hop = max(0.0, math.sin(math.pi * (t - 0.70) / 0.24)) if 0.70 < t < 0.94 else 0.0
    rock = keyed(t, (0.60, 0.0), (0.86, 1.0), (1.10, -0.35), (1.35, 0.0))
    dizzy = keyed(t, (0.95, 0.0), (1.40, 1.0))
    a.neutral_stance()
    a.move("hips", x=-2.6 * keyed(t, (0.0, 0.0), (0.34, 1.0), (0.7, 0.0)),
           z=-1.0 * keyed(t, (0.0, 0.0), (0.26, 1.0), (0.45, 0.0)) - _SEAT * (down - drop)
           + 1.2 * hop)
    _sitting(a, down, 18.5 * rock, dizzy)
    a.move("hips", y=-0.06 * sway[1])
    a.rotate("hips", roll=0.25 * sway[1], pitch=0.2 * sway[0])
    a.bend(pitch=sway[0], roll=sway[1])
    a.rotate("hips", pitch=-9.0 * tip)
    a.bend(pitch=-6.0 * tip + 16.0 * pulse(t, 0.05, 0.42, 0.15))
    a.nod(pitch=14.0 * tip - 12.0 * rock)
    a.stretch(-1.1 * pulse(t, 0.68, 0.84, 0.07) + 0.6 * pulse(t, 0.45, 0.70, 0.1))
    # The landing throws the tail up. It passes the back on one side.
    a.tail_pose(rise=14.0 * pulse(t, 0.12, 0.72, 0.2), side=20.0 * pulse(t, 0.50, 1.10, 0.2),
                curl=-46.0 * keyed(t, (0.5, 0.0), (0.78, 1.0), (0.92, 1.0), (1.2, 0.0)))
    a.rotate("tail_1", pitch=4.0 * pulse(t, 0.56, 0.84, 0.14))     # the tail follows downwards
    for side, stop in (("l", 0.98), ("r", 0.76)):
        flail = keyed(t, (0.0, 0.0), (0.34, 1.0), (stop - 0.3, 1.0), (stop, 0.0))
        round_ = 2.0 * math.pi * (2.0 * t + (0.0 if side == "l" else 0.42))
        a.rotate_side("clavicle", side, roll=10.0 * flail)
        # Bobbin tips to the right. The left arm remains low, because it would hide the face
        # otherwise.
        low = down if side == "l" else 0.0
        a.arm(side, roll=(44.0 + 24.0 * math.sin(round_) - 30.0 * low) * flail,
              yaw=(30.0 * math.cos(round_) + 20.0 * low) * flail, pitch=8.0 * flail)
        a.elbow(side, (14.0 + 12.0 * math.sin(round_ - 0.9)) * flail)
        a.rotate_side("hand", side, roll=20.0 * math.sin(round_ - 1.4) * flail)
        a.grip(side, -0.6 * flail)
    _props(a, keyed(t, (0.36, 0.0), (0.76, 1.0)))
    shock = keyed(t, (0.0, 0.0), (0.12, 1.0), (0.70, 1.0), (0.76, 0.0))
    wince = keyed(t, (0.70, 0.0), (0.73, 1.0), (1.0, 1.0), (1.08, 0.0))
    for side, _ in SIDES:
        a.wince(side, wince)
        a.lids(side, 0.34 * dizzy, 0.15 * dizzy, 3.0)
    # Bobbin cries out, clenches the teeth when he lands, and then lets the mouth hang.
    a.frightened(shock, keyed(t, (0.0, 0.0), (0.12, 1.0), (0.58, 1.0), (0.80, 0.0)))
    sore = keyed(t, (0.66, 0.0), (0.74, 1.0), (1.06, 1.0), (1.40, 0.0))
    a.grimace((1.0 - shock) * keyed(t, (0.66, 0.0), (0.74, 1.0), (1.06, 1.0), (1.40, DIZZY_GRIMACE)))
    a.brows(-0.7 * wince, 1.2 * pulse(t, 0.66, 1.16, 0.16) - 1.1 * dizzy)
    a.mouth(0.16 + 0.85 * shock + 0.06 * wince + 0.12 * sore + 0.02 * dizzy, 1.0 - max(shock, sore, dizzy))
    a.look(9.0 * dizzy * math.sin(5.0 * t), -8.0 * shock)
    a.ears(24.0 * shock - 10.0 * dizzy, 6.0 * dizzy)
    for side, foot in fallen_feet(t):
        a.foot(side, *foot)
    a.on_thigh("l", keyed(t, (0.80, 0.0), (1.20, 1.0)), HAND_DISTANCE)


def fallen_feet(t):
    """Yields (side, arguments of Actor.foot) of both feet in the fall."""
    for side, delay in (("l", 0.0), ("r", 0.04)):
        x, y, z, pitch, yaw = _FALL[side].at(t)
        up = keyed(t, (0.46 + delay, 0.0), (0.82 + delay, 1.0))
        yield side, (x, y, z + 0.35 * up, pitch + _TOES_UP * up, yaw, 0.5, _knee(up))


def get_up(a, t):
    """Gets up after fall(): shakes the head, draws the feet under the body, pushes with the hands, and
    rises."""
    up = keyed(t, (0.62, 0.0), (1.22, 1.0))
    forward = keyed(t, (0.40, 0.0), (0.78, 1.0), (1.30, 0.0))
    rock = keyed(t, (0.10, 0.0), (0.32, 1.0), (0.60, 0.0))
    dizzy = keyed(t, (0.0, 1.0), (0.35, 0.0))
    shake = keyed(t, (0.02, 0.0), (0.20, 1.0), (0.44, 0.0))
    over = keyed(t, (1.0, 0.0), (1.26, 1.0), (1.55, 0.0))
    a.neutral_stance()
    _sitting(a, 1.0 - up, -6.0 * rock, dizzy)
    # Bobbin rolls over the hand and pushes with it. The trunk follows.
    push = keyed(t, (0.25, 0.0), (0.60, 1.0), (1.05, 0.0))
    a.rotate("hips", yaw=-10.0 * push, roll=5.0 * push)
    a.bend(yaw=-12.0 * push, roll=6.0 * push)
    a.nod(yaw=12.0 * push)
    a.move("hips", x=2.2 * forward * (1.0 - 0.6 * up), z=-0.5 * forward * up + 0.5 * over)
    a.rotate("hips", pitch=25.0 * forward)
    a.bend(pitch=22.0 * forward - 5.0 * over)
    a.stretch(-0.6 * forward + 0.7 * over)
    a.nod(pitch=-27.0 * forward - 4.0 * over, yaw=13.0 * shake * math.sin(2.0 * math.pi * 4.0 * t))
    a.look(9.0 * dizzy * math.sin(5.0 * (t + 1.5)))
    # The eyes, and then the head, look for the hand before it pushes.
    seek, after = (keyed(t - by, (0.20, 0.0), (0.30, 1.0), (0.56, 1.0), (0.76, 0.0)) for by in (0.0, 0.06))
    a.look(-17.0 * seek, 11.0 * seek)
    a.nod(yaw=-6.0 * after, pitch=2.0 * after)
    # The mouth shows pain, then effort while Bobbin pushes. He smiles only when he stands, from
    # frame 39 on.
    glad = keyed(t, (1.30, 0.0), (1.52, 1.0))
    effort = pulse(t, 0.40, 1.05, 0.18)
    a.grimace(keyed(t, (0.40, DIZZY_GRIMACE), (0.60, 0.95), (0.90, 0.95), (1.28, 0.5), (1.54, 0.0)))
    a.mouth(0.18 - 0.02 * glad + 0.16 * effort + 0.14 * pulse(t, 1.34, 1.62, 0.12), glad)
    relief = keyed(t, (1.0, 0.0), (1.15, 1.0), (1.4, 0.0))
    a.brows(-0.3 * forward + 0.5 * over, -1.1 * dizzy + 1.2 * effort - 0.5 * relief)
    squeeze = pulse(t, 0.12, 0.38, 0.05)
    for side, _ in SIDES:
        a.lids(side, 0.34 * dizzy * (1.0 - squeeze) + squeeze,
               0.15 * dizzy * (1.0 - squeeze) + squeeze, 0.0)
    a.ears(-10.0 * dizzy + 8.0 * over, 6.0 * dizzy)
    for side, delay in (("l", -0.25), ("r", 0.06)):
        out = pulse(t, 0.80 + delay, 1.40 + delay, 0.25)
        a.arm(side, pitch=-26.0 * out, roll=18.0 * out)
    # The arm moves outwards, so that the hand does not hit the knee on its way to the front.
    a.arm("r", roll=34.0 * pulse(t, 0.68, 1.16, 0.2))
    _props(a, keyed(t, (0.66, 1.0), (0.92, 0.0)))
    for side, sign in SIDES:
        x, y, z, pitch, yaw = _RISE[side].at(t)
        flat = keyed(t, (0.18, 1.0), (0.50, 0.0)) if side == "l" else keyed(t, (0.50, 1.0),
                                                                            (0.84, 0.0))
        a.foot(side, x, y, z + 0.35 * flat, pitch + _TOES_UP * flat, yaw, 0.5,
               _knee(max(flat, 1.0 - up)))
    a.on_thigh("l", keyed(t, (0.14, 1.0), (0.62, 0.0)), HAND_DISTANCE)


# --- dance

_WIDE = BALL[1] + 0.9
_BOTH = ((1.0, "l"), (-1.0, "r"))


# The dance has eight beats of 15 frames. A free foot is highest on its beat and comes down 0.42
# beats later.
DANCE_EVENTS = ((6, "footstep right"), (21, "footstep left"), (36, "footstep right"),
                (51, "footstep left"), (71, "footstep left"), (71, "footstep right"),
                (86, "footstep left"), (86, "footstep right"), (112, "footstep left"),
                (112, "footstep right"))


def _hop(t):
    """Returns the height of a jump and how far the heels are lifted, both in 0..1. `t` is in 0..1."""
    rise = (t - 0.29) / 0.42
    height = 4.0 * rise * (1.0 - rise) if 0.0 < rise < 1.0 else 0.0
    return height, pulse(t, 0.10, 0.90, 0.38)


# Keys (beat, amount). Bobbin sinks once between one hop and the next, and is stretched in the air.
_CROUCHES = ((3.70, 0.0), (4.06, 1.0), (4.38, 0.0), (4.62, 0.0), (5.0, 1.0), (5.38, 0.0), (5.62, 0.0),
             (6.2, 1.0), (6.68, 0.0), (7.32, 0.0), (7.62, 1.0), (8.0, 0.0))
_STRETCHES = ((4.15, 0.0), (4.5, 1.0), (4.85, 0.0), (5.15, 0.0), (5.5, 1.0), (5.85, 0.0), (6.4, 0.0),
              (6.76, 1.0), (7.24, 1.0), (7.6, 0.0))


def _dance_feet(a, beat, height, heels, yaw):
    """Poses the feet. On each of the first four beats the free foot lifts and taps the floor. In hops both
    feet hang."""
    for sign, name in _BOTH:
        # On even beats the weight is on the left foot, so the right foot is free.
        foot_beat = beat - (1.0 if name == "l" else 0.0)
        near = foot_beat - 2.0 * round(foot_beat / 2.0)
        tap = 0.0
        if -0.5 < beat < 3.6 or beat > 7.5:
            tap = max(0.0, 1.0 - (near / 0.42) ** 2) ** 1.5
        x, y, _ = rotate(euler(yaw=yaw), (BALL[0], (_WIDE - 1.8 * tap) * sign, 0.0))
        # The toes leave the floor last and touch it first.
        pitch = 16.0 * tap + 40.0 * heels
        a.foot(name, x, y, 2.4 * tap + height, pitch, yaw + 5.0 * sign, 0.8)


def dance(a, t):
    """Dances for eight beats: four steps from side to side, two hops with raised arms, and a jump with a full
    rotation."""
    phase = t / 4.0
    beat = phase * 8.0
    stepping = bump(phase, -0.05, 0.54, 0.09)
    cheering = bump(phase, 0.46, 1.0, 0.09)
    side = math.sin(math.pi * beat + 0.5 * math.pi) * stepping
    delayed = math.sin(math.pi * (beat - 0.3) + 0.5 * math.pi) * stepping
    beats = wave(phase, 8, 0.25)
    crouch, airborne = keyed(beat, *_CROUCHES), keyed(beat, *_STRETCHES)
    heels, height, yaw, fling, wind = (0.0,) * 5
    if 4.0 <= beat < 6.0:
        hop, heels = _hop(beat % 1.0)
        height, heels = 3.4 * hop, 0.6 * heels
        fling = math.sin(math.pi * (beat % 1.0)) ** 2
    elif beat >= 6.0:
        s = (beat - 6.0) / 2.0
        hop, heels = _hop(s)
        height = 12.0 * hop
        fling = math.sin(math.pi * s) ** 2
        # The body first rotates in the opposite direction, and in the air it rotates once around.
        wind = keyed(s, (0.0, 0.0), (0.20, -1.0), (0.36, 0.5), (0.66, 0.3), (0.9, 0.0))
        yaw = 360.0 * keyed(s, (0.285, 0.0), (0.34, 0.07), (0.64, 0.93), (0.715, 1.0))
    a.root(yaw=yaw)
    a.move("hips", y=2.6 * side, z=-0.8 - 1.1 * beats * stepping - 2.4 * crouch + height
           + 0.7 * airborne)
    a.rotate("hips", roll=-7.0 * side, yaw=9.0 * delayed + 14.0 * wind, pitch=6.0 * crouch)
    a.stretch(0.45 * wave(phase, 8, 0.4) * stepping - 1.2 * crouch + 1.1 * airborne)
    a.move("belly", z=-0.5 * airborne)
    a.bend(roll=5.0 * side + 6.0 * delayed, yaw=-14.0 * delayed + 24.0 * wind,
           pitch=9.0 * crouch - 4.0 * airborne)
    a.rotate("neck", roll=-3.0 * delayed)
    a.rotate("head", roll=-7.0 * delayed, pitch=2.5 * wave(phase, 8, 0.45) * stepping + 3.0 * crouch
             - 6.0 * airborne, yaw=4.0 * side + 8.0 * wind)
    a.mouth(0.45 + 0.35 * cheering + 0.2 * airborne - 0.2 * crouch + 0.1 * beats)
    a.brows(0.5 * cheering + 0.3 * beats * stepping)
    squint = bump(phase, 0.76, 0.82, 0.02)
    for eye, _ in SIDES:
        a.lids(eye, 0.9 * squint, 0.95 * squint, 6.0)
    # In the steps one arm is up and one is down. In the hops both are up.
    a.arms_down(0.6 * stepping + 0.2 * crouch)
    for sign, name in _BOTH:
        swing = sign * math.sin(math.pi * (beat - 0.1) + 0.5 * math.pi)
        raised = 0.5 + 0.5 * swing
        # In the hops, one arm is up while the other arm is out.
        lift = stepping * (58.0 * raised - 6.0) + cheering * (12.0 + 28.0 * fling + 22.0 * swing)
        fold = stepping * (42.0 * raised + 8.0) + cheering * (14.0 + 8.0 * wave(phase, 8, 0.5))
        a.rotate_side("clavicle", name, roll=0.2 * lift)
        a.rotate_side("upperarm", name, roll=lift, pitch=-14.0 * stepping * (1.0 - raised))
        a.rotate_side("forearm", name, roll=fold, pitch=-26.0 * stepping * (1.0 - raised))
        a.rotate_side("hand", name, roll=10.0 * wave(phase, 8, 0.6) + 8.0 * fling)
        a.grip(name, 0.2 * stepping * (0.5 - raised) - 0.4 * cheering)
    a.tail(9.0 * (0.4 + 0.6 * stepping), 1.5, phase, 4, 0.08)
    a.tail_pose(rise=20.0 * crouch + 5.0 * cheering)
    a.ears(4.0 * cheering)
    _dance_feet(a, beat, height, heels, yaw)
