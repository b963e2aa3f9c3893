"""Writes a model with images, and compares converted images with the formulas of the originals.

looks.py make FOLDER       FOLDER/models/box: a model of five meshes, its images, clips; FOLDER/materials
looks.py is FILE WHAT      checks that an image, PNG or TGA, has the texels of WHAT, and alpha only if WHAT
has looks.py bytes FILE FILE   checks that two files are equal
"""
import math
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "viewer"))
import png  # noqa: E402

SIDE = 32


def plain(x, y):
    return 7 * x, 5 * y, 3 * (x + y), 255


def holes(x, y):
    return 200, 7 * x, 7 * y, 0 if x < SIDE // 2 else 255


def light(x, y):
    return 8 * x, 4 * y, 2 * (x * y % 50), 255


def normal(x, y):
    """Returns a normal of the height sin(x / 4) cos(y / 5) in id's encoding: y down the image."""
    slope_x = math.cos(x / 4) / 4 * math.cos(y / 5) * 2
    slope_y = -math.sin(x / 4) * math.sin(y / 5) / 5 * 2
    length = math.sqrt(slope_x ** 2 + slope_y ** 2 + 1)
    unit = -slope_x / length, -slope_y / length, 1 / length
    return tuple(round(127.5 + 127.5 * v) for v in unit) + (255,)


def normal_up(x, y):
    red, green, blue, alpha = normal(x, y)
    return red, 255 - green, blue, alpha


def added(x, y):
    """Returns a texel whose alpha blending resembles additive light."""
    red, green, blue, _ = light(x, y)
    largest = max(red, green, blue)
    return tuple(255 * v // largest if largest else 0 for v in (red, green, blue)) + (largest,)


def save_png(path, texel, channels):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b""
    for y in range(SIDE):
        rows += b"\0" + b"".join(bytes(texel(x, y)[:channels]) for x in range(SIDE))
    head = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 6 if channels == 4 else 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head))
        file.write(chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def save_tga(path, texel):
    head = struct.pack("<BBBHHBHHHHBB", 0, 0, 2, 0, 0, 0, 0, 0, SIDE, SIDE, 24, 0x20)  # the top row first
    with open(path, "wb") as file:
        file.write(head)
        for y in range(SIDE):
            for x in range(SIDE):
                red, green, blue, _ = texel(x, y)
                file.write(bytes((blue, green, red)))


def load(path):
    """Returns the texel function and channels of an image."""
    if path.endswith(".png"):
        width, height, rows, step = png.read(path)
    else:
        with open(path, "rb") as file:
            data = file.read()
        kind, width, height, bits, flags = data[2], *struct.unpack("<HHBB", data[12:18])
        step = bits // 8
        assert kind == 2 and step in (3, 4) and flags == (8 if step == 4 else 0), data[:18]
        rows = []
        for y in range(height):
            at = 18 + (height - 1 - y) * width * step
            row = bytearray(data[at:at + width * step])
            row[0::step], row[2::step] = row[2::step], row[0::step]
            rows.append(row)
    assert (width, height) == (SIDE, SIDE), (width, height)
    return lambda x, y: tuple(rows[y][x * step:x * step + step]), step


def make(folder):
    box = os.path.join(folder, "models", "box")
    os.makedirs(box)
    os.makedirs(os.path.join(folder, "materials"))
    meshes = ("plain", "holes", "down", "up", "light")
    save_png(os.path.join(box, "plain.png"), plain, 4)
    save_png(os.path.join(box, "holes.png"), holes, 4)
    for name, texel in ("down", normal), ("up", normal_up):
        save_png(os.path.join(box, name + ".png"), plain, 3)
        save_png(os.path.join(box, name + "_local.png"), texel, 3)
    save_tga(os.path.join(box, "light.tga"), light)
    with open(os.path.join(box, "box.md5mesh"), "w") as file:
        file.write('MD5Version 10\ncommandline ""\n\nnumJoints 2\nnumMeshes %d\n' % len(meshes))
        file.write("\njoints {\n")
        file.write('\t"origin"\t-1 ( 0 0 0 ) ( 0 0 0 )\n\t"lid"\t0 ( 0 0 8 ) ( 0 0 0 )\n}\n')
        for number, name in enumerate(meshes):
            file.write('\nmesh {\n\tshader "models/box/%s"\n\n\tnumverts 4\n' % name)
            for v, (s, t) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
                file.write("\tvert %d ( %d %d ) %d 1\n" % (v, s, t, v))
            file.write("\n\tnumtris 2\n\ttri 0 0 1 2\n\ttri 1 0 2 3\n\n\tnumweights 4\n")
            for v, (y, z) in enumerate(((8, 8), (-8, 8), (-8, -8), (8, -8))):
                file.write("\tweight %d %d 1 ( %d %d %d )\n" % (v, number % 2, number, y, z))
            file.write("}\n")
    for name, frames in ("open", 5), ("shut", 3):
        with open(os.path.join(box, name + ".md5anim"), "w") as file:
            file.write('MD5Version 10\ncommandline ""\n\nnumFrames %d\nnumJoints 2\n' % frames)
            file.write("frameRate 24\nnumAnimatedComponents 1\n\nhierarchy {\n")
            # The root has no components. In one clip, id's engine would stop at the index of its first
            # component.
            file.write('\t"origin"\t-1 0 %d\n\t"lid"\t0 4 0\n}\n' % (name == "shut"))
            file.write("\nbounds {\n")
            file.write("\t( -9 -9 -9 ) ( 29 29 29 )\n" * frames)
            file.write("}\n\nbaseframe {\n\t( 0 0 0 ) ( 0 0 0 )\n\t( 1 2 8 ) ( 0 0.5 0 )\n}\n")
            for frame in range(frames):
                file.write("\nframe %d {\n\t%d\n}\n" % (frame, 8 + frame * len(name) + frames))
    with open(os.path.join(folder, "materials", "box.mtr"), "w") as file:
        file.write("models/box/light\n{\n\ttwosided\n\t{\n\t\tblend add\n")
        file.write("\t\tmap models/box/light.tga\n\t}\n}\n")


def check_texels(path, formula_name):
    texel, step = load(path)
    expected = globals()[formula_name]
    has_alpha = any(expected(x, y)[3] != 255 for x in range(SIDE) for y in range(SIDE))
    assert step == (4 if has_alpha else 3), "%d channels" % step
    for y in range(SIDE):
        for x in range(SIDE):
            assert texel(x, y) == expected(x, y)[:step], (x, y, texel(x, y), expected(x, y))


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "is":
        check_texels(*sys.argv[2:])
    else:
        with open(sys.argv[2], "rb") as a, open(sys.argv[3], "rb") as b:
            assert a.read() == b.read()


main()
