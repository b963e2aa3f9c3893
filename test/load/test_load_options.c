// What options leave out of a model, and what stays of one whose geometry is released.
#include "md5/md5skin.h"
#include "test/load/test_asset.h"
#include "test/mistake.h"
#include "test/skin/skin_jobs.h"
#include "test/test.h"

#include "md5/md5play.h"

#include <stdlib.h>
#include <string.h>

static md5_model *load(const md5_load_opts *opts)
{
    md5_error error = {0};
    md5_model *const model =
        md5_load_model(test_path("models/thimble/thimble.md5mesh"), opts, &error);
    test_check(model != NULL, __FILE__, __LINE__, "%s", error.message);
    return model;
}

// The skinned vertices of a mesh, in one block: positions, normals.
static md5_vec3 *skin(const md5_model *model, const md5_mesh *mesh, bool dual, md5_vec4 *tangents)
{
    const uint32_t count = mesh->num_vertices, num_joints = model->skeleton.num_joints;
    md5_vec3 *const points = calloc(2 * (size_t)count + 1, sizeof *points);
    md5_mat34 *const palette = calloc(num_joints, sizeof *palette);
    md5_dual_quat *const duals = calloc(num_joints, sizeof *duals);
    const md5_xform turns[2] = {{{0, 0, 0, 1}, {0, 0, 0}, 0}, {{0, 0, 0.6f, 0.8f}, {1, 2, 3}, 0}};
    for (uint32_t i = 0; i < num_joints; i++)
        palette[i] = md5_mat34_from_xform(turns[i % 2]);
    md5_build_dual_palette(palette, num_joints, duals);
    if (dual)
        skin_by_duals(mesh, duals, points, points + count, tangents);
    else
        md5_skin(mesh, palette, points, points + count, tangents);
    free(palette);
    free(duals);
    return points;
}

// thimble has mirror seams: without tangents the copies of their vertices are left out, and nothing
// else.
TEST (models_without_tangents_have_the_vertices_of_the_file) {
    md5_model *const whole = load(NULL), *const bare =
                                             load(&(md5_load_opts){.without = MD5_PART_TANGENTS});
    CHECK(asset_model_fault(bare) == NULL);
    CHECK(bare->geometry_size < whole->geometry_size);
    uint32_t num_copies = 0;
    for (uint32_t m = 0; m < whole->num_meshes; m++) {
        const md5_mesh *const a = &whole->meshes[m], *const b = &bare->meshes[m];
        const uint32_t count = b->num_vertices;
        num_copies += a->num_vertices - count;
        CHECK(b->tangents == NULL && a->tangents != NULL);
        CHECK_UINT(count, b->num_file_vertices);
        CHECK(memcmp(a->positions, b->positions, count * sizeof *b->positions) == 0);
        CHECK(memcmp(a->normals, b->normals, count * sizeof *b->normals) == 0);
        CHECK(a->loss4 == b->loss4 && a->loss8 == b->loss8);
        for (uint32_t i = 0; i < 3 * b->num_triangles; i++)
            CHECK(a->sources[a->indices[i]] == b->indices[i]);
        for (int dual = 0; dual < 2; dual++) { // tangents are not written
            md5_vec4 *const tangents = calloc(count + 1, sizeof *tangents);
            md5_vec3 *const expected = skin(whole, a, dual, NULL), *const found = skin(
                                                                       bare, b, dual, tangents);
            CHECK(memcmp(expected, found, count * sizeof *found) == 0);
            CHECK(memcmp(expected + a->num_vertices, found + count, count * sizeof *found) == 0);
            for (uint32_t i = 0; i < count; i++)
                CHECK(tangents[i].w == 0.0f);
            free(expected);
            free(found);
            free(tangents);
        }
    }
    CHECK(num_copies > 0);
    md5_free_model(whole);
    md5_free_model(bare);
}

TEST (models_without_a_plan_are_skinned_to_the_same_bits) {
    md5_model *const whole = load(NULL), *const bare =
                                             load(&(md5_load_opts){.without = MD5_PART_SKIN_PLANS});
    CHECK(asset_model_fault(bare) == NULL);
    CHECK_UINT(bare->geometry_size, whole->geometry_size); // a plan is a block of its own
    for (uint32_t m = 0; m < whole->num_meshes; m++) {
        const md5_mesh *const a = &whole->meshes[m], *const b = &bare->meshes[m];
        CHECK(a->skin_plan != NULL && b->skin_plan == NULL);
        CHECK(a->loss4 == b->loss4 && a->loss8 == b->loss8);
        for (int dual = 0; dual < 2; dual++) {
            md5_vec3 *const expected = skin(whole, a, dual, NULL), *const found =
                                                                       skin(bare, b, dual, NULL);
            CHECK(memcmp(found, expected, 2 * a->num_vertices * sizeof *found) == 0);
            free(expected);
            free(found);
        }
    }
    md5_free_model(whole);
    md5_free_model(bare);
}

// -- Releasing --------------------------------------------------------------------------------

