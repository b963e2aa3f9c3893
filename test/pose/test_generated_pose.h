// Random models and clips for tests of posing. Every array is a separate allocation, so that a
// sanitizer detects accesses past its end.
#ifndef TEST_POSE_TEST_GENERATED_POSE_H
#define TEST_POSE_TEST_GENERATED_POSE_H

#include "md5/md5model.h"

#include <stdlib.h>

// Returns the rotation that a file stores as x y z: w is negative, and the quaternion is
// normalized.
md5_quat rotation_from_file(float x, float y, float z);

// Returns a random rotation with uniform distribution.
md5_quat random_unit_quat(uint64_t *random);

typedef enum joint_pairing {
    PAIRING_SAME,       // the clip has the model's joints in the model's order
    PAIRING_REORDERED,  // in another order
    PAIRING_MISSING,    // some of them, and some that the model lacks
    PAIRING_REPARENTED, // with other parents
    NUM_PAIRINGS
} joint_pairing;

typedef struct generated_pose {
    md5_model model;
    md5_anim anim;
    md5_binding *binding;
    void *memory[32];
    int num_memory;
} generated_pose;

// Creates a random model and a clip. `rotating` and `moving` are the fractions of joints that the
// clip rotates and moves, 0 to 1.
void generate_pose(generated_pose *generated, uint32_t num_joints, joint_pairing pairing,
                   double rotating, double moving, uint64_t *random);
void free_generated_pose(generated_pose *generated);
#define SCOPED_GENERATED_POSE __attribute__((cleanup(free_generated_pose))) generated_pose

// Returns a sample position with two random frames, a random fraction, and a random cycle before or
// after 0.
md5_sample_position make_sample_position(const md5_anim *anim, uint64_t *random);

// Samples a clip without a model once. Writes pose[anim joints] by a binding of the clip to its own
// skeleton.
static inline void sample_anim(const md5_anim *anim, md5_sample_position sample, md5_root root,
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
