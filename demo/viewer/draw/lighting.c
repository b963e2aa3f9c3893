// Studio lighting: a key light from behind the viewer's left shoulder, a weak fill light from the
// right, a rim light from behind that separates the model from the background, and a soft sky. The
// lights turn with the camera, so the visible side is never dark and shadows fall as in photographs
// of a turntable.
#include "demo/viewer/draw/draw.h"

#include "demo/viewer/base/math.h"

// A direction from its parts in view: right, level towards the eye, and up in the world.
static md5_vec3 studio_direction(view_axes axes, float right, float back, float up)
{
    // If the view is steep, the up axis gives the level direction.
    md5_vec3 level = {axes.back.x, axes.back.y, 0.0f};
    if (md5_vec3_length(level) < 0.3f)
        level = (md5_vec3){-axes.up.x, -axes.up.y, 0.0f};
    const float length = md5_vec3_length(level);
    level = length > 0.0f ? md5_vec3_scale(level, 1.0f / length) : (md5_vec3){1.0f, 0.0f, 0.0f};
    const md5_vec3 side = {-level.y, level.x, 0.0f};
    md5_vec3 direction = md5_vec3_add(md5_vec3_scale(side, right), md5_vec3_scale(level, back));
    direction.z = up;
    return md5_vec3_scale(direction, 1.0f / md5_vec3_length(direction));
}

// The key light's direction, turned about the vertical and raised; it never comes from below.
static md5_vec3 move_key(md5_vec3 direction, const view_lights *lights)
{
    const float around =
        view_radians(lights->values[VIEW_LIGHT_AROUND]) + atan2f(direction.y, direction.x);
    const float raised = view_radians(lights->values[VIEW_LIGHT_HEIGHT])
                         + asinf(view_clamp(direction.z, -1.0f, 1.0f));
    const float height = view_clamp(raised, view_radians(3.0f), view_radians(89.0f));
    return (md5_vec3){cosf(height) * cosf(around), cosf(height) * sinf(around), sinf(height)};
}

// Light colours of the studio and of the classic (2004) lighting, times the user's intensities.
static void color_lights(const view_lights *lights, md5gl_lighting lighting,
                         md5gl_point_light points[VIEW_NUM_POINTS], md5gl_frame *frame)
{
    static const struct {
        float key[3], sky[3], fill[3], rim[3];
    } colors[] = {
        [MD5GL_LIGHTING_STUDIO] = {.key = {1.30f, 1.20f, 1.06f},
                                   .sky = {0.30f, 0.33f, 0.38f},
                                   .fill = {0.9f, 1.0f, 1.25f},
                                   .rim = {7.5f, 7.2f, 6.8f}},
        [MD5GL_LIGHTING_CLASSIC] = {.key = {0.98f, 0.95f, 0.90f},
                                    .sky = {0.08f, 0.08f, 0.09f},
                                    .fill = {1.0f, 1.1f, 1.3f},
                                    .rim = {3.0f, 2.8f, 2.4f}},
    };
    for (int i = 0; i < 3; i++) {
        frame->light[i] = lights->values[VIEW_LIGHT_KEY] * colors[lighting].key[i];
        frame->ambient[i] = lights->values[VIEW_LIGHT_SKY] * colors[lighting].sky[i];
        points[0].color[i] = lights->values[VIEW_LIGHT_FILL] * colors[lighting].fill[i];
        points[1].color[i] = lights->values[VIEW_LIGHT_RIM] * colors[lighting].rim[i];
    }
}

const view_environment *view_shown_environment(const view_stage *stage)
{
    const view_environment *const environment = stage->environment;
    const bool has_light = environment != NULL && environment->light != NULL;
    return has_light && stage->shown->environment && !stage->shown->classic ? environment : NULL;
}

// The picture lights instead of sky, fill and rim light. Its middle is behind a model that is seen
// from the front. The key light, which casts the shadow, comes from its brightest side.
static void set_environment(const view_environment *environment, const view_lights *lights,
                            md5gl_frame *frame)
{
    const float middle = view_radians(180.0f);
    const md5_vec3 way = environment->brightest;
    frame->environment = environment->light;
    frame->environment_angle = middle + view_radians(lights->values[VIEW_LIGHT_AROUND]);
    frame->num_point_lights = 0;
    frame->light_direction = move_key((md5_vec3){-way.x, -way.y, way.z}, lights);
    for (int i = 0; i < 3; i++) {
        frame->light[i] *= 0.5f;
        frame->ambient[i] = lights->values[VIEW_LIGHT_SKY] * environment->exposure;
    }
}

static md5_bounds bounds_of_pose(const view_scene *scene)
{
    if (scene->dual)
        return view_pose_bounds(scene); // of what view_skin() wrote
    md5_bounds bounds = md5_skin_bounds(scene->model, scene->palette);
    const float reach = view_morph_reach(scene->morph, scene->morph_weights);
    const md5_vec3 room = {reach, reach, reach};
    if (view_is_empty(bounds))
        return bounds;
    bounds.min = md5_vec3_sub(bounds.min, room);
    bounds.max = md5_vec3_add(bounds.max, room);
    return bounds;
}

