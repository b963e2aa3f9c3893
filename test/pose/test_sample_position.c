// Conversion of times to frames: the table of the engine, the ends of cycles, and the range of
// doubles.
#include "test/scoped.h"

#include "md5/md5model.h"

#include <float.h>

static md5_anim make_clip(uint32_t num_frames, double rate)
{
    return (md5_anim){
        .num_frames = num_frames,
        .frame_rate = rate,
        .duration = (num_frames - 1) / rate,
    };
}

static bool is_at(md5_sample_position sample, uint32_t frame0, uint32_t frame1, double fraction,
                  int64_t cycle)
{
    const bool is_same_frames = sample.frame0 == frame0 && sample.frame1 == frame1;
    const bool is_same_fraction = fabs(sample.fraction - fraction) <= 1e-7;
    const bool same = is_same_frames && is_same_fraction && sample.cycle == cycle;
    if (!same)
        printf("frames %u %u, fraction %.9g, cycle %lld\n", sample.frame0, sample.frame1,
               sample.fraction, (long long)sample.cycle);
    return same;
}

// The sample position of a clip at a time.
typedef struct sample_position_row {
    double time;
    uint32_t frame0;
    uint32_t frame1;
    double fraction;
    int64_t cycle;
} sample_position_row;

static void check_sample_positions(const md5_anim *anim, md5_wrap wrap,
                                   const sample_position_row *rows, size_t count)
{
    for (const sample_position_row *row = rows; row < rows + count; row++)
        CHECK_THAT(is_at(md5_sample_position_at(anim, row->time, wrap), row->frame0, row->frame1,
                         row->fraction, row->cycle),
                   "time %.17g", row->time);
}
#define CHECK_SAMPLE_POSITIONS(anim, wrap, rows) \
    check_sample_positions(anim, wrap, rows, COUNT_OF(rows))

// -- Tables -----------------------------------------------------------------------------------

typedef struct time_row {
    uint32_t num_frames;
    double rate;
    int ms;
    int cycle_limit;
    int cycle;
    int frame1;
    int frame2;
    double back;
} time_row;

// Returns the sample position that a row of the engine's table describes. In the engine a cycle
// limit below 1 means endless, and a clip that has reached its limit holds the last frame. So limit
// 1 corresponds to MD5_WRAP_CLAMP, and a higher limit to MD5_WRAP_LOOP until the limit is reached.
static md5_sample_position sample_position_from_row(const md5_anim *anim, const time_row *row)
{
    const double time = row->ms / 1000.0;
    const md5_sample_position loop = md5_sample_position_at(anim, time, MD5_WRAP_LOOP);
    if (row->cycle_limit == 1)
        return md5_sample_position_at(anim, time, MD5_WRAP_CLAMP);
    if (row->cycle_limit > 1 && loop.cycle >= row->cycle_limit) {
        md5_sample_position last = md5_sample_position_at(anim, INFINITY, MD5_WRAP_CLAMP);
        last.cycle = row->cycle_limit - 1;
        return last;
    }
    return loop;
}

// Returns the number of frames since the start of all cycles. Two notations of the same position
// are equal: frame + 1, and frame with a fraction of 1. Rounding can give either.
static double strip_position(uint32_t num_frames, int64_t cycle, uint32_t frame, double fraction)
{
    return (double)cycle * (num_frames - 1) + frame + fraction;
}

static bool check_row(const time_row *row)
{
    const md5_anim anim = make_clip(row->num_frames, row->rate);
    const md5_sample_position sample = sample_position_from_row(&anim, row);
    // Before the start of an endless clip the engine shows frame 0. The library shows the previous
    // cycle, so that time can run backwards. This difference is intended.
    if (row->ms < 0 && row->cycle_limit != 1) {
        if (row->num_frames == 1)
            return is_at(sample, 0, 0, 0, 0);
        return row->frame1 == 0 && row->back == 0 && sample.cycle < 0;
    }
    const double actual =
        strip_position(row->num_frames, sample.cycle, sample.frame0, sample.fraction);
    const double expected =
        strip_position(row->num_frames, row->cycle, (uint32_t)row->frame1, row->back);
    // At rest on the last frame, the engine and the library hold this frame.
    if (row->frame1 == row->frame2)
        return is_at(sample, sample.frame0, sample.frame0, 0, row->cycle) && actual == expected;
    const bool follows = sample.frame1 == sample.frame0 + 1;
    const bool has_fraction = sample.fraction >= 0 && sample.fraction < 1;
    return follows && has_fraction && fabs(actual - expected) <= 1e-6;
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
    SCOPED char *text = test_read_file(path, NULL);
    REQUIRE(text);
    int rows = 0;
    int wrong = 0;
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
}

