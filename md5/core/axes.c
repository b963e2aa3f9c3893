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

md5_quat md5i_quat_to_axes(md5_axes axes, md5_quat q)
{
    const md5_vec3 axis = md5i_vec3_to_axes(axes, (md5_vec3){q.x, q.y, q.z});
    const float sign = md5i_axes_maps[axes].determinant;
    return (md5_quat){sign * axis.x, sign * axis.y, sign * axis.z, q.w};
}

md5_xform md5i_transform_to_axes(md5_axes axes, md5_xform transform)
{
    return (md5_xform){
        .rotation = md5i_quat_to_axes(axes, transform.rotation),
        .translation = md5i_vec3_to_axes(axes, transform.translation),
    };
}

md5_xform md5i_transform_from_axes(md5_axes axes, md5_xform transform)
{
    const md5_quat q = transform.rotation;
    const md5_vec3 axis = md5i_vec3_from_axes(axes, (md5_vec3){q.x, q.y, q.z});
    const float sign = md5i_axes_maps[axes].determinant;
    return (md5_xform){
        .rotation = {sign * axis.x, sign * axis.y, sign * axis.z, q.w},
        .translation = md5i_vec3_from_axes(axes, transform.translation),
    };
}
