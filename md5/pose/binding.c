// Bindings connect a clip to a model.
//
// A binding contains three kinds of tables. The first lists the track that drives each joint of the
// model. The second lists the joints whose parent in the clip is not their parent in the model
// (md5_rebase). The third contains what posing reads for each joint (md5_pose_plan).
#include "md5/core/freed.h"
#include "md5/core/math.h"
#include "md5/core/names.h"
#include "md5/pose/binding.h"
#include "md5/pose/kernels.h"

// == Plans =======================================================================================

// Finds the target of each slot. A slot is the position of a value in a frame of the clip. Its
// target is the model joint that the value drives, or MD5_NONE.
//
// joints[count] contains the animation joint of each slot. targets[] contains the model joint of
// each animation joint. The function writes slot_targets[count], and lists the joints that no slot
// drives in undriven[num_joints]. Returns true if slot k drives joint k for all joints.
static bool find_targets(const uint32_t *joints, uint32_t count, const uint32_t *targets,
                         uint32_t *slot_targets, uint32_t num_joints, uint32_t *undriven,
                         uint32_t *num_undriven)
{
    // The marks share the memory of the list. Element k of the list is written only after mark k
    // was read, so the list does not overwrite marks that are still needed.
    uint32_t *const is_driven = undriven;
    bool in_order = count == num_joints;
    memset(is_driven, 0, num_joints * sizeof *is_driven);
    for (uint32_t slot = 0; slot < count; slot++) {
        slot_targets[slot] = targets[joints[slot]];
        in_order = in_order && slot_targets[slot] == slot;
        if (slot_targets[slot] != MD5_NONE)
            is_driven[slot_targets[slot]] = 1;
    }

    *num_undriven = 0;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (is_driven[joint] == 0)
            undriven[(*num_undriven)++] = joint;
    }
    return in_order;
}

// Sorts the joints by depth with a counting sort. The depth of a joint is the number of its
// ancestors. Joints of equal depth are in ascending order. Writes the joints to `order` and returns
// the number of roots. `depths` and `begins` are scratch memory. Each array has one element for
// each joint.
static uint32_t sort_by_depth(const md5_skeleton *skeleton, uint32_t *order, uint32_t *depths,
                              uint32_t *begins)
{
    const uint32_t count = skeleton->num_joints;

    // Count the joints at each depth.
    memset(begins, 0, count * sizeof *begins);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        depths[joint] = parent == MD5_NONE ? 0 : depths[parent] + 1;
        begins[depths[joint]]++;
    }

    // Replace each count by an index: the position in `order` at which the joints of this depth
    // begin.
    const uint32_t num_roots = begins[0];
    uint32_t begin = 0;
    for (uint32_t depth = 0; depth < count; depth++) {
        const uint32_t width = begins[depth];
        begins[depth] = begin;
        begin += width;
    }

    for (uint32_t joint = 0; joint < count; joint++)
        order[begins[depths[joint]]++] = joint;
    return num_roots;
}

