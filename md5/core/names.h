// Matches the joints of two skeletons by name. Sorts names, so that a name is found in logarithmic
// time.
#ifndef MD5_CORE_NAMES_H
#define MD5_CORE_NAMES_H

#include "md5/core/lex.h"

// Fills tracks[model joints] and targets[anim joints] with the joint of the other skeleton that has
// the same name, or MD5_NONE. Returns false and sets the context's error if memory runs out.
bool md5i_match_joints(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                       uint32_t *tracks, uint32_t *targets);

// An entry of a sorted list of names.
typedef struct md5_sorted_name {
    md5_span name;
    uint32_t number; // index of the named object
    uint32_t hash;   // compared before the names; 0 if names are sorted alphabetically
} md5_sorted_name;

// Sorts by name, and keeps the order of equal names. Returns the sorted array, which is `names` or
// an array of the arena. Returns NULL and sets the context's error if memory runs out. Also returns
// NULL if `names` is NULL.
md5_sorted_name *md5i_sort_names(md5_arena *arena, md5_sorted_name *names, size_t count);

// Returns the sorted names of the joints, in an array of the arena.
const md5_sorted_name *md5i_sort_joint_names(md5_arena *arena, const md5_skeleton *skeleton);

// Returns the first entry of a name in sorted `names`, or NULL.
const md5_sorted_name *md5i_find_sorted_name(const md5_sorted_name *names, size_t count,
                                             md5_span name);

#endif
