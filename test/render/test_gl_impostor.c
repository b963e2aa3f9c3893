// Impostors: pictures equal the model from their own directions, blend between them, and fade.
#include "test/scoped.h"
#include "test/render/test_gl_scene.h"

static const md5gl_impostor at_origin = {
    .rotation = {0, 0, 0, 1}, .scale = 1, .frame = 0, .shown = 1};

// -- A character ------------------------------------------------------------------------------

// Our model in its bind pose, which is 57 units high, in the middle of the picture.
typedef struct gl_figure {
    gl_scene scene;
    md5_model *model;
    md5gl_model *copy;
    md5gl_target *target;
    md5gl_frame frame;
    md5_mat34 *palette;
    md5_mat34 placement;
    md5gl_impostor instance;
} gl_figure;

// Loads Bobbin and places it in the middle of the picture. Returns false if there is no context.
static bool open_figure(gl_figure *figure, uint32_t samples)
{
    md5_error error = {0};
    if (!scene_open(&figure->scene, NULL))
        return false;
    figure->model = md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, &error);
    CHECK_DONE(figure->model, error);
    md5gl_renderer *const renderer = figure->scene.renderer;
    figure->copy = md5gl_create_model(renderer, figure->model, MD5GL_PATH_AUTO, NULL);
    figure->target = md5gl_create_target(renderer, SCENE_WIDTH, SCENE_HEIGHT, samples, NULL);
    const uint32_t num_joints = figure->model->skeleton.num_joints;
    figure->palette = malloc(num_joints * sizeof *figure->palette);
    for (uint32_t i = 0; i < num_joints; i++)
        figure->palette[i] = scene_identity;
    const md5_bounds bounds = figure->model->bounds;
    figure->placement = scene_moved(0, 0, -0.5f * (bounds.min.z + bounds.max.z));
    figure->instance = at_origin;
    figure->instance.translation.z = figure->placement.m[11];
    figure->frame = scene_frame(figure->target);
    figure->frame.light_direction = (md5_vec3){0.6f, -0.5f, 0.6f};
    memcpy(figure->frame.light, (float[3]){0.6f, 0.5f, 0.4f}, sizeof figure->frame.light);
    memcpy(figure->frame.ambient, (float[3]){0.2f, 0.2f, 0.25f}, sizeof figure->frame.ambient);
    return true;
}

static void close_figure(gl_figure *figure)
{
    md5gl_destroy_model(figure->scene.renderer, figure->copy);
    md5gl_destroy_target(figure->scene.renderer, figure->target);
    scene_close(&figure->scene);
    md5_free_model(figure->model);
    free(figure->palette);
}

// Creates impostors of the bind pose and draws their images.
static md5gl_impostors *make_impostors(gl_figure *figure)
{
    // A sphere around the bind pose; two rings of views, at elevations of 0 and 0.7 radians, and
    // one view from above.
    const md5_bounds box = figure->model->bounds;
    const md5_vec3 size = md5_vec3_sub(box.max, box.min);
    const md5gl_impostor_desc desc = (md5gl_impostor_desc){
        .num_frames = 1,
        .center = md5_vec3_scale(md5_vec3_add(box.min, box.max), 0.5f),
        .radius = 0.5f * sqrtf(md5_vec3_dot(size, size)),
        .num_around = 12,
        .highest = 0.7f,
        .texels = 128,
    };

    md5_error error = {0};
    md5gl_impostors *const impostors =
        md5gl_create_impostors(figure->scene.renderer, &desc, &error);
    CHECK_DONE(impostors, error);
    CHECK_DONE(md5gl_draw_impostor_images(figure->scene.renderer, impostors, figure->copy, 0,
                                          figure->palette, &error),
               error);
    return impostors;
}

static void draw_model(gl_figure *figure, const md5_vec4 *tint, gl_picture *picture)
{
    md5gl_renderer *const renderer = figure->scene.renderer;
    md5gl_begin_frame(renderer, &figure->frame);
    CHECK(scene_pose(renderer, figure->copy, figure->palette, &figure->placement, 1, NULL));
    CHECK(scene_look(renderer, figure->copy, tint, NULL, NULL));
    md5gl_draw_model(renderer, figure->copy, MD5GL_LIT);
    scene_finish(&figure->scene, &figure->frame, picture);
}

static void draw_impostor(gl_figure *figure, md5gl_impostors *impostors,
                          const md5gl_impostor *instance, gl_picture *picture)
{
    md5gl_renderer *const renderer = figure->scene.renderer;
    md5gl_begin_frame(renderer, &figure->frame);
    CHECK(md5gl_pose_impostors(renderer, impostors, instance, 1, NULL));
    md5gl_draw_impostors(renderer, impostors, MD5GL_LIT);
    scene_finish(&figure->scene, &figure->frame, picture);
}

