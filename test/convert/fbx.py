"""fbx.py shown OBJ DUMP LIMIT: compares the vertices of an OBJ file, y up, with the posed vertices of
`md5tool dump`, in any order.
fbx.py write OUT: writes an FBX file of a bone with rotations before and after its clip's rotation, and of a
mesh with geometric transforms, and OUT.obj with the vertices in frame 1.
fbx.py free OUT: the same without a weight of the last vertex, which follows its mesh.
fbx.py curve OUT [binary]: the same with a curve of weighted tangents, constant and linear keys half a second
apart, and OUT.FRAME.obj of frames between the keys; binary: as a binary file with compressed arrays.
fbx.py binary IN OUT: converts a text file to a binary file."""
import math
import re
import struct
import sys
import zlib

FBX = """; FBX 7.4.0 project file
FBXHeaderExtension: {
    FBXHeaderVersion: 1003
    FBXVersion: 7400
}
GlobalSettings: {
    Properties70: {
        P: "TimeMode", "enum", "", "",11
        P: "UnitScaleFactor", "double", "Number", "",1
    }
}
Objects: {
    Geometry: 1, "Geometry::g", "Mesh" {
        Vertices: *12 { a: 0,0,0,9,0,0,0,5,0,0,0,3 }
        PolygonVertexIndex: *12 { a: 0,1,-3,0,3,-2,0,2,-4,1,3,-3 }
        LayerElementMaterial: 0 {
            MappingInformationType: "AllSame"
            ReferenceInformationType: "IndexToDirect"
            Materials: *1 { a: 0 }
        }
        Layer: 0 {
            LayerElement: {
                Type: "LayerElementMaterial"
                TypedIndex: 0
            }
        }
    }
    Model: 2, "Model::mesh", "Mesh" {
        Properties70: {
            P: "GeometricTranslation", "Vector3D", "Vector", "",10,20,30
            P: "GeometricRotation", "Vector3D", "Vector", "",0,90,0
        }
    }
    Model: 3, "Model::left::bone", "LimbNode" {
        Properties70: {
            P: "PreRotation", "Vector3D", "Vector", "",90,0,0
            P: "PostRotation", "Vector3D", "Vector", "",0,0,90
            P: "Lcl Translation", "Lcl Translation", "", "A",1,2,3
        }
    }
    Deformer: 4, "Deformer::s", "Skin" { Version: 101 }
    Deformer: 5, "SubDeformer::c", "Cluster" {
        Indexes: *4 { a: 0,1,2,3 }
        Weights: *4 { a: 1,1,1,1 }
        Transform: *16 { a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1 }
        TransformLink: *16 { a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1 }
    }
    AnimationStack: 6, "AnimStack::turn", "" { }
    AnimationLayer: 7, "AnimLayer::l", "" { }
    AnimationCurveNode: 8, "AnimCurveNode::R", "" { }
    AnimationCurve: 9, "AnimCurve::", "" {
        KeyTime: *2 { a: 0,1924423250 }
        KeyValueFloat: *2 { a: 0,90 }
        KeyAttrFlags: *1 { a: 4 }
        KeyAttrDataFloat: *4 { a: 0,0,0,0 }
        KeyAttrRefCount: *1 { a: 2 }
    }
}
Connections: {
    C: "OO",2,0
    C: "OO",3,0
    C: "OO",1,2
    C: "OO",4,1
    C: "OO",5,4
    C: "OO",3,5
    C: "OO",7,6
    C: "OO",8,7
    C: "OP",8,3, "Lcl Rotation"
    C: "OP",9,8, "d|Y"
}
"""


def rotate_x(p):  # by 90 degrees
    return (p[0], -p[2], p[1])


def rotate_y(p):
    return (p[2], p[1], -p[0])


def rotate_z_inverse(p):
    return (p[1], -p[0], p[2])


def translated(p, by):
    return tuple(a + b for a, b in zip(p, by))


