// Memory, strings and sorting for the programs. Unlike the library, these functions print a message
// and exit with status 1 if memory runs out.
#ifndef DEMO_COMMON_MEMORY_H
#define DEMO_COMMON_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// On Windows, the attribute would check for the formats of an older printf() than the one used.
#if defined(__GNUC__) && !defined(_WIN32)
#define COMMON_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define COMMON_PRINTF(text, values)
#endif

// Returns count * size zeroed bytes, never NULL, even for 0 bytes. Free with free().
void *common_alloc(size_t count, size_t size);

// Resizes `memory` (may be NULL) to count * size bytes. Added bytes are not zeroed.
void *common_realloc(void *memory, size_t count, size_t size);

// Enlarges an array of `count` items if it cannot contain one more. The capacity is the next power
// of two, so that it need not be stored. `items` may be NULL if `count` is 0.
void *common_grow(void *items, size_t count, size_t size);

// Appends an item to an array, increments `count` and returns a pointer to the item, whose bytes
// are not set.
#define COMMON_ADD_ITEM(items, count) \
    ((items) = common_grow(items, count, sizeof *(items)), &(items)[(count)++])

// Returns a copy of a string, or NULL if it is NULL. Free it with free().
char *common_copy(const char *text);

// Formats like sprintf() to a new string of any length. Free it with free().
char *common_format(const char *format, ...) COMMON_PRINTF(1, 2);

// Formats like snprintf() to an array of char; the text is cut if it is too long.
#define COMMON_TEXT(array, ...) ((void)snprintf(array, sizeof(array), __VA_ARGS__))

// Appends formatted text to text[size], after a separator if the text is not empty. The result is
// cut if it is too long.
void common_append(char *text, size_t size, const char *separator, const char *format, ...)
    COMMON_PRINTF(4, 5);

// Appends formatted text to an allocated text, whose address changes.
void common_extend(char **text, const char *format, ...) COMMON_PRINTF(2, 3);

// Number of items in an array.
#define COMMON_LENGTH(array) (sizeof(array) / sizeof *(array))

// Returns the little-endian number in `size` bytes, at most 4.
uint32_t common_read_little_endian(const void *bytes, size_t size);

// Sorts like qsort(). `items` may be NULL if `count` is 0.
void common_sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *));

// Compares two double *, for common_sort().
int common_compare_doubles(const void *a, const void *b);

// Compares two texts, char **, for common_sort().
int common_order_by_text(const void *a, const void *b);

// Writes for each of items[count] the index of the first equal item. `size` is a multiple of 4.
// Time is linear: the search for an equal item ends after 64 tries, which only files that are
// constructed for it exceed; then equal items are not found.
void common_find_equal(const void *items, size_t count, size_t size, uint32_t *first);

#endif
