// The lights and shadow casters of an image, its background color, and the image of the
// environment.
//
// Studio lighting consists of four lights. A key light comes from behind the viewer's left
// shoulder. A weak fill light comes from the right. A rim light from behind separates the model
// from the background. A soft sky lights all sides. The lights rotate with the camera, so that the
// visible side is never dark. Shadows then look like those in photographs of a turntable.
#include "demo/viewer/draw/draw.h"

// The color at the middle of the background gradient, used where no gradient is drawn.
static const float middle[3] = {0.214f, 0.243f, 0.286f};

// Light colors of the studio lighting and of the classic (2004) lighting.
static const struct light_colors {
    float key[3];
    float sky[3];
    float fill[3];
    float rim[3];
} light_colors[] = {
    [MD5GL_LIGHTING_STUDIO] = {.key = {1.30f, 1.20f, 1.06f},
                               .sky = {0.30f, 0.33f, 0.38f},
                               .fill = {0.9f, 1, 1.25f},
                               .rim = {7.5f, 7.2f, 6.8f}},
    [MD5GL_LIGHTING_CLASSIC] = {.key = {0.98f, 0.95f, 0.90f},
                                .sky = {0.08f, 0.08f, 0.09f},
                                .fill = {1, 1.1f, 1.3f},
                                .rim = {3, 2.8f, 2.4f}},
};

// Returns the horizontal unit direction from the model to the camera.
static md5_vec3 level_direction(view_axes axes)
{
    // In a steep view, the back axis of the camera is almost vertical. The up axis is then almost
    // horizontal, so it gives the direction.
    const md5_vec3 level_back = {axes.back.x, axes.back.y, 0};
    const bool is_steep = md5_vec3_length(level_back) < 0.3f;
    const md5_vec3 level = is_steep ? (md5_vec3){-axes.up.x, -axes.up.y, 0} : level_back;
    const float length = md5_vec3_length(level);
    return length > 0 ? md5_vec3_scale(level, 1.0f / length) : (md5_vec3){1, 0, 0};
}

// Returns a unit direction from its components: `right` in the image, `back` horizontally towards
// the camera, and `up` in the world.
static md5_vec3 studio_direction(view_axes axes, float right, float back, float up)
{
    const md5_vec3 back_axis = level_direction(axes);
    const md5_vec3 right_axis = {-back_axis.y, back_axis.x, 0};
    md5_vec3 direction =
        md5_vec3_add(md5_vec3_scale(right_axis, right), md5_vec3_scale(back_axis, back));
    direction.z = up;
    return md5_vec3_scale(direction, 1.0f / md5_vec3_length(direction));
}

// Returns the bounds of a model in the pose of a palette, without meshes that are excluded from
// bounds.
static md5_bounds skin_bounds(const md5_model *model, const view_textures *textures,
                              const md5_mat34 *palette)
{
    // md5_skin_bounds() measures a whole model, so the model is copied with one mesh at a time.
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    md5_model single_mesh = *model;
    single_mesh.num_meshes = 1;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        single_mesh.meshes = &model->meshes[i];
        if (textures == NULL || !view_is_unmeasured(textures, i))
            bounds = md5_bounds_union(bounds, md5_skin_bounds(&single_mesh, palette));
    }
    return bounds;
}

md5_bounds view_scene_bounds(const view_document *document)
{
    const view_scene *const scene = &document->scene;
    if (scene->dual)
        return view_pose_bounds(scene, NULL); // bounds of the vertices that view_skin() wrote
    return skin_bounds(scene->model, &document->textures, scene->palette);
}

md5_bounds view_companion_bounds(const view_document *document, uint32_t index)
{
    const view_companion *const companion = &document->companions[index];
    if (companion->model == NULL)
        return md5_bounds_from_points(NULL, 0);
    const md5_bounds local = skin_bounds(companion->model, companion->textures, companion->palette);
    return md5_bounds_transform(local, companion->placement);
}

float view_find_ground(view_document *document)
{
    float ground = fminf(document->ground, view_pose_lowest(&document->scene));
    for (uint32_t i = 0; i < VIEW_NUM_COMPANIONS; i++)
        ground = fminf(ground, view_companion_bounds(document, i).min.z);
    return ground;
}

// Returns bounds that are translated by an offset.
static md5_bounds move_bounds(md5_bounds bounds, md5_vec3 offset)
{
    return (md5_bounds){md5_vec3_add(bounds.min, offset), md5_vec3_add(bounds.max, offset)};
}

