// .md5mesh: header, joints, then meshes of vertices, triangles and weights.
#include "md5/read/header.h"
#include "md5/read/mesh_bytes.h"
#include "md5/read/mesh_file.h"
#include "md5/read/rows.h"

typedef struct mesh_reader {
    md5_lex lex;
    md5_header header;
    md5_count num_joints, num_meshes;
    uint32_t num_meshes_read;
    md5_file_joint *joints;
    md5_file_mesh *meshes;
    size_t note_size;
    uint64_t num_references; // of vertices to weights, over all meshes
    md5_mesh_file *file;
} mesh_reader;

// What is known of one mesh while its block is read.
typedef struct mesh_block {
    md5_file_mesh *mesh;
    md5_count num_vertices, num_triangles, num_weights, num_colors;
    const char *vertices_at, *triangles_at; // where the first of each begins
    // The first corner of a narrow triangle that is no vertex, and what it says.
    bool has_bad_corner;
    size_t bad_corner;
    uint32_t bad_vertex;
    bool has_name, has_shader;
} mesh_block;

// -- Joints ---------------------------------------------------------------------------------

// NAME parent ( position ) ( rotation )
static bool read_joint(mesh_reader *reader, uint32_t joint, md5_transform *bind)
{
    md5_lex *const lex = &reader->lex;
    md5_file_joint *const out = &reader->joints[joint];
    md5_lex_space(lex);
    if (lex->at == lex->end || *lex->at == '}')
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "numJoints says %u, found %s after %u",
                            reader->num_joints.value, md5_lex_token(lex, lex->at).text, joint);
    out->at = (uint32_t)(lex->at - lex->text);
    TRY(md5_lex_joint_name(lex, &out->name));
    TRY(md5_read_parent(lex, reader->num_joints.value, &out->parent));
    return md5_read_transform(lex, bind);
}

static bool read_joints(mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const char *const at = lex->at;
    TRY(md5_need_count(lex, &reader->num_joints, "numJoints"));
    lex->at += strlen("joints");
    if (reader->joints)
        return md5_lex_fail(lex, at, MD5_ERROR_SYNTAX, "'joints' stands here a second time");
    const uint32_t num_joints = reader->num_joints.value;
    reader->joints = md5_arena_room(lex->arena, num_joints, sizeof *reader->joints);
    TRY(reader->joints);
    md5_transform *const bind = md5_arena_alloc(lex->arena, num_joints, sizeof *bind);
    TRY(bind);

    TRY(md5_lex_bracket(lex, '{'));
    for (uint32_t joint = 0; joint < num_joints; joint++)
        TRY(read_joint(reader, joint, &bind[joint]));
    TRY(md5_end_rows(lex, "numJoints", num_joints, "nipp"));
    TRY(md5_order_joints(lex, reader->joints, num_joints, &reader->file->order));
    reader->file->num_joints = num_joints;
    reader->file->joints = reader->joints;
    reader->file->bind = bind;
    return true;
}

// -- Tables of a mesh -----------------------------------------------------------------------

// Word and number of `vert 3`, `tri 3`, `weight 3`, which `count` says stands here. As in the
// original, the order counts, not the number; the first one in a table that differs is warned of.
static inline bool begin_item(md5_lex *lex, const md5_count *count, const char *count_word,
                              const char *word, uint32_t item, bool *is_warned)
{
    int64_t number;
    if (!md5_lex_take_word(lex, word))
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "%s says %u, found %s after %u '%s'",
                            count_word, count->value, md5_lex_token(lex, lex->at).text, item, word);
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5_lex_int(lex, &number));
    if (number != item && !*is_warned) {
        *is_warned = true;
        md5_lex_warn(lex, at, "'%s %lld' stands where '%s %u' belongs: the order counts", word,
                     (long long)number, word, item);
    }
    return true;
}

