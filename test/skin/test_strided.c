// Skinning into interleaved vertices: the bits of tight arrays, and no byte between them touched.
#include "md5/md5skin.h"
#include "test/skin/made_mesh.h"
#include "test/skin/skin_jobs.h"
#include "test/test.h"

#include "md5/skin/kernels.h"

#include <stdlib.h>
#include <string.h>

// A vertex as a game may have it. Only the members that are asked for may change.
typedef struct game_vertex {
    uint8_t before[4];
    float position[3];
    float texcoord[2];
    float normal[3];
    uint8_t color[4];
    float tangent[4];
    uint8_t after[8];
} game_vertex;

typedef struct skinned {
    md5_vec3 *positions, *normals;
    md5_vec4 *tangents;
    game_vertex *vertices;
} skinned;

static bool is_filled(const void *bytes, size_t size)
{
    bool filled = true;
    for (size_t i = 0; i < size; i++)
        filled = filled && ((const uint8_t *)bytes)[i] == 0xa5;
    return filled;
}

static bool is_right(const skinned *it, uint32_t vertex, bool normals, bool tangents)
{
    const game_vertex *const v = &it->vertices[vertex];
    const bool normal_is_right =
        normals ? memcmp(v->normal, &it->normals[vertex], sizeof v->normal) == 0
                : is_filled(v->normal, sizeof v->normal);
    const bool tangent_is_right =
        tangents ? memcmp(v->tangent, &it->tangents[vertex], sizeof v->tangent) == 0
                 : is_filled(v->tangent, sizeof v->tangent);
    return memcmp(v->position, &it->positions[vertex], sizeof v->position) == 0 && normal_is_right
           && tangent_is_right && is_filled(v->before, sizeof v->before)
           && is_filled(v->texcoord, sizeof v->texcoord) && is_filled(v->color, sizeof v->color)
           && is_filled(v->after, sizeof v->after);
}

static void check_level(const md5_mesh *mesh, const md5_mat34 *palette, const md5_dual_quat *dual,
                        md5_cpu level, bool normals, bool tangents)
{
    const size_t count = mesh->num_vertices;
    const skinned it = {calloc(count, sizeof(md5_vec3)), calloc(count, sizeof(md5_vec3)),
                        calloc(count, sizeof(md5_vec4)), malloc(count * sizeof(game_vertex))};
    const md5_skin_job out = {
        .mesh = mesh,
        .palette = palette,
        .duals = dual,
        .positions = it.vertices->position,
        .position_stride = sizeof *it.vertices,
        .normals = normals ? it.vertices->normal : NULL,
        .normal_stride = sizeof *it.vertices,
        .tangents = tangents ? it.vertices->tangent : NULL,
        .tangent_stride = sizeof *it.vertices,
    };
    md5i_skin_job job;
    CHECK(md5i_strided_job(&out, &job));
    memset(it.vertices, 0xa5, count * sizeof *it.vertices);
    if (dual)
        skin_by_duals(mesh, dual, it.positions, it.normals, it.tangents);
    else
        md5_skin(mesh, palette, it.positions, it.normals, it.tangents);
    md5i_skin_with(level, &job);
    bool all = true;
    for (uint32_t i = 0; i < count; i++)
        all = all && is_right(&it, i, normals, tangents);
    CHECK(all);
    free(it.positions);
    free(it.normals);
    free(it.tangents);
    free(it.vertices);
}

static void check_model(const char *path)
{
    md5_model *const model = md5_load_model(test_path(path), NULL, NULL);
    if (!CHECK(model != NULL))
        return;
    const uint32_t num_joints = model->skeleton.num_joints;
    uint64_t random = 17;
    md5_mat34 *const palette = calloc(num_joints, sizeof *palette);
    md5_dual_quat *const dual = calloc(num_joints, sizeof *dual);
    made_joints(palette, num_joints, 10.0, &random);
    md5_build_dual_palette(palette, num_joints, dual);
    for (uint32_t m = 0; m < model->num_meshes; m++)
        for (int level = MD5_CPU_SCALAR; level < MD5_CPU_COUNT; level++)
            for (int which = 0; which < 8 && md5i_cpu_has((md5_cpu)level); which++)
                check_level(&model->meshes[m], palette, which & 4 ? dual : NULL, (md5_cpu)level,
                            which & 1, which & 2);
    free(palette);
    free(dual);
    md5_free_model(model);
}

TEST (strided_vertices_have_the_same_bits_with_every_instruction_set) {
    check_model("models/bobbin/bobbin.md5mesh");   // groups, gathered groups
    check_model("models/thimble/thimble.md5mesh"); // blended vertices, seams
}

TEST (strides_of_0_mean_no_gaps) {
    md5_model *const model =
        md5_load_model(test_path("models/thimble/thimble.md5mesh"), NULL, NULL);
    const md5_mesh *const mesh = &model->meshes[0];
    const size_t count = mesh->num_vertices;
    md5_mat34 *const palette = calloc(model->skeleton.num_joints, sizeof *palette);
    uint64_t random = 18;
    made_joints(palette, model->skeleton.num_joints, 10.0, &random);
    md5_vec3 *const expected = calloc(count, 2 * sizeof *expected);
    md5_vec3 *const found = calloc(count, 2 * sizeof *found);
    md5_skin(mesh, palette, expected, expected + count, NULL);
    const md5_skin_job job = {
        .mesh = mesh, .palette = palette, .positions = found, .normals = found + count};
    md5_skin_batch(&job, 1, NULL);
    CHECK(memcmp(expected, found, count * 2 * sizeof *found) == 0);
    free(palette);
    free(expected);
    free(found);
    md5_free_model(model);
}

TEST (dual_quaternions_skin_into_interleaved_vertices_with_the_same_bits) {
    md5_model *const model =
        md5_load_model(test_path("models/thimble/thimble.md5mesh"), NULL, NULL);
    const md5_mesh *const mesh = &model->meshes[0];
    const size_t count = mesh->num_vertices;
    md5_mat34 *const palette = calloc(model->skeleton.num_joints, sizeof *palette);
    md5_dual_quat *const dual = calloc(model->skeleton.num_joints, sizeof *dual);
    uint64_t random = 19;
    made_joints(palette, model->skeleton.num_joints, 10.0, &random);
    md5_build_dual_palette(palette, model->skeleton.num_joints, dual);
    md5_vec3 *const expected = calloc(count, 2 * sizeof *expected);
    md5_vec3 *const found = calloc(count, 2 * sizeof *found);
    skin_by_duals(mesh, dual, expected, expected + count, NULL);
    const md5_skin_job job = {.mesh = mesh,
                              .duals = dual,
                              .positions = found,
                              .position_stride = 2 * sizeof *found,
                              .normals = found + 1,
                              .normal_stride = 2 * sizeof *found};
    md5_skin_batch(&job, 1, NULL);
    for (size_t i = 0; i < count; i++) {
        CHECK(memcmp(&expected[i], &found[2 * i], sizeof *found) == 0);
        CHECK(memcmp(&expected[count + i], &found[2 * i + 1], sizeof *found) == 0);
    }
    free(palette);
    free(dual);
    free(expected);
    free(found);
    md5_free_model(model);
}
