// Contacts of a convex body with triangles of the ground.
//
// The triangles form a surface that is solid from its outer side only. A body can touch it with
// three pairs of features:
//
//   feature of the body   feature of the ground   contact normal
//   vertex                triangle                normal of the triangle
//   edge                  ridge                   perpendicular to both edges
//   face                  peak                    normal of the face, reversed
//
// A ridge is a convex edge of the surface, or the side of a triangle that no other triangle shares.
// A peak is an end of a ridge. An edge inside a flat part of the surface, or in a valley, needs no
// contact, because a body that touches it also touches the triangles next to it.
//
// If a body is in front of the surface, every pair within reach keeps the body outside. If a body
// penetrates the surface, it must leave in the direction of the least penetration. The pairs may
// have different directions: for example, a point below the edge of a stair is behind the tread and
// behind the riser. Two functions select the pairs that are used: leave_by_nearest_triangle() for a
// vertex, and add_ridge() for a ridge.
#include "md5/ragdoll/contact_search.h"

enum { MAX_TRIANGLES = 64 };

#define TOUCHING 0.1      // units of penetration up to which a pair of features only touches
#define SIDE_MARGIN 0.02  // units by which triangles and edges are enlarged
#define VALLEY_MARGIN 4.0 // units behind a valley up to which a vertex may sink
#define PEAK_MARGIN 0.25  // units by which a peak may be outside of the edges of a face
#define MIN_BEND 0.02     // sine of the smallest angle at a ridge or a valley
#define ARC_MARGIN 0.02   // sine of the angle by which a normal may be outside of its arc
#define SAME_EXIT 0.9     // cosine of the largest angle between normals of the same exit direction

// The shape of the surface beyond a side of a triangle.
typedef enum side_kind {
    SIDE_OPEN,   // no triangle shares the side
    SIDE_FLAT,   // the surface continues in the same plane
    SIDE_RIDGE,  // the surface bends away from the outer side
    SIDE_VALLEY, // the surface bends toward the outer side
} side_kind;

typedef struct ground_triangle {
    md5_vec3d vertices[3];
    md5_vec3d normal; // outward
    // Outward normals of the sides, in the plane of the triangle. Side i begins at vertices[i].
    md5_vec3d sides[3];
    double level;          // distance of the triangle's plane from the origin, along `normal`
    double side_levels[3]; // distances of the sides from the origin, along `sides`
    bool is_near;          // within reach, and a part of the body is in front of the triangle
    uint32_t front_vertex; // the vertex of the body that is farthest in front of the triangle
    // The members below are set only if is_near.
    side_kind kinds[3];
    uint32_t neighbors[3];      // MD5_NONE: open
    uint32_t neighbor_sides[3]; // index of the same side in that triangle
} ground_triangle;

typedef struct ground_surface {
    uint32_t num_triangles;
    ground_triangle triangles[MAX_TRIANGLES];
} ground_surface;

// == Surface ======================================================================================

// Returns false if a triangle has no area or a vertex is not finite.
static bool build_triangle(ground_triangle *triangle, const md5_vec3 vertices[3])
{
    for (int i = 0; i < 3; i++)
        triangle->vertices[i] = md5_vec3d_from_vec3(vertices[i]);
    const md5_vec3d *const at = triangle->vertices;
    triangle->normal = md5_vec3d_normalize(
        md5_vec3d_cross(md5_vec3d_sub(at[2], at[0]), md5_vec3d_sub(at[1], at[0])));
    if (!(md5_vec3d_dot(triangle->normal, triangle->normal) > 0.5))
        return false;
    triangle->level = md5_vec3d_dot(triangle->normal, at[0]);
    for (int i = 0; i < 3; i++) {
        const md5_vec3d along = md5_vec3d_sub(at[(i + 1) % 3], at[i]);
        triangle->sides[i] = md5_vec3d_normalize(md5_vec3d_cross(triangle->normal, along));
        triangle->side_levels[i] = md5_vec3d_dot(triangle->sides[i], at[i]);
    }
    return true;
}

// Returns the height of a point above the plane of a triangle. It is negative behind the triangle,
// which is in the ground.
static double height_above(const ground_triangle *triangle, md5_vec3d point)
{
    return md5_vec3d_dot(triangle->normal, point) - triangle->level;
}

// Returns the distance of a point from a side of a triangle, measured in the plane of the triangle.
// It is positive outside of the triangle.
static double distance_beyond(const ground_triangle *triangle, uint32_t side, md5_vec3d point)
{
    return md5_vec3d_dot(triangle->sides[side], point) - triangle->side_levels[side];
}

