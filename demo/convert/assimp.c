// FBX, Collada and other formats in, through libassimp. What it reads becomes a .glb in memory,
// which is then read, and checked, as any other.
//
// The library works in a process of its own with limits of memory and time: files can crash it or
// keep it forever. Of its scene only real joints are kept. Importers put helper nodes between them,
// for pivots; so the whole tree is evaluated at each frame, and a joint's transform is taken
// relative to the nearest joint above it.
#include "demo/convert/convert.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/convert/space.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/metadata.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEMORY = 4000,      // MiB that the library may take
    SECONDS = 300,      // of processor time
    LONGEST = 600,      // seconds that a clip lasts; more means another unit
    MAX_KEYS = 1 << 26, // frames times joints of a file
    NONE = -1,
};

// -- A .glb file ----------------------------------------------------------------------------------

typedef struct glb {
    json_t *root;
    char *bytes; // [size] of the binary chunk
    size_t size, room;
} glb;

static json_t *list_of(glb *file, const char *name)
{
    json_t *list = json_object_get(file->root, name);
    if (list == NULL) {
        list = json_array();
        json_object_set_new(file->root, name, list);
    }
    return list;
}

// Returns the number of the item.
static json_int_t add_item(glb *file, const char *name, json_t *item)
{
    json_t *const list = list_of(file, name);
    json_array_append_new(list, item);
    return (json_int_t)json_array_size(list) - 1;
}

static json_int_t add_view(glb *file, const void *bytes, size_t size)
{
    const size_t begin = (file->size + 3) & ~(size_t)3;
    if (begin + size > file->room) {
        file->room = 2 * (begin + size);
        file->bytes = common_realloc(file->bytes, file->room, 1);
    }
    memset(file->bytes + file->size, 0, begin - file->size);
    memcpy(file->bytes + begin, bytes, size);
    file->size = begin + size;
    return add_item(file, "bufferViews",
                    json_pack("{sisIsI}", "buffer", 0, "byteOffset", (json_int_t)begin,
                              "byteLength", (json_int_t)size));
}

// Floats (5126), or unsigned integers of 32 bits (5125).
static json_int_t add_accessor(glb *file, const void *numbers, size_t count, const char *type,
                               size_t width, int component)
{
    const json_int_t view = add_view(file, numbers, count * width * 4);
    return add_item(file, "accessors",
                    json_pack("{sIsisIss}", "bufferView", view, "componentType", component, "count",
                              (json_int_t)count, "type", type));
}

static void put_u32(char *bytes, size_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (char)(unsigned char)(number >> (8 * i));
}

// Returns the whole file.
static char *end_glb(glb *file, size_t *size)
{
    json_object_set_new(file->root, "buffers",
                        json_pack("[{sI}]", "byteLength", (json_int_t)file->size));
    char *const text = json_dumps(file->root, JSON_COMPACT | JSON_REAL_PRECISION(9));
    const size_t length = text ? strlen(text) : 0, chunk = (length + 3) & ~(size_t)3;
    const size_t binary = (file->size + 3) & ~(size_t)3;
    *size = 12 + 8 + chunk + 8 + binary;
    char *const all = common_alloc(*size, 1);
    put_u32(all, 0x46546C67); // "glTF"
    put_u32(all + 4, 2);
    put_u32(all + 8, *size);
    put_u32(all + 12, chunk);
    put_u32(all + 16, 0x4E4F534A); // "JSON"
    memset(all + 20, ' ', chunk);
    if (text) // NOLINTNEXTLINE(bugprone-not-null-terminated-result): the chunk has its length
        memcpy(all + 20, text, length);
    put_u32(all + 20 + chunk, binary);
    put_u32(all + 24 + chunk, 0x004E4942); // "BIN"
    if (file->size > 0)
        memcpy(all + 28 + chunk, file->bytes, file->size);
    free(text);
    free(file->bytes);
    json_decref(file->root);
    return all;
}

// -- The tree -------------------------------------------------------------------------------------

typedef struct node {
    const struct aiNode *of;
    int parent;                       // among the nodes, which come before their children
    int joint;                        // the joint that it is; NONE: it is none
    bool is_bone, is_kept;            // a mesh names it; it is a joint
    const struct aiNodeAnim *channel; // of the clip that is evaluated
} node;

typedef struct import {
    const struct aiScene *scene;
    node *nodes; // [num_nodes]
    int num_nodes;
    int *by_name; // [num_nodes] nodes by name
    int *joints;  // [num_joints] their nodes
    int *parents; // [num_joints] the joint above, or NONE
    int num_joints;
    struct aiMatrix4x4 *worlds; // [num_nodes] of the moment that is evaluated
    glb file;
    FILE *out;
} import;

