// An inertial transition keeps the speed at which each joint comes nearer to the new motion, and
// drops what leads away from it.
#include "test/play/test_play_case.h"

#include <math.h>
#include <string.h>

// How long after the start of a transition speeds are measured, and how long it lasts, in seconds.
#define STEP_SECONDS 5e-5
#define DURATION 0.25

// Smaller gaps are not measured, in units or radians: their directions change too fast.
#define NEAREST 0.2

// One player in a transition, one that goes on as before, and one that only plays the target of the
// transition.
enum { SHOWN, OLD, TARGET, PLAYERS };

// States, each of which moves evenly for half a second at least from where it begins; one that
// comes to its end after two seconds; one that begins just before the end of its cycle;
// and some in which joint 0 walks, and jumps where the cycle begins anew.
enum { A, B, BLEND, MIDDLE, STATES, ONCE = STATES, EDGE, THERE, THERE_AT_END, BACK, ALL_STATES };

typedef struct speed_case {
    play_case made;
    md5_machine *machine;
    md5_player *players[PLAYERS];
    uint64_t random;
    uint32_t num_kept, num_dropped; // speeds that were measured
} speed_case;

enum { CLIPS = 5 };

// Clips of three frames; and a blend of two that are synchronised although one takes twice as long.
static void begin(speed_case *of)
{
    static const char *const names[CLIPS] = {"a", "b", "c", "there", "back"};
    static const double rates[CLIPS] = {1.0, 0.5, 0.8, 1.0, 1.0};
    static const play_walk walks[CLIPS] = {
        {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}};
    md5_clip_desc clips[CLIPS];
    *of = (speed_case){.random = 1};
    play_begin(&of->made);
    for (uint32_t i = 0; i < CLIPS; i++) {
        of->made.still = i < 3 ? 0 : ~0u;
        play_add_clip(&of->made, 3, rates[i], 0.8, walks[i], 31 + i);
        clips[i] = (md5_clip_desc){.name = names[i], .binding = of->made.bindings[i]};
    }
    const md5_parameter_desc parameters[] = {{"x", MD5_PARAMETER_FLOAT, 0.5f}};
    const md5_motion_item line[] = {{.motion = "a", .x = 0.0f}, {.motion = "b", .x = 1.0f}};
    const md5_motion_desc motions[] = {{.name = "line",
                                        .kind = MD5_MOTION_BLEND_1D,
                                        ROWS(items, line),
                                        .x_parameter = "x",
                                        .sync = MD5_SYNC_PHASE},
                                       {.name = "middle", .clip = "c", .start = 0.25},
                                       {.name = "once", .clip = "a", .mode = MD5_PLAY_ONCE},
                                       {.name = "edge", .clip = "a", .start = 1.0 - 1e-8},
                                       {.name = "on", .clip = "there", .start = 0.25},
                                       {.name = "end", .clip = "there", .start = 0.9999}};
    const md5_state_desc states[ALL_STATES] = {
        {"a", "a"},       {"b", "b"},   {"line", "line"}, {"middle", "middle"}, {"once", "once"},
        {"edge", "edge"}, {"on", "on"}, {"end", "end"},   {"back", "back"}};
    const md5_layer_desc layer = {.name = "body", ROWS(states, states)};
    of->machine = play_machine(&(md5_machine_desc){.model = of->made.model,
                                                   ROWS(clips, clips),
                                                   ROWS(motions, motions),
                                                   ROWS(parameters, parameters),
                                                   ROW(layers, layer)});
    for (int i = 0; i < PLAYERS; i++)
        of->players[i] = play_player(of->machine);
}

static void end(speed_case *of)
{
    for (int i = 0; i < PLAYERS; i++)
        md5_destroy_player(of->players[i]);
    md5_destroy_machine(of->machine);
    play_end(&of->made);
}

