// Tests of blending: weights of blend spaces in one and two dimensions, synchronized clips, kinds
// of blends, and blend spaces over the speed of the root (`by_speed`).
//
// Expected poses are computed in double precision by test_play_case.c; expected weights by the
// published formulas.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

// -- Blend kinds ----------------------------------------------------------------------------------
//
// Blends that are error-prone in other implementations: signs of rotations, reference poses of
// additive clips, synchronization, interpolation.

#define NEAR 3e-5

// Creates a player of two layers: the first fades from clip a to clip b, the second adds clip c.
static void begin_signs(play_scene *fixture, bool flips)
{
    uint64_t random = 3;
    play_scene_begin(fixture);
    for (uint32_t i = 0; i < 3; i++) {
        play_scene_add(fixture, 25, 24, 0.6, 41 + i);
        if (flips) {
            // q and -q are the same rotation; a file may contain either of them.
            md5_anim *anim = fixture->assets.anims[i];
            md5_quat *const rotations = (md5_quat *)anim->rotations;
            for (uint32_t j = 0; j < anim->num_frames * anim->num_rotations; j++) {
                if (test_random_u32(&random) % 2 == 0)
                    continue;
                const md5_quat q = rotations[j];
                rotations[j] = (md5_quat){-q.x, -q.y, -q.z, -q.w};
            }
        }
    }
    play_scene_read(fixture,
                    "layer body { state a a state b b state c c } layer more { add weight 0.5 "
                    "reference c 0 state a a state b b state c c }");
}

// A quaternion and its negative are the same rotation. A machine whose clips contain negated
// rotations has the same poses.
TEST (blend_kinds_do_not_depend_on_signs_of_quaternions) {
    for (int fade = 0; fade < 2; fade++) {
        play_scene plain, flipped;
        begin_signs(&plain, false);
        begin_signs(&flipped, true);
        for (int i = 0; i < 200; i++) {
            play_scene *const scenes[2] = {&plain, &flipped};
            md5_xform pose[2][PLAY_JOINTS];
            for (int k = 0; k < 2; k++) {
                if (i % 37 == 5)
                    md5_player_fade_to(scenes[k]->player, (uint32_t)(i % 2), (uint32_t)(i % 3),
                                       0.4f, (md5_fade)fade, MD5_EASE_SMOOTH);
                play_advance(scenes[k]->player, 0.02);
                play_pose(scenes[k]->player, pose[k]);
            }
            // An inertial fade computes speeds as differences of poses over 1/256 s, which
            // multiplies the rounding errors of the poses by 256.
            CHECK(play_pose_distance(pose[0], pose[1]) < (fade ? 2e-3 : NEAR));
        }
        play_scene_end(&plain);
        play_scene_end(&flipped);
    }
}

// The difference of a clip to its reference pose, added to the reference pose, is the clip.
TEST_PLAY (blend_kinds_add_to_the_reference, play_scene_begin(fixture)) {
    play_scene_add(fixture, 25, 24, 0.9, 51);
    play_scene_add(fixture, 25, 24, 0.9, 52);
    play_scene_read(fixture, "float still motion still clip a { start 0.25 speed still } "
                             "layer body { state still still } "
                             "layer more { add reference a 6 state b b }");
    for (int i = 0; i < 60; i++) {
        real_transform expected[PLAY_JOINTS];
        play_real_sample(fixture->assets.anims[1], fmod(0.03 * i, 1) * 24, expected);
        CHECK(play_miss(fixture->player, expected) < NEAR);
        play_advance(fixture->player, 0.03);
    }
}

