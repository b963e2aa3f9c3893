// The parts of a scene as assets of the library.
#include "demo/convert/assets.h"

#include <stdlib.h>

// A file says little of joints that nothing moves, but writers have a pose of each in each frame.
enum { MAX_POSES = 1 << 25 };

static void print_warning(void *user, const md5_error *warning)
{
    char text[600];
    md5_format_error(warning, text, sizeof text);
    convert_note(user, "%s", text);
}

// Without a model the first clip's joints are the skeleton, in its base frame.
static bool load_clip(const convert_job *job, const convert_part *part, convert_assets *assets,
                      md5_error *error)
{
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name,
                                .warn = print_warning,
                                .warn_user = (void *)(uintptr_t)job};
    md5_anim *const anim = md5_parse_anim(part->bytes, part->size, &opts, error);
    if (anim == NULL)
        return false;
    assets->clips = common_grow(assets->clips, assets->num_clips, sizeof *assets->clips);
    convert_clip *const clip = &assets->clips[assets->num_clips++];
    *clip = (convert_clip){.part = part, .name = part->name, .anim = anim};
    if (assets->skeleton == NULL) {
        assets->skeleton = &anim->skeleton;
        assets->rest = anim->base_frame;
    }
    clip->binding = assets->model
                        ? md5_bind(assets->model, anim, &opts, error)
                        : md5_bind_skeleton(assets->skeleton, assets->rest, anim, &opts, error);
    const uint32_t num_joints = assets->skeleton->num_joints;
    return clip->binding != NULL
           && ((uint64_t)anim->num_frames * num_joints <= MAX_POSES
               || convert_fail(error, MD5_ERROR_RANGE, opts.file_name,
                               "%u frames of %u joints: at most %d poses are converted",
                               anim->num_frames, num_joints, MAX_POSES));
}

// Targets are read together: their differences from the model are one structure.
bool convert_load_targets(const convert_scene *scene, convert_assets *assets, md5_error *error)
{
    md5_morph_source *const sources = common_alloc(scene->num_parts, sizeof *sources);
    uint32_t count = 0;
    bool is_read = true;
    for (size_t i = 0; i < scene->num_parts && is_read; i++) {
        if (scene->parts[i].kind != CONVERT_TARGET)
            continue;
        sources[count].name = scene->parts[i].name;
        sources[count].model = convert_parse_model(&scene->parts[i], error);
        is_read = sources[count++].model != NULL;
    }
    if (is_read && count > 0) {
        assets->morph = md5_make_morph(assets->model, sources, count, NULL, error);
        is_read = assets->morph != NULL;
    }
    while (count-- > 0)
        md5_free_model((md5_model *)(uintptr_t)sources[count].model);
    free(sources);
    return is_read;
}

bool convert_load_assets(const convert_job *job, const convert_scene *scene, convert_assets *assets,
                         md5_error *error)
{
    *assets = (convert_assets){0};
    const convert_part *const model = convert_find_model(scene);
    if (model != NULL) {
        assets->model = convert_parse_model(model, error);
        if (assets->model == NULL)
            return false;
        assets->skeleton = &assets->model->skeleton;
        assets->rest = assets->model->bind_local;
    }
    for (size_t i = 0; i < scene->num_parts; i++)
        if (scene->parts[i].kind == CONVERT_CLIP
            && !load_clip(job, &scene->parts[i], assets, error))
            return false;
    return true;
}

// Bindings point into models and clips, so they go first.
void convert_free_assets(convert_assets *assets)
{
    for (size_t i = 0; i < assets->num_clips; i++)
        md5_free_binding(assets->clips[i].binding);
    for (size_t i = 0; i < assets->num_clips; i++)
        md5_free_anim(assets->clips[i].anim);
    md5_free_morph(assets->morph);
    md5_free_model(assets->model);
    free(assets->clips);
}

void convert_visit_frames(const convert_assets *assets, uint32_t stride, convert_visit_fn *visit,
                          void *user)
{
    const uint32_t num_joints = assets->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    for (size_t clip = 0; clip < assets->num_clips; clip++) {
        const md5_anim *const anim = assets->clips[clip].anim;
        for (uint32_t frame = 0; frame < anim->num_frames; frame += stride) {
            md5_pose_palette(assets->clips[clip].binding,
                             md5_moment_from_frames(anim, frame, frame, 0.0f), MD5_ROOT_FILE, pose,
                             NULL, palette);
            visit(user, clip, frame, palette);
        }
    }
    free(palette);
    free(pose);
}