def write(path, num_bound_vertices):
    with open(path, "w") as out:
        text = FBX.replace("*4 { a: 1,1,1,1", "*3 { a: 1,1,1").replace("*4 { a: 0,1,2,3", "*3 { a: 0,1,2")
        out.write(FBX if num_bound_vertices == 4 else text)
    with open(path + ".obj", "w") as out:
        for i, point in enumerate(((0, 0, 0), (9, 0, 0), (0, 5, 0), (0, 0, 3))):
            point = translated(rotate_y(point), (10, 20, 30))  # geometric
            if i < num_bound_vertices:
                point = translated(rotate_x(rotate_y(rotate_z_inverse(point))), (1, 2, 3))  # Rpre R Rpost^-1
            print("v", *point, file=out)


# Time in seconds, value, flags, right slope, left slope of the next key, right weight, left weight of the
# next key.
# Flags: constant 2, linear 4, cubic 8 with user tangents 0x400, weights 0x1000000 and 0x2000000.
KEYS = [(0, 0, 0x3000408, 300, 20, 0.5, 0.2), (0.5, 90, 0x408, -100, 50, 1 / 3, 1 / 3),
        (1, 40, 2, 0, 0, 1 / 3, 1 / 3), (1.5, 10, 4, 0, 0, 1 / 3, 1 / 3), (2, 90, 4, 0, 0, 1 / 3, 1 / 3)]


def curve_value(time):
    for a, b in zip(KEYS, KEYS[1:]):
        if a[0] <= time < b[0]:
            length = b[0] - a[0]
            x = (time - a[0]) / length
            if a[2] & 2:
                return a[1]
            if a[2] & 4:
                return a[1] + (b[1] - a[1]) * x
            right = (a[5], a[1] + a[3] * a[5] * length)
            left = (1 - a[6], b[1] - a[4] * a[6] * length)
            points = [(0, a[1]), right, left, (1, b[1])]

            def at(t, axis):  # de Casteljau
                row = [p[axis] for p in points]
                while len(row) > 1:
                    row = [p + (q - p) * t for p, q in zip(row, row[1:])]
                return row[0]
            low, high = 0.0, 1.0
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (middle, high) if at(middle, 0) < x else (low, middle)
            return at(low, 1)
    return KEYS[-1][1]


def curve_text():
    def bits(number):
        return struct.unpack("<i", struct.pack("<f", number))[0]

    data = []
    for key in KEYS:
        weights = round(key[5] * 10000) | round(key[6] * 10000) << 16
        data += [bits(key[3]), bits(key[4]), weights, 0]
    lists = {"KeyTime": [round(key[0] * 46186158000) for key in KEYS],
             "KeyValueFloat": [key[1] for key in KEYS],
             "KeyAttrFlags": [key[2] for key in KEYS],
             "KeyAttrDataFloat": data,
             "KeyAttrRefCount": [1] * len(KEYS)}
    text = FBX
    for name, values in lists.items():
        row = f"{name}: *{len(values)} {{ a: {','.join(map(str, values))} }}"
        text = re.sub(name + r": \*\d+ { a: [^}]*}", row, text)
    return text


