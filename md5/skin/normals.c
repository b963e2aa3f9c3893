#include "md5/skin/normals.h"

#include "md5/skin/vec3d.h"
#include "md5/skin/weld.h"

// Sums of unit vectors that are shorter than this are rounding, not a direction.
#define CANCELLED 1e-6

// Outward, unit length; zero for a triangle without an area. Front faces are clockwise.
static md5_vec3d face_normal(md5_vec3 a, md5_vec3 b, md5_vec3 c)
{
    const md5_vec3d origin = md5_vec3d_of(a);
    const md5_vec3d to_b = md5_vec3d_sub(md5_vec3d_of(b), origin);
    const md5_vec3d to_c = md5_vec3d_sub(md5_vec3d_of(c), origin);
    return md5_vec3d_normalize(md5_vec3d_cross(to_c, to_b));
}

static md5_vec3 choose_normal(md5_vec3d of_place, md5_vec3d of_vertex)
{
    if (md5_vec3d_length(of_place) > CANCELLED)
        return md5_vec3d_round(md5_vec3d_normalize(of_place));
    if (md5_vec3d_length(of_vertex) > CANCELLED)
        return md5_vec3d_round(md5_vec3d_normalize(of_vertex));
    return (md5_vec3){0.0f, 0.0f, 1.0f};
}

bool md5_build_normals(md5_arena *arena, uint32_t num_vertices, uint32_t num_triangles,
                       const md5_geometry_arrays *arrays)
{
    uint32_t *places = md5_arena_alloc(arena, num_vertices, sizeof *places);
    TRY(places);
    TRY(md5_weld(arena, arrays->positions, num_vertices, places));
    md5_vec3d *of_vertices = md5_arena_alloc(arena, num_vertices, sizeof *of_vertices);
    TRY(of_vertices);
    md5_vec3d *of_places = md5_arena_alloc(arena, num_vertices, sizeof *of_places);
    TRY(of_places);

    for (size_t i = 0; i < num_triangles; i++) {
        const uint32_t *corners = arrays->indices + 3 * i;
        const md5_vec3d normal =
            face_normal(arrays->positions[corners[0]], arrays->positions[corners[1]],
                        arrays->positions[corners[2]]);
        for (int corner = 0; corner < 3; corner++) {
            md5_vec3d *sum = &of_vertices[corners[corner]];
            *sum = md5_vec3d_add(*sum, normal);
        }
    }
    for (uint32_t i = 0; i < num_vertices; i++)
        of_places[places[i]] = md5_vec3d_add(of_places[places[i]], of_vertices[i]);
    for (uint32_t i = 0; i < num_vertices; i++)
        arrays->normals[i] = choose_normal(of_places[places[i]], of_vertices[i]);
    return true;
}
