#include "md5/pose/binding.h"

#include "md5/pose/plan.h"

#include <string.h>

// The results of matching, in the arena, before the size of the binding's block is known.
typedef struct matching {
    int32_t *tracks, *targets;
    md5_rebase *rebases;
    md5_binding binding; // the counts
} matching;

static md5_quoted quote_name(const md5_skeleton *skeleton, uint32_t joint)
{
    const char *name = skeleton->joints[joint].name;
    return md5_quote(name, strlen(name));
}

static bool fail_to_match(md5_context *context, const md5_skeleton *model, const md5_skeleton *anim)
{
    if (model->num_joints == 0 || anim->num_joints == 0)
        return md5_fail(context, MD5_ERROR_MISMATCH, 0, 0, "the %s has no joints",
                        model->num_joints == 0 ? "model" : "animation");
    return md5_fail(context, MD5_ERROR_MISMATCH, 0, 0,
                    "the animation is of another skeleton: joint 0 is %s in the model and %s in "
                    "the animation, and no name is in both",
                    quote_name(model, 0).text, quote_name(anim, 0).text);
}

static void report_differences(md5_context *context, const md5_skeleton *model,
                               const md5_skeleton *anim, matching *found)
{
    md5_binding *binding = &found->binding;
    binding->same_order = true;
    for (uint32_t joint = 0; joint < model->num_joints; joint++) {
        binding->same_order = binding->same_order && found->tracks[joint] == (int32_t)joint;
        if (found->tracks[joint] >= 0)
            continue;
        binding->num_missing++;
        md5_warn(context, 0, 0,
                 "joint %u %s of the model is not in the animation: it keeps its bind pose", joint,
                 quote_name(model, joint).text);
    }
    for (uint32_t joint = 0; joint < anim->num_joints; joint++) {
        if (found->targets[joint] >= 0)
            continue;
        binding->num_extra++;
        md5_warn(context, 0, 0, "joint %u %s of the animation is not in the model", joint,
                 quote_name(anim, joint).text);
    }
}

static bool match(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                  matching *found)
{
    found->tracks = md5_arena_alloc(arena, model->num_joints, sizeof *found->tracks);
    found->targets = md5_arena_alloc(arena, anim->num_joints, sizeof *found->targets);
    TRY(found->tracks && found->targets);
    TRY(md5_match_joints(arena, model, anim, found->tracks, found->targets));

    uint32_t num_driven = 0;
    for (uint32_t joint = 0; joint < model->num_joints; joint++)
        num_driven += found->tracks[joint] >= 0;
    if (num_driven == 0)
        return fail_to_match(arena->context, model, anim);
    report_differences(arena->context, model, anim, found);
    return md5_plan_rebases(arena, model, anim, found->tracks, found->targets, &found->rebases,
                            &found->binding.num_rebases);
}

// Builds the binding in one block: the binding, tracks and targets side by side, rebases, the plan
// and its integers.
static md5_binding *build_binding(md5_context *context, const matching *found)
{
    const size_t num_tracks = found->binding.model->skeleton.num_joints;
    const size_t num_targets = found->binding.anim->skeleton.num_joints;
    const size_t plan_size = md5_pose_plan_size(found->binding.model, found->binding.anim);
    md5_block block = {0};
    md5_binding *binding = NULL;
    int32_t *tracks = NULL;
    md5_rebase *rebases = NULL;
    md5_pose_plan *plan = NULL;
    int32_t *integers = NULL;
    for (int pass = 0; pass < 2; pass++) {
        binding = md5_block_take(&block, 1, sizeof *binding);
        tracks = md5_block_take(&block, num_tracks + num_targets, sizeof *tracks);
        rebases = md5_block_take(&block, found->binding.num_rebases, sizeof *rebases);
        plan = md5_block_take(&block, 1, sizeof *plan);
        integers = md5_block_take(&block, plan_size, sizeof *integers);
        if (pass > 0)
            break;
        const size_t size = block.used;
        block = (md5_block){.base = md5_alloc(context, size)};
        if (!block.base)
            return NULL;
    }

    *binding = found->binding;
    binding->tracks = tracks;
    binding->rebases = rebases;
    binding->plan = plan;
    binding->size = block.used;
    binding->allocator = context->allocator;
    memcpy(tracks, found->tracks, num_tracks * sizeof *tracks);
    memcpy(tracks + num_tracks, found->targets, num_targets * sizeof *tracks);
    md5_pose_plan_build(binding->model, binding->anim, found->targets, plan, integers);
    if (binding->num_rebases > 0)
        memcpy(rebases, found->rebases, binding->num_rebases * sizeof *rebases);
    return binding;
}

md5_binding *md5_bind(const md5_model *model, const md5_anim *anim, const md5_load_opts *opts,
                      md5_error *error)
{
    md5_context context;
    md5_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    matching found = {.binding = {.model = model, .anim = anim}};
    md5_binding *binding = NULL;
    if (match(&arena, &model->skeleton, &anim->skeleton, &found))
        binding = build_binding(&context, &found);
    md5_arena_free(&arena);
    return binding;
}

void md5_free_binding(md5_binding *binding)
{
    if (!binding)
        return;
    const md5_allocator allocator = binding->allocator;
    allocator.free(allocator.user, binding, binding->size);
}
