// Reads and prints joint maps.
//
// A joint map is a text in which the user pairs joints. Each line contains one pair. The first is
// the joint of the motion (the source), the second the joint of the model (the target).
#include "demo/convert/retarget_figure.h"

// Returns the next token of a line: a text in quotes, or the characters up to a blank. Writes a 0
// after the token and moves *cursor past it. Returns NULL at the end of the line or at a comment.
static char *next_token(char **cursor)
{
    char *token = *cursor + strspn(*cursor, " \t\r");
    const bool is_quoted = *token == '"';
    if (*token == '\0' || *token == '#')
        return NULL;
    if (is_quoted)
        token++;
    char *const end = token + strcspn(token, is_quoted ? "\"" : " \t\r");
    *cursor = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return token;
}

enum { MAX_MAP_LINES = 10000 };

// A line of a map. Valid lines have at most three tokens; a fourth token is stored to detect
// invalid lines.
enum { MAX_TOKENS = 4 };
typedef struct map_line {
    char *tokens[MAX_TOKENS];
    int num_tokens;
    int bad_token; // index of the token to which an error message refers
} map_line;

// Splits a line of a joint map into tokens. `text` is changed: each token is terminated in
// place.
static map_line split_line(char *text)
{
    map_line line = {.num_tokens = 0};
    while (line.num_tokens < MAX_TOKENS) {
        char *const token = next_token(&text);
        if (!token)
            break;
        line.tokens[line.num_tokens++] = token;
    }
    return line;
}

// Returns the alignment that the third token of a line selects: "align", "~" or the default.
static retarget_alignment read_alignment(const map_line *line)
{
    if (line->num_tokens < 3)
        return ALIGN_LIMBS;
    if (strcmp(line->tokens[2], "align") == 0)
        return ALIGN_ALWAYS;
    return strcmp(line->tokens[2], "~") == 0 ? ALIGN_NEVER : ALIGN_LIMBS;
}

// The joints of both skeletons that a line of a map pairs.
typedef struct map_pair {
    retarget_chain chains[2];            // chains of the source and of the target
    uint32_t joints[RETARGET_MAX_CHAIN]; // joints of the target
    uint32_t num_joints;                 // 0: the line has "-" instead of a joint of the target
} map_pair;

// Returns the joint whose name is most similar to an unknown name, or NULL. Names that contain the
// unknown name in another case are the most similar names.
static const char *find_similar_joint(const md5_skeleton *skeleton, const char *unknown)
{
    enum { MAX_LENGTH = 64 };
    const size_t length = strlen(unknown);
    if (length > MAX_LENGTH)
        return NULL;
    const char *similar = NULL;
    size_t min_distance = length / 3 + 1;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const char *const candidate = skeleton->joints[i].name;
        const size_t distance = common_edit_distance(unknown, length, candidate, true);
        if (distance < min_distance) {
            min_distance = distance;
            similar = candidate;
        }
    }
    return similar;
}

// Returns an error message about a joint that a skeleton does not have. `title` describes the file.
// A similar name is suggested only if the file is known. The viewer has no file and continues after
// errors, so searching for similar names could take it long.
static char *describe_unknown_joint(const retarget_figure *figure, const char *title,
                                    const char *name)
{
    if (!figure->path)
        return common_format("unknown joint: the %s has no joint '%s'", title, name);
    const char *const file = common_base(figure->path);
    const char *const similar = find_similar_joint(figure->skeleton, name);
    if (!similar)
        return common_format("unknown joint: the %s %.100s has no joint '%.100s'; use "
                             "--print-map to print the names of all joints",
                             title, file, name);
    return common_format("unknown joint: the %s %.100s has no joint '%.100s': did you mean "
                         "'%.80s'?",
                         title, file, name, similar);
}

