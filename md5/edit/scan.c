// Scans the text of a mesh file or a clip for violations of the rules in rules.c.
//
// Most rules are about files that the library or an engine rejects. The scanner must continue after
// errors in such files, as engines do, so it does not use the readers of md5/read. A function of
// the scanner returns false if the rest of the text cannot be interpreted. The scan then ends.
//
// md5_checker contains the position in the text. file_contents and mesh_contents contain the values
// that rules compare with other parts of the file.
#include "md5/core/file.h"
#include "md5/core/math.h"
#include "md5/edit/check.h"
#include "md5/read/tables.h"

#include <stdlib.h>

// Makes space for one more entry in an array of `count` entries in an arena. Sets `entries` to the
// array, which may have moved, or to NULL if memory runs out.
#define ADD_ENTRY(arena, type, entries, count) \
    ((entries) = (type *)md5_grow(arena, entries, count, sizeof(type)))

// == Words ========================================================================================

// Returns true if the current word is the parenthesis or brace `mark`.
static bool is_mark(const md5_checker *checker, char mark)
{
    return checker->is_mark && *checker->word.bytes == mark;
}

// Returns true if the current word is the keyword `keyword`.
static bool is_keyword(const md5_checker *checker, const char *keyword)
{
    return !checker->is_quoted && md5_span_is(checker->word, keyword);
}

// Returns true if a comment begins at `at`. Comments have the syntax of C or C++.
static bool is_comment_start(const md5_lex *lex, const char *at)
{
    if (lex->end - at < 2 || *at != '/')
        return false;
    return at[1] == '/' || at[1] == '*';
}

// Returns the end of the word that begins at `at`. A word without quotes may contain bytes above
// 127 and apostrophes, but cannot begin with them. It ends before a comment.
static const char *word_end(const md5_lex *lex, const char *at)
{
    const char *end = md5i_lex_word_end(lex, at);
    if (end == at)
        return md5i_lex_token_end(lex, at);
    while (end < lex->end && ((unsigned char)*end > 0x7F || *end == '\''))
        end = md5i_lex_word_end(lex, end + 1);
    for (const char *byte = at; byte < end; byte++) {
        if (is_comment_start(lex, byte))
            return byte;
    }
    return end;
}

// Reads the next word into checker->word. A word is a parenthesis, a brace, a quoted text, or a
// sequence of other bytes up to a blank. checker->word does not include quotes. NUL bytes and,
// between words, bytes above 127 are skipped like blanks. Also sets the location of the word, and
// the flags that describe it. At the end of the text, the word is empty, and the function returns
// false.
static bool read_word(md5_checker *checker)
{
    md5_lex *const lex = &checker->lex;
    const char *const previous_end = lex->at;
    const bool follows_mark = checker->is_mark;

    // Find the start of the word. A NUL byte is skipped like a blank.
    const char *at = md5i_lex_skip_space(lex);
    for (; at < lex->end && *at == '\0'; at = md5i_lex_skip_space(lex))
        lex->at++;
    checker->word = (md5_span){at, 0};
    checker->is_mark = false;
    if (at == lex->end)
        return false;

    // Find the end of the word, and remove its quotes.
    bool is_adjacent = at == previous_end && at > lex->text;
    md5i_lex_find_location(lex, at, &checker->location.line, &checker->location.column);
    const char *end = word_end(lex, at);
    lex->at = end;
    checker->is_quoted = *at == '"' || *at == '\'';
    if (checker->is_quoted) {
        const char quote = *at;
        is_adjacent = false; // engines need no blank before a quote
        at++;
        if (at < end && end[-1] == quote)
            end--;
    }

    checker->word = (md5_span){at, (size_t)(end - at)};
    checker->is_mark = !checker->is_quoted && strchr("(){}", *at);
    checker->is_glued = is_adjacent && (follows_mark || checker->is_mark);
    return true;
}

// Reads the next word of a section, which is enclosed in braces. Returns false at the closing brace
// of the section, and at the end of the text.
static bool read_section_word(md5_checker *checker)
{
    if (!read_word(checker))
        return false;
    if (!is_mark(checker, '}'))
        return true;
    if (checker->location.column != 1)
        md5i_report_violation(
            checker, "brace-column", checker->location,
            "closing brace is in the wrong column: expected column 1, found column %u",
            checker->location.column);
    return false;
}

// Returns the length of the current word for a message, limited to `max_length`.
static int shown_length(const md5_checker *checker, size_t max_length)
{
    const size_t length = checker->word.size;
    return (int)(length < max_length ? length : max_length);
}

// Returns a copy of the current word, shortened to 1000 bytes, or NULL if memory runs out.
static char *copy_word(md5_checker *checker)
{
    enum { MAX_LENGTH = 1000 };
    return md5_copy_text(&checker->arena, checker->word.bytes,
                         (size_t)shown_length(checker, MAX_LENGTH));
}

// Counts the bytes of a text that occur in the string `set`.
static size_t count_bytes(const char *text, size_t size, const char *set)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '\0' && strchr(set, text[i]))
            count++;
    }
    return count;
}

// -- Numbers --------------------------------------------------------------------------------------

// Returns the length of the sign of a number: 0 or 1.
static size_t sign_length(md5_span word)
{
    return word.size > 0 && *word.bytes == '-';
}

// Returns true if engines may read the current word as another number than this library, or not at
// all. Such a word is quoted, has a leading zero, or contains a byte other than digits, points and
// minus signs.
static bool is_unusual_number(const md5_checker *checker)
{
    const md5_span word = checker->word;
    const size_t sign = sign_length(word);
    for (size_t i = 0; i < word.size; i++) {
        if (!md5_is_digit(word.bytes[i]) && word.bytes[i] != '.' && word.bytes[i] != '-')
            return true;
    }
    if (checker->is_quoted)
        return true;
    return word.size > sign + 1 && word.bytes[sign] == '0' && word.bytes[sign + 1] != '.';
}

// Returns true if a word is a hexadecimal number, such as 0x1F, which some readers accept.
static bool is_hexadecimal(const char *digits, size_t size)
{
    if (size <= 2 || *digits != '0' || (digits[1] | 0x20) != 'x')
        return false;
    return count_bytes(digits + 2, size - 2, "0123456789abcdefABCDEF") == size - 2;
}

// Returns true for a number such as 1.5f, whose suffix id's lexer accepts as in C.
static bool has_c_suffix(const char *digits, size_t size)
{
    return (digits[size - 1] | 0x20) == 'f' && count_bytes(digits, size, "0123456789.") == size - 1;
}

// Returns true for a number such as 00.5 or 08. Octal numbers such as 017 are not included.
static bool has_leading_zero(const char *digits, size_t size)
{
    if (size < 2 || *digits != '0' || digits[1] == '.')
        return false;
    return count_bytes(digits, size, "01234567") < size;
}

// A rule that a number violates, and the text of the message after the number.
typedef struct number_problem {
    const char *rule; // NULL: no problem
    const char *text;
} number_problem;

