#!/usr/bin/env python3
"""Tests every limit of the readers in demo/convert with a file at the limit and a file one above it.

    python3 bounds.py TOOL FOLDER [long]    runs all short cases, or all long cases

Each case consists of a file and the error that md5tool prints for the file, or "" if md5tool accepts the
file. A case can also check the output files.
"""

import json
import math
import os
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import growth  # noqa: E402
import md5tool  # noqa: E402

CASES = []


def case(title, error, make, check=None, is_long=False):
    CASES.append((title, error, make, check, is_long))


def as_file(name, content):
    return lambda folder: growth.convert(folder, name, content)


def patched(data, at, number, kind="<I"):
    packed = struct.pack(kind, number)
    return data[:at] + packed + data[at + len(packed):]


# -- MDL -----------------------------------------------------------------------------------------------


def mdl(frames=((1, None),), skins=((1, None),), width=4, height=4):
    """Groups of frames and of skins, as (count, seconds); without seconds, a single frame or skin."""
    out = struct.pack("<4si3f3ff3f8if", b"IDPO", 6, 1, 1, 1, 0, 0, 0, 9, 0, 0, 0, len(skins), width, height,
                      3, 1, len(frames), 0, 0, 1)
    for count, seconds in skins:
        head = struct.pack("<i", 0)
        if seconds is not None:
            head = struct.pack("<ii%df" % count, 1, count, *[seconds] * count)
        out += head + bytes(width * height * count)
    out += bytes(36) + struct.pack("<4i", 1, 0, 1, 2)
    number = 0
    for count, seconds in frames:
        head = struct.pack("<i", 0)
        if seconds is not None:
            head = struct.pack("<ii8x%df" % count, 1, count, *[seconds] * count)
        out += head
        for _ in range(count):
            out += bytes(8) + b"f%d" % number + bytes(15 - len(str(number))) + bytes([1, 2, 3, 0] * 3)
            number += 1
    return out


def rate_is(rate):
    def check(folder):
        found = [re.search(r"frameRate (\S+)", open(os.path.join(folder, name)).read())[1]
                 for name in os.listdir(folder) if name.endswith(".md5anim")]
        return len(found) == 1 and math.isclose(float(found[0]), rate, rel_tol=1e-6), found
    return check


def clip_name_has(length):
    def check(folder):
        found = [len(name) - len(".md5anim") for name in os.listdir(folder) if name.endswith(".md5anim")]
        return found == [length], found
    return check


def num_targets_is(count):
    def check(folder):
        found = len(os.listdir(os.path.join(folder, "morphs")))
        return found == count, found
    return check


NEXT = {1: 0x3C23D70A, -1: 0x3C23D709}  # the float nearest to 0.01, and the next smaller float
SHORTEST, TOO_SHORT = (struct.unpack("<f", struct.pack("<I", NEXT[i]))[0] for i in (1, -1))
LONGEST, TOO_LONG = (struct.unpack("<f", struct.pack("<I", i))[0] for i in (0x49742400, 0x49742401))
case("MDL: a group of 1024 frames", "", as_file("a.mdl", mdl([(1024, 0.1)])), num_targets_is(1023))
case("MDL: a group of 1025 frames",
     "group size at offset 160 is out of range: expected 1 to 1024, found 1025",
     as_file("a.mdl", mdl([(1025, 0.1)])))
case("MDL: groups of 1023 and 1 frames", "", as_file("a.mdl", mdl([(1023, 0.1), (1, 0.1)])),
     num_targets_is(1023))
case("MDL: groups of 1023 and 2 frames",
     "file has too many frames: expected at most 1024, because each frame becomes a morph target; export",
     as_file("a.mdl", mdl([(1023, 0.1), (2, 0.1)])))
case("MDL: a group of no frames", "group size at offset 160 is out of range: expected 1 to 1024, found 0",
     as_file("a.mdl", mdl([(0, 0.1)])))
case("MDL: 0.01 seconds a frame", "", as_file("a.mdl", mdl([(2, SHORTEST)])), rate_is(1 / SHORTEST))
case("MDL: less than 0.01 seconds", "", as_file("a.mdl", mdl([(2, TOO_SHORT)])), rate_is(10))
case("MDL: 1e6 seconds a frame", "", as_file("a.mdl", mdl([(2, LONGEST)])), rate_is(1e-6))
case("MDL: more than 1e6 seconds", "", as_file("a.mdl", mdl([(2, TOO_LONG)])), rate_is(10))
case("MDL: seconds below 0", "", as_file("a.mdl", mdl([(2, -1)])), rate_is(10))
case("MDL: 256 skins", "", as_file("a.mdl", mdl(skins=[(1, None)] * 256)))
case("MDL: 257 skins", "number of skins at offset 48 is out of range: expected 0 to 256, found 257",
     as_file("a.mdl", mdl(skins=[(1, None)] * 257)))
case("MDL: 256 images of skins", "", as_file("a.mdl", mdl(skins=[(128, 0.1)] * 2)))
case("MDL: 257 images of skins", "file has too many skins: expected at most 256; remove skins",
     as_file("a.mdl", mdl(skins=[(128, 0.1)] * 2 + [(1, None)])))
case("MDL: skins of 8191 by 1", "", as_file("a.mdl", mdl(width=8191, height=1)))
case("MDL: skins of 8192 by 1", "skin width at offset 52 is out of range: expected 1 to 8191, found 8192",
     as_file("a.mdl", mdl(width=8192, height=1)))
case("MDL: skins of 1 by 8191", "", as_file("a.mdl", mdl(width=1, height=8191)))
case("MDL: skins of 1 by 8192", "skin height at offset 56 is out of range: expected 1 to 8191, found 8192",
     as_file("a.mdl", mdl(width=1, height=8192)))
MDL = mdl()
case("MDL: the last coordinate is missing",
     "truncated file: expected 1 bytes at offset %d, but the file has %d bytes" % ((len(MDL) - 2,) * 2),
     as_file("a.mdl", MDL[:-2]))
case("MDL: vertex 2 of 3", "", as_file("a.mdl", patched(MDL, 84 + 20 + 36 + 12, 2)))
case("MDL: vertex 3 of 3", "vertex index at offset 152 is out of range: expected 0 to 2, found 3",
     as_file("a.mdl", patched(MDL, 152, 3)))

# -- MD2, MD3 ------------------------------------------------------------------------------------------

MD2 = growth.md2(skins=1, frames=2)
case("MD2: a frame of exactly its vertices", "", as_file("a.md2", MD2))
case("MD2: a frame a byte too small", "frame size at offset 16 is out of range: expected 52 to 251, found 51",
     as_file("a.md2", patched(MD2, 16, 51)))
case("MD2: the end at the last byte", "", as_file("a.md2", patched(MD2, 64, len(MD2))))
case("MD2: the end after the last byte",
     "end offset at offset 64 is out of range: expected 68 to %d, found %d" % (len(MD2), len(MD2) + 1),
     as_file("a.md2", patched(MD2, 64, len(MD2) + 1)))
