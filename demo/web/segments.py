#!/usr/bin/env python3
"""segments.py FILE...: joins the data segments of WebAssembly files, with the zeros between them.

wasm-opt leaves out runs of zeros, which makes a file smaller, but what servers send larger: a server's
compression packs zeros better than the addresses of a thousand segments.
"""
import sys


def number(data, at):
    """An unsigned number, and where it ends."""
    value, shift = data[at] & 127, 7
    while data[at] & 128:
        at += 1
        value |= (data[at] & 127) << shift
        shift += 7
    return value, at + 1


def packed(value, sign=0):
    """The bytes of a number; a signed one has a bit more, its `sign`."""
    size = max(1, -(-(value.bit_length() + sign) // 7))
    return bytes(value >> 7 * i & 127 | (i + 1 < size) << 7 for i in range(size))


def joined(segments):
    """A data section with one segment, of one that has many at constant addresses."""
    count, at = number(segments, 0)
    memory, first = bytearray(), None
    for _ in range(count):
        assert segments[at:at + 2] == b"\0\x41", "not active, or not at a constant"
        address, at = number(segments, at + 2)
        size, at = number(segments, at + 1)
        first = address if first is None else first
        memory += bytes(address - first - len(memory)) + segments[at:at + size]
        at += size
    return b"\1\0\x41" + packed(first, 1) + b"\x0b" + packed(len(memory)) + memory


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        data = file.read()
    result, at = data[:8], 8
    while at < len(data):
        kind, (size, at) = data[at], number(data, at + 1)
        section = data[at:at + size]
        section = joined(section) if kind == 11 else b"\1" if kind == 12 else section
        result += bytes([kind]) + packed(len(section)) + section
        at += size
    with open(path, "wb") as file:
        file.write(result)
