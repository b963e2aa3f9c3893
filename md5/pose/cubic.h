// Sampling along smooth curves: MD5_INTERPOLATE_CUBIC.
#ifndef MD5_POSE_CUBIC_H
#define MD5_POSE_CUBIC_H

#include "md5/pose/plan.h"

// Samples all tracks of a clip that drive a joint, and writes the values to a pose.
void md5i_sample_curves(const md5_anim *anim, const md5_targets *targets,
                        const md5_sample_position *sample, md5_xform *pose);

// Samples the rotation of the joint anim->rotation_joints[slot].
md5_quat md5i_cubic_rotation(const md5_anim *anim, const md5_sample_position *sample,
                             uint32_t slot);

// Samples the translation of the joint anim->translation_joints[slot]. MD5_ROOT_FILE returns it as
// stored. MD5_ROOT_ID is valid for joint 0 only, and returns the translation that the original
// engine computes.
md5_vec3 md5i_cubic_translation(const md5_anim *anim, const md5_sample_position *sample,
                                md5_root root, uint32_t slot);

#endif
