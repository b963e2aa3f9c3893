#include "demo/viewer/draw/cull.h"

#include "demo/viewer/base/math.h"

static view_plane plane_through(md5_vec3 point, md5_vec3 inward)
{
    inward = md5_vec3_scale(inward, 1.0f / md5_vec3_length(inward));
    return (view_plane){.inward = inward, .begin = md5_vec3_dot(inward, point)};
}

// The planes of the left, right, lower and upper side, and of near and far depth.
static void add_sides(view_sight *sight, const view_lens *lens)
{
    const view_axes *const axes = &lens->axes;
    const md5_vec3 across[2] = {axes->right, axes->up}, ahead = md5_vec3_scale(axes->back, -1.0f);
    const float half[2] = {lens->half_x, lens->half_y};
    const float shift[2] = {lens->shift_x, lens->shift_y};
    for (int i = 0; i < 4; i++) {
        const float sign = i % 2 == 0 ? 1.0f : -1.0f;
        const md5_vec3 inward = md5_vec3_scale(across[i / 2], sign);
        const float wide = half[i / 2] * (1.0f + sign * shift[i / 2]);
        sight->planes[i] =
            lens->orthographic
                ? plane_through(md5_vec3_add(lens->eye, md5_vec3_scale(inward, -wide)), inward)
                : plane_through(lens->eye, md5_vec3_add(inward, md5_vec3_scale(ahead, wide)));
    }
    sight->planes[4] =
        plane_through(md5_vec3_add(lens->eye, md5_vec3_scale(ahead, lens->near_z)), ahead);
    sight->planes[5] =
        plane_through(md5_vec3_add(lens->eye, md5_vec3_scale(ahead, lens->far_z)), axes->back);
}

view_sight view_make_sight(const view_lens *lens, const md5gl_frame *frame, float lowest)
{
    view_sight sight = {.lens = *lens, .height = (float)frame->height, .lowest = lowest};
    add_sides(&sight, lens);
    const md5_vec3 light = frame->light_direction;
    const float length = md5_vec3_length(light);
    sight.reach = md5gl_shadow_reach(frame);
    sight.shadowed = sight.reach > 0.0f && length > 0.0f;
    sight.unbounded = light.z <= 1e-3f * length;
    if (!sight.shadowed || sight.unbounded)
        return sight;
    const md5_vec3 shift = md5_vec3_scale(light, -1.0f / light.z);
    for (int i = 0; i < VIEW_NUM_PLANES; i++)
        sight.planes[i].shadow_shift = fmaxf(md5_vec3_dot(sight.planes[i].inward, shift), 0.0f);
    const float rise = light.z / length;
    sight.reach_upward = sight.reach * sqrtf(fmaxf(1.0f - rise * rise, 0.0f));
    return sight;
}

// A sphere, swept along its shadow, is outside if the whole sweep is outside one of the planes.
static bool intersects(const view_sight *sight, md5_vec3 centre, float radius, float fall)
{
    for (int i = 0; i < VIEW_NUM_PLANES; i++) {
        const view_plane *const plane = &sight->planes[i];
        if (md5_vec3_dot(plane->inward, centre) + plane->shadow_shift * fall + radius
            < plane->begin)
            return false;
    }
    return true;
}

bool view_sees(const view_sight *sight, view_sphere sphere)
{
    const md5_vec3 centre = sphere.centre;
    if (sight->all || intersects(sight, centre, sphere.radius, 0.0f))
        return true;
    if (!sight->shadowed || sight->unbounded)
        return sight->shadowed;
    const float fall = centre.z + sphere.radius + sight->reach_upward - sight->lowest;
    return intersects(sight, centre, sphere.radius + sight->reach, fmaxf(fall, 0.0f));
}

float view_pixels_across(const view_sight *sight, view_sphere sphere)
{
    const view_lens *const lens = &sight->lens;
    if (lens->orthographic)
        return sphere.radius * sight->height / lens->half_y;
    const float depth = md5_vec3_dot(lens->axes.back, md5_vec3_sub(lens->eye, sphere.centre));
    return sphere.radius * sight->height / (lens->half_y * fmaxf(depth, sphere.radius));
}
