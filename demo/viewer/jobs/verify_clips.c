#include "demo/viewer/jobs/verify.h"

#include "demo/viewer/base/math.h"

#include <stdio.h>
#include <stdlib.h>

// Largest distance between a corner of the model's bounds moved by the CPU's and by the GPU's
// palette, relative to the diagonal.
static const float corner_limit = 1e-4f;

enum { NUM_SAMPLES = 8 }; // per clip

typedef struct posed_clips {
    const view_scene *scene;
    uint32_t count;              // characters
    md5gl_clip_job *jobs;        // [count]
    md5_mat34 *gpu_palettes;     // [count * joints] by the GPU
    md5_mat34 *palette, *joints; // [joints] by the CPU
    md5_transform *pose;
} posed_clips;

static bool is_on_cpu(const view_state *viewer)
{
    for (uint32_t i = 0; i < viewer->document->scene.model->num_meshes; i++)
        if (md5gl_mesh_path(viewer->document->drawn, i) == MD5GL_PATH_CPU)
            return true;
    return false;
}

// Samples before the start, at frames, between them and after the end, with each root mode.
static void choose_samples(posed_clips *posed)
{
    for (uint32_t i = 0; i < posed->count; i++) {
        const uint32_t clip = i / NUM_SAMPLES, moment = i % NUM_SAMPLES;
        const md5_anim *const anim = posed->scene->clips[clip].anim;
        const double cycles = ((double)moment - 1.0) * 0.35;
        posed->jobs[i] = (md5gl_clip_job){
            .clip = clip,
            .moment = md5_moment_at(anim, cycles * anim->duration, (md5_wrap)(moment % 3)),
            .root = (md5_root)(i % 3),
        };
    }
}

// Largest distance between a corner of `box` moved by `a` and by `b`; infinite if it is NaN.
static float distance_apart(md5_bounds box, const md5_mat34 *a, const md5_mat34 *b)
{
    float largest = 0.0f;
    for (unsigned corner = 0; corner < 8; corner++) {
        const md5_vec3 point = view_corner(box, corner);
        const float length = md5_vec3_length(md5_vec3_sub(md5_mat34_transform_point(*a, point),
                                                          md5_mat34_transform_point(*b, point)));
        largest = fmaxf(largest, isnan(length) ? INFINITY : length);
    }
    return largest;
}

static float compare(posed_clips *posed)
{
    const md5_model *const model = posed->scene->model;
    const uint32_t num_joints = model->skeleton.num_joints;
    float largest = 0.0f;
    for (uint32_t i = 0; i < posed->count; i++) {
        const md5gl_clip_job *const job = &posed->jobs[i];
        md5_pose_palette(posed->scene->clips[job->clip].binding, &job->moment, job->root,
                         posed->pose, posed->joints, posed->palette);
        for (uint32_t joint = 0; joint < num_joints; joint++)
            largest = fmaxf(largest,
                            distance_apart(model->bounds, &posed->palette[joint],
                                           &posed->gpu_palettes[(size_t)i * num_joints + joint]));
    }
    return largest;
}

static md5gl_clips *create_clips(const view_state *viewer, md5_error *error)
{
    const view_scene *const scene = &viewer->document->scene;
    const md5_binding **const bindings = common_alloc(scene->num_clips, sizeof *bindings);
    for (size_t i = 0; i < scene->num_clips; i++)
        bindings[i] = scene->clips[i].binding;
    md5gl_clips *const clips =
        md5gl_create_clips(viewer->renderer, bindings, (uint32_t)scene->num_clips, error);
    free(bindings);
    return clips;
}

static bool pose(view_state *viewer, const md5gl_clips *clips, posed_clips *posed, md5_error *error)
{
    return md5gl_pose_clips(viewer->renderer, viewer->document->drawn, clips, posed->jobs, NULL,
                            posed->count, error)
           && md5gl_read_palettes(viewer->renderer, viewer->document->drawn, posed->gpu_palettes,
                                  error);
}

bool view_verify_clips(view_state *viewer, float size)
{
    const view_scene *const scene = &viewer->document->scene;
    const size_t num_joints = scene->model->skeleton.num_joints;
    md5_error error;
    if (scene->num_clips == 0 || is_on_cpu(viewer)
        || !md5gl_has_path(viewer->renderer, MD5GL_PATH_COMPUTE))
        return true;
    md5gl_clips *const clips = create_clips(viewer, &error);
    if (clips == NULL) {
        printf("clips on the GPU: %s\n", error.message);
        return true;
    }
    posed_clips posed = {
        .scene = scene,
        .count = (uint32_t)scene->num_clips * NUM_SAMPLES,
        .palette = common_alloc(num_joints, sizeof *posed.palette),
        .joints = common_alloc(num_joints, sizeof *posed.joints),
        .pose = common_alloc(num_joints, sizeof *posed.pose),
    };
    posed.jobs = common_alloc(posed.count, sizeof *posed.jobs);
    posed.gpu_palettes = common_alloc(posed.count * num_joints, sizeof *posed.gpu_palettes);
    choose_samples(&posed);
    bool passes = pose(viewer, clips, &posed, &error);
    if (passes) {
        const float largest = compare(&posed);
        passes = largest <= corner_limit * size;
        printf("clips on the GPU: %u poses of %zu clips, %zu bytes: largest error %.3g units, "
               "%.3g of the size; %s\n",
               (unsigned)posed.count, scene->num_clips, md5gl_clips_size(clips), (double)largest,
               (double)(largest / size), passes ? "ok" : "TOO MUCH");
    } else {
        view_log_error(&viewer->log, &error);
    }
    md5gl_destroy_clips(viewer->renderer, clips);
    free(posed.jobs);
    free(posed.gpu_palettes);
    free(posed.palette);
    free(posed.joints);
    free(posed.pose);
    return passes;
}
