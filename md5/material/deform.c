// A deform computes the vertices of a surface again for each frame. The keyword `deform` of a
// material requests it. The formulas are the same as in the engine's renderer: tr_deform.cpp of
// dhewm3 (id's release of 2011).
//
// md5_deform_size() and md5_deform_indices() depend only on the mesh, so their results can be
// stored. md5_deform_vertices() also depends on the view and on the registers of the material.
#include "md5/core/assert.h"
#include "md5/material/material.h"
#include "md5/md5skin.h"

#include <math.h>
#include <string.h>

// -- Vectors --------------------------------------------------------------------------------------

// Returns a + b * factor.
static md5_vec3 add_scaled(md5_vec3 a, md5_vec3 b, float factor)
{
    const md5_vec3 sum = {a.x + b.x * factor, a.y + b.y * factor, a.z + b.z * factor};
    return sum;
}

// Returns the unit vector in the direction of `a`, or 0 if the length of `a` is 0.
static md5_vec3 unit_vector(md5_vec3 a)
{
    const float length = md5_vec3_length(a);
    return md5_vec3_scale(a, length > 0.0f ? 1.0f / length : 0.0f);
}

static md5_vec3 midpoint(md5_vec3 a, md5_vec3 b)
{
    return md5_vec3_lerp(a, b, 0.5f);
}

// Returns the point with the mean coordinates of four points.
static md5_vec3 quad_center(const md5_vec3 corners[4])
{
    return midpoint(midpoint(corners[0], corners[1]), midpoint(corners[2], corners[3]));
}

// -- Surfaces -------------------------------------------------------------------------------------

// A surface before its deform (`mesh`, `positions`, `normals`) and after it (`out`).
typedef struct deform_surface {
    const md5_mesh *mesh;
    const md5_vec3 *positions;
    const md5_vec3 *normals;
    const md5_deform_view *view;
    const md5_deformed *out;
} deform_surface;

// Writes the color of a vertex. Does nothing if the caller did not request colors.
static void set_color(const md5_deformed *out, uint32_t vertex, md5_vec4 color)
{
    if (out->colors)
        out->colors[vertex] = color;
}

// Writes the vertices of the surface without a deform. Vertices without a color are white.
static void copy_vertices(const deform_surface *surface)
{
    const md5_vec4 white = {1.0f, 1.0f, 1.0f, 1.0f};
    for (uint32_t i = 0; i < surface->mesh->num_vertices; i++) {
        surface->out->positions[i] = surface->positions[i];
        surface->out->texcoords[i] = surface->mesh->texcoords[i];
        set_color(surface->out, i, surface->mesh->colors ? surface->mesh->colors[i] : white);
    }
}

// -- Tubes ----------------------------------------------------------------------------------------

// An edge of a triangle, directed like the triangle's vertex order.
typedef struct deform_edge {
    uint32_t from; // vertex index
    uint32_t to;   // vertex index
    float length;
} deform_edge;

// Returns the index of the next corner in the same triangle. Corners are numbered consecutively
// from the first corner of the first triangle.
static uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

// Finds the two shortest of the six edges of a quad, which consists of two triangles. The shortest
// edge is first. `corners` contains the six vertex indices of the triangles.
static void find_short_edges(const deform_surface *surface, const uint32_t *corners,
                             deform_edge shortest[2])
{
    const deform_edge none = {.length = INFINITY};
    shortest[0] = none;
    shortest[1] = none;

    for (uint32_t k = 0; k < 6; k++) {
        deform_edge edge = {.from = corners[k], .to = corners[next_corner(k)]};
        edge.length = md5_vec3_length(
            md5_vec3_sub(surface->positions[edge.to], surface->positions[edge.from]));
        if (edge.length < shortest[0].length) {
            shortest[1] = shortest[0];
            shortest[0] = edge;
        } else if (edge.length < shortest[1].length) {
            shortest[1] = edge;
        }
    }
}

