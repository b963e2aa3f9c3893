#!/usr/bin/env python3
"""Converts files to C sources, for the Makefile and for CMake.

embed.py text PREFIX OUTPUT FILE...   one string per shader, PREFIX_file, declared in render/shaders.h.
                                      Characters that are invalid in names become underscores. Comments and
                                      indentation are removed; line numbers are unchanged
embed.py bytes NAME OUTPUT FILE [NAME FILE]...   NAME[] and NAME_size
embed.py pages HEADER OUTPUT TEXT FILE...  the viewer's lessons, declared in HEADER: the descriptions in TEXT,
                                      and the code of each lesson: the C code between the comments BEGIN and
                                      END in a file, or a machine in TEXT. Fails if a lesson is only in TEXT
                                      or only in the files
"""
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

# The comments before and after the code that a lesson displays.
BEGIN = rb'// The lesson "(\w+)" displays the following code, up to "End of the displayed code"\.\n\n'
END = rb"\n// End of the displayed code\."

# `?` is escaped because it could begin a trigraph. Escapes have three digits, so that a following digit is
# not part of them.
PLAIN = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ _+-*/=<>(){}[].,;:#&|!"
ESCAPED = [chr(byte) if byte in PLAIN else "\\%03o" % byte for byte in range(256)]


def literal(data):
    """Returns strings with octal escapes, which compilers read many times faster than lists of numbers."""
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


def byte_array(name, path):
    data = read(path)
    return ("#include <stddef.h>\n\nextern const unsigned char %s[];\nextern const size_t %s_size;\n"
            "\nconst unsigned char %s[] =%s;\nconst size_t %s_size = %d;\n"
            % (name, name, name, literal(data), name, len(data)))


def displayed_code(path):
    """Returns the names and texts of the marked parts of a file. Continuation lines, which are indented
    farther than a block, are joined to the line before, and the lines of a comment are joined."""
    found = re.findall(rb"^" + BEGIN + rb"(.*?)" + END + rb"$", read(path), re.MULTILINE | re.DOTALL)
    return [(name.decode(), join_lines(text.split(b"\n"))) for name, text in found]


def join_lines(lines):
    result = [b""]
    for line in lines[:-1]:
        indent, previous_indent = len(line) - len(line.lstrip()), len(result[-1]) - len(result[-1].lstrip())
        are_comments = [text.lstrip().startswith(b"//") for text in (result[-1], line)]
        if all(are_comments) and indent == previous_indent:
            result[-1] += line.lstrip()[2:]
        elif line and indent > previous_indent + 4 and b"//" not in result[-1]:
            result[-1] += (b"" if result[-1].endswith((b"(", b"{")) else b" ") + line.lstrip()
        else:
            result.append(line)
    return b"\n".join(result[1:] + [b""])


# Keys of a lesson's text: minimum and maximum number of fields.
KEYS = {"title": (1, 1), "family": (1, 1), "about": (1, 1), "try": (1, 1), "answer": (1, 1),
        "machine": (1, 1), "model": (1, 1),
        "clip": (1, 1), "start": (1, 1), "morphs": (1, 1), "keeps": (1, 1), "slider": (4, 4), "whole": (4, 4),
        "choice": (3, 64), "easings": (3, 3),
        "figure": (1, 2), "box": (2, 2), "plot": (4, 5), "series": (2, 3), "fact": (1, 2), "columns": (3, 3),
        "see": (1, 64)}
REMOVED = "removed"  # a line before the first lesson: a lesson of an earlier version | its replacement
REPEATED = ("slider", "whole", "choice", "easings", "figure", "plot", "series", "fact")


def sections(path):
    """Returns the lessons in a text: name, location of the heading, and keys with their fields, in order."""
    found = []
    for number, line in enumerate(read(path).decode().split("\n"), 1):
        location = "%s:%d: " % (path, number)
        heading = re.fullmatch(r"\[(\w+)\]", line)
        key, _, rest = line.partition(":")
        if heading:
            if heading[1] in [name for name, *_ in found]:
                sys.exit(location + "duplicate page '%s'" % heading[1])
            found.append((heading[1], location, []))
        elif not line.strip() or line.startswith("#") or (key == REMOVED and not found):
            continue
        elif line.startswith(" ") and found and found[-1][2]:
            is_machine = found[-1][2][-1][0] == "machine"
            found[-1][2][-1][1][-1] += line[4:] + "\n" if is_machine else " " + line.strip()
        elif key not in KEYS or not found:
            sys.exit(location + "found '%s', expected [NAME] or one of %s" % (key, ", ".join(KEYS)))
        else:
            fields = [field.strip() for field in rest.split("|")]
            if not KEYS[key][0] <= len(fields) <= KEYS[key][1]:
                sys.exit(location + "%s has %d fields, expected %s"
                         % (key, len(fields), " to ".join(map(str, sorted(set(KEYS[key]))))))
            if key not in REPEATED and key in [other for other, _ in found[-1][2]]:
                sys.exit(location + "a second %s" % key)
            found[-1][2].append(("choice", easings(*fields)) if key == "easings" else (key, fields))
    return found


