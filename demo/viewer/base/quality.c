// Decides when image quality is reduced or restored, so that frames do not take too long. The
// quality has levels (view_quality_levels). Level 0 is full quality, and higher levels have lower
// quality. A trial is a change to a better level before its frame time is known.
#include "demo/viewer/base/quality.h"

#include "demo/common/memory.h"

#include <math.h>

// A single slow frame is ignored, because other programs may have caused it. The first frame after
// a change is ignored, because it allocates memory.
enum { FRAMES_TO_REDUCE = 3, FRAMES_TO_RAISE = 12, FRAMES_IGNORED = 1, FRAMES_COMPARED = 3 };

// Hysteresis, which prevents oscillation. A better level is used only if its frames are expected to
// take at most `fast_fraction` of the accepted time. Two changes are at least `default_wait`
// seconds apart. If no frame time can be expected, a trial begins after `waits_per_trial` times
// this wait.
static const double fast_fraction = 0.7;
static const double default_wait = 1.5;
static const double max_wait = 60;
static const double waits_per_trial = 8;

// Two consecutive slow frames are enough to reduce the quality if their total time exceeds this
// limit, in seconds.
static const double max_two_slow = 0.4;

const view_quality_level view_quality_levels[VIEW_NUM_QUALITY_LEVELS] = {
    {.scale = 1},
    {.one_sample = true, .quick_shadows = true, .coarser = 1, .scale = 1},
    {.one_sample = true, .no_shadows = true, .coarser = 2, .scale = 1},
    {.one_sample = true, .no_shadows = true, .coarser = 2, .scale = 0.75f},
    {.one_sample = true, .no_shadows = true, .coarser = 2, .scale = 0.5f},
    {.one_sample = true, .no_shadows = true, .coarser = 2, .scale = 0.35f},
};

// Returns true if a level changes the image. A level that reduces only properties that the image
// does not have, changes nothing.
static bool has_effect(int level, view_quality_offers offers)
{
    switch (level) {
    case 1: // fewer samples, and faster shadows
        return offers.samples || offers.shadows;
    case 2: // no shadows
        return offers.shadows;
    default:
        return true;
    }
}

// Returns the next level that changes the image. `direction` is 1 for worse and -1 for better.
// Returns the current level if there is no such level.
static uint32_t next_level(uint32_t level, int direction, view_quality_offers offers)
{
    int next = (int)level + direction;
    while (!has_effect(next, offers))
        next += direction;
    const bool exists = next >= 0 && next < VIEW_NUM_QUALITY_LEVELS;
    return exists ? (uint32_t)next : level;
}

// Returns an upper limit for the ratio of the frame times of a better level and of the current
// level. It is the ratio of the numbers of pixels, times factors for samples and shadows. The
// factors were chosen for software rendering, where samples and shadows cost most.
static double max_time_ratio(const view_quality_level *current, const view_quality_level *better)
{
    const double side = (better->scale / current->scale);
    double ratio = side * side;
    // Estimates of the cost of several samples per pixel and of shadows, which are rather too high.
    if (current->one_sample && !better->one_sample)
        ratio *= 4;
    if (current->no_shadows && !better->no_shadows)
        ratio *= 2.5;
    return ratio;
}

// Returns the minimum time between a change and the return to a better level, in seconds.
static double min_wait(const view_quality *quality)
{
    return quality->wait > 0 ? quality->wait : default_wait;
}

// Changes the level and restarts the measurements. Returns true, so that view_update_quality() can
// return the result.
static bool change_level(view_quality *quality, uint32_t level)
{
    quality->was_raised = level < quality->level;
    quality->level = level;
    quality->num_frames = quality->num_slow = quality->num_fast = quality->num_expected_fast = 0;
    quality->slow_sum = quality->seconds_since_change = 0;
    return true;
}

// Selects the quality of the first frames by the name of the graphics device. With a software
// renderer, the first frames and all still images have reduced quality.
view_quality view_begin_quality(const char *device)
{
    // The software renderers of Mesa (two), web browsers, Windows and macOS.
    static const char *const names[] = {"llvmpipe", "softpipe", "SwiftShader",
                                        "Microsoft Basic Render", "Apple Software Renderer"};
    bool is_software = false;
    for (size_t i = 0; i < COMMON_LENGTH(names); i++)
        is_software = is_software || strstr(device, names[i]) != NULL;
    const uint32_t level = is_software ? 1 : 0;
    return (view_quality){.level = level, .still_level = level};
}

