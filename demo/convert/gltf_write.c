// Writes glTF 2.0: NAME.glb, or NAME.gltf with NAME.bin and images in the same folder.
//
// All numbers are converted to glTF's axes and to meters. A root node with a rotation and a scale
// would be simpler, but programs handle such nodes differently. The axes x y z of id (forward,
// left, up) become z x y of glTF. This exchange is exact in floats. Then all lengths are scaled.
//
// A joint that one clip moves gets a track in every clip of the file. Otherwise some programs leave
// the joint in the pose of the previous clip. The main structures are gltf_writer and gltf_track.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON
#include "demo/convert/assets.h"
#include "demo/convert/gltf_out.h"

// State of writing a scene as glTF.
typedef struct gltf_writer {
    const convert_job *job;
    const convert_scene *scene;
    gltf_out *out;
    convert_assets assets;
    float corner[3];     // minimum of quantized positions, meters
    double step;         // step of quantized positions, meters; 0: positions are floats
    uint32_t num_joints; // joints of the model, and an additional root if there are several roots
    struct mesh_node {
        size_t node;
        const json_t *targets; // names of morph targets, or NULL
    } * meshes;                // [num_meshes]
    size_t num_keys;           // keys of all tracks
    size_t num_all_keys;       // keys before the reduction: frames of all tracks
    bool *moves;               // [2 * joints] a clip changes the joint's translation or rotation
    double *tolerances;        // [2 * joints] error limits of these tracks, meters and radians
} gltf_writer;

static const double meters_per_unit = 0.0254;

// Returns meters per unit of the input.
static double get_scale(const convert_job *job)
{
    return job->scale > 0 ? job->scale : meters_per_unit;
}

// -- Axes and scale -------------------------------------------------------------------------------

static convert_vec gltf_axes(convert_vec v)
{
    return (convert_vec){v.y, v.z, v.x};
}

static void put_vec(convert_vec v, float *out)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static convert_vec gltf_position(md5_vec3 p)
{
    return gltf_axes(convert_times(convert_from_vec3(p), meters_per_unit));
}

static void put_direction(md5_vec3 d, float *out)
{
    const convert_vec v = gltf_axes(convert_from_vec3(d));
    const double length = sqrt(convert_dot(v, v));
    put_vec(length > 0 ? convert_times(v, 1.0 / length) : (convert_vec){0, 1, 0}, out);
}

static void put_quat(convert_quat q, float *out)
{
    out[0] = (float)q.x;
    out[1] = (float)q.y;
    out[2] = (float)q.z;
    out[3] = (float)q.w;
}

// Converts a transform to glTF's axes and meters.
static convert_xform gltf_xform(md5_xform local)
{
    const convert_xform x = convert_from_xform(local);
    const convert_quat q = x.rotation;
    return (convert_xform){{q.y, q.z, q.x, q.w}, gltf_position(local.translation)};
}

// Writes the translation and the rotation of a node, even if they are the identity.
static void put_xform(gltf_writer *writer, json_t *node, convert_xform x)
{
    float values[7];
    put_vec(x.translation, values);
    put_quat(x.rotation, values + 3);
    gltf_put(writer->out, node, "translation", gltf_floats(values, 3));
    gltf_put(writer->out, node, "rotation", gltf_floats(values + 3, 4));
}

// -- Joints ---------------------------------------------------------------------------------------

// Writes the node of a joint. The index after the last joint of the model selects the additional
// root.
static void write_joint(gltf_writer *writer, uint32_t index, size_t *num_renamed)
{
    const md5_skeleton *const skeleton = writer->assets.skeleton;
    const bool is_added_root = index == skeleton->num_joints;
    const char *const name = is_added_root ? "md5_root" : skeleton->joints[index].name;
    char *const unique = gltf_unique_name(writer->out, GLTF_NODE_NAME, name, "joint");
    json_t *const node = json_pack("{s:s}", "name", unique);
    if (strcmp(unique, name) != 0) {
        ++*num_renamed;
        gltf_put_extra(writer->out, node, "name", gltf_string(name));
    }
    if (!is_added_root)
        put_xform(writer, node, gltf_xform(writer->assets.rest[index]));
    gltf_add(writer->out, "nodes", node);
    free(unique);
}

// Writes the joints; the index of a node is the index of its joint. Returns the root.
static uint32_t write_joints(gltf_writer *writer)
{
    const md5_skeleton *const skeleton = writer->assets.skeleton;
    const uint32_t count = skeleton->num_joints;
    uint32_t num_roots = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (skeleton->joints[i].parent == MD5_NONE)
            num_roots++;
    }
    const bool adds_root = num_roots > 1;
    const uint32_t root = adds_root ? count : skeleton->order[0];
    writer->num_joints = adds_root ? count + 1 : count;

    size_t num_renamed = 0;
    for (uint32_t i = 0; i < writer->num_joints; i++)
        write_joint(writer, i, &num_renamed);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t parent = skeleton->joints[i].parent;
        if (i != root)
            gltf_set_parent(writer->out, i, parent != MD5_NONE ? parent : root);
    }
    gltf_append(writer->out, writer->out->root_nodes, gltf_integer(root));

    if (num_renamed > 0)
        convert_note(writer->job, "renamed %zu %s to make all names unique in other programs",
                     num_renamed, common_noun(num_renamed, "joint", "joints"));
    if (adds_root)
        convert_note(writer->job,
                     "the model has several root joints: md5_root was added as their parent");
    return root;
}

// Writes an inverse bind matrix as a column-major 4 x 4 matrix in glTF's axes.
//
// With quantization, the matrix also converts positions from steps to meters. A position q in steps
// is corner + step * q in meters. The linear part A and the translation t of the matrix therefore
// become A * step and t + A * corner.
static void put_inverse_bind(const gltf_writer *writer, const float *m, float *out)
{
    static const int axis[3] = {1, 2, 0}; // id's axis of each axis of glTF
    const double step = writer->step > 0 ? writer->step : 1;
    for (int row = 0; row < 3; row++) {
        double corner = 0;
        for (int column = 0; column < 3; column++) {
            const double value = m[4 * axis[row] + axis[column]];
            out[4 * column + row] = (float)(value * step);
            corner += value * writer->corner[column];
        }
        out[12 + row] = (float)(m[4 * axis[row] + 3] * meters_per_unit + corner);
    }
    out[15] = 1;
}

// Writes the skin that all meshes share: the list of joints and the inverses of their bind
// poses. `root` is the node that is the common root of the joints.
static void write_skin(gltf_writer *writer, uint32_t root)
{
    static const md5_mat34 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    const uint32_t count = writer->assets.skeleton->num_joints;
    float *const binds = common_alloc(writer->num_joints, 16 * sizeof *binds);
    json_t *const joints = json_array();
    for (uint32_t i = 0; i < writer->num_joints; i++) {
        const float *const m = i < count ? writer->assets.model->inverse_bind[i].m : identity.m;
        put_inverse_bind(writer, m, binds + 16 * (size_t)i);
        gltf_append(writer->out, joints, gltf_integer(i));
    }

    const size_t accessor = gltf_add_accessor(writer->out, GLTF_BINDS, GLTF_FLOAT, binds,
                                              writer->num_joints, 16, GLTF_PLAIN);
    gltf_add(writer->out, "skins",
             json_pack("{s:I, s:I, s:o}", "inverseBindMatrices", (json_int_t)accessor, "skeleton",
                       (json_int_t)root, "joints", joints));
    free(binds);
}

