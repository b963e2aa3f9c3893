// Transfers poses of one model to another with other proportions.
#include "md5/core/arena.h"
#include "md5/core/assert.h"
#include "md5/core/names.h"
#include "md5/core/math.h"
#include "md5/md5pose.h"
#include "md5/motion/space.h"

#include <string.h>

// The source of one target joint.
typedef struct joint_link {
    int32_t source; // source joint; -1: none
    bool is_placed; // its model-space position is transferred, else its translation
    // Model-space rotation of the target = that of the source * this.
    md5_quat to_target;
    // From the source's parent's bind pose to that of the target's parent.
    md5_quat frame;
} joint_link;

struct md5_retarget {
    const md5_model *source, *target;
    float ratio; // of the heights of the pelvis: target / source
    size_t size;
    md5_allocator allocator;
    joint_link links[]; // [target joints]
};

static md5_vec3 bind_place(const md5_model *model, int32_t joint)
{
    return md5_mat34_translation(model->bind[joint]);
}

// == Creation ====================================================================================
//
// Prepares transferring poses of one model to another with other proportions.
//
// The rotation of a joint in model space, relative to its bind pose, is transferred, so local axes
// may differ. Bones keep the target's lengths. The position of the body is transferred by that of
// the pelvis, scaled by the ratio of the legs. Everything that does not depend on
// the pose is computed at creation.

// A joint lower than this share of its skeleton's size is on the ground.
#define ON_GROUND 0.01f

// Temporary data while a retarget is created, in the arena.
typedef struct making {
    md5_arena arena;
    const md5_model *source, *target;
    int32_t *sources;            // [target joints] -1: none
    int32_t *targets;            // [source joints] by equal name
    bool *is_named, *is_aligned; // [target joints] by a pair
    md5_quat *source_bind;       // [source joints] model space
    md5_quat *target_bind;       // [target joints] model space, aligned
    uint32_t pelvis;             // joint of the target, or num_joints
} making;

static md5_quoted quote(const char *name)
{
    return md5i_quote(name, strlen(name));
}

// -- Mapping of joints ----------------------------------------------------------------------

// Finds a joint of a pair by its name; true with MD5_NONE if the pair names none.
static bool look_up(making *make, const md5_model *model, const char *which, const char *name,
                    uint32_t pair, uint32_t *joint)
{
    *joint = md5_find_joint(&model->skeleton, name);
    if (name && *joint == MD5_NONE)
        return md5i_fail(make->arena.context, MD5_ERROR_MISMATCH, 0, 0,
                         "pair %u: the %s has no joint %s", pair, which, quote(name).text);
    return true;
}

static bool choose_sources(making *make, const md5_joint_pair *pairs, uint32_t num_pairs)
{
    const md5_skeleton *const target = &make->target->skeleton;
    TRY(md5i_match_joints(&make->arena, target, &make->source->skeleton, make->sources,
                          make->targets));
    // A source joint that is named in a pair no longer drives the target joint of equal name.
    for (uint32_t i = 0; i < num_pairs; i++) {
        const uint32_t named = md5_find_joint(&make->source->skeleton, pairs[i].source);
        if (named != MD5_NONE && make->targets[named] >= 0)
            make->sources[make->targets[named]] = -1;
    }
    for (uint32_t i = 0; i < num_pairs; i++) {
        const md5_joint_pair *const pair = &pairs[i];
        uint32_t from, to;
        TRY(look_up(make, make->source, "source", pair->source, i, &from));
        TRY(look_up(make, make->target, "target", pair->target, i, &to));
        if (to == MD5_NONE)
            continue;
        if (make->is_named[to])
            return md5i_fail(make->arena.context, MD5_ERROR_MISMATCH, 0, 0,
                             "pair %u: joint %s of the target is in two pairs", i,
                             quote(pair->target).text);
        make->is_named[to] = true;
        make->is_aligned[to] = pair->align && from != MD5_NONE;
        make->sources[to] = (int32_t)from;
    }
    uint32_t num_driven = 0;
    for (uint32_t joint = 0; joint < target->num_joints; joint++)
        num_driven += make->sources[joint] >= 0;
    if (num_driven == 0)
        return md5i_fail(make->arena.context, MD5_ERROR_MISMATCH, 0, 0,
                         "no source joint matches a target joint");
    for (uint32_t joint = 0; joint < target->num_joints; joint++) {
        if (make->sources[joint] < 0)
            md5i_warn(make->arena.context, 0, 0,
                      "joint %u %s of the target has no source joint and keeps its bind pose",
                      joint, quote(target->joints[joint].name).text);
    }
    return true;
}

