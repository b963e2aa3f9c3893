// Meshes of glTF as MD5 meshes: vertices with a point in the space of each joint that moves them.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_mesh.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Primitives -----------------------------------------------------------------------------------

enum { MOST_SETS = 16, MOST_WEIGHTS = 4 * MOST_SETS };

// What a vertex of a primitive has.
typedef struct vertex_values {
    const float *values; // [num_vertices][width]
    size_t width;
} vertex_values;

typedef struct primitive {
    gltf_file *file;
    char where[64];
    size_t num_vertices, num_sets, num_targets, num_corners, num_attributes;
    vertex_values *attributes;          // [num_attributes] all; the following ones are among them
    const float *positions, *texcoords; // texcoords NULL: all 0
    const float *joints[MOST_SETS], *weights[MOST_SETS];
    uint32_t *corners;    // NULL: each vertex in turn
    double texture[2][3]; // what is done to texture coordinates
    size_t mode;
} primitive;

// An attribute of as many elements as there are vertices. *values is NULL if there is none.
static bool get_attribute(primitive *from, const json_t *attributes, const char *name,
                          gltf_shape shape, const float **values)
{
    const uint32_t accessor = gltf_index(attributes, name);
    size_t count = 0;
    *values = NULL;
    if (accessor == MD5_NONE)
        return true;
    *values = gltf_read(from->file, accessor, shape, &count);
    if (*values == NULL)
        return false;
    if (from->num_attributes > 0 && count != from->num_vertices)
        return gltf_fail(from->file, "%s: %s has %zu elements, but POSITION %zu", from->where, name,
                         count, from->num_vertices);
    from->num_vertices = count;
    from->attributes = common_grow(from->attributes, from->num_attributes, sizeof(vertex_values));
    from->attributes[from->num_attributes++] = (vertex_values){*values, (size_t)shape + 1};
    return true;
}

// The set of texture coordinates that the base color uses, and what it does to them.
static bool get_texcoords(primitive *from, const json_t *attributes, uint32_t material)
{
    const json_t *const texture = json_object_get(
        json_object_get(gltf_item(from->file, "materials", material), "pbrMetallicRoughness"),
        "baseColorTexture");
    const json_t *const change =
        json_object_get(json_object_get(texture, "extensions"), "KHR_texture_transform");
    double offset[2] = {0, 0}, scale[2] = {1, 1};
    const size_t set = gltf_size(change, "texCoord", gltf_size(texture, "texCoord", 0));
    char name[32];
    gltf_numbers(change, "offset", 2, offset);
    gltf_numbers(change, "scale", 2, scale);
    // Counterclockwise as the picture is seen, whose v points down.
    const double angle = gltf_number(change, "rotation", 0.0);
    const double c = cos(angle), s = sin(angle);
    const double rows[2][3] = {{c * scale[0], s * scale[1], offset[0]},
                               {-s * scale[0], c * scale[1], offset[1]}};
    memcpy(from->texture, rows, sizeof rows);
    (void)snprintf(name, sizeof name, "TEXCOORD_%zu", set);
    return get_attribute(from, attributes, name, GLTF_VEC2, &from->texcoords)
           && (from->texcoords != NULL || set == 0
               || get_attribute(from, attributes, "TEXCOORD_0", GLTF_VEC2, &from->texcoords));
}

// Indices of vertices, which are checked; without them each vertex is a corner.
static bool get_corners(primitive *from, const json_t *object)
{
    const uint32_t accessor = gltf_index(object, "indices");
    from->num_corners = from->num_vertices;
    if (accessor == MD5_NONE)
        return true;
    from->corners = gltf_read_indices(from->file, accessor, &from->num_corners);
    for (size_t i = 0; from->corners != NULL && i < from->num_corners; i++)
        if (from->corners[i] >= from->num_vertices)
            return gltf_fail(from->file, "accessors/%u: element %zu is %u, but %s has %zu vertices",
                             accessor, i, from->corners[i], from->where, from->num_vertices);
    return from->corners != NULL;
}

