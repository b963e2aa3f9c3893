// Retargeting: who is who in both skeletons, by names, and between those by the hierarchy; pairs of
// joints of that, with which the library transfers poses; then feet stand where they should.
#include "demo/convert/retarget.h"

static const md5_quat no_turn = {0, 0, 0, 1};

// -- Roles ----------------------------------------------------------------------------------------

enum { HIPS, SPINE, NECK, HEAD, CLAVICLE, UPPER_ARM, FOREARM, HAND, THIGH, SHIN, FOOT, TOE, THUMB };
enum { NUM_WORDS = THUMB + 5, NUM_ROLES = 2 * NUM_WORDS, NUM_NEEDED = 12, NUM_COUNTED = 19 };
// 2 * word + side: left and right; up to the head the first.

// Each is looked for below an earlier one, or elsewhere if that is not strict; a clavicle above.
static const struct role {
    const char *title, *words; // what names are without side, prefix and numbers; the best first
    int from;
    bool is_strict;
} roles[NUM_WORDS] = {
    [HIPS] = {"hips", " hips pelvis hip root pubis waist ", -1, false},
    [SPINE] = {"spine", "", -1, false},
    [NECK] = {"neck", " neck loneck ", -1, false},
    [HEAD] = {"head", " head skull ", -1, false},
    [CLAVICLE] = {"clavicle", " clavicle clavical clav collar collarbone scapula shoulder shldr ",
                  UPPER_ARM, true},
    [UPPER_ARM] = {"upper arm", " upperarm uparm armupper humerus bicep arm shoulder shldr ", -1,
                   false},
    [FOREARM] = {"forearm", " forearm lowerarm lowarm loarm armlower elbow ", UPPER_ARM, false},
    [HAND] = {"hand", " hand wrist ", FOREARM, false},
    [THIGH] = {"thigh", " thigh upleg upperleg legupper femur leg hip ", -1, false},
    [SHIN] = {"shin", " shin calf lowerleg lowleg loleg leglower knee leg ", THIGH, false},
    [FOOT] = {"foot", " ankle foot upperfoot ", SHIN, false},
    [TOE] = {"toe", " ball toe toes toebase lowerfoot middletoe foot ", FOOT, true},
    // Of fingers these are the ends of names.
    [THUMB] = {"thumb", " thumb ", HAND, true},
    {"index", " index point ", HAND, true},
    {"middle", " middle mid ", HAND, true},
    {"ring", " ring ", HAND, true},
    {"pinky", " pinky little ", HAND, true},
};

// Words of names that say nothing of the role, and those of helpers, which come last.
static const char fillers[] = " def org mixamorig bip bone jnt j b c cc base sk f finger ";
static const char helpers[] =
    " ik fk mch pole pt target goal null tag attach twist roll orbit focus ctrl ";

// Where a word stands among others; NULL: nowhere.
static const char *find_word(const char *words, const char *word)
{
    char *const whole = common_format(" %s ", word);
    const char *const at = strstr(words, whole);
    free(whole);
    return at;
}

// Joints one below the other, as those of a spine. Its bend is spread over that of the other
// skeleton.
enum { MAX_CHAIN = 64 };
typedef struct retarget_chain {
    uint32_t first, last; // MD5_NONE: there is none
} retarget_chain;

typedef struct retarget_joint {
    uint32_t depth;
    char said[64]; // by the name, in small letters, without prefix, side and numbers
    int side;      // 0 left, 1 right, -1 neither
    bool is_helper;
    bool is_below;
    uint32_t load;   // weights of vertices on it and on what hangs on it
    uint32_t leader; // with which it moves as one piece; MD5_NONE: none
    // Of the model, what turns it: a joint of the source, or one that is between two.
    uint32_t low, high; // MD5_NONE: nothing does
    float part;         // of the way from low to high
    bool is_mapped;     // by the user; of the source: it drives nothing
    int align;       // 1: the bone is turned as the source's, -1: it is not, 0: if it is a limb's
    bool is_chained; // by a chain of another length
    bool is_idle;    // the library says that nothing drives it
} retarget_joint;

// One of the two skeletons.
typedef struct retarget_figure {
    const md5_model *model;
    const md5_skeleton *skeleton; // of the model
    retarget_joint *joints;       // [num_joints]
    md5_xform *rest;              // [num_joints] model space
    retarget_chain roles[NUM_ROLES];
    uint32_t pelvis, body; // what the thighs hang on; what pelvis and chest hang on
    md5_quat space;        // turns it: x is forward, y left and z up
} retarget_figure;

static uint32_t parent_of(const retarget_figure *figure, uint32_t joint)
{
    return joint != MD5_NONE ? figure->skeleton->joints[joint].parent : MD5_NONE;
}

static void read_name(const char *name, retarget_joint *joint)
{
    const char *const colon = strrchr(name, ':');
    const char *c = colon ? colon + 1 : name;
    size_t used = 0;
    // Doom 3's Lankle_r is the left one.
    const char *end = c + strlen(c);
    if ((*c == 'L' || *c == 'R') && islower((unsigned char)c[1]) && strcmp(end - 2, "_r") == 0)
        end -= 2;
    joint->side = -1;
    while (c < end) {
        char word[32];
        size_t length = 0;
        // A word ends before a capital that follows a small letter, or that begins a word behind
        // other capitals: LThumb, LeftArm.
        for (; c < end && isalpha((unsigned char)*c) && length < sizeof word - 1; c++) {
            const bool begins = length > 0 && isupper((unsigned char)*c)
                                && (islower((unsigned char)c[-1]) || islower((unsigned char)c[1]));
            if (begins)
                break;
            word[length++] = (char)tolower((unsigned char)*c);
        }
        word[length] = '\0';
        if (length == 0)
            c++;
        else if (find_word(" l left lft r right rt ", word) != NULL)
            joint->side = *word == 'r';
        else if (find_word(helpers, word) != NULL)
            joint->is_helper = true;
        else if (find_word(fillers, word) == NULL && used + length < sizeof joint->said) {
            memcpy(joint->said + used, word, length);
            used += length;
        }
    }
}

// Where a name stands among the words of a role; NULL: it is another's.
static const char *find_role(const retarget_joint *joint, int role)
{
    const int word = role / 2;
    const int side = role % 2;
    const char *said = joint->said;
    if (word <= HEAD)
        return joint->side < 0 ? find_word(roles[word].words, said) : NULL;
    // The side can also begin the only word: leftleg, or, of old, luparm.
    if (joint->side < 0 && *said == "lr"[side]) {
        const char *const whole = side == 0 ? "left" : "right";
        said += strncmp(said, whole, strlen(whole)) == 0 ? strlen(whole) : 1;
    } else if (joint->side != side) {
        return NULL;
    }
    for (const char *at = said; word >= THUMB && *at != '\0'; at++)
        if (find_word(roles[word].words, at) != NULL)
            return roles[word].words;
    return find_word(roles[word].words, said);
}

