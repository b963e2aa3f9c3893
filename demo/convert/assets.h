// The model and clips of a scene as assets of the library, which writers of other formats pose and
// skin.
#ifndef DEMO_CONVERT_ASSETS_H
#define DEMO_CONVERT_ASSETS_H

#include "demo/convert/convert.h"

typedef struct convert_clip {
    const convert_part *part;
    const char *name;
    md5_anim *anim;
    md5_binding *binding; // to the model or, without one, to the skeleton
} convert_clip;

// Vertices as other formats can skin them: one point for all joints of a vertex, a limited number
// of them, weights that sum to 1. MD5 has a point for each weight, any number of them, and any sum;
// what is lost is measured.
typedef struct convert_skin { // of one mesh
    uint32_t slots;           // influences of a vertex
    uint32_t *joints;         // [num_vertices][slots] largest weight first; 0 where that is 0
    float *weights;           // [num_vertices][slots] not negative, sum 1
    md5_vec3 *positions;      // [num_vertices] bind pose, model space
} convert_skin;

// In id's axes and the files' units. What the scene lacks is NULL or 0.
typedef struct convert_assets {
    md5_model *model;
    const md5_skeleton *skeleton; // of the model or, without one, of the first clip
    const md5_xform *rest;        // [joints] of it: the bind pose, or the clip's base frame
    convert_clip *clips;
    size_t num_clips;
    convert_skin *skins; // [num_meshes] of convert_make_skins()
    md5_morph *morph;    // with a target for each part that is one
} convert_assets;

// Loads the model, clips and targets of a scene. Warnings of binding are notes. Returns false if
// one cannot be read or does not fit the model; then too convert_free_assets() frees what there is.
bool convert_load_assets(const convert_job *job, const convert_scene *scene, convert_assets *assets,
                         md5_error *error);
void convert_free_assets(convert_assets *assets);

// Calls visit() with the palette [joints] of every `stride`th frame of each clip of the model, in
// order.
typedef void convert_visit_fn(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette);
void convert_visit_frames(const convert_assets *assets, uint32_t stride, convert_visit_fn *visit,
                          void *user);

// -- Skins ----------------------------------------------------------------------------------------

// Makes the skins [num_meshes] of the model, with `slots` (1 to 16) influences. Weights of vertices
// that have more are fitted to the clips by least squares: where a clip poses its joints, they
// are nearer to what MD5 has than the largest ones scaled. With job->is_fitted so are weights and
// positions of all vertices that are not exact; else positions are exact in the bind pose. The
// largest error over all frames of all clips is a note, and its bound for any pose. Time is that of
// the vertices which are not exact, times frames. Without a model there are none.
void convert_make_skins(const convert_job *job, convert_assets *assets, uint32_t slots);

typedef struct convert_worst { // the largest error
    double distance;           // in units
    size_t clip;
    uint32_t frame;
    uint32_t mesh;
    uint32_t vertex;
} convert_worst;

// Makes *worst the larger one.
void convert_find_worst(convert_worst *worst, convert_worst other);

// Notes it. Returns whether it is 1 % of the model's size at most.
bool convert_note_worst(const convert_job *job, const convert_assets *assets,
                        const convert_worst *worst);

// Returns joints and weights in bytes, [drawn vertices of all meshes][2 * slots], as
// md5_pack_influences() packs them; what that loses is noted. NULL: there are more than 256 joints.
uint8_t *convert_pack_bytes(const convert_job *job, const md5_model *model, uint32_t slots);

#endif
