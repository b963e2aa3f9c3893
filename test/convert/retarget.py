"""Writes bodies with different names, axes and proportions, and a clip of a walking body; checks retargeted
clips of md5tool with independent arithmetic.

usage: retarget.py body FILE.md5mesh doom|mixamo THIGH SHIN   lengths; the hips are 5 above the legs
       retarget.py clip FILE.md5anim                          of `body FILE doom 18 17`: its left foot stands
       retarget.py stands CLIP.md5anim JOINT THIGH SHIN       the joint keeps its position of the bind pose
       retarget.py golden CLIP.md5anim EXPECTED.json CASE     positions within 1e-4, directions 0.002 degrees
"""
import json
import math
import re
import sys

from walker import apply, matrix, mul, section

DOOM = {"Root": "origin", "Hips": "Hips", "Spine": "Waist", "Spine1": "Chest", "Head": "Head",
        "Shoulder": "shldr", "Arm": "uparm", "ForeArm": "loarm", "Hand": "hand", "UpLeg": "upleg",
        "Leg": "loleg", "Foot": "ankle_r"}


def joints(thigh, shin):
    """Returns name, parent and position: x forward, y left, z up."""
    up = thigh + shin
    result = [("Root", None, (0, 0, 0)), ("Hips", "Root", (0, 0, up + 5)), ("Spine", "Hips", (0, 0, up + 10)),
              ("Spine1", "Spine", (0, 0, up + 20)), ("Head", "Spine1", (0, 0, up + 30))]
    for side, y in (("Left", 1), ("Right", -1)):
        arm = [("Shoulder", "Spine1", (0, 2 * y, up + 24)), ("Arm", side + "Shoulder", (0, 7 * y, up + 24)),
               ("ForeArm", side + "Arm", (0, 18 * y, up + 24)),
               ("Hand", side + "ForeArm", (0, 28 * y, up + 24)),
               ("UpLeg", "Hips", (0, 4 * y, up + 3)), ("Leg", side + "UpLeg", (0, 4 * y, shin + 3)),
               ("Foot", side + "Leg", (0, 4 * y, 3))]
        result += [(side + name, parent, position) for name, parent, position in arm]
    return result


def joint_name(name, names):
    if names == "mixamo":
        return "mixamorig:" + name
    side = "L" if name.startswith("Left") else "R" if name.startswith("Right") else ""
    return side + DOOM[name.replace("Left", "").replace("Right", "")]


def bind_rotation(number, names):
    """Returns a quaternion of the joint in the bind pose: a different one for each joint of Mixamo's."""
    angle = math.radians(37 * number) / 2 if names == "mixamo" else 0
    return (0.6 * math.sin(angle), 0, 0.8 * math.sin(angle), math.cos(angle))


def format_rotation(q):
    return "( %.9f %.9f %.9f )" % tuple(-x if q[3] > 0 else x for x in q[:3])


def write_model(path, names, thigh, shin):
    rows = joints(thigh, shin)
    index = {row[0]: i for i, row in enumerate(rows)}
    with open(path, "w") as file:
        file.write("MD5Version 10\ncommandline \"\"\n\nnumJoints %d\nnumMeshes 1\n\njoints {\n" % len(rows))
        for i, (name, parent, position) in enumerate(rows):
            row = (joint_name(name, names), index.get(parent, -1), *position,
                   format_rotation(bind_rotation(i, names)))
            file.write('\t"%s" %d ( %.9g %.9g %.9g ) %s\n' % row)
        file.write("}\n\nmesh {\n\tshader \"skin\"\n\n\tnumverts 3\n")
        file.writelines("\tvert %d ( 0 0 ) %d 1\n" % (i, i) for i in range(3))
        file.write("\n\tnumtris 1\n\ttri 0 0 1 2\n\n\tnumweights 3\n")
        file.writelines("\tweight %d %d 1 ( %d 0 0 )\n" % (i, i, i) for i in range(3))
        file.write("}\n")


FRAMES, SPEED = 5, 3


