// glTF 2.0 out: NAME.glb, or NAME.gltf with NAME.bin and pictures beside it.
//
// Axes and scale are in every number, so that no node turns or scales: programs treat such nodes
// differently. id's x y z (forward, left, up) become z x y of glTF, which is exact in floats; then
// all lengths are multiplied. What a clip moves is a track in every clip of the file, because some
// programs leave joints without one as the last clip left them.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON
#include "demo/common/file.h"
#include "demo/convert/assets.h"
#include "demo/convert/gltf_out.h"
#include "demo/convert/keys.h"
#include "demo/convert/loss.h"
#include "demo/convert/space.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gltf_writer {
    const convert_job *job;
    const convert_scene *scene;
    gltf_out *out;
    convert_assets assets;
    convert_skin *skins; // [num_meshes]
    double scale;        // metres in a unit of the input
    float corner[3];     // of quantised positions, metres, and their step; 0: they are floats
    double step;
    size_t *mesh_nodes; // [num_meshes]
    size_t zero_time;   // accessor of one key at time 0, or SIZE_MAX
    size_t num_keys, num_all_keys;
    uint8_t *moves;       // [joints] which tracks clips have: MOVES_...
    convert_reach *reach; // [joints]
} gltf_writer;

static const double inch = 0.0254; // metres in a unit of MD5

// -- Axes and scale -------------------------------------------------------------------------------

static convert_vec axes(convert_vec v)
{
    return (convert_vec){v.y, v.z, v.x};
}

static void put_vec(convert_vec v, float *out)
{
    out[0] = (float)v.x, out[1] = (float)v.y, out[2] = (float)v.z;
}

static void put_position(md5_vec3 p, float *out)
{
    put_vec(axes(convert_times(convert_from_vec3(p), inch)), out);
}

static void put_direction(md5_vec3 d, float *out)
{
    const convert_vec v = axes(convert_from_vec3(d));
    const double length = sqrt(convert_dot(v, v));
    put_vec(length > 0.0 ? convert_times(v, 1.0 / length) : (convert_vec){0.0, 1.0, 0.0}, out);
}

// A transform as translation x y z and rotation x y z w.
static void put_xform(md5_xform local, double *translation, double *rotation)
{
    const convert_xform x = convert_from_xform(local);
    const convert_vec t = axes(convert_times(x.translation, inch));
    translation[0] = t.x, translation[1] = t.y, translation[2] = t.z, translation[3] = 0.0;
    rotation[0] = x.rotation.y, rotation[1] = x.rotation.z, rotation[2] = x.rotation.x;
    rotation[3] = x.rotation.w;
}

static void to_floats(const double *values, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (float)values[i];
}

// -- Joints ---------------------------------------------------------------------------------------

// Node numbers are joint numbers. `next` and `first` list children by number. Returns the root.
static uint32_t write_joints(gltf_writer *w)
{
    const md5_skeleton *const skeleton = w->assets.skeleton;
    const uint32_t count = skeleton->num_joints;
    uint32_t *const first = common_alloc(count + (size_t)1, sizeof *first);
    uint32_t *const next = common_alloc(count, sizeof *next);
    for (uint32_t i = 0; i <= count; i++)
        first[i] = MD5_NONE;
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t parent = skeleton->joints[i].parent;
        next[i] = first[parent == MD5_NONE ? count : parent];
        first[parent == MD5_NONE ? count : parent] = i;
    }
    const bool has_several = next[first[count]] != MD5_NONE;
    uint32_t num_renamed = 0;
    for (uint32_t i = 0; i < count + has_several; i++) {
        const bool is_added = i == count;
        const char *const name = is_added ? "md5_root" : skeleton->joints[i].name;
        char *const unique = gltf_unique_name(w->out, 'n', name, "joint", i);
        json_t *const node = json_pack("{s:s}", "name", unique);
        num_renamed += strcmp(unique, name) != 0;
        if (strcmp(unique, name) != 0)
            gltf_put(w->out, node, "extras",
                     json_pack("{s:{s:o}}", "md5", "name", gltf_string(name)));
        if (!is_added) {
            double translation[4], rotation[4];
            float values[7];
            put_xform(w->assets.rest[i], translation, rotation);
            to_floats(translation, 3, values);
            to_floats(rotation, 4, values + 3);
            gltf_put(w->out, node, "translation", gltf_floats(values, 3));
            gltf_put(w->out, node, "rotation", gltf_floats(values + 3, 4));
        }
        if (first[i] != MD5_NONE) {
            json_t *const children = json_array();
            for (uint32_t child = first[i]; child != MD5_NONE; child = next[child])
                gltf_append(w->out, children, gltf_whole(child));
            gltf_put(w->out, node, "children", children);
        }
        gltf_add(w->out, GLTF_NODES, node);
        free(unique);
    }
    const uint32_t root = has_several ? count : first[count];
    gltf_append(w->out, w->out->tops, gltf_whole(root));
    if (num_renamed > 0)
        convert_note(w->job, "%u joints have other names, which are unique in other programs",
                     num_renamed);
    if (has_several)
        convert_note(w->job, "the model has several root joints: md5_root was added above them");
    free(next);
    free(first);
    return root;
}