// Returns the first rule that the current word violates where a number is expected. A word violates
// a rule if it is not a number, or if some engines cannot read it or read another number.
static number_problem find_number_problem(const md5_checker *checker)
{
    const char *const word = checker->word.bytes;
    const char *const digits = word + sign_length(checker->word);
    const size_t size = checker->word.size - (size_t)(digits - word);
    if (is_hexadecimal(digits, size))
        return (number_problem){"hexadecimal", "is a hexadecimal number"};
    if (!checker->is_quoted && count_bytes(digits, size, ",") > 0)
        return (number_problem){"decimal-comma", "contains a decimal comma"};

    // Detect words that are not numbers.
    const bool has_letters = count_bytes(digits, size, "0123456789.-eE+,(){}") < size;
    const bool has_digits = count_bytes(digits, size, "0123456789") > 0;
    if (checker->is_quoted || (has_letters && !has_digits))
        return (number_problem){"nan", "is not a number"};
    if (has_letters && has_c_suffix(digits, size))
        return (number_problem){"nan/suffix", "is not a number"};
    if (has_letters)
        return (number_problem){"nan/mark", "is not a number"};

    // Detect numbers in an unusual form.
    if (count_bytes(digits, size, "E") > 0)
        return (number_problem){"capital-exponent", "has an exponent with a capital E"};
    if (*word == '+')
        return (number_problem){"plus-sign", "begins with a plus sign"};
    if (has_leading_zero(digits, size))
        return (number_problem){"leading-zero", "is read as two numbers by id's engine"};
    return (number_problem){0};
}

// Reports the current word if it is not a number, or if some engines read it as another number.
static void check_number(md5_checker *checker)
{
    const number_problem problem = find_number_problem(checker);
    if (problem.rule)
        md5i_report_violation(checker, problem.rule, checker->location, "'%.*s' %s",
                              shown_length(checker, 40), checker->word.bytes, problem.text);
}

// Returns the value of a word that is a decimal or hexadecimal number. Returns 0 if it is not a
// finite number.
static double word_value(md5_span word)
{
    const char *const end = word.bytes + word.size;
    const char *const digits = word.bytes + sign_length(word);
    if (is_hexadecimal(digits, (size_t)(end - digits))) {
        const double magnitude = (double)strtoull(digits, NULL, 16);
        const bool has_sign = digits > word.bytes;
        return has_sign ? magnitude * -1 : magnitude;
    }
    double value = 0;
    const bool is_number = md5i_scan_double(word.bytes, end, &value) != NULL;
    return is_number && isfinite(value) ? value : 0;
}

// Returns the value of the current word, or 0 if it is not a finite number. Reports a number in an
// unusual form. If the word is a single minus sign, it belongs to the next word, as for id's lexer.
static double parse_number(md5_checker *checker)
{
    const bool is_negative = is_keyword(checker, "-");
    if (is_negative && (!read_word(checker) || checker->is_mark))
        return 0;
    if (is_unusual_number(checker))
        check_number(checker);
    const double value = word_value(checker->word);
    return is_negative ? -value : value;
}

// Returns true if a word would have another value if it were an octal number, as in C. Its decimal
// value is `value`.
static bool differs_as_octal(md5_span word, double value)
{
    if (word.size < 2 || *word.bytes != '0')
        return false;
    if (count_bytes(word.bytes, word.size, "0123456789.") < word.size)
        return false;
    return value >= 8 || count_bytes(word.bytes, word.size, "89") > 0;
}

// Returns the value of the current word as an integer, clamped to 32 bits, or 0 if the word is not
// a number.
static int32_t parse_integer(md5_checker *checker)
{
    const double value = parse_number(checker);
    if (differs_as_octal(checker->word, value))
        md5i_report_violation(
            checker, "octal", checker->location,
            "number '%.*s' begins with 0: id's engine reads it as an octal number",
            shown_length(checker, 40), checker->word.bytes);
    if (value >= INT32_MAX)
        return INT32_MAX;
    if (value <= INT32_MIN)
        return INT32_MIN;
    return (int32_t)value;
}

// Reads the next word as an integer. Returns 0 at the end of the text.
static int32_t read_count(md5_checker *checker)
{
    return read_word(checker) ? parse_integer(checker) : 0;
}

// -- Entries and blocks ---------------------------------------------------------------------------

// Checks the layout of the current word of a table entry. Reports a word on another line than the
// start of the entry, and a missing blank next to the word.
static void check_entry_layout(md5_checker *checker)
{
    if (checker->location.line != checker->entry_line)
        md5i_report_violation(checker, "broken-row", checker->location,
                              "entry continues on the next line: expected each entry on one line");
    if (checker->is_glued)
        md5i_report_violation(checker, "no-blanks", checker->location,
                              "missing blank next to a parenthesis: expected blanks before and "
                              "after each parenthesis");
}

// Reads the words of one entry of a table, which begins in checker->entry_line. Each character of
// `shape` describes a word:
//
// - i is an integer, whose value is written to values[].
// - f is a number, whose value is written to values[].
// - x is a number whose value is not needed.
// - A parenthesis stands for itself.
//
// If `has_first`, the current word is the first word of the entry. Otherwise it is the word before
// the entry. Sets checker->location to the first word. Returns false if the entry has other words.
static bool read_entry(md5_checker *checker, const char *shape, bool has_first, double *values)
{
    md5_text_location first = {0};
    double *next_value = values;
    for (const char *kind = shape; *kind; kind++) {
        const bool is_first = kind == shape;
        if (!is_first || !has_first)
            TRY(read_word(checker));
        if (is_first)
            first = checker->location;
        check_entry_layout(checker);

        const bool is_parenthesis = *kind == '(' || *kind == ')';
        if (checker->is_mark || is_parenthesis) {
            TRY(is_mark(checker, *kind));
        } else if (*kind == 'i') {
            *next_value++ = parse_integer(checker);
        } else if (*kind == 'f') {
            *next_value++ = parse_number(checker);
        } else if (is_unusual_number(checker)) {
            check_number(checker);
        }
    }
    checker->location = first;
    return true;
}

// Reads the `{` after the keyword of a section. Sets entry_line to the line of the keyword.
static bool read_open_brace(md5_checker *checker)
{
    checker->entry_line = checker->location.line;
    if (!read_word(checker) || !is_mark(checker, '{'))
        return false;
    if (checker->location.line != checker->entry_line)
        md5i_report_violation(checker, "brace-line", checker->location,
                              "'{' is on the wrong line: expected it on the line of its keyword");
    return true;
}

// Skips the rest of a block, including nested blocks. The `{` of the block has been read.
static void skip_unknown_block(md5_checker *checker)
{
    int depth = 1;
    while (depth > 0 && read_word(checker)) {
        if (is_mark(checker, '{'))
            depth++;
        else if (is_mark(checker, '}'))
            depth--;
    }
}

// Returns true if id's lexer reads the current word as one word. The lexer ends a word before the
// first byte that the word cannot contain:
//
// - A word in single or double quotes can contain any byte, and can be empty.
// - A word that begins with a digit is a number. A name that is read as a number can contain only
//   digits.
// - Any other word can contain the bytes in `letters`. It cannot begin with a colon, because the
//   lexer reads a colon there as a word of its own.
static bool is_complete_name(const md5_checker *checker)
{
    static const char letters[] = "0123456789/\\:._abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const md5_span word = checker->word;
    if (word.size == 0 || checker->is_quoted)
        return true;
    if (*word.bytes == ':')
        return false;
    const char *const allowed = md5_is_digit(*word.bytes) ? "0123456789" : letters;
    return count_bytes(word.bytes, word.size, allowed) == word.size;
}

// Reports a violation if the current word, which is a name, has no quotes.
static void check_name(md5_checker *checker)
{
    if (!is_complete_name(checker))
        md5i_report_violation(checker, "bare-name", checker->location,
                              "name '%.*s' is not quoted: expected double quotes around the name",
                              shown_length(checker, 60), checker->word.bytes);
}

