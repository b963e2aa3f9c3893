// Root motion is the motion of a character along the ground, such as walking. Games read it from
// joint 0, but some programs store it in another joint, such as the hips. md5_find_root_motion()
// finds that joint, and md5_edit_root() moves the root motion to joint 0. Both compare the
// positions of joints in model space.
#include "md5/edit/repair.h"

// Returns the transform of a joint in model space.
static md5_xform model_transform(const md5_skeleton *skeleton, const md5_xform *pose,
                                 uint32_t joint)
{
    md5_xform result = pose[joint];
    for (uint32_t j = skeleton->joints[joint].parent; j != MD5_NONE; j = skeleton->joints[j].parent)
        result = md5_xform_mul(pose[j], result);
    return result;
}

// An edit that moves root motion from another joint to joint 0, and the poses that it starts from.
// Positions and rotations are in model space.
typedef struct root_motion_edit {
    const md5_root_edit *edit;
    const md5_skeleton *skeleton;
    uint32_t joint;       // the joint that contains the motion
    md5_xform first;      // transform of the joint in the first frame, model space
    md5_xform first_root; // transform of joint 0 in the first frame
} root_motion_edit;

// Returns the part of a rotation that is a rotation about z.
static md5_quat heading(md5_quat rotation)
{
    const md5_quat identity = {0, 0, 0, 1};
    return md5_quat_normalize((md5_quat){0, 0, rotation.z, rotation.w}, identity);
}

// Returns the transform that joint 0 gets in a frame. `root` is its transform in the document.
// `joint` is the transform of the joint that contains the motion. Joint 0 keeps the offset from
// that joint that it has in the first frame.
static md5_xform edited_root(const root_motion_edit *motion, md5_xform root, md5_xform joint)
{
    md5_xform result = root;
    const md5_vec3 first_offset =
        md5_vec3_sub(motion->first_root.translation, motion->first.translation);
    md5_vec3 offset = first_offset;
    if (motion->edit->moves_heading) {
        const md5_quat first_to_joint =
            md5_quat_mul(joint.rotation, md5_quat_conjugate(motion->first.rotation));
        const md5_quat rotation = heading(first_to_joint);
        result.rotation = md5_quat_mul(rotation, motion->first_root.rotation);
        offset = md5_quat_rotate(rotation, first_offset);
    }
    const md5_vec3 target = md5_vec3_add(joint.translation, offset);
    result.translation.x = target.x;
    result.translation.y = target.y;
    if (motion->edit->moves_height)
        result.translation.z = target.z;
    return result;
}

// Moves the root motion of a pose to joint 0. This is the function md5_frame_edit.change. The
// children of joint 0 move in the opposite direction, so that they stay where they are in model
// space.
static void move_root_motion(void *user, md5_xform *pose)
{
    const root_motion_edit *const motion = (const root_motion_edit *)user;
    const md5_xform joint = model_transform(motion->skeleton, pose, motion->joint);
    const md5_xform root = edited_root(motion, pose[0], joint);
    const md5_xform correction = md5_xform_mul(md5_xform_inverse(root), pose[0]);
    for (uint32_t j = 1; j < motion->skeleton->num_joints; j++) {
        if (motion->skeleton->joints[j].parent == 0)
            pose[j] = md5_xform_mul(correction, pose[j]);
    }
    pose[0] = root;
}

// Returns the root of a joint's hierarchy.
static uint32_t find_root(const md5_skeleton *skeleton, uint32_t joint)
{
    uint32_t root = joint;
    while (skeleton->joints[root].parent != MD5_NONE)
        root = skeleton->joints[root].parent;
    return root;
}

// Finds the joint of the edit, which must be a descendant of joint 0. Also finds the transforms of
// both joints in the first frame. md5i_begin_clip() must have succeeded.
static bool find_motion_joint(md5_repair *repair, const md5_doc *doc, root_motion_edit *motion)
{
    const char *const name = motion->edit->joint;
    const md5_skeleton *const skeleton = &repair->anim->skeleton;
    motion->joint = md5_find_joint(skeleton, name);
    if (doc->parents_unknown)
        return MD5_FAIL(&repair->context, MD5_ERROR_MISMATCH,
                        "cannot move the root motion: a clip of MD5 version 6 does not store the "
                        "parents of joints; add the parents of its mesh");
    if (motion->joint == MD5_NONE)
        return MD5_FAIL(
            &repair->context, MD5_ERROR_MISMATCH,
            "joint '%.100s' not found: expected the joint that contains the root motion", name);
    if (motion->joint == 0)
        return MD5_FAIL(&repair->context, MD5_ERROR_MISMATCH,
                        "joint '%.100s' is the root (joint 0): expected a descendant of the root; "
                        "add a root above it first",
                        name);
    if (find_root(skeleton, motion->joint) != 0)
        return MD5_FAIL(&repair->context, MD5_ERROR_MISMATCH,
                        "joint '%.100s' is in another hierarchy: expected a descendant of joint 0",
                        name);

    const md5_sample_position first = md5_sample_position_from_frames(repair->anim, 0, 0, 0);
    md5_sample(repair->binding, first, MD5_ROOT_FILE, repair->pose);
    motion->first = model_transform(skeleton, repair->pose, motion->joint);
    motion->first_root = repair->pose[0];
    return true;
}

