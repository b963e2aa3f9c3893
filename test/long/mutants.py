#!/usr/bin/env python3
"""Inserts small faults into the sources, one at a time, and reports the faults that no test detects.

mutants.py COUNT SEED COMMIT MINUTES FOLDER...: COUNT faults in the modules below the folders, or, unless
COMMIT is "", in the lines that differ from it; no fault is started after MINUTES. The same seed selects
the same faults in the same tree. Each fault is built with assertions in a copy of the working tree. A fault
in the library must be detected by the tests of its module or by the library's other tests; any other fault by
the tests of its module or by scripts without a window. Faults that do not compile, or that do not change the
compiled code, are replaced by others. mutants.txt lists the faults that may survive, with reasons.

mutants.py 0: checks that the sources contain the lines of mutants.txt and planted.txt.
mutants.py list MINUTES FOLDER...: plants the faults of planted.txt that are below the folders.
mutants.py draw COUNT SEED FOLDER...: prints COUNT new faults of each folder in the form of planted.txt, of
random kinds. Remove the faults that do not compile or that swap arguments of different types.
"""
import glob
import hashlib
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import time

TREE = "build/mutants"
PLANTED = TREE + "/build/planted"  # the last changed file, because a stopped run does not remove its fault
JOBS = os.environ.get("MUTANT_JOBS", os.cpu_count())
LIST = "test/long/planted.txt"
SWAPS = [("<=", "<"), (">=", ">"), ("==", "!="), ("&&", "||"), ("+=", "-="), ("++", "--"), (" + ", " - "),
         (" * ", " / "), ("true", "false"), ("floor", "ceil"), ("fmin", "fmax")]
SWAPS += [(b, a) for a, b in SWAPS] + [(".x", ".y"), (".y", ".z"), (".z", ".x"), ("(!", "(")]
STATEMENT = re.compile(r"^ +(?!return|break|else|do|goto|case)[\w>\[\].*-]+( [-+*/|&^]?= |\().*;$")
ARRAY = re.compile(r" +[\w ]+ \**\w+(\[\w+\])+;")  # a larger array is equivalent
CALL = re.compile(r"\b\w+\(([\w.>\[\]-]+), ([\w.>\[\]-]+)(?=[,)])")
KINDS = ["bound", "condition", "sign", "member", "number", "call", "arguments"]
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d+(?:e-?\d+)?f?|\d+u?)(?![\w.])")


def test_stages(path):
    """Returns the program that contains a file, and its tests in order: test programs with folders of tests
    or parts of names, folders of scripts, variables of `make test`."""
    top, module = path.split("/")[:2]
    library, drawing = "build/release/test_md5", "build/release/test_gl"
    if (top, module) == ("md5", "edit"):  # tests compare the diagnostics that the tool prints
        return library, [f"{library} test/load/", "test/tool/"]
    if top == "md5":
        folders = {"motion": ["curve", "ik"]}.get(module, ["load" if "." in module else module])
        name = os.path.basename(path).split(".")[0]
        first = [f"test/{folder}/test_{name}" for folder in folders
                 if glob.glob(f"test/{folder}/test_{name}*.c")]
        tests = [f"test/{folder}/" for folder in folders if glob.glob(f"test/{folder}/test_*.c")]
        return library, [" ".join([library] + parts) for parts in (first, tests) if parts] + [library]
    if top == "render":
        return drawing, [f"{drawing} test/render/", "test/tool/", "test/game/"]
    if module == "viewer":
        return drawing, [f"{drawing} test/viewer/", "TEST=viewer"]
    parts = {"looks": "image png find_texture panorama", "convert": "test/convert/"}
    units = [f"{drawing} {parts[module]}"] if module in parts else []
    return "build/md5tool", units + [f"test/{name}/" for name in ("convert", "tool", "game")]


