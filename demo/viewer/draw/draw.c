// Draws an image: the bodies are posed once, then drawn for shadows, lit surfaces and material
// stages. A crowd is one body for each model and level of detail.
#include "demo/viewer/draw/draw.h"

// == Lighting =====================================================================================
//
// Studio lighting: a key light from behind the viewer's left shoulder, a weak fill light from the
// right, a rim light from behind that separates the model from the background, and a soft sky. The
// lights rotate with the camera, so that the visible side is never dark and shadows look like those
// in photographs of a turntable.

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

// Returns a direction given by its parts in view: right, horizontal towards the camera, and up in
// the world.
static md5_vec3 studio_direction(view_axes axes, float right, float back, float up)
{
    // If the view is steep, the up axis gives the horizontal direction.
    md5_vec3 level = {axes.back.x, axes.back.y, 0};
    if (md5_vec3_length(level) < 0.3f)
        level = (md5_vec3){-axes.up.x, -axes.up.y, 0};
    const float length = md5_vec3_length(level);
    level = length > 0 ? md5_vec3_scale(level, 1.0f / length) : (md5_vec3){1, 0, 0};
    const md5_vec3 side = {-level.y, level.x, 0};
    md5_vec3 direction = md5_vec3_add(md5_vec3_scale(side, right), md5_vec3_scale(level, back));
    direction.z = up;
    return md5_vec3_scale(direction, 1.0f / md5_vec3_length(direction));
}

// Returns the posed bounds of the meshes of a model, except meshes that are excluded from bounds.
static md5_bounds skin_bounds(const md5_model *model, const view_textures *textures,
                              const md5_mat34 *palette)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    md5_model one = *model;
    one.num_meshes = 1;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        one.meshes = &model->meshes[i];
        if (textures == NULL || !view_is_unmeasured(textures, i))
            bounds = md5_bounds_union(bounds, md5_skin_bounds(&one, palette));
    }
    return bounds;
}

// Returns the posed bounds of body 0, the model of the scene, or body i, companion i - 1. They are
// empty if the companion does not exist.
static md5_bounds find_body(const view_document *document, uint32_t i)
{
    const view_scene *const scene = &document->scene;
    const view_companion *const companion = i > 0 ? &document->companions[i - 1] : NULL;
    if (companion != NULL && companion->model == NULL)
        return md5_bounds_from_points(NULL, 0);
    if (companion != NULL)
        return md5_bounds_transform(
            skin_bounds(companion->model, companion->textures, companion->palette),
            companion->place);
    return scene->dual ? view_pose_bounds(scene, NULL) // of the vertices that view_skin() wrote
                       : skin_bounds(scene->model, &document->textures, scene->palette);
}

// Returns the height of the ground, at most the lowest point of all bodies, so that the ground does
// not hide them.
static float find_ground(view_document *document)
{
    float ground = fminf(document->ground, view_pose_lowest(&document->scene));
    for (uint32_t i = 1; i <= VIEW_NUM_COMPANIONS; i++)
        ground = fminf(ground, find_body(document, i).min.z);
    return ground;
}

static md5_bounds move_bounds(md5_bounds bounds, md5_vec3 offset)
{
    return (md5_bounds){md5_vec3_add(bounds.min, offset), md5_vec3_add(bounds.max, offset)};
}

// Extends the bounds of the shadow casters by the bounds of a companion, to a size of at most
// `limit`. If the companion is too far away, its bounds are first moved toward the others until
// both fit. The result is a continuous function of the companion's position: when the companion
// approaches or leaves, the shadow map changes continuously and shadows keep their sharpness.
static md5_bounds add_caster(md5_bounds casters, md5_bounds companion, float limit)
{
    enum { NUM_STEPS = 20 }; // of bisection: positions to a millionth of the distance
    const md5_vec3 gap = md5_vec3_sub(view_centre(casters), view_centre(companion));
    float fits = 1; // fraction of the gap by which the companion is moved
    float too_far = 0;
    if (view_is_empty(companion))
        return casters;
    if (view_size(md5_bounds_union(casters, companion)) < limit)
        return md5_bounds_union(casters, companion);
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
    return view_size(both) < limit ? both : casters; // the companion is larger than the limit
}

// Returns the bounds of the shadow casters in the current pose, within `reach`. The casters of a
// crowd are in its square.
static md5_bounds find_casters(const view_document *document, float reach)
{
    const view_scene *const scene = &document->scene;
    if (view_shows_crowd(document))
        return document->bounds;
    md5_bounds bounds = find_body(document, 0);
    if (view_is_empty(bounds))
        return bounds;
    // Morph targets, and bulges of dual quaternion skinning, are outside of the bounds.
    const float margin = scene->dual ? 0.05f * view_size(bounds)
                                     : view_morph_reach(scene->morphs, scene->morph_weights);
    for (uint32_t i = 1; i <= VIEW_NUM_COMPANIONS; i++) {
        if (i == 1 + VIEW_CARRIED) // a fire does not cast a shadow
            continue;
        bounds = add_caster(bounds, find_body(document, i), 1.9f * reach);
    }
    bounds.min = md5_vec3_sub(bounds.min, (md5_vec3){margin, margin, margin});
    bounds.max = md5_vec3_add(bounds.max, (md5_vec3){margin, margin, margin});
    return bounds;
}

