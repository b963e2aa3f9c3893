// md5jobs: the caller's thread pool, for calls that can use one. The library has no threads.
//
// Each engine has a pool. This is what the library needs of it: a function that runs a range of
// numbered items, in parts, on its threads. For a pool with numbered threads:
//
//   static void run(void *pool, size_t count, md5_range_fn *range, void *user)
//   {
//       // for parts of 0..count, on the threads w of the pool: range(user, w, begin, end);
//       // wait for all of them
//   }
//   md5_threads threads = {.run = run, .pool = my_pool, .num_workers = my_pool->num_threads};
//   md5_play_batch(jobs, count, &threads, scratch);
//
// A pool whose threads have no numbers (dispatch_apply(), parallel_for()) cuts 0..count into
// num_workers parts and passes the number of the part as the worker.
#ifndef MD5JOBS_H
#define MD5JOBS_H

#include "md5math.h" // beside this file also when installed

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Does the items `begin` to `end` - 1. Two calls at the same time must have different workers,
// because a worker has memory of its own. It allocates nothing and cannot fail if the call that
// passed it does not.
typedef void md5_range_fn(void *user, uint32_t worker, size_t begin, size_t end);

// A thread pool; NULL where one may be passed: the calling thread alone. Results are the same bits
// with any number of workers, in any order of ranges.
typedef struct md5_threads {
    // Calls range(user, worker, begin, end) for ranges that together hold each item below `count`
    // once, in any order, and returns when all calls have returned: what they wrote must then be
    // visible to the calling thread. worker < num_workers. The calling thread may be one of them.
    // It is called on the thread that called the library, and never from within a range. Errors
    // are the pool's own matter: with fewer threads than it has wanted, it only takes longer.
    void (*run)(void *pool, size_t count, md5_range_fn *range, void *user);
    void *pool;           // passed to run(); the library keeps neither this nor the structure
    uint32_t num_workers; // 1 or more
} md5_threads;

// Calls range() for all items below `count`: by threads->run(), or directly, as worker 0, if
// `threads` is NULL, has one worker, or there is only one item. Does nothing if `count` is 0.
MD5_API void md5_threads_run(const md5_threads *threads, size_t count, md5_range_fn *range,
                             void *user);

#ifdef __cplusplus
}
#endif

#endif
