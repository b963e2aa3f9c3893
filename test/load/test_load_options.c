// Tests of options that skip parts of a model, of models whose geometry was released, and of parts
// that are derived later. A part that is derived later must have the same bits as in a whole load.
#include "test/load/test_asset.h"
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/skin/skin_jobs.h"

static md5_model *load(const md5_load_opts *opts)
{
    md5_error error = {0};
    md5_model *const model =
        md5_load_model(test_path("models/thimble/thimble.md5mesh"), opts, &error);
    CHECK_DONE(model, error);
    return model;
}

// Returns the skinned vertices of a mesh in one block: positions, then normals.
static md5_vec3 *skin(const md5_model *model, const md5_mesh *mesh, bool dual, md5_vec4 *tangents)
{
    const uint32_t count = mesh->num_vertices;
    const uint32_t num_joints = model->skeleton.num_joints;
    md5_vec3 *const points = calloc(2 * (size_t)count + 1, sizeof *points);
    SCOPED_ARRAY(md5_mat34, palette, num_joints);
    SCOPED_ARRAY(md5_dual_quat, duals, num_joints);
    const md5_xform rotations[2] = {{{0, 0, 0, 1}, {0, 0, 0}, 0},
                                    {{0, 0, 0.6f, 0.8f}, {1, 2, 3}, 0}};
    for (uint32_t i = 0; i < num_joints; i++)
        palette[i] = md5_mat34_from_xform(rotations[i % 2]);
    md5_build_dual_palette(palette, num_joints, duals);
    if (dual)
        skin_by_duals(mesh, duals, points, points + count, tangents);
    else
        md5_skin(mesh, palette, points, points + count, tangents);
    return points;
}

// Thimble has mirror seams: a load without tangents drops only the copies of their vertices.
TEST (models_without_tangents_have_the_vertices_of_the_file) {
    SCOPED_MODEL full_model = load(NULL);
    SCOPED_MODEL bare = load(&(md5_load_opts){.skip_geometry = MD5_GEOMETRY_TANGENTS});
    CHECK(asset_model_fault(bare) == NULL);
    CHECK(bare->geometry_size < full_model->geometry_size);
    uint32_t num_copies = 0;
    for (uint32_t m = 0; m < full_model->num_meshes; m++) {
        const md5_mesh *const a = &full_model->meshes[m];
        const md5_mesh *const b = &bare->meshes[m];
        const uint32_t count = b->num_vertices;
        num_copies += a->num_vertices - count;
        CHECK(!b->tangents && a->tangents);
        CHECK_UINT(count, b->num_file_vertices);
        CHECK_BYTES(a->positions, b->positions, count * sizeof *b->positions);
        CHECK_BYTES(a->normals, b->normals, count * sizeof *b->normals);
        CHECK(a->loss4 == b->loss4 && a->loss8 == b->loss8);
        for (uint32_t i = 0; i < 3 * b->num_triangles; i++)
            CHECK(a->sources[a->indices[i]] == b->indices[i]);
        for (int dual = 0; dual < 2; dual++) { // tangents are not written
            SCOPED_ARRAY(md5_vec4, tangents, count + 1);
            SCOPED md5_vec3 *const expected = skin(full_model, a, dual, NULL), *const found = skin(
                                                                                   bare, b, dual,
                                                                                   tangents);
            CHECK_BYTES(expected, found, count * sizeof *found);
            CHECK_BYTES(expected + a->num_vertices, found + count, count * sizeof *found);
            for (uint32_t i = 0; i < count; i++)
                CHECK(tangents[i].w == 0);
        }
    }
    CHECK(num_copies > 0);
}

TEST (models_without_a_plan_are_skinned_to_the_same_bits) {
    SCOPED_MODEL full_model = load(NULL);
    SCOPED_MODEL bare = load(&(md5_load_opts){.skip_geometry = MD5_GEOMETRY_SKIN_PLANS});
    CHECK(asset_model_fault(bare) == NULL);
    CHECK_UINT(bare->geometry_size, full_model->geometry_size); // a plan is a separate block
    for (uint32_t m = 0; m < full_model->num_meshes; m++) {
        const md5_mesh *const a = &full_model->meshes[m];
        const md5_mesh *const b = &bare->meshes[m];
        CHECK(a->skin_plan && !b->skin_plan);
        CHECK(a->loss4 == b->loss4 && a->loss8 == b->loss8);
        for (int dual = 0; dual < 2; dual++) {
            SCOPED md5_vec3 *const expected = skin(full_model, a, dual, NULL), *const found =
                                                                                   skin(bare, b,
                                                                                        dual, NULL);
            CHECK_BYTES(found, expected, 2 * a->num_vertices * sizeof *found);
        }
    }
}

