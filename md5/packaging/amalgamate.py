#!/usr/bin/env python3
"""amalgamate.py FOLDER [GLAD_FOLDER SHADERS.c]: writes each library as two files into FOLDER: md5model.h and
md5model.c, md5play, md5game, md5ragdoll, md5edit; with the generated GL loader and shaders also md5gl; and
md5config.h, which they read.

amalgamate.py --small FOLDER: writes the small form of md5model: the header SMALL_HEADER, and the
parts of the files in SMALL_FILES that its declarations need. It has no switches and no md5config.h.

In one file every name has one meaning. What several sources have for themselves under one name gets the
source's name behind it: `group` of md5/skin/plan.c becomes group_plan. Macros of a source end with it.
Headers come first, once, without their #include lines. What each instruction set reads in its own way
(md5/core/wide.h, and whatever includes it) comes last, once: the file includes itself for each set.
"""
import functools
import glob
import os
import re
import sys

import reach

# Values of macros in the small form: conditions with them are decided when it is written. MD5_ASSERT counts
# as defined, because its calls are removed.
SMALL_VALUES = {"MD5_HAS_SIMD": "False", "MD5_HAS_FILES": "False", "MD5_HAS_FORMATS": "False",
                "MD5_HAS_SSE2": "False", "MD5_HAS_AVX2": "False", "MD5_HAS_AVX512": "False",
                "MD5_HAS_NEON": "False", "MD5_IS_X86_64": "False", "MD5_IS_AARCH64": "False",
                "MD5_SHARED": "False", "NDEBUG": "True", "MD5_HAS_ASSERTS": "False", "MD5_ASSERT": "True"}
SMALL_HEADER = "md5/small/md5model.h"
# The headers that SMALL_HEADER replaces: in small/ they have one line, which includes it.
SMALL_FORWARDS = "md5math.h", "md5skin.h"
# Of forms of what functions reach: compiled for size, as they run once a load.
ONCE = re.compile(r"md5/(core/(context|arena|file|names|math)|load/\w+|error|math|"
                  r"pose/(binding|sample_position|skeleton)|"
                  r"read/(anim|header|joints|mesh)|skin/(weld|pack|geometry)|small/\w+)\.c")
CONFIG = "md5/packaging/md5config.h"
# The files of the small form. Those of md5/small replace files of the library that contain more.
SMALL_FILES = """md5/error.c md5/math.c md5/core/arena.c md5/core/context.c md5/core/file.c md5/core/lex.c
    md5/core/math.c md5/core/names.c md5/core/number.c md5/load/anim.c md5/load/asset.c md5/load/axes.c
    md5/load/load.c md5/load/meshes.c md5/load/model.c md5/pose/binding.c md5/pose/blend.c
    md5/pose/blend_scalar.c md5/pose/hierarchy.c md5/pose/sample_position.c md5/pose/palette.c
    md5/pose/sample.c
    md5/pose/simd/kernels_scalar.c md5/pose/skeleton.c md5/read/anim.c md5/read/header.c md5/read/joints.c
    md5/read/mesh.c md5/read/rows.c md5/skin/geometry.c md5/skin/influences.c md5/skin/normals.c
    md5/skin/pack.c md5/skin/weld.c md5/small/load.c md5/small/pose.c md5/small/read.c
    md5/small/warn.c""".split()
# Headers of the library, and those that replace them in the small form.
SMALL_REPLACEMENTS = {"md5/core/object.h": "md5/small/object.h", "md5/core/freed.h": "md5/small/object.h"}
# Members of structures that only code outside of the small form uses.
SMALL_WITHOUT_MEMBERS = {
    "md5/core/context.h": "warn warn_user num_warnings held group_vertices skip_geometry".split(),
    "md5/pose/kernels.h": "sample_packed crowd finish_crowd".split(),
    "md5/pose/plan.h": "groups num_groups".split(),
}

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|'
                   r'\.?\d(?:[eEpP][+-]|[\w.])*|->|##|\s+|.', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)".*$', re.M)
WORD = re.compile(r"[A-Za-z_]\w*$")


