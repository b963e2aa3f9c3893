"""Writes BVH files of a walking person, whose limb directions follow from few angles, and checks the
retargeted clips of md5tool with independent arithmetic.

usage: walker.py write FILE.bvh cm|m FACING mixamo|classic|old|small|odd|hanging|z_up|
           own_axes
       walker.py map FILE                           maps the names of `odd` to Bobbin's
       walker.py limbs CLIP.md5anim MESH TURN HOW   checks Bobbin; HOW: the `model` is rotated by TURN
           degrees, or the motion (`askew`), or it walks in place (`still`), or the rest pose is the
           `first_frame`
       walker.py own CLIP.md5anim SCALE             checks the skeleton of the BVH file itself
"""
import math
import re
import sys

# name, parent, offset in cm: y up, z forward, x left; the rest pose is a T.
JOINTS = [
    ("Hips", None, (0, 0, 0)),
    ("Spine", "Hips", (0, 10, 0)),
    ("Spine1", "Spine", (0, 15, 0)),
    ("Neck", "Spine1", (0, 25, 0)),
    ("Head", "Neck", (0, 10, 2)),
    ("LeftShoulder", "Spine1", (4, 18, 0)),
    ("LeftArm", "LeftShoulder", (14, 0, 0)),
    ("LeftForeArm", "LeftArm", (28, 0, 0)),
    ("LeftHand", "LeftForeArm", (26, 0, 0)),
    ("RightShoulder", "Spine1", (-4, 18, 0)),
    ("RightArm", "RightShoulder", (-14, 0, 0)),
    ("RightForeArm", "RightArm", (-28, 0, 0)),
    ("RightHand", "RightForeArm", (-26, 0, 0)),
    ("LeftUpLeg", "Hips", (9, -4, 0)),
    ("LeftLeg", "LeftUpLeg", (0, -42, 0)),
    ("LeftFoot", "LeftLeg", (0, -40, 0)),
    ("LeftToeBase", "LeftFoot", (0, -7, 15)),
    ("RightUpLeg", "Hips", (-9, -4, 0)),
    ("RightLeg", "RightUpLeg", (0, -42, 0)),
    ("RightFoot", "RightLeg", (0, -40, 0)),
    ("RightToeBase", "RightFoot", (0, -7, 15)),
]
CLASSIC = {
    "Hips": "Hips", "Spine": "Chest", "Spine1": "Chest2", "Neck": "Neck", "Head": "Head",
    "Shoulder": "Collar", "Arm": "Shoulder", "ForeArm": "Elbow", "Hand": "Wrist",
    "UpLeg": "Hip", "Leg": "Knee", "Foot": "Ankle", "ToeBase": "Toe",
}
OLD = {
    "Hips": "Hips", "Spine": "Waist", "Spine1": "Chest", "Neck": "neck", "Head": "Head",
    "Shoulder": "clavical", "Arm": "uparm", "ForeArm": "loarm", "Hand": "hand",
    "UpLeg": "upleg", "Leg": "loleg", "Foot": "ankle", "ToeBase": "ball",
}
FRAMES, RATE, SPEED = 31, 30, 4.0  # cm a frame


def angles(name, frame):
    """Returns degrees about z, x and y, factors in this order. Positive about x swings a leg back."""
    phase = 2 * math.pi * frame / (FRAMES - 1)
    side = 1 if name.startswith("Left") else -1
    base_name = name.replace("Left", "").replace("Right", "")
    swing = side * math.sin(phase)
    if base_name == "UpLeg":
        return (0, -30 * swing, 0)
    if base_name == "Leg":
        return (0, 20 + 20 * swing, 0)
    if base_name == "Arm":
        return (-80 * side, 0, 20 * swing)
    if base_name == "ForeArm":
        return (0, 0, -30 * side)
    if base_name == "Spine1":
        return (0, 5, 0)
    if base_name == "Hips":
        return (0, 0, 8 * math.sin(phase))
    return (0, 0, 0)


def mul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def apply(m, v):
    return [sum(m[i][k] * v[k] for k in range(3)) for i in range(3)]


