// A scene: a model with its clips, or clips without a model, and the current pose.
//
// view_pose() writes the pose, joints and palette; view_skin() then writes the skinned meshes. The
// interface of everything that moves the model is in motion.h.
#ifndef DEMO_VIEWER_MOTION_SCENE_H
#define DEMO_VIEWER_MOTION_SCENE_H

#include "demo/viewer/assets/textures.h"
#include "demo/viewer/motion/entity.h"
#include "demo/viewer/motion/fall.h"
#include "demo/viewer/motion/legs.h"

// -- Rotation by 90 degrees ----------------------------------------------------------------------
//
// Rotations by 90 degrees put a model upright if its file uses another up axis. They are applied to
// the pose. Bounds, lines, shadows and clicks are computed from the pose, so they are rotated too.

// A rotation from the file's axes to the viewer's axes. Its elements are -1, 0 and 1, so products
// of rotations have no rounding errors. Zeroed: no rotation.
typedef struct view_rotation {
    bool is_set;
    md5_mat34 matrix; // only valid if is_set
} view_rotation;

// Returns `rotation` followed by a rotation of 90 degrees about axis 0, 1 or 2 of the viewer. The
// rotation is counterclockwise as seen from the end of the axis: axis 0 maps y to z, and z to -y.
// After four rotations about the same axis, the result is not set.
view_rotation view_rotate_further(view_rotation rotation, int axis);

// Rotate a point or a direction, and bounds.
md5_vec3 view_rotate_vector(const view_rotation *rotation, md5_vec3 v);
md5_bounds view_rotate_bounds(const view_rotation *rotation, md5_bounds bounds);

// view_name_axes() writes the file's axes that point up and to the front in the viewer, such as
// "+y" and "-z". view_describe_rotation() writes both as "up +y, front -z".
void view_name_axes(const view_rotation *rotation, char up[3], char front[3]);
void view_describe_rotation(const view_rotation *rotation, char *text, size_t size);

// -- Scenes --------------------------------------------------------------------------------------

typedef struct view_clip {
    char *path, *name; // name: file name without folder and extension
    md5_anim *anim;
    md5_binding *binding; // NULL in a scene without a model
    md5_scales *scales;   // from the .md5scale file in the same folder, or NULL
    // Index + 1 in the clips of the scene's entity, which then owns `anim`; 0: not a clip of an
    // entity.
    uint32_t in_entity;
} view_clip;

// Vertices of a mesh in the current pose.
typedef struct view_skinned {
    md5_vec3 *positions, *normals; // [num_vertices], in one block
} view_skinned;

// The extreme points of a shape in 26 directions: enough of its convex hull to frame the shape from
// any side.
enum { VIEW_HULL_POINTS = 26 };
typedef struct view_hull {
    md5_vec3 points[VIEW_HULL_POINTS];
    // dot(direction, point) of each direction; -infinity before the first point.
    float reach[VIEW_HULL_POINTS];
    float lowest; // lowest vertex, also of outliers; infinity before the first vertex
} view_hull;

