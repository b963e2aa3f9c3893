// Damped least squares: turns all joints of a rig together, so that several tips come nearer to
// their targets.
#ifndef MD5_IK_LEAST_SQUARES_H
#define MD5_IK_LEAST_SQUARES_H

#include "md5/motion/rig.h"

// A tip and its target.
typedef struct md5_rig_goal {
    uint32_t tip; // of the rig
    md5_vec3d target;
    bool has_rotation;
    md5_quatd rotation;
    double weight; // > 0
    double lever;  // distance error, in units, equivalent to a rotation error of 1 radian
    double left;   // written: distance of the tip from the target
} md5_rig_goal;

// Turns the joints that are not held, within their limits, until each tip is within `tolerance`.
// The weighted sum of squares never ends larger than it began.
void md5i_solve_goals(md5_axes axes, md5_rig *rig, md5_rig_goal *goals, uint32_t num_goals,
                      double tolerance, uint32_t iterations);

// The same for a rig that is one chain.
md5_rig_solver md5i_dls_limited;

#endif
