// Playback time of a clip (view_play), and camera paths (view_camera_path).
#ifndef DEMO_VIEWER_MOTION_PLAY_H
#define DEMO_VIEWER_MOTION_PLAY_H

#include "md5/md5model.h"

// An event that was fired, for display in panels.
enum { VIEW_EVENTS = 4 };
typedef struct view_event {
    char text[128];
    double time;
} view_event;

// Inserts an event at `time` at the front of the list; the last event is dropped. Returns its text,
// which the caller must write.
char *view_push_event(view_event events[VIEW_EVENTS], double time);

// Playback state of a clip. `time` is not limited to the duration of the clip, and may be negative;
// md5_sample_position_at() wraps it.
typedef struct view_play {
    bool playing;
    // The last frame of a looping clip is shown. At this time, the next cycle begins with its first
    // frame, so `time` does not determine which of the two frames is meant.
    bool held_at_end;
    double time;  // seconds
    double speed; // factor, > 0
    bool backward;
    md5_wrap wrap;
    uint32_t range_first, range_last; // frames that are played; equal: the whole clip
} view_play;

// Sets the times within a cycle at which the played range begins and ends, seconds. Returns false
// if the whole clip is played, because no range is set or the clip ends before the range.
bool view_find_range(const view_play *play, const md5_anim *anim, double *begin, double *end);

// Moves the begin of the played range to the current frame or, with `end`, its end. If the range
// would then be empty, moves the opposite end to the first or last frame. Returns false if the
// range would still be empty.
bool view_set_range(view_play *play, const md5_anim *anim, bool end);

// Advances by `seconds` of wall time if playing. A clip that plays once stops at its end. `anim`
// may be NULL.
void view_advance(view_play *play, const md5_anim *anim, double seconds);

// Returns the sample position to show.
md5_sample_position view_sample_position(const view_play *play, const md5_anim *anim);

// Return the position within the cycle: in seconds from its beginning, and in frames (0 ..
// num_frames - 1).
double view_cycle_time(const view_play *play, const md5_anim *anim);
double view_frame_position(const view_play *play, const md5_anim *anim);

// Returns the duration of one cycle, seconds. It is the length of the time bar.
double view_cycle_length(const view_play *play, const md5_anim *anim);

// Returns the number of images that show one cycle, or the played range, at `rate` images per
// second of wall time; at least 1.
uint32_t view_count_images(const view_play *play, const md5_anim *anim, double rate);

// Stops playback at `seconds` of the current cycle, clamped to the cycle.
void view_seek(view_play *play, const md5_anim *anim, double seconds);

// Starts or stops playback. A clip that has played once to its end restarts.
void view_toggle_play(view_play *play, const md5_anim *anim);

const char *view_wrap_name(md5_wrap wrap); // "loop", "cycle", "once"

// -- Camera paths --------------------------------------------------------------------------------
//
// A camera path is the animated view of an .md5camera file. The window shows it through this
// camera, or as a line.

typedef struct view_camera_path {
    char *path, *name;  // name: file name without folder and extension
    md5_camera *camera; // NULL: no camera path is loaded
    // A clip without joints that has the duration of the camera path. It lets view_play play a
    // camera path like any clip. It has fewer frames than the file, because each cut removes one
    // frame.
    md5_anim clock;
    double smoothing; // smoothing window to each side, seconds; 0: none
} view_camera_path;

// Position in a camera path: the frame as it is counted in the file, with a fraction, and the index
// of the shot.
typedef struct view_camera_path_position {
    double frame;
    uint32_t shot;
} view_camera_path_position;

// Return the view and the position at the time of `play`. A camera path must be loaded.
md5_camera_view view_camera_path_at(const view_camera_path *camera_path, const view_play *play);
view_camera_path_position view_find_path_position(const view_camera_path *camera_path,
                                                  const view_play *play);

// Converts a played frame to the frame of the file; they differ by the frames that cuts remove. On
// input, `shot` is 0 or the shot of an earlier played frame. On output, it is the shot of `played`.
uint32_t view_camera_path_frame(const view_camera_path *camera_path, uint32_t played,
                                uint32_t *shot);

#endif
