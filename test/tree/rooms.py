#!/usr/bin/env python3
"""Prints files, tokens and comment share of each room beside its upper bound of tokens, rooms.txt. Fails
where a room is above it, or explains too little. Raising a bound is a commit of its own, whose body names
what was looked at to avoid it.

Tokens are those of C, directives included, comments not: unlike lines they do not fall when files are joined,
lines packed or comments cut. Comment share: lines that are comments alone, of all outside public headers.

Also counts the tests that see internal headers, directly or through other headers, as the compiler's -MM
would: tests go through public headers, unless nothing else can be wrong than what is internal.
"""
import os
import re
import sys

TABLE = os.path.join(os.path.dirname(__file__), "rooms.txt")
MIN_COMMENTS = {"test": 4.5, "product": 6.0}  # percent
MAX_INTERNAL_TESTS = 60
TOKEN = re.compile(r"""(//[^\n]*|/\*.*?\*/) | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | \w+ | [-+*/%&|^<>=!]=
                       | && | \|\| | -> | \+\+ | -- | << | >> | [^\s\w]""", re.VERBOSE | re.DOTALL)
PUBLIC = re.compile(r"(md5|render)/md5[a-z0-9_]*\.h")


def bounds():
    """Room: upper bound of tokens. The first row of the table that a path lies in is its room."""
    with open(TABLE) as table:
        rows = [line.split() for line in table if line.strip() and not line.startswith("#")]
    return {room: int(tokens) for room, tokens in rows}


def paths():
    for top in "md5", "render", "demo", "test":
        for folder, _, names in os.walk(top):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith((".c", ".h")))


def folders(room):
    """md5/*.c means the files that lie in md5 itself, a/b,c the folders a/b and a/c."""
    parent, _, names = room.rpartition("/")
    return [os.path.join(parent, name) for name in names.split(",")]


def room_of(path, rooms):
    if os.path.dirname(path) == "md5":
        return "md5/*.h" if PUBLIC.fullmatch(path) else "md5/*.c"
    for room in rooms:
        if any(path.startswith(folder + "/") for folder in folders(room)):
            return room
    sys.exit("%s is in no room of %s: give its room a row" % (path, TABLE))


def measure(rooms):
    """Room: files, tokens, comment share."""
    counts = {room: [0, 0, 0, 0] for room in rooms}
    for path in paths():
        with open(path, errors="replace") as file:
            text = file.read()
        count = counts[room_of(path, rooms)]
        count[0] += 1
        count[1] += sum(not match[1] for match in TOKEN.finditer(text))
        if not PUBLIC.fullmatch(path):
            count[2] += len(re.findall(r"^\s*//", text, re.MULTILINE))
            count[3] += text.count("\n")
    return {room: (files, tokens, 100 * comments / lines if lines else 100)
            for room, (files, tokens, comments, lines) in counts.items()}


INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def includes_of(path, known):
    """All that a file includes with quotes, also through others."""
    if path not in known:
        known[path] = set()
        with open(path, errors="replace") as file:
            names = INCLUDE.findall(file.read())
        found = set()
        for name in names:
            beside = os.path.join(os.path.dirname(path), name)
            found.add(name if os.path.exists(name) else beside)
        known[path] = found.union(*(includes_of(name, known) for name in found if os.path.exists(name)))
    return known[path]


def internal_tests():
    """Sources below test/ that see an internal header of md5/ or render/."""
    known = {}
    return [path for path in paths() if path.startswith("test/") and path.endswith(".c")
            and any(re.match("(md5|render)/", name) and not PUBLIC.fullmatch(name)
                    for name in includes_of(path, known))]


def main():
    bound = bounds()
    failed = False
    totals = {}

    def show(name, figures, limit, said=""):
        print("%-36s %4d files %8d of %8d tokens  %5.1f %% comments%s"
              % (name, *figures[:2], limit, figures[2], said))
    for room, figures in measure(bound).items():
        kind = "test" if room.startswith("test") else "product"
        faults = ["over its bound"] * (figures[1] > bound[room])
        faults += ["too few comments"] * (figures[2] < MIN_COMMENTS[kind])
        show(room, figures, bound[room], "   <- " + ", ".join(faults) if faults else "")
        failed |= bool(faults)
        total = totals.setdefault(kind, [0, 0, 0])
        total[:] = [a + b for a, b in zip(total, (*figures[:2], bound[room]))]
    for kind, (files, tokens, limit) in totals.items():
        print("%-36s %4d files %8d of %8d tokens" % ("all of it: " + kind, files, tokens, limit))
    internal = internal_tests()
    print("tests that see internal headers: %d of %d" % (len(internal), MAX_INTERNAL_TESTS))
    return failed or len(internal) > MAX_INTERNAL_TESTS


sys.exit(main())
