// Retargets clips to a model with another skeleton. The source is the skeleton for which a clip was
// made. The target is the skeleton of the model. The conversion has three steps:
//
// 1. Joints get roles in the human body, such as the left thigh. Roles are found by the names of
//    joints, and then by their positions in the hierarchy. A retarget_figure is a skeleton with its
//    roles.
// 2. Joints of both skeletons with the same role become pairs. The library transfers poses with
//    these pairs.
// 3. The poses of all frames are written as a clip whose feet stand on the ground
//    (retarget_transfer).
#include "demo/convert/retarget.h"

static const md5_quat no_rotation = {0, 0, 0, 1};

// -- Roles ----------------------------------------------------------------------------------------

// Parts of the body. The fingers begin with THUMB.
enum { HIPS, SPINE, NECK, HEAD, CLAVICLE, UPPER_ARM, FOREARM, HAND, THIGH, SHIN, FOOT, TOE, THUMB };
enum { NUM_FINGERS = 5, NUM_BODY_PARTS = THUMB + NUM_FINGERS };

// A role is a part of the body on one side. Its number is 2 * part + side, and the side is 0 for
// left and 1 for right. The parts up to HEAD are in the middle of the body and have side 0.
enum { NUM_ROLES = 2 * NUM_BODY_PARTS };

// Joints of this part of the body are first searched for among the descendants of the joint of
// `from`, such as the shin among the descendants of the thigh. A clavicle is searched for among the
// ancestors of the upper arm instead. If the search is not strict, the joint may also be elsewhere.
// A part whose `from` is -1 is searched for in the whole skeleton.
static const struct body_part {
    const char *title;
    const char *words; // names without side, prefix and numbers; the best name first
    int from;
    bool is_strict;
} body_parts[NUM_BODY_PARTS] = {
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
    // The words of fingers match the end of a name.
    [THUMB] = {"thumb", " thumb ", HAND, true},
    {"index", " index point ", HAND, true},
    {"middle", " middle mid ", HAND, true},
    {"ring", " ring ", HAND, true},
    {"pinky", " pinky little ", HAND, true},
};

// Words in the names of joints. Fillers have no meaning for roles. A word of `helpers` marks a
// joint that only controls other joints or marks a place. Such a joint gets a role only if there is
// no better one.
static const char fillers[] = " def org mixamorig bip bone jnt j b c cc base sk f finger "
                              "metacarpal proximal intermediate distal ";
static const char helpers[] =
    " ik fk mch pole pt target goal null tag attach twist roll orbit focus ctrl ";

// Returns the position of a word in a list of words, or NULL. The list has a blank before and after
// each word, so that a part of a longer word does not match.
static const char *find_word(const char *words, const char *word)
{
    char *const delimited_word = common_format(" %s ", word);
    const char *const at = strstr(words, delimited_word);
    free(delimited_word);
    return at;
}

// A chain of joints from parent to child, such as a spine. Its rotations are distributed over the
// chain of the other skeleton, which can have another number of joints.
enum { MAX_CHAIN = 64 };
typedef struct retarget_chain {
    uint32_t first; // or MD5_NONE
    uint32_t last;  // or MD5_NONE
} retarget_chain;

// Selects joints whose bones get the direction of the source's bones. The other joints get only the
// rotations of the source, so the directions differ if the rest poses do.
typedef enum retarget_alignment {
    ALIGN_NEVER = -1,
    ALIGN_LIMBS = 0,
    ALIGN_ALWAYS = 1
} retarget_alignment;

// A joint of the source or of the target. The second group of fields is used for joints of the
// target.
typedef struct retarget_joint {
    uint32_t depth;
    char base_name[64]; // name in lower case, without prefix, side and numbers
    int side;           // 0 left, 1 right, -1 neither
    bool is_helper;
    bool is_preferred; // in the part of the skeleton that the current role prefers
    uint32_t load;     // number of weights of vertices that the joint and its descendants have
    uint32_t leader;   // joint with which this joint moves rigidly, or MD5_NONE

    // Target only: the joints of the source whose rotations are interpolated to rotate this joint.
    uint32_t low; // or MD5_NONE
    uint32_t high;
    float fraction;           // interpolation factor from low to high
    bool is_mapped;           // a map defines the pair; in the source: must not rotate a joint
    retarget_alignment align; // ALIGN_LIMBS aligns the bone only if it is a limb
    bool is_chained;          // part of a chain with another length in the source
    bool is_idle;             // no joint of the source moves this joint
} retarget_joint;

// The source or the target, with the joints of its roles. If a role is missing, its chain is empty.
typedef struct retarget_figure {
    const md5_model *model;
    const md5_skeleton *skeleton; // of the model
    retarget_joint *joints;       // [num_joints]
    md5_xform *rest;              // [num_joints] bind pose, model space
    retarget_chain roles[NUM_ROLES];
    uint32_t pelvis;  // common ancestor of the thighs
    uint32_t body;    // common ancestor of pelvis and chest
    md5_quat space;   // rotation to a space with x forward, y left and z up
    const char *path; // of the file, for messages about a map, or NULL
} retarget_figure;

// Returns the parent of a joint, or MD5_NONE for a root and for MD5_NONE.
static uint32_t parent_joint(const retarget_figure *figure, uint32_t joint)
{
    return joint != MD5_NONE ? figure->skeleton->joints[joint].parent : MD5_NONE;
}

enum { MAX_NAME_WORD = 32 }; // with the 0 at the end; a longer word is read in parts

// Reads the next word of a joint's name between *cursor and `end` in lower case, and moves *cursor
// past it. A capital begins a word if a small letter precedes it (LeftArm) or follows it (LThumb).
// Returns the length of the word, or 0 if there is no letter at *cursor.
static size_t read_name_word(const char **cursor, const char *end, char word[MAX_NAME_WORD])
{
    const char *c = *cursor;
    size_t length = 0;
    for (; c < end && isalpha((unsigned char)*c) && length < MAX_NAME_WORD - 1; c++) {
        const bool is_first = length == 0; // c[-1] may be before the name
        const bool has_small_neighbor =
            !is_first && (islower((unsigned char)c[-1]) || islower((unsigned char)c[1]));
        if (has_small_neighbor && isupper((unsigned char)*c))
            break;
        word[length++] = (char)tolower((unsigned char)*c);
    }
    word[length] = '\0';
    *cursor = c;
    return length;
}

// Splits the name of a joint into words, without a prefix such as "rig:". Stores the side of the
// body: 0 left, 1 right, -1 unknown. Sets is_helper if a word is in `helpers`. All other words,
// except fillers, are joined to the base name.
static void read_name(const char *name, retarget_joint *joint)
{
    const char *const colon = strrchr(name, ':');
    const char *c = colon ? colon + 1 : name;

    // In Doom 3, Lankle_r is the left ankle.
    const char *end = c + strlen(c);
    const bool has_side_letter = (*c == 'L' || *c == 'R') && islower((unsigned char)c[1]);
    if (has_side_letter && strcmp(end - 2, "_r") == 0)
        end -= 2;

    joint->side = -1;
    size_t base_length = 0;
    while (c < end) {
        char word[MAX_NAME_WORD];
        const size_t length = read_name_word(&c, end, word);
        const bool has_space = base_length + length < sizeof joint->base_name;
        if (length == 0) {
            c++; // skip a character between words
        } else if (find_word(" l left lft r right rt ", word) != NULL) {
            joint->side = *word == 'r';
        } else if (find_word(helpers, word) != NULL) {
            joint->is_helper = true;
        } else if (find_word(fillers, word) == NULL && has_space) {
            memcpy(joint->base_name + base_length, word, length);
            base_length += length;
        }
    }
}

// Returns the word of a role that matches the name of a joint, or NULL if none does. The result
// points into the list of the role's words, in which better words are first.
static const char *find_role(const retarget_joint *joint, int role)
{
    const int part = role / 2;
    const int side = role % 2;
    const char *const words = body_parts[part].words;
    const char *name = joint->base_name;
    if (part <= HEAD)
        return joint->side < 0 ? find_word(words, name) : NULL;

    // A name can consist of one word that begins with the side: leftleg or, in old models, luparm.
    if (joint->side < 0 && *name == "lr"[side]) {
        const char *const prefix = side == 0 ? "left" : "right";
        name += strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 1;
    } else if (joint->side != side) {
        return NULL;
    }

    // The name of a finger may have other words at its start, so only its end is compared. A
    // pointer to the start of the list is returned, because all words for a finger are equally
    // good.
    const bool is_finger = part >= THUMB;
    for (const char *end = name; is_finger && *end != '\0'; end++) {
        if (find_word(words, end) != NULL)
            return words;
    }
    return find_word(words, name);
}

// Returns the deepest common ancestor of two joints, or MD5_NONE. A joint counts as its own
// ancestor. The loop replaces the deeper of the two joints by its parent until both are equal.
static uint32_t common_parent(const retarget_figure *figure, uint32_t a, uint32_t b)
{
    uint32_t first = a;
    uint32_t second = b;
    while (first != second && first != MD5_NONE && second != MD5_NONE) {
        if (figure->joints[first].depth >= figure->joints[second].depth)
            first = parent_joint(figure, first);
        else
            second = parent_joint(figure, second);
    }
    return first == second ? first : MD5_NONE;
}

