"""Writes glTF files with unusual features for tests of readers. The output is reproducible:

    python3 gltf_make.py FOLDER
    python3 gltf_make.py --seeds FOLDER FILE...    writes small files, and others, for
    test/fuzz/programs/gltf.c
"""

import json
import math
import os
import random
import struct
import sys

CODES = {"b": 5120, "B": 5121, "h": 5122, "H": 5123, "I": 5125, "f": 5126}


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.data = bytearray()
        self.json = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": []}],
            "nodes": [],
            "meshes": [],
            "skins": [],
            "accessors": [],
            "bufferViews": [],
            "animations": [],
        }

    def accessor(self, rows, kind, code="f", **more):
        rows = [row if isinstance(row, (list, tuple)) else [row] for row in rows]
        self.data += b"\0" * (-len(self.data) % 4)
        start = len(self.data)
        for row in rows:
            self.data += struct.pack("<%d%s" % (len(row), code), *row)
        self.json["bufferViews"].append(
            {"buffer": 0, "byteOffset": start, "byteLength": len(self.data) - start}
        )
        self.json["accessors"].append(
            dict(
                bufferView=len(self.json["bufferViews"]) - 1,
                componentType=CODES[code],
                type=kind,
                count=len(rows),
                **more
            )
        )
        return len(self.json["accessors"]) - 1

    def node(self, **fields):
        self.json["nodes"].append(fields)
        return len(self.json["nodes"]) - 1

    def random_rotation(self):
        q = [self.random.gauss(0, 1) for _ in range(4)]
        return [x / math.sqrt(sum(y * y for y in q)) for x in q]

    def point(self, size=1.0):
        return [self.random.uniform(-size, size) for _ in range(3)]

    def glb(self, path):
        self.json["buffers"] = [{"byteLength": len(self.data)}]
        text = json.dumps({key: value for key, value in self.json.items() if value != []}).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.data) + b"\0" * (-len(self.data) % 4)
        with open(path, "wb") as file:
            file.write(
                struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data))
                + struct.pack("<I4s", len(text), b"JSON")
                + text
                + struct.pack("<I4s", len(data), b"BIN\0")
                + data
            )


def inverse(m):
    """Returns the inverse of an affine 4x4 matrix, given as rows."""
    a, b, c = [[m[i][k] for i in range(3)] for k in range(3)]

    def cross(u, v):
        return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    det = sum(x * y for x, y in zip(a, cross(b, c)))
    rows = [[x / det for x in row] for row in (cross(b, c), cross(c, a), cross(a, b))]
    return [row + [-sum(x * m[i][3] for i, x in enumerate(row))] for row in rows] + [[0, 0, 0, 1]]


