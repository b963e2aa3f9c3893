// Finds the roles of joints in the human body, by their names and then by their positions in the
// hierarchy. The result is a retarget_figure.
#include "demo/convert/retarget_figure.h"

const md5_quat retarget_no_rotation = {0, 0, 0, 1};

// Joints of this part of the body are first searched for among the descendants of the joint of
// `from`, such as the shin among the descendants of the thigh. A clavicle is searched for among the
// ancestors of the upper arm instead. If the search is not strict, the joint may also be elsewhere.
// A part whose `from` is -1 is searched for in the whole skeleton.
static const struct body_part {
    const char *title;
    const char *words; // names without side, prefix and numbers; the best name first
    int from;
    bool is_strict;
} body_parts[BODY_NUM_PARTS] = {
    [BODY_HIPS] = {"hips", " hips pelvis hip root pubis waist ", -1, false},
    [BODY_SPINE] = {"spine", "", -1, false},
    [BODY_NECK] = {"neck", " neck loneck ", -1, false},
    [BODY_HEAD] = {"head", " head skull ", -1, false},
    [BODY_CLAVICLE] = {"clavicle",
                       " clavicle clavical clav collar collarbone scapula shoulder shldr ",
                       BODY_UPPER_ARM, true},
    [BODY_UPPER_ARM] = {"upper arm", " upperarm uparm armupper humerus bicep arm shoulder shldr ",
                        -1, false},
    [BODY_FOREARM] = {"forearm", " forearm lowerarm lowarm loarm armlower elbow ", BODY_UPPER_ARM,
                      false},
    [BODY_HAND] = {"hand", " hand wrist ", BODY_FOREARM, false},
    [BODY_THIGH] = {"thigh", " thigh upleg upperleg legupper femur leg hip ", -1, false},
    [BODY_SHIN] = {"shin", " shin calf lowerleg lowleg loleg leglower knee leg ", BODY_THIGH,
                   false},
    [BODY_FOOT] = {"foot", " ankle foot upperfoot ", BODY_SHIN, false},
    [BODY_TOE] = {"toe", " ball toe toes toebase lowerfoot middletoe foot ", BODY_FOOT, true},
    // The words of fingers match the end of a name.
    [BODY_THUMB] = {"thumb", " thumb ", BODY_HAND, true},
    {"index", " index point ", BODY_HAND, true},
    {"middle", " middle mid ", BODY_HAND, true},
    {"ring", " ring ", BODY_HAND, true},
    {"pinky", " pinky little ", BODY_HAND, true},
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

uint32_t retarget_parent_joint(const retarget_figure *figure, uint32_t joint)
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
    if (part <= BODY_HEAD)
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
    const bool is_finger = part >= BODY_THUMB;
    if (is_finger) {
        for (const char *end = name; *end != '\0'; end++) {
            if (find_word(words, end) != NULL)
                return words;
        }
    }
    return find_word(words, name);
}

