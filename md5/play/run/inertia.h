// Inertial transitions: the difference between what was shown and the new motion decays over the
// new motion (D. Bollo, Inertialization: High-Performance Animation Transitions in Gears of War,
// GDC 2018). Each joint's offset keeps its direction or axis; only its length changes, and it only
// ever becomes shorter. Everything takes + - * / alone, so that every machine gives the same bits.
#ifndef MD5_PLAY_RUN_INERTIA_H
#define MD5_PLAY_RUN_INERTIA_H

#include "md5/md5pose.h"

// Of one joint: what takes the new motion to what was shown when the transition began. Rotations
// are modified Rodrigues parameters, axis * tan(angle / 4): rational both ways, and nearly
// proportional to the angle. The rates say how fast the lengths change at the start, as a part of
// themselves a second; they are never above 0.
typedef struct md5_offset {
    md5_vec3 turn;
    float turn_rate;
    md5_vec3 move; // units
    float move_rate;
} md5_offset;

// Writes offsets[num_joints]: what takes `to` to `from`. Of their velocities relative to each other
// the part remains that shortens the offset.
void md5_make_offsets(const md5_transform *from, const md5_velocity *from_velocities,
                      const md5_transform *to, const md5_velocity *to_velocities,
                      uint32_t num_joints, md5_offset *offsets);

// Adds to `pose` what is left of the offsets `elapsed` seconds into a transition of `duration`: all
// of it at 0; at the end nothing, with neither velocity nor acceleration. Before 0 they change
// evenly, as they do at 0.
void md5_add_offsets(const md5_offset *offsets, float elapsed, float duration, uint32_t num_joints,
                     md5_transform *pose);

#endif
