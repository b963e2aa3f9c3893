// Draws an image of the document. A body is a model with its instances. Instances are copies of the
// model in different poses. Bodies are posed once. They are then drawn into the shadow map, as lit
// surfaces, and with their material stages. A material stage is an image that a material of a game
// blends over a surface. A crowd has one body for each model and level of detail.
#include "demo/viewer/draw/draw.h"

#include <float.h>

// == Lighting =====================================================================================
//
// Studio lighting consists of four lights. A key light comes from behind the viewer's left
// shoulder. A weak fill light comes from the right. A rim light from behind separates the model
// from the background. A soft sky lights all sides. The lights rotate with the camera, so that the
// visible side is never dark. Shadows then look like those in photographs of a turntable.

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

// Returns the posed bounds of the scene's model.
static md5_bounds scene_bounds(const view_document *document)
{
    const view_scene *const scene = &document->scene;
    if (scene->dual)
        return view_pose_bounds(scene, NULL); // of the vertices that view_skin() wrote
    return skin_bounds(scene->model, &document->textures, scene->palette);
}

// Returns the posed bounds of companion `index` in world space. They are empty if the companion
// does not exist.
static md5_bounds companion_bounds(const view_document *document, uint32_t index)
{
    const view_companion *const companion = &document->companions[index];
    if (companion->model == NULL)
        return md5_bounds_from_points(NULL, 0);
    const md5_bounds local = skin_bounds(companion->model, companion->textures, companion->palette);
    return md5_bounds_transform(local, companion->placement);
}

// Returns the height of the ground. It is not above the lowest point of a body, because it would
// hide the part below.
static float find_ground(view_document *document)
{
    float ground = fminf(document->ground, view_pose_lowest(&document->scene));
    for (uint32_t i = 0; i < VIEW_NUM_COMPANIONS; i++)
        ground = fminf(ground, companion_bounds(document, i).min.z);
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
    md5_bounds bounds = scene_bounds(document);
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
            bounds = add_caster(bounds, companion_bounds(document, i), 1.9f * reach);
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

// Returns true if the material stages of the meshes are drawn. They are not drawn in displays that
// replace the textures, such as the checker.
static bool shows_layers(const view_stage *stage, const view_textures *textures)
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
    const bool has_layers = shows_layers(stage, textures);
    if (has_layers)
        evaluate_materials(stage, textures);
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        const md5gl_material material = choose_mesh_material(stage, textures, i, has_layers);
        md5gl_set_material(stage->renderer, drawn, 0, i, &material);
    }
}

// == Bodies =======================================================================================

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

