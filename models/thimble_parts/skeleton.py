"""Positions of Thimble's joints. x forward, y left, z up; the floor is at 0."""

import math

from kit.maths import add, mirror, sub, unit

# Positions on a leg: distances from the middle of the body, and heights.
COXA, HIP, KNEE, ANKLE = (8.6, 11.5), (11.6, 11.8), (18.4, 19.4), (22.6, 2.4)
AZIMUTHS = (48.0, 90.0, 134.0)
LEGS = tuple((n + 1, side) for n in range(3) for side in "lr")
EYE = (6.4, 0.0, 17.2)
GUN = (2.6, 8.7, 18.0)
# The shot is a glowing spindle of six corners, each with a separate joint: inside the body until it is
# fired. If all corners are at one point, the spindle is invisible.
BOLT = {"bolt_tip": (3.0, 0.0, 11.0), "bolt_tail": (-3.0, 0.0, 11.0), "bolt_1": (0.0, 0.6, 11.0),
        "bolt_2": (0.0, 0.0, 11.6), "bolt_3": (0.0, -0.6, 11.0), "bolt_4": (0.0, 0.0, 10.4)}
ANTENNA = ((-3.2, 3.6, 22.2), (-5.0, 4.6, 27.4), (-5.8, 5.2, 32.4))


def azimuth(leg):
    pair, side = leg
    return AZIMUTHS[pair - 1] * (1.0 if side == "l" else -1.0)


def on_leg(leg, reach_height, aside=0.0):
    """Returns a position on a leg: (distance from the middle, height), and aside to its left."""
    angle = math.radians(azimuth(leg))
    c, s = math.cos(angle), math.sin(angle)
    reach, height = reach_height
    return (c * reach - s * aside, s * reach + c * aside, height)


def _along(a, b, fraction, lift):
    """Returns a point beside the line ab in a leg's plane, `lift` to its right as seen from a."""
    ahead = (b[0] - a[0], b[1] - a[1])
    size = math.hypot(*ahead)
    return (a[0] + fraction * ahead[0] + lift * ahead[1] / size,
            a[1] + fraction * ahead[1] - lift * ahead[0] / size)


# The ends of a piston, in the leg's plane: below the thigh, inside of the shin.
PISTON_TOP = _along(HIP, KNEE, 0.22, 1.5)
PISTON_END = _along(KNEE, ANKLE, 0.27, 1.0)


class Joint:
    def __init__(self, name, parent, bind, axis, up=(0.0, 0.0, 1.0)):
        self.name, self.parent, self.bind, self.axis, self.up = name, parent, bind, axis, up


def _leg(leg):
    def name(part):
        return "%s_%d_%s" % ((part,) + leg)

    coxa, hip, knee, ankle = (on_leg(leg, at) for at in (COXA, HIP, KNEE, ANKLE))
    top, end = on_leg(leg, PISTON_TOP), on_leg(leg, PISTON_END)
    out = unit((hip[0], hip[1], 0.0))
    return [Joint(name("coxa"), "body", coxa, out),
            Joint(name("femur"), name("coxa"), hip, sub(knee, hip)),
            Joint(name("cylinder"), name("femur"), top, sub(end, top)),
            Joint(name("tibia"), name("femur"), knee, sub(ankle, knee), out),
            Joint(name("rod"), name("tibia"), end, sub(end, top)),
            Joint(name("foot"), name("tibia"), ankle, out)]


def joints():
    # The x axis of an upright joint points up, and its z axis back. With z forward, the joint would be
    # rotated by 180 degrees relative to the model.
    ahead, back = (1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)
    out = [Joint("origin", None, (0.0, 0.0, 0.0), ahead),
           Joint("body", "origin", (0.0, 0.0, 13.0), ahead),
           Joint("dome", "body", (0.0, 0.0, 14.0), ahead), Joint("eye", "body", EYE, ahead),
           Joint("shutter_upper", "eye", EYE, ahead), Joint("shutter_lower", "eye", EYE, ahead),
           Joint("lamp", "body", (-9.6, 0.0, 16.0), ahead)]
    for side in "lr":
        def position(p, joint_side=side):
            return p if joint_side == "l" else mirror(p)
        gun, (low, middle, tip) = position(GUN), (position(p) for p in ANTENNA)
        out += [Joint("gun_" + side, "body", gun, ahead),
                Joint("barrel_" + side, "gun_" + side, add(gun, (3.0, 0.0, 0.0)), ahead),
                Joint("antenna_1_" + side, "dome", low, sub(middle, low), back),
                Joint("antenna_2_" + side, "antenna_1_" + side, middle, sub(tip, middle), back)]
    for leg in LEGS:
        out += _leg(leg)
    return out + [Joint(name, "origin", at, ahead) for name, at in BOLT.items()]
