// Converts time to a sample position in a clip, which consists of two frames and a fraction between
// them.
#ifndef MD5_POSE_SAMPLE_POSITION_H
#define MD5_POSE_SAMPLE_POSITION_H

#include "md5/core/object.h"
#include "md5/md5model.h"

static inline bool md5_is_sample_position_in(const md5_anim *anim,
                                             const md5_sample_position *sample)
{
    return sample->frame0 < anim->num_frames && sample->frame1 < anim->num_frames;
}

#define MD5_ASSERT_SAMPLE_POSITION(anim, sample)           \
    MD5_ASSERT(md5_is_sample_position_in(anim, &(sample)), \
               #sample ": must be a position in this clip")

// Clamps the frames of a sample position to the frames of a clip, and clears the fraction for
// MD5_INTERPOLATE_STEP. Public functions call it because the sample position of a longer clip is a
// likely error. Without assertions, such a position would cause reads beyond the clip.
static inline void md5_clamp_sample_position(const md5_anim *anim, md5_sample_position *sample)
{
    const uint32_t last = anim->num_frames - 1;
    sample->frame0 = sample->frame0 < last ? sample->frame0 : last;
    sample->frame1 = sample->frame1 < last ? sample->frame1 : last;
    if (sample->interpolation == MD5_INTERPOLATE_STEP)
        sample->fraction = 0;
}

// Returns the translation of joint 0 for MD5_ROOT_ID or MD5_ROOT_IN_PLACE. MD5_ROOT_FILE does not
// need this function, because the file stores its translation.
md5_vec3 md5i_root_translation(const md5_anim *anim, const md5_sample_position *sample,
                               md5_root root);

#endif