// Rotates a short edge of a quad about its midpoint `middle`. It is then perpendicular to the long
// axis of the quad and to the direction of the viewer. `sign` is 1 for the first edge and -1 for
// the second, because the two edges run in opposite directions around the quad.
static void face_viewer(const deform_surface *surface, const deform_edge *edge, md5_vec3 middle,
                        md5_vec3 axis, float sign)
{
    const md5_vec3 from_eye = md5_vec3_sub(middle, surface->view->eye);
    const md5_vec3 across = unit_vector(md5_vec3_cross(axis, from_eye));
    const float half_length = sign * 0.5f * edge->length;
    if (!isfinite(half_length)) // a vertex is not finite
        return;
    surface->out->positions[edge->from] = add_scaled(middle, across, half_length);
    surface->out->positions[edge->to] = add_scaled(middle, across, -half_length);
}

// Rotates every quad about its long axis until it faces the viewer. The long axis connects the
// midpoints of the short edges. The engine does this correctly only for the first quad of a
// surface, because it searches the edges of later quads in the wrong triangles.
static void deform_tubes(const deform_surface *surface)
{
    copy_vertices(surface);

    for (uint32_t i = 0; i < surface->mesh->num_triangles; i += 2) {
        deform_edge ends[2];
        md5_vec3 middles[2];
        find_short_edges(surface, surface->mesh->indices + 3 * (size_t)i, ends);

        for (uint32_t k = 0; k < 2; k++)
            middles[k] = midpoint(surface->positions[ends[k].from], surface->positions[ends[k].to]);

        const md5_vec3 axis = md5_vec3_sub(middles[1], middles[0]);
        face_viewer(surface, &ends[0], middles[0], axis, 1.0f);
        face_viewer(surface, &ends[1], middles[1], axis, -1.0f);
    }
}

// -- Flares ---------------------------------------------------------------------------------------

enum {
    FLARE_CORNERS = 4,
    BORDER_VERTICES_PER_CORNER = 3,
    FLARE_VERTICES = 16,
    FLARE_TRIANGLES = 18
};

// Returns true if both triangles of a quad have the edge. One of them has it in the reverse
// direction.
static bool is_inner_edge(const uint32_t *corners, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < 6; i++) {
        if (corners[i] == to && corners[next_corner(i)] == from)
            return true;
    }
    return false;
}

// Finds the end of the outer edge of a quad that starts at the vertex `from`. Ignores edges that
// end at `first`, where the outline starts. Returns false if there is no such edge.
static bool find_outer_edge(const uint32_t *corners, uint32_t from, uint32_t first, uint32_t *end)
{
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t to = corners[next_corner(i)];
        if (corners[i] == from && to != first && !is_inner_edge(corners, from, to)) {
            *end = to;
            return true;
        }
    }
    return false;
}

// Writes the four vertices around a quad. Follows its outer edges in the direction of its
// triangles, beginning at the first vertex. `corners` contains the six vertex indices of the two
// triangles. Returns false if the triangles do not form a quad.
static bool find_outline(const uint32_t *corners, uint32_t outline[4])
{
    outline[0] = corners[0];
    for (uint32_t i = 1; i < 4; i++) {
        if (!find_outer_edge(corners, outline[i - 1], outline[0], &outline[i]))
            return false;
    }
    return true;
}

// Moves a vertex behind a plane towards the eye until it is in the plane. The eye is at `distance`
// in front of the plane. A vertex in front of the plane is returned unchanged.
static md5_vec3 clip_to_plane(md5_vec3 position, md5_vec3 eye, md5_vec3 normal, float distance)
{
    const md5_vec3 ray = md5_vec3_sub(position, eye);
    const float length = md5_vec3_length(ray);
    const float slope = md5_vec3_dot(unit_vector(ray), normal);
    const float plane_distance = -distance / slope; // from the eye along the ray
    if (plane_distance > 0.0f && plane_distance < length)
        return add_scaled(eye, unit_vector(ray), plane_distance);
    return position;
}

// Clamps a value to 0..1. NaN becomes 0.
static float clamp_unit(float value)
{
    if (!(value > 0.0f))
        return 0.0f;
    return value < 1.0f ? value : 1.0f;
}

// Computes the three directions from a corner of a flare (flare_quad) to its border vertices, as
// seen from the eye. The first is perpendicular to the edge to the previous corner. The last is
// perpendicular to the edge to the next corner. The middle one is between them.
static void find_border_directions(const md5_vec3 corners[4], uint32_t corner, md5_vec3 eye,
                                   md5_vec3 directions[3])
{
    const md5_vec3 to_corner = unit_vector(md5_vec3_sub(corners[corner], eye));
    const md5_vec3 to_next = unit_vector(md5_vec3_sub(corners[(corner + 1) % 4], eye));
    const md5_vec3 to_previous = unit_vector(md5_vec3_sub(corners[(corner + 3) % 4], eye));
    directions[0] = unit_vector(md5_vec3_cross(to_corner, to_previous));
    directions[2] = unit_vector(md5_vec3_cross(to_next, to_corner));
    directions[1] = unit_vector(add_scaled(directions[0], directions[2], 1.0f));
}

