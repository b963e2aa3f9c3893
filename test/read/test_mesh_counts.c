// The counts in a model's text, looked up before it is parsed.
#include "test/test.h"

#include "md5/read/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
