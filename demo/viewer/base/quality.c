// Decides when the quality of the image is reduced and restored. See quality.h.
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

// Returns false if a step does not change the image, because the renderer does not offer the
// property that the step reduces.
static bool has_effect(int step, view_quality_offers offers)
{
    if (step == 1)
        return offers.samples || offers.shadows;
    return step != 2 || offers.shadows;
}

// Returns the next step in a direction that changes the image, or the current step.
static uint32_t next_step(uint32_t step, int direction, view_quality_offers offers)
{
    int next = (int)step + direction;
    while (!has_effect(next, offers))
        next += direction;
    return next >= 0 && next < VIEW_NUM_QUALITIES ? (uint32_t)next : step;
}

// Returns the maximum ratio of the frame times of a better step and the current step: the ratio of
// their pixels, times factors for samples and shadows in software rendering, where these cost most.
static double max_time_ratio(const view_economy *current, const view_economy *better)
{
    const double side = (better->scale / current->scale);
    double ratio = side * side;
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

static bool change_step(view_quality *quality, uint32_t step)
{
    quality->has_returned = step < quality->step;
    quality->step = step;
    quality->num_frames = quality->num_slow = quality->num_fast = quality->num_roomy = 0;
    quality->slow_sum = quality->since = 0;
    return true;
}

view_quality view_begin_quality(const char *device)
{
    // Software renderers of Mesa (two), browsers, Windows and macOS.
    static const char *const names[] = {"llvmpipe", "softpipe", "SwiftShader",
                                        "Microsoft Basic Render", "Apple Software Renderer"};
    uint32_t step = 0;
    for (size_t i = 0; i < COMMON_LENGTH(names); i++)
        step = strstr(device, names[i]) != NULL ? 1 : step;
    return (view_quality){.step = step, .still = step};
}

bool view_judge_quality(view_quality *quality, double seconds, view_quality_offers offers)
{
    quality->since += seconds;
    if (quality->num_frames++ < FRAMES_IGNORED)
        return false;
    const uint32_t worse = next_step(quality->step, 1, offers);
    const uint32_t better = next_step(quality->step, -1, offers);

    // The first frames after the better step was left measure the cost of this step. Use the
    // shortest time, because interference from other programs only lengthens frames.
    double *const next = &quality->next[better];
    if (!quality->has_returned && quality->num_frames <= FRAMES_IGNORED + FRAMES_COMPARED)
        *next = *next > 0 ? fmin(*next, seconds) : seconds;
    // Expected frame time of the better step. It is limited by max_time_ratio(), because the
    // machine may have been busy when the better step was measured.
    double expected = INFINITY;
    if (*next > 0)
        expected = seconds
                   * fmin(fmax(quality->left[better] / *next, 1),
                          max_time_ratio(&view_economies[quality->step], &view_economies[better]));
    const double fast = fast_fraction * VIEW_SLOWEST_FRAME;
    const bool is_slow = seconds > VIEW_SLOWEST_FRAME;
    quality->num_slow = is_slow ? quality->num_slow + 1 : 0;
    quality->slow_sum = is_slow ? quality->slow_sum + seconds : 0;
    quality->num_fast = seconds < fast ? quality->num_fast + 1 : 0;
    quality->num_roomy = expected < fast ? quality->num_roomy + 1 : 0;
    const bool is_too_slow = quality->num_slow >= FRAMES_TO_REDUCE
                             || (quality->num_slow >= 2 && quality->slow_sum > max_two_slow);
    if (worse != quality->step && is_too_slow) {
        // A failed return to better quality doubles the wait before the next.
        const double calm = min_calm(quality);
        const bool was_in_vain = quality->has_returned && quality->since < 2 * usual_calm;
        quality->calm = was_in_vain ? fmin(2 * calm, max_calm) : usual_calm;
        quality->left[quality->step] = quality->slow_sum / quality->num_slow;
        quality->next[quality->step] = 0;
        return change_step(quality, worse);
    }
    const bool is_roomy =
        quality->num_roomy >= FRAMES_TO_RETURN && quality->since >= min_calm(quality);
    const bool may_try = quality->num_fast >= FRAMES_TO_RETURN
                         && quality->since >= calms_to_trial * min_calm(quality);
    return better != quality->step && (is_roomy || may_try) && change_step(quality, better);
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
