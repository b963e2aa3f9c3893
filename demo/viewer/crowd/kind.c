#include "demo/viewer/crowd/kind.h"

#include "demo/common/memory.h"
#include "demo/viewer/assets/layers.h"
#include "demo/viewer/assets/words.h"
#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Clips ----------------------------------------------------------------------------------

bool view_retarget_clips(view_retargeted *retargeted, const md5_model *model,
                         const md5_binding *const *bindings, uint32_t count,
                         const md5_machine_desc *desc, md5_error *error)
{
    const md5_model *const source = bindings[0]->model;
    const uint32_t num_source_joints = source->skeleton.num_joints;
    md5_retarget *const retarget = md5_create_retarget(source, model, NULL, 0, NULL, error);
    md5_xform *const source_pose = common_alloc(2 * (size_t)num_source_joints, sizeof *source_pose);
    md5_xform *const pose = common_alloc(model->skeleton.num_joints, sizeof *pose);
    bool is_made = retarget != NULL;
    *retargeted = (view_retargeted){.anims = common_alloc(count, sizeof(md5_anim *)),
                                    .bindings = common_alloc(count, sizeof(md5_binding *))};
    for (uint32_t i = 0; i < count && is_made; i++) {
        const md5_anim *const from = bindings[i]->anim;
        md5_anim *const anim = view_make_anim(model, from->num_frames, from->frame_rate);
        for (uint32_t frame = 0; frame < from->num_frames; frame++) {
            const md5_moment moment = {.frame0 = frame, .frame1 = frame};
            md5_sample(bindings[i], moment, MD5_ROOT_FILE, source_pose);
            md5_retarget_pose(retarget, source_pose, pose, source_pose + num_source_joints);
            view_set_frame(anim, frame, pose);
        }
        retargeted->anims[retargeted->num_clips++] = anim;
        retargeted->bindings[i] = md5_bind(model, anim, NULL, error);
        is_made = retargeted->bindings[i] != NULL;
    }
    if (is_made && desc != NULL) {
        md5_machine_desc tables = *desc;
        md5_clip_desc *const clips = common_alloc(desc->num_clips, sizeof *clips);
        for (uint32_t i = 0; i < desc->num_clips; i++) {
            clips[i] = desc->clips[i];
            clips[i].binding = retargeted->bindings[i];
        }
        tables.model = model;
        tables.clips = clips;
        retargeted->machine = md5_create_machine(&tables, NULL, error);
        is_made = retargeted->machine != NULL;
        free(clips);
    }
    free(source_pose);
    free(pose);
    md5_destroy_retarget(retarget);
    if (!is_made)
        view_free_retargeted(retargeted);
    return is_made;
}

void view_free_retargeted(view_retargeted *retargeted)
{
    md5_destroy_machine(retargeted->machine);
    for (uint32_t i = 0; i < retargeted->num_clips; i++) {
        md5_free_binding(retargeted->bindings[i]);
        md5_free_anim(retargeted->anims[i]);
    }
    free(retargeted->bindings);
    free(retargeted->anims);
    *retargeted = (view_retargeted){0};
}

// -- Kinds ---------------------------------------------------------------------------------------

// Clip `clip` of the kind or of its machine, and the root mode for measuring it.
static const md5_binding *clip_of(const view_kind *kind, uint32_t clip, md5_root *root)
{
    *root = MD5_ROOT_IN_PLACE;
    if (kind->machine == NULL)
        return kind->clips[clip];
    const md5_clip_desc *const desc = &md5_machine_tables(kind->machine)->clips[clip];
    // Root motion that is not extracted moves the model away from its placement.
    if (desc->extract == MD5_EXTRACT_NONE)
        *root = MD5_ROOT_FILE;
    return desc->binding;
}

static uint32_t count_clips(const view_kind *kind)
{
    return kind->machine != NULL ? md5_machine_tables(kind->machine)->num_clips : kind->num_clips;
}

static bool find_clips(view_kind *kind, const view_scene *scene, const view_kind *source,
                       view_log *log)
{
    md5_error error = {0};
    kind->name = scene->name;
    kind->model = scene->model;
    kind->machine = view_machine_of(scene);
    const bool has_own = scene->model != NULL && scene->num_clips > 0;
    if (kind->machine == NULL && !has_own) {
        if (scene->model == NULL || source == NULL)
            return view_error(log, "a crowd needs a model with a machine or with animations");
        const uint32_t count = count_clips(source);
        const md5_binding **const clips = common_alloc(count, sizeof *clips);
        const md5_machine_desc *const desc =
            source->machine != NULL ? md5_machine_tables(source->machine) : NULL;
        md5_root root;
        for (uint32_t i = 0; i < count; i++)
            clips[i] = clip_of(source, i, &root);
        const bool is_retargeted =
            view_retarget_clips(&kind->retargeted, kind->model, clips, count, desc, &error);
        free(clips);
        if (!is_retargeted)
            return view_log_error(log, &error);
        kind->machine = kind->retargeted.machine;
    }
    if (kind->machine == NULL) {
        kind->num_clips = has_own ? (uint32_t)scene->num_clips : kind->retargeted.num_clips;
        kind->clips = common_alloc(kind->num_clips, sizeof *kind->clips);
        for (uint32_t i = 0; i < kind->num_clips; i++)
            kind->clips[i] = has_own ? scene->clips[i].binding : kind->retargeted.bindings[i];
        return true;
    }
    const md5_machine_desc *const desc = md5_machine_tables(kind->machine);
    for (uint32_t i = 0; i < desc->num_modifiers; i++)
        kind->has_springs = kind->has_springs || desc->modifiers[i].kind == MD5_MODIFIER_SPRING;
    return true;
}

