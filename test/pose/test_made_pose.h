// Random models and clips for tests of posing. Every array is a separate allocation, so that a
// sanitizer detects accesses past its end.
#ifndef TEST_POSE_TEST_MADE_POSE_H
#define TEST_POSE_TEST_MADE_POSE_H

#include "md5/md5model.h"

#include <stdlib.h>

// The rotation that a file writes as x y z, its w negative; brought to unit length.
md5_quat made_rotation_of_file(float x, float y, float z);

// Any rotation, each as likely as another.
md5_quat made_any_rotation(uint64_t *random);

typedef enum made_pairing {
    MADE_SAME,    // the clip has the model's joints in the model's order
    MADE_ORDER,   // in another order
    MADE_MISSING, // some of them, and some that the model lacks
    MADE_PARENTS, // with other parents
    MADE_PAIRINGS
} made_pairing;

typedef struct made_pose {
    md5_model model;
    md5_anim anim;
    md5_binding *binding;
    void *memory[32];
    int num_memory;
} made_pose;

// `rotating` and `moving`: the fraction of joints that the clip rotates and moves, 0..1.
void make_pose(made_pose *made, uint32_t num_joints, made_pairing pairing, double rotating,
               double moving, uint64_t *random);
void free_pose(made_pose *made);
#define OWN_POSE __attribute__((cleanup(free_pose))) made_pose

// Any two frames, any fraction, cycles before and after 0.
md5_sample_position make_sample_position(const md5_anim *anim, uint64_t *random);

// A clip without a model, sampled once: writes pose[anim joints] by a binding of the clip to its
// own skeleton.
static inline void sample_own(const md5_anim *anim, md5_sample_position sample, md5_root root,
                              md5_xform *pose)
{
    md5_binding *const binding =
        md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, NULL, NULL);
    if (!binding)
        abort();
    md5_sample(binding, sample, root, pose);
    md5_free_binding(binding);
}

#endif
