#!/usr/bin/env python3
"""Checks that only the files of the list below include internal headers of md5/ or render/, directly or
through other headers. Other tests call public functions, so that a change of internal functions does not
change them.
"""
import os
import re
import sys

# Each file, and the reason why public functions are not sufficient.
INTERNAL_TESTS = {
    "test/core/test_containers.c": "arrays that share elements are an internal type",
    "test/core/test_core.c": "memory blocks, errors and processors are internal",
    "test/core/test_file.c": "a system file that is read completely cannot be parsed",
    "test/core/test_functions.c": "errors are smaller than the floats of public functions",
    "test/core/test_rows.c": "locations of single numbers",
    "test/core/test_slerp.c": "errors of the polynomials are smaller than those of poses",
    "test/core/test_wide.c": "vectors of each instruction set",
    "test/read/test_anim_clip.c": "clips of 2^32 frames; also decodes tables for other tests",
    "test/read/test_anim_file.c": "tables of a file before they are converted to an animation",
    "test/read/test_camera_file.c": "tables of a file before they are converted to a camera path",
    "test/read/test_decl_lex.c": "tokens of declarations",
    "test/read/test_lex.c": "tokens of files",
    "test/read/test_mesh_file.c": "tables of a file before they are converted to a model",
    "test/read/test_number.c": "bits of single numbers",
    "test/bench/bench.c": "speed of each instruction set",
    "test/bench/bench_gl.c": "speed of drawing without skinning",
    "test/compress/test_compress_file.c": "keys and spans of compressed tracks",
    "test/load/test_bind.c": "lengths of paths and nearest points, of which weights are rounded",
    "test/play/test_play_functions.c": "limits of clocks, offsets and locks; also gives other tests access",
    "test/play/test_play_schema.c": "the table of all columns of machines",
    "test/pose/test_batch.c": "kernels of each instruction set; also gives other tests access",
    "test/ragdoll/test_ragdoll_contacts.c": "contacts of a single step",
    "test/render/test_gl_scene.c": "simulates devices and errors of drivers for the other tests",
    "test/skin/test_skin.c": "builds meshes from tables with numbers that no file contains",
    "test/skin/test_skin_sets.c": "kernels of each instruction set, plans of vertices",
}
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
    internal = {path for path in test_sources()
                if any(is_internal(name) for name in all_includes(path, cache))}
    for path in sorted(internal - INTERNAL_TESTS.keys()):
        print("%s includes internal headers: call public functions, or move the test to a file that is "
              "listed in test/tree/internal_tests.py" % path)
    for path in sorted(INTERNAL_TESTS.keys() - internal):
        print("%s includes no internal headers: remove it from test/tree/internal_tests.py" % path)
    print("tests that include internal headers: %d" % len(internal))
    return internal != INTERNAL_TESTS.keys()


sys.exit(main())
