"""Fills a texture by asking for a colour at every texel's place in space."""

from array import array

from kit import atlas


def skin_textures(size, charts, tris, fields, parts, texel, background):
    """Three pictures of a surface: its colour, its relief as tangent-space normals, its gloss.

    fields: per vertex an (x, y, z, nx, ny, nz, sky, along) tuple. texel(part, x, y, z, normal, sky,
    along) is asked once per texel and gives (colour, height in model units, gloss 0..255). Returns
    colour, normals, gloss (one byte per texel)."""
    pixels = bytearray(bytes(background) * (size * size))
    gloss = bytearray(size * size)
    heights, owner = array("f", bytes(4 * size * size)), array("i", [-1]) * (size * size)
    # 1: at the rim of a triangle, may still be improved; 2: well inside.
    state = bytearray(size * size)
    for number, chart in enumerate(charts):
        for n in chart.tris:
            corners = tris[n]
            a, b, c = (fields[v] for v in corners)
            part = parts[n]
            for x, y, wa, wb, wc, inside in atlas.cover([chart.texels[v] for v in corners], size):
                place = y * size + x
                if state[place] == 2 or (state[place] == 1 and not inside):
                    continue
                state[place] = 2 if inside else 1
                owner[place] = number
                px, py, pz, nx, ny, nz, sky, along = [wa * i + wb * j + wc * k
                                                      for i, j, k in zip(a, b, c)]
                length = (nx * nx + ny * ny + nz * nz) ** 0.5 or 1.0
                rgb, heights[place], shine = texel(
                    part, px, py, pz, (nx / length, ny / length, nz / length), sky, along)
                gloss[place] = int(shine + 0.5)
                pixels[3 * place:3 * place + 3] = bytes(
                    [0 if v < 0.0 else 255 if v > 254.5 else int(v + 0.5) for v in rgb])
    normals = _normals(size, charts, heights, owner)
    atlas.spread(normals, bytearray(state), size, 6)
    atlas.spread(gloss, bytearray(state), size, 6, 1)
    atlas.spread(pixels, state, size, 6)
    return pixels, normals, gloss


def _normals(size, charts, heights, owner):
    """Tangent-space normals of a height field: red leans towards growing u, green towards growing
    v (downwards in the picture, the tangents of id's engine). Slopes never cross a chart's rim."""
    out = bytearray(b"\x80\x80\xff" * (size * size))
    for place in range(size * size):
        chart = owner[place]
        if chart < 0:
            continue
        slope = []
        for step in (1, size):
            ahead = place + step if place + step < size * size else place
            back = place - step if place >= step else place
            ahead = ahead if owner[ahead] == chart else place
            back = back if owner[back] == chart else place
            span = (ahead - back) // step
            slope.append((heights[ahead] - heights[back]) / span if span else 0.0)
        nx, ny = (-s * charts[chart].texels_per_unit for s in slope)
        scale = 127.0 / (nx * nx + ny * ny + 1.0) ** 0.5
        out[3 * place:3 * place + 3] = bytes((int(128.5 + nx * scale), int(128.5 + ny * scale),
                                              int(128.5 + scale)))
    return out


def flat_texture(size, colour):
    """colour(s, t) with s to the right and t down, both -1..1."""
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            rgb = colour(2.0 * (x + 0.5) / size - 1.0, 2.0 * (y + 0.5) / size - 1.0)
            pixels += bytes([max(0, min(255, int(v + 0.5))) for v in rgb])
    return pixels


def flat_normals(size, height):
    """Tangent-space normals, as _normals, of height(s, t) in texels."""
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
