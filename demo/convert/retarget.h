// Motion of one skeleton for a model with another one: other names, proportions and rest pose.
#ifndef DEMO_CONVERT_RETARGET_H
#define DEMO_CONVERT_RETARGET_H

#include "demo/convert/convert.h"

// Returns the rotation of a skeleton's space after which x is forward, y left and z up, by its
// limbs; if these are unknown, of a space with y up, z forward and x left. *legs is their length,
// in its units; 0: it has none.
convert_quat convert_measure_motion(const convert_motion *motion, double *legs);

// Adds a clip `name` that moves the model as the motion, whose parents come first, moves its
// skeleton: rotations in model space, relative to a T pose of each; the root's path scaled by the
// length of the legs. Feet that stand do so at the height at which the model's do in its bind pose,
// the path begins at the model's position, and the motion begins facing the model's front up to 45
// degrees, in quarter turns. Joints are found by names; job->map has the last word. Fails if no
// joint is found.
bool convert_retarget(const convert_job *job, const convert_motion *motion, const md5_model *model,
                      convert_scene *scene, const char *name, md5_error *error);

#endif
