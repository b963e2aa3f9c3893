#include "demo/viewer/jobs/output.h"

#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/viewer/assets/look.h"
#include "demo/viewer/assets/image.h"
#include "demo/viewer/draw/previews.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_MEMORY = 256 << 20,
    MOST_SECONDS = 3,
    MOST_BYTES = 32 << 20,
    MOST_VERTICES = 500000,
    MOST_PIXELS = 16 << 20, // of an image
};

static const char late[] = "md5view: the thumbnail takes more than 3 s of processor time\n";

// -- Files ----------------------------------------------------------------------------------

// Where files may be read, and how many bytes of them are left.
typedef struct allowance {
    const char *file; // the first one of the command line, which may be a link
    char *folder;     // that it is in, or itself
    uint64_t left;
} allowance;

// Whether a path leads into the folder, through no link.
static bool is_allowed(const allowance *of, const char *path)
{
    bool is_allowed = common_is_in(path, of->folder);
    char *part = common_copy(path);
    while (is_allowed && strlen(part) > strlen(of->folder)) {
        char *const above = common_folder(part);
        is_allowed = !common_is_link(part);
        free(part);
        part = above;
    }
    free(part);
    return is_allowed;
}

// Reads a file, if it is allowed and there are bytes left. Takes what it reads off them.
static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    allowance *const of = user;
    char *const absolute = common_absolute(path), *const whole = common_clean(absolute);
    const bool is_mine = strcmp(path, of->file) == 0 || is_allowed(of, whole);
    const uint64_t length = is_mine && common_is_file(whole) ? common_file_size(whole) : 0;
    FILE *const file = length > 0 && length <= of->left ? fopen(whole, "rb") : NULL;
    char *const bytes = file != NULL ? malloc(length) : NULL;
    *size = bytes != NULL ? fread(bytes, 1, length, file) : 0;
    of->left -= *size;
    if (bytes == NULL)
        (void)snprintf(error->message, sizeof error->message, "%s",
                       !is_mine            ? "a thumbnail reads nothing outside of its folder"
                       : length > of->left ? "a thumbnail reads 32 MiB at most"
                                           : "no such file, or it is empty");
    if (file != NULL)
        fclose(file);
    free(absolute);
    free(whole);
    return bytes;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

// -- Drawing --------------------------------------------------------------------------------

typedef struct thumbnail {
    const view_options *options;
    view_log *log;
    view_scene scene;
    allowance allowance;
    md5_files reader;
    view_package *package;
    char *path; // of `image`, the last one that was read: meshes often share one
    view_image image;
    uint64_t num_pixels; // of all images
} thumbnail;

static bool fail(thumbnail *of, const char *path, const char *why)
{
    return view_error(of->log, "%s: %s", path, why);
}

// Reads an image, if it is another than the last one; NULL is none. Returns false if it takes more
// than is allowed.
static bool read_image(thumbnail *of, const char *path)
{
    view_image_fault fault = {.message = ""};
    const uint64_t length = path != NULL ? common_file_size(path) : 0;
    if (of->path != NULL && path != NULL && strcmp(of->path, path) == 0)
        return true;
    free(of->path);
    free(of->image.rgba);
    of->path = path != NULL ? common_copy(path) : NULL;
    of->image = (view_image){NULL, 0, 0};
    if (length > of->allowance.left)
        return fail(of, path, "a thumbnail reads 32 MiB at most");
    of->allowance.left -= length;
    if (path != NULL && !view_read_small_image(path, MOST_PIXELS, &of->image, &fault)) {
        if (fault.is_too_large)
            return fail(of, path, fault.message);
        view_warn(of->log, "%s: %s", path, fault.message);
    }
    of->num_pixels += (uint64_t)of->image.width * of->image.height;
    return path == NULL || of->num_pixels <= 2 * (uint64_t)MOST_PIXELS
           || fail(of, path, "a thumbnail reads images of 32 million pixels at most");
}

