// Adaptive quality of the images of a window. If frames take too long, the quality is reduced step
// by step: first the samples of antialiasing, then shadows, then resolution.
//
// view_judge_quality() decides only from the times of the last frames, and stores its state in a
// view_quality. view_economies contains the drawing settings of each step; the caller applies them.
#ifndef DEMO_VIEWER_BASE_QUALITY_H
#define DEMO_VIEWER_BASE_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEW_NUM_QUALITIES = 6 };

// Maximum accepted time of a frame, seconds.
#define VIEW_SLOWEST_FRAME 0.05

// The current step, and the measurements for the next decision. Zero-initialized: full quality.
typedef struct view_quality {
    uint32_t step;       // current step; 0 = full quality, higher steps are reduced further
    uint32_t still;      // best step for still images, unless `step` is better
    uint32_t num_frames; // frames since the last change, including ignored frames

    // Lengths of the current runs of frames.
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

// Drawing settings of a step.
typedef struct view_economy {
    bool one_sample;    // one sample per pixel; edges are smoothed in a post-process
    bool quick_shadows; // shadows have hard edges
    bool no_shadows;
    int coarser; // coarser levels of detail of crowd members; each doubles the error
    float scale; // factor of the resolution, up to 1; 0 = 1
} view_economy;

// Returns the initial quality for a device, by md5gl_device_name(). Software renderers start with
// one sample per pixel, also for still images, because at full quality the window would respond too
// slowly.
view_quality view_begin_quality(const char *device);

// Processes the time of a frame, which was drawn at quality->step. Returns true if the step
// changes. The quality is reduced after two or three slow frames. It is restored if frames of the
// better step, estimated from earlier measurements, would take less than 0.7 of the accepted time.
// If only frames of the current step are that fast, the better step is tried later; each failed
// trial doubles the waiting time, up to 60 s.
bool view_judge_quality(view_quality *quality, double seconds, view_quality_offers offers);

extern const view_economy view_economies[VIEW_NUM_QUALITIES]; // [step]

// Writes a description of a step, "no shadows, 50 %"; empty for full quality.
void view_describe_economy(const view_economy *economy, char *text, size_t size);

#endif
