// Clicks on the body: the picked triangle is compared with a search in double precision, and the
// picked point, projected by the lens's matrices, with the clicked pixel. Also the limits of a
// thumbnail process, deformed surfaces, and the pointer.
#define _XOPEN_SOURCE 700 // fork()
#include "test/scoped.h"
#include "test/real.h"
#include "test/viewer/test_view_case.h"
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"

#include <sys/wait.h>
#include <unistd.h>

#define MODEL "models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim --animation-time 0.3"
#define SIZE " --samples 1 --resolution 320,240"

enum { WIDTH = 320, HEIGHT = 240 };

// Computes the intersection of a ray and a triangle, Moeller and Trumbore 1997. Returns the
// distance along the ray; infinite if the ray misses by more than `slack` of the triangle, or hits
// the inside. Triangles are clockwise from outside.
static double distance_to(const md5_ray *ray, const md5_vec3 corners[3], double slack)
{
    const real3 origin = to_real3(ray->origin);
    const real3 direction = to_real3(ray->direction);
    const real3 a = to_real3(corners[0]);
    const real3 u = real3_sub(to_real3(corners[1]), a);
    const real3 v = real3_sub(to_real3(corners[2]), a);
    const real3 p = real3_cross(direction, v);
    const real3 s = real3_sub(origin, a);
    const double area = real3_dot(u, p);
    if (area >= 0.0)
        return (double)INFINITY;
    const real3 q = real3_cross(s, u);
    const double across = real3_dot(s, p) / area;
    const double down = real3_dot(direction, q) / area;
    if (across < -slack || down < -slack || across + down > 1.0 + slack)
        return (double)INFINITY;
    return real3_dot(v, q) / area;
}

static double search(const view_scene *scene, const md5_ray *ray, double slack)
{
    double nearest = INFINITY;
    for (uint32_t m = 0; m < scene->model->num_meshes; m++) {
        const md5_mesh *const mesh = &scene->model->meshes[m];
        for (uint32_t t = 0; t < mesh->num_triangles; t++) {
            md5_vec3 corners[3];
            for (uint32_t i = 0; i < 3; i++)
                corners[i] = scene->skinned[m].positions[mesh->indices[3 * (size_t)t + i]];
            const double distance = distance_to(ray, corners, slack);
            if (distance > 0.0 && distance < nearest)
                nearest = distance;
        }
    }
    return nearest;
}

// Clicks on a grid of pixels and checks each pick.
static void click_all_over(shot_viewer *viewer)
{
    view_state *const state = &viewer->state;
    view_scene *const scene = &state->document->scene;
    uint32_t num_hits = 0;
    uint32_t num_misses = 0;
    view_pose(scene, &state->play);
    const view_stage stage = view_build_stage(state, WIDTH, HEIGHT);
    const view_lens lens = view_stage_lens(&stage);
    for (int y = 8; y < HEIGHT; y += 16) {
        for (int x = 8; x < WIDTH; x += 16) {
            const md5_ray ray = view_lens_ray(&lens, (float)x, (float)y, WIDTH, HEIGHT);
            view_pick_at(state, (float)x, (float)y);
            const double low = search(scene, &ray, 1e-3);
            const double high = search(scene, &ray, -1e-3);
            const view_pick *const pick = &state->ui.selection.pick;
            if (!pick->is_set) {
                CHECK(high > 1e30 && state->ui.selection.joint < 0);
                num_misses++;
                continue;
            }
            const md5_vec3 point = view_pick_point(scene, pick);
            double pixel[2];

            // Project the point to pixels with the matrices of the renderer.
            md5_mat44 view, clip;
            view_lens_matrices(&lens, &view, &clip);
            const md5_mat44 both = md5_mat44_mul(clip, view);
            double at[4];
            for (int row = 0; row < 4; row++)
                at[row] = (double)both.m[row] * point.x + (double)both.m[4 + row] * point.y
                          + (double)both.m[8 + row] * point.z + both.m[12 + row];
            pixel[0] = 0.5 * (double)WIDTH * (1.0 + at[0] / at[3]);
            pixel[1] = 0.5 * (double)HEIGHT * (1.0 - at[1] / at[3]);

            CHECK_NEAR(pixel[0], x, 0.02);
            CHECK_NEAR(pixel[1], y, 0.02);
            const real3 direction = to_real3(ray.direction);
            const double along =
                real3_dot(real3_sub(to_real3(point), to_real3(ray.origin)), direction)
                / real3_dot(direction, direction);
            CHECK(low > 1e30 || along >= low * (1.0 - 1e-4));
            CHECK(along <= high * (1.0 + 1e-4));
            CHECK(state->ui.selection.joint == pick->joint);
            num_hits++;
        }
    }
    CHECK(num_hits > 20 && num_misses > 20);
}