// -- Images and materials -------------------------------------------------------------------------

// Stores the bytes of an image: in the file, or for .gltf in a file in the same folder.
static bool store_image(gltf_writer *writer, const convert_image *source, const char *name,
                        json_t *image, md5_error *error)
{
    const char *const extension = convert_image_extension(source);
    if (common_has_suffix(writer->job->output, ".glb")) {
        const bool is_png = strcmp(extension, ".png") == 0;
        const size_t view = gltf_add_image(writer->out, source->bytes, source->size);
        gltf_put(writer->out, image, "bufferView", gltf_integer(view));
        gltf_put(writer->out, image, "mimeType", json_string(is_png ? "image/png" : "image/jpeg"));
        return true;
    }

    char *const file = common_format("%s%s", name, extension);
    gltf_put(writer->out, image, "uri", gltf_uri(file));
    const bool is_written =
        convert_write_to_folder(writer->job, file, source->bytes, source->size, error);
    free(file);
    return is_written;
}

// Returns the texture of an image in *texture. Equal images share one texture.
static bool write_texture(gltf_writer *writer, const convert_image *source, size_t *texture,
                          md5_error *error)
{
    *texture = gltf_num_added(writer->out, "textures");
    if (gltf_find_or_add_bytes(writer->out, GLTF_TEXTURE, "", source->bytes, source->size, texture))
        return true;

    char *const name = gltf_unique_name(writer->out, GLTF_IMAGE_NAME, source->name, "picture");
    json_t *const image = json_pack("{s:s}", "name", name);
    const bool is_written = store_image(writer, source, name, image, error);
    if (source->declared)
        gltf_put_extra(writer->out, image, "path", gltf_string(source->declared));
    const size_t index = gltf_add(writer->out, "images", image);
    gltf_add(writer->out, "textures", json_pack("{s:I}", "source", (json_int_t)index));
    free(name);
    return is_written;
}

// Writes a normal map, whose green channel points up in glTF. If the image cannot be decoded, skips
// it and returns true; then *has_texture is false.
static bool write_normal_map(gltf_writer *writer, const convert_image *source, const char *shader,
                             size_t *texture, bool *has_texture, md5_error *error)
{
    md5_error reason = {0};
    convert_image flipped = *source;
    flipped.bytes = convert_flip_green_channel(writer->job, source, &flipped.size, &reason);
    *has_texture = flipped.bytes;
    if (!flipped.bytes) {
        convert_note(writer->job, "material %s: skipped the normal map: %s", shader,
                     reason.message);
        return true;
    }

    flipped.name = common_format("%s_n", source->name);
    const bool is_written = write_texture(writer, &flipped, texture, error);
    free(flipped.name);
    free(flipped.bytes);
    return is_written;
}

// Writes the images of a material as textures, and refers to them in the material's JSON object.
// A normal map may be omitted by write_normal_map(). Returns false on failure.
static bool write_maps(gltf_writer *writer, const convert_material *source, const char *shader,
                       json_t *material, md5_error *error)
{
    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        const convert_image *const image = &source->maps[map];
        size_t texture = 0;
        bool has_texture = image->bytes;
        bool is_written = true;
        if (has_texture && map == CONVERT_MAP_NORMAL)
            is_written = write_normal_map(writer, image, shader, &texture, &has_texture, error);
        else if (has_texture)
            is_written = write_texture(writer, image, &texture, error);
        if (!is_written)
            return false;
        if (!has_texture)
            continue;

        if (map == CONVERT_MAP_SPECULAR)
            convert_note(writer->job,
                         "material %s: the specular map was converted to KHR_materials_specular, "
                         "which is shaded differently",
                         shader);
        gltf_put_map(writer->out, material, map, texture);
    }
    return true;
}

// Adds a material with the name of the shader or, if that is empty, of its color image. A material
// without images is white.
static bool write_material(gltf_writer *writer, const convert_material *source, const char *shader,
                           md5_error *error)
{
    if (shader[0] == '\0' && source->maps[CONVERT_MAP_COLOR].name)
        shader = source->maps[CONVERT_MAP_COLOR].name;

    // With a roughness of 0.7, highlights fall to one half at the same angle as with id's table.
    json_t *const base = json_pack("{s:f, s:f}", "metallicFactor", 0.0, "roughnessFactor", 0.7);
    json_t *const material =
        json_pack("{s:o, s:o}", "name", gltf_string(shader), "pbrMetallicRoughness", base);
    gltf_add(writer->out, "materials", material);
    if (!write_maps(writer, source, shader, material, error))
        return false;

    if (source->is_unlit)
        gltf_put_extension(writer->out, material, "KHR_materials_unlit");
    if (source->alpha != CONVERT_OPAQUE)
        gltf_put(writer->out, material, "alphaMode",
                 json_string(source->alpha == CONVERT_MASK ? "MASK" : "BLEND"));
    if (source->alpha == CONVERT_MASK)
        gltf_put(writer->out, material, "alphaCutoff", json_real(source->cutoff));
    if (source->is_two_sided)
        gltf_put(writer->out, material, "doubleSided", json_true());
    if (source->text)
        gltf_put_extra(writer->out, material, "text", gltf_string(source->text));
    return true;
}

// -- Meshes ---------------------------------------------------------------------------------------

// Rounds the weights of each vertex to multiples of 1 / 65535, because quantized weights are 16-bit
// integers. The first weight is the largest. It absorbs the rounding errors of the others, so that
// the sum stays 1.
static void round_weights(const md5_mesh *mesh, convert_skin *skin)
{
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        float *const weights = skin->weights + v * skin->slots;
        float sum = 0;
        for (uint32_t k = 0; k < skin->slots; k++) {
            weights[k] = roundf(weights[k] * 65535);
            sum += weights[k];
        }
        weights[0] += 65535 - sum;
        for (uint32_t k = 0; k < skin->slots; k++) {
            weights[k] /= 65535.0f;
            if (!(weights[k] > 0))
                skin->joints[v * skin->slots + k] = 0;
        }
    }
}

// Writes the positions. values[3 * count] is scratch memory. Quantized positions are numbers of
// steps from the corner. The inverse bind matrices convert them to meters, because programs ignore
// the transform of a node with a skinned mesh.
static void put_positions(gltf_writer *writer, json_t *attributes, const convert_skin *skin,
                          size_t count, float *values)
{
    const bool is_quantized = writer->step > 0;
    for (size_t v = 0; v < count; v++) {
        float *const position = values + 3 * v;
        put_vec(gltf_position(skin->positions[v]), position);
        if (is_quantized) {
            for (size_t k = 0; k < 3; k++)
                position[k] =
                    roundf((float)(((double)position[k] - writer->corner[k]) / writer->step));
        }
    }
    gltf_put_attribute(writer->out, attributes, "POSITION", GLTF_USHORT, values, count, 3,
                       GLTF_BOUNDED);
}