// ( u v ) first count
static bool read_vertex(md5_lex *lex, md5_vertex *vertex, md5_vec2 *texcoord)
{
    TRY(md5_lex_bracket(lex, '('));
    TRY(md5_lex_float(lex, &texcoord->x));
    TRY(md5_lex_float(lex, &texcoord->y));
    TRY(md5_lex_bracket(lex, ')'));
    TRY(md5_read_uint(lex, "first weight", &vertex->first_weight));
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5_read_uint(lex, "number of weights", &vertex->num_weights));
    if (vertex->num_weights == 0)
        md5_lex_warn(lex, at, "a vertex without weights stays at the origin");
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

// Whether each vertex has a normal and a tangent behind the rest.
static bool has_frames(const mesh_reader *reader)
{
    return reader->header.version == 12;
}

static bool allocate_vertices(const mesh_reader *reader, md5_file_mesh *mesh)
{
    md5_arena *const arena = reader->lex.arena;
    const uint32_t count = mesh->num_vertices;
    TRY(mesh->vertices = md5_arena_room(arena, count, sizeof *mesh->vertices));
    TRY(mesh->texcoords = md5_arena_room(arena, count, sizeof *mesh->texcoords));
    if (!has_frames(reader))
        return true;
    TRY(mesh->normals = md5_arena_room(arena, count, sizeof *mesh->normals));
    TRY(mesh->tangents = md5_arena_room(arena, count, sizeof *mesh->tangents));
    return true;
}

static bool read_vertices(mesh_reader *reader, mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    md5_file_mesh *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5_read_count(lex, "numverts", 0, MD5_VERTEX_BYTES, &block->num_vertices));
    const uint32_t count = mesh->num_vertices = block->num_vertices.value;
    TRY(allocate_vertices(reader, mesh));
    block->vertices_at = lex->at;
    md5_row_number number = md5_row_begin();
    for (uint32_t v = 0; v < count; v++, md5_row_next(&number)) {
        if (!md5_row_vertex(lex, &number, &mesh->vertices[v], &mesh->texcoords[v])) {
            TRY(begin_item(lex, &block->num_vertices, "numverts", "vert", v, &is_warned));
            TRY(read_vertex(lex, &mesh->vertices[v], &mesh->texcoords[v]));
        }
        if (has_frames(reader)) {
            TRY(md5_read_vec3(lex, &mesh->normals[v]));
            TRY(read_vec4(lex, &mesh->tangents[v]));
        }
    }
    return true;
}

static void note_bad_corner(mesh_block *block, size_t first, const uint32_t corners[3])
{
    size_t i = 0;
    while (corners[i] < block->num_vertices.value)
        i++;
    block->has_bad_corner = true;
    block->bad_corner = first + i;
    block->bad_vertex = corners[i];
}

// Of the triangle whose first corner has this number.
static inline void add_corners(mesh_block *block, size_t first, const uint32_t corners[3])
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

static bool allocate_triangles(md5_arena *arena, mesh_block *block)
{
    md5_file_mesh *const mesh = block->mesh;
    const size_t count = 3 * (size_t)mesh->num_triangles;
    if (block->num_vertices.at && block->num_vertices.value <= MD5_MOST_NARROW)
        mesh->narrow_triangles = md5_arena_room(arena, count, sizeof *mesh->narrow_triangles);
    else
        mesh->triangles = md5_arena_room(arena, count, sizeof *mesh->triangles);
    return mesh->narrow_triangles || mesh->triangles;
}

static bool read_triangles(mesh_reader *reader, mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    bool is_warned = false;
    TRY(md5_read_count(lex, "numtris", 0, MD5_TRIANGLE_BYTES, &block->num_triangles));
    const uint32_t count = block->mesh->num_triangles = block->num_triangles.value;
    TRY(allocate_triangles(lex->arena, block));
    block->triangles_at = lex->at;
    md5_row_number number = md5_row_begin();
    for (uint32_t t = 0; t < count; t++, md5_row_next(&number)) {
        uint32_t corners[3];
        if (!md5_row_triangle(lex, &number, corners)) {
            TRY(begin_item(lex, &block->num_triangles, "numtris", "tri", t, &is_warned));
            for (int i = 0; i < 3; i++)
                TRY(md5_read_uint(lex, "vertex", &corners[i]));
        }
        add_corners(block, 3 * (size_t)t, corners);
    }
    return true;
}

