// Finds the joints of a plain scene. It selects the nodes that become joints, orders and names
// them, binds them, and selects the unit of the file. To bind a joint means to find its transform
// in the bind pose, in which a skin attaches vertices to its joints.
#include "demo/convert/rig.h"

#include <float.h>

// -- Names ----------------------------------------------------------------------------------------

enum { MAX_NAME_SIZE = 47 }; // bytes of a joint's name; the limit of Q2PRO

// Truncates a UTF-8 text to at most `max_size` bytes without splitting a character.
static void truncate_text(char *text, size_t max_size)
{
    if (strlen(text) <= max_size)
        return;
    size_t end = max_size;
    while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) // inside a character
        end--;
    text[end] = '\0';
}

// Replaces the characters that MD5 files and engines do not accept.
static void sanitize_name(char *name, size_t max_size)
{
    truncate_text(name, max_size);
    for (char *c = name; *c != '\0'; c++) {
        if (*c == '\\')
            *c = '/';
        else if ((unsigned char)*c <= ' ' || *c == '"' || *c == 0x7f)
            *c = '_';
    }
}

// Stores a value for a name. Adds the name if the set does not contain it.
static void set_value(rig_names *names, const char *name, size_t value)
{
    const size_t count = names->index.count;
    const size_t index = common_index_text(&names->index, name, strlen(name));
    if (index == count)
        names->values = common_grow(names->values, count, sizeof *names->values);
    names->values[index] = value;
}

// Returns the value of a name, or `missing` if the set does not contain it.
static size_t get_value(rig_names *names, const char *name, size_t missing)
{
    if (!common_has_text(&names->index, name))
        return missing;
    return names->values[common_index_text(&names->index, name, strlen(name))];
}

// Adds a name to a set and returns it. The name is first made valid for MD5. If the set already
// contains it, a number is appended.
//
// The value of a name is the next number to try for a duplicate. Trying all numbers from the start
// would take quadratic time for many equal names.
const char *rig_add_name(rig_names *names, const char *name, size_t max_size, const char *missing,
                         size_t number)
{
    enum { MAX_SUFFIX_SIZE = 24 };
    const bool is_named = name && name[0] != '\0';
    char *const base = is_named ? common_copy(name) : common_format("%s%zu", missing, number);
    sanitize_name(base, max_size);
    char *const stem = common_copy(base);
    truncate_text(stem, max_size - MAX_SUFFIX_SIZE);

    char *unique = common_copy(base);
    size_t next = get_value(names, base, 0);
    while (common_has_text(&names->index, unique)) {
        next++;
        free(unique);
        unique = common_format("%s_%zu", stem, next);
    }

    set_value(names, base, next > 0 ? next : 1);
    if (strcmp(base, unique) != 0)
        set_value(names, unique, 1);
    const size_t index = common_index_text(&names->index, unique, strlen(unique));

    free(unique);
    free(stem);
    free(base);
    return names->index.texts[index];
}

// -- Nodes ----------------------------------------------------------------------------------------

// Computes the transform of a node relative to its parent from translation, rotation and scale.
void rig_join_parts(rig_state *state)
{
    const double *const t = state->parts[PLAIN_TRANSLATION];
    const double *const r = state->parts[PLAIN_ROTATION];
    state->rotation = convert_unit((convert_quat){r[0], r[1], r[2], r[3]});
    state->affine = convert_affine_from_xform((convert_xform){state->rotation, {t[0], t[1], t[2]}});
    for (int k = 0; k < 3; k++)
        state->affine.c[k] = convert_times(state->affine.c[k], state->parts[PLAIN_SCALE][k]);
}

// Returns the scale of a node along one of its axes: its own and its inherited scale.
static double total_scale(const rig_state *state, int axis)
{
    return state->parts[PLAIN_SCALE][axis] * state->inherited_scale[axis];
}

// Computes the inherited scale of a node and, if the node does not inherit scale in the usual way,
// its transform relative to the parent. `parent` is NULL or the state of the parent, which must be
// complete.
//
// The world transform of the parent ends with its total scale. The transform of the node begins
// with the inverse of this scale, except for its translation, and ends with its own total scale.
static void inherit_scale(const plain_node *node, const rig_state *parent, rig_state *state)
{
    const plain_inheritance inheritance = parent ? node->inheritance : PLAIN_INHERIT_SCALE;
    for (int axis = 0; axis < 3; axis++) {
        state->inherited_scale[axis] = 1;
        if (inheritance == PLAIN_INHERIT_SCALE_BY_AXIS)
            state->inherited_scale[axis] = total_scale(parent, axis);
        else if (inheritance == PLAIN_IGNORE_PARENT_SCALE)
            state->inherited_scale[axis] = parent->inherited_scale[axis];
    }
    if (inheritance == PLAIN_INHERIT_SCALE)
        return;

    // A scale of 0 has no inverse. The parent and the node are then both flat along this axis of
    // the parent.
    double inverse[3];
    for (int axis = 0; axis < 3; axis++) {
        const double scale = total_scale(parent, axis);
        inverse[axis] = fabs(scale) > 0 ? 1 / scale : 0;
    }
    const convert_affine rotation =
        convert_affine_from_xform((convert_xform){state->rotation, {0, 0, 0}});
    for (int axis = 0; axis < 3; axis++) {
        const convert_vec column = convert_times(rotation.c[axis], total_scale(state, axis));
        state->affine.c[axis] =
            (convert_vec){inverse[0] * column.x, inverse[1] * column.y, inverse[2] * column.z};
    }
}

// Computes the transforms of a node in the rest pose. The transforms of its parent must already be
// computed.
static void init_node(convert_rig *rig, rig_node *node, const plain_node *in)
{
    node->in = in;
    node->joint = MD5_NONE;
    node->has_camera = in->camera != MD5_NONE;
    memcpy(node->rest.parts, in->parts, sizeof node->rest.parts);
    rig_join_parts(&node->rest);
    if (in->is_matrix) {
        node->rest.affine = convert_affine_from_matrix(in->matrix);
        node->rest.rotation = convert_nearest_rotation(&node->rest.affine);
    }

    const bool has_parent = in->parent != MD5_NONE;
    inherit_scale(in, has_parent ? &rig->nodes[in->parent].rest : NULL, &node->rest);
    node->depth = 1;
    node->world = node->rest.affine;
    if (has_parent) {
        const rig_node *const parent = &rig->nodes[in->parent];
        node->depth = parent->depth + 1;
        node->world = convert_mul_affine(&parent->world, &node->rest.affine);
    }
}

// Returns true if a node has a mesh with a skin, whose joints move it.
static bool is_skinned_mesh(const plain_node *node)
{
    return node->mesh != MD5_NONE && node->skin != MD5_NONE;
}

// Returns true if a node has a mesh without a skin, which the node moves.
static bool is_rigid_mesh(const plain_node *node)
{
    return node->mesh != MD5_NONE && node->skin == MD5_NONE;
}

