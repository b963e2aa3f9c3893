#include "demo/viewer/draw/draw.h"

#include "demo/common/memory.h"
#include "demo/viewer/assets/layers.h"
#include "demo/viewer/base/math.h"

#include <stdlib.h>
#include <string.h>

// == Ghosts ================================================================================

static const md5_vec4 earlier = {0.18f, 0.42f, 1.0f, 0.0f}, later = {1.0f, 0.42f, 0.10f, 0.0f};

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
            md5_vec4 tint = side > 0 ? later : earlier;
            tint.w = 1.0f + 0.3f + 0.5f * (float)i / (float)count; // farther ones: fewer pixels
            ghosts[num_ghosts++] = (view_ghost){
                .moment = md5_moment_at(anim, play->time + way, play->wrap), .tint = tint};
        }
    return num_ghosts;
}

static bool draw_ghost_bodies(const view_stage *stage, const view_ghost *ghosts, uint32_t count,
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

// Draws them, if a clip is shown: the model without textures, or the bones if there is no model.
// Call it within a frame, last of what draws the document's model. Returns false and fills `error`
// on failure.
static bool draw_ghosts(const view_stage *stage, md5_error *error)
{
    view_ghost ghosts[2 * VIEW_MAX_ONION];
    view_scene *const scene = &stage->document->scene;
    const bool plays = view_motion_of(scene)->clip_use >= VIEW_CLIP_PLAYED;
    if (stage->onion.count == 0 || view_shows_crowd(stage->document) || !plays)
        return true;
    const md5_anim *const anim = view_shown_anim(scene);
    const uint32_t count =
        anim != NULL ? view_find_ghosts(&stage->onion, stage->play, anim, ghosts) : 0;
    bool is_drawn = true;
    if (count == 0)
        return true;
    if (stage->document->drawn != NULL)
        is_drawn = draw_ghost_bodies(stage, ghosts, count, error);
    else
        draw_bones(stage, ghosts, count);
    view_pose(scene, stage->play);
    return is_drawn;
}

// == Companions ============================================================================

// Writes the companion's palette and returns its placement.
static md5_mat34 pose(view_companion *companion, const view_document *document)
{
    const md5_skeleton *const skeleton = &companion->model->skeleton;
    const view_scene *const scene = &document->scene;
    if (companion->machine != NULL) {
        // A guest's palette is in the world already.
        view_pose_machine(companion->machine, skeleton->num_joints, companion->pose,
                          companion->joints, companion->palette);
        return companion->joint >= 0 ? scene->joints[companion->joint]
                                     : md5_mat34_from_xform((md5_xform){.rotation = {.w = 1.0f}});
    }
    const bool is_compared = companion == &document->companions[VIEW_COMPARED];
    // To the left of the scene's model, or to the right of it.
    const float side = is_compared ? -1.0f : 1.0f;
    const md5_xform aside = {
        .rotation = {.w = 1.0f},
        .translation = {0.0f, side * view_companion_distance(companion, scene), 0.0f},
    };
    md5_mat34 place =
        md5_mat34_mul(md5_mat34_from_xform(aside), md5_mat34_from_xform(view_place_of(scene)));
    if (scene->turn.is_set)
        place = md5_mat34_mul(place, scene->turn.matrix);
    if (is_compared) {
        md5_build_palette(companion->model, document->compare.joints, companion->palette);
        return place;
    }
    if (companion->retarget != NULL) {
        md5_retarget_pose(companion->retarget, scene->pose, companion->pose, companion->scratch);
    } else {
        memcpy(companion->pose, companion->model->bind_local,
               skeleton->num_joints * sizeof *companion->pose);
        place = scene->joints[companion->joint];
    }
    md5_local_to_model(skeleton, companion->pose, companion->palette);
    md5_build_palette(companion->model, companion->palette, companion->palette);
    return place;
}

// == Surface: weights or a grid on the body ================================================

// In a crowd there is no single marked joint.
static bool shows_weights(const view_stage *stage)
{
    return stage->surface == VIEW_SURFACE_WEIGHTS && stage->document->drawn != NULL
           && !view_shows_crowd(stage->document);
}

// Prepares what the surface that is switched on needs. Call it before each picture, outside of a
// frame. Returns false and fills `error` on failure.
static bool prepare_surface(const view_stage *stage, md5_error *error)
{
    view_document *const document = stage->document;
    if (stage->surface == VIEW_SURFACE_UV && document->drawn != NULL)
        return view_ready_uv_grid(&document->surfaces, stage->renderer, error);
    if (!shows_weights(stage))
        return true;
    if (!view_ready_heat(&document->surfaces, stage->renderer, document->scene.model,
                         document->scene.morph, stage->joint, error))
        return false;
    // The coloured copy is blended, hidden and bent as the model.
    md5gl_model *const copy = document->surfaces.heat.drawn;
    for (uint32_t i = 0; i < document->textures.num_meshes; i++) {
        const bool is_hidden = i < 64 && (stage->hidden_meshes >> i & 1) != 0;
        const md5gl_material usual =
            view_mesh_material(&document->textures, stage->renderer, i, false, stage->play->time);
        const md5gl_material plain = {.two_sided = usual.two_sided || stage->shown->two_sided};
        md5gl_set_visible(copy, i, !is_hidden);
        md5gl_set_material(copy, 0, i, &plain);
    }
    const md5gl_blending blending = document->scene.dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    return md5gl_set_blending(stage->renderer, copy, blending, error);
}

// == One picture ===========================================================================

static const view_color sky = 0x47515FFF, floor_color = 0x262B33FF;

// The gradient's middle: the background colour where no gradient is drawn.
static const float middle[3] = {0.214f, 0.243f, 0.286f};

view_lens view_stage_lens(const view_stage *stage, float width, float height)
{
    if (stage->following)
        return view_path_lens(stage->document, stage->play, stage->camera, width, height);
    const view_rect region = stage->region;
    view_camera camera = *stage->camera;
    camera.target = md5_vec3_add(camera.target, view_walked(&stage->document->scene, stage->play));
    view_lens lens = view_camera_lens(&camera, region.width, region.height);
    view_widen_lens(&lens, region.x, region.y, region.width, region.height, width, height);
    return lens;
}

void view_draw_background(const view_stage *stage, float width, float height)
{
    view_clear_canvas(stage->canvas);
    view_draw_gradient(stage->canvas, (view_rect){0, 0, width, height}, sky, floor_color);
    md5gl_draw_panel(stage->renderer, stage->font->mask, MD5GL_TEXTURE_MASK,
                     stage->canvas->vertices, stage->canvas->count);
}

// -- Bodies ---------------------------------------------------------------------------------

bool view_add_body(const view_stage *stage, view_bodies *bodies, unsigned uses,
                   const view_textures *textures, md5gl_model *drawn,
                   const md5gl_instances *instances, md5_error *error)
{
    if (textures != NULL)
        view_set_materials(stage, textures, drawn);
    bodies->bodies[bodies->count++] = (view_body){uses, textures, drawn, NULL};
    return md5gl_pose(stage->renderer, drawn, instances, error);
}

// The document's model and its companions.
static bool pose_document(const view_stage *stage, view_bodies *bodies, md5_error *error)
{
    enum { ALL = VIEW_BODY_CASTS | VIEW_BODY_SHOWN | VIEW_BODY_STAGED };
    view_document *const document = stage->document;
    const bool is_heat = shows_weights(stage); // a coloured copy, with targets of its own
    const md5gl_instances model = {
        .count = 1,
        .palettes = document->scene.palette,
        .morph = is_heat ? document->surfaces.drawn_morph : document->morphs.drawn,
        .weights = document->morphs.weights,
    };
    if (!view_add_body(stage, bodies, is_heat ? VIEW_BODY_CASTS | VIEW_BODY_SHOWN : ALL,
                       is_heat ? NULL : &document->textures,
                       is_heat ? document->surfaces.heat.drawn : document->drawn, &model, error))
        return false;
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        view_companion *const companion = &document->companions[i];
        if (companion->model == NULL)
            continue;
        companion->place = pose(companion, document);
        const md5gl_instances one = {
            .count = 1, .palettes = companion->palette, .placements = &companion->place};
        if (!view_add_body(stage, bodies, ALL, companion->textures, companion->drawn, &one, error))
            return false;
    }
    return true;
}

