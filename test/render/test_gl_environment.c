// Environments: harmonics against numerical integration, and surfaces, reflections and backgrounds
// against values computed here.
#include "test/scoped.h"
#include "test/real.h"
#include "test/render/test_gl_scene.h"

static const double pi = 3.14159265358979323846;

// Light of degree 2 at most, for which the harmonics are exact.
static double smooth_light(real3 d, int channel)
{
    static const double shares[3][9] = {{0.5, 0.2, -0.1, 0.15, 0.1, 0.05, -0.1, 0.1, 0.05},
                                        {0.4, -0.1, 0.1, 0.2, -0.05, 0.1, 0.05, -0.1, 0.1},
                                        {0.3, 0.1, 0.05, -0.2, 0.1, -0.05, 0.1, 0.05, -0.1}};
    const double *const k = shares[channel];
    return k[0] + k[1] * d.x + k[2] * d.y + k[3] * d.z + k[4] * d.x * d.y + k[5] * d.y * d.z
           + k[6] * d.x * d.z + k[7] * d.z * d.z + k[8] * (d.x * d.x - d.y * d.y);
}

// Returns the light at a position of the panorama, 0 to 1 to the right and down, as defined in the
// header.
static real3 direction_at(double u, double v)
{
    const double azimuth = (0.5 - u) * 2 * pi;
    const double polar = v * pi;
    return (real3){sin(polar) * cos(azimuth), sin(polar) * sin(azimuth), cos(polar)};
}

enum { WIDTH = 128, HEIGHT = 64 };
typedef struct panorama {
    float rgb[HEIGHT * WIDTH * 3];
} panorama;

static panorama *make_smooth(void)
{
    panorama *const image = calloc(1, sizeof *image);
    for (int row = 0; row < HEIGHT; row++) {
        for (int column = 0; column < WIDTH; column++) {
            for (int i = 0; i < 3; i++)
                image->rgb[3 * (row * WIDTH + column) + i] = (float)smooth_light(
                    direction_at((column + 0.5) / (int)WIDTH, (row + 0.5) / (int)HEIGHT), i);
        }
    }
    return image;
}

// The mean of the light around `n`, weighted by a lobe, over a fine grid.
typedef double lobe(double cosine, double parameter);
static double integral(real3 n, int channel, lobe *weight, double parameter)
{
    enum { ROWS = 120, COLUMNS = 240 };
    double sum = 0;
    double weights = 0;
    for (int row = 0; row < ROWS; row++) {
        const double polar = (row + 0.5) / (int)ROWS * pi;
        for (int column = 0; column < COLUMNS; column++) {
            const real3 d = direction_at((column + 0.5) / (int)COLUMNS, (row + 0.5) / (int)ROWS);
            const double cosine = real3_dot(d, n);
            const double sample_weight = cosine > 0 ? weight(cosine, parameter) * sin(polar) : 0;
            sum += sample_weight * smooth_light(d, channel);
            weights += sample_weight;
        }
    }
    return sum / weights;
}

static double cosine_lobe(double cosine, double unused)
{
    (void)unused;
    return cosine;
}

// Returns the GGX lobe of the halfway vector, times the cosine. View and normal coincide.
static double mirror_lobe(double cosine, double roughness)
{
    const double square = pow(roughness, 4);
    const double half_square = 0.5 * (1 + cosine);
    const double below = half_square * (square - 1) + 1;
    return cosine * square / (below * below);
}

static const real3 normals[] = {{1, 0, 0},      {0, -1, 0},          {0, 0, 1},
                                {0.6, 0, -0.8}, {0.48, -0.64, 0.6},  {-0.36, 0.48, 0.8},
                                {-1, 0, 0},     {-0.48, -0.6, -0.64}};
enum { NUM_NORMALS = COUNT_OF(normals) };