// Draws one pass of the material stages of all bodies. Displays that hide textures also hide the
// stages. Returns false and fills `error` on failure.
static bool draw_layers(const view_stage *stage, const view_bodies *bodies, md5gl_stage_pass pass,
                        md5_error *error)
{
    for (uint32_t i = 0; i < bodies->count; i++) {
        const view_body *const body = &bodies->bodies[i];
        const bool has_stages = (body->uses & VIEW_BODY_STAGED) != 0 && body->textures != NULL;
        if (!has_stages || !shows_layers(stage, body->textures))
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
    if (!draw_layers(stage, bodies, MD5GL_STAGE_PASS_SHADOWS, error))
        return false;
    draw_uses(stage, bodies, VIEW_BODY_SHOWN, style);
    return draw_layers(stage, bodies, MD5GL_STAGE_PASS_BASES, error);
}

// == The crowd ====================================================================================

// An image of an impostor: a clip of its model and a frame of the clip's images.
typedef struct impostor_image {
    uint32_t clip;
    uint32_t frame;
} impostor_image;

// Returns the number of images of a clip.
static uint32_t count_frames(const view_kind *kind, uint32_t clip)
{
    return kind->pictures.first[clip + 1] - kind->pictures.first[clip];
}

// Returns the image that is drawn as number `index`. The first frames of all clips are drawn first,
// so that every clip soon has an image. The other frames of the first clip follow, then those of
// the second clip, and so on.
static impostor_image image_at(const view_kind *kind, uint32_t index)
{
    if (index < kind->num_clips)
        return (impostor_image){.clip = index, .frame = 0};

    // `skipped` counts images after the first frames, beginning at the current clip.
    uint32_t skipped = index - kind->num_clips;
    uint32_t clip = 0;
    while (skipped >= count_frames(kind, clip) - 1) {
        skipped -= count_frames(kind, clip) - 1;
        clip++;
    }
    return (impostor_image){.clip = clip, .frame = 1 + skipped};
}

// Computes the palette for one image of an impostor. The images of a clip show its poses at equal
// intervals of time.
static void pose_impostor_image(const view_kind *kind, impostor_image image, md5_xform *pose,
                                md5_mat34 *palette)
{
    const md5_binding *const binding = kind->clips[image.clip];
    const double part = (double)image.frame / count_frames(kind, image.clip); // of the cycle
    const md5_sample_position sample =
        md5_sample_position_at(binding->anim, part * binding->anim->duration, MD5_WRAP_LOOP);
    md5_pose_palette(binding, sample, MD5_ROOT_IN_PLACE, pose, NULL, palette);
}

// Draws the missing images of a kind's impostors, up to before index `end` in the order of
// image_at(). Returns false and fills `error` on failure.
static bool draw_impostor_images(const view_stage *stage, view_kind *kind, uint32_t end,
                                 md5_error *error)
{
    view_pictures *const pictures = &kind->pictures;
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    bool is_drawn = true;
    while (pictures->num_drawn < end) {
        const impostor_image image = image_at(kind, pictures->num_drawn);
        const uint32_t index = pictures->first[image.clip] + image.frame;
        pose_impostor_image(kind, image, pose, palette);
        is_drawn = md5gl_draw_impostor_images(stage->renderer, pictures->impostors, kind->drawn,
                                              index, palette, error);
        if (!is_drawn)
            break;
        pictures->num_drawn++;
    }
    free(pose);
    free(palette);
    return is_drawn;
}

// Returns the display settings on which the images of impostors depend, one bit each. Bit 0 is
// always set, because 0 means that no image was drawn yet.
static uint32_t impostor_settings(const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    return 1u | (uint32_t)shown->maps << 1 | (uint32_t)shown->two_sided << 2
           | (uint32_t)shown->checker << 3 | (uint32_t)stage->document->scene.dual << 4;
}

// Returns the number of images of a kind that exist after this frame. A window draws the first
// images of all clips in one frame, and then a few images per frame, so that it remains responsive.
// An output draws all images at once.
static uint32_t images_after_frame(const view_stage *stage, const view_kind *kind)
{
    enum { MAX_PER_FRAME = 2 };
    const uint32_t num_images = kind->pictures.first[kind->num_clips];
    const uint32_t num_drawn = kind->pictures.num_drawn;
    const bool in_window = stage->options->output == NULL && stage->options->num_frames == 0;
    if (!in_window)
        return num_images;
    if (num_drawn < kind->num_clips)
        return kind->num_clips;
    const uint32_t num_missing = num_images - num_drawn;
    return num_missing > MAX_PER_FRAME ? num_drawn + MAX_PER_FRAME : num_images;
}

// Draws the images of impostors that are missing or out of date. A frame cannot be interrupted, so
// call it before the frame begins. Returns false and fills `error` on failure.
static bool prepare_pictures(const view_stage *stage, md5_error *error)
{
    const uint32_t settings = impostor_settings(stage);
    for (uint32_t k = 0; k < stage->document->crowd.num_kinds; k++) {
        view_kind *const kind = &stage->document->crowd.kinds[k];
        view_pictures *const pictures = &kind->pictures;
        if (pictures->impostors == NULL)
            continue;
        if (settings != pictures->look)
            pictures->num_drawn = 0; // all images are out of date
        pictures->look = settings;
        if (pictures->num_drawn >= pictures->first[kind->num_clips])
            continue;
        view_set_materials(stage, kind->textures, kind->drawn);
        if (!draw_impostor_images(stage, kind, images_after_frame(stage, kind), error))
            return false;
    }
    return true;
}

// Returns the body of the impostors of a kind.
static view_body impostor_body(const view_kind *kind, const view_detail *level)
{
    return (view_body){
        .uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN,
        .instances = {.count = level->count},
        .impostors = kind->pictures.impostors,
        .pictured = kind->pictures.instances,
    };
}

// Returns the body of a level of detail. Its instances are the members of this level, which begin
// at level->first. Only the first level, which is the model itself, has material stages.
static view_body level_body(const view_kind *kind, const view_detail *level, unsigned uses)
{
    const bool is_posed = level->source <= VIEW_DETAIL_CASTERS;
    const bool is_first_level = level == kind->levels;
    md5gl_instances instances = {
        .count = level->count,
        .placements = kind->placements + level->first,
        .morph = level->drawn_morph,
    };
    if (is_posed)
        instances.palettes =
            kind->drawn_palettes + (size_t)level->first * kind->model->skeleton.num_joints;
    if (level->source == VIEW_DETAIL_BAKED) {
        instances.baked = kind->bakes.clips;
        instances.jobs = kind->jobs;
    }
    if (kind->fades)
        instances.tints = kind->tints + level->first;
    if (level->drawn_morph != NULL)
        instances.weights =
            kind->morph_weights + (size_t)level->first * kind->morphs->morph->num_targets;
    return (view_body){
        .uses = is_first_level ? uses | VIEW_BODY_STAGED : uses,
        .textures = kind->textures,
        .drawn = level->drawn,
        .instances = instances,
    };
}

// Returns true if a kind has a level that only casts the shadows of its posed members.
static bool has_caster_level(const view_kind *kind)
{
    if (!kind->is_sorted)
        return false;
    for (uint32_t i = 1; i < kind->num_levels; i++) {
        if (kind->levels[i].source == VIEW_DETAIL_CASTERS)
            return true;
    }
    return false;
}

// Adds the bodies of a kind of a crowd, one for each level of detail that is used.
static void list_kind(const view_kind *kind, view_bodies *bodies)
{
    const bool has_casters = has_caster_level(kind);
    for (uint32_t i = 0; i < kind->num_levels; i++) {
        const view_detail *const level = &kind->levels[i];
        const bool is_posed = level->source <= VIEW_DETAIL_CASTERS;
        if (level->source == VIEW_DETAIL_PICTURED)
            bodies->bodies[bodies->count++] = impostor_body(kind, level);
        // If the members are not sorted, all posed members use the first level.
        const bool is_unused = is_posed && i > 0 && !kind->is_sorted;
        if (level->drawn == NULL || is_unused)
            continue;

        unsigned uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN;
        if (level->source == VIEW_DETAIL_CASTERS)
            uses = VIEW_BODY_CASTS;
        else if (is_posed && has_casters)
            uses = VIEW_BODY_SHOWN;
        bodies->bodies[bodies->count++] = level_body(kind, level, uses);
    }
}

// Adds the bodies of all kinds of a crowd.
static void list_crowd(const view_stage *stage, view_bodies *bodies)
{
    const view_crowd *const crowd = &stage->document->crowd;
    for (uint32_t k = 0; k < crowd->num_kinds; k++)
        list_kind(&crowd->kinds[k], bodies);
}

// == Companions ============================================================================

// Frees the result of retargeting the shown clip. The result is computed again when its key,
// which describes the inputs, differs.
void view_clear_retargeting(view_retargeting *retargeting)
{
    md5_free_binding(retargeting->binding);
    md5_free_anim(retargeting->anim);
    free(retargeting->pairs);
    free(retargeting->key);
    *retargeting = (view_retargeting){.key = NULL};
}

// Callback of md5_load_opts: ignores warnings about a map of joints. They were already logged when
// the map was opened.
static void ignore(void *user, const md5_error *warning)
{
    (void)user;
    (void)warning;
}

// Returns the options of a conversion in memory that retargets a clip to another model.
convert_job view_retarget_job(const view_options *options, const view_scene *scene,
                              const char *clip, common_list *inputs)
{
    // The inputs are the clip and the model, which is the first file of the scene.
    view_address address;
    md5_files game_files = {.user = NULL};
    common_list files = {0};
    view_list_files(scene, false, &files);
    const bool is_in_game = view_read_address(clip, &address);
    if (is_in_game) {
        common_add(inputs, common_copy(address.name));
        view_free_address(&address);
        game_files = md5_game_files(scene->library->game);
    } else {
        common_add(inputs, common_copy(clip));
    }
    common_add(inputs, common_copy(files.names[0]));
    common_free_list(&files);
    return (convert_job){
        .inputs = (const char *const *)inputs->names,
        .num_inputs = inputs->count,
        .output = "x.md5anim",
        .is_forced = true,
        .target = options->retarget,
        .map = options->retarget_map,
        .pairs = options->retarget_pairs,
        .files = game_files,
        .warn = ignore,
    };
}

// Returns a text that identifies a clip and a map of joints. If it changes, the clip must be
// retargeted again.
static char *retargeting_key(const view_options *options, const char *clip_path)
{
    const char *const map = options->retarget_map != NULL ? options->retarget_map : "";
    const char *const pairs = options->retarget_pairs != NULL ? options->retarget_pairs : "";
    return common_format("%s\n%s\n%s", clip_path, map, pairs);
}

// Converts the clip of `job` to the target model in memory, and binds the result to `model`. On
// failure, retargeting->binding remains NULL.
static void retarget_clip(view_retargeting *retargeting, convert_job *job, const md5_model *model)
{
    md5_error error;
    convert_scene converted = {.name = NULL};
    job->retargeted = &converted;
    const bool is_converted = convert_files(job, &error);
    job->retargeted = NULL; // valid only in this function
    if (is_converted && converted.num_parts > 0)
        retargeting->anim =
            md5_parse_anim(converted.parts->bytes, converted.parts->size, NULL, &error);
    if (retargeting->anim != NULL)
        retargeting->binding = md5_bind(model, retargeting->anim, NULL, &error);
    convert_free_scene(&converted);
}

// Matches the joints of the scene's model with the joints of the model `target`. Then retargets the
// shown clip `clip`, unless it is NULL. If no joints match, the previous match remains.
static void match_target(view_retargeting *retargeting, const view_stage *stage,
                         view_companion *target, const view_clip *clip)
{
    const view_scene *const scene = &stage->document->scene;
    const uint32_t num_joints = target->model->skeleton.num_joints;
    retargeting->pairs = common_alloc(num_joints, sizeof *retargeting->pairs);

    const char *const clip_path = clip != NULL ? clip->path : "";
    common_list inputs = {0};
    convert_job job = view_retarget_job(stage->options, scene, clip_path, &inputs);
    md5_error error;
    md5_retarget *const retarget =
        convert_create_retarget(&job, scene->model, target->model, retargeting->pairs, &error);
    if (retarget == NULL) {
        common_free_list(&inputs);
        return;
    }

    md5_destroy_retarget(target->retarget);
    free(target->scratch);
    target->retarget = retarget;
    target->scratch = common_alloc(1, md5_retarget_pose_scratch(retarget));
    if (clip != NULL)
        retarget_clip(retargeting, &job, target->model);
    common_free_list(&inputs);
}

// Updates the retargeting to the model `target` if the user has selected another map of joints or
// another clip since the last call.
static void update_retargeting(view_retargeting *retargeting, const view_stage *stage,
                               view_companion *target)
{
    const view_scene *const scene = &stage->document->scene;
    const view_clip *const clip = view_is_bind_pose(scene) ? NULL : view_shown_clip(scene);
    char *const key = retargeting_key(stage->options, clip != NULL ? clip->path : "");
    const bool is_current = retargeting->key != NULL && strcmp(retargeting->key, key) == 0;
    if (is_current) {
        free(key);
        return;
    }
    view_clear_retargeting(retargeting);
    retargeting->key = key;
    match_target(retargeting, stage, target, clip);
}

// Returns the placement of a model that shows the pose of the scene. It stands beside the scene's
// model. The user can also show the retargeted model at the same position.
static md5_mat34 companion_placement(const view_companion *companion, const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    const bool is_target = companion == &stage->document->companions[VIEW_RETARGETED];
    const bool is_beside =
        !is_target || stage->options->retarget_layout == VIEW_RETARGET_SIDE_BY_SIDE;
    const float distance = is_beside ? companion->aside : 0;
    const md5_xform aside = {.rotation = {.w = 1}, .translation = {0, distance, 0}};
    const md5_mat34 scene_placement = md5_mat34_from_xform(view_placement(scene));
    const md5_mat34 placement = md5_mat34_mul(md5_mat34_from_xform(aside), scene_placement);
    if (!scene->rotation.is_set)
        return placement;
    return md5_mat34_mul(placement, scene->rotation.matrix);
}

// Poses a model like the scene, and writes its palette. Uses the retargeted clip if there is one.
// Otherwise retargets the pose of the scene; if this is not possible, uses the bind pose.
// `retargeting` is NULL if the user cannot select a map of joints for the model.
static void pose_by_scene(view_companion *companion, const view_stage *stage,
                          const view_retargeting *retargeting)
{
    const view_scene *const scene = &stage->document->scene;
    const uint32_t num_joints = companion->model->skeleton.num_joints;
    memcpy(companion->pose, companion->model->bind_local, num_joints * sizeof *companion->pose);
    if (retargeting != NULL && retargeting->binding != NULL)
        md5_sample(retargeting->binding, view_sample_position(stage->play, retargeting->anim),
                   scene->root, companion->pose);
    else if (companion->scratch != NULL)
        md5_retarget_pose(companion->retarget, scene->pose, companion->pose, companion->scratch);
    md5_local_to_palette(companion->model, companion->pose, NULL, companion->palette);
}

// Poses a companion according to its kind: writes its palette and returns its placement.
static md5_mat34 pose_companion(view_companion *companion, const view_stage *stage)
{
    const view_document *const document = stage->document;
    const view_scene *const scene = &document->scene;
    view_retargeting *const retargeting = stage->retargeting;
    const bool is_attached = companion->joint >= 0;
    if (companion->machine != NULL) {
        view_pose_machine(companion->machine, companion->model->skeleton.num_joints,
                          companion->pose, companion->joints, companion->palette);
        if (is_attached)
            return scene->joints[companion->joint];
        // The machine has written the palette in world space, so no placement is necessary.
        return md5_mat34_from_xform((md5_xform){.rotation = {.w = 1}});
    }
    if (companion == &document->companions[VIEW_COMPARED]) {
        md5_build_palette(companion->model, document->compare.joints, companion->palette);
        return companion_placement(companion, stage);
    }
    if (companion == &document->companions[VIEW_RETARGETED]) {
        if (retargeting != NULL)
            update_retargeting(retargeting, stage, companion);
        pose_by_scene(companion, stage, retargeting);
        return companion_placement(companion, stage);
    }
    // All other companions are attached to a joint.
    pose_by_scene(companion, stage, NULL);
    return scene->joints[companion->joint];
}

// Returns the length of the longest edge of a triangle.
static float longest_edge(const md5_vec3 *positions, const uint32_t *triangle)
{
    float longest = 0;
    for (int k = 0; k < 3; k++) {
        const md5_vec3 from = positions[triangle[k]];
        const md5_vec3 to = positions[triangle[(k + 1) % 3]];
        longest = fmaxf(longest, view_distance(from, to));
    }
    return longest;
}

// Measures the fire of a companion. Each triangle of its first mesh is a puff of flame, whose size
// is the longest edge of the triangle. The light of a puff is proportional to the square of its
// size. Returns the sum of the light. `center` receives the mean position of the puffs, weighted by
// their light, in the space of the companion. It is undefined if the sum is 0.
static float measure_fire(const view_companion *fire, md5_vec3 *center)
{
    const md5_mesh *const mesh = &fire->model->meshes[0];
    md5_vec3 *const positions = common_alloc(mesh->num_vertices, sizeof *positions);
    md5_vec3 weighted_sum = {0};
    float sum = 0; // of the weights
    md5_skin(mesh, fire->palette, positions, NULL, NULL);
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const triangle = &mesh->indices[3 * i];
        const float size = longest_edge(positions, triangle);
        const float weight = size * size;
        weighted_sum = view_along(weighted_sum, positions[triangle[1]], weight);
        sum += weight;
    }
    free(positions);
    *center = md5_vec3_scale(weighted_sum, 1 / sum);
    return sum;
}

