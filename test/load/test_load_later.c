// What options leave out of a model, made later: the result is the model of a whole load, bit for
// bit.
#include "test/load/test_asset.h"
#include "test/test.h"

#include "md5/skin/plan.h"

#include <math.h>
#include <string.h>

enum { ALL = MD5_PART_GEOMETRY };

// With seams, and with several influences a vertex.
static const char *const paths[] = {"models/thimble/thimble.md5mesh",
                                    "models/lantern/lantern.md5mesh"};
enum { NUM_PATHS = sizeof paths / sizeof paths[0] };

static md5_model *load(const char *path, const md5_load_opts *opts)
{
    md5_error error = {0};
    md5_model *const model = md5_load_model(test_path(path), opts, &error);
    test_check(model != NULL, __FILE__, __LINE__, "%s", error.message);
    return model;
}

static bool plans_equal(const md5_skin_plan *a, const md5_skin_plan *b)
{
    if (!a || !b)
        return a == b;
    return a->size == b->size && a->num_runs == b->num_runs
           && memcmp(a->runs, b->runs, a->num_runs * sizeof *a->runs) == 0;
}

static void check_equal(const md5_model *found, const md5_model *expected)
{
    CHECK(asset_models_equal(found, expected));
    CHECK_UINT(found->geometry_size, expected->geometry_size);
    for (uint32_t m = 0; m < expected->num_meshes; m++) {
        CHECK(plans_equal(found->meshes[m].skin_plan, expected->meshes[m].skin_plan));
        CHECK(found->meshes[m].is_mirrored == expected->meshes[m].is_mirrored);
    }
}

// Loads with `opts`, makes a part, and expects what `whole` options load.
static void check_made(const char *path, const md5_load_opts *opts, uint32_t parts,
                       const md5_load_opts *whole_opts)
{
    md5_error error = {0};
    md5_model *const model = load(path, opts), *const whole = load(path, whole_opts);
    CHECK(!asset_models_equal(model, whole)
          || !plans_equal(model->meshes[0].skin_plan, whole->meshes[0].skin_plan));
    CHECK(md5_complete_model(model, parts, &error));
    CHECK_UINT(error.status, MD5_OK);
    check_equal(model, whole);
    const void *const geometry = model->geometry;
    CHECK(md5_complete_model(model, parts, NULL));
    CHECK(model->geometry == geometry); // nothing more to do
    check_equal(model, whole);
    md5_free_model(model);
    md5_free_model(whole);
}

// -- Each part ------------------------------------------------------------------------------

TEST (geometry_made_later_is_that_of_a_load) {
    for (int i = 0; i < NUM_PATHS; i++)
        check_made(paths[i], &(md5_load_opts){.without = ALL}, ALL, NULL);
}

TEST (geometry_made_later_is_converted_as_by_a_load) {
    md5_load_opts opts = {.axes = MD5_AXES_Y_UP_LEFT,
                          .scale = 0.3f,
                          .flip_v = true,
                          .normals = MD5_NORMALS_ANGLE,
                          .without = MD5_PART_TANGENTS};
    const md5_load_opts whole = opts;
    opts.without = ALL;
    check_made(paths[0], &opts, ALL & ~MD5_PART_TANGENTS, &whole);
    md5_load_opts with_tangents = whole;
    with_tangents.without = 0;
    check_made(paths[0], &opts, ALL, &with_tangents);
}

TEST (tangents_and_seams_made_later_are_those_of_a_load) {
    for (int i = 0; i < NUM_PATHS; i++)
        check_made(paths[i], &(md5_load_opts){.without = MD5_PART_TANGENTS}, MD5_PART_TANGENTS,
                   NULL);
    md5_load_opts opts = {.axes = MD5_AXES_Y_UP_LEFT, .scale = 0.25f, .normals = MD5_NORMALS_AREA};
    const md5_load_opts whole = opts;
    opts.without = MD5_PART_TANGENTS;
    check_made(paths[0], &opts, MD5_PART_TANGENTS, &whole);
}

// Neither the scale nor the flip can be undone exactly.
TEST (tangents_made_after_a_lossy_conversion_are_close) {
    md5_load_opts opts = {.scale = 0.3f, .flip_v = true};
    md5_model *const whole = load(paths[0], &opts);
    opts.without = MD5_PART_TANGENTS;
    md5_model *const model = load(paths[0], &opts);
    CHECK(md5_complete_model(model, MD5_PART_TANGENTS, NULL));
    CHECK(asset_model_fault(model) == NULL);
    for (uint32_t m = 0; m < whole->num_meshes; m++) {
        const md5_mesh *const a = &whole->meshes[m], *const b = &model->meshes[m];
        CHECK_UINT(b->num_vertices, a->num_vertices);
        for (uint32_t v = 0; v < a->num_vertices; v++) {
            CHECK_NEAR((double)b->positions[v].x, (double)a->positions[v].x, 1e-5);
            CHECK_NEAR((double)b->tangents[v].y, (double)a->tangents[v].y, 1e-3);
            CHECK(b->tangents[v].w == a->tangents[v].w);
        }
    }
    md5_free_model(model);
    md5_free_model(whole);
}

