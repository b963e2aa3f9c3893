// Clips baked into vertices: 16 bits a coordinate within the bounds of the clip, and normals on an
// unfolded octahedron.
//
// Frames are skinned twice, for the bounds and for the vertices, because storing the posed vertices
// of a clip as floats would take three times the memory of the result.
#include "md5/core/freed.h"
#include "md5/core/arena.h"
#include "md5/md5skin.h"
#include "md5/skin/octahedron.h"

enum { LEVELS = 65535 }; // of a coordinate

// -- Encoding ---------------------------------------------------------------------------------

static uint32_t level_of(float value, float min, float step)
{
    if (!(step > 0))
        return 0;
    const double level = floor(((double)value - (double)min) / (double)step + 0.5);
    return level > 0 ? (level < (double)LEVELS ? (uint32_t)level : (uint32_t)LEVELS) : 0;
}

static md5_vec3 position_of(const md5_baked *baked, md5_baked_vertex vertex)
{
    const float x = (float)(vertex.xy & 0xffff);
    const float y = (float)(vertex.xy >> 16);
    const float z = (float)(vertex.z_normal & 0xffff);
    const md5_vec3 min = baked->bounds.min;
    const md5_vec3 step = baked->step;
    return (md5_vec3){min.x + step.x * x, min.y + step.y * y, min.z + step.z * z};
}

static float distance(md5_vec3 a, md5_vec3 b)
{
    return (float)md5_vec3d_length(md5_vec3d_sub(md5_vec3d_of(a), md5_vec3d_of(b)));
}

// -- Baking -----------------------------------------------------------------------------------

static bool check(md5_context *context, const md5_model *model, uint32_t num_frames,
                  uint32_t *num_vertices)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        total += mesh->num_vertices;
        if (mesh->num_vertices > 0 && !mesh->positions)
            return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                            "model geometry was released; load the model again");
    }
    if (total > UINT32_MAX)
        return MD5_FAIL(context, MD5_ERROR_MEMORY,
                        "too many vertices to bake: expected at most 4294967295, found %llu",
                        (unsigned long long)total);
    if (total * num_frames > SIZE_MAX / sizeof(md5_baked_vertex))
        return MD5_FAIL(
            context, MD5_ERROR_MEMORY,
            "baked clip is too large: %u frames of %u vertices exceed the address space",
            num_frames, (unsigned)total);
    *num_vertices = (uint32_t)total;
    return num_frames > 0
           || MD5_FAIL(context, MD5_ERROR_RANGE, "no frames to bake: expected at least 1");
}

static md5_baked *create(md5_arena *arena, const md5_model *model, const md5_mat34 *palettes,
                         uint32_t num_frames)
{
    md5_context *const context = arena->context;
    md5_baked counts = {.num_frames = num_frames, .bounds = md5_bounds_from_points(NULL, 0)};
    if (!check(context, model, num_frames, &counts.num_vertices))
        return NULL;
    md5_vec3 *const positions = MD5_ROOM(arena, md5_vec3, model->max_vertices);
    md5_vec3 *const normals = MD5_ROOM(arena, md5_vec3, model->max_vertices);
    if (!positions || !normals)
        return NULL;

    // Bounds and steps. Comparisons ignore NaN, so each vertex is checked for finite numbers.
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        const md5_mat34 *const palette = palettes + (size_t)frame * model->skeleton.num_joints;
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            md5_skin(mesh, palette, positions, NULL, NULL);
            for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
                const md5_vec3 place = positions[vertex];
                if (!isfinite(place.x) || !isfinite(place.y) || !isfinite(place.z)) {
                    MD5_FAIL(context, MD5_ERROR_RANGE,
                             "cannot bake frame %u: position of vertex %u of mesh %u is not finite",
                             frame, vertex, i);
                    return NULL;
                }
                counts.bounds = md5_bounds_union(counts.bounds, (md5_bounds){place, place});
            }
        }
    }
    const md5_vec3 min = counts.bounds.min;
    const md5_vec3 max = counts.bounds.max;
    // The difference of two floats may overflow; that of their halves does not.
    const float half_level = 0.5f / (float)LEVELS;
    if (counts.num_vertices > 0)
        counts.step = (md5_vec3){2 * (max.x * half_level - min.x * half_level),
                                 2 * (max.y * half_level - min.y * half_level),
                                 2 * (max.z * half_level - min.z * half_level)};

    md5_block block = {0};
    md5_baked *baked = NULL;
    md5_baked_vertex *vertices = NULL;
    for (uint32_t pass = 0; pass < 2; pass++) {
        baked = (md5_baked *)md5i_block_put(&block, &counts, 1, sizeof counts);
        vertices = MD5_TAKE(&block, md5_baked_vertex, (size_t)num_frames * counts.num_vertices);
        if (pass == 0 && !md5i_block_allocate(context, &block))
            return NULL;
    }
    baked->vertices = vertices;
    baked->size = block.used;
    baked->internal = (md5_internal){.allocator = context->allocator, .tag = MD5_TAG_BAKED};
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        const md5_mat34 *const palette = palettes + (size_t)frame * model->skeleton.num_joints;
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            md5_skin(mesh, palette, positions, normals, NULL);
            for (uint32_t j = 0; j < mesh->num_vertices; j++) {
                const md5_vec3 p = positions[j];
                const md5_vec3 step = baked->step;
                vertices[j] = (md5_baked_vertex){
                    .xy = level_of(p.x, min.x, step.x) | level_of(p.y, min.y, step.y) << 16,
                    .z_normal = level_of(p.z, min.z, step.z) | md5_octahedron_of(normals[j]) << 16,
                };
                const md5_vec3 normal = md5_octahedron_normal(vertices[j].z_normal >> 16);
                // The angle between unit vectors from their distance.
                const float half = distance(normal, normals[j]) * 0.5f;
                baked->position_error =
                    fmaxf(baked->position_error, distance(position_of(baked, vertices[j]), p));
                baked->normal_error = fmaxf(baked->normal_error, 2 * asinf(half < 1 ? half : 1));
            }
            vertices += mesh->num_vertices;
        }
    }
    return baked;
}