def removed_lessons(path):
    """Returns the lessons of earlier versions in a text: the name, and the replacement, which is a lesson or
    a document with a heading. test/tree/techniques.sh checks that the headings exist."""
    names = [name for name, *_ in sections(path)]
    found = []
    for number, line in enumerate(read(path).decode().split("\n"), 1):
        key, _, rest = line.partition(":")
        if key != REMOVED:
            continue
        name, _, replacement = [field.strip() for field in rest.partition("|")]
        if name in names or not (replacement in names or ".md#" in replacement):
            sys.exit("%s:%d: expected removed: NAME | LESSON or DOCUMENT.md#HEADING" % (path, number))
        found.append((name, replacement))
    return found


def easings(name, last, first):
    """Returns the fields of a choice between the kinds of easings in md5/md5curve.h."""
    header = read(os.path.join(TOP, "md5/md5curve.h")).decode()
    kinds = re.findall(r"^ +MD5_EASE_(\w+),", header, re.MULTILINE)
    return [name, str(kinds.index(first)), *(kind.lower() for kind in kinds[:kinds.index(last) + 1])]


def lines_of(pages, paths):
    """Returns the code of all lessons: marked lines of C, or a machine from TEXT or from a file."""
    lines = {}
    for path in paths:
        lines.update(displayed_code(path))
    for name, _, keys in pages:
        for text in dict(keys).get("machine", []):
            lines[name] = text.encode() if "\n" in text else read(os.path.join(TOP, text))
    return lines


def first_lines(lines, keys):
    """Replaces $0, $1, ... in a machine by the initial values of its choices and sliders."""
    first = [fields[2 + int(fields[1])] if key == "choice" else fields[3] for key, fields in keys
             if key in ("slider", "whole", "choice")]
    return re.sub(r"\$(\d)", lambda number: first[int(number[1])], lines.decode())


def sources_of(page):
    """Returns the techniques of a lesson and their tests, from the table in test/techniques.md."""
    table = read(os.path.join(TOP, "test/techniques.md")).decode()
    rows = [[cell.strip().replace("`", "") for cell in line.split("|")[1:4]]
            for line in table.split("\n") if line.startswith("| ")]
    return [(technique, test) for technique, test, lesson in rows if lesson == page]


def floats(text):
    return ", ".join(re.sub(r"(\.\d+)$", r"\1f", number) for number in text.split())


def quoted(text):
    return "".join(literal(text.encode()).split("\n    "))


