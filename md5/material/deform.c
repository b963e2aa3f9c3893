// Deforms: vertices of a surface, computed for each image as in the engine. Formulas: the engine's
// renderer, tr_deform.cpp of dhewm3 (id's release of 2011).
#include "md5/core/assert.h"
#include "md5/material/material.h"
#include "md5/md5skin.h"

#include <math.h>
#include <string.h>

// -- Vectors --------------------------------------------------------------------------------------

// a + b * share
static md5_vec3 beyond(md5_vec3 a, md5_vec3 b, float share)
{
    const md5_vec3 sum = {a.x + b.x * share, a.y + b.y * share, a.z + b.z * share};
    return sum;
}

// The unit vector in the direction of `a`, or 0 if its length is 0.
static md5_vec3 unit(md5_vec3 a)
{
    const float length = md5_vec3_length(a);
    return md5_vec3_scale(a, length > 0.0f ? 1.0f / length : 0.0f);
}

static md5_vec3 middle_of(md5_vec3 a, md5_vec3 b)
{
    return md5_vec3_lerp(a, b, 0.5f);
}

// -- Surfaces -------------------------------------------------------------------------------------

// A surface before and after its deform.
typedef struct forming {
    const md5_mesh *mesh;
    const md5_vec3 *positions;
    const md5_vec3 *normals;
    const md5_deform_view *view;
    const md5_deformed *out;
} forming;

static void set_color(const md5_deformed *out, uint32_t vertex, md5_vec4 color)
{
    if (out->colors)
        out->colors[vertex] = color;
}

static void copy_vertices(const forming *form)
{
    const md5_vec4 white = {1.0f, 1.0f, 1.0f, 1.0f};
    for (uint32_t i = 0; i < form->mesh->num_vertices; i++) {
        form->out->positions[i] = form->positions[i];
        form->out->texcoords[i] = form->mesh->texcoords[i];
        set_color(form->out, i, form->mesh->colors ? form->mesh->colors[i] : white);
    }
}

// -- Tubes ----------------------------------------------------------------------------------------

typedef struct deform_edge {
    uint32_t from, to; // vertices
    float length;
} deform_edge;

// Every quad turns about its long axis, which joins the middles of its short edges, until it faces
// the viewer. The engine looks for the edges of the second and later quads among wrong triangles;
// here every quad is formed as its first.
static void form_tubes(const forming *form)
{
    copy_vertices(form);
    for (uint32_t i = 0; i < form->mesh->num_triangles; i += 2) {
        deform_edge ends[2];
        // Find the two shortest of the six edges of a quad's triangles, the shortest first.
        const uint32_t *const corners = form->mesh->indices + 3 * (size_t)i;
        const deform_edge none = {0, 0, INFINITY};
        ends[0] = ends[1] = none;
        for (uint32_t k = 0; k < 6; k++) {
            deform_edge side = {corners[k], corners[k % 3 == 2 ? k - 2 : k + 1], 0.0f};
            side.length =
                md5_vec3_length(md5_vec3_sub(form->positions[side.to], form->positions[side.from]));
            if (side.length < ends[0].length) {
                ends[1] = ends[0];
                ends[0] = side;
            } else if (side.length < ends[1].length) {
                ends[1] = side;
            }
        }
        const md5_vec3 first =
            middle_of(form->positions[ends[0].from], form->positions[ends[0].to]);
        const md5_vec3 last = middle_of(form->positions[ends[1].from], form->positions[ends[1].to]);
        const md5_vec3 axis = md5_vec3_sub(last, first);
        for (uint32_t k = 0; k < 2; k++) {
            const md5_vec3 middle = k == 0 ? first : last;
            const md5_vec3 across =
                unit(md5_vec3_cross(axis, md5_vec3_sub(middle, form->view->eye)));
            const float half = (k == 0 ? 0.5f : -0.5f) * ends[k].length;
            if (!isfinite(half)) // of vertices that are not finite
                continue;
            form->out->positions[ends[k].from] = beyond(middle, across, half);
            form->out->positions[ends[k].to] = beyond(middle, across, -half);
        }
    }
}

// -- Flares ---------------------------------------------------------------------------------------

enum { FLARE_VERTICES = 16, FLARE_TRIANGLES = 18 };

// Whether another triangle of a quad has the edge in the other direction.
static bool is_inner(const uint32_t *corners, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < 6; i++)
        if (corners[i] == to && corners[i % 3 == 2 ? i - 2 : i + 1] == from)
            return true;
    return false;
}

