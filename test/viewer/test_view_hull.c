// The hull that frames a shape: the farthest points of clouds in 26 directions, against a plain
// search in double precision.
#include "test/test.h"

#include "demo/viewer/motion/motion.h"
#include "demo/viewer/assets/words.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_POINTS = 500 };

static md5_vec3 random_point(uint64_t *random, double size)
{
    const double x = test_random(random), y = test_random(random), z = test_random(random);
    return (md5_vec3){(float)(size * (x - 0.3)), (float)(size * (y - 0.6)),
                      (float)(size * (z - 0.5))};
}

static double reach_of(const int direction[3], md5_vec3 point)
{
    const double x = direction[0], y = direction[1], z = direction[2];
    return (x * point.x + y * point.y + z * point.z) / sqrt(x * x + y * y + z * z);
}

// The reach of the hull in a direction: no point of the hull is farther than the one for it.
static double reach_of_hull(const view_hull *hull, const int direction[3])
{
    double farthest = -INFINITY;
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        farthest = fmax(farthest, reach_of(direction, hull->points[i]));
    return farthest;
}

static void check_hull(const view_hull *hull, const md5_vec3 *points, uint32_t count)
{
    for (int cell = 0; cell < 27; cell++) {
        const int direction[3] = {cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1};
        double farthest = -INFINITY;
        for (uint32_t i = 0; i < count && cell != 13; i++)
            farthest = fmax(farthest, reach_of(direction, points[i]));
        if (cell == 13)
            continue;
        CHECK_NEAR(reach_of_hull(hull, direction), farthest, 1e-4);
        CHECK_NEAR(hull->reach[cell < 13 ? cell : cell - 1], farthest, 1e-4);
    }
}

// Points come in several calls; later clouds are larger or lie within earlier ones.
TEST (view_hull_reaches_the_farthest_points_in_each_direction) {
    static const double sizes[] = {10.0, 80.0, 30.0, 81.0};
    static const uint32_t counts[] = {1, 500, 33, 128};
    static md5_vec3 points[4 * MOST_POINTS];
    uint64_t random = 7;
    uint32_t used = 0;
    view_hull hull = {0};
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        hull.reach[i] = -INFINITY;
    for (int call = 0; call < 4; call++) {
        const uint32_t first = used;
        for (uint32_t i = 0; i < counts[call]; i++)
            points[used++] = random_point(&random, sizes[call]);
        view_widen_hull(&hull, points + first, counts[call]);
        check_hull(&hull, points, used);
    }
}

// A square of 10 by 10 points, a unit apart, that moves 175 units along x in a clip of two frames;
// and three points 1000 units away from it.
static bool make_walk(view_scene *scene, uint32_t num_stray)
{
    md5_error error;
    view_words words = {0};
    view_say(&words, "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
                     "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\nshader \"\"\n");
    view_say(&words, "numverts %u\n", 100 + (unsigned)num_stray);
    for (unsigned i = 0; i < 100 + num_stray; i++)
        view_say(&words, "vert %u ( 0 0 ) %u 1\n", i, i);
    view_say(&words, "numtris 1\ntri 0 0 1 10\nnumweights %u\n", 100 + (unsigned)num_stray);
    for (unsigned i = 0; i < 100 + num_stray; i++)
        view_say(&words, "weight %u 0 1 ( %u %u %u )\n", i, i % 10, i / 10 % 10,
                 i < 100 ? 0 : 1000);
    view_say(&words, "}\n");
    static const char clip[] =
        "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 1\nframeRate 1\n"
        "numAnimatedComponents 1\nhierarchy {\n\"origin\" -1 1 0\n}\n"
        "bounds {\n( 0 0 0 ) ( 1 1 1 )\n( 0 0 0 ) ( 1 1 1 )\n}\n"
        "baseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\nframe 0 {\n0\n}\nframe 1 {\n175\n}\n";
    *scene = (view_scene){0};
    scene->own_model = md5_parse_model(words.text, words.size, NULL, &error);
    scene->model = scene->own_model;
    free(words.text);
    md5_anim *const anim = md5_parse_anim(clip, sizeof clip - 1, NULL, &error);
    if (!CHECK(scene->model != NULL && anim != NULL))
        return false;
    view_append_clip(
        scene, (view_clip){.anim = anim, .binding = md5_bind(scene->model, anim, NULL, NULL)});
    view_make_pose(scene, &scene->model->skeleton);
    return CHECK(scene->clips[0].binding != NULL);
}

TEST (view_hull_of_a_still_is_that_of_its_pose) {
    view_scene scene;
    view_hull hull;
    const view_play middle = {.time = 0.5, .speed = 1.0};
    if (make_walk(&scene, 0)) {
        const md5_bounds way = view_clip_bounds(&scene, NULL, &hull);
        const md5_bounds still = view_clip_bounds(&scene, &middle, &hull);
        CHECK_NEAR(way.max.x - way.min.x, 184, 1e-3);
        CHECK_NEAR(still.min.x, 87.5, 1e-3);
        CHECK_NEAR(still.max.x, 96.5, 1e-3);
        CHECK_NEAR(hull.reach[13], 96.5, 1e-3);
    }
    view_free_scene(&scene);
}

// Of 103 points three are a small share; of 110 ten are not.
TEST (view_hull_leaves_out_stray_pieces) {
    static const uint32_t stray[] = {3, 10};
    for (int i = 0; i < 2; i++) {
        view_scene scene;
        view_hull hull;
        const view_play begin = {.speed = 1.0};
        if (make_walk(&scene, stray[i])) {
            const float top = i == 0 ? 0.0f : 1000.0f;
            CHECK_NEAR(view_clip_bounds(&scene, &begin, &hull).max.z, top, 1e-3);
            CHECK_NEAR(view_clip_bounds(&scene, NULL, &hull).max.z, top, 1e-3);
            view_pose(&scene, &begin);
            view_skin(&scene);
            CHECK_NEAR(view_pose_bounds(&scene).max.z, top, 1e-3);
        }
        view_free_scene(&scene);
    }
}
