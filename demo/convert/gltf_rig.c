// Nodes, skins and joints of glTF: which nodes become joints, in which order, and how they are
// bound.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_rig.h"

// -- Affine maps ----------------------------------------------------------------------------------

static const gltf_affine identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
const char *const gltf_parts[GLTF_NUM_PARTS] = {"translation", "rotation", "scale"};

convert_vec gltf_point(const gltf_affine *a, convert_vec v)
{
    return convert_add(convert_add(convert_times(a->c[0], v.x), convert_times(a->c[1], v.y)),
                       convert_add(convert_times(a->c[2], v.z), a->c[3]));
}

gltf_affine gltf_mul(const gltf_affine *a, const gltf_affine *b)
{
    gltf_affine product;
    for (int k = 0; k < 4; k++) {
        product.c[k] = gltf_point(a, b->c[k]);
        if (k < 3) // a direction
            product.c[k] = convert_sub(product.c[k], a->c[3]);
    }
    return product;
}

double gltf_determinant(const gltf_affine *a)
{
    return convert_dot(a->c[0], convert_cross(a->c[1], a->c[2]));
}

// False: it flattens.
static bool invert(const gltf_affine *a, gltf_affine *inverse)
{
    const convert_vec *const c = a->c;
    const double det = gltf_determinant(a);
    const double size =
        sqrt(convert_dot(c[0], c[0]) * convert_dot(c[1], c[1]) * convert_dot(c[2], c[2]));
    if (!(fabs(det) > 1e-12 * size) || !(fabs(det) > 1e-60))
        return false;
    convert_vec rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] = convert_times(convert_cross(c[(i + 1) % 3], c[(i + 2) % 3]), 1.0 / det);
    *inverse = (gltf_affine){
        {{rows[0].x, rows[1].x, rows[2].x},
         {rows[0].y, rows[1].y, rows[2].y},
         {rows[0].z, rows[1].z, rows[2].z},
         {-convert_dot(rows[0], c[3]), -convert_dot(rows[1], c[3]), -convert_dot(rows[2], c[3])}}};
    return true;
}

gltf_affine gltf_from_xform(convert_xform t)
{
    gltf_affine a = identity;
    for (int k = 0; k < 3; k++)
        a.c[k] = convert_rotate(t.rotation, a.c[k]);
    a.c[3] = t.translation;
    return a;
}

// Columns of three numbers in rows of four, as MAT4 has them.
static gltf_affine from_matrix(const double *m)
{
    gltf_affine a;
    for (int k = 0; k < 4; k++)
        a.c[k] = (convert_vec){m[4 * k], m[4 * k + 1], m[4 * k + 2]};
    return a;
}

static convert_quat quat_of(const convert_vec c[3])
{
    // The largest of the four is computed first, so that none is divided by a small number.
    const double sums[4] = {c[0].x - c[1].y - c[2].z, c[1].y - c[0].x - c[2].z,
                            c[2].z - c[0].x - c[1].y, c[0].x + c[1].y + c[2].z};
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (sums[i] > sums[best])
            best = i;
    const double xy = c[0].y + c[1].x;
    const double xz = c[2].x + c[0].z;
    const double yz = c[1].z + c[2].y;
    const double wx = c[1].z - c[2].y;
    const double wy = c[2].x - c[0].z;
    const double wz = c[0].y - c[1].x;
    const double s = 1 + sums[best];
    const convert_quat all[4] = {
        {s, xy, xz, wx}, {xy, s, yz, wy}, {xz, yz, s, wz}, {wx, wy, wz, s}};
    return convert_unit(all[best]);
}

convert_quat gltf_rotation(const gltf_affine *a)
{
    gltf_affine r = *a;
    gltf_affine inverse;
    if (gltf_determinant(a) < 0)
        r.c[0] = convert_times(r.c[0], -1);
    for (int round = 0; round < 100; round++) {
        if (!invert(&r, &inverse))
            return (convert_quat){0, 0, 0, 1};
        // Both of the same size, so that it takes few rounds.
        const double det = gltf_determinant(&r);
        const double scale = pow(fabs(det), -1.0 / 3.0);
        const gltf_affine old = r;
        double change = 0;
        for (int k = 0; k < 3; k++) { // the inverse's rows are those cross products
            const convert_vec row = convert_cross(old.c[(k + 1) % 3], old.c[(k + 2) % 3]);
            r.c[k] = convert_add(convert_times(old.c[k], 0.5 * scale),
                                 convert_times(row, 0.5 / (det * scale)));
            const convert_vec by = convert_sub(r.c[k], old.c[k]);
            change = fmax(change, convert_dot(by, by));
        }
        if (!(change > 1e-30))
            break;
    }
    return quat_of(r.c);
}

// -- Names ----------------------------------------------------------------------------------------

enum { LONGEST_NAME = 47 }; // of a joint: bytes that Q2PRO takes

// Cuts a text at a length, but not inside of a letter.
static void cut(char *text, size_t length)
{
    if (strlen(text) <= length)
        return;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    text[length] = '\0';
}

static void make_plain(char *name, size_t longest)
{
    cut(name, longest);
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '\\' ? '/' : (unsigned char)*c <= ' ' || *c == '"' || *c == 0x7f ? '_' : *c;
}

