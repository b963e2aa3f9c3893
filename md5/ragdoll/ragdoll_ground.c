// Contacts of bodies with a plane and with a height field. ragdoll_triangles.c finds contacts with
// triangles. A search also finds points that may touch the ground before the next search, so that
// bodies do not pass through the ground between two searches.
#include "md5/ragdoll/contact_search.h"

// Speed above which the contacts of a body are searched more often, units per second. At this
// speed, a body moves by a quarter of a unit in a step.
#define MIN_FAST_SPEED 60.0

// == Planes and height fields =====================================================================

// Adds candidates for all vertices of the body and the ground plane. If the normal is 0, the ground
// has no plane.
static void search_plane(contact_search *search)
{
    const md5_ground *const ground = &search->ragdoll->desc.ground;
    const md5_vec3d normal = md5_vec3d_from_vec3(ground->plane_normal);
    if (md5_vec3d_dot(normal, normal) < 0.5)
        return;
    for (uint32_t i = 0; i < search->num_vertices; i++)
        md5i_add_contact_candidate(search, search->vertices[i], normal,
                                   (double)ground->plane_distance);
}

#define MAX_LEVEL 1e15 // units; also excludes heights that are not numbers

// Adds a candidate for a point and the tangent plane of the height field below it.
static void search_height(contact_search *search, md5_vec3d point)
{
    const md5_ground *const ground = &search->ragdoll->desc.ground;
    const md5_vec3 position = md5_vec3d_round(point);
    md5_vec3 up = {0.0f, 0.0f, 1.0f};
    const float height = ground->heights(ground->user, position.x, position.y, &up);
    const md5_vec3d on_ground = {point.x, point.y, (double)height};
    const md5_vec3d normal = md5_vec3d_normalize(md5_vec3d_from_vec3(up));
    const double level = md5_vec3d_dot(normal, on_ground);
    const bool is_valid = normal.z > 0.0 && level > -MAX_LEVEL && level < MAX_LEVEL;
    if (is_valid)
        md5i_add_contact_candidate(search, point, normal, level);
}

// Adds candidates for the body and the height field below it. Also tests the centers of edges,
// because a hill may reach a body between two vertices.
static void search_heights(contact_search *search)
{
    for (uint32_t i = 0; i < search->num_vertices; i++)
        search_height(search, search->vertices[i]);
    for (uint32_t i = 0; i < search->num_edges; i++) {
        const md5_vec3d from = search->vertices[search->edges[i].vertices[0]];
        const md5_vec3d to = search->vertices[search->edges[i].vertices[1]];
        search_height(search, md5_vec3d_scale(md5_vec3d_add(from, to), 0.5));
    }
}

// == Contacts =====================================================================================

// A new contact continues an earlier contact if two conditions are true. Their points are nearer to
// each other than SAME_POINT_DISTANCE, units, and the cosine of the angle between their normals is
// above MIN_SAME_NORMAL_COSINE.
#define SAME_POINT_DISTANCE 0.5
#define MIN_SAME_NORMAL_COSINE 0.95

// Returns true if a new contact of a body continues a contact of the previous search.
static bool continues_contact(const ragdoll_contact *contact, const ragdoll_contact *previous)
{
    const md5_vec3d apart = md5_vec3d_sub(previous->position, contact->position);
    const double square = md5_vec3d_dot(apart, apart);
    const double cosine = md5_vec3d_dot(previous->normal, contact->normal);
    return square < SAME_POINT_DISTANCE * SAME_POINT_DISTANCE && cosine > MIN_SAME_NORMAL_COSINE;
}

// Copies the impulses of the contact that a new contact continues. The solver needs fewer sweeps if
// it starts with the impulses of the last step.
static void copy_previous_impulses(const ragdoll_node *node, ragdoll_contact *contact)
{
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        const ragdoll_contact *const previous = &node->contacts[i];
        if (!continues_contact(contact, previous))
            continue;
        memcpy(contact->impulses, previous->impulses, sizeof contact->impulses);
        contact->approach_speed = previous->approach_speed;
    }
}