// Creates a rig_node for each node of the plain scene, and the additional root as the last node.
// Computes the world transforms in the rest pose. Fails if the hierarchy is too deep.
static bool create_nodes(convert_rig *rig)
{
    enum { MAX_DEPTH = 1000 };
    plain_scene *const plain = rig->plain;
    rig->origin = plain_new_node();
    rig->origin.name = "origin";
    rig->origin.is_in_scene = false;
    rig->num_nodes = plain->num_nodes + 1;
    rig->nodes = common_alloc(rig->num_nodes, sizeof *rig->nodes);
    rig->order = common_alloc(rig->num_nodes, sizeof *rig->order);

    for (size_t i = 0; i < rig->num_nodes; i++) {
        const bool is_origin = i == plain->num_nodes;
        const uint32_t index = is_origin ? (uint32_t)i : plain->order[i];
        const plain_node *const in = is_origin ? &rig->origin : &plain->nodes[index];
        rig->order[i] = index;
        rig->has_meshes |= in->is_in_scene && in->mesh != MD5_NONE;
        init_node(rig, &rig->nodes[index], in);
        if (rig->nodes[index].depth > MAX_DEPTH + 1)
            return plain_fail(plain,
                              "node hierarchy is too deep: expected at most %d levels, found more "
                              "at node %u '%.60s'; remove parents that do not move before you "
                              "export the file",
                              MAX_DEPTH, index, in->name ? in->name : "");
    }
    return true;
}

// Finds the rotation from the file's axes to MD5's. If the axes are mirrored, only rig->output
// contains the mirror; see convert_nearest_rotation().
static void init_axes(convert_rig *rig)
{
    rig->bone_axes = rig->plain->axes;
    if (convert_determinant(&rig->bone_axes) < 0)
        rig->bone_axes.c[0] = convert_times(rig->bone_axes.c[0], -1);
    rig->from_md5_axes = convert_conjugate(convert_nearest_rotation(&rig->bone_axes));
}

// Marks the nodes that clips move.
static void find_animated(convert_rig *rig)
{
    const plain_scene *const plain = rig->plain;
    for (size_t i = 0; i < plain->num_animations; i++) {
        const plain_animation *const animation = &plain->animations[i];
        for (size_t k = 0; k < animation->num_tracks; k++) {
            if (animation->tracks[k].part < PLAIN_NUM_PARTS)
                rig->nodes[animation->tracks[k].node].is_animated = true;
        }
    }
}

// -- Joints ---------------------------------------------------------------------------------------

// Returns the transform from the scene's space to the space of a joint in the bind pose.
static convert_affine find_inverse_bind(const convert_rig *rig, const plain_skin *skin,
                                        size_t joint)
{
    convert_affine inverse = convert_identity;
    if (skin->is_bound_at_rest) {
        const convert_affine *const world = &rig->nodes[skin->joints[joint]].world;
        return convert_invert_affine(world, &inverse) ? inverse : convert_identity;
    }
    if (!skin->inverse_binds)
        return inverse;
    double matrix[16];
    for (size_t i = 0; i < COMMON_LENGTH(matrix); i++)
        matrix[i] = skin->inverse_binds[16 * joint + i];
    return convert_affine_from_matrix(matrix);
}

// Copies the joints and the inverse bind matrices of a plain skin, and marks the nodes of its
// joints as joints of the rig. In a file without meshes, all joints count as weighted.
static void copy_skin(convert_rig *rig, rig_skin *skin, const plain_skin *in)
{
    skin->is_used = in->num_joints > 0;
    skin->is_bound_at_rest = in->is_bound_at_rest;
    if (!skin->is_used)
        return;
    skin->num_joints = in->num_joints;
    skin->joints = common_alloc(skin->num_joints, sizeof *skin->joints);
    skin->inverse_binds = common_alloc(skin->num_joints, sizeof *skin->inverse_binds);
    skin->is_weighted = common_alloc(skin->num_joints, sizeof *skin->is_weighted);
    memset(skin->is_weighted, !rig->has_meshes, skin->num_joints);
    for (size_t k = 0; k < skin->num_joints; k++) {
        skin->inverse_binds[k] = find_inverse_bind(rig, in, k);
        skin->joints[k] = in->joints[k];
        rig->nodes[skin->joints[k]].is_joint = true;
    }
}

// Copies the skins that meshes of the scene use, and marks their nodes as joints.
static void copy_skins(convert_rig *rig)
{
    const plain_scene *const plain = rig->plain;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const plain_node *const node = rig->nodes[i].in;
        rig->is_skinned |= node->is_in_scene && is_skinned_mesh(node);
    }

    rig->num_skins = plain->num_skins;
    rig->skins = common_alloc(rig->num_skins, sizeof *rig->skins);
    for (size_t i = 0; i < rig->num_skins; i++)
        copy_skin(rig, &rig->skins[i], &plain->skins[i]);
}

// Marks the joints of a skin to which one set of a primitive assigns weights. A set contains four
// joints and weights per vertex.
static void mark_weighted(const plain_primitive *primitive, size_t set, rig_skin *skin)
{
    for (size_t i = 0; i < 4 * primitive->num_vertices; i++) {
        const float joint = primitive->joints[set][i];
        const bool is_joint = joint >= 0 && joint < (float)skin->num_joints;
        if (primitive->weights[set][i] > 0 && is_joint)
            skin->is_weighted[(size_t)joint] = true;
    }
}

// Marks the joints of a skin to which a mesh assigns weights. Returns false if the budget is
// exceeded.
static bool find_mesh_weights(const plain_scene *plain, const plain_mesh *mesh, rig_skin *skin)
{
    enum { ELEMENTS_PER_PRIMITIVE = 8 }; // cost without the vertices
    if (!plain_charge(plain, ELEMENTS_PER_PRIMITIVE * (uint64_t)mesh->num_primitives))
        return false;
    for (size_t i = 0; i < mesh->num_primitives; i++) {
        const plain_primitive *const primitive = &mesh->primitives[i];
        if (!plain_charge(plain, 4 * (uint64_t)primitive->num_sets * primitive->num_vertices))
            return false;
        for (size_t set = 0; set < primitive->num_sets; set++)
            mark_weighted(primitive, set, skin);
    }
    return true;
}

// Marks the joints of all skins that have weights. Each node is charged, because nodes can share a
// mesh.
static bool find_weights(convert_rig *rig)
{
    const plain_scene *const plain = rig->plain;
    for (size_t n = 0; n < rig->num_nodes; n++) {
        const plain_node *const node = rig->nodes[n].in;
        if (!node->is_in_scene || !is_skinned_mesh(node))
            continue;
        if (!find_mesh_weights(plain, &plain->meshes[node->mesh], &rig->skins[node->skin]))
            return false;
    }
    return true;
}

// Returns the joint with this name of the model that was read before, or MD5_NONE.
static uint32_t model_joint(convert_rig *rig, const char *name)
{
    return name ? (uint32_t)get_value(&rig->model_joints, name, MD5_NONE) : MD5_NONE;
}

