// A second model: one that the pose is retargeted to, or one that is attached to a joint.
#ifndef DEMO_VIEWER_SCENE_COMPANION_H
#define DEMO_VIEWER_SCENE_COMPANION_H

#include "md5/md5pose.h"
#include "demo/viewer/scene/scene.h"
#include "demo/viewer/scene/upload.h"

// Companion 0 is retargeted, companion 1 is attached.
enum { VIEW_NUM_COMPANIONS = 2 };

typedef struct view_companion {
    md5_model *model; // NULL: no companion
    md5gl_model *drawn;
    view_textures *textures;
    md5_retarget *retarget; // NULL: attached
    int32_t joint;          // joint of the scene's model to which it is attached
    md5_transform *scratch; // [joints of the scene]
    md5_transform *pose;    // [joints of the companion]
    md5_mat34 *palette;
} view_companion;

// Loads the models of --retarget and --attach, for a scene with a model. Returns false and logs an
// error on failure; free in both cases.
bool view_load_companions(view_companion companions[VIEW_NUM_COMPANIONS], const view_scene *scene,
                          const view_loader *loader);
void view_free_companions(view_companion companions[VIEW_NUM_COMPANIONS], md5gl_renderer *renderer);

// How far to the left of the scene's model the first companion stands.
float view_companion_distance(const view_companion *companion, const view_scene *scene);

#endif
