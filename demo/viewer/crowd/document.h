// A document: everything that is loaded from files and shown together.
//
// A view_document contains the scene, its companions (view_companion: further models), a comparison
// (view_compare) and possibly a crowd. A new document is built completely before it replaces the
// current document. If a file cannot be opened, the current document therefore remains unchanged.
#ifndef DEMO_VIEWER_CROWD_DOCUMENT_H
#define DEMO_VIEWER_CROWD_DOCUMENT_H

#include <stdatomic.h>

#include "demo/convert/retarget.h"
#include "demo/viewer/crowd/crowd.h"
#include "demo/viewer/crowd/ground.h"
#include "demo/viewer/motion/motion.h"

// -- Comparison ----------------------------------------------------------------------------------
//
// Compares the shown pose with another pose, joint by joint. The other pose is the same model in a
// different clip, or a different model in the same clip.

// The difference between a joint and the joint of the same name in the compared model. Both are in
// the model space of their files.
typedef struct view_difference {
    uint32_t joint; // joint of the scene
    float distance; // units
    float angle;    // degrees
} view_difference;

// The maximum differences of a joint over all frames of a clip. For each difference, also the first
// frame that has it; frames count from 0.
typedef struct view_peak {
    uint32_t joint; // joint of the scene
    float distance; // units
    float angle;    // degrees
    uint32_t distance_frame;
    uint32_t angle_frame;
} view_peak;

// A comparison of the scene with a file. If the file is a model, this model is compared. If it is a
// clip, the scene's model is compared in this clip.
typedef struct view_compare {
    char *name;                   // name of the file
    md5_model *owned_model;       // model of the file; NULL: the scene's model
    md5_anim *owned_anim;         // clip of the file; NULL: the scene's shown clip
    const md5_model *model;       // owned_model or the scene's model
    const md5_anim *bound;        // clip of `binding`
    md5_binding *binding;         // binding of `model` and `bound`; NULL: the bind pose is shown
    uint32_t num_joints;          // number of joints of the scene
    int32_t *same;                // [num_joints] joint of `model` with the same name, or -1
    uint32_t num_same;            // number of common joints
    md5_xform *pose;              // [joints of `model`]
    md5_mat34 *joints;            // [joints of `model`] model space
    md5_mat34 *scene_joints;      // [num_joints] model space, without rotations and placement
    view_difference *differences; // [num_same] sorted by decreasing distance

    // Written by view_pose_compare() over the scene's clip, or for the pose if no clip is shown.
    view_peak *peaks;         // [num_same] sorted by decreasing distance, then angle
    float *courses;           // [num_joints] distances for each frame of the clip
    const md5_anim *measured; // the measured clip; NULL: no clip is shown
    const md5_anim *against;  // the clip with which it was compared
    md5_root root;            // root motion mode of the measurement
} view_compare;

// Loads the file of a comparison, an .md5anim or a model. Returns false and logs an error if the
// file cannot be read, or if the clip does not fit the scene's model. The caller frees `compare` in
// both cases.
bool view_load_compare(view_compare *compare, const view_scene *scene, const char *path,
                       view_log *log);
void view_free_compare(view_compare *compare); // may be zero-initialized

// Poses the compared model at the time of `play`, and writes its differences from the scene's pose,
// which view_pose() wrote last. When the scene shows a new clip, binds the clip to the compared
// model; if it does not fit, this model remains in its bind pose. A clip that was not measured yet
// is measured first, in all of its frames, and the scene is posed again. Does nothing if `compare`
// is zero-initialized.
void view_pose_compare(view_compare *compare, view_scene *scene, const view_play *play);

// -- Companions ----------------------------------------------------------------------------------
//
// Models that are shown in addition to the scene's model. A companion is retargeted, attached to a
// joint, compared, or has its own machine.

// The companions of a document, as indices of view_document.companions.
enum {
    VIEW_RETARGETED, // the pose is retargeted to this model (--retarget)
    VIEW_ATTACHED,   // is attached to a joint (--attach)
    VIEW_COMPARED,   // is compared with the scene's model (--compare)
    VIEW_GUEST,      // a second character with its own machine
    VIEW_CARRIED,    // is attached to a joint and has its own machine
    // The first model that the scene's machine attaches to a joint. The others follow, in the order
    // of the machine. Entries remain unused for models whose positions only a game defines.
    VIEW_HELD,
    VIEW_NUM_COMPANIONS = VIEW_HELD + MD5_MAX_ATTACHED
};

// A further model with its textures and its pose.
typedef struct view_companion {
    const md5_model *model; // NULL: no companion
    md5_model *owned_model; // `model`, unless it belongs to a view_compare or a machine
    char *path; // file of a guest, of the scenery, or of a model that a machine attaches
    md5gl_model *drawn;
    view_textures *textures;
    md5_retarget *retarget; // only for VIEW_RETARGETED; NULL if it does not have pairs of joints
    view_machine *machine;  // only for guest and carried, otherwise NULL
    md5_mat34 *joints;      // [joints of the machine's model]
    int32_t joint;          // joint of the scene's model to which it is attached, or -1
    void *scratch;          // scratch memory of md5_retarget_pose()
    md5_xform *pose;        // [joints of the companion]
    md5_mat34 *palette;     // [joints of the companion]
    md5_mat34 placement;    // placement of the last pose
    float aside; // distance to the left of the scene's model, if it is not attached, units
} view_companion;

