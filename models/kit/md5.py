"""Writes .md5mesh, .md5anim and .md5camera text (version 10).

Conventions of the format: x forward, y left, z up; mesh joints in model space, clip joints
relative to their parent; of a quaternion only x y z are written, and w is the *negative* root, so
the sign is chosen with w <= 0; front faces are clockwise; v = 0 is the top row of the image."""

from kit import maths

# Decimals of frequent numbers; numbers of joints and cameras have six. A ten-thousandth of a unit, or of
# a radian, is far less than a pixel.
LENGTH, ROTATION, UV, BIAS = 4, 5, 5, 4


def format_number(x, decimals=6):
    """Formats a number with as few digits as necessary, because invisible digits would be most of the
    files."""
    text = ("%.*f" % (decimals, x)).rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def triple(v, decimals=6):
    return "( %s %s %s )" % tuple(format_number(c, decimals) for c in v)


def xyz(q):
    """Returns the components of a unit quaternion that the format stores."""
    return q[:3] if q[3] <= 0.0 else (-q[0], -q[1], -q[2])


def stored(q):
    """Returns q as read from the file: rounded, with w rebuilt like readers do."""
    x, y, z = (float(format_number(c)) for c in xyz(q))
    return (x, y, z, -abs(1.0 - x * x - y * y - z * z) ** 0.5)


class Mesh:
    """points, uvs, tris (counter-clockwise), weights: per vertex {joint name: bias}."""

    def __init__(self, name, shader, points, uvs, tris, weights):
        self.name, self.shader = name, shader
        self.points, self.uvs, self.tris, self.weights = points, uvs, tris, weights


def strongest_weights(weights, max_count, min_fraction):
    """Returns at most `max_count` of the largest weights, without those below `min_fraction` of the largest
    one, rounded so that their sum is exactly one."""
    strongest = sorted(weights.items(), key=lambda w: (-round(w[1], 9), w[0]))[:max_count]
    strongest = [w for w in strongest if w[1] >= min_fraction * strongest[0][1]]
    total, whole = sum(bias for _, bias in strongest), 10 ** BIAS
    parts = [[joint, int(bias / total * whole + 0.5)] for joint, bias in strongest]
    parts[0][1] += whole - sum(part for _, part in parts)
    return [(joint, part / whole) for joint, part in parts if part > 0]


def vertex_and_weight_lines(uvs, weights):
    """Returns the lines of vertices and of weights: weights[v] are the weight lines of a vertex, without
    their indices. Vertices at one position, as on both sides of a seam, share their weight lines."""
    verts, lines, first_line = [], [], {}
    for n, (uv, vertex_weights) in enumerate(zip(uvs, map(tuple, weights))):
        if vertex_weights not in first_line:
            first_line[vertex_weights] = len(lines)
            lines += vertex_weights
        u, v = format_number(uv[0], UV), format_number(uv[1], UV)
        verts.append("\tvert %d ( %s %s ) %d %d" % (n, u, v, first_line[vertex_weights], len(vertex_weights)))
    return verts, ["\tweight %d %s" % line for line in enumerate(lines)]


