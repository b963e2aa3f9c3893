// Internal functions of procedural walking.
#ifndef MD5_IK_WALK_H
#define MD5_IK_WALK_H

#include "md5/motion/space.h"
#include "md5/md5pose.h"

// A description with defaults applied, and the directions of the axes.
typedef struct md5_walk_gait {
    const md5_walk_desc *desc;
    md5_vec3 forward, left, up; // model and world space
    float step_length, step_height, slack, step_seconds, least_seconds, response, smoothing;
} md5_walk_gait;

md5_walk_gait md5i_walk_gait_of(const md5_walk_desc *desc, float radius);

// `v` without its component along `up`.
static inline md5_vec3 md5_level(const md5_walk_gait *gait, md5_vec3 v)
{
    return md5_vec3_sub(v, md5_vec3_scale(gait->up, md5_vec3_dot(v, gait->up)));
}

// The ground below or above a position in world space: its point and unit normal.
md5_vec3 md5i_ground_at(const md5_walk_gait *gait, const md5_walk *walk, md5_vec3 at,
                        md5_vec3 *normal);

// The current position of a home, world space, at the character's height.
md5_vec3 md5i_home_of(const md5_walk *walk, uint32_t leg);

// The velocity of a home in world space.
md5_vec3 md5i_home_velocity(const md5_walk_gait *gait, const md5_walk *walk, uint32_t leg);

// Starts and advances steps, see walk_steps.c. Call it after moving the character.
void md5i_step_legs(const md5_walk_gait *gait, md5_walk *walk, float seconds);

// The position of a stepping foot.
md5_vec3 md5i_foot_in_step(const md5_walk_gait *gait, const md5_foothold *foot);

#endif
