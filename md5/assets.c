// Asset files: models and animations as they are in memory, used where their bytes lie.
//
// A file is one walk over the structures of its assets, by the tables below. Writing and mapping
// are the same walk. Each count comes before what it counts, so no offset and no pointer is stored.
// Structures that have pointers are made beside the file, in one block, and point into it; so its
// bytes are never written, processes may share them, and 32 and 64 bits have the same.
//
//   magic, version; size, checksum of what follows (64 bits each); the walk; 0 to 127 bytes of 0
//
// Mapping walks twice: to measure the block, then to fill and check it. Loading as a file is the
// same, with the bytes in the block, too.
#include "md5/compress/file.h"
#include "md5/core/file.h"
#include "md5/core/math.h"
#include "md5/md5skin.h"
#include "md5/pose/skeleton.h"
#include "md5/read/tables.h"
#include "md5/skin/plan.h"

#include <assert.h>

#ifndef MD5_NO_ASSET_FILES

// "M5AI" on little-endian machines; others write, and read, files of their own order.
enum { MAGIC = 0x4941354d, SWAPPED_MAGIC = 0x4d354149, VERSION = 3, HEAD = 24 };
enum { ALIGNMENT = 16, LANES = 8, STRIPE = 16 * LANES };

// == The walk ====================================================================================

// Numbers of elements where the walk is. From TANGENTS on: 1 if there is such an array, else 0,
// which is stored, in 32 bits, before the row that says ASKED.
// clang-format off
typedef enum asset_count {
    ONE, THREE, MODELS, ANIMS, JOINTS, MESHES, FILE_VERTICES, WEIGHTS, VERTICES, TRIANGLES,
    INFLUENCES, RUNS, PLAN_VERTICES, PLAN_WORDS, FRAMES, ROTATIONS, TRANSLATIONS, PACKED_BYTES,
    TANGENTS, COLORS, PLAN, BOUNDS, PLAIN, PACKED, NUM_COUNTS, ASKED = NUM_COUNTS
} asset_count;
// clang-format on

typedef enum asset_kind {
    NUMBER, // its bytes
    COUNT,  // the same, below 2^31: sets `count`
    TEXT,   // bytes up to a NUL
    ARRAY,  // elements without pointers, at a multiple of ALIGNMENT
    LIST    // structures that have a table, or, without one, joints
} asset_kind;

typedef struct asset_walk asset_walk;

// A member of a structure, of `size` bytes or, if it is an array, with elements of `size` bytes.
typedef struct asset_row {
    const char *name;
    uint16_t offset, size;
    uint8_t kind, count, times, extra; // the product of both asset_counts, plus `extra`, elements
    uint8_t needs;                     // NULL if this asset_count is 0; perhaps plus ASKED
    uint32_t limit; // of indices an asset_count, of floats the bits of the largest one
    // Whether all of walk->values are such as the library relies on; NULL: any are.
    bool (*check)(const asset_walk *walk);
    const struct asset_table *of;
} asset_row;

// A structure. `finish` sets the members without a row and, if walk->is_checked, checks those that
// depend on each other.
typedef struct asset_table {
    const asset_row *rows;
    uint32_t num_rows;
    size_t size;
    bool (*finish)(asset_walk *walk, void *structure);
} asset_table;

struct asset_walk {
    md5_context *context;
    md5_arena *arena;          // for checks
    unsigned char *to;         // written; NULL: measured, or mapped
    const unsigned char *from; // [size] mapped; NULL: written
    size_t at, size;
    md5_block block; // mapping: the structures
    bool is_copied;  // so are the bytes
    bool is_trusted, is_checked;
    const asset_row *row;
    void *structure;    // NULL: the block is measured
    const void *values; // [num_values] of the row, whose rows above are filled
    size_t num_values;
    size_t counts[NUM_COUNTS]; // begins with ONE, THREE
};

// The analyzer does not know that a walk either writes or maps.
// NOLINTBEGIN(clang-analyzer-core.NonNullParamChecker,clang-analyzer-core.NullDereference)

static bool refuse(const asset_walk *walk, const char *problem)
{
    return MD5_FAIL(walk->context, MD5_ERROR_RANGE, "asset file: '%s' until byte %zu %s",
                    walk->row->name, walk->at, problem);
}

// Writes bytes of the asset, or reads them to there unless `bytes` is NULL.
static bool move_bytes(asset_walk *walk, void *bytes, size_t size)
{
    if (walk->from && size > walk->size - walk->at)
        return refuse(walk, "is cut off");
    if (walk->from && bytes && size > 0)
        memcpy(bytes, walk->from + walk->at, size);
    else if (walk->to && size > 0)
        memcpy(walk->to + walk->at, bytes, size);
    walk->at += size;
    return true;
}

