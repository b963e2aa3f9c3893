// Draws an image of the document: background, models, ground, transparent surfaces and lines, in
// this order. view_draw_world() calls the other files of this folder for the lights and for each
// part of the image.
#include "demo/viewer/draw/draw.h"

// == Bodies of the document =======================================================================

enum { LIT = VIEW_BODY_CASTS | VIEW_BODY_SHOWN }; // uses of a body without material stages

// Returns the body of the document's model. If the weights of a joint are displayed, returns the
// body of the colored copy instead. The copy has its own morph targets.
static view_body describe_model(const view_stage *stage)
{
    const view_document *const document = stage->document;
    const view_heat *const heat = &document->surfaces.heat;
    const bool is_hidden = document->companions[VIEW_RETARGETED].model != NULL
                           && stage->options->retarget_layout == VIEW_RETARGET_TARGET_ONLY;
    view_body body = {
        .uses = LIT | VIEW_BODY_STAGED,
        .textures = &document->textures,
        .drawn = document->drawn,
        .instances = {.count = 1,
                      .palettes = document->scene.palette,
                      .morph = document->morphs.drawn,
                      .weights = document->morphs.weights},
    };
    if (view_shows_weights(stage)) {
        body.uses = LIT;
        body.textures = NULL;
        body.drawn = heat->drawn;
        body.instances.morph = heat->drawn_morph;
    }
    if (is_hidden)
        body.uses = 0;
    return body;
}

// Returns the body of the uneven ground, after its tiles were moved to the character.
static view_body describe_uneven_ground(const view_stage *stage)
{
    view_document *const document = stage->document;
    view_ground *const ground = &document->uneven;
    view_lay_ground(ground, &document->scene.terrain, view_walked(&document->scene, stage->play));
    return (view_body){
        .uses = VIEW_BODY_SHOWN,
        .drawn = ground->drawn,
        .instances = {.count = VIEW_GROUND_TILES,
                      .palettes = ground->palettes,
                      .placements = ground->placements},
    };
}

// Lists the bodies of a document that is not a crowd: the model, its companions and the uneven
// ground.
static void list_document(const view_stage *stage, view_bodies *bodies)
{
    const view_document *const document = stage->document;
    bodies->bodies[bodies->count++] = describe_model(stage);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        const view_companion *const companion = &document->companions[i];
        if (companion->model == NULL)
            continue;
        bodies->bodies[bodies->count++] = (view_body){
            .uses = LIT | VIEW_BODY_STAGED,
            .textures = companion->textures,
            .drawn = companion->drawn,
            .instances = {.count = 1,
                          .palettes = companion->palette,
                          .placements = &companion->placement},
        };
    }
    if (document->uneven.drawn != NULL)
        bodies->bodies[bodies->count++] = describe_uneven_ground(stage);
}

// == Canvas =======================================================================================

// Draws vertices `begin` to before `end` of the canvas: texts and shapes. They cover the images
// that were drawn before, and later images cover them.
static void draw_shapes(const view_stage *stage, uint32_t begin, uint32_t end)
{
    if (end > begin)
        md5gl_draw_panel(stage->renderer, stage->font->mask, MD5GL_TEXTURE_MASK,
                         stage->canvas->vertices + begin, end - begin);
}

// Draws the images of the canvas, and between them its text and shapes, in the order in which they
// were added.
void view_draw_canvas(const view_stage *stage)
{
    const view_canvas *const canvas = stage->canvas;
    uint32_t num_drawn = 0; // vertices of text and shapes
    for (uint32_t i = 0; i < canvas->num_images; i++) {
        draw_shapes(stage, num_drawn, canvas->images[i].first);
        num_drawn = canvas->images[i].first;
        md5gl_draw_panel(stage->renderer, canvas->images[i].image,
                         canvas->images[i].is_color ? MD5GL_TEXTURE_COLOR : MD5GL_TEXTURE_NORMALS,
                         canvas->images[i].vertices, 6);
    }
    draw_shapes(stage, num_drawn, canvas->count);
}

