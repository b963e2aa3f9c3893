// Retargeting in four steps: who is who in both skeletons (by names, and between those by the
// hierarchy); a T pose of each, in which limbs point the same way; then each joint's rotation out
// of its T pose, in model space, is that of its partner; and the root's path is scaled.
#include "demo/convert/retarget.h"

#include "demo/common/file.h"
#include "md5/md5skin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const convert_quat no_turn = {0.0, 0.0, 0.0, 1.0};

// -- Roles ----------------------------------------------------------------------------------------

enum { HEAD, HIPS, CLAVICLE, UPPER_ARM, FOREARM, HAND, THIGH, SHIN, FOOT, TOE, NUM_WORDS };
enum { NUM_ROLES = 2 * NUM_WORDS }; // 2 * word + side: left and right; of head and hips the first

static const struct role {
    const char *title;
    const char *words; // what names are without side, prefix and numbers; the best first
} roles[NUM_WORDS] = {
    [HEAD] = {"head", " head skull neck "},
    [HIPS] = {"hips", " hips pelvis hip root "},
    [CLAVICLE] = {"clavicle", " clavicle clavical collar collarbone shoulder "},
    [UPPER_ARM] = {"upper arm", " upperarm uparm humerus arm shoulder shldr "},
    [FOREARM] = {"forearm", " forearm lowerarm lowarm loarm elbow "},
    [HAND] = {"hand", " hand wrist "},
    [THIGH] = {"thigh", " thigh upleg upperleg femur leg hip "},
    [SHIN] = {"shin", " shin calf lowerleg lowleg loleg knee leg "},
    [FOOT] = {"foot", " foot ankle upperfoot "},
    [TOE] = {"toe", " toe toes toebase ball "},
};

// What names of the joints of fingers end in.
enum { NUM_FINGERS = 5 };
static const char *const fingers[NUM_FINGERS][2] = {{"thumb", "thumb"},
                                                    {"index", "point"},
                                                    {"middle", "mid"},
                                                    {"ring", "ring"},
                                                    {"pinky", "little"}};

// Words of names that say nothing of the role.
static const char fillers[] = " def org ctrl fk mixamorig bip bone jnt j b c cc base sk f finger ";

// Where a word stands among others; NULL: nowhere.
static const char *find_word(const char *words, const char *word)
{
    char *const whole = common_format(" %s ", word);
    const char *const at = strstr(words, whole);
    free(whole);
    return at;
}

// What a name says of the role: in small letters, without prefix, side and numbers. The side is 0
// for left, 1 for right, -1 for neither.
typedef struct retarget_name {
    char said[64];
    int side;
} retarget_name;

static retarget_name read_name(const char *name)
{
    const char *const colon = strrchr(name, ':');
    const char *c = colon ? colon + 1 : name;
    size_t used = 0;
    retarget_name read = {.side = -1};
    while (*c != '\0') {
        char word[32];
        size_t length = 0;
        // A word ends before a capital that follows a small letter, or that begins a word behind
        // other capitals: LThumb, LeftArm.
        for (; isalpha((unsigned char)*c) && length < sizeof word - 1; c++) {
            const bool begins = length > 0 && isupper((unsigned char)*c)
                                && (islower((unsigned char)c[-1]) || islower((unsigned char)c[1]));
            if (begins)
                break;
            word[length++] = (char)tolower((unsigned char)*c);
        }
        word[length] = '\0';
        if (length == 0)
            c++;
        else if (strcmp(word, "l") == 0 || strcmp(word, "left") == 0)
            read.side = 0;
        else if (strcmp(word, "r") == 0 || strcmp(word, "right") == 0)
            read.side = 1;
        else if (find_word(fillers, word) == NULL && used + length < sizeof read.said) {
            memcpy(read.said + used, word, length);
            used += length;
        }
    }
    return read;
}

typedef struct retarget_joint {
    uint32_t depth;
    retarget_name name;
    uint32_t leader;     // with which it moves as one piece; MD5_NONE: none
    bool is_skin;        // weights of vertices are on it, or the skeleton has none
    uint32_t load;       // weights of vertices on it and on what hangs on it
    convert_quat t_pose; // model space
    // Of the model, what turns it: a joint of the source, or one that is between two.
    uint32_t low, high; // MD5_NONE: nothing does
    double part;        // of the way from low to high
    bool is_mapped;     // by the user
} retarget_joint;