// Marks the joints among which the joint of a role is preferred. They are the descendants of
// `base`. For a clavicle (`is_above`), they are the ancestors of `base`.
static void mark_preferred(retarget_figure *figure, uint32_t base, bool is_above)
{
    for (uint32_t i = 0; i < figure->skeleton->num_joints; i++)
        figure->joints[i].is_preferred = false;
    if (is_above) {
        for (uint32_t i = parent_joint(figure, base); i != MD5_NONE; i = parent_joint(figure, i))
            figure->joints[i].is_preferred = true;
        return;
    }

    for (uint32_t i = 0; i < figure->skeleton->num_joints; i++) { // parents before their children
        const uint32_t joint = figure->skeleton->order[i];
        const uint32_t parent = parent_joint(figure, joint);
        if (parent != MD5_NONE)
            figure->joints[joint].is_preferred =
                parent == base || figure->joints[parent].is_preferred;
    }
}

// Compares two joints whose names match a role. Returns a positive number if the first joint is
// better. These criteria are compared in this order:
//
// - the joint is in the preferred part of the skeleton
// - the joint is not a helper
// - the better word: words at lower addresses are better
// - for fingers, the deeper joint
// - the joint that moves most of the skin, because rigs can have separate joints for control
static int64_t compare_candidates(const retarget_joint *a, const char *a_word,
                                  const retarget_joint *b, const char *b_word, bool is_finger)
{
    if (a->is_preferred != b->is_preferred)
        return a->is_preferred ? 1 : -1;
    if (a->is_helper != b->is_helper)
        return b->is_helper ? 1 : -1;
    if (a_word != b_word)
        return b_word - a_word;
    if (is_finger && a->depth != b->depth)
        return (int64_t)a->depth - b->depth;
    return (int64_t)a->load - b->load;
}

// Returns true if a joint can have a role: it is in the required part of the skeleton, and a finger
// moves vertices.
static bool can_have_role(const retarget_figure *figure, const retarget_joint *joint, int part)
{
    const bool is_finger = part >= THUMB;
    const bool needs_load = is_finger && figure->model->num_meshes > 0;
    if (body_parts[part].is_strict && !joint->is_preferred)
        return false;
    return !needs_load || joint->load > 0;
}

// Returns the joint that matches a role best, or MD5_NONE. Descendants of `base` are preferred; for
// a clavicle, ancestors. `base` may be MD5_NONE.
static uint32_t find_best_joint(retarget_figure *figure, int role, uint32_t base)
{
    const int part = role / 2;
    const bool is_finger = part >= THUMB;
    uint32_t best = MD5_NONE;
    const char *best_word = NULL;
    mark_preferred(figure, base, part == CLAVICLE);

    for (uint32_t i = 0; i < figure->skeleton->num_joints; i++) {
        const uint32_t index = figure->skeleton->order[i];
        const retarget_joint *const joint = &figure->joints[index];
        const char *const word = find_role(joint, role);
        if (!word || !can_have_role(figure, joint, part))
            continue;
        const bool is_better =
            best == MD5_NONE
            || compare_candidates(joint, word, &figure->joints[best], best_word, is_finger) > 0;
        if (is_better) {
            best = index;
            best_word = word;
        }
    }
    return best;
}

// Finds the joint of a role and stores it as a chain of one joint. The chain of a finger has
// several joints: it begins at the first joint below the hand.
static void guess_role(retarget_figure *figure, int role)
{
    const int part = role / 2;
    const int side = role % 2;
    const int base_part = body_parts[part].from;
    const uint32_t base = base_part >= 0 ? figure->roles[2 * base_part + side].last : MD5_NONE;
    const uint32_t found = find_best_joint(figure, role, base);
    retarget_chain *const chain = &figure->roles[role];
    *chain = (retarget_chain){found, found};
    if (part < THUMB)
        return;

    for (uint32_t i = found; i != base && i != MD5_NONE; i = parent_joint(figure, i)) {
        if (find_role(&figure->joints[i], role) != NULL)
            chain->first = i;
    }
}

// Returns the chain from the joint after `base` to `last`. It is empty if `last` is not below
// `base`.
static retarget_chain chain_between(const retarget_figure *figure, uint32_t base, uint32_t last)
{
    retarget_chain chain = {MD5_NONE, MD5_NONE};
    if (last == MD5_NONE || base == MD5_NONE || common_parent(figure, base, last) != base)
        return chain;
    for (uint32_t i = last; i != base; i = parent_joint(figure, i))
        chain = (retarget_chain){i, last};
    return chain;
}

// Lists the joints of a chain from the first to the last. Returns their number, or 0 if the last
// joint is not a descendant of the first, or if the chain has more than MAX_CHAIN joints.
static uint32_t list_chain(const retarget_figure *figure, retarget_chain chain,
                           uint32_t joints[MAX_CHAIN])
{
    uint32_t count = 1;
    uint32_t top = chain.last;
    while (top != chain.first && top != MD5_NONE && count < MAX_CHAIN) {
        top = parent_joint(figure, top);
        count++;
    }
    if (top != chain.first || top == MD5_NONE)
        return 0;

    // A joint stores only its parent, so the list is filled from its end.
    uint32_t joint = chain.last;
    for (uint32_t i = count; i-- > 0; joint = parent_joint(figure, joint))
        joints[i] = joint;
    return count;
}

// Returns the vector between two joints in a pose, in the axes of figure->space. joints[] are the
// transforms of all joints in model space.
static md5_vec3 bone_vector(const retarget_figure *figure, const md5_xform *joints, uint32_t from,
                            uint32_t to)
{
    return md5_quat_rotate(figure->space,
                           md5_vec3_sub(joints[to].translation, joints[from].translation));
}

// Returns the length of a part of a limb, from a role to the next role, or 0 if a joint is missing.
static float bone_length(const retarget_figure *figure, int role)
{
    const uint32_t from = figure->roles[role].last;
    const uint32_t to = figure->roles[role + 2].first;
    if (from == MD5_NONE || to == MD5_NONE)
        return 0;
    return md5_vec3_length(bone_vector(figure, figure->rest, from, to));
}

// Returns true if a joint has the same name, side and position as the joint `leader`, but is
// another joint.
static bool is_duplicate_joint(const retarget_figure *figure, uint32_t index, uint32_t leader)
{
    if (index == leader)
        return false;
    const retarget_joint *const joint = &figure->joints[index];
    const retarget_joint *const leading_joint = &figure->joints[leader];
    const bool has_same_name = joint->side == leading_joint->side
                               && strcmp(joint->base_name, leading_joint->base_name) == 0;
    if (!has_same_name)
        return false;
    const float max_distance = 1e-3f * md5_vec3_length(figure->rest[leader].translation);
    return md5_vec3_length(bone_vector(figure, figure->rest, leader, index)) <= max_distance;
}

// Finds duplicate joints and their leaders. A rig can have several joints for one purpose at one
// position, for example one for control and one for the skin. Their parents may differ. The leader
// is the joint that has the role, and its duplicates move with it.
static void find_leaders(const retarget_figure *figure)
{
    for (int r = 0; r < 2 * THUMB; r++) {
        const uint32_t leader = figure->roles[r].last;
        if (leader == MD5_NONE || find_role(&figure->joints[leader], r) == NULL)
            continue;
        for (uint32_t i = 0; i < figure->skeleton->num_joints; i++)
            if (is_duplicate_joint(figure, i, leader))
                figure->joints[i].leader = leader;
    }
}

// Returns the axis that is nearest to a direction.
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

// Returns the direction from the right to the left of the body in a pose, in the axes of
// figure->space. It is the sum of two unit vectors: between the upper arms, and between the thighs.
// A vector with a missing limb is omitted.
static md5_vec3 left_direction(const retarget_figure *figure, const md5_xform *joints)
{
    static const int limbs[] = {UPPER_ARM, THIGH};
    const md5_vec3 nowhere = {0, 0, 0};
    md5_vec3 sum = nowhere;
    for (size_t i = 0; i < COMMON_LENGTH(limbs); i++) {
        const uint32_t left = figure->roles[2 * limbs[i]].last;
        const uint32_t right = figure->roles[2 * limbs[i] + 1].last;
        if (left == MD5_NONE || right == MD5_NONE)
            continue;
        const md5_vec3 to_left = bone_vector(figure, joints, right, left);
        sum = md5_vec3_add(sum, md5_vec3_normalize(to_left, nowhere));
    }
    return sum;
}

// Finds the axes of a skeleton and sets figure->space. Up is the axis of the file that is nearest
// to the direction from the pelvis to the head. Left is the direction from right to left limbs,
// made perpendicular to up. If an axis of the file is close to it, left is this axis. figure->space
// is unchanged if the pelvis, the head or the limbs are unknown.
static void find_axes(retarget_figure *figure)
{
    const float min_left_length = 0.5f; // of the sum of unit vectors
    const float min_axis_cosine = 0.9f; // of the angle between left and an axis of the file
    const uint32_t head = figure->roles[2 * HEAD].last;
    if (figure->pelvis == MD5_NONE || head == MD5_NONE)
        return;
    retarget_figure in_file_space = *figure;
    in_file_space.space = no_rotation;
    const md5_vec3 left = left_direction(&in_file_space, figure->rest);
    if (md5_vec3_length(left) < min_left_length)
        return;

    const md5_vec3 z = nearest_axis(
        md5_vec3_sub(figure->rest[head].translation, figure->rest[figure->pelvis].translation));
    md5_vec3 y = md5_vec3_sub(left, md5_vec3_scale(z, md5_vec3_dot(left, z)));
    y = md5_vec3_normalize(y, nearest_axis(left));
    if (md5_vec3_dot(y, nearest_axis(y)) > min_axis_cosine)
        y = nearest_axis(y);
    const md5_vec3 x = md5_vec3_cross(y, z);
    figure->space =
        md5_quat_from_mat34((md5_mat34){{x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0}});
}

