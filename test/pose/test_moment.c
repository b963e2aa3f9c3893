// Time to frames: the engine's table, the ends of cycles, and the range of doubles.
#include "test/test.h"

#include "md5/md5model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static md5_anim clip_of(uint32_t num_frames, double rate)
{
    return (md5_anim){
        .num_frames = num_frames,
        .frame_rate = rate,
        .duration = (num_frames - 1) / rate,
    };
}

static bool is_at(md5_moment moment, uint32_t frame0, uint32_t frame1, double fraction,
                  int64_t cycle)
{
    const bool same = moment.frame0 == frame0 && moment.frame1 == frame1
                      && fabs((double)moment.fraction - fraction) <= 1e-7 && moment.cycle == cycle;
    if (!same)
        printf("frames %u %u, fraction %.9g, cycle %lld\n", moment.frame0, moment.frame1,
               (double)moment.fraction, (long long)moment.cycle);
    return same;
}

// -- Tables -----------------------------------------------------------------------------------

typedef struct time_row {
    uint32_t num_frames;
    double rate;
    int ms, cycle_limit;
    int cycle, frame1, frame2;
    double back;
} time_row;

// In the engine a cycle limit below 1 means endless, and a clip that has reached its limit holds
// the last frame. So limit 1 is our clamp, and a higher limit is our loop until it is reached.
static md5_moment moment_of_row(const md5_anim *anim, const time_row *row)
{
    const double time = row->ms / 1000.0;
    const md5_moment loop = md5_moment_at(anim, time, MD5_WRAP_LOOP);
    if (row->cycle_limit == 1)
        return md5_moment_at(anim, time, MD5_WRAP_CLAMP);
    if (row->cycle_limit > 1 && loop.cycle >= row->cycle_limit) {
        md5_moment last = md5_moment_at(anim, INFINITY, MD5_WRAP_CLAMP);
        last.cycle = row->cycle_limit - 1;
        return last;
    }
    return loop;
}

// Frames since the start of all cycles: two notations of one position compare equal, which matters
// if rounding puts one just before a frame and the other on it.
static double strip_position(uint32_t num_frames, int64_t cycle, uint32_t frame, double fraction)
{
    return (double)cycle * (num_frames - 1) + frame + fraction;
}

static bool check_row(const time_row *row)
{
    const md5_anim anim = clip_of(row->num_frames, row->rate);
    const md5_moment moment = moment_of_row(&anim, row);
    // Before the start of an endless clip the engine shows frame 0; ours is the cycle before, so
    // that time can run backwards. That difference is intended.
    if (row->ms < 0 && row->cycle_limit != 1) {
        if (row->num_frames == 1)
            return is_at(moment, 0, 0, 0.0, 0);
        return row->frame1 == 0 && row->back == 0.0 && moment.cycle < 0;
    }
    const double ours =
        strip_position(row->num_frames, moment.cycle, moment.frame0, (double)moment.fraction);
    const double theirs =
        strip_position(row->num_frames, row->cycle, (uint32_t)row->frame1, row->back);
    // At rest on the last frame, both hold it.
    if (row->frame1 == row->frame2)
        return is_at(moment, moment.frame0, moment.frame0, 0.0, row->cycle) && ours == theirs;
    const bool follows = moment.frame1 == moment.frame0 + 1;
    return follows && moment.fraction >= 0.0f && moment.fraction < 1.0f
           && fabs(ours - theirs) <= 1e-6;
}

// "t numFrames rate length ms cycleLimit cycle frame1 frame2 front back", and nothing else.
static bool parse_row(const char *line, time_row *row)
{
    double n[10];
    const char *start = line + 1;
    for (int i = 0; i < 10; i++) {
        char *end;
        n[i] = strtod(start, &end);
        if (end == start)
            return false;
        start = end;
    }
    *row = (time_row){
        .num_frames = (uint32_t)n[0],
        .rate = n[1],
        .ms = (int)n[3],
        .cycle_limit = (int)n[4],
        .cycle = (int)n[5],
        .frame1 = (int)n[6],
        .frame2 = (int)n[7],
        .back = n[9],
    };
    return *start == '\0';
}

static void check_table(const char *path)
{
    char *text = test_read_file(path, NULL);
    if (!CHECK(text != NULL))
        return;
    int rows = 0, wrong = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        time_row row;
        if (line[0] != 't')
            continue;
        rows++;
        if (!parse_row(line, &row) || !check_row(&row)) {
            printf("%s: %s\n", path, line);
            wrong++;
        }
    }
    CHECK(rows > 100);
    CHECK_UINT((uint64_t)wrong, 0);
    free(text);
}

TEST (moment_agrees_with_the_reference_table) {
    check_table(test_path("test/reference/data/timetable.txt"));
}

TEST (moment_agrees_with_the_engine) {
    const char *corpus = test_corpus();
    if (!corpus) {
        test_skip("MD5_CORPUS is not set, golden/timetable.txt is not at hand");
        return;
    }
    char path[1024];
    snprintf(path, sizeof path, "%s/golden/timetable.txt", corpus);
    check_table(path);
}

