// Outputs for other passes of a host: motion, normals and ids of triangles that move, on every
// path, against md5_skin_batch() and projections in double precision; picking; the host's own
// framebuffer; errors and refusals.
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"
#include "test/render/test_gl_values.h"
#include "test/skin/skin_jobs.h"

enum { NUM_JOINTS = 12, COUNT = 3, LEFT = 14, BOTTOM = 6, WIDTH = 140, HEIGHT = 110 };

// The values of a pixel that the host reads back.
typedef struct outputs {
    uint32_t normals[SCENE_HEIGHT][SCENE_WIDTH];
    float motion[SCENE_HEIGHT][SCENE_WIDTH][4];
    uint32_t ids[SCENE_HEIGHT][SCENE_WIDTH][4];
} outputs;

static void read_outputs(gl_scene *scene, md5gl_target *target, outputs *read)
{
    static const struct {
        GLenum components;
        GLenum type;
    } forms[] = {{GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV},
                 {GL_RGBA, GL_FLOAT},
                 {GL_RGBA_INTEGER, GL_UNSIGNED_INT}};
    const GladGLContext *const gl = scene_gl(scene->renderer);
    void *const texels[] = {read->normals, read->motion, read->ids};
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, md5gl_get_target_names(target).framebuffer);
    for (GLenum i = 0; i < 3; i++) {
        gl->ReadBuffer(GL_COLOR_ATTACHMENT0 + i);
        gl->ReadPixels(0, 0, SCENE_WIDTH, SCENE_HEIGHT, forms[i].components, forms[i].type,
                       texels[i]);
    }
    gl->ReadBuffer(GL_COLOR_ATTACHMENT0);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
}

static real3 decode_normal(uint32_t texel)
{
    return (real3){(texel & 1023) / 511.5 - 1.0, (texel >> 10 & 1023) / 511.5 - 1.0,
                   (texel >> 20 & 1023) / 511.5 - 1.0};
}

// -- Motion on every path ---------------------------------------------------------------------

typedef struct motion_case {
    md5gl_path path;
    md5gl_blending blending;
    bool morphs;
    bool is_baked;
    uint32_t max_texels; // 0: as many as there are
} motion_case;

// Three instances of a triangle with many weights. Index 0 of each array is the current frame,
// index 1 the previous frame.
typedef struct motion_state {
    md5_mat34 palettes[2][COUNT * NUM_JOINTS];
    md5_mat34 placements[2][COUNT];
    float weights[2][COUNT];
    md5gl_clip_job jobs[2][COUNT];
    md5_mat44 clip_from_world[2];
    md5_vec3 positions[2][COUNT][3], normals[2][COUNT][3]; // model space
} motion_state;

static const uint32_t selected_ids[COUNT] = {70000, 4000000000u, 9};

// Returns a placement that rotates, scales each axis differently and rotates again, which also
// shears. `is_mirror` mirrors an axis.
static md5_mat34 random_placement(bool is_mirror, uint64_t *random)
{
    const md5_mat34 first = scene_rotation(random);
    md5_mat34 scaled = scene_rotation(random);
    const float scales[3] = {test_betweenf(0.6f, 0.8f, random), test_betweenf(0.9f, 1.1f, random),
                             test_betweenf(1.2f, 1.5f, random)};
    for (int i = 0; i < 12; i++)
        scaled.m[i] *= i % 4 < 3 ? scales[i % 4] : 1;
    if (is_mirror) {
        for (int row = 0; row < 3; row++)
            scaled.m[4 * row] = -scaled.m[4 * row];
    }
    md5_mat34 placement = md5_mat34_mul(scaled, first);
    for (int row = 0; row < 3; row++)
        placement.m[4 * row + 3] = test_betweenf(-25, 25, random);
    return placement;
}

static bool is_mirrored(const md5_mat34 *placement)
{
    const real3 x = real3_transform(placement, (real3){1, 0, 0}, 0);
    const real3 y = real3_transform(placement, (real3){0, 1, 0}, 0);
    const real3 z = real3_transform(placement, (real3){0, 0, 1}, 0);
    return real3_dot(real3_cross(x, y), z) < 0;
}

// Returns the normal of a placed surface: perpendicular to two placed vectors in the surface.
static real3 placed_normal(const md5_mat34 *placement, md5_vec3 normal)
{
    const real3 up = real3_unit(to_real3(normal));
    const real3 axis = fabs(up.x) < 0.7 ? (real3){1, 0, 0} : (real3){0, 1, 0};
    const real3 u = real3_unit(real3_cross(up, axis));
    const real3 v = real3_cross(up, u);
    const real3 cross =
        real3_cross(real3_transform(placement, u, 0), real3_transform(placement, v, 0));
    return real3_scale(real3_unit(cross), is_mirrored(placement) ? -1 : 1);
}

static void make_state(motion_state *state, uint64_t *random)
{
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < COUNT * NUM_JOINTS; i++)
            state->palettes[t][i] = scene_rotation(random);
        for (int i = 0; i < COUNT; i++) {
            state->placements[t][i] = random_placement(i == 1, random);
            state->weights[t][i] = test_betweenf(-1, 1, random);
            state->jobs[t][i].sample =
                (md5_sample_position){.frame0 = (uint32_t)((i + t) % COUNT),
                                      .frame1 = (uint32_t)((i + t + 1) % COUNT),
                                      .fraction = 0.25f};
        }
    }
}