// -- Joints ---------------------------------------------------------------------------------------

// Values that are found while the file is scanned. After the scan, rules compare them with each
// other, for example the declared number of joints with the number of listed joints.
typedef struct file_contents {
    // Counts that the file declares.
    int32_t num_joints;
    int32_t num_parts; // meshes of a mesh file, or frames of a clip
    int32_t num_components;
    uint32_t components_line; // line of numAnimatedComponents

    // Counts of the elements that were read.
    uint32_t num_boxes;
    uint32_t num_base; // joints of the base frame
    uint32_t num_read; // meshes or frames

    double base_root[3];       // translation of joint 0 in the base frame
    double *frame;             // [num_frame_values] values of frame 0
    uint32_t num_frame_values; // values of frame 0
    uint32_t *indices;         // [num_read] numbers of the frames in the file
    // Line 0 if no frame has this property.
    md5_text_location misnumbered; // first frame whose number differs from its position
    md5_text_location jump;        // first frame whose number does not follow the previous number
} file_contents;

// Reports a rotation that is longer than 1. q contains x, y and z, because files do not contain w.
static void check_rotation(md5_checker *checker, md5_text_location location, const double *q)
{
    static const double max_square = 1.0002; // tolerance for rounded numbers
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    if (square > max_square)
        md5i_report_violation(
            checker, "long-rotation", location,
            "rotation is not normalized: expected x, y, z of length 1 or less, found %g",
            sqrt(square));
}

// Adds a joint whose name is the current word. Returns NULL if memory runs out.
static md5_check_joint *add_joint(md5_checker *checker)
{
    md5_check *const check = &checker->check;
    const md5_text_location location = checker->location;
    char *const name = copy_word(checker);
    if (!name || !ADD_ENTRY(&checker->arena, md5_check_joint, check->joints, check->num_joints))
        return NULL;

    md5_check_joint *const joint = &check->joints[check->num_joints++];
    *joint = (md5_check_joint){.name = name, .line = location.line};
    check_name(checker);
    if (checker->word.size >= 32)
        md5i_report_violation(checker, "long-name", location,
                              "joint name is too long: expected at most 31 bytes, found %zu bytes",
                              checker->word.size);
    if (strchr(name, ' '))
        md5i_report_violation(checker, "blank-name", location,
                              "joint name contains a blank: found '%.100s'", name);
    checker->entry_line = location.line;
    return joint;
}

// Checks the parent of the joint that was added last. A parent must be an earlier joint of the
// file. `num_declared` is the number of joints in the header of a mesh file. In mesh files, one
// separate rule reports a parent that is the last joint or out of range, because engines react to
// it differently.
static void check_parent(md5_checker *checker, const md5_check_joint *joint, bool is_clip,
                         int32_t num_declared, md5_text_location location)
{
    const int32_t parent = joint->parent;
    const bool is_root = parent < 0;
    if (is_root)
        return;

    const bool is_last_joint = parent == (int64_t)num_declared - 1;
    if (!is_clip && is_last_joint) {
        md5i_report_violation(
            checker, "parent-order/last", location,
            "parent of joint '%.60s' is the last joint: expected an earlier joint, found %d",
            joint->name, parent);
        return;
    }

    const bool is_out_of_range = parent >= num_declared;
    if (!is_clip && is_out_of_range) {
        md5i_report_violation(
            checker, "parent-order/last", location,
            "parent of joint '%.60s' is out of range: expected a joint below %d, found %d",
            joint->name, num_declared, parent);
        return;
    }

    const int32_t index = (int32_t)checker->check.num_joints - 1;
    const bool is_earlier = parent < index;
    if (!is_earlier)
        md5i_report_violation(checker, "parent-order", location,
                              "joint '%.60s' comes before its parent: expected the parent first",
                              joint->name);
}

// The components of a joint are x, y and z of its position, then of its rotation. Bit k of a
// joint's flags is set if the frames of a clip contain component k. Otherwise, the base frame
// contains it.
enum {
    NUM_POSITION_COMPONENTS = 3,
    NUM_COMPONENTS = 6,
    MAX_TRACK_FLAGS = (1 << NUM_COMPONENTS) - 1
};

// Returns true if the frames of a clip contain a component of a joint.
static bool is_in_frames(const md5_check_joint *joint, uint32_t component)
{
    return (joint->flags >> component & 1) != 0;
}

// Positions of the numbers in an entry of a clip's hierarchy: "NAME" PARENT FLAGS FIRST_COMPONENT
enum { TRACK_PARENT, TRACK_FLAGS, TRACK_FIRST_COMPONENT, NUM_TRACK_NUMBERS };

// Sets and checks the flags of a clip's joint, and the index of its first component in a frame.
// `values` are the numbers of its entry in the hierarchy.
static void scan_track(md5_checker *checker, const file_contents *clip, const double *values,
                       md5_text_location location, md5_check_joint *joint)
{
    const double first = values[TRACK_FIRST_COMPONENT];
    joint->flags = (uint32_t)(int32_t)values[TRACK_FLAGS];
    joint->first = (uint32_t)(int32_t)first;
    if (joint->flags > MAX_TRACK_FLAGS)
        md5i_report_violation(checker, "flags", location,
                              "joint flags are out of range: expected 0 to 63, found %g",
                              values[TRACK_FLAGS]);

    // A joint without animated components does not use its first component. A clip without any
    // components does not have a valid index either.
    const uint32_t count = md5i_count_flags(joint->flags & MAX_TRACK_FLAGS);
    const bool fits_frame = first >= 0 && first + count <= clip->num_components;
    const bool is_first_in_frame = first >= 0 && first < clip->num_components;
    if (count > 0 && !fits_frame)
        md5i_report_violation(checker, "components", location,
                              "components of a joint are out of range: found %u components from "
                              "%d, but numAnimatedComponents is %d",
                              count, (int)first, clip->num_components);
    else if (clip->num_components > 0 && !is_first_in_frame)
        md5i_report_violation(
            checker, "first-component", location,
            "first component is out of range: expected an index below %d, found %d",
            clip->num_components, (int)first);
}

// Reports a number of joints that differs from numJoints, or exceeds the limit of some engines.
static void check_joint_count(md5_checker *checker, int32_t num_declared)
{
    const uint32_t count = checker->check.num_joints;
    if (num_declared != (int32_t)count) {
        md5_text_location location = checker->location;
        if (num_declared >= 0 && (uint32_t)num_declared < count) // the first undeclared joint
            location = md5_at_line(checker->check.joints[num_declared].line);
        md5i_report_violation(checker, "joint-count", location,
                              "numJoints does not match the file: declared %d, found %u",
                              num_declared, count);
    }
    if (count > 256)
        md5i_report_violation(checker, "many-joints", checker->location,
                              "too many joints: expected at most 256, found %u", count);
}

// Checks the parent of the joint that was added last. Reports the second root of a file. *num_roots
// is the number of roots that were read before, and is updated.
static void check_parent_and_roots(md5_checker *checker, const md5_check_joint *joint, bool is_clip,
                                   int32_t num_declared, md5_text_location location,
                                   uint32_t *num_roots)
{
    const bool is_root = joint->parent < 0;
    if (is_root)
        (*num_roots)++;
    if (is_root && *num_roots == 2)
        md5i_report_violation(checker, is_clip ? "roots/clip" : "roots", location,
                              "joint '%.60s' is a second root: expected one root", joint->name);
    check_parent(checker, joint, is_clip, num_declared, location);
}

