// Sets the materials of a model for an image: the maps of each mesh, and its material stages at the
// time of playback. A material stage is an image that a material of a game blends over a surface.
#include "demo/viewer/draw/draw.h"

bool view_shows_layers(const view_stage *stage, const view_textures *textures)
{
    const view_surface surface = stage->options->surface;
    if (stage->shown->untextured || stage->shown->checker)
        return false;
    if (surface == VIEW_SURFACE_WEIGHTS || surface == VIEW_SURFACE_UV)
        return false;
    return textures->layers.num_meshes > 0;
}

// Returns true if the scene's machine controls a material parameter ("parm"). It does so by a curve
// with the name of the parm, such as "parm7". *value receives the current value of the curve.
static bool machine_parm(const view_scene *scene, int parm, float *value)
{
    char name[16];
    if (view_scene_machine(scene) == NULL)
        return false;
    COMMON_TEXT(name, "parm%d", parm);
    const uint32_t curve = md5_find_curve(view_scene_machine(scene), name);
    if (curve == MD5_NONE)
        return false;
    *value = md5_player_curve(scene->machine.player, curve);
    return true;
}

// Returns the time in seconds at which the body of a dead entity begins to burn away. Returns
// infinity if the scene does not show the death of an entity.
static double burn_time(const view_scene *scene)
{
    if (scene->fall == NULL)
        return INFINITY;
    return scene->fall->death_time + view_burn_delay(&scene->entity);
}

// Returns the value of a material parameter ("parm"). The first of these sources that defines it
// has priority:
//
// - the user
// - for parm 7, the time at which a dead entity begins to burn
// - a curve of the machine with the name of the parm
// - the entity
//
// `row` is the index of the parm in view_parm_ranges.
float view_parm_value(const view_stage *stage, int row)
{
    enum { BURN_PARM = 7 };
    const int parm = row - VIEW_FIRST_PARM;
    const view_scene *const scene = &stage->document->scene;
    const float user_value = stage->parms->values[parm];
    const bool is_set_by_user = user_value != view_parm_ranges[row].default_value;
    if (is_set_by_user)
        return user_value;

    const double burn_start = burn_time(scene);
    const bool has_died = view_has_died(scene->fall, stage->play->time);
    if (parm == BURN_PARM && has_died && stage->play->time >= burn_start)
        return view_material_time(stage->parms, burn_start);

    float curve_value = 0;
    if (machine_parm(scene, parm, &curve_value))
        return curve_value;
    const float *const entity_parms = view_entity_parms(scene);
    return entity_parms != NULL ? entity_parms[parm] : user_value;
}

// Evaluates the expressions of the materials' stages at the current time.
static void evaluate_materials(const view_stage *stage, const view_textures *textures)
{
    md5_material_input input = {.time = view_material_time(stage->parms, stage->play->time)};
    for (int i = 0; i < VIEW_NUM_PARMS; i++)
        input.parms[i] = view_parm_value(stage, VIEW_FIRST_PARM + i);
    view_evaluate_layers(&textures->layers, &input);
}

// Returns the material of a mesh for the current time. The checker and the UV grid replace the
// diffuse image. The UV grid also omits the other maps, which would make it hard to read.
static md5gl_material choose_mesh_material(const view_stage *stage, const view_textures *textures,
                                           uint32_t mesh, bool has_layers)
{
    const view_shown *const shown = stage->shown;
    const md5gl_texture uv_grid = stage->document->surfaces.uv_grid;
    const bool is_grid = stage->options->surface == VIEW_SURFACE_UV && uv_grid != 0;
    const bool has_maps = shown->maps && !is_grid;
    md5gl_material material = view_mesh_material(textures, stage->renderer, mesh, has_maps,
                                                 has_layers, stage->play->time);
    if (shown->checker)
        material.diffuse = md5gl_checker_texture(stage->renderer);
    if (is_grid)
        material.diffuse = uv_grid;
    material.two_sided = material.two_sided || shown->two_sided;
    return material;
}

// Sets the material of each drawn mesh for the current time: its maps, or a test pattern that
// the user has selected.
void view_set_materials(const view_stage *stage, const view_textures *textures, md5gl_model *drawn)
{
    const bool has_layers = view_shows_layers(stage, textures);
    if (has_layers)
        evaluate_materials(stage, textures);
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        const md5gl_material material = choose_mesh_material(stage, textures, i, has_layers);
        md5gl_set_material(stage->renderer, drawn, 0, i, &material);
    }
}
