// Time to frames.
#ifndef MD5_POSE_MOMENT_H
#define MD5_POSE_MOMENT_H

#include "md5/md5model.h"

// md5_moment_at() for anything that has frames: num_frames >= 1, frame_rate > 0.
md5_moment md5_moment_in(uint32_t num_frames, double frame_rate, double time, md5_wrap wrap);

#endif
