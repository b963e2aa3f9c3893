"""fbx.py shown OBJ DUMP LIMIT: whether vertices of an OBJ file, y up, are those that `md5tool dump` posed, in
no order.
fbx.py write OUT: an FBX file of a bone with a rotation before and one behind that of its clip, and of a mesh
with geometric factors, and beside it OUT.obj: where the vertices are in frame 1.
fbx.py free OUT: the same without a weight of the last vertex, which stays where its mesh is."""
import math
import sys

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
    Model: 3, "Model::bone", "LimbNode" {
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


def turned_x(p):  # by 90 degrees
    return (p[0], -p[2], p[1])


def turned_y(p):
    return (p[2], p[1], -p[0])


def turned_back_z(p):
    return (p[1], -p[0], p[2])


def moved(p, by):
    return tuple(a + b for a, b in zip(p, by))


def write(path, bound):
    with open(path, "w") as out:
        text = FBX.replace("*4 { a: 1,1,1,1", "*3 { a: 1,1,1").replace("*4 { a: 0,1,2,3", "*3 { a: 0,1,2")
        out.write(FBX if bound == 4 else text)
    with open(path + ".obj", "w") as out:
        for i, point in enumerate(((0, 0, 0), (9, 0, 0), (0, 5, 0), (0, 0, 3))):
            point = moved(turned_y(point), (10, 20, 30))  # geometric
            if i < bound:
                point = moved(turned_x(turned_y(turned_back_z(point))), (1, 2, 3))  # Rpre R Rpost^-1
            print("v", *point, file=out)


def numbers(path, word):
    with open(path, errors="replace") as lines:
        return [tuple(float(n) for n in line.split()[1:4]) for line in lines if line.startswith(word + " ")]


def farthest(points, others):
    return max(min(math.dist(a, b) for b in others) for a in points)


def main(command, path, dump=None, limit=None):
    if command in ("write", "free"):
        return write(path, 4 if command == "write" else 3)
    shown = numbers(path, "v")
    posed = sorted({(y, z, x) for x, y, z in numbers(dump, "v")})  # MD5: forward x, left y, up z
    if not shown or not posed:
        return f"{len(shown)} and {len(posed)} vertices"
    off = max(farthest(shown, posed), farthest(posed, shown))
    print(f"{off:.3g} units off")
    return 0 if off <= float(limit) else 1


sys.exit(main(*sys.argv[1:]))
