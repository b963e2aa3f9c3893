// Sampling a clip as a pose; the root modes; root motion; bounds.
#include "test/test.h"
#include "test/pose/own_clip.h"

#include "md5/core/math.h"
#include "md5/pose/clip.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

enum { MAX_JOINTS = 24, MAX_FRAMES = 9, MAX_NUMBERS = MAX_FRAMES * MAX_JOINTS * 6 };

// A clip with all of its memory in one struct.
typedef struct made_clip {
    md5_anim anim;
    md5_clip_source source;
    md5_joint joints[MAX_JOINTS];
    uint32_t order[MAX_JOINTS];
    md5_track tracks[MAX_JOINTS];
    md5_xform base[MAX_JOINTS], constant[MAX_JOINTS];
    float numbers[MAX_NUMBERS];
    uint8_t changes[MAX_JOINTS * 6], moves[MAX_JOINTS];
    uint32_t rotation_joints[MAX_JOINTS], translation_joints[MAX_JOINTS];
    md5_quat rotations[MAX_FRAMES * MAX_JOINTS];
    md5_vec3 translations[MAX_FRAMES * MAX_JOINTS];
    md5_bounds bounds[MAX_FRAMES];
} made_clip;

// Builds the clip from its joints, tracks, base frame, numbers and counts.
static void finish_clip(made_clip *clip, double rate)
{
    md5_clip_source *source = &clip->source;
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
    md5i_clip_plan(source, clip->changes, clip->moves, &anim->num_rotations,
                   &anim->num_translations);
    const md5_clip_arrays arrays = {clip->constant, clip->rotation_joints, clip->translation_joints,
                                    clip->rotations, clip->translations};
    md5i_clip_build(source, clip->moves, &arrays);
}

static float within(uint64_t *random, double size)
{
    return (float)(size * (2.0 * test_random(random) - 1.0));
}

// Rotations stay short of the length 1: 3 * 0.57^2 < 1.
static void make_random_clip(made_clip *clip, uint64_t *random)
{
    memset(clip, 0, sizeof *clip);
    const uint32_t count = 1 + test_random_u32(random) % MAX_JOINTS;
    uint32_t width = 0;
    for (uint32_t joint = 0; joint < count; joint++) {
        clip->joints[joint] = (md5_joint){.name = "", .parent = (int32_t)joint - 1};
        clip->order[joint] = joint;
        clip->tracks[joint] = (md5_track){test_random_u32(random) & 63, width};
        const float x = within(random, 0.57), y = within(random, 0.57), z = within(random, 0.57);
        clip->base[joint] = (md5_xform){
            .rotation = md5_quat_from_xyz(x, y, z),
            .translation = {within(random, 50.0), within(random, 50.0), within(random, 50.0)},
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
                    *next++ = within(random, bit < 3 ? 50.0 : 0.57);
            }
        }
    }
    finish_clip(clip, 1.0 + 59.0 * test_random(random));
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

static bool same_transform(const md5_xform *a, const md5_xform *b)
{
    return a->rotation.x == b->rotation.x && a->rotation.y == b->rotation.y
           && a->rotation.z == b->rotation.z && a->rotation.w == b->rotation.w
           && a->translation.x == b->translation.x && a->translation.y == b->translation.y
           && a->translation.z == b->translation.z && a->pad == b->pad;
}

static void check_vec3(md5_vec3 found, double x, double y, double z, double tolerance)
{
    CHECK_NEAR((double)found.x, x, tolerance);
    CHECK_NEAR((double)found.y, y, tolerance);
    CHECK_NEAR((double)found.z, z, tolerance);
}

TEST (sample_of_a_frame_is_that_frame) {
    uint64_t random = 1;
    static made_clip clip;
    for (int round = 0; round < 200; round++) {
        make_random_clip(&clip, &random);
        md5_xform pose[MAX_JOINTS];
        for (uint32_t frame = 0; frame < clip.anim.num_frames; frame++) {
            // Whatever the other frame is: at fraction 0 it must have no effect.
            const md5_moment moment = {.frame0 = frame,
                                       .frame1 = (frame + 1) % clip.anim.num_frames};
            sample_own(&clip.anim, moment, MD5_ROOT_FILE, pose);
            for (uint32_t joint = 0; joint < clip.source.num_joints; joint++) {
                const md5_xform expected = in_frame(&clip.anim, joint, frame);
                if (!CHECK(same_transform(&pose[joint], &expected)))
                    return;
            }
        }
    }
}

