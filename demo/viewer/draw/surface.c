// Prepares the displays of the surface before an image is drawn. Creates a grid of the texture
// coordinates, or a copy of the model that shows the weights of a joint in colors. Also sets the
// blending of models.
#include "demo/viewer/draw/draw.h"

bool view_shows_weights(const view_stage *stage)
{
    return stage->options->surface == VIEW_SURFACE_WEIGHTS && stage->document->drawn != NULL
           && !view_shows_crowd(stage->document);
}

// Creates the texture of the UV grid. Returns false and fills `error` on failure.
static bool create_uv_grid(view_surfaces *surfaces, md5gl_renderer *renderer, md5_error *error)
{
    view_image image = view_make_uv_grid();
    const md5gl_texture_desc desc = {
        .width = image.width, .height = image.height, .texels = image.rgba};
    surfaces->uv_grid = md5gl_create_texture(renderer, &desc, error);
    free(image.rgba);
    return surfaces->uv_grid != 0;
}

// Sets the materials of `copy`, a copy of the model that shows the weights of a joint in colors.
// The same meshes are visible as in the document, and the same meshes show their back sides. There
// are no textures, because they would change the colors.
static void set_weight_materials(const view_stage *stage, md5gl_model *copy)
{
    const view_textures *const textures = &stage->document->textures;
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        const md5gl_material material =
            view_mesh_material(textures, stage->renderer, i, false, false, stage->play->time);
        const md5gl_material plain = {.two_sided = material.two_sided || stage->shown->two_sided};
        md5gl_set_visible(copy, i, !view_is_hidden(stage->hidden_meshes, i));
        md5gl_set_material(stage->renderer, copy, 0, i, &plain);
    }
}

// Creates the copy of the model that shows the weights of the selected joint in colors, unless it
// exists. The copy has the visibility and the blending of the model. Returns false and fills
// `error` on failure.
static bool prepare_weights(const view_stage *stage, md5_error *error)
{
    const view_scene *const scene = &stage->document->scene;
    view_heat *const heat = &stage->document->surfaces.heat;
    if (!view_prepare_heat(heat, stage->renderer, scene->model, scene->morph, NULL, stage->joint,
                           error))
        return false;

    set_weight_materials(stage, heat->drawn);
    const md5gl_blending blending = scene->dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    return md5gl_set_blending(stage->renderer, heat->drawn, blending, error);
}

bool view_prepare_surface(const view_stage *stage, md5_error *error)
{
    view_surfaces *const surfaces = &stage->document->surfaces;
    const bool shows_uv =
        stage->options->surface == VIEW_SURFACE_UV && stage->document->drawn != NULL;
    if (shows_uv && surfaces->uv_grid == 0)
        return create_uv_grid(surfaces, stage->renderer, error);
    if (view_shows_weights(stage))
        return prepare_weights(stage, error);
    return true;
}

void view_blend_as_selected(view_scene *scene, md5gl_model *drawn, const view_loader *loader)
{
    md5_error error = {0};
    const md5gl_blending blending = scene->dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    if (drawn == NULL || md5gl_set_blending(loader->renderer, drawn, blending, &error))
        return;
    view_log_error(loader->log, &error);
    scene->dual = false;
}
