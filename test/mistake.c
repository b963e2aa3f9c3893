#include "test/mistake.h"

#include "test/test.h"

#if defined(__unix__) || defined(__APPLE__)

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(MD5_COVERAGE)
void __gcov_dump(void);

// abort() skips the exit handler that writes coverage counts, so the child writes them here.
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

#else

// Windows has no fork(), so the mistake is made in this process. abort() raises SIGABRT there as an
// ordinary function call, so the handler may leave it by longjmp().
#include <io.h>
#include <setjmp.h>
#include <signal.h>

static jmp_buf before_mistake;

static void jump_out(int number)
{
    (void)number;
    longjmp(before_mistake, 1);
}

// Returns whether it aborted.
static bool make_mistake(void (*mistake)(const void *context), const void *context)
{
    (void)signal(SIGABRT, jump_out);
    if (setjmp(before_mistake) != 0)
        return true;
    mistake(context);
    return false;
}

const char *test_message_of(void (*mistake)(const void *context), const void *context)
{
    static char message[512];
    memset(message, 0, sizeof message);
    FILE *const file = tmpfile();
    const int errors = _fileno(stderr), kept = _dup(errors);
    if (!CHECK(file && kept >= 0 && _dup2(_fileno(file), errors) == 0)) {
        if (file)
            (void)fclose(file);
        return message;
    }
    CHECK(make_mistake(mistake, context));
    (void)signal(SIGABRT, SIG_DFL);
    (void)fflush(stderr);
    (void)_dup2(kept, errors);
    (void)_close(kept);
    rewind(file);
    (void)!fread(message, 1, sizeof message - 1, file);
    (void)fclose(file);
    return message;
}

#endif

void *test_null(void)
{
    return NULL;
}