// Returns the name from which a joint gets its name, or NULL. It is not yet valid and unique.
static const char *node_name(const convert_rig *rig, uint32_t node)
{
    const plain_node *const in = rig->nodes[node].in;
    return in->joint_name ? in->joint_name : in->name;
}

// Returns true if a node has the name of a joint of the model.
static bool is_named_as_model_joint(convert_rig *rig, uint32_t node)
{
    const char *const name = node_name(rig, node);
    char *const valid_name = common_copy(name ? name : "");
    sanitize_name(valid_name, MAX_NAME_SIZE);
    const bool is_found = model_joint(rig, valid_name) != MD5_NONE;
    free(valid_name);
    return is_found;
}

// Marks the nodes that have the name of a joint of the model as joints, even if nothing moves them
// in this file.
static void find_model_joints(convert_rig *rig)
{
    if (!rig->model)
        return;
    for (uint32_t i = 0; i < rig->num_nodes; i++) {
        rig_node *const node = &rig->nodes[i];
        const bool can_be_joint = node->in->is_in_scene && node->in->mesh == MD5_NONE;
        if (can_be_joint && is_named_as_model_joint(rig, i))
            node->is_joint = true;
    }
}

// Returns true for a root that gltf_write.c has added because glTF requires a common root. Such a
// root was no joint of the model, so it must not become one.
static bool is_gltf_writer_root(const rig_node *node)
{
    if (!node->in->name || strcmp(node->in->name, "md5_root") != 0 || node->is_animated)
        return false;
    return memcmp(&node->rest.affine, &convert_identity, sizeof convert_identity) == 0;
}

// Marks the animated nodes from a node up to the nearest joint as joints.
static void mark_animated_ancestors(convert_rig *rig, uint32_t node_index)
{
    for (uint32_t i = node_index; i != MD5_NONE; i = rig->nodes[i].in->parent) {
        rig_node *const node = &rig->nodes[i];
        if (node->is_joint)
            return;
        // Nodes that have only cameras below them move these cameras, but are not joints.
        const bool can_be_joint = rig->has_meshes || !node->has_camera;
        node->is_joint = node->is_animated && can_be_joint;
    }
}

// Marks animated nodes below a joint as joints, and all nodes between both. Such nodes are meshes
// that are attached to the joint, or places for objects that the character holds.
static void mark_animated_descendants(convert_rig *rig)
{
    for (uint32_t i = 0; i < rig->num_nodes; i++) {
        if (!rig->nodes[i].is_animated || rig->nodes[i].in->skin != MD5_NONE)
            continue;
        uint32_t ancestor = i; // the nearest joint
        while (ancestor != MD5_NONE && !rig->nodes[ancestor].is_joint)
            ancestor = rig->nodes[ancestor].in->parent;
        if (ancestor == MD5_NONE)
            continue;
        for (uint32_t k = i; k != ancestor; k = rig->nodes[k].in->parent)
            rig->nodes[k].is_joint = true;
    }
}

// Sets has_camera of all nodes above cameras. Marks the animated nodes above each mesh without a
// skin as joints. In a file without meshes, marks all animated nodes of the scene.
static void mark_animated_joints(convert_rig *rig)
{
    for (size_t i = rig->num_nodes; i-- > 0;) { // children before their parents
        const uint32_t index = rig->order[i];
        const rig_node *const node = &rig->nodes[index];
        if (node->has_camera && node->in->parent != MD5_NONE)
            rig->nodes[node->in->parent].has_camera = true;
        const bool can_move = is_rigid_mesh(node->in) || !rig->has_meshes;
        if (node->in->is_in_scene && can_move)
            mark_animated_ancestors(rig, index);
    }
}

// Returns true if clips move a node and its parent, as they move the bones of a skeleton. Returns
// false for nodes that have cameras below them.
static bool is_animated_bone(const convert_rig *rig, uint32_t index)
{
    const rig_node *const node = &rig->nodes[index];
    const uint32_t parent = node->in->parent;
    const bool is_animated = node->is_animated && !node->has_camera && node->in->is_in_scene;
    return is_animated && parent != MD5_NONE && rig->nodes[parent].is_animated;
}

// Marks all animated nodes as joints if the meshes of the file do not move and have no skins, but
// clips move a skeleton. Such a file contains clips for the model of another file; its mesh is, for
// example, a box around the model.
static void mark_separate_skeleton(convert_rig *rig)
{
    bool has_skeleton = false;
    for (uint32_t i = 0; i < rig->num_nodes; i++) {
        if (rig->nodes[i].is_joint)
            return;
        has_skeleton |= is_animated_bone(rig, i);
    }
    if (!has_skeleton)
        return;
    for (uint32_t i = 0; i < rig->num_nodes; i++) {
        rig_node *const node = &rig->nodes[i];
        node->is_joint = node->is_animated && !node->has_camera && node->in->is_in_scene;
    }
}

// Counts for each node how many of its children are joints or have joints below them.
static void count_branches(const convert_rig *rig, uint32_t *num_branches)
{
    for (size_t i = rig->num_nodes; i-- > 0;) { // children before their parents
        const uint32_t index = rig->order[i];
        const uint32_t parent = rig->nodes[index].in->parent;
        const bool has_joints = rig->nodes[index].is_joint || num_branches[index] > 0;
        if (parent != MD5_NONE && has_joints)
            num_branches[parent]++;
    }
}

// Marks the nodes between joints as joints. Two kinds of nodes stay unmarked if they are not
// animated: nodes above the common ancestor of all joints, and a root that another program added.
// num_branches[] is the result of count_branches().
static void mark_nodes_between(convert_rig *rig, const uint32_t *num_branches)
{
    bool *const is_above = common_alloc(rig->num_nodes, sizeof *is_above); // the common ancestor
    for (size_t i = 0; i < rig->num_nodes; i++) { // parents before their children
        const uint32_t index = rig->order[i];
        rig_node *const node = &rig->nodes[index];
        const uint32_t parent = node->in->parent;
        const bool is_fixed = !node->is_joint && !node->is_animated;
        const bool is_parent_above = parent == MD5_NONE || is_above[parent];
        is_above[index] = is_parent_above && is_fixed && num_branches[index] == 1;

        const bool has_joints = num_branches[index] > 0;
        const bool is_root = parent == MD5_NONE || !rig->nodes[parent].is_joint;
        if (has_joints && !is_above[index])
            node->is_joint = true;
        if (has_joints && is_root && is_gltf_writer_root(node))
            node->is_joint = false;
    }
    free(is_above);
}

// Completes the joints to a tree. Nodes between joints become joints, up to their lowest common
// ancestor; nodes above it only if they are animated. A mesh without a skin needs a joint that
// moves it, so animated nodes above it become joints, too.
static void complete_joints(convert_rig *rig)
{
    mark_animated_joints(rig);
    mark_separate_skeleton(rig);
    uint32_t *const num_branches = common_alloc(rig->num_nodes, sizeof *num_branches);
    count_branches(rig, num_branches);
    mark_nodes_between(rig, num_branches);
    free(num_branches);
    mark_animated_descendants(rig);
}

