#!/usr/bin/env python3
"""Counts the tests that include internal headers of md5/ or render/, directly or through other headers.
Fails if there are more than MAX_INTERNAL_TESTS: tests call public functions unless only an internal function
can show the fault.
"""
import os
import re
import sys

MAX_INTERNAL_TESTS = 60
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
PUBLIC = re.compile(r"(md5|render)/md5[a-z0-9_]*\.h")


def test_sources():
    for folder, _, names in os.walk("test"):
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".c"))


def all_includes(path, cache):
    """Returns the headers that a file includes with quotes, directly or through other headers."""
    if path not in cache:
        cache[path] = set()
        with open(path, errors="replace") as file:
            names = INCLUDE.findall(file.read())
        folder = os.path.dirname(path)
        direct = {name if os.path.exists(name) else os.path.join(folder, name) for name in names}
        cache[path] = direct.union(*(all_includes(name, cache) for name in direct if os.path.exists(name)))
    return cache[path]


def is_internal(header):
    return re.match("(md5|render)/", header) and not PUBLIC.fullmatch(header)


def main():
    cache = {}
    internal = [path for path in test_sources()
                if any(is_internal(name) for name in all_includes(path, cache))]
    print("tests that include internal headers: %d, at most %d" % (len(internal), MAX_INTERNAL_TESTS))
    return len(internal) > MAX_INTERNAL_TESTS


sys.exit(main())