const char *gltf_name(json_t *names, const char *name, size_t longest, const char *missing,
                      size_t number)
{
    enum { LONGEST_SUFFIX = 24 };
    char *const base =
        name && name[0] != '\0' ? common_copy(name) : common_format("%s%zu", missing, number);
    make_plain(base, longest);
    char *unique = common_copy(base);
    // The number that is tried next behind the same name is its value.
    json_int_t next = json_integer_value(json_object_get(names, base));
    for (; json_object_get(names, unique); next++) {
        free(unique);
        char *const stem = common_copy(base);
        cut(stem, longest - LONGEST_SUFFIX);
        unique = common_format("%s_%lld", stem, (long long)next + 1);
        free(stem);
    }
    json_object_set_new_nocheck(names, base, json_integer(next > 0 ? next : 1));
    if (strcmp(base, unique) != 0)
        json_object_set_new_nocheck(names, unique, json_integer(1));
    const char *const kept = json_object_iter_key(json_object_iter_at(names, unique));
    free(unique);
    free(base);
    return kept ? kept : ""; // memory ran out
}

// -- Nodes ----------------------------------------------------------------------------------------

void gltf_join_parts(gltf_state *state)
{
    const double *const t = state->parts[GLTF_TRANSLATION];
    const double *const r = state->parts[GLTF_ROTATION];
    state->rotation = convert_unit((convert_quat){r[0], r[1], r[2], r[3]});
    state->affine = gltf_from_xform((convert_xform){state->rotation, {t[0], t[1], t[2]}});
    for (int k = 0; k < 3; k++)
        state->affine.c[k] = convert_times(state->affine.c[k], state->parts[GLTF_SCALE][k]);
}

// Reads a node, and tells its children whose they are: a node has one parent.
static bool read_node(gltf_rig *rig, uint32_t index)
{
    gltf_file *const file = rig->file;
    gltf_node *const node = &rig->nodes[index];
    const json_t *const object = gltf_item(file, "nodes", index);
    const json_t *const children = json_object_get(object, "children");
    double matrix[16];
    node->name = object ? gltf_text(object, "name") : "origin";
    node->mesh = gltf_index(object, "mesh");
    node->skin = gltf_index(object, "skin");
    node->camera = gltf_index(object, "camera");
    node->has_camera = node->camera != MD5_NONE;
    node->joint = MD5_NONE;
    node->rest.parts[GLTF_ROTATION][3] = 1;
    for (int k = 0; k < 3; k++)
        node->rest.parts[GLTF_SCALE][k] = 1;
    for (int part = 0; part < GLTF_NUM_PARTS; part++)
        gltf_numbers(object, gltf_parts[part], part == GLTF_ROTATION ? 4 : 3,
                     node->rest.parts[part]);
    gltf_join_parts(&node->rest);
    node->is_matrix = gltf_numbers(object, "matrix", 16, matrix);
    if (node->is_matrix) {
        node->rest.affine = from_matrix(matrix);
        node->rest.rotation = gltf_rotation(&node->rest.affine);
    }
    for (size_t i = json_array_size(children); i-- > 0;) {
        gltf_node *const child = &rig->nodes[gltf_index_at(children, i)];
        if (child->parent != MD5_NONE)
            return gltf_fail(file, "nodes/%u has two parents: nodes/%u and nodes/%u",
                             (unsigned)(child - rig->nodes), child->parent, index);
        child->parent = index;
        child->next = node->child;
        node->child = (uint32_t)(child - rig->nodes);
    }
    return true;
}

// Reads the nodes and writes rig->order: depth first, so that parents come first.
static bool read_nodes(gltf_rig *rig)
{
    enum { MAX_DEEP = 1000 };
    size_t count = 0;
    rig->num_nodes = gltf_count(rig->file, "nodes") + 1;
    rig->nodes = common_alloc(rig->num_nodes, sizeof *rig->nodes);
    rig->order = common_alloc(rig->num_nodes, sizeof *rig->order);
    for (size_t i = 0; i < rig->num_nodes; i++) {
        gltf_node *const node = &rig->nodes[i];
        node->parent = node->child = node->next = MD5_NONE;
    }
    for (size_t i = 0; i < rig->num_nodes; i++)
        if (!read_node(rig, (uint32_t)i))
            return false;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        uint32_t at = rig->nodes[i].parent == MD5_NONE ? (uint32_t)i : MD5_NONE;
        while (at != MD5_NONE) {
            gltf_node *const node = &rig->nodes[at];
            node->depth = node->parent == MD5_NONE ? 1 : rig->nodes[node->parent].depth + 1;
            if (node->depth > MAX_DEEP + 1)
                return gltf_fail(rig->file,
                                 "node hierarchy is too deep at nodes/%u (limit %d levels)", at,
                                 MAX_DEEP);
            rig->order[count++] = at;
            uint32_t next = node->child;
            for (; at != MD5_NONE && next == MD5_NONE; at = rig->nodes[at].parent)
                next = rig->nodes[at].next;
            at = next;
        }
    }
    if (count == rig->num_nodes)
        return true;
    // Each node that no root leads to leads up to a circle.
    uint32_t in = 0;
    while (rig->nodes[in].depth > 0)
        in++;
    for (size_t i = 0; i < rig->num_nodes; i++)
        in = rig->nodes[in].parent;
    const uint32_t above = rig->nodes[in].parent;
    const char *const name = rig->nodes[in].name;
    const char *const other = rig->nodes[above].name;
    return gltf_fail(rig->file,
                     "node hierarchy has a cycle: nodes/%u \"%.60s\" and nodes/%u \"%.60s\" are "
                     "ancestors of each other",
                     in, name ? name : "", above, other ? other : "");
}