// -- Wrapping ---------------------------------------------------------------------------------

TEST (moment_loops_over_one_interval_less_than_frames) {
    const md5_anim anim = clip_of(5, 8.0); // powers of two: no rounding
    CHECK(is_at(md5_moment_at(&anim, 0.0, MD5_WRAP_LOOP), 0, 1, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, 0.0625, MD5_WRAP_LOOP), 0, 1, 0.5, 0));
    CHECK(is_at(md5_moment_at(&anim, 0.4375, MD5_WRAP_LOOP), 3, 4, 0.5, 0));
    CHECK(is_at(md5_moment_at(&anim, 0.5, MD5_WRAP_LOOP), 0, 1, 0.0, 1));
    CHECK(is_at(md5_moment_at(&anim, 1.5, MD5_WRAP_LOOP), 0, 1, 0.0, 3));
    CHECK(is_at(md5_moment_at(&anim, -0.0625, MD5_WRAP_LOOP), 3, 4, 0.5, -1));
    CHECK(is_at(md5_moment_at(&anim, -0.5, MD5_WRAP_LOOP), 0, 1, 0.0, -1));
    CHECK(is_at(md5_moment_at(&anim, -0.53125, MD5_WRAP_LOOP), 3, 4, 0.75, -2));
}

TEST (moment_cycles_through_the_last_frame_into_the_first) {
    const md5_anim anim = clip_of(4, 8.0);
    CHECK(is_at(md5_moment_at(&anim, 0.3125, MD5_WRAP_CYCLE), 2, 3, 0.5, 0));
    CHECK(is_at(md5_moment_at(&anim, 0.375, MD5_WRAP_CYCLE), 3, 0, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, 0.4375, MD5_WRAP_CYCLE), 3, 0, 0.5, 0));
    CHECK(is_at(md5_moment_at(&anim, 0.5, MD5_WRAP_CYCLE), 0, 1, 0.0, 1));
    CHECK(is_at(md5_moment_at(&anim, -0.0625, MD5_WRAP_CYCLE), 3, 0, 0.5, -1));
}

TEST (moment_clamps_at_both_ends) {
    const md5_anim anim = clip_of(5, 8.0);
    CHECK(is_at(md5_moment_at(&anim, -7.0, MD5_WRAP_CLAMP), 0, 1, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, 0.0, MD5_WRAP_CLAMP), 0, 1, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, 0.4375, MD5_WRAP_CLAMP), 3, 4, 0.5, 0));
    CHECK(is_at(md5_moment_at(&anim, 0.5, MD5_WRAP_CLAMP), 4, 4, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, nextafter(0.5, 0.0), MD5_WRAP_CLAMP), 4, 4, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, 9.0, MD5_WRAP_CLAMP), 4, 4, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, INFINITY, MD5_WRAP_CLAMP), 4, 4, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, -INFINITY, MD5_WRAP_CLAMP), 0, 1, 0.0, 0));
}

TEST (moment_of_one_frame_is_always_that_frame) {
    const md5_anim anim = clip_of(1, 24.0);
    const double times[] = {0.0, 1.0, -1.0, 1e300, -INFINITY, INFINITY, NAN};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        for (int wrap = MD5_WRAP_LOOP; wrap <= MD5_WRAP_CLAMP; wrap++)
            CHECK(is_at(md5_moment_at(&anim, times[i], (md5_wrap)wrap), 0, 0, 0.0, 0));
    }
}

// -- Numbers ----------------------------------------------------------------------------------

TEST (moment_rounds_up_to_the_next_frame) {
    const md5_anim anim = clip_of(5, 8.0);
    CHECK(is_at(md5_moment_at(&anim, nextafter(0.125, 0.0), MD5_WRAP_LOOP), 1, 2, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, nextafter(0.5, 0.0), MD5_WRAP_LOOP), 0, 1, 0.0, 1));
    CHECK(is_at(md5_moment_at(&anim, -DBL_MIN, MD5_WRAP_LOOP), 0, 1, 0.0, 0));
    CHECK(is_at(md5_moment_at(&anim, -1e-12, MD5_WRAP_LOOP), 0, 1, 0.0, 0));
}

