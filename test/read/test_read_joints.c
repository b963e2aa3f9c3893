// Hierarchies in any order of joints: an order with parents first, warnings, cycles.
#include "test/read/read_case.h"
#include "test/test.h"

#include "md5/read/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool load(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5_mesh_file file;
    md5i_context_begin(&context, opts, NULL, error);
    md5_arena arena = {.context = &context};
    const bool loaded = md5i_read_mesh_file(&arena, &arena, text, size, &file);
    md5i_arena_free(&arena);
    return loaded;
}

// Reads a text for a test to inspect. The caller frees `arena`.
static bool read_text(md5_context *context, md5_arena *arena, md5_error *error, const char *text,
                      size_t size, md5_mesh_file *file)
{
    md5i_context_begin(context, NULL, NULL, error);
    *arena = (md5_arena){.context = context};
    const bool is_read = md5i_read_mesh_file(arena, arena, text, size, file);
    return test_check(is_read, __FILE__, __LINE__, "%u:%u: %s", error->line, error->column,
                      error->message);
}

// Children before their parents in the file: the order is right, and found in linear time.
TEST (joints_stand_behind_their_parents_in_order) {
    enum { NUM_JOINTS = 20000 };
    char *const text = malloc(NUM_JOINTS * 48 + 200);
    if (!text)
        abort();
    size_t size = (size_t)sprintf(text,
                                  "MD5Version 10 commandline \"\" numJoints %d numMeshes 0\n"
                                  "joints {\n",
                                  NUM_JOINTS);
    for (int j = 0; j < NUM_JOINTS; j++) // a chain, root last
        size += (size_t)sprintf(text + size, "j%d %d (0 0 0)(0 0 0)\n", j,
                                j + 1 < NUM_JOINTS ? j + 1 : -1);
    size += (size_t)sprintf(text + size, "}");
    md5_context context;
    md5_error error = {0};
    md5_arena arena;
    md5_mesh_file file;
    if (read_text(&context, &arena, &error, text, size, &file)) {
        bool in_order = true;
        for (uint32_t i = 0; i < NUM_JOINTS; i++)
            in_order = in_order && file.order[i] == NUM_JOINTS - 1 - i;
        CHECK(in_order);
        CHECK_UINT(context.num_warnings, 1);
    }
    md5i_arena_free(&arena);
    free(text);
}

TEST (joints_before_their_parents_are_warned_of) {
    static const char late[] = "MD5Version 10 commandline \"\" numJoints 5 numMeshes 0\n"
                               "joints {\n"
                               "a 1 (0 0 0) (0 0 0)\n"
                               "b -1 (0 0 0) (0 0 0)\n"
                               "c 4 (0 0 0) (0 0 0)\n"
                               "d 0 (0 0 0) (0 0 0)\n"
                               "e -1 (0 0 0) (0 0 0)\n"
                               "}\n";
    static const read_case cases[] = {{"", late,
                                       "3:1: warning: joint 'a' comes before its parent, joint 1: "
                                       "the first of 2"}};
    read_cases_check(late, cases, 1, load, __FILE__, __LINE__);

    md5_context context;
    md5_error error = {0};
    md5_arena arena;
    md5_mesh_file file;
    if (read_text(&context, &arena, &error, late, strlen(late), &file)) {
        bool done[5] = {false};
        for (uint32_t i = 0; i < 5; i++) {
            const uint32_t parent = file.joints[file.order[i]].parent;
            CHECK(!done[file.order[i]] && (parent == MD5_NONE || done[parent]));
            done[file.order[i]] = true;
        }
    }
    md5i_arena_free(&arena);
}

