// md5_build_mask(): computes joint weights from a text such as "*hips -*head". The format is the
// same as for channels in Doom 3's modelDefs.
//
// The text is a list of patterns. A pattern is a joint name after optional signs: '-' removes the
// joint, and '*' includes its descendants. A feather makes the weights of a subtree increase in
// equal steps, from its first joint down to its descendants.
//
// While a mask is built, the array of weights contains whole numbers of steps from 0 to
// `max_steps`. Whole numbers are exact. Finally all of them are divided by `max_steps`.
#include "md5/core/context.h"

// Maximum of `feather`. Skeletons do not have more levels of joints. The limit keeps an encoded
// subtree_value below 2^24, so that a float represents it exactly.
enum { MAX_FEATHER = 2047 };

// A pattern as it was read from the text.
typedef struct mask_pattern {
    bool is_removed;   // '-'
    bool has_subtree;  // '*'
    bool is_quoted;    // the name is in quotes, with no signs before them
    const char *start; // first character after the signs: the name or its quote
    const char *name;
    size_t length; // length of the name, bytes
} mask_pattern;

// The text of a mask and the position of the next pattern.
typedef struct mask_text {
    const char *at;
    const char *line_start;
    uint32_t line;
} mask_text;

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static char lower_byte(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

// Returns true if `name` is the name in a pattern. `ignore_case` ignores the case of letters.
static bool is_name(const char *name, const mask_pattern *pattern, bool ignore_case)
{
    for (size_t i = 0; i < pattern->length; i++) {
        const char a = name[i];
        const char b = pattern->name[i];
        const bool is_same_letter = ignore_case && lower_byte(a) == lower_byte(b);
        if (a != b && !is_same_letter)
            return false;
    }
    return name[pattern->length] == '\0';
}

// Returns the index of the joint that a pattern names, or -1 if there is none. An exact match is
// preferred to a match that differs only in case, as in the original engine.
static int32_t find_matching_joint(const md5_skeleton *skeleton, const mask_pattern *pattern)
{
    int32_t found = -1;
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        if (is_name(skeleton->joints[joint].name, pattern, false))
            return (int32_t)joint;
        if (found < 0 && is_name(skeleton->joints[joint].name, pattern, true))
            found = (int32_t)joint;
    }
    return found;
}

// Sets the steps of `top` and all its descendants to 0. The value -1 marks removed joints during
// the first pass, so that their children can recognize them.
static void remove_subtree(const md5_skeleton *skeleton, uint32_t top, float *steps)
{
    const float removed = -1;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        if (joint == top || (parent != MD5_NONE && steps[parent] == removed))
            steps[joint] = removed;
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        if (steps[joint] == removed)
            steps[joint] = 0;
    }
}

// Two numbers that add_subtree() needs for each joint: its steps and its depth. One float of the
// array of steps contains both:
//
//   steps + (max_steps + 1) * depth
//
// Therefore add_subtree() needs no other memory. Posing functions of this library do not allocate
// memory.
typedef struct subtree_value {
    int steps; // before the subtree is added, 0 .. max_steps
    int depth; // level in the subtree: 1 at its top joint, up to `max_steps`; 0 outside of the
               // subtree
} subtree_value;

// Encodes both numbers of a joint as one float.
static float encode_subtree_value(subtree_value value, int max_steps)
{
    return (float)(value.steps + (max_steps + 1) * value.depth);
}

// Returns the two numbers that encode_subtree_value() has stored in a float.
static subtree_value decode_subtree_value(float number, int max_steps)
{
    const int unit = max_steps + 1;
    return (subtree_value){.steps = (int)number % unit, .depth = (int)number / unit};
}

// Raises the steps of `top` and its descendants to their depth in the subtree, at most `max_steps`.
// Steps that are already higher remain. The array of steps also stores the depths during the call:
// see subtree_value.
static void add_subtree(const md5_skeleton *skeleton, uint32_t top, int max_steps, float *steps)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i]; // parents are before their children
        const uint32_t parent = skeleton->joints[joint].parent;
        int parent_depth = 0;
        if (parent != MD5_NONE)
            parent_depth = decode_subtree_value(steps[parent], max_steps).depth;

        subtree_value value = {.steps = (int)steps[joint]};
        if (joint == top)
            value.depth = 1;
        else if (parent_depth > 0)
            value.depth = parent_depth < max_steps ? parent_depth + 1 : max_steps;
        steps[joint] = encode_subtree_value(value, max_steps);
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const subtree_value value = decode_subtree_value(steps[joint], max_steps);
        steps[joint] = (float)(value.steps > value.depth ? value.steps : value.depth);
    }
}

// Applies a pattern to the joint that it names: removes or adds the joint, or its whole subtree.
// `max_steps` is the number of steps that corresponds to weight 1.
static void apply_pattern(const md5_skeleton *skeleton, const mask_pattern *pattern, uint32_t joint,
                          int max_steps, float *steps)
{
    if (pattern->has_subtree && pattern->is_removed)
        remove_subtree(skeleton, joint, steps);
    else if (pattern->has_subtree)
        add_subtree(skeleton, joint, max_steps, steps);
    else if (pattern->is_removed)
        steps[joint] = 0;
    else if (steps[joint] < 1)
        steps[joint] = 1;
}