// -- Releasing --------------------------------------------------------------------------------

TEST (released_models_keep_their_skeleton_and_counts) {
    test_heap heap = {0};
    const md5_load_opts opts = heap_opts(&heap, 0);
    SCOPED_MODEL full_model = load(NULL);
    md5_model *const model = load(&opts);
    const md5_mesh *const meshes = model->meshes;
    const size_t kept = model->size;
    CHECK_UINT(heap.live, 3 + model->num_meshes);
    md5_release_geometry(model);
    CHECK_UINT(heap.live, 1);
    CHECK_UINT(heap.live_bytes, kept);
    CHECK(!model->internal.memory && model->geometry_size == 0 && model->meshes == meshes);
    md5_release_geometry(model);
    const uint32_t num_joints = model->skeleton.num_joints;
    for (uint32_t i = 0; i < num_joints; i++)
        CHECK_STRING(model->skeleton.joints[i].name, full_model->skeleton.joints[i].name);
    CHECK_BYTES(model->inverse_bind, full_model->inverse_bind, num_joints * sizeof(md5_mat34));
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        CHECK_STRING(meshes[m].shader, full_model->meshes[m].shader);
        CHECK_UINT(meshes[m].num_vertices, full_model->meshes[m].num_vertices);
        CHECK(meshes[m].bounds.max.x == full_model->meshes[m].bounds.max.x);
        CHECK(!meshes[m].positions && !meshes[m].indices && !meshes[m].skin_plan);
    }
    md5_free_model(model);
    CHECK_UINT(heap.live, 0);
}

TEST (released_models_are_rejected_by_machines) {
    SCOPED_MODEL model = load(NULL);
    md5_release_geometry(model);
    md5_error error = {0};
    CHECK(md5_create_machine(&(md5_machine_desc){.model = model}, NULL, &error) == NULL);
    CHECK(strstr(error.message, "released"));
}

#if !defined(NDEBUG)
TEST (released_models_are_not_skinned) {
    SCOPED_MODEL model = load(NULL);
    md5_release_geometry(model);
    MISUSE("md5_skin(): mesh: geometry must not have been released", {
        static md5_vec3 position;
        static const md5_mat34 palette;
        md5_skin(&model->meshes[0], &palette, &position, NULL, NULL);
    });
}

TEST (released_models_have_no_bounds_of_skinning) {
    SCOPED_MODEL model = load(NULL);
    md5_release_geometry(model);
    MISUSE("md5_skin_bounds(): model: geometry must not have been released", {
        static md5_mat34 palette[256];
        md5_skin_bounds(model, palette);
    });
}

// Returns memory with the address 16 * n + 8, as an allocator that aligns to 8 bytes may do.
static void *misaligned_alloc(void *user, size_t size)
{
    unsigned char *const memory = malloc(size + 8);
    (void)user;
    return memory ? memory + 8 : NULL;
}

static void misaligned_free(void *user, void *memory, size_t size)
{
    (void)user, (void)size;
    free((unsigned char *)memory - 8);
}

TEST (allocators_align_memory_to_16_bytes) {
    const md5_load_opts opts = {.allocator = {misaligned_alloc, misaligned_free, NULL, 0}};
    MISUSE("allocator.alloc: returned memory must be aligned to 16 bytes",
           md5_load_model(test_path("models/thimble/thimble.md5mesh"), &opts, NULL));
}
#endif

// A triangle without area next to a valid triangle has no normal to weight.
TEST (normals_of_any_weights_ignore_triangles_without_area) {
    static const char text[] =
        "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1\n"
        "joints { \"a\" -1 ( 0 0 0 ) ( 0 0 0 ) }\n"
        "mesh { shader \"s\" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 vert 2 ( 0 1 ) 2 1\n"
        "numtris 2 tri 0 0 1 2 tri 1 0 1 1\n"
        "numweights 3 weight 0 0 1 ( 0 0 0 ) weight 1 0 1 ( 1 0 0 ) weight 2 0 1 ( 0 1 0 ) }\n";
    for (int weighting = MD5_NORMALS_AREA; weighting <= MD5_NORMALS_ANGLE; weighting++) {
        const md5_load_opts opts = {.normals = (md5_normals)weighting};
        SCOPED_MODEL model = md5_parse_model(text, sizeof text - 1, &opts, NULL);
        for (uint32_t i = 0; CHECK(model) && i < 3; i++)
            CHECK_NEAR(model->meshes[0].normals[i].z, -1, 1e-6);
    }
}

