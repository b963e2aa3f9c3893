// Characters that get up: the transform of the entity at which a clip fits the bodies, and the
// blend from the bodies to the clip.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/game/entity.h"
#include "md5/md5figure.h"

#include <float.h>
#include <math.h>

// Returns the height of the lowest vertex of a body, or of its center if that is lower.
static float lowest_height(const md5_figure *figure, uint32_t body, md5_xform transform)
{
    const md5_body_part *const part = &figure->bodies[body];
    const md5_vec3 *const vertices = figure->vertices + part->first_vertex;
    float lowest = transform.translation.z;
    for (uint32_t i = 0; i < part->num_vertices; i++)
        lowest = fminf(lowest, md5_xform_point(transform, vertices[i]).z);
    return lowest;
}

// The center of mass and the lowest height of a figure. A body without mass counts a little.
typedef struct figure_extent {
    double mass;
    md5_vec3d center;
    float lowest;
} figure_extent;

static double body_weight(const md5_figure *figure, uint32_t body)
{
    return fmax((double)figure->bodies[body].mass, 1e-6);
}

static void add_body(figure_extent *extent, const md5_figure *figure, uint32_t body,
                     md5_xform transform)
{
    const double weight = body_weight(figure, body);
    const md5_vec3d position = md5_vec3d_from_vec3(transform.translation);
    extent->mass += weight;
    extent->center = md5_vec3d_add(extent->center, md5_vec3d_scale(position, weight));
    extent->lowest = fminf(extent->lowest, lowest_height(figure, body, transform));
}

// Returns the transform of a body with the joints of a clip.
static md5_xform clip_transform(const md5_figure *figure, uint32_t body, const md5_mat34 *joints)
{
    const md5_body_part *const part = &figure->bodies[body];
    return md5_xform_mul(md5_xform_from_mat34(joints[part->joint]), part->offset);
}

// Returns the rotation about z whose cosine and sine have the ratio of two numbers; none if both
// are 0.
static md5_quat rotation_about_z(double cosine, double sine)
{
    const double length = sqrt(sine * sine + cosine * cosine);
    if (!(length > 0.0))
        return (md5_quat){0.0f, 0.0f, 0.0f, 1.0f};
    const double w = sqrt(fmax(0.0, 0.5 * (1.0 + cosine / length)));
    const double z = sqrt(fmax(0.0, 1.0 - w * w));
    const double signed_z = sine < 0.0 ? -z : z;
    return (md5_quat){0.0f, 0.0f, (float)signed_z, (float)w};
}

md5_xform md5_fit_figure(const md5_figure *figure, const md5_body_state *bodies,
                         const md5_mat34 *joints)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(bodies != NULL && joints != NULL, "bodies, joints: must not be NULL");
    figure_extent clip = {.lowest = FLT_MAX};
    figure_extent lying = {.lowest = FLT_MAX};
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        add_body(&clip, figure, i, clip_transform(figure, i, joints));
        add_body(&lying, figure, i, bodies[i].place);
    }
    const md5_vec3d clip_center = md5_vec3d_scale(clip.center, 1.0 / clip.mass);
    const md5_vec3d lying_center = md5_vec3d_scale(lying.center, 1.0 / lying.mass);
    // The best rotation about z in the sense of least squares: the weighted sums of the dot and
    // cross products of the horizontal positions are proportional to its cosine and sine.
    double cosine = 0.0;
    double sine = 0.0;
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const double weight = body_weight(figure, i);
        const md5_xform standing = clip_transform(figure, i, joints);
        const md5_vec3d a = md5_vec3d_sub(md5_vec3d_from_vec3(standing.translation), clip_center);
        const md5_vec3d b =
            md5_vec3d_sub(md5_vec3d_from_vec3(bodies[i].place.translation), lying_center);
        cosine += weight * (a.x * b.x + a.y * b.y);
        sine += weight * (a.x * b.y - a.y * b.x);
    }
    md5_xform placement = {.rotation = rotation_about_z(cosine, sine)};
    const md5_vec3 rotated = md5_quat_rotate(placement.rotation, md5_vec3d_round(clip_center));
    placement.translation = md5_vec3_sub(md5_vec3d_round(lying_center), rotated);
    placement.translation.z = lying.lowest - clip.lowest;
    return placement;
}

void md5_fade_figure(const md5_figure *figure, const md5_body_state *bodies, md5_xform place,
                     const md5_xform *clip, float weight, md5_xform *pose)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(bodies != NULL && clip != NULL && pose != NULL,
               "bodies, clip, pose: must not be NULL, and must differ");
    MD5_ASSERT(pose != clip, "bodies, clip, pose: must not be NULL, and must differ");
    const md5_skeleton *const skeleton = &figure->entity->model->skeleton;
    const md5_xform lying = md5_figure_to_pose(figure, bodies, pose);
    // md5_figure_to_pose() places the entity at its first body, which may lie on its side. Express
    // that rotation as a rotation of the joint that this body sets, because clips do so.
    const uint32_t base = figure->bodies[0].joint;
    const md5_xform in_model =
        md5_xform_mul(md5i_parent_transform(skeleton, pose, base), pose[base]);
    const md5_xform in_world = md5_xform_mul(lying, in_model);
    for (uint32_t i = skeleton->joints[base].parent; i != MD5_NONE; i = skeleton->joints[i].parent)
        pose[i] = clip[i];
    const md5_xform parent = md5_xform_mul(place, md5i_parent_transform(skeleton, pose, base));
    pose[base] = md5_xform_mul(md5_xform_inverse(parent), in_world);
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        pose[i] = md5_xform_blend(pose[i], clip[i], weight);
}
