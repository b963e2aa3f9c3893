// .md5mesh: how much there is of each thing; header and joints, or the bones of version 6; meshes
// of vertices, triangles and weights.
#include "md5/core/math.h"
#include "md5/core/names.h"
#include "md5/read/header.h"
#include "md5/read/tables.h"
#include "md5/read/rows.h"

// The fewest bytes that one of each takes in an .md5mesh. A count that the rest of the text could
// not hold is an error, so that memory stays linear in the size of the text.

enum {
    MD5_JOINT_BYTES = sizeof "a 0(0 0 0)(0 0 0)" - 1,
    MD5_MESH_BYTES = sizeof "mesh{numverts 0 numtris 0 numweights 0}" - 1,
    MD5_VERTEX_BYTES = sizeof "vert 0(0 0)0 0" - 1,
    MD5_TRIANGLE_BYTES = sizeof "tri 0 0 0 0" - 1,
    MD5_WEIGHT_BYTES = sizeof "weight 0 0 0(0 0 0)" - 1,
    MD5_OLD_WEIGHT_BYTES = sizeof "weight 0 0 0 0 0 0" - 1, // version 6
    MD5_BONE_BYTES = sizeof "bone 0{name a bindpos 0 0 0 bindmat 0 0 0 0 0 0 0 0 0}" - 1,
    MD5_COLOR_BYTES = sizeof "vertexcolor 0(0 0 0 0)" - 1,
};

// State while an .md5mesh is read.

typedef struct md5_mesh_reader {
    md5_lex lex;
    md5_header header;
    md5_count num_joints, num_meshes;
    uint32_t num_meshes_read, most_meshes; // most: that `meshes` has room for
    md5_arena *joint_arena, *kept;
    md5_file_joint *joints;
    struct md5_file_bone *bones; // of version 6; `joints` is set after the last of them
    uint32_t num_bones_read;
    md5_mesh_build *meshes;
    uint64_t num_references; // of vertices to weights, over all meshes
    md5_mesh_file *file;
} md5_mesh_reader;

// State while one mesh is read.
typedef struct md5_mesh_block {
    md5_mesh_build *mesh;
    md5_arena *kept;
    md5_count num_vertices, num_triangles, num_weights, num_colors;
    const char *vertices_at, *triangles_at; // where the first of each begins
    bool has_name, has_shader;
    bool is_old; // version 6: vertices and weights have no parentheses
} md5_mesh_block;

// == Counts ======================================================================================
//
// How much there is of each thing in an .md5mesh, before it is read.

#ifndef MD5_NO_SHORTCUTS
// Where a text has an `n` more often than this without a count behind it, it is left at what is
// known: so many that looking on would take long do not occur in a table.
enum { FREE_MISSES = 1000, BYTES_A_MISS = 64 };

enum { JOINTS, MESHES, VERTICES, TRIANGLES, WEIGHTS, NUM_WORDS };

#define WORD(word) (word), sizeof(word) - 1

static const struct {
    const char *word;
    size_t length;
    size_t bytes; // that each thing takes at least
    size_t kept;  // bytes of memory that the model keeps
} count_words[NUM_WORDS] = {
    [JOINTS] = {WORD("numJoints "), MD5_JOINT_BYTES, 0},
    [MESHES] = {WORD("numMeshes "), MD5_MESH_BYTES, 0},
    [VERTICES] = {WORD("numverts "), MD5_VERTEX_BYTES, sizeof(md5_vertex)},
    [TRIANGLES] = {WORD("numtris "), MD5_TRIANGLE_BYTES, 3 * sizeof(uint32_t)},
    [WEIGHTS] = {WORD("numweights "), MD5_WEIGHT_BYTES, sizeof(md5_weight)},
};