// Draws what has a use: their shadows, or themselves in a style.
static void draw_bodies(const view_stage *stage, const view_bodies *bodies, view_body_use use,
                        uint32_t style)
{
    const bool is_shadow = use == VIEW_BODY_CASTS;
    for (uint32_t i = 0; i < bodies->count; i++) {
        const view_body *const body = &bodies->bodies[i];
        if ((body->uses & use) == 0)
            continue;
        if (body->impostors != NULL && is_shadow)
            md5gl_draw_impostor_shadows(stage->renderer, body->impostors);
        else if (body->impostors != NULL)
            md5gl_draw_impostors(stage->renderer, body->impostors, style);
        else if (is_shadow)
            md5gl_draw_shadows(stage->renderer, body->drawn);
        else
            md5gl_draw_model(stage->renderer, body->drawn, style);
    }
}

static bool draw_layers(const view_stage *stage, const view_bodies *bodies, md5gl_stage_pass pass,
                        md5_error *error)
{
    bool is_drawn = true;
    for (uint32_t i = 0; i < bodies->count && is_drawn; i++)
        if ((bodies->bodies[i].uses & VIEW_BODY_STAGED) != 0)
            is_drawn = view_draw_layers(stage, &bodies->bodies[i], pass, error);
    return is_drawn;
}

