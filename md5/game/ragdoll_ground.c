// What bodies of a ragdoll touch: points of them against a plane, heights and triangles, found
// before they meet, so that nothing passes through between two looks.
#include "md5/game/ragdoll.h"

#define FAST 60.0 // units a second: a quarter of one in a step

enum { MAX_POINTS = 24, MAX_CANDIDATES = 64, MAX_TRIANGLES = 64 };

// == Shapes =======================================================================================

// Outward, at unit length; zero of a triangle without area.
static md5_vec3d face_normal(const md5_figure *figure, const uint32_t corners[3])
{
    const md5_vec3d a = md5_vec3d_of(figure->vertices[corners[0]]);
    return md5_vec3d_normalize(
        md5_vec3d_cross(md5_vec3d_sub(md5_vec3d_of(figure->vertices[corners[2]]), a),
                        md5_vec3d_sub(md5_vec3d_of(figure->vertices[corners[1]]), a)));
}

// Planes of faces, those that are one only once, and edges between planes that differ.
static void make_shape(md5_ragdoll *ragdoll, uint32_t body, ragdoll_shape *shape)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    const md5_body_part *const part = &figure->bodies[body];
    const uint32_t(*const triangles)[3] = &figure->triangles[part->first_triangle];
    MD5_FOR (i, part->num_triangles) {
        const md5_vec3d normal = face_normal(figure, triangles[i]);
        const double level = md5_vec3d_dot(normal, md5_vec3d_of(figure->vertices[triangles[i][0]]));
        bool is_known = md5_vec3d_dot(normal, normal) < 0.5;
        MD5_FOR (k, shape->num_planes) {
            const ragdoll_plane *const other = &ragdoll->planes[shape->first_plane + k];
            is_known |=
                md5_vec3d_dot(other->normal, normal) > 0.9999 && fabs(other->level - level) < 1e-3;
        }
        if (!is_known)
            ragdoll->planes[shape->first_plane + shape->num_planes++] =
                (ragdoll_plane){normal, level};
        MD5_FOR (side, 3) {
            const uint32_t from = triangles[i][side], to = triangles[i][(side + 1) % 3];
            bool is_flat = from > to; // the twin has it
            MD5_FOR (k, is_flat ? 0 : part->num_triangles)
                MD5_FOR (other, 3)
                    is_flat |= triangles[k][other] == to && triangles[k][(other + 1) % 3] == from
                               && md5_vec3d_dot(face_normal(figure, triangles[k]), normal) > 0.9999;
            if (is_flat)
                continue;
            uint32_t *const edge = ragdoll->edges[shape->first_edge + shape->num_edges++];
            edge[0] = from - part->first_vertex, edge[1] = to - part->first_vertex;
        }
    }
}

void md5i_make_ragdoll_shapes(md5_ragdoll *ragdoll)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    uint32_t num_planes = 0, num_edges = 0;
    MD5_FOR (i, figure->num_bodies) {
        ragdoll_shape *const shape = &ragdoll->shapes[i];
        *shape = (ragdoll_shape){.first_plane = num_planes, .first_edge = num_edges};
        make_shape(ragdoll, i, shape);
        num_planes += shape->num_planes;
        num_edges += shape->num_edges;
    }
}

// == Candidates ===================================================================================

typedef struct touch_candidate {
    md5_vec3d at, normal;
    double level, gap;
} touch_candidate;

// A body in the world, and what may touch it.
typedef struct touch_search {
    const md5_ragdoll *ragdoll;
    const ragdoll_node *node;
    md5_vec3d points[MAX_POINTS];
    uint32_t num_points, num_planes;
    ragdoll_plane planes[MAX_PLANES];
    const ragdoll_shape *shape;
    double reach; // how far it may get before the next look
    uint32_t count;
    touch_candidate found[MAX_CANDIDATES];
} touch_search;

