// Contacts of bodies with a plane and with a height field. ragdoll_triangles.c finds contacts with
// triangles. A search also finds points that may touch the ground before the next search, so that
// bodies do not pass through the ground between two searches.
#include "md5/ragdoll/contact_search.h"

#define MIN_FAST_SPEED 60.0 // units per second: a quarter of a unit in a step

// == Planes and height fields =====================================================================

// Adds a candidate for each vertex of the body and the ground plane. A zero normal means that the
// ground has no plane.
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

// Adds candidates for the body and the height field below it. A hill may reach a body between two
// vertices, so the centers of the edges are tested, too.
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

// A new contact continues a previous contact if the distance of their points is less than
// SAME_POINT_DISTANCE, units, and the cosine of the angle between their normals is larger than
// MIN_SAME_NORMAL_COSINE.
#define SAME_POINT_DISTANCE 0.5
#define MIN_SAME_NORMAL_COSINE 0.95

// Initializes the impulses of a new contact with those of the previous contact at the same point.
// The solver needs fewer sweeps if it starts with the impulses of the last step.
static void copy_previous_impulses(const ragdoll_node *node, ragdoll_contact *contact)
{
    for (uint32_t i = 0; i < node->num_contacts; i++) {
        const ragdoll_contact *const previous = &node->contacts[i];
        const md5_vec3d apart = md5_vec3d_sub(previous->position, contact->position);
        const double square = md5_vec3d_dot(apart, apart);
        const double cosine = md5_vec3d_dot(previous->normal, contact->normal);
        const bool is_same_contact_point =
            square < SAME_POINT_DISTANCE * SAME_POINT_DISTANCE && cosine > MIN_SAME_NORMAL_COSINE;
        if (is_same_contact_point) {
            memcpy(contact->impulses, previous->impulses, sizeof contact->impulses);
            contact->approach_speed = previous->approach_speed;
        }
    }
}

// Returns how different two candidates are, in units: combines the distance of their points and the
// difference between their normals, which counts four times.
static double candidate_distance(const contact_candidate *a, const contact_candidate *b)
{
    const md5_vec3d apart = md5_vec3d_sub(a->point, b->point);
    const md5_vec3d angle = md5_vec3d_scale(md5_vec3d_sub(a->normal, b->normal), 4.0);
    return sqrt(md5_vec3d_dot(apart, apart) + md5_vec3d_dot(angle, angle));
}

// A candidate whose distance from a chosen candidate is less than this is not chosen, units.
#define MIN_CANDIDATE_DISTANCE 0.3

// The value of a candidate decreases by this number of units of distance for each unit by which it
// penetrates less.
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

// Returns the index of the candidate with the largest distance from all chosen candidates, of which
// `candidate` is the last, or MD5_NONE if the remaining candidates are too near. A smaller
// penetration reduces the value of a candidate. Updates the distances.
static uint32_t farthest_candidate(const contact_search *search, const contact_candidate *candidate,
                                   double *distances)
{
    uint32_t farthest = MD5_NONE;
    double best = 0.0;
    for (uint32_t i = 0; i < search->num_candidates; i++) {
        const contact_candidate *const remaining = &search->candidates[i];
        distances[i] = md5_min(distances[i], candidate_distance(remaining, candidate));
        const double gap_difference = md5_max(0.0, remaining->gap - candidate->gap);
        const double value =
            distances[i] - MIN_CANDIDATE_DISTANCE - PENETRATION_WEIGHT * gap_difference;
        if (distances[i] > MIN_CANDIDATE_DISTANCE && value > best) {
            best = value;
            farthest = i;
        }
    }
    return farthest;
}

// Replaces the contacts of a node by at most MAX_CONTACTS of the candidates. Chooses the deepest
// candidate, then repeatedly the candidate with the largest distance from all chosen candidates.
// Few contacts that are far apart support a body as well as many contacts.
static void choose_contacts(const contact_search *search, ragdoll_node *node)
{
    ragdoll_contact chosen[MAX_CONTACTS];
    double distances[MAX_CANDIDATES]; // from the nearest chosen candidate
    uint32_t count = 0;
    uint32_t next = search->num_candidates > 0 ? deepest_candidate(search) : MD5_NONE;
    const md5_quatd into_body = md5_quatd_conjugate(node->transform.rotation);
    for (uint32_t i = 0; i < search->num_candidates; i++)
        distances[i] = INFINITY;
    while (next != MD5_NONE && count < MAX_CONTACTS) {
        const contact_candidate *const candidate = &search->candidates[next];
        const md5_vec3d from_center = md5_vec3d_sub(candidate->point, node->transform.position);
        ragdoll_contact *const contact = &chosen[count++];
        *contact = (ragdoll_contact){.position = md5_quatd_rotate(into_body, from_center),
                                     .normal = candidate->normal,
                                     .level = candidate->level};
        // Impulses are found by position, so the contacts of the last step must not be replaced
        // before all contacts are chosen.
        copy_previous_impulses(node, contact);
        next = farthest_candidate(search, candidate, distances);
    }
    memcpy(node->contacts, chosen, count * sizeof chosen[0]);
    node->num_contacts = count;
}