// The quad of a flare as seen from the eye. A flare is a quad with a glowing border around it.
typedef struct flare_quad {
    md5_vec3 corners[4]; // in the order of the outline; all equal `center` if not visible
    md5_vec3 center;
    md5_vec3 normal;
    md5_vec3 eye;
    float distance; // distance of the eye in front of the plane of the quad
    bool is_visible;
} flare_quad;

// Finds the quad of a flare, and its position relative to the eye. It is visible if the triangles
// of the surface form a quad and the eye is in front of it.
static flare_quad find_flare_quad(const deform_surface *surface)
{
    const uint32_t *const indices = surface->mesh->indices;
    const md5_vec3 *const positions = surface->positions;
    flare_quad quad = {.center = quad_center(positions), .eye = surface->view->eye};
    quad.normal =
        unit_vector(md5_vec3_cross(md5_vec3_sub(positions[indices[0]], positions[indices[1]]),
                                   md5_vec3_sub(positions[indices[2]], positions[indices[1]])));
    quad.distance = md5_vec3_dot(quad.normal, md5_vec3_sub(quad.eye, positions[indices[0]]));

    uint32_t outline[4] = {0, 0, 0, 0};
    quad.is_visible = find_outline(indices, outline) && quad.distance > 0.0f;
    for (uint32_t i = 0; i < 4; i++)
        quad.corners[i] = quad.is_visible ? positions[outline[i]] : quad.center;
    return quad;
}

// Returns the color of a flare, which is brighter the more the quad faces the eye. The factors are
// the same as in the engine.
static md5_vec4 flare_color(const flare_quad *quad)
{
    const md5_vec3 to_eye = unit_vector(md5_vec3_sub(quad->eye, quad->center));
    const float brightness = floorf(2048.0f * md5_vec3_dot(to_eye, quad->normal)) / 255.0f;
    const float gray = clamp_unit(brightness);
    const md5_vec4 color = {gray, gray, gray, 1.0f};
    return color;
}

// Returns one of the three border vertices of a corner, at the distance `spread` from the corner.
static md5_vec3 flare_border_vertex(const flare_quad *quad, uint32_t corner, uint32_t direction,
                                    float spread)
{
    md5_vec3 directions[3];
    find_border_directions(quad->corners, corner, quad->eye, directions);
    const md5_vec3 border = add_scaled(quad->corners[corner], directions[direction], spread);
    return clip_to_plane(border, quad->eye, quad->normal, quad->distance);
}

// Writes a quad with a border of width `spread` around it, as seen from the eye. If the eye is
// behind the quad, all vertices are at its center, so that the flare is invisible. Vertices 0 to 3
// are the corners of the quad. The three border vertices of each corner follow.
static void deform_flare(const deform_surface *surface, float spread)
{
    const md5_deformed *const out = surface->out;
    const md5_vec2 corner_texcoord = {0.5f, 0.5f};
    const md5_vec2 border_texcoord = {0.0f, 0.5f};
    const flare_quad quad = find_flare_quad(surface);
    const md5_vec4 color = flare_color(&quad);

    for (uint32_t i = 0; i < FLARE_CORNERS; i++) {
        out->positions[i] = quad.corners[i];
        out->texcoords[i] = corner_texcoord;
        set_color(out, i, color);
    }
    for (uint32_t i = 0; i < FLARE_VERTICES - FLARE_CORNERS; i++) {
        const uint32_t vertex = FLARE_CORNERS + i;
        const uint32_t corner = i / BORDER_VERTICES_PER_CORNER;
        const uint32_t direction = i % BORDER_VERTICES_PER_CORNER;
        out->positions[vertex] = quad.corners[corner];
        if (quad.is_visible)
            out->positions[vertex] = flare_border_vertex(&quad, corner, direction, spread);
        out->texcoords[vertex] = border_texcoord;
        set_color(out, vertex, color);
    }
}

