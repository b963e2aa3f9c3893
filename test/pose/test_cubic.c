// Sampling along smooth curves: through the frames, with continuous speed, at constant speed where
// the clip has it.
#include "test/test.h"
#include "test/pose/test_made_pose.h"

#include <string.h>

enum { MAX_JOINTS = 20 };

typedef struct sampled {
    md5_xform pose[MAX_JOINTS + 1];
} sampled;

static sampled sample_at(const made_pose *made, uint32_t frame0, uint32_t frame1, double fraction,
                         md5_wrap wrap, md5_root root)
{
    sampled found;
    memset(&found, 0x5a, sizeof found);
    const md5_moment moment = {frame0, frame1, (float)fraction, wrap, MD5_INTERPOLATE_CUBIC, 0};
    md5_sample(made->binding, moment, root, found.pose);
    return found;
}

// Equal except for the sign of zeros.
static bool equal(const md5_xform *a, const md5_xform *b)
{
    const md5_vec3 p = a->translation, q = b->translation;
    return a->rotation.x == b->rotation.x && a->rotation.y == b->rotation.y
           && a->rotation.z == b->rotation.z && a->rotation.w == b->rotation.w && p.x == q.x
           && p.y == q.y && p.z == q.z && a->pad == b->pad;
}

// Curves pass through the frames exactly, in every mode and through every kind of binding; nothing
// past the last joint is written.
TEST (cubic_curves_pass_through_the_frames) {
    uint64_t random = 1;
    for (int round = 0; round < 60; round++) {
        made_pose made;
        make_pose(&made, 1 + test_random_u32(&random) % MAX_JOINTS,
                  (made_pairing)(round % MADE_PAIRINGS), 0.7, 0.7, &random);
        const uint32_t count = made.model.skeleton.num_joints;
        for (uint32_t frame = 0; frame < made.anim.num_frames; frame++) {
            const md5_wrap wrap = (md5_wrap)(test_random_u32(&random) % 3);
            const md5_root root = (md5_root)(test_random_u32(&random) % 3);
            const uint32_t next = frame + 1 < made.anim.num_frames ? frame + 1 : 0;
            const md5_moment moment = {.frame0 = frame, .frame1 = next};
            sampled expected;
            memset(&expected, 0x5a, sizeof expected);
            md5_sample(made.binding, moment, root, expected.pose);
            const sampled found = sample_at(&made, frame, next, 0.0, wrap, root);
            for (uint32_t i = 0; i < count; i++) {
                if (!CHECK(equal(&found.pose[i], &expected.pose[i])))
                    return;
            }
            CHECK(memcmp(&found.pose[count], &expected.pose[count], sizeof found.pose[0]) == 0);
        }
        free_pose(&made);
    }
}

// -- Speeds at the frames -------------------------------------------------------------------------

// Twice the logarithm of the rotation from a to b: its axis times its angle, on the shorter arc.
// Accurate for small and large angles.
static md5_vec3 turn_between(md5_quat a, md5_quat b)
{
    const md5_quat change = md5_quat_mul(md5_quat_conjugate(a), b);
    const double sign = change.w < 0.0f ? -1.0 : 1.0;
    const double x = (double)change.x, y = (double)change.y, z = (double)change.z;
    const double length = sqrt(x * x + y * y + z * z);
    const double angle = 2.0 * atan2(length, sign * (double)change.w);
    const double scale = length > 1e-12 ? sign * angle / length : 2.0 * sign;
    return (md5_vec3){(float)(x * scale), (float)(y * scale), (float)(z * scale)};
}

// The distance of samples from a frame, in frames.
#define STEP 0.005

// The speed at a frame, from the differences to samples one and two steps away.
static md5_vec3 speed_of(md5_vec3 one, md5_vec3 two)
{
    const md5_vec3 sum = md5_vec3_sub(md5_vec3_scale(one, 4.0f), two);
    return md5_vec3_scale(sum, (float)(0.5 / STEP));
}

static double distance(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 way = md5_vec3_sub(a, b);
    return sqrt((double)md5_vec3_dot(way, way));
}

typedef struct speeds {
    md5_vec3 turning, moving;
} speeds;

