// What happens to vertices: morph targets, baked animation, impostors.
#include "demo/viewer/pages/page.h"

#include "demo/common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// == Morph targets =========================================================================

enum { NUM_EXPRESSIONS = 5 };

// lines of morph
// Skins a mesh with expressions; weights are in the order of the targets.
static void skin_expression(const md5_morph *morph, uint32_t mesh, const float *weights,
                            const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals)
{
    const md5_skin_job job = {.mesh = &morph->model->meshes[mesh],
                              .palette = palette,
                              .morph = morph,
                              .morph_weights = weights,
                              .positions = positions,
                              .normals = normals};
    md5_skin_batch(&job, 1, NULL);
}
// end of lines

// The weights of the sliders in the order of the targets.
static void order_weights(const view_picture *picture, const view_page *page, float *weights)
{
    const md5_morph *const morph = picture->scene->morph;
    for (uint32_t i = 0; i < morph->num_targets; i++)
        weights[i] = 0.0f;
    for (uint32_t i = 0; i < page->num_sliders; i++) {
        const uint32_t target = md5_find_morph_target(morph, page->sliders[i].name);
        if (target != MD5_NONE)
            weights[target] = picture->values[i];
    }
}

// How far the expression takes the vertex of a mesh that it moves the most.
static double largest_move(const view_picture *picture, uint32_t number, const float *weights)
{
    const md5_model *const model = picture->scene->model;
    const md5_mesh *const mesh = &model->meshes[number];
    const uint32_t count = mesh->num_vertices, num_joints = model->skeleton.num_joints;
    md5_vec3 *const positions = common_alloc(2 * (size_t)count + 1, sizeof *positions);
    md5_mat34 *const palette = common_alloc((size_t)num_joints + 1, sizeof *palette);
    for (uint32_t i = 0; i < num_joints; i++)
        palette[i] = (md5_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    skin_expression(picture->scene->morph, number, weights, palette, positions, positions + count);
    double largest = 0.0;
    for (uint32_t i = 0; i < count; i++)
        largest =
            fmax(largest, (double)md5_vec3_length(md5_vec3_sub(positions[i], mesh->positions[i])));
    free(palette);
    free(positions);
    return largest;
}

static void show_morph(view_picture *picture)
{
    const view_page *const page = &view_page_morph;
    view_figure *const figure = view_add_figure(picture, 0.0f, 0.0f);
    view_sample_clip(picture, "stand", 0.0, figure->pose); // which does not blink
    view_show_box(picture, (md5_vec3){-16.0f, -22.0f, 26.0f}, (md5_vec3){16.0f, 22.0f, 60.0f});
    const md5_morph *const morph = picture->scene->morph;
    if (morph == NULL)
        return;
    float *const weights = common_alloc((size_t)morph->num_targets + 1, sizeof *weights);
    order_weights(picture, page, weights);
    for (uint32_t i = 0; i < morph->num_targets && i < VIEW_PAGE_TARGETS; i++)
        figure->morph_weights[i] = weights[i];
    figure->is_morphed = true;
    const md5_model *const model = picture->scene->model;
    uint32_t num_changed = 0, num_vertices = 0;
    double largest = 0.0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        num_changed += morph->meshes[i].num_vertices;
        num_vertices += model->meshes[i].num_vertices;
        largest = fmax(largest, largest_move(picture, i, weights));
    }
    view_add_fact(picture, "largest move", largest, "units");
    view_add_fact(picture, "vertices that some target changes", (double)num_changed, "");
    view_add_fact(picture, "of", (double)num_vertices, "");
    free(weights);
}

const view_page view_page_morph = {
    .name = "morph",
    .title = "Morph targets",
    .family = "Vertices",
    .about = "Each expression is the difference of two models of one topology. Any number of them "
             "is added to the bind pose, by weights that may exceed 1, before it is skinned.",
    .model = "bobbin/bobbin.md5mesh",
    .sliders = {{"smile", -0.5f, 1.5f, 0.8f, NULL, false},
                {"fright", -0.5f, 1.5f, 0.0f, NULL, false},
                {"sleepy", -0.5f, 1.5f, 0.0f, NULL, false},
                {"oh", -0.5f, 1.5f, 0.3f, NULL, false},
                {"blink", 0.0f, 1.0f, 0.0f, NULL, false}},
    .num_sliders = NUM_EXPRESSIONS,
    .has_morphs = true,
    .show = show_morph,
};

