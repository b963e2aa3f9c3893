// Bare meshes with skeletons, to be bound automatically.
#ifndef TEST_SKIN_TEST_BIND_CASE_H
#define TEST_SKIN_TEST_BIND_CASE_H

#include "md5/md5skin.h"

enum { BIND_POSITIONS = 4096, BIND_TRIANGLES = 8192, BIND_JOINTS = 8 };

typedef struct bind_case {
    md5_vec3 positions[BIND_POSITIONS];
    uint32_t indices[3 * BIND_TRIANGLES];
    md5_joint joints[BIND_JOINTS];
    uint32_t order[BIND_JOINTS];
    md5_mat34 bind[BIND_JOINTS];
    md5_skeleton skeleton;
    md5_weights_desc desc;
} bind_case;

// An empty case; the caller frees it.
bind_case *bind_new(void);
// Adds a joint that is not rotated. Returns its index.
uint32_t bind_add_joint(bind_case *to, uint32_t parent, md5_vec3 at);
uint32_t bind_add_position(bind_case *to, md5_vec3 at);
void bind_add_triangle(bind_case *to, uint32_t a, uint32_t b, uint32_t c);
// Adds a closed box, each side cut into `cuts` times `cuts` squares. Each side has positions of
// its own.
void bind_add_box(bind_case *to, md5_vec3 low, md5_vec3 high, uint32_t cuts);
// Adds a tube of radius 1 along x from 0 to `length` in rings of 24 at distances of 1/4, with or
// without ends.
void bind_add_tube(bind_case *to, float length, bool is_closed);

// The weight of a joint on a vertex; 0 if it has none.
double bind_weight(const md5_weights *weights, uint32_t vertex, uint32_t joint);

// The distance of a point from a segment, in double.
double bind_distance(md5_vec3 point, md5_vec3 from, md5_vec3 to);

#endif
