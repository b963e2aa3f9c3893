// md5_skin(): the reference that every faster kernel must equal bit for bit.
//
// Order of the sums, with m a palette entry and q an influence (bias * point, bias), over the
// influences of a vertex as they are stored:
//
//   position: lane[r][c] = m[r][c] * q[c] of the first, + m[r][c] * q[c] of the next, ...
//             row r      = (lane[r][0] + lane[r][1]) + (lane[r][2] + lane[r][3])
//   blend:    e[r][c]    = m[r][c] * bias of the first, + m[r][c] * bias of the next, ...
//   turned:   row r      = (e[r][0] * x + e[r][1] * y) + e[r][2] * z
//   unit:     each of x y z * (1 / sqrt((x * x + y * y) + z * z))
//
// Lanes are summed over the influences before they are summed along a row, because four-wide
// registers do that for nothing: a palette row and an influence are multiplied as they lie.
// The first product starts the sum, so that one influence costs no addition.
#include "md5/core/math.h"

typedef struct lanes {
    float of[12]; // as md5_mat34
} lanes;

static inline lanes multiply(const md5_mat34 *m, md5_vec4 factors)
{
    const float f[4] = {factors.x, factors.y, factors.z, factors.w};
    lanes product;
    for (int i = 0; i < 12; i++)
        product.of[i] = m->m[i] * f[i % 4];
    return product;
}

static inline lanes add(lanes a, lanes b)
{
    for (int i = 0; i < 12; i++)
        a.of[i] += b.of[i];
    return a;
}

// The exact place of a vertex; the origin if nothing influences it.
static inline md5_vec3 place(const md5_mesh *mesh, const md5_mat34 *palette, uint32_t vertex)
{
    const uint32_t first = mesh->first_influence[vertex], end = mesh->first_influence[vertex + 1];
    if (first == end)
        return (md5_vec3){0.0f, 0.0f, 0.0f};
    const uint32_t *joints = mesh->influence_joints;
    lanes sum = multiply(&palette[joints[first]], mesh->influences[first]);
    for (uint32_t i = first + 1; i < end; i++)
        sum = add(sum, multiply(&palette[joints[i]], mesh->influences[i]));
    return (md5_vec3){
        (sum.of[0] + sum.of[1]) + (sum.of[2] + sum.of[3]),
        (sum.of[4] + sum.of[5]) + (sum.of[6] + sum.of[7]),
        (sum.of[8] + sum.of[9]) + (sum.of[10] + sum.of[11]),
    };
}

// The rotations of a vertex's joints, blended by bias: not a rotation itself, but its directions
// are what the vertex turns to. Zero if nothing influences the vertex.
static inline lanes blend(const md5_mesh *mesh, const md5_mat34 *palette, uint32_t vertex)
{
    const uint32_t first = mesh->first_influence[vertex], end = mesh->first_influence[vertex + 1];
    lanes sum = {{0.0f}};
    for (uint32_t i = first; i < end; i++) {
        const float bias = mesh->influences[i].w;
        const lanes product =
            multiply(&palette[mesh->influence_joints[i]], (md5_vec4){bias, bias, bias, bias});
        sum = i == first ? product : add(sum, product);
    }
    return sum;
}

// A direction of the bind pose, turned and brought to unit length, or as it was if it vanishes.
static inline md5_vec3 turn(const lanes *e, md5_vec3 bind)
{
    const md5_vec3 turned = {
        (e->of[0] * bind.x + e->of[1] * bind.y) + e->of[2] * bind.z,
        (e->of[4] * bind.x + e->of[5] * bind.y) + e->of[6] * bind.z,
        (e->of[8] * bind.x + e->of[9] * bind.y) + e->of[10] * bind.z,
    };
    return md5_vec3_normalize(turned, bind);
}

static inline md5_vec4 turn_tangent(const lanes *e, md5_vec4 bind)
{
    const md5_vec3 turned = turn(e, (md5_vec3){bind.x, bind.y, bind.z});
    return (md5_vec4){turned.x, turned.y, turned.z, bind.w};
}

static void skin_positions(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions)
{
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++)
        positions[vertex] = place(mesh, palette, vertex);
}

static void skin_with_normals(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
                              md5_vec3 *normals)
{
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const lanes e = blend(mesh, palette, vertex);
        positions[vertex] = place(mesh, palette, vertex);
        normals[vertex] = turn(&e, mesh->normals[vertex]);
    }
}

static void skin_with_tangents(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
                               md5_vec4 *tangents)
{
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const lanes e = blend(mesh, palette, vertex);
        positions[vertex] = place(mesh, palette, vertex);
        tangents[vertex] = turn_tangent(&e, mesh->tangents[vertex]);
    }
}

static void skin_with_both(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
                           md5_vec3 *normals, md5_vec4 *tangents)
{
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const lanes e = blend(mesh, palette, vertex);
        positions[vertex] = place(mesh, palette, vertex);
        normals[vertex] = turn(&e, mesh->normals[vertex]);
        tangents[vertex] = turn_tangent(&e, mesh->tangents[vertex]);
    }
}

void md5_skin(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
              md5_vec3 *normals, md5_vec4 *tangents)
{
    if (normals && tangents)
        skin_with_both(mesh, palette, positions, normals, tangents);
    else if (normals)
        skin_with_normals(mesh, palette, positions, normals);
    else if (tangents)
        skin_with_tangents(mesh, palette, positions, tangents);
    else
        skin_positions(mesh, palette, positions);
}
