// How the viewer distinguishes kinds of normal maps, and derives them from heights.
#include "test/test.h"

#include "demo/viewer/assets/file_words.h"
#include "demo/viewer/assets/image.h"
#include "render/md5gl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64 };

// The height of an oblique hill and valley that wrap around, 0..255.
static double height(double x, double y)
{
    const double turn = 6.283185307179586 / (double)SIDE;
    return 127.5 + 60.0 * sin(turn * (x + y)) + 60.0 * cos(turn * (2.0 * x - y));
}

// The expected normal at a pixel: from differences of exact heights.
static void exact_normal(double x, double y, double scale, double normal[3])
{
    const double small = 1e-4;
    normal[0] = -(height(x + small, y) - height(x - small, y)) / (2.0 * small) * scale / 256.0;
    normal[1] = -(height(x, y + small) - height(x, y - small)) / (2.0 * small) * scale / 256.0;
    const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + 1.0);
    normal[0] /= length;
    normal[1] /= length;
    normal[2] = 1.0 / length;
}

static view_image make_image(void)
{
    view_image image = {malloc((size_t)SIDE * SIDE * 4), SIDE, SIDE};
    if (image.rgba == NULL)
        abort();
    memset(image.rgba, 255, (size_t)SIDE * SIDE * 4);
    return image;
}

// Normals as id stores them.
static view_image make_normals(void)
{
    view_image image = make_image();
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            double normal[3];
            exact_normal(x, y, 8.0, normal);
            for (int i = 0; i < 3; i++)
                image.rgba[4 * (y * SIDE + x) + i] = (uint8_t)lround(127.5 + 127.5 * normal[i]);
        }
    }
    return image;
}

TEST (view_maps_show_the_direction_of_green) {
    view_image image = make_normals();
    CHECK(view_green_side(&image) > 0.7);
    CHECK_UINT(view_guess_normals(&image), 0);
    for (int i = 0; i < SIDE * SIDE; i++)
        image.rgba[4 * i + 1] = (uint8_t)(255 - image.rgba[4 * i + 1]);
    CHECK(view_green_side(&image) < -0.7);
    CHECK_UINT(view_guess_normals(&image), MD5GL_NORMALS_GREEN_UP);
    // x in alpha, nothing in red.
    for (int i = 0; i < SIDE * SIDE; i++) {
        image.rgba[4 * i + 3] = image.rgba[4 * i];
        image.rgba[4 * i] = 0;
    }
    CHECK_UINT(view_guess_normals(&image), MD5GL_NORMALS_GREEN_UP | MD5GL_NORMALS_RXGB);
    free(image.rgba);
}

// Flat normals show no direction: id's convention is assumed.
TEST (view_maps_of_flat_normals_are_in_ids_convention) {
    view_image image = make_image();
    for (int i = 0; i < SIDE * SIDE; i++)
        image.rgba[4 * i] = image.rgba[4 * i + 1] = 128;
    CHECK_UINT(view_guess_normals(&image), 0);
    image.width = image.height = 1;
    CHECK_UINT(view_guess_normals(&image), 0);
    free(image.rgba);
}

// The largest error of a picture's normals, in steps of its bytes, against exact normals half a
// pixel further, which is where four heights meet.
static double worst_normal(const view_image *image, double scale)
{
    double worst = 0.0;
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            double normal[3];
            exact_normal(x + 0.5, y + 0.5, scale, normal);
            for (int i = 0; i < 3; i++)
                worst = fmax(worst,
                             fabs(127.5 + 127.5 * normal[i] - image->rgba[4 * (y * SIDE + x) + i]));
        }
    }
    return worst;
}

TEST (view_maps_make_normals_of_heights) {
    view_image heights = make_image();
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            memset(heights.rgba + 4 * (y * SIDE + x), (int)lround(height(x, y)), 3);
    view_image once = view_normals_of_heights(&heights, 4.0f);
    CHECK(once.width == SIDE && once.height == SIDE);
    // Heights are whole numbers, so a slope is off by a unit of height at most.
    CHECK(worst_normal(&once, 4.0) < 1.0 + 127.5 * 4.0 / 256.0);
    CHECK(view_green_side(&once) > 0.2);
    // Twice the slopes, from a map of another size.
    view_image small = {calloc((size_t)SIDE * SIDE / 4, 4), SIDE / 2, SIDE / 2};
    for (int i = 0; i < SIDE * SIDE / 4; i++)
        memcpy(small.rgba + 4 * i, once.rgba + 4 * (i / (SIDE / 2) * 2 * SIDE + i % (SIDE / 2) * 2),
               4);
    view_add_slopes(&once, &small);
    CHECK(worst_normal(&once, 8.0) < 12.0);
    CHECK(worst_normal(&once, 4.0) > 20.0);
    free(small.rgba);
    free(once.rgba);
    free(heights.rgba);
}

TEST (view_maps_have_holes_where_alpha_is_low) {
    view_image image = make_image();
    CHECK(!view_has_holes(&image));
    for (int i = 0; i < SIDE * SIDE / 50; i++)
        image.rgba[4 * i + 3] = 10;
    CHECK(view_has_holes(&image));
    free(image.rgba);
}

TEST (view_maps_are_found_by_their_endings) {
    static char a[] = "x/imp.tga", b[] = "x/Imp_S.PNG", c[] = "x/imp_nor.jpg",
                d[] = "x/imp_local.tga", e[] = "x/imp_local.txt", f[] = "x/imps_s.png";
    char *names[] = {f, e, c, b, d, a};
    const common_list files = {names, 6};
    CHECK_STRING(view_find_map(&files, "x/imp.tga", VIEW_MAP_NORMALS), d); // id's ending first
    CHECK_STRING(view_find_map(&files, "x/imp_d.tga", VIEW_MAP_SPECULAR), b);
    CHECK_STRING(view_find_map(&files, "x/imp_col.png", VIEW_MAP_NORMALS), d);
    CHECK(view_find_map(&files, "x/imp.tga", VIEW_MAP_GLOW) == NULL);
    CHECK(view_find_map(&files, "x/other_d.tga", VIEW_MAP_NORMALS) == NULL);
    CHECK_STRING(view_map_name(VIEW_MAP_GLOW), "glow map");
}