// Computes the vertices on the CPU.
static void skin_state(motion_state *state, const motion_case *fixture, const md5_morph *morph,
                       const md5_baked *baked)
{
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < COUNT; i++) {
            const md5_mat34 *const palette = state->palettes[t] + i * NUM_JOINTS;
            const float weight = fixture->morphs ? state->weights[t][i] : 0;
            const bool is_dual = fixture->blending == MD5GL_BLEND_DUAL;
            md5_vec3 *const positions = state->positions[t][i];
            md5_vec3 *const normals = state->normals[t][i];
            md5_dual_quat duals[NUM_JOINTS];
            md5_vec4 tangents[3];
            md5_build_dual_palette(palette, NUM_JOINTS, duals);
            if (baked)
                md5_skin_baked(baked, 0, 3, state->jobs[t][i].sample, positions, normals);
            else if (is_dual)
                skin_with_morph(morph, 0, &weight, NULL, duals, positions, normals, tangents);
            else
                skin_with_morph(morph, 0, &weight, palette, NULL, positions, normals, tangents);
        }
    }
}

typedef struct clip_point {
    double x;
    double y;
    double w;
} clip_point;

static clip_point project(const md5_mat44 *matrix, const md5_mat34 *placement, md5_vec3 position)
{
    const real3 at = real3_transform(placement, to_real3(position), 1);
    const float *const m = matrix->m;
    return (clip_point){m[0] * at.x + m[4] * at.y + m[8] * at.z + m[12],
                        m[1] * at.x + m[5] * at.y + m[9] * at.z + m[13],
                        m[3] * at.x + m[7] * at.y + m[11] * at.z + m[15]};
}

static double triangle_area(const clip_point a, const clip_point b, const clip_point c)
{
    return (b.x / b.w - a.x / a.w) * (c.y / c.w - a.y / a.w)
           - (b.y / b.w - a.y / a.w) * (c.x / c.w - a.x / a.w);
}

// Compares the pixel with the point of an instance's triangle that is seen there.
static void compare_pixel(const motion_state *state, int instance, int x, int y,
                          const outputs *read, double *motion_error, double *normal_error)
{
    const double right = 2 * (x + 0.5 - (double)LEFT) / (double)WIDTH - 1;
    const double up = 2 * (y + 0.5 - (double)BOTTOM) / (double)HEIGHT - 1;
    const clip_point pixel = {right, up, 1};
    clip_point corners[3];
    clip_point was[3];
    clip_point before = {0};
    for (int v = 0; v < 3; v++) {
        corners[v] = project(&state->clip_from_world[0], &state->placements[0][instance],
                             state->positions[0][instance][v]);
        was[v] = project(&state->clip_from_world[1], &state->placements[1][instance],
                         state->positions[1][instance][v]);
    }
    real3 normal = {0};
    for (int v = 0; v < 3; v++) {
        // Perspective-correct interpolation without a common factor, which cancels out in both
        // quotients.
        const double vertex_weight =
            triangle_area(pixel, corners[(v + 1) % 3], corners[(v + 2) % 3]) / corners[v].w;
        before =
            (clip_point){before.x + vertex_weight * was[v].x, before.y + vertex_weight * was[v].y,
                         before.w + vertex_weight * was[v].w};
        const real3 placed =
            placed_normal(&state->placements[0][instance], state->normals[0][instance][v]);
        normal = real3_add(normal, real3_scale(placed, vertex_weight));
    }
    // The weights have the sign of the area. It is negative if the front is visible, because front
    // faces are clockwise. A mirrored front is counterclockwise.
    normal = real3_scale(real3_unit(normal), is_mirrored(&state->placements[0][instance]) ? 1 : -1);
    const float *const motion = read->motion[y][x];
    real_update_max(motion_error, fabs(motion[0] - 0.5 * (right - before.x / before.w)));
    real_update_max(motion_error, fabs(motion[1] - 0.5 * (up - before.y / before.w)));
    real_update_max(normal_error, real3_distance(decode_normal(read->normals[y][x]), normal));
}

