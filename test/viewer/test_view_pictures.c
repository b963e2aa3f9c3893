// Images of command lines, all in one process with one OpenGL context: the built-in model is within
// the image in every clip and from all sides, and each option that affects the image changes it.
// test/viewer/view.sh runs the same viewer as a program.
#include "test/scoped.h"
#include "test/viewer/test_view_shot.h"

#define MODEL "models/bobbin/bobbin.md5mesh"

// -- Framing ------------------------------------------------------------------------------------

// Checks that the model is visible, within the image, and neither tiny nor cut off.
static void check_framed(shot picture, const char *description)
{
    const shot_cover cover = measure_shot_cover(&picture);
    const bool is_visible = cover.fraction > 0.02 && cover.fraction < 0.9;
    const bool is_inside_x = cover.left > 0.01 && cover.right < 0.99;
    const bool is_inside_y = cover.top > 0.01 && cover.bottom < 0.99;
    const bool is_large = cover.right - cover.left > 0.5 || cover.bottom - cover.top > 0.5;
    CHECK_THAT(is_visible && is_inside_x && is_inside_y && is_large,
               "%s: %.3f of the picture, from %.3f %.3f to %.3f %.3f", description, cover.fraction,
               cover.left, cover.top, cover.right, cover.bottom);
    free(picture.rgba);
}

// -- The whole model ----------------------------------------------------------------------------

TEST_LONG (view_frames_our_model_in_every_clip) {
    gl_scene scene;
    shot_viewer viewer;
    if (!scene_share(&scene))
        return;
    if (shot_open(&viewer, &scene,
                  MODEL " --no-background --samples 1 --no-maps --resolution 120x90")) {
        view_state *const state = &viewer.state;
        CHECK(state->document->scene.num_clips >= 44);
        for (size_t i = 0; i < state->document->scene.num_clips; i++) {
            view_change_clip(state, i);
            view_reset_camera(state);
            state->play.time = 0.37;
            check_framed(shot_draw(&viewer), state->document->scene.clips[i].name);
        }
    }
    shot_close(&viewer);
    scene_close(&scene);
}

TEST_SCENE (view_frames_our_model_from_all_sides_in_two_shapes) {
    STRINGS(sides) = {"0 0", "90 0", "-90 20", "180 -30", "30 90", "45 35"};
    STRINGS(shapes) = {"100,160", "160,80 --camera-orthographic"};
    for (uint32_t i = 0; i < 6; i++) {
        const char *const side = sides[i];
        char *const line =
            common_format(MODEL " --no-auto --no-background --samples 1 --no-maps --resolution %s"
                                " --camera-azimuth-angle %.*s --camera-elevation-angle %s",
                          shapes[i % 2], (int)strcspn(side, " "), side, strchr(side, ' ') + 1);
        check_framed(render_shot(scene, line), line);
        free(line);
    }
}

// -- Effects of options -------------------------------------------------------------------------

#define SMALL " --resolution 160,90"

typedef struct option_case {
    const char *options;
    double min_fraction; // fraction of the pixels
} option_case;

// Checks that each case changes at least its fraction of the pixels of the image of `plain_line`.
static void check_options(const gl_scene *scene, const char *plain_line, const option_case *cases,
                          size_t num_cases)
{
    SCOPED_PICTURE plain = render_shot(scene, plain_line);
    SCOPED_PICTURE again = render_shot(scene, plain_line);
    CHECK(shot_same(&plain, &again));
    for (size_t i = 0; i < num_cases; i++) {
        SCOPED_STRING line = common_format("%s %s", plain_line, cases[i].options);
        SCOPED_PICTURE changed = render_shot(scene, line);
        const double fraction = shot_difference(&plain, &changed);
        CHECK_THAT(fraction > cases[i].min_fraction, "%s changes %.5f of the pixels, expected %.5f",
                   cases[i].options, fraction, cases[i].min_fraction);
    }
}