// Looks from an azimuth and an elevation, in radians, at the origin.
static void look_from(md5gl_frame *frame, double azimuth, double elevation)
{
    const double x = cos(azimuth);
    const double y = sin(azimuth);
    const double rise = sin(elevation);
    const double level = cos(elevation);
    const double rows[3][3] = {
        {-y, x, 0}, {-rise * x, -rise * y, level}, {level * x, level * y, rise}};
    for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 3; i++)
            frame->view_from_world.m[4 * i + row] = (float)rows[row][i];
    }
}

// -- Differences ------------------------------------------------------------------------------

typedef struct difference {
    // mean difference of the color channels, in levels of 255, over the pixels that both images
    // cover
    double mean;
    double shape;  // pixels that one of them covers, as a share of those that the first covers
    unsigned size; // pixels that the first covers
} difference;

static bool is_covered(const uint8_t *pixel)
{
    return pixel[0] + pixel[1] + pixel[2] > 24;
}

static difference compare(const gl_picture *a, const gl_picture *b)
{
    double sum = 0;
    unsigned num_in_both = 0;
    unsigned num_covered_once = 0;
    unsigned first = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++) {
            const uint8_t *const p = a->rgba[y][x];
            const uint8_t *const q = b->rgba[y][x];
            first += is_covered(p);
            num_covered_once += is_covered(p) != is_covered(q);
            if (!is_covered(p) || !is_covered(q))
                continue;
            num_in_both++;
            for (int i = 0; i < 3; i++)
                sum += abs(p[i] - q[i]);
        }
    }
    return (difference){num_in_both > 0 ? sum / (3.0 * num_in_both) : 255,
                        first > 0 ? (double)num_covered_once / first : 1, first};
}

static void check_close(const gl_picture *expected, const gl_picture *picture, double mean,
                        double shape, const char *description)
{
    const difference found = compare(expected, picture);
    CHECK_THAT(found.size > 400, "%s: only %u pixels", description, found.size);
    CHECK_THAT(found.mean <= mean && found.shape <= shape,
               "%s: differs by %.2f of 255 (at most %.2f) and %.4f of its shape (at most %.4f)",
               description, found.mean, mean, found.shape, shape);
}

// -- Pictures ---------------------------------------------------------------------------------

#define TEST_HERE(title) \
    TEST_IF (title, gl_figure, figure, open_figure(figure, 4), close_figure(figure))

TEST_HERE (gl_impostor_equals_the_model_from_its_own_direction) {
    static gl_picture expected;
    static gl_picture picture;
    md5gl_impostors *const impostors = make_impostors(figure);
    CHECK_UINT(md5gl_get_stats(figure->scene.renderer).num_impostor_images, 25);
    for (int view = 0; view < 24; view += 3) {
        look_from(&figure->frame, 0.52359878 * (view % 12), 0.7 * (view / 12));
        draw_model(figure, NULL, &expected);
        draw_impostor(figure, impostors, &figure->instance, &picture);
        check_close(&expected, &picture, 13, 0.06, "own direction");
    }
    md5gl_destroy_impostors(figure->scene.renderer, impostors);
}

// Each combination of lighting, environment and point lights has separate programs.
TEST_HERE (gl_impostor_equals_the_model_in_each_light) {
    static gl_picture expected;
    static gl_picture picture;
    static const float sky[] = {0.9f, 0.3f, 0.3f, 0.2f, 0.2f, 0.8f};
    md5gl_renderer *const renderer = figure->scene.renderer;
    md5gl_impostors *const impostors = make_impostors(figure);
    md5gl_environment *const environment = md5gl_create_environment(renderer, 1, 2, sky, NULL);
    const md5gl_point_light spot = {.position = {150, 0, 0},
                                    .range = 300,
                                    .color = {2, 0, 0},
                                    .cone = 60,
                                    .direction = {-1, 0, 0},
                                    .casts_shadow = true};
    figure->frame.point_lights = &spot;
    for (int i = 0; i < 6; i++) {
        figure->frame.lighting = i / 2 == 1 ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO;
        figure->frame.environment = i / 2 == 2 ? environment : NULL;
        figure->frame.num_point_lights = (uint32_t)i % 2;
        look_from(&figure->frame, 0, 0);
        draw_model(figure, NULL, &expected);
        draw_impostor(figure, impostors, &figure->instance, &picture);
        check_close(&expected, &picture, 13, 0.06, "light");
    }
    md5gl_destroy_environment(renderer, environment);
    md5gl_destroy_impostors(renderer, impostors);
}