md5_mesh_counts md5i_count_mesh_file(const char *text, size_t size)
{
    enum { TELLING = 3 };
    const char *const end = text + size;
    const char *position = text;
    md5_block kept = {0};
    uint64_t sums[NUM_WORDS] = {0}, max_vertices = 0;
    size_t num_misses = 0;
    while (position < end && num_misses < FREE_MISSES + (size_t)(position - text) / BYTES_A_MISS) {
        position = (const char *)memchr(position, 'n', (size_t)(end - position));
        if (!position)
            break;
        size_t word = 0; // the fourth letter tells them apart
        while (word < NUM_WORDS
               && ((size_t)(end - position) < count_words[word].length
                   || position[TELLING] != count_words[word].word[TELLING]))
            word++;
        if (word == NUM_WORDS
            || memcmp(position, count_words[word].word, count_words[word].length) != 0) {
            position++;
            num_misses++;
            continue;
        }
        position += count_words[word].length;
        const uint64_t enough = UINT32_MAX;
        uint64_t number = 0;
        while (position < end && *position == ' ')
            position++;
        for (; position < end && md5_is_digit(*position); position++)
            number = number < enough ? 10 * number + (uint64_t)(*position - '0') : number;
        const uint64_t most = (size_t)(end - position) / count_words[word].bytes;
        const uint64_t count = number < most ? number : most;
        // Of joints and of meshes there is one count, the first: with another one begins a file
        // behind this one, or a text that would ask for its whole worth again by a few bytes.
        if (word < VERTICES && sums[word] > 0)
            break;
        sums[word] += count;
        if (word == VERTICES && count > max_vertices)
            max_vertices = count;
        md5i_block_take(&kept, (size_t)count, count_words[word].kept);
        // Tables follow their counts, and take no less.
        position += word >= VERTICES ? count * count_words[word].bytes : 0;
    }
    return (md5_mesh_counts){
        .num_joints = sums[JOINTS],
        .num_meshes = sums[MESHES],
        .num_vertices = sums[VERTICES],
        .max_vertices = max_vertices,
        .kept = kept.used,
    };
}

md5_mesh_sizes md5i_mesh_file_sizes(const md5_mesh_counts *counts)
{
    enum {
        ALIGNMENT = 16,
        GAPS_OF_JOINTS = 6 * ALIGNMENT,
    }; // one before each table
    const md5_mesh_build *const mesh = NULL;
    const uint64_t a_joint = sizeof(md5_file_joint) + sizeof(md5_xform) + sizeof(uint32_t);
    const uint64_t to_order = 2 * sizeof(uint32_t); // while the order is made
    return (md5_mesh_sizes){
        .joints = counts->num_joints * (a_joint + to_order) + GAPS_OF_JOINTS,
        .meshes = counts->num_meshes * (sizeof *mesh + ALIGNMENT) + 2 * ALIGNMENT,
        .tables = counts->num_vertices * sizeof *mesh->texcoords,
    };
}
#endif

// == Rows of vertices, triangles and weights =====================================================
//
// The tables of a mesh: rows of vertices, triangles, weights and colors, and the indices in them.

// Reads keyword and number of `vert 3`, `tri 3`, `weight 3`, which `count` says comes next. As in
// id's engine the number is ignored; the first one in a table that is not in order is a warning.
static inline bool begin_item(md5_lex *lex, const md5_count *count, const char *count_word,
                              const char *word, uint32_t item, bool *is_warned)
{
    int64_t number;
    if (!md5i_lex_take_word(lex, word))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "%s says %u, found %s after %u '%s'",
                             count_word, count->value, md5i_lex_token(lex, lex->at).text, item,
                             word);
    TRY(md5i_lex_int(lex, &number));
    if (number != item && !*is_warned) {
        *is_warned = true;
        md5i_lex_warn(lex, lex->number_at,
                      "found '%s %lld', expected '%s %u': the order of rows is used", word,
                      (long long)number, word, item);
    }
    return true;
}

#ifdef MD5_ONLY_VERSION_10
#define read_bare_vec3(lex, value) false
#else
// ( x y z w )
static bool read_vec4(md5_lex *lex, md5_vec4 *value)
{
    TRY(md5i_lex_expect(lex, '('));
    TRY(md5i_lex_float(lex, &value->x));
    TRY(md5i_lex_float(lex, &value->y));
    TRY(md5i_lex_float(lex, &value->z));
    TRY(md5i_lex_float(lex, &value->w));
    return md5i_lex_expect(lex, ')');
}

// x y z of version 6, without parentheses
static bool read_bare_vec3(md5_lex *lex, md5_vec3 *value)
{
    return md5i_lex_length(lex, &value->x) && md5i_lex_length(lex, &value->y)
           && md5i_lex_length(lex, &value->z);
}
#endif

