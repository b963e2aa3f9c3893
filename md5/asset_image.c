// Asset images: models and animations as they are in memory, used where their bytes lie.
//
// An image is one walk over the structures of its assets, member by member as the tables below list
// them: numbers, texts and arrays, one behind the other. Writing and mapping are the same walk, and
// each count comes before what it counts, so every section begins where the one before it ends. No
// offset is stored that could be wrong, and no pointer. Structures that have pointers are made
// beside the image, in one block, and point into it; so its bytes are never written, any number of
// processes may share them, and they are the same with 32 and with 64 bits.
//
//   magic, version; size, checksum of what follows (64 bits each); the walk; 0 to 127 bytes of 0
//
// Mapping walks twice: to measure the block, and to fill it. The second walk sums and checks each
// section while it is in the caches.
#include "md5/compress/file.h"
#include "md5/core/file.h"
#include "md5/core/math.h"
#include "md5/md5skin.h"
#include "md5/pose/skeleton.h"
#include "md5/read/tables.h"
#include "md5/skin/plan.h"

#include <assert.h>
#include <string.h>

#ifndef MD5_NO_EXTRAS

// "M5AI" on little-endian machines; others write, and read, images of their own order.
enum { MAGIC = 0x4941354d, SWAPPED_MAGIC = 0x4d354149, VERSION = 1, HEAD = 24 };
enum { ALIGNMENT = 16, LANES = 8, STRIPE = 16 * LANES, MAX_DEPTH = 4 };

// == The walk ====================================================================================

// Numbers of elements where the walk is. From GEOMETRY on 1 if there is such an array, else 0.
// clang-format off
typedef enum image_count {
    ONE, THREE, MODELS, ANIMS, JOINTS, MESHES, FILE_VERTICES, WEIGHTS, VERTICES, TRIANGLES,
    INFLUENCES, RUNS, PLAN_VERTICES, PLAN_WORDS, FRAMES, ROTATIONS, TRANSLATIONS, PACKED_BYTES,
    GEOMETRY, TANGENTS, COLORS, PLAN, TRACKS, PACKED, BOUNDS, NUM_COUNTS
} image_count;
// clang-format on

typedef enum image_kind {
    NUMBER, // its bytes
    COUNT,  // the same, below 2^31: sets `count`
    THERE,  // 32 bits, whether the pointer is not NULL: sets `count`
    TEXT,   // bytes up to a NUL
    ARRAY,  // elements without pointers, at a multiple of ALIGNMENT
    LIST    // structures that have a table
} image_kind;

typedef struct image_walk {
    md5_context *context;
    md5_arena *arena;          // for checks
    unsigned char *to;         // written; NULL: measured, or mapped
    const unsigned char *from; // mapped; NULL: written
    size_t at, size;           // bytes of these
    bool is_trusted, is_checked;
    md5_block block;  // mapping: the structures
    const char *name; // of the member
    size_t counts[NUM_COUNTS];
    size_t summed; // bytes
    uint64_t lanes[LANES];
} image_walk;

// What is checked: whether all values of a member are such as the library relies on.
typedef struct image_values {
    image_walk *walk;
    const void *structure; // in which the members of the rows above are set
    const void *values;
    size_t count, size; // of an element
    uint32_t limit;     // of the row
} image_values;
typedef bool image_check(const image_values *of);

// A member of a structure.
typedef struct image_row {
    image_kind kind;
    const char *name;
    size_t offset; // in the structure
    size_t size;   // bytes of the member or, of an array, of an element
    // The product of two counts, plus `extra`, elements. No array, NULL, if the count `needs` is 0.
    image_count count, times;
    uint32_t extra;
    image_count needs;
    image_check *check; // NULL: any values are valid
    uint32_t limit;     // of indices an image_count, of floats the bits of the largest one
    const struct image_table *of;
} image_row;

// A structure. `finish` sets the members without a row and, if walk->is_checked, checks those that
// depend on each other.
typedef struct image_table {
    const image_row *rows;
    uint32_t num_rows;
    size_t size;
    bool (*finish)(image_walk *walk, void *structure);
} image_table;

// Sums the bytes up to `end`, but for less than STRIPE: two words into each lane, by steps that can
// be undone, so that a word that has changed always changes the sum.
static void sum_until(image_walk *walk, size_t end)
{
    uint64_t lanes[LANES];
    memcpy(lanes, walk->lanes, sizeof lanes);
    for (; end - walk->summed >= STRIPE; walk->summed += STRIPE) {
        MD5_UNROLL
        for (int i = 0; i < LANES; i++) {
            uint64_t words[2];
            memcpy(words, walk->from + walk->summed + 16 * i, sizeof words);
            const uint64_t product = (lanes[i] ^ words[0]) * UINT64_C(0x9e3779b97f4a7c15);
            lanes[i] = (product << 31 | product >> 33) + words[1];
        }
    }
    memcpy(walk->lanes, lanes, sizeof lanes);
}