// -- Eyes -----------------------------------------------------------------------------------------

// A mesh with eyes consists of EYE_ISLANDS sets of triangles: see eye_islands. The engine has the
// same maximum number of triangles. This limit also bounds the time of find_islands().
enum { EYE_ISLANDS = 3, MAX_EYE_TRIANGLES = 60 };

// The islands of a mesh, which are sets of triangles that are connected by shared vertices. An
// island of several triangles is an eye. An island of one triangle is a marker. Two markers
// determine the direction of the gaze.
typedef struct eye_islands {
    uint32_t first_triangles[EYE_ISLANDS]; // first triangle of each island
    uint32_t roots[MAX_EYE_TRIANGLES];     // first triangle of each triangle's island
    uint32_t sizes[MAX_EYE_TRIANGLES];     // triangles of an island, indexed by its first triangle
} eye_islands;

// Sets `roots`. Each triangle starts as an island of its own. Islands of triangles that share a
// vertex are merged until none changes. The root of an island is its lowest triangle index.
static void connect_triangles(const md5_mesh *mesh, eye_islands *islands)
{
    const uint32_t num_corners = 3 * mesh->num_triangles;
    bool has_changed = true;
    for (uint32_t i = 0; i < mesh->num_triangles; i++)
        islands->roots[i] = i;

    while (has_changed) {
        has_changed = false;
        for (uint32_t i = 0; i < num_corners; i++) {
            for (uint32_t k = 0; k < num_corners; k++) {
                const bool is_shared = mesh->indices[i] == mesh->indices[k];
                const uint32_t root = islands->roots[i / 3];
                uint32_t *const other_root = &islands->roots[k / 3];
                if (is_shared && root < *other_root) {
                    *other_root = root;
                    has_changed = true;
                }
            }
        }
    }
}

// Divides a mesh into islands and counts their triangles. Returns false if the mesh does not
// consist of exactly three islands.
static bool find_islands(const md5_mesh *mesh, eye_islands *islands)
{
    if (mesh->num_triangles > MAX_EYE_TRIANGLES)
        return false;
    *islands = (eye_islands){.sizes = {0}};
    connect_triangles(mesh, islands);

    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const bool is_first = islands->sizes[islands->roots[i]] == 0;
        islands->sizes[islands->roots[i]]++;
        if (!is_first)
            continue;
        if (count < EYE_ISLANDS)
            islands->first_triangles[count] = i;
        count++;
    }
    return count == EYE_ISLANDS;
}

// Returns the center of an island's bounding box.
static md5_vec3 island_center(const deform_surface *surface, const eye_islands *islands,
                              uint32_t island)
{
    md5_bounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < 3 * surface->mesh->num_triangles; i++) {
        const md5_vec3 position = surface->positions[surface->mesh->indices[i]];
        const md5_bounds point = {position, position};
        if (islands->roots[i / 3] == islands->first_triangles[island])
            box = md5_bounds_union(box, point);
    }
    return midpoint(box.min, box.max);
}

// The gaze of an eye. It starts at the center of the island that is nearest to the eye, and is
// directed at the center of the third island.
typedef struct eye_gaze {
    uint32_t near_island;
    md5_vec3 origin;
    md5_vec3 direction;
} eye_gaze;

// Finds the gaze of an eye. `eye` is the index of its island.
static eye_gaze find_gaze(const deform_surface *surface, const eye_islands *islands, uint32_t eye)
{
    // `first` and `second` are the two islands other than `eye`.
    const uint32_t first = eye == 0 ? 1 : 0;
    const uint32_t second = eye == 2 ? 1 : 2;
    const md5_vec3 eye_center = island_center(surface, islands, eye);
    const md5_vec3 first_center = island_center(surface, islands, first);
    const md5_vec3 second_center = island_center(surface, islands, second);
    const float first_distance = md5_vec3_length(md5_vec3_sub(first_center, eye_center));
    const float second_distance = md5_vec3_length(md5_vec3_sub(second_center, eye_center));

    eye_gaze gaze = {.near_island = first, .origin = first_center};
    md5_vec3 target = second_center;
    if (second_distance < first_distance) {
        gaze.near_island = second;
        gaze.origin = second_center;
        target = first_center;
    }
    gaze.direction = unit_vector(md5_vec3_sub(target, gaze.origin));
    return gaze;
}

