// Clicks on the body: the picked triangle against a search in double precision, and the pixel at
// which the lens's matrices show the picked point.
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/app/input.h"
#include "demo/viewer/draw/overlay.h"

#include <math.h>
#include <stdlib.h>

#define MODEL "models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim --animation-time 0.3"
#define SIZE " --samples 1 --resolution 320,240"

enum { WIDTH = 320, HEIGHT = 240 };

typedef struct vec {
    double x, y, z;
} vec;

static vec from_float(md5_vec3 v)
{
    return (vec){(double)v.x, (double)v.y, (double)v.z};
}

static vec minus(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Moeller and Trumbore 1997. Returns the distance along the ray; infinite if it misses by more than
// `slack` of the triangle, or hits the inside: triangles are clockwise from outside.
static double distance_to(const md5_ray *ray, const md5_vec3 corners[3], double slack)
{
    const vec origin = from_float(ray->origin), way = from_float(ray->direction);
    const vec a = from_float(corners[0]);
    const vec u = minus(from_float(corners[1]), a), v = minus(from_float(corners[2]), a);
    const vec p = cross(way, v), s = minus(origin, a);
    const double area = dot(u, p);
    if (area >= 0.0)
        return (double)INFINITY;
    const vec q = cross(s, u);
    const double across = dot(s, p) / area, down = dot(way, q) / area;
    if (across < -slack || down < -slack || across + down > 1.0 + slack)
        return (double)INFINITY;
    return dot(v, q) / area;
}

static double search(const view_scene *scene, const md5_ray *ray, double slack)
{
    double nearest = (double)INFINITY;
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

// Projects a point with the matrices that drawing uses, to pixels.
static void project(const view_lens *lens, md5_vec3 point, double pixel[2])
{
    md5_mat44 view, clip;
    view_lens_matrices(lens, &view, &clip);
    const md5_mat44 both = md5_mat44_mul(clip, view);
    double at[4];
    for (int row = 0; row < 4; row++)
        at[row] = (double)both.m[row] * (double)point.x + (double)both.m[4 + row] * (double)point.y
                  + (double)both.m[8 + row] * (double)point.z + (double)both.m[12 + row];
    pixel[0] = 0.5 * (double)WIDTH * (1.0 + at[0] / at[3]);
    pixel[1] = 0.5 * (double)HEIGHT * (1.0 - at[1] / at[3]);
}

// Clicks on a grid of pixels.
static void click_all_over(shot_viewer *viewer)
{
    view_state *const state = &viewer->state;
    view_scene *const scene = &state->document->scene;
    uint32_t num_hits = 0, num_misses = 0;
    view_pose(scene, &state->play);
    const view_lens lens = view_choose_lens(state, WIDTH, HEIGHT);
    for (int y = 8; y < HEIGHT; y += 16)
        for (int x = 8; x < WIDTH; x += 16) {
            const md5_ray ray = view_lens_ray(&lens, (float)x, (float)y, WIDTH, HEIGHT);
            view_pick_at(state, (float)x, (float)y);
            const double low = search(scene, &ray, 1e-3), high = search(scene, &ray, -1e-3);
            const view_pick *const pick = &state->pick;
            if (!pick->is_set) {
                CHECK(high > 1e30 && state->ui.chosen_joint < 0);
                num_misses++;
                continue;
            }
            const md5_vec3 point = view_pick_point(scene, pick);
            double pixel[2];
            project(&lens, point, pixel);
            CHECK_NEAR(pixel[0], x, 0.02);
            CHECK_NEAR(pixel[1], y, 0.02);
            const vec way = from_float(ray.direction);
            const double along =
                dot(minus(from_float(point), from_float(ray.origin)), way) / dot(way, way);
            CHECK(low > 1e30 || along >= low * (1.0 - 1e-4));
            CHECK(along <= high * (1.0 + 1e-4));
            CHECK(state->ui.chosen_joint == pick->joint);
            num_hits++;
        }
    CHECK(num_hits > 20 && num_misses > 20);
}

TEST_SCENE (view_click_finds_the_nearest_triangle) {
    static const char *const lines[] = {MODEL SIZE, MODEL SIZE " --camera-orthographic --panel",
                                        MODEL SIZE " --up y"};
    shot_viewer viewer;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (shot_open(&viewer, scene, lines[i]))
            click_all_over(&viewer);
        shot_close(&viewer);
    }
}

// Joint transforms are relative to the file's spaces, however the model is turned.
TEST_SCENE (view_click_reports_joints_of_the_file) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL SIZE " --up y")) {
        view_scene *const shown = &viewer.state.document->scene;
        view_show_bind_pose(shown, true, NULL);
        view_pose(shown, &viewer.state.play);
        for (uint32_t i = 0; i < shown->num_joints; i++) {
            const md5_mat34 model = view_joint_in_model(shown, i);
            const md5_vec3 local = md5_mat34_translation(view_joint_in_parent(shown, i));
            const md5_vec3 expected = shown->model->bind_local[i].translation;
            for (int k = 0; k < 12; k++)
                CHECK_NEAR(model.m[k], shown->model->bind[i].m[k], 1e-4);
            CHECK_NEAR(local.x, expected.x, 1e-3);
            CHECK_NEAR(local.y, expected.y, 1e-3);
            CHECK_NEAR(local.z, expected.z, 1e-3);
        }
    }
    shot_close(&viewer);
}

