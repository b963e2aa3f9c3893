// Poses the companions, which are the models that are shown next to the main model. Retargets the
// shown clip to one of them, and adds the light of the fire that the main model carries.
#include "demo/viewer/draw/draw.h"

// == Retargeting ==================================================================================

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

// == Poses ========================================================================================

// Returns the placement of a model that shows the pose of the scene. It stands next to the
// scene's model. The user can also show the retargeted model at the same position.
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

md5_mat34 view_pose_companion(view_companion *companion, const view_stage *stage)
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

// == The light of a fire ==========================================================================

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
    float sum = 0; // sum of the weights
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

void view_add_fire(const view_stage *stage, md5gl_frame *frame,
                   md5gl_point_light points[VIEW_NUM_POINTS])
{
    const float full_light = 3000; // light of a fire at its brightest, square units
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