// == One image ====================================================================================

// Sets the blending of every model on the GPU, linear or dual-quaternion, to the user's selection.
static void blend_models(const view_stage *stage)
{
    view_document *const document = stage->document;
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    view_blend_as_selected(&document->scene, document->drawn, &loader);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        view_blend_as_selected(&document->scene, document->companions[i].drawn, &loader);
    for (uint32_t i = 0; i < document->crowd.num_kinds; i++) {
        const view_kind *const kind = &document->crowd.kinds[i];
        for (uint32_t k = 0; k < kind->num_levels; k++) {
            if (kind->levels[k].source != VIEW_DETAIL_BAKED) // baked vertices are not skinned
                view_blend_as_selected(&document->scene, kind->levels[k].drawn, &loader);
        }
    }
    document->crowd.is_dual = document->scene.dual;
}

// Poses the members of the crowd that are visible in this image.
static void pose_crowd(const view_stage *stage, const view_lens *lens, const md5gl_frame *frame)
{
    view_document *const document = stage->document;
    view_crowd *const crowd = &document->crowd;
    view_culling culling =
        view_prepare_culling(lens, frame, fminf(frame->ground, document->bounds.min.z));
    culling.all = !crowd->culls;
    crowd->reduces = !stage->shown->edges;
    crowd->coarser = stage->quality_level.coarser;
    view_run_crowd(crowd, stage->play->time, &culling);
}

// Deforms the surfaces that depend on the view direction, such as sprites that face the camera.
// Call it after the crowd was posed, because it needs the placements of the members.
static void deform_surfaces(const view_stage *stage, const view_lens *lens)
{
    const view_document *const document = stage->document;
    const view_crowd *const crowd = &document->crowd;
    const md5_deform_view view = {
        .eye = lens->eye, .left = md5_vec3_scale(lens->axes.right, -1), .up = lens->axes.up};
    view_set_deform_view(&document->textures.layers, &view, NULL, 0);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        const view_companion *const companion = &document->companions[i];
        if (companion->textures != NULL)
            view_set_deform_view(&companion->textures->layers, &view, &companion->placement, 1);
    }
    for (uint32_t i = 0; i < crowd->num_kinds; i++) {
        const view_kind *const kind = &crowd->kinds[i];
        if (kind->textures != NULL)
            view_set_deform_view(&kind->textures->layers, &view, kind->placements, kind->num_seen);
    }
}

// Content of the image behind everything else.
typedef enum background {
    BACKGROUND_NONE,        // the image is transparent, or the frame has a color
    BACKGROUND_ENVIRONMENT, // the environment image
    BACKGROUND_SKY,         // a sky, with a floor below its horizon
    BACKGROUND_GRADIENT,    // the vertical gradient of a studio
} background;

// Returns the background of an image. Choices of the user have priority, in this order:
// transparency, a color, the environment image. A sky has a horizon, which fits only level ground.
// It is replaced by a gradient on other ground, and while the grid is shown.
static background select_background(const view_stage *stage, const md5gl_frame *frame,
                                    bool transparent)
{
    if (transparent || stage->options->background_given)
        return BACKGROUND_NONE;
    if (stage->shown->environment_behind && frame->environment != NULL)
        return BACKGROUND_ENVIRONMENT;
    const bool has_flat_ground = stage->document->scene.terrain.kind == VIEW_LEVEL;
    const bool can_show_sky = has_flat_ground && !stage->shown->grid;
    return can_show_sky ? BACKGROUND_SKY : BACKGROUND_GRADIENT;
}

// Draws the selected background into the frame.
static void draw_background(const view_stage *stage, const view_lens *lens, background selected)
{
    if (selected == BACKGROUND_ENVIRONMENT)
        md5gl_draw_environment(stage->renderer);
    else if (selected == BACKGROUND_SKY)
        view_draw_background(stage, lens);
    else if (selected == BACKGROUND_GRADIENT)
        view_draw_background(stage, NULL);
}

