"""Looks into moving pictures (APNG, GIF) with Python's own library only.

frames.py FILE PICTURE.png...   checks that FILE holds these pictures in this order, and
                                     prints "width height seconds-of-all worst-mean-difference"
"""
import struct
import sys
import zlib

sys.path.insert(0, __file__.rsplit("/", 1)[0])
import png  # noqa: E402


def apng_frames(data):
    """Size, then a list of (seconds, rows of RGBA)."""
    at, size, count, sequence, frames = 8, None, 0, 0, []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] != zlib.crc32(kind + body):
            sys.exit(f"checksum of {kind.decode()} is wrong")
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        if kind == b"acTL":
            count, plays = struct.unpack(">II", body)
            if plays != 0:
                sys.exit("does not play on")
        if kind in (b"fcTL", b"fdAT"):
            if struct.unpack(">I", body[:4])[0] != sequence:
                sys.exit("chunks are out of order")
            sequence += 1
        if kind == b"fcTL":
            over, under = struct.unpack(">HH", body[20:24])
            frames.append([over / under, b""])
        if kind in (b"IDAT", b"fdAT"):
            frames[-1][1] += body[4 if kind == b"fdAT" else 0:]
        at += 12 + length
    if count != len(frames):
        sys.exit(f"says {count} pictures, holds {len(frames)}")
    width, height = size
    return size, [(seconds, png.unfilter(zlib.decompress(packed), width * 4, height, 4))
                  for seconds, packed in frames]


def gif_indices(packed, first_size, count):
    """What LZW makes of codes that begin with a size of so many bits. The end has a code, too."""
    clear, size, at, strings, last, out = 1 << first_size, first_size + 1, 0, [], b"", bytearray()
    while True:
        code = int.from_bytes(packed[at >> 3:(at >> 3) + 3], "little") >> (at & 7) & (1 << size) - 1
        at += size
        if code == clear + 1 or at > 8 * len(packed):
            break
        if code == clear:
            strings = [bytes([i]) for i in range(clear)] + [b"", b""]
            last, size = b"", first_size + 1
            continue
        if last and len(strings) < 4096:
            strings.append(last + (strings[code] if code < len(strings) else last)[:1])
        last = strings[code]
        out += last
        size = min(len(strings).bit_length(), 12)
    if len(out) != count or not 0 <= 8 * len(packed) - at < 8:
        sys.exit(f"{len(out)} pixels end after {at} bits of {len(packed)} bytes; expected {count}")
    return out


def gif_frames(data):
    """The same of a GIF as md5view writes it. Before it plays again, nothing is left."""
    size = width, height = struct.unpack("<HH", data[6:10])
    if data[:6] + data[10:32] != b"GIF89a\0\0\0!\xff\x0bNETSCAPE2.0\3\1\0\0\0":
        sys.exit("not a GIF that plays on")
    at, canvas, frames = 32, [bytearray(4 * width) for _ in range(height)], []
    while data[at] != 0x3B:
        block, label, length, flags, delay, lacking, _, kind, left, top, wide, high, colours = \
            struct.unpack("<BBBBHBBBHHHHB", data[at:at + 18])
        if (block, label, length, kind, colours & 0xF8) != (0x21, 0xF9, 4, 0x2C, 0x80) or flags not in (5, 9):
            sys.exit("not a picture with its own palette")
        if left + wide > width or top + high > height or delay < 2:
            sys.exit("a picture is too large, or too short")
        palette, at, packed = data[at + 18:], at + 18 + (6 << colours % 8), b""
        first_size, at = data[at], at + 1
        while data[at] > 0:
            packed += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        for i, index in enumerate(gif_indices(packed, first_size, wide * high)):
            if index != lacking:
                x = 4 * (left + i % wide)
                canvas[top + i // wide][x:x + 4] = palette[3 * index:3 * index + 3] + b"\xff"
        frames.append((delay / 100, [bytes(row) for row in canvas]))
        for row in canvas[top:top + high] if flags == 9 else []:
            row[4 * left:4 * (left + wide)] = bytes(4 * wide)
    if at != len(data) - 1 or any(map(any, canvas)):
        sys.exit("something follows, or stays when it plays again")
    return size, frames


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return (gif_frames if data[:3] == b"GIF" else apng_frames)(data)


def mean_difference(rows, picture):
    width, height, other, step = png.read(picture)
    if (len(rows), len(rows[0])) != (height, width * 4) or step != 4:
        sys.exit(f"{picture}: of another size")
    total = sum(abs(a - b) for row, line in zip(rows, other) for a, b in zip(row, line))
    return total / (width * height * 4)


def main():
    size, frames = read(sys.argv[1])
    pictures = sys.argv[2:]
    if len(frames) != len(pictures):
        sys.exit(f"{len(frames)} pictures, expected {len(pictures)}")
    worst = max(mean_difference(rows, picture) for (_, rows), picture in zip(frames, pictures))
    print(*size, round(sum(seconds for seconds, _ in frames), 6), round(worst, 4))


if __name__ == "__main__":
    main()
