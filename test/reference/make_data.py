#!/usr/bin/env python3
"""Writes the models and tables of this reference, and their expected results.

    python3 make_data.py [FOLDER]

The default FOLDER is data/ next to this file. The output is reproducible; on another machine the last
digit of a sine may differ, which compare.py tolerates.
"""

import sys
from pathlib import Path

import md5ref
import md5text
from models import MODELS
from tables import TABLES


def write(folder, name, text):
    with open(folder / name, "w", encoding="ascii", newline="\n") as file:
        file.write(text)


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data"
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MODELS.items():
        mesh_text, anim_text = make()
        write(folder, f"{name}.md5mesh", mesh_text)
        write(folder, f"{name}.md5anim", anim_text)
        mesh, anim = md5text.read_mesh(mesh_text), md5text.read_anim(anim_text)
        # Paths in the expected results are relative to the folder of this reference.
        paths = f"data/{name}.md5mesh", f"data/{name}.md5anim"
        write(folder, f"{name}.golden.txt", md5ref.expected(paths[0], mesh, paths[1], anim))
    for name, make in TABLES.items():
        write(folder, f"{name}.txt", make())


if __name__ == "__main__":
    main()
