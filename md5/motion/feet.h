// Locked soles: a sole that stands is locked at its position while the animation moves it. The
// functions decide which soles are locked, and compute the horizontal shift and rotation of each
// foot. Heights and tilts are those of the animation and the ground. All vectors are in id's axes.
#ifndef MD5_IK_FEET_H
#define MD5_IK_FEET_H

#include "md5/md5pose.h"

// State of one sole. The displayed sole differs from the animated sole by `shift` and by a rotation
// about the vertical axis. While the sole is locked, they compensate the animation. After that,
// they return to 0 like critically damped springs.
typedef struct md5_foot_lock {
    bool is_locked;
    md5_vec3 animated_sole;  // position, model space
    md5_vec3 position;       // of the locked sole, model space
    md5_vec3 shift;          // from the animated sole to the displayed sole; z is 0
    md5_vec3 shift_velocity; // z is 0

    // A sole that is released on the ground makes a step back to the animated position.
    float relock_delay; // seconds until the sole may be locked again
    float step_height;  // maximum height of the foot during this time
    float lift;         // current height by which the foot is lifted during this time

    md5_vec3 animated_heading; // horizontal direction of the animated sole, length 1; 0 if unknown
    md5_vec3 locked_heading;   // direction of the locked sole; 0 if its direction is not locked
    float half_tangent;        // rotation to the displayed sole: tangent of half the angle
    float half_tangent_rate;   // derivative of half_tangent, 1/s
} md5_foot_lock;

// The movement of a character and of one of its soles in the animation since the last step.
typedef struct md5_foot_lock_step {
    float seconds;
    // Movement of the character since the last step, which maps its old space to its new space: a
    // rotation about z, then a translation.
    float x;
    float y;
    float cosine;
    float sine;
    md5_vec3 sole;    // animated position, model space
    md5_vec3 heading; // direction of the animated sole, model space
    bool is_planted;  // the sole stands on the ground in the animation
    bool is_sliding;  // the sole slides on the ground in the animation; excludes is_planted
    bool is_pivoting; // the animation rotates the sole while it stands
    md5_vec3 ankle;   // animated position, model space
    md5_vec3 leg;     // from the hip to the animated ankle
    float reach;      // maximum length of the leg
} md5_foot_lock_step;

// Returns the horizontal component of a direction with length 1; 0 if it is steeper than 60
// degrees.
md5_vec3 md5i_level_heading(md5_vec3 direction);

// Advances a sole. Its foot must then be moved by lock->shift, and rotated about the sole by the
// angle of lock->half_tangent. If `is_first` or if the state is not finite, starts at the animated
// position.
void md5i_advance_foot_lock(const md5_hold_params *hold, const md5_foot_lock_step *step,
                            bool is_first, md5_foot_lock *lock);

// Returns the horizontal movement of an animated ankle, in id's axes, that locks its sole.
md5_vec3 md5i_locked_ankle_shift(const md5_foot_lock *lock, md5_vec3 ankle, float weight);

// Like md5_solve_feet(), but first moves and rotates the first `num_locks` feet, whose soles are
// locks[num_locks].
uint32_t md5i_solve_locked_feet(const md5_skeleton *skeleton, md5_feet_job *job,
                                const md5_foot_lock *locks, uint32_t num_locks, md5_xform *pose);

#endif
