// md5tool bind: a bare mesh and a skeleton become a model with automatic weights.
#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/tool/tool.h"
#include "md5/md5model.h"
#include "md5/md5skin.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A corner of a triangle.
typedef struct tool_obj_corner {
    uint32_t position, texcoord; // texcoord: 1 + its index; 0: it has none
} tool_obj_corner;

// The triangles of one material, counter-clockwise seen from outside, as in the file.
typedef struct tool_obj_part {
    char *material;           // "" before the first usemtl
    tool_obj_corner *corners; // [3 * num_triangles]
    uint32_t num_triangles;
} tool_obj_part;

typedef struct tool_obj {
    md5_vec3 *positions;
    md5_vec2 *texcoords;
    uint32_t num_positions, num_texcoords;
    tool_obj_part *parts; // [num_parts] in the order in which materials are first used
    uint32_t num_parts;
} tool_obj;

// == Wavefront OBJ ================================================================================

// Far more than any mesh that can be drawn; keeps counts within 32 bits.
enum { MAX_ITEMS = 1 << 28 };

// A line of the file, and where in it the reader is.
typedef struct obj_reader {
    const char *line, *at, *end; // of the line; `end` is its '\n' or the end of the text
    uint32_t number;             // of the line, from 1
    uint32_t part;               // that faces go to
    tool_obj *obj;
    const char *path;
    md5_error *error;
} obj_reader;

static bool fail(const obj_reader *reader, const char *position, const char *format, ...)
    COMMON_PRINTF(3, 4);
