// Reads glTF 2.0. Fills a plain scene with nodes, skins, meshes, cameras and animations. Adds the
// materials after the scene was converted to MD5. Only the data that the selected scene uses is
// read.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_file.h"

// The file that is read, and the scene that receives its content.
typedef struct gltf_reader {
    gltf_file *file;
    plain_scene *plain;
} gltf_reader;

// -- Nodes ----------------------------------------------------------------------------------------

// Reads a node. Its extras may contain the joint's name of the MD5 model from which this program
// wrote the file. The name of the node can differ from it, because other programs change names. The
// extras of nodes from FBX files may contain the type of their inheritance of scale.
static void read_node(const json_t *object, plain_node *node)
{
    static const char *const parts[PLAIN_NUM_PARTS] = {"translation", "rotation", "scale"};
    *node = (plain_node){.name = gltf_text(object, "name"),
                         .joint_name = gltf_text(gltf_extras(object), "name"),
                         .parent = MD5_NONE,
                         .mesh = gltf_index(object, "mesh"),
                         .skin = gltf_index(object, "skin"),
                         .camera = gltf_index(object, "camera"),
                         .parts = {{0}, {0, 0, 0, 1}, {1, 1, 1}}};
    for (int part = 0; part < PLAIN_NUM_PARTS; part++)
        gltf_numbers(object, parts[part], part == PLAIN_ROTATION ? 4 : 3, node->parts[part]);
    node->is_matrix = gltf_numbers(object, "matrix", 16, node->matrix);
    const double inheritance = gltf_number(gltf_extras(object), "inheritance", PLAIN_INHERIT_SCALE);
    if (!node->is_matrix && inheritance > 0 && inheritance < (double)PLAIN_NUM_INHERITANCES)
        node->inheritance = (plain_inheritance)inheritance;
}

// Stores the name of a bone in its node. Both versions of VRM declare one node per bone.
static void set_bone(const gltf_reader *reader, const json_t *bone, const char *name)
{
    const double node = gltf_number(bone, "node", -1);
    if (name && node >= 0 && node < (double)reader->plain->num_nodes)
        reader->plain->nodes[(size_t)node].bone = name;
}

// Sets the bones of a humanoid: an array of objects in VRM 0, an object with a member for each bone
// in VRM 1.
static void read_humanoid(gltf_reader *reader, const json_t *humanoid)
{
    json_t *const bones = json_object_get(humanoid, "humanBones");
    for (size_t i = 0; i < json_array_size(bones); i++) {
        const json_t *const bone = json_array_get(bones, i);
        set_bone(reader, bone, gltf_text(bone, "bone"));
    }
    for (void *item = json_object_iter(bones); item; item = json_object_iter_next(bones, item))
        set_bone(reader, json_object_iter_value(item), json_object_iter_key(item));
}

// Reads the bones of a human body that VRM files declare. Units are meters. Models of VRM 0 face
// backward.
static void read_bones(gltf_reader *reader)
{
    enum { VRM_0 = 0 };
    static const char *const names[] = {[VRM_0] = "VRM", "VRMC_vrm", "VRMC_vrm_animation"};
    const double units_per_meter = 1 / 0.0254;
    plain_scene *const plain = reader->plain;
    const json_t *const extensions = json_object_get(reader->file->root, "extensions");
    for (size_t i = 0; i < COMMON_LENGTH(names); i++) {
        const json_t *const extension = json_object_get(extensions, names[i]);
        const json_t *const humanoid = json_object_get(extension, "humanoid");
        if (!humanoid)
            continue;
        read_humanoid(reader, humanoid);
        if (plain->unit == 0)
            plain->unit = units_per_meter;
        if (i == VRM_0 && !plain->has_yaw) {
            plain->has_yaw = true;
            plain->yaw = 180;
        }
    }
}

// Siblings in the order of the file.
typedef struct node_links {
    uint32_t *child; // [num_nodes] first child, or MD5_NONE
    uint32_t *next;  // [num_nodes] next sibling, or MD5_NONE
} node_links;

// Sets the parent of each child of a node and links the children in the order of the file. Fails if
// a child already has a parent.
static bool link_children(gltf_reader *reader, uint32_t index, node_links *links)
{
    const json_t *const children =
        json_object_get(gltf_item(reader->file, "nodes", index), "children");
    for (size_t i = json_array_size(children); i-- > 0;) {
        const uint32_t child = gltf_index_at(children, i);
        plain_node *const node = &reader->plain->nodes[child];
        if (node->parent != MD5_NONE)
            return gltf_fail(
                reader->file,
                "nodes/%u: expected at most one parent, found nodes/%u and nodes/%u" CONVERT_REMEDY,
                child, node->parent, index);
        node->parent = index;
        links->next[child] = links->child[index];
        links->child[index] = child;
    }
    return true;
}

// Fails with an error that names two nodes of a cycle. `is_listed` marks the nodes that are below a
// root. The first node without a mark is in a cycle, or below a cycle.
static bool report_cycle(const gltf_reader *reader, const bool *is_listed)
{
    const plain_node *const nodes = reader->plain->nodes;
    uint32_t node = 0;
    while (is_listed[node])
        node++;

    // Move from this node to its ancestors until the node is inside the cycle. Fewer than num_nodes
    // nodes are outside the cycle, so that num_nodes moves are enough.
    for (size_t i = 0; i < reader->plain->num_nodes; i++)
        node = nodes[node].parent;

    const uint32_t parent = nodes[node].parent;
    const char *const name = nodes[node].name ? nodes[node].name : "";
    const char *const parent_name = nodes[parent].name ? nodes[parent].name : "";
    return gltf_fail(reader->file,
                     "nodes/%u: node hierarchy has a cycle: nodes/%u \"%.50s\" and nodes/%u "
                     "\"%.50s\" are ancestors of each other" CONVERT_REMEDY,
                     node, node, name, parent, parent_name);
}

