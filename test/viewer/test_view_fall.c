// Articulated figures of models: figures in the same folder, falling, and the page that shows the
// limits of their joints.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

typedef struct figure_case {
    view_log log;
    // `beside` is a model with its figure in the same folder; `in_game` is the monster of our game
    // folder.
    view_scene beside, in_game;
    bool is_open;
} figure_case;

static bool open_figures(figure_case *fixture)
{
    char *const model = common_copy(test_path("models/bobbin/bobbin.md5mesh"));
    char *const game = view_make_address(test_path("models/game/base"), "monster_bobbin", NULL);
    const char *const files[1] = {model};
    *fixture = (figure_case){.log = {.level = VIEW_QUIET}};
    fixture->is_open = view_load_scene(&fixture->beside, files, 1, NULL, true, &fixture->log)
                       && view_load_game_scene(&fixture->in_game, NULL, game, &fixture->log);
    if (fixture->is_open)
        view_load_figure(&fixture->beside, &fixture->log);
    free(game);
    free(model);
    return fixture->is_open;
}

static void close_figures(figure_case *fixture)
{
    view_free_scene(&fixture->beside);
    view_free_scene(&fixture->in_game);
}

#define TEST_FIGURES(title)               \
    TEST_IF (title, figure_case, fixture, \
             open_figures(fixture) || (close_figures(fixture), false), close_figures(fixture))

// Both models have the same joints and must have the same figure. The model of the game has no
// vertices at the head.
TEST_FIGURES(view_finds_the_figure_in_the_folder_of_a_model)
{
    REQUIRE(fixture->beside.fall != NULL && fixture->in_game.fall != NULL);
    const md5_figure *const model_figure = fixture->beside.fall->bodies;
    const md5_figure *const game = fixture->in_game.fall->bodies;
    REQUIRE(CHECK_UINT(model_figure->num_bodies, game->num_bodies));
    CHECK(model_figure->num_bodies > 10);
    for (uint32_t i = 0; i < model_figure->num_bodies; i++) {
        CHECK_STRING(model_figure->bodies[i].def->name, game->bodies[i].def->name);
        CHECK_NEAR(model_figure->bodies[i].mass, game->bodies[i].mass, 1e-4);
        CHECK_SMALL(md5_vec3_length(md5_vec3_sub(model_figure->setup[i].translation,
                                                 game->setup[i].translation)),
                    1e-3);
    }
}

TEST_FIGURES(view_has_no_figure_without_a_file)
{
    char *const model = common_copy(test_path("models/lantern/lantern.md5mesh"));
    const char *const files[1] = {model};
    view_scene scene;
    REQUIRE(view_load_scene(&scene, files, 1, NULL, true, &fixture->log));
    view_load_figure(&scene, &fixture->log);
    CHECK(scene.fall == NULL);
    view_free_scene(&scene);
    free(model);
}

// -- Falling --------------------------------------------------------------------------------------

static void pose_at(view_scene *scene, double time)
{
    view_pose(scene, &(view_play){.time = time, .wrap = MD5_WRAP_LOOP});
}

static md5_vec3 joint_position(const view_scene *scene, const char *name)
{
    return md5_mat34_translation(scene->joints[md5_find_joint(scene->skeleton, name)]);
}

static bool is_same_pose(const view_scene *a, const view_scene *b)
{
    return memcmp(a->joints, b->joints, a->num_joints * sizeof *a->joints) == 0;
}

// Before the time of death the clip plays. The pose after this time is bit-identical, independent
// of previous seeks. After a seek to an earlier time the clip plays again.
TEST_FIGURES(view_fall_is_independent_of_earlier_seeks)
{
    const double dies = 0.3;
    const double after = 1.7;
    figure_case second;
    REQUIRE(open_figures(&second));
    for (int scene_index = 0; scene_index < 2; scene_index++) {
        view_scene *const scene = scene_index == 0 ? &fixture->beside : &fixture->in_game;
        view_scene *const same = scene_index == 0 ? &second.beside : &second.in_game;
        pose_at(same, 0.25);
        view_set_death_time(scene->fall, dies);
        pose_at(scene, 0.25);
        CHECK(is_same_pose(scene, same));
        view_set_death_time(same->fall, dies);
        for (int i = 0; i < 200; i++)
            pose_at(scene, fmin(0.25 + i / 60.0, after));
        pose_at(same, after);
        CHECK(is_same_pose(scene, same));
        pose_at(same, dies + 0.2);
        CHECK(!is_same_pose(scene, same));
        pose_at(same, after);
        CHECK(is_same_pose(scene, same));
        pose_at(scene, 0.25);
        view_set_death_time(same->fall, INFINITY);
        pose_at(same, 0.25);
        CHECK(is_same_pose(scene, same));
    }
    close_figures(&second);
}