// Each reads a count, whose keyword was consumed, and the rows after it.
static bool read_vertices(md5_lex *lex, md5_mesh_block *block)
{
    md5_mesh_build *const mesh = block->mesh;
    md5_arena *const arena = lex->arena;
    const bool is_old = MD5_HAS_VERSIONS && block->is_old;
    bool is_warned = false;
    TRY(md5i_read_count(lex, "numverts", 0, MD5_VERTEX_BYTES, &block->num_vertices));
    const uint32_t count = mesh->num_file_vertices = block->num_vertices.value;
    TRY(mesh->file_vertices = MD5_ROOM(block->kept, md5_vertex, count));
    TRY(mesh->texcoords = MD5_ROOM(arena, md5_vec2, count));
#ifndef MD5_ONLY_VERSION_10
    if (mesh->has_frames) {
        TRY(mesh->normals = MD5_ROOM(arena, md5_vec3, count));
        TRY(mesh->tangents = MD5_ROOM(arena, md5_vec4, count));
    }
#endif
    block->vertices_at = lex->at;
    md5_row_number number = MD5_ROW_0;
    for (uint32_t v = 0; v < count; v++, md5_row_next(&number)) {
        md5_vertex *const vertex = &mesh->file_vertices[v];
        md5_vec2 *const texcoord = &mesh->texcoords[v];
        if (is_old || !md5i_row_vertex(lex, &number, vertex, texcoord)) {
            // ( u v ) first count, in version 6 without parentheses
            TRY(begin_item(lex, &block->num_vertices, "numverts", "vert", v, &is_warned));
            TRY(is_old || md5i_lex_expect(lex, '('));
            TRY(md5i_lex_float(lex, &texcoord->x));
            TRY(md5i_lex_float(lex, &texcoord->y));
            TRY(is_old || md5i_lex_expect(lex, ')'));
            TRY(md5i_read_uint(lex, "first weight", &vertex->first_weight));
            TRY(md5i_read_uint(lex, "number of weights", &vertex->num_weights));
            if (vertex->num_weights == 0)
                md5i_lex_warn(lex, lex->number_at, "a vertex without weights stays at the origin");
        }
#ifndef MD5_ONLY_VERSION_10
        if (mesh->has_frames) {
            TRY(md5i_lex_vec3(lex, md5i_lex_float, &mesh->normals[v]));
            TRY(read_vec4(lex, &mesh->tangents[v]));
        }
#endif
    }
    return true;
}

static bool read_triangles(md5_lex *lex, md5_mesh_block *block)
{
    bool is_warned = false;
    TRY(md5i_read_count(lex, "numtris", 0, MD5_TRIANGLE_BYTES, &block->num_triangles));
    md5_mesh_build *const mesh = block->mesh;
    const uint32_t count = mesh->num_triangles = block->num_triangles.value;
    TRY(mesh->indices = MD5_ROOM(block->kept, uint32_t, 3 * (size_t)count));
    block->triangles_at = lex->at;
    md5_row_number number = MD5_ROW_0;
    for (uint32_t t = 0; t < count; t++, md5_row_next(&number)) {
        uint32_t *const corners = mesh->indices + 3 * (size_t)t;
        if (md5i_row_triangle(lex, &number, corners))
            continue;
        TRY(begin_item(lex, &block->num_triangles, "numtris", "tri", t, &is_warned));
        MD5_FOR (i, 3)
            TRY(md5i_read_uint(lex, "vertex", &corners[i]));
    }
    return true;
}

static bool read_weights(md5_lex *lex, md5_mesh_block *block, uint32_t num_joints)
{
    md5_mesh_build *const mesh = block->mesh;
    bool is_warned = false;
    const bool is_old = MD5_HAS_VERSIONS && block->is_old;
    const size_t bytes = is_old ? MD5_OLD_WEIGHT_BYTES : MD5_WEIGHT_BYTES;
    TRY(md5i_read_count(lex, "numweights", 0, bytes, &block->num_weights));
    const uint32_t count = mesh->num_weights = block->num_weights.value;
    TRY(mesh->weights = MD5_ROOM(block->kept, md5_weight, count));
    md5_row_number number = MD5_ROW_0;
    for (uint32_t w = 0; w < count; w++, md5_row_next(&number)) {
        md5_weight *const weight = &mesh->weights[w];
        if (!is_old && md5i_row_weight(lex, &number, num_joints, weight))
            continue;
        // joint bias ( offset ), in version 6 without parentheses
        TRY(begin_item(lex, &block->num_weights, "numweights", "weight", w, &is_warned));
        TRY(md5i_read_uint(lex, "joint", &weight->joint));
        if (weight->joint >= num_joints)
            return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE, "joint %u, but %s is %u",
                                 weight->joint, is_old ? "numbones" : "numJoints", num_joints);
        TRY(md5i_lex_length(lex, &weight->bias));
        TRY(is_old ? read_bare_vec3(lex, &weight->offset)
                   : md5i_lex_vec3(lex, md5i_lex_length, &weight->offset));
    }
    return true;
}

