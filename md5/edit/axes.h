// Bone axes of a clip relative to its model. Programs orient the axes of a bone differently, for
// example along x in one program and along y in another. A clip with other axes than the model has
// the same joints and the same bone lengths. But on the model, each of its bones points in a wrong
// direction.
#ifndef MD5_EDIT_AXES_H
#define MD5_EDIT_AXES_H

#include "md5/core/arena.h"
#include "md5/core/math.h"
#include "md5/md5edit.h"

typedef struct md5_clip_axes {
    uint32_t num_bones;   // bones of equal length in the model and the clip
    uint32_t num_rotated; // those bones that point in another direction; 0 if axes are the same
    uint32_t joint;       // joint of the model where the bone with the largest angle begins
    float max_angle;      // degrees
    // [num_joints of the model] Rotation from the axes of the clip's joint to the axes of the
    // model's joint. NULL if the axes are the same.
    md5_quat *rotations;
} md5_clip_axes;

// Compares the directions of bones in the first frame. The axes count as different if at least 5
// bones, and half of all bones, differ in direction by more than 10 degrees. Returns false and sets
// the error if memory runs out. Takes linear time.
bool md5i_find_axes(md5_arena *arena, const md5_binding *clip, md5_clip_axes *axes);

#endif
