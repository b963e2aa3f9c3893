// Morph targets of the shown model: the .md5mesh files in the folder `morphs` next to it.
#ifndef DEMO_VIEWER_MOTION_MORPHS_H
#define DEMO_VIEWER_MOTION_MORPHS_H

#include "demo/viewer/assets/textures.h"
#include "md5/md5play.h"

// Morph targets, which displace vertices, and their weights. The weight of a target is the sum of
// two weights: one from the option --morph, and one from the machine. All functions accept a zeroed
// structure, which has no targets.
typedef struct view_morphs {
    md5_morph *morph;    // owned; NULL: not loaded
    md5gl_morph *drawn;  // NULL without a renderer
    float *weights;      // [num_targets] weights of the document's character
    float *requested;    // [num_targets] weights of --morph
    uint32_t *driven;    // [num_driven] target of each morph of the machine, or MD5_NONE
    uint32_t num_driven; // number of morphs of the machine
    float *reported;     // [num_driven] memory for the weights that the machine sets
} view_morphs;

// Returns true if a machine controls morph targets. `machine` may be NULL.
bool view_has_driven_morphs(const md5_machine *machine);

// Loads the morph targets of a model and sets the weights of the option --morph. Loads nothing if
// the model or its path is NULL. Warns of missing targets that the machine uses. Returns false and
// logs an error if a file cannot be read or has another topology. With `has_all`, a target of
// --morph that does not exist is also an error. Free the structure in both cases.
bool view_load_morphs(view_morphs *morphs, const char *path, const md5_model *model,
                      const md5_machine *machine, bool has_all, const view_loader *loader);
void view_free_morphs(view_morphs *morphs, md5gl_renderer *renderer);

// Writes weights[num_targets]: the weights of --morph, plus the weights that the player's machine
// sets. `player` may be NULL; reported[num_driven] is scratch memory.
void view_drive_morphs(const view_morphs *morphs, md5_player *player, float *reported,
                       float *weights);

// Returns the maximum displacement of a vertex by targets at weights[num_targets], units. The
// bounds of the skinned model must grow by this distance. If `weights` is NULL, uses the maximum
// weights: the weights of --morph, plus 1 for each target that the machine controls. Returns 0 if
// `morphs` is NULL.
float view_morph_reach(const view_morphs *morphs, const float *weights);

#endif
