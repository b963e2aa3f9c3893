// Procedural walking: any numbers, wrong legs, mistakes of callers.
#include "test/ik/test_walk_case.h"
#include "test/mistake.h"
#include "test/test.h"

#include <math.h>
#include <string.h>

static float wild(void *user, md5_vec3 at, md5_vec3 *normal)
{
    static const float heights[] = {NAN, INFINITY, 1e30f, -1e14f, 0.0f, 5.0f};
    uint64_t *const seed = user;
    const uint32_t choice = test_random_u32(seed);
    normal->x = choice % 5 == 0 ? NAN : choice % 7 == 0 ? 1e30f : at.x;
    normal->z = choice % 3 == 0 ? 0.0f : 1.0f;
    return heights[choice % 6];
}

static bool is_finite(md5_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

TEST (walk_takes_any_numbers) {
    static const float numbers[] = {NAN, INFINITY, -INFINITY, 1e38f, -1e-38f, 0.0f, 30.0f, -5.0f};
    static const double seconds[] = {NAN, -1.0, 0.0, 1e-300, 0.01, 0.3, 1e300, INFINITY};
    uint64_t seed = 11;
    walk_case *const of = walk_new(MD5_AXES_ID, NULL);
    if (!CHECK(of != NULL))
        return;
    of->desc.terrain = wild;
    of->desc.user = &seed;
    for (int i = 0; i < 300; i++) {
        const md5_vec3 velocity = {numbers[test_random_u32(&seed) % 8],
                                   numbers[test_random_u32(&seed) % 8], 1.0f};
        md5_walk_advance(&of->desc, &of->walk, velocity, numbers[test_random_u32(&seed) % 8],
                         seconds[test_random_u32(&seed) % 8]);
        walk_pose(of);
        CHECK(is_finite(of->walk.position) && is_finite(of->walk.normal));
        for (uint32_t joint = 0; joint < of->model->skeleton.num_joints; joint++) {
            const md5_quat q = of->pose[joint].rotation;
            CHECK_NEAR((double)(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w), 1.0, 1e-3);
        }
    }
    walk_free(of);
}

TEST (walk_begins_with_any_placement_and_pose) {
    walk_case *const of = walk_new(MD5_AXES_ID, NULL);
    if (!CHECK(of != NULL))
        return;
    const md5_xform wrong = {.rotation = {NAN, 0, 0, 0}, .translation = {INFINITY, 0, 0}};
    CHECK(md5_walk_begin(&of->desc, of->model->bind_local, wrong, &of->walk));
    CHECK(of->walk.position.x == 0.0f && of->walk.facing.w == 1.0f);
    // A turn of 90 degrees to the left and a tilt: only the turn counts.
    const md5_quat left = {0, 0, 0.70710678f, 0.70710678f}, tilt = {0, 0.2f, 0, 0.98f};
    const md5_xform turned = {.rotation = md5_quat_mul(left, tilt), .translation = {3, 4, 9}};
    CHECK(md5_walk_begin(&of->desc, of->model->bind_local, turned, &of->walk));
    CHECK_NEAR((double)of->walk.facing.z, sqrt(0.5), 1e-6);
    CHECK_NEAR((double)of->walk.facing.x, 0.0, 1e-6);
    CHECK_NEAR((double)of->walk.position.z, 0.0, 1e-5); // flat ground
    walk_free(of);
}

TEST (walk_refuses_what_is_no_leg) {
    walk_case *const of = walk_new(MD5_AXES_ID, NULL);
    if (!CHECK(of != NULL))
        return;
    const md5_xform origin = {.rotation = {0, 0, 0, 1}};
    const md5_leg good = of->legs[2];
    const md5_xform *const bind = of->model->bind_local;
    of->legs[2].limb.tip = 1000;
    CHECK(!md5_walk_begin(&of->desc, bind, origin, &of->walk));
    md5_walk_advance(&of->desc, &of->walk, (md5_vec3){10, 0, 0}, 0.0f, 0.5);
    walk_pose(of);
    CHECK(of->num_placed < 6);
    of->legs[2] = good;
    of->legs[2].swivel = 1000;
    CHECK(!md5_walk_begin(&of->desc, bind, origin, &of->walk));
    of->legs[2].swivel = (int32_t)good.limb.tip;
    CHECK(!md5_walk_begin(&of->desc, bind, origin, &of->walk));
    of->legs[2].swivel = -1;
    CHECK(md5_walk_begin(&of->desc, bind, origin, &of->walk));
    walk_pose(of);
    CHECK_UINT(of->num_placed, 6);
    of->legs[2].group = 2;
    CHECK(!md5_walk_begin(&of->desc, bind, origin, &of->walk));
    of->legs[2] = good;
    of->desc.body = 1000;
    CHECK(!md5_walk_begin(&of->desc, bind, origin, &of->walk));
    of->desc.body = 1;
    of->desc.num_legs = of->desc.num_groups = 1; // the middle of all homes is its own: radius 0
    CHECK(!md5_walk_begin(&of->desc, bind, origin, &of->walk));
    walk_free(of);
}

#if !defined(NDEBUG)

static void begin(const void *context)
{
    static md5_walk walk;
    const md5_xform origin = {.rotation = {0, 0, 0, 1}}, pose[1] = {{.rotation = {0, 0, 0, 1}}};
    (void)md5_walk_begin(context, pose, origin, &walk);
}

static void advance_other(const void *context)
{
    static md5_walk walk; // begun with no legs
    md5_walk_advance(context, &walk, (md5_vec3){0, 0, 0}, 0.0f, 0.1);
}

static void pose_other(const void *context)
{
    static md5_walk walk;
    md5_xform pose[1] = {{.rotation = {0, 0, 0, 1}}};
    (void)md5_walk_pose(context, &walk, pose);
}

TEST (mistakes_in_walks_are_reported) {
    walk_case *const of = walk_new(MD5_AXES_ID, NULL);
    if (!CHECK(of != NULL))
        return;
    const md5_walk_desc good = of->desc;
    CHECK(strstr(test_message_of(begin, test_null()), "desc: not NULL") != NULL);
    of->desc.skeleton = NULL;
    CHECK(strstr(test_message_of(begin, &of->desc), "skeleton: not NULL") != NULL);
    of->desc = good;
    of->desc.legs = NULL;
    CHECK(strstr(test_message_of(begin, &of->desc), "legs: not NULL") != NULL);
    of->desc = good;
    of->desc.num_legs = MD5_MAX_LEGS + 1;
    CHECK(strstr(test_message_of(begin, &of->desc), "num_legs: 1 to MD5_MAX_LEGS") != NULL);
    of->desc = good;
    of->desc.num_groups = 0;
    CHECK(strstr(test_message_of(begin, &of->desc), "num_groups: 1 to num_legs") != NULL);
    of->desc = good;
    of->desc.reserved[0] = 1;
    CHECK(strstr(test_message_of(begin, &of->desc), "reserved members must be 0") != NULL);
    of->desc = good;
    CHECK(strstr(test_message_of(advance_other, &of->desc), "begun with this description") != NULL);
    CHECK(strstr(test_message_of(pose_other, &of->desc), "begun with this description") != NULL);
    walk_free(of);
}

#endif