// Returns true if the projection of a point to the plane of a triangle is within the triangle, with
// its sides moved outward by a margin.
static bool is_over(const ground_triangle *triangle, md5_vec3d point, double margin)
{
    for (uint32_t i = 0; i < 3; i++) {
        if (distance_beyond(triangle, i, point) > margin)
            return false;
    }
    return true;
}

// Returns true if a point is behind a valley. It is then in the wedge between the space below a
// triangle and the space below its neighbor, at most VALLEY_MARGIN outside of the triangle's side.
// Without this test, a vertex that sinks into one triangle would pass through the other one.
static bool is_behind_valley(const ground_surface *surface, const ground_triangle *triangle,
                             uint32_t side, md5_vec3d point)
{
    const md5_vec3d from = triangle->vertices[side];
    const md5_vec3d to = triangle->vertices[(side + 1) % 3];
    const md5_vec3d along = md5_vec3d_sub(to, from);
    const double position = md5_vec3d_dot(md5_vec3d_sub(point, from), along);
    const bool is_next_to_side = position >= 0.0 && position <= md5_vec3d_dot(along, along);
    if (!is_next_to_side)
        return false;

    const ground_triangle *const neighbor = &surface->triangles[triangle->neighbors[side]];
    const uint32_t neighbor_side = triangle->neighbor_sides[side];
    return distance_beyond(triangle, side, point) < VALLEY_MARGIN
           && distance_beyond(neighbor, neighbor_side, point) > 0.0;
}

// Returns true if a near triangle bounds the motion of a point. The point must be within each side
// of the triangle, with a tolerance:
//
// - `margin` at a ridge or an open side
// - SIDE_MARGIN at other sides
//
// Beyond a valley side, the triangle also bounds a point that is behind the valley.
static bool is_bounded_by(const ground_surface *surface, const ground_triangle *triangle,
                          md5_vec3d point, double margin)
{
    for (uint32_t i = 0; i < 3; i++) {
        const side_kind kind = triangle->kinds[i];
        const bool is_at_edge = kind == SIDE_OPEN || kind == SIDE_RIDGE;
        const double tolerance = is_at_edge ? margin : SIDE_MARGIN;
        if (distance_beyond(triangle, i, point) <= tolerance)
            continue;
        if (kind != SIDE_VALLEY || !is_behind_valley(surface, triangle, i, point))
            return false;
    }
    return true;
}

// Sets is_near and front_vertex. If the whole body is behind a triangle, the triangle is ignored,
// because the ground is solid from outside only.
static void test_reach(const contact_search *search, ground_triangle *triangle)
{
    double min_height = INFINITY;
    double max_height = -INFINITY;
    for (uint32_t i = 0; i < search->num_vertices; i++) {
        const double height = height_above(triangle, search->vertices[i]);
        min_height = md5_min(min_height, height);
        if (height > max_height) {
            max_height = height;
            triangle->front_vertex = i;
        }
    }
    const bool is_within_reach = min_height < search->reach;
    const bool is_partly_in_front = max_height > -TOUCHING;
    triangle->is_near = is_within_reach && is_partly_in_front;
}