// The skin of all meshes. Inverse bind matrices take quantised positions to metres first.
static void write_skin(gltf_writer *w, uint32_t root)
{
    const uint32_t count = w->assets.skeleton->num_joints;
    const bool has_several = root == count;
    const double step = w->step > 0.0 ? w->step : 1.0;
    // A column of a bind matrix is an axis of glTF; so is a row.
    static const int axis[3] = {1, 2, 0};
    float *const binds = common_alloc(count + (size_t)1, 16 * sizeof *binds);
    json_t *const joints = json_array();
    for (uint32_t i = 0; i < count + has_several; i++) {
        static const md5_mat34 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        const float *const m = i < count ? w->assets.model->inverse_bind[i].m : identity.m;
        float *const out = binds + 16 * (size_t)i;
        out[15] = 1.0f;
        gltf_append(w->out, joints, gltf_whole(i));
        for (int row = 0; row < 3; row++) {
            const float *const r = m + 4 * axis[row];
            const convert_vec v = axes((convert_vec){(double)r[0], (double)r[1], (double)r[2]});
            const convert_vec corner = {(double)w->corner[0], (double)w->corner[1],
                                        (double)w->corner[2]};
            out[row] = (float)(v.x * step);
            out[4 + row] = (float)(v.y * step);
            out[8 + row] = (float)(v.z * step);
            out[12 + row] = (float)((double)r[3] * inch + convert_dot(v, corner));
        }
    }
    const size_t accessor = gltf_add_accessor(w->out, GLTF_BINDS, GLTF_FLOAT, binds,
                                              count + (size_t)has_several, 16, GLTF_PLAIN);
    gltf_add(w->out, GLTF_SKINS,
             json_pack("{s:I, s:I, s:o}", "inverseBindMatrices", (json_int_t)accessor, "skeleton",
                       (json_int_t)root, "joints", joints));
    free(binds);
}

// -- Pictures and materials -----------------------------------------------------------------------

static bool is_png(const convert_picture *picture)
{
    return picture->size > 8 && memcmp(picture->bytes, "\x89PNG", 4) == 0;
}

// Returns the texture of a picture in *texture. Equal ones are one.
static bool write_picture(gltf_writer *w, const convert_picture *picture, size_t *texture,
                          md5_error *error)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < picture->size; i++)
        hash = (hash ^ picture->bytes[i]) * 1099511628211u;
    char *const key = common_format("%llu %zu", (unsigned long long)hash, picture->size);
    bool is_new, is_written = true;
    size_t *const known = gltf_look_up(w->out, 'p', key, &is_new);
    free(key);
    *texture = is_new ? gltf_num_added(w->out, GLTF_TEXTURES) : *known;
    *known = *texture;
    if (is_new) {
        char *const name = gltf_unique_name(w->out, 'i', picture->name ? picture->name : "",
                                            "picture", gltf_num_added(w->out, GLTF_IMAGES));
        json_t *const image = json_pack("{s:s}", "name", name);
        if (common_has_ending(w->job->output, ".glb")) {
            const size_t view = gltf_add_picture(w->out, picture->bytes, picture->size);
            gltf_put(w->out, image, "bufferView", gltf_whole(view));
            gltf_put(w->out, image, "mimeType",
                     json_string(is_png(picture) ? "image/png" : "image/jpeg"));
        } else {
            char *const folder = common_folder(w->job->output);
            char *const file = common_format("%s%s", name, is_png(picture) ? ".png" : ".jpg");
            char *const path = common_join(folder, file);
            gltf_put(w->out, image, "uri", gltf_uri(file));
            is_written = convert_write_file(w->job, path, picture->bytes, picture->size, error);
            free(path);
            free(file);
            free(folder);
        }
        if (picture->declared != NULL)
            gltf_put(w->out, image, "extras",
                     json_pack("{s:{s:o}}", "md5", "path", gltf_string(picture->declared)));
        free(name);
        const size_t index = gltf_add(w->out, GLTF_IMAGES, image);
        gltf_add(w->out, GLTF_TEXTURES, json_pack("{s:I}", "source", (json_int_t)index));
    }
    return is_written;
}

// Returns the material of a shader in *index. One without pictures is white, and has the name.
static bool write_material(gltf_writer *w, const char *shader, size_t *index, md5_error *error)
{
    const convert_material none = {0};
    bool is_new;
    const size_t number = *gltf_look_up(w->out, 'm', shader, &is_new);
    const convert_material *const look = is_new ? &none : &w->scene->materials[number];
    // At a roughness of 0.7 highlights fall to half at the same angle as those of id's table.
    json_t *const base = json_pack("{s:f, s:f}", "metallicFactor", 0.0, "roughnessFactor", 0.7);
    json_t *const material =
        json_pack("{s:o, s:o}", "name", gltf_string(shader), "pbrMetallicRoughness", base);
    json_t *const extensions = json_object();
    *index = gltf_add(w->out, GLTF_MATERIALS, material);
    for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
        size_t texture = 0;
        if (look->maps[map].bytes == NULL)
            continue;
        convert_picture turned = {0};
        md5_error why = {0};
        if (map == CONVERT_MAP_NORMAL && !convert_turn_green(&look->maps[map], &turned, &why)) {
            convert_note(w->job, "material %s: its normal map is left out: %s", shader,
                         why.message);
            continue;
        }
        const bool is_written =
            write_picture(w, turned.bytes ? &turned : &look->maps[map], &texture, error);
        free(turned.name);
        free(turned.declared);
        free(turned.bytes);
        if (!is_written) {
            json_decref(extensions);
            return false;
        }
        json_t *const info = json_pack("{s:I}", "index", (json_int_t)texture);
        if (map == CONVERT_MAP_COLOR) {
            gltf_put(w->out, base, "baseColorTexture", info);
        } else if (map == CONVERT_MAP_NORMAL) {
            gltf_put(w->out, material, "normalTexture", info);
        } else if (map == CONVERT_MAP_GLOW) {
            gltf_put(w->out, material, "emissiveTexture", info);
            gltf_put(w->out, material, "emissiveFactor", json_pack("[f,f,f]", 1.0, 1.0, 1.0));
        } else {
            gltf_put(w->out, extensions, "KHR_materials_specular",
                     json_pack("{s:o}", "specularColorTexture", info));
            gltf_use_extension(w->out, "KHR_materials_specular");
            convert_note(w->job,
                         "material %s: the specular map became KHR_materials_specular, "
                         "whose shading differs",
                         shader);
        }
    }
    if (look->is_unlit) {
        gltf_put(w->out, extensions, "KHR_materials_unlit", json_object());
        gltf_use_extension(w->out, "KHR_materials_unlit");
    }
    if (look->alpha != CONVERT_OPAQUE)
        gltf_put(w->out, material, "alphaMode",
                 json_string(look->alpha == CONVERT_MASK ? "MASK" : "BLEND"));
    if (look->alpha == CONVERT_MASK)
        gltf_put(w->out, material, "alphaCutoff", json_real((double)look->cutoff));
    if (look->is_two_sided)
        gltf_put(w->out, material, "doubleSided", json_true());
    if (look->text != NULL)
        gltf_put(w->out, material, "extras",
                 json_pack("{s:{s:o}}", "md5", "text", gltf_string(look->text)));
    if (json_object_size(extensions) > 0)
        gltf_put(w->out, material, "extensions", extensions);
    else
        json_decref(extensions);
    return true;
}

