// Child processes for libraries that files can crash: results and causes of failures.
#include "test/test.h"

#include "demo/common/system.h"

#include <signal.h>

#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)

enum { MEMORY_LIMIT = 1 << 30, TIME_LIMIT = 60 };

static bool write_text(void *user, FILE *out)
{
    return fputs(user, out) >= 0;
}

static bool write_nothing(void *user, FILE *out)
{
    (void)user;
    (void)out;
    return false;
}

static bool stop_by_signal(void *user, FILE *out)
{
    (void)out;
    raise(*(const int *)user);
    return true;
}

static bool stop_after_output(void *user, FILE *out)
{
    fputs(user, out);
    fflush(out);
    raise(SIGKILL);
    return true;
}

static char *run(bool (*work)(void *user, FILE *out), void *user, size_t *size,
                 common_child_failure *failure)
{
    return common_run_in_child(work, user, MEMORY_LIMIT, TIME_LIMIT, size, failure);
}

TEST (output_of_a_child_process_is_returned) {
    char text[] = "result";
    size_t size = 0;
    common_child_failure failure;
    char *const output = run(write_text, text, &size, &failure);
    REQUIRE(output && size == 6);
    CHECK(memcmp(output, "result", 6) == 0);
    free(output);
    char *const part = run(stop_after_output, text, &size, &failure);
    REQUIRE(part && size == 6);
    CHECK(memcmp(part, "result", 6) == 0);
    free(part);
}

TEST (failures_of_a_child_process_have_causes) {
    int killed = SIGKILL;
    int cpu_limit_signal = SIGXCPU;
    size_t size = 0;
    common_child_failure failure;
    CHECK(!run(write_nothing, NULL, &size, &failure));
    CHECK(failure.is_started);
    CHECK_STRING(failure.reason, "the process ended without a result");
    CHECK(!run(stop_by_signal, &killed, &size, &failure));
    CHECK(failure.is_started);
    CHECK_STRING(failure.reason, "the process crashed, or exceeded its limit of memory");
    CHECK(!run(stop_by_signal, &cpu_limit_signal, &size, &failure));
    CHECK(failure.is_started);
    CHECK_STRING(failure.reason, "the process exceeded its limit of time");
}

#endif
