// The vertices that one step of a kernel for wide registers computes: where they are in memory, how
// they are loaded and stored.
#ifndef MD5_SKIN_VERTICES_WIDE_H
#define MD5_SKIN_VERTICES_WIDE_H

#include "md5/skin/kernels.h"
#include "md5/skin/transform_wide.h"

// Bounds in each lane.
typedef struct lanes_bounds {
    lanes3 low, high;
} lanes_bounds;

// Everything that is read and written. Each run has its own copy, which the compiler knows to be
// unaffected by the results.
typedef struct skin_arrays {
    const md5_mat34 *palette;
    const uint32_t *first_influence, *influence_joints;
    const md5_vec4 *influences;
    const md5_vec3 *bind_positions, *bind_normals;
    const md5_vec4 *bind_tangents;
    md5_vec3 *positions, *normals;
    md5_vec4 *tangents;
    uint32_t position_stride, normal_stride, tangent_stride; // see md5i_skin_job
    lanes_bounds *bounds; // or NULL; if set, grows to hold the positions, which are not written
} skin_arrays;

MD5_WIDE_INLINE skin_arrays arrays_of(const md5i_skin_job *job, lanes_bounds *bounds)
{
    const md5_mesh *const mesh = job->mesh;
    return (skin_arrays){
        .palette = job->palette,
        .first_influence = mesh->first_influence,
        .influence_joints = mesh->influence_joints,
        .influences = mesh->influences,
        .bind_positions = mesh->positions,
        .bind_normals = mesh->normals,
        .bind_tangents = mesh->tangents,
        .positions = job->positions,
        .normals = job->normals,
        .tangents = job->tangents,
        .position_stride = job->strides[0],
        .normal_stride = job->strides[1],
        .tangent_stride = job->strides[2],
        .bounds = job->bounds ? bounds : NULL,
    };
}

// MD5_WIDTH vertices: in a contiguous group those from `first` on, else those that `vertices` lists
// as md5_skin_plan does. In a group each has `count` influences on `joints`; `floats` are the
// group's numbers in the plan, each for MD5_SKIN_GROUP vertices, offset to these.
typedef struct group {
    uint32_t first;
    const uint32_t *vertices;
    const uint32_t *joints;
    const float *floats;
    uint32_t count;
} group;

// Returns the vertex of a lane.
MD5_WIDE_INLINE uint32_t vertex_of(const group *of, uint32_t lane, md5_skin_order order)
{
    if (order == MD5_SKIN_CONTIGUOUS)
        return of->first + lane;
    return order == MD5_SKIN_GATHERED ? of->vertices[lane] / 3 : of->vertices[lane];
}

// -- Loading and storing --------------------------------------------------------------------

MD5_WIDE_INLINE lanes3 load3(const md5_vec3 *from, const group *of, md5_skin_order order)
{
    if (order == MD5_SKIN_CONTIGUOUS)
        return load_points(from + of->first);
    return order == MD5_SKIN_GATHERED ? load_points_ascending(&from->x, of->vertices)
                                      : load_points_at(&from->x, of->vertices, 3);
}

MD5_WIDE_INLINE void store3(md5_vec3 *to, uint32_t stride, const group *of, md5_skin_order order,
                            lanes3 a)
{
    if (stride > 0) {
        uint32_t at[MD5_WIDTH];
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            at[lane] = stride * vertex_of(of, lane, order);
        store_points_at(&to->x, at, 1, a);
    } else if (order == MD5_SKIN_CONTIGUOUS) {
        store_points(to + of->first, a);
    } else {
        store_points_at(&to->x, of->vertices, order == MD5_SKIN_GATHERED ? 1 : 3, a);
    }
}

MD5_WIDE_INLINE void load_tangents(const float *from, const group *of, md5_skin_order order,
                                   md5_wide rows[4])
{
    if (order == MD5_SKIN_CONTIGUOUS) {
        md5_wide_load_run(from + 4 * of->first, 4, rows);
    } else {
        const float *pointers[MD5_WIDTH];
        MD5_UNROLL
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            pointers[lane] = from + 4 * vertex_of(of, lane, order);
        md5_wide_load_rows(pointers, rows);
    }
    md5_wide_transpose(rows);
}

// `stride` is in floats, and a constant after inlining if it is 4.
MD5_WIDE_INLINE void store_tangents_at(float *to, uint32_t stride, const group *of,
                                       md5_skin_order order, const md5_wide rows[4])
{
    if (order == MD5_SKIN_CONTIGUOUS) {
        md5_wide_store_run(to + stride * of->first, stride, rows);
    } else {
        float *pointers[MD5_WIDTH];
        MD5_UNROLL
        for (uint32_t lane = 0; lane < MD5_WIDTH; lane++)
            pointers[lane] = to + stride * vertex_of(of, lane, order);
        md5_wide_store_rows(pointers, rows);
    }
}

MD5_WIDE_INLINE void store_tangents(const skin_arrays *arrays, const group *of,
                                    md5_skin_order order, md5_wide rows[4])
{
    float *const to = &arrays->tangents->x;
    md5_wide_transpose(rows);
    if (arrays->tangent_stride > 0)
        store_tangents_at(to, arrays->tangent_stride, of, order, rows);
    else
        store_tangents_at(to, 4, of, order, rows);
}

MD5_WIDE_INLINE md5_wide lower(md5_wide a, md5_wide b)
{
    return md5_wide_select(md5_wide_less(b, a), b, a);
}

MD5_WIDE_INLINE md5_wide higher(md5_wide a, md5_wide b)
{
    return md5_wide_select(md5_wide_greater(b, a), b, a);
}

MD5_WIDE_INLINE void put_positions(const skin_arrays *arrays, const group *of, md5_skin_order order,
                                   lanes3 a)
{
    lanes_bounds *const bounds = arrays->bounds;
    if (!bounds) {
        store3(arrays->positions, arrays->position_stride, of, order, a);
        return;
    }
    bounds->low =
        (lanes3){lower(bounds->low.x, a.x), lower(bounds->low.y, a.y), lower(bounds->low.z, a.z)};
    bounds->high = (lanes3){higher(bounds->high.x, a.x), higher(bounds->high.y, a.y),
                            higher(bounds->high.z, a.z)};
}

#endif