// -- Indices, once the tables they point into are known -------------------------------------

// The form of a row of vertices: see md5i_end_rows().
static const char *vertex_row(const md5_mesh_block *block)
{
    return MD5_HAS_VERSIONS && block->is_old ? "wiiiii"
           : block->mesh->has_frames         ? "wipiipp"
                                             : "wipii";
}

// Check indices at the end of a mesh. An index outside of its table is an error; so are vertices
// that share weights more often than the text has bytes.
static bool check_vertices(md5_mesh_reader *reader, const md5_mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    md5_mesh_build *const mesh = block->mesh;
    const uint64_t text_size = (uint64_t)(lex->end - lex->text);
    MD5_FOR (v, mesh->num_file_vertices) {
        md5_vertex *const vertex = &mesh->file_vertices[v];
        const uint64_t end = (uint64_t)vertex->first_weight + vertex->num_weights;
        reader->num_references += vertex->num_weights;
        if (vertex->num_weights == 0)
            vertex->first_weight = 0; // wherever it pointed
        if (vertex->num_weights == 0
            || (end <= mesh->num_weights && reader->num_references <= text_size))
            continue;
        const char *const first_weight =
            md5i_find_in_rows(lex, block->vertices_at, vertex_row(block), v, block->is_old ? 4 : 3);
        if (end > mesh->num_weights)
            return md5i_lex_fail(lex, first_weight, MD5_ERROR_RANGE,
                                 "weights %u to %llu, but numweights is %u", vertex->first_weight,
                                 (unsigned long long)end - 1, mesh->num_weights);
        return md5i_lex_fail(lex, first_weight, MD5_ERROR_RANGE,
                             "so far vertices share weights %llu times, more than the file "
                             "has bytes (%llu)",
                             (unsigned long long)reader->num_references,
                             (unsigned long long)text_size);
    }
    return true;
}

// -- What all versions have ----------------------------------------------------------------

static bool finish_joints(md5_mesh_reader *reader, md5_file_joint *joints, md5_xform *bind)
{
    const uint32_t count = reader->num_joints.value;
    reader->joints = joints;
    reader->file->num_joints = count;
    reader->file->joints = joints;
    reader->file->bind = bind;
    return md5i_order_joints(&reader->lex, joints, count, &reader->file->order);
}

static bool read_num_meshes(md5_mesh_reader *reader, const char *word)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_read_count(lex, word, 0, MD5_MESH_BYTES, &reader->num_meshes));
    reader->most_meshes = reader->num_meshes.value;
    TRY(reader->meshes = MD5_NEW(lex->arena, md5_mesh_build, reader->num_meshes.value));
    return true;
}

// == Version 6 ===================================================================================
//
// Bones: the joints of version 6, the 2002 alpha. The fields are those of md5-converter's reader
// (mjsonofharry) and its tests.
//
//   bone 1 { name "Body2" bindpos x y z bindmat m00 m01 ... m22 [parent "origin"] }
//
// The rows of bindmat are the joint's own axes in model space, as everywhere in id's code; so they
// are the columns of the rotation that is meant here. There may be several roots.

#ifndef MD5_ONLY_VERSION_10
typedef struct md5_file_bone {
    md5_file_joint joint;
    md5_span parent;
    const char *parent_at; // NULL = it is a root
    md5_xform bind;
} md5_file_bone;

// -- One bone -------------------------------------------------------------------------------------

// How far the rows are from being perpendicular and of length 1, and right-handed.
static float distance_from_rotation(const md5_vec3 rows[3])
{
    float most = fabsf(md5_vec3_dot(md5_vec3_cross(rows[0], rows[1]), rows[2]) - 1);
    for (int i = 0; i < 3; i++) {
        for (int k = i; k < 3; k++)
            most = fmaxf(most, fabsf(md5_vec3_dot(rows[i], rows[k]) - (i == k ? 1 : 0)));
    }
    return most;
}

// The largest of 4x^2, 4y^2, 4z^2 and 4w^2 is the one to divide by.
static md5_quat rotation_of_rows(const md5_vec3 rows[3])
{
    const float xx = rows[0].x, yy = rows[1].y, zz = rows[2].z;
    const float sizes[4] = {1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz};
    // Sums and differences of what is not on the diagonal; columns are rows.
    const float xy = rows[0].y + rows[1].x, yz = rows[1].z + rows[2].y, zx = rows[2].x + rows[0].z;
    const float wx = rows[1].z - rows[2].y, wy = rows[2].x - rows[0].z, wz = rows[0].y - rows[1].x;
    const md5_quat products[4] = {{sizes[0], xy, zx, wx},
                                  {xy, sizes[1], yz, wy},
                                  {zx, yz, sizes[2], wz},
                                  {wx, wy, wz, sizes[3]}};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        largest = sizes[i] > sizes[largest] ? i : largest;
    const md5_quat none = {0, 0, 0, -1};
    const md5_quat q = md5_quat_normalize(products[largest], none);
    return q.w > 0 ? (md5_quat){-q.x, -q.y, -q.z, -q.w} : q; // as those rebuilt from x y z
}

