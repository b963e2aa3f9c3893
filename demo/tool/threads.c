#define _POSIX_C_SOURCE 200809L // sysconf()
#include "demo/tool/threads.h"

#include <stdbool.h>

// WebAssembly has threads only if the whole program is built for them.
#if defined(_WIN32)
#define HAS_WINDOWS_THREADS 1
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#elif !defined(__EMSCRIPTEN__)
#define HAS_POSIX_THREADS 1
#include <pthread.h>
#include <unistd.h>
#endif

// -- Threads of the system ------------------------------------------------------------------

#if HAS_WINDOWS_THREADS

typedef CRITICAL_SECTION lock;
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
static size_t count_cores(void)
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
static size_t count_cores(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 1 ? (size_t)count : 1;
}
static bool start(thread *made, void *(*run)(void *user), void *user)
{
    return pthread_create(made, NULL, run, user) == 0;
}
static void join(thread made)
{
    (void)pthread_join(made, NULL);
}

#else

typedef int lock;
typedef int thread;
#define THREAD_RESULT int

static void begin_lock(lock *of)
{
    *of = 0;
}
static void end_lock(lock *of)
{
    (void)of;
}
static void take(lock *of)
{
    (void)of;
}
static void give(lock *of)
{
    (void)of;
}
static size_t count_cores(void)
{
    return 1;
}
static bool start(thread *made, int (*run)(void *user), void *user)
{
    (void)made, (void)run, (void)user;
    return false;
}
static void join(thread made)
{
    (void)made;
}

#endif

// -- The loop -------------------------------------------------------------------------------

typedef struct loop {
    lock next_lock;
    size_t next, count;
    tool_job_fn *job;
    void *user;
} loop;

static THREAD_RESULT work(void *user)
{
    loop *const all = user;
    for (;;) {
        take(&all->next_lock);
        const size_t i = all->next;
        all->next += i < all->count;
        give(&all->next_lock);
        if (i >= all->count)
            return 0;
        all->job(all->user, i);
    }
}

void tool_run_jobs(size_t count, tool_job_fn *job, void *user)
{
    enum { MOST = 64 };
    thread threads[MOST];
    loop all = {.count = count, .job = job, .user = user};
    const size_t cores = count_cores(), most = cores < count ? cores : count;
    size_t num_started = 0;
    begin_lock(&all.next_lock);
    // The calling thread is one of them.
    while (num_started < MOST && num_started + 1 < most && start(&threads[num_started], work, &all))
        num_started++;
    (void)work(&all);
    for (size_t i = 0; i < num_started; i++)
        join(threads[i]);
    end_lock(&all.next_lock);
}
