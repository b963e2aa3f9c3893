"""Fills a texture by asking for a colour at every texel's place in space."""

from kit import atlas


def skin_texture(size, charts, tris, fields, parts, colour, background):
    """fields: per vertex an (x, y, z, nx, ny, nz, sky, along) tuple. colour(part, x, y, z, normal,
    sky, along) is asked once per texel. Returns the pixels and the share of texels in use."""
    pixels = bytearray(bytes(background) * (size * size))
    # 1: at the rim of a triangle, may still be improved; 2: well inside.
    state = bytearray(size * size)
    for chart in charts:
        for n in chart.tris:
            corners = tris[n]
            a, b, c = (fields[v] for v in corners)
            part = parts[n]
            for x, y, wa, wb, wc, inside in atlas.cover([chart.texels[v] for v in corners], size):
                texel = y * size + x
                if state[texel] == 2 or (state[texel] == 1 and not inside):
                    continue
                state[texel] = 2 if inside else 1
                px, py, pz, nx, ny, nz, sky, along = [wa * i + wb * j + wc * k
                                                      for i, j, k in zip(a, b, c)]
                length = (nx * nx + ny * ny + nz * nz) ** 0.5 or 1.0
                rgb = colour(part, px, py, pz, (nx / length, ny / length, nz / length), sky, along)
                pixels[3 * texel:3 * texel + 3] = bytes(
                    [0 if v < 0.0 else 255 if v > 254.5 else int(v + 0.5) for v in rgb])
    used = sum(1 for s in state if s)
    atlas.spread(pixels, state, size, 6)
    return pixels, used / (size * size)


def flat_texture(size, colour):
    """colour(s, t) with s to the right and t down, both -1..1."""
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            rgb = colour(2.0 * (x + 0.5) / size - 1.0, 2.0 * (y + 0.5) / size - 1.0)
            pixels += bytes([max(0, min(255, int(v + 0.5))) for v in rgb])
    return pixels
