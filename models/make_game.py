#!/usr/bin/env python3
"""Generates the archives of models/game from the models in models/, and copies their figures; the other
declarations there are written manually.

    python3 models/make_game.py [FOLDER]    writes the archives (default: models/game)
    python3 models/make_game.py --check     regenerates and compares with models/game"""

import os
import re
import sys
import struct
import tempfile
import zipfile

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit import md5, noise, png, read  # noqa: E402
from kit.maths import add, conj, dot, mul, rotate, scale, sub, unit  # noqa: E402

COMMAND = "make_game.py"
HOME = os.path.join(FOLDER, "game")
ARCHIVES = ("base/pak000.pk4", "winter/pak000.pk4")
FIGURES = {"base/af/%s.af" % name: (name, name + ".af") for name in ("bobbin", "thimble")}
BLINK = (0.0, 0.55, 1.0, 1.0, 0.6, 0.2, 0.0)  # closing of the lids, frame by frame

BOBBIN_CLIPS = ("attack", "bow", "fall", "hit", "idle", "point", "run", "talk", "turn_left", "turn_right",
                "walk", "wave")
THIMBLE_CLIPS = ("fold", "idle", "shoot", "trot", "unfold", "walk")
# Hip, knee, ankle, and the target of the knee in the pose for IK: helper joints, and the corners of the shot.
BOBBIN_LEGS = tuple(("thigh_" + side, "shin_" + side, "foot_" + side, "knee_" + side) for side in "lr")
THIMBLE_LEGS = tuple(("femur_" + leg, "tibia_" + leg, "foot_" + leg, pole) for leg, pole in zip(
    ("1_l", "1_r", "2_l", "2_r", "3_l", "3_r"),
    ("bolt_tip", "bolt_tail", "bolt_1", "bolt_2", "bolt_3", "bolt_4")))
# Name in the game, image in models/, number of times that its sides are halved.
PICTURES = (("bobbin/skin", "bobbin/bobbin", 1), ("bobbin/skin_local", "bobbin/bobbin_local", 1),
            ("bobbin/skin_s", "bobbin/bobbin_s", 2), ("bobbin/eye", "bobbin/bobbin_eye", 1),
            ("thimble/hull", "thimble/thimble", 1), ("thimble/hull_local", "thimble/thimble_local", 1),
            ("thimble/hull_s", "thimble/thimble_s", 1), ("thimble/hull_add", "thimble/thimble_add", 1),
            ("lantern/lantern", "lantern/lantern", 0), ("lantern/lantern_s", "lantern/lantern_s", 0),
            ("lantern/lantern_add", "lantern/lantern_add", 0))


# -- Bobbin's head and body -----------------------------------------------------------------------

def _descendants(joints, name):
    """Returns the indices of a joint and its descendants; parents come first in these files."""
    found = {n for n, joint in enumerate(joints) if joint[0] == name}
    for n, joint in enumerate(joints):
        if joint[1] in found:
            found.add(n)
    return sorted(found)


def _part(model, mesh, is_kept, shader, shift, joints):
    """Returns the triangles for which `is_kept` is true as a mesh, moved by -shift. joints: for each joint of
    the model, the name of the joint that gets its weights."""
    bind = [(position, rotation) for _, _, position, rotation in model.joints]
    order, tris = {}, []
    for tri in model.tris[mesh]:
        if is_kept(tri):
            # The format's front faces are clockwise, but front faces of md5.Mesh are counterclockwise.
            a, c, b = (order.setdefault(v, len(order)) for v in tri)
            tris.append((a, b, c))
    points = [sub(model.position(model.vertices[mesh][v], bind), shift) for v in order]
    weights = []
    for v in order:
        weight_by_joint = {}
        for joint, bias, _ in model.vertices[mesh][v]:
            weight_by_joint[joints[joint]] = weight_by_joint.get(joints[joint], 0.0) + bias
        weights.append(md5.strongest_weights(weight_by_joint, 8, 0.0))
    uvs = [model.uvs[mesh][v] for v in order]
    return md5.Mesh(os.path.basename(shader), shader, points, uvs, tris, weights)