static double polynomial_at(const md5_vec3 polynomial[9], real3 n, int channel)
{
    const double terms[9] = {
        1, n.x, n.y, n.z, n.x * n.y, n.y * n.z, n.x * n.z, n.z * n.z, n.x * n.x - n.y * n.y};
    double sum = 0;
    for (int i = 0; i < 9; i++) {
        const float color[3] = {polynomial[i].x, polynomial[i].y, polynomial[i].z};
        sum += terms[i] * color[channel];
    }
    return sum;
}

TEST_SCENE (gl_environment_light_equals_the_integral_of_the_light) {
    SCOPED panorama *const picture = make_smooth();
    md5gl_environment *const smooth =
        md5gl_create_environment(scene->renderer, WIDTH, HEIGHT, picture->rgb, NULL);
    for (int i = 0; i < NUM_NORMALS; i++) {
        for (int channel = 0; channel < 3; channel++)
            CHECK_NEAR(polynomial_at(md5gl_environment_light(smooth), normals[i], channel),
                       integral(normals[i], channel, cosine_lobe, 0), 2e-3);
    }
    md5gl_destroy_environment(scene->renderer, smooth);
    // A constant light of 1 is reflected as 1 in every direction.
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        picture->rgb[i] = 1;
    md5gl_environment *const constant =
        md5gl_create_environment(scene->renderer, WIDTH, HEIGHT, picture->rgb, NULL);
    const md5_vec3 *const light = md5gl_environment_light(constant);
    CHECK_NEAR(light[0].x + light[7].x / 3.0f, 1, 1e-5); // the mean over the sphere
    for (int i = 1; i < 9; i++)
        CHECK_SMALL(light[i].y, 1e-3);
    md5gl_destroy_environment(scene->renderer, constant);
}

// -- Pictures ---------------------------------------------------------------------------------

static double encode(double linear)
{
    const double encoded =
        linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
    return 255 * fmax(fmin(encoded, 1), 0);
}

// A stage that is lit only by a smooth environment map.
typedef struct lit_stage {
    gl_stage stage;
    md5gl_environment *environment;
} lit_stage;

static bool open_lit(lit_stage *lit)
{
    gl_stage *const stage = &lit->stage;
    if (!scene_share(&stage->scene) || !scene_fill_stage(stage, scene_square, 1))
        return false;
    panorama *const picture = make_smooth();
    lit->environment = md5gl_create_environment(stage->renderer, WIDTH, HEIGHT, picture->rgb, NULL);
    free(picture);
    CHECK(lit->environment);
    lit->stage.frame.environment = lit->environment;
    return true;
}

static void close_lit(lit_stage *lit)
{
    md5gl_destroy_environment(lit->stage.renderer, lit->environment);
    scene_close_stage(&lit->stage);
}

static void draw_at(lit_stage *lit, const md5_mat34 *placement, gl_picture *picture)
{
    stage_draw_posed(&lit->stage, scene_identities, placement, 1, picture);
}

static void check_pixel(const uint8_t *pixel, const double linear[3], int line, int number)
{
    for (int i = 0; i < 3; i++)
        test_check(fabs(pixel[i] - encode(linear[i])) <= 2, __FILE__, line,
                   "%d: channel %d is %d, expected %.2f", number, i, pixel[i], encode(linear[i]));
}

#define TEST_HERE(title) TEST_IF (title, lit_stage, lit, open_lit(lit), close_lit(lit))

// White squares, rotated at random and seen along -x, reflect the integral of the light. The rim at
// grazing angles is known.
TEST_HERE (gl_environment_lights_matt_surfaces) {
    uint64_t random = 7;
    gl_picture picture;
    int num_visible = 0;
    lit->stage.frame.ambient[1] = 0.5f;
    lit->stage.frame.environment_angle = 0.7f;
    for (int i = 0; i < 40 && num_visible < 6; i++) {
        const md5_mat34 rotated = scene_rotation(&random);
        const real3 normal = {rotated.m[0], rotated.m[4], rotated.m[8]}; // its x axis
        if (normal.x < 0.3)
            continue;
        draw_at(lit, &rotated, &picture);
        // The environment rotates by the angle, so that the look-up rotates in the opposite
        // direction.
        const double c = cos(0.7);
        const double s = sin(0.7);
        const real3 n = {c * normal.x + s * normal.y, c * normal.y - s * normal.x, normal.z};
        double linear[3];
        for (int k = 0; k < 3; k++)
            linear[k] = (1 + 0.35 * pow(1 - normal.x, 4)) * (k == 1 ? 0.5 : 1)
                        * integral(n, k, cosine_lobe, 0);
        check_pixel(picture_at(&picture, 0, 0), linear, __LINE__, i);
        num_visible++;
    }
    CHECK(num_visible > 3);
}

