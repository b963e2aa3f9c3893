// Reads the nodes and skins of glTF: selects the nodes that become joints, orders and names them,
// binds them, and selects the unit of the file.
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
        if (k < 3) // a direction, which is not translated
            product.c[k] = convert_sub(product.c[k], a->c[3]);
    }
    return product;
}

double gltf_determinant(const gltf_affine *a)
{
    return convert_dot(a->c[0], convert_cross(a->c[1], a->c[2]));
}

// Returns false if the transform is singular.
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

// Converts the first three rows of a column-major 4x4 matrix.
static gltf_affine from_matrix(const double *m)
{
    gltf_affine a;
    for (int k = 0; k < 4; k++)
        a.c[k] = (convert_vec){m[4 * k], m[4 * k + 1], m[4 * k + 2]};
    return a;
}

static convert_quat quat_from_columns(const convert_vec c[3])
{
    // Compute the largest component first, so that no component is divided by a small number.
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
        // Scale both terms to the same size, so that the iteration needs few rounds.
        const double det = gltf_determinant(&r);
        const double scale = pow(fabs(det), -1.0 / 3.0);
        const gltf_affine before = r;
        double change = 0;
        for (int k = 0; k < 3; k++) { // the cross products are rows of the inverse, times det
            const convert_vec row = convert_cross(before.c[(k + 1) % 3], before.c[(k + 2) % 3]);
            r.c[k] = convert_add(convert_times(before.c[k], 0.5 * scale),
                                 convert_times(row, 0.5 / (det * scale)));
            const convert_vec by = convert_sub(r.c[k], before.c[k]);
            change = fmax(change, convert_dot(by, by));
        }
        if (!(change > 1e-30))
            break;
    }
    return quat_from_columns(r.c);
}

// -- Names ----------------------------------------------------------------------------------------

enum { MAX_NAME_SIZE = 47 }; // bytes of a joint's name; the limit of Q2PRO