// Returns how far two candidates are apart, in units. Contacts with different normals at one point
// count as far apart: the distance of the unit normals is multiplied by four and combined with the
// distance of the points.
static double candidate_distance(const contact_candidate *a, const contact_candidate *b)
{
    const md5_vec3d apart = md5_vec3d_sub(a->point, b->point);
    const md5_vec3d angle = md5_vec3d_scale(md5_vec3d_sub(a->normal, b->normal), 4.0);
    return sqrt(md5_vec3d_dot(apart, apart) + md5_vec3d_dot(angle, angle));
}

// A candidate is not chosen if a chosen candidate is nearer than this, units.
#define MIN_CANDIDATE_DISTANCE 0.3

// For each unit by which a candidate penetrates less, it must be farther from the chosen candidates
// by this number of units.
#define PENETRATION_WEIGHT 0.5

// Returns the index of the candidate that penetrates most.
static uint32_t deepest_candidate(const contact_search *search)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < search->num_candidates; i++) {
        if (search->candidates[i].gap < search->candidates[deepest].gap)
            deepest = i;
    }
    return deepest;
}

// Chooses the next contact of a body. `last` is the candidate that was chosen before. Each
// candidate has a value: its distance from the nearest chosen candidate, reduced if it penetrates
// less than `last`. Returns the index of the candidate with the largest value, or MD5_NONE if all
// candidates are too near to chosen candidates.
//
// distances[i] is the distance of candidate i from the nearest candidate that was chosen before
// `last`. It is updated to include `last`.
static uint32_t farthest_candidate(const contact_search *search, const contact_candidate *last,
                                   double *distances)
{
    uint32_t farthest = MD5_NONE;
    double best_value = 0.0;
    for (uint32_t i = 0; i < search->num_candidates; i++) {
        const contact_candidate *const candidate = &search->candidates[i];
        distances[i] = md5_min(distances[i], candidate_distance(candidate, last));
        const double gap_difference = md5_max(0.0, candidate->gap - last->gap);
        const double value =
            distances[i] - MIN_CANDIDATE_DISTANCE - PENETRATION_WEIGHT * gap_difference;
        if (distances[i] > MIN_CANDIDATE_DISTANCE && value > best_value) {
            best_value = value;
            farthest = i;
        }
    }
    return farthest;
}

// Sets *contact to the contact of a body with a candidate. The contact starts with the impulses of
// the earlier contact that it continues.
static void set_contact(ragdoll_contact *contact, const ragdoll_node *node,
                        const contact_candidate *candidate)
{
    const md5_quatd into_body = md5_quatd_conjugate(node->transform.rotation);
    const md5_vec3d from_center = md5_vec3d_sub(candidate->point, node->transform.position);
    *contact = (ragdoll_contact){.position = md5_quatd_rotate(into_body, from_center),
                                 .normal = candidate->normal,
                                 .level = candidate->level};
    copy_previous_impulses(node, contact);
}

// Replaces the contacts of a node by at most MAX_CONTACTS of the candidates. Few contacts that are
// far apart support a body as well as many. Therefore chooses the deepest candidate first, and then
// repeatedly a candidate that is far from all chosen candidates.
static void choose_contacts(const contact_search *search, ragdoll_node *node)
{
    double distances[MAX_CANDIDATES]; // from the nearest chosen candidate
    for (uint32_t i = 0; i < search->num_candidates; i++)
        distances[i] = INFINITY;

    // set_contact() reads the previous contacts in node->contacts, so the new contacts are
    // stored elsewhere until all are chosen.
    ragdoll_contact chosen[MAX_CONTACTS];
    uint32_t count = 0;
    uint32_t next = search->num_candidates > 0 ? deepest_candidate(search) : MD5_NONE;
    while (next != MD5_NONE && count < MAX_CONTACTS) {
        const contact_candidate *const candidate = &search->candidates[next];
        set_contact(&chosen[count++], node, candidate);
        next = farthest_candidate(search, candidate, distances);
    }
    memcpy(node->contacts, chosen, count * sizeof chosen[0]);
    node->num_contacts = count;
}

