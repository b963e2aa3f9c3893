// Converts the meshes and morph targets of a plain scene to MD5 meshes.
//
// An MD5 vertex has one point for each joint that moves it, in the space of that joint. A mesh of a
// plain scene consists of primitives, one for each material, and each primitive becomes an MD5
// mesh. A slot is an index in the list of joints of a skin. The main structure is mesh_builder, a
// primitive while it is converted.
#include "demo/convert/meshes.h"

#include "demo/looks/look.h"

// -- Names ----------------------------------------------------------------------------------------

// Returns the name of a morph target of a node's mesh: the name in the file, or "target_N". The
// caller frees it.
char *rig_target_name(const convert_rig *rig, uint32_t node, size_t target)
{
    const plain_mesh *const mesh = &rig->plain->meshes[rig->nodes[node].in->mesh];
    char *const name =
        target < mesh->num_target_names ? plain_file_name(mesh->target_names[target]) : NULL;
    return name ? name : common_format("target_%zu", target + 1);
}

// -- Primitives -----------------------------------------------------------------------------------

enum { MAX_WEIGHTS = 4 * PLAIN_MAX_SETS };

// An attribute of a primitive's vertices.
typedef struct vertex_values {
    const float *values; // [num_vertices][width]
    size_t width;
} vertex_values;

// A primitive of a node's mesh while it becomes an MD5 mesh.
typedef struct mesh_builder {
    rig_meshes *meshes;
    plain_scene *plain;
    uint32_t node;
    const plain_primitive *in;
    const rig_skin *skin;        // NULL: all vertices belong to `joint`
    const convert_affine *bases; // transform from the mesh to each joint's space, for the joints of
                                 // the skin or for `joint`
    uint32_t joint;
    char location[64];         // location of the primitive in the file, for messages
    size_t num_sets;           // sets of four joints and weights; 0 without a skin
    size_t num_corners;        // triangle corners: indices, or vertices if there are no indices
    vertex_values *attributes; // [num_attributes] all attributes
    size_t num_attributes;
    size_t num_kept; // number of the first vertices that are never merged; see count_md5_vertices()
    uint32_t *md5_vertices; // [num_vertices] index of the MD5 vertex of each vertex
    md5_doc_mesh mesh;      // the result
    size_t num_targets; // morph targets that are converted: all targets of the primitive, or none
    md5_weight **moved; // [num_targets][mesh.num_weights] the result for each target
    size_t num_unbound; // vertices without weights
} mesh_builder;

// Adds an attribute with `width` numbers per vertex, unless the primitive does not have it (NULL).
static void add_attribute(mesh_builder *to, const float *values, size_t width)
{
    if (values)
        *COMMON_ADD_ITEM(to->attributes, to->num_attributes) = (vertex_values){values, width};
}

// Returns the vertex of a triangle corner.
static size_t corner_vertex(const mesh_builder *from, size_t i)
{
    return from->in->indices ? from->in->indices[i] : i;
}

// Lists the attributes that MD5 can store. Two vertices are merged if all of these are equal.
static void list_attributes(mesh_builder *to)
{
    const plain_primitive *const in = to->in;
    add_attribute(to, in->positions, 3);
    for (size_t set = 0; set < to->num_sets; set++) {
        add_attribute(to, in->joints[set], 4);
        add_attribute(to, in->weights[set], 4);
    }
    add_attribute(to, in->texcoords, 2);
    for (size_t i = 0; i < in->num_targets; i++)
        add_attribute(to, in->moves[i], 3);
}

// Returns the largest possible number of MD5 weights of a primitive. Each vertex has at most one
// weight per slot of its sets.
static uint64_t max_num_weights(const mesh_builder *to)
{
    const size_t max_weights = to->skin ? 1 + 4 * to->num_sets : 1; // per vertex
    return to->in->num_vertices * (uint64_t)max_weights;
}

// Charges the cost of a primitive without its morph targets to the budget. Returns false if the
// budget is exceeded.
static bool charge_primitive(const mesh_builder *to)
{
    enum { BYTES_PER_CORNER = 32 }; // memory for each corner and each vertex in MD5's tables
    const convert_job *const job = to->plain->job;
    const uint64_t num_weights = max_num_weights(to);
    const uint64_t num_corners = to->num_corners;
    return plain_charge(to->plain, 2 * num_corners + num_weights)
           && convert_charge_bytes(job, num_weights, sizeof(md5_weight), to->plain->error)
           && convert_charge_bytes(job, num_corners + to->in->num_vertices, BYTES_PER_CORNER,
                                   to->plain->error);
}

// Charges the cost of a primitive's morph targets, which repeat its weights. Returns false if the
// budget is exceeded.
static bool can_charge_targets(const mesh_builder *to)
{
    const convert_job *const job = to->plain->job;
    const uint64_t num_weights = max_num_weights(to) * to->in->num_targets;
    return convert_can_charge(job, num_weights)
           && convert_can_charge_bytes(job, num_weights, sizeof(md5_weight));
}