// -- Bind poses -----------------------------------------------------------------------------

static void find_bind_rotations(const md5_model *model, md5_quat *rotations)
{
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        const uint32_t joint = model->skeleton.order[i];
        const int32_t parent = model->skeleton.joints[joint].parent;
        const md5_quat local = model->bind_local[joint].rotation;
        rotations[joint] =
            parent < 0 ? local : md5_quat_trim(md5_quat_mul(rotations[parent], local));
    }
}

// Rotates the target's bind pose from each aligned joint downward, so that the bone to its first
// driven child has the direction of the source's bone.
static bool align_bind_pose(making *make)
{
    const md5_skeleton *const target = &make->target->skeleton;
    int32_t *const first_child =
        (int32_t *)md5i_arena_alloc(&make->arena, target->num_joints, sizeof *first_child);
    md5_quat *const turns =
        (md5_quat *)md5i_arena_alloc(&make->arena, target->num_joints, sizeof *turns);
    TRY(first_child && turns);
    for (uint32_t joint = 0; joint < target->num_joints; joint++)
        first_child[joint] = -1;
    for (uint32_t i = target->num_joints; i-- > 0;) {
        const uint32_t joint = target->order[i];
        const int32_t parent = target->joints[joint].parent;
        if (parent >= 0 && make->sources[joint] >= 0)
            first_child[parent] = (int32_t)joint;
    }
    for (uint32_t i = 0; i < target->num_joints; i++) {
        const uint32_t joint = target->order[i];
        const int32_t parent = target->joints[joint].parent;
        const int32_t child = first_child[joint];
        turns[joint] = parent < 0 ? MD5_NO_TURN : turns[parent];
        if (make->is_aligned[joint] && child >= 0) {
            const md5_vec3 own = md5_vec3_sub(bind_place(make->target, child),
                                              bind_place(make->target, (int32_t)joint));
            const md5_vec3 bone = md5_vec3_sub(bind_place(make->source, make->sources[child]),
                                               bind_place(make->source, make->sources[joint]));
            const md5_vec3 from = md5_vec3_normalize(md5_quat_rotate(turns[joint], own),
                                                     (md5_vec3){1.0f, 0.0f, 0.0f});
            const md5_vec3 to = md5_vec3_normalize(bone, from);
            turns[joint] = md5_quat_trim(md5_quat_mul(md5_turn_between(from, to), turns[joint]));
        }
        make->target_bind[joint] = md5_quat_mul(turns[joint], make->target_bind[joint]);
    }
    return true;
}

static float height_of(const md5_model *model, int32_t joint)
{
    return md5i_vec3_from_axes(model->skeleton.axes, bind_place(model, joint)).z;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// The largest distance of a joint from the model's origin along an axis.
static float size_of(const md5_model *model)
{
    float size = 0.0f;
    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++) {
        const md5_vec3 at = bind_place(model, (int32_t)joint);
        size = larger(size, larger(fabsf(at.x), larger(fabsf(at.y), fabsf(at.z))));
    }
    return size;
}

// The first driven joint, parents first, that is above the ground in both bind poses.
static void find_pelvis(making *make)
{
    const md5_skeleton *const target = &make->target->skeleton;
    const float source_ground = ON_GROUND * size_of(make->source);
    const float target_ground = ON_GROUND * size_of(make->target);
    make->pelvis = target->num_joints;
    for (uint32_t i = 0; i < target->num_joints; i++) {
        const uint32_t joint = target->order[i];
        const int32_t source = make->sources[joint];
        if (source >= 0 && height_of(make->source, source) > source_ground
            && height_of(make->target, (int32_t)joint) > target_ground) {
            make->pelvis = joint;
            return;
        }
    }
}