TEST_SCENE (view_click_finds_the_nearest_triangle) {
    STRINGS(lines) = {MODEL SIZE, MODEL SIZE " --camera-orthographic --panel",
                      MODEL SIZE " --up y"};
    shot_viewer viewer;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        if (shot_open(&viewer, scene, lines[i]))
            click_all_over(&viewer);
        shot_close(&viewer);
    }
}

// Joint transforms are relative to the file's coordinate system, even if the model is rotated.
TEST_SHOT (view_click_reports_joints_of_the_file, MODEL SIZE " --up y") {
    view_scene *const shown = &viewer->state.document->scene;
    view_show_bind_pose(shown, true, NULL);
    view_pose(shown, &viewer->state.play);
    for (uint32_t i = 0; i < shown->num_joints; i++) {
        const md5_mat34 model = view_joint_matrix(shown, i, false);
        const md5_vec3 local = md5_mat34_translation(view_joint_matrix(shown, i, true));
        const md5_vec3 expected = shown->model->bind_local[i].translation;
        for (int k = 0; k < 12; k++)
            CHECK_NEAR(model.m[k], shown->model->bind[i].m[k], 1e-4);
        CHECK_NEAR(local.x, expected.x, 1e-3);
        CHECK_NEAR(local.y, expected.y, 1e-3);
        CHECK_NEAR(local.z, expected.z, 1e-3);
    }
}

// Hidden meshes are not picked, and a pick is shown until Esc.
TEST_SHOT (view_click_is_shown_until_escape, MODEL SIZE) {
    view_state *const state = &viewer->state;
    view_pose(&state->document->scene, &state->play);
    for (int x = 0; x < WIDTH && !state->ui.selection.pick.is_set; x += 4)
        view_pick_at(state, (float)x, HEIGHT / 2);
    CHECK(state->ui.selection.pick.is_set && state->ui.selection.joint >= 0);
    PERFORM(state, VIEW_CLOSE_LISTS);
    CHECK(!state->ui.selection.pick.is_set && state->ui.selection.joint < 0);
    state->options->hidden_meshes = 3;
    for (int x = 0; x < WIDTH; x += 4) {
        view_pick_at(state, (float)x, HEIGHT / 2);
        CHECK(!state->ui.selection.pick.is_set);
    }
}

// The difference of two points on triangles in the bind pose is measured in the file's coordinate
// system, even if the model is rotated.
TEST_SHOT (view_click_measures_in_the_space_of_the_file, MODEL SIZE " --up y") {
    view_state *const state = &viewer->state;
    view_scene *const shown = &state->document->scene;
    const md5_mesh *const mesh = &shown->model->meshes[0];
    const view_pick from = {.is_set = true, .triangle = 7, .weights = {1, 0, 0}};
    const view_pick to = {.is_set = true, .triangle = 4000, .weights = {0, 0.25f, 0.75f}};
    const uint32_t *const begin = mesh->indices + 3 * (size_t)from.triangle;
    const uint32_t *const end = mesh->indices + 3 * (size_t)to.triangle;
    const real3 a = to_real3(mesh->positions[begin[0]]);
    const real3 b = to_real3(mesh->positions[end[1]]);
    const real3 c = to_real3(mesh->positions[end[2]]);
    view_show_bind_pose(shown, true, NULL);
    view_pose(shown, &state->play);
    view_skin(shown);
    const md5_vec3 direction = view_pick_difference(shown, &from, &to);
    CHECK_NEAR(direction.x, 0.25 * b.x + 0.75 * c.x - a.x, 1e-4);
    CHECK_NEAR(direction.y, 0.25 * b.y + 0.75 * c.y - a.y, 1e-4);
    CHECK_NEAR(direction.z, 0.25 * b.z + 0.75 * c.z - a.z, 1e-4);
    CHECK(md5_vec3_length(direction) > 1.0f);
}

