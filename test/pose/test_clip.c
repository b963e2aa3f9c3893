// Tests of the conversion of a file's numbers to a clip: every flag is decoded, and tracks whose
// values do not change are found.
#include "test/pose/clip_case.h"
#include "test/scoped.h"

#include "md5/pose/skeleton.h"
#include "md5/read/tables.h"

#include <float.h>

typedef struct built_clip {
    uint8_t *changes;
    uint8_t *moves;
    uint32_t num_rotations;
    uint32_t num_translations;
    md5_clip_arrays arrays;
} built_clip;

static void *need(size_t count, size_t size)
{
    void *memory = test_calloc(count, size);
    return memory;
}

static built_clip build(const md5_anim_file *source)
{
    built_clip clip = {0};
    clip.changes = need(source->num_components, 1);
    clip.moves = need(source->num_joints, 1);
    md5i_plan_clip(source, clip.changes, clip.moves, &clip.num_rotations, &clip.num_translations);
    const size_t frames = source->num_frames;
    clip.arrays = (md5_clip_arrays){
        .base_frame = need(source->num_joints, sizeof(md5_xform)),
        .constant = need(source->num_joints, sizeof(md5_xform)),
        .rotation_joints = need(clip.num_rotations, sizeof(uint32_t)),
        .translation_joints = need(clip.num_translations, sizeof(uint32_t)),
        .rotations = need(frames * clip.num_rotations, sizeof(md5_quat)),
        .translations = need(frames * clip.num_translations, sizeof(md5_vec3)),
    };
    md5i_build_clip(source, clip.moves, NULL, &clip.arrays);
    return clip;
}

static void free_clip(built_clip *clip)
{
    free(clip->changes);
    free(clip->moves);
    free(clip->arrays.base_frame);
    free(clip->arrays.constant);
    free(clip->arrays.rotation_joints);
    free(clip->arrays.translation_joints);
    free(clip->arrays.rotations);
    free(clip->arrays.translations);
}

// -- Access for other tests -----------------------------------------------------------------------

void decode_clip(const clip_source *source, const clip_arrays *arrays, uint32_t *num_rotations,
                 uint32_t *num_translations)
{
    const md5_anim_file file = {
        .num_joints = source->num_joints,
        .num_frames = source->num_frames,
        .num_components = source->num_components,
        .tracks = source->tracks,
        .base_frame = source->base_frame,
        .numbers = source->numbers,
    };
    SCOPED uint8_t *const changes = need(source->num_components, 1);
    SCOPED uint8_t *const moves = need(source->num_joints, 1);
    md5i_plan_clip(&file, changes, moves, num_rotations, num_translations);
    const md5_clip_arrays decoded = {
        arrays->base_frame,         arrays->constant,  arrays->rotation_joints,
        arrays->translation_joints, arrays->rotations, arrays->translations,
    };
    md5i_build_clip(&file, moves, NULL, &decoded);
}

void compute_bind_pose(const md5_skeleton *skeleton, const md5_xform *transforms, md5_xform *local,
                       md5_mat34 *bind, md5_mat34 *inverse)
{
    md5i_build_bind_pose(skeleton, transforms, local, bind, inverse);
}

// -- Decoding -------------------------------------------------------------------------------------

// Decodes a joint of a frame by the rule of the format: of six components, those with a flag are
// overwritten in order.
static void decode(const md5_anim_file *source, uint32_t joint, uint32_t frame, double out[7])
{
    const md5_xform *base = &source->base_frame[joint];
    double slots[6] = {
        base->translation.x, base->translation.y, base->translation.z,
        base->rotation.x,    base->rotation.y,    base->rotation.z,
    };
    uint32_t next = source->tracks[joint].first;
    for (int i = 0; i < 6; i++) {
        if (source->tracks[joint].flags >> i & 1)
            slots[i] = source->numbers[(size_t)frame * source->num_components + next++];
    }
    memcpy(out, slots, sizeof slots);
    const double square = slots[3] * slots[3] + slots[4] * slots[4] + slots[5] * slots[5];
    out[6] = source->tracks[joint].flags >> 3 ? -sqrt(fabs(1.0 - square)) : base->rotation.w;
}

static void check_transform(const md5_xform *found, const double expected[7])
{
    CHECK(found->translation.x == expected[0]);
    CHECK(found->translation.y == expected[1]);
    CHECK(found->translation.z == expected[2]);
    CHECK(found->rotation.x == expected[3]);
    CHECK(found->rotation.y == expected[4]);
    CHECK(found->rotation.z == expected[5]);
    CHECK_NEAR(found->rotation.w, expected[6], 1e-6);
    CHECK(found->pad == 0);
}

