#!/usr/bin/env python3
"""segments.py FILE: joins the data segments of a WebAssembly file, with the zeros between them.

wasm-opt leaves out runs of zeros, which makes a file smaller, but what servers send larger: a server's
compression packs zeros better than the addresses of a thousand segments.
"""
import sys


def number(data, at):
    """An unsigned number, and where it ends."""
    more = data[at] >> 7 and number(data, at + 1)
    return (data[at] & 127 | more[0] << 7, more[1]) if more else (data[at], at + 1)


def packed(value):
    """A number in five bytes, which may be signed: the last ones are 0."""
    return bytes(value >> shift & 127 | (shift < 28) << 7 for shift in range(0, 35, 7))


with open(sys.argv[1], "rb+") as file:
    data = file.read()
    result, at = data[:8], 8
    while at < len(data):
        kind, (size, begin) = data[at], number(data, at + 1)
        at = begin + size
        section, (count, place), memory, first = data[begin:at], number(data, begin), bytearray(), 0
        for _ in range(count if kind == 11 else 0):
            assert data[place:place + 2] == b"\0\x41", "not active, or not at a constant"
            address, place = number(data, place + 2)
            size, place = number(data, place + 1)
            first = first or address
            memory += bytes(address - first - len(memory)) + data[place:place + size]
            place += size
        if kind == 12:  # their number
            section = b"\1"
        elif kind == 11:
            section = b"\1\0\x41" + packed(first) + b"\x0b" + packed(len(memory)) + memory
        result += bytes([kind]) + packed(len(section)) + section
    file.seek(0)
    file.truncate()
    file.write(result)