// joint bias ( offset )
static bool read_weight(mesh_reader *reader, md5_weight *weight)
{
    md5_lex *const lex = &reader->lex;
    md5_lex_space(lex);
    const char *const at = lex->at;
    TRY(md5_read_uint(lex, "joint", &weight->joint));
    if (weight->joint >= reader->num_joints.value)
        return md5_lex_fail(lex, at, MD5_ERROR_RANGE, "joint %u, but numJoints is %u",
                            weight->joint, reader->num_joints.value);
    TRY(md5_lex_length(lex, &weight->bias));
    return md5_lex_point(lex, &weight->offset);
}

static bool read_weights(mesh_reader *reader, mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    md5_file_mesh *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5_read_count(lex, "numweights", 0, MD5_WEIGHT_BYTES, &block->num_weights));
    const uint32_t count = mesh->num_weights = block->num_weights.value;
    mesh->weights = md5_arena_room(lex->arena, count, sizeof *mesh->weights);
    TRY(mesh->weights);
    const uint32_t num_joints = reader->num_joints.value;
    md5_row_number number = md5_row_begin();
    for (uint32_t w = 0; w < count; w++, md5_row_next(&number)) {
        if (md5_row_weight(lex, &number, num_joints, &mesh->weights[w]))
            continue;
        TRY(begin_item(lex, &block->num_weights, "numweights", "weight", w, &is_warned));
        TRY(read_weight(reader, &mesh->weights[w]));
    }
    return true;
}

// Version 12 only: vertexcolor i ( r g b a )
static bool read_colors(mesh_reader *reader, mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    md5_file_mesh *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5_read_count(lex, "numvertexcolors", 0, MD5_COLOR_BYTES, &block->num_colors));
    const uint32_t count = block->num_colors.value;
    TRY(mesh->colors = md5_arena_room(lex->arena, count, sizeof *mesh->colors));
    for (uint32_t c = 0; c < count; c++) {
        TRY(begin_item(lex, &block->num_colors, "numvertexcolors", "vertexcolor", c, &is_warned));
        TRY(read_vec4(lex, &mesh->colors[c]));
    }
    return true;
}

// -- Indices, once the tables they point into are known -------------------------------------

// Reads the table again up to thing number `item`, to tell where it stands. It was read without
// an error before; warnings are not repeated.
static const char *find_vertex(const mesh_reader *reader, const mesh_block *block, uint32_t item)
{
    md5_context silent = *reader->lex.arena->context;
    md5_arena arena = {.context = &silent};
    mesh_reader again = *reader;
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
        read_vertex(&again.lex, &vertex, &texcoord);
        if (has_frames(&again)) {
            md5_lex_vec3(&again.lex, &normal);
            read_vec4(&again.lex, &tangent);
        }
    }
    md5_lex_bracket(&again.lex, '(');
    md5_lex_float(&again.lex, &texcoord.x);
    md5_lex_float(&again.lex, &texcoord.y);
    md5_lex_bracket(&again.lex, ')');
    md5_lex_space(&again.lex);
    return again.lex.at;
}

static const char *find_corner(const mesh_reader *reader, const mesh_block *block, size_t corner)
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

static bool check_vertices(mesh_reader *reader, const mesh_block *block)
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
            return md5_lex_fail(&reader->lex, find_vertex(reader, block, v), MD5_ERROR_RANGE,
                                "weights %u to %llu, but numweights is %u", vertex->first_weight,
                                (unsigned long long)end - 1, mesh->num_weights);
        else if (reader->num_references > text_size)
            return md5_lex_fail(&reader->lex, find_vertex(reader, block, v), MD5_ERROR_RANGE,
                                "up to here vertices share weights %llu times, more than the file "
                                "has bytes (%llu)",
                                (unsigned long long)reader->num_references,
                                (unsigned long long)text_size);
    }
    return true;
}