// Joints whose bend is spread over those of the other skeleton's: the spine up to the chest, the
// neck up to below the head, fingers.
enum { SPINE, NECK, FINGERS, NUM_CHAINS = FINGERS + 2 * NUM_FINGERS };
typedef struct retarget_chain {
    uint32_t base; // what it hangs on
    uint32_t count;
    uint32_t *joints; // [count] from the base on
} retarget_chain;

// One of the two skeletons. Model space is turned: x is forward, y left and z up.
typedef struct retarget_figure {
    uint32_t num_joints;
    const convert_joint *own;    // [num_joints]
    retarget_joint *joints;      // [num_joints]
    uint32_t *order;             // [num_joints] parents first
    convert_xform *rest, *posed; // [num_joints] model space
    uint32_t roles[NUM_ROLES];
    retarget_chain chains[NUM_CHAINS];
    uint32_t *next_chain;  // room for the next one: no joint is in two
    uint32_t pelvis, body; // what the thighs hang on; what pelvis and chest hang on
    convert_xform space;   // that turns it
} retarget_figure;

// Transforms relative to the parents become those in model space.
static void place(const retarget_figure *figure, convert_xform *joints)
{
    COMMON_FOR (i, figure->num_joints) {
        const uint32_t joint = figure->order[i], parent = figure->own[joint].parent;
        joints[joint] =
            convert_mul(parent == MD5_NONE ? figure->space : joints[parent], joints[joint]);
    }
}

static void place_at_rest(const retarget_figure *figure)
{
    COMMON_FOR (i, figure->num_joints)
        figure->rest[i] = figure->own[i].rest;
    place(figure, figure->rest);
}

// Of joints whose names say the same, as in rigs with joints for control, deformation and helpers,
// the one that moves most of the skin has the role; else the first.
static void guess_roles(retarget_figure *figure)
{
    const char *words[NUM_ROLES]; // the earlier, the better
    COMMON_FOR (r, NUM_ROLES)
        figure->roles[r] = MD5_NONE;
    COMMON_FOR (i, figure->num_joints) {
        const uint32_t joint = figure->order[i];
        const retarget_name *const name = &figure->joints[joint].name;
        const char *sided = name->said;
        int side = name->side;
        // The side can also begin the only word: leftleg, or, of old, luparm.
        if (side < 0 && (*sided == 'l' || *sided == 'r')) {
            side = *sided == 'r';
            sided += strncmp(sided, "left", 4) == 0 ? 4 : strncmp(sided, "right", 5) == 0 ? 5 : 1;
        }
        for (int w = name->side < 0 ? 0 : HIPS + 1; w < (side < 0 ? HIPS + 1 : NUM_WORDS); w++) {
            const int role = 2 * w + (w > HIPS ? side : 0);
            uint32_t *const best = &figure->roles[role];
            const char *const word = find_word(roles[w].words, w > HIPS ? sided : name->said);
            if (word != NULL
                && (*best == MD5_NONE || word < words[role]
                    || (word == words[role]
                        && figure->joints[joint].load > figure->joints[*best].load))) {
                *best = joint;
                words[role] = word;
            }
        }
    }
    // A shoulder is the upper arm if there is no other, and a leg the thigh.
    COMMON_FOR (side, 2) {
        uint32_t *const role = figure->roles + side;
        if (role[2 * CLAVICLE] == role[2 * UPPER_ARM])
            role[2 * CLAVICLE] = MD5_NONE;
        if (role[2 * SHIN] == role[2 * THIGH])
            role[2 * SHIN] = MD5_NONE;
    }
}

// The deepest joint that both hang on, or are; NONE if one of them is NONE.
static uint32_t common_parent(const retarget_figure *figure, uint32_t a, uint32_t b)
{
    while (a != b && a != MD5_NONE && b != MD5_NONE) {
        uint32_t *const deeper = figure->joints[a].depth >= figure->joints[b].depth ? &a : &b;
        *deeper = figure->own[*deeper].parent;
    }
    return a == b ? a : MD5_NONE;
}

// Makes the joints from `top` down to above `base` a chain, which is empty if it is not above.
static retarget_chain make_chain(retarget_figure *figure, uint32_t base, uint32_t top)
{
    retarget_chain chain = {base, 0, figure->next_chain};
    const bool is_above = top != MD5_NONE && common_parent(figure, base, top) == base;
    for (uint32_t j = top; is_above && j != base; j = figure->own[j].parent)
        chain.count++;
    figure->next_chain += chain.count;
    for (uint32_t i = chain.count; i > 0; top = figure->own[top].parent)
        chain.joints[--i] = top;
    return chain;
}

