// Foot locks keep soles at their positions while the animation moves them. The functions decide
// which soles are locked, and compute the horizontal shift and the rotation of each foot. They do
// not change heights and tilts, which follow the animation and the ground. All vectors are in id's
// axes.
#ifndef MD5_MOTION_FEET_H
#define MD5_MOTION_FEET_H

#include "md5/md5pose.h"

// State of one sole. The displayed sole differs from the animated sole by `shift` and by a rotation
// about the vertical axis. While the sole is locked, shift and rotation compensate the movement of
// the animation. After its release, both return to 0 like critically damped springs.
typedef struct md5_foot_lock {
    bool is_locked;
    md5_vec3 animated_sole;  // position, model space
    md5_vec3 position;       // position at which the sole is locked, model space
    md5_vec3 shift;          // from the animated sole to the displayed sole; z is 0
    md5_vec3 shift_velocity; // z is 0

    // If a sole is released on the ground, the foot makes a step back to the animated position.
    float relock_delay; // seconds until the sole may be locked again
    float step_height;  // maximum height of the foot in this step
    float lift;         // current height of the foot in this step

    md5_vec3 animated_heading; // horizontal direction of the animated sole, length 1; 0 if unknown
    md5_vec3 locked_heading;   // direction at which the sole is locked; 0 if its direction is not
                               // locked
    float half_tangent;        // tangent of half of the angle from the animated to the displayed
                               // sole
    float half_tangent_rate;   // derivative of half_tangent, 1/s
} md5_foot_lock;

// Input of one update of a foot lock: how the character and one of its soles have moved in the
// animation since the previous update.
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

// Returns the direction of the horizontal component of a direction, with length 1. Returns 0 if the
// direction is steeper than 60 degrees, because its heading is then unreliable.
md5_vec3 md5i_level_heading(md5_vec3 direction);

// Advances the lock of a sole. The caller must then move the foot by lock->shift, and rotate it
// about the sole by the angle of lock->half_tangent. If `is_first` is true or the state is not
// finite, the sole starts at the animated position.
void md5i_advance_foot_lock(const md5_hold_params *hold, const md5_foot_lock_step *step,
                            bool is_first, md5_foot_lock *lock);

// Returns the horizontal movement of an animated ankle that brings its sole to the locked position.
// In id's axes.
md5_vec3 md5i_locked_ankle_shift(const md5_foot_lock *lock, md5_vec3 ankle, float weight);

// Like md5_solve_feet(), but first applies foot locks: moves and rotates the first `num_locks` feet
// of the job. locks[i] is the lock of foot i.
uint32_t md5i_solve_locked_feet(const md5_skeleton *skeleton, md5_feet_job *job,
                                const md5_foot_lock *locks, uint32_t num_locks, md5_xform *pose);

#endif