def row(name, location, keys, family, lines):
    """Returns the initializers of a lesson. Elements are designated, so that compilers reject too many."""
    single = dict((key, fields) for key, fields in keys if key not in REPEATED)
    missing = [key for key in ("title", "about", "try", "box", "see") if key not in single]
    if missing or not family or not lines:
        missing.append("a family" if not family else "lines of C")
        sys.exit(location + "page '%s' lacks %s" % (name, missing[0]))
    parts = [".name = " + quoted(name), ".title = " + quoted(single["title"][0]),
             ".family = " + quoted(family),
             ".about = " + quoted(single["about"][0]), ".first = " + quoted(single["try"][0]),
             ".sources = " + quoted("; ".join(technique for technique, _ in sources_of(name))),
             ".lines = " + literal(lines).replace("\n    ", "\n        "),
             ".start = " + single.get("start", ["0"])[0], ".has_morphs = %d" % ("morphs" in single),
             ".show = view_show_page_" + name]
    parts += [".%s = %s" % (key, quoted(single[key][0])) for key in ("model", "clip", "answer")
              if key in single]
    if "keeps" in single:
        parts += [".fill_cache = view_fill_cache_" + name, ".num_cache_sliders = " + single["keeps"][0]]
    parts += [".see[%d] = %s" % (i, quoted(other)) for i, other in enumerate(single["see"])]
    parts.append(".box = {%s}" % ", ".join("{%s}" % floats(corner) for corner in single["box"]))
    sliders, figures, plots, facts = [], [], [], []
    for key, fields in keys:
        if key in ("slider", "whole"):
            sliders.append("{%s, %s, %s}" % (quoted(fields[0]), ", ".join(map(floats, fields[1:])),
                                             "view_integer_slider" if key == "whole" else "NULL"))
        elif key == "choice":
            sliders.append("{%s, 0, %d, %s, (const char *const[]){%s}}" % (
                quoted(fields[0]), len(fields) - 3, fields[1], ", ".join(map(quoted, fields[2:]))))
        elif key == "figure":
            figures.append("{%s, %s}" % (floats(fields[0]), quoted((fields + [""])[1])))
        elif key == "fact":
            facts.append("{%s}" % ", ".join(map(quoted, (fields + [""])[:2])))
        elif key == "columns":
            parts += [".columns = {%s}" % ", ".join(map(quoted, fields)), ".first_row = %d" % len(facts)]
        elif key == "plot":
            plots.append((["%s, %s, {%s}, {%s}, VIEW_FIT_%s" % (
                *map(quoted, fields[:2]), *map(floats, fields[2:4]), (fields + ["not"])[4].upper())], []))
        elif key == "series" and plots:
            if fields[2:] not in ([], ["steps"]):
                sys.exit(location + "found series field '%s', expected steps" % fields[2])
            has_steps = fields[2:] == ["steps"]
            plots[-1][1].append("{%s, VIEW_%s, %d}" % (quoted(fields[0]), fields[1].upper(), has_steps))
    plots = ["{%s, {%s}}" % (text[0], ", ".join("[%d] = %s" % pair for pair in enumerate(series)))
             for text, series in plots]
    for array, rows in (("sliders", sliders), ("figures", figures), ("plots", plots), ("facts", facts)):
        parts += [".%s[%d] = %s" % (array, i, text) for i, text in enumerate(rows)]
    return "    {%s},\n" % ",\n     ".join(parts)


def pages_of(header, text, paths):
    pages = sections(text)
    lines, source = lines_of(pages, paths), b"".join(map(read, paths))
    lesson_names = {name for name, *_ in pages}
    cached_names = {name for name, _, keys in pages if "keeps" in dict(keys)}
    for keys, macro in (lesson_names, "SHOW"), (cached_names, "FILL_CACHE"):
        functions = set(re.findall(r"^VIEW_%s\((\w+)\)" % macro, source.decode(), re.MULTILINE))
        for name in sorted(keys ^ functions):
            sys.exit("%s: page '%s' has %s VIEW_%s, and %s" % (
                text, name, *(("no", macro, "a text for it") if name in keys
                              else ("a", macro, "no text for it"))))
    for name in sorted(set(lines) - lesson_names):
        sys.exit("%s: lesson '%s' does not exist, but a file contains its displayed code" % (text, name))
    rows, family = [], ""
    for name, location, keys in pages:
        family = dict(keys).get("family", [family])[0]
        rows.append(row(name, location, keys, family, lines.get(name)))
    removed = ["    {.name = %s, .advice = %s},\n"
               % (quoted(name), quoted(("see " if "#" in replacement else "use --lesson ") + replacement))
               for name, replacement in removed_lessons(text)]
    functions = ["void view_show_page_%s(view_picture *, const float *);\n" % name for name, *_ in pages]
    functions += ["void view_fill_cache_%s(const view_picture *, view_lesson_cache *);\n" % name
                  for name, _, keys in pages if "keeps" in dict(keys)]
    return ('#include "%s"\n\n#include "md5/md5pose.h"\n\n#include <stddef.h>\n\n%s\n'
            "const view_page view_page_rows[] = {\n%s};\n"
            "const uint32_t view_num_pages = %d;\n"
            "const common_removed view_removed_pages[] = {\n%s};\n"
            "const uint32_t view_num_removed_pages = %d;\n"
            % (header, "".join(functions), "".join(rows), len(rows), "".join(removed), len(removed)))


def main(arguments):
    if len(arguments) >= 3 and arguments[0] == "text":
        text = texts(arguments[1], arguments[3:])
    elif len(arguments) >= 4 and len(arguments) % 2 == 0 and arguments[0] == "bytes":
        names, paths = arguments[1:2] + arguments[4::2], arguments[3::2]
        text = "\n".join(map(byte_array, names, paths))
    elif len(arguments) >= 4 and arguments[0] == "pages":
        text = pages_of(arguments[1], arguments[3], arguments[4:])
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