is_small = False  # set by --small


@functools.lru_cache(maxsize=None)
def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not is_small:
        return text
    text = reach.without_statements(without_parts(text), UNUSED, code_tokens)
    return reach.without_members(text, SMALL_WITHOUT_MEMBERS.get(path, []))


# Functions and macros that the small form does not call.
UNUSED = re.compile(r"(md5i_)?(lex_)?warn(_\w+)?$|md5i_(begin_warnings|silence_warnings|report_held)$|"
                    r"md5_fill_freed$|MD5_(ASSERT|VALIDATE)\w*$")


# -- Conditions ----------------------------------------------------------------------------------------

def known(condition):
    """Returns the value of a condition of the preprocessor, or None if SMALL_VALUES does not decide it."""
    values = SMALL_VALUES
    text = re.sub(r"defined ?\((\w+)\)|defined (\w+)", r"\1\2", condition)
    text = re.sub(r"\w+", lambda match: values.get(match.group(0), "None"), text)
    parts = [re.sub(r"!\s*(True|False)", lambda match: str(match.group(1) == "False"), part).strip("() ")
             for part in re.split(r"&&|\|\|", text)]
    if "||" in text and "&&" in text:
        return None
    decides = "True" if "||" in text else "False"
    if decides in parts:
        return decides == "True"
    return parts[0] == "True" if set(parts) <= {"True", "False"} else None