case("MD2: the end in the header",
     "end offset at offset 64 is out of range: expected 68 to %d, found 67" % len(MD2),
     as_file("a.md2", patched(MD2, 64, 67)))
case("MD2: the last coordinate is missing",
     "truncated file: expected 1 bytes at offset %d, but the file has %d bytes" % ((len(MD2) - 2,) * 2),
     as_file("a.md2", patched(MD2, 64, len(MD2) - 2)[:-2]))
MD2_OFFSETS = growth.md2(skins=0)
case("MD2: texture coordinate 0 of 1", "", as_file("a.md2", MD2_OFFSETS))
case("MD2: texture coordinate 1 of 1", "texture coordinate index at offset 78 is wrong: expected 0, found 1",
     as_file("a.md2", patched(MD2_OFFSETS, 78, 1, "<H")))


TAG_POSE = (0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)  # at the origin, without rotation


def md3_tags(count):
    """Returns an MD3 file of one frame and one surface, with tags at the origin."""
    data = growth.md3(1, [b"a"], 3, 1)
    tags = b"".join(b"t%d" % i + bytes(63 - len(str(i))) + struct.pack("<12f", *TAG_POSE)
                    for i in range(count))
    return patched(patched(data, 80, count), 96, len(data)) + tags


case("MD3: 256 tags", "", as_file("a.md3", md3_tags(256)))
case("MD3: 257 tags", "number of tags at offset 80 is out of range: expected 0 to 256, found 257",
     as_file("a.md3", md3_tags(257)))
MD3 = growth.md3(1, [b"a"], 3, 1)
case("MD3: 1 surface", "", as_file("a.md3", MD3))
case("MD3: the last three bytes of the last texture coordinate are missing",
     "truncated file: expected 4 bytes at offset %d, but the file has %d bytes" %
     (len(MD3) - 24 - 4, len(MD3) - 24 - 3),
     as_file("a.md3", MD3[:-24 - 3]))
TRIANGLE = 164 + 108 + 68
case("MD3: vertex 2 of 3", "", as_file("a.md3", patched(MD3, TRIANGLE, 2)))
case("MD3: vertex 3 of 3", "vertex index at offset %d is out of range: expected 0 to 2, found 3" % TRIANGLE,
     as_file("a.md3", patched(MD3, TRIANGLE, 3)))
case("MD3: a coordinate of 1e9", "", as_file("a.md3", patched(MD3, TRIANGLE + 12, 1e9, "<f")))
case("MD3: a coordinate above 1e9", "is out of range: expected -1e9 to 1e9",
     as_file("a.md3", patched(MD3, TRIANGLE + 12, 0x4E6E6B29)))
SURFACE = 164
case("MD3: as many frames as the file", "", as_file("a.md3", patched(MD3, SURFACE + 72, 1)))
case("MD3: more frames than the file", "surface frame count at offset 236 is wrong: expected 1, found 2",
     as_file("a.md3", patched(MD3, SURFACE + 72, 2)))
case("MD3: a surface of the size of its header", "", as_file("a.md3", patched(MD3, SURFACE + 104, 108)))
case("MD3: a surface smaller than its header",
     "surface size at offset 268 is out of range: expected 108 to 399, found 107",
     as_file("a.md3", patched(MD3, SURFACE + 104, 107)))