// Returns an error message about a chain that contains no joints. The cause is that one of its two
// joints does not exist, or that the last joint is not a descendant of the first. `title` is the
// role of the file in the conversion.
static char *describe_bad_chain(const retarget_figure *figure, const char *title,
                                const char *first_name, const char *last_name)
{
    if (md5_find_joint(figure->skeleton, first_name) == MD5_NONE)
        return describe_unknown_joint(figure, title, first_name);
    if (md5_find_joint(figure->skeleton, last_name) == MD5_NONE)
        return describe_unknown_joint(figure, title, last_name);
    return common_format("invalid chain in the %s: expected the descendant of the first joint at "
                         "the end, found '%s'",
                         title, last_name);
}

// Reads the joints of one side of a map's line: side 0 is the motion, side 1 the model. `token` is
// the name of a joint, or "-" if the side has no joint; at most one side may have none. If
// `is_chain` is true, `token` can also be a chain "A..B": joint A, its descendant B and the joints
// between them. The dots are overwritten. Returns an error message, which the caller frees, or
// NULL.
static char *read_chain(const retarget_figure *figure, char *token, bool is_chain, int side,
                        map_pair *pair)
{
    // A single joint is a chain whose first joint is also the last.
    char *const dots = is_chain ? strstr(token, "..") : NULL;
    const char *last_name = token;
    if (dots) {
        *dots = '\0';
        last_name = dots + strlen("..");
    }
    const retarget_chain chain = {md5_find_joint(figure->skeleton, token),
                                  md5_find_joint(figure->skeleton, last_name)};
    pair->chains[side] = chain;
    pair->num_joints = retarget_list_chain(figure, chain, pair->joints);

    const bool can_be_empty = side == 0 || pair->chains[0].last != MD5_NONE;
    const bool is_empty = can_be_empty && strcmp(token, "-") == 0;
    if (pair->num_joints == 0 && !is_empty)
        return describe_bad_chain(figure, side == 0 ? "motion" : "model", token, last_name);
    return NULL;
}

// Reads the joints of both sides of a line. At the end, pair->joints are the joints of the last
// side, the target. Dots in the tokens of chains are overwritten. Returns NULL, or an error message
// about the line's bad token.
static char *read_joints(map_line *line, bool is_chain, retarget_figure *const figures[2],
                         map_pair *pair)
{
    const int first_token = is_chain ? 1 : 0; // after the keyword
    for (int side = 0; side < 2; side++) {
        line->bad_token = first_token + side;
        char *const message =
            read_chain(figures[side], line->tokens[line->bad_token], is_chain, side, pair);
        if (message)
            return message;
    }
    return NULL;
}

// If one of two paired joints has a role, gives the same role to the other joint. A map need
// therefore contain only the limbs.
static void share_roles(retarget_figure *const figures[2], const retarget_chain chains[2])
{
    for (int r = 0; r < 2 * BODY_THUMB; r++) {
        if (figures[0]->roles[r].last == chains[0].last)
            figures[1]->roles[r] = chains[1];
        else if (figures[1]->roles[r].last == chains[1].last)
            figures[0]->roles[r] = chains[0];
    }
}

// Returns an error message if an earlier line of the map has paired one of the target joints.
// Otherwise returns NULL.
static char *check_unmapped(const retarget_figure *target, const uint32_t *joints,
                            uint32_t num_joints)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        if (target->joints[joints[i]].is_mapped)
            return common_format("duplicate joint '%s': an earlier line already maps it",
                                 target->skeleton->joints[joints[i]].name);
    }
    return NULL;
}

// Removes the pairs of target joints, so that a new line of the map can pair them.
static void release_joints(const retarget_figure *target, const uint32_t *joints,
                           uint32_t num_joints)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        retarget_joint *const joint = &target->joints[joints[i]];
        joint->is_mapped = false;
        joint->low = MD5_NONE;
    }
}

