"""Creates small meshes and anims that each test features of the formats. Deterministic, original content.

A model is a pair of texts, mesh and anim. Numbers are rounded to the written digits, so that all computations
here use the values in the files.
"""

import random

from maths import rotate, subtract, transposed
from md5ref import bind_matrices
from md5text import Joint, Mesh


def format_number(value):
    return f"{value:.6f}"


def triple(values):
    return "( " + " ".join(map(format_number, values)) + " )"


class RandomNumbers:
    """Random numbers that are the same for a seed in all versions of Python."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def uniform(self, minimum, maximum):
        return round(minimum + (maximum - minimum) * self.random(), 6)

    def point(self, limit):
        return tuple(self.uniform(-limit, limit) for _ in range(3))

    def rotation(self):
        """Returns x y z of a rotation whose w is above 1/2 even after mixing x, y and z with other
        rotations."""
        return self.point(0.5)


def mesh_text(joints, submeshes):
    """Writes a mesh. `submeshes`: (shader, vertices, triangles, weights), rows as in md5text.Submesh."""
    lines = ["MD5Version 10", 'commandline "made by make_data.py"', ""]
    lines += [f"numJoints {len(joints)}", f"numMeshes {len(submeshes)}", "", "joints {"]
    for joint in joints:
        transform = f"{triple(joint.translation)} {triple(joint.rotation)}"
        lines.append(f'\t"{joint.name}"\t{joint.parent} {transform}')
    lines.append("}")
    for shader, vertices, triangles, weights in submeshes:
        lines += ["", "mesh {", f'\tshader "{shader}"', "", f"\tnumverts {len(vertices)}"]
        for i, (u, v, first, count) in enumerate(vertices):
            lines.append(f"\tvert {i} ( {format_number(u)} {format_number(v)} ) {first} {count}")
        lines += ["", f"\tnumtris {len(triangles)}"]
        lines += [f"\ttri {i} {a} {b} {c}" for i, (a, b, c) in enumerate(triangles)]
        lines += ["", f"\tnumweights {len(weights)}"]
        for i, (joint, bias, offset) in enumerate(weights):
            lines.append(f"\tweight {i} {joint} {format_number(bias)} {triple(offset)}")
        lines.append("}")
    return "\n".join(lines) + "\n"


def anim_text(joints, rate, flags, bounds, base, frames, firsts=None):
    """Writes an anim. `flags` per joint; `base` pairs of triples; `frames` rows of numbers of equal
    length."""
    sizes = [bin(flag).count("1") for flag in flags]
    # Common exporters write 0 as the first index of a joint without flags.
    firsts = firsts or [sum(sizes[:i]) if sizes[i] else 0 for i in range(len(sizes))]
    lines = ["MD5Version 10", 'commandline "made by make_data.py"', ""]
    lines += [f"numFrames {len(frames)}", f"numJoints {len(joints)}", f"frameRate {rate}"]
    lines += [f"numAnimatedComponents {len(frames[0])}", "", "hierarchy {"]
    for joint, flag, first in zip(joints, flags, firsts):
        lines.append(f'\t"{joint.name}"\t{joint.parent} {flag} {first}')
    for word, pairs in (("bounds", bounds), ("baseframe", base)):
        lines += ["}", "", word + " {"]
        lines += [f"\t{triple(a)} {triple(b)}" for a, b in pairs]
    lines.append("}")
    for index, frame in enumerate(frames):
        lines += ["", f"frame {index} {{"]
        for first in range(0, len(frame), 6):
            lines.append("\t" + " ".join(map(format_number, frame[first : first + 6])))
        lines.append("}")
    return "\n".join(lines) + "\n"


def boxes(generator, count):
    """Returns arbitrary boxes: no rule relates them to the model, and the sampler only unites and moves
    them."""
    return [
        (tuple(-generator.uniform(2, 6) for _ in range(3)), tuple(generator.uniform(2, 6) for _ in range(3)))
        for _ in range(count)
    ]


def random_joints(generator, parents, limit):
    return [
        Joint(f"joint{i}", parent, generator.point(limit), generator.rotation())
        for i, parent in enumerate(parents)
    ]


def fan(num_vertices):
    return [(0, i + 1, i) for i in range(1, num_vertices - 1)]


def biases(generator, count, total):
    """Returns `count` parts of `total`; the last part compensates rounding to the file's digits."""
    parts = [generator.uniform(0.2, 1.0) for _ in range(count)]
    parts = [round(part * total / sum(parts), 6) for part in parts]
    parts[-1] = round(total - sum(parts[:-1]), 6)
    return parts