md5_baked *md5_create_baked(const md5_model *model, const md5_mat34 *palettes, uint32_t num_frames,
                            const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(model, MD5_TAG_MODEL);
    if (!model) {
        md5i_fail_missing(error, "model");
        return NULL;
    }
    MD5_ASSERT(palettes || num_frames == 0 || model->skeleton.num_joints == 0,
               "palettes: must not be NULL");
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    md5_baked *const baked = create(&arena, model, palettes, num_frames);
    md5i_arena_free(&arena);
    return baked;
}

void md5_destroy_baked(md5_baked *baked)
{
    MD5_FREE(baked, MD5_TAG_BAKED);
}

// -- Decoding ---------------------------------------------------------------------------------

void md5_skin_baked(const md5_baked *baked, uint32_t first, uint32_t count,
                    md5_sample_position sample, md5_vec3 *positions, md5_vec3 *normals)
{
    MD5_ASSERT_ALIVE(baked, MD5_TAG_BAKED);
    MD5_ASSERT(first <= baked->num_vertices && count <= baked->num_vertices - first,
               "first, count: must be a range of vertices of the baked clip");
    MD5_ASSERT(sample.frame0 < baked->num_frames && sample.frame1 < baked->num_frames,
               "sample: must be a position in the baked clip");
    MD5_ASSERT_ARRAY(positions, count);
    const size_t last = baked->num_frames - 1; // to which frames are clamped without assertions
    const size_t frame0 = sample.frame0 < last ? sample.frame0 : last;
    const size_t frame1 = sample.frame1 < last ? sample.frame1 : last;
    const md5_baked_vertex *const from = baked->vertices + frame0 * baked->num_vertices + first;
    const md5_baked_vertex *const to = baked->vertices + frame1 * baked->num_vertices + first;
    for (uint32_t i = 0; i < count; i++) {
        positions[i] =
            md5_vec3_lerp(position_of(baked, from[i]), position_of(baked, to[i]), sample.fraction);
        if (!normals)
            continue;
        const md5_vec3 normal = md5_octahedron_normal(from[i].z_normal >> 16);
        normals[i] = md5_vec3_normalize(
            md5_vec3_lerp(normal, md5_octahedron_normal(to[i].z_normal >> 16), sample.fraction),
            normal);
    }
}

// Computes one vertex at a time, so that no memory is needed.
float md5_baked_error(const md5_baked *baked, const md5_model *model, md5_sample_position sample,
                      const md5_mat34 *palette)
{
    MD5_ASSERT_ALIVE(baked, MD5_TAG_BAKED);
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT_ARRAY(palette, model->skeleton.num_joints);
    float largest = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
            md5_vec3 decoded;
            md5_skin_baked(baked, first + vertex, 1, sample, &decoded, NULL);
            // As md5_skin() computes it, but for rounding error.
            md5_vec3 exact = {0, 0, 0};
            for (uint32_t k = mesh->first_influence[vertex]; k < mesh->first_influence[vertex + 1];
                 k++)
                exact = md5_vec3_add(exact, md5_mat34_apply(&palette[mesh->influence_joints[k]],
                                                            mesh->influences[k]));
            largest = fmaxf(largest, distance(decoded, exact));
        }
        first += mesh->num_vertices;
    }
    return largest;
}
