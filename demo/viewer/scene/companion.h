// A second model beside the one that is shown: another body in the same pose, or a thing that a
// joint holds.
#ifndef DEMO_VIEWER_SCENE_COMPANION_H
#define DEMO_VIEWER_SCENE_COMPANION_H

#include "md5/md5model.h"
#include "md5/md5pose.h"

#include <stdbool.h>

struct view_state;
struct md5gl_model;

typedef struct view_companion {
    md5_model *model; // NULL: there is none
    struct md5gl_model *drawn;
    struct view_textures *textures;
    md5_retarget *retarget; // NULL: it is held
    int32_t joint;          // of the scene's model that holds it
    md5_transform *scratch; // [joints of the scene]
    md5_transform *pose;    // [joints of the companion]
    md5_mat34 *palette;
} view_companion;

// Loads what --retarget and --attach name, for the scene that is open. Tells why where it cannot.
bool view_load_companions(struct view_state *viewer);
void view_free_companions(struct view_state *viewer);

// How far to the left of the scene's model the other body stands.
float view_companion_distance(const struct view_state *viewer);

// Poses them as the scene is posed, then draws their shadows, and them. There are none in a crowd.
bool view_pose_companions(struct view_state *viewer, md5_error *error);
void view_shade_companions(struct view_state *viewer);
void view_draw_companions(struct view_state *viewer, uint32_t style);

#endif
