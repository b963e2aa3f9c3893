#include "test/skin/test_bind_case.h"

#include "test/test.h"

#include <math.h>
#include <stdlib.h>

bind_case *bind_new(void)
{
    bind_case *const made = calloc(1, sizeof *made);
    if (!made)
        abort();
    made->skeleton = (md5_skeleton){.joints = made->joints, .order = made->order};
    made->desc = (md5_weights_desc){
        .positions = made->positions,
        .indices = made->indices,
        .skeleton = &made->skeleton,
        .bind = made->bind,
    };
    return made;
}

uint32_t bind_add_joint(bind_case *to, uint32_t parent, md5_vec3 at)
{
    const uint32_t joint = to->skeleton.num_joints++;
    to->joints[joint] = (md5_joint){"joint", parent};
    to->order[joint] = joint;
    to->bind[joint] = (md5_mat34){{1, 0, 0, at.x, 0, 1, 0, at.y, 0, 0, 1, at.z}};
    return joint;
}

uint32_t bind_add_position(bind_case *to, md5_vec3 at)
{
    if (to->desc.num_positions == BIND_POSITIONS)
        abort();
    to->positions[to->desc.num_positions] = at;
    return to->desc.num_positions++;
}

void bind_add_triangle(bind_case *to, uint32_t a, uint32_t b, uint32_t c)
{
    if (to->desc.num_triangles == BIND_TRIANGLES)
        abort();
    uint32_t *const corners = to->indices + 3 * to->desc.num_triangles++;
    corners[0] = a, corners[1] = b, corners[2] = c;
}

// A side at `along` of axis w, between `low` and `high` of the others.
static void add_side(bind_case *to, const float *low, const float *high, int w, float along,
                     uint32_t cuts)
{
    const int u = (w + 1) % 3, v = (w + 2) % 3;
    const uint32_t first = to->desc.num_positions;
    for (uint32_t i = 0; i <= cuts; i++)
        for (uint32_t k = 0; k <= cuts; k++) {
            float at[3];
            at[u] = low[u] + (high[u] - low[u]) * (float)i / (float)cuts;
            at[v] = low[v] + (high[v] - low[v]) * (float)k / (float)cuts;
            at[w] = along;
            bind_add_position(to, (md5_vec3){at[0], at[1], at[2]});
        }
    for (uint32_t i = 0; i < cuts; i++)
        for (uint32_t k = 0; k < cuts; k++) {
            const uint32_t a = first + i * (cuts + 1) + k, b = a + cuts + 1;
            bind_add_triangle(to, a, b, a + 1);
            bind_add_triangle(to, b, b + 1, a + 1);
        }
}

void bind_add_box(bind_case *to, md5_vec3 low, md5_vec3 high, uint32_t cuts)
{
    const float l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    for (int axis = 0; axis < 3; axis++) {
        add_side(to, l, h, axis, l[axis], cuts);
        add_side(to, l, h, axis, h[axis], cuts);
    }
}

void bind_add_tube(bind_case *to, float length, bool is_closed)
{
    enum { AROUND = 24 };
    const uint32_t rings = (uint32_t)(4.0f * length) + 1, first = to->desc.num_positions;
    for (uint32_t ring = 0; ring < rings; ring++)
        for (uint32_t i = 0; i < AROUND; i++) {
            const double angle = 6.283185307179586 * (double)i / (double)AROUND;
            bind_add_position(
                to, (md5_vec3){0.25f * (float)ring, (float)cos(angle), (float)sin(angle)});
        }
    for (uint32_t ring = 0; ring + 1 < rings; ring++)
        for (uint32_t i = 0; i < AROUND; i++) {
            const uint32_t a = first + ring * AROUND + i;
            const uint32_t b = first + ring * AROUND + (i + 1) % AROUND;
            bind_add_triangle(to, a, b, a + AROUND);
            bind_add_triangle(to, b, b + AROUND, a + AROUND);
        }
    if (!is_closed)
        return;
    const uint32_t ends[2] = {bind_add_position(to, (md5_vec3){0, 0, 0}),
                              bind_add_position(to, (md5_vec3){length, 0, 0})};
    for (uint32_t end = 0; end < 2; end++)
        for (uint32_t i = 0; i < AROUND; i++) {
            const uint32_t ring = first + (end == 0 ? 0 : (rings - 1) * AROUND);
            bind_add_triangle(to, ends[end], ring + i, ring + (i + 1) % AROUND);
        }
}

double bind_weight(const md5_weights *weights, uint32_t vertex, uint32_t joint)
{
    const md5_vertex *const of = &weights->vertices[vertex];
    for (uint32_t i = 0; i < of->num_weights; i++)
        if (weights->weights[of->first_weight + i].joint == joint)
            return (double)weights->weights[of->first_weight + i].bias;
    return 0.0;
}

double bind_distance(md5_vec3 point, md5_vec3 from, md5_vec3 to)
{
    const double way[3] = {(double)to.x - (double)from.x, (double)to.y - (double)from.y,
                           (double)to.z - (double)from.z};
    const double p[3] = {(double)point.x - (double)from.x, (double)point.y - (double)from.y,
                         (double)point.z - (double)from.z};
    const double square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    double t = square > 0.0 ? (p[0] * way[0] + p[1] * way[1] + p[2] * way[2]) / square : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const double x = p[0] - t * way[0], y = p[1] - t * way[1], z = p[2] - t * way[2];
    return sqrt(x * x + y * y + z * z);
}
