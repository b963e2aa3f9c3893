// Random machines: a stretch of time in one step and in any split of it, forward and backward, must
// bring the same events in the same order, the same states, and the same displacement of the root.
// MD5_SPLIT_MACHINES says how many machines are tried, MD5_SPLIT_SEED which one alone.
#include "test/play/test_play_random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 5, MOST_PARTS = 40, MOST_HEARD = MD5_MAX_STEP_EVENTS };

typedef struct heard {
    const md5_event *events[MOST_HEARD];
    float weights[MOST_HEARD];
    uint32_t count;
} heard;

static void hear(void *user, md5_player *player, const md5_event *event, float weight)
{
    heard *const to = user;
    if (to->count == MOST_HEARD)
        return;
    CHECK(player != NULL && weight > 0.0f && weight <= 1.0f);
    to->events[to->count] = event;
    to->weights[to->count++] = weight;
}

typedef struct split_test {
    play_random_stock stock;
    heard whole, split;
    bool is_cut_off;      // a step would have done more than a step may
    uint64_t num_cut_off; // machines of which that is true
} split_test;

// -- One step, and a split of it --------------------------------------------------------------

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

// Divides a step into random parts, some of length 0 and some that end at borders, or into equal
// ones. Returns their number.
static uint32_t split_step(double seconds, double parts[MOST_PARTS], uint64_t *random)
{
    const uint32_t count = 1 + play_below(random, MOST_PARTS - 1);
    const bool is_even = play_one_in(random, 3);
    double cuts[MOST_PARTS + 1];
    cuts[0] = 0.0;
    for (uint32_t i = 1; i < count; i++) {
        const double at = fabs(seconds) * test_random(random);
        cuts[i] = play_one_in(random, 4)   ? fmin(floor(at * 20.0) / 20.0, fabs(seconds))
                  : play_one_in(random, 8) ? 0.0
                                           : at;
        if (is_even)
            cuts[i] = fabs(seconds) * i / count;
    }
    cuts[count] = fabs(seconds);
    qsort(cuts, count + 1, sizeof *cuts, compare_doubles);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = seconds < 0.0 ? cuts[i] - cuts[i + 1] : cuts[i + 1] - cuts[i];
    return count;
}

static bool same_events(const heard *whole, const heard *split)
{
    const uint32_t count = whole->count < split->count ? whole->count : split->count;
    uint32_t i = 0;
    while (i < count && whole->events[i] == split->events[i])
        i++;
    const bool is_same = i == whole->count && i == split->count;
    if (!test_check(is_same, __FILE__, __LINE__,
                    "event %u of %u in one step, of %u in a split: %s %s", i, whole->count,
                    split->count, i < whole->count ? whole->events[i]->name : "-",
                    i < split->count ? split->events[i]->name : "-"))
        return false;
    for (i = 0; i < count; i++) {
        if (!CHECK_NEAR((double)split->weights[i], (double)whole->weights[i], 1e-5))
            return false;
    }
    return true;
}

static bool same_states(md5_player *const players[2], uint32_t num_layers)
{
    for (uint32_t i = 0; i < num_layers; i++) {
        const md5_layer_status a = md5_player_layer(players[0], i);
        const md5_layer_status b = md5_player_layer(players[1], i);
        if (!CHECK_UINT(b.state, a.state) || !CHECK_NEAR(b.time, a.time, 1e-7)
            || !CHECK_NEAR((double)b.progress, (double)a.progress, 1e-5)
            || !CHECK_UINT((uint64_t)b.from, (uint64_t)a.from))
            return false;
    }
    return true;
}