static uint64_t sum_of(image_walk *walk)
{
    uint64_t sum = 0;
    sum_until(walk, walk->size);
    for (int i = 0; i < LANES; i++) {
        sum = (sum ^ walk->lanes[i]) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    return sum;
}

// Whether the bytes are those that were written; sets the context's error.
static bool has_sum(image_walk *walk)
{
    uint64_t sum;
    memcpy(&sum, walk->from + HEAD - sizeof sum, sizeof sum);
    return walk->is_trusted || sum_of(walk) == sum
           || md5i_fail(walk->context, MD5_ERROR_SYNTAX, 0, 0,
                        "asset image: the checksum does not match: the bytes have changed");
}

static bool refuse(image_walk *walk, const char *problem)
{
    return has_sum(walk)
           && md5i_fail(walk->context, MD5_ERROR_RANGE, 0, 0, "asset image: '%s' until byte %zu %s",
                        walk->name, walk->at, problem);
}

// Writes bytes of the asset, or reads them to there unless `bytes` is NULL.
static bool move_bytes(image_walk *walk, void *bytes, size_t size)
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

static bool move_count(image_walk *walk, const image_row *row, void *member, const void *pointer)
{
    uint32_t count = pointer != NULL;
    if (!walk->from && row->kind == COUNT)
        memcpy(&count, member, sizeof count);
    TRY(move_bytes(walk, &count, sizeof count));
    TRY(count <= (row->kind == COUNT ? INT32_MAX : 1) || refuse(walk, "is too many"));
    walk->counts[row->count] = count;
    if (walk->from && member && row->kind == COUNT)
        memcpy(member, &count, sizeof count);
    return true;
}

static bool move_text(image_walk *walk, void **text)
{
    if (!walk->from)
        return move_bytes(walk, *text, strlen((const char *)*text) + 1);
    *text = (void *)(walk->from + walk->at); // which nobody writes
    const void *const end = memchr(*text, '\0', walk->size - walk->at);
    TRY(end || refuse(walk, "has no end"));
    return move_bytes(walk, NULL, (size_t)((const char *)end - (const char *)*text) + 1);
}

static bool move_array(image_walk *walk, const image_row *row, void **values, size_t *count)
{
    unsigned char zeros[ALIGNMENT] = {0};
    TRY(move_bytes(walk, zeros, (ALIGNMENT - walk->at % ALIGNMENT) % ALIGNMENT));
    const uint64_t product = (uint64_t)walk->counts[row->count] * walk->counts[row->times];
    TRY(!walk->from || product <= walk->size || refuse(walk, "is cut off"));
    *count = (size_t)product + row->extra;
    if (walk->from)
        *values = (void *)(walk->from + walk->at); // likewise
    return move_bytes(walk, walk->from ? NULL : *values, *count * row->size);
}

// The structures of a list that the walk is in: `left` from `structure` on, which is NULL while the
// block is measured, and the next row of the first one.
typedef struct image_level {
    const image_table *of;
    unsigned char *structure;
    size_t left;
    uint32_t row;
} image_level;

// Goes through `assets`. Returns false with the context's error set.
static bool take_walk(image_walk *walk, const image_table *table, void *assets)
{
    image_level levels[MAX_DEPTH] = {{table, (unsigned char *)assets, 1, 0}}, *level = levels;
    while (level >= levels) {
        unsigned char *const structure = level->structure;
        if (level->left == 0) {
            level--;
            continue;
        }
        if (level->row == level->of->num_rows) {
            TRY(!walk->from || !structure || !level->of->finish
                || level->of->finish(walk, structure));
            level->structure = structure ? structure + level->of->size : NULL;
            level->left--;
            level->row = 0;
            continue;
        }
        const image_row *const row = &level->of->rows[level->row++];
        if (walk->counts[row->needs] == 0)
            continue;
        void *const member = structure ? structure + row->offset : NULL, *pointer = NULL;
        size_t count = walk->counts[row->count];
        walk->name = row->name;
        if (!walk->from && row->kind >= THERE)
            memcpy(&pointer, member, sizeof pointer);
        if (row->kind == NUMBER)
            TRY(move_bytes(walk, member, row->size));
        else if (row->kind <= THERE)
            TRY(move_count(walk, row, member, pointer));
        else if (row->kind == TEXT)
            TRY(move_text(walk, &pointer));
        else if (row->kind == ARRAY)
            TRY(move_array(walk, row, &pointer, &count));
        else if (walk->from)
            pointer = md5i_block_take(&walk->block, count, row->of->size);
        if (walk->from && member && row->kind > THERE)
            memcpy(member, &pointer, sizeof pointer);
        if (walk->is_checked && row->check) {
            sum_until(walk, walk->at);
            const void *const values = row->kind == NUMBER ? member : pointer;
            TRY(row->check(&(image_values){walk, structure, values, count, row->size, row->limit})
                || refuse(walk, "is out of range"));
        }
        if (row->kind != LIST)
            continue;
        if (walk->from && pointer)
            memset(pointer, 0, count * row->of->size);
        *++level = (image_level){row->of, (unsigned char *)pointer, count, 0};
    }
    return true;
}

// == Checks ======================================================================================

#define FINITE 0x7f7fffffu   // bits of FLT_MAX
#define MODERATE 0x5a0e1bcau // of 1e16: poses of such numbers are finite
#define NOT_NAN 0x7f800000u  // of infinity

// Whether no word is above `most`, which is below 2^31. Words are indices or, without their sign,
// floats. Two at a time: a sum reaches the highest bit of its half if its word is above.
static inline bool is_none_above(const void *words, size_t count, uint32_t most, bool are_floats)
{
    const uint64_t rest = UINT64_C(0x7fffffff7fffffff), kept = are_floats ? rest : UINT64_MAX;
    const uint64_t added = UINT64_C(0x100000001) * (INT32_MAX - most);
    uint64_t found[4] = {0}, last[4] = {0};
    const size_t whole = count - count % 8;
    if (whole < count)
        memcpy(last, (const uint32_t *)words + whole, (count - whole) * sizeof(uint32_t));
    for (size_t i = 0; i <= whole; i += 8) {
        const void *const eight = i < whole ? (const void *)((const uint32_t *)words + i) : last;
        MD5_UNROLL
        for (int k = 0; k < 4; k++) {
            uint64_t two;
            memcpy(&two, (const unsigned char *)eight + 8 * k, sizeof two);
            found[k] |= (two & kept) | ((two & rest) + added);
        }
    }
    return ((found[0] | found[1] | found[2] | found[3]) & ~rest) == 0;
}

static bool are_within(const image_values *of)
{
    return is_none_above(of->values, of->count * (of->size / sizeof(float)), of->limit, true);
}

static bool are_below(const image_values *of)
{
    const uint32_t bound = (uint32_t)of->walk->counts[of->limit];
    return of->count == 0 || (bound > 0 && is_none_above(of->values, of->count, bound - 1, false));
}

static bool is_flag(const image_values *of)
{
    return *(const uint8_t *)of->values <= 1;
}

// Whether rotations, one in each `step` floats, have unit length.
static inline bool are_unit(const float *q, size_t count, size_t step)
{
    bool is_valid = true;
    for (size_t i = 0; i < count; i++, q += step) {
        const float square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
        is_valid &= fabsf(square - 1.0f) <= 1e-3f;
    }
    return is_valid;
}

static bool are_rotations(const image_values *of)
{
    return are_unit((const float *)of->values, of->count, sizeof(md5_quat) / sizeof(float));
}

static bool are_transforms(const image_values *of)
{
    return are_unit((const float *)of->values, of->count, sizeof(md5_xform) / sizeof(float))
           && are_within(of);
}

static bool are_ascending(const image_values *of)
{
    const uint32_t *const joints = (const uint32_t *)of->values;
    bool is_valid = are_below(of);
    for (size_t i = 1; i < of->count; i++)
        is_valid &= joints[i] > joints[i - 1];
    return is_valid;
}

// The order of a skeleton, the first member of models and clips, and all else of it.
static bool is_skeleton(const image_values *of)
{
    const md5_skeleton *const skeleton = (const md5_skeleton *)of->structure;
    uint8_t *const placed = MD5_NEW(of->walk->arena, uint8_t, of->count);
    return placed && md5i_is_ordered(skeleton, placed) && (unsigned)skeleton->axes < MD5_NUM_AXES
           && (skeleton->scale == 0.0f || (skeleton->scale >= 1e-6f && skeleton->scale <= 1e6f));
}

static bool are_weights(const image_values *of)
{
    const md5_weight *const weights = (const md5_weight *)of->values;
    const uint32_t added = INT32_MAX + 1u - (uint32_t)of->walk->counts[JOINTS];
    uint32_t found = 0;
    for (size_t i = 0; i < of->count; i++)
        found |= weights[i].joint | (weights[i].joint + added);
    return found >> 31 == 0 && are_within(of);
}

static bool are_vertices(const image_values *of)
{
    const md5_vertex *const vertices = (const md5_vertex *)of->values;
    const uint32_t num_weights = (uint32_t)of->walk->counts[WEIGHTS];
    uint32_t most = 0;
    bool is_valid = true;
    for (size_t i = 0; i < of->count; i++) {
        is_valid &= vertices[i].first_weight <= num_weights
                    && vertices[i].num_weights <= num_weights - vertices[i].first_weight;
        most = vertices[i].num_weights > most ? vertices[i].num_weights : most;
    }
    return is_valid && most == ((const md5_mesh *)of->structure)->max_weights;
}

static bool are_firsts(const image_values *of)
{
    const uint32_t *const first = (const uint32_t *)of->values;
    uint32_t most = 0;
    bool is_valid = first[0] == 0 && first[of->count - 1] == of->walk->counts[INFLUENCES];
    for (size_t i = 1; i < of->count; i++) {
        is_valid &= first[i] >= first[i - 1];
        most = first[i] - first[i - 1] > most ? first[i] - first[i - 1] : most;
    }
    return is_valid && most == ((const md5_mesh *)of->structure)->max_influences;
}

static bool are_tracks(const image_values *of)
{
    const md5_track *const tracks = (const md5_track *)of->values;
    const uint32_t most = ((const md5_anim *)of->structure)->num_components;
    bool is_valid = true;
    for (size_t i = 0; i < of->count; i++)
        is_valid &= tracks[i].flags < 64 && tracks[i].first <= most
                    && md5i_num_flags(tracks[i].flags) <= most - tracks[i].first;
    return is_valid;
}

// -- Models ---------------------------------------------------------------------------------------

// Whether kernels can read a run without looking: see plan.h. Counts how often it skins a vertex.
static bool is_run(const md5_mesh *mesh, const md5_skin_run *run, size_t num_joints, uint8_t *seen)
{
    const md5_skin_plan *const plan = mesh->skin_plan;
    const md5_skin_kind kind = (md5_skin_kind)run->kind;
    const md5_skin_order order = (md5_skin_order)run->order;
    const bool is_single = order == MD5_SKIN_SINGLES;
    const uint32_t num_joints_each = is_single ? 0 : run->num_influences;
    const uint32_t most = kind == MD5_SKIN_RIGID ? 1 : MD5_SKIN_MAX_INFLUENCES;
    TRY(run->count > 0 && kind < MD5_SKIN_KINDS && order < MD5_SKIN_ORDERS);
    TRY(is_single || (kind != MD5_SKIN_NONE && num_joints_each > 0 && num_joints_each <= most));
    const uint32_t num_vertices = md5_skin_num_vertices(order);
    const uint32_t num_words = is_single ? 0 : md5_skin_num_words(kind, order, num_joints_each);
    TRY(run->vertices + (uint64_t)run->count * num_vertices <= plan->num_vertices);
    TRY(run->words + (uint64_t)run->count * num_words <= plan->num_words);
    const uint32_t *vertex = plan->vertices + run->vertices;
    const uint32_t *joints = plan->words + (is_single ? 0 : run->words);
    uint32_t last = 0; // singles ascend by number of influences, behind those with too many
    for (uint32_t i = 0; i < run->count; i++, vertex += num_vertices, joints += num_words) {
        for (uint32_t k = 0; k < num_joints_each; k++)
            TRY(joints[k] < num_joints);
        if (order == MD5_SKIN_GATHERED) { // ascending offsets of floats
            for (uint32_t k = 0; k < MD5_SKIN_GROUP; k++) {
                TRY(vertex[k] % 3 == 0 && vertex[k] / 3 < mesh->num_vertices);
                TRY(k == 0 || vertex[k] >= vertex[k - 1]);
                if (k == 0 || vertex[k] > vertex[k - 1])
                    seen[vertex[k] / 3]++;
            }
            continue;
        }
        const uint32_t count = is_single ? 1 : MD5_SKIN_GROUP; // side by side
        TRY(vertex[0] < mesh->num_vertices && count <= mesh->num_vertices - vertex[0]);
        for (uint32_t k = 0; k < count; k++)
            seen[vertex[0] + k]++;
        if (is_single && kind != MD5_SKIN_NONE) {
            const uint32_t *const first = mesh->first_influence + vertex[0];
            const uint32_t own =
                first[1] - first[0] > MD5_SKIN_MAX_INFLUENCES ? 0 : first[1] - first[0];
            TRY(first[1] > first[0] && own >= last);
            last = own;
        }
    }
    return true;
}

static bool finish_mesh(image_walk *walk, void *structure)
{
    const md5_mesh *const mesh = (const md5_mesh *)structure;
    const md5_skin_plan *const plan = mesh->skin_plan;
    if (!walk->is_checked || !plan)
        return true;
    uint8_t *const seen = MD5_NEW(walk->arena, uint8_t, mesh->num_vertices);
    TRY(seen);
    bool is_valid = mesh->first_influence && mesh->num_vertices <= UINT32_MAX / 3;
    for (uint32_t i = 0; is_valid && i < plan->num_runs; i++)
        is_valid = is_run(mesh, &plan->runs[i], walk->counts[JOINTS], seen);
    for (uint32_t i = 0; i < mesh->num_vertices; i++)
        is_valid &= seen[i] == 1;
    return is_valid || refuse(walk, "is not a plan of the mesh");
}

static bool finish_model(image_walk *walk, void *structure)
{
    (void)walk;
    md5_model *const model = (md5_model *)structure;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        if (model->meshes[i].num_vertices > model->max_vertices)
            model->max_vertices = model->meshes[i].num_vertices;
    return true;
}

// -- Clips ----------------------------------------------------------------------------------------

// Whether the joints that move are those whose tracks are not constant, and heads where `places`
// says.
static bool has_heads(const md5_anim *anim)
{
    const md5_packed *const packed = anim->packed;
    const uint32_t *const moving[2] = {anim->rotation_joints, anim->translation_joints};
    uint32_t left[2] = {anim->num_rotations, anim->num_translations}, slots[2] = {0, 0};
    md5_packed_place place = md5_packed_first(packed);
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const uint32_t kind = i % 2;
        TRY(kind != MD5_PACKED_ROTATION
            || memcmp(&place, &packed->places[i / 2], sizeof place) == 0);
        if (md5i_packed_take_head(packed, (uint8_t)kind, &place).step == 0)
            continue;
        TRY(left[kind]-- > 0 && moving[kind][slots[kind]++] == i / 2);
    }
    return left[0] == 0 && left[1] == 0;
}