// Fills the plan of a binding, so that posing a frame needs no search. The plan lists the joints by
// depth, the joint that each slot of a frame drives, and the joints with a constant rotation or
// translation. The lists are stored in `integers`, whose size md5i_lay_out_binding() computes.
// targets[anim joints] contains the model joint that each animation joint drives.
static void build_plan(const md5_skeleton *skeleton, const md5_anim *anim, const uint32_t *targets,
                       md5_pose_plan *plan, uint32_t *integers)
{
    const uint32_t count = skeleton->num_joints;
    // `integers` contains five lists, one after another.
    uint32_t *const order = integers;
    uint32_t *const fixed_rotations = order + count;
    uint32_t *const fixed_translations = fixed_rotations + count;
    uint32_t *const rotations = fixed_translations + count;
    uint32_t *const translations = rotations + anim->num_rotations;

    // find_targets() fills the lists of fixed joints later. Until then their memory serves as
    // scratch memory.
    uint32_t *const depths = fixed_rotations;
    uint32_t *const begins = fixed_translations;
    const uint32_t num_roots = sort_by_depth(skeleton, order, depths, begins);

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
// These joints have a different parent in the animation than in the model. For example, the
// animation may have a joint between the hips and the chest that the model lacks. The track of the
// chest is then relative to a joint that does not exist in the model, so playback must convert it
// (md5_rebase).

// Limits the time that rebased joints take in a sample. Sampling walks up from each rebased joint
// and stores no intermediate results, so a hostile skeleton could cause quadratic time.
//
// Every joint may use STEPS_PER_JOINT steps. Longer walks share a pool, which contains
// STEPS_PER_JOINT steps for each joint of both skeletons. If the pool is empty, a joint follows the
// hierarchy of the model instead, with a warning. Thus a sample takes at most this number of steps:
//
//   STEPS_PER_JOINT * (2 * model joints + animation joints)
enum { STEPS_PER_JOINT = 32 };

// A joint and its descendants in depth-first order. A joint is a descendant if its `first` is in
// the range first + 1 .. first + size - 1.
typedef struct branch {
    uint32_t first; // index of the joint in depth-first order
    uint32_t size;  // number of joints of the branch, with the joint itself
    uint32_t depth; // number of ancestors of the joint
} branch;

// The nearest ancestor of an animation joint that drives a joint of the model.
typedef struct ancestry {
    uint32_t anchor;    // the model joint that this ancestor drives, or MD5_NONE
    uint32_t num_extra; // number of ancestors between the two, which drive nothing
} ancestry;

// Returns the branch of each joint in an array of the arena. In the depth-first order of the
// branches, all descendants of a joint are consecutive. Returns NULL if memory runs out. The
// function uses loops instead of recursion, because a hostile skeleton can be very deep.
static const branch *find_branches(md5_arena *arena, const md5_skeleton *skeleton)
{
    const size_t count = skeleton->num_joints;
    branch *const branches = MD5_ALLOC_ZEROED(arena, branch, count);
    uint32_t *const next_child_first = MD5_ALLOC_ZEROED(arena, uint32_t, count);
    if (!branches || !next_child_first)
        return NULL;

    // Sum the sizes. Children come before their parents here, so that each sum is complete when it
    // is added to the sum of the parent.
    for (size_t i = count; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        branches[joint].size++;
        if (parent != MD5_NONE)
            branches[parent].size += branches[joint].size;
    }

    // Place the branches, parents before their children. A joint is followed by the branches of its
    // children, one after another.
    uint32_t next_root_first = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        branch *const current = &branches[joint];
        uint32_t *const next_first =
            parent == MD5_NONE ? &next_root_first : &next_child_first[parent];
        current->depth = parent == MD5_NONE ? 0 : branches[parent].depth + 1;
        current->first = *next_first;
        *next_first += current->size;
        next_child_first[joint] = current->first + 1;
    }
    return branches;
}

