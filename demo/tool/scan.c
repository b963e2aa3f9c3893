// Reads the text of mesh files and clips by itself, tolerantly, for the rules of engines: most
// rules are about files that the library, or another engine, refuses.
#include "demo/common/file.h"
#include "demo/tool/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// == Reading the text =============================================================================

// What a byte is in a word; a word ends before those that are END.
enum {
    DIGIT = 1,
    POINT = 2,
    MINUS = 4,
    SMALL_E = 8,
    LARGE_E = 16,
    COMMA = 32,
    PLUS = 64,
    OTHER = 128,
    END = 256,  // of a word: a blank, a quote, a slash or a mark
    MARK = 512, // ( ) { }
};

typedef struct reader {
    const char *at, *end, *line_start;
    uint32_t line;
    // The word that was read last.
    const char *text;
    size_t size;
    text_place word;
    uint32_t classes;
    bool is_quoted, is_glued; // glued: a parenthesis without a blank
    uint32_t row_line;        // where the row began
    text_place count;         // that of meshes
    tool_facts *facts;
    uint32_t place[NUM_RULES]; // of its finding, from 1
    uint16_t class_of[256];    // of bytes
    bool is_known;             // the library has read the file without a warning
    bool minds_layout;         // an engine that was asked reads lines
} reader;

// -- Findings -------------------------------------------------------------------------------------

// Reports what breaks a rule; of one rule once a file, at the first place, with the number.
static void found(reader *from, rule_id rule, text_place at, const char *format, ...)
{
    if (from->place[rule] > 0) {
        from->facts->found[from->place[rule] - 1].count++;
        return;
    }
    va_list values;
    va_start(values, format);
    tool_add_finding(from->facts, rule, at, format, values);
    va_end(values);
    from->place[rule] = (uint32_t)from->facts->num_found;
}

// -- Words ----------------------------------------------------------------------------------------

static void set_classes(reader *from)
{
    static const struct {
        const char *bytes;
        uint16_t bits;
    } rows[] = {{"0123456789", DIGIT}, {".", POINT},        {"-", MINUS},
                {"e", SMALL_E},        {"E", LARGE_E},      {",", COMMA},
                {"+", PLUS},           {" \t\r\n\"/", END}, {"(){}", END | MARK}};
    for (int i = 0; i < 256; i++)
        from->class_of[i] = i < ' ' ? END : OTHER;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (const char *byte = rows[i].bytes; *byte; byte++)
            from->class_of[(unsigned char)*byte] = rows[i].bits;
}

// To id's lexer and its kin bytes above 127 are blanks outside of names, as those of a byte order
// mark are: the char that they compare has a sign.
static inline bool is_blank(char c)
{
    return (unsigned char)c <= ' ' || (unsigned char)c > 0x7F;
}

// Skips blanks and comments. Returns the next byte, or NULL at the end.
static const char *skip_blanks(reader *from)
{
    const char *at = from->at, *const end = from->end;
    bool is_comment = false, is_long = false;
    for (; at < end; at++) {
        if (*at == '\n') {
            from->line++;
            from->line_start = at + 1;
            is_comment = false;
        } else if (is_long) {
            is_long = !(*at == '*' && end - at > 1 && at[1] == '/');
            at += !is_long;
        } else if (!is_comment && !is_blank(*at)) {
            if (*at != '/' || end - at < 2 || (at[1] != '/' && at[1] != '*'))
                break;
            is_comment = at[1] == '/';
            is_long = at[1] == '*';
            at++;
        }
    }
    from->at = at;
    return at < end ? at : NULL;
}

// Reads the next word: a parenthesis or a brace, a text in quotes, or what stands up to a blank.
static bool next(reader *from)
{
    const char *at = from->at, *const before = at, *const end = from->end;
    const bool was_mark = (from->classes & MARK) != 0;
    if (end - at > 1 && *at == ' ') // as between most words
        at++;
    from->size = 0;
    if (at == end || is_blank(*at) || *at == '/') {
        at = skip_blanks(from);
        if (!at)
            return false;
    }
    uint32_t classes = from->class_of[(unsigned char)*at];
    from->is_quoted = *at == '"';
    from->is_glued = at == before && (was_mark || classes & MARK) && at > from->line_start;
    from->word = (text_place){from->line, (uint32_t)(at - from->line_start) + 1};
    from->text = at++;
    if (from->is_quoted) {
        from->text = at;
        while (at < end && *at != '"' && *at != '\n')
            at++;
        from->size = (size_t)(at - from->text);
        from->at = at + (at < end && *at == '"');
        from->classes = OTHER;
        return true;
    }
    for (; !(classes & MARK) && at < end; at++) {
        const uint32_t bits = from->class_of[(unsigned char)*at];
        // A slash is of names, unless a comment begins.
        if (bits & END && (*at != '/' || (end - at > 1 && (at[1] == '/' || at[1] == '*'))))
            break;
        classes |= bits;
    }
    from->classes = classes;
    from->size = (size_t)(at - from->text);
    from->at = at;
    return true;
}

