#!/usr/bin/env python3
"""functions.py NOTES DATA: prints "FILE FUNCTION" for each function of the project that a run entered.

NOTES is the build folder of a program that was compiled with --coverage (its .gcno files).
DATA is the folder of the run's .gcda files, with the same structure. Functions of headers are
included; generated code and code of other projects are not. gcov reads the files.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

FOLDERS = ("md5/", "render/", "demo/")


def entered_functions(notes, data):
    """Returns the set of (file, function) whose count is above 0."""
    entered = set()
    for counts in sorted(data.rglob("*.gcda")):
        note = (notes / counts.relative_to(data)).with_suffix(".gcno")
        shutil.copy(note, counts.parent)
        command = ["gcov", "--json-format", "--stdout", counts]
        output = subprocess.run(command, capture_output=True, check=True).stdout
        for line in output.splitlines():
            for file in json.loads(line)["files"]:
                path = os.path.normpath(file["file"])
                if not path.startswith(FOLDERS):
                    continue
                for function in file["functions"]:
                    if function["execution_count"] > 0:
                        entered.add((path, function["name"]))
    return entered


def main():
    notes, data = map(pathlib.Path, sys.argv[1:])
    for path, name in sorted(entered_functions(notes, data)):
        print(path, name)


main()
