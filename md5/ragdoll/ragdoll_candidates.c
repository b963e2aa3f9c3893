// The list of candidates for the contacts of one body, without duplicates.
#include "md5/ragdoll/contact_search.h"

// Two candidates are the same if the square of the distance between their points is less than
// MAX_SAME_SQUARE, square units, and the cosine of the angle between their normals is larger than
// MIN_SAME_COSINE.
#define MAX_SAME_SQUARE 0.01
#define MIN_SAME_COSINE 0.99

// Returns true if a point and a normal are those of an earlier candidate, within the tolerances.
static bool is_same_contact(const contact_candidate *candidate, md5_vec3d point, md5_vec3d normal)
{
    const md5_vec3d apart = md5_vec3d_sub(candidate->point, point);
    const double square = md5_vec3d_dot(apart, apart);
    return square < MAX_SAME_SQUARE && md5_vec3d_dot(candidate->normal, normal) > MIN_SAME_COSINE;
}

// Adds a point of a body as a possible contact with the plane of `normal` and `level` (dot(normal,
// p) = level), if their gap is at most the reach of the search. Of nearly equal candidates, the
// deeper one is kept.
void md5i_add_contact_candidate(contact_search *search, md5_vec3d point, md5_vec3d normal,
                                double level)
{
    const double gap = md5_vec3d_dot(normal, point) - level;
    if (gap > search->reach)
        return;

    // The new candidate takes the place of an earlier candidate that is the same, or the place
    // after the last candidate.
    contact_candidate *const candidates = search->candidates;
    uint32_t index = search->num_candidates;
    for (uint32_t i = 0; i < search->num_candidates; i++) {
        if (is_same_contact(&candidates[i], point, normal))
            index = i;
    }

    // If the list is full, the new candidate takes the place of the candidate with the largest gap.
    if (index == MAX_CANDIDATES) {
        index = 0;
        for (uint32_t i = 1; i < search->num_candidates; i++) {
            if (candidates[i].gap > candidates[index].gap)
                index = i;
        }
    }

    if (index == search->num_candidates)
        search->num_candidates++;
    else if (candidates[index].gap <= gap)
        return; // the stored candidate is deeper
    candidates[index] = (contact_candidate){point, normal, level, gap};
}
