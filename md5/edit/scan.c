// Reads the text of mesh files and clips, however broken, for the rules of engines: most rules are
// about files that the library, or another engine, refuses.
#include "md5/core/file.h"
#include "md5/core/math.h"
#include "md5/edit/check.h"
#include "md5/read/tables.h"

#include <stdlib.h>

// Makes room for one more row of an array. Returns it; NULL if memory runs out.
#define GROW(arena, type, rows, count) \
    ((rows) = (type *)md5_grow(&from->arena, rows, count, sizeof(type)))

// == Words ========================================================================================

static bool is_mark(const md5_checker *from, char mark)
{
    return from->is_mark && *from->word.bytes == mark;
}

static bool is(const md5_checker *from, const char *word)
{
    return !from->is_quoted && md5_span_is(from->word, word);
}

// Where a token ends: bytes above 127 and apostrophes belong to a bare word that they do not begin,
// comments to none.
static const char *word_end(const md5_lex *lex, const char *at)
{
    const char *end = md5i_lex_word_end(lex, at);
    if (end == at)
        return md5i_lex_token_end(lex, at);
    while (end < lex->end && ((unsigned char)*end > 0x7F || *end == '\''))
        end = md5i_lex_word_end(lex, end + 1);
    for (const char *c = at; (c = (const char *)memchr(c, '/', (size_t)(end - c))); c++)
        if (lex->end - c > 1 && (c[1] == '/' || c[1] == '*'))
            return c;
    return end;
}

// Reads the next word: a parenthesis or a brace, a text in quotes, or what stands up to a blank.
// NUL bytes are blanks; those above 127, too, but in names.
static bool next(md5_checker *from)
{
    md5_lex *const lex = &from->lex;
    const char *const before = lex->at;
    const bool was_mark = from->is_mark;
    const char *at = md5i_lex_next(lex);
    for (; at < lex->end && *at == '\0'; at = md5i_lex_next(lex))
        lex->at++;
    from->word = (md5_span){at, 0};
    from->is_mark = false;
    if (at == lex->end)
        return false;
    md5i_lex_place(lex, at, &from->at.line, &from->at.column);
    const char *end = word_end(lex, at);
    lex->at = end;
    from->is_quoted = *at == '"' || *at == '\'';
    if (from->is_quoted)
        end -= ++at < end && end[-1] == at[-1];
    from->word = (md5_span){at, (size_t)(end - at)};
    from->is_mark = !from->is_quoted && strchr("(){}", *at);
    from->is_glued = at == before && at > lex->text && (was_mark || from->is_mark);
    return true;
}

// Whether the last word is the next part of a section: anything but its end.
static bool next_in(md5_checker *from)
{
    if (!next(from) || !is_mark(from, '}'))
        return from->word.size > 0;
    if (from->at.column != 1)
        md5i_found(from, "brace-column", from->at,
                   "closing brace is not in column 1: found column %u", from->at.column);
    return false;
}

// How many bytes of the word a message shows, at most.
static int shown(const md5_checker *from, size_t most)
{
    return (int)(from->word.size < most ? from->word.size : most);
}

static char *copy_word(md5_checker *from)
{
    enum { MOST = 1000 };
    return md5_copy_text(&from->kept, from->word.bytes, (size_t)shown(from, MOST));
}

// How many bytes of a text belong to some.
static size_t count_of(const char *text, size_t size, const char *bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] != '\0' && strchr(bytes, text[i]);
    return count;
}

// How many bytes before the digits of a number are its sign.
static size_t sign_of(md5_span word)
{
    return word.size > 0 && *word.bytes == '-';
}

// Whether a number is another one than its digits say, to some engines: by a letter or a sign, or
// by a zero before its other digits.
static bool is_odd(const md5_checker *from)
{
    const md5_span word = from->word;
    const size_t sign = sign_of(word);
    for (size_t i = 0; i < word.size; i++)
        if (!md5_is_digit(word.bytes[i]) && word.bytes[i] != '.' && word.bytes[i] != '-')
            return true;
    return from->is_quoted
           || (word.size > sign + 1 && word.bytes[sign] == '0' && word.bytes[sign + 1] != '.');
}