// -- Meshes ---------------------------------------------------------------------------------------

static bool is_drawn(const md5_mesh *mesh)
{
    return mesh->num_vertices > 0 && mesh->num_triangles > 0;
}

// How --quantize writes an attribute: the type, and the number that stands for 1.
typedef struct attribute {
    const char *name;
    size_t columns;
    int type, one;
} attribute;

// One attribute of the vertices of a mesh: values[num_vertices][columns].
static void put_attribute(gltf_writer *w, json_t *attributes, attribute what, const float *values,
                          size_t count)
{
    const bool is_position = strcmp(what.name, "POSITION") == 0;
    const size_t size = count * what.columns;
    float low = 0.0f, high = 1.0f;
    for (size_t i = 0; i < size && !is_position && what.type != GLTF_BYTE; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    size_t bytes = 4 * what.columns;
    float *rounded = NULL;
    if (w->step > 0.0 && low >= 0.0f && high <= 1.0f) { // else it does not fit
        rounded = common_alloc(size, sizeof *rounded);
        for (size_t i = 0; i < size; i++)
            rounded[i] = roundf(values[i] * (float)what.one);
        bytes = (what.columns * (what.type <= GLTF_UBYTE ? 1 : 2) + 3) / 4 * 4;
    } else {
        what.type = GLTF_FLOAT;
    }
    const size_t accessor =
        gltf_add_accessor(w->out, (gltf_stream)(GLTF_VERTICES_4 + bytes / 4 - 1), what.type,
                          rounded ? rounded : values, count, what.columns,
                          is_position ? GLTF_BOUNDED : GLTF_NORMALIZED);
    gltf_put(w->out, attributes, what.name, gltf_whole(accessor));
    free(rounded);
}

// Makes weights multiples of 1 / 65535 whose sum is 1.
static void round_weights(const md5_mesh *mesh, convert_skin *skin)
{
    for (size_t v = 0; v < mesh->num_vertices; v++) {
        float *const weights = skin->weights + v * skin->slots, sum = 0.0f;
        for (uint32_t k = 0; k < skin->slots; k++) {
            weights[k] = roundf(weights[k] * 65535.0f);
            sum += weights[k];
        }
        weights[0] += 65535.0f - sum;
        for (uint32_t k = 0; k < skin->slots; k++) {
            weights[k] /= 65535.0f;
            if (!(weights[k] > 0.0f))
                skin->joints[v * skin->slots + k] = 0;
        }
    }
}

static void put_influences(gltf_writer *w, json_t *attributes, const md5_mesh *mesh,
                           const convert_skin *skin)
{
    const bool is_wide = w->assets.model->skeleton.num_joints > 256;
    uint32_t *const joints = common_alloc(mesh->num_vertices, 4 * sizeof *joints);
    float *const weights = common_alloc(mesh->num_vertices, 4 * sizeof *weights);
    for (uint32_t set = 0; set < skin->slots / 4; set++) {
        bool is_used = set == 0;
        for (size_t v = 0; v < mesh->num_vertices; v++) {
            const size_t from = v * skin->slots + 4 * (size_t)set;
            memcpy(joints + 4 * v, skin->joints + from, 4 * sizeof *joints);
            memcpy(weights + 4 * v, skin->weights + from, 4 * sizeof *weights);
            is_used |= weights[4 * v] > 0.0f;
        }
        if (!is_used)
            break;
        char joint_name[32], weight_name[32];
        snprintf(joint_name, sizeof joint_name, "JOINTS_%u", set);
        snprintf(weight_name, sizeof weight_name, "WEIGHTS_%u", set);
        gltf_put(w->out, attributes, joint_name,
                 gltf_whole(gltf_add_accessor(w->out, is_wide ? GLTF_VERTICES_8 : GLTF_VERTICES_4,
                                              is_wide ? GLTF_USHORT : GLTF_UBYTE, joints,
                                              mesh->num_vertices, 4, GLTF_PLAIN)));
        put_attribute(w, attributes, (attribute){weight_name, 4, GLTF_USHORT, 65535}, weights,
                      mesh->num_vertices);
    }
    free(weights);
    free(joints);
}

static json_t *make_attributes(gltf_writer *w, const md5_mesh *mesh, convert_skin *skin)
{
    json_t *const attributes = json_object();
    const size_t count = mesh->num_vertices;
    float *const values = common_alloc(count, 4 * sizeof *values);
    // Where --quantize rounds, positions are steps from the corner: the inverse bind matrices take
    // them back, as nodes of skinned meshes may not.
    for (size_t v = 0; v < count; v++) {
        put_position(skin->positions[v], values + 3 * v);
        for (size_t k = 0; k < 3 && w->step > 0.0; k++)
            values[3 * v + k] =
                (float)(((double)values[3 * v + k] - (double)w->corner[k]) / w->step);
    }
    put_attribute(w, attributes, (attribute){"POSITION", 3, GLTF_USHORT, 1}, values, count);
    for (size_t v = 0; v < count; v++)
        put_direction(mesh->normals[v], values + 3 * v);
    put_attribute(w, attributes, (attribute){"NORMAL", 3, GLTF_BYTE, 127}, values, count);
    for (size_t v = 0; mesh->tangents != NULL && v < count; v++) {
        const md5_vec4 t = mesh->tangents[v];
        put_direction((md5_vec3){t.x, t.y, t.z}, values + 4 * v);
        values[4 * v + 3] = -t.w; // green is up there, along -v
    }
    if (mesh->tangents != NULL)
        put_attribute(w, attributes, (attribute){"TANGENT", 4, GLTF_BYTE, 127}, values, count);
    put_attribute(w, attributes, (attribute){"TEXCOORD_0", 2, GLTF_USHORT, 65535},
                  &mesh->texcoords[0].x, count);
    if (mesh->colors != NULL)
        put_attribute(w, attributes, (attribute){"COLOR_0", 4, GLTF_USHORT, 65535},
                      &mesh->colors[0].x, count);
    free(values);
    if (w->step > 0.0)
        round_weights(mesh, skin);
    put_influences(w, attributes, mesh, skin);
    return attributes;
}

// The box of all positions, which 16 bits a number divide.
static void find_box(gltf_writer *w)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {0}, largest = 0.0f;
    for (uint32_t m = 0; m < w->assets.model->num_meshes; m++)
        for (uint32_t v = 0; v < w->assets.model->meshes[m].num_vertices; v++) {
            float p[3];
            put_position(w->skins[m].positions[v], p);
            const bool is_first = low[0] > FLT_MAX;
            for (int k = 0; k < 3; k++) {
                low[k] = p[k] < low[k] ? p[k] : low[k];
                high[k] = is_first || p[k] > high[k] ? p[k] : high[k];
            }
        }
    for (int k = 0; k < 3 && low[0] <= FLT_MAX; k++) {
        w->corner[k] = low[k];
        largest = high[k] - low[k] > largest ? high[k] - low[k] : largest;
    }
    w->step = largest > 0.0f ? (double)largest / 65535.0 : 1.0;
    gltf_use_extension(w->out, "KHR_mesh_quantization");
    gltf_add(w->out, GLTF_REQUIRED, json_string("KHR_mesh_quantization"));
    convert_note(w->job, "positions are multiples of %.3g units", w->step / inch);
}

