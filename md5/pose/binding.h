// The steps that make a binding, for functions that make bindings of different parts: md5_bind()
// and md5_bind_skeleton().
//
// A binding is one block, whose arrays are laid out twice: first to measure it, then, after
// md5i_allocate_binding(), in its memory. Optional arrays are laid out after
// md5i_lay_out_binding().
#ifndef MD5_POSE_BINDING_H
#define MD5_POSE_BINDING_H

#include "md5/core/arena.h"
#include "md5/pose/plan.h"

typedef struct md5_binding_job {
    md5_context context;
    md5_arena arena;
    md5_block block;
    md5_binding found; // what it is made of, with tracks, targets and rebases in the arena
    // In the block:
    md5_binding *binding;
    md5_pose_plan *plan;
    md5_rebase *rebases;
    uint32_t *tracks;   // followed by targets[anim joints]: the model joint of each track
    uint32_t *integers; // of the plan
} md5_binding_job;

// Matches the joints of `parts`, which contain a skeleton, its bind pose and a clip. Returns false,
// with the error set, if they do not fit or if memory runs out.
bool md5i_begin_binding(md5_binding_job *job, const md5_binding *parts, const md5_load_opts *opts,
                        md5_error *error);
void md5i_lay_out_binding(md5_binding_job *job);
bool md5i_allocate_binding(md5_binding_job *job);
void md5i_fill_binding(md5_binding_job *job);

// Frees the scratch memory. Returns the binding, or NULL if its block was not allocated.
md5_binding *md5i_end_binding(md5_binding_job *job);

#endif