// Skips white space and counts lines. CR LF, LF and CR each end a line.
static void skip_mask_blanks(mask_text *text)
{
    for (; is_space(*text->at); text->at++) {
        if (*text->at == '\n' || (*text->at == '\r' && text->at[1] != '\n')) {
            text->line++;
            text->line_start = text->at + 1;
        }
    }
}

// Reports a syntax error at the position `at` of the text. The message is `begin` followed by
// `end`. Returns false.
static bool fail_at(md5_context *context, const mask_text *text, const char *at, const char *begin,
                    const char *end)
{
    return md5i_fail(context, MD5_ERROR_SYNTAX, text->line, (uint32_t)(at - text->line_start) + 1,
                     "%s%s", begin, end);
}

// Reads the optional signs before a name: `-` removes the joint, and `*` includes all its
// descendants.
static void read_signs(const char **at, mask_pattern *pattern)
{
    pattern->is_removed = **at == '-';
    if (pattern->is_removed)
        (*at)++;
    pattern->has_subtree = **at == '*';
    if (pattern->has_subtree)
        (*at)++;
}

// Reads a name in quotes. text->at must be at the first quote. A blank or the end of the text must
// follow the second quote.
static bool read_quoted_name(md5_context *context, mask_text *text, mask_pattern *pattern)
{
    const char *const first = text->at;
    const char quote = *first;
    text->at++;

    pattern->name = text->at;
    while (*text->at != '\0' && *text->at != quote && *text->at != '\n' && *text->at != '\r')
        text->at++;
    pattern->length = (size_t)(text->at - pattern->name);

    if (*text->at != quote)
        return fail_at(context, text, first,
                       "unterminated name: expected a quote before the end of the line", "");
    text->at++;
    if (*text->at != '\0' && !is_space(*text->at))
        return fail_at(context, text, text->at, "expected a blank after ",
                       md5i_quote(pattern->name, pattern->length).text);
    return true;
}

// Reads the pattern at text->at, and moves text->at to its end. A pattern consists of signs and a
// name. The name is in quotes or ends at a blank. A pattern without a name is an error.
static bool read_pattern(md5_context *context, mask_text *text, mask_pattern *pattern)
{
    const char *const start = text->at;
    *pattern = (mask_pattern){0};
    read_signs(&text->at, pattern);

    const char *const first = text->at;
    pattern->start = first;

    if (*first == '"' || *first == '\'') {
        pattern->is_quoted = first == start;
        TRY(read_quoted_name(context, text, pattern));
    } else {
        pattern->name = first;
        while (*text->at != '\0' && !is_space(*text->at))
            text->at++;
        pattern->length = (size_t)(text->at - pattern->name);
    }

    const bool is_empty = pattern->length == 0;
    const bool has_signs = first > start;
    if (is_empty && has_signs)
        return fail_at(context, text, first - 1, md5i_quote(first - 1, 1).text,
                       " must be followed by a joint name");
    if (is_empty)
        return fail_at(context, text, first, "empty joint name: expected the name of a joint", "");
    return true;
}

// Returns the joint that a pattern names, or -1 if there is none. In id's declarations the signs
// may be inside of the quotes, as in "*Bip01 L Hand". Therefore, if no joint has the quoted name,
// the signs are moved from the name to the pattern.
static int32_t find_pattern_joint(const md5_skeleton *skeleton, mask_pattern *pattern)
{
    int32_t joint = find_matching_joint(skeleton, pattern);
    if (joint >= 0 || !pattern->is_quoted)
        return joint;
    mask_pattern inner = *pattern;
    read_signs(&inner.name, &inner);
    inner.length -= (size_t)(inner.name - pattern->name);
    if (inner.length == 0)
        return -1;
    joint = find_matching_joint(skeleton, &inner);
    if (joint >= 0)
        *pattern = inner;
    return joint;
}

// Computes weights[joints] from a list of patterns. The patterns are applied in the order of the
// text. Stops at the first syntax error or unknown joint, and returns false with the error set.
bool md5_build_mask(const md5_skeleton *skeleton, const char *patterns, uint32_t feather,
                    float *weights, md5_error *error)
{
    MD5_ASSERT_NULL_OR_PART(skeleton, joints);
    if (!skeleton)
        return md5i_fail_missing(error, "skeleton");
    MD5_ASSERT_NOT_NULL(patterns);
    MD5_ASSERT_ARRAY(weights, skeleton->num_joints);
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);

    // Until the last loop, weights[] contains steps from 0 to `max_steps`.
    const int max_steps = 1 + (int)(feather < MAX_FEATHER ? feather : MAX_FEATHER);
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++)
        weights[joint] = 0;

    mask_text text = {.at = patterns, .line_start = patterns, .line = 1};
    for (skip_mask_blanks(&text); *text.at != '\0'; skip_mask_blanks(&text)) {
        mask_pattern pattern;
        TRY(read_pattern(&context, &text, &pattern));
        const int32_t joint = find_pattern_joint(skeleton, &pattern);
        if (joint < 0)
            return fail_at(&context, &text, pattern.start, "unknown joint ",
                           md5i_quote(pattern.name, pattern.length).text);
        apply_pattern(skeleton, &pattern, (uint32_t)joint, max_steps, weights);
    }

    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++)
        weights[joint] /= (float)max_steps;
    return true;
}