TEST (sample_between_frames_slerps_and_lerps) {
    uint64_t random = 2;
    static made_clip clip;
    for (int round = 0; round < 500; round++) {
        make_random_clip(&clip, &random);
        md5_xform pose[MAX_JOINTS];
        const md5_moment moment =
            md5_moment_at(&clip.anim, 10.0 * test_random(&random), MD5_WRAP_CYCLE);
        sample_own(&clip.anim, moment, MD5_ROOT_FILE, pose);
        for (uint32_t joint = 0; joint < clip.source.num_joints; joint++) {
            const md5_xform a = in_frame(&clip.anim, joint, moment.frame0);
            const md5_xform b = in_frame(&clip.anim, joint, moment.frame1);
            const md5_xform expected = {
                .rotation = md5_quat_slerp(a.rotation, b.rotation, moment.fraction),
                .translation = md5_vec3_lerp(a.translation, b.translation, moment.fraction),
            };
            if (!CHECK(same_transform(&pose[joint], &expected)))
                return;
        }
    }
}

static bool is_rotation_and_place(const md5_xform *transform)
{
    const md5_quat q = transform->rotation;
    const double square = (double)q.x * (double)q.x + (double)q.y * (double)q.y
                          + (double)q.z * (double)q.z + (double)q.w * (double)q.w;
    const md5_vec3 t = transform->translation;
    return fabs(sqrt(square) - 1.0) <= 1e-6 && isfinite(t.x) && isfinite(t.y) && isfinite(t.z)
           && transform->pad == 0.0f;
}

TEST (sample_is_a_pose_at_any_time) {
    uint64_t random = 3;
    static made_clip clip;
    for (int round = 0; round < 2000; round++) {
        make_random_clip(&clip, &random);
        const double reach = pow(10.0, 24.0 * test_random(&random) - 3.0);
        const double times[] = {reach * (test_random(&random) - 0.5), NAN, INFINITY, -INFINITY};
        const double time = times[round % 8 < 5 ? 0 : round % 8 - 4];
        const md5_wrap wrap = (md5_wrap)(test_random_u32(&random) % 3);
        const md5_root root = (md5_root)(test_random_u32(&random) % 3);
        const md5_moment moment = md5_moment_at(&clip.anim, time, wrap);
        md5_xform pose[MAX_JOINTS];
        sample_own(&clip.anim, moment, root, pose);
        for (uint32_t joint = 0; joint < clip.source.num_joints; joint++) {
            if (!CHECK(is_rotation_and_place(&pose[joint])))
                return;
        }
    }
}

// -- Root -------------------------------------------------------------------------------------

// Joint 0 walks along x, 10 units per cycle of 4 intervals, sways in y and has no flag for z; its
// first frame is not the base frame. Joint 1 nods.
static void make_walk(made_clip *clip)
{
    memset(clip, 0, sizeof *clip);
    clip->joints[0] = (md5_joint){"origin", -1};
    clip->joints[1] = (md5_joint){"hips", 0};
    clip->order[1] = 1;
    clip->tracks[0] = (md5_track){3, 0};
    clip->tracks[1] = (md5_track){8, 2};
    clip->base[0] = (md5_xform){{0, 0, 0, -1}, {100, 20, 7}, 0};
    clip->base[1] = (md5_xform){{0, 0, 0, -1}, {0, 0, 40}, 0};
    static const float numbers[5][3] = {
        {101, 20, 0.0f}, {103, 21, 0.1f}, {105, 20, 0.2f}, {108, 19, 0.1f}, {111, 20, 0.0f}};
    memcpy(clip->numbers, numbers, sizeof numbers);
    clip->source = (md5_clip_source){.num_joints = 2, .num_frames = 5, .num_components = 3};
    finish_clip(clip, 8.0);
    for (int frame = 0; frame < 5; frame++) {
        const float x = numbers[frame][0], y = numbers[frame][1];
        clip->bounds[frame] = (md5_bounds){{x - 5, y - 6, 0}, {x + 5, y + 6, 70}};
    }
}

static md5_vec3 root_at(const made_clip *clip, double time, md5_wrap wrap, md5_root root)
{
    md5_xform pose[MAX_JOINTS];
    const md5_moment moment = md5_moment_at(&clip->anim, time, wrap);
    sample_own(&clip->anim, moment, root, pose);
    return pose[0].translation;
}