// Sets the positions and ranges of the fill and the rim light. At the model, which is at half of
// their range, a fifth of their light remains.
static void place_studio_lights(const view_stage *stage, const view_lens *lens,
                                md5gl_point_light points[VIEW_NUM_POINTS])
{
    const float radius = stage->camera->scene_radius;
    const md5_vec3 centre = md5_vec3_add(view_centre(stage->document->bounds),
                                         view_walked(&stage->document->scene, stage->play));
    const md5_vec3 directions[VIEW_NUM_STUDIO_POINTS] = {
        studio_direction(lens->axes, 0.85f, 0.55f, 0.25f),   // fill
        studio_direction(lens->axes, 0.55f, -0.75f, 0.65f)}; // rim
    for (int i = 0; i < VIEW_NUM_STUDIO_POINTS; i++)
        points[i] = (md5gl_point_light){.position = view_along(centre, directions[i], 4 * radius),
                                        .range = 8 * radius};
}

// Sets the shadow casters, and the size and resolution of the shadow map.
static void set_shadows(const view_stage *stage, md5gl_frame *frame)
{
    const float reach = 2 * stage->camera->scene_radius;
    frame->no_shadows = !stage->shown->shadows || stage->document->drawn == NULL;
    if (!frame->no_shadows)
        frame->casters = find_casters(stage->document, reach);
    // A crowd is wide and needs more texels, so that each character has enough. So does a scene in
    // which a companion comes and goes: the shadow of the main character is as sharp without it.
    const bool has_guest = stage->document->companions[VIEW_GUEST].model != NULL;
    frame->shadow_radius = has_guest ? reach : 0;
    frame->shadow_texels = has_guest || view_shows_crowd(stage->document) ? VIEW_CROWD_TEXELS : 0;
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

// Replaces the sky, fill and rim light by the environment image. The middle of the image is behind
// a model that is seen from the front. Returns the direction of the key light, which casts the
// shadow: from the brightest side of the image.
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

md5gl_frame view_light_frame(const view_stage *stage, const view_lens *lens, md5gl_target *target,
                             bool transparent, md5gl_point_light points[VIEW_NUM_POINTS])
{
    md5gl_frame frame = {
        .target = target, .width = (uint32_t)stage->width, .height = (uint32_t)stage->height};
    for (int i = 0; i < 3 && !transparent; i++)
        frame.background[i] =
            stage->options->background_given ? stage->options->background[i] : middle[i];
    frame.background[3] = transparent ? 0.0f : 1.0f;
    view_lens_matrices(lens, &frame.view_from_world, &frame.clip_from_view);
    place_studio_lights(stage, lens, points);
    md5_vec3 key = studio_direction(lens->axes, -0.78f, 0.66f, 0.95f);
    frame.point_lights = points;
    frame.num_point_lights = VIEW_NUM_STUDIO_POINTS;
    frame.ground = stage->document->ground;
    set_shadows(stage, &frame);
    frame.lighting = stage->shown->classic ? MD5GL_LIGHTING_CLASSIC : MD5GL_LIGHTING_STUDIO;
    set_light_colors(stage, &frame, points);
    frame.tone_mapped = !stage->shown->classic;
    frame.softness = stage->shown->classic || stage->economy.quick_shadows ? 0 : 0.08f;
    if (has_environment(stage))
        key = set_environment(stage, &frame);
    // The user rotates the key light about the vertical axis and raises it; it never comes from
    // below.
    const float *const values = stage->lights->values;
    const float azimuth = view_radians(values[VIEW_LIGHT_AZIMUTH]) + atan2f(key.y, key.x);
    const float elevation =
        view_clamp(view_radians(values[VIEW_LIGHT_ELEVATION]) + asinf(view_clamp(key.z, -1, 1)),
                   view_radians(3), view_radians(89));
    frame.light_direction = (md5_vec3){cosf(elevation) * cosf(azimuth),
                                       cosf(elevation) * sinf(azimuth), sinf(elevation)};
    return frame;
}

// Returns true if the material stages of the meshes are drawn.
static bool shows_layers(const view_stage *stage, const view_textures *textures)
{
    const view_surface surface = stage->options->surface;
    if (stage->shown->untextured || stage->shown->checker)
        return false;
    if (surface == VIEW_SURFACE_WEIGHTS || surface == VIEW_SURFACE_UV)
        return false;
    return textures->layers.num_meshes > 0;
}

float view_parm_value(const view_stage *stage, int row)
{
    const int parm = row - VIEW_FIRST_PARM;
    const view_scene *const scene = &stage->document->scene;
    const float *const own = view_entity_parms(scene);
    const float value = stage->parms->values[parm];
    if (value != view_parm_ranges[row].usual)
        return value;
    const double burns =
        scene->fall != NULL ? scene->fall->death_time + view_burn_delay(&scene->entity) : INFINITY;
    if (parm == 7 && view_has_died(scene->fall, stage->play->time) && stage->play->time >= burns)
        return view_material_time(stage->parms, burns);
    if (view_scene_machine(scene) != NULL) {
        char name[16];
        COMMON_TEXT(name, "parm%d", parm);
        const uint32_t curve = md5_find_curve(view_scene_machine(scene), name);
        if (curve != MD5_NONE)
            return md5_player_curve(scene->machine.player, curve);
    }
    return own != NULL ? own[parm] : value;
}

void view_set_materials(const view_stage *stage, const view_textures *textures, md5gl_model *drawn)
{
    const view_shown *const shown = stage->shown;
    const bool has_layers = shows_layers(stage, textures);
    md5_material_input input = {.time = view_material_time(stage->parms, stage->play->time)};
    for (int i = 0; i < VIEW_NUM_PARMS; i++)
        input.parms[i] = view_parm_value(stage, VIEW_FIRST_PARM + i);
    if (has_layers)
        view_evaluate_layers(&textures->layers, &input);
    const bool is_grid =
        stage->options->surface == VIEW_SURFACE_UV && stage->document->surfaces.uv_grid != 0;
    for (uint32_t i = 0; i < textures->num_meshes; i++) {
        md5gl_material material = view_mesh_material(
            textures, stage->renderer, i, shown->maps && !is_grid, has_layers, stage->play->time);
        if (shown->checker)
            material.diffuse = md5gl_checker_texture(stage->renderer);
        if (is_grid)
            material.diffuse = stage->document->surfaces.uv_grid;
        material.two_sided = material.two_sided || shown->two_sided;
        md5gl_set_material(stage->renderer, drawn, 0, i, &material);
    }
}

// == Bodies =======================================================================================
// Draws all bodies that have a use.

static void draw_uses(const view_stage *stage, const view_bodies *bodies, view_body_use use,
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

// Draws a pass of the material stages of all bodies. The stages are hidden by the displays without
// textures.
static bool draw_layers(const view_stage *stage, const view_bodies *bodies, md5gl_stage_pass pass,
                        md5_error *error)
{
    bool is_drawn = true;
    for (uint32_t i = 0; i < bodies->count && is_drawn; i++) {
        const view_body *const body = &bodies->bodies[i];
        if ((body->uses & VIEW_BODY_STAGED) == 0 || body->textures == NULL)
            continue;
        if (shows_layers(stage, body->textures))
            is_drawn =
                md5gl_draw_stages(stage->renderer, body->drawn, pass, body->textures->layers.lists,
                                  body->textures->layers.num_meshes, error);
    }
    return is_drawn;
}

bool view_draw_bodies(const view_stage *stage, const view_bodies *bodies, uint32_t style,
                      md5_error *error)
{
    bool is_posed = true;
    for (uint32_t i = 0; i < bodies->count && is_posed; i++) {
        const view_body *const body = &bodies->bodies[i];
        if (body->textures != NULL && body->impostors == NULL)
            view_set_materials(stage, body->textures, body->drawn);
        is_posed = body->impostors != NULL
                       ? md5gl_pose_impostors(stage->renderer, body->impostors, body->pictured,
                                              body->instances.count, error)
                       : md5gl_pose(stage->renderer, body->drawn, &body->instances, error);
    }
    if (!is_posed)
        return false;
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

// Returns image `index` in the order of drawing. The first frames of all clips are drawn first, so
// that every clip soon has an image.
static impostor_image image_at(const view_kind *kind, uint32_t index)
{
    const uint32_t *const first = kind->pictures.first;
    impostor_image image = {.clip = index, .frame = 0};
    if (index < kind->num_clips)
        return image;
    image.frame = index - kind->num_clips + 1;
    for (image.clip = 0; image.frame >= first[image.clip + 1] - first[image.clip]; image.clip++)
        image.frame -= first[image.clip + 1] - first[image.clip] - 1;
    return image;
}

// Draws the images of a kind's impostors up to index `end`.
static bool draw_impostor_images(const view_stage *stage, view_kind *kind, uint32_t end,
                                 md5_error *error)
{
    view_pictures *const pictures = &kind->pictures;
    const uint32_t *const first = pictures->first;
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    bool is_drawn = true;
    while (pictures->num_drawn < end && is_drawn) {
        const impostor_image image = image_at(kind, pictures->num_drawn);
        const md5_binding *const binding = kind->clips[image.clip];
        const double part = (double)image.frame / (first[image.clip + 1] - first[image.clip]);
        const md5_sample_position sample =
            md5_sample_position_at(binding->anim, part * binding->anim->duration, MD5_WRAP_LOOP);
        md5_pose_palette(binding, sample, MD5_ROOT_IN_PLACE, pose, NULL, palette);
        is_drawn = md5gl_draw_impostor_images(stage->renderer, pictures->impostors, kind->drawn,
                                              first[image.clip] + image.frame, palette, error);
        if (is_drawn)
            pictures->num_drawn++;
    }
    free(pose);
    free(palette);
    return is_drawn;
}

// Draws the images of impostors that are missing or out of date, before a frame: in a window a few
// at a time, so that it remains responsive, otherwise all.
static bool prepare_pictures(const view_stage *stage, md5_error *error)
{
    enum { MAX_PER_FRAME = 2 };
    const bool in_window = stage->options->output == NULL && stage->options->num_frames == 0;
    // The display settings that the images depend on.
    const uint32_t look =
        1u | (uint32_t)stage->shown->maps << 1 | (uint32_t)stage->shown->two_sided << 2
        | (uint32_t)stage->shown->checker << 3 | (uint32_t)stage->document->scene.dual << 4;
    for (uint32_t k = 0; k < stage->document->crowd.num_kinds; k++) {
        view_kind *const kind = &stage->document->crowd.kinds[k];
        view_pictures *const pictures = &kind->pictures;
        if (pictures->impostors == NULL)
            continue;
        if (look != pictures->look)
            pictures->num_drawn = 0;
        pictures->look = look;
        uint32_t end = pictures->first[kind->num_clips];
        if (pictures->num_drawn >= end)
            continue;
        if (in_window && pictures->num_drawn < kind->num_clips)
            end = kind->num_clips;
        else if (in_window && end - pictures->num_drawn > MAX_PER_FRAME)
            end = pictures->num_drawn + MAX_PER_FRAME;
        view_set_materials(stage, kind->textures, kind->drawn);
        if (!draw_impostor_images(stage, kind, end, error))
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

// Returns the body of a level of detail with its instances. Only the first level has material
// stages.
static view_body level_body(const view_kind *kind, const view_detail *level, unsigned uses)
{
    md5gl_instances instances = {
        .count = level->count, .placements = kind->placements + level->first, .morph = level->bent};
    if (level->source <= VIEW_DETAIL_CASTERS)
        instances.palettes =
            kind->drawn_palettes + (size_t)level->first * kind->model->skeleton.num_joints;
    if (level->source == VIEW_DETAIL_BAKED) {
        instances.baked = kind->bakes.clips;
        instances.jobs = kind->jobs;
    }
    if (kind->fades)
        instances.tints = kind->tints + level->first;
    if (level->bent != NULL)
        instances.weights =
            kind->morph_weights + (size_t)level->first * kind->morphs->morph->num_targets;
    return (view_body){.uses = level == kind->levels ? uses | VIEW_BODY_STAGED : uses,
                       .textures = kind->textures,
                       .drawn = level->drawn,
                       .instances = instances};
}

// Adds the bodies of all kinds of a crowd, one for each level of detail.
static void list_crowd(const view_stage *stage, view_bodies *bodies)
{
    const view_crowd *const crowd = &stage->document->crowd;
    for (uint32_t k = 0; k < crowd->num_kinds; k++) {
        const view_kind *const kind = &crowd->kinds[k];
        bool has_casters = false;
        for (uint32_t i = 1; i < kind->num_levels && kind->is_sorted; i++)
            has_casters = has_casters || kind->levels[i].source == VIEW_DETAIL_CASTERS;
        for (uint32_t i = 0; i < kind->num_levels; i++) {
            const view_detail *const level = &kind->levels[i];
            const bool is_posed = level->source <= VIEW_DETAIL_CASTERS;
            if (level->source == VIEW_DETAIL_PICTURED)
                bodies->bodies[bodies->count++] = impostor_body(kind, level);
            // Without sorting, all posed members have the first level.
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
}

// == Companions ============================================================================

void view_clear_retargeting(view_retargeting *retargeting)
{
    md5_free_binding(retargeting->binding);
    md5_free_anim(retargeting->anim);
    free(retargeting->pairs);
    free(retargeting->key);
    *retargeting = (view_retargeting){.key = NULL};
}

// Ignores warnings about a map: they were logged when the map was opened.
static void ignore(void *user, const md5_error *warning)
{
    (void)user;
    (void)warning;
}

convert_job view_retarget_job(const view_options *options, const view_scene *scene,
                              const char *clip, common_list *inputs)
{
    view_address address;
    common_list files = {0};
    view_list_files(scene, false, &files);
    const bool is_in_game = view_read_address(clip, &address);
    common_add(inputs, common_copy(is_in_game ? address.name : clip));
    common_add(inputs, common_copy(files.names[0]));
    common_free_list(&files);
    if (is_in_game)
        view_free_address(&address);
    return (convert_job){.inputs = (const char *const *)inputs->names,
                         .num_inputs = inputs->count,
                         .output = "x.md5anim",
                         .is_forced = true,
                         .target = options->retarget,
                         .map = options->retarget_map,
                         .pairs = options->retarget_pairs,
                         .files = is_in_game ? md5_game_files(scene->library->game)
                                             : (md5_files){.user = NULL},
                         .warn = ignore};
}

// Updates the retargeting after another map or clip was selected.
static void update_retargeting(view_retargeting *retargeting, const view_stage *stage,
                               view_companion *body)
{
    const view_scene *const scene = &stage->document->scene;
    const view_clip *const clip = view_is_bind_pose(scene) ? NULL : view_shown_clip(scene);
    const view_options *const options = stage->options;
    common_list inputs = {0};
    convert_scene converted = {.name = NULL};
    md5_error error;
    const char *const map = options->retarget_map != NULL ? options->retarget_map : "";
    const char *const pairs = options->retarget_pairs != NULL ? options->retarget_pairs : "";
    char *const key = common_format("%s\n%s\n%s", clip != NULL ? clip->path : "", map, pairs);
    if (retargeting->key != NULL && strcmp(retargeting->key, key) == 0) {
        free(key);
        return;
    }
    view_clear_retargeting(retargeting);
    retargeting->key = key;
    retargeting->pairs = common_alloc(body->model->skeleton.num_joints, sizeof *retargeting->pairs);
    convert_job job = view_retarget_job(options, scene, clip != NULL ? clip->path : "", &inputs);
    md5_retarget *const retarget =
        convert_create_retarget(&job, scene->model, body->model, retargeting->pairs, &error);
    if (retarget != NULL) { // NULL: no joint has a partner any more
        md5_destroy_retarget(body->retarget);
        free(body->scratch);
        body->retarget = retarget;
        body->scratch = common_alloc(1, md5_retarget_pose_scratch(retarget));
        job.retargeted = &converted;
        if (clip != NULL && convert_files(&job, &error) && converted.num_parts > 0)
            retargeting->anim =
                md5_parse_anim(converted.parts->bytes, converted.parts->size, NULL, &error);
        if (retargeting->anim != NULL)
            retargeting->binding = md5_bind(body->model, retargeting->anim, NULL, &error);
        convert_free_scene(&converted);
    }
    common_free_list(&inputs);
}

// Poses a companion: writes its palette and returns its placement.
static md5_mat34 pose_companion(view_companion *companion, const view_stage *stage)
{
    const view_document *const document = stage->document;
    const view_scene *const scene = &document->scene;
    view_retargeting *const retargeting = stage->retargeting;
    if (companion->machine != NULL) {
        // If the companion is not attached to a joint, its palette is already in world space.
        view_pose_machine(companion->machine, companion->model->skeleton.num_joints,
                          companion->pose, companion->joints, companion->palette);
        return companion->joint >= 0 ? scene->joints[companion->joint]
                                     : md5_mat34_from_xform((md5_xform){.rotation = {.w = 1}});
    }
    const bool is_beside =
        companion != document->companions || stage->options->retarget_place == VIEW_RETARGET_BESIDE;
    const md5_xform aside = {.rotation = {.w = 1},
                             .translation = {0, is_beside ? companion->aside : 0, 0}};
    md5_mat34 place =
        md5_mat34_mul(md5_mat34_from_xform(aside), md5_mat34_from_xform(view_placement(scene)));
    if (scene->turn.is_set)
        place = md5_mat34_mul(place, scene->turn.matrix);
    if (companion == &document->companions[VIEW_COMPARED]) {
        md5_build_palette(companion->model, document->compare.joints, companion->palette);
        return place;
    }
    memcpy(companion->pose, companion->model->bind_local,
           companion->model->skeleton.num_joints * sizeof *companion->pose);
    if (companion != document->companions)
        place = scene->joints[companion->joint];
    else if (retargeting != NULL)
        update_retargeting(retargeting, stage, companion);
    const bool is_retargeted = companion == document->companions && retargeting != NULL;
    if (is_retargeted && retargeting->binding != NULL)
        md5_sample(retargeting->binding, view_sample_position(stage->play, retargeting->anim),
                   scene->root, companion->pose);
    else if (companion->scratch != NULL)
        md5_retarget_pose(companion->retarget, scene->pose, companion->pose, companion->scratch);
    md5_local_to_palette(companion->model, companion->pose, NULL, companion->palette);
    return place;
}

// Adds the light of a carried fire, in the color of Bobbin's fire. Its position and intensity are
// sums over its puffs, the triangles of its first mesh, weighted by the square of their longest
// edge.
static void add_fire(const view_stage *stage, md5gl_frame *frame,
                     md5gl_point_light points[VIEW_NUM_POINTS])
{
    const view_companion *const fire = &stage->document->companions[VIEW_CARRIED];
    if (fire->model == NULL || fire->model->num_meshes == 0 || view_shows_crowd(stage->document))
        return;
    const md5_mesh *const mesh = &fire->model->meshes[0];
    md5_vec3 *const positions = common_alloc(mesh->num_vertices, sizeof *positions);
    md5_vec3 centre = {0};
    float sum = 0;
    md5_skin(mesh, fire->palette, positions, NULL, NULL);
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const uint32_t *const corners = &mesh->indices[3 * i];
        float longest = 0;
        for (int k = 0; k < 3; k++)
            longest = fmaxf(longest,
                            view_distance(positions[corners[k]], positions[corners[(k + 1) % 3]]));
        const float weight = longest * longest;
        centre = view_along(centre, positions[corners[1]], weight);
        sum += weight;
    }
    free(positions);
    const float bright = 3.2f * fminf(sum / 3000.0f, 1);
    if (sum > 1)
        points[frame->num_point_lights++] = (md5gl_point_light){
            .position = md5_mat34_point(fire->place, md5_vec3_scale(centre, 1 / sum)),
            .range = 3 * sqrtf(sum),
            .color = {bright, 0.7f * bright, 0.3f * bright},
        };
}

// == Surface: weights or a grid on the body ================================================

// Returns true if the weights of the selected joint are displayed. A crowd has no selected joint.
static bool shows_weights(const view_stage *stage)
{
    return stage->options->surface == VIEW_SURFACE_WEIGHTS && stage->document->drawn != NULL
           && !view_shows_crowd(stage->document);
}

// Creates the data of the selected surface display. Call it before each image, outside of a frame.
// Returns false and fills `error` on failure.
static bool prepare_surface(const view_stage *stage, md5_error *error)
{
    view_document *const document = stage->document;
    view_surfaces *const surfaces = &document->surfaces;
    if (stage->options->surface == VIEW_SURFACE_UV && document->drawn != NULL
        && surfaces->uv_grid == 0) {
        view_image image = view_make_uv_grid();
        const md5gl_texture_desc desc = {
            .width = image.width, .height = image.height, .texels = image.rgba};
        surfaces->uv_grid = md5gl_create_texture(stage->renderer, &desc, error);
        free(image.rgba);
        return surfaces->uv_grid != 0;
    }
    if (!shows_weights(stage))
        return true;
    // A copy of the model, colored by the weights of the joint.
    if (!view_prepare_heat(&surfaces->heat, stage->renderer, document->scene.model,
                           document->scene.morph, NULL, stage->joint, error))
        return false;
    // The copy has the visibility and blending of the model.
    md5gl_model *const copy = surfaces->heat.drawn;
    for (uint32_t i = 0; i < document->textures.num_meshes; i++) {
        const md5gl_material usual = view_mesh_material(&document->textures, stage->renderer, i,
                                                        false, false, stage->play->time);
        const md5gl_material plain = {.two_sided = usual.two_sided || stage->shown->two_sided};
        md5gl_set_visible(copy, i, !view_is_hidden(stage->hidden_meshes, i));
        md5gl_set_material(stage->renderer, copy, 0, i, &plain);
    }
    const md5gl_blending blending = document->scene.dual ? MD5GL_BLEND_DUAL : MD5GL_BLEND_LINEAR;
    return md5gl_set_blending(stage->renderer, copy, blending, error);
}

// Sets the blending of a model on the GPU to that of the scene. If the driver rejects the shaders,
// logs the error and returns to linear blending.
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

void view_draw_background(const view_stage *stage, const view_lens *lens)
{
    static const view_color studio[] = {0x47515FFF, 0x262B33FF};
    const view_color place[] = {0x2F4460FF,
                                stage->document->place.drawn != NULL ? 0xC9986BFF : 0x8A7468FF};
    const float width = stage->width;
    const float height = stage->height;
    const float span = 0.4f * height;
    float level = -1; // y of the horizon; above the image if it is not visible
    if (lens != NULL && !lens->orthographic && lens->axes.up.z > 0.1f)
        level = 0.5f * height
                * (1 - lens->shift_y - lens->axes.back.z / (lens->axes.up.z * lens->half_y));
    view_clear_canvas(stage->canvas);
    if (lens == NULL) {
        view_draw_gradient(stage->canvas, (view_rect){0, 0, width, height}, studio[0], studio[1]);
    } else {
        view_draw_rect(stage->canvas, (view_rect){0, 0, width, height}, place[1]);
        view_draw_rect(stage->canvas, (view_rect){0, 0, width, level - span}, place[0]);
        view_draw_gradient(stage->canvas, (view_rect){0, level - span, width, span}, place[0],
                           place[1]);
    }
    md5gl_draw_panel(stage->renderer, stage->font->mask, MD5GL_TEXTURE_MASK,
                     stage->canvas->vertices, stage->canvas->count);
}

// Draws the scenery around our own model: the first mesh of its file, behind everything else. The
// triangles of the file are sorted from far to near, so that neither a depth test nor lighting is
// needed, which would take a fifth of the time of a frame. Triangles that are nearer than the
// character are omitted.
static void draw_place(const view_stage *stage, const view_lens *lens)
{
    const view_companion *const place = &stage->document->place;
    const md5_mesh *const mesh = &place->model->meshes[0];
    const md5_vec3 hero = view_walked(&stage->document->scene, stage->play);
    const float nearest = -md5_vec3_dot(md5_vec3_sub(hero, lens->eye), lens->axes.back);
    const float half_x = 0.5f * stage->width;
    const float half_y = 0.5f * stage->height;
    md5_vec3 *const points = common_alloc(mesh->num_vertices, sizeof *points);
    md5gl_panel_vertex *const corners =
        common_alloc(3 * (size_t)mesh->num_triangles, sizeof *corners);
    uint32_t count = 0;
    md5_skin(mesh, place->palette, points, NULL, NULL);
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        md5gl_panel_vertex *const corner = &corners[count];
        bool is_behind = true;
        for (uint32_t k = 0; k < 3u; k++) {
            const uint32_t vertex = mesh->indices[3 * i + k];
            const md5_vec3 offset = md5_vec3_sub(points[vertex], lens->eye);
            const float depth = -md5_vec3_dot(offset, lens->axes.back);
            const float right = md5_vec3_dot(offset, lens->axes.right) / (lens->half_x * depth);
            const float up = md5_vec3_dot(offset, lens->axes.up) / (lens->half_y * depth);
            is_behind = is_behind && depth > fmaxf(nearest, lens->near_z);
            corner[k] = (md5gl_panel_vertex){
                .x = half_x * (1 + lens->shift_x + right),
                .y = half_y * (1 - lens->shift_y - up),
                .u = mesh->texcoords[vertex].x,
                .v = mesh->texcoords[vertex].y,
                .rgba = {255, 255, 255, 255},
            };
        }
        // Twice the signed area: positive if the triangle is seen from outside, clockwise.
        const float area = (corner[1].x - corner[0].x) * (corner[2].y - corner[0].y)
                           - (corner[2].x - corner[0].x) * (corner[1].y - corner[0].y);
        if (is_behind && area > 0)
            count += 3;
    }
    const md5gl_material material =
        view_mesh_material(place->textures, stage->renderer, 0, false, false, 0);
    md5gl_draw_panel(stage->renderer, material.diffuse, MD5GL_TEXTURE_COLOR, corners, count);
    free(corners);
    free(points);
}

// -- Bodies ---------------------------------------------------------------------------------

// Adds the model of the document, its companions and the uneven ground.
static void list_document(const view_stage *stage, view_bodies *bodies)
{
    enum { LIT = VIEW_BODY_CASTS | VIEW_BODY_SHOWN };
    view_document *const document = stage->document;
    const bool is_heat = shows_weights(stage); // a colored copy with its own morph targets
    const view_heat *const heat = &document->surfaces.heat;
    const bool is_hidden = document->companions[0].model != NULL
                           && stage->options->retarget_place == VIEW_RETARGET_ALONE;
    unsigned uses = LIT | VIEW_BODY_STAGED;
    if (is_hidden)
        uses = 0;
    else if (is_heat)
        uses = LIT;
    view_body body = {
        .uses = uses,
        .textures = &document->textures,
        .drawn = document->drawn,
        .instances = {.count = 1,
                      .palettes = document->scene.palette,
                      .morph = document->morphs.drawn,
                      .weights = document->morphs.weights},
    };
    if (is_heat) {
        body.textures = NULL;
        body.drawn = heat->drawn;
        body.instances.morph = heat->drawn_morph;
    }
    bodies->bodies[bodies->count++] = body;
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++) {
        view_companion *const companion = &document->companions[i];
        if (companion->model == NULL)
            continue;
        bodies->bodies[bodies->count++] = (view_body){
            .uses = LIT | VIEW_BODY_STAGED,
            .textures = companion->textures,
            .drawn = companion->drawn,
            .instances = {.count = 1,
                          .palettes = companion->palette,
                          .placements = &companion->place},
        };
    }
    view_ground *const ground = &document->uneven;
    if (ground->drawn == NULL)
        return;
    view_lay_ground(ground, &document->scene.terrain, view_walked(&document->scene, stage->play));
    bodies->bodies[bodies->count++] = (view_body){
        .uses = VIEW_BODY_SHOWN,
        .drawn = ground->drawn,
        .instances = {.count = VIEW_GROUND_TILES,
                      .palettes = ground->palettes,
                      .placements = ground->placements},
    };
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

// Draws a round shadow below each model if the economy omits its shadow; without any shadow the
// model seems to float. It is below the feet, which are the lowest joints, and becomes faint while
// the feet are in the air.
static void draw_blobs(const view_stage *stage, float ground)
{
    const view_document *const document = stage->document;
    md5gl_blob_shadow blobs[1 + VIEW_NUM_COMPANIONS] = {{.radius = 0}};
    for (uint32_t i = 0; i <= VIEW_NUM_COMPANIONS; i++) {
        const view_companion *const companion = i > 0 ? &document->companions[i - 1] : NULL;
        const md5_model *const model = companion ? companion->model : document->scene.model;
        const md5_mat34 *const joints = companion ? companion->joints : document->scene.joints;
        if (model == NULL || (companion != NULL && companion->joint >= 0))
            continue;
        const md5_bounds bounds = find_body(document, i);
        const float height = bounds.max.z - bounds.min.z;
        md5_bounds feet = {.min = {INFINITY, INFINITY, INFINITY},
                           .max = {-INFINITY, -INFINITY, -INFINITY}};
        for (uint32_t k = 0; joints != NULL && k < model->skeleton.num_joints; k++) {
            const md5_vec3 position = md5_mat34_translation(joints[k]);
            if (k > 0 && position.z < bounds.min.z + 0.15f * height)
                feet = md5_bounds_union(feet, (md5_bounds){position, position});
        }
        const bool has_feet = !view_is_empty(feet);
        const md5_vec3 centre = view_centre(has_feet ? feet : bounds);
        const float across = fmaxf(bounds.max.x - bounds.min.x, bounds.max.y - bounds.min.y);
        blobs[i].position = (md5_vec3){centre.x, centre.y, ground};
        blobs[i].radius = (has_feet ? 0.5f : 0.6f) * across;
        blobs[i].darkness = 0.6f * view_clamp(1 - 2 * (bounds.min.z - ground) / height, 0.1f, 1);
    }
    md5gl_draw_blob_shadows(stage->renderer, blobs, 1 + VIEW_NUM_COMPANIONS);
}

static void draw_crowd_blobs(const view_stage *stage, float ground)
{
    enum { BATCH_SIZE = 256 };
    const view_crowd *const crowd = &stage->document->crowd;
    md5gl_blob_shadow blobs[BATCH_SIZE];
    uint32_t count = 0;
    for (uint32_t i = 0; i < crowd->count; i++) {
        const view_member *const member = &crowd->members[i];
        const md5_vec3 position = member->place.translation;
        if (member->is_seen)
            blobs[count++] = (md5gl_blob_shadow){
                .position = {position.x, position.y, ground},
                .radius = 0.4f * crowd->kinds[member->kind].sphere.radius,
            };
        if (count == BATCH_SIZE || (i + 1 == crowd->count && count > 0)) {
            md5gl_draw_blob_shadows(stage->renderer, blobs, count);
            count = 0;
        }
    }
}

// Sets the blending of every model on the GPU.
static void blend_models(const view_stage *stage)
{
    view_document *const document = stage->document;
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    blend_as_selected(&document->scene, document->drawn, &loader);
    for (int i = 0; i < VIEW_NUM_COMPANIONS; i++)
        blend_as_selected(&document->scene, document->companions[i].drawn, &loader);
    for (uint32_t i = 0; i < document->crowd.num_kinds; i++) {
        const view_kind *const kind = &document->crowd.kinds[i];
        for (uint32_t k = 0; k < kind->num_levels; k++)
            if (kind->levels[k].source != VIEW_DETAIL_BAKED)
                blend_as_selected(&document->scene, kind->levels[k].drawn, &loader);
    }
    document->crowd.is_dual = document->scene.dual;
}

// Poses the members of the crowd that are visible in this image.
static void pose_crowd(const view_stage *stage, const view_lens *lens, const md5gl_frame *frame)
{
    view_document *const document = stage->document;
    view_crowd *const crowd = &document->crowd;
    view_sight sight = view_make_sight(lens, frame, fminf(frame->ground, document->bounds.min.z));
    sight.all = !crowd->culls;
    crowd->reduces = !stage->shown->edges;
    crowd->coarser = stage->economy.coarser;
    view_run_crowd(crowd, stage->play->time, &sight);
}

// Deforms surfaces that depend on the view direction. Call it after the crowd was posed.
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
            view_set_deform_view(&companion->textures->layers, &view, &companion->place, 1);
    }
    for (uint32_t i = 0; i < crowd->num_kinds; i++) {
        const view_kind *const kind = &crowd->kinds[i];
        if (kind->textures != NULL)
            view_set_deform_view(&kind->textures->layers, &view, kind->placements, kind->num_seen);
    }
}

// The surroundings of the model in one image.
typedef struct surroundings {
    md5_vec3 centre;     // of the document
    uint32_t num_studio; // lights of the studio, without a fire
    bool is_level;       // the ground is flat
    bool is_above;       // the camera is above the ground
    bool is_place;       // a floor and a sky are visible
    bool has_place;      // and the meshes of the place
} surroundings;

// Returns the surroundings, and draws the background.
static surroundings draw_surroundings(const view_stage *stage, const view_lens *lens,
                                      const md5gl_frame *frame, bool transparent)
{
    const view_document *const document = stage->document;
    const bool is_around = stage->shown->environment_behind && frame->environment != NULL;
    const bool has_background = !transparent && !stage->options->background_given;
    surroundings around = {.is_level = document->scene.terrain.kind == VIEW_LEVEL};
    around.is_place = has_background && around.is_level && !is_around;
    around.is_place = around.is_place && !stage->shown->grid;
    if (has_background && is_around)
        md5gl_draw_environment(stage->renderer);
    else if (has_background)
        view_draw_background(stage, around.is_place ? lens : NULL);
    around.centre =
        md5_vec3_add(view_centre(document->bounds), view_walked(&document->scene, stage->play));
    around.is_above = lens->orthographic ? lens->axes.back.z > 0 : lens->eye.z > frame->ground;
    const bool has_model = !view_shows_crowd(document) && document->place.drawn != NULL;
    around.has_place = around.is_place && around.is_above && has_model;
    around.has_place = around.has_place && !lens->orthographic;
    return around;
}

// Draws the bodies of the document. Adds them to `bodies`.
static bool draw_document(const view_stage *stage, bool has_place, view_bodies *bodies,
                          md5_error *error)
{
    const view_document *const document = stage->document;
    const view_surface surface = stage->options->surface;
    const bool is_textured = surface == VIEW_SURFACE_LIT || surface == VIEW_SURFACE_TEXTURES;
    uint32_t style = MD5GL_LIT;
    if (stage->shown->untextured && is_textured)
        style |= MD5GL_UNTEXTURED;
    if (stage->shown->edges)
        style |= MD5GL_WIREFRAME;
    if (view_shows_crowd(document))
        list_crowd(stage, bodies);
    else
        list_document(stage, bodies);
    if (has_place)
        bodies->bodies[bodies->count++] =
            (view_body){.uses = VIEW_BODY_SHOWN | VIEW_BODY_STAGED,
                        .textures = document->place.textures,
                        .drawn = document->place.drawn,
                        .instances = {.count = 1, .palettes = document->place.palette}};
    return view_draw_bodies(stage, bodies, style, error);
}

// Draws the floor, the shadows on the ground and the grid. They are blended and do not write depth;
// therefore they are drawn after the model. If the camera is below the ground, floor and shadows
// are omitted, because they would hide the model.
static void draw_ground(const view_stage *stage, const md5gl_frame *frame,
                        const surroundings *around, bool has_model, bool transparent)
{
    const float radius = stage->camera->scene_radius;
    const float height = frame->ground;
    const bool has_shadows = around->is_level && around->is_above && has_model;
    if (around->is_place && around->is_above && !around->has_place)
        md5gl_draw_floor(stage->renderer, height, around->centre, 7 * radius, around->num_studio);
    if (has_shadows && !transparent)
        md5gl_draw_ground(stage->renderer, around->centre, 3 * radius + frame->shadow_radius);
    if (has_shadows && stage->economy.no_shadows) {
        if (view_shows_crowd(stage->document))
            draw_crowd_blobs(stage, height);
        else
            draw_blobs(stage, height);
    }
    if (around->is_level && stage->shown->grid) {
        // The cells are a power of ten that is small compared to the model.
        const float cell = powf(10, floorf(log10f(radius * 0.6f)));
        md5gl_draw_grid(stage->renderer, height, cell, around->centre, 7 * radius);
    }
}

bool view_draw_world(const view_stage *stage, md5gl_target *target, bool transparent,
                     md5_error *error)
{
    view_document *const document = stage->document;
    const bool is_crowd = view_shows_crowd(document);
    const float radius = stage->camera->scene_radius;
    blend_models(stage);
    if (document->scene.dual && !is_crowd) // for the bounds of the shadow casters
        view_skin(&document->scene);
    for (int i = 0; i < VIEW_NUM_COMPANIONS && !is_crowd; i++)
        if (document->companions[i].model != NULL)
            document->companions[i].place = pose_companion(&document->companions[i], stage);
    md5gl_point_light points[VIEW_NUM_POINTS];
    const view_lens lens = view_stage_lens(stage);
    md5gl_frame frame = view_light_frame(stage, &lens, target, transparent, points);
    const uint32_t num_studio = frame.num_point_lights;
    add_fire(stage, &frame, points);
    if (document->scene.terrain.kind == VIEW_LEVEL && !is_crowd)
        frame.ground = find_ground(document);
    if (!prepare_pictures(stage, error) || !prepare_surface(stage, error))
        return false;
    if (is_crowd)
        pose_crowd(stage, &lens, &frame);
    deform_surfaces(stage, &lens);

    md5gl_begin_frame(stage->renderer, &frame);
    surroundings around = draw_surroundings(stage, &lens, &frame, transparent);
    around.num_studio = num_studio;
    if (stage->is_bare)
        return true;
    if (around.has_place) {
        md5gl_draw_floor(stage->renderer, frame.ground, around.centre, 7 * radius, num_studio);
        draw_place(stage, &lens);
    }
    view_bodies bodies = {.count = 0};
    const bool has_model = document->drawn != NULL;
    bool is_drawn = !has_model || draw_document(stage, around.has_place, &bodies, error);
    draw_ground(stage, &frame, &around, is_drawn && has_model, transparent);
    is_drawn = is_drawn && draw_layers(stage, &bodies, MD5GL_STAGE_PASS_STAGES, error);
    for (int on_top = 0; on_top < 2; on_top++) {
        view_add_overlays(stage, on_top == 1);
        view_draw_lines(stage->lines, stage->renderer,
                        (on_top == 1 ? 1.5f : 1) * stage->font->scale, on_top == 1);
    }
    return is_drawn;
}