static size_t add_indices(gltf_writer *w, const md5_mesh *mesh)
{
    const size_t count = 3 * (size_t)mesh->num_triangles;
    const bool is_short = mesh->num_vertices <= 65535;
    uint32_t *const indices = common_alloc(count, sizeof *indices);
    for (size_t i = 0; i < count; i += 3) { // clockwise to counterclockwise
        indices[i] = mesh->indices[i];
        indices[i + 1] = mesh->indices[i + 2];
        indices[i + 2] = mesh->indices[i + 1];
    }
    const size_t accessor =
        gltf_add_accessor(w->out, is_short ? GLTF_INDICES_2 : GLTF_INDICES_4,
                          is_short ? GLTF_USHORT : GLTF_UINT, indices, count, 1, GLTF_PLAIN);
    free(indices);
    return accessor;
}

// -- Morph targets --------------------------------------------------------------------------------

// An accessor of differences [count] at some vertices; the others are 0.
static json_t *add_deltas(gltf_writer *w, const md5_mesh *mesh, size_t where, const float *values,
                          uint32_t count, bool has_bounds)
{
    float low[3] = {0}, high[3] = {0};
    for (size_t i = 0; i < 3 * (size_t)count; i++) {
        const float value = values[i];
        const bool is_whole = count == mesh->num_vertices && i < 3; // no vertex is 0
        low[i % 3] = is_whole || value < low[i % 3] ? value : low[i % 3];
        high[i % 3] = is_whole || value > high[i % 3] ? value : high[i % 3];
    }
    const size_t begin = gltf_add_values(w->out, GLTF_SPARSE, GLTF_FLOAT, values, count, 3);
    const int view = w->out->view_numbers[GLTF_SPARSE];
    json_t *const accessor = json_pack(
        "{s:i, s:I, s:s, s:{s:I, s:{s:i, s:I, s:i}, s:{s:i, s:I}}}", "componentType", GLTF_FLOAT,
        "count", (json_int_t)mesh->num_vertices, "type", "VEC3", "sparse", "count",
        (json_int_t)count, "indices", "bufferView", view, "byteOffset", (json_int_t)where,
        "componentType", GLTF_UINT, "values", "bufferView", view, "byteOffset", (json_int_t)begin);
    if (has_bounds) {
        gltf_put(w->out, accessor, "min", gltf_floats(low, 3));
        gltf_put(w->out, accessor, "max", gltf_floats(high, 3));
    }
    return gltf_whole(gltf_add(w->out, GLTF_ACCESSORS, accessor));
}

// The targets that change a mesh, by number: `used` [num_targets] counts the vertices of each.
static void count_deltas(const md5_morph *morph, uint32_t mesh, uint32_t *used)
{
    const md5_morph_mesh *const deltas = &morph->meshes[mesh];
    for (uint32_t i = 0; i < deltas->num_deltas; i++)
        used[deltas->deltas[i].target]++;
}

