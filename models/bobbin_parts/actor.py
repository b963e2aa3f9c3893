"""Bobbin's animation controls."""

import functools
import math

from kit import maths
from kit.footing import Footing
from kit.maths import add, mul, rotate, sub, euler
from kit.rig import Pose
from kit.spring import Chain, Mass

from bobbin_parts.build import BOBBIN
from bobbin_parts.face import GAZE, HINGE, LOWER_EDGE, UPPER_EDGE

_JOINTS = {joint.name: joint for joint in BOBBIN.joints()}
_BIND = {name: joint.bind for name, joint in _JOINTS.items()}
BALL = _BIND["toes_l"]
_ANKLE = _BIND["foot_l"]
_BACK = sub(_ANKLE, BALL)
# The back edge of the sole, relative to the ball of the foot: a raised foot rests on it.
_HEEL = (-7.0, -1.2, -1.4)
# Position of a wrist on the thigh: fraction of the distance to the knee, distance to the side, height above.
_ON_THIGH = (0.9, 3.2, 6.0)
_ROLL = 0.05       # maximum movement of the ball forward while the heel rises
_TOE_REACH = 5.2   # from the ball to the tips of the toes
_WRIST = maths.unit(sub(_BIND["hand_l"], _BIND["forearm_l"]))
_ELBOW = maths.unit(maths.cross(sub(_BIND["forearm_l"], _BIND["upperarm_l"]), (1.0, 0.0, 0.0)))
_FINGERS = maths.unit(sub(_BIND["finger_a_1_l"], _BIND["hand_l"]))
_BACK_OF_HAND = (0.0, 0.7, 0.7)
SHUT = -15.5       # degrees of jaw that close the smile
SIDES = (("l", 1.0), ("r", -1.0))

_TAIL = tuple("tail_%d" % n for n in range(1, 7)) + ("tail_fin",)
SPRINGS = [Chain(_TAIL, _JOINTS["tail_fin"].aim, 1.9, 0.35, 14.0),
           Mass("belly", _JOINTS["belly"].aim, 3.4, 0.22, 1.1)]
SPRINGS += [Chain(tuple("ear_%d_%s" % (n, side) for n in range(1, 4)),
                  _JOINTS["ear_3_" + side].aim, 3.0, 0.30, 13.0) for side, _ in SIDES]


# Steps in which the foot leaves and touches the floor slowly: a nearly straight knee rotates far for a small
# change of height.
Tread = functools.partial(Footing, gentle=1.5, still=0.06)