// Otherwise edges would show through where the picture is composited over another.
TEST_HERE (gl_impostor_leaves_an_opaque_picture_opaque) {
    static gl_picture picture;
    md5gl_impostors *const impostors = make_impostors(figure);
    unsigned covered = 0;
    unsigned opaque = 0;
    look_from(&figure->frame, 0.3, 0.2);
    draw_impostor(figure, impostors, &figure->instance, &picture);
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++) {
            covered += is_covered(picture.rgba[y][x]);
            opaque += picture.rgba[y][x][3] == 255;
        }
    }
    CHECK(covered > 400);
    CHECK_UINT(opaque, SCENE_WIDTH * SCENE_HEIGHT);
    md5gl_destroy_impostors(figure->scene.renderer, impostors);
}

TEST_LONG (gl_impostor_blends_between_its_directions) {
    static gl_picture expected;
    static gl_picture picture;
    gl_figure figure;
    if (!open_figure(&figure, 4))
        return;
    md5gl_impostors *const impostors = make_impostors(&figure);
    for (int i = 0; i < 6; i++) {
        look_from(&figure.frame, 0.3 + 0.85 * i, 0.1 + 0.07 * i);
        draw_model(&figure, NULL, &expected);
        draw_impostor(&figure, impostors, &figure.instance, &picture);
        check_close(&expected, &picture, 26, 0.2, "between directions");
    }
    // Between two directions, no step changes the image much more than it changes the image of the
    // model.
    SCOPED gl_picture *const before = malloc(sizeof *before);
    double largest = 0;
    double model_difference = 0;
    for (int i = 0; i < 17; i++) {
        look_from(&figure.frame, 0.05 * i, 0.2);
        *before = picture;
        draw_impostor(&figure, impostors, &figure.instance, &picture);
        if (i > 0 && compare(before, &picture).mean > largest)
            largest = compare(before, &picture).mean;
        *before = expected;
        draw_model(&figure, NULL, &expected);
        if (i > 0 && compare(before, &expected).mean > model_difference)
            model_difference = compare(before, &expected).mean;
    }
    CHECK_THAT(largest < 3 * model_difference, "a step of %.2f, the model's: %.2f", largest,
               model_difference);
    md5gl_destroy_impostors(figure.scene.renderer, impostors);
    close_figure(&figure);
}

// The instance's rotation, position and size have the same effect as the placement of a model.
TEST_HERE (gl_impostor_follows_its_placement) {
    static gl_picture expected;
    static gl_picture picture;
    md5gl_impostors *const impostors = make_impostors(figure);
    const float angle = 2.3561945f;
    const float size = 0.6f;
    md5gl_impostor instance = {.rotation = {0, 0, sinf(0.5f * angle), cosf(0.5f * angle)},
                               .translation = {5, -30, -30},
                               .scale = size,
                               .shown = 1};
    const float c = size * cosf(angle);
    const float s = size * sinf(angle);
    figure->placement = (md5_mat34){{c, -s, 0, 5, s, c, 0, -30, 0, 0, size, -30}};
    draw_model(figure, NULL, &expected);
    draw_impostor(figure, impostors, &instance, &picture);
    check_close(&expected, &picture, 24, 0.16, "placed");
    md5gl_destroy_impostors(figure->scene.renderer, impostors);
}

// The impostor writes the character's depth: a plane through the middle cuts both in the same way.
TEST (gl_impostor_writes_depth) {
    static gl_picture expected;
    static gl_picture picture;
    gl_figure figure;
    if (!open_figure(&figure, 1))
        return;
    md5gl_impostors *const impostors = make_impostors(&figure);
    SCOPED_MODEL wall = scene_square(); // at x = 0, faces the eye
    md5gl_model *const wall_copy =
        md5gl_create_model(figure.scene.renderer, wall, MD5GL_PATH_AUTO, NULL);
    for (int i = 0; i < 2; i++) {
        md5gl_renderer *const renderer = figure.scene.renderer;
        md5gl_begin_frame(renderer, &figure.frame);
        if (i == 0) {
            CHECK(scene_pose_and_draw(renderer, figure.copy, figure.palette, &figure.placement, 1,
                                      MD5GL_LIT, NULL));
        } else {
            CHECK(md5gl_pose_impostors(renderer, impostors, &figure.instance, 1, NULL));
            md5gl_draw_impostors(renderer, impostors, MD5GL_LIT);
        }
        CHECK(scene_pose_and_draw(renderer, wall_copy, scene_identities, NULL, 1, MD5GL_LIT, NULL));
        scene_finish(&figure.scene, &figure.frame, i == 0 ? &expected : &picture);
    }
    unsigned in_front = 0;
    unsigned differ = 0;
    for (int y = -19; y < 19; y++) {
        for (int x = -19; x < 19; x++) {
            const uint8_t *const p = picture_at(&expected, x, y);
            const uint8_t *const q = picture_at(&picture, x, y);
            const bool hides = abs(p[0] - picture_at(&expected, 19, 19)[0]) > 3;
            in_front += hides;
            differ += hides != (abs(q[0] - picture_at(&expected, 19, 19)[0]) > 3);
        }
    }
    CHECK_THAT(in_front > 100 && differ < in_front / 8, "%u of %u pixels before the wall differ",
               differ, in_front);
    md5gl_destroy_model(figure.scene.renderer, wall_copy);
    md5gl_destroy_impostors(figure.scene.renderer, impostors);
    close_figure(&figure);
}

