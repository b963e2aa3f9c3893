"""same.py OLD NEW: compares the models and images in two folders, with tolerances for rounding on other
processors: 1e-4 for numbers, 2 of 255 for colors. Other files in OLD are ignored."""

import os
import re
import struct
import sys
import zlib

KINDS = (".md5mesh", ".md5anim", ".md5camera", ".png")


def texts_differ(one, two):
    """Returns the first difference, or None."""
    with open(one, encoding="utf-8") as left, open(two, encoding="utf-8") as right:
        old, new = left.read().split(), right.read().split()
    if len(old) != len(new):
        return "%d words, not %d" % (len(new), len(old))
    number = re.compile(r"-?\d+(\.\d+)?$")
    for a, b in zip(old, new):
        if a != b and not (number.match(a) and number.match(b) and abs(float(a) - float(b)) <= 1e-4):
            return "'%s', not '%s'" % (b, a)
    return None


def pixels(path):
    """Returns the size and the rows of bytes of an RGB image."""
    with open(path, "rb") as file:
        data = file.read()
    place, packed, size = 8, b"", None
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        place += 12 + length
    flat, stride = zlib.decompress(packed), size[0] * 3
    rows, above = [], bytes(stride)
    for start in range(0, len(flat), stride + 1):
        row, kind = bytearray(flat[start + 1:start + 1 + stride]), flat[start]
        for n in range(stride) if kind else ():
            left = row[n - 3] if n >= 3 else 0
            corner = above[n - 3] if n >= 3 else 0
            # The filter "Paeth": the neighbor nearest to left + above - corner.
            nearest = min((left, above[n], corner), key=lambda one: abs(left + above[n] - corner - one))
            row[n] = (row[n] + (0, left, above[n], (left + above[n]) >> 1, nearest)[kind]) & 255
        rows.append(bytes(row))
        above = rows[-1]
    return size, rows


def pictures_differ(one, two):
    old, new = pixels(one), pixels(two)
    if old[0] != new[0]:
        return "different size or kind"
    off = max(abs(a - b) for row, other in zip(old[1], new[1]) if row != other
              for a, b in zip(row, other)) if old[1] != new[1] else 0
    return "colors differ by %d" % off if off > 2 else None


def main(old, new):
    names = {name for name in os.listdir(old) if name.endswith(KINDS)}
    wrong = sorted("%s is only in one" % name for name in names ^ set(os.listdir(new)))
    for name in sorted(names & set(os.listdir(new))):
        differ = pictures_differ if name.endswith(".png") else texts_differ
        found = differ(os.path.join(old, name), os.path.join(new, name))
        if found:
            wrong.append("%s: %s" % (name, found))
    print("\n".join(wrong))
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