// Writes the normals; values[3 * count] is temporary.
static void put_normals(gltf_writer *writer, json_t *attributes, const md5_mesh *mesh,
                        float *values)
{
    for (size_t v = 0; v < mesh->num_vertices; v++)
        put_direction(mesh->normals[v], values + 3 * v);
    gltf_put_attribute(writer->out, attributes, "NORMAL", GLTF_BYTE, values, mesh->num_vertices, 3,
                       GLTF_NORMALIZED);
}

// Writes the tangents; values[4 * count] is temporary.
static void put_tangents(gltf_writer *writer, json_t *attributes, const md5_mesh *mesh,
                         float *values)
{
    const size_t count = mesh->num_vertices;
    for (size_t v = 0; v < count; v++) {
        const md5_vec4 t = mesh->tangents[v];
        put_direction((md5_vec3){t.x, t.y, t.z}, values + 4 * v);
        values[4 * v + 3] = -t.w; // the green channel was flipped to point up, along -v
    }
    gltf_put_attribute(writer->out, attributes, "TANGENT", GLTF_BYTE, values, count, 4,
                       GLTF_NORMALIZED);
}

// Writes the vertices of a mesh. Returns the object "attributes" of its primitive. It contains the
// index of an accessor for each attribute. The types below are for quantized attributes;
// gltf_put_attribute() writes floats if the writer does not quantize. If the writer quantizes, the
// weights of `skin` are rounded.
static json_t *write_attributes(gltf_writer *writer, const md5_mesh *mesh, convert_skin *skin)
{
    const bool quantizes = writer->step > 0;
    json_t *const attributes = json_object();
    const size_t count = mesh->num_vertices;
    float *const values = common_alloc(count, 4 * sizeof *values);
    put_positions(writer, attributes, skin, count, values);
    put_normals(writer, attributes, mesh, values);
    if (mesh->tangents)
        put_tangents(writer, attributes, mesh, values);
    free(values);

    gltf_put_attribute(writer->out, attributes, "TEXCOORD_0", GLTF_USHORT, &mesh->texcoords[0].x,
                       count, 2, GLTF_NORMALIZED);
    if (mesh->colors)
        gltf_put_attribute(writer->out, attributes, "COLOR_0", GLTF_USHORT, &mesh->colors[0].x,
                           count, 4, GLTF_NORMALIZED);
    if (quantizes)
        round_weights(mesh, skin);
    gltf_put_influences(writer->out, attributes, writer->assets.model->skeleton.num_joints,
                        skin->joints, skin->weights, count, skin->slots);
    return attributes;
}

// Selects the step of quantized positions: the longest side of the bounding box has 65535 steps.
// Also declares the extension, because readers reject quantized attributes without it.
static void begin_quantization(gltf_writer *writer)
{
    const md5_model *const model = writer->assets.model;
    md5_bounds box = md5_bounds_from_points(NULL, 0);
    float end[3];
    float max_extent = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++)
        box = md5_bounds_union(box, md5_bounds_from_points(writer->assets.skins[m].positions,
                                                           model->meshes[m].num_vertices));

    if (box.min.x <= box.max.x) {
        put_vec(gltf_position(box.min), writer->corner);
        put_vec(gltf_position(box.max), end);
        for (int k = 0; k < 3; k++)
            max_extent = fmaxf(max_extent, end[k] - writer->corner[k]);
    }

    writer->step = max_extent > 0 ? max_extent / 65535.0 : 1;
    writer->out->is_quantized = true;
    gltf_add(writer->out, "extensionsUsed", json_string("KHR_mesh_quantization"));
    gltf_add(writer->out, "extensionsRequired", json_string("KHR_mesh_quantization"));
    convert_note(writer->job, "positions were quantized to multiples of %.3g units",
                 writer->step / meters_per_unit);
}

// Adds the triangles of a mesh as an accessor and returns its index. Indices have 16 bits if
// possible, without 65535, which glTF reserves.
static size_t add_indices(gltf_writer *writer, const md5_mesh *mesh)
{
    const size_t count = 3 * (size_t)mesh->num_triangles;
    const bool is_short = mesh->num_vertices <= 65535;
    uint32_t *const indices = common_alloc(count, sizeof *indices);
    for (size_t i = 0; i < count; i += 3) { // MD5's front faces are clockwise
        indices[i] = mesh->indices[i];
        indices[i + 1] = mesh->indices[i + 2];
        indices[i + 2] = mesh->indices[i + 1];
    }
    const size_t accessor =
        gltf_add_accessor(writer->out, GLTF_INDICES, is_short ? GLTF_USHORT : GLTF_UINT, indices,
                          count, 1, GLTF_PLAIN);
    free(indices);
    return accessor;
}

// -- Morph targets --------------------------------------------------------------------------------

// Adds a sparse accessor. values[count] are the deltas of the vertices in `indices`; all other
// vertices have the delta 0. Takes ownership of `indices`, which is a result of gltf_add_values().
static json_t *add_deltas(gltf_writer *writer, const md5_mesh *mesh, json_t *indices,
                          const float *values, uint32_t count, bool has_bounds)
{
    json_t *const deltas =
        gltf_add_values(writer->out, GLTF_KEYS, GLTF_FLOAT, values, count, 3, GLTF_PLAIN);
    json_t *const accessor =
        json_pack("{s:i, s:I, s:s, s:{s:I, s:o, s:o}}", "componentType", GLTF_FLOAT, "count",
                  (json_int_t)mesh->num_vertices, "type", "VEC3", "sparse", "count",
                  (json_int_t)count, "indices", indices, "values", deltas);
    if (has_bounds) // bounds of all vertices, also of those with a delta of 0
        gltf_put_bounds(writer->out, accessor, values, count, 3, count < mesh->num_vertices);
    return gltf_integer(gltf_add(writer->out, "accessors", accessor));
}

// Attributes that morph targets change, in the order of glTF's names in write_target().
enum { MORPH_POSITION, MORPH_NORMAL, MORPH_TANGENT, NUM_MORPH_ATTRIBUTES };

static md5_vec3 morph_vector(const md5_morph_delta *delta, int attribute)
{
    if (attribute == MORPH_POSITION)
        return delta->position;
    return attribute == MORPH_NORMAL ? delta->normal : delta->tangent;
}

// The vertices of a mesh that one morph target moves. The arrays have an element for each vertex
// that any target moves.
typedef struct moved_vertices {
    uint32_t count;                 // vertices of the current target
    uint32_t *vertices;             // their indices in the mesh
    const md5_morph_delta **deltas; // delta of each of these vertices
    float *values;                  // [][3] space for one attribute in glTF's axes
    uint32_t *num_read;             // [vertices with deltas] number of deltas for earlier targets
} moved_vertices;

