#!/usr/bin/env python3
"""segments.py FILE: joins the data segments of a WebAssembly file, with the zeros between them.

wasm-opt omits runs of zeros. That makes the file smaller, but its compressed form larger: a server's
compression packs zeros better than the addresses of a thousand segments.
"""
import sys

DATA, DATA_COUNT = 11, 12  # kinds of sections


def read_leb128(data, at):
    """Returns an unsigned number (LEB128) and the offset of its end."""
    following = data[at] >> 7 and read_leb128(data, at + 1)
    return (data[at] & 127 | following[0] << 7, following[1]) if following else (data[at], at + 1)


def encode_leb128(value):
    """Encodes a number in five bytes, valid for signed and unsigned numbers: the last bits are 0."""
    return bytes(value >> shift & 127 | (shift < 28) << 7 for shift in range(0, 35, 7))


with open(sys.argv[1], "rb+") as file:
    data = file.read()
    result, at = data[:8], 8
    while at < len(data):
        kind, (size, begin) = data[at], read_leb128(data, at + 1)
        at = begin + size
        section, (count, offset), memory, first = data[begin:at], read_leb128(data, begin), bytearray(), 0
        for _ in range(count if kind == DATA else 0):
            assert data[offset:offset + 2] == b"\0\x41", "not active, or not at a constant"
            address, offset = read_leb128(data, offset + 2)
            size, offset = read_leb128(data, offset + 1)
            first = first or address
            memory += bytes(address - first - len(memory)) + data[offset:offset + size]
            offset += size
        if kind == DATA_COUNT:
            section = b"\1"
        elif kind == DATA:
            section = b"\1\0\x41" + encode_leb128(first) + b"\x0b" + encode_leb128(len(memory)) + memory
        result += bytes([kind]) + encode_leb128(len(section)) + section
    file.seek(0)
    file.truncate()
    file.write(result)