// A record for the reading process: a note, an error, or the file.
static void tell(import *all, char kind, const char *bytes, size_t size)
{
    char head[5] = {kind};
    put_u32(head + 1, size);
    (void)fwrite(head, 1, sizeof head, all->out);
    (void)fwrite(bytes, 1, size, all->out);
}

static void say(import *all, char kind, const char *format, ...) COMMON_PRINTF(3, 4);
static void say(import *all, char kind, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    tell(all, kind, text, strlen(text));
}

static const node *sorted; // for qsort(), in the process that has nothing else to do

static int compare_nodes(const void *a, const void *b)
{
    const int first = *(const int *)a, second = *(const int *)b;
    const int order = strcmp(sorted[first].of->mName.data, sorted[second].of->mName.data);
    return order != 0 ? order : first - second;
}

// The first node of a name; NONE: there is none.
static int find_node(const import *all, const char *name)
{
    int low = 0, high = all->num_nodes;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (strcmp(all->nodes[all->by_name[middle]].of->mName.data, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_it =
        low < all->num_nodes && strcmp(all->nodes[all->by_name[low]].of->mName.data, name) == 0;
    return is_it ? all->by_name[low] : NONE;
}

// Level by level, so that no depth of the tree matters.
static void list_nodes(import *all)
{
    all->nodes = common_grow(NULL, 0, sizeof *all->nodes);
    all->nodes[all->num_nodes++] =
        (node){.of = all->scene->mRootNode, .parent = NONE, .joint = NONE};
    for (int i = 0; i < all->num_nodes; i++) {
        const struct aiNode *const parent = all->nodes[i].of;
        for (unsigned k = 0; k < parent->mNumChildren; k++) {
            all->nodes = common_grow(all->nodes, (size_t)all->num_nodes, sizeof *all->nodes);
            all->nodes[all->num_nodes++] =
                (node){.of = parent->mChildren[k], .parent = i, .joint = NONE};
        }
    }
    all->by_name = common_alloc((size_t)all->num_nodes, sizeof *all->by_name);
    for (int i = 0; i < all->num_nodes; i++)
        all->by_name[i] = i;
    sorted = all->nodes;
    qsort(all->by_name, (size_t)all->num_nodes, sizeof *all->by_name, compare_nodes);
    all->worlds = common_alloc((size_t)all->num_nodes, sizeof *all->worlds);
}

// Helper nodes that the importer made of pivots.
static bool is_pivot(const node *one)
{
    return strstr(one->of->mName.data, "_$AssimpFbx$_") != NULL;
}

// Joints are the bones of all meshes, or, without bones, what clips move; what lies between them
// and their common ancestor; and what clips move below them.
static void find_joints(import *all)
{
    bool has_bones = false;
    for (unsigned m = 0; m < all->scene->mNumMeshes; m++) {
        const struct aiMesh *const mesh = all->scene->mMeshes[m];
        for (unsigned b = 0; b < mesh->mNumBones; b++) {
            const int found = find_node(all, mesh->mBones[b]->mName.data);
            if (found != NONE)
                has_bones = all->nodes[found].is_bone = true;
        }
    }
    bool *const moves = common_alloc((size_t)all->num_nodes, sizeof *moves);
    for (unsigned a = 0; a < all->scene->mNumAnimations; a++) {
        const struct aiAnimation *const clip = all->scene->mAnimations[a];
        for (unsigned c = 0; c < clip->mNumChannels; c++) {
            const int found = find_node(all, clip->mChannels[c]->mNodeName.data);
            if (found != NONE)
                moves[found] = true;
        }
    }
    int *const below = common_alloc((size_t)all->num_nodes, sizeof *below); // bones in each subtree
    int total = 0;
    for (int i = all->num_nodes - 1; i >= 0; i--) {
        node *const one = &all->nodes[i];
        one->is_bone |= !has_bones && moves[i] && !is_pivot(one) && one->of->mNumMeshes == 0;
        total += one->is_bone;
        below[i] += one->is_bone;
        if (one->parent != NONE)
            below[one->parent] += below[i];
    }
    // The common ancestor holds all bones, and no child of it does.
    int common = NONE;
    for (int i = 0; i < all->num_nodes; i++)
        if (below[i] == total)
            common = i;
    for (int i = 0; i < all->num_nodes; i++) {
        node *const one = &all->nodes[i];
        const bool is_below = one->parent != NONE && all->nodes[one->parent].is_kept;
        one->is_kept = one->is_bone || (below[i] > 0 && below[i] < total) || (is_below && moves[i]);
        one->is_kept &= i > 0 && !is_pivot(one) && (i > common || one->is_bone);
        if (is_pivot(one)) // what hangs on a pivot hangs on its joint
            one->is_kept = false;
    }
    free(below);
    free(moves);
    all->joints = common_alloc((size_t)all->num_nodes, sizeof *all->joints);
    all->parents = common_alloc((size_t)all->num_nodes, sizeof *all->parents);
    for (int i = 0; i < all->num_nodes; i++) {
        if (!all->nodes[i].is_kept)
            continue;
        int above = all->nodes[i].parent;
        while (above != NONE && !all->nodes[above].is_kept)
            above = all->nodes[above].parent;
        all->nodes[i].joint = all->num_joints;
        all->parents[all->num_joints] = above == NONE ? NONE : all->nodes[above].joint;
        all->joints[all->num_joints++] = i;
    }
}

// -- Moments --------------------------------------------------------------------------------------

// Returns the last key at or before a time, and how far the time is on the way to the next one.
// Keys of any kind begin with their time.
static unsigned find_key(const void *keys, size_t stride, unsigned count, double time, float *share)
{
    const char *const bytes = keys;
    unsigned first = 0, high = count;
    double at, next;
    while (high - first > 1) {
        const unsigned middle = first + (high - first) / 2;
        memcpy(&at, bytes + middle * stride, sizeof at);
        if (at <= time)
            first = middle;
        else
            high = middle;
    }
    memcpy(&at, bytes + first * stride, sizeof at);
    memcpy(&next, bytes + (first + (first + 1 < count)) * stride, sizeof next);
    *share = next > at ? (float)fmin(fmax((time - at) / (next - at), 0.0), 1.0) : 0.0f;
    return first;
}

static struct aiVector3D vector_at(const struct aiVectorKey *keys, unsigned count, double time,
                                   struct aiVector3D otherwise)
{
    if (count == 0)
        return otherwise;
    float t = 0.0f;
    const unsigned first = find_key(keys, sizeof *keys, count, time, &t);
    const struct aiVector3D a = keys[first].mValue;
    const struct aiVector3D b = keys[first + (first + 1 < count)].mValue;
    return (struct aiVector3D){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static struct aiQuaternion rotation_at(const struct aiQuatKey *keys, unsigned count, double time)
{
    if (count == 0)
        return (struct aiQuaternion){.w = 1.0f};
    float share = 0.0f;
    const unsigned first = find_key(keys, sizeof *keys, count, time, &share);
    struct aiQuaternion mixed;
    aiQuaternionInterpolate(&mixed, &keys[first].mValue, &keys[first + (first + 1 < count)].mValue,
                            share);
    return mixed;
}

// v' = translation * rotation * scale * v, rows first.
static struct aiMatrix4x4 compose(struct aiVector3D t, struct aiQuaternion q, struct aiVector3D s)
{
    struct aiMatrix3x3 r;
    aiMatrix3FromQuaternion(&r, &q);
    return (struct aiMatrix4x4){r.a1 * s.x, r.a2 * s.y, r.a3 * s.z, t.x, //
                                r.b1 * s.x, r.b2 * s.y, r.b3 * s.z, t.y, //
                                r.c1 * s.x, r.c2 * s.y, r.c3 * s.z, t.z, //
                                0.0f,       0.0f,       0.0f,       1.0f};
}

static struct aiMatrix4x4 product(struct aiMatrix4x4 a, const struct aiMatrix4x4 *b)
{
    aiMultiplyMatrix4(&a, b);
    return a;
}

static struct aiMatrix4x4 inverse_of(struct aiMatrix4x4 m)
{
    aiMatrix4Inverse(&m);
    return m;
}

// Places all nodes at a time of the clip whose channels the nodes have, in ticks.
static void evaluate(import *all, double time)
{
    for (int i = 0; i < all->num_nodes; i++) {
        const node *const one = &all->nodes[i];
        struct aiMatrix4x4 local = one->of->mTransformation;
        const struct aiNodeAnim *const channel = one->channel;
        if (channel != NULL)
            local = compose(vector_at(channel->mPositionKeys, channel->mNumPositionKeys, time,
                                      (struct aiVector3D){local.a4, local.b4, local.c4}),
                            rotation_at(channel->mRotationKeys, channel->mNumRotationKeys, time),
                            vector_at(channel->mScalingKeys, channel->mNumScalingKeys, time,
                                      (struct aiVector3D){1.0f, 1.0f, 1.0f}));
        all->worlds[i] = one->parent == NONE ? local : product(all->worlds[one->parent], &local);
    }
}

typedef struct parts { // of a transform, as glTF stores them
    float t[3], r[4], s[3];
} parts;

// Of a joint at the moment that was evaluated, relative to the joint above it.
static parts joint_parts(const import *all, int joint)
{
    struct aiMatrix4x4 local = all->worlds[all->joints[joint]];
    if (all->parents[joint] != NONE)
        local = product(inverse_of(all->worlds[all->joints[all->parents[joint]]]), &local);
    struct aiVector3D s, t;
    struct aiQuaternion q;
    aiDecomposeMatrix(&local, &s, &q, &t);
    const convert_quat unit =
        convert_unit((convert_quat){(double)q.x, (double)q.y, (double)q.z, (double)q.w});
    return (parts){{t.x, t.y, t.z},
                   {(float)unit.x, (float)unit.y, (float)unit.z, (float)unit.w},
                   {s.x, s.y, s.z}};
}

// -- Nodes ----------------------------------------------------------------------------------------

static json_t *numbers(const float *values, size_t count)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_real((double)values[i]));
    return list;
}

static json_t *matrix_of(const struct aiMatrix4x4 *m)
{
    const float columns[16] = {m->a1, m->b1, m->c1, m->d1, m->a2, m->b2, m->c2, m->d2,
                               m->a3, m->b3, m->c3, m->d3, m->a4, m->b4, m->c4, m->d4};
    return numbers(columns, 16);
}

// Bytes that are not UTF-8 become underscores.
static json_t *text_of(const char *bytes)
{
    json_t *text = json_string(bytes);
    if (text == NULL) {
        char *const copy = common_copy(bytes);
        for (char *c = copy; *c != '\0'; c++)
            if ((unsigned char)*c >= 128)
                *c = '_';
        text = json_string(copy);
        free(copy);
    }
    return text;
}

static double number_in(const struct aiMetadata *data, const char *name, double otherwise)
{
    for (unsigned i = 0; data != NULL && i < data->mNumProperties; i++) {
        const struct aiMetadataEntry *const entry = &data->mValues[i];
        if (strcmp(data->mKeys[i].data, name) != 0)
            continue;
        if (entry->mType == AI_INT32)
            return (double)*(const int32_t *)entry->mData;
        if (entry->mType == AI_FLOAT)
            return (double)*(const float *)entry->mData;
        if (entry->mType == AI_DOUBLE)
            return *(const double *)entry->mData;
    }
    return otherwise;
}

// From the file's axes and units to glTF's, x left, y up, z forward, in metres. Only FBX files say
// theirs, and a unit of them is a centimetre.
static struct aiMatrix4x4 to_gltf(const import *all)
{
    const struct aiMetadata *const data = all->scene->mMetaData;
    const double unit = number_in(data, "UnitScaleFactor", 100.0) / 100.0;
    static const char *const names[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    float rows[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        const double axis = number_in(data, names[i][0], (double)i);
        const int column = axis >= 0.0 && axis < 3.0 ? (int)axis : i;
        rows[i][column] = (float)(unit * number_in(data, names[i][1], 1.0));
    }
    return (struct aiMatrix4x4){rows[0][0], rows[0][1], rows[0][2], 0.0f, //
                                rows[1][0], rows[1][1], rows[1][2], 0.0f, //
                                rows[2][0], rows[2][1], rows[2][2], 0.0f, //
                                0.0f,       0.0f,       0.0f,       1.0f};
}

// Joints are the first nodes of the file, in their order; the last of these holds their roots.
static void add_joints(import *all)
{
    for (int i = 0; i < all->num_nodes; i++)
        all->nodes[i].channel = NULL;
    evaluate(all, 0.0);
    json_t *const roots = json_array();
    for (int j = 0; j < all->num_joints; j++) {
        const parts rest = joint_parts(all, j);
        const char *const name = all->nodes[all->joints[j]].of->mName.data;
        add_item(&all->file, "nodes",
                 json_pack("{sosososo}", "name", text_of(name), "translation", numbers(rest.t, 3),
                           "rotation", numbers(rest.r, 4), "scale", numbers(rest.s, 3)));
    }
    for (int j = 0; j < all->num_joints; j++) {
        json_t *list = roots;
        if (all->parents[j] != NONE) {
            json_t *const parent =
                json_array_get(list_of(&all->file, "nodes"), (size_t)all->parents[j]);
            list = json_object_get(parent, "children");
            if (list == NULL) {
                list = json_array();
                json_object_set_new(parent, "children", list);
            }
        }
        json_array_append_new(list, json_integer(j));
    }
    const struct aiMatrix4x4 turn = to_gltf(all);
    add_item(&all->file, "nodes",
             json_pack("{soso}", "matrix", matrix_of(&turn), "children", roots));
}

// -- Meshes ---------------------------------------------------------------------------------------

// Sets of four joints and weights, as many as the vertex with the most needs.
static void add_weights(import *all, const struct aiMesh *mesh, json_t *attributes)
{
    const size_t num_vertices = mesh->mNumVertices;
    unsigned *const used = common_alloc(num_vertices, sizeof *used);
    unsigned most = 0;
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            const unsigned v = mesh->mBones[b]->mWeights[w].mVertexId;
            if (v < num_vertices && ++used[v] > most)
                most = used[v];
        }
    const size_t num_sets = ((size_t)most + 3) / 4;
    uint16_t *const joints = common_alloc(num_sets * num_vertices, 4 * sizeof *joints);
    float *const weights = common_alloc(num_sets * num_vertices, 4 * sizeof *weights);
    memset(used, 0, num_vertices * sizeof *used);
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight weight = mesh->mBones[b]->mWeights[w];
            if (weight.mVertexId >= num_vertices)
                continue;
            const unsigned slot = used[weight.mVertexId]++;
            const size_t place = (slot / 4 * num_vertices + weight.mVertexId) * 4 + slot % 4;
            joints[place] = (uint16_t)b;
            weights[place] = weight.mWeight;
        }
    for (size_t set = 0; set < num_sets; set++) {
        char name[24];
        const size_t first = set * num_vertices * 4;
        (void)snprintf(name, sizeof name, "JOINTS_%zu", set);
        const json_int_t view = add_view(&all->file, joints + first, num_vertices * 4 * 2);
        json_object_set_new(
            attributes, name,
            json_integer(add_item(&all->file, "accessors",
                                  json_pack("{sIsisIss}", "bufferView", view, "componentType", 5123,
                                            "count", (json_int_t)num_vertices, "type", "VEC4"))));
        (void)snprintf(name, sizeof name, "WEIGHTS_%zu", set);
        json_object_set_new(
            attributes, name,
            json_integer(add_accessor(&all->file, weights + first, num_vertices, "VEC4", 4, 5126)));
    }
    free(weights);
    free(joints);
    free(used);
}

// The skin of a mesh; NONE if none of its bones is a node.
static json_int_t add_skin(import *all, const struct aiMesh *mesh)
{
    json_t *const joints = json_array();
    float *const binds = common_alloc(mesh->mNumBones, 16 * sizeof *binds);
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const int found = find_node(all, mesh->mBones[b]->mName.data);
        const int joint = found == NONE ? NONE : all->nodes[found].joint;
        if (joint == NONE) {
            say(all, 'n', "bone '%s' of mesh '%s' is no node", mesh->mBones[b]->mName.data,
                mesh->mName.data);
            json_decref(joints);
            free(binds);
            return NONE;
        }
        json_array_append_new(joints, json_integer(joint));
        const struct aiMatrix4x4 m = mesh->mBones[b]->mOffsetMatrix;
        const float columns[16] = {m.a1, m.b1, m.c1, m.d1, m.a2, m.b2, m.c2, m.d2,
                                   m.a3, m.b3, m.c3, m.d3, m.a4, m.b4, m.c4, m.d4};
        memcpy(binds + 16 * (size_t)b, columns, sizeof columns);
    }
    const json_int_t accessor = add_accessor(&all->file, binds, mesh->mNumBones, "MAT4", 16, 5126);
    free(binds);
    return add_item(&all->file, "skins",
                    json_pack("{sIso}", "inverseBindMatrices", accessor, "joints", joints));
}

