// What a window leaves out of its pictures if they take too long: first the samples of
// antialiasing, then shadows, then resolution. Decided from the times of the last frames alone; the
// caller draws accordingly.
#ifndef DEMO_VIEWER_BASE_QUALITY_H
#define DEMO_VIEWER_BASE_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEW_NUM_QUALITIES = 6 };

// The slowest frame that is accepted, seconds.
#define VIEW_SLOWEST_FRAME 0.05

// The decision, and what it is based on. Zeroed: full quality.
typedef struct view_quality {
    uint32_t step;       // 0 = full quality; each further one leaves out more
    uint32_t still;      // the same of pictures that stand still, unless `step` is better
    uint32_t num_frames; // timed since the last change, with those left out below
    // Of these, up to the last without a break: too slow; fast; those of a better step would be
    // fast.
    uint32_t num_slow;
    uint32_t num_fast;
    uint32_t num_roomy;
    double slow_sum;                 // seconds of the slow ones
    double since;                    // seconds since the last change
    double calm;                     // how long it stays before it returns; 0 = as usual
    bool has_returned;               // the last change was to a better step
    double left[VIEW_NUM_QUALITIES]; // [step]: seconds of a frame when it was left as too slow
    double next[VIEW_NUM_QUALITIES]; // [step]: then, of a frame one step further; 0 = unknown
} view_quality;

// What there is to leave out of the pictures.
typedef struct view_quality_offers {
    bool samples, shadows; // there are several samples per pixel, or shadows
} view_quality_offers;

// A step in words of drawing.
typedef struct view_economy {
    bool one_sample;    // per pixel; edges are smoothed afterwards
    bool quick_shadows; // with hard edges
    bool no_shadows;
    int coarser; // of members of crowds: by how many levels of detail; each doubles their error
    float scale; // of the resolution, to 1; 0 = 1
} view_economy;

// That of a window on a device, by md5gl_device_name(): on software OpenGL one sample from the
// first frame on, also where nothing moves, as full quality would answer each event too late.
view_quality view_begin_quality(const char *device);

// A frame took `seconds`, drawn at quality->step. Returns whether the step changes. It leaves out
// more after two or three frames that are too slow. It returns if frames of the better step, by
// what they took before, would take less than 0.7 of what is accepted; if only those of this step
// do, it tries later, and ever more rarely if that is in vain.
bool view_judge_quality(view_quality *quality, double seconds, view_quality_offers offers);

extern const view_economy view_economies[VIEW_NUM_QUALITIES]; // of each step

// "no shadows, 50 %"; empty for full quality.
void view_describe_economy(const view_economy *economy, char *text, size_t size);

#endif
