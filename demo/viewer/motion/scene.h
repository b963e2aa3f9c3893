// A scene: a model with its clips, or clips alone, and the current pose.
//
// view_pose() writes the pose, joints and palette; view_skin() then writes the skinned meshes. What
// moves the model is in motion.h.
#ifndef DEMO_VIEWER_MOTION_SCENE_H
#define DEMO_VIEWER_MOTION_SCENE_H

#include "demo/viewer/assets/textures.h"
#include "demo/viewer/motion/entity.h"
#include "demo/viewer/motion/fall.h"
#include "demo/viewer/motion/legs.h"

// -- Turns ---------------------------------------------------------------------------------------
//
// Quarter turns that stand up a model that lies on its back, because its file has another axis up.
// They turn the pose, so that bounds, lines, shadows and clicks follow.

// A rotation from the file's axes to those of the viewer, made of -1, 0 and 1 only, so that it is
// exact. Zeroed: no turn.
typedef struct view_turn {
    bool is_set;
    md5_mat34 matrix; // if is_set
} view_turn;

// The turn, followed by a quarter turn about the viewer's axis 0 to 2, counterclockwise seen from
// its end. Without effect (not set) after four of them. From no turn, axis 0 shows the file's y
// axis upward: y to z, z to -y.
view_turn view_turn_further(view_turn turn, int axis);

// A point or a direction; the bounds of turned bounds.
md5_vec3 view_turn_vector(const view_turn *turn, md5_vec3 v);
md5_bounds view_turn_bounds(const view_turn *turn, md5_bounds bounds);

// The file's axes that point up and to the front in the viewer, such as "+y" and "-z"; and both as
// "up +y, front -z".
void view_name_axes(const view_turn *turn, char up[3], char front[3]);
void view_describe_turn(const view_turn *turn, char *text, size_t size);

// -- Scenes --------------------------------------------------------------------------------------

typedef struct view_clip {
    char *path, *name; // name: of the file, without folder and ending
    md5_anim *anim;
    md5_binding *binding; // NULL in a scene without a model
    md5_scales *scales;   // of the .md5scale beside it, or NULL
    uint32_t in_entity;   // its number from 1 in the scene's entity, which owns anim; 0: in none
} view_clip;

// A mesh in the current pose.
typedef struct view_skinned {
    md5_vec3 *positions, *normals; // [num_vertices], in one block
} view_skinned;

// The extreme points of a shape in 26 directions: enough of its convex hull to frame it from any
// side.
enum { VIEW_HULL_POINTS = 26 };
typedef struct view_hull {
    md5_vec3 points[VIEW_HULL_POINTS];
    float
        reach[VIEW_HULL_POINTS]; // dot(direction, point) of each; -infinity before the first point
    float lowest; // of all vertices, also of stray pieces; infinity before the first one
} view_hull;

typedef struct view_scene {
    char *path, *name;      // of the model, else of the first clip, else of the camera path
    const md5_model *model; // own_model, or that of the machine; NULL: only joints are shown
    md5_model *own_model;
    md5_model *dressed; // `model`, if it wears others; clips stay bound to the bare one
    convert_scene wardrobe;
    view_clip *clips;
    size_t num_clips, clip; // clip: index of the selected one, if num_clips > 0
    // What moves the model, and what does so now: the same, or the bind pose. See motion.h; NULL:
    // the clip.
    const struct view_motion_kind *mover;
    const struct view_motion_kind *motion;
    const md5_files *files; // what all is read through, within limits; NULL: the system's files
    size_t num_unopened;    // animations beside the model that were not loaded
    bool picked_up;         // the clips were found beside the model, not named
    const view_textures *textures; // of the document, which say what is drawn, or NULL
    md5_root root;
    view_turn turn;             // of the pose, unless it is placed on terrain or walks by rules
    bool dual;                  // skin by dual quaternions
    const md5_morph *morph;     // of the document, or NULL
    const float *morph_weights; // [num_targets] of it, written by view_pose()
    const struct view_morphs *morphs; // of the document, or NULL
    uint32_t num_joints;              // of `skeleton`, which is the model's or the clip's
    const md5_skeleton *skeleton;     // NULL if there is only a camera path
    view_camera_path camera_path;
    view_terrain terrain;  // terrain, if any
    view_legs legs;        // if it has any, they walk by rules
    uint32_t num_looks;    // of an md5.cfg: one for each mesh; else 0
    view_look *looks;      // [num_looks]
    view_machine machine;  // if it has a player, that moves the model
    view_library *library; // that the path is an address in, or NULL
    view_entity entity;    // its entity, if there is one
    view_fall *fall;       // its figure; NULL: it has none

    md5_bounds *joint_bounds; // [num_joints], each in its joint's space; NULL without a model

    // The current pose, written by view_pose().
    md5_xform *pose;    // [num_joints]
    md5_mat34 *joints;  // [num_joints], model space
    md5_mat34 *palette; // [num_joints]; only valid with a model
    md5_dual_quat
        *duals; // [num_joints], the palette again, written by view_prepare_skin() if `dual`
    view_skinned *skinned; // [num_meshes], written by view_skin()
} view_scene;

// The machine of a scene; NULL: it has none.
static inline const md5_machine *view_machine_of(const view_scene *scene)
{
    return scene->machine.player != NULL ? scene->machine.character->machine : NULL;
}

// How many meshes it has; 0 without a model.
static inline uint32_t view_count_meshes(const view_scene *scene)
{
    return scene->model != NULL ? scene->model->num_meshes : 0;
}

// Returns the index of the first of `files` that is neither an animation nor a camera path, or
// num_files.
size_t view_find_model(const char *const *files, size_t num_files);