static float small(uint64_t *random)
{
    return (float)(test_random(random) - 0.5);
}

enum { ALL_FLAGS = 64, FRAMES = 3 };

// Creates one joint for each value of the flags, with the components of all joints in order.
static uint32_t fill_source(uint64_t *random, md5_track *tracks, md5_xform *base, float *numbers,
                            bool still)
{
    uint32_t width = 0;
    for (uint32_t flags = 0; flags < ALL_FLAGS; flags++) {
        tracks[flags] = (md5_track){.flags = flags, .first = flags ? width : 0};
        for (uint32_t bits = flags; bits; bits >>= 1)
            width += bits & 1;
        md5_xform *b = &base[flags];
        *b = (md5_xform){
            .rotation = {small(random), small(random), small(random), 0},
            .translation = {small(random), small(random), small(random)},
        };
        const md5_quat q = b->rotation;
        b->rotation.w = -sqrtf(1.0f - (q.x * q.x + q.y * q.y + q.z * q.z));
    }
    for (uint32_t i = 0; i < FRAMES * width; i++)
        numbers[i] = still && i >= width ? numbers[i - width] : small(random);
    return width;
}

TEST (clip_decodes_all_flags) {
    for (int still = 0; still < 2; still++) {
        uint64_t random = 1;
        static md5_track tracks[ALL_FLAGS];
        static md5_xform base[ALL_FLAGS];
        static float numbers[FRAMES * ALL_FLAGS * 6];
        const uint32_t width = fill_source(&random, tracks, base, numbers, still);
        const md5_anim_file source = {
            .num_joints = ALL_FLAGS,
            .num_frames = FRAMES,
            .num_components = width,
            .tracks = tracks,
            .base_frame = base,
            .numbers = numbers,
        };
        built_clip clip = build(&source);
        // 8 combinations of flags animate no component of the rotation, and 8 no component of the
        // translation.
        CHECK_UINT(clip.num_rotations, still ? 0 : ALL_FLAGS - 8);
        CHECK_UINT(clip.num_translations, still ? 0 : ALL_FLAGS - 8);
        for (uint32_t joint = 0; joint < ALL_FLAGS; joint++) {
            for (uint32_t frame = 0; frame < FRAMES; frame++) {
                double expected[7];
                decode(&source, joint, frame, expected);

                // Find the transform of the joint in this frame of the clip.
                md5_xform found = clip.arrays.constant[joint];
                for (uint32_t i = 0; i < clip.num_rotations; i++) {
                    if (clip.arrays.rotation_joints[i] == joint)
                        found.rotation =
                            clip.arrays.rotations[(size_t)frame * clip.num_rotations + i];
                }
                for (uint32_t i = 0; i < clip.num_translations; i++) {
                    if (clip.arrays.translation_joints[i] == joint)
                        found.translation =
                            clip.arrays.translations[(size_t)frame * clip.num_translations + i];
                }

                check_transform(&found, expected);
            }
            double expected[7];
            decode(&source, joint, 0, expected);
            check_transform(&clip.arrays.constant[joint], expected);
        }
        free_clip(&clip);
    }
}

TEST (clip_without_flags_is_the_base_frame) {
    const md5_track tracks[2] = {{0, 0}, {0, 0}};
    const md5_xform base[2] = {
        {.rotation = {0.6f, 0, 0, -0.8f}, .translation = {1, 2, 3}},
        {.rotation = {0, 0, 0, -1}},
    };
    // The clip has no numbers, and so many frames that a loop over all frames would take too long.
    const md5_anim_file source = {
        .num_joints = 2, .num_frames = UINT32_MAX, .tracks = tracks, .base_frame = base};
    uint8_t changes[1];
    uint8_t moves[2];
    uint32_t num_rotations = 9;
    uint32_t num_translations = 9;
    md5i_plan_clip(&source, changes, moves, &num_rotations, &num_translations);
    CHECK_UINT(num_rotations, 0);
    CHECK_UINT(num_translations, 0);

    const md5_anim_file once = {
        .num_joints = 2, .num_frames = 1, .tracks = tracks, .base_frame = base};
    built_clip clip = build(&once);
    CHECK_BYTES(clip.arrays.constant, base, sizeof base);
    free_clip(&clip);
}

