"""Models that show a feature of meshes."""

import math

from zoo_parts.cage import (Raw, STILL, ZERO, anim_text, bounding_box, brick, local, mesh_text, q,
                            together)

ROOT = [("root", -1, ZERO, STILL)]


def _quad(corners, uvs=((0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0))):
    """Corners counter-clockwise seen from the front; all on joint 0 in the origin."""
    return Raw([(u, v, n, 1) for n, (u, v) in enumerate(uvs)], [(0, 2, 1), (0, 3, 2)],
               [(0, 1.0, corner) for corner in corners])


def _plate(y, z=0.0):
    return _quad(((0.0, y, z), (0.0, y + 8.0, z), (0.0, y + 8.0, z + 8.0), (0.0, y, z + 8.0)))


def _triangle():
    mesh = Raw([(0.0, 1.0, 0, 1), (1.0, 1.0, 1, 1), (0.5, 0.0, 2, 1)], [(0, 2, 1)],
               [(0, 1.0, (0.0, 0.0, 0.0)), (0, 1.0, (0.0, 8.0, 0.0)), (0, 1.0, (0.0, 4.0, 8.0))])
    return [(".md5mesh", mesh_text(ROOT, [mesh]))]


def _bend(joints, angle):
    """Returns a frame in which every joint except the first is rotated by an angle about y."""
    return [(position, q(0.0, math.sin(math.radians(angle) / 2.0), 0.0) if n else rotation)
            for n, (position, rotation) in enumerate(local(joints))]


def _weights(count=14):
    """Returns a ladder. Each of the two vertices of row n has n + 1 weights: one of its own joint and one of
    each joint below it."""
    joints = [("rung_%d" % n, n - 1, (0.0, 0.0, 3.0 * n), STILL) for n in range(count)]
    verts, weights, tris = [], [], []
    for n in range(count):
        ratios = [0.5 ** (n - k) for k in range(n + 1)]
        for side in (-3.0, 3.0):
            verts.append((0.5 + side / 6.0, 1.0 - n / (count - 1.0), len(weights), n + 1))
            parts = [round(1e6 * s / sum(ratios)) for s in ratios]
            parts[-1] += 1000000 - sum(parts)
            weights += [(k, part / 1e6, (0.0, side, 3.0 * (n - k)))
                        for k, part in enumerate(parts)]
        if n:
            a, b, c, d = 2 * n - 2, 2 * n - 1, 2 * n, 2 * n + 1
            tris += [(a, c, b), (b, c, d)]
    mesh = Raw(verts, tris, weights)
    frames = [_bend(joints, 9.0 * math.sin(2.0 * math.pi * n / 24)) for n in range(25)]
    return [(".md5mesh", mesh_text(joints, [mesh])),
            (".md5anim", anim_text(joints, [mesh], 24, frames))]


def _roots():
    joints = [("left", -1, (0.0, 8.0, 0.0), STILL), ("left_tip", 0, (0.0, 8.0, 8.0), STILL),
              ("middle", -1, (0.0, 0.0, 0.0), STILL), ("right", -1, (0.0, -8.0, 0.0), STILL)]
    parts = [brick((-2, 6, 0), (2, 10, 6), 0, joints[0][2]),
             brick((-2, 6, 7), (2, 10, 10), 1, joints[1][2]),
             brick((-2, -2, 0), (2, 2, 6), 2, joints[2][2]),
             brick((-2, -10, 0), (2, -6, 6), 3, joints[3][2])]
    mesh = together(parts)
    return [(".md5mesh", mesh_text(joints, [mesh]))]


def _sums():
    """Returns a model of three plates whose biases sum to 0.5, 1 and 1.5. They are drawn half as large, as
    modeled, and 1.5 times as large, relative to the origin of the model."""
    parts = []
    for n, total in enumerate((0.5, 1.0, 1.5)):
        plate = _plate(10.0 * n)
        plate.weights = [(joint, total, offset) for joint, _, offset in plate.weights]
        parts.append(plate)
    return [(".md5mesh", mesh_text(ROOT, [together(parts)]))]


def _shared():
    """Returns a model whose vertices share weights. Two plates share the weights of an edge. One vertex has
    two weights, and each of them also belongs to a neighbor."""
    weights = [(0, 1.0, (0.0, 0.0, 0.0)), (0, 1.0, (0.0, 8.0, 0.0)), (0, 1.0, (0.0, 8.0, 8.0)),
               (0, 1.0, (0.0, 0.0, 8.0)), (0, 0.5, (0.0, 16.0, 0.0)), (0, 0.5, (0.0, 16.0, 8.0))]
    verts = [(0.0, 1.0, 0, 1), (1.0, 1.0, 1, 1), (1.0, 0.0, 2, 1), (0.0, 0.0, 3, 1),
             (0.0, 1.0, 1, 1), (1.0, 0.5, 4, 2), (0.0, 0.0, 2, 1)]
    return [(".md5mesh", mesh_text(ROOT, [Raw(verts, [(0, 2, 1), (0, 3, 2), (4, 6, 5)], weights)]))]


