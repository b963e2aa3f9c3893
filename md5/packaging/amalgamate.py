#!/usr/bin/env python3
"""amalgamate.py FOLDER [GLAD_FOLDER SHADERS.c]: writes each library as two files into FOLDER: md5model.h and
md5model.c, md5play, md5game, md5ragdoll, md5edit; with the generated GL loader and shaders also md5gl; and
md5config.h, which they include.

amalgamate.py --small FOLDER: writes the small form of md5model: the header SMALL_HEADER, and the parts of the
files in SMALL_LOAD_SOURCES and SMALL_RUNTIME_SOURCES that its declarations need.

Static names, local types and macros are unique within a library, so that its files can be concatenated: first
the headers, each once and without #include lines, then the sources. Kernels are last: the file includes
itself for each instruction set. Fixed text is in the folder two_files.
"""
import functools
import glob
import os
import re
import sys

import small

PUBLIC = re.compile(r"md5/md5\w+\.h|render/md5gl\w*\.h")
# Each library: its purpose, its public headers, its folders.
LIBRARIES = {
    "md5model": ("reads, poses and skins MD5 models", "math model skin",
                 "md5 core read pose pose/simd skin compress load"),
    "md5play": ("inverse kinematics, curves, state machines", "curve pose machine play",
                "core motion play play/text play/make play/run"),
    "md5game": ("Doom 3's game folders, entities and images",
                "game decl material entity actor character figure image dialects",
                "core decl material dialects game"),
    "md5ragdoll": ("ragdolls of Doom 3's articulated figures", "ragdoll", "core ragdoll"),
    "md5edit": ("MD5 files as tables: changed, repaired, written", "edit", "core read edit"),
}
GL_PURPOSE = "draws MD5 models with OpenGL"
# The first lines of a library's header, which include the library that it needs.
INCLUDE_MODEL = '\n#include "md5model.h"\n'
FIRST_LINES = {"md5model": "", "md5ragdoll": '\n#include "md5game.h"\n'}  # others: INCLUDE_MODEL

# The files of the small form. Files of md5/small replace files of the library that contain more. The
# functions of SMALL_LOAD_SOURCES run while a file is loaded and are compiled for size.
SMALL_PURPOSE = "the small form, for engines whose shaders skin"
SMALL_HEADER = "md5/small/md5model.h"
SMALL_LOAD_SOURCES = """md5/error.c md5/math.c md5/core/arena.c md5/core/context.c md5/core/file.c
    md5/core/math.c md5/core/names.c md5/load/anim.c md5/load/asset.c md5/load/axes.c md5/load/load.c
    md5/load/meshes.c md5/load/model.c md5/pose/binding.c md5/pose/sample_position.c md5/pose/skeleton.c
    md5/read/anim.c md5/read/header.c md5/read/joints.c md5/read/mesh.c md5/read/rows.c
    md5/skin/geometry.c md5/skin/pack.c md5/skin/weld.c md5/small/load.c md5/small/pose.c
    md5/small/read.c md5/small/warn.c""".split()
SMALL_RUNTIME_SOURCES = """md5/core/lex.c md5/core/number.c md5/pose/blend.c md5/pose/blend_scalar.c
    md5/pose/hierarchy.c md5/pose/palette.c md5/pose/sample.c md5/pose/simd/kernels_scalar.c
    md5/skin/influences.c md5/skin/normals.c""".split()
SMALL_REPLACEMENTS = {"md5/core/object.h": "md5/small/object.h", "md5/core/freed.h": "md5/small/object.h"}
SMALL_ALIASES = "md5math.h", "md5skin.h"  # programs may include them instead of SMALL_HEADER
# Values of macros that are fixed when the text is written.
SMALL_VALUES = {"MD5_IS_SMALL": True, "MD5_HAS_SIMD": False, "MD5_HAS_SSE2": False, "MD5_HAS_NEON": False,
                "MD5_HAS_FILES": False, "MD5_HAS_FORMATS": False, "MD5_HAS_KERNELS": False}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)".*\n', re.M)