def write_clip(path):
    """Writes a clip. The left foot stands while the hips move forward; its leg bends by the law of
    cosines."""
    rows = joints(18, 17)
    index = {row[0]: i for i, row in enumerate(rows)}
    rest_positions = {row[0]: row[2] for row in rows}
    with open(path, "w") as file:
        file.write("MD5Version 10\ncommandline \"\"\n\nnumFrames %d\nnumJoints %d\nframeRate 24\n"
                   "numAnimatedComponents %d\n\nhierarchy {\n" % (FRAMES, len(rows), 6 * len(rows)))
        for i, (name, parent, _) in enumerate(rows):
            file.write('\t"%s" %d 63 %d\n' % (joint_name(name, "doom"), index.get(parent, -1), 6 * i))
        file.write("}\n\nbounds {\n" + "\t( -99 -99 -99 ) ( 99 99 99 )\n" * FRAMES + "}\n\nbaseframe {\n")
        file.write("\t( 0 0 0 ) ( 0 0 0 )\n" * len(rows) + "}\n")
        for frame in range(FRAMES):
            # The thigh ahead of the ankle, and above: the hips are 1 lower than at rest.
            forward, down = SPEED * (frame - 2), 34.0
            distance = math.hypot(forward, down)
            hip = math.acos((18 ** 2 + distance ** 2 - 17 ** 2) / (2 * 18 * distance))
            hip -= math.atan2(forward, down)
            knee = math.pi - math.acos((18 ** 2 + 17 ** 2 - distance ** 2) / (2 * 18 * 17))
            file.write("\nframe %d {\n" % frame)
            for name, parent, at in rows:
                offset = [a - b for a, b in zip(at, rest_positions.get(parent, (0, 0, 0)))]
                rotation = {"LeftUpLeg": hip, "LeftLeg": -knee, "LeftFoot": knee - hip}.get(name, 0)
                if name == "RightUpLeg":
                    rotation = 0.3 * frame
                if name == "Hips":
                    offset = [forward, 0, offset[2] - 1]
                # About -y a leg swings forward.
                file.write("\t%.9g %.9g %.9g 0 %.9f 0\n" % (*offset, math.sin(rotation / 2)))
            file.write("}\n")


def read_positions(path):
    """Returns names, parents, and for each frame the positions of all joints, in the order of the file."""
    text = open(path).read()
    rows = [re.match(r'\t"(.*)"\s+(-?\d+)\s+(\d+)\s+(\d+)', line).groups()
            for line in section(text, "hierarchy")]
    rows = [(row[0], *map(int, row[1:])) for row in rows]
    base = [[float(n) for n in re.sub("[()]", "", line).split()] for line in section(text, "baseframe")]
    frames = []
    for number in range(text.count("\nframe ")):
        numbers = [float(n) for n in " ".join(section(text, "frame %d" % number)).split()]
        positions, rotations = [], []
        for (_, parent, flags, first), base_row in zip(rows, base):
            values, at = list(base_row), first
            for k in range(6):
                if flags >> k & 1:
                    values[k] = numbers[at]
                    at += 1
            position, rotation = values[:3], matrix(*values[3:])
            if parent >= 0:
                position = [a + b for a, b in zip(positions[parent], apply(rotations[parent], position))]
                rotation = mul(rotations[parent], rotation)
            positions.append(position)
            rotations.append(rotation)
        frames.append(positions)
    return [row[0] for row in rows], [row[1] for row in rows], frames


def angle(a, b):
    """Returns an angle in degrees, precise also for small angles."""
    cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return math.degrees(math.atan2(math.hypot(*cross), sum(x * y for x, y in zip(a, b))))


def check_golden(path, expected, case):
    names, parents, frames = read_positions(path)
    position_error, direction_error = 0, 0
    for found, frame in zip(frames, json.load(open(expected))[case]["frames"]):
        distances = [math.dist(a, b) for a, b in list(zip(found, frame["places"]))[1:]]
        position_error = max(position_error, *distances)
        for name, direction in frame["directions"].items():
            joint = names.index(name)
            child = parents.index(joint)
            bone = [a - b for a, b in zip(found[child], found[joint])]
            direction_error = max(direction_error, angle(bone, direction))
    if not (position_error <= 1e-4 and direction_error <= 0.002):
        sys.exit("positions differ by up to %g, directions by up to %g degrees"
                 % (position_error, direction_error))


def check_standing(path, joint, thigh, shin):
    names, _, frames = read_positions(path)
    # The hips began 2 steps behind the origin, so the foot stands at this position.
    expected = [(0, 4, 3), (0, -4, 3)][joint.startswith("Right")]
    distance = max(math.dist(frame[names.index("mixamorig:" + joint)], expected) for frame in frames)
    if not distance <= 1e-4 * (thigh + shin):
        sys.exit("%s differs by up to %g" % (joint, distance))


if __name__ == "__main__":
    if sys.argv[1] == "body":
        write_model(sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]))
    elif sys.argv[1] == "clip":
        write_clip(sys.argv[2])
    elif sys.argv[1] == "stands":
        check_standing(sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]))
    else:
        check_golden(*sys.argv[2:5])