// A glTF mesh of one primitive. NONE if it has no triangles.
static json_int_t add_mesh(import *all, const struct aiMesh *mesh, bool is_skinned)
{
    uint32_t *const indices = common_alloc(mesh->mNumFaces, 3 * sizeof *indices);
    size_t num_indices = 0;
    for (unsigned f = 0; f < mesh->mNumFaces; f++)
        for (unsigned k = 0; mesh->mFaces[f].mNumIndices == 3 && k < 3; k++)
            indices[num_indices++] = mesh->mFaces[f].mIndices[k];
    json_int_t added = NONE;
    if (num_indices > 0 && mesh->mNumVertices > 0) {
        json_t *const attributes = json_object();
        const size_t count = mesh->mNumVertices;
        json_object_set_new(
            attributes, "POSITION",
            json_integer(add_accessor(&all->file, mesh->mVertices, count, "VEC3", 3, 5126)));
        if (mesh->mTextureCoords[0] != NULL) { // v = 0 is the bottom row there
            float *const texcoords = common_alloc(count, 2 * sizeof *texcoords);
            for (size_t i = 0; i < count; i++) {
                texcoords[2 * i] = mesh->mTextureCoords[0][i].x;
                texcoords[2 * i + 1] = 1.0f - mesh->mTextureCoords[0][i].y;
            }
            json_object_set_new(
                attributes, "TEXCOORD_0",
                json_integer(add_accessor(&all->file, texcoords, count, "VEC2", 2, 5126)));
            free(texcoords);
        }
        if (is_skinned)
            add_weights(all, mesh, attributes);
        const json_int_t list = add_accessor(&all->file, indices, num_indices, "SCALAR", 1, 5125);
        if (mesh->mNumAnimMeshes > 0)
            say(all, 'n', "mesh '%s': %u morph targets are left out", mesh->mName.data,
                mesh->mNumAnimMeshes);
        added = add_item(&all->file, "meshes",
                         json_pack("{sos[{sosIsi}]}", "name", text_of(mesh->mName.data),
                                   "primitives", "attributes", attributes, "indices", list,
                                   "material", (int)mesh->mMaterialIndex));
    }
    free(indices);
    return added;
}

