// Tests reading when an allocation fails. The texts have every length up to some hundred joints, so
// that each table in turn is the table that needs a new block, while the previous tables fit into
// the first block.
#include "test/load/test_asset.h"
#include "test/scoped.h"
#include "test/read/read_case.h"

// Returns a model of a chain with its root at the end, so that an order has to be found. `root` is
// the parent of the last joint: -1, or a joint that closes a cycle.
static test_text model_text(uint32_t num_joints, int32_t root)
{
    test_text text = {0};
    test_append(
        &text,
        "MD5Version 10 commandline \"of two \" \"parts\" numJoints %u numMeshes 40 joints {\n",
        num_joints);
    for (uint32_t j = 1; j < num_joints; j++)
        test_append(&text, "j%u %u (0 0 0) (0 0 0)\n", j, j);
    test_append(&text, "root %d (0 0 0) (0 0 0) }\n", root);
    // The last mesh: a triangle.
    for (int m = 1; m < 40; m++)
        test_append(&text, "mesh { numverts 0 numtris 0 numweights 0 }\n");
    test_append(&text,
                "mesh { numverts 3 vert 0 (0 0) 0 1 vert 1 (0 0) 1 1 vert 2 (0 0) 2 1\n"
                "numtris 1 tri 0 0 1 2\n"
                "numweights 3 weight 0 0 1 (0 0 0) weight 1 0 1 (0 1 0) weight 2 0 1 (1 0 0) }");
    return text;
}

// Returns the number of memory blocks of all meshes: a few blocks for the arrays, and one block for
// each skinning plan.
static size_t num_mesh_blocks(const md5_model *model)
{
    size_t count = model ? asset_num_chunks(model) : 0;
    if (model) {
        for (uint32_t m = 0; m < model->num_meshes; m++)
            count += model->meshes[m].skin_plan != NULL;
    }
    return count;
}

// Reads a text repeatedly and makes each allocation fail in turn. A failure must be reported and
// must not leak memory. If no allocation fails, the status must be `expected`.
static void sweep(const test_text *fixture, char kind, md5_status expected)
{
    bool has_failed = true;
    for (size_t n = 1; has_failed; n++) {
        test_heap heap = {.fail_at = n};
        const md5_load_opts opts = heap_opts(&heap, 0);
        md5_error error = {0};
        read_asset asset = {0};
        md5_camera *camera = NULL;
        if (kind == 'c')
            camera = md5_parse_camera(fixture->bytes, fixture->used, &opts, &error);
        else
            asset = read_asset_parse(kind == 'a', fixture->bytes, fixture->used, &opts, &error);
        const bool file_exists = camera || read_asset_is_loaded(asset);
        has_failed = heap.num_allocs >= n;
        const md5_status status = has_failed ? MD5_ERROR_MEMORY : expected;
        CHECK_THAT(error.status == status,
                   "kind %c, %zu bytes, allocation %zu: status %d, expected %d", kind,
                   fixture->used, n, (int)error.status, (int)status);
        CHECK(file_exists == (error.status == MD5_OK));
        CHECK_UINT(heap.live, file_exists ? 1 + num_mesh_blocks(asset.model) : 0);
        read_asset_free(asset);
        md5_free_camera(camera);
        CHECK_UINT(heap.live_bytes, 0);
    }
    free(fixture->bytes);
}

enum { MAX_ITEMS = 520 };

TEST (read_memory_may_end_anywhere_in_a_model) {
    for (uint32_t count = 2; count < MAX_ITEMS; count++) {
        const test_text good = model_text(count, -1);
        const test_text circle = model_text(count, 0);
        sweep(&good, 'm', MD5_OK);
        sweep(&circle, 'm', MD5_ERROR_RANGE);
    }
}

TEST (read_memory_may_end_anywhere_in_an_animation) {
    for (int count = 2; count < MAX_ITEMS; count++) {
        test_text good = {0};
        test_append(&good, "MD5Version 10 commandline \"\" numFrames 3 numJoints %u frameRate 24\n",
                    count);
        test_append(&good, "numAnimatedComponents 40 hierarchy {\n");
        for (int j = 0; j < count; j++)
            test_append(&good, "j%u %d %d 0\n", j, (int)j - 1, j < 2 ? 63 : 0);
        test_append(&good,
                    "}\nbounds { (0 0 0) (1 1 1) (0 0 0) (1 1 1) (0 0 0) (1 1 1) }\nbaseframe {\n");
        for (int j = 0; j < count; j++)
            test_append(&good, "(0 0 0) (0 0 0)\n");
        test_append(&good, "}\n");
        for (int f = 0; f < 3; f++) {
            test_append(&good, "frame %d {", f);
            for (int i = 0; i < 40; i++)
                test_append(&good, " 0.%d", i % 5 + f);
            test_append(&good, " }\n");
        }

        sweep(&good, 'a', MD5_OK);
    }
}

TEST (read_memory_may_end_anywhere_in_a_camera) {
    for (int count = 2; count < MAX_ITEMS; count++) {
        test_text good = {0};
        test_append(&good,
                    "MD5Version 10 commandline \"\" numFrames %u frameRate 24 numCuts %u cuts {\n",
                    count, count - 1);
        for (int i = 1; i < count; i++)
            test_append(&good, "%u\n", i);
        test_append(&good, "} camera {\n");
        for (int i = 0; i < count; i++)
            test_append(&good, "(0 0 0) (0 0 0) 90\n");
        test_append(&good, "}\n");

        sweep(&good, 'c', MD5_OK);
    }
}
