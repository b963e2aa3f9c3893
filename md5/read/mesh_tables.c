// The tables of a mesh: rows of vertices, triangles, weights and colors, and the indices in them.
#include "md5/read/mesh_bytes.h"
#include "md5/read/mesh_reader.h"
#include "md5/read/rows.h"

// Reads keyword and number of `vert 3`, `tri 3`, `weight 3`, which `count` says comes next. As in
// id's engine the number is ignored; the first one in a table that is not in order is a warning.
static inline bool begin_item(md5_lex *lex, const md5_count *count, const char *count_word,
                              const char *word, uint32_t item, bool *is_warned)
{
    int64_t number;
    if (!md5_lex_take_word(lex, word))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "%s says %u, found %s after %u '%s'",
                             count_word, count->value, md5i_lex_token(lex, lex->at).text, item,
                             word);
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5_lex_int(lex, &number));
    if (number != item && !*is_warned) {
        *is_warned = true;
        md5i_lex_warn(lex, at, "found '%s %lld', expected '%s %u': the order of rows is used", word,
                      (long long)number, word, item);
    }
    return true;
}

// ( u v ), in version 6 without parentheses
static bool read_texcoord(md5_lex *lex, bool is_old, md5_vec2 *texcoord)
{
    TRY(is_old || md5_lex_bracket(lex, '('));
    TRY(md5_lex_float(lex, &texcoord->x));
    TRY(md5_lex_float(lex, &texcoord->y));
    return is_old || md5_lex_bracket(lex, ')');
}

// ( u v ) first count
static bool read_vertex(md5_lex *lex, bool is_old, md5_vertex *vertex, md5_vec2 *texcoord)
{
    TRY(read_texcoord(lex, is_old, texcoord));
    TRY(md5i_read_uint(lex, "first weight", &vertex->first_weight));
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5i_read_uint(lex, "number of weights", &vertex->num_weights));
    if (vertex->num_weights == 0)
        md5i_lex_warn(lex, at, "a vertex without weights stays at the origin");
    return true;
}

// ( x y z w )
static bool read_vec4(md5_lex *lex, md5_vec4 *value)
{
    TRY(md5_lex_bracket(lex, '('));
    TRY(md5_lex_float(lex, &value->x));
    TRY(md5_lex_float(lex, &value->y));
    TRY(md5_lex_float(lex, &value->z));
    TRY(md5_lex_float(lex, &value->w));
    return md5_lex_bracket(lex, ')');
}

static bool allocate_vertices(const md5_mesh_reader *reader, md5_file_mesh *mesh)
{
    md5_arena *const arena = reader->lex.arena;
    const uint32_t count = mesh->num_vertices;
    TRY(mesh->vertices = (md5_vertex *)md5i_arena_room(arena, count, sizeof *mesh->vertices));
    TRY(mesh->texcoords = (md5_vec2 *)md5i_arena_room(arena, count, sizeof *mesh->texcoords));
    if (!md5_has_frames(reader))
        return true;
    TRY(mesh->normals = (md5_vec3 *)md5i_arena_room(arena, count, sizeof *mesh->normals));
    TRY(mesh->tangents = (md5_vec4 *)md5i_arena_room(arena, count, sizeof *mesh->tangents));
    return true;
}

bool md5i_read_vertices(md5_mesh_reader *reader, md5_mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    md5_file_mesh *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5i_read_count(lex, "numverts", 0, MD5_VERTEX_BYTES, &block->num_vertices));
    const uint32_t count = mesh->num_vertices = block->num_vertices.value;
    TRY(allocate_vertices(reader, mesh));
    block->vertices_at = lex->at;
    const bool is_old = md5_is_old_mesh(reader);
    md5_row_number number = md5_row_begin();
    for (uint32_t v = 0; v < count; v++, md5_row_next(&number)) {
        if (is_old || !md5i_row_vertex(lex, &number, &mesh->vertices[v], &mesh->texcoords[v])) {
            TRY(begin_item(lex, &block->num_vertices, "numverts", "vert", v, &is_warned));
            TRY(read_vertex(lex, is_old, &mesh->vertices[v], &mesh->texcoords[v]));
        }
        if (md5_has_frames(reader)) {
            TRY(md5_read_vec3(lex, &mesh->normals[v]));
            TRY(read_vec4(lex, &mesh->tangents[v]));
        }
    }
    return true;
}

static void note_bad_corner(md5_mesh_block *block, size_t first, const uint32_t corners[3])
{
    size_t i = 0;
    while (corners[i] < block->num_vertices.value)
        i++;
    block->has_bad_corner = true;
    block->bad_corner = first + i;
    block->bad_vertex = corners[i];
}

