// Reads Wavefront OBJ line by line: a surface without joints, for `md5tool bind`. The surface does
// not become a plain scene. `md5tool bind` attaches its vertices to the joints of an MD5 model, so
// it needs the information which triangles share a position.
#include "demo/convert/budget.h"
#include "demo/convert/obj.h"
#include "demo/convert/tokens.h"

// Far above any mesh that can be drawn. The limit ensures that counts fit in 32 bits.
enum { MAX_ITEMS = 1 << 28 };

// An OBJ file while it is read.
typedef struct obj_reader {
    convert_tokens in; // the current line
    uint32_t part;     // index of the part to which faces are added
    convert_obj *obj;
    common_text_index materials; // names of the materials; material i belongs to part i
    convert_budget budget;
    convert_job job; // contains only the budget
} obj_reader;

// Fails if a list cannot grow, because it has reached MAX_ITEMS elements.
static bool has_capacity(const obj_reader *reader, uint32_t count)
{
    if (count >= MAX_ITEMS)
        return convert_fail_at(&reader->in, MD5_ERROR_SYNTAX, reader->in.line_start,
                               "file has too many elements: expected at most %d", (int)MAX_ITEMS);
    return true;
}

static bool read_float(obj_reader *reader, const char *expected, float *number)
{
    double value = 0;
    const bool is_read = convert_read_number(&reader->in, expected, &value);
    *number = (float)value;
    return is_read;
}

// Returns true if another token follows that is not a comment.
static bool has_more(obj_reader *reader)
{
    return convert_next_token(&reader->in) > 0 && *reader->in.at != '#';
}

// Returns true if the current token continues.
static bool is_in_token(const obj_reader *reader)
{
    const convert_tokens *const in = &reader->in;
    return in->at < in->end && !isspace((unsigned char)*in->at);
}

// Reads the coordinates after "v". Further numbers of the line, such as colors, are ignored.
static bool read_position(obj_reader *reader)
{
    convert_obj *const obj = reader->obj;
    md5_vec3 position;
    if (!has_capacity(reader, obj->num_positions))
        return false;
    if (!read_float(reader, "x as a number from -1e9 to 1e9", &position.x)
        || !read_float(reader, "y as a number from -1e9 to 1e9", &position.y))
        return false;
    if (!read_float(reader, "z as a number from -1e9 to 1e9", &position.z))
        return false;
    *COMMON_ADD_ITEM(obj->positions, obj->num_positions) = position;
    return true;
}

// Reads the texture coordinates after "vt". v may be missing; it is 0 then.
static bool read_texcoord(obj_reader *reader)
{
    convert_obj *const obj = reader->obj;
    md5_vec2 texcoord = {0, 0};
    if (!has_capacity(reader, obj->num_texcoords)
        || !read_float(reader, "u as a number from -1e9 to 1e9", &texcoord.x))
        return false;
    if (has_more(reader) && !read_float(reader, "v as a number from -1e9 to 1e9", &texcoord.y))
        return false;
    *COMMON_ADD_ITEM(obj->texcoords, obj->num_texcoords) = texcoord;
    return true;
}

// Returns true if the next characters begin a number.
static bool is_at_number(const obj_reader *reader)
{
    const char c = *reader->in.at;
    return is_in_token(reader) && (c == '-' || (c >= '0' && c <= '9'));
}

// Reads an index. Indices count from 1. Negative indices count backward from the last element so
// far. `count` is the number of elements so far, and `name` is their name in messages. `expected`
// describes the index in messages.
static bool read_index(obj_reader *reader, const char *expected, const char *name, uint32_t count,
                       uint32_t *index)
{
    const char *const token = reader->in.at;
    if (!is_at_number(reader))
        return convert_fail_token(&reader->in, expected);
    char *end = NULL;
    const long long number = strtoll(token, &end, 10);
    if (end == token) // a sign without digits
        return convert_fail_token(&reader->in, expected);
    const long long last = (long long)count;
    if (number == 0 || number > last || number < -last)
        return convert_fail_at(
            &reader->in, MD5_ERROR_SYNTAX, token,
            "%s is out of range: found %lld, but the file has %u before this line", name, number,
            count);
    *index = (uint32_t)(number > 0 ? number - 1 : last + number);
    reader->in.at = end;
    return true;
}