// A number of 32 bits up to `most`, which becomes a count.
static bool move_count(asset_walk *walk, uint32_t *number, uint32_t most, size_t *count)
{
    TRY(move_bytes(walk, number, sizeof *number));
    TRY(*number <= most || refuse(walk, "is too many"));
    *count = *number;
    return true;
}

static bool move_text(asset_walk *walk, void **text)
{
    if (!walk->from)
        return move_bytes(walk, *text, strlen((const char *)*text) + 1);
    *text = (void *)(walk->from + walk->at); // which nobody writes
    const void *const end = memchr(*text, '\0', walk->size - walk->at);
    TRY(end || refuse(walk, "has no end"));
    return move_bytes(walk, NULL, (size_t)((const char *)end - (const char *)*text) + 1);
}

static bool move_array(asset_walk *walk, const asset_row *row, void **values, size_t *count)
{
    unsigned char zeros[ALIGNMENT] = {0};
    TRY(move_bytes(walk, zeros, (ALIGNMENT - walk->at % ALIGNMENT) % ALIGNMENT));
    const uint64_t product = (uint64_t)walk->counts[row->count] * walk->counts[row->times];
    const uint64_t most = walk->from ? (walk->size - walk->at) / row->size : SIZE_MAX;
    TRY((product <= most && row->extra <= most - product) || refuse(walk, "is cut off"));
    *count = (size_t)product + row->extra;
    if (walk->from)
        *values = (void *)(walk->from + walk->at); // likewise
    return move_bytes(walk, walk->from ? NULL : *values, *count * row->size);
}

// Parents, then names, whose bytes are counted: the block is measured without looking at each.
static bool move_joints(asset_walk *walk, md5_joint *joints, size_t count)
{
    uint32_t size = 0;
    size_t bytes;
    for (size_t j = 0; j < count && !walk->from; j++)
        size += (uint32_t)strlen(joints[j].name) + 1;
    TRY(move_count(walk, &size, INT32_MAX, &bytes));
    TRY(count <= SIZE_MAX / 8 || refuse(walk, "is cut off"));
    if (walk->from && !joints)
        return move_bytes(walk, NULL, sizeof joints->parent * count + bytes);
    for (size_t j = 0; j < count; j++)
        TRY(move_bytes(walk, &joints[j].parent, sizeof joints->parent));
    const size_t end = walk->at + bytes;
    for (size_t j = 0; j < count; j++) {
        void *name = (void *)joints[j].name;
        TRY(move_text(walk, &name));
        joints[j].name = (const char *)name;
    }
    return walk->at == end || refuse(walk, "has other names");
}

// Goes through structures of a table, from `structure` on; NULL: the block is measured.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the tables
static bool take_walk(asset_walk *walk, const asset_table *table, unsigned char *structure,
                      size_t num_structures)
{
    for (size_t i = 0; i < num_structures; i++) {
        MD5_FOR (r, table->num_rows) {
            const asset_row *const row = walk->row = &table->rows[r];
            void *const member = structure ? structure + row->offset : NULL, *pointer = NULL;
            if (!walk->from && member && row->kind >= TEXT)
                memcpy(&pointer, member, sizeof pointer);
            size_t count = walk->counts[row->count];
            size_t *const needed = &walk->counts[row->needs % ASKED];
            uint32_t number = pointer != NULL;
            TRY(row->needs < ASKED || move_count(walk, &number, 1, needed));
            if (*needed == 0)
                continue;
            if (row->kind == NUMBER)
                TRY(move_bytes(walk, member, row->size));
            else if (row->kind == COUNT)
                TRY(move_count(walk, member ? (uint32_t *)member : &number, INT32_MAX,
                               &walk->counts[row->count]));
            else if (row->kind == TEXT)
                TRY(move_text(walk, &pointer));
            else if (row->kind == ARRAY)
                TRY(move_array(walk, row, &pointer, &count));
            else if (walk->from)
                pointer = md5i_block_take(&walk->block, count, row->size);
            if (walk->from && member && row->kind >= TEXT)
                memcpy(member, &pointer, sizeof pointer);
            walk->structure = structure;
            walk->values = row->kind == NUMBER ? member : pointer;
            walk->num_values = count;
            TRY(!walk->is_checked || !row->check || row->check(walk)
                || refuse(walk, "is out of range"));
            if (row->kind == LIST && walk->from && pointer)
                memset(pointer, 0, count * row->size);
            if (row->kind == LIST)
                TRY(row->of ? take_walk(walk, row->of, (unsigned char *)pointer, count)
                            : move_joints(walk, (md5_joint *)pointer, count));
        }
        TRY(!walk->from || !structure || !table->finish || table->finish(walk, structure));
        structure = structure ? structure + table->size : NULL;
    }
    return true;
}

