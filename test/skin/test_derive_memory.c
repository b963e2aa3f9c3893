// Loading and binding when any allocation fails, with table sizes at which each table in turn needs
// a memory chunk of its own.
#include "test/test.h"

#include "md5/md5model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 1 << 20 };

TEST_PRINTF(3, 4) static size_t add(char *text, size_t used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text + used, ROOM - used, format, arguments);
    va_end(arguments);
    return used + (size_t)length;
}

// num_joints joints in a chain, and one mesh of num_vertices vertices, each with a weight of its
// own, whose triangles are mirrored alternately.
static size_t make_model(char *text, unsigned num_joints, unsigned num_vertices)
{
    size_t used = add(text, 0, "MD5Version 10 commandline \"\" numJoints %u numMeshes 1 joints {\n",
                      num_joints);
    for (unsigned i = 0; i < num_joints; i++)
        used = add(text, used, "j%u %d ( 0 0 1 ) ( 0 0 0 )\n", i, (int)i - 1);
    used = add(text, used, "} mesh { shader \"\" numverts %u\n", num_vertices);
    for (unsigned i = 0; i < num_vertices; i++)
        used = add(text, used, "vert %u ( %u %u ) %u 1\n", i, i % 2, 1 - i % 2, i);
    used = add(text, used, "numtris %u\n", num_vertices - 2);
    for (unsigned i = 0; i + 2 < num_vertices; i++)
        used = add(text, used, "tri %u 0 1 %u\n", i, i + 2);
    used = add(text, used, "numweights %u\n", num_vertices);
    for (unsigned i = 0; i < num_vertices; i++)
        used = add(text, used, "weight %u 0 1 ( %u 0 0 )\n", i, i);
    return add(text, used, "}\n");
}

static size_t make_anim(char *text, unsigned num_joints)
{
    size_t used = add(text, 0,
                      "MD5Version 10 commandline \"\" numFrames 1 numJoints %u frameRate 24\n"
                      "numAnimatedComponents 0 hierarchy {\n",
                      num_joints);
    for (unsigned i = 0; i < num_joints; i++)
        used = add(text, used, "j%u -1 0 0\n", num_joints - 1 - i);
    used = add(text, used, "} bounds { ( 0 0 0 ) ( 0 0 0 ) } baseframe {\n");
    for (unsigned i = 0; i < num_joints; i++)
        used = add(text, used, "( 0 0 0 ) ( 0 0 0 )\n");
    return add(text, used, "} frame 0 { }\n");
}

static md5_load_opts failing(test_heap *heap, size_t fail_at)
{
    *heap = (test_heap){.fail_at = fail_at};
    return (md5_load_opts){.allocator = {test_heap_alloc, test_heap_free, heap, 0}};
}

// Few vertices that share the same many weights, each on a joint of its own: deriving them takes
// more memory than reading them.
static size_t make_sharing_model(char *text, unsigned num_joints, unsigned num_vertices)
{
    size_t used = add(text, 0, "MD5Version 10 commandline \"\" numJoints %u numMeshes 1 joints {\n",
                      num_joints);
    for (unsigned i = 0; i < num_joints; i++)
        used = add(text, used, "j -1 ( 0 0 1 ) ( 0 0 0 )\n");
    used = add(text, used, "} mesh { shader \"\" numverts %u\n", num_vertices);
    for (unsigned i = 0; i < num_vertices; i++)
        used = add(text, used, "vert %u ( 0 0 ) 0 %u\n", i, num_joints);
    used = add(text, used, "numtris 0 numweights %u\n", num_joints);
    for (unsigned i = 0; i < num_joints; i++)
        used = add(text, used, "weight %u %u .01 ( 0 0 0 )\n", i, i);
    return add(text, used, "}\n");
}

// Makes each allocation fail in turn. Returns the number of allocations without a failure.
static size_t load_with_failures(const char *text, size_t size)
{
    for (size_t fail_at = 1;; fail_at++) {
        test_heap heap;
        const md5_load_opts opts = failing(&heap, fail_at);
        md5_error error = {0};
        md5_model *const model = md5_parse_model(text, size, &opts, &error);
        CHECK_UINT(error.status, model ? MD5_OK : MD5_ERROR_MEMORY);
        md5_free_model(model);
        CHECK_UINT(heap.live, 0);
        if (model || !CHECK(fail_at < 1000))
            return fail_at - 1;
    }
}

TEST (derive_survives_the_end_of_memory_at_any_table) {
    static const unsigned sizes[] = {3, 30, 150, 300, 500, 700, 1000, 1400, 2000, 3000, 4500};
    char *const text = malloc(ROOM);
    if (!text)
        abort();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        load_with_failures(text, make_model(text, 3, sizes[i]));
    CHECK(load_with_failures(text, make_sharing_model(text, 200, 10)) > 2);
    free(text);
}

// If the limit is too low to reserve everything in one piece, memory is taken piece by piece.
TEST (derive_survives_any_memory_limit) {
    static const unsigned sizes[] = {3, 30, 150, 300, 500, 1000, 3000};
    char *const text = malloc(ROOM);
    if (!text)
        abort();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t size = make_model(text, 3, sizes[i]);
        md5_model *model = NULL;
        for (size_t limit = 1000; !model && CHECK(limit < ROOM); limit += limit / 32) {
            test_heap heap;
            md5_load_opts opts = failing(&heap, 0);
            opts.allocator.limit = limit;
            md5_error error = {0};
            model = md5_parse_model(text, size, &opts, &error);
            CHECK_UINT(error.status, model ? MD5_OK : MD5_ERROR_MEMORY);
            CHECK(heap.peak_bytes <= limit);
            md5_free_model(model);
            CHECK_UINT(heap.live, 0);
        }
    }
    free(text);
}

// The animation has another order and other parents, so that names are sorted and hierarchies
// compared.
TEST (bind_survives_the_end_of_memory_at_any_table) {
    static const unsigned sizes[] = {3,    100,  200,  400,  600,  800,
                                     1100, 1500, 2100, 3000, 4200, 6000};
    char *const text = malloc(ROOM);
    if (!text)
        abort();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        md5_error error = {0};
        md5_model *const model = md5_parse_model(text, make_model(text, sizes[i], 3), NULL, &error);
        md5_anim *const anim = md5_parse_anim(text, make_anim(text, sizes[i]), NULL, &error);
        if (!CHECK(model && anim))
            break;
        for (size_t fail_at = 1;; fail_at++) {
            test_heap heap;
            const md5_load_opts opts = failing(&heap, fail_at);
            error = (md5_error){0};
            md5_binding *const binding = md5_bind(model, anim, &opts, &error);
            CHECK_UINT(error.status, binding ? MD5_OK : MD5_ERROR_MEMORY);
            if (binding)
                CHECK(!binding->same_order && binding->num_missing == 0);
            md5_free_binding(binding);
            CHECK_UINT(heap.live, 0);
            if (binding || !CHECK(fail_at < 1000))
                break;
        }
        md5_free_anim(anim);
        md5_free_model(model);
    }
    free(text);
}
