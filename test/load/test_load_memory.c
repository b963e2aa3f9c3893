// How much memory reading takes. An ordinary file takes the blocks of the asset and one working
// block of at most half of the text's size, which holds a model's tables before they are copied to
// their places; it is freed before skinning plans are allocated. A model's joints have a working
// block of their own, which is freed before the block of the meshes is allocated. The peak is at
// most 1.5 times the text's size, in files like these.
#include "test/test.h"

#include "md5/md5model.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PERCENT = 50, MOST_PEAK_PERCENT = 150 };

typedef struct measured {
    size_t num_allocs, num_blocks, peak_bytes, asset_bytes;
    size_t num_meshes; // each has a block for its plan
} measured;

static measured measure(const char *path, const char *text, size_t size)
{
    test_heap heap = {0};
    const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
    md5_error error = {0};
    measured result = {0};
    if (strstr(path, ".md5anim")) {
        md5_anim *const anim = md5_parse_anim(text, size, &opts, &error);
        result = (measured){heap.num_allocs, heap.live, heap.peak_bytes, heap.live_bytes, 0};
        md5_free_anim(anim);
    } else {
        md5_model *const model = md5_parse_model(text, size, &opts, &error);
        result = (measured){heap.num_allocs, heap.live, heap.peak_bytes, heap.live_bytes,
                            model ? model->num_meshes : 0};
        md5_free_model(model);
    }
    CHECK_UINT(error.status, MD5_OK);
    CHECK_UINT(heap.live, 0);
    return result;
}

static void check_file(const char *path)
{
    size_t size = 0;
    char *const text = test_read_file(path, &size);
    if (!test_check(text != NULL, __FILE__, __LINE__, "%s cannot be read", path))
        return;
    const measured it = measure(path, text, size);
    const bool is_anim = strstr(path, ".md5anim") != NULL;
    const size_t num_blocks = is_anim ? 1 : 2 + it.num_meshes;
    CHECK_UINT(it.num_blocks, num_blocks);
#ifdef __OPTIMIZE_SIZE__
    const size_t num_scratch = 9; // without counting ahead
    const bool is_few = it.num_allocs <= num_blocks + num_scratch;
#else
    const bool is_few = it.num_allocs == num_blocks + (is_anim ? 1 : 2); // joints by themselves
#endif
    test_check(is_few, __FILE__, __LINE__, "%s: %zu allocations", path, it.num_allocs);
    test_check(it.peak_bytes - it.asset_bytes <= size * MOST_PERCENT / 100, __FILE__, __LINE__,
               "%s: %zu bytes of memory besides %zu, %zu of text", path,
               it.peak_bytes - it.asset_bytes, it.asset_bytes, size);
    test_check(it.peak_bytes <= size * MOST_PEAK_PERCENT / 100, __FILE__, __LINE__,
               "%s: %zu bytes of memory at once, %zu of text", path, it.peak_bytes, size);
    free(text);
}

TEST (our_files_take_few_blocks_and_little_memory) {
    check_file(test_path("models/bobbin/bobbin.md5mesh"));
    check_file(test_path("models/thimble/thimble.md5mesh")); // many mirror seams
    check_file(test_path("models/zoo/chain.md5mesh"));       // many joints
    check_file(test_path("models/bobbin/walk.md5anim"));
    check_file(test_path("models/bobbin/dance.md5anim"));
}

TEST (real_files_take_few_blocks_and_little_memory) {
    static const char *const files[] = {
        "redeclipse/drone/mesh.md5mesh", "frankie/Frankie.md5mesh",
        "terasology/lasr/queen.md5mesh", "redeclipse/weapons/zapper/item.md5mesh",
        "frankie/Frankie_Idle1.md5anim", "stromar/s_idle.md5anim",
        "stromar/stromar.md5mesh",       "cube2/ffflag/ffflag.md5mesh",
        "cube2/ffpit/ffpit.md5mesh",     "redeclipse/props/flag/mesh.md5mesh",
    };
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[512];
        strcpy(path, test_corpus());
        strcat(strcat(path, "/corpus/"), files[i]);
        check_file(path);
    }
}

// Counts in comments are read before it is known that they are in a comment.
TEST (repeated_counts_allocate_no_more) {
    static const char model[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\n"
                                "joints {\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n";
    static const char *const comments[] = {"// numJoints 99999999\n", "// numMeshes 99999999\n"};
    enum { TIMES = 1500 };
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(comments[i]), size = TIMES * length + strlen(model);
        char *const text = malloc(size + 1);
        CHECK(text != NULL);
        for (size_t k = 0; k < TIMES; k++)
            memcpy(text + k * length, comments[i], length);
        memcpy(text + TIMES * length, model, sizeof model);
        const measured it = measure("comments.md5mesh", text, size);
        CHECK(it.peak_bytes <= 65536 + 16 * size);
        free(text);
    }
}