// Each skinning path has a separate program for environments.
TEST_HERE (gl_environment_lights_every_path) {
    gl_picture expected;
    gl_picture picture;
    draw_at(lit, &scene_identity, &expected);
    CHECK(picture_at(&expected, 0, 0)[0] > 0);
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(lit->stage.renderer, path))
            continue;
        stage_use_path(&lit->stage, path);
        draw_at(lit, &scene_identity, &picture);
        CHECK_BYTES(&picture, &expected, sizeof picture);
    }
}

// A black surface with a white specular map, seen straight, shows the light blurred by its
// roughness: see shaders/shade.glsl.
TEST_HERE (gl_environment_is_reflected_by_roughness) {
    static const uint8_t black[4] = {0, 0, 0, 255};
    static const uint8_t white[4] = {255, 255, 255, 255};
    static const float glosses[3] = {0.01f, 0.45f, 0.9f};
    gl_picture picture;
    const md5gl_texture diffuse = stage_color(&lit->stage, 1, 1, black);
    const md5gl_texture specular = stage_color(&lit->stage, 1, 1, white);
    for (int i = 0; i < 3; i++) {
        // The light is brighter than above, because a dielectric reflects only a fraction of 0.16
        // (shaders/shade.glsl).
        for (int k = 0; k < 3; k++)
            lit->stage.frame.ambient[k] = 6;
        STAGE_MATERIAL(&lit->stage, .diffuse = diffuse, .specular = specular, .gloss = glosses[i]);
        draw_at(lit, &scene_identity, &picture);
        const double roughness = fmax(0.3 * (1.0 - glosses[i]), 0.08);
        double linear[3];
        for (int k = 0; k < 3; k++)
            linear[k] =
                6 * 0.16 * (1 - roughness) * integral((real3){1, 0, 0}, k, mirror_lobe, roughness);
        check_pixel(picture_at(&picture, 0, 0), linear, __LINE__, i);
    }
}

// Sets the view of a point at whose distance, 60, a unit is a pixel.
static void look_from_point(md5gl_frame *frame)
{
    const float eye = 60;
    const float near_z = 1;
    const float far_z = 100;
    float *const clip = frame->clip_from_view.m;
    memset(clip, 0, sizeof frame->clip_from_view.m);
    clip[0] = 2 * eye / (float)SCENE_WIDTH;
    clip[5] = 2 * eye / (float)SCENE_HEIGHT;
    clip[10] = -(far_z + near_z) / (far_z - near_z);
    clip[11] = -1;
    clip[14] = -2 * far_z * near_z / (far_z - near_z);
}

static void draw_background(lit_stage *lit, gl_picture *picture)
{
    stage_begin(&lit->stage);
    md5gl_draw_environment(lit->stage.renderer);
    stage_finish(&lit->stage, picture);
}

TEST_HERE (gl_environment_is_the_background) {
    gl_picture picture;
    look_from_point(&lit->stage.frame);
    draw_background(lit, &picture);
    for (int y = -76; y < 80; y += 12) {
        for (int z = -56; z < 60; z += 12) {
            const double length = sqrt(60 * 60 + (y + 0.5) * (y + 0.5) + (z + 0.5) * (z + 0.5));
            const real3 d = {-60.0 / length, (y + 0.5) / length, (z + 0.5) / length};
            const double linear[3] = {smooth_light(d, 0), smooth_light(d, 1), smooth_light(d, 2)};
            check_pixel(picture_at(&picture, y, z), linear, __LINE__, y);
        }
    }
}

