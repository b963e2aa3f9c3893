// Compares the speed of skinning, for bench.c, with a peer: code that was written for this
// comparison and works like the skinning job of ozz-animation, or ozz itself if bench_real.h finds
// it. Vertices are sorted into parts with the same number of influences. For each vertex, the peer
// blends the matrices by its weights. The last weight is 1 minus the sum of the other weights. The
// blended matrix transforms the position, normal and tangent of the bind pose, with four floats in
// a register and fused multiply-adds. Each vertex is stored as four floats, where ozz stores three:
// README.md contains the gain. The peer does not normalize directions, but md5_skin() does.
// Therefore the peer is also measured with normalized directions.
#ifndef TEST_BENCH_BENCH_PEER_H
#define TEST_BENCH_BENCH_PEER_H

#include "test/bench/bench_read.h"
#include "test/bench/bench_real.h"
#include "test/bench/bench_skin.h"

#if defined __x86_64__ && defined __GNUC__
#define BENCH_HAS_PEER
#include <immintrin.h>

#define PEER_TARGET __attribute__((target("avx2,fma")))
#define PEER_INLINE PEER_TARGET static inline __attribute__((always_inline))
#define PEER_MAX_COUNT 64 // influences of a vertex
#define PEER_ROUNDS 31
#define PEER_MIN_VERTICES 500 // fewer would measure calls
#define PEER_MAX_MODELS 400

typedef struct peer_matrix {
    _Alignas(16) float columns[4][4];
} peer_matrix;

// Consecutive vertices with `num_influences` influences each.
typedef struct peer_part {
    uint32_t num_vertices, num_influences;
} peer_part;

typedef struct peer_mesh {
    uint32_t num_vertices;
    uint32_t num_parts;
    peer_part parts[PEER_MAX_COUNT];
    uint16_t *joints; // joints of each vertex: num_influences of its part
    float *weights;   // the same
    md5_vec3 *positions, *normals;
    md5_vec4 *tangents; // NULL if the model has none
    // Results. [3 * num_vertices + 1], because each store writes four floats.
    float *to_positions;
    float *to_normals;
    float *to_tangents;
} peer_mesh;

typedef struct peer_model {
    uint32_t num_meshes, num_joints;
    peer_mesh *meshes;
    peer_matrix *palette; // the skinning palette, column-major
} peer_model;

static void *peer_alloc(size_t count, size_t size)
{
    void *const memory = calloc(count + 1, size);
    if (!memory)
        exit(1);
    return memory;
}

static uint32_t peer_count(const md5_mesh *mesh, uint32_t vertex)
{
    return mesh->first_influence[vertex + 1] - mesh->first_influence[vertex];
}

// Appends the vertices with `count` influences to the peer's mesh.
static void peer_add_part(peer_mesh *to, const md5_mesh *mesh, uint32_t count, size_t *influences)
{
    const uint32_t begin = to->num_vertices;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        if (peer_count(mesh, v) != count)
            continue;
        for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++) {
            to->joints[*influences] = (uint16_t)mesh->influence_joints[i];
            to->weights[(*influences)++] = mesh->influences[i].w;
        }
        to->positions[to->num_vertices] = mesh->positions[v];
        to->normals[to->num_vertices] = mesh->normals[v];
        if (to->tangents)
            to->tangents[to->num_vertices] = mesh->tangents[v];
        to->num_vertices++;
    }
    if (to->num_vertices > begin)
        to->parts[to->num_parts++] = (peer_part){to->num_vertices - begin, count};
}

static void peer_make_mesh(peer_mesh *to, const md5_mesh *mesh)
{
    const size_t count = mesh->num_vertices;
    const size_t total = mesh->first_influence[count];
    size_t num_influences = 0;
    *to = (peer_mesh){.joints = peer_alloc(total, sizeof *to->joints),
                      .weights = peer_alloc(total, sizeof *to->weights),
                      .positions = peer_alloc(count, sizeof *to->positions),
                      .normals = peer_alloc(count, sizeof *to->normals),
                      .to_positions = peer_alloc(3 * count, sizeof(float)),
                      .to_normals = peer_alloc(3 * count, sizeof(float)),
                      .to_tangents = peer_alloc(3 * count, sizeof(float))};
    if (mesh->tangents)
        to->tangents = peer_alloc(count, sizeof *to->tangents);
    for (uint32_t each = 0; each < PEER_MAX_COUNT; each++)
        peer_add_part(to, mesh, each, &num_influences);
}

