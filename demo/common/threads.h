// A thread pool for parallel loops, in the form in which the library takes one.
#ifndef DEMO_COMMON_THREADS_H
#define DEMO_COMMON_THREADS_H

#include "md5/md5model.h"

// Starts a pool of `num_workers` threads, of which the calling one is the first; 0 = one for each
// core. On systems without threads, and for threads that cannot be started, the others do the work.
// Loops are run by md5_threads_run(), one at a time, from the thread that started the pool.
const md5_threads *common_start_threads(uint32_t num_workers);
void common_stop_threads(const md5_threads *threads); // NULL is allowed

#endif