// All meshes of the tree: skinned ones at the top, others below the joint that they hang on.
static void add_meshes(import *all, json_t *top)
{
    for (int i = 0; i < all->num_nodes; i++) {
        const node *const one = &all->nodes[i];
        for (unsigned m = 0; m < one->of->mNumMeshes; m++) {
            const struct aiMesh *const mesh = all->scene->mMeshes[one->of->mMeshes[m]];
            const json_int_t skin = mesh->mNumBones > 0 ? add_skin(all, mesh) : NONE;
            const json_int_t added = add_mesh(all, mesh, skin != NONE);
            if (added == NONE)
                continue;
            int above = i;
            while (above != NONE && !all->nodes[above].is_kept)
                above = all->nodes[above].parent;
            json_t *const item =
                json_pack("{sosI}", "name", text_of(one->of->mName.data), "mesh", added);
            json_t *list = top;
            if (skin != NONE) {
                json_object_set_new(item, "skin", json_integer(skin));
            } else {
                struct aiMatrix4x4 place = all->worlds[i];
                const int parent = above == NONE ? all->num_joints : all->nodes[above].joint;
                if (above != NONE)
                    place = product(inverse_of(all->worlds[above]), &place);
                json_object_set_new(item, "matrix", matrix_of(&place));
                json_t *const holder = json_array_get(list_of(&all->file, "nodes"), (size_t)parent);
                list = json_object_get(holder, "children");
                if (list == NULL) {
                    list = json_array();
                    json_object_set_new(holder, "children", list);
                }
            }
            json_array_append_new(list, json_integer(add_item(&all->file, "nodes", item)));
        }
    }
}