static bool draw_mesh(thumbnail *of, view_sketch *sketch, uint32_t mesh)
{
    const view_scene *const scene = &of->scene;
    const view_look_search search = {
        .model = scene->model,
        .mesh = mesh,
        .package = of->package,
        .skin = of->options->skin,
        .said = mesh < scene->num_looks ? &scene->looks[mesh] : NULL,
    };
    view_look look = view_find_look(&search, of->log);
    const bool is_read = read_image(of, look.diffuse);
    const view_image *const image = of->image.rgba != NULL ? &of->image : NULL;
    view_free_look(&look);
    return is_read
           && (view_sketch_mesh(sketch, &scene->model->meshes[mesh], scene->skinned[mesh].positions,
                                scene->skinned[mesh].normals, image,
                                image != NULL && view_has_holes(image))
               || fail(of, scene->path,
                       "a thumbnail draws about 40 million pixels of triangles at most"));
}

static bool draw(thumbnail *of, view_sketch *sketch)
{
    view_scene *const scene = &of->scene;
    const md5_camera *const camera = scene->camera_path.camera;
    bool is_drawn = true;
    if (view_is_joints_alone(scene))
        view_sketch_joints(sketch, scene);
    for (uint32_t i = 1; scene->skeleton == NULL && i < camera->num_frames; i++)
        view_sketch_bone(sketch, camera->frames[i - 1].position, camera->frames[i].position);
    for (uint32_t i = 0; scene->model != NULL && i < scene->model->num_meshes && is_drawn; i++)
        is_drawn = scene->model->meshes[i].num_triangles == 0 || draw_mesh(of, sketch, i);
    (void)read_image(of, NULL);
    return is_drawn;
}

static view_image make_picture(thumbnail *of)
{
    view_hull hull;
    view_image image = {.rgba = NULL};
    view_scene *const scene = &of->scene;
    const view_options *const options = of->options;
    const view_play play = {.speed = 1.0, .time = options->num_times > 0 ? options->times[0] : 0.0};
    if (view_count_vertices(scene) > MOST_VERTICES) {
        (void)fail(of, scene->path, "a thumbnail draws 500000 vertices at most");
        return image;
    }
    view_sketch *const sketch =
        view_begin_sketch(view_clip_bounds(scene, &play, &hull), options->thumbnail);
    view_pose(scene, &play);
    view_skin(scene);
    if (sketch == NULL)
        (void)fail(of, scene->path, "there is nothing to draw");
    else
        view_end_sketch(sketch, draw(of, sketch) ? &image : NULL);
    return image;
}

bool view_run_thumbnail(const view_options *options, view_log *log)
{
    thumbnail of = {.options = options, .log = log};
    bool is_written = false;
    if (options->num_files == 0)
        return view_error(log, "--thumbnail needs a file");
    common_limit_process(MOST_MEMORY, MOST_SECONDS, late);
    char *const absolute = common_absolute(options->files[0]);
    char *const whole = common_clean(absolute);
    of.allowance = (allowance){
        .file = options->files[0],
        .folder = common_is_folder(whole) ? common_copy(whole) : common_folder(whole),
        .left = MOST_BYTES,
    };
    of.reader = (md5_files){open_file, close_file, &of.allowance};
    if (view_load_scene(&of.scene, options->files, options->num_files, &of.reader, false, log)) {
        of.package = view_open_package(of.scene.path, &of.reader);
        const view_image image = make_picture(&of);
        common_limit_process(MOST_MEMORY, 0, late); // a file is written to its end
        is_written = image.rgba != NULL
                     && view_write_png(log, options->output, image.width, image.height, image.rgba);
        free(image.rgba);
        view_close_package(of.package);
        view_free_scene(&of.scene);
    }
    free(of.allowance.folder);
    free(whole);
    free(absolute);
    return is_written;
}
