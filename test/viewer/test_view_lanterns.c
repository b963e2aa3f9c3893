// The game of lanterns, without a window: it plays itself and wins, on feet that stand still, and
// keys drive it.
#include "test/viewer/test_view_case.h"

enum { FEET = 2, A_SECOND = 60, MAX_JOINTS = 128 };

typedef struct lanterns {
    view_options options;
    view_log log;
    view_document *document;
    view_game *game;
    view_play play;
    view_pages pages; // for its panel
    view_ui ui;
    gl_scene gl;
    view_font font; // of the panel
    uint32_t toes[FEET];
    md5_vec3 sole[FEET]; // in the joint's space: below the toes, on the floor of the bind pose
} lanterns;

static bool open_game(lanterns *fixture)
{
    char problem[256];
    md5_error error;
    *fixture = (lanterns){.log.level = VIEW_QUIET};
    if (!scene_share(&fixture->gl)
        || !CHECK(view_make_font(&fixture->font, fixture->gl.renderer, 1.0f, &error))
        || !CHECK(view_read_options(0, NULL, &fixture->options, problem, sizeof problem)))
        return false;
    const char *const files[1] = {test_path("models/" VIEW_GAME_CHARACTER)};
    const view_loader loader = {&fixture->options, NULL, &fixture->log, NULL};
    fixture->document =
        view_load_document(&loader, files, 1, true, false, (view_manner){.dual = false});
    if (!CHECK(fixture->document))
        return false;
    fixture->game = view_make_game(fixture->document, test_path("models"), &loader);
    const md5_model *const model = fixture->document->scene.model;
    FOR (i, FEET) {
        fixture->toes[i] = md5_find_joint(&model->skeleton, i == 0 ? "toes_l" : "toes_r");
        if (!CHECK(fixture->toes[i] != MD5_NONE))
            return false;
        md5_vec3 floor = md5_mat34_translation(model->bind[fixture->toes[i]]);
        floor.z = 0.0f;
        fixture->sole[i] = md5_mat34_point(model->inverse_bind[fixture->toes[i]], floor);
    }
    fixture->play.playing = true;
    fixture->pages.game = fixture->game;
    return CHECK(fixture->game);
}

static void close_game(lanterns *fixture)
{
    view_free_game(fixture->game, NULL);
    view_free_document(fixture->document, NULL);
    view_free_options(&fixture->options);
    view_free_font(&fixture->font, fixture->gl.renderer);
    scene_close(&fixture->gl);
}

static md5_vec3 sole_of(const lanterns *fixture, int foot)
{
    return md5_mat34_point(fixture->document->scene.joints[fixture->toes[foot]],
                           fixture->sole[foot]);
}

#define TEST_GAME(title) TEST_IF (title, lanterns, fixture, open_game(fixture), close_game(fixture))

// What a picture of the game shows.
static view_stage see_game(lanterns *fixture, view_canvas *canvas)
{
    view_stage stage = {
        .options = &fixture->options,
        .document = fixture->document,
        .width = 960,
        .height = 540,
        .play = &fixture->play,
        .font = &fixture->font,
        .canvas = canvas,
        .pages = &fixture->pages,
    };
    view_stage_game(fixture->game, &stage);
    return stage;
}

// Posts and watchers that are shown stand in the picture or beside it: its lower edge cuts none.
static void check_nothing_is_cut(lanterns *fixture)
{
    const view_stage stage = see_game(fixture, NULL);
    const view_extra *const extra = stage.extra;
    FOR (i, 2) {
        const md5gl_instances *const shown = &extra->bodies[i].instances;
        FOR_FROM (k, i == 0, shown->count) { // not the lantern in his hand
            float at[2];
            const md5_vec3 foot = i == 0
                                      ? md5_mat34_translation(shown->placements[k])
                                      : extra->blobs[extra->num_blobs - shown->count + k].position;
            CHECK(shown->tints[k].w == 2 || !view_find_pixel(&stage, foot, at)
                  || fabsf(2 * at[0] - stage.width) > stage.width || at[1] < stage.height);
        }
    }
}