enum { NAME = 1, POSITION = 2, MATRIX = 4, PARENT = 8 };

// Reads a keyword and its value, and adds it to those that are known.
static bool read_bone_word(md5_lex *lex, md5_file_bone *bone, uint32_t *known)
{
    const md5_span word = md5i_lex_peek_word(lex);
    const uint32_t kind = md5_span_is(word, "name")      ? NAME
                          : md5_span_is(word, "bindpos") ? POSITION
                          : md5_span_is(word, "bindmat") ? MATRIX
                          : md5_span_is(word, "parent")  ? PARENT
                                                         : 0;
    if (kind == 0 || (*known & kind))
        return md5i_lex_fail_found(
            lex, "expected each of name, bindpos, bindmat and parent once, or '}'");
    *known |= kind;
    lex->at += word.size;
    if (kind == NAME)
        return md5i_lex_text(lex, &bone->joint.name, "a bone's name");
    if (kind == MATRIX) {
        const float tolerance = 0.01f;
        md5_vec3 rows[3];
        const char *const start = md5i_lex_next(lex);
        MD5_FOR (i, 3)
            TRY(read_bare_vec3(lex, &rows[i]));
        if (!(distance_from_rotation(rows) <= tolerance))
            return md5i_lex_fail(lex, start, MD5_ERROR_RANGE, "bindmat is no rotation");
        bone->bind.rotation = rotation_of_rows(rows);
        return true;
    }
    if (kind == POSITION)
        return read_bare_vec3(lex, &bone->bind.translation);
    bone->parent_at = md5i_lex_next(lex);
    return md5i_lex_text(lex, &bone->parent, "a bone's name");
}

// -- All bones ------------------------------------------------------------------------------------

static bool finish_bones(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t count = reader->num_joints.value;
    md5_xform *const bind = MD5_ROOM(lex->arena, md5_xform, count);
    md5_file_joint *const joints = MD5_ROOM(lex->arena, md5_file_joint, count);
    TRY(bind && joints);
    MD5_FOR (i, count) {
        bind[i] = reader->bones[i].bind;
        joints[i] = reader->bones[i].joint;
    }
    const md5_arena_mark before = md5i_arena_here(lex->arena);
    md5_ordered_name *names = MD5_ROOM(lex->arena, md5_ordered_name, count);
    TRY(names);
    MD5_FOR (i, count)
        names[i] = (md5_ordered_name){joints[i].name, i};
    TRY(names = md5i_order_names(lex->arena, names, count));
    MD5_FOR (i, count) {
        const md5_file_bone *const bone = &reader->bones[i];
        const md5_ordered_name *const parent =
            bone->parent_at ? md5i_find_ordered_name(names, count, bone->parent) : NULL;
        if (bone->parent_at && !parent)
            return md5i_lex_fail(lex, bone->parent_at, MD5_ERROR_RANGE, "no bone is called %s",
                                 md5i_quote(bone->parent.bytes, bone->parent.size).text);
        joints[i].parent = parent ? parent->number : MD5_NONE;
    }
    md5i_arena_rewind(lex->arena, before);
    reader->file->has_w = true;
    return finish_joints(reader, joints, bind);
}