// Whether a number is hexadecimal, which are its digits.
static bool is_hexadecimal(const char *digits, size_t size)
{
    return size > 2 && *digits == '0' && (digits[1] | 0x20) == 'x'
           && count_of(digits + 2, size - 2, "0123456789abcdefABCDEF") == size - 2;
}

// What may not stand in a number, or is read otherwise by some engines.
static void check_number(md5_checker *from)
{
    const char *const word = from->word.bytes;
    const char *const digits = word + sign_of(from->word);
    const size_t size = from->word.size - (size_t)(digits - word);
    const bool is_name = count_of(digits, size, "0123456789.-eE+,(){}") < size;
    const char *rule = NULL;
    const char *what = "is not a number";
    if (is_hexadecimal(digits, size))
        rule = "hexadecimal", what = "is a hexadecimal number";
    else if (!from->is_quoted && count_of(digits, size, ",") > 0)
        rule = "decimal-comma", what = "contains a decimal comma";
    else if (from->is_quoted || (is_name && count_of(digits, size, "0123456789") == 0))
        rule = "nan";
    else if (is_name) // id's lexer reads a C suffix
        rule = (digits[size - 1] | 0x20) == 'f' && count_of(digits, size, "0123456789.") == size - 1
                   ? "nan/suffix"
                   : "nan/mark";
    else if (count_of(digits, size, "E") > 0)
        rule = "capital-exponent", what = "has an exponent with a capital E";
    else if (*word == '+')
        rule = "plus-sign", what = "begins with a plus sign";
    else if (size > 1 && *digits == '0' && digits[1] != '.'
             && count_of(digits, size, "01234567") < size)
        rule = "leading-zero", what = "is read as two numbers by id's engine";
    if (rule)
        md5i_found(from, rule, from->at, "'%.*s' %s", shown(from, 40), word, what);
}

// The last word as a number, 0 if it is none. id's lexer lets a sign stand apart.
static double number(md5_checker *from)
{
    const bool is_negative = is(from, "-");
    double value = 0;
    if (is_negative && (!next(from) || from->is_mark))
        return 0;
    if (is_odd(from))
        check_number(from);
    const char *const word = from->word.bytes;
    const char *const end = word + from->word.size;
    const char *const digits = word + sign_of(from->word);
    if (is_hexadecimal(digits, (size_t)(end - digits)))
        value = (double)strtoull(digits, NULL, 16) * (digits > word ? -1 : 1);
    else if (!md5i_scan_double(word, end, &value) || value - value != 0)
        value = 0;
    return is_negative ? -value : value;
}

// The same of an integer, within those of 32 bits.
static int32_t integer(md5_checker *from)
{
    const double value = number(from);
    const md5_span word = from->word;
    if (word.size > 1 && *word.bytes == '0'
        && count_of(word.bytes, word.size, "0123456789.") == word.size
        && (value >= 8 || count_of(word.bytes, word.size, "89") > 0))
        md5i_found(from, "octal", from->at, "'%.*s' is read as an octal number by id's engine",
                   shown(from, 40), word.bytes);
    return value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int32_t)value;
}

// Reads a row of that shape: i an integer, f a number, x one that is not needed, and parentheses;
// it began in row_line. Its first word is the last one if `has_first`. Returns false if it has
// another shape. The place is that of its first word.
static bool read_row(md5_checker *from, const char *shape, bool has_first, double *values)
{
    md5_text_place first = {0};
    for (; *shape; shape++) {
        TRY(has_first || next(from));
        has_first = false;
        first = first.line > 0 ? first : from->at;
        if (from->at.line != from->row_line)
            md5i_found(from, "broken-row", from->at, "entry continues on the next line");
        if (from->is_glued)
            md5i_found(from, "no-blanks", from->at, "missing blank next to a parenthesis");
        if (from->is_mark || *shape == '(' || *shape == ')') {
            TRY(is_mark(from, *shape));
        } else if (*shape == 'i') {
            *values++ = integer(from);
        } else if (*shape == 'f') {
            *values++ = number(from);
        } else if (is_odd(from)) {
            check_number(from);
        }
    }
    from->at = first;
    return true;
}