static void write_targets(gltf_writer *w, uint32_t index, json_t *primitive, json_t *extras)
{
    const md5_morph *const morph = w->assets.morph;
    const md5_mesh *const mesh = &w->assets.model->meshes[index];
    const md5_morph_mesh *const all = &morph->meshes[index];
    const double step = w->step > 0.0 ? w->step : 1.0;
    uint32_t *const used = common_alloc(morph->num_targets, sizeof *used);
    uint32_t *const begin = common_alloc(morph->num_targets, sizeof *begin);
    count_deltas(morph, index, used);
    for (uint32_t t = 1; t < morph->num_targets; t++)
        begin[t] = begin[t - 1] + used[t - 1];
    // Deltas come vertex by vertex; here they are sorted by target, in one pass as their numbers
    // are known: of each its place in the structure, and its vertex.
    uint32_t *const order = common_alloc(all->num_deltas, sizeof *order);
    uint32_t *const vertices = common_alloc(all->num_deltas, sizeof *vertices);
    for (uint32_t i = 0; i < all->num_vertices; i++)
        for (uint32_t k = all->first[i]; k < all->first[i + 1]; k++) {
            const uint32_t place = begin[all->deltas[k].target]++;
            order[place] = k;
            vertices[place] = all->vertices[i];
        }
    json_t *const targets = json_array(), *const names = json_array();
    float *const values = common_alloc(all->num_deltas, 3 * sizeof *values);
    for (uint32_t t = 0; t < morph->num_targets; t++) {
        if (used[t] == 0)
            continue;
        const uint32_t from = begin[t] - used[t];
        const size_t where =
            gltf_add_values(w->out, GLTF_SPARSE, GLTF_UINT, vertices + from, used[t], 1);
        json_t *const target = json_object();
        static const char *const attributes[] = {"POSITION", "NORMAL", "TANGENT"};
        for (int a = 0; a < (mesh->tangents != NULL ? 3 : 2); a++) {
            for (uint32_t i = 0; i < used[t]; i++) {
                const md5_morph_delta *const d = &all->deltas[order[from + i]];
                const md5_vec3 move = a == 0 ? d->position : a == 1 ? d->normal : d->tangent;
                put_vec(axes(convert_times(convert_from_vec3(move), a == 0 ? inch / step : 1.0)),
                        values + 3 * (size_t)i);
            }
            gltf_put(w->out, target, attributes[a],
                     add_deltas(w, mesh, where, values, used[t], a == 0));
        }
        gltf_append(w->out, targets, target);
        gltf_append(w->out, names, gltf_string(morph->targets[t].name));
    }
    if (json_array_size(targets) > 0) {
        gltf_put(w->out, primitive, "targets", targets);
        gltf_put(w->out, extras, "targetNames", names);
    } else {
        json_decref(targets);
        json_decref(names);
    }
    free(values);
    free(vertices);
    free(order);
    free(begin);
    free(used);
}

// A mesh and its node, which is below no joint: only its skin places it. What is ours and not
// glTF's, such as the shader, is in extras for the way back.
static bool write_mesh(gltf_writer *w, uint32_t index, md5_error *error)
{
    const md5_mesh *const mesh = &w->assets.model->meshes[index];
    char *const name = gltf_unique_name(
        w->out, 'n', mesh->name[0] != '\0' ? mesh->name : common_base(mesh->shader), "mesh", index);
    json_t *const primitive =
        json_pack("{s:o, s:I}", "attributes", make_attributes(w, mesh, &w->skins[index]), "indices",
                  (json_int_t)add_indices(w, mesh));
    json_t *const extras =
        json_pack("{s:{s:o, s:o, s:I}}", "md5", "shader", gltf_string(mesh->shader), "name",
                  gltf_string(mesh->name), "vertices", (json_int_t)mesh->num_file_vertices);
    bool is_new = false, is_written = true;
    if (mesh->shader[0] != '\0') {
        size_t material = 0, *const known = gltf_look_up(w->out, 's', mesh->shader, &is_new);
        if (is_new)
            *known = gltf_num_added(w->out, GLTF_MATERIALS);
        material = *known;
        gltf_put(w->out, primitive, "material", gltf_whole(material));
        is_written = !is_new || write_material(w, mesh->shader, &material, error);
    }
    if (w->assets.morph != NULL)
        write_targets(w, index, primitive, extras);
    const size_t number = gltf_add(
        w->out, GLTF_MESHES,
        json_pack("{s:s, s:[o], s:o}", "name", name, "primitives", primitive, "extras", extras));
    const size_t node =
        gltf_add(w->out, GLTF_NODES,
                 json_pack("{s:s, s:I, s:i}", "name", name, "mesh", (json_int_t)number, "skin", 0));
    gltf_append(w->out, w->out->tops, gltf_whole(node));
    w->mesh_nodes[index] = node;
    free(name);
    return is_written;
}

// -- Clips ----------------------------------------------------------------------------------------

enum { MOVES_TRANSLATION = 1, MOVES_ROTATION = 2 };

// The poses of a clip, [num_frames][joints].
static md5_xform *sample_clip(const gltf_writer *w, const convert_clip *clip)
{
    const uint32_t count = w->assets.skeleton->num_joints;
    md5_xform *const poses = common_alloc((size_t)clip->anim->num_frames * count, sizeof *poses);
    for (uint32_t frame = 0; frame < clip->anim->num_frames; frame++)
        md5_sample(clip->binding, md5_moment_from_frames(clip->anim, frame, frame, 0.0f),
                   MD5_ROOT_FILE, poses + (size_t)frame * count);
    return poses;
}