static bool fail(const obj_reader *reader, const char *position, const char *format, ...)
{
    char text[sizeof reader->error->message];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tool_fail(reader->error, MD5_ERROR_SYNTAX, reader->path, "%s", text);
    reader->error->line = reader->number;
    reader->error->column = (uint32_t)(position - reader->line) + 1;
    return false;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static void skip_blanks(obj_reader *reader)
{
    while (reader->at < reader->end && is_blank(*reader->at))
        reader->at++;
}

// Says what was expected, and what stands at `word`: at most a few bytes, without those of control.
static bool fail_expected(const obj_reader *reader, const char *word, const char *what,
                          const char *kind)
{
    size_t size = 0;
    while (word + size < reader->end && !is_blank(word[size]) && size < 20)
        size++;
    if (size == 0)
        return fail(reader, word, "expected %s%s, found the end of the line", what, kind);
    return fail(reader, word, "expected %s%s, found '%.*s'", what, kind, (int)size, word);
}

// The text ends in a NUL, so strtod() stops; a number must end where its word ends.
static bool read_number(obj_reader *reader, const char *what, float *number)
{
    char *end;
    skip_blanks(reader);
    const char *const word = reader->at;
    const double value = word < reader->end ? strtod(word, &end) : 0.0;
    const bool is_read = word < reader->end && end > word && end <= reader->end
                         && (end == reader->end || is_blank(*end));
    if (!is_read || !(fabs(value) <= 1e9))
        return fail_expected(reader, word, what, ", a number of at most 1e9");
    *number = (float)value;
    reader->at = end;
    return true;
}

static bool has_room(const obj_reader *reader, uint32_t count)
{
    return count < MAX_ITEMS || fail(reader, reader->line, "more than %d items", MAX_ITEMS);
}

static bool read_position(obj_reader *reader)
{
    tool_obj *const obj = reader->obj;
    md5_vec3 position;
    if (!has_room(reader, obj->num_positions) || !read_number(reader, "x", &position.x)
        || !read_number(reader, "y", &position.y) || !read_number(reader, "z", &position.z))
        return false;
    obj->positions = common_grow(obj->positions, obj->num_positions, sizeof position);
    obj->positions[obj->num_positions++] = position;
    return true;
}

static bool read_texcoord(obj_reader *reader)
{
    tool_obj *const obj = reader->obj;
    md5_vec2 texcoord = {0.0f, 0.0f};
    if (!has_room(reader, obj->num_texcoords) || !read_number(reader, "u", &texcoord.x))
        return false;
    skip_blanks(reader);
    if (reader->at < reader->end && *reader->at != '#' && !read_number(reader, "v", &texcoord.y))
        return false;
    obj->texcoords = common_grow(obj->texcoords, obj->num_texcoords, sizeof texcoord);
    obj->texcoords[obj->num_texcoords++] = texcoord;
    return true;
}

// Indices count from 1, or, if negative, back from the last one so far.
static bool read_index(obj_reader *reader, const char *what, uint32_t count, uint32_t *index)
{
    char *end;
    const char *const word = reader->at;
    const bool is_number = word < reader->end && (*word == '-' || (*word >= '0' && *word <= '9'));
    const long long value = is_number ? strtoll(word, &end, 10) : 0;
    if (!is_number || end == word)
        return fail_expected(reader, word, "the index of a ", what);
    if (value == 0 || value > (long long)count || value < -(long long)count)
        return fail(reader, word, "%s %lld, but there are %u so far", what, value, (unsigned)count);
    *index = value > 0 ? (uint32_t)(value - 1) : (uint32_t)((long long)count + value);
    reader->at = end;
    return true;
}

static uint32_t find_part(tool_obj *obj, const char *name, size_t size)
{
    for (uint32_t i = 0; i < obj->num_parts; i++)
        if (strlen(obj->parts[i].material) == size
            && memcmp(obj->parts[i].material, name, size) == 0)
            return i;
    obj->parts = common_grow(obj->parts, obj->num_parts, sizeof *obj->parts);
    obj->parts[obj->num_parts] =
        (tool_obj_part){.material = common_format("%.*s", (int)size, name)};
    return obj->num_parts++;
}

static bool read_face(obj_reader *reader)
{
    const char *const start = reader->at;
    tool_obj_corner corners[3];
    uint32_t count = 0;
    if (reader->obj->num_parts == 0)
        reader->part = find_part(reader->obj, "", 0);
    for (;; count++) {
        skip_blanks(reader);
        if (reader->at == reader->end || *reader->at == '#')
            break;
        if (count > 2)
            corners[1] = corners[2];
        // POSITION, POSITION/TEXCOORD, POSITION//NORMAL or POSITION/TEXCOORD/NORMAL
        tool_obj_corner *const corner = &corners[count < 2 ? count : 2];
        uint32_t texcoord = 0;
        *corner = (tool_obj_corner){0};
        if (!read_index(reader, "position", reader->obj->num_positions, &corner->position))
            return false;
        if (reader->at < reader->end && *reader->at == '/') {
            reader->at++;
            if (reader->at < reader->end && *reader->at != '/' && !is_blank(*reader->at)) {
                if (!read_index(reader, "texture coordinate", reader->obj->num_texcoords,
                                &texcoord))
                    return false;
                corner->texcoord = texcoord + 1;
            }
            if (reader->at < reader->end && *reader->at == '/') // normals are not needed
                while (reader->at < reader->end && !is_blank(*reader->at))
                    reader->at++;
        }
        if (reader->at < reader->end && !is_blank(*reader->at))
            return fail_expected(reader, reader->at, "a blank or '/'", "");
        if (!has_room(reader, reader->obj->parts[reader->part].num_triangles))
            return false;
        if (count >= 2) {
            tool_obj_part *const part = &reader->obj->parts[reader->part];
            part->corners =
                common_grow(part->corners, part->num_triangles, 3 * sizeof *part->corners);
            memcpy(part->corners + 3 * (size_t)part->num_triangles++, corners, 3 * sizeof *corners);
        }
    }
    return count >= 3
           || fail(reader, start, "a face has %u corners, which must be 3 or more", count);
}

// The name is the rest of the line. Quotes cannot stand in a .md5mesh file.
static bool read_material(obj_reader *reader)
{
    skip_blanks(reader);
    const char *end = reader->end;
    while (end > reader->at && is_blank(end[-1]))
        end--;
    for (const char *byte = reader->at; byte < end; byte++)
        if (*byte == '"' || (unsigned char)*byte < ' ')
            return fail(reader, byte, "a quote or control character in the name of a material");
    if (end - reader->at > 1000)
        return fail(reader, reader->at, "the name of a material has more than 1000 bytes");
    reader->part = find_part(reader->obj, reader->at, (size_t)(end - reader->at));
    return true;
}

static bool read_line(obj_reader *reader)
{
    static const struct {
        const char *word;
        bool (*read)(obj_reader *reader);
    } kinds[] = {
        {"v", read_position}, {"vt", read_texcoord}, {"f", read_face}, {"usemtl", read_material}};
    skip_blanks(reader);
    const char *const word = reader->at;
    while (reader->at < reader->end && !is_blank(*reader->at))
        reader->at++;
    const size_t size = (size_t)(reader->at - word);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].word) == size && memcmp(kinds[i].word, word, size) == 0)
            return kinds[i].read(reader);
    return true;
}

