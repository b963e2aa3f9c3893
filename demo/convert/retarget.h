// Motion of one skeleton for a model with another one: other names, proportions and rest pose.
#ifndef DEMO_CONVERT_RETARGET_H
#define DEMO_CONVERT_RETARGET_H

#include "demo/convert/convert.h"
#include "md5/md5pose.h"

// Returns the rotation of a skeleton's space after which x is forward, y left and z up, by its
// limbs; if these are unknown, of a space with y up, z forward and x left. *legs is their length,
// in its units; 0: it has none.
md5_quat convert_measure(const md5_model *model, float *legs);

// Who moves a joint of the model.
typedef struct convert_pair {
    uint32_t source; // MD5_NONE: nothing does
    bool is_mapped;  // a line of the job's maps says so
} convert_pair;

// Returns what transfers poses of one model to another, whose joints are found by names, as in
// convert_retarget_clips(); where those say too little, by equal names. Of the job, which may be
// NULL, maps count. Writes pairs[joints of the target], or NULL. NULL and an error: there are none.
md5_retarget *convert_create_retarget(const convert_job *job, const md5_model *source,
                                      const md5_model *target, convert_pair *pairs,
                                      md5_error *error);

// Brings the scene's clips to the model of job->target, whose part `keeps` adds, or those of a file
// that has a skeleton of its own to the scene's model. Rotations are transferred by the library,
// the root's path is scaled by the length of the legs, feet that stand do so as the model's do in
// its bind pose. A captured motion begins at the model's position and facing its front up to 45
// degrees, in quarter turns. Joints are found by names; job->map has the last word. Fails if too
// few are found.
bool convert_retarget_clips(const convert_job *job, convert_scene *scene, bool keeps,
                            md5_error *error);

#endif