TEST_SHOT (view_click_measures_until_the_next_click, MODEL SIZE " --panel") {
    view_state *const state = &viewer->state;
    view_pose(&state->document->scene, &state->play);
    view_measure_at(state, WIDTH / 2, HEIGHT / 2); // without a pick it is a normal click
    CHECK(state->ui.selection.pick.is_set && !state->ui.selection.measured.is_set);
    view_measure_at(state, WIDTH / 2 + 6, HEIGHT / 2);
    CHECK(state->ui.selection.pick.is_set && state->ui.selection.measured.is_set);
    SCOPED_PICTURE with = shot_draw(viewer);
    const view_pick measured = state->ui.selection.measured;
    state->ui.selection.measured.is_set = false;
    SCOPED_PICTURE without = shot_draw(viewer);
    CHECK(!shot_same(&with, &without));
    state->ui.selection.measured = measured;
    view_measure_at(state, 1.0f, 1.0f); // next to the body
    CHECK(state->ui.selection.pick.is_set && !state->ui.selection.measured.is_set);
    state->ui.selection.measured = measured;
    view_pick_at(state, WIDTH / 2, HEIGHT / 2);
    CHECK(state->ui.selection.pick.is_set && !state->ui.selection.measured.is_set);
    state->ui.selection.measured = measured;
    PERFORM(state, VIEW_CLOSE_LISTS);
    CHECK(!state->ui.selection.pick.is_set && !state->ui.selection.measured.is_set);
}

// -- Limits of a process --------------------------------------------------------------------------

// The limits of a process that draws a thumbnail, tested in child processes.

