// The list of candidates for the contacts of one body, without duplicates.
#include "md5/ragdoll/contact_search.h"

static bool is_same_contact(const contact_candidate *candidate, md5_vec3d point, md5_vec3d normal)
{
    const md5_vec3d apart = md5_vec3d_sub(candidate->point, point);
    return md5_vec3d_dot(apart, apart) < 0.01 && md5_vec3d_dot(candidate->normal, normal) > 0.99;
}

void md5i_add_contact_candidate(contact_search *search, md5_vec3d point, md5_vec3d normal,
                                double level)
{
    const double gap = md5_vec3d_dot(normal, point) - level;
    if (gap > search->reach)
        return;

    contact_candidate *const candidates = search->candidates;
    uint32_t index = search->num_candidates;
    for (uint32_t i = 0; i < search->num_candidates; i++) {
        if (is_same_contact(&candidates[i], point, normal))
            index = i;
    }

    if (index == MAX_CANDIDATES) { // replace the farthest one
        index = 0;
        for (uint32_t i = 1; i < search->num_candidates; i++) {
            if (candidates[i].gap > candidates[index].gap)
                index = i;
        }
    }
    if (index == search->num_candidates)
        search->num_candidates++;
    else if (candidates[index].gap <= gap)
        return;
    candidates[index] = (contact_candidate){point, normal, level, gap};
}
