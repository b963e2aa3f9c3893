#!/usr/bin/env python3
"""Makes Bobbin, a small dragon: mesh, skeleton, textures, clips and a flight.

    python3 models/make_bobbin.py [FOLDER]     write the files (default: models/bobbin)
    python3 models/make_bobbin.py --check      make them anew and compare with models/bobbin

Plain Python, no packages; the same input gives the same files."""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from kit import atlas, bake, md5, png, rig  # noqa: E402
from kit.maths import mirror  # noqa: E402
from bobbin_parts import face, flight, motion, paint, skeleton, skin  # noqa: E402

NAME = "bobbin"
COMMAND = "make_bobbin.py"
TEXELS = 1024
EYE_TEXELS = 512


def skin_mesh(folder):
    """Both halves of the skin, sharing one texture: the right half is the mirror image."""
    half = skin.half_skin()
    atlas.pack(half.charts, TEXELS)
    fields = [p + n + (sky, along) for p, n, sky, along in
              zip(half.points, half.normals, half.open, half.along)]
    pixels, normals, gloss = bake.skin_textures(TEXELS, half.charts, half.tris, fields, half.parts,
                                                paint.texel, paint.TEAL)
    png.write(os.path.join(folder, NAME + ".png"), TEXELS, TEXELS, pixels)
    png.write(os.path.join(folder, NAME + "_local.png"), TEXELS, TEXELS, normals)
    png.write(os.path.join(folder, NAME + "_s.png"), TEXELS, TEXELS, gloss, 1)
    # A vertex on the border of charts is written once per chart.
    number, points, uvs, weights, tris = {}, [], [], [], []
    for n, chart in enumerate(half.charts):
        for v, (x, y) in chart.texels.items():
            number[n, v] = len(points)
            points.append(half.points[v])
            uvs.append((x / TEXELS, y / TEXELS))
            weights.append(half.weights[v])
        tris += [tuple(number[n, v] for v in half.tris[t]) for t in chart.tris]
    weights = [rig.strongest_pairs(w, skeleton.other_side, 4) if p[1] == 0.0 else w
               for p, w in zip(points, weights)]
    left = [md5.shares(w, 6, 0.03) for w in weights]
    count = len(points)
    points += [mirror(p) for p in points]
    uvs += uvs
    right = [[(skeleton.other_side(joint), bias) for joint, bias in w] for w in left]
    tris += [(a + count, c + count, b + count) for a, b, c in tris]
    return md5.Mesh("skin", "models/bobbin/bobbin", points, uvs, tris, left + right)


def eye_mesh(folder):
    """Two eyeballs. Both show the texture the same way round, so the lights agree."""
    points, uvs, tris = face.eyeball()
    count = len(points)
    pixels = bake.flat_texture(EYE_TEXELS, paint.eye)
    png.write(os.path.join(folder, NAME + "_eye.png"), EYE_TEXELS, EYE_TEXELS, pixels)
    # An eye is wet all over.
    png.write(os.path.join(folder, NAME + "_eye_s.png"), 16, 16, bytes([210]) * 256, 1)
    points += [mirror(p) for p in points]
    uvs += [(1.0 - u, v) for u, v in uvs]
    tris += [(a + count, c + count, b + count) for a, b, c in tris]
    weights = [[("eye_l", 1.0)]] * count + [[("eye_r", 1.0)]] * count
    return md5.Mesh("eyes", "models/bobbin/bobbin_eye", points, uvs, tris, weights)


def make(folder):
    os.makedirs(folder, exist_ok=True)
    bones = rig.Skeleton(skeleton.joints())
    meshes = [skin_mesh(folder), eye_mesh(folder)]

    def save(name, text):
        with open(os.path.join(folder, name), "w", encoding="ascii", newline="\n") as file:
            file.write(text)

    save(NAME + ".md5mesh", md5.mesh_text(COMMAND, bones.rows(), meshes))
    bounds = rig.Bounds(bones, meshes)
    for clip in motion.CLIPS:
        frames, boxes = motion.bake(clip, bones, bounds)
        save(clip.name + ".md5anim",
             md5.anim_text(COMMAND, bones.rows(), clip.rate, frames, boxes))
    save("events.txt", motion.events_text(motion.CLIPS))
    save("flight.md5camera", md5.camera_text(COMMAND, flight.RATE, flight.shots()))
    return bones, meshes


def check(folder):
    """0 when a fresh set of files equals the ones in `folder`."""
    with tempfile.TemporaryDirectory() as fresh:
        make(fresh)
        wrong = []
        for name in sorted(set(os.listdir(fresh)) | set(os.listdir(folder))):
            one, two = os.path.join(fresh, name), os.path.join(folder, name)
            if not (os.path.exists(one) and os.path.exists(two)):
                wrong.append(name + ": only on one side")
            elif name.endswith(".png"):
                if png.inflated(one) != png.inflated(two):
                    wrong.append(name + ": other pixels")
            else:
                with open(one, "rb") as left, open(two, "rb") as right:
                    if left.read() != right.read():
                        wrong.append(name + ": other text")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def main(arguments):
    home = os.path.join(HERE, NAME)
    if arguments == ["--check"]:
        return check(home)
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print(__doc__, file=sys.stderr)
        return 2
    bones, meshes = make(arguments[0] if arguments else home)
    print("%d joints, %d vertices, %d triangles" % (
        len(bones.joints), sum(len(m.points) for m in meshes), sum(len(m.tris) for m in meshes)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