// A sole that neither rises nor falls in a step, and is as low as its ankle allows, stands.
TEST_GAME(game_plays_itself_and_wins_on_feet_that_stand_still)
{
    enum { MAX_SECONDS = 150 };
    const view_scene *const scene = &fixture->document->scene;
    const float seconds = 1.0f / (float)A_SECOND, fast = 2.0f, on_floor = 0.15f;
    md5_vec3 before[FEET] = {{0}};
    double lit_at = 0.0;
    float slide = 0.0f, highest = -INFINITY, lowest = INFINITY, longest = 0.0f;
    uint32_t num_lit = 0, num_standing = 0, num_sliding = 0;
    int step = 0;
    for (; step < MAX_SECONDS * A_SECOND
           && view_get_game_facts(fixture->game).phase == VIEW_GAME_PLAYS;
         step++) {
        view_run_game(fixture->game, (double)step / (double)A_SECOND);
        const view_game_facts facts = view_get_game_facts(fixture->game);
        const md5_xform place = scene->machine.place;
        if (step % 10 == 0)
            check_nothing_is_cut(fixture);
        EACH_IN (joint, scene, joints)
            FOR (k, 12)
                CHECK(isfinite(joint->m[k]));
        CHECK(facts.num_lit == num_lit || facts.num_lit == num_lit + 1);
        if (facts.num_lit > num_lit)
            lit_at = facts.seconds;
        longest = fmaxf(longest, (float)(facts.seconds - lit_at));
        num_lit = facts.num_lit;
        highest = fmaxf(highest, place.translation.z);
        lowest = fminf(lowest, place.translation.z);
        const char *const state = scene->machine.desc->layers[0]
                                      .states[md5_player_layer(scene->machine.player, 0).state]
                                      .name;
        FOR (i, FEET) {
            const md5_vec3 now = sole_of(fixture, i), was = before[i];
            const md5_vec3 ankle =
                md5_mat34_translation(scene->joints[scene->terrain.feet[i].ankle]);
            const float floor = view_ground_height(&scene->terrain, ankle.x, ankle.y);
            before[i] = now;
            if (step == 0 || now.z - floor > on_floor || fabsf(now.z - was.z) > fast * seconds
                || strncmp(state, "skid", 4) == 0)
                continue;
            const float speed = hypotf(now.x - was.x, now.y - was.y) / seconds;
            num_standing++;
            num_sliding += speed > fast;
            slide = fmaxf(slide, speed);
        }
    }
    const view_game_facts end = view_get_game_facts(fixture->game);
    printf(
        "note: won after %.1f s, at most %.1f s for a lantern, %.0f %% of oil left; soles slide at "
        "most %.2f units a second in %u steps on the floor, faster than 2 in %u; the ground is "
        "%.0f units high\n",
        end.seconds, (double)longest, 100.0 * (double)end.oil, (double)slide,
        (unsigned)num_standing, (unsigned)num_sliding, (double)(highest - lowest));
    CHECK(end.phase == VIEW_GAME_WON && end.num_lit == VIEW_GAME_LANTERNS && end.is_demo);
    CHECK(num_standing > 1000);
    CHECK(slide <= fast);
    CHECK(highest - lowest > 10.0f);
}

// Before a step is taken: soles on the ground, and the stick of the lantern, whose origin is where
// a hand closes, in his hand, which is up.
static void check_first_picture(lanterns *fixture)
{
    const view_scene *const scene = &fixture->document->scene;
    const view_stage stage = see_game(fixture, NULL);
    const md5_vec3 hand =
        md5_mat34_translation(scene->joints[md5_find_joint(scene->skeleton, "prop_r")]);
    const md5_vec3 stick =
        md5_mat34_point(stage.extra->bodies[0].instances.palettes[0], (md5_vec3){0});
    FOR (i, FEET) {
        const md5_vec3 ankle = md5_mat34_translation(scene->joints[scene->terrain.feet[i].ankle]);
        CHECK_NEAR(sole_of(fixture, i).z, view_ground_height(&scene->terrain, ankle.x, ankle.y),
                   0.15);
    }
    CHECK(view_distance(stick, hand) < 1e-3f);
    CHECK(hand.z - scene->machine.place.translation.z > 20.0f);
    CHECK(stage.extra->points[0].position.z > hand.z);
    check_nothing_is_cut(fixture);
}

TEST_GAME(game_is_right_in_the_first_picture_of_each_round)
{
    check_first_picture(fixture);
    view_run_game(fixture->game, 3.0);
    view_take_over(&fixture->document->scene.machine); // as the first key does
    view_run_game(fixture->game, 3.0);
    CHECK_UINT(view_get_game_facts(fixture->game).round, 1);
    check_first_picture(fixture);
    view_run_game(fixture->game, 8.0);
    CHECK(view_play_again(fixture->game, true));
    check_first_picture(fixture);
    CHECK(view_show_title(fixture->game) && !view_show_title(fixture->game));
    CHECK(view_get_game_facts(fixture->game).is_demo);
    check_first_picture(fixture);
}

