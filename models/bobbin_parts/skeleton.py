"""Positions of Bobbin's joints. Left side only; the right side is mirrored."""

# name, parent, position (x forward, y left, z up; floor at 0), the target of its x axis
_JOINTS = (
    ("origin", None, (0, 0, 0), (1, 0, 0)),
    ("hips", "origin", (-1, 0, 15), (-0.6, 0, 20)),
    ("belly", "hips", (1.5, 0, 18), (9, 0, 18)),
    ("tail_1", "hips", (-6.5, 0, 14.2), (-12.5, 0, 10.2)),
    ("tail_2", "tail_1", (-12.5, 0, 10.2), (-18.5, 0, 7.6)),
    ("tail_3", "tail_2", (-18.5, 0, 7.6), (-24.5, 0, 7.4)),
    ("tail_4", "tail_3", (-24.5, 0, 7.4), (-29.8, 0, 9.8)),
    ("tail_5", "tail_4", (-29.8, 0, 9.8), (-33.6, 0, 14.2)),
    ("tail_6", "tail_5", (-33.6, 0, 14.2), (-35.2, 0, 19.6)),
    ("tail_fin", "tail_6", (-35.2, 0, 19.6), (-35.6, 0, 27.0)),
    ("thigh_l", "hips", (-0.5, 5.2, 13.6), (1.7, 6.2, 8.2)),
    ("shin_l", "thigh_l", (1.7, 6.2, 8.2), (-0.9, 6.6, 3.2)),
    ("foot_l", "shin_l", (-0.9, 6.6, 3.2), (4.4, 7.6, 1.4)),
    ("toes_l", "foot_l", (4.4, 7.6, 1.4), (8.0, 8.3, 1.2)),
    ("toe_in_l", "toes_l", (5.6, 5.3, 1.4), (8.5, 5.0, 1.3)),
    ("toe_mid_l", "toes_l", (6.4, 7.95, 1.4), (9.7, 8.4, 1.3)),
    ("toe_out_l", "toes_l", (5.0, 10.4, 1.4), (7.4, 12.3, 1.3)),
    ("spine_1", "hips", (-0.7, 0, 18.8), (-0.5, 0, 22.4)),
    ("spine_2", "spine_1", (-0.5, 0, 22.4), (-0.2, 0, 26.0)),
    ("chest", "spine_2", (-0.2, 0, 26.0), (0, 0, 30)),
    ("clavicle_l", "chest", (0, 2.4, 28.4), (0, 6.6, 28.0)),
    ("upperarm_l", "clavicle_l", (0, 6.6, 28.0), (0.2, 11.8, 24.2)),
    ("forearm_l", "upperarm_l", (0.2, 11.8, 24.2), (2.2, 16.2, 20.6)),
    ("hand_l", "forearm_l", (2.2, 16.2, 20.6), (3.4, 18.6, 18.4)),
    ("thumb_1_l", "hand_l", (4.2, 16.6, 19.2), (5.7, 16.7, 18.55)),
    ("thumb_2_l", "thumb_1_l", (5.7, 16.7, 18.55), (7.0, 16.8, 18.0)),
    ("finger_a_1_l", "hand_l", (4.6, 18.8, 18.0), (5.7, 19.8, 16.7)),
    ("finger_a_2_l", "finger_a_1_l", (5.7, 19.8, 16.7), (6.6, 20.6, 15.6)),
    ("finger_b_1_l", "hand_l", (2.6, 19.3, 18.0), (2.75, 20.6, 16.85)),
    ("finger_b_2_l", "finger_b_1_l", (2.75, 20.6, 16.85), (2.9, 21.8, 15.8)),
    ("prop_l", "hand_l", (4.1, 17.5, 17.1), (7.1, 16.7, 17.1)),
    ("forearm_twist_l", "forearm_l", (1.3, 14.22, 22.22), (2.2, 16.2, 20.6)),
    ("neck", "chest", (0, 0, 30), (0.6, 0, 33.5)),
    ("head", "neck", (0.6, 0, 33.5), (1.5, 0, 52)),
    ("jaw", "head", (3.5, 0, 36.8), (13.5, 0, 33.6)),
    ("tongue", "jaw", (7.6, 0, 34.6), (12.6, 0, 34.2)),
    ("cheek_l", "head", (8.0, 7.4, 36.4), (10.8, 9.6, 36.2)),
    ("eye_l", "head", (5.7, 5.6, 43.2), (15.3, 8.4, 43.7)),
    ("lid_upper_l", "head", (5.7, 5.6, 43.2), (15.3, 8.4, 43.7)),
    ("lid_lower_l", "head", (5.7, 5.6, 43.2), (15.3, 8.4, 43.7)),
    ("brow_l", "head", (4.6, 6.2, 47.4), (10.0, 8.6, 48.8)),
    ("ear_1_l", "head", (-1.0, 8.8, 46.8), (-2.4, 14.0, 50.6)),
    ("ear_2_l", "ear_1_l", (-2.4, 14.0, 50.6), (-4.0, 19.4, 52.6)),
    ("ear_3_l", "ear_2_l", (-4.0, 19.4, 52.6), (-6.0, 24.6, 51.6)),
    # Helper joints are last: see HALVES.
    ("hip_l", "hips", (-0.5, 5.2, 13.6), (1.7, 6.2, 8.2)),
    ("shoulder_l", "clavicle_l", (0, 6.6, 28.0), (0.2, 11.8, 24.2)),
    ("elbow_l", "upperarm_l", (0.2, 11.8, 24.2), (2.2, 16.2, 20.6)),
    ("knee_l", "thigh_l", (1.7, 6.2, 8.2), (-0.9, 6.6, 3.2)),
)

