"""usage: obj.py FILE.obj DUMP: compares an OBJ file with md5tool dump of one pose: vertices, texture
coordinates from below, triangles in opposite order, outward normals of unit length."""
import math
import sys

vertices, texcoords, normals, faces, groups = [], [], [], [], []
for line in open(sys.argv[1]):
    words = line.split()
    if words[0] == "v":
        vertices.append([float(n) for n in words[1:]])
    elif words[0] == "vt":
        texcoords.append([float(n) for n in words[1:]])
    elif words[0] == "vn":
        normals.append([float(n) for n in words[1:]])
    elif words[0] == "f":
        corners = [[int(n) for n in word.split("/")] for word in words[1:]]
        assert all(c[0] == c[1] == c[2] for c in corners), line
        faces.append([c[0] - 1 for c in corners])
    elif words[0] == "usemtl":
        groups.append(len(vertices))

bind, posed, expected_texcoords, triangles, start = [], [], [], [], 0
for line in open(sys.argv[2]):
    words = line.split()
    if words[0] == "submesh":
        start = len(bind)
    elif words[0] == "st":
        expected_texcoords.append([float(words[1]), 1 - float(words[2])])
    elif words[0] == "tri":
        a, b, c = (start + int(n) for n in words[-3:])
        triangles.append([a, c, b])
    elif words[0] == "bv":
        bind.append([float(n) for n in words[1:4]])
    elif words[0] == "v":
        posed.append([float(n) for n in words[1:4]])

for kind, found, expected in [("vertices", vertices, posed or bind),
                              ("texture coordinates", texcoords, expected_texcoords)]:
    assert len(found) == len(expected), (kind, len(found), len(expected))
    for a, b in zip(found, expected):
        assert math.dist(a, b) <= 1e-5 * max(1.0, *map(abs, b)), (kind, a, b)
assert faces == triangles, "faces"
assert len(normals) == len(vertices)
assert all(abs(math.hypot(*n) - 1) < 1e-5 for n in normals), "normals"
# Most triangles are counterclockwise from outside, relative to the normals of their corners.
outward = 0
for a, b, c in faces:
    u = [q - p for p, q in zip(vertices[a], vertices[b])]
    v = [q - p for p, q in zip(vertices[a], vertices[c])]
    n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    outward += sum(x * y for x, y in zip(n, normals[a])) > 0
assert outward > 0.9 * len(faces), outward