// Checks the motion and the normal of each pixel of moving instances, which may be morphed or
// baked.
static void check_motion(gl_scene *scene, const motion_case *fixture)
{
    static outputs read;
    static motion_state state;
    md5gl_renderer *const renderer = scene->renderer;
    const uint32_t usual_texels = *scene_limits(renderer).max_texels;
    uint32_t max_influences = 9; // influences per vertex
    if (fixture->path == MD5GL_PATH_4)
        max_influences = 4;
    else if (fixture->path == MD5GL_PATH_8)
        max_influences = 7;
    const bool off = fixture->path >= MD5GL_PATH_EXACT && fixture->blending == MD5GL_BLEND_LINEAR;
    uint64_t seed = 5;
    uint64_t same = seed;
    uint64_t random = 27; // each instance covers more than a dozen pixels
    SCOPED_MODEL model = scene_cloud(NUM_JOINTS, 3, max_influences, off, &seed);
    SCOPED_MODEL moved = scene_cloud(NUM_JOINTS, 3, max_influences, off, &same);
    md5_vec3 *const positions = (md5_vec3 *)(uintptr_t)moved->meshes[0].positions;
    positions[1].x += 9;
    positions[2].z -= 9;
    const md5_morph_source source = {.name = "moved", .model = moved};
    SCOPED_MORPH morph = md5_create_morph(model, &source, 1, NULL, NULL);
    make_state(&state, &random);
    SCOPED_BAKED clip =
        fixture->is_baked ? md5_create_baked(model, state.palettes[0], COUNT, NULL, NULL) : NULL;
    md5gl_frame frame =
        scene_frame(md5gl_create_outputs(renderer, SCENE_WIDTH, SCENE_HEIGHT, NULL));
    md5gl_model *const copy = md5gl_create_model(renderer, model, fixture->path, NULL);
    md5gl_morph *const targets = md5gl_create_morph(renderer, morph, NULL);
    md5gl_baked *const baked =
        clip ? md5gl_create_baked(renderer, model, (const md5_baked *const *)&clip, 1, NULL) : NULL;
    skin_state(&state, fixture, morph, clip);
    frame.x = LEFT;
    frame.y = BOTTOM;
    frame.width = WIDTH;
    frame.height = HEIGHT;
    frame.view_from_world.m[14] -= 120;
    frame.clip_from_view = md5_mat44_perspective(30, (float)WIDTH / (float)HEIGHT, 20, 400,
                                                 MD5_DEPTH_MINUS_ONE_TO_ONE);
    state.clip_from_world[0] = md5_mat44_mul(frame.clip_from_view, frame.view_from_world);
    frame.view_from_world.m[12] += 6;
    frame.view_from_world.m[14] -= 30;
    state.clip_from_world[1] = md5_mat44_mul(frame.clip_from_view, frame.view_from_world);
    frame.view_from_world.m[12] -= 6;
    frame.view_from_world.m[14] += 30;
    frame.previous_clip_from_world = state.clip_from_world[1];
    if (CHECK(frame.target && copy && targets && !baked == !clip)) {
        md5_error error = {0};
        md5gl_instances instances[2]; // now, before
        for (int t = 0; t < 2; t++)
            instances[t] = (md5gl_instances){.count = COUNT,
                                             .palettes = baked ? NULL : state.palettes[t],
                                             .baked = t == 0 ? baked : NULL,
                                             .jobs = baked ? state.jobs[t] : NULL,
                                             .placements = state.placements[t],
                                             .morph = fixture->morphs && t == 0 ? targets : NULL,
                                             .weights = fixture->morphs ? state.weights[t] : NULL};
        instances[0].previous = &instances[1];
        instances[0].ids = selected_ids;
        md5gl_set_material(renderer, copy, 0, 0, &(md5gl_material){.two_sided = true});
        CHECK(md5gl_set_blending(renderer, copy, fixture->blending, NULL));
        if (fixture->max_texels > 0)
            *scene_limits(renderer).max_texels = fixture->max_texels;
        md5gl_begin_frame(renderer, &frame);
        CHECK_DONE(md5gl_pose(renderer, copy, &instances[0], &error), error);
        CHECK_UINT(scene_num_batches(copy), fixture->max_texels > 0 ? COUNT : 1);
        CHECK(md5gl_draw_outputs(renderer, copy, NULL));
        CHECK(md5gl_end_frame(renderer, &error));
        read_outputs(scene, frame.target, &read);
        double motion_error = 0;
        double normal_error = 0;
        int covered[COUNT] = {0};
        for (int y = 0; y < SCENE_HEIGHT; y++) {
            for (int x = 0; x < SCENE_WIDTH; x++) {
                for (int i = 0; i < COUNT; i++) {
                    if (read.ids[y][x][0] != selected_ids[i])
                        continue;
                    covered[i]++;
                    compare_pixel(&state, i, x, y, &read, &motion_error, &normal_error);
                }
            }
        }
        for (int i = 0; i < COUNT; i++)
            CHECK_THAT(covered[i] > 12, "instance %d covers %d pixels", i, covered[i]);
        // The tolerances are half a unit in the last place: of a half float near 1 for motion, and
        // of ten bits for normals.
        CHECK_THAT(motion_error < 6e-4 && normal_error < 3e-3,
                   "path %s, blending %d, morphs %d, baked %d, %u texels: motion is wrong by %g, "
                   "normals by %g",
                   md5gl_path_name(fixture->path), (int)fixture->blending, fixture->morphs,
                   fixture->is_baked, fixture->max_texels, motion_error, normal_error);
        *scene_limits(renderer).max_texels = usual_texels;
    }
    md5gl_destroy_baked(renderer, baked);
    md5gl_destroy_morph(renderer, targets);
    md5gl_destroy_model(renderer, copy);
    md5gl_destroy_target(renderer, frame.target);
}