// Which scene: by the job's name or number, else the file's, else the first; without scenes all. Or
// what is below a node of the job's name.
static bool select_scene(gltf_rig *rig)
{
    gltf_file *const file = rig->file;
    const char *const asked = file->job->scene_name;
    const size_t num_scenes = gltf_count(file, "scenes");
    uint32_t scene = gltf_index(file->root, "scene");
    uint32_t root = MD5_NONE;
    if (scene == MD5_NONE && num_scenes > 0)
        scene = 0;
    if (asked) {
        char *end = NULL;
        const unsigned long number = strtoul(asked, &end, 10);
        scene = end != asked && *end == '\0' && number < num_scenes ? (uint32_t)number : MD5_NONE;
        for (size_t i = num_scenes; i-- > 0;) {
            const char *const name = gltf_text(gltf_item(file, "scenes", i), "name");
            if (name && strcmp(name, asked) == 0)
                scene = (uint32_t)i;
        }
        for (size_t i = rig->num_nodes - 1; i-- > 0 && scene == MD5_NONE;)
            if (rig->nodes[i].name && strcmp(rig->nodes[i].name, asked) == 0)
                root = (uint32_t)i;
        if (scene == MD5_NONE && root == MD5_NONE)
            return gltf_fail(file, "--scene: none of the %zu scenes and no node has the name %.80s",
                             num_scenes, asked);
    }
    const bool is_all = scene == MD5_NONE && root == MD5_NONE;
    if (root != MD5_NONE)
        rig->nodes[root].is_in_scene = true;
    const json_t *const roots = json_object_get(gltf_item(file, "scenes", scene), "nodes");
    for (size_t i = 0; i < json_array_size(roots); i++)
        rig->nodes[gltf_index_at(roots, i)].is_in_scene = true;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        gltf_node *const node = &rig->nodes[rig->order[i]];
        const gltf_node *const parent = node->parent == MD5_NONE ? NULL : &rig->nodes[node->parent];
        const json_t *const visibility =
            json_object_get(json_object_get(gltf_item(file, "nodes", rig->order[i]), "extensions"),
                            "KHR_node_visibility");
        node->is_hidden =
            (parent && parent->is_hidden) || json_is_false(json_object_get(visibility, "visible"));
        node->is_in_scene |= is_all || (parent && parent->is_in_scene);
        if (node->is_hidden && node->is_in_scene && node->mesh != MD5_NONE) {
            convert_note(file->job, "skipped mesh %.80s: it is hidden by KHR_node_visibility",
                         node->name ? node->name : "?");
            node->mesh = MD5_NONE;
        }
        node->world = parent ? gltf_mul(&parent->world, &node->rest.affine) : node->rest.affine;
    }
    for (size_t i = 0; i < rig->num_nodes; i++) {
        gltf_node *const node = &rig->nodes[i];
        const json_t *const joints =
            json_object_get(gltf_item(file, "skins", node->skin), "joints");
        if (root != MD5_NONE && json_array_size(joints) > 0) // skinned meshes are seldom below
            node->is_in_scene |= rig->nodes[gltf_index_at(joints, 0)].is_in_scene;
        rig->has_meshes |= node->is_in_scene && node->mesh != MD5_NONE;
    }
    return true;
}

const char *gltf_target(const gltf_rig *rig, const json_t *channel, uint32_t *node)
{
    const json_t *const target = json_object_get(channel, "target");
    const char *const pointer = gltf_text(
        json_object_get(json_object_get(target, "extensions"), "KHR_animation_pointer"), "pointer");
    *node = gltf_index(target, "node");
    if (!pointer || strncmp(pointer, "/nodes/", 7) != 0)
        return gltf_text(target, "path");
    char *end = NULL;
    const unsigned long number = strtoul(pointer + 7, &end, 10);
    if (end == pointer + 7 || *end != '/' || number >= rig->num_nodes - 1)
        return NULL;
    *node = (uint32_t)number;
    return end + 1;
}

