"""Reads animated images (APNG) with only the standard library of Python.

frames.py FILE PICTURE.png...   checks that FILE contains these images in this order, and
                                     prints "width height total-seconds worst-mean-difference"
"""
import struct
import sys
import zlib

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import png  # noqa: E402


def apng_frames(data):
    """Returns the size, and a list of (seconds, rows of RGBA)."""
    at, size, count, sequence, frames = 8, None, 0, 0, []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] != zlib.crc32(kind + body):
            sys.exit(f"checksum of {kind.decode()} is wrong")
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"acTL":
            count, num_plays = struct.unpack(">II", body)
            if num_plays != 0:
                sys.exit("does not play on")
        if kind in (b"fcTL", b"fdAT"):
            if struct.unpack(">I", body[:4])[0] != sequence:
                sys.exit("chunks are out of order")
            sequence += 1
        if kind == b"fcTL":
            numerator, denominator = struct.unpack(">HH", body[20:24])
            frames.append([numerator / denominator, b""])
        if kind in (b"IDAT", b"fdAT"):
            frames[-1][1] += body[4 if kind == b"fdAT" else 0:]
        at += 12 + length
    if count != len(frames):
        sys.exit(f"says {count} pictures, holds {len(frames)}")
    width, height = size
    return size, [(seconds, png.unfilter(zlib.decompress(packed), width * 4, height, 4))
                  for seconds, packed in frames]


def read(path):
    with open(path, "rb") as file:
        return apng_frames(file.read())


def mean_difference(rows, picture):
    width, height, picture_rows, step = png.read(picture)
    if (len(rows), len(rows[0])) != (height, width * 4) or step != 4:
        sys.exit(f"{picture}: of another size")
    total = sum(abs(a - b) for row, line in zip(rows, picture_rows) for a, b in zip(row, line))
    return total / (width * height * 4)


def main():
    size, frames = read(sys.argv[1])
    pictures = sys.argv[2:]
    if len(frames) != len(pictures):
        sys.exit(f"{len(frames)} pictures, expected {len(pictures)}")
    largest = max(mean_difference(rows, picture) for (_, rows), picture in zip(frames, pictures))
    print(*size, round(sum(seconds for seconds, _ in frames), 6), round(largest, 4))


if __name__ == "__main__":
    main()
