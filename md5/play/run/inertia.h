// Inertial transitions: the difference between the old pose and the new motion decays over the new
// motion (D. Bollo, Inertialization: High-Performance Animation Transitions in Gears of War,
// GDC 2018). Each joint's offset keeps its direction or axis; only its length changes, and it never
// grows. Only + - * / are used, so every platform gives the same bits.
#ifndef MD5_PLAY_RUN_INERTIA_H
#define MD5_PLAY_RUN_INERTIA_H

#include "md5/md5pose.h"

// No offset decays faster, 1/s: it is gone within five microseconds.
#define MD5_FASTEST_DECAY (-1e6f)

// Velocity of a joint in its parent's space: linear in units/s, angular as rotation vector in
// radians/s.
typedef struct md5_velocity {
    md5_vec3 linear, angular;
} md5_velocity;

// Computes the velocity of each joint from one pose to the next, by the shorter arc; all 0 unless
// seconds > 0. The arrays are [num_joints].
void md5i_pose_velocity(const md5_xform *before, const md5_xform *now, uint32_t num_joints,
                        float seconds, md5_velocity *velocity);

// Difference of one joint: takes the new motion to the old pose when the transition began.
// Rotations are modified Rodrigues parameters, axis * tan(angle / 4): rational both ways, and
// nearly proportional to the angle. The rates are the relative changes of the lengths at the start,
// 1/s; they are never above 0.
typedef struct md5_offset {
    md5_vec3 turn;
    float turn_rate;
    md5_vec3 move; // units
    float move_rate;
} md5_offset;

// Writes offsets[num_joints], which take `to` to `from`. Only the part of the relative velocity
// that shortens an offset is kept.
void md5i_make_offsets(const md5_xform *from, const md5_velocity *from_velocities,
                       const md5_xform *to, const md5_velocity *to_velocities, uint32_t num_joints,
                       md5_offset *offsets);

// Returns the share of an offset that is left, for its rate: 0 once it is over.
float md5i_offset_left(float rate, float elapsed, float duration);

// Adds to `pose` the remaining offsets `elapsed` seconds into a transition of `duration`: all at 0,
// nothing at the end, where velocity and acceleration are 0. Before 0 they change linearly, at the
// rates.
void md5i_add_offsets(const md5_offset *offsets, float elapsed, float duration, uint32_t num_joints,
                      md5_xform *pose);

#endif
