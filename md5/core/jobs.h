// Batches that are divided among the caller's threads, with scratch memory for each of them.
#ifndef MD5_CORE_JOBS_H
#define MD5_CORE_JOBS_H

#include "md5/md5model.h"

// Does the jobs from `begin` to `end` - 1 with `scratch` to itself.
typedef void md5_batch_fn(void *user, size_t begin, size_t end, void *scratch);

// A batch of `count` jobs that need `size` bytes of scratch memory a worker; `scratch` has those
// that md5i_scratch_of_all() returns, or more.
typedef struct md5_batch {
    md5_batch_fn *run;
    void *user;
    size_t count;
    void *scratch;
    size_t size; // unused without threads
} md5_batch;

void md5i_run_batch(const md5_threads *threads, const md5_batch *batch);

size_t md5i_scratch_of_all(const md5_threads *threads, size_t size);

#endif