// Returns the names from which joints get roles, one for each joint. They are usually the names of
// the joints. If the file `part` declares the bones of a human body, they are the names of these
// bones, and "" for all other joints. `part` may be NULL.
static const char **role_names(const md5_skeleton *skeleton, const convert_part *part)
{
    const char **const names = common_alloc(skeleton->num_joints, sizeof *names);
    const bool has_bones = part != NULL && part->num_bones > 0;
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        names[i] = has_bones ? "" : skeleton->joints[i].name;
    if (part == NULL)
        return names;
    for (size_t i = 0; i < part->num_bones; i++) {
        const uint32_t joint = md5_find_joint(skeleton, part->bones[i].joint);
        if (joint != MD5_NONE)
            names[joint] = part->bones[i].bone;
    }
    return names;
}

// Computes `load` of each joint: how many influences on vertices the joint and its descendants
// have.
static void count_loads(retarget_figure *figure)
{
    const md5_model *const model = figure->model;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (uint32_t k = 0; k < mesh->num_influences; k++)
            figure->joints[mesh->influence_joints[k]].load++;
    }
    for (uint32_t i = figure->skeleton->num_joints; i-- > 0;) { // children before their parents
        const uint32_t joint = figure->skeleton->order[i];
        const uint32_t parent = parent_joint(figure, joint);
        if (parent != MD5_NONE)
            figure->joints[parent].load += figure->joints[joint].load;
    }
}

// Finds the joints of all roles by their names. The search for a role begins at the joint of an
// earlier role; for example, a hand is below the forearm.
static void guess_roles(retarget_figure *figure)
{
    for (int r = 0; r < NUM_ROLES; r++)
        guess_role(figure, r);
    for (int side = 0; side < 2; side++) {
        // A clavicle is found by the upper arm below it. At the first attempt, the upper arm was
        // unknown.
        guess_role(figure, 2 * CLAVICLE + side);

        retarget_chain *const thigh = &figure->roles[2 * THIGH + side];
        retarget_chain *const shin = &figure->roles[2 * SHIN + side];
        if (thigh->last == shin->last) // one joint named "leg": it is the thigh
            *shin = (retarget_chain){MD5_NONE, MD5_NONE};
    }
}

// Creates a figure and finds roles by the names of joints. complete_figure() must be called
// afterwards to find the roles that follow from the hierarchy. `space` is used if the limbs do not
// indicate the axes. `part` is the file of the skeleton, or NULL if it declares no bones.
static retarget_figure create_figure(const md5_model *model, const convert_part *part,
                                     md5_quat space)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    retarget_figure figure = {.model = model,
                              .skeleton = skeleton,
                              .joints = common_alloc(num_joints, sizeof *figure.joints),
                              .rest = common_alloc(num_joints, sizeof *figure.rest),
                              .space = space};
    md5_local_to_model_xforms(skeleton, model->bind_local, figure.rest);

    const char **const names = role_names(skeleton, part);
    for (uint32_t i = 0; i < num_joints; i++) { // parents before their children
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = parent_joint(&figure, joint);
        figure.joints[joint] =
            (retarget_joint){.depth = parent == MD5_NONE ? 0 : figure.joints[parent].depth + 1,
                             .leader = MD5_NONE,
                             .low = MD5_NONE};
        read_name(names[joint], &figure.joints[joint]);
    }
    free((void *)names);

    count_loads(&figure);
    guess_roles(&figure);
    return figure;
}

// Finds the roles that follow from the hierarchy. The names of joints in the spine and the neck
// differ too much between skeletons to be used.
//
// The pelvis is the common ancestor of the thighs, and the chest is that of the upper arms.
// figure->body is the common ancestor of pelvis and chest. The spine is between figure->body and
// the chest, and the neck is between the chest and the head.
static void complete_figure(retarget_figure *figure)
{
    retarget_chain *const roles = figure->roles;
    const uint32_t head = roles[2 * HEAD].last;
    const uint32_t hips = roles[2 * HIPS].last;
    find_leaders(figure);

    figure->pelvis = common_parent(figure, roles[2 * THIGH].last, roles[2 * THIGH + 1].last);
    if (figure->pelvis == MD5_NONE)
        figure->pelvis = hips;

    uint32_t chest =
        common_parent(figure, roles[2 * UPPER_ARM].last, roles[2 * UPPER_ARM + 1].last);
    if (chest == MD5_NONE)
        chest = parent_joint(figure, head);

    figure->body = chest != MD5_NONE ? common_parent(figure, figure->pelvis, chest) : MD5_NONE;
    if (figure->body == MD5_NONE)
        figure->body = figure->pelvis;

    roles[2 * HIPS] = (retarget_chain){figure->pelvis, figure->pelvis};
    roles[2 * SPINE] = chain_between(figure, figure->body, chest);
    const uint32_t neck_base = chest != MD5_NONE ? chest : figure->body;
    if (head != MD5_NONE)
        roles[2 * NECK] = chain_between(figure, neck_base, parent_joint(figure, head));
    find_axes(figure);
}

static void free_figure(retarget_figure *figure)
{
    free(figure->joints);
    free(figure->rest);
}

// Returns true if the figure stands in its bind pose. The directions from the pelvis to the head
// and to the feet must then differ by more than 120 degrees. Also returns true if a direction is
// unknown.
static bool is_standing(const retarget_figure *figure)
{
    const float max_cosine = -0.5f; // of 120 degrees
    const md5_vec3 nowhere = {0, 0, 0};
    const uint32_t pelvis = figure->pelvis;
    const uint32_t head = figure->roles[2 * HEAD].last;
    const uint32_t left_foot = figure->roles[2 * FOOT].last;
    const uint32_t right_foot = figure->roles[2 * FOOT + 1].last;
    const bool has_body = pelvis != MD5_NONE && head != MD5_NONE;
    const bool has_feet = left_foot != MD5_NONE && right_foot != MD5_NONE;
    if (!has_body || !has_feet)
        return true;

    const md5_vec3 up = bone_vector(figure, figure->rest, pelvis, head);
    const md5_vec3 down = md5_vec3_add(bone_vector(figure, figure->rest, pelvis, left_foot),
                                       bone_vector(figure, figure->rest, pelvis, right_foot));
    const float cosine =
        md5_vec3_dot(md5_vec3_normalize(up, nowhere), md5_vec3_normalize(down, nowhere));
    return cosine < max_cosine;
}

// Measures a figure: its upright direction, the length of its legs, and whether its bind pose
// stands.
convert_stance convert_measure(const md5_model *model)
{
    retarget_figure figure = create_figure(model, NULL, (md5_quat){0.5f, 0.5f, 0.5f, 0.5f});
    complete_figure(&figure);
    convert_stance stance = {.axes = figure.space, .is_standing = is_standing(&figure)};
    for (int r = 2 * THIGH; r < 2 * FOOT; r++)
        stance.legs += 0.5f * bone_length(&figure, r);
    free_figure(&figure);
    return stance;
}

// -- Pairs of joints ------------------------------------------------------------------------------

// Distributes the rotations of a source chain of m joints over a target chain of n joints. Target
// joint i, counted from 1, gets the rotation of the source after i * m / n joints. If this is not a
// whole number, the rotations of the source joints before and after it (`low` and `high`) are
// interpolated.
//
// Joints that a map defines are not changed. Returns true if both chains exist.
static bool pair_chains(const retarget_figure *source, const retarget_figure *target,
                        retarget_chain from, retarget_chain to)
{
    // Element 0 is the parent of the source chain: the rotation before the first joint of the
    // chain.
    uint32_t source_joints[MAX_CHAIN + 1];
    uint32_t target_joints[MAX_CHAIN];
    const uint32_t m = list_chain(source, from, source_joints + 1);
    const uint32_t n = list_chain(target, to, target_joints);
    source_joints[0] = parent_joint(source, from.first);
    if (m == 0 || n == 0)
        return false;

    for (uint32_t i = 0; i < n; i++) {
        retarget_joint *const joint = &target->joints[target_joints[i]];
        const uint32_t position = m * (i + 1); // in n-ths of a joint of the source
        const uint32_t low = source_joints[position / n];
        const uint32_t high = source_joints[(position + n - 1) / n];
        if (joint->is_mapped || source->joints[high].is_mapped)
            continue;
        joint->high = high;
        joint->low = low != MD5_NONE ? low : high;
        joint->fraction = (float)(position % n) / (float)n;
        joint->is_chained = m != n;
    }
    return true;
}