static inline bool is_mark(const reader *from, char mark)
{
    return from->classes & MARK && *from->text == mark;
}

static inline bool is(const reader *from, const char *word)
{
    return !from->is_quoted && from->size == strlen(word)
           && memcmp(from->text, word, from->size) == 0;
}

// Whether the last word is the next part of a section: anything but its end.
static bool next_in(reader *from)
{
    if (!next(from) || !is_mark(from, '}'))
        return from->size > 0;
    if (from->word.column != 1)
        found(from, RULE_BRACE_END, from->word, "'}' is in column %u", from->word.column);
    return false;
}

static char *copy_word(const reader *from)
{
    return common_format("%.*s", (int)(from->size < 1000 ? from->size : 1000), from->text);
}

// Whether a number is another one than its digits say, to some engines: by a letter or a sign, or
// by a zero before its other digits.
static inline bool is_odd(const reader *from)
{
    const size_t sign = *from->text == '-';
    return from->classes & ~(uint32_t)(DIGIT | POINT | MINUS)
           || (from->size > sign + 1 && from->text[sign] == '0' && from->text[sign + 1] != '.');
}

static bool has_only(const char *text, size_t size, const char *bytes)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0' || !strchr(bytes, text[i]))
            return false;
    return true;
}

// What may not stand in a number, or is read otherwise by some engines.
static void check_number(reader *from)
{
    const int shown = (int)(from->size < 40 ? from->size : 40);
    const uint32_t classes = from->classes;
    const char *const digits = from->text + (*from->text == '-');
    const size_t size = from->size - (size_t)(digits - from->text);
    const bool has_zero = size > 1 && *digits == '0' && digits[1] != '.';
    if (has_zero && has_only(digits + 1, 1, "xX") && size > 2
        && has_only(digits + 2, size - 2, "0123456789abcdefABCDEF"))
        found(from, RULE_HEX, from->word, "'%.*s' is hexadecimal", shown, from->text);
    else if (classes & COMMA)
        found(from, RULE_COMMA, from->word, "'%.*s' has a decimal comma", shown, from->text);
    else if (classes & OTHER)
        found(from, classes & DIGIT ? RULE_IND : RULE_NAN, from->word, "'%.*s' is not a number",
              shown, from->text);
    else if (classes & LARGE_E)
        found(from, RULE_EXPONENT, from->word, "'%.*s' has a capital E", shown, from->text);
    else if (*from->text == '+')
        found(from, RULE_PLUS, from->word, "'%.*s' begins with +", shown, from->text);
    else if (has_zero && !has_only(digits, size, "01234567"))
        found(from, RULE_LEADING_ZERO, from->word, "'%.*s' is two numbers to id's engine", shown,
              from->text);
}

// The last word as a number, 0 if it is none. id's lexer lets a sign stand apart.
static double number(reader *from)
{
    bool is_negative = from->size == 1 && *from->text == '-';
    if (is_negative && (!next(from) || from->classes & MARK))
        return 0.0;
    const bool is_plain = !is_odd(from);
    if (!is_plain)
        check_number(from);
    const char *at = from->text, *const end = at + from->size;
    if (from->size < 16 && is_plain) {
        static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
        int64_t digits = 0;
        int behind = 0, step = 0;
        is_negative ^= *at == '-';
        for (at += *at == '-'; at < end; at++) {
            if (*at == '.') {
                step = 1;
            } else if (*at != '-') {
                digits = 10 * digits + (*at - '0');
                behind += step;
            }
        }
        const double value = (double)digits / powers[behind];
        return is_negative ? -value : value;
    }
    char text[64];
    const size_t size = from->size < sizeof text ? from->size : sizeof text - 1;
    memcpy(text, from->text, size);
    text[size] = '\0';
    const double value = strtod(text, NULL);
    return !isfinite(value) ? 0.0 : is_negative ? -value : value;
}

// The same of an integer, within those of 32 bits.
static int32_t integer(reader *from)
{
    const double value = number(from);
    if (*from->text == '0' && from->size > 1 && has_only(from->text, from->size, "0123456789.")
        && (value >= 8.0 || memchr(from->text, '8', from->size)
            || memchr(from->text, '9', from->size)))
        found(from, RULE_OCTAL, from->word, "'%.*s' is octal to id's engine",
              (int)(from->size < 40 ? from->size : 40), from->text);
    return value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int32_t)value;
}