// Runs `work` in a child process with limits of 256 MiB and one second, and returns its exit
// status. Stores its output in `output`.
static int run_limited(void (*work)(void), char *output, size_t size)
{
    int ends[2];
    int status = -1;
    if (!CHECK(pipe(ends) == 0))
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], 2);
        common_limit_process((size_t)256 << 20, 1, "late\n");
        work();
        _exit(0);
    }
    close(ends[1]);
    const ssize_t length = read(ends[0], output, size - 1);
    output[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run_forever(void)
{
    for (volatile unsigned i = 0;; i++) {
    }
}

TEST_LONG (limit_of_processor_time_ends_with_a_message) {
    char output[16];
    CHECK_UINT((uint64_t)run_limited(run_forever, output, sizeof output), 1);
    CHECK_STRING(output, "late\n");
}

// Sanitizers reserve more memory than the limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static void run_briefly(void)
{
    common_limit_process((size_t)256 << 20, 0, "late\n");
    for (volatile unsigned long i = 0; i < 1000; i++) {
    }
}

static void allocate_memory(void)
{
    void *volatile much = malloc((size_t)512 << 20);
    if (much == NULL)
        _exit(7);
    free(much);
}

// Checks in a limited process that memory below the limit can be allocated, and memory above it
// cannot. The limit of a thumbnail is added to the address space that OpenGL has reserved.
static void allocate_more_memory(void)
{
    // The limit of run_limited() is below the address space that earlier tests reserve.
    common_limit_process(SIZE_MAX, 1, "late\n");
    const size_t limit = (size_t)1 << 30; // more than the memory that earlier tests have freed
    // Volatile, because compilers remove allocations that are only compared with NULL.
    void *volatile before = malloc((size_t)96 << 20);
    const size_t used = common_address_space();
    if (before == NULL || used < (size_t)96 << 20)
        _exit(3);
    common_limit_process(used + limit, 1, "late\n");
    void *volatile below = malloc(limit / 2);
    if (below == NULL)
        _exit(4);
    void *volatile above = malloc(limit);
    if (above != NULL)
        _exit(5);
    free(below);
    free(before);
}

TEST (limit_of_memory_begins_at_the_address_space) {
    char text[16];
    if (common_address_space() > 0)
        CHECK_UINT((uint64_t)run_limited(allocate_more_memory, text, sizeof text), 0);
}

TEST (limit_of_memory_makes_allocations_fail) {
    char output[16];
    CHECK_UINT((uint64_t)run_limited(allocate_memory, output, sizeof output), 7);
    CHECK_UINT((uint64_t)run_limited(run_briefly, output, sizeof output), 0);
    CHECK_STRING(output, "");
}

#endif

// -- Deforms --------------------------------------------------------------------------------------

// Surfaces that materials deform, for each instance of companions and crowds.

enum { HALF = SCENE_WIDTH / 2 };

// Returns the brightness of half an image, and the largest difference between its halves.
static uint32_t sum_brightness(const gl_picture *picture, int half, int *difference)
{
    uint32_t sum = 0;
    *difference = 0;
    for (int row = 0; row < SCENE_HEIGHT; row++) {
        for (int column = 0; column < HALF; column++) {
            for (int channel = 0; channel < 3; channel++) {
                const int left = picture->rgba[row][column][channel];
                const int right = picture->rgba[row][column + HALF][channel];
                sum += (uint32_t)(half == 0 ? left : right);
                *difference = abs(left - right) > *difference ? abs(left - right) : *difference;
            }
        }
    }
    return sum;
}

static view_textures load_layers(gl_stage *stage, view_package *package, const char *material)
{
    view_log log = quiet_log;
    view_textures textures = {.num_meshes = 1, .meshes = common_alloc(1, sizeof *textures.meshes)};
    view_add_layers(
        &(view_texture_task){.textures = &textures,
                             .renderer = stage->renderer,
                             .log = &log,
                             .game = view_package_game(package, view_log_listener(&log))},
        material);
    view_sort_layers(&textures.layers, 1);
    view_evaluate_layers(&textures.layers, &(md5_material_input){.parms = {1, 1, 1, 1}});
    view_set_deforms(&textures.layers, stage->renderer, stage->copy, stage->model, &log);
    return textures;
}

static void draw_two(gl_stage *stage, const view_layers *layers, const md5_mat34 placements[2],
                     gl_picture *picture)
{
    const md5_mat34 palettes[4] = {scene_identity, scene_identity, scene_identity, scene_identity};
    stage_begin(stage);
    stage_pose(stage, palettes, placements, 2);
    CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, layers->lists, 1,
                            NULL));
    stage_finish(stage, picture);
}

// Two placements of one model: the first as in its file, the second rotated so that only its edge
// is visible. Sprites look the same in both if each has a separate view.
TEST_SQUARE (view_deforms_face_the_viewer_in_every_instance) {
    // scene_frame() looks along -x, so this view has the same direction.
    static const md5_deform_view view = {.eye = {500, 0, 0}, .left = {0, -1, 0}, .up = {0, 0, 1}};
    const md5_mat34 placements[2] = {scene_moved(0, -40, 0),
                                     {{0, -1, 0, 7, 1, 0, 0, 40, 0, 0, 1, 0}}};
    gl_picture picture;
    int difference;
    view_package *const package =
        view_open_package(test_path("models/game/base/any.md5mesh"), NULL);
    view_textures textures = load_layers(stage, package, "kinds/sprite");
    CHECK(textures.layers.has_deforms);
    CHECK(md5gl_mesh_path(stage->copy, 0, NULL) == MD5GL_PATH_CPU);

    view_set_deform_view(&textures.layers, &view, placements, 2);
    draw_two(stage, &textures.layers, placements, &picture);
    CHECK(sum_brightness(&picture, 0, &difference) > 10000);
    CHECK(difference <= 1);

    // If both use one view in model space, the second one shows only its edge.
    view_set_deform_view(&textures.layers, &view, NULL, 0);
    draw_two(stage, &textures.layers, placements, &picture);
    CHECK(sum_brightness(&picture, 1, &difference) < 100);
    view_free_textures(&textures, stage->renderer);
    view_close_package(package);
}

