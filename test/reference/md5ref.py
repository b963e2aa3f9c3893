#!/usr/bin/env python3
"""Evaluates an .md5mesh and an .md5anim and prints numbers, without optimization.

    python3 md5ref.py MESH ANIM [--times ms,...] > out.txt

Follows a description of the original engine's behavior; README.md contains the source and the names of the
records. Only the numbers of the files, and w of each quaternion, are binary32 (maths.with_w explains the
reason). All results are computed in double precision.
"""

import argparse
import sys

import md5text
from maths import add, divide, lerp, product, rotate, rows, scale, sign_of_matrix, slerp, subtract
from maths import transposed, with_w

# Flags of a track, in the order of their values in a frame.
FLAG_TX, FLAG_TY, FLAG_TZ, FLAG_QX, FLAG_QY, FLAG_QZ = 1, 2, 4, 8, 16, 32
FLAGS_ROTATION = FLAG_QX | FLAG_QY | FLAG_QZ


def length_ms(num_frames, frame_rate):
    """Returns the length of a clip in whole milliseconds, rounded up."""
    return -(-(num_frames - 1) * 1000 // frame_rate)


class FrameTime:
    """Sample position of a time in milliseconds: two frames and their weights."""

    def __init__(self, num_frames, frame_rate, time_ms, cycle_limit):
        self.cycle = self.first = self.second = 0
        self.front, self.back = 1.0, 0.0
        if num_frames <= 1:
            return
        if time_ms <= 0:
            self.second = 1
            return
        # The period is one frame shorter than the number of frames: the last frame equals the first.
        intervals = num_frames - 1
        scaled = time_ms * frame_rate
        self.cycle = scaled // 1000 // intervals
        if 0 < cycle_limit <= self.cycle:
            self.cycle = cycle_limit - 1
            self.first = self.second = num_frames - 1
            return
        self.first = scaled // 1000 % intervals
        self.second = self.first + 1
        self.back = scaled % 1000 / 1000
        self.front = 1.0 - self.back


class Clip:
    """An anim after the engine's changes of the root, for sampling of poses."""

    def __init__(self, anim):
        self.anim = anim
        self.num_frames = len(anim.frames)
        self.length_ms = length_ms(self.num_frames, anim.frame_rate)
        self.root_base = anim.base[0][0]
        self.total_delta = self.rebase_root()
        self.base = [(with_w(rotation), translation) for translation, rotation in anim.base]

    def rebase_root(self):
        """Moves the root of the base frame to the origin, and returns the displacement of the clip.

        The subtraction changes the numbers of the frames, so another joint that shares these numbers moves
        too: the engine does the same.
        """
        delta = [0.0, 0.0, 0.0]
        component = self.anim.tracks[0].first
        for axis in range(3):
            if self.anim.num_components and self.anim.tracks[0].flags & (FLAG_TX << axis):
                for frame in self.anim.frames:
                    frame[component] -= self.root_base[axis]
                delta[axis] = self.anim.frames[-1][component]
                component += 1
        self.anim.base[0] = ((0.0, 0.0, 0.0), self.anim.base[0][1])
        return tuple(delta)

    def decode(self, joint, frame):
        """Returns one joint in one frame: the base frame, overwritten by the frame's components."""
        track = self.anim.tracks[joint]
        translation, rotation = self.anim.base[joint]
        values = list(translation + rotation)
        value_index = track.first
        for component in range(6):
            if track.flags & (1 << component):
                values[component] = self.anim.frames[frame][value_index]
                value_index += 1
        if track.flags & FLAGS_ROTATION:
            return with_w(values[3:]), tuple(values[:3])
        return self.base[joint][0], tuple(values[:3])

    def held_frame(self, frame):
        """Returns frame 0 of a held clip: the base frame, not the components of frame 0."""
        if frame == 0 or self.anim.num_components == 0:
            return list(self.base)
        return [self.decode(joint, frame) for joint in range(len(self.base))]

    def sample(self, frame_time):
        pose = []
        for joint in range(len(self.base)):
            start_q, start_t = self.decode(joint, frame_time.first)
            end_q, end_t = self.decode(joint, frame_time.second)
            pose.append((slerp(start_q, end_q, frame_time.back), lerp(start_t, end_t, frame_time.back)))
        return pose

    def bounds(self, frame_time, root):
        """Returns the union of both frames' bounds, relative to the root; `root` without whole cycles."""
        boxes = self.anim.bounds[frame_time.first], self.anim.bounds[frame_time.second]
        minimum = tuple(map(min, boxes[0][0], boxes[1][0]))
        maximum = tuple(map(max, boxes[0][1], boxes[1][1]))
        return subtract(minimum, root), subtract(maximum, root)


def bind_matrices(mesh):
    return [(rows(with_w(joint.rotation)), joint.translation) for joint in mesh.joints]


def bind_local(mesh, matrices):
    """Returns the bind pose relative to the parents; a root keeps the values of the file."""
    pose = []
    for joint in mesh.joints:
        rotation, translation = with_w(joint.rotation), joint.translation
        if joint.parent >= 0:
            parent_rows, parent_translation = matrices[joint.parent]
            parent_rotation = with_w(mesh.joints[joint.parent].rotation)
            rotation = sign_of_matrix(divide(rotation, parent_rotation))
            translation = rotate(transposed(parent_rows), subtract(translation, parent_translation))
        pose.append((rotation, translation))
    return pose


def world_matrices(joints, pose):
    matrices = []
    for joint, (rotation, translation) in zip(joints, pose):
        matrix = rows(rotation)
        if joint.parent >= 0:
            parent_rows, parent_translation = matrices[joint.parent]
            matrix = product(parent_rows, matrix)
            translation = add(parent_translation, rotate(parent_rows, translation))
        matrices.append((matrix, translation))
    return matrices


def skin(submesh, matrices):
    """Returns vertex positions. Biases are not normalized; they also scale translations."""
    positions = []
    for _, _, first, count in submesh.vertices:
        position = (0.0, 0.0, 0.0)
        for joint, bias, offset in submesh.weights[first : first + count]:
            matrix, translation = matrices[joint]
            position = add(position, scale(add(rotate(matrix, offset), translation), bias))
        positions.append(position)
    return positions


def box(points):
    return tuple(map(min, *points, points[0])), tuple(map(max, *points, points[0]))


class Writer:
    """Collects records: a keyword, then integers, floats and quoted strings."""

    def __init__(self):
        self.lines = []

    @staticmethod
    def field(value):
        if isinstance(value, float):
            return f"{value:.9g}"
        if isinstance(value, (tuple, list)):
            return " ".join(map(Writer.field, value))
        return str(value)

    def record(self, *fields):
        self.lines.append(" ".join(map(self.field, fields)))

    def matrices(self, keyword, matrices):
        for index, (matrix, translation) in enumerate(matrices):
            self.record(keyword, index, [row + (t,) for row, t in zip(matrix, translation)])

    def pose(self, keyword, pose):
        for index, (rotation, translation) in enumerate(pose):
            self.record(keyword, index, rotation, translation)


def write_mesh(out, path, mesh, lenient):
    out.record("md5golden", 1)
    out.record("lenient", int(lenient))
    out.record("mesh", path)
    out.record("numJoints", len(mesh.joints))
    out.record("numMeshes", len(mesh.submeshes))
    for index, joint in enumerate(mesh.joints):
        out.record("joint", index, joint.parent, f'"{joint.name}"')
    matrices = bind_matrices(mesh)
    out.matrices("bindmat", matrices)
    out.pose("bindlocal", bind_local(mesh, matrices))
    positions = []
    for index, submesh in enumerate(mesh.submeshes):
        counts = [count for _, _, _, count in submesh.vertices]
        sizes = [len(submesh.vertices), len(submesh.triangles), len(submesh.weights)]
        out.record("submesh", index, f'"{submesh.shader}"', sizes, sum(counts), max(counts))
        for u, v, _, _ in submesh.vertices:
            out.record("st", u, v)
        for triangle in submesh.triangles:
            out.record("tri", triangle)
        mesh_positions = skin(submesh, matrices)
        for position in mesh_positions:
            out.record("bv", position)
        positions += mesh_positions
    out.record("bindbounds", box(positions))


def write_anim(out, path, clip):
    out.record("anim", path)
    out.record("numFrames", clip.num_frames)
    out.record("frameRate", clip.anim.frame_rate)
    out.record("numAnimatedComponents", clip.anim.num_components)
    out.record("animLength", clip.length_ms)
    out.record("rootbase", clip.root_base)
    out.record("totaldelta", clip.total_delta)
    out.pose("baseframe", clip.base)


def write_time(out, mesh, clip, label, time_ms, cycle_limit):
    frame_time = FrameTime(clip.num_frames, clip.anim.frame_rate, time_ms, cycle_limit)
    pose = clip.sample(frame_time)
    root = pose[0][1]
    origin = add(root, scale(clip.total_delta, frame_time.cycle))
    pose[0] = (pose[0][0], origin)
    numbers = [time_ms, cycle_limit, frame_time.cycle, frame_time.first, frame_time.second,
               frame_time.front, frame_time.back]
    out.record("time", label, numbers)
    out.record("origin", origin)
    out.record("animbounds", clip.bounds(frame_time, root))
    out.pose("local", pose)
    matrices = world_matrices(mesh.joints, pose)
    out.matrices("world", matrices)
    positions = []
    for index, submesh in enumerate(mesh.submeshes):
        mesh_positions = skin(submesh, matrices)
        out.record("skin", index, len(mesh_positions))
        for position in mesh_positions:
            out.record("v", position)
        positions += mesh_positions
    out.record("skinbounds", box(positions))


def usual_times(clip):
    """Returns label, milliseconds and cycle limit of the samples in a file of expected results.

    The samples are between frames: 0.36 of a frame after frame 3 (frame 0 in a short clip),
    0.2 of a frame after the middle, and 2.25 frames after the start of the second cycle.
    """
    times = [("start", 0, -1)]
    if clip.num_frames > 1:
        rate = clip.anim.frame_rate
        hundredths = 336 if clip.num_frames > 4 else 36
        times += [
            ("mid", -(-hundredths * 10 // rate), -1),
            ("half", -(-(5 * (clip.num_frames - 1) + 2) * 100 // rate), -1),
            ("last", clip.length_ms, 1),
            ("loop", clip.length_ms - (-2250 // rate), -1),
        ]
    return times


def check_match(mesh, anim):
    """Checks that joints agree in number, order, names and parents."""
    mesh_joints = [(joint.name, joint.parent) for joint in mesh.joints]
    anim_joints = [(track.name, track.parent) for track in anim.tracks]
    if mesh_joints != anim_joints:
        raise ValueError("the mesh and the anim do not have the same joints")


def expected(mesh_path, mesh, anim_path, anim, times=None):
    """Returns the complete text for one mesh and one anim; `anim` is modified."""
    check_match(mesh, anim)
    clip = Clip(anim)
    out = Writer()
    roots = sum(joint.parent < 0 for joint in mesh.joints)
    write_mesh(out, mesh_path, mesh, lenient=roots != 1)
    write_anim(out, anim_path, clip)
    for label, time_ms, cycle_limit in times or usual_times(clip):
        write_time(out, mesh, clip, label, time_ms, cycle_limit)
    for frame in (0, clip.num_frames // 2, clip.num_frames - 1):
        out.record("singleframe", frame)
        out.pose("local", clip.held_frame(frame))
    out.record("end")
    return "\n".join(out.lines) + "\n"


def read_bytes(path):
    # Names in old files are not always UTF-8; latin-1 preserves every byte.
    with open(path, encoding="latin-1", newline="") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description="Expected numbers for one mesh and one anim.")
    parser.add_argument("mesh")
    parser.add_argument("anim")
    parser.add_argument("--times", help="milliseconds, comma separated, in place of the usual ones")
    options = parser.parse_args()
    times = None
    if options.times:
        times = [("at", int(time), -1) for time in options.times.split(",")]
    mesh = md5text.read_mesh(read_bytes(options.mesh))
    anim = md5text.read_anim(read_bytes(options.anim))
    text = expected(options.mesh, mesh, options.anim, anim, times)
    sys.stdout.buffer.write(text.encode("latin-1"))


if __name__ == "__main__":
    main()
