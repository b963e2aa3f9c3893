#!/usr/bin/env python3
"""Measures how the cost of `md5tool convert` and `md5tool bind` grows with the size of a file.

    python3 growth.py linear TOOL FOLDER [KIND...]        files of n, 2 n and 4 n elements
    python3 growth.py bounded TOOL FOLDER SIZE [KIND...]  files that use one range many times
    python3 growth.py make FOLDER SIZE KIND               writes a file, prints the tool's arguments
    python3 growth.py list LINEAR|HOSTILE                 prints the kinds

A kind of the first list repeats one element of one format. Its instructions are counted by valgrind, so
that other programs on the machine do not change the result; the instructions of a file with one element
are subtracted. 4 n elements may take 4.4 times as many instructions as n.

A kind of the second list requests work, memory or messages that grow with the square of the file's size.
The tool may reject such a file. It must end soon, with little memory and output; the limits are several
times the measured values.
"""

import base64
import json
import os
import re
import struct
import subprocess
import sys

LINEAR, HOSTILE = {}, {}


def linear(count):
    """Registers a function that writes a file of n elements; `count` is n of the smallest file."""
    def register(function):
        LINEAR[function.__name__] = (function, count)
        return function
    return register


def hostile(function):
    """Registers a function that writes a file of about n bytes, half of which use the other half."""
    HOSTILE[function.__name__] = function
    return function


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def convert(folder, name, content):
    return ["convert", write(folder, name, content), "--force", "--output", os.path.join(folder, "out")]


# -- glTF ----------------------------------------------------------------------------------------------


def gltf(folder, lists, data, views, accessors):
    """Writes a file with one buffer; views are (offset, size), accessors (view, type, count, shape)."""
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    text = {"asset": {"version": "2.0"}, "buffers": [{"byteLength": len(data), "uri": uri}]}
    text["bufferViews"] = [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views]
    text["accessors"] = [{"bufferView": view, "componentType": kind, "count": count, "type": shape}
                         for view, kind, count, shape in accessors]
    return convert(folder, "in.gltf", json.dumps({**text, **lists}))


FLOAT, BYTE = 5126, 5121
# Accessors: 0 a triangle; 1 and 2 the times 0 and 1 and two translations; 3 and 4 joints and weights.
DATA = struct.pack("<9f2f6f12B12f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 2, 3, *[0] * 12,
                   *[1, 0, 0, 0] * 3)
VIEWS = [(0, 36), (36, 8), (44, 24), (68, 12), (80, 48)]
ACCESSORS = [(0, FLOAT, 3, "VEC3"), (1, FLOAT, 2, "SCALAR"), (2, FLOAT, 2, "VEC3"), (3, BYTE, 3, "VEC4"),
             (4, FLOAT, 3, "VEC4")]
PRIMITIVE = {"attributes": {"POSITION": 0}}
TRIANGLE = {"primitives": [PRIMITIVE]}


def small_gltf(folder, **lists):
    return gltf(folder, lists, DATA, VIEWS, ACCESSORS)


def painted(n):
    """Returns n meshes, each with a material."""
    meshes = [{"primitives": [{**PRIMITIVE, "material": i}]} for i in range(n)]
    return {"nodes": [{"mesh": i} for i in range(n)], "meshes": meshes}


def channel(node, path="translation"):
    return {"sampler": 0, "target": {"node": node, "path": path}}


def animation(nodes, **more):
    return {"samplers": [{"input": 1, "output": 2}], "channels": [channel(node) for node in nodes], **more}


def named(prefix, n):
    return [{"name": prefix + str(i)} for i in range(n)]


