// A camera path from an .md5camera file, which the view follows or shows.
#ifndef DEMO_VIEWER_SCENE_FLIGHT_H
#define DEMO_VIEWER_SCENE_FLIGHT_H

#include "md5/md5model.h"
#include "demo/viewer/scene/play.h"

typedef struct view_flight {
    char *path, *name;  // name: of the file, without folder and ending
    md5_camera *camera; // NULL: there is no camera path
    // A clip without joints and with the same duration, for the playback time. It counts only the
    // frames that are played: a cut removes one.
    md5_anim clock;
    double smoothing; // seconds to each side; 0: as in the file
} view_flight;

// Position in a camera path: frame number as in the file, shot from 0.
typedef struct view_flight_place {
    double frame;
    uint32_t shot;
} view_flight_place;

// Takes ownership of `camera`, which view_free_flight() frees.
view_flight view_make_flight(const char *path, md5_camera *camera);
void view_free_flight(view_flight *flight); // a zeroed one is allowed

// View and position at the time of `play`. There must be a camera path.
md5_camera_view view_flight_at(const view_flight *flight, const view_play *play);
view_flight_place view_find_place(const view_flight *flight, const view_play *play);

// Returns the frame in the file of played frame `played`. On input, `shot` is 0 or the shot of an
// earlier played frame; on output, that of `played`.
uint32_t view_flight_frame(const view_flight *flight, uint32_t played, uint32_t *shot);

#endif