// Which nodes clips move.
static void find_animated(gltf_rig *rig)
{
    for (size_t i = 0; i < gltf_count(rig->file, "animations"); i++) {
        const json_t *const channels =
            json_object_get(gltf_item(rig->file, "animations", i), "channels");
        for (size_t k = 0; k < json_array_size(channels); k++) {
            uint32_t node = MD5_NONE;
            const char *const path = gltf_target(rig, json_array_get(channels, k), &node);
            for (int part = 0; part < GLTF_NUM_PARTS; part++)
                if (node != MD5_NONE && path && strcmp(path, gltf_parts[part]) == 0)
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
        gltf_node *const node = &rig->nodes[i];
        if (node->is_in_scene && node->mesh != MD5_NONE && node->skin != MD5_NONE)
            rig->skins[node->skin].is_used = rig->is_skinned = true;
    }
    for (size_t i = 0; i < rig->num_skins; i++) {
        gltf_skin *const skin = &rig->skins[i];
        const json_t *const object = gltf_item(file, "skins", i);
        skin->is_used |= !rig->has_meshes; // a file of clips only
        if (!skin->is_used)
            continue;
        const uint32_t binds = gltf_index(object, "inverseBindMatrices");
        const json_t *const joints = json_object_get(object, "joints");
        const float *matrices = NULL;
        size_t num_binds = skin->num_joints = json_array_size(joints);
        if (skin->num_joints == 0)
            return gltf_fail(file, "skins/%zu: the skin has no joints", i);
        if (binds != MD5_NONE && !(matrices = gltf_read(file, binds, GLTF_MAT4, &num_binds)))
            return false;
        if (num_binds < skin->num_joints)
            return gltf_fail(
                file, "skins/%zu: the skin has %zu joints, but accessors/%u has %zu matrices", i,
                skin->num_joints, binds, num_binds);
        skin->joints = common_alloc(skin->num_joints, sizeof *skin->joints);
        skin->inverse_binds = common_alloc(skin->num_joints, sizeof *skin->inverse_binds);
        skin->is_weighted = common_alloc(skin->num_joints, sizeof *skin->is_weighted);
        memset(skin->is_weighted, !rig->has_meshes, skin->num_joints);
        for (size_t k = 0; k < skin->num_joints; k++) {
            double matrix[16];
            for (size_t n = 0; n < 16 && matrices; n++)
                matrix[n] = matrices[16 * k + n];
            skin->inverse_binds[k] = matrices ? from_matrix(matrix) : identity;
            skin->joints[k] = gltf_index_at(joints, k);
            rig->nodes[skin->joints[k]].is_joint = true;
        }
    }
    return true;
}

enum { MAX_SETS = 16 }; // of joints and weights that a vertex may have

// Marks the joints of a skin that a set of a primitive gives weights. Wrong accessors are ignored:
// the reader of the vertices reports them. Returns false if the budget is exceeded.
static bool mark_weighted(gltf_file *file, const json_t *attributes, size_t number, gltf_skin *skin)
{
    char joints_name[32], weights_name[32];
    COMMON_TEXT(joints_name, "JOINTS_%zu", number);
    COMMON_TEXT(weights_name, "WEIGHTS_%zu", number);
    const uint32_t joints_accessor = gltf_index(attributes, joints_name);
    const uint32_t weights_accessor = gltf_index(attributes, weights_name);
    if (joints_accessor == MD5_NONE || weights_accessor == MD5_NONE)
        return true;
    const md5_error before = *file->error;
    size_t num_joints = 0;
    size_t num_weights = 0;
    const float *const joints = gltf_read(file, joints_accessor, GLTF_VEC4, &num_joints);
    const float *const weights = gltf_read(file, weights_accessor, GLTF_VEC4, &num_weights);
    *file->error = before;
    if (!joints || !weights)
        return true;
    const size_t count = 4 * (num_joints < num_weights ? num_joints : num_weights);
    if (!gltf_charge(file, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const bool is_joint = joints[i] >= 0 && joints[i] < (float)skin->num_joints;
        if (weights[i] > 0 && is_joint)
            skin->is_weighted[(size_t)joints[i]] = true;
    }
    return true;
}

// Finds the joints of skins that have weights. Many nodes may have one mesh.
static bool find_weights(gltf_rig *rig)
{
    enum { SET = 8 }; // elements that looking for a set costs
    gltf_file *const file = rig->file;
    for (size_t n = 0; n < rig->num_nodes; n++) {
        const gltf_node *const node = &rig->nodes[n];
        if (node->skin == MD5_NONE || !node->is_in_scene)
            continue;
        const json_t *const list =
            json_object_get(gltf_item(file, "meshes", node->mesh), "primitives");
        const size_t count = json_array_size(list);
        if (!gltf_charge(file, SET * MAX_SETS * (uint64_t)count))
            return false;
        for (size_t i = 0; i < count; i++) {
            const json_t *const attributes = json_object_get(json_array_get(list, i), "attributes");
            for (size_t set = 0; set < MAX_SETS; set++)
                if (!mark_weighted(file, attributes, set, &rig->skins[node->skin]))
                    return false;
        }
    }
    return true;
}

// The joint of the model that was before, by the name of a joint here.
static uint32_t model_joint(const gltf_rig *rig, const char *name)
{
    const json_t *const number = name ? json_object_get(rig->model_joints, name) : NULL;
    return number ? (uint32_t)json_integer_value(number) : MD5_NONE;
}

static const char *name_of_node(const gltf_rig *rig, uint32_t node)
{
    const char *const stored = gltf_text(gltf_extras(gltf_item(rig->file, "nodes", node)), "name");
    return stored ? stored : rig->nodes[node].name;
}

// Joints of the model are joints, also if nothing moves them here.
static void find_model_joints(gltf_rig *rig)
{
    for (uint32_t i = 0; i < rig->num_nodes && rig->model; i++) {
        const char *const name = name_of_node(rig, i);
        char *const plain = common_copy(name ? name : "");
        make_plain(plain, LONGEST_NAME);
        rig->nodes[i].is_joint |= rig->nodes[i].is_in_scene && rig->nodes[i].mesh == MD5_NONE
                                  && model_joint(rig, plain) != MD5_NONE;
        free(plain);
    }
}

// The joint that a writer added because glTF wants one root; it is not one of the model.
static bool is_added(const gltf_node *node)
{
    return node->name && strcmp(node->name, "md5_root") == 0 && !node->is_animated
           && memcmp(&node->rest.affine, &identity, sizeof identity) == 0;
}

// Marks what is between joints and the lowest node above all of a tree, and nodes above that if a
// clip moves one. A mesh without skin moves with the joint above it, or with nodes that clips move.
// What only cameras are below moves these alone.
static void complete_joints(gltf_rig *rig)
{
    uint32_t *const branches = common_alloc(rig->num_nodes, sizeof *branches); // with joints
    bool *const is_above = common_alloc(rig->num_nodes, sizeof *is_above);
    for (size_t i = rig->num_nodes; i-- > 0;) {
        const gltf_node *const node = &rig->nodes[rig->order[i]];
        if (node->has_camera && node->parent != MD5_NONE)
            rig->nodes[node->parent].has_camera = true;
        const bool can_move =
            !rig->is_skinned && node->is_in_scene && (node->mesh != MD5_NONE || !rig->has_meshes);
        for (uint32_t at = can_move ? rig->order[i] : MD5_NONE;
             at != MD5_NONE && !rig->nodes[at].is_joint; at = rig->nodes[at].parent)
            rig->nodes[at].is_joint =
                rig->nodes[at].is_animated && (rig->has_meshes || !rig->nodes[at].has_camera);
    }
    for (size_t i = rig->num_nodes; i-- > 0;) {
        const uint32_t number = rig->order[i];
        const uint32_t parent = rig->nodes[number].parent;
        if (parent != MD5_NONE && (rig->nodes[number].is_joint || branches[number] > 0))
            branches[parent]++;
    }
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const uint32_t number = rig->order[i];
        gltf_node *const node = &rig->nodes[number];
        const uint32_t parent = node->parent;
        is_above[number] = (parent == MD5_NONE || is_above[parent]) && branches[number] == 1
                           && !node->is_joint && !node->is_animated;
        const bool is_root = parent == MD5_NONE || !rig->nodes[parent].is_joint;
        node->is_joint |= branches[number] > 0 && !is_above[number];
        node->is_joint &= !(is_root && branches[number] > 0 && is_added(node));
    }
    free(branches);
    free(is_above);
    // What clips move below a joint: a mesh on it, or a place for what a character holds.
    for (size_t i = 0; i < rig->num_nodes; i++) {
        uint32_t top = (uint32_t)i;
        while (top != MD5_NONE && !rig->nodes[top].is_joint)
            top = rig->nodes[top].parent;
        const bool is_moved = rig->nodes[i].is_animated && rig->nodes[i].skin == MD5_NONE;
        for (uint32_t at = (uint32_t)i; is_moved && top != MD5_NONE && at != top;
             at = rig->nodes[at].parent)
            rig->nodes[at].is_joint = true;
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
        // The last one, which was added, serves meshes that no joint is above in files without
        // skins.
        if (number == rig->num_nodes - 1 && !rig->is_skinned) {
            for (uint32_t k = 0; k < number; k++)
                node->is_joint |= rig->nodes[k].is_in_scene && rig->nodes[k].mesh != MD5_NONE
                                  && gltf_parent_joint(rig, k) == MD5_NONE;
        }
        if (!node->is_joint && (number < rig->num_nodes - 1 || rig->num_joints > 0))
            continue;
        gltf_joint *const joint = &rig->joints[rig->num_joints];
        node->joint = (uint32_t)rig->num_joints++;
        joint->node = number;
        joint->parent = node->parent == MD5_NONE ? MD5_NONE : rig->nodes[node->parent].joint;
    }
    for (size_t i = 0; i < rig->num_skins; i++) {
        gltf_skin *const skin = &rig->skins[i];
        if (skin->joints) {
            for (size_t k = 0; k < skin->num_joints; k++)
                skin->joints[k] = rig->nodes[skin->joints[k]].joint;
        }
    }
}

uint32_t gltf_parent_joint(const gltf_rig *rig, uint32_t node)
{
    while (node != MD5_NONE && rig->nodes[node].joint == MD5_NONE)
        node = rig->nodes[node].parent;
    return node == MD5_NONE ? MD5_NONE : rig->nodes[node].joint;
}

// Says which meshes are of skeletons that share no root: perhaps they are several characters.
static void note_skeletons(const gltf_rig *rig)
{
    bool *const is_known = common_alloc(rig->num_joints, sizeof *is_known); // of roots
    const char *names[2] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        gltf_node *const node = &rig->nodes[i];
        uint32_t at = node->is_in_scene && node->mesh != MD5_NONE && node->skin != MD5_NONE
                          ? rig->skins[node->skin].joints[0]
                          : MD5_NONE;
        while (at != MD5_NONE && rig->joints[at].parent != MD5_NONE)
            at = rig->joints[at].parent;
        if (at == MD5_NONE || is_known[at])
            continue;
        is_known[at] = true;
        names[count++ > 0] = node->name ? node->name : "?";
    }
    if (count > 1)
        convert_note(rig->file->job,
                     "merged %zu skeletons into one model (%.80s, %.80s); use --scene NAME to "
                     "select one",
                     count, names[0], names[1]);
    free(is_known);
}

