// A loaded model takes the memory that its arrays and plans fill, to the byte.
#include "test/test.h"

#include "md5/skin/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every array starts at a multiple of 16 bytes.
static size_t room(size_t count, size_t size)
{
    return (count * size + 15) / 16 * 16;
}

static size_t size_of_arrays(const md5_mesh *mesh)
{
    const size_t num_vertices = mesh->num_vertices, num_influences = mesh->num_influences;
    size_t size = room(mesh->num_file_vertices, sizeof *mesh->file_vertices)
                  + room(mesh->num_weights, sizeof *mesh->weights)
                  + room(mesh->num_triangles, 3 * sizeof *mesh->indices);
    size += room(num_vertices, sizeof *mesh->sources) + room(num_vertices, sizeof *mesh->texcoords)
            + room(num_vertices, sizeof *mesh->positions)
            + room(num_vertices, sizeof *mesh->normals);
    size += mesh->tangents ? room(num_vertices, sizeof *mesh->tangents) : 0;
    size += mesh->colors ? room(mesh->num_file_vertices, sizeof *mesh->colors) : 0;
    return size + room(num_vertices + 1, sizeof *mesh->first_influence)
           + room(num_influences, sizeof *mesh->influence_joints)
           + room(num_influences, sizeof *mesh->influences);
}

// test_skin_sets.c checks that a plan's arrays fill its size.
static size_t size_of_plan(const md5_mesh *mesh)
{
    return mesh->skin_plan ? mesh->skin_plan->size : 0;
}

// Checks the memory of a model; its geometry may have up to `slack` bytes more than its arrays
// fill.
static void check_memory(const char *name, const char *text, size_t text_size,
                         const md5_load_opts *options, size_t slack)
{
    test_heap heap = {0};
    md5_load_opts opts = *options;
    opts.allocator = (md5_allocator){test_heap_alloc, test_heap_free, &heap, 0};
    md5_error error = {0};
    md5_model *const model = md5_parse_model(text, text_size, &opts, &error);
    if (!test_check(model != NULL, __FILE__, __LINE__, "%s: %s", name, error.message))
        return;
    size_t arrays = 0, plans = 0;
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        arrays += size_of_arrays(&model->meshes[m]);
        plans += size_of_plan(&model->meshes[m]);
    }
    CHECK(arrays <= model->geometry_size);
    test_check(model->geometry_size - arrays <= slack, __FILE__, __LINE__,
               "%s: arrays of %zu bytes in %zu", name, arrays, model->geometry_size);
    CHECK_UINT(heap.live_bytes, model->size + model->geometry_size + plans);
    CHECK(opts.without & MD5_PART_SKIN_PLANS ? plans == 0 : plans > 0);
    md5_release_geometry(model);
    CHECK_UINT(heap.live_bytes, model->size);
    md5_free_model(model);
    CHECK_UINT(heap.live, 0);
}

static void check_file(const char *path)
{
    static const md5_load_opts options[] = {
        {.max_warnings = 0}, {.without = MD5_PART_TANGENTS}, {.without = MD5_PART_SKIN_PLANS}};
    size_t size = 0;
    char *const text = test_read_file(path, &size);
    if (!test_check(text != NULL, __FILE__, __LINE__, "%s cannot be read", path))
        return;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        check_memory(path, text, size, &options[i], 0);
    free(text);
}

TEST (our_models_take_what_they_use) {
    check_file(test_path("models/bobbin/bobbin.md5mesh"));
    check_file(test_path("models/thimble/thimble.md5mesh")); // many mirror seams
    check_file(test_path("models/zoo/version_12.md5mesh"));
}

TEST (real_models_take_what_they_use) {
    static const char *const files[] = {
        "frankie/Frankie.md5mesh",
        "libprimis/pulserifle.md5mesh", // has biases of 0
        "redeclipse/drone/mesh.md5mesh",
        "stromar/stromar.md5mesh",
        "terasology/character.md5mesh", // has biases of 0
        "terasology/gooeysquests/skeleton.md5mesh",
        "terasology/lasr/queen.md5mesh",
        "terasology/redElephantrook.md5mesh",
    };
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/corpus/%s", test_corpus(), files[i]);
        check_file(path);
    }
}

// -- Random models --------------------------------------------------------------------------------

enum { JOINTS = 6, MOST_VERTICES = 150, MOST_WEIGHTS = 12, ROOM = 1 << 18 };

typedef struct text_of {
    char *bytes;
    size_t size;
} text_of;

TEST_PRINTF(2, 3) static void add(text_of *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text->size += (size_t)vsnprintf(text->bytes + text->size, ROOM - text->size, format, arguments);
    va_end(arguments);
}

// Biases of 0, and several weights of a vertex on one joint.
static void add_weights(text_of *text, uint32_t num_weights, uint64_t *random)
{
    static const char *const biases[] = {"0", "0.25", "0.5", "1", "1", "0.125"};
    add(text, "numweights %u\n", num_weights);
    for (uint32_t i = 0; i < num_weights; i++)
        add(text, "weight %u %u %s ( %u 2 %u )\n", i, test_random_u32(random) % JOINTS,
            biases[test_random_u32(random) % 6], test_random_u32(random) % 9, i);
}

static void add_mesh(text_of *text, uint64_t *random)
{
    const uint32_t num_vertices = test_random_u32(random) % MOST_VERTICES;
    uint32_t num_weights = 0;
    add(text, "mesh { shader \"\" numverts %u\n", num_vertices);
    for (uint32_t i = 0; i < num_vertices; i++) {
        const uint32_t own = test_random_u32(random) % MOST_WEIGHTS;
        add(text, "vert %u ( %u %u ) %u %u\n", i, i % 3, i % 2, num_weights, own);
        num_weights += own;
    }
    const uint32_t num_triangles = num_vertices > 2 ? num_vertices - 2 : 0;
    add(text, "numtris %u\n", num_triangles);
    for (uint32_t i = 0; i < num_triangles; i++)
        add(text, "tri %u %u %u %u\n", i, i, i + 1, i + 2);
    add_weights(text, num_weights, random);
    add(text, "}\n");
}

TEST (random_models_take_what_they_use) {
    static const md5_load_opts options = {.max_warnings = 0};
    uint64_t random = 67;
    text_of text = {malloc(ROOM), 0};
    for (uint32_t round = 0; round < 50 && CHECK(text.bytes != NULL); round++) {
        text.size = 0;
        add(&text, "MD5Version 10 commandline \"\" numJoints %u numMeshes 3 joints {\n", JOINTS);
        for (uint32_t i = 0; i < JOINTS; i++)
            add(&text, "\"%u\" -1 ( 0 %u 1 ) ( 0 0 0 )\n", i, i);
        add(&text, "}\n");
        for (int i = 0; i < 3; i++)
            add_mesh(&text, &random);
        check_memory("random model", text.bytes, text.size, &options, 0);
    }
    free(text.bytes);
}

// For two weights that cancel out, an influence and its joint are allocated but not used: 16 bytes
// each, when rounded up.
TEST (weights_that_cancel_out_take_an_influence) {
    static const md5_load_opts options = {.max_warnings = 0};
    static const char text[] =
        "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1 joints { \"a\" -1 ( 0 0 0 ) ( 0 0 "
        "0 ) "
        "} mesh { shader \"\" numverts 1 vert 0 ( 0 0 ) 0 2 numtris 0 numweights 2 "
        "weight 0 0 0.5 ( 1 2 3 ) weight 1 0 -0.5 ( 1 2 3 ) }";
    check_memory("weights that cancel out", text, strlen(text), &options, 32);
}
