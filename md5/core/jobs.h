// Runs a batch of jobs on the caller's threads (md5_threads), with scratch memory for each worker.
#ifndef MD5_CORE_JOBS_H
#define MD5_CORE_JOBS_H

#include "md5/md5model.h"

// Runs the jobs from `begin` to `end` - 1. No other worker uses `scratch` meanwhile.
typedef void md5_batch_fn(void *user, size_t begin, size_t end, void *scratch);

// A batch: `count` independent jobs, such as the poses of a crowd.
typedef struct md5_batch {
    md5_batch_fn *run;
    void *user;
    size_t count;  // number of jobs
    void *scratch; // at least md5i_batch_scratch_size() bytes
    size_t size;   // bytes of scratch memory per worker; unused without threads
} md5_batch;

// Runs all jobs of a batch, on the caller's thread if `threads` is NULL.
void md5i_run_batch(const md5_threads *threads, const md5_batch *batch);

// Returns the scratch memory of all workers for `size` bytes per worker.
size_t md5i_batch_scratch_size(const md5_threads *threads, size_t size);

#endif