// Blends left foot with left foot and right foot with right foot, at the middle between two clips
// of 20 and 30 intervals whose markers divide them differently.
TEST_PLAY (blend_kinds_synchronise_by_markers, play_scene_begin(fixture)) {
    play_scene_add(fixture, 21, 20, 0.5, 61);
    play_scene_add(fixture, 31, 20, 0.5, 62);
    play_scene_read(fixture,
                    "clip a f { markers ( 2 10 ) } clip b f { markers ( 3 21 ) } float x 0.5 "
                    "motion go line x { markers item a 0 item b 1 } "
                    "layer body { state go go transition go go { exit 1.25 } }");
    // Seconds from the left foot to the right foot, and from the right foot to the left foot, at
    // the mean speed of the two clips.
    const double to_right = 2.0 / (20.0 / 8.0 + 20.0 / 18.0);
    const double to_left = 2.0 / (20.0 / 12.0 + 20.0 / 12.0);
    // Playback begins at the first frame of the walk, which is 10/12 of the way to the left foot.
    const double first = to_left * 2.0 / 12.0;
    const double samples[4] = {first, first + to_right, first + 0.5 * to_right,
                               first + to_right + 0.25 * to_left};
    const double frames[4][2] = {{2, 3}, {10, 21}, {6, 12}, {13, 24}};
    for (int i = 0; i < 4; i++) {
        real_transform expected[PLAY_JOINTS], run[PLAY_JOINTS];
        md5_player_reset(fixture->player);
        play_advance(fixture->player, samples[i]);
        play_real_sample(fixture->assets.anims[0], frames[i][0], expected);
        play_real_sample(fixture->assets.anims[1], frames[i][1], run);
        play_real_blend(expected, run, 0.5, NULL, expected);
        CHECK(play_miss(fixture->player, expected) < NEAR);
        CHECK_NEAR(play_time(fixture->player), frames[i][0] / 20.0, 1e-6);
    }
    // The walk reaches 1.25 at the predicted time although its speed changes: frame 5 is 3/8 of the
    // way to the right foot.
    md5_player_reset(fixture->player);
    play_advance(fixture->player, first + to_right + to_left + 3.0 / 8.0 * to_right - 0.01);
    CHECK_NEAR(play_time(fixture->player), 1.25, 0.03);
    CHECK(play_time(fixture->player) < 1.25);
    play_advance(fixture->player, 0.01 + to_left / 12.0);
    CHECK_NEAR(play_time(fixture->player), 0.05, 1e-6);
}

// Two pairs of clips, each synchronized only within the pair: 20 and 30 frames per second in the
// first pair, 40 and 60 in the second.
TEST_PLAY (blend_kinds_synchronise_each_pair_alone, play_scene_begin(fixture)) {
    for (uint32_t i = 0; i < 4; i++)
        play_scene_add(fixture, 21, i < 2 ? 20 + 10.0 * i : 20.0 * i, 0.5, 91 + i);
    play_scene_read(fixture,
                    "float x 0.5 motion ab line x { phase item a 0 item b 1 } "
                    "motion cd line x { phase item c 0 item d 1 } "
                    "motion all line x { item ab 0 item cd 1 } layer body { state all all }");
    for (int step = 0; step < 40; step++) {
        real_transform parts[2][PLAY_JOINTS], second_pose[PLAY_JOINTS];
        for (int pair = 0; pair < 2; pair++) {
            // The rate of a pair is the mean of the rates of its clips: of 1 and 1.5 cycles per
            // second for the first pair, of 2 and 3 for the second.
            const double frame = fmod(0.03 * step * (pair ? 2.5 : 1.25), 1) * 20;
            play_real_sample(fixture->assets.anims[2 * pair], frame, parts[pair]);
            play_real_sample(fixture->assets.anims[2 * pair + 1], frame, second_pose);
            play_real_blend(parts[pair], second_pose, 0.5, NULL, parts[pair]);
        }
        play_real_blend(parts[0], parts[1], 0.5, NULL, parts[0]);
        CHECK(play_miss(fixture->player, parts[0]) < NEAR);
        play_advance(fixture->player, 0.03);
    }
}

// Step interpolation holds each frame; cubic interpolation equals md5_sample() for each way in
// which a clip ends.
TEST (blend_kinds_interpolate) {
    for (int kind = 0; kind < 5; kind++) {
        static const md5_wrap wraps[5] = {MD5_WRAP_LOOP, MD5_WRAP_CYCLE, MD5_WRAP_CLAMP,
                                          MD5_WRAP_LOOP, MD5_WRAP_LOOP};
        static const char *const words[5] = {"closed cubic", "open cubic", "cubic", "step",
                                             "nlerp"};
        SCOPED_PLAY fixture;
        play_scene_begin(&fixture);
        play_scene_add(&fixture, 9, 8, 0.9, 71);
        play_scene_read(&fixture,
                        "clip a f { %s } motion once clip a { once } layer body { state a %s }",
                        words[kind], kind == 2 ? "once" : "a");
        for (int i = 0; i < 100; i++) {
            md5_xform pose[PLAY_JOINTS], expected[PLAY_JOINTS];
            const double seconds = i / 64.0; // exact in binary, so that the bits are equal
            md5_sample_position sample =
                md5_sample_position_at(fixture.assets.anims[0], seconds, wraps[kind]);
            sample.interpolation = md5_machine_tables(fixture.machine)->clips[0].interpolation;
            md5_sample(fixture.assets.bindings[0], sample, MD5_ROOT_FILE, expected);
            play_pose(fixture.player, pose);
            CHECK(play_pose_distance(pose, expected) < 1e-5);
            play_advance(fixture.player, 1.0 / 64.0);
        }
    }
}

