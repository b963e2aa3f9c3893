#include "demo/viewer/base/workers.h"

#include "demo/common/memory.h"

#include <stdbool.h>
#include <stdlib.h>

#include <SDL.h>

enum { MOST_WORKERS = 64, PARTS_A_WORKER = 8 };

typedef struct worker {
    view_workers *all;
    uint32_t number;
    SDL_Thread *thread;
    SDL_sem *begin;
} worker;

struct view_workers {
    uint32_t count; // threads, without the caller
    worker threads[MOST_WORKERS];
    SDL_sem *done;
    SDL_atomic_t next; // part to be taken
    bool ends;
    size_t num_items, num_parts;
    view_job_fn *job;
    void *user;
};

// Each thread takes the next part when it is ready, so that none waits for a slow one.
static void take_parts(view_workers *workers, uint32_t number)
{
    for (;;) {
        const size_t part = (size_t)SDL_AtomicAdd(&workers->next, 1);
        if (part >= workers->num_parts)
            return;
        const size_t begin = workers->num_items * part / workers->num_parts;
        const size_t end = workers->num_items * (part + 1) / workers->num_parts;
        workers->job(workers->user, number, begin, end);
    }
}

static int work(void *user)
{
    worker *const self = user;
    for (;;) {
        SDL_SemWait(self->begin);
        if (self->all->ends)
            return 0;
        take_parts(self->all, self->number);
        SDL_SemPost(self->all->done);
    }
}

view_workers *view_start_workers(uint32_t count)
{
    view_workers *const workers = common_alloc(1, sizeof *workers);
    const int cores = SDL_GetCPUCount();
    if (count == 0)
        count = cores > 1 ? (uint32_t)cores - 1 : 0;
    if (count > MOST_WORKERS)
        count = MOST_WORKERS;
    workers->done = SDL_CreateSemaphore(0);
    for (uint32_t i = 0; i < count && workers->done != NULL; i++) {
        worker *const thread = &workers->threads[i];
        *thread = (worker){.all = workers, .number = i + 1, .begin = SDL_CreateSemaphore(0)};
        if (thread->begin != NULL)
            thread->thread = SDL_CreateThread(work, "worker", thread);
        // With fewer threads than requested the work only takes longer.
        if (thread->thread == NULL) {
            SDL_DestroySemaphore(thread->begin);
            break;
        }
        workers->count++;
    }
    return workers;
}

void view_stop_workers(view_workers *workers)
{
    if (workers == NULL)
        return;
    workers->ends = true;
    for (uint32_t i = 0; i < workers->count; i++) {
        SDL_SemPost(workers->threads[i].begin);
        SDL_WaitThread(workers->threads[i].thread, NULL);
        SDL_DestroySemaphore(workers->threads[i].begin);
    }
    SDL_DestroySemaphore(workers->done);
    free(workers);
}

uint32_t view_count_workers(const view_workers *workers)
{
    return workers->count + 1;
}

void view_run_workers(view_workers *workers, size_t count, view_job_fn *job, void *user)
{
    const size_t most = (size_t)view_count_workers(workers) * PARTS_A_WORKER;
    workers->num_items = count;
    workers->num_parts = count < most ? count : most;
    workers->job = job;
    workers->user = user;
    SDL_AtomicSet(&workers->next, 0);
    for (uint32_t i = 0; i < workers->count; i++)
        SDL_SemPost(workers->threads[i].begin);
    take_parts(workers, 0);
    // All work may be done before some threads have started, as on a busy machine: they keep
    // sleeping.
    uint32_t num_begun = 0;
    for (uint32_t i = 0; i < workers->count; i++)
        num_begun += SDL_SemTryWait(workers->threads[i].begin) != 0;
    for (uint32_t i = 0; i < num_begun; i++)
        SDL_SemWait(workers->done);
}
