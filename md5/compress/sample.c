// Sampling of compressed clips, with and without a model.
#include "md5/compress/packed.h"
#include "md5/core/assert.h"
#include "md5/core/cpu.h"
#include "md5/pose/binding.h"
#include "md5/pose/moment.h"
#include "md5/pose/sampling.h"

#include <string.h>

struct md5_compressed_binding {
    const md5_compressed *compressed;
    md5_anim hierarchy;   // the clip's joints without tracks: what the binding was made with
    md5_binding *binding; // of `hierarchy`
    const md5_transform *constants; // [model joints] a pose: what no key changes is always this
    const int32_t *targets;         // [lanes] model joints in the order of the groups
    const uint32_t *lanes;  // [2 * clip joints] lane of each joint's rotation and translation
    const uint32_t *groups; // [lanes] the group of each
    int32_t root;           // model joint that joint 0 drives, or -1
    size_t size;
};

void md5_packed_sample(const md5_packed *packed, const md5_moment *moment, const int32_t *targets,
                       bool has_constants, md5_transform *pose)
{
#if MD5_HAS_AVX2
    if (md5_cpu_has(MD5_CPU_AVX2)) {
        md5_packed_sample_avx2(packed, moment, targets, has_constants, pose);
        return;
    }
#endif
    md5_packed_sample_scalar(packed, moment, targets, has_constants, pose);
}

// -- Binding ----------------------------------------------------------------------------------

typedef struct binding_arrays {
    md5_compressed_binding *binding;
    md5_transform *constants;
    int32_t *targets;
    uint32_t *lanes, *groups;
} binding_arrays;

static binding_arrays lay_out(md5_block *block, const md5_model *model,
                              const md5_compressed *compressed)
{
    const size_t num_lanes = compressed->packed->num_lanes;
    binding_arrays of;
    of.binding = (md5_compressed_binding *)md5_block_take(block, 1, sizeof *of.binding);
    of.constants =
        (md5_transform *)md5_block_take(block, model->skeleton.num_joints, sizeof *of.constants);
    of.targets = (int32_t *)md5_block_take(block, num_lanes, sizeof *of.targets);
    of.lanes = (uint32_t *)md5_block_take(block, num_lanes, sizeof *of.lanes);
    of.groups = (uint32_t *)md5_block_take(block, num_lanes, sizeof *of.groups);
    return of;
}

static void fill_lanes(const md5_packed *packed, const int32_t *targets, const binding_arrays *of)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < packed->num_groups; i++) {
        const md5_packed_group *const group = &packed->groups[i];
        for (uint32_t lane = 0; lane < group->count; lane++) {
            const uint32_t joint = md5_packed_joint(packed, group, lane);
            of->targets[next] = targets[joint];
            of->lanes[2 * joint + group->kind] = lane;
            of->groups[2 * joint + group->kind] = i;
            next++;
        }
    }
}

// The animation without tracks outlives the match: it is in the block of the result.
static md5_compressed_binding *bind(md5_context *context, const md5_model *model,
                                    const md5_compressed *compressed, const md5_load_opts *opts,
                                    md5_error *error)
{
    md5_block measured = {0};
    (void)lay_out(&measured, model, compressed);
    md5_block block = {.base = (unsigned char *)md5_alloc(context, measured.used)};
    if (!block.base)
        return NULL;
    const binding_arrays of = lay_out(&block, model, compressed);
    *of.binding = (md5_compressed_binding){
        .compressed = compressed,
        .hierarchy = {.skeleton = compressed->skeleton,
                      .num_frames = compressed->num_frames,
                      .frame_rate = compressed->frame_rate},
        .size = block.used,
    };
    of.binding->binding = md5_bind(model, &of.binding->hierarchy, opts, error);
    if (!of.binding->binding) {
        md5_free(context, block.base, block.used);
        return NULL;
    }
    const int32_t *const targets = md5_binding_targets(of.binding->binding);
    fill_lanes(compressed->packed, targets, &of);
    of.binding->targets = of.targets;
    of.binding->constants = of.constants;
    const md5_moment first = {.frame0 = 0};
    memcpy(of.constants, model->bind_local, model->skeleton.num_joints * sizeof *of.constants);
    md5_packed_sample(compressed->packed, &first, of.targets, false, of.constants);
    of.binding->lanes = of.lanes;
    of.binding->groups = of.groups;
    of.binding->root = targets[0];
    return of.binding;
}