// Prepares a primitive for its conversion. If it has no positions, num_corners remains 0. Returns
// false if the budget is exceeded. If only the morph targets exceed it, none of them is converted.
static bool prepare_primitive(mesh_builder *to)
{
    rig_meshes *const meshes = to->meshes;
    const plain_primitive *const in = to->in;
    if (!in->positions)
        return true;
    to->num_sets = to->skin ? in->num_sets : 0;
    to->num_corners = in->indices ? in->num_indices : in->num_vertices;
    if (!in->has_normals)
        meshes->num_flat++;
    if (in->has_colors)
        meshes->num_colored++;
    list_attributes(to);
    if (!charge_primitive(to))
        return false;

    for (size_t i = 0; i < in->num_targets; i++) {
        char *const name = rig_target_name(meshes->rig, to->node, i);
        common_index_text(&meshes->targets, name, strlen(name));
        free(name);
    }
    meshes->lacks_targets |= !can_charge_targets(to);
    to->num_targets = meshes->lacks_targets ? 0 : in->num_targets;
    to->moved = common_alloc(to->num_targets, sizeof *to->moved);
    return true;
}

// Writes the values of all listed attributes of a vertex. Vertices with equal values are merged,
// because glTF splits vertices where normals, tangents or colors differ, which MD5 does not store.
static void write_attributes(const mesh_builder *from, size_t v, float *values)
{
    for (size_t j = 0; j < from->num_attributes; j++) {
        vertex_values *const a = &from->attributes[j];
        for (size_t i = 0; i < a->width; i++)
            *values++ = a->values[a->width * v + i] + 0; // changes -0 to 0
    }
}

// -- Meshes ---------------------------------------------------------------------------------------

// An influence of a vertex: a joint of the skin and its weight.
typedef struct joint_weight {
    uint32_t slot; // index of the joint in the skin
    double weight;
} joint_weight;

// Adds a weight to the influence of a slot, or appends a new influence. Returns the new number of
// influences.
static size_t add_influence(joint_weight *found, size_t count, uint32_t slot, double weight)
{
    size_t k = 0;
    while (k < count && found[k].slot != slot)
        k++;
    if (k == count)
        found[k] = (joint_weight){slot, 0};
    found[k].weight += weight;
    return k == count ? count + 1 : count;
}

// Reads the influences of a vertex, one for each joint with a positive weight. The sum of the
// weights is scaled to 1. A vertex without weights is attached to the first joint. Returns the
// number of influences, or 0 after an error, which is an invalid index of a joint.
static size_t read_influences(mesh_builder *to, size_t v, joint_weight found[MAX_WEIGHTS])
{
    size_t count = 0;
    double sum = 0;
    for (size_t i = 0; i < 4 * to->num_sets; i++) {
        const size_t set = i / 4;
        const size_t element = 4 * v + i % 4; // each set has four elements per vertex
        const double weight = to->in->weights[set][element];
        const double slot = to->in->joints[set][element];
        if (!(weight > 0))
            continue;
        if (!(slot >= 0 && slot < (double)to->skin->num_joints)) {
            plain_fail(to->plain,
                       "%s: joint index of vertex %zu is out of range: expected less than %zu, the "
                       "number of joints of the skin, found %g; export the file again",
                       to->location, v, to->skin->num_joints, slot);
            return 0;
        }
        count = add_influence(found, count, (uint32_t)slot, weight);
        sum += weight;
    }

    if (count == 0) {
        found[0] = (joint_weight){0, 1};
        if (to->skin != NULL)
            to->num_unbound++;
        return 1;
    }

    for (size_t k = 0; k < count; k++)
        found[k].weight /= sum;
    return count;
}

// Adds an uninitialized vertex and returns its index.
static uint32_t add_empty_vertex(md5_doc_mesh *mesh)
{
    const uint32_t index = mesh->num_vertices++;
    mesh->vertices = common_grow(mesh->vertices, index, sizeof *mesh->vertices);
    mesh->texcoords = common_grow(mesh->texcoords, index, sizeof *mesh->texcoords);
    return index;
}

// Returns the position of a vertex after a morph target was applied with the weight `factor`.
static convert_vec move_vertex(const plain_primitive *in, size_t target, size_t v, double factor,
                               convert_vec position)
{
    if (!in->moves[target])
        return position;
    const float *const move = in->moves[target] + 3 * v;
    return convert_add(position,
                       (convert_vec){factor * move[0], factor * move[1], factor * move[2]});
}

