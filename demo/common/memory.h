// Memory, strings and order for the programs. Unlike the library, these functions print a message
// and exit with status 1 if memory runs out.
#ifndef DEMO_COMMON_MEMORY_H
#define DEMO_COMMON_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) && !defined(_WIN32) // whose printf() of old is not the one that is used
#define COMMON_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define COMMON_PRINTF(text, values)
#endif

// Returns count * size zeroed bytes, never NULL, even for 0 bytes. Free with free().
void *common_alloc(size_t count, size_t size);

// Resizes `memory` (may be NULL) to count * size bytes. Added bytes are not zeroed.
void *common_realloc(void *memory, size_t count, size_t size);

// Makes room for one more item behind the `count` that an array has; NULL has none. The array is
// enlarged whenever they are a power of two, so it needs no record of its size.
void *common_grow(void *items, size_t count, size_t size);

// One more item, as a pointer, behind those of an array that its number, which this raises, counts.
#define COMMON_MORE(items, count) \
    ((items) = common_grow(items, count, sizeof *(items)), &(items)[(count)++])

// Return new strings; free them with free(). A copy of NULL is NULL. common_format() is sprintf()
// of any length.
char *common_copy(const char *text);
char *common_format(const char *format, ...) COMMON_PRINTF(1, 2);

// Sets the text of an array of char, as by printf(), as far as it has room.
#define COMMON_TEXT(array, ...) ((void)snprintf(array, sizeof(array), __VA_ARGS__))

// Adds to a text[size], as far as it has room, behind a separator if it is not empty; and to an
// allocated text, which moves.
void common_append(char *text, size_t size, const char *separator, const char *format, ...)
    COMMON_PRINTF(4, 5);
void common_extend(char **text, const char *format, ...) COMMON_PRINTF(2, 3);

// How many items an array has.
#define COMMON_LENGTH(array) (sizeof(array) / sizeof *(array))

// The number in `size` bytes, up to 4, the lowest first.
uint32_t common_number(const void *bytes, size_t size);

// Sorts as qsort(), also nothing.
void common_sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *));

// For that: doubles, the smallest first; texts, char **.
int common_compare_doubles(const void *a, const void *b);
int common_by_text(const void *a, const void *b);

// Which of rows[count] of `size` bytes, whole words, is the first that is equal to each. After many
// tries, which only files that want it so need, equal ones stay apart: time is linear.
void common_find_equal(const void *rows, size_t count, size_t size, uint32_t *first);

#endif