// Models beside a clip that it drives whole, by their names.
common_list view_models_of_clip(const char *path);

// The model of a folder that has one, with the machine that plays it if there is one, to be freed.
// NULL: there are others, or none, or it is a game.
char *view_only_model(const char *folder);

// Loads a model, animations and a camera path; each may be missing. Files that end in .md5anim are
// animations, in .md5camera camera paths; the first other file is the model, or a machine
// (.md5machine), which names its model, or the description of a model of Cube 2's engines (.cfg),
// which names its meshes, skins and animations. If `pick_up` is set and no animation is named,
// loads those in the model's folder that drive all of its joints. Returns false, logs an error and
// leaves nothing allocated if a named file cannot be read.
//
// All is read through `reader`, which must outlive the scene, in little memory: for pictures
// without normal maps. NULL: the system's files.
bool view_load_scene(view_scene *scene, const char *const *files, size_t num_files,
                     const md5_files *reader, bool pick_up, view_log *log);
// Loads the articulated figure of a scene that view_load_scene() loaded: NAME.af in the folder of
// the model. scene->fall remains NULL if there is no such file. Faults are logged as warnings.
void view_load_figure(view_scene *scene, view_log *log);
void view_free_scene(view_scene *scene); // a zeroed one is allowed

// For scenes that are put together in other ways: binds a clip that was loaded to the scene's model
// or, if there is none, to the clip's own skeleton, and adds it, which then belongs to the scene;
// frees it and returns false if it was not loaded or does not fit. And makes the pose of a
// skeleton.
bool view_append_clip(view_scene *scene, view_clip clip, const md5_load_opts *opts,
                      md5_error *error);
void view_make_pose(view_scene *scene, const md5_skeleton *skeleton);

// Joins models to that of the scene, on joints of their names: see --outfit. Warns of joints that
// it lacks. Returns false and logs an error if one cannot be worn.
bool view_wear(view_scene *scene, const common_texts *files, view_log *log);

// Loads a clip and shows it: a file, which replaces a clip of the same file, or what that name is
// in the scene's library. Returns false and logs an error if it cannot be read or does not fit the
// model.
bool view_add_clip(view_scene *scene, const char *path, view_log *log);

// Shows clip `clip` (< num_clips).
void view_select_clip(view_scene *scene, size_t clip);

// Plays a clip of the scene's entity in a channel, or nothing (SIZE_MAX), and gives a channel the
// focus; the time of `play` becomes that of its clip. False and no change if it cannot be.
bool view_play_in_channel(view_scene *scene, uint32_t channel, size_t clip, view_play *play);
bool view_focus_in_scene(view_scene *scene, uint32_t channel, view_play *play);

// Loads a camera path, which replaces the current one. Returns false and logs an error on failure.
bool view_load_camera_path(view_scene *scene, const char *path, view_log *log);

// Skins all meshes on the CPU into `skinned`, linearly or by dual quaternions.
void view_skin(view_scene *scene);

// Skins one mesh. Call view_pose() and then view_prepare_skin() first; the latter writes the dual
// quaternions, if they are used. `normals`, of scene->skinned, and `tangents` may be NULL.
void view_prepare_skin(view_scene *scene);
void view_skin_mesh(view_scene *scene, uint32_t mesh, md5_vec3 *normals, md5_vec4 *tangents);

// Bounds of all vertices that are drawn, or of all joints if only joints are shown, in the pose
// that view_pose() and view_skin() wrote last, without pieces that lie far from the others. Also
// adds them to a hull, unless that is NULL.
md5_bounds view_pose_bounds(const view_scene *scene, view_hull *hull);

// Height of the lowest vertex that is drawn in the pose that view_pose() wrote last; infinity if
// there is none. Takes about as long as skinning.
float view_pose_lowest(view_scene *scene);

// Bounds and hull of the pose at the time of `still`; if that is NULL, over the whole shown clip,
// or over the clips of the machine. Without any model or clip, of the camera path. Changes the
// pose.
md5_bounds view_clip_bounds(view_scene *scene, const view_play *still, view_hull *hull);

// Adds points to a hull. Returns their bounds.
md5_bounds view_widen_hull(view_hull *hull, const md5_vec3 *points, uint32_t count);

// Whether only joints are shown: there is no model, or it has no triangles.
bool view_is_joints_alone(const view_scene *scene);

// Number of vertices and triangles of a model; 0 without one.
uint32_t view_count_vertices(const md5_model *model);
uint32_t view_count_triangles(const md5_model *model);

// -- Of a game folder ----------------------------------------------------------------------------
//
// A scene of what lies in a game: an entity, a model, or a clip alone.

// Loads what an address names. `library`: an open one, which is used if it is that of the address,
// or NULL. Returns false, logs an error, with similar names if there is none of this name, and
// leaves nothing allocated if it cannot be shown.
bool view_load_game_scene(view_scene *scene, view_library *library, const char *address,
                          view_log *log);

// Lists the files that a scene is of, in a game by their names there: the model or the machine,
// the clip that is shown or all but a machine's own, the camera path. Returns how many models hang
// at joints, whose files are not listed.
uint32_t view_list_files(const view_scene *scene, bool has_all_clips, common_list *files);

// Uploads the model of a scene and its textures, with those that the command line names if
// `as_asked`. Succeeds and writes nothing if there is no model or no renderer.
bool view_upload_scene(const view_loader *loader, const view_scene *scene, bool as_asked,
                       md5gl_model **drawn, view_textures *textures);

// Loads only the textures, by the options.
bool view_dress_scene(const view_loader *loader, const view_scene *scene, view_textures *textures);

#endif
