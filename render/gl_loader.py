#!/usr/bin/env python3
"""gl_loader.py FOLDER: generates the OpenGL loader with glad, offline, from glad's copy of the specification.
For the Makefile and for CMake. The environment variable GLAD is the command of the generator.

The functions of the loader get the library's prefix, because a program that links libmd5gl can contain
another loader.
"""
import os
import re
import shlex
import subprocess
import sys

# --merge: one header for both APIs. --mx: functions in a structure of the caller instead of globals. No
# extensions: all functions must exist, and drivers differ in the functions of extensions.
OPTIONS = ["--quiet", "--api", "gl:core=3.3,gles2=3.0", "--merge", "--reproducible",
           "--extensions", ""]
GENERATOR = ["c", "--mx"]


def add_prefix(path):
    with open(path) as file:
        text = file.read()
    names = sorted(set(re.findall(r"\bGLAD_API_CALL int (gladLoad\w+)\(", text)))
    if not names:
        sys.exit("gl_loader: no function in '%s'" % path)
    renames = "".join("#define %s md5gli_%s\n" % (name, name) for name in names)
    with open(path, "w", newline="\n") as file:
        file.write(renames + text)


def main(folder):
    command = shlex.split(os.environ.get("GLAD", "glad"))
    subprocess.check_call(command + OPTIONS + ["--out-path", folder] + GENERATOR)
    add_prefix(os.path.join(folder, "include", "glad", "gl.h"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: " + __doc__.split("\n\n", 1)[0])
    main(sys.argv[1])
