// Nodes, skins and joints of glTF: which nodes become joints, in which order, and how they are
// bound.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Affine maps ----------------------------------------------------------------------------------

static const gltf_affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

gltf_affine gltf_mul(const gltf_affine *a, const gltf_affine *b)
{
    gltf_affine c;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            c.m[i][k] = a->m[i][0] * b->m[0][k] + a->m[i][1] * b->m[1][k] + a->m[i][2] * b->m[2][k]
                        + (k == 3 ? a->m[i][3] : 0.0);
    return c;
}

convert_vec gltf_point(const gltf_affine *a, convert_vec v)
{
    return (convert_vec){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z + a->m[0][3],
                         a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z + a->m[1][3],
                         a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z + a->m[2][3]};
}

static convert_vec column(const gltf_affine *a, int k)
{
    return (convert_vec){a->m[0][k], a->m[1][k], a->m[2][k]};
}

double gltf_determinant(const gltf_affine *a)
{
    return convert_dot(column(a, 0), convert_cross(column(a, 1), column(a, 2)));
}

bool gltf_invert(const gltf_affine *a, gltf_affine *inverse)
{
    const convert_vec c[3] = {column(a, 0), column(a, 1), column(a, 2)};
    const double det = gltf_determinant(a);
    const double size =
        sqrt(convert_dot(c[0], c[0]) * convert_dot(c[1], c[1]) * convert_dot(c[2], c[2]));
    if (!(fabs(det) > 1e-12 * size) || !(fabs(det) > 1e-60))
        return false;
    for (int i = 0; i < 3; i++) {
        const convert_vec row = convert_cross(c[(i + 1) % 3], c[(i + 2) % 3]);
        inverse->m[i][0] = row.x / det;
        inverse->m[i][1] = row.y / det;
        inverse->m[i][2] = row.z / det;
        inverse->m[i][3] = -convert_dot(row, column(a, 3)) / det;
    }
    return true;
}

gltf_affine gltf_from_xform(convert_xform t)
{
    gltf_affine a;
    const convert_vec axes[4] = {convert_rotate(t.rotation, (convert_vec){1, 0, 0}),
                                 convert_rotate(t.rotation, (convert_vec){0, 1, 0}),
                                 convert_rotate(t.rotation, (convert_vec){0, 0, 1}), t.translation};
    for (int k = 0; k < 4; k++) {
        a.m[0][k] = axes[k].x;
        a.m[1][k] = axes[k].y;
        a.m[2][k] = axes[k].z;
    }
    return a;
}

static convert_quat quat_of_rows(const double m[3][4])
{
    // The largest of the four is computed first, so that none is divided by a small number.
    const double sums[4] = {m[0][0] - m[1][1] - m[2][2], m[1][1] - m[0][0] - m[2][2],
                            m[2][2] - m[0][0] - m[1][1], m[0][0] + m[1][1] + m[2][2]};
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (sums[i] > sums[best])
            best = i;
    const double xy = m[1][0] + m[0][1], xz = m[0][2] + m[2][0], yz = m[2][1] + m[1][2];
    const double wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1];
    const double s = 1.0 + sums[best];
    const convert_quat all[4] = {
        {s, xy, xz, wx}, {xy, s, yz, wy}, {xz, yz, s, wz}, {wx, wy, wz, s}};
    return convert_unit(all[best]);
}

// The rotation that is nearest to a map, by Newton's iteration for the polar decomposition (Higham
// 1986). Of one that mirrors, that of the map after a mirror along x. None if it flattens.
static convert_quat rotation_of(const gltf_affine *a, bool *is_mirrored)
{
    gltf_affine r = *a, inverse;
    *is_mirrored = gltf_determinant(a) < 0.0;
    for (int i = 0; i < 3; i++) {
        r.m[i][0] *= *is_mirrored ? -1.0 : 1.0;
        r.m[i][3] = 0.0;
    }
    for (int round = 0; round < 100; round++) {
        if (!gltf_invert(&r, &inverse))
            return (convert_quat){0, 0, 0, 1};
        // Both of the same size, so that it takes few rounds.
        const double scale = pow(fabs(gltf_determinant(&r)), -1.0 / 3.0);
        double change = 0.0;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                const double next = 0.5 * (scale * r.m[i][k] + inverse.m[k][i] / scale);
                change = fmax(change, fabs(next - r.m[i][k]));
                r.m[i][k] = next;
            }
        if (!(change > 1e-15))
            break;
    }
    return quat_of_rows(r.m);
}

// -- Names ----------------------------------------------------------------------------------------

