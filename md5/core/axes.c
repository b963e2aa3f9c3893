#include "md5/core/axes.h"

#include "md5/core/assert.h"

const md5_axes_map md5i_axes_maps[MD5_NUM_AXES] = {
    [MD5_AXES_ID] = {{0, 1, 2}, {1.0f, 1.0f, 1.0f}, 1.0f},
    [MD5_AXES_Y_UP] = {{1, 2, 0}, {-1.0f, 1.0f, -1.0f}, 1.0f},
    [MD5_AXES_GLTF] = {{1, 2, 0}, {1.0f, 1.0f, 1.0f}, 1.0f},
    [MD5_AXES_Y_UP_LEFT] = {{1, 2, 0}, {-1.0f, 1.0f, 1.0f}, -1.0f},
    [MD5_AXES_Z_UP_LEFT] = {{0, 1, 2}, {1.0f, -1.0f, 1.0f}, -1.0f},
    [MD5_AXES_BLENDER] = {{1, 0, 2}, {1.0f, -1.0f, 1.0f}, 1.0f},
};

// -- Single values --------------------------------------------------------------------------------

md5_vec3 md5i_vec3_to_axes(md5_axes axes, md5_vec3 v)
{
    if (axes == MD5_AXES_ID)
        return v;
    const md5_axes_map *const map = &md5i_axes_maps[axes];
    const float from[3] = {v.x, v.y, v.z};
    return (md5_vec3){map->sign[0] * from[map->from[0]], map->sign[1] * from[map->from[1]],
                      map->sign[2] * from[map->from[2]]};
}

md5_vec3 md5i_vec3_from_axes(md5_axes axes, md5_vec3 v)
{
    if (axes == MD5_AXES_ID)
        return v;
    const md5_axes_map *const map = &md5i_axes_maps[axes];
    float to[3];
    to[map->from[0]] = map->sign[0] * v.x;
    to[map->from[1]] = map->sign[1] * v.y;
    to[map->from[2]] = map->sign[2] * v.z;
    return (md5_vec3){to[0], to[1], to[2]};
}

static md5_quat with_axis(md5_quat q, md5_vec3 axis, float sign)
{
    return (md5_quat){sign * axis.x, sign * axis.y, sign * axis.z, q.w};
}

md5_xform md5i_transform_to_other_axes(md5_axes axes, md5_xform transform)
{
    const md5_quat q = transform.rotation;
    const md5_vec3 axis = md5i_vec3_to_axes(axes, (md5_vec3){q.x, q.y, q.z});
    return (md5_xform){
        .rotation = with_axis(q, axis, md5i_axes_maps[axes].determinant),
        .translation = md5i_vec3_to_axes(axes, transform.translation),
    };
}

md5_xform md5i_transform_from_axes(md5_axes axes, md5_xform transform)
{
    const md5_quat q = transform.rotation;
    const md5_vec3 axis = md5i_vec3_from_axes(axes, (md5_vec3){q.x, q.y, q.z});
    return (md5_xform){
        .rotation = with_axis(q, axis, md5i_axes_maps[axes].determinant),
        .translation = md5i_vec3_from_axes(axes, transform.translation),
    };
}

// -- Loading --------------------------------------------------------------------------------------

#define LEAST_SCALE 1e-6f
#define MOST_SCALE 1e6f

bool md5i_check_conversion(md5_context *context)
{
    if ((unsigned)context->axes >= MD5_NUM_AXES)
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "md5_load_opts.axes is %d, which is not valid", (int)context->axes);
    if (!(context->scale >= LEAST_SCALE && context->scale <= MOST_SCALE))
        return md5i_fail(context, MD5_ERROR_RANGE, 0, 0,
                         "the options' scale is %g, which must be 1e-06 to 1e+06",
                         (double)context->scale);
    return true;
}

void md5i_convert_points(const md5_context *context, md5_vec3 *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        points[i] = md5_vec3_scale(md5i_vec3_to_axes(context->axes, points[i]), context->scale);
}

void md5i_convert_directions(const md5_context *context, md5_vec3 *directions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        directions[i] = md5i_vec3_to_axes(context->axes, directions[i]);
}

void md5i_convert_rotations(const md5_context *context, md5_quat *rotations, size_t count)
{
    const float sign = md5i_axes_maps[context->axes].determinant;
    for (size_t i = 0; i < count; i++) {
        const md5_quat q = rotations[i];
        const md5_vec3 axis = md5i_vec3_to_axes(context->axes, (md5_vec3){q.x, q.y, q.z});
        rotations[i] = with_axis(q, axis, sign);
    }
}

void md5i_convert_transforms(const md5_context *context, md5_xform *transforms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        md5i_convert_rotations(context, &transforms[i].rotation, 1);
        md5i_convert_points(context, &transforms[i].translation, 1);
    }
}

// C M C^-1: rows and columns are exchanged alike.
void md5i_convert_matrices(const md5_context *context, md5_mat34 *matrices, size_t count)
{
    const md5_axes_map *const map = &md5i_axes_maps[context->axes];
    for (size_t i = 0; i < count; i++) {
        const md5_mat34 m = matrices[i];
        for (int row = 0; row < 3; row++) {
            const float *const from = m.m + 4 * map->from[row];
            float *const to = matrices[i].m + 4 * row;
            for (int column = 0; column < 3; column++)
                to[column] = map->sign[row] * map->sign[column] * from[map->from[column]];
            to[3] = map->sign[row] * from[3] * context->scale;
        }
    }
}

// Empty bounds stay empty.
void md5i_convert_bounds(const md5_context *context, md5_bounds *bounds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        md5_vec3 ends[2] = {bounds[i].min, bounds[i].max};
        md5i_convert_points(context, ends, 2);
        const float *const sign = md5i_axes_maps[context->axes].sign;
        bounds[i].min =
            (md5_vec3){ends[sign[0] < 0.0f].x, ends[sign[1] < 0.0f].y, ends[sign[2] < 0.0f].z};
        bounds[i].max =
            (md5_vec3){ends[sign[0] > 0.0f].x, ends[sign[1] > 0.0f].y, ends[sign[2] > 0.0f].z};
    }
}
