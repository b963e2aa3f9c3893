// What a model is as bodies: its articulated figure, which an entity of a game
// names, or which lies beside the model as NAME.af.
#ifndef DEMO_VIEWER_MOTION_FALL_H
#define DEMO_VIEWER_MOTION_FALL_H

#include "md5/md5character.h"

struct view_scene;

typedef struct view_fall {
    const md5_figure *bodies; // own, or the entity's

    // Of a figure beside the model: its file, as the only one of a game, and the model as an entity
    // there, whose clip "af_pose" it begins in.
    char *path, *name;
    md5_game *game;
    md5_figure *own;
    md5_entity entity;
    md5_entity_clip clip;
    md5_model_anim anim;
} view_fall;

// Gives a scene with a model a figure: that of its entity, else what lies beside the model file and
// begins in the first frame of a clip there, af_pose or idle. Without one scene->fall is NULL. What
// is wrong is a warning.
void view_load_fall(struct view_scene *scene, const char *model_path, const md5_load_opts *opts);
void view_free_fall(view_fall *fall); // before the entity; NULL is allowed

#endif
