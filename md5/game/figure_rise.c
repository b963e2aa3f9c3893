// Characters that get up after a fall. The bodies of a figure lie somewhere on the ground, and a
// clip shows how the character rises. The functions here compute where the entity must be so that
// the start of the clip fits the bodies, and blend from the bodies to the clip.
//
// The "lying" transforms of the bodies are their transforms in the world at the end of the
// simulation. Their "standing" transforms are in model space, and are computed from the joints of a
// pose of the clip.
#include "md5/core/assert.h"
#include "md5/core/math.h"
#include "md5/game/entity.h"
#include "md5/md5figure.h"

#include <float.h>
#include <math.h>

// Returns the height of the lowest vertex of a body, or the height of its center if the center is
// lower.
static float lowest_height(const md5_figure *figure, uint32_t body, md5_xform transform)
{
    const md5_body_part *const part = &figure->bodies[body];
    const md5_vec3 *const vertices = figure->vertices + part->first_vertex;
    float lowest = transform.translation.z;
    for (uint32_t i = 0; i < part->num_vertices; i++)
        lowest = fminf(lowest, md5_xform_point(transform, vertices[i]).z);
    return lowest;
}

// Sums over the bodies of a figure.
typedef struct figure_extent {
    double mass;
    md5_vec3d weighted_positions; // sum of position * mass
    float lowest;                 // height of the lowest point
} figure_extent;

// Returns the mass of a body, but at least a small number, so that the sum of all masses is not 0.
static double body_weight(const md5_figure *figure, uint32_t body)
{
    return fmax((double)figure->bodies[body].mass, 1e-6);
}

// Adds a body to the sums over the bodies: its mass, its position times the mass, and its lowest
// point. `transform` is the lying or the standing transform of the body.
static void add_body(figure_extent *extent, const md5_figure *figure, uint32_t body,
                     md5_xform transform)
{
    const double weight = body_weight(figure, body);
    const md5_vec3d position = md5_vec3d_from_vec3(transform.translation);
    extent->mass += weight;
    extent->weighted_positions =
        md5_vec3d_add(extent->weighted_positions, md5_vec3d_scale(position, weight));
    extent->lowest = fminf(extent->lowest, lowest_height(figure, body, transform));
}

static md5_vec3d center_of_mass(const figure_extent *extent)
{
    return md5_vec3d_scale(extent->weighted_positions, 1.0 / extent->mass);
}

// Returns the transform of a body in model space. `joints` are the joints of a pose.
static md5_xform standing_transform(const md5_figure *figure, uint32_t body,
                                    const md5_mat34 *joints)
{
    const md5_body_part *const part = &figure->bodies[body];
    return md5_xform_mul(md5_xform_from_mat34(joints[part->joint]), part->offset);
}

// Returns the rotation about z by the angle atan2(sine, cosine), or no rotation if both are 0. The
// arguments may have any common scale. Trigonometric functions are not used, because their bits
// depend on the platform. Instead, the quaternion is computed with the half-angle formula
//
//   w^2 = (1 + cosine) / 2.
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

// Returns the rotation about z that fits the standing bodies to the lying bodies. The two centers
// of mass are moved to one point. The rotation then minimizes the sum of the squared horizontal
// distances between the two positions of each body, weighted by mass. Its cosine and sine are
// proportional to the weighted sums of the dot products and the cross products of these positions.
static md5_quat best_rotation(const md5_figure *figure, const md5_body_state *bodies,
                              const md5_mat34 *joints, md5_vec3d standing_center,
                              md5_vec3d lying_center)
{
    double cosine = 0.0;
    double sine = 0.0;
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const double weight = body_weight(figure, i);
        const md5_vec3 standing = standing_transform(figure, i, joints).translation;
        const md5_vec3 lying = bodies[i].transform.translation;
        const md5_vec3d a = md5_vec3d_sub(md5_vec3d_from_vec3(standing), standing_center);
        const md5_vec3d b = md5_vec3d_sub(md5_vec3d_from_vec3(lying), lying_center);
        cosine += weight * (a.x * b.x + a.y * b.y);
        sine += weight * (a.x * b.y - a.y * b.x);
    }
    return rotation_about_z(cosine, sine);
}

// Returns the upright placement at which a pose, for example the start of a clip in which the
// character gets up, fits the lying bodies best.
md5_xform md5_fit_figure(const md5_figure *figure, const md5_body_state *bodies,
                         const md5_mat34 *joints)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(bodies != NULL && joints != NULL, "bodies, joints: must not be NULL");

    figure_extent standing = {.lowest = FLT_MAX};
    figure_extent lying = {.lowest = FLT_MAX};
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        add_body(&standing, figure, i, standing_transform(figure, i, joints));
        add_body(&lying, figure, i, bodies[i].transform);
    }

    const md5_vec3d standing_center = center_of_mass(&standing);
    const md5_vec3d lying_center = center_of_mass(&lying);
    const md5_quat rotation = best_rotation(figure, bodies, joints, standing_center, lying_center);
    // Move the rotated center of mass above the lying center, and the lowest points to one height.
    const md5_vec3 rotated = md5_quat_rotate(rotation, md5_vec3d_round(standing_center));
    md5_xform placement = {
        .rotation = rotation,
        .translation = md5_vec3_sub(md5_vec3d_round(lying_center), rotated),
    };
    placement.translation.z = lying.lowest - standing.lowest;
    return placement;
}

// Converts a pose from one transform of the entity to another: from `from` to `to`, both in world
// space. The joint `base` and its descendants remain at their positions in the world. The ancestors
// of `base` get their transforms from the pose `clip`, and the transform of `base` compensates the
// difference.
static void change_entity(const md5_skeleton *skeleton, uint32_t base, md5_xform from, md5_xform to,
                          const md5_xform *clip, md5_xform *pose)
{
    const md5_xform base_in_model =
        md5_xform_mul(md5i_parent_transform(skeleton, pose, base), pose[base]);
    const md5_xform base_in_world = md5_xform_mul(from, base_in_model);
    for (uint32_t i = skeleton->joints[base].parent; i != MD5_NONE; i = skeleton->joints[i].parent)
        pose[i] = clip[i];
    const md5_xform parent_in_model = md5i_parent_transform(skeleton, pose, base);
    const md5_xform parent_in_world = md5_xform_mul(to, parent_in_model);
    pose[base] = md5_xform_mul(md5_xform_inverse(parent_in_world), base_in_world);
}

// Blends from the pose of lying bodies (weight 0) to the pose of a clip (weight 1), for example
// while a character gets up. Both are shown by an entity at `placement`.
void md5_fade_figure(const md5_figure *figure, const md5_body_state *bodies, md5_xform placement,
                     const md5_xform *clip, float weight, md5_xform *pose)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(bodies != NULL && clip != NULL && pose != NULL,
               "bodies, clip, pose: must not be NULL, and must differ");
    MD5_ASSERT(pose != clip, "bodies, clip, pose: must not be NULL, and must differ");
    const md5_skeleton *const skeleton = &figure->entity->model->skeleton;
    // md5_figure_to_pose() places the entity at its first body, which may lie on its side. In clips
    // the entity is upright, and joints contain that rotation.
    const md5_xform lying = md5_figure_to_pose(figure, bodies, pose);
    change_entity(skeleton, figure->bodies[0].joint, lying, placement, clip, pose);
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        pose[i] = md5_xform_blend(pose[i], clip[i], weight);
}