def rig(seed, above, rest_moves=False, joint_scale=1.0):
    """Writes a rig with two meshes. It has seven joints, whose nodes are not in order and are below two nodes
    that are not joints."""
    from gltf_poser import from_trs, product

    f = Maker(seed)
    tree = [None, 0, 1, 1, 0, 4, 5]  # parents
    numbers = [6, 2, 3, 5, 0, 4, 1]  # nodes: children before parents
    f.json["nodes"] = [{} for _ in range(7)]
    worlds = []
    for joint, parent in enumerate(tree):
        t, r = f.point(0.4), f.random_rotation()
        s = [joint_scale] * 3 if joint == 1 else [1, 1, 1]
        f.json["nodes"][numbers[joint]].update(name="joint %d" % joint, translation=t, rotation=r, scale=s)
        if parent is not None:
            f.json["nodes"][numbers[parent]].setdefault("children", []).append(numbers[joint])
        local = from_trs(t, r, s)
        worlds.append(local if parent is None else product(worlds[parent], local))
    if rest_moves:  # after binding
        f.json["nodes"][numbers[3]]["rotation"] = f.random_rotation()
    holder = f.node(name="above", children=[numbers[0]], **above)
    f.json["scenes"][0]["nodes"] = [
        f.node(name="top", translation=[0, 0.5, 0], rotation=f.random_rotation(), children=[holder])
    ]
    binds = [[inverse(w)[i][k] for k in range(4) for i in range(4)] for w in worlds]
    f.json["skins"].append({"joints": numbers, "inverseBindMatrices": f.accessor(binds, "MAT4")})
    primitives = []
    for count, code, mode in ((30, "B", 4), (18, "H", 5), (15, None, 6)):
        weights = [[f.random.uniform(0.1, 1) for _ in range(7)] for _ in range(count)]
        weights = [[w / sum(row) for w in row] for row in weights]
        joints = [f.random.sample(range(7), 7) + [0] for _ in range(count)]
        weights = [row + [0.0] for row in weights]
        points, texcoords = [[f.point() for _ in range(count)] for _ in range(2)]
        moves = [f.point(0.1) for _ in range(count)]
        # Vertices that MD5 cannot distinguish, and a vertex that differs only in its texture coordinates.
        for rows in (joints, weights, points, texcoords, moves):
            rows[count - 3] = rows[1]
            rows[count - 2] = rows[1]
            rows[count - 1] = rows[2]
        texcoords[count - 1] = [5, 5]
        attributes = {
            "POSITION": f.accessor(points, "VEC3"),
            "NORMAL": f.accessor([f.random_rotation()[:3] for _ in range(count)], "VEC3"),
            "TEXCOORD_0": f.accessor([row[:2] for row in texcoords], "VEC2"),
        }
        for k in (0, 4):
            attributes["JOINTS_%d" % (k // 4)] = f.accessor([row[k : k + 4] for row in joints], "VEC4", "B")
            attributes["WEIGHTS_%d" % (k // 4)] = f.accessor([row[k : k + 4] for row in weights], "VEC4")
        primitive = {"attributes": attributes, "mode": mode}
        if code:
            order = f.random.sample(range(count), count)
            primitive["indices"] = f.accessor(order, "SCALAR", code)
        primitive["targets"] = [{"POSITION": f.accessor(moves, "VEC3")}]
        primitives.append(primitive)
    f.json["meshes"].append({"primitives": primitives, "extras": {"targetNames": ["Big Grin"]}})
    f.json["scenes"][0]["nodes"].append(f.node(name="body", mesh=0, skin=0, translation=[9, 9, 9]))
    rigid = {"attributes": {"POSITION": f.accessor([f.point() for _ in range(9)], "VEC3")}}
    f.json["meshes"].append({"primitives": [rigid]})
    f.json["nodes"][numbers[6]]["children"] = [
        f.node(name="hat", mesh=1, translation=[0, 1, 0], rotation=f.random_rotation(), scale=[1, 2, 1])
    ]
    # 30 frames per second; each channel has separate keys.
    samplers, channels = [], []
    for joint in range(7):
        for path, kind in (
            ("rotation", "LINEAR"),
            ("translation", ["LINEAR", "STEP", "CUBICSPLINE"][joint % 3]),
        ):
            frames = sorted(f.random.sample(range(31), 6))
            values = [
                f.random_rotation() if path == "rotation" else f.point(0.5)
                for _ in range(len(frames) * (3 if kind == "CUBICSPLINE" else 1))
            ]
            samplers.append(
                {
                    "input": f.accessor([k / 30 for k in frames], "SCALAR"),
                    "interpolation": kind,
                    "output": f.accessor(values, "VEC4" if path == "rotation" else "VEC3"),
                }
            )
            channels.append(
                {"sampler": len(samplers) - 1, "target": {"node": numbers[joint], "path": path}}
            )
    samplers.append({"input": f.accessor([0, 1], "SCALAR"), "output": f.accessor([0.25, 0.75], "SCALAR")})
    channels.append(
        {"sampler": len(samplers) - 1, "target": {"node": len(f.json["nodes"]) - 2, "path": "weights"}}
    )
    f.json["animations"].append({"name": "Wave, twice!", "samplers": samplers, "channels": channels})
    return f


def add_prop(f, has_still_root=False, is_moving=False):
    """Adds a mesh without a skin beside the joints of rig(): its node has no joint above it. A clip moves the
    root of the joints unless has_still_root, and the mesh if is_moving."""
    root = next(i for i, node in enumerate(f.json["nodes"]) if node["name"] == "joint 0")
    prop = f.node(name="prop", mesh=1, translation=f.point(), rotation=f.random_rotation(), scale=[1, 2, 1])
    f.json["scenes"][0]["nodes"].append(prop)
    animation = f.json["animations"][0]
    if has_still_root:
        animation["channels"] = [c for c in animation["channels"] if c["target"]["node"] != root]
    if is_moving:
        times = f.accessor([0, 1], "SCALAR")
        values = f.accessor([f.point(), f.point()], "VEC3")
        animation["channels"].append(
            {"sampler": len(animation["samplers"]), "target": {"node": prop, "path": "translation"}}
        )
        animation["samplers"].append({"input": times, "output": values})
    return f


def small(seed_number, interpolation, **above):
    """Writes a triangle on two joints that uses each feature once."""
    f = Maker(seed_number)
    f.json["materials"] = [
        {
            "name": "skin",
            "alphaMode": "MASK",
            "pbrMetallicRoughness": {
                "baseColorTexture": {
                    "index": 0,
                    "extensions": {
                        "KHR_texture_transform": {"offset": [0, 1], "scale": [2, 2], "rotation": 1}
                    },
                }
            },
        }
    ]
    f.json["textures"] = [{"source": 0}]
    f.json["images"] = [{"uri": "data:image/png;base64,iVBORw0KGgo="}]
    attributes = {
        "POSITION": f.accessor([f.point() for _ in range(4)], "VEC3"),
        "TEXCOORD_0": f.accessor([(0, 0), (255, 0), (0, 255), (9, 9)], "VEC2", "B", normalized=True),
        "JOINTS_0": f.accessor([(0, 1, 0, 0)] * 4, "VEC4", "B"),
        "WEIGHTS_0": f.accessor([(0.5, 0.5, 0, 0)] * 4, "VEC4"),
    }
    zero = f.accessor([(0, 0, 1)] * 4, "VEC3")
    f.json["accessors"][zero]["sparse"] = {
        "count": 1,
        "indices": {
            "bufferView": f.json["accessors"][attributes["JOINTS_0"]]["bufferView"],
            "componentType": 5121,
        },
        "values": {"bufferView": f.json["accessors"][attributes["POSITION"]]["bufferView"]},
    }
    f.json["meshes"] = [
        {
            "primitives": [
                {"attributes": attributes, "material": 0, "mode": 5, "targets": [{"POSITION": zero}]}
            ]
        }
    ]
    f.json["nodes"] = [
        dict(children=[1], **above),
        {"children": [2], "rotation": f.random_rotation()},
        {"translation": [0, 1, 0], "mesh": 0},
        {"mesh": 0, "skin": 0, "name": "m"},
    ]
    f.json["scenes"] = [{"nodes": [0, 3]}]
    identity = [float(i % 5 == 0) for i in range(16)]
    f.json["skins"] = [{"joints": [1, 2], "inverseBindMatrices": f.accessor([identity] * 2, "MAT4")}]
    times = f.accessor([0, 0.5], "SCALAR")
    rows = [f.random_rotation() for _ in range(6 if interpolation == "CUBICSPLINE" else 2)]
    f.json["animations"] = [
        {
            "name": "a",
            "samplers": [
                {"input": times, "output": f.accessor(rows, "VEC4"), "interpolation": interpolation},
                {"input": times, "output": f.accessor([0, 1], "SCALAR")},
            ],
            "channels": [
                {"sampler": 0, "target": {"node": 2, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 3, "path": "weights"}},
            ],
        }
    ]
    return f


def film():
    """Writes a camera below a moving node, which rotates abruptly after half a second; and an orthographic
    camera."""
    f = Maker(8)
    f.json["cameras"] = [
        {"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1}},
        {"type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "znear": 0, "zfar": 1}},
    ]
    f.json["nodes"] = [
        {"name": "dolly", "rotation": f.random_rotation(), "children": [1]},
        {"name": "eye", "translation": f.point(), "rotation": f.random_rotation(), "camera": 0},
        {"name": "plan", "camera": 1},
    ]
    f.json["scenes"] = [{"nodes": [0, 2]}]
    samplers = [
        {
            "input": f.accessor([0, 1], "SCALAR"),
            "output": f.accessor([f.point(9), f.point(9)], "VEC3"),
        },
        {
            "input": f.accessor([0, 0.5], "SCALAR"),
            "output": f.accessor([f.random_rotation(), f.random_rotation()], "VEC4"),
            "interpolation": "STEP",
        },
    ]
    channels = [
        {"sampler": 0, "target": {"node": 0, "path": "translation"}},
        {"sampler": 1, "target": {"node": 1, "path": "rotation"}},
    ]
    f.json["animations"] = [{"name": "Film", "samplers": samplers, "channels": channels}]
    return f


def avatar(seed_number, extension, bones):
    """Writes a small VRM file. `bones` is humanBones: a list in VRM 0, an object in VRM 1 and its
    animations."""
    f = small(seed_number, "LINEAR")
    f.json["extensions"] = {extension: {"humanoid": {"humanBones": bones}}}
    return f


# Bone names and indices of nodes. The last two nodes do not exist: small() has four nodes.
BONES = {"hips": 1, "spine": 2, "head": 4, "neck": -1}
BONE_LIST = [{"bone": bone, "node": node} for bone, node in BONES.items()]
BONE_OBJECT = {bone: {"node": node} for bone, node in BONES.items()}

SMALL = {
    "film": film,
    "vrm_0": lambda: avatar(4, "VRM", BONE_LIST),
    "vrm_1": lambda: avatar(5, "VRMC_vrm", BONE_OBJECT),
    "vrm_clip": lambda: avatar(6, "VRMC_vrm_animation", BONE_OBJECT),
    "linear": lambda: small(1, "LINEAR", scale=[2, 2, 2]),
    "cubic": lambda: small(2, "CUBICSPLINE", matrix=[-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
    "step": lambda: small(3, "STEP", scale=[1, 2, 1]),
}
CASES = {
    "plain": lambda: rig(1, {}),
    "scaled": lambda: rig(2, {"scale": [0.01] * 3, "rotation": [0.5, 0.5, 0.5, 0.5]}),
    "mirrored": lambda: rig(3, {"scale": [1, -1, 1]}),
    "matrix": lambda: rig(4, {"matrix": [0, 0, -3, 0, 0, 3, 0, 0, 3, 0, 0, 0, 1, 2, 3, 1]}),
    "rest": lambda: rig(5, {}, rest_moves=True),
    "joint_scale": lambda: rig(6, {}, joint_scale=1.5),
    "beside": lambda: add_prop(rig(7, {})),
    "beside_still": lambda: add_prop(rig(9, {}), has_still_root=True),
    "beside_moving": lambda: add_prop(rig(10, {}), is_moving=True),
    "film": film,
}


def seed(folder, path):
    """Writes JSON, a NUL byte and the binary chunk."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] == b"glTF":
        size = struct.unpack_from("<I", data, 12)[0]
        data = data[20 : 20 + size].rstrip() + b"\0" + data[28 + size :]
    with open(os.path.join(folder, os.path.basename(path)), "wb") as file:
        file.write(data)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if sys.argv[1] == "--seeds":
        for case in SMALL:
            path = os.path.join(sys.argv[2], case + ".glb")
            SMALL[case]().glb(path)
            seed(sys.argv[2], path)
        for seed_path in filter(os.path.exists, sys.argv[3:]):
            seed(sys.argv[2], seed_path)
    else:
        for case in CASES:
            CASES[case]().glb(os.path.join(sys.argv[1], case + ".glb"))
