"""PNG files, 8-bit RGB or grey, from and to flat bytearrays (top row first)."""

import struct
import zlib


def write(path, width, height, pixels, channels=3):
    """3 channels are RGB, 1 is grey. Each row gets the filter (none, left, up or average) with the
    smallest residue."""
    stride = width * channels
    rows = bytearray()
    above = bytes(stride)
    for y in range(height):
        row = bytes(pixels[y * stride:(y + 1) * stride])
        left = bytes(channels) + row[:-channels]
        candidates = (
            (0, row),
            (1, bytes((a - b) & 255 for a, b in zip(row, left))),
            (2, bytes((a - b) & 255 for a, b in zip(row, above))),
            (3, bytes((a - ((b + c) >> 1)) & 255 for a, b, c in zip(row, left, above))),
        )
        kind, best = min(candidates, key=lambda c: sum(v if v < 128 else 256 - v for v in c[1]))
        rows.append(kind)
        rows += best
        above = row
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows), 9)),
                           (b"IEND", b"")):
            file.write(struct.pack(">I", len(body)) + kind + body
                       + struct.pack(">I", zlib.crc32(kind + body)))


def inflated(path):
    """The header and the filtered rows of a file: equal pictures compare equal, whichever
    deflate library packed them."""
    with open(path, "rb") as file:
        data = file.read()
    offset, parts, packed = 8, [], b""
    while offset < len(data):
        size, kind = struct.unpack(">I4s", data[offset:offset + 8])
        body = data[offset + 8:offset + 8 + size]
        if kind == b"IDAT":
            packed += body
        else:
            parts.append((kind, body))
        offset += 12 + size
    return parts, zlib.decompress(packed)


def _unfiltered(kind, row, above, channels):
    """A row that one of the filters of write() has been through."""
    left = channels
    for n, residue in enumerate(row):
        a = row[n - left] if n >= left else 0
        guess = (0, a, above[n], (a + above[n]) >> 1)[kind]
        row[n] = (residue + guess) & 255
    return row


def read(path):
    """Width, height, channels and pixels of a file that write() wrote."""
    parts, rows = inflated(path)
    width, height, _, colour = struct.unpack(">IIBB", dict(parts)[b"IHDR"][:10])
    channels = {0: 1, 2: 3}[colour]
    stride, above, pixels = width * channels, bytes(width * channels), bytearray()
    for y in range(height):
        start = y * (stride + 1)
        above = _unfiltered(rows[start], bytearray(rows[start + 1:start + 1 + stride]), above, channels)
        pixels += above
    return width, height, channels, pixels