// Initializes a search for the contacts of a body with the ground: moves the convex hull of the
// body into world space, and clears the list of possible contacts (candidates). The caller sets
// search->reach.
static void begin_search(contact_search *search, const md5_ragdoll *ragdoll,
                         const ragdoll_node *node)
{
    const md5_figure *const figure = ragdoll->desc.figure;
    const md5_body_part *const part = &figure->bodies[node->body];
    const ragdoll_hull *const hull = &ragdoll->hulls[node->body];
    search->ragdoll = ragdoll;
    search->num_candidates = 0;
    search->num_vertices = part->num_vertices;
    search->num_planes = hull->num_planes;
    search->num_edges = hull->num_edges;
    search->edges = &ragdoll->edges[hull->first_edge];

    for (uint32_t i = 0; i < search->num_vertices; i++) {
        const md5_vec3d vertex = md5_vec3d_from_vec3(figure->vertices[part->first_vertex + i]);
        search->vertices[i] = md5_transform_point(&node->transform, vertex);
    }

    if (!ragdoll->desc.ground.triangles)
        return;
    for (uint32_t i = 0; i < search->num_planes; i++) {
        const ragdoll_plane *const plane = &ragdoll->planes[hull->first_plane + i];
        const md5_vec3d normal = md5_quatd_rotate(node->transform.rotation, plane->normal);
        const double level = plane->level + md5_vec3d_dot(normal, node->transform.position);
        search->planes[i] = (ragdoll_plane){normal, level};
    }
}

// A body may come nearer to the ground by MIN_REACH units, plus REACH_FACTOR times the distance
// that it moves by its speed and gravity, before its next search.
#define MIN_REACH 1.0
#define REACH_FACTOR 1.5

// Replaces the contacts of a node by the contacts that are possible in the next `steps` steps.
// `speed` is the largest speed of a point of the body, units per second.
static void find_contacts(md5_ragdoll *ragdoll, ragdoll_node *node, double speed, double steps)
{
    const md5_ground *const ground = &ragdoll->desc.ground;
    const double time = steps * (1.0 / ragdoll_rate);
    contact_search search;
    begin_search(&search, ragdoll, node);
    search.reach = MIN_REACH + REACH_FACTOR * time * (speed + ragdoll->gravity * time);
    search_plane(&search);
    if (ground->heights)
        search_heights(&search);
    if (ground->triangles)
        md5i_search_triangles(&search);
    choose_contacts(&search, node);
}

// Returns the number of steps between two searches for the contacts of a body: SEARCH_STEPS for a
// slow body and 2 for a fast body. A body that rotates fast may touch the ground with other points
// already in the next step, so its contacts are searched in every step.
static uint64_t steps_between_searches(double speed, double rotation_speed)
{
    if (rotation_speed > MIN_FAST_SPEED)
        return 1;
    if (speed > MIN_FAST_SPEED)
        return 2;
    return SEARCH_STEPS;
}

// Finds the contacts of all bodies with the ground. Slow bodies are searched only in every
// SEARCH_STEPS-th step; next_search is the step of the next search.
void md5i_find_ragdoll_contacts(md5_ragdoll *ragdoll)
{
    ragdoll->max_speed = 0.0;
    for (uint32_t k = 0; k < ragdoll->num_nodes; k++) {
        ragdoll_node *const node = &ragdoll->nodes[k];
        const bool is_tied_to_world = node->constraint != MD5_NONE && node->parent == MD5_NONE;
        const uint32_t mask = ragdoll->desc.figure->bodies[node->body].def->clip_mask;
        if (!(mask & MD5_CONTENTS_SOLID) || is_tied_to_world) // as in the engine
            continue;
        const double rotation_speed = node->radius * md5_vec3d_length(node->angular);
        const double speed = md5_vec3d_length(node->linear) + rotation_speed;
        ragdoll->max_speed = md5_max(ragdoll->max_speed, speed);

        // next_search is the step for a slow body. A faster body is searched earlier.
        const uint64_t steps = steps_between_searches(speed, rotation_speed);
        if (node->next_search <= ragdoll->step + SEARCH_STEPS - steps) {
            node->next_search = ragdoll->step + SEARCH_STEPS;
            find_contacts(ragdoll, node, speed, (double)steps);
        }
    }
}
