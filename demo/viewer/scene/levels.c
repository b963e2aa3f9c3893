#include "demo/viewer/scene/levels.h"

#include "demo/common/memory.h"

#include <math.h>
#include <stdlib.h>

// Pictures per second of a clip if the memory suffices; small figures need no more.
static const double picture_rate = 15.0;

// Bytes of GPU memory for the pictures of all kinds.
static const size_t picture_memory = (size_t)192 << 20;

// Bytes per frame: 25 views of 64 x 64 texels of 8 bytes, and a third more for mipmaps.
enum { FRAME_SIZE = 25 * 64 * 64 * 8 / 3 * 4 };

static double total_duration(const md5_binding *const *clips, uint32_t num_clips)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < num_clips; i++)
        sum += clips[i]->anim->duration;
    return sum;
}

static void divide_frames(view_levels *levels, const md5_binding *const *clips, uint32_t num_kinds)
{
    const double most = (double)picture_memory / (double)FRAME_SIZE / num_kinds - levels->num_clips;
    const double total = total_duration(clips, levels->num_clips);
    const double rate = total * picture_rate > most ? fmax(most, 0.0) / total : picture_rate;
    for (uint32_t i = 0; i < levels->num_clips; i++) {
        const uint32_t count = (uint32_t)fmin(1.0 + rate * clips[i]->anim->duration, 1e4);
        levels->first[i + 1] = levels->first[i] + count;
    }
}

bool view_make_levels(view_levels *levels, const md5_binding *const *clips, uint32_t num_clips,
                      view_sphere sphere, uint32_t count, uint32_t num_kinds,
                      const view_loader *loader)
{
    md5_error error;
    levels->num_clips = num_clips;
    levels->first = common_alloc((size_t)num_clips + 1, sizeof *levels->first);
    divide_frames(levels, clips, num_kinds);
    const md5gl_impostor_desc desc = {
        .num_frames = levels->first[num_clips],
        .centre = sphere.centre,
        .radius = sphere.radius,
    };
    levels->impostors = md5gl_create_impostors(loader->renderer, &desc, &error);
    if (levels->impostors == NULL) {
        view_log_error(loader->log, &error);
        return false;
    }
    levels->instances = common_alloc(count, sizeof *levels->instances);
    levels->tints = common_alloc(count, sizeof *levels->tints);
    return true;
}

void view_free_levels(view_levels *levels, md5gl_renderer *renderer)
{
    if (renderer != NULL)
        md5gl_destroy_impostors(renderer, levels->impostors);
    free(levels->first);
    free(levels->instances);
    free(levels->tints);
    *levels = (view_levels){0};
}

uint32_t view_count_pictures(const view_levels *levels)
{
    return levels->first[levels->num_clips];
}

uint32_t view_count_clip_pictures(const view_levels *levels, uint32_t clip)
{
    return levels->first[clip + 1] - levels->first[clip];
}

uint32_t view_picture_at(const view_levels *levels, uint32_t clip, const md5_anim *anim,
                         double seconds)
{
    const uint32_t first = levels->first[clip], count = view_count_clip_pictures(levels, clip);
    const double cycles = anim->duration > 0.0 ? seconds / anim->duration : 0.0;
    uint32_t picture = (uint32_t)((cycles - floor(cycles)) * count + 0.5) % count;
    while (picture > 0 && !md5gl_has_impostor_pictures(levels->impostors, first + picture))
        picture--;
    return first + picture;
}
