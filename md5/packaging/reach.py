"""For amalgamate.py: the parts of a source that its header needs.

The texts are cut into pieces: declarations with the comments above them, directives, headings. A piece has
names and words; all pieces of the header stay, and those of the source that their names and words name, and
so on. Words that are a member, or a variable of the piece itself, do not count, nor does a struct of the
source if the piece only points to it.
"""
import re
import sys

HEADING = re.compile(r"// (==|--) ")
CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b", re.M)
DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?")
UNDEF = re.compile(r"[ \t]*#[ \t]*undef[ \t]+(\w+)")
WORD = re.compile(r"[A-Za-z_]\w*$")
NO_TYPES = {"return", "case", "else", "goto", "sizeof"}
AFTER_NAMES = set(";,=[):")
NOTHING = ("space", "comment")


class Piece:
    def __init__(self, kind, text, names=(), words=()):
        self.kind, self.text, self.names, self.words = kind, text, set(names), set(words)
        self.kept = kind in ("space", "always")
        self.group = None  # the #if that it stands in, as the piece that begins it
        self.parts = []  # of an #if: all its conditions


def words_of(tokens):
    """The words by which a piece reaches others."""
    padded = ["", ""] + tokens + [""]
    own, found = set(), set()
    for first, a, b, word, after in zip([""] + padded, padded, padded[1:], padded[2:], padded[3:]):
        is_pointer = b == "*" and (a in ("*", "const") or WORD.match(a) and (
            WORD.match(first) or first in ("", ";", "{", "}", "(", ",")))
        if WORD.match(word) and after in AFTER_NAMES and (WORD.match(b) and b not in NO_TYPES or is_pointer):
            own.add(word)
    for a, b, word, after in zip(padded, padded[1:], padded[2:], padded[3:]):
        if WORD.match(word) and b not in (".", "->") and (word not in own or after == "("):
            found.add("*" + word if (b, after) == ("struct", "*") else word)
    return found


def cut(text, code_tokens, names_of_statement):
    """The pieces of a text."""
    pieces, statement, level, parens, is_body = [], [], 0, 0, False

    def significant(text_tokens):
        return [token for kind, token in text_tokens if kind not in NOTHING]

    def directive(token):
        define, undef = DEFINE.match(token), UNDEF.match(token)
        if define:
            words = words_of(significant(code_tokens(token[define.end():])))
            return Piece("code", token, [define[1]], words - set(re.findall(r"\w+", define[2] or "")))
        if CONDITION.match(token):
            return Piece("condition", token, (), re.findall(r"[A-Za-z_]\w*", token))
        return Piece("undef", token, [], [undef[1]]) if undef else Piece("always", token)

    def declaration():
        head, inside, depth = [], [], 0
        for kind, token in statement:
            if kind == "macro":
                inside += significant(code_tokens(re.sub(r"[ \t]*#[ \t]*\w+", "", token)))
            elif kind not in NOTHING:
                inside.append(token)
                depth += token == "{" and (depth > 0 or head[-1:] == [")"])  # the body of a function
                if depth == 0:
                    head.append(token)
                depth -= token == "}" and depth > 0
        names = names_of_statement(head + [";"])
        if "MD5_WIDE_NAME" in head:
            names.add(head[head.index("MD5_WIDE_NAME") + 2])
        if head[1] == "(":
            names.add(head[2])  # a macro whose first argument is what it declares
        return Piece("code", "".join(token for _, token in statement), names, words_of(inside))

    for kind, token in code_tokens(text):
        if not statement and (kind in NOTHING or kind == "macro" or token == "}"):
            kind = "always" if token == "}" else kind
            pieces.append(directive(token) if kind == "macro" else Piece(kind, token))
            continue
        statement.append((kind, token))
        if kind in NOTHING or kind == "macro":
            continue
        before = significant(statement)[-2:-1]
        if token == "{" and before == ['"C"']:
            pieces.append(Piece("always", 'extern "C" {'))
            statement.clear()
            continue
        if token == "{" and level == 0:
            is_body = before == [")"]
        level += {"{": 1, "}": -1}.get(token, 0)
        parens += {"(": 1, ")": -1}.get(token, 0)
        if level == parens == 0 and (token == ";" or token == "}" and is_body):
            pieces.append(declaration())
            statement.clear()
    return pieces


def joined(pieces, belong):
    """Pieces with a space between them become one if they belong(first, lines, second)."""
    out = []
    for piece in pieces:
        if len(out) > 1 and out[-1].kind == "space" and piece.kind != "space" \
                and belong(out[-2], out[-1].text.count("\n"), piece):
            space, above = out.pop().text, out.pop()
            kind = above.kind if piece.kind == "comment" else piece.kind
            piece.text = above.text + space + piece.text
            piece = Piece(kind, piece.text, above.names | piece.names, above.words | piece.words)
        out.append(piece)
    return out


def with_comments(pieces):
    """Comments go to what they stand beside or above; a heading has what stands below it alone."""
    def beside(first, lines, second):
        if second.kind == "comment":
            return lines == 0 and first.kind == "code" or lines == 1 and first.kind == "comment" \
                and not HEADING.match(second.text)
        return lines == 1 and first.kind == "comment" and not HEADING.match(first.text)

    def apart(first, _, second):
        return first.kind == "comment" and (HEADING.match(first.text) is None) != (second.kind == "comment")
    return joined(joined(pieces, beside), apart)


