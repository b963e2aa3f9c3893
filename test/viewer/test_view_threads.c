// The thread pool of the programs. test/long/threads.sh runs this test under ThreadSanitizer.
#include "test/test.h"

#include "demo/common/threads.h"

enum { MAX_ITEMS = 1000, MAX_WORKERS = 5, NUM_ROUNDS = 40 };

typedef struct counted {
    unsigned char items[MAX_ITEMS]; // how often each item was run
    // 1 while the worker runs a range; no two ranges may have the same worker.
    unsigned char inside[MAX_WORKERS];
    unsigned faults[MAX_WORKERS];
    uint32_t num_workers;
} counted;

static void count_items(void *user, uint32_t worker, size_t begin, size_t end)
{
    counted *const fixture = user;
    fixture->faults[worker] += fixture->inside[worker]++ != 0;
    fixture->faults[worker] += begin >= end || worker >= fixture->num_workers;
    for (size_t i = begin; i < end; i++)
        fixture->items[i]++;
    fixture->inside[worker]--;
}

TEST (view_threads_run_each_item_once) {
    static const uint32_t workers[] = {1, 2, MAX_WORKERS};
    static const size_t counts[] = {0, 1, 2, 7, MAX_ITEMS};
    for (size_t k = 0; k < COUNT_OF(workers); k++) {
        const md5_threads *const threads = common_start_threads(workers[k]);
        CHECK(threads->num_workers >= 1 && threads->num_workers <= workers[k]);
        for (size_t i = 0; i < COUNT_OF(counts); i++) {
            size_t count = counts[i];
            counted fixture = {.num_workers = threads->num_workers};
            for (int round = 0; round < NUM_ROUNDS; round++)
                md5_threads_run(threads, count, count_items, &fixture);
            size_t num_right = 0;
            for (size_t j = 0; j < MAX_ITEMS; j++)
                num_right += fixture.items[j] == (j < count ? NUM_ROUNDS : 0);
            CHECK_UINT(num_right, MAX_ITEMS);
            for (int j = 0; j < MAX_WORKERS; j++)
                CHECK_UINT(fixture.faults[j], 0);
        }
        common_stop_threads(threads);
    }
    common_stop_threads(NULL);
}