// Sets the vertices of a search: the vertices of the body's convex hull in world space.
static void set_search_vertices(contact_search *search, const ragdoll_node *node)
{
    const md5_figure *const figure = search->ragdoll->desc.figure;
    const md5_body_part *const part = &figure->bodies[node->body];
    search->num_vertices = part->num_vertices;
    for (uint32_t i = 0; i < part->num_vertices; i++) {
        const md5_vec3d vertex = md5_vec3d_from_vec3(figure->vertices[part->first_vertex + i]);
        const md5_vec3d from_center = md5_matrix_mul(&search->axes, vertex);
        search->vertices[i] = md5_vec3d_add(node->transform.position, from_center);
    }
}

// Initializes a search for contacts of a body with the ground. Moves the convex hull of the body to
// world space, and clears the list of candidates. `reach` is the distance that the body may move
// before the next search, units.
static void begin_search(contact_search *search, const md5_ragdoll *ragdoll,
                         const ragdoll_node *node, double reach)
{
    const ragdoll_hull *const hull = &ragdoll->hulls[node->body];
    search->ragdoll = ragdoll;
    search->node = node;
    search->axes = md5_rotation_matrix(node->transform.rotation);
    search->reach = reach;
    search->num_candidates = 0;
    search->num_planes = 0;
    search->num_edges = hull->num_edges;
    search->edges = &ragdoll->edges[hull->first_edge];
    set_search_vertices(search, node);
}

// A search considers ground within MIN_REACH units of the body, plus REACH_FACTOR times the
// distance that speed and gravity can move the body before its next search.
#define MIN_REACH 1.0
#define REACH_FACTOR 1.5

// Replaces the contacts of a node by those that are possible in the next `num_steps` steps. `speed`
// is the largest speed of a point of the body, units per second.
static void find_contacts(md5_ragdoll *ragdoll, ragdoll_node *node, double speed, double num_steps)
{
    const md5_ground *const ground = &ragdoll->desc.ground;
    const double seconds = num_steps * (1.0 / ragdoll_rate);
    const double reach = MIN_REACH + REACH_FACTOR * seconds * (speed + ragdoll->gravity * seconds);
    contact_search search;
    begin_search(&search, ragdoll, node, reach);
    search_plane(&search);
    if (ground->heights)
        search_heights(&search);
    if (ground->triangles)
        md5i_search_triangles(&search);
    choose_contacts(&search, node);
}

// Returns the number of steps after which the contacts of a body must be searched again. It is
// SEARCH_STEPS for a slow body, and 2 for a fast body. A body that rotates fast may touch the
// ground with other points in the next step, so it is searched in every step.
static uint64_t steps_between_searches(double speed, double rotation_speed)
{
    if (rotation_speed > MIN_FAST_SPEED)
        return 1;
    if (speed > MIN_FAST_SPEED)
        return 2;
    return SEARCH_STEPS;
}

// Returns true if a body can touch the ground. As in the engine, a body passes through the ground
// if it is not solid, or if its joint attaches it to the world.
static bool collides_with_ground(const md5_ragdoll *ragdoll, const ragdoll_node *node)
{
    const uint32_t mask = ragdoll->desc.figure->bodies[node->body].def->clip_mask;
    const bool is_solid = (mask & MD5_CONTENTS_SOLID) != 0;
    const bool is_tied_to_world = node->constraint != MD5_NONE && node->parent == MD5_NONE;
    return is_solid && !is_tied_to_world;
}

// Finds the contacts of the bodies whose search is due, and sets ragdoll->max_speed.
void md5i_find_ragdoll_contacts(md5_ragdoll *ragdoll)
{
    ragdoll->max_speed = 0.0;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        if (!collides_with_ground(ragdoll, node))
            continue;
        const double rotation_speed = node->radius * md5_vec3d_length(node->angular);
        const double speed = md5_vec3d_length(node->linear) + rotation_speed;
        ragdoll->max_speed = md5_max(ragdoll->max_speed, speed);

        // next_search assumes a slow body. A body that has become faster is searched earlier.
        const uint64_t num_steps = steps_between_searches(speed, rotation_speed);
        const bool is_due = node->next_search <= ragdoll->step + SEARCH_STEPS - num_steps;
        if (is_due) {
            node->next_search = ragdoll->step + SEARCH_STEPS;
            find_contacts(ragdoll, node, speed, (double)num_steps);
        }
    }
}
