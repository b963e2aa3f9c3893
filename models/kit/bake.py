"""Fills a texture by evaluating a color at the position of every texel in space."""

from array import array

from kit import atlas


def skin_textures(size, charts, tris, fields, parts, texel, background):
    """Returns three images of a surface: color, relief as tangent-space normals, gloss.

    fields: per vertex an (x, y, z, nx, ny, nz, sky, along) tuple. texel(part, x, y, z, normal, sky,
    along) is called once per texel and returns (color, height in model units, gloss 0..255, alpha of the
    gloss). Returns color, normals, gloss (two bytes per texel)."""
    pixels = bytearray(bytes(background) * (size * size))
    gloss = bytearray(b"\0\xff" * (size * size))
    heights, owner = array("f", bytes(4 * size * size)), array("i", [-1]) * (size * size)
    # 1: at the edge of a triangle, may be overwritten; 2: inside.
    state = bytearray(size * size)
    for chart_index, chart in enumerate(charts):
        for n in chart.tris:
            corners = tris[n]
            a, b, c = (fields[v] for v in corners)
            part = parts[n]
            for x, y, wa, wb, wc, inside in atlas.cover([chart.texels[v] for v in corners], size):
                index = y * size + x
                if state[index] == 2 or (state[index] == 1 and not inside):
                    continue
                state[index] = 2 if inside else 1
                owner[index] = chart_index
                px, py, pz, nx, ny, nz, sky, along = [wa * i + wb * j + wc * k
                                                      for i, j, k in zip(a, b, c)]
                length = (nx * nx + ny * ny + nz * nz) ** 0.5 or 1.0
                rgb, heights[index], shine, alpha = texel(
                    part, px, py, pz, (nx / length, ny / length, nz / length), sky, along)
                gloss[2 * index:2 * index + 2] = bytes((int(shine + 0.5), int(alpha + 0.5)))
                pixels[3 * index:3 * index + 3] = bytes(
                    [0 if v < 0.0 else 255 if v > 254.5 else int(v + 0.5) for v in rgb])
    normals = _normals(size, charts, heights, owner)
    atlas.spread(normals, bytearray(state), size, 6)
    atlas.spread(gloss, bytearray(state), size, 6, 2)
    atlas.spread(pixels, state, size, 6)
    return pixels, normals, gloss


def _normals(size, charts, heights, owner):
    """Returns tangent-space normals of a height field: red leans toward growing u, green toward growing
    v (downwards in the image, the tangents of id's engine). Slopes never cross a chart's border."""
    out = bytearray(b"\x80\x80\xff" * (size * size))
    for index in range(size * size):
        chart = owner[index]
        if chart < 0:
            continue
        slope = []
        for step in (1, size):
            ahead = index + step if index + step < size * size else index
            back = index - step if index >= step else index
            ahead = ahead if owner[ahead] == chart else index
            back = back if owner[back] == chart else index
            span = (ahead - back) // step
            slope.append((heights[ahead] - heights[back]) / span if span else 0.0)
        nx, ny = (-s * charts[chart].texels_per_unit for s in slope)
        scale = 127.0 / (nx * nx + ny * ny + 1.0) ** 0.5
        out[3 * index:3 * index + 3] = bytes((int(128.5 + nx * scale), int(128.5 + ny * scale),
                                              int(128.5 + scale)))
    return out


def flat_texture(size, color):
    """Returns a texture of color(s, t), with s to the right and t down, both -1..1."""
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            rgb = color(2.0 * (x + 0.5) / size - 1.0, 2.0 * (y + 0.5) / size - 1.0)
            pixels += bytes([max(0, min(255, int(v + 0.5))) for v in rgb])
    return pixels


def flat_normals(size, height):
    """Returns tangent-space normals, as in _normals, of height(s, t) in texels."""
    row = [[height(2.0 * (x + 0.5) / size - 1.0, 2.0 * (y + 0.5) / size - 1.0)
            for x in range(size)] for y in range(size)]
    pixels = bytearray()
    for y in range(size):
        above, here, below = row[max(y - 1, 0)], row[y], row[min(y + 1, size - 1)]
        for x in range(size):
            nx = -0.5 * (here[min(x + 1, size - 1)] - here[max(x - 1, 0)])
            ny = -0.5 * (below[x] - above[x])
            scale = 127.0 / (nx * nx + ny * ny + 1.0) ** 0.5
            pixels += bytes((int(128.5 + nx * scale), int(128.5 + ny * scale), int(128.5 + scale)))
    return pixels