// Measures the frame time of the current level in the first frames after a change from the level
// `better`. Stores the shortest time, because other programs only make frames longer.
static void measure_level(view_quality *quality, double seconds, uint32_t better)
{
    double *const time_after = &quality->time_after[better];
    const bool is_measured = quality->num_frames <= FRAMES_IGNORED + FRAMES_COMPARED;
    if (quality->was_raised || !is_measured)
        return;
    *time_after = *time_after > 0 ? fmin(*time_after, seconds) : seconds;
}

// Returns the expected frame time of the level `better`, in seconds. It is the time of the current
// level times the ratio of the frame times of both levels. This ratio was measured at the last
// change from `better` to a lower quality. max_time_ratio() limits it, because the machine may have
// been busy at that time. Returns INFINITY if nothing was measured.
static double expected_time(const view_quality *quality, double seconds, uint32_t better)
{
    const double time_after = quality->time_after[better];
    if (!(time_after > 0))
        return INFINITY;
    const double measured_ratio = fmax(quality->time_before[better] / time_after, 1);
    const double max_ratio =
        max_time_ratio(&view_quality_levels[quality->level], &view_quality_levels[better]);
    return seconds * fmin(measured_ratio, max_ratio);
}

// Counts consecutive frames of three kinds: slow frames, fast frames, and frames that would be fast
// at the better level. `expected` is the expected frame time of that level, in seconds.
static void count_frame(view_quality *quality, double seconds, double expected)
{
    const double fast = fast_fraction * VIEW_SLOWEST_FRAME;
    if (seconds > VIEW_SLOWEST_FRAME) {
        quality->num_slow++;
        quality->slow_sum += seconds;
    } else {
        quality->num_slow = 0;
        quality->slow_sum = 0;
    }
    quality->num_fast = seconds < fast ? quality->num_fast + 1 : 0;
    quality->num_expected_fast = expected < fast ? quality->num_expected_fast + 1 : 0;
}

// Changes to the level `worse`, and stores the frame time of the current level. If the current
// level was tried only a short time ago, the trial has failed. The wait before the next trial is
// then doubled.
static bool reduce_quality(view_quality *quality, uint32_t worse)
{
    const double wait = min_wait(quality);
    const bool has_trial_failed =
        quality->was_raised && quality->seconds_since_change < 2 * default_wait;
    quality->wait = has_trial_failed ? fmin(2 * wait, max_wait) : default_wait;
    quality->time_before[quality->level] = quality->slow_sum / quality->num_slow;
    quality->time_after[quality->level] = 0;
    return change_level(quality, worse);
}

// Decides after each frame if the quality is reduced or restored. Returns true if it has
// changed. The first frame after a change of the level is ignored, because it allocates memory.
bool view_update_quality(view_quality *quality, double seconds, view_quality_offers offers)
{
    quality->seconds_since_change += seconds;
    quality->num_frames++;
    if (quality->num_frames <= FRAMES_IGNORED)
        return false;

    const uint32_t worse = next_level(quality->level, 1, offers);
    const uint32_t better = next_level(quality->level, -1, offers);
    measure_level(quality, seconds, better);
    count_frame(quality, seconds, expected_time(quality, seconds, better));

    const bool has_two_slow = quality->num_slow >= 2 && quality->slow_sum > max_two_slow;
    const bool is_too_slow = quality->num_slow >= FRAMES_TO_REDUCE || has_two_slow;
    const bool has_worse = worse != quality->level;
    if (is_too_slow && has_worse)
        return reduce_quality(quality, worse);

    // Return to the better level if its frames are expected to be fast. If their time is unknown,
    // try the level after a longer wait.
    const double wait = min_wait(quality);
    const bool is_expected_fast =
        quality->num_expected_fast >= FRAMES_TO_RAISE && quality->seconds_since_change >= wait;
    const bool may_try = quality->num_fast >= FRAMES_TO_RAISE
                         && quality->seconds_since_change >= waits_per_trial * wait;
    const bool has_better = better != quality->level;
    if (has_better && (is_expected_fast || may_try))
        return change_level(quality, better);
    return false;
}

// Writes a description of a reduced quality to text[size], such as "no shadows, 50 %". A level
// without shadows also has only one sample per pixel, so its description mentions only the
// shadows. The percentage is the resolution of the image relative to the window.
void view_describe_quality_level(const view_quality_level *level, char *text, size_t size)
{
    const int percent = (int)lroundf(100 * level->scale);
    const char *reduced = "";
    if (level->no_shadows)
        reduced = "no shadows";
    else if (level->one_sample)
        reduced = "fast antialiasing and shadows";
    if (percent > 0 && percent < 100)
        snprintf(text, size, "%s%s%d %%", reduced, *reduced != '\0' ? ", " : "", percent);
    else
        snprintf(text, size, "%s", reduced);
}
