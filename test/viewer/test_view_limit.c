// The limits of a process that draws a thumbnail, in child processes.
#define _XOPEN_SOURCE 700 // fork()

#include "demo/common/system.h"
#include "test/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs `work` in a child process that may take 256 MiB and a second, and returns its exit status.
// Writes what it says to `said`.
static int run_limited(void (*work)(void), char *said, size_t size)
{
    int ends[2], status = -1;
    if (!CHECK(pipe(ends) == 0))
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        (void)dup2(ends[1], 2);
        common_limit_process((size_t)256 << 20, 1, "late\n");
        work();
        _exit(0);
    }
    close(ends[1]);
    const ssize_t length = read(ends[0], said, size - 1);
    said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void work_on(void)
{
    for (volatile unsigned i = 0;; i++) {
    }
}

TEST_LONG (limit_of_processor_time_ends_with_a_message) {
    char said[16];
    CHECK_UINT((uint64_t)run_limited(work_on, said, sizeof said), 1);
    CHECK_STRING(said, "late\n");
}

// Sanitizers reserve more memory than the limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static void work_to_the_end(void)
{
    common_limit_process((size_t)256 << 20, 0, "late\n");
    for (volatile unsigned long i = 0; i < 1000; i++) {
    }
}

static void take_memory(void)
{
    void *volatile much = malloc((size_t)512 << 20);
    if (much == NULL)
        _exit(7);
    free(much);
}

TEST (limit_of_memory_makes_allocations_fail) {
    char said[16];
    CHECK_UINT((uint64_t)run_limited(take_memory, said, sizeof said), 7);
    CHECK_UINT((uint64_t)run_limited(work_to_the_end, said, sizeof said), 0);
    CHECK_STRING(said, "");
}

#endif
