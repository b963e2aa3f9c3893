// The joints of a file, and an order in which every parent comes before its children.
#ifndef MD5_READ_JOINTS_H
#define MD5_READ_JOINTS_H

#include "md5/core/lex_values.h"

typedef struct md5_file_joint {
    md5_span name;
    uint32_t at;    // byte offset of the joint in the text
    int32_t parent; // -1 or below the number of joints
} md5_file_joint;

// Reads a parent: any negative number is a root; one out of range is an error.
bool md5i_read_parent(md5_lex *lex, uint32_t num_joints, int32_t *parent);

// Reads ( x y z ) of a rotation, unchanged. Warns if they are longer than 1.
bool md5i_read_rotation(md5_lex *lex, md5_vec3 *rotation);

// Reads ( x y z ) ( x y z ): translation and rotation.
bool md5i_read_transform(md5_lex *lex, md5_xform *transform);

// Warns of `count` rotations longer than 1. `rotation` is the first of them, at `at`.
void md5i_warn_overlong(md5_lex *lex, const char *at, md5_vec3 rotation, uint32_t count);

// Writes order[num_joints], allocated in the arena: roots, their children, the children of those,
// so that computing a joint seldom waits for the result of the previous one. Warns of each joint
// that comes before its parent. A joint that is its own ancestor is an error. Linear, no recursion.
bool md5i_order_joints(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints,
                       const uint32_t **order);

#endif