def mesh_text(command, skeleton, meshes):
    """Returns the text of a .md5mesh file. `skeleton` is a list of (name, parent index, position,
    orientation) in model space."""
    index = {joint[0]: n for n, joint in enumerate(skeleton)}
    frames = [(position, stored(rotation)) for _, _, position, rotation in skeleton]
    out = ["MD5Version 10", 'commandline "%s"' % command, "", "numJoints %d" % len(skeleton),
           "numMeshes %d" % len(meshes), "", "joints {"]
    for name, parent, position, rotation in skeleton:
        comment = skeleton[parent][0] if parent >= 0 else ""
        out.append('\t"%s"\t%d %s %s\t\t// %s' % (name, parent, triple(position), triple(xyz(rotation)),
                                                  comment))
    out.append("}")
    for mesh in meshes:
        weight_lines = []
        for point, biases in zip(mesh.points, mesh.weights):
            weight_lines.append([])
            for joint, bias in biases:
                position, rotation = frames[index[joint]]
                offset = maths.rotate(maths.conj(rotation), maths.sub(point, position))
                weight_lines[-1].append("%d %s %s" % (index[joint], format_number(bias, BIAS),
                                                      triple(offset, LENGTH)))
        verts, weights = vertex_and_weight_lines(mesh.uvs, weight_lines)
        out += ["", "mesh {", "\t// meshes: %s" % mesh.name, '\tshader "%s"' % mesh.shader, "",
                "\tnumverts %d" % len(verts)] + verts
        out += ["", "\tnumtris %d" % len(mesh.tris)]
        out += ["\ttri %d %d %d %d" % (n, a, c, b) for n, (a, b, c) in enumerate(mesh.tris)]
        out += ["", "\tnumweights %d" % len(weights)] + weights + ["}"]
    return "\n".join(out) + "\n"


def _channels(skeleton, frames, decimals):
    """Returns for each joint the six components of every frame, as written text, and the bits of the
    components that change."""
    tracks, bits = [], []
    for joint in range(len(skeleton)):
        values = []
        for frame in frames:
            position, rotation = frame[joint]
            values.append(tuple(format_number(c, decimals[0]) for c in position)
                          + tuple(format_number(c, decimals[1]) for c in xyz(rotation)))
        tracks.append(values)
        bits.append(sum(1 << c for c in range(6)
                        if any(frame_values[c] != values[0][c] for frame_values in values)))
    return tracks, bits


def anim_text(command, skeleton, rate, frames, bounds, decimals=(LENGTH, ROTATION)):
    """Returns the text of a .md5anim file. `frames` contains for each frame a list of (position, orientation)
    relative to the parent."""
    tracks, bits = _channels(skeleton, frames, decimals)
    first, starts = 0, []
    for mask in bits:
        starts.append(first if mask else 0)
        first += bin(mask).count("1")
    out = ["MD5Version 10", 'commandline "%s"' % command, "", "numFrames %d" % len(frames),
           "numJoints %d" % len(skeleton), "frameRate %d" % rate,
           "numAnimatedComponents %d" % first, "", "hierarchy {"]
    for n, (name, parent, _, _) in enumerate(skeleton):
        comment = skeleton[parent][0] if parent >= 0 else ""
        out.append('\t"%s"\t%d %d %d\t// %s' % (name, parent, bits[n], starts[n], comment))
    out += ["}", "", "bounds {"]
    out += ["\t%s %s" % (triple(low, decimals[0]), triple(high, decimals[0])) for low, high in bounds]
    out += ["}", "", "baseframe {"]
    for track in tracks:
        out.append("\t( %s %s %s ) ( %s %s %s )" % track[0])
    out.append("}")
    for n in range(len(frames)):
        out += ["", "frame %d {" % n]
        for track, mask in zip(tracks, bits):
            if mask:
                out.append("\t" + " ".join(track[n][c] for c in range(6) if mask >> c & 1))
        out.append("}")
    return "\n".join(out) + "\n"


def camera_text(command, rate, shots):
    """Writes a camera. shots: consecutive lists of (position, orientation, horizontal field of view in
    degrees).
    The last frame of each shot is only the end of its interpolation: it is the cut, and not displayed."""
    frames = [frame for shot in shots for frame in shot]
    cuts = [sum(len(shot) for shot in shots[:n + 1]) - 1 for n in range(len(shots) - 1)]
    out = ["MD5Version 10", 'commandline "%s"' % command, "", "numFrames %d" % len(frames),
           "frameRate %d" % rate, "numCuts %d" % len(cuts), "", "cuts {"]
    out += ["\t%d" % cut for cut in cuts] + ["}", "", "camera {"]
    out += ["\t%s %s %s" % (triple(position), triple(xyz(rotation)), format_number(view))
            for position, rotation, view in frames]
    return "\n".join(out + ["}"]) + "\n"