def split(model):
    """Returns the text of the body and of the head. The head consists of vertices that move only with it, so
    that the seam stays closed; its root is the joint `head`, at the origin."""
    head = _descendants(model.joints, "head")
    shift = model.joints[head[0]][2]
    alone = [all(joint in head for joint, _, _ in vertex) for vertex in model.vertices[0]]
    names = [joint[0] for joint in model.joints]
    on_head = [name if n in head else "head" for n, name in enumerate(names)]
    index_in_head = {joint: n for n, joint in enumerate(head)}
    skeleton = [(name, index_in_head.get(parent, -1), sub(position, shift), rotation)
                for name, parent, position, rotation in (model.joints[n] for n in head)]
    shaders = ("models/md5/bobbin/skin", "models/md5/bobbin/eye")
    body = _part(model, 0, lambda tri: not all(alone[v] for v in tri), shaders[0], (0.0, 0.0, 0.0), names)
    face = _part(model, 0, lambda tri: all(alone[v] for v in tri), shaders[0], shift, on_head)
    eyes = _part(model, 1, lambda tri: True, shaders[1], shift, on_head)
    return (md5.mesh_text(COMMAND, model.joints, [body]), md5.mesh_text(COMMAND, skeleton, [face, eyes]),
            skeleton)


def head_clip(model, skeleton, clip, frames):
    """Returns a clip of only the head: its joints relative to their parents, the root at rest."""
    head = _descendants(model.joints, "head")
    rows = [[((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, -1.0))] + [clip.frames[n][joint] for joint in head[1:]]
            for n in frames]
    corners = _bounds(model, head)
    return md5.anim_text(COMMAND, skeleton, clip.rate, rows, [corners] * len(rows))


def _bounds(model, head):
    """Returns a box with space for moving ears around the head in its bind pose."""
    bind = [(position, rotation) for _, _, position, rotation in model.joints]
    shift = model.joints[head[0]][2]
    spots = [sub(model.position(vertex, bind), shift) for vertices in model.vertices for vertex in vertices
             if any(joint in head for joint, _, _ in vertex)]
    low = tuple(min(spot[axis] for spot in spots) - 6.0 for axis in range(3))
    return low, tuple(max(spot[axis] for spot in spots) + 6.0 for axis in range(3))


def blink_clip(model, skeleton):
    """Returns a clip of lids that shut and open: they rotate about the axis of the eyes, y."""
    frames = []
    locals_ = []
    for name, parent, position, rotation in skeleton:
        if parent >= 0:
            _, _, base, swing = skeleton[parent]
            position, rotation = rotate(conj(swing), sub(position, base)), mul(conj(swing), rotation)
        locals_.append((name, position, rotation))
    for shut in BLINK:
        frame = []
        for name, position, rotation in locals_:
            if name.startswith("lid_"):
                angle = (0.45 if "upper" in name else -0.15) * shut
                rotation = mul(rotation, (0.0, -angle, 0.0, -(1.0 - angle * angle) ** 0.5))
            frame.append((position, rotation))
        frames.append(frame)
    box = _bounds(model, _descendants(model.joints, "head"))
    return md5.anim_text(COMMAND, skeleton, 24, frames, [box] * len(frames))


# -- Legs ------------------------------------------------------------------------------------------

def ik_clip(model, idle, legs):
    """Returns the clip with the pose from which the engine derives the direction in which legs bend. It is
    the first pose of `idle`, except that a pole joint of each leg is placed where its knee points. `legs`
    contains the names of hip, knee, ankle and pole joint. The pole joint does not move the leg."""
    names = [joint[0] for joint in model.joints]
    posed = idle.posed(0)
    frame = list(idle.frames[0])
    for *leg, pole in legs:
        hip, knee, ankle = (posed[names.index(name)][0] for name in leg)
        direction = unit(sub(ankle, hip))
        bend = sub(sub(knee, hip), scale(direction, dot(direction, sub(knee, hip))))
        at = names.index(pole)
        position, rotation = posed[idle.parents[at]]
        frame[at] = (rotate(conj(rotation), sub(add(knee, scale(bend, 3.0)), position)), frame[at][1])
    return md5.anim_text(COMMAND, model.joints, idle.rate, [frame], idle.bounds[:1])


