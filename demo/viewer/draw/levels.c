#include "demo/viewer/draw/levels.h"

#include "demo/common/memory.h"
#include "demo/viewer/draw/lighting.h"

#include <stdlib.h>
#include <string.h>

enum { PICTURES_A_FRAME = 2 }; // in a window

// -- Pictures ---------------------------------------------------------------------------------

// The first frames of all clips are drawn first, so that every clip soon has a picture.
static uint32_t frame_in_order(const view_levels *levels, uint32_t number, uint32_t *clip)
{
    uint32_t frame = number;
    *clip = number;
    if (number < levels->num_clips)
        return levels->first[number];
    frame -= levels->num_clips;
    for (*clip = 0; *clip < levels->num_clips; ++*clip) {
        const uint32_t others = view_count_clip_pictures(levels, *clip) - 1;
        if (frame < others)
            break;
        frame -= others;
    }
    return levels->first[*clip] + 1 + frame;
}

static bool draw_picture(const view_stage *stage, const view_kind *kind, uint32_t number,
                         md5_error *error)
{
    const view_levels *const levels = &kind->levels;
    uint32_t clip;
    const uint32_t frame = frame_in_order(levels, number, &clip);
    const md5_binding *const binding = kind->clips[clip];
    const double part =
        (double)(frame - levels->first[clip]) / view_count_clip_pictures(levels, clip);
    const md5_moment moment =
        md5_moment_at(binding->anim, part * binding->anim->duration, MD5_WRAP_LOOP);
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const joints = common_alloc(num_joints, sizeof *joints);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    md5_pose_palette(binding, moment, MD5_ROOT_IN_PLACE, pose, joints, palette);
    const bool drawn = md5gl_draw_impostor_pictures(stage->renderer, levels->impostors, kind->drawn,
                                                    frame, palette, error);
    free(pose);
    free(joints);
    free(palette);
    return drawn;
}

// The display settings on which the pictures depend.
static uint32_t look_of(const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    return 1u | (uint32_t)shown->maps << 1 | (uint32_t)shown->two_sided << 2
           | (uint32_t)shown->checker << 3 | (uint32_t)stage->document->scene.dual << 4;
}

static bool prepare(const view_stage *stage, view_kind *kind, md5_error *error)
{
    view_levels *const levels = &kind->levels;
    const uint32_t count = view_count_pictures(levels), look = look_of(stage);
    if (look != levels->look)
        levels->num_drawn = 0;
    levels->look = look;
    if (levels->num_drawn >= count)
        return true;
    const bool in_window = stage->options->output == NULL && stage->options->num_frames == 0;
    uint32_t end = count;
    if (in_window && levels->num_drawn < levels->num_clips)
        end = levels->num_clips;
    else if (in_window && count - levels->num_drawn > PICTURES_A_FRAME)
        end = levels->num_drawn + PICTURES_A_FRAME;
    view_set_materials(stage, kind->textures, kind->drawn);
    for (; levels->num_drawn < end; levels->num_drawn++)
        if (!draw_picture(stage, kind, levels->num_drawn, error))
            return false;
    return true;
}

bool view_prepare_levels(const view_stage *stage, md5_error *error)
{
    view_crowd *const crowd = &stage->document->crowd;
    for (uint32_t k = 0; k < crowd->num_kinds; k++)
        if (crowd->kinds[k].levels.impostors != NULL && !prepare(stage, &crowd->kinds[k], error))
            return false;
    return true;
}

// -- Members ----------------------------------------------------------------------------------

float view_impostor_share(float size, float pixels)
{
    if (pixels <= 0.0f)
        return 0.0f;
    return view_clamp((1.25f * pixels - size) / (0.25f * pixels), 0.0f, 1.0f);
}

bool view_pose_bakes(const view_stage *stage, view_kind *kind, md5_error *error)
{
    view_bakes *const bakes = &kind->bakes;
    if (bakes->clips == NULL)
        return true;
    view_set_materials(stage, kind->textures, bakes->drawn);
    return md5gl_pose(stage->renderer, bakes->drawn,
                      &(md5gl_instances){.count = bakes->num_instances,
                                         .baked = bakes->clips,
                                         .jobs = bakes->jobs,
                                         .placements = bakes->placements,
                                         .tints = bakes->fades ? bakes->tints : NULL},
                      error);
}

// -- Details ----------------------------------------------------------------------------------

bool view_uses_details(const view_crowd *crowd, const view_kind *kind)
{
    return crowd->reduces && kind->details.count > 0;
}

// Writes the tints of a kind's visible models, and returns whether any fades into its impostor.
static bool set_tints(const view_kind *kind, const view_crowd *crowd)
{
    bool fades = false;
    for (uint32_t i = 0; i < kind->num_seen && kind->levels.impostors != NULL; i++) {
        const float share = crowd->members[kind->seen[i]].far_share;
        kind->levels.tints[i] = (md5_vec4){1.0f, 1.0f, 1.0f, 1.0f + share};
        fades = fades || share > 0.0f;
    }
    return fades;
}

