#!/usr/bin/env python3
"""Inserts small faults into the sources, one at a time, and reports the faults that no test detects.

mutants.py COUNT SEED COMMIT MINUTES FOLDER...: COUNT faults in the modules below the folders, or, unless
COMMIT is "", in the lines that differ from it; no fault is started after MINUTES. The same seed selects
the same faults in the same tree. Each fault is built with assertions in a copy of the working tree. A fault
in the library must be detected by the tests of its module or by the library's other tests; any other fault by
the tests of its module or by scripts without a window. Faults that do not compile, or that do not change the
compiled code, are replaced by others. mutants.txt lists the faults that may survive, with reasons.
"""
import hashlib
import os
import random
import re
import resource
import subprocess
import sys
import time

TREE = "build/mutants"
PLANTED = TREE + "/build/planted"  # the last changed file, because a stopped run does not remove its fault
SWAPS = [("<=", "<"), (">=", ">"), ("==", "!="), ("&&", "||"), ("+=", "-="), ("++", "--"), (" + ", " - "),
         (" * ", " / "), ("true", "false"), ("floor", "ceil"), ("fmin", "fmax")]
SWAPS += [(b, a) for a, b in SWAPS] + [(".x", ".y"), (".y", ".z"), (".z", ".x"), ("(!", "(")]
STATEMENT = re.compile(r"^ +(?!return|break|else|do|goto|case)[\w>\[\].*-]+( [-+*/|&^]?= |\().*;$")
ARRAY = re.compile(r" +[\w ]+ \**\w+(\[\w+\])+;")  # a larger array is equivalent
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d+(?:e-?\d+)?f?|\d+u?)(?![\w.])")


def stages_of(path):
    """Returns the program that contains a file, and its tests in order: test programs with folders of tests
    or parts of names, folders of scripts, variables of `make test`."""
    top, module = path.split("/")[:2]
    library, drawing = "build/release/test_md5", "build/release/test_gl"
    if (top, module) == ("md5", "edit"):  # tests compare the diagnostics that the tool prints
        return library, [f"{library} test/load/", "test/tool/"]
    if top == "md5":
        return library, [f"{library} test/{module if '.' not in module else 'load'}/", library]
    if top == "render":
        return drawing, [f"{drawing} test/render/", "test/tool/", "test/game/"]
    if module == "viewer":
        return drawing, [f"{drawing} test/viewer/", "TEST=viewer"]
    looks = [f"{drawing} image png find_texture"] if module == "looks" else []
    return "build/md5tool", looks + [f"test/{name}/" for name in ("convert", "tool", "game")]


