// Compressed clips of many joints: allocations that fail in every step of the work, and bindings to
// models that lack joints of a branch.
#include "md5/pose/kernels.h"
#include "md5/md5skin.h"
#include "md5/md5model.h"
#include "test/test.h"
#include "test/pose/own_clip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Made clips -------------------------------------------------------------------------------

enum { LINE = 160 };

// Text that grows.
typedef struct text {
    char *at;
    size_t size, room;
} text;

static void add(text *to, const char *line)
{
    const size_t length = strlen(line);
    if (to->size + length >= to->room) {
        to->room = 2 * (to->room + length);
        to->at = realloc(to->at, to->room);
    }
    memcpy(to->at + to->size, line, length + 1);
    to->size += length;
}

// Branches of four joints. Each joint turns about z and, except every fifth, moves along x, on a
// curve of its own.
static md5_anim *make_branches(uint32_t num_joints, uint32_t num_frames)
{
    text made = {.room = 4096, .at = malloc(4096)};
    char line[LINE];
    (void)snprintf(line, LINE,
                   "MD5Version 10\ncommandline \"\"\nnumFrames %u\nnumJoints %u\nframeRate 24\n"
                   "numAnimatedComponents %u\nhierarchy {\n",
                   num_frames, num_joints, 2 * num_joints);
    add(&made, line);
    for (uint32_t i = 0; i < num_joints; i++) {
        const int32_t parent = i % 4 == 0 ? (i == 0 ? -1 : 0) : (int32_t)i - 1;
        (void)snprintf(line, LINE, "\"joint%u\" %d 33 %u\n", i, parent, 2 * i);
        add(&made, line);
    }
    add(&made, "}\nbounds {\n");
    for (uint32_t i = 0; i < num_frames; i++)
        add(&made, "( 0 0 0 ) ( 1 1 1 )\n");
    add(&made, "}\nbaseframe {\n");
    for (uint32_t i = 0; i < num_joints; i++)
        add(&made, "( 1 2 3 ) ( 0 0 0 )\n");
    add(&made, "}\n");
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        (void)snprintf(line, LINE, "frame %u {\n", frame);
        add(&made, line);
        for (uint32_t i = 0; i < num_joints; i++) {
            const double along = i % 5 == 4 ? 2.0 : 1.0 + sin(0.9 * frame + i);
            (void)snprintf(line, LINE, "%f %f\n", along, 0.3 * cos(1.7 * frame + 0.5 * i));
            add(&made, line);
        }
        add(&made, "}\n");
    }
    md5_error error = {0};
    md5_anim *const anim = md5_parse_anim(made.at, made.size, NULL, &error);
    test_check(anim != NULL, __FILE__, __LINE__, "%s", error.message);
    free(made.at);
    return anim;
}

// -- Memory -----------------------------------------------------------------------------------

