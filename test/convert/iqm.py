"""Reads, poses and writes IQM files with only struct, to check conversions of md5tool.

usage: iqm.py loss FILE.iqm MESH NAME=CLIP...   prints the largest distance of a vertex from md5tool dump over
           all frames, and the upper bound that quantization of frames and of byte weights explains
       iqm.py make FILE.iqm [frames]            writes a model with two joints, or only its frames
       iqm.py made FILE.md5mesh FOLDER          checks the conversion of that model
       iqm.py break IN.iqm OUT.iqm PLACE NUMBER overwrites a number of the header (by its index), or of a
           table, as NAME+BYTES
"""
import math
import os
import re
import struct
import subprocess
import sys

HEADER = ("version filesize flags num_text ofs_text num_meshes ofs_meshes num_arrays num_vertices "
          "ofs_arrays num_triangles ofs_triangles ofs_adjacency num_joints ofs_joints num_poses "
          "ofs_poses num_anims ofs_anims num_frames num_channels ofs_frames ofs_bounds num_comment "
          "ofs_comment num_extensions ofs_extensions").split()


def quat_mul(a, b):
    return (a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2])


def rotate(q, v):
    x, y, z, _ = quat_mul(quat_mul(q, (*v, 0.0)), (-q[0], -q[1], -q[2], q[3]))
    return (x, y, z)


def unit(q):
    length = math.sqrt(sum(x * x for x in q))
    return tuple(x / length for x in q)


def to_model_space(locals_, parents):
    world = []
    for (t, q), parent in zip(locals_, parents):
        if parent >= 0:
            pt, pq = world[parent]
            t = tuple(a + b for a, b in zip(pt, rotate(pq, t)))
            q = quat_mul(pq, q)
        world.append((t, q))
    return world


class Iqm:
    def __init__(self, path):
        self.data = data = open(path, "rb").read()
        assert data[:16] == b"INTERQUAKEMODEL\0", "magic"
        self.head = head = dict(zip(HEADER, struct.unpack_from("<27I", data, 16)))
        assert head["version"] == 2 and head["filesize"] == len(data), "header"
        for name, value in head.items():
            assert not name.startswith("ofs_") or value % 4 == 0, name
        self.arrays = {}
        for i in range(head["num_arrays"]):
            kind, _, form, size, at = struct.unpack_from("<5I", data, head["ofs_arrays"] + 20 * i)
            letter = {1: "B", 7: "f"}[form]
            numbers = struct.unpack_from("<%d%s" % (size * head["num_vertices"], letter), data, at)
            self.arrays[kind] = [numbers[k:k + size] for k in range(0, len(numbers), size)]
        self.meshes = [struct.unpack_from("<6I", data, head["ofs_meshes"] + 24 * i)
                       for i in range(head["num_meshes"])]
        self.triangles = [struct.unpack_from("<3I", data, head["ofs_triangles"] + 12 * i)
                          for i in range(head["num_triangles"])]
        rows = [struct.unpack_from("<Ii10f", data, head["ofs_joints"] + 48 * i)
                for i in range(head["num_joints"])]
        self.parents = [row[1] for row in rows]
        self.names = [self.text(row[0]) for row in rows]
        assert all(p < i for i, p in enumerate(self.parents)), "parents"
        self.bind = to_model_space([(row[2:5], unit(row[5:9])) for row in rows], self.parents)
        self.poses = [struct.unpack_from("<iI20f", data, head["ofs_poses"] + 88 * i)
                      for i in range(head["num_poses"])]
        self.anims = [struct.unpack_from("<3IfI", data, head["ofs_anims"] + 20 * i)
                      for i in range(head["num_anims"])]

    def text(self, offset):
        start = self.head["ofs_text"] + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def pose(self, frame):
        at = self.head["ofs_frames"] + 2 * self.head["num_channels"] * frame
        locals_ = []
        for pose in self.poses:
            v = list(pose[2:12])
            for k in range(10):
                if pose[1] >> k & 1:
                    v[k] += pose[12 + k] * struct.unpack_from("<H", self.data, at)[0]
                    at += 2
            locals_.append((tuple(v[:3]), unit(v[3:7])))
        return to_model_space(locals_, self.parents)

    def skin(self, frame):
        posed = self.pose(frame)
        skinning = []
        for (bt, bq), (t, q) in zip(self.bind, posed):
            rotation = quat_mul(q, (-bq[0], -bq[1], -bq[2], bq[3]))
            skinning.append((rotation, tuple(a - b for a, b in zip(t, rotate(rotation, bt)))))
        vertices = []
        for position, joints, weights in zip(self.arrays[0], self.arrays[4], self.arrays[5]):
            assert sum(weights) == 255, "weights"
            vertex = [0.0, 0.0, 0.0]
            for joint, weight in zip(joints, weights):
                if weight:
                    rotation, translation = skinning[joint]
                    for k, x in enumerate(rotate(rotation, position)):
                        vertex[k] += weight / 255 * (x + translation[k])
            vertices.append(vertex)
        return vertices