static bool draw_models(const view_stage *stage, view_bodies *bodies, md5_error *error)
{
    const view_shown *const shown = stage->shown;
    const bool has_textures =
        stage->surface == VIEW_SURFACE_LIT || stage->surface == VIEW_SURFACE_TEXTURES;
    uint32_t style = MD5GL_LIT;
    if (shown->untextured && has_textures)
        style |= MD5GL_UNTEXTURED;
    if (shown->edges)
        style |= MD5GL_WIREFRAME;
    if (stage->document->drawn == NULL)
        return true;
    if (!(view_shows_crowd(stage->document) ? view_pose_crowd(stage, bodies, error)
                                            : pose_document(stage, bodies, error)))
        return false;
    draw_bodies(stage, bodies, VIEW_BODY_CASTS, 0);
    if (!draw_layers(stage, bodies, MD5GL_STAGE_PASS_SHADOWS, error))
        return false;
    draw_bodies(stage, bodies, VIEW_BODY_SHOWN, style);
    return draw_layers(stage, bodies, MD5GL_STAGE_PASS_BASES, error);
}

// -- Canvas ---------------------------------------------------------------------------------

void view_draw_canvas(const view_stage *stage)
{
    const view_canvas *const canvas = stage->canvas;
    uint32_t done = 0;
    for (uint32_t i = 0; i <= canvas->num_images; i++) {
        const uint32_t end = i < canvas->num_images ? canvas->images[i].first : canvas->count;
        if (end > done)
            md5gl_draw_panel(stage->renderer, stage->font->mask, MD5GL_TEXTURE_MASK,
                             canvas->vertices + done, end - done);
        done = end;
        if (i < canvas->num_images)
            md5gl_draw_panel(stage->renderer, canvas->images[i].image,
                             canvas->images[i].is_color ? MD5GL_TEXTURE_COLOR
                                                        : MD5GL_TEXTURE_NORMALS,
                             canvas->images[i].vertices, 6);
    }
}

