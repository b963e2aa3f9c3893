// Reads FBX, Collada and other formats with libassimp. The scene of libassimp is written as a .glb
// file in memory, which gltf_read.c reads and checks like any other file.
//
// libassimp runs in a separate process with limits of memory and time, because files can crash it
// or make it hang. All nodes of its scene become nodes of glTF with their transforms in each frame;
// rig.c selects the joints. Importers insert helper nodes between joints, called pivots; only these
// are merged into the nodes below them. The main structure is assimp_importer.
//
// FBX defines the transform of a node as a product of translations, rotations and scale:
//
//     T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1
//
// Three geometric factors follow, which apply only to the meshes of the node. libassimp 5.2 creates
// a helper node for each factor. Clips animate the helper nodes of T, R and S. There is one
// exception: a node whose only factors except T, R and S are Rpre and Rpost. Clips then animate the
// node itself by the product of all factors. This product contains Rpost instead of its inverse.
//
// libassimp discards the curves between the keys of FBX files. fbx_curves.c reads them from the
// file, and replaces the keys of libassimp for each node whose rest pose is the same in both.
// libassimp also applies rotations that FBX ignores; see compare_rest(). It ignores the type of
// inheritance of scale, which the .glb file therefore contains as extras of nodes.
#include "demo/convert/budget.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

#include "demo/convert/collada.h"
#include "demo/convert/fbx_curves.h"
#include "demo/convert/fbx_file.h"
#include "demo/convert/gltf_out.h"
#include "demo/convert/tokens.h"
#include "demo/looks/image.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdarg.h>

enum {
    MAX_MEMORY = 4000,      // MiB for libassimp
    MAX_SECONDS = 300,      // of processor time
    MIN_FBX_VERSION = 7100, // oldest supported version
    NONE = -1,
};

// The data of a job that the separate process needs.
typedef struct order {
    const convert_input *input;
    double rate;
    bool is_another; // another file was read into the scene before
} order;

// Features of a file that libassimp ignores or reports too late. The names below indicate them in
// the bytes of a file. CURVES are keys that are not interpolated linearly. BLENDS and DUALS are
// skins that are not linear. MORPHS are morph targets with a weight in the rest pose.
enum { CURVES, BLENDS, DUALS, MORPHS, NUM_FEATURES };
static const char *const feature_names[] = {"KeyAttrFlags", "BlendWeights", "SkinningType",
                                            "DeformPercent"};
typedef struct fbx_info {
    unsigned version; // MIN_FBX_VERSION if it is unknown
    bool has[NUM_FEATURES];
} fbx_info;

// -- Bytes of the file ----------------------------------------------------------------------------

enum { LINEAR = 4 }; // flag of a key that is interpolated linearly

// The header of an array in a binary FBX file. A letter for the type of the values is followed by
// three 32-bit numbers at these offsets. The values are words of 32 bits: two for a double, one for
// an integer.
enum {
    ARRAY_NUM_VALUES = 1,
    ARRAY_IS_COMPRESSED = 5, // 0: the values follow as they are; 1: compressed with zlib
    ARRAY_SIZE = 9,          // size of the stored values, bytes
    ARRAY_HEADER = 13,       // size of the header, bytes
    WORD = 4,                // bytes
};

// Returns true if a compressed array is larger than an array of zeros could be. zlib compresses
// zeros to about a thousandth. The limit is four times this size, plus a constant.
static bool exceeds_compressed_zeros(size_t size, size_t num_words)
{
    enum { CONSTANT = 24, WORDS_PER_BYTE = 64 };
    return size > CONSTANT + num_words / WORDS_PER_BYTE;
}

// Searches a binary array for a value that is not supported. If `are_flags` is true, the array
// contains the flags of animation keys, and a key whose bit LINEAR is not set is not supported.
// Otherwise the array contains weights, and a weight that is not 0 is not supported. Compressed
// arrays are not decompressed here. Compressed flags count as not supported. Compressed weights
// count as not supported if the array is too large for zeros. Advances *position past an
// uncompressed array.
static bool has_unsupported_binary(const char **position, const char *end, bool are_flags)
{
    const char *const at = *position;
    const size_t num_values = common_read_little_endian(at + ARRAY_NUM_VALUES, WORD);
    const size_t declared = *at == 'd' ? 2 * num_values : num_values;
    if (common_read_little_endian(at + ARRAY_IS_COMPRESSED, WORD) != 0) {
        const size_t size = common_read_little_endian(at + ARRAY_SIZE, WORD);
        return are_flags || exceeds_compressed_zeros(size, declared);
    }

    const char *const words = at + ARRAY_HEADER;
    const size_t available = (size_t)(end - words) / WORD;
    const size_t count = declared < available ? declared : available;
    *position = words + WORD * count;

    for (size_t i = 0; i < count; i++) {
        const uint32_t word = common_read_little_endian(words + WORD * i, WORD);
        const bool is_unsupported = are_flags ? !(word & LINEAR) : word != 0;
        if (is_unsupported)
            return true;
    }

    return false;
}

// Searches an array in a text file, "{ a: NUMBER, ... }", for a value that is not supported, as
// has_unsupported_binary() does. Advances *position past the array.
static bool has_unsupported_text(const char **position, const char *end, bool are_flags)
{
    const char *const stop = convert_find_after(*position, end, "}");
    const char *at = stop ? convert_find_after(*position, stop, "a:") : NULL;
    *position = stop ? stop : end;
    for (; at; at = convert_find_after(at, stop, ",")) { // the bracket ends the last number
        const bool is_unsupported =
            are_flags ? !(strtoul(at, NULL, 10) & LINEAR) : strtod(at, NULL) != 0;
        if (is_unsupported)
            return true;
    }
    return false;
}

// Returns true if the array at *position, in a binary file or a text file, contains a value that is
// not supported. If `are_flags` is true, this is a key that is not interpolated linearly, and
// otherwise a weight that is not 0.
static bool has_unsupported_value(const char **position, const char *end, bool are_flags)
{
    const char type = **position;
    const bool is_binary = end - *position > ARRAY_HEADER && (type == 'i' || type == 'd');
    if (is_binary)
        return has_unsupported_binary(position, end, are_flags);
    return has_unsupported_text(position, end, are_flags);
}

// Returns the number after the name of a property, or 0 if there is none. In a text file a colon
// and digits follow the name. In a binary file the letter D and the bytes of a double follow.
static double read_property(const char *at, const char *end)
{
    double number = 0;
    if (*at == ':')
        return strtod(at + 1, NULL);
    if (*at == 'D' && (size_t)(end - at) > sizeof number)
        memcpy(&number, at + 1, sizeof number);
    return number;
}

// Returns true if a skin uses dual quaternions. The type of skinning is a text shortly after the
// name of its property.
static bool is_dual_quaternion(const char *at, const char *end)
{
    enum { MAX_DISTANCE = 24 }; // from the name to the end of the text
    const char *const stop = end - at < MAX_DISTANCE ? end : at + MAX_DISTANCE;
    return convert_find_after(at, stop, "DualQuaternion") != NULL;
}

// Returns true if a file uses a feature whose name is directly before *position. Advances *position
// past an array that was read.
static bool uses_feature(int feature, const char **position, const char *end)
{
    if (feature == MORPHS)
        return read_property(*position, end) != 0;
    if (feature == DUALS)
        return is_dual_quaternion(*position, end);
    return has_unsupported_value(position, end, feature == CURVES);
}

// Returns the version of an FBX file, or MIN_FBX_VERSION if it is unknown. A binary file contains
// the letter I and the bytes of an integer, a text file a colon and digits.
static unsigned find_fbx_version(const char *start, const char *end)
{
    const char *const version = convert_find_after(start, end, "FBXVersion");
    if (!version || end - version <= 4)
        return MIN_FBX_VERSION;
    if (*version == 'I')
        return common_read_little_endian(version + 1, 4);
    return (unsigned)strtoul(version + 1, NULL, 10);
}

// Searches the bytes of a file for the version of FBX and for features that libassimp ignores or
// reports too late.
static fbx_info find_fbx_info(const convert_input *input)
{
    const char *const end = input->bytes + input->size;
    fbx_info found = {.version = find_fbx_version(input->bytes, end)};
    for (int i = 0; i < NUM_FEATURES; i++) {
        const char *at = convert_find_after(input->bytes, end, feature_names[i]);
        while (at && !found.has[i]) {
            found.has[i] = uses_feature(i, &at, end);
            at = convert_find_after(at, end, feature_names[i]);
        }
    }

    return found;
}

// -- Nodes of the scene ---------------------------------------------------------------------------

// A node of libassimp's scene. A channel is the animation of one node in one clip.
typedef struct assimp_node {
    const struct aiNode *source;
    int parent;                       // index, which is less than the index of this node
    int above;                        // nearest ancestor that is not a pivot
    int pivots;                       // first of the pivots of this node, or NONE
    int post;                         // pivot with Rpost^-1, or NONE
    bool is_pivot;                    // an importer's helper without meshes
    bool is_geometric;                // a pivot with a geometric factor, or with its inverse
    bool is_bone;                     // a mesh uses the node as a bone
    bool is_moved;                    // a clip animates the node or one of its pivots
    bool is_joint;                    // a bone or a descendant of a bone
    bool is_above_bone;               // an ancestor of a bone
    bool is_skin;                     // has a mesh with bones
    bool is_changing;                 // changes from frame to frame in the current clip
    bool is_still;                    // needs no channels, because it stays in the rest pose
    const struct aiNodeAnim *channel; // in the current clip, or NULL
    size_t model;                     // index of the model in the FBX file, or SIZE_MAX
    bool has_same_rest;               // libassimp and the FBX file give the same rest pose
    bool has_curves;          // the curves of the FBX file replace the channel in the current clip
    bool is_replaced;         // a pivot: the curves of its node contain its transform
    struct aiMatrix4x4 local; // relative to `above`, at the current time
    struct aiMatrix4x4 rest;  // relative to `above`, in the rest pose
    struct aiMatrix4x4 first; // relative to `above`, in the first frame of the clip
} assimp_node;

// State of an import, in the separate process.
typedef struct assimp_importer {
    const struct aiScene *scene;
    const char *path;
    assimp_node *nodes; // [num_nodes]
    int num_nodes;
    bool has_bones;
    fbx_curves *curves; // or NULL
    gltf_out file;
    FILE *out;
    convert_job job; // passes notes on as lines, within the budget
    convert_budget budget;
    md5_error error;
} assimp_importer;

// The separate process sends lines of text, then FILE_MARK and the bytes of the file. The first
// letter of a line is its kind. A loss is an error, unless --force is given. The line and column of
// the file can follow it.
#define NOTE "n"
#define LOSS "l"
#define PROBLEM "e"
#define LOCATION ":%u:%u: "
enum { FILE_MARK = 'g' };

// Advice for files that libassimp cannot read.
#define EXPORT_ADVICE "export the file again, as glTF (.glb) if possible"