// Returns false and says why if it is wrong. Without positions, num_corners is 0.
static bool open_primitive(primitive *from, const json_t *object, uint32_t material, bool has_skin)
{
    const json_t *const attributes = json_object_get(object, "attributes");
    const json_t *const targets = json_object_get(object, "targets");
    if (!get_attribute(from, attributes, "POSITION", GLTF_VEC3, &from->positions))
        return false;
    if (from->positions == NULL)
        return true;
    for (bool goes_on = has_skin; goes_on && from->num_sets < MOST_SETS;) {
        char joints[32], weights[32];
        const size_t set = from->num_sets;
        (void)snprintf(joints, sizeof joints, "JOINTS_%zu", set);
        (void)snprintf(weights, sizeof weights, "WEIGHTS_%zu", set);
        if (!get_attribute(from, attributes, joints, GLTF_VEC4, &from->joints[set])
            || !get_attribute(from, attributes, weights, GLTF_VEC4, &from->weights[set]))
            return false;
        goes_on = from->joints[set] != NULL && from->weights[set] != NULL;
        from->num_sets += goes_on;
    }
    const float *unused = NULL;
    from->num_targets = json_array_size(targets);
    if (!get_texcoords(from, attributes, material))
        return false;
    for (size_t i = 0; i < from->num_targets; i++)
        if (!get_attribute(from, json_array_get(targets, i), "POSITION", GLTF_VEC3, &unused))
            return false;
    return get_corners(from, object)
           && gltf_spend(from->file,
                         from->num_vertices + from->num_corners * (2 + from->num_targets));
}

static void close_primitive(primitive *from)
{
    free(from->attributes);
    free(from->corners);
}

