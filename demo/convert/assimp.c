// FBX, Collada and other formats in, through libassimp. What it reads becomes a .glb in memory,
// which is then read, and checked, as any other.
//
// The library works in a process of its own with limits of memory and time: files can crash it or
// keep it forever. All nodes of its scene become nodes of glTF, with what moves them in frames; the
// reader finds the joints among them. Only the helper nodes that importers put between joints, for
// pivots, become a part of what hangs on them.
//
// FBX moves a node by T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1 and three geometric factors,
// which only its meshes get. libassimp 5.2 makes a helper of each, and clips move those of T, R and
// S; but if only Rpre and Rpost are beside these, they move the node itself, by the product of all
// (with Rpost for its inverse).
#include "demo/convert/budget.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

#include "demo/convert/gltf_out.h"
#include "demo/looks/image.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdarg.h>

enum {
    MEMORY = 4000, // MiB that the library may take
    SECONDS = 300, // of processor time
    LONGEST = 600, // seconds that a clip lasts; more means another unit
    OLDEST = 7100, // version of FBX that it reads
    NONE = -1,
};

typedef struct order {
    const convert_input *input;
    double rate;
    bool is_another; // something was read before
} order;

// What libassimp leaves out of an FBX file, by the words that say it, or says too late: keys not
// joined by lines, skins that are not linear, targets with a weight at rest.
enum { CURVES, BLENDS, DUALS, MORPHS, NUM_WORDS };
static const char *const words[] = {"KeyAttrFlags", "BlendWeights", "SkinningType",
                                    "DeformPercent"};
typedef struct facts {
    unsigned version; // OLDEST: unknown
    bool has[NUM_WORDS];
} facts;

// -- The bytes ------------------------------------------------------------------------------------

// Behind the first text at or behind `at`; NULL: there is none.
static const char *find_behind(const char *at, const char *end, const char *text)
{
    const size_t length = strlen(text);
    for (; (size_t)(end - at) >= length; at++) {
        at = memchr(at, text[0], (size_t)(end - at) - length + 1);
        if (!at || memcmp(at, text, length) == 0)
            return at ? at + length : NULL;
    }
    return NULL;
}

// Whether a number of an array is not 0 or, of the flags of keys, does not say that a line leads to
// the next one. In a binary file stand a letter, the number of values, whether they are packed, and
// their size: zeros take next to nothing. Goes on behind it.
static bool has_other(const char **place, const char *end, bool are_flags)
{
    const char *at = *place;
    enum { LINEAR = 4, HEAD = 1 + 3 * 4 };
    if (end - at > HEAD && (*at == 'i' || *at == 'd')) {
        const size_t told = (size_t)common_number(at + 1, 4) << (*at == 'd');
        const size_t room = (size_t)(end - at - HEAD) / 4;
        const size_t count = told < room ? told : room;
        if (common_number(at + 5, 4) != 0)
            return are_flags || common_number(at + 9, 4) > 24 + told / 64;
        *place = at + HEAD + 4 * count;
        for (size_t i = 0; i < count; i++) {
            const uint32_t word = common_number(at + HEAD + 4 * i, 4);
            if (are_flags ? !(word & LINEAR) : word != 0)
                return true;
        }
        return false;
    }
    const char *const stop = find_behind(at, end, "}");
    *place = stop ? stop : end;
    for (at = stop ? find_behind(at, stop, "a:") : NULL; at; at = find_behind(at, stop, ","))
        if (are_flags ? !(strtoul(at, NULL, 10) & LINEAR) : strtod(at, NULL) != 0)
            return true; // numbers end at the bracket
    return false;
}

static facts find_facts(const convert_input *input)
{
    facts found = {.version = OLDEST};
    const char *const end = input->bytes + input->size;
    const char *at = find_behind(input->bytes, end, "FBXVersion");
    if (at && end - at > 4)
        found.version = *at == 'I' ? common_number(at + 1, 4) : (unsigned)strtoul(at + 1, NULL, 10);
    for (int w = 0; w < NUM_WORDS; w++)
        for (at = input->bytes; !found.has[w] && (at = find_behind(at, end, words[w]));) {
            double weight = *at == ':' ? strtod(at + 1, NULL) : 0;
            if (end - at > 8 && *at == 'D')
                memcpy(&weight, at + 1, sizeof weight);
            const char *const stop = end - at < 24 ? end : at + 24;
            found.has[w] = w == MORPHS  ? weight != 0
                           : w == DUALS ? find_behind(at, stop, "DualQuaternion") != NULL
                                        : has_other(&at, end, w == CURVES);
        }
    return found;
}

// -- The tree -------------------------------------------------------------------------------------

typedef struct node {
    const struct aiNode *of;
    int parent, above; // among the nodes, which come before their children; `above` is no pivot
    int pivots, post;  // the first of its own pivots, if it hangs on some, and that of Rpost^-1
    bool is_pivot;     // an importer's helper without meshes
    bool is_bone;      // a mesh names it
    bool is_moved;     // by some clip, itself or a pivot that it hangs on
    bool is_joint;     // a bone, or below one
    bool is_skin;      // it holds a mesh that bones move
    bool is_changing;  // in the clip that is evaluated
    bool is_still;     // as it rests, in the clip that is evaluated
    const struct aiNodeAnim *channel; // of the clip that is evaluated
    struct aiMatrix4x4 local, rest;   // relative to `above`: at the time that is evaluated
    struct aiMatrix4x4 first;         // in that clip's first frame
} node;

