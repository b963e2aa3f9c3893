// Reads .md5mesh files of version 10, and contains the functions that all versions have in common.
// mesh.h describes the differences between the versions. First the element counts of a file are
// estimated, so that memory can be reserved. Then its tables are read.
#include "md5/core/math.h"
#include "md5/read/mesh.h"
#include "md5/read/rows.h"

enum {
    MD5_JOINT_BYTES = sizeof "a 0(0 0 0)(0 0 0)" - 1,
    MD5_TRIANGLE_BYTES = sizeof "tri 0 0 0 0" - 1,
    MD5_WEIGHT_BYTES = sizeof "weight 0 0 0(0 0 0)" - 1,
};

// Format of a triangle in its table: see md5i_end_table().
#define TRIANGLE_FORMAT "wiiii"

// == Counts ======================================================================================

// To reserve memory in one piece, the reader first estimates the element counts of an .md5mesh. It
// scans the text for the keywords that declare counts, such as numverts.

// All count keywords begin with `n`, so the scan searches for this byte. Most bytes `n` do not
// begin such a keyword. The scan stops after MIN_MISSES of them, plus one for each BYTES_PER_MISS
// bytes of the text, so that a hostile file cannot make it slow. The counts that were found until
// then are used.
enum { MIN_MISSES = 1000, BYTES_PER_MISS = 64 };

enum {
    COUNT_JOINTS,
    COUNT_MESHES,
    COUNT_VERTICES,
    COUNT_TRIANGLES,
    COUNT_WEIGHTS,
    NUM_COUNT_KEYWORDS
};

static const struct {
    const char *keyword;
    size_t length;      // length of the keyword
    size_t min_bytes;   // minimum size of one item in the text
    size_t model_bytes; // memory of one item in the model
} count_keywords[NUM_COUNT_KEYWORDS] = {
    [COUNT_JOINTS] = {"numJoints ", sizeof "numJoints " - 1, MD5_JOINT_BYTES, 0},
    [COUNT_MESHES] = {"numMeshes ", sizeof "numMeshes " - 1, MD5_MESH_BYTES, 0},
    [COUNT_VERTICES] = {"numverts ", sizeof "numverts " - 1, MD5_VERTEX_BYTES, sizeof(md5_vertex)},
    [COUNT_TRIANGLES] = {"numtris ", sizeof "numtris " - 1, MD5_TRIANGLE_BYTES,
                         3 * sizeof(uint32_t)},
    [COUNT_WEIGHTS] = {"numweights ", sizeof "numweights " - 1, MD5_WEIGHT_BYTES,
                       sizeof(md5_weight)},
};

// Returns the index of the count keyword at `position`, or NUM_COUNT_KEYWORDS if there is none. The
// fourth characters of all count keywords differ, so comparing this character first excludes most
// other words.
static size_t find_count_keyword(const char *position, const char *end)
{
    enum { DISTINCT_CHAR = 3 };
    const size_t left = (size_t)(end - position);
    for (size_t i = 0; i < NUM_COUNT_KEYWORDS; i++) {
        const char *const keyword = count_keywords[i].keyword;
        const size_t length = count_keywords[i].length;
        if (left >= length && position[DISTINCT_CHAR] == keyword[DISTINCT_CHAR]
            && memcmp(position, keyword, length) == 0)
            return i;
    }
    return NUM_COUNT_KEYWORDS;
}

// Reads a count at *position and moves *position to its end. If the count does not fit into 32
// bits, the result is any number of at least UINT32_MAX.
static inline uint64_t scan_count(const char **position, const char *end)
{
    const char *next = *position;
    uint64_t number = 0;
    while (next < end && *next == ' ')
        next++;
    for (; next < end && md5_is_digit(*next); next++) {
        if (number < UINT32_MAX)
            number = 10 * number + (uint64_t)(*next - '0');
    }
    *position = next;
    return number;
}

// State of a scan of a text for count keywords.
typedef struct count_scan {
    const char *text;
    const char *end;
    const char *position;
    size_t num_misses; // number of bytes `n` that did not begin a count keyword
} count_scan;

