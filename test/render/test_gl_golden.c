// Golden pictures: our own model as the viewer draws it, from three sides, in each light, on each
// path.
//
// This program drew them, and a person checked them before they were committed. They do not prove
// that an image is correct, but they show that an image has changed. If the change is intended,
//     MD5_GOLDEN=test/data build/release/test_gl golden
// draws them again; look at them before you commit them.
#include "test/render/test_gl_scene.h"

#include "demo/viewer/jobs/view.h"

#include <stb/stb_image_write.h>

enum { SIDE = 176, NUM_VIEWS = 3, BLOCK = 4 };

// Tolerances between drivers, per channel: of the mean of a block of 4 x 4 pixels, which blurs
// edges and noise as the eye does, and of the mean of all blocks.
static const double max_block_difference = 14, max_mean_difference = 1; // levels, out of 255

static const struct {
    const char *name;
    const char *azimuth;
    const char *elevation;
} views[NUM_VIEWS] = {{"front", "25", "8"}, {"back", "205", "20"}, {"above", "-60", "55"}};

typedef struct golden_picture {
    uint8_t rgba[SIDE][SIDE][4];
} golden_picture;

static double block_mean(const uint8_t *rgba, int x, int y, int channel)
{
    double sum = 0;
    for (int i = 0; i < BLOCK * BLOCK; i++)
        sum +=
            rgba[4 * ((size_t)(y + i / BLOCK) * SIDE + (size_t)(x + i % BLOCK)) + (size_t)channel];
    return sum / (BLOCK * BLOCK);
}

static void write_bytes(void *file, void *bytes, int size)
{
    CHECK(fwrite(bytes, 1, (size_t)size, file) == (size_t)size);
}

static void draw_view(view_state *viewer, md5gl_target *target, int view, golden_picture *picture)
{
    viewer->cameras.user.azimuth = strtof(views[view].azimuth, NULL);
    viewer->cameras.user.elevation = strtof(views[view].elevation, NULL);
    CHECK(view_draw(viewer, target, SIDE, SIDE, VIEW_OMIT_INTERFACE, NULL));
    CHECK(md5gl_read_pixels(viewer->renderer, target, SIDE, SIDE, picture->rgba[0][0], NULL));
}

// Writes a picture as a new golden picture.
static void write_golden(const char *folder, const char *file, const golden_picture *picture)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *const png = fopen(path, "wb");
    if (!CHECK(png))
        return;
    CHECK(stbi_write_png_to_func(write_bytes, png, SIDE, SIDE, 4, picture->rgba, SIDE * 4));
    CHECK(fclose(png) == 0);
}

// Compares the means of blocks of a picture with the golden picture. `path` is the name of the
// path that drew it.
static void compare_with_golden(const golden_picture *picture, const char *file, const char *path)
{
    char name[512];
    view_image golden;
    md5_error error;
    snprintf(name, sizeof name, "test/data/%s", file);
    if (!CHECK_THAT(view_read_image(test_path(name), MD5_MAX_IMAGE_PIXELS, &golden, &error),
                    "%s: %s", name, error.message))
        return;
    if (CHECK(golden.width == SIDE && golden.height == SIDE)) {
        enum { BLOCKS_PER_SIDE = SIDE / BLOCK, NUM_BLOCKS = BLOCKS_PER_SIDE * BLOCKS_PER_SIDE };
        double largest = 0;
        double sum = 0;
        for (int i = 0; i < NUM_BLOCKS; i++) {
            const int x = BLOCK * (i % BLOCKS_PER_SIDE);
            const int y = BLOCK * (i / BLOCKS_PER_SIDE);
            for (int channel = 0; channel < 3; channel++) {
                const double difference = fabs(block_mean(golden.rgba, x, y, channel)
                                               - block_mean(picture->rgba[0][0], x, y, channel));
                largest = fmax(largest, difference);
                sum += difference;
            }
        }
        const double mean = sum / (3 * NUM_BLOCKS);
        CHECK_THAT(largest <= max_block_difference && mean <= max_mean_difference,
                   "%s by path %s: a block is off by %.1f, all by %.2f of 255; see the file's head",
                   file, path, largest, mean);
    }
    free(golden.rgba);
}

enum { STUDIO = 1, CLASSIC = 2, BOTH = STUDIO | CLASSIC };

// Draws all views in these lightings. Compares the pictures with the golden pictures, or writes
// them to the folder MD5_GOLDEN.
static void draw_path(view_state *viewer, md5gl_target *target, const char *path, int lightings)
{
    static golden_picture picture;
    const char *const folder = getenv("MD5_GOLDEN");
    for (int classic = 0; classic < 2; classic++) {
        if ((lightings & (classic ? CLASSIC : STUDIO)) == 0)
            continue;
        for (int view = 0; view < NUM_VIEWS; view++) {
            char file[64];
            snprintf(file, sizeof file, "golden_%s_%s.png", classic ? "classic" : "studio",
                     views[view].name);
            viewer->options->shown.classic = classic != 0;
            draw_view(viewer, target, view, &picture);
            if (folder)
                write_golden(folder, file, &picture);
            else
                compare_with_golden(&picture, file, path);
        }
    }
}

// Draws the selected path with both kinds of lighting. Lighting does not depend on the path, so
// each other path is drawn with one kind, alternating, unless `all` is set.
static void check_pictures(bool all)
{
    static char model[512];
    static char clip[512];
    static char size[] = "--resolution=176,176";
    static char quiet[] = "--verbose=error";
    char bare[] = "--panel=no";
    char grid[] = "--grid";
    char *arguments[] = {model, clip, size, quiet, bare, grid};
    snprintf(model, sizeof model, "%s", test_path("./models/bobbin/bobbin.md5mesh"));
    snprintf(clip, sizeof clip, "%s", test_path("models/bobbin/wave.md5anim"));
    char problem[256];
    view_options options;
    view_state viewer;
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    CHECK(view_read_options(6, arguments, &options, problem, sizeof problem));
    view_begin(&viewer, &options);
    viewer.renderer = scene.renderer;
    viewer.play.playing = false;
    md5gl_target *const target = md5gl_create_target(scene.renderer, SIDE, SIDE, 4, NULL);
    if (CHECK(view_set_scale(&viewer, 1) && view_open(&viewer, options.files, 2, true))) {
        viewer.play.time = 2.17;
        draw_path(&viewer, target, "auto", BOTH);
        for (md5gl_path path = MD5GL_PATH_EXACT; path <= MD5GL_PATH_COMPUTE; path++) {
            if (!md5gl_has_path(scene.renderer, path) || getenv("MD5_GOLDEN"))
                continue;
            md5gl_destroy_model(scene.renderer, viewer.document->drawn);
            viewer.document->drawn =
                md5gl_create_model(scene.renderer, viewer.document->scene.model, path, NULL);
            const int light = path % 2 != 0 ? STUDIO : CLASSIC;
            if (CHECK(viewer.document->drawn))
                draw_path(&viewer, target, md5gl_path_name(path), all ? BOTH : light);
        }
    }
    md5gl_destroy_target(scene.renderer, target);
    view_end(&viewer);
    view_free_options(&options);
    scene_close(&scene);
}

TEST (gl_golden_pictures_have_not_changed) {
    check_pictures(false);
}

TEST_LONG (gl_golden_pictures_have_not_changed_in_any_lighting) {
    check_pictures(true);
}
