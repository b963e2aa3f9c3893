// Baked clips of a kind in a crowd: the level of detail between skinned models and impostors.
// Baked members need neither palettes nor skinning.
//
// A vertex moves in a straight line between two baked frames, but in an arc between two frames of a
// clip. So each clip is measured, and fast ones get several baked frames per frame. A member is
// only baked while no vertex is as far as a pixel from its skinned position, so that the switch
// shows nothing and needs no fading.
#ifndef DEMO_VIEWER_CROWD_DETAILS_H
#define DEMO_VIEWER_CROWD_DETAILS_H

#include "demo/viewer/base/math.h"
#include "demo/viewer/assets/textures.h"
#include "render/md5gl_game.h"

typedef struct view_bakes {
    md5gl_baked *clips; // NULL: no member is baked
    md5gl_model *drawn; // a copy of the model: it has instances of its own
    uint32_t *rates;    // [clips] baked frames per frame of the clip
    float *sizes;       // [clips] largest diameter at which a member is baked, pixels

    uint32_t num_instances; // visible members that are baked
    md5gl_clip_job *jobs;   // [num_instances]
    md5_mat34 *placements;  // [num_instances]
    md5_vec4 *tints;        // [num_instances] as view_levels.tints
    bool fades;             // some fade into impostors
} view_bakes;

struct view_kind;

// Bakes and uploads the clips for members up to a diameter of `pixels`, from the triangles of the
// detail that these have. If they take more than `memory` bytes, or if the device refuses them,
// logs a warning and leaves kind->bakes zero: the kind stays skinned.
void view_bake_kind(struct view_kind *kind, float pixels, size_t memory, const md5_threads *threads,
                    const view_loader *loader);

// Returns whether a member that plays `clip` at a diameter of `pixels` is baked.
bool view_is_baked(const view_bakes *bakes, uint32_t clip, float pixels);

// Returns the baked frames between which a moment of the clip lies.
md5gl_clip_job view_baked_job(const view_bakes *bakes, uint32_t clip, const md5_moment *moment);

// -- Impostors -----------------------------------------------------------------------------------
//
// Levels of detail of a kind in a crowd: impostors for its small members. Their pictures are drawn
// later, a few before each frame (draw/levels.h).

typedef struct view_levels {
    md5gl_impostors *impostors; // NULL: every member is drawn as a model
    uint32_t num_clips;
    uint32_t *first; // [num_clips + 1] index of each clip's first picture; then their total number
    uint32_t num_drawn; // pictures drawn since `look` changed, in the order of drawing
    uint32_t look;      // display settings of the pictures, as bits

    md5gl_impostor *instances; // [num_instances], visible members that are drawn as impostors
    uint32_t num_instances;
    md5_vec4 *tints; // [num_seen]; alpha = 1 + the share of pixels that the impostor shows
} view_levels;

// Sets up impostors of the clips of a kind. `num_kinds` kinds share the memory. Returns false and
// logs an error on failure.
bool view_make_levels(struct view_kind *kind, uint32_t num_kinds, const view_loader *loader);

// Number of pictures of all clips, and of one clip.
uint32_t view_count_pictures(const view_levels *levels);
uint32_t view_count_clip_pictures(const view_levels *levels, uint32_t clip);

// Returns the picture of a clip at `seconds`, wrapped into its duration; the nearest earlier one if
// that is not drawn yet.
uint32_t view_picture_at(const view_levels *levels, uint32_t clip, const md5_anim *anim,
                         double seconds);

// -- Details -------------------------------------------------------------------------------------
//
// Reduced models of a kind in a crowd: the same vertices with fewer triangles, for members that are
// small in the picture, and for the casters of shadows.

enum { VIEW_NUM_DETAILS = 5 };

// A model of a kind, and the visible members that are drawn as it.
typedef struct view_detail {
    md5_model *model;   // a copy of the kind's with fewer triangles; NULL: the kind's own
    md5gl_model *drawn; // NULL: no better than the one before, which is drawn instead
    float pixels;       // members up to this diameter have this detail or a coarser one
    uint32_t first, num_instances; // in the arrays of view_details
} view_detail;

// A visible member, to sort them by size.
typedef struct view_sized {
    float pixels;
    uint32_t seen_at;
} view_sized;

typedef struct view_details {
    uint32_t count;                           // 0: every member is drawn from all triangles
    view_detail levels[1 + VIEW_NUM_DETAILS]; // from fine to coarse; the first is the kind's model
    md5gl_model *casters; // of the shadows of all visible members; NULL: the levels are

    // The visible members, level by level and from near to far.
    view_sized *order;
    md5_mat34 *palettes; // joints of each
    md5_mat34 *placements;
    md5_vec4 *tints; // as view_levels.tints
} view_details;

// Makes and uploads the models, for members up to a diameter of `pixels`; `texel`: side of a texel
// of the shadow map, units. The surface of each moves by less than a pixel. If the device refuses
// them, logs a warning and leaves kind->details zero.
void view_make_details(struct view_kind *kind, float pixels, float texel,
                       const md5_threads *threads, const view_loader *loader);

// Frees bakes, levels and details of a kind; zeroed ones are allowed.
void view_free_levels(struct view_kind *kind, md5gl_renderer *renderer);

// Shows or hides a mesh of all levels but the kind's own model.
void view_show_detail_mesh(const view_details *details, uint32_t mesh, bool visible);

// Returns the index of the level as which a member of a diameter of `pixels` is drawn.
uint32_t view_detail_at(const view_details *details, float pixels);

#endif
