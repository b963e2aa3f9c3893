// What the body shows instead of its materials: weights, texture coordinates, and their panels.
#include "test/viewer/test_view_item.h"
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/draw/overlay.h"
#include "demo/viewer/assets/surfaces.h"

#include <math.h>
#include <stdlib.h>

#define MODEL "models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim --animation-time 0.3"
#define SIZE " --samples 1 --resolution 160,120"

enum { WIDTH = 160, HEIGHT = 120 };

static const uint8_t *texel_at(const view_image *image, uint32_t x, uint32_t y)
{
    return image->rgba + 4 * ((size_t)y * image->width + x);
}

// Cells show u by red and v by green, and no cell is its own mirror image.
TEST (view_uv_grid_shows_u_and_v) {
    enum { CELL = VIEW_UV_GRID_SIZE / VIEW_UV_CELLS };
    view_image image = view_make_uv_grid();
    for (uint32_t row = 0; row < VIEW_UV_CELLS; row++)
        for (uint32_t column = 0; column + 2 < VIEW_UV_CELLS; column++) {
            const uint32_t x = CELL * column + 4, y = CELL * row + 4;
            CHECK(texel_at(&image, x, y)[0] < texel_at(&image, x + 2 * CELL, y)[0]);
            CHECK(texel_at(&image, y, x)[1] < texel_at(&image, y, x + 2 * CELL)[1]);
        }
    unsigned num_white = 0, num_mirrored = 0;
    for (uint32_t y = 0; y < CELL; y++)
        for (uint32_t x = 0; x < CELL; x++) {
            const bool is_white = texel_at(&image, x + CELL, y)[0] == 250; // "B1"
            num_white += is_white;
            num_mirrored += is_white && texel_at(&image, 2 * CELL - 1 - x, y)[0] != 250;
        }
    CHECK(num_white > 100 && num_mirrored > num_white / 4);
    free(image.rgba);
}

// Numbers of pixels of the body whose triangle has full weight, or u far above v; no weight, or v
// far above u; and of pixels that look wrong.
typedef struct sight {
    unsigned num_full, num_none, num_wrong;
} sight;

static float weight_of(const md5_mesh *mesh, uint32_t vertex, int32_t joint)
{
    float weight = 0.0f;
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++)
        if ((int32_t)mesh->influence_joints[i] == joint)
            weight += mesh->influences[i].w;
    return weight;
}

// Full weight is red, no weight grey.
static void judge_weight(const view_state *state, int32_t joint, const uint8_t *rgba, sight *seen)
{
    const view_pick *const pick = &state->pick;
    const md5_mesh *const mesh = &state->document->scene.model->meshes[pick->mesh];
    float least = 1.0f, most = 0.0f;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t vertex = mesh->indices[3 * (size_t)pick->triangle + i];
        least = fminf(least, weight_of(mesh, vertex, joint));
        most = fmaxf(most, weight_of(mesh, vertex, joint));
    }
    const bool is_red = rgba[0] > 2 * rgba[1] && rgba[0] > 2 * rgba[2];
    const bool is_grey = abs(rgba[0] - rgba[2]) < 32 && abs(rgba[0] - rgba[1]) < 32;
    seen->num_full += least > 0.97f;
    seen->num_none += most == 0.0f;
    seen->num_wrong += (least > 0.97f && !is_red) || (most == 0.0f && !is_grey);
}

// Where u is far above v, red is above green, and the other way round.
static void judge_uv(const view_state *state, const uint8_t *rgba, sight *seen)
{
    const view_pick *const pick = &state->pick;
    const md5_mesh *const mesh = &state->document->scene.model->meshes[pick->mesh];
    float u = 0.0f, v = 0.0f;
    for (uint32_t i = 0; i < 3; i++) {
        const md5_vec2 at = mesh->texcoords[mesh->indices[3 * (size_t)pick->triangle + i]];
        u += pick->weights[i] * at.x;
        v += pick->weights[i] * at.y;
    }
    seen->num_full += u > v + 0.3f;
    seen->num_none += v > u + 0.3f;
    // Edges and names of cells are neither.
    seen->num_wrong +=
        (u > v + 0.3f && rgba[0] + 4 < rgba[1]) || (v > u + 0.3f && rgba[1] + 4 < rgba[0]);
}

static sight look(shot_viewer *viewer, bool at_weights)
{
    view_state *const state = &viewer->state;
    sight seen = {0};
    const int32_t joint = state->ui.chosen_joint;
    shot picture = shot_draw(viewer);
    for (int y = 4; y < HEIGHT && picture.rgba != NULL; y += 5)
        for (int x = 40; x < WIDTH - 40; x += 5) {
            view_pick_at(state, (float)x + 0.5f, (float)y + 0.5f);
            const uint8_t *const rgba = picture.rgba + 4 * ((size_t)y * WIDTH + (size_t)x);
            if (state->pick.is_set && at_weights)
                judge_weight(state, joint, rgba, &seen);
            else if (state->pick.is_set)
                judge_uv(state, rgba, &seen);
        }
    free(picture.rgba);
    return seen;
}

