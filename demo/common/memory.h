// Memory, strings and sorting for the programs. If memory runs out, these functions print a message
// and exit with status 1. The functions of the library return an error instead.
#ifndef DEMO_COMMON_MEMORY_H
#define DEMO_COMMON_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// On Windows, the compiler would check formats against an older printf() than the one that is used.
#if defined(__GNUC__) && !defined(_WIN32)
#define COMMON_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define COMMON_PRINTF(text, values)
#endif

// Returns count * size zeroed bytes. The result is never NULL, even for 0 bytes. Free it with
// free().
void *common_alloc(size_t count, size_t size);

// Resizes `memory` to count * size bytes. `memory` may be NULL. Added bytes are not zeroed.
void *common_realloc(void *memory, size_t count, size_t size);

// Enlarges an array of `count` items if it is full. The capacity is always the power of two that is
// at least `count`, so callers need not store it. `items` may be NULL if `count` is 0.
void *common_grow(void *items, size_t count, size_t size);

// Appends an item to an array and increments `count`. Returns a pointer to the item. The bytes of
// the item are not set.
#define COMMON_ADD_ITEM(items, count) \
    ((items) = common_grow(items, count, sizeof *(items)), &(items)[(count)++])

// Returns a copy of a string, or NULL if it is NULL. Free it with free().
char *common_copy(const char *text);

// Formats like sprintf() to a new string of any length. Free it with free().
char *common_format(const char *format, ...) COMMON_PRINTF(1, 2);

// Formats like snprintf() to an array of char. A text that is too long is cut.
#define COMMON_TEXT(array, ...) ((void)snprintf(array, sizeof(array), __VA_ARGS__))

// Appends formatted text to text[size]. If the text is not empty, `separator` is added first. A
// result that is too long is cut.
void common_append(char *text, size_t size, const char *separator, const char *format, ...)
    COMMON_PRINTF(4, 5);

// Appends formatted text to *text, which is enlarged and can move to another address.
void common_extend(char **text, const char *format, ...) COMMON_PRINTF(2, 3);

// Number of items in an array.
#define COMMON_LENGTH(array) (sizeof(array) / sizeof *(array))

// Returns the little-endian number that is stored in `size` bytes. `size` is at most 4.
uint32_t common_read_little_endian(const void *bytes, size_t size);

// Initial value of the hash that common_hash() computes.
#define COMMON_HASH_START UINT64_C(0xCBF29CE484222325)

// Returns the FNV-1a hash with 64 bits (Fowler, Noll, Vo) after `size` more bytes. `hash` is the
// hash of the bytes before them, or COMMON_HASH_START.
uint64_t common_hash(uint64_t hash, const void *bytes, size_t size);

// Sorts like qsort(). `items` may be NULL if `count` is 0.
void common_sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *));

// Compares two double *, for common_sort().
int common_compare_doubles(const void *a, const void *b);

// Compares two texts, char **, for common_sort().
int common_order_by_text(const void *a, const void *b);

// Finds equal items in items[count]. first[i] receives the index of the first item that equals item
// i. `size` is a multiple of 4. The time is linear, because the search for an equal item ends after
// 64 tries. Only a file that was constructed for this purpose needs more tries. Some equal items
// are then not found.
void common_find_equal(const void *items, size_t count, size_t size, uint32_t *first);

#endif