static bool check_triangles(mesh_reader *reader, mesh_block *block)
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
    return md5_lex_fail(&reader->lex, find_corner(reader, block, block->bad_corner),
                        MD5_ERROR_RANGE, "vertex %u, but numverts is %u", block->bad_vertex,
                        mesh->num_vertices);
}

// -- Meshes ---------------------------------------------------------------------------------

static bool is_mesh_word(md5_span word)
{
    static const char *const words[] = {"name", "shader", "numverts",   "vert",
                                        "tri",  "weight", "numweights", "numtris"};
    const size_t shortest = sizeof "tri" - 1;
    if (word.size < shortest)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (md5_span_is(word, words[i]))
            return true;
    }
    return false;
}

// A word that may stand once; the first one counts.
static bool read_mesh_text(md5_lex *lex, const char *what, bool *is_known, md5_span *text)
{
    md5_span read;
    const char *const at = lex->at - strlen(what);
    TRY(md5_lex_text(lex, &read, "a string"));
    if (*is_known)
        md5_lex_warn(lex, at, "'%s' stands here a second time: the first counts", what);
    else
        *text = read;
    *is_known = true;
    return true;
}

// A `vert`, `tri` or `weight` outside of its table.
static bool fail_item(md5_lex *lex, const mesh_block *block, md5_span word, bool has_frames)
{
    const bool is_vertex = md5_span_is(word, "vert"), is_triangle = md5_span_is(word, "tri");
    const md5_count *const count = is_vertex     ? &block->num_vertices
                                   : is_triangle ? &block->num_triangles
                                                 : &block->num_weights;
    const char *const count_word = is_vertex ? "numverts" : is_triangle ? "numtris" : "numweights";
    TRY(md5_need_count(lex, count, count_word));
    return md5_fail_rows(lex, count_word, count->value,
                         is_vertex     ? has_frames ? "wipiipp" : "wipii"
                         : is_triangle ? "wiiii"
                                       : "wiiip");
}

// Steps over the word that comes next if it is this one.
static bool take_word(md5_lex *lex, md5_span next, const char *word)
{
    if (!md5_span_is(next, word))
        return false;
    lex->at += next.size;
    return true;
}

// One word of a mesh's block and what belongs to it. Words may come in any order.
static bool read_mesh_word(mesh_reader *reader, mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    const md5_span word = md5_lex_peek_word(lex);
    if (take_word(lex, word, "shader"))
        return read_mesh_text(lex, "shader", &block->has_shader, &block->mesh->shader);
    if (take_word(lex, word, "name"))
        return read_mesh_text(lex, "name", &block->has_name, &block->mesh->name);
    if (take_word(lex, word, "numverts"))
        return read_vertices(reader, block);
    if (take_word(lex, word, "numtris"))
        return read_triangles(reader, block);
    if (take_word(lex, word, "numweights"))
        return read_weights(reader, block);
    if (has_frames(reader) && take_word(lex, word, "numvertexcolors"))
        return read_colors(reader, block);

    if (!md5_span_is_name(word))
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                            "expected '}' at the end of a mesh, found %s",
                            md5_lex_token(lex, lex->at).text);
    if (is_mesh_word(word))
        return fail_item(lex, block, word, has_frames(reader));
    md5_lex_warn_token(lex, lex->at, "is not known here: skipped with its values");
    lex->at += word.size;
    return md5_lex_skip_values(lex, is_mesh_word);
}

static bool need_table(md5_lex *lex, const md5_count *count, const char *word)
{
    if (count->at)
        return true;
    return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "this mesh ends without '%s'", word);
}