// Returns the engine for which the file is converted, or NULL.
static const convert_engine *find_engine(const convert_rig *rig)
{
    const char *const engine = rig->plain->job->engine;
    return engine ? convert_find_engine(engine) : NULL;
}

// Returns true if the file is converted for an engine of the Doom 3 family.
static bool is_for_doom3(const convert_rig *rig)
{
    const convert_engine *const engine = find_engine(rig);
    return engine && engine->family == CONVERT_DOOM3;
}

// Returns true if the engine requires a single root. A model that was read before determines the
// joints, so its skeleton is not changed.
static bool needs_one_root(const convert_rig *rig)
{
    const convert_engine *const engine = find_engine(rig);
    return engine && engine->needs_one_root && !rig->model;
}

// Returns the number of joints whose parents are not joints.
static size_t count_roots(const convert_rig *rig)
{
    size_t num_roots = 0;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const uint32_t parent = rig->nodes[i].in->parent;
        const bool has_parent = parent != MD5_NONE && rig->nodes[parent].is_joint;
        if (rig->nodes[i].is_joint && !has_parent)
            num_roots++;
    }
    return num_roots;
}

// Returns true if a mesh of the scene has neither a skin nor a joint above it. Such a mesh does not
// move.
static bool has_still_mesh(const convert_rig *rig)
{
    for (uint32_t i = 0; i < rig->num_nodes; i++) {
        const plain_node *const node = rig->nodes[i].in;
        if (!node->is_in_scene || !is_rigid_mesh(node))
            continue;
        uint32_t above = i;
        while (above != MD5_NONE && !rig->nodes[above].is_joint)
            above = rig->nodes[above].in->parent;
        if (above == MD5_NONE)
            return true;
    }
    return false;
}

// Returns true if the additional root becomes the parent of all other roots, because the engine
// requires a single root. In a file without skins, meshes that do not move also need a root.
static bool needs_common_root(const convert_rig *rig)
{
    const size_t num_roots = count_roots(rig);
    const bool has_root_of_meshes = !rig->is_skinned && has_still_mesh(rig);
    return needs_one_root(rig) && num_roots > 0 && num_roots + has_root_of_meshes > 1;
}

// Marks all nodes above joints as joints. Each root is then a node without a parent, and the
// additional root can become its parent.
static void extend_roots(convert_rig *rig)
{
    for (size_t i = 0; i < rig->num_nodes; i++) {
        if (!rig->nodes[i].is_joint)
            continue;
        uint32_t node = rig->nodes[i].in->parent;
        while (node != MD5_NONE && !rig->nodes[node].is_joint) {
            rig->nodes[node].is_joint = true;
            node = rig->nodes[node].in->parent;
        }
    }
}

// Adds the joint of a node. `root` is the parent of joints whose node has no parent, or MD5_NONE.
static void add_joint(convert_rig *rig, uint32_t index, uint32_t root)
{
    rig_node *const node = &rig->nodes[index];
    rig_joint *const joint = &rig->joints[rig->num_joints];
    const uint32_t parent = node->in->parent;
    node->joint = (uint32_t)rig->num_joints++;
    joint->node = index;
    joint->parent = parent == MD5_NONE ? root : rig->nodes[parent].joint;
}

// Returns true if the parents of all joints precede them in the file.
static bool has_parents_first(const convert_rig *rig)
{
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const rig_node *const node = &rig->nodes[i];
        if (node->is_joint && node->in->parent != MD5_NONE && node->in->parent >= i)
            return false;
    }
    return true;
}

// Returns the index of the first root joint that no clip moves, or MD5_NONE. A root that does
// not move can become the parent of vertices without weights.
uint32_t rig_find_still_root(const convert_rig *rig)
{
    for (uint32_t j = 0; j < rig->num_joints; j++) {
        const rig_joint *const joint = &rig->joints[j];
        if (joint->parent == MD5_NONE && !rig->nodes[joint->node].is_animated)
            return j;
    }
    return MD5_NONE;
}

// Returns true if meshes that do not move need no additional root. In a file with skins, they can
// be attached to a root that no clip moves. An engine that allows only one root, or a model that
// was read before, does not permit a further root.
static bool has_root_for_meshes(const convert_rig *rig)
{
    if (!rig->is_skinned)
        return false;
    return rig_find_still_root(rig) != MD5_NONE || needs_one_root(rig) || rig->model;
}

// Returns true if the additional root becomes a joint for another reason than a common root. It is
// needed as the joint of meshes that do not move, or as the only joint of a file without joints.
// All other joints must have been added before.
static bool is_added_root_used(const convert_rig *rig, bool has_common_root)
{
    if (rig->num_joints == 0)
        return true;
    return !has_common_root && !has_root_for_meshes(rig) && has_still_mesh(rig);
}

// Adds the joints of all nodes. They have the order of the file if parents precede their children
// there, and otherwise depth-first order. If the engine requires a single root and there are
// several roots, the additional root is first and becomes their parent.
static void add_joints(convert_rig *rig)
{
    const uint32_t added_root = (uint32_t)rig->num_nodes - 1; // the last node, also in the order
    const bool has_common_root = needs_common_root(rig);
    if (has_common_root)
        extend_roots(rig);
    size_t num_marked = 0;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        if (rig->nodes[i].is_joint)
            num_marked++;
    }
    rig->joints = common_alloc(num_marked + 1, sizeof *rig->joints);

    const bool keeps_file_order = has_parents_first(rig);
    const uint32_t root = has_common_root ? 0 : MD5_NONE; // index of the joint of the added root
    if (has_common_root)
        add_joint(rig, added_root, MD5_NONE);
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const uint32_t index = keeps_file_order ? (uint32_t)i : rig->order[i];
        rig_node *const node = &rig->nodes[index];
        if (index == added_root)
            node->is_joint |= is_added_root_used(rig, has_common_root);
        if (node->is_joint)
            add_joint(rig, index, root);
    }
}

// Replaces the node indices in the list of joints of each skin by the joint indices of these nodes.
static void convert_skin_nodes_to_joints(convert_rig *rig)
{
    for (size_t i = 0; i < rig->num_skins; i++) {
        rig_skin *const skin = &rig->skins[i];
        if (!skin->joints)
            continue;
        for (size_t k = 0; k < skin->num_joints; k++)
            skin->joints[k] = rig->nodes[skin->joints[k]].joint;
    }
}

uint32_t rig_parent_joint(const convert_rig *rig, uint32_t node)
{
    while (node != MD5_NONE && rig->nodes[node].joint == MD5_NONE)
        node = rig->nodes[node].in->parent;
    return node == MD5_NONE ? MD5_NONE : rig->nodes[node].joint;
}

// Returns the root of the skeleton that moves a node's skinned mesh, or MD5_NONE if the node has no
// such mesh.
static uint32_t find_skeleton_root(const convert_rig *rig, const rig_node *node)
{
    if (!node->in->is_in_scene || !is_skinned_mesh(node->in))
        return MD5_NONE;
    uint32_t root = rig->skins[node->in->skin].joints[0];
    while (root != MD5_NONE && rig->joints[root].parent != MD5_NONE)
        root = rig->joints[root].parent;
    return root;
}

