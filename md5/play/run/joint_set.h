// Some of a pose's joints, as far as a mask says: where one pose is laid over another, or added.
//
// Joints that stand together are taken where they lie. Of few that are scattered there is a list;
// they are brought together first. Either gives the same bits.
#ifndef MD5_PLAY_RUN_JOINT_SET_H
#define MD5_PLAY_RUN_JOINT_SET_H

#include "md5/play/machine.h"

// Blends `other` into `pose`, where the mask says; -1: everywhere.
void md5_blend_over(const md5_machine *machine, int32_t mask, const md5_transform *other,
                    float weight, md5_transform *pose);

// The same the other way round, with a weight of 1: `pose` holds the other pose, and saved[] the
// joints between, in their order, which md5_save_between() took from the one below.
void md5_save_between(const md5_machine *machine, int32_t mask, const md5_transform *pose,
                      md5_transform saved[MD5_MOST_SAVED]);
void md5_blend_saved(const md5_machine *machine, int32_t mask, const md5_transform *saved,
                     md5_transform *pose);

// Writes difference[set->count], of these joints to the reference.
void md5_subtract_joints(const md5_machine *machine, const md5_joint_set *set,
                         const md5_transform *source, int32_t reference, md5_transform *difference);

// Adds difference[set->count] to these joints of `pose`.
void md5_add_joints(const md5_machine *machine, const md5_joint_set *set,
                    const md5_transform *difference, float weight, md5_transform *pose);

// Both at once.
void md5_add_difference_of_joints(const md5_machine *machine, const md5_joint_set *set,
                                  const md5_transform *source, int32_t reference, float weight,
                                  md5_transform *pose);

#endif