// Collects a line for the reading process. The format begins with NOTE, LOSS or PROBLEM.
static void add_line(assimp_importer *importer, const char *format, ...) COMMON_PRINTF(2, 3);
// Collects a line for the reading process. The format begins with NOTE, LOSS or PROBLEM. Lines with
// the same format are limited in number; further lines are only counted.
static void add_line(assimp_importer *importer, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (char *c = text; *c != '\0'; c++) // messages of libassimp may have several lines
        if (*c == '\n')
            *c = ' ';
    convert_count_note(&importer->budget, format, text);
}

// Writes one of the collected lines to the reading process. `user` is the importer.
static void write_line(void *user, const char *text)
{
    fprintf(((assimp_importer *)user)->out, "%s\n", text);
}

// Charges elements to the budget of the file. Returns false and reports an error if it is exceeded.
static bool charge(assimp_importer *importer, uint64_t num_elements)
{
    const bool is_charged = convert_charge(&importer->job, num_elements, &importer->error);
    if (!is_charged)
        add_line(importer, PROBLEM "%s", importer->error.message);
    return is_charged;
}

// Charges memory to the budget of the file. Returns false and reports an error if it is exceeded.
static bool charge_bytes(assimp_importer *importer, uint64_t count, uint64_t size)
{
    const bool is_charged = convert_charge_bytes(&importer->job, count, size, &importer->error);
    if (!is_charged)
        add_line(importer, PROBLEM "%s", importer->error.message);
    return is_charged;
}

// Returns the first node with a name, or NONE.
static int find_node(assimp_importer *importer, const struct aiString *name)
{
    size_t found = SIZE_MAX;
    gltf_find_or_add(&importer->file, GLTF_NODE_NAME, name->data, &found);
    return found < (size_t)importer->num_nodes ? (int)found : NONE;
}

// Returns the kind of a pivot, such as "PreRotation", or NULL if the node is not a pivot. *length
// receives the length of the name of the FBX node, with which the name of a pivot begins.
static const char *pivot_kind(const struct aiNode *of, size_t *length)
{
    static const char mark[] = "_$AssimpFbx$_";
    const char *const found = of->mNumMeshes == 0 ? strstr(of->mName.data, mark) : NULL;
    *length = found ? (size_t)(found - of->mName.data) : of->mName.length;
    return found ? found + strlen(mark) : NULL;
}

// Returns true if a node belongs to the same chain of pivots as its parent, which is a pivot. The
// names of both then begin with the name of the same FBX node.
static bool continues_chain(const assimp_node *parent, const struct aiNode *source)
{
    size_t length = 0;
    size_t parent_length = 0;
    pivot_kind(source, &length);
    const bool is_parent_named = pivot_kind(parent->source, &parent_length) != NULL;
    return is_parent_named && length == parent_length
           && memcmp(source->mName.data, parent->source->mName.data, length) == 0;
}

// Adds a node of libassimp's scene. libassimp splits an FBX node with pivots into a chain of nodes.
// Their names are "Arm_$AssimpFbx$_PreRotation" and similar. The node itself is at the end of the
// chain.
//
// This function marks the pivots. It stores the first pivot of the chain and the pivot with the
// post-rotation in each later node of the chain.
static void add_node(assimp_importer *importer, const struct aiNode *source, int parent_index)
{
    const int index = importer->num_nodes++;
    size_t length = 0;
    const char *const kind = pivot_kind(source, &length);
    gltf_find_or_add(&importer->file, GLTF_NODE_NAME, source->mName.data, &(size_t){(size_t)index});
    importer->nodes = common_grow(importer->nodes, (size_t)index, sizeof *importer->nodes);
    assimp_node *const added = &importer->nodes[index];
    const bool has_parent = parent_index != NONE;
    const assimp_node *const parent = &importer->nodes[has_parent ? parent_index : index];
    const bool is_below_pivot = has_parent && parent->is_pivot;
    *added = (assimp_node){.source = source,
                           .parent = parent_index,
                           .above = is_below_pivot ? parent->above : parent_index,
                           .pivots = NONE,
                           .post = NONE,
                           .model = SIZE_MAX,
                           .is_pivot = has_parent && kind};

    if (is_below_pivot && continues_chain(parent, source)) {
        added->pivots = parent->pivots;
        added->post = parent->post;
    } else if (added->is_pivot) {
        added->pivots = index;
    }
    if (added->is_pivot && strcmp(kind, "PostRotation") == 0)
        added->post = index;
    added->is_geometric = added->is_pivot && strncmp(kind, "Geometric", strlen("Geometric")) == 0;
}

// Marks the nodes that meshes use as bones, and the nodes of meshes with bones.
static void mark_bones(assimp_importer *importer)
{
    for (uint32_t m = 0; m < importer->scene->mNumMeshes; m++) {
        const struct aiMesh *const mesh = importer->scene->mMeshes[m];
        for (uint32_t b = 0; b < mesh->mNumBones; b++) {
            const int found = find_node(importer, &mesh->mBones[b]->mName);
            if (found != NONE) {
                importer->nodes[found].is_bone = true;
                importer->has_bones = true;
            }
        }
    }

    for (int i = 0; i < importer->num_nodes; i++) {
        assimp_node *const node = &importer->nodes[i];
        for (uint32_t m = 0; m < node->source->mNumMeshes; m++)
            node->is_skin |= importer->scene->mMeshes[node->source->mMeshes[m]]->mNumBones > 0;
    }
}

// Marks the nodes that clips animate.
static void mark_moved(assimp_importer *importer)
{
    for (uint32_t a = 0; a < importer->scene->mNumAnimations; a++) {
        const struct aiAnimation *const clip = importer->scene->mAnimations[a];
        for (uint32_t c = 0; c < clip->mNumChannels; c++) {
            const int found = find_node(importer, &clip->mChannels[c]->mNodeName);
            if (found != NONE)
                importer->nodes[found].is_moved = true;
        }
    }
}

// Lists all nodes level by level, without recursion. Then finds out which nodes are joints, are
// above joints, or are moved by clips.
static void list_nodes(assimp_importer *importer)
{
    add_node(importer, importer->scene->mRootNode, NONE);
    for (int i = 0; i < importer->num_nodes; i++) {
        const struct aiNode *const parent = importer->nodes[i].source;
        for (uint32_t k = 0; k < parent->mNumChildren; k++)
            add_node(importer, parent->mChildren[k], i);
    }

    mark_bones(importer);
    mark_moved(importer);
    for (int i = 1; i < importer->num_nodes; i++) { // parents precede their children
        assimp_node *const node = &importer->nodes[i];
        const assimp_node *const parent = &importer->nodes[node->parent];
        node->is_moved |= parent->is_pivot && parent->is_moved;
        node->is_joint = node->is_bone || parent->is_joint;
    }
    for (int i = importer->num_nodes - 1; i > 0; i--) {
        const assimp_node *const node = &importer->nodes[i];
        if (node->is_bone || node->is_above_bone)
            importer->nodes[node->parent].is_above_bone = true;
    }
}

// -- Times ----------------------------------------------------------------------------------------

// Returns the time of a key in ticks. The types of keys in libassimp differ, but all begin with the
// time. `keys` is an array whose elements have `stride` bytes.
static double get_key_time(const void *keys, size_t stride, unsigned index)
{
    double time;
    memcpy(&time, (const char *)keys + index * stride, sizeof time);
    return time;
}

// Returns the index of the last key at or before a time. *fraction receives the position of the
// time between this key and the next key, from 0 to 1.
static unsigned find_key(const void *keys, size_t stride, unsigned count, double time,
                         float *fraction)
{
    unsigned first = 0;
    unsigned high = count;
    while (high - first > 1) { // binary search
        const unsigned middle = first + (high - first) / 2;
        if (get_key_time(keys, stride, middle) <= time)
            first = middle;
        else
            high = middle;
    }

    const unsigned next = first + 1 < count ? first + 1 : first;
    const double first_time = get_key_time(keys, stride, first);
    const double next_time = get_key_time(keys, stride, next);
    *fraction = 0;
    if (next_time > first_time)
        *fraction = (float)fmin(fmax((time - first_time) / (next_time - first_time), 0.0), 1.0);
    return first;
}