// Writes the four vertices around a quad in the order of its triangles. Returns false if they do
// not form one.
static bool find_outline(const uint32_t *corners, uint32_t outline[4])
{
    uint32_t count = 1;
    outline[0] = corners[0];
    for (uint32_t step = 0; step < 3; step++) {
        for (uint32_t i = 0; i < 6 && count == step + 1; i++) {
            const uint32_t to = corners[i % 3 == 2 ? i - 2 : i + 1];
            if (corners[i] == outline[step] && to != outline[0]
                && !is_inner(corners, corners[i], to))
                outline[count++] = to;
        }
    }
    return count == 4;
}

// A vertex of the border that is behind the quad's plane is moved into it, towards the eye.
static md5_vec3 in_front(md5_vec3 position, md5_vec3 eye, md5_vec3 normal, float distance)
{
    const md5_vec3 way = md5_vec3_sub(position, eye);
    const float length = md5_vec3_length(way);
    const float slope = md5_vec3_dot(unit(way), normal);
    const float reach = -distance / slope;
    return reach > 0.0f && reach < length ? beyond(eye, unit(way), reach) : position;
}

// A quad with a border that widens it as seen from the eye, brighter the more it faces the eye.
// Seen from behind, all its vertices coincide.
static void form_flare(const forming *form, float spread)
{
    const uint32_t *const indices = form->mesh->indices;
    const md5_vec3 *const positions = form->positions;
    const md5_deformed *const out = form->out;
    const md5_vec3 eye = form->view->eye;
    uint32_t outline[4] = {0, 0, 0, 0};
    md5_vec3 corners[4];
    const md5_vec3 normal =
        unit(md5_vec3_cross(md5_vec3_sub(positions[indices[0]], positions[indices[1]]),
                            md5_vec3_sub(positions[indices[2]], positions[indices[1]])));
    const float distance = md5_vec3_dot(normal, md5_vec3_sub(eye, positions[indices[0]]));
    const md5_vec3 centre =
        middle_of(middle_of(positions[0], positions[1]), middle_of(positions[2], positions[3]));
    const bool is_seen = find_outline(indices, outline) && distance > 0.0f;
    const float facing =
        floorf(2048.0f * md5_vec3_dot(unit(md5_vec3_sub(eye, centre)), normal)) / 255.0f;
    const float grey = facing > 0.0f ? facing < 1.0f ? facing : 1.0f : 0.0f;
    const md5_vec4 color = {grey, grey, grey, 1.0f};
    for (uint32_t i = 0; i < 4; i++)
        corners[i] = is_seen ? positions[outline[i]] : centre;
    for (uint32_t i = 0; i < FLARE_VERTICES; i++) {
        const uint32_t corner = i < 4 ? i : (i - 4) / 3;
        const md5_vec2 inside = {0.5f, 0.5f};
        const md5_vec2 outside = {0.0f, 0.5f};
        md5_vec3 ways[3];
        // The directions in which the border of a flare leaves corner `i`, as seen from the eye:
        // away from the edge to the corner before, between the other two, and away from the edge to
        // the next corner.
        const md5_vec3 here = unit(md5_vec3_sub(corners[corner], eye));
        const md5_vec3 next = unit(md5_vec3_sub(corners[(corner + 1) % 4], eye));
        const md5_vec3 before = unit(md5_vec3_sub(corners[(corner + 3) % 4], eye));
        ways[0] = unit(md5_vec3_cross(here, before));
        ways[2] = unit(md5_vec3_cross(next, here));
        ways[1] = unit(beyond(ways[0], ways[2], 1.0f));
        out->positions[i] = corners[corner];
        if (i >= 4 && is_seen)
            out->positions[i] =
                in_front(beyond(corners[corner], ways[(i - 4) % 3], spread), eye, normal, distance);
        out->texcoords[i] = i < 4 ? inside : outside;
        set_color(out, i, color);
    }
}

// -- Eyes -----------------------------------------------------------------------------------------

// As many triangles as the engine allows, which also bounds the time.
enum { EYE_ISLANDS = 3, EYE_TRIANGLES = 60 };

// Islands of triangles that share vertices. Those of several triangles are eyes; the others say
// where they look.
typedef struct eye_islands {
    uint32_t first[EYE_ISLANDS];  // triangles
    uint32_t of[EYE_TRIANGLES];   // the first triangle of each triangle's island,
    uint32_t size[EYE_TRIANGLES]; // of which there are so many triangles
} eye_islands;

// Returns false if there are not three.
static bool find_islands(const md5_mesh *mesh, eye_islands *islands)
{
    const uint32_t num_corners = 3 * mesh->num_triangles;
    uint32_t count = 0;
    bool changes = true;
    if (mesh->num_triangles > EYE_TRIANGLES)
        return false;
    *islands = (eye_islands){.size = {0}};
    for (uint32_t i = 0; i < mesh->num_triangles; i++)
        islands->of[i] = i;
    while (changes) {
        changes = false;
        for (uint32_t i = 0; i < num_corners; i++)
            for (uint32_t k = 0; k < num_corners; k++)
                if (mesh->indices[i] == mesh->indices[k]
                    && islands->of[i / 3] < islands->of[k / 3]) {
                    islands->of[k / 3] = islands->of[i / 3];
                    changes = true;
                }
    }
    for (uint32_t i = 0; i < mesh->num_triangles; i++)
        if (islands->size[islands->of[i]]++ == 0 && count++ < EYE_ISLANDS)
            islands->first[count - 1] = i;
    return count == EYE_ISLANDS;
}