static bool are_equal(md5_vec3d a, md5_vec3d b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Returns the kind of the side that two triangles share. It is a ridge if the neighbor bends down
// from the triangle, and a valley if it bends up.
static side_kind find_side_kind(const ground_triangle *triangle, uint32_t side,
                                const ground_triangle *neighbor)
{
    const double rise = md5_vec3d_dot(neighbor->normal, triangle->sides[side]);
    if (rise > MIN_BEND)
        return SIDE_RIDGE;
    return rise < -MIN_BEND ? SIDE_VALLEY : SIDE_FLAT;
}

// Sets the neighbor of a near triangle at one of its sides: side `neighbor_side` of the triangle
// with the index `neighbor`.
static void set_neighbor(ground_surface *surface, uint32_t index, uint32_t side, uint32_t neighbor,
                         uint32_t neighbor_side)
{
    ground_triangle *const triangle = &surface->triangles[index];
    if (!triangle->is_near)
        return;
    triangle->neighbors[side] = neighbor;
    triangle->neighbor_sides[side] = neighbor_side;
    triangle->kinds[side] = find_side_kind(triangle, side, &surface->triangles[neighbor]);
}

// Makes two triangles neighbors at each side that they share. Neighbors share two vertices exactly,
// and run along their common side in opposite directions. The front and the back of a thin sheet
// are two triangles with the same vertices; they are neighbors at all three sides.
static void connect_triangles(ground_surface *surface, uint32_t first, uint32_t second)
{
    const md5_vec3d *const a = surface->triangles[first].vertices;
    const md5_vec3d *const b = surface->triangles[second].vertices;
    for (uint32_t i = 0; i < 3; i++) {
        MD5_UNROLL
        for (uint32_t k = 0; k < 3; k++) {
            if (!are_equal(a[i], b[(k + 1) % 3]) || !are_equal(a[(i + 1) % 3], b[k]))
                continue;
            set_neighbor(surface, first, i, second, k);
            set_neighbor(surface, second, k, first, i);
        }
    }
}

// Finds the neighbors of the near triangles, and the kinds of their sides. A side without a
// neighbor is open. If several triangles share a side, the last one counts as the neighbor.
static void find_neighbors(ground_surface *surface)
{
    for (uint32_t i = 0; i < surface->num_triangles; i++) {
        ground_triangle *const triangle = &surface->triangles[i];
        for (uint32_t side = 0; side < 3; side++) {
            triangle->neighbors[side] = MD5_NONE;
            triangle->kinds[side] = SIDE_OPEN;
        }
    }
    for (uint32_t i = 0; i < surface->num_triangles; i++) {
        for (uint32_t k = i + 1; k < surface->num_triangles; k++) {
            if (surface->triangles[i].is_near || surface->triangles[k].is_near)
                connect_triangles(surface, i, k);
        }
    }
}

// Returns the bounding box of the body, enlarged by the reach of the search on all sides.
static md5_bounds reach_box(const contact_search *search)
{
    md5_vec3d low = search->vertices[0];
    md5_vec3d high = low;
    for (uint32_t i = 1; i < search->num_vertices; i++) {
        const md5_vec3d at = search->vertices[i];
        low = (md5_vec3d){md5_min(low.x, at.x), md5_min(low.y, at.y), md5_min(low.z, at.z)};
        high = (md5_vec3d){md5_max(high.x, at.x), md5_max(high.y, at.y), md5_max(high.z, at.z)};
    }
    const md5_vec3d reach = {search->reach, search->reach, search->reach};
    return (md5_bounds){md5_vec3d_round(md5_vec3d_sub(low, reach)),
                        md5_vec3d_round(md5_vec3d_add(high, reach))};
}

// Reads the triangles that a body may reach, and finds the neighbors of the near triangles.
static void read_surface(const contact_search *search, ground_surface *surface)
{
    const md5_ground *const ground = &search->ragdoll->desc.ground;
    md5_vec3 vertices[MAX_TRIANGLES][3];
    const uint32_t found =
        ground->triangles(ground->user, reach_box(search), vertices, MAX_TRIANGLES);
    const uint32_t count = found < MAX_TRIANGLES ? found : MAX_TRIANGLES;

    surface->num_triangles = 0;
    for (uint32_t i = 0; i < count; i++) {
        ground_triangle *const triangle = &surface->triangles[surface->num_triangles];
        if (!build_triangle(triangle, vertices[i]))
            continue;
        test_reach(search, triangle);
        surface->num_triangles++;
    }
    find_neighbors(surface);
}

// == Segments =====================================================================================

// Clips a part of a segment to the space behind a plane. part[0] and part[1] are the ends of the
// part, as fractions of the segment. Returns false if nothing remains.
static bool clip(md5_vec3d from, md5_vec3d to, md5_vec3d normal, double level, double part[2])
{
    const double from_height = md5_vec3d_dot(normal, from) - level;
    const double to_height = md5_vec3d_dot(normal, to) - level;
    if (from_height > 0.0 && to_height > 0.0)
        return false;
    if (from_height > 0.0)
        part[0] = md5_max(part[0], from_height / (from_height - to_height));
    else if (to_height > 0.0)
        part[1] = md5_min(part[1], from_height / (from_height - to_height));
    return part[0] <= part[1];
}

// Returns true if a part of a segment is inside of the body, whose faces are moved outward by a
// margin.
static bool reaches_body(const contact_search *search, md5_vec3d from, md5_vec3d to, double margin)
{
    double part[2] = {0.0, 1.0};
    for (uint32_t i = 0; i < search->num_planes; i++) {
        const ragdoll_plane *const plane = &search->planes[i];
        if (!clip(from, to, plane->normal, plane->level + margin, part))
            return false;
    }
    return true;
}

// Returns true if a segment passes through a triangle from behind. It must cross the plane of the
// triangle within the triangle.
static bool passes_through(const ground_triangle *triangle, md5_vec3d from, md5_vec3d to)
{
    const double from_height = height_above(triangle, from);
    const double to_height = height_above(triangle, to);
    if (from_height >= 0.0 || to_height < 0.0)
        return false;

    const double fraction =
        from_height / (from_height - to_height); // fraction of the segment, up to the plane
    const md5_vec3d to_plane = md5_vec3d_scale(md5_vec3d_sub(to, from), fraction);
    return is_over(triangle, md5_vec3d_add(from, to_plane), SIDE_MARGIN);
}

// Returns true if the segment between two vertices of the body passes through the surface from
// behind. The vertex `from` is then in the ground.
static bool passes_outward(const ground_surface *surface, md5_vec3d from, md5_vec3d to)
{
    for (uint32_t i = 0; i < surface->num_triangles; i++) {
        if (passes_through(&surface->triangles[i], from, to))
            return true;
    }
    return false;
}

// == Vertices of the body and triangles ===========================================================

enum { MAX_BEHIND = 8 };

// The triangles of the ground that a vertex of the body has penetrated. The vertex is behind each
// of them, on the inner side of the surface.
typedef struct penetration {
    uint32_t count;
    const ground_triangle *triangles[MAX_BEHIND];
    double depths[MAX_BEHIND]; // distance of the vertex from the plane of each triangle, units
} penetration;

// Returns the index of the triangle through which the vertex leaves the ground by the shortest way.
static uint32_t find_least_depth(const penetration *behind)
{
    uint32_t nearest = 0;
    for (uint32_t i = 1; i < behind->count; i++) {
        if (behind->depths[i] < behind->depths[nearest])
            nearest = i;
    }
    return nearest;
}

// Adds candidates for a vertex that is behind several triangles. It leaves the ground through the
// nearest triangle. Another triangle is added only if the vertex would then still be behind it, as
// in a valley.
static void leave_by_nearest_triangle(contact_search *search, const ground_surface *surface,
                                      md5_vec3d vertex, const penetration *behind)
{
    const uint32_t nearest = find_least_depth(behind);
    const md5_vec3d to_nearest =
        md5_vec3d_scale(behind->triangles[nearest]->normal, behind->depths[nearest]);
    const md5_vec3d outside = md5_vec3d_add(vertex, to_nearest); // point at which the vertex leaves

    for (uint32_t i = 0; i < behind->count; i++) {
        const ground_triangle *const triangle = behind->triangles[i];
        const bool is_still_behind = height_above(triangle, outside) < 0.0
                                     && is_bounded_by(surface, triangle, outside, -SIDE_MARGIN);
        if (i == nearest || is_still_behind)
            md5i_add_contact_candidate(search, vertex, triangle->normal, triangle->level);
    }
}

// Returns true if a vertex at a negative height above a near triangle has penetrated it. A vertex
// far below the triangle may also be outside of the ground, for example below a bridge. To decide
// this, follows the way to the vertex of the body that is farthest in front of the triangle. The
// vertex is in the ground if this way passes through the surface.
static bool has_penetrated(const contact_search *search, const ground_surface *surface,
                           const ground_triangle *triangle, md5_vec3d vertex, double height)
{
    if (height > -TOUCHING)
        return true;
    return passes_outward(surface, vertex, search->vertices[triangle->front_vertex]);
}

// Adds a triangle to the list of triangles that a vertex has penetrated. Ignores it if the list is
// full.
static void add_penetrated_triangle(penetration *behind, const ground_triangle *triangle,
                                    double depth)
{
    if (behind->count == MAX_BEHIND)
        return;
    behind->triangles[behind->count] = triangle;
    behind->depths[behind->count] = depth;
    behind->count++;
}

// Adds candidates for a vertex of a body, one for each near triangle that bounds its motion. A
// vertex in the ground is behind some of these triangles. leave_by_nearest_triangle() then selects
// those through which it leaves.
static void add_vertex(contact_search *search, const ground_surface *surface, md5_vec3d vertex)
{
    penetration behind;
    behind.count = 0;
    for (uint32_t i = 0; i < surface->num_triangles; i++) {
        const ground_triangle *const triangle = &surface->triangles[i];
        if (!triangle->is_near)
            continue;
        const double height = height_above(triangle, vertex);
        // A vertex deep in the ground must be clearly below the triangle, not only next to its
        // side.
        const double margin = height > -TOUCHING ? SIDE_MARGIN : -SIDE_MARGIN;
        if (height > search->reach || !is_bounded_by(surface, triangle, vertex, margin))
            continue;

        if (height >= 0.0)
            md5i_add_contact_candidate(search, vertex, triangle->normal, triangle->level);
        else if (has_penetrated(search, surface, triangle, vertex, height))
            add_penetrated_triangle(&behind, triangle, -height);
    }
    if (behind.count > 0)
        leave_by_nearest_triangle(search, surface, vertex, &behind);
}

// == Edges of the body and ridges =================================================================

// A ridge of the ground: a convex edge between two triangles, or an open side, which no other
// triangle shares.
typedef struct ground_ridge {
    md5_vec3d from;
    md5_vec3d to;
    md5_vec3d along; // to - from
    // The possible contact normals form an arc. It begins at the normal of one triangle. It ends at
    // the normal of the other triangle, or at the outward normal of an open side. Normals in the
    // arc are perpendicular to the ridge, and their components along arc_sides[] are not negative.
    md5_vec3d arc_ends[2];
    md5_vec3d arc_sides[2];
    bool is_open;
} ground_ridge;

// A contact of a ridge with an edge of the body, or of a peak, which is an end of the ridge, with a
// face.
typedef struct ridge_contact {
    md5_vec3d on_body;  // nearest point of the body
    md5_vec3d on_ridge; // nearest point of the ridge
    md5_vec3d normal;   // unit vector out of the ground
    double gap;         // distance from on_ridge to on_body along the normal; negative if the body
                        // penetrates
} ridge_contact;

// Returns true if a side of a near triangle is a ridge that this triangle must add to the search.
// Two near triangles share a ridge, so only the one with the lower index adds it.
static bool owns_ridge(const ground_surface *surface, uint32_t index, int side)
{
    const ground_triangle *const triangle = &surface->triangles[index];
    const side_kind kind = triangle->kinds[side];
    if (kind != SIDE_OPEN && kind != SIDE_RIDGE)
        return false;
    if (kind == SIDE_OPEN)
        return true;
    const uint32_t neighbor = triangle->neighbors[side];
    return index < neighbor || !surface->triangles[neighbor].is_near;
}

// Returns the ridge at a side of a triangle. The side must be a ridge or open.
static ground_ridge build_ridge(const ground_surface *surface, const ground_triangle *triangle,
                                int side)
{
    ground_ridge ridge;
    ridge.from = triangle->vertices[side];
    ridge.to = triangle->vertices[(side + 1) % 3];
    ridge.along = md5_vec3d_sub(ridge.to, ridge.from);
    ridge.is_open = triangle->kinds[side] == SIDE_OPEN;

    // The arc begins at the normal of this triangle, and goes toward the outward normal of the
    // side.
    ridge.arc_ends[0] = triangle->normal;
    ridge.arc_sides[0] = triangle->sides[side];
    if (ridge.is_open) {
        // The arc is a right angle: each end is perpendicular to the other end.
        ridge.arc_ends[1] = triangle->sides[side];
        ridge.arc_sides[1] = triangle->normal;
    } else {
        const ground_triangle *const neighbor = &surface->triangles[triangle->neighbors[side]];
        ridge.arc_ends[1] = neighbor->normal;
        ridge.arc_sides[1] = neighbor->sides[triangle->neighbor_sides[side]];
    }
    return ridge;
}

// Returns true if a direction points out of the body at one of its edges. It is then in the arc
// between the outward unit normals of the two faces at the edge. It must be perpendicular to the
// edge. `margin` is the distance by which it may be outside of the arc.
static bool points_out_at_edge(md5_vec3d direction, md5_vec3d first_normal, md5_vec3d second_normal,
                               double margin)
{
    const double cosine = md5_vec3d_dot(first_normal, second_normal);
    const double along_first = md5_vec3d_dot(direction, first_normal);
    const double along_second = md5_vec3d_dot(direction, second_normal);
    const bool is_after_first = along_second - cosine * along_first > -margin;
    const bool is_before_second = along_first - cosine * along_second > -margin;
    return is_after_first && is_before_second;
}

// Finds the contact normal of an edge of the body and a ridge, which is perpendicular to both.
// `along` is the vector from one end of the edge to the other. Returns false if edge and ridge are
// nearly parallel or cannot touch each other.
//
// Two edges can touch only along a direction that points out of the ground at the ridge. The
// reversed direction must point out of the body at the edge (Gregorius, "The Separating Axis Test
// between Convex Polyhedra", Game Developers Conference 2013).
static bool find_edge_normal(const contact_search *search, const ground_ridge *ridge,
                             const ragdoll_edge *edge, md5_vec3d along, md5_vec3d *normal)
{
    const md5_vec3d across = md5_vec3d_cross(along, ridge->along);
    const double square = md5_vec3d_dot(across, across);
    const double product = md5_vec3d_dot(along, along) * md5_vec3d_dot(ridge->along, ridge->along);
    const bool is_parallel = !(square > 1e-6 * product);
    if (is_parallel)
        return false;

    // Either the cross product or its reverse points out of the ground.
    const double length = sqrt(square);
    const double margin = ARC_MARGIN * length;
    const double first = md5_vec3d_dot(across, ridge->arc_sides[0]);
    const double second = md5_vec3d_dot(across, ridge->arc_sides[1]);
    const double sign = first + second < 0.0 ? -1.0 : 1.0;
    const bool points_out_of_ground = sign * first >= -margin && sign * second >= -margin;
    if (!points_out_of_ground)
        return false;

    const md5_vec3d into_ground = md5_vec3d_scale(across, -sign);
    const md5_vec3d first_normal = search->planes[edge->planes[0]].normal;
    const md5_vec3d second_normal = search->planes[edge->planes[1]].normal;
    if (!points_out_at_edge(into_ground, first_normal, second_normal, margin))
        return false;
    *normal = md5_vec3d_scale(across, sign / length);
    return true;
}

// Returns true if a point of a line is on a segment, with SIDE_MARGIN added at both ends.
// `position` is 0 at the start of the segment, and 1 at its end. `along` is the vector from start
// to end.
static bool is_on_segment(double position, md5_vec3d along)
{
    const double margin = SIDE_MARGIN / md5_vec3d_length(along);
    return position >= -margin && position <= 1.0 + margin;
}

// Finds the possible contact of an edge of the body with a ridge. Returns false if they do not face
// each other, or are farther apart than the reach of the search.
static bool find_edge_contact(const contact_search *search, const ground_ridge *ridge,
                              const ragdoll_edge *edge, ridge_contact *contact)
{
    const md5_vec3d from = search->vertices[edge->vertices[0]];
    const md5_vec3d along = md5_vec3d_sub(search->vertices[edge->vertices[1]], from);
    if (!find_edge_normal(search, ridge, edge, along, &contact->normal))
        return false;

    // Find the nearest points of both lines, as fractions s of the edge A and t of the ridge B. The
    // vector between them, apart + t B - s A, is perpendicular to both lines:
    //
    //   s dot(A, A) - t dot(A, B) = dot(apart, A)
    //   s dot(A, B) - t dot(B, B) = dot(apart, B)
    const md5_vec3d apart = md5_vec3d_sub(ridge->from, from);
    const double aa = md5_vec3d_dot(along, along);
    const double ab = md5_vec3d_dot(along, ridge->along);
    const double bb = md5_vec3d_dot(ridge->along, ridge->along);
    const double a = md5_vec3d_dot(apart, along);
    const double b = md5_vec3d_dot(apart, ridge->along);
    const double determinant = aa * bb - ab * ab; // not 0: the lines are not parallel
    const double on_edge = (a * bb - b * ab) / determinant;
    const double on_ridge = (a * ab - b * aa) / determinant;
    if (!is_on_segment(on_edge, along) || !is_on_segment(on_ridge, ridge->along))
        return false;

    contact->on_body = md5_vec3d_add(from, md5_vec3d_scale(along, on_edge));
    contact->on_ridge = md5_vec3d_add(ridge->from, md5_vec3d_scale(ridge->along, on_ridge));
    contact->gap =
        md5_vec3d_dot(contact->normal, md5_vec3d_sub(contact->on_body, contact->on_ridge));
    return contact->gap < search->reach;
}

// == Faces of the body and peaks ==================================================================

// The face of the body that is nearest to a point. The heights are the distances of the point from
// the planes of this face and of the second nearest face. They are positive outside of the body.
typedef struct nearest_face {
    const ragdoll_plane *face; // NULL if the body does not have faces
    double height;
    double second_height;
} nearest_face;

// Finds the face of the body that is nearest to a point. In a convex body, it is the face above
// whose plane the point is highest.
static nearest_face find_nearest_face(const contact_search *search, md5_vec3d point)
{
    nearest_face nearest = {.face = NULL, .height = -INFINITY, .second_height = -INFINITY};
    for (uint32_t i = 0; i < search->num_planes; i++) {
        const ragdoll_plane *const plane = &search->planes[i];
        const double height = md5_vec3d_dot(plane->normal, point) - plane->level;
        if (height > nearest.height) {
            nearest.second_height = nearest.height;
            nearest.height = height;
            nearest.face = plane;
        } else {
            nearest.second_height = md5_max(nearest.second_height, height);
        }
    }
    return nearest;
}

// Finds the possible contact of a peak with the face of the body that is nearest to it. Returns
// false if the peak is out of reach, or not in front of a face.
static bool find_peak_contact(const contact_search *search, md5_vec3d peak, ridge_contact *contact)
{
    const nearest_face nearest = find_nearest_face(search, peak);
    if (!nearest.face || nearest.height > search->reach)
        return false;
    // A peak that is also in front of a second face is beyond the edges of the nearest face.
    if (nearest.second_height > PEAK_MARGIN)
        return false;

    contact->normal = md5_vec3d_scale(nearest.face->normal, -1.0);
    contact->gap = nearest.height;
    contact->on_ridge = peak;
    contact->on_body = md5_vec3d_add(peak, md5_vec3d_scale(contact->normal, nearest.height));
    return true;
}

// Tolerances of is_exposed(). A triangle is at a point if its distance is at most EXPOSED_DISTANCE,
// units. A vertex of the triangle counts as above a plane through the point if it is higher than
// EXPOSED_RISE plus EXPOSED_SLOPE times its distance from the point, units.
#define EXPOSED_DISTANCE 0.05
#define EXPOSED_SLOPE 0.03
#define EXPOSED_RISE 1e-3

// Returns true if a vertex of a triangle is above the plane with this normal through a point.
static bool rises_above_plane(const ground_triangle *triangle, md5_vec3d point, md5_vec3d normal)
{
    for (int i = 0; i < 3; i++) {
        const md5_vec3d away = md5_vec3d_sub(triangle->vertices[i], point);
        const double tolerance = EXPOSED_SLOPE * md5_vec3d_length(away) + EXPOSED_RISE;
        if (md5_vec3d_dot(away, normal) > tolerance)
            return true;
    }
    return false;
}

// Returns true if a body can touch the surface at a point along this normal. No triangle at the
// point may rise above the plane through the point. Neighbors are not enough for this test, because
// a triangle can touch an open side without sharing its vertices.
static bool is_exposed(const ground_surface *surface, md5_vec3d point, md5_vec3d normal)
{
    for (uint32_t i = 0; i < surface->num_triangles; i++) {
        const ground_triangle *const triangle = &surface->triangles[i];
        const bool is_at_triangle = fabs(height_above(triangle, point)) <= EXPOSED_DISTANCE
                                    && is_over(triangle, point, EXPOSED_DISTANCE);
        if (is_at_triangle && rises_above_plane(triangle, point, normal))
            return false;
    }
    return true;
}

// == Ridges =======================================================================================

enum { MAX_RIDGE_CONTACTS = 3 * MAX_PLANES / 2 + 2 }; // edges of a hull, and both ends

// Finds the contacts of a ridge with edges of the body, and of its two ends with faces of the body.
// Returns their number.
static uint32_t find_ridge_contacts(const contact_search *search, const ground_surface *surface,
                                    const ground_ridge *ridge,
                                    ridge_contact contacts[MAX_RIDGE_CONTACTS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->num_edges; i++) {
        if (find_edge_contact(search, ridge, &search->edges[i], &contacts[count]))
            count++;
    }

    const md5_vec3d peaks[2] = {ridge->from, ridge->to};
    for (int i = 0; i < 2; i++) {
        ridge_contact *const contact = &contacts[count];
        const bool faces_body = find_peak_contact(search, peaks[i], contact);
        if (faces_body && is_exposed(surface, peaks[i], contact->normal))
            count++;
    }
    return count;
}

// Returns the distance from a ridge, along a normal, to the vertex of the body that is lowest along
// this normal. A negative distance is the depth to which the body penetrates there.
static double gap_along(const contact_search *search, const ground_ridge *ridge, md5_vec3d normal)
{
    double gap = INFINITY;
    for (uint32_t i = 0; i < search->num_vertices; i++) {
        const md5_vec3d from_ridge = md5_vec3d_sub(search->vertices[i], ridge->from);
        gap = md5_min(gap, md5_vec3d_dot(normal, from_ridge));
    }
    return gap;
}

// Returns the contact with the least penetration. Returns NULL if the body penetrates less along
// one end of the ridge's arc. In this case, contacts of its vertices with the triangle there move
// it out.
static const ridge_contact *find_shallowest(const contact_search *search, const ground_ridge *ridge,
                                            const ridge_contact *contacts, uint32_t count)
{
    const ridge_contact *shallowest = &contacts[0];
    for (uint32_t i = 1; i < count; i++) {
        if (contacts[i].gap > shallowest->gap)
            shallowest = &contacts[i];
    }

    for (int end = 0; end < 2; end++) {
        if (gap_along(search, ridge, ridge->arc_ends[end]) > shallowest->gap)
            return NULL;
    }
    return shallowest;
}

// Returns true if a contact of a ridge becomes a candidate. A contact that penetrates deeply counts
// only if it has about the direction of `exit`, the contact along which the body leaves the ridge.
// If `exit` is NULL, no deep contact counts.
static bool is_ridge_candidate(const ground_surface *surface, const ground_ridge *ridge,
                               const ridge_contact *contact, const ridge_contact *exit)
{
    const bool is_deep = contact->gap < -TOUCHING;
    const bool is_exit = exit && md5_vec3d_dot(contact->normal, exit->normal) > SAME_EXIT;
    if (is_deep && !is_exit)
        return false;
    return !ridge->is_open || is_exposed(surface, contact->on_ridge, contact->normal);
}

// Adds candidates for the contacts of a ridge. If the ridge is deep in the body, the body leaves it
// along the normal with the least penetration. Deep contacts with other normals are then ignored,
// because leaving along them takes a longer way.
static void add_ridge(contact_search *search, const ground_surface *surface,
                      const ground_ridge *ridge)
{
    ridge_contact contacts[MAX_RIDGE_CONTACTS];
    const uint32_t count = find_ridge_contacts(search, surface, ridge, contacts);
    if (count == 0)
        return;

    const ridge_contact *exit = NULL; // the contact along which the body leaves the ridge
    if (reaches_body(search, ridge->from, ridge->to, -TOUCHING))
        exit = find_shallowest(search, ridge, contacts, count);

    for (uint32_t i = 0; i < count; i++) {
        const ridge_contact *const contact = &contacts[i];
        if (!is_ridge_candidate(surface, ridge, contact, exit))
            continue;
        const double level = md5_vec3d_dot(contact->normal, contact->on_ridge);
        md5i_add_contact_candidate(search, contact->on_body, contact->normal, level);
    }
}

// Adds candidates for the contacts of a near triangle's ridges with the body.
static void add_ridges(contact_search *search, const ground_surface *surface, uint32_t index)
{
    for (int side = 0; side < 3; side++) {
        if (!owns_ridge(surface, index, side))
            continue;
        const ground_triangle *const triangle = &surface->triangles[index];
        const md5_vec3d from = triangle->vertices[side];
        const md5_vec3d to = triangle->vertices[(side + 1) % 3];
        if (!reaches_body(search, from, to, search->reach))
            continue;
        const ground_ridge ridge = build_ridge(surface, triangle, side);
        add_ridge(search, surface, &ridge);
    }
}

// Sets the planes of a search: the face planes of the body's convex hull in world space.
static void set_search_planes(contact_search *search)
{
    const md5_vec3d *const position = &search->node->transform.position;
    const ragdoll_hull *const hull = &search->ragdoll->hulls[search->node->body];
    for (uint32_t i = 0; i < hull->num_planes; i++) {
        const ragdoll_plane *const plane = &search->ragdoll->planes[hull->first_plane + i];
        const md5_vec3d normal = md5_matrix_mul(&search->axes, plane->normal);
        const double level = plane->level + md5_vec3d_dot(normal, *position);
        search->planes[i] = (ragdoll_plane){normal, level};
    }
    search->num_planes = hull->num_planes;
}

// Adds candidates for contacts of a body with the triangles of the ground. Tests vertices of the
// body with triangles, then ridges of the ground with edges and faces of the body.
void md5i_search_triangles(contact_search *search)
{
    if (search->num_vertices == 0)
        return;
    ground_surface surface;
    read_surface(search, &surface);
    if (surface.num_triangles == 0)
        return;
    set_search_planes(search);
    for (uint32_t i = 0; i < search->num_vertices; i++)
        add_vertex(search, &surface, search->vertices[i]);
    for (uint32_t i = 0; i < surface.num_triangles; i++) {
        if (surface.triangles[i].is_near)
            add_ridges(search, &surface, i);
    }
}