// Returns the node after `node` in depth-first order. This is its first child. A node without
// children is followed by its next sibling or, if it is the last child, by the next sibling of its
// nearest ancestor that has one. Returns MD5_NONE after the last node below the root.
static uint32_t next_in_depth_first_order(const plain_scene *plain, const node_links *links,
                                          uint32_t node)
{
    if (links->child[node] != MD5_NONE)
        return links->child[node];
    uint32_t ancestor = node;
    while (ancestor != MD5_NONE && links->next[ancestor] == MD5_NONE)
        ancestor = plain->nodes[ancestor].parent;
    return ancestor != MD5_NONE ? links->next[ancestor] : MD5_NONE;
}

// Sets plain->order: the nodes in depth-first order. Fails if nodes are their own ancestors.
static bool order_nodes(const gltf_reader *reader, const node_links *links)
{
    plain_scene *const plain = reader->plain;
    bool *const is_listed = common_alloc(plain->num_nodes, sizeof *is_listed);
    size_t count = 0;
    for (uint32_t i = 0; i < plain->num_nodes; i++) {
        const bool is_root = plain->nodes[i].parent == MD5_NONE;
        uint32_t node = is_root ? i : MD5_NONE;
        while (node != MD5_NONE) {
            plain->order[count] = node;
            count++;
            is_listed[node] = true;
            node = next_in_depth_first_order(plain, links, node);
        }
    }

    // Nodes in a cycle are not below a root.
    const bool is_tree = count == plain->num_nodes || report_cycle(reader, is_listed);
    free(is_listed);
    return is_tree;
}

// Reads all nodes, connects them with their children, and computes an order in which parents
// precede their children.
static bool read_nodes(gltf_reader *reader)
{
    plain_scene *const plain = reader->plain;
    plain->num_nodes = gltf_count(reader->file, "nodes");
    plain->nodes = common_alloc(plain->num_nodes, sizeof *plain->nodes);
    plain->order = common_alloc(plain->num_nodes, sizeof *plain->order);
    node_links links = {.child = common_alloc(plain->num_nodes, sizeof *links.child),
                        .next = common_alloc(plain->num_nodes, sizeof *links.next)};
    bool is_read = true;

    for (size_t i = 0; i < plain->num_nodes; i++) {
        read_node(gltf_item(reader->file, "nodes", i), &plain->nodes[i]);
        links.child[i] = MD5_NONE;
        links.next[i] = MD5_NONE;
    }

    for (size_t i = 0; i < plain->num_nodes && is_read; i++)
        is_read = link_children(reader, (uint32_t)i, &links);

    is_read = is_read && order_nodes(reader, &links);
    read_bones(reader);
    free(links.child);
    free(links.next);
    return is_read;
}

// Returns the index of the scene with the name `requested`. If `requested` is a number, it is an
// index. A name precedes an index. Returns MD5_NONE if there is no such scene.
static uint32_t find_scene(const gltf_file *file, const char *requested)
{
    const size_t num_scenes = gltf_count(file, "scenes");
    for (size_t i = 0; i < num_scenes; i++) {
        const char *const name = gltf_text(gltf_item(file, "scenes", i), "name");
        if (name && strcmp(name, requested) == 0)
            return (uint32_t)i;
    }

    char *end = NULL;
    const unsigned long number = strtoul(requested, &end, 10);
    const bool is_number = end != requested && *end == '\0';
    return is_number && number < num_scenes ? (uint32_t)number : MD5_NONE;
}

// Returns the first node with a name, or MD5_NONE.
static uint32_t find_named_node(const plain_scene *plain, const char *requested)
{
    for (size_t i = 0; i < plain->num_nodes; i++) {
        const char *const name = plain->nodes[i].name;
        if (name && strcmp(name, requested) == 0)
            return (uint32_t)i;
    }
    return MD5_NONE;
}

// Finds the scene with the name of option --scene. If there is no such scene, finds the node with
// this name. Either *scene or *root is MD5_NONE. Fails if both do not exist.
static bool find_named_scene(const gltf_reader *reader, const char *requested, uint32_t *scene,
                             uint32_t *root)
{
    *scene = find_scene(reader->file, requested);
    *root = *scene == MD5_NONE ? find_named_node(reader->plain, requested) : MD5_NONE;
    if (*scene == MD5_NONE && *root == MD5_NONE)
        return gltf_fail(
            reader->file,
            "--scene: none of the %zu scenes and no node has the name %.80s; use the name or "
            "the index of a scene, or the name of a node",
            gltf_count(reader->file, "scenes"), requested);
    return true;
}

// Returns true if KHR_node_visibility hides a node. Its descendants are hidden, too.
static bool is_hidden_itself(const gltf_file *file, uint32_t node)
{
    const json_t *const extensions = json_object_get(gltf_item(file, "nodes", node), "extensions");
    const json_t *const visibility = json_object_get(extensions, "KHR_node_visibility");
    return json_is_false(json_object_get(visibility, "visible"));
}