static bool read_old_word(md5_mesh_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (md5_span_is(word, "bone")) {
        // `bone i { ... }`. After the last one the joints of the file are complete.
        const uint32_t index = reader->num_bones_read;
        uint32_t number;
        if (!reader->bones)
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                                 "expected 'numbones' before 'bone'");
        if (reader->joints)
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                                 "numbones is %u, but there are more", reader->num_joints.value);
        reader->bones[index].joint.offset = (uint32_t)(lex->at - lex->text);
        lex->at += strlen("bone");
        TRY(md5i_read_uint(lex, "bone", &number));
        if (number != index)
            return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE, "bone %u, expected bone %u",
                                 number, index);
        TRY(md5i_lex_expect(lex, '{'));
        uint32_t known = 0;
        while (!md5i_lex_take(lex, '}'))
            TRY(read_bone_word(lex, &reader->bones[index], &known));
        const char *const missing = !(known & NAME)       ? "name"
                                    : !(known & POSITION) ? "bindpos"
                                    : !(known & MATRIX)   ? "bindmat"
                                                          : NULL;
        if (missing)
            return md5i_lex_fail(lex, lex->at - 1, MD5_ERROR_SYNTAX, "this bone ends without '%s'",
                                 missing);
        reader->num_bones_read++;
        return reader->num_bones_read < reader->num_joints.value || finish_bones(reader);
    }
    if (md5i_lex_take_word(lex, "numbones")) {
        TRY(md5i_read_count(lex, "numbones", 1, MD5_BONE_BYTES, &reader->num_joints));
        reader->bones = MD5_NEW(lex->arena, md5_file_bone, reader->num_joints.value);
        return reader->bones != NULL;
    }
    if (md5i_lex_take_word(lex, "nummeshes"))
        return read_num_meshes(reader, "nummeshes");
    return md5i_header_word(lex, &reader->header, word);
}
#endif

// == The file ====================================================================================

// -- Meshes ---------------------------------------------------------------------------------

static bool is_mesh_word(md5_span word)
{
    static const char *const words[] = {"name", "shader", "numverts",   "vert",
                                        "tri",  "weight", "numweights", "numtris"};
    const size_t shortest = sizeof "tri" - 1;
    if (word.size < shortest)
        return false;
    MD5_FOR (i, MD5_COUNT(words)) {
        if (md5_span_is(word, words[i]))
            return true;
    }
    return false;
}

// Reads the text of a keyword that may appear once; the first one is used.
static bool read_mesh_text(md5_lex *lex, const char *what, bool *is_known, md5_span *text)
{
    md5_span read;
    const char *const position = lex->at - strlen(what);
    (void)position;
    TRY(md5i_lex_text(lex, &read, "a string"));
    if (!*is_known)
        *text = read;
    else
        md5i_lex_warn(lex, position, "'%s' appears a second time: the first is used", what);
    *is_known = true;
    return true;
}

// Reads one keyword of a mesh with its values. Keywords may come in any order.
static bool read_mesh_word(md5_mesh_reader *reader, md5_mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    const md5_span word = md5i_lex_peek_word(lex);
    if (md5i_lex_take_word(lex, "shader"))
        return read_mesh_text(lex, "shader", &block->has_shader, &block->mesh->shader);
    if (md5i_lex_take_word(lex, "name"))
        return read_mesh_text(lex, "name", &block->has_name, &block->mesh->name);
    if (md5i_lex_take_word(lex, "numverts"))
        return read_vertices(lex, block);
    if (md5i_lex_take_word(lex, "numtris"))
        return read_triangles(lex, block);
    if (md5i_lex_take_word(lex, "numweights"))
        return read_weights(lex, block, reader->num_joints.value);
#ifndef MD5_ONLY_VERSION_10
    if (block->mesh->has_frames && md5i_lex_take_word(lex, "numvertexcolors")) {
        // Version 12 only: vertexcolor i ( r g b a )
        md5_mesh_build *const mesh = block->mesh;
        bool is_warned = false;
        TRY(md5i_read_count(lex, "numvertexcolors", 0, MD5_COLOR_BYTES, &block->num_colors));
        const uint32_t count = block->num_colors.value;
        TRY(mesh->colors = MD5_ROOM(lex->arena, md5_vec4, count));
        MD5_FOR (c, count) {
            TRY(begin_item(lex, &block->num_colors, "numvertexcolors", "vertexcolor", c,
                           &is_warned));
            TRY(read_vec4(lex, &mesh->colors[c]));
        }
        return true;
    }
#endif

    if (!md5_span_is_name(word))
        return md5i_lex_fail_found(lex, "expected '}' at the end of a mesh");
    if (is_mesh_word(word)) {
        // A `vert`, `tri` or `weight` outside of its table.
        const bool is_vertex = md5_span_is(word, "vert"), is_triangle = md5_span_is(word, "tri");
        const md5_count *const count = is_vertex     ? &block->num_vertices
                                       : is_triangle ? &block->num_triangles
                                                     : &block->num_weights;
        const char *const count_word = is_vertex     ? "numverts"
                                       : is_triangle ? "numtris"
                                                     : "numweights";
        TRY(md5i_need_count(lex, count, count_word));
        return md5i_end_rows(lex, count_word, count->value,
                             is_vertex                           ? vertex_row(block)
                             : is_triangle                       ? "wiiii"
                             : MD5_HAS_VERSIONS && block->is_old ? "wiiiiii"
                                                                 : "wiiip");
    }
    md5i_lex_warn_token(lex, lex->at, "is unknown here: skipped with its values");
    lex->at += word.size;
    return md5i_lex_skip_values(lex, is_mesh_word);
}