// Extends the bounds of the shadow casters by the bounds of a companion, to a size of at most
// `limit`. If the companion is too far away, its bounds are first moved toward the others until
// both fit. The result is therefore a continuous function of the companion's position. When the
// companion approaches or leaves, the sharpness of the shadows does not change abruptly.
static md5_bounds add_caster(md5_bounds casters, md5_bounds companion, float limit)
{
    if (view_is_empty(companion))
        return casters;
    if (view_size(md5_bounds_union(casters, companion)) < limit)
        return md5_bounds_union(casters, companion);

    // Find the smallest fraction of the gap by which the companion must be moved, by bisection.
    enum { NUM_STEPS = 20 }; // the last interval is a millionth of the gap
    const md5_vec3 gap = md5_vec3_sub(view_center(casters), view_center(companion));
    float fits = 1; // a fraction that is sufficient, unless the companion is larger than the limit
    float too_far = 0;
    for (int i = 0; i < NUM_STEPS; i++) {
        const float fraction = 0.5f * (fits + too_far);
        const md5_bounds moved = move_bounds(companion, md5_vec3_scale(gap, fraction));
        if (view_size(md5_bounds_union(casters, moved)) < limit)
            fits = fraction;
        else
            too_far = fraction;
    }
    const md5_bounds both =
        md5_bounds_union(casters, move_bounds(companion, md5_vec3_scale(gap, fits)));
    return view_size(both) < limit ? both : casters;
}

// Returns the bounds of the shadow casters in the current pose. The shadow map becomes coarser as
// the bounds grow. Therefore companions extend the bounds only to a size of at most about twice
// `reach`. The casters of a crowd have the bounds of the square on which the crowd stands.
static md5_bounds find_casters(const view_document *document, float reach)
{
    const view_scene *const scene = &document->scene;
    if (view_shows_crowd(document))
        return document->bounds;
    md5_bounds bounds = view_scene_bounds(document);
    if (view_is_empty(bounds))
        return bounds;
    // Morph targets and dual quaternion skinning move vertices out of the measured bounds, so add a
    // margin.
    float margin;
    if (scene->dual)
        margin = 0.05f * view_size(bounds);
    else
        margin = view_morph_reach(scene->morphs, scene->morph_weights);
    for (uint32_t i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        if (i != VIEW_CARRIED) // a fire does not cast a shadow
            bounds = add_caster(bounds, view_companion_bounds(document, i), 1.9f * reach);
    }
    bounds.min = md5_vec3_sub(bounds.min, (md5_vec3){margin, margin, margin});
    bounds.max = md5_vec3_add(bounds.max, (md5_vec3){margin, margin, margin});
    return bounds;
}

// Sets the positions and ranges of the fill and the rim light. The model is at half of their range.
// At this distance, a fifth of their light remains.
static void create_studio_lights(const view_stage *stage, const view_lens *lens,
                                 md5gl_point_light points[VIEW_NUM_POINTS])
{
    const float radius = stage->camera->scene_radius;
    const md5_vec3 center = md5_vec3_add(view_center(stage->document->bounds),
                                         view_walked(&stage->document->scene, stage->play));
    const md5_vec3 directions[VIEW_NUM_STUDIO_POINTS] = {
        studio_direction(lens->axes, 0.85f, 0.55f, 0.25f),   // fill
        studio_direction(lens->axes, 0.55f, -0.75f, 0.65f)}; // rim
    for (int i = 0; i < VIEW_NUM_STUDIO_POINTS; i++)
        points[i] = (md5gl_point_light){.position = view_along(center, directions[i], 4 * radius),
                                        .range = 8 * radius};
}

// Selects the shadow casters, and the area and the resolution of the shadow map.
static void set_shadows(const view_stage *stage, md5gl_frame *frame)
{
    const float reach = 2 * stage->camera->scene_radius;
    frame->no_shadows = !stage->shown->shadows || stage->document->drawn == NULL;
    if (!frame->no_shadows)
        frame->casters = find_casters(stage->document, reach);
    // A crowd is wide, so it needs more texels for each character to have enough. With a guest,
    // which approaches and leaves, the shadow map always covers both characters. It then also needs
    // more texels, so that the shadow of the main character remains sharp.
    const bool has_guest = stage->document->companions[VIEW_GUEST].model != NULL;
    const bool is_wide = has_guest || view_shows_crowd(stage->document);
    frame->shadow_radius = has_guest ? reach : 0;
    frame->shadow_texels = is_wide ? VIEW_CROWD_TEXELS : 0;
}