// The lights, the ground and the scenery of an image, as draw_contents() needs them.
// describe_surroundings() computes them once per image.
typedef struct surroundings {
    md5_vec3 center;            // center of the document, world space
    uint32_t num_studio_lights; // point lights, without the light of a carried fire
    bool has_flat_ground;       // the terrain is level
    bool is_above_ground;       // the camera is above the ground
    bool has_floor;   // a floor is drawn below the sky; it is not visible from below the ground
    bool has_scenery; // the scenery model of the document is drawn on the floor
} surroundings;

// Decides whether the frame shows a floor, scenery and flat ground. `selected` is the background.
// `num_studio_lights` is the number of point lights without the light of a carried fire. A fire's
// light is the last point light, and the only point light that lights the floor.
static surroundings describe_surroundings(const view_stage *stage, const view_lens *lens,
                                          const md5gl_frame *frame, background selected,
                                          uint32_t num_studio_lights)
{
    const view_document *const document = stage->document;
    const md5_vec3 walked = view_walked(&document->scene, stage->play);
    // An orthographic camera is infinitely far away.
    const bool looks_down = lens->axes.back.z > 0;
    const bool is_above_ground = lens->orthographic ? looks_down : lens->eye.z > frame->ground;
    const bool has_floor = selected == BACKGROUND_SKY && is_above_ground;
    const bool can_show_scenery = document->scenery.drawn != NULL && !lens->orthographic;
    return (surroundings){
        .center = md5_vec3_add(view_center(document->bounds), walked),
        .num_studio_lights = num_studio_lights,
        .has_flat_ground = document->scene.terrain.kind == VIEW_LEVEL,
        .is_above_ground = is_above_ground,
        .has_floor = has_floor,
        .has_scenery = has_floor && can_show_scenery && !view_shows_crowd(document),
    };
}

// Returns the style in which the renderer draws surfaces, for the display settings.
static uint32_t surface_style(const view_stage *stage)
{
    const view_surface surface = stage->options->surface;
    const bool is_textured = surface == VIEW_SURFACE_LIT || surface == VIEW_SURFACE_TEXTURES;
    uint32_t style = MD5GL_LIT;
    if (stage->shown->untextured && is_textured)
        style |= MD5GL_UNTEXTURED;
    if (stage->shown->edges)
        style |= MD5GL_WIREFRAME;
    return style;
}

// Adds the bodies of the document to `bodies` and draws them. With `has_scenery`, they include the
// scenery, except its first mesh, which view_draw_scenery() draws. The scenery casts no shadow.
// Returns false and fills `error` on failure.
static bool draw_document(const view_stage *stage, bool has_scenery, view_bodies *bodies,
                          md5_error *error)
{
    const view_document *const document = stage->document;
    if (view_shows_crowd(document))
        view_list_crowd(stage, bodies);
    else
        list_document(stage, bodies);
    if (has_scenery)
        bodies->bodies[bodies->count++] =
            (view_body){.uses = VIEW_BODY_SHOWN | VIEW_BODY_STAGED,
                        .textures = document->scenery.textures,
                        .drawn = document->scenery.drawn,
                        .instances = {.count = 1, .palettes = document->scenery.palette}};
    return view_draw_bodies(stage, bodies, surface_style(stage), error);
}

// Draws the floor, the shadows on the ground and the grid. They are blended over the image and
// write no depth, so they are drawn after the model. If the camera is below the ground, floor and
// shadows are omitted, because they would hide the model. `has_model` is true if the model was
// drawn.
static void draw_ground(const view_stage *stage, const md5gl_frame *frame,
                        const surroundings *around, bool has_model, bool transparent)
{
    const float radius = stage->camera->scene_radius;
    const float extent = 7 * radius; // extent of the floor and of the grid
    const bool draws_floor = around->has_floor && !around->has_scenery;
    const bool has_shadows = around->has_flat_ground && around->is_above_ground && has_model;
    const bool has_grid = around->has_flat_ground && stage->shown->grid;

    if (draws_floor)
        md5gl_draw_floor(stage->renderer, frame->ground, around->center, extent,
                         around->num_studio_lights);
    if (has_shadows)
        view_draw_ground_shadows(stage, frame, around->center, transparent);
    if (has_grid) {
        // The cells are a power of ten that is small compared to the model.
        const float cell = powf(10, floorf(log10f(radius * 0.6f)));
        md5gl_draw_grid(stage->renderer, frame->ground, cell, around->center, extent);
    }
}

