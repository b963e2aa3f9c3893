// The clips of a kind, which are retargeted if they belong to another model, and the sphere around
// its poses.
#include "demo/viewer/crowd/crowd.h"

#include "demo/convert/retarget.h"
#include "demo/viewer/assets/model_text.h"

// Retargets each frame of the clips, and adds the results as clips of the scene.
bool view_retarget_clips(view_scene *scene, const md5_binding *const *bindings, uint32_t count,
                         md5_error *error)
{
    const md5_model *const source = bindings[0]->model;
    const md5_model *const model = scene->model;
    md5_retarget *const retarget = convert_create_retarget(NULL, source, model, NULL, error);
    if (retarget == NULL)
        return false;
    md5_xform *const source_pose = common_alloc(source->skeleton.num_joints, sizeof *source_pose);
    md5_xform *const pose = common_alloc(model->skeleton.num_joints, sizeof *pose);
    void *const scratch = common_alloc(1, md5_retarget_pose_scratch(retarget));

    bool is_done = true;
    for (uint32_t i = 0; i < count && is_done; i++) {
        const md5_anim *const source_anim = bindings[i]->anim;
        md5_anim *const anim =
            view_make_anim(model, source_anim->num_frames, source_anim->frame_rate);
        for (uint32_t frame = 0; frame < source_anim->num_frames; frame++) {
            const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
            md5_sample(bindings[i], sample, MD5_ROOT_FILE, source_pose);
            md5_retarget_pose(retarget, source_pose, pose, scratch);
            view_set_frame(anim, frame, pose);
        }
        is_done = view_append_clip(scene, (view_clip){.anim = anim}, NULL, error);
    }

    free(scratch);
    free(source_pose);
    free(pose);
    md5_destroy_retarget(retarget);
    return is_done;
}

// Creates the machine of a kind from the machine of another kind, with the retargeted clips of
// `scene`. Returns false and fills `error` on failure.
static bool retarget_machine(view_kind *kind, const view_scene *scene, const md5_machine *machine,
                             md5_error *error)
{
    md5_machine_desc tables = *md5_machine_tables(machine);
    md5_clip_desc *const clips = common_alloc(tables.num_clips, sizeof *clips);
    for (uint32_t i = 0; i < tables.num_clips; i++) {
        clips[i] = tables.clips[i];
        clips[i].binding = scene->clips[i].binding;
    }
    tables.model = kind->model;
    tables.clips = clips;
    kind->owned_machine = md5_create_machine(&tables, NULL, error);
    kind->machine = kind->owned_machine;
    free(clips);
    return kind->machine != NULL;
}

// Fills kind->clips, the clips that the members of a kind play. They are the clips of its machine.
// If the kind has no machine, they are the clips of its scene.
static void list_clips(view_kind *kind, const view_scene *scene)
{
    const md5_machine_desc *tables = NULL;
    if (kind->machine != NULL)
        tables = md5_machine_tables(kind->machine);

    kind->num_clips = tables != NULL ? tables->num_clips : (uint32_t)scene->num_clips;
    kind->clips = common_alloc(kind->num_clips, sizeof *kind->clips);
    for (uint32_t i = 0; i < kind->num_clips; i++)
        kind->clips[i] = tables != NULL ? tables->clips[i].binding : scene->clips[i].binding;
}

// Animates a model that has no clips and no machine. Retargets the clips of the kind `source` to
// this model, and adds them to the scene of the kind. If `source` has a machine, also copies the
// machine. Returns false and logs an error on failure.
static bool borrow_clips(view_kind *kind, const view_kind *source, view_log *log)
{
    md5_error error = {0};
    if (!view_retarget_clips(&kind->loaded, source->clips, source->num_clips, &error))
        return view_log_error(log, &error);
    if (source->machine == NULL)
        return true;
    if (!retarget_machine(kind, &kind->loaded, source->machine, &error))
        return view_log_error(log, &error);
    return true;
}

bool view_find_clips(view_kind *kind, const view_scene *scene, const view_kind *source,
                     view_log *log)
{
    kind->name = scene->name;
    kind->model = scene->model;
    kind->machine = view_scene_machine(scene);
    const bool is_animated = kind->machine != NULL || scene->num_clips > 0;
    const bool has_model = kind->machine != NULL || scene->model != NULL;
    const bool can_be_animated = is_animated || source != NULL;
    if (!has_model || !can_be_animated)
        return view_error(log, "--crowd requires a model with animations or a state machine");

    if (!is_animated && !borrow_clips(kind, source, log))
        return false;
    list_clips(kind, scene);
    return true;
}

// Returns how the root of a clip moves a member. If a machine does not extract the root motion of
// the clip, the motion moves the model away from its placement.
static md5_root clip_root(const view_kind *kind, uint32_t clip)
{
    if (kind->machine == NULL)
        return MD5_ROOT_IN_PLACE;
    const md5_machine_desc *const tables = md5_machine_tables(kind->machine);
    const bool is_extracted = tables->clips[clip].root_extraction != MD5_ROOT_EXTRACTION_NONE;
    return is_extracted ? MD5_ROOT_IN_PLACE : MD5_ROOT_FILE;
}

// Measures the poses of a clip. Extends *bounds by the bounds of about MAX_SPHERE_FRAMES frames.
// Lowers kind->lowest to the lowest vertex of up to MAX_HEIGHT_FRAMES frames. The height needs more
// frames, because the ground hides everything below it. `pose` and `palette` are scratch memory for
// the joints of the model.
static void measure_clip_bounds(view_kind *kind, uint32_t clip, md5_xform *pose, md5_mat34 *palette,
                                md5_bounds *bounds)
{
    enum { MAX_SPHERE_FRAMES = 32, MAX_HEIGHT_FRAMES = 600 };
    const md5_anim *const anim = kind->clips[clip]->anim;
    const md5_root root = clip_root(kind, clip);
    const uint32_t sphere_stride = 1 + anim->num_frames / MAX_SPHERE_FRAMES;
    const uint32_t height_stride = 1 + anim->num_frames / MAX_HEIGHT_FRAMES;
    for (uint32_t frame = 0; frame < anim->num_frames; frame += height_stride) {
        const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
        md5_pose_palette(kind->clips[clip], sample, root, pose, NULL, palette);
        const md5_bounds posed = md5_skin_bounds(kind->model, palette);
        kind->lowest = fminf(kind->lowest, posed.min.z);
        // Bounds need fewer frames than heights: the first sampled frame of each `sphere_stride`
        // frames.
        const bool is_in_sphere = frame % sphere_stride < height_stride;
        if (is_in_sphere)
            *bounds = md5_bounds_union(*bounds, posed);
    }
}

view_sphere view_measure_bounding_sphere(view_kind *kind)
{
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    md5_bounds bounds = kind->model->bounds;
    kind->lowest = kind->num_clips == 0 ? bounds.min.z : INFINITY;
    for (uint32_t clip = 0; clip < kind->num_clips; clip++)
        measure_clip_bounds(kind, clip, pose, palette, &bounds);
    free(pose);
    free(palette);
    if (view_is_empty(bounds))
        return (view_sphere){0};

    // Poses between the measured frames, and poses that a machine blends or adds, may leave the
    // measured bounds. The margin covers them.
    const float margin = kind->machine != NULL ? 1.2f : 1.1f;
    const float morph_reach = view_morph_reach(kind->morphs, NULL);
    const float radius = 0.5f * margin * view_size(bounds) + morph_reach;
    return (view_sphere){view_center(bounds), radius};
}
