// Skinning by biases of any magnitude that a float can hold, on every instruction set.
#include "md5/md5skin.h"
#include "test/skin/made_mesh.h"
#include "test/test.h"

#include "md5/skin/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 3, SHAPES = 6, COPIES = 11, VERTICES = SHAPES * COPIES, ROOM = 1 << 17 };

// Biases of a vertex, the largest first. Some sum to 1, others do not.
static const struct {
    int count;
    double biases[JOINTS];
    bool meet; // whether the points of all weights coincide
} shapes[SHAPES] = {
    {2, {0.5, 0.5}, true},  {3, {0.5, 0.3, 0.2}, true},  {3, {0.9, 0.4, -0.3}, true},
    {2, {0.6, 0.4}, false}, {3, {0.5, 0.3, 0.2}, false}, {3, {-0.9, -0.4, 0.3}, false},
};

static size_t add_weights(char *text, size_t size, double magnitude)
{
    for (int vertex = 0, weight = 0; vertex < VERTICES; vertex++) {
        const int shape = vertex / COPIES;
        for (int i = 0; i < shapes[shape].count; i++, weight++) {
            const double apart = shapes[shape].meet ? 0.0 : 0.01 * i;
            size += (size_t)snprintf(text + size, ROOM - size, "weight %d %d %.9g ( %g %g %g )\n",
                                     weight, i, shapes[shape].biases[i] * magnitude, 0.3 - apart,
                                     0.01 * (vertex % COPIES), -0.2 + apart);
        }
    }
    return size;
}

// COPIES consecutive vertices of each shape, so that there are groups, remainders and singles. The
// joints are at the origin.
static md5_model *make_model(double magnitude)
{
    char *const text = malloc(ROOM);
    size_t size = (size_t)snprintf(text, ROOM,
                                   "MD5Version 10\ncommandline \"\"\nnumJoints 3\nnumMeshes 1\n"
                                   "joints {\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
                                   "\"b\" 0 ( 0 0 0 ) ( 0 0 0 )\n\"c\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n"
                                   "mesh {\nshader \"\"\nnumverts %d\n",
                                   VERTICES);
    int num_weights = 0;
    for (int i = 0; i < VERTICES; i++) {
        const int count = shapes[i / COPIES].count;
        size += (size_t)snprintf(text + size, ROOM - size, "vert %d ( 0 0 ) %d %d\n", i,
                                 num_weights, count);
        num_weights += count;
    }
    size += (size_t)snprintf(text + size, ROOM - size, "numtris %d\n", VERTICES / 3);
    for (int i = 0; i + 2 < VERTICES; i += 3)
        size +=
            (size_t)snprintf(text + size, ROOM - size, "tri %d %d %d %d\n", i / 3, i, i + 1, i + 2);
    size += (size_t)snprintf(text + size, ROOM - size, "numweights %d\n", num_weights);
    size = add_weights(text, size, magnitude);
    size += (size_t)snprintf(text + size, ROOM - size, "}\n");
    md5_error error;
    md5_model *const model = md5_parse_model(text, size, NULL, &error);
    CHECK_STRING(error.message, "");
    free(text);
    return model;
}

typedef struct skinned {
    md5_vec3 positions[2 * VERTICES], normals[2 * VERTICES];
    md5_vec4 tangents[2 * VERTICES];
} skinned;

typedef struct size_case {
    const md5_mesh *mesh;
    md5_xform transforms[JOINTS];
    md5_mat34 palette[JOINTS];
    md5_dual_quat dual[JOINTS];
    double magnitude;
} size_case;

static void run(const size_case *of, bool is_dual, md5_cpu level, skinned *result)
{
    memset(result, 0, sizeof *result);
    const md5i_skin_job job = {.mesh = of->mesh,
                               .palette = of->palette,
                               .duals = is_dual ? of->dual : NULL,
                               .positions = result->positions,
                               .normals = result->normals,
                               .tangents = result->tangents};
    md5i_skin_with(level, &job);
}

static bool is_unit(md5_vec3 v)
{
    return fabs(sqrt((double)md5_vec3_dot(v, v)) - 1.0) < 1e-5;
}