static convert_vec bone(const convert_xform *joints, uint32_t from, uint32_t to)
{
    return convert_sub(joints[to].translation, joints[from].translation);
}

static double length_of(convert_vec v)
{
    return sqrt(convert_dot(v, v));
}

// Rigs can have several joints that say the same in one place and hang elsewhere, as one for
// control and one for the skin: all move with the one that has the role.
static void find_leaders(const retarget_figure *figure)
{
    double size = 0.0;
    COMMON_FOR (i, figure->num_joints)
        size = fmax(size, length_of(bone(figure->rest, 0, i)));
    COMMON_FOR (r, NUM_ROLES) {
        const uint32_t leader = figure->roles[r];
        // The user's map can have given the role to any joint.
        if (leader == MD5_NONE
            || find_word(roles[r / 2].words, figure->joints[leader].name.said) == NULL)
            continue;
        const retarget_name *const name = &figure->joints[leader].name;
        COMMON_FOR (i, figure->num_joints) {
            const retarget_name *const other = &figure->joints[i].name;
            if (i != leader && name->side == other->side && strcmp(name->said, other->said) == 0
                && length_of(bone(figure->rest, leader, i)) <= 1e-3 * size)
                figure->joints[i].leader = leader;
        }
    }
}

static bool is_of_finger(const retarget_name *name, int finger, int side)
{
    return name->side == side
           && (common_has_ending(name->said, fingers[finger][0])
               || common_has_ending(name->said, fingers[finger][1]));
}

// The joints of a finger, the longest line of them below the hand that moves vertices; of several
// in one place the first.
static retarget_chain find_finger(retarget_figure *figure, int finger, int side)
{
    const uint32_t hand = figure->roles[2 * HAND + side];
    uint32_t tip = MD5_NONE;
    for (uint32_t i = 0; hand != MD5_NONE && i < figure->num_joints; i++) {
        const uint32_t joint = figure->order[i];
        const retarget_joint *const of = &figure->joints[joint];
        if (is_of_finger(&of->name, finger, side) && of->is_skin
            && (tip == MD5_NONE || of->depth > figure->joints[tip].depth))
            tip = joint;
    }
    retarget_chain chain = make_chain(figure, hand, tip);
    const uint32_t length = chain.count;
    chain.count = 0;
    COMMON_FOR (i, length) {
        const uint32_t joint = chain.joints[i];
        if (is_of_finger(&figure->joints[joint].name, finger, side)
            && (chain.count == 0
                || length_of(bone(figure->rest, joint, chain.joints[chain.count - 1])) > 0.0))
            chain.joints[chain.count++] = joint;
    }
    return chain;
}

static convert_vec unit_of(convert_vec v)
{
    return convert_times(v, 1.0 / fmax(length_of(v), 1e-30));
}

// The axis that is nearest to a direction.
static convert_vec nearest_axis(convert_vec v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    if (x >= y && x >= z)
        return (convert_vec){copysign(1.0, v.x), 0.0, 0.0};
    if (y >= z)
        return (convert_vec){0.0, copysign(1.0, v.y), 0.0};
    return (convert_vec){0.0, 0.0, copysign(1.0, v.z)};
}

// From right to left, of joints[] in a pose; 0 if neither legs nor arms are known.
static convert_vec left_of(const retarget_figure *figure, const convert_xform *joints)
{
    convert_vec sum = {0.0, 0.0, 0.0};
    for (int word = UPPER_ARM; word <= THIGH; word += THIGH - UPPER_ARM) {
        const uint32_t l = figure->roles[2 * word], r = figure->roles[2 * word + 1];
        if (l != MD5_NONE && r != MD5_NONE)
            sum = convert_add(sum, unit_of(bone(joints, r, l)));
    }
    return sum;
}

// The shortest rotation from one direction to another; of opposite ones about an axis.
static convert_quat between(convert_vec from, convert_vec to, convert_vec axis)
{
    const convert_vec a = unit_of(from), b = unit_of(to), c = convert_cross(a, b);
    const double w = 1.0 + convert_dot(a, b);
    if (w < 1e-6)
        return (convert_quat){axis.x, axis.y, axis.z, 0.0};
    return convert_unit((convert_quat){c.x, c.y, c.z, w});
}