// A point of the body that may meet what has this normal at a level along it.
static void add_candidate(touch_search *search, md5_vec3d at, md5_vec3d normal, double level)
{
    const double gap = md5_vec3d_dot(normal, at) - level;
    if (gap > search->reach)
        return;
    uint32_t place = search->count;
    MD5_FOR (i, search->count) {
        const md5_vec3d apart = md5_vec3d_sub(search->found[i].at, at);
        if (md5_vec3d_dot(apart, apart) < 0.01
            && md5_vec3d_dot(search->found[i].normal, normal) > 0.99)
            place = i; // it is known: the deeper one counts
    }
    if (place == MAX_CANDIDATES) {
        place = 0; // the farthest one gives way
        MD5_FOR (i, search->count)
            place = search->found[i].gap > search->found[place].gap ? i : place;
    }
    if (place < search->count && search->found[place].gap <= gap)
        return;
    search->found[place] = (touch_candidate){at, normal, level, gap};
    search->count = place == search->count ? place + 1 : search->count;
}

static void look_at_plane(touch_search *search)
{
    const md5_ground *const ground = &search->ragdoll->desc.ground;
    const md5_vec3d normal = md5_vec3d_of(ground->plane_normal);
    if (md5_vec3d_dot(normal, normal) < 0.5)
        return;
    MD5_FOR (i, search->num_points)
        add_candidate(search, search->points[i], normal, (double)ground->plane_distance);
}

static void look_at_height(touch_search *search, md5_vec3d at)
{
    const md5_ground *const ground = &search->ragdoll->desc.ground;
    md5_vec3 up = {0.0f, 0.0f, 1.0f};
    const md5_vec3 place = md5_vec3d_round(at);
    const md5_vec3d on = {at.x, at.y, (double)ground->heights(ground->user, place.x, place.y, &up)};
    const md5_vec3d normal = md5_vec3d_normalize(md5_vec3d_of(up));
    const double level = md5_vec3d_dot(normal, on);
    if (normal.z > 0.0 && level > -1e15 && level < 1e15)
        add_candidate(search, at, normal, level);
}

// Hills may reach a body between its corners: the middles of edges are looked at, too.
static void look_at_heights(touch_search *search)
{
    if (!search->ragdoll->desc.ground.heights)
        return;
    MD5_FOR (i, search->num_points)
        look_at_height(search, search->points[i]);
    MD5_FOR (i, search->shape->num_edges) {
        const uint32_t *const edge = search->ragdoll->edges[search->shape->first_edge + i];
        look_at_height(
            search,
            md5_vec3d_scale(md5_vec3d_add(search->points[edge[0]], search->points[edge[1]]), 0.5));
    }
}

// == Triangles ====================================================================================

typedef struct ground_triangle {
    md5_vec3d corners[3], normal;
    md5_vec3d sides[3]; // across the sides, outward, in its plane
} ground_triangle;

// How far a body is from a triangle along a direction, which leads away from the triangle.
static double gap_along(const touch_search *search, const ground_triangle *triangle,
                        md5_vec3d along)
{
    double least = INFINITY, most = -INFINITY;
    MD5_FOR (i, search->num_points)
        least = md5_less(least, md5_vec3d_dot(along, search->points[i]));
    MD5_FOR (i, 3)
        most = md5_greater(most, md5_vec3d_dot(along, triangle->corners[i]));
    return least - most;
}

// The part of a segment that is within planes, moved outward by `slack`. False: nothing.
static bool clip(md5_vec3d from, md5_vec3d to, md5_vec3d normal, double level, double part[2])
{
    const double a = md5_vec3d_dot(normal, from) - level, b = md5_vec3d_dot(normal, to) - level;
    if (a > 0.0 && b > 0.0)
        return false;
    if (a > 0.0)
        part[0] = md5_greater(part[0], a / (a - b));
    else if (b > 0.0)
        part[1] = md5_less(part[1], a / (a - b));
    return part[0] <= part[1];
}