// Reads `{` behind the word of a section, whose line is then row_line.
static bool begin(md5_checker *from)
{
    from->row_line = from->at.line;
    if (!next(from) || !is_mark(from, '{'))
        return false;
    if (from->at.line != from->row_line)
        md5i_found(from, "brace-line", from->at, "'{' is not on the line of its keyword");
    return true;
}

// Skips words up to the end of a block that has begun.
static void skip_block(md5_checker *from)
{
    for (int depth = 1; depth > 0 && next(from);)
        depth += is_mark(from, '{') ? 1 : is_mark(from, '}') ? -1 : 0;
}

// Reads the number behind the last word.
static int32_t read_count(md5_checker *from)
{
    return next(from) ? integer(from) : 0;
}

// Checks a word that may stand without quotes, which id's lexer ends earlier than others.
static void check_name(md5_checker *from)
{
    static const char letters[] = "0123456789/\\:._abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const bool is_number = from->word.size > 0 && md5_is_digit(*from->word.bytes);
    if (from->word.size > 0 && !from->is_quoted && *from->word.bytes != '\''
        && (*from->word.bytes == ':'
            || count_of(from->word.bytes, from->word.size, is_number ? "0123456789" : letters)
                   < from->word.size))
        md5i_found(from, "bare-name", from->at, "name '%.*s' is not quoted", shown(from, 60),
                   from->word.bytes);
}

// Adds a joint whose name is the last word.
static md5_check_joint *add_joint(md5_checker *from)
{
    char *const name = copy_word(from);
    if (!name || !GROW(kept, md5_check_joint, from->check.joints, from->check.num_joints))
        return NULL;
    md5_check_joint *const to = &from->check.joints[from->check.num_joints++];
    *to = (md5_check_joint){.name = name, .line = from->at.line};
    check_name(from);
    if (from->word.size >= 32)
        md5i_found(from, "long-name", from->at,
                   "joint name is too long: expected at most 31 bytes, found %zu", from->word.size);
    if (strchr(to->name, ' '))
        md5i_found(from, "blank-name", from->at, "joint name contains a blank: '%.100s'", to->name);
    from->row_line = from->at.line;
    return to;
}

// -- Mesh files -----------------------------------------------------------------------------------

// x y z of a rotation, whose w is not stored.
static void check_rotation(md5_checker *from, md5_text_place at, const double *q)
{
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    if (square > 1.0002)
        md5i_found(from, "long-rotation", at,
                   "rotation is too long: expected length 1 or less, found %g", sqrt(square));
}

typedef struct file_rows {
    int32_t num_joints, num_parts, num_components; // as counted; parts: meshes, or frames of a clip
    uint32_t components_line;
    uint32_t num_boxes, num_base, num_read; // parts that were read
    double base[3];                         // the translation of joint 0
    double *frame;                          // [num_components] at most: of frame 0
    uint32_t num_numbers;                   // of that
    uint32_t *indices;                      // [num_read] of frames
    md5_text_place away, jump; // the first that is not its place, or not behind the last
} file_rows;