// Returns the position of a vertex with the default weights of the morph targets.
static convert_vec default_position(const mesh_builder *to, size_t v)
{
    const float *const p = to->in->positions + 3 * v;
    const plain_node *const node = to->meshes->rig->nodes[to->node].in;
    convert_vec position = {p[0], p[1], p[2]};
    for (size_t i = 0; i < to->in->num_targets && i < node->num_weights; i++) {
        if (node->weights[i] != 0)
            position = move_vertex(to->in, i, v, node->weights[i], position);
    }
    return position;
}

// Adds one weight of vertex `v` to the mesh and to each of its morph targets. `v` must be the last
// vertex that was added. In a target, the weight has the position to which the target moves the
// vertex.
static void add_weight(mesh_builder *to, size_t v, joint_weight influence, uint32_t joint)
{
    md5_doc_mesh *const mesh = &to->mesh;
    const size_t num_targets = to->num_targets;
    const convert_vec start = default_position(to, v);
    for (size_t target = 0; target <= num_targets; target++) {
        const bool is_mesh = target == num_targets; // after the targets
        md5_weight **const weights = is_mesh ? &mesh->weights : &to->moved[target];
        const convert_vec position = is_mesh ? start : move_vertex(to->in, target, v, 1, start);
        const convert_vec offset = convert_affine_point(&to->bases[influence.slot], position);
        *weights = common_grow(*weights, mesh->num_weights, sizeof **weights);
        (*weights)[mesh->num_weights] =
            (md5_weight){joint, (float)influence.weight, convert_stored_point(offset)};
    }
    mesh->num_weights++;
}

// Returns the texture coordinates of a vertex after the transform of its texture.
static md5_vec2 transform_texcoord(const plain_primitive *in, size_t v)
{
    const double u = in->texcoords ? in->texcoords[2 * v] : 0;
    const double w = in->texcoords ? in->texcoords[2 * v + 1] : 0;
    const double(*const rows)[3] = in->texture;
    return (md5_vec2){(float)(rows[0][0] * u + rows[0][1] * w + rows[0][2]),
                      (float)(rows[1][0] * u + rows[1][1] * w + rows[1][2])};
}

// Returns false and fills the scene's error if a vertex is outside the limits of MD5. `first` is
// its first weight.
static bool check_vertex(const mesh_builder *to, size_t v, uint32_t first)
{
    const float max_length = 1e9f;
    for (uint32_t i = first; i < to->mesh.num_weights; i++) {
        const float *const p = to->in->positions + 3 * v;
        if (md5_vec3_length(to->mesh.weights[i].offset) <= max_length)
            continue;
        const plain_node *const node = to->meshes->rig->nodes[to->node].in;
        const plain_mesh *const mesh = &to->plain->meshes[node->mesh];
        const char *const name = node->name ? node->name : mesh->name;
        return plain_fail(to->plain,
                          "mesh '%.60s': vertex %zu is out of range: expected at most 1e9 units "
                          "from its joint, found (%g %g %g) in units of the file; repair its "
                          "position, or use a lower --scale",
                          name ? name : "", v, (double)p[0], (double)p[1], (double)p[2]);
    }
    return true;
}

// Adds vertex `v` of the primitive as an MD5 vertex, with one weight per joint, also for each morph
// target. Fails if the primitive refers to a joint that does not exist, or if the position is out
// of range.
static bool add_vertex(mesh_builder *to, size_t v)
{
    md5_doc_mesh *const mesh = &to->mesh;
    joint_weight found[MAX_WEIGHTS];
    const size_t count = read_influences(to, v, found);
    if (count == 0)
        return false;

    const uint32_t index = add_empty_vertex(mesh);
    mesh->vertices[index] = (md5_vertex){mesh->num_weights, (uint32_t)count};
    mesh->texcoords[index] = transform_texcoord(to->in, v);
    for (size_t k = 0; k < count; k++) {
        const uint32_t joint = to->skin ? to->skin->joints[found[k].slot] : to->joint;
        add_weight(to, v, found[k], joint == MD5_NONE ? 0 : joint);
    }
    return check_vertex(to, v, mesh->num_weights - (uint32_t)count);
}

// Returns, for each vertex, the index of the first vertex with the same values of all attributes.
static uint32_t *find_equal_vertices(const mesh_builder *to)
{
    const size_t count = to->in->num_vertices;
    size_t width = 0;
    for (size_t i = 0; i < to->num_attributes; i++)
        width += to->attributes[i].width;

    float *const values = common_alloc(count, width * sizeof *values);
    for (size_t v = 0; v < count; v++)
        write_attributes(to, v, values + v * width);
    uint32_t *const first = common_alloc(count, sizeof *first);
    common_find_equal(values, count, width * sizeof *values, first);
    free(values);
    return first;
}