# Counts are limited by the size of the file before memory is requested: (title, data, offset of the count,
# largest count, error at that count).
for title, data, at, limit, error in (
        ("MD2: number of skins", MD2, 20, len(MD2) // 64 - 1, ""),
        ("MD2: number of triangles", MD2, 32, len(MD2) // 12 - 1, "texture coordinate index at offset"),
        ("MD3: number of surfaces", MD3, 84, len(MD3) // 108, "surface ident at offset"),
        ("MD3: number of shaders", MD3, SURFACE + 76, len(MD3) // 68 - 1, "truncated file:"),
        ("MD3: number of vertices", MD3, SURFACE + 80, len(MD3) // 4 - 1, "truncated file:"),
        ("MD3: number of triangles", MD3, SURFACE + 84, len(MD3) // 12 - 1, "truncated file:")):
    file_name, noun = "a." + title[:3].lower(), title[5:]
    case(title + " that the file can contain", error, as_file(file_name, patched(data, at, limit)))
    case(title + ", one more than the file can contain",
         "%s at offset %d is out of range: expected 0 to %d, found %d" % (noun, at, limit, limit + 1),
         as_file(file_name, patched(data, at, limit + 1)))

# -- IQM -----------------------------------------------------------------------------------------------


def iqm(at=None, number=0, **options):
    """Replaces a number of the header; `at`: its index after the first 16 bytes."""
    data = growth.iqm(**options)
    return data if at is None else patched(data, 16 + 4 * at, number)


def iqm_clip(at, number, kind="<I"):
    """Replaces a number of the first clip; `at`: its index."""
    data = growth.iqm(clips=1, frames=3)
    return patched(data, struct.unpack_from("<I", data, 16 + 4 * 18)[0] + 4 * at, number, kind)


def iqm_array(at, number):
    data = growth.iqm()
    return patched(data, struct.unpack_from("<I", data, 16 + 4 * 9)[0] + 4 * at, number)


NUMBER = struct.unpack("<I", struct.pack("<f", 1e6))[0]
case("IQM: a name of 999 bytes", "", as_file("a.iqm", iqm(name=b"n" * 999)))
case("IQM: a name of 1000 bytes", "name of a joint is too long: expected at most 1000 bytes",
     as_file("a.iqm", iqm(name=b"n" * 1000)))
case("IQM: 1024 clips", "", as_file("a.iqm", iqm(clips=1024)))
case("IQM: 1025 clips", "file has too many clips: expected at most 1024, found 1025",
     as_file("a.iqm", iqm(clips=1025)))
case("IQM: a clip of all 3 frames", "", as_file("a.iqm", iqm_clip(2, 3)))
case("IQM: a clip of 4 frames",
     "clip 0: frames are out of range: expected 1 or more frames below 3, found 4 frames from frame 0",
     as_file("a.iqm", iqm_clip(2, 4)))
case("IQM: a clip of no frames",
     "clip 0: frames are out of range: expected 1 or more frames below 3, found 0 frames from frame 0",
     as_file("a.iqm", iqm_clip(2, 0)))
case("IQM: 1e6 frames a second", "", as_file("a.iqm", iqm_clip(3, NUMBER)), rate_is(1e6))
case("IQM: more than 1e6 frames",
     "clip 0: frame rate is out of range: expected 0 to 1e6 frames per second, found 1e+06",
     as_file("a.iqm", iqm_clip(3, NUMBER + 1)))
case("IQM: 0 frames a second", "", as_file("a.iqm", iqm_clip(3, 0)), rate_is(24))
case("IQM: frames a second below 0",
     "clip 0: frame rate is out of range: expected 0 to 1e6 frames per second, found -1",
     as_file("a.iqm", iqm_clip(3, -1.0, "<f")))
SIZE = len(growth.iqm())
case("IQM: all bytes of the file", "", as_file("a.iqm", iqm(1, SIZE)))
case("IQM: a byte more",
     "invalid file size in the header: expected 124 to %d bytes, found %d" % (SIZE, SIZE + 1),
     as_file("a.iqm", iqm(1, SIZE + 1)))
case("IQM: a version other than 2", "unsupported IQM version 1: expected 2", as_file("a.iqm", iqm(0, 1)))


def iqm_weights(width, weight=255, joint=0):
    """One mesh; each vertex has `width` joints and weights, which are bytes."""
    data = growth.iqm()
    old = struct.unpack_from("<5I", data, struct.unpack_from("<I", data, 16 + 4 * 9)[0])
    rows = len(data)
    table = rows + 6 * width + (-6 * width) % 4
    data += bytes([joint] * 3 * width) + bytes([weight] * 3 * width) + bytes((-6 * width) % 4)
    data += struct.pack("<15I", *old, 4, 0, 1, width, rows, 5, 0, 1, width, rows + 3 * width)
    for at, number in ((1, len(data)), (7, 3), (9, table)):
        data = patched(data, 16 + 4 * at, number)
    return data


for length in (100, 101):
    case("IQM: a clip with a name of %d bytes" % length, "",
         as_file("a.iqm", iqm(clips=1, frames=3, name=b"n" * length)),
         clip_name_has(100))
case("IQM: 16 weights for a vertex", "", as_file("a.iqm", iqm_weights(16)))
case("IQM: 17 weights for a vertex",
     "vertex array of blend joints has format 1 and size 17: expected integers",
     as_file("a.iqm", iqm_weights(17)))
case("IQM: joint 0 of 1", "", as_file("a.iqm", iqm_weights(4)))
case("IQM: joint 1 of 1", "expected a weight of 0 or more on a joint below 1, found weight 255 on joint 1",
     as_file("a.iqm", iqm_weights(4, joint=1)))
case("IQM: joint 1 of 1 without weight", "", as_file("a.iqm", iqm_weights(4, weight=0, joint=1)))


def iqm_large_weight(kind, number):
    """One mesh; each vertex has one joint and one weight of 4 bytes: kind 5 is an integer, 7 a float."""
    data = growth.iqm()
    positions = struct.unpack_from("<5I", data, struct.unpack_from("<I", data, 16 + 4 * 9)[0])
    start = len(data)
    data += bytes(4) + struct.pack("<I" if kind == 5 else "<f", number) * 3
    data += struct.pack("<15I", *positions, 4, 0, 1, 1, start, 5, 0, kind, 1, start + 4)
    for at, value in ((1, len(data)), (7, 3), (9, start + 16)):
        data = patched(data, 16 + 4 * at, value)
    return data


case("IQM: the largest weight that is an integer", "", as_file("a.iqm", iqm_large_weight(5, 2 ** 32 - 1)))
case("IQM: the largest weight that is a float", "", as_file("a.iqm", iqm_large_weight(7, 2.0 ** 32 - 256)))
case("IQM: a weight of 2^32",
     "vertex 0 has an invalid weight: expected a weight of 0 or more on a joint below 1, found weight "
     "4.29497e+09",
     as_file("a.iqm", iqm_large_weight(7, 2.0 ** 32)))


def iqm_mesh(at, *numbers):
    """Replaces numbers of the second of two meshes; `at`: the index of the first number."""
    data = growth.iqm(meshes=2)
    for i, number in enumerate(numbers):
        data = patched(data, struct.unpack_from("<I", data, 16 + 4 * 6)[0] + 24 + 4 * (at + i), number)
    return data


case("IQM: vertices up to the last one", "", as_file("a.iqm", iqm_mesh(2, 3)))
case("IQM: vertices after the last one", "mesh 1 is out of range: its end is vertex 7 of 6",
     as_file("a.iqm", iqm_mesh(2, 4)))
case("IQM: vertices of another mesh",
     "meshes overlap: meshes 0 to 1 together use more vertices than the file has",
     as_file("a.iqm", iqm_mesh(2, 2, 4)))
case("IQM: triangles after the last one", "triangle 3 of 2", as_file("a.iqm", iqm_mesh(5, 2)))
case("IQM: triangles of another mesh",
     "meshes overlap: meshes 0 to 1 together use more triangles than the file has",
     as_file("a.iqm", iqm_mesh(4, 0, 2)))
TEXT_SIZE = struct.unpack_from("<I", growth.iqm(meshes=2), 16 + 4 * 3)[0]
case("IQM: a name at the last byte of the texts", "", as_file("a.iqm", iqm_mesh(0, TEXT_SIZE - 1)))
case("IQM: a name after the texts",
     "name offset of a mesh is out of range: found %d, but the text block has %d bytes" %
     (TEXT_SIZE, TEXT_SIZE),
     as_file("a.iqm", iqm_mesh(0, TEXT_SIZE)))


def iqm_number(table, index, number, joints=1):
    """Replaces a float of the positions (table 9) or of the joints (table 14)."""
    data = growth.iqm(joints=joints)
    at = struct.unpack_from("<I", data, 16 + 4 * table)[0]
    if table == 9:
        at = struct.unpack_from("<I", data, at + 16)[0]
    return patched(data, at + 4 * index, number)


def iqm_child(x):
    """A joint at (1e9, 0, 0), and its child at the distance x along the x axis."""
    data = iqm_number(14, 2, BILLION, joints=2)
    at = struct.unpack_from("<I", data, 16 + 4 * 14)[0] + 48
    return patched(patched(data, at + 4, 0), at + 8, x, "<f")


BILLION = 0x4E6E6B28  # the float 1e9
case("IQM: a coordinate of 1e9", "", as_file("a.iqm", iqm_number(9, 0, BILLION)))
case("IQM: a coordinate above 1e9", "vertex 0: position is out of range: expected -1e9 to 1e9, found 1e+09",
     as_file("a.iqm", iqm_number(9, 0, BILLION + 1)))
case("IQM: a joint at 1e9", "", as_file("a.iqm", iqm_number(14, 2, BILLION)))
case("IQM: a joint above 1e9", "joint 0: number is out of range: expected -1e9 to 1e9, found 1e+09",
     as_file("a.iqm", iqm_number(14, 2, BILLION + 1)))
case("IQM: a joint whose parent is at 1e9", "", as_file("a.iqm", iqm_child(-1)))
case("IQM: a joint farther than 1e9", "joint j1 is out of range: expected at most 1e9 units from the origin",
     as_file("a.iqm", iqm_child(100)))
case("IQM: positions of 2 numbers",
     "vertex array of positions has format 7 and size 2: expected floats and a size of 3 to 16",
     as_file("a.iqm", iqm_array(3, 2)))
TEXTS = struct.unpack_from("<I", growth.iqm(), 16 + 4 * 4)[0]
case("IQM: texts without an end", "text block is not terminated: expected a NUL byte at its end",
     as_file("a.iqm",
             patched(growth.iqm(), TEXTS + struct.unpack_from("<I", growth.iqm(), 28)[0] - 1, 1, "<B")))


def iqm_corner(number):
    data = growth.iqm()
    return patched(data, struct.unpack_from("<I", data, 16 + 4 * 11)[0] + 8, number)


case("IQM: vertex 2 of 3", "", as_file("a.iqm", iqm_corner(2)))
case("IQM: vertex 3 of 3",
     "triangle 0 of mesh 0 refers to an unknown vertex: found vertex 3, but the mesh has 3 vertices from "
     "vertex 0",
     as_file("a.iqm", iqm_corner(3)))

# -- BVH -----------------------------------------------------------------------------------------------


def bvh(joints="", frames=1, time="0.1", name="r"):
    return growth.bvh(joints, frames).replace("ROOT r", "ROOT " + name).replace("Time: 0.1", "Time: " + time)


JOINT = "JOINT %d\n{\nOFFSET 0 1 0\n}\n"
case("BVH: a name of 255 bytes", "", as_file("a.bvh", bvh(name="n" * 255)))
case("BVH: a name of 256 bytes",
     "2:6: error: joint name is too long: expected at most 255 bytes, found 256",
     as_file("a.bvh", bvh(name="n" * 256)))
case("BVH: 1e-5 seconds a frame", "", as_file("a.bvh", bvh(time="0.00001")))
case("BVH: less than 1e-5 seconds", "invalid frame time: expected 1e-5 seconds or more, found 9.99e-06",
     as_file("a.bvh", bvh(time="0.00000999")))
case("BVH: no frames", "number of frames is out of range: expected at least 1, found 0",
     as_file("a.bvh", bvh(frames=0)))
FRAMES = bvh(frames=3)
case("BVH: a frame more than the file", "expected value 1 of 1 in frame 4 of 4, found the end of the file",
     as_file("a.bvh", FRAMES.replace("Frames: 3", "Frames: 4")))
case("BVH: two frames more than the file",
     "expected 5 numbers for 5 frames of 1 channels, found at most 4 in the rest",
     as_file("a.bvh", FRAMES.replace("Frames: 3", "Frames: 5")))
SIX = "CHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation\n"
case("BVH: 6 channels", "",
     as_file("a.bvh", bvh().replace("CHANNELS 1 Zrotation\n", SIX).replace("0.1\n1\n", "0.1\n1 1 1 1 1 1\n")))
case("BVH: 7 channels", "number of channels", as_file("a.bvh", bvh().replace("CHANNELS 1", "CHANNELS 7")))
case("BVH: an offset of 1e9", "", as_file("a.bvh", bvh().replace("OFFSET 0 0 0", "OFFSET 0 0 1e9")))
case("BVH: an offset above 1e9", "expected the Z offset, found '1000000001'",
     as_file("a.bvh", bvh().replace("OFFSET 0 0 0", "OFFSET 0 0 1000000001")))
case("BVH: 65536 joints", "", as_file("a.bvh", bvh("".join(JOINT % i for i in range(65535)))), is_long=True)
case("BVH: 65537 joints", "too many joints: expected at most 65536",
     as_file("a.bvh", bvh("".join(JOINT % i for i in range(65536)))),
     is_long=True)

# -- SMD -----------------------------------------------------------------------------------------------


def smd(nodes='0 "a" -1\n', frames="time 0\n0 0 0 0 0 0 0\n", triangles=""):
    return growth.smd(nodes, frames, triangles)


def smd_links(count):
    """Returns a triangle of vertices with `count` weights. Their sum is below 1, so the first bone of a
    vertex gets an additional weight."""
    nodes = "".join('%d "b%d" -1\n' % (i, i) for i in range(count + 1))
    vertex = "0 %d 0 0 0 0 1 0 0 " + "%d " % count + "".join(" %d 0.001" % (i + 1) for i in range(count))
    triangle = "m\n" + "".join(vertex % i + "\n" for i in (0, 1)) + "0 0 1 0 0 0 1 0 0\n"
    return smd(nodes=nodes, triangles=triangle)


def smd_materials(count):
    return smd(triangles="".join(growth.SMD_TRIANGLE.replace("m\n", "m%d\n" % i) for i in range(count)))


case("SMD: a name of 255 bytes", "", as_file("a.smd", smd(nodes='0 "%s" -1\n' % ("n" * 255))))
case("SMD: a name of 256 bytes", "3:4: error: name of a bone is too long: expected at most 255 bytes",
     as_file("a.smd", smd(nodes='0 "%s" -1\n' % ("n" * 256))))
case("SMD: bone 65535", "", as_file("a.smd", smd('65535 "a" -1\n', "time 0\n65535 0 0 0 0 0 0\n")))
case("SMD: bone 65536", "the number of a bone: expected an integer from 0 to 65535, found 65536",
     as_file("a.smd", smd('65536 "a" -1\n')))
case("SMD: 63 weights", "", as_file("a.smd", smd_links(63)))
case("SMD: 64 weights", "the number of weights: expected an integer from 0 to 63, found 64",
     as_file("a.smd", smd_links(64)))
case("SMD: 1000 materials", "", as_file("a.smd", smd_materials(1000)))
case("SMD: 1001 materials",
     "file has too many materials: expected at most 1000", as_file("a.smd", smd_materials(1001)))
case("SMD: frame 1000000", "", as_file("a.smd", smd(frames="time 1000000\n0 0 0 0 0 0 0\n")))
case("SMD: frame 1000001", "the number of a frame: expected an integer from -1000000 to 1000000, found 1e+06",
     as_file("a.smd", smd(frames="time 1000001\n")))
case("SMD: a coordinate of 1e9", "", as_file("a.smd", smd(frames="time 0\n0 1e9 0 0 0 0 0\n")))
case("SMD: a coordinate above 1e9", "expected a coordinate or an angle, found '1000000001'",
     as_file("a.smd", smd(frames="time 0\n0 1000000001 0 0 0 0 0\n")))
case("SMD: a bone below 1000 others", "", as_file("a.smd", growth.smd_chain(1001)))
case("SMD: a bone below 1001 others",
     "node hierarchy is too deep: expected at most 1000 levels, found more at node 1001 'b1001'; remove",
     as_file("a.smd", growth.smd_chain(1002)))

# -- OBJ -----------------------------------------------------------------------------------------------


def obj(text):
    return lambda folder: growth.bind(folder, text)  # after three positions


for index, is_valid in ((-4, 0), (-3, 1), (-1, 1), (0, 0), (1, 1), (3, 1), (4, 0), (2 ** 32 + 1, 0),
                        (-2 ** 32 - 1, 0)):
    case("OBJ: position %d of 3" % index,
         "" if is_valid else
         "4:3: error: position is out of range: found %d, but the file has 3 before this line" % index,
         obj("f %d 2 %d\n" % (index, 1 if index % 3 == 0 else 3)))
for index, is_valid in ((-3, 0), (-2, 1), (2, 1), (3, 0), (0, 0)):
    error = ""
    if not is_valid:
        error = ("6:5: error: texture coordinate is out of range: found %d, but the file has 2 "
                 "before this line" % index)
    case("OBJ: texture coordinate %d of 2" % index, error, obj("vt 0 0\nvt 1 0\nf 1/%d 2 3\n" % index))
case("OBJ: a face of 2 corners",
     "4:2: error: face has too few vertices: expected 3 or more, found 2", obj("f 1 2\n"))
case("OBJ: the name of a material of 1000 bytes", "", obj("usemtl %s\nf 1 2 3\n" % ("m" * 1000)))
case("OBJ: the name of a material of 1001 bytes",
     "4:8: error: material name is too long: expected at most 1000 bytes",
     obj("usemtl %s\nf 1 2 3\n" % ("m" * 1001)))

# -- glTF ----------------------------------------------------------------------------------------------


def small(change=None, **lists):
    def make(folder):
        arguments = growth.small_gltf(folder, **lists)
        if change:
            with open(arguments[1]) as file:
                text = json.load(file)
            change(text)
            growth.write(folder, "in.gltf", json.dumps(text))
        return arguments
    return make


ONE = {"nodes": [{"mesh": 0}], "meshes": [growth.TRIANGLE]}


def deep(count):
    return [{"children": [i + 1]} for i in range(count - 1)] + [{"mesh": 0}]


def sized(**fields):
    return lambda text: text["accessors"][0].update(fields)


def indexed(last):
    """Returns a mesh of three vertices whose triangle ends with the index `last`."""
    def make(folder):
        data = growth.DATA + struct.pack("<3H", 0, 1, last) + bytes(2)
        lists = {"nodes": [{"mesh": 0}], "meshes": [{"primitives": [{**growth.PRIMITIVE, "indices": 5}]}]}
        return growth.gltf(folder, lists, data, growth.VIEWS + [(len(growth.DATA), 6)],
                           growth.ACCESSORS + [(5, 5123, 3, "SCALAR")])
    return make


def sparse(index, count=1):
    """Returns a sparse accessor of three elements, which replaces `count` elements. The first is at
    `index`."""
    data = bytearray(growth.DATA)
    data[68:80] = bytes(range(12))
    values = {"bufferView": 0} if count > 1 else {"bufferView": 2, "byteOffset": 12}

    def make(folder):
        arguments = growth.gltf(folder, ONE, bytes(data), growth.VIEWS, growth.ACCESSORS)
        with open(arguments[1]) as file:
            text = json.load(file)
        text["accessors"][0]["sparse"] = {"count": count, "values": values, "indices": {
            "bufferView": 3, "byteOffset": index, "componentType": 5121}}
        growth.write(folder, "in.gltf", json.dumps(text))
        return arguments
    return make


SKINNED = {"nodes": [{"mesh": 0, "skin": 0}, {}],
           "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 3, "WEIGHTS_0": 4}}]}],
           "skins": [{"joints": [1]}]}


def skinned(joint):
    """A mesh whose first vertex uses this joint index, with a skin of one joint."""
    def make(folder):
        data = bytearray(growth.DATA)
        data[68] = joint
        return growth.gltf(folder, SKINNED, bytes(data), growth.VIEWS, growth.ACCESSORS)
    return make


def sets(count):
    """A mesh with `count` sets of joints and weights. Only the last set has weights on joint 1."""
    attributes = {"POSITION": 0}
    for i in range(count):
        attributes.update({"JOINTS_%d" % i: 3 if i < count - 1 else 5, "WEIGHTS_%d" % i: 4})
    lists = {"nodes": [{"mesh": 0, "skin": 0}, {}, {}], "skins": [{"joints": [1, 2]}],
             "meshes": [{"primitives": [{"attributes": attributes}]}]}
    return lambda folder: growth.gltf(folder, lists, growth.DATA + bytes([1, 0, 0, 0] * 3),
                                      growth.VIEWS + [(len(growth.DATA), 12)],
                                      growth.ACCESSORS + [(5, 5121, 3, "VEC4")])


def num_weights_is(count):
    def check(folder):
        found = re.findall(r"numweights (\d+)", open(os.path.join(folder, "in.md5mesh")).read())
        return found == [str(count)], found
    return check


case("glTF: a node below 1000 others", "", small(nodes=deep(1001), meshes=[growth.TRIANGLE]))
case("glTF: a node below 1001 others",
     "node hierarchy is too deep: expected at most 1000 levels, found more at node 1001 ''; remove",
     small(nodes=deep(1002), meshes=[growth.TRIANGLE]))
case("glTF: 3 elements of 36 bytes", "", small(sized(count=3), **ONE))
case("glTF: 4 elements of 36 bytes",
     "accessors/0: elements are outside of bufferViews/0: expected at most 36 bytes, "
     "found 4 elements of 12 bytes",
     small(sized(count=4), **ONE))
case("glTF: no elements",
     "accessors/0/count: value is out of range: expected at least 1, found 0", small(sized(count=0), **ONE))
case("glTF: an offset that leaves too few bytes",
     "accessors/0: elements are outside of bufferViews/0: expected at most 36 bytes, "
     "found 3 elements of 12 bytes at offset 4",
     small(sized(byteOffset=4), **ONE))
case("glTF: a view up to the last byte", "",
     small(lambda text: text["bufferViews"][4].update(byteLength=48), **SKINNED))
case("glTF: a view after the last byte",
     "bufferViews/4: range is outside of buffers/0: expected at most 128 bytes, found 49 bytes at offset 80",
     small(lambda text: text["bufferViews"][4].update(byteLength=49), **SKINNED))
case("glTF: a buffer of all bytes", "", small(lambda text: text["buffers"][0].update(byteLength=128), **ONE))
case("glTF: a buffer of one byte more", "buffers/0: truncated file: expected 129 bytes, found 128",
     small(lambda text: text["buffers"][0].update(byteLength=129), **ONE))
case("glTF: an index of a list", "", small(lambda text: text["nodes"][0].update(mesh=0), **ONE))
case("glTF: an index after the end of a list",
     "nodes/0/mesh: index is out of range: expected less than 1, the number of meshes, found 1",
     small(lambda text: text["nodes"][0].update(mesh=1), **ONE))
case("glTF: vertex 2 of 3", "", indexed(2))
case("glTF: vertex 3 of 3",
     "meshes/0/primitives/0/indices: element 2 of accessors/5 is out of range: "
     "expected less than 3, the number of vertices, found 3",
     indexed(3))
case("glTF: sparse: element 2 of 3", "", sparse(2))
case("glTF: sparse: element 3 of 3",
     "accessors/0/sparse/indices: element 0 is out of range: expected less than 3, the number of elements, "
     "found 3", sparse(3))
case("glTF: sparse: 3 of 3 elements", "", sparse(0, 3))
case("glTF: sparse: 4 of 3 elements",
     "accessors/0/sparse/count: value is out of range: expected at most 3, the number of elements, found 4",
     sparse(0, 4))
case("glTF: joint 0 of 1", "", skinned(0))
case("glTF: joint 1 of 1",
     "joint index of vertex 0 is out of range: expected less than 1, the number of joints of the skin, "
     "found 1",
     skinned(1))
case("glTF: 16 sets of weights", "", sets(16), num_weights_is(6))
case("glTF: 17 sets of weights, of which 16 are read", "", sets(17), num_weights_is(3))
case("glTF: a stride of the element's size", "",
     small(lambda text: text["bufferViews"][0].update(byteStride=12), **ONE))
case("glTF: a stride below the element's size",
     "bufferViews/0/byteStride: value is too small for accessors/0: expected at least 12, the size of an "
     "element, found 11",
     small(lambda text: text["bufferViews"][0].update(byteStride=11), **ONE))
case("glTF: a number below 1e30", "",
     small(lambda text: text["nodes"][0].update(translation=[0, 0, 0]), **ONE))
case("glTF: a number of 1e30",
     "nodes/0/translation/2: invalid value: expected a number from -1e30 to 1e30, found 1e+30",
     small(lambda text: text["nodes"][0].update(translation=[0, 0, 1e30]), **ONE))


case("glTF: a whole number below 9e15",
     "found 3 elements of 12 bytes at offset 8999999999999999",
     small(sized(byteOffset=8999999999999999), **ONE))
case("glTF: a whole number of 9e15",
     "accessors/0/byteOffset: invalid value: expected an integer of 0 or more, found 9e+15",
     small(sized(byteOffset=9000000000000000), **ONE))
case("glTF: an element at the end of a view",
     "accessors/0: elements are outside of bufferViews/0: expected at most 36 bytes, "
     "found 1 elements of 12 bytes at offset 25",
     small(sized(byteOffset=25, count=1), **ONE))


def position(number):
    """A triangle with a vertex at x = number, given as the bits of a float; the scale is 1."""
    def make(folder):
        data = patched(growth.DATA, 12, number)
        return growth.gltf(folder, ONE, data, growth.VIEWS, growth.ACCESSORS) + ["--scale", "1"]
    return make


def key_times(first, second):
    """A clip whose two keys have these times in seconds."""
    def make(folder):
        data = patched(patched(growth.DATA, 36, first, "<f"), 40, second, "<f")
        return growth.gltf(folder, {**ONE, "animations": [growth.animation([0])]}, data, growth.VIEWS,
                           growth.ACCESSORS)
    return make


case("glTF: a key at 0 s", "", key_times(0, 1))
case("glTF: a key before 0 s",
     "accessors/1: time of key 0 is out of range: expected at least 0 s, found -0.5 s; export the file again",
     key_times(-0.5, 1))
case("glTF: a key at the time of the previous key",
     "accessors/1: times are out of order: expected key 1 after 1 s, found 1 s; export the file again",
     key_times(1, 1))
case("glTF: a vertex at 1e9", "", position(BILLION))
case("glTF: a vertex above 1e9", "vertex 1 is out of range: expected at most 1e9 units from its joint, found",
     position(BILLION + 1))
case("glTF: an element below 1e30", "1e9", position(0x7149F2C9))
case("glTF: an element of 1e30",
     "POSITION of meshes/0/primitives/0: accessors/0: element 1 is out of range: expected numbers "
     "from -1e30 to 1e30, found 1e+30; repair the value",
     position(0x7149F2CA))


def target(number):
    """A triangle with a morph target that moves a vertex by a float, given as its bits; the scale is 1."""
    def make(folder):
        data = growth.DATA + patched(bytes(36), 0, number)
        mesh = {"primitives": [{**growth.PRIMITIVE, "targets": [{"POSITION": 5}]}]}
        return growth.gltf(folder, {"nodes": [{"mesh": 0}], "meshes": [mesh]}, data,
                           growth.VIEWS + [(len(growth.DATA), 36)],
                           growth.ACCESSORS + [(5, growth.FLOAT, 3, "VEC3")]) + ["--scale", "1"]
    return make


case("glTF: a morph target at 1e9", "", target(BILLION))
case("glTF: a morph target above 1e9",
     "vertex of a morph target is out of range: expected coordinates up to 1e9 units",
     target(BILLION + 1))


def many_vertices(count):
    """Returns a file with an accessor of `count` zeros. The file is long, because the memory for zeros is
    limited by its size."""
    def make(folder):
        arguments = small(lambda text: text["accessors"].append(
            {"componentType": 5126, "count": count, "type": "VEC3"}), nodes=[{"mesh": 0}],
            meshes=[{"primitives": [{"attributes": {"POSITION": 5}}]}])(folder)
        with open(arguments[1], "a") as file:
            file.write(" " * 1500000)
        return arguments
    return make


case("glTF: 2^24 vertices", "too much memory", many_vertices(2 ** 24), is_long=True)
case("glTF: 2^24 + 1 vertices", "too many vertices: expected at most 16777216, found 16777217",
     many_vertices(2 ** 24 + 1), is_long=True)


def sparse_times(count):
    """Keys of a clip at times that a sparse accessor of `count` elements contains."""
    def change(text):
        text["accessors"][1] = {"componentType": 5126, "count": count, "type": "SCALAR", "sparse": {
            "count": 1, "indices": {"bufferView": 3, "componentType": 5121}, "values": {"bufferView": 1}}}
    return small(change, nodes=[{"mesh": 0}], meshes=[growth.TRIANGLE], animations=[growth.animation([0])])


# The accessor is accepted. The next error is that the clip has only two values for these keys.
case("glTF: sparse: 2^24 elements", "wrong number of values: expected 16777216", sparse_times(2 ** 24),
     is_long=True)
case("glTF: sparse: 2^24 + 1 elements",
     "accessors/1/count: too large for a sparse accessor (16777217; limit 16777216)",
     sparse_times(2 ** 24 + 1))


def glb(size=None, length=None, text=None):
    """A .glb file of `size` bytes, whose JSON chunk declares `length` bytes."""
    def make(folder):
        with open(small(**ONE)(folder)[1], "rb") as file:
            chunk = file.read() if text is None else text
        chunk += b" " * (-len(chunk) % 4)
        data = struct.pack("<4s4I", b"glTF", 2, 20 + len(chunk),
                           len(chunk) if length is None else length(len(chunk)),
                           0x4E4F534A) + chunk
        return growth.convert(folder, "in.glb", data[:size])
    return make


case("GLB: a chunk up to the last byte", "", glb())
case("GLB: a chunk after the last byte",
     "offset 20: truncated file: expected 1009 bytes of the JSON chunk, found 1008",
     glb(length=lambda size: size + 1))
case("GLB: 20 bytes", "JSON: ", glb(20, lambda size: 0))
case("GLB: 19 bytes", "truncated file: expected at least 20 bytes, found 19", glb(19))


for length in (100, 101):
    case("glTF: a clip with a name of %d bytes" % length, "",
         small(nodes=[{"mesh": 0}], meshes=[growth.TRIANGLE],
               animations=[growth.animation([0], name="n" * length)]),
         clip_name_has(100))


def clip_rate(seconds, rate):
    """A clip with keys at 0 and at a time, whose extras contain a frame rate."""
    def make(folder):
        data = patched(growth.DATA, 40, seconds, "<f")
        lists = {"nodes": [{"mesh": 0}], "meshes": [growth.TRIANGLE],
                 "animations": [growth.animation([0], extras={"md5": {"frameRate": rate}})]}
        return growth.gltf(folder, lists, data, growth.VIEWS, growth.ACCESSORS)
    return make


for seconds, rate, expected in ((200, 0.005, 0.005), (1, 0, 24), (1, -1, 24),
                                (0.125, 1000000, 1000000), (0.125, 1000001, 24)):
    case("glTF: a frame rate of %g" % rate, "", clip_rate(seconds, rate), rate_is(expected))


def clip_at(number):
    """A clip that moves a node to x = number, given as the bits of a float; the scale is 1."""
    def make(folder):
        lists = {"nodes": [{"mesh": 0}], "meshes": [growth.TRIANGLE], "animations": [growth.animation([0])]}
        return growth.gltf(folder, lists, patched(growth.DATA, 44 + 12, number), growth.VIEWS,
                           growth.ACCESSORS) + ["--scale", "1"]
    return make


# The budget of files of 50 KB is about 37 million elements. 8 vertices in a frame are one element.
case("glTF: 144 million posed vertices", "",
     lambda folder: growth.moving(folder, vertices=4000, seconds=1500))
case("glTF: 336 million posed vertices", "too much processing",
     lambda folder: growth.moving(folder, vertices=4000, seconds=3500))
case("glTF: a clip up to 1e9", "", clip_at(BILLION))
case("glTF: a clip beyond 1e9",
     "is out of range: expected at most 1e9 units from the origin", clip_at(BILLION + 1))


def largest_offset_is(expected):
    """Returns a check that the two largest coordinates of weights are `expected`, and that all others are
    0."""
    def check(folder):
        numbers = [abs(float(number)) for row in re.findall(
            r"weight \d+ \d+ \S+ \( (.*?) \)",
            open(os.path.join(folder, "in.md5mesh")).read()) for number in row.split()]
        found = sorted(numbers)[-3:]
        has_scale = all(math.isclose(number, expected, rel_tol=1e-5) for number in found[1:])
        return found[0] < 1e-6 * found[1] and has_scale, found
    return check


INCHES = 39.37008  # per meter, if the file does not contain a scale
for scale, expected in ((1e-9, INCHES), (2e-9, 5e8), (5e8, 2e-9), (1e9, INCHES)):
    case("glTF: a stored scale of %g" % scale, "", small(
        lambda text, scale=scale: text["asset"].update(extras={"md5": {"scale": scale}}), **ONE),
        largest_offset_is(expected))
for angle in (360, 361):
    case("glTF: a stored rotation of %d degrees" % angle, "", small(
        lambda text, angle=angle: text["asset"].update(extras={"md5": {"turn": angle}}), **ONE),
        largest_offset_is(INCHES))


def joint_names_have(lengths):
    def check(folder):
        text = open(os.path.join(folder, "in.md5mesh")).read()
        found = [len(name) for name in re.findall(r'^\t"(\w+)"\t-?\d+ \(', text, re.M)]
        return found == lengths, found
    return check


def long_joint(length):
    lists = {**SKINNED, "nodes": [{"mesh": 0, "skin": 0}, {"name": "j" * length}]}
    return small(**lists)


case("glTF: a joint's name of 47 bytes", "", long_joint(47), joint_names_have([47]))
case("glTF: a joint's name of 48 bytes", "", long_joint(48), joint_names_have([47]))

# EXT_meshopt_compression: a view with compressed elements.


def packed(**fields):
    """`count` elements of `stride` zero bytes."""
    stride, count = fields.pop("stride"), fields.pop("count")
    mode = fields.get("mode", "ATTRIBUTES")
    word = b"\xa0" + b"\0" * stride * max(1, (count + 15) // 16) + bytes(max(32, stride))
    if mode == "INDICES":
        word = b"\xd1" + b"\0" * count + b"\0" * 4
    elif mode == "TRIANGLES":
        word = b"\xe1\xff\xff" + bytes(count) + bytes(16)

    def make(folder):
        extension = {"buffer": 0, "byteOffset": len(growth.DATA), "byteLength": len(word),
                     "byteStride": stride,
                     "count": count, "mode": mode, **fields}
        arguments = growth.gltf(folder, ONE, growth.DATA + word, growth.VIEWS, growth.ACCESSORS)
        with open(arguments[1]) as file:
            text = json.load(file)
        text["bufferViews"][0] = {"buffer": 0, "byteLength": stride * count, "extensions": {
            "EXT_meshopt_compression": extension}}
        text["accessors"][0].update(count=3)
        growth.write(folder, "in.gltf", json.dumps(text))
        return arguments
    return make


REFUSED = "invalid meshopt compression: "
case("glTF: packed elements of 256 bytes",
     "the file contains no model, animation or camera that can be converted",
     packed(stride=256, count=3))
case("glTF: packed elements of 260 bytes", REFUSED, packed(stride=260, count=3))
case("glTF: packed elements of 14 bytes", REFUSED, packed(stride=14, count=3))
case("glTF: packed directions of 8 bytes", "expected at most 24 bytes, found",
     packed(stride=8, count=3, filter="OCTAHEDRAL"))
case("glTF: packed directions of 12 bytes", REFUSED, packed(stride=12, count=3, filter="OCTAHEDRAL"))
case("glTF: packed rotations of 8 bytes", "expected at most 24 bytes, found",
     packed(stride=8, count=3, filter="QUATERNION"))
case("glTF: packed rotations of 4 bytes", REFUSED, packed(stride=4, count=3, filter="QUATERNION"))
case("glTF: packed triangles of 3 indices", "expected at most 6 bytes, found",
     packed(stride=2, count=3, mode="TRIANGLES"))
case("glTF: packed triangles of 4 indices", REFUSED, packed(stride=2, count=4, mode="TRIANGLES"))
case("glTF: packed indices of 3 bytes", REFUSED, packed(stride=3, count=3, mode="INDICES"))
case("glTF: packed indices of 4 bytes", "expected at most 12 bytes, found",
     packed(stride=4, count=3, mode="INDICES"))

# -- Clips ---------------------------------------------------------------------------------------------


def dae_clip(seconds):
    sources = "".join(
        '<source id="{0}"><float_array id="{0}a" count="2">{1}</float_array>'
        '<technique_common><accessor source="#{0}a" count="2"><param name="X" type="float"/></accessor>'
        '</technique_common></source>'
        .format(name, values)
        for name, values in (("in", "0 %s" % seconds), ("out", "0 1")))
    sources += ('<source id="how"><Name_array id="howa" count="2">LINEAR LINEAR</Name_array>'
                '<technique_common><accessor source="#howa" count="2"><param name="I" type="name"/>'
                '</accessor></technique_common></source>')
    animation = ('<library_animations><animation id="m">%s<sampler id="s1">'
                 '<input semantic="INPUT" source="#in"/><input semantic="OUTPUT" source="#out"/>'
                 '<input semantic="INTERPOLATION" source="#how"/></sampler>'
                 '<channel source="#s1" target="n0/t.X"/></animation></library_animations>' % sources)
    node = '<node id="n0" name="n0"><translate sid="t">0 0 0</translate><instance_geometry url="#g"/></node>'
    return growth.dae(growth.geometry("g"), node).replace("<library_visual_scenes>",
                                                          animation + "<library_visual_scenes>")


case("Collada: a clip of 600 seconds", "", as_file("a.dae", dae_clip(600)))
case("Collada: a clip of 600.1 seconds", "is too long: 600.1 s; limit: 600 s",
     as_file("a.dae", dae_clip("600.1")))


def resampled(rate):
    """A clip with two keys that are two seconds apart, for one joint; the limit is 2^20 + 200 poses."""
    clip = ("MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 1\nframeRate 0.5\n"
            "numAnimatedComponents 0\nhierarchy {\n\"origin\" -1 0 0\n}\n"
            "bounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n"
            "( 0 0 0 ) ( 0 0 0 )\n}\nframe 0 {\n}\nframe 1 {\n}\n")
    return lambda folder: growth.convert(folder, "a.md5anim", clip) + ["--rate", str(rate)]


case("a clip that is sampled 1048776 times", "", resampled(524387.5), is_long=True)
case("a clip that is sampled 1048777 times",
     "resampled clip is too large: 1048777 frames of 1 joints at 524388 frames per second, from 2 frames "
     "at 0.5",
     resampled(524388))


def bfg(joints):
    names = "".join('"j%d" %d ( 0 0 0 ) ( 0 0 0 )\n' % (i, 0 if i else -1) for i in range(joints))
    text = growth.SKELETON.replace("numJoints 1", "numJoints %d" % joints).replace(
        '"origin" -1 ( 0 0 0 ) ( 0 0 0 )\n', names)
    return lambda folder: ["convert", growth.write(folder, "a.md5mesh", text), "--output",
                           os.path.join(folder, "a.bmd5mesh")]


case("BFG: 255 joints", "", bfg(255))
case("BFG: 256 joints", "model has too many joints: expected at most 255, found 256", bfg(256))


def bfg_vertices(count):
    """A mesh of `count` vertices, all of which are drawn."""
    rows = ["vert %d ( 0 %d ) %d 1\n" % (i, i, i) for i in range(count)]
    rows.append("numtris %d\n" % (count // 3 + 1))
    rows += ["tri %d %d %d %d\n" % (i, min(3 * i, count - 3), min(3 * i + 1, count - 2),
                                    min(3 * i + 2, count - 1))
             for i in range(count // 3 + 1)]
    rows.append("numweights %d\n" % count)
    rows += ["weight %d 0 1 ( %d %d 0 )\n" % (i, i, i % 7) for i in range(count)]
    text = growth.SKELETON.replace("numMeshes 0", "numMeshes 1")
    text += "mesh {\nshader \"s\"\nnumverts %d\n%s}\n" % (count, "".join(rows))
    return lambda folder: ["convert", growth.write(folder, "a.md5mesh", text), "--output",
                           os.path.join(folder, "a.bmd5mesh")]


case("BFG: 65535 vertices", "", bfg_vertices(65535))
case("BFG: 65536 vertices",
     "mesh 0 's' has too many vertices after seams are split: expected at most 65535, found 65536",
     bfg_vertices(65536))


def md3_triangles(count):
    """A mesh in which all triangles are equal."""
    def make(folder):
        text = growth.SKELETON.replace("numMeshes 0", "numMeshes 1")
        text += "mesh {\nshader \"s\"\nnumverts 3\n"
        text += "".join("vert %d ( 0 %d ) %d 1\n" % (i, i, i) for i in range(3)) + "numtris %d\n" % count
        text += "".join("tri %d 0 1 2\n" % i for i in range(count)) + "numweights 3\n"
        text += "".join("weight %d 0 1 ( %d %d 0 )\n" % (i, i, i % 2) for i in range(3)) + "}\n"
        return ["convert", growth.write(folder, "a.md5mesh", text), "--output",
                os.path.join(folder, "out", "a.md3")]
    return make


case("MD3: 2^24 + 1 triangles",
     "expected at most 16777216 triangles and as many vertices, found 16777217 triangles",
     md3_triangles(2 ** 24 + 1), is_long=True)


def is_right(tool, folder, error, make, check):
    """Runs the tool on the file of a case. Returns (True or False, the last line of output)."""
    shutil.rmtree(folder, ignore_errors=True)
    out = os.path.join(folder, "out")
    os.makedirs(out)
    status, output = tool.run(*make(folder))
    last_line = output.rstrip().split("\n")[-1]
    if error:
        return status == 1 and error in last_line and not os.listdir(out), last_line
    if status != 0 or not check:
        return status == 0, last_line
    return check(out)


def run_cases(tool, folder, options):
    """Returns the number of cases that were run, and the number of cases that failed."""
    num_run, num_failed = 0, 0
    has_assimp = "libassimp-dev" not in tool.run(*as_file("a.dae", dae_clip(1))(folder))[1]
    for title, error, make, check, is_long in CASES:
        if is_long != ("long" in options) or (title.startswith("Collada") and not has_assimp):
            continue
        passed, output = is_right(tool, os.path.join(folder, "case"), error, make, check)
        num_run += 1
        if not passed:
            num_failed += 1
            print("%s: %s; expected %s" % (title, output, error or "success"))
    return num_run, num_failed


def main():
    path, folder, *options = sys.argv[1:]
    with md5tool.Batch(path) as tool:
        num_run, num_failed = run_cases(tool, folder, options)
    print("%d of %d cases passed" % (num_run - num_failed, num_run))
    sys.exit(num_failed > 0)


if __name__ == "__main__":
    main()