// Reads and checks the parent, the position and the rotation of a joint of a mesh file. Its name
// was read before. Reports violations at the parent.
static bool scan_mesh_joint(md5_checker *checker, int32_t num_declared, md5_check_joint *joint,
                            uint32_t *num_roots)
{
    TRY(read_word(checker));
    const md5_text_location location = checker->location;
    joint->parent = parse_integer(checker);
    check_parent_and_roots(checker, joint, false, num_declared, location, num_roots);

    double rotation[3]; // x, y, z
    TRY(read_entry(checker, "(xxx)(fff)", false, rotation));
    check_rotation(checker, location, rotation);
    return true;
}

// Reads and checks a joint of a clip, whose name has been read: its parent and its track. Reports
// violations at the name.
static bool scan_clip_joint(md5_checker *checker, const file_contents *clip, md5_check_joint *joint,
                            uint32_t *num_roots)
{
    const md5_text_location location = checker->location;
    double values[NUM_TRACK_NUMBERS];
    TRY(read_entry(checker, "iii", false, values));
    joint->parent = (int32_t)values[TRACK_PARENT];
    check_parent_and_roots(checker, joint, true, clip->num_joints, location, num_roots);
    scan_track(checker, clip, values, location, joint);
    return true;
}

// Reads the joints of a mesh file, or the hierarchy of a clip if `is_clip` is true, and checks each
// joint. Returns false if the rest of the text cannot be interpreted.
static bool scan_joints(md5_checker *checker, const file_contents *file, bool is_clip)
{
    uint32_t num_roots = 0;
    while (read_section_word(checker)) {
        md5_check_joint *const joint = add_joint(checker);
        TRY(joint);
        if (is_clip)
            TRY(scan_clip_joint(checker, file, joint, &num_roots));
        else
            TRY(scan_mesh_joint(checker, file->num_joints, joint, &num_roots));
    }
    check_joint_count(checker, file->num_joints);
    return checker->word.size > 0;
}

// -- Mesh files -----------------------------------------------------------------------------------

// Kinds of entries of a mesh, and the positions of their numbers in an entry:
//
//   vert INDEX ( S T ) FIRST_WEIGHT NUM_WEIGHTS
//   tri INDEX VERTEX VERTEX VERTEX
//   weight INDEX JOINT BIAS ( X Y Z )
//
// Numbers in parentheses are checked, but their values are not stored and have no position.
enum { SCAN_VERTICES, SCAN_TRIANGLES, SCAN_WEIGHTS, NUM_KINDS };
enum {
    ENTRY_INDEX,
    FIRST_WEIGHT = 1,
    NUM_WEIGHTS,
    FIRST_CORNER = 1,
    CORNER_END = FIRST_CORNER + 3,
    WEIGHT_JOINT = 1,
    WEIGHT_BIAS,
    MAX_ENTRY_NUMBERS = 7,
};

// Keywords of a mesh: the kinds of entries, then the parts of a mesh in their order. The `}` after
// the last part is included for messages.
enum {
    FIRST_PART = NUM_KINDS,
    PART_NAME = FIRST_PART,
    PART_SHADER,
    PART_COUNTS, // one part for each kind of entries
    NUM_MESH_KEYWORDS = PART_COUNTS + NUM_KINDS,
    PART_END = NUM_MESH_KEYWORDS,
};
static const char *const mesh_keywords[] = {
    "vert", "tri", "weight", "name", "shader", "numverts", "numtris", "numweights", "}",
};

// A vertex of a mesh file, which is checked after all weights were read.
typedef struct mesh_vertex {
    uint32_t first_weight;
    uint32_t num_weights;
    uint32_t line;
} mesh_vertex;

// Values of a mesh that rules compare with other parts of the mesh. Arrays have one element for
// each kind of entry: vertices, triangles and weights.
typedef struct mesh_contents {
    uint32_t num_declared[NUM_KINDS];
    uint32_t num_read[NUM_KINDS];
    uint32_t count_lines[NUM_KINDS]; // lines of numverts, numtris and numweights
    mesh_vertex *vertices;           // [num_read[VERTICES]]
    float *biases;                   // [num_read[WEIGHTS]]
} mesh_contents;

// Stores the weights of a vertex, which scan_vertices() checks after the mesh. `values` are the
// numbers of its entry. Returns false if memory runs out.
static bool add_vertex(md5_checker *checker, md5_text_location location, const double *values,
                       mesh_contents *mesh)
{
    const uint32_t index = mesh->num_read[SCAN_VERTICES];
    TRY(ADD_ENTRY(&checker->scratch, mesh_vertex, mesh->vertices, index));
    mesh->vertices[index] = (mesh_vertex){
        .first_weight = (uint32_t)fmax(values[FIRST_WEIGHT], 0.0),
        .num_weights = (uint32_t)fmax(values[NUM_WEIGHTS], 0.0),
        .line = location.line,
    };
    if (values[NUM_WEIGHTS] < 1)
        md5i_report_violation(checker, "no-weights", location,
                              "vertex %u has no weights: expected at least 1", index);
    return true;
}

// Checks that the three vertex indices of a triangle are below the declared number of vertices.
// `values` contains the numbers of the line.
static void check_triangle(md5_checker *checker, md5_text_location location, const double *values,
                           const mesh_contents *mesh)
{
    const uint32_t num_vertices = mesh->num_declared[SCAN_VERTICES];
    for (uint32_t k = FIRST_CORNER; k < CORNER_END; k++) {
        if (values[k] < 0 || values[k] >= num_vertices)
            md5i_report_violation(
                checker, "triangle-corner", location,
                "triangle refers to an unknown vertex: found %d, but numverts is %u",
                (int)values[k], num_vertices);
    }
}

// Stores and checks a weight. `values` are the numbers of its entry. Returns false if memory runs
// out.
static bool add_weight(md5_checker *checker, md5_text_location location, const double *values,
                       mesh_contents *mesh)
{
    const uint32_t index = mesh->num_read[SCAN_WEIGHTS];
    TRY(ADD_ENTRY(&checker->scratch, float, mesh->biases, index));
    const double joint = values[WEIGHT_JOINT];
    const double bias = values[WEIGHT_BIAS];
    mesh->biases[index] = (float)bias;
    if (joint < 0 || joint >= checker->check.num_joints)
        md5i_report_violation(
            checker, "weight-joint", location,
            "weight refers to an unknown joint: expected an index below %u, found %d",
            checker->check.num_joints, (int)joint);
    if (bias < 0)
        md5i_report_violation(checker, "negative-weight", location,
                              "weight is negative: expected 0 or more, found %g", bias);
    return true;
}

// Reads and checks one line of a mesh. `kind` is SCAN_VERTICES, SCAN_TRIANGLES or SCAN_WEIGHTS. The
// keyword of the line was read before.
static bool read_mesh_entry(md5_checker *checker, int kind, mesh_contents *mesh)
{
    static const char *const shapes[NUM_KINDS] = {"i(xx)ii", "iiii", "iif(xxx)"};
    double values[MAX_ENTRY_NUMBERS] = {0};
    const uint32_t expected_index = mesh->num_read[kind];
    const md5_text_location keyword = checker->location;
    checker->entry_line = keyword.line;
    TRY(read_entry(checker, shapes[kind], false, values));

    const int32_t index = (int32_t)values[ENTRY_INDEX];
    if (index != (int32_t)expected_index)
        md5i_report_violation(checker, "row-order", keyword,
                              "'%s %d' is out of order: expected index %u", mesh_keywords[kind],
                              (int)index, expected_index);

    switch (kind) {
    case SCAN_VERTICES:
        TRY(add_vertex(checker, keyword, values, mesh));
        break;
    case SCAN_WEIGHTS:
        TRY(add_weight(checker, keyword, values, mesh));
        break;
    default:
        check_triangle(checker, keyword, values, mesh);
        break;
    }
    mesh->num_read[kind]++;
    return true;
}

