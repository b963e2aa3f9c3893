#include "demo/viewer/motion/compare.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/motion.h"

#include <stdlib.h>
#include <string.h>

// -- Loading --------------------------------------------------------------------------------

typedef struct named_joint {
    const char *name;
    uint32_t joint;
} named_joint;

// By name, then by number, so that the first of several is found.
static int compare_names(const void *a, const void *b)
{
    const named_joint *const first = a, *const second = b;
    const int order = strcmp(first->name, second->name);
    return order != 0 ? order : (first->joint > second->joint) - (first->joint < second->joint);
}

static named_joint *sort_joints(const md5_skeleton *skeleton)
{
    named_joint *const sorted = common_alloc((size_t)skeleton->num_joints + 1, sizeof *sorted);
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        sorted[i] = (named_joint){skeleton->joints[i].name, i};
    qsort(sorted, skeleton->num_joints, sizeof *sorted, compare_names);
    return sorted;
}

static bool bind_clip(view_compare *compare, const md5_anim *anim, md5_error *error)
{
    md5_free_binding(compare->binding);
    compare->bound = anim;
    compare->binding = anim != NULL ? md5_bind(compare->model, anim, NULL, error) : NULL;
    return anim == NULL || compare->binding != NULL;
}

bool view_load_compare(view_compare *compare, const view_scene *scene, const char *path,
                       view_log *log)
{
    md5_error error = {0};
    const uint32_t num_joints = scene->num_joints;
    *compare = (view_compare){
        .name = common_copy(common_base(path)),
        .model = scene->model,
        .num_joints = num_joints,
        .same = common_alloc((size_t)num_joints + 1, sizeof *compare->same),
        .differences = common_alloc((size_t)num_joints + 1, sizeof *compare->differences),
        .peaks = common_alloc((size_t)num_joints + 1, sizeof *compare->peaks),
        .scene_joints = common_alloc((size_t)num_joints + 1, sizeof *compare->scene_joints),
    };
    bool is_loaded;
    if (common_has_ending(path, ".md5anim")) {
        compare->own_anim = md5_load_anim(path, NULL, &error);
        is_loaded = compare->own_anim != NULL && bind_clip(compare, compare->own_anim, &error);
    } else {
        compare->model = compare->own_model = md5_load_model(path, NULL, &error);
        is_loaded = compare->model != NULL;
    }
    if (!is_loaded)
        return view_log_error(log, &error);
    const md5_skeleton *const other = &compare->model->skeleton;
    compare->pose = common_alloc((size_t)other->num_joints + 1, sizeof *compare->pose);
    compare->joints = common_alloc((size_t)other->num_joints + 1, sizeof *compare->joints);
    // Walks both skeletons in the order of their names.
    named_joint *const a = sort_joints(scene->skeleton), *const b = sort_joints(other);
    for (uint32_t i = 0, j = 0; i < num_joints; i++) {
        while (j < other->num_joints && strcmp(b[j].name, a[i].name) < 0)
            j++;
        const bool is_same = j < other->num_joints && strcmp(b[j].name, a[i].name) == 0;
        compare->same[a[i].joint] = is_same ? (int32_t)b[j].joint : -1;
        compare->num_same += is_same;
    }
    free(a);
    free(b);
    return true;
}

void view_free_compare(view_compare *compare)
{
    md5_free_binding(compare->binding);
    md5_free_anim(compare->own_anim);
    md5_free_model(compare->own_model);
    free(compare->name);
    free(compare->same);
    free(compare->pose);
    free(compare->joints);
    free(compare->scene_joints);
    free(compare->differences);
    free(compare->peaks);
    *compare = (view_compare){.name = NULL};
}

// -- Differences ----------------------------------------------------------------------------

static int compare_distances(const void *a, const void *b)
{
    const view_difference *const first = a, *const second = b;
    if (first->distance > second->distance || first->distance < second->distance)
        return first->distance > second->distance ? -1 : 1;
    return (first->joint > second->joint) - (first->joint < second->joint);
}

static void write_differences(view_compare *compare)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < compare->num_joints; i++) {
        if (compare->same[i] < 0)
            continue;
        const md5_mat34 own = compare->scene_joints[i], other = compare->joints[compare->same[i]];
        const md5_vec3 way = md5_vec3_sub(md5_mat34_translation(other), md5_mat34_translation(own));
        const md5_quat p = md5_quat_from_mat34(own), q = md5_quat_from_mat34(other);
        const md5_quat turn = md5_quat_mul((md5_quat){-p.x, -p.y, -p.z, p.w}, q);
        const float axis = sqrtf(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
        compare->differences[count++] = (view_difference){
            .joint = i,
            .distance = md5_vec3_length(way),
            // The tangent of half the angle is exact for small angles, whose cosine is 1.
            .angle = 2.0f * atan2f(axis, fabsf(turn.w)) * (180.0f / VIEW_PI),
        };
    }
}

