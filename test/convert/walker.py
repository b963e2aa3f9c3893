"""Writes BVH files of a person who walks, whose limbs' directions follow from few angles; and
checks the clips that are made of them.

usage: walker.py write FILE.bvh [cm|m] [facing degrees] [names: mixamo|classic]
       walker.py check FILE.json MODEL.txt   see bvh.sh
"""
import json
import math
import struct
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
FRAMES, RATE, SPEED = 31, 30, 4.0  # cm a frame


def angles(name, frame):
    """Degrees about z, x and y, factors in this order. Positive about x swings a leg back."""
    phase = 2 * math.pi * frame / (FRAMES - 1)
    side = 1 if name.startswith("Left") else -1
    part = name.replace("Left", "").replace("Right", "")
    swing = side * math.sin(phase)
    if part == "UpLeg":
        return (0, -30 * swing, 0)
    if part == "Leg":
        return (0, 20 + 20 * swing, 0)
    if part == "Arm":
        return (-80 * side, 0, 0) if frame == 0 else (-80 * side, 0, 20 * swing)
    if part == "ForeArm":
        return (0, 0, -30 * side)
    if part == "Spine1":
        return (0, 5, 0)
    if part == "Hips":
        return (0, 0, 8 * math.sin(phase))
    return (0, 0, 0)


def mul(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def apply(m, v):
    return [sum(m[i][k] * v[k] for k in range(3)) for i in range(3)]


def about(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    if axis == "x":
        return [[1, 0, 0], [0, c, -s], [0, s, c]]
    if axis == "y":
        return [[c, 0, s], [0, 1, 0], [-s, 0, c]]
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def pose(frame, facing=0):
    """World rotations and positions, the pelvis at the origin."""
    rotations, positions = {}, {}
    for name, parent, offset in JOINTS:
        z, x, y = angles(name, frame)
        own = mul(about("z", z), mul(about("x", x), about("y", y)))
        if parent is None:
            rotations[name], positions[name] = mul(about("y", facing), own), [0, 0, 0]
        else:
            rotations[name] = mul(rotations[parent], own)
            step = apply(rotations[parent], offset)
            positions[name] = [a + b for a, b in zip(positions[parent], step)]
    return rotations, positions


def lowest(frame):
    """How far the lower foot is below the pelvis."""
    _, positions = pose(frame)
    return -min(positions[side + "ToeBase"][1] for side in ("Left", "Right"))


def write(path, unit, facing, names):
    scale = {"cm": 1.0, "m": 0.01}[unit]

    def said(name):
        if names == "mixamo":
            return "mixamorig:" + name
        if names == "odd":
            return "bone " + str([j[0] for j in JOINTS].index(name))
        side = "Left" if name.startswith("Left") else "Right" if name.startswith("Right") else ""
        return side + CLASSIC[name[len(side):]]

    lines = ["HIERARCHY"]

    def joint(name, parent, offset, depth):
        pad = "\t" * depth
        lines.append(pad + ("ROOT " if parent is None else "JOINT ") + said(name))
        lines.append(pad + "{")
        lines.append(pad + "\tOFFSET " + " ".join("%.6f" % (scale * v) for v in offset))
        position = "6 Xposition Yposition Zposition" if parent is None else "3"
        lines.append(pad + "\tCHANNELS %s Zrotation Xrotation Yrotation" % position)
        children = [j for j in JOINTS if j[1] == name]
        for child in children:
            joint(*child, depth + 1)
        if not children:
            lines.extend([pad + "\tEnd Site", pad + "\t{", pad + "\t\tOFFSET 0 %g 0" % scale,
                          pad + "\t}"])
        lines.append(pad + "}")

    joint(*JOINTS[0], 0)
    order = [line.split(None, 1)[1] for line in lines if line.split()[0] in ("ROOT", "JOINT")]
    back = {said(j[0]): j[0] for j in JOINTS}
    lines.extend(["MOTION", "Frames: %d" % FRAMES, "Frame Time: 0.0333333"])
    for frame in range(FRAMES):
        walked = apply(about("y", facing), (0, 0, SPEED * frame))
        walked[1] = lowest(frame)
        numbers = [scale * (v + w) for v, w in zip(walked, (50, 0, -20))]
        for name in order:
            name = back[name]
            z, x, y = angles(name, frame)
            if name == "Hips":
                y += facing  # the others are 0 here
            numbers += [z, x, y]
        lines.append(" ".join("%.6f" % v for v in numbers))
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5])