// Reports meshes whose skeletons do not share a root: the file may contain several characters.
static void note_skeletons(const convert_rig *rig)
{
    // Marks the roots that were counted.
    bool *const is_counted = common_alloc(rig->num_joints, sizeof *is_counted);
    const char *first_name = NULL; // name of a mesh of the first skeleton
    const char *last_name = NULL;
    size_t count = 0;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const rig_node *const node = &rig->nodes[i];
        const uint32_t root = find_skeleton_root(rig, node);
        if (root == MD5_NONE || is_counted[root])
            continue;
        is_counted[root] = true;
        const char *const name = node->in->name ? node->in->name : "?";
        if (count == 0)
            first_name = name;
        else
            last_name = name;
        count++;
    }

    if (count > 1)
        convert_note(rig->plain->job,
                     "merged %zu skeletons into one model (%.80s, %.80s); use --scene NAME to "
                     "select one",
                     count, first_name, last_name);

    free(is_counted);
}

// Returns true if the root must be called "origin", as Doom 3's engines require. The names of a
// model or of a motion capture do not change.
static bool must_rename_root(convert_rig *rig)
{
    if (!is_for_doom3(rig) || rig->plain->is_captured)
        return false;
    return !is_named_as_model_joint(rig, rig->joints[0].node);
}

// Sets the names of joints, and reports the joints whose names differ from the file.
static void name_joints(convert_rig *rig)
{
    if (must_rename_root(rig))
        rig->joints[0].name = rig_add_name(&rig->names, "origin", MAX_NAME_SIZE, "", 0);
    const char *first_name = NULL; // name of the first renamed joint
    const char *first_new_name = NULL;
    size_t num_renamed = 0;

    for (size_t j = 0; j < rig->num_joints; j++) {
        rig_joint *const joint = &rig->joints[j];
        const char *const name = node_name(rig, joint->node);
        if (!joint->name)
            joint->name = rig_add_name(&rig->names, name, MAX_NAME_SIZE, "joint_", j);
        joint->model_joint = model_joint(rig, joint->name);
        const bool is_renamed = name && strcmp(name, joint->name) != 0;
        if (!is_renamed)
            continue;
        if (num_renamed == 0) {
            first_name = name;
            first_new_name = joint->name;
        }
        num_renamed++;
    }

    if (num_renamed > 0)
        convert_note(
            rig->plain->job, "renamed %zu %s so that engines accept the names; first: %.100s to %s",
            num_renamed, common_noun(num_renamed, "joint", "joints"), first_name, first_new_name);
}

// -- Bind pose and rest pose ----------------------------------------------------------------------

// Returns true if entry k of a skin can place the skin. Joints without weights are not used,
// because some converters write arbitrary matrices for them.
static bool can_be_anchor(const rig_skin *skin, size_t k)
{
    return skin->is_weighted[k] && skin->joints[k] != MD5_NONE;
}

// Returns the first entry of a skin that can be its anchor and whose joint another skin has already
// bound. Returns skin->num_joints if there is none.
static size_t find_bound_anchor(const convert_rig *rig, const rig_skin *skin)
{
    for (size_t k = 0; k < skin->num_joints; k++) {
        if (can_be_anchor(skin, k) && rig->joints[skin->joints[k]].is_bound)
            return k;
    }
    return skin->num_joints;
}

// Returns the entry of a skin whose joint is highest in the hierarchy, or skin->num_joints if the
// skin has no joints with weights. Parents precede their children, so that this joint has the
// smallest index.
static size_t find_highest_anchor(const rig_skin *skin)
{
    size_t highest = skin->num_joints;
    for (size_t k = 0; k < skin->num_joints; k++) {
        if (!can_be_anchor(skin, k))
            continue;
        if (highest == skin->num_joints || skin->joints[k] < skin->joints[highest])
            highest = k;
    }
    return highest;
}

// Sets the placement of a skin: the transform from the space of its mesh to the space of the rest
// pose. One joint of the skin, the anchor, determines it.
//
// If another skin has already bound a joint of this skin, this joint is the anchor, so that both
// skins agree about it. Otherwise the anchor is the highest joint in the hierarchy, bound in its
// rest pose. Returns the ratio of the anchor's volume in the bind pose to its volume in the rest
// pose.
static double compute_skin_placement(const convert_rig *rig, rig_skin *skin)
{
    skin->placement = convert_identity;
    size_t anchor = find_bound_anchor(rig, skin);
    const bool is_bound = anchor < skin->num_joints;
    if (!is_bound)
        anchor = find_highest_anchor(skin);
    if (anchor == skin->num_joints)
        return 1;

    const rig_joint *const joint = &rig->joints[skin->joints[anchor]];
    const convert_affine *const rest = &rig->nodes[joint->node].world;
    const convert_affine *const bind = is_bound ? &joint->bind : rest;
    skin->placement = convert_mul_affine(bind, &skin->inverse_binds[anchor]);
    return convert_determinant(bind) / convert_determinant(rest);
}

// Some converters write arbitrary matrices for joints without weights. Returns false for such a
// matrix. In a plausible matrix, the scale of the joint in the bind pose is 0.5 to 2 times its
// scale in the rest pose. `anchor_ratio` is the result of compute_skin_placement().
static bool is_plausible_bind(const convert_rig *rig, const rig_joint *joint,
                              const convert_affine *bind, double anchor_ratio)
{
    const double min_volume_ratio = 0.5 * 0.5 * 0.5;
    const double max_volume_ratio = 2 * 2 * 2;
    const double volume_ratio = convert_determinant(bind) / anchor_ratio
                                / convert_determinant(&rig->nodes[joint->node].world);
    return volume_ratio > min_volume_ratio && volume_ratio < max_volume_ratio;
}

// Binds the joints of a skin. This sets the transform of each joint in the bind pose, in the space
// of the rest pose.
//
// The `inverse_binds` of the file convert from the space of the mesh to the space of a joint. The
// placement converts from the space of the mesh to the space of the rest pose. Joints that another
// skin has bound do not change. A joint without weights is bound only if its matrix is plausible.
static void bind_skin(convert_rig *rig, rig_skin *skin)
{
    const double anchor_ratio = compute_skin_placement(rig, skin);
    for (size_t k = 0; k < skin->num_joints; k++) {
        if (skin->joints[k] == MD5_NONE || rig->joints[skin->joints[k]].is_bound)
            continue;
        convert_affine mesh_bind; // in the space of the mesh
        if (!convert_invert_affine(&skin->inverse_binds[k], &mesh_bind))
            continue;
        rig_joint *const joint = &rig->joints[skin->joints[k]];
        const convert_affine bind = convert_mul_affine(&skin->placement, &mesh_bind);
        if (!skin->is_weighted[k] && !is_plausible_bind(rig, joint, &bind, anchor_ratio))
            continue;
        joint->bind = bind;
        joint->is_bound = true;
    }
}

