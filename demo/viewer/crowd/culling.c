// Tests if a sphere or its shadow may be in an image, and measures the diameter of a sphere in an
// image.
#include "demo/viewer/crowd/crowd.h"

// Sets the members of view_culling that describe shadows, for the light of a frame. A body may be
// outside of a plane while its shadow is inside. A shadow falls from a height onto the ground. Per
// unit of this height it moves toward the inside of a plane by shadow_shift.
static void add_shadows(view_culling *culling, const md5gl_frame *frame)
{
    // If the z component of the light direction is smaller, the light is almost horizontal and its
    // shadows are treated as infinitely long.
    const float min_light_z = 1e-3f;
    const md5_vec3 light = frame->light_direction;
    const float length = md5_vec3_length(light);
    culling->reach = md5gl_shadow_reach(frame);
    culling->shadowed = culling->reach > 0 && length > 0;
    culling->unbounded = light.z <= min_light_z * length;
    if (!culling->shadowed || culling->unbounded)
        return;

    const md5_vec3 displacement = md5_vec3_scale(light, -1.0f / light.z); // per unit of height
    for (int i = 0; i < VIEW_NUM_PLANES; i++) {
        const float inward_shift = md5_vec3_dot(culling->planes[i].inward, displacement);
        culling->planes[i].shadow_shift = fmaxf(inward_shift, 0);
    }
    const float sine = light.z / length; // sine of the light's elevation
    const float cosine = sqrtf(fmaxf(1 - sine * sine, 0));
    culling->reach_upward = culling->reach * cosine;
}

// Prepares the culling of a frame for a lens: normalizes the planes of the view, and computes
// how far shadows move.
view_culling view_prepare_culling(const view_lens *lens, const md5gl_frame *frame, float lowest)
{
    view_culling culling = {.lens = *lens, .height = (float)frame->height, .lowest = lowest};
    const md5_mat44 clip_from_world = md5_mat44_mul(frame->clip_from_view, frame->view_from_world);
    md5_vec4 planes[VIEW_NUM_PLANES + 1]; // with the far plane
    md5_frustum_planes(clip_from_world, MD5_DEPTH_MINUS_ONE_TO_ONE, planes);
    for (int i = 0; i < VIEW_NUM_PLANES; i++) {
        const md5_vec3 inward = {planes[i].x, planes[i].y, planes[i].z};
        const float scale = 1.0f / md5_vec3_length(inward);
        culling.planes[i] =
            (view_plane){.inward = md5_vec3_scale(inward, scale), .begin = -scale * planes[i].w};
    }
    add_shadows(&culling, frame);
    return culling;
}

// Returns false if a sphere and its shadow are both completely outside of one of the planes. `fall`
// is the height from the top of the sphere to the lowest point that receives the shadow, units. If
// it is 0, only the sphere is tested.
static bool intersects(const view_culling *culling, md5_vec3 center, float radius, float fall)
{
    for (int i = 0; i < VIEW_NUM_PLANES; i++) {
        const view_plane *const plane = &culling->planes[i];
        const float innermost =
            md5_vec3_dot(plane->inward, center) + plane->shadow_shift * fall + radius;
        if (innermost < plane->begin)
            return false;
    }
    return true;
}

// Tests a sphere, and the volume of its shadow, against the planes of the view.
bool view_may_be_visible(const view_culling *culling, view_sphere sphere)
{
    const md5_vec3 center = sphere.center;
    if (culling->all || intersects(culling, center, sphere.radius, 0))
        return true;
    if (!culling->shadowed)
        return false;
    if (culling->unbounded) // the shadow may be anywhere
        return true;
    const float fall = center.z + sphere.radius + culling->reach_upward - culling->lowest;
    return intersects(culling, center, sphere.radius + culling->reach, fmaxf(fall, 0));
}

float view_pixels_across(const view_culling *culling, view_sphere sphere)
{
    const view_lens *const lens = &culling->lens;
    if (lens->orthographic)
        return sphere.radius * culling->height / lens->half_y;
    const float depth = md5_vec3_dot(lens->axes.back, md5_vec3_sub(lens->eye, sphere.center));
    return sphere.radius * culling->height / (lens->half_y * fmaxf(depth, sphere.radius));
}
