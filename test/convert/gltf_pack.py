#!/usr/bin/env python3
"""Compresses the views of a .gltf with the simplest codes of EXT_meshopt_compression.

    python3 gltf_pack.py IN.gltf PLAIN.gltf PACKED.gltf FILTERED.gltf

PLAIN is IN with a second primitive, a strip with the same triangle as the first. PACKED is PLAIN
compressed, with a missing fallback. In FILTERED weights are stored as exponents, and rotations as
three of four components.
"""

import base64
import copy
import json
import struct
import sys

EXTENSION = "EXT_meshopt_compression"
STRIDES = {5121: 1, 5123: 2, 5126: 4}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def zigzag(d):
    return 2 * d if d >= 0 else -2 * d - 1


def steps(rows):
    return list(zip(rows[:1] + rows, rows))


def vertices(rows):
    """Returns a block of up to 16 elements: for each byte position a plane of 16 bytes, or only 0."""
    out = b"\xa0"
    for k in range(len(rows[0])):
        plane = bytes(zigzag((b[k] - a[k] + 128) % 256 - 128) % 256 for a, b in steps(rows))
        out += b"\3" + plane.ljust(16, b"\0") if any(plane) else b"\0"
    return out + rows[0].rjust(32, b"\0")


def integers(rows):
    return [int.from_bytes(row, "little") for row in rows]


def triangles(rows):
    """Encodes one triangle, with each index stored explicitly."""
    numbers = integers(rows)
    return b"\xe1\xff\xff" + bytes(zigzag(b - a) for a, b in zip([0] + numbers, numbers)) + b"\0" * 16


def sequence(rows):
    numbers = integers(rows)
    return b"\xd1" + bytes(2 * zigzag(b - a) for a, b in zip([0] + numbers, numbers)) + b"\0" * 4


def exponents(row):
    """Encodes exponents: 1 is 2 * 2^-1."""
    return b"".join(struct.pack("<I", 0xFF000000 | int(2 * x)) for x in struct.unpack("<4f", row))


def smallest_three(row):
    """Returns x y z of a rotation about z by up to 90 degrees: w is the largest, in units of 1 / sqrt(2)."""
    return struct.pack("<4h", 0, 0, round(struct.unpack("<4f", row)[2] * 2**0.5 * 32767), 32767)


def save(path, g, data, *more):
    uri = "data:;base64," + base64.b64encode(data).decode()
    g["buffers"] = [{"byteLength": len(data), "uri": uri}, *more]
    json.dump(g, open(path, "w"))


def packed(g, data, filters, path):
    g, packed_data, fallback_size = copy.deepcopy(g), b"", 0
    for i, accessor in enumerate(g["accessors"]):
        view, mode = g["bufferViews"][accessor["bufferView"]], "ATTRIBUTES"
        stride = STRIDES[accessor["componentType"]] * WIDTHS[accessor["type"]]
        start = view["byteOffset"]
        rows = [data[start + k * stride : start + (k + 1) * stride] for k in range(accessor["count"])]
        if i in filters:
            rows = [filters[i][1](row) for row in rows]
        if filters.get(i, [""])[0] == "QUATERNION":
            accessor.update(componentType=5122, normalized=True)
        if accessor["componentType"] == 5123:
            mode = "TRIANGLES" if accessor.get("name") == "list" else "INDICES"
        encoded = {"ATTRIBUTES": vertices, "TRIANGLES": triangles, "INDICES": sequence}[mode](rows)
        packing = {"buffer": 0, "byteOffset": len(packed_data), "byteLength": len(encoded), "mode": mode}
        packing.update(byteStride=len(rows[0]), count=len(rows))
        if i in filters:
            packing["filter"] = filters[i][0]
        packed_data += encoded
        view.update(buffer=1, byteOffset=fallback_size, byteLength=len(rows) * len(rows[0]))
        view["extensions"] = {EXTENSION: packing}
        fallback_size += (view["byteLength"] + 3) // 4 * 4
    g["extensionsRequired"] = [EXTENSION]
    fallback = {EXTENSION: {"fallback": True}}
    save(path, g, packed_data, {"byteLength": fallback_size, "uri": "none.bin", "extensions": fallback})


def main():
    g = json.load(open(sys.argv[1]))
    data = base64.b64decode(g["buffers"][0]["uri"].split(",")[1])
    first = g["meshes"][0]["primitives"][0]
    g["meshes"][0]["primitives"] = []
    for name, numbers, mode in (("list", (0, 1, 2), 4), ("strip", (2, 0, 1), 5)):
        g["meshes"][0]["primitives"].append(dict(first, indices=len(g["accessors"]), mode=mode))
        accessor = {"bufferView": len(g["bufferViews"]), "componentType": 5123, "count": 3, "type": "SCALAR"}
        g["accessors"].append(dict(accessor, name=name))
        g["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": 6})
        data += struct.pack("<3H", *numbers) + b"\0\0"
    save(sys.argv[2], g, data)
    packed(g, data, {}, sys.argv[3])
    rotations = next(i for i, a in enumerate(g["accessors"]) if a["type"] == "VEC4" and a["count"] == 2)
    packed(g, data, {2: ("EXPONENTIAL", exponents), rotations: ("QUATERNION", smallest_three)}, sys.argv[4])


main()
