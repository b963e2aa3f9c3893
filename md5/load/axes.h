// Converts loaded data to the axes and units of the options: see core/math.h. Positions are scaled,
// but directions and rotations are not.
#ifndef MD5_LOAD_AXES_H
#define MD5_LOAD_AXES_H

#include "md5/core/context.h"
#include "md5/core/math.h"

// Returns true if the options request axes, units or texture coordinates that differ from the file.
static inline bool md5_needs_conversion(const md5_context *context)
{
    return context->axes != MD5_AXES_ID || context->scale != 1 || context->flip_v;
}

// Convert arrays in place from the axes and units of the file to the axes and units of the load
// options.
void md5i_convert_points(const md5_context *context, md5_vec3 *points, size_t count);
void md5i_convert_rotations(const md5_context *context, md5_quat *rotations, size_t count);
void md5i_convert_transforms(const md5_context *context, md5_xform *transforms, size_t count);
void md5i_convert_matrices(const md5_context *context, md5_mat34 *matrices, size_t count);

#endif