// Reports a vertex if the sum of its weights is not 1. All its weights must exist.
static void check_weight_sum(md5_checker *checker, const mesh_contents *mesh, uint32_t vertex)
{
    static const float tolerance = 1e-3f;
    const uint32_t first = mesh->vertices[vertex].first_weight;
    const uint32_t count = mesh->vertices[vertex].num_weights;
    checker->num_references += count;
    // In a hostile file, many vertices can share many weights, and adding them would take long. The
    // library rejects a file with more references to weights than bytes, so the sums of such a file
    // are not needed.
    const size_t text_size = (size_t)(checker->lex.end - checker->lex.text);
    if (count == 0 || checker->num_references > text_size)
        return;
    float sum = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += mesh->biases[first + k];
    if (fabsf(sum - 1) > tolerance)
        md5i_report_violation(checker, "weight-sum", md5_at_line(mesh->vertices[vertex].line),
                              "weights of vertex %u have a wrong sum: expected 1, found %g", vertex,
                              sum);
}

// Reports vertices whose weights do not exist, do not sum to 1, or are too many for an engine.
static void scan_vertices(md5_checker *checker, const mesh_contents *mesh)
{
    const uint32_t num_weights = mesh->num_read[SCAN_WEIGHTS];
    for (uint32_t i = 0; i < mesh->num_read[SCAN_VERTICES]; i++) {
        const uint32_t first = mesh->vertices[i].first_weight;
        const uint32_t count = mesh->vertices[i].num_weights;
        const md5_text_location location = md5_at_line(mesh->vertices[i].line);
        if (first > num_weights || count > num_weights - first) {
            md5i_report_violation(checker, "weight-range", location,
                                  "vertex refers to unknown weights: found %u weights from weight "
                                  "%u, but numweights is %u",
                                  count, first, num_weights);
            continue;
        }
        check_weight_sum(checker, mesh, i);
        if (count > 4)
            md5i_report_violation(checker, "4-weights", location,
                                  "vertex %u has too many weights: expected at most 4, found %u", i,
                                  count);
        if (count > 8)
            md5i_report_violation(checker, "8-weights", location,
                                  "vertex %u has too many weights: expected at most 8, found %u", i,
                                  count);
    }
}

// Compares the numbers of entries with the declared counts and the limits of engines.
static void check_counts(md5_checker *checker, const mesh_contents *mesh)
{
    enum { MAX_VERTICES = 65535 };
    static const char *const names[NUM_KINDS] = {"vertices", "triangles", "weights"};
    static const uint32_t q2pro_limits[NUM_KINDS] = {6144, 6144, 8192};
    for (uint32_t kind = 0; kind < NUM_KINDS; kind++) {
        // The entries of a kind end at the next count or, for the last kind, at the end of the
        // mesh.
        const bool is_last = kind + 1 == NUM_KINDS;
        const md5_text_location end =
            md5_at_line(is_last ? checker->location.line : mesh->count_lines[kind + 1]);
        const uint32_t count = mesh->num_read[kind];
        if (kind == SCAN_TRIANGLES && count == 0)
            md5i_report_violation(checker, "empty-mesh", end,
                                  "mesh has no triangles: expected at least 1");
        if (count != mesh->num_declared[kind])
            md5i_report_violation(checker, "row-count", end,
                                  "wrong number of %s: declared %u, found %u", names[kind],
                                  mesh->num_declared[kind], count);
        if (count > q2pro_limits[kind])
            md5i_report_violation(checker, "q2pro-limit", end,
                                  "too many %s in a mesh: expected at most %u, found %u",
                                  names[kind], q2pro_limits[kind], count);
        if (kind == SCAN_VERTICES && count > MAX_VERTICES)
            md5i_report_violation(checker, "many-vertices", end,
                                  "too many vertices in a mesh: expected at most 65535, found %u",
                                  count);
    }
}

// Returns true if a path begins with a slash or with a drive letter of Windows.
static bool is_absolute_path(const char *path)
{
    if (*path == '/' || *path == '\\')
        return true;
    return *path != '\0' && path[1] == ':';
}

// Adds the shader of a mesh to the check, and checks its name, which is the current word. Returns
// false if memory runs out.
static bool add_shader(md5_checker *checker)
{
    // Quake's engines add a prefix and a suffix to the name, progs/NAME_00_00, and store at most 63
    // bytes. A name without the prefix may be longer.
    enum { MAX_LENGTH = 63 - 12, MAX_LENGTH_WITHOUT_PREFIX = 63 - 6 };
    md5_check *const check = &checker->check;
    const md5_text_location location = checker->location;
    const size_t length = checker->word.size;
    char *const name = copy_word(checker);
    TRY(name && ADD_ENTRY(&checker->arena, md5_check_shader, check->shaders, check->num_shaders));

    check->shaders[check->num_shaders++] = (md5_check_shader){name, location.line, location.column};
    check_name(checker);
    if (length > MAX_LENGTH_WITHOUT_PREFIX)
        md5i_report_violation(checker, "long-skin/58", location,
                              "shader name is too long: expected at most %d bytes, or %d in "
                              "engines that add 'progs/', found %zu",
                              MAX_LENGTH_WITHOUT_PREFIX, MAX_LENGTH, length);
    else if (length > MAX_LENGTH)
        md5i_report_violation(checker, "long-skin", location,
                              "shader name is too long: expected at most %d bytes, found %zu",
                              MAX_LENGTH, length);
    if (length == 0)
        md5i_report_violation(checker, "shader-name", location,
                              "shader name is empty: expected the name of a material");
    else if (is_absolute_path(name))
        md5i_report_violation(
            checker, "shader-name", location,
            "shader name is an absolute path: expected a relative path, found '%.100s'", name);
    return true;
}

// Reports that a part of a mesh is missing before the part `part`. `last` is the last part in the
// order of parts that was found so far, so the part after it is missing.
static void report_missing_part(md5_checker *checker, int part, int last)
{
    md5i_report_violation(checker, "section-order", checker->location,
                          "'%s' is out of order: expected '%s' before it", mesh_keywords[part],
                          mesh_keywords[last + 1]);
}

// Reports a part of a mesh that does not follow the previous part. *last is the last part in the
// order of parts that was found so far.
static void check_part_order(md5_checker *checker, int part, int *last)
{
    if (part < *last)
        md5i_report_violation(checker, "section-order", checker->location,
                              "'%s' is out of order: found after '%s'", mesh_keywords[part],
                              mesh_keywords[*last]);
    else if (part > *last + 1)
        report_missing_part(checker, part, *last);
    *last = part > *last ? part : *last;
}

// Returns the index of the current word in mesh_keywords, or NUM_MESH_KEYWORDS.
static int find_mesh_keyword(const md5_checker *checker)
{
    int keyword = 0;
    while (keyword < NUM_MESH_KEYWORDS && !is_keyword(checker, mesh_keywords[keyword]))
        keyword++;
    return keyword;
}

