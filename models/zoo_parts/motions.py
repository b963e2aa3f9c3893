"""Models that show a feature of clips and camera paths."""

import math

from kit import lathe, md5
from kit.maths import frame as facing, sub

from zoo_parts.cage import (COMMAND, STILL, ZERO, Raw, anim_text, brick, local, mesh_text, q,
                            together)

ROOT = [("root", -1, ZERO, STILL)]


def _swing(n, count):
    return math.sin(2.0 * math.pi * n / count)


def _flags():
    """Returns a model and a clip of 64 bricks in eight rows. The bits of n are the components in which joint
    n moves."""
    joints, parts = [("field", -1, ZERO, STILL)], []
    for n in range(64):
        at = (0.0, 6.0 * (n % 8 - 3.5), 6.0 * (n // 8))
        joints.append(("flags_%d" % n, 0, at, STILL))
        low, high = (-1.0, at[1] - 2.0, at[2] - 1.5), (1.0, at[1] + 2.0, at[2] + 1.5)
        parts.append(brick(low, high, n + 1, at))
    mesh, frames = together(parts), []
    for step in range(13):
        frame = [(ZERO, STILL)]
        for n in range(64):
            s = [_swing(step, 12) if n >> bit & 1 else 0.0 for bit in range(6)]
            x, y, z = joints[n + 1][2]
            frame.append(((x + 2.0 * s[0], y + s[1], z + s[2]),
                          q(0.3 * s[3], 0.3 * s[4], 0.3 * s[5])))
        frames.append(frame)
    return [(".md5mesh", mesh_text(joints, [mesh])),
            (".md5anim", anim_text(joints, [mesh], 12, frames))]


def _arm():
    joints = ROOT + [("arm", 0, (0.0, 0.0, 6.0), STILL)]
    mesh = together([brick((-2, -2, 0), (2, 2, 5)),
                     brick((-1, -1, 6), (1, 1, 14), 1, joints[1][2])])
    return joints, mesh


def _with(clip):
    joints, mesh = _arm()
    return [(".md5mesh", mesh_text(joints, [mesh])), (".md5anim", clip(joints, mesh))]


def _one_frame(joints, mesh):
    frame = local(joints)
    frame[1] = (frame[1][0], q(0.0, 0.25, 0.0))
    return anim_text(joints, [mesh], 24, [frame])


def _no_components(joints, mesh):
    return anim_text(joints, [mesh], 24, [local(joints)] * 3)


def _travels(joints, mesh):
    """Returns a clip whose root begins away from the origin and advances by 16 units per cycle."""
    frames = []
    for n in range(9):
        frame = local(joints)
        frame[0] = ((5.0 + 2.0 * n, -3.0, 1.0), STILL)
        frame[1] = (frame[1][0], q(0.3 * _swing(n, 8), 0.0, 0.0))
        frames.append(frame)
    return anim_text(joints, [mesh], 8, frames)


def _half_turn(joints, mesh):
    """Returns a clip of one rotation in eight steps of 45 degrees. In the file w is never positive, so the
    sign of the stored quaternion flips, and every blend must use the shorter arc."""
    frames = []
    for n in range(9):
        frame = local(joints)
        half = math.radians(45.0 * n) / 2.0
        rotation = (0.0, 0.0, math.sin(half), math.cos(half))
        frame[1] = (frame[1][0], rotation if rotation[3] <= 0.0 else tuple(-c for c in rotation))
        frames.append(frame)
    return anim_text(joints, [mesh], 8, frames)


def _base_frame(joints, mesh):
    """Components that frames do not contain are in the base frame, where the arm is raised and tilted."""
    frames = []
    for n in range(5):
        frame = local(joints)
        frame[1] = ((0.0, 3.0 * _swing(n, 4), 10.0), q(0.0, 0.35, 0.0))
        frames.append(frame)
    return anim_text(joints, [mesh], 4, frames)


def _rates():
    """Returns a model with three clips of the same rotation, at 1, 7 and 120 frames per second."""
    joints, mesh = _arm()
    files = [(".md5mesh", mesh_text(joints, [mesh]))]
    for rate in (1, 7, 120):
        frames = []
        for n in range(rate + 1):
            frame = local(joints)
            frame[1] = (frame[1][0], q(0.3 * _swing(n, max(rate, 2)), 0.0, 0.0))
            frames.append(frame)
        files.append(("_%d.md5anim" % rate, anim_text(joints, [mesh], rate, frames)))
    return files


def _fewer_joints():
    """Returns a clip with two of the three joints of the mesh. The joint between them keeps its bind pose."""
    joints = ROOT + [("between", 0, (0.0, 0.0, 5.0), STILL), ("tip", 1, (0.0, 0.0, 10.0), STILL)]
    mesh = together([brick((-2, -2, 0), (2, 2, 4)), brick((-2, -2, 5), (2, 2, 9), 1, joints[1][2]),
                     brick((-1, -1, 10), (1, 1, 14), 2, joints[2][2])])
    clip_joints = [joints[0], ("tip", 0, (0.0, 0.0, 10.0), STILL)]
    stand_in = together([brick((-2, -2, 0), (2, 2, 9)),
                         brick((-1, -1, 10), (1, 1, 14), 1, clip_joints[1][2])])
    frames = []
    for n in range(9):
        frame = local(clip_joints)
        frame[1] = (frame[1][0], q(0.0, 0.3 * _swing(n, 8), 0.0))
        frames.append(frame)
    return [(".md5mesh", mesh_text(joints, [mesh])),
            (".md5anim", anim_text(clip_joints, [stand_in], 8, frames))]


def _chain(count=32):
    """Returns a chain of 32 joints along which a wave runs. Each rotation adds to the rotations of the
    previous joints."""
    joints = [("link_%02d" % n, n - 1, (0.0, 0.0, 2.0 * n), STILL) for n in range(count)]
    mesh = together([brick((-0.7, -0.7, 2.0 * n + 0.1), (0.7, 0.7, 2.0 * n + 1.9), n, joints[n][2])
                     for n in range(count)])
    frames = []
    for step in range(25):
        frame = [(position, q(0.10 * math.sin(2.0 * math.pi * (step / 24 - n / 16)), 0.0, 0.0))
                 for n, (position, _) in enumerate(local(joints))]
        frames.append(frame)
    return [(".md5mesh", mesh_text(joints, [mesh])),
            (".md5anim", anim_text(joints, [mesh], 24, frames))]


def _twist(height=24.0, rows=12):
    """Returns a post whose top is rotated by nearly 180 degrees. Linear skinning collapses its middle (the
    candy-wrapper artifact); dual quaternions keep it round."""
    joints = ROOT + [("top", 0, (0.0, 0.0, height), STILL)]
    levels = [height * n / rows for n in range(rows + 1)]
    path = [(0.0, 0.0, z) for z in [0.0] + levels + [height]]
    points, uvs, tris = lathe.tube(path, [0.0] + [4.0] * len(levels) + [0.0], 16,
                                   (0.0, 1.0, 1.0, 0.0), axis=(0.0, 0.0, 1.0))
    verts, weights = [], []
    for point, (u, v) in zip(points, uvs):
        part = round(point[2] / height, 6)
        point_weights = [(n, bias) for n, bias in ((0, 1.0 - part), (1, part)) if bias > 0.0]
        verts.append((u, v, len(weights), len(point_weights)))
        weights += [(n, bias, sub(point, joints[n][2])) for n, bias in point_weights]
    mesh, frames = Raw(verts, [(a, c, b) for a, b, c in tris], weights), []
    for step in range(25):
        frame = local(joints)
        frame[1] = (frame[1][0], q(0.0, 0.0, math.sin(math.radians(85.0) * _swing(step, 24))))
        frames.append(frame)
    return [(".md5mesh", mesh_text(joints, [mesh])),
            (".md5anim", anim_text(joints, [mesh], 12, frames))]


def _view(n, radius, height, view):
    angle = math.radians(n)
    position = (radius * math.cos(angle), radius * math.sin(angle), height)
    return position, facing((-position[0], -position[1], 6.0 - height), (0.0, 0.0, 1.0)), view


def _cuts():
    """Returns a camera path of three shots: around the model, higher with a narrowing view, and a still shot
    of a single frame."""
    shots = [[_view(6.0 * n, 40.0, 10.0, 60.0) for n in range(6)],
             [_view(120.0, 50.0, 30.0, 60.0 - 4.0 * n) for n in range(6)],
             [_view(240.0, 30.0, 4.0, 90.0)] * 2]
    return [(".md5camera", md5.camera_text(COMMAND, 10, shots))]


def _still_camera():
    return [(".md5camera", md5.camera_text(COMMAND, 24, [[_view(30.0, 40.0, 12.0, 50.0)]]))]


ANIMALS = [
    ("flags",
     "64 joints, one for each combination of animated components: three of the position, "
     "three of the rotation",
     _flags()),
    ("one_frame", "a clip of one frame", _with(_one_frame)),
    ("no_components",
     "a clip of three frames in which no component is animated (`numAnimatedComponents 0`)",
     _with(_no_components)),
    ("travels",
     "the root joint starts away from the origin and moves 16 units per cycle",
     _with(_travels)),
    ("half_turn",
     "a joint rotates by 360 degrees in steps of 45 degrees; the signs of the stored "
     "quaternions change at half a turn",
     _with(_half_turn)),
    ("base_frame",
     "components that are not animated have the values of the base frame, which differ from "
     "the bind pose",
     _with(_base_frame)),
    ("rates", "three clips with 1, 7 and 120 frames per second", _rates()),
    ("fewer_joints",
     "the clip animates two of the three joints of the mesh; the third joint keeps its bind "
     "pose",
     _fewer_joints()),
    ("chain", "a chain of 32 joints, along which a wave runs", _chain()),
    ("twist",
     "a post that is twisted by up to 170 degrees: linear skinning collapses its middle, dual "
     "quaternion skinning does not",
     _twist()),
    ("cuts",
     "a camera path of three shots with two cuts: the camera moves, zooms, and stands still",
     _cuts()),
    ("still_camera", "a camera path of one frame", _still_camera()),
]
