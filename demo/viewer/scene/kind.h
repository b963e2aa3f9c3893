// A kind of character in a crowd: what all of its characters share, and those of them that are in
// sight.
#ifndef DEMO_VIEWER_SCENE_KIND_H
#define DEMO_VIEWER_SCENE_KIND_H

#include "demo/viewer/scene/borrow.h"
#include "demo/viewer/draw/cull.h"
#include "demo/viewer/scene/scene.h"

struct view_state;
struct view_textures;

typedef struct view_kind {
    view_scene own; // model and clips of all kinds but the first, whose are the viewer's
    struct view_textures *own_textures;
    view_borrowed borrowed;

    const md5_model *model;
    const md5_machine *machine; // NULL: it plays clips
    uint32_t num_clips;
    const md5_binding **clips; // [num_clips], where there is no machine
    bool remembers;            // its machine has springs, which swing on out of sight
    view_sphere sphere;        // around any pose, model space

    uint32_t begin, end; // its members
    uint32_t num_seen;
    uint32_t *seen;        // [num_seen] members; they are drawn in this order
    md5_mat34 *palettes;   // [num_seen * joints]
    md5_mat34 *placements; // [num_seen]

    struct md5gl_model *drawn;       // NULL without a renderer
    struct md5gl_clips *gpu_clips;   // on the GPU, which poses it then; NULL: there are palettes
    struct md5gl_clip_job *gpu_jobs; // [num_seen] for it
    const struct view_textures *textures;
} view_kind;

// Sets up a kind of `count` members from `begin` on: of the viewer's scene where there are no
// files, otherwise of these. A model without animations borrows those of `lender`. Returns false,
// having told why; free in both cases.
bool view_make_kind(struct view_state *viewer, view_kind *kind, const char *const *files,
                    size_t num_files, const view_kind *lender, uint32_t begin, uint32_t count);
void view_free_kind(struct view_state *viewer, view_kind *kind); // a zeroed one is allowed

// Bytes of a pose.
size_t view_pose_size(const view_kind *kind);

// Puts a member at the end of those that are seen, or takes away the one at `place`, whose place
// the last one then has. Returns the place.
uint32_t view_show_member(view_kind *kind, uint32_t member);
void view_hide_member(view_kind *kind, uint32_t place);

#endif