uint32_t retarget_common_parent(const retarget_figure *figure, uint32_t a, uint32_t b)
{
    uint32_t first = a;
    uint32_t second = b;
    while (first != second && first != MD5_NONE && second != MD5_NONE) {
        if (figure->joints[first].depth >= figure->joints[second].depth)
            first = retarget_parent_joint(figure, first);
        else
            second = retarget_parent_joint(figure, second);
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
        for (uint32_t i = retarget_parent_joint(figure, base); i != MD5_NONE;
             i = retarget_parent_joint(figure, i))
            figure->joints[i].is_preferred = true;
        return;
    }

    for (uint32_t i = 0; i < figure->skeleton->num_joints; i++) { // parents before their children
        const uint32_t joint = figure->skeleton->order[i];
        const uint32_t parent = retarget_parent_joint(figure, joint);
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
    const bool is_finger = part >= BODY_THUMB;
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
    const bool is_finger = part >= BODY_THUMB;
    uint32_t best = MD5_NONE;
    const char *best_word = NULL;
    mark_preferred(figure, base, part == BODY_CLAVICLE);

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
    if (part < BODY_THUMB)
        return;

    for (uint32_t i = found; i != base && i != MD5_NONE; i = retarget_parent_joint(figure, i)) {
        if (find_role(&figure->joints[i], role) != NULL)
            chain->first = i;
    }
}

// Returns the chain from the joint after `base` to `last`. It is empty if `last` is not below
// `base`.
static retarget_chain chain_between(const retarget_figure *figure, uint32_t base, uint32_t last)
{
    retarget_chain chain = {MD5_NONE, MD5_NONE};
    if (last == MD5_NONE || base == MD5_NONE || retarget_common_parent(figure, base, last) != base)
        return chain;
    for (uint32_t i = last; i != base; i = retarget_parent_joint(figure, i))
        chain = (retarget_chain){i, last};
    return chain;
}

uint32_t retarget_list_chain(const retarget_figure *figure, retarget_chain chain,
                             uint32_t joints[RETARGET_MAX_CHAIN])
{
    uint32_t count = 1;
    uint32_t top = chain.last;
    while (top != chain.first && top != MD5_NONE && count < RETARGET_MAX_CHAIN) {
        top = retarget_parent_joint(figure, top);
        count++;
    }
    if (top != chain.first || top == MD5_NONE)
        return 0;

    // A joint stores only its parent, so the list is filled from its end.
    uint32_t joint = chain.last;
    for (uint32_t i = count; i-- > 0; joint = retarget_parent_joint(figure, joint))
        joints[i] = joint;
    return count;
}

md5_vec3 retarget_bone_vector(const retarget_figure *figure, const md5_xform *joints, uint32_t from,
                              uint32_t to)
{
    return md5_quat_rotate(figure->space,
                           md5_vec3_sub(joints[to].translation, joints[from].translation));
}

float retarget_bone_length(const retarget_figure *figure, int role)
{
    const uint32_t from = figure->roles[role].last;
    const uint32_t to = figure->roles[role + 2].first;
    if (from == MD5_NONE || to == MD5_NONE)
        return 0;
    return md5_vec3_length(retarget_bone_vector(figure, figure->rest, from, to));
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
    return md5_vec3_length(retarget_bone_vector(figure, figure->rest, leader, index))
           <= max_distance;
}

// Finds duplicate joints and their leaders. A rig can have several joints for one purpose at one
// position, for example one for control and one for the skin. Their parents may differ. The leader
// is the joint that has the role, and its duplicates move with it.
static void find_leaders(const retarget_figure *figure)
{
    for (int r = 0; r < 2 * BODY_THUMB; r++) {
        const uint32_t leader = figure->roles[r].last;
        if (leader == MD5_NONE || find_role(&figure->joints[leader], r) == NULL)
            continue;
        for (uint32_t i = 0; i < figure->skeleton->num_joints; i++) {
            if (is_duplicate_joint(figure, i, leader))
                figure->joints[i].leader = leader;
        }
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

md5_vec3 retarget_left_direction(const retarget_figure *figure, const md5_xform *joints)
{
    static const int limbs[] = {BODY_UPPER_ARM, BODY_THIGH};
    const md5_vec3 nowhere = {0, 0, 0};
    md5_vec3 sum = nowhere;
    for (size_t i = 0; i < COMMON_LENGTH(limbs); i++) {
        const uint32_t left = figure->roles[2 * limbs[i]].last;
        const uint32_t right = figure->roles[2 * limbs[i] + 1].last;
        if (left == MD5_NONE || right == MD5_NONE)
            continue;
        const md5_vec3 to_left = retarget_bone_vector(figure, joints, right, left);
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
    const float min_left_length = 0.5f; // `left` is a sum of unit vectors
    const float min_axis_cosine = 0.9f; // cosine of the angle between left and an axis of the file
    const uint32_t head = figure->roles[2 * BODY_HEAD].last;
    if (figure->pelvis == MD5_NONE || head == MD5_NONE)
        return;
    retarget_figure in_file_space = *figure;
    in_file_space.space = retarget_no_rotation;
    const md5_vec3 left = retarget_left_direction(&in_file_space, figure->rest);
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
        const uint32_t parent = retarget_parent_joint(figure, joint);
        if (parent != MD5_NONE)
            figure->joints[parent].load += figure->joints[joint].load;
    }
}

// Finds the joints of all roles by their names. The search for a role begins at the joint of an
// earlier role; for example, a hand is below the forearm.
static void guess_roles(retarget_figure *figure)
{
    for (int r = 0; r < RETARGET_NUM_ROLES; r++)
        guess_role(figure, r);
    for (int side = 0; side < 2; side++) {
        // A clavicle is found by the upper arm below it. At the first attempt, the upper arm was
        // unknown.
        guess_role(figure, 2 * BODY_CLAVICLE + side);

        retarget_chain *const thigh = &figure->roles[2 * BODY_THIGH + side];
        retarget_chain *const shin = &figure->roles[2 * BODY_SHIN + side];
        if (thigh->last == shin->last) // one joint named "leg": it is the thigh
            *shin = (retarget_chain){MD5_NONE, MD5_NONE};
    }
}

retarget_figure retarget_create_figure(const md5_model *model, const convert_part *part,
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
        const uint32_t parent = retarget_parent_joint(&figure, joint);
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
// The pelvis is the common ancestor of the thighs, and the chest is the common ancestor of the
// upper arms. figure->body is the common ancestor of pelvis and chest. The spine is between
// figure->body and the chest, and the neck is between the chest and the head.
void retarget_complete_figure(retarget_figure *figure)
{
    retarget_chain *const roles = figure->roles;
    const uint32_t head = roles[2 * BODY_HEAD].last;
    const uint32_t hips = roles[2 * BODY_HIPS].last;
    find_leaders(figure);

    figure->pelvis =
        retarget_common_parent(figure, roles[2 * BODY_THIGH].last, roles[2 * BODY_THIGH + 1].last);
    if (figure->pelvis == MD5_NONE)
        figure->pelvis = hips;

    uint32_t chest = retarget_common_parent(figure, roles[2 * BODY_UPPER_ARM].last,
                                            roles[2 * BODY_UPPER_ARM + 1].last);
    if (chest == MD5_NONE)
        chest = retarget_parent_joint(figure, head);

    figure->body =
        chest != MD5_NONE ? retarget_common_parent(figure, figure->pelvis, chest) : MD5_NONE;
    if (figure->body == MD5_NONE)
        figure->body = figure->pelvis;

    roles[2 * BODY_HIPS] = (retarget_chain){figure->pelvis, figure->pelvis};
    roles[2 * BODY_SPINE] = chain_between(figure, figure->body, chest);
    const uint32_t neck_base = chest != MD5_NONE ? chest : figure->body;
    if (head != MD5_NONE)
        roles[2 * BODY_NECK] =
            chain_between(figure, neck_base, retarget_parent_joint(figure, head));
    find_axes(figure);
}

void retarget_free_figure(retarget_figure *figure)
{
    free(figure->joints);
    free(figure->rest);
}

// Returns true if the figure stands in its bind pose. The directions from the pelvis to the head
// and to the feet must then differ by more than 120 degrees. Also returns true if a direction is
// unknown.
static bool is_standing(const retarget_figure *figure)
{
    const float max_cosine = -0.5f; // cosine of 120 degrees
    const md5_vec3 nowhere = {0, 0, 0};
    const uint32_t pelvis = figure->pelvis;
    const uint32_t head = figure->roles[2 * BODY_HEAD].last;
    const uint32_t left_foot = figure->roles[2 * BODY_FOOT].last;
    const uint32_t right_foot = figure->roles[2 * BODY_FOOT + 1].last;
    const bool has_body = pelvis != MD5_NONE && head != MD5_NONE;
    const bool has_feet = left_foot != MD5_NONE && right_foot != MD5_NONE;
    if (!has_body || !has_feet)
        return true;

    const md5_vec3 up = retarget_bone_vector(figure, figure->rest, pelvis, head);
    const md5_vec3 down =
        md5_vec3_add(retarget_bone_vector(figure, figure->rest, pelvis, left_foot),
                     retarget_bone_vector(figure, figure->rest, pelvis, right_foot));
    const float cosine =
        md5_vec3_dot(md5_vec3_normalize(up, nowhere), md5_vec3_normalize(down, nowhere));
    return cosine < max_cosine;
}

// Measures a figure: its upright direction, the length of its legs, and whether its bind pose
// stands.
convert_stance convert_measure(const md5_model *model)
{
    retarget_figure figure =
        retarget_create_figure(model, NULL, (md5_quat){0.5f, 0.5f, 0.5f, 0.5f});
    retarget_complete_figure(&figure);
    convert_stance stance = {.axes = figure.space, .is_standing = is_standing(&figure)};
    for (int r = 2 * BODY_THIGH; r < 2 * BODY_FOOT; r++)
        stance.legs += 0.5f * retarget_bone_length(&figure, r);
    retarget_free_figure(&figure);
    return stance;
}