// Who comes close to a lantern, but not close enough, and goes away again is told.
TEST_GAME(game_tells_of_a_lantern_that_was_passed)
{
    view_machine *const hero = &fixture->document->scene.machine;
    const float apart[] = {140, 100, 90, 105, 115, 60};
    double time = 0.0;
    FOR (round, 2) {
        CHECK(view_play_again(fixture->game, round > 0));
        view_run_game(fixture->game, time += 0.05); // closer to it in the round before
        CHECK(view_get_game_facts(fixture->game).missed == 0);
        const view_stage stage = see_game(fixture, NULL);
        const md5_vec3 foot = md5_mat34_translation(stage.extra->bodies[0].instances.placements[1]);
        EACH (row, apart) {
            if (round == 0 && *row == 105)
                break;
            hero->place.translation = view_along(foot, (md5_vec3){1, 0, 0}, *row);
            view_run_game(fixture->game, time += 0.05);
            const view_game_facts facts = view_get_game_facts(fixture->game);
            CHECK_UINT(facts.missed > 0, *row == 115 || *row == 60);
            CHECK_UINT(facts.num_lit, *row == 60);
        }
    }
}

// However often it is drawn, and also when time goes back.
TEST_GAME(game_is_the_same_at_the_same_time)
{
    const view_scene *const scene = &fixture->document->scene;
    md5_mat34 once[MAX_JOINTS];
    const size_t size = scene->num_joints * sizeof *once;
    REQUIRE(size <= sizeof once);
    view_run_game(fixture->game, 8.0);
    memcpy(once, scene->joints, size);
    view_run_game(fixture->game, 2.0);
    CHECK(memcmp(once, scene->joints, size) != 0);
    FOR (i, 81)
        view_run_game(fixture->game, 2.0 + 0.075 * i);
    CHECK(memcmp(once, scene->joints, size) == 0);
}

// Without light the oil of the easiest night lasts for 60 seconds.
TEST_GAME(game_is_lost_by_who_stands_still)
{
    view_machine *const hero = &fixture->document->scene.machine;
    view_run_game(fixture->game, 5.0);
    CHECK(view_get_game_facts(fixture->game).is_demo);
    view_take_over(hero); // as the first key does
    view_run_game(fixture->game, 5.1);
    CHECK(!view_get_game_facts(fixture->game).is_demo
          && view_get_game_facts(fixture->game).seconds < 0.2);
    CHECK(!view_play_again(fixture->game, false)); // it goes on
    view_run_game(fixture->game, 5.0 + 59.0);
    CHECK(view_get_game_facts(fixture->game).phase == VIEW_GAME_PLAYS);
    view_run_game(fixture->game, 5.0 + 62.0);
    const view_game_facts lost = view_get_game_facts(fixture->game);
    CHECK(lost.phase == VIEW_GAME_LOST && lost.num_lit == 0 && lost.oil == 0.0f);
    CHECK_NEAR(lost.seconds, 60, 0.1);
    CHECK(view_play_again(fixture->game, false));
    view_run_game(fixture->game, 68.0);
    CHECK(view_get_game_facts(fixture->game).phase == VIEW_GAME_PLAYS
          && !view_get_game_facts(fixture->game).is_demo);
}

// -- A slow player --------------------------------------------------------------------------------
//
// Sees the arrows of the picture and nothing else, and presses keys once a second.

typedef struct arrow {
    float width, x; // pixels; x: from the middle, of half the picture
    int side;       // -1: at the left edge, 1: at the right one, 0: over a lantern
} arrow;

// The largest arrow of the picture: to the nearest lantern. They are its first triangles.
static arrow largest_arrow(const md5gl_panel_vertex *corners, uint32_t count, float width)
{
    arrow largest = {0};
    FOR (i, count) {
        const md5gl_panel_vertex *const c = corners + 3 * (size_t)i;
        const bool is_down = c[0].y == c[1].y;
        const float size = is_down ? c[1].x - c[0].x : c[2].y - c[1].y;
        if (size > largest.width)
            largest = (arrow){size, 2.0f * c[2].x / width - 1.0f,
                              is_down           ? 0
                              : c[0].x < c[1].x ? -1
                                                : 1};
    }
    return largest;
}

