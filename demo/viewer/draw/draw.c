#include "demo/viewer/draw/draw.h"

#include "demo/viewer/base/math.h"
#include "demo/viewer/draw/companion.h"
#include "demo/viewer/draw/crowd.h"
#include "demo/viewer/draw/framing.h"
#include "demo/viewer/draw/levels.h"
#include "demo/viewer/draw/lighting.h"
#include "demo/viewer/draw/onion.h"
#include "demo/viewer/draw/surface.h"
#include "demo/viewer/assets/layers.h"

static const view_color sky = 0x47515FFF, floor_color = 0x262B33FF;

// The gradient's middle: the background colour where no gradient is drawn.
static const float middle[3] = {0.214f, 0.243f, 0.286f};

static md5gl_frame describe_frame(const view_stage *stage, md5gl_target *target, uint32_t width,
                                  uint32_t height, bool transparent, view_lens *lens,
                                  md5gl_point_light points[VIEW_NUM_POINTS])
{
    md5gl_frame frame = {.target = target, .width = width, .height = height};
    const float *const color =
        stage->options->background_given ? stage->options->background : middle;
    for (int i = 0; i < 3; i++)
        frame.background[i] = transparent ? 0.0f : color[i];
    frame.background[3] = transparent ? 0.0f : 1.0f;
    *lens = view_stage_lens(stage, (float)width, (float)height);
    view_lens_matrices(lens, &frame.view_from_world, &frame.clip_from_view);

    view_set_lights(stage, lens->axes, points, &frame);
    return frame;
}

void view_draw_background(const view_stage *stage, float width, float height)
{
    view_clear_canvas(stage->canvas);
    view_draw_gradient(stage->canvas, (view_rect){0, 0, width, height}, sky, floor_color);
    md5gl_draw_panel(stage->renderer, stage->font->mask, MD5GL_TEXTURE_MASK,
                     stage->canvas->vertices, stage->canvas->count);
}

// The environment's picture, or the gradient.
static void draw_background(const view_stage *stage, float width, float height)
{
    if (stage->shown->environment_behind && view_shown_environment(stage) != NULL)
        md5gl_draw_environment(stage->renderer);
    else
        view_draw_background(stage, width, height);
}

// The cell is a power of ten, and small beside the model.
static void draw_grid(const view_stage *stage)
{
    const float radius = stage->camera->scene_radius;
    const float cell = powf(10.0f, floorf(log10f(radius * 0.6f)));
    const md5_vec3 centre = md5_vec3_add(view_centre(stage->document->bounds),
                                         view_walked(&stage->document->scene, stage->play));
    md5gl_draw_grid(stage->renderer, stage->document->ground, cell,
                    (md5_vec3){centre.x, centre.y, stage->document->ground}, 7.0f * radius);
}

// Draws what materials draw besides lit surfaces: see view_draw_layers().
static bool draw_layers(const view_stage *stage, md5gl_stage_pass pass, md5_error *error)
{
    const view_document *const document = stage->document;
    if (document->drawn == NULL)
        return true;
    if (view_shows_crowd(document))
        return view_layer_crowd(stage, pass, error);
    return view_draw_layers(stage, &document->textures, document->drawn, pass, error)
           && view_layer_companions(stage, pass, error);
}

static bool draw_model(const view_stage *stage, md5_error *error)
{
    const view_shown *const shown = stage->shown;
    if (stage->document->drawn == NULL)
        return true;
    uint32_t style = MD5GL_LIT;
    const bool has_textures =
        stage->surface == VIEW_SURFACE_LIT || stage->surface == VIEW_SURFACE_TEXTURES;
    if (shown->untextured && has_textures)
        style |= MD5GL_UNTEXTURED;
    if (shown->edges)
        style |= MD5GL_WIREFRAME;
    if (view_shows_crowd(stage->document)) {
        if (!view_pose_crowd(stage, error))
            return false;
        view_shade_crowd(stage);
        if (!draw_layers(stage, MD5GL_STAGE_PASS_SHADOWS, error))
            return false;
        view_draw_crowd(stage, style);
        return draw_layers(stage, MD5GL_STAGE_PASS_BASES, error);
    }
    view_set_materials(stage, &stage->document->textures, stage->document->drawn);
    md5gl_model *const drawn = view_surface_model(stage);
    const bool is_heat = drawn != stage->document->drawn; // a copy, with targets of its own
    const md5gl_instances one = {.count = 1,
                                 .palettes = stage->document->scene.palette,
                                 .morph = is_heat ? stage->document->surfaces.drawn_morph
                                                  : stage->document->morphs.drawn,
                                 .weights = stage->document->morphs.weights};
    if (!md5gl_pose(stage->renderer, drawn, &one, error) || !view_pose_companions(stage, error))
        return false;
    md5gl_draw_shadows(stage->renderer, drawn);
    view_shade_companions(stage);
    if (!draw_layers(stage, MD5GL_STAGE_PASS_SHADOWS, error))
        return false;
    md5gl_draw_model(stage->renderer, drawn, style);
    view_draw_companions(stage, style);
    return draw_layers(stage, MD5GL_STAGE_PASS_BASES, error);
}