static void peer_make(peer_model *to, const skinning *fixture)
{
    const md5_model *const model = fixture->model;
    to->num_meshes = model->num_meshes;
    to->num_joints = model->skeleton.num_joints;
    to->meshes = peer_alloc(model->num_meshes, sizeof *to->meshes);
    to->palette = peer_alloc(model->skeleton.num_joints, sizeof *to->palette);
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        for (int column = 0; column < 4; column++) {
            for (int row = 0; row < 3; row++)
                to->palette[i].columns[column][row] = fixture->palette[i].m[4 * row + column];
        }
    }
    for (uint32_t m = 0; m < model->num_meshes; m++)
        peer_make_mesh(&to->meshes[m], &model->meshes[m]);
}

static void peer_free(peer_model *fixture)
{
    for (uint32_t m = 0; m < fixture->num_meshes; m++) {
        peer_mesh *const mesh = &fixture->meshes[m];
        free(mesh->joints);
        free(mesh->weights);
        free(mesh->positions);
        free(mesh->normals);
        free(mesh->tangents);
        free(mesh->to_positions);
        free(mesh->to_normals);
        free(mesh->to_tangents);
    }
    free(fixture->meshes);
    free(fixture->palette);
    *fixture = (peer_model){0};
}

// -- The skinner ----------------------------------------------------------------------------------

typedef struct peer_columns {
    __m128 x;
    __m128 y;
    __m128 z;
    __m128 position;
} peer_columns;

PEER_INLINE peer_columns peer_sum(peer_columns sum, const peer_matrix *matrix, __m128 weight)
{
    return (peer_columns){_mm_fmadd_ps(_mm_load_ps(matrix->columns[0]), weight, sum.x),
                          _mm_fmadd_ps(_mm_load_ps(matrix->columns[1]), weight, sum.y),
                          _mm_fmadd_ps(_mm_load_ps(matrix->columns[2]), weight, sum.z),
                          _mm_fmadd_ps(_mm_load_ps(matrix->columns[3]), weight, sum.position)};
}

// Returns the weighted sum of `count` matrices. The last weight is 1 minus the sum of the other
// weights.
PEER_INLINE peer_columns peer_blend(const peer_matrix *palette, const uint16_t *joints,
                                    const float *weights, uint32_t count)
{
    const peer_matrix *const first = &palette[joints[0]];
    peer_columns sum = {_mm_load_ps(first->columns[0]), _mm_load_ps(first->columns[1]),
                        _mm_load_ps(first->columns[2]), _mm_load_ps(first->columns[3])};
    if (count == 1)
        return sum;
    const __m128 w = _mm_set1_ps(weights[0]);
    __m128 rest = _mm_sub_ps(_mm_set1_ps(1.0f), w);
    sum = (peer_columns){_mm_mul_ps(sum.x, w), _mm_mul_ps(sum.y, w), _mm_mul_ps(sum.z, w),
                         _mm_mul_ps(sum.position, w)};
    for (uint32_t i = 1; i + 1 < count; i++) {
        const __m128 weight = _mm_set1_ps(weights[i]);
        rest = _mm_sub_ps(rest, weight);
        sum = peer_sum(sum, &palette[joints[i]], weight);
    }
    return peer_sum(sum, &palette[joints[count - 1]], rest);
}

PEER_INLINE __m128 peer_direction(peer_columns by, const float *v)
{
    const __m128 product_x = _mm_mul_ps(by.x, _mm_set1_ps(v[0]));
    return _mm_fmadd_ps(by.z, _mm_set1_ps(v[2]), _mm_fmadd_ps(by.y, _mm_set1_ps(v[1]), product_x));
}