CAMERA = {"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}


@linear(250)
def gltf_meshes(n, folder):
    meshes = [{**TRIANGLE, "name": "m%d" % i} for i in range(n)]
    return small_gltf(folder, nodes=[{"name": "n%d" % i, "mesh": i} for i in range(n)], meshes=meshes)


@linear(250)
def gltf_materials(n, folder):
    return small_gltf(folder, **painted(n), materials=named("m", n))


@linear(250)
def gltf_names(n, folder):
    """All nodes, meshes and materials have the same name."""
    lists = {**painted(n), "materials": [{} for _ in range(n)]}
    for items in lists.values():
        for item in items:
            item["name"] = "a"
    return small_gltf(folder, **lists)


@linear(500)
def gltf_nodes(n, folder):
    return small_gltf(folder, nodes=[{"mesh": 0}] + named("n", n), meshes=[TRIANGLE])


@linear(250)
def gltf_primitives(n, folder):
    return small_gltf(folder, nodes=[{"mesh": 0}], meshes=[{"primitives": [PRIMITIVE] * n}])


@linear(100)
def gltf_clips(n, folder):
    clips = [animation([0], name="c%d" % i) for i in range(n)]
    return small_gltf(folder, nodes=[{"mesh": 0}], meshes=[TRIANGLE], animations=clips)


@linear(100)
def gltf_clip_names(n, folder):
    clips = [animation([0], name="c")] * n
    return small_gltf(folder, nodes=[{"mesh": 0}], meshes=[TRIANGLE], animations=clips)


@linear(100)
def gltf_channels(n, folder):
    """Each channel has a separate joint."""
    nodes = [{"mesh": 0, "name": "n%d" % i} for i in range(n)]
    return small_gltf(folder, nodes=nodes, meshes=[TRIANGLE], animations=[animation(range(n))])


@linear(100)
def gltf_targets(n, folder):
    mesh = {"primitives": [{**PRIMITIVE, "targets": [{"POSITION": 0}] * n}]}
    return small_gltf(folder, nodes=[{"mesh": 0}], meshes=[mesh])


@linear(200)
def gltf_skins(n, folder):
    nodes = [{"mesh": 0, "skin": i} for i in range(n)] + named("j", n)
    mesh = {"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 3, "WEIGHTS_0": 4}}]}
    return small_gltf(folder, nodes=nodes, skins=[{"joints": [n + i]} for i in range(n)], meshes=[mesh])


@linear(100)
def gltf_cameras(n, folder):
    """A clip moves all cameras, so that each has a separate path."""
    nodes = [{"camera": 0, "name": "n%d" % i} for i in range(n)]
    return small_gltf(folder, nodes=nodes, cameras=[CAMERA], animations=[animation(range(n))])


TEXTURED = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}


@linear(200)
def gltf_pictures(n, folder):
    """All materials use one image in the same folder."""
    write(folder, "a.png", bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fcff"
        "ffff7f0009fb03fd08d6b5260000000049454e44ae426082"))
    return small_gltf(folder, **painted(n), images=[{"uri": "a.png"}], textures=[{"source": 0}],
                      materials=[TEXTURED] * n)


@hostile
def nodes_of_one_mesh(size, folder):
    n = size // 90
    return small_gltf(folder, nodes=[{"mesh": 0}] * n, meshes=[{"primitives": [PRIMITIVE] * n}])


@hostile
def nodes_of_lines(size, folder):
    n = size // 90
    lines = {"primitives": [{"mode": 1, "attributes": {}}] * n}
    return small_gltf(folder, nodes=[{"mesh": 0}] * n, meshes=[lines])


@hostile
def skinned_nodes(size, folder):
    n = size // 120
    return small_gltf(folder, nodes=[{"mesh": 0, "skin": 0}] * n, skins=[{"joints": [0]}],
                      meshes=[{"primitives": [PRIMITIVE] * n}])


@hostile
def wide_skins(size, folder):
    """Meshes whose skin has many joints."""
    n = size // 60
    return small_gltf(folder, nodes=[{"mesh": 0, "skin": 0}] * n + [{}] * n, meshes=[TRIANGLE],
                      skins=[{"joints": list(range(n, 2 * n))}])


def points(n):
    return struct.pack("<%df" % (3 * n), *[i % 97 for i in range(3 * n)])


def large_gltf(folder, size, accessors=1, **lists):
    """Accessors that share the same vertices. Most of the file consists of these vertices."""
    n = size // 40
    return gltf(folder, lists, points(n), [(0, 12 * n)], [(0, FLOAT, n, "VEC3")] * accessors)