// Marks the descendants of the selected nodes as parts of the scene, or all nodes if `is_all`.
// Removes hidden meshes from the nodes, with a note.
static void mark_scene(const gltf_reader *reader, bool is_all)
{
    const plain_scene *const plain = reader->plain;
    bool *const is_hidden = common_alloc(plain->num_nodes, sizeof *is_hidden);
    for (size_t i = 0; i < plain->num_nodes; i++) { // parents before their children
        const uint32_t index = plain->order[i];
        plain_node *const node = &plain->nodes[index];
        is_hidden[index] = is_hidden_itself(reader->file, index);
        node->is_in_scene |= is_all;
        if (node->parent != MD5_NONE) {
            is_hidden[index] |= is_hidden[node->parent];
            node->is_in_scene |= plain->nodes[node->parent].is_in_scene;
        }
        if (is_hidden[index] && node->is_in_scene && node->mesh != MD5_NONE) {
            convert_note(plain->job, "skipped mesh %.80s: it is hidden by KHR_node_visibility",
                         node->name ? node->name : "?");
            node->mesh = MD5_NONE;
        }
    }

    free(is_hidden);
}

// Marks the nodes with skinned meshes whose skeleton is part of the scene, because such nodes are
// rarely below their skeleton.
static void mark_skinned_nodes(const gltf_reader *reader)
{
    plain_scene *const plain = reader->plain;
    for (size_t i = 0; i < plain->num_nodes; i++) {
        plain_node *const node = &plain->nodes[i];
        const json_t *const skin = gltf_item(reader->file, "skins", node->skin);
        const json_t *const joints = json_object_get(skin, "joints");
        if (json_array_size(joints) > 0)
            node->is_in_scene |= plain->nodes[gltf_index_at(joints, 0)].is_in_scene;
    }
}

// Selects a scene. If the job has the name or the number of a scene, selects this scene. Otherwise
// selects the default scene of the file. If there is none, selects the first scene. A file without
// scenes is selected completely. A name of a node selects the node and its descendants.
static bool select_scene(gltf_reader *reader)
{
    gltf_file *const file = reader->file;
    plain_scene *const plain = reader->plain;
    const char *const requested = file->job->scene_name;
    uint32_t scene = gltf_index(file->root, "scene");
    uint32_t root = MD5_NONE;
    if (scene == MD5_NONE && gltf_count(file, "scenes") > 0)
        scene = 0;
    if (requested && !find_named_scene(reader, requested, &scene, &root))
        return false;

    const json_t *const roots = json_object_get(gltf_item(file, "scenes", scene), "nodes");
    for (size_t i = 0; i < json_array_size(roots); i++)
        plain->nodes[gltf_index_at(roots, i)].is_in_scene = true;
    if (root != MD5_NONE)
        plain->nodes[root].is_in_scene = true;
    mark_scene(reader, scene == MD5_NONE && root == MD5_NONE);
    if (root != MD5_NONE)
        mark_skinned_nodes(reader);
    return true;
}

// Fails if a mesh of the scene has instances, which would be lost. With --force, reports them as a
// note. The extension is optional in many files, so it is not among the required ones.
static bool check_instances(const gltf_reader *reader)
{
    const plain_scene *const plain = reader->plain;
    for (uint32_t i = 0; i < plain->num_nodes; i++) {
        const plain_node *const node = &plain->nodes[i];
        const json_t *const object = gltf_item(reader->file, "nodes", i);
        const json_t *const extensions = json_object_get(object, "extensions");
        const bool has_instances = json_object_get(extensions, "EXT_mesh_gpu_instancing");
        if (!has_instances || !node->is_in_scene || node->mesh == MD5_NONE)
            continue;
        if (!plain->job->is_forced)
            return gltf_fail(reader->file,
                             "nodes/%u: instances (EXT_mesh_gpu_instancing) are not supported; "
                             "export the file without this extension, or use --force to convert "
                             "the mesh once",
                             i);
        convert_note(plain->job,
                     "nodes/%u: skipped the instances (EXT_mesh_gpu_instancing) of the mesh", i);
    }
    return true;
}

// -- Skins ----------------------------------------------------------------------------------------

// Reads the joints of a skin and their inverse bind matrices, which are optional.
static bool read_skin(gltf_reader *reader, size_t index)
{
    gltf_file *const file = reader->file;
    plain_skin *const skin = &reader->plain->skins[index];
    const json_t *const object = gltf_item(file, "skins", index);
    const json_t *const joints = json_object_get(object, "joints");
    const size_t num_joints = json_array_size(joints);
    if (num_joints == 0)
        return gltf_fail(
            file, "skins/%zu/joints: expected at least 1 joint, found none" CONVERT_REMEDY, index);

    const uint32_t binds = gltf_index(object, "inverseBindMatrices");
    if (binds != MD5_NONE) {
        size_t num_binds = 0;
        skin->inverse_binds = gltf_read(file, binds, GLTF_MAT4, &num_binds);
        if (!skin->inverse_binds)
            return false;
        if (num_binds < num_joints)
            return gltf_fail(
                file,
                "skins/%zu/inverseBindMatrices: wrong number of matrices: expected %zu, "
                "the number of joints, found %zu in accessors/%u" CONVERT_REMEDY,
                index, num_joints, num_binds, binds);
    }

    skin->num_joints = num_joints;
    skin->joints = common_alloc(num_joints, sizeof *skin->joints);
    for (size_t k = 0; k < num_joints; k++)
        skin->joints[k] = gltf_index_at(joints, k);
    return true;
}

