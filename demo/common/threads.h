// A thread pool for parallel loops, with the interface of the library (md5_threads).
#ifndef DEMO_COMMON_THREADS_H
#define DEMO_COMMON_THREADS_H

#include "md5/md5model.h"

// Starts a pool of `num_workers` threads, one of which is the calling thread. 0 means one thread
// per core. If some threads cannot be started, the pool has fewer threads. Run loops with
// md5_threads_run(), one at a time, from the thread that started the pool.
const md5_threads *common_start_threads(uint32_t num_workers);

// Stops a pool and frees it. `threads` may be NULL.
void common_stop_threads(const md5_threads *threads);

#endif