// Reads the joints of a clip, or of a mesh, of which `clip` is NULL.
static bool read_joints(md5_checker *from, const file_rows *clip, int32_t counted)
{
    uint32_t num_roots = 0;
    while (next_in(from)) {
        double row[3];
        md5_check_joint *const to = add_joint(from);
        const md5_text_place name = from->at;
        TRY(to && (clip ? read_row(from, "iii", false, row) : next(from)));
        to->parent = clip ? (int32_t)row[0] : integer(from);
        const md5_text_place at = clip ? name : from->at;
        num_roots += to->parent < 0;
        if (num_roots == 2 && to->parent < 0)
            md5i_found(from, clip ? "roots/clip" : "roots", at,
                       "joint '%.60s' is a second root: expected one root", to->name);
        if (!clip && to->parent >= 0 && to->parent >= (int64_t)counted - 1)
            md5i_found(
                from, "parent-order/last", at,
                "parent of joint '%.60s' is the last joint or out of range: found %d of %d joints",
                to->name, to->parent, counted);
        else if (to->parent >= (int32_t)from->check.num_joints - 1)
            md5i_found(from, "parent-order", at, "joint '%.60s' comes before its parent", to->name);
        if (!clip) {
            TRY(read_row(from, "(xxx)(fff)", false, row));
            check_rotation(from, at, row);
            continue;
        }
        to->flags = (uint32_t)(int32_t)row[1];
        to->first = (uint32_t)(int32_t)row[2];
        if (to->flags > 63)
            md5i_found(from, "flags", at,
                       "joint flags are out of range: expected 0 to 63, found %g", row[1]);
        const uint32_t count = md5i_num_flags(to->flags & 63);
        if (count > 0 && (row[2] < 0 || row[2] + count > clip->num_components))
            md5i_found(from, "components", at,
                       "components are out of range: found %u components from %d, but "
                       "numAnimatedComponents is %d",
                       count, (int)row[2], clip->num_components);
        else if (clip->num_components > 0 && (row[2] < 0 || row[2] >= clip->num_components))
            md5i_found(from, "first-component", at,
                       "first component is out of range: found %d of %d components", (int)row[2],
                       clip->num_components);
    }
    const uint32_t count = from->check.num_joints;
    if (counted != (int32_t)count)
        md5i_found(from, "joint-count",
                   counted >= 0 && (uint32_t)counted < count // the first that is too many
                       ? md5_at_line(from->check.joints[counted].line)
                       : from->at,
                   "numJoints does not match the file: declared %d, found %u", counted, count);
    if (count > 256)
        md5i_found(from, "many-joints", from->at, "too many joints: expected at most 256, found %u",
                   count);
    return from->word.size > 0;
}

// The words of a mesh: of rows, and of its parts in their order.
enum { ROWS = 3, WORDS = 8 };
static const char *const mesh_words[] = {"vert",     "tri",     "weight",     "name", "shader",
                                         "numverts", "numtris", "numweights", "}"};

typedef struct mesh_vertex {
    uint32_t first, count, line; // of its weights
} mesh_vertex;

typedef struct mesh_rows {
    uint32_t counts[3], rows[3], count_lines[3]; // vert, tri, weight
    mesh_vertex *vertices;                       // [rows[0]]
    float *biases;                               // [rows[2]]
} mesh_rows;

// Reads one row of a mesh, of the kind whose word is the last one.
static bool read_mesh_row(md5_checker *from, int kind, mesh_rows *mesh)
{
    static const char *const shapes[] = {"i(xx)ii", "iiii", "iif(xxx)"};
    double row[7] = {0};
    const uint32_t i = mesh->rows[kind];
    from->row_line = from->at.line;
    const md5_text_place begin = from->at;
    TRY(read_row(from, shapes[kind], false, row));
    if ((int32_t)row[0] != (int32_t)i)
        md5i_found(from, "row-order", begin, "'%s %d' is out of order: expected index %u",
                   mesh_words[kind], (int)row[0], i);
    if (kind == 0) {
        TRY(GROW(scratch, mesh_vertex, mesh->vertices, i));
        mesh->vertices[i] =
            (mesh_vertex){(uint32_t)fmax(row[1], 0.0), (uint32_t)fmax(row[2], 0.0), begin.line};
        if (row[2] < 1)
            md5i_found(from, "no-weights", begin, "vertex %u has no weights", i);
    } else if (kind == 1) {
        for (uint32_t k = 1; k < 4; k++)
            if (row[k] < 0 || row[k] >= mesh->counts[0])
                md5i_found(from, "triangle-corner", begin,
                           "triangle refers to an unknown vertex: found %d, but numverts is %u",
                           (int)row[k], mesh->counts[0]);
    } else {
        TRY(GROW(scratch, float, mesh->biases, i));
        mesh->biases[i] = (float)row[2];
        if (row[1] < 0 || row[1] >= from->check.num_joints)
            md5i_found(from, "weight-joint", begin,
                       "weight refers to an unknown joint: found %d of %u joints", (int)row[1],
                       from->check.num_joints);
        if (row[2] < 0)
            md5i_found(from, "negative-weight", begin, "weight is negative: found %g", row[2]);
    }
    mesh->rows[kind]++;
    return true;
}

