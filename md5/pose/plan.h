// What posing looks up for each joint, made once by md5_bind.
#ifndef MD5_POSE_PLAN_H
#define MD5_POSE_PLAN_H

#include "md5/md5model.h"

// Slots that stand together. A slot is a place in a frame: that of the k-th joint of
// rotation_joints or translation_joints.
typedef struct md5_slots {
    uint32_t first, count;
} md5_slots;

// Which joints what the clip moves goes to.
typedef struct md5_targets {
    const int32_t *rotations;    // [num_rotations] joint of the pose, -1 = drives nothing
    const int32_t *translations; // [num_translations]
    bool rotations_in_order, translations_in_order; // slot k drives joint k
    md5_slots turned, moved;                        // those that are sampled
} md5_targets;

// One joint of the hierarchy: where its matrix and its parent's begin in an array of matrices, in
// floats.
typedef struct md5_plan_step {
    uint32_t own, parent;
} md5_plan_step;

struct md5_pose_plan {
    // By depth, roots first: one joint's matrix is not needed right after it is made.
    const md5_plan_step *steps; // [model joints]
    uint32_t num_roots;         // whose `parent` says nothing
    md5_targets targets;
    // Joints that the clip does not turn, and those that it does not move.
    uint32_t num_unturned, num_unmoved;
    const uint32_t *unturned, *unmoved;
};

// Joints of a clip by itself: each is its own target.
md5_targets md5_own_targets(const md5_anim *anim);

// From the first slot that drives a joint that is wanted[model joints] to the last.
md5_targets md5_narrow_targets(const md5_targets *targets, const bool *wanted);

// How many integers a plan refers to.
size_t md5_pose_plan_size(const md5_model *model, const md5_anim *anim);

// Fills a plan and the integers. targets[animation joints]: the model joint that each one drives.
void md5_pose_plan_build(const md5_model *model, const md5_anim *anim, const int32_t *targets,
                         md5_pose_plan *plan, int32_t *integers);

// What a model joint is where the clip does not change it.
static inline const md5_transform *md5_constant_of(const md5_binding *binding, uint32_t joint)
{
    const int32_t track = binding->tracks[joint];
    return track < 0 ? &binding->model->bind_local[joint] : &binding->anim->constant[track];
}

// The same for the `count` joints from `first` on.
void md5_copy_constants(const md5_binding *binding, uint32_t first, uint32_t count,
                        md5_transform *pose);

#endif