def offset_from_joint(point, joint, matrices):
    """Returns the offset that moves a point on `joint` in the bind pose to `point`."""
    rows, translation = matrices[joint]
    offset = rotate(transposed(rows), subtract(point, translation))
    return tuple(round(value, 6) for value in offset)


def flags_model():
    """Returns a model that uses all 64 flag values, 1 to 8 weights per vertex, and a base frame that no frame
    repeats."""
    generator = RandomNumbers(64)
    parents = [-1] + [max(0, i - 1 - i * 7 % 5) for i in range(1, 64)]
    joints = random_joints(generator, parents, 2.0)
    vertices, weights = [], []
    for i in range(16):
        count = i % 8 + 1
        vertices.append((generator.uniform(0, 1), generator.uniform(0, 1), len(weights), count))
        for bias in biases(generator, count, 1.0):
            weights.append((int(generator.random() * 64), bias, generator.point(1.0)))
    mesh = mesh_text(joints, [("flags", vertices, fan(16), weights)])

    # 37 is odd, so each value occurs once. The root has the value 5: it moves only along x and z.
    flags = [(5 + 37 * i) % 64 for i in range(64)]
    base = [(generator.point(1.0), generator.rotation()) for _ in joints]
    frames = []
    for _ in range(5):
        frame = []
        for flag in flags:
            values = generator.point(1.0) + generator.rotation()
            frame += [value for i, value in enumerate(values) if flag & (1 << i)]
        frames.append(frame)
    return mesh, anim_text(joints, 24, flags, boxes(generator, 5), base, frames)


def full_frames(generator, num_joints, num_frames, limit):
    """Returns frames in which all six values of every joint are set."""
    return [
        [value for _ in range(num_joints) for value in generator.point(limit) + generator.rotation()]
        for _ in range(num_frames)
    ]


def weights_model():
    """Returns a model with all variants of weights: any number, any sum, shared, repeated, unused, at
    different positions."""
    generator = RandomNumbers(8)
    joints = random_joints(generator, [-1, 0, 1, 2, 1, 4], 3.0)
    matrices = bind_matrices(Mesh(joints, []))
    weights, ranges = [], []

    def vertex(influences, point=None):
        """Adds a vertex. `influences`: (joint, bias); all weights meet at the point, or are at random
        positions."""
        ranges.append((len(weights), len(influences)))
        for joint, bias in influences:
            offset = offset_from_joint(point, joint, matrices) if point else generator.point(2.0)
            weights.append((joint, bias, offset))

    for count in range(1, 9):
        order = [(count + i) % 6 for i in range(count)]  # weights 7 and 8 use a joint again
        vertex(list(zip(order, biases(generator, count, 1.0))), generator.point(4.0))
    vertex([(1, 0.25), (2, 0.25)])  # sum 1/2
    vertex([(0, 0.75), (3, 0.6), (5, 0.4)])  # sum 7/4
    vertex([(2, 1.5), (4, -0.5)])  # a negative bias
    vertex([(3, 1.0), (1, 0.0)])  # a bias of 0
    vertex([(4, 0.5), (4, 0.5)])  # one joint twice
    vertex([(5, 0.2), (5, 0.3), (5, 0.5)])  # one joint three times
    ranges.append(ranges[4])  # two vertices with the same weights
    ranges.append((ranges[5][0] + 3, 6))  # across two vertices
    weights.append((0, 1.0, generator.point(9.0)))  # unused

    vertices = [(i / 16, i % 2, first, count) for i, (first, count) in enumerate(ranges)]
    triangles = fan(len(vertices) - 1) + [(3, 3, 7), (0, 2, 1)]  # degenerate; double
    mesh = mesh_text(joints, [("weights", vertices, triangles, weights)])
    base = [(generator.point(2.0), generator.rotation()) for _ in joints]
    frames = full_frames(generator, len(joints), 3, 2.0)
    return mesh, anim_text(joints, 24, [63] * 6, boxes(generator, 3), base, frames)