// Truncates a UTF-8 text without splitting a character.
static void truncate_text(char *text, size_t length)
{
    if (strlen(text) <= length)
        return;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    text[length] = '\0';
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

const char *gltf_name(json_t *names, const char *name, size_t max_size, const char *missing,
                      size_t number)
{
    enum { MAX_SUFFIX_SIZE = 24 };
    char *base = NULL;
    if (name && name[0] != '\0')
        base = common_copy(name);
    else
        base = common_format("%s%zu", missing, number);
    sanitize_name(base, max_size);
    char *unique = common_copy(base);
    // The value of a name is the next number to try for a duplicate of the name.
    json_int_t next = json_integer_value(json_object_get(names, base));
    for (; json_object_get(names, unique); next++) {
        free(unique);
        char *const stem = common_copy(base);
        truncate_text(stem, max_size - MAX_SUFFIX_SIZE);
        unique = common_format("%s_%lld", stem, (long long)next + 1);
        free(stem);
    }
    json_object_set_new_nocheck(names, base, json_integer(next > 0 ? next : 1));
    if (strcmp(base, unique) != 0)
        json_object_set_new_nocheck(names, unique, json_integer(1));
    const char *const stored = json_object_iter_key(json_object_iter_at(names, unique));
    free(unique);
    free(base);
    return stored ? stored : ""; // NULL: out of memory
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

// Reads a node and sets the parent of its children. Fails if a child already has a parent.
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

// Reads the nodes and writes rig->order: depth first, so that parents precede their children.
static bool read_nodes(gltf_rig *rig)
{
    enum { MAX_DEPTH = 1000 };
    size_t count = 0;
    rig->num_nodes = gltf_count(rig->file, "nodes") + 1;
    rig->nodes = common_alloc(rig->num_nodes, sizeof *rig->nodes);
    rig->order = common_alloc(rig->num_nodes, sizeof *rig->order);
    for (size_t i = 0; i < rig->num_nodes; i++) {
        gltf_node *const node = &rig->nodes[i];
        node->parent = MD5_NONE;
        node->child = MD5_NONE;
        node->next = MD5_NONE;
    }
    for (size_t i = 0; i < rig->num_nodes; i++)
        if (!read_node(rig, (uint32_t)i))
            return false;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        uint32_t at = rig->nodes[i].parent == MD5_NONE ? (uint32_t)i : MD5_NONE;
        while (at != MD5_NONE) {
            gltf_node *const node = &rig->nodes[at];
            node->depth = node->parent == MD5_NONE ? 1 : rig->nodes[node->parent].depth + 1;
            if (node->depth > MAX_DEPTH + 1)
                return gltf_fail(rig->file,
                                 "node hierarchy is too deep at nodes/%u (limit %d levels)", at,
                                 MAX_DEPTH);
            rig->order[count++] = at;
            uint32_t next = node->child;
            for (; at != MD5_NONE && next == MD5_NONE; at = rig->nodes[at].parent)
                next = rig->nodes[at].next;
            at = next;
        }
    }
    if (count == rig->num_nodes)
        return true;
    // The ancestors of each node without a root end in a cycle.
    uint32_t node = 0;
    while (rig->nodes[node].depth > 0)
        node++;
    for (size_t i = 0; i < rig->num_nodes; i++)
        node = rig->nodes[node].parent;
    const uint32_t parent = rig->nodes[node].parent;
    const char *const name = rig->nodes[node].name ? rig->nodes[node].name : "";
    const char *const parent_name = rig->nodes[parent].name ? rig->nodes[parent].name : "";
    return gltf_fail(rig->file,
                     "node hierarchy has a cycle: nodes/%u \"%.60s\" and nodes/%u \"%.60s\" are "
                     "ancestors of each other",
                     node, name, parent, parent_name);
}

// Finds the scene or the node with the name of option --scene. *scene or *root is MD5_NONE.
static bool find_named_scene(const gltf_rig *rig, const char *requested, uint32_t *scene,
                             uint32_t *root)
{
    gltf_file *const file = rig->file;
    const size_t num_scenes = gltf_count(file, "scenes");
    char *end = NULL;
    const unsigned long number = strtoul(requested, &end, 10);
    const bool is_number = end != requested && *end == '\0';
    *scene = is_number && number < num_scenes ? (uint32_t)number : MD5_NONE;
    for (size_t i = num_scenes; i-- > 0;) {
        const char *const name = gltf_text(gltf_item(file, "scenes", i), "name");
        if (name && strcmp(name, requested) == 0)
            *scene = (uint32_t)i;
    }
    for (size_t i = rig->num_nodes - 1; i-- > 0 && *scene == MD5_NONE;)
        if (rig->nodes[i].name && strcmp(rig->nodes[i].name, requested) == 0)
            *root = (uint32_t)i;
    if (*scene == MD5_NONE && *root == MD5_NONE)
        return gltf_fail(file, "--scene: none of the %zu scenes and no node has the name %.80s",
                         num_scenes, requested);
    return true;
}

// Selects a scene: by the job's name or number, else the default scene of the file, else the first
// scene. A file without scenes is selected completely. A name of a node selects its descendants.
static bool select_scene(gltf_rig *rig)
{
    gltf_file *const file = rig->file;
    const char *const requested = file->job->scene_name;
    uint32_t scene = gltf_index(file->root, "scene");
    uint32_t root = MD5_NONE;
    if (scene == MD5_NONE && gltf_count(file, "scenes") > 0)
        scene = 0;
    if (requested && !find_named_scene(rig, requested, &scene, &root))
        return false;
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
        if (root != MD5_NONE && json_array_size(joints) > 0) // skinned meshes are rarely below
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

// Marks the nodes that clips move.
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

// Reads the skins that meshes of the scene use, and marks their joints.
static bool read_skins(gltf_rig *rig)
{
    gltf_file *const file = rig->file;
    rig->num_skins = gltf_count(file, "skins");
    rig->skins = common_alloc(rig->num_skins, sizeof *rig->skins);
    for (size_t i = 0; i < rig->num_nodes; i++) {
        gltf_node *const node = &rig->nodes[i];
        if (node->is_in_scene && node->mesh != MD5_NONE && node->skin != MD5_NONE) {
            rig->skins[node->skin].is_used = true;
            rig->is_skinned = true;
        }
    }
    for (size_t i = 0; i < rig->num_skins; i++) {
        gltf_skin *const skin = &rig->skins[i];
        const json_t *const object = gltf_item(file, "skins", i);
        skin->is_used |= !rig->has_meshes; // a file that contains only clips
        if (!skin->is_used)
            continue;
        const uint32_t binds = gltf_index(object, "inverseBindMatrices");
        const json_t *const joints = json_object_get(object, "joints");
        const float *matrices = NULL;
        skin->num_joints = json_array_size(joints);
        size_t num_binds = skin->num_joints;
        if (skin->num_joints == 0)
            return gltf_fail(file, "skins/%zu: the skin has no joints", i);
        if (binds != MD5_NONE) {
            matrices = gltf_read(file, binds, GLTF_MAT4, &num_binds);
            if (!matrices)
                return false;
        }
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

enum { MAX_SETS = 16 }; // sets of four joints and weights per vertex

// Marks the joints of a skin to which a set of a primitive assigns weights. Invalid accessors are
// ignored here: gltf_mesh.c reports them. Returns false if the budget is exceeded.
static bool mark_weighted(gltf_file *file, const json_t *attributes, size_t set, gltf_skin *skin)
{
    char joints_name[32];
    char weights_name[32];
    COMMON_TEXT(joints_name, "JOINTS_%zu", set);
    COMMON_TEXT(weights_name, "WEIGHTS_%zu", set);
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

// Marks the joints of skins that have weights. Charges each node, because nodes can share a mesh.
static bool find_weights(gltf_rig *rig)
{
    enum { ELEMENTS_PER_SET = 8 }; // cost of searching for a set
    gltf_file *const file = rig->file;
    for (size_t n = 0; n < rig->num_nodes; n++) {
        const gltf_node *const node = &rig->nodes[n];
        if (node->skin == MD5_NONE || !node->is_in_scene)
            continue;
        const json_t *const list =
            json_object_get(gltf_item(file, "meshes", node->mesh), "primitives");
        const size_t count = json_array_size(list);
        if (!gltf_charge(file, ELEMENTS_PER_SET * MAX_SETS * (uint64_t)count))
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

// Returns the joint with this name of the model that was read before, or MD5_NONE.
static uint32_t model_joint(const gltf_rig *rig, const char *name)
{
    const json_t *const index = name ? json_object_get(rig->model_joints, name) : NULL;
    return index ? (uint32_t)json_integer_value(index) : MD5_NONE;
}

static const char *node_name(const gltf_rig *rig, uint32_t node)
{
    const char *const stored = gltf_text(gltf_extras(gltf_item(rig->file, "nodes", node)), "name");
    return stored ? stored : rig->nodes[node].name;
}

// Makes nodes with the name of a joint of the model joints, even if nothing moves them in this
// file.
static void find_model_joints(gltf_rig *rig)
{
    for (uint32_t i = 0; i < rig->num_nodes && rig->model; i++) {
        gltf_node *const node = &rig->nodes[i];
        const char *const name = node_name(rig, i);
        char *const plain = common_copy(name ? name : "");
        sanitize_name(plain, MAX_NAME_SIZE);
        const bool is_model_joint = model_joint(rig, plain) != MD5_NONE;
        node->is_joint |= node->is_in_scene && node->mesh == MD5_NONE && is_model_joint;
        free(plain);
    }
}

// Returns true for the root that gltf_write.c adds because glTF requires a common root. It is not a
// joint of the model.
static bool is_added_root(const gltf_node *node)
{
    if (!node->name || strcmp(node->name, "md5_root") != 0 || node->is_animated)
        return false;
    return memcmp(&node->rest.affine, &identity, sizeof identity) == 0;
}

// Makes the animated nodes above a mesh without a skin joints, up to the nearest joint.
static void mark_animated_ancestors(gltf_rig *rig, uint32_t node_index)
{
    for (uint32_t i = node_index; i != MD5_NONE; i = rig->nodes[i].parent) {
        gltf_node *const node = &rig->nodes[i];
        if (node->is_joint)
            return;
        // Nodes that have only cameras below them move these cameras, but are not joints.
        const bool can_be_joint = rig->has_meshes || !node->has_camera;
        node->is_joint = node->is_animated && can_be_joint;
    }
}

// Makes animated nodes below a joint joints, with all nodes between: a mesh on the joint, or an
// attachment point for an object that the character holds.
static void mark_animated_descendants(gltf_rig *rig)
{
    for (uint32_t i = 0; i < rig->num_nodes; i++) {
        if (!rig->nodes[i].is_animated || rig->nodes[i].skin != MD5_NONE)
            continue;
        uint32_t top = i;
        while (top != MD5_NONE && !rig->nodes[top].is_joint)
            top = rig->nodes[top].parent;
        if (top == MD5_NONE)
            continue;
        for (uint32_t k = i; k != top; k = rig->nodes[k].parent)
            rig->nodes[k].is_joint = true;
    }
}

// Completes the joints to a tree: marks the nodes between joints and their lowest common ancestor,
// and the ancestors above it if a clip moves one of them. A mesh without a skin moves with the
// joint above it, or with the animated nodes above it.
static void complete_joints(gltf_rig *rig)
{
    uint32_t *const branches = common_alloc(rig->num_nodes, sizeof *branches); // with joints
    bool *const is_above = common_alloc(rig->num_nodes, sizeof *is_above);
    for (size_t i = rig->num_nodes; i-- > 0;) {
        const gltf_node *const node = &rig->nodes[rig->order[i]];
        if (node->has_camera && node->parent != MD5_NONE)
            rig->nodes[node->parent].has_camera = true;
        const bool can_move = node->mesh != MD5_NONE || !rig->has_meshes;
        if (!rig->is_skinned && node->is_in_scene && can_move)
            mark_animated_ancestors(rig, rig->order[i]);
    }
    for (size_t i = rig->num_nodes; i-- > 0;) {
        const uint32_t index = rig->order[i];
        const uint32_t parent = rig->nodes[index].parent;
        if (parent != MD5_NONE && (rig->nodes[index].is_joint || branches[index] > 0))
            branches[parent]++;
    }
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const uint32_t index = rig->order[i];
        gltf_node *const node = &rig->nodes[index];
        const uint32_t parent = node->parent;
        const bool is_fixed = !node->is_joint && !node->is_animated;
        const bool is_top = parent == MD5_NONE || is_above[parent];
        is_above[index] = is_top && is_fixed && branches[index] == 1;
        const bool is_root = parent == MD5_NONE || !rig->nodes[parent].is_joint;
        const bool has_branches = branches[index] > 0;
        node->is_joint |= has_branches && !is_above[index];
        if (is_root && has_branches && is_added_root(node))
            node->is_joint = false;
    }
    free(branches);
    free(is_above);
    mark_animated_descendants(rig);
}

// Numbers the joints in the order of the file's nodes if parents come first there, else depth
// first.
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
        const uint32_t index = is_ordered ? (uint32_t)i : rig->order[i];
        gltf_node *const node = &rig->nodes[index];
        // The last node is the additional root. In files without skins it moves the meshes that
        // have no joint above them.
        if (index == rig->num_nodes - 1 && !rig->is_skinned) {
            for (uint32_t k = 0; k < index; k++) {
                const bool has_mesh = rig->nodes[k].is_in_scene && rig->nodes[k].mesh != MD5_NONE;
                node->is_joint |= has_mesh && gltf_parent_joint(rig, k) == MD5_NONE;
            }
        }
        if (!node->is_joint && (index < rig->num_nodes - 1 || rig->num_joints > 0))
            continue;
        gltf_joint *const joint = &rig->joints[rig->num_joints];
        node->joint = (uint32_t)rig->num_joints++;
        joint->node = index;
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

// Reports the meshes of skeletons that do not share a root: the file may contain several
// characters.
static void note_skeletons(const gltf_rig *rig)
{
    bool *const is_counted = common_alloc(rig->num_joints, sizeof *is_counted); // of roots
    const char *names[2] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const gltf_node *const node = &rig->nodes[i];
        if (!node->is_in_scene || node->mesh == MD5_NONE || node->skin == MD5_NONE)
            continue;
        uint32_t root = rig->skins[node->skin].joints[0];
        while (root != MD5_NONE && rig->joints[root].parent != MD5_NONE)
            root = rig->joints[root].parent;
        if (root == MD5_NONE || is_counted[root])
            continue;
        is_counted[root] = true;
        names[count++ > 0] = node->name ? node->name : "?";
    }
    if (count > 1)
        convert_note(rig->file->job,
                     "merged %zu skeletons into one model (%.80s, %.80s); use --scene NAME to "
                     "select one",
                     count, names[0], names[1]);
    free(is_counted);
}

// Sets the names of joints. Doom 3's engines require a root with the name "origin".
static void name_joints(gltf_rig *rig)
{
    const char *const engine = rig->file->job->engine;
    const bool is_doom = engine && convert_find_engine(engine)->family == CONVERT_DOOM3;
    if (is_doom && model_joint(rig, node_name(rig, rig->joints[0].node)) == MD5_NONE)
        rig->joints[0].name = gltf_name(rig->names, "origin", MAX_NAME_SIZE, "", 0);
    const char *first_name = NULL; // of the renamed joints
    const char *first_new_name = NULL;
    size_t num_renamed = 0;
    for (size_t j = 0; j < rig->num_joints; j++) {
        gltf_joint *const joint = &rig->joints[j];
        const char *const name = node_name(rig, joint->node);
        if (!joint->name)
            joint->name = gltf_name(rig->names, name, MAX_NAME_SIZE, "joint_", j);
        if (!name || strcmp(name, joint->name) == 0)
            continue;
        if (num_renamed == 0) {
            first_name = name;
            first_new_name = joint->name;
        }
        num_renamed++;
    }
    if (num_renamed > 0)
        convert_note(rig->file->job,
                     "renamed %zu joints so that engines accept the names; first: %.100s to %s",
                     num_renamed, first_name, first_new_name);
}

// -- Bind pose and rest pose ----------------------------------------------------------------------

// Finds the joint by which a skin is placed: a joint that is already bound, or else the highest
// joint with weights. Joints without weights are not used, because some converters write arbitrary
// matrices for them. Returns skin->num_joints if there is none. *is_shared: the joint is already
// bound.
static size_t find_anchor(const gltf_rig *rig, const gltf_skin *skin, bool *is_shared)
{
    const size_t count = skin->num_joints;
    size_t anchor = count;
    *is_shared = false;
    for (size_t k = count; k-- > 0;) {
        const uint32_t joint = skin->joints[k];
        if (!skin->is_weighted[k] || joint == MD5_NONE)
            continue;
        if (rig->joints[joint].is_bound) {
            anchor = k;
            *is_shared = true;
        } else if (!*is_shared && (anchor == count || joint <= skin->joints[anchor])) {
            anchor = k;
        }
    }
    return anchor;
}

// Places a skin in the space of the rest pose and binds its joints there. The anchor joint is bound
// in its rest pose if the skin is the first with this joint. If another skin has bound the joint,
// the skin is placed there, so that its other joints are bound at the position of its vertices.
static void bind_skin(gltf_rig *rig, gltf_skin *skin)
{
    bool is_shared = false;
    const size_t anchor = find_anchor(rig, skin, &is_shared);
    skin->placement = identity;
    double growth = 1; // ratio of the anchor's volumes in the bind pose and in the rest pose
    if (anchor < skin->num_joints) {
        const gltf_joint *const joint = &rig->joints[skin->joints[anchor]];
        const gltf_affine *const bind = is_shared ? &joint->bind : &rig->nodes[joint->node].world;
        skin->placement = gltf_mul(bind, &skin->inverse_binds[anchor]);
        growth = gltf_determinant(bind) / gltf_determinant(&rig->nodes[joint->node].world);
    }
    for (size_t k = 0; k < skin->num_joints; k++) {
        gltf_affine bind;
        if (skin->joints[k] == MD5_NONE || rig->joints[skin->joints[k]].is_bound
            || !invert(&skin->inverse_binds[k], &bind))
            continue;
        gltf_joint *const joint = &rig->joints[skin->joints[k]];
        bind = gltf_mul(&skin->placement, &bind);
        const double volume_ratio =
            gltf_determinant(&bind) / growth / gltf_determinant(&rig->nodes[joint->node].world);
        // Ignore matrices whose scale is not between one half and two, unless vertices use them.
        if (!skin->is_weighted[k] && !(volume_ratio > 0.125 && volume_ratio < 8))
            continue;
        joint->bind = bind;
        joint->is_bound = true;
    }
}

// Binds all joints. Joints that no skin binds keep their rest pose relative to their parents.
static void bind_joints(gltf_rig *rig)
{
    for (size_t i = 0; i < rig->num_skins; i++) {
        rig->skins[i].placement = identity;
        if (rig->skins[i].is_used)
            bind_skin(rig, &rig->skins[i]);
    }
    for (size_t i = 0; i < rig->num_joints; i++) {
        gltf_joint *const joint = &rig->joints[i];
        const gltf_node *const node = &rig->nodes[joint->node];
        if (joint->is_bound)
            continue;
        joint->bind = node->world;
        if (joint->parent != MD5_NONE)
            joint->bind = gltf_mul(&rig->joints[joint->parent].bind, &node->rest.affine);
    }
}

// Extends a range of heights by the placed vertices of a primitive. Returns false if the file is
// invalid.
static bool measure_mesh(gltf_file *file, const gltf_affine *placement, const json_t *primitive,
                         double range[2])
{
    enum { ELEMENTS_PER_PRIMITIVE = 16 }; // cost of finding the positions
    const uint32_t accessor = gltf_index(json_object_get(primitive, "attributes"), "POSITION");
    size_t count = 0;
    const float *p = NULL;
    if (accessor != MD5_NONE) {
        p = gltf_read(file, accessor, GLTF_VEC3, &count);
        if (!p)
            return false;
    }
    if (!gltf_charge(file, ELEMENTS_PER_PRIMITIVE + (uint64_t)count))
        return false;
    for (size_t i = 0; i < 3 * count; i += 3) {
        const convert_vec v = {p[i], p[i + 1], p[i + 2]};
        range[0] = fmin(range[0], gltf_point(placement, v).y);
        range[1] = fmax(range[1], gltf_point(placement, v).y);
    }
    return true;
}

// Returns the median ratio of the model's bone lengths to those of the file. Without common bones,
// or if the ratio is within 0.1 % of the unit of the model's file, returns that unit.
static double measure_bones(const gltf_rig *rig)
{
    double *const ratios = common_alloc(rig->num_joints, sizeof *ratios);
    double unit = rig->model_unit;
    size_t count = 0;
    for (size_t i = 0; i < rig->num_joints; i++) {
        gltf_joint *const joint = &rig->joints[i];
        const uint32_t model_index = model_joint(rig, joint->name);
        if (joint->parent == MD5_NONE || model_index == MD5_NONE)
            continue;
        const convert_vec bone =
            convert_sub(joint->bind.c[3], rig->joints[joint->parent].bind.c[3]);
        const double length = sqrt(convert_dot(bone, bone));
        const double model_length =
            md5_vec3_length(rig->model->bind_local[model_index].translation);
        if (length > 1e-9 && model_length > 1e-6)
            ratios[count++] = model_length / length;
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

// Measures the range of heights of all meshes or, without meshes, of all joints, in file units.
static bool measure_height(const gltf_rig *rig, double *height)
{
    gltf_file *const file = rig->file;
    double range[2] = {HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const gltf_node *const node = &rig->nodes[i];
        const uint32_t mesh = node->is_in_scene ? node->mesh : MD5_NONE;
        const json_t *const primitives =
            json_object_get(gltf_item(file, "meshes", mesh), "primitives");
        const gltf_affine *const placement =
            node->skin != MD5_NONE ? &rig->skins[node->skin].placement : &node->world;
        for (size_t k = 0; k < json_array_size(primitives); k++)
            if (!measure_mesh(file, placement, json_array_get(primitives, k), range))
                return false;
    }
    for (size_t j = 0; j < rig->num_joints && !rig->has_meshes; j++) {
        range[0] = fmin(range[0], rig->joints[j].bind.c[3].y);
        range[1] = fmax(range[1], rig->joints[j].bind.c[3].y);
    }
    *height = fmax(range[1] - range[0], 0.0);
    return true;
}

// Selects the unit of the file: by the option, by a model that was read before, by the value that
// gltf_write.c stores, or by a guess from the height of the model.
static bool select_unit(gltf_rig *rig)
{
    static const struct guess {
        double max_height;
        double unit;
        const char *description;
    } guesses[] = {
        {0.5, 1, "small, so no scale is applied"},
        {4, 1.0 / 0.0254, "typical of a character in metres"},
        {30, 1, "typical of neither metres nor centimetres, so no scale is applied"},
        {120, 1, "typical of a character in game units, so no scale is applied"},
        {400, 0.01 / 0.0254, "typical of a character in centimetres"},
        {HUGE_VAL, 1, "large, so no scale is applied"},
    };
    gltf_file *const file = rig->file;
    const double requested = file->job->scale;
    const double stored =
        gltf_number(gltf_extras(json_object_get(file->root, "asset")), "scale", 0);
    double height = 0;
    if (!measure_height(rig, &height))
        return false;
    const struct guess *guess = guesses;
    while (height >= guess->max_height && guess->max_height < HUGE_VAL)
        guess++;
    const bool is_stored = stored > 1e-9 && stored < 1e9;
    if (rig->model && !(requested > 0)) {
        rig->unit = measure_bones(rig);
        if (rig->unit > 0)
            return true;
    }
    if (requested > 0)
        rig->unit = requested;
    else if (is_stored)
        rig->unit = 1.0 / stored;
    else
        rig->unit = guess->unit;
    if (!(requested > 0) && !is_stored)
        convert_note(file->job, "scale %g: the height of %g is %s; use --scale to override",
                     rig->unit, height, guess->description);
    if (rig->has_meshes)
        convert_note(file->job, "model height: %g units", height * rig->unit);
    return true;
}

double gltf_source_yaw(const gltf_rig *rig)
{
    return gltf_number(gltf_extras(json_object_get(rig->file->root, "asset")), "turn",
                       rig->model_yaw);
}

// Returns the transform from the file's space (y up, z forward) to id's space (z up, x forward),
// with scale and without the rotation that the writer of the file applied.
static gltf_affine output_transform(const gltf_rig *rig)
{
    const double source_yaw = gltf_source_yaw(rig);
    const double angle = fabs(source_yaw) <= 360 ? -source_yaw / 180.0 * 3.14159265358979323846 : 0;
    const double c = cos(angle) * rig->unit;
    const double s = sin(angle) * rig->unit;
    return (gltf_affine){{{-s, c, 0}, {0, 0, rig->unit}, {c, s, 0}, {0, 0, 0}}};
}

// Computes the bind pose and the rest pose of MD5 in the space of the output.
static void compute_poses(gltf_rig *rig)
{
    const gltf_affine output = output_transform(rig);
    rig->output = output;
    gltf_state *const states = common_alloc(rig->num_nodes, sizeof *states);
    gltf_posed *const posed = common_alloc(rig->num_joints, sizeof *posed);
    double *const stretch = common_alloc(rig->num_joints, sizeof *stretch);
    for (size_t i = 0; i < rig->num_nodes; i++) {
        states[i] = rig->nodes[i].rest;
        rig->nodes[i].world = gltf_mul(&output, &rig->nodes[i].world);
    }
    for (size_t i = 0; i < rig->num_skins; i++) {
        gltf_skin *const skin = &rig->skins[i];
        skin->placement = gltf_mul(&output, &skin->placement);
    }
    for (size_t i = 0; i < rig->num_joints; i++) {
        gltf_joint *const joint = &rig->joints[i];
        const uint32_t above = rig->nodes[joint->node].parent;
        joint->bind = gltf_mul(&output, &joint->bind);
        joint->above = above != MD5_NONE ? rig->nodes[above].world : output;
        if (joint->parent != MD5_NONE)
            joint->is_mirrored = rig->joints[joint->parent].is_mirrored;
        else
            joint->is_mirrored = gltf_determinant(&joint->above) < 0;
        joint->above_rotation =
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
            // The scale is 0 in the rest pose: use the scale of the parent.
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
        // If the joint is scaled in the rest pose but not in the bind pose, the scale moves its
        // children.
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
        const double side = joint->is_mirrored ? -1 : 1; // a mirror along x negates y and z
        const convert_quat rotation = {side * local->rotation.z, local->rotation.x,
                                       side * local->rotation.y, local->rotation.w};
        posed[j].world =
            gltf_mul(has_parent ? &posed[joint->parent].world : &joint->above, &local->affine);
        posed[j].pose.rotation = convert_quat_mul(
            has_parent ? posed[joint->parent].pose.rotation : joint->above_rotation, rotation);
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
    bind_joints(rig);
    if (!select_unit(rig))
        return false;
    compute_poses(rig);

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
