// Loads a model of the Cube 2 engines as one model. Its md5.cfg lists parts, each with a mesh, a
// skeleton and animations. A tag is a named joint of a part. A link attaches one part to a tag of
// another.
#ifndef DEMO_VIEWER_ASSETS_CUBE_H
#define DEMO_VIEWER_ASSETS_CUBE_H

#include "demo/viewer/base/log.h"

// A clip of an md5.cfg. The caller frees all members.
typedef struct view_cube_clip {
    char *name; // name that the game uses: "forward"
    char *file; // file of the first part with an animation of this name
    md5_anim *anim;
} view_cube_clip;

// An md5.cfg as one model in units of the game. The meshes have the names of their files.
typedef struct view_cube {
    md5_model *model;
    uint32_t num_looks;
    uint32_t num_clips;
    view_look *looks;      // [num_looks] appearance of each mesh
    view_cube_clip *clips; // [num_clips]
} view_cube;

// Loads an md5.cfg, merges its meshes and, if `with_clips`, creates a clip for each animation name.
// Returns false and logs an error if a mesh cannot be read; otherwise the caller owns the content
// of *loaded. Warns about parts and animations that cannot be used. As in the engines, a part
// without a link is shown only if it shares the skeleton of the first part.
//
// A mask is a group of joints of a part. In a clip, each mask plays its animation with the name of
// the clip. Without such an animation it plays "idle", or keeps the bind pose. Adjustments and the
// offsets of pitches are applied as for a view straight ahead. A clip of several frames ends with a
// copy of the first frame, so that it loops as in the engines.
bool view_load_cube(view_cube *loaded, const char *path, const md5_load_opts *opts, bool with_clips,
                    view_log *log);

// Logs the commands of an md5.cfg that the viewer does not support, such as its ragdoll.
void view_report_unsupported(const md5_cube2 *cube, const char *path, view_log *log);

#endif
