#include "demo/viewer/jobs/thumbnail.h"

#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/viewer/jobs/output.h"
#include "demo/viewer/scene/find_texture.h"
#include "demo/viewer/scene/image.h"
#include "demo/viewer/scene/preview_make.h"

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
    char *folder;
    const char *const *files; // [num_files] of the command line, which may be links
    size_t num_files;
    uint64_t left;
} allowance;

// Whether a path leads into the folder, through no link but that of a file that was named.
static bool is_allowed(const allowance *of, const char *path, const char *given)
{
    bool is_named = false, is_inside = common_is_in(path, of->folder);
    for (size_t i = 0; i < of->num_files; i++)
        is_named = is_named || strcmp(given, of->files[i]) == 0;
    char *part = common_copy(path);
    while (is_inside && !is_named && strlen(part) > strlen(of->folder)) {
        is_inside = !common_is_link(part);
        char *const above = common_folder(part);
        free(part);
        part = above;
    }
    free(part);
    return is_inside || is_named;
}

static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    allowance *const of = user;
    char *const absolute = common_absolute(path), *const whole = common_clean(absolute);
    const bool is_inside = is_allowed(of, whole, path);
    const uint64_t length = is_inside && common_is_file(whole) ? common_file_size(whole) : 0;
    FILE *const file = length > 0 && length <= of->left ? fopen(whole, "rb") : NULL;
    char *const bytes = file != NULL ? malloc(length) : NULL;
    const char *const why = !is_inside          ? "a thumbnail reads nothing outside of its folder"
                            : length > of->left ? "a thumbnail reads 32 MiB at most"
                                                : "no such file, or it is empty";
    *size = bytes != NULL ? fread(bytes, 1, length, file) : 0;
    of->left -= *size;
    if (bytes == NULL)
        (void)snprintf(error->message, sizeof error->message, "%s", why);
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

// The last image that was read: meshes often share one.
typedef struct shared_image {
    char *path;
    view_image image;
    uint64_t num_pixels; // of all so far
} shared_image;

static bool fail(view_log *log, const view_scene *scene, const char *what)
{
    view_error(log, "%s: a thumbnail draws %s at most", scene->path, what);
    return false;
}

// Halves an image until it is about as fine as a picture of that size.
static void shrink(view_image *image, uint32_t size)
{
    while (image->width >= 4 * size && image->height >= 4 * size) {
        const uint32_t width = image->width / 2, height = image->height / 2;
        for (uint32_t y = 0; y < height; y++)
            for (size_t i = 0; i < 4 * (size_t)width; i++) {
                const size_t stride = 4 * (size_t)image->width;
                const uint8_t *const at = image->rgba + 2 * y * stride + i / 4 * 8 + i % 4;
                const int sum = at[0] + at[4] + at[stride] + at[stride + 4];
                image->rgba[4 * (size_t)width * y + i] = (uint8_t)((sum + 2) / 4);
            }
        image->width = width;
        image->height = height;
    }
}

// Reads the image of a mesh, NULL if it has none. Returns false if it is too large.
static bool read_texture(shared_image *shared, const char *path, uint32_t size, allowance *of,
                         view_log *log)
{
    view_image_fault fault;
    if (shared->path == path
        || (shared->path != NULL && path != NULL && !strcmp(shared->path, path)))
        return true;
    free(shared->path);
    free(shared->image.rgba);
    shared->path = path != NULL ? common_copy(path) : NULL;
    shared->image = (view_image){NULL, 0, 0};
    const uint64_t length = path != NULL ? common_file_size(path) : 0;
    if (path == NULL)
        return true;
    if (length > of->left) {
        view_error(log, "%s: a thumbnail reads 32 MiB at most", path);
        return false;
    }
    of->left -= length;
    if (view_read_small_image(path, MOST_PIXELS, &shared->image, &fault)) {
        shared->num_pixels += (uint64_t)shared->image.width * shared->image.height;
        shrink(&shared->image, size);
        if (shared->num_pixels <= 2 * (uint64_t)MOST_PIXELS)
            return true;
        view_error(log, "%s: a thumbnail reads images of 32 million pixels at most", path);
        return false;
    }
    if (fault.is_too_large)
        view_error(log, "%s: %s", path, fault.message);
    else
        view_warn(log, "%s: %s", path, fault.message);
    return !fault.is_too_large;
}

