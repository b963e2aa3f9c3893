#define _POSIX_C_SOURCE 200809L // sysconf()
#include "demo/common/threads.h"

#include "demo/common/memory.h"

#include <stdbool.h>
#include <stdlib.h>

// WebAssembly has threads only if the whole program is built for them.
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#elif !defined(__EMSCRIPTEN__)
#define HAS_POSIX_THREADS 1
#include <pthread.h>
#include <unistd.h>
#endif

// -- Threads of the system ------------------------------------------------------------------

#if defined(_WIN32)

typedef CRITICAL_SECTION lock;
typedef CONDITION_VARIABLE condition;
typedef HANDLE thread;
#define THREAD_RESULT DWORD WINAPI

static void begin_lock(lock *of)
{
    InitializeCriticalSection(of);
}
static void end_lock(lock *of)
{
    DeleteCriticalSection(of);
}
static void take(lock *of)
{
    EnterCriticalSection(of);
}
static void give(lock *of)
{
    LeaveCriticalSection(of);
}
static void begin_condition(condition *of)
{
    InitializeConditionVariable(of);
}
static void end_condition(condition *of)
{
    (void)of;
}
static void wait_for(condition *of, lock *taken)
{
    (void)SleepConditionVariableCS(of, taken, INFINITE);
}
static void wake(condition *of)
{
    WakeAllConditionVariable(of);
}
static uint32_t count_cores(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors;
}
static bool start(thread *made, DWORD(WINAPI *run)(void *user), void *user)
{
    *made = CreateThread(NULL, 0, run, user, 0, NULL);
    return *made != NULL;
}
static void join(thread made)
{
    (void)WaitForSingleObject(made, INFINITE);
    (void)CloseHandle(made);
}

#elif HAS_POSIX_THREADS

typedef pthread_mutex_t lock;
typedef pthread_cond_t condition;
typedef pthread_t thread;
#define THREAD_RESULT void *

static void begin_lock(lock *of)
{
    (void)pthread_mutex_init(of, NULL);
}
static void end_lock(lock *of)
{
    (void)pthread_mutex_destroy(of);
}
static void take(lock *of)
{
    (void)pthread_mutex_lock(of);
}
static void give(lock *of)
{
    (void)pthread_mutex_unlock(of);
}
static void begin_condition(condition *of)
{
    (void)pthread_cond_init(of, NULL);
}
static void end_condition(condition *of)
{
    (void)pthread_cond_destroy(of);
}
static void wait_for(condition *of, lock *taken)
{
    (void)pthread_cond_wait(of, taken);
}
static void wake(condition *of)
{
    (void)pthread_cond_broadcast(of);
}
static uint32_t count_cores(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 1 ? (uint32_t)count : 1;
}
static bool start(thread *made, void *(*run)(void *user), void *user)
{
    return pthread_create(made, NULL, run, user) == 0;
}
static void join(thread made)
{
    (void)pthread_join(made, NULL);
}

#endif

// -- The pool -------------------------------------------------------------------------------

#if defined(_WIN32) || HAS_POSIX_THREADS

enum { MOST_WORKERS = 64 };

typedef struct pool pool;

typedef struct worker {
    pool *all;
    uint32_t number;
    thread thread;
} worker;

// Everything but `jobs` and `workers` is read and written with the lock taken.
struct pool {
    md5_threads jobs; // first: what the caller has
    worker workers[MOST_WORKERS];
    lock lock;
    condition begun, done;
    size_t next, count; // items that are not taken yet
    uint32_t num_busy;
    bool ends;
    md5_range_fn *range;
    void *user;
};

// Takes ranges until there are none. They become smaller towards the end, so that no thread has
// much left when the others are ready.
static void take_ranges(pool *all, uint32_t number)
{
    while (all->next < all->count) {
        const size_t begin = all->next;
        const size_t share = (all->count - begin) / ((size_t)4 * all->jobs.num_workers);
        const size_t end = begin + (share > 1 ? share : 1);
        all->next = end;
        all->num_busy++;
        give(&all->lock);
        all->range(all->user, number, begin, end);
        take(&all->lock);
        all->num_busy--;
    }
}

static THREAD_RESULT work(void *user)
{
    const worker *const self = user;
    pool *const all = self->all;
    take(&all->lock);
    while (!all->ends) {
        take_ranges(all, self->number);
        if (all->num_busy == 0)
            wake(&all->done);
        wait_for(&all->begun, &all->lock);
    }
    give(&all->lock);
    return 0;
}

// Waits for those that have begun. A thread that wakes when all is done goes back to sleep.
static void run(void *user, size_t count, md5_range_fn *range, void *range_user)
{
    pool *const all = user;
    take(&all->lock);
    all->next = 0;
    all->count = count;
    all->range = range;
    all->user = range_user;
    wake(&all->begun);
    take_ranges(all, 0);
    while (all->num_busy > 0)
        wait_for(&all->done, &all->lock);
    give(&all->lock);
}

const md5_threads *common_start_threads(uint32_t num_workers)
{
    pool *const all = common_alloc(1, sizeof *all);
    const uint32_t wanted = num_workers > 0 ? num_workers : count_cores();
    const uint32_t most = wanted < MOST_WORKERS ? wanted : MOST_WORKERS;
    begin_lock(&all->lock);
    begin_condition(&all->begun);
    begin_condition(&all->done);
    all->jobs = (md5_threads){.run = run, .pool = all, .num_workers = 1};
    take(&all->lock);
    for (uint32_t i = 1; i < most; i++) {
        worker *const next = &all->workers[i];
        *next = (worker){.all = all, .number = i};
        if (!start(&next->thread, work, next))
            break;
        all->jobs.num_workers++;
    }
    give(&all->lock);
    return &all->jobs;
}

void common_stop_threads(const md5_threads *threads)
{
    if (threads == NULL)
        return;
    pool *const all = threads->pool;
    take(&all->lock);
    all->ends = true;
    wake(&all->begun);
    give(&all->lock);
    for (uint32_t i = 1; i < all->jobs.num_workers; i++)
        join(all->workers[i].thread);
    end_condition(&all->done);
    end_condition(&all->begun);
    end_lock(&all->lock);
    free(all);
}

#else

static void run(void *user, size_t count, md5_range_fn *range, void *range_user)
{
    (void)user;
    range(range_user, 0, 0, count);
}

static const md5_threads alone = {.run = run, .num_workers = 1};

const md5_threads *common_start_threads(uint32_t num_workers)
{
    (void)num_workers;
    return &alone;
}

void common_stop_threads(const md5_threads *threads)
{
    (void)threads;
}

#endif
