// Morph targets of the shown model: the .md5mesh files in the folder `morphs` beside it.
#ifndef DEMO_VIEWER_SCENE_MORPHS_H
#define DEMO_VIEWER_SCENE_MORPHS_H

#include "demo/viewer/scene/upload.h"

// Weights are those of --morph, or of the page that is open. An empty one, all 0, is allowed
// everywhere.
typedef struct view_morphs {
    md5_morph *morph;   // owned; NULL: none were loaded
    md5gl_morph *drawn; // NULL without a renderer
    float *weights;     // [num_targets] of the document's character
} view_morphs;

// Loads the targets beside the model of a scene, and sets the weights of --morph. Returns false and
// logs an error if a file cannot be read or has another topology, or if a named target does not
// exist. Free in both cases.
bool view_load_morphs(view_morphs *morphs, const view_scene *scene, const view_loader *loader);
void view_free_morphs(view_morphs *morphs, md5gl_renderer *renderer);

// Sets the weights of the character on the GPU. `drawn` may be NULL.
bool view_set_morphs(const view_morphs *morphs, md5gl_renderer *renderer, md5gl_model *drawn,
                     md5_error *error);

// Returns the names of the targets in one line, for messages; free() it.
char *view_name_morphs(const view_morphs *morphs);

#endif