// Finds the next count keyword. Moves scan->position to it, and writes its index in count_keywords
// to *keyword. Searches for `n`, the first character of all count keywords, because memchr() is
// fast. Returns false if no count keyword follows, or after too many words with an `n` that are not
// count keywords.
static bool skip_to_count_keyword(count_scan *scan, size_t *keyword)
{
    *keyword = NUM_COUNT_KEYWORDS;
    while (*keyword == NUM_COUNT_KEYWORDS) {
        const size_t num_scanned = (size_t)(scan->position - scan->text);
        const size_t max_misses = MIN_MISSES + num_scanned / BYTES_PER_MISS;
        if (scan->position >= scan->end || scan->num_misses >= max_misses)
            return false;

        const size_t left = (size_t)(scan->end - scan->position);
        const char *const candidate = (const char *)memchr(scan->position, 'n', left);
        if (!candidate)
            return false;
        scan->position = candidate;
        *keyword = find_count_keyword(candidate, scan->end);
        if (*keyword == NUM_COUNT_KEYWORDS) {
            scan->position++;
            scan->num_misses++;
        }
    }
    return true;
}

// Finds the next count keyword and reads its count. A table cannot have more items than fit into
// the remaining text, so the count is limited to this number. Returns false at the end of the scan.
static bool find_count(count_scan *scan, size_t *keyword, uint64_t *count)
{
    TRY(skip_to_count_keyword(scan, keyword));
    scan->position += count_keywords[*keyword].length;
    const uint64_t number = scan_count(&scan->position, scan->end);
    const size_t left = (size_t)(scan->end - scan->position);
    const uint64_t max_count = left / count_keywords[*keyword].min_bytes;
    *count = number < max_count ? number : max_count;
    return true;
}

// Estimates the counts of an .md5mesh by a scan for its count keywords. The scan skips the table
// after each count, so it is much faster than reading.
md5_mesh_counts md5i_count_mesh_file(const char *text, size_t size)
{
    count_scan scan = {.text = text, .end = text + size, .position = text};
    md5_block model_tables = {0};
    uint64_t sums[NUM_COUNT_KEYWORDS] = {0};
    uint64_t max_vertices = 0;
    size_t keyword = 0;
    uint64_t count = 0;

    while (find_count(&scan, &keyword, &count)) {
        // A file contains one count of joints and one count of meshes. A second count of joints or
        // meshes belongs to another file that follows in the same text. Or the text is hostile: it
        // repeats counts, so that much more memory would be reserved than its tables need.
        const bool is_mesh_table = keyword >= COUNT_VERTICES;
        if (!is_mesh_table && sums[keyword] > 0)
            break;

        sums[keyword] += count;
        if (keyword == COUNT_VERTICES && count > max_vertices)
            max_vertices = count;
        md5i_block_alloc(&model_tables, (size_t)count, count_keywords[keyword].model_bytes);

        // Skip the smallest size that the following table can have. It cannot contain another
        // count.
        if (is_mesh_table)
            scan.position += count * count_keywords[keyword].min_bytes;
    }

    return (md5_mesh_counts){
        .num_joints = sums[COUNT_JOINTS],
        .num_meshes = sums[COUNT_MESHES],
        .num_vertices = sums[COUNT_VERTICES],
        .max_vertices = max_vertices,
        .mesh_arena_size = model_tables.used,
    };
}

// Returns the number of bytes that reading a file with these counts allocates in each arena.
md5_mesh_sizes md5i_mesh_file_sizes(const md5_mesh_counts *counts)
{
    enum {
        ALIGNMENT = 16,
        JOINT_PADDING = 6 * ALIGNMENT, // before each table
    };
    const md5_mesh_build *const mesh = NULL;
    const uint64_t bytes_per_joint = sizeof(md5_file_joint) + sizeof(md5_xform) + sizeof(uint32_t);
    const uint64_t bytes_to_order = 2 * sizeof(uint32_t); // scratch memory of the order
    return (md5_mesh_sizes){
        .joints = counts->num_joints * (bytes_per_joint + bytes_to_order) + JOINT_PADDING,
        .meshes = counts->num_meshes * (sizeof *mesh + ALIGNMENT) + 2 * ALIGNMENT,
        .tables = counts->num_vertices * sizeof *mesh->texcoords,
    };
}

// == Tables ======================================================================================
//
// The tables of a mesh (vertices, triangles, weights), and the checks of their indices.