// The deepest joint that both hang on, or are; NONE if one of them is NONE.
static uint32_t common_parent(const retarget_figure *figure, uint32_t a, uint32_t b)
{
    while (a != b && a != MD5_NONE && b != MD5_NONE) {
        uint32_t *const deeper = figure->joints[a].depth >= figure->joints[b].depth ? &a : &b;
        *deeper = parent_of(figure, *deeper);
    }
    return a == b ? a : MD5_NONE;
}

// Of joints whose names say the same, those where they should be come first, then those that are no
// helpers, then the best word, then, as in rigs with joints for control and for deformation, the
// one that moves most of the skin; of a finger the last one, up to the hand.
static void guess_role(retarget_figure *figure, int role)
{
    const int word = role / 2;
    const int from = roles[word].from;
    const uint32_t base = from >= 0 ? figure->roles[2 * from + role % 2].last : MD5_NONE;
    const bool is_above = word == CLAVICLE;
    const bool is_finger = word >= THUMB;
    uint32_t best = MD5_NONE;
    const char *best_word = NULL;
    for (uint32_t i = 0; i < figure->skeleton->num_joints; i++)
        figure->joints[i].is_below = false;
    for (uint32_t i = base; is_above && parent_of(figure, i) != MD5_NONE;) {
        i = parent_of(figure, i);
        figure->joints[i].is_below = true;
    }
    for (uint32_t i = 0; i < figure->skeleton->num_joints; i++) {
        const uint32_t joint = figure->skeleton->order[i];
        const uint32_t parent = parent_of(figure, joint);
        retarget_joint *const of = &figure->joints[joint];
        of->is_below |=
            !is_above && parent != MD5_NONE && (parent == base || figure->joints[parent].is_below);
        const char *const at = find_role(of, role);
        if (!at || (roles[word].is_strict && !of->is_below)
            || (is_finger && of->load == 0 && figure->model->num_meshes > 0))
            continue;
        const retarget_joint *const other = &figure->joints[best != MD5_NONE ? best : joint];
        const int64_t better[] = {
            (int64_t)of->is_below - other->is_below, (int64_t)other->is_helper - of->is_helper,
            (best_word ? best_word : at) - at, is_finger ? (int64_t)of->depth - other->depth : 0,
            (int64_t)of->load - other->load};
        int k = 0;
        while (k < 4 && better[k] == 0)
            k++;
        if (best == MD5_NONE || better[k] > 0) {
            best = joint;
            best_word = at;
        }
    }
    retarget_chain *const chain = &figure->roles[role];
    *chain = (retarget_chain){best, best};
    for (uint32_t i = best; is_finger && i != base && i != MD5_NONE; i = parent_of(figure, i))
        if (find_role(&figure->joints[i], role) != NULL)
            chain->first = i;
}

// The joints between two, of which the upper one may be MD5_NONE.
static retarget_chain chain_between(const retarget_figure *figure, uint32_t base, uint32_t last)
{
    retarget_chain chain = {MD5_NONE, MD5_NONE};
    if (last == MD5_NONE || base == MD5_NONE || common_parent(figure, base, last) != base)
        return chain;
    for (uint32_t i = last; i != base; i = parent_of(figure, i))
        chain = (retarget_chain){i, last};
    return chain;
}

// Lists the joints of a chain. Returns their number; 0: it is none, or longer than any spine.
static uint32_t list_chain(const retarget_figure *figure, retarget_chain chain,
                           uint32_t joints[MAX_CHAIN])
{
    uint32_t count = 1;
    uint32_t joint = chain.last;
    for (; joint != chain.first && joint != MD5_NONE && count < MAX_CHAIN; count++)
        joint = parent_of(figure, joint);
    if (joint != chain.first || joint == MD5_NONE)
        return 0;
    for (uint32_t i = count; i-- > 0; chain.last = parent_of(figure, chain.last))
        joints[i] = chain.last;
    return count;
}

// In the figure's space, of joints[num_joints] in a pose.
static md5_vec3 bone(const retarget_figure *figure, const md5_xform *joints, uint32_t from,
                     uint32_t to)
{
    return md5_quat_rotate(figure->space,
                           md5_vec3_sub(joints[to].translation, joints[from].translation));
}

// Of parts of a limb, of which the next role is the next joint; 0: it is not whole.
static float length_of(const retarget_figure *figure, int role)
{
    const uint32_t from = figure->roles[role].last;
    const uint32_t to = figure->roles[role + 2].first;
    return from != MD5_NONE && to != MD5_NONE
               ? md5_vec3_length(bone(figure, figure->rest, from, to))
               : 0;
}

// Rigs can have several joints that say the same in one place and hang elsewhere, as one for
// control and one for the skin: all move with the one that has the role.
static void find_leaders(const retarget_figure *figure)
{
    for (int r = 0; r < 2 * THUMB; r++) {
        const uint32_t leader = figure->roles[r].last;
        const retarget_joint *const of = &figure->joints[leader != MD5_NONE ? leader : 0];
        if (leader == MD5_NONE || find_role(of, r) == NULL)
            continue;
        const float near_by = 1e-3f * md5_vec3_length(figure->rest[leader].translation);
        for (uint32_t i = 0; i < figure->skeleton->num_joints; i++)
            if (i != leader && of->side == figure->joints[i].side
                && strcmp(of->said, figure->joints[i].said) == 0
                && md5_vec3_length(bone(figure, figure->rest, leader, i)) <= near_by)
                figure->joints[i].leader = leader;
    }
}

// The axis that is nearest to a direction.
static md5_vec3 nearest_axis(md5_vec3 v)
{
    const float x = fabsf(v.x);
    const float y = fabsf(v.y);
    const float z = fabsf(v.z);
    if (x >= y && x >= z)
        return (md5_vec3){copysignf(1.0f, v.x), 0, 0};
    if (y >= z)
        return (md5_vec3){0, copysignf(1.0f, v.y), 0};
    return (md5_vec3){0, 0, copysignf(1.0f, v.z)};
}