// Cuts a text at a length, but not inside of a letter.
static void cut(char *text, size_t length)
{
    if (strlen(text) <= length)
        return;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    text[length] = '\0';
}

const char *gltf_name(json_t *names, const char *name, size_t longest, const char *missing,
                      size_t number)
{
    char *const base = name != NULL && name[0] != '\0' ? common_copy(name)
                                                       : common_format("%s%zu", missing, number);
    cut(base, longest);
    for (char *c = base; *c != '\0'; c++)
        *c = *c == '\\' ? '/' : (unsigned char)*c <= ' ' || *c == '"' || *c == 0x7f ? '_' : *c;
    char *unique = common_copy(base);
    // The number that is tried next behind the same name is its value.
    json_int_t next = json_integer_value(json_object_get(names, base));
    for (next = next > 0 ? next : 1; json_object_get(names, unique) != NULL; next++) {
        char suffix[24];
        const int added = snprintf(suffix, sizeof suffix, "_%lld", (long long)next + 1);
        free(unique);
        unique = common_copy(base);
        cut(unique, longest - (size_t)added);
        char *const tried = common_format("%s%s", unique, suffix);
        free(unique);
        unique = tried;
    }
    (void)json_object_set_new_nocheck(names, base, json_integer(next));
    if (strcmp(base, unique) != 0)
        (void)json_object_set_new_nocheck(names, unique, json_integer(1));
    const char *const kept = json_object_iter_key(json_object_iter_at(names, unique));
    free(unique);
    free(base);
    return kept != NULL ? kept : ""; // memory ran out
}

// -- Nodes ----------------------------------------------------------------------------------------

gltf_local gltf_local_of(const double *translation, const double *rotation, const double *scale)
{
    const convert_quat q =
        convert_unit((convert_quat){rotation[0], rotation[1], rotation[2], rotation[3]});
    const convert_vec v = {translation[0], translation[1], translation[2]};
    gltf_local local = {gltf_from_xform((convert_xform){q, v}), q};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            local.affine.m[i][k] *= scale[k];
    return local;
}

gltf_local gltf_rest_local(const gltf_rig *rig, uint32_t joint)
{
    const uint32_t number = rig->joints[joint].node;
    if (number == MD5_NONE)
        return (gltf_local){identity, {0, 0, 0, 1}};
    const gltf_node *const node = &rig->nodes[number];
    if (!node->is_matrix)
        return gltf_local_of(node->translation, node->rotation, node->scale);
    bool is_mirrored = false;
    return (gltf_local){node->local, rotation_of(&node->local, &is_mirrored)};
}

// Reads a node, and tells its children whose they are: a node has one parent.
static bool read_node(gltf_rig *rig, size_t index)
{
    gltf_file *const file = rig->file;
    gltf_node *const node = &rig->nodes[index];
    const json_t *const object = gltf_item(file, "nodes", index);
    *node = (gltf_node){.name = gltf_text(object, "name"),
                        .parent = node->parent,
                        .mesh = gltf_index(object, "mesh"),
                        .skin = gltf_index(object, "skin"),
                        .joint = MD5_NONE,
                        .rotation = {0, 0, 0, 1},
                        .scale = {1, 1, 1}};
    double matrix[16] = {0};
    node->is_matrix = json_object_get(object, "matrix") != NULL;
    gltf_numbers(object, "translation", 3, node->translation);
    gltf_numbers(object, "rotation", 4, node->rotation);
    gltf_numbers(object, "scale", 3, node->scale);
    gltf_numbers(object, "matrix", 16, matrix);
    node->local = gltf_local_of(node->translation, node->rotation, node->scale).affine;
    for (int i = 0; i < 12 && node->is_matrix; i++)
        node->local.m[i % 3][i / 3] = matrix[i / 3 * 4 + i % 3];
    const json_t *const children = json_object_get(object, "children");
    for (size_t i = 0; i < json_array_size(children); i++) {
        const uint32_t child = gltf_index_at(children, i);
        if (rig->nodes[child].parent != MD5_NONE)
            return gltf_fail(file, "nodes/%u is a child of nodes/%u and of nodes/%zu", child,
                             rig->nodes[child].parent, index);
        rig->nodes[child].parent = (uint32_t)index;
    }
    return true;
}

// Says which two nodes are below each other. Each node that no root leads to leads up to such two.
static bool fail_by_circle(const gltf_rig *rig, const bool *is_reached)
{
    uint32_t node = 0;
    while (is_reached[node])
        node++;
    for (size_t i = 0; i < rig->num_nodes; i++)
        node = rig->nodes[node].parent;
    const uint32_t parent = rig->nodes[node].parent;
    const char *const name = rig->nodes[node].name, *const above = rig->nodes[parent].name;
    return gltf_fail(rig->file, "nodes/%u \"%.60s\" is below nodes/%u \"%.60s\", and that below it",
                     node, name ? name : "", parent, above ? above : "");
}

