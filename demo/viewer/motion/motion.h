// One interface for everything that determines the pose of a model: a clip, a state machine,
// procedural legs, an entity of a game, or the bind pose. Each of these is a kind of motion. It is
// a file with a table of functions, a `view_motion_kind`. Code that shows or controls a scene calls
// these functions, and never tests which kind is active.
//
// scene->mover is the kind that moves a scene and receives the input. scene->motion is the same
// kind, or the bind pose while the bind pose is shown. To add a kind, write a file with a table and
// add a line to motion.c.
#ifndef DEMO_VIEWER_MOTION_MOTION_H
#define DEMO_VIEWER_MOTION_MOTION_H

#include "demo/viewer/assets/surfaces.h"
#include "demo/viewer/base/panel.h"
#include "demo/viewer/motion/scene.h"

// The ways in which a kind of motion uses the selected clip.
typedef enum view_clip_use {
    VIEW_CLIP_UNUSED,
    VIEW_CLIP_TIMES,   // determines the duration of the time bar, but not the pose
    VIEW_CLIP_PLAYED,  // is played, with additional movement
    VIEW_CLIP_AS_FILE, // is shown as it is in its file
} view_clip_use;

// Interface of a kind of motion. A function is never NULL unless its comment explains NULL.
typedef struct view_motion_kind {
    const char *name;
    view_clip_use clip_use;
    view_mode mode;     // set of active keys
    bool moves_alone;   // the image changes by itself, also without a clip
    const char *ending; // extension of the file that describes the motion; NULL: the model's

    // Returns true if this kind can move the scene. The first such kind in the list of motion.c is
    // selected. If there is none, the clip is used. The clip and the bind pose are not in the list,
    // so they have NULL here.
    bool (*moves)(const view_scene *scene);

    // Writes pose, joints and palette at the time of `play`.
    void (*pose)(view_scene *scene, const view_play *play);

    // Valid after pose(). placement() returns the position and rotation of the character in the
    // world; NULL: the character is at the origin. walked() returns the displacement of the
    // character since the start, which the camera follows; NULL: the camera follows the position of
    // placement().
    md5_xform (*placement)(const view_scene *scene);
    md5_vec3 (*walked)(const view_scene *scene, const view_play *play);

    // The clips whose poses the camera must frame. clip() returns them by index, and NULL after the
    // last. pose_frame() poses a frame of such a clip. If both functions are NULL, the camera
    // frames the shown clip.
    const md5_anim *(*clip)(const view_scene *scene, uint32_t clip);
    void (*pose_frame)(view_scene *scene, uint32_t clip, uint32_t frame);

    // describe() writes a description for the statistics; NULL: the shown clip is described.
    // write_log_line() writes a line for the log; NULL: no line is written.
    void (*describe)(const view_scene *scene, char *text, size_t size);
    void (*write_log_line)(const view_scene *scene, char *text, size_t size);

    // Input. take_control() is called when a key that moves the character is pressed (`down`) or
    // released, and returns the controls; NULL: keys do not move the character. point() lets the
    // character look at a point in the world; click() reports a click on the character; NULL: no
    // effect. resume() is called after the bind pose was shown, and sets the time to continue;
    // NULL: the time of the time bar.
    view_control *(*take_control)(view_scene *scene, bool down);
    void (*point)(view_scene *scene, md5_vec3 target);
    void (*click)(view_scene *scene);
    void (*resume)(const view_scene *scene, view_play *play);
} view_motion_kind;

extern const view_motion_kind view_bind_motion, view_clip_motion;
extern const view_motion_kind view_machine_motion, view_legs_motion, view_entity_motion;

static inline const view_motion_kind *view_get_mover(const view_scene *scene)
{
    return scene->mover != NULL ? scene->mover : &view_clip_motion;
}

static inline const view_motion_kind *view_get_motion(const view_scene *scene)
{
    return scene->motion != NULL ? scene->motion : &view_clip_motion;
}

// -- The shown clip ------------------------------------------------------------------------------

// Returns the selected clip, or NULL if none is selected or the motion does not use clips.
const view_clip *view_shown_clip(const view_scene *scene);
const md5_anim *view_shown_anim(const view_scene *scene);

// Returns the clip that determines the duration of playback. This is the shown clip if it has more
// than one frame. Otherwise it is the clock of the camera path; NULL if no camera path is loaded.
const md5_anim *view_timing_anim(const view_scene *scene);

// Writes the pose at a sample position of the shown clip, or the bind pose.
void view_pose_at(view_scene *scene, const md5_sample_position *sample);

// Rotates the pose by scene->rotation, which the user has selected. The rotation is about the
// placement of the character. If `placement` is NULL, it is about the origin, and has no rounding
// errors.
void view_rotate_pose(view_scene *scene, const md5_xform *placement);

// Returns true if the bind pose is shown although another kind could move the model.
bool view_is_bind_pose(const view_scene *scene);

// -- Selection -----------------------------------------------------------------------------------

// Selects the kind that moves the scene. Call it after each change that can affect the selection,
// such as the start of procedural walking. If the bind pose is shown, it remains visible.
void view_select_motion(view_scene *scene);

// Shows the bind pose, or resumes the motion of the model; `play` may be NULL.
void view_show_bind_pose(view_scene *scene, bool on, view_play *play);

// view_begin_walk() starts procedural walking; returns false if the model has fewer than two legs.
// view_end_walk() ends it.
bool view_begin_walk(view_scene *scene);
bool view_end_walk(view_scene *scene); // returns true if they walked

// Returns true if feet are placed on the ground. The user cannot rotate the model then.
bool view_is_on_ground(const view_scene *scene);

// Writes a description of the current motion for the statistics; "" if nothing is shown.
void view_describe_motion(const view_scene *scene, char *text, size_t size);

// -- Pose (pose.c) -------------------------------------------------------------------------------

// Writes the pose at the time of `play`.
void view_pose(view_scene *scene, const view_play *play);

// Returns the placement of the character in the pose that view_pose() wrote last.
md5_xform view_placement(const view_scene *scene);

// Returns the displacement of the character, if it moves by root motion or by a machine. The camera
// follows it, so that the character remains visible.
md5_vec3 view_walked(const view_scene *scene, const view_play *play);

// -- Defects of normals and tangents (pose.c) ----------------------------------------------------
//
// Skinning can flip normals and tangents near strongly bent joints, although they are correct in
// the bind pose.

// Skins all meshes in the pose that view_pose() wrote last, and counts their defects. A tangent is
// only a defect if it is off by more than 6 degrees, because blending causes smaller errors. Sets
// an element of `marks` for each vertex with a defect. `marks` contains the vertices of one mesh
// after another, and may be NULL. Without a model, finds no defects.
view_mesh_defects view_find_pose_faults(view_scene *scene, bool *marks);

typedef struct view_clip_faults {
    view_mesh_defects worst; // defects of the frame with the highest count
    uint32_t worst_frame;    // frame index
    uint32_t num_frames;     // frames of the clip; 0: no clip is shown
    uint32_t num_faulty;     // number of frames with defects
} view_clip_faults;

// Counts the defects of all frames of the shown clip. The cost is proportional to frames times
// vertices. Leaves the scene in the pose of the last frame, so call view_pose() afterwards.
view_clip_faults view_find_clip_faults(view_scene *scene);

#endif
