#!/usr/bin/env python3
"""Writes MDL, MD2 and MD3 files and checks the output of `md5tool convert`: positions, texture coordinates,
weights, clips, tags, images and errors, with arithmetic from the numbers written here.

    python3 quake_in.py TOOL FOLDER own|refuses|seeds
    python3 quake_in.py TOOL FOLDER golden GOLDEN
    python3 quake_in.py TOOL FOLDER back FILE FILE
"""

import json
import os
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, "test/viewer")
import md5tool  # noqa: E402
import png  # noqa: E402
from gltf_poser import Gltf  # noqa: E402

SCALE, ORIGIN = (0.5, 0.25, 2.0), (-1.0, -2.0, 3.0)
POINTS = [(0, 0, 0), (200, 4, 8), (16, 255, 32), (7, 9, 100), (1, 2, 3)]  # the last one is unused
TRIANGLES = [(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]
NAMES = ["stand01", "stand02", "pain101", "pain102", "pain201", "pain202"]
SEAM, TEXCOORDS = [1, 0, 1, 0, 0], [(1, 2), (3, 4), (0, 7), (5, 6), (1, 1)]


def frame_points(frame):
    return [tuple((x + 3 * frame) % 256 for x in p) for p in POINTS]


def position(p):
    return tuple(x * s + o for x, s, o in zip(p, SCALE, ORIGIN))


def rows(frame):
    return b"".join(bytes(p) + b"\5" for p in frame_points(frame))


def name(text, size):
    return text.encode().ljust(size, b"\0")


def make_mdl(groups, flags=0):
    """Writes an MDL file. groups: lists of frames; several frames form a group."""
    out = struct.pack("<4si3f3ff3f8if", b"IDPO", 6, *SCALE, *ORIGIN, 9, 0, 0, 22, 2, 8, 4, len(POINTS),
                      len(TRIANGLES), len(groups), 1, flags, 1)
    out += bytes(4) + bytes([7]) * 31 + b"\xff"
    out += struct.pack("<ii2f", 1, 2, 0.5, 1) + bytes([1]) * 32 + bytes([2]) * 32
    for on, (s, t) in zip(SEAM, TEXCOORDS):
        out += struct.pack("<3i", 32 * on, s, t)
    for i, t in enumerate(TRIANGLES):
        out += struct.pack("<4i", i != 1, *t)  # the second triangle is on the back
    for group in groups:
        if len(group) > 1:
            out += struct.pack("<ii4B4B", 1, len(group), *range(8))
            out += struct.pack(f"<{len(group)}f", *[0.2 * (k + 1) for k in range(len(group))])
        else:
            out += struct.pack("<i", 0)
        for frame in group:
            out += bytes(8) + name(NAMES[frame], 16) + rows(frame)
    return out


def make_md2():
    head, size = 68, 40 + 4 * len(POINTS)
    texcoords = [(1, 2), (3, 4), (5, 6), (-1, 7)]
    st = [(0, 1, 2), (3, 2, 1), (0, 1, 1), (1, 1, 2)]
    ofs = [head, head + 128]
    ofs += [ofs[1] + 4 * len(texcoords), ofs[1] + 4 * len(texcoords) + 12 * len(TRIANGLES)]
    end = ofs[3] + size * len(NAMES)
    out = struct.pack("<4s16i", b"IDP2", 8, 8, 4, size, 2, len(POINTS), len(texcoords), len(TRIANGLES), 1,
                      len(NAMES), *ofs, end, end + 4)
    out += name("models/a/skin.pcx", 64) + name("models/a/other.pcx", 64)
    out += b"".join(struct.pack("<2h", *p) for p in texcoords)
    out += b"".join(struct.pack("<6H", *t, *c) for t, c in zip(TRIANGLES, st))
    for frame, title in enumerate(NAMES):
        out += struct.pack("<6f", *SCALE, *ORIGIN) + name(title, 16) + rows(frame)
    uvs = [[((texcoords[c][0] + 0.5) / 8, (texcoords[c][1] + 0.5) / 4) for c in t] for t in st]
    return out + struct.pack("<i", 0), uvs


def tag_axes(frame):
    """Returns a tag's axes: a quarter turn about z in odd frames."""
    return [(0, 1, 0), (-1, 0, 0), (0, 0, 1)] if frame % 2 else [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def make_md3(count=len(NAMES), is_first_empty=False, num_surfaces=2):
    """Writes an MD3 file. is_first_empty: surface 0 has no points, and the others are 50 units away on each
    axis."""
    tags = b"".join(name("tag_hand", 64) + struct.pack("<12f", frame, 2, 3, *sum(tag_axes(frame), ()))
                    for frame in range(count))
    surface = []
    for s in range(num_surfaces):
        is_empty = is_first_empty and s == 0
        num_points, shift = 0 if is_empty else len(POINTS), 64 * 50 if is_first_empty else 0
        tris = b"" if is_empty else b"".join(struct.pack("<3i", *t) for t in TRIANGLES[2 * s:])
        st = b"".join(struct.pack("<2f", i / 8, s) for i in range(num_points))
        xyz = b"".join(struct.pack("<3hBB", *[64 * x - 100 * s + shift for x in p], 0, 0)
                       for frame in range(count) for p in frame_points(frame)[:num_points])
        at = 176 + len(tris)
        surface.append(struct.pack("<4s64s10i", b"IDP3", name(f"part{s}", 64), 0, count, 1, num_points,
                                   0 if is_empty else 2, 176, 108, at, at + len(st), at + len(st) + len(xyz))
                       + name(f"models/a/part{s}", 64) + bytes(4) + tris + st + xyz)
    ofs = [108, 108 + 56 * count, 108 + 168 * count, 108 + 168 * count + sum(map(len, surface))]
    out = struct.pack("<4si64s9i", b"IDP3", 15, b"a", 0, count, 1, num_surfaces, 0, *ofs)
    for frame in range(count):
        out += struct.pack("<10f", *[0] * 10) + name(NAMES[frame], 16)
    return out + tags + b"".join(surface)


def read_mesh(path):
    """Returns, for each mesh, its shader, and the position and texture coordinate of each triangle corner."""
    meshes = []
    for block in open(path).read().split("mesh {")[1:]:
        v = re.findall(r"vert \d+ \( (\S+) (\S+) \) (\d+) 1\n", block)
        v = [(float(a), float(b), int(c)) for a, b, c in v]
        w = [tuple(map(float, m)) for m in re.findall(r"weight \d+ 0 1 \( (\S+) (\S+) (\S+) \)", block)]
        t = [tuple(map(int, m)) for m in re.findall(r"tri \d+ (\d+) (\d+) (\d+)", block)]
        meshes.append((re.search(r'shader "(.*)"', block).group(1), len(v),
                       [[(w[v[i][2]], v[i][:2]) for i in corners] for corners in t]))
    return meshes


def read_clip(path):
    """Returns the rate, and the components of each joint in each frame."""
    text = open(path).read()
    joints = re.findall(r'^\t"(\w+)"\t\S+ (\d+) (\d+)', text, re.M)
    base = [list(map(float, m)) for m in re.findall(r"^\t\( (.*?) (.*?) (.*?) \) \( (.*?) (.*?) (.*?) \)$",
                                                    text.split("baseframe")[1], re.M)]
    frames = []
    for body in re.findall(r"^frame \d+ \{(.*?)\}", text, re.M | re.S):
        numbers, frame = list(map(float, body.split())), {}
        for (title, flags, first), row in zip(joints, base):
            row, at = list(row), int(first)
            for k in range(6):
                if int(flags) >> k & 1:
                    row[k], at = numbers[at], at + 1
            frame[title] = row
        frames.append(frame)
    return float(re.search(r"frameRate (\S+)", text).group(1)), frames


def check_close(a, b, tolerance, label):
    largest = max((abs(x - y) for x, y in zip(a, b)), default=0)
    if len(a) != len(b) or not largest <= tolerance:
        sys.exit(f"{label}: {list(a)[:9]} instead of {list(b)[:9]}")


def corner_values(corners, k):
    return [x for t in corners for c in t for x in c[k]]


def convert(tool, path, *options, output):
    shutil.rmtree(output, ignore_errors=True)
    if "." not in os.path.basename(output):
        os.mkdir(output)
    return tool.run("convert", path, "--output", output, "--force", *options)


def check_frames(folder, stem, titles, triangles, positions):
    """Compares frames. triangles: for each mesh, indices of points; positions(frame, mesh): points."""
    for frame, title in enumerate(titles):
        path = os.path.join(folder, f"morphs/{title}.md5mesh" if frame else f"{stem}.md5mesh")
        for m, (_, _, corners) in enumerate(read_mesh(path)):
            expected = [x for t in triangles[m] for i in t for x in positions(frame, m)[i]]
            check_close(corner_values(corners, 0), expected, 1e-5, f"{stem}: frame {title}")


def check_glb(tool, path, folder, count, positions):
    """Checks that the expected positions and the file's positions are equal sets in each frame."""
    glb = os.path.join(folder, "out.glb")
    status, message = convert(tool, path, output=glb)
    if status:
        sys.exit(message)
    for frame in range(count):
        found = Gltf(glb).vertices(None, 0, morph=frame - 1 if frame else None)
        for m, key in enumerate(sorted(found)):
            found_points = [(p[2] / 0.0254, p[0] / 0.0254, p[1] / 0.0254) for p in found[key]]
            expected_points = positions(frame, m)
            for a, b in ((found_points, expected_points), (expected_points, found_points)):
                distance = max(min(max(abs(x - y) for x, y in zip(p, q)) for q in b) for p in a)
                if not distance <= 1e-5:
                    sys.exit(f"{glb}: frame {frame} is {distance} off")


def check_clips(folder, clips, rate=10.0):
    """Compares clips. clips: {name: names of frames}; only the target of a frame has weight 1 at that
    frame."""
    files = os.listdir(folder)
    machine = open(next(os.path.join(folder, f) for f in files if f.endswith(".md5machine"))).read()
    found = sorted(f[:-8] for f in files if f.endswith(".md5anim"))
    if found != sorted(clips):
        sys.exit(f"clips {found} instead of {sorted(clips)}")
    for title, frames in clips.items():
        found_rate, poses = read_clip(os.path.join(folder, title + ".md5anim"))
        if found_rate != rate or len(poses) != len(frames):
            sys.exit(f"clip {title}: {len(poses)} frames at {found_rate}")
        for k, target in enumerate(frames):
            if target == NAMES[0]:
                continue
            keys = re.search(rf"morph {target} clip {title} \((.*)\)", machine).group(1).split()
            curve = dict(zip(map(int, keys[::2]), map(float, keys[1::2])))
            if [curve.get(i, 0) for i in range(len(frames))] != [float(i == k) for i in range(len(frames))]:
                sys.exit(f"clip {title}: {target} has {keys}")


SINGLE_FRAMES = [[i] for i in range(len(NAMES))]
CLIPS = {"stand": NAMES[:2], "pain1": NAMES[2:4], "pain2": NAMES[4:]}


def check_generated(tool, folder):
    def write_file(title, data):
        path = os.path.join(folder, title)
        open(path, "wb").write(data)
        return path
    out = os.path.join(folder, "out")
    points = [[position(p) for p in frame_points(f)] for f in range(len(NAMES))]
    palette = bytes(range(256)) + bytes(512)
    os.makedirs(os.path.join(folder, "id1/gfx"))
    os.makedirs(os.path.join(folder, "mod/progs"))

    path = write_file("a.mdl", make_mdl(SINGLE_FRAMES, flags=8))
    status, message = convert(tool, path, output=out)
    assert status == 0 and "gray" in message, message
    assert "flags 0x8, synctype 1 and eye position 0 0 22" in message, message
    check_frames(out, "a", NAMES, [TRIANGLES], lambda f, m: points[f])
    check_glb(tool, path, folder, len(NAMES), lambda f, m: points[f])
    check_clips(out, CLIPS)
    (shader, count, corners), = read_mesh(os.path.join(out, "a.md5mesh"))
    assert shader == "a" and count == len(POINTS) + 2, (shader, count)  # two are on the seam
    check_close(corner_values(corners, 1),
                [x for i, t in enumerate(TRIANGLES) for v in t
                 for x in ((TEXCOORDS[v][0] + 4 * (SEAM[v] and i == 1) + 0.5) / 8,
                           (TEXCOORDS[v][1] + 0.5) / 4)],
                1e-6, "texture coordinates of MDL")
    lmp = write_file("id1/gfx/palette.lmp", palette)
    path = write_file("mod/progs/b.mdl", make_mdl([[0], [1], [2, 3, 4], [5]], 0x4000))
    for palette_source in ("folder", "option", "archive"):
        options = ("--for", "ironwail", *(("--palette", lmp) if palette_source == "option" else ()))
        if palette_source == "archive":
            os.remove(lmp)
            write_file("id1/pak0.pak", struct.pack("<4s2i", b"PACK", 12 + 768, 64) + palette
                       + name("gfx/palette.lmp", 56) + struct.pack("<2i", 12, 768))
        status, message = convert(tool, path, *options, output=os.path.join(folder, "c.md5mesh"))
        assert "gray" not in message and "morph targets are not supported by the engine" in message, message
        for title, texel in (("00_00", 7), ("01_00", 1), ("01_01", 2)):
            width, height, texels, num_channels = png.read(os.path.join(folder, f"progs/b_{title}.png"))
            assert (width, height, num_channels) == (8, 4, 4), title
            assert texels[0][:4] == palette[3 * texel:3 * texel + 3] + b"\xff", title
        assert png.read(os.path.join(folder, "progs/b_00_00.png"))[2][3][31] == 0  # index 255 is a hole
        shutil.rmtree(os.path.join(folder, "progs"))
    assert convert(tool, path, output=out)[0] == 0
    rate, frames = read_clip(os.path.join(out, "pain1.md5anim"))
    assert rate == 5 and len(frames) == 3, (rate, frames)

    data, uvs = make_md2()
    path = write_file("d.md2", data)
    status, message = convert(tool, path, output=out)
    assert status == 0 and "skipped skin models/a/other.pcx: only the first skin is used" in message, message
    check_frames(out, "d", NAMES, [TRIANGLES], lambda f, m: points[f])
    check_glb(tool, path, folder, len(NAMES), lambda f, m: points[f])
    check_clips(out, CLIPS)
    (shader, _, corners), = read_mesh(os.path.join(out, "d.md5mesh"))
    assert shader == "models/a/skin.pcx", shader
    check_close(corner_values(corners, 1), [x for t in uvs for c in t for x in c], 1e-6,
                "texture coordinates of MD2")

    status, message = convert(tool, write_file("e.md3", make_md3()), output=out)
    assert status == 0, message
    check_frames(out, "e", NAMES, [TRIANGLES[:2], TRIANGLES[2:]],
                 lambda f, m: [[x - 100 * m / 64 for x in p] for p in frame_points(f)])
    check_clips(out, CLIPS)
    assert [m[0] for m in read_mesh(os.path.join(out, "e.md5mesh"))] == ["models/a/part0", "models/a/part1"]
    for k, frame in enumerate(read_clip(os.path.join(out, "pain1.md5anim"))[1]):
        check_close(frame["tag_hand"], [2 + k, 2, 3, 0, 0, -0.5 ** 0.5 * (k % 2)], 1e-6, "tag")
    status, message = convert(tool, write_file("g.md3", make_md3(is_first_empty=True)), output=out)
    assert status == 0, message
    translated = [[[x - 100 / 64 + 50 for x in p] for p in frame_points(f)] for f in range(len(NAMES))]
    boxes = re.findall(r"^\t\( (.*?) \) \( (.*?) \)$",
                       open(os.path.join(out, "pain1.md5anim")).read().split("baseframe")[0], re.M)
    for k, box in enumerate(boxes):
        box_points = translated[0] + translated[NAMES.index(CLIPS["pain1"][k])]
        check_close(list(map(float, " ".join(box).split())),
                    [function(p[i] for p in box_points) for function in (min, max) for i in range(3)], 1e-5,
                    "box")
    assert len(boxes) == len(CLIPS["pain1"]), boxes
    status, message = convert(tool, write_file("f.md3", make_md3(1)), output=out)
    assert status == 0 and os.listdir(out) == ["f.md5mesh"], (message, os.listdir(out))

    status, message = convert(tool, write_file("hand.md3", make_md3(num_surfaces=0)), output=out)
    assert status == 0 and "no meshes found: converted only the motion of the tags" in message, message
    assert sorted(os.listdir(out)) == sorted(f"{title}.md5anim" for title in CLIPS), os.listdir(out)
    for k, frame in enumerate(read_clip(os.path.join(out, "pain1.md5anim"))[1]):
        check_close(frame["tag_hand"], [2 + k, 2, 3, 0, 0, -0.5 ** 0.5 * (k % 2)], 1e-6, "tag without meshes")
    assert "( 0 0 0 ) ( 3 2 3 )" in open(os.path.join(out, "pain1.md5anim")).read()
    status, message = tool.run("check", out)
    assert status == 0, message


def check_errors(tool, folder):
    """Errors contain the location, the found value and the expected value."""
    mdl, (md2, _), md3 = make_mdl([[0], [1, 2]]), make_md2(), make_md3()
    surface = 108 + 168 * len(NAMES)
    cases = [("mdl", mdl, 0, b"IDST",
              "expected IDPO, IDP2 or IDP3 at the start, found 'IDST'; "
              "Half-Life models are not supported: decompile"),
             ("mdl", mdl, 0, b"UMDL", "found 'UMDL'; if it is a model of another game, open it in a program"),
             ("md2", md2, 0, bytes(4), "found bytes 00000000; if it is a model of another game"),
             ("mdl", mdl, 4, 7, "version at offset 4 is wrong: expected 6, found 7"),
             ("mdl", mdl, 60, 1 << 30,
              "number of vertices at offset 60 is out of range: expected 1 to 120, found 1073741824"),
             ("mdl", mdl, 52, 0, "skin width at offset 52 is out of range: expected 1 to 8191, found 0"),
             ("mdl", mdl, 8, b"\0\0\xc0\x7f",
              "number at offset 8 is out of range: expected -1e9 to 1e9, found nan"),
             ("mdl", mdl, 84 + 36 + 80 + 60 + 4, 5,
              "vertex index at offset 264 is out of range: expected 0 to 4, found 5"),
             ("mdl", mdl, 84, 1,
              "group size at offset 88 is out of range: expected 1 to 1024, found 117901063"),
             ("mdl", mdl, 68, 2000,
              "number of frames at offset 68 is out of range: expected 1 to 1024, found 2000"),
             ("md2", md2, 4, 9, "version at offset 4 is wrong: expected 8, found 9"),
             ("md2", md2, 64, 1 << 20,
              "end offset at offset 64 is out of range: expected 68 to 624, found 1048576"),
             ("md2", md2, 16, 8, "frame size at offset 16 is out of range: expected 60 to 623, found 8"),
             ("md2", md2, 68 + 128 + 16, 9 | 9 << 16,
              "vertex index at offset 212 is out of range: expected 0 to 4, found 9"),
             ("md2", md2, 68 + 128 + 16 + 4, 9 << 16,
              "texture coordinate index at offset 218 is out of range: expected 0 to 3, found 9"),
             ("md3", md3, 4, 14, "version at offset 4 is wrong: expected 15, found 14"),
             ("md3", md3, surface, 0,
              f"surface ident at offset {surface} is wrong: expected 860898377, found 0"),
             ("md3", md3, surface + 72, 5,
              f"surface frame count at offset {surface + 72} is wrong: expected 6, found 5"),
             ("md3", md3, surface + 104, 1 << 28, "surface size at offset .*, found 268435456"),
             ("md3", md3, surface + 176, 9, "vertex index at offset .*: expected 0 to 4, found 9"),
             ("md3", md3, 108 + 56 * len(NAMES) + 64, b"\0\0\x80\x7f",
              "number at offset 508 is out of range: expected -1e9 to 1e9, found inf")]
    cases += [(kind, data[:len(data) * part // 9], 0, b"", "bytes|expected") for part in range(9)
              for kind, data in (("mdl", mdl), ("md2", md2), ("md3", md3))]
    for kind, data, at, replacement, expected_message in cases:
        replacement = struct.pack("<I", replacement) if isinstance(replacement, int) else replacement
        path = os.path.join(folder, "bad." + kind)
        open(path, "wb").write(data[:at] + replacement + data[at + len(replacement):])
        status, message = convert(tool, path, output=os.path.join(folder, "bad"))
        is_expected = re.search(r"bad\.m..: error: .*(" + expected_message + ")", message)
        if status != 1 or not is_expected or os.listdir(folder + "/bad"):
            sys.exit(f"{kind} at {at}: {status} {message}instead of {expected_message}")


def write_seeds(_, folder):
    for kind, data in (("mdl", make_mdl([[0], [1, 2]])), ("md2", make_md2()[0]), ("md3", make_md3(2))):
        open(os.path.join(folder, "box." + kind), "wb").write(data)
    open(os.path.join(folder, "alone.mdl"), "wb").write(make_mdl(SINGLE_FRAMES))


def check_round_trip(tool, folder, source, rewritten):
    """Compares a round trip with the original: its frames differ by at most half a step of a grid of 255."""
    found = []
    for k, path in enumerate((source, rewritten)):
        out = os.path.join(folder, f"back{k}")
        status, message = convert(tool, path, output=out)
        assert status == 0, message
        stem = os.path.splitext(os.path.basename(path))[0]
        machine = open(os.path.join(out, stem + ".md5machine")).read()
        files = [os.path.join(out, stem + ".md5mesh")]  # then the others, in the order of frames
        names = re.findall(r"^ +morph (\S+)", machine, re.M)
        files += [os.path.join(out, f"morphs/{title}.md5mesh") for title in names]
        clips = {f: len(read_clip(os.path.join(out, f))[1]) for f in os.listdir(out) if f.endswith("anim")}
        found.append((clips, [[corner_values(m[2], 0) for m in read_mesh(f)] for f in files]))
    (clips, frames), (clips_again, frames_again) = found
    assert clips == clips_again, (clips, clips_again)
    all_values = [x for frame in frames for mesh in frame for x in mesh]
    step = max(max(all_values[k::3]) - min(all_values[k::3]) for k in range(3)) / 255
    assert len(frames) == len(frames_again), rewritten
    for before, after in zip(frames, frames_again):
        check_close(sum(before, []), sum(after, []), step / 2 + 1e-4, rewritten)


def check_golden(tool, folder, source):
    expected = json.load(open(os.path.join(source, "expected.json")))
    count = 0
    for title, e in expected.items():
        if title.rsplit(".")[-1] not in ("mdl", "md2", "md3"):
            continue
        path, out, stem = os.path.join(source, title), os.path.join(folder, "golden"), title.rsplit(".")[0]
        status, message = convert(tool, path, output=out)
        assert status == 0, message
        surfaces = e.get("surfaces", [e])
        names = [f if isinstance(f, str) else f["name"] for f in e["frames"]]

        def at(frame, m):
            return surfaces[m]["frames"][frame]["positions"]
        check_frames(out, stem, names, [s["triangles"] for s in surfaces], at)
        check_glb(tool, path, folder, len(names), at)
        machine, rewritten = os.path.join(out, stem + ".md5machine"), os.path.join(folder, title)
        assert convert(tool, machine, output=rewritten)[0] == 0, title
        check_round_trip(tool, folder, path, rewritten)
        for tag in e.get("tags", []):
            frames = [f for c in ("stand", "run") for f in read_clip(os.path.join(out, c + ".md5anim"))[1]]
            for frame, expected_frame in zip(frames, tag["frames"]):
                x, y, z = frame[tag["name"]][3:]
                w = (1 - x * x - y * y - z * z) ** 0.5  # the file's quaternions are inverse
                forward = (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y))
                check_close([*frame[tag["name"]][:3], *forward],
                            expected_frame["origin"] + expected_frame["axes"][0], 1e-5, "tag")
        count += 1
    assert count >= 8, count


if __name__ == "__main__":
    cases = {"own": check_generated, "refuses": check_errors, "seeds": write_seeds, "back": check_round_trip,
             "golden": check_golden}
    with md5tool.Batch(sys.argv[1]) as batch:
        cases[sys.argv[3]](batch, sys.argv[2], *sys.argv[4:])