// Binds all joints. Joints that no skin binds keep their rest pose relative to their parents.
static void bind_joints(convert_rig *rig)
{
    for (size_t i = 0; i < rig->num_skins; i++) {
        rig->skins[i].placement = convert_identity;
        if (rig->skins[i].is_used)
            bind_skin(rig, &rig->skins[i]);
    }
    for (size_t i = 0; i < rig->num_joints; i++) {
        rig_joint *const joint = &rig->joints[i];
        const rig_node *const node = &rig->nodes[joint->node];
        if (joint->is_bound)
            continue;
        joint->bind = node->world;
        if (joint->parent != MD5_NONE)
            joint->bind = convert_mul_affine(&rig->joints[joint->parent].bind, &node->rest.affine);
    }
}

// Extends a range of heights, from range[0] to range[1], to contain a position in the file's space.
static void extend_heights(const plain_scene *plain, convert_vec position, double range[2])
{
    const double height = convert_affine_point(&plain->axes, position).z;
    range[0] = fmin(range[0], height);
    range[1] = fmax(range[1], height);
}

// Extends a range of heights by the placed vertices of a primitive. Returns false if the budget is
// exceeded.
static bool measure_primitive(const plain_scene *plain, const convert_affine *placement,
                              const plain_primitive *primitive, double range[2])
{
    enum { ELEMENTS_PER_PRIMITIVE = 16 }; // cost without the vertices
    const float *const p = primitive->positions;
    const size_t count = p ? primitive->num_vertices : 0;
    if (!plain_charge(plain, ELEMENTS_PER_PRIMITIVE + (uint64_t)count))
        return false;
    for (size_t i = 0; i < 3 * count; i += 3)
        extend_heights(
            plain, convert_affine_point(placement, (convert_vec){p[i], p[i + 1], p[i + 2]}), range);
    return true;
}

// Returns true if a joint has the parent that it has in the model that was read before. Also
// returns true if this is unknown, because the model does not have the joint or its parent.
static bool has_model_parent(const convert_rig *rig, const rig_joint *joint)
{
    if (joint->model_joint == MD5_NONE)
        return true;
    const uint32_t expected = rig->model->skeleton.joints[joint->model_joint].parent;
    if (joint->parent == MD5_NONE)
        return expected == MD5_NONE;
    const uint32_t found = rig->joints[joint->parent].model_joint;
    return found == MD5_NONE || found == expected;
}

// Returns the name of a joint of the model, or a description if the index is MD5_NONE.
static const char *model_joint_name(const convert_rig *rig, uint32_t joint)
{
    return joint != MD5_NONE ? rig->model->skeleton.joints[joint].name : "no parent";
}

// Returns the joints of the rig for all joints of the model; MD5_NONE if the file lacks a joint.
// The caller frees the array.
static uint32_t *list_joints_of_model(const convert_rig *rig)
{
    const uint32_t count = rig->model->skeleton.num_joints;
    uint32_t *const joints = common_alloc(count, sizeof *joints);
    memset(joints, 0xFF, count * sizeof *joints); // MD5_NONE
    for (uint32_t i = 0; i < rig->num_joints; i++) {
        if (rig->joints[i].model_joint != MD5_NONE)
            joints[rig->joints[i].model_joint] = i;
    }
    return joints;
}

// Gives clips the parents that the joints have in the model that was read before, so that the poses
// in model space stay the same. Reports the differences. A joint keeps its parent if the file lacks
// its parent in the model. It also keeps its parent if the other parent follows the joint; the
// joint then moves relative to the wrong parent, unless its parent is one of its ancestors in the
// model.
static void adopt_parents(convert_rig *rig)
{
    uint32_t *const joints = list_joints_of_model(rig);
    const rig_joint *example = NULL;
    uint32_t num_adopted = 0;
    uint32_t num_kept = 0;
    for (uint32_t i = 0; i < rig->num_joints; i++) {
        rig_joint *const joint = &rig->joints[i];
        if (has_model_parent(rig, joint))
            continue;
        const uint32_t expected = rig->model->skeleton.joints[joint->model_joint].parent;
        const uint32_t parent = expected != MD5_NONE ? joints[expected] : MD5_NONE;
        const bool is_missing = expected != MD5_NONE && parent == MD5_NONE;
        if (is_missing)
            continue;
        if (!example)
            example = joint;
        if (parent == MD5_NONE || parent < i) {
            joint->clip_parent = parent;
            num_adopted++;
        } else {
            num_kept++;
        }
    }
    free(joints);
    if (!example)
        return;

    const uint32_t count = num_adopted + num_kept;
    const bool has_parent = example->parent != MD5_NONE;
    convert_note(rig->plain->job,
                 "%s: %u %s another parent than in the model, such as '%.60s': expected %.60s, "
                 "found %.60s; the clips get the parents of the model and keep the motion",
                 rig->plain->path, count, common_noun(count, "joint has", "joints have"),
                 example->name,
                 model_joint_name(rig, rig->model->skeleton.joints[example->model_joint].parent),
                 has_parent ? rig->joints[example->parent].name : "no parent");
    if (num_kept > 0)
        convert_note(rig->plain->job,
                     "%s: the motion of %u of these joints can be wrong, because their parents in "
                     "the model follow them in the file; use --mesh to retarget the clips",
                     rig->plain->path, num_kept);
}

// Stores the ratio of the model's length to the file's length for each bone that both have.
// Returns the number of ratios.
static size_t compare_bones(const convert_rig *rig, double *ratios)
{
    size_t count = 0;
    for (size_t i = 0; i < rig->num_joints; i++) {
        const rig_joint *const joint = &rig->joints[i];
        if (joint->parent == MD5_NONE || joint->model_joint == MD5_NONE)
            continue;
        if (!has_model_parent(rig, joint))
            continue;
        const convert_vec bone =
            convert_sub(joint->bind.c[3], rig->joints[joint->parent].bind.c[3]);
        const double length = sqrt(convert_dot(bone, bone));
        const double model_length =
            md5_vec3_length(rig->model->bind_local[joint->model_joint].translation);
        const bool has_length = length > 1e-9 && model_length > 1e-6;
        if (has_length)
            ratios[count++] = model_length / length;
    }
    return count;
}

// Returns true if `median` is the scale of a clip relative to the model. A difference of more than
// 20 % is sufficient. A smaller difference must be common to four fifths of the bones; otherwise
// the clip belongs to a model with other proportions. The rule clip-scale of md5_check_binding()
// has similar limits.
static bool is_scale(const double *ratios, size_t count, double median, double unit)
{
    const double min_deviation = 1e-3;
    const double large_deviation = 0.2;
    const double similar_ratio = 0.02;
    const double deviation = fabs(median / unit - 1);
    size_t num_similar = 0;
    for (size_t i = 0; i < count; i++)
        num_similar += fabs(ratios[i] - median) <= similar_ratio * median;
    const bool are_most_similar = num_similar >= count - count / 5;
    return deviation > large_deviation || (deviation >= min_deviation && are_most_similar);
}