// From right to left, of joints[] in a pose; 0 if neither legs nor arms are known.
static md5_vec3 left_of(const retarget_figure *figure, const md5_xform *joints)
{
    const md5_vec3 nowhere = {0, 0, 0};
    md5_vec3 sum = nowhere;
    for (int word = UPPER_ARM; word <= THIGH; word += THIGH - UPPER_ARM) {
        const uint32_t l = figure->roles[2 * word].last;
        const uint32_t r = figure->roles[2 * word + 1].last;
        if (l != MD5_NONE && r != MD5_NONE)
            sum = md5_vec3_add(sum, md5_vec3_normalize(bone(figure, joints, r, l), nowhere));
    }
    return sum;
}

// Up is the axis along which the head is above the pelvis; left is the axis from the right limbs to
// the left ones, or between axes, if it is. Otherwise it stays as it is.
static void find_axes(retarget_figure *figure)
{
    const uint32_t head = figure->roles[2 * HEAD].last;
    const md5_quat usual = figure->space;
    figure->space = no_turn;
    const md5_vec3 side = left_of(figure, figure->rest);
    figure->space = usual;
    if (figure->pelvis == MD5_NONE || head == MD5_NONE || md5_vec3_length(side) < 0.5f)
        return;
    const md5_vec3 z = nearest_axis(
        md5_vec3_sub(figure->rest[head].translation, figure->rest[figure->pelvis].translation));
    md5_vec3 y = md5_vec3_sub(side, md5_vec3_scale(z, md5_vec3_dot(side, z)));
    y = md5_vec3_normalize(y, nearest_axis(side));
    if (md5_vec3_dot(y, nearest_axis(y)) > 0.9f)
        y = nearest_axis(y);
    const md5_vec3 x = md5_vec3_cross(y, z);
    figure->space =
        md5_quat_from_mat34((md5_mat34){{x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0}});
}

// Who is who in a skeleton. `space` is for one whose limbs do not say it.
static retarget_figure make_figure(const md5_model *model, md5_quat space)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    retarget_figure figure = {.model = model,
                              .skeleton = skeleton,
                              .joints = common_alloc(num_joints, sizeof *figure.joints),
                              .rest = common_alloc(num_joints, sizeof *figure.rest),
                              .space = space};
    md5_local_to_model_xforms(skeleton, model->bind_local, figure.rest);
    for (uint32_t i = 0; i < num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = parent_of(&figure, joint);
        figure.joints[joint] =
            (retarget_joint){.depth = parent == MD5_NONE ? 0 : figure.joints[parent].depth + 1,
                             .leader = MD5_NONE,
                             .low = MD5_NONE};
        read_name(skeleton->joints[joint].name, &figure.joints[joint]);
    }
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (uint32_t k = 0; k < mesh->num_influences; k++)
            figure.joints[mesh->influence_joints[k]].load++;
    }
    for (uint32_t i = num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = parent_of(&figure, joint);
        if (parent != MD5_NONE)
            figure.joints[parent].load += figure.joints[joint].load;
    }
    for (int r = 0; r < NUM_ROLES; r++)
        guess_role(&figure, r);
    for (int side = 0; side < 2; side++) {
        guess_role(&figure, 2 * CLAVICLE + side); // above the upper arm, which is known now
        retarget_chain *const leg = &figure.roles[2 * THIGH + side];
        if (leg[0].last == leg[2].last) // a leg is the thigh if there is no other
            leg[2] = (retarget_chain){MD5_NONE, MD5_NONE};
    }
    return figure;
}

// What follows from the roles. Which joints the spine and the neck have is a matter of the
// hierarchy, as names of these differ most.
static void complete_figure(retarget_figure *figure)
{
    retarget_chain *const role = figure->roles;
    const uint32_t head = role[2 * HEAD].last;
    const uint32_t hips = role[2 * HIPS].last;
    find_leaders(figure);
    figure->pelvis = common_parent(figure, role[2 * THIGH].last, role[2 * THIGH + 1].last);
    if (figure->pelvis == MD5_NONE)
        figure->pelvis = hips;
    uint32_t chest = common_parent(figure, role[2 * UPPER_ARM].last, role[2 * UPPER_ARM + 1].last);
    if (chest == MD5_NONE)
        chest = parent_of(figure, head);
    figure->body = chest != MD5_NONE ? common_parent(figure, figure->pelvis, chest) : MD5_NONE;
    if (figure->body == MD5_NONE)
        figure->body = figure->pelvis;
    role[2 * HIPS] = (retarget_chain){figure->pelvis, figure->pelvis};
    role[2 * SPINE] = chain_between(figure, figure->body, chest);
    if (head != MD5_NONE)
        role[2 * NECK] = chain_between(figure, chest != MD5_NONE ? chest : figure->body,
                                       parent_of(figure, head));
    find_axes(figure);
}

static void free_figure(retarget_figure *figure)
{
    free(figure->joints);
    free(figure->rest);
}

md5_quat convert_measure(const md5_model *model, float *legs)
{
    retarget_figure figure = make_figure(model, (md5_quat){0.5f, 0.5f, 0.5f, 0.5f});
    complete_figure(&figure);
    *legs = 0;
    for (int r = 2 * THIGH; r < 2 * FOOT; r++)
        *legs += 0.5f * length_of(&figure, r);
    free_figure(&figure);
    return figure.space;
}

// -- Drives ---------------------------------------------------------------------------------------

// Lets a chain of the source turn one of the model: with i of n joints turned, as i * m / n of its
// m are. The user's map has the last word.
static bool drive(const retarget_figure *source, const retarget_figure *target, retarget_chain from,
                  retarget_chain to)
{
    uint32_t s[MAX_CHAIN + 1], t[MAX_CHAIN];
    const uint32_t m = list_chain(source, from, s + 1);
    const uint32_t n = list_chain(target, to, t);
    s[0] = parent_of(source, from.first);
    if (m > 0) {
        for (uint32_t i = 0; i < n; i++) {
            retarget_joint *const joint = &target->joints[t[i]];
            const uint32_t at = m * (i + 1);
            const uint32_t low = at / n;
            const uint32_t high = (at + n - 1) / n;
            if (joint->is_mapped || source->joints[s[high]].is_mapped)
                continue;
            joint->high = s[high];
            joint->low = s[low] != MD5_NONE ? s[low] : s[high];
            joint->part = (float)(at % n) / (float)n;
            joint->is_chained = m != n;
        }
    }
    return m > 0 && n > 0;
}

