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

// In the child true, in its parent false, when the child has ended.
bool test_mistake_begins(const char *says, const char *file, int line)
{
    char message[512] = "";
    int ends[2];
    if (!CHECK(pipe(ends) == 0))
        return false;
    const pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGABRT, ON_ABORT);
        (void)dup2(ends[1], STDERR_FILENO);
        return true;
    }
    (void)close(ends[1]);
    size_t used = 0;
    for (ssize_t count = 1; count > 0 && used < sizeof message - 1;) {
        count = read(ends[0], message + used, sizeof message - 1 - used);
        used += count > 0 ? (size_t)count : 0;
    }
    (void)close(ends[0]);
    int status = 0;
    const bool has_aborted = waitpid(child, &status, 0) == child && WIFSIGNALED(status);
    test_check(has_aborted && strstr(message, says), file, line,
               "%s and said \"%s\", expected \"%s\"", has_aborted ? "aborted" : "went on", message,
               says);
    return false;
}

_Noreturn void test_mistake_ends(bool has_aborted)
{
    _exit(has_aborted);
}

#else

// Windows has no fork(), so the mistake is made in this process. abort() raises SIGABRT there as an
// ordinary function call, so the handler may leave it by longjmp().
#include <io.h>
#include <signal.h>

jmp_buf test_mistake_place;

static struct {
    const char *says, *file;
    int line, errors, kept;
    FILE *messages;
} mistake;

static void jump_out(int number)
{
    (void)number;
    longjmp(test_mistake_place, 1);
}

bool test_mistake_begins(const char *says, const char *file, int line)
{
    mistake.says = says;
    mistake.file = file;
    mistake.line = line;
    mistake.messages = tmpfile();
    mistake.errors = _fileno(stderr);
    mistake.kept = _dup(mistake.errors);
    const bool is_ready = CHECK(mistake.messages && mistake.kept >= 0
                                && _dup2(_fileno(mistake.messages), mistake.errors) == 0);
    if (is_ready)
        (void)signal(SIGABRT, jump_out);
    else if (mistake.messages)
        (void)fclose(mistake.messages);
    return is_ready;
}

void test_mistake_ends(bool has_aborted)
{
    char message[512] = "";
    (void)signal(SIGABRT, SIG_DFL);
    (void)fflush(stderr);
    (void)_dup2(mistake.kept, mistake.errors);
    (void)_close(mistake.kept);
    rewind(mistake.messages);
    (void)!fread(message, 1, sizeof message - 1, mistake.messages);
    (void)fclose(mistake.messages);
    test_check(has_aborted && strstr(message, mistake.says), mistake.file, mistake.line,
               "%s and said \"%s\", expected \"%s\"", has_aborted ? "aborted" : "went on", message,
               mistake.says);
}

#endif

void *test_null(void)
{
    return NULL;
}
