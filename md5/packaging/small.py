"""Reduces the library's sources to the small form, for amalgamate.py.

Three steps remove text: conditions with known macros are decided, some members and statements are removed,
and declarations that the header does not need are omitted. The functions rely on clang-format:
declarations at file scope begin in the first column, and nothing else does, except braces.
"""
import re

STRING = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
IGNORED = re.compile(r"//[^\n]*|" + STRING)

# Members below a comment with this beginning, up to an empty line; statements that only assert or warn, with
# the `if` of which it is the only statement.
REMOVED = re.compile(
    r"^ +// Not in the small form.*\n(?: +\S.*\n)+|"
    r"(?<!\\\n)^ +(?:if \([^;{}]*\)\n +)?(?:(?:md5i_)?(?:lex_)?warn(?:_\w+)?|MD5_(?:ASSERT|VALIDATE)\w*|"
    r"md5i_(?:begin|silence)_warnings|md5_fill_freed)\((?:[^;\"]|" + STRING + r")*\);\n", re.M)

# Names that a piece of text declares at file scope.
DECLARED = re.compile(r"""
    ^\#define\ (\w+)                                                    # macros
    | ^(?:typedef\ |static\ |const\ )*(?:struct|enum|union)\ (\w+)\ \{  # tags
    | ^\}\ (\w+)[;[]                                                    # types and tables after a structure
    | ^typedef\ [^;{}(]*?\(?\*?(\w+)[(;)[]                              # other types
    | ^(?!typedef|\#|static_assert)[A-Za-z_][\w *]*?[ *](\w+)\(         # functions
    | ^(?!typedef|\#)[A-Za-z_][\w *]*?[ *](\w+)(?:\[[^=\n]*?\])*(?:\ =|;)  # constants and tables
    | ^[A-Z][A-Z0-9_]+\((\w+),                                           # functions that a macro defines
    """, re.M | re.X)
ENUMERATION = re.compile(r"^(?:typedef )?enum\b[^{;]*\{([^}]*)\}", re.M)
NOT_NAMES = {"MD5_WIDE_NAME", "MD5_PRINTF"}


def decide(condition, values):
    """Returns the value of a condition, or None if `values`, a table of macros, does not decide it."""
    results = []
    for part in condition.split("&&"):
        negation, name = re.match(r"(!?)(\w*)", part.strip()).groups()
        is_name = part.strip() == negation + name and name in values
        results.append(values[name] != bool(negation) if is_name else None)
    return False if False in results else None if None in results else True


def decide_conditions(text, values):
    """Evaluates the #if directives that the macros in `values` decide. Returns the text without these
    directives and without the excluded branches."""
    lines = []
    stack = []  # for each open #if: is its current branch kept (None: not decided), and was any branch kept
    for line in text.splitlines(True):
        directive = re.match(r"#(if|ifdef|ifndef|elif|else|endif)\b *(.*?) *(?://.*)?$", line)
        word, condition = directive.groups() if directive else ("", "")
        is_decided = False
        if word.startswith("if"):
            value = decide("!" + condition if word == "ifndef" else condition, values)
            stack.append((value, value))
            is_decided = value is not None
        elif word == "endif":
            is_decided = stack.pop()[0] is not None
        elif word and stack[-1][0] is not None:
            value = not stack[-1][1] and (word == "else" or decide(condition, values))
            stack[-1] = value, value or stack[-1][1]
            is_decided = True
        if not is_decided and all(value is not False for value, _ in stack):
            lines.append(line)
    return "".join(lines)


def pieces(text):
    """Cuts text into declarations and directives with the comments above them. #if to #endif is one piece."""
    piece, depth = "", 0
    for line in re.findall(r"(?:[^\n]*\\\n)*[^\n]*\n", text):  # a directive with its continuation lines
        code = IGNORED.sub("", line).strip()
        piece += line
        depth += len(re.findall(r"[({]", code)) - len(re.findall(r"[)}]", code))
        depth += len(re.findall(r"^#if", code)) - len(re.findall(r"^#endif", code))
        if depth == 0 and (not line.strip() or code.startswith("#") or code.endswith((";", "}"))):
            yield piece
            piece = ""


def declared_names(piece):
    """Returns the names that a piece of text declares at file scope."""
    names = {name for match in DECLARED.findall(piece) for name in match}
    for body in ENUMERATION.findall(piece):
        names |= set(re.findall(r"(?:^|,)\s*(\w+)", re.sub(r"//.*", "", body)))
    return names - NOT_NAMES - {""}


def used_names(piece):
    """Returns the names that a piece uses. Members are not names; a pointer does not need its structure."""
    code = re.sub(r"\bstruct \w+ \*", "", IGNORED.sub("", piece))
    return set(re.findall(r"(?<![\w.>])[A-Za-z_]\w*", code))


def needed_units(header, units):
    """Returns `units`, a table of texts by path, with only what the functions of the header need."""
    all_pieces = {path: list(pieces(text)) for path, text in units.items()}
    pieces_by_name = {}  # the pieces that declare a name
    for piece in sum(all_pieces.values(), []):
        for name in declared_names(piece):
            pieces_by_name.setdefault(name, []).append(piece)
    names, lines = used_names(header), set()
    queue = set(names)
    while queue:
        name = queue.pop()
        for piece in pieces_by_name.get(name, []):
            lines.add(piece)
            queue |= used_names(piece) - names
            names |= used_names(piece)

    def is_needed(piece):
        if declared_names(piece):
            return piece in lines
        code = IGNORED.sub("", piece).strip()  # an assertion needs all names that it contains
        return code and all(set(pieces_by_name[name]) & lines for name in used_names(piece)
                            if name in pieces_by_name)
    return {path: "".join(piece for piece in path_pieces if is_needed(piece))
            for path, path_pieces in all_pieces.items()}
