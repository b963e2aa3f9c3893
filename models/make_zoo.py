#!/usr/bin/env python3
"""Generates the zoo: the smallest files that show one feature of the format each, and a table of them.

    python3 models/make_zoo.py [FOLDER]    writes the files (default: models/zoo)
    python3 models/make_zoo.py --check     regenerates and compares with models/zoo"""

import math
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

from kit import bake, png, program  # noqa: E402
from zoo_parts import motions, shapes, spellings  # noqa: E402

TEXELS = 64


def paint(s, t):
    """Returns the color of a checker. Its upper half is warmer and its left half is lighter, so that a
    flipped or mirrored texture is visible."""
    square = (math.floor(4.0 * s + 8.0) + math.floor(4.0 * t + 8.0)) % 2
    light = 150 + 60 * square + (30 if s < 0.0 else 0)
    return (light, 0.82 * light, 0.62 * light) if t < 0.0 else (0.62 * light, 0.82 * light, light)


def generate(folder):
    animals = shapes.ANIMALS + motions.ANIMALS + spellings.ANIMALS
    rows = []
    for name, shows, files in animals:
        for suffix, text in files:
            program.save(folder, name + suffix, text)
        rows.append("| `%s` | %s | %s |" % (
            name, ", ".join("`%s`" % suffix for suffix, _ in files), shows))
    png.write(os.path.join(folder, "zoo.png"), TEXELS, TEXELS, bake.flat_texture(TEXELS, paint))
    program.save(folder, "README.md", _TABLE % "\n".join(rows))
    return "%d animals, %d files" % (len(animals), sum(len(files) for _, _, files in animals))


_TABLE = """# The zoo

The zoo is a set of minimal files for tests of loaders. Each model shows one feature of the MD5 formats. \
`models/make_zoo.py` generates the files
and this table; do not edit them. `md5tool check` reports no warnings for them. \
All are dedicated to the public domain (CC0 1.0, see
`models/LICENSE`) and use the texture `zoo.png`.

`first.md5machine` is a minimal state machine for Bobbin; it is written manually.

The name of a file is a name of the first column with an ending of the second column, \
for example `weights.md5anim`.

| name | endings | feature |
|---|---|---|
%s
"""


if __name__ == "__main__":
    sys.exit(program.run(sys.argv[1:], os.path.join(FOLDER, "zoo"), generate, __doc__))
