// Runs work on the threads of the caller, or directly on the calling thread.
#include "md5/core/assert.h"
#include "md5/md5model.h"

// Calls `range` for the indices 0 to `count` - 1: split into ranges on the threads of `threads`, or
// in one call on the calling thread if `threads` is NULL or would not help.
void md5_threads_run(const md5_threads *threads, size_t count, md5_range_fn *range, void *user)
{
    MD5_ASSERT_NOT_NULL(range);
    MD5_ASSERT(!threads || threads->run, "threads: run must not be NULL");
    MD5_ASSERT(!threads || threads->num_workers > 0,
               "threads: number of workers must be 1 or more");
    if (count == 0)
        return;
    if (!threads || threads->num_workers == 1 || count == 1)
        range(user, 0, 0, count);
    else
        threads->run(threads->pool, count, range, user);
}
