// Baked clips of a kind in a crowd: the level of detail between skinned models and impostors.
// Baked members need neither palettes nor skinning.
//
// A vertex moves in a straight line between two baked frames, but in an arc between two frames of a
// clip. So each clip is measured, and fast ones get several baked frames per frame. A member is
// only baked while no vertex is as far as a pixel from its skinned position, so that the switch
// shows nothing and needs no fading.
#ifndef DEMO_VIEWER_SCENE_BAKES_H
#define DEMO_VIEWER_SCENE_BAKES_H

#include "demo/viewer/scene/upload.h"

typedef struct view_bakes {
    md5gl_baked *clips; // NULL: no member is baked
    md5gl_model *drawn; // a copy of the model: it has instances of its own
    uint32_t *rates;    // [clips] baked frames per frame of the clip
    float *sizes;       // [clips] largest diameter at which a member is baked, pixels

    uint32_t num_instances; // visible members that are baked
    md5gl_baked_job *jobs;  // [num_instances]
    md5_mat34 *placements;  // [num_instances]
    md5_vec4 *tints;        // [num_instances] as view_levels.tints
    bool fades;             // some fade into impostors
} view_bakes;

// What is baked.
typedef struct view_bake_source {
    const char *name; // of the model, for messages
    const md5_model *model;
    const md5_model *drawn;          // the same, or a copy with fewer triangles: which are drawn
    const md5_binding *const *clips; // [num_clips]
    uint32_t num_clips;
    float radius;   // of a sphere that contains the model in every pose, units
    uint32_t count; // members
    float pixels;   // diameter of that sphere up to which members shall be baked
    size_t memory;  // bytes that the baked clips may take
} view_bake_source;

// Bakes and uploads the clips. If they take more than the memory, or if the device refuses them,
// logs a warning and leaves `bakes` zero: the kind stays skinned. Free it in both cases.
void view_make_bakes(view_bakes *bakes, const view_bake_source *source, const md5_threads *threads,
                     const view_loader *loader);
void view_free_bakes(view_bakes *bakes, md5gl_renderer *renderer); // a zeroed one is allowed

// Returns whether a member that plays `clip` at a diameter of `pixels` is baked.
bool view_is_baked(const view_bakes *bakes, uint32_t clip, float pixels);

// Returns the baked frames between which a moment of the clip lies.
md5gl_baked_job view_baked_job(const view_bakes *bakes, uint32_t clip, const md5_moment *moment);

#endif
