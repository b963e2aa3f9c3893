// MD5 files in, which a scene holds as they are, and out as text.
#include "demo/common/file.h"
#include "demo/convert/convert.h"

#include <stdlib.h>
#include <string.h>

static const char *const endings[] = {".md5mesh", ".md5anim", ".md5camera", ".md5mesh"}; // by kind

bool convert_read_md5(const convert_job *job, convert_input *input, convert_scene *scene,
                      md5_error *error)
{
    (void)job;
    (void)error;
    const char *const path = input->path;
    char *const name = common_stem(path);
    convert_part_kind kind = CONVERT_CLIP;
    if (common_has_ending(path, "mesh"))
        // Further models are morph targets: expressions of the first one.
        kind = convert_next_part(scene, CONVERT_MODEL, 0) ? CONVERT_TARGET : CONVERT_MODEL;
    else if (common_has_ending(path, ".md5camera") || common_has_ending(path, ".bcanim"))
        kind = CONVERT_CAMERA;
    convert_add_part(scene, kind, name, path, input->bytes, input->size);
    input->bytes = NULL;
    free(name);
    return true;
}

// The text of a part, canonical: as id's exporter lays it out.
static bool write_part(const convert_job *job, const convert_part *part, const char *path,
                       md5_error *error)
{
    static const md5_doc_kind kinds[] = {MD5_DOC_MODEL, MD5_DOC_ANIM, MD5_DOC_CAMERA,
                                         MD5_DOC_MODEL};
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
    md5_doc *const doc = md5_parse_doc(kinds[part->kind], part->bytes, part->size, &opts, error);
    const size_t size = doc ? md5_write_doc(doc, NULL, 0, error) : 0;
    bool is_written = false;
    if (size > 0) {
        char *const text = common_alloc(size + 1, 1);
        (void)md5_write_doc(doc, text, size + 1, error);
        is_written = convert_write_file(job, path, text, size, error);
        free(text);
    }
    md5_free_doc(doc);
    return is_written;
}

// The model takes the name of the output, the others their own, in its folder. An output that ends
// in .md5anim or .md5camera is the only part of that kind.
bool convert_write_md5(const convert_job *job, const convert_scene *scene, md5_error *error)
{
    const bool is_folder = common_is_folder(job->output);
    char *const folder = is_folder ? common_copy(job->output) : common_folder(job->output);
    bool is_done = true, is_named = is_folder;
    for (size_t i = 0; i < scene->num_parts && is_done; i++) {
        const convert_part *const part = &scene->parts[i];
        const bool is_output = !is_named && part->kind != CONVERT_TARGET
                               && common_has_ending(job->output, endings[part->kind]);
        char *const name = common_format("%s%s", part->name, endings[part->kind]);
        char *const path = is_output ? common_copy(job->output) : common_join(folder, name);
        is_done = write_part(job, part, path, error);
        is_named |= is_output;
        free(path);
        free(name);
    }
    if (is_done && !is_named)
        is_done = convert_fail(error, MD5_ERROR_MISSING, job->output,
                               "the inputs hold nothing that such a file could hold");
    free(folder);
    return is_done;
}