PEER_INLINE __m128 peer_position(peer_columns by, const float *p)
{
    const __m128 product_x = _mm_mul_ps(by.x, _mm_set1_ps(p[0]));
    return _mm_add_ps(_mm_fmadd_ps(by.y, _mm_set1_ps(p[1]), product_x),
                      _mm_fmadd_ps(by.z, _mm_set1_ps(p[2]), by.position));
}

// Gives two directions unit length: one root and one division for both.
PEER_INLINE void peer_normalize(__m128 *a, __m128 *b)
{
    const __m128 aa = _mm_mul_ps(*a, *a);
    const __m128 bb = _mm_mul_ps(*b, *b);
    const __m128 low = _mm_unpacklo_ps(aa, bb);
    const __m128 high = _mm_unpackhi_ps(aa, bb);
    const __m128 squares = _mm_add_ps(_mm_add_ps(low, _mm_movehl_ps(low, low)), high);
    const __m128 scales = _mm_div_ps(_mm_set1_ps(1.0f), _mm_sqrt_ps(squares));
    *a = _mm_mul_ps(*a, _mm_permute_ps(scales, 0x00));
    *b = _mm_mul_ps(*b, _mm_permute_ps(scales, 0x55));
}

// `count` is a compile-time constant in each inlined copy, except for parts with many influences.
// The loop does not read members of `mesh`, because the compiler would read them again after each
// store.
PEER_INLINE void peer_skin_part(const peer_mesh *mesh, const peer_matrix *palette, uint32_t begin,
                                uint32_t end, const uint16_t *joints, const float *weights,
                                uint32_t count, bool has_normals, bool has_tangents, bool is_unit)
{
    const float *const positions = (const float *)mesh->positions;
    const float *const normals = (const float *)mesh->normals;
    const float *const tangents = (const float *)mesh->tangents;
    float *const to_positions = mesh->to_positions;
    float *const to_normals = mesh->to_normals;
    float *const to_tangents = mesh->to_tangents;
    for (size_t v = begin; v < end; v++, joints += count, weights += count) {
        const peer_columns by = peer_blend(palette, joints, weights, count);
        // Each store also writes one float of the next vertex, which is overwritten afterwards.
        _mm_storeu_ps(&to_positions[3 * v], peer_position(by, &positions[3 * v]));
        if (!has_normals)
            continue;
        __m128 normal = peer_direction(by, &normals[3 * v]);
        __m128 tangent = has_tangents ? peer_direction(by, &tangents[4 * v]) : normal;
        if (is_unit)
            peer_normalize(&normal, &tangent);
        _mm_storeu_ps(&to_normals[3 * v], normal);
        if (has_tangents)
            _mm_storeu_ps(&to_tangents[3 * v], tangent);
    }
}

PEER_INLINE void peer_skin_mesh(const peer_mesh *mesh, const peer_matrix *palette, bool has_normals,
                                bool has_tangents, bool is_unit)
{
    const uint16_t *joints = mesh->joints;
    const float *weights = mesh->weights;
    uint32_t begin = 0;
    for (uint32_t p = 0; p < mesh->num_parts; p++) {
        const uint32_t count = mesh->parts[p].num_influences;
        const uint32_t end = begin + mesh->parts[p].num_vertices;
#define PEER_PART(n)                                                                         \
    peer_skin_part(mesh, palette, begin, end, joints, weights, n, has_normals, has_tangents, \
                   is_unit)
        switch (count) {
        case 0:
            break; // a vertex without weights lies at the origin
        case 1:
            PEER_PART(1);
            break;
        case 2:
            PEER_PART(2);
            break;
        case 3:
            PEER_PART(3);
            break;
        case 4:
            PEER_PART(4);
            break;
        default:
            PEER_PART(count);
        }
#undef PEER_PART
        joints += (size_t)count * (end - begin);
        weights += (size_t)count * (end - begin);
        begin = end;
    }
}

