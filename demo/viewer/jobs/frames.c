// Draws frames and reports how long they took, and how long updates of a crowd took.
#include "demo/viewer/jobs/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct frame_times {
    uint32_t count;
    double *frames, *updates, *rests; // [count] seconds; frame = update + rest
    double *joints;                   // [count] seconds of update per posed joint
    uint64_t num_seen, num_posed;     // characters, summed over all frames
    uint64_t num_baked;               // drawn from baked clips
    uint64_t num_far, num_faded;      // that were impostors, and of these also models
} frame_times;

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double wall_seconds(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

static void print_crowd(const view_crowd *crowd, const frame_times *times)
{
    const double count = times->count;
    printf("%u characters of %u models: per frame %.1f drawn, %.1f posed by %u threads\n",
           (unsigned)crowd->count, (unsigned)crowd->num_kinds, (double)times->num_seen / count,
           (double)times->num_posed / count, (unsigned)crowd->threads->num_workers);
    const uint64_t num_models = times->num_seen - times->num_far + times->num_faded;
    if (crowd->baked_pixels > 0.0f || crowd->impostor_pixels > 0.0f)
        printf("%.1f skinned, %.1f baked, %.1f impostors, %.1f of them fading into models\n",
               (double)(num_models - times->num_baked) / count, (double)times->num_baked / count,
               (double)times->num_far / count, (double)times->num_faded / count);
    const double middle = median(times->updates, times->count);
    printf("update: min %.3f ms, median %.3f ms, %.2f ns per joint; the rest: median %.3f ms\n",
           1e3 * times->updates[0], 1e3 * middle, 1e9 * median(times->joints, times->count),
           1e3 * median(times->rests, times->count));
}

static void print_times(const view_state *viewer, const frame_times *times)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < times->count; i++)
        sum += times->frames[i];
    const double middle = median(times->frames, times->count);
    printf("%u frames of %ux%u in %.3f s: min %.3f ms, median %.3f ms, max %.3f ms\n",
           (unsigned)times->count, (unsigned)viewer->width, (unsigned)viewer->height, sum,
           1e3 * times->frames[0], 1e3 * middle, 1e3 * times->frames[times->count - 1]);
    if (view_shows_crowd(viewer->document))
        print_crowd(&viewer->document->crowd, times);
}

static void note_frame(const view_crowd *crowd, frame_times *times, uint32_t frame, double seconds)
{
    const double joints = crowd->num_joints > 0 ? (double)crowd->num_joints : 1.0;
    times->frames[frame] = seconds;
    times->updates[frame] = crowd->last_seconds;
    times->rests[frame] = seconds - crowd->last_seconds;
    times->joints[frame] = crowd->last_seconds / joints;
    times->num_seen += view_count_seen(crowd);
    times->num_posed += crowd->num_posed;
    times->num_baked += crowd->num_baked;
    times->num_far += crowd->num_far;
    times->num_faded += crowd->num_faded;
}

static bool draw_frames(view_state *viewer, md5gl_target *target, frame_times *times,
                        md5_error *error)
{
    const double rate = viewer->options->frame_rate > 0.0 ? viewer->options->frame_rate : 60.0;
    uint8_t pixel[4];
    viewer->play.playing = true;
    for (uint32_t i = 0; i < times->count; i++) {
        const double begin = wall_seconds();
        // Reading back one pixel waits until the GPU has finished the frame.
        if (!view_draw(viewer, target, viewer->width, viewer->height, false, false, error)
            || !md5gl_read_pixels(viewer->renderer, target, 1, 1, pixel, error))
            return false;
        viewer->frame_seconds = wall_seconds() - begin;
        note_frame(&viewer->document->crowd, times, i, viewer->frame_seconds);
        view_advance(&viewer->play, view_clock(&viewer->document->scene), 1.0 / rate);
        view_log_progress(&viewer->log, "frames", i, times->count);
    }
    view_log_progress(&viewer->log, "frames", times->count, times->count);
    return true;
}

bool view_run_frames(view_state *viewer)
{
    const uint32_t count = viewer->options->num_frames;
    md5_error error;
    frame_times times = {
        .count = count,
        .frames = common_alloc(count, sizeof(double)),
        .updates = common_alloc(count, sizeof(double)),
        .rests = common_alloc(count, sizeof(double)),
        .joints = common_alloc(count, sizeof(double)),
    };
    md5gl_target *const target = md5gl_create_target(
        viewer->renderer, viewer->width, viewer->height, viewer->options->samples, &error);
    const bool drawn = target != NULL && draw_frames(viewer, target, &times, &error);
    if (drawn)
        print_times(viewer, &times);
    else
        view_log_error(&viewer->log, &error);
    md5gl_destroy_target(viewer->renderer, target);
    free(times.frames);
    free(times.updates);
    free(times.rests);
    free(times.joints);
    return drawn;
}
