// Candidates for the contacts of one body: a list of points that may touch the ground, without
// duplicates.
#include "md5/ragdoll/contact_search.h"

// Two candidates count as the same if two conditions are true. The square of the distance between
// their points is less than MAX_SAME_SQUARE, square units, and the cosine of the angle between
// their normals is above MIN_SAME_COSINE.
#define MAX_SAME_SQUARE 0.01
#define MIN_SAME_COSINE 0.99

// Returns true if a candidate counts as the same as a candidate with this point and normal.
static bool is_same_contact(const contact_candidate *candidate, md5_vec3d point, md5_vec3d normal)
{
    const md5_vec3d apart = md5_vec3d_sub(candidate->point, point);
    const double square = md5_vec3d_dot(apart, apart);
    return square < MAX_SAME_SQUARE && md5_vec3d_dot(candidate->normal, normal) > MIN_SAME_COSINE;
}

// Returns the index of the candidate that counts as the same as one with this point and normal.
// Returns the number of candidates if there is none.
static uint32_t find_same_candidate(const contact_search *search, md5_vec3d point, md5_vec3d normal)
{
    uint32_t index = search->num_candidates;
    for (uint32_t i = 0; i < search->num_candidates; i++) {
        if (is_same_contact(&search->candidates[i], point, normal))
            index = i;
    }
    return index;
}

// Returns the index of the candidate with the largest gap. The list must not be empty.
static uint32_t find_largest_gap(const contact_search *search)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < search->num_candidates; i++) {
        if (search->candidates[i].gap > search->candidates[largest].gap)
            largest = i;
    }
    return largest;
}

// Adds a point of a body as a candidate for a contact with the plane dot(normal, p) = level. Does
// nothing if the gap is larger than the reach of the search. If another candidate counts as the
// same, keeps the one that is deeper in the ground.
void md5i_add_contact_candidate(contact_search *search, md5_vec3d point, md5_vec3d normal,
                                double level)
{
    const double gap = md5_vec3d_dot(normal, point) - level;
    if (gap > search->reach)
        return;

    // The new candidate takes the place of a candidate that counts as the same. If there is none
    // and the list is full, it takes the place of the candidate with the largest gap.
    uint32_t index = find_same_candidate(search, point, normal);
    if (index == MAX_CANDIDATES)
        index = find_largest_gap(search);
    const bool is_added = index == search->num_candidates;
    if (is_added)
        search->num_candidates++;
    else if (search->candidates[index].gap <= gap)
        return; // the stored candidate is deeper
    search->candidates[index] = (contact_candidate){point, normal, level, gap};
}