// Pairs the roots and the bodies of both skeletons. The position of the root of a captured clip has
// no meaning. For such a clip, only the bodies are paired.
static void pair_roots(const retarget_figure *source, const retarget_figure *target,
                       bool is_captured)
{
    uint32_t root = source->pelvis;
    while (parent_joint(source, root) != MD5_NONE)
        root = parent_joint(source, root);

    const bool is_root_above = common_parent(target, 0, target->body) == 0;
    const bool has_root = is_root_above && parent_joint(target, 0) == MD5_NONE;
    if (!is_captured && root != source->pelvis && has_root)
        pair_chains(source, target, (retarget_chain){root, root}, (retarget_chain){0, 0});
    if (source->pelvis != MD5_NONE && target->body != MD5_NONE) // rotates as the pelvis does
        pair_chains(source, target, source->roles[2 * HIPS],
                    (retarget_chain){target->body, target->body});
}

// Pairs the joints of both skeletons by their roles, such as the left knee. If too few roles exist
// in both skeletons and the user gave no map, removes the pairs again and returns false. The caller
// then pairs joints only by equal names.
static bool pair_joints(const retarget_figure *source, const retarget_figure *target,
                        bool is_captured, bool has_map)
{
    enum { MIN_COMMON_ROLES = 12 }; // without spine and fingers, whose names differ too much
    pair_roots(source, target, is_captured);

    int num_common = 0;
    bool has_limbs = true; // both skeletons have all upper arms and thighs
    for (int r = 0; r < NUM_ROLES; r++) {
        const int part = r / 2;
        const bool is_role = part > HEAD || r % 2 == 0; // parts up to HEAD have side 0 only
        const bool is_limb = part == UPPER_ARM || part == THIGH;
        const bool is_counted = part != SPINE && part < THUMB;
        const bool is_paired =
            is_role && pair_chains(source, target, source->roles[r], target->roles[r]);
        if (is_paired && is_counted)
            num_common++;
        if (is_limb && !is_paired)
            has_limbs = false;
    }

    const bool is_matched = has_map || (has_limbs && num_common >= MIN_COMMON_ROLES);
    if (is_matched)
        return true;
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        target->joints[i].low = MD5_NONE;
    return false;
}

// Sets is_idle of a target joint that md5_create_retarget() reports as unmoved. It is a callback
// for md5_load_opts.warn. The first number in the warning is the index of the joint.
static void mark_idle(void *user, const md5_error *warning)
{
    const retarget_figure *const target = user;
    const char *const number = strpbrk(warning->message, "0123456789");
    const unsigned long joint = number ? strtoul(number, NULL, 10) : MD5_NONE;
    if (joint < target->skeleton->num_joints)
        target->joints[joint].is_idle = true;
}

// Returns true if the bone of a joint gets the direction of the source's bone. The default is true
// for upper arms, forearms, thighs and shins.
static bool is_aligned(const retarget_figure *target, uint32_t index)
{
    const retarget_alignment align = target->joints[index].align;
    if (align != ALIGN_LIMBS)
        return align == ALIGN_ALWAYS;
    for (int r = 2 * UPPER_ARM; r < 2 * FOOT; r++)
        if (r / 2 != HAND && target->roles[r].last == index)
            return true;
    return false;
}

// Returns the pair of a target joint for the library. The map can keep a target joint in its bind
// pose; its pair then has no source joint.
static md5_joint_pair create_pair(const retarget_figure *source, const retarget_figure *target,
                                  uint32_t index)
{
    const retarget_joint *const joint = &target->joints[index];
    const md5_joint *const source_joints = source->skeleton->joints;
    md5_joint_pair pair = {.target = target->skeleton->joints[index].name,
                           .fraction = joint->fraction};
    if (joint->low == MD5_NONE)
        return pair;
    pair.align = is_aligned(target, index);
    pair.source = source_joints[joint->low].name;
    if (joint->high != joint->low)
        pair.next = source_joints[joint->high].name;
    return pair;
}

// Lists the pairs of joints in the form of the library. Returns their number. The capacity of
// `pairs` is the number of joints of both skeletons.
static uint32_t list_pairs(const retarget_figure *source, const retarget_figure *target,
                           md5_joint_pair *pairs)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++) {
        const retarget_joint *const joint = &target->joints[i];
        const char *const name = target->skeleton->joints[i].name;
        const bool has_pair = joint->low != MD5_NONE || joint->is_mapped;
        const bool has_unique_name = md5_find_joint(target->skeleton, name) == i;
        if (has_pair && has_unique_name)
            pairs[count++] = create_pair(source, target, i);
    }

    // A map can exclude joints of the source. Such a joint gets a pair without a target joint, so
    // that the library does not pair it by its name.
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++) {
        if (source->joints[i].is_mapped)
            pairs[count++] = (md5_joint_pair){.source = source->skeleton->joints[i].name};
    }
    return count;
}

// Creates the retarget of the library from the pairs. Sets is_idle of the target's joints that the
// retarget does not move. Returns NULL on failure.
static md5_retarget *create_retarget(const retarget_figure *source, retarget_figure *target,
                                     md5_error *error)
{
    const size_t max_pairs = (size_t)target->skeleton->num_joints + source->skeleton->num_joints;
    md5_joint_pair *const pairs = common_alloc(max_pairs, sizeof *pairs);
    const uint32_t num_pairs = list_pairs(source, target, pairs);
    const md5_load_opts opts = {.warn = mark_idle, .warn_user = target, .max_warnings = UINT32_MAX};
    md5_retarget *const retarget =
        md5_create_retarget(source->model, target->model, pairs, num_pairs, &opts, error);
    free(pairs);
    return retarget;
}

// -- Maps -----------------------------------------------------------------------------------------
//
// A joint map is a text in which the user pairs joints. Each line contains one pair. The first is
// the joint of the motion (the source), the second the joint of the model (the target).

// Returns the next token of a line: a text in quotes, or the characters up to a blank. Writes a 0
// after the token and moves *cursor past it. Returns NULL at the end of the line or at a comment.
static char *next_token(char **cursor)
{
    char *token = *cursor + strspn(*cursor, " \t\r");
    const bool is_quoted = *token == '"';
    if (*token == '\0' || *token == '#')
        return NULL;
    token += is_quoted;
    char *const end = token + strcspn(token, is_quoted ? "\"" : " \t\r");
    *cursor = end + (*end != '\0');
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
    retarget_chain chains[2];   // of the source and of the target
    uint32_t joints[MAX_CHAIN]; // of the target
    uint32_t num_joints;        // 0: the line has "-" instead of a joint of the target
} map_pair;

