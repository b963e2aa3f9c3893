// What moves a model, as one interface: a clip, a state machine, legs that walk by rules, an entity
// in channels, or nothing but the bind pose. Each kind is one file with its row; who shows or
// drives a scene asks the row and never which kind it is.
//
// A scene's `mover` is what moves it, which gets the input; its `motion` is that too, or the bind
// pose while that is shown. A new kind is a file with such a row and a line in motion.c.
#ifndef DEMO_VIEWER_MOTION_MOTION_H
#define DEMO_VIEWER_MOTION_MOTION_H

#include "demo/viewer/assets/surfaces.h"
#include "demo/viewer/base/panel.h"
#include "demo/viewer/motion/scene.h"

// What a motion does with the clip that was selected.
typedef enum view_clip_use {
    VIEW_CLIP_UNUSED,
    VIEW_CLIP_TIMES,   // its time is shown, its pose is not
    VIEW_CLIP_PLAYED,  // it is played, with something added
    VIEW_CLIP_AS_FILE, // it is shown as it is in its file
} view_clip_use;

// Members without a comment on NULL are never NULL.
typedef struct view_motion_kind {
    const char *name;
    view_clip_use clip_use;
    view_mode mode;     // which keys there are
    bool moves_alone;   // the picture changes by itself, also without a clip
    const char *ending; // of the file that says how it moves; NULL: the model's own

    // Whether it moves the scene; the first one that does is taken. NULL: the clip and the bind
    // pose, which do if no other does.
    bool (*moves)(const view_scene *scene);

    // Writes pose, joints and palette at a time.
    void (*pose)(view_scene *scene, const view_play *play);

    // After that: where the character stands, NULL: at the origin; and how far it has walked, which
    // the camera follows, NULL: to where it stands.
    md5_xform (*place)(const view_scene *scene);
    md5_vec3 (*walked)(const view_scene *scene, const view_play *play);

    // The clips that its bounds are measured over, NULL for those behind the last, and a frame of
    // one; both are NULL: the shown clip.
    const md5_anim *(*clip)(const view_scene *scene, uint32_t clip);
    void (*pose_frame)(view_scene *scene, uint32_t clip, uint32_t frame);

    // Figures: writes what is shown, NULL: the shown clip; writes a line for the log, NULL: none.
    void (*describe)(const view_scene *scene, char *text, size_t size);
    void (*tell)(const view_scene *scene, char *text, size_t size);

    // Input: returns what keys that walk control, when one is pressed (`down`) or released, NULL:
    // there are none; looks at a point in the world and is clicked on, NULL: without effect; and
    // goes on after the bind pose was shown, NULL: where the time bar is.
    view_control *(*take_over)(view_scene *scene, bool down);
    void (*point)(view_scene *scene, md5_vec3 target);
    void (*click)(view_scene *scene);
    void (*resume)(const view_scene *scene, view_play *play);
} view_motion_kind;

extern const view_motion_kind view_bind_motion, view_clip_motion;
extern const view_motion_kind view_machine_motion, view_legs_motion, view_entity_motion;

static inline const view_motion_kind *view_mover_of(const view_scene *scene)
{
    return scene->mover != NULL ? scene->mover : &view_clip_motion;
}

static inline const view_motion_kind *view_motion_of(const view_scene *scene)
{
    return scene->motion != NULL ? scene->motion : &view_clip_motion;
}

// -- The shown clip ----------------------------------------------------------------------

// The selected clip; NULL if there is none or the motion uses none.
const view_clip *view_shown_clip(const view_scene *scene);
const md5_anim *view_shown_anim(const view_scene *scene);

// The clip that gives the playback duration: the shown one if it has more than one frame, otherwise
// that of the camera path, if there is one.
const md5_anim *view_clock(const view_scene *scene);

// Writes the pose at a sample position of the shown clip, or the bind pose.
void view_pose_at(view_scene *scene, const md5_sample_position *sample);

// Turns the pose as the scene's `turn` says, about `place`, where the character stands; NULL: the
// origin, where the turn is exact.
void view_turn_pose(view_scene *scene, const md5_xform *place);

// Whether the bind pose is shown although something could move the model.
bool view_is_bind_pose(const view_scene *scene);

// -- Choosing --------------------------------------------------------------------------

// Finds what moves the scene. Call it when that may have changed; the bind pose stays.
void view_select_motion(view_scene *scene);

// Shows the bind pose, or what moves the model, which goes on; `play` may be NULL.
void view_show_bind_pose(view_scene *scene, bool on, view_play *play);

// Lets legs walk by rules or ends that. Returns false if there are fewer than two.
bool view_begin_walk(view_scene *scene);
bool view_end_walk(view_scene *scene); // whether they walked

// Whether feet are on the ground, so that the model cannot be turned.
bool view_is_on_ground(const view_scene *scene);

// What is shown, for a line of figures; "" if there is nothing.
void view_describe_motion(const view_scene *scene, char *text, size_t size);

// -- Pose (pose.c) --------------------------------------------------------------------------------

// Writes the pose at the time of `play`.
void view_pose(view_scene *scene, const view_play *play);

// Where the character stands in the pose that view_pose() wrote last.
md5_xform view_place_of(const view_scene *scene);

// Displacement of the character, if it moves as in id's engine or by a machine. The camera follows
// it, so that the character stays visible.
md5_vec3 view_walked(const view_scene *scene, const view_play *play);

// -- Faults in a pose (pose.c) --------------------------------------------------------------------
//
// Of normals and tangents: skinning turns what is right in the bind pose over where a joint bends
// far.

// Skins all meshes in the pose that view_pose() wrote last and counts their faults; tangents may be
// 6 degrees off, as blending leaves them. `marks` as in view_find_defects(), one mesh after
// another; or NULL. None without a model.
view_mesh_defects view_find_pose_faults(view_scene *scene, bool *marks);

typedef struct view_clip_faults {
    view_mesh_defects worst; // of the frame that has most
    uint32_t worst_frame;    // from 0
    uint32_t num_frames;     // of the clip; 0: none is shown
    uint32_t num_faulty;     // frames that have any
} view_clip_faults;

// Counts the faults of all frames of the shown clip, in time linear in frames times vertices. The
// scene is in the pose of the last frame after that.
view_clip_faults view_find_clip_faults(view_scene *scene);

#endif