// Adds a point light for the fire that the model carries, in the color of Bobbin's fire.
static void add_fire(const view_stage *stage, md5gl_frame *frame,
                     md5gl_point_light points[VIEW_NUM_POINTS])
{
    const float full_light = 3000; // of a fire at its brightest, square units
    const view_companion *const fire = &stage->document->companions[VIEW_CARRIED];
    const bool has_fire = fire->model != NULL && fire->model->num_meshes > 0;
    if (!has_fire || view_shows_crowd(stage->document))
        return;
    md5_vec3 center;
    const float light = measure_fire(fire, &center);
    const bool is_burning = light > 1;
    if (!is_burning)
        return;
    const float brightness = 3.2f * fminf(light / full_light, 1);
    points[frame->num_point_lights++] = (md5gl_point_light){
        .position = md5_mat34_point(fire->placement, center),
        .range = 3 * sqrtf(light),
        .color = {brightness, 0.7f * brightness, 0.3f * brightness},
    };
}

// == Surface: weights or a grid on the body ================================================

// Returns true if the weights of the selected joint are displayed. A crowd has no selected joint.
static bool shows_weights(const view_stage *stage)
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

// Creates the data of the selected surface display. Call it before each image, outside of a frame.
// Returns false and fills `error` on failure.
static bool prepare_surface(const view_stage *stage, md5_error *error)
{
    view_surfaces *const surfaces = &stage->document->surfaces;
    const bool shows_uv =
        stage->options->surface == VIEW_SURFACE_UV && stage->document->drawn != NULL;
    if (shows_uv && surfaces->uv_grid == 0)
        return create_uv_grid(surfaces, stage->renderer, error);
    if (shows_weights(stage))
        return prepare_weights(stage, error);
    return true;
}

