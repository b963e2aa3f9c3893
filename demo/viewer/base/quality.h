// Adaptive image quality of a window. If frames take too long, the quality is reduced in levels:
// first the samples of antialiasing, then shadows, then resolution.
//
// view_update_quality() decides only by the times of the last frames, and stores its state in a
// view_quality. view_quality_levels contains the settings of each level. The caller draws with
// these settings.
#ifndef DEMO_VIEWER_BASE_QUALITY_H
#define DEMO_VIEWER_BASE_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEW_NUM_QUALITY_LEVELS = 6 };

// Maximum accepted time of a frame, seconds.
#define VIEW_SLOWEST_FRAME 0.05

// The current level, and measurements for the next decision. A zero-initialized structure has full
// quality.
typedef struct view_quality {
    uint32_t level;       // current level; 0 = full quality, higher levels have lower quality
    uint32_t still_level; // best level for still images, unless `level` is better
    uint32_t num_frames;  // frames since the last change, including ignored frames

    // Numbers of consecutive frames of each kind.
    uint32_t num_slow;          // frames that took too long
    uint32_t num_fast;          // frames that were fast
    uint32_t num_expected_fast; // frames that are expected to be fast at the better level

    double slow_sum; // total time of the `num_slow` frames, seconds
    double seconds_since_change;
    double wait;     // minimum time before a change to a better level, seconds; 0 = default
    bool was_raised; // the last change was to a better level

    // Frame times before and after the last change from level i to a lower quality, in seconds.
    // Their ratio predicts the frame time if the quality is raised to level i again. 0 = unknown.
    double time_before[VIEW_NUM_QUALITY_LEVELS];
    double time_after[VIEW_NUM_QUALITY_LEVELS];
} view_quality;

// Properties of the image that can be reduced.
typedef struct view_quality_offers {
    bool samples; // the image has several samples per pixel
    bool shadows; // the image has shadows
} view_quality_offers;

// Settings of a level for drawing.
typedef struct view_quality_level {
    bool one_sample;    // one sample per pixel; edges are smoothed in a post-process
    bool quick_shadows; // shadows have hard edges
    bool no_shadows;
    int coarser; // coarser levels of detail of crowd members; each doubles the error
    float scale; // factor of the resolution, up to 1; 0 = 1
} view_quality_level;

// Returns the initial state for a graphics device, by its md5gl_device_name(). Software renderers
// start with one sample per pixel, also for still images. At full quality, the window would respond
// too slowly.
view_quality view_begin_quality(const char *device);

// Processes the time of a frame that was drawn at quality->level. Returns true if the level has
// changed.
//
// Two or three slow frames reduce the quality. The quality is restored if frames of the better
// level are expected to take less than 0.7 of the accepted time. This expectation comes from
// earlier measurements. Without it, the better level is tried if the current frames are that fast.
// Each failed trial doubles the wait before the next one, up to 60 s.
bool view_update_quality(view_quality *quality, double seconds, view_quality_offers offers);

extern const view_quality_level view_quality_levels[VIEW_NUM_QUALITY_LEVELS]; // [level]

// Writes a description of a level, for example "no shadows, 50 %". Writes "" for full quality.
void view_describe_quality_level(const view_quality_level *level, char *text, size_t size);

#endif
