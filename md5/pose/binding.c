// md5_bind(): which track drives which joint, joints whose parents differ, and the tables for
// posing.
#include "md5/core/math.h"
#include "md5/core/names.h"
#include "md5/pose/skeleton.h"
#include "md5/pose/kernels.h"

// == Plans =======================================================================================

// Writes the targets of the slots to `found`, and lists the joints that none of them drives in
// `undriven`. Returns whether slot k drives joint k of all `num_joints`.
static bool find_targets(const uint32_t *joints, uint32_t count, const uint32_t *targets,
                         uint32_t *found, uint32_t num_joints, uint32_t *undriven,
                         uint32_t *num_undriven)
{
    bool in_order = count == num_joints;
    memset(undriven, 0, num_joints * sizeof *undriven); // first a mark for each joint
    MD5_FOR (slot, count) {
        found[slot] = targets[joints[slot]];
        in_order = in_order && found[slot] == slot;
        if (found[slot] != MD5_NONE)
            undriven[found[slot]] = 1;
    }
    *num_undriven = 0;
    MD5_FOR (joint, num_joints)
        if (undriven[joint] == 0)
            undriven[(*num_undriven)++] = joint;
    return in_order;
}

// Fills a plan and its integers. targets[animation joints]: the model joint that each one drives.
static void build_plan(const md5_skeleton *skeleton, const md5_anim *anim, const uint32_t *targets,
                       md5_pose_plan *plan, uint32_t *integers)
{
    const uint32_t count = skeleton->num_joints;
    uint32_t *const order = integers, *const fixed_rotations = order + count;
    uint32_t *const fixed_translations = fixed_rotations + count;
    uint32_t *const rotations = fixed_translations + count;
    uint32_t *const translations = rotations + anim->num_rotations;

    // Sorts the joints by depth, in memory that is filled later.
    uint32_t *const depths = fixed_rotations, *const begins = fixed_translations;
    memset(begins, 0, count * sizeof *begins);
    MD5_FOR (i, count) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        depths[joint] = parent == MD5_NONE ? 0 : depths[parent] + 1;
        begins[depths[joint]]++;
    }
    const uint32_t num_roots = begins[0];
    uint32_t begin = 0;
    MD5_FOR (depth, count) {
        const uint32_t width = begins[depth];
        begins[depth] = begin;
        begin += width;
    }
    MD5_FOR (joint, count)
        order[begins[depths[joint]]++] = joint;

    *plan = (md5_pose_plan){
        .kernels = MD5_POSE_KERNELS(AVX512),
        .order = order,
        .num_roots = num_roots,
        .driven = targets,
        .targets = {.rotations = rotations,
                    .translations = translations,
                    .rotation_slots = {0, anim->num_rotations},
                    .translation_slots = {0, anim->num_translations}},
        .fixed_rotations = fixed_rotations,
        .fixed_translations = fixed_translations,
    };
    plan->targets.rotations_in_order =
        find_targets(anim->rotation_joints, anim->num_rotations, targets, rotations, count,
                     fixed_rotations, &plan->num_fixed_rotations);
    plan->targets.translations_in_order =
        find_targets(anim->translation_joints, anim->num_translations, targets, translations, count,
                     fixed_translations, &plan->num_fixed_translations);
}

// == Joints whose parents differ =================================================================
//
// Joints whose parent in the animation is not their parent in the model.

// Sampling walks up from each rebased joint and keeps no intermediate results, which hostile
// skeletons could make quadratic. So every joint may take a few steps, and longer walks share as
// many again for each joint of both skeletons. If those are used up, a joint follows the model's
// hierarchy instead, with a warning. A sample then takes at most STEPS_PER_JOINT * (2 * model
// joints + animation joints) steps.
enum { STEPS_PER_JOINT = 32 };

// The position of a joint in depth-first order. Its descendants are the joints whose `first` is in
// first + 1 .. first + size - 1.
typedef struct branch {
    uint32_t first, size, depth;
} branch;

// What a track is relative to: it has `num_extra` ancestors that drive nothing, and then the one
// that drives `anchor` in the model, or none (-1).
typedef struct ancestry {
    uint32_t anchor;
    uint32_t num_extra;
} ancestry;