// Checks the vertices of a mesh against its weights.
static void check_vertices(md5_checker *from, const mesh_rows *mesh)
{
    enum { MAX_VERTICES = 65535, Q2PRO_ROWS = 6144, Q2PRO_WEIGHTS = 8192 };
    const uint32_t num_weights = mesh->rows[2];
    for (uint32_t i = 0; i < mesh->rows[0]; i++) {
        const uint32_t first = mesh->vertices[i].first;
        const uint32_t count = mesh->vertices[i].count;
        const md5_text_place at = md5_at_line(mesh->vertices[i].line);
        if (first > num_weights || count > num_weights - first) {
            md5i_found(
                from, "weight-range", at,
                "vertex refers to unknown weights: found %u weights from %u, but numweights is %u",
                count, first, num_weights);
            continue;
        }
        // Files that the library refuses, as vertices share more weights than there are bytes,
        // could take long.
        float sum = count > 0 ? 0 : 1.0f;
        from->num_references += count;
        const bool is_shared = from->num_references > (size_t)(from->lex.end - from->lex.text);
        if (!is_shared) {
            for (uint32_t k = 0; k < count; k++)
                sum += mesh->biases[first + k];
        }
        if (fabsf(sum - 1) > 1e-3f && !is_shared)
            md5i_found(from, "weight-sum", at, "weights of vertex %u do not sum to 1: found %g", i,
                       sum);
        if (count > 4)
            md5i_found(from, "4-weights", at,
                       "vertex %u has too many weights: expected at most 4, found %u", i, count);
        if (count > 8)
            md5i_found(from, "8-weights", at,
                       "vertex %u has too many weights: expected at most 8, found %u", i, count);
    }
    static const char *const words[] = {"vertices", "triangles", "weights"};
    for (uint32_t kind = 0; kind < 3; kind++) {
        // Where the rows end.
        const md5_text_place at =
            md5_at_line(kind < 2 ? mesh->count_lines[kind + 1] : from->at.line);
        if (kind == 1 && mesh->rows[kind] == 0)
            md5i_found(from, "empty-mesh", at, "mesh has no triangles");
        if (mesh->rows[kind] != mesh->counts[kind])
            md5i_found(from, "row-count", at, "wrong number of %s: declared %u, found %u",
                       words[kind], mesh->counts[kind], mesh->rows[kind]);
        if (mesh->rows[kind] > (uint32_t)(kind == 2 ? Q2PRO_WEIGHTS : Q2PRO_ROWS))
            md5i_found(from, "q2pro-limit", at, "too many %s in a mesh: found %u", words[kind],
                       mesh->rows[kind]);
        if (kind == 0 && mesh->rows[kind] > MAX_VERTICES)
            md5i_found(from, "many-vertices", at,
                       "too many vertices in a mesh: expected at most 65535, found %u",
                       mesh->rows[kind]);
    }
}

// Keeps the shader of a mesh, which is the last word.
static bool add_shader(md5_checker *from)
{
    // Quake's engines name skins progs/SHADER_00_00, of at most 63 bytes.
    enum { LONGEST = 63 - 12, LONGEST_ALONE = 63 - 6 };
    char *const name = copy_word(from);
    TRY(name && GROW(kept, md5_check_shader, from->check.shaders, from->check.num_shaders));
    from->check.shaders[from->check.num_shaders++] =
        (md5_check_shader){name, from->at.line, from->at.column};
    check_name(from);
    if (from->word.size > LONGEST)
        md5i_found(from, from->word.size > LONGEST_ALONE ? "long-skin/58" : "long-skin", from->at,
                   "shader name is too long: found %zu bytes", from->word.size);
    if (from->word.size == 0 || *name == '/' || *name == '\\' || name[1] == ':')
        md5i_found(from, "shader-name", from->at,
                   "shader is empty or an absolute path: found '%.100s'", name);
    return true;
}

// Checks that a part of a mesh follows the one before.
static void check_part(md5_checker *from, int now, int *last)
{
    if (now < *last || now > *last + 1)
        md5i_found(from, "section-order", from->at, "'%s' is out of order: found %s '%s'",
                   mesh_words[now], now < *last ? "after" : "without",
                   mesh_words[now < *last ? *last : *last + 1]);
    *last = now > *last ? now : *last;
}