// Names of joints; Doom 3's family looks for a root of this name.
static void name_joints(gltf_rig *rig)
{
    const char *const engine = rig->file->job->engine;
    if (engine && convert_find_engine(engine)->family == CONVERT_DOOM3
        && model_joint(rig, name_of_node(rig, rig->joints[0].node)) == MD5_NONE)
        rig->joints[0].name = gltf_name(rig->names, "origin", LONGEST_NAME, "", 0);
    const char *renamed = NULL, *as = NULL; // the first one
    size_t num_renamed = 0;
    for (size_t j = 0; j < rig->num_joints; j++) {
        gltf_joint *const joint = &rig->joints[j];
        const char *const name = name_of_node(rig, joint->node);
        if (!joint->name)
            joint->name = gltf_name(rig->names, name, LONGEST_NAME, "joint_", j);
        if (!name || strcmp(name, joint->name) == 0)
            continue;
        renamed = renamed ? renamed : name;
        as = as ? as : joint->name;
        num_renamed++;
    }
    if (num_renamed > 0)
        convert_note(rig->file->job,
                     "renamed %zu joints so that engines accept the names; first: %.100s to %s",
                     num_renamed, renamed, as);
}

// -- Bind pose and rest pose ----------------------------------------------------------------------

// Places skins in the space of the rest pose and binds their joints there. The first skin is placed
// so that its highest joint with weights is where it rests: of others converters write any matrix.
// Those of another size than the skin are not believed. A skin that shares a joint with one before
// is placed where that joint is bound; then its other joints, too, are bound where its vertices
// are.
static void bind_skins(gltf_rig *rig)
{
    for (size_t i = 0; i < rig->num_skins; i++) {
        gltf_skin *const skin = &rig->skins[i];
        const size_t count = skin->is_used ? skin->num_joints : 0;
        size_t by = count;
        bool is_shared = false;
        for (size_t k = count; k-- > 0;) {
            const uint32_t number = skin->joints[k];
            const bool is_bound = number != MD5_NONE && rig->joints[number].is_bound;
            if (!skin->is_weighted[k])
                continue;
            if (is_bound
                || (number != MD5_NONE && !is_shared
                    && (by == count || number <= skin->joints[by])))
                by = k;
            is_shared |= is_bound;
        }
        skin->place = identity;
        double growth = 1; // how much larger a joint is bound than it rests
        if (by < count) {
            const gltf_joint *const joint = &rig->joints[skin->joints[by]];
            const gltf_affine *const bind =
                is_shared ? &joint->bind : &rig->nodes[joint->node].world;
            skin->place = gltf_mul(bind, &skin->inverse_binds[by]);
            growth = gltf_determinant(bind) / gltf_determinant(&rig->nodes[joint->node].world);
        }
        for (size_t k = 0; k < count; k++) {
            gltf_affine bind;
            if (skin->joints[k] == MD5_NONE || rig->joints[skin->joints[k]].is_bound
                || !invert(&skin->inverse_binds[k], &bind))
                continue;
            gltf_joint *const joint = &rig->joints[skin->joints[k]];
            bind = gltf_mul(&skin->place, &bind);
            const double size =
                gltf_determinant(&bind) / growth / gltf_determinant(&rig->nodes[joint->node].world);
            if (!skin->is_weighted[k] && !(size > 0.125 && size < 8)) // half or twice as long
                continue;
            joint->bind = bind;
            joint->is_bound = true;
        }
    }
    // The others stay where they rest, relative to their parents.
    for (size_t i = 0; i < rig->num_joints; i++) {
        gltf_joint *const joint = &rig->joints[i];
        const gltf_node *const node = &rig->nodes[joint->node];
        if (!joint->is_bound)
            joint->bind = joint->parent == MD5_NONE
                              ? node->world
                              : gltf_mul(&rig->joints[joint->parent].bind, &node->rest.affine);
    }
}