static bool read_mesh(mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    if (!reader->joints)
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected 'joints' before 'mesh'");
    TRY(md5_need_count(lex, &reader->num_meshes, "numMeshes"));
    if (reader->num_meshes_read == 0)
        reader->file->tables = md5_arena_here(lex->arena);
    mesh_block block = {.mesh = &reader->meshes[reader->num_meshes_read]};
    lex->at += strlen("mesh");
    TRY(md5_lex_bracket(lex, '{'));
    lex->mesh_comment = (md5_span){0};
    md5_lex_space(lex);
    while (lex->at == lex->end || *lex->at != '}') {
        TRY(read_mesh_word(reader, &block));
        md5_lex_space(lex);
    }
    TRY(need_table(lex, &block.num_vertices, "numverts"));
    TRY(need_table(lex, &block.num_triangles, "numtris"));
    TRY(need_table(lex, &block.num_weights, "numweights"));
    if (!block.has_shader)
        md5_lex_warn(lex, lex->at, "this mesh ends without 'shader'");
    lex->at++;
    if (!block.has_name && lex->mesh_comment.bytes)
        block.mesh->name = lex->mesh_comment;
    if (block.num_colors.at && block.num_colors.value != block.num_vertices.value)
        return md5_lex_fail(lex, block.num_colors.at, MD5_ERROR_RANGE,
                            "numvertexcolors is %u, but numverts is %u", block.num_colors.value,
                            block.num_vertices.value);
    TRY(check_vertices(reader, &block));
    TRY(check_triangles(reader, &block));
    reader->num_meshes_read++;
    return true;
}

// -- The file -------------------------------------------------------------------------------

static bool read_num_meshes(mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5_read_count(lex, "numMeshes", 0, MD5_MESH_BYTES, &reader->num_meshes));
    const uint32_t num_meshes = reader->num_meshes.value;
    TRY(reader->meshes = md5_arena_alloc(lex->arena, num_meshes, sizeof *reader->meshes));
    reader->file->notes = md5_arena_alloc(lex->arena, num_meshes, reader->note_size);
    return reader->file->notes != NULL;
}

static bool read_top_word(mesh_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (md5_span_is(word, "mesh"))
        return read_mesh(reader);
    if (md5_span_is(word, "joints"))
        return read_joints(reader);
    if (md5_lex_take_word(lex, "numJoints"))
        return md5_read_count(lex, "numJoints", 1, MD5_JOINT_BYTES, &reader->num_joints);
    if (md5_lex_take_word(lex, "numMeshes"))
        return read_num_meshes(reader);
    return md5_header_word(lex, &reader->header, word);
}

static bool is_complete(const mesh_reader *reader)
{
    return reader->joints && reader->num_meshes.at
           && reader->num_meshes_read == reader->num_meshes.value;
}

static bool read_file(mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5_header_begin(lex, &reader->header));
    while (!is_complete(reader)) {
        const md5_span word = md5_lex_peek_word(lex);
        // Behind the joints another file may begin, before all meshes of this one were there.
        if (lex->at == lex->end || (reader->joints && md5_span_is(word, "MD5Version")))
            break;
        TRY(read_top_word(reader, word));
    }
    if (!reader->joints)
        return md5_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected 'joints', found %s",
                            md5_lex_token(lex, lex->at).text);
    TRY(md5_need_count(lex, &reader->num_meshes, "numMeshes"));
    if (reader->num_meshes_read < reader->num_meshes.value)
        md5_lex_warn(lex, reader->num_meshes.at, "numMeshes says %u, but the file has %u",
                     reader->num_meshes.value, reader->num_meshes_read);
    return md5_header_end(lex, &reader->header, "mesh", "numMeshes", &reader->num_meshes);
}

bool md5_read_mesh_file(md5_arena *arena, const char *text, size_t size, size_t note_size,
                        md5_mesh_file *file)
{
    *file = (md5_mesh_file){0};
    mesh_reader reader = {.header = {.kind = MD5_KIND_MESH}, .note_size = note_size, .file = file};
    md5_lex_begin(&reader.lex, arena, text, size);
    reader.lex.join_strings = true;
    TRY(read_file(&reader));
    if (reader.num_meshes_read == 0)
        file->tables = md5_arena_here(arena);
    file->command_line = reader.header.command_line;
    file->num_meshes = reader.num_meshes_read;
    file->meshes = reader.meshes;
    return true;
}
