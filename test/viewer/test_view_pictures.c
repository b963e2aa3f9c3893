// Pictures by command lines, all in one process with one OpenGL context: our own model lies within
// the picture in every clip and from all sides, and each option that is about the picture changes
// it. test/viewer/view.sh has the same viewer as a program.
#include "test/render/test_gl_scene.h"

#include "demo/common/memory.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/remember.h"
#include "demo/viewer/jobs/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL "models/bobbin/bobbin.md5mesh"

// -- A viewer by a command line -----------------------------------------------------------------

enum { MAX_WORDS = 24, LARGE_DIFFERENCE = 24 };

typedef struct shot_viewer {
    view_state state;
    view_options options;
    char *words[MAX_WORDS];
    int num_words;
} shot_viewer;

typedef struct shot {
    uint32_t width, height;
    uint8_t *rgba;
} shot;

// Words apart by spaces; those that are files of the project become paths from here.
static void split_words(shot_viewer *viewer, const char *line)
{
    viewer->num_words = 0;
    viewer->words[viewer->num_words++] = common_copy("--output=picture.png"); // nobody writes it
    while (*line != '\0' && CHECK(viewer->num_words < MAX_WORDS)) {
        const size_t length = strcspn(line, " ");
        char *const word = common_format("%.*s", (int)length, line);
        const bool is_file = strncmp(word, "models/", 7) == 0;
        viewer->words[viewer->num_words++] = is_file ? common_copy(test_path(word)) : word;
        if (is_file)
            free(word);
        line += length + strspn(line + length, " ");
    }
}

static void close_viewer(shot_viewer *viewer)
{
    view_close(&viewer->state);
    view_end(&viewer->state);
    view_free_options(&viewer->options);
    for (int i = 0; i < viewer->num_words; i++)
        free(viewer->words[i]);
}

// Opens what the line names, as main() does for --output. Close it in any case.
static bool open_viewer(shot_viewer *viewer, const gl_scene *scene, const char *line)
{
    char problem[256] = "";
    view_state *const state = &viewer->state;
    split_words(viewer, line);
    const bool understood = view_read_options(viewer->num_words, viewer->words, &viewer->options,
                                              problem, sizeof problem);
    viewer->options.level = VIEW_QUIET;
    view_begin(state, &viewer->options);
    view_take_switches(state);
    state->renderer = scene->renderer;
    const bool opened = understood && view_set_scale(state, 1.0f)
                        && view_open(state, viewer->options.files, viewer->options.num_files, true);
    if (opened && viewer->options.animation_index_given) {
        view_change_clip(state, viewer->options.animation_index);
        view_frame_anew(state);
    }
    if (viewer->options.num_times > 0)
        state->play.time = viewer->options.times[0];
    return test_check(opened, __FILE__, __LINE__, "%s: %s%s", line, problem, state->log.error);
}

// The picture of now. Free its pixels.
static shot draw_shot(shot_viewer *viewer)
{
    view_state *const state = &viewer->state;
    md5_error error = {0};
    shot drawn = {state->width, state->height, NULL};
    md5gl_target *const target = md5gl_create_target(state->renderer, drawn.width, drawn.height,
                                                     viewer->options.samples, &error);
    drawn.rgba = common_alloc((size_t)drawn.width * drawn.height, 4);
    const bool done = target != NULL
                      && view_draw(state, target, drawn.width, drawn.height,
                                   viewer->options.no_background, false, &error)
                      && md5gl_read_pixels(state->renderer, target, drawn.width, drawn.height,
                                           drawn.rgba, &error);
    test_check(done, __FILE__, __LINE__, "%s", error.message);
    md5gl_destroy_target(state->renderer, target);
    return drawn;
}

static shot take_shot(const gl_scene *scene, const char *line)
{
    shot_viewer viewer;
    shot taken = {0};
    if (open_viewer(&viewer, scene, line))
        taken = draw_shot(&viewer);
    close_viewer(&viewer);
    return taken;
}

// -- Looking at pictures ------------------------------------------------------------------------

// What is not transparent: its share, and the box around it, from 0 to 1.
typedef struct shot_cover {
    double share, left, top, right, bottom;
} shot_cover;

static shot_cover cover_of(const shot *picture)
{
    const uint32_t width = picture->width, height = picture->height;
    uint32_t count = 0, left = width, top = height, right = 0, bottom = 0;
    for (uint32_t i = 0; i < width * height; i++) {
        const uint32_t x = i % width, y = i / width;
        if (picture->rgba[4 * (size_t)i + 3] == 0)
            continue;
        count++;
        left = x < left ? x : left;
        right = x + 1 > right ? x + 1 : right;
        top = y < top ? y : top;
        bottom = y + 1;
    }
    const double w = width, h = height;
    return (shot_cover){count / (w * h), left / w, top / h, right / w, bottom / h};
}

// The share of pixels of which a channel differs by more than a little.
static double difference(const shot *a, const shot *b)
{
    const size_t num_pixels = (size_t)a->width * a->height;
    size_t count = 0;
    if (!CHECK(a->rgba != NULL && b->rgba != NULL && a->width == b->width
               && a->height == b->height))
        return 0.0;
    for (size_t i = 0; i < num_pixels; i++) {
        int largest = 0;
        for (size_t c = 4 * i; c < 4 * i + 4; c++) {
            const int off = abs(a->rgba[c] - b->rgba[c]);
            largest = off > largest ? off : largest;
        }
        count += largest > LARGE_DIFFERENCE;
    }
    return (double)count / (double)num_pixels;
}