static void pose_other(view_compare *compare, const view_scene *scene, const md5_moment *moment)
{
    const size_t size = compare->model->skeleton.num_joints * sizeof *compare->joints;
    if (compare->binding == NULL || view_is_bind_pose(scene)) {
        memcpy(compare->joints, compare->model->bind, size);
        return;
    }
    md5_sample(compare->binding, *moment, scene->root, compare->pose);
    md5_local_to_model(&compare->model->skeleton, compare->pose, compare->joints);
}

// -- Over a clip ----------------------------------------------------------------------------

static int compare_peaks(const void *a, const void *b)
{
    const view_peak *const first = a, *const second = b;
    if (first->distance > second->distance || first->distance < second->distance)
        return first->distance > second->distance ? -1 : 1;
    if (first->angle > second->angle || first->angle < second->angle)
        return first->angle > second->angle ? -1 : 1;
    return (first->joint > second->joint) - (first->joint < second->joint);
}

static void measure_clip(view_compare *compare, view_scene *scene, const view_play *play)
{
    const md5_anim *const anim = view_shown_anim(scene);
    for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
        const md5_moment own = {.frame0 = frame, .frame1 = frame};
        const double time = frame / anim->frame_rate;
        md5_moment other = own;
        // The other clip is at the same time, and in its last frame when both end.
        if (compare->binding != NULL)
            other = md5_moment_at(compare->bound, time,
                                  time <= compare->bound->duration + 1e-6 ? MD5_WRAP_CLAMP
                                                                          : play->wrap);
        view_pose_moment(scene, &own);
        md5_local_to_model(scene->skeleton, scene->pose, compare->scene_joints);
        pose_other(compare, scene, &other);
        write_differences(compare);
        for (uint32_t i = 0; i < compare->num_same; i++) {
            const view_difference *const now = &compare->differences[i];
            view_peak *const peak = &compare->peaks[i];
            if (frame == 0)
                *peak = (view_peak){.joint = now->joint};
            if (now->distance > peak->distance) {
                peak->distance = now->distance;
                peak->distance_frame = frame;
            }
            if (now->angle > peak->angle) {
                peak->angle = now->angle;
                peak->angle_frame = frame;
            }
        }
    }
    if (compare->num_same > 0)
        qsort(compare->peaks, compare->num_same, sizeof *compare->peaks, compare_peaks);
    view_pose(scene, play);
}

void view_pose_compare(view_compare *compare, view_scene *scene, const view_play *play)
{
    md5_error error = {0};
    const md5_anim *const anim =
        compare->own_anim != NULL ? compare->own_anim : view_shown_anim(scene);
    if (anim != compare->bound)
        (void)bind_clip(compare, anim, &error);
    // A clip is shown as it is in its file: no machine, legs or channels move the model.
    const md5_anim *const shown =
        view_motion_of(scene)->clip_use == VIEW_CLIP_AS_FILE ? view_shown_anim(scene) : NULL;
    const bool is_old = shown == compare->measured && compare->bound == compare->against
                        && scene->root == compare->root;
    compare->measured = shown;
    compare->against = compare->bound;
    compare->root = scene->root;
    if (shown != NULL && !is_old)
        measure_clip(compare, scene, play);
    const md5_moment moment =
        compare->bound != NULL ? view_moment(play, compare->bound) : (md5_moment){0};
    pose_other(compare, scene, &moment);
    const bool has_no_clip =
        view_motion_of(scene)->clip_use >= VIEW_CLIP_PLAYED && view_shown_anim(scene) == NULL;
    const bool is_bind = view_is_bind_pose(scene) || has_no_clip;
    if (is_bind)
        memcpy(compare->scene_joints, scene->model->bind,
               compare->num_joints * sizeof *compare->scene_joints);
    else
        md5_local_to_model(scene->skeleton, scene->pose, compare->scene_joints);
    write_differences(compare);
    if (compare->num_same > 0)
        qsort(compare->differences, compare->num_same, sizeof *compare->differences,
              compare_distances);
}