// Returns the median ratio of the model's bone lengths to the file's bone lengths, if it is a
// scale. Otherwise, or if there are no common bones, returns the unit of the model's file.
static double measure_bones(const convert_rig *rig)
{
    double *const ratios = common_alloc(rig->num_joints, sizeof *ratios);
    const size_t count = compare_bones(rig, ratios);
    double unit = rig->model_unit;
    if (count > 0) {
        qsort(ratios, count, sizeof *ratios, common_compare_doubles);
        const double median = ratios[count / 2];
        if (is_scale(ratios, count, median, unit)) {
            unit = median;
            if (fabs(unit - 1) > 1e-5) // the output unit: nothing is scaled
                convert_note(rig->plain->job,
                             "%s: scaled by %g to match the model's bones, which are %g to %g "
                             "times as long",
                             rig->plain->path, unit, ratios[0], ratios[count - 1]);
        }
    }

    free(ratios);
    return unit;
}

// Measures the range of heights of all meshes, in file units. Without meshes, measures the heights
// of all joints.
static bool measure_height(const convert_rig *rig, double *height)
{
    const plain_scene *const plain = rig->plain;
    double range[2] = {HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const rig_node *const node = &rig->nodes[i];
        if (!node->in->is_in_scene || node->in->mesh == MD5_NONE)
            continue;
        const plain_mesh *const mesh = &plain->meshes[node->in->mesh];
        const convert_affine *const placement =
            node->in->skin != MD5_NONE ? &rig->skins[node->in->skin].placement : &node->world;
        for (size_t k = 0; k < mesh->num_primitives; k++) {
            if (!measure_primitive(plain, placement, &mesh->primitives[k], range))
                return false;
        }
    }

    if (!rig->has_meshes) {
        for (size_t j = 0; j < rig->num_joints; j++)
            extend_heights(plain, rig->joints[j].bind.c[3], range);
    }
    *height = fmax(range[1] - range[0], 0.0);
    return true;
}

// The unit of a file that does not specify it, guessed from the height of its model.
typedef struct unit_guess {
    double max_height; // in units of the file
    double unit;       // inches per unit of the file
    const char *description;
} unit_guess;

// Guesses the unit of a file from the height of its figure. Returns the scale to MD5 units
// (inches) with a reason for the note.
static const unit_guess *guess_unit(double height)
{
    static const unit_guess guesses[] = {
        {0.5, 1, "small, so no scale is applied"},
        {4, 1.0 / 0.0254, "typical of a character in meters"},
        {30, 1, "typical of neither meters nor centimeters, so no scale is applied"},
        {120, 1, "typical of a character in game units, so no scale is applied"},
        {400, 0.01 / 0.0254, "typical of a character in centimeters"},
        {DBL_MAX, 1, "large, so no scale is applied"},
    };
    const unit_guess *guess = guesses;
    while (height >= guess->max_height && guess->max_height < DBL_MAX)
        guess++;
    return guess;
}

// Selects the unit of the file without comparing its bones with the bones of another model. The
// unit of the option has priority, then the unit that the file contains. Otherwise the height of
// the model decides.
static double select_file_unit(const convert_rig *rig, double height)
{
    const plain_scene *const plain = rig->plain;
    if (plain->job->scale > 0)
        return plain->job->scale;
    if (plain->unit > 0)
        return plain->unit;
    const unit_guess *const guess = guess_unit(height);
    if (rig->has_meshes || height > 0)
        convert_note(plain->job,
                     "scale is %g: the height of the model, %g, is %s; use --scale to override",
                     guess->unit, height, guess->description);
    return guess->unit;
}

// Selects the unit of the file by the first of these that is known: the option, the bones of a
// model that was read before, the unit that the file contains, a guess from the height.
static bool select_unit(convert_rig *rig)
{
    const convert_job *const job = rig->plain->job;
    double height = 0;
    if (!measure_height(rig, &height))
        return false;

    if (rig->model && !(job->scale > 0)) {
        rig->unit = measure_bones(rig);
        if (rig->unit > 0)
            return true;
    }
    rig->unit = select_file_unit(rig, height);
    if (rig->has_meshes)
        convert_note(job, "model height: %g units", height * rig->unit);
    return true;
}

// Returns the rotation about the vertical axis that the writer of the file recorded, in degrees. If
// the file does not contain it, returns the rotation of the model that was read before.
double rig_source_yaw(const convert_rig *rig)
{
    return rig->plain->has_yaw ? rig->plain->yaw : rig->model_yaw;
}

// Returns the transform from the file's space to MD5's space. It contains the unit. It also undoes
// the rotation about the vertical axis that the writer of the file applied.
static convert_affine output_transform(const convert_rig *rig)
{
    const double source_yaw = rig_source_yaw(rig);
    const double angle = fabs(source_yaw) <= 360 ? -source_yaw / 180.0 * 3.14159265358979323846 : 0;
    const double c = cos(angle) * rig->unit;
    const double s = sin(angle) * rig->unit;
    const convert_affine rotation = {{{c, s, 0}, {-s, c, 0}, {0, 0, rig->unit}, {0, 0, 0}}};
    return convert_mul_affine(&rotation, &rig->plain->axes);
}

// Moves the nodes, the skins and the joints from the space of the file to the space of the output.
static void move_to_output(convert_rig *rig)
{
    const convert_affine output = output_transform(rig);
    rig->output = output;
    for (size_t i = 0; i < rig->num_nodes; i++)
        rig->nodes[i].world = convert_mul_affine(&output, &rig->nodes[i].world);
    for (size_t i = 0; i < rig->num_skins; i++) {
        rig_skin *const skin = &rig->skins[i];
        skin->placement = convert_mul_affine(&output, &skin->placement);
    }

    for (size_t i = 0; i < rig->num_joints; i++) {
        rig_joint *const joint = &rig->joints[i];
        const uint32_t above = rig->nodes[joint->node].in->parent;
        joint->bind = convert_mul_affine(&output, &joint->bind);
        joint->above = above != MD5_NONE ? rig->nodes[above].world : output;
        if (joint->parent != MD5_NONE)
            joint->is_mirrored = rig->joints[joint->parent].is_mirrored;
        else
            joint->is_mirrored = convert_determinant(&joint->above) < 0;
        joint->above_rotation =
            convert_quat_mul(convert_nearest_rotation(&joint->above), rig->from_md5_axes);
    }
}

// Stores the rest pose of a joint and the scale that MD5 cannot store, its residue.
static void set_rest_pose(const convert_rig *rig, rig_joint *joint, const rig_joint *parent,
                          const rig_posed *posed)
{
    joint->rest_pose = posed->pose;
    joint->residue = rig_residue(posed);
    if (convert_invert_affine(&joint->residue, &joint->inverse_residue))
        return;
    // A scale of 0 in the rest pose has no inverse, so the residue of the parent is used.
    const double u = rig->unit;
    joint->residue = parent ? parent->residue : (convert_affine){{{u, 0, 0}, {0, u, 0}, {0, 0, u}}};
    convert_invert_affine(&joint->residue, &joint->inverse_residue);
}