TEST_UNSHARED_SCENE (gl_outputs_are_what_the_cpu_computes_on_every_path) {
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        const uint32_t few_texels = path == MD5GL_PATH_CPU ? 11 : 6 * NUM_JOINTS + 5;
        for (unsigned i = 0; i < 8 && md5gl_has_path(scene->renderer, path); i++)
            check_motion(scene,
                         &(motion_case){.path = path,
                                        .blending = i & 1 ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR,
                                        .morphs = i & 2,
                                        .max_texels = i & 4 ? few_texels : 0});
    }
    check_motion(scene, &(motion_case){.path = MD5GL_PATH_EXACT, .is_baked = true});
    check_motion(scene, &(motion_case){.path = MD5GL_PATH_CPU, .is_baked = true, .max_texels = 11});
}

// -- Squares ----------------------------------------------------------------------------------

static bool open_outputs(gl_stage *stage, md5_model *(*make)(void))
{
    if (!scene_open_stage(stage, make, 1))
        return false;
    md5gl_destroy_target(stage->renderer, stage->target);
    stage->target = md5gl_create_outputs(stage->renderer, SCENE_WIDTH, SCENE_HEIGHT, NULL);
    stage->frame.target = stage->target;
    return CHECK(stage->target);
}

#define TEST_OUTPUTS(title, make) \
    TEST_IF (title, gl_stage, stage, open_outputs(stage, make), scene_close_stage(stage))

static void draw_outputs(gl_stage *stage, md5gl_model *copy, const md5gl_instances *instances,
                         outputs *read)
{
    md5_error error = {0};
    stage_begin(stage);
    CHECK(md5gl_pose(stage->renderer, copy, instances, &error)
          && md5gl_draw_outputs(stage->renderer, copy, &error));
    CHECK_DONE(md5gl_end_frame(stage->renderer, &error), error);
    read_outputs(&stage->scene, stage->target, read);
}

// Returns true if the pixel at (right, up) from the center moves by (by_right, by_up), in pixels.
static bool moves_by(const outputs *read, int right, int up, double by_right, double by_up)
{
    const float *const motion = read->motion[SCENE_HEIGHT / 2 + up][SCENE_WIDTH / 2 + right];
    const double x = (double)motion[0] * (double)SCENE_WIDTH;
    const double y = (double)motion[1] * (double)SCENE_HEIGHT;
    const bool is_right = fabs(x - by_right) < 0.01 && fabs(y - by_up) < 0.01;
    if (!is_right)
        printf("pixel %d %d moves by %g %g\n", right, up, x, y);
    return is_right;
}

static void copy_positions(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                           const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                           md5_vec4 *colors)
{
    (void)user, (void)mesh, (void)normals, (void)texcoords;
    CHECK(instance < COUNT);
    memcpy(to_positions, positions, 4 * sizeof *positions);
    for (int i = 0; i < 4; i++)
        colors[i] = (md5_vec4){1, 1, 1, 1};
}

// Arrays that are missing in the previous frame equal the current arrays, even if an earlier pose
// had them. The last round has a deform.
TEST_OUTPUTS(gl_outputs_are_updated_only_after_changes, scene_square)
{
    static outputs read;
    static const uint32_t corners[] = {0, 2, 1, 1, 2, 3};
    const md5gl_deform deform = {
        .num_vertices = 4, .num_triangles = 2, .indices = corners, .write = copy_positions};
    const md5_mat34 placements[COUNT] = {scene_moved(0, -50, 0), scene_identity,
                                         scene_moved(0, 50, 0)};
    md5_mat34 placed[COUNT] = {placements[0], scene_moved(0, 8, -4), placements[2]};
    md5_mat34 moved[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++)
        moved[i] = i / 2 == 2 ? scene_moved(0, -5, 3) : scene_identity;
    md5gl_renderer *const renderer = stage->renderer;
    *scene_limits(renderer).max_texels = 24; // two instances in a batch
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE + 1; path++) {
        const bool is_deformed = path > MD5GL_PATH_COMPUTE;
        if (!is_deformed && !md5gl_has_path(renderer, path))
            continue;
        md5gl_model *const copy =
            md5gl_create_model(renderer, stage->model, is_deformed ? MD5GL_PATH_4 : path, NULL);
        CHECK(!is_deformed || md5gl_set_deform(renderer, copy, 0, &deform, NULL));
        const md5gl_instances moved_instances = {.palettes = moved, .placements = placed};
        const md5gl_instances only_placed = {.placements = placed};
        const md5gl_instances only_moved = {.palettes = moved};
        md5gl_instances instances = {
            .count = COUNT, .palettes = scene_identities, .placements = placements};
        instances.previous = &moved_instances;
        draw_outputs(stage, copy, &instances, &read);
        CHECK(moves_by(&read, -50, 9, 0, 0) && moves_by(&read, 9, 9, -8, 4)
              && moves_by(&read, 50, 9, 5, -3));
        CHECK_UINT(read.ids[SCENE_HEIGHT / 2][SCENE_WIDTH / 2 + 50][0], 3); // 1 + index
        instances.previous = &only_placed;
        draw_outputs(stage, copy, &instances, &read);
        CHECK(moves_by(&read, 9, 9, -8, 4) && moves_by(&read, 50, 9, 0, 0));
        instances.previous = &only_moved;
        draw_outputs(stage, copy, &instances, &read);
        CHECK(moves_by(&read, 9, 9, 0, 0) && moves_by(&read, 50, 9, 5, -3));
        instances.previous = NULL;
        draw_outputs(stage, copy, &instances, &read);
        int num_moving = 0;
        for (int y = 0; y < SCENE_HEIGHT; y++) {
            for (int x = 0; x < SCENE_WIDTH; x++)
                num_moving += read.motion[y][x][0] != 0 || read.motion[y][x][1] != 0;
        }
        CHECK_THAT(num_moving == 0, "%d pixels move", num_moving);
        md5gl_destroy_model(renderer, copy);
    }
}