static md5_vec3 middle_of_island(const forming *form, const eye_islands *islands, uint32_t island)
{
    md5_bounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < 3 * form->mesh->num_triangles; i++) {
        const md5_vec3 position = form->positions[form->mesh->indices[i]];
        const md5_bounds point = {position, position};
        if (islands->of[i / 3] == islands->first[island])
            box = md5_bounds_union(box, point);
    }
    return middle_of(box.min, box.max);
}

// Projects texture coordinates onto an eye. The nearer one of the other islands is the origin of
// the look, and the direction to the other one is where it goes.
static void project_eye(const forming *form, const eye_islands *islands, uint32_t eye)
{
    const uint32_t low = eye == 0 ? 1 : 0;
    const uint32_t high = eye == 2 ? 1 : 2;
    const md5_vec3 middle = middle_of_island(form, islands, eye);
    const md5_vec3 ends[2] = {middle_of_island(form, islands, low),
                              middle_of_island(form, islands, high)};
    const bool is_high = md5_vec3_length(md5_vec3_sub(ends[1], middle))
                         < md5_vec3_length(md5_vec3_sub(ends[0], middle));
    const md5_vec3 origin = ends[is_high];
    const md5_vec3 look = unit(md5_vec3_sub(ends[!is_high], origin));
    // As in the engine: corners from the number of that triangle on, not from three times it.
    const uint32_t *const corners = form->mesh->indices + islands->first[is_high ? high : low];
    const md5_vec3 *const positions = form->positions;
    md5_vec3 axes[2];
    axes[0] = md5_vec3_cross(unit(md5_vec3_sub(positions[corners[1]], positions[corners[0]])),
                             unit(md5_vec3_sub(positions[corners[2]], positions[corners[0]])));
    axes[1] = md5_vec3_cross(axes[0], look);
    for (uint32_t i = 0; i < 2; i++)
        axes[i] = unit(beyond(axes[i], look, -md5_vec3_dot(axes[i], look)));
    for (uint32_t i = 0; i < 3 * form->mesh->num_triangles; i++) {
        const uint32_t vertex = form->mesh->indices[i];
        const md5_vec3 local = md5_vec3_sub(positions[vertex], origin);
        const md5_vec2 texcoord = {0.5f + md5_vec3_dot(local, axes[0]),
                                   0.5f + md5_vec3_dot(local, axes[1])};
        if (islands->of[i / 3] == islands->first[eye])
            form->out->texcoords[vertex] = texcoord;
    }
}

// Writes the triangles of eyes to `indices`, unless that is NULL. Returns how many there are, or
// UINT32_MAX if the mesh is not made of three islands.
static uint32_t list_eyes(const md5_mesh *mesh, uint32_t *indices)
{
    eye_islands islands;
    uint32_t count = 0;
    if (!find_islands(mesh, &islands))
        return UINT32_MAX;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        const bool is_drawn = islands.size[islands.of[i]] > 1;
        if (is_drawn && indices)
            memcpy(indices + 3 * (size_t)count, mesh->indices + 3 * (size_t)i, 3 * sizeof *indices);
        count += is_drawn;
    }
    return count;
}

// -- Deforms in place -----------------------------------------------------------------------------

// Moves texture coordinates by a table along a direction of space. The engine adds the offset
// twice.
static void stir(const forming *form, const md5_table *table, const float values[3])
{
    const float range = values[0];
    const float offset = values[1];
    const float domain = values[2];
    copy_vertices(form);
    for (uint32_t i = 0; i < form->mesh->num_vertices && table; i++) {
        const md5_vec3 position = form->positions[i];
        const float along = position.x * 0.003f + position.y * 0.007f + position.z * 0.011f;
        const float x = offset + domain * along + offset;
        form->out->texcoords[i].x += range * md5i_table_at(table, x);
        form->out->texcoords[i].y += range * md5i_table_at(table, x + 0.5f);
    }
}

// -- Public ---------------------------------------------------------------------------------------

bool md5_deform_size(md5_deform deform, const md5_mesh *mesh, uint32_t *num_vertices,
                     uint32_t *num_triangles)
{
    MD5_ASSERT_PART(mesh, name);
    MD5_ASSERT(num_vertices != NULL && num_triangles != NULL, "not NULL");
    const uint32_t count = mesh->num_vertices;
    const bool has_quads =
        count > 0 && count % 4 == 0 && mesh->num_triangles == count / 2 && mesh->positions != NULL;
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
        return count > 0 && mesh->positions != NULL;
    default:
        return false;
    }
}

