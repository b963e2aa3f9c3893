// md5_bind() and md5_bind_skeleton(): create bindings. A binding connects a clip to a model. The
// clip may store frames or compressed keys. binding.c contains the steps that both functions share.
// The small form of the library (md5/small/) has its own version of this file.
#include "md5/pose/binding.h"
#include "md5/pose/packed.h"
#include "md5/pose/skeleton.h"

// The type of md5i_invert_bind_pose(), which computes the inverse matrices of a bind pose.
typedef bool invert_bind_pose(md5_arena *arena, const md5_skeleton *skeleton,
                              const md5_xform *bind_local, md5_mat34 *inverse);

// Creates a binding of a skeleton and an animation in one memory block. `invert` computes the
// inverse bind pose. It is NULL if a model already contains these matrices. It is a function
// pointer so that the linker can omit md5i_invert_bind_pose() from programs that call only
// md5_bind().
static md5_binding *bind_parts(const md5_binding *parts, const md5_load_opts *opts,
                               md5_error *error, invert_bind_pose *invert)
{
    md5_binding_job job;
    if (!md5i_begin_binding(&job, parts, opts, error))
        return NULL;

    const md5_packed *const packed = parts->anim->internal.packed;
    const md5_skeleton *const skeleton = parts->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    const uint32_t *const targets = job.draft.tracks + num_joints;
    const uint32_t num_groups = packed ? md5i_group_packed_tracks(packed, targets, NULL) : 0;
    md5_packed_group *groups = NULL;
    md5_mat34 *inverse_bind = NULL;

    // The first pass measures the block. The second pass gets the addresses of its arrays.
    for (uint32_t pass = 0; pass < 2; pass++) {
        md5i_lay_out_binding(&job);
        inverse_bind = MD5_BLOCK_ARRAY(&job.block, md5_mat34, invert ? num_joints : 0);
        groups = MD5_BLOCK_ARRAY(&job.block, md5_packed_group, num_groups);
        if (pass == 0 && !md5i_allocate_binding(&job))
            return md5i_end_binding(&job);
    }

    if (invert && !invert(&job.arena, skeleton, parts->bind_local, inverse_bind)) {
        md5i_free(&job.context, job.block.base, job.block.used);
        job.block.base = NULL;
        return md5i_end_binding(&job);
    }

    md5i_fill_binding(&job);
    if (invert)
        job.binding->inverse_bind = inverse_bind;
    if (packed) {
        job.plan->groups = groups;
        job.plan->num_groups = md5i_group_packed_tracks(packed, job.plan->driven, groups);
    }
    return md5i_end_binding(&job);
}

// Binds an animation to a model: matches their joints by name, and builds the tables that posing
// reads. The binding refers to both, so they must outlive it. Returns NULL and sets the error on
// failure.
md5_binding *md5_bind(const md5_model *model, const md5_anim *anim, const md5_load_opts *opts,
                      md5_error *error)
{
    MD5_ASSERT_OPTS(opts);

    if (!model) {
        md5i_fail_missing(error, "model");
        return NULL;
    }
    if (!anim) {
        md5i_fail_missing(error, "anim");
        return NULL;
    }

    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);

    const md5_binding parts = {
        .model = model,
        .skeleton = &model->skeleton,
        .bind_local = model->bind_local,
        .inverse_bind = model->inverse_bind,
        .anim = anim,
    };
    return bind_parts(&parts, opts, error, NULL);
}

#if !defined(NDEBUG)
// Returns true if skeleton->order lists every joint once and every parent before its children.
// Unlike md5i_is_ordered(), the function needs no memory, and therefore takes quadratic time. Only
// assertions call it, for skeletons that a program has created.
static bool is_ordered(const md5_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        if (joint >= skeleton->num_joints)
            return false;
        const uint32_t parent = skeleton->joints[joint].parent;
        bool is_after = parent == MD5_NONE;
        for (uint32_t k = 0; k < i; k++) {
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

// Binds an animation to a skeleton with the bind pose `bind_local`, without a model. The binding
// contains the inverse bind pose, computed from `bind_local`.
md5_binding *md5_bind_skeleton(const md5_skeleton *skeleton, const md5_xform *bind_local,
                               const md5_anim *anim, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_PART(skeleton, joints);
    MD5_ASSERT_NULL_OR_ALIVE(anim, MD5_TAG_ANIM);
    if (!skeleton) {
        md5i_fail_missing(error, "skeleton");
        return NULL;
    }
    if (!anim) {
        md5i_fail_missing(error, "anim");
        return NULL;
    }
    MD5_ASSERT_ARRAY(bind_local, skeleton->num_joints);
    MD5_ASSERT_OPTS(opts);
    MD5_VALIDATE(is_ordered(skeleton), "skeleton: order must list every joint once, parents first");
    const md5_binding parts = {.skeleton = skeleton, .bind_local = bind_local, .anim = anim};
    return bind_parts(&parts, opts, error, md5i_invert_bind_pose);
}
