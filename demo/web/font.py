#!/usr/bin/env python3
"""font.py FONT.ttf OUTPUT.ttf: writes the font with the outlines of ASCII, Latin-1 and the viewer's signs.

Glyphs keep their indices. All other outlines and the tables that stb_truetype does not read are removed, so
that a page loads a tenth of the font. The codes of the signs are read from demo/viewer/base/font.c.
"""
import re
import struct
import sys

KEPT_TABLES = b"OS/2", b"cmap", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp", b"name"
SOURCE = "demo/viewer/base/font.c"


def wanted_codes():
    with open(SOURCE) as file:
        extra_symbols = re.search(r"extra_symbols\[\] = ([^;]*);", file.read())[1]
    letters = bytes.fromhex("".join(re.findall(r"\\x([0-9A-F]{2})", extra_symbols))).decode()
    return [*range(32, 127), *range(160, 256), *map(ord, letters)]


def read_tables(font):
    count, = struct.unpack_from(">H", font, 4)
    rows = (struct.unpack_from(">4s3I", font, 12 + 16 * i) for i in range(count))
    return {name: font[offset:offset + size] for name, _, offset, size in rows}


def glyphs_of_codes(cmap):
    """Returns the glyph of each code, from the subtable of format 4 for Unicode."""
    count, = struct.unpack_from(">H", cmap, 2)
    for i in range(count):
        platform, encoding, at = struct.unpack_from(">HHI", cmap, 4 + 8 * i)
        if (platform, encoding) == (3, 1) and struct.unpack_from(">H", cmap, at)[0] == 4:
            break
    else:
        sys.exit("no character map for Unicode")
    num_segments, = struct.unpack_from(">H", cmap, at + 6)
    num_segments //= 2
    glyphs = {}
    for i in range(num_segments):
        end, = struct.unpack_from(">H", cmap, at + 14 + 2 * i)
        start, delta, offset = (struct.unpack_from(">H", cmap, at + 16 + 2 * (num_segments * k + i))[0]
                                for k in (1, 2, 3))
        for code in range(start, end + 1):
            glyph = code
            if offset:
                position = at + 16 + 2 * (num_segments * 3 + i) + offset + 2 * (code - start)
                glyph, = struct.unpack_from(">H", cmap, position)
            if not offset or glyph:
                glyph = (glyph + delta) & 0xFFFF
            glyphs[code] = glyph
    return glyphs


def component_glyphs(outline):
    """Yields the glyphs that a composite glyph consists of."""
    if len(outline) < 10 or struct.unpack_from(">h", outline)[0] >= 0:
        return
    at, has_more = 10, True
    while has_more:
        flags, glyph = struct.unpack_from(">HH", outline, at)
        yield glyph
        at += 4 + (4 if flags & 1 else 2) + (2 if flags & 8 else 4 if flags & 64 else 8 if flags & 128 else 0)
        has_more = flags & 32


def main(source, target):
    with open(source, "rb") as file:
        tables = read_tables(file.read())
    is_long, = struct.unpack_from(">H", tables[b"head"], 50)
    size = len(tables[b"loca"]) // (4 if is_long else 2)
    offsets = struct.unpack(">%d%s" % (size, "I" if is_long else "H"), tables[b"loca"])
    offsets = [offset * (1 if is_long else 2) for offset in offsets]
    outlines = [tables[b"glyf"][a:b] for a, b in zip(offsets, offsets[1:])]
    glyphs = glyphs_of_codes(tables[b"cmap"])
    used_glyphs, pending = set(), [0, *(glyphs.get(code, 0) for code in wanted_codes())]
    while pending:
        glyph = pending.pop()
        if glyph not in used_glyphs:
            used_glyphs.add(glyph)
            pending.extend(component_glyphs(outlines[glyph]))
    kept = [outline if i in used_glyphs else b"" for i, outline in enumerate(outlines)]
    ends = [0]
    for outline in kept:
        ends.append(ends[-1] + len(outline))
    head = bytearray(tables[b"head"])
    struct.pack_into(">H", head, 50, 1)
    tables.update({b"glyf": b"".join(kept), b"loca": struct.pack(">%dI" % len(ends), *ends),
                   b"head": bytes(head)})
    kept = {name: tables[name] for name in sorted(KEPT_TABLES) if name in tables}
    at = 12 + 16 * len(kept)
    rows, bodies = b"", b""
    for name, body in kept.items():
        rows += struct.pack(">4s3I", name, 0, at + len(bodies), len(body))
        bodies += body + b"\0" * (-len(body) % 4)
    with open(target, "wb") as file:
        file.write(struct.pack(">I4H", 0x10000, len(kept), 0, 0, 0) + rows + bodies)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
