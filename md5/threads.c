// Work for the caller's threads.
#include "md5/core/assert.h"
#include "md5/md5model.h"

void md5_threads_run(const md5_threads *threads, size_t count, md5_range_fn *range, void *user)
{
    MD5_ASSERT(range != NULL, "range: not NULL");
    MD5_ASSERT(threads == NULL || threads->run != NULL, "threads: run is not NULL");
    MD5_ASSERT(threads == NULL || threads->num_workers > 0, "threads: 1 worker or more");
    if (count == 0)
        return;
    if (threads == NULL || threads->num_workers == 1 || count == 1)
        range(user, 0, 0, count);
    else
        threads->run(threads->pool, count, range, user);
}