// Reads the beginning of item `item` of a table, such as `vert 3`: the keyword `word` and the
// number of the item. As in id's engine, the number is ignored. The first wrong number of a table
// causes a warning. `count` and `count_keyword` are the declared number of items and its keyword,
// for messages.
bool md5i_begin_item(md5_lex *lex, const md5_count *count, const char *count_keyword,
                     const char *word, uint32_t item, bool *is_warned)
{
    int64_t number;
    if (!md5i_lex_accept_keyword(lex, word))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "too few '%s' entries: expected %u (%s), found %s after %u", word,
                             count->value, count_keyword, md5i_lex_token(lex, lex->at).text, item);
    TRY(md5i_lex_int(lex, &number));
    if (number != item && !*is_warned) {
        *is_warned = true;
        md5i_lex_warn(lex, lex->number_at,
                      "found '%s %lld', expected '%s %u': using the order in the file", word,
                      (long long)number, word, item);
    }
    return true;
}

// Reads the value of `numverts` and allocates the tables of vertices and texture coordinates.
bool md5i_begin_vertices(md5_lex *lex, md5_mesh_block *block)
{
    md5_mesh_build *const mesh = block->mesh;
    TRY(md5i_read_count(lex, "numverts", 0, MD5_VERTEX_BYTES, &block->num_vertices));
    mesh->num_file_vertices = block->num_vertices.value;
    mesh->file_vertices = MD5_ALLOC_ARRAY(block->mesh_arena, md5_vertex, mesh->num_file_vertices);
    mesh->texcoords = MD5_ALLOC_ARRAY(lex->arena, md5_vec2, mesh->num_file_vertices);
    block->vertices_at = lex->at;
    return mesh->file_vertices && mesh->texcoords;
}

// Reads the first weight and the number of weights of a vertex. The weights of a vertex are
// consecutive in the weight table of its mesh.
bool md5i_read_weight_range(md5_lex *lex, md5_vertex *vertex)
{
    TRY(md5i_read_uint(lex, "first weight", &vertex->first_weight));
    TRY(md5i_read_uint(lex, "number of weights", &vertex->num_weights));
    if (vertex->num_weights == 0)
        md5i_lex_warn(lex, lex->number_at,
                      "vertex has no weights: expected at least 1; it stays at the origin");
    return true;
}

// Reads a line `vert INDEX ( U V ) FIRST_WEIGHT NUM_WEIGHTS` and stores it as vertex `v`. Warns if
// INDEX is not v, unless *is_warned is true, and sets *is_warned to true.
bool md5i_read_vertex(md5_lex *lex, md5_mesh_block *block, uint32_t v, bool *is_warned)
{
    md5_vec2 *const texcoord = &block->mesh->texcoords[v];
    TRY(md5i_begin_item(lex, &block->num_vertices, "numverts", "vert", v, is_warned));
    TRY(md5i_lex_expect(lex, '('));
    TRY(md5i_lex_float(lex, &texcoord->x));
    TRY(md5i_lex_float(lex, &texcoord->y));
    TRY(md5i_lex_expect(lex, ')'));
    return md5i_read_weight_range(lex, &block->mesh->file_vertices[v]);
}

// Reads the number of vertices, whose keyword was read before, and the table of vertices. A line of
// the table is `vert INDEX ( u v ) first_weight num_weights`. The fast scanner of rows.h reads
// lines in the layout of id's exporter. The lexer reads all other lines.
static bool read_vertex_rows(md5_lex *lex, md5_mesh_block *block)
{
    md5_mesh_build *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5i_begin_vertices(lex, block));
    md5_item_number number = MD5_ITEM_0;
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++, md5_next_item(&number)) {
        if (!md5i_scan_vertex(lex, &number, &mesh->file_vertices[v], &mesh->texcoords[v]))
            TRY(md5i_read_vertex(lex, block, v, &is_warned));
    }
    return true;
}

