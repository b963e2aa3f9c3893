// Reads meshes and morph targets of glTF as MD5 meshes. An MD5 vertex has one point for each joint
// that moves it, in the space of that joint. mesh_builder is a primitive while it is converted.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_mesh.h"

// -- Names ----------------------------------------------------------------------------------------

char *gltf_file_name(const char *text)
{
    enum { MAX_LENGTH = 100 };
    char *const name = common_copy(text ? text : "");
    size_t used = 0;
    for (const char *c = name; *c != '\0' && used < MAX_LENGTH; c++) {
        const char lower = (char)(*c | 0x20);
        const bool is_letter = lower >= 'a' && lower <= 'z';
        const bool is_kept = is_letter || (*c >= '0' && *c <= '9');
        if (is_kept || (used > 0 && name[used - 1] != '_'))
            name[used++] = is_kept ? *c : '_';
    }
    while (used > 0 && name[used - 1] == '_')
        used--;
    name[used] = '\0';
    if (used > 0)
        return name;
    free(name);
    return NULL;
}

char *gltf_target_name(const gltf_rig *rig, uint32_t node, size_t target)
{
    const json_t *const mesh = gltf_item(rig->file, "meshes", rig->nodes[node].mesh);
    const json_t *const names = json_object_get(json_object_get(mesh, "extras"), "targetNames");
    char *const name = gltf_file_name(json_string_value(json_array_get(names, target)));
    return name ? name : common_format("target_%zu", target + 1);
}

// -- Primitives -----------------------------------------------------------------------------------

enum { MAX_SETS = 16, MAX_WEIGHTS = 4 * MAX_SETS };

// An attribute of a primitive's vertices.
typedef struct vertex_values {
    const float *values; // [num_vertices][width]
    size_t width;
} vertex_values;

// A primitive of a node's mesh while it becomes an MD5 mesh.
typedef struct mesh_builder {
    gltf_meshes *meshes;
    gltf_file *file;
    uint32_t node;
    const gltf_skin *skin;    // NULL: all vertices belong to `joint`
    const gltf_affine *bases; // [num_joints of the skin, or 1] from the mesh to the joint's space
    uint32_t joint;
    char where[64]; // location of the primitive in the file, for messages
    size_t num_vertices;
    size_t num_sets; // sets of four joints and weights
    size_t num_targets;
    size_t num_corners; // triangle corners: indices, or vertices if there are no indices
    size_t num_attributes;
    vertex_values *attributes; // [num_attributes] all attributes, including the following
    const float *positions;
    const float *texcoords; // NULL: all are 0
    const float *joints[MAX_SETS];
    const float *weights[MAX_SETS];
    const float **moves;    // [num_targets] displacements; NULL: the target moves no vertex
    const float *corners;   // [num_corners] vertex indices; NULL: 0, 1, 2 ...
    double texture[2][3];   // transform of texture coordinates, rows
    size_t num_kept;        // the first vertices, written from MD5 vertices, are never merged
    uint32_t *md5_vertices; // [num_vertices] index of the MD5 vertex of each vertex
    bool is_flat;           // no normals: triangles do not share vertices
    md5_doc_mesh mesh;      // the result
    md5_weight **moved;     // [num_targets][mesh.num_weights] the result for each target
    size_t num_unbound;     // vertices without weights
} mesh_builder;

// Gets an attribute and checks that it has as many elements as the primitive has vertices. *values
// is NULL if the primitive does not have the attribute.
static bool get_attribute(mesh_builder *to, const json_t *attributes, const char *name,
                          gltf_shape shape, const float **values)
{
    enum { MAX_VERTICES = 1 << 24 }; // larger indices are not exact as floats
    const uint32_t accessor = gltf_index(attributes, name);
    size_t count = 0;
    *values = NULL;
    if (accessor == MD5_NONE)
        return true;
    *values = gltf_read(to->file, accessor, shape, &count);
    if (!*values)
        return false;
    if (to->num_attributes > 0 && count != to->num_vertices)
        return gltf_fail(to->file, "%s: %s has %zu elements, but POSITION has %zu", to->where, name,
                         count, to->num_vertices);
    if (count > MAX_VERTICES)
        return gltf_fail(to->file, "%s: too many vertices (%zu)", to->where, count);
    to->num_vertices = count;
    *COMMON_ADD_ITEM(to->attributes, to->num_attributes) =
        (vertex_values){*values, (size_t)shape + 1};
    return true;
}