static const option_case picture_cases[] = {
    {"--animation-time 1.3", 0.005},
    {"--animation-index 3", 0.01},
    {"--camera-azimuth-angle -60", 0.05},
    {"--camera-elevation-angle 60", 0.05},
    {"--camera-distance 300", 0.05},
    {"--camera-target 10,0,40", 0.05},
    {"--camera-orthographic", 0.01},
    {"--up y", 0.05},
    {"--hide 0", 0.01},
    {"--grid", 0.3},
    {"--axis", 0.0002},
    {"--edges", 0.01},
    {"--armature", 0.0005},
    {"--normal-glyphs", 0.005},
    {"--tangent-glyphs", 0.005},
    {"--bounds", 0.0005},
    {"--joint-bounds", 0.0005},
    {"--checkerboard", 0.03},
    {"--untextured", 0.03},
    {"--light classic", 0.05},
    {"--lights key=2,azimuth=60", 0.05},
    {"--environment models/bobbin/bobbin_eye.png", 0.02},
    {"--environment models/bobbin/bobbin_eye.png --environment-background", 0.3},
    {"--no-shadow=no", 0.01},
    {"--no-maps", 0.0005},
    {"--normal-map models/bobbin/bobbin_eye.png", 0.01},
    {"--specular-map models/bobbin/bobbin_eye.png", 0.003},
    {"--glow-map models/bobbin/bobbin_eye.png", 0.03},
    {"--texture models/bobbin/bobbin_eye.png", 0.03},
    {"--keys", 0.05},
    {"--samples 4", 0.0001},
    {"models/bobbin/flight.md5camera", 0.05},
};

// Each case opens a model with few and small textures, without shadows, because software rendering
// computes every texel of the shadow map.
TEST_SCENE (view_options_change_the_image) {
    check_options(
        scene, "models/thimble/thimble.md5mesh --animation-index 1 --samples 1 --no-shadow" SMALL,
        picture_cases, COUNT_OF(picture_cases));
}

// Returns red minus blue of the leftmost pixel of a row. No model covers this pixel.
static int red_minus_blue(const shot *shots, uint32_t row)
{
    const uint8_t *const pixel = shots->rgba + 4 * (size_t)row * shots->width;
    return pixel[0] - pixel[2];
}

// The ground is warm and fades into a blue sky. It is not visible from below or in a studio.
TEST_SCENE (view_scenery_is_a_warm_ground_below_a_sky) {
    STRINGS(views) = {"0", "-30", "0 --grid", "0 --no-background"};
    shot shots[4];
    for (uint32_t i = 0; i < 4; i++) {
        SCOPED_STRING line = common_format("models/zoo/triangle.md5mesh --samples 1" SMALL
                                           " --camera-elevation-angle %s",
                                           views[i]);
        shots[i] = render_shot(scene, line);
    }
    const uint32_t last = shots[0].height - 1;
    int largest = 0;
    CHECK(red_minus_blue(&shots[0], 0) < -20 && red_minus_blue(&shots[0], last) > 60);
    for (uint32_t row = 1; row <= last; row++) {
        const int step = abs(red_minus_blue(&shots[0], row) - red_minus_blue(&shots[0], row - 1));
        largest = step > largest ? step : largest;
    }
    CHECK_THAT(largest < 12, "a step of %d", largest);
    for (uint32_t i = 1; i < 4u; i++)
        CHECK_THAT(red_minus_blue(&shots[i], last) <= 0, "%s: %d", views[i],
                   red_minus_blue(&shots[i], last));
    for (uint32_t i = 0; i < 4; i++)
        free(shots[i].rgba);
}

static const option_case dock_cases[] = {
    {"--panel=no", 0.2},      {"--hierarchy=no", 0.1}, {"--inspector=no", 0.1},
    {"--light-list", 0.01},   {"--parm-list", 0.01},   {"--statistics", 0.001},
    {"--frame-time", 0.0001}, {"--curves", 0.01},      {"--differences", 0.01},
};

// Docks need a window that is large enough.
TEST_SCENE (view_options_change_the_docks) {
    check_options(scene,
                  "models/thimble/thimble.md5mesh --panel --samples 1 --no-shadow"
                  " --resolution 1000,560",
                  dock_cases, COUNT_OF(dock_cases));
}

