"""The command line of all generators."""

import os
import sys
import tempfile

from kit import png


def save(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="ascii", newline="") as file:
        file.write(text)


def _same(one, two):
    if one.endswith(".png"):
        return png.read(one) == png.read(two)
    with open(one, "rb") as left, open(two, "rb") as right:
        return left.read() == right.read()


def check(home, make):
    """Returns 0 if newly generated files equal those in `home`. Files of other kinds there are
    ignored."""
    wrong = 0
    with tempfile.TemporaryDirectory() as fresh:
        make(fresh)
        kinds = {os.path.splitext(name)[1] for name in os.listdir(fresh)}
        found = {name for name in os.listdir(home) if os.path.splitext(name)[1] in kinds}
        for name in sorted(set(os.listdir(fresh)) | found):
            one, two = os.path.join(fresh, name), os.path.join(home, name)
            if not (os.path.exists(one) and os.path.exists(two)):
                print(name + ": only in one folder", file=sys.stderr)
            elif not _same(one, two):
                print(name + ": differs", file=sys.stderr)
            else:
                continue
            wrong = 1
    return wrong


def run(arguments, home, make, usage):
    """make(folder) writes the files and returns a line that describes them. Arguments: none, a
    folder, or --check."""
    if arguments == ["--check"]:
        return check(home, make)
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print(usage, file=sys.stderr)
        return 2
    folder = arguments[0] if arguments else home
    os.makedirs(folder, exist_ok=True)
    print(make(folder))
    return 0
