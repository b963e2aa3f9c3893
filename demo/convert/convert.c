// The formats, and what a conversion does: reads all inputs, then writes.
#include "demo/convert/convert.h"

#include "demo/common/file.h"
#include "demo/convert/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Formats --------------------------------------------------------------------------------------

static const struct format {
    const char *endings; // each between blanks
    const char *title;
    convert_read_fn *read;   // NULL: cannot be read
    convert_write_fn *write; // NULL: cannot be written
    bool has_looks;          // materials are sought for what is written
} formats[] = {
    {" .md5mesh .md5anim .md5camera ", "MD5 text", convert_read_md5, convert_write_md5, false},
    {" .bmd5mesh .bmd5anim .bcanim ", "Doom 3 BFG's binary files", convert_read_md5,
     convert_write_bfg, false},
    {" .md5machine ", "a model, its clips and morph targets", convert_read_machine, NULL, false},
    {" .glb .gltf ", "glTF 2.0", convert_read_gltf, convert_write_gltf, true},
    {" .iqm ", "Inter-Quake Model", convert_read_iqm, convert_write_iqm, false},
    {" .obj ", "Wavefront OBJ: poses", NULL, convert_write_obj, false},
    {" .bvh ", "Biovision motion capture", convert_read_bvh, NULL, false},
    {" .fbx .dae .x .b3d .ms3d .smd ", "FBX, Collada and others", convert_read_assimp, NULL, false},
};
enum { NUM_FORMATS = sizeof formats / sizeof formats[0] };

// Each ending is that of one format. NULL: of none.
static const struct format *find_format(const char *path)
{
    const char *const ending = strrchr(common_base(path), '.');
    if (ending == NULL)
        return NULL;
    for (int i = 0; i < NUM_FORMATS; i++) {
        for (const char *c = formats[i].endings; *c != '\0';) {
            c += strspn(c, " ");
            const size_t length = strcspn(c, " ");
            char *const known = common_format("%.*s", (int)length, c);
            const bool is_it = length > 0 && common_compare_case(known, ending) == 0;
            free(known);
            if (is_it)
                return &formats[i];
            c += length;
        }
    }
    return NULL;
}

bool convert_reads(const char *path)
{
    const struct format *const format = find_format(path);
    return format != NULL && format->read != NULL;
}

bool convert_writes(const char *path)
{
    const struct format *const format = find_format(path);
    return format != NULL && format->write != NULL;
}

char *convert_find_output(const convert_job *job)
{
    const struct format *const format = find_format(job->output);
    if (format == NULL || format->write != convert_write_md5)
        return common_copy(job->output);
    convert_layout layout = convert_find_layout(job, &(convert_scene){.num_parts = 0});
    char *const path = common_join(layout.folder, common_base(job->output));
    convert_free_layout(&layout);
    return path;
}

common_list convert_list_outputs(void)
{
    common_list list = {NULL, 0};
    for (int i = 0; i < NUM_FORMATS; i++) {
        const char *const first = formats[i].endings + strlen(" .");
        if (formats[i].write != NULL)
            common_add(&list, common_format("%.*s", (int)strcspn(first, " "), first));
    }
    return list;
}

void convert_print_formats(void)
{
    for (int i = 0; i < NUM_FORMATS; i++) {
        const struct format *const format = &formats[i];
        printf("%-32s %-8s %s\n", format->endings + 1,
               format->read && format->write ? "in, out"
               : format->read                ? "in"
                                             : "out",
               format->title);
    }
}

// -- The conversion -------------------------------------------------------------------------------

// Reads the file of an input, from disk or what the job reads from.
static bool read_bytes(const convert_job *job, convert_input *input, md5_error *error)
{
    const char *reason = "there is none of this name";
    if (job->files.open == NULL) {
        input->bytes = common_read_stream(input->path, &input->size, &reason);
    } else {
        md5_error why = {.message = ""};
        const void *const bytes = job->files.open(job->files.user, input->path, &input->size, &why);
        if (bytes != NULL) {
            input->bytes = common_alloc(input->size + 1, 1);
            memcpy(input->bytes, bytes, input->size);
            job->files.close(job->files.user, bytes, input->size);
        } else if (why.message[0] != '\0') {
            return convert_fail(error, MD5_ERROR_IO, input->path, "%s", why.message);
        }
    }
    return input->bytes != NULL
           || convert_fail(error, MD5_ERROR_IO, input->path, "cannot read the file: %s", reason);
}