const json_t *gltf_color(const json_t *material)
{
    const json_t *const old = json_object_get(json_object_get(material, "extensions"),
                                              "KHR_materials_pbrSpecularGlossiness");
    return old ? old : json_object_get(material, "pbrMetallicRoughness");
}

const json_t *gltf_color_texture(const json_t *material)
{
    const json_t *const color = gltf_color(material);
    const json_t *const old = json_object_get(color, "diffuseTexture");
    return old ? old : json_object_get(color, "baseColorTexture");
}

// Gets the set of texture coordinates that the base color uses, and their transform.
static bool get_texcoords(mesh_builder *to, const json_t *attributes, uint32_t material)
{
    const json_t *const texture = gltf_color_texture(gltf_item(to->file, "materials", material));
    const json_t *const change =
        json_object_get(json_object_get(texture, "extensions"), "KHR_texture_transform");
    double offset[2] = {0, 0};
    double scale[2] = {1, 1};
    const double set = gltf_number(change, "texCoord", gltf_number(texture, "texCoord", 0));
    char name[48];
    gltf_numbers(change, "offset", 2, offset);
    gltf_numbers(change, "scale", 2, scale);
    // The rotation is counterclockwise on the image, whose v axis points down.
    const double angle = gltf_number(change, "rotation", 0);
    const double c = cos(angle);
    const double s = sin(angle);
    const double rows[2][3] = {{c * scale[0], s * scale[1], offset[0]},
                               {-s * scale[0], c * scale[1], offset[1]}};
    memcpy(to->texture, rows, sizeof rows);
    COMMON_TEXT(name, "TEXCOORD_%.0f", set);
    if (!get_attribute(to, attributes, name, GLTF_VEC2, &to->texcoords))
        return false;
    if (to->texcoords || set == 0)
        return true;
    return get_attribute(to, attributes, "TEXCOORD_0", GLTF_VEC2, &to->texcoords);
}

// Returns the vertex of a triangle corner.
static size_t corner_vertex(const mesh_builder *from, size_t i)
{
    return from->corners ? (size_t)from->corners[i] : i;
}

// Gets the sets of joints and weights, up to the first incomplete set.
static bool get_influences(mesh_builder *to, const json_t *attributes)
{
    bool is_complete = to->skin;
    while (is_complete && to->num_sets < MAX_SETS) {
        char joints[32];
        char weights[32];
        const size_t set = to->num_sets;
        COMMON_TEXT(joints, "JOINTS_%zu", set);
        COMMON_TEXT(weights, "WEIGHTS_%zu", set);
        if (!get_attribute(to, attributes, joints, GLTF_VEC4, &to->joints[set])
            || !get_attribute(to, attributes, weights, GLTF_VEC4, &to->weights[set]))
            return false;
        is_complete = to->joints[set] && to->weights[set];
        to->num_sets += is_complete;
    }
    return true;
}

// Gets the indices of a primitive and checks that they are in range.
static bool get_indices(mesh_builder *to, uint32_t indices)
{
    to->num_corners = to->num_vertices;
    if (indices == MD5_NONE)
        return true;
    to->corners = gltf_read(to->file, indices, GLTF_SCALAR, &to->num_corners);
    if (!to->corners)
        return false;
    for (size_t i = 0; i < to->num_corners; i++) {
        const float corner = to->corners[i];
        if (!(corner >= 0 && corner < (float)to->num_vertices) || corner != floorf(corner))
            return gltf_fail(to->file,
                             "accessors/%u: vertex index at element %zu is out of range: %.9g; "
                             "%s has %zu vertices",
                             indices, i, corner, to->where, to->num_vertices);
    }
    return true;
}

