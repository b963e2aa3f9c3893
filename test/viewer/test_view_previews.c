// Small pictures of models, and those of a game that a thread makes.
#include "demo/viewer/scene/previews.h"
#include "demo/viewer/scene/sketch.h"
#include "test/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// -- Sketches -----------------------------------------------------------------------------------

static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};

// A square in the plane x = `x`, from -1 to 1 in y and from 0 to 2 in z, seen from +x.
typedef struct square {
    md5_vec3 positions[4], normals[4];
    md5_vec2 texcoords[4];
    md5_mesh mesh;
} square;

static square square_at(float x)
{
    square made = {.positions = {{x, -1, 0}, {x, 1, 0}, {x, 1, 2}, {x, -1, 2}},
                   .texcoords = {{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
    for (int i = 0; i < 4; i++)
        made.normals[i] = (md5_vec3){1, 0, 0};
    return made;
}

static bool draw_square(view_sketch *sketch, square *of, const view_image *texture, bool has_holes)
{
    of->mesh = (md5_mesh){.num_triangles = 2, .indices = indices, .texcoords = of->texcoords};
    return view_sketch_mesh(sketch, &of->mesh, of->positions, of->normals, texture, has_holes);
}

static const uint8_t *pixel_at(const view_image *image, double x, double y)
{
    const size_t column = (size_t)(x * image->width), row = (size_t)(y * image->height);
    return &image->rgba[4 * (row * image->width + column)];
}

static const md5_bounds box = {{-1, -1, 0}, {1, 1, 2}};

TEST (sketch_shows_what_is_nearer) {
    uint8_t red[4] = {200, 0, 0, 255}, green[4] = {0, 200, 0, 255};
    const view_image near_texture = {red, 1, 1}, far_texture = {green, 1, 1};
    for (int order = 0; order < 2; order++) {
        square near_one = square_at(0.5f), far_one = square_at(-0.5f);
        view_sketch *const sketch = view_begin_sketch(box);
        view_image image;
        if (!CHECK(sketch != NULL))
            return;
        if (order == 0)
            CHECK(draw_square(sketch, &near_one, &near_texture, false));
        CHECK(draw_square(sketch, &far_one, &far_texture, false));
        if (order == 1)
            CHECK(draw_square(sketch, &near_one, &near_texture, false));
        view_end_sketch(sketch, &image);
        const uint8_t *const middle = pixel_at(&image, 0.5, 0.5);
        CHECK(middle[0] > 80 && middle[1] == 0 && middle[3] == 255);
        CHECK(pixel_at(&image, 0.01, 0.01)[3] == 0);
        free(image.rgba);
    }
}

TEST (sketch_has_the_top_above_and_holes) {
    // Blue above, a hole below.
    uint8_t texels[8] = {0, 0, 200, 255, 200, 0, 0, 10};
    const view_image texture = {texels, 1, 2};
    for (int has_holes = 0; has_holes < 2; has_holes++) {
        square one = square_at(0.0f);
        view_sketch *const sketch = view_begin_sketch(box);
        view_image image;
        CHECK(draw_square(sketch, &one, &texture, has_holes == 1));
        view_end_sketch(sketch, &image);
        CHECK(pixel_at(&image, 0.5, 0.3)[2] > 80 && pixel_at(&image, 0.5, 0.3)[0] == 0);
        CHECK((pixel_at(&image, 0.5, 0.7)[3] == 0) == (has_holes == 1));
        free(image.rgba);
    }
}

TEST (sketch_of_wild_numbers_ends) {
    const md5_bounds empty = md5_bounds_of_points(NULL, 0);
    const md5_bounds wild = {{-1, -1, -INFINITY}, {1, 1, INFINITY}},
                     nothing = {{1, 1, 1}, {1, 1, 1}};
    CHECK(view_begin_sketch(empty) == NULL && view_begin_sketch(wild) == NULL);
    CHECK(view_begin_sketch(nothing) == NULL);
    view_sketch *const sketch = view_begin_sketch(box);
    square one = square_at(0.0f);
    one.positions[0].x = (float)NAN;
    one.positions[2].y = 3e38f;
    one.texcoords[1].x = INFINITY;
    one.normals[3].z = (float)NAN;
    CHECK(draw_square(sketch, &one, NULL, false));
    // A square as large as the picture, drawn again and again: the sketch limits its work.
    square large = square_at(0.0f);
    int rounds = 0;
    while (draw_square(sketch, &large, NULL, false) && rounds < 1000000)
        rounds++;
    CHECK(rounds > 100 && rounds < 1000000);
    view_end_sketch(sketch, NULL);
}

// -- In the background --------------------------------------------------------------------------

// Waits until a picture is ready; returns NULL if it fails.
static const view_image *wait_for(view_previews *previews, const char *name)
{
    const char *const names[1] = {name};
    const view_image *found = NULL;
    view_want_previews(previews, names, 1);
    for (int i = 0; i < 5000 && found == NULL; i++) {
        if (view_take_previews(previews))
            return view_find_preview(previews, name);
        SDL_Delay(1);
    }
    return NULL;
}

TEST (previews_are_made_of_entities_and_models) {
    view_previews *const previews = view_begin_previews(test_path("models/game/base"));
    CHECK(!view_take_previews(previews) && view_find_preview(previews, "monster_bobbin") == NULL);
    const view_image *const bobbin = wait_for(previews, "monster_bobbin");
    if (CHECK(bobbin != NULL && bobbin->width == VIEW_SKETCH_SIZE)) {
        uint32_t num_seen = 0, num_colored = 0;
        for (uint32_t i = 0; i < bobbin->width * bobbin->height; i++) {
            const uint8_t *const rgba = &bobbin->rgba[4 * (size_t)i];
            num_seen += rgba[3] > 128;
            num_colored += rgba[3] > 128 && (rgba[2] > rgba[0] + 20 || rgba[0] > rgba[2] + 20);
        }
        const double share = num_seen / (double)(bobbin->width * bobbin->height);
        CHECK(share > 0.15 && share < 0.8);
        CHECK(num_colored > num_seen / 3); // he is turquoise and orange
    }
    CHECK(wait_for(previews, "nothing_at_all") == NULL);
    view_stop_previews(previews);
    view_stop_previews(NULL);
}

TEST (previews_of_no_game_are_none) {
    view_previews *const previews = view_begin_previews(test_path("models/nowhere"));
    CHECK(wait_for(previews, "monster_bobbin") == NULL);
    // Stopped while pictures are requested.
    const char *const names[2] = {"a", "b"};
    view_want_previews(previews, names, 2);
    view_stop_previews(previews);
}