// Reads positions, texture coordinates, faces of any number of corners, which are cut into fans,
// and names of materials; what else is in the file is skipped. Returns false and sets the error,
// with line and column, if a number, a face or an index is wrong, or if there are no faces. Free in
// both cases.
static bool read_obj(const char *path, tool_obj *obj, md5_error *error)
{
    size_t size = 0;
    const char *reason = NULL;
    char *const text = common_read_stream(path, &size, &reason);
    *obj = (tool_obj){0};
    if (text == NULL)
        return tool_fail(error, MD5_ERROR_IO, path, "cannot read the file: %s", reason);
    // strtod() needs an end.
    char *const ended = common_realloc(text, size + 1, 1), *const end = ended + size;
    *end = '\0';
    obj_reader reader = {.obj = obj, .path = path, .error = error};
    bool is_read = true, has_faces = false;
    for (const char *start = ended; start < end && is_read; start = reader.end + 1) {
        const char *const stop = memchr(start, '\n', (size_t)(end - start));
        reader.line = reader.at = start;
        reader.end = stop != NULL ? stop : end;
        reader.number++;
        is_read = read_line(&reader);
    }
    free(ended);
    for (uint32_t i = 0; i < obj->num_parts; i++)
        has_faces = has_faces || obj->parts[i].num_triangles > 0;
    if (is_read && !has_faces)
        return tool_fail(error, MD5_ERROR_SYNTAX, path, "there are no faces");
    return is_read;
}

// == Binding ======================================================================================

static int find_excluded(const tool_arguments *arguments, const md5_model *model, bool *excluded)
{
    for (size_t i = 0; i < arguments->excluded.count; i++) {
        const uint32_t joint = md5_find_joint(&model->skeleton, arguments->excluded.names[i]);
        if (joint == MD5_NONE)
            return tool_usage("bind", "--exclude %s: there is no such joint",
                              arguments->excluded.names[i]);
        excluded[joint] = true;
    }
    return TOOL_OK;
}

// The weights of all parts together, since the inside of the surface is that of all of them.
static md5_weights *create_weights(const tool_arguments *arguments, const tool_obj *obj,
                                   const md5_model *model, const md5_mat34 *bind,
                                   const bool *excluded, md5_error *error)
{
    size_t count = 0;
    for (uint32_t i = 0; i < obj->num_parts; i++)
        count += obj->parts[i].num_triangles;
    uint32_t *const indices = common_alloc(3 * count + 1, sizeof *indices);
    size_t used = 0;
    for (uint32_t i = 0; i < obj->num_parts; i++)
        for (size_t k = 0; k < 3 * (size_t)obj->parts[i].num_triangles; k++)
            indices[used++] = obj->parts[i].corners[k].position;
    const md5_weights_desc desc = {
        .positions = obj->positions,
        .num_positions = obj->num_positions,
        .indices = indices,
        .num_triangles = (uint32_t)count,
        .skeleton = &model->skeleton,
        .bind = bind,
        .excluded = excluded,
        .resolution = arguments->resolution,
        .max_influences = arguments->influences,
    };
    const md5_load_opts opts = {.file_name = arguments->words[0]};
    md5_weights *const weights = md5_create_weights(&desc, &opts, error);
    free(indices);
    if (weights == NULL && error->file[0] == '\0')
        (void)snprintf(error->file, sizeof error->file, "%s", arguments->words[0]);
    return weights;
}

// -- Writing --------------------------------------------------------------------------------------

