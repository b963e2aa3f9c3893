// Joint weights from id's channel words. While a mask is made, weights are counted in steps of
// feathering, 0 to `whole`, so that they stay exact.
#include "md5/core/context.h"

// More levels than any skeleton has; the square of it still counts exactly in a float.
enum { MAX_FEATHER = 2047 };

typedef struct mask_word {
    bool takes_away;
    bool has_subtree;
    bool is_quoted;    // without signs before the quotes
    const char *start; // behind the signs: the name, or its quote
    const char *name;
    size_t length;
} mask_word;

// The words of a mask, and where the next one is to be looked for.
typedef struct mask_text {
    const char *at;
    const char *line_start;
    uint32_t line;
} mask_text;

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

static bool is_name(const char *name, const mask_word *word, bool any_case)
{
    for (size_t i = 0; i < word->length; i++) {
        const char a = name[i];
        const char b = word->name[i];
        if (a != b && !(any_case && lower(a) == lower(b)))
            return false;
    }
    return name[word->length] == '\0';
}

// As written, or else, as id's engine looks it up, in any case. -1: none.
static int32_t find_joint(const md5_skeleton *skeleton, const mask_word *word)
{
    int32_t found = -1;
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        if (is_name(skeleton->joints[joint].name, word, false))
            return (int32_t)joint;
        if (found < 0 && is_name(skeleton->joints[joint].name, word, true))
            found = (int32_t)joint;
    }
    return found;
}

// While a subtree is gone through, a joint's number is its steps + (whole + 1) * (1 + levels below
// the top), or -1 if it is taken away; joints come after their parents.
static void apply_word(const md5_skeleton *skeleton, const mask_word *word, uint32_t top, int whole,
                       float *steps)
{
    const int unit = whole + 1;
    if (!word->has_subtree) {
        if (word->takes_away)
            steps[top] = 0;
        else if (steps[top] < 1)
            steps[top] = 1;
        return;
    }
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        if (word->takes_away) {
            if (joint == top || (parent != MD5_NONE && steps[parent] < 0))
                steps[joint] = -1;
            continue;
        }
        const int above = parent == MD5_NONE ? 0 : (int)steps[parent] / unit;
        const int own = joint == top ? 1 : above > 0 ? above + 1 : 0;
        steps[joint] += (float)(unit * (own < whole ? own : whole));
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const int old = (int)steps[joint] % unit;
        const int added = (int)steps[joint] / unit;
        if (!word->takes_away)
            steps[joint] = (float)(old > added ? old : added);
        else if (steps[joint] < 0)
            steps[joint] = 0;
    }
}

// CR LF, LF and CR each end a line.
static void skip_blanks(mask_text *text)
{
    for (; is_space(*text->at); text->at++) {
        if (*text->at == '\n' || (*text->at == '\r' && text->at[1] != '\n')) {
            text->line++;
            text->line_start = text->at + 1;
        }
    }
}

static bool fail_at(md5_context *context, const mask_text *text, const char *at,
                    const char *problem, const char *what)
{
    return md5i_fail(context, MD5_ERROR_SYNTAX, text->line, (uint32_t)(at - text->line_start) + 1,
                     "%s%s", problem, what);
}

static void take_signs(const char **at, mask_word *word)
{
    word->takes_away = **at == '-';
    *at += word->takes_away;
    word->has_subtree = **at == '*';
    *at += word->has_subtree;
}

// Reads the word that begins at text->at, which is then behind it.
static bool read_word(md5_context *context, mask_text *text, mask_word *word)
{
    const char *const start = text->at;
    *word = (mask_word){0};
    take_signs(&text->at, word);
    const char quote = *text->at;
    const bool has_quote = quote == '"' || quote == '\'';
    word->is_quoted = has_quote && text->at == start;
    const char *const first = text->at;
    word->start = first;
    text->at += has_quote;
    word->name = text->at;
    while (*text->at != '\0'
           && (has_quote ? *text->at != quote && *text->at != '\n' && *text->at != '\r'
                         : !is_space(*text->at)))
        text->at++;
    word->length = (size_t)(text->at - word->name);
    if (has_quote && *text->at != quote)
        return fail_at(context, text, first,
                       "unterminated name: expected a quote before the end of the line", "");
    text->at += has_quote;
    if (has_quote && *text->at != '\0' && !is_space(*text->at))
        return fail_at(context, text, text->at, "expected a blank after ",
                       md5i_quote(word->name, word->length).text);
    if (word->length > 0)
        return true;
    if (first == start)
        return fail_at(context, text, first, "empty joint name: expected the name of a joint", "");
    return fail_at(context, text, first - 1, md5i_quote(first - 1, 1).text,
                   " must be followed by a joint name");
}

// In quotes all is the joint's name. If no joint has it, signs count there too, as in id's
// declarations: "*Bip01 L Hand".
static int32_t find_named_joint(const md5_skeleton *skeleton, mask_word *word)
{
    int32_t joint = find_joint(skeleton, word);
    if (joint >= 0 || !word->is_quoted)
        return joint;
    mask_word inner = *word;
    take_signs(&inner.name, &inner);
    inner.length -= (size_t)(inner.name - word->name);
    joint = inner.length > 0 ? find_joint(skeleton, &inner) : -1;
    if (joint >= 0)
        *word = inner;
    return joint;
}

bool md5_build_mask(const md5_skeleton *skeleton, const char *joints, uint32_t feather,
                    float *weights, md5_error *error)
{
    MD5_ASSERT_NULL_OR_PART(skeleton, joints);
    if (!skeleton)
        return md5i_fail_missing(error, "skeleton");
    MD5_ASSERT_NOT_NULL(joints);
    MD5_ASSERT_ARRAY(weights, skeleton->num_joints);
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    const int whole = 1 + (int)(feather < MAX_FEATHER ? feather : MAX_FEATHER);
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++)
        weights[joint] = 0;

    mask_text text = {.at = joints, .line_start = joints, .line = 1};
    for (skip_blanks(&text); *text.at != '\0'; skip_blanks(&text)) {
        mask_word word;
        TRY(read_word(&context, &text, &word));
        const int32_t joint = find_named_joint(skeleton, &word);
        if (joint < 0)
            return fail_at(&context, &text, word.start, "unknown joint ",
                           md5i_quote(word.name, word.length).text);
        apply_word(skeleton, &word, (uint32_t)joint, whole, weights);
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++)
        weights[joint] /= (float)whole;
    return true;
}
