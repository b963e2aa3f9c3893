#include "demo/tool/obj.h"

#include "demo/common/memory.h"
#include "demo/common/stream.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Far more than any mesh that can be drawn; keeps counts within 32 bits.
enum { MOST_ITEMS = 1 << 28 };

// A line of the file, and where in it the reader is.
typedef struct obj_reader {
    const char *line, *at, *end; // of the line; `end` is its '\n' or the end of the text
    uint32_t number;             // of the line, from 1
    uint32_t part;               // that faces go to
    tool_obj *obj;
    md5_error *error;
} obj_reader;

static bool fail(const obj_reader *reader, const char *at, const char *format, ...)
    COMMON_PRINTF(3, 4);
static bool fail(const obj_reader *reader, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    reader->error->status = MD5_ERROR_SYNTAX;
    reader->error->line = reader->number;
    reader->error->column = (uint32_t)(at - reader->line) + 1;
    (void)vsnprintf(reader->error->message, sizeof reader->error->message, format, arguments);
    va_end(arguments);
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

// What stands at `at`, for messages: at most a few bytes, without those of control.
static void describe(const obj_reader *reader, const char *at, char text[24])
{
    size_t size = 0;
    while (at + size < reader->end && !is_blank(at[size]) && size < 20)
        size++;
    if (size == 0)
        (void)snprintf(text, 24, "the end of the line");
    else
        (void)snprintf(text, 24, "'%.*s'", (int)size, at);
}

// The text ends in a NUL, so strtod() stops; a number must end where its word ends.
static bool read_number(obj_reader *reader, const char *what, float *number)
{
    char found[24], *end;
    skip_blanks(reader);
    const char *const at = reader->at;
    const double value = at < reader->end ? strtod(at, &end) : 0.0;
    const bool is_read = at < reader->end && end > at && end <= reader->end
                         && (end == reader->end || is_blank(*end));
    if (!is_read || !(fabs(value) <= 1e9)) {
        describe(reader, at, found);
        return fail(reader, at, "expected %s, a number of at most 1e9, found %s", what, found);
    }
    *number = (float)value;
    reader->at = end;
    return true;
}

static void *grown(void *items, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity > 0 ? *capacity * 2 : 256;
    return common_realloc(items, *capacity, size);
}

static bool has_room(const obj_reader *reader, uint32_t count)
{
    return count < MOST_ITEMS || fail(reader, reader->line, "more than %d items", MOST_ITEMS);
}

static bool read_position(obj_reader *reader)
{
    tool_obj *const obj = reader->obj;
    md5_vec3 at;
    if (!has_room(reader, obj->num_positions) || !read_number(reader, "x", &at.x)
        || !read_number(reader, "y", &at.y) || !read_number(reader, "z", &at.z))
        return false;
    obj->positions = grown(obj->positions, obj->num_positions, &obj->positions_capacity, sizeof at);
    obj->positions[obj->num_positions++] = at;
    return true;
}

static bool read_texcoord(obj_reader *reader)
{
    tool_obj *const obj = reader->obj;
    md5_vec2 at = {0.0f, 0.0f};
    if (!has_room(reader, obj->num_texcoords) || !read_number(reader, "u", &at.x))
        return false;
    skip_blanks(reader);
    if (reader->at < reader->end && *reader->at != '#' && !read_number(reader, "v", &at.y))
        return false;
    obj->texcoords = grown(obj->texcoords, obj->num_texcoords, &obj->texcoords_capacity, sizeof at);
    obj->texcoords[obj->num_texcoords++] = at;
    return true;
}

// Indices count from 1, or, if negative, back from the last one so far.
static bool read_index(obj_reader *reader, const char *what, uint32_t count, uint32_t *index)
{
    char found[24], *end;
    const char *const at = reader->at;
    const bool is_number = at < reader->end && (*at == '-' || (*at >= '0' && *at <= '9'));
    const long long value = is_number ? strtoll(at, &end, 10) : 0;
    if (!is_number || end == at) {
        describe(reader, at, found);
        return fail(reader, at, "expected the index of a %s, found %s", what, found);
    }
    if (value == 0 || value > (long long)count || value < -(long long)count)
        return fail(reader, at, "%s %lld, but there are %u so far", what, value, (unsigned)count);
    *index = value > 0 ? (uint32_t)(value - 1) : (uint32_t)((long long)count + value);
    reader->at = end;
    return true;
}

// POSITION, POSITION/TEXCOORD, POSITION//NORMAL or POSITION/TEXCOORD/NORMAL
static bool read_corner(obj_reader *reader, tool_obj_corner *corner)
{
    uint32_t texcoord;
    *corner = (tool_obj_corner){0};
    if (!read_index(reader, "position", reader->obj->num_positions, &corner->position))
        return false;
    if (reader->at < reader->end && *reader->at == '/') {
        reader->at++;
        if (reader->at < reader->end && *reader->at != '/' && !is_blank(*reader->at)) {
            if (!read_index(reader, "texture coordinate", reader->obj->num_texcoords, &texcoord))
                return false;
            corner->texcoord = texcoord + 1;
        }
        if (reader->at < reader->end && *reader->at == '/') // normals are not needed
            while (reader->at < reader->end && !is_blank(*reader->at))
                reader->at++;
    }
    char found[24];
    if (reader->at == reader->end || is_blank(*reader->at))
        return true;
    describe(reader, reader->at, found);
    return fail(reader, reader->at, "expected a blank or '/', found %s", found);
}

static uint32_t find_part(tool_obj *obj, const char *name, size_t size)
{
    for (uint32_t i = 0; i < obj->num_parts; i++)
        if (strlen(obj->parts[i].material) == size
            && memcmp(obj->parts[i].material, name, size) == 0)
            return i;
    obj->parts = grown(obj->parts, obj->num_parts, &obj->parts_capacity, sizeof *obj->parts);
    obj->parts[obj->num_parts] =
        (tool_obj_part){.material = common_format("%.*s", (int)size, name)};
    return obj->num_parts++;
}

static void add_triangle(obj_reader *reader, const tool_obj_corner corners[3])
{
    tool_obj_part *const part = &reader->obj->parts[reader->part];
    part->corners =
        grown(part->corners, part->num_triangles, &part->capacity, 3 * sizeof *part->corners);
    memcpy(part->corners + 3 * (size_t)part->num_triangles++, corners, 3 * sizeof *corners);
}

static bool read_face(obj_reader *reader)
{
    const char *const at = reader->at;
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
        if (!read_corner(reader, &corners[count < 2 ? count : 2]))
            return false;
        if (!has_room(reader, reader->obj->parts[reader->part].num_triangles))
            return false;
        if (count >= 2)
            add_triangle(reader, corners);
    }
    return count >= 3 || fail(reader, at, "a face has %u corners, which must be 3 or more", count);
}

