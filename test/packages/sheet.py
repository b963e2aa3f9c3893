"""Draws models with md5view and combines their images in contact sheets.

sheet.py MD5VIEW FOLDER SHEETS FILE...

Draws one image of each FILE, which is below FOLDER; SHEETS1.png, SHEETS2.png and so on contain 48 of them,
eight per line. Prints a line for each FILE: its path below FOLDER, a tab, and "drawn" or "failed"; then
a line for each texture that md5view does not find: path, tab, "missing", tab, shader.
Uses only Python's standard library.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "viewer"))
import png  # noqa: E402  in the neighboring folder

WIDTH, HEIGHT, COLUMNS, ROWS = 200, 150, 8, 6


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def write(path, rows):
    """Writes rows of RGB bytes."""
    size = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def draw(viewer, model, image_path):
    """Draws a model. Returns true if it succeeded, and the shaders without a texture."""
    result = subprocess.run([viewer, "--output", image_path, "--resolution", f"{WIDTH},{HEIGHT}",
                             "--background-color", "#3a414c", model],
                            capture_output=True, text=True, errors="replace", check=False, timeout=120)
    missing = re.findall(r'mesh \d+ ".*?": texture of shader "(.*?)" not found', result.stderr)
    missing += re.findall(r'mesh \d+ (".*?") has neither a shader name nor a texture', result.stderr)
    return result.returncode == 0, missing


def rgb(image_path):
    _, _, rows, num_channels = png.read(image_path)
    if num_channels == 3:
        return rows
    return [b"".join(row[i:i + 3] for i in range(0, len(row), 4)) for row in rows]


def join(images):
    blank = [bytes(3 * WIDTH)] * HEIGHT
    images += [blank] * (-len(images) % COLUMNS)
    for first in range(0, len(images), COLUMNS):
        line = images[first:first + COLUMNS]
        for y in range(HEIGHT):
            yield b"".join(image[y] for image in line)


def main():
    viewer, folder, sheets, models = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    images = []
    with tempfile.TemporaryDirectory() as scratch:
        for model in models:
            image_path = os.path.join(scratch, "picture.png")
            drawn, missing = draw(viewer, model, image_path)
            name = os.path.relpath(model, folder)
            print(f"{name}\t{'drawn' if drawn else 'failed'}")
            for shader in missing:
                print(f"{name}\tmissing\t{shader}")
            images.append(rgb(image_path) if drawn else [b"\x80\0\0" * WIDTH] * HEIGHT)
    for first in range(0, len(images), COLUMNS * ROWS):
        page = images[first:first + COLUMNS * ROWS]
        write(f"{sheets}{first // (COLUMNS * ROWS) + 1}.png", list(join(page)))


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    main()