// Returns the ancestry of each animation joint in an array of the arena, or NULL if memory runs
// out. Parents come before their children, so one pass can derive each ancestry from the ancestry
// of the parent.
static const ancestry *find_ancestries(md5_arena *arena, const md5_skeleton *anim,
                                       const uint32_t *targets)
{
    ancestry *ancestries = MD5_ALLOC_ZEROED(arena, ancestry, anim->num_joints);
    if (!ancestries)
        return NULL;

    for (uint32_t i = 0; i < anim->num_joints; i++) {
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

// Quotes a name for a message. Reads only the bytes that a message can show. Otherwise a hostile
// file could cause quadratic time, with very many joints that share one parent with a long name.
static md5_quoted quote_name(const char *name)
{
    size_t size = 0;
    while (size < sizeof(md5_quoted) && name[size] != '\0')
        size++;
    return md5i_quote(name, size);
}

// Returns the quoted name of a joint for a warning, or "no parent" for MD5_NONE. Returns an empty
// text if warnings are only counted, because quoting the names of all joints takes long.
static md5_quoted quote_joint_for_warning(const md5_context *context, const md5_skeleton *skeleton,
                                          uint32_t joint)
{
    if (!context->warn)
        return (md5_quoted){""};
    if (joint == MD5_NONE)
        return (md5_quoted){"no parent"};
    return quote_name(skeleton->joints[joint].name);
}

// Returns true if `joint` is a descendant of `ancestor`.
static bool is_descendant(const branch *joint, const branch *ancestor)
{
    return joint->first > ancestor->first && joint->first - ancestor->first < ancestor->size;
}

// Decides which parent a joint follows during playback. The joint's parent in the animation is not
// its parent in the model. Stores the decision in *rebase. Before the call, rebase->above contains
// the joint's parent in the model. Returns the consequence as a text for the warning.
//
// Normally the joint follows its anchor. The anchor is the model joint that the nearest driving
// ancestor of the joint's track drives. If tracks between the joint and its anchor drive nothing,
// playback must compose them too. rebase->extra is then the first of them: `anim_parent`, the
// parent of the joint's track.
//
// The joint follows the hierarchy of the model in two cases: the anchor is not an ancestor of the
// joint in the model, or the walk takes too many steps. A joint may use STEPS_PER_JOINT steps, and
// a longer walk takes its steps from *shared_steps.
static const char *plan_joint(md5_rebase *rebase, const branch *branches,
                              const ancestry *track_ancestry, uint32_t anim_parent,
                              uint64_t *shared_steps)
{
    const branch *const joint = &branches[rebase->joint];
    const uint32_t anchor = track_ancestry->anchor;
    const uint32_t parent = rebase->above;
    const bool has_anchor = anchor != MD5_NONE;
    if (has_anchor && !is_descendant(joint, &branches[anchor]))
        return "the hierarchies contradict each other: using the hierarchy of the model";

    // Playback walks through the extra tracks. It also walks through the joints of the model, from
    // the joint up to the anchor.
    const uint32_t top_depth = has_anchor ? branches[anchor].depth + 1 : 0;
    const uint64_t num_steps = (uint64_t)track_ancestry->num_extra + (joint->depth - top_depth);
    if (num_steps > STEPS_PER_JOINT) {
        if (num_steps > *shared_steps)
            return "too many joints are in between: using the hierarchy of the model";
        *shared_steps -= num_steps;
    }

    rebase->above = anchor;
    rebase->extra = track_ancestry->num_extra > 0 ? anim_parent : MD5_NONE;
    if (anchor == parent)
        return "the joint follows the joints in between, which the model lacks";
    return "the joint follows the animation";
}

// Returns true if a joint needs no rebase. This is the case if neither the joint nor its track has
// a parent, or if the track's parent drives the joint's parent. `parent` is the joint's parent in
// the model, and `anim_parent` is the parent of its track.
static bool has_same_parent(uint32_t parent, uint32_t anim_parent, const uint32_t *targets)
{
    if (anim_parent == MD5_NONE)
        return parent == MD5_NONE;
    return parent != MD5_NONE && targets[anim_parent] == parent;
}

// Tables that only a binding with rebased joints needs, allocated in the arena.
typedef struct rebase_tables {
    const branch *branches;     // [model joints]
    const ancestry *ancestries; // [anim joints]
    md5_rebase *rebases;        // [model joints]; binding->num_rebases are used
    uint64_t shared_steps;      // remaining steps of long paths: see STEPS_PER_JOINT
} rebase_tables;

// Creates the tables of a binding with rebased joints. Returns false and sets the context's error
// if memory runs out.
static bool create_rebase_tables(md5_arena *arena, const uint32_t *targets,
                                 const md5_binding *binding, rebase_tables *tables)
{
    const md5_skeleton *const model = binding->skeleton;
    const md5_skeleton *const anim = &binding->anim->skeleton;
    tables->branches = find_branches(arena, model);
    tables->ancestries = find_ancestries(arena, anim, targets);
    tables->rebases = MD5_ALLOC_ZEROED(arena, md5_rebase, model->num_joints);
    tables->shared_steps = STEPS_PER_JOINT * ((uint64_t)model->num_joints + anim->num_joints);
    return tables->branches && tables->ancestries && tables->rebases;
}

// Lists the joints whose parents differ between the model and the animation, and warns about each.
// Parents are listed before their children. The list is in the arena. Returns false and sets the
// context's error if memory runs out.
static bool plan_rebases(md5_arena *arena, const uint32_t *targets, md5_binding *binding)
{
    const md5_skeleton *const model = binding->skeleton;
    const md5_skeleton *const anim = &binding->anim->skeleton;
    rebase_tables tables = {.rebases = NULL};

    for (uint32_t i = 0; i < model->num_joints; i++) {
        const uint32_t joint = model->order[i];
        const uint32_t track = binding->tracks[joint];
        if (track == MD5_NONE)
            continue;

        const uint32_t parent = model->joints[joint].parent;
        const uint32_t anim_parent = anim->joints[track].parent;
        if (has_same_parent(parent, anim_parent, targets)) // most joints need no rebase
            continue;

        // Create the tables only now, because most bindings do not need them.
        if (!tables.rebases) {
            TRY(create_rebase_tables(arena, targets, binding, &tables));
            binding->internal.rebases = tables.rebases;
        }

        md5_rebase *const rebase = &tables.rebases[binding->num_rebases++];
        *rebase = (md5_rebase){.joint = joint, .extra = MD5_NONE, .above = parent};
        const char *consequence = plan_joint(rebase, tables.branches, &tables.ancestries[track],
                                             anim_parent, &tables.shared_steps);
        (void)consequence; // the small form of the library has no warnings

        md5i_warn(arena->context, 0, 0,
                  "parent of joint %s differs: %s in the animation, %s in the model; %s",
                  quote_joint_for_warning(arena->context, model, joint).text,
                  quote_joint_for_warning(arena->context, anim, anim_parent).text,
                  quote_joint_for_warning(arena->context, model, parent).text, consequence);
    }
    return true;
}

// == Bindings ====================================================================================

// A list of names for a message.
typedef struct name_list {
    char text[128];
} name_list;

// Returns the quoted names of joints without a match, separated by commas. Omits the names that do
// not fit. matches[joints] contains the matching joint of the other skeleton, or MD5_NONE.
static name_list list_unmatched(const md5_skeleton *skeleton, const uint32_t *matches)
{
    name_list names = {""};
    size_t length = 0;
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        if (matches[joint] != MD5_NONE)
            continue;
        const md5_quoted name = quote_name(skeleton->joints[joint].name);
        const bool fits = length + strlen(name.text) + sizeof ", " <= sizeof names.text;
        if (!fits)
            break;
        length += (size_t)snprintf(names.text + length, sizeof names.text - length, "%s%s",
                                   length > 0 ? ", " : "", name.text);
    }
    return names;
}

// Reports that too few joints of a skeleton have a match, and returns false. The message names some
// of the joints that lack one. `is_model` is true if `skeleton` belongs to the model, and false if
// it belongs to the animation.
static bool fail_too_few_matches(md5_context *context, const md5_skeleton *skeleton,
                                 const uint32_t *matches, uint32_t num_matched, bool is_model)
{
    const name_list missing = list_unmatched(skeleton, matches);
    const char *const kind = is_model ? "model" : "animation";
    const char *const missing_kind = is_model ? "animation" : "model";
    return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                    "too few common joints: %u of %u joints of the %s are in the %s, expected at "
                    "least half; set 'allow_partial_binding' to allow it; missing: %s",
                    num_matched, skeleton->num_joints, kind, missing_kind, missing.text);
}