def _mirror_seam():
    """Returns a model of two plates that share the two vertices of an edge. On both plates, u increases with
    the distance from this edge, so the area in texture space is negative on one plate."""
    corners = ((0.0, -8.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 8.0), (0.0, -8.0, 8.0),
               (0.0, 8.0, 0.0), (0.0, 8.0, 8.0))
    uvs = ((1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 0.0))
    mesh = Raw([(u, v, n, 1) for n, (u, v) in enumerate(uvs)],
               [(0, 2, 1), (0, 3, 2), (1, 5, 4), (1, 2, 5)],
               [(0, 1.0, corner) for corner in corners])
    return [(".md5mesh", mesh_text(ROOT, [mesh]))]


def _split_seam():
    """Returns a smooth tube of eight sides. The first and the last column of vertices are at the same
    positions, and their normals are equal."""
    verts, weights, tris = [], [], []
    for column in range(9):
        angle = 2.0 * math.pi * (column % 8) / 8
        for z in (0.0, 10.0):
            verts.append((column / 8.0, 1.0 - z / 10.0, len(weights), 1))
            weights.append((0, 1.0, (5.0 * math.cos(angle), 5.0 * math.sin(angle), z)))
    for column in range(8):
        a, b, c, d = 2 * column, 2 * column + 1, 2 * column + 2, 2 * column + 3
        tris += [(a, d, c), (a, b, d)]
    return [(".md5mesh", mesh_text(ROOT, [Raw(verts, tris, weights)]))]


def _degenerate():
    """Returns a model of a plate with degenerate triangles: with zero area (one vertex twice, and three
    vertices in a line), a duplicate, and one with zero area in the texture."""
    plate = _plate(0.0)
    verts = plate.verts + [(0.5, 0.5, 4, 1), (0.5, 0.5, 5, 1), (0.5, 0.5, 6, 1), (0.0, 0.0, 7, 1)]
    weights = plate.weights + [(0, 1.0, (0.0, 12.0, 0.0)), (0, 1.0, (0.0, 16.0, 0.0)),
                               (0, 1.0, (0.0, 14.0, 8.0)), (0, 1.0, (0.0, 4.0, 4.0))]
    tris = plate.tris + [(0, 0, 1), (0, 7, 2), plate.tris[0], (4, 6, 5)]
    return [(".md5mesh", mesh_text(ROOT, [Raw(verts, tris, weights)]))]


def _empty_mesh():
    return [(".md5mesh", mesh_text(ROOT, [Raw([], [], []), _plate(0.0), Raw([], [], [])]))]


def _no_mesh():
    joints = ROOT + [("tip", 0, (0.0, 0.0, 8.0), STILL)]
    return [(".md5mesh", mesh_text(joints, []))]


def _two_meshes():
    return [(".md5mesh", mesh_text(ROOT, [_plate(0.0), together([_plate(10.0)], "models/zoo/no")]))]


def _same_joint_twice():
    """Returns a model whose corners have two weights on one joint, with different offsets. This is legal, and
    the position is their mean."""
    plate, weights, verts = _plate(0.0), [], []
    for u, v, first, _ in plate.verts:
        _, _, (x, y, z) = plate.weights[first]
        verts.append((u, v, len(weights), 2))
        weights += [(0, 0.25, (x, y - 3.0, z)), (0, 0.75, (x, y + 1.0, z))]
    return [(".md5mesh", mesh_text(ROOT, [Raw(verts, plate.tris, weights)]))]


def _negative_bias():
    """Returns a model with weights of 1.5 on one joint and of -0.5 on another joint. The vertices are beyond
    the first joint, away from the second joint."""
    joints = ROOT + [("other", 0, (0.0, 0.0, 8.0), STILL)]
    plate, weights, verts = _plate(0.0), [], []
    for u, v, first, _ in plate.verts:
        _, _, (x, y, z) = plate.weights[first]
        verts.append((u, v, len(weights), 2))
        weights += [(0, 1.5, (x, y, z)), (1, -0.5, (x, y, z - 8.0))]
    mesh = Raw(verts, plate.tris, weights)
    frames = [_bend(joints, 30.0 * math.sin(2.0 * math.pi * n / 12)) for n in range(13)]
    return [(".md5mesh", mesh_text(joints, [mesh])),
            (".md5anim", anim_text(joints, [mesh], 12, frames))]