// Interpolates translations or scales linearly at a time in libassimp's ticks. Returns
// `fallback` if the track is empty.
static struct aiVector3D vector_at(const struct aiVectorKey *keys, unsigned count, double time,
                                   struct aiVector3D fallback)
{
    if (count == 0)
        return fallback;
    float t = 0;
    const unsigned first = find_key(keys, sizeof *keys, count, time, &t);
    const struct aiVector3D a = keys[first].mValue;
    const struct aiVector3D b = keys[first + (first + 1 < count)].mValue;
    return (struct aiVector3D){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

// Interpolates rotations spherically at a time in libassimp's ticks. Returns the identity if the
// track is empty.
static struct aiQuaternion rotation_at(const struct aiQuatKey *keys, unsigned count, double time)
{
    if (count == 0)
        return (struct aiQuaternion){.w = 1};
    float fraction = 0;
    const unsigned first = find_key(keys, sizeof *keys, count, time, &fraction);
    struct aiQuaternion mixed;
    aiQuaternionInterpolate(&mixed, &keys[first].mValue, &keys[first + (first + 1 < count)].mValue,
                            fraction);
    return mixed;
}

// Returns the row-major matrix that scales a point by `s`, then rotates it by `q`, then moves it by
// `t`.
static struct aiMatrix4x4 compose(struct aiVector3D t, struct aiQuaternion q, struct aiVector3D s)
{
    struct aiMatrix3x3 r;
    aiMatrix3FromQuaternion(&r, &q);
    return (struct aiMatrix4x4){r.a1 * s.x, r.a2 * s.y, r.a3 * s.z, t.x, //
                                r.b1 * s.x, r.b2 * s.y, r.b3 * s.z, t.y, //
                                r.c1 * s.x, r.c2 * s.y, r.c3 * s.z, t.z, //
                                0,          0,          0,          1};
}

// Converts four columns in double precision to libassimp's row-major matrix.
static struct aiMatrix4x4 matrix_from_affine(const convert_affine *a)
{
    struct aiMatrix4x4 matrix;
    float rows[4][4] = {[3] = {0, 0, 0, 1}};
    for (int column = 0; column < 4; column++) {
        rows[0][column] = (float)a->c[column].x;
        rows[1][column] = (float)a->c[column].y;
        rows[2][column] = (float)a->c[column].z;
    }
    memcpy(&matrix, rows, sizeof matrix);
    return matrix;
}

// Returns true if a node has pivots and its channel contains their transforms, too.
static bool replaces_pivots(const assimp_node *node)
{
    return node->channel && !node->is_pivot && node->pivots != NONE;
}

// Evaluates the channel of a node at a time in ticks. `local` is the transform without animation.
//
// A channel of a node with pivots replaces all transforms of the pivots. It contains Rpost where
// FBX defines Rpost^-1. The rotation is therefore multiplied by Rpost^-1 twice.
static struct aiMatrix4x4 evaluate_channel(const assimp_importer *importer, const assimp_node *node,
                                           double time, struct aiMatrix4x4 local)
{
    const struct aiNodeAnim *const channel = node->channel;
    struct aiQuaternion rotation =
        rotation_at(channel->mRotationKeys, channel->mNumRotationKeys, time);
    if (replaces_pivots(node) && node->post != NONE) {
        struct aiMatrix3x3 matrix;
        struct aiQuaternion post_inverse;
        aiMatrix3FromMatrix4(&matrix, &importer->nodes[node->post].source->mTransformation);
        aiCreateQuaternionFromMatrix(&post_inverse, &matrix);
        aiQuaternionMultiply(&rotation, &post_inverse);
        aiQuaternionMultiply(&rotation, &post_inverse);
    }

    const struct aiVector3D rest_position = {local.a4, local.b4, local.c4};
    const struct aiVector3D no_scale = {1, 1, 1};
    const struct aiVector3D position =
        vector_at(channel->mPositionKeys, channel->mNumPositionKeys, time, rest_position);
    const struct aiVector3D scale =
        vector_at(channel->mScalingKeys, channel->mNumScalingKeys, time, no_scale);
    return compose(position, rotation, scale);
}

// Computes the transform of a node at a time in ticks, relative to the ancestor node->above. All
// nodes between both are pivots, whose transforms were computed before. Geometric factors apply to
// the meshes of a node only; see geometric_factor().
static struct aiMatrix4x4 evaluate_node(const assimp_importer *importer, const assimp_node *node,
                                        double time)
{
    const int parent = replaces_pivots(node) ? importer->nodes[node->pivots].parent : node->parent;
    struct aiMatrix4x4 local = node->source->mTransformation;
    if (node->is_geometric)
        aiIdentityMatrix4(&local);
    if (node->channel)
        local = evaluate_channel(importer, node, time, local);
    if (parent == node->above)
        return local;
    struct aiMatrix4x4 product = importer->nodes[parent].local; // of all pivots
    aiMultiplyMatrix4(&product, &local);
    return product;
}

// Computes the transforms of all nodes at a time.
static void evaluate(assimp_importer *importer, double seconds, double ticks_per_second)
{
    for (int i = 0; i < importer->num_nodes; i++) {
        assimp_node *const node = &importer->nodes[i];
        if (node->has_curves) { // the product of all factors, relative to `above`
            const convert_affine transform = fbx_evaluate(importer->curves, node->model, seconds);
            node->local = matrix_from_affine(&transform);
        } else {
            node->local = evaluate_node(importer, node, seconds * ticks_per_second);
        }
    }
}

// Splits a transform into translation t[3], rotation r[4] and scale s[3], as glTF stores it.
static void split(const struct aiMatrix4x4 *m, float *t, float *r, float *s)
{
    struct aiVector3D at;
    struct aiVector3D scale;
    struct aiQuaternion q;
    aiDecomposeMatrix(m, &scale, &q, &at);
    t[0] = at.x;
    t[1] = at.y;
    t[2] = at.z;
    r[0] = q.x;
    r[1] = q.y;
    r[2] = q.z;
    r[3] = q.w;
    s[0] = scale.x;
    s[1] = scale.y;
    s[2] = scale.z;
}

// -- Nodes ----------------------------------------------------------------------------------------

// Writes a matrix by columns, as glTF stores it.
static void put_matrix(struct aiMatrix4x4 m, float *columns)
{
    aiTransposeMatrix4(&m);
    memcpy(columns, &m, 16 * sizeof *columns);
}

// Returns a number from the metadata of a file as a double. Files store it in different types.
// Returns `fallback` if the number is missing.
static double get_number(const struct aiMetadata *data, const char *name, double fallback)
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
    return fallback;
}

// Returns the transform from the file's axes and units to glTF's (x left, y up, z forward, meters).
// Of all formats, only FBX stores the axes and the unit of a file. The unit is in centimeters.
static struct aiMatrix4x4 to_gltf(const assimp_importer *importer)
{
    const struct aiMetadata *const data = importer->scene->mMetaData;
    const double unit = get_number(data, "UnitScaleFactor", 100) / 100.0;
    static const char *const names[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    float rows[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        const double axis = get_number(data, names[i][0], i);
        const int column = axis >= 0 && axis < 3 ? (int)axis : i;
        rows[i][column] = (float)(unit * get_number(data, names[i][1], 1));
    }
    return (struct aiMatrix4x4){rows[0][0], rows[0][1], rows[0][2], 0, //
                                rows[1][0], rows[1][1], rows[1][2], 0, //
                                rows[2][0], rows[2][1], rows[2][2], 0, //
                                0,          0,          0,          1};
}

// Returns true if all elements of two matrices are equal within a tolerance, which is relative for
// elements above 1.
static bool is_near(const struct aiMatrix4x4 *a, const struct aiMatrix4x4 *b, float tolerance)
{
    float x[16];
    float y[16];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (int i = 0; i < 16; i++)
        if (!(fabsf(x[i] - y[i]) <= tolerance * fmaxf(fabsf(x[i]), 1)))
            return false;
    return true;
}

// Returns the name of a node in the file. libassimp can have another one: see fbx_rename_models().
static const char *node_name(const assimp_importer *importer, const assimp_node *node)
{
    if (node->model != SIZE_MAX)
        return fbx_model_name(importer->curves, node->model);
    return node->source->mName.data;
}

// Compares the rest pose of a node with that of its model in the FBX file.
//
// libassimp applies the rotation order, the pre-rotation and the post-rotation even if the file
// disables them. A node with this error gets the correct rest pose from the model. If the poses
// differ for another reason, such as an unknown property, the node keeps the rest pose and the keys
// of libassimp.
static void compare_rest(assimp_importer *importer, assimp_node *node, size_t model)
{
    const float tolerance = 1e-3f;
    const convert_affine in_space = fbx_rest_transform(importer->curves, model, true);
    struct aiMatrix4x4 matrix = matrix_from_affine(&in_space);
    node->model = model;
    node->has_same_rest = is_near(&matrix, &node->rest, tolerance);
    if (fbx_has_rotation_space(importer->curves, model))
        return;
    const convert_affine rest = fbx_rest_transform(importer->curves, model, false);
    matrix = matrix_from_affine(&rest);
    if (node->has_same_rest)
        node->rest = matrix;
    else if (!is_near(&matrix, &node->rest, tolerance))
        add_line(importer,
                 NOTE "node '%s': the rotation order, pre-rotation and post-rotation were applied, "
                      "although the file disables them",
                 node_name(importer, node));
}

// Reads the animation curves and properties of an FBX file. Returns the bytes of the file for
// libassimp, in which the names of nodes are unique if possible. Other formats are unchanged.
static const char *read_curves(assimp_importer *importer, const convert_input *input)
{
    if (!common_has_suffix(input->path, ".fbx"))
        return input->bytes;
    importer->curves = fbx_read_curves(&importer->job, input->bytes, input->size);
    if (!importer->curves)
        return input->bytes;
    if (fbx_has_old_shapes(importer->curves))
        add_line(importer, LOSS "morph targets in the form of FBX 6 were skipped");
    const char *const bytes = fbx_rename_models(importer->curves);
    const char *const ambiguous = fbx_ambiguous_name(importer->curves);
    if (ambiguous)
        add_line(importer,
                 NOTE "several nodes have the name '%s': their motion, size and vertices can be "
                      "wrong; give all nodes different names before you export the file",
                 ambiguous);
    return bytes;
}

// Reports content of a Collada file that libassimp reads incorrectly, each kind at its location. A
// message consists of a text, the name of the element and the rest of the text.
static void report_collada_problems(assimp_importer *importer, const collada_file *file)
{
    const struct {
        const collada_problem *problem;
        const char *before;
        const char *after;
    } reports[] = {
        {&file->unsupported_sampler, "the curves of animation sampler",
         "cannot be evaluated: expected LINEAR, STEP, BEZIER or HERMITE keys with ascending times "
         "and a value and tangents for each key; bake the animation when you export it"},
        {&file->unsupported_target, "the animation of",
         "is not supported: expected a target such as NODE/SID, NODE/SID.X or NODE/SID.ANGLE, no "
         "lookat, and a sampler for each channel; bake the animation when you export it"},
        {&file->misassigned_joint, "expected joint",
         "in the skeleton of this skin, found it in another skeleton; give all joints different "
         "names, or export each skeleton to its own file"},
        {&file->unchecked_skin, "the joints of skin",
         "cannot be checked: the skins and skeletons require too much processing for the size of "
         "the file; export each skeleton to its own file"},
        {&file->invalid_view, "lookat",
         "is not a rotation: expected nine numbers, and an up vector that is not parallel to the "
         "direction from the eye to the target; replace the lookat by a matrix"},
    };
    for (size_t i = 0; i < COMMON_LENGTH(reports); i++) {
        const collada_problem *const problem = reports[i].problem;
        if (problem->name)
            add_line(importer, LOSS LOCATION "%s '%.60s' %s", problem->line, problem->column,
                     reports[i].before, problem->name, reports[i].after);
    }
}

// Repairs a Collada file. Returns the bytes of the repaired file, or no bytes if the file needs no
// repair. Reports content that libassimp reads incorrectly.
static convert_bytes repair_collada(assimp_importer *importer, const convert_input *input,
                                    double rate)
{
    if (!common_has_suffix(input->path, ".dae"))
        return (convert_bytes){0};
    importer->job.rate = rate;
    const collada_file file = collada_repair(&importer->job, input->bytes, input->size);
    report_collada_problems(importer, &file);
    return file.text;
}

// Computes the rest pose of all nodes. Finds the FBX model that belongs to each node, so that
// errors of libassimp in the rest pose can be corrected.
static void find_rest_poses(assimp_importer *importer)
{
    evaluate(importer, 0, 1);
    for (int i = 0; i < importer->num_nodes; i++)
        importer->nodes[i].rest = importer->nodes[i].local;
    for (int i = 0; i < importer->num_nodes && importer->curves; i++) {
        assimp_node *const node = &importer->nodes[i];
        const size_t model =
            node->is_pivot ? SIZE_MAX : fbx_find_model(importer->curves, node->source->mName.data);
        if (model != SIZE_MAX)
            compare_rest(importer, node, model);
    }
}

// Returns the way in which a node inherits the scale of its parent. Reports a scale that cannot be
// inherited in this way.
static plain_inheritance find_inheritance(assimp_importer *importer, const assimp_node *node)
{
    if (node->model == SIZE_MAX)
        return PLAIN_INHERIT_SCALE;
    const plain_inheritance inheritance = fbx_scale_inheritance(importer->curves, node->model);
    if (inheritance == PLAIN_INHERIT_SCALE || node->above == NONE)
        return inheritance;
    const assimp_node *const parent = &importer->nodes[node->above];
    if (parent->model != SIZE_MAX && fbx_has_mixed_scale(importer->curves, parent->model))
        add_line(importer,
                 LOSS "node '%s' does not inherit the scale of '%s' in the usual way (InheritType "
                      "is not 1), which is supported only if all factors of the scale are positive "
                      "or all are negative; apply the scale before you export the file",
                 node_name(importer, node), node_name(importer, parent));
    return inheritance;
}

// Adds the rest pose of a node to its JSON object: translation, rotation and scale, or a matrix if
// these parts cannot express it. Clips cannot move a node with a matrix.
static void add_rest(assimp_importer *importer, json_t *item, const assimp_node *node)
{
    float t[3];
    float r[4];
    float scale[3];
    split(&node->rest, t, r, scale);
    const struct aiMatrix4x4 product =
        compose((struct aiVector3D){t[0], t[1], t[2]},
                (struct aiQuaternion){.w = r[3], .x = r[0], .y = r[1], .z = r[2]},
                (struct aiVector3D){scale[0], scale[1], scale[2]});
    const bool can_move = node->is_moved || importer->curves;
    if (!can_move && !is_near(&product, &node->rest, 1e-5f)) {
        float columns[16];
        put_matrix(node->rest, columns);
        gltf_put(&importer->file, item, "matrix", gltf_floats(columns, 16));
        return;
    }
    gltf_put(&importer->file, item, "translation", gltf_floats(t, 3));
    gltf_put(&importer->file, item, "rotation", gltf_floats(r, 4));
    gltf_put(&importer->file, item, "scale", gltf_floats(scale, 3));
}

// Adds all nodes in their rest pose, with the same indices as in importer->nodes. Pivots have no
// parent and are not part of the scene. An additional node at the end is the root, and converts the
// axes of the file to glTF's axes.
static void add_nodes(assimp_importer *importer)
{
    const size_t top = (size_t)importer->num_nodes;
    float columns[16];
    for (size_t i = 0; i < top; i++) {
        const assimp_node *const node = &importer->nodes[i];
        json_t *const item = json_pack("{s:o}", "name", gltf_string(node_name(importer, node)));
        gltf_add(&importer->file, "nodes", item);
        add_rest(importer, item, node);
        const plain_inheritance inheritance = find_inheritance(importer, node);
        if (inheritance != PLAIN_INHERIT_SCALE)
            gltf_put_extra(&importer->file, item, "inheritance", gltf_integer(inheritance));
    }

    put_matrix(to_gltf(importer), columns);
    gltf_add(&importer->file, "nodes", json_pack("{s:o}", "matrix", gltf_floats(columns, 16)));
    gltf_append(&importer->file, importer->file.root_nodes, gltf_integer(top));
    for (size_t i = 0; i < top; i++)
        if (!importer->nodes[i].is_pivot)
            gltf_set_parent(&importer->file, i, i == 0 ? top : (size_t)importer->nodes[i].above);
}

// -- Meshes ---------------------------------------------------------------------------------------

// In libassimp, each bone of a mesh lists its vertices and weights. In glTF, each vertex has the
// same number of slots. A slot contains a joint of the skin and its weight.

static bool is_valid_weight(const struct aiMesh *mesh, const struct aiVertexWeight *weight)
{
    return weight->mVertexId < mesh->mNumVertices && weight->mWeight > 0;
}

// Returns the number of slots per vertex: the largest number of weights of a vertex, rounded up to
// a multiple of four. Adds the number of weights of each vertex to num_used[vertices].
static size_t count_slots(const struct aiMesh *mesh, unsigned *num_used)
{
    unsigned max_used = 1;
    for (uint32_t b = 0; b < mesh->mNumBones; b++) {
        for (uint32_t w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight *const weight = &mesh->mBones[b]->mWeights[w];
            if (!is_valid_weight(mesh, weight))
                continue;
            num_used[weight->mVertexId]++;
            const unsigned used = num_used[weight->mVertexId];
            max_used = used > max_used ? used : max_used;
        }
    }
    return ((size_t)max_used + 3) / 4 * 4;
}

// Adds the joints and weights of all vertices to the attributes of a primitive. If there are
// vertices without weights, attaches them to an additional joint after the bones, and returns true.
static bool add_weights(assimp_importer *importer, const struct aiMesh *mesh, json_t *attributes)
{
    const size_t num_vertices = mesh->mNumVertices;
    const uint32_t additional_joint = mesh->mNumBones;
    unsigned *const num_used = common_alloc(num_vertices, sizeof *num_used); // slots of a vertex
    const size_t num_slots = count_slots(mesh, num_used);
    memset(num_used, 0, num_vertices * sizeof *num_used);

    uint32_t *const joints = common_alloc(num_slots * num_vertices, sizeof *joints);
    float *const weights = common_alloc(num_slots * num_vertices, sizeof *weights);
    for (uint32_t b = 0; b < mesh->mNumBones; b++) {
        for (uint32_t w = 0; w < mesh->mBones[b]->mNumWeights; w++) {
            const struct aiVertexWeight *const weight = &mesh->mBones[b]->mWeights[w];
            if (!is_valid_weight(mesh, weight))
                continue;
            const size_t slot = weight->mVertexId * num_slots + num_used[weight->mVertexId];
            num_used[weight->mVertexId]++;
            joints[slot] = b;
            weights[slot] = weight->mWeight;
        }
    }

    bool has_free_vertices = false;
    for (size_t v = 0; v < num_vertices; v++) {
        if (num_used[v] > 0)
            continue;
        joints[v * num_slots] = additional_joint;
        weights[v * num_slots] = 1;
        has_free_vertices = true;
    }
    gltf_put_influences(&importer->file, attributes, additional_joint + 1, joints, weights,
                        num_vertices, num_slots);
    free(weights);
    free(joints);
    free(num_used);
    return has_free_vertices;
}

// Returns the product of the geometric factors of a node, which apply to its meshes. libassimp
// stores them as the last pivots before the node. They are used only if the FBX file has no unique
// model of the node, because libassimp applies the rotation order of the model to them.
static struct aiMatrix4x4 geometric_factor(const assimp_importer *importer, size_t node_index)
{
    const size_t model = importer->nodes[node_index].model;
    if (model != SIZE_MAX) {
        const convert_affine factor = fbx_geometric_factor(importer->curves, model);
        return matrix_from_affine(&factor);
    }
    struct aiMatrix4x4 product;
    aiIdentityMatrix4(&product);
    const int first_pivot = importer->nodes[node_index].pivots;
    if (first_pivot == NONE)
        return product;
    // A pivot before the first one belongs to the parent: the inverse of its geometric factor.
    int pivot = importer->nodes[node_index].parent;
    while (pivot >= first_pivot && importer->nodes[pivot].is_geometric) {
        struct aiMatrix4x4 factor = importer->nodes[pivot].source->mTransformation;
        aiMultiplyMatrix4(&factor, &product);
        product = factor;
        pivot = importer->nodes[pivot].parent;
    }
    return product;
}

// Adds the skin of a mesh and returns its index. libassimp's offset matrices do not contain the
// geometric transform of the mesh, so each offset matrix is multiplied by it. If `has_unweighted`
// is true, the node of the mesh becomes an additional joint for vertices without weights.
static size_t add_skin(assimp_importer *importer, const struct aiMesh *mesh, size_t node_index,
                       bool has_unweighted)
{
    json_t *const joints = json_array();
    const struct aiMatrix4x4 geometric = geometric_factor(importer, node_index);
    const size_t count = mesh->mNumBones + (size_t)has_unweighted;
    float *const binds = common_alloc(count, 16 * sizeof *binds);

    for (uint32_t b = 0; b < mesh->mNumBones; b++) {
        const struct aiBone *const bone = mesh->mBones[b];
        const int found = find_node(importer, &bone->mName);
        if (found == NONE)
            add_line(importer,
                     NOTE
                     "bone '%s' of mesh '%s' has no node: its vertices were attached to the root",
                     bone->mName.data, mesh->mName.data);
        gltf_append(&importer->file, joints, gltf_integer(found != NONE ? (size_t)found : 0));
        struct aiMatrix4x4 offset = bone->mOffsetMatrix;
        aiMultiplyMatrix4(&offset, &geometric);
        put_matrix(offset, binds + 16 * b);
    }

    if (has_unweighted) {
        gltf_append(&importer->file, joints, gltf_integer(node_index));
        put_matrix(geometric, binds + 16 * (size_t)mesh->mNumBones);
    }

    const size_t accessor =
        gltf_add_accessor(&importer->file, GLTF_BINDS, GLTF_FLOAT, binds, count, 16, GLTF_PLAIN);
    free(binds);
    return gltf_add(
        &importer->file, "skins",
        json_pack("{s:I, s:o}", "inverseBindMatrices", (json_int_t)accessor, "joints", joints));
}

// Charges the cost of a mesh to the budget. It is charged for each node that uses the mesh, because
// each node gets a copy. Returns false after an error.
static bool charge_mesh(assimp_importer *importer, const struct aiMesh *mesh)
{
    enum { ELEMENTS_PER_MESH = 1000, ELEMENTS_PER_ITEM = 8, BYTES_PER_ITEM = 44 };
    uint64_t num_weights = 0;
    for (unsigned i = 0; i < mesh->mNumBones; i++)
        num_weights += 1 + (uint64_t)mesh->mBones[i]->mNumWeights;
    const uint64_t num_items = mesh->mNumVertices + (uint64_t)mesh->mNumFaces + num_weights;
    return charge(importer, ELEMENTS_PER_MESH + ELEMENTS_PER_ITEM * num_items)
           && charge_bytes(importer, num_items, BYTES_PER_ITEM);
}

// Returns the vertex indices of all triangles of a mesh. Faces that are not triangles are skipped.
// *num_indices receives the number of indices. The caller frees the array.
static uint32_t *list_triangles(const struct aiMesh *mesh, size_t *num_indices)
{
    uint32_t *const indices = common_alloc(mesh->mNumFaces, 3 * sizeof *indices);
    *num_indices = 0;
    for (uint32_t f = 0; f < mesh->mNumFaces && mesh->mNumVertices > 0; f++) {
        const struct aiFace *const face = &mesh->mFaces[f];
        for (unsigned k = 0; face->mNumIndices == 3 && k < 3; k++)
            indices[(*num_indices)++] = face->mIndices[k];
    }
    return indices;
}

// Adds the first set of texture coordinates of a mesh as an attribute of a glTF primitive.
static void add_texcoords(assimp_importer *importer, const struct aiMesh *mesh, json_t *attributes)
{
    const size_t count = mesh->mNumVertices;
    size_t num_invalid = 0;
    float *const texcoords = common_alloc(count, 2 * sizeof *texcoords);
    for (size_t i = 0; i < count; i++) {
        struct aiVector3D uv = mesh->mTextureCoords[0][i];
        if (!isfinite(uv.x) || !isfinite(uv.y)) {
            uv = (struct aiVector3D){0};
            num_invalid++;
        }
        texcoords[2 * i] = uv.x;
        texcoords[2 * i + 1] = 1 - uv.y; // in libassimp, v = 0 is the bottom row
    }
    if (num_invalid > 0)
        add_line(importer, NOTE "mesh '%s': replaced %zu texture %s by 0: expected finite numbers",
                 mesh->mName.data, num_invalid,
                 common_noun(num_invalid, "coordinate", "coordinates"));
    gltf_put_attribute(&importer->file, attributes, "TEXCOORD_0", GLTF_FLOAT, texcoords, count, 2,
                       GLTF_PLAIN);
    free(texcoords);
}

// Adds the node of a mesh. A mesh with bones becomes a root of the scene, because only its bones
// place it. Any other mesh becomes a child of its node. `has_unweighted` means that some vertices
// of a mesh with bones have no weights.
static void add_mesh_node(assimp_importer *importer, const struct aiMesh *mesh, size_t mesh_index,
                          size_t node_index, bool has_unweighted)
{
    const char *const name = node_name(importer, &importer->nodes[node_index]);
    json_t *const item =
        json_pack("{s:o, s:I}", "name", gltf_string(name), "mesh", (json_int_t)mesh_index);
    const size_t added = gltf_add(&importer->file, "nodes", item);
    if (mesh->mNumBones == 0) {
        float columns[16];
        put_matrix(geometric_factor(importer, node_index), columns);
        gltf_put(&importer->file, item, "matrix", gltf_floats(columns, 16));
        gltf_set_parent(&importer->file, added, node_index);
        return;
    }
    gltf_put(&importer->file, item, "skin",
             gltf_integer(add_skin(importer, mesh, node_index, has_unweighted)));
    gltf_append(&importer->file, importer->file.root_nodes, gltf_integer(added));
}

// Adds a mesh that has at least one triangle, and its node. All vertices are added, even if no
// triangle uses them, so that the indices do not change.
static void add_triangles(assimp_importer *importer, const struct aiMesh *mesh, size_t node_index,
                          const uint32_t *indices, size_t num_indices)
{
    json_t *const attributes = json_object();
    gltf_put_attribute(&importer->file, attributes, "POSITION", GLTF_FLOAT, mesh->mVertices,
                       mesh->mNumVertices, 3, GLTF_PLAIN);
    if (mesh->mNormals) // otherwise the mesh is flat-shaded
        gltf_put_attribute(&importer->file, attributes, "NORMAL", GLTF_FLOAT, mesh->mNormals,
                           mesh->mNumVertices, 3, GLTF_PLAIN);
    if (mesh->mTextureCoords[0])
        add_texcoords(importer, mesh, attributes);
    const bool has_unweighted = mesh->mNumBones > 0 && add_weights(importer, mesh, attributes);
    const size_t accessor = gltf_add_accessor(&importer->file, GLTF_INDICES, GLTF_UINT, indices,
                                              num_indices, 1, GLTF_PLAIN);
    if (mesh->mNumAnimMeshes > 0)
        add_line(importer,
                 NOTE "mesh '%s': skipped %u morph %s; export the model as glTF to keep them",
                 mesh->mName.data, mesh->mNumAnimMeshes,
                 common_noun(mesh->mNumAnimMeshes, "target", "targets"));
    // {"name": ..., "primitives": [{"attributes": {...}, "indices": ..., "material": ...}]}
    const size_t mesh_index =
        gltf_add(&importer->file, "meshes",
                 json_pack("{s:o, s:[{s:o, s:I, s:I}]}", "name", gltf_string(mesh->mName.data),
                           "primitives", "attributes", attributes, "indices", (json_int_t)accessor,
                           "material", (json_int_t)mesh->mMaterialIndex));
    add_mesh_node(importer, mesh, mesh_index, node_index, has_unweighted);
}

// Reports the points and lines of a mesh, which are skipped.
static void note_skipped_faces(assimp_importer *importer, const struct aiMesh *mesh)
{
    size_t num_points = 0;
    size_t num_lines = 0;
    for (uint32_t f = 0; f < mesh->mNumFaces; f++) {
        num_points += mesh->mFaces[f].mNumIndices == 1;
        num_lines += mesh->mFaces[f].mNumIndices == 2;
    }
    if (num_points + num_lines > 0)
        add_line(importer, NOTE "mesh '%s': skipped %zu %s and %zu %s: only polygons are supported",
                 mesh->mName.data, num_points, common_noun(num_points, "point", "points"),
                 num_lines, common_noun(num_lines, "line", "lines"));
}

// Returns false if a position contains an infinity or NaN, which can result from an overflow when
// libassimp reads the file.
static bool are_positions_finite(const struct aiMesh *mesh)
{
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D v = mesh->mVertices[i];
        if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z))
            return false;
    }
    return true;
}