def roots_model():
    """Returns a model with three roots, of which only the first is moved to the origin. The original engine
    rejects this model."""
    generator = RandomNumbers(3)
    joints = random_joints(generator, [-1, 0, -1, 2, 1, -1], 2.0)
    weights = [(i % 6, 1.0, generator.point(1.0)) for i in range(7)]
    vertices = [(i / 7, 0.5, i, 1) for i in range(7)]
    mesh = mesh_text(joints, [("roots", vertices, fan(7), weights)])
    base = [(generator.point(2.0), generator.rotation()) for _ in joints]
    frames = full_frames(generator, 6, 3, 2.0)
    return mesh, anim_text(joints, 15, [63] * 6, boxes(generator, 3), base, frames)


def travel_model():
    """Returns a model whose root starts outside its base frame and ends elsewhere, and whose rotations use
    the shorter arc."""
    generator = RandomNumbers(5)
    joints = random_joints(generator, [-1, 0, 1, 0], 1.0)
    weights = [(i % 4, 1.0, generator.point(2.0)) for i in range(8)]
    vertices = [(i / 8, 0.25, i, 1) for i in range(8)]
    mesh = mesh_text(joints, [("travel", vertices, fan(8), weights)])

    # The root moves along x and y; the 1.5 of its base frame is lost. Joint 2 reads y and z of
    # joint 1 as its own x and z. Joint 3 is always rotated by 180 degrees: its w is exactly 0.
    flags, firsts = [3, 56, 40, 0], [0, 2, 3, 0]
    base = [((4.0, -2.0, 1.5), (0.0, 0.0, 0.0)), ((0.0, 0.0, 1.0), (0.5, 0.5, 0.5))]
    base += [((0.0, 1.0, 0.0), (0.0, 0.1, 0.0)), ((0.0, 0.0, 2.0), (1.0, 0.0, 0.0))]
    # Sines of the half angles -80, -30, 20 ... of a rotation by 100 degrees per frame. They are negated if w
    # would be negative, because files store only quaternions with w >= 0. Between frames 3 and 4 the sign
    # changes, so the shorter arc requires that a quaternion is negated.
    sines = [-0.984808, -0.5, 0.342020, 0.939693, -0.866025, -0.173648, 0.642788]
    frames = [
        [4.5 + 2.0 * i, -2.25 + 0.25 * i * i, 0.6 * sine, 0.0, 0.8 * sine]
        for i, sine in enumerate(sines)
    ]
    return mesh, anim_text(joints, 30, flags, boxes(generator, 7), base, frames, firsts)


def still_model():
    """Returns a model with one frame. The frame differs from the base frame and moves the root."""
    generator = RandomNumbers(1)
    joints = random_joints(generator, [-1, 0], 1.0)
    weights = [(i % 2, 1.0, generator.point(1.0)) for i in range(4)]
    mesh = mesh_text(joints, [("still", [(i / 4, 1.0, i, 1) for i in range(4)], fan(4), weights)])
    base = [(generator.point(2.0), generator.rotation()), (generator.point(2.0), generator.rotation())]
    frames = full_frames(generator, 2, 1, 2.0)
    return mesh, anim_text(joints, 24, [63, 63], boxes(generator, 1), base, frames)