// Reads a mesh up to its `}`.
static bool read_mesh(md5_checker *from, mesh_rows *mesh)
{
    enum { NAME = ROWS, SHADER, COUNTS };
    int part = NAME;
    while (next_in(from)) {
        int word = 0;
        while (word < WORDS && !is(from, mesh_words[word]))
            word++;
        if (word == WORDS) {
            from->has_unknown = true;
            md5i_found(from, "unknown-word", from->at, "unknown keyword '%.*s' in a mesh",
                       shown(from, 60), from->word.bytes);
            return false;
        }
        if (word < ROWS) {
            TRY(read_mesh_row(from, word, mesh));
            continue;
        }
        if (word == NAME)
            md5i_found(from, "mesh-name", from->at, "keyword 'name' in a mesh");
        check_part(from, word, &part);
        if (word >= COUNTS) {
            mesh->count_lines[word - COUNTS] = from->at.line;
            mesh->counts[word - COUNTS] = (uint32_t)fmax(read_count(from), 0);
        } else {
            TRY(next(from) && (word == NAME || add_shader(from)));
        }
    }
    check_part(from, WORDS, &part);
    check_vertices(from, mesh);
    return from->word.size > 0;
}

// -- Clips ----------------------------------------------------------------------------------------

static bool read_boxes(md5_checker *from, file_rows *clip)
{
    const md5_text_place begin = md5_at_line(from->row_line);
    uint32_t num_empty = 0;
    while (next_in(from)) {
        double row[6];
        from->row_line = from->at.line;
        TRY(read_row(from, "(fff)(fff)", true, row));
        num_empty += row[0] >= row[3] && row[1] >= row[4] && row[2] >= row[5];
        clip->num_boxes++;
    }
    if (num_empty > 0)
        md5i_found(from, "bounds", begin, "%u of %u bounding boxes are empty", num_empty,
                   clip->num_boxes);
    if (clip->num_boxes != (uint32_t)clip->num_parts)
        md5i_found(from, "bounds-count", begin,
                   "number of bounding boxes does not match numFrames: expected %d, found %u",
                   clip->num_parts, clip->num_boxes);
    return from->word.size > 0;
}

static bool read_base(md5_checker *from, file_rows *clip)
{
    while (next_in(from)) {
        from->row_line = from->at.line;
        double row[6];
        TRY(read_row(from, "(fff)(fff)", true, row));
        check_rotation(from, from->at, row + 3);
        const md5_check_joint *const of =
            clip->num_base < from->check.num_joints ? &from->check.joints[clip->num_base] : NULL;
        if (of) {
            for (uint32_t k = 0; k < 6; k++)
                if (!(of->flags >> k & 1) && fabs(row[k]) > 1e-4)
                    md5i_found(from, "base-frame-needed", from->at,
                               "joint '%.60s' needs the base frame for its %s", of->name,
                               k < 3 ? "position" : "rotation");
        }
        if (clip->num_base++ == 0)
            memcpy(clip->base, row, sizeof clip->base);
    }
    return from->word.size > 0;
}

// Reads a frame behind its word. Of frames behind the first only what a number may not be is seen.
static bool read_frame(md5_checker *from, file_rows *clip)
{
    const int32_t index = read_count(from);
    TRY(GROW(scratch, uint32_t, clip->indices, clip->num_read));
    clip->indices[clip->num_read] = (uint32_t)index;
    if (index != (int32_t)clip->num_read && clip->away.line == 0)
        clip->away = from->at;
    if (clip->num_read > 0 && clip->jump.line == 0
        && (uint32_t)index != clip->indices[clip->num_read - 1] + 1)
        clip->jump = from->at;
    uint32_t count = 0;
    TRY(begin(from));
    for (; next_in(from); count++) {
        if (clip->num_read == 0) {
            TRY(GROW(scratch, double, clip->frame, count));
            clip->frame[count] = number(from);
        } else if (is_odd(from)) {
            check_number(from);
        }
    }
    if ((int32_t)count != clip->num_components)
        md5i_found(
            from, "frame-size", md5_at_line(clip->components_line),
            "wrong number of values in frame %d: expected %d (numAnimatedComponents), found %u",
            index, clip->num_components, count);
    if (clip->num_read++ == 0)
        clip->num_numbers = count;
    return from->word.size > 0;
}

