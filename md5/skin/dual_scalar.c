// Skinning by dual quaternions in plain C, which every faster kernel must equal bit for bit.
//
// A rotation r and a translation t are the dual quaternion (r, t * r / 2), t being a quaternion
// without w. Over the influences of a vertex as they are stored, with q a joint's dual quaternion:
//
//   blend:   s[c] = q[c] * bias of the first, + q[c] * (bias * sign) of the next, ...
//
// where sign selects the shorter arc to the first (md5_dual_sign). The blend is a dual quaternion
// of any length; md5i_dual_matrix() returns the rotation and translation of its normalized form. So
// only the ratios of the biases count, and very small or large ones are all scaled by the same
// power of two. Removing the component of the dual part along the real part is not necessary,
// because it contributes only to the w of the translation.
#include "md5/skin/dual_kernels.h"

#include "md5/core/math.h"

static inline md5_quat add_scaled(md5_quat sum, md5_quat q, float by)
{
    return (md5_quat){sum.x + q.x * by, sum.y + q.y * by, sum.z + q.z * by, sum.w + q.w * by};
}

static inline md5_quat scaled(md5_quat q, float by)
{
    return (md5_quat){q.x * by, q.y * by, q.z * by, q.w * by};
}

// The power of two that scales biases, of which `first` is the largest, to about 1; 0 if they are
// used unchanged.
static inline int shift_for(float first)
{
    const float square = first * first;
    if (square > MD5_DUAL_LEAST_SQUARE && square < MD5_DUAL_MOST_SQUARE)
        return 0;
    int exponent;
    (void)frexpf(first, &exponent);
    return -exponent;
}

static inline float shifted(float bias, int shift)
{
    return shift == 0 ? bias : ldexpf(bias, shift);
}

// Blends the dual quaternions of a vertex that has influences.
static inline md5_dual_quat blend(const md5_mesh *mesh, const md5_dual_quat *palette,
                                  uint32_t vertex)
{
    const uint32_t begin = mesh->first_influence[vertex], end = mesh->first_influence[vertex + 1];
    const md5_dual_quat *const first = &palette[mesh->influence_joints[begin]];
    const int shift = shift_for(mesh->influences[begin].w);
    const float bias = shifted(mesh->influences[begin].w, shift);
    md5_dual_quat sum = {scaled(first->real, bias), scaled(first->dual, bias)};
    for (uint32_t i = begin + 1; i < end; i++) {
        const md5_dual_quat *const next = &palette[mesh->influence_joints[i]];
        const float by = shifted(mesh->influences[i].w, shift) * md5_dual_sign(first, next);
        sum.real = add_scaled(sum.real, next->real, by);
        sum.dual = add_scaled(sum.dual, next->dual, by);
    }
    const bool is_left = md5_quat_dot(sum.real, sum.real) > MD5_DUAL_VANISHES * (bias * bias);
    return is_left ? sum : *first;
}

// With r and d the real and dual parts, v and e their x y z: the rotation of r / |r|, and the
// translation 2 (r.w e - d.w v + v x e) / |r|^2.
md5_mat34 md5i_dual_matrix(const md5_dual_quat *q)
{
    const md5_quat r = q->real, d = q->dual;
    const float twice = 2.0f / md5_quat_dot(r, r);
    const float x2 = r.x * twice, y2 = r.y * twice, z2 = r.z * twice;
    const float xx = r.x * x2, yy = r.y * y2, zz = r.z * z2;
    const float xy = r.x * y2, xz = r.x * z2, yz = r.y * z2;
    const float wx = r.w * x2, wy = r.w * y2, wz = r.w * z2;
    return (md5_mat34){{
        1.0f - (yy + zz),
        xy - wz,
        xz + wy,
        ((r.w * d.x - d.w * r.x) + (r.y * d.z - r.z * d.y)) * twice,
        xy + wz,
        1.0f - (xx + zz),
        yz - wx,
        ((r.w * d.y - d.w * r.y) + (r.z * d.x - r.x * d.z)) * twice,
        xz - wy,
        yz + wx,
        1.0f - (xx + yy),
        ((r.w * d.z - d.w * r.z) + (r.x * d.y - r.y * d.x)) * twice,
    }};
}

static inline float move_row(const float *row, md5_vec3 p)
{
    return (row[0] * p.x + row[1] * p.y) + (row[2] * p.z + row[3]);
}

static inline md5_vec3 turn(const md5_mat34 *m, md5_vec3 bind)
{
    return md5_vec3_normalize(md5_mat34_rotate(m, bind), bind);
}

// Vertices without influences stay at the origin and keep their directions.
md5_mat34 md5i_dual_vertex_matrix(const md5_mesh *mesh, const md5_dual_quat *palette,
                                  uint32_t vertex)
{
    if (mesh->first_influence[vertex] == mesh->first_influence[vertex + 1])
        return (md5_mat34){{0.0f}};
    const md5_dual_quat sum = blend(mesh, palette, vertex);
    return md5i_dual_matrix(&sum);
}

static void skin_vertex(const md5_dual_job *job, uint32_t vertex, uint32_t place)
{
    const md5i_skin_job *const skin = &job->skin;
    const md5_mesh *const mesh = skin->mesh;
    const md5_mat34 m = md5i_dual_vertex_matrix(mesh, job->palette, vertex);
    const md5_vec3 p = mesh->positions[vertex];
    *md5_vec3_out(skin->positions, skin->strides[0], place) =
        (md5_vec3){move_row(m.m, p), move_row(m.m + 4, p), move_row(m.m + 8, p)};
    if (skin->normals)
        *md5_vec3_out(skin->normals, skin->strides[1], place) = turn(&m, mesh->normals[vertex]);
    if (skin->tangents) {
        const md5_vec4 bind = mesh->tangents[vertex];
        const md5_vec3 turned = turn(&m, (md5_vec3){bind.x, bind.y, bind.z});
        *md5_vec4_out(skin->tangents, skin->strides[2], place) =
            (md5_vec4){turned.x, turned.y, turned.z, bind.w};
    }
}

void md5i_dual_vertices_scalar(const md5_dual_job *job, const uint32_t *vertices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        skin_vertex(job, vertices[i], vertices[i]);
}

void md5i_dual_scalar(const md5_dual_job *job)
{
    for (uint32_t vertex = 0; vertex < job->skin.mesh->num_vertices; vertex++)
        skin_vertex(job, vertex, vertex);
}

void md5i_dual_places_scalar(const md5_dual_job *job, const uint32_t *vertices, uint32_t first,
                             uint32_t count)
{
    for (uint32_t place = 0; place < count; place++)
        skin_vertex(job, vertices ? vertices[place] : first + place, place);
}
