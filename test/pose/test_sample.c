// Sampling a clip as a pose; the root modes; root motion; bounds.
#include "test/pose/clip_case.h"
#include "test/pose/test_generated_pose.h"
#include "test/real.h"

#include <float.h>

enum { MAX_JOINTS = 24, MAX_FRAMES = 9, MAX_NUMBERS = MAX_FRAMES * MAX_JOINTS * 6 };

// A clip with all of its memory in one struct.
typedef struct generated_clip {
    md5_anim anim;
    clip_source source;
    md5_joint joints[MAX_JOINTS];
    uint32_t order[MAX_JOINTS];
    md5_track tracks[MAX_JOINTS];
    md5_xform base[MAX_JOINTS];
    md5_xform constant[MAX_JOINTS];
    float numbers[MAX_NUMBERS];
    uint32_t rotation_joints[MAX_JOINTS];
    uint32_t translation_joints[MAX_JOINTS];
    md5_quat rotations[MAX_FRAMES * MAX_JOINTS];
    md5_vec3 translations[MAX_FRAMES * MAX_JOINTS];
    md5_bounds bounds[MAX_FRAMES];
} generated_clip;

// Builds the clip from its joints, tracks, base frame, numbers and counts.
static void finish_clip(generated_clip *clip, double rate)
{
    clip_source *source = &clip->source;
    source->tracks = clip->tracks;
    source->base_frame = clip->base;
    source->numbers = clip->numbers;
    md5_anim *anim = &clip->anim;
    *anim = (md5_anim){
        .skeleton = {.num_joints = source->num_joints,
                     .joints = clip->joints,
                     .order = clip->order},
        .tracks = clip->tracks,
        .base_frame = clip->base,
        .num_frames = source->num_frames,
        .frame_rate = rate,
        .duration = (source->num_frames - 1) / rate,
        .constant = clip->constant,
        .rotation_joints = clip->rotation_joints,
        .translation_joints = clip->translation_joints,
        .rotations = clip->rotations,
        .translations = clip->translations,
        .num_components = source->num_components,
    };
    const clip_arrays arrays = {
        clip->base,      clip->constant,    clip->rotation_joints, clip->translation_joints,
        clip->rotations, clip->translations};
    decode_clip(source, &arrays, &anim->num_rotations, &anim->num_translations);
}

static float within(uint64_t *random, double size)
{
    return (float)(size * (2 * test_random(random) - 1));
}

// The numbers x y z of a rotation are shorter than 1: 3 * 0.57^2 < 1.
static void make_random_clip(generated_clip *clip, uint64_t *random)
{
    memset(clip, 0, sizeof *clip);
    const uint32_t count = 1 + test_random_u32(random) % MAX_JOINTS;
    uint32_t width = 0;
    for (uint32_t joint = 0; joint < count; joint++) {
        clip->joints[joint] = (md5_joint){.name = "", .parent = joint - 1};
        clip->order[joint] = joint;
        clip->tracks[joint] = (md5_track){test_random_u32(random) & 63, width};
        const float x = within(random, 0.57);
        const float y = within(random, 0.57);
        const float z = within(random, 0.57);
        clip->base[joint] = (md5_xform){
            .rotation = md5_quat_from_xyz(x, y, z),
            .translation = {within(random, 50), within(random, 50), within(random, 50)},
        };
        for (uint32_t bits = clip->tracks[joint].flags; bits; bits >>= 1)
            width += bits & 1;
    }
    clip->source.num_joints = count;
    clip->source.num_components = width;
    clip->source.num_frames = 1 + test_random_u32(random) % MAX_FRAMES;
    for (uint32_t frame = 0; frame < clip->source.num_frames; frame++) {
        float *next = clip->numbers + (size_t)frame * width;
        for (uint32_t joint = 0; joint < count; joint++) {
            for (uint32_t bit = 0; bit < 6; bit++) {
                if (clip->tracks[joint].flags >> bit & 1)
                    *next++ = within(random, bit < 3 ? 50 : 0.57);
            }
        }
    }
    finish_clip(clip, 1 + 59 * test_random(random));
}

static md5_xform in_frame(const md5_anim *anim, uint32_t joint, uint32_t frame)
{
    md5_xform transform = anim->constant[joint];
    for (uint32_t i = 0; i < anim->num_rotations; i++) {
        if (anim->rotation_joints[i] == joint)
            transform.rotation = anim->rotations[(size_t)frame * anim->num_rotations + i];
    }
    for (uint32_t i = 0; i < anim->num_translations; i++) {
        if (anim->translation_joints[i] == joint)
            transform.translation = anim->translations[(size_t)frame * anim->num_translations + i];
    }
    return transform;
}

