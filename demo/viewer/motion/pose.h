// Faults of normals and tangents in the pose of a scene, and over its clip: skinning turns what is
// right in the bind pose over where a joint bends far.
#ifndef DEMO_VIEWER_MOTION_POSE_H
#define DEMO_VIEWER_MOTION_POSE_H

#include "demo/viewer/assets/faults.h"
#include "demo/viewer/motion/scene.h"

// Skins a mesh in the pose that view_pose() wrote last and counts its faults; tangents may be 6
// degrees off, as blending leaves them. `marks` as in view_find_faults(). Call view_ready_skin()
// first.
view_faults view_find_mesh_faults(view_scene *scene, uint32_t mesh, bool *marks);

// Those of all meshes; calls view_ready_skin(). None without a model.
view_faults view_find_pose_faults(view_scene *scene);

typedef struct view_clip_faults {
    view_faults worst;    // of the frame that has most
    uint32_t worst_frame; // from 0
    uint32_t num_frames;  // of the clip; 0: none is shown
    uint32_t num_faulty;  // frames that have any
} view_clip_faults;

// Counts the faults of all frames of the shown clip, in time linear in frames times vertices. The
// scene is in the pose of the last frame after that.
view_clip_faults view_find_clip_faults(view_scene *scene);

#endif