// Collects the vertices that a target moves. The targets must be collected in ascending order. The
// deltas of each vertex are sorted by target, so its next delta belongs to this or to a later
// target.
static void collect_moved(const md5_morph_mesh *mesh, uint32_t target, moved_vertices *moved)
{
    moved->count = 0;
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        const uint32_t next = mesh->first[i] + moved->num_read[i];
        if (next == mesh->first[i + 1] || mesh->deltas[next].target != target)
            continue;
        moved->num_read[i]++;
        moved->deltas[moved->count] = &mesh->deltas[next];
        moved->vertices[moved->count] = mesh->vertices[i];
        moved->count++;
    }
}

// Writes one attribute of a morph target: the changes of the moved vertices. Positions are divided
// by the step of quantized positions. Returns the index of the accessor as JSON.
static json_t *write_target_attribute(gltf_writer *writer, const md5_mesh *mesh,
                                      const moved_vertices *moved, int attribute, json_t *indices)
{
    const bool is_position = attribute == MORPH_POSITION;
    const double step = writer->step > 0 ? writer->step : 1;
    const double unit = is_position ? meters_per_unit / step : 1;
    for (uint32_t i = 0; i < moved->count; i++) {
        const convert_vec move = convert_from_vec3(morph_vector(moved->deltas[i], attribute));
        put_vec(gltf_axes(convert_times(move, unit)), moved->values + 3 * (size_t)i);
    }
    return add_deltas(writer, mesh, json_incref(indices), moved->values, moved->count, is_position);
}

// Returns the glTF object of a target: one sparse accessor for each attribute. All accessors share
// the indices of the vertices.
static json_t *write_target(gltf_writer *writer, const md5_mesh *mesh, const moved_vertices *moved)
{
    static const char *const attributes[NUM_MORPH_ATTRIBUTES] = {
        [MORPH_POSITION] = "POSITION", [MORPH_NORMAL] = "NORMAL", [MORPH_TANGENT] = "TANGENT"};
    const int num_attributes = mesh->tangents ? NUM_MORPH_ATTRIBUTES : MORPH_TANGENT;
    json_t *const target = json_object();
    json_t *const indices = gltf_add_values(writer->out, GLTF_KEYS, GLTF_UINT, moved->vertices,
                                            moved->count, 1, GLTF_PLAIN);
    gltf_put(writer->out, indices, "componentType", json_integer(GLTF_UINT));
    for (int a = 0; a < num_attributes; a++)
        gltf_put(writer->out, target, attributes[a],
                 write_target_attribute(writer, mesh, moved, a, indices));

    json_decref(indices);
    return target;
}

// Writes the morph targets that move vertices of a mesh: the targets to the primitive, their names
// to the extras.
static void write_targets(gltf_writer *writer, uint32_t index, json_t *primitive, json_t *extras)
{
    const md5_morph *const morph = writer->assets.morph;
    const md5_mesh *const mesh = &writer->assets.model->meshes[index];
    const md5_morph_mesh *const deltas = &morph->meshes[index];
    const uint32_t count = deltas->num_vertices;
    moved_vertices moved = {
        .vertices = common_alloc(count, sizeof *moved.vertices),
        .deltas = common_alloc(count, sizeof *moved.deltas),
        .values = common_alloc(count, 3 * sizeof *moved.values),
        .num_read = common_alloc(count, sizeof *moved.num_read),
    };

    for (uint32_t t = 0; t < morph->num_targets; t++) {
        collect_moved(deltas, t, &moved);
        if (moved.count == 0)
            continue;
        gltf_append(writer->out, gltf_member(writer->out, primitive, "targets", true),
                    write_target(writer, mesh, &moved));
        gltf_append(writer->out, gltf_member(writer->out, extras, "targetNames", true),
                    gltf_string(morph->targets[t].name));
    }

    writer->meshes[index].targets = json_object_get(extras, "targetNames");
    free(moved.num_read);
    free(moved.values);
    free((void *)moved.deltas);
    free(moved.vertices);
}

// Returns the material of the scene that a mesh uses, as 1 + index, or 0 if there is none. The mesh
// may select it directly; otherwise the shader selects it.
static size_t find_source_material(const gltf_writer *writer, uint32_t mesh)
{
    size_t source = 0;
    if (mesh < writer->scene->num_mesh_materials)
        source = writer->scene->mesh_materials[mesh];
    if (source == 0) // gltf_find_or_add() also stores that the shader has no material
        gltf_find_or_add(writer->out, GLTF_SCENE_MATERIAL,
                         writer->assets.model->meshes[mesh].shader, &source);
    return source;
}

// Sets *material to the index of a mesh's material in the glTF file, after writing the material
// if it is new. *has_material is false if the mesh has neither a shader nor a color image.
// Returns false on failure.
static bool write_mesh_material(gltf_writer *writer, uint32_t index, size_t *material,
                                bool *has_material, md5_error *error)
{
    static const convert_material none = {0};
    const char *const shader = writer->assets.model->meshes[index].shader;
    const size_t source_index = find_source_material(writer, index);
    const convert_material *const source =
        source_index > 0 ? &writer->scene->materials[source_index - 1] : &none;
    *has_material = shader[0] != '\0' || source->maps[CONVERT_MAP_COLOR].bytes;
    if (!*has_material)
        return true;

    *material = gltf_num_added(writer->out, "materials");
    char *const key = common_format("%zu %s", source_index, shader);
    const bool is_found = gltf_find_or_add(writer->out, GLTF_MATERIAL, key, material);
    free(key);
    return is_found || write_material(writer, source, shader, error);
}

// Returns the glTF object of a mesh's only primitive: its attributes and its triangles.
static json_t *create_primitive(gltf_writer *writer, uint32_t index)
{
    const md5_mesh *const mesh = &writer->assets.model->meshes[index];
    const size_t indices = add_indices(writer, mesh);
    json_t *const attributes = write_attributes(writer, mesh, &writer->assets.skins[index]);
    return json_pack("{s:o, s:I}", "attributes", attributes, "indices", (json_int_t)indices);
}

// Writes a mesh and its node. The node has no parent: only the skin places it. Properties that glTF
// does not have, such as the shader, are stored in the extras, so that gltf_read.c can read them.
static bool write_mesh(gltf_writer *writer, uint32_t index, md5_error *error)
{
    const md5_mesh *const mesh = &writer->assets.model->meshes[index];
    const char *const title = mesh->name[0] != '\0' ? mesh->name : common_base(mesh->shader);
    char *const name = gltf_unique_name(writer->out, GLTF_NODE_NAME, title, "mesh");
    json_t *const primitive = create_primitive(writer, index);
    json_t *const extras =
        json_pack("{s:{s:o, s:o, s:I}}", "md5", "shader", gltf_string(mesh->shader), "name",
                  gltf_string(mesh->name), "vertices", (json_int_t)mesh->num_file_vertices);

    size_t material = 0;
    bool has_material = false;
    const bool is_written = write_mesh_material(writer, index, &material, &has_material, error);
    if (has_material)
        gltf_put(writer->out, primitive, "material", gltf_integer(material));
    if (writer->assets.morph)
        write_targets(writer, index, primitive, extras);

    const size_t mesh_index = gltf_add(
        writer->out, "meshes",
        json_pack("{s:s, s:[o], s:o}", "name", name, "primitives", primitive, "extras", extras));
    const size_t node = gltf_add(
        writer->out, "nodes",
        json_pack("{s:s, s:I, s:i}", "name", name, "mesh", (json_int_t)mesh_index, "skin", 0));
    gltf_append(writer->out, writer->out->root_nodes, gltf_integer(node));
    writer->meshes[index].node = node;
    free(name);
    return is_written;
}

