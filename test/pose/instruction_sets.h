// Samples and blends poses with the code of each instruction set, for tests that include public
// headers only. Implemented in test_batch.c.
#ifndef TEST_POSE_INSTRUCTION_SETS_H
#define TEST_POSE_INSTRUCTION_SETS_H

#include "md5/md5model.h"

// Instruction sets are numbers from 0, which is plain C. A processor lacks some of them.
uint32_t num_instruction_sets(void);
bool has_instruction_set(uint32_t set);

// Computes the result of md5_sample() with an instruction set.
void sample_with_set(uint32_t set, const md5_binding *binding, const md5_sample_position *sample,
                     md5_root root, md5_xform *pose);
// Samples all joints of a compressed clip with an instruction set. There is no binding.
void sample_packed_with_set(uint32_t set, const md5_anim *anim, const md5_sample_position *sample,
                            md5_xform *pose);

// A call that combines two poses: md5_blend_poses(), md5_blend_batch(), md5_add_pose(),
// md5_subtract_pose(), and md5_add_pose() with a reference.
typedef enum combine_call {
    COMBINE_BLEND,
    COMBINE_NLERP,
    COMBINE_ADD,
    COMBINE_SUBTRACT,
    COMBINE_ADD_DIFFERENCE,
    NUM_COMBINE_CALLS
} combine_call;
typedef struct combine_job {
    combine_call call;
    const md5_xform *a, *b;
    const md5_xform *reference; // for COMBINE_ADD_DIFFERENCE
    const float *joint_weights; // NULL: all 1
    float weight;
    uint32_t count; // joints
    md5_xform *out;
} combine_job;
void combine_with_set(uint32_t set, const combine_job *job);
// The code of builds without SIMD, for COMBINE_BLEND and COMBINE_NLERP.
void combine_in_plain_c(const combine_job *job);

#endif