// Gives the items of a two-dimensional blend space in every order.
TEST (blend_kinds_of_a_plane_do_not_depend_on_the_order) {
    enum { ITEMS = 5, ORDERS = 120 };
    static const char *const items[ITEMS] = {"item a 1 0", "item b -1 0", "item c 0 1",
                                             "item d 0 -1", "item e 0 0"};
    md5_xform first[PLAY_JOINTS], pose[PLAY_JOINTS];
    play_scene fixture;
    play_scene_begin(&fixture);
    for (uint32_t i = 0; i < ITEMS; i++)
        play_scene_add(&fixture, 25, 24, 1.2, 81 + i);
    for (uint32_t order = 0; order < ORDERS; order++) {
        const char *row[ITEMS];
        uint32_t left[ITEMS] = {0, 1, 2, 3, 4};
        uint32_t rest = order;
        for (uint32_t i = 0; i < ITEMS; i++) {
            const uint32_t selected = rest % (ITEMS - i);
            const uint32_t item = left[selected];
            rest /= ITEMS - i;
            left[selected] = left[ITEMS - 1 - i];
            row[i] = items[item];
        }
        play_scene_read(&fixture,
                        "float x 0.2 float y 0.1 motion go plane x y { %s %s %s %s %s } "
                        "layer body { state go go }",
                        row[0], row[1], row[2], row[3], row[4]);
        play_advance(fixture.player, 0.4);
        play_pose(fixture.player, order == 0 ? first : pose);
        CHECK(order == 0 || play_pose_distance(first, pose) < 1e-6);
        md5_destroy_player(fixture.player);
        md5_destroy_machine(fixture.machine);
    }
    play_end(&fixture.assets);
}

// -- By speed -------------------------------------------------------------------------------------
//
// Blend spaces whose parameter is the speed of the root, measured over whole cycles.

// A clip: its walk, its number of frames, the frames of its markers and its frame rate, Hz.
typedef struct speed_clip {
    play_walk walk;
    uint32_t num_frames, markers[2];
    double frame_rate;
} speed_clip;

// Adds the clips c0, c1 and so on. The left foot is on the floor at the first marker, the right
// foot at the second. Without markers the clip has one footstep, at frame 0.
static void begin(play_scene *fixture, const speed_clip *clips, uint32_t count, md5_sync sync,
                  md5_root_extraction extract)
{
    STRINGS(syncs) = {"", "phase", "markers"};
    STRINGS(extracts) = {"", "move", "walk", "turn"};
    char rows[1024] = "";
    char items[128] = "";
    play_scene_begin(fixture);
    for (uint32_t i = 0; i < count; i++) {
        const speed_clip *const clip = &clips[i];
        const bool by_markers = sync == MD5_SYNC_MARKERS;
        char right[32] = "";
        play_add_clip(&fixture->assets, clip->num_frames, clip->frame_rate, 0.2, clip->walk, i);
        if (by_markers)
            snprintf(right, sizeof right, "frame %u step right", clip->markers[1]);
        const size_t used = strlen(rows);
        snprintf(rows + used, sizeof rows - used,
                 "clip c%u f { %s frame %u step left %s markers ( %u %u ) } ", i, extracts[extract],
                 by_markers ? clip->markers[0] : 0, right, clip->markers[0], clip->markers[1]);
        snprintf(items + strlen(items), 24, "item c%u ", i);
    }
    play_scene_read(fixture,
                    "%s float speed motion go by_speed speed { %s %s } "
                    "layer body { state go go }",
                    rows, syncs[sync], items);
}

// Returns the mean speed along x over `cycles` whole cycles of the first clip. Of the last time
// step, only the part until the end of the last cycle is used. If `by_steps` is true, the lengths
// of the time steps are added instead, for a root that rotates.
static double speed_over(md5_player *player, double cycles, bool by_steps)
{
    const double step = 1.0 / 512.0;
    const double first = play_time(player);
    double seconds = 0;
    double distance = 0;
    for (double time = first; time < first + cycles && seconds < 1e3;) {
        play_advance(player, step);
        const md5_vec3 moved = md5_player_root_motion(player).translation;
        const double current = play_time(player);
        const double part =
            current > first + cycles ? (first + cycles - time) / (current - time) : 1;
        const double length = sqrt((double)moved.x * moved.x + (double)moved.y * moved.y);
        distance += part * (by_steps ? length : moved.x);
        seconds += part * step;
        time = current;
    }
    return distance / seconds;
}

