#include "md5/pose/binding.h"

#include "md5/core/assert.h"
#include "md5/core/axes.h"
#include "md5/pose/bind_pose.h"
#include "md5/pose/kernels.h"
#include "md5/pose/packed.h"
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
    return md5i_quote(name, strlen(name));
}

static bool fail_to_match(md5_context *context, const md5_skeleton *model, const md5_skeleton *anim)
{
    if (model->num_joints == 0 || anim->num_joints == 0)
        return md5i_fail(context, MD5_ERROR_MISMATCH, 0, 0, "the %s has no joints",
                         model->num_joints == 0 ? "model" : "animation");
    return md5i_fail(context, MD5_ERROR_MISMATCH, 0, 0,
                     "the animation is of another skeleton: joint 0 is %s in the model and %s in "
                     "the animation, and no name is in both",
                     quote_name(model, 0).text, quote_name(anim, 0).text);
}

static bool check_space(md5_context *context, const md5_skeleton *model, const md5_skeleton *anim)
{
    if (model->axes == anim->axes && md5_scale_of(model) == md5_scale_of(anim))
        return true;
    return md5i_fail(context, MD5_ERROR_MISMATCH, 0, 0,
                     "the animation has axes %d and scale %g, the model axes %d and scale %g: load "
                     "both with the same options",
                     (int)anim->axes, (double)md5_scale_of(anim), (int)model->axes,
                     (double)md5_scale_of(model));
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
        md5i_warn(context, 0, 0,
                  "joint %u %s of the model is not in the animation: it keeps its bind pose", joint,
                  quote_name(model, joint).text);
    }
    for (uint32_t joint = 0; joint < anim->num_joints; joint++) {
        if (found->targets[joint] >= 0)
            continue;
        binding->num_extra++;
        md5i_warn(context, 0, 0, "joint %u %s of the animation is not in the model", joint,
                  quote_name(anim, joint).text);
    }
}

static bool match(md5_arena *arena, const md5_skeleton *model, const md5_anim *clip,
                  matching *found)
{
    const md5_skeleton *const anim = &clip->skeleton;
    TRY(check_space(arena->context, model, anim));
    found->tracks = (int32_t *)md5i_arena_alloc(arena, model->num_joints, sizeof *found->tracks);
    found->targets = (int32_t *)md5i_arena_alloc(arena, anim->num_joints, sizeof *found->targets);
    TRY(found->tracks && found->targets);
    TRY(md5i_match_joints(arena, model, anim, found->tracks, found->targets));

    uint32_t num_driven = 0;
    for (uint32_t joint = 0; joint < model->num_joints; joint++)
        num_driven += found->tracks[joint] >= 0;
    if (num_driven == 0)
        return fail_to_match(arena->context, model, anim);
    report_differences(arena->context, model, anim, found);
    return clip->parents_unknown
           || md5i_plan_rebases(arena, model, anim, found->tracks, found->targets, &found->rebases,
                                &found->binding.num_rebases);
}