// Any forest, its joints in any order: the order has every joint once, parents first. If one link
// is changed to close a cycle, the joint in the error is part of it.
TEST (joints_of_random_forests_are_ordered_or_refused) {
    enum { MOST = 40 };
    uint64_t random = 11;
    for (int round = 0; round < 500; round++) {
        const uint32_t count = 2 + test_random_u32(&random) % (MOST - 1);
        uint32_t place[MOST]; // index in the file of the i-th joint, parents first
        int32_t parents[MOST] = {0};
        char text[MOST * 40 + 200];
        for (uint32_t i = 0; i < count; i++)
            place[i] = i;
        for (uint32_t i = count - 1; i > 0; i--) {
            const uint32_t other = test_random_u32(&random) % (i + 1), kept = place[i];
            place[i] = place[other];
            place[other] = kept;
        }
        for (uint32_t i = 0; i < count; i++) {
            const bool is_root = i == 0 || test_random_u32(&random) % 8 == 0;
            parents[place[i]] = is_root ? -1 : (int32_t)place[test_random_u32(&random) % i];
        }
        const bool has_circle = round % 2 == 1;
        if (has_circle) { // a joint becomes the parent of its topmost ancestor
            const uint32_t low = test_random_u32(&random) % count;
            uint32_t top = low;
            while (parents[top] >= 0)
                top = (uint32_t)parents[top];
            parents[top] = (int32_t)low;
        }
        size_t size = (size_t)sprintf(text,
                                      "MD5Version 10 commandline \"\" numMeshes 0 numJoints %u\n"
                                      "joints {\n",
                                      count);
        for (uint32_t j = 0; j < count; j++)
            size += (size_t)sprintf(text + size, "j%u %d (0 0 0)(0 0 0)\n", j, parents[j]);
        text[size++] = '}';

        md5_context context;
        md5_error error = {0};
        md5_mesh_file file;
        md5i_context_begin(&context, NULL, NULL, &error);
        md5_arena arena = {.context = &context};
        const bool is_read = md5i_read_mesh_file(&arena, &arena, text, size, &file);
        CHECK(is_read != has_circle);
        bool done[MOST] = {false};
        for (uint32_t i = 0; is_read && i < count; i++) {
            const uint32_t joint = file.order[i];
            CHECK(joint < count && !done[joint] && (parents[joint] < 0 || done[parents[joint]]));
            done[joint] = true;
        }
        if (!is_read) {
            const uint32_t named = error.line - 3; // from line 3 on each line is a joint
            int32_t joint = parents[named];
            for (uint32_t step = 0; step < count && joint >= 0 && (uint32_t)joint != named; step++)
                joint = parents[joint];
            CHECK(joint == (int32_t)named);
        }
        md5i_arena_free(&arena);
    }
}

// -- Mesh counts ----------------------------------------------------------------------------------
//
// The counts in a model's text, looked up before it is parsed.

static md5_mesh_counts count(const char *text)
{
    return md5i_count_mesh_file(text, strlen(text));
}

TEST (counts_of_a_file_are_those_that_it_says) {
    size_t size = 0;
    char *const text = test_read_file(test_path("models/bobbin/bobbin.md5mesh"), &size);
    if (!CHECK(text))
        return;
    const md5_mesh_counts counts = md5i_count_mesh_file(text, size);
    md5_model *const model = md5_parse_model(text, size, NULL, NULL);
    if (CHECK(model)) {
        md5_mesh_counts expected = {model->skeleton.num_joints, model->num_meshes, 0, 0, 0, 0};
        for (uint32_t m = 0; m < model->num_meshes; m++) {
            const md5_mesh *const mesh = &model->meshes[m];
            expected.num_vertices += mesh->num_file_vertices;
            expected.num_triangles += mesh->num_triangles;
            expected.num_weights += mesh->num_weights;
            if (mesh->num_file_vertices > expected.max_vertices)
                expected.max_vertices = mesh->num_file_vertices;
        }
        CHECK(memcmp(&counts, &expected, sizeof counts) == 0);
    }
    md5_free_model(model);
    free(text);
}

TEST (counts_are_no_more_than_the_text_could_hold) {
    const md5_mesh_counts none = count("");
    CHECK(none.num_joints == 0 && none.num_vertices == 0 && md5i_mesh_file_size(&none) < 100);
    CHECK_UINT(count("numverts 4000000000 vert").num_vertices, 0);
    CHECK_UINT(count("numverts 99999999999999999999999 vert 0(0 0)0 0").num_vertices, 1);
    CHECK_UINT(count("numverts   2 vert 0 ( 0 0 ) 0 0 vert 1 ( 0 0 ) 0 0").num_vertices, 2);
    CHECK_UINT(count("numverts").num_vertices, 0);
    CHECK_UINT(count("numverts ").num_vertices, 0);
    CHECK_UINT(count("numverts x").num_vertices, 0);
    CHECK_UINT(count("numvertsnumverts 0 num").num_vertices, 0);

    // Counts as close together as possible: the tables are no larger than the text.
    char text[20001];
    for (size_t i = 0; i + 10 < sizeof text; i += 10)
        memcpy(text + i, "numtris 9 ", 11);
    CHECK(count(text).num_triangles * 11 <= sizeof text);
}

// The search for counts gives up after very many occurrences of `n`, so that its cost is bounded.
TEST (counts_are_not_found_behind_very_many_others) {
    enum { SIZE = 100000 };
    char *const text = malloc(SIZE);
    if (!text)
        abort();
    memset(text, 'n', SIZE);
    memcpy(text + SIZE - 1000, " numverts 3 ", 12);
    CHECK_UINT(md5i_count_mesh_file(text, SIZE).num_vertices, 0);
    memset(text, 'o', SIZE - 1000);
    CHECK_UINT(md5i_count_mesh_file(text, SIZE).num_vertices, 3);
    free(text);
}
