// Runs a batch of jobs on the caller's threads (md5_threads). Each worker (thread) has its own
// scratch memory.
#ifndef MD5_CORE_JOBS_H
#define MD5_CORE_JOBS_H

#include "md5/md5model.h"

// Runs the jobs `begin` to `end` - 1 of a batch. No other worker uses `scratch` during the call.
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

// Returns the bytes of scratch memory for all workers, if each needs `size` bytes.
size_t md5i_batch_scratch_size(const md5_threads *threads, size_t size);

#endif