// -- Bounds ---------------------------------------------------------------------------------

// Bounds over all clips; long clips are sampled at some of their frames, to keep loading fast.
static view_sphere sphere_around(const view_kind *kind)
{
    enum { MOST_FRAMES = 32 };
    const uint32_t num_joints = kind->model->skeleton.num_joints;
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const joints = common_alloc(num_joints, sizeof *joints);
    md5_mat34 *const palette = common_alloc(num_joints, sizeof *palette);
    md5_bounds bounds = kind->model->bounds;
    for (uint32_t clip = 0; clip < count_clips(kind); clip++) {
        md5_root root;
        const md5_binding *const binding = clip_of(kind, clip, &root);
        const uint32_t step = 1 + binding->anim->num_frames / MOST_FRAMES;
        for (uint32_t frame = 0; frame < binding->anim->num_frames; frame += step) {
            const md5_moment moment = {.frame0 = frame, .frame1 = frame};
            md5_pose_palette(binding, moment, root, pose, joints, palette);
            bounds = md5_bounds_union(bounds, md5_skin_bounds(kind->model, palette));
        }
    }
    free(pose);
    free(joints);
    free(palette);
    if (view_is_empty(bounds))
        return (view_sphere){0};
    // Poses between frames, and blended or added clips, may leave the measured bounds.
    const float room = kind->machine != NULL ? 1.2f : 1.1f;
    const float reach = kind->morphs != NULL ? view_largest_morph_reach(kind->morphs) : 0.0f;
    return (view_sphere){view_centre(bounds), 0.5f * room * view_size(bounds) + reach};
}

// -- Making ---------------------------------------------------------------------------------

bool view_make_kind(view_kind *kind, const view_kind_source *first, const char *const *files,
                    size_t num_files, const view_kind *source, uint32_t begin, uint32_t count,
                    const view_loader *loader)
{
    const bool is_first = num_files == 0;
    *kind = (view_kind){.begin = begin, .end = begin + count};
    if (is_first) {
        kind->drawn = first->drawn;
        kind->textures = first->textures;
        kind->morphs = first->morphs;
    } else {
        if (!view_load_scene(&kind->own, files, num_files, !loader->options->no_auto, loader->log))
            return false;
        kind->own_textures = common_alloc(1, sizeof *kind->own_textures);
        kind->textures = kind->own_textures;
        if (!view_upload_scene(loader, &kind->own, false, &kind->drawn, kind->own_textures))
            return false;
    }
    if (!find_clips(kind, is_first ? first->scene : &kind->own, source, loader->log))
        return false;
    if (!is_first && (loader->options->num_morphs > 0 || view_has_driven_morphs(&kind->own))) {
        if (!view_load_some_morphs(&kind->own_morphs, &kind->own, loader))
            return false;
        kind->morphs = &kind->own_morphs;
    }
    if (kind->morphs != NULL) {
        kind->morph_weights =
            common_alloc((size_t)count * kind->morphs->morph->num_targets + 1, sizeof(float));
        kind->reported = common_alloc((size_t)count * kind->morphs->num_driven + 1, sizeof(float));
    }
    kind->seen = common_alloc(count, sizeof *kind->seen);
    kind->placements = common_alloc(count, sizeof *kind->placements);
    kind->sphere = sphere_around(kind);
    kind->palettes =
        common_alloc((size_t)count * kind->model->skeleton.num_joints, sizeof *kind->palettes);
    return true;
}

void view_free_kind(view_kind *kind, md5gl_renderer *renderer)
{
    if (kind->own_textures != NULL && renderer != NULL) {
        view_free_textures(kind->own_textures, renderer);
        md5gl_destroy_model(renderer, kind->drawn);
    }
    view_free_levels(kind, renderer);
    view_free_morphs(&kind->own_morphs, renderer);
    free(kind->morph_weights);
    free(kind->reported);
    view_free_retargeted(&kind->retargeted);
    view_free_scene(&kind->own);
    free(kind->own_textures);
    free(kind->clips);
    free(kind->seen);
    free(kind->palettes);
    free(kind->placements);
    *kind = (view_kind){0};
}

size_t view_pose_size(const view_kind *kind)
{
    return kind->model->skeleton.num_joints * sizeof(md5_xform);
}

// -- Visibility -----------------------------------------------------------------------------

uint32_t view_show_member(view_kind *kind, uint32_t member)
{
    kind->seen[kind->num_seen] = member;
    return kind->num_seen++;
}

void view_hide_member(view_kind *kind, uint32_t place)
{
    const uint32_t last = --kind->num_seen, num_joints = kind->model->skeleton.num_joints;
    if (place == last)
        return;
    kind->seen[place] = kind->seen[last];
    kind->placements[place] = kind->placements[last];
    const uint32_t targets = kind->morph_weights != NULL ? kind->morphs->morph->num_targets : 0;
    for (uint32_t i = 0; i < targets; i++)
        kind->morph_weights[place * targets + i] = kind->morph_weights[last * targets + i];
    memcpy(kind->palettes + (size_t)place * num_joints, kind->palettes + (size_t)last * num_joints,
           num_joints * sizeof *kind->palettes);
}
