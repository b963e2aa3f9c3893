// Converts loaded data to the axes and units of the options: see axes.h.
#include "md5/load/axes.h"

void md5i_convert_points(const md5_context *context, md5_vec3 *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        points[i] = md5_vec3_scale(md5i_vec3_to_axes(context->axes, points[i]), context->scale);
}

void md5i_convert_rotations(const md5_context *context, md5_quat *rotations, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rotations[i] = md5i_quat_to_axes(context->axes, rotations[i]);
}

// Converts transforms to the axes and units of the load options.
void md5i_convert_transforms(const md5_context *context, md5_xform *transforms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        md5i_convert_rotations(context, &transforms[i].rotation, 1);
        md5i_convert_points(context, &transforms[i].translation, 1);
    }
}

// Converts matrices to other axes and units. If C converts points, a matrix M becomes
//
//   C M C^-1.
//
// C only exchanges axes and changes signs. Therefore the same map permutes the rows and the columns
// of M.
void md5i_convert_matrices(const md5_context *context, md5_mat34 *matrices, size_t count)
{
    const md5_axes_map *const map = &md5i_axes_maps[context->axes];
    for (size_t i = 0; i < count; i++) {
        const md5_mat34 m = matrices[i];
        for (uint32_t row = 0; row < 3; row++) {
            const float *const from = m.m + 4 * map->from[row];
            float *const to = matrices[i].m + 4 * row;
            for (uint32_t column = 0; column < 3; column++)
                to[column] = map->sign[row] * map->sign[column] * from[map->from[column]];
            to[3] = map->sign[row] * from[3] * context->scale;
        }
    }
}
