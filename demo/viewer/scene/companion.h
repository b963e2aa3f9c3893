// A second model beside the one that is shown: another body in the same pose, or a thing that a
// joint holds.
#ifndef DEMO_VIEWER_SCENE_COMPANION_H
#define DEMO_VIEWER_SCENE_COMPANION_H

#include "md5/md5pose.h"
#include "demo/viewer/scene/scene.h"
#include "demo/viewer/scene/upload.h"

// Another body, and a thing that is held.
enum { VIEW_NUM_COMPANIONS = 2 };

typedef struct view_companion {
    md5_model *model; // NULL: there is none
    md5gl_model *drawn;
    view_textures *textures;
    md5_retarget *retarget; // NULL: it is held
    int32_t joint;          // of the scene's model that holds it
    md5_transform *scratch; // [joints of the scene]
    md5_transform *pose;    // [joints of the companion]
    md5_mat34 *palette;
} view_companion;

// Loads what --retarget and --attach name, for a scene with a model. Returns false, having logged
// an error, if it cannot; free in both cases.
bool view_load_companions(view_companion companions[VIEW_NUM_COMPANIONS], const view_scene *scene,
                          const view_loader *loader);
void view_free_companions(view_companion companions[VIEW_NUM_COMPANIONS], md5gl_renderer *renderer);

// How far to the left of the scene's model the first companion stands.
float view_companion_distance(const view_companion *companion, const view_scene *scene);

#endif