def without_texts(line):
    """Replaces the strings and comments of a line by blanks."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])+\'', lambda match: " " * len(match[0]), line)
    return re.sub(r"//.*", lambda match: " " * len(match[0]), line)


def fault_kind(code, old):
    """Returns the kind of a fault that replaces `old` in a line."""
    is_bound = re.search(r"(?<![->])[<>](?![<>])|\w*(max|MAX|min|MIN|limit|LIMIT|capacity)\w* =", code)
    if old in ("<", "<=", ">", ">=") or (NUMBER.match(old) and is_bound):
        return "bound"
    if old in ("==", "!=", "&&", "||", "true", "false", "(!", "("):
        return "condition"
    return "number" if NUMBER.match(old) else "member" if re.match(r"\.[xyz]", old) else "sign"


def list_faults(line):
    """Returns all faults of a line, as kinds and changed lines."""
    code = without_texts(line)
    if re.match(r"\s*(#|MD5_ASSERT|\*|/\*)", code) or ARRAY.match(code):
        return []
    faults = []
    for old, new in SWAPS:
        begin = r"\b" if old.isalpha() else r"" if old[0] in " .(" else r"(?<![<>=!+-])"
        end = r"\b" if old in ("true", "false", ".x", ".y", ".z") else r"(?![=<>])"  # not <= or <<
        for at in re.finditer(begin + re.escape(old) + end, code):
            faults.append((fault_kind(code, old), line[:at.start()] + new + line[at.end():]))
    for at in NUMBER.finditer(code):
        is_zero = float(at[0].rstrip("fu")) == 0.0
        new = "1" if is_zero else "1.5 * " + at[0] if "." in at[0] else str(int(at[0].rstrip("u")) + 1)
        faults.append((fault_kind(code, at[0]), line[:at.start()] + new + line[at.end():]))
    if STATEMENT.match(code) and code.count("(") == code.count(")"):
        kind = "call" if "(" in code else "assignment"
        faults.append((kind, line[:len(line) - len(line.lstrip())] + ";"))
    if line.startswith(" "):
        for at in CALL.finditer(code):
            (first, end), (second, last) = at.span(1), at.span(2)
            if at[1] != at[2]:
                swapped = line[:first] + line[second:last] + line[end:second] + line[first:end] + line[last:]
                faults.append(("arguments", swapped))
    return faults


def changed_lines(commit):
    """Returns {path: numbers of the lines that differ from the commit}."""
    lines, path = {}, None
    for line in output("git", "diff", "-U0", "--no-ext-diff", commit, "--").splitlines():
        if line.startswith("+++ "):
            path = line[6:]
        match = re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line)
        if match:
            first, count = int(match[1]), int(match[2] or 1)
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
                    found = [(path, index, new) for _, new in list_faults(line)]
                    faults.setdefault(os.path.dirname(path), []).extend(found)
    return {folder: found for folder, found in sorted(faults.items()) if found}


def run(*command):
    """Runs a command in the copy until it ends or prints that a test failed. A fault can cause an endless
    loop; the library's tests need 15 seconds. Returns the status and the printed lines."""
    def limit():
        seconds = 60 if command[0].endswith("test_md5") else 300
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))
    excluded = "MAKEFLAGS MAKELEVEL MFLAGS config BUILD CFLAGS LDFLAGS".split()
    environment = {name: value for name, value in os.environ.items() if name not in excluded}
    environment |= {"MD5_TEST_STOP": "yes", "MD5_TEST_TIMEOUT": "1800", "MD5_TEST_LONG": "", "MD5_ROOT": ".",
                    "MD5_MODELS": "build/small/models", "MD5_BUILD": "build", "SDL_VIDEODRIVER": "offscreen",
                    "GALLIVM_PERF": "nopt", "LP_NUM_THREADS": "0"}
    lines = []
    with subprocess.Popen(command, cwd=TREE, env=environment, preexec_fn=limit, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            lines.append(line)
            if line.startswith("FAILED: ") and "/test_" in command[0]:
                process.kill()
                return 1, lines
    return process.returncode, lines


def make(*goals):
    settings = ["CFLAGS=-g0 -UNDEBUG", "DEPS=no", f"-j{JOBS}", "--no-print-directory"]
    if shutil.which("ld.lld"):
        settings.append("LDFLAGS=-fuse-ld=lld")
    return run("make", *settings, *goals)


def program_hash(program):
    with open(f"{TREE}/{program}", "rb") as file:
        return hashlib.sha256(file.read()).digest()


def find_failed_test(stages):
    """Returns the first line that names a failed test; None if all pass."""
    for stage in stages:
        status, lines = 0, []
        if "=" in stage:
            status, lines = make("test", stage)
        elif stage.startswith("build/"):
            status, lines = make(stage.split()[0])
            if status == 0:
                status, lines = run(*stage.split())
        else:
            status, lines = make("build/md5tool")
            scripts = output("git", "ls-files", stage + "*.sh").split()
            if status == 0:
                status, lines = run("sh", "test/build/run_tests.sh", *scripts)
        if status != 0:
            failed = [line.strip() for line in lines if line.startswith("FAILED: ")]
            return failed[0] if failed else f"status {status}: {''.join(lines)[-200:]}"
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


def function_names(lines):
    """Returns for each line the name of the function that contains it, or ""."""
    names, name = [], ""
    for line in lines:
        match = re.match(r"[A-Za-z_].*?(\w+)\(", line)
        if match and not line.endswith(";"):
            name = match[1]
        names.append(name)
        if line == "}":
            name = ""
    return names


def read_blocks(path):
    """Returns the blocks of a list of faults as lists of lines."""
    with open(path, encoding="utf-8") as file:
        blocks = [block.strip("\n").split("\n") for block in file.read().split("\n\n")]
    return [block for block in blocks if block[0] and not block[0].startswith("#")]


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def read_allowed_faults():
    """Returns (path, line, changed line), both without indentation, of faults without a testable effect."""
    faults = {tuple(part.strip() for part in block[:3]) for block in read_blocks("test/long/mutants.txt")}
    for path, old, new in faults:
        lines = [line for line in read_lines(path) if line.strip() == old]
        if not any(new in [fault.strip() for _, fault in list_faults(line)] for line in lines):
            sys.exit(f"mutants.txt: {path} does not contain this line any more: {old}")
    return faults


def read_listed_faults(folders):
    """Returns (path, index of the line, changed line, kind) of faults of planted.txt below the folders."""
    faults = []
    for head, old, new in read_blocks(LIST):
        path, function, kind = head.split()
        lines = read_lines(path)
        names = function_names(lines)
        for index, line in enumerate(lines):
            if line.strip() == old and function in (names[index], "-"):
                break
        else:
            sys.exit(f"planted.txt: {function}() of {path} does not contain this line any more: {old}")
        changed = [fault for _, fault in list_faults(line) if fault.strip() == new]
        if not changed:
            sys.exit(f"planted.txt: {path}: no fault of {old} is {new}")
        if not folders or path.startswith(tuple(folders)):
            faults.append((path, index, changed[0], kind))
    return faults


def draw(count, seed, folders):
    """Prints new faults of each folder, of a random kind each."""
    generator, listed_faults = random.Random(seed), read_allowed_faults()
    listed_faults |= {(block[0].split()[0], block[1], block[2]) for block in read_blocks(LIST)}
    for folder in folders:
        entries = {}
        for path in output("git", "ls-files", folder).split():
            if not path.endswith(".c") or "neon" in path:
                continue
            lines = read_lines(path)
            names = function_names(lines)
            for index, line in enumerate(lines):
                for kind, new in list_faults(line):
                    is_endless = kind == "sign" and line.strip().startswith("for (")  # every test detects it
                    is_listed = (path, line.strip(), new.strip()) in listed_faults
                    if names[index] and not is_endless and not is_listed:
                        entry = f"{path} {names[index]} {kind}\n{line.strip()}\n{new.strip()}\n"
                        entries.setdefault(kind, []).append(entry)
        for _ in range(count):
            kind = generator.choice([kind for kind in KINDS if entries.get(kind)])
            print(entries[kind].pop(generator.randrange(len(entries[kind]))))


def prepare_copy():
    """Copies the working tree and builds the programs of the tests."""
    copy = (f"mkdir -p {TREE} && find {TREE} -mindepth 1 -maxdepth 1 ! -name build -exec rm -r {{}} + &&"
            f" git ls-files -z | tar --null -c -T - | tar -x -C {TREE}")
    subprocess.run(copy, shell=True, check=True)
    if os.path.exists(PLANTED):
        with open(PLANTED, encoding="utf-8") as file:
            os.utime(f"{TREE}/{file.read()}")


def build(*goals):
    status, lines = make(*goals)
    if status != 0:
        sys.exit("".join(lines))


def attempt(fault, listed_faults, original):
    """Plants a fault and runs its tests. Returns the verdict; "" if the fault does not change the program."""
    path, index, new = fault[:3]
    old = read_lines(path)[index]
    program, stages = test_stages(path)
    if program not in original:
        build(program)
        original[program] = program_hash(program)
        failed_test = find_failed_test(stages)
        if failed_test:
            sys.exit(f"a test fails without a fault: {failed_test}")
    plant(path, index, new)
    verdict = ""
    if make(program)[0] == 0 and program_hash(program) != original[program]:
        failed_test = find_failed_test(stages)
        is_listed = (path, old.strip(), new.strip()) in listed_faults
        verdict = "killed" if failed_test else "allowed" if is_listed else "survived"
        texts = [f"{verdict}: {path}:{index + 1}", old.strip(), new.strip(), failed_test or ""]
        print("\n    ".join(texts).rstrip(), flush=True)
    plant(path, index, None)
    return verdict


def run_list(minutes, folders):
    """Plants the listed faults, and prints the counts of each kind."""
    end, counts, original = time.monotonic() + 60 * minutes, {}, {}
    prepare_copy()
    build("programs", "build/small/models")
    for fault in read_listed_faults(folders):
        if time.monotonic() > end:
            counts["not planted"] = counts.get("not planted", 0) + 1
            continue
        verdict = attempt(fault, set(), original)
        if not verdict:
            print(f"without effect: {fault[0]}:{fault[1] + 1}", flush=True)
            verdict = "without effect"
        for key in (verdict, f"{verdict} ({fault[3]})"):
            counts[key] = counts.get(key, 0) + 1
    print(", ".join(f"{number} {key}" for key, number in sorted(counts.items())))


def main():
    if sys.argv[1] == "draw":
        draw(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
        return
    if sys.argv[1] == "list":
        run_list(float(sys.argv[2]), sys.argv[3:])
        return
    count, allowed_faults = int(sys.argv[1]), read_allowed_faults()
    if count == 0:
        read_listed_faults([])
        return
    generator, faults = random.Random(int(sys.argv[2])), find_faults(sys.argv[3], sys.argv[5:])
    end = time.monotonic() + 60 * float(sys.argv[4])
    if not faults:
        return
    prepare_copy()
    build("programs")
    counts, original = {"killed": 0, "survived": 0, "allowed": 0}, {}
    while faults and sum(counts.values()) < count and time.monotonic() < end:
        folder = generator.choice(list(faults))
        fault = faults[folder].pop(generator.randrange(len(faults[folder])))
        if not faults[folder]:
            del faults[folder]
        verdict = attempt(fault, allowed_faults, original)
        if verdict:
            counts[verdict] += 1
    print(", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
    sys.exit(counts["survived"] > 0)


main()