// Up is the axis along which the chest or the head is above the pelvis; left is the axis from the
// right limbs to the left ones, or between axes, if it is. Otherwise it stays as it is.
static void find_axes(retarget_figure *figure)
{
    const uint32_t head = figure->roles[2 * HEAD];
    const convert_vec side = left_of(figure, figure->rest);
    if (figure->pelvis == MD5_NONE || head == MD5_NONE || length_of(side) < 0.5)
        return;
    const convert_vec up = nearest_axis(bone(figure->rest, figure->pelvis, head));
    const convert_quat upright = between(up, (convert_vec){0.0, 0.0, 1.0}, nearest_axis(side));
    convert_vec left = convert_rotate(upright, side);
    left.z = 0.0;
    if (convert_dot(unit_of(left), nearest_axis(left)) > 0.9)
        left = nearest_axis(left);
    figure->space.rotation = convert_quat_mul(
        between(left, (convert_vec){0.0, 1.0, 0.0}, (convert_vec){0.0, 0.0, 1.0}), upright);
}

// Arms to the sides, legs down; feet as they stand at rest: a model whose shins lean keeps its
// soles on the ground. Each limb is turned the shortest way, which keeps palms and knees as they
// are, and carries what hangs on it.
static void make_t_pose(retarget_figure *figure)
{
    const uint32_t *const role = figure->roles;
    convert_quat *const turns = common_alloc(figure->num_joints, sizeof *turns);
    COMMON_FOR (i, figure->num_joints) {
        const uint32_t joint = figure->order[i], parent = figure->own[joint].parent;
        turns[joint] = parent == MD5_NONE ? no_turn : turns[parent];
        for (int r = 2 * UPPER_ARM; r < 2 * FOOT; r++) {
            const bool is_arm = r < 2 * HAND;
            const convert_vec to = {0.0, is_arm ? 1.0 - 2.0 * (r % 2) : 0.0, is_arm ? 0.0 : -1.0};
            const convert_vec axis = {is_arm ? 1.0 : 0.0, is_arm ? 0.0 : 1.0, 0.0};
            if (role[r] != joint || role[r + 2] == MD5_NONE || r / 2 == HAND)
                continue;
            const convert_vec limb =
                convert_rotate(turns[joint], bone(figure->rest, joint, role[r + 2]));
            if (length_of(limb) > 0.0)
                turns[joint] = convert_quat_mul(between(limb, to, axis), turns[joint]);
        }
        if (joint == role[2 * FOOT] || joint == role[2 * FOOT + 1])
            turns[joint] = no_turn;
        figure->joints[joint].t_pose = convert_quat_mul(turns[joint], figure->rest[joint].rotation);
    }
    free(turns);
}

// What follows from the roles. Which joints the spine and the neck have is a matter of the
// hierarchy, as names of these differ most.
static void complete_figure(retarget_figure *figure)
{
    const uint32_t *const role = figure->roles;
    find_leaders(figure);
    figure->pelvis = common_parent(figure, role[2 * THIGH], role[2 * THIGH + 1]);
    if (figure->pelvis == MD5_NONE)
        figure->pelvis = role[2 * HIPS];
    const uint32_t head = role[2 * HEAD];
    uint32_t chest = common_parent(figure, role[2 * UPPER_ARM], role[2 * UPPER_ARM + 1]);
    if (chest == MD5_NONE && head != MD5_NONE)
        chest = figure->own[head].parent;
    figure->body = chest != MD5_NONE ? common_parent(figure, figure->pelvis, chest) : MD5_NONE;
    if (figure->body == MD5_NONE)
        figure->body = figure->pelvis;
    figure->chains[SPINE] = make_chain(figure, figure->body, chest);
    figure->chains[NECK] = make_chain(figure, chest != MD5_NONE ? chest : figure->body,
                                      head != MD5_NONE ? figure->own[head].parent : MD5_NONE);
    COMMON_FOR (k, 2 * NUM_FINGERS)
        figure->chains[FINGERS + k] = find_finger(figure, k / 2, k % 2);
    find_axes(figure);
    place_at_rest(figure);
    make_t_pose(figure);
}

static void free_figure(retarget_figure *figure)
{
    free(figure->joints);
    free(figure->order);
    free(figure->rest);
}

