"""The finished meshes and their textures, for Bobbin and models with his topology."""

import os

from kit import atlas, bake, md5, png, rig
from kit.maths import mirror

from bobbin_parts import face, paint
from bobbin_parts.skeleton import other_side

EYE_TEXELS = 512


def _same(point, weights):
    return point


def skin_mesh(folder, name, shader, half, texels, position=_same):
    """Writes the textures of a skin and returns its mesh. `half` is the left half of the skin
    (bobbin_parts.skin.Skin). The right half is its mirror image and has the same texture. position(point,
    weights) returns the final position of a vertex. A vertex is painted at its original position."""
    atlas.pack(half.charts, texels)
    fields = [p + n + (sky, along) for p, n, sky, along in
              zip(half.points, half.normals, half.open, half.along)]
    pixels, normals, gloss = bake.skin_textures(texels, half.charts, half.tris, fields, half.parts,
                                                paint.texel, paint.TEAL)
    png.write(os.path.join(folder, name + ".png"), texels, texels, pixels)
    png.write(os.path.join(folder, name + "_local.png"), texels, texels, normals)
    png.write(os.path.join(folder, name + "_s.png"), texels, texels, gloss, 2)
    # A vertex on the border of charts is written once per chart.
    index, points, uvs, weights, tris = {}, [], [], [], []
    for n, chart in enumerate(half.charts):
        for v, (x, y) in chart.texels.items():
            index[n, v] = len(points)
            at, weights_here = half.points[v], half.weights[v]
            moved = position(face.sunk(at) if "lid_upper_l" in weights_here else
                             face.tucked(at) if "lid_lower_l" in weights_here else at, weights_here)
            if at[1] == 0.0:
                moved = (moved[0], 0.0, moved[2])
                weights_here = rig.strongest_pairs(weights_here, other_side, 4)
            points.append(moved)
            uvs.append((x / texels, y / texels))
            weights.append(md5.strongest_weights(weights_here, 6, 0.03))
        tris += [tuple(index[n, v] for v in half.tris[t]) for t in chart.tris]
    count = len(points)
    points += [mirror(p) for p in points]
    uvs += uvs
    weights += [[(other_side(joint), bias) for joint, bias in w] for w in weights]
    tris += [(a + count, c + count, b + count) for a, b, c in tris]
    return md5.Mesh("skin", shader, points, uvs, tris, weights)


def eye_mesh(folder, name, shader, position=_same):
    """Writes the textures of the eyes and returns the mesh of both eyeballs. The texture is not mirrored on
    either eye, so that both highlights are on the same side."""
    points, uvs, tris = face.eyeball()
    points = [position(p, {"eye_l": 1.0}) for p in points]
    count = len(points)
    pixels = bake.flat_texture(EYE_TEXELS, paint.eye)
    png.write(os.path.join(folder, name + "_eye.png"), EYE_TEXELS, EYE_TEXELS, pixels)
    # An eye is wet all over.
    png.write(os.path.join(folder, name + "_eye_s.png"), 16, 16, bytes([210]) * 256, 1)
    points += [mirror(p) for p in points]
    uvs += [(1.0 - u, v) for u, v in uvs]
    tris += [(a + count, c + count, b + count) for a, b, c in tris]
    weights = [[("eye_l", 1.0)]] * count + [[("eye_r", 1.0)]] * count
    return md5.Mesh("eyes", shader, points, uvs, tris, weights)