# -- Thimble's shot --------------------------------------------------------------------------------

SHOT = [pole for *_, pole in THIMBLE_LEGS]


def carried(clip):
    """Returns a clip in which the body carries the corners of the shot: walk IK moves the body, but not the
    root."""
    body = clip.names.index("body")
    for n in map(clip.names.index, SHOT):
        clip.parents[n] = body
        for frame in clip.frames:
            (spot, swing), (position, rotation) = frame[body], frame[n]
            frame[n] = rotate(conj(swing), sub(position, spot)), mul(conj(swing), rotation)
    return clip


# -- Images ---------------------------------------------------------------------------------------

def _halved(width, height, channels, pixels):
    """Returns an image of half the size: the mean of two by two pixels."""
    out = bytearray()
    stride = width * channels
    for y in range(0, height, 2):
        for x in range(0, stride, 2 * channels):
            at = y * stride + x
            for c in range(at, at + channels):
                out.append((pixels[c] + pixels[c + channels] + pixels[c + stride]
                            + pixels[c + channels + stride] + 2) >> 2)
    return width // 2, height // 2, channels, out


def tga(width, height, channels, pixels):
    """Returns an uncompressed image (type 2, 24 bits), its lowest row first, as the engine requires."""
    rows = []
    for y in range(height - 1, -1, -1):
        row = bytearray(width * 3)
        line = pixels[y * width * channels:(y + 1) * width * channels]
        for c in range(3):
            row[c::3] = line[(2 - c if channels == 3 else 0)::channels]
        rows.append(bytes(row))
    return struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, width, height, 24, 0) + b"".join(rows)


def image(name, halvings):
    found = png.read(os.path.join(FOLDER, name + ".png"))
    for _ in range(halvings):
        found = _halved(*found)
    return tga(*found)


def frost(size=64):
    """Returns pale spots, to be added to a color."""
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            spot = max(0.0, noise.value(12.0 * x / size, 12.0 * y / size, 3.0) - 0.55)
            pixels += bytes(int(min(255.0, spot * scale)) for scale in (300.0, 330.0, 380.0))
    return tga(size, size, 3, pixels)


