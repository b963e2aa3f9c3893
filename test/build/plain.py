#!/usr/bin/env python3
"""Checks that control flow is visible in C code. usage: plain.py [FILE...]

Reports `file:line: problem` and exits with status 1 for
- macros that contain a loop or a jump: for, while, do, break, continue, goto or return;
- statements with two or more conditional operators;
- loops without braces around an if, a loop or a switch;
- #if inside functions and structures, except in files of PLATFORM_FILES.
Without files, checks all C files that git knows.
"""

import re
import subprocess
import sys

# Macros that may return or loop: TRY(), which returns on failure, and assertions. Assertions of tests end a
# test (REQUIRE) or return a fault (HOLDS, PASS_ON).
ALLOWED_MACROS = re.compile(r'(TRY|\w*ASSERT\w*|REQUIRE|REQUIRE_CORPUS|HOLDS|PASS_ON)$')

# Files that hide compilers, processors and operating systems from all others may contain #if anywhere.
PLATFORM_FILES = re.compile(
    r'md5/core/(compiler\.h|cpu\.[ch]|wide\w*\.h|file\.c)$|md5/pose/simd/packed_wide\.h$'
    r'|demo/common/(file|system|threads|write)\.c$|demo/viewer/platform/')

CONTROL = re.compile(r'(?:MD5_UNROLL\s+|else\s+)?(?:if|for|while|switch|TEST\w*)\b')
JUMP = re.compile(r'\b(for|while|do|break|continue|goto|return)\b')
TOKENS = re.compile(r'//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def without_texts(code):
    """Replaces comments, strings and characters by blanks; line breaks remain."""
    return TOKENS.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), code)


def directives(code):
    """Returns (offset, text) of each preprocessor directive, with its continuation lines."""
    return [(m.start(), m.group()) for m in re.finditer(r'^[ \t]*#(?:\\\n|[^\n])*', code, re.M)]


def macros_with_jumps(code):
    """Yields (offset, name, keyword) of each macro that contains a loop or a jump.

    The wrapper do { ... } while (0) is not a loop: it makes a macro a statement."""
    for offset, text in directives(code):
        macro = re.match(r'[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)]*\))?(.*)', text, re.S)
        if not macro or ALLOWED_MACROS.match(macro.group(1)):
            continue
        body = macro.group(2).replace('\\\n', '\n').strip()
        wrapped = re.match(r'do\s*\{(.*)\}\s*while\s*\(0\)$', body, re.S)
        found = JUMP.search(wrapped.group(1) if wrapped else body)
        if found:
            yield offset, macro.group(1), found.group(1)


def statements(code):
    """Yields (offset, text) of each statement, declaration and header of a control statement.

    Initializers belong to their statement; `code` has no comments and no directives."""
    start, depth, initializers = 0, 0, 0
    for i, c in enumerate(code):
        text = code[start:i].strip()
        if c in '([':
            depth += 1
        elif c in ')]':
            depth -= 1
            if depth == 0 and initializers == 0 and CONTROL.match(text):
                yield start, code[start:i + 1]
                start = i + 1
        elif c == '{':
            is_value = depth > 0 or initializers > 0 or text.endswith('=') or (
                text.endswith(')') and re.search(r'=|^return\b', text) and not CONTROL.match(text))
            if is_value:
                initializers += 1
            else:
                yield start, code[start:i]
                start = i + 1
        elif c == '}' and initializers > 0:
            initializers -= 1
        elif (c == '}' or c == ';') and depth == 0 and initializers == 0:
            yield start, code[start:i]
            start = i + 1


def members(statement):
    """Splits a statement at the commas between the members of its initializers."""
    start, brackets = 0, []
    for i, c in enumerate(statement):
        if c in '({[':
            brackets.append(c)
        elif c in ')}]' and brackets:
            brackets.pop()
        elif c == ',' and brackets and brackets[-1] == '{':
            yield statement[start:i]
            start = i + 1
    yield statement[start:]


def double_conditionals(code):
    """Yields (offset, count) of each statement with two or more conditional operators.

    Each member of an initializer may contain one."""
    for offset, text in statements(without_directives(code)):
        if text.lstrip().startswith('EM_JS'):  # JavaScript
            continue
        count = max(member.count('?') for member in members(text))
        if count > 1:
            yield offset + len(text) - len(text.lstrip()), count


def without_directives(code):
    """Replaces preprocessor directives by blanks."""
    return re.sub(r'^[ \t]*#(?:\\\n|[^\n])*', lambda m: re.sub(r'[^\n]', ' ', m.group()), code,
                  flags=re.M)


def loops_without_braces(code):
    """Yields the offset of each loop whose body is an if, a loop or a switch without braces."""
    plain = without_directives(code)
    for loop in re.finditer(r'\b(?:for|while) \(', plain):
        depth, end = 1, loop.end()
        while depth > 0 and end < len(plain):
            depth += {'(': 1, ')': -1}.get(plain[end], 0)
            end += 1
        if re.match(r'\s*(?:if|for|while|switch|do)\b', plain[end:end + 1000]):
            yield loop.start()


def inner_conditions(code):
    """Yields the offset of each #if or #ifdef inside a function or a structure."""
    extern = re.compile(r'extern\s*\{')  # the name "C" is blank
    depth = 0
    starts = {offset for offset, text in directives(code) if re.match(r'\s*#\s*if', text)}
    plain = without_directives(code)
    for i, c in enumerate(plain):
        if i in starts and depth > 0:
            yield i
        if c == '{' and not extern.search(plain[max(0, i - 20):i + 1]):
            depth += 1
        elif c == '}':
            depth = max(0, depth - 1)


def check(path):
    """Returns the problems of a file."""
    with open(path, encoding='utf-8') as file:
        code = without_texts(file.read())

    def at(offset):
        return f'{path}:{code.count(chr(10), 0, offset) + 1}'
    found = [f'{at(offset)}: the macro {name} contains `{keyword}`: write the code where it is used'
             for offset, name, keyword in macros_with_jumps(code)]
    found += [f'{at(offset)}: {count} conditional operators in one statement: use if, or name the parts'
              for offset, count in double_conditionals(code)]
    found += [f'{at(offset)}: the loop has no braces: add them around its body'
              for offset in loops_without_braces(code)]
    if not PLATFORM_FILES.match(path):
        found += [f'{at(offset)}: #if inside a function: move the code to a file or a function'
                  for offset in inner_conditions(code)]
    return found


def main():
    """Prints the problems of the files."""
    files = sys.argv[1:] or subprocess.run(['git', 'ls-files', '*.c', '*.h'], check=True,
                                           capture_output=True, text=True).stdout.split()
    problems = [problem for path in files for problem in check(path)]
    print('\n'.join(problems) if problems else f'{len(files)} files: control flow is visible')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
