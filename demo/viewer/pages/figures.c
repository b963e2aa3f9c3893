#include "demo/viewer/pages/figures.h"

#include "demo/common/memory.h"
#include "demo/viewer/draw/lighting.h"

#include <stdlib.h>
#include <string.h>

// -- Creating -------------------------------------------------------------------------------

void view_free_page_figures(view_figures *figures, md5gl_renderer *renderer)
{
    if (renderer != NULL) {
        for (int i = 0; i < (int)VIEW_NUM_FIGURE_KINDS; i++)
            md5gl_destroy_model(renderer, figures->models[i]);
        md5gl_destroy_baked(renderer, figures->baked);
        md5gl_destroy_impostors(renderer, figures->impostors);
        view_free_heat(&figures->heat, renderer);
    }
    *figures = (view_figures){.baked = NULL};
}

static bool ready_model(view_figures *figures, md5gl_renderer *renderer,
                        const view_picture *picture, view_figure_kind kind, md5_error *error)
{
    md5gl_model **const drawn = &figures->models[kind];
    const md5_model *const model =
        kind == VIEW_FIGURE_BOUND ? picture->kept->bound : picture->scene->model;
    if (*drawn != NULL)
        return true;
    *drawn = md5gl_create_model(renderer, model, MD5GL_PATH_AUTO, error);
    if (*drawn == NULL)
        return false;
    if (kind == VIEW_FIGURE_DUAL)
        return md5gl_set_blending(renderer, *drawn, MD5GL_BLEND_DUAL, error);
    if (kind != VIEW_FIGURE_BAKED)
        return true;
    const md5_baked *const clip = picture->kept->baked;
    figures->baked = md5gl_create_baked(renderer, model, &clip, 1, error);
    return figures->baked != NULL;
}

static bool ready_heat(view_figures *figures, md5gl_renderer *renderer, const view_picture *picture,
                       md5_error *error)
{
    const float *const values = picture->kept != NULL ? picture->kept->heat : NULL;
    if (figures->heat.drawn != NULL && figures->heat_joint == picture->heat_joint
        && figures->heat_values == values)
        return true;
    view_free_heat(&figures->heat, renderer);
    figures->heat_joint = picture->heat_joint;
    figures->heat_values = values;
    return view_make_heat(&figures->heat, renderer, picture->scene->model, values,
                          picture->heat_joint, error);
}

static void write_palette(const view_picture *picture, const view_figure *figure,
                          md5_mat34 *palette)
{
    md5_mat34 *const joints = common_alloc(picture->scene->num_joints, sizeof *joints);
    md5_local_to_palette(picture->scene->model, figure->pose, joints, palette);
    free(joints);
}

// Draws the pictures of a figure's pose, unless they are there.
static bool ready_impostor(view_figures *figures, const view_stage *stage,
                           const view_picture *picture, const view_figure *figure, md5_error *error)
{
    const view_impostor_look *const look = &picture->impostor;
    md5gl_model *const drawn = stage->document->drawn;
    if (figures->impostors == NULL || memcmp(&figures->look, look, sizeof *look) != 0) {
        md5gl_destroy_impostors(stage->renderer, figures->impostors);
        const md5gl_impostor_desc desc = {.num_frames = look->num_frames,
                                          .center = look->centre,
                                          .radius = look->radius,
                                          .num_around = look->num_around,
                                          .texels = look->texels};
        figures->impostors = md5gl_create_impostors(stage->renderer, &desc, error);
        figures->look = *look;
    }
    if (figures->impostors == NULL)
        return false;
    if (drawn == NULL || md5gl_has_impostor_pictures(figures->impostors, figure->moment.frame0))
        return true;
    md5_mat34 *const palette = common_alloc(picture->scene->num_joints, sizeof *palette);
    write_palette(picture, figure, palette);
    view_set_materials(stage, &stage->document->textures, drawn);
    const bool drew = md5gl_draw_impostor_pictures(stage->renderer, figures->impostors, drawn,
                                                   figure->moment.frame0, palette, error);
    free(palette);
    return drew;
}

bool view_ready_page_figures(view_figures *figures, const view_stage *stage,
                             const view_picture *picture, md5_error *error)
{
    if (figures->made_of != picture->scene->model)
        view_free_page_figures(figures, stage->renderer);
    figures->made_of = picture->scene->model;
    for (uint32_t i = 0; i < picture->num_figures; i++) {
        const view_figure *const figure = &picture->figures[i];
        const view_figure_kind kind = figure->kind;
        bool ready = true;
        if (kind == VIEW_FIGURE_HEAT)
            ready = ready_heat(figures, stage->renderer, picture, error);
        else if (kind == VIEW_FIGURE_IMPOSTOR)
            ready = ready_impostor(figures, stage, picture, figure, error);
        else if (kind != VIEW_FIGURE_LIT)
            ready = ready_model(figures, stage->renderer, picture, kind, error);
        if (!ready)
            return false;
    }
    return true;
}

// -- Posing ---------------------------------------------------------------------------------

