// A camera path from an .md5camera file, which the view follows or shows.
#ifndef DEMO_VIEWER_SCENE_CAMERA_PATH_H
#define DEMO_VIEWER_SCENE_CAMERA_PATH_H

#include "md5/md5model.h"
#include "demo/viewer/scene/play.h"

typedef struct view_camera_path {
    char *path, *name;  // name: of the file, without folder and ending
    md5_camera *camera; // NULL: there is no camera path
    // A clip without joints and with the same duration, for the playback time. It counts only the
    // frames that are played: a cut removes one.
    md5_anim clock;
    double smoothing; // seconds to each side; 0: as in the file
} view_camera_path;

// Position in a camera path: frame number as in the file, shot from 0.
typedef struct view_camera_path_place {
    double frame;
    uint32_t shot;
} view_camera_path_place;

// Takes ownership of `camera`, which view_free_camera_path() frees.
view_camera_path view_make_camera_path(const char *path, md5_camera *camera);
void view_free_camera_path(view_camera_path *camera_path); // a zeroed one is allowed

// View and position at the time of `play`. There must be a camera path.
md5_camera_view view_camera_path_at(const view_camera_path *camera_path, const view_play *play);
view_camera_path_place view_find_place(const view_camera_path *camera_path, const view_play *play);

// Returns the frame in the file of played frame `played`. On input, `shot` is 0 or the shot of an
// earlier played frame; on output, that of `played`.
uint32_t view_camera_path_frame(const view_camera_path *camera_path, uint32_t played,
                                uint32_t *shot);

#endif