def burn(size=128):
    """Returns the time at which each spot burns away: noise with equally frequent values, so that an alpha
    test at 0.3 removes three tenths."""
    spots = []
    for y in range(size):
        for x in range(size):
            u, v = x / size, y / size
            spots.append(sum(noise.value(n * u, n * v, n) / n for n in (6.0, 12.0, 24.0)))
    pixels = bytearray(3 * size * size)
    for rank, n in enumerate(sorted(range(size * size), key=lambda n: spots[n])):
        pixels[3 * n:3 * n + 3] = bytes(3 * [rank * 256 // (size * size)])
    return tga(size, size, 3, pixels)


def sky(axis, sign, size=32):
    """Returns a side of a cube map: a bright zenith, a horizon, dark ground, and a sun toward +x and +y.
    `axis` and `sign` select the side; rows and columns have the order of OpenGL's cube maps."""
    pixels = bytearray()
    for row in range(size):
        for column in range(size):
            s, t = 2.0 * (column + 0.5) / size - 1.0, 2.0 * (row + 0.5) / size - 1.0
            x, y, z = ((sign, -t, -sign * s), (s, sign, sign * t), (sign * s, -t, sign))[axis]
            length = (x * x + y * y + z * z) ** 0.5
            x, y, z = x / length, y / length, z / length
            sun = max(0.0, 0.6 * x + 0.6 * y + 0.53 * z) ** 24.0
            light = (60.0, 50.0, 42.0)
            if z >= 0.0:
                light = (90.0 + 110.0 * z, 110.0 + 110.0 * z, 140.0 + 110.0 * z)
            pixels += bytes(int(min(255.0, value + 255.0 * sun)) for value in light)
    return tga(size, size, 3, pixels)


# -- Archives -------------------------------------------------------------------------------------

def _bytes(*path):
    with open(os.path.join(FOLDER, *path), "rb") as file:
        return file.read()


def base_files():
    model = read.Mesh(os.path.join(FOLDER, "bobbin", "bobbin.md5mesh"))
    torso, head, skeleton = split(model)
    idle = read.Anim(os.path.join(FOLDER, "bobbin", "idle.md5anim"))
    folder = "models/md5/bobbin/"
    yield folder + "body.md5mesh", torso.encode()
    yield folder + "head.md5mesh", head.encode()
    yield folder + "head_idle.md5anim", head_clip(model, skeleton, idle, range(len(idle.frames))).encode()
    yield folder + "head_blink.md5anim", blink_clip(model, skeleton).encode()
    for clip in BOBBIN_CLIPS:
        yield folder + clip + ".md5anim", _bytes("bobbin", clip + ".md5anim")
    hull = read.Mesh(os.path.join(FOLDER, "thimble", "thimble.md5mesh"))
    body = [joint[0] for joint in hull.joints].index("body")
    hull.joints = [(name, body if name in SHOT else parent, position, rotation)
                   for name, parent, position, rotation in hull.joints]
    for name in THIMBLE_CLIPS:
        clip = carried(read.Anim(os.path.join(FOLDER, "thimble", name + ".md5anim")))
        yield ("models/md5/thimble/" + name + ".md5anim",
               md5.anim_text(COMMAND, hull.joints, clip.rate, clip.frames, clip.bounds).encode())
    standing = carried(read.Anim(os.path.join(FOLDER, "thimble", "idle.md5anim")))
    yield folder + "ik_pose.md5anim", ik_clip(model, idle, BOBBIN_LEGS).encode()
    yield "models/md5/thimble/ik_pose.md5anim", ik_clip(hull, standing, THIMBLE_LEGS).encode()
    for path, shader in (("thimble/thimble", "thimble/hull"), ("lantern/lantern", "lantern/lantern")):
        text = _bytes(path + ".md5mesh").decode().replace('"models/%s"' % path, '"models/md5/%s"' % shader)
        text = re.sub(r'("bolt_\w+"\s+)0(.*// )origin', r"\g<1>%d\g<2>body" % body, text)
        yield "models/md5/" + path + ".md5mesh", text.encode()
    for name, source, halvings in PICTURES:
        yield "models/md5/" + name + ".tga", image(source, halvings)
    yield "textures/burn.tga", burn()
    for axis, letter in enumerate("xyz"):
        yield "env/kinds_p%s.tga" % letter, sky(axis, 1.0)
        yield "env/kinds_n%s.tga" % letter, sky(axis, -1.0)


def winter_files():
    yield "textures/winter/frost.tga", frost()
    # An archive can also replace a single file. This archive adds snow to Thimble's hull.
    whole = png.read(os.path.join(FOLDER, "thimble", "thimble.png"))
    width, height, channels, pixels = _halved(*_halved(*whole))
    for n, value in enumerate(pixels):
        pixels[n] = 96 + value * 5 // 8
    yield "models/md5/thimble/hull.tga", tga(width, height, channels, pixels)


def archive(path, files):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in sorted(files):
            # A fixed date makes the archive reproducible.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, data, compresslevel=9)


def generate(folder):
    for name, files in zip(ARCHIVES, (base_files(), winter_files())):
        archive(os.path.join(folder, *name.split("/")), files)
    for name, source in FIGURES.items():
        path = os.path.join(folder, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(_bytes(*source))
    return "2 archives, 2 figures"


def _content(path):
    with zipfile.ZipFile(path) as packed:
        return [(name, packed.read(name)) for name in packed.namelist()]


def check():
    """Compares the contents of the archives, because two deflate libraries compress equal files
    differently."""
    wrong = 0
    with tempfile.TemporaryDirectory() as fresh:
        generate(fresh)
        for name in ARCHIVES:
            if _content(os.path.join(fresh, name)) != _content(os.path.join(HOME, name)):
                print(name + ": differs", file=sys.stderr)
                wrong = 1
    for name, source in FIGURES.items():
        if _bytes("game", *name.split("/")) != _bytes(*source):
            print(name + ": differs", file=sys.stderr)
            wrong = 1
    return wrong


def run(arguments):
    if arguments == ["--check"]:
        return check()
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print(__doc__, file=sys.stderr)
        return 2
    print(generate(arguments[0] if arguments else HOME))
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