// Reads the skins that meshes of the scene use, or all skins of a file that contains only clips.
static bool read_skins(gltf_reader *reader)
{
    plain_scene *const plain = reader->plain;
    plain->num_skins = gltf_count(reader->file, "skins");
    plain->skins = common_alloc(plain->num_skins, sizeof *plain->skins);
    bool *const is_used = common_alloc(plain->num_skins, sizeof *is_used);
    bool has_meshes = false;
    bool is_read = true;

    for (size_t i = 0; i < plain->num_nodes; i++) {
        const plain_node *const node = &plain->nodes[i];
        const bool is_drawn = node->is_in_scene && node->mesh != MD5_NONE;
        has_meshes |= is_drawn;
        if (is_drawn && node->skin != MD5_NONE)
            is_used[node->skin] = true;
    }

    for (size_t i = 0; i < plain->num_skins && is_read; i++) {
        if (is_used[i] || !has_meshes)
            is_read = read_skin(reader, i);
    }

    free(is_used);
    return is_read;
}

// -- Meshes ---------------------------------------------------------------------------------------

// A primitive while it is read.
typedef struct primitive_reader {
    gltf_file *file;
    plain_primitive *to;
    char location[64]; // location in the file, for messages
} primitive_reader;

// Completes the error about an accessor: writes the name of the attribute and the location of the
// primitive before it.
static void name_attribute(const primitive_reader *reader, const char *name)
{
    md5_error *const error = reader->file->error;
    char *const message = common_copy(error->message);
    COMMON_TEXT(error->message, "%s of %s: %s", name, reader->location, message);
    free(message);
}

// Gets an attribute and checks that it has as many elements as the primitive has vertices. *values
// is NULL if the primitive does not have the attribute.
static bool get_attribute(primitive_reader *reader, const json_t *attributes, const char *name,
                          gltf_shape shape, const float **values)
{
    enum { MAX_VERTICES = 1 << 24 }; // larger indices are not exact as floats
    plain_primitive *const to = reader->to;
    const uint32_t accessor = gltf_index(attributes, name);
    size_t count = 0;
    *values = NULL;
    if (accessor == MD5_NONE)
        return true;
    *values = gltf_read(reader->file, accessor, shape, &count);
    if (!*values) {
        name_attribute(reader, name);
        return false;
    }
    if (to->num_vertices > 0 && count != to->num_vertices)
        return gltf_fail(reader->file,
                         "%s/attributes/%s: wrong number of elements: expected %zu as in POSITION, "
                         "found %zu" CONVERT_REMEDY,
                         reader->location, name, to->num_vertices, count);
    if (count > MAX_VERTICES)
        return gltf_fail(
            reader->file,
            "%s: primitive has too many vertices: expected at most %d, found %zu; divide "
            "the mesh",
            reader->location, MAX_VERTICES, count);
    to->num_vertices = count;
    return true;
}

// Sets the transform of a primitive's texture coordinates from the extension KHR_texture_transform
// of its texture. Without the extension it is the identity.
static void get_texture_transform(plain_primitive *to, const json_t *extension)
{
    double offset[2] = {0, 0};
    double scale[2] = {1, 1};
    gltf_numbers(extension, "offset", 2, offset);
    gltf_numbers(extension, "scale", 2, scale);

    // The rotation is counterclockwise on the image, whose v axis points down.
    const double angle = gltf_number(extension, "rotation", 0);
    const double c = cos(angle);
    const double s = sin(angle);
    const double rows[2][3] = {{c * scale[0], s * scale[1], offset[0]},
                               {-s * scale[0], c * scale[1], offset[1]}};
    memcpy(to->texture, rows, sizeof rows);
}

// Gets the set of texture coordinates that the base color uses, and their transform. If the
// primitive does not have this set, gets the first set.
static bool get_texcoords(primitive_reader *reader, const json_t *attributes)
{
    plain_primitive *const to = reader->to;
    const json_t *const texture =
        gltf_color_texture(gltf_item(reader->file, "materials", to->material));
    const json_t *const extension =
        json_object_get(json_object_get(texture, "extensions"), "KHR_texture_transform");
    get_texture_transform(to, extension);

    const double set = gltf_number(extension, "texCoord", gltf_number(texture, "texCoord", 0));
    char name[48];
    COMMON_TEXT(name, "TEXCOORD_%.0f", set);
    if (!get_attribute(reader, attributes, name, GLTF_VEC2, &to->texcoords))
        return false;
    if (to->texcoords || set == 0)
        return true;
    return get_attribute(reader, attributes, "TEXCOORD_0", GLTF_VEC2, &to->texcoords);
}

// Gets the sets of joints and weights, up to the first incomplete set. A set contains four joints
// and four weights per vertex.
static bool get_influences(primitive_reader *reader, const json_t *attributes)
{
    plain_primitive *const to = reader->to;
    for (size_t set = 0; set < PLAIN_MAX_SETS; set++) {
        char joints[32];
        char weights[32];
        COMMON_TEXT(joints, "JOINTS_%zu", set);
        COMMON_TEXT(weights, "WEIGHTS_%zu", set);
        if (!get_attribute(reader, attributes, joints, GLTF_VEC4, &to->joints[set])
            || !get_attribute(reader, attributes, weights, GLTF_VEC4, &to->weights[set]))
            return false;
        if (!to->joints[set] || !to->weights[set])
            return true;
        to->num_sets = set + 1;
    }
    return true;
}