def binary(text):
    """Returns the binary form of a text file. Arrays are compressed, and ids are numbers of 64 bits."""
    tokens = re.findall(r'"[^"]*"|[{}:,]|[^\s{}:,"]+|\n', re.sub(r"^;.*", "", text, flags=re.M))
    types = {"KeyTime": "l", "KeyAttrFlags": "i", "KeyAttrRefCount": "i", "KeyAttrDataFloat": "f",
             "KeyValueFloat": "f", "PolygonVertexIndex": "i", "Materials": "i", "Indexes": "i"}
    at = 0

    def value(token, name, is_enum):
        if token[0] == '"':
            parts = token[1:-1].split("::", 1)
            data = "\0\1".join(reversed(parts)).encode()
            return b"S" + struct.pack("<I", len(data)) + data
        if "." in token or (name == "P" and not is_enum):
            return b"D" + struct.pack("<d", float(token))
        number = int(token)
        return b"L" + struct.pack("<q", number) if name in IDS else b"I" + struct.pack("<i", number)

    def array(name, numbers):
        kind = types.get(name, "d")
        if name == "KeyAttrDataFloat":
            data = b"".join(struct.pack("<i", int(n)) for n in numbers)
        else:
            form = "<" + kind.replace("l", "q")
            data = b"".join(struct.pack(form, float(n) if kind in "df" else int(n)) for n in numbers)
        packed = zlib.compress(data)
        return kind.encode() + struct.pack("<III", len(numbers), 1, len(packed)) + packed

    def nodes(offset):
        nonlocal at
        out = b""
        while at < len(tokens) and tokens[at] != "}":
            if tokens[at] in "\n,":
                at += 1
                continue
            name, values, children, count = tokens[at], b"", b"", 0
            at += 2  # the name and the colon
            head = 13 + len(name)
            if tokens[at].startswith("*"):
                end = tokens.index("}", at)
                values, count = array(name, [t for t in tokens[at + 4:end] if t not in ",\n"]), 1
                at = end + 1
            else:
                while tokens[at] not in ("{", "\n", "}"):
                    if tokens[at] != ",":
                        values += value(tokens[at], name, b"enum" in values)
                        count += 1
                    at += 1
                if tokens[at] == "{":
                    at += 1
                    children = nodes(offset + len(out) + head + len(values)) + bytes(13)
                    at += 1
            end = offset + len(out) + head + len(values) + len(children)
            out += struct.pack("<IIIB", end, count, len(values), len(name)) + name.encode()
            out += values + children
        return out

    header = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 7400)
    return header + nodes(len(header)) + bytes(13)


IDS = ("C", "Geometry", "Model", "Deformer", "AnimationStack", "AnimationLayer", "AnimationCurveNode",
       "AnimationCurve")


def write_curve(path, is_binary):
    with open(path, "wb") as out:
        out.write(binary(curve_text()) if is_binary else curve_text().encode())
    for frame in (4, 9, 15, 20, 30, 42):  # at 24 frames per second
        angle = math.radians(curve_value(frame / 24))
        with open(f"{path}.{frame}.obj", "w") as out:
            for point in ((0, 0, 0), (9, 0, 0), (0, 5, 0), (0, 0, 3)):
                x, y, z = rotate_z_inverse(translated(rotate_y(point), (10, 20, 30)))
                x, z = x * math.cos(angle) + z * math.sin(angle), z * math.cos(angle) - x * math.sin(angle)
                print("v", *translated(rotate_x((x, y, z)), (1, 2, 3)), file=out)


def write_binary(path, out_path):
    with open(path) as text, open(out_path, "wb") as out:
        out.write(binary(text.read()))


def numbers(path, word):
    with open(path, errors="replace") as lines:
        return [tuple(float(n) for n in line.split()[1:4]) for line in lines if line.startswith(word + " ")]


def farthest(points, others):
    return max(min(math.dist(a, b) for b in others) for a in points)


def main(command, path, dump=None, limit=None):
    if command == "binary":
        return write_binary(path, dump)
    if command == "curve":
        return write_curve(path, dump == "binary")
    if command in ("write", "free"):
        return write(path, 4 if command == "write" else 3)
    expected = numbers(path, "v")
    posed = sorted({(y, z, x) for x, y, z in numbers(dump, "v")})  # MD5: forward x, left y, up z
    if not expected or not posed:
        return f"{len(expected)} and {len(posed)} vertices"
    distance = max(farthest(expected, posed), farthest(posed, expected))
    print(f"{distance:.3g} units off")
    return 0 if distance <= float(limit) else 1


sys.exit(main(*sys.argv[1:]))