// Columns of a panorama that are narrower than pixels are averaged in every view direction: black
// and white columns become gray. Each turn rotates the view by 90 degrees about z.
TEST_HERE (gl_environment_averages_details_below_a_pixel) {
    enum { COLUMNS = 1024, ROWS = 512 };
    static const double gray[3] = {0.5, 0.5, 0.5};
    float *const rgb = malloc(sizeof(float) * 3 * COLUMNS * ROWS);
    for (size_t i = 0; i < (size_t)3 * COLUMNS * ROWS; i++)
        rgb[i] = (float)(i / 3 % 2);
    md5gl_environment *const columns =
        md5gl_create_environment(lit->stage.renderer, COLUMNS, ROWS, rgb, NULL);
    free(rgb);
    REQUIRE(columns);
    lit->stage.frame.environment = columns;
    look_from_point(&lit->stage.frame); // a pixel is 1/60 radian wide, a column 1/163
    float *const view = lit->stage.frame.view_from_world.m;
    for (int variant = 0; variant < 4; variant++) {
        gl_picture picture;
        draw_background(lit, &picture);
        for (int y = -8; y < 8; y++)
            check_pixel(picture_at(&picture, y, 0), gray, __LINE__, variant);
        for (int i = 0; i < 3; i++) {
            const float x = view[i];
            view[i] = view[4 + i];
            view[4 + i] = -x;
        }
    }
    lit->stage.frame.environment = lit->environment;
    md5gl_destroy_environment(lit->stage.renderer, columns);
}

// In a parallel projection the environment is displayed as in a perspective view with a vertical
// field of view of 45 degrees.
TEST_HERE (gl_environment_is_visible_in_parallel_projections) {
    gl_picture picture;
    draw_background(lit, &picture);
    const double up = 59.5 / 60.0 * tan(pi / 8.0);
    const double length = sqrt(1 + up * up);
    const double right = 0.5 / 60.0 * tan(pi / 8.0);
    const real3 d = {-1.0 / length, right / length, up / length};
    const double linear[3] = {smooth_light(d, 0), smooth_light(d, 1), smooth_light(d, 2)};
    check_pixel(picture_at(&picture, 0, 59), linear, __LINE__, 0);
    // Without an environment nothing is drawn.
    lit->stage.frame.environment = NULL;
    draw_background(lit, &picture);
    CHECK_UINT(picture_at(&picture, 0, 0)[0], 0);
}

// The classic light has a constant sky. Frames without an environment have the sky of the studio.
TEST_HERE (gl_environment_belongs_to_frames_of_the_studio) {
    gl_picture without;
    gl_picture with;
    for (int i = 0; i < 2; i++) {
        lit->stage.frame.lighting = i == 0 ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO;
        lit->stage.frame.environment = NULL;
        draw_at(lit, &scene_identity, &without);
        lit->stage.frame.environment = lit->environment;
        draw_at(lit, &scene_identity, &with);
        CHECK_UINT(memcmp(&with, &without, sizeof with) == 0, i == 0);
    }
}

TEST_SCENE (gl_environment_has_limits) {
    static const float texels[6] = {-1, NAN, 1e30f, 0.5f, 0.5f, 0.5f};
    md5_error error = {0};
    CHECK_FAILS(md5gl_create_environment(scene->renderer, 0, 1, texels, &error), error,
                MD5_ERROR_GPU);
    md5gl_destroy_environment(scene->renderer, NULL);
    // A panorama of one row: invalid values become 0, and too large values become 65000.
    md5gl_environment *const environment =
        md5gl_create_environment(scene->renderer, 2, 1, texels, &error);
    CHECK(environment);
    // The mean over the sphere; the mean of z^2 is a third.
    const md5_vec3 *const light = md5gl_environment_light(environment);
    CHECK_NEAR(light[0].x + light[7].x / 3.0f, 0.25, 1e-5);
    CHECK_NEAR(light[0].z + light[7].z / 3.0f, 32500.25, 0.1);
    md5gl_destroy_environment(scene->renderer, environment);
}
