// A retarget: the mapping between the joints of two models.
#ifndef MD5_IK_RETARGET_H
#define MD5_IK_RETARGET_H

#include "md5/core/math.h"
#include "md5/md5pose.h"

// The source of one target joint.
typedef struct md5_link {
    int32_t source; // source joint; -1: none
    bool is_placed; // its model-space position is transferred, else its translation
    // Model-space rotation of the target = that of the source * this.
    md5_quat to_target;
    // From the source's parent's bind pose to that of the target's parent.
    md5_quat frame;
} md5_link;

struct md5_retarget {
    const md5_model *source, *target;
    float ratio; // of the heights of the pelvis: target / source
    size_t size;
    md5_allocator allocator;
    md5_link links[]; // [target joints]
};

static inline md5_vec3 md5_bind_place(const md5_model *model, int32_t joint)
{
    return md5_mat34_translation(model->bind[joint]);
}

#endif