def find_groups(pieces):
    stack = []
    for piece in pieces:
        word = CONDITION.search(piece.text)[1] if piece.kind == "condition" else ""
        if not word or word.startswith("if"):
            piece.group = stack[-1] if stack else None
        if word.startswith("if"):
            stack.append(piece)
        if word:
            stack[-1].parts.append(piece)
        if word == "endif":
            stack.pop()


def mark(pieces, public):
    """Marks the pieces that stay: all of the header, `public`, and those that they reach."""
    owners, known, queue = {}, set(), [name for piece in public for name in piece.names]
    endings = set(re.findall(r"##(_\w+)", "".join(piece.text for piece in pieces)))  # which macros paste
    for piece in pieces:
        for name in piece.names:
            owners.setdefault(name, []).append(piece)

    def keep(piece):
        while piece:
            for each in piece.parts or [piece]:
                queue.extend(each.words)
                each.kept = True
            piece = piece.group if piece.group and not piece.group.kept else None

    for piece in pieces:
        if piece in public or piece.kind in ("always", "comment") \
                or any(name.startswith("_") for name in piece.names):
            keep(piece)
    while queue:
        name = queue.pop()
        is_opaque, name = name.startswith("*"), name.lstrip("*")
        if name in known or is_opaque and not any(piece in public for piece in owners.get(name, [])):
            continue
        known.add(name)
        pasted = {name + ending for ending in endings} | {
            name[:-len(ending)] for ending in endings if name.endswith(ending)}
        queue.extend(each for each in owners
                     if each in pasted or name.endswith("_") and each.startswith(name))
        for piece in owners.get(name, []):
            if not piece.kept:
                keep(piece)
    for piece in pieces:
        if piece.kind == "code" and not piece.names:  # an assertion about what is known
            piece.kept = all(owners[word][0].kept for word in piece.words if word in owners)
        if piece.kind == "undef":
            piece.kept = any(each.kept for word in piece.words for each in owners.get(word, []))


def reached(header, source, code_tokens, names_of_statement):
    """Returns the text of the source without the pieces that the header does not need."""
    public, pieces = (with_comments(cut(text, code_tokens, names_of_statement)) for text in (header, source))
    find_groups(public)
    find_groups(pieces)
    mark(public + pieces, set(public))
    return without_headings("".join(piece.text for piece in pieces if piece.kept))


def without_headings(text):
    """Without those that have nothing below them: -- within ==, and both within files."""
    for heading, end in (("--", "(--|==)"), ("== (?!md5/)", "=="), ("==", "== md5/")):
        end = r"// %s|#endif|#ifdef __cplusplus\n}|#if defined\(__OPTIMIZE" % end
        text = re.sub(r"^// %s.*\n((?!%s)(//.*)?\n)*(?=%s)" % (heading, end, end), "", text, flags=re.M)
    return text


# -- Members -------------------------------------------------------------------------------------------

def without_members(text, names):
    """The text without the members of structures that have these names and the comments above them."""
    for name in names:
        member = r"(^ +//.*\n)*^ +[^\n/(){}]+\(?\*?\b%s\b(\)\([^;{}]*\))?;.*\n(^ {8,}//.*\n)*" % name
        text, count = re.subn(member, "", text, flags=re.M)
        if count != 1:
            sys.exit("amalgamate: %d members are named %s: expected one" % (count, name))
    return text


# -- Statements ------------------------------------------------------------------------------------------

def without_statements(text, names, code_tokens):
    """The text without calls of such names that are whole statements, nor an `if` that has nothing else."""
    tokens = [list(each) for each in code_tokens(text)]

    def step(at, by):
        """The next token in a direction that is no space or comment."""
        at += by
        while tokens[at][0] in NOTHING:
            at += by
        return at

    def partner(at, by):
        opening, closing, depth = tokens[at][1], {"(": ")", ")": "("}[tokens[at][1]], 0
        while True:
            depth += {opening: 1, closing: -1}.get(tokens[at][1], 0)
            if depth == 0:
                return at
            at = step(at, by)

    def drop(first, last):
        before, after = step(first, -1), step(last, 1)
        head = step(partner(before, -1), -1) if tokens[before][1] == ")" else before
        if tokens[before][1] == ")":
            if tokens[head][1] != "if" or tokens[after][1] == "else":
                sys.exit("amalgamate: nothing is left of " + "".join(each[1] for each in tokens[head:last]))
            return drop(head, last)
        if tokens[before][1] == "{" and tokens[after][1] == "}" and tokens[step(before, -1)][1] == ")":
            head = step(partner(step(before, -1), -1), -1)
            if tokens[head][1] == "if":
                return drop(head, after)
        first = before if tokens[before][1] == "else" else first
        if "\n" in tokens[first - 1][1]:  # with its line, and comments above that nothing follows
            first -= 1
            is_end = tokens[last + 1][1].count("\n") > 1 or tokens[after][1] == "}"
            while is_end and tokens[first - 1][0] == "comment" and "\n" in tokens[first - 2][1]:
                first -= 2
        for token in tokens[first:last + 1]:
            token[:] = ["space", ""]
        return None

    for at in reversed(range(len(tokens))):  # the last branch goes first
        if tokens[at][0] == "word" and names.match(tokens[at][1]) and tokens[step(at, 1)][1] == "(" \
                and tokens[step(at, -1)][1] in (";", "{", "}", ")", "else"):
            last = step(partner(step(at, 1), 1), 1)
            if tokens[last][1] == ";":
                drop(at, last)
    return "".join(token for _, token in tokens)