TEST (clip_finds_constants_by_value) {
    // Joint 0 moves along z in the last frame only; joint 1 rotates; joint 2 has flags, but its
    // numbers are constant: 0 and -0 are equal.
    const md5_track tracks[3] = {{7, 0}, {56, 3}, {63, 6}};
    md5_xform base[3];
    for (int joint = 0; joint < 3; joint++)
        base[joint] = (md5_xform){.rotation = {0, 0, 0, -1}};
    const float numbers[3][12] = {
        {1, 2, 3, 0.1f, 0.2f, 0.3f, 0, 5, 6, 0.5f, -0.0f, 0.5f},
        {1, 2, 3, 0.1f, 0.2f, 0.4f, -0.0f, 5, 6, 0.5f, 0, 0.5f},
        {1, 2, 7, 0.1f, 0.2f, 0.3f, 0, 5, 6, 0.5f, 0, 0.5f},
    };
    const md5_anim_file source = {.num_frames = 3,
                                  .num_joints = 3,
                                  .num_components = 12,
                                  .tracks = tracks,
                                  .base_frame = base,
                                  .numbers = numbers[0]};
    built_clip clip = build(&source);
    CHECK_UINT(clip.num_rotations, 1);
    CHECK_UINT(clip.num_translations, 1);
    CHECK_UINT(clip.arrays.translation_joints[0], 0);
    CHECK_UINT(clip.arrays.rotation_joints[0], 1);
    CHECK_UINT(clip.moves[2], 0);
    CHECK_EXACT(clip.arrays.translations[2].z, 7);
    CHECK_EXACT(clip.arrays.rotations[1].z, 0.4f);
    CHECK_EXACT(clip.arrays.constant[0].translation.z, 3);
    CHECK_NEAR(clip.arrays.constant[2].rotation.w, -0.70710678118654752, 1e-7);
    CHECK_EXACT(clip.arrays.constant[2].translation.y, 5);
    free_clip(&clip);
}

// A triple longer than 1 cannot be a rotation: it is normalized.
TEST (clip_shortens_overlong_rotations) {
    const md5_track track = {56, 0};
    const md5_xform base = {.rotation = {0, 0, 0, -1}};
    const float numbers[2][3] = {{0.9f, 0.9f, 0.9f}, {3, 0, -4}};
    const md5_anim_file source = {.num_frames = 2,
                                  .num_joints = 1,
                                  .num_components = 3,
                                  .tracks = &track,
                                  .base_frame = &base,
                                  .numbers = numbers[0]};
    built_clip clip = build(&source);
    const md5_quat found = clip.arrays.rotations[1];
    // w = -sqrt(24), all over sqrt(25 + 24).
    CHECK_NEAR(found.x, 3.0 / 7.0, 1e-7);
    CHECK_NEAR(found.z, -4.0 / 7.0, 1e-7);
    CHECK_NEAR(found.w, -sqrt(24.0) / 7.0, 1e-7);
    free_clip(&clip);
}

// A file with a million joints and many equal frames. Every second joint reads the same six
// numbers. A loop over joints and frames would take 10^11 steps.
TEST (clip_plan_is_linear_when_tracks_share_numbers) {
    enum { JOINTS = 1000000, MANY_FRAMES = 100000, WIDTH = 6 };
    SCOPED md5_track *tracks = need(JOINTS, sizeof *tracks);
    SCOPED md5_xform *base = need(JOINTS, sizeof *base);
    SCOPED float *numbers = need((size_t)MANY_FRAMES * WIDTH, sizeof *numbers);
    SCOPED uint8_t *moves = need(JOINTS, 1);
    uint8_t changes[WIDTH];
    for (int joint = 0; joint < JOINTS; joint++)
        tracks[joint] = (md5_track){.flags = joint % 2 ? 63 : 0};
    const md5_anim_file source = {.num_frames = MANY_FRAMES,
                                  .num_joints = JOINTS,
                                  .num_components = WIDTH,
                                  .tracks = tracks,
                                  .base_frame = base,
                                  .numbers = numbers};
    uint32_t num_rotations;
    uint32_t num_translations;
    md5i_plan_clip(&source, changes, moves, &num_rotations, &num_translations);
    CHECK_UINT(num_rotations, 0);
    CHECK_UINT(num_translations, 0);

    numbers[(size_t)MANY_FRAMES * WIDTH - 1] = 0.5f;
    md5i_plan_clip(&source, changes, moves, &num_rotations, &num_translations);
    CHECK_UINT(num_rotations, JOINTS / 2);
    CHECK_UINT(num_translations, 0);
}

// -- Sample positions ----------------------------------------------------------------------------

// Time to frames: the engine's table, the ends of cycles, and the range of doubles.

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
// 1 is our clamp, and a higher limit is our loop until it is reached.
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
    // Before the start of an endless clip the engine shows frame 0; ours is the cycle before, so
    // that time can run backwards. That difference is intended.
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