TEST (sample_position_agrees_with_the_reference_table) {
    check_table(test_path("test/reference/data/timetable.txt"));
}

TEST (sample_position_agrees_with_the_engine) {
    REQUIRE_CORPUS();
    check_table(test_path("golden/timetable.txt"));
}

// -- Wrapping ---------------------------------------------------------------------------------

TEST (sample_position_loops_over_one_interval_less_than_frames) {
    const md5_anim anim = make_clip(5, 8); // powers of two: no rounding
    const sample_position_row rows[] = {
        {0, 0, 1, 0, 0},     {0.0625, 0, 1, 0.5, 0},     {0.4375, 3, 4, 0.5, 0},
        {0.5, 0, 1, 0, 1},   {1.5, 0, 1, 0, 3},          {-0.0625, 3, 4, 0.5, -1},
        {-0.5, 0, 1, 0, -1}, {-0.53125, 3, 4, 0.75, -2},
    };
    CHECK_SAMPLE_POSITIONS(&anim, MD5_WRAP_LOOP, rows);
}

TEST (sample_position_cycles_through_the_last_frame_into_the_first) {
    const md5_anim anim = make_clip(4, 8);
    const sample_position_row rows[] = {
        {0.3125, 2, 3, 0.5, 0}, {0.375, 3, 0, 0, 0},      {0.4375, 3, 0, 0.5, 0},
        {0.5, 0, 1, 0, 1},      {-0.0625, 3, 0, 0.5, -1},
    };
    CHECK_SAMPLE_POSITIONS(&anim, MD5_WRAP_CYCLE, rows);
}

TEST (sample_position_clamps_at_both_ends) {
    const md5_anim anim = make_clip(5, 8);
    const sample_position_row rows[] = {
        {-7, 0, 1, 0, 0},
        {0, 0, 1, 0, 0},
        {0.4375, 3, 4, 0.5, 0},
        {0.5, 4, 4, 0, 0},
        {nextafter(0.5, 0), 4, 4, 0, 0},
        {9, 4, 4, 0, 0},
        {INFINITY, 4, 4, 0, 0},
        {-INFINITY, 0, 1, 0, 0},
    };
    CHECK_SAMPLE_POSITIONS(&anim, MD5_WRAP_CLAMP, rows);
}

TEST (sample_position_of_one_frame_is_always_that_frame) {
    const md5_anim anim = make_clip(1, 24);
    const double times[] = {0, 1, -1, 1e300, -INFINITY, INFINITY, NAN};
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        for (int wrap = MD5_WRAP_LOOP; wrap <= MD5_WRAP_CLAMP; wrap++)
            CHECK(is_at(md5_sample_position_at(&anim, times[i], (md5_wrap)wrap), 0, 0, 0, 0));
    }
}

// -- Numbers ----------------------------------------------------------------------------------

TEST (sample_position_rounds_up_to_the_next_frame) {
    const md5_anim anim = make_clip(5, 8);
    const sample_position_row rows[] = {
        {nextafter(0.125, 0), 1, 2, 0, 0},
        {nextafter(0.5, 0), 0, 1, 0, 1},
        {-DBL_MIN, 0, 1, 0, 0},
        {-1e-12, 0, 1, 0, 0},
    };
    CHECK_SAMPLE_POSITIONS(&anim, MD5_WRAP_LOOP, rows);
}

TEST (sample_position_is_defined_for_every_double) {
    const md5_anim anim = make_clip(5, 8);
    // 2^61 seconds are 2^64 frames: a whole number of cycles, 2^62 of them.
    const sample_position_row rows[] = {
        {NAN, 0, 1, 0, 0},
        {0x1p61, 0, 1, 0, (int64_t)1 << 62},
        {-0x1p61, 0, 1, 0, -((int64_t)1 << 62)},
        {0x1p62, 0, 1, 0, INT64_MAX},
        {-0x1p62, 0, 1, 0, INT64_MIN},
        {-0x1p63, 0, 1, 0, INT64_MIN},
    };
    CHECK_SAMPLE_POSITIONS(&anim, MD5_WRAP_LOOP, rows);

    const md5_sample_position largest = md5_sample_position_at(&anim, DBL_MAX, MD5_WRAP_LOOP);
    const md5_sample_position infinite = md5_sample_position_at(&anim, INFINITY, MD5_WRAP_LOOP);
    CHECK(is_at(infinite, largest.frame0, largest.frame1, largest.fraction, largest.cycle));
    CHECK(infinite.cycle == INT64_MAX);
    CHECK(md5_sample_position_at(&anim, -INFINITY, MD5_WRAP_CYCLE).cycle == INT64_MIN);

    // These frame rates are valid, but products with them overflow or underflow.
    const md5_anim fast = make_clip(3, DBL_MAX);
    const md5_anim slow = make_clip(3, 5e-324);
    CHECK(md5_sample_position_at(&fast, 2, MD5_WRAP_LOOP).cycle == INT64_MAX);
    CHECK(is_at(md5_sample_position_at(&slow, DBL_MAX, MD5_WRAP_LOOP), 0, 1, 0, 0));
    CHECK(is_at(md5_sample_position_at(&slow, 0.25, MD5_WRAP_CYCLE), 0, 1, 0, 0));
}

