"""PNG files, 8-bit RGB, gray or gray with alpha, from and to flat bytearrays (top row first)."""

import struct
import zlib


def _paeth(left, up, corner):
    """Returns the value that is nearest to left + up - corner."""
    a, b, c = abs(up - corner), abs(left - corner), abs(left + up - corner - corner)
    return left if a <= b and a <= c else up if b <= c else corner


# Predictions of the filters in use, by their numbers in the format.
GUESSES = {1: lambda left, up, corner: left, 2: lambda left, up, corner: up, 4: _paeth}


def _packed(kind, height, stride, pixels, channels):
    rows, above, guess = bytearray(), bytes(stride), GUESSES[kind]
    for y in range(height):
        row = bytes(pixels[y * stride:(y + 1) * stride])
        rows.append(kind)
        rows += bytes([(v - guess(*near)) & 255 for v, *near in
                       zip(row, bytes(channels) + row, above, bytes(channels) + above)])
        above = row
    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_FILTERED)
    return packer.compress(bytes(rows)) + packer.flush()


def write(path, width, height, pixels, channels=3):
    """Writes an image. 3 channels are RGB, 1 is gray, 2 are gray and alpha. All rows get the filter that
    gives the smallest file."""
    packed = min((_packed(kind, height, width * channels, pixels, channels) for kind in GUESSES),
                 key=len)
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 2: 4, 3: 2}[channels], 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b"")):
            file.write(struct.pack(">I", len(body)) + kind + body
                       + struct.pack(">I", zlib.crc32(kind + body)))


def read(path):
    """Returns width, height, channels and pixels of a file that write() wrote."""
    with open(path, "rb") as file:
        data = file.read()
    offset, parts = 8, {}
    while offset < len(data):
        size, kind = struct.unpack(">I4s", data[offset:offset + 8])
        parts[kind] = data[offset + 8:offset + 8 + size]
        offset += 12 + size
    rows = zlib.decompress(parts[b"IDAT"])
    width, height, _, color = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    channels = {0: 1, 2: 3, 4: 2}[color]
    stride, pixels = width * channels, bytearray()
    above = bytes(channels + stride)  # with the pixel to the left of the first
    for y in range(height):
        start = y * (stride + 1)
        guess, row = GUESSES[rows[start]], bytearray(channels)
        for n, residue in enumerate(rows[start + 1:start + 1 + stride]):
            row.append((residue + guess(row[n], above[n + channels], above[n])) & 255)
        pixels += row[channels:]
        above = row
    return width, height, channels, pixels