// NOLINTEND(clang-analyzer-core.NonNullParamChecker,clang-analyzer-core.NullDereference)

// == Checks ======================================================================================

#define FINITE 0x7f7fffffu   // bits of FLT_MAX
#define MODERATE 0x5a0e1bcau // of 1e16: poses of such numbers are finite
#define NOT_NAN 0x7f800000u  // of infinity

// Whether no word, an index or a float without its sign, is above `most`, which is below 2^31. Two
// at a time: a sum reaches the highest bit of its half if its word is above.
static inline bool is_none_above(const void *words, size_t count, uint32_t most, bool are_floats)
{
    const uint64_t rest = UINT64_C(0x7fffffff7fffffff), kept = are_floats ? 0 : UINT64_MAX;
    const uint64_t added = UINT64_C(0x100000001) * (INT32_MAX - most);
    uint64_t found[4] = {0}, last[8] = {0}, two;
    const unsigned char *at = (const unsigned char *)words;
    for (size_t left = 4 * count; left > 0; left -= left < sizeof last ? left : sizeof last) {
        if (left < sizeof last)
            at = (const unsigned char *)memcpy(last, at, left);
        MD5_UNROLL
        MD5_FOR (k, 8) {
            memcpy(&two, at + 8 * k, sizeof two);
            found[k % 4] |= (two & kept) | ((two & rest) + added);
        }
        at += sizeof last;
    }
    return ((found[0] | found[1] | found[2] | found[3]) & ~rest) == 0;
}

// Floats, or a bool.
static bool are_within(const asset_walk *walk)
{
    const size_t size = walk->row->size, count = walk->num_values * (size / sizeof(float));
    return size == sizeof(bool) ? *(const uint8_t *)walk->values <= 1
                                : is_none_above(walk->values, count, walk->row->limit, true);
}

static bool are_below(const asset_walk *walk)
{
    const uint32_t bound = (uint32_t)walk->counts[walk->row->limit];
    return walk->num_values == 0
           || (bound > 0 && is_none_above(walk->values, walk->num_values, bound - 1, false));
}

// Rotations of unit length, or transforms, which begin with one.
static bool are_rotations(const asset_walk *walk)
{
    const float *q = (const float *)walk->values;
    const size_t count = walk->num_values, step = walk->row->size / sizeof *q;
    bool is_valid = true;
    for (size_t i = 0; i < count; i++, q += step) {
        const float square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
        is_valid &= fabsf(square - 1) <= 1e-5f; // of files: 4e-7; long chains multiply it
    }
    return is_valid && (walk->row->size == sizeof(md5_quat) || are_within(walk));
}

static bool are_ascending(const asset_walk *walk)
{
    const uint32_t *const joints = (const uint32_t *)walk->values;
    const size_t count = walk->num_values;
    bool is_valid = count == 0 || joints[count - 1] < walk->counts[JOINTS];
    for (size_t i = 1; i < count; i++)
        is_valid &= joints[i] > joints[i - 1];
    return is_valid;
}

// The order of a skeleton, the first member of models and clips, and all else: at least one joint.
static bool is_skeleton(const asset_walk *walk)
{
    const md5_skeleton *const skeleton = (const md5_skeleton *)walk->structure;
    uint8_t *const placed = MD5_NEW(walk->arena, uint8_t, walk->num_values);
    return walk->num_values > 0 && placed && md5i_is_ordered(skeleton, placed)
           && (unsigned)skeleton->axes < MD5_NUM_AXES
           && (skeleton->scale == 0 || (skeleton->scale >= 1e-6f && skeleton->scale <= 1e6f));
}

static bool are_weights(const asset_walk *walk)
{
    const md5_weight *const weights = (const md5_weight *)walk->values;
    const uint32_t added = INT32_MAX + 1u - (uint32_t)walk->counts[JOINTS];
    uint32_t found = 0;
    for (size_t i = 0; i < walk->num_values; i++)
        found |= weights[i].joint | (weights[i].joint + added);
    return found >> 31 == 0 && are_within(walk);
}

static bool are_vertices(const asset_walk *walk)
{
    const md5_vertex *const vertices = (const md5_vertex *)walk->values;
    const uint32_t num_weights = (uint32_t)walk->counts[WEIGHTS];
    uint32_t most = 0;
    bool is_valid = true;
    for (size_t i = 0; i < walk->num_values; i++) {
        is_valid &= vertices[i].first_weight <= num_weights
                    && vertices[i].num_weights <= num_weights - vertices[i].first_weight;
        most = vertices[i].num_weights > most ? vertices[i].num_weights : most;
    }
    return is_valid && most == ((const md5_mesh *)walk->structure)->max_weights;
}