TEST (version_12_is_loaded_without_tangents_and_in_other_axes) {
    const md5_load_opts bare = {
        .skip_geometry = MD5_GEOMETRY_TANGENTS, .axes = MD5_AXES_Y_UP_LEFT, .flip_v = true};
    const char *const path = test_path("models/zoo/version_12.md5mesh");
    SCOPED_MODEL file = md5_load_model(path, NULL, NULL);
    SCOPED_MODEL model = md5_load_model(path, &bare, NULL);
    REQUIRE(file && model);
    const md5_mesh *const a = &file->meshes[0];
    const md5_mesh *const b = &model->meshes[0];
    CHECK(a->tangents && !b->tangents);
    const md5_mat34 to = md5_mat34_from_axes(MD5_AXES_Y_UP_LEFT, 1);
    for (uint32_t i = 0; i < b->num_vertices; i++) {
        CHECK_NEAR(md5_vec3_dot(md5_mat34_direction(to, a->normals[i]), b->normals[i]), 1, 1e-5);
        CHECK_NEAR(b->texcoords[i].y, 1.0 - a->texcoords[i].y, 1e-6);
    }
}

// -- Memory ---------------------------------------------------------------------------------------

// Numbers of memory blocks. An ordinary file takes the blocks of the asset and temporary blocks
// that are freed before skinning plans are allocated: a clip takes one temporary block; a model
// takes one for its joints, one for tables that it does not store, and sometimes one for deriving
// data. test_abuse.c tests the memory in use at one time.

typedef struct measured {
    size_t num_allocs;
    size_t num_blocks;
    size_t peak_bytes;
    size_t asset_bytes;
    size_t num_meshes; // each has a block for its plan
} measured;

static measured measure(const char *path, const char *text, size_t size)
{
    test_heap heap = {0};
    const md5_load_opts opts = heap_opts(&heap, 0);
    md5_error error = {0};
    measured result = {0};
    if (strstr(path, ".md5anim")) {
        SCOPED_ANIM anim = md5_parse_anim(text, size, &opts, &error);
        result = (measured){heap.num_allocs, heap.live, heap.peak_bytes, heap.live_bytes, 0};
    } else {
        SCOPED_MODEL model = md5_parse_model(text, size, &opts, &error);
        result = (measured){heap.num_allocs, heap.live, heap.peak_bytes, heap.live_bytes,
                            model ? model->num_meshes : 0};
    }
    CHECK_UINT(error.status, MD5_OK);
    CHECK_UINT(heap.live, 0);
    return result;
}

static void check_file(const char *path)
{
    size_t size = 0;
    SCOPED_STRING text = test_read_file(path, &size);
    if (!CHECK_THAT(text != NULL, "%s cannot be read", path))
        return;
    const measured result = measure(path, text, size);
    const bool is_anim = strstr(path, ".md5anim") != NULL;
    const size_t num_blocks = is_anim ? 1 : 3 + result.num_meshes;
    CHECK_UINT(result.num_blocks, num_blocks);
    CHECK_THAT(result.num_allocs <= num_blocks + (is_anim ? 1 : 3), "%s: %zu allocations", path,
               result.num_allocs);
}

TEST (our_files_are_loaded_with_few_allocations) {
    STRINGS(files) = {
        "bobbin/bobbin.md5mesh",
        "thimble/thimble.md5mesh", // many mirror seams
        "lantern/lantern.md5mesh", // more mirror seams, and short numbers
        "flame/flame.md5mesh",
        "zoo/chain.md5mesh", // many joints
        "bobbin/walk.md5anim",     "bobbin/dance.md5anim",
    };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        check_file(test_pathf("models/%s", files[i]));
}