// Reports that a model and an animation have no joint names in common, and returns false.
static bool fail_no_matches(md5_context *context, const md5_skeleton *model,
                            const md5_skeleton *anim)
{
    if (model->num_joints == 0 || anim->num_joints == 0)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH, "%s has no joints: expected at least 1",
                        model->num_joints == 0 ? "model" : "animation");
    return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                    "animation and model have no common joint names: joint 0 is %s "
                    "in the model, %s in the animation",
                    quote_name(model->joints[0].name).text, quote_name(anim->joints[0].name).text);
}

// Returns true if track k drives joint k for all joints of the model.
static bool has_same_order(const md5_binding *binding)
{
    for (uint32_t joint = 0; joint < binding->skeleton->num_joints; joint++) {
        if (binding->tracks[joint] != joint)
            return false;
    }
    return true;
}

// Counts the joints without a match in the binding, and warns about each. targets[anim joints]
// contains the model joint that each animation joint drives, or MD5_NONE.
static void report_unmatched(md5_context *context, const uint32_t *targets, md5_binding *binding)
{
    const md5_skeleton *const model = binding->skeleton;
    const md5_skeleton *const anim = &binding->anim->skeleton;
    (void)context; // the small form of the library has no warnings

    for (uint32_t joint = 0; joint < model->num_joints; joint++) {
        if (binding->tracks[joint] != MD5_NONE)
            continue;
        binding->num_missing++;
        md5i_warn(context, 0, 0,
                  "joint %u %s of the model is missing in the animation: it keeps its bind pose",
                  joint, quote_joint_for_warning(context, model, joint).text);
    }

    for (uint32_t joint = 0; joint < anim->num_joints; joint++) {
        if (targets[joint] != MD5_NONE)
            continue;
        binding->num_extra++;
        md5i_warn(context, 0, 0,
                  "joint %u %s of the animation is missing in the model: it is ignored", joint,
                  quote_joint_for_warning(context, anim, joint).text);
    }
}

// Checks that enough joints have a match. A partial binding needs one match, if the options allow
// it. Otherwise half of the joints of the model and half of the joints of the animation need one. A
// smaller number suggests that the clip belongs to another model.
static bool check_num_matches(md5_context *context, const md5_binding *binding,
                              const uint32_t *targets)
{
    const md5_skeleton *const model = binding->skeleton;
    const md5_skeleton *const anim = &binding->anim->skeleton;
    uint32_t num_driven = 0;
    for (uint32_t joint = 0; joint < model->num_joints; joint++) {
        if (binding->tracks[joint] != MD5_NONE)
            num_driven++;
    }

    if (num_driven == 0)
        return fail_no_matches(context, model, anim);
    if (context->allow_partial_binding)
        return true;
    if (num_driven < model->num_joints - num_driven)
        return fail_too_few_matches(context, model, binding->tracks, num_driven, true);
    if (num_driven < anim->num_joints - num_driven)
        return fail_too_few_matches(context, anim, targets, num_driven, false);
    return true;
}