// Returns the direction of the part of `a` that is perpendicular to the unit vector `normal`, as a
// unit vector.
static md5_vec3 unit_perpendicular_part(md5_vec3 a, md5_vec3 normal)
{
    return unit_vector(add_scaled(a, normal, -md5_vec3_dot(a, normal)));
}

// Computes the directions in model space in which the two texture coordinates of an eye increase.
// Both are unit vectors perpendicular to the gaze.
static void find_texture_axes(const deform_surface *surface, const eye_islands *islands,
                              const eye_gaze *gaze, md5_vec3 axes[2])
{
    // The first axis should be the normal of the marker near the eye. But the engine uses the index
    // of the marker's triangle as an index of vertices, without the factor 3. It thus finds three
    // other vertices. Do the same, because texture coordinates must be the same as in the engine.
    const uint32_t *const corners =
        surface->mesh->indices + islands->first_triangles[gaze->near_island];
    const md5_vec3 *const positions = surface->positions;
    const md5_vec3 first_edge =
        unit_vector(md5_vec3_sub(positions[corners[1]], positions[corners[0]]));
    const md5_vec3 second_edge =
        unit_vector(md5_vec3_sub(positions[corners[2]], positions[corners[0]]));
    const md5_vec3 normal = md5_vec3_cross(first_edge, second_edge);
    const md5_vec3 side = md5_vec3_cross(normal, gaze->direction);

    axes[0] = unit_perpendicular_part(normal, gaze->direction);
    axes[1] = unit_perpendicular_part(side, gaze->direction);
}

// Projects the texture onto an eye along its gaze. The center of the texture is at the start of the
// gaze. `eye` is the index of the eye's island.
static void project_eye(const deform_surface *surface, const eye_islands *islands, uint32_t eye)
{
    const eye_gaze gaze = find_gaze(surface, islands, eye);
    md5_vec3 axes[2];
    find_texture_axes(surface, islands, &gaze, axes);

    for (uint32_t i = 0; i < 3 * surface->mesh->num_triangles; i++) {
        const bool is_in_eye = islands->roots[i / 3] == islands->first_triangles[eye];
        if (!is_in_eye)
            continue;
        const uint32_t vertex = surface->mesh->indices[i];
        const md5_vec3 local = md5_vec3_sub(surface->positions[vertex], gaze.origin);
        const md5_vec2 texcoord = {0.5f + md5_vec3_dot(local, axes[0]),
                                   0.5f + md5_vec3_dot(local, axes[1])};
        surface->out->texcoords[vertex] = texcoord;
    }
}

// Projects the texture onto each eye along its gaze. Changes nothing if the mesh does not consist
// of three islands, which are connected parts: see eye_islands.
static void deform_eyeballs(const deform_surface *surface)
{
    eye_islands islands;
    copy_vertices(surface);
    if (!find_islands(surface->mesh, &islands))
        return;
    for (uint32_t i = 0; i < EYE_ISLANDS; i++) {
        if (islands.sizes[islands.first_triangles[i]] > 1)
            project_eye(surface, &islands, i);
    }
}

// Returns the number of triangles of the eyes, or UINT32_MAX if the mesh does not consist of three
// islands. Also writes the vertex indices of these triangles to `indices` unless it is NULL.
static uint32_t list_eyes(const md5_mesh *mesh, uint32_t *indices)
{
    eye_islands islands;
    uint32_t count = 0;
    if (!find_islands(mesh, &islands))
        return UINT32_MAX;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const bool is_eye = islands.sizes[islands.roots[i]] > 1;
        if (!is_eye)
            continue;
        if (indices)
            memcpy(indices + 3 * (size_t)count, mesh->indices + 3 * (size_t)i, 3 * sizeof *indices);
        count++;
    }
    return count;
}

// -- Other deforms --------------------------------------------------------------------------------

