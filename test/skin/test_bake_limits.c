// Baked clips at their limits: counts beyond 32 bits and beyond memory, and flat models.
#include "md5/md5skin.h"
#include "test/test.h"

#include <string.h>

// Models with counts only: these are checked before anything else of a mesh is read.
static md5_error bake_of_counts(uint32_t num_meshes, uint32_t num_vertices, uint32_t num_frames)
{
    static md5_vec3 position;
    static const md5_mat34 palette;
    md5_mesh meshes[2];
    md5_model model;
    md5_error error = {0};
    memset(meshes, 0, sizeof meshes);
    memset(&model, 0, sizeof model);
    for (int i = 0; i < 2; i++) {
        meshes[i].num_vertices = num_vertices;
        meshes[i].positions = &position;
    }
    model.num_meshes = num_meshes;
    model.meshes = meshes;
    CHECK(md5_make_baked(&model, &palette, num_frames, NULL, &error) == NULL);
    return error;
}

TEST (bake_refuses_counts_beyond_memory) {
    const md5_error vertices = bake_of_counts(2, 3000000000u, 1);
    CHECK_UINT(vertices.status, MD5_ERROR_MEMORY);
    CHECK_STRING(vertices.message, "6000000000 vertices are too many to bake");
    const md5_error frames = bake_of_counts(1, 4000000000u, 4000000000u);
    CHECK_UINT(frames.status, MD5_ERROR_MEMORY);
    CHECK_STRING(frames.message, "4000000000 frames of 4000000000 vertices are too many");
}

static const char flat[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
    "\"a\" -1 ( 0 0 2.5 ) ( 0 0 0 )\n}\n"
    "mesh {\nshader \"one\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\n"
    "vert 2 ( 0 1 ) 2 1\nnumtris 1\ntri 0 0 2 1\nnumweights 3\n"
    "weight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 5 0 0 )\nweight 2 0 1 ( 0 4 0 )\n}\n";

// A coordinate that never changes has steps of 0, and is stored exactly.
TEST (bake_of_a_flat_model_is_flat) {
    md5_error error = {0};
    md5_model *const model = md5_parse_model(flat, strlen(flat), NULL, &error);
    const md5_mat34 palette = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    md5_baked *const baked = md5_make_baked(model, &palette, 1, NULL, &error);
    const md5_moment moment = {.frame0 = 0};
    md5_vec3 positions[3], normals[3];
    if (CHECK(baked != NULL)) {
        md5_skin_baked(baked, 0, 3, moment, positions, normals);
        for (int i = 0; i < 3; i++)
            CHECK(positions[i].z == 2.5f);
        CHECK_NEAR(positions[1].x, 5.0f, 1e-4f);
    }
    md5_free_baked(baked);
    md5_free_model(model);
}
