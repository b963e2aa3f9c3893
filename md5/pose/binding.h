// The steps that create a binding, which md5_bind() and md5_bind_skeleton() share.
//
// A binding is one memory block. The first call of md5i_lay_out_binding() computes the size of the
// block. md5i_allocate_binding() then allocates the block. The second call of
// md5i_lay_out_binding() gets the addresses of the arrays. The callers append optional arrays after
// each call.
#ifndef MD5_POSE_BINDING_H
#define MD5_POSE_BINDING_H

#include "md5/core/arena.h"
#include "md5/pose/plan.h"

// State while a binding is created.
typedef struct md5_binding_job {
    md5_context context;
    md5_arena arena;
    md5_block block;
    md5_binding draft; // the result of matching: tracks, targets and rebases are in the arena
    // Addresses in the block.
    md5_binding *binding;
    md5_pose_plan *plan;
    md5_rebase *rebases;
    uint32_t *tracks;   // [model joints], then targets[anim joints]: the model joint of each track
    uint32_t *integers; // the arrays of the plan
} md5_binding_job;

// Matches the joints of `parts`, which contains a skeleton, its bind pose and a clip. Returns false
// and sets the error if the joints do not match or memory runs out.
bool md5i_begin_binding(md5_binding_job *job, const md5_binding *parts, const md5_load_opts *opts,
                        md5_error *error);
void md5i_lay_out_binding(md5_binding_job *job);
bool md5i_allocate_binding(md5_binding_job *job);

// Writes the binding, its arrays and its plan into the block.
void md5i_fill_binding(md5_binding_job *job);

// Frees the scratch memory. Returns the binding, or NULL if its block was not allocated.
md5_binding *md5i_end_binding(md5_binding_job *job);

#endif