// Rounding of files, which keep six decimals.
static void find_moves(gltf_writer *w)
{
    const md5_skeleton *const skeleton = w->assets.skeleton;
    for (size_t i = 0; i < w->assets.num_clips; i++) {
        md5_xform *const poses = sample_clip(w, &w->assets.clips[i]);
        const size_t count = (size_t)w->assets.clips[i].anim->num_frames * skeleton->num_joints;
        for (size_t k = 0; k < count; k++) {
            const uint32_t joint = (uint32_t)(k % skeleton->num_joints);
            const md5_xform rest = w->assets.rest[joint];
            const md5_vec3 gap = md5_vec3_sub(poses[k].translation, rest.translation);
            const md5_quat a = poses[k].rotation, b = rest.rotation;
            const float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0f ? -1.0f : 1.0f;
            const md5_quat turn = {a.x - sign * b.x, a.y - sign * b.y, a.z - sign * b.z,
                                   a.w - sign * b.w};
            if (md5_vec3_length(gap) > 2e-6f)
                w->moves[joint] |= MOVES_TRANSLATION;
            if (turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + turn.w * turn.w > 1e-12f)
                w->moves[joint] |= MOVES_ROTATION;
        }
        free(poses);
    }
    // The root's translation says how long a clip is that moves nothing.
    w->moves[skeleton->order[0]] |= MOVES_TRANSLATION;
}

// How far each joint's rotation reaches, in metres.
static void find_reach(gltf_writer *w)
{
    const md5_model *const model = w->assets.model;
    const md5_skeleton *const skeleton = w->assets.skeleton;
    for (uint32_t m = 0; model != NULL && m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++) {
                const uint32_t joint = mesh->influence_joints[i];
                const md5_vec3 gap =
                    md5_vec3_sub(mesh->positions[v], md5_mat34_translation(model->bind[joint]));
                w->reach[joint].own =
                    fmax(w->reach[joint].own, inch * (double)md5_vec3_length(gap));
            }
    }
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // children first
        const uint32_t joint = skeleton->order[i], parent = skeleton->joints[joint].parent;
        convert_reach *const reach = &w->reach[joint];
        const double bone = (double)md5_vec3_length(w->assets.rest[joint].translation);
        // At least a unit, so that joints without vertices keep their directions.
        reach->all = fmax(fmax(reach->all, reach->own), inch);
        if (parent != MD5_NONE)
            w->reach[parent].all = fmax(w->reach[parent].all, reach->all + inch * bone);
    }
}

// One animation as it grows.
typedef struct animation {
    json_t *samplers, *channels;
    double rate;
    uint32_t num_frames;
    size_t all_times; // accessor of all frames, or SIZE_MAX
} animation;

// Times of frames[count] of a clip. One frame: time 0.
static size_t add_times(gltf_writer *w, animation *to, const uint32_t *frames, uint32_t count)
{
    size_t *const known = count == 1                ? &w->zero_time
                          : count == to->num_frames ? &to->all_times
                                                    : NULL;
    if (known != NULL && *known != SIZE_MAX)
        return *known;
    float *const times = common_alloc(count, sizeof *times);
    for (uint32_t i = 0; i < count; i++)
        times[i] = (float)((double)frames[i] / to->rate);
    const size_t accessor =
        gltf_add_accessor(w->out, GLTF_TIMES, GLTF_FLOAT, times, count, 1, GLTF_BOUNDED);
    free(times);
    if (known != NULL)
        *known = accessor;
    return accessor;
}

static void add_channel(gltf_writer *w, animation *to, size_t node, const char *path, size_t times,
                        size_t values)
{
    const size_t sampler = gltf_append(
        w->out, to->samplers,
        json_pack("{s:I, s:I}", "input", (json_int_t)times, "output", (json_int_t)values));
    gltf_append(w->out, to->channels,
                json_pack("{s:I, s:{s:I, s:s}}", "sampler", (json_int_t)sampler, "target", "node",
                          (json_int_t)node, "path", path));
}

