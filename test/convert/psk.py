#!/usr/bin/env python3
"""Writes PSK and PSA files, and computes the vertices of their frames.

usage: psk.py write FOLDER | shown DUMP FRAME | break FILE OUT CHUNK OFFSET FORMAT NUMBER

The layout is published at https://wiki.beyondunreal.com/PSK_%26_PSA_file_formats: chunks with a header of 32
bytes. The skeleton is a root, an arm above it, and a hand; the hand rotates in the clip. """

import math
import os
import re
import struct
import sys

HALF = math.sqrt(0.5)
# Name, parent, rotation (x y z w) and position relative to the parent. `an arm` has a quarter turn about z.
BONES = [("root", 0, (0.6, 0, 0, 0.8), (0, 0, 10)), ("an arm", 0, (0, 0, HALF, HALF), (0, 0, 20)),
         ("hand", 1, (0, 0, 0, 1), (5, 0, 0))]
POINTS = [(1, 2, 3), (4, -2, 30), (0, 6, 31), (2, 5, 33)]
WEDGES = [(0, 0, 0), (1, 0.25, 0.5), (2, 1, 0), (3, 0, 1), (2, 0.5, 0.5)]  # point, u, v
FACES = [((0, 1, 2), 0), ((1, 3, 4), 1)]  # wedges and material
WEIGHTS = [(1.0, 0, 0), (0.25, 1, 0), (0.75, 1, 1), (1.0, 3, 2), (1.0, 2, 2)]  # weight, point, bone
# A clip of one frame, and a clip in which the root moves and the hand turns about x by 90 degrees per frame.
CLIPS = [("rest", [(0, 0)]), ("wave it", [(0, 0), (1, 90), (2, 180)])]
RATE = 12


def multiply(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def rotate(q, v):
    x, y, z, w = multiply(multiply(q, (*v, 0)), (-q[0], -q[1], -q[2], q[3]))
    return (x, y, z)


def stored_rotation(index, q):
    """Files contain the inverse rotations of all bones but the root."""
    return q if index == 0 else (-q[0], -q[1], -q[2], q[3])


def pose(shift, degrees):
    """Returns the local transforms of the bones."""
    result = []
    for i, (_, _, q, t) in enumerate(BONES):
        if i == 0:
            t = (t[0] + shift, t[1], t[2])
        if i == 2:
            half = math.radians(degrees) / 2
            q = multiply(q, (math.sin(half), 0, 0, math.cos(half)))
        result.append((q, t))
    return result


def to_model_space(local):
    world = []
    for (_, parent, _, _), (q, t) in zip(BONES, local):
        if world:
            pq, pt = world[parent]
            q, t = multiply(pq, q), tuple(a + b for a, b in zip(pt, rotate(pq, t)))
        world.append((q, t))
    return world


def vertices(shift, degrees):
    """Returns the points of a frame, in the space of the file."""
    bind, world = to_model_space(pose(0, 0)), to_model_space(pose(shift, degrees))
    result = []
    for i, point in enumerate(POINTS):
        total = [0, 0, 0]
        for weight, point_number, bone in WEIGHTS:
            if point_number != i:
                continue
            bq, bt = bind[bone]
            local = rotate((-bq[0], -bq[1], -bq[2], bq[3]), [a - b for a, b in zip(point, bt)])
            position = [a + b for a, b in zip(rotate(world[bone][0], local), world[bone][1])]
            total = [a + weight * b for a, b in zip(total, position)]
        result.append(tuple(total))
    return result


def chunk(name, size, rows):
    assert all(len(row) == size for row in rows), name
    return struct.pack("<20s3i", name.encode(), 1999801, size, len(rows)) + b"".join(rows)


def text(name):
    return name.encode().ljust(64, b"\0")


def bone_rows():
    return [text(name) + struct.pack("<3i11f", 0, 0, parent, *stored_rotation(i, q), *t, 1, 1, 1, 1)
            for i, (name, parent, q, t) in enumerate(BONES)]


def model(is_wide=False, num_weights=0):
    """Returns a PSK file. `num_weights` weights are added to point 0, which already has one."""
    weights = WEIGHTS + [(0.5, 0, 0)] * num_weights
    face = "<3IBBI" if is_wide else "<3HBBI"
    return (chunk("ACTRHEAD", 0, [])
            + chunk("PNTS0000", 12, [struct.pack("<3f", *p) for p in POINTS])
            + chunk("VTXW0000", 16, [struct.pack("<HHffBBH", p, 0, u, v, 0, 0, 0) for p, u, v in WEDGES])
            + chunk("FACE3200" if is_wide else "FACE0000", struct.calcsize(face),
                    [struct.pack(face, *wedges, material, 0, 1) for wedges, material in FACES])
            + chunk("MATT0000", 88, [text(name) + bytes(24) for name in ("skin", "a cloth")])
            + chunk("REFSKELT", 120, bone_rows())
            + chunk("RAWWEIGHTS", 12, [struct.pack("<f2i", *w) for w in weights])
            + chunk("EXTRAUVS0", 8, [bytes(8)] * len(WEDGES)))


def clips(animations=CLIPS):
    infos, keys = [], []
    for name, frames in animations:
        infos.append(text(name) + text("None")
                     + struct.pack("<4i3f3i", len(BONES), 0, 0, len(keys), 1, len(frames),
                                   RATE, 0, 0, len(frames)))
        for shift, degrees in frames:
            for i, (q, t) in enumerate(pose(shift, degrees)):
                keys.append(struct.pack("<8f", *t, *stored_rotation(i, q), 1))
    return (chunk("ANIMHEAD", 0, []) + chunk("BONENAMES", 120, bone_rows())
            + chunk("ANIMINFO", 168, infos) + chunk("ANIMKEYS", 32, keys))


def check_vertices(dump, frame):
    """Checks the vertices of a dump, which contains a frame of the second clip: -y is forward, x is left."""
    found = [tuple(map(float, m)) for m in
             re.findall(r"^v (\S+) (\S+) (\S+)", open(dump).read(), re.M)]
    expected = [(-y, x, z) for x, y, z in vertices(*CLIPS[1][1][int(frame)])]
    expected = [expected[WEDGES[w][0]] for wedges, _ in FACES for w in reversed(wedges)]
    if len(found) != len(expected) or any(math.dist(a, b) > 1e-4 for a, b in zip(found, expected)):
        sys.exit("vertices %s, expected %s" % (found, expected))


def find(data, name):
    """Returns the offset of a chunk's header."""
    at = 0
    while data[at:at + 20].rstrip(b"\0").decode() != name:
        size, count = struct.unpack_from("<2i", data, at + 24)
        at += 32 + size * count
    return at


def write_damaged(source, target, name, offset, form, number):
    data = bytearray(open(source, "rb").read())
    value = float(number) if form == "<f" else int(number)
    struct.pack_into(form, data, find(data, name) + int(offset), value)
    with open(target, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    command, args = sys.argv[1], sys.argv[2:]
    if command == "write":
        files = {"figure.psk": model(), "wide.psk": model(True), "moves.psa": clips()}
        for number in (63, 64):  # 64 weights are the limit
            files["weights_%d.psk" % (number + 1)] = model(num_weights=number)
        for number in (1024, 1025):
            files["clips_%d.psa" % number] = clips([("c%d" % i, [(0, 0)]) for i in range(number)])
        for title, data in files.items():
            with open(os.path.join(args[0], title), "wb") as file:
                file.write(data)
    elif command == "shown":
        check_vertices(*args)
    else:
        write_damaged(*args)