// Reads the value of a part of a mesh, whose keyword was read before. The value is a name, a
// shader, or the declared number of entries of one kind. Returns false if the rest of the text
// cannot be interpreted.
static bool read_mesh_part(md5_checker *checker, int part, mesh_contents *mesh)
{
    if (part == PART_NAME)
        return read_word(checker);
    if (part == PART_SHADER)
        return read_word(checker) && add_shader(checker);
    const int kind = part - PART_COUNTS;
    mesh->count_lines[kind] = checker->location.line;
    mesh->num_declared[kind] = (uint32_t)fmax(read_count(checker), 0);
    return true;
}

// Reads and checks a mesh of a mesh file, including its closing brace. Returns false if the rest of
// the text cannot be interpreted.
static bool scan_mesh(md5_checker *checker, mesh_contents *mesh)
{
    int last_part = FIRST_PART;
    while (read_section_word(checker)) {
        const int keyword = find_mesh_keyword(checker);
        if (keyword == NUM_MESH_KEYWORDS) {
            checker->has_unknown = true;
            md5i_report_violation(checker, "unknown-word", checker->location,
                                  "unknown keyword '%.*s' in a mesh", shown_length(checker, 60),
                                  checker->word.bytes);
            return false;
        }
        if (keyword < FIRST_PART) { // a vertex, triangle or weight
            TRY(read_mesh_entry(checker, keyword, mesh));
            continue;
        }

        if (keyword == PART_NAME)
            md5i_report_violation(checker, "mesh-name", checker->location,
                                  "unsupported keyword in a mesh: found 'name'");
        check_part_order(checker, keyword, &last_part);
        TRY(read_mesh_part(checker, keyword, mesh));
    }

    if (last_part + 1 < PART_END)
        report_missing_part(checker, PART_END, last_part);
    scan_vertices(checker, mesh);
    check_counts(checker, mesh);
    return checker->word.size > 0;
}

// -- Clips ----------------------------------------------------------------------------------------

// Returns true if a bounding box is empty along all axes: no maximum is above its minimum.
// `corners` are x, y and z of the minimum, then of the maximum.
static bool are_corners_empty(const double *corners)
{
    return corners[0] >= corners[3] && corners[1] >= corners[4] && corners[2] >= corners[5];
}

// Reads the bounding boxes of a clip. Reports empty boxes, and another number of boxes than frames.
static bool read_boxes(md5_checker *checker, file_contents *clip)
{
    const md5_text_location section = md5_at_line(checker->entry_line);
    uint32_t num_empty = 0;
    while (read_section_word(checker)) {
        double box[6]; // minimum, maximum
        checker->entry_line = checker->location.line;
        TRY(read_entry(checker, "(fff)(fff)", true, box));
        if (are_corners_empty(box))
            num_empty++;
        clip->num_boxes++;
    }

    if (num_empty > 0)
        md5i_report_violation(checker, "bounds", section, "%u of %u bounding boxes are empty",
                              num_empty, clip->num_boxes);
    if (clip->num_boxes != (uint32_t)clip->num_parts)
        md5i_report_violation(
            checker, "bounds-count", section,
            "number of bounding boxes does not match numFrames: expected %d, found %u",
            clip->num_parts, clip->num_boxes);
    return checker->word.size > 0;
}

// Reports a joint with components other than 0 that only the base frame contains, and not the
// frames. Some engines ignore the base frame, and use 0 for these components.
static void check_base_frame(md5_checker *checker, const md5_check_joint *joint,
                             const double *base_values)
{
    static const double max_ignored = 1e-4; // counts as 0
    for (uint32_t k = 0; k < NUM_COMPONENTS; k++) {
        if (is_in_frames(joint, k) || !(fabs(base_values[k]) > max_ignored))
            continue;
        md5i_report_violation(checker, "base-frame-needed", checker->location,
                              "base frame of joint '%.60s' is not 0: some engines ignore its %s, "
                              "which the frames do not contain",
                              joint->name, k < NUM_POSITION_COMPONENTS ? "position" : "rotation");
    }
}

// Reads the base frame of a clip. It contains an entry `( x y z ) ( x y z )` for each joint, its
// position and its rotation. Entries after the declared number of joints are counted, but not
// compared with the hierarchy. Returns false if the file ends before the closing brace.
static bool scan_base_frame(md5_checker *checker, file_contents *clip)
{
    while (read_section_word(checker)) {
        checker->entry_line = checker->location.line;
        double values[NUM_COMPONENTS];
        TRY(read_entry(checker, "(fff)(fff)", true, values));
        check_rotation(checker, checker->location, values + NUM_POSITION_COMPONENTS);
        if (clip->num_base < checker->check.num_joints)
            check_base_frame(checker, &checker->check.joints[clip->num_base], values);
        if (clip->num_base == 0)
            memcpy(clip->base_root, values, sizeof clip->base_root);
        clip->num_base++;
    }
    return checker->word.size > 0;
}

// Stores the number of a frame. Also stores the locations of the first wrong numbers, which
// check_frame_numbers() reports after the last frame. Returns false if memory runs out.
static bool add_frame_number(md5_checker *checker, file_contents *clip, int32_t index)
{
    const uint32_t position = clip->num_read;
    TRY(ADD_ENTRY(&checker->scratch, uint32_t, clip->indices, position));
    clip->indices[position] = (uint32_t)index;
    if (index != (int32_t)position && clip->misnumbered.line == 0)
        clip->misnumbered = checker->location;

    const bool is_next = position == 0 || (uint32_t)index == clip->indices[position - 1] + 1;
    if (!is_next && clip->jump.line == 0)
        clip->jump = checker->location;
    return true;
}

// Reads and checks a frame of a clip, whose keyword was read before. Stores the values of the first
// frame only. In all other frames, checks only the form of numbers, because some engines cannot
// read all forms.
static bool scan_frame(md5_checker *checker, file_contents *clip)
{
    const uint32_t position = clip->num_read;
    const int32_t index = read_count(checker);
    TRY(add_frame_number(checker, clip, index));

    uint32_t count = 0;
    TRY(read_open_brace(checker));
    for (; read_section_word(checker); count++) {
        if (position == 0) {
            TRY(ADD_ENTRY(&checker->scratch, double, clip->frame, count));
            clip->frame[count] = parse_number(checker);
        } else if (is_unusual_number(checker)) {
            check_number(checker);
        }
    }

    if ((int32_t)count != clip->num_components)
        md5i_report_violation(
            checker, "frame-size", md5_at_line(clip->components_line),
            "wrong number of values in frame %d: expected %d (numAnimatedComponents), found %u",
            index, clip->num_components, count);
    if (position == 0)
        clip->num_frame_values = count;
    clip->num_read++;
    return checker->word.size > 0;
}

// Returns the number of different frame numbers from 0 to num_read - 1. Returns 0 if memory runs
// out.
static uint32_t count_distinct_numbers(md5_checker *checker, const file_contents *clip)
{
    bool *const found = MD5_ALLOC_ZEROED(&checker->scratch, bool, clip->num_read);
    uint32_t num_found = 0;
    if (!found)
        return 0;
    for (uint32_t i = 0; i < clip->num_read; i++) {
        const uint32_t index = clip->indices[i];
        if (index < clip->num_read && !found[index]) {
            found[index] = true;
            num_found++;
        }
    }
    return num_found;
}