// -- The block ------------------------------------------------------------------------------

static md5_quat parent_rotation(const md5_skeleton *skeleton, const md5_quat *rotations,
                                uint32_t joint)
{
    const int32_t parent = skeleton->joints[joint].parent;
    return parent < 0 ? MD5_NO_TURN : rotations[parent];
}

static void fill_links(const making *make, joint_link *links)
{
    const md5_skeleton *const source = &make->source->skeleton;
    const md5_skeleton *const target = &make->target->skeleton;
    for (uint32_t joint = 0; joint < target->num_joints; joint++) {
        joint_link *const link = &links[joint];
        *link = (joint_link){.source = make->sources[joint]};
        if (link->source < 0)
            continue;
        const uint32_t from = (uint32_t)link->source;
        link->is_placed = target->joints[joint].parent < 0 || source->joints[from].parent < 0;
        link->to_target =
            md5_quat_mul(md5_quat_conjugate(make->source_bind[from]), make->target_bind[joint]);
        const md5_quat above = parent_rotation(target, make->target_bind, joint);
        link->frame = md5_quat_mul(md5_quat_conjugate(above),
                                   parent_rotation(source, make->source_bind, from));
    }
    // The pelvis and its ancestors.
    int32_t joint = make->pelvis < target->num_joints ? (int32_t)make->pelvis : -1;
    for (; joint >= 0; joint = target->joints[joint].parent)
        links[joint].is_placed = true;
}

static md5_retarget *make_retarget(making *make, const md5_joint_pair *pairs, uint32_t num_pairs)
{
    const size_t num_source = make->source->skeleton.num_joints;
    const size_t num_target = make->target->skeleton.num_joints;
    md5_arena *const arena = &make->arena;
    make->sources = (int32_t *)md5i_arena_alloc(arena, num_target, sizeof *make->sources);
    make->targets = (int32_t *)md5i_arena_alloc(arena, num_source, sizeof *make->targets);
    make->is_named = (bool *)md5i_arena_alloc(arena, num_target, sizeof *make->is_named);
    make->is_aligned = (bool *)md5i_arena_alloc(arena, num_target, sizeof *make->is_aligned);
    make->source_bind = (md5_quat *)md5i_arena_alloc(arena, num_source, sizeof *make->source_bind);
    make->target_bind = (md5_quat *)md5i_arena_alloc(arena, num_target, sizeof *make->target_bind);
    if (!make->sources || !make->targets || !make->is_named || !make->is_aligned
        || !make->source_bind || !make->target_bind)
        return NULL;
    if (!choose_sources(make, pairs, num_pairs))
        return NULL;
    find_bind_rotations(make->source, make->source_bind);
    find_bind_rotations(make->target, make->target_bind);
    if (!align_bind_pose(make))
        return NULL;
    find_pelvis(make);

    const size_t size = sizeof(md5_retarget) + num_target * sizeof(joint_link);
    md5_retarget *const retarget = (md5_retarget *)md5i_alloc(arena->context, size);
    if (!retarget)
        return NULL;
    *retarget = (md5_retarget){
        .source = make->source,
        .target = make->target,
        .ratio = 1.0f,
        .size = size,
        .allocator = arena->context->allocator,
    };
    if (make->pelvis < num_target)
        retarget->ratio = height_of(make->target, (int32_t)make->pelvis)
                          / height_of(make->source, make->sources[make->pelvis]);
    fill_links(make, retarget->links);
    return retarget;
}

