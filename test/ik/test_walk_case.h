// models/thimble on its six legs.
#ifndef TEST_IK_TEST_WALK_CASE_H
#define TEST_IK_TEST_WALK_CASE_H

#include "md5/md5pose.h"

typedef struct walk_case {
    md5_model *model;
    md5_leg legs[6]; // 1 to 3 on the left, then on the right
    md5_walk_desc desc;
    md5_walk walk;
    md5_xform *pose;     // [num_joints]
    md5_mat34 *joints;   // [num_joints]
    uint32_t num_placed; // by walk_pose()
} walk_case;

// NULL if the model cannot be read.
walk_case *walk_new(md5_axes axes, md5_terrain_fn *terrain);
void walk_free(walk_case *of); // NULL is allowed
// Writes the bind pose, with the walk applied.
void walk_pose(walk_case *of);

// Ground of waves, at most 1.5 units high, id's axes.
float walk_waves(void *user, md5_vec3 at, md5_vec3 *normal);

#endif