// -- Materials ------------------------------------------------------------------------------------

// The image of a texture: one of the file's own, or a file beside it, whatever folder it was in on
// the author's machine. NONE: neither.
static json_int_t add_image(import *all, const char *path)
{
    if (path[0] == '*') {
        const unsigned long number = strtoul(path + 1, NULL, 10);
        const struct aiTexture *const texture =
            number < all->scene->mNumTextures ? all->scene->mTextures[number] : NULL;
        if (texture == NULL || texture->mHeight != 0)
            return NONE;
        const char *const type =
            strcmp(texture->achFormatHint, "png") == 0 ? "image/png" : "image/jpeg";
        return add_item(&all->file, "images",
                        json_pack("{sIss}", "bufferView",
                                  add_view(&all->file, texture->pcData, texture->mWidth),
                                  "mimeType", type));
    }
    char uri[3 * sizeof((struct aiString *)0)->data + 1];
    size_t used = 0;
    for (const char *c = common_base(path); *c != '\0'; c++)
        used += (size_t)snprintf(uri + used, sizeof uri - used,
                                 strchr(" %#?", *c) || (unsigned char)*c >= 128 ? "%%%02X" : "%c",
                                 (unsigned char)*c);
    return used > 0 ? add_item(&all->file, "images", json_pack("{ss}", "uri", uri)) : NONE;
}