// Finds who moves whom. Where too few roles are in both skeletons, and there is no map, only those
// of equal names do: then it returns false.
static bool make_drives(const retarget_figure *source, const retarget_figure *target,
                        bool is_captured, bool has_map)
{
    int count = 0;
    uint32_t root = source->pelvis;
    while (parent_of(source, root) != MD5_NONE)
        root = parent_of(source, root);
    if (!is_captured && root != source->pelvis && common_parent(target, 0, target->body) == 0
        && parent_of(target, 0) == MD5_NONE)
        drive(source, target, (retarget_chain){root, root}, (retarget_chain){0, 0});
    if (source->pelvis != MD5_NONE && target->body != MD5_NONE) // turns as the pelvis does
        drive(source, target, source->roles[2 * HIPS],
              (retarget_chain){target->body, target->body});
    for (int r = 0; r < NUM_ROLES; r++) {
        const int word = r / 2;
        if ((word > HEAD || r % 2 == 0)
            && drive(source, target, source->roles[r], target->roles[r]))
            count += word != SPINE && word < THUMB;
        else if (word == UPPER_ARM || word == THIGH)
            count -= NUM_COUNTED;
    }
    const bool is_known = has_map || count >= NUM_NEEDED;
    if (!is_known) {
        for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
            target->joints[i].low = MD5_NONE;
    }
    return is_known;
}

// For md5_load_opts.warn of a retarget, which names joints that nothing drives.
static void take_idle(void *user, const md5_error *warning)
{
    const retarget_figure *const target = user;
    const char *const number = strpbrk(warning->message, "0123456789");
    const unsigned long joint = number ? strtoul(number, NULL, 10) : MD5_NONE;
    if (joint < target->skeleton->num_joints)
        target->joints[joint].is_idle = true;
}

// What the drives are for the library.
static md5_retarget *make_retarget(const retarget_figure *source, retarget_figure *target,
                                   md5_error *error)
{
    const md5_joint *const from = source->skeleton->joints;
    const md5_joint *const to = target->skeleton->joints;
    const uint32_t num_joints = target->skeleton->num_joints;
    md5_joint_pair *const pairs =
        common_alloc((size_t)num_joints + source->skeleton->num_joints, sizeof *pairs);
    uint32_t count = 0;
    for (uint32_t i = 0; i < num_joints; i++) {
        const retarget_joint *const joint = &target->joints[i];
        if ((joint->low == MD5_NONE && !joint->is_mapped)
            || md5_find_joint(target->skeleton, to[i].name) != i)
            continue;
        md5_joint_pair *const pair = &pairs[count++];
        *pair = (md5_joint_pair){.target = to[i].name, .fraction = joint->part};
        if (joint->low == MD5_NONE)
            continue;
        pair->align = joint->align > 0;
        pair->source = from[joint->low].name;
        pair->next = joint->high != joint->low ? from[joint->high].name : NULL;
        for (int r = 2 * UPPER_ARM; r < 2 * FOOT; r++)
            pair->align |= r / 2 != HAND && target->roles[r].last == i && joint->align == 0;
    }
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++)
        if (source->joints[i].is_mapped)
            pairs[count++] = (md5_joint_pair){.source = from[i].name};
    const md5_load_opts opts = {.warn = take_idle, .warn_user = target, .max_warnings = UINT32_MAX};
    md5_retarget *const retarget =
        md5_create_retarget(source->model, target->model, pairs, count, &opts, error);
    free(pairs);
    return retarget;
}

// -- Maps -----------------------------------------------------------------------------------------

// Reads a word: in quotes, or up to a blank. Returns it cut off, or NULL at the end of the line.
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

// A line of SOURCE TARGET, with "align" behind it if the bone is aligned or "~" if it is not, or of
// chain A..B C..D; "-" is none. "~" alone: no bone is. A pair is also a role, if one of its joints
// has one: so that a map of the limbs is enough. `replaces`: joints may be in a line above, too.
// Returns what is wrong with words[*bad], or NULL.
static char *read_pair(char *words[4], int count, retarget_figure *const figures[2], bool replaces,
                       int *bad)
{
    const bool is_chain = count == 3 && strcmp(words[0], "chain") == 0;
    const int align =
        count < 3 ? 0 : (strcmp(words[2], "align") == 0) - (strcmp(words[2], "~") == 0);
    retarget_chain chains[2];
    uint32_t joints[MAX_CHAIN];
    uint32_t num_joints = 0;
    *bad = count < 3 ? count - 1 : 2;
    if (count == 1 && strcmp(words[0], "~") == 0) {
        for (uint32_t i = 0; i < figures[1]->skeleton->num_joints; i++)
            figures[1]->joints[i].align = -1;
        return NULL;
    }
    if (count != 2 && !is_chain && (count != 3 || align == 0))
        return common_copy(
            "invalid line: expected SOURCE TARGET, SOURCE TARGET ~ or chain A..B C..D");
    for (int k = 0; k < 2; k++) {
        *bad = k + (int)is_chain;
        char *const first = words[*bad];
        char *const dots = is_chain ? strstr(first, "..") : NULL;
        const char *const last = dots ? dots + strlen("..") : first;
        if (dots)
            *dots = '\0';
        chains[k] = (retarget_chain){md5_find_joint(figures[k]->skeleton, first),
                                     md5_find_joint(figures[k]->skeleton, last)};
        num_joints = list_chain(figures[k], chains[k], joints);
        if (num_joints == 0
            && (strcmp(words[*bad], "-") != 0 || (k > 0 && chains[0].last == MD5_NONE)))
            return common_format(chains[k].first == MD5_NONE || chains[k].last == MD5_NONE
                                     ? "unknown joint: the %s has no joint '%s'"
                                     : "invalid chain: in the %s no chain ends in '%s'",
                                 k == 0 ? "motion" : "model",
                                 chains[k].first == MD5_NONE ? first : last);
    }
    const uint32_t s = chains[0].last;
    const uint32_t t = chains[1].last;
    for (uint32_t i = 0; i < num_joints; i++) {
        retarget_joint *const joint = &figures[1]->joints[joints[i]];
        if (joint->is_mapped && !replaces)
            return common_format("duplicate joint '%s': an earlier line maps it",
                                 figures[1]->skeleton->joints[joints[i]].name);
        joint->is_mapped = false;
        joint->low = MD5_NONE;
    }
    if (replaces && s != MD5_NONE)
        figures[0]->joints[s].is_mapped = false;
    drive(figures[0], figures[1], chains[0], chains[1]);
    for (uint32_t i = 0; i < num_joints; i++) {
        figures[1]->joints[joints[i]].is_mapped = true;
        if (align != 0)
            figures[1]->joints[joints[i]].align = align;
    }
    if (t == MD5_NONE)
        figures[0]->joints[s].is_mapped = true;
    if (s != MD5_NONE && t != MD5_NONE && !is_chain) {
        for (int r = 0; r < 2 * THUMB; r++)
            if (figures[0]->roles[r].last == s)
                figures[1]->roles[r] = chains[1];
            else if (figures[1]->roles[r].last == t)
                figures[0]->roles[r] = chains[0];
    }
    return NULL;
}