// A skeleton, and who is who in it: that of a model, whose order is its own and whose vertices say
// which joints matter, or with NULL that of a motion. Its space, if its limbs do not say it, has y
// up.
static retarget_figure make_figure(const convert_joint *own, uint32_t num_joints,
                                   const md5_model *model)
{
    retarget_figure figure = {.num_joints = num_joints, .own = own, .space.rotation = no_turn};
    figure.joints = common_alloc(num_joints, sizeof *figure.joints);
    figure.order = common_alloc((NUM_CHAINS + 1) * (size_t)num_joints, sizeof *figure.order);
    figure.next_chain = figure.order + num_joints;
    figure.rest = common_alloc(2 * (size_t)num_joints, sizeof *figure.rest);
    figure.posed = figure.rest + num_joints;
    COMMON_FOR (i, num_joints) {
        const uint32_t joint = model != NULL ? model->skeleton.order[i] : i;
        const uint32_t parent = own[joint].parent;
        figure.order[i] = joint;
        figure.joints[joint] =
            (retarget_joint){.name = read_name(own[joint].name),
                             .depth = parent == MD5_NONE ? 0 : figure.joints[parent].depth + 1,
                             .leader = MD5_NONE,
                             .is_skin = model == NULL || model->num_meshes == 0,
                             .low = MD5_NONE};
    }
    place_at_rest(&figure);
    for (uint32_t m = 0; model != NULL && m < model->num_meshes; m++)
        COMMON_FOR (k, model->meshes[m].num_influences) {
            retarget_joint *const joint = &figure.joints[model->meshes[m].influence_joints[k]];
            joint->is_skin = true;
            joint->load++;
        }
    for (uint32_t i = num_joints; i-- > 0;) {
        const uint32_t joint = figure.order[i], parent = own[joint].parent;
        if (parent != MD5_NONE)
            figure.joints[parent].load += figure.joints[joint].load;
    }
    guess_roles(&figure);
    if (model == NULL)
        figure.space.rotation = (convert_quat){0.5, 0.5, 0.5, 0.5};
    return figure;
}

// The length of those parts of the legs, thigh to shin to foot, that both figures have.
static double leg_length(const retarget_figure *figure, const retarget_figure *other)
{
    double sum = 0.0;
    for (int r = 2 * THIGH; r < 2 * FOOT; r++) {
        const uint32_t from = figure->roles[r], to = figure->roles[r + 2];
        if (from != MD5_NONE && to != MD5_NONE && other->roles[r] != MD5_NONE
            && other->roles[r + 2] != MD5_NONE)
            sum += length_of(bone(figure->rest, from, to));
    }
    return sum;
}

convert_quat convert_measure_motion(const convert_motion *motion, double *legs)
{
    retarget_figure figure = make_figure(motion->joints, motion->num_joints, NULL);
    complete_figure(&figure);
    *legs = 0.5 * leg_length(&figure, &figure);
    free_figure(&figure);
    return figure.space.rotation;
}

// -- Drives ---------------------------------------------------------------------------------------

// The user's map has the last word.
static void set_drive(retarget_joint *joint, uint32_t low, uint32_t high, double part)
{
    if (joint->is_mapped)
        return;
    joint->low = high != MD5_NONE ? low : MD5_NONE;
    joint->high = low != MD5_NONE ? high : MD5_NONE;
    joint->part = part;
}

// -- The user's map -------------------------------------------------------------------------------

// Reads a name: in quotes, or up to a blank. Returns it cut off, or NULL at the end of the line.
static char *read_word(char **at)
{
    char *word = *at + strspn(*at, " \t\r");
    const bool is_quoted = *word == '"';
    if (*word == '\0' || *word == '#')
        return NULL;
    word += is_quoted;
    char *const end = word + strcspn(word, is_quoted ? "\"" : " \t\r");
    *at = end + (*end != '\0');
    *end = '\0';
    return word;
}

static uint32_t find_name(const retarget_figure *figure, const char *name)
{
    COMMON_FOR (i, figure->num_joints)
        if (strcmp(figure->own[i].name, name) == 0)
            return i;
    return MD5_NONE;
}