def seam_model():
    """Returns a model of two hinged squares with a mirrored texture, and a third square beyond a texture
    seam.

    The clip has two frames without components, so that only the base frame determines the pose.
    """
    joints = [Joint("left", -1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))]
    joints.append(Joint("right", 0, (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)))
    # Columns at y = 0 1 2 | 2 3. The middle column belongs to both squares, whose u increases and decreases.
    # At y = 2 there are two columns at the same position, because u starts again at 0.
    vertices, weights = [], []
    for y, u, joint in ((0, 0, 0), (1, 1, 0), (2, 0, 1), (2, 0.25, 1), (3, 0.75, 1)):
        for z in (0, 1):
            vertices.append((u, 1 - z, len(weights), 1))
            weights.append((joint, 1.0, (0.0, y - joint, z)))
    triangles = []
    for corner in (0, 2, 6):
        triangles += [(corner, corner + 1, corner + 2), (corner + 1, corner + 3, corner + 2)]
    mesh = mesh_text(joints, [("seam", vertices, triangles, weights)])
    base = [((0.5, 0.0, 0.0), (0.0, 0.0, 0.0)), ((0.0, 1.0, 0.0), (0.0, 0.0, 0.382683))]
    bounds = [((-1.0, 0.0, 0.0), (1.0, 3.0, 1.0)), ((-2.0, 0.0, 0.0), (1.0, 3.0, 2.0))]
    return mesh, anim_text(joints, 10, [0, 0], bounds, base, [[], []])


LAYOUT_MESH = """// A comment before everything
MD5Version 10 commandline "" numJoints 3/* glued */numMeshes 2 joints{"hip (left)"-1(0 0 1)(0 0 0)
"a/b.c" 0( .5 /* x */ 0. // y follows
1e-1)(-.5 0 25e-2) tail 1 ( 1 2 3 ) ( 0.125 -0.25 0.5 )}mesh{name "body" shader models/plain
numverts 3 vert 0 (0 0) 0 1 vert 1(1 0)1 1 vert 2(0 1)2 2 numtris 1 tri 0 0 1 2 numweights 4
weight 0 0 1(1 0 0)weight 1 1 1(0 1 0)weight 2 0 .25(0 0 1)weight 3 1 .75(1 1 1)}

/* between
   meshes { } " */ mesh
{
\t// meshes: tail
\tshader "a name with spaces { and braces } // and slashes"
\tnumverts 4 vert 0 ( 0.1 0.2 ) 0 1 vert 1 ( 0.3 0.4 ) 1 1 vert 2 ( 0.5 0.6 ) 0 2 vert 3 (1 1) 2 1
\tnumtris 2 tri 0 0 1 2 tri 1
0
2

3 numweights 3
\tweight 0 2 1 ( 0 0 0 )//
\tweight 1 2 1 ( 0 0 -1.5e0 )/**/
\tweight 2 1 1 ( 2 0 0 ) }//the end"""

LAYOUT_ANIM = """MD5Version 10 /* commandline "not here" */ commandline "// no comment" numFrames 4
numJoints 3 frameRate 12 numAnimatedComponents 5 hierarchy { "hip (left)" -1 4 0 // Tz
"a/b.c" 0 40 1 // ( Qx Qz )
tail 1 34 3 } bounds { (-1 -1 -1)(1 1 1) ( -2 -1 0 ) ( 1 1 1 )(-1 -1 -1)(3 1 1)
( -1 -1 -1 ) ( 1 1 4 ) } baseframe { (1 2 3)(0 0 .5) (0 1 0)(0 .5 0) (0 0 1)(.25 0 0) }
frame 0{3 0 0 0 0}frame 1{3.5 .1 .2 .3 .4}frame 2 { 4 // a comment
-.1 -.2 // another
-.3 -.4 } frame 3 { 3e0 1e-2 2e-2 3e-2 4e-2 } // meshes: none"""


def layout_model():
    """Returns a model with two meshes on few lines, comments in unusual places, a quoted name and a name
    without quotes."""
    return LAYOUT_MESH, LAYOUT_ANIM


MODELS = {
    "flags": flags_model,
    "weights": weights_model,
    "roots": roots_model,
    "travel": travel_model,
    "still": still_model,
    "seam": seam_model,
    "layout": layout_model,
}