// Adds a mesh of one primitive and its node, if it has triangles. Returns false after an error.
static bool add_mesh(assimp_importer *importer, const struct aiMesh *mesh, size_t node_index)
{
    if (!charge_mesh(importer, mesh))
        return false;
    if (!are_positions_finite(mesh)) {
        add_line(importer,
                 PROBLEM
                 "mesh '%s': the position of a vertex is not a finite number; " EXPORT_ADVICE,
                 mesh->mName.data);
        return false;
    }
    size_t num_indices = 0;
    uint32_t *const indices = list_triangles(mesh, &num_indices);
    note_skipped_faces(importer, mesh);
    if (num_indices > 0)
        add_triangles(importer, mesh, node_index, indices, num_indices);
    free(indices);
    return true;
}

// -- Materials ------------------------------------------------------------------------------------

// Adds an image to the glTF file and returns its JSON object. An image in a format that glTF does
// not support, such as TGA, is converted to PNG.
static json_t *add_picture(assimp_importer *importer, const void *bytes, size_t size,
                           const char *name)
{
    md5_error error;
    view_image image;
    uint8_t *png = NULL;
    const bool is_png = size > 4 && memcmp(bytes, "\x89PNG", 4) == 0;
    const bool is_jpeg = size > 4 && memcmp(bytes, "\xff\xd8\xff", 3) == 0;
    const bool is_supported = is_png || is_jpeg;
    if (!is_supported && view_decode_image(bytes, size, MD5_MAX_IMAGE_PIXELS, &image, &error)) {
        png = view_encode_png(&image, true, &size);
        free(image.rgba);
    }
    const size_t view = gltf_add_image(&importer->file, png ? png : bytes, size);
    free(png);
    return json_pack("{s:I, s:o}", "bufferView", (json_int_t)view, "name",
                     gltf_string(common_base(name)));
}