// Gets and checks all data of a primitive. If it does not have positions, num_corners remains 0.
static bool open_primitive(mesh_builder *to, const json_t *object)
{
    enum { BYTES_PER_CORNER = 32 }; // memory for a corner and for a vertex in MD5's tables
    const json_t *const attributes = json_object_get(object, "attributes");
    const json_t *const targets = json_object_get(object, "targets");
    if (!get_attribute(to, attributes, "POSITION", GLTF_VEC3, &to->positions))
        return false;
    if (!to->positions)
        return true;
    if (!get_influences(to, attributes))
        return false;
    to->num_targets = json_array_size(targets);
    to->moves = common_alloc(to->num_targets, sizeof *to->moves);
    to->moved = common_alloc(to->num_targets, sizeof *to->moved);
    if (!get_texcoords(to, attributes, gltf_index(object, "material")))
        return false;
    to->is_flat = json_object_get(attributes, "NORMAL") == NULL;
    to->meshes->num_flat += to->is_flat;
    to->meshes->num_colored += json_object_get(attributes, "COLOR_0") != NULL;
    for (size_t i = 0; i < to->num_targets; i++)
        if (!get_attribute(to, json_array_get(targets, i), "POSITION", GLTF_VEC3, &to->moves[i]))
            return false;
    if (!get_indices(to, gltf_index(object, "indices")))
        return false;
    const size_t slots = to->skin ? 1 + 4 * to->num_sets : 1;
    const uint64_t num_weights = to->num_vertices * slots * (1 + (uint64_t)to->num_targets);
    return gltf_charge(to->file, 2 * (uint64_t)to->num_corners + num_weights)
           && convert_charge_bytes(to->file->job, num_weights, sizeof(md5_weight), to->file->error)
           && convert_charge_bytes(to->file->job, to->num_corners + (uint64_t)to->num_vertices,
                                   BYTES_PER_CORNER, to->file->error);
}

// Writes all attributes of a vertex. Vertices with equal attributes are merged: glTF splits
// vertices if normals, tangents or colors differ, but MD5 does not store these.
static void write_attributes(const mesh_builder *from, size_t v, float *row)
{
    for (size_t j = 0; j < from->num_attributes; j++) {
        vertex_values *const a = &from->attributes[j];
        for (size_t i = 0; i < a->width; i++)
            *row++ = a->values[a->width * v + i] + 0; // changes -0 to 0
    }
}

// -- Meshes ---------------------------------------------------------------------------------------

typedef struct joint_weight {
    uint32_t slot; // of the skin
    double weight;
} joint_weight;