def without_texts(line):
    """Replaces the strings and comments of a line by blanks."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])+\'', lambda found: " " * len(found[0]), line)
    return re.sub(r"//.*", lambda found: " " * len(found[0]), line)


def faults_of(line):
    """Returns all faults of a line, as changed lines."""
    code = without_texts(line)
    if re.match(r"\s*(#|MD5_ASSERT|\*|/\*)", code) or ARRAY.match(code):
        return []
    faults = []
    for old, new in SWAPS:
        begin = r"\b" if old.isalpha() else r"" if old[0] in " .(" else r"(?<![<>=!+-])"
        end = r"\b" if old in ("true", "false", ".x", ".y", ".z") else r"(?!=)"
        for at in re.finditer(begin + re.escape(old) + end, code):
            faults.append(line[:at.start()] + new + line[at.end():])
    for at in NUMBER.finditer(code):
        is_zero = float(at[0].rstrip("fu")) == 0.0
        new = "1" if is_zero else "1.5 * " + at[0] if "." in at[0] else str(int(at[0].rstrip("u")) + 1)
        faults.append(line[:at.start()] + new + line[at.end():])
    if STATEMENT.match(code) and code.count("(") == code.count(")"):
        faults.append(line[:len(line) - len(line.lstrip())] + ";")
    return faults


def changed_lines(commit):
    """Returns {path: numbers of the lines that differ from the commit}."""
    lines, path = {}, None
    for line in output("git", "diff", "-U0", "--no-ext-diff", commit, "--").splitlines():
        if line.startswith("+++ "):
            path = line[6:]
        found = re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line)
        if found:
            first, count = int(found[1]), int(found[2] or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    return lines


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8", errors="replace").stdout


def find_faults(commit, folders):
    """Returns {folder: [(path, index of the line, changed line)]}."""
    changed, faults = changed_lines(commit) if commit else None, {}
    for path in output("git", "ls-files", *folders).split():
        if not path.endswith((".c", ".h")) or "neon" in path or (commit and path not in changed):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
            if path.endswith(".h") and "inline" not in text.lower():
                continue  # it has no code, and a change rebuilds many files
            for index, line in enumerate(text.split("\n")):
                if not commit or index + 1 in changed[path]:
                    found = [(path, index, new) for new in faults_of(line)]
                    faults.setdefault(os.path.dirname(path), []).extend(found)
    return {folder: found for folder, found in sorted(faults.items()) if found}


def run(*command):
    """Runs a command in the copy. A fault can cause an endless loop; the library's tests need 15 seconds."""
    def limit():
        seconds = 60 if command[0].endswith("test_md5") else 300
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))
    left_out = "MAKEFLAGS MAKELEVEL MFLAGS config BUILD CFLAGS LDFLAGS".split()
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    environment |= {"MD5_TEST_STOP": "yes", "MD5_TEST_TIMEOUT": "1800", "MD5_TEST_LONG": "",
                    "MD5_MODELS": "build/small/models", "MD5_BUILD": "build", "SDL_VIDEODRIVER": "offscreen",
                    "GALLIVM_PERF": "nopt", "LP_NUM_THREADS": "0"}
    return subprocess.run(command, cwd=TREE, env=environment, preexec_fn=limit, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def make(*goals):
    settings = ["CFLAGS=-g0 -UNDEBUG", "DEPS=no", f"-j{os.cpu_count()}", "--no-print-directory"]
    return run("make", *settings, *goals)


def code_of(program):
    with open(f"{TREE}/{program}", "rb") as file:
        return hashlib.sha256(file.read()).digest()


def killer(stages):
    """Returns the first line that names a failed test; None if all pass."""
    for stage in stages:
        if "=" in stage:
            done = make("test", stage)
        elif stage.startswith("build/"):
            done = make(stage.split()[0])
            done = done if done.returncode else run(*stage.split())
        else:
            done = make("build/md5tool")
            scripts = output("git", "ls-files", stage + "*.sh").split()
            done = done if done.returncode else run("sh", "test/build/run_tests.sh", *scripts)
        if done.returncode != 0:
            failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED: ")]
            return failed[0] if failed else f"status {done.returncode}: {done.stdout[-200:]}"
    return None


def plant(path, index, line):
    """Writes the file with the changed line into the copy; None restores it."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if line is not None:
        lines[index] = line
    with open(f"{TREE}/{path}", "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    with open(PLANTED, "w", encoding="utf-8") as file:
        file.write(path)


def allowed():
    """Yields (path, line, changed line), both without indentation, of faults without a testable effect."""
    with open("test/long/mutants.txt", encoding="utf-8") as file:
        blocks = [block.split("\n") for block in file.read().split("\n\n") if not block.startswith("#")]
    known = {tuple(part.strip() for part in block[:3]) for block in blocks}
    for path, old, new in known:
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file.read().split("\n") if line.strip() == old]
        if not any(new in [fault.strip() for fault in faults_of(line)] for line in lines):
            sys.exit(f"mutants.txt: {path} does not contain this line any more: {old}")
    return known


def main():
    count, known = int(sys.argv[1]), allowed()
    if count == 0:
        return
    chooser, faults = random.Random(int(sys.argv[2])), find_faults(sys.argv[3], sys.argv[5:])
    end = time.monotonic() + 60 * float(sys.argv[4])
    if not faults:
        return
    copy = (f"mkdir -p {TREE} && find {TREE} -mindepth 1 -maxdepth 1 ! -name build -exec rm -r {{}} + &&"
            f" git ls-files -z | tar --null -c -T - | tar -x -C {TREE}")
    subprocess.run(copy, shell=True, check=True)
    if os.path.exists(PLANTED):
        with open(PLANTED, encoding="utf-8") as file:
            os.utime(f"{TREE}/{file.read()}")
    built = make("programs")
    if built.returncode != 0:
        sys.exit(built.stdout)
    counts, original = {"killed": 0, "survived": 0, "allowed": 0}, {}
    while faults and sum(counts.values()) < count and time.monotonic() < end:
        folder = chooser.choice(list(faults))
        path, index, new = faults[folder].pop(chooser.randrange(len(faults[folder])))
        if not faults[folder]:
            del faults[folder]
        with open(path, encoding="utf-8") as file:
            old = file.read().split("\n")[index]
        program, stages = stages_of(path)
        if program not in original:
            make(program)
            original[program] = code_of(program)
        plant(path, index, new)
        if make(program).returncode == 0 and code_of(program) != original[program]:
            by = killer(stages)
            is_known = (path, old.strip(), new.strip()) in known
            verdict = "killed" if by else "allowed" if is_known else "survived"
            counts[verdict] += 1
            texts = [f"{verdict}: {path}:{index + 1}", old.strip(), new.strip(), by or ""]
            print("\n    ".join(texts).rstrip(), flush=True)
        plant(path, index, None)
    print(", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
    sys.exit(counts["survived"] > 0)


main()