// Reports frames that are not numbered 0, 1, 2 and so on, or that are in another order. Some
// engines use the number as the index of the frame, so that the order does not matter to them.
static void check_frame_numbers(md5_checker *checker, const file_contents *clip)
{
    const uint32_t num_found = count_distinct_numbers(checker, clip);
    if (num_found < clip->num_read)
        md5i_report_violation(checker, "frame-number", clip->misnumbered,
                              "frame numbers are wrong: expected 0 to %u", clip->num_read - 1);
    else if (clip->jump.line > 0)
        md5i_report_violation(checker, "frame-order", clip->jump,
                              "frame numbers are out of order: expected ascending numbers");
}

// Compares the position of the root in frame 0 with its position in the base frame. Returns the
// largest difference of a coordinate.
static double compare_base_root(const file_contents *clip, const md5_check_joint *root)
{
    double distance = 0;
    // A frame contains the flagged components of a joint without gaps, from root->first on.
    uint32_t value = root->first;
    for (uint32_t k = 0; k < NUM_POSITION_COMPONENTS; k++) {
        if (is_in_frames(root, k) && value < clip->num_frame_values) {
            distance = fmax(distance, fabs(clip->frame[value] - clip->base_root[k]));
            value++;
        }
    }
    return distance;
}

// Reports a clip whose root is at different positions in frame 0 and in the base frame. id's engine
// measures the movement of the root from the base frame.
static void check_base_root(md5_checker *checker, const file_contents *clip)
{
    static const double max_distance = 0.01; // in model space
    if (checker->check.num_joints == 0 || clip->num_base == 0)
        return;
    const md5_check_joint *const root = &checker->check.joints[0];
    const double distance = compare_base_root(clip, root);
    if (distance > max_distance)
        md5i_report_violation(
            checker, "base-frame-root", md5_at_line(root->line),
            "root of frame 0 is %g units from the root of the base frame: expected equal positions",
            distance);
}

// == Files ========================================================================================

// Sections in the order that id's engine requires. The first two are the same in both kinds.
enum { SECTION_VERSION, SECTION_COMMAND_LINE, NUM_COMMON_SECTIONS };
enum {
    MESH_NUM_JOINTS = NUM_COMMON_SECTIONS,
    MESH_NUM_MESHES,
    MESH_JOINTS,
    MESH_MESH,
    NUM_MESH_SECTIONS
};
enum {
    CLIP_NUM_FRAMES = NUM_COMMON_SECTIONS,
    CLIP_NUM_JOINTS,
    CLIP_FRAME_RATE,
    CLIP_NUM_COMPONENTS,
    CLIP_HIERARCHY,
    CLIP_BOUNDS,
    CLIP_BASE_FRAME,
    CLIP_FRAME,
    NUM_CLIP_SECTIONS,
};
static const char *const mesh_sections[NUM_MESH_SECTIONS] = {
    "MD5Version", "commandline", "numJoints", "numMeshes", "joints", "mesh",
};
static const char *const clip_sections[NUM_CLIP_SECTIONS] = {
    "MD5Version", "commandline", "numFrames", "numJoints", "frameRate", "numAnimatedComponents",
    "hierarchy",  "bounds",      "baseframe", "frame",
};

// Reports a number of meshes that an engine does not support. numMeshes declares it.
static void check_mesh_count(md5_checker *checker, const file_contents *file)
{
    enum { MAX_Q2PRO_MESHES = 32 };
    const int32_t num_meshes = file->num_parts;
    if (num_meshes > MAX_Q2PRO_MESHES)
        md5i_report_violation(checker, "q2pro-limit", checker->location,
                              "too many meshes: expected at most 32, found %d", num_meshes);
    if (num_meshes == 0)
        md5i_report_violation(checker, "no-meshes", checker->location,
                              "numMeshes is out of range: expected at least 1, found 0");
    if (num_meshes > file->num_joints)
        md5i_report_violation(checker, "more-meshes-than-joints", checker->location,
                              "more meshes than joints: numMeshes is %d, numJoints is %d",
                              num_meshes, file->num_joints);
}

// Reads a section of a mesh file. Its keyword has been read.
static bool read_mesh_section(md5_checker *checker, int section, file_contents *file)
{
    mesh_contents mesh = {0};
    switch (section) {
    case MESH_NUM_JOINTS:
        checker->joints_line = checker->location.line;
        file->num_joints = read_count(checker);
        return true;
    case MESH_NUM_MESHES:
        file->num_parts = read_count(checker);
        checker->num_meshes = checker->location;
        check_mesh_count(checker, file);
        return true;
    case MESH_JOINTS:
        TRY(read_open_brace(checker));
        return scan_joints(checker, file, false);
    default:
        file->num_read++;
        TRY(read_open_brace(checker));
        return scan_mesh(checker, &mesh);
    }
}

// Reads and checks one section of a clip, such as its frame rate or its hierarchy. Its keyword has
// been read.
static bool read_clip_section(md5_checker *checker, int section, file_contents *clip)
{
    enum { MAX_Q2PRO_FRAMES = 1024 };
    switch (section) {
    case CLIP_NUM_FRAMES:
        clip->num_parts = read_count(checker);
        checker->check.num_frames = clip->num_parts;
        if (clip->num_parts > MAX_Q2PRO_FRAMES)
            md5i_report_violation(checker, "q2pro-limit", checker->location,
                                  "too many frames: expected at most 1024, found %d",
                                  clip->num_parts);
        return true;
    case CLIP_NUM_JOINTS:
        checker->joints_line = checker->location.line;
        clip->num_joints = read_count(checker);
        return true;
    case CLIP_FRAME_RATE: {
        const double rate = read_word(checker) ? parse_number(checker) : 0;
        if (rate < 1)
            md5i_report_violation(checker, "frame-rate", checker->location,
                                  "frameRate is out of range: expected 1 or more, found %g", rate);
        return true;
    }
    case CLIP_NUM_COMPONENTS:
        clip->components_line = checker->location.line;
        clip->num_components = read_count(checker);
        return true;
    case CLIP_HIERARCHY:
        return read_open_brace(checker) && scan_joints(checker, clip, true);
    case CLIP_BOUNDS:
        checker->check.bounds_line = checker->location.line;
        TRY(read_open_brace(checker));
        return read_boxes(checker, clip);
    case CLIP_BASE_FRAME:
        return read_open_brace(checker) && scan_base_frame(checker, clip);
    default:
        return scan_frame(checker, clip);
    }
}

// State of read_sections(): the sections of a file that were found so far. A section is a keyword
// of the file's header or a block, such as numJoints or joints.
typedef struct section_reader {
    file_contents *file;
    const char *const *names; // [count] keywords of the sections, in their order
    int count;
    bool is_clip;
    int last;              // the found section that is last in the order of sections; -1: none
    int missing;           // the first missing section; 0: none
    md5_text_location gap; // location of the section that follows the missing section
    bool has_command_line; // commandline was found, or its absence was reported
} section_reader;

