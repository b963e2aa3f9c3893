// Loads the parts of a scene with the library, so that writers of other formats can pose and skin
// the model. Also reduces the vertices of the model to a form that these formats can store.
#ifndef DEMO_CONVERT_ASSETS_H
#define DEMO_CONVERT_ASSETS_H

#include "demo/convert/convert.h"

// A clip of the scene after loading.
typedef struct convert_clip {
    const convert_part *part;
    const char *name;
    md5_anim *anim;
    md5_binding *binding; // to the model or, without a model, to the skeleton
} convert_clip;

// The vertices of a mesh in the form of most other formats. A vertex has one position and a limited
// number of joints, whose weights have the sum 1. In MD5, each weight has its own position, and the
// number and the sum of the weights are arbitrary.
//
// The conversion therefore causes an error, which is measured.
typedef struct convert_skin {
    uint32_t slots;      // influences per vertex
    uint32_t *joints;    // [num_vertices][slots] largest weight first; 0 if the weight is 0
    float *weights;      // [num_vertices][slots] not negative, sum 1
    md5_vec3 *positions; // [num_vertices] in the bind pose, model space
} convert_skin;

// The loaded parts of a scene, in id's axes and in the units of the files. Missing parts are NULL
// or 0.
typedef struct convert_assets {
    md5_model *model;
    const md5_skeleton *skeleton; // skeleton of the model or, without a model, of the first clip
    const md5_xform *rest;        // [joints] the bind pose, or the base frame of the first clip
    convert_clip *clips;
    size_t num_clips;
    convert_skin *skins; // [num_meshes], created by convert_make_skins()
    md5_morph *morph;    // one target per part of kind CONVERT_TARGET
} convert_assets;

// Loads the model, clips and targets of a scene. Warnings of bindings are reported as notes.
// Returns false if a part cannot be read or does not match the model. The caller must call
// convert_free_assets() in any case.
bool convert_load_assets(const convert_job *job, const convert_scene *scene, convert_assets *assets,
                         md5_error *error);
void convert_free_assets(convert_assets *assets);

// Calls visit() for the frames of all clips, in order. Only frames whose index is a multiple of
// `stride` are visited. `palette` contains a matrix for each joint.
typedef void convert_visit_fn(void *user, size_t clip, uint32_t frame, const md5_mat34 *palette);
void convert_visit_frames(const convert_assets *assets, uint32_t stride, convert_visit_fn *visit,
                          void *user);

// -- Skins ----------------------------------------------------------------------------------------

// Creates the skins [num_meshes] of the model with `slots` (1 to 16) influences per vertex. Does
// nothing without a model.
//
// For vertices with more influences, the weights are fitted to the clips by least squares. In these
// clips, this is more accurate than scaling the largest weights. With job->is_fitted, the weights
// and the positions of all inexact vertices are fitted. Otherwise only weights are fitted, and the
// positions are exact in the bind pose. Notes report the largest error over all frames of all
// clips, and its upper limit in any pose. The time is proportional to the number of inexact
// vertices times the number of frames.
void convert_make_skins(const convert_job *job, convert_assets *assets, uint32_t slots);

// The largest distance between a vertex in MD5 and the same vertex in the written skin. `clip`,
// `frame`, `mesh` and `vertex` are the indices at which it occurs.
typedef struct convert_largest_error {
    double distance; // in units
    size_t clip;
    uint32_t frame;
    uint32_t mesh;
    uint32_t vertex;
} convert_largest_error;

// Replaces *largest by `error` if `error` is larger.
void convert_update_largest_error(convert_largest_error *largest, convert_largest_error error);

// Reports the largest error as a note. Returns true if it is at most 1 % of the model's size.
bool convert_note_largest_error(const convert_job *job, const convert_assets *assets,
                                const convert_largest_error *largest);

// Returns joints and weights as bytes, [drawn vertices of all meshes][2 * slots], in the form of
// md5_pack_influences(). Reports the error as a note. Returns NULL if there are more than 256
// joints.
uint8_t *convert_pack_bytes(const convert_job *job, const md5_model *model, uint32_t slots);

#endif