TEST (real_files_are_loaded_with_few_allocations) {
    STRINGS(files) = {
        "redeclipse/drone/mesh.md5mesh", "frankie/Frankie.md5mesh",
        "terasology/lasr/queen.md5mesh", "redeclipse/weapons/zapper/item.md5mesh",
        "frankie/Frankie_Idle1.md5anim", "stromar/s_idle.md5anim",
        "stromar/stromar.md5mesh",       "cube2/ffflag/ffflag.md5mesh",
        "cube2/ffpit/ffpit.md5mesh",     "redeclipse/props/flag/mesh.md5mesh",
    };
    REQUIRE_CORPUS();
    for (size_t i = 0; i < COUNT_OF(files); i++)
        check_file(test_pathf("corpus/%s", files[i]));
}

// A clip with a compact text is read twice to reduce the memory in use. After a long comment the
// text is not compact any more.
TEST (clips_that_are_read_twice_equal_those_read_once) {
    STRINGS(files) = {"zoo/flags", "thimble/fold", "thimble/unfold", "flame/burst"};
    for (size_t i = 0; i < 3 * COUNT_OF(files); i++) {
        size_t size = 0;
        SCOPED_STRING text = test_read_file(test_pathf("models/%s.md5anim", files[i / 3]), &size);
        REQUIRE(text);
        if (i % 3 == 1) // the first rotation of the base frame is too long, which causes a warning
            memcpy(strstr(strstr(text, "baseframe"), ") (") + 3, " 9", 2);
        if (i % 3 == 2) // another token between two frames: both are read once
            strstr(text, "\nframe 1")[-1] = 'x';
        SCOPED_TEXT padded = {0};
        test_append(&padded, "%s// %*s", text, (int)size, "");
        test_heap heap = {0};
        test_heap padded_heap = {0};
        const md5_load_opts opts = heap_opts(&heap, 0);
        const md5_load_opts padded_opts = heap_opts(&padded_heap, 0);
        SCOPED_ANIM twice = md5_parse_anim(text, size, &opts, NULL);
        SCOPED_ANIM once = md5_parse_anim(padded.bytes, padded.used, &padded_opts, NULL);
        REQUIRE(twice && once);
        CHECK(asset_anims_equal(twice, once));
        CHECK_UINT(twice->num_warnings, once->num_warnings);
        CHECK_UINT(twice->num_warnings > 0, i % 3 > 0);
        CHECK((heap.peak_bytes < padded_heap.peak_bytes) == (i % 3 < 2));
    }
}

// Counts in comments are read before the comment is recognized.
TEST (repeated_counts_allocate_no_more) {
    static const char model[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\n"
                                "joints {\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n";
    STRINGS(comments) = {"// numJoints 99999999\n", "// numMeshes 99999999\n"};
    enum { TIMES = 1500 };
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(comments[i]);
        const size_t size = TIMES * length + strlen(model);
        SCOPED_STRING text = malloc(size + 1);
        CHECK(text);
        for (size_t k = 0; k < TIMES; k++)
            memcpy(text + k * length, comments[i], length);
        memcpy(text + TIMES * length, model, sizeof model);
        const measured result = measure("comments.md5mesh", text, size);
        CHECK(result.peak_bytes <= 65536 + 16 * size);
    }
}

// -- Parts that are derived later -----------------------------------------------------------------

// Parts of a model that options skip are derived later: the model must be bit-identical to a whole
// load.

enum { ALL = MD5_GEOMETRY_ALL };

// Models with mirror seams, and with several influences per vertex.
STRINGS(paths) = {"models/thimble/thimble.md5mesh", "models/lantern/lantern.md5mesh"};
enum { NUM_PATHS = COUNT_OF(paths) };

static md5_model *load_later_load(const char *path, const md5_load_opts *opts)
{
    md5_error error = {0};
    md5_model *const model = md5_load_model(test_path(path), opts, &error);
    CHECK_DONE(model, error);
    return model;
}

// Checks that two models have the same skinned vertices, because the content of a skinning plan is
// not public. A plan that does not fit its mesh gives wrong vertices.
static void check_skinned_equally(const md5_model *found, const md5_model *expected, uint32_t m)
{
    const md5_mesh *const mesh = &found->meshes[m];
    REQUIRE(mesh->num_vertices == expected->meshes[m].num_vertices);
    for (int dual = 0; dual < 2; dual++) {
        SCOPED md5_vec3 *const found_points = skin(found, mesh, dual, NULL);
        SCOPED md5_vec3 *const points = skin(expected, &expected->meshes[m], dual, NULL);
        CHECK_BYTES(found_points, points, 2 * mesh->num_vertices * sizeof *points);
    }
}