@hostile
def accessors_of_one_view(size, folder):
    """Each primitive has a separate accessor of all bytes."""
    n = size // 400
    primitives = [{"attributes": {"POSITION": i}} for i in range(n)]
    return large_gltf(folder, size, n, nodes=[{"mesh": 0}], meshes=[{"primitives": primitives}])


@hostile
def primitives_of_one_accessor(size, folder):
    mesh = {"primitives": [PRIMITIVE] * (size // 200)}
    return large_gltf(folder, size, nodes=[{"mesh": 0}], meshes=[mesh])


@hostile
def targets_of_one_accessor(size, folder):
    mesh = {"primitives": [{**PRIMITIVE, "targets": [{"POSITION": 0}] * (size // 50)}]}
    return large_gltf(folder, size, nodes=[{"mesh": 0}], meshes=[mesh])


def moving(folder, clips=1, channels=1, vertices=10, seconds=1000, path="translation"):
    """Clips of some channels that move or scale one node, with two keys each."""
    first = (1, 1, 1) if path == "scale" else (0, 0, 0)
    data = points(vertices) + struct.pack("<2f6f", 0, seconds, *first, 1, 2, 3)
    at = 12 * vertices
    clip = {"samplers": [{"input": 1, "output": 2}], "channels": [channel(0, path)] * channels}
    lists = {"nodes": [{"mesh": 0}], "meshes": [TRIANGLE], "animations": [clip] * clips}
    return gltf(folder, lists, data, [(0, at), (at, 8), (at + 8, 24)],
                [(0, FLOAT, vertices, "VEC3"), (1, FLOAT, 2, "SCALAR"), (2, FLOAT, 2, "VEC3")])


@hostile
def many_long_clips(size, folder):
    return moving(folder, clips=size // 250)


@hostile
def one_endless_clip(size, folder):
    return moving(folder, vertices=size // 20, seconds=size)


@hostile
def many_channels(size, folder):
    return moving(folder, channels=size // 100, seconds=size)


@hostile
def posed_vertices(size, folder):
    """A large mesh with clips of many frames. The bounding box of each frame is computed."""
    return moving(folder, clips=size // 500, vertices=size // 40, seconds=100)


@hostile
def scaled_vertices(size, folder):
    """A large mesh with clips that scale it. The size of the posed mesh is measured."""
    return moving(folder, clips=size // 500, vertices=size // 40, seconds=100, path="scale")


@hostile
def many_cameras(size, folder):
    n = size // 140
    nodes = [{"camera": 0, "children": [1]}] + [{"camera": 0}] * n
    return small_gltf(folder, nodes=nodes, cameras=[CAMERA], animations=[animation([0] * n)] * 2)


@hostile
def materials_of_one_image(size, folder):
    write(folder, "a.png", b"\x89PNG\r\n\x1a\n" + bytes(size // 2))
    n = size // 200
    return small_gltf(folder, **painted(n), images=[{"uri": "a.png"}], textures=[{"source": 0}],
                      materials=[TEXTURED] * n)


@hostile
def buffers_of_one_file(size, folder):
    write(folder, "a.bin", bytes(size // 2))
    buffers = [{"byteLength": 1, "uri": "a.bin"}] * (size // 70)
    return convert(folder, "in.gltf", json.dumps({"asset": {"version": "2.0"}, "buffers": buffers}))


# -- MD3, MD2, MDL -------------------------------------------------------------------------------------


def md3(surfaces, shaders=(), vertices=0, triangles=0):
    """Surfaces that share one list of shaders, and one of triangles and vertices."""
    frame, head = 108, 108
    start = frame + 56
    end = start + head * surfaces
    rows = end + 68 * len(shaders)
    vertex_data = rows + 12 * triangles
    out = struct.pack("<4si64s9i", b"IDP3", 15, b"x", 0, 1, 0, surfaces, 0, frame, start, start, end)
    out += struct.pack("<10f16s", *[0] * 10, b"frame")
    for i in range(surfaces):
        at = start + head * i
        out += struct.pack("<4s64s10i", b"IDP3", b"s%d" % i, 0, 1, len(shaders), vertices, triangles,
                           rows - at, end - at, vertex_data - at, vertex_data + 8 * vertices - at, head)
    out += b"".join(name.ljust(64, b"\0") + bytes(4) for name in shaders)
    return out + struct.pack("<3i", 0, 1, 2) * triangles + bytes(16 * vertices)


@linear(100)
def md3_surfaces(n, folder):
    return convert(folder, "in.md3", md3(n, [b"a"]))


@hostile
def md3_shared_shaders(size, folder):
    return convert(folder, "in.md3", md3(size // 216, [b"a%d" % i for i in range(size // 136)]))


@hostile
def md3_shared_triangles(size, folder):
    return convert(folder, "in.md3", md3(size // 216, [b"a"], 100, size // 24))


def md2(skins=0, frames=1, points=3, triangles=1):
    ofs = [68, 68 + 64 * skins, 68 + 64 * skins + 4, 68 + 64 * skins + 4 + 12 * triangles]
    step = 40 + 4 * points
    end = ofs[3] + step * frames
    out = struct.pack("<4s16i", b"IDP2", 8, 8, 8, step, skins, points, 1, triangles, 0, frames, *ofs, end,
                      end)
    out += b"".join((b"s%d" % i).ljust(64, b"\0") for i in range(skins))
    out += struct.pack("<2h", 0, 0) + struct.pack("<6H", 0, 1, 2, 0, 0, 0) * triangles
    for i in range(frames):
        out += struct.pack("<6f16s", 1, 1, 1, 0, 0, 0, b"a%d" % i) + bytes(4 * points)
    return out


@linear(1000)
def md2_skins(n, folder):
    return convert(folder, "in.md2", md2(skins=n))


@linear(50)
def md2_frames(n, folder):
    return convert(folder, "in.md2", md2(frames=n))


@hostile
def md2_targets(size, folder):
    """Each of 1 000 frames becomes a target with all triangles."""
    return convert(folder, "in.md2", md2(frames=1000, points=16, triangles=size // 24))


@linear(50)
def mdl_skins(n, folder):
    out = struct.pack("<4si3f3ff3f8if", b"IDPO", 6, 1, 1, 1, 0, 0, 0, 9, 0, 0, 0, n, 4, 4, 3, 1, 1, 0, 0, 1)
    out += (struct.pack("<i", 0) + bytes(16)) * n + bytes(36) + struct.pack("<4i", 1, 0, 1, 2)
    return convert(folder, "in.mdl", out + bytes(12) + b"a".ljust(16, b"\0") + bytes(12))


# -- IQM -----------------------------------------------------------------------------------------------


def iqm(meshes=1, joints=1, clips=0, frames=1, is_moving=True, name=None):
    """Returns an IQM file whose joints have one animated component or none. If `name` is given, all parts
    have this name; otherwise, all names differ."""
    text, names = b"\0a\0", {}
    for key in named("m", meshes) + named("j", joints) + named("c", clips):
        if not name or not names:
            names[key["name"]] = len(text)
            text += (name or key["name"].encode()) + b"\0"
        names[key["name"]] = names.get(key["name"], 3)
    body = b""

    def add(data):
        nonlocal body
        at = 124 + len(body)
        body += data + b"\0" * (-len(data) % 4)
        return at
    poses, numbers = joints if clips else 0, 0
    if is_moving and clips:
        numbers = joints
    ofs_text = add(text)
    ofs_meshes = add(b"".join(struct.pack("<6I", names["m%d" % i], 1, 3 * i, 3, i, 1) for i in range(meshes)))
    positions = add(struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) * meshes)
    ofs_arrays = add(struct.pack("<5I", 0, 0, 7, 3, positions))
    ofs_triangles = add(struct.pack("<%dI" % (3 * meshes), *range(3 * meshes)))
    ofs_joints = add(b"".join(struct.pack("<Ii10f", names["j%d" % i], -1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1)
                              for i in range(joints)))
    ofs_poses = add(struct.pack("<iI20f", -1, is_moving, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, *[1] * 10) * poses)
    ofs_clips = add(b"".join(struct.pack("<3IfI", names["c%d" % i], 0, frames, 24, 0) for i in range(clips)))
    ofs_frames = add(bytes(2 * numbers * frames))
    return b"INTERQUAKEMODEL\0" + struct.pack(
        "<27I", 2, 124 + len(body), 0, len(text), ofs_text, meshes, ofs_meshes, 1, 3 * meshes, ofs_arrays,
        meshes, ofs_triangles, 0, joints, ofs_joints, poses, ofs_poses, clips, ofs_clips,
        frames if clips else 0, numbers, ofs_frames, 0, 0, 0, 0, 0) + body


@linear(100)
def iqm_meshes(n, folder):
    return convert(folder, "in.iqm", iqm(meshes=n))


@linear(100)
def iqm_joints(n, folder):
    return convert(folder, "in.iqm", iqm(joints=n))


@linear(100)
def iqm_clips(n, folder):
    return convert(folder, "in.iqm", iqm(clips=n))


@hostile
def iqm_shared_frames(size, folder):
    """1 000 clips consist of the same frames, which have no components."""
    return convert(folder, "in.iqm", iqm(joints=size // 200, clips=1000, frames=size, is_moving=False))


@hostile
def iqm_one_name(size, folder):
    return convert(folder, "in.iqm", iqm(joints=size // 48, name=b"n" * 900))


# -- PSK -----------------------------------------------------------------------------------------------


def psk(wedges, faces, bones=1, weights=1, materials=1):
    def chunk(name, size, rows):
        return struct.pack("<20s3i", name, 0, size, len(rows)) + b"".join(rows)
    return (chunk(b"ACTRHEAD", 0, [])
            + chunk(b"PNTS0000", 12, [struct.pack("<3f", i % 2, i // 2 % 2, i // 4)
                                      for i in range(wedges)])
            + chunk(b"VTXW0000", 16, [struct.pack("<I2fI", i, 0, 0, 0) for i in range(wedges)])
            + chunk(b"FACE0000", 12, [struct.pack("<3HBBI", i, i + 1, i + 2, i % materials, 0, 0)
                                      for i in range(faces)])
            + chunk(b"REFSKELT", 120, [(b"b%d" % i).ljust(68, b"\0")
                                       + struct.pack("<2i11f", 0, i - 1 if i % 900 else 0,
                                                     0, 0, 0, 1, *[0] * 7)
                                       for i in range(bones)])
            + chunk(b"RAWWEIGHTS", 12, [struct.pack("<f2i", 1, i % wedges, 0) for i in range(weights)]))


@linear(500)
def psk_wedges(n, folder):
    return convert(folder, "in.psk", psk(n + 2, n, weights=n))


@linear(100)
def psk_bones(n, folder):
    return convert(folder, "in.psk", psk(3, 1, bones=n))


@hostile
def psk_materials(size, folder):
    """Materials of one triangle each, and wedges that no triangle uses."""
    return convert(folder, "in.psk", psk(size // 28, 256, materials=256))


# -- BVH, OBJ, Collada ---------------------------------------------------------------------------------


def bvh(joints, frames):
    """The root has one channel, the joints below it have none."""
    text = "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Zrotation\n" + joints
    return text + "}\nMOTION\nFrames: %d\nFrame Time: 0.1\n" % frames + "1\n" * frames


@linear(50)
def bvh_joints(n, folder):
    joints = "".join("JOINT j%d\n{\nOFFSET 0 1 0\n}\n" % i for i in range(n))
    return convert(folder, "in.bvh", bvh(joints, 1))


@linear(50)
def bvh_names(n, folder):
    return convert(folder, "in.bvh", bvh("JOINT j\n{\nOFFSET 0 1 0\n}\n" * n, 1))


@linear(200)
def bvh_frames(n, folder):
    return convert(folder, "in.bvh", bvh("JOINT j\n{\nOFFSET 0 1 0\n}\n", n))


@linear(100)
def bvh_deep(n, folder):
    joints = "".join("JOINT j%d\n{\nOFFSET 0 0 1\n" % i for i in range(n)) + "}\n" * n
    return convert(folder, "in.bvh", bvh(joints, 1))


@hostile
def bvh_still_joints(size, folder):
    joints = "".join("JOINT %d\n{\nOFFSET 0 1 0\n}\n" % i for i in range(size // 80))
    return convert(folder, "in.bvh", bvh(joints, size // 4))


SMD_TRIANGLE = "m\n0 0 0 0 0 0 1 0 0\n0 1 0 0 0 0 1 0 0\n0 0 1 0 0 0 1 0 0\n"


def smd(nodes, frames, triangles):
    text = "version 1\nnodes\n%send\nskeleton\n%send\n" % (nodes, frames)
    return text + ("triangles\n%send\n" % triangles if triangles else "")


def smd_chain(count):
    """Bones, each of which is the parent of the next one."""
    nodes = "".join('%d "b%d" %d\n' % (i, i, i - 1) for i in range(count))
    return smd(nodes, "time 0\n", "")


@linear(200)
def smd_bones(n, folder):
    nodes = "".join('%d "b" -1\n' % i for i in range(n))
    return convert(folder, "in.smd", smd(nodes, "time 0\n", SMD_TRIANGLE))


@linear(200)
def smd_frames(n, folder):
    frames = "".join("time %d\n0 %d 0 0 0 0 0\n" % (i, i) for i in range(n))
    return convert(folder, "in.smd", smd('0 "b" -1\n', frames, SMD_TRIANGLE))


@linear(200)
def smd_triangles(n, folder):
    return convert(folder, "in.smd", smd('0 "b" -1\n', "time 0\n", SMD_TRIANGLE * n))


@hostile
def smd_still_bones(size, folder):
    """Half of the file consists of bones, the other half of frames that list all bones."""
    nodes = "".join('%d "" -1\n' % i for i in range(min(65000, size // 24)))
    frames = "".join("time %d\n" % i for i in range(size // 24))
    return convert(folder, "in.smd", smd(nodes, frames, SMD_TRIANGLE))


@hostile
def smd_links(size, folder):
    """Three vertices have 63 weights, so that the arrays of all other vertices get the same width."""
    vertex = "0 0 0 0 0 0 1 0 0 63" + " 0 0.01" * 63 + "\n"
    triangles = "m\n" + vertex * 3 + SMD_TRIANGLE * (size // len(SMD_TRIANGLE))
    return convert(folder, "in.smd", smd('0 "b" -1\n', "time 0\n", triangles))


SKELETON = """MD5Version 10
commandline ""
numJoints 1
numMeshes 0
joints {
"origin" -1 ( 0 0 0 ) ( 0 0 0 )
}
"""


def meshes_for_qss(folder, n):
    """A model of n meshes and one joint. QSS needs as many joints as meshes, up to 256."""
    mesh = ('mesh {\nshader "s"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\n'
            'numtris 1\ntri 0 0 1 2\nnumweights 3\nweight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 9 0 0 )\n'
            'weight 2 0 1 ( 0 9 0 )\n}\n')
    text = SKELETON.replace("Meshes 0", "Meshes %d" % n) + mesh * n
    return convert(folder, "in.md5mesh", text) + ["--for", "qss"]


@linear(60)
def qss_joints(n, folder):
    return meshes_for_qss(folder, n)


@hostile
def qss_too_many_meshes(size, folder):
    return meshes_for_qss(folder, size // 180)


CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


def bind(folder, text):
    return ["bind", "--resolution", "4", "--output", os.path.join(folder, "bound.md5mesh"),
            write(folder, "in.obj", CORNERS + text), write(folder, "skeleton.md5mesh", SKELETON)]


@linear(500)
def obj_materials(n, folder):
    faces = "".join("usemtl m%d\nf 1 2 3\nf 1 3 4\n" % i for i in range(n))
    return bind(folder, "v 0 0 1\n" + "v 0 0 2\n" * n + faces)


@linear(500)
def obj_texcoords(n, folder):
    """Each face has different texture coordinates at the same positions."""
    return bind(folder, "".join("vt %d 0\nf 1/-1 2/-1 3/-1\n" % i for i in range(n)))


@linear(500)
def obj_corners(n, folder):
    """The file has one face with 3 n corners."""
    return bind(folder, "f" + " 1 2 3" * n + "\n")


@hostile
def obj_positions_and_materials(size, folder):
    n = size // 30
    return bind(folder, "v 1 1 1\n" * n + "".join("usemtl %d\nf 1 2 3\n" % i for i in range(n)))


@hostile
def obj_one_position(size, folder):
    return bind(folder, "".join("vt %d 0\nf 1/-1 2/-1 3/-1\n" % i for i in range(size // 30)))


def dae(geometries, nodes):
    shared = 'xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"'
    return ('<?xml version="1.0"?><COLLADA %s><library_geometries>%s</library_geometries>'
            '<library_visual_scenes><visual_scene id="s">%s</visual_scene></library_visual_scenes>'
            '<scene><instance_visual_scene url="#s"/></scene></COLLADA>' % (shared, geometries, nodes))


def geometry(name, triangles=1):
    params = "".join('<param name="%s" type="float"/>' % axis for axis in "XYZ")
    return ('<geometry id="{0}" name="{0}"><mesh><source id="{0}p"><float_array id="{0}a" count="9">'
            '0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#{0}a" count="3" stride="3">'
            '{1}</accessor></technique_common></source><vertices id="{0}v"><input semantic="POSITION" '
            'source="#{0}p"/></vertices><triangles count="{2}"><input semantic="VERTEX" source="#{0}v" '
            'offset="0"/><p>{3}</p></triangles></mesh></geometry>').format(
                name, params, triangles, "0 1 2 " * triangles)


def instance(i, name):
    return '<node id="n{0}" name="n{0}"><instance_geometry url="#{1}"/></node>'.format(i, name)


@linear(100)
def dae_meshes(n, folder):
    geometries = "".join(geometry("g%d" % i) for i in range(n))
    nodes = "".join(instance(i, "g%d" % i) for i in range(n))
    return convert(folder, "in.dae", dae(geometries, nodes))


@linear(100)
def dae_nodes(n, folder):
    nodes = "".join('<node id="x{0}" name="x{0}"/>'.format(i) for i in range(n))
    return convert(folder, "in.dae", dae(geometry("g"), instance(0, "g") + nodes))


def dae_samplers(samplers, numbers, nodes):
    """Returns the text of a Collada file whose samplers use the same source."""
    sources = "".join('<source id="%s"><float_array id="%sa" count="%d">%s</float_array></source>'
                      % (name, name, len(values.split()), values) for name, values in numbers)
    animations = "".join('<sampler id="s{0}"><input semantic="INPUT" source="#in"/><input semantic="OUTPUT" '
                         'source="#out"/></sampler><channel source="#s{0}" target="n{0}/t.X"/>'.format(i)
                         for i in range(samplers))
    text = dae(geometry("g"), nodes)
    return text.replace("<library_geometries>", "<library_animations><animation id=\"m\">%s%s</animation>"
                        "</library_animations><library_geometries>" % (sources, animations))


@linear(20)
def dae_curves(n, folder):
    nodes = "".join('<node id="n{0}" name="n{0}"><translate sid="t">0 0 0</translate></node>'.format(i)
                    for i in range(n)) + instance(n, "g")
    return convert(folder, "in.dae", dae_samplers(n, (("in", "0 9"), ("out", "0 1")), nodes))


@hostile
def dae_one_source(size, folder):
    times = " ".join(map(str, range(size // 12)))
    numbers = (("in", times), ("out", times))
    return convert(folder, "in.dae", dae_samplers(size // 300, numbers, instance(0, "g")))


@hostile
def dae_open_tags(size, folder):
    tags = "<sampler <source <channel " * (size // 30)
    return convert(folder, "in.dae", dae(geometry("g"), instance(0, "g")) + tags)


@hostile
def dae_one_mesh(size, folder):
    nodes = "".join(instance(i, "g") for i in range(size // 140))
    return convert(folder, "in.dae", dae(geometry("g", size // 12), nodes))


@linear(20)
def dae_animations(n, folder):
    source = '<source id="in"><float_array id="ina" count="2">0 1</float_array></source>'
    animations = "".join('<animation id="a{0}"><animation><sampler id="s{0}">'
                         '<input semantic="INPUT" source="#in"/><input semantic="OUTPUT" source="#in"/>'
                         '</sampler><channel source="#s{0}" target="n{0}/t.X"/></animation></animation>'
                         .format(i) for i in range(n)).replace("<sampler", source + "<sampler", 1)
    nodes = "".join('<node id="n{0}" name="n{0}"><translate sid="t">0 0 0</translate></node>'.format(i)
                    for i in range(n)) + instance(n, "g")
    return convert(folder, "in.dae", dae(geometry("g"), nodes).replace(
        "<library_geometries>",
        "<library_animations>%s</library_animations><library_geometries>" % animations))


@hostile
def dae_skins(size, folder):
    """Many instances of a skin with many joints, whose names are in several skeletons."""
    joints = "j " * (size // 4)
    skeletons = '<node id="a" sid="j"/><node id="b" sid="j"/>'
    controller = ('<library_controllers><controller id="c"><skin source="#g"><source id="names">'
                  '<Name_array id="n">%s</Name_array></source>'
                  '<joints><input semantic="JOINT" source="#names"/></joints></skin>'
                  '</controller></library_controllers><library_visual_scenes>' % joints)
    skin = '<instance_controller url="#c"><skeleton>#a</skeleton></instance_controller>'
    nodes = skeletons + "<node>%s</node>" % (skin * (size // 150)) + instance(0, "g")
    return convert(folder, "in.dae", dae(geometry("g"), nodes).replace("<library_visual_scenes>", controller))


@hostile
def dae_open_nodes(size, folder):
    nodes = '<node id="a" sid="j">' * (size // 60) + "<animation><lookat sid='a'>" * (size // 60)
    return convert(folder, "in.dae", dae(geometry("g"), instance(0, "g") + nodes))


# -- Measuring -----------------------------------------------------------------------------------------


def instructions(tool, arguments, folder):
    os.makedirs(os.path.join(folder, "out"))
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", tool, *arguments]
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace")
    counts = [int(count) for count in re.findall(r"Collected : (\d+)", process.stdout)]
    if not counts or process.returncode != 0:
        sys.exit(process.stdout)
    return sum(counts)


def is_linear(tool, folder, name):
    function, count = LINEAR[name]
    numbers = []
    for n in (1, count, 2 * count, 4 * count):
        case_folder = os.path.join(folder, name, str(n))
        os.makedirs(case_folder)
        numbers.append(instructions(tool, function(n, case_folder), case_folder))
    ratio = (numbers[3] - numbers[0]) / max(numbers[1] - numbers[0], 1)
    print("%s: 4 n take %.2f times the instructions of n = %d; for 1, n, 2 n and 4 n %s million" % (
        name, ratio, count, " ".join("%.1f" % (number / 1e6) for number in numbers)), flush=True)
    return ratio <= 4.4


def is_bounded(tool, folder, name, size):
    case_folder = os.path.join(folder, name)
    os.makedirs(os.path.join(case_folder, "out"))
    arguments = HOSTILE[name](size, case_folder)
    process = subprocess.Popen([tool, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = process.stdout.read(1 << 22)
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    print("%s: status %d, %.1f s, %.0f MB, %d bytes of output: %s" % (
        name, status, seconds, megabytes, len(output), output[-200:].decode(errors="replace")), flush=True)
    is_bloated = os.environ.get("MD5_BUILD", "build") != "build"  # by sanitizers
    is_cheap = is_bloated or (seconds < 20 + size / 20000 and megabytes < 400 + 600 * size / 1e6)
    return status in (0, 1 << 8) and len(output) < 10000 and is_cheap


def main():
    task, *arguments = sys.argv[1:]
    if task == "list":
        print("\n".join({"LINEAR": LINEAR, "HOSTILE": HOSTILE}[arguments[0]]))
    elif task == "make":
        folder, size, name = arguments
        print(*(HOSTILE.get(name) or LINEAR[name][0])(int(size), folder))
    elif task == "linear":
        tool, folder, *names = arguments
        sys.exit(not all([is_linear(tool, folder, name) for name in names or LINEAR]))
    else:
        tool, folder, size, *names = arguments
        sys.exit(not all([is_bounded(tool, folder, name, int(size)) for name in names or HOSTILE]))


if __name__ == "__main__":
    main()