static bool finish_anim(image_walk *walk, void *structure)
{
    md5_anim *const anim = (md5_anim *)structure;
    md5_packed *const packed = (md5_packed *)anim->packed;
    anim->duration = (double)(anim->num_frames - 1) / anim->frame_rate;
    if (packed) {
        packed->num_joints = anim->skeleton.num_joints;
        packed->num_frames = anim->num_frames;
        anim->packed_size = packed->num_bytes + sizeof *packed;
    }
    if (!walk->is_checked)
        return true;
    const bool is_valid = anim->num_frames > 0 && anim->frame_rate > 0.0 && anim->frame_rate <= 1e9
                          && !packed == !!anim->tracks;
    TRY(is_valid || refuse(walk, "ends a clip whose frames, rate or tracks are not valid"));
    return !packed
           || (has_sum(walk) && md5i_check_packed(walk->context, packed)
               && (has_heads(anim) || refuse(walk, "is of other joints than move")));
}

// == Tables ======================================================================================
//
// Who adds a member adds its row, and raises VERSION. What has no row, `finish` or nobody sets.

#define EXPECT_SIZE(type, size) \
    static_assert(sizeof(void *) != 8 || sizeof(type) == (size), #type " has another member")
EXPECT_SIZE(md5_joint, 16);
EXPECT_SIZE(md5_model, 176);
EXPECT_SIZE(md5_mesh, 256);
EXPECT_SIZE(md5_skin_plan, 48);
EXPECT_SIZE(md5_anim, 224);
EXPECT_SIZE(md5_packed, 32);

// clang-format off
#define ROW(kind, type, member, size, ...) {kind, #member, offsetof(type, member), size, __VA_ARGS__}
#define SIZE(type, member) sizeof(((type *)NULL)->member)
#define TEXT_ROW(type, member) ROW(TEXT, type, member, 1, ONE, ONE, 0, ONE, NULL, 0, NULL)
#define COUNT_ROW(type, member, count) \
    ROW(COUNT, type, member, SIZE(type, member), count, ONE, 0, ONE, NULL, 0, NULL)
#define THERE_ROW(type, member, count) ROW(THERE, type, member, 1, count, ONE, 0, ONE, NULL, 0, NULL)
#define LIST_ROW(type, member, count, needs, of) \
    ROW(LIST, type, member, 1, count, ONE, 0, needs, NULL, 0, &(of))
#define NUMBER_ROW(type, member, check, limit) \
    ROW(NUMBER, type, member, SIZE(type, member), ONE, ONE, 0, ONE, check, limit, NULL)
#define ARRAY_ROW(type, member, count, times, extra, needs, check, limit) \
    ROW(ARRAY, type, member, SIZE(type, member[0]), count, times, extra, needs, check, limit, NULL)
#define TABLE(rows, type, finish) {rows, MD5_COUNT(rows), sizeof(type), finish}
// clang-format on

static const image_row joint_rows[] = {
    TEXT_ROW(md5_joint, name),
    NUMBER_ROW(md5_joint, parent, NULL, 0),
};
static const image_table joint_table = TABLE(joint_rows, md5_joint, NULL);

// clang-format off
#define SKELETON_ROWS(type) \
    COUNT_ROW(type, skeleton.num_joints, JOINTS), \
    LIST_ROW(type, skeleton.joints, JOINTS, ONE, joint_table), \
    NUMBER_ROW(type, skeleton.axes, NULL, 0), \
    NUMBER_ROW(type, skeleton.scale, NULL, 0), \
    ARRAY_ROW(type, skeleton.order, JOINTS, ONE, 0, ONE, is_skeleton, 0)
// clang-format on

static const image_row plan_rows[] = {
    COUNT_ROW(md5_skin_plan, num_runs, RUNS),
    COUNT_ROW(md5_skin_plan, num_vertices, PLAN_VERTICES),
    COUNT_ROW(md5_skin_plan, num_words, PLAN_WORDS),
    ARRAY_ROW(md5_skin_plan, runs, RUNS, ONE, 0, ONE, NULL, 0),
    ARRAY_ROW(md5_skin_plan, vertices, PLAN_VERTICES, ONE, 0, ONE, NULL, 0),
    ARRAY_ROW(md5_skin_plan, words, PLAN_WORDS, ONE, 0, ONE, are_within, FINITE),
};
static const image_table plan_table = TABLE(plan_rows, md5_skin_plan, NULL);

static const image_row mesh_rows[] = {
    TEXT_ROW(md5_mesh, name),
    TEXT_ROW(md5_mesh, shader),
    COUNT_ROW(md5_mesh, num_file_vertices, FILE_VERTICES),
    COUNT_ROW(md5_mesh, num_weights, WEIGHTS),
    COUNT_ROW(md5_mesh, num_vertices, VERTICES),
    COUNT_ROW(md5_mesh, num_triangles, TRIANGLES),
    COUNT_ROW(md5_mesh, num_influences, INFLUENCES),
    NUMBER_ROW(md5_mesh, is_mirrored, is_flag, 0),
    NUMBER_ROW(md5_mesh, max_influences, NULL, 0),
    NUMBER_ROW(md5_mesh, max_weights, NULL, 0),
    NUMBER_ROW(md5_mesh, num_off_sums, NULL, 0),
    NUMBER_ROW(md5_mesh, loss4, are_within, NOT_NAN),
    NUMBER_ROW(md5_mesh, loss8, are_within, NOT_NAN),
    NUMBER_ROW(md5_mesh, bounds, are_within, FINITE),
    THERE_ROW(md5_mesh, first_influence, GEOMETRY),
    THERE_ROW(md5_mesh, tangents, TANGENTS),
    THERE_ROW(md5_mesh, colors, COLORS),
    THERE_ROW(md5_mesh, skin_plan, PLAN),
    ARRAY_ROW(md5_mesh, file_vertices, FILE_VERTICES, ONE, 0, GEOMETRY, are_vertices, 0),
    ARRAY_ROW(md5_mesh, weights, WEIGHTS, ONE, 0, GEOMETRY, are_weights, FINITE),
    ARRAY_ROW(md5_mesh, indices, TRIANGLES, THREE, 0, GEOMETRY, are_below, VERTICES),
    ARRAY_ROW(md5_mesh, sources, VERTICES, ONE, 0, GEOMETRY, are_below, FILE_VERTICES),
    ARRAY_ROW(md5_mesh, texcoords, VERTICES, ONE, 0, GEOMETRY, are_within, FINITE),
    ARRAY_ROW(md5_mesh, positions, VERTICES, ONE, 0, GEOMETRY, are_within, FINITE),
    ARRAY_ROW(md5_mesh, normals, VERTICES, ONE, 0, GEOMETRY, are_within, FINITE),
    ARRAY_ROW(md5_mesh, tangents, VERTICES, ONE, 0, TANGENTS, are_within, FINITE),
    ARRAY_ROW(md5_mesh, colors, VERTICES, ONE, 0, COLORS, are_within, FINITE),
    ARRAY_ROW(md5_mesh, first_influence, VERTICES, ONE, 1, GEOMETRY, are_firsts, 0),
    ARRAY_ROW(md5_mesh, influence_joints, INFLUENCES, ONE, 0, GEOMETRY, are_below, JOINTS),
    ARRAY_ROW(md5_mesh, influences, INFLUENCES, ONE, 0, GEOMETRY, are_within, FINITE),
    LIST_ROW(md5_mesh, skin_plan, ONE, PLAN, plan_table),
};
static const image_table mesh_table = TABLE(mesh_rows, md5_mesh, finish_mesh);

static const image_row model_rows[] = {
    SKELETON_ROWS(md5_model),
    ARRAY_ROW(md5_model, bind_local, JOINTS, ONE, 0, ONE, are_transforms, MODERATE),
    ARRAY_ROW(md5_model, bind, JOINTS, ONE, 0, ONE, are_within, MODERATE),
    ARRAY_ROW(md5_model, inverse_bind, JOINTS, ONE, 0, ONE, are_within, MODERATE),
    COUNT_ROW(md5_model, num_meshes, MESHES),
    NUMBER_ROW(md5_model, normals, are_below, THREE),
    LIST_ROW(md5_model, meshes, MESHES, ONE, mesh_table),
    NUMBER_ROW(md5_model, bounds, are_within, FINITE),
    TEXT_ROW(md5_model, command_line),
    NUMBER_ROW(md5_model, num_warnings, NULL, 0),
    NUMBER_ROW(md5_model, flip_v, is_flag, 0),
    NUMBER_ROW(md5_model, stores_normals, is_flag, 0),
};
static const image_table model_table = TABLE(model_rows, md5_model, finish_model);

static const image_row packed_rows[] = {
    COUNT_ROW(md5_packed, num_bytes, PACKED_BYTES),
    ARRAY_ROW(md5_packed, bytes, PACKED_BYTES, ONE, MD5_PACKED_PADDING, ONE, NULL, 0),
    NUMBER_ROW(md5_packed, head_bits, NULL, 0),
    ARRAY_ROW(md5_packed, places, JOINTS, ONE, 0, ONE, NULL, 0),
};
static const image_table packed_table = TABLE(packed_rows, md5_packed, NULL);

static const image_row anim_rows[] = {
    SKELETON_ROWS(md5_anim),
    NUMBER_ROW(md5_anim, parents_unknown, is_flag, 0),
    NUMBER_ROW(md5_anim, frame_rate, NULL, 0),
    NUMBER_ROW(md5_anim, tolerance, are_within, FINITE),
    NUMBER_ROW(md5_anim, max_error, are_within, FINITE),
    NUMBER_ROW(md5_anim, num_components, NULL, 0),
    TEXT_ROW(md5_anim, command_line),
    NUMBER_ROW(md5_anim, num_warnings, NULL, 0),
    COUNT_ROW(md5_anim, num_frames, FRAMES),
    COUNT_ROW(md5_anim, num_rotations, ROTATIONS),
    COUNT_ROW(md5_anim, num_translations, TRANSLATIONS),
    THERE_ROW(md5_anim, tracks, TRACKS),
    THERE_ROW(md5_anim, packed, PACKED),
    THERE_ROW(md5_anim, frame_bounds, BOUNDS),
    ARRAY_ROW(md5_anim, tracks, JOINTS, ONE, 0, TRACKS, are_tracks, 0),
    ARRAY_ROW(md5_anim, base_frame, JOINTS, ONE, 0, ONE, are_transforms, MODERATE),
    ARRAY_ROW(md5_anim, constant, JOINTS, ONE, 0, ONE, are_transforms, MODERATE),
    ARRAY_ROW(md5_anim, rotation_joints, ROTATIONS, ONE, 0, ONE, are_ascending, JOINTS),
    ARRAY_ROW(md5_anim, translation_joints, TRANSLATIONS, ONE, 0, ONE, are_ascending, JOINTS),
    ARRAY_ROW(md5_anim, rotations, FRAMES, ROTATIONS, 0, TRACKS, are_rotations, 0),
    ARRAY_ROW(md5_anim, translations, FRAMES, TRANSLATIONS, 0, TRACKS, are_within, MODERATE),
    ARRAY_ROW(md5_anim, frame_bounds, FRAMES, ONE, 0, BOUNDS, are_within, FINITE),
    LIST_ROW(md5_anim, packed, ONE, PACKED, packed_table),
};
static const image_table anim_table = TABLE(anim_rows, md5_anim, finish_anim);

static const image_row assets_rows[] = {
    COUNT_ROW(md5_assets, num_models, MODELS),
    COUNT_ROW(md5_assets, num_anims, ANIMS),
    LIST_ROW(md5_assets, models, MODELS, ONE, model_table),
    LIST_ROW(md5_assets, anims, ANIMS, ONE, anim_table),
};
static const image_table assets_table = TABLE(assets_rows, md5_assets, NULL);

// == Images ======================================================================================

static image_walk begin_walk(const void *from, size_t size)
{
    return (image_walk){
        .from = (const unsigned char *)from,
        .at = HEAD,
        .size = size,
        .counts = {1, 3}, // ONE, THREE
        .summed = HEAD,
        .lanes = {1, 2, 3, 4, 5, 6, 7, 8},
    };
}

size_t md5_write_image(const md5_assets *assets, void *bytes, size_t size)
{
    MD5_ASSERT(assets != NULL, "assets: not NULL");
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: not NULL unless size is 0");
    image_walk walk = begin_walk(NULL, 0);
    (void)take_walk(&walk, &assets_table, (void *)assets); // which it only reads: cannot fail
    const size_t rest = (STRIPE - (walk.at - HEAD) % STRIPE) % STRIPE, total = walk.at + rest;
    if (!bytes || size < total)
        return total;
    const uint32_t head[2] = {MAGIC, VERSION};
    uint64_t sums[2] = {total, 0};
    walk.to = (unsigned char *)bytes;
    walk.at = HEAD;
    (void)take_walk(&walk, &assets_table, (void *)assets);
    memset(walk.to + walk.at, 0, rest);
    image_walk summing = begin_walk(bytes, total);
    sums[1] = sum_of(&summing);
    memcpy(walk.to, head, sizeof head);
    memcpy(walk.to + sizeof head, sums, sizeof sums);
    return total;
}

static bool check_head(const image_walk *walk)
{
    uint32_t head[2] = {0, 0};
    uint64_t size = 0;
    if (walk->size >= HEAD) {
        memcpy(head, walk->from, sizeof head);
        memcpy(&size, walk->from + sizeof head, sizeof size);
    }
    md5_context *const context = walk->context;
    if (head[0] == SWAPPED_MAGIC || (head[0] == MAGIC && head[1] != VERSION))
        return md5i_fail(context, MD5_ERROR_VERSION, 0, 0,
                         "asset image of %s: expected version %d in this machine's order of bytes",
                         head[0] == MAGIC ? "another version" : "another machine", VERSION);
    if (head[0] != MAGIC)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0, "not an asset image");
    if (size != walk->size || (size - HEAD) % STRIPE != 0)
        return md5i_fail(context, MD5_ERROR_SYNTAX, 0, 0,
                         "asset image of %zu bytes: its head says %llu", walk->size,
                         (unsigned long long)size);
    return (uintptr_t)walk->from % ALIGNMENT == 0
           || md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                        "asset image: its address must be a multiple of %d", ALIGNMENT);
}