static bool has_case(const char *name, const option_case *cases, size_t num_cases)
{
    SCOPED_STRING option = common_format("--%s", name);
    for (size_t i = 0; i < num_cases; i++) {
        const char *const at = strstr(cases[i].options, option);
        if (at != NULL && strchr(" =", at[strlen(option)]) != NULL)
            return true;
    }
    return false;
}

// Fails for a switch that changes no pixel, unless a listed test covers it.
TEST (view_switches_change_the_image) {
    static const struct {
        const char *name, *where;
    } elsewhere[] = {
        {"two-sided", "view.sh: back faces of a model that is cut open"},
        {"graph", "test_view_graph.c: needs a machine"},
        {"no-auto-quality", "window.sh: its state alone, for screenshots have full quality"},
        {"no-environment", "--environment here"},
        {"reduced-motion", "test_view_motion.c: needs time"},
        {"open-last", "window_start.sh: needs a start"},
    };
    size_t num_found = 0;
    const view_option *const table = view_option_rows;
    const size_t count = view_num_options;
    for (size_t i = 0; i < count; i++) {
        const char *const name = table[i].name;
        bool is_elsewhere = false;
        for (size_t j = 0; j < COUNT_OF(elsewhere); j++)
            is_elsewhere = is_elsewhere || strcmp(elsewhere[j].name, name) == 0;
        num_found += is_elsewhere;
        const bool is_drawn = has_case(name, picture_cases, COUNT_OF(picture_cases))
                              || has_case(name, dock_cases, COUNT_OF(dock_cases));
        CHECK_THAT(table[i].word == NULL || is_elsewhere || is_drawn,
                   "no test covers the drawing of --%s", name);
    }
    CHECK_UINT(num_found, COUNT_OF(elsewhere));
}

// These options need our model: the two kinds of skinning differ only where joints bend, and the
// camera path leads around Bobbin.
TEST_SCENE (view_options_change_the_image_of_our_model) {
    static const option_case cases[] = {
        {"--skinning dual", 0.0003},
        {"models/bobbin/flight.md5camera --camera-path", 0.0005},
    };
    check_options(scene, MODEL " models/bobbin/run.md5anim --samples 1 --resolution 320,180", cases,
                  sizeof cases / sizeof *cases);
}

// A post is twisted by half a revolution, and dual quaternions keep it round.
TEST_SCENE (view_dual_quaternions_keep_the_volume_of_twisted_limbs) {
    STRINGS(cases) = {"linear --animation-time 0", "linear --animation-time 0.5",
                      "dual --animation-time 0.5"};
    double fraction[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        SCOPED_STRING line = common_format("models/zoo/twist.md5mesh models/zoo/twist.md5anim" SMALL
                                           " --no-background --skinning %s",
                                           cases[i]);
        SCOPED_PICTURE post = render_shot(scene, line);
        fraction[i] = post.rgba != NULL ? measure_shot_cover(&post).fraction : 0.0;
    }
    CHECK(fraction[1] < 0.7 * fraction[0]);
    CHECK(fraction[2] > 0.9 * fraction[0]);
}

// A guest enters and leaves outside of the image, and the shadow of its host is unchanged.
TEST_SHOT (view_distant_guests_change_no_shadow,
           "models/bobbin/bobbin.md5machine" SMALL
           " --samples 1 --camera-distance 130 --camera-target 0,0,30") {
    static const float heights[] = {-160, -190, -2000};
    view_state *const state = &viewer->state;
    const view_loader loader = {
        .options = state->options, .renderer = state->renderer, .log = &state->log};
    REQUIRE(
        view_load_guest(state->document, test_path("models/thimble/visitor.md5machine"), &loader));
    float *const height = &viewer->state.document->scene.machine.guest->placement.translation.y;
    *height = -140;
    SCOPED_PICTURE first = shot_draw(viewer);
    for (size_t i = 0; i < COUNT_OF(heights); i++) {
        *height = heights[i];
        SCOPED_PICTURE picture = shot_draw(viewer);
        CHECK_THAT(shot_difference(&picture, &first) == 0.0, "%g", (double)heights[i]);
    }
}