// Returns the path of an image file below a folder, or NULL. `name` is often a path on the author's
// machine. Its leading folders are therefore removed, one after the other, until a file is found.
// The caller frees the result.
static char *find_image_file(const char *folder, const char *name)
{
    for (const char *part = strchr(name, '/'); part; part = strchr(part + 1, '/')) {
        char *const found = common_find(folder, part);
        if (found)
            return found;
    }
    return NULL;
}

// Adds the image of a texture and returns its JSON object. The image is embedded in the file of the
// model, or it is a file below the folder of the model. If it is missing, the object contains only
// its name.
static json_t *add_image(assimp_importer *importer, const char *path)
{
    for (uint32_t i = 0; i < importer->scene->mNumTextures; i++) {
        const struct aiTexture *const embedded = importer->scene->mTextures[i];
        if (embedded->mHeight == 0 && strcmp(embedded->mFilename.data, path) == 0)
            return add_picture(importer, embedded->pcData, embedded->mWidth, path);
    }

    char *const folder = common_folder(importer->path);
    char *const name = common_normalize_path(path);
    char *const found = find_image_file(folder, name);
    const char *reason = NULL;
    char *bytes = NULL;
    size_t size = 0;
    if (found)
        bytes = common_read_stream(found, &size, &reason);
    json_t *const image = bytes ? add_picture(importer, bytes, size, found)
                                : json_pack("{s:o}", "uri", gltf_uri(common_base(name)));

    free(bytes);
    free(found);
    free(name);
    free(folder);
    return image;
}

// Adds a texture of a material, with its image, to a glTF material. Returns false if the material
// has no texture of this type.
static bool add_map(assimp_importer *importer, const struct aiMaterial *material, json_t *item,
                    int map, enum aiTextureType type)
{
    struct aiString path = {0};
    const enum aiReturn result =
        aiGetMaterialTexture(material, type, 0, &path, NULL, NULL, NULL, NULL, NULL, NULL);
    if (result != AI_SUCCESS)
        return false;
    size_t image = gltf_num_added(&importer->file, "images");
    if (!gltf_find_or_add(&importer->file, GLTF_IMAGE_NAME, path.data,
                          &image)) // each file is read once
        gltf_add(&importer->file, "images", add_image(importer, path.data));
    json_t *const texture = json_pack("{s:I}", "source", (json_int_t)image);
    gltf_put_map(&importer->file, item, map, gltf_add(&importer->file, "textures", texture));
    return true;
}

// Sets the color of a glTF material to the diffuse color of a material, if it has one.
static void add_color(assimp_importer *importer, const struct aiMaterial *material, json_t *item)
{
    struct aiColor4D color;
    if (aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &color) != AI_SUCCESS)
        return;
    gltf_put(&importer->file, item, "pbrMetallicRoughness",
             json_pack("{s:[f,f,f,f]}", "baseColorFactor", color.r, color.g, color.b, 1.0));
}

// Adds all materials to the glTF file. libassimp stores each map under one of two types, depending
// on the format of the file, so both are tried. A material without a color texture gets its diffuse
// color.
static void add_materials(assimp_importer *importer)
{
    static const enum aiTextureType types[CONVERT_NUM_MAPS][2] = {
        [CONVERT_MAP_COLOR] = {aiTextureType_DIFFUSE, aiTextureType_BASE_COLOR},
        [CONVERT_MAP_NORMAL] = {aiTextureType_NORMALS, aiTextureType_NORMAL_CAMERA},
        [CONVERT_MAP_SPECULAR] = {aiTextureType_SPECULAR},
        [CONVERT_MAP_GLOW] = {aiTextureType_EMISSIVE, aiTextureType_EMISSION_COLOR}};

    for (uint32_t m = 0; m < importer->scene->mNumMaterials; m++) {
        const struct aiMaterial *const material = importer->scene->mMaterials[m];
        struct aiString name = {0};
        aiGetMaterialString(material, AI_MATKEY_NAME, &name);
        json_t *const item = json_pack("{s:o}", "name", gltf_string(name.data));
        for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
            const bool has_map = add_map(importer, material, item, map, types[map][0])
                                 || add_map(importer, material, item, map, types[map][1]);
            if (!has_map && map == CONVERT_MAP_COLOR)
                add_color(importer, material, item);
        }
        gltf_add(&importer->file, "materials", item);
    }
}

// -- Clips ----------------------------------------------------------------------------------------

enum { TRANSFORM_WIDTH = 3 + 4 + 3 }; // numbers of a translation, a rotation and a scale

// Returns the distance of two keys, each of which has `width` numbers. Four numbers are a
// quaternion q, and -q is the same rotation.
static double key_distance(const float *a, const float *b, size_t width)
{
    double difference = 0;
    double sum = 0;
    for (size_t i = 0; i < width; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        sum += (a[i] + b[i]) * (a[i] + b[i]);
    }
    const bool is_rotation = width == 4;
    return sqrt(is_rotation ? fmin(difference, sum) : difference);
}

