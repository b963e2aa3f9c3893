// Decides when the quality of the image is reduced and restored, so that frames do not take too
// long. The quality has steps (view_economies): step 0 is the full quality, a higher step is worse.
// A trial is a change to a better step whose frame time is not known.
#include "demo/viewer/base/quality.h"

#include "demo/common/memory.h"

#include <math.h>

// A single slow frame is ignored, and so is the first frame after a change, which allocates memory.
enum { FRAMES_TO_REDUCE = 3, FRAMES_TO_RETURN = 12, FRAMES_IGNORED = 1, FRAMES_COMPARED = 3 };

// Hysteresis, so that the quality does not oscillate: a better step must be expected to take at
// most `fast_fraction` of the accepted time, and changes are at least `usual_calm` seconds apart. A
// trial without an expected time waits `calms_to_trial` times as long.
static const double fast_fraction = 0.7;
static const double usual_calm = 1.5;
static const double max_calm = 60;
static const double calms_to_trial = 8;

// Two consecutive slow frames reduce the quality if they take more than this in total, seconds.
static const double max_two_slow = 0.4;

const view_economy view_economies[VIEW_NUM_QUALITIES] = {
    {.scale = 1},
    {.one_sample = true, .quick_shadows = true, .coarser = 1, .scale = 1},
    {.one_sample = true, .no_shadows = true, .coarser = 2, .scale = 1},
    {.one_sample = true, .no_shadows = true, .coarser = 2, .scale = 0.75f},
    {.one_sample = true, .no_shadows = true, .coarser = 2, .scale = 0.5f},
    {.one_sample = true, .no_shadows = true, .coarser = 2, .scale = 0.35f},
};

// Returns true if a step changes the image. A step does not if it only reduces a property that the
// image does not have.
static bool has_effect(int step, view_quality_offers offers)
{
    switch (step) {
    case 1: // fewer samples, and faster shadows
        return offers.samples || offers.shadows;
    case 2: // no shadows
        return offers.shadows;
    default:
        return true;
    }
}

// Returns the next step in a direction (1 is worse, -1 better) that changes the image, or the
// current step if there is none.
static uint32_t next_step(uint32_t step, int direction, view_quality_offers offers)
{
    int next = (int)step + direction;
    while (!has_effect(next, offers))
        next += direction;
    const bool exists = next >= 0 && next < VIEW_NUM_QUALITIES;
    return exists ? (uint32_t)next : step;
}

// Returns the maximum ratio of the frame times of a better step and the current step: the ratio of
// their pixels, times factors for samples and shadows in software rendering, where these cost most.
static double max_time_ratio(const view_economy *current, const view_economy *better)
{
    const double side = (better->scale / current->scale);
    double ratio = side * side;
    // Upper estimates of the cost of several samples and of shadows.
    if (current->one_sample && !better->one_sample)
        ratio *= 4;
    if (current->no_shadows && !better->no_shadows)
        ratio *= 2.5;
    return ratio;
}

// Returns the minimum time before a better step is used, seconds.
static double min_calm(const view_quality *quality)
{
    return quality->calm > 0 ? quality->calm : usual_calm;
}

// Changes to a step and restarts the measurements. Returns true, the result of view_judge_quality()
// after a change.
static bool change_step(view_quality *quality, uint32_t step)
{
    quality->has_returned = step < quality->step;
    quality->step = step;
    quality->num_frames = quality->num_slow = quality->num_fast = quality->num_roomy = 0;
    quality->slow_sum = quality->since = 0;
    return true;
}

// Selects the quality of the first frames by the name of the graphics device. Software renderers
// begin with a reduced quality, which a still image also has.
view_quality view_begin_quality(const char *device)
{
    // Software renderers of Mesa (two), browsers, Windows and macOS.
    static const char *const names[] = {"llvmpipe", "softpipe", "SwiftShader",
                                        "Microsoft Basic Render", "Apple Software Renderer"};
    bool is_software = false;
    for (size_t i = 0; i < COMMON_LENGTH(names); i++)
        is_software = is_software || strstr(device, names[i]) != NULL;
    const uint32_t step = is_software ? 1 : 0;
    return (view_quality){.step = step, .still = step};
}