// Some engines store frames by their numbers, in any order.
static void check_indices(md5_checker *from, const file_rows *clip)
{
    bool *const seen = MD5_NEW(&from->scratch, bool, clip->num_read);
    uint32_t count = 0; // of different ones
    if (seen) {
        for (uint32_t i = 0; i < clip->num_read; i++)
            if (clip->indices[i] < clip->num_read && !seen[clip->indices[i]])
                count += seen[clip->indices[i]] = true;
    }
    if (count < clip->num_read)
        md5i_found(from, "frame-number", clip->away, "frames are not numbered from 0 to %u",
                   clip->num_read - 1);
    else if (clip->jump.line > 0)
        md5i_found(from, "frame-order", clip->jump, "frame numbers are out of order");
}

// The root of frame 0 beside that of the base frame, from which id's engine counts.
static void check_base_root(md5_checker *from, const file_rows *clip)
{
    const md5_check_joint *const root = from->check.joints;
    if (from->check.num_joints == 0 || clip->num_base == 0)
        return;
    uint32_t at = root->first;
    double away = 0;
    for (uint32_t k = 0; k < 3; k++)
        if (root->flags >> k & 1 && at < clip->num_numbers)
            away = fmax(away, fabs(clip->frame[at++] - clip->base[k]));
    if (away > 0.01)
        md5i_found(from, "base-frame-root", md5_at_line(root->line),
                   "root of frame 0 is %g units from the root of the base frame", away);
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
static bool read_mesh_section(md5_checker *from, int section, file_rows *all)
{
    enum { Q2PRO_MESHES = 32 };
    mesh_rows mesh = {0};
    switch (section) {
    case 2:
        from->joints_line = from->at.line;
        all->num_joints = read_count(from);
        return true;
    case 3:
        all->num_parts = read_count(from);
        from->count = from->at;
        if (all->num_parts > Q2PRO_MESHES)
            md5i_found(from, "q2pro-limit", from->at,
                       "too many meshes: expected at most 32, found %d", all->num_parts);
        if (all->num_parts == 0)
            md5i_found(from, "no-meshes", from->at,
                       "numMeshes is out of range: expected at least 1, found 0");
        if (all->num_parts > all->num_joints)
            md5i_found(from, "more-meshes-than-joints", from->at,
                       "more meshes than joints: found %d meshes and %d joints", all->num_parts,
                       all->num_joints);
        return true;
    case 4:
        return begin(from) && read_joints(from, NULL, all->num_joints);
    default:
        all->num_read++;
        return begin(from) && read_mesh(from, &mesh);
    }
}

static bool read_clip_section(md5_checker *from, int section, file_rows *clip)
{
    switch (section) {
    case 2:
        from->check.num_frames = clip->num_parts = read_count(from);
        if (clip->num_parts > 1024)
            md5i_found(from, "q2pro-limit", from->at,
                       "too many frames: expected at most 1024, found %d", clip->num_parts);
        return true;
    case 3:
        from->joints_line = from->at.line;
        clip->num_joints = read_count(from);
        return true;
    case 4: {
        const double rate = next(from) ? number(from) : 0;
        if (rate < 1)
            md5i_found(from, "frame-rate", from->at,
                       "frameRate is out of range: expected 1 or more, found %g", rate);
        return true;
    }
    case 5:
        clip->components_line = from->at.line;
        clip->num_components = read_count(from);
        return true;
    case 6:
        return begin(from) && read_joints(from, clip, clip->num_joints);
    case 7:
        from->check.bounds_line = from->at.line;
        return begin(from) && read_boxes(from, clip);
    case 8:
        return begin(from) && read_base(from, clip);
    default:
        return read_frame(from, clip);
    }
}

// Reads all sections in whatever order.
static bool read_sections(md5_checker *from, file_rows *all)
{
    const bool is_clip = from->check.kind == MD5_DOC_ANIM;
    const int count = is_clip ? CLIP_SECTIONS : MESH_SECTIONS;
    int last = -1;
    int missing = 0;
    md5_text_place gap = {0};
    bool has_command_line = false;
    bool is_read = true;
    // Behind the last mesh or frame that is counted engines read nothing.
    while (is_read && (all->num_read == 0 || (int32_t)all->num_read < all->num_parts)
           && next(from)) {
        int section = 0;
        while (section < count && !is(from, sections[is_clip][section]))
            section++;
        if (section == count) {
            md5i_found(from, "unknown-word", from->at, "unknown keyword '%.*s'", shown(from, 60),
                       from->word.bytes);
            from->has_unknown = true;
            if (is_mark(from, '{'))
                skip_block(from);
            continue;
        }
        if (section < last)
            md5i_found(from, is_clip ? "section-order/clip" : "section-order", from->at,
                       "section '%s' is out of order: found after '%s'", sections[is_clip][section],
                       sections[is_clip][last]);
        if (last < 0 && section > 0)
            md5i_found(from, "no-version", md5_at_line(1), "missing 'MD5Version'");
        if (missing == 0 && section > (last > 1 ? last + 1 : 2)) {
            missing = last > 1 ? last + 1 : 2;
            gap = from->at;
        }
        last = section > last ? section : last;
        if (section == 0) {
            const int32_t version = read_count(from);
            if (version != 10) { // the rest may be anything
                md5i_found(from, "version", from->at,
                           "unsupported MD5 version: expected 10, found %d", version);
                return false;
            }
        } else if (section == 1) {
            has_command_line = next(from);
            check_name(from);
            if (from->word.size > 1023)
                md5i_found(from, "long-commandline", from->at,
                           "command line is too long: expected at most 1023 bytes, found %zu",
                           from->word.size);
        } else {
            if (!has_command_line)
                md5i_found(from, "no-commandline", md5_at_line(1),
                           "missing 'commandline': expected it before '%s'",
                           sections[is_clip][section]);
            has_command_line = true;
            is_read = is_clip ? read_clip_section(from, section, all)
                              : read_mesh_section(from, section, all);
        }
    }
    if (missing > 0 && !from->has_unknown) // such a word may stand for it
        md5i_found(from, "missing-section", gap,
                   "missing section '%s': expected it before this line",
                   sections[is_clip][missing]);
    if (is_read && !is_clip && (int32_t)all->num_read < all->num_parts)
        md5i_found(from, "mesh-count", from->count,
                   "numMeshes does not match the file: declared %d, found %u", all->num_parts,
                   all->num_read);
    if (is_read && is_clip && next(from) && is(from, "frame")) // some engines read all
        md5i_found(from, "more-frames", from->at, "too many frames: numFrames is %d",
                   all->num_parts);
    return is_read;
}

md5_check *md5_check_doc(md5_doc_kind kind, const void *text, size_t size, md5_engines engines,
                         const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    md5_checker *const from = md5i_begin_check(opts, error);
    if (!from)
        return NULL;
    from->check.kind = kind;
    from->check.engines = engines;
    const bool is_clip = kind == MD5_DOC_ANIM;
    file_rows all = {0};
    // What is wrong with the text is for the rules alone.
    md5_context silent = from->context;
    md5_arena unused = {.context = &silent};
    silent.caller = NULL;
    md5i_lex_begin(&from->lex, &unused, (const char *)text, size);
    if (text && kind != MD5_DOC_CAMERA && md5_check_text_size(&from->context, size)) {
        if (size < 4 || memcmp(text, "MD5V", 4) != 0)
            md5i_found(from, "text-before", md5_at_line(0), "file does not begin with MD5Version");
        if (read_sections(from, &all) && is_clip) {
            if ((int32_t)all.num_read < all.num_parts)
                md5i_found(from, "frame-count", from->at,
                           "numFrames does not match the file: declared %d, found %u",
                           all.num_parts, all.num_read);
            check_indices(from, &all);
            check_base_root(from, &all);
        }
        md5i_check_names(from);
    }
    md5i_arena_free(&from->scratch);
    from->context.caller = NULL;
    if (from->context.error.status == MD5_OK)
        return &from->check;
    md5_free_check(&from->check);
    return NULL;
}