// Stores the pair of a line in both skeletons. A line without a joint of the model excludes the
// joint of the motion from the retarget.
static void store_pair(const map_pair *pair, bool is_chain, retarget_alignment align,
                       retarget_figure *const figures[2])
{
    retarget_figure *const target = figures[1];
    const uint32_t source_joint = pair->chains[0].last; // or MD5_NONE for "-"
    const uint32_t target_joint = pair->chains[1].last; // or MD5_NONE for "-"
    retarget_pair_chains(figures[0], target, pair->chains[0], pair->chains[1]);
    for (uint32_t i = 0; i < pair->num_joints; i++) {
        retarget_joint *const joint = &target->joints[pair->joints[i]];
        joint->is_mapped = true;
        if (align != ALIGN_LIMBS)
            joint->align = align;
    }

    if (target_joint == MD5_NONE)
        figures[0]->joints[source_joint].is_mapped = true;
    else if (source_joint != MD5_NONE && !is_chain)
        share_roles(figures, pair->chains);
}

// Returns true if a line pairs two joints: SOURCE TARGET, optionally followed by an alignment.
static bool is_joint_pair(const map_line *line)
{
    const bool has_alignment = line->num_tokens == 3 && read_alignment(line) != ALIGN_LIMBS;
    return line->num_tokens == 2 || has_alignment;
}

// Disables the alignment of all bones of the target.
static void disable_alignment(const retarget_figure *target)
{
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        target->joints[i].align = ALIGN_NEVER;
}

// Reads a line of a joint map. figures[0] is the source, figures[1] is the target. A line has one
// of these forms:
//
//     SOURCE TARGET          pairs two joints; "-" stands for no joint
//     SOURCE TARGET align    the same, and aligns the bone even if it is not part of a limb
//     SOURCE TARGET ~        the same, and never aligns the bone
//     chain A..B C..D        pairs two chains of joints
//     ~                      disables the alignment of all bones
//
// If `replaces` is true, the line may change pairs of earlier lines. Returns NULL, or an error
// message about line->bad_token.
static char *read_pair(map_line *line, retarget_figure *const figures[2], bool replaces)
{
    const int count = line->num_tokens;
    if (count == 1 && strcmp(line->tokens[0], "~") == 0) {
        disable_alignment(figures[1]);
        return NULL;
    }

    const bool is_chain = count == 3 && strcmp(line->tokens[0], "chain") == 0;
    if (!is_chain && !is_joint_pair(line)) {
        line->bad_token = count < 3 ? count - 1 : 2;
        return common_copy(
            "invalid line: expected SOURCE TARGET, SOURCE TARGET ~ or chain A..B C..D");
    }

    // read_joints() changes the tokens, so the alignment must be read before.
    const retarget_alignment align = read_alignment(line);
    map_pair pair;
    char *message = read_joints(line, is_chain, figures, &pair);
    if (!message && !replaces)
        message = check_unmapped(figures[1], pair.joints, pair.num_joints);
    if (message)
        return message; // without changes, because a caller may skip the line and continue
    release_joints(figures[1], pair.joints, pair.num_joints);

    const uint32_t source_joint = pair.chains[0].last;
    if (replaces && source_joint != MD5_NONE)
        figures[0]->joints[source_joint].is_mapped = false;
    store_pair(&pair, is_chain, align, figures);
    return NULL;
}

// Ends a line with 0 at the next separator. Returns the start of the next line, or NULL after the
// last line. If `has_quotes` is true, a separator in quotes is part of the line.
static char *end_line(char *line, char separator, bool has_quotes)
{
    char *end = line;
    bool is_quoted = false;
    while (*end != '\0' && (is_quoted || *end != separator)) {
        if (has_quotes && *end == '"')
            is_quoted = !is_quoted;
        end++;
    }
    const bool is_last = *end == '\0';
    *end = '\0';
    return is_last ? NULL : end + 1;
}

// Reads one line of a map. Returns NULL, or an error message about the line's bad token, which the
// caller frees. An empty line is valid. The number of lines is limited, because a warning can be
// reported for each line.
static char *read_map_line(map_line *line, uint32_t line_number, retarget_figure *const figures[2],
                           bool replaces)
{
    if (line->num_tokens == 0)
        return NULL;
    if (line_number > MAX_MAP_LINES)
        return common_copy("map has too many lines: expected at most 10000");
    return read_pair(line, figures, replaces);
}