// Returns the largest error relative to the speed. For speeds near 0, it is relative to a hundredth
// of the highest speed.
static double max_speed_error(md5_player *player, double low, double high)
{
    double max_error = 0;
    for (int i = 0; i < 41; i++) {
        const double speed = low + (high - low) * i / 40.0;
        md5_player_reset(player);
        md5_player_set(player, 0, (float)speed);
        const double is = speed_over(player, 8, false);
        max_error = fmax(max_error, fabs(is - speed) / fmax(fabs(speed), 0.01 * fabs(high)));
    }
    return max_error;
}

// Two sets of clips: backward, idle, walk and run; and two gaits of which the faster gait has fewer
// but longer footsteps. A blend of these two by the mean of their rates would be faster at the
// middle than at the end.
static const speed_clip GAITS[] = {{{-20, 0, 0}, 25, {3, 14}, 24},
                                   {{0, 0, 0}, 41, {5, 30}, 20},
                                   {{30, 0, 0}, 25, {1, 13}, 24},
                                   {{90, 0, 1}, 16, {0, 6}, 25}};
static const speed_clip LONG_STEPS[] = {{{10, 0, 0}, 13, {0, 5}, 24},
                                        {{14, 0, 0}, 61, {11, 31}, 20}};

TEST_LONG (by_speed_the_parameter_is_the_speed) {
    for (md5_sync sync = MD5_SYNC_NONE; sync <= MD5_SYNC_MARKERS; sync++) {
        for (md5_root_extraction extract = MD5_ROOT_EXTRACTION_MOVE;
             extract <= MD5_ROOT_EXTRACTION_TURN; extract++) {
            SCOPED_PLAY fixture, second;
            begin(&fixture, GAITS, 4, sync, extract);
            // max_speed_error() measures whole cycles of the first clip. Without synchronization,
            // the cycles of the other clips end at other times. The measured speed is still exact,
            // because their root motion is uniform.
            CHECK_SMALL(max_speed_error(fixture.player, -20, 90), 1e-3);
            begin(&second, LONG_STEPS, 2, sync, extract);
            CHECK_SMALL(max_speed_error(second.player, 10, 14), 1e-3);
        }
    }
}

#define TEST_HERE(title, ...) TEST_PLAY (title, begin(fixture, __VA_ARGS__))

TEST_HERE (by_speed_items_have_the_speed_of_their_clips, GAITS, 4, MD5_SYNC_NONE,
           MD5_ROOT_EXTRACTION_MOVE) {
    CHECK_NEAR(md5_machine_item_speed(fixture->machine, 0, 0), -20, 0.02);
    CHECK_NEAR(md5_machine_item_speed(fixture->machine, 0, 2), 30, 0.03);
    CHECK_EXACT(md5_machine_item_speed(fixture->machine, 0, 4), 0); // the item does not exist
    CHECK_EXACT(md5_machine_item_speed(fixture->machine, 1, 0), 0); // the motion does not exist
}

TEST_HERE (by_speed_the_outermost_items_have_their_own_speed, GAITS, 4, MD5_SYNC_PHASE,
           MD5_ROOT_EXTRACTION_WALK) {
    md5_player_set(fixture->player, 0, -1000);
    CHECK_NEAR(speed_over(fixture->player, 4, false), -20, 0.02);
    md5_player_set(fixture->player, 0, 1000);
    CHECK_NEAR(speed_over(fixture->player, 4, false), 90, 0.09);
}

TEST (by_speed_of_clips_that_turn_is_along_their_arcs) {
    for (int side = -1; side <= 1; side += 2) {
        const speed_clip arcs[] = {{{30, side * 0.9, 0}, 25, {1, 13}, 24},
                                   {{90, side * 0.9, 0}, 16, {0, 6}, 25}};
        SCOPED_PLAY fixture;
        begin(&fixture, arcs, 2, MD5_SYNC_MARKERS, MD5_ROOT_EXTRACTION_TURN);
        for (int speed = 30; speed <= 90; speed += 5) {
            md5_player_set(fixture.player, 0, (float)speed);
            CHECK_NEAR(speed_over(fixture.player, 6, true) / speed, 1, 1e-3);
        }
    }
}

// Upward movement counts as forward, also if downward movement is faster.
TEST (by_speed_of_clips_that_climb_is_along_z) {
    static const speed_clip climbs[] = {{{1, 0, -30}, 25, {3, 14}, 24},
                                        {{1, 0, 20}, 25, {1, 13}, 24}};
    SCOPED_PLAY fixture;
    begin(&fixture, climbs, 2, MD5_SYNC_NONE, MD5_ROOT_EXTRACTION_MOVE);
    const double down = sqrt(30 * 30 + 1.0);
    const double up = (20 * 30 - 1.0) / down;
    CHECK_NEAR(md5_machine_item_speed(fixture.machine, 0, 0), -down, 0.03);
    CHECK_NEAR(md5_machine_item_speed(fixture.machine, 0, 1), up, 0.03);
}

