// Baked clips store the vertices of each frame instead of a pose. A coordinate is stored in 16
// bits, as a number of steps from the minimum of the clip's bounds. A normal is stored in 16 bits,
// as a point on an unfolded octahedron (octahedron.h).
//
// Frames are skinned twice: first to find the bounds, and then to encode the vertices. Keeping the
// posed vertices as floats would take three times the memory of the result.
#include "md5/core/freed.h"
#include "md5/core/arena.h"
#include "md5/md5skin.h"
#include "md5/skin/octahedron.h"

enum { MAX_LEVEL = 65535 }; // largest encoded coordinate

// -- Encoding ---------------------------------------------------------------------------------

// Returns the encoded coordinate ("level") that is nearest to a value. Level k means the value
// min + k * step. If the step is 0, all coordinates are equal, and the level is 0.
static uint32_t encode_level(float value, float min, float step)
{
    if (!(step > 0))
        return 0;
    const double level = floor(((double)value - (double)min) / (double)step + 0.5);
    if (!(level > 0))
        return 0;
    return level < (double)MAX_LEVEL ? (uint32_t)level : (uint32_t)MAX_LEVEL;
}

// Returns the position of an encoded vertex. The position consists of three integers of 16 bits,
// which count steps from the minimum of the bounds.
static md5_vec3 decode_position(const md5_baked *baked, md5_baked_vertex vertex)
{
    const float x = (float)(vertex.xy & 0xffff);
    const float y = (float)(vertex.xy >> 16);
    const float z = (float)(vertex.z_normal & 0xffff);
    const md5_vec3 min = baked->bounds.min;
    const md5_vec3 step = baked->step;
    return (md5_vec3){min.x + step.x * x, min.y + step.y * y, min.z + step.z * z};
}

static float distance_between_points(md5_vec3 a, md5_vec3 b)
{
    return (float)md5_vec3d_length(md5_vec3d_sub(md5_vec3d_from_vec3(a), md5_vec3d_from_vec3(b)));
}

// -- Baking -----------------------------------------------------------------------------------

// Counts the vertices of a model. Fails if md5_release_geometry() has freed the arrays of a mesh.
static bool count_bake_vertices(md5_context *context, const md5_model *model, uint64_t *total)
{
    *total = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        *total += mesh->num_vertices;
        const bool is_released = mesh->num_vertices > 0 && !mesh->positions;
        if (is_released)
            return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                            "geometry of the model was released: expected a model with geometry; "
                            "load the model again");
    }
    return true;
}

// Counts the vertices of a model and checks that a clip of it can be baked. Returns false and sets
// the context's error if the model has no geometry. Also fails if the baked clip would be empty or
// too large.
static bool check_bake_job(md5_context *context, const md5_model *model, uint32_t num_frames,
                           uint32_t *num_vertices)
{
    uint64_t total = 0;
    TRY(count_bake_vertices(context, model, &total));
    if (total > UINT32_MAX)
        return MD5_FAIL(context, MD5_ERROR_MEMORY,
                        "too many vertices to bake: expected at most 4294967295, found %llu",
                        (unsigned long long)total);
    if (total * num_frames > SIZE_MAX / sizeof(md5_baked_vertex))
        return MD5_FAIL(
            context, MD5_ERROR_MEMORY,
            "baked clip is too large: %u frames of %u vertices exceed the address space",
            num_frames, (unsigned)total);
    if (num_frames == 0)
        return MD5_FAIL(context, MD5_ERROR_RANGE, "no frames to bake: expected at least 1");
    *num_vertices = (uint32_t)total;
    return true;
}

// Extends *bounds to positions[count]. Returns the index of the first position that is not finite,
// or `count`. Each position is tested, because the comparisons alone would ignore NaN.
static uint32_t extend_bounds(const md5_vec3 *positions, uint32_t count, md5_bounds *bounds)
{
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 position = positions[i];
        if (!isfinite(position.x) || !isfinite(position.y) || !isfinite(position.z))
            return i;
        *bounds = md5_bounds_union(*bounds, (md5_bounds){position, position});
    }
    return count;
}

// Extends *bounds to the vertices of a model in one frame. positions[max_vertices] is scratch
// memory. Returns false and sets the context's error if a position is not finite.
static bool extend_bounds_to_frame(md5_context *context, const md5_model *model,
                                   const md5_mat34 *palette, uint32_t frame, md5_vec3 *positions,
                                   md5_bounds *bounds)
{
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        md5_skin(mesh, palette, positions, NULL, NULL);
        const uint32_t num_finite = extend_bounds(positions, mesh->num_vertices, bounds);
        if (num_finite < mesh->num_vertices)
            return MD5_FAIL(context, MD5_ERROR_RANGE,
                            "cannot bake frame %u: position of vertex %u of mesh %u is not finite",
                            frame, num_finite, i);
    }
    return true;
}

