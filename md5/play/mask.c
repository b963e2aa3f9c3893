// Joint weights from id's channel words. While a mask is made, weights are counted in steps of
// feathering, 0 to `whole`, so that they stay exact.
#include "md5/core/context.h"
#include "md5/md5play.h"

#include <string.h>

// More levels than any skeleton has; the square of it still counts exactly in a float.
enum { MOST_FEATHER = 2047 };

typedef struct mask_word {
    bool takes_away, has_subtree;
    const char *name;
    size_t length;
} mask_word;

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
        const char a = name[i], b = word->name[i];
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

// While its subtree is gone through, a joint's number is its steps + (whole + 1) * (1 + levels
// below the top); joints come after their parents.
static void add_subtree(const md5_skeleton *skeleton, uint32_t top, int whole, float *steps)
{
    const int unit = whole + 1;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        const int above = parent < 0 ? 0 : (int)steps[parent] / unit;
        const int own = joint == top ? 1 : above > 0 ? above + 1 : 0;
        steps[joint] += (float)(unit * (own < whole ? own : whole));
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const int old = (int)steps[joint] % unit, added = (int)steps[joint] / unit;
        steps[joint] = (float)(old > added ? old : added);
    }
}

static void take_subtree(const md5_skeleton *skeleton, uint32_t top, float *steps)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        if (joint == top || (parent >= 0 && steps[parent] < 0.0f))
            steps[joint] = -1.0f;
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        if (steps[joint] < 0.0f)
            steps[joint] = 0.0f;
    }
}

static void apply_word(const md5_skeleton *skeleton, const mask_word *word, uint32_t joint,
                       int whole, float *steps)
{
    if (word->has_subtree && word->takes_away)
        take_subtree(skeleton, joint, steps);
    else if (word->has_subtree)
        add_subtree(skeleton, joint, whole, steps);
    else if (word->takes_away)
        steps[joint] = 0.0f;
    else if (steps[joint] < 1.0f)
        steps[joint] = 1.0f;
}

// Goes to the next word, `at` then being behind it. False at the end of the text.
static bool next_word(const char **at, mask_word *word)
{
    while (is_space(**at))
        (*at)++;
    if (**at == '\0')
        return false;
    word->takes_away = **at == '-';
    *at += word->takes_away;
    word->has_subtree = **at == '*';
    *at += word->has_subtree;
    word->name = *at;
    while (**at != '\0' && !is_space(**at))
        (*at)++;
    word->length = (size_t)(*at - word->name);
    return true;
}

bool md5_make_mask(const md5_skeleton *skeleton, const char *joints, uint32_t feather,
                   float *weights, md5_error *error)
{
    md5_context context;
    md5_context_begin(&context, NULL, NULL, error);
    const int whole = 1 + (int)(feather < MOST_FEATHER ? feather : MOST_FEATHER);
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++)
        weights[joint] = 0.0f;

    const char *at = joints;
    for (mask_word word; next_word(&at, &word);) {
        const uint32_t column = (uint32_t)(word.name - joints) + 1;
        if (word.length == 0)
            return md5_fail(&context, MD5_ERROR_SYNTAX, 1, column - 1,
                            "'%c' stands before no joint", word.name[-1]);
        const int32_t joint = find_joint(skeleton, &word);
        if (joint < 0)
            return md5_fail(&context, MD5_ERROR_SYNTAX, 1, column, "there is no joint %s",
                            md5_quote(word.name, word.length).text);
        apply_word(skeleton, &word, (uint32_t)joint, whole, weights);
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++)
        weights[joint] /= (float)whole;
    return true;
}