// The size of a sprite equals the size of its quad, even if the placement scales it.
TEST_SQUARE (view_deforms_keep_scale) {
    static const md5_deform_view view = {.eye = {500, 0, 0}, .left = {0, -1, 0}, .up = {0, 0, 1}};
    const md5_mat34 placements[2] = {scene_moved(0, -40, 0), scene_moved(0, 40, 0)};
    const md5_mat34 half[2] = {scene_moved(0, -40, 0),
                               {{0.5f, 0, 0, 0, 0, 0.5f, 0, 40, 0, 0, 0.5f, 0}}};
    gl_picture picture;
    int difference;
    view_package *const package =
        view_open_package(test_path("models/game/base/any.md5mesh"), NULL);
    view_textures textures = load_layers(stage, package, "kinds/sprite");
    view_set_deform_view(&textures.layers, &view, placements, 2);
    draw_two(stage, &textures.layers, placements, &picture);
    const uint32_t brightness = sum_brightness(&picture, 1, &difference);
    view_set_deform_view(&textures.layers, &view, half, 2);
    draw_two(stage, &textures.layers, half, &picture);
    CHECK_NEAR((double)sum_brightness(&picture, 1, &difference) / brightness, 0.25, 0.02);
    view_free_textures(&textures, stage->renderer);
    view_close_package(package);
}

// -- Images of deformed surfaces --------------------------------------------------------------

#define GLOW "test/data/sprites/glow.md5mesh test/data/sprites/still.md5anim"
#define SMALL                                                                               \
    " --resolution 160,120 --samples 1 --no-shadow --camera-orthographic --camera-distance" \
    " 200 --camera-elevation-angle 60 --background-color 0,0,0 "

// Returns the number of pixels that the orange sprites cover.
static double count_orange(const gl_scene *scene, const char *line)
{
    SCOPED_PICTURE picture = render_shot(scene, line);
    uint32_t count = 0;
    if (picture.rgba != NULL) {
        for (uint32_t i = 0; i < picture.width * picture.height; i++)
            count += picture.rgba[4 * i] > 200 && picture.rgba[4 * i + 2] < 150;
    }
    return count;
}

// From every side each character has a sprite of the same size: for one model, for a model with a
// companion, and for a crowd. The quads have different orientations, and some would show their
// back.
TEST_SCENE (view_deforms_of_companions_and_crowds) {
    static const struct {
        const char *line;
        double sprites;
    } cases[] = {
        {GLOW SMALL, 1},
        {GLOW SMALL "--camera-azimuth-angle 90 --retarget test/data/sprites/glow.md5mesh", 2},
        {GLOW SMALL "--camera-azimuth-angle 200 --attach root=test/data/sprites/glow.md5mesh", 1},
        {GLOW SMALL "--crowd 3 --crowd-impostors 64 --camera-elevation-angle 90", 3},
    };
    double first = 0.0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double count = count_orange(scene, cases[i].line);
        first = i == 0 ? count : first;
        CHECK_THAT(first > 20 && fabs(count / first - cases[i].sprites) < 0.1 * cases[i].sprites,
                   "%s: %g pixels, the first %g", cases[i].line, count, first);
    }
}