def dump(mesh, clip, frames):
    """Returns the drawn vertices of each frame, as the library skins them, mesh after mesh."""
    command = [os.environ.get("MD5_BUILD", "build") + "/md5tool", "dump", mesh, clip]
    for frame in frames:
        command += ["--frame", str(frame)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    times = []
    for line in out.splitlines():
        keyword = line.split(" ", 1)[0]
        if keyword == "time":
            times.append([])
        elif keyword == "v":
            times[-1].append([float(n) for n in line.split()[1:4]])
    return times


def print_error(path, mesh, clip_paths):
    iqm = Iqm(path)
    size = max(math.dist(a, b) for a in iqm.arrays[0][::7] for b in iqm.arrays[0][::7])
    # A joint has an error of half a step per component, which displaces its children and vertices.
    limit = size / 255
    for pose in iqm.poses:
        limit += math.hypot(*pose[12:15]) / 2 + math.hypot(*pose[15:19]) * 2 * size
    largest = 0.0
    for anim in iqm.anims:
        name = iqm.text(anim[0])
        frames = range(anim[2])
        exact = dump(mesh, clip_paths[name], frames)
        for frame in frames:
            found = iqm.skin(anim[1] + frame)
            low, high = [struct.unpack_from(
                "<3f", iqm.data, iqm.head["ofs_bounds"] + 32 * (anim[1] + frame) + at)
                for at in (0, 12)]
            for k in range(3):
                assert abs(low[k] - min(v[k] for v in found)) < 1e-4 * size, "bounds"
                assert abs(high[k] - max(v[k] for v in found)) < 1e-4 * size, "bounds"
            # The file has unique vertices first in each mesh; dumps contain only these.
            at = 0
            for (_, _, first, count, _, _), num_unique in zip(iqm.meshes, counts(mesh)):
                for k in range(num_unique):
                    largest = max(largest, math.dist(found[first + k], exact[frame][at + k]))
                at += num_unique
    print("%.6g %.6g" % (largest, limit))


def counts(mesh):
    return [int(n) for n in re.findall(r"numverts (\d+)", open(mesh).read())]


# -- Test file --------------------------------------------------------------------------------------

HALF = math.sqrt(0.5)
JOINTS = [("root", -1, (0, 0, 1), (0, 0, 0, -1)), ("arm", 0, (0, 0, 2), (0, 0, HALF, -HALF))]
VERTICES = [  # position, texture coordinate, joints, weights
    ((1, 0, 1), (0, 0.25), (0, 0, 0, 0), (255, 0, 0, 0)),
    ((0, 1, 3), (0.5, 1), (1, 0, 0, 0), (255, 0, 0, 0)),
    ((0, -1, 3), (1, 0), (0, 1, 0, 0), (51, 204, 0, 0)),
    ((2, 2, 2), (0, 0), (1, 1, 0, 0), (100, 155, 0, 0)),
]
TRIANGLES = [(0, 1, 2), (0, 2, 3)]
CLIPS = [("lift/up", 0, 3, 12.0, 1), ("half", 1, 2, 0.0, 0)]
LIFT = [0, 32768, 65535]  # z of joint 0: offset 1, step 0.001


def make(path, form="BB"):
    """Writes a model. form: "frames" for only frames, "odd" for tables at odd offsets, or the struct types of
    joints and weights."""
    only_frames = form == "frames"
    first = 1 if form == "odd" else 0  # offset of the first table after the header
    if first:
        form = "BB"
    texts, offsets = b"\0", {}

    def text(name):
        nonlocal texts
        if name not in offsets:
            offsets[name] = len(texts)
            texts += name.encode() + b"\0"
        return offsets[name]

    head = dict.fromkeys(HEADER, 0)
    body = bytes(first)

    def table(name, rows, bytes_, offset=None):
        nonlocal body
        body += bytes((first - len(body)) % 4)
        head["num_" + name] = rows
        head["ofs_" + (offset or name)] = 16 + 4 * 27 + len(body)
        body += bytes_

    if not only_frames:
        table("meshes", 1, struct.pack("<6I", text("body"), text('skin "one"'), 0, 4, 0, 2))
        data = [b"".join(struct.pack("<3f", *v[0]) for v in VERTICES),
                b"".join(struct.pack("<2f", *v[1]) for v in VERTICES),
                b"".join(struct.pack("<4" + form[0], *v[2]) for v in VERTICES),
                b"".join(struct.pack("<4" + form[1], *(w / 255 if form[1] in "fd" else w for w in v[3]))
                         for v in VERTICES),
                bytes(16)]
        forms = [(0, 7, 3), (1, 7, 2), (4, "bBhHiI".index(form[0]), 4),
                 (5, "bBhHiIefd".index(form[1]), 4), (6, 1, 4)]  # the last: colors
        at, rows = 16 + 4 * 27 + len(body), b""
        body += b"".join(data)
        for (kind, form, size), part in zip(forms, data):
            rows += struct.pack("<5I", kind, 0, form, size, at)
            at += len(part)
        table("arrays", len(forms), rows)
        head["num_vertices"] = len(VERTICES)
        table("triangles", 2, b"".join(struct.pack("<3I", *t) for t in TRIANGLES))
        table("joints", 2, b"".join(struct.pack("<Ii10f", text(n), p, *t, *q, 1, 1, 1)
                                    for n, p, t, q in JOINTS))
    poses = b""
    for number, (_, parent, t, q) in enumerate(JOINTS):
        mask = 4 if number == 0 else 0
        poses += struct.pack("<iI20f", parent, mask, *t, *q, 1, 1, 1,
                             *(0.001 if mask >> k & 1 else 0 for k in range(10)))
    table("poses", 2, poses)
    table("anims", 2, b"".join(struct.pack("<3IfI", text(n), f, c, r, g)
                               for n, f, c, r, g in CLIPS))
    table("frames", 3, struct.pack("<3H", *LIFT))
    head["num_channels"] = 1
    table("text", len(texts), texts)
    head["version"], head["filesize"] = 2, 16 + 4 * 27 + len(body)
    with open(path, "wb") as file:
        file.write(b"INTERQUAKEMODEL\0" + struct.pack("<27I", *(head[n] for n in HEADER)) + body)


def check_close(label, found, expected):
    found = [float(n) for n in found]
    if len(found) != len(expected) or max(abs(a - b) for a, b in zip(found, expected)) > 1e-5:
        sys.exit("%s: %s, expected %s" % (label, found, expected))


def check_model(mesh, folder):
    """Checks the converted model: joints in model space, and vertices in joint space."""
    text = open(mesh).read()
    assert 'name "body"' in text or "meshes: body" in text, "name"
    assert 'shader "skin _one_"' in text, "shader"
    rows = re.findall(r'"(\w+)"\t(-?\d) \( (.*?) \) \( (.*?) \)', text)
    assert [row[:2] for row in rows] == [("root", "-1"), ("arm", "0")], rows
    check_close("root", rows[0][2].split() + rows[0][3].split(), [0, 0, 1, 0, 0, 0])
    check_close("arm", rows[1][2].split() + rows[1][3].split(), [0, 0, 3, 0, 0, HALF])
    verts = re.findall(r"vert \d+ \( (\S+) (\S+) \) \d+ (\d+)", text)
    check_close("texture coordinates", [n for v in verts for n in v[:2]], [n for v in VERTICES for n in v[1]])
    assert [v[2] for v in verts] == ["1", "1", "2", "1"], verts
    weights = re.findall(r"weight \d+ (\d) (\S+) \( (.*?) \)", text)
    # A quarter turn about z maps (0, 1, 0) of model space to (1, 0, 0) of the arm's space. w < 0, so the
    # rotation is inverse: (0, 1, 0) to (-1, 0, 0).
    expected = [(0, 1, (1, 0, 0)), (1, 1, (-1, 0, 0)), (0, 0.2, (0, -1, 2)), (1, 0.8, (1, 0, 0)),
                (1, 1, (-2, 2, -1))]
    for found, (joint, bias, at) in zip(weights, expected):
        check_close("weight", [found[0], found[1], *found[2].split()], [joint, bias, *at])
    assert re.findall(r"tri \d+ (\d+) (\d+) (\d+)", text) == [("0", "1", "2"), ("0", "2", "3")]
    check_clips(folder, ("root", "arm"))


def check_clips(folder, names):
    for name, first, count, rate, _ in CLIPS:
        text = open("%s/%s.md5anim" % (folder, name.replace("/", "_"))).read()
        assert "numFrames %d\n" % count in text and "frameRate %d\n" % (rate or 24) in text, name
        assert "numAnimatedComponents 3\n" in text, "frames contain only animated components"
        for joint in names:
            assert '"%s"' % joint in text, joint
        frames = re.findall(r"frame \d+ \{\s*(.*?)\s*\}", text, re.S)
        for row, stored_z in zip(frames, LIFT[first:]):
            check_close("frame", row.split(), [0, 0, 1 + 0.001 * stored_z])


def write_damaged(source, target, field, number):
    iqm = Iqm(source)
    data = bytearray(iqm.data)
    name, _, extra_offset = field.partition("+")
    at = iqm.head["ofs_" + name] + int(extra_offset) if extra_offset else 16 + 4 * HEADER.index(name)
    value = int(number) if number.isdigit() else float(number)
    struct.pack_into("<f" if isinstance(value, float) else "<I", data, at, value)
    with open(target, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    command, args = sys.argv[1], sys.argv[2:]
    if command == "loss":
        print_error(args[0], args[1], dict(pair.split("=") for pair in args[2:]))
    elif command == "make":
        make(*args)
    elif command == "made":
        check_model(*args)
    elif command == "clips":
        check_clips(args[0], ("joint_0", "joint_1"))
    else:
        write_damaged(*args)