// Stores the bind pose of a joint. Its rest pose and the poses of its parent must be complete.
//
// A joint can be scaled in the rest pose but not in the bind pose. The scale then moves its
// children away from it or toward it. Returns the factor of their distances.
static double set_bind_pose(rig_joint *joint, const rig_joint *parent, double parent_stretch)
{
    convert_affine inverse;
    const bool is_invertible = convert_invert_affine(&joint->bind, &inverse);
    if (!is_invertible) { // use the rest pose relative to the parent
        joint->bind_pose = joint->rest_pose;
        if (parent) {
            const convert_xform local =
                convert_mul(convert_inverse(parent->rest_pose), joint->rest_pose);
            joint->bind_pose = convert_mul(parent->bind_pose, local);
        }
        return 1;
    }

    const convert_affine bound = convert_mul_affine(&joint->bind, &joint->inverse_residue);
    joint->bind_pose.rotation = convert_nearest_rotation(&bound);
    joint->bind_pose.translation = joint->bind.c[3];
    if (parent) {
        const convert_vec bone = convert_sub(joint->bind.c[3], parent->bind.c[3]);
        joint->bind_pose.translation =
            convert_add(parent->bind_pose.translation, convert_times(bone, parent_stretch));
    }
    const double volume = fabs(convert_determinant(&bound)); // the cube of the scale
    return pow(volume, -1.0 / 3.0);
}

// Computes the bind pose and the rest pose of MD5 in the space of the output.
static void compute_poses(convert_rig *rig)
{
    rig_state *const states = common_alloc(rig->num_nodes, sizeof *states);
    rig_posed *const posed = common_alloc(rig->num_joints, sizeof *posed);
    double *const stretch = common_alloc(rig->num_joints, sizeof *stretch);
    move_to_output(rig);
    for (size_t i = 0; i < rig->num_nodes; i++)
        states[i] = rig->nodes[i].rest;
    rig_pose(rig, states, posed);

    for (size_t j = 0; j < rig->num_joints; j++) { // parents precede their children
        rig_joint *const joint = &rig->joints[j];
        const bool has_parent = joint->parent != MD5_NONE;
        const rig_joint *const parent = has_parent ? &rig->joints[joint->parent] : NULL;
        const double parent_stretch = has_parent ? stretch[joint->parent] : 1;
        set_rest_pose(rig, joint, parent, &posed[j]);
        stretch[j] = set_bind_pose(joint, parent, parent_stretch);
    }

    free(states);
    free(posed);
    free(stretch);
}

// Computes the poses of all joints from the transforms of their nodes. `world` contains all scales
// of the file. `pose` contains only rotations and positions, which MD5 can store.
void rig_pose(const convert_rig *rig, rig_state *nodes, rig_posed *posed)
{
    for (size_t j = 0; j < rig->num_joints; j++) {
        const rig_joint *const joint = &rig->joints[j];
        rig_state *const local = &nodes[joint->node];
        const bool has_parent = joint->parent != MD5_NONE;
        const plain_node *const node = rig->nodes[joint->node].in;
        if (node->parent != MD5_NONE)
            inherit_scale(node, &nodes[node->parent], local);
        const convert_affine *const above =
            has_parent ? &posed[joint->parent].world : &joint->above;
        const convert_quat above_rotation =
            has_parent ? posed[joint->parent].pose.rotation : joint->above_rotation;

        // Convert the axis of the local rotation to MD5's axes. In a mirrored space, the mirror
        // along x inverts y and z of the axis.
        const convert_quat q = local->rotation;
        const double side = joint->is_mirrored ? -1 : 1;
        const convert_vec file_axis = {q.x, side * q.y, side * q.z};
        const convert_vec axis = convert_affine_point(&rig->bone_axes, file_axis);
        const convert_quat rotation = {axis.x, axis.y, axis.z, q.w};

        posed[j].world = convert_mul_affine(above, &local->affine);
        posed[j].pose.rotation = convert_quat_mul(above_rotation, rotation);
        posed[j].pose.translation = posed[j].world.c[3];
    }
}

// Returns the residue D of a joint (see rig.h): its axes without its rotation in MD5. What remains
// are the scale and the shear, which MD5 cannot store.
convert_affine rig_residue(const rig_posed *posed)
{
    const convert_affine back = convert_affine_from_xform(
        (convert_xform){convert_conjugate(posed->pose.rotation), {0, 0, 0}});
    convert_affine residue = convert_mul_affine(&back, &posed->world);
    residue.c[3] = (convert_vec){0, 0, 0};
    return residue;
}

// -- Rigs -----------------------------------------------------------------------------------------

// Fails if a joint is too far from the origin, or if its position is not a number.
static bool check_joint_positions(const convert_rig *rig)
{
    const double max_coordinate = 1e9;
    for (size_t i = 0; i < rig->num_joints; i++) {
        const rig_joint *const joint = &rig->joints[i];
        const convert_vec at = joint->bind_pose.translation;
        if (!(fabs(at.x) + fabs(at.y) + fabs(at.z) <= max_coordinate))
            return plain_fail(rig->plain,
                              "joint %s is out of range: expected at most 1e9 units from the "
                              "origin; use a lower --scale",
                              joint->name);
    }
    return true;
}

// Builds the skeleton. Selects the nodes that become joints, orders and names them, and computes
// their bind pose in MD5's axes and units.
bool rig_open(convert_rig *rig)
{
    if (rig->model) {
        for (uint32_t i = 0; i < rig->model->skeleton.num_joints; i++)
            set_value(&rig->model_joints, rig->model->skeleton.joints[i].name, i);
    }
    if (!create_nodes(rig))
        return false;
    init_axes(rig);
    copy_skins(rig);
    if (!find_weights(rig))
        return false;

    // Select, number and name the joints.
    find_animated(rig);
    find_model_joints(rig);
    complete_joints(rig);
    add_joints(rig);
    convert_skin_nodes_to_joints(rig);
    note_skeletons(rig);
    name_joints(rig);

    bind_joints(rig);
    for (size_t i = 0; i < rig->num_joints; i++)
        rig->joints[i].clip_parent = rig->joints[i].parent;
    if (rig->model)
        adopt_parents(rig);
    if (!select_unit(rig))
        return false;
    compute_poses(rig);
    return check_joint_positions(rig);
}

void rig_free_names(rig_names *names)
{
    common_free_text_index(&names->index);
    free(names->values);
}

// Frees the joints, the skins and the names of a rig. The list of skins is NULL if building the
// rig failed early.
void rig_free(convert_rig *rig)
{
    if (rig->skins) {
        for (size_t i = 0; i < rig->num_skins; i++) {
            free(rig->skins[i].joints);
            free(rig->skins[i].inverse_binds);
            free(rig->skins[i].is_weighted);
        }
    }
    free(rig->skins);
    free(rig->nodes);
    free(rig->order);
    free(rig->joints);
    rig_free_names(&rig->names);
    rig_free_names(&rig->model_joints);
    rig_free_names(&rig->shaders);
}
