// What the shown pose is compared with: the same model in another clip, or another model in the
// same clip, joint by joint.
#ifndef DEMO_VIEWER_MOTION_COMPARE_H
#define DEMO_VIEWER_MOTION_COMPARE_H

#include "demo/viewer/motion/scene.h"

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
    float distance, angle;
    uint32_t distance_frame, angle_frame;
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

    // Over the scene's clip, written by view_pose_compare().
    view_peak *peaks;         // [num_same] the largest distance first, then the largest angle
    const md5_anim *measured; // the clip; NULL: none is shown, and there are no peaks
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
// clip, binds that first; a clip that does not fit leaves the other model in its bind pose.
void view_pose_compare(view_compare *compare, view_scene *scene, const view_play *play);

#endif