typedef struct view_scene {
    // Path and name of the model; without a model, of the first clip or of the camera path.
    char *path, *name;
    // owned_model, `model_with_outfits` or the machine's model; NULL: only joints are shown.
    const md5_model *model;
    md5_model *owned_model;
    // The model with attached outfits, or NULL; clips remain bound to the original model.
    md5_model *model_with_outfits;
    convert_scene outfit_conversion; // result of the conversion that attached the outfits
    view_clip *clips;
    size_t num_clips, clip; // clip: index of the selected clip, if num_clips > 0
    // The kind that moves the model, and the active kind: the same, or the bind pose. See motion.h;
    // NULL: the clip.
    const struct view_motion_kind *mover;
    const struct view_motion_kind *motion;
    const md5_files *files; // file access of a thumbnail; NULL: the system's files
    size_t num_unopened;    // animations in the model's folder that were not loaded
    bool has_found_clips;   // clips were found in the model's folder, not named by the user
    // Textures of the document, which determine the drawn meshes; or NULL.
    const view_textures *textures;
    md5_root root;
    view_rotation rotation;     // applied to the pose, except on terrain and to procedural walking
    bool dual;                  // use dual quaternion skinning
    const md5_morph *morph;     // morph targets of the document, or NULL
    const float *morph_weights; // [num_targets] weights of `morph`, written by view_pose()
    const struct view_morphs *morphs; // morph targets of the document, or NULL
    uint32_t num_joints;              // joints of `skeleton`
    const md5_skeleton *skeleton; // the model's or the clip's; NULL if only a camera path is loaded
    view_camera_path camera_path;
    view_terrain terrain;  // terrain, if its kind is not VIEW_LEVEL
    view_legs legs;        // if num_legs > 0, the model walks procedurally
    uint32_t num_looks;    // number of meshes of an md5.cfg; otherwise 0
    view_look *looks;      // [num_looks] materials of the meshes of an md5.cfg
    view_machine machine;  // if it has a player, it moves the model
    view_library *library; // game that contains the path, or NULL
    view_entity entity;    // entity, if entity.entity is not NULL
    view_fall *fall;       // articulated figure and ragdoll, or NULL

    md5_bounds *joint_bounds; // [num_joints], each in its joint's space; NULL without a model

    // The current pose, written by view_pose().
    md5_xform *pose;    // [num_joints]
    md5_mat34 *joints;  // [num_joints], model space
    md5_mat34 *palette; // [num_joints]; only valid with a model
    // [num_joints] the palette as dual quaternions; view_prepare_skin() writes it if `dual` is set.
    md5_dual_quat *duals;
    view_skinned *skinned; // [num_meshes], written by view_skin()
} view_scene;

// Returns the machine of a scene, or NULL.
static inline const md5_machine *view_scene_machine(const view_scene *scene)
{
    return scene->machine.player != NULL ? scene->machine.character->machine : NULL;
}

// Returns the number of meshes of a scene; 0 without a model.
static inline uint32_t view_count_meshes(const view_scene *scene)
{
    return scene->model != NULL ? scene->model->num_meshes : 0;
}

// Returns the index of the first file that is neither an animation nor a camera path, and is
// therefore the model. Returns num_files if there is none.
size_t view_find_model(const char *const *files, size_t num_files);

// Returns the models in the folder of a clip that the clip fits: it must animate all joints of the
// model.
common_list view_list_models_for_clip(const char *path);

// Returns the path of the only model of a folder, or of the machine that plays it. Returns NULL if
// the folder is a game, contains no model, or contains several files of the same format. The caller
// frees the path.
char *view_only_model(const char *folder);

// Loads a model, animations and a camera path; each may be missing. Files with the extension
// .md5anim are animations, and .md5camera is a camera path. The first other file is the model. It
// can also be a machine (.md5machine), which references its model, or a model description of Cube
// 2's engines (.cfg), which references its meshes, skins and animations.
//
// If `finds_clips` is set and no animation is named, loads the animations in the model's folder
// that animate all of its joints. If a named file cannot be read, returns false, logs an error and
// leaves nothing allocated.
//
// A `reader` is for thumbnails. All files are then read through it, with limited memory and without
// the tangents that normal maps need. It must outlive the scene. NULL: the system's files, without
// a limit.
bool view_load_scene(view_scene *scene, const char *const *files, size_t num_files,
                     const md5_files *reader, bool finds_clips, view_log *log);
// Loads the articulated figure of a scene that view_load_scene() loaded: NAME.af in the folder of
// the model. scene->fall remains NULL if this file does not exist. Faults are logged as warnings.
void view_load_figure(view_scene *scene, view_log *log);
void view_free_scene(view_scene *scene); // `scene` may be zeroed

// Functions for scenes that are built in other ways. view_append_clip() binds a loaded clip to the
// scene's model, or to the clip's own skeleton if there is no model. Then it adds the clip to the
// scene, which owns it from then on. If the clip was not loaded or does not fit, it frees the clip
// and returns false. view_make_pose() allocates the arrays of the pose for a skeleton.
bool view_append_clip(view_scene *scene, view_clip clip, const md5_load_opts *opts,
                      md5_error *error);
void view_make_pose(view_scene *scene, const md5_skeleton *skeleton);

