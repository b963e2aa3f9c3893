// The error of a compressed clip, measured: both clips are sampled, and all joints are placed in
// model space, in doubles.
#include "md5/compress/tracks.h"
#include "md5/core/math.h"
#include "md5/pose/kernels.h"

typedef struct md5_placed {
    md5_quatd rotation;
    md5_vec3d position;
} md5_placed;

bool md5i_begin_measuring(md5_arena *arena, uint32_t num_joints, md5_measuring *scratch)
{
    scratch->pose = (md5_xform *)md5i_arena_room(arena, num_joints, sizeof(md5_xform));
    scratch->of_anim = (md5_placed *)md5i_arena_room(arena, num_joints, sizeof(md5_placed));
    scratch->of_packed = (md5_placed *)md5i_arena_room(arena, num_joints, sizeof(md5_placed));
    scratch->errors = (double *)md5i_arena_room(arena, num_joints, sizeof(double));
    return scratch->pose && scratch->of_anim && scratch->of_packed && scratch->errors;
}

// v + 2 w (u x v) + 2 u x (u x v), with u = x y z of a unit quaternion.
static md5_vec3d rotate(md5_quatd q, md5_vec3d v)
{
    const md5_vec3d u = {q.x, q.y, q.z};
    const md5_vec3d across = md5_vec3d_scale(md5_vec3d_cross(u, v), 2.0);
    return md5_vec3d_add(v,
                         md5_vec3d_add(md5_vec3d_scale(across, q.w), md5_vec3d_cross(u, across)));
}

static md5_quatd normalized(md5_quat rotation)
{
    const md5_quatd q = md5_quatd_of(rotation);
    const double scale = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (md5_quatd){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

static void place(const md5_skeleton *skeleton, const md5_xform *pose, md5_placed *placed)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const int32_t parent = skeleton->joints[joint].parent;
        md5_placed local = {normalized(pose[joint].rotation),
                            md5_vec3d_of(pose[joint].translation)};
        if (parent >= 0) {
            const md5_placed *const above = &placed[parent];
            local.position =
                md5_vec3d_add(above->position, rotate(above->rotation, local.position));
            local.rotation = md5_quatd_mul(above->rotation, local.rotation);
        }
        placed[joint] = local;
    }
}

// A rotation by an angle moves points at distance 1 by up to the chord 2 sin(angle / 2), which is
// twice the length of x y z of the rotation between both.
static double displacement(const md5_placed *a, const md5_placed *b, double distance)
{
    const md5_quatd turn = md5_quatd_mul(md5_quatd_conjugate(a->rotation), b->rotation);
    const double chord = 2.0 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return md5_vec3d_length(md5_vec3d_sub(a->position, b->position)) + distance * chord;
}

// NaN counts as the largest error.
static void grow(double *error, double to)
{
    if (!(to <= *error))
        *error = to >= 0.0 ? to : INFINITY;
}

static void measure_at(const md5_anim *anim, const md5_packed *packed, const float *own,
                       const md5_measuring *scratch, const md5_moment *moment)
{
    md5i_sample_anim_with(md5i_pose_kernels_best(), anim, moment, MD5_ROOT_FILE, scratch->pose);
    place(&anim->skeleton, scratch->pose, scratch->of_anim);
    md5i_packed_sample(packed, moment, scratch->pose);
    place(&anim->skeleton, scratch->pose, scratch->of_packed);
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++)
        grow(&scratch->errors[joint], displacement(&scratch->of_anim[joint],
                                                   &scratch->of_packed[joint], (double)own[joint]));
}

double md5i_measure_packed(const md5_anim *anim, const md5_packed *packed, const float *own,
                           const md5_measuring *scratch)
{
    double worst = 0.0;
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++)
        scratch->errors[joint] = 0.0;
    for (uint32_t frame = 0;; frame++) {
        md5_moment at = {.frame0 = frame, .frame1 = frame};
        measure_at(anim, packed, own, scratch, &at);
        if (frame + 1 == anim->num_frames)
            break;
        at.frame1++;
        at.fraction = 0.5f;
        measure_at(anim, packed, own, scratch, &at);
    }
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++)
        grow(&worst, scratch->errors[joint]);
    return worst;
}
