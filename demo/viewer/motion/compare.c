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

// Walks both skeletons in the order of their names.
static void find_same(view_compare *compare, const md5_skeleton *own, const md5_skeleton *other)
{
    named_joint *const a = sort_joints(own), *const b = sort_joints(other);
    for (uint32_t i = 0, j = 0; i < own->num_joints; i++) {
        while (j < other->num_joints && strcmp(b[j].name, a[i].name) < 0)
            j++;
        const bool is_same = j < other->num_joints && strcmp(b[j].name, a[i].name) == 0;
        compare->same[a[i].joint] = is_same ? (int32_t)b[j].joint : -1;
        compare->num_same += is_same;
    }
    free(a);
    free(b);
}

static bool bind_clip(view_compare *compare, const md5_anim *anim, md5_error *error)
{
    md5_free_binding(compare->binding);
    compare->bound = anim;
    compare->binding = anim != NULL ? md5_bind(compare->model, anim, NULL, error) : NULL;
    return anim == NULL || compare->binding != NULL;
}

static bool load_file(view_compare *compare, const char *path, md5_error *error)
{
    if (common_has_ending(path, ".md5anim")) {
        compare->own_anim = md5_load_anim(path, NULL, error);
        return compare->own_anim != NULL && bind_clip(compare, compare->own_anim, error);
    }
    compare->own_model = md5_load_model(path, NULL, error);
    compare->model = compare->own_model;
    return compare->own_model != NULL;
}

bool view_load_compare(view_compare *compare, const view_scene *scene, const char *path,
                       view_log *log)
{
    md5_error error;
    *compare = (view_compare){.name = common_copy(common_base(path)), .model = scene->model};
    if (!load_file(compare, path, &error)) {
        view_log_error(log, &error);
        return false;
    }
    const uint32_t num_joints = compare->model->skeleton.num_joints;
    compare->num_joints = scene->num_joints;
    compare->same = common_alloc((size_t)scene->num_joints + 1, sizeof *compare->same);
    compare->differences =
        common_alloc((size_t)scene->num_joints + 1, sizeof *compare->differences);
    compare->peaks = common_alloc((size_t)scene->num_joints + 1, sizeof *compare->peaks);
    compare->scene_joints =
        common_alloc((size_t)scene->num_joints + 1, sizeof *compare->scene_joints);
    compare->pose = common_alloc((size_t)num_joints + 1, sizeof *compare->pose);
    compare->joints = common_alloc((size_t)num_joints + 1, sizeof *compare->joints);
    find_same(compare, scene->skeleton, &compare->model->skeleton);
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

// The angle of the rotation from one to the other, in degrees. Its half's tangent is exact for
// small angles, whose cosine is 1.
static float angle_between(md5_mat34 a, md5_mat34 b)
{
    const md5_quat p = md5_quat_from_mat34(a), q = md5_quat_from_mat34(b);
    const md5_quat turn = md5_quat_mul((md5_quat){-p.x, -p.y, -p.z, p.w}, q);
    const float axis = sqrtf(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return 2.0f * atan2f(axis, fabsf(turn.w)) * (180.0f / VIEW_PI);
}

static void write_differences(view_compare *compare)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < compare->num_joints; i++) {
        if (compare->same[i] < 0)
            continue;
        const md5_mat34 own = compare->scene_joints[i], other = compare->joints[compare->same[i]];
        const md5_vec3 way = md5_vec3_sub(md5_mat34_translation(other), md5_mat34_translation(own));
        compare->differences[count++] = (view_difference){
            .joint = i, .distance = md5_vec3_length(way), .angle = angle_between(own, other)};
    }
}

static void sort_differences(view_compare *compare)
{
    if (compare->num_same > 0)
        qsort(compare->differences, compare->num_same, sizeof *compare->differences,
              compare_distances);
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

static void raise_peaks(view_compare *compare, uint32_t frame)
{
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

// Where the other clip is at a frame of the scene's: at the same time, and in its last frame when
// both end.
static md5_moment moment_of_other(const view_compare *compare, const view_play *play, double time)
{
    const bool is_within = time <= compare->bound->duration + 1e-6;
    return md5_moment_at(compare->bound, time, is_within ? MD5_WRAP_CLAMP : play->wrap);
}

static void measure_clip(view_compare *compare, view_scene *scene, const view_play *play)
{
    const md5_anim *const anim = view_shown_anim(scene);
    for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
        const md5_moment own = {.frame0 = frame, .frame1 = frame};
        const md5_moment other = compare->binding != NULL
                                     ? moment_of_other(compare, play, frame / anim->frame_rate)
                                     : own;
        view_pose_moment(scene, &own);
        md5_local_to_model(scene->skeleton, scene->pose, compare->scene_joints);
        pose_other(compare, scene, &other);
        write_differences(compare);
        raise_peaks(compare, frame);
    }
    if (compare->num_same > 0)
        qsort(compare->peaks, compare->num_same, sizeof *compare->peaks, compare_peaks);
    view_pose(scene, play);
}

// A clip is shown as it is in its file: no machine, legs or channels move the model.
static void measure_if_new(view_compare *compare, view_scene *scene, const view_play *play)
{
    const bool is_as_file = view_motion_of(scene)->clip_use == VIEW_CLIP_AS_FILE;
    const md5_anim *const anim = is_as_file ? view_shown_anim(scene) : NULL;
    const bool is_old = anim == compare->measured && compare->bound == compare->against
                        && scene->root == compare->root;
    compare->measured = anim;
    compare->against = compare->bound;
    compare->root = scene->root;
    if (anim != NULL && !is_old)
        measure_clip(compare, scene, play);
}

void view_pose_compare(view_compare *compare, view_scene *scene, const view_play *play)
{
    md5_error error;
    const md5_anim *const anim =
        compare->own_anim != NULL ? compare->own_anim : view_shown_anim(scene);
    if (anim != compare->bound)
        (void)bind_clip(compare, anim, &error);
    measure_if_new(compare, scene, play);
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
    sort_differences(compare);
}