typedef struct event_counter {
    uint32_t left, right;
} event_counter;

PLAY_LISTENER(hear)
{
    event_counter *const to = user;
    if (strcmp(event->text, "left") == 0)
        to->left++;
    else
        to->right++;
}

// The feet of both clips touch the floor in the same step, and equally often.
TEST (by_speed_clips_are_synchronized) {
    for (md5_sync sync = MD5_SYNC_PHASE; sync <= MD5_SYNC_MARKERS; sync++) {
        SCOPED_PLAY fixture;
        begin(&fixture, GAITS, 4, sync, MD5_ROOT_EXTRACTION_WALK);
        uint32_t num_lefts = 0;
        for (int speed = 35; speed < 90; speed += 10) {
            md5_player_set(fixture.player, 0, (float)speed);
            for (int i = 0; i < 2000; i++) {
                event_counter step = {0, 0};
                md5_player_advance(fixture.player, 1.0 / 700.0, hear, &step);
                const bool is_first = i == 0 && num_lefts == 0;
                CHECK(step.left == 0 || step.left == 2 || is_first);
                CHECK(step.right == 0 || step.right == 2);
                num_lefts += step.left;
            }
        }
        CHECK(num_lefts > 20);
    }
}

// -- Bobbin ---------------------------------------------------------------------------------------

// Returns the largest error of a motion that consists of Bobbin's clips, at speeds from `low` to
// `high`.
static double max_bobbin_error(const char *motion_text, double low, double high)
{
    STRINGS(clips) = {"walk_backward", "walk", "run"};
    SCOPED_CASE bobbin;
    play_begin_bobbin(&bobbin, clips, 3);
    SCOPED_MACHINE machine = play_machine_read(
        &bobbin, NULL,
        "float speed clip back f { turn markers ( 0 14 ) } clip walk f { turn markers ( 0 12 ) } "
        "clip run f { turn markers ( 0 16 ) } motion go %s layer body { state go go }",
        motion_text);
    SCOPED_PLAYER player = play_player(machine);
    return max_speed_error(player, low, high);
}

// Checks the statement of the header about `line`: its speed is far off between its items, although
// it is exact at the items.
TEST (by_speed_blend_of_bobbin_moves_at_the_parameter_unlike_a_line) {
    const double expected_speed =
        max_bobbin_error("line speed { markers item walk 20 item run 44 }", 20, 44);
    // A weight w of the run, which is longer by 15.2 units and faster by a quarter, adds 3.8 w (1 -
    // w) to 20 + 24 w units per second: 3.1 % at most.
    CHECK_NEAR(expected_speed, 0.031, 0.002);
    CHECK_SMALL(max_bobbin_error("by_speed speed { markers item walk item run }", 20, 44), 1e-3);
    CHECK_SMALL(
        max_bobbin_error("by_speed speed { markers item back item walk item run }", -10.5, 44),
        1e-3);
}

// -- Speeds that cannot be measured --------------------------------------------------------------

static void check_refused(const play_case *assets, const char *extract, const char *motion,
                          const char *message)
{
    play_refused(assets, NULL, message,
                 "clip c0 f { %s } clip c1 f { %s } clip c2 f { %s } clip c3 f { %s } float speed "
                 "motion still stack { item c2 } motion there_and_back clip c3 { ping_pong } "
                 "motion backward clip c2 { speed -1 } motion paced clip c2 { speed speed } "
                 "motion go by_speed speed { %s }",
                 extract, extract, extract, extract, motion);
}