def axis_rotation(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    if axis == "x":
        return [[1, 0, 0], [0, c, -s], [0, s, c]]
    if axis == "y":
        return [[c, 0, s], [0, 1, 0], [-s, 0, c]]
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def pose(frame, facing=0):
    """Returns world rotations and positions, with the pelvis at the origin."""
    rotations, positions = {}, {}
    for name, parent, offset in JOINTS:
        z, x, y = angles(name, frame)
        local_rotation = mul(axis_rotation("z", z), mul(axis_rotation("x", x), axis_rotation("y", y)))
        if parent is None:
            rotations[name], positions[name] = mul(axis_rotation("y", facing), local_rotation), [0, 0, 0]
        else:
            rotations[name] = mul(rotations[parent], local_rotation)
            rotated_offset = apply(rotations[parent], offset)
            positions[name] = [a + b for a, b in zip(positions[parent], rotated_offset)]
    return rotations, positions


def lowest(frame):
    """Returns the height of the pelvis above the lower foot."""
    _, positions = pose(frame)
    return -min(positions[side + "ToeBase"][1] for side in ("Left", "Right"))


def hanging_angles(name, frame):
    """Returns the same motion from a rest pose with hanging arms: a quarter turn about z is the last rotation
    of the arm, and is undone before the forearm rotates."""
    side = 1 if name.startswith("Left") else -1
    z, x, y = angles(name, frame)
    if name.endswith("ForeArm"):
        return (0, side * y, 0)
    if name.endswith("Arm"):
        return (z + 90 * side, side * y, 0)
    return (z, x, y)


def joint_axes(name):
    """Returns the axes of a joint whose x points to its child, as in motion captures whose pose without
    rotations is not a figure."""
    base_name = name.replace("Left", "").replace("Right", "")
    if base_name in ("UpLeg", "Leg", "Foot", "ToeBase"):
        return axis_rotation("z", -90)
    if base_name in ("Spine", "Spine1", "Neck", "Head"):
        return axis_rotation("z", 90)
    return axis_rotation("z", 180 if name.startswith("Right") else 0)


def transposed(m):
    return [list(row) for row in zip(*m)]


def angles_in_joint_axes(name, parent, frame):
    """Returns the angles of the same motion about a joint's own axes."""
    z, x, y = angles(name, frame)
    m = mul(mul(axis_rotation("z", z), mul(axis_rotation("x", x), axis_rotation("y", y))), joint_axes(name))
    if parent:
        m = mul(transposed(joint_axes(parent)), m)
    return (math.degrees(math.atan2(-m[0][1], m[1][1])), math.degrees(math.asin(max(-1, min(1, m[2][1])))),
            math.degrees(math.atan2(-m[2][0], m[2][2])))


def write(path, unit, facing, names):
    scale = {"cm": 1.0, "m": 0.01}[unit]
    has_hanging_arms, is_z_up, has_axes = names == "hanging", names == "z_up", names == "own_axes"
    parents = {joint[0]: joint[1] for joint in JOINTS}

    def to_file_axes(v):
        return (v[0], -v[2], v[1]) if is_z_up else v

    def bvh_name(name):
        if names in ("mixamo", "hanging", "z_up", "own_axes"):
            return "mixamorig:" + name
        if names == "odd":
            return "bone " + str([j[0] for j in JOINTS].index(name))
        side = "Left" if name.startswith("Left") else "Right" if name.startswith("Right") else ""
        if names == "old":  # Doom 3's names
            return side[:1].lower() + OLD[name[len(side):]]
        if names == "small":
            return name.lower()
        return side + CLASSIC[name[len(side):]]

    lines = ["HIERARCHY"]

    def joint(name, parent, offset, depth):
        if has_hanging_arms and name.endswith(("ForeArm", "Hand")):
            offset = (0, -abs(offset[0]), 0)
        if has_axes and parent:
            offset = apply(transposed(joint_axes(parent)), offset)
        indent = "\t" * depth
        lines.append(indent + ("ROOT " if parent is None else "JOINT ") + bvh_name(name))
        lines.append(indent + "{")
        lines.append(indent + "\tOFFSET " + " ".join("%.6f" % (scale * v) for v in to_file_axes(offset)))
        position = "6 Xposition Yposition Zposition" if parent is None else "3"
        # With z up, a rotation about y becomes a rotation about z, and one about z becomes a negative one
        # about y.
        rotation_channels = "Yrotation Xrotation Zrotation" if is_z_up else "Zrotation Xrotation Yrotation"
        lines.append(indent + "\tCHANNELS %s %s" % (position, rotation_channels))
        children = [j for j in JOINTS if j[1] == name]
        for child in children:
            joint(*child, depth + 1)
        if not children:
            lines.extend([indent + "\tEnd Site", indent + "\t{", indent + "\t\tOFFSET 0 %g 0" % scale,
                          indent + "\t}"])
        lines.append(indent + "}")

    joint(*JOINTS[0], 0)
    order = [line.split(None, 1)[1] for line in lines if line.split()[0] in ("ROOT", "JOINT")]
    name_by_bvh_name = {bvh_name(j[0]): j[0] for j in JOINTS}
    lines.extend(["MOTION", "Frames: %d" % FRAMES, "Frame Time: 0.0333333"])
    for frame in range(FRAMES):
        root_position = apply(axis_rotation("y", facing), (0, 0, SPEED * frame))
        root_position[1] = lowest(frame)
        numbers = [scale * v for v in to_file_axes([v + w for v, w in zip(root_position, (50, 0, -20))])]
        for name in order:
            name = name_by_bvh_name[name]
            if has_axes:
                z, x, y = angles_in_joint_axes(name, parents[name], frame)
            else:
                z, x, y = (hanging_angles if has_hanging_arms else angles)(name, frame)
            if name == "Hips":
                y += facing  # the other angles are 0 here
            numbers += [-z if is_z_up else z, x, y]
        lines.append(" ".join("%.6f" % v for v in numbers))
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


def matrix(x, y, z):
    """Returns the matrix of a rotation as MD5 stores it."""
    w = -math.sqrt(max(0.0, 1.0 - x * x - y * y - z * z))
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


def section(text, name):
    return re.search(name + r" \{\n(.*?)\n\}", text, re.S).group(1).splitlines()


def read_clip(path):
    """Returns names, and the world rotation and position of each joint by name, for each frame."""
    text = open(path).read()
    hierarchy = [re.match(r'\t"(.*)"\s+(-?\d+)\s+(\d+)\s+(\d+)', line).groups()
                 for line in section(text, "hierarchy")]
    base = [[float(n) for n in re.findall(r"[-\d.]+", line)] for line in section(text, "baseframe")]
    frames = []
    count = int(re.search(r"numFrames (\d+)", text).group(1))
    for number in range(count):
        numbers = [float(n) for n in " ".join(section(text, "frame %d" % number)).split()]
        joints = {}
        for (name, parent, flags, first), base_row in zip(hierarchy, base):
            values, at = list(base_row), int(first)
            for k in range(6):
                if int(flags) >> k & 1:
                    values[k] = numbers[at]
                    at += 1
            rotation, position = matrix(*values[3:]), values[:3]
            if int(parent) >= 0:
                parent_joint = joints[hierarchy[int(parent)][0]]
                position = [a + b for a, b in zip(parent_joint[1], apply(parent_joint[0], position))]
                rotation = mul(parent_joint[0], rotation)
            joints[name] = (rotation, position)
        frames.append(joints)
    rate = float(re.search(r"frameRate ([\d.]+)", text).group(1))
    return frames, rate


def to_game_axes(v):
    """Converts to x forward, y left, z up."""
    return [v[2], v[0], v[1]]


def difference(a, b):
    return [y - x for x, y in zip(a, b)]


def unit(v):
    length = math.sqrt(sum(x * x for x in v))
    return [x / length for x in v]


LIMBS = [("UpLeg", "Leg", "thigh", "shin"), ("Leg", "Foot", "shin", "foot"),
         ("Arm", "ForeArm", "upperarm", "forearm"), ("ForeArm", "Hand", "forearm", "hand")]


def expect(label, found, expected, tolerance):
    if max(abs(f - e) for f, e in zip(found, expected)) > tolerance:
        sys.exit("%s: %s, expected %s" % (label, found, expected))


def check_limbs(path, angle, kind):
    """Checks that limbs have the walker's directions, that the pelvis moves in proportion to the legs, and
    that feet stand."""
    frames, rate = read_clip(path)
    expect("frames and rate", [len(frames), rate], [FRAMES, RATE], 1e-9)
    # Bobbin's legs in the bind pose, and the heights of its ankles and toes.
    bones = [(-0.5, 5.2, 15.16), (2.03, 6.35, 8.95), (-0.96, 6.81, 3.2)]
    legs = sum(math.dist(a, b) for a, b in zip(bones, bones[1:]))
    rotation = axis_rotation("z", angle)
    start = frames[0]["hips"][1]
    foot_heights = []
    for number, frame in enumerate(frames):
        rotations, positions = pose(number)
        for side in ("Left", "Right"):
            for a, b, c, d in LIMBS:
                found = unit(difference(*(frame[n + "_" + side[0].lower()][1] for n in (c, d))))
                expected = unit(difference(positions[side + a], positions[side + b]))
                expect("frame %d: %s %s" % (number, side, c), found,
                       apply(rotation, to_game_axes(expected)), 2e-3)
        # Relative to its bind pose, Bobbin's head must rotate by the same matrix as the walker's head.
        head = rotations["Head"]
        if kind == "first_frame":  # the first frame is the rest pose
            head = mul(head, transposed(pose(0)[0]["Head"]))
        expected = [to_game_axes(apply(head, v)) for v in ((0, 0, 1), (1, 0, 0), (0, 1, 0))]
        found = mul(frame["head"][0], REST_HEAD)
        # If the motion is rotated, the retargeted pose is rotated. If the model is rotated, its bind pose
        # is rotated.
        unrotated = found if kind == "askew" else mul(found, axis_rotation("z", angle))
        unrotated = mul(axis_rotation("z", -angle), unrotated)
        for k in range(3):
            expect("frame %d: head" % number, [row[k] for row in unrotated], expected[k], 2e-3)
        displacement = apply(axis_rotation("z", -angle), difference(start, frame["hips"][1]))
        expect("frame %d: forward" % number, displacement[:2],
               [0 if kind == "still" else number * SPEED * legs / 82, 0], 2e-3)
        foot_heights.append(min(frame[n + s][1][2] - h for s in ("_l", "_r")
                                for n, h in (("foot", 3.2), ("toes", 1.4))))
    foot_heights.sort()
    expect("feet", [foot_heights[FRAMES // 20]], [0], 2e-3)
    if foot_heights[0] < -0.5:
        sys.exit("a foot is %g below the ground" % foot_heights[0])


def check_positions(path, scale):
    frames, _ = read_clip(path)
    for number, frame in enumerate(frames):
        rotations, positions = pose(number)
        for name, _, _ in JOINTS:
            at = [50, lowest(number), SPEED * number - 20]
            expected = [scale * (a + b) for a, b in zip(positions[name], at)]
            expect("frame %d: %s" % (number, name), frame["mixamorig:" + name][1], to_game_axes(expected),
                   2e-3)


# The inverse of Bobbin's head rotation in the bind pose, set from its file.
REST_HEAD = None


def read_rest_head(path):
    line = re.search(r'"head"\s+\d+ \( .*? \) \( (.*?) \)', open(path).read()).group(1)
    rotation = matrix(*(float(n) for n in line.split()))
    return [[rotation[j][i] for j in range(3)] for i in range(3)]


def write_map(path):
    pairs = [("Hips", "hips"), ("Head", "head")]
    for side in ("Left", "Right"):
        pairs += [(side + "Shoulder", "clavicle"), (side + "ToeBase", "toes")]
        pairs += [(side + a, c) for a, _, c, _ in LIMBS]
        pairs += [(side + b, d) for _, b, _, d in LIMBS if b in ("Foot", "Hand")]
    with open(path, "w") as file:
        file.write("# the walker's joints, and Bobbin's\n\n")
        for source, target in pairs:
            number = [j[0] for j in JOINTS].index(source)
            side = source[:1].lower() if source.startswith(("Left", "Right")) else ""
            file.write('"bone_%d" %s%s\n' % (number, target, "_" + side if side else ""))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5])
    elif sys.argv[1] == "map":
        write_map(sys.argv[2])
    elif sys.argv[1] == "limbs":
        REST_HEAD = read_rest_head(sys.argv[3])
        check_limbs(sys.argv[2], float(sys.argv[4]), sys.argv[5])
    else:
        check_positions(sys.argv[2], float(sys.argv[3]))
