// A document: everything that opening files brings to the screen. It is built completely before it
// replaces the one that is shown, so that files which cannot be opened change nothing.
#ifndef DEMO_VIEWER_SCENE_DOCUMENT_H
#define DEMO_VIEWER_SCENE_DOCUMENT_H

#include "demo/viewer/scene/companion.h"
#include "demo/viewer/scene/crowd.h"
#include "demo/viewer/scene/scene.h"
#include "demo/viewer/scene/textures.h"
#include "demo/viewer/scene/upload.h"

typedef struct view_document {
    view_scene scene;
    md5gl_model *drawn; // the scene's model on the GPU, or NULL
    view_textures textures;
    view_companion companions[VIEW_NUM_COMPANIONS];
    view_crowd crowd; // shown instead of the scene's model if it has members
    bool as_asked;    // opened with the files and textures that the command line names

    // Written by view_measure_document().
    md5_bounds bounds; // of the whole clip, with companions and crowd
    view_hull hull;    // likewise
    float ground;      // height of the grid
} view_document;

// How a scene is shown, whatever the files are.
typedef struct view_manner {
    md5_root root;
    bool dual; // skinned by dual quaternions
} view_manner;

// Loads files, see view_load_scene(), with companions and a crowd as the options ask for. With
// `pick_up`, animations beside the model come along. Returns NULL, having logged an error, if
// anything that is named cannot be shown; nothing stays allocated then.
view_document *view_load_document(const view_loader *loader, const char *const *files,
                                  size_t num_files, bool pick_up, bool as_asked,
                                  view_manner manner);
void view_free_document(view_document *document, md5gl_renderer *renderer); // NULL is allowed

// Measures what is shown anew: after loading, and after another clip, root or skinning was chosen.
// Leaves the scene in some pose of the clip.
void view_measure_document(view_document *document);

// Shows the scene's meshes but those whose bit is set in `hidden` (of the first 64).
void view_show_meshes(const view_document *document, uint64_t hidden);

// What keys do depends on it.
view_mode view_mode_of(const view_document *document);

// Puts every model's blending on the GPU in agreement with the scene's. If the driver does not take
// the shaders, logs why and goes back to linear blending.
void view_blend_document(view_document *document, const view_loader *loader);

#endif