static void check_equal(const md5_model *found, const md5_model *expected)
{
    CHECK(asset_models_equal(found, expected));
    CHECK_UINT(found->geometry_size, expected->geometry_size);
    for (uint32_t m = 0; m < expected->num_meshes; m++) {
        CHECK(!found->meshes[m].skin_plan == !expected->meshes[m].skin_plan);
        check_skinned_equally(found, expected, m);
        CHECK(found->meshes[m].is_mirrored == expected->meshes[m].is_mirrored);
    }
}

// Loads with `opts`, derives a part, and expects the result of a load with `full_opts`.
static void check_derived(const char *path, const md5_load_opts *opts, uint32_t parts,
                          const md5_load_opts *full_opts)
{
    md5_error error = {0};
    SCOPED_MODEL model = load_later_load(path, opts);
    SCOPED_MODEL full_model = load_later_load(path, full_opts);
    CHECK(!asset_models_equal(model, full_model)
          || !model->meshes[0].skin_plan != !full_model->meshes[0].skin_plan);
    CHECK(md5_derive_geometry(model, parts, &error));
    CHECK_UINT(error.status, MD5_OK);
    check_equal(model, full_model);
    const void *const geometry = model->internal.memory;
    CHECK(md5_derive_geometry(model, parts, NULL));
    CHECK(model->internal.memory == geometry); // a second call does nothing
    check_equal(model, full_model);
}

// -- Each part, derived later ---------------------------------------------------------------

TEST (geometry_derived_later_equals_that_of_loading) {
    for (int i = 0; i < NUM_PATHS; i++)
        check_derived(paths[i], &(md5_load_opts){.skip_geometry = ALL}, ALL, NULL);
}

TEST (geometry_made_later_is_converted_as_by_a_load) {
    md5_load_opts opts = {.axes = MD5_AXES_Y_UP_LEFT,
                          .scale = 0.3f,
                          .flip_v = true,
                          .normals = MD5_NORMALS_ANGLE,
                          .skip_geometry = MD5_GEOMETRY_TANGENTS};
    const md5_load_opts full = opts;
    opts.skip_geometry = ALL;
    check_derived(paths[0], &opts, ALL & ~MD5_GEOMETRY_TANGENTS, &full);
    md5_load_opts with_tangents = full;
    with_tangents.skip_geometry = 0;
    check_derived(paths[0], &opts, ALL, &with_tangents);
}

TEST (tangents_and_seams_derived_later_equal_those_of_loading) {
    for (int i = 0; i < NUM_PATHS; i++)
        check_derived(paths[i], &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_TANGENTS},
                      MD5_GEOMETRY_TANGENTS, NULL);
    md5_load_opts opts = {.axes = MD5_AXES_Y_UP_LEFT, .scale = 0.25f, .normals = MD5_NORMALS_AREA};
    const md5_load_opts full = opts;
    opts.skip_geometry = MD5_GEOMETRY_TANGENTS;
    check_derived(paths[0], &opts, MD5_GEOMETRY_TANGENTS, &full);
}

// Neither the scale nor the flip can be reverted exactly.
TEST (tangents_made_after_a_lossy_conversion_are_close) {
    md5_load_opts opts = {.scale = 0.3f, .flip_v = true};
    SCOPED_MODEL full_model = load_later_load(paths[0], &opts);
    opts.skip_geometry = MD5_GEOMETRY_TANGENTS;
    SCOPED_MODEL model = load_later_load(paths[0], &opts);
    CHECK(md5_derive_geometry(model, MD5_GEOMETRY_TANGENTS, NULL));
    CHECK(asset_model_fault(model) == NULL);
    for (uint32_t m = 0; m < full_model->num_meshes; m++) {
        const md5_mesh *const a = &full_model->meshes[m];
        const md5_mesh *const b = &model->meshes[m];
        CHECK_UINT(b->num_vertices, a->num_vertices);
        for (uint32_t v = 0; v < a->num_vertices; v++) {
            CHECK_NEAR(b->positions[v].x, a->positions[v].x, 1e-5);
            CHECK_NEAR(b->tangents[v].y, a->tangents[v].y, 1e-3);
            CHECK(b->tangents[v].w == a->tangents[v].w);
        }
    }
}