// An attached model of a machine is at the transform of the hand times the attached model's bind
// pose, and the machine's modifiers use this position. An attached model without a joint is not
// shown. Windows are reported as events.
TEST_SCENE (view_machine_shows_attached_models) {
    static const char blade[] =
        "MD5Version 10 commandline \"\" numJoints 2 numMeshes 1 joints {"
        " \"root\" -1 ( 1 -2 3 ) ( 0.3 0.2 -0.5 ) \"grip\" 0 ( 4.66 17.4 0 ) ( 0 0.1 -0.6 ) }"
        " mesh { shader \"none\" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 vert 2 ( 0 1 )"
        " 2 1 numtris 2 tri 0 0 1 2 tri 1 0 2 1 numweights 3 weight 0 0 1 ( 0 0 0 )"
        " weight 1 0 1 ( -30 0 0 ) weight 2 1 1 ( -9 -40 9 ) }";
    SCOPED_FOLDER folder = folder_make();
    SCOPED_STRING bobbin = common_absolute(test_path("models/bobbin"));
    SCOPED_STRING text = common_format(
        "machine holds { model \"%s/bobbin.md5mesh\" clip carry \"%s/carry.md5anim\" {"
        " window hold 2-60 fast } layer body { state carry carry } attached far blade.md5mesh"
        " attached blade blade.md5mesh on prop_r"
        " modifier left two_bone hand_l { target grip of blade } }",
        bobbin, bobbin);
    SCOPED_STRING line = common_format("%s/holds.md5machine --animation-time 0.7" SIZE, folder);
    SCOPED_SHOT viewer;
    folder_write_text(folder, "blade.md5mesh", blade);
    folder_write_text(folder, "holds.md5machine", text);
    if (shot_open(&viewer, scene, line)) {
        SCOPED_PICTURE with = shot_draw(&viewer);
        view_companion *const held = viewer.state.document->companions + VIEW_HELD + 1;
        const view_scene *const fixture = &viewer.state.document->scene;
        md5_xform at = {.rotation = {.w = 1}};
        REQUIRE(held->model != NULL && held[-1].model == NULL);
        for (uint32_t joint = md5_find_joint(fixture->skeleton, "prop_r"); joint != MD5_NONE;
             joint = fixture->skeleton->joints[joint].parent)
            at = md5_xform_mul(fixture->pose[joint], at);
        at = md5_xform_mul(fixture->machine.placement, at);
        const md5_vec3 hand =
            md5_mat34_translation(fixture->joints[md5_find_joint(fixture->skeleton, "hand_l")]);
        const md5_vec3 grip = md5_xform_point(at, (md5_vec3){4.66f, 17.4f, 0});
        CHECK(md5_vec3_length(md5_vec3_sub(hand, grip)) < 1e-2f);
        for (uint32_t i = 0; i < 2; i++) {
            const md5_vec3 bind = md5_mat34_translation(held->model->bind[i]);
            const md5_vec3 drawn =
                md5_mat34_point(held->placement, md5_mat34_point(held->palette[i], bind));
            CHECK(md5_vec3_length(md5_vec3_sub(drawn, md5_xform_point(at, bind))) < 1e-3f);
        }
        md5gl_set_visible(held->drawn, 0, false);
        SCOPED_PICTURE without = shot_draw(&viewer);
        CHECK(shot_difference(&with, &without) > 0.01);
        CHECK_STRING(fixture->machine.events[0].text, "begin hold fast");
    }
}

// A lit surface shows an image that is built into the engine. Neither that surface nor a surface
// that only has stages searches for a file.
TEST_SCENE (view_layers_show_built_in_images) {
    STRINGS(cases) = {"test/data/sprites/plain.md5mesh", "test/data/sprites/glow.md5mesh"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_log log = quiet_log;
        view_textures textures;
        SCOPED_MODEL model = md5_load_model(test_path(cases[i]), NULL, NULL);
        CHECK(view_load_textures(
            &textures, &(view_loader){.renderer = scene->renderer, .log = &log},
            &(view_texture_sources){.model = model, .path = test_path(cases[i])}));
        const md5gl_material material =
            view_mesh_material(&textures, scene->renderer, 0, true, false, 0.0);
        CHECK(material.diffuse != md5gl_checker_texture(scene->renderer));
        CHECK_UINT(view_mesh_look(&textures, 0)->tried.count, 0);
        view_free_textures(&textures, scene->renderer);
    }
}

