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

// Words of names that say nothing of the role.
static const char fillers[] = " def org ctrl fk mixamorig bip bone jnt j b c cc base sk ";

static bool has_word(const char *words, const char *word, size_t *rank)
{
    char *const whole = common_format(" %s ", word);
    const char *const at = strstr(words, whole);
    free(whole);
    if (at != NULL && rank != NULL)
        *rank = (size_t)(at - words);
    return at != NULL;
}

// Writes what a name says of the role: in small letters, without prefix, side and numbers. Returns
// 0 for left, 1 for right, -1 for neither.
static int read_name(const char *name, char *said, size_t room)
{
    const char *const colon = strrchr(name, ':');
    const char *c = colon ? colon + 1 : name;
    size_t used = 0;
    int side = -1;
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
            side = 0;
        else if (strcmp(word, "r") == 0 || strcmp(word, "right") == 0)
            side = 1;
        else if (!has_word(fillers, word, NULL) && used + length < room) {
            memcpy(said + used, word, length);
            used += length;
        }
    }
    said[used] = '\0';
    return side;
}

typedef struct retarget_joint {
    const char *name;
    uint32_t parent, depth;
    uint32_t load;       // weights of vertices on it and on what hangs on it
    convert_xform rest;  // model space
    convert_quat t_pose; // model space
} retarget_joint;

typedef struct retarget_figure { // one of the two skeletons
    uint32_t num_joints;
    retarget_joint *joints; // [num_joints]
    uint32_t *order;        // [num_joints] parents first
    uint32_t roles[NUM_ROLES];
    uint32_t *spine,
        *neck; // from below; behind the pelvis up to the chest, behind that to the head
    uint32_t num_spine, num_neck;
    uint32_t pelvis, body; // what the thighs hang on; what pelvis and chest hang on
    convert_quat axes;     // to x forward, y left, z up
} retarget_figure;

// Of joints whose names say the same, as in rigs with joints for control, deformation and helpers,
// the one that moves most of the skin has the role; else the first.
static void guess_roles(retarget_figure *figure)
{
    size_t ranks[NUM_ROLES];
    for (int r = 0; r < NUM_ROLES; r++)
        figure->roles[r] = MD5_NONE;
    for (uint32_t i = 0; i < figure->num_joints; i++) {
        const uint32_t joint = figure->order[i];
        char said[64];
        int side = read_name(figure->joints[joint].name, said, sizeof said);
        const bool has_side = side >= 0;
        // The side can also begin the only word: leftleg, or, of old, luparm.
        size_t skipped = 0;
        if (!has_side && (said[0] == 'l' || said[0] == 'r')) {
            side = said[0] == 'r';
            skipped = strncmp(said, "left", 4) == 0 ? 4 : strncmp(said, "right", 5) == 0 ? 5 : 1;
        }
        for (int w = 0; w < NUM_WORDS; w++) {
            const bool is_middle = w <= HIPS;
            const int role = 2 * w + (is_middle ? 0 : side);
            size_t rank;
            if (is_middle ? has_side : side < 0)
                continue;
            if (has_word(roles[w].words, said + (is_middle ? 0 : skipped), &rank)
                && (figure->roles[role] == MD5_NONE || rank < ranks[role]
                    || (rank == ranks[role]
                        && figure->joints[joint].load
                               > figure->joints[figure->roles[role]].load))) {
                figure->roles[role] = joint;
                ranks[role] = rank;
            }
        }
    }
    // A shoulder is the upper arm if there is no other, and a leg the thigh.
    for (int side = 0; side < 2; side++) {
        if (figure->roles[2 * CLAVICLE + side] == figure->roles[2 * UPPER_ARM + side])
            figure->roles[2 * CLAVICLE + side] = MD5_NONE;
        if (figure->roles[2 * SHIN + side] == figure->roles[2 * THIGH + side])
            figure->roles[2 * SHIN + side] = MD5_NONE;
    }
}

