// A second model: one that the pose is retargeted to, one that is attached to a joint, one that the
// pose is compared with, or one with a machine of its own.
#ifndef DEMO_VIEWER_CROWD_COMPANION_H
#define DEMO_VIEWER_CROWD_COMPANION_H

#include "md5/md5pose.h"
#include "demo/viewer/motion/compare.h"
#include "demo/viewer/motion/scene.h"

// Companion 0 is retargeted, companion 1 is attached, companion 2 is compared, companion 3 is a
// guest, companion 4 is carried: attached, with a machine.
enum { VIEW_COMPARED = 2, VIEW_GUEST, VIEW_CARRIED, VIEW_NUM_COMPANIONS };

typedef struct view_companion {
    const md5_model *model; // NULL: no companion
    md5_model *own_model;   // the same, unless it belongs to a view_compare
    md5gl_model *drawn;
    view_textures *textures;
    md5_retarget *retarget; // NULL: none of the others is
    view_machine *machine;  // NULL: neither a guest nor carried
    md5_mat34 *joints;      // [joints of that machine's model]
    int32_t joint;          // joint of the scene's model to which it is attached
    md5_xform *scratch;     // [joints of the scene]
    md5_xform *pose;        // [joints of the companion]
    md5_mat34 *palette;
    md5_mat34 place; // where it was posed last
} view_companion;

// Loads the models of --retarget and --attach, for a scene with a model. Returns false and logs an
// error on failure; free in both cases.
bool view_load_companions(view_companion companions[VIEW_NUM_COMPANIONS], const view_scene *scene,
                          const view_loader *loader);
// Loads the machine of --guest, which from now on advances with that of the scene. It begins at the
// left, a little ahead, and looks to the right. Returns false and logs an error on failure; free in
// both cases.
bool view_load_guest(view_companion *guest, view_scene *scene, const view_loader *loader);
// Loads what the scene's model carries if it plays a machine: the first machine of the folder
// `attached` beside the model whose file is named after a joint. It advances with that of the
// scene, whose events set its triggers. Returns false and logs an error on failure; free in both
// cases.
bool view_load_carried(view_companion *carried, view_scene *scene, const view_loader *loader);
void view_free_companions(view_companion companions[VIEW_NUM_COMPANIONS], md5gl_renderer *renderer);

// Uploads what the scene's pose is compared with; `compare` must outlive it. `path`: of its
// model, unless that is the scene's. Returns false and logs an error on failure.
bool view_load_compared(view_companion *compared, const view_compare *compare,
                        const view_scene *scene, const char *path, const view_loader *loader);

// How far to the left of the scene's model the first companion stands, and to the right of it the
// compared one.
float view_companion_distance(const view_companion *companion, const view_scene *scene);

#endif