md5_assets *md5_map_image(const void *bytes, size_t size, bool is_trusted,
                          const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_TEXT(bytes, size);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    image_walk walk = begin_walk(bytes ? bytes : "", bytes ? size : 0);
    walk.context = &context;
    walk.arena = &arena;
    walk.is_trusted = is_trusted;
    md5_assets *assets = NULL;
    size_t block_size = 0;
    bool is_mapped = check_head(&walk);
    for (int pass = 0; pass < 2 && is_mapped; pass++) {
        walk.at = HEAD;
        walk.is_checked = pass > 0 && !is_trusted;
        assets = MD5_TAKE(&walk.block, md5_assets, 1);
        if (assets)
            *assets = (md5_assets){.size = block_size, .allocator = context.allocator};
        is_mapped = take_walk(&walk, &assets_table, assets)
                    && (walk.size - walk.at < STRIPE || refuse(&walk, "is not the end"));
        block_size = pass == 0 ? walk.block.used : block_size;
        is_mapped =
            is_mapped && (pass == 0 ? md5i_block_allocate(&context, &walk.block) : has_sum(&walk));
    }
    md5i_arena_free(&arena);
    if (!is_mapped)
        md5i_free(&context, walk.block.base, block_size);
    return is_mapped ? assets : NULL;
}

void md5_free_assets(md5_assets *assets)
{
    if (assets)
        assets->allocator.free(assets->allocator.user, assets, assets->size);
}
#endif
