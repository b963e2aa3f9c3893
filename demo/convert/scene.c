// Scenes, and what readers and writers share: errors, notes, files.
#include "demo/convert/convert.h"

#include "demo/common/file.h"
#include "demo/common/write.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Errors and notes -----------------------------------------------------------------------------

bool convert_fail(md5_error *error, md5_status status, const char *path, const char *format, ...)
{
    *error = (md5_error){.status = status};
    if (path != NULL) {
        const size_t length = strlen(path), kept = sizeof error->file - 1;
        memcpy(error->file, path + (length > kept ? length - kept : 0),
               length < kept ? length : kept);
    }
    va_list values;
    va_start(values, format);
    (void)vsnprintf(error->message, sizeof error->message, format, values);
    va_end(values);
    return false;
}

void convert_note(const convert_job *job, const char *format, ...)
{
    if (job->note == NULL)
        return;
    char text[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    job->note(job->user, text);
}

// Of versions the newest counts.
static const convert_engine engines[] = {
    {" doom3 dhewm3 darkmod tdm quake4 openq4 ", CONVERT_DOOM3, 0},
    {" rbdoom bfg ", CONVERT_DOOM3, 4},
    {" ironwail qss quakespasm-spiked fte fteqw ", CONVERT_QUAKE, 4},
    {" vkquake ", CONVERT_QUAKE, 8},
    {" q2pro yquake2 yquake2remaster ", CONVERT_QUAKE2, 0},
    {" cube2 redeclipse ", CONVERT_CUBE2, 4},
    {" daemon unvanquished ", CONVERT_OTHER, 4},
};
enum { NUM_ENGINES = sizeof engines / sizeof engines[0] };

const convert_engine *convert_find_engine(const char *name)
{
    if (name == NULL)
        return &engines[0];
    char *const word = common_format(" %.*s ", (int)strcspn(name, ":"), name);
    const convert_engine *engine = engines;
    while (engine < engines + NUM_ENGINES && strstr(engine->names, word) == NULL)
        engine++;
    free(word);
    return engine < engines + NUM_ENGINES ? engine : &engines[0];
}

char *convert_file_name(const char *name)
{
    enum { MOST_BYTES = 100 };
    char *const text = common_format("%.*s", MOST_BYTES, name[0] != '\0' ? name : "unnamed");
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || strchr("/\\:*?\"<>|\x7f", *c) != NULL
            || (c == text && *c == '.'))
            *c = '_';
    return text;
}

bool convert_write_file(const convert_job *job, const char *path, const void *bytes, size_t size,
                        md5_error *error)
{
    if (common_is_file(path) && !job->is_forced)
        return convert_fail(error, MD5_ERROR_IO, path, "the file exists: --force writes over it");
    common_writer writer;
    if (!common_begin_file(&writer, path, false)
        || !common_end_file(&writer, fwrite(bytes, 1, size, writer.file) == size))
        return convert_fail(error, MD5_ERROR_IO, path, "cannot write the file: %s",
                            strerror(errno));
    if (job->wrote != NULL)
        job->wrote(job->user, path);
    return true;
}

