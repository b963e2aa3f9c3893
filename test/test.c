// Implements test.h: the list of tests, the checks and main(). The program exits with status 0 if
// no test failed, 1 if a test failed, 2 if a variable is invalid, and STATUS_NO_TEST.
#include "test/test.h"

#include <stdarg.h>
#include <time.h>

enum { MAX_PRINTED = 20 }; // failures of one test that are printed

// The arguments select no test. test/build/run_tests.sh and test/long/mutants.py use this value:
// they pass the same arguments to several programs.
enum { STATUS_NO_TEST = 3 };

static test_case *first_test;
static const test_case *running_test;
static unsigned num_failures; // failed checks of the running test
static bool test_skipped;

// Sorts by file, then by order of registration, so that the output does not depend on the linker.
void test_register(test_case *test)
{
    test_case **link = &first_test;
    while (*link && strcmp((*link)->file, test->file) <= 0)
        link = &(*link)->next;
    test->next = *link;
    *link = test;
}

const test_case *test_running(void)
{
    return running_test;
}

bool test_check(bool held, const char *file, int line, const char *format, ...)
{
    if (held)
        return true;
    if (++num_failures > MAX_PRINTED)
        return false;
    printf("%s:%d: check failed: ", file, line);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    return false;
}

bool test_check_uint(uint64_t actual, uint64_t expected, const char *file, int line,
                     const char *expression)
{
    return test_check(actual == expected, file, line, "%s is %llu, expected %llu", expression,
                      (unsigned long long)actual, (unsigned long long)expected);
}

bool test_check_near(double actual, double expected, double tolerance, const char *file, int line,
                     const char *expression)
{
    return test_check(fabs(actual - expected) <= tolerance, file, line,
                      "%s is %.9g, expected %.9g within %.3g", expression, actual, expected,
                      tolerance);
}

bool test_check_string(const char *actual, const char *expected, const char *file, int line,
                       const char *expression)
{
    return test_check(actual && strcmp(actual, expected) == 0, file, line,
                      "%s is \"%s\", expected \"%s\"", expression, actual ? actual : "(null)",
                      expected);
}