TEST (root_as_in_the_file) {
    static made_clip clip;
    make_walk(&clip);
    check_vec3(root_at(&clip, 0.0625, MD5_WRAP_LOOP, MD5_ROOT_FILE), 102, 20.5, 7, 1e-5);
    check_vec3(root_at(&clip, 0.5625, MD5_WRAP_LOOP, MD5_ROOT_FILE), 102, 20.5, 7, 1e-5);
    check_vec3(root_at(&clip, 0.5, MD5_WRAP_CLAMP, MD5_ROOT_FILE), 111, 20, 7, 1e-5);
}

// The base frame is subtracted, also from components without a flag; a cycle adds last minus base.
TEST (root_as_in_the_engine) {
    static made_clip clip;
    make_walk(&clip);
    check_vec3(root_at(&clip, 0.0625, MD5_WRAP_LOOP, MD5_ROOT_ID), 2, 0.5, 0, 1e-5);
    check_vec3(root_at(&clip, 0.5, MD5_WRAP_CLAMP, MD5_ROOT_ID), 11, 0, 0, 1e-5);
    check_vec3(root_at(&clip, 0.5625, MD5_WRAP_LOOP, MD5_ROOT_ID), 13, 0.5, 0, 1e-5);
    check_vec3(root_at(&clip, 5.0, MD5_WRAP_LOOP, MD5_ROOT_ID), 111, 0, 0, 1e-4);
    check_vec3(root_at(&clip, -0.5, MD5_WRAP_LOOP, MD5_ROOT_ID), -10, 0, 0, 1e-5);
}

TEST (root_in_place_holds_the_first_frame) {
    static made_clip clip;
    make_walk(&clip);
    for (int i = -20; i < 20; i++)
        check_vec3(root_at(&clip, i * 0.1, MD5_WRAP_LOOP, MD5_ROOT_IN_PLACE), 101, 20, 7, 0.0);
}

static md5_vec3 motion(const md5_anim *anim, double from, double to, md5_wrap wrap)
{
    const md5_moment a = md5_moment_at(anim, from, wrap), b = md5_moment_at(anim, to, wrap);
    return md5_anim_root_motion(anim, a, b);
}

TEST (root_motion_counts_cycles) {
    static made_clip clip;
    make_walk(&clip);
    check_vec3(motion(&clip.anim, 0.0, 0.125, MD5_WRAP_LOOP), 2, 1, 0, 1e-5);
    check_vec3(motion(&clip.anim, 0.125, 0.0, MD5_WRAP_LOOP), -2, -1, 0, 1e-5);
    check_vec3(motion(&clip.anim, 0.0, 0.5, MD5_WRAP_LOOP), 10, 0, 0, 1e-5);
    check_vec3(motion(&clip.anim, 0.0, 0.5, MD5_WRAP_CLAMP), 10, 0, 0, 1e-5);
    check_vec3(motion(&clip.anim, -0.5, 50.0, MD5_WRAP_LOOP), 1010, 0, 0, 1e-3);
    check_vec3(motion(&clip.anim, 0.45, 0.55, MD5_WRAP_LOOP), 1.2 + 0.8, 0.4 + 0.4, 0, 1e-5);
}

// From the last frame into the first the character does not move, and continues from there.
TEST (root_waits_where_a_cycle_ends) {
    static made_clip clip;
    make_walk(&clip);
    check_vec3(motion(&clip.anim, 0.0, 0.5, MD5_WRAP_CYCLE), 10, 0, 0, 1e-5);
    check_vec3(motion(&clip.anim, 0.0, 0.5625, MD5_WRAP_CYCLE), 10, 0, 0, 1e-5);
    check_vec3(motion(&clip.anim, 0.0, 0.625, MD5_WRAP_CYCLE), 10, 0, 0, 1e-5);
    check_vec3(motion(&clip.anim, 0.0, 0.75, MD5_WRAP_CYCLE), 12, 1, 0, 1e-5);
    check_vec3(root_at(&clip, 0.5625, MD5_WRAP_CYCLE, MD5_ROOT_ID), 11.5, 0, 0, 1e-5);
    check_vec3(root_at(&clip, 0.625, MD5_WRAP_CYCLE, MD5_ROOT_ID), 12, 0, 0, 1e-5);
    // As stored, the root moves back.
    check_vec3(root_at(&clip, 0.5625, MD5_WRAP_CYCLE, MD5_ROOT_FILE), 106, 20, 7, 1e-5);
}

