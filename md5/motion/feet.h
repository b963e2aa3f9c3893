// Locked soles: a sole that stands is held at its position while the animation moves it. The
// functions decide which soles are held, and compute the horizontal shift and rotation of each
// foot. Heights and tilts are those of the animation and the ground. All vectors are in id's axes.
#ifndef MD5_IK_FEET_H
#define MD5_IK_FEET_H

#include "md5/md5pose.h"

// State of one sole.
typedef struct md5_held {
    bool is_held;
    md5_vec3 animated; // the animated sole, model space
    md5_vec3 place;    // position of a held sole, model space
    md5_vec3 shift;    // from the animated sole to the displayed sole; z is 0
    md5_vec3 rate;     // velocity of `shift`; z is 0
    float wait;        // seconds until a sole that was released on the ground may be held again
    float arc;         // maximum height of the foot during this time
    float lift;        // current height by which the foot is lifted during this time
    md5_vec3 facing;   // horizontal direction of the animated sole, length 1; 0 if unknown
    md5_vec3 heading;  // direction of the held sole; 0 if its direction is not held
    float turn;        // rotation from `facing` to the displayed sole: tangent of half the angle
    float turn_rate;   // derivative of `turn`, 1/s
} md5_held;

typedef struct md5_hold_step {
    float seconds; // since the last step
    // Movement of the character since the last step, which maps its old space to its new space: a
    // rotation about z, then a translation.
    float x;
    float y;
    float cosine;
    float sine;
    md5_vec3 sole;   // animated, model space
    md5_vec3 facing; // direction of the animated sole, model space
    bool stands;     // the sole stands in the animation
    bool slides;     // the sole slides in the animation; not together with `stands`
    bool turns;      // the animation rotates the sole while it stands
    md5_vec3 ankle;  // animated, model space
    md5_vec3 leg;    // from the hip to the animated ankle
    float reach;     // maximum length of the leg
} md5_hold_step;

// Returns the horizontal component of a direction with length 1; 0 if it is steeper than 60
// degrees.
md5_vec3 md5i_level_facing(md5_vec3 direction);

// Advances a sole. Its foot must then be moved by held->shift, and rotated about the sole by
// held->turn. If `is_first` or if the state is not finite, starts at the animated position.
void md5i_advance_hold(const md5_hold_params *hold, const md5_hold_step *step, bool is_first,
                       md5_held *held);

// Returns the horizontal movement of an animated ankle, in id's axes, that locks its sole.
md5_vec3 md5i_held_shift(const md5_held *held, md5_vec3 ankle, float weight);

// Like md5_solve_feet(), but first moves and rotates the first `num_held` feet, whose soles are
// held[num_held].
uint32_t md5i_solve_held_feet(const md5_skeleton *skeleton, md5_feet_job *job, const md5_held *held,
                              uint32_t num_held, md5_xform *pose);

#endif
