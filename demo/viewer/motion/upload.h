// Uploads models and textures to the GPU.
#ifndef DEMO_VIEWER_MOTION_UPLOAD_H
#define DEMO_VIEWER_MOTION_UPLOAD_H

#include "demo/viewer/motion/scene.h"
#include "demo/viewer/assets/textures.h"

// Input of loading besides the files.
typedef struct view_loader {
    const view_options *options;
    md5gl_renderer *renderer; // NULL: nothing is drawn or uploaded
    view_log *log;
    const view_chosen_list *chosen; // NULL: no textures were chosen
} view_loader;

// Creates a model on the GPU with the vertex path of the options. If that path is not available,
// logs a warning and uses another one, except for --verify. Returns NULL and logs an error on
// failure.
md5gl_model *view_create_model(const view_loader *loader, const md5_model *model);

// Uploads the model of a scene and its textures, with those that the command line names if
// `as_asked`. Succeeds with *drawn NULL if there is no model or no renderer.
bool view_upload(const view_loader *loader, const view_scene *scene, bool as_asked,
                 md5gl_model **drawn, view_textures *textures);

#endif
