// Reads the images of a model on a second core while the first one makes textures of them.
#ifndef DEMO_VIEWER_SCENE_AHEAD_H
#define DEMO_VIEWER_SCENE_AHEAD_H

#include "demo/viewer/scene/find_texture.h"
#include "demo/viewer/scene/image.h"
#include "md5/md5model.h"

typedef struct view_ahead view_ahead;

// Finds the images of a model's meshes as view_find_texture() and view_find_map() do, and begins to
// decode them. `search` names the model and its package. Returns NULL if there are less than two.
view_ahead *view_begin_ahead(const md5_model *model, const view_texture_search *search);
void view_end_ahead(view_ahead *ahead); // NULL is allowed

// Does what view_read_image() does: takes the image if it is decoded, waits if it is being decoded,
// else decodes it. `ahead` may be NULL.
bool view_read_ahead(view_ahead *ahead, const char *path, view_image *image,
                     view_image_fault *fault);

#endif