TEST (root_motion_adds_up_over_any_split) {
    uint64_t random = 4;
    static made_clip clip;
    for (int round = 0; round < 300; round++) {
        make_random_clip(&clip, &random);
        const md5_wrap wrap = (md5_wrap)(test_random_u32(&random) % 3);
        double from = 20.0 * (test_random(&random) - 0.5);
        const md5_moment start = md5_moment_at(&clip.anim, from, wrap);
        md5_moment last = start;
        double sum[3] = {0}, way = 1.0;
        for (int step = 0; step < 30; step++) {
            from += test_random(&random) - 0.3;
            const md5_moment next = md5_moment_at(&clip.anim, from, wrap);
            const md5_vec3 moved = md5_anim_root_motion(&clip.anim, last, next);
            sum[0] += (double)moved.x;
            sum[1] += (double)moved.y;
            sum[2] += (double)moved.z;
            way += fabs((double)moved.x) + fabs((double)moved.y) + fabs((double)moved.z);
            last = next;
        }
        check_vec3(md5_anim_root_motion(&clip.anim, start, last), sum[0], sum[1], sum[2],
                   2e-7 * way);
    }
}

TEST (root_motion_is_what_in_place_removes) {
    uint64_t random = 5;
    static made_clip clip;
    for (int round = 0; round < 300; round++) {
        make_random_clip(&clip, &random);
        const double time = clip.anim.duration * test_random(&random);
        const md5_vec3 moved = motion(&clip.anim, 0.0, time, MD5_WRAP_CLAMP);
        const md5_vec3 held = root_at(&clip, time, MD5_WRAP_CLAMP, MD5_ROOT_IN_PLACE);
        const md5_vec3 stored = root_at(&clip, time, MD5_WRAP_CLAMP, MD5_ROOT_FILE);
        const md5_vec3 sum = md5_vec3_add(held, moved);
        check_vec3(sum, (double)stored.x, (double)stored.y, (double)stored.z, 3e-5);
    }
}

// Frames and moments whose numbers are as large as they can be.
TEST (root_motion_never_leaves_the_floats) {
    static made_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.joints[0] = (md5_joint){"origin", -1};
    clip.tracks[0] = (md5_track){7, 0};
    clip.base[0] = (md5_xform){.rotation = {0, 0, 0, -1}};
    clip.numbers[3] = FLT_MAX;
    clip.numbers[4] = -FLT_MAX;
    clip.numbers[5] = 1.0f;
    clip.source = (md5_clip_source){.num_joints = 1, .num_frames = 2, .num_components = 3};
    finish_clip(&clip, 1.0);
    const md5_vec3 most = motion(&clip.anim, -INFINITY, INFINITY, MD5_WRAP_LOOP);
    CHECK(most.x == FLT_MAX && most.y == -FLT_MAX && isfinite(most.z) && most.z > 1e18f);
}

// -- Bounds -----------------------------------------------------------------------------------

static md5_bounds bounds_at(const made_clip *clip, double time, md5_root root)
{
    const md5_moment moment = md5_moment_at(&clip->anim, time, MD5_WRAP_LOOP);
    return md5_anim_bounds(&clip->anim, moment, root);
}

TEST (anim_bounds_follow_the_root) {
    static made_clip clip;
    make_walk(&clip);
    const md5_bounds none = bounds_at(&clip, 0.0, MD5_ROOT_FILE);
    CHECK(none.min.x > none.max.x);

    clip.anim.frame_bounds = clip.bounds;
    const double between = 0.1875; // halfway from frame 1 to 2: x 103 and 105, y 21 and 20
    md5_bounds found = bounds_at(&clip, between, MD5_ROOT_FILE);
    check_vec3(found.min, 98, 14, 0, 1e-5);
    check_vec3(found.max, 110, 27, 70, 1e-5);
    found = bounds_at(&clip, between, MD5_ROOT_ID);
    check_vec3(found.min, 94, 13.5, 0, 1e-5); // joint 0 has moved from (100, 20) to (104, 20.5)
    check_vec3(found.max, 106, 26.5, 70, 1e-5);
    found = bounds_at(&clip, between + 1.0, MD5_ROOT_ID); // complete cycles make no difference
    check_vec3(found.min, 94, 13.5, 0, 1e-5);
    check_vec3(found.max, 106, 26.5, 70, 1e-5);
    found = bounds_at(&clip, between, MD5_ROOT_IN_PLACE); // joint 0 from (104, 20.5) to (101, 20)
    check_vec3(found.min, 95, 13.5, 0, 1e-5);
    check_vec3(found.max, 107, 26.5, 70, 1e-5);
}