// The keys of a track; with `has_end` the last frame, so that the clip has its length.
static void add_track(gltf_writer *w, animation *to, size_t node, convert_track *track,
                      bool has_end)
{
    if (track->num_keys == 1 && has_end && track->num_frames > 1)
        track->keys[track->num_keys++] = track->num_frames - 1;
    const uint32_t count = track->num_keys;
    const size_t columns = track->is_rotation ? 4 : 3;
    float *const values = common_alloc(count, 4 * sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        to_floats(track->values[track->keys[i]], columns, values + i * columns);
    add_channel(w, to, node, track->is_rotation ? "rotation" : "translation",
                add_times(w, to, track->keys, count),
                gltf_add_accessor(w->out, columns == 4 ? GLTF_KEYS_16 : GLTF_KEYS_12, GLTF_FLOAT,
                                  values, count, columns, GLTF_PLAIN));
    w->num_keys += count;
    w->num_all_keys += track->num_frames;
    free(values);
}

// Weights of morph targets: of each mesh that has some, in each clip if any clip has any.
static void add_weights(gltf_writer *w, animation *to, const convert_clip *clip)
{
    const md5_morph *const morph = w->assets.morph;
    const uint32_t num_frames = clip->anim->num_frames;
    uint32_t *const keys = common_alloc(num_frames, sizeof *keys);
    for (uint32_t i = 0; i < num_frames; i++)
        keys[i] = i;
    uint32_t *const used = common_alloc(morph->num_targets, sizeof *used);
    for (uint32_t m = 0; m < w->assets.model->num_meshes; m++) {
        memset(used, 0, morph->num_targets * sizeof *used);
        count_deltas(morph, m, used);
        uint32_t num_used = 0, num_driven = 0, target = 0;
        for (uint32_t t = 0; t < morph->num_targets; t++)
            num_used += used[t] > 0;
        if (num_used == 0 || !is_drawn(&w->assets.model->meshes[m]))
            continue;
        float *const values = common_alloc((size_t)num_frames * num_used, sizeof *values);
        for (uint32_t t = 0; t < morph->num_targets; t++) {
            if (used[t] == 0)
                continue;
            char *const key = common_format("%s\n%s", clip->name, morph->targets[t].name);
            bool is_new;
            const size_t number = *gltf_look_up(w->out, 'w', key, &is_new);
            free(key);
            if (!is_new && number > 0) {
                const convert_weights *const row = &w->scene->weights[number - 1];
                for (size_t i = 0; i < num_frames && i < row->num_keys; i++)
                    values[i * num_used + target] = row->keys[i];
                num_driven++;
            }
            target++;
        }
        const uint32_t count = num_driven > 0 ? num_frames : 1;
        add_channel(w, to, w->mesh_nodes[m], "weights", add_times(w, to, keys, count),
                    gltf_add_accessor(w->out, GLTF_KEYS_4, GLTF_FLOAT, values,
                                      (size_t)count * num_used, 1, GLTF_PLAIN));
        free(values);
    }
    free(used);
    free(keys);
}

static animation begin_animation(double rate, uint32_t num_frames)
{
    return (animation){json_array(), json_array(), rate, num_frames, SIZE_MAX};
}

static void end_animation(gltf_writer *w, const animation *done, const char *name, json_t *extras)
{
    char *const unique =
        gltf_unique_name(w->out, 'a', name, "clip", gltf_num_added(w->out, GLTF_ANIMATIONS));
    gltf_add(w->out, GLTF_ANIMATIONS,
             json_pack("{s:s, s:o, s:o, s:{s:o}}", "name", unique, "samplers", done->samplers,
                       "channels", done->channels, "extras", "md5", extras));
    free(unique);
}

static void write_clip(gltf_writer *w, const convert_clip *clip)
{
    const md5_skeleton *const skeleton = w->assets.skeleton;
    const uint32_t num_joints = skeleton->num_joints, num_frames = clip->anim->num_frames;
    animation to = begin_animation(clip->anim->frame_rate, num_frames);
    md5_xform *const poses = sample_clip(w, clip);
    const size_t num_tracks = 2 * (size_t)num_joints; // of each joint: translation, rotation
    double(*const values)[4] = common_alloc(num_tracks * num_frames, sizeof *values);
    uint32_t *const keys = common_alloc(num_tracks * num_frames, sizeof *keys);
    convert_track *const tracks = common_alloc(num_tracks, sizeof *tracks);
    for (size_t i = 0; i < num_tracks; i++)
        tracks[i] = (convert_track){.values = values + i * num_frames,
                                    .num_frames = num_frames,
                                    .is_rotation = i % 2 == 1,
                                    .keys = keys + i * num_frames};
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        convert_track *const moved = &tracks[2 * (size_t)joint], *const turned = moved + 1;
        for (uint32_t frame = 0; frame < num_frames; frame++)
            put_xform(poses[(size_t)frame * num_joints + joint], moved->values[frame],
                      turned->values[frame]);
        convert_join_signs(turned);
    }
    convert_pick_keys(tracks, skeleton, w->reach, w->job->tolerance * w->scale);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (w->moves[joint] & MOVES_TRANSLATION)
            add_track(w, &to, joint, &tracks[2 * (size_t)joint], joint == skeleton->order[0]);
        if (w->moves[joint] & MOVES_ROTATION)
            add_track(w, &to, joint, &tracks[2 * (size_t)joint + 1], false);
    }
    if (w->assets.morph != NULL && w->scene->num_weights > 0)
        add_weights(w, &to, clip);
    json_t *const extras = json_pack("{s:f, s:I}", "frameRate", clip->anim->frame_rate, "frames",
                                     (json_int_t)num_frames);
    if (w->job->is_in_place) {
        float out[3];
        put_position(clip->part->motion, out);
        gltf_put(w->out, extras, "rootMotion", gltf_floats(out, 3));
    }
    end_animation(w, &to, clip->name, extras);
    free(tracks);
    free(keys);
    free(values);
    free(poses);
}

// -- Cameras --------------------------------------------------------------------------------------

// The vertical field of view, radians, of id's horizontal one at 4:3.
static double vertical(float fov)
{
    const double half = fmin(fmax((double)fov, 1.0), 179.0) * 3.14159265358979323846 / 360.0;
    return 2.0 * atan(tan(half) * 3.0 / 4.0);
}