// Reads the rest of a row if it is written as most are: plain numbers and parentheses with one
// blank between them, whole numbers of a few digits. Otherwise nothing is read, and false is
// returned.
static bool read_plain_row(reader *from, const char *shape, double *values)
{
    const uint16_t *const classes = from->class_of;
    const char *at = from->at, *const end = from->end;
    for (; *shape; shape++) {
        if (end - at < 2 || (*at != ' ' && *at != '\t'))
            return false;
        const char *const word = ++at;
        if (*shape == '(' && shape[1] == 'x' && from->is_known) { // nothing in it is needed
            const char *const close = memchr(at, ')', (size_t)(end - at));
            if (*at != '(' || !close || at[1] != ' ' || close[-1] != ' '
                || memchr(at, '\n', (size_t)(close - at)))
                return false;
            at = close + 1;
            shape = strchr(shape, ')');
        } else if (*shape == '(' || *shape == ')') {
            if (*at++ != *shape)
                return false;
        } else if (*shape == 'i') {
            uint32_t value = 0;
            for (; at < end && *at >= '0' && *at <= '9'; at++)
                value = 10 * value + (uint32_t)(*at - '0');
            if (at == word || at - word > 8 || (*word == '0' && at - word > 1))
                return false;
            *values++ = value;
        } else {
            while (at < end && classes[(unsigned char)*at] & (DIGIT | POINT | MINUS))
                at++;
            if (at == word)
                return false;
            from->text = word;
            from->size = (size_t)(at - word);
            from->classes = DIGIT;
            if (is_odd(from))
                return false;
            if (*shape == 'f')
                *values++ = number(from);
        }
        if (at == end || !(classes[(unsigned char)*at] & END) || *at == '/')
            return false;
    }
    from->classes = 0;
    from->size = 1;
    from->at = at;
    return true;
}

// Reads a row of that shape: i an integer, f a number, x one that is not needed, and parentheses;
// it began in row_line. Its first word is the last one if `has_first`. Returns false if it has
// another shape.
static bool read_row(reader *from, const char *shape, bool has_first, double *values)
{
    for (bool may_be_plain = true; *shape; shape++) {
        if (!has_first && may_be_plain && read_plain_row(from, shape, values))
            return true;
        may_be_plain = has_first;
        if (!has_first && !next(from))
            return false;
        has_first = false;
        if (from->word.line != from->row_line)
            found(from, RULE_BROKEN_ROW, from->word, "a row goes on in the next line");
        if (from->is_glued)
            found(from, RULE_BLANKS, from->word, "no blank at a parenthesis");
        if (from->classes & MARK || *shape == '(' || *shape == ')') {
            if (!is_mark(from, *shape))
                return false;
        } else if (*shape == 'i') {
            *values++ = integer(from);
        } else if (*shape == 'f') {
            *values++ = number(from);
        } else if (is_odd(from)) {
            check_number(from);
        }
    }
    return true;
}

// Reads `{` behind the word of a section, whose line is then row_line.
static bool begin(reader *from)
{
    from->row_line = from->word.line;
    if (!next(from) || !is_mark(from, '{'))
        return false;
    if (from->word.line != from->row_line)
        found(from, RULE_BRACE, from->word, "'{' is on a line of its own");
    return true;
}

// Skips words up to the end of a block that has begun.
static void skip_block(reader *from)
{
    for (int depth = 1; depth > 0 && next(from);)
        depth += is_mark(from, '{') ? 1 : is_mark(from, '}') ? -1 : 0;
}

// Reads the number behind the last word.
static int32_t read_count(reader *from)
{
    return next(from) ? integer(from) : 0;
}

// Checks a word that may stand without quotes, which id's lexer ends earlier than others.
static void check_name(reader *from)
{
    static const char letters[] = "0123456789/\\:._abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const bool is_number = from->size > 0 && has_only(from->text, 1, "0123456789");
    if (from->size > 0 && !from->is_quoted && *from->text != '\''
        && (*from->text == ':'
            || !has_only(from->text, from->size, is_number ? "0123456789" : letters)))
        found(from, RULE_BARE_NAME, from->word, "'%.*s' has no quotes",
              (int)(from->size < 60 ? from->size : 60), from->text);
}

// Adds a joint whose name is the last word.
static named_joint *add_joint(reader *from)
{
    tool_facts *const facts = from->facts;
    facts->joints = common_grow(facts->joints, facts->num_joints, sizeof *facts->joints);
    named_joint *const to = &facts->joints[facts->num_joints++];
    *to = (named_joint){.name = copy_word(from), .line = from->word.line};
    check_name(from);
    if (from->size >= 32)
        found(from, RULE_LONG_NAME, from->word, "the name of the joint has %zu bytes", from->size);
    if (strchr(to->name, ' '))
        found(from, RULE_BLANK_NAME, from->word, "the joint's name has a blank: '%.100s'",
              to->name);
    from->row_line = from->word.line;
    return to;
}

// Checks what joints of both kinds of files have in common; `line` is that of numJoints.
static void check_joints(reader *from, int32_t counted)
{
    const tool_facts *const facts = from->facts;
    const uint32_t count = facts->num_joints;
    if (counted != (int32_t)count)
        found(from, RULE_JOINTS,
              counted >= 0 && (uint32_t)counted < count
                  ? (text_place){facts->joints[counted].line, 1} // the first that is too many
                  : from->word,
              "numJoints is %d, but there are %u", (int)counted, count);
    if (count > 256)
        found(from, RULE_256_JOINTS, from->word, "%u joints", count);
}

// -- Mesh files -----------------------------------------------------------------------------------

// x y z of a rotation, whose w is not stored.
static void check_rotation(reader *from, const double *q)
{
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    if (square > 1.0002)
        found(from, RULE_LONG_ROTATION, from->word, "x y z of the rotation have length %g",
              sqrt(square));
}

