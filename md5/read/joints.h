// The joints of a file, and an order in which every parent comes before its children.
#ifndef MD5_READ_JOINTS_H
#define MD5_READ_JOINTS_H

#include "md5/read/lex.h"

typedef struct md5_file_joint {
    md5_span name;
    uint32_t at;    // where the text names it
    int32_t parent; // -1 or below the number of joints
} md5_file_joint;

// Reads a parent: any negative number is a root; one out of range is an error.
bool md5_read_parent(md5_lex *lex, uint32_t num_joints, int32_t *parent);

// ( x y z ): x y z of a rotation, as they stand there. Warns if they are longer than 1.
bool md5_read_rotation(md5_lex *lex, md5_vec3 *rotation);

// ( x y z ) ( x y z ): translation and rotation.
bool md5_read_transform(md5_lex *lex, md5_transform *transform);

// Warns of `count` rotations that are too long, of which `rotation` is the first, at `at`.
void md5_warn_overlong(md5_lex *lex, const char *at, md5_vec3 rotation, uint32_t count);

// Writes order[num_joints], allocated in the arena: roots, their children, the children of those,
// so that the next joint seldom waits for the last one to be placed. Warns of each joint that
// stands before its parent; a joint that is its own ancestor is an error. Linear, without
// recursion.
bool md5_order_joints(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints,
                      const uint32_t **order);

#endif