// Finds the bounds of all frames. positions[max_vertices] is scratch memory. Returns false and sets
// the context's error if a position is not finite.
static bool find_bounds(md5_context *context, const md5_model *model, const md5_mat34 *palettes,
                        uint32_t num_frames, md5_vec3 *positions, md5_bounds *bounds)
{
    *bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        const md5_mat34 *const palette = palettes + (size_t)frame * model->skeleton.num_joints;
        TRY(extend_bounds_to_frame(context, model, palette, frame, positions, bounds));
    }
    return true;
}

// Returns the distance between two adjacent levels, for each coordinate. The function scales the
// two bounds before it subtracts them, because max - min can exceed the range of floats.
static md5_vec3 find_step(const md5_bounds *bounds)
{
    const md5_vec3 min = bounds->min;
    const md5_vec3 max = bounds->max;
    const float half_level = 0.5f / (float)MAX_LEVEL;
    return (md5_vec3){2 * (max.x * half_level - min.x * half_level),
                      2 * (max.y * half_level - min.y * half_level),
                      2 * (max.z * half_level - min.z * half_level)};
}

// Raises the largest errors of a clip to the errors of one vertex. These are the distance from its
// encoded position, and the angle between its normal and the encoded normal. Two unit vectors at
// the distance d have the angle 2 asin(d / 2). For small angles this is more precise than the arc
// cosine.
static void measure_encoding_errors(md5_baked *baked, md5_vec3 position, md5_vec3 normal,
                                    md5_baked_vertex encoded)
{
    const md5_vec3 decoded_position = decode_position(baked, encoded);
    const md5_vec3 decoded_normal = md5_decode_octahedron(encoded.z_normal >> 16);
    const float half_distance = distance_between_points(decoded_normal, normal) * 0.5f;
    baked->position_error =
        fmaxf(baked->position_error, distance_between_points(decoded_position, position));
    baked->normal_error =
        fmaxf(baked->normal_error, 2 * asinf(half_distance < 1 ? half_distance : 1));
}

// Encodes a vertex, and raises the largest errors of the clip to the errors of this vertex.
static md5_baked_vertex bake_vertex(md5_baked *baked, md5_vec3 position, md5_vec3 normal)
{
    const md5_vec3 min = baked->bounds.min;
    const md5_vec3 step = baked->step;
    const uint32_t x = encode_level(position.x, min.x, step.x);
    const uint32_t y = encode_level(position.y, min.y, step.y);
    const uint32_t z = encode_level(position.z, min.z, step.z);
    const md5_baked_vertex vertex = {
        .xy = x | y << 16,
        .z_normal = z | md5_encode_octahedron(normal) << 16,
    };
    measure_encoding_errors(baked, position, normal, vertex);
    return vertex;
}

// Skins and encodes the vertices of all frames, and updates the largest errors.
// positions[max_vertices] and normals[max_vertices] are scratch memory.
static void bake_frames(const md5_model *model, const md5_mat34 *palettes, md5_vec3 *positions,
                        md5_vec3 *normals, md5_baked *baked, md5_baked_vertex *vertices)
{
    for (uint32_t frame = 0; frame < baked->num_frames; frame++) {
        const md5_mat34 *const palette = palettes + (size_t)frame * model->skeleton.num_joints;
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            md5_skin(mesh, palette, positions, normals, NULL);
            for (uint32_t j = 0; j < mesh->num_vertices; j++)
                vertices[j] = bake_vertex(baked, positions[j], normals[j]);
            vertices += mesh->num_vertices;
        }
    }
}

// Allocates a baked clip and its vertices in one block. `header` contains the members that are
// known before the frames are baked. Returns NULL if memory runs out.
static md5_baked *alloc_baked(md5_context *context, const md5_baked *header,
                              md5_baked_vertex **vertices)
{
    const size_t num_vertices = (size_t)header->num_frames * header->num_vertices;
    md5_block block = {0};
    md5_baked *baked = NULL;
    for (uint32_t pass = 0; pass < 2; pass++) { // measures the block, then gets the addresses
        baked = (md5_baked *)md5i_block_copy(&block, header, 1, sizeof *header);
        *vertices = MD5_BLOCK_ARRAY(&block, md5_baked_vertex, num_vertices);
        if (pass == 0 && !md5i_block_end_measuring(context, &block))
            return NULL;
    }
    baked->vertices = *vertices;
    baked->size = block.used;
    baked->internal = (md5_internal){.allocator = context->allocator, .tag = MD5_TAG_BAKED};
    return baked;
}