TEST (released_models_keep_their_skeleton_and_counts) {
    test_heap heap = {0};
    const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
    md5_model *const whole = load(NULL), *const model = load(&opts);
    const md5_mesh *const meshes = model->meshes;
    const size_t kept = model->size;
    CHECK_UINT(heap.live, 2 + model->num_meshes);
    md5_release_geometry(model);
    CHECK_UINT(heap.live, 1);
    CHECK_UINT(heap.live_bytes, kept);
    CHECK(model->geometry == NULL && model->geometry_size == 0 && model->meshes == meshes);
    md5_release_geometry(model);
    const uint32_t num_joints = model->skeleton.num_joints;
    for (uint32_t i = 0; i < num_joints; i++)
        CHECK_STRING(model->skeleton.joints[i].name, whole->skeleton.joints[i].name);
    CHECK(memcmp(model->inverse_bind, whole->inverse_bind, num_joints * sizeof(md5_mat34)) == 0);
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        CHECK_STRING(meshes[m].shader, whole->meshes[m].shader);
        CHECK_UINT(meshes[m].num_vertices, whole->meshes[m].num_vertices);
        CHECK(meshes[m].bounds.max.x == whole->meshes[m].bounds.max.x);
        CHECK(meshes[m].positions == NULL && meshes[m].indices == NULL && !meshes[m].skin_plan);
    }
    md5_free_model(model);
    CHECK_UINT(heap.live, 0);
    md5_free_model(whole);
}

TEST (released_models_are_refused_by_machines) {
    md5_model *const model = load(NULL);
    md5_release_geometry(model);
    md5_error error = {0};
    CHECK(md5_create_machine(&(md5_machine_desc){.model = model}, NULL, &error) == NULL);
    CHECK(strstr(error.message, "released") != NULL);
    md5_free_model(model);
}

#if !defined(NDEBUG)
static void skin_released(const void *mesh)
{
    static md5_vec3 position;
    static const md5_mat34 palette;
    md5_skin(mesh, &palette, &position, NULL, NULL);
}

TEST (released_models_are_not_skinned) {
    md5_model *const model = load(NULL);
    md5_release_geometry(model);
    const char *const message = test_message_of(skin_released, &model->meshes[0]);
    CHECK(strstr(message, "md5_skin(): mesh: its geometry was not released") != NULL);
    md5_free_model(model);
}

static void bound_released(const void *model)
{
    static md5_mat34 palette[256];
    (void)md5_skin_bounds(model, palette);
}

TEST (released_models_have_no_bounds_of_skinning) {
    md5_model *const model = load(NULL);
    md5_release_geometry(model);
    const char *const message = test_message_of(bound_released, model);
    CHECK(strstr(message, "md5_skin_bounds(): model: its geometry was not released") != NULL);
    md5_free_model(model);
}
#endif

// A triangle without area beside a good one has no normal to weigh.
TEST (normals_of_any_weights_ignore_triangles_without_area) {
    static const char text[] =
        "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1\n"
        "joints { \"a\" -1 ( 0 0 0 ) ( 0 0 0 ) }\n"
        "mesh { shader \"s\" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 vert 2 ( 0 1 ) 2 1\n"
        "numtris 2 tri 0 0 1 2 tri 1 0 1 1\n"
        "numweights 3 weight 0 0 1 ( 0 0 0 ) weight 1 0 1 ( 1 0 0 ) weight 2 0 1 ( 0 1 0 ) }\n";
    for (int weighting = MD5_NORMALS_AREA; weighting <= MD5_NORMALS_ANGLE; weighting++) {
        const md5_load_opts opts = {.normals = (md5_normals)weighting};
        md5_model *const model = md5_parse_model(text, sizeof text - 1, &opts, NULL);
        for (uint32_t i = 0; CHECK(model != NULL) && i < 3; i++)
            CHECK_NEAR((double)model->meshes[0].normals[i].z, -1.0, 1e-6);
        md5_free_model(model);
    }
}

TEST (version_12_is_loaded_without_tangents_and_in_other_axes) {
    const md5_load_opts bare = {
        .without = MD5_PART_TANGENTS, .axes = MD5_AXES_Y_UP_LEFT, .flip_v = true};
    const char *const path = test_path("models/zoo/version_12.md5mesh");
    md5_model *const file = md5_load_model(path, NULL, NULL);
    md5_model *const model = md5_load_model(path, &bare, NULL);
    if (CHECK(file != NULL && model != NULL)) {
        const md5_mesh *const a = &file->meshes[0], *const b = &model->meshes[0];
        CHECK(a->tangents != NULL && b->tangents == NULL);
        const md5_mat34 to = md5_mat34_from_axes(MD5_AXES_Y_UP_LEFT, 1.0f);
        for (uint32_t i = 0; i < b->num_vertices; i++) {
            const md5_vec3 up = md5_mat34_direction(to, a->normals[i]);
            CHECK_NEAR((double)md5_vec3_dot(up, b->normals[i]), 1.0, 1e-5);
            CHECK_NEAR((double)b->texcoords[i].y, 1.0 - (double)a->texcoords[i].y, 1e-6);
        }
    }
    md5_free_model(file);
    md5_free_model(model);
}