// The speed of a joint at `frame`, from samples of an interval that it ends (`before`) or begins.
// `other` is the interval's other frame.
static speeds speed_at(const made_pose *made, uint32_t frame, uint32_t other, bool before,
                       md5_wrap wrap, uint32_t joint)
{
    const uint32_t from = before ? other : frame, to = before ? frame : other;
    const double at = before ? 1.0 : 0.0, step = before ? -STEP : STEP;
    const md5_xform here =
        sample_at(made, frame, to == frame ? frame : to, 0.0, wrap, MD5_ROOT_FILE).pose[joint];
    const md5_xform one = sample_at(made, from, to, at + step, wrap, MD5_ROOT_FILE).pose[joint];
    const md5_xform two =
        sample_at(made, from, to, at + 2.0 * step, wrap, MD5_ROOT_FILE).pose[joint];
    speeds found = {
        speed_of(turn_between(here.rotation, one.rotation),
                 turn_between(here.rotation, two.rotation)),
        speed_of(md5_vec3_sub(one.translation, here.translation),
                 md5_vec3_sub(two.translation, here.translation)),
    };
    if (before) {
        found.turning = md5_vec3_scale(found.turning, -1.0f);
        found.moving = md5_vec3_scale(found.moving, -1.0f);
    }
    return found;
}

// The transform of a joint as stored in a frame. The clip rotates and moves every joint.
static md5_xform stored(const md5_anim *anim, uint32_t frame, uint32_t joint)
{
    const size_t at = (size_t)frame * anim->skeleton.num_joints + joint;
    return (md5_xform){anim->rotations[at], anim->translations[at], 0.0f};
}

static speeds mean_speed(const made_pose *made, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                         uint32_t joint)
{
    const md5_anim *const anim = &made->anim;
    const md5_xform p = stored(anim, a, joint), q = stored(anim, b, joint);
    const md5_xform r = stored(anim, c, joint), s = stored(anim, d, joint);
    return (speeds){
        md5_vec3_scale(md5_vec3_add(turn_between(p.rotation, q.rotation),
                                    turn_between(r.rotation, s.rotation)),
                       0.5f),
        md5_vec3_scale(md5_vec3_add(md5_vec3_sub(q.translation, p.translation),
                                    md5_vec3_sub(s.translation, r.translation)),
                       0.5f),
    };
}

// Checks the speed on both sides of the frame that ends interval a-b and begins interval c-d: the
// mean of the speeds of both intervals. In a loop b is the last frame and c the first.
static void check_speed(const made_pose *made, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                        md5_wrap wrap)
{
    for (uint32_t joint = 0; joint < made->model.skeleton.num_joints; joint++) {
        const speeds expected = mean_speed(made, a, b, c, d, joint);
        if (a != b) {
            const speeds reached = speed_at(made, b, a, true, wrap, joint);
            CHECK_NEAR(distance(reached.turning, expected.turning), 0.0, 0.02);
            CHECK_NEAR(distance(reached.moving, expected.moving), 0.0, 0.02);
        }
        if (c != d) {
            const speeds left = speed_at(made, c, d, false, wrap, joint);
            CHECK_NEAR(distance(left.turning, expected.turning), 0.0, 0.02);
            CHECK_NEAR(distance(left.moving, expected.moving), 0.0, 0.02);
        }
    }
}

TEST (cubic_curves_pass_each_frame_at_the_mean_speed) {
    uint64_t random = 2;
    int checked = 0;
    while (checked < 20) {
        made_pose made;
        make_pose(&made, 5, MADE_SAME, 1.0, 1.0, &random);
        const uint32_t last = made.anim.num_frames - 1;
        if (last >= 2) {
            const uint32_t middle = 1 + test_random_u32(&random) % (last - 1);
            for (int wrap = MD5_WRAP_LOOP; wrap <= MD5_WRAP_CLAMP; wrap++)
                check_speed(&made, middle - 1, middle, middle, middle + 1, (md5_wrap)wrap);
            check_speed(&made, last - 1, last, 0, 1, MD5_WRAP_LOOP);
            check_speed(&made, last, 0, 0, 1, MD5_WRAP_CYCLE);
            check_speed(&made, last - 1, last, last, 0, MD5_WRAP_CYCLE);
            check_speed(&made, 0, 0, 0, 1, MD5_WRAP_CLAMP);
            check_speed(&made, last - 1, last, last, last, MD5_WRAP_CLAMP);
            checked++;
        }
        free_pose(&made);
    }
}

// -- Even speed, roots, short clips ---------------------------------------------------------------