// The figures of one kind, as the renderer takes them.
typedef struct figure_set {
    uint32_t count;
    md5_mat34 *palettes; // [count * joints]
    md5_mat34 placements[VIEW_PAGE_FIGURES];
    md5_vec4 tints[VIEW_PAGE_FIGURES];
    md5gl_clip_job jobs[VIEW_PAGE_FIGURES];
    md5gl_impostor impostors[VIEW_PAGE_FIGURES];
    float weights[VIEW_PAGE_FIGURES * VIEW_PAGE_TARGETS]; // [count * targets]
} figure_set;

static uint32_t num_targets(const view_picture *picture)
{
    const md5_morph *const morph = picture->scene->morph;
    return morph != NULL && morph->num_targets <= VIEW_PAGE_TARGETS ? morph->num_targets : 0;
}

static void collect(const view_picture *picture, view_figure_kind kind, figure_set *set)
{
    const size_t joints = picture->scene->num_joints;
    const uint32_t targets = num_targets(picture);
    for (uint32_t i = 0; i < picture->num_figures; i++) {
        const view_figure *const figure = &picture->figures[i];
        const uint32_t at = set->count;
        if (figure->kind != kind)
            continue;
        write_palette(picture, figure, set->palettes + at * joints);
        for (uint32_t t = 0; t < targets; t++)
            set->weights[at * targets + t] = figure->is_morphed ? figure->morph_weights[t] : 0.0f;
        set->placements[at] = md5_mat34_from_xform(figure->place);
        set->tints[at] = figure->tint;
        set->jobs[at] = (md5gl_clip_job){.clip = 0, .moment = figure->moment};
        set->impostors[at] = (md5gl_impostor){.rotation = figure->place.rotation,
                                              .translation = figure->place.translation,
                                              .scale = 1.0f,
                                              .frame = (float)figure->moment.frame0,
                                              .shown = 1.0f};
        set->count++;
    }
}

static bool pose_set(const view_figures *figures, const view_stage *stage,
                     const view_picture *picture, view_figure_kind kind, md5gl_model *drawn,
                     const figure_set *set, md5_error *error)
{
    md5gl_renderer *const renderer = stage->renderer;
    const view_morphs *const morphs = &stage->document->morphs;
    if (kind == VIEW_FIGURE_IMPOSTOR)
        return md5gl_pose_impostors(renderer, figures->impostors, set->impostors, set->count,
                                    error);
    const bool is_baked = kind == VIEW_FIGURE_BAKED;
    const bool is_morphed = kind == VIEW_FIGURE_LIT && num_targets(picture) > 0;
    const md5gl_instances instances = {.count = set->count,
                                       .palettes = is_baked ? NULL : set->palettes,
                                       .baked = is_baked ? figures->baked : NULL,
                                       .jobs = set->jobs,
                                       .placements = set->placements,
                                       .tints = set->tints,
                                       .morph = is_morphed ? morphs->drawn : NULL,
                                       .weights = set->weights};
    return md5gl_pose(renderer, drawn, &instances, error);
}

// -- Drawing --------------------------------------------------------------------------------

static md5gl_model *model_of(const view_figures *figures, const view_stage *stage,
                             view_figure_kind kind)
{
    return kind == VIEW_FIGURE_LIT    ? stage->document->drawn
           : kind == VIEW_FIGURE_HEAT ? figures->heat.drawn
                                      : figures->models[kind];
}

// Shadows come before anything lit.
static void draw_set(const view_figures *figures, const view_stage *stage, view_figure_kind kind,
                     bool shadows)
{
    md5gl_model *const drawn = model_of(figures, stage, kind);
    if (kind == VIEW_FIGURE_IMPOSTOR && shadows)
        md5gl_draw_impostor_shadows(stage->renderer, figures->impostors);
    else if (kind == VIEW_FIGURE_IMPOSTOR)
        md5gl_draw_impostors(stage->renderer, figures->impostors, MD5GL_LIT);
    else if (shadows)
        md5gl_draw_shadows(stage->renderer, drawn);
    else
        md5gl_draw_model(stage->renderer, drawn, MD5GL_LIT);
}

bool view_draw_page_figures(view_figures *figures, const view_stage *stage,
                            const view_picture *picture, md5_error *error)
{
    const size_t joints = picture->scene->num_joints;
    figure_set *const set = common_alloc(1, sizeof *set);
    md5_mat34 *const palettes = common_alloc(VIEW_PAGE_FIGURES * joints + 1, sizeof *palettes);
    bool posed = true, is_shown[VIEW_NUM_FIGURE_KINDS] = {false};
    for (int i = 0; i < (int)VIEW_NUM_FIGURE_KINDS && posed && stage->document->drawn; i++) {
        const view_figure_kind kind = (view_figure_kind)i;
        md5gl_model *const drawn = model_of(figures, stage, kind);
        *set = (figure_set){.palettes = palettes};
        collect(picture, kind, set);
        is_shown[i] = set->count > 0;
        if (set->count == 0)
            continue;
        if (drawn != NULL && kind != VIEW_FIGURE_HEAT)
            view_set_materials(stage, &stage->document->textures, drawn);
        posed = pose_set(figures, stage, picture, kind, drawn, set, error);
    }
    for (int pass = 0; pass < 2 && posed; pass++)
        for (int i = 0; i < (int)VIEW_NUM_FIGURE_KINDS; i++)
            if (is_shown[i])
                draw_set(figures, stage, (view_figure_kind)i, pass == 0);
    free(palettes);
    free(set);
    return posed;
}
