#include "demo/viewer/draw/surface.h"

// In a crowd there is no single marked joint.
static bool shows_weights(const view_stage *stage)
{
    return stage->surface == VIEW_SURFACE_WEIGHTS && stage->document->drawn != NULL
           && !view_shows_crowd(stage->document);
}

// Blends, hides and bends the copy as the model.
static bool follow_model(const view_stage *stage, md5_error *error)
{
    const view_document *const document = stage->document;
    const view_surfaces *const surfaces = &document->surfaces;
    md5gl_model *const drawn = surfaces->heat.drawn;
    for (uint32_t i = 0; i < document->textures.num_meshes; i++) {
        const bool is_hidden = i < 64 && (stage->hidden_meshes >> i & 1) != 0;
        const md5gl_material usual =
            view_mesh_material(&document->textures, stage->renderer, i, false, stage->play->time);
        const md5gl_material plain = {.two_sided = usual.two_sided || stage->shown->two_sided};
        md5gl_set_visible(drawn, i, !is_hidden);
        md5gl_set_material(drawn, 0, i, &plain);
    }
    const md5gl_blending blending = document->scene.dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    return md5gl_set_blending(stage->renderer, drawn, blending, error);
}

bool view_prepare_surface(const view_stage *stage, md5_error *error)
{
    view_document *const document = stage->document;
    if (stage->surface == VIEW_SURFACE_UV && document->drawn != NULL)
        return view_ready_uv_grid(&document->surfaces, stage->renderer, error);
    return !shows_weights(stage)
           || (view_ready_heat(&document->surfaces, stage->renderer, document->scene.model,
                               document->scene.morph, stage->joint, error)
               && follow_model(stage, error));
}

md5gl_model *view_surface_model(const view_stage *stage)
{
    return shows_weights(stage) ? stage->document->surfaces.heat.drawn : stage->document->drawn;
}
