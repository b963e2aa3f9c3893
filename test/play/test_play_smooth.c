// No transition makes a pose jump, whenever and however often it is interrupted.
#include "test/play/test_play_case.h"

#include <math.h>
#include <string.h>

static const play_walk STANDS = {0.0, 0.0, 0.0};

// The longest that a joint moves in a step of the fastest clip, and in one of the fastest fade
// between the two that lie farthest apart: half a turn and some units. Four fades may run
// simultaneously, and a layer of differences on top. A jump is much longer: clips differ by a
// radian and more.
#define STEP_SECONDS 0.001
#define FASTEST_CLIP 25.0
#define FARTHEST 6.0
#define SHORTEST_FADE 0.2
#define STEEPEST 3.0 // of the easings used
#define LONGEST_STEP (STEP_SECONDS * (FASTEST_CLIP + 4.0 * FARTHEST * STEEPEST / SHORTEST_FADE))

enum { STATES = 7 };

#define ALL_STATES                                                                              \
    "state a a state b b state c c state line line state stack stack state once once state no " \
    "nothing "

typedef struct smooth_case {
    play_case made;
    md5_machine *machine;
    md5_player *player;
    md5_xform pose[PLAY_JOINTS]; // the last
} smooth_case;

// States: clips, a blend space, a stack, a clip that is played once, nothing. Layers: the body; one
// that is added; and a masked one over them, whose weight is 0 unless a test sets it.
static void begin(smooth_case *of)
{
    memset(of, 0, sizeof *of);
    play_begin(&of->made);
    for (uint32_t i = 0; i < 4; i++)
        play_add_clip(&of->made, 25 + 8 * i, 24.0, 0.5, STANDS, 11 + i);
    of->machine = play_machine_read(
        &of->made, NULL,
        "clip a f clip b f clip c f clip d f float x 0.4 float over "
        "mask upper ( *spine ) { feather 1 } motion line line x { phase item a 0 item d 1 } "
        "motion stack stack { item line item c { add weight 0.5 } } motion once clip b { once } "
        "layer body { " ALL_STATES "} layer more { add weight 0.5 " ALL_STATES "} "
        "layer over { mask upper weight over " ALL_STATES "}");
    of->player = play_player(of->machine);
    play_pose(of->player, of->pose);
}

static void end(smooth_case *of)
{
    md5_destroy_player(of->player);
    md5_destroy_machine(of->machine);
    play_end(&of->made);
}

// Advances and poses the player. Returns how far the pose has moved.
static double step(smooth_case *of, double seconds)
{
    md5_xform now[PLAY_JOINTS];
    md5_player_advance(of->player, seconds, NULL, NULL);
    play_pose(of->player, now);
    CHECK(play_is_sound(now, PLAY_JOINTS));
    const double moved = play_pose_distance(now, of->pose);
    memcpy(of->pose, now, sizeof now);
    return moved;
}

static void go(smooth_case *of, uint32_t layer, md5_fade fade, uint64_t *random)
{
    static const md5_ease_kind easings[4] = {MD5_EASE_LINEAR, MD5_EASE_SMOOTH,
                                             MD5_EASE_QUADRATIC_OUT, MD5_EASE_CUBIC_IN};
    const double duration = SHORTEST_FADE + 0.5 * test_random(random);
    CHECK(md5_player_fade_to(of->player, layer, test_random_u32(random) % STATES, (float)duration,
                             fade, easings[test_random_u32(random) % 4]));
}