TEST_SCENE (view_surface_shows_weights_and_texture_coordinates) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL SIZE " --surface weights --no-shadow")) {
        viewer.state.ui.chosen_joint =
            (int32_t)md5_find_joint(viewer.state.document->scene.skeleton, "head");
        CHECK(viewer.state.ui.chosen_joint >= 0);
        sight seen = look(&viewer, true);
        CHECK(seen.num_full > 10 && seen.num_none > 20);
        CHECK(seen.num_wrong * 5 < seen.num_full + seen.num_none); // the joint's name covers some
        view_perform(&viewer.state, (view_command){.action = VIEW_CLOSE_LISTS});
        viewer.state.surface = VIEW_SURFACE_UV;
        seen = look(&viewer, false);
        CHECK(seen.num_full > 20 && seen.num_none > 20);
        CHECK(seen.num_wrong * 10 < seen.num_full + seen.num_none);
    }
    shot_close(&viewer);
}

// Draws the lit surface and the weights; returns how many pixels only one of them covers.
static unsigned compare_shapes(shot_viewer *viewer)
{
    viewer->state.surface = VIEW_SURFACE_LIT;
    shot lit = shot_draw(viewer);
    viewer->state.surface = VIEW_SURFACE_WEIGHTS;
    shot weights = shot_draw(viewer);
    unsigned num_seen = 0, num_other = 0;
    for (size_t p = 3; p < (size_t)4 * WIDTH * HEIGHT; p += 4) {
        num_seen += lit.rgba[p] != 0;
        num_other += (lit.rgba[p] != 0) != (weights.rgba[p] != 0);
    }
    CHECK(num_seen > 100);
    CHECK(shot_difference(&lit, &weights) > 0.01);
    free(lit.rgba);
    free(weights.rgba);
    return num_other;
}

// Weights are shown on the same shape, also with morph targets and hidden meshes.
TEST_SCENE (view_surface_of_weights_has_the_shape_of_the_model) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL SIZE " --morph oh=1 --no-background --grid=no")) {
        view_document *const document = viewer.state.document;
        CHECK_UINT(compare_shapes(&viewer), 0);
        viewer.state.hidden_meshes = 1;
        view_show_meshes(document, 1);
        CHECK_UINT(compare_shapes(&viewer), 0);
    }
    shot_close(&viewer);
}

static void draw_panels(view_state *state, view_stage *facts)
{
    *facts = item_draw(state, WIDTH * 8, HEIGHT * 8);
}

// The panel shows the layout of the mesh that was clicked on, or its images.
TEST_SCENE (view_surface_panel_shows_layout_and_images) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, MODEL " --panel")) {
        view_state *const state = &viewer.state;
        const view_textures *const textures = &state->document->textures;
        const view_canvas *const canvas = &state->canvas;
        view_stage facts;
        draw_panels(state, &facts);
        CHECK_UINT(canvas->num_images, 0);
        CHECK(!(view_surface_box(&facts).width > 0.0f));
        const float free_before = view_free_region(&facts).width;
        static const uint32_t expected[VIEW_NUM_SURFACES] = {0, 0, 1, 3};
        for (int i = 1; i <= (int)VIEW_NUM_SURFACES; i++) {
            view_perform(state, (view_command){.action = VIEW_NEXT_SURFACE});
            draw_panels(state, &facts);
            CHECK(state->surface == (view_surface)(i % (int)VIEW_NUM_SURFACES));
            CHECK_UINT(canvas->num_images, expected[state->surface]);
            const view_rect box = view_surface_box(&facts);
            const bool is_board = canvas->num_images > 0;
            CHECK(is_board == (view_free_region(&facts).width < free_before));
            // A click on it does not reach the body.
            const view_command request =
                view_press_ui(&state->ui, &facts, box.x + 3.0f, box.y + 3.0f);
            CHECK((box.width > 0.0f) == (request.action == VIEW_TAKEN));
        }
        CHECK(state->surface == VIEW_SURFACE_LIT);
        state->surface = VIEW_SURFACE_TEXTURES;
        state->pick = (view_pick){.is_set = true, .mesh = 1};
        draw_panels(state, &facts);
        CHECK_UINT(canvas->images[0].image,
                   view_mesh_image(textures, 1, VIEW_MAP_DIFFUSE)->texture);
        CHECK(canvas->images[0].is_color);
        state->surface = VIEW_SURFACE_UV;
        draw_panels(state, &facts);
        const view_canvas_image *const image = &canvas->images[0];
        CHECK_NEAR(image->vertices[2].x - image->vertices[0].x,
                   image->vertices[2].y - image->vertices[0].y, 0.01);
        CHECK_NEAR(image->vertices[2].u, 1.0, 1e-6);
    }
    shot_close(&viewer);
}
