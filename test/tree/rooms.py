#!/usr/bin/env python3
"""Prints files, tokens and comment share of each room beside its budget. Fails where a room over its budget
has grown, or one with too few comments has lost some, since the table rooms.txt was written.

rooms.py [--renew]: --renew writes the table anew; do that in the change that is allowed to raise a figure.

Tokens are those of C, directives included, comments not: unlike lines they do not fall when files are joined,
lines packed or comments cut. Comment share: lines that are comments alone, of all outside public headers.

Also counts the tests that see internal headers, directly or through other headers, as the compiler's -MM
would: tests go through public headers, unless nothing else can be wrong than what is internal.
"""
import os
import re
import sys

TABLE = os.path.join(os.path.dirname(__file__), "rooms.txt")
LEAST_COMMENTS = 7.0
MOST_INTERNAL_TESTS = 60
TOKEN = re.compile(r"""(//[^\n]*|/\*.*?\*/) | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | \w+ | [-+*/%&|^<>=!]=
                       | && | \|\| | -> | \+\+ | -- | << | >> | [^\s\w]""", re.VERBOSE | re.DOTALL)
PUBLIC = re.compile(r"(md5|render)/md5[a-z0-9_]*\.h")
HEADER = ("# room, files, tokens, comment share in percent when this was written (rooms.py --renew), "
          "budget of files and tokens\n")


def rows():
    with open(TABLE) as table:
        return [line.split() for line in table if line.strip() and not line.startswith("#")]


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
    return {room: (files, tokens, round(100 * comments / lines, 1) if lines else LEAST_COMMENTS)
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


def main(arguments):
    table = rows()
    now = measure([row[0] for row in table])
    if arguments == ["--renew"]:
        with open(TABLE, "w") as file:
            file.write(HEADER)
            for room, _, _, _, files, tokens in table:
                file.write("%-36s %4d %7d %5.1f   %4s %7s\n" % (room, *now[room], files, tokens))
        return 0
    status = 0
    totals = {}
    print("%-36s %11s %17s %9s" % ("room", "files", "tokens", "comments"))

    def show(room, figures, budget, said=""):
        comments = "%.1f %%" % figures[2] if len(figures) > 2 else ""
        print("%-36s %4d of %4d %7d of %7d %7s%s"
              % (room, figures[0], budget[0], figures[1], budget[1], comments, said))
    for room, files, tokens, comments, *budget in table:
        budget = [int(figure) for figure in budget]
        recorded = int(files), int(tokens)
        faults = ["%d %s, recorded %d" % (figure, name, old)
                  for name, figure, old, limit in zip(("files", "tokens"), now[room], recorded, budget)
                  if figure > max(old, limit)]
        if now[room][2] < min(float(comments), LEAST_COMMENTS):
            faults.append("%.1f %% comments, recorded %s" % (now[room][2], comments))
        show(room, now[room], budget, "   <- " + ", ".join(faults) if faults else "")
        status |= bool(faults)
        if not room.startswith("test"):
            total = totals.setdefault(room.split("/")[0], [0, 0, 0, 0])
            total[:] = [a + b for a, b in zip(total, [*now[room][:2], *budget])]
    for top, total in [*totals.items(), ("all", [sum(column) for column in zip(*totals.values())])]:
        show(top, total[:2], total[2:])
    internal = internal_tests()
    print("tests that see internal headers: %d of %d" % (len(internal), MOST_INTERNAL_TESTS))
    return status | (len(internal) > MOST_INTERNAL_TESTS)


sys.exit(main(sys.argv[1:]))