// Sets the blending of a model on the GPU, linear or dual-quaternion, to that of the scene. If the
// driver rejects the shaders, logs the error and changes the scene to linear blending.
static void blend_as_selected(view_scene *scene, md5gl_model *drawn, const view_loader *loader)
{
    md5_error error = {0};
    const md5gl_blending blending = scene->dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    if (drawn == NULL || md5gl_set_blending(loader->renderer, drawn, blending, &error))
        return;
    view_log_error(loader->log, &error);
    scene->dual = false;
}

// == One image =============================================================================

// Returns the height of the horizon in an image, pixels from the top edge. The horizon is where the
// camera sees a point infinitely far away at its own height. If it is not visible, returns -1,
// which is above the image.
static float horizon_level(const view_lens *lens, float height)
{
    if (lens->orthographic || !(lens->axes.up.z > 0.1f))
        return -1;
    // Height above the axis of the lens, relative to half of the image's height.
    const float above_axis = lens->axes.back.z / (lens->axes.up.z * lens->half_y);
    return 0.5f * height * (1 - lens->shift_y - above_axis);
}

// Adds three areas to the canvas: a plain sky, a gradient down to the horizon, and a plain ground
// below.
static void add_sky(const view_stage *stage, const view_lens *lens)
{
    const view_rect image = {0, 0, stage->width, stage->height};
    const bool has_scenery = stage->document->scenery.drawn != NULL;
    const view_color sky = 0x2F4460FF;
    const view_color ground = has_scenery ? 0xC9986BFF : 0x8A7468FF;
    const float gradient_height = 0.4f * image.height;
    const float gradient_top = horizon_level(lens, image.height) - gradient_height;
    const view_rect above = {0, 0, image.width, gradient_top};
    const view_rect gradient = {0, gradient_top, image.width, gradient_height};
    view_draw_rect(stage->canvas, image, ground);
    view_draw_rect(stage->canvas, above, sky);
    view_draw_gradient(stage->canvas, gradient, sky, ground);
}

