// Tests of invalid calls that end the program. Each call is made in a child process; on Windows, in
// the same process.
#ifndef TEST_MISUSE_H
#define TEST_MISUSE_H

#include <stdbool.h>

// Checks that the next statement aborts and prints this text on standard error; the test continues.
//     MISUSE ("md5_skin(): mesh: must not be NULL")
//         md5_skin(NULL, palette, positions, NULL, NULL);
// A text that begins with "md5model: " or "md5gl: " is the whole message without the condition in
// parentheses; any other text is a part of the message.
// Changes that the statement makes to memory are lost in some builds, so it must change only
// objects that no later statement uses.
#if defined(_WIN32)
#include <setjmp.h>
#define MISUSE(expected)                                     \
    if (!test_misuse_begins(expected, __FILE__, __LINE__)) { \
    } else if (setjmp(test_misuse_place) != 0)               \
        test_misuse_ends(true);                              \
    else                                                     \
        for (bool is_made = false; !is_made; is_made = true, test_misuse_ends(false))
extern jmp_buf test_misuse_place;
void test_misuse_ends(bool has_aborted);
#else
#define MISUSE(expected) \
    for (; test_misuse_begins(expected, __FILE__, __LINE__); test_misuse_ends(false))
_Noreturn void test_misuse_ends(bool has_aborted);
#endif

bool test_misuse_begins(const char *expected, const char *file, int line);

// Returns NULL. With a literal NULL in a test, static analysis would report a fault in the library.
void *test_null(void);

#endif