// Reads the lines of a map. `path` is the file of the map, or NULL for the text of an option. Lines
// of a file end with a line break. Lines of an option end with a semicolon, unless the semicolon is
// in quotes. An invalid line is an error, or only a warning if the job has a function for warnings.
static bool read_map_text(const convert_job *job, char *text, const char *path,
                          retarget_figure *const figures[2], md5_error *error)
{
    const bool is_option = !path;
    const char separator = is_option ? ';' : '\n';
    uint32_t line_number = 1;
    char *next = NULL;
    for (char *start = text; start; start = next, line_number++) {
        next = end_line(start, separator, is_option);
        map_line line = split_line(start);
        char *const message = read_map_line(&line, line_number, figures, is_option);
        if (!message)
            continue;

        convert_fail(error, MD5_ERROR_MISMATCH, path, "%s", message);
        free(message);
        error->line = line_number;
        error->column = (uint32_t)(line.tokens[line.bad_token] - start) + 1;
        if (!job->warn || line_number > MAX_MAP_LINES)
            return false;
        job->warn(job->user, error);
    }
    return true;
}

bool retarget_read_map(const convert_job *job, retarget_figure *const figures[2], md5_error *error)
{
    if (job->map) {
        size_t size = 0;
        char *const text = convert_read_file(job->map, &size, error);
        const bool is_read = text && read_map_text(job, text, job->map, figures, error);
        free(text);
        if (!is_read)
            return false;
    }
    char *const pairs = common_copy(job->pairs);
    const bool is_read = read_map_text(job, pairs, NULL, figures, error);
    free(pairs);
    return is_read;
}

// Prints a joint's name or a chain as one token of a map, in quotes if necessary, and the suffix.
static void print_name(FILE *file, const char *name, const char *suffix)
{
    const char *const quote = strpbrk(name, " \t#~") != NULL ? "\"" : "";
    common_print(file, "%s%s%s", quote, name, quote);
    fputs(suffix, file);
}

// Prints the chains that have different numbers of joints in both skeletons, one line for each
// role.
static void print_chains(FILE *file, const retarget_figure *source, const retarget_figure *target)
{
    const md5_joint *const from = source->skeleton->joints;
    const md5_joint *const to = target->skeleton->joints;
    for (int r = 0; r < RETARGET_NUM_ROLES; r++) {
        const retarget_chain s = source->roles[r];
        const retarget_chain t = target->roles[r];
        if (s.last == MD5_NONE || t.last == MD5_NONE || !target->joints[t.last].is_chained)
            continue;
        char *const source_ends = common_format("%s..%s", from[s.first].name, from[s.last].name);
        char *const target_ends = common_format("%s..%s", to[t.first].name, to[t.last].name);
        fputs("chain ", file);
        print_name(file, source_ends, " ");
        print_name(file, target_ends, "\n");
        free(source_ends);
        free(target_ends);
    }
}

// Prints the line of a joint of the model. A joint that no joint of the source moves becomes a
// comment, so that the user can complete it.
static void print_pair(FILE *file, const retarget_joint *joint, const char *name,
                       const md5_joint *source_joints)
{
    if (joint->is_idle && !joint->is_mapped)
        fputs("# ", file);

    const char *source_name = name;
    if (joint->low != MD5_NONE)
        source_name = source_joints[joint->low].name;
    else if (joint->is_idle)
        source_name = "-";
    print_name(file, source_name, " ");

    const char *suffix = "\n";
    if (joint->align == ALIGN_NEVER)
        suffix = " ~\n";
    else if (joint->align == ALIGN_ALWAYS)
        suffix = " align\n";
    print_name(file, name, suffix);
}

void retarget_print_map(FILE *file, const retarget_figure *source, const retarget_figure *target)
{
    const md5_joint *const from = source->skeleton->joints;
    const md5_joint *const to = target->skeleton->joints;
    print_chains(file, source, target);
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++) {
        if (!target->joints[i].is_chained)
            print_pair(file, &target->joints[i], to[i].name, from);
    }
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++) {
        if (source->joints[i].is_mapped)
            print_name(file, from[i].name, " -\n");
    }
}