md5_retarget *md5_create_retarget(const md5_model *source, const md5_model *target,
                                  const md5_joint_pair *pairs, uint32_t num_pairs,
                                  const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT(source != NULL, "source: not NULL");
    MD5_ASSERT(target != NULL, "target: not NULL");
    MD5_ASSERT(pairs != NULL || num_pairs == 0, "pairs: not NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    making make = {.arena = {.context = &context}, .source = source, .target = target};
    md5_retarget *const retarget = make_retarget(&make, pairs, num_pairs);
    md5i_arena_free(&make.arena);
    return retarget;
}

void md5_destroy_retarget(md5_retarget *retarget)
{
    if (!retarget)
        return;
    const md5_allocator allocator = retarget->allocator;
    allocator.free(allocator.user, retarget, retarget->size);
}

// == Poses =======================================================================================

// The translation of other joints: that of the bind pose plus the difference of the source from its
// bind pose.
static md5_vec3 carried_translation(const md5_retarget *retarget, uint32_t joint,
                                    const md5_xform *source)
{
    const joint_link *const link = &retarget->links[joint];
    const md5_vec3 own = retarget->target->bind_local[joint].translation;
    if (link->source < 0)
        return own;
    const md5_vec3 from = retarget->source->bind_local[link->source].translation;
    const md5_vec3 moved = md5_vec3_sub(source[link->source].translation, from);
    return md5_vec3_add(own, md5_quat_rotate(link->frame, md5_vec3_scale(moved, retarget->ratio)));
}

// Writes the target's joints in model space.
static void place_target(const md5_retarget *retarget, const md5_xform *source,
                         const md5_xform *source_places, md5_xform *target)
{
    const md5_model *const model = retarget->target;
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        const uint32_t joint = model->skeleton.order[i];
        const int32_t parent = model->skeleton.joints[joint].parent;
        const joint_link *const link = &retarget->links[joint];
        md5_xform place = {
            .rotation = model->bind_local[joint].rotation,
            .translation = carried_translation(retarget, joint, source),
        };
        if (parent >= 0)
            place = md5_xform_mul(target[parent], place);
        if (link->source >= 0) {
            const md5_xform *const from = &source_places[link->source];
            place.rotation = md5_quat_mul(from->rotation, link->to_target);
            if (link->is_placed)
                place.translation = md5_vec3_add(
                    bind_place(model, (int32_t)joint),
                    md5_vec3_scale(
                        md5_vec3_sub(from->translation, bind_place(retarget->source, link->source)),
                        retarget->ratio));
        }
        place.rotation = md5_quat_trim(place.rotation);
        target[joint] = place;
    }
}

// Children before parents, so the parents are still in model space.
static void make_local(const md5_retarget *retarget, const md5_xform *source, md5_xform *target)
{
    const md5_model *const model = retarget->target;
    for (uint32_t i = model->skeleton.num_joints; i-- > 0;) {
        const uint32_t joint = model->skeleton.order[i];
        const int32_t parent = model->skeleton.joints[joint].parent;
        md5_xform local = target[joint];
        if (parent >= 0)
            local = md5_xform_mul(md5_xform_inverse(target[parent]), local);
        // Not through model space: bones keep their lengths to the last bit.
        if (!retarget->links[joint].is_placed)
            local.translation = carried_translation(retarget, joint, source);
        local.rotation = md5_quat_normalize(local.rotation, model->bind_local[joint].rotation);
        target[joint] = local;
    }
}

void md5_retarget_pose(const md5_retarget *retarget, const md5_xform *source, md5_xform *target,
                       md5_xform *scratch)
{
    MD5_ASSERT(retarget != NULL, "retarget: not NULL");
    MD5_ASSERT(source != NULL, "source: not NULL");
    MD5_ASSERT(scratch != NULL, "scratch: not NULL");
    MD5_ASSERT(target != NULL, "target: not NULL");
    MD5_ASSERT(md5_are_apart(source, retarget->source->skeleton.num_joints * sizeof *source,
                             scratch, retarget->source->skeleton.num_joints * sizeof *scratch),
               "source, scratch: must not overlap");
    MD5_ASSERT(md5_are_apart(source, retarget->source->skeleton.num_joints * sizeof *source, target,
                             retarget->target->skeleton.num_joints * sizeof *target),
               "source, target: must not overlap");
    MD5_ASSERT(md5_are_apart(scratch, retarget->source->skeleton.num_joints * sizeof *scratch,
                             target, retarget->target->skeleton.num_joints * sizeof *target),
               "scratch, target: must not overlap");
    md5i_place_joints(&retarget->source->skeleton, source, scratch);
    place_target(retarget, source, scratch, target);
    make_local(retarget, source, target);
}