// Adds the vertices that triangles use, in the order of the file. Equal vertices are merged. The
// first num_kept vertices are always added separately, because each of them was an MD5 vertex.
static bool add_vertices(mesh_builder *to)
{
    const size_t count = to->in->num_vertices;
    bool *const is_used = common_alloc(count, sizeof *is_used);
    for (size_t i = 0; i < to->num_corners; i++)
        is_used[corner_vertex(to, i)] = true;
    memset(is_used, true, to->num_kept);

    // For the first of several equal vertices, `added` contains the index of their MD5 vertex. It
    // is MD5_NONE until one of them is added.
    uint32_t *const first = find_equal_vertices(to);
    uint32_t *const added = common_alloc(count, sizeof *added);
    for (size_t v = 0; v < count; v++)
        added[v] = MD5_NONE;

    bool is_done = true;
    for (size_t v = 0; v < count && is_done; v++) {
        if (!is_used[v])
            continue;
        uint32_t *const equal_vertex = &added[first[v]];
        const bool is_new = v < to->num_kept || *equal_vertex == MD5_NONE;
        to->md5_vertices[v] = is_new ? to->mesh.num_vertices : *equal_vertex;
        if (*equal_vertex == MD5_NONE)
            *equal_vertex = to->md5_vertices[v];
        if (is_new)
            is_done = add_vertex(to, v);
    }

    free(added);
    free(first);
    free(is_used);
    return is_done;
}

// Returns a vertex that no triangle uses yet: the vertex itself or a copy with the same weights.
static uint32_t unshare_vertex(md5_doc_mesh *mesh, bool *is_used, uint32_t vertex)
{
    if (!is_used[vertex]) {
        is_used[vertex] = true;
        return vertex;
    }
    const uint32_t copy = add_empty_vertex(mesh);
    mesh->vertices[copy] = mesh->vertices[vertex];
    mesh->texcoords[copy] = mesh->texcoords[vertex];
    return copy;
}

// Finds the three vertices of a triangle whose first corner is `first`. In a strip, each second
// triangle has the opposite orientation.
static void find_triangle(const mesh_builder *to, size_t first, uint32_t triangle[3])
{
    const plain_mode mode = to->in->mode;
    const bool is_opposite = mode == PLAIN_STRIP && first % 2 == 1;
    const size_t second = is_opposite ? first + 2 : first + 1;
    const size_t third = is_opposite ? first + 1 : first + 2;
    triangle[0] = to->md5_vertices[corner_vertex(to, mode == PLAIN_FAN ? 0 : first)];
    triangle[1] = to->md5_vertices[corner_vertex(to, second)];
    triangle[2] = to->md5_vertices[corner_vertex(to, third)];
}

// Returns true if two vertices of a triangle are equal. Such a triangle has no area.
static bool is_degenerate(const uint32_t triangle[3])
{
    return triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[0] == triangle[2];
}

// Adds all triangles that have three different vertices. Front faces are clockwise in MD5, so two
// corners are exchanged, unless the placement of the mesh mirrors it. If the primitive has no
// normals, triangles get separate vertices, so that they are flat-shaded.
static void add_triangles(mesh_builder *to)
{
    md5_doc_mesh *const mesh = &to->mesh;
    bool *const is_used = common_alloc(mesh->num_vertices, sizeof *is_used);
    const convert_affine *const placement =
        to->skin ? &to->skin->placement : &to->meshes->rig->nodes[to->node].world;
    const bool is_mirrored = convert_determinant(placement) < 0; // in the bind pose
    const size_t step = to->in->mode == PLAIN_TRIANGLES ? 3 : 1; // corners between triangles

    for (size_t i = 0; i + 2 < to->num_corners; i += step) {
        uint32_t triangle[3];
        find_triangle(to, i, triangle);
        if (is_degenerate(triangle))
            continue;
        if (!to->in->has_normals) {
            for (int k = 0; k < 3; k++)
                triangle[k] = unshare_vertex(mesh, is_used, triangle[k]);
        }

        const size_t index = mesh->num_triangles++;
        mesh->indices = common_grow(mesh->indices, index, 3 * sizeof *mesh->indices);
        uint32_t *const added = mesh->indices + 3 * index;
        added[0] = triangle[0];
        added[1] = is_mirrored ? triangle[1] : triangle[2];
        added[2] = is_mirrored ? triangle[2] : triangle[1];
    }
    free(is_used);
}

// Returns the name for a mesh. If the mesh was an MD5 mesh before, it keeps its name, even if it is
// empty. Otherwise it gets the name of its node or its name in the file.
static const char *mesh_name(const mesh_builder *to)
{
    rig_meshes *const meshes = to->meshes;
    const plain_node *const node = meshes->rig->nodes[to->node].in;
    const plain_mesh *const mesh = &to->plain->meshes[node->mesh];
    const char *name = mesh->md5_name;
    if (name && name[0] == '\0')
        return "";
    if (!name)
        name = node->name;
    if (!name)
        name = mesh->name;
    return rig_add_name(&meshes->names, name, 255, "mesh_", meshes->model.num_meshes + (size_t)1);
}