// Lines of SOURCE TARGET. A pair is also a role, if one of its joints has one: so that a map of the
// limbs is enough for a T pose. "-" instead of a source: none.
static bool read_map(const convert_job *job, retarget_figure *source, retarget_figure *target,
                     md5_error *error)
{
    enum { MAX_LINES = 10000 };
    size_t size = 0;
    const char *reason = NULL;
    char *text = common_read_stream(job->map, &size, &reason);
    if (text == NULL)
        return convert_fail(error, MD5_ERROR_IO, job->map, "cannot read the file: %s", reason);
    text = common_realloc(text, size + 1, 1);
    text[size] = '\0';
    bool is_done = true;
    uint32_t number = 1;
    for (char *line = text; line != NULL; number++) {
        char *const end = strchr(line, '\n');
        if (end != NULL)
            *end = '\0';
        char *at = line;
        const char *const from = read_word(&at), *const to = from ? read_word(&at) : NULL;
        line = end ? end + 1 : NULL;
        if (from == NULL)
            continue;
        const bool is_none = strcmp(from, "-") == 0;
        const uint32_t s = is_none ? MD5_NONE : find_name(source, from);
        const uint32_t t = to ? find_name(target, to) : MD5_NONE;
        const bool is_unknown = s == MD5_NONE && !is_none;
        if (number > MAX_LINES || is_unknown || t == MD5_NONE) {
            is_done = convert_fail(error, MD5_ERROR_MISMATCH, job->map,
                                   to == NULL           ? "expected two names, SOURCE TARGET"
                                   : number > MAX_LINES ? "more than 10000 lines"
                                   : is_unknown         ? "the motion has no joint '%s'"
                                                        : "the model has no joint '%s'",
                                   is_unknown ? from : to);
            error->line = number;
            error->column = 1;
            break;
        }
        set_drive(&target->joints[t], s, s, 0.0);
        target->joints[t].is_mapped = true;
        for (int r = 0; r < NUM_ROLES && !is_none; r++)
            if (source->roles[r] == s)
                target->roles[r] = t;
            else if (target->roles[r] == t)
                source->roles[r] = s;
    }
    free(text);
    return is_done;
}

// Finds who moves whom. Returns the number of joints that are moved.
static uint32_t make_drives(const convert_job *job, const retarget_figure *source,
                            const retarget_figure *target)
{
    const retarget_chain *const spine = &target->chains[SPINE];
    uint32_t num_bent = 0; // of fingers
    COMMON_FOR (c, NUM_CHAINS) {
        const retarget_chain *const to = &target->chains[c], *const from = &source->chains[c];
        if (c >= FINGERS && from->count == 0)
            continue;
        num_bent += c >= FINGERS ? to->count : 0;
        // The bend of the source's is spread over the model's.
        COMMON_FOR (i, to->count) {
            const double at = (double)from->count * (i + 1) / to->count;
            const uint32_t below = (uint32_t)floor(at), above = (uint32_t)ceil(at);
            set_drive(&target->joints[to->joints[i]],
                      below > 0 ? from->joints[below - 1] : from->base,
                      above > 0 ? from->joints[above - 1] : from->base, at - below);
        }
    }
    if (spine->count > 0)
        convert_note(job, "spine: %u joints from %s to %s are bent as %u of the motion",
                     spine->count, target->own[spine->joints[0]].name,
                     target->own[spine->joints[spine->count - 1]].name,
                     source->chains[SPINE].count);
    if (num_bent > 0)
        convert_note(job, "fingers: %u joints are bent", num_bent);
    COMMON_FOR (r, NUM_ROLES) {
        const int word = r / 2;
        const uint32_t from = word == HIPS ? source->pelvis : source->roles[r];
        const uint32_t to = word == HIPS ? target->pelvis : target->roles[r];
        const char *const side = word <= HIPS ? "" : r % 2 == 0 ? "left " : "right ";
        const char *const title = roles[word].title;
        if ((word <= HIPS && r % 2 == 1) || (from == MD5_NONE && to == MD5_NONE))
            continue;
        if (from == MD5_NONE) {
            convert_note(job, "%s%s: not in the motion; in the model %s", side, title,
                         target->own[to].name);
        } else if (to == MD5_NONE) {
            convert_note(job, "%s%s: %s, not in the model", side, title, source->own[from].name);
        } else {
            convert_note(job, "%s%s: %s moves %s", side, title, source->own[from].name,
                         target->own[to].name);
            set_drive(&target->joints[to], from, from, 0.0);
        }
    }
    // What carries both pelvis and chest turns with the pelvis.
    if (source->pelvis != MD5_NONE && target->body != MD5_NONE)
        set_drive(&target->joints[target->body], source->pelvis, source->pelvis, 0.0);
    uint32_t count = 0;
    COMMON_FOR (i, target->num_joints)
        count += target->joints[i].low != MD5_NONE;
    return count;
}