static const branch *find_branches(md5_arena *arena, const md5_skeleton *skeleton)
{
    const size_t count = skeleton->num_joints;
    branch *branches = MD5_NEW(arena, branch, count);
    uint32_t *next = MD5_NEW(arena, uint32_t, count); // where the next child begins
    if (!branches || !next)
        return NULL;

    for (size_t i = count; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        branches[joint].size++;
        if (parent != MD5_NONE)
            branches[parent].size += branches[joint].size;
    }
    uint32_t next_root = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        branch *const own = &branches[joint];
        uint32_t *const begin = parent == MD5_NONE ? &next_root : &next[parent];
        own->depth = parent == MD5_NONE ? 0 : branches[parent].depth + 1;
        own->first = *begin;
        *begin += own->size;
        next[joint] = own->first + 1;
    }
    return branches;
}

static const ancestry *find_ancestries(md5_arena *arena, const md5_skeleton *anim,
                                       const uint32_t *targets)
{
    ancestry *ancestries = MD5_NEW(arena, ancestry, anim->num_joints);
    if (!ancestries)
        return NULL;
    MD5_FOR (i, anim->num_joints) {
        const uint32_t joint = anim->order[i];
        const uint32_t parent = anim->joints[joint].parent;
        if (parent == MD5_NONE)
            ancestries[joint] = (ancestry){.anchor = MD5_NONE};
        else if (targets[parent] != MD5_NONE)
            ancestries[joint] = (ancestry){.anchor = targets[parent]};
        else
            ancestries[joint] = (ancestry){
                .anchor = ancestries[parent].anchor,
                .num_extra = ancestries[parent].num_extra + 1,
            };
    }
    return ancestries;
}

// Reads no more of a name than a message shows: very many joints may have the same parent with a
// long name.
static md5_quoted quote_name(const char *name)
{
    size_t size = 0;
    while (size < sizeof(md5_quoted) && name[size] != '\0')
        size++;
    return md5i_quote(name, size);
}

static md5_quoted quote_parent(const md5_skeleton *skeleton, uint32_t joint)
{
    if (joint == MD5_NONE)
        return (md5_quoted){"no joint"};
    return quote_name(skeleton->joints[joint].name);
}

// `shared` is the number of steps left for long walks; the joint's steps are subtracted.
static const char *plan_joint(md5_rebase *rebase, const branch *branches,
                              const ancestry *ancestry_of_track, uint32_t extra, uint64_t *shared)
{
    const branch *own = &branches[rebase->joint];
    const uint32_t anchor = ancestry_of_track->anchor;
    const uint32_t parent = rebase->above;
    const branch *const above = anchor != MD5_NONE ? &branches[anchor] : own;
    const bool is_below = own->first > above->first && own->first - above->first < above->size;
    if (anchor != MD5_NONE && !is_below)
        return "the hierarchies contradict each other, the model's is used";

    const uint32_t top = anchor == MD5_NONE ? 0 : branches[anchor].depth + 1;
    const uint64_t wanted = (uint64_t)ancestry_of_track->num_extra + (own->depth - top);
    if (wanted > STEPS_PER_JOINT) {
        if (wanted > *shared)
            return "too many joints in between, the model's hierarchy is used";
        *shared -= wanted;
    }
    rebase->above = anchor;
    rebase->extra = ancestry_of_track->num_extra > 0 ? extra : MD5_NONE;
    return anchor == parent ? "it moves with the joints in between, which are not in the model"
                            : "it follows the animation";
}

// Lists the joints to compose, parents first, in an array of the arena, and warns about each.
// Returns false and sets the context's error if memory runs out.
static bool plan_rebases(md5_arena *arena, const uint32_t *targets, md5_binding *binding)
{
    const md5_skeleton *const model = binding->skeleton, *const anim = &binding->anim->skeleton;
    const branch *branches = NULL;
    const ancestry *ancestries = NULL;
    md5_rebase *rebases = NULL;
    uint64_t shared = STEPS_PER_JOINT * ((uint64_t)model->num_joints + anim->num_joints);
    MD5_FOR (i, model->num_joints) {
        const uint32_t joint = model->order[i];
        const uint32_t track = binding->tracks[joint];
        if (track == MD5_NONE)
            continue;
        // Mostly the joint's parent in the animation drives its parent in the model.
        const uint32_t parent = model->joints[joint].parent;
        const uint32_t anim_parent = anim->joints[track].parent;
        if (anim_parent == MD5_NONE ? parent == MD5_NONE
                                    : parent != MD5_NONE && targets[anim_parent] == parent)
            continue;
        if (!rebases) {
            branches = find_branches(arena, model);
            ancestries = find_ancestries(arena, anim, targets);
            rebases = MD5_NEW(arena, md5_rebase, model->num_joints);
            TRY(branches && ancestries && rebases);
            binding->internal.rebases = rebases;
        }
        md5_rebase *const rebase = &rebases[binding->num_rebases++];
        *rebase = (md5_rebase){.joint = joint, .extra = MD5_NONE, .above = parent};
        const char *consequence =
            plan_joint(rebase, branches, &ancestries[track], anim_parent, &shared);
        (void)consequence;
        md5i_warn(arena->context, 0, 0,
                  "joint %s is a child of %s in the animation, of %s in the model: %s",
                  quote_name(model->joints[joint].name).text, quote_parent(anim, anim_parent).text,
                  quote_parent(model, parent).text, consequence);
    }
    return true;
}