// Writes the nodes in depth-first order to rig->order; parents come first.
static bool order_nodes(gltf_rig *rig)
{
    enum { MOST_DEEP = 1000 };
    gltf_file *const file = rig->file;
    uint32_t *const stack = common_alloc(rig->num_nodes, sizeof *stack);
    uint32_t *const depth = common_alloc(rig->num_nodes, sizeof *depth);
    bool *const is_reached = common_alloc(rig->num_nodes, sizeof *is_reached);
    size_t height = 0, count = 0;
    bool is_right = true;
    for (size_t i = rig->num_nodes; i-- > 0;)
        if (rig->nodes[i].parent == MD5_NONE)
            stack[height++] = (uint32_t)i;
    while (height > 0 && is_right) {
        const uint32_t node = stack[--height];
        const uint32_t parent = rig->nodes[node].parent;
        rig->order[count++] = node;
        is_reached[node] = true;
        depth[node] = parent == MD5_NONE ? 0 : depth[parent] + 1;
        if (depth[node] > MOST_DEEP)
            is_right = gltf_fail(file, "nodes/%u is more than %d nodes deep", node, MOST_DEEP);
        const json_t *const children = json_object_get(gltf_item(file, "nodes", node), "children");
        for (size_t i = json_array_size(children); i-- > 0;)
            stack[height++] = gltf_index_at(children, i);
    }
    if (is_right && count < rig->num_nodes)
        is_right = fail_by_circle(rig, is_reached);
    free(stack);
    free(depth);
    free(is_reached);
    return is_right;
}

static bool read_nodes(gltf_rig *rig)
{
    rig->num_nodes = gltf_count(rig->file, "nodes");
    rig->nodes = common_alloc(rig->num_nodes, sizeof *rig->nodes);
    rig->order = common_alloc(rig->num_nodes, sizeof *rig->order);
    for (size_t i = 0; i < rig->num_nodes; i++)
        rig->nodes[i].parent = MD5_NONE;
    for (size_t i = 0; i < rig->num_nodes; i++)
        if (!read_node(rig, i))
            return false;
    return order_nodes(rig);
}

// Which scene: by the job's name or number, else the file's, else the first; without scenes all.
static bool choose_scene(gltf_rig *rig)
{
    gltf_file *const file = rig->file;
    const char *const asked = file->job->scene_name;
    const size_t num_scenes = gltf_count(file, "scenes");
    uint32_t scene = (uint32_t)gltf_size(file->root, "scene", num_scenes > 0 ? 0 : MD5_NONE);
    if (asked != NULL) {
        char *end = NULL;
        const unsigned long number = strtoul(asked, &end, 10);
        scene = end != asked && *end == '\0' && number < num_scenes ? (uint32_t)number : MD5_NONE;
        for (size_t i = num_scenes; i-- > 0;) {
            const char *const name = gltf_text(gltf_item(file, "scenes", i), "name");
            if (name != NULL && strcmp(name, asked) == 0)
                scene = (uint32_t)i;
        }
        if (scene == MD5_NONE)
            return gltf_fail(file, "none of its %zu scenes is %.80s", num_scenes, asked);
    }
    const json_t *const roots = json_object_get(gltf_item(file, "scenes", scene), "nodes");
    for (size_t i = 0; i < json_array_size(roots); i++)
        rig->nodes[gltf_index_at(roots, i)].is_in_scene = true;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        gltf_node *const node = &rig->nodes[rig->order[i]];
        const bool has_parent = node->parent != MD5_NONE;
        node->is_in_scene |=
            scene == MD5_NONE || (has_parent && rig->nodes[node->parent].is_in_scene);
        node->world =
            has_parent ? gltf_mul(&rig->nodes[node->parent].world, &node->local) : node->local;
    }
    return true;
}

// Which nodes clips move.
static void find_animated(gltf_rig *rig)
{
    for (size_t i = 0; i < gltf_count(rig->file, "animations"); i++) {
        const json_t *const channels =
            json_object_get(gltf_item(rig->file, "animations", i), "channels");
        for (size_t k = 0; k < json_array_size(channels); k++) {
            const json_t *const target = json_object_get(json_array_get(channels, k), "target");
            const char *const path = gltf_text(target, "path");
            const uint32_t node = gltf_index(target, "node");
            if (node != MD5_NONE && path != NULL && strcmp(path, "weights") != 0)
                rig->nodes[node].is_animated = true;
        }
    }
}