// -- Motion ---------------------------------------------------------------------------------------

typedef struct retarget_transfer {
    const convert_job *job;
    const convert_motion *motion;
    retarget_figure source, target;
    convert_vec start; // of the source's pelvis
    convert_quat turn; // of the whole motion, about z
    double scale;
    double lift;   // raises the model
    bool has_path; // the pelvis is known in both
} retarget_transfer;

static void pose_source(const retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const source = &transfer->source;
    transfer->motion->pose(transfer->motion->user, frame, source->posed);
    place(source, source->posed);
}

// The rotation of a source joint out of its T pose.
static convert_quat rotation_of(const retarget_transfer *transfer, uint32_t joint)
{
    const retarget_figure *const source = &transfer->source;
    return convert_quat_mul(transfer->turn,
                            convert_quat_mul(source->posed[joint].rotation,
                                             convert_conjugate(source->joints[joint].t_pose)));
}

// Poses a joint of the model, whose parent is posed, and if asked for that with which it moves.
static void pose_joint(const retarget_transfer *transfer, uint32_t joint, convert_vec path,
                       bool has_leader)
{
    const retarget_figure *const target = &transfer->target;
    const retarget_joint *const drive = &target->joints[joint];
    const uint32_t parent = target->own[joint].parent, leader = drive->leader;
    convert_xform *const to = &target->posed[joint];
    convert_quat turned = no_turn;
    *to = parent == MD5_NONE ? target->rest[joint]
                             : convert_mul(target->posed[parent], target->own[joint].rest);
    if (drive->low != MD5_NONE) {
        turned = convert_slerp(rotation_of(transfer, drive->low),
                               rotation_of(transfer, drive->high), drive->part);
        to->rotation = convert_quat_mul(turned, drive->t_pose);
    } else if (leader != MD5_NONE && has_leader) {
        *to = convert_mul(target->posed[leader],
                          convert_mul(convert_inverse(target->rest[leader]), target->rest[joint]));
    }
    // Joint 0, if it is above the body, takes the path along the ground: it is the joint whose
    // motion games take as that of the character.
    if (joint == target->body) {
        to->translation =
            convert_add(convert_add(target->rest[target->pelvis].translation, path),
                        convert_rotate(turned, bone(target->rest, target->pelvis, joint)));
    } else if (joint == 0 && parent == MD5_NONE && transfer->has_path) {
        to->translation =
            convert_add(target->rest[0].translation, (convert_vec){path.x, path.y, 0.0});
    }
}

// Poses the model in a frame.
static void pose_model(const retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const target = &transfer->target, *const source = &transfer->source;
    convert_vec path = {0.0, 0.0, 0.0};
    pose_source(transfer, frame);
    if (transfer->has_path)
        path = convert_times(
            convert_rotate(transfer->turn,
                           convert_sub(source->posed[source->pelvis].translation, transfer->start)),
            transfer->scale);
    if (transfer->job->is_in_place)
        path.x = path.y = 0.0;
    path.z += transfer->lift;
    // Twice, as joints that lead others can come behind them.
    COMMON_FOR (time, 2)
        COMMON_FOR (i, target->num_joints)
            pose_joint(transfer, target->order[i], path, time > 0);
}

// For the motion of the model.
static void pose_clip(void *user, uint32_t frame, convert_xform *local)
{
    const retarget_transfer *const transfer = user;
    const retarget_figure *const target = &transfer->target;
    pose_model(transfer, frame);
    COMMON_FOR (i, target->num_joints) {
        const uint32_t parent = target->own[i].parent;
        const convert_xform from = parent == MD5_NONE ? target->space : target->posed[parent];
        local[i] = convert_mul(convert_inverse(from), target->posed[i]);
    }
}