// A cut is a jump of a thousandth of a frame from the last key of a shot to the first of the next.
static void write_path(gltf_writer *w, const convert_path *path)
{
    const md5_camera *const camera = path->camera;
    const uint32_t count = camera->num_frames;
    float *const times = common_alloc(count, sizeof *times);
    float *const translations = common_alloc(count, 3 * sizeof *translations);
    float *const rotations = common_alloc(count, 4 * sizeof *rotations);
    double(*const turns)[4] = common_alloc(count, sizeof *turns);
    float *const fovs = common_alloc(count, sizeof *fovs);
    const convert_quat about = {0.0, 1.0, 0.0, 0.0}; // glTF's cameras look along -z, ours along z
    uint32_t cut = 0;
    double widest = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        while (cut < camera->num_cuts && camera->cuts[cut] < i)
            cut++;
        const bool is_jump = cut > 0 && camera->cuts[cut - 1] + 1 == i;
        const double time = ((double)i - cut + (is_jump ? 0.001 : 0.0)) / camera->frame_rate;
        times[i] = (float)time;
        if (i > 0 && !(times[i] > times[i - 1]))
            times[i] = nextafterf(times[i - 1], INFINITY);
        const md5_camera_view view = camera->frames[i];
        double translation[4];
        put_xform((md5_xform){view.rotation, view.position, 0.0f}, translation, turns[i]);
        const convert_quat q = {turns[i][0], turns[i][1], turns[i][2], turns[i][3]};
        const convert_quat turned = convert_quat_mul(q, about);
        turns[i][0] = turned.x, turns[i][1] = turned.y, turns[i][2] = turned.z,
        turns[i][3] = turned.w;
        to_floats(translation, 3, translations + 3 * (size_t)i);
        fovs[i] = view.fov;
        widest = fmax(widest, fabs((double)view.fov - (double)fovs[0]));
    }
    convert_track track = {.values = turns, .num_frames = count, .is_rotation = true};
    convert_join_signs(&track);
    for (uint32_t i = 0; i < count; i++)
        to_floats(turns[i], 4, rotations + 4 * (size_t)i);
    char *const name =
        gltf_unique_name(w->out, 'n', path->name, "camera", gltf_num_added(w->out, GLTF_NODES));
    const size_t number = gltf_add(w->out, GLTF_CAMERAS,
                                   json_pack("{s:s, s:s, s:{s:f, s:f, s:f}}", "name", name, "type",
                                             "perspective", "perspective", "yfov",
                                             vertical(fovs[0]), "aspectRatio", 4.0 / 3.0, "znear",
                                             3.0 * inch)); // id's near plane
    const size_t node = gltf_add(
        w->out, GLTF_NODES,
        json_pack("{s:s, s:I, s:o, s:o}", "name", name, "camera", (json_int_t)number, "translation",
                  gltf_floats(translations, 3), "rotation", gltf_floats(rotations, 4)));
    gltf_append(w->out, w->out->tops, gltf_whole(node));
    animation to = begin_animation(camera->frame_rate, count);
    const size_t all =
        gltf_add_accessor(w->out, GLTF_TIMES, GLTF_FLOAT, times, count, 1, GLTF_BOUNDED);
    add_channel(
        w, &to, node, "translation", all,
        gltf_add_accessor(w->out, GLTF_KEYS_12, GLTF_FLOAT, translations, count, 3, GLTF_PLAIN));
    add_channel(
        w, &to, node, "rotation", all,
        gltf_add_accessor(w->out, GLTF_KEYS_16, GLTF_FLOAT, rotations, count, 4, GLTF_PLAIN));
    json_t *const cuts = json_array();
    for (uint32_t i = 0; i < camera->num_cuts; i++)
        gltf_append(w->out, cuts, gltf_whole(camera->cuts[i]));
    end_animation(w, &to, path->name,
                  json_pack("{s:f, s:I, s:o, s:o}", "frameRate", camera->frame_rate, "frames",
                            (json_int_t)count, "fov", gltf_floats(fovs, count), "cuts", cuts));
    if (widest > 0.0)
        convert_note(w->job,
                     "camera path %s: the field of view changes by %.3g degrees, which "
                     "glTF's cameras cannot: that of the first frame is the camera's, all "
                     "are in extras",
                     path->name, widest);
    free(name);
    free(fovs);
    free(turns);
    free(rotations);
    free(translations);
    free(times);
}

// -- The file -------------------------------------------------------------------------------------

static bool write_scene(gltf_writer *w, md5_error *error)
{
    const md5_model *const model = w->assets.model;
    bool is_new;
    for (size_t i = 0; i < w->scene->num_materials; i++)
        *gltf_look_up(w->out, 'm', w->scene->materials[i].shader, &is_new) = i;
    for (size_t i = 0; i < w->scene->num_weights; i++) {
        char *const key =
            common_format("%s\n%s", w->scene->weights[i].clip, w->scene->weights[i].target);
        *gltf_look_up(w->out, 'w', key, &is_new) = i + 1;
        free(key);
    }
    if (w->assets.skeleton != NULL) {
        const uint32_t root = write_joints(w);
        if (model != NULL && w->job->is_quantized)
            find_box(w);
        if (model != NULL)
            write_skin(w, root);
        w->moves = common_alloc(w->assets.skeleton->num_joints, sizeof *w->moves);
        w->reach = common_alloc(w->assets.skeleton->num_joints, sizeof *w->reach);
        find_moves(w);
        find_reach(w);
    }
    size_t num_empty = 0;
    w->mesh_nodes = common_alloc(model ? model->num_meshes : 0, sizeof *w->mesh_nodes);
    for (uint32_t i = 0; model != NULL && i < model->num_meshes; i++) {
        if (!is_drawn(&model->meshes[i]))
            num_empty++;
        else if (!write_mesh(w, i, error))
            return false;
    }
    if (num_empty > 0)
        convert_note(w->job, "%zu meshes without vertices or triangles are left out", num_empty);
    for (size_t i = 0; w->assets.skeleton != NULL && i < w->assets.num_clips; i++)
        write_clip(w, &w->assets.clips[i]);
    if (w->job->tolerance > 0.0 && w->num_all_keys > 0)
        convert_note(w->job, "%zu of %zu keys are kept", w->num_keys, w->num_all_keys);
    for (size_t i = 0; i < w->assets.num_paths; i++)
        write_path(w, &w->assets.paths[i]);
    return true;
}

bool convert_write_gltf(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    gltf_out out;
    gltf_writer w = {
        .job = job,
        .scene = scene,
        .out = &out,
        .scale = job->scale > 0.0 ? job->scale : inch,
        .zero_time = SIZE_MAX,
    };
    gltf_begin(&out, job);
    const uint32_t asked = job->influences > 0 ? job->influences : 4;
    bool is_done = convert_load_assets(job, scene, &w.assets, error)
                   && convert_load_targets(scene, &w.assets, error);
    if (is_done) {
        w.skins = convert_make_skins(job, &w.assets, asked <= 16 ? (asked + 3) / 4 * 4 : 16);
        is_done = write_scene(&w, error)
                  && gltf_write(&out, scene->name,
                                json_pack("{s:i, s:f, s:f}", "version", 1, "scale", w.scale, "turn",
                                          job->turn),
                                error);
    }
    convert_free_skins(&w.assets, w.skins);
    convert_free_assets(&w.assets);
    gltf_free(&out);
    free(w.mesh_nodes);
    free(w.moves);
    free(w.reach);
    return is_done;
}

#else
bool convert_write_gltf(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    (void)scene;
    return convert_fail(error, MD5_ERROR_IO, job->output,
                        "this build has no jansson, which writes glTF");
}
#endif