void test_skip(const char *format, ...)
{
    test_skipped = true;
    printf("skipped: ");
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

const char *test_corpus(void)
{
    const char *folder = getenv("MD5_CORPUS");
    return folder && folder[0] ? folder : NULL;
}

const char *test_path(const char *path)
{
    static char slots[8][1024];
    static unsigned next;
    const char *root = getenv("MD5_ROOT");
    const char *models = getenv("MD5_MODELS");
    char *slot = slots[next++ % 8];
    if (models && models[0] && strncmp(path, "models/", 7) == 0) {
        root = models;
        path += 7;
    } else if (strncmp(path, "corpus", 6) == 0 || strncmp(path, "golden", 6) == 0)
        root = test_corpus();
    snprintf(slot, sizeof slots[0], "%s/%s", root && root[0] ? root : ".", path);
    return slot;
}

const char *test_pathf(const char *format, ...)
{
    char path[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return test_path(path);
}

char *test_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t used = 0;
    size_t capacity = 0;
    for (;;) {
        if (capacity - used < 4096) {
            capacity = capacity ? 2 * capacity : 65536;
            text = realloc(text, capacity);
            if (!text)
                abort();
        }
        const size_t got = fread(text + used, 1, capacity - used - 1, file);
        if (got == 0)
            break;
        used += got;
    }
    text[used] = '\0';
    fclose(file);
    if (size)
        *size = used;
    return text;
}

void *test_alloc(size_t size)
{
    void *const memory = malloc(size > 0 ? size : 1);
    if (!memory)
        abort();
    return memory;
}

void *test_calloc(size_t count, size_t size)
{
    return memset(test_alloc(count * size), 0, count * size);
}

void *test_copy(const void *bytes, size_t size)
{
    void *const copy = test_alloc(size);
    if (size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

void test_append(test_text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    va_list again;
    va_copy(again, values);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    if (text->capacity - text->used < size) {
        text->capacity = 2 * (text->capacity + size);
        text->bytes = realloc(text->bytes, text->capacity);
        if (!text->bytes)
            abort();
    }
    text->used += (size_t)vsnprintf(text->bytes + text->used, size, format, values);
    va_end(values);
}

// Returns a random number of the splitmix64 generator of Steele, Lea, Flood, "Fast splittable
// pseudorandom number generators", 2014.
static uint64_t random_u64(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double test_random(uint64_t *state)
{
    return (double)(random_u64(state) >> 11) / 9007199254740992.0;
}

uint32_t test_random_u32(uint64_t *state)
{
    return (uint32_t)(random_u64(state) >> 32);
}

double test_between(double low, double high, uint64_t *state)
{
    return low + (high - low) * test_random(state);
}

float test_betweenf(float low, float high, uint64_t *state)
{
    return low + (high - low) * (float)test_random(state);
}

void *test_heap_alloc(void *user, size_t size)
{
    test_heap *heap = user;
    if (++heap->num_allocs == heap->fail_at)
        return NULL;
    heap->live++;
    heap->live_bytes += size;
    if (heap->live_bytes > heap->peak_bytes)
        heap->peak_bytes = heap->live_bytes;
    return malloc(size);
}

void test_heap_free(void *user, void *memory, size_t size)
{
    test_heap *heap = user;
    heap->live--;
    heap->live_bytes -= size;
    free(memory);
}

// MD5_TEST_LONG: if unset or empty, the quick tests run; `only`: the long tests; `all`: both.
static bool has_selected_length(const test_case *test)
{
    const char *const length = getenv("MD5_TEST_LONG");
    if (!length || length[0] == '\0')
        return !test->is_long;
    return test->is_long || strcmp(length, "all") == 0;
}

// Returns true if the arguments select a test. They are parts of names: a test runs if its name
// contains one of them. If the path of its file contains one, or if there are no arguments, it runs
// if it has the selected length.
static bool is_selected(const test_case *test, int count, char **parts)
{
    bool in_file = count <= 1;
    for (int i = 1; i < count; i++) {
        if (strstr(test->name, parts[i]))
            return true;
        in_file = in_file || strstr(test->file, parts[i]);
    }
    return in_file && has_selected_length(test);
}

static bool has_match(const char *part)
{
    for (const test_case *test = first_test; test; test = test->next) {
        if (strstr(test->name, part) || strstr(test->file, part))
            return true;
    }
    return false;
}

// Checks that the arguments select tests, so that a misspelled name is not a success. The tests of
// a share (MD5_TEST_SHARE) may be fewer, or none.
static bool check_selection(int count, char **parts)
{
    bool have_matches = true;
    for (int i = 1; i < count; i++) {
        if (has_match(parts[i]))
            continue;
        fprintf(stderr, "%s: no test has \"%s\" in its name or file\n", parts[0], parts[i]);
        have_matches = false;
    }
    if (!have_matches)
        return false;
    for (const test_case *test = first_test; test; test = test->next) {
        if (is_selected(test, count, parts))
            return true;
    }
    if (count <= 1)
        return true; // a program without long tests, with MD5_TEST_LONG=only
    fprintf(stderr,
            "%s: MD5_TEST_LONG excludes all tests of these files; MD5_TEST_LONG=all runs "
            "all tests\n",
            parts[0]);
    return false;
}

// With MD5_TEST_TIMES=0.2 in the environment, lists tests that take at least that many seconds of
// processor time.
static void report_time(const test_case *test, clock_t start)
{
    const char *min_seconds = getenv("MD5_TEST_TIMES");
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (min_seconds && seconds >= strtod(min_seconds, NULL))
        printf("%8.2f s %s (%s)\n", seconds, test->name, test->file);
}

// With MD5_TEST_SHARE=1/3 in the environment, only the first of every three tests runs, with 2/3
// the second, and so on. Three programs then run all tests, on three cores.
static bool is_in_share(unsigned index)
{
    const char *const share = getenv("MD5_TEST_SHARE");
    unsigned part = 1;
    unsigned num_parts = 1;
    if (share && (sscanf(share, "%u/%u", &part, &num_parts) != 2 || part - 1 >= num_parts)) {
        fprintf(stderr, "MD5_TEST_SHARE is \"%s\", expected 1/3, 2/3 or 3/3\n", share);
        exit(2);
    }
    return index % num_parts == part - 1;
}

int main(int argc, char **argv)
{
    unsigned passed = 0;
    unsigned failed = 0;
    unsigned skipped = 0;
    unsigned index = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!check_selection(argc, argv))
        return STATUS_NO_TEST;
    for (const test_case *test = first_test; test; test = test->next) {
        if (!is_selected(test, argc, argv) || !is_in_share(index++))
            continue;
        num_failures = 0;
        test_skipped = false;
        const clock_t start = clock();
        running_test = test;
        test->run();
        report_time(test, start);
        if (num_failures > MAX_PRINTED)
            printf("%u more checks failed\n", num_failures - MAX_PRINTED);
        if (num_failures > 0 || test_skipped)
            printf("%s: %s (%s)\n", num_failures > 0 ? "FAILED" : "skipped", test->name,
                   test->file);
        if (num_failures > 0)
            failed++;
        else if (test_skipped)
            skipped++;
        else
            passed++;
    }
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed > 0;
}