// Measures the cost of the current step by the first frames after the better step was left. Stores
// the shortest time, because interference from other programs only lengthens frames.
static void measure_step(view_quality *quality, double seconds, uint32_t better)
{
    double *const time_after = &quality->next[better];
    const bool is_measured = quality->num_frames <= FRAMES_IGNORED + FRAMES_COMPARED;
    if (quality->has_returned || !is_measured)
        return;
    *time_after = *time_after > 0 ? fmin(*time_after, seconds) : seconds;
}

// Returns the expected frame time of the better step, in seconds: the time of the current step,
// times the ratio that was measured when the better step was left. Returns INFINITY if nothing was
// measured. The ratio is limited by max_time_ratio(), because the machine may have been busy then.
static double expected_time(const view_quality *quality, double seconds, uint32_t better)
{
    const double time_after = quality->next[better];
    if (!(time_after > 0))
        return INFINITY;
    const double measured_ratio = fmax(quality->left[better] / time_after, 1);
    const double max_ratio =
        max_time_ratio(&view_economies[quality->step], &view_economies[better]);
    return seconds * fmin(measured_ratio, max_ratio);
}

// Updates the lengths of the current runs of slow frames, fast frames, and frames that are expected
// to be fast at the better step. `expected` is the expected time at that step, seconds.
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
    quality->num_roomy = expected < fast ? quality->num_roomy + 1 : 0;
}

// Changes to a worse step, and stores the frame time of the step that is left. If this step was
// tried only a short time ago, doubles the wait before the next trial.
static bool reduce_quality(view_quality *quality, uint32_t worse)
{
    const double calm = min_calm(quality);
    const bool has_trial_failed = quality->has_returned && quality->since < 2 * usual_calm;
    quality->calm = has_trial_failed ? fmin(2 * calm, max_calm) : usual_calm;
    quality->left[quality->step] = quality->slow_sum / quality->num_slow;
    quality->next[quality->step] = 0;
    return change_step(quality, worse);
}

bool view_judge_quality(view_quality *quality, double seconds, view_quality_offers offers)
{
    quality->since += seconds;
    quality->num_frames++;
    if (quality->num_frames <= FRAMES_IGNORED)
        return false;

    const uint32_t worse = next_step(quality->step, 1, offers);
    const uint32_t better = next_step(quality->step, -1, offers);
    measure_step(quality, seconds, better);
    count_frame(quality, seconds, expected_time(quality, seconds, better));

    const bool has_two_slow = quality->num_slow >= 2 && quality->slow_sum > max_two_slow;
    const bool is_too_slow = quality->num_slow >= FRAMES_TO_REDUCE || has_two_slow;
    const bool has_worse = worse != quality->step;
    if (is_too_slow && has_worse)
        return reduce_quality(quality, worse);

    // Return to the better step if it is expected to be fast. If its time is unknown, try it after
    // a longer wait.
    const double calm = min_calm(quality);
    const bool is_expected_fast = quality->num_roomy >= FRAMES_TO_RETURN && quality->since >= calm;
    const bool may_try =
        quality->num_fast >= FRAMES_TO_RETURN && quality->since >= calms_to_trial * calm;
    const bool has_better = better != quality->step;
    if (has_better && (is_expected_fast || may_try))
        return change_step(quality, better);
    return false;
}

void view_describe_economy(const view_economy *economy, char *text, size_t size)
{
    const int percent = (int)lroundf(100 * economy->scale);
    const char *reduced = "";
    if (economy->no_shadows)
        reduced = "no shadows";
    else if (economy->one_sample)
        reduced = "fast antialiasing and shadows";
    if (percent > 0 && percent < 100)
        snprintf(text, size, "%s%s%d %%", reduced, *reduced != '\0' ? ", " : "", percent);
    else
        snprintf(text, size, "%s", reduced);
}