// In a game folder, a texture that no material names is found by the name of the model, but not by
// the name of an entity.
TEST_SCENE (view_textures_are_guessed_in_a_game_folder) {
    view_log log = quiet_log;
    const char *const path = test_path("test/data/lost/lost.md5mesh");
    view_package *const package = view_open_package(path, NULL);
    SCOPED_MODEL model = md5_load_model(path, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        view_textures textures;
        SCOPED_STRING address =
            view_make_address(package->root, i == 0 ? "lost.md5mesh" : "monster_lost", NULL);
        CHECK(view_load_textures(
            &textures, &(view_loader){.renderer = scene->renderer, .log = &log},
            &(view_texture_sources){.model = model,
                                    .path = address,
                                    .game = view_package_game(package, view_log_listener(&log))}));
        const view_texture *const image = view_mesh_image(&textures, 0, MD5GL_IMAGE_DIFFUSE);
        CHECK((view_mesh_look(&textures, 0)->is_guess) == (i == 0));
        CHECK((image != NULL && image->width == 8) == (i == 0));
        view_free_textures(&textures, scene->renderer);
    }
    view_close_package(package);
}

// -- The pointer ----------------------------------------------------------------------------------

// The mouse pointer as an input of a machine, and Bobbin's reaction to it.

static bool load(view_machine *machine, view_log *log)
{
    *log = (view_log){.level = VIEW_QUIET};
    return CHECK(
        view_load_machine(machine, test_path("models/bobbin/bobbin.md5machine"), NULL, log));
}

static double value(const view_machine *machine, const char *name)
{
    const uint32_t parameter = md5_find_parameter(machine->character->machine, name);
    CHECK(parameter != MD5_NONE);
    return md5_player_get(machine->player, parameter);
}

static const char *state_name(const view_machine *machine)
{
    return machine->desc->layers[0].states[md5_player_layer(machine->player, 0).state].name;
}

// Returns a point at eye height, 100 units away, this many degrees to the left.
static md5_vec3 point(const view_machine *machine, double degrees)
{
    const md5_bounds bounds = machine->desc->model->bounds;
    const double angle = degrees * 3.14159265358979 / 180.0;
    return (md5_vec3){(float)(100.0 * cos(angle)), (float)(100.0 * sin(angle)),
                      bounds.min.z + 0.75f * (bounds.max.z - bounds.min.z)};
}

TEST (view_pointer_is_sent_to_a_machine_until_it_rests) {
    view_scene scene;
    view_machine *const machine = &scene.machine;
    view_log log;
    if (!load(machine, &log))
        return;
    view_run_machine(machine, 0.5);
    CHECK_EXACT(value(machine, "pointer"), 0);
    view_machine_motion.point(&scene, point(machine, 30.0));
    // After 0.6 s the eyes point at the pointer, but the head is still rotating.
    view_run_machine(machine, 0.6);
    CHECK(value(machine, "eyes_yaw") > 25.0 && value(machine, "head_yaw") < 15.0);
    view_run_machine(machine, 2.0);
    CHECK_NEAR(value(machine, "pointer"), 1, 1e-6);
    CHECK_NEAR(value(machine, "head_yaw"), 30, 0.1);
    CHECK_SMALL(value(machine, "head_pitch"), 0.1);
    CHECK_STRING(state_name(machine), "idle");
    CHECK_SMALL((double)machine->placement.rotation.z, 1e-6);
    view_run_machine(machine, 8.5);
    CHECK_SMALL(value(machine, "pointer"), 1e-6);
    CHECK_SMALL(value(machine, "head_yaw"), 0.5);
    view_free_machine(machine);
}

