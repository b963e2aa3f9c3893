// A model of Cube 2's engines as one model: the parts of its md5.cfg, linked by tags, with its
// scale, and each animation by its name.
#ifndef DEMO_VIEWER_ASSETS_CUBE_H
#define DEMO_VIEWER_ASSETS_CUBE_H

#include "demo/viewer/base/log.h"

// A clip of an md5.cfg; all of it is to be freed.
typedef struct view_cube_clip {
    char *name; // that the game asks for: "forward"
    char *file; // of the first part that has one of that name
    md5_anim *anim;
} view_cube_clip;

// An md5.cfg as one model, in units of the game, whose meshes keep their names.
typedef struct view_cube {
    md5_model *model;
    uint32_t num_looks;
    uint32_t num_clips;
    view_look *looks;      // [num_looks] of each mesh
    view_cube_clip *clips; // [num_clips]
} view_cube;

// Loads an md5.cfg, joins its meshes and, if asked to, makes a clip for each name of an animation.
// Returns false and logs an error if a mesh cannot be read; else what is in *loaded is the
// caller's. Warns about what does not fit. A part that no link attaches is not shown, as in the
// engines, unless it shares the skeleton of the first one.
//
// In a clip each mask of each part plays its own animation of the name, or its "idle", or keeps the
// bind pose; adjustments and the offsets of pitches are applied, as for a view straight ahead. A
// clip of several frames ends with a copy of the first, so that it loops as in the engines.
bool view_load_cube(view_cube *loaded, const char *path, const md5_load_opts *opts, bool with_clips,
                    view_log *log);

// Logs what an md5.cfg describes and the viewer does not show, such as its ragdoll.
void view_report_unshown(const md5_cube2 *cube, const char *path, view_log *log);

#endif
