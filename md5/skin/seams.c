#include "md5/skin/seams.h"

enum { PLAIN = 1, MIRRORED = 2 };

static void mark_uses(const md5_geometry_source *source, unsigned char *uses)
{
    for (size_t i = 0; i < source->num_triangles; i++) {
        const uint32_t *corners = source->triangles + 3 * i;
        const md5_vec2 *uv = source->texcoords;
        const bool mirrored = md5_is_mirrored(uv[corners[0]], uv[corners[1]], uv[corners[2]]);
        for (int corner = 0; corner < 3; corner++)
            uses[corners[corner]] |= mirrored ? MIRRORED : PLAIN;
    }
}

const uint32_t *md5_find_seams(md5_arena *scratch, const md5_geometry_source *source,
                               uint32_t *num_vertices)
{
    const uint32_t num_file_vertices = source->num_vertices;
    unsigned char *uses = md5_arena_alloc(scratch, num_file_vertices, sizeof *uses);
    uint32_t *copies = md5_arena_alloc(scratch, num_file_vertices, sizeof *copies);
    if (!uses || !copies)
        return NULL;
    // A vertex that brings its tangent serves both sides with it.
    if (!source->tangents)
        mark_uses(source, uses);

    // Texts are below 2^31 bytes, so that twice the vertices still have numbers.
    uint32_t next = num_file_vertices;
    for (uint32_t vertex = 0; vertex < num_file_vertices; vertex++) {
        const bool on_seam = uses[vertex] == (PLAIN | MIRRORED);
        copies[vertex] = on_seam ? next++ : vertex;
    }
    *num_vertices = next;
    return copies;
}
