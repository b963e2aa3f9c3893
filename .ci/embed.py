#!/usr/bin/env python3
"""Turns files into C, for the Makefile and for CMake.

embed.py text PREFIX OUTPUT FILE...   one string for each shader: PREFIX_file, with underscores for
                                      characters that no name may hold; declared in render/shaders.h.
                                      Without comments and insets; lines keep their numbers
embed.py bytes NAME OUTPUT FILE [NAME FILE]...   NAME[] and NAME_size
embed.py lines HEADER OUTPUT FILE...  the lines of C that the viewer's pages show: those of each file between
                                      "// lines of NAME" and "// end of lines"; declared in HEADER
"""
import os
import re
import sys

# `?` could begin a trigraph. Escapes have three digits, so that a digit after them is not taken in.
PLAIN = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ _+-*/=<>(){}[].,;:#&|!"
ESCAPED = [chr(byte) if byte in PLAIN else "\\%03o" % byte for byte in range(256)]


def literal(data):
    """Strings of octal escapes, because compilers read those many times faster than lists of numbers."""
    lines = [data[start:start + 32] for start in range(0, len(data), 32)] or [b""]
    return "".join('\n    "%s"' % "".join(ESCAPED[byte] for byte in line) for line in lines)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def texts(prefix, paths):
    parts = ['#include "render/shaders.h"\n']
    for path in paths:
        name = prefix + "_" + re.sub("[^0-9A-Za-z]", "_", os.path.basename(path))
        plain = re.sub(rb"[ \t]*//.*|^[ \t]+", b"", read(path), flags=re.MULTILINE)
        parts.append("\nconst char %s[] =%s;\n" % (name, literal(plain)))
    return "".join(parts)


def bytes_of(name, path):
    data = read(path)
    return ("#include <stddef.h>\n\nextern const unsigned char %s[];\nextern const size_t %s_size;\n"
            "\nconst unsigned char %s[] =%s;\nconst size_t %s_size = %d;\n"
            % (name, name, name, literal(data), name, len(data)))


def marked(path):
    """The names and texts of the marked parts of a file. Lines that continue one, which are indented farther
    than a block is, are joined to it."""
    found = re.findall(rb"^// lines of (\w+)\n(.*?)^// end of lines$", read(path), re.MULTILINE | re.DOTALL)
    return [(name.decode(), joined(text.split(b"\n"))) for name, text in found]


def joined(lines):
    whole = [b""]
    for line in lines[:-1]:
        inset, above = len(line) - len(line.lstrip()), len(whole[-1]) - len(whole[-1].lstrip())
        if line and inset > above + 4 and b"//" not in whole[-1]:
            whole[-1] += (b"" if whole[-1].endswith((b"(", b"{")) else b" ") + line.lstrip()
        else:
            whole.append(line)
    return b"\n".join(whole[1:] + [b""])


def lines_of(header, paths):
    rows = ["    {\"%s\",%s},\n" % (name, literal(text)) for path in paths for name, text in marked(path)]
    return ('#include "%s"\n\n#include <stddef.h>\n\n'
            'const view_lines_of view_lines_of_pages[] = {\n%s    {NULL, NULL},\n};\n'
            % (header, "".join(rows)))


def main(arguments):
    if len(arguments) >= 3 and arguments[0] == "text":
        text = texts(arguments[1], arguments[3:])
    elif len(arguments) >= 4 and len(arguments) % 2 == 0 and arguments[0] == "bytes":
        names, paths = arguments[1:2] + arguments[4::2], arguments[3::2]
        text = "\n".join(map(bytes_of, names, paths))
    elif len(arguments) >= 3 and arguments[0] == "lines":
        text = lines_of(arguments[1], arguments[3:])
    else:
        sys.exit("usage: " + __doc__.split("\n\n", 1)[1])
    os.makedirs(os.path.dirname(arguments[2]) or ".", exist_ok=True)
    with open(arguments[2], "w", newline="\n") as file:
        file.write(text)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as error:
        sys.exit("embed: cannot use '%s': %s" % (error.filename, error.strerror))