static md5_vec3d between(md5_vec3d from, md5_vec3d to, double part)
{
    return md5_vec3d_add(from, md5_vec3d_scale(md5_vec3d_sub(to, from), part));
}

#define SLACK 0.02 // units, by which triangles are larger for what lies on them

// What of the body is above a triangle: its corners, and where its edges leave the triangle.
static void touch_face(touch_search *search, const ground_triangle *triangle)
{
    const md5_vec3d normal = triangle->normal;
    const double level = md5_vec3d_dot(normal, triangle->corners[0]);
    double sides[3];
    MD5_FOR (side, 3)
        sides[side] = md5_vec3d_dot(triangle->sides[side], triangle->corners[side]) + SLACK;
    MD5_FOR (i, search->num_points + search->shape->num_edges) {
        const bool is_corner = i < search->num_points;
        const uint32_t ends[2] = {i, i};
        const uint32_t *const edge =
            is_corner ? ends
                      : search->ragdoll->edges[search->shape->first_edge + i - search->num_points];
        const md5_vec3d from = search->points[edge[0]], to = search->points[edge[1]];
        double part[2] = {0.0, 1.0};
        bool is_above = md5_vec3d_dot(normal, from) - level < search->reach
                        || md5_vec3d_dot(normal, to) - level < search->reach;
        for (int side = 0; is_above && side < 3; side++)
            is_above = clip(from, to, triangle->sides[side], sides[side], part);
        if (!is_above)
            continue;
        MD5_FOR (end, is_corner ? 1 : 2)
            if (is_corner || (part[end] > 0.0 && part[end] < 1.0))
                add_candidate(search, between(from, to, part[end]), normal, level);
    }
}

// Whether no triangle at a point reaches out along a direction: else the edge there is one within a
// flat or hollow ground.
static bool is_outmost(const ground_triangle *triangles, uint32_t count, md5_vec3d at,
                       md5_vec3d along)
{
    MD5_FOR (i, count) {
        const ground_triangle *const triangle = &triangles[i];
        const md5_vec3d way = md5_vec3d_sub(at, triangle->corners[0]);
        bool is_at = fabs(md5_vec3d_dot(triangle->normal, way)) < 0.05;
        MD5_FOR (side, 3)
            is_at &=
                md5_vec3d_dot(triangle->sides[side], md5_vec3d_sub(at, triangle->corners[side]))
                < 0.05;
        MD5_FOR (k, is_at ? 3 : 0) {
            const md5_vec3d out = md5_vec3d_sub(triangle->corners[k], at);
            if (md5_vec3d_dot(out, along) > 0.03 * md5_vec3d_length(out) + 1e-3)
                return false;
        }
    }
    return true;
}

// What sides of a triangle are under a face of the body.
static void touch_body_face(touch_search *search, const ground_triangle *triangles, uint32_t count,
                            const ground_triangle *triangle, const ragdoll_plane *face)
{
    const md5_vec3d along = md5_vec3d_scale(face->normal, -1.0);
    MD5_FOR (side, 3) {
        const md5_vec3d from = triangle->corners[side], to = triangle->corners[(side + 1) % 3];
        double part[2] = {0.0, 1.0};
        bool is_under = true;
        MD5_FOR (i, is_under ? search->num_planes : 0) {
            const ragdoll_plane *const plane = &search->planes[i];
            if (is_under && md5_vec3d_dot(plane->normal, face->normal) < 0.99)
                is_under = clip(from, to, plane->normal, plane->level + SLACK, part);
        }
        MD5_FOR (end, is_under ? 2 : 0) {
            const md5_vec3d at = between(from, to, part[end]);
            const double gap = md5_vec3d_dot(face->normal, at) - face->level;
            if (gap < search->reach && is_outmost(triangles, count, at, along))
                add_candidate(search, md5_vec3d_add(at, md5_vec3d_scale(along, gap)), along,
                              md5_vec3d_dot(along, at));
        }
    }
}