// Reads the number of triangles, whose keyword was read before, and the table of triangles. A line
// of the table is `tri INDEX a b c`, with the indices of three vertices.
static bool read_triangles(md5_lex *lex, md5_mesh_block *block)
{
    bool is_warned = false;
    TRY(md5i_read_count(lex, "numtris", 0, MD5_TRIANGLE_BYTES, &block->num_triangles));

    md5_mesh_build *const mesh = block->mesh;
    const uint32_t count = block->num_triangles.value;
    mesh->num_triangles = count;
    mesh->indices = MD5_ALLOC_ARRAY(block->mesh_arena, uint32_t, 3 * (size_t)count);
    TRY(mesh->indices);

    block->triangles_at = lex->at;
    md5_item_number number = MD5_ITEM_0;
    for (uint32_t t = 0; t < count; t++, md5_next_item(&number)) {
        uint32_t *const triangle = mesh->indices + 3 * (size_t)t;
        if (md5i_scan_triangle(lex, &number, triangle))
            continue;
        TRY(md5i_begin_item(lex, &block->num_triangles, "numtris", "tri", t, &is_warned));
        for (uint32_t i = 0; i < 3; i++)
            TRY(md5i_read_uint(lex, "vertex", &triangle[i]));
    }
    return true;
}

// Reads the number of weights and allocates their table. A weight has at least `min_bytes` bytes in
// the text.
bool md5i_begin_weights(md5_lex *lex, md5_mesh_block *block, size_t min_bytes)
{
    md5_mesh_build *const mesh = block->mesh;
    TRY(md5i_read_count(lex, "numweights", 0, min_bytes, &block->num_weights));
    mesh->num_weights = block->num_weights.value;
    mesh->weights = MD5_ALLOC_ARRAY(block->mesh_arena, md5_weight, mesh->num_weights);
    return mesh->weights != NULL;
}

// Reads the joint and the bias of a weight. The bias is the fraction that the weight contributes to
// its vertex. Fails if the joint is not below `num_joints`. `count_keyword` is the keyword of this
// number, for the message.
bool md5i_read_weight_joint(md5_lex *lex, uint32_t num_joints, const char *count_keyword,
                            md5_weight *weight)
{
    TRY(md5i_read_uint(lex, "joint", &weight->joint));
    if (weight->joint >= num_joints)
        return md5i_lex_fail(
            lex, lex->number_at, MD5_ERROR_RANGE,
            "weight refers to an unknown joint: expected an index below %u (%s), found %u",
            num_joints, count_keyword, weight->joint);
    return md5i_lex_length(lex, &weight->bias);
}

// Reads the number of weights, whose keyword was read before, and the table of weights. A line of
// the table is `weight INDEX joint bias ( x y z )`. The fast scanner of rows.h reads lines in the
// layout of id's exporter. The lexer reads all other lines.
bool md5i_read_weights(md5_lex *lex, md5_mesh_block *block, uint32_t num_joints)
{
    md5_mesh_build *const mesh = block->mesh;
    bool is_warned = false;
    TRY(md5i_begin_weights(lex, block, MD5_WEIGHT_BYTES));
    md5_item_number number = MD5_ITEM_0;
    for (uint32_t w = 0; w < mesh->num_weights; w++, md5_next_item(&number)) {
        md5_weight *const weight = &mesh->weights[w];
        if (md5i_scan_weight(lex, &number, num_joints, weight))
            continue;

        TRY(md5i_begin_item(lex, &block->num_weights, "numweights", "weight", w, &is_warned));
        TRY(md5i_read_weight_joint(lex, num_joints, "numJoints", weight));
        TRY(md5i_lex_vec3(lex, md5i_lex_length, &weight->offset));
    }
    return true;
}

// -- Indices, checked at the end of a mesh --------------------------------------------------------

// Reports an error of the weights of a vertex, and returns false. Either they are outside of the
// table of weights, or all vertices together refer to more weights than the text has bytes.
static bool fail_vertex(md5_mesh_reader *reader, const md5_mesh_block *block, uint32_t vertex)
{
    md5_lex *const lex = &reader->lex;
    const uint32_t num_weights = block->mesh->num_weights;
    const md5_vertex range = block->mesh->file_vertices[vertex];
    const uint64_t end = (uint64_t)range.first_weight + range.num_weights;
    const bool is_outside = end > num_weights;
    const char *const position =
        md5i_find_item_part(lex, block->vertices_at, reader->dialect->vertex_format, vertex,
                            reader->dialect->first_weight_part);
    if (is_outside)
        return md5i_lex_fail(lex, position, MD5_ERROR_RANGE,
                             "vertex refers to unknown weights: expected indices below %u "
                             "(numweights), found %u to %llu",
                             num_weights, range.first_weight, (unsigned long long)end - 1);
    return md5i_lex_fail(
        lex, position, MD5_ERROR_RANGE,
        "vertices share too many weights: %llu references exceed the file size (%llu bytes)",
        (unsigned long long)reader->num_references, (unsigned long long)(lex->end - lex->text));
}

