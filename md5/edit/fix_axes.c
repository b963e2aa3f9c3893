// Rotates the axes of the joints of a clip to those of its model; axes.h describes why they differ.
#include "md5/edit/axes.h"
#include "md5/edit/repair.h"

typedef struct axes_edit {
    const md5_skeleton *skeleton; // of the animation
    md5_quat *rotations; // [num_joints] from the axes of the animation to those of the model
} axes_edit;

// Rotates the axes of all joints; md5_frame_edit.change.
static void rotate_axes(void *user, md5_xform *pose)
{
    const axes_edit *const it = (const axes_edit *)user;
    for (uint32_t j = 0; j < it->skeleton->num_joints; j++) {
        const uint32_t parent = it->skeleton->joints[j].parent;
        const md5_quat above = parent != MD5_NONE ? it->rotations[parent] : (md5_quat){.w = 1};
        const md5_quat back = md5_quat_conjugate(it->rotations[j]);
        pose[j].translation = md5_quat_rotate(above, pose[j].translation);
        pose[j].rotation = md5_quat_mul(md5_quat_mul(above, pose[j].rotation), back);
    }
}

uint32_t md5_fix_axes(md5_doc *doc, const md5_model *model, float *max_angle, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    md5_repair it;
    md5_clip_axes axes = {0};
    axes_edit edit = {.skeleton = NULL};
    uint32_t count = 0;
    if (max_angle)
        *max_angle = 0;
    if (md5i_begin_clip(&it, doc, model, error) && !it.anim->parents_unknown) {
        const uint32_t num_joints = it.anim->skeleton.num_joints;
        edit.skeleton = &it.anim->skeleton;
        edit.rotations = MD5_ALLOC_ARRAY(&it.scratch, md5_quat, num_joints);
        if (edit.rotations && md5i_find_axes(&it.scratch, it.binding, &axes)
            && axes.num_rotated > 0) {
            for (uint32_t j = 0; j < num_joints; j++)
                edit.rotations[j] = (md5_quat){.w = 1};
            for (uint32_t j = 0; j < model->skeleton.num_joints; j++)
                if (it.binding->tracks[j] != MD5_NONE)
                    edit.rotations[it.binding->tracks[j]] = axes.rotations[j];
        }
    }
    if (it.context.error.status != MD5_OK || axes.num_rotated == 0)
        return md5i_end_repair(&it, doc, 0);
    if (max_angle)
        *max_angle = axes.max_angle;
    const md5_frame_edit frames = {.change = rotate_axes, .user = &edit};
    count = md5_edit_frames(doc, &frames, error);
    // md5_edit_frames() has changed the document's memory, so md5i_end_repair() must not store the
    // older arena in the document.
    md5i_arena_free(&it.scratch);
    md5_free_binding(it.binding);
    md5_free_anim(it.anim);
    return count;
}