// Returns the largest change between adjacent keys that are more than `min_gap` ticks apart. The
// change is the distance of the two values, each of which has `width` numbers. A key has `stride`
// bytes: the time as a double, then the value.
static double widest_gap(const void *keys, size_t stride, unsigned count, size_t width,
                         double min_gap)
{
    const char *const bytes = keys;
    double max_change = 0;
    for (unsigned k = 1; k < count; k++) {
        const double gap = get_key_time(keys, stride, k) - get_key_time(keys, stride, k - 1);
        if (!(gap > min_gap))
            continue;
        float before[4];
        float after[4];
        memcpy(before, bytes + (k - 1) * stride + sizeof(double), width * sizeof *before);
        memcpy(after, bytes + k * stride + sizeof(double), width * sizeof *after);
        max_change = fmax(max_change, key_distance(before, after, width));
    }

    return max_change;
}

// Returns the name of a clip of a Collada file. libassimp begins the names of all clips with the
// name of the first one, such as "walk_walk" and "walk_run".
static const char *get_collada_name(const struct aiScene *scene, const char *name)
{
    const char *const first = scene->mAnimations[0]->mName.data;
    const size_t length = strlen(first) / 2; // of the name and of the prefix without the '_'
    const bool has_prefix = first[length] == '_' && strncmp(first, first + length + 1, length) == 0;
    if (has_prefix && strncmp(name, first, length + 1) == 0)
        return name + length + 1;
    return name;
}

// Returns the name of a clip. Exporters write clips as "Armature|name", so the text up to the bar
// is removed. The name of the file replaces names that do not describe a clip: Mixamo uses one name
// for all clips, "Take 001" is the default of several programs, and libassimp gives clips of
// Collada files without names the other name.
static const char *select_clip_name(const assimp_importer *importer, const struct aiAnimation *clip,
                                    const order *job)
{
    const char *const bar = strrchr(clip->mName.data, '|');
    const char *name = bar ? bar + 1 : clip->mName.data;
    if (common_has_suffix(importer->path, ".dae"))
        name = get_collada_name(importer->scene, name);
    static const char *const defaults[] = {"Take 001", "animation"};
    bool is_default = false;
    for (size_t i = 0; i < COMMON_LENGTH(defaults); i++)
        is_default |= job->is_another && strcmp(name, defaults[i]) == 0;
    if (name[0] == '\0' || strcmp(name, "mixamo.com") == 0 || is_default)
        return common_stem(job->input->path);
    return name;
}

// Adds the times of keys to a search for their frame rate. See get_key_time() for the arguments.
static void add_key_times(plain_rate_search *search, const void *keys, size_t stride,
                          unsigned count, double ticks)
{
    for (unsigned k = 0; k < count; k++)
        plain_add_key_time(search, get_key_time(keys, stride, k) / ticks);
}

// Returns the frame rate of a clip in Hz. It is the rate of the job, if it is set. Otherwise it is
// the number of ticks per second, if this is a plausible frame rate, or else a rate at which all
// keys are at frames.
static double select_rate(const order *job, const struct aiAnimation *clip, double ticks)
{
    if (job->rate > 0)
        return job->rate;
    if (ticks >= 10 && ticks <= 240)
        return ticks;
    plain_rate_search search = {{false}};
    for (unsigned c = 0; c < clip->mNumChannels; c++) {
        const struct aiNodeAnim *const keys = clip->mChannels[c];
        add_key_times(&search, keys->mPositionKeys, sizeof *keys->mPositionKeys,
                      keys->mNumPositionKeys, ticks);
        add_key_times(&search, keys->mRotationKeys, sizeof *keys->mRotationKeys,
                      keys->mNumRotationKeys, ticks);
        add_key_times(&search, keys->mScalingKeys, sizeof *keys->mScalingKeys,
                      keys->mNumScalingKeys, ticks);
    }
    return plain_find_rate(&search);
}

// Returns true if the curves of the selected clip can be evaluated for a node.
static bool can_evaluate_curves(const assimp_importer *importer, const assimp_node *node)
{
    return node->model != SIZE_MAX && node->has_same_rest
           && fbx_is_supported(importer->curves, node->model);
}

// Reports models whose motion in a clip is wrong. libassimp does not blend layers, and the
// converter cannot evaluate the curves of these models itself.
static void note_unblended_models(assimp_importer *importer, const char *clip)
{
    const size_t num_models = fbx_num_models(importer->curves);
    bool *const is_evaluated = common_alloc(num_models, sizeof *is_evaluated);
    for (int i = 0; i < importer->num_nodes; i++)
        if (importer->nodes[i].has_curves)
            is_evaluated[importer->nodes[i].model] = true;

    for (size_t i = 0; i < num_models; i++) {
        const char *const layer = fbx_blended_layer(importer->curves, i);
        if (layer && !is_evaluated[i])
            add_line(importer,
                     LOSS "clip '%s': animation layer '%s' of node '%s' cannot be blended with the "
                          "layers below it; merge the layers before you export the file",
                     clip, layer, fbx_model_name(importer->curves, i));
    }
    free(is_evaluated);
}

// Reports animation layers that are missing in a clip. libassimp does not blend layers. The motion
// of a model with several layers is therefore correct only if the converter evaluates its curves
// itself. `has_curves` is true if the FBX file contains the curves of the clip.
static void note_layers(assimp_importer *importer, const char *clip, bool has_curves)
{
    if (!importer->curves)
        return;
    if (!has_curves) {
        if (fbx_has_blended_layers(importer->curves))
            add_line(importer,
                     LOSS "clip '%s': animation layers cannot be blended, because the name of the "
                          "clip is not unique or the file is too complex; merge the layers before "
                          "you export the file",
                     clip);
        return;
    }

    const char *const skipped_layer = fbx_skipped_layer(importer->curves);
    if (skipped_layer)
        add_line(importer,
                 NOTE "clip '%s': skipped animation layer '%s': it is muted, or another layer is "
                      "solo",
                 clip, skipped_layer);
    note_unblended_models(importer, clip);
}

// Marks the pivots of nodes whose curves are evaluated: the result of fbx_evaluate() already
// contains the transforms of the pivots.
static void mark_replaced_pivots(assimp_importer *importer)
{
    for (int i = 0; i < importer->num_nodes; i++) {
        const assimp_node *const node = &importer->nodes[i];
        if (!node->has_curves)
            continue;
        for (int k = node->parent; k != node->above; k = importer->nodes[k].parent)
            importer->nodes[k].is_replaced = true;
    }
}

// Returns the distance of a node from its nearest ancestor that is not a pivot, in the rest pose.
static double bone_length(const assimp_node *node)
{
    const struct aiMatrix4x4 rest = node->rest;
    return (double)sqrtf(rest.a4 * rest.a4 + rest.b4 * rest.b4 + rest.c4 * rest.c4);
}

// Resets the state of a node at the beginning of a clip. `has_curves` is true if the FBX file
// contains the curves of the clip.
static void reset_node(const assimp_importer *importer, assimp_node *node, bool has_curves)
{
    node->has_curves = has_curves && can_evaluate_curves(importer, node);
    node->is_moved |= node->has_curves && fbx_is_animated(importer->curves, node->model);
    // In a file with bones, a node that is not a joint gets no channels while it stays in its rest
    // pose. All other animated nodes always get channels.
    node->is_still = importer->has_bones && !node->is_joint;
    node->is_changing = false;
    node->is_replaced = false;
    node->channel = NULL;
}

// Begins a clip: resets the states of all nodes and sets their channels. *num_moved receives the
// number of animated nodes. *reach receives the largest distance of a joint from its parent.
static void begin_clip(assimp_importer *importer, const struct aiAnimation *clip, size_t *num_moved,
                       double *reach)
{
    *num_moved = 0;
    *reach = 0;
    const bool has_curves = importer->curves && fbx_select_clip(importer->curves, clip->mName.data);
    for (int i = 0; i < importer->num_nodes; i++) {
        assimp_node *const node = &importer->nodes[i];
        reset_node(importer, node, has_curves);
        *num_moved += node->is_moved;
        if (!importer->has_bones || node->is_joint)
            *reach = fmax(*reach, bone_length(node));
    }

    for (uint32_t c = 0; c < clip->mNumChannels; c++) {
        const int found = find_node(importer, &clip->mChannels[c]->mNodeName);
        if (found != NONE)
            importer->nodes[found].channel = clip->mChannels[c];
    }
    mark_replaced_pivots(importer);
    note_layers(importer, clip->mName.data, has_curves);
}

// Stores the transforms of all animated nodes in a frame. values[] contains an array for each
// animated node. The array consists of the translations of all frames (3 numbers each), the
// rotations (4), and the scales (3).
static void sample_nodes(assimp_importer *importer, size_t frame, size_t num_frames, float *values)
{
    float *node_values = values;
    for (int i = 0; i < importer->num_nodes; i++) {
        assimp_node *const node = &importer->nodes[i];
        if (!node->is_moved)
            continue;
        if (frame == 0)
            node->first = node->local;
        node->is_still &= aiMatrix4AreEqualEpsilon(&node->local, &node->rest, 1e-4f) != 0;
        node->is_changing |= !aiMatrix4AreEqualEpsilon(&node->local, &node->first, 1e-3f);

        float *const translations = node_values;
        float *const rotations = translations + 3 * num_frames;
        float *const scales = rotations + 4 * num_frames;
        split(&node->local, translations + 3 * frame, rotations + 4 * frame, scales + 3 * frame);
        node_values += num_frames * TRANSFORM_WIDTH;
    }
}

// Adds the glTF channels of a node: translation, rotation and scale. `values` are the samples of
// the node; see sample_nodes().
static void add_node_channels(assimp_importer *importer, json_t *item, size_t node,
                              const float *times, size_t num_frames, const float *values)
{
    static const struct part {
        const char *path;
        size_t columns;
    } parts[] = {{"translation", 3}, {"rotation", 4}, {"scale", 3}};
    const float *part_values = values;
    for (size_t k = 0; k < COMMON_LENGTH(parts); k++) {
        const gltf_channel channel = {.node = node,
                                      .path = parts[k].path,
                                      .times = times,
                                      .values = part_values,
                                      .num_keys = num_frames,
                                      .num_values = num_frames,
                                      .columns = parts[k].columns};
        gltf_add_channel(&importer->file, item, &channel);
        part_values += num_frames * parts[k].columns;
    }
}

// Adds the channels of all animated nodes that differ from the rest pose in the clip. `values` are
// the samples of all animated nodes.
static void add_channels(assimp_importer *importer, json_t *item, const float *times,
                         size_t num_frames, const float *values)
{
    const float *node_values = values;
    for (size_t i = 0; i < (size_t)importer->num_nodes; i++) {
        const assimp_node *const node = &importer->nodes[i];
        if (!node->is_moved)
            continue;
        if (!node->is_pivot && !node->is_still)
            add_node_channels(importer, item, i, times, num_frames, node_values);
        node_values += num_frames * TRANSFORM_WIDTH;
    }
}

