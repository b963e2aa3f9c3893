// Rotates the joint axes of a clip to the joint axes of its model. axes.h describes why they
// differ.
#include "md5/edit/axes.h"
#include "md5/edit/repair.h"

typedef struct axes_edit {
    const md5_skeleton *skeleton; // skeleton of the animation
    md5_quat *rotations;          // [num_joints] from the animation's axes to the model's axes
} axes_edit;

// Rotates the axes of all joints of a pose. This is the function md5_frame_edit.change. A transform
// relative to the parent maps the axes of the joint to the axes of the parent. Therefore it is
// multiplied from the left by the rotation of the parent's axes. From the right it is multiplied by
// the inverse rotation of the joint's own axes.
static void rotate_axes(void *user, md5_xform *pose)
{
    const axes_edit *const edit = (const axes_edit *)user;
    for (uint32_t j = 0; j < edit->skeleton->num_joints; j++) {
        const uint32_t parent = edit->skeleton->joints[j].parent;
        const md5_quat parent_rotation =
            parent != MD5_NONE ? edit->rotations[parent] : (md5_quat){.w = 1};
        const md5_quat back = md5_quat_conjugate(edit->rotations[j]);
        pose[j].translation = md5_quat_rotate(parent_rotation, pose[j].translation);
        pose[j].rotation = md5_quat_mul(md5_quat_mul(parent_rotation, pose[j].rotation), back);
    }
}

// Finds the rotations of the joints of an animation. Joints that the model does not have are not
// rotated. Returns false if no joint is rotated, or after an error.
static bool find_rotations(md5_repair *repair, const md5_model *model, axes_edit *edit,
                           md5_clip_axes *axes)
{
    const uint32_t num_joints = repair->anim->skeleton.num_joints;
    edit->skeleton = &repair->anim->skeleton;
    edit->rotations = MD5_ALLOC_ARRAY(&repair->scratch, md5_quat, num_joints);
    TRY(edit->rotations);
    TRY(md5i_find_axes(&repair->scratch, repair->binding, axes));
    if (axes->num_rotated == 0)
        return false;

    // A joint that the model does not have keeps the identity, so it is not changed.
    for (uint32_t j = 0; j < num_joints; j++)
        edit->rotations[j] = (md5_quat){.w = 1};
    for (uint32_t j = 0; j < model->skeleton.num_joints; j++) {
        const uint32_t track = repair->binding->tracks[j];
        if (track != MD5_NONE)
            edit->rotations[track] = axes->rotations[j];
    }
    return true;
}

// Rotates the axes of an animation's joints to the axes of the model's joints. Sets *max_angle to
// the largest angle between a bone of the animation and the same bone of the model, in degrees.
// Returns the number of changed joints, or MD5_NONE after a failure.
uint32_t md5_fix_axes(md5_doc *doc, const md5_model *model, float *max_angle, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);

    md5_repair repair;
    md5_clip_axes axes = {0};
    axes_edit edit = {.skeleton = NULL};
    if (max_angle)
        *max_angle = 0;
    const bool is_valid =
        md5i_begin_clip(&repair, doc, model, error) && !repair.anim->parents_unknown;
    if (!is_valid || !find_rotations(&repair, model, &edit, &axes))
        return md5i_end_repair(&repair, doc, 0);

    if (max_angle)
        *max_angle = axes.max_angle;
    const md5_frame_edit frames = {.change = rotate_axes, .user = &edit};
    const uint32_t count = md5_edit_frames(doc, &frames, error);
    // md5_edit_frames() has changed the document's memory. md5i_end_repair() would replace it by
    // the older arena. Therefore the memory of the repair is freed here instead.
    md5i_arena_free(&repair.scratch);
    md5_free_binding(repair.binding);
    md5_free_anim(repair.anim);
    return count;
}