// Returns the name of a material with '_' instead of dots, unless it is the name of an image. Doom
// 3 ignores the last dot of a shader and the text after it. Without this change, Material.001 and
// Material.002 would become one material. If the name is an image that engines do not read, such as
// skin.bmp of Half-Life, the extension is removed, so that an image skin.png or skin.tga is found.
static char *replace_dots(const char *name)
{
    char *const copy = convert_trim_image_name(name);
    if (view_is_image(name))
        return copy;
    for (char *c = copy; *c != '\0'; c++) {
        if (*c == '.')
            *c = '_';
    }
    return copy;
}

// Selects the shader of a mesh. A mesh with a material gets the shader of the material, which is
// named when the first mesh uses it. Other meshes get the shader that the file stores, or NULL.
static const char *mesh_shader(const mesh_builder *to)
{
    rig_meshes *const meshes = to->meshes;
    const uint32_t index = to->in->material;
    const char *shader = to->plain->meshes[meshes->rig->nodes[to->node].in->mesh].shader;
    if (index == MD5_NONE)
        return shader;
    plain_material *const material = &to->plain->materials[index];
    if (material->shader)
        return material->shader;

    // Files that were written from MD5 contain the shader of the mesh. If the name of the material
    // is a prefix of the shader, the shader is used. Otherwise an editor has changed the material,
    // and the name of the material is used.
    const char *const name = material->name;
    const bool is_named = name && (!shader || strncmp(name, shader, strlen(name)) != 0);
    char *const plain_name = is_named ? replace_dots(name) : common_copy(shader);
    material->shader = common_copy(
        rig_add_name(&meshes->rig->shaders, plain_name, 255, "material_", index + (size_t)1));
    free(plain_name);
    if (is_named && strcmp(name, material->shader) != 0)
        convert_note(to->plain->job, "renamed material '%.100s' to %s", name, material->shader);
    return material->shader;
}

// Adds the finished mesh to the model, with its name and shader, and adds its morph targets to
// the list of all targets. Reports vertices without weights.
static void add_mesh(mesh_builder *to)
{
    rig_meshes *const meshes = to->meshes;
    const uint32_t mesh_index = meshes->model.num_meshes;
    const uint32_t material = to->in->material;
    to->mesh.name = mesh_name(to);
    const char *const shader = mesh_shader(to);
    to->mesh.shader = shader && shader[0] ? shader : to->mesh.name;
    if (material != MD5_NONE)
        to->plain->materials[material].is_flat |= !to->in->has_normals;

    for (size_t i = 0; i < to->num_targets; i++) {
        char *const target = rig_target_name(meshes->rig, to->node, i);
        *COMMON_ADD_ITEM(meshes->moved, meshes->num_moved) =
            (rig_moved){target, mesh_index, to->moved[i]};
    }
    *COMMON_ADD_ITEM(meshes->model.meshes, meshes->model.num_meshes) = to->mesh;
    if (to->num_unbound > 0)
        convert_note(to->plain->job,
                     "mesh %s: attached %zu %s without weights to the skin's first joint; assign "
                     "weights before you export the file",
                     to->mesh.name, to->num_unbound,
                     common_noun(to->num_unbound, "vertex", "vertices"));
}

static void free_mesh(const md5_doc_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->texcoords);
    free(mesh->indices);
    free(mesh->weights);
}

// Frees the displacements of morph targets that were not added to the model.
static void free_moved(const mesh_builder *to)
{
    for (size_t i = 0; i < to->num_targets; i++)
        free(to->moved[i]);
}

// Skips a primitive that contains points or lines. Returns false if the budget is exceeded.
static bool skip_primitive(const mesh_builder *to)
{
    enum { ELEMENTS_PER_SKIPPED = 50 };
    if (!plain_charge(to->plain, ELEMENTS_PER_SKIPPED))
        return false;
    convert_note(to->plain->job,
                 "skipped %s: expected triangles, found points or lines; convert the primitive "
                 "to triangles",
                 to->location);
    return true;
}

// Converts a primitive to a mesh of the model, if it contains a triangle. `to` is a copy, so that
// each primitive begins with the same state.
static bool convert_primitive(mesh_builder to)
{
    // Elements that a primitive is charged for, in addition to its vertices.
    enum { ELEMENTS_PER_PRIMITIVE = 1000 };
    if (to.in->mode == PLAIN_OTHER)
        return skip_primitive(&to);

    to.md5_vertices = common_alloc(to.in->num_vertices, sizeof *to.md5_vertices);
    const bool is_converted = plain_charge(to.plain, ELEMENTS_PER_PRIMITIVE)
                              && prepare_primitive(&to) && add_vertices(&to);
    if (is_converted)
        add_triangles(&to);
    if (is_converted && to.mesh.num_triangles > 0) {
        add_mesh(&to);
    } else {
        free_mesh(&to.mesh);
        free_moved(&to);
    }

    free(to.md5_vertices);
    free(to.attributes);
    free((void *)to.moved);
    return is_converted;
}

