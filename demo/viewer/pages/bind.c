// Automatic weights: the character bound by distance, beside its own weights.
#include "demo/viewer/pages/families.h"

#include "demo/common/memory.h"
#include "demo/viewer/pages/bound.h"

#include <math.h>
#include <stdlib.h>

enum { NUM_MOMENTS = 24 }; // of the clip, at which both are compared

static const char *const clips[] = {"walk", "run", "dance", "wave", "jump"};

// The difference that is red, units.
static const float red_units = 3.0f;

static const char *clip_word(float value)
{
    return clips[(int)value < 5 ? (int)value : 4];
}

// lines of bind
static md5_weights *bind_by_distance(const md5_model *model, uint32_t voxels, uint32_t influences,
                                     uint32_t rounds, float falloff)
{
    const md5_weights_desc desc = {.resolution = voxels,
                                   .max_influences = influences,
                                   .smoothing = rounds,
                                   .no_smoothing = rounds == 0,
                                   .falloff = falloff > 0.0f ? falloff : MD5_ZERO};
    return view_bind_weights(model, desc, NULL); // fills in vertices, triangles, and the skeleton
}
// end of lines

typedef struct bound_work {
    md5_xform *pose;
    md5_mat34 *joints, *palette;
    md5_vec3 *own, *bound; // of one mesh
} bound_work;

// Widens error[vertices of all meshes] at one moment; returns the sum of the distances.
static double compare(const bound_work *work, const md5_model *own, const md5_model *bound,
                      float *error)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < own->num_meshes; i++) {
        md5_skin(&own->meshes[i], work->palette, work->own, NULL, NULL);
        md5_skin(&bound->meshes[i], work->palette, work->bound, NULL, NULL);
        for (uint32_t v = 0; v < own->meshes[i].num_vertices; v++, error++) {
            const float off = md5_vec3_length(md5_vec3_sub(work->own[v], work->bound[v]));
            *error = fmaxf(*error, off);
            sum += (double)off;
        }
    }
    return sum;
}

// Whether both have the same vertices; returns how many, and those of the largest mesh.
static bool is_alike(const md5_model *own, const md5_model *bound, uint32_t *vertices,
                     uint32_t *most)
{
    *vertices = *most = 0;
    for (uint32_t i = 0; i < own->num_meshes; i++) {
        const uint32_t count = own->meshes[i].num_vertices;
        if (bound == NULL || bound->meshes[i].num_vertices != count)
            return false;
        *vertices += count;
        *most = count > *most ? count : *most;
    }
    return true;
}

static void measure(const view_picture *picture, const view_clip *clip, view_kept *kept,
                    uint32_t vertices, uint32_t most)
{
    const md5_model *const own = picture->scene->model;
    const uint32_t joints = own->skeleton.num_joints;
    bound_work work = {.pose = common_alloc(joints, sizeof *work.pose),
                       .joints = common_alloc(2 * (size_t)joints, sizeof *work.joints),
                       .own = common_alloc(2 * (size_t)most, sizeof *work.own)};
    work.palette = work.joints + joints;
    work.bound = work.own + most;
    double sum = 0.0, largest = 0.0;
    for (uint32_t i = 0; i < NUM_MOMENTS; i++) {
        const double time = clip->anim->duration * i / (double)NUM_MOMENTS;
        const md5_moment moment = md5_moment_at(clip->anim, time, MD5_WRAP_LOOP);
        md5_pose_palette(clip->binding, moment, MD5_ROOT_IN_PLACE, work.pose, work.joints,
                         work.palette);
        sum += compare(&work, own, kept->bound, kept->heat);
    }
    for (uint32_t v = 0; v < vertices; v++) {
        largest = fmax(largest, (double)kept->heat[v]);
        kept->heat[v] /= red_units;
    }
    kept->numbers[0] = sum / ((double)vertices * (double)NUM_MOMENTS);
    kept->numbers[1] = largest;
    free(work.pose);
    free(work.joints);
    free(work.own);
}

static void keep_bind(const view_picture *picture, view_kept *kept)
{
    const md5_model *const own = picture->scene->model;
    const view_clip *const clip = view_page_clip(picture, clips[view_choice(picture, 4)]);
    md5_weights *const weights =
        bind_by_distance(own, (uint32_t)view_choice(picture, 0), (uint32_t)view_choice(picture, 1),
                         (uint32_t)view_choice(picture, 2), picture->values[3]);
    uint32_t vertices, most;
    if (weights == NULL)
        return;
    kept->numbers[2] = (double)weights->num_voxels;
    kept->numbers[3] = (double)weights->num_bound;
    kept->bound = view_bound_model(own, weights, NULL);
    md5_free_weights(weights);
    if (clip != NULL && is_alike(own, kept->bound, &vertices, &most)) {
        kept->heat = common_alloc(vertices, sizeof *kept->heat);
        measure(picture, clip, kept, vertices, most);
    }
}

static void show_bind(view_picture *picture)
{
    static const view_figure_kind kinds[3] = {VIEW_FIGURE_LIT, VIEW_FIGURE_BOUND, VIEW_FIGURE_HEAT};
    static const char *const labels[3] = {"his own weights", "by distance", "difference"};
    view_show_box(picture, (md5_vec3){-30.0f, -66.0f, 0.0f}, (md5_vec3){20.0f, 66.0f, 60.0f});
    if (picture->kept == NULL || picture->kept->heat == NULL)
        return;
    for (int i = 0; i < 3; i++) {
        const float y = 46.0f * (float)(i - 1);
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        figure->kind = kinds[i];
        view_sample_clip(picture, clips[view_choice(picture, 4)], picture->time, figure->pose);
        view_add_label(picture, (md5_vec3){0.0f, y, 61.0f}, VIEW_PLAIN_TEXT, labels[i]);
    }
    view_add_fact(picture, "mean difference", picture->kept->numbers[0], "units");
    view_add_fact(picture, "largest difference", picture->kept->numbers[1], "units");
    view_add_fact(picture, "red is", (double)red_units, "units");
    view_add_fact(picture, "voxels inside", picture->kept->numbers[2], "");
    view_add_fact(picture, "joints with weights", picture->kept->numbers[3], "");
}

const view_page view_page_bind = {
    .name = "bind",
    .title = "Automatic weights",
    .family = "Skinning",
    .about = "Weights from distances: each vertex is bound to the joints nearest to it along paths "
             "through the voxels inside the surface. Colour: the largest difference from his own "
             "weights over the clip.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.9,
    .sliders = {{"voxels along him", 12.0f, 96.0f, 40.0f, NULL, true},
                {"influences", 1.0f, 8.0f, 4.0f, NULL, true},
                {"rounds of smoothing", 0.0f, 12.0f, 3.0f, NULL, true},
                {"falloff", 0.0f, 1.0f, 1.0f, NULL, false},
                {"clip", 0.0f, 4.0f, 2.0f, clip_word, false}},
    .num_sliders = 5,
    .show = show_bind,
    .keep = keep_bind,
    .num_kept = 5,
};
