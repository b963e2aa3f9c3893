// A flight: the .md5camera that the picture is taken from, or whose path is shown.
#ifndef DEMO_VIEWER_SCENE_FLIGHT_H
#define DEMO_VIEWER_SCENE_FLIGHT_H

#include "md5/md5model.h"
#include "demo/viewer/scene/play.h"

typedef struct view_flight {
    char *path, *name;  // name: of the file, without folder and ending
    md5_camera *camera; // NULL: there is no flight
    // A clip without joints that lasts as long, for the clock. Its frames are those that are
    // played: a cut is none.
    md5_anim clock;
} view_flight;

// Where a flight is: frames as the file counts them, shots from 0.
typedef struct view_flight_place {
    double frame;
    uint32_t shot;
} view_flight_place;

// Takes a flight over, which view_free_flight() frees.
view_flight view_make_flight(const char *path, md5_camera *camera);
void view_free_flight(view_flight *flight); // a zeroed one is allowed

// What it sees, and where it is, at the time of the clock. There must be a flight.
md5_camera_view view_flight_at(const view_flight *flight, const view_play *play);
view_flight_place view_find_place(const view_flight *flight, const view_play *play);

// The frame of the file that is played as number `played`. `shot` is the one of an earlier played
// frame, or 0, and moves on.
uint32_t view_flight_frame(const view_flight *flight, uint32_t played, uint32_t *shot);

#endif