// Creates the transforms from the mesh to each joint in the bind pose; see rig.h. If the skin is
// bound in the rest pose, the rounded pose of the file is used, so that rounding does not move
// vertices. The caller frees the array.
static convert_affine *create_bases(const mesh_builder *to)
{
    const convert_rig *const rig = to->meshes->rig;
    const size_t count = to->skin ? to->skin->num_joints : 1;
    const bool is_bound_at_rest = to->skin && to->skin->is_bound_at_rest;
    const convert_affine *const placement =
        to->skin ? &to->skin->placement : &rig->nodes[to->node].world;
    convert_affine *const bases = common_alloc(count, sizeof *bases);

    for (size_t k = 0; k < count; k++) {
        const uint32_t index = to->skin ? to->skin->joints[k] : to->joint;
        const rig_joint *const joint = &rig->joints[index == MD5_NONE ? 0 : index];
        const bool has_inverse_bind = to->skin && index != MD5_NONE && !is_bound_at_rest;
        if (has_inverse_bind) {
            bases[k] = convert_mul_affine(&joint->residue, &to->skin->inverse_binds[k]);
            continue;
        }
        convert_xform pose = joint->rest_pose;
        if (is_bound_at_rest)
            pose = convert_from_xform(convert_stored_pose(joint->bind_pose));
        const convert_affine to_joint = convert_affine_from_xform(convert_inverse(pose));
        bases[k] = convert_mul_affine(&to_joint, placement);
    }

    return bases;
}

// Returns the joint for meshes that are not below a joint. Such meshes do not move in the file. If
// the additional root is a joint, they are attached to it, and otherwise to a root that no clip
// moves. If an engine allows only one root, the only root is used even if a clip moves it.
static uint32_t find_mesh_root(const convert_rig *rig)
{
    const uint32_t additional_root = rig->nodes[rig->num_nodes - 1].joint;
    const uint32_t still_root = rig_find_still_root(rig);
    if (additional_root != MD5_NONE)
        return additional_root;
    return still_root != MD5_NONE ? still_root : 0;
}

// Reports to which joint a mesh without a skin was attached. In a file with skins, such a mesh may
// not be a part of the character. `is_below_joint` means that the joint is above the mesh in the
// file.
static void note_rigid_mesh(const convert_rig *rig, const char *mesh_name, const rig_joint *joint,
                            bool is_below_joint)
{
    const convert_job *const job = rig->plain->job;
    if (is_below_joint)
        convert_note(job, "mesh %.80s has no skin: it was attached to joint %s", mesh_name,
                     joint->name);
    else if (rig->nodes[joint->node].is_animated)
        convert_note(job,
                     "mesh %.80s has neither a skin nor a joint above it: it was attached to the "
                     "root joint %s and moves with it; make the mesh a child of a joint, or use "
                     "--hide to skip it",
                     mesh_name, joint->name);
    else
        convert_note(job,
                     "mesh %.80s has neither a skin nor a joint above it: it was attached to the "
                     "root joint %s, which does not move; use --hide to skip it",
                     mesh_name, joint->name);
}

// Returns the joint that moves a mesh without a skin: the nearest ancestor that is a joint, or a
// root.
static uint32_t find_rigid_joint(const convert_rig *rig, uint32_t node_index)
{
    const char *const name = rig->nodes[node_index].in->name;
    const uint32_t parent = rig_parent_joint(rig, node_index);
    const bool is_below_joint = parent != MD5_NONE;
    const uint32_t joint = is_below_joint ? parent : find_mesh_root(rig);
    if (rig->is_skinned)
        note_rigid_mesh(rig, name ? name : "?", &rig->joints[joint], is_below_joint);
    return joint;
}

// Returns how many of a primitive's first vertices were written from MD5 vertices and keep their
// order. Files store this number for meshes with one primitive. It is ignored if the primitive now
// has fewer vertices.
static size_t count_md5_vertices(const plain_mesh *mesh, const plain_primitive *primitive)
{
    const bool is_single = mesh->num_primitives == 1;
    const bool is_possible =
        mesh->num_vertices > 0 && mesh->num_vertices <= (double)primitive->num_vertices;
    return is_single && is_possible ? (size_t)mesh->num_vertices : 0;
}

