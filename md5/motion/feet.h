// Soles that are held where they stand while their animation moves: which are held, and by how much
// each foot is moved and turned. All is level, in id's axes: heights and tilts are the animation's
// and the ground's.
#ifndef MD5_IK_FEET_H
#define MD5_IK_FEET_H

#include "md5/md5pose.h"

// State of one sole.
typedef struct md5_held {
    bool is_held;
    md5_vec3 animated;    // the animated sole, model space
    md5_vec3 place;       // if it is held: where, model space
    md5_vec3 shift, rate; // from the animated sole to the shown one; its velocity; z is 0
    float wait;           // after it was let go on the ground: seconds until it may be held
    float arc;            // meanwhile: largest height of the step
    float lift;           // and by how much the foot is to be lifted for it now
    md5_vec3 facing;      // where the animated sole points: level, of length 1, or 0 if unknown
    md5_vec3 heading;     // where the held one points, or 0 if that is not held
    float turn;           // from `facing` to where the shown one points: tangent of half the angle
    float turn_rate;      // its derivative, 1/s
} md5_held;

typedef struct md5_hold_step {
    float seconds;       // since the last step
    float x, y;          // how the character has moved and turned since:
    float cosine, sine;  // from its old space to the new one, a turn about z before the move
    md5_vec3 sole;       // animated, model space
    md5_vec3 facing;     // where it points, model space
    bool stands, slides; // what the animation has it do; not both
    bool turns;          // the animation turns it while it stands
    md5_vec3 ankle;      // animated, model space
    md5_vec3 leg;        // from the hip to the animated ankle
    float reach;         // largest length of the leg
} md5_hold_step;

// Returns where a direction points: level, of length 1; 0 if it is steeper than 60 degrees.
md5_vec3 md5i_level_facing(md5_vec3 direction);

// Advances a sole: `shift` then is by how much its foot is to be moved, and `turn` by how much it
// is to be turned about the sole. `is_first`: it begins where it is animated; so does a state that
// is not finite.
void md5i_advance_hold(const md5_hold_params *hold, const md5_hold_step *step, bool is_first,
                       md5_held *held);

// Returns by how much an animated ankle, in id's axes, is to be moved for its sole; level.
md5_vec3 md5i_held_shift(const md5_held *held, md5_vec3 ankle, float weight);

// md5_solve_feet() with feet that are moved and turned before they are lifted: the first `num_held`
// of them, whose soles are held[num_held].
uint32_t md5i_solve_held_feet(const md5_skeleton *skeleton, md5_feet_job *job, const md5_held *held,
                              uint32_t num_held, md5_xform *pose);

#endif