// Reads job->map, and then job->pairs, which may replace what that says.
static bool read_map(const convert_job *job, retarget_figure *const figures[2], md5_error *error)
{
    enum { MAX_LINES = 10000 };
    bool is_read = true;
    for (int k = 0; k < 2 && is_read; k++) {
        const char *const path = k == 0 ? job->map : NULL;
        size_t size = 0;
        char *const text =
            path ? convert_read_file(path, &size, error) : common_copy(k == 1 ? job->pairs : NULL);
        is_read = text || !path;
        uint32_t number = 1;
        for (char *line = text; line && is_read; number++) {
            char *words[4];
            char *at = line;
            char *wrong = NULL;
            char *end = line;
            int count = 0;
            int bad = 0;
            for (bool is_quoted = false; *end != '\0' && (is_quoted || *end != "\n;"[k]); end++)
                is_quoted ^= k == 1 && *end == '"';
            const bool is_last = *end == '\0';
            *end = '\0';
            while (count < 4 && (words[count] = read_word(&at)) != NULL)
                count++;
            if (count > 0)
                wrong = number > MAX_LINES ? common_copy("too many lines (limit 10000)")
                                           : read_pair(words, count, figures, !path, &bad);
            if (wrong) {
                convert_fail(error, MD5_ERROR_MISMATCH, path, "%s", wrong);
                error->line = number;
                error->column = (uint32_t)(words[bad] - line) + 1;
                is_read = job->warn && number <= MAX_LINES;
                if (is_read)
                    job->warn(job->user, error);
            }
            free(wrong);
            line = is_last ? NULL : end + 1;
        }
        free(text);
    }
    return is_read;
}

static void print_name(FILE *file, const char *name, const char *behind)
{
    const char *const quote = strpbrk(name, " \t#~") != NULL ? "\"" : "";
    common_print(file, "%s%s%s", quote, name, quote);
    fputs(behind, file);
}

// Prints who moves whom as a map.
static void print_map(FILE *file, const retarget_figure *source, const retarget_figure *target)
{
    const md5_joint *const from = source->skeleton->joints;
    const md5_joint *const to = target->skeleton->joints;
    for (int r = 0; r < NUM_ROLES; r++) {
        const retarget_chain s = source->roles[r];
        const retarget_chain t = target->roles[r];
        if (s.last == MD5_NONE || t.last == MD5_NONE || !target->joints[t.last].is_chained)
            continue;
        char *const ends[] = {common_format("%s..%s", from[s.first].name, from[s.last].name),
                              common_format("%s..%s", to[t.first].name, to[t.last].name)};
        fputs("chain ", file);
        for (int k = 0; k < 2; k++) {
            print_name(file, ends[k], k == 0 ? " " : "\n");
            free(ends[k]);
        }
    }
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++) {
        const retarget_joint *const joint = &target->joints[i];
        if (joint->is_chained)
            continue;
        if (joint->is_idle && !joint->is_mapped)
            fputs("# ", file);
        print_name(file,
                   joint->low != MD5_NONE ? from[joint->low].name
                   : joint->is_idle       ? "-"
                                          : to[i].name,
                   " ");
        print_name(file, to[i].name,
                   joint->align == 0  ? "\n"
                   : joint->align < 0 ? " ~\n"
                                      : " align\n");
    }
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++)
        if (source->joints[i].is_mapped)
            print_name(file, from[i].name, " -\n");
}

md5_retarget *convert_create_retarget(const convert_job *job, const md5_model *source,
                                      const md5_model *target, convert_pair *pairs,
                                      md5_error *error)
{
    retarget_figure from = make_figure(source, no_turn);
    retarget_figure to = make_figure(target, no_turn);
    const bool has_map = job && (job->map || job->pairs);
    const bool is_read = !has_map || read_map(job, (retarget_figure *[]){&from, &to}, error);
    complete_figure(&from);
    complete_figure(&to);
    make_drives(&from, &to, false, has_map);
    md5_retarget *const retarget = is_read ? make_retarget(&from, &to, error) : NULL;
    if (pairs) {
        for (uint32_t i = 0; i < target->skeleton.num_joints; i++) {
            const retarget_joint *const joint = &to.joints[i];
            pairs[i].is_mapped = joint->is_mapped;
            pairs[i].source =
                joint->is_idle || !retarget ? MD5_NONE
                : joint->low != MD5_NONE
                    ? joint->low
                    : md5_find_joint(&source->skeleton, target->skeleton.joints[i].name);
        }
    }
    free_figure(&from);
    free_figure(&to);
    return retarget;
}

// -- Motion ---------------------------------------------------------------------------------------

typedef struct retarget_transfer {
    const convert_job *job;
    retarget_figure source, target; // the source's, turned as the model is
    const md5_binding *binding;     // of the clip
    md5_retarget *retarget;
    float ratio;
    md5_xform *poses;        // what follows is in it, and the source's bind pose
    md5_xform *from, *posed; // [source joints] local and model space
    md5_xform *to, *placed;  // [joints] the same
    void *scratch;
    md5_xform into;       // from the clip's space and place to those of the model
    float lift, ground;   // raises the model; where the source's feet stand
    bool is_captured;     // the clip may begin anywhere
    bool has_path;        // the pelvis is known in both
    bool has_uneven_legs; // thighs and shins are longer by other factors
    // Of each foot of the source how far it is from rest, and how much it stands, 0 to 1: [frames]
    md5_vec3 *feet[2];
    float *stands[2];
    // What is measured while the clip is written:
    md5_vec3 starts[2]; // where a foot began to stand
    double sum, worst;  // angles between bones
    unsigned num_bones;
    float slide;
    float depth;
} retarget_transfer;

// How far a joint of a pose is from rest, in the figure's space.
static md5_vec3 moved(const retarget_figure *figure, const md5_xform *posed, uint32_t joint)
{
    return md5_quat_rotate(figure->space,
                           md5_vec3_sub(posed[joint].translation, figure->rest[joint].translation));
}

static md5_vec3 to_model(const retarget_transfer *transfer, md5_vec3 v)
{
    return md5_quat_rotate(md5_quat_conjugate(transfer->target.space), v);
}