// Checks the range of weights of each vertex. Weights outside of the table are an error. Vertices
// can share weights. Therefore a small hostile text could describe a model that needs much memory.
// To prevent this, more references to weights than bytes in the text are an error.
static bool check_mesh_vertices(md5_mesh_reader *reader, const md5_mesh_block *block)
{
    md5_mesh_build *const mesh = block->mesh;
    const uint64_t text_size = (uint64_t)(reader->lex.end - reader->lex.text);
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++) {
        md5_vertex *const vertex = &mesh->file_vertices[v];
        if (vertex->num_weights == 0) {
            vertex->first_weight = 0; // any index is accepted here
            continue;
        }

        const uint64_t end = (uint64_t)vertex->first_weight + vertex->num_weights;
        reader->num_references += vertex->num_weights;
        if (end > mesh->num_weights || reader->num_references > text_size)
            return fail_vertex(reader, block, v);
    }
    return true;
}

// Removes the triangles with vertices outside of the table. The remaining triangles move forward
// and keep their order.
static void drop_triangles(md5_mesh_build *mesh)
{
    const uint32_t limit = mesh->num_file_vertices;
    const uint32_t count = mesh->num_triangles;
    mesh->num_triangles = 0;
    for (uint32_t t = 0; t < count; t++) {
        const uint32_t *const triangle = mesh->indices + 3 * (size_t)t;
        if (triangle[0] < limit && triangle[1] < limit && triangle[2] < limit) {
            memmove(mesh->indices + 3 * (size_t)mesh->num_triangles, triangle,
                    3 * sizeof *triangle);
            mesh->num_triangles++;
        }
    }
}

// Warns if triangles were dropped because they refer to vertices that do not exist.
static void warn_about_dropped_triangles(md5_lex *lex, const md5_mesh_block *block)
{
    const uint32_t count = block->num_triangles.value;
    const uint32_t num_dropped = count - block->mesh->num_triangles;
    if (num_dropped > 0)
        md5i_lex_warn(lex, lex->at,
                      "%u of %u triangles refer to unknown vertices (numverts is %u): skipped",
                      num_dropped, count, block->num_vertices.value);
}

// Reports a vertex index of a triangle that is outside of the table. `index` counts the indices of
// all triangles. Returns false.
static bool fail_triangle_index(md5_lex *lex, const md5_mesh_block *block, size_t index)
{
    enum { FIRST_INDEX_PART = 2 }; // after the keyword and the number of the triangle
    const char *const position = md5i_find_item_part(lex, block->triangles_at, TRIANGLE_FORMAT,
                                                     index / 3, FIRST_INDEX_PART + index % 3);
    return md5i_lex_fail(
        lex, position, MD5_ERROR_RANGE,
        "triangle refers to an unknown vertex: expected an index below %u (numverts), found %u",
        block->mesh->num_file_vertices, block->mesh->indices[index]);
}

// Checks that all triangles refer to vertices of the table.
static bool check_triangle_indices(md5_lex *lex, const md5_mesh_block *block)
{
    const md5_mesh_build *const mesh = block->mesh;
    const size_t num_indices = 3 * (size_t)mesh->num_triangles;
    for (size_t i = 0; i < num_indices; i++) {
        if (mesh->indices[i] >= mesh->num_file_vertices)
            return fail_triangle_index(lex, block, i);
    }
    return true;
}

// Checks the indices in the tables of a mesh after all its lines were read: the weights of the
// vertices, and the vertices of the triangles. Invalid triangles are dropped if the load options
// request it. Otherwise they are an error.
bool md5i_finish_mesh(md5_mesh_reader *reader, const md5_mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    TRY(check_mesh_vertices(reader, block));
    if (lex->arena->context->drop_invalid_triangles)
        drop_triangles(block->mesh);
    warn_about_dropped_triangles(lex, block);
    return check_triangle_indices(lex, block);
}

// == Meshes ======================================================================================