TEST_OUTPUTS(gl_outputs_of_newly_visible_surfaces_point_off_the_screen, scene_square)
{
    static outputs read;
    md5_mat34 was = scene_moved(0, 1e6f, 0);
    const md5gl_instances previous = {.placements = &was};
    const md5gl_instances instances = {.count = 1,
                                       .palettes = scene_identities,
                                       .placements = scene_identities,
                                       .previous = &previous};
    const float *const motion = read.motion[SCENE_HEIGHT / 2][SCENE_WIDTH / 2 + 3];
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK(motion[0] == -2 && motion[1] == 0);
    stage->frame.view_from_world.m[14] = -100;
    stage->frame.clip_from_view = md5_mat44_perspective(60, 1, 1, 1000, MD5_DEPTH_MINUS_ONE_TO_ONE);
    was = scene_moved(200, 0, 0);
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK(motion[0] == 2 && motion[1] == 2);
    md5gl_set_visible(stage->copy, 0, false); // a frame clears the output of the previous frame
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK(motion[0] == 0 && motion[1] == 0);
    CHECK(read.ids[SCENE_HEIGHT / 2][SCENE_WIDTH / 2 + 3][0] == 0);
}

TEST_OUTPUTS(gl_outputs_contain_the_normals_of_lighting, scene_square)
{
    static outputs read;
    static const uint8_t tilted[4] = {218, 128, 218, 255}; // halfway to increasing u
    const md5gl_texture map =
        stage_keep(stage, scene_normals(stage->renderer, 1, 1, tilted, 0, NULL));
    const md5gl_instances instances = {.count = 1, .palettes = scene_identities};
    const uint32_t *const texel = &read.normals[SCENE_HEIGHT / 2][SCENE_WIDTH / 2 + 3];
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK(real3_distance(decode_normal(*texel), (real3){1, 0, 0}) < 2e-3);
    CHECK(*texel >> 30 == 3 && read.normals[0][0] == 0);
    STAGE_MATERIAL(stage, .normals = map, .two_sided = true);
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK(real3_distance(decode_normal(*texel), (real3){sqrt(0.5), sqrt(0.5), 0}) < 1e-2);
    scene_look_from_behind(&stage->frame);
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK(real3_distance(decode_normal(*texel), (real3){-sqrt(0.5), -sqrt(0.5), 0}) < 1e-2);
    STAGE_MATERIAL(stage, .normals = map);
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK_UINT(*texel, 0);
}

// -- Picking ----------------------------------------------------------------------------------

// Returns a model of the square, and of a second square to the right and in front of its middle.
static md5_model *make_two_squares(void)
{
    test_text text = {0};
    test_append(&text, "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 2\n"
                       "joints {\n\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n");
    for (int i = 0; i < 2; i++) {
        test_append(&text, "mesh {\nshader \"\"\nnumverts 4\n");
        for (int v = 0; v < 4; v++)
            test_append(&text, "vert %d ( %d %d ) %d 1\n", v, v % 2, 1 - v / 2, v);
        test_append(&text, "numtris 2\ntri 0 0 2 1\ntri 1 1 2 3\nnumweights 4\n");
        for (int v = 0; v < 4; v++) {
            const int y = v % 2 ? 20 : 20 * i - 20;
            const int z = v / 2 ? 20 : -20;
            test_append(&text, "weight %d 0 1 ( %d %d %d )\n", v, 5 * i, y, z);
        }
        test_append(&text, "}\n");
    }
    md5_model *const model = md5_parse_model(text.bytes, strlen(text.bytes), NULL, NULL);
    free(text.bytes);
    return model;
}

static bool picks(const gl_stage *stage, int right, int up, uint32_t id, uint32_t mesh)
{
    uint32_t found_mesh = 77;
    const uint32_t found =
        md5gl_pick(stage->renderer, stage->target, (uint32_t)(SCENE_WIDTH / 2 + right),
                   (uint32_t)(SCENE_HEIGHT / 2 - 1 - up), &found_mesh, NULL);
    if (found != id || found_mesh != mesh)
        printf("%d %d: instance %u, mesh %u\n", right, up, found, found_mesh);
    return found == id && found_mesh == mesh;
}