// Outputs that a measurement computes, and its name in the table.
typedef struct peer_outputs {
    const char *name;
    bool has_normals;
    bool has_tangents;
    bool is_unit;
    double ratio_to_ozz; // ratio to the time of ozz: see README.md; 1 if ozz cannot do the work
} peer_outputs;

enum { PEER_NUM_OUTPUTS = 5 };
static const peer_outputs PEER_OUTPUTS[PEER_NUM_OUTPUTS] = {
    {"positions", false, false, false, 0.98}, {"+ normals", true, false, false, 0.77},
    {"+ unit normals", true, false, true, 1}, {"+ tangents", true, true, false, 0.67},
    {"+ unit tangents", true, true, true, 1},
};

static double peer_share(int outputs)
{
    return real.skin ? 1 : PEER_OUTPUTS[outputs].ratio_to_ozz;
}

// Skins with ozz itself, which does not normalize directions.
static void peer_skin_really(const peer_model *model, const peer_outputs *outputs)
{
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const peer_mesh *const mesh = &model->meshes[m];
        const bool has_normals = outputs->has_normals;
        const bool has_tangents = outputs->has_tangents && mesh->tangents;
        size_t vertex = 0;
        size_t influence = 0;
        for (uint32_t p = 0; p < mesh->num_parts; p++) {
            const peer_part *const part = &mesh->parts[p];
            const size_t at = 3 * vertex;
            if (part->num_influences > 0)
                real.skin(&(real_skin_job){
                    .num_joints = model->num_joints,
                    .num_vertices = part->num_vertices,
                    .num_influences = part->num_influences,
                    .palette = model->palette->columns[0],
                    .joints = mesh->joints + influence,
                    .weights = mesh->weights + influence,
                    .positions = &mesh->positions[vertex].x,
                    .normals = has_normals ? &mesh->normals[vertex].x : NULL,
                    .tangents = has_tangents ? &mesh->tangents[vertex].x : NULL,
                    .to_positions = mesh->to_positions + at,
                    .to_normals = has_normals ? mesh->to_normals + at : NULL,
                    .to_tangents = has_tangents ? mesh->to_tangents + at : NULL,
                });
            vertex += part->num_vertices;
            influence += (size_t)part->num_vertices * part->num_influences;
        }
    }
}

PEER_TARGET static void peer_skin(const peer_model *model, int outputs)
{
    if (real.skin && !PEER_OUTPUTS[outputs].is_unit) {
        peer_skin_really(model, &PEER_OUTPUTS[outputs]);
        return;
    }
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const peer_mesh *const mesh = &model->meshes[m];
        switch (outputs) { // constants, so that the compiler removes the conditions from the loops
        case 0:
            peer_skin_mesh(mesh, model->palette, false, false, false);
            break;
        case 1:
            peer_skin_mesh(mesh, model->palette, true, false, false);
            break;
        case 2:
            peer_skin_mesh(mesh, model->palette, true, false, true);
            break;
        case 3:
            peer_skin_mesh(mesh, model->palette, true, true, false);
            break;
        default:
            peer_skin_mesh(mesh, model->palette, true, true, true);
        }
    }
}

// -- Comparing ------------------------------------------------------------------------------------

// Returns the largest distance between a position of the peer and a position of the library, in
// units.
static double peer_distance(const peer_model *peer, const skinning *fixture)
{
    double max_error = 0;
    for (uint32_t m = 0; m < peer->num_meshes; m++) {
        const md5_mesh *const mesh = &fixture->model->meshes[m];
        uint32_t at = 0;
        for (uint32_t count = 0; count < PEER_MAX_COUNT; count++) {
            for (uint32_t v = 0; v < mesh->num_vertices; v++) {
                if (peer_count(mesh, v) != count)
                    continue;
                const md5_vec3 ours = fixture->jobs[m].positions[v];
                const float *const theirs = peer->meshes[m].to_positions + (size_t)at++ * 3;
                const double distance = fabs((double)(ours.x - theirs[0]))
                                        + fabs((double)(ours.y - theirs[1]))
                                        + fabs((double)(ours.z - theirs[2]));
                if (count > 0 && distance > max_error)
                    max_error = distance;
            }
        }
    }
    return max_error;
}