// Returns true if `word` is a keyword inside of a mesh. Words shorter than all keywords are not
// compared.
static bool is_mesh_keyword(md5_span word)
{
    static const char *const words[] = {"name", "shader", "numverts",   "vert",
                                        "tri",  "weight", "numweights", "numtris"};
    const size_t shortest = sizeof "tri" - 1;
    if (word.size < shortest)
        return false;
    for (uint32_t i = 0; i < MD5_COUNT(words); i++) {
        if (md5_span_is(word, words[i]))
            return true;
    }
    return false;
}

// Warns about a duplicate keyword, which was read before.
static void warn_about_duplicate(md5_lex *lex, const char *keyword)
{
    md5i_lex_warn(lex, lex->at - strlen(keyword), "duplicate '%s': using the first", keyword);
}

// Reads the text after a keyword. If the keyword occurs more than once, the first text is used.
static bool read_mesh_text(md5_lex *lex, bool *has_text, md5_span *text)
{
    md5_span read;
    TRY(md5i_lex_text(lex, &read, "a string"));
    if (!*has_text)
        *text = read;
    *has_text = true;
    return true;
}

// Reports an item (`vert`, `tri` or `weight`) that does not belong to its table, and returns false.
// The item precedes the count of the table, or it follows the declared number of items.
static bool fail_outside(md5_mesh_reader *reader, const md5_mesh_block *block, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    const md5_count *count = &block->num_weights;
    const char *count_keyword = "numweights";
    const char *format = reader->dialect->weight_format;
    if (md5_span_is(word, "vert")) {
        count = &block->num_vertices;
        count_keyword = "numverts";
        format = reader->dialect->vertex_format;
    } else if (md5_span_is(word, "tri")) {
        count = &block->num_triangles;
        count_keyword = "numtris";
        format = TRIANGLE_FORMAT;
    }
    TRY(md5i_need_count(lex, count, count_keyword));
    return md5i_end_table(lex, count_keyword, count->value, format);
}

// Reads one keyword of a mesh with its values, which may be a whole table. Unknown keywords are
// skipped with a warning.
bool md5i_read_mesh_keyword(md5_mesh_reader *reader, md5_mesh_block *block)
{
    md5_lex *const lex = &reader->lex;
    const md5_span word = md5i_lex_peek_word(lex);

    if (md5i_lex_accept_keyword(lex, "shader")) {
        if (block->has_shader)
            warn_about_duplicate(lex, "shader");
        return read_mesh_text(lex, &block->has_shader, &block->mesh->shader);
    }
    if (md5i_lex_accept_keyword(lex, "name")) {
        if (block->has_name)
            warn_about_duplicate(lex, "name");
        return read_mesh_text(lex, &block->has_name, &block->mesh->name);
    }

    if (md5i_lex_accept_keyword(lex, "numverts"))
        return reader->dialect->read_vertices(lex, block);
    if (md5i_lex_accept_keyword(lex, "numtris"))
        return read_triangles(lex, block);
    if (md5i_lex_accept_keyword(lex, "numweights"))
        return reader->dialect->read_weights(lex, block, reader->num_joints.value);

    if (!md5_span_is_name(word))
        return md5i_lex_fail_expected(lex, "unterminated mesh: expected '}'");
    if (is_mesh_keyword(word))
        return fail_outside(reader, block, word);

    md5i_lex_warn_token(lex, lex->at, "is an unknown keyword: skipped with its values");
    lex->at += word.size;
    return md5i_lex_skip_values(lex, is_mesh_keyword);
}

// Reports an error if a table of a mesh is missing. `word` is its keyword.
static bool need_table(md5_lex *lex, const md5_count *count, const char *word)
{
    if (count->at)
        return true;
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "incomplete mesh: '%s' is missing", word);
}

bool md5i_begin_mesh(md5_mesh_reader *reader, md5_mesh_block *block)
{
    block->mesh = &reader->meshes[reader->num_meshes_read];
    return md5i_lex_expect(&reader->lex, '{');
}