static bool read_joints(reader *from, int32_t counted)
{
    uint32_t num_roots = 0;
    while (next_in(from)) {
        double row[7];
        named_joint *const to = add_joint(from);
        const uint32_t i = from->facts->num_joints - 1;
        if (!next(from))
            return false;
        to->parent = integer(from);
        num_roots += to->parent < 0;
        if (to->parent >= 0 && to->parent >= (int64_t)counted - 1)
            found(from, RULE_LAST_PARENT, from->word, "the parent of '%.60s' is %d, of %d joints",
                  to->name, (int)to->parent, (int)counted);
        else if (to->parent >= (int32_t)i)
            found(from, RULE_PARENT, from->word, "the parent of '%.60s' comes after it", to->name);
        if (num_roots == 2 && to->parent < 0)
            found(from, RULE_ROOTS, from->word, "'%.60s' is a second root", to->name);
        if (!read_row(from, "(xxx)(fff)", false, row))
            return false;
        check_rotation(from, row);
    }
    check_joints(from, counted);
    return from->size > 0;
}

typedef struct mesh_rows {
    uint32_t counts[3], rows[3], count_lines[3]; // vert, tri, weight
    uint32_t (*verts)[3];                        // [rows[0]] first weight, number, line
    float *biases;                               // [rows[2]]
} mesh_rows;

// Reads one row of a mesh, of the kind whose word is the last one.
static bool read_mesh_row(reader *from, int kind, mesh_rows *mesh)
{
    static const char *const shapes[] = {"i(xx)ii", "iiii", "iif(xxx)"};
    static const char *const words[] = {"vert", "tri", "weight"};
    double row[7] = {0};
    const uint32_t i = mesh->rows[kind];
    from->row_line = from->word.line;
    const text_place begin = from->word;
    if (kind == 1 && from->is_known && !from->minds_layout) { // nothing in it is needed
        const char *const end = memchr(from->at, '\n', (size_t)(from->end - from->at));
        from->at = end ? end : from->end;
        mesh->rows[kind]++;
        return true;
    }
    if (!read_row(from, shapes[kind], false, row))
        return false;
    if ((int32_t)row[0] != (int32_t)i)
        found(from, RULE_ROW_ORDER, begin, "'%s %d' is the row of number %u", words[kind],
              (int)row[0], i);
    if (kind == 0) {
        mesh->verts = common_grow(mesh->verts, i, sizeof *mesh->verts);
        mesh->verts[i][0] = row[1] > 0.0 ? (uint32_t)row[1] : 0;
        mesh->verts[i][1] = row[2] > 0.0 ? (uint32_t)row[2] : 0;
        mesh->verts[i][2] = begin.line;
        if (row[2] < 1.0)
            found(from, RULE_NO_WEIGHTS, begin, "vertex %u has no weights", i);
    } else if (kind == 1) {
        for (int k = 1; k < 4; k++)
            if (row[k] < 0.0 || row[k] >= mesh->counts[0])
                found(from, RULE_CORNER, begin, "the triangle has vertex %d, but numverts is %u",
                      (int)row[k], mesh->counts[0]);
    } else {
        mesh->biases = common_grow(mesh->biases, i, sizeof *mesh->biases);
        mesh->biases[i] = (float)row[2];
        if (row[1] < 0.0 || row[1] >= from->facts->num_joints)
            found(from, RULE_WEIGHT_JOINT, begin, "the weight is on joint %d, of %u", (int)row[1],
                  from->facts->num_joints);
        if (row[2] < 0.0)
            found(from, RULE_NEGATIVE, begin, "the weight is %g", row[2]);
    }
    mesh->rows[kind]++;
    return true;
}

// Checks the vertices of a mesh against its weights.
static void check_vertices(reader *from, const mesh_rows *mesh)
{
    enum { MAX_VERTICES = 65535, Q2PRO_ROWS = 6144, Q2PRO_WEIGHTS = 8192 };
    const uint32_t num_weights = mesh->rows[2];
    for (uint32_t i = 0; i < mesh->rows[0]; i++) {
        const uint32_t first = mesh->verts[i][0], count = mesh->verts[i][1];
        const text_place at = {mesh->verts[i][2], 1};
        if (first > num_weights || count > num_weights - first) {
            found(from, RULE_WEIGHT_RANGE, at, "%u weights from %u on, of %u", count, first,
                  num_weights);
            continue;
        }
        float sum = 0.0f;
        for (uint32_t k = 0; k < count; k++)
            sum += mesh->biases[first + k];
        if (count > 0 && fabsf(sum - 1.0f) > 1e-3f)
            found(from, RULE_SUM, at, "the weights of vertex %u sum to %g", i, (double)sum);
        if (count > 4)
            found(from, RULE_4_WEIGHTS, at, "vertex %u has %u weights", i, count);
        if (count > 8)
            found(from, RULE_8_WEIGHTS, at, "vertex %u has %u weights", i, count);
    }
    static const char *const words[] = {"vertices", "triangles", "weights"};
    for (int kind = 0; kind < 3; kind++) {
        // Where the rows end.
        const text_place at = {kind < 2 ? mesh->count_lines[kind + 1] : from->word.line, 1};
        if (kind == 1 && mesh->rows[kind] == 0)
            found(from, RULE_EMPTY_MESH, at, "the mesh has no triangles");
        if (mesh->rows[kind] != mesh->counts[kind])
            found(from, RULE_ROWS, at, "%u %s are counted, but there are %u", mesh->counts[kind],
                  words[kind], mesh->rows[kind]);
        if (mesh->rows[kind] > (uint32_t)(kind == 2 ? Q2PRO_WEIGHTS : Q2PRO_ROWS))
            found(from, RULE_Q2PRO_LIMIT, at, "%u %s in a mesh", mesh->rows[kind], words[kind]);
        if (kind == 0 && mesh->rows[kind] > MAX_VERTICES)
            found(from, RULE_VERTICES, at, "%u vertices in a mesh", mesh->rows[kind]);
    }
}

