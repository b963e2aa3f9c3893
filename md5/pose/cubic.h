// Sampling along smooth curves: MD5_INTERPOLATE_CUBIC.
#ifndef MD5_POSE_CUBIC_H
#define MD5_POSE_CUBIC_H

#include "md5/pose/plan.h"

// Samples all tracks of a clip that drive a joint into the pose.
void md5i_sample_curves(const md5_anim *anim, const md5_targets *targets,
                        const md5_sample_position *sample, md5_xform *pose);

// Samples the rotation of anim->rotation_joints[slot].
md5_quat md5i_cubic_rotation(const md5_anim *anim, const md5_sample_position *sample,
                             uint32_t slot);

// Samples the translation of anim->translation_joints[slot]: as stored with MD5_ROOT_FILE; with
// MD5_ROOT_ID, which is for joint 0 only, as the original engine computes it.
md5_vec3 md5i_cubic_translation(const md5_anim *anim, const md5_sample_position *sample,
                                md5_root root, uint32_t slot);

#endif