// Compares large whole numbers of frames with integer division, for lengths that are not powers of
// two.
TEST (sample_position_divides_exactly) {
    uint64_t random = 1;
    for (int i = 0; i < 100000; i++) {
        const uint32_t length = 1 + test_random_u32(&random) % (i % 2 ? 100u : UINT32_MAX - 1);
        const int64_t frame = (int64_t)(test_random_u32(&random))
                              << (test_random_u32(&random) % 30);
        const int64_t signed_frame = test_random(&random) < 0.5 ? -frame : frame;
        const md5_anim anim = make_clip(length + 1, 1);
        const md5_sample_position sample =
            md5_sample_position_at(&anim, (double)signed_frame, MD5_WRAP_LOOP);
        int64_t cycle = signed_frame / (int64_t)length;
        int64_t remainder = signed_frame % (int64_t)length;
        if (remainder < 0) {
            remainder += length;
            cycle--;
        }
        REQUIRE(is_at(sample, (uint32_t)remainder, (uint32_t)remainder + 1, 0, cycle));
    }
}

TEST (sample_position_converts_back_to_its_time) {
    uint64_t random = 2;
    for (int i = 0; i < 100000; i++) {
        const uint32_t num_frames = 2 + test_random_u32(&random) % 200;
        const double rate = 1.0 + 99.0 * test_random(&random);
        const double time = 1000.0 * (2.0 * test_random(&random) - 1.0);
        const md5_anim anim = make_clip(num_frames, rate);
        for (int wrap = MD5_WRAP_LOOP; wrap <= MD5_WRAP_CYCLE; wrap++) {
            const md5_sample_position sample = md5_sample_position_at(&anim, time, (md5_wrap)wrap);
            const double length = wrap == MD5_WRAP_LOOP ? num_frames - 1 : num_frames;
            const double position = (double)sample.cycle * length + sample.frame0 + sample.fraction;
            const bool follows = sample.frame1 == (sample.frame0 + 1) % num_frames;
            if (!CHECK(follows && sample.fraction >= 0 && sample.fraction < 1))
                return;
            if (!CHECK_NEAR(position, time * rate, 1e-7))
                return;
        }
    }
}

TEST (sample_position_of_frame_numbers) {
    const md5_anim anim = make_clip(10, 24);
    CHECK(is_at(md5_sample_position_from_frames(&anim, 3, 4, 0.25f), 3, 4, 0.25, 0));
    CHECK(is_at(md5_sample_position_from_frames(&anim, 9, 0, 0.5f), 9, 0, 0.5, 0));
    CHECK(is_at(md5_sample_position_from_frames(&anim, 7, 2, 0), 7, 2, 0, 0));
}

// The fraction of a sample position is below 1, so that 1 must be the second frame itself.
TEST (sample_position_of_frame_numbers_is_clamped) {
    const md5_anim anim = make_clip(10, 24);
    const md5_anim still = make_clip(1, 24);
    CHECK(is_at(md5_sample_position_from_frames(&anim, 10, UINT32_MAX, 0.5f), 9, 9, 0.5, 0));
    CHECK(is_at(md5_sample_position_from_frames(&still, 1, 2, 0.5f), 0, 0, 0.5, 0));
    CHECK(is_at(md5_sample_position_from_frames(&anim, 3, 4, 1), 4, 4, 0, 0));
    CHECK(is_at(md5_sample_position_from_frames(&anim, 3, 4, INFINITY), 4, 4, 0, 0));
    CHECK(is_at(md5_sample_position_from_frames(&anim, 3, 4, -1), 3, 4, 0, 0));
    CHECK(is_at(md5_sample_position_from_frames(&anim, 3, 4, NAN), 3, 4, 0, 0));
}
