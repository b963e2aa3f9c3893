// A kind of character in a crowd: what all of its characters share, and those of them that are in
// sight.
#ifndef DEMO_VIEWER_SCENE_KIND_H
#define DEMO_VIEWER_SCENE_KIND_H

#include "demo/viewer/scene/borrow.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/scene/scene.h"
#include "demo/viewer/scene/upload.h"

// The first kind of a crowd is the document's scene; it refers to it and does not own it.
typedef struct view_kind_source {
    const view_scene *scene;
    md5gl_model *drawn;
    const view_textures *textures;
} view_kind_source;

typedef struct view_kind {
    view_scene own; // model and clips of all kinds but the first, whose are the viewer's
    view_textures *own_textures;
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

    md5gl_model *drawn;       // NULL without a renderer
    md5gl_clips *gpu_clips;   // on the GPU, which poses it then; NULL: there are palettes
    md5gl_clip_job *gpu_jobs; // [num_seen] for it
    const view_textures *textures;
} view_kind;

// Sets up a kind of `count` members from `begin` on: of `first` if there are no files, otherwise of
// these. A model without animations borrows those of `lender`. Returns false, having logged an
// error; free in both cases.
bool view_make_kind(view_kind *kind, const view_kind_source *first, const char *const *files,
                    size_t num_files, const view_kind *lender, uint32_t begin, uint32_t count,
                    const view_loader *loader);
void view_free_kind(view_kind *kind, md5gl_renderer *renderer); // a zeroed one is allowed

// Bytes of a pose.
size_t view_pose_size(const view_kind *kind);

// Puts a member at the end of those that are seen, or takes away the one at `place`, whose place
// the last one then has. Returns the place.
uint32_t view_show_member(view_kind *kind, uint32_t member);
void view_hide_member(view_kind *kind, uint32_t place);

#endif