static bool read_input(const convert_job *job, const char *path, convert_scene *scene,
                       md5_error *error)
{
    const struct format *const format = find_format(path);
    if (format == NULL || format->read == NULL)
        return convert_fail(error, MD5_ERROR_IO, path, "no format that is read has this ending");
    convert_input input = {.path = path};
    if (!read_bytes(job, &input, error))
        return false;
    const bool is_read = format->read(job, &input, scene, error);
    if (!is_read && error->file[0] == '\0') // of a document that the reader made
        (void)snprintf(error->file, sizeof error->file, "%s", path);
    free(input.bytes);
    return is_read;
}

// The file of a part as the job wants it: scaled and turned, unless a reader has done that; a clip
// sampled anew and in its place.
static bool edit_part(const convert_job *job, bool is_placed, convert_part *part, md5_error *error)
{
    static const md5_doc_kind kinds[] = {MD5_DOC_MODEL, MD5_DOC_ANIM, MD5_DOC_CAMERA,
                                         MD5_DOC_MODEL};
    const md5_space_edit space = {.turn.yaw = is_placed ? 0.0f : (float)job->turn,
                                  .scale = is_placed ? 0.0f : (float)job->scale};
    const md5_frame_edit frames = {.frame_rate = job->rate, .is_in_place = job->is_in_place};
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
    md5_doc *const doc = md5_parse_doc(kinds[part->kind], part->bytes, part->size, &opts, error);
    bool is_done = doc != NULL && md5_edit_space(doc, &space, error) != MD5_NONE;
    if (is_done && part->kind == CONVERT_CLIP)
        is_done = md5_edit_frames(doc, &frames, error) != MD5_NONE;
    const size_t size = is_done ? md5_write_doc(doc, NULL, 0, error) : 0;
    if (size > 0) {
        free(part->bytes);
        part->bytes = common_alloc(size + 1, 1);
        part->size = md5_write_doc(doc, part->bytes, size + 1, error);
    }
    md5_free_doc(doc);
    return size > 0;
}

// Writers of MD5's numbers get them as the job wants them; others do that as they write.
static bool edit_scene(const convert_job *job, const struct format *format, convert_scene *scene,
                       md5_error *error)
{
    const bool has_numbers =
        format->write == convert_write_md5 || format->write == convert_write_bfg;
    const bool is_asked =
        job->scale > 0.0 || job->turn != 0.0 || job->rate > 0.0 || job->is_in_place;
    for (size_t i = 0; has_numbers && is_asked && i < scene->num_parts; i++)
        if (!edit_part(job, scene->is_placed, &scene->parts[i], error))
            return false;
    if (format->write == convert_write_gltf && job->rate > 0.0 && !scene->is_placed)
        convert_note(job, "glTF has the frames of the clips: they are not sampled anew");
    return true;
}

bool convert_files(const convert_job *job, md5_error *error)
{
    md5_error unused;
    if (error == NULL)
        error = &unused;
    const bool is_folder = common_is_folder(job->output);
    const struct format *const format = is_folder ? formats : find_format(job->output);
    if (format == NULL || format->write == NULL)
        return convert_fail(error, MD5_ERROR_IO, job->output,
                            "no format that is written has this ending, and it is no folder");
    convert_scene scene = {.name = common_stem(is_folder ? job->inputs[0] : job->output)};
    bool is_done = true;
    for (size_t i = 0; i < job->num_inputs && is_done; i++)
        is_done = read_input(job, job->inputs[i], &scene, error);
    if (is_done && scene.num_parts == 0)
        is_done = convert_fail(error, MD5_ERROR_MISSING, job->inputs[0],
                               "nothing in it can be converted");
    is_done = is_done && edit_scene(job, format, &scene, error);
    if (is_done && (format->has_looks || job->engine != NULL) && scene.num_materials == 0)
        is_done = convert_find_looks(job, &scene, error);
    if (is_done)
        is_done = format->write(job, &scene, error);
    convert_free_scene(&scene);
    return is_done;
}
