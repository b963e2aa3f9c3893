// Root motion: the part that is extracted from a clip, over any split of the time.
#include "test/play/test_play_case.h"
#include "test/test.h"

#include "md5/play/clock.h"

#include <stdlib.h>

enum { NUM_FRAMES = 9 };

// Walks along a curve to the left: on frame i it has turned by i * step radians.
static void make_roots(double step, md5_xform *roots)
{
    for (int i = 0; i < NUM_FRAMES; i++) {
        const double yaw = 0.3 + i * step;
        roots[i] = (md5_xform){
            .rotation = {.z = (float)sin(0.5 * yaw), .w = (float)cos(0.5 * yaw)},
            .translation = {(float)(5.0 + 2.0 * i), (float)(0.3 * i * i), (float)(40 + i)},
        };
    }
}

static md5_root_track track_of(md5_extract extract, const md5_xform *roots, md5_root_delta *frames)
{
    md5i_make_root_track(extract, roots, NUM_FRAMES, frames);
    return (md5_root_track){extract, NUM_FRAMES, frames};
}

static const md5_timing LOOP = {NUM_FRAMES, 10.0, MD5_PERIOD_CLOSED, MD5_PLAY_LOOP};

static bool ways_agree(md5_root_delta a, md5_root_delta b, double tolerance)
{
    return CHECK_NEAR(a.x, b.x, tolerance) && CHECK_NEAR(a.y, b.y, tolerance)
           && CHECK_NEAR(a.z, b.z, tolerance) && CHECK_NEAR(a.cosine, b.cosine, tolerance)
           && CHECK_NEAR(a.sine, b.sine, tolerance);
}

static md5_root_delta way_of(const md5_root_track *track, const md5_timing *timing, md5_clock from,
                             md5_clock to)
{
    const md5_root_position start = md5i_root_position_at(track, timing, from);
    const md5_root_position end = md5i_root_position_at(track, timing, to);
    return md5i_root_delta_between(track, &start, &end);
}

TEST (a_root_delta_times_its_inverse_is_identity) {
    const md5_root_delta way = {3.0, -4.0, 5.0, 0.6, 0.8};
    const md5_root_delta none = {.cosine = 1.0};
    ways_agree(md5_root_delta_mul(way, md5_root_delta_inverse(way)), none, 1e-12);
    ways_agree(md5_root_delta_mul(md5_root_delta_inverse(way), way), none, 1e-12);
}

TEST (a_root_delta_as_a_transform_turns_by_its_yaw) {
    const md5_xform left = md5i_root_delta_transform((md5_root_delta){1.0, 2.0, 3.0, 0.0, 1.0});
    const md5_vec3 ahead = md5_quat_rotate(left.rotation, (md5_vec3){1.0f, 0.0f, 0.0f});
    CHECK_NEAR((double)ahead.x, 0.0, 1e-6);
    CHECK_NEAR((double)ahead.y, 1.0, 1e-6);
    CHECK_NEAR((double)left.translation.z, 3.0, 0.0);
    const md5_xform back = md5i_root_delta_transform((md5_root_delta){.cosine = -1.0});
    CHECK_NEAR((double)back.rotation.z, 1.0, 0.0);
    CHECK_NEAR((double)back.rotation.w, 0.0, 0.0);
}

TEST (each_kind_takes_its_own_axes) {
    md5_xform roots[NUM_FRAMES];
    md5_root_delta frames[NUM_FRAMES];
    make_roots(0.0, roots);
    const md5_clock start = {0}, end = md5i_clock_at(&LOOP, 0.5);
    md5_root_track track = track_of(MD5_EXTRACT_MOVE, roots, frames);
    ways_agree(way_of(&track, &LOOP, start, end), (md5_root_delta){8.0, 4.8, 4.0, 1.0, 0.0}, 1e-5);
    track = track_of(MD5_EXTRACT_WALK, roots, frames);
    ways_agree(way_of(&track, &LOOP, start, end), (md5_root_delta){8.0, 4.8, 0.0, 1.0, 0.0}, 1e-5);
}

// With the extracted part restored, the root is where the clip has it: delta * residual = sampled.
TEST (what_is_taken_out_is_what_is_given) {
    md5_xform roots[NUM_FRAMES];
    md5_root_delta frames[NUM_FRAMES];
    make_roots(0.4, roots);
    for (int extract = MD5_EXTRACT_MOVE; extract <= MD5_EXTRACT_TURN; extract++) {
        const md5_root_track track = track_of((md5_extract)extract, roots, frames);
        for (uint32_t frame = 0; frame + 1 < NUM_FRAMES; frame++) {
            const md5_clock clock = md5i_clock_at(&LOOP, frame / 8.0);
            const md5_moment moment = md5i_clock_moment(&LOOP, clock, MD5_INTERPOLATE_LINEAR);
            md5_xform left = roots[frame];
            md5i_remove_root_delta(MD5_AXES_ID, md5i_root_delta_at(&track, &moment), &left);
            const md5_root_delta way = way_of(&track, &LOOP, (md5_clock){0}, clock);
            const md5_xform whole = md5_xform_mul(md5i_root_delta_transform(way), left);
            const md5_vec3 off = md5_vec3_sub(whole.translation, roots[frame].translation);
            CHECK_NEAR((double)md5_vec3_dot(off, off), 0.0, 1e-8);
            CHECK_NEAR((double)left.translation.x, 5.0, 1e-4);
            CHECK_NEAR((double)left.translation.y, 0.0, 1e-4);
            if (extract == MD5_EXTRACT_TURN) {
                CHECK_NEAR((double)left.rotation.z, (double)roots[0].rotation.z, 1e-5);
                CHECK_NEAR((double)left.rotation.w, (double)roots[0].rotation.w, 1e-5);
            }
        }
    }
}