// Hidden meshes are not hit, and a pick lasts until Esc.
TEST_SCENE (view_click_is_shown_until_escape) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL SIZE)) {
        view_state *const state = &viewer.state;
        view_pose(&state->document->scene, &state->play);
        for (int x = 0; x < WIDTH && !state->pick.is_set; x += 4)
            view_pick_at(state, (float)x, HEIGHT / 2);
        CHECK(state->pick.is_set && state->ui.chosen_joint >= 0);
        view_perform(state, (view_command){.action = VIEW_CLOSE_LISTS});
        CHECK(!state->pick.is_set && state->ui.chosen_joint < 0);
        state->hidden_meshes = 3;
        for (int x = 0; x < WIDTH; x += 4) {
            view_pick_at(state, (float)x, HEIGHT / 2);
            CHECK(!state->pick.is_set);
        }
    }
    shot_close(&viewer);
}

// Two points on triangles: their difference in the bind pose is that of the file's model, however
// the model is turned.
TEST_SCENE (view_click_measures_in_the_space_of_the_file) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL SIZE " --up y")) {
        view_state *const state = &viewer.state;
        view_scene *const shown = &state->document->scene;
        const md5_mesh *const mesh = &shown->model->meshes[0];
        const view_pick from = {.is_set = true, .triangle = 7, .weights = {1, 0, 0}};
        const view_pick to = {.is_set = true, .triangle = 4000, .weights = {0, 0.25f, 0.75f}};
        const uint32_t *const begin = mesh->indices + 3 * (size_t)from.triangle;
        const uint32_t *const end = mesh->indices + 3 * (size_t)to.triangle;
        const vec a = from_float(mesh->positions[begin[0]]);
        const vec b = from_float(mesh->positions[end[1]]), c = from_float(mesh->positions[end[2]]);
        view_show_bind_pose(shown, true, NULL);
        view_pose(shown, &state->play);
        view_skin(shown);
        const md5_vec3 way = view_pick_difference(shown, &from, &to);
        CHECK_NEAR(way.x, 0.25 * b.x + 0.75 * c.x - a.x, 1e-4);
        CHECK_NEAR(way.y, 0.25 * b.y + 0.75 * c.y - a.y, 1e-4);
        CHECK_NEAR(way.z, 0.25 * b.z + 0.75 * c.z - a.z, 1e-4);
        CHECK(md5_vec3_length(way) > 1.0f);
    }
    shot_close(&viewer);
}

TEST_SCENE (view_click_measures_until_the_next_click) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL SIZE " --panel")) {
        view_state *const state = &viewer.state;
        view_pose(&state->document->scene, &state->play);
        view_measure_at(state, WIDTH / 2, HEIGHT / 2); // without a pick it is a plain click
        CHECK(state->pick.is_set && !state->measured.is_set);
        view_measure_at(state, WIDTH / 2 + 6, HEIGHT / 2);
        CHECK(state->pick.is_set && state->measured.is_set);
        shot with = shot_draw(&viewer);
        const view_pick measured = state->measured;
        state->measured.is_set = false;
        shot without = shot_draw(&viewer);
        CHECK(!shot_same(&with, &without));
        free(with.rgba);
        free(without.rgba);
        state->measured = measured;
        view_measure_at(state, 1.0f, 1.0f); // beside the body
        CHECK(state->pick.is_set && !state->measured.is_set);
        state->measured = measured;
        view_pick_at(state, WIDTH / 2, HEIGHT / 2);
        CHECK(state->pick.is_set && !state->measured.is_set);
        state->measured = measured;
        view_perform(state, (view_command){.action = VIEW_CLOSE_LISTS});
        CHECK(!state->pick.is_set && !state->measured.is_set);
    }
    shot_close(&viewer);
}