// Writes the influences of a vertex with a sum of 1. Returns their number, or fills the file's
// error and returns 0.
static size_t read_influences(mesh_builder *to, size_t v, joint_weight found[MAX_WEIGHTS])
{
    size_t count = 0;
    double sum = 0;
    for (size_t i = 0; i < 4 * to->num_sets; i++) {
        const double weight = to->weights[i / 4][4 * v + i % 4];
        const double slot = to->joints[i / 4][4 * v + i % 4];
        size_t k = 0;
        if (!(weight > 0))
            continue;
        if (!(slot >= 0 && slot < (double)to->skin->num_joints)) {
            gltf_fail(to->file,
                      "%s: joint index of vertex %zu is out of range: %g; the skin has %zu joints",
                      to->where, v, slot, to->skin->num_joints);
            return 0;
        }
        while (k < count && found[k].slot != (uint32_t)slot)
            k++;
        if (k == count)
            found[count++] = (joint_weight){(uint32_t)slot, 0};
        found[k].weight += weight;
        sum += weight;
    }
    if (count == 0) { // attach it to the first joint
        found[0] = (joint_weight){0, 1};
        to->num_unbound += to->skin != NULL;
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

// Adds a weight of the newest vertex to the mesh and to each morph target.
static void add_weight(mesh_builder *to, size_t v, joint_weight influence, uint32_t joint)
{
    md5_doc_mesh *const mesh = &to->mesh;
    const float *const p = to->positions + 3 * v;
    for (size_t target = 0; target <= to->num_targets; target++) { // the last one is the mesh
        const bool is_mesh = target == to->num_targets;
        md5_weight **const weights = is_mesh ? &mesh->weights : &to->moved[target];
        convert_vec position = {p[0], p[1], p[2]};
        if (!is_mesh && to->moves[target]) {
            const float *const move = to->moves[target] + 3 * v;
            position = convert_add(position, (convert_vec){move[0], move[1], move[2]});
        }
        const convert_vec offset = gltf_point(&to->bases[influence.slot], position);
        *weights = common_grow(*weights, mesh->num_weights, sizeof **weights);
        (*weights)[mesh->num_weights] =
            (md5_weight){joint, (float)influence.weight, convert_stored_point(offset)};
    }
    mesh->num_weights++;
}

// Adds an MD5 vertex with one weight per joint, also for each morph target.
static bool add_vertex(mesh_builder *to, size_t v)
{
    md5_doc_mesh *const mesh = &to->mesh;
    joint_weight found[MAX_WEIGHTS];
    const size_t count = read_influences(to, v, found);
    const uint32_t index = add_empty_vertex(mesh);
    mesh->vertices[index] = (md5_vertex){mesh->num_weights, (uint32_t)count};
    const double u = to->texcoords ? to->texcoords[2 * v] : 0;
    const double w = to->texcoords ? to->texcoords[2 * v + 1] : 0;
    const double(*const t)[3] = to->texture;
    mesh->texcoords[index] = (md5_vec2){(float)(t[0][0] * u + t[0][1] * w + t[0][2]),
                                        (float)(t[1][0] * u + t[1][1] * w + t[1][2])};
    for (size_t k = 0; k < count; k++) {
        const uint32_t joint = to->skin ? to->skin->joints[found[k].slot] : to->joint;
        add_weight(to, v, found[k], joint == MD5_NONE ? 0 : joint);
    }
    return count > 0;
}

// Adds the vertices that corners use in the order of the file. Equal vertices become one.
static bool add_vertices(mesh_builder *to)
{
    const size_t count = to->num_vertices;
    size_t width = 0;
    bool is_done = true;
    bool *const is_used = common_alloc(count, sizeof *is_used);
    for (size_t i = 0; i < to->num_attributes; i++) {
        vertex_values *const a = &to->attributes[i];
        width += a->width;
    }
    float *const rows = common_alloc(count, width * sizeof *rows);
    uint32_t *const first = common_alloc(count, sizeof *first);
    // For the first of several equal vertices: 1 + index of the MD5 vertex; 0: not added
    uint32_t *const merged = common_alloc(count, sizeof *merged);
    for (size_t i = 0; i < to->num_corners; i++)
        is_used[corner_vertex(to, i)] = true;
    memset(is_used, true, to->num_kept);
    for (size_t v = 0; v < count; v++)
        write_attributes(to, v, rows + v * width);
    common_find_equal(rows, count, width * sizeof *rows, first);
    for (size_t v = 0; v < count && is_done; v++) {
        if (!is_used[v])
            continue;
        uint32_t *const added = &merged[first[v]];
        const bool is_new = v < to->num_kept || *added == 0;
        to->md5_vertices[v] = is_new ? to->mesh.num_vertices : *added - 1;
        if (*added == 0)
            *added = to->md5_vertices[v] + 1;
        if (is_new)
            is_done = add_vertex(to, v);
    }
    free(merged);
    free(first);
    free(rows);
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

// Adds all triangles. MD5's front faces are clockwise. Triangles with two equal vertices are
// skipped.
static void add_triangles(mesh_builder *to, size_t mode)
{
    enum { TRIANGLES = 4, STRIP = 5 };
    md5_doc_mesh *const mesh = &to->mesh;
    bool *const is_used = common_alloc(mesh->num_vertices, sizeof *is_used);
    const gltf_affine *const placement =
        to->skin ? &to->skin->placement : &to->meshes->rig->nodes[to->node].world;
    const bool is_mirrored = gltf_determinant(placement) < 0; // in the bind pose
    const bool is_fan = mode != TRIANGLES && mode != STRIP;
    for (size_t i = 0; i + 2 < to->num_corners; i += mode == TRIANGLES ? 3 : 1) {
        const bool is_odd = mode == STRIP && i % 2 == 1;
        uint32_t a = to->md5_vertices[corner_vertex(to, is_fan ? 0 : i)];
        uint32_t b = to->md5_vertices[corner_vertex(to, i + 1 + is_odd)];
        uint32_t c = to->md5_vertices[corner_vertex(to, i + 2 - is_odd)];
        if (a == b || b == c || a == c)
            continue;
        if (to->is_flat) {
            a = unshare_vertex(mesh, is_used, a);
            b = unshare_vertex(mesh, is_used, b);
            c = unshare_vertex(mesh, is_used, c);
        }
        const size_t index = mesh->num_triangles++;
        mesh->indices = common_grow(mesh->indices, index, 3 * sizeof *mesh->indices);
        mesh->indices[3 * index] = a;
        mesh->indices[3 * index + 1] = is_mirrored ? b : c;
        mesh->indices[3 * index + 2] = is_mirrored ? c : b;
    }
    free(is_used);
}

// Selects the name of a mesh. The extras contain the name that the mesh had as an MD5 mesh, which
// may be empty.
static const char *mesh_name(const mesh_builder *to)
{
    const gltf_meshes *const meshes = to->meshes;
    const gltf_node *const node = &meshes->rig->nodes[to->node];
    const json_t *const object = gltf_item(to->file, "meshes", node->mesh);
    const char *name = gltf_text(gltf_extras(object), "name");
    if (name && name[0] == '\0')
        return "";
    if (!name)
        name = node->name;
    if (!name)
        name = gltf_text(object, "name");
    return gltf_name(meshes->names, name, 255, "mesh_", meshes->model.num_meshes + (size_t)1);
}

// Selects the shader of a mesh.
static const char *mesh_shader(const mesh_builder *to, uint32_t material)
{
    gltf_meshes *const meshes = to->meshes;
    const uint32_t mesh = meshes->rig->nodes[to->node].mesh;
    const char *shader = gltf_text(gltf_extras(gltf_item(to->file, "meshes", mesh)), "shader");
    if (material == MD5_NONE)
        return shader;
    // The extras contain the shader of the MD5 mesh. The name of the material is used instead if it
    // is not a prefix of that shader, because an editor has changed it.
    const char *const name = gltf_text(gltf_item(to->file, "materials", material), "name");
    if (name && (!shader || strncmp(name, shader, strlen(name)) != 0))
        shader = name;
    if (!meshes->shaders[material])
        meshes->shaders[material] =
            gltf_name(meshes->shader_names, shader, 255, "material_", material + (size_t)1);
    return meshes->shaders[material];
}

// Adds the finished mesh and its morph targets to the model.
static void add_mesh(mesh_builder *to, uint32_t material)
{
    gltf_meshes *const meshes = to->meshes;
    to->mesh.name = mesh_name(to);
    const char *const shader = mesh_shader(to, material);
    if (material != MD5_NONE)
        meshes->is_flat[material] |= to->is_flat;
    to->mesh.shader = shader && shader[0] ? shader : to->mesh.name;
    for (size_t i = 0; i < to->num_targets; i++) {
        *COMMON_ADD_ITEM(meshes->moved, meshes->num_moved) = (gltf_moved){
            gltf_target_name(meshes->rig, to->node, i), meshes->model.num_meshes, to->moved[i]};
    }
    *COMMON_ADD_ITEM(meshes->model.meshes, meshes->model.num_meshes) = to->mesh;
    if (to->num_unbound > 0)
        convert_note(
            to->file->job,
            "mesh %s: %zu vertices without weights were attached to the skin's first joint",
            to->mesh.name, to->num_unbound);
}

static void free_mesh(const md5_doc_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->texcoords);
    free(mesh->indices);
    free(mesh->weights);
}

// Converts a primitive to a mesh if it contains a triangle. `is_single`: the glTF mesh has no other
// primitive.
static bool read_primitive(mesh_builder to, const json_t *object, bool is_single)
{
    enum {
        ELEMENTS_PER_PRIMITIVE = 1000, // cost without the vertices
        ELEMENTS_PER_SKIPPED = 50,     // cost of a primitive that is skipped
    };
    const uint32_t mesh = to.meshes->rig->nodes[to.node].mesh;
    const double mode = gltf_number(object, "mode", 4);
    const double num_kept =
        gltf_number(gltf_extras(gltf_item(to.file, "meshes", mesh)), "vertices", 0);
    if (mode < 4 || mode > 6) {
        if (!gltf_charge(to.file, ELEMENTS_PER_SKIPPED))
            return false;
        convert_note(to.file->job, "skipped %s: only triangles are supported", to.where);
        return true;
    }
    bool is_read = gltf_charge(to.file, ELEMENTS_PER_PRIMITIVE) && open_primitive(&to, object);
    if (num_kept > 0 && num_kept <= (double)to.num_vertices && is_single)
        to.num_kept = (size_t)num_kept;
    to.md5_vertices = common_alloc(to.num_vertices, sizeof *to.md5_vertices);
    is_read = is_read && add_vertices(&to);
    if (is_read)
        add_triangles(&to, (size_t)mode);
    if (is_read && to.mesh.num_triangles > 0) {
        add_mesh(&to, gltf_index(object, "material"));
    } else {
        free_mesh(&to.mesh);
        if (to.moved) {
            for (size_t i = 0; i < to.num_targets; i++)
                free(to.moved[i]);
        }
    }
    free(to.md5_vertices);
    free(to.attributes);
    free((void *)to.moves);
    free((void *)to.moved);
    return is_read;
}

// Creates the transforms from the mesh to the space of each joint; see gltf_rig.h.
static gltf_affine *create_bases(const mesh_builder *to)
{
    const gltf_rig *const rig = to->meshes->rig;
    const size_t count = to->skin ? to->skin->num_joints : 1;
    gltf_affine *const bases = common_alloc(count, sizeof *bases);
    for (size_t k = 0; k < count; k++) {
        const uint32_t index = to->skin ? to->skin->joints[k] : to->joint;
        const gltf_joint *const joint = &rig->joints[index == MD5_NONE ? 0 : index];
        if (to->skin && index != MD5_NONE) {
            bases[k] = gltf_mul(&joint->residue, &to->skin->inverse_binds[k]);
        } else {
            const gltf_affine back = gltf_from_xform(convert_inverse(joint->rest_pose));
            bases[k] =
                gltf_mul(&back, to->skin ? &to->skin->placement : &rig->nodes[to->node].world);
        }
    }
    return bases;
}

// Reads all primitives of a node's mesh.
static bool read_node_mesh(gltf_meshes *meshes, uint32_t node_index)
{
    gltf_rig *const rig = meshes->rig;
    gltf_file *const file = rig->file;
    const gltf_node *const node = &rig->nodes[node_index];
    const json_t *const list = json_object_get(gltf_item(file, "meshes", node->mesh), "primitives");
    const char *const name = node->name ? node->name : "?";
    mesh_builder to = {.meshes = meshes,
                       .file = file,
                       .node = node_index,
                       .joint = gltf_parent_joint(rig, node_index),
                       .skin = node->skin != MD5_NONE ? &rig->skins[node->skin] : NULL};
    if (!to.skin && to.joint == MD5_NONE && rig->is_skinned) {
        convert_note(file->job,
                     "skipped mesh %.80s: it has neither a skin nor a joint as its ancestor", name);
        return true;
    }
    if (!to.skin && to.joint == MD5_NONE)
        to.joint = (uint32_t)rig->num_joints - 1; // the joint that was added for such meshes
    else if (!to.skin && rig->is_skinned)
        convert_note(file->job, "mesh %.80s has no skin: it was attached to joint %s", name,
                     rig->joints[to.joint].name);
    enum { ELEMENTS_PER_PRODUCT = 4 }; // cost of a product of two transforms
    const uint64_t num_bases = to.skin ? to.skin->num_joints : 1;
    if (!gltf_charge(file, ELEMENTS_PER_PRODUCT * num_bases))
        return false;
    gltf_affine *const bases = create_bases(&to);
    bool is_read = true;
    to.bases = bases;
    for (size_t i = 0; i < json_array_size(list) && is_read; i++) {
        COMMON_TEXT(to.where, "meshes/%u/primitives/%zu", node->mesh, i);
        is_read = read_primitive(to, json_array_get(list, i), json_array_size(list) == 1);
    }
    free(bases);
    return is_read;
}

bool gltf_read_meshes(gltf_rig *rig, gltf_meshes *meshes)
{
    *meshes = (gltf_meshes){.rig = rig,
                            .model = {.kind = MD5_DOC_MODEL},
                            .names = json_object(),
                            .shader_names = json_incref(rig->shaders)};
    md5_doc *const model = &meshes->model;
    meshes->shaders = common_alloc(gltf_count(rig->file, "materials"), sizeof *meshes->shaders);
    meshes->is_flat = common_alloc(gltf_count(rig->file, "materials"), sizeof *meshes->is_flat);
    model->num_joints = (uint32_t)rig->num_joints;
    model->joints = common_alloc(rig->num_joints, sizeof *model->joints);
    for (size_t j = 0; j < rig->num_joints; j++) {
        const gltf_joint *const joint = &rig->joints[j];
        model->joints[j] = convert_doc_joint(joint->name, joint->parent, joint->bind_pose);
    }
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const gltf_node *const node = &rig->nodes[rig->order[i]];
        if (!node->is_in_scene || node->mesh == MD5_NONE)
            continue;
        if (!read_node_mesh(meshes, rig->order[i]))
            return false;
    }
    if (meshes->num_flat > 0)
        convert_note(
            rig->file->job,
            "%zu meshes have no normals: they are flat-shaded, and no triangles share vertices",
            meshes->num_flat);
    if (meshes->num_colored > 0)
        convert_note(rig->file->job, "skipped the vertex colors of %zu meshes",
                     meshes->num_colored);
    return true;
}

void gltf_free_meshes(gltf_meshes *meshes)
{
    for (uint32_t i = 0; i < meshes->model.num_meshes; i++)
        free_mesh(&meshes->model.meshes[i]);
    for (size_t i = 0; i < meshes->num_moved; i++) {
        gltf_moved *const moved = &meshes->moved[i];
        free(moved->target);
        free(moved->weights);
    }
    free(meshes->model.meshes);
    free(meshes->model.joints);
    free(meshes->moved);
    free((void *)meshes->shaders);
    free(meshes->is_flat);
    json_decref(meshes->names);
    json_decref(meshes->shader_names);
}

// -- Morph targets --------------------------------------------------------------------------------

// The morph targets of all meshes, grouped by name. Targets with one name form a linked list.
typedef struct target_groups {
    common_text_index names;
    size_t *first; // [names.count] index of the first of meshes->moved with this name
    size_t *next;  // [num_moved] index of the next with the same name, or SIZE_MAX
} target_groups;

static target_groups group_targets(const gltf_meshes *meshes)
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

// Returns false and fills the file's error if a point is outside the limits of MD5.
static bool check_offsets(gltf_file *file, const md5_doc_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->num_weights; i++)
        if (!(md5_vec3_length(mesh->weights[i].offset) <= 1e9f))
            return gltf_fail(file,
                             "mesh %s: a morph target exceeds the coordinate limit of 1e9 units",
                             mesh->name);
    return true;
}