// The points of two lines that are nearest to each other, each as part of its way; false if they
// lie beyond its ends.
static bool nearest_parts(md5_vec3d a, md5_vec3d along_a, md5_vec3d b, md5_vec3d along_b,
                          double parts[2])
{
    const md5_vec3d way = md5_vec3d_sub(b, a);
    const double aa = md5_vec3d_dot(along_a, along_a), bb = md5_vec3d_dot(along_b, along_b);
    const double ab = md5_vec3d_dot(along_a, along_b), determinant = aa * bb - ab * ab;
    if (!(determinant > 1e-9 * aa * bb))
        return false;
    const double wa = md5_vec3d_dot(way, along_a), wb = md5_vec3d_dot(way, along_b);
    parts[0] = (wa * bb - wb * ab) / determinant;
    parts[1] = (wa * ab - wb * aa) / determinant;
    return parts[0] >= -0.01 && parts[0] <= 1.01 && parts[1] >= -0.01 && parts[1] <= 1.01;
}

// Finds the direction in which a body is farthest from a triangle, or deepest in it: of the
// triangle, of faces of the body, or across edges of both (Gottschalk, "Separating axis theorem",
// 1996).
static void look_at_triangle(touch_search *search, const ground_triangle *triangles, uint32_t count,
                             const ground_triangle *triangle)
{
    const double own = gap_along(search, triangle, triangle->normal);
    double farthest = -INFINITY;
    MD5_FOR (i, search->num_points)
        farthest = md5_greater(
            farthest, md5_vec3d_dot(triangle->normal,
                                    md5_vec3d_sub(search->points[i], triangle->corners[0])));
    if (own > search->reach || farthest < 0.0)
        return;
    if (own > -0.1) { // in front of its plane, or lying on it: corners and lines between them do
        touch_face(search, triangle);
        return;
    }
    // Another direction must gain something, so that what lies flat is held by its corners.
    double best = own + 0.05, aside = -INFINITY;
    const ragdoll_plane *face = NULL;
    md5_vec3d across = {0.0, 0.0, 0.0}, point = across, on = across;
    MD5_FOR (i, search->num_planes) {
        const ragdoll_plane *const plane = &search->planes[i];
        double least = INFINITY;
        MD5_FOR (k, 3)
            least = md5_less(least, md5_vec3d_dot(plane->normal, triangle->corners[k]));
        if (least - plane->level > search->reach)
            return;
        const bool is_up = md5_vec3d_dot(plane->normal, triangle->normal) < -1e-3;
        if (!is_up)
            aside = md5_greater(aside, least - plane->level);
        if (is_up && least - plane->level > best) {
            best = least - plane->level;
            face = plane;
        }
    }
    bool is_edge = false;
    MD5_FOR (i, search->shape->num_edges) {
        const uint32_t *const edge = search->ragdoll->edges[search->shape->first_edge + i];
        const md5_vec3d from = search->points[edge[0]];
        const md5_vec3d way = md5_vec3d_sub(search->points[edge[1]], from);
        MD5_FOR (side, 3) {
            const md5_vec3d corner = triangle->corners[side];
            const md5_vec3d other = md5_vec3d_sub(triangle->corners[(side + 1) % 3], corner);
            md5_vec3d along = md5_vec3d_cross(way, other);
            const double square = md5_vec3d_dot(along, along);
            if (!(square > 1e-6 * md5_vec3d_dot(way, way) * md5_vec3d_dot(other, other)))
                continue;
            const double up = md5_vec3d_dot(along, triangle->normal);
            along = md5_vec3d_scale(along, (up < 0.0 ? -1.0 : 1.0) / sqrt(square));
            if (own < -1.0)
                aside =
                    md5_greater(aside, gap_along(search, triangle, md5_vec3d_scale(along, -1.0)));
            // These edges decide only if they are the outmost of both; what they are apart is a
            // bound then.
            const double apart = md5_vec3d_dot(along, md5_vec3d_sub(from, corner));
            if (apart < best + 0.01)
                continue;
            const double gap = gap_along(search, triangle, along);
            if (gap > search->reach)
                return;
            double parts[2];
            if (gap < best + 0.01 || gap < apart - 1e-6
                || !nearest_parts(from, way, corner, other, parts))
                continue;
            best = gap;
            across = along;
            point = md5_vec3d_add(from, md5_vec3d_scale(way, parts[0]));
            on = md5_vec3d_add(corner, md5_vec3d_scale(other, parts[1]));
            is_edge = true;
        }
    }
    if (is_edge) {
        if (is_outmost(triangles, count, on, across))
            add_candidate(search, point, across, md5_vec3d_dot(across, on));
    } else if (face) {
        touch_body_face(search, triangles, count, triangle, face);
    } else if (own > -1.0 || aside < -0.25) {
        touch_face(search, triangle); // else it is beside the triangle, below its level
    }
}