// Converts all primitives of a node's mesh. A hostile file can use one skin with many joints in
// many nodes. The cost of the joints' transforms is therefore charged before they are computed.
static bool convert_node_mesh(rig_meshes *meshes, uint32_t node_index)
{
    enum { ELEMENTS_PER_PRODUCT = 4 }; // cost of a product of two transforms
    convert_rig *const rig = meshes->rig;
    plain_scene *const plain = rig->plain;
    const plain_node *const node = rig->nodes[node_index].in;
    const plain_mesh *const mesh = &plain->meshes[node->mesh];
    mesh_builder to = {.meshes = meshes, .plain = plain, .node = node_index, .joint = MD5_NONE};
    uint64_t num_bases = 1;

    if (node->skin != MD5_NONE) {
        to.skin = &rig->skins[node->skin];
        num_bases = to.skin->num_joints;
    } else {
        to.joint = find_rigid_joint(rig, node_index);
    }

    if (!plain_charge(plain, ELEMENTS_PER_PRODUCT * num_bases))
        return false;
    convert_affine *const bases = create_bases(&to);
    bool is_converted = true;
    to.bases = bases;

    for (size_t i = 0; i < mesh->num_primitives && is_converted; i++) {
        COMMON_TEXT(to.location, "meshes/%u/primitives/%zu", node->mesh, i);
        to.in = &mesh->primitives[i];
        to.num_kept = count_md5_vertices(mesh, to.in);
        is_converted = convert_primitive(to);
    }

    free(bases);
    return is_converted;
}

// Reports the properties of meshes that MD5 cannot store.
static void note_mesh_losses(const rig_meshes *meshes)
{
    const convert_job *const job = meshes->rig->plain->job;
    if (meshes->num_flat > 0)
        convert_note(job, "%zu %s no normals: flat-shaded, with triangles that share no vertices",
                     meshes->num_flat, common_noun(meshes->num_flat, "mesh has", "meshes have"));
    if (meshes->num_colored > 0)
        convert_note(job, "skipped the vertex colors of %zu %s: MD5 cannot store them",
                     meshes->num_colored, common_noun(meshes->num_colored, "mesh", "meshes"));
}

// Converts the meshes of all nodes to one MD5 model in the bind pose.
bool rig_convert_meshes(convert_rig *rig, rig_meshes *meshes)
{
    *meshes = (rig_meshes){.rig = rig,
                           .model = {.kind = MD5_DOC_MODEL, .command_line = "md5tool convert"}};
    md5_doc *const model = &meshes->model;
    model->num_joints = (uint32_t)rig->num_joints;
    model->joints = common_alloc(rig->num_joints, sizeof *model->joints);
    for (size_t j = 0; j < rig->num_joints; j++) {
        const rig_joint *const joint = &rig->joints[j];
        model->joints[j] = convert_doc_joint(joint->name, joint->parent, joint->bind_pose);
    }

    for (size_t i = 0; i < rig->num_nodes; i++) {
        const uint32_t index = rig->order[i];
        const plain_node *const node = rig->nodes[index].in;
        const bool has_mesh = node->is_in_scene && node->mesh != MD5_NONE;
        if (has_mesh && !convert_node_mesh(meshes, index))
            return false;
    }

    note_mesh_losses(meshes);
    return true;
}

// Frees the meshes, the joints of the model, the morph targets and the names.
void rig_free_meshes(rig_meshes *meshes)
{
    for (uint32_t i = 0; i < meshes->model.num_meshes; i++)
        free_mesh(&meshes->model.meshes[i]);
    for (size_t i = 0; i < meshes->num_moved; i++) {
        rig_moved *const moved = &meshes->moved[i];
        free(moved->target);
        free(moved->weights);
    }
    free(meshes->model.meshes);
    free(meshes->model.joints);
    free(meshes->moved);
    common_free_text_index(&meshes->targets);
    rig_free_names(&meshes->names);
}

// -- Morph targets --------------------------------------------------------------------------------

// The displacements of morph targets by name. Those with the same name form a linked list.
typedef struct target_groups {
    common_text_index names;
    size_t *first; // [names.count] index of the first of meshes->moved with this name
    size_t *next;  // [num_moved] index of the next with the same name, or SIZE_MAX
} target_groups;

// Groups the displacements of morph targets by the names of the targets. Meshes with targets of the
// same name share one target. The entries of a group form a list: first[group], then next[] of each
// entry, in the order of the file.
static target_groups group_targets(const rig_meshes *meshes)
{
    const size_t count = meshes->num_moved;
    target_groups groups = {.first = common_alloc(count, sizeof *groups.first),
                            .next = common_alloc(count, sizeof *groups.next)};
    size_t *const group = common_alloc(count, sizeof *group);
    for (size_t i = 0; i < count; i++) {
        const char *const name = meshes->moved[i].target;
        group[i] = common_index_text(&groups.names, name, strlen(name));
        groups.first[group[i]] = SIZE_MAX;
    }
    for (size_t i = count; i-- > 0;) {
        groups.next[i] = groups.first[group[i]];
        groups.first[group[i]] = i;
    }
    free(group);
    return groups;
}