typedef struct even_clip {
    md5_model model;
    md5_anim anim;
    md5_binding *binding;
    md5_joint joint;
    uint32_t order[1], first[1];
    md5_xform local[1];
    md5_mat34 bind[1];
    md5_quat rotations[8];
    md5_vec3 translations[8];
} even_clip;

// One joint that rotates and moves at constant speed, over `num_frames` frames.
static void make_even(even_clip *clip, uint32_t num_frames)
{
    memset(clip, 0, sizeof *clip);
    clip->joint = (md5_joint){"origin", -1};
    clip->local[0].rotation.w = -1.0f;
    clip->bind[0] = md5_mat34_from_xform(clip->local[0]);
    const md5_skeleton skeleton = {.num_joints = 1, .joints = &clip->joint, .order = clip->order};
    clip->model = (md5_model){.skeleton = skeleton,
                              .bind_local = clip->local,
                              .bind = clip->bind,
                              .inverse_bind = clip->bind};
    for (uint32_t i = 0; i < num_frames; i++) {
        const double angle = 0.35 * i + 0.1;
        clip->rotations[i] = (md5_quat){0.0f, (float)(0.6 * sin(angle)), (float)(0.8 * sin(angle)),
                                        (float)cos(angle)};
        if (i % 2) // signs differ in files, too, whose w is <= 0
            clip->rotations[i] = (md5_quat){-clip->rotations[i].x, -clip->rotations[i].y,
                                            -clip->rotations[i].z, -clip->rotations[i].w};
        clip->translations[i] = (md5_vec3){3.0f * (float)i + 5.0f, -(float)i, 0.5f};
    }
    clip->local[0].translation = clip->translations[0];
    clip->anim = (md5_anim){
        .skeleton = skeleton,
        .base_frame = clip->local,
        .num_frames = num_frames,
        .frame_rate = 1.0,
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
    md5_moment moment = md5_moment_at(&clip->anim, time, wrap);
    moment.interpolation = MD5_INTERPOLATE_CUBIC;
    md5_xform found;
    md5_sample(clip->binding, moment, root, &found);
    CHECK_NEAR((double)found.translation.x, expected, 1e-5);
    const double angle = 0.35 * (moment.frame0 + (double)moment.fraction) + 0.1;
    const double sign = moment.frame0 % 2 ? -1.0 : 1.0;
    CHECK_NEAR((double)found.rotation.y * sign, 0.6 * sin(angle), 3e-7);
    CHECK_NEAR((double)found.rotation.w * sign, cos(angle), 3e-7);
}

// Also across the ends of a loop, where the stored positions jump.
TEST (cubic_curves_keep_an_even_speed) {
    even_clip clip;
    make_even(&clip, 5);
    if (!CHECK(clip.binding != NULL))
        return;
    for (int i = 0; i < 54; i++) {
        const double time = 0.37 * i - 8.0;
        const double within = time - 4.0 * floor(time / 4.0);
        check_even(&clip, time, MD5_WRAP_LOOP, MD5_ROOT_FILE, 5.0 + 3.0 * within);
        check_even(&clip, time, MD5_WRAP_LOOP, MD5_ROOT_ID, 3.0 * time);
        check_even(&clip, time, MD5_WRAP_LOOP, MD5_ROOT_IN_PLACE, 5.0);
    }
    check_even(&clip, 1.5, MD5_WRAP_CLAMP, MD5_ROOT_FILE, 5.0 + 4.5);
    check_even(&clip, 2.25, MD5_WRAP_CYCLE, MD5_ROOT_FILE, 5.0 + 6.75);
    md5_free_binding(clip.binding);
}

// From the last frame into the first, as the engine plays it, linear sampling does not move the
// character. On the curve it stops a little later and starts a little earlier.
TEST (cubic_root_goes_on_over_the_end_of_a_cycle) {
    even_clip clip;
    make_even(&clip, 5);
    if (!CHECK(clip.binding != NULL))
        return;
    const double speed = 1.5; // half of 3: the mean with no motion
    const double step = 0.01;
    for (int side = -1; side <= 1; side += 2) {
        const double time = side < 0 ? 4.0 : 5.0;
        md5_xform found[3];
        for (int i = 0; i < 3; i++) {
            md5_moment moment = md5_moment_at(&clip.anim, time + (i - 1) * step, MD5_WRAP_CYCLE);
            moment.interpolation = MD5_INTERPOLATE_CUBIC;
            md5_sample(clip.binding, moment, MD5_ROOT_ID, &found[i]);
        }
        const md5_xform a = found[0], b = found[1], c = found[2];
        CHECK_NEAR((double)b.translation.x, 12.0, 1e-5);
        CHECK_NEAR(((double)c.translation.x - (double)b.translation.x) / step, speed, 0.05);
        CHECK_NEAR(((double)b.translation.x - (double)a.translation.x) / step, speed, 0.05);
    }
    md5_free_binding(clip.binding);
}

TEST (cubic_curves_of_one_and_two_frames) {
    even_clip clip;
    make_even(&clip, 1);
    if (!CHECK(clip.binding != NULL))
        return;
    for (int wrap = MD5_WRAP_LOOP; wrap <= MD5_WRAP_CLAMP; wrap++)
        check_even(&clip, 3.4, (md5_wrap)wrap, MD5_ROOT_FILE, 5.0);
    md5_free_binding(clip.binding);
    make_even(&clip, 2);
    if (!CHECK(clip.binding != NULL))
        return;
    check_even(&clip, 0.25, MD5_WRAP_LOOP, MD5_ROOT_FILE, 5.75);
    check_even(&clip, -0.25, MD5_WRAP_LOOP, MD5_ROOT_ID, -0.75);
    md5_free_binding(clip.binding);
}

// Joints composed of several of the clip's follow curves, too: shortly after a frame they are near
// it, and halfway they differ from linear sampling.
TEST (cubic_curves_of_composed_joints) {
    uint64_t random = 3;
    int curved = 0;
    for (int round = 0; round < 30; round++) {
        made_pose made;
        make_pose(&made, MAX_JOINTS, MADE_PARENTS, 0.8, 0.8, &random);
        const uint32_t frames = made.anim.num_frames;
        const md5_moment halfway = {.frame1 = frames > 1 ? 1 : 0, .fraction = 0.5f};
        sampled straight;
        md5_sample(made.binding, halfway, MD5_ROOT_FILE, straight.pose);
        const sampled at = sample_at(&made, 0, halfway.frame1, 0.0, MD5_WRAP_CLAMP, MD5_ROOT_FILE);
        const sampled near =
            sample_at(&made, 0, halfway.frame1, 1e-5, MD5_WRAP_CLAMP, MD5_ROOT_FILE);
        const sampled half =
            sample_at(&made, 0, halfway.frame1, 0.5, MD5_WRAP_CLAMP, MD5_ROOT_FILE);
        for (uint32_t i = 0; i < MAX_JOINTS; i++) {
            CHECK_NEAR(distance(near.pose[i].translation, at.pose[i].translation), 0.0, 0.02);
            curved += distance(half.pose[i].translation, straight.pose[i].translation) > 0.01;
        }
        free_pose(&made);
    }
    CHECK(curved > 100);
}

// The clip's joint 0 is not in the model; its motion still reaches the joint below it.
TEST (cubic_curves_of_a_root_that_only_the_clip_has) {
    even_clip clip;
    make_even(&clip, 5);
    md5_free_binding(clip.binding);
    const md5_joint joints[2] = {{"elsewhere", -1}, {"origin", 0}};
    const uint32_t order[2] = {0, 1};
    const md5_xform still[2] = {clip.local[0],
                                {{0.0f, 0.0f, 0.0f, -1.0f}, {0.0f, 0.0f, 0.0f}, 0.0f}};
    clip.anim.skeleton = (md5_skeleton){.num_joints = 2, .joints = joints, .order = order};
    clip.anim.constant = clip.anim.base_frame = still;
    clip.binding = md5_bind(&clip.model, &clip.anim, NULL, NULL);
    if (!CHECK(clip.binding != NULL))
        return;
    for (int i = 0; i < 8; i++) {
        md5_moment moment = md5_moment_at(&clip.anim, 0.45 * i, MD5_WRAP_LOOP);
        moment.interpolation = MD5_INTERPOLATE_CUBIC;
        md5_xform found;
        md5_sample(clip.binding, moment, MD5_ROOT_FILE, &found);
        CHECK_NEAR((double)found.translation.x, 5.0 + 3.0 * 0.45 * i, 1e-5);
    }
    md5_free_binding(clip.binding);
}