// == Bindings ====================================================================================

// Of a skeleton of which too few joints have one in the other, as others[num_joints] says.
static bool fail_as_strange(md5_context *context, const md5_skeleton *skeleton,
                            const uint32_t *others, uint32_t num_matched, bool is_model)
{
    char names[128] = "";
    size_t length = 0;
    MD5_FOR (joint, skeleton->num_joints) {
        if (others[joint] != MD5_NONE)
            continue;
        const md5_quoted name = quote_name(skeleton->joints[joint].name);
        if (length + strlen(name.text) + sizeof ", " > sizeof names)
            break;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                   length > 0 ? ", " : "", name.text);
    }
    return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                    "%u of %u joints of the %s are in the %s: expected half of them, unless "
                    "'partial' is set; missing: %s",
                    num_matched, skeleton->num_joints, is_model ? "model" : "animation",
                    is_model ? "animation" : "model", names);
}

// Matches the model's joints and the clip's. Fills the counts of a binding that has both, and its
// tracks, with the targets beside them, and rebases: in the arena, as the size of the binding's
// block is not known yet.
static bool match(md5_arena *arena, md5_binding *binding)
{
    const md5_skeleton *const model = binding->skeleton, *const anim = &binding->anim->skeleton;
    md5_context *const context = arena->context;
    if (model->axes != anim->axes || md5_scale_of(model) != md5_scale_of(anim))
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "the animation has axes %d and scale %g, the model axes %d and scale %g: "
                        "load both with the same options",
                        (int)anim->axes, md5_scale_of(anim), (int)model->axes, md5_scale_of(model));
    uint32_t *const tracks = MD5_NEW(arena, uint32_t, (size_t)model->num_joints + anim->num_joints);
    TRY(tracks);
    uint32_t *const targets = tracks + model->num_joints;
    TRY(md5i_match_joints(arena, model, anim, tracks, targets));
    binding->tracks = tracks;

    uint32_t num_driven = 0;
    MD5_FOR (joint, model->num_joints)
        num_driven += tracks[joint] != MD5_NONE;
    if (num_driven == 0) {
        if (model->num_joints == 0 || anim->num_joints == 0)
            return MD5_FAIL(context, MD5_ERROR_MISMATCH, "the %s has no joints",
                            model->num_joints == 0 ? "model" : "animation");
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "the animation is of another skeleton: joint 0 is %s in the model and %s "
                        "in the animation, and no name is in both",
                        quote_name(model->joints[0].name).text,
                        quote_name(anim->joints[0].name).text);
    }
    if (!context->partial && num_driven < model->num_joints - num_driven)
        return fail_as_strange(context, model, tracks, num_driven, true);
    if (!context->partial && num_driven < anim->num_joints - num_driven)
        return fail_as_strange(context, anim, targets, num_driven, false);
    binding->same_order = true;
    MD5_FOR (joint, model->num_joints) {
        binding->same_order = binding->same_order && tracks[joint] == joint;
        if (tracks[joint] != MD5_NONE)
            continue;
        binding->num_missing++;
        md5i_warn(context, 0, 0,
                  "joint %u %s of the model is not in the animation: it keeps its bind pose", joint,
                  quote_name(model->joints[joint].name).text);
    }
    MD5_FOR (joint, anim->num_joints) {
        if (targets[joint] != MD5_NONE)
            continue;
        binding->num_extra++;
        md5i_warn(context, 0, 0, "joint %u %s of the animation is not in the model", joint,
                  quote_name(anim->joints[joint].name).text);
    }
    return binding->anim->parents_unknown || plan_rebases(arena, targets, binding);
}

// `found` has the skeleton, its bind pose and the clip, and the model if there is one. Builds the
// binding in one block: the binding, tracks and targets side by side, rebases, the plan with its
// integers and groups, and the inverse bind pose if there is no model that has it: by `invert`,
// which is NULL otherwise, so that programs that bind models only are linked without it.
typedef bool invert_bind_pose(md5_arena *arena, const md5_skeleton *skeleton,
                              const md5_xform *bind_local, md5_mat34 *inverse);