static void draw_boxes(const view_stage *stage, view_lines *lines)
{
    const md5_anim *const anim = view_shown_anim(&stage->document->scene);
    view_add_bounds(lines, view_pose_bounds(&stage->document->scene), 0xE8ECF2FF);
    if (anim == NULL || anim->frame_bounds == NULL)
        return;
    const md5_moment moment = view_moment(stage->play, anim);
    const md5_root root = stage->document->scene.root;
    md5_bounds box = md5_anim_bounds(anim, moment, root);
    // MD5_ROOT_ID bounds are relative to the origin joint.
    if (root == MD5_ROOT_ID) {
        box.min = md5_vec3_add(box.min, stage->document->scene.pose[0].translation);
        box.max = md5_vec3_add(box.max, stage->document->scene.pose[0].translation);
    }
    box = view_turn_bounds(&stage->document->scene.turn, box);
    view_add_bounds(lines, box, 0xE0A03CFF);
}

// Draws a camera path from outside: its line, and its current frustum.
static void draw_camera_path(const view_stage *stage, view_lines *lines, float aspect)
{
    const float radius = stage->camera->scene_radius;
    const view_lens lens =
        view_path_lens(stage->document, stage->play, stage->camera, aspect, 1.0f);
    view_add_path(lines, &stage->document->scene.camera_path, 0.05f * radius);
    view_add_lens(lines, &lens, 0.3f * radius, 0xF1F3F6FF);
}

static void draw_overlays(const view_stage *stage, float aspect)
{
    const view_shown *const shown = stage->shown;
    view_lines *const lines = stage->lines;
    const float radius = stage->camera->scene_radius, width = stage->font->scale;

    view_clear_lines(lines);
    // In a crowd the scene's model is not drawn itself.
    view_scene *const scene = &stage->document->scene;
    const bool posed = !view_shows_crowd(stage->document);
    if (posed && (shown->normals || shown->bounds))
        view_skin(scene);
    if (posed && shown->normals)
        view_add_normals(lines, scene, 0.025f * radius);
    if (posed && shown->tangents)
        view_add_tangents(lines, scene, 0.02f * radius);
    if (posed && shown->bounds)
        draw_boxes(stage, lines);
    if (posed && shown->joint_bounds)
        view_add_joint_bounds(lines, scene);
    if (scene->terrain.num_feet > 0 && scene->skeleton != NULL)
        view_add_blocks(lines, &scene->terrain, md5_mat34_translation(scene->joints[0]));
    if (!stage->following && scene->camera_path.camera != NULL)
        draw_camera_path(stage, lines, aspect);
    if (lines->count > 0)
        md5gl_draw_lines(stage->renderer, lines->vertices, lines->count, width, false);

    // These lines are drawn through the model.
    view_clear_lines(lines);
    if (shown->axes)
        view_add_axes(lines, radius);
    if (posed && (shown->skeleton || view_is_joints_alone(scene)))
        view_add_skeleton(lines, scene, 0.03f * radius);
    if (lines->count > 0)
        md5gl_draw_lines(stage->renderer, lines->vertices, lines->count, 1.5f * width, true);
}

// Updates the crowd; only members that are visible in this picture are posed.
static void run_crowd(const view_stage *stage, const view_lens *lens, const md5gl_frame *frame)
{
    view_sight sight =
        view_make_sight(lens, frame, fminf(stage->document->ground, stage->document->bounds.min.z));
    sight.all = !stage->document->crowd.culls;
    stage->document->crowd.levels = stage->shown->levels;
    stage->document->crowd.reduces = stage->shown->levels && !stage->shown->edges;
    view_run_crowd(&stage->document->crowd, stage->play->time, &sight);
}

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
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    view_blend_document(document, &loader);
    if (document->scene.dual && !view_shows_crowd(document)) // for the bounds of the shadow casters
        view_skin(&document->scene);
    md5gl_point_light points[VIEW_NUM_POINTS];
    view_lens lens;
    const md5gl_frame frame =
        describe_frame(stage, target, width, height, transparent, &lens, points);
    if (!view_prepare_levels(stage, error) || !view_prepare_surface(stage, error))
        return false;
    if (view_shows_crowd(document))
        run_crowd(stage, &lens, &frame);

    see_deforms(document, &lens);
    md5gl_begin_frame(stage->renderer, &frame);
    if (!transparent && !stage->options->background_given)
        draw_background(stage, (float)width, (float)height);
    bool drawn = draw_model(stage, error);
    // Blended, and writes no depth: after the model.
    const bool level = document->scene.terrain.num_feet == 0;
    if (level && !transparent && drawn && document->drawn != NULL)
        md5gl_draw_ground(stage->renderer, view_centre(frame.casters),
                          3.0f * stage->camera->scene_radius);
    if (level && stage->shown->grid)
        draw_grid(stage);
    drawn = drawn && draw_layers(stage, MD5GL_STAGE_PASS_STAGES, error); // over the ground
    drawn = drawn && view_draw_ghosts(stage, error);
    draw_overlays(stage, (float)width / (float)height);
    return drawn;
}