// Raises the model so that feet stand where they do in the bind pose: in nearly all frames none is
// lower.
static void find_lift(retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const uint32_t num_frames = transfer->motion->num_frames;
    double *const lows = common_alloc(num_frames, sizeof *lows);
    COMMON_FOR (frame, num_frames) {
        pose_model(transfer, frame);
        lows[frame] = HUGE_VAL;
        for (int r = 2 * FOOT; r < 2 * TOE + 2; r++) {
            const uint32_t joint = target->roles[r];
            if (joint != MD5_NONE)
                lows[frame] = fmin(lows[frame], target->posed[joint].translation.z
                                                    - target->rest[joint].translation.z);
        }
    }
    qsort(lows, num_frames, sizeof *lows, common_compare_doubles);
    const double lift = -lows[num_frames / 20];
    if (transfer->has_path && isfinite(lift))
        transfer->lift = lift;
    if (transfer->lift != 0.0)
        convert_note(transfer->job,
                     "it is raised by %.6g units, so that feet stand as in the bind pose",
                     transfer->lift);
    free(lows);
}

// Turns the motion by quarters so that it begins facing the model's front.
static void find_turn(retarget_transfer *transfer)
{
    pose_source(transfer, 0);
    const convert_vec left = left_of(&transfer->source, transfer->source.posed);
    const double yaw = length_of(left) > 0.5 ? atan2(-left.x, left.y) * 180.0 / pi : 0.0;
    const double quarters = floor(yaw / 90.0 + 0.5);
    const double half = -90.0 * quarters * pi / 360.0;
    transfer->turn = (convert_quat){0.0, 0.0, sin(half), cos(half)};
    if (quarters != 0.0)
        convert_note(transfer->job,
                     "the motion begins turned by %.0f degrees to the left: it is turned by %.0f, "
                     "so that it begins forward",
                     yaw, -90.0 * quarters);
    else if (fabs(yaw) > 15.0)
        convert_note(transfer->job,
                     "the motion begins turned by %.0f degrees to the left: --turn %.0f would "
                     "make it begin forward",
                     yaw, -yaw);
}

// Feet that walk must not slide: the path is as much longer as the legs are.
static void find_path(retarget_transfer *transfer)
{
    const retarget_figure *const source = &transfer->source, *const target = &transfer->target;
    transfer->has_path = source->pelvis != MD5_NONE && target->body != MD5_NONE;
    const double from = leg_length(source, target), to = leg_length(target, source);
    transfer->scale = from > 0.0 && to > 0.0 ? to / from : 1.0;
    if (transfer->has_path)
        transfer->start = source->posed[source->pelvis].translation;
    convert_note(transfer->job, "the motion is scaled by %.6g, %s", transfer->scale,
                 from > 0.0 && to > 0.0 ? "the ratio of the legs"
                                        : "as thighs and shins are not in both skeletons");
    if (transfer->start.x != 0.0 || transfer->start.y != 0.0)
        convert_note(transfer->job, "it began %.6g units from the origin of the motion's file",
                     transfer->scale * hypot(transfer->start.x, transfer->start.y));
}

bool convert_retarget(const convert_job *job, const convert_motion *motion, const md5_model *model,
                      convert_scene *scene, const char *name, md5_error *error)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    convert_joint *const joints = common_alloc(num_joints, sizeof *joints);
    COMMON_FOR (i, num_joints)
        joints[i] =
            (convert_joint){model->skeleton.joints[i].name, model->skeleton.joints[i].parent,
                            convert_from_xform(model->bind_local[i])};
    retarget_transfer transfer = {
        .job = job,
        .motion = motion,
        .source = make_figure(motion->joints, motion->num_joints, NULL),
        .target = make_figure(joints, num_joints, model),
    };
    retarget_figure *const source = &transfer.source, *const target = &transfer.target;
    bool is_done = job->map == NULL || read_map(job, source, target, error);
    if (is_done) {
        complete_figure(source);
        complete_figure(target);
        is_done = make_drives(job, source, target) > 0
                  || convert_fail(error, MD5_ERROR_MISMATCH, motion->path,
                                  "no joint's name says what it is in both skeletons: --map FILE "
                                  "names pairs");
    }
    if (is_done) {
        find_turn(&transfer);
        find_path(&transfer);
        find_lift(&transfer);
        const convert_motion moved = {.num_joints = num_joints,
                                      .joints = joints,
                                      .num_frames = motion->num_frames,
                                      .rate = motion->rate,
                                      .pose = pose_clip,
                                      .user = &transfer};
        is_done = convert_add_clip(scene, name, &moved, model, error);
    }
    free_figure(target);
    free_figure(source);
    free(joints);
    return is_done;
}