static bool are_firsts(const asset_walk *walk)
{
    const uint32_t *const first = (const uint32_t *)walk->values;
    uint32_t most = 0;
    bool is_valid = first[0] == 0 && first[walk->num_values - 1] == walk->counts[INFLUENCES];
    for (size_t i = 1; i < walk->num_values; i++) {
        is_valid &= first[i] >= first[i - 1];
        most = first[i] - first[i - 1] > most ? first[i] - first[i - 1] : most;
    }
    return is_valid && most == ((const md5_mesh *)walk->structure)->max_influences;
}

static bool are_tracks(const asset_walk *walk)
{
    const md5_track *const tracks = (const md5_track *)walk->values;
    const uint32_t most = ((const md5_anim *)walk->structure)->num_components;
    bool is_valid = true;
    for (size_t i = 0; i < walk->num_values; i++)
        is_valid &= tracks[i].flags < 64 && tracks[i].first <= most
                    && md5i_num_flags(tracks[i].flags) <= most - tracks[i].first;
    return is_valid;
}

// Whether kernels can read a run without looking: see plan.h. Marks the vertices that it skins.
static bool is_run(const md5_mesh *mesh, const md5_skin_run *run, size_t model_joints,
                   uint8_t *seen)
{
    const md5_skin_plan *const plan = mesh->skin_plan;
    const md5_skin_kind kind = (md5_skin_kind)run->kind;
    const md5_skin_order order = (md5_skin_order)run->order;
    const bool is_single = order == MD5_SKIN_SINGLES, is_gathered = order == MD5_SKIN_GATHERED;
    const uint32_t most = kind == MD5_SKIN_RIGID ? 1 : MD5_SKIN_MAX_INFLUENCES;
    uint32_t num_joints = run->num_influences; // of the group, or of a single vertex
    TRY(run->count > 0 && kind < MD5_SKIN_KINDS && order < MD5_SKIN_ORDERS);
    TRY(is_single ? kind != MD5_SKIN_RIGID
                  : kind != MD5_SKIN_NONE && num_joints > 0 && num_joints <= most);
    const uint32_t num_vertices = md5_skin_num_vertices(order);
    TRY(run->vertices + (uint64_t)run->count * num_vertices <= plan->num_vertices);
    const uint32_t *vertex = plan->vertices + run->vertices;
    uint64_t word = run->words;
    MD5_FOR (i, run->count) {
        if (is_single) {
            TRY(vertex[0] < mesh->num_vertices);
            const uint32_t *const first = mesh->first_influence + vertex[0];
            num_joints = first[1] - first[0];
            TRY(word < plan->num_words && plan->words[word] == num_joints);
        }
        const uint32_t *const joints = plan->words + word + is_single;
        word += md5_skin_num_words(kind, order, num_joints);
        TRY(word <= plan->num_words);
        MD5_FOR (k, num_joints)
            TRY(joints[k] < model_joints);
        MD5_FOR (k, is_single ? 1 : MD5_SKIN_GROUP) {
            const uint32_t number = is_gathered ? vertex[k] / 3 : vertex[0] + k;
            TRY(number < mesh->num_vertices && (!is_gathered || vertex[k] % 3 == 0));
            if (is_gathered && k > 0 && vertex[k] == vertex[k - 1])
                continue;
            TRY(!is_gathered || k == 0 || vertex[k] > vertex[k - 1]);
            TRY(seen[number]++ == 0);
        }
        TRY(kind == MD5_SKIN_NONE || num_joints > 0);
        vertex += num_vertices;
    }
    return true;
}

static bool finish_mesh(asset_walk *walk, void *structure)
{
    const md5_mesh *const mesh = (const md5_mesh *)structure;
    const md5_skin_plan *const plan = mesh->skin_plan;
    if (walk->is_checked && mesh->num_vertices < mesh->num_file_vertices)
        return refuse(walk, "ends a mesh of fewer vertices than its file has");
    if (!walk->is_checked || !plan)
        return true;
    uint8_t *const seen = MD5_NEW(walk->arena, uint8_t, mesh->num_vertices);
    bool is_valid = seen && mesh->num_vertices <= UINT32_MAX / 3;
    MD5_FOR_WHILE (i, plan->num_runs, is_valid)
        is_valid = is_run(mesh, &plan->runs[i], walk->counts[JOINTS], seen);
    return (is_valid && !memchr(seen, 0, mesh->num_vertices))
           || refuse(walk, "is not a plan of the mesh");
}