// -- Keys -----------------------------------------------------------------------------------------

// The values of a node's translation or rotation, one for each frame. A translation is stored as x
// y z 0, and a rotation as a unit quaternion.
typedef struct gltf_track {
    convert_quat *values; // [num_frames]
    float *times;         // [num_frames]
    uint32_t num_frames;
    bool is_rotation;
    // [num_frames] The first num_keys elements are the frames of the keys, in ascending order from
    // frame 0. NULL: every frame is a key.
    uint32_t *keys;
    uint32_t num_keys; // 1: the track is constant
} gltf_track;

// Limits for adjacent keys. Some programs interpolate the components of quaternions linearly. Their
// error against slerp grows with the cube of the angle, so the angle is limited.
enum { MAX_SPAN = 64 };                                              // frames
static const double max_angle = 15 * 3.14159265358979323846 / 180.0; // radians

// Returns a translation in the form of a track's values.
static convert_quat from_vec(convert_vec v)
{
    return (convert_quat){v.x, v.y, v.z, 0};
}

// Returns the distance of two translations, or the angle of two rotations in radians. It is
// computed from the chord, which is accurate for small angles.
static double value_distance(const gltf_track *track, convert_quat a, convert_quat b)
{
    const bool is_negated = track->is_rotation && convert_quat_dot(a, b) < 0;
    const convert_quat gap = convert_mix(a, 1, b, is_negated ? 1 : -1);
    const double chord = sqrt(convert_quat_dot(gap, gap));
    return track->is_rotation ? 4 * asin(fmin(chord / 2.0, 1.0)) : chord;
}

// Negates quaternions where necessary, so that each has a positive dot product with the previous
// one. Programs that interpolate the components then take the shorter arc.
static void align_quaternion_signs(gltf_track *track)
{
    for (uint32_t i = 1; i < track->num_frames; i++) {
        if (convert_quat_dot(track->values[i - 1], track->values[i]) < 0)
            track->values[i] = convert_mix(track->values[i], -1, track->values[i], 0);
    }
}

// Returns true if interpolation between two keys gives the values of all frames between them,
// within the tolerance.
static bool can_interpolate(const gltf_track *track, uint32_t first, uint32_t last,
                            double tolerance)
{
    const convert_quat a = track->values[first];
    const convert_quat b = track->values[last];
    if (track->is_rotation && value_distance(track, a, b) > max_angle)
        return false;
    for (uint32_t i = first + 1; i < last; i++) {
        const double t = (double)(i - first) / (last - first);
        const convert_quat sum = convert_mix(a, 1 - t, b, t);
        const convert_quat value = track->values[i];
        // Programs use either slerp or the normalized sum.
        const convert_quat blended = track->is_rotation ? convert_unit(sum) : sum;
        if (value_distance(track, blended, value) > tolerance)
            return false;
        if (track->is_rotation && value_distance(track, convert_slerp(a, b, t), value) > tolerance)
            return false;
    }
    return true;
}

// Returns true if all frames are within the tolerance of the first frame.
static bool is_constant(const gltf_track *track, double tolerance)
{
    for (uint32_t i = 1; i < track->num_frames; i++) {
        if (!(value_distance(track, track->values[0], track->values[i]) <= tolerance))
            return false;
    }
    return true;
}

// Selects the frames that become keys, so that interpolation gives each frame within the tolerance.
// If the tolerance is 0, only constant tracks get fewer keys. Adjacent keys have a distance of at
// most 15 degrees and 64 frames.
static void select_keys(gltf_track *track, double tolerance)
{
    track->num_keys = 0;
    track->keys[track->num_keys++] = 0;
    if (is_constant(track, tolerance))
        return;

    const uint32_t last_frame = track->num_frames - 1;
    uint32_t first = 0; // the previous key
    while (first < last_frame) {
        const uint32_t max_key = last_frame - first < MAX_SPAN ? last_frame : first + MAX_SPAN;
        uint32_t key = first + 1;
        while (tolerance > 0 && key < max_key && can_interpolate(track, first, key + 1, tolerance))
            key++;
        track->keys[track->num_keys++] = key;
        first = key;
    }
}

// -- Clips ----------------------------------------------------------------------------------------

// Returns the poses of a clip, [num_frames][joints].
static md5_xform *sample_clip(const gltf_writer *writer, const convert_clip *clip)
{
    const uint32_t count = writer->assets.skeleton->num_joints;
    md5_xform *const poses = common_alloc((size_t)clip->anim->num_frames * count, sizeof *poses);
    for (uint32_t frame = 0; frame < clip->anim->num_frames; frame++)
        md5_sample(clip->binding, md5_sample_position_from_frames(clip->anim, frame, frame, 0),
                   MD5_ROOT_FILE, poses + (size_t)frame * count);
    return poses;
}

// Finds the tracks that a clip changes. Ignores changes below the rounding of MD5 files, which have
// six decimals.
static void find_moves(gltf_writer *writer)
{
    const double max_distance_squared = 4e-12;    // units
    const double max_rotation_difference = 1e-12; // 2 - 2 |dot product|
    const md5_skeleton *const skeleton = writer->assets.skeleton;
    for (size_t i = 0; i < writer->assets.num_clips; i++) {
        convert_clip *const clip = &writer->assets.clips[i];
        md5_xform *const poses = sample_clip(writer, clip);
        const size_t count = (size_t)clip->anim->num_frames * skeleton->num_joints;
        for (size_t k = 0; k < count; k++) {
            const size_t joint = k % skeleton->num_joints;
            const convert_xform pose = convert_from_xform(poses[k]);
            const convert_xform rest = convert_from_xform(writer->assets.rest[joint]);
            const convert_vec gap = convert_sub(pose.translation, rest.translation);
            const double cosine = fabs(convert_quat_dot(pose.rotation, rest.rotation));
            writer->moves[2 * joint] |= convert_dot(gap, gap) > max_distance_squared;
            writer->moves[2 * joint + 1] |= 2 - 2 * cosine > max_rotation_difference;
        }
        free(poses);
    }

    // A clip in which nothing moves needs a track, too, because tracks define its length.
    writer->moves[2 * (size_t)skeleton->order[0]] = true;
}

// Returns the reach of each joint, in units. It is the largest distance from the joint to a vertex
// that it or one of its descendants moves. The caller frees the array.
static double *measure_reach(const gltf_writer *writer)
{
    const md5_model *const model = writer->assets.model;
    const md5_skeleton *const skeleton = writer->assets.skeleton;
    double *const reach = common_alloc(skeleton->num_joints, sizeof *reach);
    const uint32_t num_meshes = model ? model->num_meshes : 0;
    for (uint32_t m = 0; m < num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++) {
                const uint32_t joint = mesh->influence_joints[i];
                const md5_vec3 gap =
                    md5_vec3_sub(mesh->positions[v], md5_mat34_translation(model->bind[joint]));
                reach[joint] = fmax(reach[joint], md5_vec3_length(gap));
            }
        }
    }

    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // children first
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const double bone = md5_vec3_length(writer->assets.rest[joint].translation);
        // A joint without vertices gets a reach of one unit, so that its rotation stays accurate,
        // too.
        reach[joint] = fmax(reach[joint], 1.0);
        if (parent != MD5_NONE)
            reach[parent] = fmax(reach[parent], reach[joint] + bone);
    }

    return reach;
}