static const char beginning[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\njoints {\n"
    "\"joint0\" -1 ( 0 0 1 ) ( 0 0 0 )\n}\n";

// The arena grows in steps, so that clips of different sizes fail in different places.
static const struct {
    uint32_t joints, frames;
} sizes[] = {{3, 2},    {40, 2},   {65, 2},   {90, 2},   {120, 2},  {150, 2},  {200, 2},
             {260, 2},  {330, 2},  {400, 2},  {550, 2},  {8, 150},  {20, 150}, {700, 2},
             {1100, 2}, {1500, 2}, {1900, 2}, {2400, 2}, {3000, 2}, {5000, 2}};
enum { NUM_SIZES = sizeof sizes / sizeof sizes[0], MOST_FAILURES = 100, LARGE = 600, FIRST = 6 };

// In large clips only the first allocations fail, because a complete run takes long.
static size_t most_failures(int i)
{
    return sizes[i].joints > LARGE ? FIRST : MOST_FAILURES;
}

TEST_LONG (compress_of_many_joints_survives_failure_of_every_allocation) {
    for (int k = 0; k < 2 * NUM_SIZES; k++) {
        const int i = k / 2;
        md5_anim *const anim = make_branches(sizes[i].joints, sizes[i].frames);
        md5_model *const model = md5_parse_model(beginning, strlen(beginning), NULL, NULL);
        bool done = false;
        for (size_t n = 1; n <= most_failures(i) && !done; n++) {
            test_heap heap = {.fail_at = n};
            const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
            md5_error error = {0};
            const md5_compress_opts options = {.model = k % 2 == 0 ? model : NULL};
            md5_anim *const compressed = md5_compress_anim(anim, &options, &opts, &error);
            CHECK_UINT(error.status, compressed ? MD5_OK : MD5_ERROR_MEMORY);
            CHECK(!compressed || compressed->max_error <= compressed->tolerance);
            done = compressed != NULL;
            md5_free_anim(compressed);
            CHECK_UINT(heap.live, 0);
        }
        CHECK(done || sizes[i].joints > LARGE);
        md5_free_model(model);
        md5_free_anim(anim);
    }
}

static bool poses_alike(const md5_anim *a, const md5_anim *b)
{
    const size_t num_joints = a->skeleton.num_joints;
    const md5_moment moment = {.frame1 = 1, .fraction = 0.25f};
    md5_xform *const poses = calloc(2 * num_joints, sizeof *poses);
    sample_own(a, moment, MD5_ROOT_FILE, poses);
    sample_own(b, moment, MD5_ROOT_FILE, poses + num_joints);
    const bool same = memcmp(poses, poses + num_joints, num_joints * sizeof *poses) == 0;
    free(poses);
    return same && a->packed_size == b->packed_size;
}

TEST_LONG (compress_file_of_many_joints_survives_failure_of_every_allocation) {
    for (int i = 0; i < NUM_SIZES; i++) {
        md5_anim *const anim = make_branches(sizes[i].joints, sizes[i].frames);
        md5_anim *const made = md5_compress_anim(anim, NULL, NULL, NULL);
        const size_t size = md5_write_anim(made, NULL, 0);
        void *const bytes = malloc(size);
        CHECK_UINT(md5_write_anim(made, bytes, size), size);
        bool done = false;
        for (size_t n = 1; n <= most_failures(i) && !done; n++) {
            test_heap heap = {.fail_at = n};
            const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
            md5_error error = {0};
            md5_anim *const read = md5_parse_anim(bytes, size, &opts, &error);
            CHECK_UINT(error.status, read ? MD5_OK : MD5_ERROR_MEMORY);
            CHECK(!read || poses_alike(made, read));
            done = read != NULL;
            md5_free_anim(read);
            CHECK_UINT(heap.live, 0);
        }
        CHECK(done || sizes[i].joints > LARGE);
        free(bytes);
        md5_free_anim(made);
        md5_free_anim(anim);
    }
}

// -- Bindings ---------------------------------------------------------------------------------

// Models with a branch that lacks its middle, one that lacks its beginning, and one without gaps.
static const char *const gaps[] = {
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 0\njoints {\n"
    "\"joint0\" -1 ( 0 0 1 ) ( 0 0 0 )\n\"joint3\" 0 ( 3 0 1 ) ( 0 0.1 0 )\n}\n",
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 0\njoints {\n"
    "\"joint2\" -1 ( 0 0 1 ) ( 0 0 0 )\n\"joint3\" 0 ( 3 0 1 ) ( 0 0.1 0 )\n}\n",
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 0\njoints {\n"
    "\"joint0\" -1 ( 0 0 1 ) ( 0 0 0 )\n\"joint1\" 0 ( 3 0 1 ) ( 0 0.1 0 )\n}\n",
};
enum { NUM_GAPS = 3 };

static double distance(const md5_xform *a, const md5_xform *b)
{
    const double x = (double)a->translation.x - (double)b->translation.x;
    const double y = (double)a->translation.y - (double)b->translation.y;
    const double z = (double)a->translation.z - (double)b->translation.z;
    return sqrt(x * x + y * y + z * z);
}

TEST (compress_binds_across_joints_that_the_model_lacks) {
    md5_anim *const anim = make_branches(4, 12);
    const md5_compress_opts options = {.tolerance = 0.001f};
    md5_anim *const compressed = md5_compress_anim(anim, &options, NULL, NULL);
    for (int i = 0; i < NUM_GAPS; i++) {
        md5_model *const model = md5_parse_model(gaps[i], strlen(gaps[i]), NULL, NULL);
        md5_binding *const plain = md5_bind(model, anim, NULL, NULL);
        md5_binding *const binding = md5_bind(model, compressed, NULL, NULL);
        CHECK((plain->num_rebases > 0) == (i < 2));
        for (int k = 0; k < 60; k++) {
            md5_xform exact[2], pose[2];
            const md5_moment moment = md5_moment_at(anim, 0.013 * k, MD5_WRAP_LOOP);
            md5_sample(plain, moment, (md5_root)(k % 3), exact);
            md5_sample(binding, moment, (md5_root)(k % 3), pose);
            for (int joint = 0; joint < 2; joint++)
                CHECK_NEAR(distance(&exact[joint], &pose[joint]), 0.0, 0.01);
        }
        md5_free_binding(binding);
        md5_free_binding(plain);
        md5_free_model(model);
    }
    md5_free_anim(compressed);
    md5_free_anim(anim);
}

// Half of the model's joints are driven; tracks of all distances of keys.
TEST (compress_scalar_code_is_the_reference_of_bindings) {
    enum { COUNT = 37, DRIVEN = 19 };
    char line[LINE];
    text made = {.room = 4096, .at = malloc(4096)};
    (void)snprintf(line, LINE,
                   "MD5Version 10\ncommandline \"\"\nnumJoints %d\nnumMeshes 0\njoints {\n",
                   DRIVEN);
    add(&made, line);
    for (int i = 0; i < DRIVEN; i++) {
        (void)snprintf(line, LINE, "\"joint%d\" %d ( 0 0 %d ) ( 0 0 0 )\n", i,
                       i % 4 == 0 ? (i == 0 ? -1 : 0) : i - 1, i);
        add(&made, line);
    }
    add(&made, "}\n");
    md5_model *const model = md5_parse_model(made.at, made.size, NULL, NULL);
    md5_anim *const anim = make_branches(COUNT, 9);
    md5_anim *const compressed = md5_compress_anim(anim, NULL, NULL, NULL);
    md5_binding *const binding = md5_bind(model, compressed, NULL, NULL);
    CHECK(binding != NULL);
    for (int k = 0; k < 80 && binding; k++) {
        md5_xform a[DRIVEN], b[DRIVEN];
        const md5_moment moment = md5_moment_at(anim, 0.011 * k, (md5_wrap)(k % 3));
        md5i_sample_with(md5i_pose_kernels_of(MD5_CPU_SCALAR), binding, &moment, MD5_ROOT_FILE, a);
        md5_sample(binding, moment, MD5_ROOT_FILE, b);
        CHECK(memcmp(a, b, sizeof a) == 0);
    }
    md5_free_binding(binding);
    md5_free_anim(compressed);
    md5_free_anim(anim);
    md5_free_model(model);
    free(made.at);
}