// Gets the vertex indices of a primitive from an accessor, and checks that each is an integer
// and refers to an existing vertex. Without an accessor, the primitive has no indices, which is
// valid.
static bool get_indices(primitive_reader *reader, uint32_t accessor)
{
    gltf_file *const file = reader->file;
    plain_primitive *const to = reader->to;
    if (accessor == MD5_NONE)
        return true;

    size_t count = 0;
    const float *const values = gltf_read(file, accessor, GLTF_SCALAR, &count);
    if (!values || !gltf_charge(file, count)
        || !convert_charge_bytes(file->job, count, sizeof *to->indices, file->error))
        return false;

    to->num_indices = count;
    to->indices = common_alloc(count, sizeof *to->indices);
    for (size_t i = 0; i < count; i++) {
        const float index = values[i];
        if (!(index >= 0 && index < (float)to->num_vertices) || index != floorf(index))
            return gltf_fail(
                file,
                "%s/indices: element %zu of accessors/%u is out of range: expected less "
                "than %zu, the number of vertices, found %.9g" CONVERT_REMEDY,
                reader->location, i, accessor, to->num_vertices, index);
        to->indices[i] = (uint32_t)index;
    }

    return true;
}

// Returns the kind of a primitive: triangles, a triangle strip, a triangle fan, or another kind.
// The other kinds are points and lines, which are skipped.
static plain_mode read_mode(const json_t *object)
{
    static const double triangles = 4; // the numbers of modes in glTF
    static const double triangle_strip = 5;
    static const double triangle_fan = 6;
    const double mode = gltf_number(object, "mode", triangles);
    if (mode == triangles)
        return PLAIN_TRIANGLES;
    if (mode == triangle_strip)
        return PLAIN_STRIP;
    return mode == triangle_fan ? PLAIN_FAN : PLAIN_OTHER;
}

// Reads the displacements of a primitive's morph targets.
static bool read_targets(primitive_reader *reader, const json_t *targets)
{
    plain_primitive *const to = reader->to;
    to->num_targets = json_array_size(targets);
    to->moves = common_alloc(to->num_targets, sizeof *to->moves);
    for (size_t i = 0; i < to->num_targets; i++) {
        const json_t *const target = json_array_get(targets, i);
        if (!get_attribute(reader, target, "POSITION", GLTF_VEC3, &to->moves[i]))
            return false;
    }
    return true;
}

// Fails if an accessor of a compressed primitive has no buffer view. The data then exist only in
// compressed form, which is not supported.
static bool check_data(const gltf_file *file, uint32_t accessor, const char *compression)
{
    const json_t *const object = gltf_item(file, "accessors", accessor);
    if (!object || json_object_get(object, "bufferView"))
        return true;
    return gltf_fail(file,
                     "accessors/%u: compression %s is not supported; import the file into Blender "
                     "and export it without compression",
                     accessor, compression);
}

// Fails if the data of a primitive exist only in compressed form. A file can contain the same data
// without compression. The data of morph targets are never compressed.
static bool check_compression(const gltf_file *file, const json_t *primitive)
{
    static const char draco[] = "KHR_draco_mesh_compression";
    if (!json_object_get(json_object_get(primitive, "extensions"), draco))
        return true;
    json_t *const attributes = json_object_get(primitive, "attributes");
    void *item = json_object_iter(attributes);
    for (; item; item = json_object_iter_next(attributes, item)) {
        if (!check_data(file, gltf_index(attributes, json_object_iter_key(item)), draco))
            return false;
    }
    return check_data(file, gltf_index(primitive, "indices"), draco);
}

// Reads a primitive. Joints and weights are read only if `has_skin`, which means that a node with a
// skin uses its mesh. A primitive of points or lines gets only its positions.
static bool read_primitive(primitive_reader *reader, const json_t *object, bool has_skin)
{
    enum { ELEMENTS_PER_PRIMITIVE = 50 }; // cost without the vertices
    plain_primitive *const to = reader->to;
    const json_t *const attributes = json_object_get(object, "attributes");
    to->mode = read_mode(object);
    to->material = gltf_index(object, "material");
    if (!gltf_charge(reader->file, ELEMENTS_PER_PRIMITIVE)
        || !check_compression(reader->file, object)
        || !get_attribute(reader, attributes, "POSITION", GLTF_VEC3, &to->positions))
        return false;
    if (!to->positions || to->mode == PLAIN_OTHER)
        return true;

    to->has_normals = json_object_get(attributes, "NORMAL");
    to->has_colors = json_object_get(attributes, "COLOR_0");
    if (has_skin && !get_influences(reader, attributes))
        return false;
    if (!get_texcoords(reader, attributes))
        return false;
    if (!read_targets(reader, json_object_get(object, "targets")))
        return false;
    return get_indices(reader, gltf_index(object, "indices"));
}