// Checks for finite positions, unit directions, and the same bits with all instruction sets.
static bool check_sound(const size_case *of, bool is_dual, skinned *result)
{
    skinned other;
    bool sound = true;
    run(of, is_dual, MD5_CPU_SCALAR, result);
    for (uint32_t i = 0; i < of->mesh->num_vertices; i++) {
        const md5_vec3 p = result->positions[i];
        const md5_vec4 t = result->tangents[i];
        sound = sound && isfinite(p.x) && isfinite(p.y) && isfinite(p.z)
                && is_unit(result->normals[i]) && is_unit((md5_vec3){t.x, t.y, t.z});
    }
    for (md5_cpu level = MD5_CPU_SCALAR + 1; level < MD5_CPU_COUNT; level++) {
        if (!md5i_cpu_has(level))
            continue;
        run(of, is_dual, level, &other);
        CHECK(memcmp(&other, result, sizeof other) == 0);
    }
    return test_check(sound, __FILE__, __LINE__, "%s, biases of %g: not finite, or not unit length",
                      is_dual ? "dual" : "linear", of->magnitude);
}

static double largest(double a, double b, double c)
{
    return fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

static double difference(const double *expected, md5_vec3 actual)
{
    return largest(expected[0] - (double)actual.x, expected[1] - (double)actual.y,
                   expected[2] - (double)actual.z);
}

// The sum of palette * influence, in doubles. Returns the error of the float result, relative to
// the magnitude of the biases.
static double linear_error(const size_case *of, const skinned *result, uint32_t vertex)
{
    const md5_mesh *const mesh = of->mesh;
    double sum[3] = {0.0, 0.0, 0.0};
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        const float *const m = of->palette[mesh->influence_joints[i]].m;
        const md5_vec4 q = mesh->influences[i];
        for (int row = 0; row < 3; row++)
            sum[row] += (double)m[4 * row] * (double)q.x + (double)m[4 * row + 1] * (double)q.y
                        + (double)m[4 * row + 2] * (double)q.z
                        + (double)m[4 * row + 3] * (double)q.w;
    }
    return difference(sum, result->positions[vertex]) / of->magnitude;
}

// The blend r + d (real and dual part, with vector parts v and e) of the dual quaternions in
// doubles, with biases divided by the first, applied to the bind position: translation 2 (r.w e -
// d.w v + v x e) / |r|^2, and the rotation of r / |r|.
static double dual_error(const size_case *of, const skinned *result, uint32_t vertex)
{
    const md5_mesh *const mesh = of->mesh;
    const uint32_t begin = mesh->first_influence[vertex], end = mesh->first_influence[vertex + 1];
    const md5_quat first = of->dual[mesh->influence_joints[begin]].real;
    double r[4] = {0.0}, d[4] = {0.0}, square = 0.0;
    for (uint32_t i = begin; i < end; i++) {
        const md5_dual_quat q = of->dual[mesh->influence_joints[i]];
        const double share = (double)mesh->influences[i].w / (double)mesh->influences[begin].w;
        const double by = md5_quat_dot(first, q.real) < 0.0f ? -share : share;
        const double real[4] = {(double)q.real.x, (double)q.real.y, (double)q.real.z,
                                (double)q.real.w};
        const double dual[4] = {(double)q.dual.x, (double)q.dual.y, (double)q.dual.z,
                                (double)q.dual.w};
        for (int k = 0; k < 4; k++) {
            r[k] += by * real[k];
            d[k] += by * dual[k];
        }
    }
    for (int k = 0; k < 4; k++)
        square += r[k] * r[k];
    const md5_vec3 bind = mesh->positions[vertex];
    const double p[3] = {(double)bind.x, (double)bind.y, (double)bind.z};
    double position[3];
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const double offset = r[3] * d[k] - d[3] * r[k] + (r[a] * d[b] - r[b] * d[a]);
        // v' = v + 2 (w (u x v) + u x (u x v)) / |r|^2
        const double along = r[0] * p[0] + r[1] * p[1] + r[2] * p[2];
        const double rotated =
            r[3] * (r[a] * p[b] - r[b] * p[a]) + r[k] * along - p[k] * (square - r[3] * r[3]);
        position[k] = p[k] + 2.0 * (rotated + offset) / square;
    }
    return difference(position, result->positions[vertex]) / (1.0 + largest(p[0], p[1], p[2]));
}