// Returns the joint whose name is most similar to an unknown name, or NULL. Names that contain the
// unknown name in another case are the most similar names.
static const char *find_similar_joint(const md5_skeleton *skeleton, const char *unknown)
{
    enum { MAX_LENGTH = 64 };
    const size_t length = strlen(unknown);
    const char *similar = NULL;
    size_t min_distance = length / 3 + 1;
    for (uint32_t i = 0; i < skeleton->num_joints && length <= MAX_LENGTH; i++) {
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
    pair->num_joints = list_chain(figure, chain, pair->joints);

    const bool can_be_empty = side == 0 || pair->chains[0].last != MD5_NONE;
    const bool is_empty = can_be_empty && strcmp(token, "-") == 0;
    if (pair->num_joints == 0 && !is_empty)
        return describe_bad_chain(figure, side == 0 ? "motion" : "model", token, last_name);
    return NULL;
}

// Reads the joints of both sides of a line. pair->joints are those of the last side, the target.
// Dots in the tokens of chains are overwritten. Returns NULL, or an error message about the line's
// bad token.
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
    for (int r = 0; r < 2 * THUMB; r++) {
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
    pair_chains(figures[0], target, pair->chains[0], pair->chains[1]);
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

// Reads job->map, and then job->pairs, which may replace pairs of the map.
static bool read_map(const convert_job *job, retarget_figure *const figures[2], md5_error *error)
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
    for (int r = 0; r < NUM_ROLES; r++) {
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

// Prints the pairs in the form of a map.
static void print_map(FILE *file, const retarget_figure *source, const retarget_figure *target)
{
    const md5_joint *const from = source->skeleton->joints;
    const md5_joint *const to = target->skeleton->joints;
    print_chains(file, source, target);
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        if (!target->joints[i].is_chained)
            print_pair(file, &target->joints[i], to[i].name, from);
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++)
        if (source->joints[i].is_mapped)
            print_name(file, from[i].name, " -\n");
}

// Returns the index of the source joint that rotates a target joint, or MD5_NONE. The joint may
// also be paired by its name, which the library does.
static uint32_t find_source_joint(const retarget_figure *source, const retarget_figure *target,
                                  uint32_t index)
{
    const retarget_joint *const joint = &target->joints[index];
    if (joint->is_idle)
        return MD5_NONE;
    if (joint->low != MD5_NONE)
        return joint->low;
    return md5_find_joint(source->skeleton, target->skeleton->joints[index].name);
}

// Creates the retarget from one model to another. Joints are first paired by the map of the job,
// then by their roles, then by equal names. `job` may be NULL. Unless `pairs` is NULL, pairs[i]
// receives the source joint of target joint i.
md5_retarget *convert_create_retarget(const convert_job *job, const md5_model *source,
                                      const md5_model *target, convert_pair *pairs,
                                      md5_error *error)
{
    retarget_figure from = create_figure(source, NULL, no_rotation);
    retarget_figure to = create_figure(target, NULL, no_rotation);
    const bool has_map = job && (job->map || job->pairs);
    const bool is_read = !has_map || read_map(job, (retarget_figure *[]){&from, &to}, error);
    complete_figure(&from);
    complete_figure(&to);
    pair_joints(&from, &to, false, has_map);
    md5_retarget *const retarget = is_read ? create_retarget(&from, &to, error) : NULL;

    const uint32_t num_pairs = pairs ? target->skeleton.num_joints : 0;
    for (uint32_t i = 0; i < num_pairs; i++) {
        pairs[i].is_mapped = to.joints[i].is_mapped;
        pairs[i].source = retarget ? find_source_joint(&from, &to, i) : MD5_NONE;
    }

    free_figure(&from);
    free_figure(&to);
    return retarget;
}

// -- Motion ---------------------------------------------------------------------------------------

// State of retargeting one clip from the skeleton for which it was made (source) to the skeleton of
// the model (target).
typedef struct retarget_transfer {
    const convert_job *job;
    retarget_figure source; // rotated to the model's space
    retarget_figure target;
    const md5_binding *binding; // of the clip
    md5_retarget *retarget;
    float ratio;             // scale of the path
    md5_xform clip_to_model; // transform from the clip's space to the model's space

    // The poses of the current frame. `poses` is one allocation, which begins with the bind pose of
    // the source; the four other poses follow.
    md5_xform *poses;
    md5_xform *source_local; // [source joints] local space
    md5_xform *source_pose;  // [source joints] model space
    md5_xform *target_local; // [joints] local space
    md5_xform *target_pose;  // [joints] model space
    void *scratch;

    float lift;           // distance by which the model is raised, in units of the model
    float source_ground;  // height of the source's standing feet
    bool is_captured;     // the clip may begin at any position
    bool has_path;        // the pelvis is known in both skeletons
    bool has_uneven_legs; // thighs and shins have different ratios of lengths
    md5_vec3 *feet[2];    // [frames] displacement of the source's feet from the rest pose
    float *stands[2];     // [frames] weights from 0 to 1 with which the source's feet stand

    // Measurements while the clip is written:
    md5_vec3 plant_positions[2]; // position at which a foot began to stand
    double angle_sum;            // sum of angles between bones of both skeletons, radians
    double max_angle;            // largest of these angles, radians
    unsigned num_bones;          // angles in angle_sum
    float max_slide;             // largest displacement of a standing foot
    float max_foot_depth;        // largest depth of a foot below the ground
} retarget_transfer;

// Returns the displacement of a joint from the rest pose in the figure's space.
static md5_vec3 rest_displacement(const retarget_figure *figure, const md5_xform *posed,
                                  uint32_t joint)
{
    return md5_quat_rotate(figure->space,
                           md5_vec3_sub(posed[joint].translation, figure->rest[joint].translation));
}

// Rotates a vector from the common space of both figures (x forward, y left, z up) to the model's
// space.
static md5_vec3 to_model(const retarget_transfer *transfer, md5_vec3 v)
{
    return md5_quat_rotate(md5_quat_conjugate(transfer->target.space), v);
}

// Returns the height of the lowest foot or toe relative to the rest pose, or INFINITY without feet.
static float lowest_foot(const retarget_figure *figure, const md5_xform *posed)
{
    float lowest = INFINITY;
    for (int r = 2 * FOOT; r < 2 * TOE + 2; r++)
        if (figure->roles[r].last != MD5_NONE)
            lowest = fminf(lowest, rest_displacement(figure, posed, figure->roles[r].last).z);
    return lowest;
}

// Computes the pose of the source in a frame of its clip, in the model's space. The clip can have
// other axes and another position, so the transforms of its roots are changed first.
static void pose_source(const retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const source = &transfer->source;
    const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
    md5_sample(transfer->binding, sample, MD5_ROOT_FILE, transfer->source_local);
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++)
        if (parent_joint(source, i) == MD5_NONE)
            transfer->source_local[i] =
                md5_xform_mul(transfer->clip_to_model, transfer->source_local[i]);
    md5_local_to_model_xforms(source->skeleton, transfer->source_local, transfer->source_pose);
}

// Moves the path along the ground from the body to joint 0. Games use the motion of joint 0 as the
// motion of the character. Does nothing if joint 0 already moves, or if it is not an ancestor of
// the body.
static void move_path_to_root(const retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const retarget_figure *const source = &transfer->source;
    md5_xform *const local = transfer->target_local;
    const uint32_t body = target->body;
    const bool has_idle_root = target->joints[0].is_idle && parent_joint(target, 0) == MD5_NONE;
    const bool is_root_above = body != 0 && common_parent(target, 0, body) == 0;
    if (!transfer->has_path || !has_idle_root || !is_root_above)
        return;

    md5_vec3 source_path = rest_displacement(source, transfer->source_pose, source->pelvis);
    source_path.z = 0;
    const md5_vec3 path = md5_vec3_scale(to_model(transfer, source_path), transfer->ratio);
    local[0].translation = md5_vec3_add(local[0].translation, path);

    // The motion of joint 0 also moves the body, so subtract the path from the body. The
    // translation of the body is relative to its parent.
    const md5_quat parent_rotation = target->rest[parent_joint(target, body)].rotation;
    const md5_vec3 path_in_parent = md5_quat_rotate(md5_quat_conjugate(parent_rotation), path);
    local[body].translation = md5_vec3_sub(local[body].translation, path_in_parent);
}

// Returns the model-space transform of a joint that moves rigidly with its leader. The transform of
// the joint relative to its leader remains that of the bind pose.
static md5_xform follow_leader(const retarget_figure *target, const md5_xform *joints,
                               uint32_t joint, uint32_t leader)
{
    const md5_xform relative_to_leader =
        md5_xform_mul(md5_xform_inverse(target->rest[leader]), target->rest[joint]);
    return md5_xform_mul(joints[leader], relative_to_leader);
}

// A duplicate joint that no joint of the source rotates moves rigidly with its leader. Computes the
// poses of these joints and of their descendants.
static void pose_followers(const retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    md5_xform *const local_pose = transfer->target_local;
    md5_xform *const joints = transfer->target_pose; // in model space
    bool has_followers = false;

    for (uint32_t i = 0; i < target->skeleton->num_joints; i++) { // parents before their children
        const uint32_t joint = target->skeleton->order[i];
        const uint32_t parent = parent_joint(target, joint);
        const uint32_t leader = target->joints[joint].leader;
        const bool is_follower = leader != MD5_NONE && target->joints[joint].low == MD5_NONE;
        if (is_follower) {
            joints[joint] = follow_leader(target, joints, joint, leader);
            has_followers = true;
        } else if (parent != MD5_NONE && has_followers) {
            joints[joint] = md5_xform_mul(joints[parent], local_pose[joint]);
        }
    }

    if (has_followers)
        md5_model_to_local_xforms(target->skeleton, joints, local_pose);
}

// Computes the pose of the model in a frame of the clip, in local space and in model space.
static void pose_model(const retarget_transfer *transfer, uint32_t frame)
{
    pose_source(transfer, frame);
    md5_retarget_pose(transfer->retarget, transfer->source_local, transfer->target_local,
                      transfer->scratch);
    move_path_to_root(transfer);
    md5_local_to_model_xforms(transfer->target.skeleton, transfer->target_local,
                              transfer->target_pose);
    pose_followers(transfer);
}

// Adds a linear fade from 1 to 0 before and after the frames with weight 1. It lasts a tenth of a
// second. Without the fade, a foot would jump when it begins or ends to stand.
static void fade_weights(float *weights, uint32_t num_frames, float rate)
{
    const float fades_per_second = 10.0f;
    for (uint32_t i = 1; i < num_frames; i++)
        weights[i] = fmaxf(weights[i], weights[i - 1] - fades_per_second / rate);
    for (uint32_t i = num_frames; i-- > 1;)
        weights[i - 1] = fmaxf(weights[i - 1], weights[i] - fades_per_second / rate);
}

// Finds the frames in which a foot of the source stands. The foot must be near its lowest height
// and slow. Stores the weights of all frames in stands[side].
static void find_standing_frames(retarget_transfer *transfer, int side)
{
    const float max_height = 0.03f; // above the lowest height, in lengths of the leg
    const float max_speed = 0.1f;   // lengths of the leg per second
    const retarget_figure *const source = &transfer->source;
    const uint32_t num_frames = transfer->binding->anim->num_frames;
    const float rate = (float)transfer->binding->anim->frame_rate;
    const md5_vec3 *const feet = transfer->feet[side];
    float *const stands = transfer->stands[side];
    const float leg = bone_length(source, 2 * THIGH + side) + bone_length(source, 2 * SHIN + side);

    float lowest = INFINITY;
    for (uint32_t i = 0; i < num_frames; i++)
        lowest = fminf(lowest, feet[i].z);

    float last_distance = INFINITY; // from the previous frame
    for (uint32_t i = 0; i < num_frames; i++) {
        float next_distance = INFINITY; // to the next frame
        if (i + 1 < num_frames)
            next_distance = md5_vec3_length(md5_vec3_sub(feet[i + 1], feet[i]));
        const bool is_low = feet[i].z <= lowest + max_height * leg;
        const bool is_slow = fminf(last_distance, next_distance) * rate <= max_speed * leg;
        stands[i] = is_low && is_slow ? 1 : 0.0f;
        last_distance = next_distance;
    }

    fade_weights(stands, num_frames, rate);
}

// Returns the height that 5 % of the heights do not exceed. Sorts the heights.
static double low_percentile(double *heights, uint32_t count)
{
    qsort(heights, count, sizeof *heights, common_compare_doubles);
    return heights[count / 20];
}

// Stores the displacement of the source's feet in a frame.
static void store_feet(retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const source = &transfer->source;
    for (int side = 0; side < 2; side++) {
        const uint32_t foot = source->roles[2 * FOOT + side].last;
        if (foot != MD5_NONE)
            transfer->feet[side][frame] = rest_displacement(source, transfer->source_pose, foot);
    }
}

// Poses both skeletons in all frames, and stores the height of the lowest foot of each.
//
// In a clip that was not captured, feet may intentionally be below the ground. The heights of the
// target are then relative to the scaled heights of the source.
static void measure_feet(retarget_transfer *transfer, double *source_lows, double *target_lows)
{
    const uint32_t num_frames = transfer->binding->anim->num_frames;
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        pose_model(transfer, frame);
        store_feet(transfer, frame);
        source_lows[frame] = (double)lowest_foot(&transfer->source, transfer->source_pose);
        target_lows[frame] = (double)lowest_foot(&transfer->target, transfer->target_pose);
        if (!transfer->is_captured && isfinite(source_lows[frame]))
            target_lows[frame] -= (double)transfer->ratio * source_lows[frame];
    }
}

