// Joints and meshes as an .md5mesh file says them, for models that are joined of several.
#ifndef DEMO_VIEWER_SCENE_MESH_WORDS_H
#define DEMO_VIEWER_SCENE_MESH_WORDS_H

#include "demo/viewer/scene/words.h"

#include "md5/md5model.h"

// Appends a joint; `bind` is its transform in model space.
void view_say_joint(view_words *words, const char *name, int32_t parent, md5_xform bind);

// A mesh in another skeleton. A weight's joint becomes joints[joint], or first_joint + joint if
// `joints` is NULL; its offset is scaled.
typedef struct view_said_mesh {
    const md5_mesh *mesh;
    const char *material;
    const uint32_t *joints;
    uint32_t first_joint;
    float scale;
} view_said_mesh;
void view_say_mesh(view_words *words, const view_said_mesh *said);

#endif