def without_parts(text):
    """The text without what the switches leave out, and without the lines that ask for them."""
    out = []
    stack = []  # of each #if: whether its text is written, whether a branch was, whether its lines are
    for line in text.split("\n"):
        word = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b(.*?)(//.*)?$", line)
        ends = word and word.group(1) in ("elif", "else", "endif")
        outside = all(each[0] for each in (stack[:-1] if ends else stack))
        if not word:
            if outside:
                out.append(line)
            continue
        kind, condition = word.group(1), word.group(2).strip()
        value = {"else": True, "endif": None}.get(kind, known(condition))
        if kind == "ifndef" and value is not None:
            value = not value
        if kind.startswith("if"):
            stack.append([value is not False, value is True, value is None])
            if value is None and outside:
                out.append(line)
        elif kind == "endif":
            if stack.pop()[2] and outside:
                out.append(line)
        else:
            top = stack[-1]
            had, top[0] = top[1], not top[1] and value is not False
            top[1] = had or value is True
            if top[0] and outside and (top[2] or value is None):
                out.append(line if top[2] else re.sub("elif", "if", line))
                top[2] = True
    return "\n".join(out)


def resolve(including, name):
    """The path of an included file from the root; public headers include each other from beside them."""
    name = SMALL_REPLACEMENTS.get(name, name) if is_small else name
    beside = os.path.join(os.path.dirname(including), name)
    return beside if not os.path.exists(name) and os.path.exists(beside) else name


@functools.lru_cache(maxsize=None)
def includes(path):
    return [resolve(path, name) for name in INCLUDE.findall(read(path))]


def sorted_by_includes(paths):
    """Each file after those that it includes."""
    done = []

    def visit(path):
        if path not in done:
            for each in includes(path):
                visit(each)
            done.append(path)
    for path in paths:
        visit(path)
    return done


def reached(path):
    """The path and all that it includes, directly or not."""
    return set(sorted_by_includes([path]))


def without_guard(text):
    match = re.search(r"^#ifndef (\w+_H)\n#define \1\n", text, re.M)
    if not match:
        return text
    text = text[:match.start()] + text[match.end():]
    return text[:text.rindex("#endif")].rstrip() + "\n"


def heading(path):
    return "\n// == %s %s\n\n" % (path, "=" * max(1, 92 - len(path)))


# -- Kernels -------------------------------------------------------------------------------------------

WIDE = "md5/core/wide.h"
SET = re.compile(r"^#define MD5_WIDE_(SSE2|AVX2|AVX512|NEON)\n", re.M)
SETS = ["SSE2", "AVX2", "AVX512", "NEON"]  # each set after those that it hands small inputs to
PLAIN = "PLAIN"
KERNELS = "kernels"
SYSTEM = re.compile(r"^#include (<.*>)\n", re.M)


def is_of_one_set(path):
    """Such a header stands where wide.h, or one like it, chooses among the sets."""
    return bool(re.search(r"_(sse2|avx2|avx512|neon|scalar)\.h$", path))


def is_kernel(path):
    """Whether a file is read once for each instruction set."""
    return WIDE in reached(path) or is_of_one_set(path)


def kernel_text(path):
    """Without includes, but for headers of one set, which stand where they are included."""
    def replace(match):
        name = resolve(path, match.group(1))
        return kernel_text(name).strip() if is_of_one_set(name) else ""
    return SYSTEM.sub("", SET.sub("", INCLUDE.sub(replace, without_guard(read(path)))))


def is_empty(text):
    return not re.sub(r"^(//|#).*$", "", text, flags=re.M).strip()


def only_for(sets, all_sets, text):
    """The text under the condition that one of these sets is compiled."""
    if sets == all_sets:
        return text
    if sets == all_sets - {PLAIN}:
        condition = "defined(MD5_PASS)"
    else:
        condition = " || ".join("!defined(MD5_PASS)" if each == PLAIN else "defined(MD5_WIDE_%s)" % each
                                for each in [PLAIN] + SETS if each in sets)
    return "\n#if %s\n%s\n#endif\n" % (condition, text.rstrip())


def kernel_units(sources):
    """{module: text} of the files that are read once for each set, and the sets that have sources."""
    set_of = {path: (SET.findall(read(path)) or [PLAIN])[0] for path in sources}
    all_sets = set(set_of.values()) | {PLAIN}
    units = {}
    for path in sorted_by_includes(sources):
        text = kernel_text(path)
        if is_kernel(path) and not is_of_one_set(path) and not is_empty(text):
            sets = {set_of[each] for each in sources if path in reached(each)}
            module = "/".join(path.split("/")[:2]) + "/" + KERNELS
            units[module] = units.get(module, "") + only_for(sets, all_sets, heading(path) + text)
    return units, all_sets


def system_headers(paths):
    """All that kernels include, before their names are macros."""
    headers = {}
    for path in sorted_by_includes(paths):
        name = re.search(r"_(sse2|avx2|avx512|neon)\.h$", path)
        for header in SYSTEM.findall(read(path)) if is_kernel(path) else []:
            headers.setdefault(header, set()).add(name.group(1).upper() if name else None)
    text = ""
    for header, sets in sorted(headers.items()):
        line = "#include %s\n" % header
        condition = " || ".join("MD5_HAS_" + each for each in sorted(sets - {None}))
        text += line if None in sets else "#if %s\n%s#endif\n" % (condition, line)
    return text


PASSES = '''
// == Kernels ===================================================================================
//
// What follows is read once for plain C, and then once for each instruction set: at its end the
// file includes itself. Each time its names get that of the set: MD5_WIDE_NAME(name).

'''


def passes(units, taken, sets, sources):
    """The kernels' texts, behind the macros of their names, and the lines that include them again."""
    declared = [declared_names(text) for text in units.values()]
    names = {name for names, macros in declared for name in names - macros - taken}
    # After the last pass names are themselves again: the file may be included by others.
    end = "\n" + "".join("#undef %s\n" % macro for macro in sorted(
        {macro for _, macros in declared for macro in macros}))
    again = "".join("\n#if MD5_HAS_%s\n#define MD5_WIDE_%s\n#include MD5_SELF\n#undef MD5_WIDE_%s\n#endif\n"
                    % (each, each, each) for each in SETS if each in sets)
    return (PASSES + system_headers(sources) + "\n" +
            "".join("#define %s MD5_WIDE_NAME(%s)\n" % (name, name) for name in sorted(names)) +
            "\n#endif // MD5_PASS\n" + "".join(units.values()) + end +
            "\n#ifndef MD5_PASS\n#define MD5_PASS\n" + again +
            "\n#undef MD5_PASS\n#define MD5_WIDE_NAME(name) name\n#endif\n")


# -- Names -------------------------------------------------------------------------------------------

def code_tokens_of_macro(text):
    """(kind, token) of text without directives, or of one directive."""
    for token in TOKEN.findall(text):
        if WORD.match(token):
            yield "word", token
        elif token.isspace():
            yield "space", token
        elif token.startswith(("//", "/*")):
            yield "comment", token
        else:
            yield ("text" if token[0] in "\"'" else "other"), token


def code_tokens(text):
    """(kind, token) of the text: space, comment, text, macro (a whole directive), word, other."""
    for part in re.split(r"(^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n)", text, flags=re.M):
        if re.match(r"[ \t]*#", part):
            yield "macro", part
        else:
            yield from code_tokens_of_macro(part)


KEYWORDS = set("""
    static const inline struct enum union typedef extern void int unsigned float double char long short signed
    bool return if else for while do switch case default break continue goto sizeof restrict volatile alignas
    static_assert MD5_WIDE_INLINE MD5_WIDE_CODE MD5_UNROLL MD5_PRINTF MD5_VECTOR_SIZE __attribute__ __declspec
    """.split())


def names_of_statement(tokens):
    """Names that one statement at file scope declares; bodies of functions come as {}."""
    names = set()
    # Attributes and the like are no part of it.
    flat, depth, skip = [], 0, None
    for index, token in enumerate(tokens):
        if token in ("__attribute__", "__declspec", "MD5_PRINTF", "static_assert") and skip is None:
            skip = depth
            continue
        if token == "(":
            depth += 1
        if skip is None:
            flat.append(token)
        if token == ")":
            depth -= 1
            if skip is not None and depth == skip:
                skip = None
    for word, tag, brace in zip(flat, flat[1:], flat[2:]):
        if word in ("struct", "enum", "union") and WORD.match(tag) and brace == "{":
            names.add(tag)
    if "enum" in flat and "{" in flat[flat.index("enum"):]:
        start = flat.index("{", flat.index("enum"))
        level, expects = 0, False
        for token in flat[start:]:
            if token in "({[":
                level += 1
                expects = level == 1
            elif token in ")}]":
                level -= 1
                if level == 0:
                    break
            elif token == "," and level == 1:
                expects = True
            elif expects and WORD.match(token):
                names.add(token)
                expects = False
    # The declared name itself: what stands before the first ( [ = ; , outside of braces.
    level, before = 0, None
    for index, token in enumerate(flat):
        if token == "{":
            level += 1
        elif token == "}":
            level -= 1
        elif level == 0:
            if token in "([=;,":
                if token == "(" and flat[index + 1:index + 2] == ["*"]:
                    pointer = next((each for each in flat[index + 1:] if WORD.match(each)), None)
                    names.add(pointer)
                elif before:
                    names.add(before)
                if token in "(=[" or token == ";":
                    break
            if WORD.match(token) and token not in KEYWORDS:
                before = token
    return {name for name in names if name and name != "MD5_WIDE_NAME"}


def declared_names(text):
    """What a source declares at file scope, macros included, and its macros."""
    names, macros, statement, level = set(), set(), [], 0
    body = False
    for kind, token in code_tokens(text):
        if kind == "macro":
            match = re.match(r"[ \t]*#[ \t]*define[ \t]+(\w+)", token)
            if match:
                macros.add(match.group(1))
            continue
        if kind in ("space", "comment"):
            continue
        if token == "{":
            if level == 0:
                body = statement[-1:] == [")"]
            level += 1
        if not (body and level > 0):
            statement.append(token)
        if token == "}":
            level -= 1
            if level == 0 and body:
                names |= names_of_statement(statement + [";"])
                statement, body = [], False
        elif token == ";" and level == 0:
            names |= names_of_statement(statement)
            statement = []
        elif (token == ")" and level == 0 and statement[0] in macros and statement[1] == "("
              and statement.count("(") == statement.count(")")):
            names.add(statement[2])  # a macro whose first argument names a function
            statement = []
    return names, macros


def renamed(text, names, suffix):
    """The text with `suffix` behind each of `names`, except where it names a member."""
    out, before, in_struct, level = [], "", [], 0
    tokens = []
    for kind, token in code_tokens(text):
        tokens += list(code_tokens_of_macro(token)) if kind == "macro" else [(kind, token)]
    words = [index for index, (kind, _) in enumerate(tokens) if kind not in ("space", "comment")]
    following = {a: tokens[b][1] for a, b in zip(words, words[1:])}
    recent = []
    for index, (kind, token) in enumerate(tokens):
        if kind in ("space", "comment"):
            out.append(token)
            continue
        if token == "{":
            level += 1
            if "struct" in recent[-2:] or "union" in recent[-2:]:
                in_struct.append(level)
        elif token == "}":
            if in_struct[-1:] == [level]:
                in_struct.pop()
            level -= 1
        recent = (recent + [token])[-2:]
        member = before in (".", "->") or in_struct[-1:] == [level] and following.get(index) in list(";,[:)")
        out.append(token + suffix if kind == "word" and token in names and not member else token)
        before = token
    return "".join(out)


def stem_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def words(text):
    """Words that name no member: what a name at file scope can stand for, or is hidden by."""
    tokens = [token for kind, token in code_tokens(text) for token in
              ([each for _, each in code_tokens_of_macro(token)] if kind == "macro" else [token])]
    return {token for before, token in zip([""] + tokens, tokens)
            if WORD.match(token) and before not in (".", "->")}


def members(text):
    """Words that name a member of a struct somewhere."""
    return set(re.findall(r"(?:\.|->)\s*([A-Za-z_]\w*)", text))


PREFIXES = ("md5_", "md5i_", "md5gl_", "md5gli_")


def rename_clashes(units, shared):
    """units: {path: text}. Renames what more than one of them, or a shared header, declares. Names of kernels
    become macros: so that members keep theirs, those that are also members are renamed."""
    declared = {path: declared_names(text) for path, text in units.items()}
    count = {}
    for names, _ in declared.values():
        for name in names:
            count[name] = count.get(name, 0) + 1
    taken, shared_macros = declared_names(shared)
    all_macros = set(shared_macros)
    for _, macros in declared.values():
        all_macros |= macros
    stems = [stem_of(path) for path in units]
    result = {}
    later, seen = {}, set()
    for path in reversed(list(units)):
        later[path] = set(seen)
        seen |= words(units[path])
    for path, text in units.items():
        names, macros = declared[path]
        is_kernels = stem_of(path) == KERNELS
        clashing = {name for name in names
                    if (count[name] > 1 or name in taken or name in all_macros - macros)
                    and not (name.startswith(PREFIXES) and name in taken)}
        if not is_kernels:  # a local name further down would hide it, of which compilers warn
            clashing |= {name for name in names & later[path] - macros if not name.startswith(PREFIXES)}
        if is_kernels:
            clashing |= (names - macros) & members(text)
        suffix = "_" + stem_of(path)
        if stems.count(stem_of(path)) > 1:
            suffix = "_" + os.path.basename(os.path.dirname(path)) + suffix
        while any(name + suffix in count or name + suffix in taken for name in clashing):
            suffix = "_of" + suffix
        text = renamed(text, clashing, suffix) if clashing else text
        if not is_kernels:
            text += "".join("#undef %s\n" % name for name in sorted(macros - shared_macros))
        result[path] = text
    return result


# -- Both languages ----------------------------------------------------------------------------------

def closing(text, start):
    """Where the brace at `start` closes."""
    level = 0
    for match in re.finditer(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[{}]', text[start:]):
        level += {"{": 1, "}": -1}.get(match.group(0), 0)
        if level == 0:
            return start + match.end()
    sys.exit("amalgamate: a brace does not close")


def addresses(text):
    """&(type){...} becomes MD5_ADDRESS(type, {...})."""
    out, at = [], 0
    for match in re.finditer(r"&\(([a-z][a-z0-9_]*)\)(?=\{)", text):
        if match.start() < at:
            sys.exit("amalgamate: an address within another: " + match.group(0))
        end = closing(text, match.end())
        out += [text[at:match.start()], "MD5_ADDRESS(%s, %s)" % (match.group(1), text[match.end():end])]
        at = end
    return "".join(out) + text[at:]


def code_for_both_languages(text):
    text = re.sub(r"\(((?:const )?[a-z_][a-z0-9_]*)\)\{", r"MD5_LITERAL(\1){", text)
    text = re.sub(r"(?<=MD5_LITERAL)(\([a-z0-9_ ]+\))\{0\}", r"\1 MD5_ALL_ZERO", text)
    return re.sub(r"\{0\}", "MD5_ALL_ZERO", text)


def for_both_languages(text):
    """Literals of structs are written differently in C++, which has no addresses of them. What people read,
    in comments and strings, stays as it is."""
    parts = re.split(r"(//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')", addresses(text))
    parts[::2] = map(code_for_both_languages, parts[::2])
    return "".join(parts)


def static_prototypes(text):
    """Functions that only the library itself calls need no name outside of this file."""
    text = re.sub(r"^(?=md5_\w+_kernel md5i_[\w, \n]+;)", "static ", text, flags=re.M)
    return re.sub(r"^(?=(?!static|typedef|extern|struct|enum|union|return|else)[A-Za-z][A-Za-z0-9_ ]*[ *]+"
                  r"(?:md5|md5gl)i?_\w+\([^{;=]*\)[^{;=]*;)", "static ", text, flags=re.M)


PROLOGUE = '''
// For the system's headers, which come later.
FEATURES
// Settings that would give other bits are refused below; this does without -ffp-contract=off.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#undef _M_FP_CONTRACT // of clang-cl, which does not take it back
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-math-errno")
#endif

// Not every library uses all of what they share. As C++ this needs designated
// initializers, which come with C++20 and which compilers know before.
#if defined(__GNUC__) || defined(__clang__)
#if defined(__MINGW32__)
#pragma GCC diagnostic ignored "-Wfloat-conversion" // in branches of its isfinite() that are not taken
#endif
#pragma GCC diagnostic ignored "-Wunused-function"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#pragma GCC diagnostic ignored "-Wbitwise-instead-of-logical"
#endif
#if defined(__cplusplus)
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wextra" // enumerators beside numbers: a < MOST ? a : MOST
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wc99-designator"
#elif __GNUC__ >= 12
#pragma GCC diagnostic ignored "-Wc++20-extensions"
#endif
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" // within the AVX-512 intrinsics of gcc 12
#endif
#endif
#endif

#if defined(__cplusplus)
#define MD5_LITERAL(type) type
#define MD5_ADDRESS(type, ...) md5_address_of(type __VA_ARGS__)
#define MD5_ALL_ZERO {}
template <class T> static inline const T *md5_address_of(const T &value) // lives as long as the call
{
    return &value;
}
#else
#define MD5_LITERAL(type) (type)
#define MD5_ADDRESS(type, ...) (&(type)__VA_ARGS__)
#define MD5_ALL_ZERO {0}
#endif
'''


FEATURE = re.compile(r"^#define (_[A-Z_]+) .*\n", re.M)


SELF = '''
// The name by which this file includes itself, once for each instruction set. Where it has none, as
// on standard input, kernels are plain C.
#if defined(__FILE_NAME__)
#define MD5_SELF __FILE_NAME__
#elif defined(__has_include)
#if __has_include("NAME")
#define MD5_SELF "NAME"
#endif
#endif
#ifndef MD5_SELF
#define MD5_SELF __FILE__
#endif
#if defined(__has_include) && !defined(MD5_HAS_SIMD)
#if !__has_include(MD5_SELF)
#define MD5_HAS_SIMD 0
#endif
#endif
'''


def prologue(units):
    """With the macros that must stand before the first header of the system."""
    features = sorted({match.group(0) for text in units.values() for match in FEATURE.finditer(text)})
    return PROLOGUE.replace("FEATURES\n", "".join(
        "#ifndef %s\n%s#endif\n" % (each.split()[1], each) for each in features))


LONG_STRINGS = '''#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Woverlength-strings"
#endif
'''


def version():
    return ".".join(re.findall(r"define MD5_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", read("md5/md5model.h")))


def comment(text):
    return "".join(("// " + line).rstrip() + "\n" for line in text.strip().split("\n"))


def beginning(name, what):
    return ("// %s %s: %s\n// One of the two files that `make amalgamate` makes of the sources.\n"
            "//\n%s"
            % (name, version(), what, comment(read("LICENSE"))))


READS_CONFIG = """
#if defined(__has_include)
#if __has_include("md5config.h")
#include "md5config.h"
#endif
#endif
"""


def public_header(name, what, paths, first):
    guard = "MD5_AMALGAMATED_" + name.upper().replace(".", "_")
    text = beginning(name, what) + "#ifndef %s\n#define %s\n" % (guard, guard)
    text += first or READS_CONFIG
    for path in paths:
        text += heading(path) + INCLUDE.sub("", read(path))
    return text + "\n#endif\n"


def shared_header(path):
    return heading(path) + static_prototypes(INCLUDE.sub("", without_guard(read(path))))


AVX512 = "#define MD5_HAS_AVX512 MD5_CAN_COMPILE_AVX512\n"


def without_avx512(text):
    """A ninth of the code, which no processor but some needs: on request."""
    return text.replace(AVX512, "#ifdef MD5_AVX512\n%s#endif\n" % AVX512)


FOR_SIZE = """
#if defined(__OPTIMIZE__) && defined(__clang__)
#pragma clang attribute push(__attribute__((minsize)), apply_to = function)
#elif defined(__OPTIMIZE__) && defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("Os")
#endif
%s
#if defined(__OPTIMIZE__) && defined(__clang__)
#pragma clang attribute pop
#elif defined(__OPTIMIZE__) && defined(__GNUC__)
#pragma GCC pop_options
#endif
"""


COLD = "#if defined(__GNUC__) || defined(__clang__)\n#define MD5_COLD "
COLD_FOR_SIZE = "#if defined(__clang__)\n#define MD5_COLD __attribute__((cold, minsize, noinline))\n"


def for_size(units):
    once = "".join(text for path, text in units.items() if is_small and ONCE.match(path))
    return (FOR_SIZE % once if once else "") + "".join(
        text for path, text in units.items() if not (is_small and ONCE.match(path)))


def source(name, what, headers, sources, generated):
    """All sources behind the headers that they share, which no longer need to include each other."""
    sources = [path for path in sources
               if SET.search(read(path)) or not is_empty(INCLUDE.sub("", read(path)))]
    kernels, sets = kernel_units([path for path in sources if is_kernel(path)])
    inner = [path for path in sorted_by_includes(sources)
             if path.endswith(".h") and not is_kernel(path) and not re.match(PUBLIC, path)]
    shared = "".join(shared_header(path) for path in inner)
    public = "".join(INCLUDE.sub("", read(path)) for path in headers)
    units = {path: INCLUDE.sub("", read(path)) for path in sources if not is_kernel(path)}
    units.update(kernels)
    units = rename_clashes(units, public + shared)
    kernels = {path: units.pop(path) for path in kernels}
    shared = shared.replace("#include <glad/gl.h>\n", "")
    body = shared + for_size({path: heading(path) + text for path, text in units.items()})
    first = ("" if is_small else READS_CONFIG) + prologue(units)
    if len(sets) > 1:
        first += SELF.replace('"NAME"', '"%s"' % name)
    if is_small:
        body = body.replace(COLD, COLD_FOR_SIZE + COLD.replace("#if", "#elif"))
    text = first + '\n#include "%s.h"\n' % name[:-2]
    text += system_headers_once(generated + for_both_languages(body))
    if kernels and len(sets) == 1:
        text += system_headers(sources) + for_both_languages("".join(kernels.values()))
    elif kernels:
        text = "\n#ifndef MD5_PASS" + text + for_both_languages(
            passes(kernels, declared_names(public + shared)[0], sets, sources))
    return beginning(name, what) + text


PUBLIC = r"md5/md5\w+\.h|render/md5gl\w*\.h"
# Library: what it does, its public headers, its folders.
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
GL = "draws MD5 models with OpenGL"
ON_MODEL = '\n#include "md5model.h"\n'
# The first lines of a library's header: md5model.h includes nothing, the others include the library that
# they need.
FIRST_LINES = {"md5model": "", "md5ragdoll": '\n#include "md5game.h"\n'}


def forwards(headers, library):
    """The library's other headers, as one line each: programs include them under the same names."""
    return {os.path.basename(path): '#include "%s.h"\n' % library
            for path in headers if stem_of(path) != library}


def files_of(library):
    """md5/core is in each library, and md5/read in md5edit, under names of its own."""
    what, headers, folders = LIBRARIES[library]
    own = ["md5/md5%s.h" % name for name in headers.split()]
    seen = [path for path in sorted_by_includes(own) if re.match(PUBLIC, path)]
    sources = sorted(path for folder in folders.split()
                     for path in glob.glob("%s/*.c" % (folder if folder == "md5" else "md5/" + folder)))
    text = without_avx512(source(library + ".c", what, seen, sources, ""))
    if library != "md5model":
        text = re.sub(r"\bmd5i_", "md5i_%s_" % library[3:], text)
    first = FIRST_LINES.get(library, ON_MODEL)
    headers = [path for path in seen if path in own]
    return {library + ".h": public_header(library + ".h", what, headers, first),
            library + ".c": text, **forwards(headers, library)}


def gl_files(glad, shaders):
    """With the loader, which others have generated and which is taken as it is."""
    own = re.compile(r"^[ \t]*#include <(KHR/khrplatform|glad/gl)\.h>\n", re.M)
    generated = "".join(
        heading(name + ", by glad") + own.sub("", read(os.path.join(glad, name)))
        for name in ("include/KHR/khrplatform.h", "include/glad/gl.h", "src/gl.c"))
    by_choice = "render/md5gl_stb.h"  # which needs stb_image
    headers = sorted(set(glob.glob("render/md5gl*.h")) - {by_choice})
    text = source("md5gl.c", GL, headers, sorted(glob.glob("render/*.c")), generated)
    return {"md5gl_stb.h": read(by_choice),
            "md5gl.h": public_header("md5gl.h", GL, headers, ON_MODEL),
            "md5gl.c": text + heading("shaders") + LONG_STRINGS + INCLUDE.sub("", read(shaders)),
            **forwards(headers, "md5gl")}


def system_headers_once(text):
    """Without those that have been included before, wherever that was unconditional."""
    out, depth, seen = [], 0, set()
    for line in text.split("\n"):
        word = re.match(r"#(if|endif)", line)
        depth += {"if": 1, "endif": -1}[word.group(1)] if word else 0
        if re.match(r"#include <", line):
            if line in seen:
                continue
            if depth == 0:
                seen.add(line)
        out.append(line)
    return "\n".join(out)


def tidy(text):
    return re.sub(r"\n{3,}", "\n\n", text)


def write(folder, files):
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="\n") as file:
            file.write(tidy(text))


def write_small(folder):
    global is_small
    is_small = True
    what = "the small form, for engines whose shaders skin"
    header = beginning("md5model.h", what) + read(SMALL_HEADER)
    text = source("md5model.c", what, [SMALL_HEADER], SMALL_FILES, "")
    text = reach.reached(header, text, code_tokens, names_of_statement)
    text = re.sub(r'#pragma .*"-Wunused-.*\n', "", text)
    forwarding = {name: '#include "md5model.h"\n' for name in SMALL_FORWARDS}
    write(folder, {"md5model.h": header, "md5model.c": text, **forwarding})


def main(arguments):
    if arguments[0] == "--small":
        return write_small(arguments[1])
    files = {"md5config.h": read(CONFIG)}
    for library in LIBRARIES:
        files.update(files_of(library))
    if arguments[1:]:
        files.update(gl_files(*arguments[1:]))
    write(arguments[0], files)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        sys.exit("usage: " + __doc__)
    main(sys.argv[1:])