// Adds the model of a target. Meshes that the target moves get the weights of the target; all other
// meshes keep the weights of the model.
static bool add_target(const gltf_meshes *meshes, const target_groups *groups, size_t group,
                       md5_doc *doc, convert_scene *scene)
{
    gltf_file *const file = meshes->rig->file;
    const md5_doc_mesh *const originals = meshes->model.meshes;
    bool is_done = true;
    for (size_t i = groups->first[group]; i != SIZE_MAX; i = groups->next[i]) {
        const gltf_moved *const moved = &meshes->moved[i];
        if (doc->meshes[moved->mesh].weights == originals[moved->mesh].weights)
            doc->meshes[moved->mesh].weights = moved->weights; // the first target of a mesh applies
    }
    for (uint32_t i = 0; i < doc->num_meshes && is_done; i++)
        is_done = check_offsets(file, &doc->meshes[i]);
    is_done = is_done
              && convert_add_doc(file->job, scene, CONVERT_TARGET, groups->names.texts[group], doc,
                                 file->error);
    for (size_t i = groups->first[group]; i != SIZE_MAX; i = groups->next[i]) {
        const uint32_t mesh = meshes->moved[i].mesh;
        doc->meshes[mesh].weights = originals[mesh].weights;
    }
    return is_done;
}

bool gltf_add_targets(const gltf_meshes *meshes, convert_scene *scene)
{
    md5_doc doc = meshes->model;
    uint64_t size = doc.num_joints;
    for (uint32_t i = 0; i < doc.num_meshes; i++)
        size += doc.meshes[i].num_weights + 2 * (uint64_t)doc.meshes[i].num_triangles;
    doc.meshes = common_alloc(doc.num_meshes, sizeof *doc.meshes);
    memcpy(doc.meshes, meshes->model.meshes, doc.num_meshes * sizeof *doc.meshes);
    target_groups groups = group_targets(meshes);
    bool is_done = true;
    for (size_t i = 0; i < groups.names.count && is_done; i++)
        is_done =
            gltf_charge(meshes->rig->file, size) && add_target(meshes, &groups, i, &doc, scene);
    free_groups(&groups);
    free(doc.meshes);
    return is_done;
}

#endif