static void free_groups(target_groups *groups)
{
    common_free_text_index(&groups->names);
    free(groups->first);
    free(groups->next);
}

// Returns false and fills the scene's error if a point is outside the limits of MD5.
static bool check_offsets(const plain_scene *plain, const md5_doc_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->num_weights; i++) {
        if (!(md5_vec3_length(mesh->weights[i].offset) <= 1e9f))
            return plain_fail(plain,
                              "mesh %s: vertex of a morph target is out of range: expected "
                              "coordinates up to 1e9 units; use a lower --scale",
                              mesh->name);
    }
    return true;
}

// Adds a morph target as a model. Meshes that the target moves get its weights, and all other
// meshes keep the weights of the model. `doc` is a copy of the model and is restored afterwards.
static bool add_target(const rig_meshes *meshes, const target_groups *groups, size_t group,
                       md5_doc *doc, convert_scene *scene)
{
    plain_scene *const plain = meshes->rig->plain;
    const md5_doc_mesh *const originals = meshes->model.meshes;
    for (size_t i = groups->first[group]; i != SIZE_MAX; i = groups->next[i]) {
        const rig_moved *const moved = &meshes->moved[i];
        // If several targets of the group move a mesh, the first of them applies.
        const bool is_first = doc->meshes[moved->mesh].weights == originals[moved->mesh].weights;
        if (is_first)
            doc->meshes[moved->mesh].weights = moved->weights;
    }

    bool is_done = true;
    for (uint32_t i = 0; i < doc->num_meshes && is_done; i++)
        is_done = check_offsets(plain, &doc->meshes[i]);
    is_done = is_done
              && convert_add_doc(plain->job, scene, CONVERT_TARGET, groups->names.texts[group], doc,
                                 plain->error);

    for (size_t i = groups->first[group]; i != SIZE_MAX; i = groups->next[i]) {
        const uint32_t mesh = meshes->moved[i].mesh;
        doc->meshes[mesh].weights = originals[mesh].weights;
    }
    return is_done;
}

// Returns the cost of writing a model, in elements of the budget.
static uint64_t model_cost(const md5_doc *model)
{
    uint64_t cost = model->num_joints;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        cost += model->meshes[i].num_weights + 2 * (uint64_t)model->meshes[i].num_triangles;
    return cost;
}

// Returns true if the remaining budget suffices for `count` (> 0) models of morph targets.
static bool has_budget(const convert_job *job, const md5_doc *model, size_t count)
{
    const uint64_t num_bytes = convert_estimate_text(model);
    const uint64_t num_elements = model_cost(model) + num_bytes;
    return num_elements <= convert_elements_left(job) / count
           && num_bytes <= convert_bytes_left(job) / count;
}

// Reports that all morph targets and their weights in clips were skipped.
static void note_skipped_targets(const rig_meshes *meshes, bool has_weights)
{
    const plain_scene *const plain = meshes->rig->plain;
    const double size = (double)convert_estimate_text(&meshes->model);
    convert_note(plain->job,
                 "%s: skipped all morph targets (%zu)%s: MD5 stores each of them as a model of up "
                 "to %.1f MB, and together they exceed the limit for the size of this file; to "
                 "convert some of them, delete the others in a 3D editor such as Blender",
                 plain->path, meshes->targets.count, has_weights ? " and their animation" : "",
                 size / 1e6);
}

// Writes each morph target as a separate model: the same model with moved vertices. Targets of
// several meshes with the same name are one target. MD5 does not have morph targets, and avatars
// have many of them. Their models are therefore optional: they are skipped if they exceed the
// budget. All of them are skipped, because the first ones are not more important than the others.
bool rig_add_targets(const rig_meshes *meshes, convert_scene *scene, size_t first_weights)
{
    plain_scene *const plain = meshes->rig->plain;
    const size_t num_targets = meshes->targets.count;
    if (num_targets == 0)
        return true;
    if (meshes->lacks_targets || !has_budget(plain->job, &meshes->model, num_targets)) {
        note_skipped_targets(meshes, scene->num_weights > first_weights);
        convert_remove_weights(scene, first_weights);
        return true;
    }

    md5_doc doc = meshes->model;
    doc.meshes = common_alloc(doc.num_meshes, sizeof *doc.meshes);
    memcpy(doc.meshes, meshes->model.meshes, doc.num_meshes * sizeof *doc.meshes);
    const uint64_t cost = model_cost(&doc);
    target_groups groups = group_targets(meshes);
    bool is_done = true;
    for (size_t i = 0; i < groups.names.count && is_done; i++)
        is_done = plain_charge(plain, cost) && add_target(meshes, &groups, i, &doc, scene);
    free_groups(&groups);
    free(doc.meshes);
    return is_done;
}