// Builds the binding in one block: the binding, tracks and targets side by side, rebases, the plan
// with its integers and groups, and the inverse bind pose if there is no model that has it.
static md5_binding *build_binding(md5_arena *arena, const matching *found)
{
    md5_context *const context = arena->context;
    const md5_skeleton *const skeleton = found->binding.skeleton;
    const size_t num_tracks = skeleton->num_joints;
    const size_t num_targets = found->binding.anim->skeleton.num_joints;
    const size_t plan_size = md5i_pose_plan_size(skeleton, found->binding.anim);
    const bool has_inverse = found->binding.inverse_bind != NULL;
    const md5_packed *const packed = found->binding.anim->packed;
    const uint32_t num_groups = packed ? md5i_packed_group(packed, found->targets, NULL) : 0;
    md5_block block = {0};
    md5_binding *binding = NULL;
    int32_t *tracks = NULL;
    md5_rebase *rebases = NULL;
    md5_pose_plan *plan = NULL;
    int32_t *integers = NULL;
    md5_mat34 *inverse_bind = NULL;
    md5_packed_lanes *groups = NULL;
    for (int pass = 0; pass < 2; pass++) {
        binding = (md5_binding *)md5i_block_take(&block, 1, sizeof *binding);
        tracks = (int32_t *)md5i_block_take(&block, num_tracks + num_targets, sizeof *tracks);
        rebases =
            (md5_rebase *)md5i_block_take(&block, found->binding.num_rebases, sizeof *rebases);
        plan = (md5_pose_plan *)md5i_block_take(&block, 1, sizeof *plan);
        integers = (int32_t *)md5i_block_take(&block, plan_size, sizeof *integers);
        inverse_bind = (md5_mat34 *)md5i_block_take(&block, has_inverse ? 0 : num_tracks,
                                                    sizeof *inverse_bind);
        groups = (md5_packed_lanes *)md5i_block_take(&block, num_groups, sizeof *groups);
        if (pass > 0)
            break;
        const size_t size = block.used;
        block = (md5_block){.base = (unsigned char *)md5i_alloc(context, size)};
        if (!block.base)
            return NULL;
    }

    *binding = found->binding;
    if (!has_inverse) {
        if (!md5i_invert_bind_pose(arena, skeleton, binding->bind_local, inverse_bind)) {
            md5i_free(context, block.base, block.used);
            return NULL;
        }
        binding->inverse_bind = inverse_bind;
    }
    binding->tracks = tracks;
    binding->rebases = rebases;
    binding->plan = plan;
    binding->size = block.used;
    binding->allocator = context->allocator;
    memcpy(tracks, found->tracks, num_tracks * sizeof *tracks);
    memcpy(tracks + num_tracks, found->targets, num_targets * sizeof *tracks);
    md5i_pose_plan_build(skeleton, binding->anim, found->targets, plan, integers);
    plan->kernels = md5i_pose_kernels_best();
    if (packed) {
        plan->groups = groups;
        plan->num_groups = md5i_packed_group(packed, found->targets, groups);
    }
    if (binding->num_rebases > 0)
        memcpy(rebases, found->rebases, binding->num_rebases * sizeof *rebases);
    return binding;
}

// `parts` has the skeleton, its bind pose and the clip, and the model if there is one.
static md5_binding *bind(const md5_binding *parts, const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    matching found = {.binding = *parts};
    md5_binding *binding = NULL;
    if (match(&arena, parts->skeleton, parts->anim, &found))
        binding = build_binding(&arena, &found);
    md5i_arena_free(&arena);
    return binding;
}

md5_binding *md5_bind(const md5_model *model, const md5_anim *anim, const md5_load_opts *opts,
                      md5_error *error)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT_OPTS(opts);
    const md5_binding parts = {
        .model = model,
        .skeleton = &model->skeleton,
        .bind_local = model->bind_local,
        .inverse_bind = model->inverse_bind,
        .anim = anim,
    };
    return bind(&parts, opts, error);
}

#if !defined(NDEBUG)
// Quadratic time: only for skeletons that a program has made.
static bool is_ordered(const md5_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        if (joint >= skeleton->num_joints)
            return false;
        const int32_t parent = skeleton->joints[joint].parent;
        bool is_after = parent == -1;
        for (uint32_t k = 0; k < i; k++) {
            if (skeleton->order[k] == joint)
                return false;
            is_after = is_after || skeleton->order[k] == (uint32_t)parent;
        }
        if (!is_after)
            return false;
    }
    return true;
}
#endif

md5_binding *md5_bind_skeleton(const md5_skeleton *skeleton, const md5_xform *bind_local,
                               const md5_anim *anim, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(bind_local != NULL || skeleton->num_joints == 0, "bind_local: not NULL");
    MD5_ASSERT(anim != NULL, "anim: not NULL");
    MD5_ASSERT_OPTS(opts);
    MD5_VALIDATE(is_ordered(skeleton), "skeleton: order lists every joint once, parents first");
    const md5_binding parts = {.skeleton = skeleton, .bind_local = bind_local, .anim = anim};
    return bind(&parts, opts, error);
}

void md5_free_binding(md5_binding *binding)
{
    if (!binding)
        return;
    const md5_allocator allocator = binding->allocator;
    allocator.free(allocator.user, binding, binding->size);
}