// Reads a mesh: its shader, and the counts numverts, numtris and numweights, each with its table.
// The lexer is at the keyword `mesh`.
static bool read_mesh_block(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const md5_mesh_dialect *const dialect = reader->dialect;

    if (!reader->joints)
        return md5i_fail_missing_keyword(lex, dialect->joint_keyword);
    TRY(md5i_need_count(lex, &reader->num_meshes, dialect->mesh_count_keyword));

    if (reader->num_meshes_read == 0)
        reader->file->tables = md5i_arena_position(lex->arena);

    md5_mesh_block block = {.mesh_arena = reader->mesh_arena};
    lex->at += strlen("mesh");
    TRY(dialect->begin_mesh(reader, &block));
    lex->mesh_comment = (md5_span){0};

    while (md5i_lex_skip_space(lex) == lex->end || *lex->at != '}')
        TRY(dialect->read_mesh_keyword(reader, &block));

    TRY(need_table(lex, &block.num_vertices, "numverts"));
    TRY(need_table(lex, &block.num_triangles, "numtris"));
    TRY(need_table(lex, &block.num_weights, "numweights"));
    if (!block.has_shader)
        md5i_lex_warn(lex, lex->at, "incomplete mesh: 'shader' is missing");

    lex->at++;
    if (!block.has_name && lex->mesh_comment.bytes)
        block.mesh->name = lex->mesh_comment;
    TRY(dialect->finish_mesh(reader, &block));
    reader->num_meshes_read++;
    return true;
}

// == The file ====================================================================================

// Stores the joints and their bind pose in the file, and finds an order of the joints in which
// parents precede their children.
bool md5i_finish_joints(md5_mesh_reader *reader, md5_file_joint *joints, md5_xform *bind)
{
    const uint32_t count = reader->num_joints.value;
    reader->joints = joints;
    reader->file->num_joints = count;
    reader->file->joints = joints;
    reader->file->bind = bind;
    return md5i_order_joints(&reader->lex, joints, count, &reader->file->order);
}

// Reads the number of meshes, whose keyword `word` was read before.
bool md5i_read_num_meshes(md5_mesh_reader *reader, const char *word)
{
    md5_lex *const lex = &reader->lex;
    TRY(md5i_read_count(lex, word, 0, MD5_MESH_BYTES, &reader->num_meshes));
    reader->meshes = MD5_ALLOC_ZEROED(lex->arena, md5_mesh_build, reader->num_meshes.value);
    TRY(reader->meshes);
    return true;
}

// Reads joints { NAME parent ( position ) ( rotation ) ... }. Positions and rotations are in model
// space. While the joints are read, the lexer allocates from the arena of the joints.
static bool read_joint_block(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const char *const position = lex->at;
    TRY(md5i_need_count(lex, &reader->num_joints, "numJoints"));
    lex->at += strlen("joints");

    if (reader->joints)
        return md5i_fail_duplicate_keyword(lex, position, "joints");

    md5_arena *const arena = lex->arena;
    lex->arena = reader->joint_arena; // also for names that consist of several strings
    const uint32_t num_joints = reader->num_joints.value;
    reader->joints = MD5_ALLOC_ARRAY(lex->arena, md5_file_joint, num_joints);
    TRY(reader->joints);
    md5_xform *const bind = MD5_ALLOC_ZEROED(lex->arena, md5_xform, num_joints);
    TRY(bind);

    TRY(md5i_lex_expect(lex, '{'));
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        TRY(md5i_read_joint(lex, num_joints, joint, &reader->joints[joint]));
        TRY(md5i_read_transform(lex, &bind[joint]));
    }

    TRY(md5i_end_table(lex, "numJoints", num_joints, "nipp"));
    TRY(md5i_finish_joints(reader, reader->joints, bind));
    lex->arena = arena;
    return true;
}

// Reads the part of a mesh file that begins with the keyword `word` outside of all blocks, in
// version 10: the joints, a count, or a part of the header.
bool md5i_read_mesh_top_level(md5_mesh_reader *reader, md5_span word)
{
    md5_lex *const lex = &reader->lex;
    if (md5_span_is(word, "joints"))
        return read_joint_block(reader);
    if (md5i_lex_accept_keyword(lex, "numJoints"))
        return md5i_read_count(lex, "numJoints", 1, MD5_JOINT_BYTES, &reader->num_joints);
    if (md5i_lex_accept_keyword(lex, "numMeshes"))
        return md5i_read_num_meshes(reader, "numMeshes");
    return md5i_read_header_keyword(lex, &reader->header, word);
}