static void add_materials(import *all)
{
    for (unsigned m = 0; m < all->scene->mNumMaterials; m++) {
        const struct aiMaterial *const material = all->scene->mMaterials[m];
        struct aiString name = {0}, path = {0};
        (void)aiGetMaterialString(material, AI_MATKEY_NAME, &name);
        json_t *const item = json_pack("{so}", "name", text_of(name.data));
        if (aiGetMaterialTexture(material, aiTextureType_DIFFUSE, 0, &path, NULL, NULL, NULL, NULL,
                                 NULL, NULL)
            == AI_SUCCESS) {
            const json_int_t image = add_image(all, path.data);
            if (image != NONE)
                json_object_set_new(item, "pbrMetallicRoughness",
                                    json_pack("{s{sI}}", "baseColorTexture", "index",
                                              add_item(&all->file, "textures",
                                                       json_pack("{sI}", "source", image))));
        }
        add_item(&all->file, "materials", item);
    }
}

// -- Clips ----------------------------------------------------------------------------------------

// Frames of all joints, [num_frames][num_joints], of a clip. NULL after an error.
static parts *sample(import *all, const struct aiAnimation *clip, double rate, size_t *num_frames)
{
    const double ticks = clip->mTicksPerSecond > 0.0 ? clip->mTicksPerSecond : 25.0;
    const double seconds = clip->mDuration / ticks;
    if (!(seconds >= 0.0 && seconds <= (double)LONGEST)) {
        say(all, 'e', "clip '%s' lasts %g s at %g ticks a second: expected at most %d s",
            clip->mName.data, seconds, ticks, LONGEST);
        return NULL;
    }
    *num_frames = (size_t)(seconds * rate + 0.5) + 1;
    if (*num_frames * (size_t)all->num_joints > MAX_KEYS) {
        say(all, 'e', "clip '%s': %zu frames of %d joints are too many", clip->mName.data,
            *num_frames, all->num_joints);
        return NULL;
    }
    for (int i = 0; i < all->num_nodes; i++)
        all->nodes[i].channel = NULL;
    for (unsigned c = 0; c < clip->mNumChannels; c++) {
        const int found = find_node(all, clip->mChannels[c]->mNodeName.data);
        if (found != NONE)
            all->nodes[found].channel = clip->mChannels[c];
    }
    parts *const frames = common_alloc(*num_frames * (size_t)all->num_joints, sizeof *frames);
    for (size_t f = 0; f < *num_frames; f++) {
        evaluate(all, (double)f / rate * ticks);
        for (int j = 0; j < all->num_joints; j++)
            frames[f * (size_t)all->num_joints + (size_t)j] = joint_parts(all, j);
    }
    return frames;
}