// Returns the index of the part with a material, which is created if it is new.
static uint32_t find_part(obj_reader *reader, const char *name, size_t size)
{
    convert_obj *const obj = reader->obj;
    const size_t number = common_index_text(&reader->materials, name, size);
    if (number == obj->num_parts)
        *COMMON_ADD_ITEM(obj->parts, obj->num_parts) =
            (convert_obj_part){.material = common_copy(reader->materials.texts[number])};
    return (uint32_t)number;
}

// Reads the texture coordinate of a corner. It is missing if the token ends, or if the '/' of the
// normal follows, as in POSITION//NORMAL.
static bool read_corner_texcoord(obj_reader *reader, convert_obj_corner *corner)
{
    uint32_t texcoord = 0;
    if (!is_in_token(reader) || *reader->in.at == '/')
        return true;
    if (!read_index(reader, "a texture coordinate index", "texture coordinate",
                    reader->obj->num_texcoords, &texcoord))
        return false;
    corner->texcoord = texcoord + 1;
    return true;
}

// Reads a corner of a face: POSITION, POSITION/TEXCOORD, POSITION//NORMAL or
// POSITION/TEXCOORD/NORMAL. The numbers are indices of positions and texture coordinates.
// Normals are ignored. Returns false on failure.
static bool read_corner(obj_reader *reader, convert_obj_corner *corner)
{
    convert_tokens *const in = &reader->in;
    *corner = (convert_obj_corner){0};
    if (!read_index(reader, "a position index", "position", reader->obj->num_positions,
                    &corner->position))
        return false;

    if (is_in_token(reader) && *in->at == '/') {
        in->at++;
        if (!read_corner_texcoord(reader, corner))
            return false;
        if (is_in_token(reader) && *in->at == '/')
            in->at += convert_next_token(in); // skips the normal
    }

    if (is_in_token(reader))
        return convert_fail_token(in, "a space or '/'");
    return true;
}

// Adds a triangle to the current part.
static bool add_triangle(obj_reader *reader, const convert_obj_corner corners[3])
{
    enum { ELEMENTS_PER_TRIANGLE = 8, BYTES_PER_TRIANGLE = 128 }; // also for the tables of a mesh
    if (!convert_charge(&reader->job, ELEMENTS_PER_TRIANGLE, reader->in.error)
        || !convert_charge_bytes(&reader->job, 1, BYTES_PER_TRIANGLE, reader->in.error))
        return false;
    convert_obj_part *const part = &reader->obj->parts[reader->part];
    part->corners = common_grow(part->corners, part->num_triangles, 3 * sizeof *part->corners);
    memcpy(part->corners + 3 * (size_t)part->num_triangles++, corners, 3 * sizeof *corners);
    return true;
}

// Reads a face and adds its triangles to the current part. They form a fan around the first corner.
static bool read_face(obj_reader *reader)
{
    convert_tokens *const in = &reader->in;
    const char *const start = in->at;
    convert_obj_corner first = {0};
    convert_obj_corner previous = {0};
    uint32_t count = 0; // corners
    if (reader->obj->num_parts == 0)
        reader->part = find_part(reader, "", 0);

    for (; has_more(reader); count++) {
        convert_obj_corner corner;
        if (!read_corner(reader, &corner))
            return false;
        if (!has_capacity(reader, reader->obj->parts[reader->part].num_triangles))
            return false;
        if (count == 0)
            first = corner;
        const convert_obj_corner triangle[3] = {first, previous, corner};
        if (count >= 2 && !add_triangle(reader, triangle))
            return false;
        previous = corner;
    }

    if (count < 3)
        return convert_fail_at(in, MD5_ERROR_SYNTAX, start,
                               "face has too few vertices: expected 3 or more, found %u", count);
    return true;
}