bool md5i_mesh_is_complete(md5_mesh_reader *reader)
{
    return reader->joints && reader->num_meshes.at
           && reader->num_meshes_read >= reader->num_meshes.value;
}

const md5_mesh_dialect md5i_mesh_version_10 = {
    .version = MD5_VERSION_10,
    .joint_keyword = "joints",
    .mesh_count_keyword = "numMeshes",
    .vertex_format = "wipii",
    .weight_format = "wiiip",
    .first_weight_part = 3,
    .read_keyword = md5i_read_mesh_top_level,
    .begin_mesh = md5i_begin_mesh,
    .read_mesh_keyword = md5i_read_mesh_keyword,
    .read_vertices = read_vertex_rows,
    .read_weights = md5i_read_weights,
    .finish_mesh = md5i_finish_mesh,
    .is_complete = md5i_mesh_is_complete,
};

// Warns if the number of meshes that were read differs from the declared number.
static void warn_about_count(md5_lex *lex, const md5_mesh_reader *reader, const char *count_keyword)
{
    const uint32_t declared = reader->num_meshes.value;
    const uint32_t num_read = reader->num_meshes_read;
    if (num_read < declared)
        md5i_lex_warn(lex, reader->num_meshes.at,
                      "%s does not match the file: declared %u, found %u", count_keyword, declared,
                      num_read);
    else if (num_read > declared)
        md5i_lex_warn(lex, reader->num_meshes.at,
                      "%s is too small: declared %u, found %u; all found entries are read",
                      count_keyword, declared, num_read);
}

// Reads the joints, the meshes and all other keywords at the top level, up to the last declared
// mesh or the end of the text.
static bool read_mesh_sections(md5_mesh_reader *reader)
{
    md5_lex *const lex = &reader->lex;
    const md5_mesh_dialect *const dialect = reader->dialect;
    while (!dialect->is_complete(reader)) {
        const md5_span word = md5i_lex_peek_word(lex);
        // Another file may begin after the joints, even if meshes of this file are missing.
        const bool is_second_file = reader->joints && md5_span_is(word, "MD5Version");
        if (lex->at == lex->end || is_second_file)
            return true;
        md5i_warn_about_version(lex, &reader->header, word);
        if (md5_span_is(word, "mesh"))
            TRY(read_mesh_block(reader));
        else
            TRY(dialect->read_keyword(reader, word));
    }
    return true;
}

// Reads the tables of an .md5mesh in the syntax of `dialect`: the functions for one version of the
// format. The tables are in three arenas, which md5i_read_mesh_file() describes.
bool md5i_read_mesh_text(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena,
                         const md5_mesh_dialect *dialect, const md5_versions *versions,
                         md5_span text, md5_mesh_file *file)
{
    *file = (md5_mesh_file){.uses_mesh_arena = true};
    md5_mesh_reader reader = {
        .header = {.kind = MD5_KIND_MESH, .versions = versions, .version = dialect->version},
        .dialect = dialect,
        .joint_arena = joints,
        .mesh_arena = mesh_arena,
        .file = file,
    };

    md5_lex *const lex = &reader.lex;
    md5i_lex_begin(lex, arena, text.bytes, text.size);
    lex->join_strings = true;
    TRY(md5i_begin_header(lex, &reader.header));
    TRY(read_mesh_sections(&reader));

    // Check that the joints and the count of meshes were in the file.
    if (!reader.joints)
        return md5i_lex_fail_expected(lex, "expected '%s'", dialect->joint_keyword);

    const char *const count_keyword = dialect->mesh_count_keyword;
    TRY(md5i_need_count(lex, &reader.num_meshes, count_keyword));
    warn_about_count(lex, &reader, count_keyword);
    md5i_warn_at_file_end(lex, &reader.header, "mesh", count_keyword, &reader.num_meshes);
    TRY(md5_lex_is_ok(lex));
    if (arena->context->require_meshes && reader.num_meshes_read == 0)
        return md5i_lex_fail(lex, reader.num_meshes.at, MD5_ERROR_RANGE,
                             "file has no meshes: expected at least 1");

    if (reader.num_meshes_read == 0)
        file->tables = md5i_arena_position(arena);
    file->command_line = reader.header.command_line;
    file->num_meshes = reader.num_meshes_read;
    file->meshes = reader.meshes;
    return true;
}