// Raises or lowers the model so that its feet stand at the height that they have in the bind pose.
// In 95 % of the frames, no foot is then below this height. Also finds the frames in which each
// foot stands.
static void find_ground(retarget_transfer *transfer)
{
    const uint32_t num_frames = transfer->binding->anim->num_frames;
    for (int side = 0; side < 2; side++) {
        transfer->feet[side] = common_alloc(num_frames, sizeof(md5_vec3));
        transfer->stands[side] = common_alloc(num_frames, sizeof(float));
    }

    double *const target_lows = common_alloc(2 * (size_t)num_frames, sizeof *target_lows);
    double *const source_lows = target_lows + num_frames;
    measure_feet(transfer, source_lows, target_lows);
    const float lift = (float)-low_percentile(target_lows, num_frames);
    const double ground = low_percentile(source_lows, num_frames);
    free(target_lows);

    const float rounding = 1e-5f * bone_length(&transfer->target, 2 * THIGH);
    const bool is_lifted = transfer->has_path && isfinite(lift); // not finite without feet
    if (is_lifted && fabsf(lift) > rounding)
        transfer->lift = lift;
    if (transfer->is_captured && isfinite(ground))
        transfer->source_ground = (float)ground;

    // The path of the model is the path of the source times `ratio`. To raise the model by `lift`,
    // the source must therefore be raised by lift / ratio.
    const md5_vec3 source_lift = {0, 0, transfer->lift / transfer->ratio};
    transfer->clip_to_model.translation =
        md5_vec3_add(transfer->clip_to_model.translation, to_model(transfer, source_lift));
    for (int side = 0; side < 2; side++)
        find_standing_frames(transfer, side);
}

// Returns the angle by which the first frame of a clip is rotated to the left about the vertical
// axis, in degrees; 0 if the source has no limbs.
static double find_start_yaw(const retarget_transfer *transfer)
{
    const double pi = 3.14159265358979323846;
    const float min_left_length = 0.5f; // of a sum of unit vectors
    pose_source(transfer, 0);
    const md5_vec3 left = left_direction(&transfer->source, transfer->source_pose);
    if (!(md5_vec3_length(left) > min_left_length))
        return 0;
    return atan2((double)-left.x, (double)left.y) * 180.0 / pi;
}

// Moves a captured motion to the position of the model. Also rotates it by a multiple of 90
// degrees, so that the first frame faces forward as far as possible. The remaining rotation may be
// intended, so it is only reported.
static void align_captured_motion(retarget_transfer *transfer)
{
    const retarget_figure *const source = &transfer->source;
    const double pi = 3.14159265358979323846;
    const double max_unnoticed_yaw = 15; // degrees
    const double yaw = find_start_yaw(transfer);
    const double num_quarter_turns = floor(yaw / 90.0 + 0.5);
    if (num_quarter_turns != 0)
        convert_note(transfer->job,
                     "the motion starts rotated by %.0f degrees to the left: it was rotated by "
                     "%.0f degrees to face forward",
                     yaw, -90 * num_quarter_turns);
    else if (fabs(yaw) > max_unnoticed_yaw)
        convert_note(transfer->job,
                     "the motion starts rotated by %.0f degrees to the left; use --rotate %.0f to "
                     "make it face forward",
                     yaw, -yaw);

    // The rotation is about z in the figure's space. The clip is rotated in the model's space.
    const md5_quat to_figure = source->space;
    const md5_quat from_figure = md5_quat_conjugate(to_figure);
    const double half_angle = -num_quarter_turns * pi / 4.0; // of the rotation, radians
    const md5_quat about_z = {0, 0, (float)sin(half_angle), (float)cos(half_angle)};
    const md5_quat in_model_space = md5_quat_mul(from_figure, md5_quat_mul(about_z, to_figure));
    transfer->clip_to_model.rotation =
        md5_quat_mul(in_model_space, transfer->clip_to_model.rotation);
    if (!transfer->has_path)
        return;

    pose_source(transfer, 0);
    transfer->clip_to_model.translation =
        md5_vec3_sub(source->rest[source->pelvis].translation,
                     transfer->source_pose[source->pelvis].translation);
}

// Moves standing feet of the model by two-bone IK to the positions that follow from the source's
// feet. The displacement of a source foot from its bind pose is scaled to the model. The weights
// are those of find_standing_frames().
static void hold_feet(const retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const target = &transfer->target;
    for (int side = 0; side < 2; side++) {
        const md5_limb leg = {target->roles[2 * THIGH + side].last,
                              target->roles[2 * SHIN + side].last,
                              target->roles[2 * FOOT + side].last};
        md5_vec3 source_path = transfer->feet[side][frame];
        source_path.z -= transfer->source_ground;
        const md5_vec3 path = to_model(transfer, md5_vec3_scale(source_path, transfer->ratio));
        const md5_vec3 foot = md5_vec3_add(target->rest[leg.tip].translation, path);
        const md5_two_bone_job job = {
            .tip = leg.tip, .limb = &leg, .target = foot, .weight = transfer->stands[side][frame]};
        md5_solve_two_bone(target->skeleton, &job, transfer->target_local);
    }
    md5_local_to_model_xforms(target->skeleton, transfer->target_local, transfer->target_pose);
}

// Returns the angle between two vectors in radians.
static double angle_between(md5_vec3 a, md5_vec3 b)
{
    const float sine = md5_vec3_length(md5_vec3_cross(a, b)); // times both lengths
    const float cosine = md5_vec3_dot(a, b);                  // times both lengths
    return atan2((double)sine, (double)cosine);
}

// Measures the angles between the limb bones of both skeletons in the current frame: upper arms,
// forearms, thighs and shins.
static void measure_bones(retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const retarget_figure *const source = &transfer->source;
    for (int r = 2 * UPPER_ARM; r < 2 * FOOT; r++) {
        const bool has_bones = bone_length(source, r) > 0 && bone_length(target, r) > 0;
        if (r / 2 == HAND || !has_bones)
            continue;
        const int next = r + 2; // role at the end of the bone
        const md5_vec3 target_bone = bone_vector(target, transfer->target_pose,
                                                 target->roles[r].last, target->roles[next].last);
        const md5_vec3 source_bone = bone_vector(source, transfer->source_pose,
                                                 source->roles[r].last, source->roles[next].last);
        const double angle = angle_between(target_bone, source_bone);
        transfer->angle_sum += angle;
        transfer->max_angle = fmax(transfer->max_angle, angle);
        transfer->num_bones++;
    }
}

// Measures how far a standing foot moves from the position at which it began to stand. Frames in
// which its weight is less than 1 do not count.
static void measure_slide(retarget_transfer *transfer, int side, uint32_t frame)
{
    const retarget_figure *const target = &transfer->target;
    const uint32_t foot = target->roles[2 * FOOT + side].last;
    const float *const stands = transfer->stands[side];
    if (foot == MD5_NONE || stands[frame] < 1)
        return;
    const md5_vec3 position = rest_displacement(target, transfer->target_pose, foot);
    const bool is_first = frame == 0 || stands[frame - 1] < 1;
    if (is_first)
        transfer->plant_positions[side] = position;
    const md5_vec3 slide = md5_vec3_sub(position, transfer->plant_positions[side]);
    transfer->max_slide = fmaxf(transfer->max_slide, md5_vec3_length(slide));
}

