// Morph targets of the shown model: the .md5mesh files in the folder `morphs` beside it.
#ifndef DEMO_VIEWER_MOTION_MORPHS_H
#define DEMO_VIEWER_MOTION_MORPHS_H

#include "demo/viewer/assets/textures.h"
#include "md5/md5play.h"

// Weights are those of --morph, plus those that the machine drives. An empty one, all 0, is allowed
// everywhere.
typedef struct view_morphs {
    md5_morph *morph;    // owned; NULL: none were loaded
    md5gl_morph *drawn;  // NULL without a renderer
    float *weights;      // [num_targets] of the document's character
    float *asked;        // [num_targets] of --morph
    uint32_t *driven;    // [num_driven] the target of each morph of the machine, or MD5_NONE
    uint32_t num_driven; // of the machine; 0: it drives none
    float *reported;     // [num_driven] scratch memory
} view_morphs;

// Whether a machine, which may be NULL, drives morph targets.
bool view_has_driven_morphs(const md5_machine *machine);

// Loads the targets beside a model, unless that or its path is NULL, and sets the weights of
// --morph. Warns of targets that the machine drives and that are not there. Returns false and logs
// an error if a file cannot be read or has another topology, or, if it `has_all`, if there is no
// target of a name of
// --morph. Free in both cases.
bool view_load_morphs(view_morphs *morphs, const char *path, const md5_model *model,
                      const md5_machine *machine, bool has_all, const view_loader *loader);
void view_free_morphs(view_morphs *morphs, md5gl_renderer *renderer);

// Writes weights[num_targets]: those of --morph, plus those that the player's machine drives.
// `player` may be NULL; reported[num_driven] is scratch memory.
void view_drive_morphs(const view_morphs *morphs, md5_player *player, float *reported,
                       float *weights);

// Returns how far targets at weights[num_targets] may move a vertex, in units: skinned bounds grow
// by this. Without weights, at the largest ones: those of --morph, plus 1 for each target that the
// machine drives. `morphs` may be NULL: 0.
float view_morph_reach(const view_morphs *morphs, const float *weights);

#endif