TEST (moment_is_defined_for_every_double) {
    const md5_anim anim = clip_of(5, 8.0);
    CHECK(is_at(md5_moment_at(&anim, NAN, MD5_WRAP_LOOP), 0, 1, 0.0, 0));
    // 2^61 seconds are 2^64 frames: a whole number of cycles, 2^62 of them.
    CHECK(is_at(md5_moment_at(&anim, 0x1p61, MD5_WRAP_LOOP), 0, 1, 0.0, (int64_t)1 << 62));
    CHECK(is_at(md5_moment_at(&anim, -0x1p61, MD5_WRAP_LOOP), 0, 1, 0.0, -((int64_t)1 << 62)));
    CHECK(is_at(md5_moment_at(&anim, 0x1p62, MD5_WRAP_LOOP), 0, 1, 0.0, INT64_MAX));
    CHECK(is_at(md5_moment_at(&anim, -0x1p62, MD5_WRAP_LOOP), 0, 1, 0.0, INT64_MIN));
    CHECK(is_at(md5_moment_at(&anim, -0x1p63, MD5_WRAP_LOOP), 0, 1, 0.0, INT64_MIN));

    const md5_moment most = md5_moment_at(&anim, DBL_MAX, MD5_WRAP_LOOP);
    const md5_moment infinite = md5_moment_at(&anim, INFINITY, MD5_WRAP_LOOP);
    CHECK(is_at(infinite, most.frame0, most.frame1, (double)most.fraction, most.cycle));
    CHECK(infinite.cycle == INT64_MAX);
    CHECK(md5_moment_at(&anim, -INFINITY, MD5_WRAP_CYCLE).cycle == INT64_MIN);

    // Rates that a file can have, with which products overflow or vanish.
    const md5_anim fast = clip_of(3, DBL_MAX), slow = clip_of(3, 5e-324);
    CHECK(md5_moment_at(&fast, 2.0, MD5_WRAP_LOOP).cycle == INT64_MAX);
    CHECK(is_at(md5_moment_at(&slow, DBL_MAX, MD5_WRAP_LOOP), 0, 1, 0.0, 0));
    CHECK(is_at(md5_moment_at(&slow, 0.25, MD5_WRAP_CYCLE), 0, 1, 0.0, 0));
}

// Whole numbers of frames, far out and with lengths that are no power of two, against division of
// integers.
TEST (moment_divides_exactly) {
    uint64_t random = 1;
    for (int i = 0; i < 100000; i++) {
        const uint32_t length = 1 + test_random_u32(&random) % (i % 2 ? 100u : UINT32_MAX - 1);
        const int64_t frame = (int64_t)(test_random_u32(&random))
                              << (test_random_u32(&random) % 30);
        const int64_t signed_frame = test_random(&random) < 0.5 ? -frame : frame;
        const md5_anim anim = clip_of(length + 1, 1.0);
        const md5_moment moment = md5_moment_at(&anim, (double)signed_frame, MD5_WRAP_LOOP);
        int64_t cycle = signed_frame / (int64_t)length, rest = signed_frame % (int64_t)length;
        if (rest < 0) {
            rest += length;
            cycle--;
        }
        if (!CHECK(is_at(moment, (uint32_t)rest, (uint32_t)rest + 1, 0.0, cycle)))
            return;
    }
}

TEST (moment_is_the_time_it_was_made_from) {
    uint64_t random = 2;
    for (int i = 0; i < 100000; i++) {
        const uint32_t num_frames = 2 + test_random_u32(&random) % 200;
        const double rate = 1.0 + 99.0 * test_random(&random);
        const double time = 1000.0 * (2.0 * test_random(&random) - 1.0);
        const md5_anim anim = clip_of(num_frames, rate);
        for (int wrap = MD5_WRAP_LOOP; wrap <= MD5_WRAP_CYCLE; wrap++) {
            const md5_moment moment = md5_moment_at(&anim, time, (md5_wrap)wrap);
            const double length = wrap == MD5_WRAP_LOOP ? num_frames - 1 : num_frames;
            const double position =
                (double)moment.cycle * length + moment.frame0 + (double)moment.fraction;
            const bool follows = moment.frame1 == (moment.frame0 + 1) % num_frames;
            if (!CHECK(follows && moment.fraction >= 0.0f && moment.fraction < 1.0f)
                || !CHECK_NEAR(position, time * rate, 1e-7))
                return;
        }
    }
}

TEST (moment_of_frame_numbers) {
    const md5_anim anim = clip_of(10, 24.0);
    CHECK(is_at(md5_moment_from_frames(&anim, 3, 4, 0.25f), 3, 4, 0.25, 0));
    CHECK(is_at(md5_moment_from_frames(&anim, 9, 0, 0.5f), 9, 0, 0.5, 0));
    CHECK(is_at(md5_moment_from_frames(&anim, 7, 2, 0.0f), 7, 2, 0.0, 0));
}

// A moment's fraction is below 1, so that 1 must be the second frame itself.
TEST (moment_of_frame_numbers_is_clamped) {
    const md5_anim anim = clip_of(10, 24.0), still = clip_of(1, 24.0);
    CHECK(is_at(md5_moment_from_frames(&anim, 10, UINT32_MAX, 0.5f), 9, 9, 0.5, 0));
    CHECK(is_at(md5_moment_from_frames(&still, 1, 2, 0.5f), 0, 0, 0.5, 0));
    CHECK(is_at(md5_moment_from_frames(&anim, 3, 4, 1.0f), 4, 4, 0.0, 0));
    CHECK(is_at(md5_moment_from_frames(&anim, 3, 4, INFINITY), 4, 4, 0.0, 0));
    CHECK(is_at(md5_moment_from_frames(&anim, 3, 4, -1.0f), 3, 4, 0.0, 0));
    CHECK(is_at(md5_moment_from_frames(&anim, 3, 4, NAN), 3, 4, 0.0, 0));
}