// Reads the default weights of a node's morph targets. A node without weights uses the weights of
// its mesh.
static bool read_weights(gltf_reader *reader, uint32_t index)
{
    const double max_weight = 1e6;
    gltf_file *const file = reader->file;
    plain_node *const node = &reader->plain->nodes[index];
    const json_t *list = json_object_get(gltf_item(file, "nodes", index), "weights");
    if (!list)
        list = json_object_get(gltf_item(file, "meshes", node->mesh), "weights");
    const size_t count = json_array_size(list);
    if (!gltf_charge(file, count)
        || !convert_charge_bytes(file->job, count, sizeof *node->weights, file->error))
        return false;

    node->num_weights = count;
    node->weights = common_alloc(count, sizeof *node->weights);
    for (size_t i = 0; i < count; i++) {
        const double weight = json_number_value(json_array_get(list, i));
        if (!(fabs(weight) <= max_weight))
            return gltf_fail(
                file,
                "nodes/%u: weight %zu is out of range: expected -%g to %g, found %g" CONVERT_REMEDY,
                index, i, max_weight, max_weight, weight);
        node->weights[i] = (float)weight;
    }

    return true;
}

// Reads a mesh with its primitives and the names of its morph targets. Its extras may contain
// properties of the MD5 mesh from which this program wrote the file.
static bool read_mesh(gltf_reader *reader, uint32_t index, bool has_skin)
{
    const json_t *const object = gltf_item(reader->file, "meshes", index);
    const json_t *const extras = gltf_extras(object);
    const json_t *const list = json_object_get(object, "primitives");
    const json_t *const names = json_object_get(json_object_get(object, "extras"), "targetNames");
    plain_mesh *const mesh = &reader->plain->meshes[index];
    mesh->name = gltf_text(object, "name");
    mesh->md5_name = gltf_text(extras, "name");
    mesh->shader = gltf_text(extras, "shader");
    mesh->num_vertices = gltf_number(extras, "vertices", 0);
    mesh->num_primitives = json_array_size(list);
    mesh->primitives = common_alloc(mesh->num_primitives, sizeof *mesh->primitives);
    mesh->num_target_names = json_array_size(names);
    mesh->target_names = common_alloc(mesh->num_target_names, sizeof *mesh->target_names);
    for (size_t i = 0; i < mesh->num_target_names; i++)
        mesh->target_names[i] = json_string_value(json_array_get(names, i));

    for (size_t i = 0; i < mesh->num_primitives; i++) {
        primitive_reader primitive = {.file = reader->file, .to = &mesh->primitives[i]};
        COMMON_TEXT(primitive.location, "meshes/%u/primitives/%zu", index, i);
        if (!read_primitive(&primitive, json_array_get(list, i), has_skin))
            return false;
    }

    return true;
}

// Reads the meshes that nodes of the scene use. Other meshes of the file remain empty and cost
// nothing. A mesh is read with joints and weights if at least one of its nodes has a skin.
static bool read_meshes(gltf_reader *reader)
{
    plain_scene *const plain = reader->plain;
    plain->num_meshes = gltf_count(reader->file, "meshes");
    plain->meshes = common_alloc(plain->num_meshes, sizeof *plain->meshes);
    bool *const is_used = common_alloc(plain->num_meshes, sizeof *is_used);
    bool *const has_skin = common_alloc(plain->num_meshes, sizeof *has_skin);
    bool is_read = true;

    for (size_t i = 0; i < plain->num_nodes && is_read; i++) {
        const plain_node *const node = &plain->nodes[i];
        if (!node->is_in_scene || node->mesh == MD5_NONE)
            continue;
        is_read = read_weights(reader, (uint32_t)i);
        is_used[node->mesh] = true;
        has_skin[node->mesh] |= node->skin != MD5_NONE;
    }

    for (size_t i = 0; i < plain->num_meshes && is_read; i++) {
        if (is_used[i])
            is_read = read_mesh(reader, (uint32_t)i, has_skin[i]);
    }

    free(is_used);
    free(has_skin);
    return is_read;
}

// Stores the names of the materials. Their textures are read later, and only for materials that
// a mesh uses.
static void read_material_names(gltf_reader *reader)
{
    plain_scene *const plain = reader->plain;
    plain->num_materials = gltf_count(reader->file, "materials");
    plain->materials = common_alloc(plain->num_materials, sizeof *plain->materials);
    for (size_t i = 0; i < plain->num_materials; i++)
        plain->materials[i].name = gltf_text(gltf_item(reader->file, "materials", i), "name");
}

// -- Cameras and animations -----------------------------------------------------------------------

// Reads the cameras. glTF stores the vertical field of view in radians, and MD5 the horizontal
// one in degrees for an image of 4:3.
static void read_cameras(gltf_reader *reader)
{
    const double degree = 3.14159265358979323846 / 180.0;
    plain_scene *const plain = reader->plain;
    plain->num_cameras = gltf_count(reader->file, "cameras");
    plain->cameras = common_alloc(plain->num_cameras, sizeof *plain->cameras);
    for (size_t i = 0; i < plain->num_cameras; i++) {
        const json_t *const object = gltf_item(reader->file, "cameras", i);
        const json_t *const lens = json_object_get(object, "perspective");
        const char *const kind = gltf_text(object, "type");
        const double yfov = fmin(fmax(gltf_number(lens, "yfov", 0), 0.01), 3.0);
        plain->cameras[i] =
            (plain_camera){.is_perspective = kind && strcmp(kind, "perspective") == 0,
                           .fov = 2 * atan(tan(yfov / 2.0) * 4.0 / 3.0) / degree};
    }
}

