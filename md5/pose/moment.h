// Converts time to a moment: the sample position in a clip, as two frames and a fraction.
#ifndef MD5_POSE_MOMENT_H
#define MD5_POSE_MOMENT_H

#include "md5/core/assert.h"
#include "md5/md5model.h"

static inline bool md5_is_moment_of(const md5_anim *anim, const md5_moment *moment)
{
    return moment->frame0 < anim->num_frames && moment->frame1 < anim->num_frames;
}

#ifdef MD5_NO_CUBIC
#define MD5_IS_CUBIC(moment) false
#else
#define MD5_IS_CUBIC(moment) ((moment)->interpolation == MD5_INTERPOLATE_CUBIC)
#endif

#define MD5_ASSERT_MOMENT(anim, moment) \
    MD5_ASSERT(md5_is_moment_of(anim, &(moment)), #moment ": its frames are frames of this clip")

// For public functions: a moment of another clip is an easy error, and would read out of bounds.
// In a build without assertions its frames are clamped to the clip's. MD5_INTERPOLATE_STEP clears
// the fraction.
static inline void md5_clamp_moment(const md5_anim *anim, md5_moment *moment)
{
    const uint32_t last = anim->num_frames - 1;
    moment->frame0 = moment->frame0 < last ? moment->frame0 : last;
    moment->frame1 = moment->frame1 < last ? moment->frame1 : last;
    if (moment->interpolation == MD5_INTERPOLATE_STEP)
        moment->fraction = 0;
}

// Returns joint 0's translation in the mode `root`, which is not MD5_ROOT_FILE: that is what frames
// store.
md5_vec3 md5i_root_translation(const md5_anim *anim, const md5_moment *moment, md5_root root);

#endif