// Hashes all that a vertex has: glTF splits vertices where normals, tangents or colors differ,
// which MD5 does not store.
static uint64_t hash_vertex(const primitive *from, size_t v)
{
    uint64_t hash = 0;
    for (const vertex_values *a = from->attributes; a < from->attributes + from->num_attributes;
         a++)
        for (size_t i = 0; i < a->width; i++) {
            const float value = a->values[a->width * v + i] + 0.0f; // -0 too is 0
            uint32_t bits = 0;
            memcpy(&bits, &value, sizeof bits);
            hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
    return hash;
}

static bool is_same_vertex(const primitive *from, size_t u, size_t v)
{
    for (const vertex_values *a = from->attributes; a < from->attributes + from->num_attributes;
         a++)
        for (size_t i = 0; i < a->width; i++)
            if (a->values[a->width * u + i] != a->values[a->width * v + i])
                return false;
    return true;
}

// -- Meshes ---------------------------------------------------------------------------------------

// What a mesh is made of while vertices are added.
typedef struct maker {
    gltf_meshes *meshes;
    const primitive *from;
    const gltf_node *node;
    const gltf_skin *skin;    // NULL: all vertices belong to `joint`
    const gltf_affine *bases; // [num_joints of the skin, or 1]
    uint32_t joint;
    size_t most_weights; // of a vertex
    size_t num_kept;     // the first vertices, which were MD5's: they stay apart, used or not
    md5_doc_mesh *mesh;
    gltf_origin *origin;
    size_t room;            // of the table
    uint32_t *table, *made; // the vertex at a hash, from 1; that of each of the primitive's
    double lost;            // the largest part of a vertex's weight that was left out
    size_t num_lost, num_unbound;
} maker;

typedef struct joint_weight {
    uint32_t slot; // of the skin
    double weight;
} joint_weight;

static int by_weight(const void *a, const void *b)
{
    const joint_weight *const x = a, *const y = b;
    return x->weight != y->weight ? (x->weight < y->weight ? 1 : -1)
                                  : (x->slot > y->slot) - (x->slot < y->slot);
}

// Writes a vertex's influences, the largest first, so that they sum to 1; returns their number.
static size_t read_influences(maker *to, size_t v, joint_weight found[MOST_WEIGHTS])
{
    enum { NONE_FOUND = 0 };
    const primitive *const from = to->from;
    size_t count = 0;
    double sum = 0.0, kept = 0.0;
    for (size_t i = 0; i < 4 * from->num_sets; i++) {
        const double weight = (double)from->weights[i / 4][4 * v + i % 4];
        const double slot = (double)from->joints[i / 4][4 * v + i % 4];
        size_t k = 0;
        if (!(weight > 0.0))
            continue;
        if (!(slot >= 0.0 && slot < (double)to->skin->num_joints)) {
            (void)gltf_fail(from->file, "%s: vertex %zu uses joint %g of a skin of %zu",
                            from->where, v, slot, to->skin->num_joints);
            return NONE_FOUND;
        }
        while (k < count && found[k].slot != (uint32_t)slot)
            k++;
        if (k == count)
            found[count++] = (joint_weight){(uint32_t)slot, 0.0};
        found[k].weight += weight;
        sum += weight;
    }
    if (count == 0) {
        found[0] = (joint_weight){0, 1.0};
        to->num_unbound++;
        return 1;
    }
    qsort(found, count, sizeof *found, by_weight);
    while (count > 1 && (count > to->most_weights || found[count - 1].weight < 1e-3 * sum))
        count--;
    for (size_t k = 0; k < count; k++)
        kept += found[k].weight;
    for (size_t k = 0; k < count; k++)
        found[k].weight /= kept;
    to->num_lost += kept < sum * (1.0 - 1e-6);
    to->lost = fmax(to->lost, 1.0 - kept / sum);
    return count;
}

static convert_vec position_of(const primitive *from, size_t v)
{
    assert(from->positions != NULL); // each primitive has them
    const float *const p = from->positions + 3 * v;
    return (convert_vec){(double)p[0], (double)p[1], (double)p[2]};
}

// Adds an MD5 vertex with a weight, and its point, for each joint.
static bool add_vertex(maker *to, size_t v)
{
    md5_doc_mesh *const mesh = to->mesh;
    const primitive *const from = to->from;
    joint_weight found[MOST_WEIGHTS] = {{0, 1.0}};
    const size_t count = to->skin ? read_influences(to, v, found) : 1;
    if (count == 0)
        return false;
    const uint32_t number = mesh->num_vertices++;
    mesh->vertices = common_grow(mesh->vertices, number, sizeof *mesh->vertices);
    mesh->texcoords = common_grow(mesh->texcoords, number, sizeof *mesh->texcoords);
    to->origin->vertices = common_grow(to->origin->vertices, number, sizeof(uint32_t));
    mesh->vertices[number] = (md5_vertex){mesh->num_weights, (uint32_t)count};
    to->origin->vertices[number] = (uint32_t)v;
    const double u = from->texcoords ? (double)from->texcoords[2 * v] : 0.0;
    const double w = from->texcoords ? (double)from->texcoords[2 * v + 1] : 0.0;
    const double(*const t)[3] = from->texture;
    mesh->texcoords[number] = (md5_vec2){(float)(t[0][0] * u + t[0][1] * w + t[0][2]),
                                         (float)(t[1][0] * u + t[1][1] * w + t[1][2])};
    for (size_t k = 0; k < count; k++) {
        const uint32_t slot = found[k].slot;
        uint32_t joint = to->skin ? to->skin->joints[slot] : to->joint;
        joint = joint == MD5_NONE ? 0 : joint;
        mesh->weights = common_grow(mesh->weights, mesh->num_weights, sizeof *mesh->weights);
        to->origin->bases =
            common_grow((void *)to->origin->bases, mesh->num_weights, sizeof *to->origin->bases);
        to->origin->bases[mesh->num_weights] = &to->bases[slot];
        mesh->weights[mesh->num_weights++] =
            (md5_weight){joint, (float)found[k].weight,
                         gltf_stored_point(gltf_point(&to->bases[slot], position_of(from, v)))};
    }
    return true;
}

// Makes the vertices that corners use, in the file's order, equal ones once.
static bool add_vertices(maker *to)
{
    enum { MOST_TRIES = 64, IS_USED = 1 }; // after so many, equal vertices stay apart
    const primitive *const from = to->from;
    for (size_t i = 0; i < from->num_corners; i++)
        to->made[from->corners ? from->corners[i] : i] = IS_USED;
    for (size_t v = 0; v < to->num_kept; v++)
        to->made[v] = IS_USED;
    for (size_t v = 0; v < from->num_vertices; v++) {
        if (to->made[v] != IS_USED)
            continue;
        const uint32_t *const known = to->origin->vertices; // NULL: no row is filled
        size_t at = (size_t)hash_vertex(from, v) & (to->room - 1), tries = 0;
        while (known != NULL && to->table[at] != 0 && tries < MOST_TRIES
               && (v < to->num_kept || !is_same_vertex(from, known[to->table[at] - 1], v))) {
            at = (at + 1) & (to->room - 1);
            tries++;
        }
        if (to->table[at] != 0 && tries < MOST_TRIES) {
            to->made[v] = to->table[at] - 1;
            continue;
        }
        to->made[v] = to->mesh->num_vertices;
        if (!add_vertex(to, v))
            return false;
        if (tries < MOST_TRIES)
            to->table[at] = to->mesh->num_vertices;
    }
    return true;
}

// Adds all triangles: MD5's are clockwise. Those with two equal vertices have no area.
static void add_triangles(maker *to, bool is_mirrored)
{
    enum { TRIANGLES = 4, STRIP = 5 };
    const primitive *const from = to->from;
    const size_t count = from->num_corners, mode = from->mode;
    md5_doc_mesh *const mesh = to->mesh;
    for (size_t i = 0; i + 2 < count; i += mode == TRIANGLES ? 3 : 1) {
        const bool is_odd = mode == STRIP && i % 2 == 1;
        const size_t at[3] = {mode == TRIANGLES || mode == STRIP ? i : 0, i + 1 + is_odd,
                              i + 2 - is_odd};
        uint32_t corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = to->made[from->corners ? from->corners[at[k]] : at[k]];
        if (corners[0] == corners[1] || corners[1] == corners[2] || corners[0] == corners[2])
            continue;
        const size_t number = mesh->num_triangles++;
        if ((number & (number - 1)) == 0) // as common_grow(), but of three
            mesh->indices =
                common_realloc(mesh->indices, number == 0 ? 3 : 6 * number, sizeof *mesh->indices);
        uint32_t *const indices = mesh->indices + 3 * number;
        indices[0] = corners[0];
        indices[1] = corners[is_mirrored ? 1 : 2];
        indices[2] = corners[is_mirrored ? 2 : 1];
    }
}

static void close_origin(gltf_origin *origin)
{
    free(origin->vertices);
    free((void *)origin->bases);
}

static void free_mesh(md5_doc_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->texcoords);
    free(mesh->indices);
    free(mesh->weights);
}

