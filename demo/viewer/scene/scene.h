// What is shown: a model with its clips, or clips alone, and the pose of the moment.
#ifndef DEMO_VIEWER_SCENE_SCENE_H
#define DEMO_VIEWER_SCENE_SCENE_H

#include "md5/md5model.h"
#include "demo/viewer/scene/flight.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/scene/machine.h"
#include "demo/viewer/scene/play.h"
#include "demo/viewer/scene/steps.h"

typedef struct view_clip {
    char *path, *name; // name: of the file, without folder and ending
    md5_anim *anim;
    md5_binding *binding; // NULL in a scene without a model
} view_clip;

// A mesh in the pose of the moment.
typedef struct view_skinned {
    md5_vec3 *positions, *normals; // [num_vertices]
} view_skinned;

// The points of a shape that lie farthest out in each of 26 directions: enough of its convex hull
// to fit a picture around it, from whichever side.
enum { VIEW_HULL_POINTS = 26 };
typedef struct view_hull {
    md5_vec3 points[VIEW_HULL_POINTS];
    float reach[VIEW_HULL_POINTS]; // how far out each is; -infinity before the first point
} view_hull;

typedef struct view_scene {
    char *path, *name; // of the model; without one of the first clip; without any of the flight
    md5_model *model;  // NULL: joints alone
    view_clip *clips;
    size_t num_clips, clip; // clip: the one that is shown, if there is any
    size_t num_unopened;    // animations beside the model that were left for another time
    bool picked_up;         // the clips are those beside the model
    bool bind_pose;         // show that instead of the clip
    md5_root root;
    bool dual;                    // skinned by dual quaternions
    uint32_t num_joints;          // of `skeleton`: the model's, or that of the clip
    const md5_skeleton *skeleton; // NULL in a scene of a flight alone
    view_flight flight;
    view_steps steps;     // uneven ground, if any
    view_machine machine; // where it has a player, it moves the model, and no clip is shown

    // Of the moment, written by view_pose().
    md5_transform *pose;   // [num_joints]
    md5_mat34 *joints;     // [num_joints], model space
    md5_mat34 *palette;    // [num_joints]; only with a model
    md5_dual_quat *duals;  // [num_joints], of the palette, written by view_ready_skin() if `dual`
    view_skinned *skinned; // [num_meshes], written by view_skin()
} view_scene;

// Loads a model with animations, or animations alone, and a flight, also alone: names that end in
// .md5anim and .md5camera are those, the first that does not is the model, or a machine
// (.md5machine), which names its own. With `pick_up`, a model
// that comes without animations takes those of its folder along whose joints drive all of its own.
// Where anything that was named cannot be read, tells why and returns false; nothing stays
// allocated then.
bool view_load_scene(view_scene *scene, const char *const *files, size_t num_files, bool pick_up,
                     view_log *log);
void view_free_scene(view_scene *scene); // a zeroed one is allowed

// Adds a clip and shows it; one that is there already is read again, in its place. Returns false,
// having told why, where it does not fit.
bool view_add_clip(view_scene *scene, const char *path, view_log *log);

// Loads a flight in the place of the one that was there. Returns false, having told why.
bool view_load_flight(view_scene *scene, const char *path, view_log *log);

// Shows clip `clip` (< num_clips).
void view_choose_clip(view_scene *scene, size_t clip);

// The clip that is shown, or NULL: there is none, or it is the bind pose.
const view_clip *view_shown_clip(const view_scene *scene);
const md5_anim *view_shown_anim(const view_scene *scene);

// What the clock counts: the clip that is shown; where none moves, the flight, if there is one.
const md5_anim *view_clock(const view_scene *scene);

// Writes the pose of the moment that `play` stands at.
void view_pose(view_scene *scene, const view_play *play);
void view_pose_moment(view_scene *scene, const md5_moment *moment);

// How far the character has walked, if it moves as in id's engine or by a machine: the camera goes
// along, or it would soon be out of sight.
md5_vec3 view_walked(const view_scene *scene, const view_play *play);

// Skins all meshes on the CPU into `skinned`, linearly or by dual quaternions.
void view_skin(view_scene *scene);

// The same of one mesh, after view_pose() and then view_ready_skin(), which makes the dual
// quaternions of all joints where they are what it is skinned by. `tangents` may be NULL.
void view_ready_skin(view_scene *scene);
void view_skin_mesh(view_scene *scene, uint32_t mesh, md5_vec4 *tangents);

// The box of all vertices, or of all joints if they are all there is to see, in the pose that
// view_pose() and view_skin() wrote last.
md5_bounds view_pose_bounds(const view_scene *scene);

// The same over the whole clip that is shown, with the hull; of a flight alone, its path. Changes
// the pose.
md5_bounds view_clip_bounds(view_scene *scene, view_hull *hull);

// Adds points to a hull.
void view_widen_hull(view_hull *hull, const md5_vec3 *points, uint32_t count);

// Whether joints are all there is to see: no model, or one without triangles.
bool view_is_joints_alone(const view_scene *scene);

// Number of vertices and triangles that are drawn.
uint32_t view_count_vertices(const view_scene *scene);
uint32_t view_count_triangles(const view_scene *scene);

#endif