// Moves root motion from a joint, such as the hips, to joint 0, where games look for it. Returns
// the number of changed joints, or MD5_NONE after a failure.
uint32_t md5_edit_root(md5_doc *doc, const md5_root_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_RESERVED(edit);
    if (!edit->joint)
        return 0;

    md5_repair repair;
    root_motion_edit motion = {.edit = edit};
    if (!md5i_begin_clip(&repair, doc, NULL, error) || !find_motion_joint(&repair, doc, &motion))
        return md5i_end_repair(&repair, doc, 0);

    // md5_edit_frames() moves the bounding boxes with joint 0. But this edit does not change where
    // the vertices are. Therefore the original boxes are restored afterwards.
    md5_bounds *const bounds = doc->bounds;
    motion.skeleton = &repair.anim->skeleton;
    const md5_frame_edit frames = {.change = move_root_motion, .user = &motion};
    const uint32_t count = md5_edit_frames(doc, &frames, error);
    doc->bounds = bounds;
    // md5_edit_frames() has changed the document's memory. md5i_end_repair() would replace it by
    // the older arena. Therefore the memory of the repair is freed here instead.
    md5i_arena_free(&repair.scratch);
    md5_free_binding(repair.binding);
    md5_free_anim(repair.anim);
    return count;
}

// Writes the transforms of all joints in a frame, in model space.
static void pose_in_model_space(const md5_binding *binding, const md5_anim *anim, uint32_t frame,
                                md5_xform *pose)
{
    const md5_skeleton *const skeleton = binding->skeleton;
    md5_sample(binding, md5_sample_position_from_frames(anim, frame, frame, 0), MD5_ROOT_FILE,
               pose);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t j = skeleton->order[i];
        const uint32_t parent = skeleton->joints[j].parent;
        if (parent != MD5_NONE)
            pose[j] = md5_xform_mul(pose[parent], pose[j]);
    }
}

// Returns the length of a vector along x and y.
static float level_length(md5_vec3 v)
{
    return sqrtf(v.x * v.x + v.y * v.y);
}

// Adds to subtree_sizes[joints] the number of joints that each joint moves, which are the joint
// itself and its descendants. The array must be zeroed.
static void count_subtrees(const md5_skeleton *skeleton, uint32_t *subtree_sizes)
{
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // children before their parents
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        subtree_sizes[joint]++;
        if (parent != MD5_NONE)
            subtree_sizes[parent] += subtree_sizes[joint];
    }
}

// Returns the length of the diagonal of the bounding box of all joints, in model space.
static float figure_size(const md5_xform *joints, uint32_t num_joints)
{
    md5_bounds box = {joints[0].translation, joints[0].translation};
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_vec3 position = joints[i].translation;
        box = md5_bounds_union(box, (md5_bounds){position, position});
    }
    return md5_vec3_length(md5_vec3_sub(box.max, box.min));
}

// Returns the joint that carries the root motion, and its displacement. It is the topmost joint
// with four properties: it moves far along the ground, moves most joints with it, does not fall,
// and does not just follow joint 0. `first` and `last` are the joints in model space in the first
// and the last frame. subtree_sizes[joints] is a buffer that must be zeroed.
static md5_root_motion select_motion_joint(const md5_skeleton *skeleton, const md5_xform *first,
                                           const md5_xform *last, uint32_t *subtree_sizes)
{
    static const float min_displacement = 0.2f; // along the ground, as a fraction of figure_size()
    // Limits as fractions of the joint's displacement along the ground.
    static const float max_fall = 0.5f;       // displacement along z
    static const float max_root_part = 0.25f; // displacement of joint 0
    const uint32_t num_joints = skeleton->num_joints;
    count_subtrees(skeleton, subtree_sizes);

    const float min_length = min_displacement * figure_size(first, num_joints);
    const float root_length = level_length(md5_vec3_sub(last[0].translation, first[0].translation));
    if (!(min_length > 0))
        return (md5_root_motion){.joint = MD5_NONE};
    for (uint32_t i = 0; i < num_joints; i++) {
        const uint32_t j = skeleton->order[i];
        const md5_vec3 displacement = md5_vec3_sub(last[j].translation, first[j].translation);
        const float length = level_length(displacement);
        const bool moves_most_joints = subtree_sizes[j] >= num_joints - num_joints / 2;
        if (length <= min_length || !moves_most_joints)
            continue;
        const bool is_fall = fabsf(displacement.z) > max_fall * length;
        const bool follows_root = j != 0 && root_length > max_root_part * length;
        if (!is_fall && !follows_root)
            return (md5_root_motion){j, displacement, first[j].translation.z};
    }
    return (md5_root_motion){.joint = MD5_NONE};
}

// Returns the joint that carries the root motion of a clip. Compares the first and the last frame.
// The joint is MD5_NONE if the clip does not move along the ground.
md5_root_motion md5_find_root_motion(const md5_anim *anim)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);

    const uint32_t num_joints = anim->skeleton.num_joints;
    md5_root_motion motion = {.joint = MD5_NONE};
    if (anim->num_frames < 2 || anim->parents_unknown)
        return motion;

    md5_context context;
    md5i_context_begin_memory(&context, (md5_allocator){0}, NULL);
    md5_arena scratch = {.context = &context};
    md5_xform *const first = MD5_ALLOC_ARRAY(&scratch, md5_xform, num_joints);
    md5_xform *const last = MD5_ALLOC_ARRAY(&scratch, md5_xform, num_joints);
    uint32_t *const subtree_sizes = MD5_ALLOC_ZEROED(&scratch, uint32_t, num_joints);
    md5_binding *const binding =
        md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, NULL, NULL);
    if (first && last && subtree_sizes && binding) {
        pose_in_model_space(binding, anim, 0, first);
        pose_in_model_space(binding, anim, anim->num_frames - 1, last);
        motion = select_motion_joint(&anim->skeleton, first, last, subtree_sizes);
    }
    md5_free_binding(binding);
    md5i_arena_free(&scratch);
    return motion;
}