// -- Joints ---------------------------------------------------------------------------------------

// Marks the joints of skins that meshes of the scene have.
static bool read_skins(gltf_rig *rig)
{
    gltf_file *const file = rig->file;
    rig->num_skins = gltf_count(file, "skins");
    rig->skins = common_alloc(rig->num_skins, sizeof *rig->skins);
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const gltf_node *const node = &rig->nodes[i];
        rig->has_meshes |= node->is_in_scene && node->mesh != MD5_NONE;
        if (node->is_in_scene && node->mesh != MD5_NONE && node->skin != MD5_NONE)
            rig->skins[node->skin].is_used = rig->is_skinned = true;
    }
    for (size_t i = 0; i < rig->num_skins; i++) {
        rig->skins[i].is_used |= !rig->has_meshes; // a file of clips only
        gltf_skin *const skin = &rig->skins[i];
        const json_t *const object = gltf_item(file, "skins", i);
        if (!skin->is_used)
            continue;
        const uint32_t binds = gltf_index(object, "inverseBindMatrices");
        const json_t *const joints = json_object_get(object, "joints");
        size_t num_binds = skin->num_joints = json_array_size(joints);
        if (skin->num_joints == 0)
            return gltf_fail(file, "skins/%zu: it has no joints", i);
        if (binds != MD5_NONE
            && (skin->inverse_binds = gltf_read(file, binds, GLTF_MAT4, &num_binds)) == NULL)
            return false;
        if (num_binds < skin->num_joints)
            return gltf_fail(file, "skins/%zu: %zu joints, but accessors/%u has %zu matrices", i,
                             skin->num_joints, binds, num_binds);
        skin->joints = common_alloc(skin->num_joints, sizeof *skin->joints);
        for (size_t k = 0; k < skin->num_joints; k++) {
            skin->joints[k] = gltf_index_at(joints, k);
            rig->nodes[skin->joints[k]].is_joint = true;
        }
    }
    return true;
}

// The joint that a writer added because glTF wants one root; it is not one of the model.
static bool is_added(const gltf_node *node)
{
    double off = 0.0;
    for (int i = 0; i < 12; i++)
        off = fmax(off, fabs(node->local.m[i / 4][i % 4] - identity.m[i / 4][i % 4]));
    return node->name != NULL && strcmp(node->name, "md5_root") == 0 && !node->is_animated
           && off == 0.0;
}

// Marks what is between joints and the lowest node above all of a tree, and nodes above that if a
// clip moves one. A mesh without skin moves with the joint above it, or with nodes that clips move.
static void complete_joints(gltf_rig *rig)
{
    for (size_t i = 0; i < rig->num_nodes && !rig->is_skinned; i++) {
        const gltf_node *const mesh = &rig->nodes[i];
        const bool can_move = mesh->is_in_scene && (mesh->mesh != MD5_NONE || !rig->has_meshes);
        uint32_t node = can_move ? (uint32_t)i : MD5_NONE;
        for (; node != MD5_NONE && !rig->nodes[node].is_joint; node = rig->nodes[node].parent)
            if (rig->nodes[node].is_animated)
                rig->nodes[node].is_joint = true;
    }
    struct span {
        size_t below, whole; // joints at and below the node, and of its tree
        bool is_moved;       // by a clip, itself or with a node above
        bool is_above;       // one node below it has all joints, too
    } *const spans = common_alloc(rig->num_nodes, sizeof *spans);
    for (size_t i = rig->num_nodes; i-- > 0;) {
        const gltf_node *const node = &rig->nodes[rig->order[i]];
        struct span *const span = &spans[rig->order[i]];
        span->below += node->is_joint;
        if (node->parent != MD5_NONE)
            spans[node->parent].below += span->below;
    }
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const gltf_node *const node = &rig->nodes[rig->order[i]];
        struct span *const span = &spans[rig->order[i]];
        const bool has_parent = node->parent != MD5_NONE;
        struct span *const parent = &spans[has_parent ? node->parent : rig->order[i]];
        span->whole = has_parent ? parent->whole : span->below;
        span->is_moved = node->is_animated || (has_parent && parent->is_moved);
        if (has_parent && span->below > 0 && span->below == span->whole)
            parent->is_above = !parent->is_moved;
    }
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const uint32_t number = rig->order[i];
        gltf_node *const node = &rig->nodes[number];
        const bool is_root = node->parent == MD5_NONE || !rig->nodes[node->parent].is_joint;
        node->is_joint = spans[number].below > 0 && !spans[number].is_above
                         && !(is_root && spans[number].below > 1 && is_added(node));
    }
    free(spans);
    // What clips move below a joint: a mesh on it, or a place for what a character holds.
    for (size_t i = 0; i < rig->num_nodes; i++) {
        if (rig->nodes[i].skin != MD5_NONE)
            continue;
        uint32_t top = (uint32_t)i, moved = MD5_NONE;
        for (; top != MD5_NONE && !rig->nodes[top].is_joint; top = rig->nodes[top].parent)
            if (moved == MD5_NONE && rig->nodes[top].is_animated)
                moved = top;
        for (; top != MD5_NONE && moved != MD5_NONE && moved != top;
             moved = rig->nodes[moved].parent)
            rig->nodes[moved].is_joint = true;
    }
}

