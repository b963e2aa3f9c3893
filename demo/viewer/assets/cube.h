// A model of Cube 2's engines as one model: the parts of its md5.cfg, linked by tags, with its
// scale, and each animation by its name.
#ifndef DEMO_VIEWER_ASSETS_CUBE_H
#define DEMO_VIEWER_ASSETS_CUBE_H

#include "demo/viewer/assets/look.h"
#include "demo/viewer/base/log.h"
#include "md5/md5dialects.h"

// Where the joints of a part are in the joined model.
typedef struct view_cube_part {
    const md5_cube2_part *part;
    md5_model *model;           // NULL: not shown
    uint32_t *joints;           // [joints of the part] in the joined model
    uint32_t parent;            // joint of the joined model that the part's roots follow
    md5_xform offset;           // of the part, relative to that joint, file units
    uint32_t shared;            // the part whose joints it uses; itself, if none
    const md5_cube2_link *link; // how it is attached to another part; NULL: it is not
} view_cube_part;

// A joint of the joined model, in file units.
typedef struct view_cube_joint {
    char *name;                 // unique
    uint32_t parent;            // MD5_NONE = none
    md5_xform bind_local, bind; // relative to the parent; model space
    uint32_t part, in_part;     // whose joint it is; joint 0 is nobody's: part = num_parts
} view_cube_joint;

typedef struct view_cube_model {
    const md5_cube2 *cube;
    view_cube_part *parts; // [cube->num_parts]
    uint32_t num_joints;
    view_cube_joint *joints; // joint 0 is the origin
} view_cube_model;

// Loads and joins the meshes of an md5.cfg. `cube` must outlive the result. A part that no link
// attaches is not shown, as in the engines, unless it shares the skeleton of the first one. Warns
// about what does not fit; returns false and logs an error if a mesh cannot be read. Free in both
// cases.
bool view_join_cube(view_cube_model *joined, const md5_cube2 *cube, const char *path,
                    const md5_load_opts *opts, view_log *log);
void view_free_cube_model(view_cube_model *joined); // a zeroed one is allowed

// Returns the model, in units of the game, to be freed; NULL and an error on failure. A mesh keeps
// its name.
md5_model *view_cube_make_model(const view_cube_model *joined, const char *path, md5_error *error);

// Returns how a mesh of a part looks, with paths as in the file, to be freed with view_free_look().
view_look view_cube_look(const md5_cube2 *cube, const md5_cube2_part *part, const char *mesh);

// Returns how each mesh of that model looks, to be freed with view_free_looks().
view_look *view_cube_looks(const view_cube_model *joined, uint32_t *num_looks);

// Logs what an md5.cfg describes and the viewer does not show, such as its ragdoll.
void view_report_unshown(const md5_cube2 *cube, const char *path, view_log *log);

// -- Clips ---------------------------------------------------------------------------------------
//
// The animations of an md5.cfg as clips of its joined model.

typedef struct view_cube_clip {
    char *name; // that the game asks for: "forward"
    char *file; // of the first part that has one of that name
    md5_anim *anim;
} view_cube_clip;

// Returns a clip for each name, whose members and the array are to be freed. Each mask of each part
// plays its own animation of the name, or its "idle", or keeps the bind pose; adjustments and the
// offsets of pitches are applied, as for a view straight ahead. A clip of several frames ends with
// a copy of the first, so that it loops as in the engines. `model` is the joined one. Files that
// cannot be read or do not fit are warnings.
view_cube_clip *view_cube_make_clips(const view_cube_model *joined, const md5_model *model,
                                     uint32_t *num_clips, view_log *log);

#endif