TEST (root_deltas_of_any_split_of_the_time_add_up) {
    md5_xform roots[NUM_FRAMES];
    md5_root_delta frames[NUM_FRAMES];
    make_roots(0.35, roots);
    const md5_root_track track = track_of(MD5_EXTRACT_TURN, roots, frames);
    uint64_t random = 9;
    for (int i = 0; i < 5000; i++) {
        const md5_timing timing = {NUM_FRAMES, 10.0, (md5_period)(i % 2),
                                   (md5_play_mode)(i / 2 % 3)};
        const double from = test_random(&random) * 6.0 - 3.0;
        const double to = from + test_random(&random) * 8.0 - 4.0;
        const md5_clock start = md5i_clock_at(&timing, from), end = md5i_clock_at(&timing, to);
        md5_root_delta sum = {.cosine = 1.0};
        md5_clock at = start;
        for (int part = 0; part < 5; part++) {
            const md5_clock next =
                part == 4 ? end : md5i_clock_at(&timing, from + (to - from) * test_random(&random));
            sum = md5_root_delta_mul(sum, way_of(&track, &timing, at, next));
            at = next;
        }
        if (!ways_agree(sum, way_of(&track, &timing, start, end), 1e-9))
            return;
    }
}

TEST (a_hundred_cycles_of_a_straight_walk_are_a_hundred_times_one) {
    md5_xform roots[NUM_FRAMES];
    md5_root_delta frames[NUM_FRAMES];
    make_roots(0.0, roots);
    const md5_root_track track = track_of(MD5_EXTRACT_WALK, roots, frames);
    const md5_clock far = md5i_clock_at(&LOOP, 100.0);
    const md5_root_delta way = way_of(&track, &LOOP, (md5_clock){0}, far);
    CHECK_NEAR(way.x, 1600.0, 1e-3);
    const md5_root_delta back = way_of(&track, &LOOP, far, (md5_clock){0});
    ways_agree(md5_root_delta_mul(way, back), (md5_root_delta){.cosine = 1.0}, 1e-9);
}

TEST (a_root_upside_down_keeps_the_yaw_it_had) {
    md5_xform roots[NUM_FRAMES];
    md5_root_delta frames[NUM_FRAMES];
    make_roots(0.2, roots);
    roots[4].rotation = (md5_quat){1.0f, 0.0f, 0.0f, 0.0f};
    md5i_make_root_track(MD5_EXTRACT_TURN, roots, NUM_FRAMES, frames);
    CHECK_NEAR(frames[4].cosine, frames[3].cosine, 1e-12);
    CHECK_NEAR(frames[4].sine, frames[3].sine, 1e-12);
}

TEST (half_a_turn_from_frame_to_frame_has_a_root_delta) {
    md5_xform roots[NUM_FRAMES];
    md5_root_delta frames[NUM_FRAMES];
    make_roots(3.14159265358979, roots);
    const md5_root_track track = track_of(MD5_EXTRACT_TURN, roots, frames);
    for (int step = 0; step < 32; step++) {
        const md5_clock clock = md5i_clock_at(&LOOP, step / 32.0);
        const md5_root_delta way = way_of(&track, &LOOP, (md5_clock){0}, clock);
        CHECK_NEAR(way.cosine * way.cosine + way.sine * way.sine, 1.0, 1e-6);
    }
}

// Motion counts from the root's place in the first frame, wherever that is.
TEST (root_motion_begins_where_the_clip_does) {
    play_scene of;
    md5_error error;
    play_scene_begin(&of);
    (void)play_add_clip(&of.made, 21, 20.0, 0.3, (play_walk){30.0, 0.0, 0.0}, 1);
    md5_anim moved = *of.made.anims[0];
    const size_t count = (size_t)moved.num_frames * moved.num_translations;
    md5_vec3 *const translations = malloc(count * sizeof *translations);
    CHECK_UINT(moved.translation_joints[0], 0);
    for (size_t i = 0; i < count; i++) {
        const md5_vec3 at = moved.translations[i];
        translations[i] =
            i % moved.num_translations > 0 ? at : (md5_vec3){at.x + 7.0f, at.y - 3.0f, at.z + 5.0f};
    }
    moved.translations = translations;
    md5_binding *const binding = md5_bind(of.made.model, &moved, NULL, &error);
    of.clips[0] = (md5_clip_desc){.name = "walk", .binding = binding, .extract = MD5_EXTRACT_MOVE};
    const md5_state_desc walk[] = {{"walk", "walk"}};
    const md5_layer_desc layer = {.name = "body", ROWS(states, walk)};
    play_scene_play(&of, &(md5_machine_desc){ROW(layers, layer)});
    md5_player_advance(of.player, 0.1, NULL, NULL);
    const md5_vec3 way = md5_player_root_motion(of.player).translation;
    CHECK_NEAR((double)way.x, 3.0, 1e-4);
    CHECK_NEAR((double)way.y, 0.0, 1e-4);
    CHECK_NEAR((double)way.z, 0.0, 1e-4);
    play_scene_end(&of);
    md5_free_binding(binding);
    free(translations);
}
