// Memory, strings and sorting. See memory.h.
#include "demo/common/memory.h"

#include <stdarg.h>
#include <stdbool.h>

// Returns `memory`, or ends the program with an error message if it is NULL.
static void *checked(void *memory, size_t count, size_t size)
{
    if (memory)
        return memory;
    fprintf(stderr, "out of memory: cannot allocate %zu elements of %zu bytes\n", count, size);
    exit(1);
}

void *common_alloc(size_t count, size_t size)
{
    // Allocate at least one byte, so that NULL always means failure.
    const bool is_empty = count == 0 || size == 0;
    return checked(is_empty ? calloc(1, 1) : calloc(count, size), count, size);
}

void *common_realloc(void *memory, size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / size)
        return checked(NULL, count, size);
    const size_t total = count * size;
    return checked(realloc(memory, total > 0 ? total : 1), count, size);
}

// The capacity is not stored: it is the smallest power of two that is at least `count`. The array
// is therefore full if `count` is 0 or a power of two.
void *common_grow(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    return common_realloc(items, count > 0 ? 2 * count : 1, size);
}

char *common_copy(const char *text)
{
    if (!text)
        return NULL;
    const size_t size = strlen(text) + 1;
    return memcpy(common_alloc(size, 1), text, size);
}

// Appends formatted text to an allocated text of `used` bytes, which is enlarged. `text` may be
// NULL if `used` is 0. Formats twice: first only to find the length.
static char *append_formatted(char *text, size_t used, const char *format, va_list values)
{
    va_list again;
    va_copy(again, values);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t size = length < 0 ? 1 : (size_t)length + 1;
    text = common_realloc(text, used + size, 1);
    text[used] = '\0';
    vsnprintf(text + used, size, format, values);
    return text;
}

// Formats like sprintf() to a new string, which the caller frees. Allocates a string of exactly
// the needed length. Ends the program if memory runs out.
char *common_format(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *const text = append_formatted(NULL, 0, format, values);
    va_end(values);
    return text;
}

void common_extend(char **text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    *text = append_formatted(*text, strlen(*text), format, values);
    va_end(values);
}

// Appends formatted text to text[size], after `separator` if the text is not empty. `text` must
// be terminated by a zero before the call, and is afterwards.
void common_append(char *text, size_t size, const char *separator, const char *format, ...)
{
    va_list values;
    if (text[0] != '\0')
        snprintf(text + strlen(text), size - strlen(text), "%s", separator);
    va_start(values, format);
    vsnprintf(text + strlen(text), size - strlen(text), format, values);
    va_end(values);
}

uint64_t common_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *const next = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ next[i]) * UINT64_C(0x100000001B3);
    return hash;
}

void common_sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *))
{
    if (count > 0)
        qsort(items, count, size, order);
}

int common_order_by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int common_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

uint32_t common_read_little_endian(const void *bytes, size_t size)
{
    uint32_t number = 0;
    for (size_t i = 0; i < size; i++)
        number |= (uint32_t)((const uint8_t *)bytes)[i] << 8 * i;
    return number;
}

// Returns a hash of some bytes. `size` must be a multiple of 4.
static uint64_t hash_words(const char *bytes, size_t size)
{
    uint64_t hash = 0;
    for (size_t k = 0; k < size; k += sizeof(uint32_t)) {
        hash =
            (hash ^ common_read_little_endian(bytes + k, sizeof(uint32_t))) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// Returns the slot of an item that equals `item`, or a free slot. A slot contains 1 + the index of
// an item, or 0 if it is free. `num_slots` is a power of 2. Hostile items may all have the same
// hash, so only a few slots are tried. If none of them fits, returns `num_slots`.
static size_t find_equal_slot(const uint32_t *table, size_t num_slots, const char *items,
                              const char *item, size_t size)
{
    enum { MAX_TRIES = 64 };
    const size_t start = (size_t)hash_words(item, size);
    for (size_t i = 0; i < MAX_TRIES; i++) {
        const size_t slot = (start + i) & (num_slots - 1);
        if (table[slot] == 0)
            return slot;
        const char *const stored = items + (table[slot] - 1) * size;
        if (memcmp(stored, item, size) == 0)
            return slot;
    }
    return num_slots;
}

// Adds the items to a hash table one after the other. If the table already contains an equal item,
// that item is the first. If no slot is found for an item, it is treated as new.
void common_find_equal(const void *items, size_t count, size_t size, uint32_t *first)
{
    const char *const bytes = items;
    size_t num_slots = 16;
    while (num_slots < 2 * count)
        num_slots *= 2;
    uint32_t *const table = common_alloc(num_slots, sizeof *table);
    for (size_t i = 0; i < count; i++) {
        const size_t slot = find_equal_slot(table, num_slots, bytes, bytes + i * size, size);
        first[i] = (uint32_t)i;
        if (slot == num_slots) // not found
            continue;
        if (table[slot] == 0)
            table[slot] = (uint32_t)i + 1;
        first[i] = table[slot] - 1;
    }
    free(table);
}