// Each joint is part of chains from the root to a leaf. Returns for each joint the largest number
// of changing tracks in one of these chains. The caller frees the array.
static uint32_t *count_chain_tracks(const gltf_writer *writer)
{
    const md5_skeleton *const skeleton = writer->assets.skeleton;
    uint32_t *const tracks = common_alloc(skeleton->num_joints, sizeof *tracks);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) { // from the root to the joint
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const bool *const moves = writer->moves + 2 * (size_t)joint;
        const uint32_t num_above = parent == MD5_NONE ? 0 : tracks[parent];
        tracks[joint] = num_above + moves[0] + moves[1];
    }
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // from the leaves to the joint
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        if (parent != MD5_NONE && tracks[joint] > tracks[parent])
            tracks[parent] = tracks[joint];
    }
    return tracks;
}

// Computes error limits for the tracks, so that no vertex moves by more than the tolerance in any
// frame. The errors of a chain of joints add up, so each changing track of a chain gets an equal
// share. The effect of a rotation grows with the distance of the vertices that it moves.
static void find_tolerances(gltf_writer *writer)
{
    const double scale = get_scale(writer->job);
    double *const reach = measure_reach(writer);
    uint32_t *const tracks = count_chain_tracks(writer);
    for (uint32_t joint = 0; joint < writer->assets.skeleton->num_joints; joint++) {
        const double share =
            writer->job->tolerance * scale / meters_per_unit / fmax(1.0, tracks[joint]);
        writer->tolerances[2 * (size_t)joint] = share * meters_per_unit;
        writer->tolerances[2 * (size_t)joint + 1] = share / reach[joint];
    }
    free(tracks);
    free(reach);
}

// Adds a sampler and a channel for the rotation or translation of a node. track->keys selects
// the frames that become keys; NULL selects all frames.
static void add_track(gltf_writer *writer, json_t *animation, size_t node, const gltf_track *track)
{
    const size_t columns = track->is_rotation ? 4 : 3;
    const size_t count = track->num_keys;
    // put_quat() always writes four numbers. The next key overwrites the fourth number of a
    // translation. The additional element is for the fourth number of the last translation.
    float *const values = common_alloc(count + 1, columns * sizeof *values);
    float *const times = common_alloc(count, sizeof *times);
    for (size_t i = 0; i < count; i++) {
        const size_t frame = track->keys ? track->keys[i] : i;
        times[i] = track->times[frame];
        put_quat(track->values[frame], values + i * columns);
    }

    const gltf_channel channel = {.node = node,
                                  .path = track->is_rotation ? "rotation" : "translation",
                                  .times = times,
                                  .values = values,
                                  .num_keys = count,
                                  .num_values = count,
                                  .columns = columns};
    gltf_add_channel(writer->out, animation, &channel);
    free(times);
    free(values);
}

// Stores the weights of a mesh's morph targets in the frames of a clip, [num_frames][num_targets].
// Returns false if the clip animates none of the targets.
static bool collect_weights(gltf_writer *writer, const convert_clip *clip,
                            const json_t *target_names, float *values)
{
    const size_t num_targets = json_array_size(target_names);
    bool is_animated = false;
    for (size_t t = 0; t < num_targets; t++) {
        const char *const target = json_string_value(json_array_get(target_names, t));
        char *const key = common_format("%s\n%s", clip->name, target);
        size_t index = SIZE_MAX;
        gltf_find_or_add(writer->out, GLTF_WEIGHTS, key, &index);
        free(key);
        if (index == SIZE_MAX)
            continue;
        is_animated = true;
        const convert_weights *const weights = &writer->scene->weights[index];
        for (size_t i = 0; i < clip->anim->num_frames && i < weights->num_keys; i++)
            values[i * num_targets + t] = weights->keys[i];
    }
    return is_animated;
}

// Adds the weights of morph targets to the animation of a clip, one channel for each mesh with
// targets. times[num_frames] are the times of the clip's frames.
//
// A clip without weights also gets a channel, with a single key that sets all weights to 0.
// Otherwise a program that plays it after a clip with weights would keep the last weights.
static void add_weights(gltf_writer *writer, json_t *animation, const convert_clip *clip,
                        const float *times)
{
    const uint32_t num_frames = clip->anim->num_frames;
    for (uint32_t i = 0; i < writer->assets.model->num_meshes; i++) {
        const struct mesh_node *const mesh = &writer->meshes[i];
        const size_t num_targets = json_array_size(mesh->targets);
        if (num_targets == 0)
            continue;
        float *const values = common_alloc(num_frames * num_targets, sizeof *values);
        const bool is_animated = collect_weights(writer, clip, mesh->targets, values);
        const uint32_t num_keys = is_animated ? num_frames : 1;
        const gltf_channel channel = {.node = mesh->node,
                                      .path = "weights",
                                      .times = times,
                                      .values = values,
                                      .num_keys = num_keys,
                                      .num_values = num_keys * num_targets,
                                      .columns = 1};
        gltf_add_channel(writer->out, animation, &channel);
        free(values);
    }
}

// Writes the translation or the rotation of a joint, as track->is_rotation selects.
// poses[num_frames][num_joints] are the poses of all frames. `track` already contains the times,
// and has memory for the values.
static void write_joint_track(gltf_writer *writer, json_t *animation, const md5_xform *poses,
                              uint32_t joint, gltf_track *track)
{
    const md5_skeleton *const skeleton = writer->assets.skeleton;
    for (uint32_t frame = 0; frame < track->num_frames; frame++) {
        const convert_xform x = gltf_xform(poses[(size_t)frame * skeleton->num_joints + joint]);
        track->values[frame] = track->is_rotation ? x.rotation : from_vec(x.translation);
    }
    if (track->is_rotation)
        align_quaternion_signs(track);
    select_keys(track, writer->tolerances[2 * (size_t)joint + track->is_rotation]);

    // The length of a clip is the time of its last key. The first root therefore has a key in the
    // last frame even if it does not move.
    const bool is_root_translation = joint == skeleton->order[0] && !track->is_rotation;
    if (is_root_translation && track->num_keys == 1 && track->num_frames > 1) {
        track->keys[1] = track->num_frames - 1;
        track->num_keys = 2;
    }

    add_track(writer, animation, joint, track);
    writer->num_keys += track->num_keys;
    writer->num_all_keys += track->num_frames;
}

