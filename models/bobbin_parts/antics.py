"""Clips of a character that is looked at: he sneezes fire, chases his tail, notices who is there."""

from kit.curves import keyed, pulse, thrown, wave
from kit.footing import Footing

from bobbin_parts.actor import BALL, SIDES

SNEEZE_SECONDS = 2.2


def squint(a, amount, down=0.0):
    """Both eyes turn towards the tip of the nose; 1 is all of it."""
    a.both("eye", yaw=-22.0 * amount, pitch=down * amount)


# --- the sneeze

_BURST = 1.27        # when the fire leaves him
_HOP = {side: Footing(BALL[0], BALL[1] * sign, 0.0,
                      (1.27, 1.49, BALL[0] - 3.0, BALL[1] * sign, 0.0, 1.7, 10.0)) for side, sign in SIDES}


def sneeze(a, t):
    """Three inhales, each deeper, a moment of waiting, a burst that throws him back, and a look at his
    smoking nose."""
    # Between inhales a little is let out again.
    full = keyed(t, (0.06, 0.0), (0.30, 0.40), (0.44, 0.24), (0.68, 0.74), (0.80, 0.58), (1.02, 1.0), (1.24, 1.04))
    deep = full * (1.0 - thrown(t, 1.24, 1.31, 1.6))
    late = keyed(t, (0.10, 0.0), (0.34, 0.40), (0.48, 0.26), (0.72, 0.74), (0.84, 0.60), (1.05, 1.0),
                 (1.23, 1.0)) * (1.0 - thrown(t, 1.23, 1.30, 1.4))
    burst = thrown(t, 1.23, 1.31, 1.6) * (1.0 - keyed(t, (1.36, 0.0), (1.66, 1.0)))
    # The legs are slower than the head.
    push = keyed(t, (1.16, 0.0), (1.38, 1.0), (1.66, 0.0))
    tall = full * (1.0 - keyed(t, (1.16, 0.0), (1.36, 1.0)))
    back = keyed(t, (1.18, 0.0), (1.30, 0.25), (1.42, 0.8), (1.56, 1.0))
    sink = pulse(t, 1.42, 1.86, 0.10)
    after = keyed(t, (1.52, 0.0), (1.70, 1.0), (1.98, 1.0), (2.14, 0.0))
    a.rest()
    a.root(-3.0 * back)
    a.move("hips", x=-1.3 * tall + 1.6 * push, z=0.5 * tall - 1.1 * push - 1.1 * sink)
    a.turn("hips", pitch=-3.0 * tall + 10.0 * push)
    a.bend(pitch=-13.0 * deep + 25.0 * burst - 4.0 * after)
    a.turn("chest", pitch=-2.5 * deep)
    a.stretch(1.3 * deep - 0.9 * burst)
    a.move("belly", x=0.5 * deep - 0.6 * burst)
    # Head back 25 degrees, and held until it goes.
    a.nod(pitch=-25.0 * late - 9.0 * burst + 7.0 * after,
          roll=3.0 * after + 2.0 * wave(t, 9) * pulse(t, 1.05, 1.22, 0.05))
    shut = keyed(t, (0.10, 0.0), (1.0, 0.55), (1.18, 0.75), (1.24, 1.0), (1.48, 1.0), (1.58, 0.0))
    blink = keyed(t, (1.94, 0.0), (1.99, 1.0), (2.02, 1.0), (2.08, 0.0))
    for side, _ in SIDES:
        a.lids(side, max(shut, blink), max(0.9 * shut, blink), 2.0 - 6.0 * blink)
    a.brows(0.8 * late - 0.6 * burst + 0.5 * after, -0.9 * late + 0.8 * burst - 0.7 * after)
    squint(a, after, 11.0)
    a.look(0.0, -5.0 * late)
    gape = keyed(t, (1.25, 0.0), (1.31, 1.0), (1.44, 0.9), (1.62, 0.0))
    a.mouth(0.16 + 0.72 * late + 0.84 * gape * (1.0 - late), 1.0 - 1.5 * max(late, gape))
    a.turn("jaw", pitch=14.0 * gape)
    # Hands come up beside the cheeks, and are thrown back and down.
    for side, own in (("l", 0.0), ("r", 0.03)):
        up = keyed(t - own, (0.12, 0.0), (0.34, 0.35), (0.48, 0.28), (0.72, 0.70), (0.84, 0.62), (1.06, 1.0),
                   (1.19, 1.0), (1.40, 0.0))
        fling = keyed(t - own, (1.20, 0.0), (1.40, 1.0), (1.50, 0.9), (1.90, 0.0))
        a.one("clavicle", side, roll=9.0 * up + 3.0 * fling, yaw=9.0 * fling)
        a.arm(side, roll=34.0 * up + 28.0 * fling, pitch=-20.0 * up + 34.0 * fling)
        a.elbow(side, 62.0 * up + 6.0 * fling)
        a.one("hand", side, roll=18.0 * fling - 10.0 * up)
        a.grip(side, -0.5 * up - 0.55 * fling)
    a.tail_pose(rise=10.0 * deep - 12.0 * burst + 7.0 * sink, curl=16.0 * deep - 26.0 * burst)
    a.ears(8.0 * late - 8.0 * burst - 8.0 * after, 12.0 * late + 26.0 * burst)
    for side, _ in SIDES:
        x, y, z, pitch, yaw = _HOP[side].at(t)
        a.foot(side, x, y, z, pitch + 13.0 * tall * pulse(t, 0.80, 1.40, 0.15), yaw, 0.5)
        a.spread(side, 5.0 * sink)