// Sets the colors of the lights, scaled by the user's intensities.
static void set_light_colors(const view_stage *stage, md5gl_frame *frame,
                             md5gl_point_light points[VIEW_NUM_POINTS])
{
    const struct light_colors *const colors = &light_colors[frame->lighting];
    const float *const values = stage->lights->values;
    for (int i = 0; i < 3; i++) {
        frame->light[i] = values[VIEW_LIGHT_KEY] * colors->key[i];
        frame->ambient[i] = values[VIEW_LIGHT_SKY] * colors->sky[i];
        points[0].color[i] = values[VIEW_LIGHT_FILL] * colors->fill[i];
        points[1].color[i] = values[VIEW_LIGHT_RIM] * colors->rim[i];
    }
}

// Returns true if an environment image lights the scene. The classic light has no environment.
static bool has_environment(const view_stage *stage)
{
    const view_environment *const environment = stage->environment;
    if (environment == NULL || environment->light == NULL)
        return false;
    return stage->shown->environment && !stage->shown->classic;
}

// Replaces the sky, fill and rim light by the environment image. The image is rotated so that its
// middle is behind a model that is seen from the front. Returns the direction of the key light,
// which casts the shadow: it comes from the brightest side of the image. The key light becomes
// weaker, because the image already contains the light from this side.
static md5_vec3 set_environment(const view_stage *stage, md5gl_frame *frame)
{
    const view_environment *const environment = stage->environment;
    const float *const values = stage->lights->values;
    frame->environment = environment->light;
    frame->environment_angle = view_radians(180) + view_radians(values[VIEW_LIGHT_AZIMUTH]);
    frame->num_point_lights = 0;
    for (int i = 0; i < 3; i++) {
        frame->light[i] *= 0.5f;
        frame->ambient[i] = values[VIEW_LIGHT_SKY] * environment->exposure;
    }
    return (md5_vec3){-environment->brightest.x, -environment->brightest.y,
                      environment->brightest.z};
}

// Returns the direction of the key light after the user's settings. The azimuth rotates it about
// the vertical axis. The elevation raises it. The light never comes from below, because it would
// cast no shadow on the ground.
static md5_vec3 adjust_key_light(const view_stage *stage, md5_vec3 key)
{
    const float *const values = stage->lights->values;
    const float key_elevation = asinf(view_clamp(key.z, -1, 1));
    const float azimuth = view_radians(values[VIEW_LIGHT_AZIMUTH]) + atan2f(key.y, key.x);
    const float elevation = view_clamp(view_radians(values[VIEW_LIGHT_ELEVATION]) + key_elevation,
                                       view_radians(3), view_radians(89));
    return (md5_vec3){cosf(elevation) * cosf(azimuth), cosf(elevation) * sinf(azimuth),
                      sinf(elevation)};
}

// Sets the color and opacity of the background.
static void set_background(const view_stage *stage, bool transparent, md5gl_frame *frame)
{
    frame->background[3] = transparent ? 0.0f : 1.0f;
    if (transparent)
        return;
    const bool is_given = stage->options->background_given;
    for (int i = 0; i < 3; i++)
        frame->background[i] = is_given ? stage->options->background[i] : middle[i];
}

// Returns the settings with which the renderer draws a frame. They are the size of the image, the
// matrices of the camera, and the lights and shadows. The lights follow the user's choice between
// studio and classic lighting. `points` receives the point lights; the result refers to them.
md5gl_frame view_light_frame(const view_stage *stage, const view_lens *lens, md5gl_target *target,
                             bool transparent, md5gl_point_light points[VIEW_NUM_POINTS])
{
    const bool is_classic = stage->shown->classic;
    md5gl_frame frame = {.target = target,
                         .width = (uint32_t)stage->width,
                         .height = (uint32_t)stage->height,
                         .point_lights = points,
                         .num_point_lights = VIEW_NUM_STUDIO_POINTS,
                         .ground = stage->document->ground,
                         .lighting = is_classic ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO,
                         .tone_mapped = !is_classic};
    set_background(stage, transparent, &frame);
    view_lens_matrices(lens, &frame.view_from_world, &frame.clip_from_view);
    create_studio_lights(stage, lens, points);
    set_shadows(stage, &frame);
    set_light_colors(stage, &frame, points);
    frame.softness = is_classic || stage->quality_level.quick_shadows ? 0 : 0.08f;
    md5_vec3 key = studio_direction(lens->axes, -0.78f, 0.66f, 0.95f);
    if (has_environment(stage))
        key = set_environment(stage, &frame);
    frame.light_direction = adjust_key_light(stage, key);
    return frame;
}
