// Samples the tracks of a clip with the interpolation of the sample position. A clip stores either
// frames or compressed keys. tracks.c supports both formats. md5/small/pose.c defines the same
// functions for frames only.
#ifndef MD5_POSE_TRACKS_H
#define MD5_POSE_TRACKS_H

#include "md5/pose/plan.h"
#include "md5/pose/sampling.h"

// Samples all tracks that drive a joint into a pose. Leaves the other values of the pose unchanged.
void md5i_sample_tracks(const md5_anim *anim, const md5_pose_plan *plan,
                        const md5_sample_position *sample, md5_xform *pose);

// Samples the rotation of anim->rotation_joints[slot].
md5_quat md5i_sample_rotation(const md5_sampling *sampling, uint32_t slot);

// Samples the translation of anim->translation_joints[slot].
md5_vec3 md5i_sample_translation(const md5_sampling *sampling, uint32_t slot);

// Samples the translation of joint 0 for MD5_ROOT_ID or MD5_ROOT_IN_PLACE.
md5_vec3 md5i_sample_root(const md5_anim *anim, const md5_sample_position *sample, md5_root root);

// Reads the translations of joint 0 at frames[count] into out[count].
void md5i_read_root(const md5_anim *anim, const uint32_t *frames, uint32_t count, md5_vec3 *out);

#endif