static double rotation_about_z(md5_quat rotation)
{
    return 2.0 * atan2((double)rotation.z, (double)rotation.w);
}

// Returns the angular velocity at the beginning of a 45-degree rotation, which equals the one at
// its end, in radians per second.
static double turning_rate(const view_machine *machine)
{
    const double step = 1.0 / 256.0;
    SCOPED_PLAYER player = md5_create_player(machine->character->machine, NULL, NULL);
    const uint32_t state = md5_find_state(machine->character->machine, 0, "turn_left");
    CHECK(state != MD5_NONE && md5_player_seek(player, 0, state, 0.0));
    md5_player_advance(player, step, NULL, NULL);
    const double angle = rotation_about_z(md5_player_root_motion(player).rotation);
    return angle / step;
}

TEST (view_pointer_behind_him_turns_him_around) {
    view_scene scene;
    view_machine *const machine = &scene.machine;
    view_log log;
    if (!load(machine, &log))
        return;
    view_machine_motion.point(&scene, point(machine, 150.0));
    view_run_machine(machine, 4.0);
    // Bobbin rotates in steps of 45 degrees until the pointer is at most 40 degrees to the side:
    // three steps. At half of the rate, 0.2 s of the transition to the first step are lost and 0.3
    // s of the transition to standing are added.
    CHECK_STRING(state_name(machine), "idle");
    CHECK_NEAR(rotation_about_z(machine->placement.rotation),
               135.0 * 3.14159265358979 / 180.0 + 0.5 * (0.3 - 0.2) * turning_rate(machine), 1e-3);
    CHECK(fabs(value(machine, "head_yaw")) < 40.0);
    view_free_machine(machine);
}

// If a pointer behind Bobbin crosses the middle, Bobbin treats it for a while as if it were still
// on its former side.
TEST (view_pointer_that_circles_behind_him_does_not_swing_his_head) {
    static const double at[][2] = {{170, 170},  {190, 190},  {205, 205}, {215, -145},
                                   {190, -170}, {155, -205}, {145, 145}, {30, 30}};
    view_scene scene;
    view_machine *const machine = &scene.machine;
    view_log log;
    if (!load(machine, &log))
        return;
    for (size_t i = 0; i < COUNT_OF(at); i++) {
        view_machine_motion.point(&scene, point(machine, at[i][0]));
        view_run_machine(machine, machine->time + 1e-6);
        CHECK_NEAR(machine->target_yaw, at[i][1], 0.1);
    }
    view_free_machine(machine);
}

// Returns the name of the clip in the first one-shot slot.
static const char *one_shot_name(const view_machine *machine)
{
    const md5_one_shot_status act = md5_player_one_shot(machine->player, 0);
    return act.is_playing ? machine->desc->clips[act.clip].name : "";
}

TEST (view_pointer_that_clicks_makes_him_giggle_and_then_hurts) {
    view_scene scene;
    view_machine *const machine = &scene.machine;
    view_log log;
    if (!load(machine, &log))
        return;
    view_machine_motion.click(&scene);
    view_run_machine(machine, 0.3);
    CHECK_STRING(one_shot_name(machine), "giggle");
    view_machine_motion.click(&scene);
    view_run_machine(machine, 0.6);
    CHECK_STRING(one_shot_name(machine), "hit");
    view_free_machine(machine);
}

TEST (view_pointer_is_not_sent_to_machines_without_its_parameters) {
    view_scene scene;
    view_machine *const machine = &scene.machine;
    view_log log = quiet_log;
    REQUIRE(
        view_load_machine(machine, test_path("models/bobbin/page_look.md5machine"), NULL, &log));
    view_machine_motion.point(&scene, point(machine, 30.0));
    view_machine_motion.click(&scene);
    view_run_machine(machine, 0.3);
    CHECK(machine->has_target_angles);
    view_free_machine(machine);
}