md5_compressed_binding *md5_bind_compressed(const md5_model *model,
                                            const md5_compressed *compressed,
                                            const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(compressed != NULL, "compressed: not NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    return bind(&context, model, compressed, opts, context.error);
}

void md5_free_compressed_binding(md5_compressed_binding *binding)
{
    if (!binding)
        return;
    const md5_allocator allocator = binding->binding->allocator;
    md5_free_binding(binding->binding);
    allocator.free(allocator.user, binding, binding->size);
}

// -- Sampling ---------------------------------------------------------------------------------

static md5_moment clamp_moment(const md5_compressed *compressed, const md5_moment *moment)
{
    const md5_anim like = {.num_frames = compressed->num_frames};
    MD5_ASSERT_MOMENT(&like, moment);
    return md5_clamp_moment(&like, moment);
}

typedef struct lane_sampling {
    const md5_compressed_binding *binding;
    const md5_moment *moment;
    md5_root root;
} lane_sampling;

// md5_sample_joint(), for joints that must be composed.
static md5_transform sample_joint(const void *sampling, uint32_t joint)
{
    const lane_sampling *const of = (const lane_sampling *)sampling;
    const md5_packed *const packed = of->binding->compressed->packed;
    const uint32_t *const groups = of->binding->groups + 2 * joint;
    const uint32_t *const lanes = of->binding->lanes + 2 * joint;
    float q[4], t[4];
    md5_packed_lane_at(packed, &packed->groups[groups[0]], lanes[0], of->moment, q);
    md5_packed_lane_at(packed, &packed->groups[groups[1]], lanes[1], of->moment, t);
    md5_transform transform = {.rotation = {q[0], q[1], q[2], q[3]},
                               .translation = {t[0], t[1], t[2]}};
    if (joint == 0 && of->root != MD5_ROOT_FILE)
        transform.translation = md5_packed_root(packed, of->moment, of->root);
    return transform;
}

void md5_sample_compressed(const md5_compressed_binding *binding, const md5_moment *moment,
                           md5_root root, md5_transform *pose)
{
    MD5_ASSERT(binding != NULL, "binding: not NULL");
    MD5_ASSERT(moment != NULL, "moment: not NULL");
    MD5_ASSERT(pose != NULL, "pose: not NULL");
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    const md5_binding *const match = binding->binding;
    const md5_moment clamped = clamp_moment(binding->compressed, moment);
    memcpy(pose, binding->constants, match->skeleton->num_joints * sizeof *pose);
    md5_packed_sample(binding->compressed->packed, &clamped, binding->targets, true, pose);
    if (binding->root >= 0 && root != MD5_ROOT_FILE)
        pose[binding->root].translation =
            md5_packed_root(binding->compressed->packed, &clamped, root);
    const lane_sampling sampling = {binding, &clamped, root};
    if (match->num_rebases > 0)
        md5_apply_rebases(match, sample_joint, &sampling, pose);
}

void md5_sample_compressed_anim(const md5_compressed *compressed, const md5_moment *moment,
                                md5_root root, md5_transform *pose)
{
    MD5_ASSERT(compressed != NULL, "compressed: not NULL");
    MD5_ASSERT(moment != NULL, "moment: not NULL");
    MD5_ASSERT(pose != NULL, "pose: not NULL");
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    const md5_moment clamped = clamp_moment(compressed, moment);
    md5_packed_sample(compressed->packed, &clamped, NULL, false, pose);
    if (root != MD5_ROOT_FILE)
        pose[0].translation = md5_packed_root(compressed->packed, &clamped, root);
}

md5_moment md5_compressed_moment(const md5_compressed *compressed, double time, md5_wrap wrap)
{
    MD5_ASSERT(compressed != NULL, "compressed: not NULL");
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: a md5_wrap");
    return md5_moment_in(compressed->num_frames, compressed->frame_rate, time, wrap);
}

md5_vec3 md5_compressed_root_motion(const md5_compressed *compressed, const md5_moment *from,
                                    const md5_moment *to)
{
    MD5_ASSERT(compressed != NULL, "compressed: not NULL");
    MD5_ASSERT(from != NULL, "from: not NULL");
    MD5_ASSERT(to != NULL, "to: not NULL");
    const md5_moment begin = clamp_moment(compressed, from), end = clamp_moment(compressed, to);
    return md5_packed_root_motion(compressed->packed, &begin, &end);
}
