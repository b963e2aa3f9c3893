// Geometry derived for real models of the corpus.
#include "test/test.h"

#include "md5/md5model.h"

#include <math.h>
#include <stdio.h>

static md5_model *load(const char *path)
{
    char full[1024];
    snprintf(full, sizeof full, "%s/corpus/%s", test_corpus(), path);
    md5_error error = {0};
    md5_model *model = md5_load_model(full, NULL, &error);
    test_check(model != NULL, __FILE__, __LINE__, "%s: %s", full, error.message);
    return model;
}

static double dot(md5_vec3 a, md5_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static md5_vec3 sub(md5_vec3 a, md5_vec3 b)
{
    return (md5_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static md5_vec3 cross(md5_vec3 a, md5_vec3 b)
{
    return (md5_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static md5_vec3 mix(md5_vec3 a, float s, md5_vec3 b, float t)
{
    return (md5_vec3){a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t};
}

static double size_of(const md5_model *model)
{
    const md5_vec3 diagonal = sub(model->bounds.max, model->bounds.min);
    return sqrt(dot(diagonal, diagonal));
}

// Corners of triangles that disagree with their vertex.
typedef struct disagreements {
    uint32_t corners, normals, tangents, bitangents;
} disagreements;

static void count_triangle(const md5_mesh *mesh, const uint32_t *corners, disagreements *count)
{
    const md5_vec3 *p = mesh->positions;
    const md5_vec2 *uv = mesh->texcoords;
    const md5_vec3 e0 = sub(p[corners[1]], p[corners[0]]), e1 = sub(p[corners[2]], p[corners[0]]);
    const float du0 = uv[corners[1]].x - uv[corners[0]].x,
                dv0 = uv[corners[1]].y - uv[corners[0]].y;
    const float du1 = uv[corners[2]].x - uv[corners[0]].x,
                dv1 = uv[corners[2]].y - uv[corners[0]].y;
    const float area = du0 * dv1 - dv0 * du1;
    if (fabsf(area) < 1e-9f)
        return;
    const md5_vec3 along_u = mix(e0, dv1 / area, e1, -dv0 / area);
    const md5_vec3 along_v = mix(e1, du0 / area, e0, -du1 / area);
    const md5_vec3 outward = cross(e1, e0);
    for (int i = 0; i < 3; i++) {
        const md5_vec3 normal = mesh->normals[corners[i]];
        const md5_vec4 t = mesh->tangents[corners[i]];
        const md5_vec3 tangent = {t.x, t.y, t.z};
        count->corners++;
        count->normals += dot(normal, outward) < 0.0;
        count->tangents += dot(tangent, along_u) < 0.0;
        count->bitangents += dot(cross(normal, tangent), along_v) * (double)t.w < 0.0;
    }
}

// Smoothing round a sharp edge can turn a corner's frame away from a triangle, but rarely does.
// A wrong sign anywhere would turn half of them, or all.
TEST (frames_of_real_models_agree_with_their_triangles) {
    static const char *const paths[] = {
        "frankie/Frankie.md5mesh",
        "redeclipse/drone/mesh.md5mesh",
        "stromar/stromar.md5mesh",
        "terasology/lasr/queen.md5mesh",
        "terasology/gooeysquests/skeleton.md5mesh",
    };
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        md5_model *model = load(paths[i]);
        disagreements count = {0};
        for (uint32_t m = 0; model && m < model->num_meshes; m++) {
            const md5_mesh *mesh = &model->meshes[m];
            for (size_t t = 0; t < mesh->num_triangles; t++)
                count_triangle(mesh, mesh->indices + 3 * t, &count);
        }
        CHECK(count.corners > 1000);
        CHECK(count.normals * 50 < count.corners);
        CHECK(count.tangents * 50 < count.corners);
        CHECK(count.bitangents * 50 < count.corners);
        md5_free_model(model);
    }
}

// The drone has at most three weights a vertex, which sum to 1 and meet in one point: nothing is
// lost. Frankie has up to six, of which four slots lose a little. Rounded sums and offsets lose
// less than a ten-thousandth of the model's size.
TEST (real_models_lose_what_they_should) {
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    md5_model *drone = load("redeclipse/drone/mesh.md5mesh");
    for (uint32_t m = 0; drone && m < drone->num_meshes; m++) {
        CHECK_UINT(drone->meshes[m].max_influences, 3);
        CHECK((double)drone->meshes[m].loss4 < 1e-4 * size_of(drone));
    }
    md5_free_model(drone);

    md5_model *frankie = load("frankie/Frankie.md5mesh");
    if (frankie) {
        const md5_mesh *body = &frankie->meshes[1];
        CHECK_UINT(body->max_influences, 6);
        CHECK((double)body->loss4 > 1e-3 * size_of(frankie));
        CHECK((double)body->loss8 < 1e-4 * size_of(frankie));
    }
    md5_free_model(frankie);
}

// The weights of 332 of the rook's 2 076 vertices do not meet in one point.
TEST (weights_that_do_not_meet_are_found) {
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    md5_model *rook = load("terasology/redElephantrook.md5mesh");
    if (!rook)
        return;
    const md5_mesh *mesh = &rook->meshes[0];
    uint32_t num_apart = 0;
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
        const md5_vertex vertex = mesh->file_vertices[i];
        const md5_weight *weights = mesh->weights + vertex.first_weight;
        double most = 0.0;
        for (uint32_t k = 1; k < vertex.num_weights; k++) {
            const md5_vec3 first = md5_mat34_point(rook->bind[weights[0].joint], weights[0].offset);
            const md5_vec3 apart =
                sub(md5_mat34_point(rook->bind[weights[k].joint], weights[k].offset), first);
            most = fmax(most, sqrt(dot(apart, apart)));
        }
        num_apart += most > 1e-3 * size_of(rook);
    }
    CHECK_UINT(mesh->num_file_vertices, 2076);
    CHECK_UINT(num_apart, 332);
    CHECK((double)mesh->loss4 > 1e-2 * size_of(rook));
    CHECK(mesh->loss8 == mesh->loss4); // more slots do not help
    md5_free_model(rook);
}
