// A parallel loop.
#ifndef DEMO_TOOL_THREADS_H
#define DEMO_TOOL_THREADS_H

#include <stddef.h>

// Calls job(user, i) once for each i below `count`, from one thread for each core, and returns when
// all calls have returned. Each thread takes the next number when it is ready. On systems without
// threads, and for threads that cannot be started, the others do the work.
typedef void tool_job_fn(void *user, size_t i);
void tool_run_jobs(size_t count, tool_job_fn *job, void *user);

#endif