// Adds the mesh that a primitive becomes, if there is a triangle in it.
static bool add_mesh(maker *to, uint32_t node, uint32_t material, const json_t *object,
                     const char *name)
{
    gltf_meshes *const meshes = to->meshes;
    const convert_job *const job = to->from->file->job;
    md5_doc_mesh mesh = {.name = ""};
    gltf_origin origin = {.node = node, .material = material};
    origin.targets = json_object_get(object, "targets");
    origin.num_targets = to->from->num_targets;
    to->mesh = &mesh;
    to->origin = &origin;
    to->made = common_alloc(to->from->num_vertices, sizeof *to->made);
    const size_t most = to->from->num_vertices < to->from->num_corners ? to->from->num_vertices
                                                                       : to->from->num_corners;
    for (to->room = 16; to->room < 2 * most;)
        to->room *= 2;
    to->table = common_alloc(to->room, sizeof *to->table);
    // The sign of what the bind pose makes of the mesh.
    const bool is_mirrored = gltf_determinant(to->skin ? &to->skin->place : &to->node->world) < 0.0;
    const bool is_made = add_vertices(to);
    if (is_made)
        add_triangles(to, is_mirrored);
    free(to->made);
    free(to->table);
    to->mesh = NULL;
    to->origin = NULL;
    if (!is_made || mesh.num_triangles == 0) {
        free_mesh(&mesh);
        close_origin(&origin);
        return is_made;
    }
    const size_t number = meshes->model.num_meshes++;
    // MD5's meshes may have no name, which the extras say.
    const char *const own_name =
        gltf_text(gltf_extras(gltf_item(to->from->file, "meshes", to->node->mesh)), "name");
    if (own_name == NULL || own_name[0] != '\0')
        mesh.name = gltf_name(meshes->names, name, 255, "mesh_", number + 1);
    // What was written as the shader counts unless a tool changed the name of the material, or more
    // than cut it.
    const gltf_file *const file = to->from->file;
    const char *shader =
        gltf_text(gltf_extras(gltf_item(file, "meshes", to->node->mesh)), "shader");
    if (material != MD5_NONE) {
        const char *const own = gltf_text(gltf_item(file, "materials", material), "name");
        if (own != NULL && (shader == NULL || strncmp(own, shader, strlen(own)) != 0))
            shader = own;
        if (meshes->shaders[material] == NULL)
            meshes->shaders[material] =
                gltf_name(meshes->shader_names, shader, 255, "material_", material + 1);
        shader = meshes->shaders[material];
    }
    mesh.shader = shader && shader[0] ? shader : mesh.name;
    meshes->model.meshes = common_grow(meshes->model.meshes, number, sizeof mesh);
    meshes->origins = common_grow(meshes->origins, number, sizeof origin);
    meshes->model.meshes[number] = mesh;
    meshes->origins[number] = origin;
    if (to->num_lost > 0)
        convert_note(job, "mesh %s: %zu vertices lose weights, at most %.3g %% of them", mesh.name,
                     to->num_lost, 100.0 * to->lost);
    if (to->num_unbound > 0)
        convert_note(job, "mesh %s: %zu vertices without weights belong to the skin's first joint",
                     mesh.name, to->num_unbound);
    return true;
}

