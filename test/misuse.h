// Tests of invalid calls that end the program. Each call is made in a child process; on Windows, in
// the same process.
#ifndef TEST_MISUSE_H
#define TEST_MISUSE_H

#include <stdbool.h>

// Checks that a statement aborts and prints this text on standard error; the test continues.
//     MISUSE("md5_skin(): mesh: must not be NULL",
//            md5_skin(NULL, palette, positions, NULL, NULL));
// A block in braces contains several statements. A text that begins with "md5model: " or "md5gl: "
// is the whole message without the condition in parentheses; any other text is a part of the
// message. Changes that the statement makes to memory are lost in some builds, so it must change
// only objects that no later statement uses.
#if defined(_WIN32)
#include <setjmp.h>
#define MISUSE(expected, ...)                                   \
    do {                                                        \
        if (test_misuse_begins(expected, __FILE__, __LINE__)) { \
            if (setjmp(test_misuse_return_point) == 0) {        \
                __VA_ARGS__;                                    \
                test_misuse_ends(false);                        \
            } else {                                            \
                test_misuse_ends(true);                         \
            }                                                   \
        }                                                       \
    } while (0)
extern jmp_buf test_misuse_return_point;
void test_misuse_ends(bool has_aborted);
#else
#define MISUSE(expected, ...)                                   \
    do {                                                        \
        if (test_misuse_begins(expected, __FILE__, __LINE__)) { \
            __VA_ARGS__;                                        \
            test_misuse_ends(false);                            \
        }                                                       \
    } while (0)
_Noreturn void test_misuse_ends(bool has_aborted);
#endif

bool test_misuse_begins(const char *expected, const char *file, int line);

// Returns NULL. With a literal NULL in a test, static analysis would report a fault in the library.
void *test_null(void);

#endif