static void check_magnitude(double magnitude, uint64_t *random)
{
    size_case of = {.magnitude = magnitude};
    md5_model *const model = make_model(magnitude);
    if (!CHECK(model && model->meshes[0].num_vertices <= 2 * VERTICES)) {
        md5_free_model(model);
        return;
    }
    of.mesh = &model->meshes[0];
    for (int i = 0; i < JOINTS; i++) {
        of.transforms[i] =
            (md5_xform){made_rotation(random),
                        {(float)(test_random(random) - 0.5), (float)(test_random(random) - 0.5),
                         (float)(test_random(random) - 0.5)},
                        0.0f};
        of.palette[i] = md5_mat34_from_xform(of.transforms[i]);
    }
    md5_build_dual_palette(of.palette, JOINTS, of.dual);
    skinned linear, dual;
    double worst_linear = 0.0, worst_dual = 0.0;
    check_sound(&of, false, &linear);
    check_sound(&of, true, &dual);
    for (uint32_t i = 0; i < of.mesh->num_vertices; i++) {
        worst_linear = fmax(worst_linear, linear_error(&of, &linear, i));
        worst_dual = fmax(worst_dual, dual_error(&of, &dual, i));
    }
    // Below 1e-37 the products have fewer digits: 2^-149 is the last one.
    const double last_digit = 16.0 * 0x1p-149 / magnitude;
    test_check(worst_linear <= 1e-6 + last_digit, __FILE__, __LINE__,
               "linear, biases of %g: off by %g", magnitude, worst_linear);
    test_check(worst_dual <= 2e-5, __FILE__, __LINE__, "dual, biases of %g: off by %g", magnitude,
               worst_dual);
    md5_free_model(model);
}

// Files contain no bias above 1e9.
TEST (skin_sizes_of_biases_from_the_least_float_to_the_largest) {
    static const double mantissas[] = {1.0, 1.7, 3.1, 6.3};
    uint64_t random = 1;
    for (int exponent = -44; exponent <= 8; exponent++) {
        for (int i = 0; i < 4; i++)
            check_magnitude(mantissas[i] * pow(10.0, exponent), &random);
    }
}

// Sums of 1e-20 to 1e-22 once gave NaN. Biases of equal ratios give the same motion, to the last
// bit if they differ by a power of two.
TEST (skin_sizes_by_powers_of_two_move_by_the_same_motion) {
    md5_model *const plain = make_model(1.0);
    const md5_mesh *const mesh = &plain->meshes[0];
    uint64_t random = 2;
    size_case of = {.mesh = mesh};
    for (int i = 0; i < JOINTS; i++) {
        of.palette[i] =
            md5_mat34_from_xform((md5_xform){made_rotation(&random), {1.0f, -2.0f, 3.0f}, 0.0f});
    }
    md5_build_dual_palette(of.palette, JOINTS, of.dual);
    skinned expected, actual;
    run(&of, true, MD5_CPU_SCALAR, &expected);
    md5_vec4 *const influences = malloc(mesh->num_influences * sizeof *influences);
    md5_mesh scaled = *mesh;
    scaled.skin_plan = NULL; // which holds the biases as they were
    scaled.influences = influences;
    of.mesh = &scaled;
    for (int exponent = -100; exponent <= 120; exponent++) {
        memcpy(influences, mesh->influences, mesh->num_influences * sizeof *influences);
        for (uint32_t i = 0; i < mesh->num_influences; i++)
            influences[i].w = ldexpf(influences[i].w, exponent);
        run(&of, true, MD5_CPU_SCALAR, &actual);
        CHECK(memcmp(&actual, &expected, sizeof actual) == 0);
    }
    free(influences);
    md5_free_model(plain);
}