// What takes vertices to the space of each joint that may move them: see gltf_rig.h.
static gltf_affine *make_bases(const gltf_rig *rig, const gltf_node *node, const gltf_skin *skin,
                               uint32_t joint)
{
    const size_t count = skin ? skin->num_joints : 1;
    gltf_affine *const bases = common_alloc(count, sizeof *bases);
    for (size_t k = 0; k < count; k++) {
        const uint32_t number = skin ? skin->joints[k] : joint;
        const gltf_joint *const of = &rig->joints[number == MD5_NONE ? 0 : number];
        if (skin != NULL && number != MD5_NONE) {
            const gltf_affine inverse = gltf_inverse_bind(skin, k);
            bases[k] = gltf_mul(&of->residue, &inverse);
        } else {
            const gltf_affine back = gltf_from_xform(convert_inverse(of->rest_pose));
            bases[k] = gltf_mul(&back, skin ? &skin->place : &node->world);
        }
    }
    return bases;
}

// Reads all primitives of a node's mesh.
static bool read_node_meshes(gltf_meshes *meshes, uint32_t number)
{
    gltf_rig *const rig = meshes->rig;
    gltf_file *const file = rig->file;
    const gltf_node *const node = &rig->nodes[number];
    const json_t *const object = gltf_item(file, "meshes", node->mesh);
    const char *const own = gltf_text(gltf_extras(object), "name");
    const char *const name = own ? own : node->name ? node->name : gltf_text(object, "name");
    const char *const engine = file->job->engine;
    const uint32_t most = engine != NULL ? convert_find_engine(engine)->max_weights : 0;
    maker to = {.meshes = meshes, .node = node, .most_weights = most > 0 ? most : MOST_WEIGHTS};
    to.skin = node->skin != MD5_NONE ? &rig->skins[node->skin] : NULL;
    to.joint = gltf_joint_above(rig, number);
    if (to.skin == NULL && to.joint == MD5_NONE) {
        if (rig->is_skinned) {
            convert_note(file->job, "mesh %.80s is left out: it is below no joint and has no skin",
                         name ? name : "?");
            return true;
        }
        to.joint = (uint32_t)rig->num_joints - 1; // which was added for it
    }
    if (!gltf_spend(file, to.skin ? to.skin->num_joints : 1))
        return false;
    gltf_affine *const bases = make_bases(rig, node, to.skin, to.joint);
    meshes->bases = common_grow((void *)meshes->bases, meshes->num_bases, sizeof *meshes->bases);
    meshes->bases[meshes->num_bases++] = bases;
    to.bases = bases;
    const json_t *const list = json_object_get(object, "primitives");
    const size_t num_primitives = json_array_size(list);
    for (size_t i = 0; i < num_primitives; i++) {
        const json_t *const item = json_array_get(list, i);
        primitive from = {.file = file};
        maker made = to;
        const uint32_t material = gltf_index(item, "material");
        (void)snprintf(from.where, sizeof from.where, "meshes/%u/primitives/%zu", node->mesh, i);
        from.mode = gltf_size(item, "mode", 4);
        if (from.mode < 4 || from.mode > 6) {
            convert_note(file->job, "%s is left out: lines or points", from.where);
            continue;
        }
        made.from = &from;
        bool is_read = open_primitive(&from, item, material, to.skin != NULL);
        const double num_kept = gltf_number(gltf_extras(object), "vertices", 0.0);
        if (num_kept > 0.0 && num_kept <= (double)from.num_vertices && num_primitives == 1)
            made.num_kept = (size_t)num_kept;
        is_read = is_read && add_mesh(&made, number, material, item, name);
        close_primitive(&from);
        if (!is_read)
            return false;
    }
    return true;
}