// The vertices of one mesh: each pair of position and texture coordinate once, in the order in
// which triangles use them. `next` chains the vertices of a position.
typedef struct bind_vertices {
    tool_obj_corner *corners; // [count]
    uint32_t *next;           // [count] 1 + the next one of the same position; 0 = none
    uint32_t *first;          // [positions] 1 + the first vertex of each; 0 = none
    uint32_t *weight;         // [positions] the first weight, in this mesh
    uint32_t count;
} bind_vertices;

// Returns the vertex of a corner, which is added if it is new.
static uint32_t vertex_of(bind_vertices *vertices, tool_obj_corner corner)
{
    for (uint32_t i = vertices->first[corner.position]; i > 0; i = vertices->next[i - 1])
        if (vertices->corners[i - 1].texcoord == corner.texcoord)
            return i - 1;
    vertices->corners[vertices->count] = corner;
    vertices->next[vertices->count] = vertices->first[corner.position];
    vertices->first[corner.position] = ++vertices->count;
    return vertices->count - 1;
}

// The mesh of a material. Its arrays are the caller's.
static md5_doc_mesh make_mesh(const tool_obj *obj, const tool_obj_part *part,
                              const md5_weights *weights)
{
    const size_t num_corners = 3 * (size_t)part->num_triangles;
    bind_vertices vertices = {
        .corners = common_alloc(num_corners, sizeof *vertices.corners),
        .next = common_alloc(num_corners, sizeof *vertices.next),
        .first = common_alloc(obj->num_positions, sizeof *vertices.first),
        .weight = common_alloc(obj->num_positions, sizeof *vertices.weight),
    };
    md5_doc_mesh mesh = {.shader = part->material,
                         .num_triangles = part->num_triangles,
                         .indices = common_alloc(num_corners, sizeof *mesh.indices)};
    for (size_t i = 0; i < num_corners; i++) { // clockwise seen from outside
        const size_t turned = i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1;
        mesh.indices[turned] = vertex_of(&vertices, part->corners[i]);
    }
    mesh.num_vertices = vertices.count;
    mesh.vertices = common_alloc(mesh.num_vertices, sizeof *mesh.vertices);
    mesh.texcoords = common_alloc(mesh.num_vertices, sizeof *mesh.texcoords);
    for (uint32_t i = 0; i < mesh.num_vertices; i++)
        mesh.num_weights += weights->vertices[vertices.corners[i].position].num_weights;
    mesh.weights = common_alloc(mesh.num_weights, sizeof *mesh.weights); // or more than it has
    mesh.num_weights = 0;
    for (uint32_t i = 0; i < mesh.num_vertices; i++) {
        const tool_obj_corner corner = vertices.corners[i];
        const md5_vertex from = weights->vertices[corner.position];
        // Vertices of one position share their weights.
        if (vertices.first[corner.position] != UINT32_MAX) {
            vertices.first[corner.position] = UINT32_MAX;
            vertices.weight[corner.position] = mesh.num_weights;
            memcpy(mesh.weights + mesh.num_weights, weights->weights + from.first_weight,
                   from.num_weights * sizeof *mesh.weights);
            mesh.num_weights += from.num_weights;
        }
        mesh.vertices[i] = (md5_vertex){vertices.weight[corner.position], from.num_weights};
        // Texture coordinates of OBJ files count from the bottom, those of .md5mesh files from the
        // top.
        const md5_vec2 texcoord =
            corner.texcoord > 0 ? obj->texcoords[corner.texcoord - 1] : (md5_vec2){0.0f, 1.0f};
        mesh.texcoords[i] = (md5_vec2){texcoord.x, 1.0f - texcoord.y};
    }
    free(vertices.corners);
    free(vertices.next);
    free(vertices.first);
    free(vertices.weight);
    return mesh;
}

