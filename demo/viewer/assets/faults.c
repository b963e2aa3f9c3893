#include "demo/viewer/assets/faults.h"

#include <math.h>
#include <stdio.h>

static const float slack = 0.01f;

static md5_vec3 tangent_at(const view_directed *pose, uint32_t vertex)
{
    const md5_vec4 tangent = pose->tangents[vertex];
    return (md5_vec3){tangent.x, tangent.y, tangent.z};
}

// Not a number is a fault, too.
static bool is_unit(md5_vec3 direction)
{
    return fabsf(md5_vec3_length(direction) - 1.0f) <= slack;
}

static void check_vertex(const view_directed *pose, uint32_t vertex, view_faults *faults,
                         bool *marks)
{
    const md5_vec3 normal = pose->normals[vertex];
    bool is_short = !is_unit(normal), is_skewed = false;
    if (pose->tangents != NULL) {
        const md5_vec3 tangent = tangent_at(pose, vertex);
        is_short = is_short || !is_unit(tangent);
        const float most_skew = pose->most_skew > 0.0f ? pose->most_skew : slack;
        is_skewed = !is_short && !(fabsf(md5_vec3_dot(normal, tangent)) <= most_skew);
    }
    faults->num_short += is_short;
    faults->num_skewed += is_skewed;
    if (marks != NULL)
        marks[vertex] = is_short || is_skewed;
}

// A triangle in space and on the texture.
typedef struct textured_face {
    md5_vec3 outward, edges[2];
    float uv_area;     // twice the signed area on the texture
    md5_vec2 sides[2]; // its edges on the texture
} textured_face;

static textured_face face_of(const md5_mesh *mesh, const view_directed *pose,
                             const uint32_t *corners)
{
    textured_face f = {.uv_area = 0.0f};
    const md5_vec2 from = mesh->texcoords[corners[0]];
    for (int i = 0; i < 2; i++) {
        const uint32_t to = corners[i + 1];
        f.edges[i] = md5_vec3_sub(pose->positions[to], pose->positions[corners[0]]);
        f.sides[i] = (md5_vec2){mesh->texcoords[to].x - from.x, mesh->texcoords[to].y - from.y};
    }
    const md5_vec3 across = md5_vec3_cross(f.edges[0], f.edges[1]);
    f.outward = md5_vec3_scale(across, mesh->is_mirrored ? 1.0f : -1.0f);
    f.uv_area = f.sides[0].x * f.sides[1].y - f.sides[0].y * f.sides[1].x;
    return f;
}

// The sign with which cross(outward, along u) points along v, from the directions in which u and v
// grow on the triangle: (e0 * dv1 - e1 * dv0) / area and (e1 * du0 - e0 * du1) / area.
static float handedness(const textured_face *f)
{
    const md5_vec3 u = md5_vec3_sub(md5_vec3_scale(f->edges[0], f->sides[1].y),
                                    md5_vec3_scale(f->edges[1], f->sides[0].y));
    const md5_vec3 v = md5_vec3_sub(md5_vec3_scale(f->edges[1], f->sides[0].x),
                                    md5_vec3_scale(f->edges[0], f->sides[1].x));
    return md5_vec3_dot(md5_vec3_cross(f->outward, u), v) < 0.0f ? -1.0f : 1.0f;
}

static void check_triangle(const md5_mesh *mesh, const view_directed *pose, const uint32_t *corners,
                           view_faults *faults, bool *marks)
{
    const textured_face f = face_of(mesh, pose, corners);
    const bool has_handedness = pose->tangents != NULL && (f.uv_area < 0.0f || f.uv_area > 0.0f);
    bool is_flipped = false, is_mirrored = false;
    if (!(md5_vec3_length(f.outward) > 0.0f)) {
        faults->num_flat++;
        return;
    }
    const float hand = has_handedness ? handedness(&f) : 0.0f;
    for (int i = 0; i < 3; i++) {
        const uint32_t vertex = corners[i];
        const bool turns = md5_vec3_dot(pose->normals[vertex], f.outward) < 0.0f;
        const bool differs = has_handedness && pose->tangents[vertex].w * hand < 0.0f;
        is_flipped = is_flipped || turns;
        is_mirrored = is_mirrored || differs;
        if (marks != NULL)
            marks[vertex] = marks[vertex] || turns || differs;
    }
    faults->num_flipped += is_flipped;
    faults->num_mirrored += is_mirrored;
}

view_faults view_find_faults_in(const md5_mesh *mesh, const view_directed *pose, bool *marks)
{
    view_faults faults = {.num_short = 0};
    for (uint32_t v = 0; v < mesh->num_vertices; v++)
        check_vertex(pose, v, &faults, marks);
    for (uint32_t t = 0; t < mesh->num_triangles; t++)
        check_triangle(mesh, pose, mesh->indices + 3 * (size_t)t, &faults, marks);
    return faults;
}

view_faults view_find_faults(const md5_mesh *mesh, bool *marks)
{
    const view_directed bind = {mesh->positions, mesh->normals, mesh->tangents, slack};
    return view_find_faults_in(mesh, &bind, marks);
}

view_faults view_add_faults(view_faults a, view_faults b)
{
    return (view_faults){
        .num_short = a.num_short + b.num_short,
        .num_skewed = a.num_skewed + b.num_skewed,
        .num_flipped = a.num_flipped + b.num_flipped,
        .num_mirrored = a.num_mirrored + b.num_mirrored,
        .num_flat = a.num_flat + b.num_flat,
    };
}

uint32_t view_count_faults(const view_faults *faults)
{
    return faults->num_short + faults->num_skewed + faults->num_flipped + faults->num_mirrored;
}

void view_describe_faults(const view_faults *faults, char *text, size_t size)
{
    const struct {
        uint32_t count;
        const char *what;
    } kinds[] = {
        {faults->num_short, "normals or tangents not of length 1"},
        {faults->num_skewed, "tangents not perpendicular to the normal"},
        {faults->num_flipped, "triangles face away from a normal"},
        {faults->num_mirrored, "triangles mirrored otherwise than a tangent"},
        {faults->num_flat, "triangles without area"},
    };
    size_t used = 0;
    (void)snprintf(text, size, "none");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && used < size; i++)
        if (kinds[i].count > 0)
            used += (size_t)snprintf(text + used, size - used, "%s%u %s", used > 0 ? ", " : "",
                                     (unsigned)kinds[i].count, kinds[i].what);
}
