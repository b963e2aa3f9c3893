// The game of lanterns, without a window: it plays itself and wins, on feet that stand still, and
// keys drive it.
#include "test/viewer/test_view_case.h"

enum { FEET = 2, A_SECOND = 60 };

typedef struct lanterns {
    view_options options;
    view_log log;
    view_document *document;
    view_game *game;
    uint32_t toes[FEET];
    md5_vec3 sole[FEET]; // in the joint's space: below the toes, on the floor of the bind pose
} lanterns;

static bool open_game(lanterns *fixture)
{
    char problem[256];
    *fixture = (lanterns){.log.level = VIEW_QUIET};
    if (!CHECK(view_read_options(0, NULL, &fixture->options, problem, sizeof problem)))
        return false;
    const char *const files[1] = {test_path("models/" VIEW_GAME_CHARACTER)};
    const view_loader loader = {&fixture->options, NULL, &fixture->log};
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
    return CHECK(fixture->game);
}

static void close_game(lanterns *fixture)
{
    view_free_game(fixture->game, NULL);
    view_free_document(fixture->document, NULL);
    view_free_options(&fixture->options);
}

static md5_vec3 sole_of(const lanterns *fixture, int foot)
{
    return md5_mat34_point(fixture->document->scene.joints[fixture->toes[foot]],
                           fixture->sole[foot]);
}

#define TEST_GAME(title) TEST_IF (title, lanterns, fixture, open_game(fixture), close_game(fixture))

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

static uint64_t hash_of(const view_scene *scene)
{
    uint64_t hash = 14695981039346656037u;
    const unsigned char *const bytes = (const unsigned char *)scene->joints;
    FOR (i, scene->num_joints * sizeof *scene->joints)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

// However often it is drawn, and also when time goes back.
TEST_GAME(game_is_the_same_at_the_same_time)
{
    view_run_game(fixture->game, 8.0);
    const uint64_t once = hash_of(&fixture->document->scene);
    view_run_game(fixture->game, 2.0);
    CHECK(hash_of(&fixture->document->scene) != once);
    FOR (i, 81)
        view_run_game(fixture->game, 2.0 + 0.075 * i);
    CHECK(hash_of(&fixture->document->scene) == once);
}

// Without light the oil lasts for 35 seconds.
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
    view_run_game(fixture->game, 5.0 + 34.0);
    CHECK(view_get_game_facts(fixture->game).phase == VIEW_GAME_PLAYS);
    view_run_game(fixture->game, 5.0 + 37.0);
    const view_game_facts lost = view_get_game_facts(fixture->game);
    CHECK(lost.phase == VIEW_GAME_LOST && lost.num_lit == 0 && lost.oil == 0.0f);
    CHECK_NEAR(lost.seconds, 35, 0.1);
    CHECK(view_play_again(fixture->game, false));
    view_run_game(fixture->game, 43.0);
    CHECK(view_get_game_facts(fixture->game).phase == VIEW_GAME_PLAYS
          && !view_get_game_facts(fixture->game).is_demo);
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
    CHECK_NEAR(covered[0], 15.9, 1.6); // the paces of his clips
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