// The deepest joint that both hang on, or are; NONE if one of them is NONE.
static uint32_t common_parent(const retarget_figure *figure, uint32_t a, uint32_t b)
{
    while (a != b && a != MD5_NONE && b != MD5_NONE) {
        uint32_t *const deeper = figure->joints[a].depth >= figure->joints[b].depth ? &a : &b;
        *deeper = figure->joints[*deeper].parent;
    }
    return a == b ? a : MD5_NONE;
}

// Writes the joints from `top` down to above `bottom`, from below.
static uint32_t find_chain(const retarget_figure *figure, uint32_t bottom, uint32_t top,
                           uint32_t *chain)
{
    uint32_t count = 0;
    for (uint32_t j = top; j != bottom && j != MD5_NONE; j = figure->joints[j].parent)
        chain[count++] = j;
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t swapped = chain[i];
        chain[i] = chain[count - 1 - i];
        chain[count - 1 - i] = swapped;
    }
    return count;
}

static convert_vec rest_of(const retarget_figure *figure, uint32_t joint)
{
    return figure->joints[joint].rest.translation;
}

static double length_of(convert_vec v)
{
    return sqrt(convert_dot(v, v));
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

// From right to left, of joints[] in a pose, NULL: at rest; 0 if neither legs nor arms are known.
static convert_vec left_of(const retarget_figure *figure, const convert_xform *joints)
{
    convert_vec sum = {0.0, 0.0, 0.0};
    for (int word = UPPER_ARM; word <= THIGH; word += THIGH - UPPER_ARM) {
        const uint32_t l = figure->roles[2 * word], r = figure->roles[2 * word + 1];
        if (l == MD5_NONE || r == MD5_NONE)
            continue;
        const convert_vec left = joints ? joints[l].translation : rest_of(figure, l);
        const convert_vec right = joints ? joints[r].translation : rest_of(figure, r);
        sum = convert_add(sum, unit_of(convert_sub(left, right)));
    }
    return sum;
}

// Up is the axis along which the chest or the head is above the pelvis; left is the axis from the
// right limbs to the left ones, or between axes, if it is.
static void find_axes(retarget_figure *figure, bool has_y_up)
{
    const convert_quat y_up = {0.5, 0.5, 0.5, 0.5};
    figure->axes = has_y_up ? y_up : (convert_quat){0.0, 0.0, 0.0, 1.0};
    const uint32_t head = figure->roles[2 * HEAD];
    const convert_vec side = left_of(figure, NULL);
    if (figure->pelvis == MD5_NONE || head == MD5_NONE || length_of(side) < 0.5)
        return;
    const convert_vec up =
        nearest_axis(convert_sub(rest_of(figure, head), rest_of(figure, figure->pelvis)));
    convert_vec left = unit_of(convert_sub(side, convert_times(up, convert_dot(side, up))));
    if (convert_dot(left, nearest_axis(left)) > 0.9)
        left = nearest_axis(left);
    const convert_vec front = convert_cross(left, up);
    const md5_quat q = md5_quat_from_mat34((md5_mat34){
        {(float)front.x, (float)front.y, (float)front.z, 0.0f, (float)left.x, (float)left.y,
         (float)left.z, 0.0f, (float)up.x, (float)up.y, (float)up.z, 0.0f}});
    figure->axes = convert_unit((convert_quat){(double)q.x, (double)q.y, (double)q.z, (double)q.w});
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

// Arms to the sides, legs down; feet as they stand at rest: a model whose shins lean keeps its
// soles on the ground. Each limb is turned the shortest way, which keeps palms and knees as they
// are, and carries what hangs on it.
static void make_t_pose(retarget_figure *figure)
{
    const convert_quat back = convert_conjugate(figure->axes);
    const convert_vec front = convert_rotate(back, (convert_vec){1.0, 0.0, 0.0});
    const convert_vec left = convert_rotate(back, (convert_vec){0.0, 1.0, 0.0});
    const convert_vec up = convert_rotate(back, (convert_vec){0.0, 0.0, 1.0});
    static const int limbs[][2] = {
        {UPPER_ARM, FOREARM}, {FOREARM, HAND}, {THIGH, SHIN}, {SHIN, FOOT}};
    convert_quat *const turns = common_alloc(figure->num_joints, sizeof *turns);
    for (uint32_t i = 0; i < figure->num_joints; i++) {
        const uint32_t joint = figure->order[i], parent = figure->joints[joint].parent;
        turns[joint] = parent == MD5_NONE ? (convert_quat){0.0, 0.0, 0.0, 1.0} : turns[parent];
        for (int k = 0; k < 8; k++) {
            const int *const limb = limbs[k / 2], side = k % 2;
            const uint32_t end = figure->roles[2 * limb[1] + side];
            if (figure->roles[2 * limb[0] + side] != joint || end == MD5_NONE)
                continue;
            const bool is_arm = limb[0] == UPPER_ARM || limb[0] == FOREARM;
            const convert_vec bone = convert_rotate(
                turns[joint], convert_sub(rest_of(figure, end), rest_of(figure, joint)));
            const convert_vec wanted =
                is_arm ? convert_times(left, side == 0 ? 1.0 : -1.0) : convert_times(up, -1.0);
            if (length_of(bone) > 0.0)
                turns[joint] =
                    convert_quat_mul(between(bone, wanted, is_arm ? front : left), turns[joint]);
        }
        if (joint == figure->roles[2 * FOOT] || joint == figure->roles[2 * FOOT + 1])
            turns[joint] = (convert_quat){0.0, 0.0, 0.0, 1.0};
        figure->joints[joint].t_pose =
            convert_quat_mul(turns[joint], figure->joints[joint].rest.rotation);
    }
    free(turns);
}

// What follows from the roles. Which joints the spine and the neck have is a matter of the
// hierarchy, as names of these differ most.
static void complete_figure(retarget_figure *figure, bool has_y_up)
{
    const uint32_t *const role = figure->roles;
    figure->pelvis = common_parent(figure, role[2 * THIGH], role[2 * THIGH + 1]);
    if (figure->pelvis == MD5_NONE)
        figure->pelvis = role[2 * HIPS];
    const uint32_t head = role[2 * HEAD];
    uint32_t chest = common_parent(figure, role[2 * UPPER_ARM], role[2 * UPPER_ARM + 1]);
    if (chest == MD5_NONE && head != MD5_NONE)
        chest = figure->joints[head].parent;
    figure->body = chest != MD5_NONE ? common_parent(figure, figure->pelvis, chest) : MD5_NONE;
    if (figure->body == MD5_NONE)
        figure->body = figure->pelvis;
    figure->num_spine = figure->num_neck = 0;
    if (chest != MD5_NONE && common_parent(figure, figure->body, chest) == figure->body)
        figure->num_spine = find_chain(figure, figure->body, chest, figure->spine);
    if (head != MD5_NONE && chest != MD5_NONE && common_parent(figure, chest, head) == chest
        && head != chest)
        figure->num_neck = find_chain(figure, chest, figure->joints[head].parent, figure->neck);
    find_axes(figure, has_y_up);
    make_t_pose(figure);
}

static void free_figure(retarget_figure *figure)
{
    free(figure->joints);
    free(figure->order);
}

// The skeleton of a model or, without one, of a motion, and who is who in it.
static retarget_figure make_figure(const convert_motion *motion, const md5_model *model)
{
    const md5_skeleton *const skeleton = model != NULL ? &model->skeleton : NULL;
    const uint32_t num_joints = model != NULL ? skeleton->num_joints : motion->num_joints;
    retarget_figure figure = {.num_joints = num_joints};
    figure.joints = common_alloc(num_joints, sizeof *figure.joints);
    figure.order = common_alloc(3 * (size_t)num_joints, sizeof *figure.order);
    figure.spine = figure.order + num_joints;
    figure.neck = figure.spine + num_joints;
    for (uint32_t i = 0; i < num_joints; i++) {
        const uint32_t joint = model != NULL ? skeleton->order[i] : i;
        retarget_joint *const to = &figure.joints[joint];
        figure.order[i] = joint;
        to->name = model != NULL ? skeleton->joints[joint].name : motion->names[joint];
        to->parent = model != NULL ? skeleton->joints[joint].parent : motion->parents[joint];
        to->rest =
            model != NULL ? convert_from_xform(model->bind_local[joint]) : motion->rest[joint];
        if (to->parent == MD5_NONE)
            continue;
        const retarget_joint *const parent = &figure.joints[to->parent];
        to->depth = parent->depth + 1;
        if (model != NULL)
            to->rest = convert_mul(parent->rest, to->rest);
    }
    for (uint32_t m = 0; model != NULL && m < model->num_meshes; m++)
        for (uint32_t k = 0; k < model->meshes[m].num_influences; k++)
            figure.joints[model->meshes[m].influence_joints[k]].load++;
    for (uint32_t i = num_joints; i-- > 0;) {
        const retarget_joint *const joint = &figure.joints[figure.order[i]];
        if (joint->parent != MD5_NONE)
            figure.joints[joint->parent].load += joint->load;
    }
    guess_roles(&figure);
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
            sum += length_of(convert_sub(rest_of(figure, from), rest_of(figure, to)));
    }
    return sum;
}

convert_quat convert_measure_motion(const convert_motion *motion, double *legs)
{
    retarget_figure figure = make_figure(motion, NULL);
    complete_figure(&figure, true);
    *legs = 0.5 * leg_length(&figure, &figure);
    free_figure(&figure);
    return figure.axes;
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
    for (uint32_t i = 0; i < figure->num_joints; i++)
        if (strcmp(figure->joints[i].name, name) == 0)
            return i;
    return MD5_NONE;
}

// Lines of SOURCE TARGET. A pair is also a role, if one of its joints has one: so that a map of the
// limbs is enough for a T pose. Writes pairs[target joints]; "-" instead of a source: none.
static bool read_map(const convert_job *job, retarget_figure *source, retarget_figure *target,
                     uint32_t *pairs, bool *is_fixed, md5_error *error)
{
    enum { MOST_LINES = 10000 };
    size_t size = 0;
    const char *reason = NULL;
    char *text = common_read_stream(job->map, &size, &reason);
    if (text == NULL)
        return convert_fail(error, MD5_ERROR_IO, job->map, "cannot read the file: %s", reason);
    text = common_realloc(text, size + 1, 1);
    text[size] = '\0';
    bool is_done = true;
    uint32_t number = 1;
    for (char *line = text; line != NULL && is_done; number++) {
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
        if (number > MOST_LINES || to == NULL || (s == MD5_NONE && !is_none) || t == MD5_NONE) {
            is_done = convert_fail(error, MD5_ERROR_MISMATCH, job->map,
                                   to == NULL                  ? "expected two names, SOURCE TARGET"
                                   : number > MOST_LINES       ? "more than 10000 lines"
                                   : s == MD5_NONE && !is_none ? "the motion has no joint '%s'"
                                                               : "the model has no joint '%s'",
                                   to != NULL && s == MD5_NONE && !is_none ? from : to);
            error->line = number;
            error->column = 1;
            break;
        }
        pairs[t] = s;
        is_fixed[t] = true;
        for (int r = 0; r < NUM_ROLES && !is_none; r++)
            if (source->roles[r] == s)
                target->roles[r] = t;
            else if (target->roles[r] == t)
                source->roles[r] = s;
    }
    free(text);
    return is_done;
}

// -- Drives ---------------------------------------------------------------------------------------

// What turns a joint of the model: a source joint, or one that is between two.
typedef struct retarget_drive {
    uint32_t low, high; // MD5_NONE: nothing does
    double part;        // of the way from low to high
} retarget_drive;

// Spreads the bend of a chain of the source, which begins at `base`, over one of the model.
static void drive_chain(retarget_drive *drives, const uint32_t *chain, uint32_t count,
                        uint32_t base, const uint32_t *from, uint32_t num_from)
{
    for (uint32_t i = 0; i < count; i++) {
        const double at = (double)num_from * (i + 1) / count;
        const uint32_t below = (uint32_t)floor(at), above = (uint32_t)ceil(at);
        drives[chain[i]] = (retarget_drive){below > 0 ? from[below - 1] : base,
                                            above > 0 ? from[above - 1] : base, at - below};
    }
}

static void note_pair(const convert_job *job, const retarget_figure *source,
                      const retarget_figure *target, uint32_t from, uint32_t to, const char *what,
                      const char *side)
{
    convert_note(job, "%s%s: %s%s%s", side, what, from != MD5_NONE ? source->joints[from].name : "",
                 from != MD5_NONE && to != MD5_NONE ? " moves "
                 : to != MD5_NONE                   ? "not in the motion; in the model "
                                                    : ", not in the model",
                 to != MD5_NONE ? target->joints[to].name : "");
}

// Finds who moves whom. Returns the number of joints that are moved.
static uint32_t make_drives(const convert_job *job, const retarget_figure *source,
                            const retarget_figure *target, const uint32_t *pairs,
                            const bool *is_fixed, retarget_drive *drives)
{
    for (uint32_t i = 0; i < target->num_joints; i++)
        drives[i] = (retarget_drive){MD5_NONE, MD5_NONE, 0.0};
    drive_chain(drives, target->spine, target->num_spine, source->body, source->spine,
                source->num_spine);
    const uint32_t chest =
        source->num_spine > 0 ? source->spine[source->num_spine - 1] : source->body;
    drive_chain(drives, target->neck, target->num_neck, chest, source->neck, source->num_neck);
    if (target->num_spine > 0)
        convert_note(job, "spine: %u joints from %s to %s are bent as %u of the motion",
                     target->num_spine, target->joints[target->spine[0]].name,
                     target->joints[target->spine[target->num_spine - 1]].name, source->num_spine);
    for (int r = 0; r < NUM_ROLES; r++) {
        const int word = r / 2;
        const uint32_t from = word == HIPS ? source->pelvis : source->roles[r];
        const uint32_t to = word == HIPS ? target->pelvis : target->roles[r];
        if ((word <= HIPS && r % 2 == 1) || (from == MD5_NONE && to == MD5_NONE))
            continue;
        note_pair(job, source, target, from, to, roles[word].title,
                  word <= HIPS ? ""
                  : r % 2 == 0 ? "left "
                               : "right ");
        if (from != MD5_NONE && to != MD5_NONE)
            drives[to] = (retarget_drive){from, from, 0.0};
    }
    // What carries both pelvis and chest turns with the pelvis.
    if (source->pelvis != MD5_NONE && target->body != MD5_NONE)
        drives[target->body] = (retarget_drive){source->pelvis, source->pelvis, 0.0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < target->num_joints; i++) {
        if (is_fixed[i])
            drives[i] = (retarget_drive){pairs[i], pairs[i], 0.0};
        if (drives[i].low == MD5_NONE || drives[i].high == MD5_NONE)
            drives[i].low = drives[i].high = MD5_NONE;
        count += drives[i].low != MD5_NONE;
    }
    return count;
}

// -- Motion ---------------------------------------------------------------------------------------

typedef struct retarget_transfer {
    const convert_job *job;
    const convert_motion *motion;
    retarget_figure source, target;
    retarget_drive *drives; // [target joints]
    convert_xform *from;    // [source joints] a frame
    convert_xform *to;      // [target joints]
    convert_vec start;      // of the source's pelvis
    convert_quat turn;      // of the whole motion, about z
    double scale;
    bool has_path; // the pelvis is known in both
} retarget_transfer;

// The rotation of a source joint out of its T pose, with x forward, y left and z up.
static convert_quat rotation_of(const retarget_transfer *transfer, uint32_t joint)
{
    const retarget_figure *const source = &transfer->source;
    const convert_quat out = convert_quat_mul(transfer->from[joint].rotation,
                                              convert_conjugate(source->joints[joint].t_pose));
    const convert_quat turned =
        convert_quat_mul(convert_quat_mul(source->axes, out), convert_conjugate(source->axes));
    return convert_quat_mul(transfer->turn, turned);
}

// Where the source's pelvis has moved since the start, in the model's space and units.
static convert_vec path_of(const retarget_transfer *transfer)
{
    const convert_vec moved =
        convert_sub(transfer->from[transfer->source.pelvis].translation, transfer->start);
    convert_vec path = convert_rotate(transfer->turn, convert_rotate(transfer->source.axes, moved));
    if (transfer->job->is_in_place)
        path.x = path.y = 0.0;
    return convert_rotate(convert_conjugate(transfer->target.axes),
                          convert_times(path, transfer->scale));
}

// Poses the model in a frame. `lift` raises it along its up.
static void pose_model(retarget_transfer *transfer, uint32_t frame, double lift)
{
    const retarget_figure *const target = &transfer->target;
    const convert_quat axes = target->axes, back = convert_conjugate(axes);
    const convert_vec up = convert_rotate(back, (convert_vec){0.0, 0.0, 1.0});
    transfer->motion->pose(transfer->motion->user, frame, transfer->from);
    convert_vec path = convert_times(up, lift);
    if (transfer->has_path)
        path = convert_add(path, path_of(transfer));
    for (uint32_t i = 0; i < target->num_joints; i++) {
        const uint32_t joint = target->order[i], parent = target->joints[joint].parent;
        const retarget_drive *const drive = &transfer->drives[joint];
        convert_xform *const to = &transfer->to[joint];
        const convert_xform rest = target->joints[joint].rest;
        *to = parent == MD5_NONE
                  ? rest
                  : convert_mul(transfer->to[parent],
                                convert_mul(convert_inverse(target->joints[parent].rest), rest));
        convert_quat turned = {0.0, 0.0, 0.0, 1.0};
        if (drive->low != MD5_NONE) {
            turned = convert_slerp(rotation_of(transfer, drive->low),
                                   rotation_of(transfer, drive->high), drive->part);
            turned = convert_quat_mul(convert_quat_mul(back, turned), axes);
            to->rotation = convert_quat_mul(turned, target->joints[joint].t_pose);
        }
        // Joint 0, if it is above the body, takes the path along the ground: it is the joint whose
        // motion games take as that of the character.
        if (joint == target->body) {
            const convert_vec pelvis = rest_of(target, target->pelvis);
            to->translation =
                convert_add(convert_add(pelvis, path),
                            convert_rotate(turned, convert_sub(rest.translation, pelvis)));
        } else if (joint == 0 && parent == MD5_NONE && transfer->has_path)
            to->translation = convert_add(
                rest.translation, convert_sub(path, convert_times(up, convert_dot(path, up))));
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// How far the model must be raised so that feet stand where they do in the bind pose: in nearly all
// frames none is lower.
static double find_lift(retarget_transfer *transfer, double *lows)
{
    const retarget_figure *const target = &transfer->target;
    const convert_vec up =
        convert_rotate(convert_conjugate(target->axes), (convert_vec){0.0, 0.0, 1.0});
    bool has_feet = false;
    for (uint32_t frame = 0; frame < transfer->motion->num_frames; frame++) {
        pose_model(transfer, frame, 0.0);
        lows[frame] = HUGE_VAL;
        for (int r = 2 * FOOT; r < 2 * TOE + 2; r++) {
            const uint32_t joint = target->roles[r];
            if (joint == MD5_NONE)
                continue;
            has_feet = true;
            lows[frame] =
                fmin(lows[frame], convert_dot(up, convert_sub(transfer->to[joint].translation,
                                                              rest_of(target, joint))));
        }
    }
    if (!has_feet || !transfer->has_path)
        return 0.0;
    qsort(lows, transfer->motion->num_frames, sizeof *lows, compare_doubles);
    return -lows[transfer->motion->num_frames / 20];
}

// Turns the motion by quarters so that it begins facing the model's front.
static void find_turn(retarget_transfer *transfer)
{
    const retarget_figure *const source = &transfer->source;
    transfer->motion->pose(transfer->motion->user, 0, transfer->from);
    const convert_vec left = convert_rotate(source->axes, left_of(source, transfer->from));
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
        transfer->start = transfer->from[source->pelvis].translation;
    const convert_vec start = convert_rotate(source->axes, transfer->start);
    convert_note(transfer->job, "the motion is scaled by %.6g, %s", transfer->scale,
                 from > 0.0 && to > 0.0 ? "the ratio of the legs"
                                        : "as thighs and shins are not in both skeletons");
    if (start.x != 0.0 || start.y != 0.0)
        convert_note(transfer->job, "it began %.6g units from the origin of the motion's file",
                     transfer->scale * hypot(start.x, start.y));
}

// Only what is moved has components in the frames.
static bool add_clip(retarget_transfer *transfer, double lift, const md5_model *model,
                     convert_scene *scene, const char *name, md5_error *error)
{
    const retarget_figure *const target = &transfer->target;
    md5_doc doc = {.kind = MD5_DOC_ANIM, .command_line = "md5tool convert"};
    doc.num_joints = target->num_joints;
    doc.joints = common_alloc(doc.num_joints, sizeof *doc.joints);
    for (uint32_t i = 0; i < doc.num_joints; i++) {
        const bool is_moved = i == target->body || (i == 0 && target->joints[i].parent == MD5_NONE);
        convert_set_track(&doc, i, target->joints[i].name, target->joints[i].parent,
                          (is_moved && transfer->has_path ? 7u : 0u)
                              | (transfer->drives[i].low != MD5_NONE || is_moved ? 56u : 0u),
                          convert_from_xform(model->bind_local[i]));
    }
    doc.num_frames = transfer->motion->num_frames;
    doc.frame_rate = transfer->motion->rate;
    convert_begin_frames(&doc);
    for (uint32_t frame = 0; frame < doc.num_frames; frame++) {
        pose_model(transfer, frame, lift);
        for (uint32_t i = doc.num_joints; i > 0; i--) { // a child before its parent
            const uint32_t joint = target->order[i - 1], parent = target->joints[joint].parent;
            if (parent != MD5_NONE)
                transfer->to[joint] =
                    convert_mul(convert_inverse(transfer->to[parent]), transfer->to[joint]);
        }
        convert_set_frame(&doc, frame, transfer->to);
    }
    const bool has_bounds =
        model->max_vertices == 0 || md5_fix_bounds(&doc, model, error) != MD5_NONE;
    const bool is_done = has_bounds && convert_add_doc(scene, CONVERT_CLIP, name, &doc, error);
    md5_free_doc(&doc); // the bounds
    free(doc.numbers);
    free(doc.joints);
    return is_done;
}

bool convert_retarget(const convert_job *job, const convert_motion *motion, const md5_model *model,
                      convert_scene *scene, const char *name, md5_error *error)
{
    retarget_transfer transfer = {.job = job, .motion = motion};
    transfer.source = make_figure(motion, NULL);
    transfer.target = make_figure(motion, model);
    const uint32_t num_joints = transfer.target.num_joints;
    uint32_t *const pairs = common_alloc(num_joints, sizeof *pairs);
    bool *const is_fixed = common_alloc(num_joints, sizeof *is_fixed);
    transfer.drives = common_alloc(num_joints, sizeof *transfer.drives);
    transfer.from = common_alloc(motion->num_joints, sizeof *transfer.from);
    transfer.to = common_alloc(num_joints, sizeof *transfer.to);
    double *const lows = common_alloc(motion->num_frames, sizeof *lows);
    bool is_done = job->map == NULL
                   || read_map(job, &transfer.source, &transfer.target, pairs, is_fixed, error);
    if (is_done) {
        complete_figure(&transfer.source, true);
        complete_figure(&transfer.target, false);
        is_done =
            make_drives(job, &transfer.source, &transfer.target, pairs, is_fixed, transfer.drives)
                > 0
            || convert_fail(error, MD5_ERROR_MISMATCH, motion->path,
                            "no joint's name says what it is in both skeletons: --map FILE "
                            "names pairs");
    }
    if (is_done) {
        find_turn(&transfer);
        find_path(&transfer);
        const double lift = find_lift(&transfer, lows);
        if (lift != 0.0)
            convert_note(job, "it is raised by %.6g units, so that feet stand as in the bind pose",
                         lift);
        is_done = add_clip(&transfer, lift, model, scene, name, error);
    }
    free(lows);
    free(transfer.to);
    free(transfer.from);
    free(transfer.drives);
    free(is_fixed);
    free(pairs);
    free_figure(&transfer.target);
    free_figure(&transfer.source);
    return is_done;
}
