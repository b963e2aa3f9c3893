// Sampling along smooth curves: MD5_INTERPOLATE_CUBIC.
#ifndef MD5_POSE_CUBIC_H
#define MD5_POSE_CUBIC_H

#include "md5/pose/plan.h"

// Samples all tracks of a clip that drive a joint.
void md5i_sample_curves(const md5_anim *anim, const md5_targets *targets,
                        const md5_sample_position *sample, md5_xform *pose);

// Sample anim->rotation_joints[slot] or anim->translation_joints[slot]. The latter is as stored,
// or, of joint 0 with MD5_ROOT_ID, as the engine has it.
md5_quat md5i_cubic_rotation(const md5_anim *anim, const md5_sample_position *sample,
                             uint32_t slot);
md5_vec3 md5i_cubic_translation(const md5_anim *anim, const md5_sample_position *sample,
                                md5_root root, uint32_t slot);

#endif