// Visible, within the picture, neither tiny nor cut off.
static void check_framed(shot picture, const char *what)
{
    const shot_cover cover = cover_of(&picture);
    test_check(cover.share > 0.02 && cover.share < 0.9 && cover.left > 0.01 && cover.top > 0.01
                   && cover.right < 0.99 && cover.bottom < 0.99
                   && (cover.right - cover.left > 0.5 || cover.bottom - cover.top > 0.5),
               __FILE__, __LINE__, "%s: %.3f of the picture, from %.3f %.3f to %.3f %.3f", what,
               cover.share, cover.left, cover.top, cover.right, cover.bottom);
    free(picture.rgba);
}

// -- All of the model ---------------------------------------------------------------------------

TEST (view_frames_our_model_in_every_clip) {
    gl_scene scene;
    shot_viewer viewer;
    if (!scene_open(&scene, NULL))
        return;
    if (open_viewer(&viewer, &scene,
                    MODEL " --no-background --samples 1 --no-maps --resolution 200x150")) {
        view_state *const state = &viewer.state;
        CHECK_UINT(state->document->scene.num_clips, 26);
        for (size_t i = 0; i < state->document->scene.num_clips; i++) {
            view_change_clip(state, i);
            view_frame_anew(state);
            state->play.time = 0.37;
            check_framed(draw_shot(&viewer), state->document->scene.clips[i].name);
        }
    }
    close_viewer(&viewer);
    scene_close(&scene);
}

TEST (view_frames_our_model_from_all_sides_in_every_shape) {
    static const char *const sides[] = {"0 0", "90 0", "-90 20", "180 -30", "30 90", "45 35"};
    static const char *const shapes[] = {"200,320", "320,160 --camera-orthographic"};
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    for (size_t i = 0; i < 12; i++) {
        const char *const side = sides[i / 2];
        char *const line =
            common_format(MODEL " --no-auto --no-background --samples 1 --no-maps --resolution %s"
                                " --camera-azimuth-angle %.*s --camera-elevation-angle %s",
                          shapes[i % 2], (int)strcspn(side, " "), side, strchr(side, ' ') + 1);
        check_framed(take_shot(&scene, line), line);
        free(line);
    }
    scene_close(&scene);
}

// -- What options change ------------------------------------------------------------------------

#define SMALL " --resolution 320,180"
#define PLAIN MODEL " --animation-index 1" SMALL

TEST (view_options_change_the_picture) {
    static const struct {
        const char *options;
        double least; // share of the pixels
    } cases[] = {
        {"--animation-time 1.3", 0.005},
        {"--animation-index 3", 0.01},
        {"--camera-azimuth-angle -60", 0.05},
        {"--camera-elevation-angle 60", 0.05},
        {"--camera-distance 300", 0.05},
        {"--camera-orthographic", 0.01},
        {"--grid=no", 0.01},
        {"--axis", 0.0002},
        {"--edges", 0.01},
        {"--armature", 0.0005},
        {"--normal-glyphs", 0.005},
        {"--bounds", 0.0005},
        {"--checkerboard", 0.03},
        {"--untextured", 0.03},
        {"--skinning dual", 0.0003},
        {"--light classic", 0.05},
        {"--lamp key=2,around=60", 0.05},
        {"--lamps", 0.01},
        {"--no-shadow", 0.01},
        {"--no-maps", 0.0005},
        {"--normal-map models/bobbin/bobbin.png", 0.01},
        {"--specular-map models/bobbin/bobbin.png", 0.003},
        {"--glow-map models/bobbin/bobbin.png", 0.03},
        {"--texture models/bobbin/bobbin_eye.png", 0.03},
        {"--panel", 0.01},
        {"--keys", 0.05},
        {"--hierarchy", 0.01},
        {"--samples 1", 0.0001},
        {"models/bobbin/flight.md5camera", 0.05},
        {"models/bobbin/flight.md5camera --camera-path", 0.0005},
    };
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    shot plain = take_shot(&scene, PLAIN), again = take_shot(&scene, PLAIN);
    CHECK(memcmp(plain.rgba, again.rgba, 4 * (size_t)plain.width * plain.height) == 0);
    free(again.rgba);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *const line = common_format(PLAIN " %s", cases[i].options);
        shot other = take_shot(&scene, line);
        const double share = difference(&plain, &other);
        test_check(share > cases[i].least, __FILE__, __LINE__,
                   "%s changes %.5f of the pixels, expected %.5f", cases[i].options, share,
                   cases[i].least);
        free(other.rgba);
        free(line);
    }
    free(plain.rgba);
    scene_close(&scene);
}

// A post, half a turn of which two dual quaternions keep round.
TEST (view_dual_quaternions_keep_the_volume_of_what_twists) {
    static const char *const cases[] = {"linear --animation-time 0", "linear --animation-time 0.5",
                                        "dual --animation-time 0.5"};
    double share[3] = {0};
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    for (size_t i = 0; i < 3; i++) {
        char *const line = common_format("models/zoo/twist.md5mesh models/zoo/twist.md5anim" SMALL
                                         " --no-background --skinning %s",
                                         cases[i]);
        shot post = take_shot(&scene, line);
        share[i] = post.rgba != NULL ? cover_of(&post).share : 0.0;
        free(post.rgba);
        free(line);
    }
    CHECK(share[1] < 0.7 * share[0]);
    CHECK(share[2] > 0.9 * share[0]);
    scene_close(&scene);
}