// Compares the numbers, not the bits: -0 equals 0.
static bool same_transform(const md5_xform *a, const md5_xform *b)
{
    const float *const p = (const float *)a;
    const float *const q = (const float *)b;
    for (size_t i = 0; i < sizeof *a / sizeof *p; i++) {
        if (p[i] != q[i])
            return false;
    }
    return true;
}

TEST (sample_at_a_frame_equals_the_frame) {
    uint64_t random = 1;
    static generated_clip clip;
    for (int round = 0; round < 200; round++) {
        make_random_clip(&clip, &random);
        md5_xform pose[MAX_JOINTS];
        for (uint32_t frame = 0; frame < clip.anim.num_frames; frame++) {
            // At fraction 0, the other frame must have no effect.
            const md5_sample_position sample = {.frame0 = frame,
                                                .frame1 = (frame + 1) % clip.anim.num_frames};
            sample_anim(&clip.anim, sample, MD5_ROOT_FILE, pose);
            for (uint32_t joint = 0; joint < clip.source.num_joints; joint++) {
                const md5_xform expected = in_frame(&clip.anim, joint, frame);
                REQUIRE(same_transform(&pose[joint], &expected));
            }
        }
    }
}

TEST (sample_between_frames_slerps_and_lerps) {
    uint64_t random = 2;
    static generated_clip clip;
    for (int round = 0; round < 500; round++) {
        make_random_clip(&clip, &random);
        md5_xform pose[MAX_JOINTS];
        const md5_sample_position sample =
            md5_sample_position_at(&clip.anim, 10 * test_random(&random), MD5_WRAP_CYCLE);
        sample_anim(&clip.anim, sample, MD5_ROOT_FILE, pose);
        for (uint32_t joint = 0; joint < clip.source.num_joints; joint++) {
            const md5_xform a = in_frame(&clip.anim, joint, sample.frame0);
            const md5_xform b = in_frame(&clip.anim, joint, sample.frame1);
            const md5_xform expected = {
                .rotation = md5_quat_slerp(a.rotation, b.rotation, sample.fraction),
                .translation = md5_vec3_lerp(a.translation, b.translation, sample.fraction),
            };
            REQUIRE(same_transform(&pose[joint], &expected));
        }
    }
}

