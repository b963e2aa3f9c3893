// Figures beside models, and the page that shows their limits.
#include "test/own.h"
#include "test/viewer/test_view_case.h"

typedef struct figure_case {
    view_log log;
    view_scene beside, in_game; // a model with its figure beside it; the monster of our game
    bool is_open;
} figure_case;

static bool open_figures(figure_case *it)
{
    char *const model = common_copy(test_path("models/bobbin/bobbin.md5mesh"));
    char *const game = view_make_address(test_path("models/game/base"), "monster_bobbin", NULL);
    const char *const files[1] = {model};
    *it = (figure_case){.log = {.level = VIEW_QUIET}};
    it->is_open = view_load_scene(&it->beside, files, 1, NULL, true, &it->log)
                  && view_load_game_scene(&it->in_game, NULL, game, &it->log);
    free(game);
    free(model);
    return it->is_open;
}

static void close_figures(figure_case *it)
{
    view_free_scene(&it->beside);
    view_free_scene(&it->in_game);
}

#define TEST_FIGURES(title)                                                          \
    TEST_IF (title, figure_case, it, open_figures(it) || (close_figures(it), false), \
             close_figures(it))

// The model of the game has no vertices of a head, but the same joints.
TEST_FIGURES(view_finds_the_figure_beside_a_model)
{
    REQUIRE(it->beside.fall != NULL && it->in_game.fall != NULL);
    const md5_figure *const own = it->beside.fall->bodies, *const game = it->in_game.fall->bodies;
    REQUIRE(CHECK_UINT(own->num_bodies, game->num_bodies));
    CHECK(own->num_bodies > 10);
    FOR (i, own->num_bodies) {
        CHECK_STRING(own->bodies[i].def->name, game->bodies[i].def->name);
        CHECK_NEAR(own->bodies[i].mass, game->bodies[i].mass, 1e-4);
        CHECK_SMALL(
            md5_vec3_length(md5_vec3_sub(own->setup[i].translation, game->setup[i].translation)),
            1e-3);
    }
}

TEST_FIGURES(view_has_no_figure_where_none_lies)
{
    char *const model = common_copy(test_path("models/lantern/lantern.md5mesh"));
    const char *const files[1] = {model};
    view_scene scene;
    REQUIRE(view_load_scene(&scene, files, 1, NULL, true, &it->log));
    CHECK(scene.fall == NULL);
    view_free_scene(&scene);
    free(model);
}

// -- The page -------------------------------------------------------------------------------------

TEST_PAGE (page_cones_names_the_joints_of_the_figure, "cones") {
    const md5_figure *const figure = fixture->scene.fall->bodies;
    const char *const *const words = fixture->page->sliders[0].words;
    REQUIRE(CHECK_NEAR(fixture->page->sliders[0].high, figure->num_constraints, 0));
    FOR (i, figure->num_constraints)
        CHECK_STRING(words[i + 1], figure->constraints[i].def->name);
}

// The limits of the file are whole openings; hinges go to and fro once in 4 seconds.
TEST_PAGE (page_cones_goes_along_the_limits_of_the_file, "cones") {
    const md5_figure *const figure = fixture->scene.fall->bodies;
    FOR (i, figure->num_constraints) {
        const md5_figure_constraint *const limits = figure->constraints[i].def;
        const bool is_hinge = limits->type == MD5_CONSTRAINT_HINGE;
        const double most = 0.5 * (double)limits->limit_angles[is_hinge ? 1 : 0];
        CLAIM("joint = %u; share of the limit = 0.5 @ %d | angle = %g ~ 1e-2; limit = %g ~ 1e-3;"
              " margin = %g ~ 1e-2; joints beyond their limits = 0",
              i + 1, (int)(4 - i % 4), 0.5 * most, most, 0.5 * most);
        CLAIM("share of the limit = 1.25 @ %d | margin = %g ~ 2e-2; joints beyond their limits = 1",
              (int)(4 - i % 4), -0.25 * most);
    }
}

// As he walks no knee is near its limits, and each step is as the one before it.
TEST_PAGE (page_cones_measures_a_clip, "cones") {
    const double step = 1; // second
    CLAIM("joint = 8; moves = 1 @ 0.3 | margin > 10; joints beyond their limits = 0");
    const double angle = FACT("angle");
    CLAIM("@ %g | angle = %.17g ~ 1e-3", 0.3 + step, angle);
    CLAIM("@ 0.7 | angle > 0");
    CHECK(fabs(FACT("angle") - angle) > 1.0);
}