// Goes on to a row whose word begins the next line behind a tab, as nearly all do.
static bool next_row(reader *from, const char *word, size_t size)
{
    const char *at = from->at, *const end = from->end;
    at += end - at > 1 && *at == '\r';
    if ((size_t)(end - at) < size + 3 || at[0] != '\n' || at[1] != '\t'
        || memcmp(at + 2, word, size) != 0 || at[2 + size] != ' ')
        return false;
    from->line_start = at + 1;
    from->text = at + 2;
    from->size = size;
    from->at = from->text + size;
    from->word = (text_place){++from->line, 2};
    from->classes = OTHER;
    from->is_quoted = from->is_glued = false;
    return true;
}

// Keeps the shader of a mesh, which is the last word.
static void add_shader(reader *from)
{
    // Quake's engines name skins progs/SHADER_00_00, of at most 63 bytes.
    enum { LONGEST = 63 - 12, LONGEST_ALONE = 63 - 6 };
    tool_facts *const facts = from->facts;
    facts->shaders = common_grow(facts->shaders, facts->num_shaders, sizeof *facts->shaders);
    named_shader *const to = &facts->shaders[facts->num_shaders++];
    *to = (named_shader){copy_word(from), from->word};
    check_name(from);
    if (from->size > LONGEST)
        found(from, from->size > LONGEST_ALONE ? RULE_LONG_SKIN_58 : RULE_LONG_SKIN, from->word,
              "the shader has %zu bytes", from->size);
    if (from->size == 0 || common_is_absolute(to->name))
        found(from, RULE_SHADER, from->word, "the shader is '%.100s'", to->name);
}

// Checks that a word of a mesh belongs to the part of it, `now`, that follows the one before.
static void check_part(reader *from, int now, int *last)
{
    static const char *const parts[] = {"name", "shader", "numverts", "numtris", "numweights", "}"};
    if (now < *last || now > *last + 1)
        found(from, RULE_ORDER, from->word, "'%s' %s '%s'", parts[now],
              now < *last ? "behind" : "without", parts[now < *last ? *last : *last + 1]);
    *last = now > *last ? now : *last;
}

// Reads a mesh up to its `}`.
static bool read_mesh(reader *from, mesh_rows *mesh)
{
    int part = 0;
    static const struct {
        const char *text;
        size_t size;
    } words[] = {{"vert", 4},     {"tri", 3},     {"weight", 6},
                 {"numverts", 8}, {"numtris", 7}, {"numweights", 10}};
    for (int kind = 6;;) {
        const bool is_alike = kind < 3 && next_row(from, words[kind].text, words[kind].size);
        if (!is_alike && !next_in(from))
            break;
        kind = is_alike ? kind : 0;
        while (kind < 6
               && (from->size != words[kind].size
                   || memcmp(from->text, words[kind].text, words[kind].size) != 0))
            kind++;
        if (kind < 3) {
            if (!read_mesh_row(from, kind, mesh))
                return false;
        } else if (kind < 6) {
            check_part(from, kind - 1, &part);
            mesh->count_lines[kind - 3] = from->word.line;
            mesh->counts[kind - 3] = (uint32_t)fmax(read_count(from), 0);
        } else if (is(from, "shader") || is(from, "name")) {
            const bool is_shader = is(from, "shader");
            if (!is_shader)
                found(from, RULE_MESH_NAME, from->word, "'name' in a mesh");
            check_part(from, is_shader, &part);
            if (!next(from))
                return false;
            if (is_shader)
                add_shader(from);
        } else {
            found(from, RULE_WORD, from->word, "unknown word '%.*s' in a mesh",
                  (int)(from->size < 60 ? from->size : 60), from->text);
            return false;
        }
    }
    check_part(from, 5, &part);
    check_vertices(from, mesh);
    return from->size > 0;
}

// -- Clips ----------------------------------------------------------------------------------------

typedef struct clip_rows {
    int32_t num_joints, num_frames, num_components;
    uint32_t components_line;
    uint32_t num_boxes, num_base, num_read; // frames that were read
    double (*base)[6];                      // [num_base]
    double *frame;                          // [num_components] at most: of frame 0
    uint32_t num_numbers;                   // of that
    uint32_t *indices;                      // [num_read] of frames
    text_place away, jump; // the first that is not its place, or not behind the last
} clip_rows;