// Extends a range of heights by points as they are placed. False: the file is wrong.
static bool measure_mesh(gltf_file *file, const gltf_affine *place, const json_t *primitive,
                         double range[2])
{
    enum { PRIMITIVE = 16 }; // elements that finding its positions costs
    const uint32_t accessor = gltf_index(json_object_get(primitive, "attributes"), "POSITION");
    size_t count = 0;
    const float *const p =
        accessor == MD5_NONE ? NULL : gltf_read(file, accessor, GLTF_VEC3, &count);
    if (accessor != MD5_NONE && !p)
        return false;
    if (!gltf_charge(file, PRIMITIVE + (uint64_t)count))
        return false;
    for (size_t i = 0; i < 3 * count; i += 3) {
        const convert_vec v = {p[i], p[i + 1], p[i + 2]};
        range[0] = fmin(range[0], gltf_point(place, v).y);
        range[1] = fmax(range[1], gltf_point(place, v).y);
    }
    return true;
}

// How many times as long the bones of the model are as those of the file: the median; without bones
// that is the unit of the model's file, which it nearly is where it does not say so.
static double measure_bones(const gltf_rig *rig)
{
    double *const ratios = common_alloc(rig->num_joints, sizeof *ratios);
    double unit = rig->model_unit;
    size_t count = 0;
    for (size_t i = 0; i < rig->num_joints; i++) {
        gltf_joint *const joint = &rig->joints[i];
        const uint32_t number = model_joint(rig, joint->name);
        if (joint->parent == MD5_NONE || number == MD5_NONE)
            continue;
        const convert_vec bone =
            convert_sub(joint->bind.c[3], rig->joints[joint->parent].bind.c[3]);
        const double length = sqrt(convert_dot(bone, bone));
        const double own = md5_vec3_length(rig->model->bind_local[number].translation);
        if (length > 1e-9 && own > 1e-6)
            ratios[count++] = own / length;
    }
    if (count > 0)
        qsort(ratios, count, sizeof *ratios, common_compare_doubles);
    if (count > 0 && !(fabs(ratios[count / 2] / unit - 1) < 1e-3)) {
        unit = ratios[count / 2];
        convert_note(
            rig->file->job,
            "%s: scaled by %g to match the model's bones, which are %g to %g times as long",
            rig->file->path, unit, ratios[0], ratios[count - 1]);
    }
    free(ratios);
    return unit;
}