static bool is_valid_transform(const md5_xform *transform)
{
    const md5_quat q = transform->rotation;
    const double square =
        (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    const md5_vec3 t = transform->translation;
    const bool is_finite = isfinite(t.x) && isfinite(t.y) && isfinite(t.z);
    return fabs(sqrt(square) - 1) <= 1e-6 && is_finite && transform->pad == 0;
}

TEST (sample_is_a_pose_at_any_time) {
    uint64_t random = 3;
    static generated_clip clip;
    for (int round = 0; round < 2000; round++) {
        make_random_clip(&clip, &random);
        const double reach = pow(10, 24 * test_random(&random) - 3);
        const double times[] = {reach * (test_random(&random) - 0.5), NAN, INFINITY, -INFINITY};
        const double time = times[round % 8 < 5 ? 0 : round % 8 - 4];
        const md5_wrap wrap = (md5_wrap)(test_random_u32(&random) % 3);
        const md5_root root = (md5_root)(test_random_u32(&random) % 3);
        const md5_sample_position sample = md5_sample_position_at(&clip.anim, time, wrap);
        md5_xform pose[MAX_JOINTS];
        sample_anim(&clip.anim, sample, root, pose);
        for (uint32_t joint = 0; joint < clip.source.num_joints; joint++) {
            REQUIRE(is_valid_transform(&pose[joint]));
        }
    }
}

// -- Motion of the root -----------------------------------------------------------------------

// Joint 0 walks along x, 10 units per cycle of 4 intervals, sways in y and has no flag for z; its
// first frame is not the base frame. Joint 1 nods.
static void make_walk(generated_clip *clip)
{
    memset(clip, 0, sizeof *clip);
    clip->joints[0] = (md5_joint){"origin", MD5_NONE};
    clip->joints[1] = (md5_joint){"hips", 0};
    clip->order[1] = 1;
    clip->tracks[0] = (md5_track){3, 0};
    clip->tracks[1] = (md5_track){8, 2};
    clip->base[0] = (md5_xform){{0, 0, 0, -1}, {100, 20, 7}, 0};
    clip->base[1] = (md5_xform){{0, 0, 0, -1}, {0, 0, 40}, 0};
    static const float numbers[5][3] = {
        {101, 20, 0}, {103, 21, 0.1f}, {105, 20, 0.2f}, {108, 19, 0.1f}, {111, 20, 0}};
    memcpy(clip->numbers, numbers, sizeof numbers);
    clip->source = (clip_source){.num_joints = 2, .num_frames = 5, .num_components = 3};
    finish_clip(clip, 8);
    for (int frame = 0; frame < 5; frame++) {
        const float x = numbers[frame][0];
        const float y = numbers[frame][1];
        clip->bounds[frame] = (md5_bounds){{x - 5, y - 6, 0}, {x + 5, y + 6, 70}};
    }
}

#define TEST_WALK(title) TEST_WITH (title, generated_clip, clip, make_walk(clip), (void)0)

static md5_vec3 root_at(const generated_clip *clip, double time, md5_wrap wrap, md5_root root)
{
    md5_xform pose[MAX_JOINTS];
    sample_anim(&clip->anim, md5_sample_position_at(&clip->anim, time, wrap), root, pose);
    return pose[0].translation;
}

TEST_WALK (root_as_in_the_file) {
    CHECK_VEC3(root_at(clip, 0.0625, MD5_WRAP_LOOP, MD5_ROOT_FILE), 102, 20.5, 7, 1e-5);
    CHECK_VEC3(root_at(clip, 0.5625, MD5_WRAP_LOOP, MD5_ROOT_FILE), 102, 20.5, 7, 1e-5);
    CHECK_VEC3(root_at(clip, 0.5, MD5_WRAP_CLAMP, MD5_ROOT_FILE), 111, 20, 7, 1e-5);
}

// The base frame is subtracted, also from components without a flag; a cycle adds last minus base.
TEST_WALK (root_as_in_the_engine) {
    CHECK_VEC3(root_at(clip, 0.0625, MD5_WRAP_LOOP, MD5_ROOT_ID), 2, 0.5, 0, 1e-5);
    CHECK_VEC3(root_at(clip, 0.5, MD5_WRAP_CLAMP, MD5_ROOT_ID), 11, 0, 0, 1e-5);
    CHECK_VEC3(root_at(clip, 0.5625, MD5_WRAP_LOOP, MD5_ROOT_ID), 13, 0.5, 0, 1e-5);
    CHECK_VEC3(root_at(clip, 5, MD5_WRAP_LOOP, MD5_ROOT_ID), 111, 0, 0, 1e-4);
    CHECK_VEC3(root_at(clip, -0.5, MD5_WRAP_LOOP, MD5_ROOT_ID), -10, 0, 0, 1e-5);
}

TEST_WALK (root_in_place_holds_the_first_frame) {
    for (int i = -20; i < 20; i++)
        CHECK_VEC3(root_at(clip, i * 0.1, MD5_WRAP_LOOP, MD5_ROOT_IN_PLACE), 101, 20, 7, 0);
}

static md5_vec3 motion(const md5_anim *anim, double from, double to, md5_wrap wrap)
{
    const md5_sample_position a = md5_sample_position_at(anim, from, wrap);
    const md5_sample_position b = md5_sample_position_at(anim, to, wrap);
    return md5_anim_root_motion(anim, a, b);
}

TEST_WALK (root_motion_counts_cycles) {
    CHECK_VEC3(motion(&clip->anim, 0, 0.125, MD5_WRAP_LOOP), 2, 1, 0, 1e-5);
    CHECK_VEC3(motion(&clip->anim, 0.125, 0, MD5_WRAP_LOOP), -2, -1, 0, 1e-5);
    CHECK_VEC3(motion(&clip->anim, 0, 0.5, MD5_WRAP_LOOP), 10, 0, 0, 1e-5);
    CHECK_VEC3(motion(&clip->anim, 0, 0.5, MD5_WRAP_CLAMP), 10, 0, 0, 1e-5);
    CHECK_VEC3(motion(&clip->anim, -0.5, 50, MD5_WRAP_LOOP), 1010, 0, 0, 1e-3);
    CHECK_VEC3(motion(&clip->anim, 0.45, 0.55, MD5_WRAP_LOOP), 1.2 + 0.8, 0.4 + 0.4, 0, 1e-5);
}

// Between the last frame and the first frame the character does not move. It then continues from
// this position.
TEST_WALK (root_waits_where_a_cycle_ends) {
    CHECK_VEC3(motion(&clip->anim, 0, 0.5, MD5_WRAP_CYCLE), 10, 0, 0, 1e-5);
    CHECK_VEC3(motion(&clip->anim, 0, 0.5625, MD5_WRAP_CYCLE), 10, 0, 0, 1e-5);
    CHECK_VEC3(motion(&clip->anim, 0, 0.625, MD5_WRAP_CYCLE), 10, 0, 0, 1e-5);
    CHECK_VEC3(motion(&clip->anim, 0, 0.75, MD5_WRAP_CYCLE), 12, 1, 0, 1e-5);
    CHECK_VEC3(root_at(clip, 0.5625, MD5_WRAP_CYCLE, MD5_ROOT_ID), 11.5, 0, 0, 1e-5);
    CHECK_VEC3(root_at(clip, 0.625, MD5_WRAP_CYCLE, MD5_ROOT_ID), 12, 0, 0, 1e-5);
    // With MD5_ROOT_FILE the root moves back to its first position at the end of a cycle.
    CHECK_VEC3(root_at(clip, 0.5625, MD5_WRAP_CYCLE, MD5_ROOT_FILE), 106, 20, 7, 1e-5);
}

TEST (root_motion_adds_up_over_any_split) {
    uint64_t random = 4;
    static generated_clip clip;
    for (int round = 0; round < 300; round++) {
        make_random_clip(&clip, &random);
        const md5_wrap wrap = (md5_wrap)(test_random_u32(&random) % 3);
        double from = 20 * (test_random(&random) - 0.5);
        const md5_sample_position start = md5_sample_position_at(&clip.anim, from, wrap);
        md5_sample_position last = start;
        double sum[3] = {0};
        double path_length = 1;
        for (int step = 0; step < 30; step++) {
            from += test_random(&random) - 0.3;
            const md5_sample_position next = md5_sample_position_at(&clip.anim, from, wrap);
            const md5_vec3 moved = md5_anim_root_motion(&clip.anim, last, next);
            sum[0] += moved.x;
            sum[1] += moved.y;
            sum[2] += moved.z;
            path_length += fabs((double)moved.x) + fabs((double)moved.y) + fabs((double)moved.z);
            last = next;
        }
        CHECK_VEC3(md5_anim_root_motion(&clip.anim, start, last), sum[0], sum[1], sum[2],
                   2e-7 * path_length);
    }
}

TEST (root_motion_equals_the_motion_that_in_place_removes) {
    uint64_t random = 5;
    static generated_clip clip;
    for (int round = 0; round < 300; round++) {
        make_random_clip(&clip, &random);
        const double time = clip.anim.duration * test_random(&random);
        const md5_vec3 moved = motion(&clip.anim, 0, time, MD5_WRAP_CLAMP);
        const md5_vec3 held = root_at(&clip, time, MD5_WRAP_CLAMP, MD5_ROOT_IN_PLACE);
        const md5_vec3 stored = root_at(&clip, time, MD5_WRAP_CLAMP, MD5_ROOT_FILE);
        CHECK_VEC3(md5_vec3_add(held, moved), stored.x, stored.y, stored.z, 3e-5);
    }
}

// The numbers in frames and sample positions are as large as they can be.
TEST (root_motion_stays_finite) {
    static generated_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.joints[0] = (md5_joint){"origin", MD5_NONE};
    clip.tracks[0] = (md5_track){7, 0};
    clip.base[0] = (md5_xform){.rotation = {0, 0, 0, -1}};
    clip.numbers[3] = FLT_MAX;
    clip.numbers[4] = -FLT_MAX;
    clip.numbers[5] = 1;
    clip.source = (clip_source){.num_joints = 1, .num_frames = 2, .num_components = 3};
    finish_clip(&clip, 1);
    const md5_vec3 extreme = motion(&clip.anim, -INFINITY, INFINITY, MD5_WRAP_LOOP);
    CHECK(extreme.x == FLT_MAX && extreme.y == -FLT_MAX);
    CHECK(isfinite(extreme.z) && extreme.z > 1e18f);
}

// -- Bounds -----------------------------------------------------------------------------------

static md5_bounds bounds_at(const generated_clip *clip, double time, md5_root root)
{
    return md5_anim_bounds(&clip->anim, md5_sample_position_at(&clip->anim, time, MD5_WRAP_LOOP),
                           root);
}

TEST_WALK (anim_bounds_follow_the_root) {
    const md5_bounds none = bounds_at(clip, 0, MD5_ROOT_FILE);
    CHECK(none.min.x > none.max.x);

    clip->anim.frame_bounds = clip->bounds;
    const double between = 0.1875; // halfway from frame 1 to 2: x 103 and 105, y 21 and 20
    md5_bounds found = bounds_at(clip, between, MD5_ROOT_FILE);
    CHECK_VEC3(found.min, 98, 14, 0, 1e-5);
    CHECK_VEC3(found.max, 110, 27, 70, 1e-5);
    found = bounds_at(clip, between, MD5_ROOT_ID);
    CHECK_VEC3(found.min, 94, 13.5, 0, 1e-5); // joint 0 has moved from (100, 20) to (104, 20.5)
    CHECK_VEC3(found.max, 106, 26.5, 70, 1e-5);
    found = bounds_at(clip, between + 1, MD5_ROOT_ID); // complete cycles make no difference
    CHECK_VEC3(found.min, 94, 13.5, 0, 1e-5);
    CHECK_VEC3(found.max, 106, 26.5, 70, 1e-5);
    found = bounds_at(clip, between, MD5_ROOT_IN_PLACE); // joint 0 from (104, 20.5) to (101, 20)
    CHECK_VEC3(found.min, 95, 13.5, 0, 1e-5);
    CHECK_VEC3(found.max, 107, 26.5, 70, 1e-5);
}

// -- Cubic interpolation --------------------------------------------------------------------------
//
// Sampling along smooth curves: through the frames, with continuous speed, at constant speed where
// the clip has it.

enum { CUBIC_MAX_JOINTS = 20 };

typedef struct sampled {
    md5_xform pose[CUBIC_MAX_JOINTS + 1];
} sampled;

static sampled sample_at(const generated_pose *generated, uint32_t frame0, uint32_t frame1,
                         double fraction, md5_wrap wrap, md5_root root)
{
    sampled found;
    memset(&found, 0x5a, sizeof found);
    const md5_sample_position sample = {
        frame0, frame1, (float)fraction, wrap, MD5_INTERPOLATE_CUBIC, 0};
    md5_sample(generated->binding, sample, root, found.pose);
    return found;
}

// A cubic curve passes through the frames exactly, except for the sign of zeros. This is true for
// every wrap mode, root mode and kind of binding. Nothing past the last joint is written.
TEST (cubic_curves_pass_through_the_frames) {
    uint64_t random = 1;
    for (int round = 0; round < 60; round++) {
        generated_pose generated;
        generate_pose(&generated, 1 + test_random_u32(&random) % CUBIC_MAX_JOINTS,
                      (joint_pairing)(round % NUM_PAIRINGS), 0.7, 0.7, &random);
        const uint32_t count = generated.model.skeleton.num_joints;
        for (uint32_t frame = 0; frame < generated.anim.num_frames; frame++) {
            const md5_wrap wrap = (md5_wrap)(test_random_u32(&random) % 3);
            const md5_root root = (md5_root)(test_random_u32(&random) % 3);
            const uint32_t next = frame + 1 < generated.anim.num_frames ? frame + 1 : 0;
            const md5_sample_position sample = {.frame0 = frame, .frame1 = next};
            sampled expected;
            memset(&expected, 0x5a, sizeof expected);
            md5_sample(generated.binding, sample, root, expected.pose);
            const sampled found = sample_at(&generated, frame, next, 0, wrap, root);
            for (uint32_t i = 0; i < count; i++) {
                REQUIRE(same_transform(&found.pose[i], &expected.pose[i]));
            }
            CHECK_BYTES(&found.pose[count], &expected.pose[count], sizeof found.pose[0]);
        }
        free_generated_pose(&generated);
    }
}

// -- Speeds at the frames -------------------------------------------------------------------------

// Twice the logarithm of the rotation from a to b: its axis times its angle, on the shorter arc.
// Accurate for small and large angles.
static md5_vec3 rotation_between(md5_quat a, md5_quat b)
{
    const md5_quat change = md5_quat_mul(md5_quat_conjugate(a), b);
    const double sign = change.w < 0 ? -1 : 1;
    const double x = change.x;
    const double y = change.y;
    const double z = change.z;
    const double length = sqrt(x * x + y * y + z * z);
    const double angle = 2 * atan2(length, sign * change.w);
    const double scale = length > 1e-12 ? sign * angle / length : 2 * sign;
    return (md5_vec3){(float)(x * scale), (float)(y * scale), (float)(z * scale)};
}

// The distance of samples from a frame, in frames.
#define STEP 0.005

// Returns the speed at a frame, from the differences to samples one and two steps away.
static md5_vec3 extrapolate_speed(md5_vec3 one_step, md5_vec3 two_steps)
{
    return md5_vec3_scale(md5_vec3_sub(md5_vec3_scale(one_step, 4), two_steps),
                          (float)(0.5 / STEP));
}

typedef struct speeds {
    md5_vec3 turning;
    md5_vec3 moving;
} speeds;

// Returns the speed of a joint at `frame`, from samples of an interval that it ends (`before`) or
// begins. `neighbor` is the interval's other frame.
static speeds speed_at(const generated_pose *generated, uint32_t frame, uint32_t neighbor,
                       bool before, md5_wrap wrap, uint32_t joint)
{
    const uint32_t from = before ? neighbor : frame;
    const uint32_t to = before ? frame : neighbor;
    const double at = before ? 1 : 0;
    const double step = before ? -STEP : STEP;
    const md5_xform here = sample_at(generated, frame, to, 0, wrap, MD5_ROOT_FILE).pose[joint];
    const md5_xform one_step =
        sample_at(generated, from, to, at + step, wrap, MD5_ROOT_FILE).pose[joint];
    const md5_xform two_steps =
        sample_at(generated, from, to, at + 2 * step, wrap, MD5_ROOT_FILE).pose[joint];
    speeds found = {
        extrapolate_speed(rotation_between(here.rotation, one_step.rotation),
                          rotation_between(here.rotation, two_steps.rotation)),
        extrapolate_speed(md5_vec3_sub(one_step.translation, here.translation),
                          md5_vec3_sub(two_steps.translation, here.translation)),
    };
    if (before) {
        found.turning = md5_vec3_scale(found.turning, -1);
        found.moving = md5_vec3_scale(found.moving, -1);
    }
    return found;
}

// Returns the transform of a joint as stored in a frame. The clip rotates and moves every joint.
static md5_xform stored(const md5_anim *anim, uint32_t frame, uint32_t joint)
{
    const size_t at = (size_t)frame * anim->skeleton.num_joints + joint;
    return (md5_xform){anim->rotations[at], anim->translations[at], 0};
}

// Returns the speeds of a joint between two adjacent frames, per frame.
static speeds speed_between(const md5_anim *anim, uint32_t first, uint32_t second, uint32_t joint)
{
    const md5_xform from = stored(anim, first, joint);
    const md5_xform to = stored(anim, second, joint);
    return (speeds){rotation_between(from.rotation, to.rotation),
                    md5_vec3_sub(to.translation, from.translation)};
}

static void check_same_speeds(speeds found, speeds expected)
{
    CHECK_SMALL(real_distance(found.turning, expected.turning), 0.02);
    CHECK_SMALL(real_distance(found.moving, expected.moving), 0.02);
}

// Checks the speed on both sides of the frame that ends the interval from frame a to frame b, and
// begins the interval from frame c to frame d: the mean of the speeds of both intervals. In a loop
// b is the last frame and c the first.
static void check_speed(const generated_pose *generated, uint32_t a, uint32_t b, uint32_t c,
                        uint32_t d, md5_wrap wrap)
{
    for (uint32_t joint = 0; joint < generated->model.skeleton.num_joints; joint++) {
        const speeds before = speed_between(&generated->anim, a, b, joint);
        const speeds after = speed_between(&generated->anim, c, d, joint);
        const speeds mean = {
            md5_vec3_scale(md5_vec3_add(before.turning, after.turning), 0.5f),
            md5_vec3_scale(md5_vec3_add(before.moving, after.moving), 0.5f),
        };
        if (a != b)
            check_same_speeds(speed_at(generated, b, a, true, wrap, joint), mean);
        if (c != d)
            check_same_speeds(speed_at(generated, c, d, false, wrap, joint), mean);
    }
}

TEST (cubic_curves_pass_each_frame_at_the_mean_speed) {
    uint64_t random = 2;
    int checked = 0;
    while (checked < 20) {
        SCOPED_GENERATED_POSE generated;
        generate_pose(&generated, 5, PAIRING_SAME, 1, 1, &random);
        const uint32_t last = generated.anim.num_frames - 1;
        if (last >= 2) {
            const uint32_t middle = 1 + test_random_u32(&random) % (last - 1);
            for (int wrap = MD5_WRAP_LOOP; wrap <= MD5_WRAP_CLAMP; wrap++)
                check_speed(&generated, middle - 1, middle, middle, middle + 1, (md5_wrap)wrap);
            check_speed(&generated, last - 1, last, 0, 1, MD5_WRAP_LOOP);
            check_speed(&generated, last, 0, 0, 1, MD5_WRAP_CYCLE);
            check_speed(&generated, last - 1, last, last, 0, MD5_WRAP_CYCLE);
            check_speed(&generated, 0, 0, 0, 1, MD5_WRAP_CLAMP);
            check_speed(&generated, last - 1, last, last, last, MD5_WRAP_CLAMP);
            checked++;
        }
    }
}

// -- Even speed, roots, short clips ---------------------------------------------------------------

typedef struct even_clip {
    md5_model model;
    md5_anim anim;
    md5_binding *binding;
    md5_joint joint;
    uint32_t order[1];
    uint32_t first[1];
    md5_xform local[1];
    md5_mat34 bind[1];
    md5_quat rotations[8];
    md5_vec3 translations[8];
} even_clip;

// Creates a clip of one joint that rotates and moves at constant speed, over `num_frames` frames.
static void make_even(even_clip *clip, uint32_t num_frames)
{
    memset(clip, 0, sizeof *clip);
    clip->joint = (md5_joint){"origin", MD5_NONE};
    clip->local[0].rotation.w = -1;
    clip->bind[0] = md5_mat34_from_xform(clip->local[0]);
    const md5_skeleton skeleton = {.num_joints = 1, .joints = &clip->joint, .order = clip->order};
    clip->model = (md5_model){.skeleton = skeleton,
                              .bind_local = clip->local,
                              .bind = clip->bind,
                              .inverse_bind = clip->bind};
    for (uint32_t i = 0; i < num_frames; i++) {
        const double angle = 0.35 * i + 0.1;
        clip->rotations[i] =
            (md5_quat){0, (float)(0.6 * sin(angle)), (float)(0.8 * sin(angle)), (float)cos(angle)};
        if (i % 2) // signs differ in files, too, whose w is <= 0
            clip->rotations[i] = (md5_quat){-clip->rotations[i].x, -clip->rotations[i].y,
                                            -clip->rotations[i].z, -clip->rotations[i].w};
        clip->translations[i] = (md5_vec3){3 * (float)i + 5, -(float)i, 0.5f};
    }
    clip->local[0].translation = clip->translations[0];
    clip->anim = (md5_anim){
        .skeleton = skeleton,
        .base_frame = clip->local,
        .num_frames = num_frames,
        .frame_rate = 1,
        .duration = num_frames - 1,
        .constant = clip->local,
        .num_rotations = 1,
        .num_translations = 1,
        .rotation_joints = clip->first,
        .translation_joints = clip->first,
        .rotations = clip->rotations,
        .translations = clip->translations,
    };
    clip->binding = md5_bind(&clip->model, &clip->anim, NULL, NULL);
}

static void check_even(const even_clip *clip, double time, md5_wrap wrap, md5_root root,
                       double expected)
{
    md5_sample_position sample = md5_sample_position_at(&clip->anim, time, wrap);
    sample.interpolation = MD5_INTERPOLATE_CUBIC;
    md5_xform found;
    md5_sample(clip->binding, sample, root, &found);
    CHECK_NEAR(found.translation.x, expected, 1e-5);
    const double angle = 0.35 * (sample.frame0 + (double)sample.fraction) + 0.1;
    const double sign = sample.frame0 % 2 ? -1 : 1;
    CHECK_NEAR((double)found.rotation.y * sign, 0.6 * sin(angle), 3e-7);
    CHECK_NEAR((double)found.rotation.w * sign, cos(angle), 3e-7);
}

// Also tests positions across the end of a loop, at which the stored positions jump.
TEST (cubic_curves_keep_an_even_speed) {
    even_clip clip;
    make_even(&clip, 5);
    REQUIRE(clip.binding);
    for (int i = 0; i < 54; i++) {
        const double time = 0.37 * i - 8;
        const double within = time - 4 * floor(time / 4.0);
        check_even(&clip, time, MD5_WRAP_LOOP, MD5_ROOT_FILE, 5 + 3 * within);
        check_even(&clip, time, MD5_WRAP_LOOP, MD5_ROOT_ID, 3 * time);
        check_even(&clip, time, MD5_WRAP_LOOP, MD5_ROOT_IN_PLACE, 5);
    }
    check_even(&clip, 1.5, MD5_WRAP_CLAMP, MD5_ROOT_FILE, 5 + 4.5);
    check_even(&clip, 2.25, MD5_WRAP_CYCLE, MD5_ROOT_FILE, 5 + 6.75);
    md5_free_binding(clip.binding);
}

// From the last frame into the first, as the engine plays it, linear sampling does not move the
// character. On the curve it stops a little later and starts a little earlier.
TEST (cubic_root_continues_across_the_end_of_a_cycle) {
    even_clip clip;
    make_even(&clip, 5);
    REQUIRE(clip.binding);
    const double speed = 1.5; // half of 3: the mean of 3 and no motion
    const double step = 0.01;
    for (int side = -1; side <= 1; side += 2) {
        const double time = side < 0 ? 4 : 5;
        md5_xform found[3];
        for (int i = 0; i < 3; i++) {
            md5_sample_position sample =
                md5_sample_position_at(&clip.anim, time + (i - 1) * step, MD5_WRAP_CYCLE);
            sample.interpolation = MD5_INTERPOLATE_CUBIC;
            md5_sample(clip.binding, sample, MD5_ROOT_ID, &found[i]);
        }
        const md5_xform a = found[0];
        const md5_xform b = found[1];
        const md5_xform c = found[2];
        CHECK_NEAR(b.translation.x, 12, 1e-5);
        CHECK_NEAR(((double)c.translation.x - b.translation.x) / step, speed, 0.05);
        CHECK_NEAR(((double)b.translation.x - a.translation.x) / step, speed, 0.05);
    }
    md5_free_binding(clip.binding);
}

TEST (cubic_curves_of_one_and_two_frames) {
    even_clip clip;
    make_even(&clip, 1);
    REQUIRE(clip.binding);
    for (int wrap = MD5_WRAP_LOOP; wrap <= MD5_WRAP_CLAMP; wrap++)
        check_even(&clip, 3.4, (md5_wrap)wrap, MD5_ROOT_FILE, 5);
    md5_free_binding(clip.binding);
    make_even(&clip, 2);
    REQUIRE(clip.binding);
    check_even(&clip, 0.25, MD5_WRAP_LOOP, MD5_ROOT_FILE, 5.75);
    check_even(&clip, -0.25, MD5_WRAP_LOOP, MD5_ROOT_ID, -0.75);
    md5_free_binding(clip.binding);
}

// Joints that combine several joints of the clip also follow curves: shortly after a frame they are
// near this frame, and in the middle they differ from linear sampling.
TEST (cubic_curves_of_composed_joints) {
    uint64_t random = 3;
    int curved = 0;
    for (int round = 0; round < 30; round++) {
        SCOPED_GENERATED_POSE generated;
        generate_pose(&generated, CUBIC_MAX_JOINTS, PAIRING_REPARENTED, 0.8, 0.8, &random);
        const uint32_t frames = generated.anim.num_frames;
        const md5_sample_position halfway = {.frame1 = frames > 1 ? 1 : 0, .fraction = 0.5f};
        sampled straight;
        md5_sample(generated.binding, halfway, MD5_ROOT_FILE, straight.pose);
        const sampled at =
            sample_at(&generated, 0, halfway.frame1, 0, MD5_WRAP_CLAMP, MD5_ROOT_FILE);
        const sampled near =
            sample_at(&generated, 0, halfway.frame1, 1e-5, MD5_WRAP_CLAMP, MD5_ROOT_FILE);
        const sampled half =
            sample_at(&generated, 0, halfway.frame1, 0.5, MD5_WRAP_CLAMP, MD5_ROOT_FILE);
        for (int i = 0; i < CUBIC_MAX_JOINTS; i++) {
            CHECK_SMALL(real_distance(near.pose[i].translation, at.pose[i].translation), 0.02);
            curved += real_distance(half.pose[i].translation, straight.pose[i].translation) > 0.01;
        }
    }
    CHECK(curved > 100);
}

// The clip's joint 0 is not in the model; its motion still reaches the joint below it.
TEST (cubic_curves_of_a_root_that_only_the_clip_has) {
    even_clip clip;
    make_even(&clip, 5);
    md5_free_binding(clip.binding);
    const md5_joint joints[2] = {{"elsewhere", MD5_NONE}, {"origin", 0}};
    const uint32_t order[2] = {0, 1};
    const md5_xform still[2] = {clip.local[0], {{0, 0, 0, -1}, {0, 0, 0}, 0}};
    clip.anim.skeleton = (md5_skeleton){.num_joints = 2, .joints = joints, .order = order};
    clip.anim.constant = clip.anim.base_frame = still;
    clip.binding = md5_bind(&clip.model, &clip.anim, NULL, NULL);
    REQUIRE(clip.binding);
    for (int i = 0; i < 8; i++) {
        md5_sample_position sample = md5_sample_position_at(&clip.anim, 0.45 * i, MD5_WRAP_LOOP);
        sample.interpolation = MD5_INTERPOLATE_CUBIC;
        md5_xform found;
        md5_sample(clip.binding, sample, MD5_ROOT_FILE, &found);
        CHECK_NEAR(found.translation.x, 5 + 3 * 0.45 * i, 1e-5);
    }
    md5_free_binding(clip.binding);
}