# Helper joints at the position of another joint, with half of its rotation: skin between two joints bends as
# an arc instead of a fold, and keeps its girth. The clips move them; other code does not need them.
_HALVES = (("hip", "thigh"), ("shoulder", "upperarm"), ("elbow", "forearm"), ("knee", "shin"))
HALVES = {"%s_%s" % (helper, side): "%s_%s" % (joint, side) for helper, joint in _HALVES for side in "lr"}

_UP = tuple((name, (1.0, 0.0, 0.0)) for name in ("thigh", "shin", "hip_", "knee"))


class Joint:
    """A joint of the bind pose, with these members:

    bind    its position in model space
    aim     the position where its limb ends
    axis    the direction of its x axis: along the limb. The x axes of the hips and of the head point
            forward, and so do those of the tail, which are opposite to its limbs. The x axis of a prop is
            along the object that the hand holds, towards the side of the thumb.
    up      the direction to which its z axis is as close as possible

    Rotations near 180 degrees lose digits in the format, because w is computed from a difference near 0.
    Therefore `axis` and `up` are chosen so that each joint is rotated by much less than 180 degrees relative
    to its parent and to the model, in all clips."""

    def __init__(self, name, parent, bind, aim):
        self.name, self.parent, self.bind, self.aim = name, parent, bind, aim
        self.axis = (aim[0] - bind[0], aim[1] - bind[1], aim[2] - bind[2])
        if name in ("hips", "head"):
            self.axis = (1.0, 0.0, 0.0)
        elif name.startswith("tail"):
            self.axis = (-self.axis[0], -self.axis[1], -self.axis[2])
        self.up = next((up for start, up in _UP if name.startswith(start)), (0.0, 0.0, 1.0))


def other_side(name):
    """Returns the twin of a joint; joints in the middle are their own twins."""
    if name.endswith("_l"):
        return name[:-1] + "r"
    if name.endswith("_r"):
        return name[:-1] + "l"
    return name


def _flipped(p):
    return (p[0], -p[1], p[2])


def _floats(p):
    return (float(p[0]), float(p[1]), float(p[2]))


def joints():
    """Returns all joints in file order: every left chain is followed by its right twin."""
    out, pending = [], []
    for name, parent, bind, aim in _JOINTS:
        left = name.endswith("_l")
        joint = Joint(name, parent, _floats(bind), _floats(aim))
        # The left chain has ended: now append its right twins.
        if pending and not (left and parent.endswith("_l")):
            out += pending
            pending = []
        out.append(joint)
        if left:
            pending.append(Joint(other_side(name), other_side(parent), _flipped(joint.bind),
                                 _flipped(joint.aim)))
    return out + pending