SYSTEM_INCLUDE = re.compile(r"^#include <.*>\n", re.M)
is_small = False  # set by --small


@functools.lru_cache(maxsize=None)
def read(path):
    """Returns the text of a file; for the small form without the parts that it never needs."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return small.REMOVED.sub("", small.decide_conditions(text, SMALL_VALUES)) if is_small else text


def fixed_text(name, has_kernels=False):
    """Returns a text from the folder two_files."""
    text = read("md5/packaging/two_files/%s.c.in" % name)
    return small.decide_conditions(text, {"MD5_IS_SMALL": is_small, "MD5_HAS_KERNELS": has_kernels})


def resolve(including, name):
    """Returns the path of an included file. Public headers include each other from their own folder."""
    name = SMALL_REPLACEMENTS.get(name, name) if is_small else name
    return name if os.path.exists(name) else os.path.join(os.path.dirname(including), name)


def with_includes(paths):
    """Returns the paths and all files that they include, each file after the files that it includes."""
    ordered = []

    def visit(path):
        if path not in ordered:
            for name in INCLUDE.findall(read(path)):
                visit(resolve(path, name))
            ordered.append(path)
    for path in paths:
        visit(path)
    return ordered


def without_guard(text):
    return re.sub(r"^#ifndef (\w+_H)\n#define \1\n(.*)^#endif\n", r"\2", text, flags=re.M | re.S)


def body(path):
    """Returns the text of a file without #include lines of the library, and without include guards if the
    file is internal."""
    text = INCLUDE.sub("", read(path))
    return text if PUBLIC.match(path) else without_guard(text)


def is_empty(text):
    """Returns true if a text contains only comments and directives."""
    return not re.sub(r"^(//|#).*$", "", text, flags=re.M).strip()


def heading(path):
    return "\n// == %s %s\n\n" % (path, "=" * max(1, 92 - len(path)))


# -- Kernels -------------------------------------------------------------------------------------------

WIDE_SET = re.compile(r"^#define MD5_WIDE_(SSE2|AVX2|AVX512|NEON)\n", re.M)


def is_for_one_set(path):
    """Returns true if a kernel includes the header only for one instruction set."""
    return bool(re.search(r"_(sse2|avx2|avx512|neon|scalar)\.h$", path))


@functools.lru_cache(maxsize=None)
def is_kernel(path):
    """Returns true if a file is compiled once for each instruction set."""
    return "md5/core/wide.h" in with_includes([path]) or is_for_one_set(path)


def kernel_text(path):
    """Returns a kernel without its #include lines. Headers of one set replace their #include lines."""
    def replace(match):
        name = resolve(path, match.group(1))
        return kernel_text(name) if is_for_one_set(name) else ""
    return SYSTEM_INCLUDE.sub("", WIDE_SET.sub("", INCLUDE.sub(replace, without_guard(read(path)))))


def kernels(sources, shared):
    """Returns all kernels, and the directives that include the file again for each instruction set. `shared`
    is the text of the headers, whose names are not changed."""
    set_by_unit = {path: (WIDE_SET.findall(read(path)) or ["PLAIN"])[0] for path in sources}
    text = ""
    for path in with_includes(sources):
        if not is_kernel(path) or is_for_one_set(path) or is_empty(kernel_text(path)):
            continue
        sets = sorted({set_by_unit[unit] for unit in sources if path in with_includes([unit])})
        condition = " || ".join("!defined(MD5_PASS)" if wide_set == "PLAIN"
                                else "defined(MD5_WIDE_%s)" % wide_set for wide_set in sets)
        text += "\n#if %s\n%s%s#endif\n" % (condition, heading(path), kernel_text(path))
    macros = set(re.findall(r"^#define (\w+)", text, re.M))
    shared_names = set().union(*map(small.declared_names, small.pieces(shared)))
    names = set().union(*map(small.declared_names, small.pieces(text))) - macros - shared_names
    renaming = "".join("#define %s MD5_WIDE_NAME(%s)\n" % (name, name) for name in sorted(names))
    return (fixed_text("kernels_begin") + renaming + "\n#endif // MD5_PASS\n" + text + "\n"
            + "".join("#undef %s\n" % macro for macro in sorted(macros)) + fixed_text("kernels_end"))


