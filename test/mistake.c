#include "test/mistake.h"

#include "test/test.h"

#if defined(__unix__) || defined(__APPLE__)

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(MD5_COVERAGE)
void __gcov_dump(void);

// A child that aborts would not write what it reached.
static void write_counts(int number)
{
    (void)number;
    __gcov_dump();
}
#define ON_ABORT write_counts
#else
#define ON_ABORT SIG_DFL
#endif

static void make_mistake(void (*mistake)(const void *context), const void *context, int messages)
{
    (void)signal(SIGABRT, ON_ABORT);
    (void)dup2(messages, STDERR_FILENO);
    mistake(context);
    _exit(0);
}

const char *test_message_of(void (*mistake)(const void *context), const void *context)
{
    static char message[512];
    int ends[2];
    message[0] = '\0';
    if (!CHECK(pipe(ends) == 0))
        return message;
    const pid_t child = fork();
    if (child == 0)
        make_mistake(mistake, context, ends[1]);
    (void)close(ends[1]);
    size_t used = 0;
    for (ssize_t count = 1; count > 0 && used < sizeof message - 1;) {
        count = read(ends[0], message + used, sizeof message - 1 - used);
        used += count > 0 ? (size_t)count : 0;
    }
    message[used] = '\0';
    (void)close(ends[0]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    return message;
}

#endif