// Checks the order of the sections when a section was found. Reports a section that is out of
// order, and a file whose first section is not its version. Stores the first missing section, which
// read_sections() reports at the end of the file. A missing command line has a separate rule: see
// check_command_line().
static void check_section_order(md5_checker *checker, int section, section_reader *reader)
{
    const bool is_out_of_order = section < reader->last;
    const bool is_version_missing = reader->last < 0 && section != SECTION_VERSION;
    if (is_out_of_order)
        md5i_report_violation(checker, reader->is_clip ? "section-order/clip" : "section-order",
                              checker->location, "section '%s' is out of order: found after '%s'",
                              reader->names[section], reader->names[reader->last]);
    if (is_version_missing)
        md5i_report_violation(checker, "no-version", md5_at_line(1),
                              "missing 'MD5Version': expected it at the start of the file");

    const bool is_first = reader->last < NUM_COMMON_SECTIONS;
    const int expected = is_first ? NUM_COMMON_SECTIONS : reader->last + 1;
    const bool is_gap = section > expected;
    if (is_gap && reader->missing == 0) {
        reader->missing = expected;
        reader->gap = checker->location;
    }
    if (section > reader->last)
        reader->last = section;
}

// Reads and checks the version. Returns false if it is not 10, because the rest of such a file may
// have any format.
static bool scan_version(md5_checker *checker)
{
    const int32_t version = read_count(checker);
    if (version == 10)
        return true;
    md5i_report_violation(checker, "version", checker->location,
                          "unsupported MD5 version: expected 10, found %d", version);
    return false;
}

// Reads and checks the `commandline` of the header, which records how the file was exported.
static void read_command_line(md5_checker *checker, section_reader *reader)
{
    reader->has_command_line = read_word(checker);
    check_name(checker);
    if (checker->word.size > 1023)
        md5i_report_violation(
            checker, "long-commandline", checker->location,
            "command line is too long: expected at most 1023 bytes, found %zu bytes",
            checker->word.size);
}

// Reports a missing command line before the first section that must follow it.
static void check_command_line(md5_checker *checker, int section, section_reader *reader)
{
    if (!reader->has_command_line)
        md5i_report_violation(checker, "no-commandline", md5_at_line(1),
                              "missing 'commandline': expected it before '%s'",
                              reader->names[section]);
    reader->has_command_line = true;
}

// Reads a section of any kind. Returns false if the rest of the text cannot be interpreted.
static bool read_section(md5_checker *checker, int section, section_reader *reader)
{
    if (section == SECTION_VERSION)
        return scan_version(checker);
    if (section == SECTION_COMMAND_LINE) {
        read_command_line(checker, reader);
        return true;
    }
    check_command_line(checker, section, reader);
    return reader->is_clip ? read_clip_section(checker, section, reader->file)
                           : read_mesh_section(checker, section, reader->file);
}

// Reports an unknown keyword. If the current word is `{`, also skips its block.
static void skip_unknown_section(md5_checker *checker)
{
    md5i_report_violation(checker, "unknown-word", checker->location, "unknown keyword '%.*s'",
                          shown_length(checker, 60), checker->word.bytes);
    checker->has_unknown = true;
    if (is_mark(checker, '{'))
        skip_unknown_block(checker);
}

// Returns true after the last declared mesh or frame, where engines stop reading.
static bool is_file_complete(const file_contents *file)
{
    return file->num_read > 0 && (int32_t)file->num_read >= file->num_parts;
}

// Returns the section whose keyword is the current word, or reader->count.
static int find_section(const md5_checker *checker, const section_reader *reader)
{
    int section = 0;
    while (section < reader->count && !is_keyword(checker, reader->names[section]))
        section++;
    return section;
}

// Compares the number of meshes of a mesh file with the declared number. In a clip, reports a frame
// after the last declared frame, because some engines read it.
static void check_num_parts(md5_checker *checker, const file_contents *file, bool is_clip)
{
    if (!is_clip && (int32_t)file->num_read < file->num_parts)
        md5i_report_violation(checker, "mesh-count", checker->num_meshes,
                              "numMeshes does not match the file: declared %d, found %u",
                              file->num_parts, file->num_read);
    if (is_clip && read_word(checker) && is_keyword(checker, "frame"))
        md5i_report_violation(checker, "more-frames", checker->location,
                              "file has more frames than declared: numFrames is %d",
                              file->num_parts);
}

// Reads the sections of a file in any order. Returns false if the rest of the text cannot be
// interpreted.
static bool read_sections(md5_checker *checker, file_contents *file)
{
    const bool is_clip = checker->check.kind == MD5_DOC_ANIM;
    section_reader reader = {
        .file = file,
        .names = mesh_sections,
        .count = NUM_MESH_SECTIONS,
        .is_clip = is_clip,
        .last = -1,
    };
    if (is_clip) {
        reader.names = clip_sections;
        reader.count = NUM_CLIP_SECTIONS;
    }

    bool is_read = true;
    while (is_read && !is_file_complete(file) && read_word(checker)) {
        const int section = find_section(checker, &reader);
        if (section == reader.count) {
            skip_unknown_section(checker);
            continue;
        }
        check_section_order(checker, section, &reader);
        is_read = read_section(checker, section, &reader);
        if (!is_read && section == SECTION_VERSION)
            return false; // other versions may have other sections
    }

    // If the file contains an unknown keyword, this may be the missing section with a wrong
    // spelling.
    if (reader.missing > 0 && !checker->has_unknown)
        md5i_report_violation(checker, "missing-section", reader.gap,
                              "missing section '%s': expected it before this line",
                              reader.names[reader.missing]);
    if (is_read)
        check_num_parts(checker, file, is_clip);
    return is_read;
}

// Checks the frames of a clip whose whole text was read: their count, their numbers, and the root
// of the first frame.
static void check_frames(md5_checker *checker, const file_contents *clip)
{
    if ((int32_t)clip->num_read < clip->num_parts)
        md5i_report_violation(checker, "frame-count", checker->location,
                              "numFrames does not match the file: declared %d, found %u",
                              clip->num_parts, clip->num_read);
    check_frame_numbers(checker, clip);
    check_base_root(checker, clip);
}

// Checks the text of a mesh file or a clip.
static void check_text(md5_checker *checker, const char *text, size_t size)
{
    const bool is_clip = checker->check.kind == MD5_DOC_ANIM;
    const bool begins_with_version = size >= 4 && memcmp(text, "MD5V", 4) == 0;
    file_contents file = {0};
    if (!begins_with_version)
        md5i_report_violation(checker, "text-before", md5_at_line(0),
                              "file does not begin with MD5Version");
    const bool is_read = read_sections(checker, &file);
    if (is_read && is_clip)
        check_frames(checker, &file);
    md5i_check_names(checker);
}

// Checks the text of a model or an animation against the rules of engines, even if it is too
// damaged to be loaded. Returns NULL only if memory runs out.
md5_check *md5_check_doc(md5_doc_kind kind, const void *text, size_t size, md5_engines engines,
                         const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);

    md5_checker *const checker = md5i_begin_check(opts, error);
    if (!checker)
        return NULL;
    checker->check.kind = kind;
    checker->check.engines = engines;

    // The lexer gets a separate context, because its errors are not errors of this function. The
    // rules report them instead.
    md5_context silent = checker->context;
    md5_arena unused = {.context = &silent};
    silent.caller = NULL;
    md5i_lex_begin(&checker->lex, &unused, (const char *)text, size);
    if (text && kind != MD5_DOC_CAMERA && md5_check_text_size(&checker->context, size))
        check_text(checker, (const char *)text, size);
    md5i_arena_free(&checker->scratch);
    checker->context.caller = NULL;
    if (checker->context.error.status == MD5_OK)
        return &checker->check;
    md5_free_check(&checker->check);
    return NULL;
}