// How long a unit of the file is, by what is known of it, or guessed by the height of all meshes,
// or of joints.
static bool select_unit(gltf_rig *rig)
{
    static const struct guess {
        double below; // heights
        double unit;
        const char *what;
    } guesses[] = {
        {0.5, 1, "small, so no scale is applied"},
        {4, 1.0 / 0.0254, "typical of a character in metres"},
        {30, 1, "typical of neither metres nor centimetres, so no scale is applied"},
        {120, 1, "typical of a character in game units, so no scale is applied"},
        {400, 0.01 / 0.0254, "typical of a character in centimetres"},
        {HUGE_VAL, 1, "large, so no scale is applied"},
    };
    gltf_file *const file = rig->file;
    const double stored =
        gltf_number(gltf_extras(json_object_get(file->root, "asset")), "scale", 0);
    double range[2] = {HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < rig->num_nodes; i++) {
        gltf_node *const node = &rig->nodes[i];
        const json_t *const primitives = json_object_get(
            gltf_item(file, "meshes", node->is_in_scene ? node->mesh : MD5_NONE), "primitives");
        for (size_t k = 0; k < json_array_size(primitives); k++)
            if (!measure_mesh(file,
                              node->skin != MD5_NONE ? &rig->skins[node->skin].place : &node->world,
                              json_array_get(primitives, k), range))
                return false;
    }
    if (!rig->has_meshes) {
        for (size_t j = 0; j < rig->num_joints; j++) {
            range[0] = fmin(range[0], rig->joints[j].bind.c[3].y);
            range[1] = fmax(range[1], rig->joints[j].bind.c[3].y);
        }
    }
    const double height = fmax(range[1] - range[0], 0.0);
    const struct guess *guess = guesses;
    while (height >= guess->below && guess->below < HUGE_VAL)
        guess++;
    const bool is_stored = stored > 1e-9 && stored < 1e9;
    if (rig->model && !(file->job->scale > 0) && (rig->unit = measure_bones(rig)) > 0)
        return true;
    rig->unit = file->job->scale > 0 ? file->job->scale : is_stored ? 1.0 / stored : guess->unit;
    if (!(file->job->scale > 0) && !is_stored)
        convert_note(file->job, "scale %g: the height of %g is %s; use --scale to override",
                     rig->unit, height, guess->what);
    if (rig->has_meshes)
        convert_note(file->job, "model height: %g units", height * rig->unit);
    return true;
}

double gltf_turn(const gltf_rig *rig)
{
    return gltf_number(gltf_extras(json_object_get(rig->file->root, "asset")), "turn",
                       rig->model_turn);
}

// From the file's space, y up and z forward, to id's, z up and x forward, scaled, and as it was
// before the writer turned it.
static gltf_affine to_output(const gltf_rig *rig)
{
    const double stored = gltf_turn(rig);
    const double turn = fabs(stored) <= 360 ? -stored / 180.0 * 3.14159265358979323846 : 0;
    const double c = cos(turn) * rig->unit;
    const double s = sin(turn) * rig->unit;
    return (gltf_affine){{{-s, c, 0}, {0, 0, rig->unit}, {c, s, 0}, {0, 0, 0}}};
}

