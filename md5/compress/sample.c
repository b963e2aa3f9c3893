// Sampling of compressed clips, with and without a model.
#include "md5/compress/packed.h"
#include "md5/core/assert.h"
#include "md5/pose/binding.h"
#include "md5/pose/moment.h"
#include "md5/pose/sampling.h"

#include <string.h>

struct md5_compressed_binding {
    const md5_compressed *compressed;
    md5_anim hierarchy;         // the clip's joints without tracks: what the binding was made with
    md5_binding *binding;       // of `hierarchy`
    const md5_xform *constants; // [model joints] a pose: what no key changes is always this
    const md5_packed_lanes *groups; // tracks that drive a joint of the model
    uint32_t num_groups;
    const md5_packed_place *places; // [clip joints] of each joint's rotation
    int32_t root;                   // model joint that joint 0 drives, or -1
    size_t size;
};

// -- Binding ----------------------------------------------------------------------------------

typedef struct binding_arrays {
    md5_compressed_binding *binding;
    md5_xform *constants;
    md5_packed_lanes *groups;
    md5_packed_place *places;
} binding_arrays;

static binding_arrays lay_out(md5_block *block, const md5_model *model,
                              const md5_compressed *compressed, uint32_t num_groups)
{
    binding_arrays of;
    of.binding = (md5_compressed_binding *)md5i_block_take(block, 1, sizeof *of.binding);
    of.constants =
        (md5_xform *)md5i_block_take(block, model->skeleton.num_joints, sizeof *of.constants);
    of.groups = (md5_packed_lanes *)md5i_block_take(block, num_groups, sizeof *of.groups);
    of.places = (md5_packed_place *)md5i_block_take(block, compressed->skeleton.num_joints,
                                                    sizeof *of.places);
    return of;
}

// Counts groups, or copies them if there is room.
typedef struct group_list {
    md5_packed_lanes *groups;
    uint32_t count;
} group_list;

static void add_group(void *user, const md5_packed_lanes *group)
{
    group_list *const list = (group_list *)user;
    if (list->groups)
        list->groups[list->count] = *group;
    list->count++;
}

static void set_constant(const md5_packed *packed, const md5_packed_head *head, md5_xform *to)
{
    const md5_moment first = {.frame0 = 0};
    float v[4];
    md5i_packed_at(packed, head, &first, v);
    if (head->kind == MD5_PACKED_ROTATION)
        to->rotation = (md5_quat){v[0], v[1], v[2], v[3]};
    else
        to->translation = (md5_vec3){v[0], v[1], v[2]};
}

// targets[clip joints]; NULL: all drive something, for the largest number of groups. Constants go
// into a pose and places into a list if there are such.
static void group_tracks(const md5_packed *packed, const int32_t *targets, group_list *list,
                         const binding_arrays *of)
{
    md5_packed_grouping grouping;
    md5_packed_place place = md5_packed_first(packed);
    md5i_packed_begin_groups(&grouping, add_group, list);
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        if (of && i % 2 == MD5_PACKED_ROTATION)
            of->places[i / 2] = place;
        const md5_packed_head head = md5i_packed_take_head(packed, (uint8_t)(i % 2), &place);
        const int32_t target = targets ? targets[i / 2] : 0;
        if (target >= 0 && head.step != 0)
            md5i_packed_add(&grouping, &head, (uint32_t)target);
        else if (target >= 0 && of)
            set_constant(packed, &head, &of->constants[target]);
    }
    md5i_packed_end_groups(&grouping);
}

// The animation without tracks outlives the match: it is in the block of the result.
static md5_compressed_binding *bind(md5_context *context, const md5_model *model,
                                    const md5_compressed *compressed, const md5_load_opts *opts,
                                    md5_error *error)
{
    md5_block measured = {0};
    group_list list = {NULL, 0};
    group_tracks(compressed->packed, NULL, &list, NULL);
    (void)lay_out(&measured, model, compressed, list.count);
    md5_block block = {.base = (unsigned char *)md5i_alloc(context, measured.used)};
    if (!block.base)
        return NULL;
    const binding_arrays of = lay_out(&block, model, compressed, list.count);
    *of.binding = (md5_compressed_binding){
        .compressed = compressed,
        .hierarchy = {.skeleton = compressed->skeleton,
                      .num_frames = compressed->num_frames,
                      .frame_rate = compressed->frame_rate},
        .size = block.used,
    };
    of.binding->binding = md5_bind(model, &of.binding->hierarchy, opts, error);
    if (!of.binding->binding) {
        md5i_free(context, block.base, block.used);
        return NULL;
    }
    const int32_t *const targets = md5_binding_targets(of.binding->binding);
    list = (group_list){of.groups, 0};
    memcpy(of.constants, model->bind_local, model->skeleton.num_joints * sizeof *of.constants);
    group_tracks(compressed->packed, targets, &list, &of);
    of.binding->constants = of.constants;
    of.binding->groups = of.groups;
    of.binding->num_groups = list.count;
    of.binding->places = of.places;
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
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
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
    MD5_ASSERT_MOMENT(&like, *moment);
    return md5_clamp_moment(&like, moment);
}