// Clips alone stay far below the limit: otherwise the other tests would show nothing.
TEST_WITH (smooth_clips_move_slowly, smooth_case, of, begin(of), end(of)) {
    double most = 0.0;
    for (uint32_t state = 0; state < STATES; state++) {
        md5_player_fade_to(of->player, 0, state, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
        step(of, 0.0);
        for (int i = 0; i < 1500; i++)
            most = fmax(most, step(of, STEP_SECONDS));
    }
    CHECK(most < STEP_SECONDS * FASTEST_CLIP);
}

// Interrupts the active transition about `often` times a second, at times many times in a row.
static void interrupt_at_random(int kinds, double often, uint64_t seed)
{
    uint64_t random = seed;
    smooth_case of;
    begin(&of);
    double most = 0.0;
    for (int i = 0; i < 20000; i++) {
        for (uint32_t layer = 0; layer < 2; layer++) {
            int count = test_random(&random) < often * STEP_SECONDS;
            if (count > 0 && test_random_u32(&random) % 8 == 0)
                count = 1 + (int)(test_random_u32(&random) % 12);
            while (count-- > 0)
                go(&of, layer, (md5_fade)(kinds < 2 ? kinds : (int)(test_random_u32(&random) % 2)),
                   &random);
        }
        most = fmax(most, step(&of, STEP_SECONDS));
    }
    test_check(most < LONGEST_STEP, __FILE__, __LINE__, "kind %d moved by %g, at most %g", kinds,
               most, LONGEST_STEP);
    end(&of);
}

TEST (smooth_crossfades_may_be_interrupted) {
    interrupt_at_random(MD5_FADE_CROSS, 2.0, 1);
    interrupt_at_random(MD5_FADE_CROSS, 20.0, 2);
}

TEST (smooth_inertial_transitions_may_be_interrupted) {
    interrupt_at_random(MD5_FADE_INERTIAL, 2.0, 3);
    interrupt_at_random(MD5_FADE_INERTIAL, 20.0, 4);
}

TEST (smooth_transitions_of_all_kinds_may_be_interrupted) {
    interrupt_at_random(2, 4.0, 5);
    interrupt_at_random(2, 30.0, 6);
}

// There and back again, half way.
TEST (smooth_there_and_back) {
    for (int fade = 0; fade < 2; fade++) {
        smooth_case of;
        begin(&of);
        for (int i = 0; i < 12; i++) {
            md5_player_fade_to(of.player, 0, (uint32_t)(i % 2), 0.3f, (md5_fade)fade,
                               MD5_EASE_LINEAR);
            for (int k = 0; k < 150; k++)
                CHECK(step(&of, STEP_SECONDS) < 0.5 * LONGEST_STEP);
        }
        end(&of);
    }
}

// An inertial transition ends at its time, exactly in the state that it leads to.
TEST (smooth_inertial_transitions_end) {
    smooth_case of, other;
    begin(&of);
    begin(&other);
    md5_player_fade_to(of.player, 0, 1, 0.25f, MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
    md5_player_fade_to(other.player, 0, 1, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    for (int i = 0; i < 26; i++) {
        step(&of, 0.01);
        step(&other, 0.01);
        if (i != 24) // it ends here, up to rounding error
            CHECK((memcmp(of.pose, other.pose, sizeof of.pose) == 0) == (i > 24));
    }
    // Nothing is left either of a transition during which no pose was computed.
    md5_player_fade_to(of.player, 0, 2, 0.25f, MD5_FADE_INERTIAL, MD5_EASE_LINEAR);
    md5_player_fade_to(other.player, 0, 2, 0.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR);
    step(&of, 0.3);
    step(&other, 0.3);
    CHECK(memcmp(of.pose, other.pose, sizeof of.pose) == 0);
    end(&of);
    end(&other);
}

// However many transitions begin while no pose is computed, a limited number is kept; the next pose
// is sound, and the motion goes on smoothly.
TEST (smooth_play_may_go_unseen) {
    for (int fade = 0; fade < 3; fade++) {
        for (int unseen = 1; unseen < 24; unseen++) {
            smooth_case of;
            begin(&of);
            uint64_t random = (uint64_t)unseen;
            for (int i = 0; i < unseen; i++) {
                const int kind = fade < 2 ? fade : i == 0;
                md5_player_fade_to(of.player, 0, test_random_u32(&random) % 5, 0.5f, (md5_fade)kind,
                                   MD5_EASE_LINEAR);
                md5_player_advance(of.player, 0.01, NULL, NULL);
            }
            step(&of, 0.01); // checks that the pose is sound
            for (int i = 0; i < 50; i++)
                CHECK(step(&of, STEP_SECONDS) < LONGEST_STEP);
            end(&of);
        }
    }
}

// Begins transitions in a random layer and sets the weight of the masked one to 0, 0.5 or 1.
static void stir(smooth_case *of, uint64_t *random)
{
    const uint32_t layer = test_random_u32(random) % 3;
    md5_player_set(of->player, 0, (float)test_random(random));
    md5_player_set(of->player, 1, 0.5f * (float)(test_random_u32(random) % 3));
    for (uint32_t count = 1 + test_random_u32(random) % 2; count > 0; count--)
        go(of, layer, (md5_fade)(test_random_u32(random) % 2), random);
}

// Neither states nor poses depend on whether poses were computed before, to the bit, whatever is
// active: fades of more states than are kept, inertial transitions that are interrupted, layers of
// weight 0.
TEST (smooth_play_needs_no_looking) {
    smooth_case seen, unseen;
    begin(&seen);
    begin(&unseen);
    uint64_t random = 10;
    bool held = true;
    for (uint32_t left = play_transitions(2000); held && left > 0; left--) {
        uint64_t same = random;
        stir(&seen, &random);
        stir(&unseen, &same);
        for (uint32_t i = test_random_u32(&random) % 4; i > 0; i--) {
            const double seconds = 0.15 * test_random(&random) * test_random(&random);
            step(&seen, seconds);
            md5_player_advance(unseen.player, seconds, NULL, NULL);
        }
        const md5_layer_status a = md5_player_layer(seen.player, 0);
        const md5_layer_status b = md5_player_layer(unseen.player, 0);
        held &= CHECK(a.state == b.state && a.from == b.from && a.progress == b.progress
                      && a.time == b.time);
        if (test_random_u32(&random) % 8 != 0)
            continue;
        step(&seen, 0.0);
        step(&unseen, 0.0);
        held &= CHECK(memcmp(seen.pose, unseen.pose, sizeof seen.pose) == 0);
    }
    end(&seen);
    end(&unseen);
}

// -- Play freeze ----------------------------------------------------------------------------------
//
// A pose that is frozen again and again, because transitions interrupt each other for hours, stays
// a pose: rounding errors do not accumulate.

static void check_endless_interruption(const char *mode)
{
    enum { CHANGES = 20000, CHECKED = 1000 };
    play_scene of;
    play_scene_begin(&of);
    play_scene_add(&of, 25, 24.0, 1.0, 3);
    play_scene_add(&of, 31, 24.0, 1.0, 4);
    play_scene_read(&of, "layer body { state a a } layer tested { %s state a a state b b }", mode);
    for (uint32_t i = 0; i < CHANGES; i++) {
        md5_xform pose[PLAY_JOINTS];
        CHECK(md5_player_fade_to(of.player, 1, i % 2, 10.0f, MD5_FADE_CROSS, MD5_EASE_LINEAR));
        md5_player_advance(of.player, 1e-4, NULL, NULL);
        if (i % CHECKED != 0)
            continue;
        play_pose(of.player, pose);
        if (!CHECK(play_is_sound(pose, PLAY_JOINTS)))
            break;
    }
    play_scene_end(&of);
}

TEST (rotations_stay_unit_length_while_transitions_interrupt_each_other) {
    check_endless_interruption("override");
    check_endless_interruption("add");
}