// Replaces every four vertices by a square that faces the viewer. The distance from the center to a
// corner of the square is the distance to the first vertex. Half of its side is therefore that
// distance divided by the square root of 2. The engine rounds this to a factor of 0.707.
static void deform_sprites(const deform_surface *surface)
{
    // The signs give the direction of each corner of the square from its center, in the order of
    // its vertices.
    static const float left_signs[4] = {1.0f, -1.0f, -1.0f, 1.0f};
    static const float up_signs[4] = {1.0f, 1.0f, -1.0f, -1.0f};

    const md5_deformed *const out = surface->out;
    copy_vertices(surface);
    for (uint32_t i = 0; i + 4 <= surface->mesh->num_vertices; i += 4) {
        const md5_vec3 *const quad = surface->positions + i;
        const md5_vec3 center = quad_center(quad);
        const float radius = 0.707f * md5_vec3_length(md5_vec3_sub(quad[0], center));

        for (uint32_t k = 0; k < 4; k++) {
            const md5_vec3 side = add_scaled(center, surface->view->left, left_signs[k] * radius);
            const md5_vec2 corner = {0.5f - 0.5f * left_signs[k], 0.5f - 0.5f * up_signs[k]};
            out->positions[i + k] = add_scaled(side, surface->view->up, up_signs[k] * radius);
            out->texcoords[i + k] = corner;
        }
    }
}

// Moves texture coordinates by the values of a table, so that the texture appears to flow. `values`
// are the arguments of the keyword `turbulent`: range, offset and domain. The movement is the range
// times the value of the table at
//
//   x = offset + domain * along + offset,
//
// where `along` is the position of the vertex along a fixed direction of model space. The offset is
// added twice, as in the engine.
static void deform_turbulent(const deform_surface *surface, const md5_table *table,
                             const float values[3])
{
    const float range = values[0];
    const float offset = values[1];
    const float domain = values[2];
    copy_vertices(surface);
    if (!table)
        return;
    for (uint32_t i = 0; i < surface->mesh->num_vertices; i++) {
        const md5_vec3 position = surface->positions[i];
        const float along = position.x * 0.003f + position.y * 0.007f + position.z * 0.011f;
        const float x = offset + domain * along + offset;
        surface->out->texcoords[i].x += range * md5i_sample_table(table, x);
        surface->out->texcoords[i].y += range * md5i_sample_table(table, x + 0.5f);
    }
}

// Moves each vertex along its normal.
static void deform_expand(const deform_surface *surface, float distance)
{
    copy_vertices(surface);
    if (!surface->normals)
        return;
    for (uint32_t i = 0; i < surface->mesh->num_vertices; i++)
        surface->out->positions[i] =
            add_scaled(surface->positions[i], surface->normals[i], distance);
}

// Moves each vertex along the x axis.
static void deform_move(const deform_surface *surface, float distance)
{
    copy_vertices(surface);
    for (uint32_t i = 0; i < surface->mesh->num_vertices; i++)
        surface->out->positions[i].x += distance;
}

// -- Public ---------------------------------------------------------------------------------------

// Returns true if a mesh has the form that a deform requires. Sets the numbers of vertices and
// triangles of the deformed surface.
bool md5_deform_size(md5_deform deform, const md5_mesh *mesh, uint32_t *num_vertices,
                     uint32_t *num_triangles)
{
    MD5_ASSERT_PART(mesh, name);
    MD5_ASSERT(num_vertices != NULL && num_triangles != NULL,
               "num_vertices, num_triangles: must not be NULL");

    const uint32_t count = mesh->num_vertices;
    const bool has_positions = count > 0 && mesh->positions != NULL;
    const bool has_quads = has_positions && count % 4 == 0 && mesh->num_triangles == count / 2;

    *num_vertices = deform == MD5_DEFORM_FLARE ? (uint32_t)FLARE_VERTICES : count;
    *num_triangles = deform == MD5_DEFORM_FLARE ? (uint32_t)FLARE_TRIANGLES : mesh->num_triangles;

    switch (deform) {
    case MD5_DEFORM_SPRITE:
    case MD5_DEFORM_TUBE:
        return has_quads;
    case MD5_DEFORM_FLARE:
        return has_quads && count == 4;
    case MD5_DEFORM_EYEBALL:
        *num_triangles = list_eyes(mesh, NULL);
        return *num_triangles != UINT32_MAX && mesh->positions != NULL;
    case MD5_DEFORM_EXPAND:
    case MD5_DEFORM_MOVE:
    case MD5_DEFORM_TURBULENT:
        return has_positions;
    default:
        return false;
    }
}

// The two triangles of a quad with four consecutive vertices.
static const uint32_t quad_triangles[6] = {0, 1, 2, 0, 2, 3};