TEST (plans_made_later_are_those_of_a_load) {
    for (int i = 0; i < NUM_PATHS; i++)
        check_made(paths[i], &(md5_load_opts){.without = MD5_PART_SKIN_PLANS}, MD5_PART_SKIN_PLANS,
                   NULL);
    // Tangents bring the plans that the model had, and those only.
    const md5_load_opts bare = {.without = ALL & 7};
    check_made(paths[0], &bare, MD5_PART_TANGENTS,
               &(md5_load_opts){.without = MD5_PART_SKIN_PLANS | MD5_PART_LOSSES});
    check_made(paths[0], &bare, MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS,
               &(md5_load_opts){.without = MD5_PART_LOSSES});
    check_made(paths[0], &bare, ALL, NULL);
}

TEST (losses_made_later_are_those_of_a_load) {
    for (int i = 0; i < NUM_PATHS; i++)
        check_made(paths[i], &(md5_load_opts){.without = MD5_PART_LOSSES}, MD5_PART_LOSSES, NULL);
    md5_model *const model = load(paths[0], &(md5_load_opts){.without = MD5_PART_LOSSES});
    CHECK(isinf(model->meshes[0].loss4) && isinf(model->meshes[0].loss8));
    md5_free_model(model);
}

TEST (parts_of_geometry_that_is_not_made_begin_with_it) {
    static const uint32_t parts[] = {MD5_PART_TANGENTS, MD5_PART_SKIN_PLANS, MD5_PART_LOSSES, 8};
    for (int i = 0; i < 4; i++)
        check_made(paths[0], &(md5_load_opts){.without = ALL}, parts[i],
                   &(md5_load_opts){.without = ALL & 7 & ~parts[i]});
}

// -- Without geometry -----------------------------------------------------------------------

TEST (models_without_geometry_have_their_skeleton_and_counts) {
    md5_model *const whole = load(paths[0], NULL);
    md5_model *const model = load(paths[0], &(md5_load_opts){.without = ALL});
    const uint32_t num_joints = whole->skeleton.num_joints;
    CHECK(memcmp(model->inverse_bind, whole->inverse_bind, num_joints * sizeof(md5_mat34)) == 0);
    CHECK(memcmp(model->bind_local, whole->bind_local, num_joints * sizeof(md5_xform)) == 0);
    CHECK(model->bounds.min.x > model->bounds.max.x);
    CHECK(model->geometry_size < whole->geometry_size * 6 / 10);
    for (uint32_t m = 0; m < whole->num_meshes; m++) {
        const md5_mesh *const a = &whole->meshes[m], *const b = &model->meshes[m];
        CHECK_STRING(b->shader, a->shader);
        CHECK_UINT(b->num_file_vertices, a->num_file_vertices);
        CHECK_UINT(b->num_triangles, a->num_triangles);
        CHECK_UINT(b->num_weights, a->num_weights);
        CHECK(!b->positions && !b->indices && !b->weights && !b->skin_plan && isinf(b->loss8));
    }
    md5_free_model(model);
    md5_free_model(whole);
}

// What is kept is checked as it is in any load.
TEST (bad_tables_are_errors_without_geometry) {
    static const char text[] =
        "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1 joints { \"a\" -1 ( 0 0 0 ) ( 0 0 "
        "0 "
        ") }\nmesh { shader \"\" numverts 1\nvert 0 ( 0 0 ) 0 1\nnumtris 1\ntri 0 0 0 7\n"
        "numweights 1\nweight 0 0 1 ( 1 2 3 ) }";
    md5_error error = {0};
    CHECK(!md5_parse_model(text, strlen(text), &(md5_load_opts){.without = ALL}, &error));
    CHECK_UINT(error.status, MD5_ERROR_RANGE);
    CHECK_UINT(error.line, 5);
}

TEST (models_without_meshes_have_all_parts) {
    static const char text[] = "MD5Version 10 commandline \"\" numJoints 1 numMeshes 0 joints { "
                               "\"a\" -1 ( 0 0 0 ) ( 0 0 0 ) }";
    md5_model *const model =
        md5_parse_model(text, strlen(text), &(md5_load_opts){.without = ALL}, NULL);
    CHECK(model != NULL);
    CHECK(md5_complete_model(model, ALL, NULL));
    md5_free_model(model);
}

// -- Failures -------------------------------------------------------------------------------

static const uint32_t some_parts[] = {8, MD5_PART_TANGENTS, MD5_PART_SKIN_PLANS, MD5_PART_LOSSES};
enum { NUM_PARTS = sizeof some_parts / sizeof some_parts[0] };

