// md5_find_joint(), md5_find_mesh(): indices of names.
#include "test/test.h"

#include "md5/md5model.h"

static const char text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 4\nnumMeshes 3\njoints {\n"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"Arm\" 0 ( 1 0 0 ) ( 0 0 0 )\n"
    "\"arm\" 0 ( 2 0 0 ) ( 0 0 0 )\n\"arm\" 2 ( 3 0 0 ) ( 0 0 0 )\n}\n"
    "mesh {\nname \"coat\"\nshader \"a\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n"
    "mesh {\nname \"hat\"\nshader \"a\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n"
    "mesh {\nname \"hat\"\nshader \"hat\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n";

TEST (find_gives_the_first_of_a_name_and_minus_one_for_none) {
    md5_error error = {0};
    md5_model *const model = md5_parse_model(text, sizeof text - 1, NULL, &error);
    if (!CHECK(model != NULL))
        return;
    const md5_skeleton *const skeleton = &model->skeleton;
    CHECK(md5_find_joint(skeleton, "root") == 0);
    CHECK(md5_find_joint(skeleton, "Arm") == 1);
    CHECK(md5_find_joint(skeleton, "arm") == 2);
    CHECK(md5_find_joint(skeleton, "ar") == MD5_NONE);
    CHECK(md5_find_joint(skeleton, "") == MD5_NONE);
    CHECK(md5_find_joint(skeleton, NULL) == MD5_NONE);
    CHECK(md5_find_mesh(model, "coat") == 0);
    CHECK(md5_find_mesh(model, "hat") == 1);
    CHECK(md5_find_mesh(model, "a") == MD5_NONE);
    CHECK(md5_find_mesh(model, NULL) == MD5_NONE);
    md5_free_model(model);
}