// One mesh for each material that has triangles.
static bool write_bound(const char *path, const md5_model *model, const md5_xform *joints,
                        const tool_obj *obj, const md5_weights *weights, md5_error *error)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    md5_doc doc = {
        .kind = MD5_DOC_MODEL,
        .command_line = "md5tool bind",
        .num_joints = skeleton->num_joints,
        .joints = common_alloc(skeleton->num_joints, sizeof *doc.joints),
        .meshes = common_alloc(obj->num_parts, sizeof *doc.meshes),
    };
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const md5_quat q = joints[i].rotation;
        doc.joints[i] = (md5_doc_joint){.name = skeleton->joints[i].name,
                                        .parent = skeleton->joints[i].parent,
                                        .position = joints[i].translation,
                                        .rotation = {q.x, q.y, q.z}};
    }
    for (uint32_t i = 0; i < obj->num_parts; i++)
        if (obj->parts[i].num_triangles > 0)
            doc.meshes[doc.num_meshes++] = make_mesh(obj, &obj->parts[i], weights);
    const bool is_written = tool_write_doc(path, &doc, error);
    for (uint32_t m = 0; m < doc.num_meshes; m++) {
        free(doc.meshes[m].indices);
        free(doc.meshes[m].vertices);
        free(doc.meshes[m].texcoords);
        free(doc.meshes[m].weights);
    }
    free(doc.meshes);
    free(doc.joints);
    return is_written;
}

static int bind_files(tool_arguments *arguments)
{
    md5_error error = {0};
    tool_obj obj;
    md5_model *const model = read_obj(arguments->words[0], &obj, &error)
                                 ? md5_load_model(arguments->words[1], NULL, &error)
                                 : NULL;
    const uint32_t num_joints = model ? model->skeleton.num_joints : 0;
    md5_xform *const joints = common_alloc(num_joints, sizeof *joints);
    md5_mat34 *const bind = common_alloc(num_joints, sizeof *bind);
    bool *const excluded = common_alloc(num_joints, sizeof *excluded);
    md5_weights *weights = NULL;
    int status = model ? find_excluded(arguments, model, excluded) : tool_end(false, &error);
    if (model && status == TOOL_OK) {
        // The bind pose as a file has it, and what a reader makes of that.
        for (uint32_t i = 0; i < num_joints; i++) {
            md5_quat q = tool_stored_rotation(md5_quat_from_mat34(model->bind[i]));
            const double rest = 1.0 - (double)q.x * (double)q.x - (double)q.y * (double)q.y
                                - (double)q.z * (double)q.z;
            q.w = -(float)sqrt(fabs(rest));
            joints[i] = md5_xform_from_mat34(model->bind[i]);
            joints[i].rotation = q;
            bind[i] = md5_mat34_from_xform(joints[i]);
        }
        for (uint32_t i = 0; i < obj.num_positions && arguments->is_y_up; i++) {
            const md5_vec3 position = obj.positions[i];
            obj.positions[i] = (md5_vec3){position.z, position.x, position.y};
        }
        weights = create_weights(arguments, &obj, model, bind, excluded, &error);
        status = tool_end(
            weights && write_bound(arguments->output, model, joints, &obj, weights, &error),
            &error);
    }
    if (status == TOOL_OK && weights && weights->num_distant > 0)
        fprintf(
            stderr,
            "md5tool: bind: no bone reaches %u of %u vertices inside the mesh: they are bound by "
            "the straight distance\n",
            weights->num_distant, weights->num_vertices);
    md5_destroy_weights(weights);
    free(excluded);
    free(bind);
    free(joints);
    md5_free_model(model);
    for (uint32_t i = 0; i < obj.num_parts; i++) {
        free(obj.parts[i].material);
        free(obj.parts[i].corners);
    }
    free(obj.parts);
    free(obj.positions);
    free(obj.texcoords);
    return status;
}

const tool_command tool_bind = {
    "bind",
    bind_files,
    2,
    2,
    "an OBJ file and a model",
    "usage: md5tool bind [OPTION...] MESH.obj SKELETON.md5mesh\n"
    "\n"
    "Binds the surface of a Wavefront OBJ file to the joints of a model, by distance through the\n"
    "inside of the mesh, and prints it as .md5mesh. Meshes follow the materials of the OBJ file.\n"
    "The surface must stand in the bind pose of the model, in its space: x forward, y left, z up.\n"
    "\n"
    "  --output FILE       write to that file instead of standard output\n"
    "  --influences N      most weights of a vertex, 1 to 16 (4)\n"
    "  --resolution N      voxels along the longest side, 4 to 256 (64)\n"
    "  --exclude JOINT     give that joint no weights; may be repeated\n"
    "  --y-up              the OBJ file has y up, z forward and x left\n"};