TEST_OUTPUTS(gl_pick_finds_the_nearest_instance_and_mesh, make_two_squares)
{
    static outputs read;
    static const uint8_t clear[4] = {0};
    const md5gl_texture nothing = stage_color(stage, 1, 1, clear);
    const md5_mat34 placements[COUNT] = {scene_identity, scene_moved(50, -30, 10),
                                         scene_moved(-50, 40, 0)};
    uint32_t ids[COUNT] = {7, UINT32_MAX, 9};
    const md5gl_instances instances = {
        .count = COUNT, .palettes = scene_identities, .placements = placements, .ids = ids};
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK(picks(stage, -15, 0, UINT32_MAX, 1) && picks(stage, -45, 25, UINT32_MAX, 0));
    CHECK(picks(stage, -5, 0, 7, 0) && picks(stage, 10, 0, 7, 1) && picks(stage, 30, 0, 9, 0));
    CHECK(picks(stage, -15, -15, 7, 0)); // below the nearer one, which is higher
    CHECK(picks(stage, 75, 0, 0, MD5_NONE));
    CHECK(picks(stage, 19, 19, 7, 1) && picks(stage, 19, 20, 0, MD5_NONE)); // a unit is a pixel
    CHECK(picks(stage, 19, -20, 7, 1) && picks(stage, 19, -21, 0, MD5_NONE));
    CHECK(picks(stage, 59, 9, 9, 1) && picks(stage, 60, 9, 0, MD5_NONE));
    CHECK_UINT(md5gl_pick(stage->renderer, stage->target, 90, 60, NULL, NULL), 7);

    // Without another pose. Id 0 hides surfaces that are farther away.
    ids[1] = 0;
    md5gl_set_visible(stage->copy, 1, false);
    draw_outputs(stage, stage->copy, &(md5gl_instances){.count = COUNT, .ids = ids}, &read);
    CHECK(picks(stage, 10, 0, 7, 0) && picks(stage, -15, 0, 0, MD5_NONE));
    md5gl_set_visible(stage->copy, 1, true);
    md5gl_set_material(stage->renderer, stage->copy, 0, 1, &(md5gl_material){.diffuse = nothing});
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK(picks(stage, 10, 0, 7, 0));
    md5gl_set_material(stage->renderer, stage->copy, 0, 1, &(md5gl_material){.is_staged = true});
    draw_outputs(stage, stage->copy, &instances, &read);
    CHECK(picks(stage, 10, 0, 7, 0));
}

static void GLAD_API_PTR read_sevens(GLint x, GLint y, GLsizei width, GLsizei height, GLenum form,
                                     GLenum type, void *texel)
{
    (void)x, (void)y, (void)width, (void)height, (void)form, (void)type;
    memcpy(texel, (uint32_t[4]){7, 7, 7, 7}, 4 * sizeof(uint32_t));
}

static PFNGLREADPIXELSPROC read_pixels;
static void GLAD_API_PTR read_wrongly(GLint x, GLint y, GLsizei width, GLsizei height, GLenum form,
                                      GLenum type, void *texel)
{
    read_sevens(x, y, width, height, form, type, texel);
    // invalid type, which causes an OpenGL error
    read_pixels(x, y, width, height, form, GL_RGBA, texel);
}

// Pixels outside of a framebuffer are undefined, so they are not read.
TEST_OUTPUTS(gl_pick_finds_nothing_beyond_the_target_or_after_errors, make_two_squares)
{
    GladGLContext *const gl = scene_gl(stage->renderer);
    md5_error error = {0};
    uint32_t mesh = 0;
    read_pixels = gl->ReadPixels;
    const int left = -SCENE_WIDTH / 2;
    const int right = SCENE_WIDTH / 2 - 1;
    const int bottom = -SCENE_HEIGHT / 2;
    const int top = SCENE_HEIGHT / 2 - 1;
    gl->ReadPixels = read_sevens;
    CHECK(picks(stage, left, bottom, 7, 7) && picks(stage, right, top, 7, 7));
    CHECK(picks(stage, left - 1, 0, 0, MD5_NONE) && picks(stage, right + 1, 0, 0, MD5_NONE));
    CHECK(picks(stage, 0, bottom - 1, 0, MD5_NONE) && picks(stage, 0, top + 1, 0, MD5_NONE));
    gl->ReadPixels = read_wrongly;
    CHECK_UINT(md5gl_pick(stage->renderer, stage->target, 0, 0, &mesh, &error), 0);
    CHECK(mesh == MD5_NONE && error.status == MD5_ERROR_GPU);
    gl->ReadPixels = read_pixels;
    scene_expect_messages();
}

// -- Outputs in an engine ---------------------------------------------------------------------