class Actor:
    """A pose with controls, in degrees and units. pitch > 0 lowers the nose, yaw > 0 looks left,
    roll > 0 lifts the left side."""

    def __init__(self, bones):
        self.pose = Pose(bones)
        self.rotate, self.move = self.pose.rotate, self.pose.move
        # The bind pose looks a little outwards; this rotation directs both eyes at a near target.
        self.both("eye", yaw=-4.5)

    @classmethod
    def from_pose(cls, pose):
        """Returns an actor that controls an existing pose."""
        actor = cls.__new__(cls)
        actor.pose, actor.rotate, actor.move = pose, pose.rotate, pose.move
        return actor

    def root(self, x=0.0, y=0.0, z=0.0, yaw=0.0):
        """Sets the body's displacement: all parts except the feet are relative to it."""
        self.move("origin", x, y, z)
        self.rotate("origin", yaw=yaw)

    def both(self, joint, pitch=0.0, yaw=0.0, roll=0.0):
        """Rotates the left and the right joint, mirrored."""
        self.rotate(joint + "_l", pitch, yaw, roll)
        self.rotate(joint + "_r", pitch, -yaw, -roll)

    def rotate_side(self, joint, side, pitch=0.0, yaw=0.0, roll=0.0):
        """Rotates the joint of one side, described as if it were the left side."""
        sign = 1.0 if side == "l" else -1.0
        self.rotate(joint + "_" + side, pitch, yaw * sign, roll * sign)

    # --- face

    def lids(self, side, upper, lower, line=-9.0):
        """Shuts the lids of one eye: 0 is open, 1 is shut. Shut lids meet at `line` degrees above the
        middle of the eye: the line is low in a blink and high in a laugh."""
        # Hinges are rotated outwards with the eyes. A mirrored rotation has its axis flipped and its
        # angle negated: the result is the axis with x and z negated.
        axis = HINGE if side == "l" else (-HINGE[0], HINGE[1], -HINGE[2])
        self.pose.rotate_about("lid_upper_" + side, axis, (UPPER_EDGE - line + 2.0) * upper)
        self.pose.rotate_about("lid_lower_" + side, axis, (LOWER_EDGE - line - 2.0) * lower)

    def blink(self, shut, line=-9.0):
        for side, _ in SIDES:
            self.lids(side, shut, shut, line)

    def droop(self, side, degrees):
        """Lowers the outer end of an upper lid and lifts its inner end."""
        axis = GAZE if side == "l" else (-GAZE[0], GAZE[1], -GAZE[2])
        self.pose.rotate_about("lid_upper_" + side, axis, -degrees)

    def look(self, yaw, pitch=0.0):
        self.rotate("eye_l", pitch, yaw)
        self.rotate("eye_r", pitch, yaw)

    def brows(self, rise, frown=0.0, side=None):
        """Moves the brows. rise: -1..1; frown > 0 lowers their inner ends, frown < 0 shows sorrow."""
        for name, sign in SIDES:
            if side in (None, name):
                self.move("brow_" + name, z=0.95 * rise - 0.35 * max(frown, 0.0), x=0.15 * rise)
                self.rotate("brow_" + name, roll=11.0 * frown * sign)

    def mouth(self, wide, smile=1.0):
        """Opens the mouth: 0 is shut, 1 is the bind pose. The cheeks rise with the mouth."""
        self.rotate("jaw", pitch=SHUT * (1.0 - wide))
        self.rotate("tongue", pitch=-5.0 * wide)
        for side, sign in SIDES:
            self.move("cheek_" + side, x=0.15, y=0.25 * sign * smile,
                      z=(0.25 + 0.35 * wide) * smile)

    def grimace(self, amount):
        """Pulls the corners of the mouth, and the cheeks with them, down and in. The mouth is modeled as a
        smile: without this, a face that screams or winces would laugh. Call mouth() with smile = 0."""
        for side, sign in SIDES:
            self.move("cheek_" + side, x=-1.2 * amount, y=-2.0 * sign * amount, z=-4.5 * amount)
            self.rotate_side("cheek", side, pitch=14.0 * amount)

    def wince(self, side, amount, line=0.0):
        """Squeezes one eye shut. The outer end of the upper lid remains up. While the lid is half shut, its
        outer end hangs, because a level lid would look sly. line: as for lids()."""
        self.lids(side, amount, amount, line)
        self.droop(side, 60.0 * amount * (1.0 - amount) - 10.0 * amount * amount)

    def frightened(self, amount, brows=None):
        """Shows fright: eyes wide, inner ends of the brows up, corners of the mouth and ears down. Call
        mouth() with smile = 0. brows: the amount for the brows, if they move at another speed."""
        for side, _ in SIDES:
            self.lids(side, -0.14 * amount, -0.18 * amount)
        self.grimace(amount)
        brows = amount if brows is None else brows
        self.brows(0.7 * brows, -1.1 * brows)
        self.ears(-14.0 * amount)

    # --- trunk

    def bend(self, pitch=0.0, yaw=0.0, roll=0.0):
        """Bends the back as one arc, without the hips."""
        for joint, fraction in (("spine_1", 0.3), ("spine_2", 0.35), ("chest", 0.35)):
            self.rotate(joint, pitch * fraction, yaw * fraction, roll * fraction)

    def nod(self, pitch=0.0, yaw=0.0, roll=0.0):
        """Rotates neck and head together."""
        self.rotate("neck", 0.35 * pitch, 0.35 * yaw, 0.35 * roll)
        self.rotate("head", 0.65 * pitch, 0.65 * yaw, 0.65 * roll)

    def stretch(self, amount):
        """Stretches the trunk (> 0) or squashes it (< 0), in units over its whole length."""
        for joint, fraction in (("spine_1", 0.2), ("spine_2", 0.25), ("chest", 0.25), ("neck", 0.17),
                                ("head", 0.13)):
            self.move(joint, z=amount * fraction)
        self.move("belly", x=-0.45 * amount, z=-0.1 * amount)

    # --- arms

    def arms_down(self, amount=1.0):
        """Lowers the arms, which are spread in the bind pose, to the sides."""
        self.both("upperarm", roll=-24.0 * amount, pitch=4.0 * amount)
        self.both("forearm", roll=-8.0 * amount, pitch=-14.0 * amount)
        self.both("hand", roll=8.0 * amount)
        for side, _ in SIDES:
            self.grip(side, 0.25 * amount)

    def wrist(self, side, degrees):
        """Rotates a hand about the axis of its forearm. The far half of the forearm rotates by half of the
        angle. A positive angle rotates the thumb outwards."""
        axis, sign = (_WRIST, 1.0) if side == "l" else (maths.mirror(_WRIST), -1.0)
        self.pose.rotate_about("forearm_twist_" + side, axis, -0.5 * degrees * sign)
        self.pose.rotate_about("hand_" + side, axis, -degrees * sign)

    def grip(self, side, amount, thumb=None):
        """Bends the fingers: 0 is a flat hand, 1 is a fist, < 0 spreads the fingers."""
        for name, factor in (("finger_a", 1.0), ("finger_b", 1.1)):
            self.rotate_side(name + "_1", side, roll=-42.0 * amount * factor)
            self.rotate_side(name + "_2", side, roll=-50.0 * amount * factor)
        thumb = amount if thumb is None else thumb
        self.rotate_side("thumb_1", side, yaw=24.0 * thumb, pitch=10.0 * thumb)
        self.rotate_side("thumb_2", side, yaw=34.0 * thumb, pitch=8.0 * thumb)
        if amount < 0.0:
            self.rotate_side("finger_a_1", side, pitch=22.0 * amount)
            self.rotate_side("finger_b_1", side, pitch=-22.0 * amount)

    def arm(self, side, roll=0.0, pitch=0.0, yaw=0.0, bend=0.0, lift=0.0):
        """Rotates an upper arm by roll (outwards and up), pitch (< 0 is forwards) and yaw. bend swings the
        forearm forwards, lift raises it outwards. The angles are for the left arm; the right arm mirrors
        them."""
        self.rotate_side("upperarm", side, pitch, yaw, roll)
        self.rotate_side("forearm", side, -bend, 0.0, lift)

    def elbow(self, side, degrees):
        """Bends an elbow forwards, wherever the upper arm points."""
        axis = _ELBOW if side == "l" else (-_ELBOW[0], _ELBOW[1], -_ELBOW[2])
        self.pose.rotate_about("forearm_" + side, axis, degrees)

    def reach(self, side, target, elbow=(-0.6, 0.5, -0.6)):
        """Puts the wrist at a position in model space; the elbow points toward `elbow`, which
        is the direction for the left arm. The hand keeps its rotation relative to the forearm."""
        hint = elbow if side == "l" else maths.mirror(elbow)
        self.pose.reach("upperarm_" + side, "forearm_" + side, "hand_" + side, target, hint)

    def palm(self, side, target, ahead, amount, up=(0.0, 0.0, 1.0), elbow=(-0.8, 0.9, 0.2)):
        """Puts a hand flat on the floor, with the wrist at `target` and the fingers toward `ahead`, both in
        model space. amount: 0 keeps the posed arm, 1 reaches the target. up: direction of the back of the
        hand, for surfaces other than the floor; elbow: as for reach()."""
        if amount <= 0.0:
            return
        bones = self.pose.skeleton
        names = [part + side for part in ("upperarm_", "forearm_", "hand_")]
        posed = [self.pose.locate(bones.index[name])[1] for name in names]
        self.reach(side, target, elbow)
        reached = [self.pose.locate(bones.index[name])[1] for name in names[:2]]
        fingers, back = (_FINGERS, _BACK_OF_HAND) if side == "l" else (
            maths.mirror(_FINGERS), maths.mirror(_BACK_OF_HAND))
        reached.append(mul(maths.frame(ahead, up), maths.conj(maths.frame(fingers, back))))
        for name, start, end in zip(names, posed, reached):
            self.pose.fix(name, maths.blend(start, end, amount))

    def on_thigh(self, side, amount, out=0.0):
        """Puts a hand on the thigh of its side. Call this after feet and trunk are posed. amount: as for
        palm(). out: additional distance to the side, if the trunk leans away."""
        index, sign = self.pose.skeleton.index, 1.0 if side == "l" else -1.0
        hip, knee = (self.pose.locate(index[part + side])[0] for part in ("thigh_", "shin_"))
        target = add(maths.mix(hip, knee, _ON_THIGH[0]),
                     (0.0, (_ON_THIGH[1] + out) * sign, _ON_THIGH[2] + 0.4 * out))
        self.palm(side, target, (0.9, -0.25 * sign, -0.2), amount)

    # --- tail and ears

    def tail(self, swing, curl, phase, cycles, delay):
        """Rotates the tail by a wave that runs toward its end."""
        for n in range(1, 7):
            delayed, size = delay * n, 0.5 + 0.13 * n
            self.rotate("tail_%d" % n,
                        yaw=swing * size * math.sin(2.0 * math.pi * (phase * cycles - delayed)),
                        pitch=curl * size * math.sin(2.0 * math.pi * (phase * 2 * cycles - delayed)))
        self.rotate("tail_fin", yaw=1.2 * swing
                    * math.sin(2.0 * math.pi * (phase * cycles - 7.2 * delay)))

    def tail_pose(self, rise=0.0, side=0.0, curl=0.0):
        """Bends the tail: rise lifts its root, side bends the whole tail to the left, curl bends its end
        upwards."""
        for n in range(1, 7):
            self.rotate("tail_%d" % n, yaw=-side / 6.0,
                        pitch=rise * max(0.0, 0.5 - 0.125 * (n - 1)) + curl * max(0, n - 2) / 10.0)

    def ears(self, lift, back=0.0, side=None):
        """Moves the ears: lift > 0 pricks them up, back > 0 lays them back."""
        for name, _ in SIDES:
            if side in (None, name):
                for n, fraction in ((1, 0.45), (2, 0.3), (3, 0.25)):
                    self.rotate_side("ear_%d" % n, name, roll=lift * fraction, yaw=back * fraction)

    # --- legs

    def foot(self, side, x, y, z=0.0, pitch=0.0, yaw=0.0, toes=0.0, knee=None):
        """Puts the ball of a foot at (x, y) in model space with the sole z above the floor.

        pitch > 0 lifts the heel while the toes remain flat; pitch < 0 lifts the toes while the heel remains
        in place. yaw rotates the foot to the left. toes: 0 keeps them flat, 1 gives them the pitch of the
        foot, limited by the floor. knee: direction of the knee, for the left leg."""
        sign = 1.0 if side == "l" else -1.0
        flat = euler(yaw=yaw)
        tilt = mul(flat, euler(pitch=pitch))
        ball = (x, y, z + BALL[2])
        back = (_BACK[0], _BACK[1] * sign, _BACK[2])
        if pitch < 0.0:
            heel = (_HEEL[0], _HEEL[1] * sign, _HEEL[2])
            ball = sub(add(ball, rotate(flat, heel)), rotate(tilt, heel))
        else:
            # The ball is a little above the sole, so the sole would slide back if the foot rotated about the
            # ball. A displacement divides this slide: the sole slides back by one half, the toes slide
            # forward by the other half.
            ahead = _ROLL * math.tanh(0.22 * BALL[2] * math.radians(pitch) / _ROLL)
            ball = add(ball, rotate(flat, (ahead, 0.0, 0.0)))
        knee = knee or (1.0, 0.32, 0.12)
        hint = rotate(flat, (knee[0], knee[1] * sign, knee[2]))
        self.pose.reach("thigh_" + side, "shin_" + side, "foot_" + side,
                        add(ball, rotate(tilt, back)), hint)
        self.pose.fix("foot_" + side, tilt)
        droop = tilt
        if pitch > 0.0:
            max_pitch = math.degrees(math.asin(min(1.0, max(0.0, z) * 0.65 / _TOE_REACH)))
            droop = mul(flat, euler(pitch=min(pitch * toes, max_pitch)))
        self.pose.fix("toes_" + side, droop)

    def spread(self, side, degrees):
        """Spreads the outer toes of a foot."""
        self.rotate_side("toe_in", side, yaw=-degrees)
        self.rotate_side("toe_out", side, yaw=degrees)

    def stand(self, wide=0.0):
        for side, sign in SIDES:
            self.foot(side, BALL[0], (BALL[1] + wide) * sign)

    def neutral_stance(self, t=0.0):
        """Poses the neutral stance, except feet and mouth. `t`: seconds, for the breath."""
        breath = math.sin(math.pi * t)
        self.move("hips", z=-0.55)
        self.stretch(0.12 * breath)
        self.nod(pitch=-2.0)
        self.arms_down()
