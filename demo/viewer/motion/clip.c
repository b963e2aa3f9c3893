// Two kinds of motion: the shown clip, and the bind pose. Also contains the rotations by 90
// degrees, which all kinds of motion use.
#include "demo/viewer/motion/motion.h"

#include "demo/viewer/base/math.h"

// -- Rotation by 90 degrees ----------------------------------------------------------------------

static const md5_mat34 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

// Multiplies the rotation by a rotation of 90 degrees about an axis. The elements of the matrices
// are -1, 0 and 1, so that four such rotations give exactly the identity.
view_rotation view_rotate_further(view_rotation rotation, int axis)
{
    // Rotate by 90 degrees about the axis: `next` is rotated to `last`, and `last` to the opposite
    // of `next`. m[4 * row + column] is an element of a matrix.
    const size_t next = (size_t)(axis + 1) % 3;
    const size_t last = (size_t)(axis + 2) % 3;
    md5_mat34 quarter = {{0}};
    quarter.m[5 * (size_t)axis] = 1;
    quarter.m[4 * last + next] = 1;
    quarter.m[4 * next + last] = -1;
    rotation.matrix = rotation.is_set ? md5_mat34_mul(quarter, rotation.matrix) : quarter;
    // The rotation is not set if it is the identity. Only the identity has ones on its whole
    // diagonal; all other rotations have a 0 or -1 there.
    const float *const m = rotation.matrix.m;
    rotation.is_set = m[0] < 0.5f || m[5] < 0.5f || m[10] < 0.5f;
    return rotation;
}

md5_vec3 view_rotate_vector(const view_rotation *rotation, md5_vec3 v)
{
    return rotation->is_set ? md5_mat34_direction(rotation->matrix, v) : v;
}

md5_bounds view_rotate_bounds(const view_rotation *rotation, md5_bounds bounds)
{
    return rotation->is_set ? md5_bounds_transform(bounds, rotation->matrix) : bounds;
}

// Writes the name, such as "+y", of the axis of the file to which a row of the matrix is parallel.
static void name_axis(const float row[4], char name[3])
{
    name[0] = '\0';
    for (int axis = 0; axis < 3; axis++) {
        if (fabsf(row[axis]) > 0.5f)
            snprintf(name, 3, "%c%c", row[axis] > 0 ? '+' : '-', "xyz"[axis]);
    }
}

void view_name_axes(const view_rotation *rotation, char up[3], char front[3])
{
    const md5_mat34 matrix = rotation->is_set ? rotation->matrix : identity;
    name_axis(matrix.m + 8, up);
    name_axis(matrix.m, front);
}

void view_describe_rotation(const view_rotation *rotation, char *text, size_t size)
{
    char up[3], front[3];
    view_name_axes(rotation, up, front);
    snprintf(text, size, "up %s, front %s", up, front);
}

// -- The shown clip and the bind pose ------------------------------------------------------------

const view_clip *view_shown_clip(const view_scene *scene)
{
    const bool shown = scene->num_clips > 0 && view_get_motion(scene)->clip_use != VIEW_CLIP_UNUSED;
    return shown ? &scene->clips[scene->clip] : NULL;
}

const md5_anim *view_shown_anim(const view_scene *scene)
{
    const view_clip *const clip = view_shown_clip(scene);
    return clip != NULL ? clip->anim : NULL;
}

const md5_anim *view_timing_anim(const view_scene *scene)
{
    const md5_anim *const anim = view_shown_anim(scene);
    const bool moves = anim != NULL && anim->num_frames > 1;
    return moves || scene->camera_path.camera == NULL ? anim : &scene->camera_path.clock;
}

// Returns the user's rotation of the model as a transform of world space. Such a rotation corrects
// the up axis, for example. It is about the origin of the character's own space, which `placement`
// maps to world space. The product therefore maps from world space to the character's space,
// rotates, and maps back. If `placement` is NULL, both spaces are the same.
static md5_mat34 user_rotation_in_world(const md5_mat34 *rotation, const md5_xform *placement)
{
    if (placement == NULL)
        return *rotation;
    const md5_mat34 world_from_character = md5_mat34_from_xform(*placement);
    const md5_mat34 character_from_world = md5_mat34_from_xform(md5_xform_inverse(*placement));
    return md5_mat34_mul(world_from_character, md5_mat34_mul(*rotation, character_from_world));
}