# -- C and C++ -----------------------------------------------------------------------------------------

def for_both_languages(text):
    """Replaces compound literals of C, which C++ does not support, by macros. Comments and strings are
    unchanged."""
    def replace(code):
        code = re.sub(r"&\(([a-z]\w*)\)(?=\{)", r"MD5_ADDRESS(\1)", code)
        code = re.sub(r"(?<!MD5_ADDRESS)\(((?:const )?[a-z_][a-z0-9_]*)\)\{", r"MD5_LITERAL(\1){", code)
        return re.sub(r"(?:(?<=\w\)))?\{0\}", " MD5_ALL_ZERO", code).replace("=  MD5_ALL", "= MD5_ALL")
    parts = re.split("(//[^\n]*|" + small.STRING + ")", text)
    parts[::2] = map(replace, parts[::2])
    braces = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
    return re.sub(r"MD5_ADDRESS\((\w+)\)( MD5_ALL_ZERO|%s)" % braces, r"MD5_ADDRESS(\1, \2)", "".join(parts))


def static_prototypes(text):
    """Makes the internal functions that a header declares static."""
    text = re.sub(r"^(?=md5_\w+_kernel md5i_\w+;)", "static ", text, flags=re.M)
    return re.sub(r"^(?=(?!static|typedef|extern|struct|enum|union|return|else)[A-Za-z][A-Za-z0-9_ ]*[ *]+"
                  r"(?:md5|md5gl)i?_\w+\([^{;=]*\)[^{;=]*;)", "static ", text, flags=re.M)


# -- Files ---------------------------------------------------------------------------------------------

def opening_comment(name, purpose):
    version = ".".join(re.findall(r"define MD5_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", read("md5/md5model.h")))
    text = "%s %s: %s\nOne of the two files that `make amalgamate` makes of the sources.\n\n%s" % (
        name, version, purpose, read("LICENSE").strip())
    return "".join(("// " + line).rstrip() + "\n" for line in text.split("\n"))


def public_header(name, purpose, paths, first):
    """Returns the header of a library."""
    guard = "MD5_AMALGAMATED_%s_H" % name.upper()
    text = "".join(heading(path) + body(path) for path in paths)
    return "%s#ifndef %s\n#define %s\n%s%s\n#endif\n" % (
        opening_comment(name + ".h", purpose), guard, guard, first, text)


def source(name, purpose, sources, public, generated=""):
    """Returns the source of a library: the headers that its sources share, the sources, and the kernels."""
    has_kernels = any(map(is_kernel, sources))
    internal_headers = [path for path in with_includes(sources)
                        if path.endswith(".h") and not is_kernel(path) and not PUBLIC.match(path)]
    units = {path: static_prototypes(body(path)) for path in internal_headers}
    units.update((path, body(path)) for path in sources if not is_kernel(path) and not is_empty(body(path)))
    if is_small:
        units = small.needed_units(public, units)
    units = {path: heading(path) + text for path, text in units.items() if not is_empty(text) or not is_small}
    shared = "".join(units.pop(path, "") for path in internal_headers)
    load_code = "".join(units.pop(path, "") for path in SMALL_LOAD_SOURCES) if is_small else ""
    if load_code:
        load_code = fixed_text("size_begin") + load_code + fixed_text("size_end")
    code = shared.replace("#include <glad/gl.h>\n", "") + load_code + "".join(units.values())
    code = for_both_languages(code)
    text = fixed_text("begin", has_kernels) + '\n#include "%s.h"\n' % name
    text += generated + re.sub("^#define _POSIX_C_SOURCE .*\n", "", code, flags=re.M)
    if has_kernels:
        kernel_code = kernels([path for path in sources if is_kernel(path)], public + shared)
        text = "\n#ifndef MD5_PASS\n" + text + for_both_languages(kernel_code)
    return opening_comment(name + ".c", purpose) + "\n" + text


