// A document: everything that is loaded from files and shown. A new one is built completely before
// it replaces the current one, so a file that cannot be opened changes nothing.
#ifndef DEMO_VIEWER_CROWD_DOCUMENT_H
#define DEMO_VIEWER_CROWD_DOCUMENT_H

#include <stdatomic.h>

#include "demo/convert/retarget.h"
#include "demo/viewer/crowd/crowd.h"
#include "demo/viewer/crowd/ground.h"
#include "demo/viewer/motion/motion.h"

// -- Comparing -----------------------------------------------------------------------------------
//
// What the shown pose is compared with: the same model in another clip, or another model in the
// same clip, joint by joint.

// How far a joint is from the one of the same name, both in model space as in their files.
typedef struct view_difference {
    uint32_t joint; // of the scene
    float distance; // units
    float angle;    // degrees
} view_difference;

// The largest differences of a joint over all frames of a clip, and the first frames, from 0, that
// have them.
typedef struct view_peak {
    uint32_t joint; // of the scene
    float distance;
    float angle;
    uint32_t distance_frame;
    uint32_t angle_frame;
} view_peak;

typedef struct view_compare {
    char *name;                   // of the file
    md5_model *own_model;         // of the file, or NULL: the scene's model
    md5_anim *own_anim;           // of the file, or NULL: the scene's shown clip
    const md5_model *model;       // own_model or the scene's
    const md5_anim *bound;        // that `binding` is of
    md5_binding *binding;         // of `model`; NULL: it is shown in its bind pose
    uint32_t num_joints;          // of the scene
    int32_t *same;                // [num_joints] the joint of `model` of the same name, or -1
    uint32_t num_same;            // joints that both have
    md5_xform *pose;              // [joints of `model`]
    md5_mat34 *joints;            // [joints of `model`] model space
    md5_mat34 *scene_joints;      // [num_joints] model space, without turns and placement
    view_difference *differences; // [num_same] the largest distance first

    // Over the scene's clip, or of the pose if none is shown, written by view_pose_compare().
    view_peak *peaks;         // [num_same] the largest distance first, then the largest angle
    float *courses;           // [num_joints] distances for each frame of the clip
    const md5_anim *measured; // the clip; NULL: none is shown
    const md5_anim *against;  // what it was compared with
    md5_root root;            // with which
} view_compare;

// Loads an .md5anim or a model. Returns false and logs an error if the file cannot be read, or if
// the clip does not fit the scene's model. Free it in both cases.
bool view_load_compare(view_compare *compare, const view_scene *scene, const char *path,
                       view_log *log);
void view_free_compare(view_compare *compare); // a zeroed one is allowed

// Poses the other one at the time of `play` and writes the differences from the pose of the scene,
// which view_pose() wrote last. If a clip is shown that was not measured, measures all of its
// frames first: time is linear in them, and the scene is posed again. If the scene shows another
// clip, binds that first; a clip that does not fit leaves the other model in its bind pose. Without
// effect on a zeroed one.
void view_pose_compare(view_compare *compare, view_scene *scene, const view_play *play);

// -- Companions ----------------------------------------------------------------------------------
//
// Second models: one that the pose is retargeted to, those that are attached to joints, one that
// the pose is compared with, or one with a machine of its own.

// Companion 0 is retargeted, companion 1 is attached, companion 2 is compared, companion 3 is a
// guest, companion 4 is carried: attached, with a machine. Those from VIEW_HELD on are what the
// scene's machine says that it holds, in its order, without those of which only a game knows where
// they are.
enum { VIEW_COMPARED = 2, VIEW_GUEST, VIEW_CARRIED, VIEW_HELD };
enum { VIEW_NUM_COMPANIONS = VIEW_HELD + MD5_MAX_ATTACHED };

typedef struct view_companion {
    const md5_model *model; // NULL: no companion
    md5_model *own_model;   // the same, unless it belongs to a view_compare or a machine
    char *path;             // of a guest, a place and what a machine holds: its file
    md5gl_model *drawn;
    view_textures *textures;
    md5_retarget *retarget; // NULL: none of the others is, and the first if it has no pairs
    view_machine *machine;  // NULL: neither a guest nor carried
    md5_mat34 *joints;      // [joints of that machine's model]
    int32_t joint;          // joint of the scene's model to which it is attached
    void *scratch;          // of md5_retarget_pose()
    md5_xform *pose;        // [joints of the companion]
    md5_mat34 *palette;
    md5_mat34 place; // where it was posed last
    float aside;     // how far to the left of the scene's model it stands, if it is not attached
} view_companion;