// -- Fading between model and impostor --------------------------------------------------------

// Model and impostor use complementary pixels: each pixel shows exactly one of the two at any fade.
TEST_SQUARE (gl_impostor_and_model_fade_without_gaps) {
    static gl_picture model;
    static gl_picture impostor;
    md5gl_renderer *const renderer = stage->renderer;
    const md5gl_impostor_desc desc = {.num_frames = 1, .radius = 30, .highest = 0.5f};
    md5gl_impostors *const impostors = md5gl_create_impostors(renderer, &desc, NULL);
    CHECK(md5gl_draw_impostor_images(renderer, impostors, stage->copy, 0, scene_identities, NULL));
    for (int step = 0; step < 9; step++) {
        md5gl_impostor instance = at_origin;
        instance.shown = (float)step / 8.0f;
        const md5_vec4 tint = {1, 1, 1, 1 + instance.shown};
        stage_begin(stage);
        stage_pose(stage, scene_identities, NULL, 1);
        CHECK(scene_look(renderer, stage->copy, &tint, NULL, NULL));
        md5gl_draw_model(renderer, stage->copy, MD5GL_LIT);
        stage_finish(stage, &model);
        stage_begin(stage);
        CHECK(md5gl_pose_impostors(renderer, impostors, &instance, 1, NULL));
        md5gl_draw_impostors(renderer, impostors, MD5GL_LIT);
        stage_finish(stage, &impostor);
        unsigned twice = 0;
        unsigned none = 0;
        unsigned num_covered = 0;
        for (int y = -18; y < 18; y++) {
            for (int x = -18; x < 18; x++) {
                const bool a = is_covered(picture_at(&model, x, y));
                const bool b = is_covered(picture_at(&impostor, x, y));
                twice += a && b;
                none += !a && !b;
                num_covered += b;
            }
        }
        CHECK_UINT(twice, 0);
        CHECK_UINT(none, 0);
        CHECK_NEAR(num_covered / (36 * 36.0), step / 8.0, 0.02);
    }
    md5gl_destroy_impostors(renderer, impostors);
}

// -- Impostors of several frames --------------------------------------------------------------

// Frame 1 is 10 units higher than frame 0; the nearest is shown.
TEST_SQUARE (gl_impostor_shows_the_nearest_frame) {
    gl_picture picture;
    md5gl_renderer *const renderer = stage->renderer;
    const md5gl_impostor_desc desc = {
        .num_frames = 2, .radius = 40, .highest = 0.5f, .texels = 128};
    md5gl_impostors *const impostors = md5gl_create_impostors(renderer, &desc, NULL);
    for (uint32_t frame = 0; frame < 2; frame++) {
        const md5_mat34 up = scene_moved(0, 0, 10 * (float)frame);
        const md5_mat34 palette[2] = {up, up};
        CHECK(!md5gl_has_impostor_images(impostors, frame));
        CHECK(md5gl_draw_impostor_images(renderer, impostors, stage->copy, frame, palette, NULL));
        CHECK(md5gl_has_impostor_images(impostors, frame));
    }
    for (int step = 0; step < 11; step++) {
        md5gl_impostor instance = at_origin;
        instance.frame = 0.1f * (float)step;
        stage_begin(stage);
        CHECK(md5gl_pose_impostors(renderer, impostors, &instance, 1, NULL));
        md5gl_draw_impostors(renderer, impostors, MD5GL_LIT);
        stage_finish(stage, &picture);
        CHECK(is_covered(picture_at(&picture, 0, 5)));
        CHECK(is_covered(picture_at(&picture, 0, 26)) == (step >= 5));
        CHECK(is_covered(picture_at(&picture, 0, -16)) == (step < 5));
    }
    md5gl_destroy_impostors(renderer, impostors);
}