static bool need_table(md5_lex *lex, const md5_count *count, const char *word)
{
    if (count->at)
        return true;
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "this mesh ends without '%s'", word);
}

// -- The file -------------------------------------------------------------------------------

static void drop_triangles(md5_lex *lex, md5_mesh_build *mesh)
{
    const uint32_t most = mesh->num_file_vertices, count = mesh->num_triangles;
    (void)lex;
    mesh->num_triangles = 0;
    MD5_FOR (t, count) {
        const uint32_t *const c = mesh->indices + 3 * (size_t)t;
        if (c[0] < most && c[1] < most && c[2] < most)
            memmove(mesh->indices + 3 * (size_t)mesh->num_triangles++, c, 3 * sizeof *c);
    }
    if (mesh->num_triangles < count)
        md5i_lex_warn(lex, lex->at, "%u of %u triangles have a corner beyond numverts %u: left out",
                      count - mesh->num_triangles, count, most);
}

static bool read_top_word(md5_mesh_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    const bool is_old = MD5_IS_VERSION_6(&reader->header);
    if (md5_span_is(word, "mesh")) {
        uint32_t number;
        if (!reader->joints)
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%s' before 'mesh'",
                                 is_old ? "bone" : "joints");
        TRY(md5i_need_count(lex, &reader->num_meshes, is_old ? "nummeshes" : "numMeshes"));
        if (reader->num_meshes_read == 0)
            reader->file->tables = md5i_arena_here(lex->arena);
        if (MD5_ASKS_FOR(lex->arena->context, reads_all_meshes)
            && reader->num_meshes_read == reader->most_meshes) { // beyond numMeshes
            const size_t most = 2 * (size_t)reader->most_meshes + 1;
            md5_mesh_build *const meshes = MD5_NEW(lex->arena, md5_mesh_build, most);
            TRY(meshes);
            memcpy(meshes, reader->meshes, reader->num_meshes_read * sizeof *meshes);
            reader->meshes = meshes;
            reader->most_meshes = (uint32_t)most;
        }
        md5_mesh_build *const mesh = &reader->meshes[reader->num_meshes_read];
        md5_mesh_block block = {.mesh = mesh, .kept = reader->kept, .is_old = is_old};
        mesh->has_frames = MD5_HAS_VERSIONS && reader->header.version == 12;
        lex->at += strlen("mesh");
        TRY(!is_old || md5i_read_uint(lex, "mesh", &number));
        TRY(md5i_lex_expect(lex, '{'));
        lex->mesh_comment = (md5_span){0};
        while (md5i_lex_next(lex) == lex->end || *lex->at != '}')
            TRY(read_mesh_word(reader, &block));
        TRY(need_table(lex, &block.num_vertices, "numverts"));
        TRY(need_table(lex, &block.num_triangles, "numtris"));
        TRY(need_table(lex, &block.num_weights, "numweights"));
        if (!block.has_shader)
            md5i_lex_warn(lex, lex->at, "this mesh ends without 'shader'");
        lex->at++;
        if (!block.has_name && lex->mesh_comment.bytes)
            mesh->name = lex->mesh_comment;
#ifndef MD5_ONLY_VERSION_10
        if (block.num_colors.at && block.num_colors.value != block.num_vertices.value)
            return md5i_lex_fail(lex, block.num_colors.at, MD5_ERROR_RANGE,
                                 "numvertexcolors is %u, but numverts is %u",
                                 block.num_colors.value, block.num_vertices.value);
#endif
        TRY(check_vertices(reader, &block));
        if (MD5_ASKS_FOR(lex->arena->context, drops_triangles))
            drop_triangles(lex, mesh);
        const size_t num_corners = 3 * (size_t)mesh->num_triangles;
        size_t corner = 0;
        while (corner < num_corners && mesh->indices[corner] < mesh->num_file_vertices)
            corner++;
        if (corner < num_corners)
            return md5i_lex_fail(
                lex,
                md5i_find_in_rows(lex, block.triangles_at, "wiiii", corner / 3, 2 + corner % 3),
                MD5_ERROR_RANGE, "vertex %u, but numverts is %u", mesh->indices[corner],
                mesh->num_file_vertices);
        reader->num_meshes_read++;
        return true;
    }
