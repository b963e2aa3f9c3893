// Retargets the clips of one model to another with other proportions. This happens once, at load,
// so playback costs no more than that of any clip.
#ifndef DEMO_VIEWER_CROWD_KIND_H
#define DEMO_VIEWER_CROWD_KIND_H

#include "demo/viewer/base/math.h"
#include "demo/viewer/crowd/details.h"
#include "demo/viewer/motion/morphs.h"
#include "demo/viewer/motion/scene.h"
#include "md5/md5model.h"
#include "md5/md5play.h"

// Retargeted clips, and the source's machine that plays them, or NULL.
typedef struct view_retargeted {
    uint32_t num_clips;
    md5_anim **anims;       // [num_clips]
    md5_binding **bindings; // [num_clips]
    md5_machine *machine;
} view_retargeted;

// Retargets the clips of bindings[count], all of one model, to `model`. If `desc` is not NULL, also
// creates its machine; bindings[i] is then the binding of its clip i. Returns false and fills
// `error` if the models have no joints in common or the machine names joints that `model` lacks.
bool view_retarget_clips(view_retargeted *retargeted, const md5_model *model,
                         const md5_binding *const *bindings, uint32_t count,
                         const md5_machine_desc *desc, md5_error *error);
void view_free_retargeted(view_retargeted *retargeted); // a zeroed one is allowed

// -- Kinds ---------------------------------------------------------------------------------------
//
// A kind of character in a crowd: the model, clips and bounds that its members share, and the
// arrays of its visible members.

// The first kind of a crowd refers to the document's scene and does not own it.
typedef struct view_kind_source {
    const view_scene *scene;
    md5gl_model *drawn;
    const view_textures *textures;
    const view_morphs *morphs; // or NULL
} view_kind_source;

typedef struct view_kind {
    view_scene own; // model and clips; empty in the first kind, which uses the document's
    view_textures *own_textures;
    view_retargeted retargeted;
    view_morphs own_morphs; // empty in the first kind

    const char *name; // of the model, for messages
    const md5_model *model;
    const md5_machine *machine; // NULL: it plays clips
    uint32_t num_clips;
    const md5_binding **clips; // [num_clips], if there is no machine
    bool has_springs;          // its machine has springs, which must be updated while culled
    view_sphere sphere;        // around any pose, model space

    uint32_t begin, end; // range of its members
    uint32_t num_seen;
    uint32_t *seen;        // [num_seen] members; they are drawn in this order
    md5_mat34 *palettes;   // [num_seen * joints]
    md5_mat34 *placements; // [num_seen]

    md5gl_model *drawn; // NULL without a renderer
    const view_textures *textures;
    const view_morphs *morphs; // morph targets of the members, or NULL
    float *morph_weights;      // [num_seen * targets]
    float *reported;           // [num_seen * morphs of the machine] scratch memory
    view_details details;
    view_bakes bakes;
    view_levels levels;
} view_kind;

// Sets up a kind of `count` members from index `begin`: from `first` if num_files is 0, otherwise
// from `files`. The clips of `source` are retargeted to a model without animations. Returns false
// and logs an error on failure; free in both cases.
bool view_make_kind(view_kind *kind, const view_kind_source *first, const char *const *files,
                    size_t num_files, const view_kind *source, uint32_t begin, uint32_t count,
                    const view_loader *loader);
void view_free_kind(view_kind *kind, md5gl_renderer *renderer); // a zeroed one is allowed

// Size of a pose in bytes.
size_t view_pose_size(const view_kind *kind);

// Appends a member to the visible ones and returns its index, or removes the one at index `place`,
// to which the last one moves.
uint32_t view_show_member(view_kind *kind, uint32_t member);
void view_hide_member(view_kind *kind, uint32_t place);

#endif
