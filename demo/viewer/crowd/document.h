// A document: everything that is loaded from files and shown. A new one is built completely before
// it replaces the current one, so a file that cannot be opened changes nothing.
#ifndef DEMO_VIEWER_CROWD_DOCUMENT_H
#define DEMO_VIEWER_CROWD_DOCUMENT_H

#include "demo/viewer/crowd/companion.h"
#include "demo/viewer/crowd/crowd.h"
#include "demo/viewer/assets/surfaces.h"
#include "demo/viewer/motion/morphs.h"
#include "demo/viewer/motion/motion.h"
#include "demo/viewer/assets/textures.h"
#include "demo/viewer/motion/scene.h"

typedef struct view_document {
    view_scene scene;
    md5gl_model *drawn; // the scene's model on the GPU, or NULL
    view_textures textures;
    view_morphs morphs; // loaded if --morph, the machine or a page needs them
    view_companion companions[VIEW_NUM_COMPANIONS];
    view_faults faults;      // of all meshes of the scene's model, in the bind pose
    view_faults pose_faults; // in the pose that is drawn, while normals or tangents are
    view_surfaces surfaces;  // other than the materials
    view_compare compare;    // with --compare; companion VIEW_COMPARED is drawn from it
    view_crowd crowd;        // shown instead of the scene's model if it has members
    bool as_asked;           // opened with the files and textures of the command line

    // Written by view_measure_document().
    md5_bounds bounds; // over the whole clip or of a pose, with companions and crowd
    view_hull hull;    // over the same
    float ground;      // height of the grid
} view_document;

// Settings that stay when other files are opened.
typedef struct view_manner {
    md5_root root;
    bool dual; // skin by dual quaternions
    view_turn turn;
    view_library *library; // the open one, or NULL
} view_manner;

// Loads files, see view_load_scene(), or what an address names, see library.h, and the companions
// and crowd of the options. If `pick_up` is set, also loads the animations beside the model.
// Returns NULL, logs an error and leaves nothing allocated if a named file cannot be shown.
view_document *view_load_document(const view_loader *loader, const char *const *files,
                                  size_t num_files, bool pick_up, bool as_asked,
                                  view_manner manner);
void view_free_document(view_document *document, md5gl_renderer *renderer); // NULL is allowed

// Computes bounds, hull and ground. Call it after loading and after a change of clip, root or
// skinning; then, to show one pose alone, with its time: bounds and hull are those of the pose.
// Leaves the scene in an unspecified pose of the clip.
void view_measure_document(view_document *document, const view_play *still);

// Hides the meshes whose bit is set in `hidden` and shows the others. Mesh 64 and later are not
// changed.
void view_show_meshes(const view_document *document, uint64_t hidden);

// Loads the morph targets beside the model, unless that was done. Returns false and logs an error
// if it fails.
bool view_ready_morphs(view_document *document, const view_loader *loader);

// Poses what the scene's pose is compared with, if anything; see view_pose_compare().
void view_pose_compared(view_document *document, const view_play *play);

// Whether a crowd is shown instead of the scene's model.
static inline bool view_shows_crowd(const view_document *document)
{
    return document->crowd.count > 0;
}

// What keys do depends on it.
view_mode view_mode_of(const view_document *document);

// Sets the blending of every model on the GPU to the scene's. If the driver rejects the shaders,
// logs the error and returns to linear blending.
void view_blend_document(view_document *document, const view_loader *loader);

#endif
