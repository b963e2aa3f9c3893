"""same.py OLD NEW: compares the models and images in two folders, with tolerances for rounding on other
processors: 1e-4 for numbers, 2 of 255 for colors. Other files in OLD are ignored."""

import os
import re
import struct
import sys
import zlib

KINDS = (".md5mesh", ".md5anim", ".md5camera", ".png")


def texts_differ(old_path, new_path):
    """Returns the first difference, or None."""
    with open(old_path, encoding="utf-8") as old_file, open(new_path, encoding="utf-8") as new_file:
        old, new = old_file.read().split(), new_file.read().split()
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
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    flat, stride = zlib.decompress(packed), size[0] * 3
    rows, above = [], bytes(stride)
    for start in range(0, len(flat), stride + 1):
        row, kind = bytearray(flat[start + 1:start + 1 + stride]), flat[start]
        for n in range(stride) if kind else ():
            left = row[n - 3] if n >= 3 else 0
            corner = above[n - 3] if n >= 3 else 0
            # The filter "Paeth": the neighbor nearest to left + above - corner.
            nearest = min((left, above[n], corner),
                          key=lambda neighbor: abs(left + above[n] - corner - neighbor))
            row[n] = (row[n] + (0, left, above[n], (left + above[n]) >> 1, nearest)[kind]) & 255
        rows.append(bytes(row))
        above = rows[-1]
    return size, rows


def pictures_differ(old_path, new_path):
    old, new = pixels(old_path), pixels(new_path)
    if old[0] != new[0]:
        return "different size or kind"
    difference = max(abs(a - b) for old_row, new_row in zip(old[1], new[1]) if old_row != new_row
                     for a, b in zip(old_row, new_row)) if old[1] != new[1] else 0
    return "colors differ by %d" % difference if difference > 2 else None


def main(old, new):
    names = {name for name in os.listdir(old) if name.endswith(KINDS)}
    messages = sorted("%s is only in one" % name for name in names ^ set(os.listdir(new)))
    for name in sorted(names & set(os.listdir(new))):
        differ = pictures_differ if name.endswith(".png") else texts_differ
        difference = differ(os.path.join(old, name), os.path.join(new, name))
        if difference:
            messages.append("%s: %s" % (name, difference))
    print("\n".join(messages))
    return 1 if messages or not names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
