// Reduced models of a kind in a crowd: the same vertices with fewer triangles, for members that are
// small in the picture, and for the casters of shadows.
#ifndef DEMO_VIEWER_SCENE_DETAILS_H
#define DEMO_VIEWER_SCENE_DETAILS_H

#include "demo/viewer/scene/upload.h"

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

typedef struct view_detail_source {
    const md5_model *model;
    md5gl_model *drawn;
    float radius;   // of a sphere that contains the model in every pose, units
    uint32_t count; // members
    float pixels;   // diameter of that sphere up to which members shall be reduced
    float texel;    // side of a texel of the shadow map, units
} view_detail_source;

// Makes and uploads the models. The surface of each moves by less than a pixel. If the
// device refuses them, logs a warning and leaves `details` zero. Free it in both cases.
void view_make_details(view_details *details, const view_detail_source *source,
                       const md5_threads *threads, const view_loader *loader);
void view_free_details(view_details *details, md5gl_renderer *renderer); // a zeroed one is allowed

// Shows or hides a mesh of all levels but the kind's own model.
void view_show_detail_mesh(const view_details *details, uint32_t mesh, bool visible);

// Returns the index of the level as which a member of a diameter of `pixels` is drawn.
uint32_t view_detail_at(const view_details *details, float pixels);

#endif