// Numbers the joints: as the file's nodes if parents come first there, else depth first.
static void number_joints(gltf_rig *rig)
{
    bool is_ordered = true;
    size_t count = 0;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const gltf_node *const node = &rig->nodes[i];
        count += node->is_joint;
        is_ordered &= !node->is_joint || node->parent == MD5_NONE || node->parent < i;
    }
    rig->joints = common_alloc(count + 1, sizeof *rig->joints);
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const uint32_t number = is_ordered ? (uint32_t)i : rig->order[i];
        gltf_node *const node = &rig->nodes[number];
        if (!node->is_joint)
            continue;
        gltf_joint *const joint = &rig->joints[rig->num_joints];
        node->joint = (uint32_t)rig->num_joints++;
        joint->node = number;
        joint->parent = node->parent == MD5_NONE ? MD5_NONE : rig->nodes[node->parent].joint;
    }
    // Meshes that no joint is above need one in files without skins.
    bool needs_root = rig->num_joints == 0;
    for (size_t i = 0; i < rig->num_nodes && !rig->is_skinned; i++)
        needs_root |= rig->nodes[i].is_in_scene && rig->nodes[i].mesh != MD5_NONE
                      && gltf_joint_above(rig, (uint32_t)i) == MD5_NONE;
    if (needs_root)
        rig->joints[rig->num_joints++] = (gltf_joint){.node = MD5_NONE, .parent = MD5_NONE};
    for (size_t i = 0; i < rig->num_skins; i++)
        for (size_t k = 0; rig->skins[i].joints != NULL && k < rig->skins[i].num_joints; k++)
            rig->skins[i].joints[k] = rig->nodes[rig->skins[i].joints[k]].joint;
}

uint32_t gltf_joint_above(const gltf_rig *rig, uint32_t node)
{
    while (node != MD5_NONE && rig->nodes[node].joint == MD5_NONE)
        node = rig->nodes[node].parent;
    return node == MD5_NONE ? MD5_NONE : rig->nodes[node].joint;
}

// Names of joints; Doom 3's family looks for a root of this name.
static void name_joints(gltf_rig *rig)
{
    enum { LONGEST = 47 }; // bytes that Q2PRO takes
    const char *const engine = rig->file->job->engine;
    if (engine != NULL && convert_find_engine(engine)->family == CONVERT_DOOM3)
        rig->joints[0].name = gltf_name(rig->names, "origin", LONGEST, "", 0);
    const char *renamed = NULL, *as = NULL; // the first one
    size_t num_renamed = 0;
    for (size_t j = 0; j < rig->num_joints; j++) {
        gltf_joint *const joint = &rig->joints[j];
        const bool is_node = joint->node != MD5_NONE;
        const char *const stored =
            is_node ? gltf_text(gltf_extras(gltf_item(rig->file, "nodes", joint->node)), "name")
                    : "origin";
        const char *const name = stored ? stored : rig->nodes[joint->node].name;
        if (joint->name == NULL)
            joint->name = gltf_name(rig->names, name, LONGEST, "joint_", j);
        if (name == NULL || strcmp(name, joint->name) == 0)
            continue;
        renamed = renamed ? renamed : name;
        as = as ? as : joint->name;
        num_renamed++;
    }
    if (num_renamed > 0)
        convert_note(rig->file->job, "%zu joints get names that engines take, as %.100s: %s",
                     num_renamed, renamed, as);
}

// -- Bind pose and rest pose ----------------------------------------------------------------------

gltf_affine gltf_inverse_bind(const gltf_skin *skin, size_t number)
{
    gltf_affine a = identity;
    const float *const m = skin->inverse_binds ? skin->inverse_binds + 16 * number : NULL;
    for (int i = 0; i < 12 && m != NULL; i++)
        a.m[i % 3][i / 3] = (double)m[i / 3 * 4 + i % 3];
    return a;
}