// Returns the seconds of one call: the mean of `calls` calls, which together take RUN_SECONDS.
static double peer_time(const peer_model *peer, const skinning *fixture, int outputs,
                        unsigned calls, uint64_t *checksum)
{
    const double start = bench_now();
    for (unsigned i = 0; i < calls; i++) {
        if (peer)
            peer_skin(peer, outputs);
        else
            *checksum += skin_all(fixture, PEER_OUTPUTS[outputs].has_normals,
                                  PEER_OUTPUTS[outputs].has_tangents);
    }
    return (bench_now() - start) / calls;
}

// Returns the median ratio of the peer's time to the library's time, over runs that alternate.
static double peer_ratio(const peer_model *peer, const skinning *fixture, int outputs,
                         uint64_t *checksum)
{
    double ratios[PEER_ROUNDS];
    unsigned calls = 1;
    while (peer_time(peer, fixture, outputs, calls, checksum) * calls < RUN_SECONDS)
        calls *= 2;
    for (int round = 0; round < PEER_ROUNDS; round++) {
        const double ours = peer_time(NULL, fixture, outputs, calls, checksum);
        ratios[round] = peer_time(peer, fixture, outputs, calls, checksum) / ours;
    }
    qsort(ratios, PEER_ROUNDS, sizeof ratios[0], bench_compare);
    return ratios[PEER_ROUNDS / 2];
}

// Ratios of many models. Only ratios of the same model can be compared.
typedef struct peer_ratios {
    size_t count, num_apart; // the second: of models whose weights do not meet in one point
    double ratios[PEER_NUM_OUTPUTS][PEER_MAX_MODELS];
} peer_ratios;

// Measures the ratios of a model and adds them to `all`. Takes ownership of the model.
static void peer_add(peer_ratios *all, md5_model *model, md5_cpu level, uint64_t *checksum)
{
    skinning fixture;
    peer_model peer;
    make_skinning(&fixture, model);
    fixture.level = level;
    if (fixture.num_vertices >= PEER_MIN_VERTICES && all->count < PEER_MAX_MODELS) {
        peer_make(&peer, &fixture);
        *checksum += skin_all(&fixture, true, true);
        peer_skin(&peer, 0);
        all->num_apart += !(peer_distance(&peer, &fixture) < 0.1);
        for (int outputs = 0; outputs < PEER_NUM_OUTPUTS; outputs++)
            all->ratios[outputs][all->count] = peer_ratio(&peer, &fixture, outputs, checksum);
        all->count++;
        peer_free(&peer);
    }
    free_skinning(&fixture);
}

// Prints the ratios to ozz itself. If ozz has such a job, the median must be at least `goal`,
// unless `goal` is 0.
static void peer_show(bench_table *table, const bench_watch *watch, peer_ratios *all,
                      const char *fixture, double goal)
{
    static const char *const figures[] = {"worst", "lower quartile", "median"};
    bench_figure(table, "models whose peer is apart by 0.1 units", "", (double)all->num_apart, 0);
    if (all->count > 0) {
        for (int outputs = 0; outputs < PEER_NUM_OUTPUTS; outputs++) {
            double *const ratios = all->ratios[outputs];
            qsort(ratios, all->count, sizeof ratios[0], bench_compare);
            for (size_t figure = 0; figure < 3; figure++) {
                char name[96];
                snprintf(name, sizeof name, "%s, %zu %s, %s", PEER_OUTPUTS[outputs].name,
                         all->count, fixture, figures[figure]);
                bench_minimum(table, watch, name,
                              ratios[figure * all->count / 4] / peer_share(outputs),
                              figure == 2 && !PEER_OUTPUTS[outputs].is_unit ? goal : 0);
            }
        }
    }
}

#endif
#endif