void md5_deform_indices(md5_deform deform, const md5_mesh *mesh, uint32_t *indices)
{
    MD5_ASSERT_PART(mesh, name);
    MD5_ASSERT(mesh != NULL && indices != NULL, "mesh, indices: must not be NULL");
    static const uint32_t sprite[6] = {0, 1, 2, 0, 2, 3};
    if (deform == MD5_DEFORM_EYEBALL) {
        (void)list_eyes(mesh, indices);
        return;
    }
    if (deform == MD5_DEFORM_FLARE) {
        for (uint32_t i = 0; i < 4; i++, indices += 12) {
            const uint32_t next = (i + 1) % 4;
            const uint32_t first = 4 + 3 * i;
            const uint32_t last = first + 2;
            const uint32_t around[12] = {i, first, first + 1,    i, first + 1,    last,
                                         i, last,  4 + 3 * next, i, 4 + 3 * next, next};
            memcpy(indices, around, sizeof around);
        }
        memcpy(indices, sprite, sizeof sprite);
        return;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->num_triangles; i++)
        indices[i] =
            deform == MD5_DEFORM_SPRITE ? (uint32_t)(i / 6 * 4) + sprite[i % 6] : mesh->indices[i];
}

void md5_deform_vertices(const md5_material *material, const md5_table *table,
                         const float *registers, const md5_mesh *mesh, const md5_vec3 *positions,
                         const md5_vec3 *normals, const md5_deform_view *view,
                         const md5_deformed *out)
{
    MD5_ASSERT_PART(mesh, name);
    MD5_ASSERT_PART(material, decl);
    MD5_ASSERT_NULL_OR_PART(table, values);
    MD5_ASSERT_NOT_NULL(registers);
    MD5_ASSERT(positions != NULL && view != NULL && out != NULL, "not NULL");
    MD5_ASSERT(out->positions != NULL && out->texcoords != NULL, "out: must not be NULL");
    MD5_ASSERT_RESERVED(view);
    MD5_ASSERT_RESERVED(out);
    const forming form = {mesh, positions, normals, view, out};
    float values[3];
    for (uint32_t i = 0; i < 3; i++)
        values[i] = registers[material->deform_registers[i]];
    switch (material->deform) {
    case MD5_DEFORM_SPRITE: {
        // Every four vertices become a square that faces the viewer. Half its side is the distance
        // of the first one from their mean, divided by the square root of 2 as the engine rounds
        // it.
        static const float side[4] = {1.0f, -1.0f, -1.0f, 1.0f}; // to the left
        static const float high[4] = {1.0f, 1.0f, -1.0f, -1.0f};
        copy_vertices(&form);
        for (uint32_t i = 0; i + 4 <= mesh->num_vertices; i += 4) {
            const md5_vec3 *const quad = positions + i;
            const md5_vec3 middle =
                middle_of(middle_of(quad[0], quad[1]), middle_of(quad[2], quad[3]));
            const float radius = 0.707f * md5_vec3_length(md5_vec3_sub(quad[0], middle));
            for (uint32_t k = 0; k < 4; k++) {
                const md5_vec3 beside = beyond(middle, view->left, side[k] * radius);
                const md5_vec2 corner = {0.5f - 0.5f * side[k], 0.5f - 0.5f * high[k]};
                out->positions[i + k] = beyond(beside, view->up, high[k] * radius);
                out->texcoords[i + k] = corner;
            }
        }
    } break;
    case MD5_DEFORM_TUBE:
        form_tubes(&form);
        break;
    case MD5_DEFORM_FLARE:
        form_flare(&form, values[0]);
        break;
    case MD5_DEFORM_EYEBALL: {
        eye_islands islands;
        copy_vertices(&form);
        const bool has_islands = find_islands(form.mesh, &islands);
        for (uint32_t i = 0; i < EYE_ISLANDS && has_islands; i++)
            if (islands.size[islands.first[i]] > 1)
                project_eye(&form, &islands, i);
    } break;
    case MD5_DEFORM_EXPAND:
        copy_vertices(&form);
        for (uint32_t i = 0; i < mesh->num_vertices && normals; i++)
            out->positions[i] = beyond(positions[i], normals[i], values[0]);
        break;
    case MD5_DEFORM_MOVE:
        copy_vertices(&form);
        for (uint32_t i = 0; i < mesh->num_vertices; i++)
            out->positions[i].x += values[0];
        break;
    case MD5_DEFORM_TURBULENT:
        stir(&form, table, values);
        break;
    default:
        copy_vertices(&form);
        break;
    }
}
