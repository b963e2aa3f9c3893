// Two-bone modifiers in rigs whose hands and feet hang on helper joints.
#include "test/ik/test_ik_case.h"

#include "md5/md5play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A thigh with a helper that twists; at the knee a helper on which the foot hangs.
static const char model_text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 6\nnumMeshes 0\njoints {\n"
    "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
    "\"thigh\" 0 ( 0 0 20 ) ( 0 0 0 )\n"
    "\"twist\" 1 ( 1 0 15 ) ( 0 0 0.5 )\n"
    "\"shin\" 2 ( 2 0 10 ) ( 0 0 0 )\n"
    "\"helper\" 3 ( 2 0 10 ) ( 0 0.2 0 )\n"
    "\"foot\" 4 ( 0 0 0 ) ( 0 0 0 )\n}\n";

static md5_machine *make_machine(const md5_model *model, const char *modifier, md5_error *error)
{
    char text[512];
    const int size = snprintf(text, sizeof text, "machine m { modifier leg %s }", modifier);
    md5_machine_file *const file = md5_parse_machine_file(text, (size_t)size, NULL, error);
    md5_machine *machine = NULL;
    if (CHECK(file)) {
        file->desc.model = model;
        machine = md5_create_machine(&file->desc, NULL, error);
    }
    md5_free_machine_file(file);
    return machine;
}

// Returns the distance of the foot from a target that the leg can reach.
static double miss_of(const md5_machine *machine, const md5_model *model)
{
    md5_player *const player = md5_create_player(machine, NULL, NULL);
    void *const scratch = malloc(md5_player_pose_scratch(machine));
    md5_xform pose[8];
    md5_target *const target = md5_player_target(player, 0);
    *target = (md5_target){.weight = 1.0f, .position = {5.0f, 2.0f, 6.0f}};
    md5_player_advance(player, 0.0, NULL, NULL);
    md5_player_pose(player, pose, NULL, NULL, scratch);
    const real3 foot = ik_place(&model->skeleton, pose, 5).at;
    const double miss = real3_length(real3_sub(foot, real3_of(target->position)));
    free(scratch);
    md5_destroy_player(player);
    return miss;
}

TEST (play_limb_of_named_joints_reaches) {
    md5_error error;
    md5_model *const model = md5_parse_model(model_text, sizeof model_text - 1, NULL, &error);
    static const char *const limbs[] = {
        "two_bone foot { middle shin root thigh }", "two_bone foot { root twist middle shin }",
        "two_bone foot { middle shin }", // the root is its parent, `twist`
    };
    for (uint32_t i = 0; CHECK(model) && i < 3; i++) {
        md5_machine *const machine = make_machine(model, limbs[i], &error);
        CHECK_STRING(error.message, "");
        if (machine && i == 0) // the other limbs are too short to reach it
            CHECK_NEAR(miss_of(machine, model), 0.0, 1e-4);
        if (machine) {
            const md5_modifier_desc *const kept = md5_machine_tables(machine)->modifiers;
            CHECK_STRING(kept->middle, "shin");
        }
        md5_destroy_machine(machine);
    }
    md5_free_model(model);
}

TEST (play_limb_that_cannot_bend_is_refused) {
    static const char *const cases[][2] = {
        {"two_bone foot",
         "modifier 'leg': joints 'shin' and 'helper' are at the same position: name a "
         "limb's joints by 'middle' and 'root'"},
        {"two_bone foot { middle thigh }", ""},
        {"two_bone foot { middle knee root thigh }",
         "modifier 'leg' names joint 'knee', which does not exist"},
        {"two_bone foot { middle shin root hip }",
         "modifier 'leg' names joint 'hip', which does not exist"},
        {"two_bone foot { middle foot root thigh }",
         "modifier 'leg': joint 'foot' is not a descendant of 'foot'"},
        {"two_bone foot { middle shin root helper }",
         "modifier 'leg': joint 'shin' is not a descendant of 'helper'"},
        {"two_bone shin { middle foot root thigh }",
         "modifier 'leg': joint 'shin' is not a descendant of 'foot'"},
        {"two_bone foot { middle origin }", "modifier 'leg': joint 'origin' of the limb has no "
                                            "parent"},
        {"two_bone thigh", "modifier 'leg': a chain of 3 joints ends at 'thigh', which is 2 deep"},
        {"aim foot { middle shin }",
         "modifier 'leg' names a middle joint, which only 'two_bone' has"},
        {"spring foot { root shin }",
         "modifier 'leg' names a root joint, which only 'two_bone' has"},
    };
    md5_error error;
    md5_model *const model = md5_parse_model(model_text, sizeof model_text - 1, NULL, &error);
    for (uint32_t i = 0; CHECK(model) && i < sizeof cases / sizeof cases[0]; i++) {
        md5_machine *const machine = make_machine(model, cases[i][0], &error);
        CHECK_STRING(error.message, cases[i][1]);
        CHECK((machine != NULL) == (cases[i][1][0] == '\0'));
        md5_destroy_machine(machine);
    }
    md5_free_model(model);
}