// Draws the background. With a lens, this is a sky and the ground, whose horizon depends on the
// lens. If `lens` is NULL, it is the gradient of a studio.
void view_draw_background(const view_stage *stage, const view_lens *lens)
{
    const view_rect image = {0, 0, stage->width, stage->height};
    view_clear_canvas(stage->canvas);
    if (lens != NULL)
        add_sky(stage, lens);
    else
        view_draw_gradient(stage->canvas, image, 0x47515FFF, 0x262B33FF);
    md5gl_draw_panel(stage->renderer, stage->font->mask, MD5GL_TEXTURE_MASK,
                     stage->canvas->vertices, stage->canvas->count);
}

// Returns a vertex of the scenery at its position in the image, pixels. Sets `depth` to its
// distance in front of the eye, units.
static md5gl_panel_vertex project_vertex(const view_stage *stage, const view_lens *lens,
                                         md5_vec3 position, md5_vec2 texcoord, float *depth)
{
    const md5_vec3 offset = md5_vec3_sub(position, lens->eye);
    *depth = -md5_vec3_dot(offset, lens->axes.back);
    // From -1 to 1 in the image.
    const float right = md5_vec3_dot(offset, lens->axes.right) / (lens->half_x * *depth);
    const float up = md5_vec3_dot(offset, lens->axes.up) / (lens->half_y * *depth);
    return (md5gl_panel_vertex){
        .x = 0.5f * stage->width * (1 + lens->shift_x + right),
        .y = 0.5f * stage->height * (1 - lens->shift_y - up),
        .u = texcoord.x,
        .v = texcoord.y,
        .rgba = {255, 255, 255, 255},
    };
}

