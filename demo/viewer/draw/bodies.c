// Draws a list of bodies. A body is a model with its instances. Instances are copies of the model
// in different poses. Bodies are posed once. They are then drawn into the shadow map, as lit
// surfaces, and with their material stages.
#include "demo/viewer/draw/draw.h"

// Draws the impostors or the model of a body, either into the shadow map or with lit surfaces in
// the given style of the renderer.
static void draw_body(const view_stage *stage, const view_body *body, bool is_shadow,
                      uint32_t style)
{
    const bool has_impostors = body->impostors != NULL;
    if (has_impostors && is_shadow)
        md5gl_draw_impostor_shadows(stage->renderer, body->impostors);
    else if (has_impostors)
        md5gl_draw_impostors(stage->renderer, body->impostors, style);
    else if (is_shadow)
        md5gl_draw_shadows(stage->renderer, body->drawn);
    else
        md5gl_draw_model(stage->renderer, body->drawn, style);
}

// Draws each body whose uses include `use`. VIEW_BODY_CASTS draws into the shadow map,
// VIEW_BODY_SHOWN draws lit surfaces in the given style of the renderer.
static void draw_uses(const view_stage *stage, const view_bodies *bodies, view_body_use use,
                      uint32_t style)
{
    for (uint32_t i = 0; i < bodies->count; i++) {
        const view_body *const body = &bodies->bodies[i];
        const bool has_use = (body->uses & use) != 0;
        if (has_use)
            draw_body(stage, body, use == VIEW_BODY_CASTS, style);
    }
}

bool view_draw_layers(const view_stage *stage, const view_bodies *bodies, md5gl_stage_pass pass,
                      md5_error *error)
{
    for (uint32_t i = 0; i < bodies->count; i++) {
        const view_body *const body = &bodies->bodies[i];
        const bool has_stages = (body->uses & VIEW_BODY_STAGED) != 0 && body->textures != NULL;
        if (!has_stages || !view_shows_layers(stage, body->textures))
            continue;
        const view_layers *const layers = &body->textures->layers;
        if (!md5gl_draw_stages(stage->renderer, body->drawn, pass, layers->lists,
                               layers->num_meshes, error))
            return false;
    }
    return true;
}

// Passes the instances of a body to the GPU. For a model, these are poses and materials. For
// impostors, these are positions and images. Returns false and fills `error` on failure.
static bool pose_body(const view_stage *stage, const view_body *body, md5_error *error)
{
    if (body->impostors != NULL)
        return md5gl_pose_impostors(stage->renderer, body->impostors, body->pictured,
                                    body->instances.count, error);
    if (body->textures != NULL)
        view_set_materials(stage, body->textures, body->drawn);
    return md5gl_pose(stage->renderer, body->drawn, &body->instances, error);
}

// Draws bodies in all passes of a frame: shadows, lit surfaces and material stages.
bool view_draw_bodies(const view_stage *stage, const view_bodies *bodies, uint32_t style,
                      md5_error *error)
{
    // All passes use the same poses, so pose the bodies once.
    for (uint32_t i = 0; i < bodies->count; i++) {
        if (!pose_body(stage, &bodies->bodies[i], error))
            return false;
    }

    // The lit surfaces need the complete shadow map.
    draw_uses(stage, bodies, VIEW_BODY_CASTS, 0);
    if (!view_draw_layers(stage, bodies, MD5GL_STAGE_PASS_SHADOWS, error))
        return false;
    draw_uses(stage, bodies, VIEW_BODY_SHOWN, style);
    return view_draw_layers(stage, bodies, MD5GL_STAGE_PASS_BASES, error);
}