// On each kind of ground, the lying character is lower than the standing character by almost half
// of its height.
TEST_FIGURES(view_falls_onto_its_ground)
{
    static const view_ground_kind kinds[] = {VIEW_LEVEL, VIEW_STAIRS, VIEW_SLOPE, VIEW_HILLS};
    const float deepest = 0.5f;
    view_scene *const scene = &fixture->in_game;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        view_find_feet(&scene->terrain, scene, kinds[k]);
        md5_destroy_ragdoll(scene->fall->ragdoll); // the ragdoll was created for another ground
        scene->fall->ragdoll = NULL;
        view_set_death_time(scene->fall, 0.5);
        pose_at(scene, 0.5);
        const md5_vec3 stood = joint_position(scene, "head");
        const float tall = stood.z - view_ground_height(&scene->terrain, stood.x, stood.y);
        for (int i = 0; i <= 90; i++) {
            pose_at(scene, 0.5 + 0.1 * i);
            const md5_figure *const figure = scene->fall->bodies;
            for (uint32_t b = 0; b < (i >= 15 ? figure->num_bodies : 0);
                 b++) { // the stairs behind it may have been in its way
                const md5_body_part *const body = &figure->bodies[b];
                const md5_xform transform = md5_ragdoll_bodies(scene->fall->ragdoll)[b].transform;
                for (uint32_t v = 0; v < body->num_vertices; v++) {
                    const md5_vec3 at =
                        md5_xform_point(transform, figure->vertices[body->first_vertex + v]);
                    // Also accept the height of the next stair, because the body may have
                    // penetrated a riser.
                    const float ground = view_ground_height(&scene->terrain, at.x, at.y);
                    const float beside =
                        fminf(view_ground_height(&scene->terrain, at.x - deepest, at.y),
                              view_ground_height(&scene->terrain, at.x + deepest, at.y));
                    CHECK_THAT(at.z > fminf(ground, beside) - deepest, "ground %d, %.1f s: %g < %g",
                               (int)k, 0.1 * i, (double)at.z, (double)ground);
                }
            }
        }
        const md5_vec3 lies = joint_position(scene, "head");
        CHECK(lies.z < stood.z - 0.4f * tall);
        CHECK_THAT(md5_ragdoll_is_at_rest(scene->fall->ragdoll), "ground %d", (int)k);
        CHECK_SMALL(md5_vec3_length(md5_vec3_sub(lies, joint_position(scene, "1:head"))), 1e-3);
    }
}

// The effects of the death keys are listed once, the newest first. Parm 7 is the time at which the
// skin begins to burn. It is a time of materials, which is 60 s ahead here.
TEST_FIGURES(view_lists_items_dropped_at_death)
{
    STRINGS(texts) = {"drops attachment_lantern at hand_l",
                      "burns away (parm 7) after seconds: 1.5",
                      "if gibbed, skin skins/bobbin/ghost"};
    SCOPED_STRING address =
        view_make_address(test_path("models/game/base"), "monster_bobbin_wisp", NULL);
    view_document document = {.uses_options = false};
    view_scene *const scene = &document.scene;
    view_play play = {.wrap = MD5_WRAP_LOOP};
    view_parms parms = {.ahead = 60};
    const view_stage stage = {.document = &document, .parms = &parms, .play = &play};
    const int burn = VIEW_FIRST_PARM + 7;
    REQUIRE(view_load_game_scene(scene, NULL, address, &fixture->log));
    view_set_death_time(scene->fall, 0.5);
    const uint32_t before = scene->entity.num_fired;
    for (int i = 0; i < 2; i++) {
        pose_at(scene, 2.5);
        pose_at(scene, 1);
    }
    CHECK_UINT(scene->entity.num_fired, before + COUNT_OF(texts));
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        CHECK_STRING(scene->entity.fired[i].text, texts[i]);
        CHECK_NEAR(scene->entity.fired[i].time, 0.5, 1e-9);
    }
    static const double times[][2] = {{0.4, 0}, {1.9, 0}, {2.1, 62}, {2.9, 62}};
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        play.time = times[i][0];
        CHECK_NEAR(view_parm_value(&stage, burn), times[i][1], 1e-5);
    }
    view_free_scene(scene);
}

// A limb that the mouse drags follows the mouse: the body hangs, and falls again when the limb is
// released.
TEST_FIGURES(view_drags_a_fallen_body_by_a_limb)
{
    view_scene *const scene = &fixture->beside;
    view_set_death_time(scene->fall, 0);
    pose_at(scene, 2);
    const md5_vec3 hand = joint_position(scene, "hand_l");
    const md5_vec3 above = {hand.x, hand.y, hand.z + 60};
    const md5_vec3 below = {hand.x, hand.y, -1};
    REQUIRE(view_grasp(scene->fall, above, below));
    const md5_vec3 target = {hand.x, hand.y, 70};
    for (int i = 1; i <= 90; i++) {
        view_drag(scene->fall, &target);
        pose_at(scene, 2 + i / 30.0);
    }
    CHECK(joint_position(scene, "head").z > 25.0f);
    view_drag(scene->fall, NULL);
    pose_at(scene, 8);
    CHECK(joint_position(scene, "head").z < 25.0f);
    CHECK(!view_grasp(scene->fall, above, (md5_vec3){above.x, above.y, above.z + 1}));
}
