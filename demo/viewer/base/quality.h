// Adaptive image quality of a window. If frames take too long, the quality is reduced in steps:
// first the samples of antialiasing, then shadows, then resolution.
//
// view_judge_quality() decides only by the times of the last frames, and stores its state in a
// view_quality. view_economies contains the settings of each step. The caller draws with these
// settings.
#ifndef DEMO_VIEWER_BASE_QUALITY_H
#define DEMO_VIEWER_BASE_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEW_NUM_QUALITIES = 6 };

// Maximum accepted time of a frame, seconds.
#define VIEW_SLOWEST_FRAME 0.05

// The current step, and measurements for the next decision. A zero-initialized structure has full
// quality.
typedef struct view_quality {
    uint32_t step;       // current step; 0 = full quality, higher steps are reduced further
    uint32_t still;      // best step for still images, unless `step` is better
    uint32_t num_frames; // frames since the last change, including ignored frames

    // Numbers of consecutive frames of each kind.
    uint32_t num_slow;  // frames that took too long
    uint32_t num_fast;  // frames that were fast
    uint32_t num_roomy; // frames that are expected to be fast at the better step

    double slow_sum;   // total time of the `num_slow` frames, seconds
    double since;      // time since the last change, seconds
    double calm;       // minimum time before a return, seconds; 0 = default
    bool has_returned; // the last change was to a better step
    double
        left[VIEW_NUM_QUALITIES]; // [step] frame time when the step was left as too slow, seconds
    double next[VIEW_NUM_QUALITIES]; // [step] frame time of the next step just after; 0 = unknown
} view_quality;

// Properties of the image that can be reduced.
typedef struct view_quality_offers {
    bool samples; // the image has several samples per pixel
    bool shadows; // the image has shadows
} view_quality_offers;

// Settings of a step for drawing.
typedef struct view_economy {
    bool one_sample;    // one sample per pixel; edges are smoothed in a post-process
    bool quick_shadows; // shadows have hard edges
    bool no_shadows;
    int coarser; // coarser levels of detail of crowd members; each doubles the error
    float scale; // factor of the resolution, up to 1; 0 = 1
} view_economy;

// Returns the initial state for a graphics device, by its md5gl_device_name(). Software renderers
// start with one sample per pixel, also for still images. At full quality, the window would respond
// too slowly.
view_quality view_begin_quality(const char *device);

// Processes the time of a frame that was drawn at quality->step. Returns true if the step has
// changed.
//
// Two or three slow frames reduce the quality. The quality is restored if frames of the better step
// are expected to take less than 0.7 of the accepted time. This expectation comes from earlier
// measurements. Without it, the better step is tried if the current frames are that fast. Each
// failed trial doubles the wait before the next one, up to 60 s.
bool view_judge_quality(view_quality *quality, double seconds, view_quality_offers offers);

extern const view_economy view_economies[VIEW_NUM_QUALITIES]; // [step]

// Writes a description of a step, for example "no shadows, 50 %". Writes "" for full quality.
void view_describe_economy(const view_economy *economy, char *text, size_t size);

#endif