// Stores the corners of a triangle; `first` is the index of its first corner.
static inline void add_corners(md5_mesh_block *block, size_t first, const uint32_t corners[3])
{
    const uint32_t a = corners[0], b = corners[1], c = corners[2];
    if (block->mesh->triangles) {
        memcpy(block->mesh->triangles + first, corners, 3 * sizeof *corners);
        return;
    }
    uint16_t *const to = block->mesh->narrow_triangles + first;
    to[0] = (uint16_t)a;
    to[1] = (uint16_t)b;
    to[2] = (uint16_t)c;
    const uint32_t count = block->num_vertices.value;
    if ((a >= count || b >= count || c >= count) && !block->has_bad_corner)
        note_bad_corner(block, first, corners);
}

static bool allocate_triangles(md5_arena *arena, md5_mesh_block *block)
{
    md5_file_mesh *const mesh = block->mesh;
    const size_t count = 3 * (size_t)mesh->num_triangles;
    if (block->num_vertices.at && block->num_vertices.value <= MD5_MOST_NARROW)
        mesh->narrow_triangles =
            (uint16_t *)md5i_arena_room(arena, count, sizeof *mesh->narrow_triangles);
    else
        mesh->triangles = (uint32_t *)md5i_arena_room(arena, count, sizeof *mesh->triangles);
    return mesh->narrow_triangles || mesh->triangles;
}

bool md5i_read_triangles(md5_mesh_reader *reader, md5_mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    bool is_warned = false;
    TRY(md5i_read_count(lex, "numtris", 0, MD5_TRIANGLE_BYTES, &block->num_triangles));
    const uint32_t count = block->mesh->num_triangles = block->num_triangles.value;
    TRY(allocate_triangles(lex->arena, block));
    block->triangles_at = lex->at;
    md5_row_number number = md5_row_begin();
    for (uint32_t t = 0; t < count; t++, md5_row_next(&number)) {
        uint32_t corners[3];
        if (!md5i_row_triangle(lex, &number, corners)) {
            TRY(begin_item(lex, &block->num_triangles, "numtris", "tri", t, &is_warned));
            for (int i = 0; i < 3; i++)
                TRY(md5i_read_uint(lex, "vertex", &corners[i]));
        }
        add_corners(block, 3 * (size_t)t, corners);
    }
    return true;
}

// joint bias ( offset ), in version 6 without parentheses
static bool read_weight(md5_mesh_reader *reader, md5_weight *weight)
{
    md5_lex *const lex = &reader->lex;
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5i_read_uint(lex, "joint", &weight->joint));
    if (weight->joint >= reader->num_joints.value)
        return md5i_lex_fail(lex, at, MD5_ERROR_RANGE, "joint %u, but %s is %u", weight->joint,
                             md5_is_old_mesh(reader) ? "numbones" : "numJoints",
                             reader->num_joints.value);
    TRY(md5_lex_length(lex, &weight->bias));
    if (!md5_is_old_mesh(reader))
        return md5_lex_point(lex, &weight->offset);
    return md5_lex_length(lex, &weight->offset.x) && md5_lex_length(lex, &weight->offset.y)
           && md5_lex_length(lex, &weight->offset.z);
}

bool md5i_read_weights(md5_mesh_reader *reader, md5_mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    md5_file_mesh *const mesh = block->mesh;
    bool is_warned = false;
    const bool is_old = md5_is_old_mesh(reader);
    const size_t bytes = is_old ? MD5_OLD_WEIGHT_BYTES : MD5_WEIGHT_BYTES;
    TRY(md5i_read_count(lex, "numweights", 0, bytes, &block->num_weights));
    const uint32_t count = mesh->num_weights = block->num_weights.value;
    mesh->weights = (md5_weight *)md5i_arena_room(lex->arena, count, sizeof *mesh->weights);
    TRY(mesh->weights);
    const uint32_t num_joints = reader->num_joints.value;
    md5_row_number number = md5_row_begin();
    for (uint32_t w = 0; w < count; w++, md5_row_next(&number)) {
        if (!is_old && md5i_row_weight(lex, &number, num_joints, &mesh->weights[w]))
            continue;
        TRY(begin_item(lex, &block->num_weights, "numweights", "weight", w, &is_warned));
        TRY(read_weight(reader, &mesh->weights[w]));
    }
    return true;
}