// Computes what MD5 makes of the bind pose and the rest pose, in the space of the output.
static void settle(gltf_rig *rig)
{
    const gltf_affine output = rig->output = to_output(rig);
    gltf_state *const states = common_alloc(rig->num_nodes, sizeof *states);
    gltf_posed *const posed = common_alloc(rig->num_joints, sizeof *posed);
    double *const stretch = common_alloc(rig->num_joints, sizeof *stretch);
    for (size_t i = 0; i < rig->num_nodes; i++) {
        states[i] = rig->nodes[i].rest;
        rig->nodes[i].world = gltf_mul(&output, &rig->nodes[i].world);
    }
    for (size_t i = 0; i < rig->num_skins; i++) {
        gltf_skin *const skin = &rig->skins[i];
        skin->place = gltf_mul(&output, &skin->place);
    }
    for (size_t i = 0; i < rig->num_joints; i++) {
        gltf_joint *const joint = &rig->joints[i];
        const uint32_t above = rig->nodes[joint->node].parent;
        joint->bind = gltf_mul(&output, &joint->bind);
        joint->above = above != MD5_NONE ? rig->nodes[above].world : output;
        joint->is_mirrored = joint->parent != MD5_NONE ? rig->joints[joint->parent].is_mirrored
                                                       : gltf_determinant(&joint->above) < 0;
        joint->turn =
            convert_quat_mul(gltf_rotation(&joint->above), (convert_quat){-0.5, -0.5, -0.5, 0.5});
    }
    gltf_pose(rig, states, posed);
    for (size_t j = 0; j < rig->num_joints; j++) {
        gltf_joint *const joint = &rig->joints[j];
        const gltf_joint *const parent =
            joint->parent != MD5_NONE ? &rig->joints[joint->parent] : NULL;
        joint->rest_pose = posed[j].pose;
        joint->residue = gltf_residue(&posed[j]);
        if (!invert(&joint->residue, &joint->inverse_residue)) {
            // Scaled to nothing while it rests: then as large as what it belongs to.
            const double u = rig->unit;
            joint->residue =
                parent ? parent->residue : (gltf_affine){{{u, 0, 0}, {0, u, 0}, {0, 0, u}}};
            invert(&joint->residue, &joint->inverse_residue);
        }
        gltf_affine inverse;
        stretch[j] = 1;
        if (!invert(&joint->bind, &inverse)) {
            joint->bind_pose = joint->rest_pose;
            if (parent)
                joint->bind_pose =
                    convert_mul(parent->bind_pose,
                                convert_mul(convert_inverse(parent->rest_pose), joint->rest_pose));
            continue;
        }
        const gltf_affine bound = gltf_mul(&joint->bind, &joint->inverse_residue);
        joint->bind_pose.rotation = gltf_rotation(&bound);
        // Where joints are scaled in the rest pose, but not when they were bound, what is below
        // moves with that scale.
        stretch[j] = pow(fabs(gltf_determinant(&bound)), -1.0 / 3.0);
        joint->bind_pose.translation = joint->bind.c[3];
        if (parent)
            joint->bind_pose.translation =
                convert_add(parent->bind_pose.translation,
                            convert_times(convert_sub(joint->bind.c[3], parent->bind.c[3]),
                                          stretch[joint->parent]));
    }
    free(states);
    free(posed);
    free(stretch);
}

void gltf_pose(const gltf_rig *rig, const gltf_state *nodes, gltf_posed *posed)
{
    for (size_t j = 0; j < rig->num_joints; j++) {
        const gltf_joint *const joint = &rig->joints[j];
        const gltf_state *const local = &nodes[joint->node];
        const bool has_parent = joint->parent != MD5_NONE;
        const double side = joint->is_mirrored ? -1 : 1; // as the mirror's other side sees it
        const convert_quat turn = {side * local->rotation.z, local->rotation.x,
                                   side * local->rotation.y, local->rotation.w};
        posed[j].world =
            gltf_mul(has_parent ? &posed[joint->parent].world : &joint->above, &local->affine);
        posed[j].pose.rotation =
            convert_quat_mul(has_parent ? posed[joint->parent].pose.rotation : joint->turn, turn);
        posed[j].pose.translation = posed[j].world.c[3];
    }
}

gltf_affine gltf_residue(const gltf_posed *posed)
{
    const gltf_affine back =
        gltf_from_xform((convert_xform){convert_conjugate(posed->pose.rotation), {0, 0, 0}});
    gltf_affine residue = gltf_mul(&back, &posed->world);
    residue.c[3] = (convert_vec){0, 0, 0};
    return residue;
}

// -- Rigs -----------------------------------------------------------------------------------------

const json_t *gltf_extras(const json_t *object)
{
    return json_object_get(json_object_get(object, "extras"), "md5");
}

bool gltf_open_rig(gltf_rig *rig, gltf_file *file)
{
    rig->file = file;
    rig->names = json_object();
    rig->model_joints = json_object();
    if (rig->model) {
        for (uint32_t i = 0; i < rig->model->skeleton.num_joints; i++)
            json_object_set_new_nocheck(rig->model_joints, rig->model->skeleton.joints[i].name,
                                        json_integer(i));
    }
    if (!read_nodes(rig) || !select_scene(rig) || !read_skins(rig))
        return false;
    if (!find_weights(rig))
        return false;
    find_animated(rig);
    find_model_joints(rig);
    complete_joints(rig);
    number_joints(rig);
    note_skeletons(rig);
    name_joints(rig);
    bind_skins(rig);
    if (!select_unit(rig))
        return false;
    settle(rig);
    return true;
}

void gltf_free_rig(gltf_rig *rig)
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
    json_decref(rig->names);
    json_decref(rig->model_joints);
    json_decref(rig->shaders);
}

#endif