static void look_at_triangles(touch_search *search)
{
    const md5_ground *const ground = &search->ragdoll->desc.ground;
    if (!ground->triangles)
        return;
    md5_vec3 corners[MAX_TRIANGLES][3];
    ground_triangle triangles[MAX_TRIANGLES];
    md5_vec3d low = search->points[0], high = low;
    MD5_FOR (i, search->num_points) {
        const md5_vec3d at = search->points[i];
        low = (md5_vec3d){md5_less(low.x, at.x), md5_less(low.y, at.y), md5_less(low.z, at.z)};
        high = (md5_vec3d){md5_greater(high.x, at.x), md5_greater(high.y, at.y),
                           md5_greater(high.z, at.z)};
    }
    const md5_vec3d reach = {search->reach, search->reach, search->reach};
    const md5_bounds box = {md5_vec3d_round(md5_vec3d_sub(low, reach)),
                            md5_vec3d_round(md5_vec3d_add(high, reach))};
    uint32_t found = ground->triangles(ground->user, box, corners, MAX_TRIANGLES), count = 0;
    found = found < MAX_TRIANGLES ? found : MAX_TRIANGLES;
    MD5_FOR (i, found) {
        ground_triangle *const triangle = &triangles[count];
        MD5_FOR (k, 3)
            triangle->corners[k] = md5_vec3d_of(corners[i][k]);
        const md5_vec3d *const at = triangle->corners;
        triangle->normal = md5_vec3d_normalize(
            md5_vec3d_cross(md5_vec3d_sub(at[2], at[0]), md5_vec3d_sub(at[1], at[0])));
        MD5_FOR (side, 3)
            triangle->sides[side] = md5_vec3d_normalize(
                md5_vec3d_cross(triangle->normal, md5_vec3d_sub(at[(side + 1) % 3], at[side])));
        // Neither without area nor with numbers that are not finite.
        count += md5_vec3d_dot(triangle->normal, triangle->normal) > 0.5;
    }
    MD5_FOR (i, count)
        look_at_triangle(search, triangles, count, &triangles[i]);
}

// == Contacts =====================================================================================