// Plays a round until it ends. Returns whether it is won.
static bool play_slowly(lanterns *fixture, uint32_t night, uint32_t round, double *time)
{
    view_canvas canvas = {.font = &fixture->font};
    view_control *const keys = &fixture->document->scene.machine.control;
    view_begin_night(fixture->game, night, round);
    view_game_facts facts = view_get_game_facts(fixture->game);
    while (facts.phase == VIEW_GAME_PLAYS) {
        const view_stage stage = see_game(fixture, &canvas);
        view_clear_canvas(&canvas);
        fixture->ui.canvas = &canvas;
        stage.page_panel(&fixture->ui, &stage);
        const arrow goal =
            largest_arrow(canvas.vertices, VIEW_GAME_LANTERNS - facts.num_lit, stage.width);
        const bool is_seen = goal.side == 0;
        keys->side = is_seen ? (goal.x > 0.45f) - (goal.x < -0.45f) : goal.side;
        keys->ahead = is_seen;
        keys->fast = is_seen && keys->side == 0 && goal.width < 14.0f;
        view_run_game(fixture->game, *time += 1.0);
        facts = view_get_game_facts(fixture->game);
    }
    *keys = (view_control){0};
    free(canvas.vertices);
    return facts.phase == VIEW_GAME_WON;
}

TEST_GAME(game_is_won_by_a_slow_player_on_the_easiest_night)
{
    enum { ROUNDS = 20 };
    const uint32_t nights[] = {0, VIEW_GAME_NIGHTS - 1};
    double time = 0.0;
    uint32_t won[2] = {0};
    FOR (k, 2)
        FOR (i, ROUNDS)
            won[k] += play_slowly(fixture, nights[k], (uint32_t)i + 1, &time);
    printf("note: a player who decides once a second wins the easiest night in %u of %d rounds, "
           "the hardest in %u\n",
           (unsigned)won[0], ROUNDS, (unsigned)won[1]);
    CHECK(won[0] >= 15);
    CHECK(won[1] < won[0] / 2);
}

// As keys, a gamepad and a finger drive him.
TEST_GAME(game_is_driven)
{
    view_machine *const hero = &fixture->document->scene.machine;
    double time = 0.0;
    float covered[3];
    CHECK(view_play_again(fixture->game, false));
    FOR (i, 3) {
        hero->control.ahead = i < 2;
        hero->control.fast = i == 1;
        hero->control.side = i == 2 ? -1 : 0;
        view_run_game(fixture->game, time += 1.5);
        const md5_vec3 begin = hero->place.translation;
        view_run_game(fixture->game, time += 1.0);
        covered[i] = view_distance(hero->place.translation, begin);
    }
    CHECK_NEAR(covered[0], 20, 1.6); // the paces of his clips
    CHECK(covered[1] > 25.0f);
    const float yaw = 2.0f * atan2f(hero->place.rotation.z, hero->place.rotation.w);
    CHECK(yaw > 0.2f);
    hero->control.side = 0;
    view_run_game(fixture->game, time + 3.0);
    const md5_vec3 rest = hero->place.translation;
    view_run_game(fixture->game, time + 4.0);
    CHECK(view_distance(hero->place.translation, rest) < 0.5f);
}

// Buttons and stick of a gamepad become keys that are pressed and released, once each.
TEST (game_hears_a_gamepad_as_keys) {
    static const struct {
        view_pad pad;
        const char *pressed, *released; // 'S': Shift
    } steps[] = {
        {{.y = -0.5f}, "w", ""},
        {{.y = -0.5f}, "", ""},
        {{.x = -0.4f, .y = -0.9f}, "Sa", ""},
        {{.buttons = VIEW_PAD_JUMP | VIEW_PAD_DOWN}, " s", "Swa"},
        {{.x = 0.2f, .y = 0.3f}, "", " s"},
    };
    uint32_t told = 0;
    EACH (row, steps) {
        char pressed[16] = "", released[16] = "";
        view_pad pad = row->pad;
        view_input event;
        pad.told = told;
        while (view_next_of_pad(&pad, &event)) {
            char *const text = event.kind == VIEW_INPUT_KEY_DOWN ? pressed : released;
            const size_t length = strlen(text);
            REQUIRE(length < sizeof pressed - 1);
            text[length] = event.key == VIEW_KEY_LEFT_SHIFT ? 'S' : (char)event.key;
            text[length + 1] = '\0';
        }
        CHECK_STRING(pressed, row->pressed);
        CHECK_STRING(released, row->released);
        told = pad.told;
    }
}