// Returns true if the motion of a node can move a vertex. In a file with bones, only bones, their
// ancestors and their descendants can; the motion of a camera cannot.
static bool can_move_vertices(const assimp_importer *importer, const assimp_node *node)
{
    return !importer->has_bones || node->is_joint || node->is_above_bone;
}

// The largest changes of a node between adjacent keys that are more than a frame apart.
typedef struct key_changes {
    double rotation; // distance of two quaternions, which is about half of the angle in radians
    double movement; // units
} key_changes;

// Returns the changes of a node between keys that are more than `min_gap` ticks apart.
static key_changes measure_gaps(const struct aiNodeAnim *keys, double min_gap)
{
    return (key_changes){.rotation = widest_gap(keys->mRotationKeys, sizeof *keys->mRotationKeys,
                                                keys->mNumRotationKeys, 4, min_gap),
                         .movement = widest_gap(keys->mPositionKeys, sizeof *keys->mPositionKeys,
                                                keys->mNumPositionKeys, 3, min_gap)};
}

// Returns true if note_sparse_keys() must consider the keys of a node. The node must move vertices,
// and its keys must not be replaced by evaluated curves.
static bool has_used_keys(const assimp_importer *importer, const assimp_node *node)
{
    if (!node->channel || !node->is_changing || !can_move_vertices(importer, node))
        return false;
    return !node->has_curves && !node->is_replaced;
}

// Reports keys of an FBX file that are more than a frame apart. Curves may connect such keys, but
// libassimp connects them by straight lines. A curve deviates from a line by about a tenth of the
// change, so large changes matter.
//
// libassimp also connects rotations by the shortest rotation, but FBX interpolates several angles.
// Between two keys that differ by 25 degrees, the two positions of a point differ by up to about
// 1 % of its distance from the joint.
//
// If the changes are large, this is a loss; otherwise it is a note.
// `ticks_per_frame` is for the lower of the two rates of the file and of the clip.
static void note_sparse_keys(assimp_importer *importer, const struct aiAnimation *clip,
                             const char *name, double ticks_per_frame, double reach,
                             const fbx_info *info)
{
    // Smaller changes are not reported. Movements are fractions of `reach`, the length of the
    // longest bone. Changes above the limits "bent" are a loss if the file has curves. Rotations
    // above `min_angles_rotation` are always a loss.
    const double min_rotation = 0.004;
    const double min_movement = 0.004;
    const double min_bent_rotation = 0.087;   // half of 10 degrees, radians
    const double min_angles_rotation = 0.218; // half of 25 degrees, radians
    const double min_bent_movement = 0.1;
    const double min_gap = 1.5 * ticks_per_frame;
    size_t num_sparse = 0;
    const char *sparse_node = "";
    size_t num_bent = 0;
    size_t num_wide = 0;

    for (int i = 0; i < importer->num_nodes; i++) {
        const assimp_node *const node = &importer->nodes[i];
        if (!has_used_keys(importer, node))
            continue;
        const key_changes changes = measure_gaps(node->channel, min_gap);
        if (changes.rotation > min_rotation || changes.movement > min_movement * reach) {
            num_sparse++;
            sparse_node = node_name(importer, node);
        }
        if (changes.rotation > min_bent_rotation || changes.movement > min_bent_movement * reach)
            num_bent++;
        num_wide += changes.rotation > min_angles_rotation;
    }

    if (num_sparse == 0)
        return;
    const bool has_bent_curves = info->has[CURVES] && num_bent > 0;
    add_line(importer,
             "%cclip '%s': %zu of %u animated nodes, such as '%s', have keys more than one frame "
             "apart; between these keys, curves are read as straight lines and rotations around "
             "several axes as one rotation; bake the animation when you export it",
             has_bent_curves || num_wide > 0 ? LOSS[0] : NOTE[0], name, num_sparse,
             clip->mNumChannels, sparse_node);
}

// Returns true if a key of a morph target has a weight other than 0.
static bool has_weight(const struct aiMeshMorphKey *key)
{
    for (uint32_t w = 0; w < key->mNumValuesAndWeights; w++) {
        if (key->mWeights[w] != 0)
            return true;
    }
    return false;
}

// Returns true if a clip moves a morph target.
static bool has_morph_weights(const struct aiAnimation *clip)
{
    for (uint32_t c = 0; c < clip->mNumMorphMeshChannels; c++) {
        const struct aiMeshMorphAnim *const keys = clip->mMorphMeshChannels[c];
        for (uint32_t k = 0; k < keys->mNumKeys; k++) {
            if (has_weight(&keys->mKeys[k]))
                return true;
        }
    }
    return false;
}

// A clip while it is sampled.
typedef struct clip_sampler {
    const char *name;
    double ticks; // of libassimp, per second
    double rate;  // frames per second
    size_t num_frames;
    size_t num_moved; // nodes that the clip animates
    double reach;     // of the model, for note_sparse_keys()
} clip_sampler;

// Charges the cost of sampling a clip to the budget. Returns false after an error.
static bool charge_clip(assimp_importer *importer, const clip_sampler *clip)
{
    const uint64_t cost_per_node = importer->curves ? 40 : 4;
    const uint64_t num_blended = importer->curves ? fbx_num_blended(importer->curves) : 0;
    const uint64_t cost_per_frame = cost_per_node * ((uint64_t)importer->num_nodes + num_blended)
                                    + TRANSFORM_WIDTH * (uint64_t)clip->num_moved;
    const uint64_t node_size = clip->num_frames * (uint64_t)TRANSFORM_WIDTH;
    return charge(importer, clip->num_frames * cost_per_frame)
           && charge_bytes(importer, clip->num_moved * node_size, sizeof(float));
}

// Samples all frames of a clip and adds it as a glTF animation. Exporters write some clips twice,
// as "name" and as "Armature|name". A clip is therefore skipped if its name and samples equal those
// of an earlier clip.
static void sample_clip(assimp_importer *importer, const clip_sampler *clip)
{
    const size_t num_values = clip->num_moved * clip->num_frames * TRANSFORM_WIDTH;
    float *const times = common_alloc(clip->num_frames, sizeof *times);
    float *const values = common_alloc(num_values, sizeof *values);
    for (size_t f = 0; f < clip->num_frames; f++) {
        const double time = (double)f / clip->rate;
        times[f] = (float)time;
        evaluate(importer, time, clip->ticks);
        sample_nodes(importer, f, clip->num_frames, values);
    }

    const bool is_duplicate = gltf_find_or_add_bytes(&importer->file, GLTF_CLIP, clip->name, values,
                                                     num_values * sizeof *values, &(size_t){0});
    if (!is_duplicate) {
        json_t *const item = gltf_add_animation(&importer->file, clip->name,
                                                json_pack("{s:f}", "frameRate", clip->rate));
        add_channels(importer, item, times, clip->num_frames, values);
    }
    free(values);
    free(times);
}

// Reports motions of a clip that are not converted: weights of morph targets, and the motion of a
// skinned mesh itself. Maya adds the latter to the motion of the bones. 3ds Max and the definition
// of FBX apply only the motion of the bones.
static void note_skipped_motion(assimp_importer *importer, const struct aiAnimation *source,
                                const char *name, int moved_skin)
{
    if (has_morph_weights(source))
        add_line(importer, LOSS "clip '%s' animates morph targets, which were skipped", name);
    if (moved_skin != NONE)
        add_line(
            importer,
            LOSS
            "clip '%s' animates both the mesh '%s' and the bones of its skin; only the bones are "
            "used",
            name, node_name(importer, &importer->nodes[moved_skin]));
}

// Reports a clip whose first key is later than its first frame. The curves of FBX files replace the
// keys of libassimp, so their times do not matter.
static void note_late_keys(assimp_importer *importer, const struct aiAnimation *source,
                           const clip_sampler *clip)
{
    double first = HUGE_VAL;
    for (unsigned c = 0; c < source->mNumChannels && !importer->curves; c++) {
        const struct aiNodeAnim *const keys = source->mChannels[c];
        if (keys->mNumPositionKeys > 0)
            first = fmin(first, keys->mPositionKeys[0].mTime);
        if (keys->mNumRotationKeys > 0)
            first = fmin(first, keys->mRotationKeys[0].mTime);
        if (keys->mNumScalingKeys > 0)
            first = fmin(first, keys->mScalingKeys[0].mTime);
    }
    const double seconds = first / clip->ticks;
    const double first_frame = floor(seconds * clip->rate + 0.5);
    if (first_frame >= 1 && first_frame < (double)clip->num_frames)
        add_line(importer,
                 NOTE "clip '%s': the first key is at %g s; the pose before it was extended to the "
                      "start; use --range %.0f-%zu to convert only the frames with keys",
                 clip->name, seconds, first_frame, clip->num_frames - 1);
}

// Returns the last node with a skinned mesh that changes in the current clip, or NONE.
static int find_moved_skin(const assimp_importer *importer)
{
    for (int i = importer->num_nodes - 1; i >= 0; i--) {
        if (importer->nodes[i].is_skin && importer->nodes[i].is_changing)
            return i;
    }
    return NONE;
}

// Samples an animation of libassimp at equal time steps and adds it to the glTF file as a clip.
// Reports keys and tracks that the samples do not reproduce. Returns false after an error, such
// as a clip that is too long.
static bool add_clip(assimp_importer *importer, const struct aiAnimation *source, const order *job,
                     const fbx_info *info)
{
    const double default_ticks = 25;
    const double file_rate = source->mTicksPerSecond > 0 ? source->mTicksPerSecond : default_ticks;
    clip_sampler clip = {.name = select_clip_name(importer, source, job),
                         .rate = select_rate(job, source, file_rate),
                         .ticks = file_rate};
    if (importer->curves) // libassimp assumes the time unit of FBX 7
        clip.ticks /= fbx_time_factor(importer->curves);
    begin_clip(importer, source, &clip.num_moved, &clip.reach);

    const double seconds = source->mDuration / clip.ticks;
    if (!(seconds >= 0 && seconds <= (double)PLAIN_MAX_CLIP_SECONDS)) {
        add_line(importer,
                 PROBLEM
                 "clip '%s' is too long: %g s; limit: %d s; shorten its time range when you export "
                 "the file",
                 clip.name, seconds, PLAIN_MAX_CLIP_SECONDS);
        return false;
    }
    clip.num_frames = (size_t)(floor(seconds * clip.rate + 0.5) + 1);
    if (!charge_clip(importer, &clip))
        return false;

    sample_clip(importer, &clip);
    note_late_keys(importer, source, &clip);
    const double ticks_per_frame = clip.ticks / fmin(clip.rate, file_rate);
    if (common_has_suffix(importer->path, ".fbx"))
        note_sparse_keys(importer, source, clip.name, ticks_per_frame, clip.reach, info);
    note_skipped_motion(importer, source, clip.name, find_moved_skin(importer));
    return true;
}

// -- Both processes -------------------------------------------------------------------------------

