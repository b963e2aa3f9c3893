// A thread pool for parallel loops, with the interface of the library (md5_threads).
#ifndef DEMO_COMMON_THREADS_H
#define DEMO_COMMON_THREADS_H

#include "md5/md5model.h"

// Starts a pool of `num_workers` threads, including the calling thread; 0 means one per core. If
// threads cannot be started, the remaining threads do the work. md5_threads_run() runs loops, one
// at a time, from the thread that started the pool.
const md5_threads *common_start_threads(uint32_t num_workers);

// Stops a pool. NULL is allowed.
void common_stop_threads(const md5_threads *threads);

#endif