// Returns the property of a node that a channel of an animation changes, such as "rotation", or
// NULL. *node is the index of the node, or MD5_NONE. With KHR_animation_pointer, a pointer such as
// "/nodes/3/rotation" contains both.
static const char *find_target(const gltf_reader *reader, const json_t *channel, uint32_t *node)
{
    const json_t *const target = json_object_get(channel, "target");
    const char *const pointer = gltf_text(
        json_object_get(json_object_get(target, "extensions"), "KHR_animation_pointer"), "pointer");
    *node = gltf_index(target, "node");
    static const char prefix[] = "/nodes/";
    if (!pointer || strncmp(pointer, prefix, strlen(prefix)) != 0)
        return gltf_text(target, "path");

    const char *const digits = pointer + strlen(prefix);
    char *end = NULL;
    const unsigned long number = strtoul(digits, &end, 10);
    if (end == digits || *end != '/' || number >= reader->plain->num_nodes)
        return NULL;
    *node = (uint32_t)number;
    return end + 1;
}

// Returns the number of morph targets of a mesh. All primitives have the same number.
static size_t count_targets(const gltf_reader *reader, uint32_t mesh)
{
    const json_t *const object = gltf_item(reader->file, "meshes", mesh);
    const json_t *const primitives = json_object_get(object, "primitives");
    return json_array_size(json_object_get(json_array_get(primitives, 0), "targets"));
}

// Sets the part of a track, such as the rotation of a node, and its width, the number of floats in
// a value. `property` is the name of the part in glTF, or NULL. Returns false if the channel does
// not animate a part of the scene.
static bool find_part(const gltf_reader *reader, const char *property, plain_track *track)
{
    static const char *const names[] = {"translation", "rotation", "scale", "weights"};
    static const size_t widths[] = {3, 4, 3, 0};
    int part = 0;
    while (part <= PLAIN_WEIGHTS && (!property || strcmp(property, names[part]) != 0))
        part++;
    if (track->node == MD5_NONE || part > PLAIN_WEIGHTS)
        return false;
    track->part = (plain_part)part;
    track->width = widths[part];
    if (part < PLAIN_WEIGHTS)
        return true;

    // A value of weights has a weight for each morph target of the mesh.
    const uint32_t mesh = reader->plain->nodes[track->node].mesh;
    track->width = count_targets(reader, mesh);
    return mesh != MD5_NONE;
}

// Fails if the times of a track are negative or do not ascend.
static bool check_times(const gltf_file *file, const plain_track *track, uint32_t accessor)
{
    for (size_t k = 0; k < track->num_keys; k++) {
        const float time = track->times[k];
        if (!(time >= 0))
            return gltf_fail(
                file,
                "accessors/%u: time of key %zu is out of range: expected at least 0 s, "
                "found %g s" CONVERT_REMEDY,
                accessor, k, time);
        if (k > 0 && !(time > track->times[k - 1]))
            return gltf_fail(file,
                             "accessors/%u: times are out of order: expected key %zu after %g s, "
                             "found %g s" CONVERT_REMEDY,
                             accessor, k, track->times[k - 1], time);
    }
    return true;
}

// Reads the keys of a track and checks them. clips.c relies on these checks: there are as many
// values as times, and the times ascend.
static bool read_keys(gltf_reader *reader, const char *location, const json_t *sampler,
                      plain_track *track)
{
    static const gltf_shape shapes[] = {GLTF_VEC3, GLTF_VEC4, GLTF_VEC3, GLTF_SCALAR};
    gltf_file *const file = reader->file;
    const uint32_t input = gltf_index(sampler, "input");
    const uint32_t output = gltf_index(sampler, "output");
    if (track->width == 0)
        return gltf_fail(
            file,
            "%s: the channel animates morph targets: expected a mesh with targets, found "
            "none at nodes/%u" CONVERT_REMEDY,
            location, track->node);

    size_t num_elements = 0;
    track->times = gltf_read(file, input, GLTF_SCALAR, &track->num_keys);
    if (!track->times)
        return false;
    track->values = gltf_read(file, output, shapes[track->part], &num_elements);
    if (!track->values || !gltf_charge(file, track->num_keys))
        return false;

    // The weights of a key are separate elements; every other value is one element.
    const size_t elements_per_value = track->part == PLAIN_WEIGHTS ? track->width : 1;
    const size_t values_per_key = track->kind == PLAIN_CUBIC ? 3 : 1; // with both tangents
    if (num_elements / elements_per_value < values_per_key * track->num_keys)
        return gltf_fail(file,
                         "%s: wrong number of values: expected %zu for %zu keys, found %zu in "
                         "accessors/%u" CONVERT_REMEDY,
                         location, elements_per_value * values_per_key * track->num_keys,
                         track->num_keys, num_elements, output);
    return check_times(file, track, input);
}

// Returns the name of a missing part of a channel's sampler, or NULL if the sampler is complete. A
// sampler refers to the times of the keys (input) and to their values (output).
static const char *find_missing_part(const json_t *sampler)
{
    if (!sampler)
        return "sampler";
    if (gltf_index(sampler, "input") == MD5_NONE)
        return "input of the sampler";
    if (gltf_index(sampler, "output") == MD5_NONE)
        return "output of the sampler";
    return NULL;
}

// Reads the interpolation of a sampler, which is linear by default. Returns PLAIN_NUM_KINDS if its
// name is unknown.
static plain_keys read_interpolation(const char *name)
{
    static const char *const kinds[PLAIN_NUM_KINDS] = {"LINEAR", "STEP", "CUBICSPLINE"};
    plain_keys kind = PLAIN_LINEAR;
    if (!name)
        return kind;
    while (kind < PLAIN_NUM_KINDS && strcmp(name, kinds[kind]) != 0)
        kind++;
    return kind;
}