// Reads a material's name, which the line ends. .md5mesh files cannot contain quotes.
static bool read_material(obj_reader *reader)
{
    enum { MAX_LENGTH = 1000 };
    convert_tokens *const in = &reader->in;
    convert_next_token(in);
    const char *end = in->end;
    while (end > in->at && strchr(" \t\r", end[-1]))
        end--;
    for (const char *byte = in->at; byte < end; byte++) {
        if (*byte == '"' || (unsigned char)*byte < ' ')
            return convert_fail_at(
                in, MD5_ERROR_SYNTAX, byte,
                "material name contains a quote or control character; rename the material");
    }
    if (end - in->at > MAX_LENGTH)
        return convert_fail_at(in, MD5_ERROR_SYNTAX, in->at,
                               "material name is too long: expected at most 1000 bytes");
    reader->part = find_part(reader, in->at, (size_t)(end - in->at));
    return true;
}

// Reads a line. Its first token selects its meaning. Lines with other tokens, such as comments,
// normals and groups, are ignored.
static bool read_line(obj_reader *reader)
{
    static const struct {
        const char *token;
        bool (*read)(obj_reader *reader);
    } kinds[] = {
        {"v", read_position}, {"vt", read_texcoord}, {"f", read_face}, {"usemtl", read_material}};
    const size_t size = convert_next_token(&reader->in);
    const char *const token = reader->in.at;
    reader->in.at += size;
    for (size_t i = 0; i < COMMON_LENGTH(kinds); i++) {
        if (strlen(kinds[i].token) == size && memcmp(kinds[i].token, token, size) == 0)
            return kinds[i].read(reader);
    }
    return true;
}

// Reads all lines of a text, and counts them for error messages. Returns false at the first
// invalid line.
static bool read_lines(obj_reader *reader, const char *text, const char *end)
{
    for (const char *start = text; start < end; start = reader->in.end + 1) {
        const char *const stop = memchr(start, '\n', (size_t)(end - start));
        reader->in.line_start = start;
        reader->in.at = start;
        reader->in.end = stop ? stop : end;
        reader->in.line++;
        if (!read_line(reader))
            return false;
    }
    return true;
}

static bool has_faces(const convert_obj *obj)
{
    for (uint32_t i = 0; i < obj->num_parts; i++) {
        if (obj->parts[i].num_triangles > 0)
            return true;
    }
    return false;
}

// Reads the meshes of an OBJ file; normals and other properties are ignored. convert_free_obj()
// frees them also after an error.
bool convert_read_obj(const char *path, convert_obj *obj, md5_error *error)
{
    size_t size = 0;
    char *const text = convert_read_file(path, &size, error);
    *obj = (convert_obj){0};
    if (!text)
        return false;

    obj_reader reader = {
        .obj = obj,
        .in = {.path = path, .error = error, .end_name = "the end of the line", .max_shown = 20}};
    convert_begin_budget(&reader.budget, size);
    reader.job.budget = &reader.budget;
    const bool is_read = read_lines(&reader, text, text + size);
    free(text);
    common_free_text_index(&reader.materials);
    convert_end_budget(&reader.budget, &reader.job);

    if (!is_read && error->file[0] == '\0') // an error of the budget
        convert_name_file(error, path);
    if (is_read && !has_faces(obj))
        return convert_fail(error, MD5_ERROR_SYNTAX, path,
                            "file has no faces: expected an OBJ file with at least 1 face");
    return is_read;
}

// Frees the parts with their triangles, and the positions and texture coordinates.
void convert_free_obj(convert_obj *obj)
{
    for (uint32_t i = 0; i < obj->num_parts; i++) {
        convert_obj_part *const part = &obj->parts[i];
        free(part->material);
        free(part->corners);
    }
    free(obj->parts);
    free(obj->positions);
    free(obj->texcoords);
}
