// Impostors: pictures of a character in place of the character, by distance.
#include "demo/viewer/pages/families.h"

#include <math.h>
#include <stdio.h>

enum { NUM_PAIRS = 3 };

// The directions of md5gl_impostor_desc: two rings, and one picture from below.
enum { RINGS = 2, TEXEL_BYTES = 8 };
static const double lowest = 0.17, highest = 0.79; // the rings' elevations, radians

static const char *texel_word(float value)
{
    static const char *const words[] = {"16", "32", "64", "128"};
    return words[(int)value < 4 ? (int)value : 3];
}

// A sphere around the character in all frames of a clip.
static void set_sphere(const view_clip *clip, view_impostor_look *look)
{
    md5_bounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < clip->anim->num_frames; i++) {
        const md5_moment moment = md5_moment_from_frames(clip->anim, i, i, 0.0f);
        bounds = md5_bounds_union(bounds, md5_anim_bounds(clip->anim, moment, MD5_ROOT_IN_PLACE));
    }
    look->centre = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    look->radius = 0.5f * md5_vec3_length(md5_vec3_sub(bounds.max, bounds.min));
}

// lines of impostor
// The frame whose picture is shown: the nearest of `count` at equal times of a loop.
static uint32_t nearest_frame(const md5_anim *clip, double time, uint32_t count)
{
    const double cycles = time / clip->duration;
    return (uint32_t)((cycles - floor(cycles)) * count + 0.5) % count;
}

static double time_of_frame(const md5_anim *clip, uint32_t frame, uint32_t count)
{
    return clip->duration * frame / count;
}
// end of lines

// The largest angle, in degrees, between a direction from which a character is seen and that of the
// nearest picture: midway between two pictures of a ring, where both rings are as far away.
static double farthest_direction(uint32_t num_around)
{
    const double side = cos(3.14159265358979 / num_around);
    double farthest = 0.0;
    for (int i = 0; i <= 1000; i++) {
        const double seen = lowest + (highest - lowest) * i / 1000.0;
        const double low = sin(seen) * sin(lowest) + cos(seen) * cos(lowest) * side;
        const double high = sin(seen) * sin(highest) + cos(seen) * cos(highest) * side;
        farthest = fmax(farthest, acos(fmax(low, high)));
    }
    return farthest * 57.29577951;
}

static void add_pair(view_picture *picture, const view_clip *clip, float distance, uint32_t frame)
{
    const md5_quat facing =
        md5_quat_from_axis_angle((md5_vec3){0.0f, 0.0f, 1.0f}, picture->values[4] / 57.2957795f);
    // Away from the camera as pages have it, which looks from 30 degrees at the left.
    const md5_vec3 row = {-0.866f * distance, -0.5f * distance, 0.0f};
    for (int i = 0; i < 2; i++) {
        const float side = i == 0 ? -30.0f : 30.0f;
        view_figure *const figure =
            view_add_figure(picture, row.x - 0.5f * side, row.y + 0.866f * side);
        figure->kind = i == 0 ? VIEW_FIGURE_LIT : VIEW_FIGURE_IMPOSTOR;
        figure->place.rotation = facing;
        figure->moment.frame0 = frame;
        const double time =
            i == 0 ? picture->time : time_of_frame(clip->anim, frame, picture->impostor.num_frames);
        view_sample_clip(picture, clip->name, time, figure->pose);
        if (distance == 0.0f)
            view_add_label(picture,
                           md5_vec3_add(figure->place.translation, (md5_vec3){0.0f, 0.0f, -5.0f}),
                           VIEW_PLAIN_TEXT, i == 0 ? "skinned" : "impostor");
    }
}

static void show_impostor(view_picture *picture)
{
    const view_clip *const clip = view_page_clip(picture, "walk");
    view_show_box(picture, (md5_vec3){-24.0f, -46.0f, -4.0f}, (md5_vec3){24.0f, 46.0f, 62.0f});
    if (clip == NULL)
        return;
    view_impostor_look *const look = &picture->impostor;
    look->num_frames = (uint32_t)view_choice(picture, 3);
    look->num_around = (uint32_t)view_choice(picture, 2);
    look->texels = 16u << view_choice(picture, 1);
    set_sphere(clip, look);
    const uint32_t frame = nearest_frame(clip->anim, picture->time, look->num_frames);
    for (int i = 0; i < NUM_PAIRS; i++)
        add_pair(picture, clip, picture->values[0] * (float)(i * (i + 1)) / 6.0f, frame);
    const double views = (double)(RINGS * look->num_around + 1), side = (double)look->texels;
    view_add_fact(picture, "pictures of a frame", views, "");
    view_add_fact(picture, "of all frames", views * look->num_frames, "");
    view_add_fact(picture, "memory, about",
                  views * look->num_frames * side * side * (double)TEXEL_BYTES * 4.0 / 3.0
                      / 1048576.0,
                  "MiB");
    view_add_fact(picture, "a texel is", 2.0 * (double)look->radius / side, "units");
    view_add_fact(picture, "farthest from a picture", farthest_direction(look->num_around),
                  "degrees");
    view_add_fact(picture, "triangles of a character", 2.0, "");
}

const view_page view_page_impostor = {
    .name = "impostor",
    .title = "Impostors",
    .family = "Vertices",
    .about = "Pictures from many directions, with normals and depth, drawn on a quad and lit again "
             "in each frame. The difference shows only close up; the cost is 2 triangles.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.3,
    .sliders = {{"farthest, units", 60.0f, 1500.0f, 900.0f, NULL, false},
                {"texels", 0.0f, 3.0f, 2.0f, texel_word, false},
                {"directions around", 4.0f, 24.0f, 12.0f, NULL, true},
                {"frames of the clip", 1.0f, 12.0f, 8.0f, NULL, true},
                {"turned, degrees", -180.0f, 180.0f, 0.0f, NULL, false}},
    .num_sliders = 5,
    .show = show_impostor,
};