TEST (plans_derived_later_equal_those_of_loading) {
    for (int i = 0; i < NUM_PATHS; i++)
        check_derived(paths[i], &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_SKIN_PLANS},
                      MD5_GEOMETRY_SKIN_PLANS, NULL);
    // Deriving tangents also derives the skin plans that the model had before, and no other parts.
    const md5_load_opts bare = {.skip_geometry = ALL & 7};
    check_derived(paths[0], &bare, MD5_GEOMETRY_TANGENTS,
                  &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_SKIN_PLANS | MD5_GEOMETRY_LOSSES});
    check_derived(paths[0], &bare, MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS,
                  &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_LOSSES});
    check_derived(paths[0], &bare, ALL, NULL);
}

TEST (losses_derived_later_equal_those_of_loading) {
    for (int i = 0; i < NUM_PATHS; i++)
        check_derived(paths[i], &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_LOSSES},
                      MD5_GEOMETRY_LOSSES, NULL);
    SCOPED_MODEL model =
        load_later_load(paths[0], &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_LOSSES});
    CHECK(isinf(model->meshes[0].loss4) && isinf(model->meshes[0].loss8));
}

TEST (parts_of_geometry_that_is_not_made_begin_with_it) {
    static const uint32_t parts[] = {MD5_GEOMETRY_TANGENTS, MD5_GEOMETRY_SKIN_PLANS,
                                     MD5_GEOMETRY_LOSSES, 8};
    for (int i = 0; i < 4; i++)
        check_derived(paths[0], &(md5_load_opts){.skip_geometry = ALL}, parts[i],
                      &(md5_load_opts){.skip_geometry = ALL & 7 & ~parts[i]});
}

// -- The order of vertices ------------------------------------------------------------------

TEST (grouped_vertices_are_made_later_as_by_a_load) {
    const md5_load_opts grouped = {.group_vertices = true};
    const uint32_t parts[] = {ALL, MD5_GEOMETRY_TANGENTS};
    for (size_t j = 0; j < COUNT_OF(parts); j++) {
        for (int i = 0; i < NUM_PATHS; i++)
            check_derived(paths[i],
                          &(md5_load_opts){.group_vertices = true, .skip_geometry = parts[j]},
                          parts[j], &grouped);
    }
}

static bool has_single_vertex_groups(const md5_mesh *mesh, uint32_t v)
{
    const uint32_t *const first = mesh->first_influence + v;
    const uint32_t count = first[1] - first[0];
    return count == first[0] - first[-1]
           && memcmp(mesh->influence_joints + first[0], mesh->influence_joints + first[-1],
                     count * sizeof(uint32_t))
                  == 0;
}

// Grouping changes the order of the vertices. Each corner of a triangle must still have the same
// vertex, with bit-identical skinning.
TEST (grouped_vertices_are_the_same_in_another_order) {
    STRINGS(files) = {"models/thimble/thimble.md5mesh", "models/spindle/spindle.md5mesh"};
    for (size_t j = 0; j < COUNT_OF(files); j++) {
        SCOPED_MODEL plain = load_later_load(files[j], NULL);
        SCOPED_MODEL model = load_later_load(files[j], &(md5_load_opts){.group_vertices = true});
        CHECK(asset_model_fault(model) == NULL);
        uint32_t num_equal[2] = {0, 0};
        for (uint32_t m = 0; m < plain->num_meshes; m++) {
            const md5_mesh *const a = &plain->meshes[m];
            const md5_mesh *const b = &model->meshes[m];
            REQUIRE(a->num_vertices == b->num_vertices && a->num_triangles == b->num_triangles);
            md5_vec3 *const normals = test_alloc(2 * a->num_vertices * sizeof *normals);
            md5_vec3 *const points = test_alloc(2 * a->num_vertices * sizeof *points);
            md5_skin(a, plain->bind, points, normals, NULL);
            md5_skin(b, plain->bind, points + a->num_vertices, normals + a->num_vertices, NULL);
            for (uint32_t i = 0; i < 3 * a->num_triangles; i++) {
                const uint32_t v = a->indices[i];
                const uint32_t w = b->indices[i];
                const uint32_t to = a->num_vertices + w;
                REQUIRE(a->sources[v] == b->sources[w]);
                const uint32_t first = a->first_influence[v];
                const uint32_t second = b->first_influence[w];
                const uint32_t count = a->first_influence[v + 1] - first;
                REQUIRE(count == b->first_influence[w + 1] - second);
                CHECK_BYTES(b->influences + second, a->influences + first,
                            count * sizeof(md5_vec4));
                CHECK_BYTES(b->tangents + w, a->tangents + v, sizeof(md5_vec4));
                CHECK_BYTES(b->texcoords + w, a->texcoords + v, sizeof(md5_vec2));
                CHECK_BYTES(points + to, points + v, sizeof *points);
                CHECK_BYTES(normals + to, normals + v, sizeof *normals);
            }
            for (uint32_t v = 1; v < a->num_vertices; v++) {
                num_equal[0] += has_single_vertex_groups(a, v);
                num_equal[1] += has_single_vertex_groups(b, v);
            }
            free(points);
            free(normals);
        }
        CHECK_THAT(num_equal[1] > num_equal[0], "%s: %u as the one before, %u in the file's order",
                   files[j], num_equal[1], num_equal[0]);
    }
}