bool gltf_read_meshes(gltf_rig *rig, gltf_meshes *meshes)
{
    *meshes = (gltf_meshes){.rig = rig,
                            .model = {.kind = MD5_DOC_MODEL},
                            .names = json_object(),
                            .shader_names = json_object()};
    md5_doc *const model = &meshes->model;
    meshes->shaders = common_alloc(gltf_count(rig->file, "materials"), sizeof *meshes->shaders);
    model->num_joints = (uint32_t)rig->num_joints;
    model->joints = common_alloc(rig->num_joints, sizeof *model->joints);
    for (size_t j = 0; j < rig->num_joints; j++) {
        const gltf_joint *const joint = &rig->joints[j];
        model->joints[j] =
            (md5_doc_joint){.name = joint->name,
                            .parent = joint->parent,
                            .position = gltf_stored_point(joint->bind_pose.translation),
                            .rotation = gltf_stored_rotation(joint->bind_pose.rotation)};
    }
    for (size_t i = 0; i < rig->num_nodes; i++) {
        const uint32_t number = rig->order[i];
        if (rig->nodes[number].is_in_scene && rig->nodes[number].mesh != MD5_NONE
            && !read_node_meshes(meshes, number))
            return false;
    }
    return true;
}

void gltf_free_meshes(gltf_meshes *meshes)
{
    for (size_t i = 0; i < meshes->model.num_meshes; i++) {
        free_mesh(&meshes->model.meshes[i]);
        close_origin(&meshes->origins[i]);
    }
    for (size_t i = 0; i < meshes->num_bases; i++)
        free(meshes->bases[i]);
    free(meshes->model.meshes);
    free(meshes->model.joints);
    free(meshes->origins);
    free((void *)meshes->bases);
    free((void *)meshes->shaders);
    json_decref(meshes->names);
    json_decref(meshes->shader_names);
}

// -- Morph targets --------------------------------------------------------------------------------

