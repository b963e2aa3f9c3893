// Soles that are held where they stand while their animation moves: which are held, and by how much
// each foot is moved. All is level, in id's axes: heights are the animation's and the ground's.
#ifndef MD5_IK_HOLD_H
#define MD5_IK_HOLD_H

#include "md5/md5pose.h"

// Numbers of md5_hold_rule (md5machine.h).
typedef struct md5_hold {
    float height, speed, distance, release; // units, units/s, units, seconds
} md5_hold;

// State of one sole.
typedef struct md5_held {
    bool is_held;
    md5_vec3 animated;    // the animated sole, model space
    md5_vec3 place;       // if it is held: where, model space
    md5_vec3 shift, rate; // from the animated sole to the shown one; its velocity; z is 0
    float wait;           // after it was let go on the ground: seconds until it may be held
    float arc;            // meanwhile: largest height of the step
    float lift;           // and by how much the foot is to be lifted for it now
} md5_held;

typedef struct md5_hold_step {
    float seconds;       // since the last step
    float x, y;          // how the character has moved and turned since:
    float cosine, sine;  // from its old space to the new one, a turn about z before the move
    md5_vec3 sole;       // animated, model space
    bool stands, slides; // what the animation has it do; not both
    md5_vec3 leg;        // from the hip to the animated ankle
    float reach;         // largest length of the leg
} md5_hold_step;

// Advances a sole: `shift` then is by how much its foot is to be moved. `is_first`: it begins where
// it is animated; so does a state that is not finite.
void md5_advance_hold(const md5_hold *hold, const md5_hold_step *step, bool is_first,
                      md5_held *held);

// md5_place_feet() with feet that are moved by shifts[num_feet], in id's axes, before they are
// lifted; the first `num_held` of them, and NULL is none.
uint32_t md5_place_held_feet(const md5_skeleton *skeleton, md5_transform *pose, uint32_t pelvis,
                             md5_foot *feet, uint32_t num_feet, const md5_held *held,
                             uint32_t num_held, float *drop, float smoothing, float seconds,
                             float weight);

#endif
