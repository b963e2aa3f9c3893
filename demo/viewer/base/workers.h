// A thread pool for parallel loops.
#ifndef DEMO_VIEWER_BASE_WORKERS_H
#define DEMO_VIEWER_BASE_WORKERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct view_workers view_workers;

// `count` threads besides the calling one; 0 = one for each other core.
view_workers *view_start_workers(uint32_t count);
void view_stop_workers(view_workers *workers); // NULL is allowed

// The number of threads, the caller included: the range of `worker` below.
uint32_t view_count_workers(const view_workers *workers);

// Calls job(user, worker, begin, end) for parts of 0..count, each number once, from all threads.
// Returns when all is done.
typedef void view_job_fn(void *user, uint32_t worker, size_t begin, size_t end);
void view_run_workers(view_workers *workers, size_t count, view_job_fn *job, void *user);

#endif
