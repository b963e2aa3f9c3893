// Retargets clips to a model with another skeleton: other names, proportions and rest pose.
#ifndef DEMO_CONVERT_RETARGET_H
#define DEMO_CONVERT_RETARGET_H

#include "demo/convert/convert.h"
#include "md5/md5pose.h"

// Properties of a skeleton's bind pose.
typedef struct convert_stance {
    // Rotation of the skeleton's space after which x is forward, y left and z up, as its limbs
    // indicate. Without limbs, assumes a space with y up, z forward and x left.
    md5_quat axes;
    float legs;       // mean length of the legs in the model's units, or 0
    bool is_standing; // legs and head point in opposite directions, or one of them is missing
} convert_stance;
convert_stance convert_measure(const md5_model *model);

// The joint of the source that moves a joint of the target.
typedef struct convert_pair {
    uint32_t source; // or MD5_NONE
    bool is_mapped;  // a line of the job's maps defines the pair
} convert_pair;

// Creates a retarget between two models by the joint matching of convert_retarget_clips(). If too
// few roles are found, joints with equal names are matched. `job` provides joint maps and may be
// NULL. Writes pairs[joints of the target] unless `pairs` is NULL. Returns NULL on failure.
md5_retarget *convert_create_retarget(const convert_job *job, const md5_model *source,
                                      const md5_model *target, convert_pair *pairs,
                                      md5_error *error);

// Retargets the scene's clips to the model job->target, which is added to the scene if
// `adds_target`. Without job->target, retargets clips of files with a skeleton to the scene's
// model.
//
// Joints are matched by names and by job->map, which takes precedence. Rotations are transferred by
// md5_retarget_pose(). The path of the root is scaled by the length of the legs. Standing feet are
// placed at the height of the model's feet in the bind pose. A captured motion is moved to the
// model's position and rotated by quarter turns to face forward up to 45 degrees. Fails if too few
// joints are matched.
bool convert_retarget_clips(const convert_job *job, convert_scene *scene, bool adds_target,
                            md5_error *error);

#endif