def alias_headers(headers, library):
    """Returns the library's alias headers, with which programs include the library under other names."""
    return {os.path.basename(path): '#include "%s.h"\n' % library
            for path in headers if os.path.basename(path) != library + ".h"}


def library_files(library):
    """Returns the files of a library. Each library contains the folder md5/core under private names."""
    purpose, headers, folders = LIBRARIES[library]
    headers = ["md5/md5%s.h" % name for name in headers.split()]
    included_headers = [path for path in with_includes(headers) if PUBLIC.match(path)]
    sources = sorted(path for folder in folders.split()
                     for path in glob.glob("%s/*.c" % (folder if folder == "md5" else "md5/" + folder)))
    text = source(library, purpose, sources, "".join(map(body, included_headers)))
    avx512 = "#define MD5_HAS_AVX512 MD5_CAN_COMPILE_AVX512\n"  # a ninth of the code: compiled on request
    text = text.replace(avx512, "#ifdef MD5_AVX512\n%s#endif\n" % avx512)
    if library != "md5model":
        text = re.sub(r"\bmd5i_", "md5i_%s_" % library[3:], text)
    public_headers = [path for path in included_headers if path in headers]
    first_lines = FIRST_LINES.get(library, INCLUDE_MODEL)
    return {library + ".h": public_header(library, purpose, public_headers, first_lines),
            library + ".c": text, **alias_headers(public_headers, library)}


def gl_files(glad, shaders):
    """Returns the files of md5gl, with the unchanged loader that glad generates."""
    loader_include = re.compile(r"^[ \t]*#include <(KHR/khrplatform|glad/gl)\.h>\n", re.M)
    loader = "".join(heading(name + ", by glad") + loader_include.sub("", read(os.path.join(glad, name)))
                     for name in ("include/KHR/khrplatform.h", "include/glad/gl.h", "src/gl.c"))
    optional = "render/md5gl_stb.h"  # needs stb_image
    headers = [path for path in with_includes(sorted(glob.glob("render/md5gl*.h")))
               if path.startswith("render/") and path != optional]
    text = source("md5gl", GL_PURPOSE, sorted(glob.glob("render/*.c")), "".join(map(body, headers)), loader)
    long_strings = '#if defined(__GNUC__)\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n#endif\n'
    return {"md5gl_stb.h": read(optional),
            "md5gl.h": public_header("md5gl", GL_PURPOSE, headers, INCLUDE_MODEL),
            "md5gl.c": text + heading("shaders") + long_strings + body(shaders),
            **alias_headers(headers, "md5gl")}


def small_files():
    """Returns the files of the small form."""
    header = opening_comment("md5model.h", SMALL_PURPOSE) + read(SMALL_HEADER)
    text = source("md5model", SMALL_PURPOSE, SMALL_LOAD_SOURCES + SMALL_RUNTIME_SOURCES, header)
    return {"md5model.h": header, "md5model.c": text, **alias_headers(SMALL_ALIASES, "md5model")}


def main(arguments):
    global is_small
    is_small = arguments[0] == "--small"
    if is_small:
        folder, files = arguments[1], small_files()
    else:
        folder, files = arguments[0], {"md5config.h": read("md5/packaging/md5config.h")}
        for library in LIBRARIES:
            files.update(library_files(library))
        if arguments[1:]:
            files.update(gl_files(*arguments[1:]))
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
            file.write(re.sub(r"\n{3,}", "\n\n", text))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        sys.exit("usage: " + __doc__)
    main(sys.argv[1:])