// Fails for versions of FBX that libassimp reads incorrectly, and reports contents that it skips.
static bool check_fbx(assimp_importer *importer, const fbx_info *info)
{
    if (info->version < MIN_FBX_VERSION) {
        add_line(importer,
                 PROBLEM
                 "unsupported FBX version %u: expected %d (FBX 2011) or later; convert the file "
                 "with Autodesk's FBX Converter or export it again",
                 info->version, MIN_FBX_VERSION);
        return false;
    }
    if (info->has[BLENDS] || info->has[DUALS])
        add_line(importer, LOSS "dual quaternion skinning is not supported by MD5");
    if (info->has[MORPHS])
        add_line(importer, LOSS "morph targets that deform the rest pose were skipped");
    return true;
}

// Returns the length of the part of an error of libassimp that is shown. It ends at the first
// control character, such as a line break. Some of the errors quote a large part of the file.
static size_t visible_length(const char *text)
{
    enum { MAX_LENGTH = 120 };
    size_t length = 0;
    while (length < MAX_LENGTH && (unsigned char)text[length] >= ' ')
        length++;
    return length;
}

// Imports the file with libassimp into importer->scene, from `bytes` [size]. Returns false after an
// error, which is sent to the reading process.
static bool open_scene(assimp_importer *importer, const char *bytes, size_t size)
{
    struct aiPropertyStore *const properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    importer->scene = aiImportFileFromMemoryWithProperties(
        bytes, (unsigned)size, 0, strrchr(importer->path, '.') + 1, properties);
    if (importer->scene && importer->scene->mRootNode)
        return true;
    const char *const reason = aiGetErrorString();
    add_line(importer, PROBLEM "libassimp cannot read the file: %.*s; " EXPORT_ADVICE,
             (int)visible_length(reason), reason);
    return false;
}

// Adds the meshes of all nodes.
static bool add_meshes(assimp_importer *importer)
{
    for (size_t i = 0; i < (size_t)importer->num_nodes; i++) {
        const struct aiNode *const source = importer->nodes[i].source;
        for (unsigned m = 0; m < source->mNumMeshes; m++)
            if (!add_mesh(importer, importer->scene->mMeshes[source->mMeshes[m]], i))
                return false;
    }
    return true;
}

// If the input is a text file of FBX with long numbers, replaces its bytes by a copy with rounded
// numbers. Adds a line and returns false if the copy exceeds the budget.
static bool shorten_numbers(assimp_importer *importer, convert_input *input)
{
    fbx_file file;
    md5_error error = {0};
    if (!common_has_suffix(input->path, ".fbx") || !fbx_open(input->bytes, input->size, &file))
        return true;
    if (!convert_charge(&importer->job, input->size, &error)
        || !convert_charge_bytes(&importer->job, input->size + 1, 1, &error)) {
        add_line(importer, PROBLEM "%s", error.message);
        return false;
    }
    char *const copy = fbx_shorten_numbers(&file);
    if (copy)
        input->bytes = copy;
    return true;
}

// Returns the number of triangles into which the polygons of all meshes must be divided.
static uint64_t count_expected_triangles(const struct aiScene *scene)
{
    uint64_t count = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *const mesh = scene->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            const unsigned num_corners = mesh->mFaces[f].mNumIndices;
            count += num_corners > 2 ? num_corners - 2 : 0;
        }
    }
    return count;
}

// Divides all polygons into triangles. Reports polygons that libassimp divides incompletely, such
// as polygons that intersect themselves. Adds a line and returns false if libassimp fails.
static bool triangulate(assimp_importer *importer)
{
    const uint64_t num_expected = count_expected_triangles(importer->scene);
    importer->scene = aiApplyPostProcessing(importer->scene, aiProcess_Triangulate);
    if (!importer->scene) {
        add_line(importer,
                 PROBLEM "libassimp cannot divide the polygons into triangles: %s; "
                         "triangulate the meshes before you export the file",
                 aiGetErrorString());
        return false;
    }
    const uint64_t num_triangles = count_expected_triangles(importer->scene);
    if (num_triangles < num_expected)
        add_line(importer,
                 LOSS "%llu of %llu triangles are missing: libassimp cannot divide some polygons "
                      "into triangles; triangulate the meshes before you export the file",
                 (unsigned long long)(num_expected - num_triangles),
                 (unsigned long long)num_expected);
    return true;
}

// Imports the file with libassimp and creates the bytes of the .glb file, `file_bytes`. Adds a line
// and returns false after an error.
static bool create_file(assimp_importer *importer, const order *job, convert_bytes *file_bytes)
{
    convert_input shortened = *job->input;
    if (!shorten_numbers(importer, &shortened))
        return false;
    const convert_input *const input = &shortened;
    const fbx_info info = find_fbx_info(input);
    if (!check_fbx(importer, &info))
        return false;
    const convert_bytes repaired = repair_collada(importer, input, job->rate);
    const char *const bytes = repaired.size > 0 ? repaired.bytes : read_curves(importer, input);
    if (!open_scene(importer, bytes, repaired.size > 0 ? repaired.size : input->size))
        return false;
    if (!triangulate(importer))
        return false;

    const bool is_collada = common_has_suffix(importer->path, ".dae");
    if (is_collada && importer->scene->mNumMeshes == 0
        && convert_find_after(input->bytes, input->bytes + input->size, "<mesh"))
        add_line(importer, NOTE
                 "the file contains meshes, but libassimp found none in the scene; " EXPORT_ADVICE);
    gltf_begin(&importer->file);
    list_nodes(importer);
    find_rest_poses(importer);
    add_nodes(importer);
    add_materials(importer);
    if (!add_meshes(importer))
        return false;
    for (unsigned a = 0; a < importer->scene->mNumAnimations; a++)
        if (!add_clip(importer, importer->scene->mAnimations[a], job, &info))
            return false;

    if (gltf_make(&importer->file, NULL, input->path, file_bytes, &importer->error))
        return true;
    add_line(importer, PROBLEM "%s", importer->error.message);
    return false;
}

// Runs in the separate process, whose end frees all memory. Writes lines of notes and errors to
// `out`, and the .glb file after FILE_MARK.
static bool import_file(void *user, FILE *out)
{
    const order *const job = user;
    const convert_input *const input = job->input;
    assimp_importer importer = {.path = input->path};
    importer.out = out;
    importer.job.note = write_line;
    convert_begin_budget(&importer.budget, input->size);
    importer.job.budget = &importer.budget;
    importer.job.user = &importer;
    convert_bytes file = {0};
    const bool is_created = create_file(&importer, job, &file);
    convert_end_budget(&importer.budget, &importer.job);
    if (is_created && fputc(FILE_MARK, out) != EOF)
        fwrite(file.bytes, 1, file.size, out);
    return true;
}

// A location in a file at the beginning of a message, in the form of LOCATION.
typedef struct message_location {
    uint32_t line; // or 0
    uint32_t column;
    const char *text; // the message after the location
} message_location;

// Reads a colon and an unsigned number. Returns the first byte after them, or NULL.
static const char *read_colon_and_number(const char *at, uint32_t *number)
{
    const bool has_digit = at[0] == ':' && at[1] >= '0' && at[1] <= '9';
    if (!has_digit)
        return NULL;
    char *end;
    *number = (uint32_t)strtoul(at + 1, &end, 10);
    return end;
}

static message_location read_location(const char *message)
{
    const message_location without_location = {.text = message};
    message_location location = {0};
    const char *const after_line = read_colon_and_number(message, &location.line);
    if (!after_line)
        return without_location;
    const char *const after_column = read_colon_and_number(after_line, &location.column);
    if (!after_column || strncmp(after_column, ": ", 2) != 0)
        return without_location;
    location.text = after_column + 2;
    return location;
}

// Reports the lines of the separate process: notes, losses and errors. Returns the first byte after
// the lines. *loss receives the first loss, unless --force is given; further losses are reported as
// notes.
static char *pass_lines_on(const convert_job *job, const char *path, char *lines, const char *end,
                           const char **loss, md5_error *error)
{
    char *at = lines;
    while (at < end && *at != FILE_MARK) {
        char *const stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            break;
        *stop = '\0';
        const char *const text = at + 1;
        const bool is_loss = *at == LOSS[0];
        const bool is_tolerated_loss = is_loss && (job->is_forced || *loss);
        if (*at == NOTE[0] || is_tolerated_loss)
            convert_note(job, *text == ':' ? "%s%s" : "%s: %s", path, text);
        else if (is_loss)
            *loss = text;
        else
            convert_fail(error, MD5_ERROR_SYNTAX, path, "%s", text);
        at = stop + 1;
    }
    return at;
}

// Reads a file of a format that libassimp supports. Runs libassimp in a separate process
// (import_file), which returns lines of messages followed by a .glb file. Reports the messages, and
// reads the .glb file like any glTF file. A loss is content that libassimp cannot import correctly.
// It is an error unless --force is given.
bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    if (input->size == 0) // libassimp asserts that files are not empty
        return convert_fail(error, MD5_ERROR_SYNTAX, input->path,
                            "the file is empty: expected a model or an animation");
    order job_order = {input, job->rate, scene->num_parts > 0};
    size_t size = 0;
    common_child_failure failure;
    char *const records = common_run_in_child(import_file, &job_order, (size_t)MAX_MEMORY << 20,
                                              MAX_SECONDS, &size, &failure);
    if (!records && !failure.is_started)
        return convert_fail(error, MD5_ERROR_IO, input->path, "libassimp: %s", failure.reason);
    if (!records)
        return convert_fail(error, MD5_ERROR_IO, input->path, "libassimp: %s; " EXPORT_ADVICE,
                            failure.reason);

    // This error remains if the process ended without a file and without a line that contains an
    // error.
    convert_fail(error, MD5_ERROR_IO, input->path,
                 "libassimp stopped without a result; " EXPORT_ADVICE);
    const char *loss = NULL;
    const char *const end = records + size;
    char *const at = pass_lines_on(job, input->path, records, end, &loss, error);
    convert_input gltf = {input->path, at + 1, (size_t)(end - at) - 1};
    bool is_read = at < end && *at == FILE_MARK && convert_read_gltf(job, &gltf, scene, error);
    if (is_read && loss) {
        const message_location location = read_location(loss);
        is_read =
            convert_fail(error, MD5_ERROR_VERSION, input->path,
                         "libassimp: %s; use --force to convert the file anyway", location.text);
        error->line = location.line;
        error->column = location.column;
    }

    free(records);
    return is_read;
}

#elif defined(__EMSCRIPTEN__)

// Reports that the format is not supported. In a browser, a program cannot start the separate
// process in which libassimp must run.
bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    (void)job;
    (void)scene;
    return convert_fail(
        error, MD5_ERROR_VERSION, input->path,
        "this format is not supported in the browser: use md5view or md5tool built with libassimp");
}

#else

// Reports that the format is not supported, because libassimp or jansson was missing when the
// program was built.
bool convert_read_assimp(const convert_job *job, convert_input *input, convert_scene *scene,
                         md5_error *error)
{
    (void)job;
    (void)scene;
    return convert_fail(
        error, MD5_ERROR_VERSION, input->path,
        "this format is not supported: built without libassimp; install libassimp and jansson "
        "(Debian: libassimp-dev, libjansson-dev) and build again; not available on Windows");
}

#endif
