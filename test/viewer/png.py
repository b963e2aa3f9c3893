"""Inspects PNG images (8 bits per channel or index) with only the standard library of Python.

png.py size FILE            "width height"
png.py covered FILE         fraction of pixels that are not transparent, and their bounding box:
                                 "fraction left top right bottom", from 0 to 1
png.py corner FILE          "r g b a" of the pixel in the top left corner
png.py colors FILE         number of different colors, counted up to 1000
png.py differ FILE FILE     fraction of pixels with a channel that differs by more than 24
png.py redrawn FILE FILE    the same, by more than 48: other text or lines, not another palette
png.py all FILE...          size, covered, corner and colors of each file in turn, in a line each
"""
import struct
import sys
import zlib


def read(path):
    """Returns width, height, rows of bytes, and bytes per pixel."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit(f"{path}: not a PNG file")
    at, packed, size, palette = 8, b"", None, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        (check,) = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        if check != zlib.crc32(kind + body):
            sys.exit(f"{path}: checksum of {kind.decode()} is wrong")
        if kind == b"IHDR":
            size = struct.unpack(">IIBBBBB", body)
        if kind == b"PLTE":
            palette = body
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height, depth, color = size[:4]
    if depth == 8 and color == 3:
        rows = unfilter(zlib.decompress(packed), width, height, 1)
        return width, height, [b"".join(palette[3 * i:3 * i + 3] for i in row) for row in rows], 3
    if depth != 8 or color not in (2, 6):
        sys.exit(f"{path}: neither RGB, RGBA nor a palette of bytes")
    step = 4 if color == 6 else 3
    return width, height, unfilter(zlib.decompress(packed), width * step, height, step), step


def unfilter(raw, stride, height, step):
    rows, above = [], bytes(stride)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind == 1:
            for i in range(step, stride):
                row[i] = (row[i] + row[i - step]) & 255
        elif kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above))
        elif kind == 3:
            for i in range(stride):
                left = row[i - step] if i >= step else 0
                row[i] = (row[i] + (left + above[i]) // 2) & 255
        elif kind == 4:
            for i in range(stride):
                a, c = (row[i - step], above[i - step]) if i >= step else (0, 0)
                b = above[i]
                near_a, near_b, near_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                best = a if near_a <= near_b and near_a <= near_c else b if near_b <= near_c else c
                row[i] = (row[i] + best) & 255
        rows.append(bytes(row))
        above = rows[-1]
    return rows


def size(width, height, _rows, _step):
    return f"{width} {height}"


def covered(width, height, rows, step):
    if step != 4:
        return "1 0 0 1 1"
    count, left, top, right, bottom = 0, width, height, 0, 0
    for y, row in enumerate(rows):
        solid = [x for x, alpha in enumerate(row[3::4]) if alpha > 0]
        if solid:
            count += len(solid)
            left, right = min(left, solid[0]), max(right, solid[-1] + 1)
            top, bottom = min(top, y), y + 1
    share = count / (width * height)
    return (f"{share:.4f} {left / width:.4f} {top / height:.4f} "
            f"{right / width:.4f} {bottom / height:.4f}")


def corner(_width, _height, rows, step):
    return " ".join(str(value) for value in rows[0][:step])


def colors(_width, _height, rows, step):
    found = set()
    for row in rows:
        found.update(row[i:i + step] for i in range(0, len(row), step))
        if len(found) >= 1000:
            return "1000"
    return str(len(found))


def differ(a, b, levels=24):
    width, height, rows_a, step_a = a
    width_b, height_b, rows_b, step_b = b
    if (width, height) != (width_b, height_b):
        return "1 other size"
    count, channels = 0, min(step_a, step_b)
    for row_a, row_b in zip(rows_a, rows_b):
        if row_a == row_b:
            continue
        for x in range(width):
            count += any(abs(row_a[x * step_a + c] - row_b[x * step_b + c]) > levels for c in range(channels))
    return f"{count / (width * height):.5f}"


FIGURES = {"size": size, "covered": covered, "corner": corner, "colors": colors}


def main():
    command, pictures = sys.argv[1], [read(path) for path in sys.argv[2:]]
    if command in FIGURES:
        print(FIGURES[command](*pictures[0]))
    elif command == "differ":
        print(differ(*pictures))
    elif command == "redrawn":
        print(differ(*pictures, levels=48))
    elif command == "all":
        for picture in pictures:
            for figure in FIGURES.values():
                print(figure(*picture))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