// Writes the triangles of a flare: four at each corner, which form the border, then the quad.
static void write_flare_indices(uint32_t *indices)
{
    for (uint32_t corner = 0; corner < FLARE_CORNERS; corner++, indices += 12) {
        const uint32_t next = (corner + 1) % FLARE_CORNERS;
        // `first` to `last` are the border vertices around this corner. `next_first` is the first
        // border vertex of the next corner.
        const uint32_t first = FLARE_CORNERS + BORDER_VERTICES_PER_CORNER * corner;
        const uint32_t last = first + 2;
        const uint32_t next_first = FLARE_CORNERS + BORDER_VERTICES_PER_CORNER * next;
        const uint32_t border[12] = {
            corner, first,      first + 1,  // around the corner
            corner, first + 1,  last,       // around the corner
            corner, last,       next_first, // along the edge to the next corner
            corner, next_first, next,       // along the edge to the next corner
        };
        memcpy(indices, border, sizeof border);
    }
    memcpy(indices, quad_triangles, sizeof quad_triangles);
}

// Writes the vertex indices of a deformed surface, three for each triangle.
void md5_deform_indices(md5_deform deform, const md5_mesh *mesh, uint32_t *indices)
{
    MD5_ASSERT_PART(mesh, name);
    MD5_ASSERT(mesh != NULL && indices != NULL, "mesh, indices: must not be NULL");
    const size_t num_indices = 3 * (size_t)mesh->num_triangles;

    switch (deform) {
    case MD5_DEFORM_EYEBALL:
        (void)list_eyes(mesh, indices);
        break;
    case MD5_DEFORM_FLARE:
        write_flare_indices(indices);
        break;
    case MD5_DEFORM_SPRITE: // each quad has 6 indices and 4 vertices
        for (size_t i = 0; i < num_indices; i++)
            indices[i] = (uint32_t)(i / 6 * 4) + quad_triangles[i % 6];
        break;
    default:
        for (size_t i = 0; i < num_indices; i++)
            indices[i] = mesh->indices[i];
        break;
    }
}

// Computes the vertices of a deformed surface. `values` are the arguments of the deform. `table` is
// the table of a turbulent deform, or NULL.
static void deform_vertices(const deform_surface *surface, md5_deform deform,
                            const md5_table *table, const float values[3])
{
    switch (deform) {
    case MD5_DEFORM_SPRITE:
        deform_sprites(surface);
        break;
    case MD5_DEFORM_TUBE:
        deform_tubes(surface);
        break;
    case MD5_DEFORM_FLARE:
        deform_flare(surface, values[0]);
        break;
    case MD5_DEFORM_EYEBALL:
        deform_eyeballs(surface);
        break;
    case MD5_DEFORM_EXPAND:
        deform_expand(surface, values[0]);
        break;
    case MD5_DEFORM_MOVE:
        deform_move(surface, values[0]);
        break;
    case MD5_DEFORM_TURBULENT:
        deform_turbulent(surface, table, values);
        break;
    default:
        copy_vertices(surface);
        break;
    }
}

// Computes the vertices of a deformed surface for one frame. `registers` contains the current
// values of the material's expressions. `table` is the table of a turbulent deform, or NULL.
void md5_deform_vertices(const md5_material *material, const md5_table *table,
                         const float *registers, const md5_mesh *mesh, const md5_vec3 *positions,
                         const md5_vec3 *normals, const md5_deform_view *view,
                         const md5_deformed *out)
{
    MD5_ASSERT_PART(mesh, name);
    MD5_ASSERT_PART(material, decl);
    MD5_ASSERT_NULL_OR_PART(table, values);
    MD5_ASSERT_NOT_NULL(registers);
    MD5_ASSERT(positions != NULL && view != NULL && out != NULL,
               "positions, view, out: must not be NULL");
    MD5_ASSERT(out->positions != NULL && out->texcoords != NULL, "out: must not be NULL");
    MD5_ASSERT_RESERVED(view);
    MD5_ASSERT_RESERVED(out);

    const deform_surface surface = {mesh, positions, normals, view, out};
    float values[3]; // arguments of the deform
    for (uint32_t i = 0; i < 3; i++)
        values[i] = registers[material->deform_registers[i]];

    deform_vertices(&surface, material->deform, table, values);
}