// Computes the pose of a frame of the new clip. It is a callback for convert_motion.pose. If the
// legs of both skeletons have different proportions, holds standing feet in place. Also measures
// the differences that note_results() reports.
static void pose_clip(void *user, uint32_t frame, convert_xform *local)
{
    retarget_transfer *const transfer = user;
    const retarget_figure *const target = &transfer->target;
    pose_model(transfer, frame);
    if (transfer->has_uneven_legs)
        hold_feet(transfer, frame);
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        local[i] = convert_from_xform(transfer->target_local[i]);

    transfer->max_foot_depth =
        fmaxf(transfer->max_foot_depth, -lowest_foot(target, transfer->target_pose));
    for (int side = 0; side < 2; side++)
        measure_slide(transfer, side, frame);
    measure_bones(transfer);
}

// Marks a joint of the source as used. Returns true if it was not used before.
static bool mark_used(bool *is_used, uint32_t joint)
{
    const bool is_new = !is_used[joint];
    is_used[joint] = true;
    return is_new;
}

// Reports how many joints of the model received motion, how many did not, and how many joints of
// the motion were not used.
static void note_mapped_joints(const retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const uint32_t num_joints = target->skeleton->num_joints;
    const uint32_t num_source = transfer->source.skeleton->num_joints;
    bool *const is_used = common_alloc(num_source, sizeof *is_used);
    unsigned num_idle = 0;
    unsigned num_unused = num_source;
    for (uint32_t i = 0; i < num_joints; i++) {
        const retarget_joint *const joint = &target->joints[i];
        num_idle += joint->is_idle;
        if (joint->low != MD5_NONE) {
            num_unused -= mark_used(is_used, joint->low);
            num_unused -= mark_used(is_used, joint->high);
        } else if (!joint->is_idle) {
            num_unused--; // matched by an equal name
        }
    }
    free(is_used);

    const uint32_t num_mapped = num_joints - num_idle;
    convert_note(transfer->job,
                 "mapped %u %s of the model; unmapped joints: %u of the model, %u of the motion",
                 num_mapped, common_noun(num_mapped, "joint", "joints"), num_idle, num_unused);
}

// Reports how well the retargeted clip follows the original: directions of limbs, sliding of
// planted feet, and soles below the ground.
static void note_results(const retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const double degrees = 180.0 / 3.14159265358979323846;
    const float leg = bone_length(target, 2 * THIGH) + bone_length(target, 2 * SHIN);
    note_mapped_joints(transfer);
    convert_note(transfer->job,
                 "limb directions differ from the motion by at most %.2g degrees, %.2g on average",
                 degrees * transfer->max_angle,
                 degrees * transfer->angle_sum / fmax(transfer->num_bones, 1.0));
    convert_note(
        transfer->job,
        "scaled the motion by %.6g and raised it by %.4g units; planted feet slide by up to %.2g "
        "units (%.2g %% of the leg length); soles are up to %.2g units below the ground",
        transfer->ratio, transfer->lift, transfer->max_slide,
        100.0 * (double)transfer->max_slide / fmax((double)leg, 1e-9), transfer->max_foot_depth);
}

// Rotates the bind pose of the source to the model's space and scales it to the unit of the clip.
static void move_source_to_model_space(retarget_transfer *transfer, const md5_model *source_model,
                                       md5_error *error)
{
    retarget_figure *const source = &transfer->source;
    const retarget_figure *const target = &transfer->target;
    md5_check *const check = md5_check_doc(MD5_DOC_ANIM, NULL, 0, (md5_engines){0}, NULL, error);
    float unit = 1;
    if (check && md5_check_binding(check, transfer->binding))
        unit = 1.0f / check->space.scale;
    md5_free_check(check);

    md5_xform *const bind = transfer->poses;
    transfer->clip_to_model.rotation =
        md5_quat_mul(md5_quat_conjugate(target->space), source->space);
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++) {
        bind[i] = source_model->bind_local[i];
        if (parent_joint(source, i) == MD5_NONE)
            bind[i] = md5_xform_mul(transfer->clip_to_model, bind[i]);
        bind[i].translation = md5_vec3_scale(bind[i].translation, unit);
    }
    source->space = target->space;
    md5_local_to_model_xforms(source->skeleton, bind, source->rest);
}

// Marks all joints of a figure as idle: no joint of the source moves them.
static void mark_all_joints_idle(const retarget_figure *target)
{
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        target->joints[i].is_idle = true;
}

// Returns the number of joints of a figure that no joint of the source moves.
static uint32_t count_idle_joints(const retarget_figure *target)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        count += target->joints[i].is_idle;
    return count;
}

// Pairs the joints of both skeletons, moves the source to the model's space, and creates the
// retarget. `moved_source` receives the source in this space; the retarget uses it. Fails if too
// few joints are matched, except if the job only prints the joint map.
static bool match_skeletons(retarget_transfer *transfer, const md5_model *source_model,
                            md5_model *moved_source, md5_error *error)
{
    const convert_job *const job = transfer->job;
    retarget_figure *const source = &transfer->source;
    retarget_figure *const target = &transfer->target;
    complete_figure(source);
    complete_figure(target);
    const bool has_map = job->map || job->pairs;
    const bool has_roles = pair_joints(source, target, transfer->is_captured, has_map);

    move_source_to_model_space(transfer, source_model, error);
    *moved_source = *source_model;
    moved_source->bind_local = transfer->poses;
    source->model = moved_source;
    transfer->retarget = create_retarget(source, target, error);

    if (!transfer->retarget)
        mark_all_joints_idle(target);
    const uint32_t num_idle = count_idle_joints(target);
    if (job->prints_map)
        return true;
    if (!has_roles && 2 * num_idle >= target->skeleton->num_joints)
        return convert_fail(
            error, MD5_ERROR_MISMATCH, job->target,
            "cannot match the skeletons: too few joint names are recognized; write a joint map "
            "with --print-map, edit the map, and use it with --map FILE");
    return transfer->retarget;
}

// Returns true if the ratio of thigh to shin differs between the skeletons. Equal rotations of the
// joints then move the feet to different positions.
static bool has_uneven_legs(const retarget_figure *source, const retarget_figure *target)
{
    const float max_difference = 1e-3f; // relative
    for (int side = 0; side < 2; side++) {
        // Products are compared instead of ratios. The length of a missing bone is 0, and would
        // cause a division by 0.
        const int thigh = 2 * THIGH + side;
        const int shin = 2 * SHIN + side;
        const float a = bone_length(target, thigh) * bone_length(source, shin);
        const float b = bone_length(target, shin) * bone_length(source, thigh);
        const float smaller = fminf(a, b);
        if (smaller > 0 && fabsf(a - b) > max_difference * smaller)
            return true;
    }
    return false;
}

// Divides the allocation `poses` into the poses of the current frame, and initializes the members
// that depend on both skeletons.
static void init_transfer(retarget_transfer *transfer)
{
    const retarget_figure *const source = &transfer->source;
    const retarget_figure *const target = &transfer->target;
    const uint32_t num_source = source->skeleton->num_joints;
    transfer->source_local = transfer->poses + num_source; // after the bind pose of the source
    transfer->source_pose = transfer->source_local + num_source;
    transfer->target_local = transfer->source_pose + num_source;
    transfer->target_pose = transfer->target_local + target->skeleton->num_joints;
    transfer->scratch = common_alloc(1, md5_retarget_pose_scratch(transfer->retarget));
    transfer->ratio = md5_retarget_ratio(transfer->retarget);
    transfer->has_path = source->pelvis != MD5_NONE && target->body != MD5_NONE;
    transfer->has_uneven_legs = has_uneven_legs(source, target);
}

// Adds the retargeted clip to the scene and reports the differences from the motion.
static bool add_retargeted_clip(retarget_transfer *transfer, const md5_model *model,
                                const convert_part *part, convert_scene *scene, md5_error *error)
{
    init_transfer(transfer);
    if (transfer->is_captured)
        align_captured_motion(transfer);
    find_ground(transfer);

    const retarget_figure *const target = &transfer->target;
    const uint32_t num_joints = target->skeleton->num_joints;
    convert_joint *const joints = common_alloc(num_joints, sizeof *joints);
    for (uint32_t i = 0; i < num_joints; i++)
        joints[i] = (convert_joint){.name = target->skeleton->joints[i].name,
                                    .parent = parent_joint(target, i)};

    const md5_anim *const anim = transfer->binding->anim;
    const convert_motion motion = {.num_joints = num_joints,
                                   .joints = joints,
                                   .num_frames = anim->num_frames,
                                   .rate = anim->frame_rate,
                                   .rounding = 1e-6f,
                                   .pose = pose_clip,
                                   .user = transfer};
    const bool is_done = convert_add_clip(transfer->job, scene, part->name, &motion, model, error);
    free(joints);
    note_results(transfer);
    return is_done;
}

// The clip to retarget, and the two models between which it is transferred.
typedef struct retarget_request {
    const convert_job *job;
    const convert_part *clip;
    const convert_part *model; // file of the scene's model: the target or, with --mesh, the source
    const md5_model *source;   // for which the clip was made, or NULL
    const md5_model *target;
} retarget_request;