TEST_HERE (by_speed_rejects_items_without_speed, GAITS, 4, MD5_SYNC_NONE,
           MD5_ROOT_EXTRACTION_WALK) {
    static const struct {
        const char *items;
        const char *message;
    } cases[] = {
        {"item c3 item c2", "motion 'go': items are not sorted by speed: item 1 ('c2') moves the "
                            "root at 30 units/s, the previous item at 90"},
        {"item c2 item c2", "motion 'go': items are not sorted by speed: item 1 ('c2') moves the "
                            "root at 30 units/s, the previous item at 30"},
        {"item c2 item still", "motion 'go': item 1 ('still') has no fixed speed: expected a clip "
                               "that loops forward at a fixed speed"},
        {"item c2 item there_and_back",
         "motion 'go': item 1 ('there_and_back') has no fixed speed: expected a clip that loops "
         "forward at a fixed speed"},
        {"item backward item c3", "motion 'go': item 0 ('backward') has no fixed speed: expected a "
                                  "clip that loops forward at a fixed speed"},
        {"item paced item c3", "motion 'go': item 0 ('paced') has no fixed speed: expected a clip "
                               "that loops forward at a fixed speed"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_refused(&fixture->assets, "walk", cases[i].items, cases[i].message);
    // A machine file cannot contain a position for an item of `by_speed`, so the positions are set
    // in the tables.
    static const md5_motion_item placed[][2] = {{{.motion = "c2"}, {.motion = "c3", .x = 90}},
                                                {{.motion = "c2"}, {.motion = "c3", .y = 90}}};
    for (size_t i = 0; i < COUNT_OF(placed); i++) {
        md5_machine_desc desc = *md5_machine_tables(fixture->machine);
        md5_motion_desc motion = desc.motions[0];
        motion.items = placed[i];
        motion.num_items = 2;
        desc.motions = &motion;
        play_desc_refused(&desc, "motion 'go': item 1 ('c3') has a position: expected none, "
                                 "because items of 'by_speed' are placed by their speed");
    }
    // Without extraction the root does not move.
    check_refused(&fixture->assets, "", "item c0 item c1 item c2 item c3",
                  "motion 'go': items are not sorted by speed: item 1 ('c1') moves the root at 0 "
                  "units/s, the previous item at 0");
}

// -- In step ------------------------------------------------------------------------------------
//
// Errors of synchronized states. Their playback is compared with a simulator in test_play_states.c.

TEST (states_that_cannot_be_synchronized_are_rejected) {
    SCOPED_PLAY fixture;
    play_scene_clips(&fixture, 1, 21, 20);
    play_scene_add(&fixture, 11, 30, 0.3, 2);
    static const struct {
        const char *message, *rows;
    } rows[] = {
        {"transition of layer 'body': states 'a' and 'b' cannot be synchronized with 'in_step': "
         "expected the same number of markers, found 0 and 2",
         "clip a \"\" clip b \"\" { markers ( 0 5 ) } layer body { state a a"
         " state b b transition a b { duration 1 in_step } }"},
        {"transition of layer 'body': state 'b' cannot be synchronized with 'in_step': its first "
         "clip does not loop",
         "clip a \"\" clip b \"\" motion c clip b { once } layer body { state a a"
         " state b c transition a b { duration 1 in_step } }"},
        {"transition of layer 'body': state 'b' cannot be synchronized with 'in_step': it has no "
         "motion",
         "clip a \"\" clip b \"\" layer body { state a a"
         " state b nothing transition a b { duration 1 in_step } }"},
        {"transition of layer 'body': state 'b' cannot be synchronized with 'in_step': its first "
         "clip has markers and plays ping-pong",
         "clip a \"\" { markers ( 0 5 ) } clip b \"\" { markers ( 0 5 ) } motion c clip b { "
         "ping_pong }"
         " layer body { state a a state b c transition a b { duration 1 in_step } }"},
        {"transition of layer 'body': states 'a' and 'b' cannot be synchronized with 'in_step': "
         "expected the same number of markers, found 0 and 2",
         "clip a \"\" clip b \"\" { markers ( 0 5 ) } layer body { state a a"
         " state b b transition any b { duration 1 in_step } }"},
        {"transition of layer 'body' refers to unknown state 'c'",
         "clip a \"\" clip b \"\" layer body { state a a state b b"
         " transition a b { duration 1 in_step leader c } }"},
        {"transition of layer 'body': leader 'c' is not one of its two states",
         "clip a \"\" clip b \"\" layer body { state a a state b b state c b"
         " transition a b { duration 1 in_step leader c } }"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        play_refused(&fixture.assets, NULL, rows[i].message, "%s", rows[i].rows);
}

typedef struct event_counts {
    const char *names[2];
    uint32_t counts[2];
    double sum; // sum of all weights
} event_counts;

PLAY_LISTENER(count_two)
{
    event_counts *const fixture = user;
    fixture->sum += (double)weight;
    for (int i = 0; i < 2; i++)
        fixture->counts[i] += strcmp(event->name, fixture->names[i]) == 0;
}

// A clip of 1 s that plays forward fades into a clip that plays backward. Their clock c, in cycles,
// advances through 0..1/2 at 2 (1 - w) - w cycles per second, and through 1/2..1 at 2/3 (1 - w) -
// w, where w is the weight. In 1 s from c = 0.4 the clock is at the marker after 0.052 s, reverses
// after 0.4 s at 0.6009, which is past an event at 0.6, and is at the marker again after 0.748 s.
// In 0.5 s from c = 0.1875 it is at the marker after 0.25 s; there the rate after the marker leads
// back to it, and so does the rate before it until 1/3 s. The integrals of these rates give the
// final cycle count. The clock is at the event equally long before and after it reverses, with a
// mean weight of 1 - 0.4 s.
TEST (a_synchronized_clock_reverses_and_stops_at_markers) {
    static const struct {
        double start;
        double fade;
        double end;
        uint32_t num_received;
    } rows[] = {{0.4, 1, 0.343248591, 2}, {0.1875, 0.5, 0.5 - 1.0 / 12.0, 0}};
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        static const int splits[] = {1, 2, 7, 100};
        SCOPED_PLAY fixture;
        play_scene_make(&fixture, 2,
                        "trigger go clip a f { markers ( 0 5 ) frame 8 far } "
                        "clip b f { markers ( 0 10 ) } motion back clip b { speed -1 } "
                        "layer body { state a a state b back "
                        "transition a b { when go duration %g in_step } }",
                        rows[k].fade);
        for (size_t j = 0; j < COUNT_OF(splits); j++) {
            event_counts received_events = {.names = {"far", ""}};
            md5_player_reset(fixture.player);
            md5_player_seek(fixture.player, 0, 0,
                            0.5 * rows[k].start); // c is twice the start, up to 1/2
            md5_player_set(fixture.player, 0, 1);
            for (int i = 0; i < splits[j]; i++)
                md5_player_advance(fixture.player, rows[k].fade / splits[j], count_two,
                                   &received_events);
            CHECK_NEAR(play_time(fixture.player), rows[k].end, 1e-7);
            CHECK_UINT(received_events.counts[0], rows[k].num_received);
            CHECK_NEAR(received_events.sum, 0.6 * rows[k].num_received, 1e-6);
        }
    }
}

// The transition of the same states lasts for several days. The rate is 2 - 3 t / D, so the
// direction reverses at t = 2/3 D.
TEST (a_synchronized_clock_reverses_after_days) {
    SCOPED_PLAY fixture;
    play_scene_make(&fixture, 2,
                    "trigger go motion there clip a { speed 2 } motion back clip b { speed -1 } "
                    "layer body { state a there state b back "
                    "transition a b { when go duration 600000 in_step } }");
    md5_player_set(fixture.player, 0, 1);
    play_advance(fixture.player, 600000);
    // The integral of the rate over D is D / 2.
    CHECK_NEAR(play_time(fixture.player), 300000, 1e-3);
}

// Ten steps of 0.1 s are slightly less than 1 s, the time of the transition.
TEST (a_synchronized_state_begins_at_a_whole_cycle) {
    static const int splits[] = {1, 10};
    for (size_t j = 0; j < COUNT_OF(splits); j++) {
        event_counts received_events = {.names = {"first", "last"}};
        SCOPED_PLAY fixture;
        play_scene_make(&fixture, 2,
                        "clip a f clip b f { frame 0 first frame 20 last } "
                        "motion once clip b { once } motion both stack { item a item once } "
                        "layer body { state a a state b both "
                        "transition a b { exit 1 duration 0.5 in_step } }");
        for (int i = 0; i < splits[j]; i++)
            md5_player_advance(fixture.player, 1.0 / splits[j], count_two, &received_events);
        md5_player_advance(fixture.player, 0.5, count_two, &received_events);
        CHECK_UINT(received_events.counts[0], 1);
        CHECK_UINT(received_events.counts[1], 0);
    }
}

// Plays 1.9 s in `num_steps` steps. Returns the time in state c, or -1 if the player is in another
// state.
static double time_after(play_scene *fixture, int num_steps)
{
    md5_player_reset(fixture->player);
    md5_player_set(fixture->player, 0, 1);
    play_steps(fixture->player, num_steps, 1.9);
    const md5_layer_status status = md5_player_layer(fixture->player, 0);
    return status.state == 2 ? status.time : -1;
}

// Cycles of 1 s and 1/2 s fade linearly into each other from `begin` on, so that their clock
// advances by 1 + t / D cycles per second. It has v seconds left when 1 - begin - t - t^2 / (2 D) =
// v (1 + t / D). With markers, `to` advances by 0.6 of its cycle in the quarter of a second in
// which the leader moves from the first marker to the second: 2.4 cycles per second. It then
// advances by 0.4 of its cycle in 3/4 s.
TEST (remaining_time_of_synchronized_clips_reaches_a_value_at_the_exact_time) {
    static const int splits[] = {1, 10, 19, 190, 1900};
    static const struct {
        // Seconds.
        double begin;
        double fade; // 0 with markers
        double left;
        bool has_markers;
        const char *compare;
        double at; // only with markers
    } rows[] = {
        {0, 1, 0.3, false, "<", 0},
        {0, 2, 0.25, false, "<=", 0},
        {0.3, 0.8, 0.1, false, "<", 0},
        {0, 1, 0.3, true, "<", 1.0 / 2.4 - 0.3},
        {0, 1, 0.2, true, "<=", 1.0 / 2.4 - 0.2},
        {0, 1, 0.1, true, "<", 0.9},
        {0, 1, 0.5, true, ">", 0.25},
    };
    for (size_t j = 0; j < COUNT_OF(rows); j++) {
        SCOPED_PLAY fixture;
        play_scene_clips(&fixture, 1, 21, 20);
        play_scene_add(&fixture, 21, rows[j].has_markers ? 20 : 40, 0.3, 2);
        play_scene_add(&fixture, 81, 20, 0.3, 3);
        const bool has_markers = rows[j].has_markers;
        const char *const markers_a = has_markers ? "markers ( 0 5 )" : "";
        const char *const markers_b = has_markers ? "markers ( 0 12 )" : "";
        const char *const leader = has_markers ? "leader a" : "";
        play_scene_read(&fixture,
                        "trigger go clip a f { %s } clip b f { %s } clip c f "
                        "motion late clip a { start %g } "
                        "layer body { state a late state b b state c c "
                        "transition a b { when go duration %g in_step %s } "
                        "transition b c { when time_left %s %g } }",
                        markers_a, markers_b, rows[j].begin, rows[j].fade, leader, rows[j].compare,
                        rows[j].left);
        const double half = 0.5 / rows[j].fade;
        const double linear = 1 + rows[j].left / rows[j].fade;
        const double rest = rows[j].left - (1 - rows[j].begin);
        const double root = (sqrt(linear * linear - 4 * half * rest) - linear) / (2 * half);
        const double at = rows[j].has_markers ? rows[j].at : root;
        for (size_t i = 0; i < COUNT_OF(splits); i++)
            CHECK_NEAR(4 * time_after(&fixture, splits[i]), 1.9 - at, 1e-7);
    }
}

// Random clips, fades, leaders and conditions; the reference plays them in steps of a millisecond.
TEST (remaining_time_of_synchronized_clips_does_not_depend_on_steps) {
    uint64_t random = 4;
    uint32_t num_transitions = 0;
    for (uint32_t i = 0; i < play_transitions(150); i++) {
        STRINGS(easings) = {"linear",     "smooth",     "cubic_in",   "back_in_out",
                            "bounce_out", "elastic_in", "square_root"};
        STRINGS(leaders) = {"", "", "leader a", "leader b"};
        STRINGS(compares) = {"<", "<=", ">", ">="};
        const uint32_t pick = test_random_u32(&random);
        const bool has_markers = pick % 2;
        test_text text = {0};
        SCOPED_PLAY fixture;
        play_scene_begin(&fixture);
        test_append(&text, "trigger go ");
        for (uint32_t k = 0; k < 3; k++) {
            if (k < 2)
                play_scene_add(&fixture, 21, 10 + 40 * test_random(&random), 0.3, k);
            else
                play_scene_add(&fixture, 81, 20, 0.3, k);
            test_append(&text, "clip %c f { ", 'a' + k);
            if (has_markers)
                test_append(&text, "markers ( %u %u ) ", test_random_u32(&random) % 8,
                            8 + test_random_u32(&random) % 12);
            test_append(&text, "} ");
        }
        test_append(&text,
                    "motion late clip a { start %.3f } "
                    "layer body { state a late state b b state c c "
                    "transition a b { when go duration %.3f %s in_step %s } "
                    "transition b c { when time_left %s %.3f and state_time > 0 } }",
                    test_random(&random), 0.1 + 1.5 * test_random(&random), easings[pick / 2 % 7],
                    leaders[pick / 16 % 4], compares[pick / 64 % 4], 0.6 * test_random(&random));
        play_scene_read(&fixture, "%s", text.bytes);
        const double full_time = time_after(&fixture, 1900);
        num_transitions += full_time >= 0;
        static const int splits[] = {1, 10, 19, 100};
        bool is_same = true;
        for (size_t j = 0; j < COUNT_OF(splits); j++)
            is_same = CHECK_NEAR(time_after(&fixture, splits[j]), full_time, 1e-7) && is_same;
        if (!CHECK_THAT(is_same, "machine %u", i))
            printf("%s\n", text.bytes);
        free(text.bytes);
        if (!is_same)
            break;
    }
    CHECK(num_transitions > play_transitions(150) / 2);
}