static md5_binding *bind(md5_binding found, const md5_load_opts *opts, md5_error *error,
                         invert_bind_pose *invert)
{
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    md5_block block = {0};
    md5_binding *binding = NULL;
    if (!match(&arena, &found)) {
        md5i_arena_free(&arena);
        return NULL;
    }
    const size_t num_tracks = found.skeleton->num_joints;
    const size_t num_targets = found.anim->skeleton.num_joints;
    const size_t num_integers =
        3 * num_tracks + found.anim->num_rotations + found.anim->num_translations; // of the plan
    uint32_t *tracks = NULL, *integers = NULL;
    md5_rebase *rebases = NULL;
    md5_pose_plan *plan = NULL;
    md5_mat34 *inverse_bind = NULL;
#ifndef MD5_NO_COMPRESSED
    const md5_packed *const packed = MD5_PACKED(found.anim);
    const uint32_t num_groups =
        packed ? md5i_packed_group(packed, found.tracks + num_tracks, NULL) : 0;
    md5_packed_lanes *groups = NULL;
#endif
    MD5_FOR (pass, 2) {
        binding = (md5_binding *)md5i_block_put(&block, &found, 1, sizeof found);
        tracks = (uint32_t *)md5i_block_put(&block, found.tracks, num_tracks + num_targets,
                                            sizeof *tracks);
        rebases = (md5_rebase *)md5i_block_put(&block, found.internal.rebases, found.num_rebases,
                                               sizeof *rebases);
        plan = MD5_TAKE(&block, md5_pose_plan, 1);
        integers = MD5_TAKE(&block, uint32_t, num_integers);
        inverse_bind = MD5_TAKE(&block, md5_mat34, invert ? num_tracks : 0);
#ifndef MD5_NO_COMPRESSED
        groups = MD5_TAKE(&block, md5_packed_lanes, num_groups);
#endif
        if (pass == 0 && !md5i_block_allocate(&context, &block))
            break;
    }
    if (block.base && invert && !invert(&arena, found.skeleton, found.bind_local, inverse_bind)) {
        md5i_free(&context, block.base, block.used);
        block.base = NULL;
    }
    md5i_arena_free(&arena);
    if (!block.base)
        return NULL;
    if (invert)
        binding->inverse_bind = inverse_bind;
    binding->tracks = tracks;
    binding->internal.rebases = rebases;
    binding->internal.plan = plan;
    binding->size = block.used;
    binding->internal.allocator = context.allocator;
    build_plan(found.skeleton, found.anim, tracks + num_tracks, plan, integers);
#ifndef MD5_NO_COMPRESSED
    if (packed) {
        plan->groups = groups;
        plan->num_groups = md5i_packed_group(packed, plan->driven, groups);
    }
#endif
    return binding;
}

md5_binding *md5_bind(const md5_model *model, const md5_anim *anim, const md5_load_opts *opts,
                      md5_error *error)
{
    MD5_ASSERT_OPTS(opts);
    MD5_NEED(model, "model");
    MD5_NEED(anim, "animation");
    MD5_ASSERT_ASSET(model);
    MD5_ASSERT_ASSET(anim);
    const md5_binding parts = {
        .model = model,
        .skeleton = &model->skeleton,
        .bind_local = model->bind_local,
        .inverse_bind = model->inverse_bind,
        .anim = anim,
    };
    return bind(parts, opts, error, NULL);
}

#if !defined(NDEBUG)
// Quadratic time: only for skeletons that a program has made.
static bool is_ordered(const md5_skeleton *skeleton)
{
    MD5_FOR (i, skeleton->num_joints) {
        const uint32_t joint = skeleton->order[i];
        if (joint >= skeleton->num_joints)
            return false;
        const uint32_t parent = skeleton->joints[joint].parent;
        bool is_after = parent == MD5_NONE;
        MD5_FOR (k, i) {
            if (skeleton->order[k] == joint)
                return false;
            is_after = is_after || skeleton->order[k] == parent;
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
    MD5_NEED(skeleton, "skeleton");
    MD5_NEED(anim, "animation");
    MD5_ASSERT_ARRAY(bind_local, skeleton->num_joints);
    MD5_ASSERT_OPTS(opts);
    MD5_VALIDATE(is_ordered(skeleton), "skeleton: order lists every joint once, parents first");
    const md5_binding parts = {.skeleton = skeleton, .bind_local = bind_local, .anim = anim};
    return bind(parts, opts, error, md5i_invert_bind_pose);
}

void md5_free_binding(md5_binding *binding)
{
    MD5_FREE(binding);
}