// Returns true if a triangle of the image is clockwise, which means that its outside is visible.
// The y axis points down.
static bool is_clockwise(const md5gl_panel_vertex *triangle)
{
    const float twice_area = (triangle[1].x - triangle[0].x) * (triangle[2].y - triangle[0].y)
                             - (triangle[2].x - triangle[0].x) * (triangle[1].y - triangle[0].y);
    return twice_area > 0;
}

// Returns the distance of the character in front of the camera, units.
static float character_depth(const view_stage *stage, const view_lens *lens)
{
    const md5_vec3 character = view_walked(&stage->document->scene, stage->play);
    return -md5_vec3_dot(md5_vec3_sub(character, lens->eye), lens->axes.back);
}

// Projects the triangles of the scenery into the image. Omits triangles whose back side is visible
// and triangles that are nearer than `min_depth` units. Writes the others to vertices[3 *
// num_triangles]. Returns the number of written vertices.
static uint32_t project_scenery(const view_stage *stage, const view_lens *lens, float min_depth,
                                md5gl_panel_vertex *vertices)
{
    const view_companion *const scenery = &stage->document->scenery;
    const md5_mesh *const mesh = &scenery->model->meshes[0];
    md5_vec3 *const positions = common_alloc(mesh->num_vertices, sizeof *positions);
    md5_skin(mesh, scenery->palette, positions, NULL, NULL);
    uint32_t num_written = 0;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        // An omitted triangle is not counted, so the next triangle overwrites it.
        md5gl_panel_vertex *const triangle = &vertices[num_written];
        bool is_far_enough = true;
        for (uint32_t k = 0; k < 3u; k++) {
            const uint32_t vertex = mesh->indices[3 * i + k];
            float depth;
            triangle[k] =
                project_vertex(stage, lens, positions[vertex], mesh->texcoords[vertex], &depth);
            is_far_enough = is_far_enough && depth > min_depth;
        }
        if (is_far_enough && is_clockwise(triangle))
            num_written += 3;
    }
    free(positions);
    return num_written;
}

