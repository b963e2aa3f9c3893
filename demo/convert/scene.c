// Scenes, and what readers and writers share: errors, notes, files.
#include "demo/convert/convert.h"

#include "demo/common/file.h"
#include "demo/common/write.h"

#include <errno.h>
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
    return (common_begin_file(&writer, path, false)
            && common_end_file(&writer, fwrite(bytes, 1, size, writer.file) == size))
           || convert_fail(error, MD5_ERROR_IO, path, "cannot write the file: %s", strerror(errno));
}

// -- Scenes ---------------------------------------------------------------------------------------

static bool is_taken(const convert_scene *scene, convert_part_kind kind, const char *name)
{
    for (size_t i = 0; i < scene->num_parts; i++)
        if (scene->parts[i].kind == kind && strcmp(scene->parts[i].name, name) == 0)
            return true;
    return false;
}

size_t convert_add_part(convert_scene *scene, convert_part_kind kind, const char *name,
                        const char *path, char *bytes, size_t size)
{
    char *unique = common_copy(name);
    for (int k = 2; is_taken(scene, kind, unique); k++) {
        free(unique);
        unique = common_format("%s_%d", name, k);
    }
    scene->parts = common_grow(scene->parts, scene->num_parts, sizeof *scene->parts);
    scene->parts[scene->num_parts] = (convert_part){kind, unique, common_copy(path), bytes, size};
    return scene->num_parts++;
}

bool convert_add_doc(convert_scene *scene, convert_part_kind kind, const char *name,
                     const md5_doc *doc, md5_error *error)
{
    const size_t size = md5_write_doc(doc, NULL, 0, error);
    if (size == 0)
        return false;
    char *const text = common_alloc(size + 1, 1);
    (void)md5_write_doc(doc, text, size + 1, error);
    convert_add_part(scene, kind, name, NULL, text, size);
    return true;
}

const convert_part *convert_next_part(const convert_scene *scene, convert_part_kind kind,
                                      size_t from)
{
    for (size_t i = from; i < scene->num_parts; i++)
        if (scene->parts[i].kind == kind)
            return &scene->parts[i];
    return NULL;
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