// Creates the state for retargeting one clip: finds the roles of the joints of both skeletons,
// and allocates the poses. The caller frees it with free_transfer().
static retarget_transfer begin_transfer(const retarget_request *request, const md5_binding *clip)
{
    const convert_job *const job = request->job;
    const convert_part *const part = request->clip;
    const size_t num_source = request->source->skeleton.num_joints;
    const size_t num_target = request->target->skeleton.num_joints;

    // The files of the skeletons can declare bones.
    const convert_part *const source_file = part->skeleton_text ? part : request->model;
    const convert_part *const target_file = job->target ? NULL : request->model;
    retarget_transfer transfer = {
        .job = job,
        .source = create_figure(request->source, source_file, no_rotation),
        .target = create_figure(request->target, target_file, no_rotation),
        .binding = clip,
        .is_captured = part->is_captured,
        // three poses of the source and two of the target; see init_transfer()
        .poses = common_alloc(3 * num_source + 2 * num_target, sizeof(md5_xform))};
    transfer.source.path = part->path;
    transfer.target.path = job->target ? job->target : request->model->path;
    return transfer;
}

// Frees the state for retargeting one clip, with the roles of both skeletons.
static void free_transfer(retarget_transfer *transfer)
{
    for (int side = 0; side < 2; side++) {
        free(transfer->feet[side]);
        free(transfer->stands[side]);
    }
    md5_destroy_retarget(transfer->retarget);
    free_figure(&transfer->target);
    free_figure(&transfer->source);
    free(transfer->poses);
    free(transfer->scratch);
}

// Retargets one clip and adds the result to the scene. If the job requests only the map of
// joints, prints this map instead. Returns false on failure.
static bool transfer_clip(const retarget_request *request, const md5_binding *clip,
                          convert_scene *scene, md5_error *error)
{
    const convert_job *const job = request->job;
    retarget_transfer transfer = begin_transfer(request, clip);
    retarget_figure *const source = &transfer.source;
    retarget_figure *const target = &transfer.target;
    md5_model moved_source; // used by the retarget until it is destroyed
    bool is_done = read_map(job, (retarget_figure *[]){source, target}, error)
                   && match_skeletons(&transfer, request->source, &moved_source, error);
    if (is_done && job->prints_map)
        print_map(job->prints_map, source, target);
    else if (is_done)
        is_done = add_retargeted_clip(&transfer, request->target, request->clip, scene, error);
    free_transfer(&transfer);
    return is_done;
}

// Fails if a clip for the target would be too large.
static bool check_clip_size(const md5_anim *anim, uint32_t num_joints, const char *file_name,
                            md5_error *error)
{
    const uint64_t max_poses = 1 << 26; // joints times frames
    if ((uint64_t)anim->num_frames * num_joints <= max_poses)
        return true;
    return convert_fail(
        error, MD5_ERROR_RANGE, file_name,
        "clip is too large: found %u frames of %u joints; use --range to select frames",
        anim->num_frames, num_joints);
}

// Retargets a clip that was removed from the scene. A clip with a skeleton uses it instead of
// request->source.
static bool retarget_clip(const retarget_request *request, convert_scene *scene, md5_error *error)
{
    const convert_part *const clip = request->clip;
    const uint32_t num_joints = request->target->skeleton.num_joints;
    const md5_load_opts opts = {.file_name = clip->path ? clip->path : clip->name};
    retarget_request complete = *request;
    md5_model *clip_model = NULL;
    if (clip->skeleton_text) {
        clip_model = md5_parse_model(clip->skeleton_text, clip->skeleton_size, &opts, error);
        complete.source = clip_model;
    }
    if (!complete.source)
        return convert_fail(
            error, MD5_ERROR_MISSING, clip->path,
            "model of the clip is missing: add the model for which the clip was made; if the clip "
            "has the joint names of the target, pass the target as an input instead of --mesh");

    md5_anim *const anim = md5_parse_anim(clip->bytes, clip->size, &opts, error);
    md5_binding *const binding = md5_bind(complete.source, anim, NULL, error);
    const bool is_done = binding && check_clip_size(anim, num_joints, opts.file_name, error)
                         && transfer_clip(&complete, binding, scene, error);

    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(clip_model);
    return is_done;
}

// The content of the source scene while its clips are retargeted: convert_retarget_clips() first
// takes all parts out of the scene, and then moves each part back or to `discarded`.
typedef struct retarget_parts {
    convert_scene all;       // the scene before retargeting; owns nothing
    convert_scene discarded; // owns the data that is not moved back
} retarget_parts;

// Moves all parts out of a scene. With --mesh (`has_target`), also discards the materials and
// all other data of the source model.
static retarget_parts empty_scene(convert_scene *scene, bool has_target)
{
    retarget_parts moved_parts = {.all = *scene};
    moved_parts.discarded = (convert_scene){.parts = scene->parts};
    scene->parts = NULL;
    scene->num_parts = 0;
    if (has_target) {
        moved_parts.discarded = moved_parts.all;
        moved_parts.discarded.name = NULL;
        moved_parts.discarded.num_parts = 0;
        *scene = (convert_scene){.name = moved_parts.all.name};
    }
    return moved_parts;
}

// Adds the file of the target model to the scene, if it can be read.
static void add_target_part(const convert_job *job, convert_scene *scene, const char *name)
{
    size_t size = 0;
    const char *reason = NULL;
    char *const bytes = common_read_stream(job->target, &size, &reason);
    if (bytes)
        convert_add_part(scene, CONVERT_MODEL, name, job->target, bytes, size);
}

// Returns true if a part is a clip to retarget. With --mesh, all clips are retargeted to its model.
// Otherwise the clips that have their own skeleton are retargeted to the scene's model.
static bool is_clip_to_retarget(const convert_job *job, const convert_part *part)
{
    return part->kind == CONVERT_CLIP && (job->target || part->skeleton_text);
}

// Moves a part back to the scene or to the discarded parts. A clip that was retargeted is
// discarded. With --mesh, everything except cameras is discarded, because it belongs to the source.
// The array of discarded parts is that of the original scene. Its first elements are overwritten,
// which is safe because they have been moved.
static void move_part(const convert_job *job, const convert_part *part, bool is_retargeted,
                      convert_scene *scene, convert_scene *discarded)
{
    const bool belongs_to_source = job->target && part->kind != CONVERT_CAMERA;
    if (is_retargeted || belongs_to_source)
        discarded->parts[discarded->num_parts++] = *part;
    else
        *COMMON_ADD_ITEM(scene->parts, scene->num_parts) = *part;
}

// Fails if the user requested retargeting, but the scene contains no clip to retarget.
static bool fail_without_clips(const convert_job *job, md5_error *error)
{
    if (!job->target && !job->map)
        return true;
    return convert_fail(
        error, MD5_ERROR_MISSING, job->inputs[0],
        job->target ? "--mesh has no effect, because the file contains no clips; remove the option"
                    : "--map has no effect without --mesh MODEL");
}

// Retargets the clips of parts->all to the model of `models`, and moves or discards all parts.
// `models` is a request without a clip; its target is NULL if no clip can be retargeted. Sets
// *num_clips to the number of clips. Returns false if a clip failed; all parts are moved
// nevertheless.
static bool retarget_parts_of_scene(const retarget_request *models, retarget_parts *parts,
                                    convert_scene *scene, size_t *num_clips, md5_error *error)
{
    const convert_job *const job = models->job;
    bool is_done = true;
    *num_clips = 0;
    for (size_t i = 0; i < parts->all.num_parts; i++) {
        const convert_part part = parts->all.parts[i];
        const bool is_finished = job->prints_map && *num_clips > 0; // a map is printed for one clip
        const bool can_retarget = is_done && models->target && !is_finished;
        const bool is_retargeted = can_retarget && is_clip_to_retarget(job, &part);
        if (is_retargeted) {
            retarget_request request = *models;
            request.clip = &part;
            is_done = retarget_clip(&request, scene, error);
            ++*num_clips;
        }
        move_part(job, &part, is_retargeted, scene, &parts->discarded);
    }
    return is_done;
}

// Replaces the clips of a scene by clips that are retargeted to a model. With --mesh this is the
// model job->target: the scene then contains only the new clips, its cameras and, if `adds_target`,
// the model. Without --mesh it is the model of the scene, which keeps all other parts. Returns
// false and fills `error` if a model cannot be loaded or a clip cannot be retargeted. The scene is
// then valid, but incomplete.
bool convert_retarget_clips(const convert_job *job, convert_scene *scene, bool adds_target,
                            md5_error *error)
{
    const convert_part *const first = convert_find_model(scene);
    md5_model *const source = first ? convert_parse_model(first, error) : NULL;
    md5_model *const target = job->target ? md5_load_model(job->target, NULL, error) : source;
    const bool has_source = source || !first;
    const bool has_target = target || !job->target;
    const bool is_loaded = has_source && has_target;

    // A copy, because the parts are moved.
    const convert_part model_part = first ? *first : (convert_part){.kind = CONVERT_MODEL};
    retarget_parts parts = empty_scene(scene, job->target);
    if (is_loaded && job->target && adds_target)
        add_target_part(job, scene, parts.all.name);

    const retarget_request models = {
        .job = job, .model = &model_part, .source = source, .target = is_loaded ? target : NULL};
    size_t num_clips = 0;
    bool is_done = retarget_parts_of_scene(&models, &parts, scene, &num_clips, error) && is_loaded;
    if (is_done && num_clips == 0)
        is_done = fail_without_clips(job, error);
    if (num_clips > 0 && job->target)
        scene->unit = 0; // the clips have the unit of the target, an MD5 file

    convert_free_scene(&parts.discarded);
    md5_free_model(source);
    if (job->target)
        md5_free_model(target);
    return is_done;
}
