// The playback time of one clip.
#ifndef DEMO_VIEWER_MOTION_PLAY_H
#define DEMO_VIEWER_MOTION_PLAY_H

#include "md5/md5model.h"

// What fired, for the panels.
enum { VIEW_EVENTS = 4 };
typedef struct view_event {
    char text[128];
    double time;
} view_event;

// Returns where an event that fires at `time` writes its text: before the others, of which the last
// is forgotten.
char *view_push_event(view_event events[VIEW_EVENTS], double time);

// Time is not bounded by the clip and may run backward; md5_sample_position_at() wraps it.
typedef struct view_play {
    bool playing;
    bool held_at_end; // on the last frame, at a time that in a loop also means the first
    double time;      // seconds
    double speed;     // factor, > 0
    bool backward;
    md5_wrap wrap;
    uint32_t range_first, range_last; // frames that are played; equal = all of the clip
} view_play;

// The times within a cycle at which the range begins and ends. False if all of the clip is played:
// there is no range, or the clip ends before it.
bool view_find_range(const view_play *play, const md5_anim *anim, double *begin, double *end);

// Begins or ends the range at the current frame; the other end moves if it must. Returns false if
// the range would have no length.
bool view_set_range(view_play *play, const md5_anim *anim, bool end);

// Advances by `seconds` of wall time if playing. A clip that plays once stops at its end. `anim`
// may be NULL.
void view_advance(view_play *play, const md5_anim *anim, double seconds);

// The sample position to show.
md5_sample_position view_sample_position(const view_play *play, const md5_anim *anim);

// Position within the cycle: seconds from its beginning, and frames (0 .. num_frames - 1).
double view_cycle_time(const view_play *play, const md5_anim *anim);
double view_frame_place(const view_play *play, const md5_anim *anim);

// Duration of one cycle in seconds: the length of the time bar.
double view_cycle_length(const view_play *play, const md5_anim *anim);

// How many pictures one cycle has, or the range, at so many a second of wall time; at least 1.
uint32_t view_count_pictures(const view_play *play, const md5_anim *anim, double rate);

// Stops at `seconds` of the current cycle, clamped to it.
void view_seek(view_play *play, const md5_anim *anim, double seconds);

// Starts or stops. A clip that played once to its end restarts.
void view_toggle_play(view_play *play, const md5_anim *anim);

const char *view_wrap_name(md5_wrap wrap); // "loop", "cycle", "once"

// -- Camera paths --------------------------------------------------------------------------------
//
// A camera path from an .md5camera file, which the view follows or shows.

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

// View and position at the time of `play`. There must be a camera path.
md5_camera_view view_camera_path_at(const view_camera_path *camera_path, const view_play *play);
view_camera_path_place view_find_place(const view_camera_path *camera_path, const view_play *play);

// Returns the frame in the file of played frame `played`. On input, `shot` is 0 or the shot of an
// earlier played frame; on output, that of `played`.
uint32_t view_camera_path_frame(const view_camera_path *camera_path, uint32_t played,
                                uint32_t *shot);

#endif
