// Normals and tangents of version 12 files that violate the document of that version: the results
// have unit length and are at right angles all the same.
#include "test/test.h"
#include "test/load/test_asset.h"

#include <stdio.h>
#include <string.h>

// A model of one vertex, whose joint is turned by 90 degrees about z.
static md5_model *load(const char *frame, md5_error *error)
{
    char text[512];
    snprintf(text, sizeof text,
             "MD5Version 12 commandline \"\" numJoints 1 numMeshes 1\n"
             "joints { \"a\" -1 ( 0 0 0 ) ( 0 0 -0.70710678 ) }\n"
             "mesh { shader \"\" numverts 1 vert 0 ( 0 0 ) 0 1 %s numtris 0\n"
             "numweights 1 weight 0 0 1 ( 1 2 3 ) }\n",
             frame);
    return md5_parse_model(text, strlen(text), NULL, error);
}

static void check_frame(const char *frame, md5_vec3 normal, md5_vec4 tangent)
{
    md5_error error;
    md5_model *const model = load(frame, &error);
    if (!test_check(model, __FILE__, __LINE__, "%s: %s", frame, error.message))
        return;
    const char *const fault = asset_model_fault(model);
    test_check(!fault, __FILE__, __LINE__, "%s: %s", frame, fault ? fault : "");
    const md5_vec3 n = model->meshes[0].normals[0];
    const md5_vec4 t = model->meshes[0].tangents[0];
    CHECK_NEAR((double)n.x, (double)normal.x, 1e-6);
    CHECK_NEAR((double)n.y, (double)normal.y, 1e-6);
    CHECK_NEAR((double)n.z, (double)normal.z, 1e-6);
    CHECK_NEAR((double)t.x, (double)tangent.x, 1e-6);
    CHECK_NEAR((double)t.y, (double)tangent.y, 1e-6);
    CHECK_NEAR((double)t.z, (double)tangent.z, 1e-6);
    CHECK(t.w == tangent.w);
    md5_free_model(model);
}

// The joint takes x to y and y to -x.
TEST (version_12_tangents_stand_at_right_angles_to_normals) {
    const float half = 0.70710678f;
    const md5_vec3 up = {0.0f, 0.0f, 1.0f}, left = {0.0f, 1.0f, 0.0f};
    check_frame("( 0 0 1 ) ( 1 0 0 1 )", up, (md5_vec4){0.0f, 1.0f, 0.0f, 1.0f});
    check_frame("( 0 0 1 ) ( 1 0 1 -1 )", up, (md5_vec4){0.0f, 1.0f, 0.0f, -1.0f});
    check_frame("( 1 0 0 ) ( 1 1 0 0 )", left, (md5_vec4){-1.0f, 0.0f, 0.0f, 1.0f});
    check_frame("( 0 1 1 ) ( 0 1 0 1 )", (md5_vec3){-half, 0.0f, half},
                (md5_vec4){-half, 0.0f, -half, 1.0f});
}

TEST (version_12_normals_of_any_length_are_made_unit) {
    const md5_vec3 up = {0.0f, 0.0f, 1.0f};
    const md5_vec4 left = {0.0f, 1.0f, 0.0f, 1.0f};
    check_frame("( 0 0 3e38 ) ( 3e38 0 3e38 1 )", up, left);
    check_frame("( 0 0 1e-45 ) ( 1e-45 0 0 1 )", up, left);
    check_frame("( 0 0 0 ) ( 1 0 0 1 )", up, left);
}

// Any direction perpendicular to the normal will do.
TEST (version_12_tangents_without_a_direction_get_one) {
    static const char *const frames[] = {"( 0 0 1 ) ( 0 0 0 1 )", "( 0 0 1 ) ( 0 0 -2 1 )",
                                         "( 1 0 0 ) ( 1 0 0 1 )", "( 0 1 0 ) ( 0 3e38 0 1 )"};
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        md5_error error;
        md5_model *const model = load(frames[i], &error);
        CHECK(model && !asset_model_fault(model));
        md5_free_model(model);
    }
}