#ifndef MD5_ONLY_VERSION_10
    if (MD5_IS_VERSION_6(&reader->header))
        return read_old_word(reader, word);
#endif
    if (md5_span_is(word, "joints")) {
        const char *const position = lex->at;
        TRY(md5i_need_count(lex, &reader->num_joints, "numJoints"));
        lex->at += strlen("joints");
        if (reader->joints)
            return md5i_lex_fail(lex, position, MD5_ERROR_SYNTAX, "'joints' appears a second time");
        md5_arena *const arena = lex->arena;
        lex->arena = reader->joint_arena; // also for names that are joined
        const uint32_t num_joints = reader->num_joints.value;
        md5_xform *bind;
        TRY(reader->joints = MD5_ROOM(lex->arena, md5_file_joint, num_joints));
        TRY(bind = MD5_NEW(lex->arena, md5_xform, num_joints));
        TRY(md5i_lex_expect(lex, '{'));
        MD5_FOR (joint, num_joints) // NAME parent ( position ) ( rotation )
            TRY(md5i_read_joint(lex, num_joints, joint, &reader->joints[joint])
                && md5i_read_transform(lex, &bind[joint]));
        TRY(md5i_end_rows(lex, "numJoints", num_joints, "nipp"));
        const bool are_ordered = finish_joints(reader, reader->joints, bind);
        lex->arena = arena;
        return are_ordered;
    }
    if (md5i_lex_take_word(lex, "numJoints"))
        return md5i_read_count(lex, "numJoints", 1, MD5_JOINT_BYTES, &reader->num_joints);
    if (md5i_lex_take_word(lex, "numMeshes"))
        return read_num_meshes(reader, "numMeshes");
    return md5i_header_word(lex, &reader->header, word);
}

bool md5i_read_mesh_file(md5_arena *arena, md5_arena *joints, md5_arena *kept, const char *text,
                         size_t size, md5_mesh_file *file)
{
    *file = (md5_mesh_file){0};
    md5_mesh_reader reader = {
        .header = {.kind = MD5_KIND_MESH}, .joint_arena = joints, .kept = kept, .file = file};
    md5i_lex_begin(&reader.lex, arena, text, size);
    reader.lex.join_strings = true;
    md5_lex *const lex = &reader.lex;
    TRY(md5i_header_begin(lex, &reader.header));
    for (;;) {
        const bool is_full = reader.joints && reader.num_meshes.at
                             && reader.num_meshes_read >= reader.num_meshes.value;
        if (is_full && !MD5_ASKS_FOR(arena->context, reads_all_meshes))
            break;
        const md5_span word = md5i_lex_peek_word(lex);
        if (is_full && !md5_span_is(word, "mesh"))
            break;
        // After the joints another file may begin, although meshes of this one are missing.
        if (lex->at == lex->end || (reader.joints && md5_span_is(word, "MD5Version")))
            break;
        md5i_header_see(lex, &reader.header, word);
        TRY(read_top_word(&reader, word));
    }
    const bool is_old = MD5_IS_VERSION_6(&reader.header);
    if (!reader.joints)
        return md5i_lex_fail_found(lex, "expected '%s'", is_old ? "bone" : "joints");
    const char *const count_word = is_old ? "nummeshes" : "numMeshes";
    TRY(md5i_need_count(lex, &reader.num_meshes, count_word));
    if (reader.num_meshes_read < reader.num_meshes.value)
        md5i_lex_warn(lex, reader.num_meshes.at, "%s says %u, but the file has %u", count_word,
                      reader.num_meshes.value, reader.num_meshes_read);
    else if (MD5_ASKS_FOR(arena->context, reads_all_meshes)
             && reader.num_meshes_read > reader.num_meshes.value)
        md5i_lex_warn(lex, reader.num_meshes.at, "%s is %u, but there are %u: all are read",
                      count_word, reader.num_meshes.value, reader.num_meshes_read);
    TRY(md5i_header_end(lex, &reader.header, "mesh", count_word, &reader.num_meshes));
    if (arena->context->needs_meshes && reader.num_meshes_read == 0)
        return md5i_lex_fail(lex, reader.num_meshes.at, MD5_ERROR_RANGE,
                             "the file has no meshes: expected at least 1");

    if (reader.num_meshes_read == 0)
        file->tables = md5i_arena_here(arena);
    file->command_line = reader.header.command_line;
    file->num_meshes = reader.num_meshes_read;
    file->meshes = reader.meshes;
    return true;
}
