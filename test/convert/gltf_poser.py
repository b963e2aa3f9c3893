"""Reads glTF 2.0 and poses it with independent arithmetic, as a reference for conversions.

Direct implementation of the standard: vertex = sum w * (world of joint) * (inverse bind) * vertex.
"""

import base64
import json
import math
import os
import struct

SIZES = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
TOPS = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def product(a, b):
    """Returns the product of 4x4 matrices, given as lists of rows."""
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def apply(m, p):
    return [m[i][0] * p[0] + m[i][1] * p[1] + m[i][2] * p[2] + m[i][3] for i in range(3)]


def columns(m):
    return [[m[4 * j + i] for j in range(4)] for i in range(4)]


def unit(q):
    length = math.sqrt(sum(x * x for x in q))
    return [x / length for x in q]


def from_trs(t, r, s):
    x, y, z, w = unit(r)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return [[rows[i][k] * s[k] for k in range(3)] + [t[i]] for i in range(3)] + [[0, 0, 0, 1]]


def slerp(a, b, s):
    dot = sum(x * y for x, y in zip(a, b))
    if dot < 0:
        b, dot = [-x for x in b], -dot
    if dot > 1 - 1e-12:
        return unit([x + s * (y - x) for x, y in zip(a, b)])
    angle = math.acos(dot)
    p, q = math.sin((1 - s) * angle) / math.sin(angle), math.sin(s * angle) / math.sin(angle)
    return [p * x + q * y for x, y in zip(a, b)]