// The host's framebuffer has color, ids and depth, but neither normals nor motion. Lit, cut-out
// and dissolved models cover the same pixels at the same depth in any order, and the host's state
// is restored.
TEST_SQUARE (gl_outputs_are_drawn_into_the_framebuffer_of_the_host) {
    static const uint8_t grid[16] = {0, 0, 0, 0, 9, 9, 9, 255, 9, 9, 9, 255, 0, 0, 0, 0};
    static const GLenum lit[] = {GL_COLOR_ATTACHMENT0};
    static const GLenum all[] = {GL_NONE, GL_NONE, GL_COLOR_ATTACHMENT2};
    static uint32_t ids[SCENE_HEIGHT][SCENE_WIDTH][4];
    static uint8_t colors[SCENE_HEIGHT][SCENE_WIDTH][4];
    md5gl_renderer *const renderer = stage->renderer;
    const GladGLContext *const gl = scene_gl(renderer);
    GLuint framebuffer = 0;
    GLuint storage[3] = {0};
    static const GLenum forms[][2] = {{GL_RGBA8, GL_COLOR_ATTACHMENT0},
                                      {GL_RG32UI, GL_COLOR_ATTACHMENT2},
                                      {GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT}};
    gl->GenFramebuffers(1, &framebuffer);
    gl->GenRenderbuffers(3, storage);
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    for (int i = 0; i < 3; i++) {
        gl->BindRenderbuffer(GL_RENDERBUFFER, storage[i]);
        gl->RenderbufferStorage(GL_RENDERBUFFER, forms[i][0], SCENE_WIDTH, SCENE_HEIGHT);
        gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, forms[i][1], GL_RENDERBUFFER, storage[i]);
    }
    const md5gl_texture texture = stage_color(stage, 2, 2, grid);
    STAGE_MATERIAL(stage, .diffuse = texture);
    stage->frame.target = NULL;
    stage->frame.framebuffer = framebuffer;
    stage->frame.keep_contents = true;
    stage->frame.tone_mapped = true;
    md5_mat34 rotated = scene_identity; // about z, so that depths differ
    rotated.m[0] = 0.8f;
    rotated.m[5] = 0.8f;
    rotated.m[1] = -0.6f;
    rotated.m[4] = 0.6f;
    const md5_vec4 tint = {1, 1, 1, 1.4f};
    const md5gl_instances instances = {
        .count = 1, .palettes = scene_identities, .placements = &rotated, .tints = &tint};
    for (int first = 0; first < 2; first++) { // 0: outputs
        static const GLuint none[4] = {0};
        static const GLfloat black[4] = {0};
        static const GLfloat far_away = 1;
        gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        gl->DrawBuffers(3, all);
        gl->ClearBufferuiv(GL_COLOR, 2, none);
        gl->DrawBuffers(1, lit);
        gl->ClearBufferfv(GL_COLOR, 0, black);
        gl->ClearBufferfv(GL_DEPTH, 0, &far_away);
        for (int i = 0; i < 2; i++) {
            gl_values before;
            gl_values after;
            const bool draws_outputs = i == first;
            gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
            if (draws_outputs)
                gl->DrawBuffers(3, all);
            else
                gl->DrawBuffers(1, lit);
            values_disturb(&stage->scene);
            values_read(&stage->scene, &before);
            md5gl_save_state(renderer);
            stage_begin(stage);
            CHECK(md5gl_pose(renderer, stage->copy, &instances, NULL));
            if (draws_outputs)
                CHECK(md5gl_draw_outputs(renderer, stage->copy, NULL));
            else
                md5gl_draw_model(renderer, stage->copy, MD5GL_LIT);
            CHECK(md5gl_end_frame(renderer, NULL));
            values_are_defaults(&stage->scene, "a frame of outputs");
            md5gl_restore_state(renderer);
            values_read(&stage->scene, &after);
            values_are_equal(&after, &before, "outputs between saving and restoring");
        }
        stage_begin(stage); // an empty frame, which leaves the defaults
        CHECK(md5gl_end_frame(renderer, NULL));
        gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        gl->ReadBuffer(GL_COLOR_ATTACHMENT0);
        gl->ReadPixels(0, 0, SCENE_WIDTH, SCENE_HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, colors);
        gl->ReadBuffer(GL_COLOR_ATTACHMENT2);
        gl->ReadPixels(0, 0, SCENE_WIDTH, SCENE_HEIGHT, GL_RGBA_INTEGER, GL_UNSIGNED_INT, ids);
        int num_lit = 0;
        int num_different = 0;
        for (int y = 0; y < SCENE_HEIGHT; y++) {
            for (int x = 0; x < SCENE_WIDTH; x++) {
                num_lit += colors[y][x][3] != 0;
                num_different += (colors[y][x][3] != 0) != (ids[y][x][0] == 1);
            }
        }
        // 32 x 40 pixels, of which half is cut out, and 2 of 5 are dissolved.
        CHECK_NEAR(num_lit, 384, 40);
        CHECK_THAT(num_different == 0, "%d pixels differ", num_different);
    }
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->DeleteFramebuffers(1, &framebuffer);
    gl->DeleteRenderbuffers(3, storage);
}

// -- Refusals ---------------------------------------------------------------------------------

static GLenum GLAD_API_PTR is_incomplete(GLenum target)
{
    (void)target;
    return GL_FRAMEBUFFER_UNSUPPORTED;
}

static void GLAD_API_PTR report_failure(GLuint shader, GLenum parameter, GLint *value)
{
    (void)shader, (void)parameter;
    *value = GL_FALSE;
}