// One track of a clip: a member of `parts` of one joint.
static void add_track(import *all, const parts *frames, size_t num_frames, int joint,
                      json_int_t times, json_t *samplers, json_t *channels, const char *path,
                      size_t offset, size_t width)
{
    float *const values = common_alloc(num_frames * width, sizeof *values);
    for (size_t f = 0; f < num_frames; f++)
        memcpy(values + f * width,
               (const char *)&frames[f * (size_t)all->num_joints + (size_t)joint] + offset,
               width * sizeof *values);
    size_t num_same = 1;
    while (num_same < num_frames
           && memcmp(values, values + num_same * width, width * sizeof *values) == 0)
        num_same++;
    // A constant track has one key, at the first time.
    json_int_t input = times;
    const bool is_constant = num_same == num_frames && num_frames > 1;
    if (is_constant)
        input = add_accessor(&all->file, &(float){0.0f}, 1, "SCALAR", 1, 5126);
    const json_int_t output = add_accessor(&all->file, values, is_constant ? 1 : num_frames,
                                           width == 4 ? "VEC4" : "VEC3", width, 5126);
    free(values);
    json_array_append_new(samplers, json_pack("{sIsI}", "input", input, "output", output));
    json_array_append_new(channels, json_pack("{sIs{siss}}", "sampler",
                                              (json_int_t)json_array_size(samplers) - 1, "target",
                                              "node", joint, "path", path));
}

static void add_clip(import *all, const char *name, const parts *frames, size_t num_frames,
                     double rate)
{
    float *const times = common_alloc(num_frames, sizeof *times);
    for (size_t f = 0; f < num_frames; f++)
        times[f] = (float)((double)f / rate);
    const json_int_t input = add_accessor(&all->file, times, num_frames, "SCALAR", 1, 5126);
    free(times);
    json_t *const samplers = json_array(), *const channels = json_array();
    for (int j = 0; j < all->num_joints; j++) {
        add_track(all, frames, num_frames, j, input, samplers, channels, "translation",
                  offsetof(parts, t), 3);
        add_track(all, frames, num_frames, j, input, samplers, channels, "rotation",
                  offsetof(parts, r), 4);
        add_track(all, frames, num_frames, j, input, samplers, channels, "scale",
                  offsetof(parts, s), 3);
    }
    add_item(
        &all->file, "animations",
        json_pack("{sososo}", "name", text_of(name), "samplers", samplers, "channels", channels));
}

