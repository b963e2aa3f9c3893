"""The command line of all generators."""

import os
import sys
import tempfile

from kit import png


def save(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="ascii", newline="") as file:
        file.write(text)


def _same(a, b):
    if a.endswith(".png"):
        return png.read(a) == png.read(b)
    with open(a, "rb") as left, open(b, "rb") as right:
        return left.read() == right.read()


def check(home, generate):
    """Returns 0 if newly generated files equal those in `home`. Files of other kinds there are
    ignored."""
    wrong = 0
    with tempfile.TemporaryDirectory() as fresh:
        generate(fresh)
        kinds = {os.path.splitext(name)[1] for name in os.listdir(fresh)}
        found = {name for name in os.listdir(home) if os.path.splitext(name)[1] in kinds}
        for name in sorted(set(os.listdir(fresh)) | found):
            a, b = os.path.join(fresh, name), os.path.join(home, name)
            if not (os.path.exists(a) and os.path.exists(b)):
                print(name + ": only in one folder", file=sys.stderr)
            elif not _same(a, b):
                print(name + ": differs", file=sys.stderr)
            else:
                continue
            wrong = 1
    return wrong


def run(arguments, home, generate, usage):
    """Runs a generator. generate(folder) writes the files and returns a line that describes them. The
    arguments are none, a folder, or --check. Prints `usage` for other arguments. Returns the exit status."""
    if arguments == ["--check"]:
        return check(home, generate)
    if len(arguments) > 1 or (arguments and arguments[0].startswith("-")):
        print(usage, file=sys.stderr)
        return 2
    folder = arguments[0] if arguments else home
    os.makedirs(folder, exist_ok=True)
    print(generate(folder))
    return 0