// Version 12 only: vertexcolor i ( r g b a )
bool md5i_read_colors(md5_mesh_reader *reader, md5_mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    md5_file_mesh *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5i_read_count(lex, "numvertexcolors", 0, MD5_COLOR_BYTES, &block->num_colors));
    const uint32_t count = block->num_colors.value;
    TRY(mesh->colors = (md5_vec4 *)md5i_arena_room(lex->arena, count, sizeof *mesh->colors));
    for (uint32_t c = 0; c < count; c++) {
        TRY(begin_item(lex, &block->num_colors, "numvertexcolors", "vertexcolor", c, &is_warned));
        TRY(read_vec4(lex, &mesh->colors[c]));
    }
    return true;
}

// -- Indices, once the tables they point into are known -------------------------------------

// Returns the position of vertex `item` by reading the table again, which had no errors. Does not
// repeat warnings.
static const char *find_vertex(const md5_mesh_reader *reader, const md5_mesh_block *block,
                               uint32_t item)
{
    md5_context silent = *reader->lex.arena->context;
    md5_arena arena = {.context = &silent};
    md5_mesh_reader again = *reader;
    md5_vertex vertex;
    md5_vec2 texcoord;
    md5_vec3 normal;
    md5_vec4 tangent;
    int64_t number;
    silent.warn = NULL;
    again.lex.arena = &arena;
    again.lex.at = block->vertices_at;
    for (uint32_t v = 0;; v++) {
        md5_lex_take_word(&again.lex, "vert");
        md5_lex_int(&again.lex, &number);
        if (v == item)
            break;
        read_vertex(&again.lex, md5_is_old_mesh(reader), &vertex, &texcoord);
        if (md5_has_frames(&again)) {
            md5_lex_vec3(&again.lex, &normal);
            read_vec4(&again.lex, &tangent);
        }
    }
    (void)read_texcoord(&again.lex, md5_is_old_mesh(reader), &texcoord);
    md5_lex_space(&again.lex);
    return again.lex.at;
}

static const char *find_corner(const md5_mesh_reader *reader, const md5_mesh_block *block,
                               size_t corner)
{
    md5_context silent = *reader->lex.arena->context;
    md5_arena arena = {.context = &silent};
    md5_lex lex = reader->lex;
    int64_t number;
    silent.warn = NULL;
    lex.arena = &arena;
    lex.at = block->triangles_at;
    for (size_t i = 0;; i++) {
        if (i % 3 == 0) {
            md5_lex_take_word(&lex, "tri");
            md5_lex_int(&lex, &number);
        }
        if (i == corner)
            break;
        md5_lex_int(&lex, &number);
    }
    md5_lex_space(&lex);
    return lex.at;
}

bool md5i_check_vertices(md5_mesh_reader *reader, const md5_mesh_block *block)
{
    md5_file_mesh *const mesh = block->mesh;
    const uint64_t text_size = (uint64_t)(reader->lex.end - reader->lex.text);
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        md5_vertex *const vertex = &mesh->vertices[v];
        const uint64_t end = (uint64_t)vertex->first_weight + vertex->num_weights;
        reader->num_references += vertex->num_weights;
        if (vertex->num_weights == 0)
            vertex->first_weight = 0; // wherever it pointed
        else if (end > mesh->num_weights)
            return md5i_lex_fail(&reader->lex, find_vertex(reader, block, v), MD5_ERROR_RANGE,
                                 "weights %u to %llu, but numweights is %u", vertex->first_weight,
                                 (unsigned long long)end - 1, mesh->num_weights);
        else if (reader->num_references > text_size)
            return md5i_lex_fail(&reader->lex, find_vertex(reader, block, v), MD5_ERROR_RANGE,
                                 "so far vertices share weights %llu times, more than the file "
                                 "has bytes (%llu)",
                                 (unsigned long long)reader->num_references,
                                 (unsigned long long)text_size);
    }
    return true;
}

bool md5i_check_triangles(md5_mesh_reader *reader, md5_mesh_block *block)
{
    const md5_file_mesh *const mesh = block->mesh;
    const size_t num_corners = mesh->triangles ? 3 * (size_t)mesh->num_triangles : 0;
    for (size_t i = 0; i < num_corners && !block->has_bad_corner; i++) {
        block->has_bad_corner = mesh->triangles[i] >= mesh->num_vertices;
        block->bad_corner = i;
        block->bad_vertex = mesh->triangles[i];
    }
    if (!block->has_bad_corner)
        return true;
    return md5i_lex_fail(&reader->lex, find_corner(reader, block, block->bad_corner),
                         MD5_ERROR_RANGE, "vertex %u, but numverts is %u", block->bad_vertex,
                         mesh->num_vertices);
}
