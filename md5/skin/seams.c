#include "md5/skin/seams.h"

#include "md5/core/pair.h"

enum { PLAIN = 1, MIRRORED = 2, BOTH = PLAIN | MIRRORED, BITS = 2, PER_BYTE = 4 };

// The kinds of triangles that use a vertex, two bits each.
static bool is_on_seam(const unsigned char *uses, uint32_t vertex)
{
    return (uses[vertex / PER_BYTE] >> (BITS * (vertex % PER_BYTE)) & BOTH) == BOTH;
}

static void add_use(unsigned char *uses, uint32_t vertex, unsigned use)
{
    uses[vertex / PER_BYTE] |= (unsigned char)(use << (BITS * (vertex % PER_BYTE)));
}

// Whether the texture is mirrored on a triangle: negative signed area of a, b, c on the texture.
// An area of 0 counts as not mirrored. The sign is exact for coordinates of common size, because
// a double holds the products of the differences of such floats without rounding.
static inline bool is_mirrored(const md5_vec2 *texcoords, uint32_t a, uint32_t b, uint32_t c)
{
    const md5_pair at = md5_pair_of_floats(&texcoords[a]);
    const md5_pair ab = md5_pair_sub(md5_pair_of_floats(&texcoords[b]), at);
    const md5_pair ac = md5_pair_sub(md5_pair_of_floats(&texcoords[c]), at);
    return md5_pair_cross(ab, ac) < 0.0;
}

static inline void add_triangle(unsigned char *uses, const md5_vec2 *texcoords, uint32_t a,
                                uint32_t b, uint32_t c)
{
    const unsigned use = is_mirrored(texcoords, a, b, c) ? MIRRORED : PLAIN;
    add_use(uses, a, use);
    add_use(uses, b, use);
    add_use(uses, c, use);
}

// Returns NULL and sets the context's error if memory runs out.
static unsigned char *find_uses(md5_arena *scratch, const md5_geometry_source *source)
{
    unsigned char *const uses =
        (unsigned char *)md5i_arena_alloc(scratch, source->num_vertices / PER_BYTE + 1, 1);
    // A vertex with a tangent from the file keeps it on both sides.
    if (!uses || source->tangents || source->no_tangents)
        return uses;
    const size_t num_corners = 3 * (size_t)source->num_triangles;
    const uint16_t *const narrow = source->narrow_triangles;
    const uint32_t *const wide = source->triangles;
    for (size_t i = 0; i < num_corners && narrow; i += 3)
        add_triangle(uses, source->texcoords, narrow[i], narrow[i + 1], narrow[i + 2]);
    for (size_t i = 0; i < num_corners && !narrow; i += 3)
        add_triangle(uses, source->texcoords, wide[i], wide[i + 1], wide[i + 2]);
    return uses;
}

// Vertices of more weights than this are rare, and finding their equal joints takes long.
enum { FEW_WEIGHTS = 16 };

static bool is_joint_among(uint32_t joint, const md5_weight *weights, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && (weights[i].joint != joint || weights[i].bias == 0.0f))
        i++;
    return i < count;
}

// Returns the number of influences of a file's vertex: weights of bias 0 add nothing, those on the
// same joint are merged. Of many weights all count, and if weights cancel out, or are below what a
// float holds, this is more than md5i_gather_influences() writes.
static uint32_t count_influences(const md5_weight *weights, uint32_t num_weights)
{
    uint64_t joints = 0; // a bit for each remainder by 64
    uint32_t count = 0, num_merged = 0;
    for (uint32_t i = 0; i < num_weights; i++) {
        const uint64_t joint = (uint64_t)(weights[i].bias != 0.0f) << weights[i].joint % 64;
        count += joint != 0;
        if ((joints & joint) && num_weights <= FEW_WEIGHTS)
            num_merged += is_joint_among(weights[i].joint, weights, i);
        joints |= joint;
    }
    return count - num_merged;
}

bool md5i_count_seams(md5_arena *scratch, const md5_geometry_source *source,
                      md5_geometry_sizes *sizes)
{
    const md5_arena_mark before = md5i_arena_here(scratch);
    const unsigned char *const uses = find_uses(scratch, source);
    TRY(uses);
    // Texts are below 2^31 bytes and refer to fewer weights than that, so that twice as many fit
    // into 32 bits.
    uint32_t num_vertices = source->num_vertices, num_influences = 0;
    for (uint32_t vertex = 0; vertex < source->num_vertices; vertex++) {
        const uint32_t on_seam = is_on_seam(uses, vertex);
        num_vertices += on_seam;
        const md5_vertex *const own = &source->vertices[vertex];
        num_influences += count_influences(source->weights + own->first_weight, own->num_weights)
                          << on_seam;
    }
    sizes->num_vertices = num_vertices;
    sizes->num_influences = num_influences;
    md5i_arena_rewind(scratch, before);
    return true;
}

bool md5i_split_seams(md5_arena *scratch, const md5_geometry_source *source, uint32_t *indices,
                      uint32_t *sources)
{
    const md5_arena_mark before = md5i_arena_here(scratch);
    const uint32_t num_vertices = source->num_vertices;
    const unsigned char *const uses = find_uses(scratch, source);
    TRY(uses);
    uint32_t *const copies = (uint32_t *)md5i_arena_room(scratch, num_vertices, sizeof *copies);
    TRY(copies);
    uint32_t next = num_vertices;
    for (uint32_t vertex = 0; vertex < num_vertices; vertex++) {
        if (!is_on_seam(uses, vertex))
            continue;
        copies[vertex] = next;
        sources[next++] = vertex;
    }
    for (size_t i = 0; i < source->num_triangles; i++) {
        const uint32_t *const corners = source->triangles + 3 * i;
        const uint32_t a = corners[0], b = corners[1], c = corners[2];
        const bool has_copy = is_on_seam(uses, a) || is_on_seam(uses, b) || is_on_seam(uses, c);
        const bool mirrored = has_copy && is_mirrored(source->texcoords, a, b, c);
        indices[3 * i + 0] = mirrored && is_on_seam(uses, a) ? copies[a] : a;
        indices[3 * i + 1] = mirrored && is_on_seam(uses, b) ? copies[b] : b;
        indices[3 * i + 2] = mirrored && is_on_seam(uses, c) ? copies[c] : c;
    }
    md5i_arena_rewind(scratch, before);
    return true;
}
