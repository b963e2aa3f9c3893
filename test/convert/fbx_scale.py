"""fbx_scale.py OUT TYPES SCALES: writes an FBX file with a chain of three joints and a clip that rotates two
of them. Writes OUT.FRAME.obj with the vertices of some frames, computed with the formulas that Autodesk
publishes for FbxTransform::EInheritType.

TYPES are the values of InheritType of the joints, such as 122: 0 RrSs, 1 RSrs, 2 Rrs. SCALES are nine
numbers: x, y and z of each joint, with commas."""
import math
import sys

TICKS = 46186158000  # per second
FRAMES = (0, 6, 12, 24)  # at 24 frames per second
OFFSETS = ((1, 2, 0), (3, 0, 1), (0, 4, 1))  # offset of each joint from its parent
STARTS = ((0, 0, 0), (20, 0, 0), (0, 0, 30))  # angles around x, y and z in frame 0, degrees
ENDS = ((0, 0, 0), (20, 70, 0), (0, 50, 30))  # in frame 24
POINTS = ((0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4))  # a tetrahedron in the space of each joint
FACES = ((0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2))

HEAD = """; FBX 7.4.0 project file
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
"""


def product(*matrices):
    result = diagonal((1, 1, 1))
    for m in matrices:
        result = [[sum(row[k] * m[k][j] for k in range(3)) for j in range(3)] for row in result]
    return result


def applied(matrix, v):
    return [sum(row[k] * v[k] for k in range(3)) for row in matrix]


def diagonal(v):
    return [[v[i] if i == j else 0 for j in range(3)] for i in range(3)]


def inverse(m):
    """Returns the inverse of a matrix. Its rows are the cross products of the columns, divided by the
    determinant."""
    a, b, c = ([row[j] for row in m] for j in range(3))
    rows = [cross(b, c), cross(c, a), cross(a, b)]
    determinant = sum(x * y for x, y in zip(a, rows[0]))
    return [[x / determinant for x in row] for row in rows]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotation(degrees):
    """Returns a rotation around x, then y, then z."""
    x, y, z = (math.radians(angle) for angle in degrees)
    around_x = [[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]]
    around_y = [[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]]
    around_z = [[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]]
    return product(around_z, around_y, around_x)


def pose(types, scales, frame):
    """Returns the matrix and the position of each joint in the world."""
    joints = []
    position = [0, 0, 0]
    matrix = diagonal((1, 1, 1))
    rotations = scale = matrix  # product of the rotations, scale of the parent
    for i, kind in enumerate(types):
        angles = [a + (b - a) * frame / 24 for a, b in zip(STARTS[i], ENDS[i])]
        r, s = rotation(angles), diagonal(scales[i])
        position = [a + b for a, b in zip(position, applied(matrix, OFFSETS[i]))]
        world_scale = product(inverse(rotations), matrix)  # the parent's scale, with shear
        if kind == "0":
            matrix = product(rotations, r, world_scale, s)
        elif kind == "1":
            matrix = product(rotations, world_scale, r, s)
        else:
            matrix = product(rotations, r, world_scale, inverse(scale), s)
        rotations, scale = product(rotations, r), s
        joints.append((matrix, position))
    return joints


def vertices(joints):
    return [[a + b for a, b in zip(position, applied(matrix, point))]
            for matrix, position in joints for point in POINTS]


def array(name, values):
    values = list(values)
    return f"{name}: *{len(values)} {{ a: {','.join(map(str, values))} }}\n"


def transform(name, matrix, position):
    """Returns the line of a transform with its 16 numbers, by columns."""
    columns = [x for j in range(3) for x in (matrix[0][j], matrix[1][j], matrix[2][j], 0)]
    return array(name, columns + [*position, 1])


def joint(i, inherit_type, scale):
    lines = f'P: "InheritType", "enum", "", "",{inherit_type}\n'
    for name, values in (("Translation", OFFSETS[i]), ("Rotation", STARTS[i]), ("Scaling", scale)):
        lines += f'P: "Lcl {name}", "Lcl {name}", "", "A",{",".join(map(str, values))}\n'
    return f'Model: {10 + i}, "Model::joint{i}", "LimbNode" {{ Properties70: {{\n{lines}}} }}\n'


def cluster(i, matrix, position):
    """Returns the weights of the vertices of a joint, which is bound in frame 0."""
    inverse_matrix = inverse(matrix)
    count = len(POINTS)
    return (f'Deformer: {20 + i}, "SubDeformer::c", "Cluster" {{\n'
            + array("Indexes", range(i * count, (i + 1) * count)) + array("Weights", [1] * count)
            + transform("Transform", inverse_matrix, [-x for x in applied(inverse_matrix, position)])
            + transform("TransformLink", matrix, position) + "}\n")


def curves(i):
    text = f'AnimationCurveNode: {30 + i}, "AnimCurveNode::R", "" {{ }}\n'
    for axis in range(3):
        text += f'AnimationCurve: {40 + 3 * i + axis}, "AnimCurve::", "" {{\n'
        text += array("KeyTime", (0, TICKS)) + array("KeyValueFloat", (STARTS[i][axis], ENDS[i][axis]))
        text += array("KeyAttrFlags", [4]) + array("KeyAttrDataFloat", [0] * 4)
        text += array("KeyAttrRefCount", [2]) + "}\n"
    return text


def mesh(points):
    corners = []
    for first in range(0, len(points), len(POINTS)):
        for a, b, c in FACES:
            corners += [first + a, first + b, -(first + c) - 1]  # the last corner of a face is inverted
    return ('Geometry: 1, "Geometry::g", "Mesh" {\n'
            + array("Vertices", (x for point in points for x in point))
            + array("PolygonVertexIndex", corners) + '}\nModel: 2, "Model::mesh", "Mesh" { }\n')


def write(path, types, scales):
    bind_pose = pose(types, scales, 0)
    objects = mesh(vertices(bind_pose))
    objects += 'Deformer: 3, "Deformer::s", "Skin" { Version: 101 }\n'
    objects += 'AnimationStack: 4, "AnimStack::turn", "" { }\nAnimationLayer: 5, "AnimLayer::l", "" { }\n'
    links = ['"OO",2,0', '"OO",1,2', '"OO",3,1', '"OO",5,4']
    for i, (matrix, position) in enumerate(bind_pose):
        objects += joint(i, types[i], scales[i]) + cluster(i, matrix, position) + curves(i)
        links += [f'"OO",{10 + i},{9 + i if i > 0 else 0}', f'"OO",{20 + i},3', f'"OO",{10 + i},{20 + i}']
        links += [f'"OO",{30 + i},5', f'"OP",{30 + i},{10 + i}, "Lcl Rotation"']
        links += [f'"OP",{40 + 3 * i + axis},{30 + i}, "d|{name}"' for axis, name in enumerate("XYZ")]
    with open(path, "w") as out:
        print(HEAD + "Objects: {\n" + objects + "}\nConnections: {", file=out)
        for link in links:
            print("    C:", link, file=out)
        print("}", file=out)
    for frame in FRAMES:
        with open(f"{path}.{frame}.obj", "w") as out:
            for point in vertices(pose(types, scales, frame)):
                print("v", *point, file=out)


numbers = [float(number) for number in sys.argv[3].split(",")]
write(sys.argv[1], sys.argv[2], [numbers[0:3], numbers[3:6], numbers[6:9]])
