// Tests of random durations, which conditions draw again each time a state begins.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

enum { OPEN, SHUT, BINS = 20, VISITS = 10000 };

// Clips of one second. An eye is open for 2.5 to 5 s and closed for 0.2 s; a hand waves to either
// side.
static void begin(play_scene *fixture)
{
    play_scene_make(fixture, 2,
                    "clip a f clip b f layer eye { state open a state shut b "
                    "transition open shut { when state_time > 2.5 to 5 } "
                    "transition shut open { exit 0.2 } } "
                    "layer hand { state rest a state left b state right b "
                    "transition rest left { when state_time > 1 to 3 } "
                    "transition rest right { when state_time > 1 to 3 } "
                    "transition left rest { exit 0.2 } transition right rest { exit 0.2 } }");
}

#define TEST_HERE(title) TEST_PLAY (title, begin(fixture))

// Advances a player whose eye has just opened. Writes the duration of each open phase. The clip of
// the closed eye shows at which time within a step it began.
static void watch(md5_player *player, double step, int count, double *seconds)
{
    double time = 0;
    double opened = 0;
    for (int i = 0; i < count; i++) {
        for (; play_state(player) == OPEN; time += step)
            play_advance(player, step);
        seconds[i] = time - play_time(player) - opened;
        opened += seconds[i] + 0.2;
        for (; play_state(player) == SHUT; time += step)
            play_advance(player, step);
    }
}

// A correct implementation exceeds the limit of chi squared (19 degrees of freedom) with one of
// 1000 seeds. The other limits are four standard deviations.
TEST_HERE (chance_is_within_its_bounds_and_even) {
    static double seconds[VISITS];
    int counts[BINS] = {0};
    double sum = 0;
    double product = 0;
    double square = 0;
    const double mean = (double)VISITS / (double)BINS;
    watch(fixture->player, 0.15, VISITS, seconds);
    for (int i = 0; i < VISITS; i++) {
        const double off = seconds[i] - 3.75;
        CHECK(fabs(off) <= 1.25 + 1e-9);
        counts[(int)fmin(fmax(off * 8 + 10, 0), BINS - 1)]++;
        sum += off;
        product += i > 0 ? off * (seconds[i - 1] - 3.75) : 0;
    }
    for (int i = 0; i < BINS; i++)
        square += pow(counts[i] - mean, 2) / mean;
    const double deviation = 2.5 / sqrt(12);
    CHECK(square < 43.8);
    CHECK(fabs(sum) < 4 * deviation * sqrt(VISITS));
    CHECK(fabs(product) < 4 * deviation * deviation * sqrt(VISITS));
}

// The earlier of two times applies, and each of them is the earlier time equally often.
TEST_HERE (chance_of_each_condition_is_independent) {
    uint32_t last = 0;
    int count = 0;
    int num_left = 0;
    while (count < VISITS) {
        play_advance(fixture->player, 0.15);
        const uint32_t state = md5_player_layer(fixture->player, 1).state;
        count += last == 0 && state != 0;
        num_left += last == 0 && state == 1;
        last = state;
    }
    CHECK(fabs(num_left - count / 2.0) < 4 * 0.5 * sqrt(VISITS));
}

// Random times depend only on the seed, and not on the division of the time into steps.
TEST_HERE (chance_is_the_same_in_any_steps) {
    static const double steps[] = {0.15, 1 / 60.0, 0.19};
    double seconds[3][100];
    for (int i = 0; i < 3; i++) {
        SCOPED_PLAY other_seed;
        begin(&other_seed);
        md5_player_seed(other_seed.player, 77);
        watch(other_seed.player, steps[i], 100, seconds[i]);
        for (int k = 0; k < 100; k++)
            CHECK_NEAR(seconds[i][k], seconds[0][k], 1e-9);
    }
    md5_player_seed(fixture->player, 77);
    double sum = 0;
    for (int i = 0; i < 100; i++)
        sum += seconds[0][i] + 0.2;
    play_advance(fixture->player, sum - 0.1);
    CHECK_UINT(play_state(fixture->player), SHUT);
    CHECK_NEAR(play_time(fixture->player), 0.1, 1e-9);
}

// Seeds that differ by 1 give first times that differ as much as the first times of any other
// seeds.
TEST_HERE (chance_differs_by_the_seed) {
    double first[100];
    double sum = 0;
    double repeated_seconds;
    for (int i = 0; i < 100; i++) {
        md5_player_reset(fixture->player);
        md5_player_seed(fixture->player, (uint64_t)i);
        watch(fixture->player, 0.15, 1, &first[i]);
        sum += first[i] - 3.75;
        for (int k = 0; k < i; k++)
            CHECK(first[k] != first[i]);
    }
    CHECK(fabs(sum) < 4 * 2.5 / sqrt(12) * 10);
    md5_player_reset(fixture->player); // the seed of a new player is 0
    watch(fixture->player, 0.15, 1, &repeated_seconds);
    CHECK_EXACT(repeated_seconds, first[0]);
}

// Transitions with random times. A player that was restored, copied or migrated continues with
// the same random numbers.
TEST_HERE (chance_is_saved_copied_and_adopted) {
    double seconds[4][50], before[1];
    md5_player_seed(fixture->player, UINT64_C(0xfedcba9876543210));
    watch(fixture->player, 0.15, 1, before);
    play_advance(fixture->player, 1.23);
    md5_player *const players[4] = {fixture->player, play_restored(fixture->player),
                                    play_copied(fixture->player), play_player(fixture->machine)};
    md5_player_migrate(players[3], fixture->player, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        watch(players[i], 0.15, 50, seconds[i]);
        CHECK_BYTES(seconds[i], seconds[0], sizeof seconds[0]);
        if (i > 0)
            md5_destroy_player(players[i]);
    }
}
