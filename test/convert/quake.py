"""Reads MDL, MD2 and MD3 independently, from the layouts in the specifications of their games.

quake.py same FILE NORMALS DUMP: compares the triangles of each frame with a pose of md5tool dump: positions
to half a step, area-weighted normals, as the nearest of the table NORMALS ("-": ignored), texels. Prints the
mean and maximum error. quake.py golden FILE EXPECTED NORMALS: compares the arm in expected.json in the same
way. quake.py again FILE EXPECTED NAME: compares the positions of a golden file. quake.py say FILE: prints
sizes, names, tags. quake.py assimp FILE: prints the sizes that assimp reads. quake.py palette FILE: writes a
palette; quake.py large FILE SIDE: writes a grid."""
import ctypes
import json
import math
import struct
import sys


def text(raw):
    return raw.split(b"\0")[0].decode()


def read(path):
    """Returns surfaces of triangles, st of each corner, frames of positions and normals; steps; other
    content."""
    data = open(path, "rb").read()

    def get(layout, at):
        return struct.unpack_from("<" + layout, data, at)

    kind = {b"IDPO": "mdl", b"IDP2": "md2", b"IDP3": "md3"}[data[:4]]
    file = {"kind": kind, "names": [], "surfaces": [], "tags": [], "skins": [], "steps": []}
    if kind == "mdl":
        version, *grid = get("i6f", 4)
        radius, *_, size = get("4f8if", 32)
        skins, width, height, points, triangles, frames, _, file["flags"] = get("8i", 48)
        assert (version, skins) == (6, 1) and width % 4 == 0 and radius > 0 and size > 0
        assert get("i", 84)[0] == 0
        at = 88 + width * height
        file["skin"], file["size"] = data[88:at], (width, height)
        st = [get("3i", at + 12 * i) for i in range(points)]
        at += 12 * points
        tris = [get("4i", at + 16 * i) for i in range(triangles)]
        at += 16 * triangles
        assert all(s[0] == 0 and 0 <= s[1] < width and 0 <= s[2] < height for s in st)
        assert all(t[0] == 1 for t in tris)
        surface = {"tris": [t[1:] for t in tris], "st": [st[i][1:] for t in tris for i in t[1:]]}
        surface["frames"] = []
        for _ in range(frames):
            assert get("i", at)[0] == 0
            raw = [get("4B", at + 28 + 4 * i) for i in range(points)]
            box = [tuple(f(p[k] for p in raw) for k in range(3)) for f in (min, max)]
            assert [get("3B", at + 4), get("3B", at + 8)] == box
            file["names"].append(text(data[at + 12:at + 28]))
            file["steps"].append(grid[:3])
            surface["frames"].append(([[g * v + o for g, v, o in zip(grid, p, grid[3:])] for p in raw],
                                      [p[3] for p in raw]))
            at += 28 + 4 * points
        assert at == len(data)
        file["surfaces"] = [surface]
    elif kind == "md2":
        version, width, height, size, skins, points, sts, triangles, commands, frames = get("10i", 4)
        at_skins, at_st, at_tris, at_frames, at_commands, end = get("6i", 44)
        assert version == 8 and end == len(data) and size == 40 + 4 * points
        file["size"] = width, height
        file["skins"] = [text(data[at_skins + 64 * i:at_skins + 64 * i + 64]) for i in range(skins)]
        st = [get("2h", at_st + 4 * i) for i in range(sts)]
        tris = [get("6H", at_tris + 12 * i) for i in range(triangles)]
        surface = {"tris": [t[:3] for t in tris], "st": [st[i] for t in tris for i in t[3:]], "frames": []}
        strips = [get("i", at_commands + 40 * i)[0] for i in range(triangles)]
        assert strips == [3] * triangles and commands == 10 * triangles + 1 and get("i", end - 4)[0] == 0
        for i, (vertex, (s, t)) in enumerate(zip((v for t in tris for v in t[:3]), surface["st"])):
            a, b, c = get("2fi", at_commands + 4 + 12 * i + 4 * (i // 3))
            assert abs(a - (s + 0.5) / width) + abs(b - (t + 0.5) / height) < 1e-6 and c == vertex
        for i in range(frames):
            at = at_frames + size * i
            grid = get("6f", at)
            raw = [get("4B", at + 40 + 4 * k) for k in range(points)]
            file["names"].append(text(data[at + 24:at + 40]))
            file["steps"].append(grid[:3])
            surface["frames"].append(([[g * v + o for g, v, o in zip(grid, p, grid[3:])] for p in raw],
                                      [p[3] for p in raw]))
        file["surfaces"] = [surface]
    else:
        version, = get("i", 4)
        _, frames, tags, surfaces, skins, at_frames, at_tags, at, end = get("9i", 72)
        assert (version, skins) == (15, 0) and end == len(data)
        for i in range(frames):
            file["names"].append(text(data[at_frames + 56 * i + 40:at_frames + 56 * i + 56]))
            file["steps"].append([1 / 64] * 3)
            for k in range(tags):
                row = at_tags + 112 * (i * tags + k)
                file["tags"].append((text(data[row:row + 64]), *get("12f", row + 64)))
        for _ in range(surfaces):
            _, count, shaders, points, triangles = get("5i", at + 68)
            at_tris, at_shaders, at_st, at_raw, length = get("5i", at + 88)
            assert data[at:at + 4] == b"IDP3" and (count, shaders) == (frames, 1)
            name = text(data[at + 4:at + 68])
            assert points <= 999 and triangles <= 1999 and name[-2:-1] != "_"
            file["skins"].append(name + ":" + text(data[at + at_shaders:at + at_shaders + 64]))
            tris = [get("3i", at + at_tris + 12 * i) for i in range(triangles)]
            assert sorted({i for t in tris for i in t}) == list(range(points))
            st = [get("2f", at + at_st + 8 * i) for i in range(points)]
            surface = {"tris": tris, "st": [st[i] for t in tris for i in t], "frames": []}
            for k in range(frames):
                raw = [get("3h2B", at + at_raw + 8 * (k * points + i)) for i in range(points)]
                surface["frames"].append(([[v / 64 for v in p[:3]] for p in raw], [p[3:] for p in raw]))
            file["surfaces"].append(surface)
            at += length
        assert at == end
    return file


def read_dump(path):
    """Returns the positions of each pose, or of the bind pose, the mesh of each position, triangles, st."""
    poses, tris, st, start, bind = [], [], [], [], []
    for line in open(path):
        words = line.split()
        if words and words[0] == "submesh":
            start.append(len(bind))
        elif words and words[0] == "st":
            st.append([float(n) for n in words[1:3]])
        elif words and words[0] == "tri":
            tris.append([start[-1] + int(n) for n in words[-3:]])
        elif words and words[0] == "time":
            poses.append([])
        elif words and words[0] in ("bv", "v"):
            (bind if words[0] == "bv" else poses[-1]).append(tuple(float(n) for n in words[1:4]))
    return poses or [bind], [sum(s <= i for s in start) for i in range(len(bind))], tris, st


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def angle(a, b):
    return math.degrees(math.atan2(math.hypot(*cross(a, b)), sum(x * y for x, y in zip(a, b))))


def direction(code):
    zenith, azimuth = (2 * math.pi * v / 256 for v in code)
    return math.cos(azimuth) * math.sin(zenith), math.sin(azimuth) * math.sin(zenith), math.cos(zenith)


def compare_dump(path, table, dump):
    file = read(path)
    poses, meshes, tris, st = read_dump(dump)
    table = None if table == "-" else [[float(n) for n in line.split()] for line in open(table)]
    assert len(file["names"]) == len(poses), file["names"]
    corners = [i for t in tris for i in t]
    file_corners = [(s, i) for s in file["surfaces"] for t in s["tris"] for i in t]
    assert len(file_corners) == len(corners)
    keys = [tuple(p[i] for p in poses) + (meshes[i],) for i in range(len(meshes))]
    errors = []
    for frame, positions in enumerate(poses):
        sums = {}
        for a, b, c in tris:
            n = cross(*([q - p for p, q in zip(positions[a], positions[o])] for o in (c, b)))
            for i in (a, b, c):
                sums[keys[i]] = [x + y for x, y in zip(sums.get(keys[i], (0, 0, 0)), n)]
        checked = set()
        for i, (surface, k) in zip(corners, file_corners):
            found, normals = surface["frames"][frame]
            for x, y, step in zip(found[k], positions[i], file["steps"][frame]):
                assert abs(x - y) <= 0.5 * step + 2e-5, (frame, i, found[k], positions[i])
            if (id(surface), k) in checked:
                continue
            checked.add((id(surface), k))
            errors.append(math.dist(found[k], positions[i]))
            normal = sums[keys[i]]
            if math.hypot(*normal) < 1e-3:
                continue
            if file["kind"] == "md3":
                assert angle(direction(normals[k]), normal) < 1, (frame, i)
            elif table:
                x, y, z = normal
                best = max(a * x + b * y + c * z for a, b, c in table)
                chosen = sum(x * y for x, y in zip(table[normals[k]], normal))
                assert chosen >= best - 1e-4 * math.hypot(*normal), (frame, i, normals[k], chosen, best)
    for n, (i, (s, t)) in enumerate(zip(corners, [p for x in file["surfaces"] for p in x["st"]])):
        shift = [0 if all(0 <= st[k][axis] <= 1 for k in tris[n // 3]) else
                 math.floor(sum(st[k][axis] for k in tris[n // 3]) / 3) for axis in (0, 1)]
        size = file.get("size")
        for axis, value in enumerate((s, t)):
            if size:
                texel = (st[i][axis] - shift[axis]) * size[axis]
                assert abs(value - min(max(math.floor(texel), 0), size[axis] - 1)) <= 1, (i, s, t)
            else:
                assert abs(value - st[i][axis]) < 1e-6
    print(sum(errors) / len(errors), max(errors))


def compare_golden(path, golden_path, table):
    """Compares the arm. Steps divide the exact range: into 255 over all frames, or per frame, or 1/64."""
    file, golden = read(path), json.load(open(golden_path))
    table = [[float(n) for n in line.split()] for line in open(table)]
    (surface,), source, normals = file["surfaces"], golden["source"]["arm"], golden["source"]["arm_normals"]
    assert [list(t) for t in surface["tris"]] == golden["arm.mdl"]["triangles"]
    assert len(surface["frames"]) == len(source)
    for (positions, codes), expected_frame, name in zip(surface["frames"], source.values(), source):
        assert len(positions) == len(expected_frame)
        frames = [expected_frame] if file["kind"] == "md2" else source.values()
        ranges = [max(p[k] for f in frames for p in f) - min(p[k] for f in frames for p in f)
                  for k in range(3)]
        for position, expected, code, normal in zip(positions, expected_frame, codes, normals[name]):
            for x, y, size in zip(position, expected, ranges):
                half = 1 / 128 if file["kind"] == "md3" else size / 510
                assert abs(x - y) <= half + 1e-5, (name, position, expected)
            if file["kind"] == "md3":
                assert angle(direction(code), normal) < 1
            else:
                cosines = [sum(x * y for x, y in zip(row, normal)) for row in table]
                assert cosines[code] > max(cosines) - 1e-5, (name, code)


def compare_positions(path, golden_path, name):
    """Compares the positions of a golden file that was read and written again, regardless of seams."""
    file, golden = read(path), json.load(open(golden_path))[name]
    golden_frames = golden["frames"] if name != "arm.md3" else golden["surfaces"][0]["frames"]
    for frame, expected in enumerate(golden_frames):
        positions = {tuple(round(x, 3) + 0.0 for x in p) for p in file["surfaces"][0]["frames"][frame][0]}
        expected_positions = {tuple(round(x, 3) + 0.0 for x in p) for p in expected["positions"]}
        assert positions == expected_positions, (frame, positions)


def assimp(path):
    """Prints triangles and corners of the first mesh: the structures begin with these members."""
    class Mesh(ctypes.Structure):
        _fields_ = [("kinds", ctypes.c_uint), ("vertices", ctypes.c_uint), ("faces", ctypes.c_uint)]

    class Scene(ctypes.Structure):
        _fields_ = [("flags", ctypes.c_uint), ("root", ctypes.c_void_p), ("count", ctypes.c_uint),
                    ("meshes", ctypes.POINTER(ctypes.POINTER(Mesh)))]
    library = ctypes.CDLL("libassimp.so.5")
    library.aiImportFile.restype = ctypes.POINTER(Scene)
    scene = library.aiImportFile(path.encode(), 0)
    assert scene, "assimp cannot read the file"
    print(scene[0].count, scene[0].meshes[0][0].faces, scene[0].meshes[0][0].vertices)


def large(path, side):
    """Writes a square of SIDE by SIDE quads, on one joint."""
    rows, count = [], side + 1
    with open(path, "w") as out:
        print('MD5Version 10\ncommandline ""\nnumJoints 1\nnumMeshes 1', file=out)
        print('joints {\n"root" -1 ( 0 0 0 ) ( 0 0 0 )\n}', file=out)
        print('mesh {\nshader "models/wide/arm_l"\nnumverts %d' % count ** 2, file=out)
        for i in range(count ** 2):
            print("vert %d ( %g %g ) %d 1" % (i, i % count / side, i // count / side, i), file=out)
            rows.append("weight %d 0 1 ( %d %d %d )" % (i, i % count, i // count, (i * i) % 5))
        print("numtris %d" % (2 * side ** 2), file=out)
        for i in range(side ** 2):
            a = i // side * count + i % side
            print("tri %d %d %d %d" % (2 * i, a, a + count, a + 1), file=out)
            print("tri %d %d %d %d" % (2 * i + 1, a + 1, a + count, a + count + 1), file=out)
        print("numweights %d\n%s\n}" % (count ** 2, "\n".join(rows)), file=out)


if sys.argv[1] == "same":
    compare_dump(*sys.argv[2:])
elif sys.argv[1] == "golden":
    compare_golden(*sys.argv[2:])
elif sys.argv[1] == "again":
    compare_positions(*sys.argv[2:])
elif sys.argv[1] == "assimp":
    assimp(sys.argv[2])
elif sys.argv[1] == "say":
    content = read(sys.argv[2])
    print("names", *content["names"])
    print("surfaces", *(len(s["frames"][0][0]) for s in content["surfaces"]))
    print("skins", *content["skins"])
    print("texels", *sorted(set(content.get("skin", b""))), *content.get("size", ()))
    for tag in content["tags"]:
        print("tag", tag[0], *("%.3f" % (n + 0) for n in tag[1:]))
elif sys.argv[1] == "palette":  # grays, then reds: of 128 the nearest gray is color 8
    with open(sys.argv[2], "wb") as palette:
        palette.write(bytes(16 * (i % 16) if k == 0 or i < 16 else 0 for i in range(256) for k in range(3)))
elif sys.argv[1] == "large":
    large(sys.argv[2], int(sys.argv[3]))