static bool draw_meshes(view_sketch *sketch, const view_scene *scene, const md5_files *reader,
                        const view_options *options, view_log *log)
{
    bool is_drawn = true;
    shared_image shared = {.path = NULL};
    view_package *const package = view_open_folder(scene->path, reader);
    for (uint32_t i = 0; i < scene->model->num_meshes && is_drawn; i++) {
        const md5_mesh *const mesh = &scene->model->meshes[i];
        const view_texture_search search = {
            .model_path = scene->path,
            .model = scene->model,
            .mesh = i,
            .package = package,
            .skin = options->skin,
            .look = i < scene->num_looks ? &scene->looks[i] : NULL,
        };
        if (mesh->num_triangles == 0)
            continue;
        view_texture_found found = view_find_texture(&search, log);
        is_drawn = read_texture(&shared, found.path, options->thumbnail, reader->user, log);
        const view_image *const image = shared.image.rgba != NULL ? &shared.image : NULL;
        if (is_drawn
            && !view_sketch_mesh(sketch, mesh, scene->skinned[i].positions,
                                 scene->skinned[i].normals, image,
                                 image != NULL && view_has_holes(image)))
            is_drawn = fail(log, scene, "about 40 million pixels of triangles");
        view_free_texture_found(&found);
    }
    (void)read_texture(&shared, NULL, 1, NULL, log);
    view_close_package(package);
    return is_drawn;
}

// Not across cuts, where the camera leaps.
static void draw_path(view_sketch *sketch, const md5_camera *camera)
{
    enum { PIECES = 48 };
    const uint32_t step = camera->num_frames / PIECES + 1;
    for (uint32_t cut = 0, begin = 0; cut <= camera->num_cuts; cut++) {
        const uint32_t end = cut < camera->num_cuts ? camera->cuts[cut] : camera->num_frames - 1;
        for (uint32_t i = begin + step; i <= end; i += step)
            view_sketch_bone(sketch, camera->frames[i - step].position, camera->frames[i].position);
        begin = end + 1;
    }
}

// Returns a picture without pixels on failure.
static view_image draw(view_scene *scene, const view_options *options, const md5_files *reader,
                       view_log *log)
{
    view_hull hull;
    view_image image = {.rgba = NULL};
    const view_play play = {.speed = 1.0, .time = options->num_times > 0 ? options->times[0] : 0.0};
    if (view_count_vertices(scene) > MOST_VERTICES)
        (void)fail(log, scene, "500000 vertices");
    if (view_count_vertices(scene) > MOST_VERTICES)
        return image;
    md5_bounds bounds = view_clip_bounds(scene, &play, &hull);
    view_pose(scene, &play);
    view_skin(scene);
    view_sketch *const sketch = view_begin_sketch(bounds, options->thumbnail);
    bool is_drawn = sketch != NULL;
    if (sketch == NULL)
        view_error(log, "%s: there is nothing to draw", scene->path);
    else if (scene->skeleton == NULL)
        draw_path(sketch, scene->camera_path.camera);
    else if (view_is_joints_alone(scene))
        view_sketch_joints(sketch, scene);
    else
        is_drawn = draw_meshes(sketch, scene, reader, options, log);
    if (sketch != NULL)
        view_end_sketch(sketch, is_drawn ? &image : NULL);
    return image;
}

bool view_run_thumbnail(const view_options *options, view_log *log)
{
    view_scene scene;
    common_limit_process(MOST_MEMORY, MOST_SECONDS, late);
    if (options->num_files == 0) {
        view_error(log, "--thumbnail needs a file");
        return false;
    }
    char *const absolute = common_absolute(options->files[0]);
    char *const whole = common_clean(absolute);
    const bool is_folder = common_is_folder(whole);
    allowance of = {.folder = is_folder ? common_copy(whole) : common_folder(whole),
                    .files = options->files,
                    .num_files = options->num_files,
                    .left = MOST_BYTES};
    const md5_files reader = {open_file, close_file, &of};
    bool is_written = false;
    if (view_load_scene_through(&scene, options->files, options->num_files, &reader, log)) {
        const view_image image = draw(&scene, options, &reader, log);
        common_limit_process(MOST_MEMORY, 0, late); // a file is written to its end
        is_written = image.rgba != NULL
                     && view_write_png(log, options->output, image.width, image.height, image.rgba);
        free(image.rgba);
        view_free_scene(&scene);
    }
    free(of.folder);
    free(whole);
    free(absolute);
    return is_written;
}
