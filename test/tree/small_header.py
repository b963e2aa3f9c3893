#!/usr/bin/env python3
"""small_header.py FOLDER: checks the header of the small form, FOLDER/md5model.h, for consistency, against
FOLDER/md5model.c and against the public headers of the library in md5/. Prints a line for each fault:

- a name of the library that the header does not declare, also in comments: md5_x, MD5_X, md5_x.member
- a type that no function or structure uses
- a function or macro that differs from the library's, or that md5model.c does not define
- a structure, member or enumerator whose size, offset or value differs from the library's

The compiler is CC, or cc.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

PUBLIC = sorted(glob.glob("md5/md5*.h"))
NAME = re.compile(r"\b(?:md5|MD5)[a-zA-Z]*_\w+")
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\n\} \w+;", re.S)
ENUM = re.compile(r"typedef enum (\w+) \{(.*?)\n\} \w+;", re.S)
ONLY_SMALL = {"MD5_SMALL"}  # macros that the library does not define
FILLER = re.compile(r"reserved\d+$")  # stands for members of the library


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def normalized(text):
    return " ".join(text.split())


def members(body):
    """Returns the names of the members of a structure."""
    for declaration in without_comments(body).split(";"):
        pointer = re.search(r"\(\*(\w+)\)\(", declaration)
        if pointer:
            yield pointer.group(1)
        elif declaration.strip():
            for declarator in declaration.split(","):
                yield re.search(r"(\w+)(\[[^\]]*\])?( MD5_MEMBER_INIT)?$", declarator.strip()).group(1)


def enumerators(body):
    return re.findall(r"^\s*(\w+)", without_comments(body), re.M)


def functions(text):
    """Returns the declarations of functions: name to text without its `;`."""
    found = re.findall(r"^MD5_API ([^;{}]*?\b(\w+)\([^;{}]*\));", text, re.M)
    return {name: normalized(declaration) for declaration, name in found}


def inline_functions(text):
    found = re.finditer(r"^static inline [^;{}]*?\b(\w+)\([^;{}]*\)\n\{\n.*?^\}\n", text, re.M | re.S)
    return {match.group(1): normalized(match.group(0)) for match in found}


def macros(text):
    """Returns the definitions of macros: pairs of name and value. A name may have several values."""
    return {(name, normalized(value)) for name, value in re.findall(r"^#define (\w+)(.*)$", text, re.M)}


def unknown_names(text):
    """Yields a line for each name of the library in the header that the header does not declare."""
    code = without_comments(text)
    structs = {name: set(members(body)) for name, body in STRUCT.findall(code)}
    declared = set(structs) | set(functions(code)) | set(inline_functions(code))
    declared |= {name for name, _ in macros(code)}
    declared |= {name for name, _ in ENUM.findall(code)}
    declared |= {name for _, body in ENUM.findall(code) for name in enumerators(body)}
    declared |= set(re.findall(r"^typedef struct (\w+) \1;", code, re.M))
    for number, line in enumerate(text.split("\n"), 1):
        for match in NAME.finditer(line):
            name, following = match.group(0), line[match.end():]
            member = re.match(r"\.(\w+)", following)
            if name.endswith("_") and following.startswith("*"):
                is_declared = any(declared_name.startswith(name) for declared_name in declared)
            else:
                is_declared = name in declared
            if not is_declared:
                yield "md5model.h:%d: %s is not declared" % (number, name)
            elif member and name in structs and member.group(1) not in structs[name]:
                yield "md5model.h:%d: %s does not have a member %s" % (number, name, member.group(1))


def unused_types(small):
    """Yields a line for each structure or enumeration that no function or structure of the header uses."""
    for name in [name for name, _ in STRUCT.findall(small) + ENUM.findall(small)]:
        if len(re.findall(r"\b%s\b" % name, small)) == 2:  # `typedef struct name { } name;`
            yield "md5model.h: nothing uses %s" % name


def different_declarations(small, full_text):
    """Yields a line for each function or macro that differs from the library's."""
    for kind, declarations in (("function", functions), ("function", inline_functions)):
        library = declarations(full_text)
        for name, text in declarations(small).items():
            if library.get(name) != text:
                yield "md5model.h: %s %s: '%s', in the library '%s'" % (kind, name, text, library.get(name))
    for name, value in sorted(macros(small) - macros(full_text)):
        if name not in ONLY_SMALL:
            yield "md5model.h: macro %s: '%s' is not a value in the library" % (name, value)


# -- What the compiler reports -----------------------------------------------------------------------

PROGRAM = "#include <stdio.h>\n#include <stddef.h>\n%s\nint main(void)\n{\n%s    return 0;\n}\n"


def layout_program(small, include):
    """Returns a program that prints all sizes, offsets and values of the small form's header."""
    lines = []
    for struct, body in STRUCT.findall(small):
        lines.append((struct, "sizeof(%s)" % struct))
        for member in members(body):
            if not FILLER.match(member):
                lines.append(("%s.%s" % (struct, member), "offsetof(%s, %s)" % (struct, member)))
                lines.append(("size of %s.%s" % (struct, member), "sizeof(((%s *)0)->%s)" % (struct, member)))
    for _, body in ENUM.findall(small):
        lines += [(name, name) for name in enumerators(body)]
    return PROGRAM % (include, "".join('    printf("%s: %%ld\\n", (long)(%s));\n' % line for line in lines))


def link_program(small):
    """Returns a program that needs each function of the header."""
    pointers = "".join("    (void (*)(void))%s,\n" % name for name in functions(small))
    return PROGRAM % ('#include "md5model.h"\nvoid (*functions[])(void) = {\n%s};' % pointers, "")


def output(scratch, text, *flags):
    """Returns the lines that a program prints, or None and the compiler's messages."""
    source, program = os.path.join(scratch, "program.c"), os.path.join(scratch, "program")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    command = os.environ.get("CC", "cc").split() + ["-std=c11", source, *flags, "-lm", "-o", program]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            universal_newlines=True)
    if result.returncode != 0:
        return None, result.stdout
    return subprocess.run([program], check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout.split("\n"), ""


def different_layout(folder, small):
    with tempfile.TemporaryDirectory() as scratch:
        header = '#include "md5model.h"'
        found, messages = output(scratch, layout_program(small, header), "-I" + folder)
        if not found:
            yield messages
            return
        full_text = "".join('#include "%s"\n' % path for path in PUBLIC)
        expected, messages = output(scratch, layout_program(small, full_text), "-I.", "-Imd5")
        if not expected:
            yield messages
            return
        for found_line, expected_line in zip(found, expected):
            if found_line != expected_line:
                yield "md5model.h: %s, in the library %s" % (found_line, expected_line.split(": ")[-1])


def missing_functions(folder, small):
    """Returns the linker's messages if md5model.c does not define a function of the header."""
    with tempfile.TemporaryDirectory() as scratch:
        source = os.path.join(folder, "md5model.c")
        linked, messages = output(scratch, link_program(small), "-I" + folder, source)
        if not linked:
            yield messages


def main(folder):
    text = read(os.path.join(folder, "md5model.h"))
    small = without_comments(text)
    full_text = without_comments("".join(map(read, PUBLIC)))
    faults = list(unknown_names(text))
    faults += unused_types(small)
    faults += different_declarations(small, full_text)
    faults += different_layout(folder, small)
    if not faults:
        faults += missing_functions(folder, small)
    print("\n".join(faults), end="\n" if faults else "")
    return bool(faults)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: " + __doc__)
    sys.exit(main(sys.argv[1]))