// Poses the companions. With dual quaternion blending, also skins the scene's model, because the
// bounds of its shadow then depend on its vertices.
static void pose_document(const view_stage *stage)
{
    view_document *const document = stage->document;
    if (document->scene.dual)
        view_skin(&document->scene);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        view_companion *const companion = &document->companions[i];
        if (companion->model != NULL)
            companion->placement = view_pose_companion(companion, stage);
    }
}

// Draws the lines of the overlays, such as bones. First draws the lines that surfaces hide. Then
// draws the lines that are visible through all surfaces, which are wider.
static void draw_overlays(const view_stage *stage)
{
    const float scale = stage->font->scale;
    view_add_overlays(stage, false);
    view_draw_lines(stage->lines, stage->renderer, scale, false);
    view_add_overlays(stage, true);
    view_draw_lines(stage->lines, stage->renderer, 1.5f * scale, true);
}

// Draws the contents of a frame over its background. From back to front, they are the scenery, the
// models, the ground with shadows and grid, transparent surfaces, and overlays. Returns false and
// fills `error` on failure.
static bool draw_contents(const view_stage *stage, const view_lens *lens, const md5gl_frame *frame,
                          const surroundings *around, bool transparent, md5_error *error)
{
    const bool has_model = stage->document->drawn != NULL;
    if (around->has_scenery) {
        md5gl_draw_floor(stage->renderer, frame->ground, around->center,
                         7 * stage->camera->scene_radius, around->num_studio_lights);
        view_draw_scenery(stage, lens);
    }
    view_bodies bodies = {.count = 0};
    bool is_drawn = true;
    if (has_model)
        is_drawn = draw_document(stage, around->has_scenery, &bodies, error);
    draw_ground(stage, frame, around, has_model && is_drawn, transparent);
    if (is_drawn)
        is_drawn = view_draw_layers(stage, &bodies, MD5GL_STAGE_PASS_STAGES, error);
    draw_overlays(stage);
    return is_drawn;
}

// Draws a complete frame without texts and panels: for the window, for images and for movies.
bool view_draw_world(const view_stage *stage, md5gl_target *target, bool transparent,
                     md5_error *error)
{
    view_document *const document = stage->document;
    const bool is_crowd = view_shows_crowd(document);

    // First the work that must be done before the frame begins: posing, the description of the
    // light, and images that the frame needs.
    blend_models(stage);
    if (!is_crowd)
        pose_document(stage);
    md5gl_point_light points[VIEW_NUM_POINTS];
    const view_lens lens = view_stage_lens(stage);
    md5gl_frame frame = view_light_frame(stage, &lens, target, transparent, points);
    const uint32_t num_studio_lights = frame.num_point_lights; // without the light of a fire
    view_add_fire(stage, &frame, points);
    if (document->scene.terrain.kind == VIEW_LEVEL && !is_crowd)
        frame.ground = view_find_ground(document);
    if (!view_prepare_pictures(stage, error) || !view_prepare_surface(stage, error))
        return false;
    if (is_crowd)
        pose_crowd(stage, &lens, &frame);
    deform_surfaces(stage, &lens);

    // The frame. The start screen shows only the background.
    md5gl_begin_frame(stage->renderer, &frame);
    const background selected = select_background(stage, &frame, transparent);
    draw_background(stage, &lens, selected);
    if (stage->is_bare)
        return true;
    const surroundings around =
        describe_surroundings(stage, &lens, &frame, selected, num_studio_lights);
    return draw_contents(stage, &lens, &frame, &around, transparent, error);
}