static int compare_sizes(const void *a, const void *b)
{
    const view_sized *const x = a, *const y = b;
    if (x->pixels < y->pixels || x->pixels > y->pixels)
        return x->pixels > y->pixels ? -1 : 1;
    return (x->seen_at > y->seen_at) - (x->seen_at < y->seen_at);
}

// Where each level's members begin.
static void divide(view_kind *kind, const view_crowd *crowd)
{
    view_details *const details = &kind->details;
    for (uint32_t i = 0; i < details->count; i++)
        details->levels[i].num_instances = 0;
    for (uint32_t i = 0; i < kind->num_seen; i++)
        details->levels[crowd->members[kind->seen[i]].detail].num_instances++;
    for (uint32_t i = 0, first = 0; i < details->count; i++) {
        details->levels[i].first = first;
        first += details->levels[i].num_instances;
        details->levels[i].num_instances = 0;
    }
}

// Sorts the visible members by their levels and from near to far, so that fewer pixels are lit that
// others then cover.
static void sort_members(view_kind *kind, const view_crowd *crowd)
{
    view_details *const details = &kind->details;
    const size_t num_joints = kind->model->skeleton.num_joints;
    divide(kind, crowd);
    for (uint32_t i = 0; i < kind->num_seen; i++)
        details->order[i] = (view_sized){crowd->members[kind->seen[i]].pixels, i};
    qsort(details->order, kind->num_seen, sizeof *details->order, compare_sizes);
    for (uint32_t i = 0; i < kind->num_seen; i++) {
        const uint32_t from = details->order[i].seen_at;
        view_detail *const detail = &details->levels[crowd->members[kind->seen[from]].detail];
        const uint32_t to = detail->first + detail->num_instances++;
        memcpy(details->palettes + to * num_joints, kind->palettes + from * num_joints,
               num_joints * sizeof *kind->palettes);
        details->placements[to] = kind->placements[from];
        if (kind->levels.tints != NULL)
            details->tints[to] = kind->levels.tints[from];
    }
}

// Members `first` to `first + count` as they are sorted.
static bool pose_detail(const view_stage *stage, const view_kind *kind, md5gl_model *drawn,
                        uint32_t first, uint32_t count, bool has_tints, md5_error *error)
{
    const view_details *const details = &kind->details;
    const md5_mat34 *const palettes =
        details->palettes + (size_t)first * kind->model->skeleton.num_joints;
    view_set_materials(stage, kind->textures, drawn);
    return md5gl_pose(stage->renderer, drawn,
                      &(md5gl_instances){.count = count,
                                         .palettes = palettes,
                                         .placements = details->placements + first,
                                         .tints = has_tints ? details->tints + first : NULL},
                      error);
}

bool view_pose_details(const view_stage *stage, view_kind *kind, const view_crowd *crowd,
                       md5_error *error)
{
    const view_details *const details = &kind->details;
    const bool has_tints = set_tints(kind, crowd);
    sort_members(kind, crowd);
    for (uint32_t i = 0; i < details->count; i++) {
        const view_detail *const detail = &details->levels[i];
        if (detail->drawn != NULL
            && !pose_detail(stage, kind, detail->drawn, detail->first, detail->num_instances,
                            has_tints, error))
            return false;
    }
    return details->casters == NULL
           || pose_detail(stage, kind, details->casters, 0, kind->num_seen, has_tints, error);
}

// A level is NULL if it is drawn as the one before.
static void draw_detail(const view_stage *stage, const md5gl_model *drawn, bool is_shadow,
                        uint32_t style)
{
    if (drawn != NULL && is_shadow)
        md5gl_draw_shadows(stage->renderer, drawn);
    else if (drawn != NULL)
        md5gl_draw_model(stage->renderer, drawn, style);
}

void view_draw_details(const view_stage *stage, const view_kind *kind, bool is_shadow,
                       uint32_t style)
{
    const view_details *const details = &kind->details;
    if (is_shadow && details->casters != NULL) {
        draw_detail(stage, details->casters, is_shadow, style);
        return;
    }
    for (uint32_t i = 0; i < details->count; i++)
        draw_detail(stage, details->levels[i].drawn, is_shadow, style);
}

// -- Impostors --------------------------------------------------------------------------------

bool view_pose_levels(const view_stage *stage, view_kind *kind, const view_crowd *crowd,
                      md5_error *error)
{
    view_levels *const levels = &kind->levels;
    if (levels->impostors == NULL)
        return true;
    return (view_uses_details(crowd, kind) || !set_tints(kind, crowd)
            || md5gl_pose(stage->renderer, kind->drawn,
                          &(md5gl_instances){.count = kind->num_seen, .tints = levels->tints},
                          error))
           && md5gl_pose_impostors(stage->renderer, levels->impostors, levels->instances,
                                   levels->num_instances, error);
}