class Gltf:
    def __init__(self, path):
        data = open(path, "rb").read()
        chunk = b""
        if data[:4] == b"glTF":
            size = struct.unpack_from("<I", data, 12)[0]
            text, chunk = data[20 : 20 + size], data[28 + size :]
        else:
            text = data
        self.json = json.loads(text)
        self.buffers = []
        for buffer in self.json.get("buffers", []):
            uri = buffer.get("uri")
            if uri is None:
                self.buffers.append(chunk)
            elif uri.startswith("data:"):
                self.buffers.append(base64.b64decode(uri.split(",", 1)[1]))
            else:
                self.buffers.append(open(os.path.join(os.path.dirname(path), uri), "rb").read())
        self.parents = {}
        for i, node in enumerate(self.json["nodes"]):
            for child in node.get("children", []):
                self.parents[child] = i

    def read_rows(self, view, offset, count, kind, width, stride=None):
        view = self.json["bufferViews"][view]
        form = "<%d%s" % (width, SIZES[kind])
        stride = view.get("byteStride") or struct.calcsize(form)
        start = view.get("byteOffset", 0) + offset
        return [
            list(struct.unpack_from(form, self.buffers[view["buffer"]], start + i * stride))
            for i in range(count)
        ]

    def accessor(self, index):
        a = self.json["accessors"][index]
        kind, width = a["componentType"], WIDTHS[a["type"]]
        if "bufferView" in a:
            rows = self.read_rows(a["bufferView"], a.get("byteOffset", 0), a["count"], kind, width)
        else:
            rows = [[0] * width for _ in range(a["count"])]
        if "sparse" in a:
            s = a["sparse"]
            indices = self.read_rows(
                s["indices"]["bufferView"],
                s["indices"].get("byteOffset", 0),
                s["count"],
                s["indices"]["componentType"],
                1,
            )
            replacements = self.read_rows(
                s["values"]["bufferView"], s["values"].get("byteOffset", 0), s["count"], kind, width
            )
            for (i,), row in zip(indices, replacements):
                rows[i] = row
        if a.get("normalized"):
            rows = [[max(x / TOPS[kind], -1) for x in row] for row in rows]
        return rows

    def channel(self, sampler, time, rotation=False, width=None):
        times = [row[0] for row in self.accessor(sampler["input"])]
        values = self.accessor(sampler["output"])
        if width:  # the values are scalars
            flat = [row[0] for row in values]
            values = [flat[i : i + width] for i in range(0, len(flat), width)]
        kind = sampler.get("interpolation", "LINEAR")
        cubic = kind == "CUBICSPLINE"

        def value(k):
            return values[3 * k + 1] if cubic else values[k]
        k = max([i for i, t in enumerate(times) if t <= time + 1e-6] or [0])
        if time <= times[0] or k + 1 == len(times) or kind == "STEP":
            out = value(k)
        else:
            duration = times[k + 1] - times[k]
            s = (time - times[k]) / duration
            if cubic:
                h = [
                    2 * s**3 - 3 * s**2 + 1,
                    (s**3 - 2 * s**2 + s) * duration,
                    3 * s**2 - 2 * s**3,
                    (s**3 - s**2) * duration,
                ]
                controls = [value(k), values[3 * k + 2], value(k + 1), values[3 * k + 3]]
                out = [sum(h[n] * controls[n][i] for n in range(4)) for i in range(len(controls[0]))]
            elif rotation:
                out = slerp(unit(value(k)), unit(value(k + 1)), s)
            else:
                out = [p + s * (q - p) for p, q in zip(value(k), value(k + 1))]
        return unit(out) if rotation else out

    def worlds(self, animation, time):
        """Returns the matrices of all nodes; animation None: in the rest pose."""
        changed = {}
        for channel in animation["channels"] if animation else []:
            path = channel["target"]["path"]
            if path != "weights":
                sampler = animation["samplers"][channel["sampler"]]
                changed[channel["target"]["node"], path] = self.channel(sampler, time, path == "rotation")
        matrices = {}

        def world(i):
            if i not in matrices:
                node = self.json["nodes"][i]
                if "matrix" in node:
                    local = columns(node["matrix"])
                else:

                    def get(path, default):
                        return changed.get((i, path), node.get(path, default))
                    local = from_trs(
                        get("translation", [0, 0, 0]),
                        get("rotation", [0, 0, 0, 1]),
                        get("scale", [1, 1, 1]),
                    )
                matrices[i] = product(world(self.parents[i]), local) if i in self.parents else local
            return matrices[i]

        return [world(i) for i in range(len(self.json["nodes"]))]

    def animation(self, name):
        return next((a for a in self.json.get("animations", []) if a.get("name") == name), None)

    def vertices(self, name, time, morph=None):
        """Returns {(node, primitive): world positions}; `morph`: index of a target that has weight 1."""
        worlds = self.worlds(self.animation(name), time)
        result = {}
        for n, node in enumerate(self.json["nodes"]):
            if "mesh" not in node:
                continue
            for p, primitive in enumerate(self.json["meshes"][node["mesh"]]["primitives"]):
                attributes = primitive["attributes"]
                points = self.accessor(attributes["POSITION"])
                if morph is not None and morph < len(primitive.get("targets", [])):
                    moves = self.accessor(primitive["targets"][morph]["POSITION"])
                    points = [[x + d for x, d in zip(a, b)] for a, b in zip(points, moves)]
                if "skin" not in node:
                    result[n, p] = [apply(worlds[n], v) for v in points]
                    continue
                skin = self.json["skins"][node["skin"]]
                binds = [columns(m) for m in self.accessor(skin["inverseBindMatrices"])]
                palette = [product(worlds[j], b) for j, b in zip(skin["joints"], binds)]
                sets = [k[7:] for k in attributes if k.startswith("JOINTS_")]
                joints = [self.accessor(attributes["JOINTS_" + k]) for k in sets]
                weights = [self.accessor(attributes["WEIGHTS_" + k]) for k in sets]
                out = []
                for v, point in enumerate(points):
                    pairs = [(j, w) for a, b in zip(joints, weights) for j, w in zip(a[v], b[v]) if w > 0]
                    total = sum(w for _, w in pairs)
                    posed = [(w / total, apply(palette[j], point)) for j, w in pairs]
                    out.append([sum(w * q[i] for w, q in posed) for i in range(3)])
                result[n, p] = out
        return result

    def distinct_vertices(self, node, number):
        """Returns the used vertices of a primitive, without vertices that MD5 cannot distinguish."""
        primitive = self.json["meshes"][self.json["nodes"][node]["mesh"]]["primitives"][number]
        rows = [
            self.accessor(index)
            for name, index in sorted(primitive["attributes"].items())
            if name == "POSITION" or name[:3] in ("TEX", "JOI", "WEI")
        ]
        rows += [self.accessor(t["POSITION"]) for t in primitive.get("targets", []) if "POSITION" in t]
        used = (
            {i for (i,) in self.accessor(primitive["indices"])}
            if "indices" in primitive
            else range(len(rows[0]))
        )
        first = {}
        for v in sorted(used):
            first.setdefault(tuple(tuple(x + 0.0 for x in row[v]) for row in rows), v)
        return sorted(first.values())