// Sets from where deformed surfaces are seen; run the crowd first.
static void see_deforms(view_document *document, const view_lens *lens)
{
    const view_crowd *const crowd = &document->crowd;
    const md5_deform_view view = {lens->eye, md5_vec3_scale(lens->axes.right, -1.0f),
                                  lens->axes.up};
    view_see_deforms(&document->textures.layers, &view, NULL, 0);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        const view_companion *const companion = &document->companions[i];
        if (companion->textures != NULL)
            view_see_deforms(&companion->textures->layers, &view, &companion->place, 1);
    }
    for (uint32_t i = 0; i < crowd->num_kinds; i++) {
        const view_kind *const kind = &crowd->kinds[i];
        if (kind->textures != NULL)
            view_see_deforms(&kind->textures->layers, &view, kind->placements, kind->num_seen);
    }
}

bool view_draw_world(const view_stage *stage, md5gl_target *target, uint32_t width, uint32_t height,
                     bool transparent, md5_error *error)
{
    view_document *const document = stage->document;
    view_crowd *const crowd = &document->crowd;
    const bool is_crowd = view_shows_crowd(document);
    const bool has_color = stage->options->background_given;
    const float radius = stage->camera->scene_radius;
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    view_blend_document(document, &loader);
    if (document->scene.dual && !is_crowd) // for the bounds of the shadow casters
        view_skin(&document->scene);
    md5gl_point_light points[VIEW_NUM_POINTS];
    md5gl_frame frame = {.target = target, .width = width, .height = height};
    for (int i = 0; i < 3 && !transparent; i++)
        frame.background[i] = has_color ? stage->options->background[i] : middle[i];
    frame.background[3] = transparent ? 0.0f : 1.0f;
    const view_lens lens = view_stage_lens(stage, (float)width, (float)height);
    view_lens_matrices(&lens, &frame.view_from_world, &frame.clip_from_view);
    view_set_lights(stage, lens.axes, points, &frame);
    if (!view_prepare_levels(stage, error) || !prepare_surface(stage, error))
        return false;
    if (is_crowd) { // only members that are visible in this picture are posed
        view_sight sight =
            view_make_sight(&lens, &frame, fminf(document->ground, document->bounds.min.z));
        sight.all = !crowd->culls;
        crowd->levels = stage->shown->levels;
        crowd->reduces = stage->shown->levels && !stage->shown->edges;
        view_run_crowd(crowd, stage->play->time, &sight);
    }
    see_deforms(document, &lens);
    md5gl_begin_frame(stage->renderer, &frame);
    if (!transparent && !has_color) {
        if (stage->shown->environment_behind && view_shown_environment(stage) != NULL)
            md5gl_draw_environment(stage->renderer);
        else
            view_draw_background(stage, (float)width, (float)height);
    }
    view_bodies bodies = {.count = 0};
    bool is_drawn = draw_models(stage, &bodies, error);
    // Blended, and writes no depth: after the model.
    const bool is_level = document->scene.terrain.num_feet == 0;
    if (is_level && !transparent && is_drawn && document->drawn != NULL)
        md5gl_draw_ground(stage->renderer, view_centre(frame.casters), 3.0f * radius);
    if (is_level && stage->shown->grid) {
        // The cell is a power of ten, and small beside the model.
        const float cell = powf(10.0f, floorf(log10f(radius * 0.6f)));
        md5_vec3 centre =
            md5_vec3_add(view_centre(document->bounds), view_walked(&document->scene, stage->play));
        centre.z = document->ground;
        md5gl_draw_grid(stage->renderer, document->ground, cell, centre, 7.0f * radius);
    }
    is_drawn = is_drawn && draw_layers(stage, &bodies, MD5GL_STAGE_PASS_STAGES, error)
               && draw_ghosts(stage, error); // over the ground
    view_draw_overlays(stage, (float)width / (float)height);
    return is_drawn;
}