TEST_OUTPUTS(gl_outputs_reject_invalid_requests, scene_square)
{
    md5_error error = {0};
    md5gl_renderer *const renderer = stage->renderer;
    CHECK(!md5gl_create_outputs(renderer, 0, 8, &error) && error.status == MD5_ERROR_GPU);
    CHECK(!md5gl_create_outputs(NULL, 8, 8, NULL));
    const PFNGLCHECKFRAMEBUFFERSTATUSPROC real_status = scene_gl(renderer)->CheckFramebufferStatus;
    scene_gl(renderer)->CheckFramebufferStatus = is_incomplete;
    CHECK(!md5gl_create_outputs(renderer, 8, 8, &error) && error.status == MD5_ERROR_GPU);
    CHECK_UINT(strstr(error.message, "EXT_color_buffer_float") != NULL, scene_is_es(renderer));
    scene_gl(renderer)->CheckFramebufferStatus = real_status;

    const PFNGLGETSHADERIVPROC real_shader = scene_gl(renderer)->GetShaderiv;
    scene_gl(renderer)->GetShaderiv = report_failure;
    error = (md5_error){0};
    stage_begin(stage);
    CHECK(!md5gl_draw_outputs(renderer, stage->copy, &error) && error.status == MD5_ERROR_GPU);
    CHECK(!md5gl_draw_outputs(renderer, NULL, NULL));
    CHECK(md5gl_end_frame(renderer, NULL));
    scene_gl(renderer)->GetShaderiv = real_shader;

    // A table can contain one palette of two joints, but not a second palette for the previous
    // frame.
    const md5gl_instances previous = {.palettes = scene_identities};
    md5gl_instances instances = {.count = 1, .palettes = scene_identities};
    const uint32_t max_texels = *scene_limits(renderer).max_texels;
    *scene_limits(renderer).max_texels = 11;
    CHECK(md5gl_pose(renderer, stage->copy, &instances, NULL));
    instances.previous = &previous;
    CHECK(!md5gl_pose(renderer, stage->copy, &instances, &error));
    CHECK_THAT(
        strstr(error.message, "with the previous palette is too large: it requires 12 texels")
            != NULL,
        "%s", error.message);
    *scene_limits(renderer).max_texels = max_texels;

    SCOPED_BAKED clip = md5_create_baked(stage->model, scene_identities, 1, NULL, NULL);
    md5gl_baked *const baked =
        md5gl_create_baked(renderer, stage->model, (const md5_baked *const *)&clip, 1, NULL);
    const md5gl_clip_job job = {0};
    const md5gl_clip_job wrong = {.sample = {.frame1 = 1}};
    CHECK(md5gl_pose(
        renderer, stage->copy,
        &(md5gl_instances){
            .count = 1, .baked = baked, .jobs = &job, .previous = &(md5gl_instances){.jobs = &job}},
        NULL));
    CHECK(!md5gl_pose(renderer, stage->copy,
                      &(md5gl_instances){.count = 1,
                                         .baked = baked,
                                         .jobs = &job,
                                         .previous = &(md5gl_instances){.jobs = &wrong}},
                      &error)
          && error.status == MD5_ERROR_RANGE);
    md5gl_destroy_baked(renderer, baked);

    // Picking leaves the target to be read as a picture of its normals.
    static outputs read;
    uint32_t mesh = 7;
    gl_picture picture;
    draw_outputs(stage, stage->copy, &(md5gl_instances){.count = 1, .palettes = scene_identities},
                 &read);
    CHECK(picks(stage, 3, 3, 1, 0));
    CHECK(md5gl_read_pixels(renderer, stage->target, SCENE_WIDTH, SCENE_HEIGHT, picture.rgba[0][0],
                            NULL));
    CHECK_PIXEL(&picture, 3, 3, (uint8_t[4]){255, 128, 128, 255}, 1);
    CHECK(md5gl_pick(renderer, NULL, 0, 0, &mesh, NULL) == 0 && mesh == MD5_NONE);
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

TEST_OUTPUTS(gl_errors_with_outputs_are_reported, scene_square)
{
    md5gl_renderer *const renderer = stage->renderer;
    const md5gl_instances previous = {.placements = scene_identities};
    MISUSE("md5gl_draw_outputs(): must be called between",
           md5gl_draw_outputs(renderer, stage->copy, NULL));
    MISUSE("md5gl_draw_model(): frame target: must not be created by md5gl_create_outputs()", {
        stage_begin(stage);
        md5gl_draw_model(renderer, stage->copy, MD5GL_LIT);
    });
    MISUSE("md5gl_draw_outputs(): frame target: must be created by md5gl_create_outputs()", {
        stage->frame.target = md5gl_create_target(renderer, 8, 8, 1, NULL);
        stage_begin(stage);
        md5gl_draw_outputs(renderer, stage->copy, NULL);
    });
    MISUSE("md5gl_pick(): target: must be created by md5gl_create_outputs()",
           md5gl_pick(renderer, md5gl_create_target(renderer, 8, 8, 1, NULL), 0, 0, NULL, NULL));
    MISUSE("md5gl_pose(): previous: must have the same arrays as the current instances",
           md5gl_pose(
               renderer, stage->copy,
               &(md5gl_instances){.count = 1, .palettes = scene_identities, .previous = &previous},
               NULL));
    MISUSE("md5gl_pose(): previous: reserved members",
           md5gl_pose(renderer, stage->copy,
                      &(md5gl_instances){.count = 1,
                                         .palettes = scene_identities,
                                         .previous = &(md5gl_instances){.reserved = {1}}},
                      NULL));
}

#endif