// Places skins in the space of the rest pose and binds their joints there. The first skin is placed
// so that its root is where it rests. A skin that shares a joint with one before is placed where
// that joint is bound; then its other joints, too, are bound where its vertices are.
static void bind_skins(gltf_rig *rig)
{
    for (size_t i = 0; i < rig->num_skins; i++) {
        gltf_skin *const skin = &rig->skins[i];
        if (!skin->is_used)
            continue;
        size_t shared = skin->num_joints, top = skin->num_joints;
        for (size_t k = skin->num_joints; k-- > 0;) {
            if (skin->joints[k] == MD5_NONE)
                continue;
            if (rig->joints[skin->joints[k]].is_bound)
                shared = k;
            if (top == skin->num_joints || skin->joints[k] <= skin->joints[top])
                top = k;
        }
        skin->place = identity;
        if (shared < skin->num_joints) {
            const gltf_affine inverse = gltf_inverse_bind(skin, shared);
            skin->place = gltf_mul(&rig->joints[skin->joints[shared]].bind, &inverse);
        } else if (top < skin->num_joints) {
            const gltf_affine inverse = gltf_inverse_bind(skin, top);
            skin->place =
                gltf_mul(&rig->nodes[rig->joints[skin->joints[top]].node].world, &inverse);
        }
        for (size_t k = 0; k < skin->num_joints; k++) {
            const gltf_affine inverse = gltf_inverse_bind(skin, k);
            gltf_affine bind;
            if (skin->joints[k] == MD5_NONE || rig->joints[skin->joints[k]].is_bound
                || !gltf_invert(&inverse, &bind))
                continue;
            rig->joints[skin->joints[k]].bind = gltf_mul(&skin->place, &bind);
            rig->joints[skin->joints[k]].is_bound = true;
        }
    }
    // The others stay where they rest, relative to their parents.
    for (size_t j = 0; j < rig->num_joints; j++) {
        gltf_joint *const joint = &rig->joints[j];
        if (joint->is_bound)
            continue;
        const gltf_affine local = gltf_rest_local(rig, (uint32_t)j).affine;
        joint->bind = joint->parent != MD5_NONE ? gltf_mul(&rig->joints[joint->parent].bind, &local)
                      : joint->node != MD5_NONE ? rig->nodes[joint->node].world
                                                : identity;
    }
}

// The height of all meshes as they are placed, or of joints. False: the file is wrong.
static bool measure_height(gltf_rig *rig, double *height)
{
    gltf_file *const file = rig->file;
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const gltf_node *const node = &rig->nodes[i];
        if (!node->is_in_scene || node->mesh == MD5_NONE)
            continue;
        const gltf_affine *const place =
            node->skin != MD5_NONE ? &rig->skins[node->skin].place : &node->world;
        const json_t *const primitives =
            json_object_get(gltf_item(file, "meshes", node->mesh), "primitives");
        for (size_t k = 0; k < json_array_size(primitives); k++) {
            const uint32_t accessor = gltf_index(
                json_object_get(json_array_get(primitives, k), "attributes"), "POSITION");
            size_t count = 0;
            if (accessor == MD5_NONE)
                continue;
            const float *const points = gltf_read(file, accessor, GLTF_VEC3, &count);
            if (points == NULL || !gltf_spend(file, count))
                return false;
            for (size_t v = 0; v < count; v++) {
                const float *const p = points + 3 * v;
                const double y =
                    gltf_point(place, (convert_vec){(double)p[0], (double)p[1], (double)p[2]}).y;
                least = fmin(least, y);
                most = fmax(most, y);
            }
        }
    }
    for (size_t j = 0; j < rig->num_joints && !rig->has_meshes; j++) {
        const double y = rig->joints[j].bind.m[1][3];
        least = fmin(least, y);
        most = fmax(most, y);
    }
    *height = most > least ? most - least : 0.0;
    return true;
}

