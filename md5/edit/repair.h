// The state of one repair or edit of a document, and functions that several repairs and edits use.
//
// Each function begins with md5i_begin_repair(), which checks the document, and ends with
// md5i_end_repair(). New tables are written into memory that is added to the document's arena. The
// document itself is changed last, when nothing can fail any more. After a failure the added memory
// is freed, and the document is unchanged. md5_edit_root() and md5_fix_axes(), which call
// md5_edit_frames(), free the temporary memory themselves.
#ifndef MD5_EDIT_REPAIR_H
#define MD5_EDIT_REPAIR_H

#include "md5/core/arena.h"
#include "md5/core/math.h"
#include "md5/md5edit.h"

typedef struct md5_repair {
    md5_context context;
    md5_arena arena;         // memory of the document
    md5_arena scratch;       // temporary memory
    md5_arena_mark before;   // end of the document's memory before the repair
    uint64_t num_references; // see md5i_check_doc()
    // Set by md5i_begin_clip().
    md5_anim *anim;
    md5_binding *binding; // to the model, or to the clip's skeleton if no model is given
    md5_xform *pose;      // [joints of the binding] a buffer
} md5_repair;

// All six components of a joint in a frame.
typedef union md5_joint_components {
    float values[6];  // in the order of the flags
    md5_vec3 pair[2]; // position, rotation
} md5_joint_components;

// Checks a document of a kind, and initializes the state. Returns false and sets the error if the
// document is invalid or of another kind. Call md5i_end_repair() in both cases.
bool md5i_begin_repair(md5_repair *repair, const md5_doc *doc, md5_doc_kind kind, md5_error *error);

// Begins a repair of a clip that needs sampled poses. Binds the clip to the model, or to its own
// skeleton if `model` is NULL. Returns false and sets the error on failure. Call md5i_end_repair()
// in both cases.
bool md5i_begin_clip(md5_repair *repair, const md5_doc *doc, const md5_model *model,
                     md5_error *error);

// Frees temporary memory. Returns `count`, the number of changes, or MD5_NONE after a failure. If
// nothing was changed, the memory that was added to the document is also freed.
uint32_t md5i_end_repair(md5_repair *repair, md5_doc *doc, uint32_t count);

// Returns all components of a joint in a frame. `numbers` contains those with a flag. The others
// come from the base frame.
md5_joint_components md5i_read_components(const md5_doc_joint *joint, const float *numbers);

// Writes the components that have a flag. Returns their number.
uint32_t md5i_write_components(const md5_joint_components *all, uint32_t flags, float *to);

// Returns the point of a weight in the bind pose.
md5_vec3 md5i_weight_point(const md5_doc *doc, const md5_weight *weight);

// Writes the positions of all vertices of the document in the bind pose.
void md5i_compute_positions(const md5_doc *doc, md5_vec3 *positions);

// Creates the document `to`. Its joint i is joint old_indices[i] of `doc`, and all other joints are
// removed. Weights, parents and tracks are updated in copies of their arrays. If old_indices[0] is
// MD5_NONE, joint 0 of `to` is a new root, and all former roots become its children.
//
// If `completes_roots`, each root that has a flag for its translation gets the flags of x, y and z,
// and the same for its rotation. The additional components are copied from the base frame. A caller
// needs this if it rotates the frames of the roots afterwards: see map_joints() in edit_space.c.
// Returns false if memory runs out. In edit_joints.c.
bool md5i_rearrange_joints(md5_repair *repair, const md5_doc *doc, const uint32_t *old_indices,
                           uint32_t count, bool completes_roots, md5_doc *to);

// Reverses the vertex order of all triangles, in a copy of the indices. In edit_meshes.c.
bool md5i_flip_triangles(md5_repair *repair, md5_doc_mesh *mesh);

// Returns true if the step from the last frame of a clip to the first continues the motion like a
// step between two frames. `steps` contains the step before it, this step, and the step after it.
// In find_loop.c.
bool md5i_is_regular_step(const md5_vec3 steps[3]);

#endif