// Draws the scenery behind everything else, as an image without lighting. It is the first mesh of
// its file. A depth test and lighting would take a fifth of the time of a frame. The file contains
// the triangles from far to near, so no depth test is needed. Triangles that are nearer than the
// character are omitted, because the character would be drawn over them.
static void draw_scenery(const view_stage *stage, const view_lens *lens)
{
    const view_companion *const scenery = &stage->document->scenery;
    const uint32_t num_triangles = scenery->model->meshes[0].num_triangles;
    const float min_depth = fmaxf(character_depth(stage, lens), lens->near_z);
    md5gl_panel_vertex *const vertices = common_alloc(3 * (size_t)num_triangles, sizeof *vertices);
    const uint32_t num_vertices = project_scenery(stage, lens, min_depth, vertices);
    const md5gl_material material =
        view_mesh_material(scenery->textures, stage->renderer, 0, false, false, 0);
    md5gl_draw_panel(stage->renderer, material.diffuse, MD5GL_TEXTURE_COLOR, vertices,
                     num_vertices);
    free(vertices);
}

// -- Bodies ---------------------------------------------------------------------------------

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
    if (shows_weights(stage)) {
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

// -- Canvas ---------------------------------------------------------------------------------

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

// Returns the bounds of the feet: the joints in the lowest 15 % of the body, except the root. They
// are empty if there are no such joints. The round shadow is placed below them.
static md5_bounds find_feet(const md5_skeleton *skeleton, const md5_mat34 *joints, md5_bounds body)
{
    const float max_z = body.min.z + 0.15f * (body.max.z - body.min.z);
    md5_bounds feet = {.min = {INFINITY, INFINITY, INFINITY},
                       .max = {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t k = 1; k < skeleton->num_joints; k++) {
        const md5_vec3 position = md5_mat34_translation(joints[k]);
        if (position.z < max_z)
            feet = md5_bounds_union(feet, (md5_bounds){position, position});
    }
    return feet;
}

// Returns the round shadow of a body. It is on the ground below the feet, and as wide as the body.
// It becomes faint while the body is in the air. If `joints` is NULL, it is below the middle of the
// body.
static md5gl_blob_shadow body_blob(const md5_model *model, const md5_mat34 *joints, md5_bounds body,
                                   float ground)
{
    const float height = body.max.z - body.min.z;
    const float width = fmaxf(body.max.x - body.min.x, body.max.y - body.min.y);
    md5_bounds feet = md5_bounds_from_points(NULL, 0); // empty
    if (joints != NULL)
        feet = find_feet(&model->skeleton, joints, body);
    const bool has_feet = !view_is_empty(feet);
    const md5_vec3 center = view_center(has_feet ? feet : body);
    const float relative_radius = has_feet ? 0.5f : 0.6f;
    // Altitude relative to the height of the body. On the ground it is 0, also for a flat body.
    const float altitude = (body.min.z - ground) / fmaxf(height, FLT_MIN);
    return (md5gl_blob_shadow){
        .position = {center.x, center.y, ground},
        .radius = relative_radius * width,
        .darkness = 0.6f * view_clamp(1 - 2 * altitude, 0.1f, 1),
    };
}

// Draws a round shadow below each model if the shadow map is omitted to save time. A model without
// any shadow seems to float.
static void draw_blobs(const view_stage *stage, float ground)
{
    const view_document *const document = stage->document;
    md5gl_blob_shadow blobs[1 + VIEW_NUM_COMPANIONS] = {{.radius = 0}};
    if (document->scene.model != NULL)
        blobs[0] = body_blob(document->scene.model, document->scene.joints, scene_bounds(document),
                             ground);
    for (uint32_t i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        const view_companion *const companion = &document->companions[i];
        const bool is_attached = companion->joint >= 0;
        if (companion->model == NULL || is_attached)
            continue;
        blobs[1 + i] =
            body_blob(companion->model, companion->joints, companion_bounds(document, i), ground);
    }
    md5gl_draw_blob_shadows(stage->renderer, blobs, 1 + VIEW_NUM_COMPANIONS);
}

// Draws round shadows below the visible members of a crowd, in batches that fit on the stack.
static void draw_crowd_blobs(const view_stage *stage, float ground)
{
    enum { BATCH_SIZE = 256 };
    const view_crowd *const crowd = &stage->document->crowd;
    md5gl_blob_shadow batch[BATCH_SIZE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const view_member *const member = &crowd->members[i];
        const md5_vec3 position = member->placement.translation;
        if (!member->is_visible)
            continue;
        if (count == BATCH_SIZE) {
            md5gl_draw_blob_shadows(stage->renderer, batch, count);
            count = 0;
        }
        batch[count++] = (md5gl_blob_shadow){
            .position = {position.x, position.y, ground},
            .radius = 0.4f * crowd->kinds[member->kind].sphere.radius,
        };
    }
    if (count > 0)
        md5gl_draw_blob_shadows(stage->renderer, batch, count);
}

// Sets the blending of every model on the GPU, linear or dual-quaternion, to the user's selection.
static void blend_models(const view_stage *stage)
{
    view_document *const document = stage->document;
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    blend_as_selected(&document->scene, document->drawn, &loader);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        blend_as_selected(&document->scene, document->companions[i].drawn, &loader);
    for (uint32_t i = 0; i < document->crowd.num_kinds; i++) {
        const view_kind *const kind = &document->crowd.kinds[i];
        for (uint32_t k = 0; k < kind->num_levels; k++) {
            if (kind->levels[k].source != VIEW_DETAIL_BAKED) // baked vertices are not skinned
                blend_as_selected(&document->scene, kind->levels[k].drawn, &loader);
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
    md5_vec3 center;            // of the document, in the world
    uint32_t num_studio_lights; // point lights, without that of a carried fire
    bool has_flat_ground;       // the terrain is level
    bool is_above_ground;       // the camera is above the ground
    bool has_floor;   // a floor is drawn below the sky; it is not visible from below the ground
    bool has_scenery; // the scenery model of the document is drawn on the floor
} surroundings;

// Decides whether the frame shows a floor, scenery and flat ground. `selected` is the background.
// `num_studio_lights` is the number of point lights without that of a carried fire. The light of a
// fire is the last point light. It is the only point light that lights the floor.
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
// scenery, except its first mesh, which draw_scenery() draws. The scenery casts no shadow. Returns
// false and fills `error` on failure.
static bool draw_document(const view_stage *stage, bool has_scenery, view_bodies *bodies,
                          md5_error *error)
{
    const view_document *const document = stage->document;
    if (view_shows_crowd(document))
        list_crowd(stage, bodies);
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

// Draws the shadows of the model on the ground. Draws the shadow map, unless the image is
// transparent. On a slow computer, the quality level may omit the map. Round shadows then replace
// it.
static void draw_ground_shadows(const view_stage *stage, const md5gl_frame *frame, md5_vec3 center,
                                bool transparent)
{
    if (!transparent)
        md5gl_draw_ground(stage->renderer, center,
                          3 * stage->camera->scene_radius + frame->shadow_radius);
    if (!stage->quality_level.no_shadows)
        return;
    if (view_shows_crowd(stage->document))
        draw_crowd_blobs(stage, frame->ground);
    else
        draw_blobs(stage, frame->ground);
}

// Draws the floor, the shadows on the ground and the grid. They are blended over the image and
// write no depth, so they are drawn after the model. If the camera is below the ground, floor and
// shadows are omitted, because they would hide the model. `has_model` is true if the model was
// drawn.
static void draw_ground(const view_stage *stage, const md5gl_frame *frame,
                        const surroundings *around, bool has_model, bool transparent)
{
    const float radius = stage->camera->scene_radius;
    const float extent = 7 * radius; // of the floor and of the grid
    const bool draws_floor = around->has_floor && !around->has_scenery;
    const bool has_shadows = around->has_flat_ground && around->is_above_ground && has_model;
    const bool has_grid = around->has_flat_ground && stage->shown->grid;

    if (draws_floor)
        md5gl_draw_floor(stage->renderer, frame->ground, around->center, extent,
                         around->num_studio_lights);
    if (has_shadows)
        draw_ground_shadows(stage, frame, around->center, transparent);
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
            companion->placement = pose_companion(companion, stage);
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
        draw_scenery(stage, lens);
    }
    view_bodies bodies = {.count = 0};
    bool is_drawn = true;
    if (has_model)
        is_drawn = draw_document(stage, around->has_scenery, &bodies, error);
    draw_ground(stage, frame, around, has_model && is_drawn, transparent);
    if (is_drawn)
        is_drawn = draw_layers(stage, &bodies, MD5GL_STAGE_PASS_STAGES, error);
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
    add_fire(stage, &frame, points);
    if (document->scene.terrain.kind == VIEW_LEVEL && !is_crowd)
        frame.ground = find_ground(document);
    if (!prepare_pictures(stage, error) || !prepare_surface(stage, error))
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