// How far the lowest foot or toe is above where it rests; INFINITY: there is none.
static float lowest_of(const retarget_figure *figure, const md5_xform *posed)
{
    float lowest = INFINITY;
    for (int r = 2 * FOOT; r < 2 * TOE + 2; r++)
        if (figure->roles[r].last != MD5_NONE)
            lowest = fminf(lowest, moved(figure, posed, figure->roles[r].last).z);
    return lowest;
}

static void pose_source(const retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const source = &transfer->source;
    const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
    md5_sample(transfer->binding, sample, MD5_ROOT_FILE, transfer->from);
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++)
        if (parent_of(source, i) == MD5_NONE)
            transfer->from[i] = md5_xform_mul(transfer->into, transfer->from[i]);
    md5_local_to_model_xforms(source->skeleton, transfer->from, transfer->posed);
}

// Poses the model in a frame.
static void pose_model(const retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const target = &transfer->target;
    const retarget_figure *const source = &transfer->source;
    md5_xform *const to = transfer->to;
    md5_xform *const placed = transfer->placed;
    const uint32_t body = target->body;
    pose_source(transfer, frame);
    md5_retarget_pose(transfer->retarget, transfer->from, to, transfer->scratch);
    // Joint 0, if it is above the body, takes the path along the ground: it is the joint whose
    // motion games take as that of the character.
    if (transfer->has_path && target->joints[0].is_idle && parent_of(target, 0) == MD5_NONE
        && common_parent(target, 0, body) == 0 && body != 0) {
        md5_vec3 path = moved(source, transfer->posed, source->pelvis);
        path.z = 0;
        path = md5_vec3_scale(to_model(transfer, path), transfer->ratio);
        const md5_quat above = target->rest[parent_of(target, body)].rotation;
        to[0].translation = md5_vec3_add(to[0].translation, path);
        to[body].translation =
            md5_vec3_sub(to[body].translation, md5_quat_rotate(md5_quat_conjugate(above), path));
    }
    md5_local_to_model_xforms(target->skeleton, to, placed);
    bool has_followers = false;
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++) {
        const uint32_t joint = target->skeleton->order[i];
        const uint32_t parent = parent_of(target, joint);
        const uint32_t leader = target->joints[joint].leader;
        const bool follows = leader != MD5_NONE && target->joints[joint].low == MD5_NONE;
        has_followers |= follows;
        if (follows)
            placed[joint] =
                md5_xform_mul(placed[leader], md5_xform_mul(md5_xform_inverse(target->rest[leader]),
                                                            target->rest[joint]));
        else if (parent != MD5_NONE && has_followers)
            placed[joint] = md5_xform_mul(placed[parent], to[joint]);
    }
    if (has_followers)
        md5_model_to_local_xforms(target->skeleton, placed, to);
}

// Raises the model so that feet stand where they do in the bind pose: in nearly all frames none is
// lower, but by as much as those of a clip that was not captured. Finds where feet of the clip
// stand: near their lowest height, and slow; beside that they do by less, over a tenth of a second.
static void find_ground(retarget_transfer *transfer)
{
    const retarget_figure *const source = &transfer->source;
    const uint32_t num_frames = transfer->binding->anim->num_frames;
    const float rate = (float)transfer->binding->anim->frame_rate;
    double *const lows = common_alloc(2 * (size_t)num_frames, sizeof *lows);
    double *const own = lows + num_frames;
    for (int side = 0; side < 2; side++) {
        transfer->feet[side] = common_alloc(num_frames, sizeof(md5_vec3));
        transfer->stands[side] = common_alloc(num_frames, sizeof(float));
    }
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        pose_model(transfer, frame);
        own[frame] = (double)lowest_of(source, transfer->posed);
        lows[frame] = (double)lowest_of(&transfer->target, transfer->placed);
        if (!transfer->is_captured && isfinite(own[frame]))
            lows[frame] -= (double)transfer->ratio * own[frame];
        for (int side = 0; side < 2; side++)
            if (source->roles[2 * FOOT + side].last != MD5_NONE)
                transfer->feet[side][frame] =
                    moved(source, transfer->posed, source->roles[2 * FOOT + side].last);
    }
    qsort(lows, num_frames, sizeof *lows, common_compare_doubles);
    qsort(own, num_frames, sizeof *own, common_compare_doubles);
    const float lift = (float)-lows[num_frames / 20]; // more than rounding
    if (transfer->has_path && isfinite(lift)
        && fabsf(lift) > 1e-5f * length_of(&transfer->target, 2 * THIGH))
        transfer->lift = lift;
    if (transfer->is_captured && isfinite(own[num_frames / 20]))
        transfer->ground = (float)own[num_frames / 20];
    free(lows);
    transfer->into.translation =
        md5_vec3_add(transfer->into.translation,
                     to_model(transfer, (md5_vec3){0, 0, transfer->lift / transfer->ratio}));
    for (int side = 0; side < 2; side++) {
        const md5_vec3 *const at = transfer->feet[side];
        float *const stands = transfer->stands[side];
        float low = INFINITY;
        float last = INFINITY;
        const float leg = length_of(source, 2 * THIGH + side) + length_of(source, 2 * SHIN + side);
        for (uint32_t i = 0; i < num_frames; i++)
            low = fminf(low, at[i].z);
        for (uint32_t i = 0; i < num_frames; i++) {
            const float next =
                i + 1 < num_frames ? md5_vec3_length(md5_vec3_sub(at[i + 1], at[i])) : INFINITY;
            stands[i] =
                at[i].z <= low + 0.03f * leg && fminf(last, next) * rate <= 0.1f * leg ? 1 : 0.0f;
            last = next;
        }
        for (uint32_t i = 1; i < num_frames; i++)
            stands[i] = fmaxf(stands[i], stands[i - 1] - 10.0f / rate);
        for (uint32_t i = num_frames; i-- > 1;)
            stands[i - 1] = fmaxf(stands[i - 1], stands[i] - 10.0f / rate);
    }
}