// == Baked vertex animation ================================================================
//
// Baked vertex animation: a clip stored as vertices, beside the one that is skinned.

enum { PARTS = 4 }; // of the time between two frames: the error is measured where they meet

static const char *const clips[] = {"walk", "run", "dance", "wave"};

static const char *clip_word(float value)
{
    return clips[(int)value < 4 ? (int)value : 3];
}

// lines of bake
// `count` frames at equal times of a loop, after which frame 0 comes again.
static md5_baked *bake(const md5_model *model, const md5_binding *clip, uint32_t count,
                       md5_xform *pose, md5_mat34 *joints, md5_mat34 *palettes)
{
    for (uint32_t i = 0; i < count; i++) {
        const double time = clip->anim->duration * i / count;
        const md5_moment at = md5_moment_at(clip->anim, time, MD5_WRAP_LOOP);
        md5_pose_palette(clip, at, MD5_ROOT_IN_PLACE, pose, joints,
                         palettes + i * model->skeleton.num_joints);
    }
    return md5_make_baked(model, palettes, count, NULL, NULL);
}
// end of lines

// Two frames and the fraction between them, in a loop.
static md5_moment baked_moment(const md5_baked *baked, double part)
{
    const double frame = (part - floor(part)) * baked->num_frames;
    const uint32_t frame0 = (uint32_t)frame % baked->num_frames;
    return (md5_moment){.frame0 = frame0,
                        .frame1 = (frame0 + 1) % baked->num_frames,
                        .fraction = (float)(frame - floor(frame))};
}

// -- Error ----------------------------------------------------------------------------------

typedef struct bake_work {
    const md5_model *model;
    const md5_binding *clip;
    md5_xform *pose;
    md5_mat34 *joints, *palettes; // palettes of all frames
    md5_vec3 *skinned, *baked;    // all vertices
} bake_work;

static uint32_t count_vertices(const md5_model *model)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        count += model->meshes[i].num_vertices;
    return count;
}

// Widens error[num_vertices] at a part of the clip; returns the largest there.
static float widen_error(bake_work *work, const md5_baked *baked, double part, float *error)
{
    const md5_moment own =
        md5_moment_at(work->clip->anim, part * work->clip->anim->duration, MD5_WRAP_LOOP);
    const md5_moment moment = baked_moment(baked, part);
    float largest = 0.0f;
    uint32_t first = 0;
    md5_pose_palette(work->clip, own, MD5_ROOT_IN_PLACE, work->pose, work->joints, work->palettes);
    for (uint32_t i = 0; i < work->model->num_meshes; i++) {
        md5_skin(&work->model->meshes[i], work->palettes, work->skinned + first, NULL, NULL);
        first += work->model->meshes[i].num_vertices;
    }
    md5_skin_baked(baked, 0, baked->num_vertices, moment, work->baked, NULL);
    for (uint32_t v = 0; v < baked->num_vertices; v++) {
        const float off = md5_vec3_length(md5_vec3_sub(work->skinned[v], work->baked[v]));
        error[v] = fmaxf(error[v], off);
        largest = fmaxf(largest, off);
    }
    return largest;
}

static void measure(bake_work *work, float red, view_kept *kept)
{
    double sum = 0.0, largest = 0.0;
    const uint32_t num_frames = kept->baked->num_frames;
    for (uint32_t i = 0; i < num_frames; i++) {
        float error = 0.0f;
        for (int k = 0; k < PARTS; k++) {
            const double part = (i + (double)k / (double)PARTS) / num_frames;
            error = fmaxf(error, widen_error(work, kept->baked, part, kept->heat));
        }
        const double middle = (i + 0.5) / num_frames * work->clip->anim->duration;
        if (kept->num_points < VIEW_PAGE_POINTS)
            kept->points[kept->num_points++] = (md5_vec2){(float)middle, error};
        largest = fmax(largest, (double)error);
    }
    for (uint32_t v = 0; v < kept->baked->num_vertices; v++) {
        sum += (double)kept->heat[v] / kept->baked->num_vertices;
        kept->heat[v] /= red;
    }
    kept->numbers[0] = largest;
    kept->numbers[1] = sum;
}

