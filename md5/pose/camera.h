// Where a camera is in its path.
#ifndef MD5_POSE_CAMERA_H
#define MD5_POSE_CAMERA_H

#include "md5/md5model.h"

// A place between stored frames, and the shot that it belongs to: its first frame and its last,
// which is the cut. first <= place <= last < num_frames.
typedef struct md5_shot_place {
    double place;
    uint32_t first, last;
} md5_shot_place;

md5_shot_place md5i_find_shot(const md5_camera *camera, double time, md5_wrap wrap);

#endif