// -- Without geometry -----------------------------------------------------------------------

TEST (models_without_geometry_have_their_skeleton_and_counts) {
    SCOPED_MODEL full_model = load_later_load(paths[0], NULL);
    SCOPED_MODEL model = load_later_load(paths[0], &(md5_load_opts){.skip_geometry = ALL});
    const uint32_t num_joints = full_model->skeleton.num_joints;
    CHECK_BYTES(model->inverse_bind, full_model->inverse_bind, num_joints * sizeof(md5_mat34));
    CHECK_BYTES(model->bind_local, full_model->bind_local, num_joints * sizeof(md5_xform));
    CHECK(model->bounds.min.x > model->bounds.max.x);
    CHECK(model->geometry_size < full_model->geometry_size * 6 / 10);
    for (uint32_t m = 0; m < full_model->num_meshes; m++) {
        const md5_mesh *const a = &full_model->meshes[m];
        const md5_mesh *const b = &model->meshes[m];
        CHECK_STRING(b->shader, a->shader);
        CHECK_UINT(b->num_file_vertices, a->num_file_vertices);
        CHECK_UINT(b->num_triangles, a->num_triangles);
        CHECK_UINT(b->num_weights, a->num_weights);
        CHECK(!b->positions && !b->indices);
        CHECK(!b->weights && !b->skin_plan && isinf(b->loss8));
    }
}

// The parts that are read are checked as in any load.
TEST (invalid_tables_are_errors_also_without_geometry) {
    static const char text[] =
        "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1 joints { \"a\" -1 ( 0 0 0 ) ( 0 0 "
        "0 "
        ") }\nmesh { shader \"\" numverts 1\nvert 0 ( 0 0 ) 0 1\nnumtris 1\ntri 0 0 0 7\n"
        "numweights 1\nweight 0 0 1 ( 1 2 3 ) }";
    md5_error error = {0};
    CHECK_FAILS(md5_parse_model(text, strlen(text), &(md5_load_opts){.skip_geometry = ALL}, &error),
                error, MD5_ERROR_RANGE);
    CHECK_UINT(error.line, 5);
}

TEST (models_without_meshes_have_all_parts) {
    static const char text[] = "MD5Version 10 commandline \"\" numJoints 1 numMeshes 0 joints { "
                               "\"a\" -1 ( 0 0 0 ) ( 0 0 0 ) }";
    SCOPED_MODEL model =
        md5_parse_model(text, strlen(text), &(md5_load_opts){.skip_geometry = ALL}, NULL);
    CHECK(model);
    CHECK(md5_derive_geometry(model, ALL, NULL));
}

// The error is at the token that counts the meshes, for any value.
TEST (models_without_meshes_are_errors_if_meshes_are_needed) {
    const md5_load_opts opts = {.require_meshes = true};
    for (int count = 0; count < 3; count++) {
        char text[512]; // with capacity for meshes
        snprintf(text, sizeof text,
                 "MD5Version 10 commandline \"\" numJoints 1\nnumMeshes %d\n"
                 "joints { \"a\" -1 ( 0 0 0 ) ( 0 0 0 ) } // %0200d",
                 count, 0);
        md5_error error = {0};
        SCOPED_MODEL model = text_model(text, &error);
        CHECK(model);
        CHECK_REFUSED(md5_parse_model(text, strlen(text), &opts, &error), error, MD5_ERROR_RANGE,
                      "file has no meshes: expected at least 1");
        CHECK_UINT(error.line, 2);
        CHECK_UINT(error.column, 11);
    }
    SCOPED_MODEL full_model = md5_load_model(test_path(paths[0]), &opts, NULL);
    CHECK(full_model);
}