static bool read_hierarchy(reader *from, const clip_rows *clip)
{
    uint32_t num_roots = 0;
    while (next_in(from)) {
        double row[3];
        named_joint *const to = add_joint(from);
        const text_place begin = from->word;
        if (!read_row(from, "iii", false, row))
            return false;
        to->parent = (int32_t)row[0];
        to->flags = (uint32_t)(int32_t)row[1];
        to->first = (uint32_t)(int32_t)row[2];
        num_roots += to->parent < 0;
        if (num_roots == 2 && to->parent < 0)
            found(from, RULE_ROOTS_CLIP, begin, "'%.60s' is a second root", to->name);
        if (to->parent >= (int32_t)from->facts->num_joints - 1)
            found(from, RULE_PARENT, begin, "the parent of '%.60s' comes after it", to->name);
        if (to->flags > 63)
            found(from, RULE_FLAGS, begin, "flags %g", row[1]);
        uint32_t count = 0;
        for (uint32_t bits = to->flags & 63; bits; bits &= bits - 1)
            count++;
        if (count > 0 && (row[2] < 0.0 || row[2] + count > clip->num_components))
            found(from, RULE_COMPONENTS, begin,
                  "%u components from %d on, but numAnimatedComponents is %d", count, (int)row[2],
                  (int)clip->num_components);
        else if (clip->num_components > 0 && (row[2] < 0.0 || row[2] >= clip->num_components))
            found(from, RULE_FIRST, begin, "the first component is %d, of %d", (int)row[2],
                  (int)clip->num_components);
    }
    check_joints(from, clip->num_joints);
    return from->size > 0;
}

static bool read_boxes(reader *from, clip_rows *clip)
{
    const text_place begin = {from->row_line, 1};
    uint32_t num_empty = 0;
    while (next_in(from)) {
        double row[6];
        from->row_line = from->word.line;
        if (!read_row(from, "(fff)(fff)", true, row))
            return false;
        num_empty += row[0] >= row[3] && row[1] >= row[4] && row[2] >= row[5];
        clip->num_boxes++;
    }
    if (num_empty > 0)
        found(from, RULE_BOUNDS, begin, "%u of %u boxes hold nothing", num_empty, clip->num_boxes);
    if (clip->num_boxes != (uint32_t)clip->num_frames)
        found(from, RULE_BOUNDS_ROWS, begin, "numFrames is %d, but there are %u boxes",
              (int)clip->num_frames, clip->num_boxes);
    return from->size > 0;
}

static bool read_base(reader *from, clip_rows *clip)
{
    while (next_in(from)) {
        from->row_line = from->word.line;
        clip->base = common_grow(clip->base, clip->num_base, sizeof *clip->base);
        double *const row = clip->base[clip->num_base];
        if (!read_row(from, "(fff)(fff)", true, row))
            return false;
        check_rotation(from, row + 3);
        const named_joint *const of =
            clip->num_base < from->facts->num_joints ? &from->facts->joints[clip->num_base] : NULL;
        for (int k = 0; of && k < 6; k++)
            if (!(of->flags >> k & 1) && fabs(row[k]) > 1e-4)
                found(from, RULE_PARTIAL, from->word, "'%.60s' needs the base frame for its %s",
                      of->name, k < 3 ? "position" : "rotation");
        clip->num_base++;
    }
    return from->size > 0;
}

// Skips the numbers of a frame that the library has read.
static bool skip_numbers(reader *from)
{
    const char *const end = memchr(from->at, '}', (size_t)(from->end - from->at));
    if (!end || memchr(from->at, '/', (size_t)(end - from->at)))
        return false;
    for (const char *at = from->at; (at = memchr(at, '\n', (size_t)(end - at))) != NULL;) {
        from->line++;
        from->line_start = ++at;
    }
    from->at = end;
    return true;
}

// Reads a frame behind its word. Of frames behind the first only what a number may not be is seen.
static bool read_frame(reader *from, clip_rows *clip)
{
    const int32_t index = read_count(from);
    clip->indices = common_grow(clip->indices, clip->num_read, sizeof *clip->indices);
    clip->indices[clip->num_read] = (uint32_t)index;
    if (index != (int32_t)clip->num_read && clip->away.line == 0)
        clip->away = from->word;
    if (clip->num_read > 0 && clip->jump.line == 0
        && (uint32_t)index != clip->indices[clip->num_read - 1] + 1)
        clip->jump = from->word;
    uint32_t count = 0;
    if (!begin(from))
        return false;
    if (clip->num_read > 0 && from->is_known && skip_numbers(from))
        count = (uint32_t)clip->num_components;
    for (; next_in(from); count++) {
        if (clip->num_read == 0) {
            clip->frame = common_grow(clip->frame, count, sizeof *clip->frame);
            clip->frame[count] = number(from);
        } else if (is_odd(from)) {
            check_number(from);
        }
    }
    if ((int32_t)count != clip->num_components)
        found(from, RULE_FRAME_SIZE, (text_place){clip->components_line, 1},
              "frame %d has %u numbers, but numAnimatedComponents is %d", (int)index, count,
              (int)clip->num_components);
    if (clip->num_read++ == 0)
        clip->num_numbers = count;
    return from->size > 0;
}

