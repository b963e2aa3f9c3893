// A thread pool for parallel loops. Worker 0 is the thread that starts a loop (run()). The other
// workers are threads of the pool, which wait between loops (run_worker()). During a loop, each
// worker takes ranges of items until no items remain (run_ranges()).
#define _POSIX_C_SOURCE 200809L // sysconf()
#include "demo/common/threads.h"

#include "demo/common/memory.h"

// WebAssembly has threads only if the whole program is built for them. Windows has POSIX threads
// only with mingw-w64. Without threads, the calling thread does all the work.
#if !defined(__EMSCRIPTEN__) && (!defined(_WIN32) || defined(__MINGW32__))

#include <pthread.h>
#include <unistd.h>

enum {
    MAX_WORKERS = 64,
    RANGES_PER_WORKER = 4, // a range is this fraction of a worker's share of the remaining items
};

typedef struct thread_pool thread_pool;

typedef struct worker {
    thread_pool *pool;
    uint32_t index;
    pthread_t thread;
} worker;

// The pool. `lock` protects all members except `jobs` and `workers`.
struct thread_pool {
    md5_threads jobs; // first member: the pointer that the caller has
    worker workers[MAX_WORKERS];
    pthread_mutex_t lock;
    pthread_cond_t begun; // signalled when a loop begins, and when the pool ends
    pthread_cond_t done;  // signalled when no worker executes a range
    size_t next;          // first item that no worker has begun
    size_t count;         // items of the loop
    uint32_t num_busy;    // workers that execute a range
    bool is_ending;       // set by common_stop_threads(): the threads end
    md5_range_fn *range;  // function of the loop
    void *user;           // first argument of the function
};

// Executes ranges of the loop until no items remain. The caller holds the lock, which is released
// while the function of the loop runs. A range is a fraction of the remaining items, so ranges
// become smaller towards the end. All threads therefore finish at nearly the same time.
static void run_ranges(thread_pool *pool, uint32_t index)
{
    while (pool->next < pool->count) {
        const size_t begin = pool->next;
        const size_t size =
            (pool->count - begin) / ((size_t)RANGES_PER_WORKER * pool->jobs.num_workers);
        const size_t end = begin + (size > 1 ? size : 1);
        pool->next = end;
        pool->num_busy++;
        pthread_mutex_unlock(&pool->lock);
        pool->range(pool->user, index, begin, end);
        pthread_mutex_lock(&pool->lock);
        pool->num_busy--;
    }
}

// The main function of a thread of the pool. `user` is the worker. Executes ranges of each loop and
// waits for the next loop, until the pool ends. The thread holds the lock except while it waits or
// executes a range, so it misses no signal.
static void *run_worker(void *user)
{
    const worker *const self = user;
    thread_pool *const pool = self->pool;
    pthread_mutex_lock(&pool->lock);
    while (!pool->is_ending) {
        run_ranges(pool, self->index);
        if (pool->num_busy == 0)
            pthread_cond_broadcast(&pool->done);
        pthread_cond_wait(&pool->begun, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

// Runs a loop, as a callback for md5_threads.run. Wakes the workers, executes ranges as worker 0,
// then waits for all workers that have begun a range. A worker that wakes too late finds no items
// and waits for the next loop.
static void run(void *user, size_t count, md5_range_fn *range, void *range_user)
{
    thread_pool *const pool = user;
    pthread_mutex_lock(&pool->lock);
    pool->next = 0;
    pool->count = count;
    pool->range = range;
    pool->user = range_user;
    pthread_cond_broadcast(&pool->begun);
    run_ranges(pool, 0);
    while (pool->num_busy > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

// Starts a pool. `num_workers` is 0 for one worker per processor core. If the system cannot create
// a thread, the pool has fewer workers.
const md5_threads *common_start_threads(uint32_t num_workers)
{
    thread_pool *const pool = common_alloc(1, sizeof *pool);
#if defined(_WIN32)
    const long num_cores = pthread_num_processors_np();
#else
    const long num_cores = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    int64_t count = num_workers > 0 ? (int64_t)num_workers : num_cores;
    if (count > MAX_WORKERS)
        count = MAX_WORKERS;

    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begun, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->jobs = (md5_threads){.run = run, .pool = pool, .num_workers = 1};

    // Worker 0 is the calling thread. The other workers wait for the lock until all of them are
    // created.
    pthread_mutex_lock(&pool->lock);
    for (uint32_t i = 1; i < count; i++) {
        worker *const next = &pool->workers[i];
        *next = (worker){.pool = pool, .index = i};
        if (pthread_create(&next->thread, NULL, run_worker, next) != 0)
            break;
        pool->jobs.num_workers++;
    }
    pthread_mutex_unlock(&pool->lock);
    return &pool->jobs;
}

// Ends the threads of a pool, waits for them and frees the pool. No loop may be in progress.
void common_stop_threads(const md5_threads *threads)
{
    if (!threads)
        return;
    thread_pool *const pool = threads->pool;
    pthread_mutex_lock(&pool->lock);
    pool->is_ending = true;
    pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 1; i < pool->jobs.num_workers; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->begun);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

#else

static void run(void *user, size_t count, md5_range_fn *range, void *range_user)
{
    (void)user;
    range(range_user, 0, 0, count);
}

static const md5_threads single_thread = {.run = run, .num_workers = 1};

const md5_threads *common_start_threads(uint32_t num_workers)
{
    (void)num_workers;
    return &single_thread;
}

void common_stop_threads(const md5_threads *threads)
{
    (void)threads;
}

#endif