// Writes the tracks of all joints that move. `track` has space for the frames of the clip, and
// contains their times.
static void write_tracks(gltf_writer *writer, const convert_clip *clip, json_t *animation,
                         gltf_track *track)
{
    md5_xform *const poses = sample_clip(writer, clip);
    for (uint32_t joint = 0; joint < writer->assets.skeleton->num_joints; joint++) {
        const bool *const moves = &writer->moves[2 * (size_t)joint]; // translation, rotation
        track->is_rotation = false;
        if (moves[0])
            write_joint_track(writer, animation, poses, joint, track);
        track->is_rotation = true;
        if (moves[1])
            write_joint_track(writer, animation, poses, joint, track);
    }
    free(poses);
}

// Writes a clip as an animation. It contains tracks of all joints and the morph weights. The extras
// contain the frame rate and the removed root motion.
static void write_clip(gltf_writer *writer, const convert_clip *clip)
{
    const uint32_t num_frames = clip->anim->num_frames;
    json_t *const extras = json_pack("{s:f, s:I}", "frameRate", clip->anim->frame_rate, "frames",
                                     (json_int_t)num_frames);
    json_t *const animation = gltf_add_animation(writer->out, clip->name, extras);
    gltf_track track = {.values = common_alloc(num_frames, sizeof *track.values),
                        .times = common_alloc(num_frames, sizeof *track.times),
                        .num_frames = num_frames,
                        .keys = common_alloc(num_frames, sizeof *track.keys)};
    for (uint32_t frame = 0; frame < num_frames; frame++)
        track.times[frame] = (float)((double)frame / clip->anim->frame_rate);

    write_tracks(writer, clip, animation, &track);
    if (writer->assets.morph && writer->scene->num_weights > 0)
        add_weights(writer, animation, clip, track.times);
    if (writer->job->is_in_place) {
        float motion[3];
        put_vec(gltf_position(clip->part->removed_motion), motion);
        gltf_put(writer->out, extras, "rootMotion", gltf_floats(motion, 3));
    }

    free(track.keys);
    free(track.times);
    free(track.values);
}

// -- Cameras --------------------------------------------------------------------------------------

// Converts id's horizontal field of view in degrees, for an aspect of 4:3, to glTF's vertical field
// of view in radians.
static double vertical_fov(float fov)
{
    const double half_angle = fmin(fmax(fov, 1.0), 179.0) * 3.14159265358979323846 / 360.0;
    return 2 * atan(tan(half_angle) * 3.0 / 4.0);
}

// The frames of a camera path, and their arrays.
typedef struct camera_track {
    float *times;
    float *fovs;          // as in the MD5 file
    convert_quat *values; // values of both tracks
    gltf_track moved;
    gltf_track rotated;
    convert_xform first;   // transform in the first frame
    double max_fov_change; // difference from the first frame's field of view, degrees
} camera_track;

// Computes the times of the frames. glTF does not support cuts, so a cut becomes a very fast
// motion. The first frame of a shot follows the last frame of the previous shot after a thousandth
// of a frame.
static void find_camera_times(const md5_camera *camera, float *times)
{
    const double jump_length = 0.001; // frames
    uint32_t num_cuts = 0;            // before the frame
    for (uint32_t i = 0; i < camera->num_frames; i++) {
        while (num_cuts < camera->num_cuts && camera->cuts[num_cuts] < i)
            num_cuts++;
        const bool is_jump = num_cuts > 0 && camera->cuts[num_cuts - 1] + 1 == i;
        times[i] =
            (float)(((double)i - num_cuts + (is_jump ? jump_length : 0)) / camera->frame_rate);
        if (i > 0 && !(times[i] > times[i - 1])) // glTF requires ascending times
            times[i] = nextafterf(times[i - 1], INFINITY);
    }
}

// Converts the frames of a camera to a track of translations, rotations and fields of view.
static void sample_camera(const md5_camera *camera, camera_track *track)
{
    const convert_quat flip = {0, 1, 0, 0}; // glTF's cameras look along -z, id's along z
    for (uint32_t i = 0; i < camera->num_frames; i++) {
        const md5_camera_view view = camera->frames[i];
        convert_xform x = gltf_xform((md5_xform){view.rotation, view.position, 0});
        x.rotation = convert_quat_mul(x.rotation, flip);
        if (i == 0)
            track->first = x;
        track->moved.values[i] = from_vec(x.translation);
        track->rotated.values[i] = x.rotation;
        track->fovs[i] = view.fov;
        track->max_fov_change =
            fmax(track->max_fov_change, fabs((double)view.fov - track->fovs[0]));
    }
    align_quaternion_signs(&track->rotated);
}

// Adds a camera and its node. Returns the index of the node.
static size_t add_camera(gltf_writer *writer, const char *title, const camera_track *track)
{
    const double near_plane = 3 * meters_per_unit; // as in id's engine
    char *const name = gltf_unique_name(writer->out, GLTF_NODE_NAME, title, "camera");
    const size_t index =
        gltf_add(writer->out, "cameras",
                 json_pack("{s:s, s:s, s:{s:f, s:f, s:f}}", "name", name, "type", "perspective",
                           "perspective", "yfov", vertical_fov(track->fovs[0]), "aspectRatio",
                           4.0 / 3.0, "znear", near_plane));
    json_t *const item = json_pack("{s:s, s:I}", "name", name, "camera", (json_int_t)index);
    put_xform(writer, item, track->first);
    const size_t node = gltf_add(writer->out, "nodes", item);
    gltf_append(writer->out, writer->out->root_nodes, gltf_integer(node));
    free(name);
    return node;
}

// Allocates the arrays of a camera path, whose frames all become keys.
static camera_track create_camera_track(uint32_t num_frames)
{
    camera_track track = {.times = common_alloc(num_frames, sizeof *track.times),
                          .fovs = common_alloc(num_frames, sizeof *track.fovs),
                          .values = common_alloc(num_frames, 2 * sizeof *track.values)};
    track.moved = (gltf_track){.values = track.values,
                               .times = track.times,
                               .num_frames = num_frames,
                               .num_keys = num_frames};
    track.rotated = (gltf_track){.values = track.values + num_frames,
                                 .times = track.times,
                                 .num_frames = num_frames,
                                 .is_rotation = true,
                                 .num_keys = num_frames};
    return track;
}

// Adds the animation of a camera path. glTF supports neither cuts nor an animated field of view, so
// the extras contain both. Returns the JSON object of the animation.
static json_t *add_camera_animation(gltf_writer *writer, const char *title,
                                    const md5_camera *camera, const camera_track *track)
{
    const uint32_t count = camera->num_frames;
    json_t *const cuts = json_array();
    for (uint32_t i = 0; i < camera->num_cuts; i++)
        gltf_append(writer->out, cuts, gltf_integer(camera->cuts[i]));
    json_t *const extras =
        json_pack("{s:f, s:I, s:o, s:o}", "frameRate", camera->frame_rate, "frames",
                  (json_int_t)count, "fov", gltf_floats(track->fovs, count), "cuts", cuts);
    return gltf_add_animation(writer->out, title, extras);
}