// -- Documents -----------------------------------------------------------------------------------

// A thumbnail of a clip, for lists of clips.
typedef struct view_clip_picture {
    bool is_wanted;        // the thumbnail was visible in a list
    bool is_attempted;     // drawing was attempted
    md5gl_texture texture; // 0 if it could not be drawn
} view_clip_picture;

// All content that is loaded from files and shown together.
typedef struct view_document {
    view_scene scene;
    md5gl_model *drawn; // the scene's model on the GPU, or NULL
    view_textures textures;
    view_morphs morphs; // loaded if --morph, the machine or a lesson needs them
    view_companion companions[VIEW_NUM_COMPANIONS];
    view_companion scenery;   // a model of the surroundings with one joint; not part of `bounds`
    view_mesh_defects faults; // defects of all meshes of the scene's model, in the bind pose
    view_mesh_defects pose_faults; // in the drawn pose, while normals or tangents are shown
    view_surfaces surfaces;        // heat map and UV grid
    view_compare compare;          // for --compare; companion VIEW_COMPARED draws its model
    view_ground uneven;            // ground of the scene's terrain
    view_crowd crowd;              // shown instead of the scene's model if it has members
    bool uses_options;             // opened with the files and textures of the command line
    char *source;                  // a file that was converted from a third-party format, or NULL
    char *folder;                  // the folder with the converted files, or NULL

    view_clip_picture *pictures; // [num_pictures] thumbnails of the scene's clips, once listed
    size_t num_pictures;

    // Written by view_measure_document().
    md5_bounds bounds; // bounds of the whole clip or of a pose, with companions and crowd
    view_hull hull;    // hull of the same
    float ground;      // height of the grid; a lower pose moves it down
} view_document;

// Removes a folder with its contents, and frees its path. `folder` may be NULL.
void view_remove_folder(char *folder);

// Returns the file that a document shows, or NULL.
const char *view_shown_file(const view_document *document);

// Settings of a new document, in addition to its files.
typedef struct view_document_settings {
    md5_root root;
    bool dual; // dual-quaternion skinning
    view_rotation rotation;
    view_library *library;  // the open library, or NULL
    const char *guest_path; // file of the machine of VIEW_GUEST, or NULL
    const char *scenery;    // file of the scenery, a model that does not move, or NULL
} view_document_settings;

// Warns if clip `clip` of a scene has a different scale or rotation than its model. If `clip` is
// not a valid index, checks all clips.
void view_check_clips(const view_scene *scene, size_t clip, view_log *log);

// Reports the problems that id's engine would have with files: a model, followed by its clips. Any
// thread may call it. If *stops becomes true, it ends after the current file.
void view_check_files(const common_list *files, view_reports *reports, const atomic_bool *stops);

// Loads files (see view_load_scene()) or the item of a game (see library.h), with the companions
// and the crowd of the options. With `finds_clips`, also loads the animations in the model's
// folder. If a named file cannot be shown, frees all memory, logs an error and returns NULL.
view_document *view_load_document(const view_loader *loader, const char *const *files,
                                  size_t num_files, bool finds_clips, bool uses_options,
                                  view_document_settings settings);
void view_free_document(view_document *document, md5gl_renderer *renderer); // may be NULL

// Loads the machine of a second character, the guest. From then on, it advances together with the
// scene's machine. On failure, returns false, logs an error and adds no character.
bool view_load_guest(view_document *document, const char *path, const view_loader *loader);

// Frees the thumbnails of clips.
void view_free_pictures(view_document *document, md5gl_renderer *renderer);

// Computes bounds, hull and ground. Call it after loading, and after each change of the clip, the
// root mode or the skinning. To measure only one pose, call it again with the time of this pose in
// `still`. Afterwards the scene is in an unspecified pose of the clip.
void view_measure_document(view_document *document, const view_play *still);

// Hides the meshes whose bit is set in `hidden`, and shows all others. `hidden` has 64 bits, so
// meshes from index 64 on are not changed.
void view_show_meshes(const view_document *document, uint64_t hidden);

// Loads the morph targets in the model's folder, unless they are loaded. Returns false and logs an
// error on failure.
bool view_prepare_morphs(view_document *document, const view_loader *loader);

// Returns true if a crowd is shown instead of the scene's model.
static inline bool view_shows_crowd(const view_document *document)
{
    return document->crowd.count > 0;
}

// Returns the mode of a document, which determines the active keys and controls.
view_mode view_get_mode(const view_document *document);

#endif