// Reads one channel of an animation, which becomes a track. A channel that does not animate a part
// of a node is only counted.
static bool read_channel(gltf_reader *reader, const char *location, const json_t *object,
                         const json_t *channel, plain_animation *animation)
{
    gltf_file *const file = reader->file;
    const size_t sampler_index = (size_t)gltf_number(channel, "sampler", 0);
    const json_t *const sampler =
        json_array_get(json_object_get(object, "samplers"), sampler_index);
    const char *const missing = find_missing_part(sampler);
    if (missing)
        return gltf_fail(file, "%s: missing %s" CONVERT_REMEDY, location, missing);

    const char *const interpolation = gltf_text(sampler, "interpolation");
    plain_track track = {.node = MD5_NONE, .kind = read_interpolation(interpolation)};
    if (track.kind == PLAIN_NUM_KINDS)
        return gltf_fail(file,
                         "%s: unknown interpolation: expected LINEAR, STEP or CUBICSPLINE, found "
                         "%.40s" CONVERT_REMEDY,
                         location, interpolation);

    const char *const property = find_target(reader, channel, &track.node);
    if (!find_part(reader, property, &track)) {
        animation->num_skipped++;
        return true;
    }
    if (!read_keys(reader, location, sampler, &track))
        return false;
    *COMMON_ADD_ITEM(animation->tracks, animation->num_tracks) = track;
    return true;
}

// Reads the fields of view of a camera path, one per frame, from the extras of an animation. glTF
// cannot animate them; gltf_write.c stores them there. An invalid array is ignored.
static void read_fovs(const json_t *values, plain_animation *animation)
{
    animation->num_fovs = json_array_size(values);
    animation->fovs = common_alloc(animation->num_fovs, sizeof *animation->fovs);
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *const value = json_array_get(values, i);
        if (!json_is_number(value))
            animation->num_fovs = 0;
        animation->fovs[i] = json_number_value(value);
    }
}

// Reads all animations. Each channel becomes a track of one node. glTF cannot store the frame rate
// and the fields of view. They are read from the extras of our own files.
static bool read_animations(gltf_reader *reader)
{
    plain_scene *const plain = reader->plain;
    plain->num_animations = gltf_count(reader->file, "animations");
    plain->animations = common_alloc(plain->num_animations, sizeof *plain->animations);
    for (size_t i = 0; i < plain->num_animations; i++) {
        plain_animation *const animation = &plain->animations[i];
        const json_t *const object = gltf_item(reader->file, "animations", i);
        const json_t *const channels = json_object_get(object, "channels");
        animation->name = gltf_text(object, "name");
        animation->rate = gltf_number(gltf_extras(object), "frameRate", 0);
        read_fovs(json_object_get(gltf_extras(object), "fov"), animation);
        for (size_t k = 0; k < json_array_size(channels); k++) {
            char location[64];
            COMMON_TEXT(location, "animations/%zu/channels/%zu", i, k);
            if (!read_channel(reader, location, object, json_array_get(channels, k), animation))
                return false;
        }
    }

    return true;
}

// -- Files ----------------------------------------------------------------------------------------

// Reads the unit and the rotation that gltf_write.c stored.
static void read_asset(gltf_reader *reader)
{
    const json_t *const stored = gltf_extras(json_object_get(reader->file->root, "asset"));
    const double scale = gltf_number(stored, "scale", 0);
    if (scale > 1e-9 && scale < 1e9)
        reader->plain->unit = 1.0 / scale;
    reader->plain->has_yaw = json_is_number(json_object_get(stored, "turn"));
    reader->plain->yaw = gltf_number(stored, "turn", 0);
}

// Fills the plain scene with the content of the file. Later calls use the results of earlier calls,
// such as the nodes and the selected scene.
static bool read_scene(gltf_reader *reader)
{
    read_asset(reader);
    read_cameras(reader);
    read_material_names(reader);
    return read_nodes(reader) && select_scene(reader) && check_instances(reader)
           && read_skins(reader) && read_meshes(reader) && read_animations(reader);
}

// Reads a glTF file in three steps. Fills a plain scene from the file, converts the plain scene to
// MD5, and adds the materials of the file to the result.
bool convert_read_gltf(const convert_job *job, convert_input *input, convert_scene *scene,
                       md5_error *error)
{
    gltf_file file;
    plain_scene plain = {.job = job, .error = error, .path = input->path, .axes = plain_gltf_axes};
    gltf_reader reader = {.file = &file, .plain = &plain};
    const bool is_read = gltf_open(&file, job, input, error) && read_scene(&reader)
                         && convert_build(&plain, scene)
                         && gltf_add_materials(&file, &plain, scene);
    plain_free(&plain);
    gltf_close(&file);
    return is_read;
}

#else

// Reports that glTF is not supported, because the program was built without jansson, which
// parses JSON.
bool convert_read_gltf(const convert_job *job, convert_input *input, convert_scene *scene,
                       md5_error *error)
{
    (void)job;
    (void)scene;
    return convert_fail(error, MD5_ERROR_VERSION, input->path,
                        "glTF is not supported: built without jansson; install it (Debian: "
                        "libjansson-dev) and build again");
}

#endif