// Some engines store frames by their numbers, in any order.
static void check_indices(reader *from, const clip_rows *clip)
{
    bool *const seen = common_alloc(clip->num_read, sizeof *seen);
    uint32_t count = 0; // of different ones
    for (uint32_t i = 0; i < clip->num_read; i++)
        if (clip->indices[i] < clip->num_read && !seen[clip->indices[i]])
            count += seen[clip->indices[i]] = true;
    free(seen);
    if (count < clip->num_read)
        found(from, RULE_FRAME_NUMBER, clip->away, "the frames are not numbered from 0 to %u",
              clip->num_read - 1);
    else if (clip->jump.line > 0)
        found(from, RULE_FRAME_ORDER, clip->jump, "the numbers of frames are out of order");
}

// The root of frame 0 beside that of the base frame, from which id's engine counts.
static void check_base_root(reader *from, const clip_rows *clip)
{
    const named_joint *const root = from->facts->joints;
    if (from->facts->num_joints == 0 || clip->num_base == 0)
        return;
    uint32_t at = root->first;
    double away = 0.0;
    for (int k = 0; k < 3; k++)
        if (root->flags >> k & 1 && at < clip->num_numbers)
            away = fmax(away, fabs(clip->frame[at++] - clip->base[0][k]));
    if (away > 0.01)
        found(from, RULE_BASE_ROOT, (text_place){root->line, 1},
              "the root is %g units from that of the base frame in frame 0", away);
}

// == Files ========================================================================================

// Sections in the order in which id's engine wants them.
static const char *const sections[2][12] = {
    {"MD5Version", "commandline", "numJoints", "numMeshes", "joints", "mesh"},
    {"MD5Version", "commandline", "numFrames", "numJoints", "frameRate", "numAnimatedComponents",
     "hierarchy", "bounds", "baseframe", "frame"},
};
enum { MESH_SECTIONS = 6, CLIP_SECTIONS = 10 };

// Reads the section whose word was read. Returns false if the rest cannot be read.
static bool read_mesh_section(reader *from, int section, int32_t counts[2], uint32_t *num_meshes)
{
    enum { Q2PRO_MESHES = 32 };
    mesh_rows mesh = {0};
    bool is_read = true;
    switch (section) {
    case 2:
        from->facts->joints_line = from->word.line;
        counts[0] = read_count(from);
        break;
    case 3:
        counts[1] = read_count(from);
        from->count = from->word;
        if (counts[1] > Q2PRO_MESHES)
            found(from, RULE_Q2PRO_LIMIT, from->word, "%d meshes", (int)counts[1]);
        if (counts[1] == 0)
            found(from, RULE_NO_MESHES, from->word, "numMeshes is 0");
        if (counts[1] > counts[0])
            found(from, RULE_MANY_MESHES, from->word, "%d meshes, but %d joints", (int)counts[1],
                  (int)counts[0]);
        break;
    case 4:
        is_read = begin(from) && read_joints(from, counts[0]);
        break;
    default:
        ++*num_meshes;
        is_read = begin(from) && read_mesh(from, &mesh);
        free(mesh.verts);
        free(mesh.biases);
    }
    return is_read;
}

static bool read_clip_section(reader *from, int section, clip_rows *clip)
{
    switch (section) {
    case 2:
        from->facts->num_frames = clip->num_frames = read_count(from);
        if (clip->num_frames > 1024)
            found(from, RULE_Q2PRO_LIMIT, from->word, "%d frames", (int)clip->num_frames);
        return true;
    case 3:
        from->facts->joints_line = from->word.line;
        clip->num_joints = read_count(from);
        return true;
    case 4: {
        const double rate = next(from) ? number(from) : 0.0;
        if (rate < 1.0)
            found(from, RULE_RATE, from->word, "frameRate is %g", rate);
        return true;
    }
    case 5:
        clip->components_line = from->word.line;
        clip->num_components = read_count(from);
        return true;
    case 6:
        return begin(from) && read_hierarchy(from, clip);
    case 7:
        from->facts->bounds_line = from->word.line;
        return begin(from) && read_boxes(from, clip);
    case 8:
        return begin(from) && read_base(from, clip);
    default:
        return read_frame(from, clip);
    }
}

static bool has_all(bool is_clip, const clip_rows *clip, const int32_t counts[2],
                    uint32_t num_meshes)
{
    return is_clip ? clip->num_read > 0 && (int32_t)clip->num_read >= clip->num_frames
                   : num_meshes > 0 && (int32_t)num_meshes >= counts[1];
}