// Brings a motion that was captured to where the model stands, turned by quarters to its front.
static void find_place(retarget_transfer *transfer)
{
    const retarget_figure *const source = &transfer->source;
    const md5_quat space = source->space;
    const double pi = 3.14159265358979323846;
    pose_source(transfer, 0);
    const md5_vec3 left = left_of(source, transfer->posed);
    const double yaw =
        md5_vec3_length(left) > 0.5f ? atan2((double)-left.x, (double)left.y) * 180.0 / pi : 0;
    const double quarters = floor(yaw / 90.0 + 0.5);
    const double half = -quarters * pi / 4.0;
    const md5_quat turn = {0, 0, (float)sin(half), (float)cos(half)};
    if (quarters != 0)
        convert_note(transfer->job,
                     "the motion starts rotated by %.0f degrees to the left: it was rotated by "
                     "%.0f degrees to face forward",
                     yaw, -90 * quarters);
    else if (fabs(yaw) > 15)
        convert_note(transfer->job,
                     "the motion starts rotated by %.0f degrees to the left; use --rotate %.0f to "
                     "make it face forward",
                     yaw, -yaw);
    transfer->into.rotation =
        md5_quat_mul(md5_quat_mul(md5_quat_conjugate(space), md5_quat_mul(turn, space)),
                     transfer->into.rotation);
    pose_source(transfer, 0);
    if (transfer->has_path)
        transfer->into.translation = md5_vec3_sub(source->rest[source->pelvis].translation,
                                                  transfer->posed[source->pelvis].translation);
}

// For the motion of the model: holds feet that stand, where its legs need it, and measures.
static void pose_clip(void *user, uint32_t frame, convert_xform *local)
{
    retarget_transfer *const transfer = user;
    const retarget_figure *const target = &transfer->target;
    const retarget_figure *const source = &transfer->source;
    pose_model(transfer, frame);
    if (transfer->has_uneven_legs) {
        for (int side = 0; side < 2; side++) {
            const md5_limb leg = {target->roles[2 * THIGH + side].last,
                                  target->roles[2 * SHIN + side].last,
                                  target->roles[2 * FOOT + side].last};
            md5_vec3 path = transfer->feet[side][frame];
            path.z -= transfer->ground;
            path = to_model(transfer, md5_vec3_scale(path, transfer->ratio));
            const md5_two_bone_job job = {.tip = leg.tip,
                                          .limb = &leg,
                                          .target =
                                              md5_vec3_add(target->rest[leg.tip].translation, path),
                                          .weight = transfer->stands[side][frame]};
            md5_solve_two_bone(target->skeleton, &job, transfer->to);
        }
    }
    if (transfer->has_uneven_legs)
        md5_local_to_model_xforms(target->skeleton, transfer->to, transfer->placed);
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        local[i] = convert_from_xform(transfer->to[i]);
    transfer->depth = fmaxf(transfer->depth, -lowest_of(target, transfer->placed));
    for (int side = 0; side < 2; side++) {
        const uint32_t foot = target->roles[2 * FOOT + side].last;
        const float *const stands = &transfer->stands[side][frame];
        if (foot == MD5_NONE || *stands < 1)
            continue;
        const md5_vec3 at = moved(target, transfer->placed, foot);
        if (frame == 0 || stands[-1] < 1)
            transfer->starts[side] = at;
        transfer->slide =
            fmaxf(transfer->slide, md5_vec3_length(md5_vec3_sub(at, transfer->starts[side])));
    }
    for (int r = 2 * UPPER_ARM; r < 2 * FOOT; r++)
        if (r / 2 != HAND && length_of(source, r) > 0 && length_of(target, r) > 0) {
            const md5_vec3 a =
                bone(target, transfer->placed, target->roles[r].last, target->roles[r + 2].last);
            const md5_vec3 b =
                bone(source, transfer->posed, source->roles[r].last, source->roles[r + 2].last);
            const double angle =
                atan2((double)md5_vec3_length(md5_vec3_cross(a, b)), (double)md5_vec3_dot(a, b));
            transfer->sum += angle;
            transfer->worst = fmax(transfer->worst, angle);
            transfer->num_bones++;
        }
}

static void print_results(const retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const retarget_figure *const source = &transfer->source;
    const double degrees = 180.0 / 3.14159265358979323846;
    const float leg = length_of(target, 2 * THIGH) + length_of(target, 2 * SHIN);
    unsigned num_idle = 0;
    unsigned num_unused = source->skeleton->num_joints;
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++) {
        retarget_joint *const joint = &target->joints[i];
        num_idle += joint->is_idle;
        num_unused -= !joint->is_idle && joint->low == MD5_NONE; // but by an equal name
        if (joint->low != MD5_NONE) {
            for (int k = 0; k < 2; k++) {
                bool *const is_used = &source->joints[k ? joint->high : joint->low].is_idle;
                num_unused -= !*is_used;
                *is_used = true;
            }
        }
    }
    convert_note(
        transfer->job,
        "mapped %u joints of the model; %u joints of the model and %u of the motion are unmapped",
        target->skeleton->num_joints - num_idle, num_idle, num_unused);
    convert_note(
        transfer->job,
        "difference of limb directions from the motion: at most %.2g degrees, %.2g on average",
        degrees * transfer->worst, degrees * transfer->sum / fmax(transfer->num_bones, 1.0));
    convert_note(
        transfer->job,
        "scaled the motion by %.6g and raised it by %.4g units; planted feet slide by up to %.2g "
        "units (%.2g %% of the leg length); soles are up to %.2g units below the ground",
        transfer->ratio, transfer->lift, transfer->slide,
        100.0 * (double)transfer->slide / fmax((double)leg, 1e-9), transfer->depth);
}