// -- Documents -----------------------------------------------------------------------------------

// A small picture of a clip, for lists of them.
typedef struct view_clip_picture {
    bool is_wanted, is_made; // it was in sight; it was drawn, if that was possible
    md5gl_texture texture;   // or 0
} view_clip_picture;

typedef struct view_document {
    view_scene scene;
    md5gl_model *drawn; // the scene's model on the GPU, or NULL
    view_textures textures;
    view_morphs morphs; // loaded if --morph, the machine or a page needs them
    view_companion companions[VIEW_NUM_COMPANIONS];
    view_companion place; // of one joint: around the scene's model, of whose bounds it is no part
    view_mesh_defects faults;      // of all meshes of the scene's model, in the bind pose
    view_mesh_defects pose_faults; // in the pose that is drawn, while normals or tangents are
    view_surfaces surfaces;        // other than the materials
    view_compare compare;          // with --compare; companion VIEW_COMPARED is drawn from it
    view_ground uneven;            // of the scene's terrain
    view_crowd crowd;              // shown instead of the scene's model if it has members
    bool as_asked;                 // opened with the files and textures of the command line
    char *source, *folder; // the file of another format, if it was converted to a folder, or NULL

    view_clip_picture *pictures; // [num_pictures] of the scene's clips, once they are listed
    size_t num_pictures;

    // Written by view_measure_document().
    md5_bounds bounds; // over the whole clip or of a pose, with companions and crowd
    view_hull hull;    // over the same
    float ground;      // height of the grid; a pose that reaches below it takes it along
} view_document;

// Removes a folder with all that is in it, and frees its path; or NULL.
void view_remove_folder(char *folder);

// The file that a document shows; or NULL.
const char *view_shown_file(const view_document *document);

// Settings that stay when other files are opened.
typedef struct view_manner {
    md5_root root;
    bool dual; // skin by dual quaternions
    view_turn turn;
    view_library *library; // the open one, or NULL
    const char *guest;     // file of the second character's machine, or NULL
    const char *place;     // a model that stands still around it, or NULL
} view_manner;

// Warns of a scene's clip, of all clips if there is none of that number, that has another scale or
// turn than its model.
void view_check_clips(const view_scene *scene, size_t clip, view_log *log);

// Reports what id's engine says to files: of a model, and then of clips. For any thread; none more
// once it `stops`.
void view_check_files(const common_list *files, view_reports *reports, const atomic_bool *stops);

// Loads files, see view_load_scene(), or what an address names, see library.h, and the companions
// and crowd of the options. If `pick_up` is set, also loads the animations beside the model.
// Returns NULL, logs an error and leaves nothing allocated if a named file cannot be shown.
view_document *view_load_document(const view_loader *loader, const char *const *files,
                                  size_t num_files, bool pick_up, bool as_asked,
                                  view_manner manner);
void view_free_document(view_document *document, md5gl_renderer *renderer); // NULL is allowed

// Loads a machine that visits the scene's, with which it advances from now on. Returns false and
// logs an error on failure: then nobody comes.
bool view_load_guest(view_document *document, const char *path, const view_loader *loader);

// Frees the pictures of clips.
void view_free_pictures(view_document *document, md5gl_renderer *renderer);

// Computes bounds, hull and ground. Call it after loading and after a change of clip, root or
// skinning; then, to show one pose alone, with its time: bounds and hull are those of the pose.
// Leaves the scene in an unspecified pose of the clip.
void view_measure_document(view_document *document, const view_play *still);

// Hides the meshes whose bit is set in `hidden` and shows the others. Mesh 64 and later are not
// changed.
void view_show_meshes(const view_document *document, uint64_t hidden);

// Loads the morph targets beside the model, unless that was done. Returns false and logs an error
// if it fails.
bool view_prepare_morphs(view_document *document, const view_loader *loader);

// Whether a crowd is shown instead of the scene's model.
static inline bool view_shows_crowd(const view_document *document)
{
    return document->crowd.count > 0;
}

// What keys do depends on it.
view_mode view_mode_of(const view_document *document);

#endif
