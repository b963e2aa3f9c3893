// Inertial transitions: how the pose differs from the new motion, and how fast that grew, dies away
// (D. Bollo, Inertialization: High-Performance Animation Transitions in Gears of War, GDC 2018).
// His quintic follows the length of each offset; this one the offset itself, a vector, so that its
// velocity is kept in every direction and one pair of factors serves all joints.
#ifndef MD5_PLAY_RUN_INERTIA_H
#define MD5_PLAY_RUN_INERTIA_H

#include "md5/md5play.h"

// Of one joint, relative to the new motion. Rotations are modified Rodrigues parameters,
// axis * tan(angle / 4): rational both ways, and nearly proportional to the angle.
typedef struct md5_offset {
    md5_vec3 turn, turn_velocity;
    md5_vec3 move, move_velocity; // units, units a second
} md5_offset;

// Writes offsets[num_joints]: what takes `to` to `from`, now and `seconds` before, all poses of
// num_joints. With next to no seconds nothing moved.
void md5_make_offsets(const md5_transform *from, const md5_transform *from_before,
                      const md5_transform *to, const md5_transform *to_before, float seconds,
                      uint32_t num_joints, md5_offset *offsets);

// Adds to `pose` what is left of the offsets `elapsed` seconds into a transition of `duration`: all
// of it at 0; at the end nothing, with neither velocity nor acceleration.
void md5_add_offsets(const md5_offset *offsets, float elapsed, float duration, uint32_t num_joints,
                     md5_transform *pose);

#endif
