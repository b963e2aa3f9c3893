// A picture of one thing that lies in a game: an entity or a model; a clip on a model that it fits;
// a skin on a model that it changes.
#ifndef DEMO_VIEWER_SCENE_PREVIEW_MAKE_H
#define DEMO_VIEWER_SCENE_PREVIEW_MAKE_H

#include "demo/viewer/scene/library.h"
#include "demo/viewer/scene/maps.h"
#include "demo/viewer/scene/scene.h"
#include "demo/viewer/scene/sketch.h"

// What a picture is wished of, as one text: a name, and for clips and skins before it "ON::": the
// entity or model that is shown now and tried first; "" if there is none. `on` may be NULL. To be
// freed.
char *view_wish_of(view_section section, const char *name, const char *on);

// Makes the picture of a wish. A clip that fits neither the shown model nor one beside it is shown
// by its joints. A skin that changes neither the shown model nor one that it is meant for has no
// picture. The image has .rgba NULL if nothing can be shown; else free it.
view_image view_make_preview(view_library *library, const char *wish);

// Draws the joints of the current pose.
void view_sketch_joints(view_sketch *sketch, const view_scene *scene);

#endif