// Writes a camera path: a camera node, and an animation of its position and rotation.
static void write_path(gltf_writer *writer, const char *title, const md5_camera *camera)
{
    camera_track track = create_camera_track(camera->num_frames);
    find_camera_times(camera, track.times);
    sample_camera(camera, &track);
    const size_t node = add_camera(writer, title, &track);
    json_t *const animation = add_camera_animation(writer, title, camera, &track);
    add_track(writer, animation, node, &track.moved);
    add_track(writer, animation, node, &track.rotated);

    if (track.max_fov_change > 0)
        convert_note(
            writer->job,
            "camera path %s: a field of view that changes (by %.3g degrees) is not supported by "
            "glTF cameras; the camera has the first frame's, and extras contain all values",
            title, track.max_fov_change);
    free(track.values);
    free(track.fovs);
    free(track.times);
}

// -- The file -------------------------------------------------------------------------------------

// Stores the indices of the scene's materials, by shader, and of its morph weights, by clip and
// target.
static void index_scene(gltf_writer *writer)
{
    for (size_t i = 0; i < writer->scene->num_materials; i++)
        gltf_find_or_add(writer->out, GLTF_SCENE_MATERIAL, writer->scene->materials[i].shader,
                         &(size_t){i + 1});
    for (size_t i = 0; i < writer->scene->num_weights; i++) {
        char *const key = common_format("%s\n%s", writer->scene->weights[i].clip,
                                        writer->scene->weights[i].target);
        gltf_find_or_add(writer->out, GLTF_WEIGHTS, key, &(size_t){i});
        free(key);
    }
}

// Returns the number of influences per vertex: the requested number, rounded up to complete sets.
static uint32_t count_influences(const convert_job *job)
{
    enum { SET = 4, DEFAULT = SET, MAX = 4 * SET }; // glTF stores influences in sets of four
    const uint32_t requested = job->influences > 0 ? job->influences : DEFAULT;
    return requested <= MAX ? (requested + SET - 1) / SET * SET : MAX;
}

// Writes the joints and the skin, and prepares the compression of the clips.
static void write_skeleton(gltf_writer *writer)
{
    const size_t num_joints = writer->assets.skeleton->num_joints;
    const uint32_t root = write_joints(writer);
    if (writer->assets.model && writer->job->is_quantized)
        begin_quantization(writer);
    if (writer->assets.model)
        write_skin(writer, root);
    writer->moves = common_alloc(num_joints, 2 * sizeof *writer->moves);
    writer->tolerances = common_alloc(num_joints, 2 * sizeof *writer->tolerances);
    find_moves(writer);
    find_tolerances(writer);
}

// Writes all meshes. Meshes without vertices or triangles are skipped with a note, because glTF
// does not allow them. Returns false on failure.
static bool write_meshes(gltf_writer *writer, md5_error *error)
{
    const md5_model *const model = writer->assets.model;
    const uint32_t num_meshes = model ? model->num_meshes : 0;
    size_t num_empty = 0;
    writer->meshes = common_alloc(num_meshes, sizeof *writer->meshes);
    for (uint32_t i = 0; i < num_meshes; i++) {
        if (model->meshes[i].num_vertices == 0 || model->meshes[i].num_triangles == 0)
            num_empty++;
        else if (!write_mesh(writer, i, error))
            return false;
    }
    if (num_empty > 0)
        convert_note(writer->job, "skipped %zu %s without vertices or triangles", num_empty,
                     common_noun(num_empty, "mesh", "meshes"));
    return true;
}

// Writes all clips. Returns false and fills the error if the conversion was cancelled.
static bool write_clips(gltf_writer *writer, md5_error *error)
{
    const size_t num_clips = writer->assets.skeleton ? writer->assets.num_clips : 0;
    for (size_t i = 0; i < num_clips; i++) {
        if (!convert_can_continue(writer->job, error))
            return false;
        write_clip(writer, &writer->assets.clips[i]);
    }
    if (writer->job->tolerance > 0 && writer->num_all_keys > 0)
        convert_note(writer->job, "reduced the keys within --error: %zu of %zu keys remain",
                     writer->num_keys, writer->num_all_keys);
    return true;
}

// Writes the camera paths. Returns false and fills the error if one cannot be parsed.
static bool write_cameras(gltf_writer *writer, md5_error *error)
{
    bool is_read = true;
    for (size_t i = 0; i < writer->scene->num_parts && is_read; i++) {
        const convert_part *const part = &writer->scene->parts[i];
        if (part->kind != CONVERT_CAMERA)
            continue;
        const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
        md5_camera *const camera = md5_parse_camera(part->bytes, part->size, &opts, error);
        is_read = camera;
        if (is_read)
            write_path(writer, part->name, camera);
        md5_free_camera(camera);
    }
    return is_read;
}

// Writes the whole scene to the document `out`. Meshes refer to the joints, so the skeleton is
// first.
static bool write_scene(gltf_writer *writer, md5_error *error)
{
    index_scene(writer);
    convert_make_skins(writer->job, &writer->assets, count_influences(writer->job));
    if (writer->assets.skeleton)
        write_skeleton(writer);
    return write_meshes(writer, error) && write_clips(writer, error)
           && write_cameras(writer, error);
}

// Writes the finished document as NAME.glb, or as NAME.gltf with the binary data in NAME.bin.
// Returns false on failure.
static bool write_file(gltf_writer *writer, md5_error *error)
{
    const char *const path = writer->job->output;
    char *const stem = common_stem(path);
    char *const bin = common_format("%s.bin", stem);
    const bool is_binary = common_has_suffix(path, ".glb");
    const convert_bytes *const binary = &writer->out->binary;
    convert_bytes file = {0};
    bool is_done = gltf_make(writer->out, is_binary ? NULL : bin, path, &file, error);
    if (is_done && !is_binary)
        is_done = convert_write_to_folder(writer->job, bin, binary->bytes, binary->size, error);
    is_done = is_done && convert_write_file(writer->job, path, file.bytes, file.size, error);
    free(file.bytes);
    free(bin);
    free(stem);
    return is_done;
}

// Writes a scene as a glTF file. Stores the scale and the rotation of the conversion in the
// file, so that an import can undo them and returns the same MD5 files. Then writes the
// skeleton, the meshes, the clips and the cameras.
bool convert_write_gltf(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    gltf_out out;
    gltf_writer writer = {.job = job, .scene = scene, .out = &out};
    gltf_begin(&out);
    gltf_put(&out, json_object_get(out.root, "asset"), "extras",
             json_pack("{s:{s:i, s:f, s:f}}", "md5", "version", 1, "scale", get_scale(job), "turn",
                       job->yaw));
    gltf_put(&out, json_array_get(json_object_get(out.root, "scenes"), 0), "name",
             gltf_string(scene->name));
    const bool is_done = convert_load_assets(job, scene, &writer.assets, error)
                         && write_scene(&writer, error) && write_file(&writer, error);
    convert_free_assets(&writer.assets);
    gltf_free(&out);
    free(writer.meshes);
    free(writer.moves);
    free(writer.tolerances);
    return is_done;
}

#else
bool convert_write_gltf(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    (void)scene;
    return convert_fail(error, MD5_ERROR_IO, job->output,
                        "glTF is not supported: built without jansson; install it (Debian: "
                        "libjansson-dev) and build again");
}
#endif