static void keep_bake(const view_picture *picture, view_kept *kept)
{
    const view_clip *const clip = view_page_clip(picture, clips[view_choice(picture, 0)]);
    const md5_model *const model = picture->scene->model;
    const uint32_t joints = model->skeleton.num_joints, vertices = count_vertices(model);
    if (clip == NULL)
        return;
    const uint32_t frames =
        (uint32_t)fmax(round((double)picture->values[1] * clip->anim->duration), 2.0);
    bake_work work = {.model = model,
                      .clip = clip->binding,
                      .pose = common_alloc(joints, sizeof *work.pose),
                      .joints = common_alloc(joints, sizeof *work.joints),
                      .palettes = common_alloc((size_t)frames * joints, sizeof *work.palettes),
                      .skinned = common_alloc(2 * (size_t)vertices, sizeof *work.skinned)};
    work.baked = work.skinned + vertices;
    kept->heat = common_alloc(vertices, sizeof *kept->heat);
    kept->baked = bake(model, work.clip, frames, work.pose, work.joints, work.palettes);
    if (kept->baked != NULL)
        measure(&work, picture->values[2], kept);
    free(work.pose);
    free(work.joints);
    free(work.palettes);
    free(work.skinned);
}

// -- Picture --------------------------------------------------------------------------------

static void plot_error(view_picture *picture, double part)
{
    const view_kept *const kept = picture->kept;
    const uint32_t last = kept->num_points - 1,
                   at = (uint32_t)(part * kept->num_points) % (last + 1);
    view_add_plot(picture, "largest error from frame to frame, units", "seconds",
                  (md5_vec2){0.0f, 0.0f}, (md5_vec2){kept->points[last].x, 1.0f});
    view_add_series(picture, "error", VIEW_YELLOW);
    for (uint32_t i = 0; i < kept->num_points; i++)
        view_add_point(picture, kept->points[i].x, kept->points[i].y);
    view_fit_plot(picture);
    picture->plots[0].low.y = 0.0f;
    view_add_mark(picture, kept->points[at].x, kept->points[at].y, VIEW_RED);
}

static void show_bake(view_picture *picture)
{
    static const view_figure_kind kinds[3] = {VIEW_FIGURE_LIT, VIEW_FIGURE_BAKED, VIEW_FIGURE_HEAT};
    static const char *const labels[3] = {"skinned", "baked", "error"};
    const char *const name = clips[view_choice(picture, 0)];
    const view_clip *const clip = view_page_clip(picture, name);
    view_show_box(picture, (md5_vec3){-30.0f, -66.0f, 0.0f}, (md5_vec3){20.0f, 66.0f, 60.0f});
    if (picture->kept == NULL || picture->kept->baked == NULL || clip == NULL)
        return;
    const md5_baked *const baked = picture->kept->baked;
    const double cycles = picture->time / clip->anim->duration, part = cycles - floor(cycles);
    for (int i = 0; i < 3; i++) {
        const float y = 46.0f * (float)(i - 1);
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        figure->kind = kinds[i];
        figure->moment = baked_moment(baked, part);
        view_sample_clip(picture, name, picture->time, figure->pose);
        view_add_label(picture, (md5_vec3){0.0f, y, 61.0f}, VIEW_PLAIN_TEXT, labels[i]);
    }
    plot_error(picture, part);
    view_add_fact(picture, "frames", (double)baked->num_frames, "");
    view_add_fact(picture, "memory", (double)baked->size / 1024.0, "KiB");
    view_add_fact(picture, "error at frames", (double)baked->position_error, "units");
    view_add_fact(picture, "normals at frames", (double)baked->normal_error * 57.29577951,
                  "degrees");
    view_add_fact(picture, "largest error", picture->kept->numbers[0], "units");
    view_add_fact(picture, "mean of the vertices' largest", picture->kept->numbers[1], "units");
}

const view_page view_page_bake = {
    .name = "bake",
    .title = "Baked vertex animation",
    .family = "Vertices",
    .about =
        "Each frame stores the position and normal of every vertex in 8 bytes, so no palette "
        "or weights are needed: 16 bits for a coordinate, 8 for one of a normal. Between frames "
        "vertices move in straight lines.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.3,
    .sliders = {{"clip", 0.0f, 3.0f, 2.0f, clip_word, false},
                {"frames a second", 4.0f, 30.0f, 12.0f, NULL, true},
                {"red is, units", 0.2f, 16.0f, 8.0f, NULL, false}},
    .num_sliders = 3,
    .show = show_bake,
    .keep = keep_bake,
    .num_kept = 3,
};

// == Impostors =============================================================================
//
// Impostors: pictures of a character in place of the character, by distance.

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
