// A thread pool. Worker 0 is the calling thread. All workers execute ranges of a loop until no
// items remain (run_ranges()).
#define _POSIX_C_SOURCE 200809L // sysconf()
#include "demo/common/threads.h"

#include "demo/common/memory.h"

// WebAssembly has threads only if the whole program is built for them. Windows has POSIX threads
// only with mingw-w64. On other systems, the calling thread does all the work.
#if !defined(__EMSCRIPTEN__) && (!defined(_WIN32) || defined(__MINGW32__))

#include <pthread.h>
#include <unistd.h>

enum { MAX_WORKERS = 64 };

typedef struct pool pool;

typedef struct worker {
    pool *all;
    uint32_t index;
    pthread_t thread;
} worker;

// All members except `jobs` and `workers` are protected by `lock`.
struct pool {
    md5_threads jobs; // first member: the pointer that the caller has
    worker workers[MAX_WORKERS];
    pthread_mutex_t lock;
    pthread_cond_t begun; // a loop has begun, or the pool ends
    pthread_cond_t done;  // no worker executes a range
    size_t next;          // first item that no worker has begun
    size_t count;         // items of the loop
    uint32_t num_busy;    // workers that execute a range
    bool is_ending;
    md5_range_fn *range;
    void *user;
};

// Executes ranges until no items remain. The lock is held at the beginning and at the end. Ranges
// become smaller towards the end, so that all threads finish at nearly the same time.
static void run_ranges(pool *all, uint32_t index)
{
    while (all->next < all->count) {
        const size_t begin = all->next;
        const size_t size = (all->count - begin) / ((size_t)4 * all->jobs.num_workers);
        const size_t end = begin + (size > 1 ? size : 1);
        all->next = end;
        all->num_busy++;
        pthread_mutex_unlock(&all->lock);
        all->range(all->user, index, begin, end);
        pthread_mutex_lock(&all->lock);
        all->num_busy--;
    }
}

static void *work(void *user)
{
    const worker *const self = user;
    pool *const all = self->all;
    pthread_mutex_lock(&all->lock);
    while (!all->is_ending) {
        run_ranges(all, self->index);
        if (all->num_busy == 0)
            pthread_cond_broadcast(&all->done);
        pthread_cond_wait(&all->begun, &all->lock);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

// Runs a loop, and waits for all workers that have begun a range. A worker that wakes after the
// loop is done waits for the next loop.
static void run(void *user, size_t count, md5_range_fn *range, void *range_user)
{
    pool *const all = user;
    pthread_mutex_lock(&all->lock);
    all->next = 0;
    all->count = count;
    all->range = range;
    all->user = range_user;
    pthread_cond_broadcast(&all->begun);
    run_ranges(all, 0);
    while (all->num_busy > 0)
        pthread_cond_wait(&all->done, &all->lock);
    pthread_mutex_unlock(&all->lock);
}

const md5_threads *common_start_threads(uint32_t num_workers)
{
    pool *const all = common_alloc(1, sizeof *all);
#if defined(_WIN32)
    const long num_cores = pthread_num_processors_np();
#else
    const long num_cores = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    int64_t count = num_workers > 0 ? (int64_t)num_workers : num_cores;
    if (count > MAX_WORKERS)
        count = MAX_WORKERS;

    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->begun, NULL);
    pthread_cond_init(&all->done, NULL);
    all->jobs = (md5_threads){.run = run, .pool = all, .num_workers = 1};

    // Worker 0 is the calling thread. The other workers wait at the lock until all are created.
    pthread_mutex_lock(&all->lock);
    for (uint32_t i = 1; i < count; i++) {
        worker *const next = &all->workers[i];
        *next = (worker){.all = all, .index = i};
        if (pthread_create(&next->thread, NULL, work, next) != 0)
            break;
        all->jobs.num_workers++;
    }
    pthread_mutex_unlock(&all->lock);
    return &all->jobs;
}

void common_stop_threads(const md5_threads *threads)
{
    if (!threads)
        return;
    pool *const all = threads->pool;
    pthread_mutex_lock(&all->lock);
    all->is_ending = true;
    pthread_cond_broadcast(&all->begun);
    pthread_mutex_unlock(&all->lock);
    for (uint32_t i = 1; i < all->jobs.num_workers; i++)
        pthread_join(all->workers[i].thread, NULL);
    pthread_cond_destroy(&all->done);
    pthread_cond_destroy(&all->begun);
    pthread_mutex_destroy(&all->lock);
    free(all);
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