static bool finish_model(asset_walk *walk, void *structure)
{
    md5_model *const model = (md5_model *)structure;
    model->size = walk->is_copied ? walk->block.used : 0;
    model->internal.allocator = walk->context->allocator;
    MD5_FOR (i, model->num_meshes)
        if (model->meshes[i].num_vertices > model->max_vertices)
            model->max_vertices = model->meshes[i].num_vertices;
    return !walk->context->needs_meshes || model->num_meshes > 0
           || md5i_fail(walk->context, MD5_ERROR_RANGE, 0, 0,
                        "asset file: a model has no meshes: expected at least 1");
}

#ifdef MD5_NO_COMPRESSED
#define are_places NULL
#else
// The last row of a compressed clip: all that is sampled of it.
static bool are_places(const asset_walk *walk)
{
    const md5_packed *const packed = (const md5_packed *)walk->structure;
    const md5_packed_place *const places = (const md5_packed_place *)walk->values;
    md5_packed counted = *packed;
    size_t num_moving[2] = {0, 0};
    TRY(packed->num_joints == walk->num_values && packed->num_joints <= MD5_PACKED_JOINTS);
    TRY(packed->num_frames == walk->counts[FRAMES] && packed->num_frames > 0);
    TRY(md5i_check_packed(walk->context, &counted) && counted.head_bits == packed->head_bits);
    md5_packed_place place = md5_packed_first(packed);
    MD5_FOR (i, 2 * packed->num_joints) {
        TRY(i % 2 > 0 || memcmp(&places[i / 2], &place, sizeof place) == 0);
        num_moving[i % 2] += md5i_packed_take_head(packed, (uint8_t)(i % 2), &place).step != 0;
    }
    return num_moving[MD5_PACKED_ROTATION] == walk->counts[ROTATIONS]
           && num_moving[MD5_PACKED_TRANSLATION] == walk->counts[TRANSLATIONS];
}
#endif

static bool finish_anim(asset_walk *walk, void *structure)
{
    md5_anim *const anim = (md5_anim *)structure;
    anim->size = walk->is_copied ? walk->block.used : 0;
    anim->internal.allocator = walk->context->allocator;
    anim->duration = (double)(anim->num_frames - 1) / anim->frame_rate;
    const md5_packed *const packed = anim->internal.packed;
    if (packed)
        anim->packed_size = sizeof *packed + packed->num_bytes;
    if (packed && !MD5_PACKED(anim))
        return MD5_LEFT_OUT(walk->context, "compressed clips");
    return !walk->is_checked
           || (anim->num_frames > 0 && anim->frame_rate > 0 && anim->frame_rate <= 1e9
               && !anim->tracks == (packed != NULL))
           || refuse(walk, "ends a clip without frames or rate");
}

// == Tables ======================================================================================
//
// Who adds a member adds its row, and raises VERSION. What has no row, `finish` or nobody sets.

