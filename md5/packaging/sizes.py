#!/usr/bin/env python3
"""sizes.py [--renew] FOLDER: measures the two-file forms in FOLDER, as `make amalgamate` writes them, and
compares them with the table between `<!-- sizes -->` marks in installing.md. A cell may
differ by 2 %, a ratio by 0.15, because cells are rounded. --renew writes the table.

KB: code and data of md5model.o, compiled by CC -O2 -c without other flags; for "five flags" the growth of
engine.c of test/build/user with the five flags of installing.md. Columns of a compiler that is not installed
are not compared. "-O0": the processor time of compiling a form without optimization, as a ratio to that of
md5model/ in the same run, because seconds depend on the machine and on its load. LIMITS contains the upper
limits of what users download.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

FORMS = "small", "md5model"
FIVE_FLAGS = ("-Os -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections "
              "-Wl,--gc-sections").split()
ENGINE = "test/build/user/engine.c"
# Each document, with the columns of measure_form() in its table.
TABLES = {"md5/docs/installing.md": ("form", "gcc 12 -O2", "clang 14 -O2", "five flags", "-O0")}
HEADINGS = {"form": "", "gcc 12 -O2": "KB, `gcc -O2`", "clang 14 -O2": "KB, `clang -O2`",
            "five flags": "KB in an engine, five flags", "-O0": "compile time at -O0, relative"}
PRECISION = {"-O0": "%.1f"}  # format of the cells of a column; other columns contain whole numbers
# Upper limits of each form, by column. Measurements are compared with them before they are rounded.
LIMITS = {"small": {"gcc 12 -O2": 70, "clang 14 -O2": 80, "-O0": 0.5},
          "md5model": {"gcc 12 -O2": 420}}
MARKS = re.compile(r"(?<=<!-- sizes -->\n).*?(?=<!-- /sizes -->)", re.S)


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout


def code_size(path):
    return sum(int(figure) for figure in run("size", path).split("\n")[1].split()[:2])


def cpu_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run("env", "CCACHE_DISABLE=1", *command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def is_installed(compiler, major):
    return shutil.which(compiler) and run(compiler, "-dumpversion").strip().split(".")[0] == major \
        and run(compiler, "-dumpmachine").startswith("x86_64") and sys.platform.startswith("linux")


def measure_form(folder):
    """Measures the sizes of one form in KB. Returns a table of column to number, and the form's name."""
    source, cells = os.path.join(folder, "md5model.c"), {"form": "`%s/`" % os.path.basename(folder)}
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "out")
        for column in "gcc 12 -O2", "clang 14 -O2":
            compiler, major, flag = column.split()
            if is_installed(compiler, major):
                run(compiler, flag, "-c", source, "-o", out)
                cells[column] = code_size(out) / 1024
        if is_installed("gcc", "12"):
            os.symlink(os.path.abspath(folder), os.path.join(scratch, "md5model"))
            run("gcc", "-DNDEBUG", *FIVE_FLAGS, "-I" + scratch, "-Idemo/examples", ENGINE, source, "-lm",
                "-o", out)
            run("gcc", "-DNDEBUG", *FIVE_FLAGS, "-DENGINE_ONLY", ENGINE, "-lm", "-o", out + ".before")
            cells["five flags"] = (code_size(out) - code_size(out + ".before")) / 1024
    return cells


def compile_times(folder):
    """Returns the value of the column "-O0" for each form. Forms are compiled in turn; the shortest time
    counts."""
    if not is_installed("gcc", "12"):
        return {}
    shortest = dict.fromkeys(FORMS, float("inf"))
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(3):
            for form in FORMS:
                source = os.path.join(folder, form, "md5model.c")
                seconds = cpu_seconds("gcc", "-O0", "-c", source, "-o", os.path.join(scratch, "out"))
                shortest[form] = min(shortest[form], seconds)
    return {form: seconds / shortest["md5model"] for form, seconds in shortest.items()}


def cell_text(row, column):
    return row[column] if column == "form" else PRECISION.get(column, "%.0f") % row[column]


def table(columns, rows):
    head = "| " + " | ".join(HEADINGS[column] for column in columns) + " |\n" + "|---" * len(columns) + "|\n"
    body = ("| " + " | ".join(cell_text(row, column) for column in columns) + " |\n" for row in rows)
    return head.replace("|  |", "| |") + "".join(body)


def differences(path, columns, rows, text):
    """Yields a line for each cell that differs from the measurement."""
    documented_rows = [[cell.strip() for cell in line.strip("|\n").split("|")]
                       for line in text.splitlines()[2:]]
    if len(documented_rows) != len(rows) or any(len(row) != len(columns) for row in documented_rows):
        yield "%s: the table has other rows or columns" % path
        return
    for cells, row in zip(documented_rows, rows):
        for cell, column in zip(cells, columns):
            if column == "form" and cell != row[column]:
                yield "%s: a row %s, expected %s" % (path, cell, row[column])
            elif column != "form" and column in row:
                documented = float(cell.replace(" ", ""))
                measured = float(cell_text(row, column))
                tolerance = 0.15 if column == "-O0" else 0.02 * documented
                if abs(measured - documented) > tolerance + 1e-9:
                    yield "%s: %s, %s: %s, measured %g" % (path, row["form"], column, cell, measured)


def main(arguments):
    renew = arguments[:1] == ["--renew"]
    rows = [measure_form(os.path.join(arguments[-1], form)) for form in FORMS]
    for form, ratio in compile_times(arguments[-1]).items():
        rows[FORMS.index(form)]["-O0"] = ratio
    faults = ["%s: %s %.2f, at most %s" % (form, column, row[column], limit)
              for form, row in zip(FORMS, rows) for column, limit in LIMITS[form].items()
              if row.get(column, 0) > limit]
    for path, columns in TABLES.items():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if renew:
            text = MARKS.sub(lambda _: table(columns, rows), text, 1)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            found = MARKS.search(text)
            faults += differences(path, columns, rows, found[0]) if found else [path + ": no <!-- sizes -->"]
    print("\n".join(faults or [str(row) for row in rows]))
    return bool(faults)


sys.exit(main(sys.argv[1:]))