// The deepest one, then those that are farthest from the ones before, in place or direction.
static void choose_contacts(const touch_search *search, ragdoll_node *node)
{
    const ragdoll_contact *const old = node->contacts;
    ragdoll_contact chosen[MAX_CONTACTS];
    double distances[MAX_CANDIDATES];
    uint32_t count = 0, next = 0;
    const md5_quatd into = md5_quatd_conjugate(node->place.turn);
    MD5_FOR (i, search->count) {
        distances[i] = INFINITY;
        if (search->found[i].gap < search->found[next].gap)
            next = i;
    }
    while (search->count > 0 && count < MAX_CONTACTS) {
        const touch_candidate *const take = &search->found[next];
        ragdoll_contact *const contact = &chosen[count++];
        *contact =
            (ragdoll_contact){.at = md5_quatd_rotate(into, md5_vec3d_sub(take->at, node->place.at)),
                              .normal = take->normal,
                              .level = take->level};
        MD5_FOR (i, node->num_contacts) {
            const md5_vec3d apart = md5_vec3d_sub(old[i].at, contact->at);
            if (md5_vec3d_dot(apart, apart) < 0.25
                && md5_vec3d_dot(old[i].normal, take->normal) > 0.95) {
                memcpy(contact->impulses, old[i].impulses, sizeof contact->impulses);
                contact->speed = old[i].speed;
            }
        }
        double best = 0.0;
        MD5_FOR (i, search->count) {
            const touch_candidate *const other = &search->found[i];
            const md5_vec3d apart = md5_vec3d_sub(other->at, take->at);
            const md5_vec3d turned =
                md5_vec3d_scale(md5_vec3d_sub(other->normal, take->normal), 4.0);
            const double distance =
                sqrt(md5_vec3d_dot(apart, apart) + md5_vec3d_dot(turned, turned));
            distances[i] = md5_less(distances[i], distance);
            const double worth =
                distances[i] - 0.3 - 0.5 * md5_greater(0.0, other->gap - take->gap);
            if (distances[i] > 0.3 && worth > best) {
                best = worth;
                next = i;
            }
        }
        if (best <= 0.0)
            break;
    }
    memcpy(node->contacts, chosen, count * sizeof chosen[0]);
    node->num_contacts = count;
}

static void look_at_body(md5_ragdoll *ragdoll, ragdoll_node *node, double speed, double steps)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    const md5_body_part *const part = &figure->bodies[node->body];
    touch_search search;
    search.ragdoll = ragdoll;
    search.node = node;
    search.shape = &ragdoll->shapes[node->body];
    search.count = 0;
    search.num_points = part->num_vertices < MAX_POINTS ? part->num_vertices : MAX_POINTS;
    search.num_planes = search.shape->num_planes;
    const double time = steps * (1.0 / ragdoll_rate);
    search.reach = 1.0 + 1.5 * time * (speed + ragdoll->gravity * time);
    MD5_FOR (i, search.num_points)
        search.points[i] =
            md5_in_place(&node->place, md5_vec3d_of(figure->vertices[part->first_vertex + i]));
    look_at_plane(&search);
    look_at_heights(&search);
    if (ragdoll->desc.ground.triangles && search.num_points > 0) {
        MD5_FOR (i, search.num_planes) {
            const ragdoll_plane *const plane = &ragdoll->planes[search.shape->first_plane + i];
            const md5_vec3d normal = md5_quatd_rotate(node->place.turn, plane->normal);
            search.planes[i] =
                (ragdoll_plane){normal, plane->level + md5_vec3d_dot(normal, node->place.at)};
        }
        look_at_triangles(&search);
    }
    choose_contacts(&search, node);
}

void md5i_ragdoll_look(md5_ragdoll *ragdoll)
{
    ragdoll->fastest = 0.0;
    MD5_FOR (k, ragdoll->num_nodes) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        const bool is_tied = node->constraint != MD5_NONE && node->parent == MD5_NONE;
        const uint32_t mask = ragdoll->desc.figure->bodies[node->body].def->clip_mask;
        if (!(mask & MD5_CONTENTS_SOLID) || is_tied) // as the engine has it
            continue;
        // What turns fast meets the ground with other points soon.
        const double turning = node->radius * md5_vec3d_length(node->angular);
        const double speed = md5_vec3d_length(node->linear) + turning;
        ragdoll->fastest = md5_greater(ragdoll->fastest, speed);
        const uint64_t steps = turning > FAST ? 1 : speed > FAST ? 2 : LOOK_STEPS;
        if (node->next_look <= ragdoll->step + LOOK_STEPS - steps) {
            node->next_look = ragdoll->step + LOOK_STEPS;
            look_at_body(ragdoll, node, speed, (double)steps);
        }
    }
}