// Merges outfits, such as clothes, into the scene's model at joints with the same names; see
// --outfit. Warns of joints that the scene's model lacks. Returns false and logs an error if an
// outfit cannot be attached.
bool view_attach_outfits(view_scene *scene, const common_texts *files, view_log *log);

// Loads a clip and shows it. `path` is a file or, in a scene of a game, a name in the game. The
// clip replaces an earlier clip from the same file. Returns false and logs an error if the clip
// cannot be read or does not fit the model.
bool view_add_clip(view_scene *scene, const char *path, view_log *log);

// Selects the clip that is shown, by its index.
void view_select_clip(view_scene *scene, size_t clip);

// view_play_in_channel() plays a clip of the scene's entity in a channel, and gives the channel the
// focus. SIZE_MAX stops the channel. view_focus_in_scene() only gives the focus. The time of `play`
// becomes the time of the channel's clip. If this is not possible, both return false and change
// nothing.
bool view_play_in_channel(view_scene *scene, uint32_t channel, size_t clip, view_play *play);
bool view_focus_in_scene(view_scene *scene, uint32_t channel, view_play *play);

// Loads a camera path, which replaces the current camera path. Returns false and logs an error on
// failure.
bool view_load_camera_path(view_scene *scene, const char *path, view_log *log);

// Skins all meshes on the CPU into `skinned`, by linear blend or dual quaternion skinning.
void view_skin(view_scene *scene);

// view_skin_mesh() skins one mesh in the current pose. Before it, call view_pose() and then
// view_prepare_skin(), which writes the dual quaternions if they are used. `normals` (of
// scene->skinned) and `tangents` may be NULL.
void view_prepare_skin(view_scene *scene);
void view_skin_mesh(view_scene *scene, uint32_t mesh, md5_vec3 *normals, md5_vec4 *tangents);

// Returns the bounds of all drawn vertices without outliers or, if only joints are shown, of all
// joints. The pose is that which view_pose() and view_skin() wrote last. Adds the points to `hull`,
// unless it is NULL.
md5_bounds view_pose_bounds(const view_scene *scene, view_hull *hull);

// Returns the height of the lowest drawn vertex in the pose that view_pose() wrote last; infinity
// without vertices. Costs about as much as skinning.
float view_pose_lowest(view_scene *scene);

// Computes bounds and hull of the pose at the time of `still`. If `still` is NULL, they contain the
// whole shown clip, or all clips of the machine. A scene without a model and clips is measured by
// its camera path. Changes the current pose.
md5_bounds view_clip_bounds(view_scene *scene, const view_play *still, view_hull *hull);

// Adds points to a hull. Returns their bounds.
md5_bounds view_widen_hull(view_hull *hull, const md5_vec3 *points, uint32_t count);

// Returns true if only joints are shown: the model is missing, or has no triangles.
bool view_is_skeleton_only(const view_scene *scene);

// Return the number of vertices and triangles of a model; 0 if `model` is NULL.
uint32_t view_count_vertices(const md5_model *model);
uint32_t view_count_triangles(const md5_model *model);

// -- Game folders --------------------------------------------------------------------------------
//
// A scene from a game folder: an entity, a model, or a clip without a model.

// Loads the model, entity or clip at an address. `library` is an open library or NULL; it is used
// if it contains the address. If the scene cannot be shown, returns false, logs an error and leaves
// nothing allocated. If the name does not exist, the error lists similar names.
bool view_load_game_scene(view_scene *scene, view_library *library, const char *address,
                          view_log *log);

// Lists the files of a scene, by their names in a game if it is from a game. They are the model or
// the machine, the shown clip or all clips, and the camera path. A machine's own clips are omitted.
// Returns the number of attached models, whose files cannot be listed.
uint32_t view_list_files(const view_scene *scene, bool has_all_clips, common_list *files);

// Uploads the model of a scene and its textures. With `uses_options`, the textures of the command
// line are included. Without a model or a renderer, succeeds and writes nothing.
bool view_upload_scene(const view_loader *loader, const view_scene *scene, bool uses_options,
                       md5gl_model **drawn, view_textures *textures);

// Loads only the textures, according to the options.
bool view_load_scene_textures(const view_loader *loader, const view_scene *scene,
                              view_textures *textures);

#endif