// Matches the joints of binding->skeleton and binding->anim by name. Sets the counts of the binding
// and its arrays. The arrays are temporary, in the arena, because the size of the binding's block
// is not known yet.
static bool match_skeletons(md5_arena *arena, md5_binding *binding)
{
    const md5_skeleton *const model = binding->skeleton;
    const md5_skeleton *const anim = &binding->anim->skeleton;
    md5_context *const context = arena->context;
    if (model->axes != anim->axes || md5_skeleton_scale(model) != md5_skeleton_scale(anim))
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "axes or scale differ: animation has axes %d and scale %g, model has axes "
                        "%d and scale %g; load both with the same options",
                        (int)anim->axes, md5_skeleton_scale(anim), (int)model->axes,
                        md5_skeleton_scale(model));

    uint32_t *const tracks =
        MD5_ALLOC_ZEROED(arena, uint32_t, (size_t)model->num_joints + anim->num_joints);
    TRY(tracks);
    uint32_t *const targets = tracks + model->num_joints;
    TRY(md5i_match_joints(arena, model, anim, tracks, targets));
    binding->tracks = tracks;

    TRY(check_num_matches(context, binding, targets));
    binding->same_order = has_same_order(binding);
    report_unmatched(context, targets, binding);
    if (binding->anim->parents_unknown)
        return true;
    return plan_rebases(arena, targets, binding);
}

// Starts a binding: matches joints and tracks by name. The results are in the arena of the job, for
// the next steps. Returns false and sets the error if too few names match or memory runs out.
bool md5i_begin_binding(md5_binding_job *job, const md5_binding *parts, const md5_load_opts *opts,
                        md5_error *error)
{
    *job = (md5_binding_job){.draft = *parts};
    md5i_context_begin(&job->context, opts, opts ? opts->file_name : NULL, error);
    job->arena.context = &job->context;
    if (!match_skeletons(&job->arena, &job->draft)) {
        md5i_arena_free(&job->arena);
        return false;
    }
    return true;
}

// Allocates the parts of the binding in its block, and copies the results of match_skeletons() to
// them. This function is called twice, first to measure the block. All parts are then NULL.
void md5i_lay_out_binding(md5_binding_job *job)
{
    const md5_binding *const draft = &job->draft;
    const md5_anim *const anim = draft->anim;
    md5_block *const block = &job->block;
    const size_t num_tracks = draft->skeleton->num_joints;
    const size_t num_targets = anim->skeleton.num_joints;
    const size_t num_integers = 3 * num_tracks + anim->num_rotations + anim->num_translations;
    job->binding = MD5_BLOCK_COPY(block, md5_binding, draft, 1);
    job->tracks = MD5_BLOCK_COPY(block, uint32_t, draft->tracks, num_tracks + num_targets);
    job->rebases = MD5_BLOCK_COPY(block, md5_rebase, draft->internal.rebases, draft->num_rebases);
    job->plan = MD5_BLOCK_ARRAY(block, md5_pose_plan, 1);
    job->integers = MD5_BLOCK_ARRAY(block, uint32_t, num_integers);
}

bool md5i_allocate_binding(md5_binding_job *job)
{
    return md5i_block_end_measuring(&job->context, &job->block);
}

// Fills the binding. The block must have been allocated and laid out.
void md5i_fill_binding(md5_binding_job *job)
{
    md5_binding *const binding = job->binding;
    binding->tracks = job->tracks;
    binding->internal.rebases = job->rebases;
    binding->internal.plan = job->plan;
    binding->size = job->block.used;
    binding->internal.allocator = job->context.allocator;
    binding->internal.tag = MD5_TAG_BINDING;
    build_plan(binding->skeleton, binding->anim, job->tracks + binding->skeleton->num_joints,
               job->plan, job->integers);
}

md5_binding *md5i_end_binding(md5_binding_job *job)
{
    md5i_arena_free(&job->arena);
    return job->block.base ? job->binding : NULL;
}

void md5_free_binding(md5_binding *binding)
{
    MD5_FREE(binding, MD5_TAG_BINDING);
}
