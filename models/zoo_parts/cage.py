"""Writers with which a caller controls each number in a file."""

from kit import md5
from kit.maths import add, conj, mul, rotate, sub

COMMAND = "make_zoo.py"
SHADER = "models/zoo/zoo"
STILL = (0.0, 0.0, 0.0, -1.0)
ZERO = (0.0, 0.0, 0.0)


def q(x=0.0, y=0.0, z=0.0):
    """Returns a rotation as the format stores it: w is the negative root."""
    return (x, y, z, -max(0.0, 1.0 - x * x - y * y - z * z) ** 0.5)


class Raw:
    """verts: (u, v, first weight, number of weights); tris as in the file (clockwise seen from
    outside); weights: (joint index, bias, offset)."""

    def __init__(self, verts, tris, weights, shader=SHADER):
        self.verts, self.tris, self.weights, self.shader = verts, tris, weights, shader


def mesh_text(joints, meshes, version=10, extra=None):
    """Returns the text of a .md5mesh file. `joints` are (name, parent, position, rotation) in model space.
    extra(mesh index, vertex index) is written after a vertex, and the lines extra(mesh index, None) after the
    weights."""
    out = ["MD5Version %d" % version, 'commandline "%s"' % COMMAND, "",
           "numJoints %d" % len(joints), "numMeshes %d" % len(meshes), "", "joints {"]
    out += ['\t"%s"\t%d %s %s' % (name, parent, md5.triple(position), md5.triple(md5.xyz(rotation)))
            for name, parent, position, rotation in joints]
    out.append("}")
    for m, mesh in enumerate(meshes):
        out += ["", "mesh {", '\tshader "%s"' % mesh.shader, "", "\tnumverts %d" % len(mesh.verts)]
        for n, (u, v, first, count) in enumerate(mesh.verts):
            more = " " + extra(m, n) if extra else ""
            out.append("\tvert %d ( %s %s ) %d %d%s" % (n, md5.format_number(u), md5.format_number(v), first,
                                                        count, more))
        out += ["", "\tnumtris %d" % len(mesh.tris)]
        out += ["\ttri %d %d %d %d" % ((n,) + tuple(tri)) for n, tri in enumerate(mesh.tris)]
        out += ["", "\tnumweights %d" % len(mesh.weights)]
        out += ["\tweight %d %d %s %s" % (n, joint, md5.format_number(bias), md5.triple(offset))
                for n, (joint, bias, offset) in enumerate(mesh.weights)]
        if extra and extra(m, None):
            out += ["", extra(m, None)]
        out.append("}")
    return "\n".join(out) + "\n"


def local(joints):
    """Returns the bind pose as a clip's frame: (position, rotation) relative to the parent."""
    frame = []
    for _, parent, position, rotation in joints:
        if parent >= 0:
            back = conj(joints[parent][3])
            position, rotation = rotate(back, sub(position, joints[parent][2])), mul(back, rotation)
        frame.append((position, rotation))
    return frame


def bounding_box(joints, meshes, frame):
    """Returns the bounding box of all vertices in a frame."""
    posed = []
    for (position, rotation), (_, parent, _, _) in zip(frame, joints):
        if parent >= 0:
            base, swing = posed[parent]
            position, rotation = add(base, rotate(swing, position)), mul(swing, rotation)
        posed.append((position, rotation))
    found = []
    for mesh in meshes:
        for _, _, first, count in mesh.verts:
            at = ZERO
            for joint, bias, offset in mesh.weights[first:first + count]:
                spot = add(posed[joint][0], rotate(posed[joint][1], offset))
                at = (at[0] + bias * spot[0], at[1] + bias * spot[1], at[2] + bias * spot[2])
            found.append(at)
    return (tuple(min(p[axis] for p in found) for axis in range(3)),
            tuple(max(p[axis] for p in found) for axis in range(3)))


def anim_text(joints, meshes, rate, frames):
    return md5.anim_text(COMMAND, joints, rate, frames,
                         [bounding_box(joints, meshes, frame) for frame in frames], (6, 6))


def brick(low, high, joint=0, origin=ZERO):
    """Returns a box whose six sides have separate vertices, on one joint without rotation."""
    verts, tris, weights = [], [], []
    for axis in range(3):
        for side in (0, 1):
            a, b = (axis + 1) % 3, (axis + 2) % 3
            base = len(verts)
            for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)):
                at = [0.0, 0.0, 0.0]
                at[axis] = (low, high)[side][axis]
                at[a], at[b] = (low, high)[s][a], (low, high)[t][b]
                verts.append((float(s), 1.0 - t, len(weights), 1))
                weights.append((joint, 1.0, sub(at, origin)))
            # Clockwise seen from outside.
            order = ((0, 2, 1), (0, 3, 2)) if side else ((0, 1, 2), (0, 2, 3))
            tris += [tuple(base + n for n in tri) for tri in order]
    return Raw(verts, tris, weights)


def together(parts, shader=SHADER):
    """Merges several meshes."""
    verts, tris, weights = [], [], []
    for part in parts:
        base, first = len(verts), len(weights)
        verts += [(u, v, first + at, count) for u, v, at, count in part.verts]
        tris += [tuple(base + n for n in tri) for tri in part.tris]
        weights += part.weights
    return Raw(verts, tris, weights, shader)