// Rotates the joint matrices and the palette of the current pose by the rotation of the model
// that the user has selected.
void view_rotate_pose(view_scene *scene, const md5_xform *placement)
{
    if (!scene->rotation.is_set)
        return;
    const md5_mat34 transform = user_rotation_in_world(&scene->rotation.matrix, placement);
    view_move_matrices(transform, scene->joints, scene->num_joints);
    if (scene->model != NULL)
        view_move_matrices(transform, scene->palette, scene->num_joints);
}

// Poses the scene in the bind pose of its model. Without a model, uses the base frame of the clip.
static void set_bind_pose(view_scene *scene)
{
    if (scene->skeleton == NULL)
        return;
    if (scene->model != NULL) {
        memcpy(scene->pose, scene->model->bind_local, scene->num_joints * sizeof *scene->pose);
        memcpy(scene->joints, scene->model->bind, scene->num_joints * sizeof *scene->joints);
        md5_build_palette(scene->model, scene->joints, scene->palette);
    } else {
        md5_local_to_model(scene->skeleton, scene->clips[scene->clip].anim->base_frame,
                           scene->joints);
    }
    view_rotate_pose(scene, NULL);
}

// Computes the transforms of the joints relative to their parents, then their matrices in model
// space, then the palette. A clip of the Quake re-releases also scales joints. Scales change the
// positions of child joints in the first step, and the sizes of the joints in the palette.
void view_pose_at(view_scene *scene, const md5_sample_position *sample)
{
    const view_clip *const clip = view_shown_clip(scene);
    if (clip == NULL) {
        set_bind_pose(scene);
        return;
    }
    const bool has_model = scene->model != NULL;
    const md5_scales *const scales = has_model ? clip->scales : NULL;
    md5_sample(clip->binding, *sample, scene->root, scene->pose);
    if (scales != NULL)
        md5_scale_pose(scales, clip->binding, *sample, scene->pose);

    md5_local_to_model(scene->skeleton, scene->pose, scene->joints);
    if (has_model)
        md5_build_palette(scene->model, scene->joints, scene->palette);
    if (scales != NULL)
        md5_scale_palette(scales, clip->binding, *sample, scene->joints, scene->palette);
    view_rotate_pose(scene, NULL);
}

// Poses the scene by the shown clip, and places the feet of the model on the terrain.
static void pose_clip(view_scene *scene, const view_play *play)
{
    const md5_anim *const anim = view_shown_anim(scene);
    const md5_sample_position sample =
        anim != NULL ? view_sample_position(play, anim) : (md5_sample_position){0};
    view_pose_at(scene, &sample);
    const md5_xform at_origin = view_at_origin();
    if (scene->terrain.num_feet > 0 && anim != NULL)
        view_pose_feet(scene, &at_origin, play->time);
}

// Returns the displacement of the model by root motion since the start of the clip. It is 0 unless
// root motion is applied as in id's engine, because only then the model leaves its place.
static md5_vec3 walked_in_clip(const view_scene *scene, const view_play *play)
{
    const md5_anim *const anim = view_shown_anim(scene);
    if (anim == NULL || scene->root != MD5_ROOT_ID)
        return (md5_vec3){0, 0, 0};
    const md5_sample_position begin = {0};
    const md5_sample_position end = view_sample_position(play, anim);
    return view_rotate_vector(&scene->rotation, md5_anim_root_motion(anim, begin, end));
}

const view_motion_kind view_clip_motion = {
    .name = "clip",
    .clip_use = VIEW_CLIP_AS_FILE,
    .mode = VIEW_MODE_CLIPS,
    .pose = pose_clip,
    .walked = walked_in_clip,
};

const view_motion_kind view_bind_motion = {
    .name = "bind pose",
    .clip_use = VIEW_CLIP_UNUSED,
    .mode = VIEW_MODE_CLIPS,
    .pose = pose_clip,
};

bool view_is_bind_pose(const view_scene *scene)
{
    return scene->motion == &view_bind_motion;
}
