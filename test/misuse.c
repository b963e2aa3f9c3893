// Implements misuse.h.
#include "test/misuse.h"

#include "test/test.h"

// Returns true if a failed assertion printed the expected text. If the text begins with the name of
// the library ("md5model: md5_skin(): mesh: not NULL"), it is the whole message without the
// condition; otherwise it is any part of the message.
static bool is_expected(const char *message, const char *expected)
{
    if (strncmp(expected, "md5model: ", strlen("md5model: ")) != 0
        && strncmp(expected, "md5gl: ", strlen("md5gl: ")) != 0)
        return strstr(message, expected) != NULL;
    static const char before[] = " (";
    static const char after[] = " is false)\n";
    const size_t length = strlen(message);
    const size_t size = strlen(expected);
    if (length <= size + strlen(before) + strlen(after))
        return false;
    const bool has_start = strncmp(message, expected, size) == 0
                           && strncmp(message + size, before, strlen(before)) == 0;
    const bool has_end = strcmp(message + length - strlen(after), after) == 0;
    const bool is_one_line = strchr(message, '\n') == message + length - 1;
    return has_start && has_end && is_one_line;
}

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

// Returns true in the child, and false in its parent when the child has ended.
bool test_misuse_begins(const char *expected, const char *file, int line)
{
    char message[512] = "";
    int ends[2];
    if (!CHECK(pipe(ends) == 0))
        return false;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, ON_ABORT);
        dup2(ends[1], STDERR_FILENO);
        return true;
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t count = 1; count > 0 && used < sizeof message - 1;) {
        count = read(ends[0], message + used, sizeof message - 1 - used);
        used += count > 0 ? (size_t)count : 0;
    }
    close(ends[0]);
    int status = 0;
    const bool has_aborted = waitpid(child, &status, 0) == child && WIFSIGNALED(status);
    test_check(has_aborted && is_expected(message, expected), file, line,
               "%s and said \"%s\", expected \"%s\"", has_aborted ? "aborted" : "went on", message,
               expected);
    return false;
}

_Noreturn void test_misuse_ends(bool has_aborted)
{
    _exit(has_aborted);
}

#else

// Windows does not have fork(), so the error is made in this process. abort() raises SIGABRT there
// as an ordinary function call, so the handler may leave it by longjmp().
#include <io.h>
#include <signal.h>

jmp_buf test_misuse_return_point;

static struct {
    const char *expected, *file;
    int line;
    int errors;
    int kept;
    FILE *messages;
} error;

static void jump_out(int number)
{
    (void)number;
    longjmp(test_misuse_return_point, 1);
}

bool test_misuse_begins(const char *expected, const char *file, int line)
{
    error.expected = expected;
    error.file = file;
    error.line = line;
    error.messages = tmpfile();
    error.errors = _fileno(stderr);
    error.kept = _dup(error.errors);
    const bool is_ready = CHECK(error.messages && error.kept >= 0
                                && _dup2(_fileno(error.messages), error.errors) == 0);
    if (is_ready)
        signal(SIGABRT, jump_out);
    else if (error.messages)
        fclose(error.messages);
    return is_ready;
}

void test_misuse_ends(bool has_aborted)
{
    char message[512] = "";
    signal(SIGABRT, SIG_DFL);
    fflush(stderr);
    _dup2(error.kept, error.errors);
    _close(error.kept);
    rewind(error.messages);
    (void)!fread(message, 1, sizeof message - 1, error.messages);
    fclose(error.messages);
    test_check(has_aborted && is_expected(message, error.expected), error.file, error.line,
               "%s and said \"%s\", expected \"%s\"", has_aborted ? "aborted" : "went on", message,
               error.expected);
}

#endif

void *test_null(void)
{
    return NULL;
}