def _apart():
    """Returns a model whose vertices have two weights with different positions in the bind pose. A vertex is
    at the mean of both."""
    joints = ROOT + [("other", 0, (0.0, 8.0, 0.0), STILL)]
    plate, weights, verts = _plate(0.0), [], []
    for u, v, first, _ in plate.verts:
        _, _, (x, y, z) = plate.weights[first]
        verts.append((u, v, len(weights), 2))
        weights += [(0, 0.5, (x + 2.0, y, z)), (1, 0.5, (x - 2.0, y - 8.0, z))]
    return [(".md5mesh", mesh_text(joints, [Raw(verts, plate.tris, weights)]))]


def _version_12():
    """Returns a model of version 12 with vertex colors, and with normals and tangents in the space of each
    vertex's joint."""
    plate = _plate(0.0)
    colors = ((1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1), (1, 1, 1, 0.5))

    def extra(_, vert):
        if vert is not None:
            return "( 1.000000 0.000000 0.000000 ) ( 0.000000 1.000000 0.000000 -1 )"
        return "\n".join(["\tnumvertexcolors 4"] + [
            "\tvertexcolor %d ( %s )" % (n, " ".join("%.6f" % c for c in color))
            for n, color in enumerate(colors)])

    return [(".md5mesh", mesh_text(ROOT, [plate], 12, extra))]


def _rotated_bind():
    """Returns a model whose joints are rotated in the bind pose. Offsets are in the axes of the joint, not of
    the model."""
    half = math.sin(math.radians(45.0))
    joints = [("root", -1, (0.0, 4.0, 0.0), q(half, 0.0, 0.0)),
              ("tip", 0, (0.0, 4.0, 6.0), q(0.0, 0.0, half))]
    # A quarter turn about x (as columns, with w < 0: inverse) maps (x, y, z) of
    # the joint to (x, z, -y) of the model; a quarter turn about z maps it to (y, -x, z).
    base = brick((-2, 2, 0), (2, 6, 6))
    base.weights = [(0, 1.0, (x, -z, y - 4.0)) for _, _, (x, y, z) in base.weights]
    top = brick((-1, 3, 6), (1, 5, 9))
    top.weights = [(1, 1.0, (-(y - 4.0), x, z - 6.0)) for _, _, (x, y, z) in top.weights]
    mesh = together([base, top])
    low, high = bounding_box(joints, [mesh], local(joints))
    assert max(abs(a - b) for a, b in zip(low + high, (-2, 2, 0, 2, 6, 9))) < 1e-9
    return [(".md5mesh", mesh_text(joints, [mesh]))]


ANIMALS = [
    ("triangle", "the smallest valid model: one joint, one triangle", _triangle()),
    ("weights",
     "a ladder: the two vertices of step n have n + 1 weights, up to 14; the clip bends the "
     "ladder",
     _weights()),
    ("roots", "a skeleton with three root joints (joints without a parent)", _roots()),
    ("empty_mesh", "three meshes; the first and the last one have no vertices", _empty_mesh()),
    ("no_mesh", "a skeleton without meshes (`numMeshes 0`)", _no_mesh()),
    ("two_meshes",
     "two meshes; no image or material exists for the shader of the second mesh",
     _two_meshes()),
    ("sums",
     "three plates whose weights sum to 0.5, 1 and 1.5. Weights are not normalized: the "
     "plates have 0.5, 1 and 1.5 times the size",
     _sums()),
    ("shared_ranges",
     "vertices that use the same weights as another vertex, or whose range of weights "
     "overlaps that of another vertex",
     _shared()),
    ("mirror_seam",
     "two plates with a common edge; the texture is mirrored at the edge, and both plates use "
     "the same vertices there",
     _mirror_seam()),
    ("split_seam",
     "a tube with a texture seam: the vertices at the seam exist twice, with different "
     "texture coordinates, and must have equal normals",
     _split_seam()),
    ("degenerate",
     "triangles with zero area, a triangle with zero area in the texture, and a duplicate "
     "triangle",
     _degenerate()),
    ("same_joint_twice",
     "each vertex has two weights on the same joint with different offsets",
     _same_joint_twice()),
    ("negative_bias",
     "each vertex has a weight of 1.5 on one joint and of -0.5 on another; the clip bends the "
     "plate",
     _negative_bias()),
    ("apart",
     "the two weights of a vertex define different positions in the bind pose; the vertex is "
     "at their mean",
     _apart()),
    ("bind_turned",
     "the joints are rotated in the bind pose, so weight offsets are in rotated axes",
     _rotated_bind()),
    ("version_12",
     "a file of version 12, which also contains normals, tangents and vertex colors",
     _version_12()),
]
