// What plays when: the clock of one clip.
#ifndef DEMO_VIEWER_SCENE_PLAY_H
#define DEMO_VIEWER_SCENE_PLAY_H

#include "md5/md5model.h"

// Time runs on over the cycles, without bounds, in both directions; the library finds the moment.
typedef struct view_play {
    bool playing;
    bool held_at_end; // on the last frame itself, which in a loop is also the first
    double time;      // seconds
    double speed;     // factor, > 0
    bool backward;
    md5_wrap wrap;
} view_play;

// Goes on by `seconds` of the wall clock. A clip that plays once stops at its end. `anim` may be
// NULL.
void view_advance(view_play *play, const md5_anim *anim, double seconds);

// The moment to show.
md5_moment view_moment(const view_play *play, const md5_anim *anim);

// Place within the cycle: seconds from its beginning, and frames (0 .. num_frames - 1).
double view_cycle_time(const view_play *play, const md5_anim *anim);
double view_frame_place(const view_play *play, const md5_anim *anim);

// The seconds that the time bar shows: of one cycle.
double view_cycle_length(const view_play *play, const md5_anim *anim);

// Stops and shows `seconds` of the cycle, clamped to it.
void view_seek(view_play *play, const md5_anim *anim, double seconds);

// Stops and goes to the next whole frame, forward or backward, around the end of a loop.
void view_step(view_play *play, const md5_anim *anim, int step);

// Starts or stops; what stands at the end of its only run begins anew.
void view_toggle_play(view_play *play, const md5_anim *anim);

// Speeds are the halves and doubles of 1 between 1/16 and 16.
void view_change_speed(view_play *play, int step);

const char *view_wrap_name(md5_wrap wrap); // "loop", "cycle", "once"

#endif
