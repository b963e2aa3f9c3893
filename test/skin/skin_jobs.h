// Calls md5_skin_one() for the kinds of jobs that several tests need.
#ifndef TEST_SKIN_SKIN_JOBS_H
#define TEST_SKIN_SKIN_JOBS_H

#include "md5/md5skin.h"

static inline void skin_by_duals(const md5_mesh *mesh, const md5_dual_quat *duals,
                                 md5_vec3 *positions, md5_vec3 *normals, md5_vec4 *tangents)
{
    const md5_skin_job job = {.mesh = mesh,
                              .duals = duals,
                              .positions = positions,
                              .normals = normals,
                              .tangents = tangents};
    md5_skin_one(&job);
}

// Skins meshes[mesh] of the morph's model by a palette or by dual quaternions, or in the bind pose
// if both are NULL.
static inline void skin_with_morph(const md5_morph *morph, uint32_t mesh, const float *weights,
                                   const md5_mat34 *palette, const md5_dual_quat *duals,
                                   md5_vec3 *positions, md5_vec3 *normals, md5_vec4 *tangents)
{
    const md5_skin_job job = {.mesh = &morph->model->meshes[mesh],
                              .palette = palette,
                              .duals = duals,
                              .morph = morph,
                              .morph_weights = weights,
                              .positions = positions,
                              .normals = normals,
                              .tangents = tangents};
    md5_skin_one(&job);
}

#endif
