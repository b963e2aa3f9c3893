// Faults of the normals and tangents that a mesh is lit with. Those that the library derives have
// none but flipped ones; files of version 12 bring their own.
#ifndef DEMO_VIEWER_ASSETS_FAULTS_H
#define DEMO_VIEWER_ASSETS_FAULTS_H

#include "md5/md5model.h"

#include <stddef.h>

typedef struct view_faults {
    uint32_t num_short;    // vertices whose normal or tangent is not 1 long, within 1 %
    uint32_t num_skewed;   // vertices whose tangent is not perpendicular to the normal, within 1 %
    uint32_t num_flipped;  // triangles that face away from the normal of a corner
    uint32_t num_mirrored; // triangles whose texture is mirrored otherwise than a corner's tangent
    uint32_t num_flat;     // triangles without area, which give no direction
} view_faults;

// Vertices in some pose: [num_vertices] each.
typedef struct view_directed {
    const md5_vec3 *positions, *normals;
    const md5_vec4 *tangents; // or NULL
    float most_skew;          // cosine between normal and tangent that is no fault yet; 0: 1 %
} view_directed;

// Counts them in a pose, in time linear in the mesh. A mesh without tangents has no faults
// of these. If `marks` is not NULL, writes marks[num_vertices]: whether a vertex takes part in one,
// flat triangles aside.
view_faults view_find_faults_in(const md5_mesh *mesh, const view_directed *pose, bool *marks);

// Likewise in the bind pose.
view_faults view_find_faults(const md5_mesh *mesh, bool *marks);

view_faults view_add_faults(view_faults a, view_faults b);

// All but flat triangles, which do not harm the light.
uint32_t view_count_faults(const view_faults *faults);

// Writes "3 triangles face away from a normal, ..." or "none".
void view_describe_faults(const view_faults *faults, char *text, size_t size);

#endif
