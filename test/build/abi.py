#!/usr/bin/env python3
"""abi.py CC LIBRARY...: prints the binary interface: names that the shared libraries export, sizes of the
structures in the public headers of build/include, and where their members lie.
"""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

INCLUDE = "build/include"


def symbols(library):
    lines = subprocess.check_output(["nm", "-D", "--defined-only", library], text=True).split("\n")
    names = (line.split()[-1] for line in lines if line)
    return sorted(name for name in names if re.match(r"md5(gl)?_", name))


def without_nested(body):
    """The body without what is within braces."""
    out, level = [], 0
    for character in body:
        level += {"{": 1, "}": -1}.get(character, 0)
        if level == 0:
            out.append(character)
    return "".join(out)


def members(body):
    names = []
    for declaration in without_nested(body).replace("}", "").split(";"):
        declaration = re.sub(r"\[[^]]*\]", "", " ".join(declaration.split()))
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)", declaration)
        if pointer:
            names.append(pointer.group(1))
        elif declaration:
            names += [re.search(r"(\w+)\s*$", part).group(1) for part in declaration.split(",")]
    return names


def structures(header):
    with open(header) as file:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)
    for match in re.finditer(r"^typedef struct \w+ \{\n(.*?)^\} (\w+);", text, re.M | re.S):
        yield match.group(2), members(match.group(1))


def layout(compiler):
    headers = sorted(glob.glob(os.path.join(INCLUDE, "md5model", "*.h")))
    lines = ["#include <stddef.h>", "#include <stdio.h>"]
    lines += ["#include <md5model/%s>" % os.path.basename(header) for header in headers]
    lines += ["int main(void)", "{"]
    for name, names in sorted(each for header in headers for each in structures(header)):
        lines.append('    printf("size %s %%zu\\n", sizeof(%s));' % (name, name))
        lines += ['    printf("member %s.%s %%zu\\n", offsetof(%s, %s));' % (name, member, name, member)
                  for member in names]
    lines += ["    return 0;", "}", ""]
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "abi.c"), os.path.join(folder, "abi")
        with open(source, "w") as file:
            file.write("\n".join(lines))
        subprocess.check_call(shlex.split(compiler) + ["-std=c11", "-I" + INCLUDE, source, "-o", program])
        return subprocess.check_output([program], text=True)


def main(compiler, libraries):
    for library in libraries:
        for name in symbols(library):
            print("symbol", name)
    sys.stdout.write(layout(compiler))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: " + __doc__.split("\n\n", 1)[0])
    main(sys.argv[1], sys.argv[2:])
