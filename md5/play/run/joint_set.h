// Blends and adds poses for some joints only, weighted by a mask.
//
// Adjacent joints are processed in place. A few scattered joints are listed; they are gathered
// first. Both give the same bits.
#ifndef MD5_PLAY_RUN_JOINT_SET_H
#define MD5_PLAY_RUN_JOINT_SET_H

#include "md5/play/machine.h"

// Whether a run has joints between the first and the last one of a set that is not listed.
static inline bool md5_meets(md5_joint_run run, const md5_joint_set *set)
{
    return run.first < set->first + set->count && set->first < run.first + run.count;
}

// Blends `other` over `pose` by mask and weight; mask -1: all joints. Of a level of detail, if one
// is given, only the runs: other joints need not be defined.
void md5i_blend_over(const md5_machine *machine, const md5_detail_set *detail, int32_t mask,
                     const md5_xform *other, float weight, md5_xform *pose);

// md5_blend_poses() of all joints, or of the runs of a level of detail.
void md5i_blend_all(const md5_machine *machine, const md5_detail_set *detail, const md5_xform *from,
                    const md5_xform *to, float weight, md5_xform *pose);

// md5i_blend_over() with weight 1 and exchanged roles: `pose` holds the upper pose, and saved[] the
// joints of partial mask weight of the lower one, as stored by md5i_save_between().
void md5i_save_between(const md5_machine *machine, int32_t mask, const md5_xform *pose,
                       md5_xform saved[MD5_MOST_SAVED]);
void md5i_blend_saved(const md5_machine *machine, int32_t mask, const md5_xform *saved,
                      md5_xform *pose);

// Writes difference[set->count], of these joints to the reference.
void md5i_subtract_joints(const md5_machine *machine, const md5_joint_set *set,
                          const md5_xform *source, int32_t reference, md5_xform *difference);

// Adds difference[set->count] to these joints of `pose`.
void md5i_add_joints(const md5_machine *machine, const md5_joint_set *set,
                     const md5_xform *difference, float weight, md5_xform *pose);

// md5i_subtract_joints() and md5i_add_joints() in one call.
void md5i_add_difference_of_joints(const md5_machine *machine, const md5_joint_set *set,
                                   const md5_xform *source, int32_t reference, float weight,
                                   md5_xform *pose);

#endif