// `path` is how far the root went, there and back. While weights change, or root motions that turn
// are blended, only short steps are exact; clips of 100 units a second, at up to eight times their
// speed, stop and turn round within one.
static bool same_places(play_place whole, play_place split, double path,
                        const play_random_tables *made)
{
    const double share = made->has_turns ? 0.2 : made->has_fades ? 0.05 : 1e-6;
    const double least = made->has_turns ? 5.0 : made->has_fades ? 1.0 : 1e-3;
    const double most = least + share * path;
    return CHECK_NEAR(split.x, whole.x, most) && CHECK_NEAR(split.y, whole.y, most)
           && CHECK_NEAR(split.z, whole.z, most)
           && CHECK_NEAR(remainder(split.yaw - whole.yaw, 6.283185307179586), 0.0, 0.02 * most);
}

static bool check_step(split_test *of, const play_random_tables *made, md5_player *const players[2],
                       uint64_t *random)
{
    const double seconds = play_random_seconds(random);
    double parts[MOST_PARTS];
    const uint32_t num_parts = split_step(seconds, parts, random);
    play_place whole = {0}, split = {0};
    double path = 0.0;
    // Computing poses makes no difference.
    const bool is_seen = play_one_in(random, 4);
    of->whole.count = of->split.count = 0;
    md5_player_advance(players[0], seconds, hear, &of->whole);
    play_go_on(&whole, md5_player_root_motion(players[0]));
    for (uint32_t i = 0; i < num_parts; i++) {
        md5_player_advance(players[1], parts[i], hear, &of->split);
        const md5_transform motion = md5_player_root_motion(players[1]);
        md5_transform pose[PLAY_JOINTS];
        if (is_seen && play_one_in(random, 3)) {
            play_pose(players[1], pose);
            if (!CHECK(play_is_sound(pose, PLAY_JOINTS)))
                return false;
        }
        const md5_vec3 by = motion.translation;
        path += sqrt((double)by.x * (double)by.x + (double)by.y * (double)by.y
                     + (double)by.z * (double)by.z);
        play_go_on(&split, motion);
    }
    const md5_advance_status status = md5_player_last_advance(players[0]);
    if (status.num_dropped > 0 || status.undivided > 0.0) {
        of->is_cut_off = true;
        return true;
    }
    return same_events(&of->whole, &of->split) && same_states(players, made->desc.num_layers)
           && same_places(whole, split, path, made);
}

static bool check_machine(split_test *of, uint64_t seed)
{
    static play_random_tables made;
    uint64_t random = seed * 0x2545F4914F6CDD1Du + 1;
    play_random_make(&of->stock, &made, &random);
    md5_machine *const machine = play_machine(&made.desc);
    md5_player *const players[2] = {play_player(machine), play_player(machine)};
    bool is_same = true;
    of->is_cut_off = false;
    for (int i = 0; is_same && !of->is_cut_off && i < STEPS; i++) {
        play_random_change(players, 2, &made, &random);
        is_same = check_step(of, &made, players, &random);
    }
    of->num_cut_off += of->is_cut_off;
    test_check(is_same, __FILE__, __LINE__, "machine of seed %llu: MD5_SPLIT_SEED tries it alone",
               (unsigned long long)seed);
    md5_free_player(players[0]);
    md5_free_player(players[1]);
    md5_free_machine(machine);
    return is_same;
}

TEST (any_split_of_a_step_of_any_machine_is_the_same) {
    enum { USUAL_MACHINES = 400, MOST_FAILED = 5 };
    const char *const wanted = getenv("MD5_SPLIT_MACHINES"), *const alone =
                                                                 getenv("MD5_SPLIT_SEED");
    split_test *const of = calloc(1, sizeof *of);
    play_random_begin(&of->stock);
    if (alone) {
        check_machine(of, strtoull(alone, NULL, 10));
    } else {
        const uint64_t count = wanted ? strtoull(wanted, NULL, 10) : USUAL_MACHINES;
        int num_failed = 0;
        for (uint64_t seed = 1; seed <= count && num_failed < MOST_FAILED; seed++)
            num_failed += !check_machine(of, seed);
    }
    play_end(&of->stock.made);
    free(of);
}
