// Baked vertex animation: a clip stored as vertices, beside the one that is skinned.
#include "demo/viewer/pages/families.h"

#include "demo/common/memory.h"

#include <math.h>
#include <stdlib.h>

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