// clang-format off
#define TABLE(name, type, type_size, finish, ...) \
    static_assert(sizeof(void *) != 8 || sizeof(type) == (type_size), #type " has changed"); \
    static const asset_row name##_rows[] = {__VA_ARGS__}; \
    static const asset_table name = {name##_rows, MD5_COUNT(name##_rows), sizeof(type), finish}
#define ROW(kind, type, member, size, ...) {#member, offsetof(type, member), size, kind, __VA_ARGS__}
#define EACH_IN(type, member) sizeof(((type *)NULL)->member[0])
#define TEXT_ROW(type, member) ROW(TEXT, type, member, 1, ONE, ONE, 0, ONE, 0, NULL, NULL)
#define COUNT_ROW(type, member, sets) ROW(COUNT, type, member, 4, sets, ONE, 0, ONE, 0, NULL, NULL)
#define LIST_ROW(type, member, count, needs, of) \
    ROW(LIST, type, member, EACH_IN(type, member), count, ONE, 0, needs, 0, NULL, of)
#define NUMBER_ROW(type, member, check, limit) \
    ROW(NUMBER, type, member, sizeof(((type *)NULL)->member), ONE, ONE, 0, ONE, limit, check, NULL)
#define ARRAY_ROW(type, member, count, times, extra, needs, check, limit) \
    ROW(ARRAY, type, member, EACH_IN(type, member), count, times, extra, needs, limit, check, NULL)

static_assert(sizeof(void *) != 8 || sizeof(md5_joint) == 16, "md5_joint has changed");
#define SKELETON_ROWS(type) \
    COUNT_ROW(type, skeleton.num_joints, JOINTS), \
    LIST_ROW(type, skeleton.joints, JOINTS, ONE, NULL), \
    NUMBER_ROW(type, skeleton.axes, NULL, 0), NUMBER_ROW(type, skeleton.scale, NULL, 0), \
    ARRAY_ROW(type, skeleton.order, JOINTS, ONE, 0, ONE, is_skeleton, 0)

TABLE(plan_table, md5_skin_plan, 48, NULL,
    COUNT_ROW(md5_skin_plan, num_runs, RUNS),
    COUNT_ROW(md5_skin_plan, num_vertices, PLAN_VERTICES),
    COUNT_ROW(md5_skin_plan, num_words, PLAN_WORDS),
    ARRAY_ROW(md5_skin_plan, runs, RUNS, ONE, 0, ONE, NULL, 0),
    ARRAY_ROW(md5_skin_plan, vertices, PLAN_VERTICES, ONE, 0, ONE, NULL, 0),
    ARRAY_ROW(md5_skin_plan, words, PLAN_WORDS, ONE, 0, ONE, are_within, FINITE));

TABLE(mesh_table, md5_mesh, 256, finish_mesh,
    TEXT_ROW(md5_mesh, name), TEXT_ROW(md5_mesh, shader),
    COUNT_ROW(md5_mesh, num_file_vertices, FILE_VERTICES),
    COUNT_ROW(md5_mesh, num_weights, WEIGHTS), COUNT_ROW(md5_mesh, num_vertices, VERTICES),
    COUNT_ROW(md5_mesh, num_triangles, TRIANGLES), COUNT_ROW(md5_mesh, num_influences, INFLUENCES),
    NUMBER_ROW(md5_mesh, max_influences, NULL, 0), NUMBER_ROW(md5_mesh, max_weights, NULL, 0),
    NUMBER_ROW(md5_mesh, num_off_sums, NULL, 0), NUMBER_ROW(md5_mesh, is_mirrored, are_within, 0),
    NUMBER_ROW(md5_mesh, loss4, are_within, NOT_NAN),
    NUMBER_ROW(md5_mesh, loss8, are_within, NOT_NAN),
    NUMBER_ROW(md5_mesh, bounds, are_within, FINITE),
    ARRAY_ROW(md5_mesh, first_influence, VERTICES, ONE, 1, ONE, are_firsts, 0),
    ARRAY_ROW(md5_mesh, file_vertices, FILE_VERTICES, ONE, 0, ONE, are_vertices, 0),
    ARRAY_ROW(md5_mesh, weights, WEIGHTS, ONE, 0, ONE, are_weights, FINITE),
    ARRAY_ROW(md5_mesh, indices, TRIANGLES, THREE, 0, ONE, are_below, VERTICES),
    ARRAY_ROW(md5_mesh, sources, VERTICES, ONE, 0, ONE, are_below, FILE_VERTICES),
    ARRAY_ROW(md5_mesh, texcoords, VERTICES, ONE, 0, ONE, are_within, FINITE),
    ARRAY_ROW(md5_mesh, positions, VERTICES, ONE, 0, ONE, are_within, FINITE),
    ARRAY_ROW(md5_mesh, normals, VERTICES, ONE, 0, ONE, are_within, FINITE),
    ARRAY_ROW(md5_mesh, tangents, VERTICES, ONE, 0, ASKED + TANGENTS, are_within, FINITE),
    ARRAY_ROW(md5_mesh, colors, VERTICES, ONE, 0, ASKED + COLORS, are_within, FINITE),
    ARRAY_ROW(md5_mesh, influence_joints, INFLUENCES, ONE, 0, ONE, are_below, JOINTS),
    ARRAY_ROW(md5_mesh, influences, INFLUENCES, ONE, 0, ONE, are_within, FINITE),
    LIST_ROW(md5_mesh, skin_plan, ONE, ASKED + PLAN, &plan_table));

TABLE(model_table, md5_model, 200, finish_model,
    SKELETON_ROWS(md5_model),
    ARRAY_ROW(md5_model, bind_local, JOINTS, ONE, 0, ONE, are_rotations, MODERATE),
    ARRAY_ROW(md5_model, bind, JOINTS, ONE, 0, ONE, are_within, MODERATE),
    ARRAY_ROW(md5_model, inverse_bind, JOINTS, ONE, 0, ONE, are_within, MODERATE),
    COUNT_ROW(md5_model, num_meshes, MESHES), NUMBER_ROW(md5_model, normals, are_below, THREE),
    LIST_ROW(md5_model, meshes, MESHES, ONE, &mesh_table),
    NUMBER_ROW(md5_model, bounds, are_within, FINITE),
    TEXT_ROW(md5_model, command_line), NUMBER_ROW(md5_model, flip_v, are_within, 0),
    NUMBER_ROW(md5_model, stores_normals, are_within, 0));

TABLE(packed_table, md5_packed, 32, NULL,
    NUMBER_ROW(md5_packed, num_joints, NULL, 0), NUMBER_ROW(md5_packed, num_frames, NULL, 0),
    COUNT_ROW(md5_packed, num_bytes, PACKED_BYTES), NUMBER_ROW(md5_packed, head_bits, NULL, 0),
    ARRAY_ROW(md5_packed, bytes, PACKED_BYTES, ONE, MD5_PACKED_PADDING, ONE, NULL, 0),
    ARRAY_ROW(md5_packed, places, JOINTS, ONE, 0, ONE, are_places, 0));

TABLE(anim_table, md5_anim, 248, finish_anim,
    SKELETON_ROWS(md5_anim),
    NUMBER_ROW(md5_anim, parents_unknown, are_within, 0), NUMBER_ROW(md5_anim, frame_rate, NULL, 0),
    NUMBER_ROW(md5_anim, num_components, NULL, 0),
    TEXT_ROW(md5_anim, command_line), COUNT_ROW(md5_anim, num_frames, FRAMES),
    COUNT_ROW(md5_anim, num_rotations, ROTATIONS),
    COUNT_ROW(md5_anim, num_translations, TRANSLATIONS),
    ARRAY_ROW(md5_anim, tracks, JOINTS, ONE, 0, ASKED + PLAIN, are_tracks, 0),
    ARRAY_ROW(md5_anim, base_frame, JOINTS, ONE, 0, ONE, are_rotations, MODERATE),
    ARRAY_ROW(md5_anim, constant, JOINTS, ONE, 0, ONE, are_rotations, MODERATE),
    ARRAY_ROW(md5_anim, rotation_joints, ROTATIONS, ONE, 0, ONE, are_ascending, 0),
    ARRAY_ROW(md5_anim, translation_joints, TRANSLATIONS, ONE, 0, ONE, are_ascending, 0),
    ARRAY_ROW(md5_anim, rotations, FRAMES, ROTATIONS, 0, PLAIN, are_rotations, MODERATE),
    ARRAY_ROW(md5_anim, translations, FRAMES, TRANSLATIONS, 0, PLAIN, are_within, MODERATE),
    {"packed", offsetof(md5_anim, internal.packed), sizeof(md5_packed), LIST, ONE, ONE, 0, ASKED + PACKED, 0, NULL,
     &packed_table},
    NUMBER_ROW(md5_anim, tolerance, are_within, MODERATE),
    NUMBER_ROW(md5_anim, max_error, are_within, MODERATE),
    ARRAY_ROW(md5_anim, frame_bounds, FRAMES, ONE, 0, ASKED + BOUNDS, are_within, FINITE));

TABLE(assets_table, md5_assets, 128, NULL,
    COUNT_ROW(md5_assets, num_models, MODELS), COUNT_ROW(md5_assets, num_anims, ANIMS),
    LIST_ROW(md5_assets, models, MODELS, ONE, &model_table),
    LIST_ROW(md5_assets, anims, ANIMS, ONE, &anim_table));
// clang-format on

// == Files =======================================================================================

// Two words into each of eight lanes, by steps that can be undone: a word that has changed always
// changes the sum.
static uint64_t sum_of(const unsigned char *bytes, size_t size)
{
    const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t lanes[LANES] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0;
    for (size_t at = HEAD; at < size; at += STRIPE) {
        MD5_UNROLL
        MD5_FOR (i, LANES) {
            uint64_t words[2];
            memcpy(words, bytes + at + 16 * i, sizeof words);
            const uint64_t product = (lanes[i] ^ words[0]) * prime;
            lanes[i] = (product << 31 | product >> 33) + words[1];
        }
    }
    MD5_FOR (i, LANES) {
        sum = (sum ^ lanes[i]) * prime;
        sum ^= sum >> 32;
    }
    return sum;
}

size_t md5_write_assets(const md5_assets *assets, void *bytes, size_t size)
{
    MD5_ASSERT_NOT_NULL(assets);
    MD5_ASSERT(bytes || size == 0, "bytes: not NULL unless size is 0");
    MD5_FOR (i, assets->num_models)
        MD5_FOR (m, assets->models[i].num_meshes)
            if (!assets->models[i].meshes[m].first_influence)
                return 0;
    asset_walk walk = {.at = HEAD, .counts = {1, 3}};
    take_walk(&walk, &assets_table, (unsigned char *)assets, 1); // reads: cannot fail
    const size_t rest = (STRIPE - (walk.at - HEAD) % STRIPE) % STRIPE, total = walk.at + rest;
    if (!bytes || size < total)
        return total;
    walk.to = (unsigned char *)bytes;
    walk.at = HEAD;
    take_walk(&walk, &assets_table, (unsigned char *)assets, 1);
    memset(walk.to + walk.at, 0, rest);
    const uint32_t head[2] = {MAGIC, VERSION};
    const uint64_t sums[2] = {total, sum_of(walk.to, total)};
    memcpy(walk.to, head, sizeof head);
    memcpy(walk.to + sizeof head, sums, sizeof sums);
    return total;
}

// Begins a walk whose bytes are set.
static bool check_head(asset_walk *walk)
{
    uint32_t head[2] = {0, 0};
    uint64_t sums[2] = {0, 0};
    if (walk->size >= HEAD) {
        memcpy(head, walk->from, sizeof head);
        memcpy(sums, walk->from + sizeof head, sizeof sums);
    }
    if (head[0] != MAGIC)
        return MD5_FAIL(walk->context,
                        head[0] == SWAPPED_MAGIC ? MD5_ERROR_VERSION : MD5_ERROR_SYNTAX,
                        "no asset file in this machine's order of bytes");
    if (head[1] != VERSION)
        return MD5_FAIL(walk->context, MD5_ERROR_VERSION, "asset file of version %u: expected %d",
                        head[1], VERSION);
    if (sums[0] != walk->size || (walk->size - HEAD) % STRIPE != 0)
        return MD5_FAIL(walk->context, MD5_ERROR_SYNTAX,
                        "asset file of %zu bytes: its head says %llu", walk->size,
                        (unsigned long long)sums[0]);
    if (!walk->is_copied && (uintptr_t)walk->from % ALIGNMENT != 0)
        return MD5_FAIL(walk->context, MD5_ERROR_RANGE,
                        "asset file: its address must be a multiple of %d", ALIGNMENT);
    walk->at = HEAD;
    walk->row = assets_table.rows;
    walk->counts[ONE] = 1;
    walk->counts[THREE] = 3;
    return walk->is_trusted || sum_of(walk->from, walk->size) == sums[1]
           || MD5_FAIL(walk->context, MD5_ERROR_SYNTAX,
                       "asset file: the checksum does not match: the bytes have changed");
}

// Whether a file has one model, or one clip, and nothing else.
static bool check_numbers(asset_walk *walk, bool is_model)
{
    unsigned counts[2] = {0, 0}; // of models and clips
    TRY(move_bytes(walk, counts, sizeof counts));
    return (counts[!is_model] == 1 && counts[is_model] == 0)
           || MD5_FAIL(walk->context, MD5_ERROR_RANGE,
                       "asset file of %u models and %u clips: expected one %s alone", counts[0],
                       counts[1], is_model ? "model" : "clip");
}

// Makes a structure with all that it has, which the walk has from here on, in the block that it
// begins, with the bytes if they are copied. NULL: failed, and nothing is left.
static void *take_structure(asset_walk *walk, const asset_table *table)
{
    const unsigned char *const bytes = walk->from;
    const size_t begin = walk->at;
    unsigned char *structure = NULL;
    size_t block_size = 0;
    bool is_taken = true;
    MD5_FOR_WHILE (pass, 2, is_taken) { // measures, places
        structure = MD5_TAKE(&walk->block, unsigned char, table->size);
        if (structure)
            memset(structure, 0, table->size);
        const void *const copy =
            walk->is_copied ? md5i_block_put(&walk->block, bytes, walk->size, 1) : NULL;
        walk->from = copy ? (const unsigned char *)copy : bytes;
        walk->at = begin;
        walk->is_checked = pass > 0 && !walk->is_trusted;
        is_taken = take_walk(walk, table, structure, 1)
                   && (walk->size - walk->at < STRIPE || refuse(walk, "is not the end"));
        block_size = pass == 0 ? walk->block.used : block_size;
        is_taken = is_taken && (pass > 0 || md5i_block_allocate(walk->context, &walk->block));
    }
    if (!is_taken)
        md5i_free(walk->context, walk->block.base, block_size);
    return is_taken ? structure : NULL;
}

md5_assets *md5_map_assets(const void *bytes, size_t size, bool is_trusted,
                           const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_TEXT(bytes, size);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    asset_walk walk = {.context = &context, .arena = &arena, .is_trusted = is_trusted};
    walk.from = (const unsigned char *)(bytes ? bytes : "");
    walk.size = bytes ? size : 0;
    md5_assets *const assets =
        check_head(&walk) ? (md5_assets *)take_structure(&walk, &assets_table) : NULL;
    if (assets) {
        assets->size = walk.block.used;
        assets->internal.allocator = context.allocator;
    }
    md5i_arena_free(&arena);
    return assets;
}

bool md5i_read_assets(md5_arena *arena, const char *bytes, size_t size, bool is_model, void **asset)
{
    asset_walk walk = {.context = arena->context, .arena = arena, .size = size, .is_copied = true};
    walk.from = (const unsigned char *)bytes;
    TRY(check_head(&walk) && check_numbers(&walk, is_model));
    *asset = take_structure(&walk, is_model ? &model_table : &anim_table);
    return *asset != NULL;
}

void md5_free_assets(md5_assets *assets)
{
    MD5_FREE(assets);
}
#endif
