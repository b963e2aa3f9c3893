#include "demo/viewer/draw/onion.h"

#include "demo/common/memory.h"

#include <stdlib.h>
#include <string.h>

static const md5_vec4 earlier = {0.18f, 0.42f, 1.0f, 0.0f}, later = {1.0f, 0.42f, 0.10f, 0.0f};

// Farther ghosts are drawn with fewer pixels.
static md5_vec4 tint_of(uint32_t number, uint32_t count, bool is_later)
{
    md5_vec4 tint = is_later ? later : earlier;
    tint.w = 1.0f + 0.3f + 0.5f * (float)number / (float)count;
    return tint;
}

uint32_t view_find_ghosts(const view_onion *onion, const view_play *play, const md5_anim *anim,
                          view_ghost ghosts[2 * VIEW_MAX_ONION])
{
    const uint32_t count = onion->count < VIEW_MAX_ONION ? onion->count : VIEW_MAX_ONION;
    uint32_t num_ghosts = 0;
    for (uint32_t i = 1; i <= count && anim->num_frames > 1; i++)
        for (int side = -1; side <= 1; side += 2) {
            const double way = (double)side * (double)i * (double)onion->step / anim->frame_rate;
            const double time = view_cycle_time(play, anim) + way;
            const bool is_outside = time < -1e-9 || time > anim->duration + 1e-9;
            if (play->wrap == MD5_WRAP_CLAMP && is_outside)
                continue;
            ghosts[num_ghosts++] = (view_ghost){
                .moment = md5_moment_at(anim, play->time + way, play->wrap),
                .tint = tint_of(i, count, side > 0),
            };
        }
    return num_ghosts;
}

// The clip whose frames are shown around the current one, or NULL.
static const md5_anim *ghosts_of(const view_stage *stage)
{
    const view_document *const document = stage->document;
    const view_scene *const scene = &document->scene;
    const bool plays = view_motion_of(scene)->clip_use >= VIEW_CLIP_PLAYED;
    return stage->onion.count > 0 && !view_shows_crowd(document) && plays ? view_shown_anim(scene)
                                                                          : NULL;
}

static bool draw_bodies(const view_stage *stage, const view_ghost *ghosts, uint32_t count,
                        md5_error *error)
{
    view_document *const document = stage->document;
    view_scene *const scene = &document->scene;
    md5_mat34 *const palettes = common_alloc((size_t)count * scene->num_joints, sizeof *palettes);
    const view_morphs *const morphs = &document->morphs; // whose weights all ghosts have
    const size_t num_targets = morphs->drawn != NULL ? morphs->morph->num_targets : 0;
    float *const weights = common_alloc(count * num_targets + 1, sizeof *weights);
    md5_vec4 tints[2 * VIEW_MAX_ONION];
    for (uint32_t i = 0; i < count; i++) {
        if (num_targets > 0)
            memcpy(weights + i * num_targets, morphs->weights, num_targets * sizeof *weights);
        view_pose_moment(scene, &ghosts[i].moment);
        memcpy(palettes + (size_t)i * scene->num_joints, scene->palette,
               scene->num_joints * sizeof *palettes);
        tints[i] = ghosts[i].tint;
    }
    const md5gl_instances instances = {.count = count,
                                       .palettes = palettes,
                                       .tints = tints,
                                       .morph = morphs->drawn,
                                       .weights = weights};
    const bool is_posed = md5gl_pose(stage->renderer, document->drawn, &instances, error);
    if (is_posed)
        md5gl_draw_model(stage->renderer, document->drawn, MD5GL_LIT | MD5GL_UNTEXTURED);
    free(weights);
    free(palettes);
    return is_posed;
}

static void draw_bones(const view_stage *stage, const view_ghost *ghosts, uint32_t count)
{
    view_scene *const scene = &stage->document->scene;
    view_clear_lines(stage->lines);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t color = ghosts[i].tint.x < 0.5f ? 0x3E62B0FF : 0xB0482EFF;
        view_pose_moment(scene, &ghosts[i].moment);
        view_add_bones(stage->lines, scene, color);
    }
    if (stage->lines->count > 0)
        md5gl_draw_lines(stage->renderer, stage->lines->vertices, stage->lines->count,
                         stage->font->scale, true);
}

bool view_draw_ghosts(const view_stage *stage, md5_error *error)
{
    view_ghost ghosts[2 * VIEW_MAX_ONION];
    view_scene *const scene = &stage->document->scene;
    const md5_anim *const anim = ghosts_of(stage);
    const uint32_t count =
        anim != NULL ? view_find_ghosts(&stage->onion, stage->play, anim, ghosts) : 0;
    bool is_drawn = true;
    if (count == 0)
        return true;
    if (stage->document->drawn != NULL)
        is_drawn = draw_bodies(stage, ghosts, count, error);
    else
        draw_bones(stage, ghosts, count);
    view_pose(scene, stage->play);
    return is_drawn;
}