static void go_at_once(md5_player *player, uint32_t state)
{
    md5_player_fade_to(player, 0, state, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
}

static void advance(speed_case *of, double seconds)
{
    for (int i = 0; i < PLAYERS; i++)
        md5_player_advance(of->players[i], seconds, NULL, NULL);
}

// Distances between the joints of two poses, in units and in radians.
typedef struct gaps {
    double of[2 * PLAY_JOINTS];
} gaps;

static gaps find_gaps(md5_player *player, md5_player *target)
{
    md5_xform a[PLAY_JOINTS], b[PLAY_JOINTS];
    gaps found;
    play_pose(player, a);
    play_pose(target, b);
    for (int i = 0; i < PLAY_JOINTS; i++) {
        found.of[2 * i] = play_distance_between(a[i].translation, b[i].translation);
        found.of[2 * i + 1] = play_angle_between(a[i].rotation, b[i].rotation);
    }
    return found;
}

// How far a speed of this size may change in a step: the quintic's acceleration is at most 20 gaps
// in its duration squared, motion across the gap makes it longer to second order, and blends do not
// move evenly.
static double most_change(double gap, double speed)
{
    const double duration = fmin(DURATION, speed < 0.0 ? -5.0 * gap / speed : DURATION);
    return 20.0 * gap / (duration * duration) * STEP_SECONDS + 0.06;
}

// Begins inertial transitions from `from`, after `seconds` in it, to all `num_states` states in the
// same moment, and compares the speeds before and after.
static bool keeps_speed(speed_case *of, uint32_t from, double seconds, const uint32_t *states,
                        uint32_t num_states)
{
    for (int i = 0; i < PLAYERS; i++)
        go_at_once(of->players[i], from);
    advance(of, seconds);
    for (uint32_t i = 0; i < num_states; i++)
        md5_player_fade_to(of->players[SHOWN], 0, states[i], (float)DURATION, MD5_FADE_INERTIAL,
                           MD5_EASE_LINEAR);
    go_at_once(of->players[TARGET], states[num_states - 1]);
    const gaps first = find_gaps(of->players[SHOWN], of->players[TARGET]);
    advance(of, seconds < 0.0 ? -STEP_SECONDS : STEP_SECONDS);
    const gaps shown = find_gaps(of->players[SHOWN], of->players[TARGET]);
    const gaps old = find_gaps(of->players[OLD], of->players[TARGET]);
    bool held = true;
    for (int i = 0; i < 2 * PLAY_JOINTS; i++) {
        const double gap = first.of[i];
        if (gap < NEAREST || (i % 2 == 1 && gap > 3.0))
            continue;
        const double before = (old.of[i] - gap) / STEP_SECONDS;
        const double after = (shown.of[i] - gap) / STEP_SECONDS;
        const double expected = fmin(before, 0.0);
        of->num_kept += before < -0.5;
        of->num_dropped += before > 0.5;
        held &= test_check(fabs(after - expected) < most_change(gap, expected), __FILE__, __LINE__,
                           "from %u: a gap of %g that changed by %g a second changes by %g", from,
                           gap, before, after);
    }
    return held;
}

// Seconds in which every state moves evenly.
static double random_while(speed_case *of)
{
    return 0.05 + 0.4 * test_random(&of->random);
}

static void check_that_there_were_some(const speed_case *of)
{
    CHECK(of->num_kept > 500);
    CHECK(of->num_dropped > 500);
}

#define TEST_HERE(title) TEST_WITH (title, speed_case, of, begin(of), end(of))

TEST_HERE (inertial_transitions_keep_the_speed_towards_the_target) {
    for (int i = 0; i < 2000; i++) {
        const uint32_t to = test_random_u32(&of->random) % STATES;
        if (!keeps_speed(of, test_random_u32(&of->random) % STATES, random_while(of), &to, 1))
            break;
    }
    check_that_there_were_some(of);
}

TEST_HERE (inertial_transitions_keep_the_speed_through_states_that_are_left_immediately) {
    for (int i = 0; i < 1000; i++) {
        const uint32_t to[3] = {test_random_u32(&of->random) % STATES,
                                test_random_u32(&of->random) % STATES,
                                test_random_u32(&of->random) % STATES};
        if (!keeps_speed(of, test_random_u32(&of->random) % STATES, random_while(of), to, 3))
            break;
    }
    check_that_there_were_some(of);
}

// Backward, states that begin in the middle of their cycle go on evenly.
TEST_HERE (inertial_transitions_keep_the_speed_backward) {
    const uint32_t to = MIDDLE;
    for (int i = 0; i < 1000; i++) {
        if (!keeps_speed(of, test_random_u32(&of->random) % STATES, -random_while(of), &to, 1))
            break;
    }
    check_that_there_were_some(of);
}

static double pose_distance(md5_player *a, md5_player *b)
{
    md5_xform of_a[PLAY_JOINTS], of_b[PLAY_JOINTS];
    play_pose(a, of_a);
    play_pose(b, of_b);
    return play_pose_distance(of_a, of_b);
}

// Rounding decides whether a cycle is just over or about to be: that makes no difference.
TEST_HERE (inertial_transitions_are_the_same_on_both_sides_of_the_end_of_a_cycle) {
    md5_player *const before = of->players[SHOWN], *const after = of->players[OLD];
    for (uint32_t from = A; from <= BLEND; from++) {
        const double cycle = from == A ? 2.0 : from == B ? 4.0 : 8.0 / 3.0;
        for (uint32_t to = A; to < STATES; to++) {
            go_at_once(before, from);
            go_at_once(after, from);
            md5_player_advance(before, cycle - 1e-7, NULL, NULL);
            md5_player_advance(after, cycle + 1e-7, NULL, NULL);
            for (uint32_t i = 0; i < 2; i++) {
                // The same state begins at the end of a cycle, or at the beginning of the next.
                const uint32_t state = to == A && i == 0 ? EDGE : to;
                md5_player_fade_to(of->players[i], 0, state, (float)DURATION, MD5_FADE_INERTIAL,
                                   MD5_EASE_LINEAR);
            }
            for (int i = 0; i < 10; i++) {
                CHECK(pose_distance(before, after) < 1e-3);
                advance(of, 0.02);
            }
        }
    }
}

// A jump where a cycle begins again is not a speed, neither of the old motion nor of the new one.
TEST_HERE (inertial_transitions_take_no_jump_for_a_speed) {
    for (int i = 0; i < 100; i++) {
        const uint32_t there = THERE, at_end = THERE_AT_END;
        keeps_speed(of, BACK, 2.0 + 0.003 * test_random(&of->random), &there, 1);
        keeps_speed(of, BACK, 0.5 + test_random(&of->random), &at_end, 1);
    }
    CHECK_UINT(of->num_dropped, 200);
}

// A clip that has come to its end stands, and has no speed that could go on.
TEST_HERE (inertial_transitions_from_the_end_of_a_clip_begin_at_rest) {
    for (int i = 0; i < 1000; i++) {
        const uint32_t to = B + test_random_u32(&of->random) % 3;
        if (!keeps_speed(of, ONCE, 2.0 + 0.004 + test_random(&of->random), &to, 1))
            break;
    }
    check_that_there_were_some(of);
}

// The same in one step as in many, also where a clip comes to its end meanwhile.
TEST_HERE (inertial_transitions_do_not_depend_on_how_time_was_split) {
    md5_player *const one = of->players[SHOWN], *const many = of->players[OLD];
    for (int i = 0; i < 2000; i++) {
        const uint32_t from = i % 2 == 0 ? ONCE : test_random_u32(&of->random) % STATES;
        const uint32_t to = test_random_u32(&of->random) % (ONCE + 1);
        double left = 2.0 + 0.02 * test_random(&of->random) - 0.01;
        go_at_once(one, from);
        go_at_once(many, from);
        md5_player_advance(one, left, NULL, NULL);
        while (left > 0.0) {
            const bool is_short = left < 0.03;
            const double part = fmin(left, (is_short ? 0.004 : 0.5) * test_random(&of->random));
            md5_player_advance(many, part, NULL, NULL);
            left -= part;
        }
        for (uint32_t k = 0; k < 2; k++)
            md5_player_fade_to(of->players[k], 0, to, (float)DURATION, MD5_FADE_INERTIAL,
                               MD5_EASE_LINEAR);
        md5_player_advance(one, 0.05, NULL, NULL);
        md5_player_advance(many, 0.02, NULL, NULL);
        md5_player_advance(many, 0.03, NULL, NULL);
        if (!CHECK(pose_distance(one, many) < 1e-4))
            break;
    }
}