typedef struct import {
    const struct aiScene *scene;
    const char *path;
    node *nodes; // [num_nodes], those of the file
    int num_nodes;
    bool has_bones;
    bool is_smd;
    gltf_out file;
    FILE *out;
    convert_job job; // that passes notes on as lines, within the budget
    convert_budget budget;
    md5_error error;
} import;

// Collects a line for the reading process: a note, 'n', a loss, 'l', or an error, 'e'.
static void say(import *all, const char *format, ...) COMMON_PRINTF(2, 3);
static void say(import *all, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (char *c = text; *c != '\0'; c++) // the library's messages may have several
        *c = *c == '\n' ? ' ' : *c;
    convert_count_note(&all->budget, format, text);
}

// Writes the collected lines.
static void write_line(void *user, const char *text)
{
    fprintf(((import *)user)->out, "%s\n", text);
}

// Charges elements to the budget of the file. Returns false and reports an error if it is exceeded.
static bool charge(import *all, uint64_t num_elements)
{
    const bool is_charged = convert_charge(&all->job, num_elements, &all->error);
    if (!is_charged)
        say(all, "e%s", all->error.message);
    return is_charged;
}

static bool charge_bytes(import *all, uint64_t count, uint64_t size)
{
    const bool is_charged = convert_charge_bytes(&all->job, count, size, &all->error);
    if (!is_charged)
        say(all, "e%s", all->error.message);
    return is_charged;
}

// The first node of a name; NONE: there is none.
static int find_node(import *all, const struct aiString *name)
{
    size_t found = SIZE_MAX;
    gltf_find(&all->file, 'n', name->data, &found);
    return found < (size_t)all->num_nodes ? (int)found : NONE;
}

// What a node is of the one that its name begins with, as "PreRotation"; NULL: it is no pivot.
static const char *pivot_kind(const struct aiNode *of, size_t *length)
{
    static const char mark[] = "_$AssimpFbx$_";
    const char *const found = of->mNumMeshes == 0 ? strstr(of->mName.data, mark) : NULL;
    *length = found ? (size_t)(found - of->mName.data) : of->mName.length;
    return found ? found + strlen(mark) : NULL;
}

static void add_node(import *all, const struct aiNode *of, int parent)
{
    const int number = all->num_nodes++;
    size_t length = 0;
    size_t parent_length = 0;
    const char *const kind = pivot_kind(of, &length);
    gltf_find(&all->file, 'n', of->mName.data, &(size_t){(size_t)number});
    all->nodes = common_grow(all->nodes, (size_t)number, sizeof *all->nodes);
    node *const one = &all->nodes[number];
    const node *const on = parent != NONE ? &all->nodes[parent] : NULL;
    const bool hangs_on_pivot = on && on->is_pivot;
    *one = (node){.of = of,
                  .parent = parent,
                  .above = hangs_on_pivot ? on->above : parent,
                  .pivots = NONE,
                  .post = NONE,
                  .is_pivot = on && kind};
    if (hangs_on_pivot && pivot_kind(on->of, &parent_length) && length == parent_length
        && memcmp(of->mName.data, on->of->mName.data, length) == 0) {
        one->pivots = on->pivots;
        one->post = on->post;
    } else if (one->is_pivot) {
        one->pivots = number;
    }
    if (one->is_pivot && strcmp(kind, "PostRotation") == 0)
        one->post = number;
}

// Level by level, so that no depth of the tree matters.
static void list_nodes(import *all)
{
    add_node(all, all->scene->mRootNode, NONE);
    for (int i = 0; i < all->num_nodes; i++) {
        const struct aiNode *const parent = all->nodes[i].of;
        for (uint32_t k = 0; k < parent->mNumChildren; k++)
            add_node(all, parent->mChildren[k], i);
    }
    for (uint32_t m = 0; m < all->scene->mNumMeshes; m++) {
        const struct aiMesh *const mesh = all->scene->mMeshes[m];
        for (uint32_t b = 0; b < mesh->mNumBones; b++) {
            const int found = find_node(all, &mesh->mBones[b]->mName);
            if (found != NONE)
                all->has_bones = all->nodes[found].is_bone = true;
        }
    }
    for (int i = 0; i < all->num_nodes; i++) {
        node *const one = &all->nodes[i];
        for (uint32_t m = 0; m < one->of->mNumMeshes; m++)
            one->is_skin |= all->scene->mMeshes[one->of->mMeshes[m]]->mNumBones > 0;
    }
    for (uint32_t a = 0; a < all->scene->mNumAnimations; a++) {
        const struct aiAnimation *const clip = all->scene->mAnimations[a];
        for (uint32_t c = 0; c < clip->mNumChannels; c++) {
            const int found = find_node(all, &clip->mChannels[c]->mNodeName);
            if (found != NONE)
                all->nodes[found].is_moved = true;
        }
    }
    for (int i = 1; i < all->num_nodes; i++) {
        node *const one = &all->nodes[i];
        const node *const parent = &all->nodes[one->parent];
        one->is_moved |= parent->is_pivot && parent->is_moved;
        one->is_joint = one->is_bone || parent->is_joint;
    }
}