// How long a unit of the file is, by what is known of it, or guessed by the height.
static bool choose_unit(gltf_rig *rig)
{
    static const struct guess {
        double below; // heights
        double unit;
        const char *what;
    } guesses[] = {
        {0.5, 1.0, "small, so its units are kept"},
        {4.0, 1.0 / 0.0254, "that of a figure in metres"},
        {30.0, 1.0, "neither that of metres nor of centimetres, so its units are kept"},
        {120.0, 1.0, "that of a figure in units of games, which are kept"},
        {400.0, 0.01 / 0.0254, "that of a figure in centimetres"},
        {HUGE_VAL, 1.0, "large, so its units are kept"},
    };
    const gltf_file *const file = rig->file;
    const double stored =
        gltf_number(gltf_extras(json_object_get(file->root, "asset")), "scale", 0.0);
    double height = 0.0;
    if (!measure_height(rig, &height))
        return false;
    if (file->job->scale > 0.0) {
        rig->unit = file->job->scale;
    } else if (stored > 1e-9 && stored < 1e9) {
        rig->unit = 1.0 / stored;
    } else {
        const struct guess *guess = guesses;
        while (height >= guess->below && guess->below < HUGE_VAL)
            guess++;
        rig->unit = guess->unit;
        convert_note(file->job, "scale %g, as the height of %g is %s: --scale overrides that",
                     rig->unit, height, guess->what);
    }
    if (rig->has_meshes)
        convert_note(file->job, "the model is %g units high", height * rig->unit);
    return true;
}

// From the file's space, y up and z forward, to id's, z up and x forward, scaled, and as it was
// before the writer turned it.
static gltf_affine to_output(const gltf_rig *rig)
{
    const gltf_file *const file = rig->file;
    const double stored =
        gltf_number(gltf_extras(json_object_get(file->root, "asset")), "turn", 0.0);
    const double degrees = fabs(stored) <= 360.0 ? -stored : 0.0;
    const double turn = degrees / 180.0 * 3.14159265358979323846;
    const double c = cos(turn) * rig->unit, s = sin(turn) * rig->unit;
    return (gltf_affine){{{-s, 0, c, 0}, {c, 0, s, 0}, {0, rig->unit, 0, 0}}};
}

// Computes what MD5 makes of the bind pose and the rest pose, in the space of the output.
static void settle(gltf_rig *rig)
{
    const gltf_affine output = to_output(rig);
    gltf_local *const locals = common_alloc(rig->num_joints, sizeof *locals);
    convert_xform *const pose = common_alloc(rig->num_joints, sizeof *pose);
    gltf_affine *const worlds = common_alloc(rig->num_joints, sizeof *worlds);
    double *const stretch = common_alloc(rig->num_joints, sizeof *stretch);
    for (size_t i = 0; i < rig->num_nodes; i++)
        rig->nodes[i].world = gltf_mul(&output, &rig->nodes[i].world);
    for (size_t i = 0; i < rig->num_skins; i++)
        rig->skins[i].place = gltf_mul(&output, &rig->skins[i].place);
    for (size_t j = 0; j < rig->num_joints; j++) {
        gltf_joint *const joint = &rig->joints[j];
        joint->bind = gltf_mul(&output, &joint->bind);
        locals[j] = gltf_rest_local(rig, (uint32_t)j);
        if (joint->parent != MD5_NONE) {
            joint->is_mirrored = rig->joints[joint->parent].is_mirrored;
            continue;
        }
        const uint32_t parent = joint->node == MD5_NONE ? MD5_NONE : rig->nodes[joint->node].parent;
        joint->above = parent == MD5_NONE ? output : rig->nodes[parent].world;
        joint->turn = convert_quat_mul(rotation_of(&joint->above, &joint->is_mirrored),
                                       (convert_quat){-0.5, -0.5, -0.5, 0.5});
    }
    gltf_pose(rig, locals, pose, worlds);
    for (size_t j = 0; j < rig->num_joints; j++) {
        gltf_joint *const joint = &rig->joints[j];
        const bool has_parent = joint->parent != MD5_NONE;
        const gltf_joint *const parent = has_parent ? &rig->joints[joint->parent] : NULL;
        joint->rest_pose = pose[j];
        joint->residue = gltf_residue(pose[j], &worlds[j]);
        if (!gltf_invert(&joint->residue, &joint->inverse_residue)) {
            // Scaled to nothing while it rests: then as large as what it belongs to.
            joint->residue = identity;
            for (int i = 0; i < 3; i++)
                joint->residue.m[i][i] = rig->unit;
            if (has_parent)
                joint->residue = parent->residue;
            (void)gltf_invert(&joint->residue, &joint->inverse_residue);
        }
        gltf_affine inverse;
        stretch[j] = 1.0;
        if (gltf_invert(&joint->bind, &inverse)) {
            const gltf_affine bound = gltf_mul(&joint->bind, &joint->inverse_residue);
            bool is_mirrored = false;
            joint->bind_pose.rotation = rotation_of(&bound, &is_mirrored);
            // Where joints are scaled in the rest pose, but not when they were bound, what is
            // below moves with that scale.
            stretch[j] = pow(fabs(gltf_determinant(&bound)), -1.0 / 3.0);
            const convert_vec at = column(&joint->bind, 3);
            joint->bind_pose.translation =
                has_parent ? convert_add(parent->bind_pose.translation,
                                         convert_times(convert_sub(at, column(&parent->bind, 3)),
                                                       stretch[joint->parent]))
                           : at;
        } else {
            joint->bind_pose =
                has_parent ? convert_mul(parent->bind_pose,
                                         convert_mul(convert_inverse(parent->rest_pose), pose[j]))
                           : pose[j];
        }
    }
    free(locals);
    free(pose);
    free(worlds);
    free(stretch);
}

