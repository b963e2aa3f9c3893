// A clip without a model, sampled once.
#ifndef TEST_POSE_OWN_CLIP_H
#define TEST_POSE_OWN_CLIP_H

#include "md5/md5model.h"

#include <stdlib.h>

// Writes pose[anim joints] by a binding of the clip to its own skeleton.
static inline void sample_own(const md5_anim *anim, md5_moment moment, md5_root root,
                              md5_xform *pose)
{
    md5_binding *const own = md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, NULL, NULL);
    if (!own)
        abort();
    md5_sample(own, moment, root, pose);
    md5_free_binding(own);
}

#endif
