// Quarter turns: a model whose file has y upward is shown upright, and turns are exact.
#include "test/viewer/test_view_shot.h"

#include "demo/viewer/app/open.h"
#include "demo/viewer/app/input.h"
#include "demo/viewer/motion/turn.h"

#include <math.h>
#include <stdlib.h>

static bool is_at(md5_vec3 v, float x, float y, float z)
{
    return v.x == x && v.y == y && v.z == z;
}

TEST (view_turns_are_quarters) {
    const md5_vec3 v = {1.0f, 2.0f, 3.0f};
    const view_turn none = {.is_set = false};
    const view_turn about_x = view_turn_further(none, 0), about_y = view_turn_further(none, 1),
                    about_z = view_turn_further(none, 2);
    CHECK(is_at(view_turn_vector(&none, v), 1.0f, 2.0f, 3.0f));
    CHECK(is_at(view_turn_vector(&about_x, v), 1.0f, -3.0f, 2.0f)); // y to z
    CHECK(is_at(view_turn_vector(&about_y, v), 3.0f, 2.0f, -1.0f)); // z to x
    CHECK(is_at(view_turn_vector(&about_z, v), -2.0f, 1.0f, 3.0f)); // x to y
    const view_turn both = view_turn_further(about_x, 2);           // first about x
    CHECK(is_at(view_turn_vector(&both, v), 3.0f, 1.0f, 2.0f));
    for (int axis = 0; axis < 3; axis++) {
        view_turn turn = {.is_set = false};
        for (int i = 0; i < 4; i++) {
            turn = view_turn_further(turn, axis);
            CHECK(turn.is_set == (i < 3));
        }
    }
}

TEST (view_turns_are_described) {
    char text[32];
    view_turn turn = {.is_set = false};
    view_describe_turn(&turn, text, sizeof text);
    CHECK_STRING(text, "up +z, front +x");
    turn = view_turn_y_up();
    view_describe_turn(&turn, text, sizeof text);
    CHECK_STRING(text, "up +y, front +x");
    turn = view_turn_further(turn, 2);
    view_describe_turn(&turn, text, sizeof text);
    CHECK_STRING(text, "up +y, front +z");
}

TEST (view_turns_move_boxes_and_matrices) {
    const view_turn turn = view_turn_y_up();
    const md5_bounds box =
        view_turn_bounds(&turn, (md5_bounds){{-1.0f, -2.0f, -3.0f}, {1.0f, 20.0f, 30.0f}});
    CHECK(is_at(box.min, -1.0f, -30.0f, -2.0f) && is_at(box.max, 1.0f, 3.0f, 20.0f));
    md5_mat34 matrix = {{1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7}};
    view_turn_matrices(&turn, &matrix, 1);
    CHECK(is_at(md5_mat34_translation(matrix), 5.0f, -7.0f, 6.0f));
}

#define MODEL "models/thimble/thimble.md5mesh --animation-index 1 --no-background"

// Thimble's file has z up, so --up y exchanges its height and its depth.
TEST_SCENE (view_option_up_turns_the_model) {
    shot_viewer viewer;
    md5_vec3 sizes[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        if (shot_open(&viewer, scene,
                      i == 0 ? MODEL " --samples 1" : MODEL " --samples 1 --up y")) {
            const view_document *const document = viewer.state.document;
            sizes[i] = md5_vec3_sub(document->bounds.max, document->bounds.min);
            CHECK(document->scene.turn.is_set == (i == 1));
        }
        shot_close(&viewer);
    }
    CHECK_NEAR(sizes[1].x, sizes[0].x, 1e-3);
    CHECK_NEAR(sizes[1].y, sizes[0].z, 1e-3);
    CHECK_NEAR(sizes[1].z, sizes[0].y, 1e-3);
}

// Three more quarter turns about x show the model as in its file.
TEST_SCENE (view_turns_by_keys_undo_the_option) {
    shot_viewer viewer;
    shot plain = shot_take(scene, MODEL " --samples 1 --resolution 160,120");
    if (shot_open(&viewer, scene, MODEL " --samples 1 --resolution 160,120 --up y")) {
        shot turned = shot_draw(&viewer);
        CHECK(shot_difference(&plain, &turned) > 0.02);
        free(turned.rgba);
        for (int i = 0; i < 3; i++)
            view_perform(&viewer.state, (view_command){.action = VIEW_TURN_X});
        CHECK(!viewer.state.document->scene.turn.is_set);
        shot again = shot_draw(&viewer);
        CHECK(shot_difference(&plain, &again) < 0.001);
        free(again.rgba);
        view_perform(&viewer.state, (view_command){.action = VIEW_TURN_Z});
        CHECK(viewer.state.document->scene.turn.is_set);
    }
    free(plain.rgba);
    shot_close(&viewer);
}

// A machine's character is rotated about its own position.
TEST_SCENE (view_turns_machines_about_their_place) {
    shot_viewer viewer;
    if (shot_open(&viewer, scene, "models/bobbin/bobbin.md5machine --samples 1")) {
        view_scene *const shown = &viewer.state.document->scene;
        const md5_vec3 place = {100.0f, 50.0f, 0.0f};
        shown->machine.place.translation = place;
        view_pose(shown, &viewer.state.play);
        const md5_vec3 stands =
            md5_vec3_sub(md5_mat34_translation(shown->joints[shown->num_joints - 1]), place);
        shown->turn = view_turn_further(shown->turn, 0);
        view_pose(shown, &viewer.state.play);
        const md5_vec3 lies =
            md5_vec3_sub(md5_mat34_translation(shown->joints[shown->num_joints - 1]), place);
        CHECK_NEAR(lies.x, stands.x, 1e-3);
        CHECK_NEAR(lies.y, -stands.z, 1e-3);
        CHECK_NEAR(lies.z, stands.y, 1e-3);
    }
    shot_close(&viewer);
}