// Reads all sections in whatever order.
static bool read_sections(reader *from, clip_rows *clip, uint32_t *num_meshes)
{
    const bool is_clip = from->facts->is_clip;
    const int count = is_clip ? CLIP_SECTIONS : MESH_SECTIONS;
    int last = -1, missing = 0;
    text_place gap = {0};
    bool has_command_line = false, is_read = true;
    int32_t counts[2] = {0};
    // Behind the last mesh or frame that is counted engines read nothing.
    while (is_read && !has_all(is_clip, clip, counts, *num_meshes) && next(from)) {
        int section = 0;
        while (section < count && !is(from, sections[is_clip][section]))
            section++;
        if (section == count) {
            found(from, RULE_WORD, from->word, "unknown word '%.*s'",
                  (int)(from->size < 60 ? from->size : 60), from->text);
            if (is_mark(from, '{'))
                skip_block(from);
            continue;
        }
        if (section < last)
            found(from, is_clip ? RULE_ORDER_CLIP : RULE_ORDER, from->word, "'%s' behind '%s'",
                  sections[is_clip][section], sections[is_clip][last]);
        if (last < 0 && section > 0)
            found(from, RULE_NO_VERSION, (text_place){1, 1}, "no 'MD5Version'");
        if (missing == 0 && section > (last > 1 ? last + 1 : 2)) {
            missing = last > 1 ? last + 1 : 2;
            gap = from->word;
        }
        last = section > last ? section : last;
        if (section == 0) {
            const int32_t version = read_count(from);
            if (version != 10) { // the rest may be anything
                found(from, RULE_VERSION, from->word, "version %d", (int)version);
                return false;
            }
        } else if (section == 1) {
            has_command_line = next(from);
            check_name(from);
            if (from->size > 1023)
                found(from, RULE_LONG_LINE, from->word, "a command line of %zu bytes", from->size);
        } else {
            if (!has_command_line)
                found(from, RULE_COMMAND_LINE, (text_place){1, 1}, "no 'commandline' before '%s'",
                      sections[is_clip][section]);
            has_command_line = true;
            is_read = is_clip ? read_clip_section(from, section, clip)
                              : read_mesh_section(from, section, counts, num_meshes);
        }
    }
    if (missing > 0 && from->place[RULE_WORD] == 0) // such a word may stand for it
        found(from, RULE_MISSING, gap, "no '%s' before this", sections[is_clip][missing]);
    if (is_read && (int32_t)*num_meshes < counts[1])
        found(from, RULE_FEWER_MESHES, from->count, "numMeshes is %d, but there are %u",
              (int)counts[1], *num_meshes);
    if (is_read && is_clip && next(from) && is(from, "frame")) // some engines read all
        found(from, RULE_MORE_FRAMES, from->word, "a frame behind the %d that are counted",
              (int)clip->num_frames);
    return is_read;
}

// Whether a text that the library reads without a warning may have a number that an engine does
// not.
static bool has_odd_number(const char *text, size_t size)
{
    for (size_t i = 1; i + 1 < size; i++) {
        const char before = text[i - 1], after = text[i + 1];
        if (text[i] == 'E' ? strchr("0123456789.", before) && strchr("+-0123456789", after)
                           : text[i] == '0' && (before <= ' ' || before == '-') && after > ' '
                                 && after != '.' && after != ')')
            return true;
    }
    return memchr(text, '+', size) != NULL;
}

tool_facts *tool_read_facts(const char *path, const char *text, size_t size, bool is_known,
                            tool_engines asked)
{
    const tool_kind kind = tool_kind_of(path);
    if ((kind != TOOL_MODEL && kind != TOOL_ANIM) || tool_baked_kind(text, size))
        return NULL;
    tool_facts *const facts = tool_create_facts(path, asked);
    reader from = {.at = text,
                   .end = text + size,
                   .line_start = text,
                   .line = 1,
                   .text = text,
                   .word = {1, 1},
                   .facts = facts,
                   .is_known = is_known && !has_odd_number(text, size)};
    clip_rows clip = {0};
    uint32_t num_meshes = 0;
    facts->is_clip = kind == TOOL_ANIM;
    from.minds_layout = tool_minds(asked, "broken-row") || tool_minds(asked, "no-blanks");
    set_classes(&from);
    if (size < 4 || memcmp(text, "MD5V", 4) != 0)
        found(&from, RULE_BEFORE, (text_place){0}, "the file does not begin with MD5Version");
    facts->is_whole = read_sections(&from, &clip, &num_meshes);
    if (facts->is_clip && facts->is_whole) {
        if ((int32_t)clip.num_read < clip.num_frames)
            found(&from, RULE_FRAMES, from.word, "numFrames is %d, but there are %u",
                  (int)clip.num_frames, clip.num_read);
        check_indices(&from, &clip);
        check_base_root(&from, &clip);
    }
    free(clip.base);
    free(clip.frame);
    free(clip.indices);
    return facts;
}

tool_facts *tool_load_facts(const char *path, tool_engines asked)
{
    const char *reason = NULL;
    size_t size = 0;
    char *const text = common_read_stream(path, &size, &reason);
    tool_facts *const facts = text ? tool_read_facts(path, text, size, false, asked) : NULL;
    free(text);
    return facts;
}