void convert_put(convert_bytes *out, const void *bytes, size_t size)
{
    if (out->room - out->size < size) {
        out->room = 2 * (out->size + size);
        out->bytes = common_realloc(out->bytes, out->room, 1);
    }
    if (size > 0)
        memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

void convert_put_text(convert_bytes *out, const char *format, ...)
{
    for (;;) {
        va_list values;
        va_start(values, format);
        const size_t room = out->room - out->size;
        const int length =
            vsnprintf(room > 0 ? out->bytes + out->size : NULL, room, format, values);
        va_end(values);
        if ((size_t)length < room) {
            out->size += (size_t)length;
            return;
        }
        out->room = 2 * (out->room + (size_t)length + 1);
        out->bytes = common_realloc(out->bytes, out->room, 1);
    }
}

void convert_put_u32(convert_bytes *out, uint32_t number)
{
    for (int shift = 0; shift < 32; shift += 8)
        convert_put(out, &(unsigned char){(unsigned char)(number >> shift)}, 1);
}

void convert_put_f32(convert_bytes *out, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    convert_put_u32(out, bits);
}

void convert_put_vec3(convert_bytes *out, md5_vec3 v)
{
    convert_put_f32(out, v.x);
    convert_put_f32(out, v.y);
    convert_put_f32(out, v.z);
}

// -- Clips ----------------------------------------------------------------------------------------

void convert_set_track(md5_doc *clip, uint32_t joint, const char *name, uint32_t parent,
                       uint32_t flags, convert_xform base)
{
    clip->joints[joint] = (md5_doc_joint){.name = name,
                                          .parent = parent,
                                          // Engines refuse a first component behind the last one.
                                          .track = {flags, flags ? clip->num_components : 0},
                                          .position = convert_to_vec3(base.translation),
                                          .rotation = convert_stored(base.rotation)};
    for (; flags > 0; flags &= flags - 1)
        clip->num_components++;
}

void convert_begin_frames(md5_doc *clip)
{
    clip->numbers =
        common_alloc((size_t)clip->num_frames * clip->num_components + 1, sizeof *clip->numbers);
}

void convert_set_frame(md5_doc *clip, uint32_t frame, const convert_xform *local)
{
    float *number = clip->numbers + (size_t)frame * clip->num_components;
    for (uint32_t i = 0; i < clip->num_joints; i++) {
        const md5_vec3 t = convert_to_vec3(local[i].translation);
        const md5_vec3 q = convert_stored(local[i].rotation);
        const float parts[] = {t.x, t.y, t.z, q.x, q.y, q.z};
        for (int k = 0; k < 6; k++)
            if (clip->joints[i].track.flags >> k & 1)
                *number++ = parts[k];
    }
}

// -- Scenes ---------------------------------------------------------------------------------------

static bool is_taken(const convert_scene *scene, convert_part_kind kind, const char *name)
{
    for (size_t i = 0; i < scene->num_parts; i++)
        if (scene->parts[i].kind == kind && strcmp(scene->parts[i].name, name) == 0)
            return true;
    return false;
}

// NOLINTBEGIN(readability-non-const-parameter): the part keeps the bytes
void convert_add_part(convert_scene *scene, convert_part_kind kind, const char *name,
                      const char *path, char *bytes, size_t size)
// NOLINTEND(readability-non-const-parameter)
{
    if (kind == CONVERT_MODEL && convert_find_model(scene))
        kind = CONVERT_TARGET;
    char *unique = common_copy(name);
    for (int k = 2; is_taken(scene, kind, unique); k++) {
        free(unique);
        unique = common_format("%s_%d", name, k);
    }
    scene->parts = common_grow(scene->parts, scene->num_parts, sizeof *scene->parts);
    scene->parts[scene->num_parts++] = (convert_part){
        .kind = kind, .name = unique, .path = common_copy(path), .bytes = bytes, .size = size};
}

bool convert_print_doc(const md5_doc *doc, char **text, size_t *size, md5_error *error)
{
    *size = md5_write_doc(doc, NULL, 0, error);
    if (*size == 0)
        return false;
    free(*text);
    *text = common_alloc(*size + 1, 1);
    (void)md5_write_doc(doc, *text, *size + 1, error);
    return true;
}

// Numbers that scales and offsets of another format make can be beyond those that MD5 may hold.
bool convert_add_doc(convert_scene *scene, convert_part_kind kind, const char *name,
                     const md5_doc *doc, md5_error *error)
{
    char *text = NULL;
    size_t size = 0;
    if (!convert_print_doc(doc, &text, &size, error))
        return false;
    convert_add_part(scene, kind, name, NULL, text, size);
    md5_doc *const read = convert_parse_doc(&scene->parts[scene->num_parts - 1], error);
    md5_free_doc(read);
    return read != NULL;
}

const convert_part *convert_find_model(const convert_scene *scene)
{
    for (size_t i = 0; i < scene->num_parts; i++)
        if (scene->parts[i].kind == CONVERT_MODEL)
            return &scene->parts[i];
    return NULL;
}

md5_doc *convert_parse_doc(const convert_part *part, md5_error *error)
{
    static const md5_doc_kind kinds[] = {MD5_DOC_MODEL, MD5_DOC_ANIM, MD5_DOC_CAMERA,
                                         MD5_DOC_MODEL};
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
    return md5_parse_doc(kinds[part->kind], part->bytes, part->size, &opts, error);
}

md5_model *convert_parse_model(const convert_part *part, md5_error *error)
{
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
    return md5_parse_model(part->bytes, part->size, &opts, error);
}

void convert_free_scene(convert_scene *scene)
{
    for (size_t i = 0; i < scene->num_parts; i++) {
        free(scene->parts[i].name);
        free(scene->parts[i].path);
        free(scene->parts[i].bytes);
    }
    for (size_t i = 0; i < scene->num_materials; i++) {
        convert_material *const material = &scene->materials[i];
        for (int map = 0; map < CONVERT_NUM_MAPS; map++) {
            free(material->maps[map].name);
            free(material->maps[map].declared);
            free(material->maps[map].bytes);
        }
        free(material->shader);
        free(material->text);
    }
    for (size_t i = 0; i < scene->num_weights; i++) {
        free(scene->weights[i].clip);
        free(scene->weights[i].target);
        free(scene->weights[i].keys);
    }
    free(scene->parts);
    free(scene->materials);
    free(scene->weights);
    free(scene->name);
}