void gltf_pose(const gltf_rig *rig, const gltf_local *locals, convert_xform *pose,
               gltf_affine *worlds)
{
    for (size_t j = 0; j < rig->num_joints; j++) {
        const gltf_joint *const joint = &rig->joints[j];
        const bool has_parent = joint->parent != MD5_NONE;
        convert_quat turn = locals[j].rotation;
        if (joint->is_mirrored) // as the mirror's other side sees it
            turn = (convert_quat){turn.x, -turn.y, -turn.z, turn.w};
        turn = (convert_quat){turn.z, turn.x, turn.y, turn.w};
        worlds[j] =
            gltf_mul(has_parent ? &worlds[joint->parent] : &joint->above, &locals[j].affine);
        pose[j].rotation =
            convert_quat_mul(has_parent ? pose[joint->parent].rotation : joint->turn, turn);
        pose[j].translation = column(&worlds[j], 3);
    }
}

// Numbers that are 1e-12 of others come from products of those that should be 0.
static convert_vec clean(convert_vec v, double length)
{
    const double least = 1e-12 * length;
    return (convert_vec){fabs(v.x) > least ? v.x : 0.0, fabs(v.y) > least ? v.y : 0.0,
                         fabs(v.z) > least ? v.z : 0.0};
}

md5_vec3 gltf_stored_point(convert_vec v)
{
    return convert_to_vec3(clean(v, sqrt(convert_dot(v, v))));
}

// The next float up or down, but of 0.
static float beside(float value, int by)
{
    return by == 0 || value == 0.0f ? value : nextafterf(value, by < 0 ? -HUGE_VALF : HUGE_VALF);
}

md5_vec3 gltf_stored_rotation(convert_quat q)
{
    const double sign = q.w > 0.0 ? -1.0 : 1.0, w = q.w * sign;
    const md5_vec3 near_by =
        convert_to_vec3(clean((convert_vec){q.x * sign, q.y * sign, q.z * sign}, 1.0));
    md5_vec3 best = near_by;
    double least = HUGE_VAL;
    // Near half a turn, what x y z are rounded by decides about w, the root of their difference to
    // 1: of all floats beside them those are taken from which readers get the w that is meant.
    for (int i = 0; i < 27 && fabs(w) < 0.02; i++) {
        const md5_vec3 tried = {beside(near_by.x, i % 3 - 1), beside(near_by.y, i / 3 % 3 - 1),
                                beside(near_by.z, i / 9 - 1)};
        const double off = fabs((double)md5_quat_from_xyz(tried.x, tried.y, tried.z).w - w);
        if (off < least || (off == least && i == 13)) {
            least = off;
            best = tried;
        }
    }
    return best;
}

gltf_affine gltf_residue(convert_xform pose, const gltf_affine *world)
{
    const gltf_affine back =
        gltf_from_xform((convert_xform){convert_conjugate(pose.rotation), {0, 0, 0}});
    gltf_affine residue = gltf_mul(&back, world);
    for (int i = 0; i < 3; i++)
        residue.m[i][3] = 0.0;
    return residue;
}

// -- Rigs -----------------------------------------------------------------------------------------

const json_t *gltf_extras(const json_t *object)
{
    return json_object_get(json_object_get(object, "extras"), "md5");
}

bool gltf_open_rig(gltf_rig *rig, gltf_file *file)
{
    *rig = (gltf_rig){.file = file, .names = json_object()};
    if (!read_nodes(rig) || !choose_scene(rig))
        return false;
    find_animated(rig);
    if (!read_skins(rig))
        return false;
    complete_joints(rig);
    number_joints(rig);
    name_joints(rig);
    bind_skins(rig);
    if (!choose_unit(rig))
        return false;
    settle(rig);
    return true;
}

void gltf_free_rig(gltf_rig *rig)
{
    for (size_t i = 0; rig->skins != NULL && i < rig->num_skins; i++)
        free(rig->skins[i].joints);
    free(rig->skins);
    free(rig->nodes);
    free(rig->order);
    free(rig->joints);
    json_decref(rig->names);
}

#endif