// Creates a baked clip in one block. Finds the bounds of all frames first, because they determine
// the precision of the positions. Returns NULL and sets the context's error on failure.
static md5_baked *create_baked(md5_arena *arena, const md5_model *model, const md5_mat34 *palettes,
                               uint32_t num_frames)
{
    md5_context *const context = arena->context;
    md5_baked header = {.num_frames = num_frames};
    if (!check_bake_job(context, model, num_frames, &header.num_vertices))
        return NULL;

    md5_vec3 *const positions = MD5_ALLOC_ARRAY(arena, md5_vec3, model->max_vertices);
    md5_vec3 *const normals = MD5_ALLOC_ARRAY(arena, md5_vec3, model->max_vertices);
    if (!positions || !normals)
        return NULL;
    if (!find_bounds(context, model, palettes, num_frames, positions, &header.bounds))
        return NULL;
    if (header.num_vertices > 0)
        header.step = find_step(&header.bounds);

    md5_baked_vertex *vertices = NULL;
    md5_baked *const baked = alloc_baked(context, &header, &vertices);
    if (baked)
        bake_frames(model, palettes, positions, normals, baked, vertices);
    return baked;
}

// Bakes the frames of a clip. palettes[num_frames][num_joints] contains the matrix palette of each
// frame. `opts` may be NULL. Returns NULL and sets the error on failure.
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
    md5_baked *const baked = create_baked(&arena, model, palettes, num_frames);
    md5i_arena_free(&arena);
    return baked;
}

void md5_destroy_baked(md5_baked *baked)
{
    MD5_FREE(baked, MD5_TAG_BAKED);
}

// -- Decoding ---------------------------------------------------------------------------------

// Returns the normal of a vertex between two frames of a baked clip.
static md5_vec3 interpolate_normal(md5_baked_vertex from, md5_baked_vertex to, float fraction)
{
    const md5_vec3 from_normal = md5_decode_octahedron(from.z_normal >> 16);
    const md5_vec3 to_normal = md5_decode_octahedron(to.z_normal >> 16);
    return md5_vec3_normalize(md5_vec3_lerp(from_normal, to_normal, fraction), from_normal);
}

// Decodes vertices of a baked clip at a sample position. They are interpolated linearly between the
// two frames. `normals` may be NULL.
void md5_skin_baked(const md5_baked *baked, uint32_t first, uint32_t count,
                    md5_sample_position sample, md5_vec3 *positions, md5_vec3 *normals)
{
    MD5_ASSERT_ALIVE(baked, MD5_TAG_BAKED);
    MD5_ASSERT(first <= baked->num_vertices && count <= baked->num_vertices - first,
               "first, count: must be a range of vertices of the baked clip");
    MD5_ASSERT(sample.frame0 < baked->num_frames && sample.frame1 < baked->num_frames,
               "sample: must be a position in the baked clip");
    MD5_ASSERT_ARRAY(positions, count);

    const size_t last = baked->num_frames - 1; // frames are clamped in builds without assertions
    const size_t frame0 = sample.frame0 < last ? sample.frame0 : last;
    const size_t frame1 = sample.frame1 < last ? sample.frame1 : last;
    const md5_baked_vertex *const from = baked->vertices + frame0 * baked->num_vertices + first;
    const md5_baked_vertex *const to = baked->vertices + frame1 * baked->num_vertices + first;
    for (uint32_t i = 0; i < count; i++) {
        const md5_vec3 from_position = decode_position(baked, from[i]);
        const md5_vec3 to_position = decode_position(baked, to[i]);
        positions[i] = md5_vec3_lerp(from_position, to_position, sample.fraction);
        if (normals)
            normals[i] = interpolate_normal(from[i], to[i], sample.fraction);
    }
}

// Returns the position of one vertex. It equals the result of md5_skin() except for rounding
// errors.
static md5_vec3 skin_one_vertex(const md5_mesh *mesh, uint32_t vertex, const md5_mat34 *palette)
{
    md5_vec3 position = {0, 0, 0};
    const uint32_t end = mesh->first_influence[vertex + 1];
    for (uint32_t i = mesh->first_influence[vertex]; i < end; i++) {
        const md5_mat34 *const joint = &palette[mesh->influence_joints[i]];
        position = md5_vec3_add(position, md5_mat34_apply(joint, mesh->influences[i]));
    }
    return position;
}

// Returns the largest distance between a baked vertex and the same vertex skinned with `palette`.
// Processes one vertex at a time, so that no memory is needed.
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
            const md5_vec3 exact = skin_one_vertex(mesh, vertex, palette);
            largest = fmaxf(largest, distance_between_points(decoded, exact));
        }
        first += mesh->num_vertices;
    }
    return largest;
}