// Exporters write a clip once by its name and once as "Armature|name": equal ones are one.
static bool add_clips(import *all, double wanted)
{
    size_t num_clips = 0;
    struct known {
        const char *name;
        parts *frames;
        size_t num_frames;
    } *known = NULL;
    bool is_done = true;
    for (unsigned a = 0; a < all->scene->mNumAnimations && is_done; a++) {
        const struct aiAnimation *const clip = all->scene->mAnimations[a];
        const char *const bar = strrchr(clip->mName.data, '|');
        const char *const name = bar ? bar + 1 : clip->mName.data;
        // Ticks are the file's frames where they can be.
        const double ticks = clip->mTicksPerSecond > 0.0 ? clip->mTicksPerSecond : 25.0;
        const double rate = wanted > 0.0 ? wanted : ticks >= 10.0 && ticks <= 240.0 ? ticks : 60.0;
        size_t num_frames = 0;
        parts *const frames = sample(all, clip, rate, &num_frames);
        is_done = frames != NULL;
        bool is_known = false;
        for (size_t k = 0; k < num_clips && is_done; k++)
            is_known |= strcmp(known[k].name, name) == 0 && known[k].num_frames == num_frames
                        && memcmp(known[k].frames, frames,
                                  num_frames * (size_t)all->num_joints * sizeof *frames)
                               == 0;
        if (!is_done || is_known) {
            free(frames);
            continue;
        }
        add_clip(all, name, frames, num_frames, rate);
        known = common_grow(known, num_clips, sizeof *known);
        known[num_clips++] = (struct known){name, frames, num_frames};
    }
    for (size_t k = 0; k < num_clips; k++)
        free(known[k].frames);
    free(known);
    return is_done;
}

// -- Both processes -------------------------------------------------------------------------------

typedef struct order {
    const char *path;
    double rate;
} order;

// In the process of its own: writes records to `out`.
static bool import_file(void *user, FILE *out)
{
    const order *const job = user;
import all = {.out = out };
    struct aiPropertyStore *const properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    all.scene = aiImportFileExWithProperties(job->path, aiProcess_Triangulate, NULL, properties);
    if (all.scene == NULL || all.scene->mRootNode == NULL) {
        say(&all, 'e', "%s", aiGetErrorString());
        return true;
    }
    list_nodes(&all);
    find_joints(&all);
    if (all.num_joints == 0 || all.num_joints > UINT16_MAX) {
        say(&all, 'e', "found %d joints: expected 1 to %d", all.num_joints, UINT16_MAX);
        return true;
    }
    all.file.root = json_pack("{s{ss}}", "asset", "version", "2.0");
    add_joints(&all);
    json_t *const top = json_pack("[i]", all.num_joints);
    add_materials(&all);
    add_meshes(&all, top);
    if (json_array_size(list_of(&all.file, "skins")) == 0) { // a clip alone: its skeleton
        json_t *const joints = json_array();
        for (int j = 0; j < all.num_joints; j++)
            json_array_append_new(joints, json_integer(j));
        add_item(&all.file, "skins", json_pack("{so}", "joints", joints));
    }
    if (!add_clips(&all, job->rate))
        return true;
    json_object_set_new(all.file.root, "scenes", json_pack("[{so}]", "nodes", top));
    json_object_set_new(all.file.root, "scene", json_integer(0));
    for (const char *const *name = (const char *const[]){"meshes", "skins", NULL}; *name; name++)
        if (json_array_size(list_of(&all.file, *name)) == 0)
            json_object_del(all.file.root, *name); // an array has at least one item
    size_t size = 0;
    char *const bytes = end_glb(&all.file, &size);
    tell(&all, 'g', bytes, size);
    return true;
}

static size_t get_u32(const char *bytes)
{
    size_t number = 0;
    for (int i = 3; i >= 0; i--)
        number = number << 8 | (unsigned char)bytes[i];
    return number;
}

bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    order asked = {input->path, job->rate};
    size_t size = 0;
    const char *reason = NULL;
    char *const records =
        common_run_apart(import_file, &asked, (size_t)MEMORY << 20, SECONDS, &size, &reason);
    bool is_read = false;
    if (records == NULL)
        return convert_fail(error, MD5_ERROR_IO, input->path, "libassimp: %s", reason);
    convert_fail(error, MD5_ERROR_IO, input->path, "libassimp ended early");
    for (size_t at = 0; at + 5 <= size;) {
        const char kind = records[at];
        const size_t length = get_u32(records + at + 1);
        const char *const bytes = records + at + 5;
        if (length > size - at - 5)
            break;
        if (kind == 'n') {
            convert_note(job, "%s: %.*s", input->path, (int)length, bytes);
        } else if (kind == 'e') {
            convert_fail(error, MD5_ERROR_SYNTAX, input->path, "libassimp: %.*s", (int)length,
                         bytes);
        } else {
            convert_input made = {input->path, common_alloc(length, 1), length};
            memcpy(made.bytes, bytes, length);
            is_read = convert_read_gltf(job, &made, scene, error);
            free(made.bytes);
        }
        at += 5 + length;
    }
    free(records);
    return is_read;
}

#else

bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    (void)job;
    (void)scene;
    return convert_fail(error, MD5_ERROR_VERSION, input->path,
                        "this build has no libassimp, which reads such files: make ASSIMP=yes");
}

#endif
