// Joints whose parent in the animation is not their parent in the model.
#include "md5/pose/binding.h"

#include "md5/core/math.h"

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
    int32_t anchor;
    uint32_t num_extra;
} ancestry;

static const branch *find_branches(md5_arena *arena, const md5_skeleton *skeleton)
{
    const size_t count = skeleton->num_joints;
    branch *branches = (branch *)md5i_arena_alloc(arena, count, sizeof *branches);
    uint32_t *next =
        (uint32_t *)md5i_arena_alloc(arena, count, sizeof *next); // where the next child begins
    if (!branches || !next)
        return NULL;

    for (size_t i = count; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        branches[joint].size++;
        if (parent >= 0)
            branches[parent].size += branches[joint].size;
    }
    uint32_t next_root = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        branch *const own = &branches[joint];
        uint32_t *const begin = parent < 0 ? &next_root : &next[parent];
        own->depth = parent < 0 ? 0 : branches[parent].depth + 1;
        own->first = *begin;
        *begin += own->size;
        next[joint] = own->first + 1;
    }
    return branches;
}

static const ancestry *find_ancestries(md5_arena *arena, const md5_skeleton *anim,
                                       const int32_t *targets)
{
    ancestry *ancestries =
        (ancestry *)md5i_arena_alloc(arena, anim->num_joints, sizeof *ancestries);
    if (!ancestries)
        return NULL;
    for (uint32_t i = 0; i < anim->num_joints; i++) {
        const uint32_t joint = anim->order[i];
        const int32_t parent = anim->joints[joint].parent;
        if (parent < 0)
            ancestries[joint] = (ancestry){.anchor = -1};
        else if (targets[parent] >= 0)
            ancestries[joint] = (ancestry){.anchor = targets[parent]};
        else
            ancestries[joint] = (ancestry){
                .anchor = ancestries[parent].anchor,
                .num_extra = ancestries[parent].num_extra + 1,
            };
    }
    return ancestries;
}

static bool is_ancestor(const branch *above, const branch *below)
{
    return below->first > above->first && below->first - above->first < above->size;
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

static md5_quoted quote_parent(const md5_skeleton *skeleton, int32_t joint)
{
    if (joint < 0)
        return (md5_quoted){"no joint"};
    return quote_name(skeleton->joints[joint].name);
}

static void warn_of_parent(md5_context *context, const md5_skeleton *model,
                           const md5_skeleton *anim, uint32_t joint, uint32_t track,
                           const char *consequence)
{
    md5i_warn(context, 0, 0, "joint %s is a child of %s in the animation, of %s in the model: %s",
              quote_name(model->joints[joint].name).text,
              quote_parent(anim, anim->joints[track].parent).text,
              quote_parent(model, model->joints[joint].parent).text, consequence);
}

// `shared` is the number of steps left for long walks; the joint's steps are subtracted.
static const char *plan_joint(md5_rebase *rebase, const branch *branches,
                              const ancestry *ancestry_of_track, int32_t extra, uint64_t *shared)
{
    const branch *own = &branches[rebase->joint];
    const int32_t anchor = ancestry_of_track->anchor;
    const int32_t parent = rebase->above;
    if (anchor >= 0 && !is_ancestor(&branches[anchor], own))
        return "the hierarchies contradict each other, the model's is used";

    const uint32_t top = anchor < 0 ? 0 : branches[anchor].depth + 1;
    const uint64_t wanted = (uint64_t)ancestry_of_track->num_extra + (own->depth - top);
    if (wanted > STEPS_PER_JOINT) {
        if (wanted > *shared)
            return "too many joints in between, the model's hierarchy is used";
        *shared -= wanted;
    }
    rebase->above = anchor;
    rebase->extra = ancestry_of_track->num_extra > 0 ? extra : -1;
    return anchor == parent ? "it moves with the joints in between, which are not in the model"
                            : "it follows the animation";
}

// Whether the joint's parent in the animation drives its parent in the model.
static bool parents_agree(const md5_skeleton *model, const md5_skeleton *anim,
                          const int32_t *tracks, const int32_t *targets, uint32_t joint)
{
    const int32_t parent = model->joints[joint].parent;
    const int32_t anim_parent = anim->joints[tracks[joint]].parent;
    return anim_parent < 0 ? parent < 0 : parent >= 0 && targets[anim_parent] == parent;
}

static bool all_parents_agree(const md5_skeleton *model, const md5_skeleton *anim,
                              const int32_t *tracks, const int32_t *targets)
{
    for (uint32_t joint = 0; joint < model->num_joints; joint++) {
        if (tracks[joint] >= 0 && !parents_agree(model, anim, tracks, targets, joint))
            return false;
    }
    return true;
}

bool md5i_plan_rebases(md5_arena *arena, const md5_skeleton *model, const md5_skeleton *anim,
                       const int32_t *tracks, const int32_t *targets, md5_rebase **rebases,
                       uint32_t *num_rebases)
{
    *rebases = NULL;
    *num_rebases = 0;
    if (all_parents_agree(model, anim, tracks, targets))
        return true;
    const branch *branches = find_branches(arena, model);
    const ancestry *ancestries = find_ancestries(arena, anim, targets);
    *rebases = (md5_rebase *)md5i_arena_alloc(arena, model->num_joints, sizeof **rebases);
    TRY(branches && ancestries && *rebases);

    uint64_t shared = STEPS_PER_JOINT * ((uint64_t)model->num_joints + anim->num_joints);
    for (uint32_t i = 0; i < model->num_joints; i++) {
        const uint32_t joint = model->order[i];
        const int32_t track = tracks[joint];
        if (track < 0 || parents_agree(model, anim, tracks, targets, joint))
            continue;
        const int32_t parent = model->joints[joint].parent;
        md5_rebase *rebase = &(*rebases)[(*num_rebases)++];
        *rebase = (md5_rebase){.joint = joint, .extra = -1, .above = parent};
        const char *consequence =
            plan_joint(rebase, branches, &ancestries[track], anim->joints[track].parent, &shared);
        warn_of_parent(arena->context, model, anim, joint, (uint32_t)track, consequence);
    }
    return true;
}