static bool retarget_clip(const convert_job *job, const md5_model *own, const md5_binding *clip,
                          const md5_model *model, const convert_part *part, convert_scene *scene,
                          md5_error *error)
{
    const bool is_captured = part->is_captured;
    const uint32_t num_joints = model->skeleton.num_joints;
    const uint32_t num_source = own->skeleton.num_joints;
    retarget_transfer transfer = {
        .job = job,
        .source = make_figure(own, no_turn),
        .target = make_figure(model, no_turn),
        .binding = clip,
        .is_captured = is_captured,
        .poses = common_alloc(3 * (size_t)num_source + 2 * (size_t)num_joints, sizeof(md5_xform))};
    retarget_figure *const source = &transfer.source;
    retarget_figure *const target = &transfer.target;
    md5_model turned = *own; // as the target is
    bool is_done = read_map(job, (retarget_figure *[]){source, target}, error);
    if (is_done) {
        md5_xform *const bind = transfer.poses;
        turned.bind_local = bind;
        complete_figure(source);
        complete_figure(target);
        const bool is_known = make_drives(source, target, is_captured, job->map || job->pairs);
        transfer.into.rotation = md5_quat_mul(md5_quat_conjugate(target->space), source->space);
        md5_check *const facts =
            md5_check_doc(MD5_DOC_ANIM, NULL, 0, (md5_engines){0}, NULL, error);
        const float unit = facts && md5_check_binding(facts, clip) ? 1.0f / facts->space.scale : 1;
        for (uint32_t i = 0; i < num_source; i++) {
            bind[i] = parent_of(source, i) == MD5_NONE
                          ? md5_xform_mul(transfer.into, own->bind_local[i])
                          : own->bind_local[i];
            bind[i].translation = md5_vec3_scale(bind[i].translation, unit);
        }
        md5_free_check(facts);
        source->model = &turned;
        source->space = target->space;
        md5_local_to_model_xforms(source->skeleton, bind, source->rest);
        transfer.retarget = make_retarget(source, target, error);
        uint32_t num_idle = 0;
        for (uint32_t i = 0; i < num_joints; i++)
            num_idle += target->joints[i].is_idle |= !transfer.retarget;
        is_done =
            job->prints_map || is_known || 2 * num_idle < num_joints
            || convert_fail(error, MD5_ERROR_MISMATCH, job->target,
                            "cannot match the skeletons: too few joint names are recognized; use "
                            "--print-map to write a joint map, edit it and use it with --map FILE");
        is_done = is_done && (transfer.retarget || job->prints_map);
    }
    if (is_done && job->prints_map) {
        print_map(job->prints_map, source, target);
    } else if (is_done) {
        convert_joint *const joints = common_alloc(num_joints, sizeof *joints);
        transfer.from = transfer.poses + num_source;
        transfer.posed = transfer.from + num_source;
        transfer.to = transfer.posed + num_source;
        transfer.placed = transfer.to + num_joints;
        transfer.scratch = common_alloc(1, md5_retarget_pose_scratch(transfer.retarget));
        transfer.ratio = md5_retarget_ratio(transfer.retarget);
        transfer.has_path = source->pelvis != MD5_NONE && target->body != MD5_NONE;
        for (uint32_t i = 0; i < num_joints; i++)
            joints[i] = (convert_joint){.name = target->skeleton->joints[i].name,
                                        .parent = parent_of(target, i)};
        for (int r = 2 * THIGH; r < 2 * SHIN; r++) {
            const float a = length_of(target, r) * length_of(source, r + 2);
            const float b = length_of(target, r + 2) * length_of(source, r);
            transfer.has_uneven_legs |= fabsf(a - b) > 1e-3f * fminf(a, b) && fminf(a, b) > 0;
        }
        if (is_captured)
            find_place(&transfer);
        find_ground(&transfer);
        const convert_motion motion = {.num_joints = num_joints,
                                       .joints = joints,
                                       .num_frames = clip->anim->num_frames,
                                       .rate = clip->anim->frame_rate,
                                       .rounding = 1e-6f,
                                       .pose = pose_clip,
                                       .user = &transfer};
        is_done = convert_add_clip(job, scene, part->name, &motion, model, error);
        print_results(&transfer);
        free(joints);
        for (int side = 0; side < 2; side++) {
            free(transfer.feet[side]);
            free(transfer.stands[side]);
        }
    }
    md5_destroy_retarget(transfer.retarget);
    free_figure(target);
    free_figure(source);
    free(transfer.poses);
    free(transfer.scratch);
    return is_done;
}

// Replaces a clip that was taken out of the scene.
static bool carry_clip(const convert_job *job, const convert_part *clip, const md5_model *source,
                       const md5_model *target, convert_scene *scene, md5_error *error)
{
    const uint64_t most_numbers = 1 << 26; // joints times frames
    const md5_load_opts opts = {.file_name = clip->path ? clip->path : clip->name};
    md5_model *const own = clip->skeleton_text ? md5_parse_model(clip->skeleton_text,
                                                                 clip->skeleton_size, &opts, error)
                                               : NULL;
    source = clip->skeleton_text ? own : source;
    if (!source)
        return convert_fail(error, MD5_ERROR_MISSING, clip->path,
                            "missing model of the clip: add the model that the clip was made for");
    md5_anim *const anim = md5_parse_anim(clip->bytes, clip->size, &opts, error);
    md5_binding *const binding = md5_bind(source, anim, NULL, error);
    bool is_done = binding;
    if (is_done && (uint64_t)anim->num_frames * target->skeleton.num_joints > most_numbers)
        is_done = convert_fail(error, MD5_ERROR_RANGE, opts.file_name,
                               "clip too large: %u frames of %u joints", anim->num_frames,
                               target->skeleton.num_joints);
    is_done = is_done && retarget_clip(job, source, binding, target, clip, scene, error);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(own);
    return is_done;
}

bool convert_retarget_clips(const convert_job *job, convert_scene *scene, bool keeps,
                            md5_error *error)
{
    const convert_part *const first = convert_find_model(scene);
    md5_model *const source = first ? convert_parse_model(first, error) : NULL;
    md5_model *const target = job->target ? md5_load_model(job->target, NULL, error) : source;
    bool is_done = (source || !first) && (target || !job->target);
    bool is_carried = false;
    convert_scene all = *scene;
    convert_scene out = {.parts = all.parts};
    scene->parts = NULL;
    scene->num_parts = 0;
    if (job->target) { // what the own model looks like goes, too
        out = all;
        out.name = NULL;
        out.num_parts = 0;
        *scene = (convert_scene){.name = all.name};
    }
    size_t size = 0;
    const char *reason = NULL;
    char *const bytes =
        is_done && job->target && keeps ? common_read_stream(job->target, &size, &reason) : NULL;
    if (bytes)
        convert_add_part(scene, CONVERT_MODEL, all.name, job->target, bytes, size);
    for (size_t i = 0; i < all.num_parts; i++) {
        convert_part *const part = &all.parts[i];
        const bool is_clip = part->kind == CONVERT_CLIP && is_done
                             && (job->target || part->skeleton_text) && target
                             && !(job->prints_map && is_carried);
        is_carried |= is_clip;
        if (is_clip)
            is_done = carry_clip(job, part, source, target, scene, error);
        if (is_clip || (job->target && part->kind != CONVERT_CAMERA)) {
            all.parts[out.num_parts++] = *part;
            continue;
        }
        *COMMON_MORE(scene->parts, scene->num_parts) = *part;
    }
    if (is_done && (job->target || job->map) && !is_carried)
        is_done = convert_fail(error, MD5_ERROR_MISSING, job->inputs[0],
                               job->target ? "--mesh has no effect: the file contains no clips"
                                           : "--map requires --mesh");
    if (is_carried)
        scene->unit = 0; // that of the model
    convert_free_scene(&out);
    md5_free_model(source);
    if (job->target)
        md5_free_model(target);
    return is_done;
}