// Bounds of the shadow casters. Those of the whole clip are constant, which keeps shadows stable.
// If the clip moves far, those of the current pose give more detail. A crowd stays in its square.
static md5_bounds find_casters(const view_stage *stage)
{
    if (view_shows_crowd(stage->document))
        return stage->document->bounds;
    const view_scene *const scene = &stage->document->scene;
    const md5_bounds now = bounds_of_pose(scene);
    md5_bounds clip = stage->document->bounds;
    if (view_is_empty(now) || view_is_empty(clip))
        return (md5_bounds){0};
    const md5_vec3 walked = view_walked(&stage->document->scene, stage->play);
    clip.min = md5_vec3_add(clip.min, walked);
    clip.max = md5_vec3_add(clip.max, walked);
    const view_companion *const companions = stage->document->companions;
    const view_machine *const guest = companions[VIEW_GUEST].machine;
    if (guest != NULL) {
        const md5_vec3 at = guest->place.translation;
        const float reach = view_size(companions[VIEW_GUEST].model->bounds);
        const md5_bounds box = {{at.x - reach, at.y - reach, at.z},
                                {at.x + reach, at.y + reach, at.z + reach}};
        clip = md5_bounds_union(clip, box);
    }
    const bool has_another =
        companions[0].model != NULL || companions[VIEW_COMPARED].model != NULL || guest != NULL;
    const bool is_near = has_another || view_size(clip) < 1.8f * view_size(now);
    return is_near ? md5_bounds_union(clip, now) : now;
}

void view_set_lights(const view_stage *stage, view_axes axes,
                     md5gl_point_light points[VIEW_NUM_POINTS], md5gl_frame *frame)
{
    const float radius = stage->camera->scene_radius;
    const md5_vec3 centre = md5_vec3_add(view_centre(stage->document->bounds),
                                         view_walked(&stage->document->scene, stage->play));
    const md5_vec3 fill = studio_direction(axes, 0.85f, 0.55f, 0.25f);
    const md5_vec3 rim = studio_direction(axes, 0.55f, -0.75f, 0.65f);
    // The model is at half their range, where a fifth of their light is left.
    points[0] =
        (md5gl_point_light){.position = md5_vec3_add(centre, md5_vec3_scale(fill, 4.0f * radius)),
                            .range = 8.0f * radius};
    points[1] =
        (md5gl_point_light){.position = md5_vec3_add(centre, md5_vec3_scale(rim, 4.0f * radius)),
                            .range = 8.0f * radius};
    frame->light_direction = move_key(studio_direction(axes, -0.78f, 0.66f, 0.95f), stage->lights);
    frame->point_lights = points;
    frame->num_point_lights = VIEW_NUM_POINTS;
    frame->ground = stage->document->ground;
    if (stage->shown->shadows && stage->document->drawn != NULL)
        frame->casters = find_casters(stage);
    // A crowd is wide and needs more texels, so that each character has enough.
    frame->shadow_texels = view_shows_crowd(stage->document) ? VIEW_CROWD_TEXELS : 0;
    frame->lighting = stage->shown->classic ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO;
    color_lights(stage->lights, frame->lighting, points, frame);
    frame->tone_mapped = !stage->shown->classic;
    frame->softness = stage->shown->classic ? 0.0f : 0.08f;
    const view_environment *const environment = view_shown_environment(stage);
    if (environment != NULL)
        set_environment(environment, stage->lights, frame);
}

static bool shows_layers(const view_stage *stage, const view_textures *textures)
{
    const view_surface surface = stage->surface;
    const bool is_plain = stage->shown->untextured || stage->shown->checker
                          || surface == VIEW_SURFACE_WEIGHTS || surface == VIEW_SURFACE_UV;
    return !is_plain && textures->dropped == NULL && textures->layers.num_meshes > 0;
}

float view_parm_of(const view_stage *stage, int row)
{
    const float *const own = view_own_parms(&stage->document->scene);
    const float value = stage->parms->values[row - VIEW_FIRST_PARM];
    const bool is_own = own != NULL && value == view_range_of_parm(row)->usual;
    return is_own ? own[row - VIEW_FIRST_PARM] : value;
}

void view_set_materials(const view_stage *stage, const view_textures *textures, md5gl_model *drawn)
{
    const view_shown *const shown = stage->shown;
    const bool has_layers = shows_layers(stage, textures);
    md5_material_input input = {.time = view_material_time(stage->parms, stage->play->time)};
    for (int i = 0; i < VIEW_NUM_PARMS; i++)
        input.parms[i] = view_parm_of(stage, VIEW_FIRST_PARM + i);
    if (has_layers)
        view_evaluate_layers(&textures->layers, &input);
    const bool is_grid =
        stage->surface == VIEW_SURFACE_UV && stage->document->surfaces.uv_grid != 0;
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        md5gl_material material = view_mesh_material(textures, stage->renderer, i,
                                                     shown->maps && !is_grid, stage->play->time);
        if (shown->checker)
            material.diffuse = md5gl_checker_texture(stage->renderer);
        if (is_grid)
            material.diffuse = stage->document->surfaces.uv_grid;
        material.two_sided = material.two_sided || shown->two_sided;
        if (has_layers)
            view_paint_layer(&textures->layers, i, shown->maps && !is_grid, &material);
        md5gl_set_material(drawn, 0, i, &material);
    }
}

bool view_draw_layers(const view_stage *stage, const view_body *body, md5gl_stage_pass pass,
                      md5_error *error)
{
    const view_layers *const layers = &body->textures->layers;
    return !shows_layers(stage, body->textures)
           || md5gl_draw_stages(stage->renderer, body->drawn, pass, layers->lists,
                                layers->num_meshes, error);
}