// The name is the rest of the line. Quotes cannot stand in a .md5mesh file.
static bool read_material(obj_reader *reader)
{
    skip_blanks(reader);
    const char *end = reader->end;
    while (end > reader->at && is_blank(end[-1]))
        end--;
    for (const char *at = reader->at; at < end; at++)
        if (*at == '"' || (unsigned char)*at < ' ')
            return fail(reader, at, "a quote or control character in the name of a material");
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

static bool read_lines(obj_reader *reader, const char *text, size_t size)
{
    const char *const end = text + size;
    for (const char *at = text; at < end;) {
        const char *const stop = memchr(at, '\n', (size_t)(end - at));
        reader->line = reader->at = at;
        reader->end = stop != NULL ? stop : end;
        reader->number++;
        if (!read_line(reader))
            return false;
        at = reader->end + 1;
    }
    for (uint32_t i = 0; i < reader->obj->num_parts; i++)
        if (reader->obj->parts[i].num_triangles > 0)
            return true;
    reader->error->status = MD5_ERROR_SYNTAX;
    (void)snprintf(reader->error->message, sizeof reader->error->message, "there are no faces");
    return false;
}

bool tool_read_obj(const char *path, tool_obj *obj, md5_error *error)
{
    size_t size = 0;
    const char *reason = NULL;
    char *const text = common_read_stream(path, &size, &reason);
    *obj = (tool_obj){0};
    *error = (md5_error){.status = MD5_OK};
    (void)snprintf(error->file, sizeof error->file, "%s", path);
    if (text == NULL) {
        error->status = MD5_ERROR_IO;
        (void)snprintf(error->message, sizeof error->message, "cannot read the file: %s", reason);
        return false;
    }
    // strtod() needs an end.
    char *const ended = common_realloc(text, size + 1, 1);
    ended[size] = '\0';
    obj_reader reader = {.obj = obj, .error = error};
    const bool is_read = read_lines(&reader, ended, size);
    free(ended);
    return is_read;
}

void tool_free_obj(tool_obj *obj)
{
    for (uint32_t i = 0; i < obj->num_parts; i++) {
        free(obj->parts[i].material);
        free(obj->parts[i].corners);
    }
    free(obj->parts);
    free(obj->positions);
    free(obj->texcoords);
    *obj = (tool_obj){0};
}