typedef struct lane_sampling {
    const md5_compressed_binding *binding;
    const md5_moment *moment;
    md5_root root;
} lane_sampling;

// md5i_sample_joint(), for joints that must be composed.
static md5_xform sample_joint(const void *sampling, uint32_t joint)
{
    const lane_sampling *const of = (const lane_sampling *)sampling;
    const md5_packed *const packed = of->binding->compressed->packed;
    md5_packed_place place = of->binding->places[joint];
    float values[2][4] = {{0.0f}}; // by kind
    for (uint8_t kind = 0; kind < 2; kind++) {
        const md5_packed_head head = md5i_packed_take_head(packed, kind, &place);
        md5i_packed_at(packed, &head, of->moment, values[kind]);
    }
    const float *const q = values[MD5_PACKED_ROTATION], *const t = values[MD5_PACKED_TRANSLATION];
    md5_xform transform = {.rotation = {q[0], q[1], q[2], q[3]}, .translation = {t[0], t[1], t[2]}};
    if (joint == 0 && of->root != MD5_ROOT_FILE)
        transform.translation = md5i_packed_root(packed, of->moment, of->root);
    return transform;
}

void md5i_sample_compressed_with(md5_packed_kernel *kernel, const md5_compressed_binding *binding,
                                 const md5_moment *moment, md5_root root, md5_xform *pose)
{
    const md5_packed *const packed = binding->compressed->packed;
    const md5_binding *const match = binding->binding;
    memcpy(pose, binding->constants, match->skeleton->num_joints * sizeof *pose);
    kernel(packed, binding->groups, binding->num_groups, moment, pose);
    if (binding->root >= 0 && root != MD5_ROOT_FILE)
        pose[binding->root].translation = md5i_packed_root(packed, moment, root);
    const lane_sampling sampling = {binding, moment, root};
    if (match->num_rebases > 0)
        md5i_apply_rebases(match, sample_joint, &sampling, pose);
}

void md5_sample_compressed(const md5_compressed_binding *binding, const md5_moment *moment,
                           md5_root root, md5_xform *pose)
{
    MD5_ASSERT(binding != NULL, "binding: not NULL");
    MD5_ASSERT(moment != NULL, "moment: not NULL");
    MD5_ASSERT(pose != NULL, "pose: not NULL");
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    const md5_moment clamped = clamp_moment(binding->compressed, moment);
    md5i_sample_compressed_with(md5i_packed_kernel_best(), binding, &clamped, root, pose);
}

void md5_sample_compressed_anim(const md5_compressed *compressed, const md5_moment *moment,
                                md5_root root, md5_xform *pose)
{
    MD5_ASSERT(compressed != NULL, "compressed: not NULL");
    MD5_ASSERT(moment != NULL, "moment: not NULL");
    MD5_ASSERT(pose != NULL, "pose: not NULL");
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    const md5_moment clamped = clamp_moment(compressed, moment);
    md5i_packed_sample(compressed->packed, &clamped, pose);
    if (root != MD5_ROOT_FILE)
        pose[0].translation = md5i_packed_root(compressed->packed, &clamped, root);
}

md5_moment md5_compressed_moment(const md5_compressed *compressed, double time, md5_wrap wrap)
{
    MD5_ASSERT(compressed != NULL, "compressed: not NULL");
    MD5_ASSERT((unsigned)wrap <= MD5_WRAP_CLAMP, "wrap: a md5_wrap");
    return md5i_moment_in(compressed->num_frames, compressed->frame_rate, time, wrap);
}

md5_vec3 md5_compressed_root_motion(const md5_compressed *compressed, const md5_moment *from,
                                    const md5_moment *to)
{
    MD5_ASSERT(compressed != NULL, "compressed: not NULL");
    MD5_ASSERT(from != NULL, "from: not NULL");
    MD5_ASSERT(to != NULL, "to: not NULL");
    const md5_moment begin = clamp_moment(compressed, from), end = clamp_moment(compressed, to);
    return md5i_packed_root_motion(compressed->packed, &begin, &end);
}
