// The model and clips of a scene as assets of the library, which writers of other formats pose and
// skin.
#ifndef DEMO_CONVERT_ASSETS_H
#define DEMO_CONVERT_ASSETS_H

#include "demo/convert/convert.h"
#include "md5/md5skin.h"

typedef struct convert_clip {
    const convert_part *part;
    const char *name;
    md5_anim *anim;
    md5_binding *binding; // to the model or, without one, to the skeleton
} convert_clip;

// In id's axes and the files' units. What the scene lacks is NULL or 0.
typedef struct convert_assets {
    md5_model *model;
    const md5_skeleton *skeleton; // of the model or, without one, of the first clip
    const md5_xform *rest;        // [joints] of it: the bind pose, or the clip's base frame
    convert_clip *clips;
    size_t num_clips;
    md5_morph *morph; // with a target for each part that is one
} convert_assets;

// Loads the model and clips of a scene; convert_load_targets() its targets. Warnings of binding are
// notes. Returns false if one cannot be read or does not fit the model; then too
// convert_free_assets() frees what there is.
bool convert_load_assets(const convert_job *job, const convert_scene *scene, convert_assets *assets,
                         md5_error *error);
bool convert_load_targets(const convert_scene *scene, convert_assets *assets, md5_error *error);
void convert_free_assets(convert_assets *assets);

// Calls visit() with the palette [joints] of every `stride`th frame of each clip of the model, in
// order.
typedef void convert_visit_fn(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette);
void convert_visit_frames(const convert_assets *assets, uint32_t stride, convert_visit_fn *visit,
                          void *user);

#endif
