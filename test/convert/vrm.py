"""vrm.py avatar IN.glb OUT.vrm VERSION: makes an avatar of VRM 0 or 1 from Bobbin: its joints lose their
names, and the file declares the bones of a human body instead.
vrm.py faces OUT.vrm COUNT: a surface of 8100 vertices with COUNT morph targets, which move its last vertex.
vrm.py same A.md5anim B.md5anim: the frames of two clips are equal; the names of joints may differ."""
import base64
import json
import re
import struct
import sys

BONES = {"hips": "hips", "spine": "spine", "chest": "chest", "neck": "neck", "head": "head"}
for side, letter in (("left", "l"), ("right", "r")):
    for bone, joint in (("Shoulder", "clavicle"), ("UpperArm", "upperarm"), ("LowerArm", "forearm"),
                        ("Hand", "hand"), ("UpperLeg", "thigh"), ("LowerLeg", "shin"), ("Foot", "foot"),
                        ("Toes", "toes")):
        BONES[side + bone] = "%s_%s" % (joint, letter)


def avatar(source, target, version):
    with open(source, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<I", data, 12)[0]
    document, binary_chunks = json.loads(data[20:20 + size]), data[20 + size:]
    numbers = {node.get("name"): i for i, node in enumerate(document["nodes"])}
    bones = {bone: numbers[joint] for bone, joint in BONES.items() if joint in numbers}
    for i, node in enumerate(document["nodes"]):
        node.pop("extras", None)
        node["name"] = "node %d" % i
    if version == "0":
        human = {"VRM": {"humanoid": {"humanBones": [{"bone": b, "node": n} for b, n in bones.items()]}}}
    else:
        human = {"VRMC_vrm": {"specVersion": "1.0",
                              "humanoid": {"humanBones": {b: {"node": n} for b, n in bones.items()}}}}
    document["extensions"] = human
    json_chunk = json.dumps(document).encode()
    json_chunk += b" " * (-len(json_chunk) % 4)
    with open(target, "wb") as file:
        size = 20 + len(json_chunk) + len(binary_chunks)
        file.write(struct.pack("<4sIIII", b"glTF", 2, size, len(json_chunk), 0x4E4F534A))
        file.write(json_chunk + binary_chunks)


def faces(target, count):
    side = 90
    count = int(count)
    positions = [x / side for row in range(side) for column in range(side) for x in (column, row, 0)]
    first = [row * side + column for row in range(side - 1) for column in range(side - 1)]
    indices = [v for i in first for v in (i, i + 1, i + side, i + 1, i + side + 1, i + side)]
    parts = [struct.pack("<%df" % len(positions), *positions),
             struct.pack("<%dI" % len(indices), *indices),
             struct.pack("<I", side * side - 1), struct.pack("<3f", 0, 0, 0.5)]
    views = [{"buffer": 0, "byteOffset": sum(map(len, parts[:i])), "byteLength": len(parts[i])}
             for i in range(4)]
    moved = {"componentType": 5126, "count": side * side, "type": "VEC3",
             "sparse": {"count": 1, "indices": {"bufferView": 2, "componentType": 5125},
                        "values": {"bufferView": 3}}}
    accessors = [{"bufferView": 0, "componentType": 5126, "count": side * side, "type": "VEC3"},
                 {"bufferView": 1, "componentType": 5125, "count": len(indices), "type": "SCALAR"}]
    accessors += [moved] * count
    mesh = {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1,
                            "targets": [{"POSITION": 2 + i} for i in range(count)]}],
            "extras": {"targetNames": ["Fcl_%d" % i for i in range(count)]}}
    data = base64.b64encode(b"".join(parts)).decode()
    text = {"asset": {"version": "2.0"}, "nodes": [{"name": "face", "mesh": 0}], "meshes": [mesh],
            "extensions": {"VRMC_vrm": {"specVersion": "1.0",
                                        "humanoid": {"humanBones": {"head": {"node": 0}}}}},
            "accessors": accessors, "bufferViews": views,
            "buffers": [{"byteLength": sum(map(len, parts)), "uri": "data:;base64," + data}]}
    with open(target, "w") as file:
        json.dump(text, file)


def frames(path):
    with open(path) as file:
        text = file.read()
    blocks = re.findall(r"\nframe \d+ \{(.*?)\}", text, re.S)
    return [float(word) for block in blocks for word in block.split()]


def check_equal(first, second):
    a, b = frames(first), frames(second)
    if len(a) != len(b) or not a or max(abs(x - y) for x, y in zip(a, b)) > 1e-4:
        sys.exit("the clips differ: %d and %d numbers" % (len(a), len(b)))


if __name__ == "__main__":
    {"avatar": avatar, "faces": faces, "same": check_equal}[sys.argv[1]](*sys.argv[2:])