// -- Failures -------------------------------------------------------------------------------

static const uint32_t some_parts[] = {8, MD5_GEOMETRY_TANGENTS, MD5_GEOMETRY_SKIN_PLANS,
                                      MD5_GEOMETRY_LOSSES};
enum { NUM_PARTS = COUNT_OF(some_parts) };

TEST (released_geometry_cannot_be_derived) {
    for (int i = 0; i < 2 * NUM_PARTS; i++) {
        const md5_load_opts opts = {.skip_geometry = i % 2 == 0 ? ALL : MD5_GEOMETRY_TANGENTS};
        md5_error error = {0};
        SCOPED_MODEL model = load_later_load(paths[0], &opts);
        md5_release_geometry(model);
        CHECK_SAYS(md5_derive_geometry(model, some_parts[i / 2], &error), error, MD5_ERROR_MISMATCH,
                   "released");
    }
}

// Makes each allocation of the derivation fail in turn. Returns the number of allocations.
static size_t check_failures(uint32_t without, uint32_t parts)
{
    size_t fail = 1;
    for (bool is_derived = false; !is_derived; fail++) {
        asset_heap heap = {0};
        md5_load_opts opts = asset_opts(&heap, NULL);
        opts.skip_geometry = without;
        md5_error error = {0};
        md5_model *const model = load_later_load(paths[0], &opts);
        const void *const geometry = model->internal.memory;
        heap.fail_at = heap.num_allocs + fail;
        is_derived = md5_derive_geometry(model, parts, &error);
        CHECK_UINT(error.status, is_derived ? MD5_OK : MD5_ERROR_MEMORY);
        CHECK(is_derived || (model->internal.memory == geometry && !model->meshes[0].tangents));
        if (!is_derived) { // a second attempt
            heap.fail_at = 0;
            CHECK(md5_derive_geometry(model, parts, NULL));
        }
        CHECK(asset_model_fault(model) == NULL);
        md5_free_model(model);
        CHECK(asset_heap_fault(&heap) == NULL);
    }
    return fail - 1;
}

TEST (making_parts_survives_any_failure_of_memory) {
    CHECK(check_failures(ALL, ALL & ~MD5_GEOMETRY_TANGENTS) > 3);
    CHECK(check_failures(MD5_GEOMETRY_TANGENTS, MD5_GEOMETRY_TANGENTS) > 3);
    CHECK(check_failures(MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS, MD5_GEOMETRY_SKIN_PLANS)
          > 1);
}

TEST (loading_without_geometry_survives_any_failure_of_memory) {
    asset_heap heap = {0};
    md5_load_opts opts = asset_opts(&heap, NULL);
    opts.skip_geometry = ALL;
    md5_free_model(load_later_load(paths[0], &opts));
    const size_t num_allocs = heap.num_allocs;
    CHECK(num_allocs > 2);
    for (size_t fail = 1; fail <= num_allocs; fail++) {
        heap = (asset_heap){.fail_at = fail};
        md5_error error = {0};
        CHECK_FAILS(md5_load_model(test_path(paths[0]), &opts, &error), error, MD5_ERROR_MEMORY);
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
    SCOPED_MODEL full_model = md5_parse_model(version_12, size, NULL, NULL);
    SCOPED_MODEL bare =
        md5_parse_model(version_12, size, &(md5_load_opts){.skip_geometry = ALL}, NULL);
    SCOPED_MODEL lost = md5_parse_model(
        version_12, size, &(md5_load_opts){.skip_geometry = MD5_GEOMETRY_TANGENTS}, NULL);
    CHECK(full_model && bare && lost);
    CHECK(full_model->stores_normals);
    CHECK(md5_derive_geometry(bare, ALL, NULL));
    check_equal(bare, full_model);
    CHECK_FAILS(md5_derive_geometry(lost, MD5_GEOMETRY_TANGENTS, &error), error,
                MD5_ERROR_MISMATCH);
}