// -- Times ----------------------------------------------------------------------------------------

// Returns the last key at or before a time, and how far the time is on the way to the next one.
// Keys of any kind begin with their time.
static unsigned find_key(const void *keys, size_t stride, unsigned count, double time, float *share)
{
    const char *const bytes = keys;
    unsigned first = 0;
    unsigned high = count;
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
    *share = next > at ? (float)fmin(fmax((time - at) / (next - at), 0.0), 1.0) : 0;
    return first;
}

static struct aiVector3D vector_at(const struct aiVectorKey *keys, unsigned count, double time,
                                   struct aiVector3D otherwise)
{
    if (count == 0)
        return otherwise;
    float t = 0;
    const unsigned first = find_key(keys, sizeof *keys, count, time, &t);
    const struct aiVector3D a = keys[first].mValue;
    const struct aiVector3D b = keys[first + (first + 1 < count)].mValue;
    return (struct aiVector3D){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static struct aiQuaternion rotation_at(const struct aiQuatKey *keys, unsigned count, double time)
{
    if (count == 0)
        return (struct aiQuaternion){.w = 1};
    float share = 0;
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
                                0,          0,          0,          1};
}

// Places all nodes at a time of the clip whose channels the nodes have, in ticks.
static void evaluate(import *all, double time)
{
    for (int i = 0; i < all->num_nodes; i++) {
        node *const one = &all->nodes[i];
        const struct aiNodeAnim *const channel = one->channel;
        const bool is_whole = channel && !one->is_pivot && one->pivots != NONE;
        const int attached = is_whole ? all->nodes[one->pivots].parent : one->parent;
        struct aiMatrix4x4 local = one->of->mTransformation;
        if (channel) {
            struct aiQuaternion turn =
                rotation_at(channel->mRotationKeys, channel->mNumRotationKeys, time);
            if (is_whole && one->post != NONE) { // Rpost^-1 twice, as it has Rpost
                struct aiMatrix3x3 matrix;
                struct aiQuaternion back;
                aiMatrix3FromMatrix4(&matrix, &all->nodes[one->post].of->mTransformation);
                aiCreateQuaternionFromMatrix(&back, &matrix);
                aiQuaternionMultiply(&turn, &back);
                aiQuaternionMultiply(&turn, &back);
            }
            local = compose(vector_at(channel->mPositionKeys, channel->mNumPositionKeys, time,
                                      (struct aiVector3D){local.a4, local.b4, local.c4}),
                            turn,
                            vector_at(channel->mScalingKeys, channel->mNumScalingKeys, time,
                                      (struct aiVector3D){1, 1, 1}));
        }
        if (attached != one->above) {
            struct aiMatrix4x4 pivots = all->nodes[attached].local;
            aiMultiplyMatrix4(&pivots, &local);
            local = pivots;
        }
        one->local = local;
    }
}

// Splits a transform as glTF stores it: a translation, a rotation and a scale.
static void split(const struct aiMatrix4x4 *m, float *t, float *r, float *s)
{
    struct aiVector3D at, scale;
    struct aiQuaternion q;
    aiDecomposeMatrix(m, &scale, &q, &at);
    t[0] = at.x, t[1] = at.y, t[2] = at.z;
    r[0] = q.x, r[1] = q.y, r[2] = q.z, r[3] = q.w;
    s[0] = scale.x, s[1] = scale.y, s[2] = scale.z;
}

// -- Nodes ----------------------------------------------------------------------------------------

// glTF's matrices are columns.
static void put_matrix(struct aiMatrix4x4 m, float *columns)
{
    aiTransposeMatrix4(&m);
    memcpy(columns, &m, 16 * sizeof *columns);
}

static double number_in(const struct aiMetadata *data, const char *name, double otherwise)
{
    for (unsigned i = 0; data && i < data->mNumProperties; i++) {
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
// theirs, and a unit of them is a centimetre. In SMD, z is up, and studiomdl turns what looks along
// -y forward.
static struct aiMatrix4x4 to_gltf(const import *all)
{
    const struct aiMetadata *const data = all->scene->mMetaData;
    const double unit = number_in(data, "UnitScaleFactor", 100) / 100.0;
    static const char *const names[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    float rows[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        const int usual = all->is_smd && i > 0 ? 3 - i : i;
        const double axis = number_in(data, names[i][0], usual);
        const int column = axis >= 0 && axis < 3 ? (int)axis : usual;
        rows[i][column] =
            (float)(unit * number_in(data, names[i][1], all->is_smd && i == 2 ? -1 : 1));
    }
    return (struct aiMatrix4x4){rows[0][0], rows[0][1], rows[0][2], 0, //
                                rows[1][0], rows[1][1], rows[1][2], 0, //
                                rows[2][0], rows[2][1], rows[2][2], 0, //
                                0,          0,          0,          1};
}

// Nodes have the numbers that they have here; those of pivots are not in the scene. The last one
// holds all in glTF's axes.
static void add_nodes(import *all)
{
    const size_t top = (size_t)all->num_nodes;
    float columns[16];
    evaluate(all, 0);
    for (size_t i = 0; i < top; i++) {
        node *const one = &all->nodes[i];
        float t[3], r[4], scale[3];
        one->rest = one->local;
        split(&one->rest, t, r, scale);
        gltf_add(&all->file, "nodes",
                 json_pack("{s:o, s:o, s:o, s:o}", "name", gltf_string(one->of->mName.data),
                           "translation", gltf_floats(t, 3), "rotation", gltf_floats(r, 4), "scale",
                           gltf_floats(scale, 3)));
    }
    put_matrix(to_gltf(all), columns);
    gltf_add(&all->file, "nodes", json_pack("{s:o}", "matrix", gltf_floats(columns, 16)));
    gltf_append(&all->file, all->file.tops, gltf_whole(top));
    for (size_t i = 0; i < top; i++)
        if (!all->nodes[i].is_pivot)
            gltf_set_parent(&all->file, i, i == 0 ? top : (size_t)all->nodes[i].above);
}

// -- Meshes ---------------------------------------------------------------------------------------

// Joints and weights, as many as the vertex with the most needs. Vertices without any hang on one
// more joint; returns whether there are some.
static bool add_weights(import *all, const struct aiMesh *mesh, json_t *attributes)
{
    const size_t num_vertices = mesh->mNumVertices;
    unsigned *const used = common_alloc(num_vertices, sizeof *used);
    unsigned most = 1;
    for (uint32_t b = 0; b < mesh->mNumBones; b++)
        for (uint32_t w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight weight = mesh->mBones[b]->mWeights[w];
            if (weight.mVertexId < num_vertices && weight.mWeight > 0)
                most = ++used[weight.mVertexId] > most ? used[weight.mVertexId] : most;
        }
    const size_t slots = ((size_t)most + 3) / 4 * 4;
    uint32_t *const joints = common_alloc(slots * num_vertices, sizeof *joints);
    float *const weights = common_alloc(slots * num_vertices, sizeof *weights);
    memset(used, 0, num_vertices * sizeof *used);
    for (uint32_t b = 0; b < mesh->mNumBones; b++)
        for (uint32_t w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight weight = mesh->mBones[b]->mWeights[w];
            if (weight.mVertexId >= num_vertices || !(weight.mWeight > 0))
                continue;
            const size_t place = weight.mVertexId * slots + used[weight.mVertexId]++;
            joints[place] = b;
            weights[place] = weight.mWeight;
        }
    bool has_free = false;
    for (size_t v = 0; v < num_vertices; v++)
        if (used[v] == 0) {
            joints[v * slots] = mesh->mNumBones;
            weights[v * slots] = 1;
            has_free = true;
        }
    gltf_put_influences(&all->file, attributes, mesh->mNumBones + 1, joints, weights, num_vertices,
                        slots);
    free(weights);
    free(joints);
    free(used);
    return has_free;
}

// Returns the skin of a mesh. Offsets are from the space of its node, without the geometric
// factors, which are the last pivots. With `has_free`, its node is the last joint.
static size_t add_skin(import *all, const struct aiMesh *mesh, size_t of, bool has_free)
{
    json_t *const joints = json_array();
    struct aiMatrix4x4 geometric;
    aiIdentityMatrix4(&geometric);
    for (int i = all->nodes[of].pivots != NONE ? all->nodes[of].parent : NONE, k = 0;
         k < 3 && i != NONE && strstr(all->nodes[i].of->mName.data, "_$AssimpFbx$_Geometric");
         i = all->nodes[i].parent, k++) {
        struct aiMatrix4x4 factor = all->nodes[i].of->mTransformation;
        aiMultiplyMatrix4(&factor, &geometric);
        geometric = factor;
    }
    const size_t count = mesh->mNumBones + (size_t)has_free;
    float *const binds = common_alloc(count, 16 * sizeof *binds);
    for (uint32_t b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *const bone = mesh->mBones[b];
        const int found = find_node(all, &bone->mName);
        if (found == NONE)
            say(all, "nbone '%s' of mesh '%s' has no node: its vertices were attached to the root",
                bone->mName.data, mesh->mName.data);
        gltf_append(&all->file, joints, gltf_whole(found != NONE ? (size_t)found : 0));
        struct aiMatrix4x4 offset = bone->mOffsetMatrix;
        aiMultiplyMatrix4(&offset, &geometric);
        put_matrix(offset, binds + 16 * b);
    }
    if (has_free) {
        gltf_append(&all->file, joints, gltf_whole(of));
        aiIdentityMatrix4(&geometric);
        put_matrix(geometric, binds + 16 * (size_t)mesh->mNumBones);
    }
    const size_t accessor =
        gltf_add_accessor(&all->file, GLTF_BINDS, GLTF_FLOAT, binds, count, 16, GLTF_PLAIN);
    free(binds);
    return gltf_add(
        &all->file, "skins",
        json_pack("{s:I, s:o}", "inverseBindMatrices", (json_int_t)accessor, "joints", joints));
}

// Charges a mesh, which several nodes may have.
static bool charge_mesh(import *all, const struct aiMesh *mesh)
{
    enum { MESH = 1000, VERTEX = 8, BYTES_PER_VERTEX = 32 }; // elements of each; bytes of the file
    uint64_t num_weights = 0;
    for (unsigned i = 0; i < mesh->mNumBones; i++)
        num_weights += 1 + (uint64_t)mesh->mBones[i]->mNumWeights;
    const uint64_t num_items = mesh->mNumVertices + (uint64_t)mesh->mNumFaces + num_weights;
    return charge(all, MESH + VERTEX * num_items) && charge_bytes(all, num_items, BYTES_PER_VERTEX);
}

// Adds a mesh of one primitive, if it has triangles, and its node: a skinned one at the top, others
// below the node that it is of. Returns false after an error.
static bool add_mesh(import *all, const struct aiMesh *mesh, size_t of)
{
    const size_t count = mesh->mNumVertices;
    if (!charge_mesh(all, mesh))
        return false;
    uint32_t *const indices = common_alloc(mesh->mNumFaces, 3 * sizeof *indices);
    size_t num_indices = 0;
    if (count > 0) {
        for (uint32_t f = 0; f < mesh->mNumFaces; f++)
            if (mesh->mFaces[f].mNumIndices == 3) {
                for (int k = 0; k < 3; k++)
                    indices[num_indices++] = mesh->mFaces[f].mIndices[k];
            }
    }
    if (num_indices > 0) {
        json_t *const attributes = json_object();
        gltf_put_attribute(&all->file, attributes, "POSITION", GLTF_FLOAT, mesh->mVertices, count,
                           3, GLTF_PLAIN);
        if (mesh->mTextureCoords[0]) { // v = 0 is the bottom row there
            float *const texcoords = common_alloc(count, 2 * sizeof *texcoords);
            for (size_t i = 0; i < count; i++) {
                texcoords[2 * i] = mesh->mTextureCoords[0][i].x;
                texcoords[2 * i + 1] = 1 - mesh->mTextureCoords[0][i].y;
            }
            gltf_put_attribute(&all->file, attributes, "TEXCOORD_0", GLTF_FLOAT, texcoords, count,
                               2, GLTF_PLAIN);
            free(texcoords);
        }
        const bool has_free = mesh->mNumBones > 0 && add_weights(all, mesh, attributes);
        const size_t list = gltf_add_accessor(&all->file, GLTF_INDICES, GLTF_UINT, indices,
                                              num_indices, 1, GLTF_PLAIN);
        if (mesh->mNumAnimMeshes > 0)
            say(all, "nmesh '%s': skipped %u morph targets", mesh->mName.data,
                mesh->mNumAnimMeshes);
        const size_t added =
            gltf_add(&all->file, "meshes",
                     json_pack("{s:o, s:[{s:o, s:I, s:I}]}", "name", gltf_string(mesh->mName.data),
                               "primitives", "attributes", attributes, "indices", (json_int_t)list,
                               "material", (json_int_t)mesh->mMaterialIndex));
        json_t *const item =
            json_pack("{s:o, s:I}", "name", gltf_string(all->nodes[of].of->mName.data), "mesh",
                      (json_int_t)added);
        const size_t number = gltf_add(&all->file, "nodes", item);
        if (mesh->mNumBones > 0) {
            gltf_put(&all->file, item, "skin", gltf_whole(add_skin(all, mesh, of, has_free)));
            gltf_append(&all->file, all->file.tops, gltf_whole(number));
        } else {
            gltf_set_parent(&all->file, number, of);
        }
    }
    free(indices);
    return true;
}

// -- Materials ------------------------------------------------------------------------------------

// Pictures that glTF does not have, as TGA, become PNG.
static json_t *add_picture(import *all, const void *bytes, size_t size, const char *name)
{
    md5_error error;
    view_image image;
    uint8_t *png = NULL;
    const bool is_known =
        size > 4 && (memcmp(bytes, "\x89PNG", 4) == 0 || memcmp(bytes, "\xff\xd8\xff", 3) == 0);
    if (!is_known && view_decode_image(bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &error)) {
        png = view_encode_png(&image, true, &size);
        free(image.rgba);
    }
    const size_t view = gltf_add_picture(&all->file, png ? png : bytes, size);
    free(png);
    return json_pack("{s:I, s:o}", "bufferView", (json_int_t)view, "name",
                     gltf_string(common_base(name)));
}

// The image of a texture: one of the file's own, or a file beside it or in a folder there, by as
// much of its path on the author's machine as is found.
static json_t *make_image(import *all, const char *path)
{
    for (uint32_t i = 0; i < all->scene->mNumTextures; i++) {
        const struct aiTexture *const own = all->scene->mTextures[i];
        if (own->mHeight == 0 && strcmp(own->mFilename.data, path) == 0)
            return add_picture(all, own->pcData, own->mWidth, path);
    }
    char *const folder = common_folder(all->path);
    char *const name = common_clean(path);
    const char *reason, *part = name; // part: before each component
    char *found = NULL;
    char *bytes = NULL;
    while (!found && (part = strchr(part, '/')))
        found = common_find(folder, part++);
    size_t size = 0;
    if (found)
        bytes = common_read_stream(found, &size, &reason);
    json_t *const image = bytes ? add_picture(all, bytes, size, found)
                                : json_pack("{s:o}", "uri", gltf_uri(common_base(name)));
    free(bytes);
    free(found);
    free(name);
    free(folder);
    return image;
}

static bool add_map(import *all, const struct aiMaterial *material, json_t *item, int map,
                    enum aiTextureType type)
{
    struct aiString path = {0};
    if (aiGetMaterialTexture(material, type, 0, &path, NULL, NULL, NULL, NULL, NULL, NULL)
        != AI_SUCCESS)
        return false;
    size_t image = gltf_num_added(&all->file, "images");
    if (!gltf_find(&all->file, 'i', path.data, &image)) // each file is read once
        gltf_add(&all->file, "images", make_image(all, path.data));
    json_t *const texture = json_pack("{s:I}", "source", (json_int_t)image);
    gltf_put_map(&all->file, item, map, gltf_add(&all->file, "textures", texture));
    return true;
}

static void add_materials(import *all)
{
    static const enum aiTextureType types[CONVERT_NUM_MAPS][2] = {
        [CONVERT_MAP_COLOR] = {aiTextureType_DIFFUSE, aiTextureType_BASE_COLOR},
        [CONVERT_MAP_NORMAL] = {aiTextureType_NORMALS, aiTextureType_NORMAL_CAMERA},
        [CONVERT_MAP_SPECULAR] = {aiTextureType_SPECULAR},
        [CONVERT_MAP_GLOW] = {aiTextureType_EMISSIVE, aiTextureType_EMISSION_COLOR}};
    for (uint32_t m = 0; m < all->scene->mNumMaterials; m++) {
        const struct aiMaterial *const material = all->scene->mMaterials[m];
        struct aiString name = {0};
        struct aiColor4D color;
        aiGetMaterialString(material, AI_MATKEY_NAME, &name);
        json_t *const item = json_pack("{s:o}", "name", gltf_string(name.data));
        for (int map = 0; map < CONVERT_NUM_MAPS; map++)
            if (!add_map(all, material, item, map, types[map][0])
                && !add_map(all, material, item, map, types[map][1]) && map == CONVERT_MAP_COLOR
                && aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &color) == AI_SUCCESS)
                gltf_put(
                    &all->file, item, "pbrMetallicRoughness",
                    json_pack("{s:[f,f,f,f]}", "baseColorFactor", color.r, color.g, color.b, 1.0));
        gltf_add(&all->file, "materials", item);
    }
}

// -- Clips ----------------------------------------------------------------------------------------

// The most that values change from one key to the next, where these are farther apart than some
// ticks. Keys begin with their time.
static double widest_gap(const void *keys, size_t stride, unsigned count, size_t width,
                         double ticks)
{
    const char *at = keys;
    double most = 0;
    for (unsigned k = 1; k < count; k++, at += stride) {
        double times[2];
        double sum = 0;
        float a[4], b[4];
        memcpy(&times[0], at, sizeof times[0]);
        memcpy(&times[1], at + stride, sizeof times[1]);
        memcpy(a, at + sizeof times[0], width * sizeof *a);
        memcpy(b, at + stride + sizeof times[0], width * sizeof *b);
        if (times[1] - times[0] > ticks) {
            for (size_t i = 0; i < width; i++)
                sum += (a[i] - b[i]) * (a[i] - b[i]);
        }
        most = fmax(most, sqrt(sum));
    }
    return most;
}

// Samples a clip at its rate: ticks are the file's frames if they can be. Exporters write a clip
// once by its name and once as "Armature|name": duplicates are merged. Returns false after an
// error.
static bool add_clip(import *all, const struct aiAnimation *clip, const order *job,
                     const facts *known)
{
    const char *const bar = strrchr(clip->mName.data, '|');
    const char *const given = bar ? bar + 1 : clip->mName.data;
    // What Mixamo calls each clip says nothing, and is what others have when they come together.
    const char *const name = given[0] == '\0' || strcmp(given, "mixamo.com") == 0
                                     || (job->is_another && strcmp(given, "Take 001") == 0)
                                 ? common_stem(job->input->path)
                                 : given;
    // SMD has no rate; that of studiomdl is 30.
    const double ticks = all->is_smd ? 30 : clip->mTicksPerSecond > 0 ? clip->mTicksPerSecond : 25;
    const double rate = job->rate > 0 ? job->rate : ticks >= 10 && ticks <= 240 ? ticks : 60;
    const double seconds = clip->mDuration / ticks;
    enum { WIDTH = 3 + 4 + 3 };
    size_t num_moved = 0;
    size_t num_sparse = 0;
    size_t num_bent = 0;
    double reach = 0;
    int moved_skin = NONE;
    for (int i = 0; i < all->num_nodes; i++) {
        node *const one = &all->nodes[i];
        const struct aiMatrix4x4 rest = one->rest;
        num_moved += one->is_moved;
        if (!all->has_bones || one->is_joint)
            reach = fmax(reach,
                         (double)sqrtf(rest.a4 * rest.a4 + rest.b4 * rest.b4 + rest.c4 * rest.c4));
        // What no joint needs in this clip is left out.
        one->is_still = all->has_bones && !one->is_joint;
        one->is_changing = false;
        one->channel = NULL;
    }
    for (uint32_t c = 0; c < clip->mNumChannels; c++) {
        const int found = find_node(all, &clip->mChannels[c]->mNodeName);
        if (found != NONE)
            all->nodes[found].channel = clip->mChannels[c];
    }
    const double frames = floor(seconds * rate + 0.5) + 1;
    if (!(seconds >= 0 && seconds <= (double)LONGEST)) {
        say(all, "eclip '%s' is too long: %g s at %g ticks per second; limit: %d s", name, seconds,
            ticks, LONGEST);
        return false;
    }
    const size_t num_frames = (size_t)frames, size = num_frames * WIDTH; // of a node
    if (!charge(all, num_frames * (4 * (uint64_t)all->num_nodes + WIDTH * (uint64_t)num_moved))
        || !charge_bytes(all, num_moved * (uint64_t)size, sizeof(float)))
        return false;
    float *const times = common_alloc(num_frames, sizeof *times);
    float *const values = common_alloc(num_moved * size, sizeof *values);
    for (size_t f = 0; f < num_frames; f++) {
        times[f] = (float)((double)f / rate);
        evaluate(all, (double)f / rate * ticks);
        float *track = values;
        for (int i = 0; i < all->num_nodes; i++) {
            node *const one = &all->nodes[i];
            if (!one->is_moved)
                continue;
            one->is_still &= aiMatrix4AreEqualEpsilon(&one->local, &one->rest, 1e-4f) != 0;
            one->first = f == 0 ? one->local : one->first;
            one->is_changing |= !aiMatrix4AreEqualEpsilon(&one->local, &one->first, 1e-3f);
            split(&one->local, track + 3 * f, track + 3 * num_frames + 4 * f,
                  track + 7 * num_frames + 3 * f);
            track += size;
        }
    }
    for (int i = 0; i < all->num_nodes; i++) {
        const struct aiNodeAnim *const keys = all->nodes[i].channel;
        if (keys && all->nodes[i].is_changing) {
            // A curve leaves the line by about a tenth: 1 degree, or as much of the longest bone.
            const double apart = 1.5 * fmax(ticks / rate, 1.0);
            const double turn = widest_gap(keys->mRotationKeys, sizeof *keys->mRotationKeys,
                                           keys->mNumRotationKeys, 4, apart);
            const double way = widest_gap(keys->mPositionKeys, sizeof *keys->mPositionKeys,
                                          keys->mNumPositionKeys, 3, apart);
            num_sparse += turn > 0.004 || way > 0.004 * reach;
            num_bent += turn > 0.087 || way > 0.1 * reach;
        }
        moved_skin = all->nodes[i].is_skin && all->nodes[i].is_changing ? i : moved_skin;
    }
    if (!gltf_find_bytes(&all->file, 'c', name, values, num_moved * size * sizeof *values,
                         &(size_t){0})) {
        json_t *const item =
            gltf_add_animation(&all->file, name, json_pack("{s:f}", "frameRate", rate));
        const float *track = values;
        for (size_t i = 0; i < (size_t)all->num_nodes; i++) {
            if (!all->nodes[i].is_moved)
                continue;
            if (!all->nodes[i].is_pivot && !all->nodes[i].is_still) {
                gltf_add_channel(&all->file, item, i, "translation", times, num_frames, track,
                                 num_frames, 3);
                gltf_add_channel(&all->file, item, i, "rotation", times, num_frames,
                                 track + 3 * num_frames, num_frames, 4);
                gltf_add_channel(&all->file, item, i, "scale", times, num_frames,
                                 track + 7 * num_frames, num_frames, 3);
            }
            track += size;
        }
    }
    free(values);
    free(times);
    if (num_sparse > 0)
        say(all,
            "%cclip '%s': %zu of %u animated nodes have keys more than one frame apart; curves "
            "between these keys are read as straight lines; bake the animation when you export it",
            known->has[CURVES] && num_bent > 0 ? 'l' : 'n', name, num_sparse, clip->mNumChannels);
    bool is_morphed = false;
    for (uint32_t c = 0; c < clip->mNumMorphMeshChannels; c++) {
        const struct aiMeshMorphAnim *const keys = clip->mMorphMeshChannels[c];
        for (uint32_t k = 0; k < keys->mNumKeys; k++)
            for (uint32_t w = 0; w < keys->mKeys[k].mNumValuesAndWeights; w++)
                is_morphed |= keys->mKeys[k].mWeights[w] != 0;
    }
    if (is_morphed)
        say(all, "lclip '%s' animates morph targets, which were skipped", name);
    // Maya shows both motions, one upon the other; 3ds Max, and the rules of FBX, that of bones.
    if (moved_skin != NONE)
        say(all,
            "lclip '%s' animates both the mesh '%s' and the bones of its skin; only the bones are "
            "used",
            name, all->nodes[moved_skin].of->mName.data);
    return true;
}

// -- Both processes -------------------------------------------------------------------------------

// Makes the .glb file. Returns false after an error, which was reported.
static bool make_file(import *all, const order *job, convert_bytes *made)
{
    const convert_input *const input = job->input;
    const facts known = find_facts(input);
    if (known.version < OLDEST) {
        say(all,
            "eunsupported FBX version %u: expected %d (FBX 2011) or later; convert the file with "
            "Autodesk's FBX Converter or export it again",
            known.version, OLDEST);
        return false;
    }
    if (known.has[BLENDS] || known.has[DUALS])
        say(all, "ldual quaternion skinning is not supported by MD5");
    if (known.has[MORPHS])
        say(all, "lmorph targets that deform the rest pose were skipped");
    struct aiPropertyStore *const properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    all->scene = aiImportFileFromMemoryWithProperties(input->bytes, (unsigned)input->size,
                                                      aiProcess_Triangulate,
                                                      strrchr(input->path, '.') + 1, properties);
    if (!all->scene || !all->scene->mRootNode) {
        say(all, "e%s", aiGetErrorString());
        return false;
    }
    gltf_begin(&all->file);
    list_nodes(all);
    add_nodes(all);
    add_materials(all);
    for (size_t i = 0; i < (size_t)all->num_nodes; i++)
        for (unsigned m = 0; m < all->nodes[i].of->mNumMeshes; m++)
            if (!add_mesh(all, all->scene->mMeshes[all->nodes[i].of->mMeshes[m]], i))
                return false;
    for (unsigned a = 0; a < all->scene->mNumAnimations; a++)
        if (!add_clip(all, all->scene->mAnimations[a], job, &known))
            return false;
    if (gltf_make(&all->file, NULL, input->path, made, &all->error))
        return true;
    say(all, "e%s", all->error.message);
    return false;
}

// In the process of its own, whose end frees all: writes lines of notes and errors and, behind 'g',
// the file.
static bool import_file(void *user, FILE *out)
{
    const order *const job = user;
    const convert_input *const input = job->input;
import all = {.path = input->path };
    all.out = out;
    all.is_smd = common_has_ending(input->path, ".smd");
    all.job.note = write_line;
    convert_begin_budget(&all.budget, input->size);
    all.job.budget = &all.budget;
    all.job.user = &all;
    convert_bytes file = {0};
    const bool is_made = make_file(&all, job, &file);
    convert_end_budget(&all.budget, &all.job);
    if (is_made && fputc('g', out) != EOF)
        fwrite(file.bytes, 1, file.size, out);
    return true;
}

bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    if (input->size == 0) // of which libassimp asserts that it never is
        return convert_fail(error, MD5_ERROR_SYNTAX, input->path, "the file is empty");
    order asked = {input, job->rate, scene->num_parts > 0};
    size_t size = 0;
    const char *reason = NULL;
    char *const records =
        common_run_apart(import_file, &asked, (size_t)MEMORY << 20, SECONDS, &size, &reason);
    if (!records)
        return convert_fail(error, MD5_ERROR_IO, input->path, "libassimp: %s", reason);
    convert_fail(error, MD5_ERROR_IO, input->path, "libassimp stopped without a result");
    char *at = records;
    char *stop = NULL;
    char *loss = NULL;
    const char *const end = records + size;
    while (at < end && *at != 'g' && (stop = memchr(at, '\n', (size_t)(end - at)))) {
        *stop = '\0';
        if (*at == 'n' || (*at == 'l' && job->is_forced))
            convert_note(job, "%s: %s", input->path, at + 1);
        else if (*at == 'l')
            loss = at + 1;
        else
            convert_fail(error, MD5_ERROR_SYNTAX, input->path, "libassimp: %s", at + 1);
        at = stop + 1;
    }
    convert_input made = {input->path, at + 1, (size_t)(end - at) - 1};
    const bool is_read =
        at < end && *at == 'g' && convert_read_gltf(job, &made, scene, error)
        && (!loss
            || convert_fail(error, MD5_ERROR_VERSION, input->path,
                            "libassimp: %s; use --force to convert the file anyway", loss));
    free(records);
    return is_read;
}

#else

bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    (void)job;
    (void)scene;
#ifdef __EMSCRIPTEN__
    return convert_fail(
        error, MD5_ERROR_VERSION, input->path,
        "this format is not supported in the browser: use md5view or md5tool built with libassimp");
#else
    return convert_fail(
        error, MD5_ERROR_VERSION, input->path,
        "this format is not supported: built without libassimp; install libassimp and jansson "
        "(Debian: libassimp-dev, libjansson-dev) and build again; not available on Windows");
#endif
}

#endif