char *gltf_file_name(const char *text)
{
    enum { LONGEST = 100 };
    char *const name = common_copy(text ? text : "");
    size_t used = 0;
    for (const char *c = name; *c != '\0' && used < LONGEST; c++) {
        const char lower = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
        const bool is_kept = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
        if (is_kept || (used > 0 && name[used - 1] != '_'))
            name[used++] = is_kept ? lower : '_';
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

// Moves the vertices of a mesh that has the target: its weights become new ones.
static bool move_mesh(const gltf_meshes *meshes, size_t number, size_t target, md5_doc_mesh *mesh)
{
    gltf_file *const file = meshes->rig->file;
    const gltf_origin *const origin = &meshes->origins[number];
    const uint32_t accessor = gltf_index(json_array_get(origin->targets, target), "POSITION");
    size_t count = 0;
    const float *const moves =
        accessor == MD5_NONE ? NULL : gltf_read(file, accessor, GLTF_VEC3, &count);
    if (moves == NULL)
        return accessor == MD5_NONE;
    const md5_weight *const still = mesh->weights;
    mesh->weights = common_alloc(mesh->num_weights, sizeof *mesh->weights);
    memcpy(mesh->weights, still, mesh->num_weights * sizeof *mesh->weights);
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const float *const move = moves + 3 * (size_t)origin->vertices[v];
        const convert_vec by = {(double)move[0], (double)move[1], (double)move[2]};
        for (uint32_t w = 0; w < mesh->vertices[v].num_weights; w++) {
            const uint32_t weight = mesh->vertices[v].first_weight + w;
            gltf_affine turn = *origin->bases[weight];
            turn.m[0][3] = turn.m[1][3] = turn.m[2][3] = 0.0;
            const convert_vec at = convert_from_vec3(mesh->weights[weight].offset);
            mesh->weights[weight].offset =
                gltf_stored_point(convert_add(at, gltf_point(&turn, by)));
            if (!(md5_vec3_length(mesh->weights[weight].offset) <= 1e9f))
                return gltf_fail(file, "mesh %s: a morph target leads beyond 1e9 units",
                                 mesh->name);
        }
    }
    return true;
}

// Adds the model of a target, which has the others' meshes, too.
static bool add_target(const gltf_meshes *meshes, const char *name, convert_scene *scene)
{
    gltf_file *const file = meshes->rig->file;
    md5_doc doc = meshes->model;
    size_t size = doc.num_joints;
    for (uint32_t i = 0; i < doc.num_meshes; i++)
        size += (size_t)doc.meshes[i].num_weights + 2 * (size_t)doc.meshes[i].num_triangles
                + meshes->origins[i].num_targets;
    if (!gltf_spend(file, size))
        return false;
    doc.meshes = common_alloc(doc.num_meshes, sizeof *doc.meshes);
    bool is_right = true;
    for (uint32_t i = 0; i < doc.num_meshes && is_right; i++) {
        const gltf_origin *const origin = &meshes->origins[i];
        doc.meshes[i] = meshes->model.meshes[i];
        for (size_t k = 0; k < origin->num_targets; k++) {
            char *const own = gltf_target_name(meshes->rig, origin->node, k);
            const bool is_it = strcmp(own, name) == 0;
            free(own);
            if (is_it) {
                is_right = move_mesh(meshes, i, k, &doc.meshes[i]);
                break;
            }
        }
    }
    is_right = is_right && convert_add_doc(scene, CONVERT_TARGET, name, &doc, file->error);
    for (uint32_t i = 0; i < doc.num_meshes; i++)
        if (doc.meshes[i].weights != meshes->model.meshes[i].weights)
            free(doc.meshes[i].weights);
    free(doc.meshes);
    return is_right;
}

bool gltf_add_targets(const gltf_meshes *meshes, convert_scene *scene)
{
    gltf_file *const file = meshes->rig->file;
    for (size_t i = 0; i < meshes->model.num_meshes; i++) {
        const gltf_origin *const origin = &meshes->origins[i];
        // Names are compared with those of all parts and of all targets of meshes.
        if (origin->num_targets > 0
            && !gltf_spend(file, origin->num_targets * (scene->num_parts + origin->num_targets)))
            return false;
        for (size_t k = 0; k < origin->num_targets; k++) {
            char *const name = gltf_target_name(meshes->rig, origin->node, k);
            bool is_new = true, is_right = true;
            for (const convert_part *part = scene->parts;
                 part < scene->parts + scene->num_parts && is_new; part++)
                is_new = part->kind != CONVERT_TARGET || strcmp(part->name, name) != 0;
            if (is_new)
                is_right = add_target(meshes, name, scene);
            free(name);
            if (!is_right)
                return false;
        }
    }
    return true;
}

#endif
