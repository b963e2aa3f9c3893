// The test harness. TEST() functions register themselves; main() of test.c runs them and ends with
// `N passed, N failed, N skipped`. A failed check is printed, and the test continues.
//
// TEST declares a test, TEST_WITH a test with a fixture; CHECK_* are the checks. The rest are files
// of the project, memory, pseudo-random numbers, and an allocator that fails on demand.
#ifndef TEST_H
#define TEST_H

// Headers of the C library for all tests, which need not include them again.
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_case {
    const char *name, *file;
    void (*run)(void);
    bool is_long;
    struct test_case *next;
} test_case;

void test_register(test_case *test);

// Returns the test that is running.
const test_case *test_running(void);

#define TEST(title) TEST_THAT_IS(title, false)

// A test that takes more than half a second although a quicker test finds almost the same errors.
// It runs with `make test-long`, with MD5_TEST_LONG set to `only` or `all`, or if its name is
// given.
#define TEST_LONG(title) TEST_THAT_IS(title, true)

#define TEST_THAT_IS(title, is_long)                                            \
    static void run_##title(void);                                              \
    __attribute__((constructor)) static void register_##title(void)             \
    {                                                                           \
        static test_case test = {#title, __FILE__, run_##title, is_long, NULL}; \
        test_register(&test);                                                   \
    }                                                                           \
    static void run_##title(void)

// Types and names cannot be in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)

// A test on a fixture that the expression `begin` creates and `end` frees; `name` is a pointer to
// it. The body may return at any point. A file with several tests of a kind defines TEST_HERE for
// them.
#define TEST_WITH(title, type, name, begin, end) TEST_IF (title, type, name, ((begin), true), end)

// The same as TEST_WITH, but `open` is an expression that returns false on failure. In that case
// neither the body nor `close` runs.
#define TEST_IF(title, type, name, open, close) \
    static void run_##title##_with(type *name); \
    TEST (title) {                              \
        type storage_, *const name = &storage_; \
        if (open) {                             \
            run_##title##_with(name);           \
            close;                              \
        }                                       \
    }                                           \
    static void run_##title##_with(__attribute__((unused)) type *name)

// NOLINTEND(bugprone-macro-parentheses)

// Compilers that support the attribute compare the format with the arguments.
#if defined(__GNUC__) && !defined(_WIN32)
#define TEST_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define TEST_PRINTF(text, values)
#endif

#define COUNT_OF(rows) (sizeof(rows) / sizeof((rows)[0]))

// STRINGS (names) = {"a", "b"};
#define STRINGS(name) static const char *const name[]

// In an initializer: sets a member to an array, or to one entry, and its num_ member to the count.
#define ROWS(member, rows) .member = (rows), .num_##member = COUNT_OF(rows)
#define ROW(member, row) .member = &(row), .num_##member = 1

// Checks a condition for the running test, and prints the format if it is false. Returns the
// condition, so that a test can skip checks that depend on it.
bool test_check(bool held, const char *file, int line, const char *format, ...) TEST_PRINTF(4, 5);

#define CHECK(condition) test_check((condition), __FILE__, __LINE__, "%s", #condition)
// Prints a format with its arguments in addition to the condition.
#define CHECK_THAT(condition, ...) test_check((condition), __FILE__, __LINE__, __VA_ARGS__)
#define CHECK_UINT(actual, expected) \
    test_check_uint((actual), (expected), __FILE__, __LINE__, #actual)
#define CHECK_NEAR(actual, expected, tolerance) \
    test_check_near((actual), (expected), (tolerance), __FILE__, __LINE__, #actual)
// Checks for the same number.
#define CHECK_EXACT(actual, expected) CHECK_NEAR((actual), (expected), 0)
// Checks that the absolute value is within the tolerance.
#define CHECK_SMALL(actual, tolerance) \
    test_check_near((actual), 0.0, (tolerance), __FILE__, __LINE__, #actual)
#define CHECK_STRING(actual, expected) \
    test_check_string((actual), (expected), __FILE__, __LINE__, #actual)
#define CHECK_BYTES(actual, expected, size)                                   \
    test_check(memcmp((actual), (expected), (size)) == 0, __FILE__, __LINE__, \
               "%s differs from %s", #actual, #expected)

// Checks a call that can fail; prints the message of its error.
#define CHECK_DONE(result, error) CHECK_THAT((result), "%s", (error).message)
// Check that a call fails with this status in its error, and with this message or a part of it.
#define CHECK_FAILS(result, error, code) (CHECK(!(result)), CHECK_UINT((error).status, (code)))
#define CHECK_ERROR(error, code, text) \
    (CHECK_UINT((error).status, (code)), CHECK_STRING((error).message, (text)))
#define CHECK_SAYS(result, error, code, part) \
    (CHECK_FAILS((result), (error), (code)), CHECK(strstr((error).message, (part))))
#define CHECK_REFUSED(result, error, code, text) \
    (CHECK(!(result)), CHECK_ERROR((error), (code), (text)))

bool test_check_uint(uint64_t actual, uint64_t expected, const char *file, int line,
                     const char *expression);
bool test_check_near(double actual, double expected, double tolerance, const char *file, int line,
                     const char *expression);
bool test_check_string(const char *actual, const char *expected, const char *file, int line,
                       const char *expression);

// Ends the function, which must return void, if the condition is false.
#define REQUIRE(condition)     \
    do {                       \
        if (!CHECK(condition)) \
            return;            \
    } while (0)

// Marks the running test as skipped and prints the reason. The test must then return.
void test_skip(const char *format, ...) TEST_PRINTF(1, 2);
#define REQUIRE_CORPUS()                        \
    do {                                        \
        if (!test_corpus()) {                   \
            test_skip("MD5_CORPUS is not set"); \
            return;                             \
        }                                       \
    } while (0)

// Returns the folder that contains corpus/ and golden/ ($MD5_CORPUS), or NULL.
const char *test_corpus(void);

// Returns "<root>/<path>" with the root of the project ($MD5_ROOT, or ".", from which tests are
// run). "models/..." is in $MD5_MODELS if that is set, a copy with small textures; "./models/..."
// is never replaced. "corpus..." and "golden..." are in $MD5_CORPUS. The result is valid for the
// next 7 calls.
const char *test_path(const char *path);
// Does the same for a path that is formatted as by printf().
const char *test_pathf(const char *format, ...) TEST_PRINTF(1, 2);

// Reads a whole file and terminates it with NUL; the caller frees it. Returns NULL if it cannot be
// read.
char *test_read_file(const char *path, size_t *size);

// malloc() and calloc() that end the program if there is no memory; a size of 0 counts as 1. The
// caller frees the result.
void *test_alloc(size_t size);
void *test_calloc(size_t count, size_t size);
// Copies bytes into a block of exactly their size, so that reads past the end are detected.
void *test_copy(const void *bytes, size_t size);

// A text that grows. Initialize it with zeros and free(text.bytes) at the end. Appended text is
// formatted as by printf().
typedef struct test_text {
    char *bytes;
    size_t used, capacity;
} test_text;
void test_append(test_text *text, const char *format, ...) TEST_PRINTF(2, 3);

// Pseudo-random numbers, the same on every machine: uniform in 0..1, and 32 bits.
double test_random(uint64_t *state);
uint32_t test_random_u32(uint64_t *state);
double test_between(double low, double high, uint64_t *state);
float test_betweenf(float low, float high, uint64_t *state);

// An allocator that counts live blocks and bytes and fails its `fail_at`-th allocation (0 = never).
// Pass it as the `user` of the two functions.
typedef struct test_heap {
    size_t fail_at;
    size_t num_allocs;
    size_t live;
    size_t live_bytes;
    size_t peak_bytes;
} test_heap;
void *test_heap_alloc(void *user, size_t size);
void test_heap_free(void *user, void *memory, size_t size);

#endif
