#!/usr/bin/env python3
"""changelog.py: checks CHANGELOG.md, prints faults, and exits with status 1 if there are any.

- The first section is "Unreleased" or the version in md5model.h; the other sections are closed and have a
date.
- A closed section does not change afterwards, except its line breaks: changelog.sums contains the SHA-256 of
its words.
- Lines other than lines of tables have at most MAX_COLUMNS characters.
- Breaking changes come first: in "Unreleased" no text and no other heading precedes the headings "Breaking
  changes" and "Removed".

changelog.py --close YYYY-MM-DD: renames "Unreleased" to the version in md5model.h with this date, and adds
its checksum.
"""
import hashlib
import os
import re
import sys

import symbols

CHANGELOG = "CHANGELOG.md"
SUMS = os.path.join("md5", "packaging", "changelog.sums")
BREAKING = ["Breaking changes", "Removed"]
MAX_COLUMNS = 110


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def sections(text):
    """Yields (heading, text with the heading and without blank lines at the end) of each section."""
    parts = re.split(r"^## (.*)\n", text, flags=re.M)
    return [(heading, "## %s\n%s\n" % (heading, body.rstrip()))
            for heading, body in zip(parts[1::2], parts[2::2])]


def closed_version(heading):
    """Returns the version in the heading of a closed section, or None."""
    match = re.fullmatch(r"(\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d", heading)
    return match.group(1) if match else None


def checksum(text):
    """Returns the SHA-256 of the words of a section: line breaks may change."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()


def read_sums():
    return dict(line.split() for line in symbols.read(SUMS).splitlines())


def closed_faults(closed, sums):
    for heading, text in closed:
        version = closed_version(heading)
        if version is None:
            yield "heading '%s': expected 'MAJOR.MINOR.PATCH - YYYY-MM-DD'" % heading
        elif version not in sums:
            yield "%s: no checksum in %s: close a version by changelog.py --close" % (version, SUMS)
        elif checksum(text) != sums[version]:
            yield "%s: the section of a closed version was changed: use 'Unreleased'" % version
    for version in sorted(set(sums) - {closed_version(heading) for heading, _ in closed}):
        yield "%s: the section of a closed version is missing" % version


def order_faults(text):
    """Yields faults in the order of headings in the open section."""
    introduction = text.split("\n", 1)[1].split("### ", 1)[0].strip()
    headings = re.findall(r"^### (.*)", text, re.M)
    breaking = [heading for heading in headings if heading in BREAKING]
    if breaking and (introduction or headings[:len(breaking)] != breaking):
        yield "Unreleased: expected the headings '%s' before all other text" % "', '".join(breaking)


def width_faults(text):
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_COLUMNS and not line.startswith("|"):
            yield "line %d has %d characters, expected at most %d" % (number, len(line), MAX_COLUMNS)


def faults(text, sums, version):
    yield from width_faults(text)
    all_sections = sections(text)
    if not all_sections:
        yield "no section"
        return
    first, closed = all_sections[0], all_sections
    if first[0] == "Unreleased":
        yield from order_faults(first[1])
        closed = all_sections[1:]
    elif closed_version(first[0]) != version:
        yield "the first section is '%s', expected 'Unreleased' or '%s - YYYY-MM-DD'" % (first[0], version)
    yield from closed_faults(closed, sums)


def close(date):
    text, version = symbols.read(CHANGELOG), symbols.version()
    if sections(text)[0][0] != "Unreleased":
        sys.exit("changelog: no section 'Unreleased'")
    if version in read_sums():
        sys.exit("changelog: %s is closed: raise the version in md5model.h" % version)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        sys.exit("changelog: date '%s': expected YYYY-MM-DD" % date)
    text = text.replace("## Unreleased\n", "## %s - %s\n" % (version, date), 1)
    write(CHANGELOG, text)
    write(SUMS, "%s %s\n" % (version, checksum(sections(text)[0][1])) + symbols.read(SUMS))


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--close":
        close(arguments[1])
        return False
    if arguments:
        sys.exit("usage: changelog.py [--close YYYY-MM-DD]")
    found = list(faults(symbols.read(CHANGELOG), read_sums(), symbols.version()))
    print("".join("%s: %s\n" % (CHANGELOG, fault) for fault in found), end="")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
