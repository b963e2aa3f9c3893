#!/usr/bin/env python3
"""symbols.py [--renew]: compares the lists of exported names in md5/packaging/debian with the public
headers, and prints the differences; --renew writes the lists. symbols.py LIBRARY prints the names of one
library, such as md5play.

Each list is a symbols file of dpkg-gensymbols for a package of libraries. It contains each name with the
first version that has the name under the current soname; each break of the ABI changes the soname.
"""
import glob
import os
import re
import sys

FOLDER = "md5/packaging/debian"
# Export macro of the headers, and its library. A package contains the libraries in its .install file.
MACROS = {"MD5_API": "md5model", "MD5_PLAY_API": "md5play", "MD5_GAME_API": "md5game",
          "MD5_RAGDOLL_API": "md5ragdoll", "MD5_EDIT_API": "md5edit", "MD5GL_API": "md5gl"}


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def version():
    return ".".join(re.findall(r"define MD5_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", read("md5/md5model.h")))


def exported_names(library):
    """Returns the names that the headers declare with the library's macro."""
    names = set()
    for path in glob.glob("md5/md5*.h") + glob.glob("render/md5gl*.h"):
        for macro, name in re.findall(r"^(MD5\w*_API)\b[^;(]*?\b(md5\w+)\s*\(", read(path), re.M):
            if MACROS[macro] == library:
                names.add(name)
    return sorted(names)


def symbols(package):
    """Returns the text of the package's list. Names of the old list keep their version if the soname is the
    same."""
    current = version()
    oldest = current.rsplit(".", 1)[0] + ".0" if current.startswith("0.") else current.split(".")[0] + ".0.0"
    old = dict(re.findall(r"^ (\w+)@Base ([\d.]+)$", read("%s/%s.symbols" % (FOLDER, package)), re.M))

    def version_numbers(text):
        return [int(part) for part in text.split(".")]
    text = ""
    for library in sorted(re.findall(r"/lib(\w+)\.so\.\*", read("%s/%s.install" % (FOLDER, package)))):
        text += "lib%s.so.@ABI@ %s@ABI@ #MINVER#\n" % (library, package)
        for name in exported_names(library):
            first_version = old.get(name, current)
            if version_numbers(first_version) < version_numbers(oldest):
                first_version = current
            text += " %s@Base %s\n" % (name, first_version)
    return text


def main(arguments):
    if arguments in [[name] for name in MACROS.values()]:
        print("\n".join(exported_names(arguments[0])))
        return
    for package in ("libmd5model", "libmd5gl"):
        path = "%s/%s.symbols" % (FOLDER, package)
        text, old = symbols(package), read(path)
        if arguments == ["--renew"]:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        elif text != old:
            print("%s differs from the headers (python3 md5/packaging/symbols.py --renew):" % path)
            old_lines, new_lines = set(old.splitlines()), set(text.splitlines())
            print("\n".join(["  removed" + line for line in sorted(old_lines - new_lines)] +
                            ["  added" + line for line in sorted(new_lines - old_lines)]))


if __name__ == "__main__":
    main(sys.argv[1:])