TEST (nothing_is_made_of_released_geometry) {
    for (int i = 0; i < 2 * NUM_PARTS; i++) {
        const md5_load_opts opts = {.without = i % 2 == 0 ? ALL : MD5_PART_TANGENTS};
        md5_error error = {0};
        md5_model *const model = load(paths[0], &opts);
        md5_release_geometry(model);
        CHECK(!md5_complete_model(model, some_parts[i / 2], &error));
        CHECK_UINT(error.status, MD5_ERROR_MISMATCH);
        CHECK(strstr(error.message, "released") != NULL);
        md5_free_model(model);
    }
}

// Lets each allocation of making a part fail in turn. Returns how many there were.
static size_t check_failures(uint32_t without, uint32_t parts)
{
    size_t fail = 1;
    for (bool is_made = false; !is_made; fail++) {
        asset_heap heap = {0};
        md5_load_opts opts = asset_opts(&heap, NULL);
        opts.without = without;
        md5_error error = {0};
        md5_model *const model = load(paths[0], &opts);
        const void *const geometry = model->geometry;
        heap.fail_at = heap.num_allocs + fail;
        is_made = md5_complete_model(model, parts, &error);
        CHECK_UINT(error.status, is_made ? MD5_OK : MD5_ERROR_MEMORY);
        CHECK(is_made || (model->geometry == geometry && !model->meshes[0].tangents));
        if (!is_made) { // a second try
            heap.fail_at = 0;
            CHECK(md5_complete_model(model, parts, NULL));
        }
        CHECK(asset_model_fault(model) == NULL);
        md5_free_model(model);
        CHECK(asset_heap_fault(&heap) == NULL);
    }
    return fail - 1;
}

TEST (making_parts_survives_any_failure_of_memory) {
    CHECK(check_failures(ALL, ALL & ~MD5_PART_TANGENTS) > 3);
    CHECK(check_failures(MD5_PART_TANGENTS, MD5_PART_TANGENTS) > 3);
    CHECK(check_failures(MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS, MD5_PART_SKIN_PLANS) > 1);
}

TEST (loading_without_geometry_survives_any_failure_of_memory) {
    asset_heap heap = {0};
    md5_load_opts opts = asset_opts(&heap, NULL);
    opts.without = ALL;
    md5_free_model(load(paths[0], &opts));
    const size_t num_allocs = heap.num_allocs;
    CHECK(num_allocs > 2);
    for (size_t fail = 1; fail <= num_allocs; fail++) {
        heap = (asset_heap){.fail_at = fail};
        md5_error error = {0};
        CHECK(md5_load_model(test_path(paths[0]), &opts, &error) == NULL);
        CHECK_UINT(error.status, MD5_ERROR_MEMORY);
        CHECK(asset_heap_fault(&heap) == NULL);
    }
}

// -- Version 12 -----------------------------------------------------------------------------

static const char version_12[] =
    "MD5Version 12 commandline \"\" numJoints 1 numMeshes 1 joints { \"a\" -1 ( 0 0 0 ) ( 0 0 0.5 "
    ") }\nmesh { shader \"\" numverts 3\n"
    "vert 0 ( 0 0 ) 0 1 ( 0 0 1 ) ( 1 0 0 1 )\nvert 1 ( 1 0 ) 1 1 ( 0 1 1 ) ( 1 0 0 -1 )\n"
    "vert 2 ( 0 1 ) 2 1 ( 0 0 2 ) ( 0 1 0 1 )\nnumtris 1\ntri 0 0 1 2\nnumweights 3\n"
    "weight 0 0 1 ( 1 2 3 )\nweight 1 0 1 ( 4 2 3 )\nweight 2 0 1 ( 1 7 3 )\n"
    "numvertexcolors 3\nvertexcolor 0 ( 1 0 0 1 )\nvertexcolor 1 ( 0 1 0 1 )\nvertexcolor 2 ( 0 0 "
    "1 1 ) }";

TEST (stored_tangents_are_kept_with_the_tables_only) {
    const size_t size = strlen(version_12);
    md5_error error = {0};
    md5_model *const whole = md5_parse_model(version_12, size, NULL, NULL);
    md5_model *const bare =
        md5_parse_model(version_12, size, &(md5_load_opts){.without = ALL}, NULL);
    md5_model *const lost =
        md5_parse_model(version_12, size, &(md5_load_opts){.without = MD5_PART_TANGENTS}, NULL);
    CHECK(whole && bare && lost && whole->stores_normals);
    CHECK(md5_complete_model(bare, ALL, NULL));
    check_equal(bare, whole);
    CHECK(!md5_complete_model(lost, MD5_PART_TANGENTS, &error));
    CHECK_UINT(error.status, MD5_ERROR_MISMATCH);
    md5_free_model(whole);
    md5_free_model(bare);
    md5_free_model(lost);
}
