#include "demo/common/memory.h"

#include <stdarg.h>
#include <stdint.h>

static void *checked(void *memory, size_t count, size_t size)
{
    if (memory != NULL)
        return memory;
    fprintf(stderr, "out of memory: %zu times %zu bytes\n", count, size);
    exit(1);
}

void *common_alloc(size_t count, size_t size)
{
    // At least one byte, so that NULL always means failure.
    return checked(calloc(count > 0 ? count : 1, size > 0 ? size : 1), count, size);
}

void *common_realloc(void *memory, size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / size)
        return checked(NULL, count, size);
    const size_t total = count * size;
    return checked(realloc(memory, total > 0 ? total : 1), count, size);
}

void *common_grow(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    return common_realloc(items, count > 0 ? 2 * count : 1, size);
}

char *common_copy(const char *text)
{
    const size_t size = text != NULL ? strlen(text) + 1 : 0;
    char *const copy = size > 0 ? common_alloc(size, 1) : NULL;
    return size > 0 ? memcpy(copy, text, size) : NULL;
}

// Enlarges an allocated text of `used` bytes, or NULL, and writes behind them.
static char *format_behind(char *text, size_t used, const char *format, va_list values)
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

char *common_format(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *const text = format_behind(NULL, 0, format, values);
    va_end(values);
    return text;
}

void common_extend(char **text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    *text = format_behind(*text, strlen(*text), format, values);
    va_end(values);
}

void common_append(char *text, size_t size, const char *separator, const char *format, ...)
{
    va_list values;
    if (text[0] != '\0')
        snprintf(text + strlen(text), size - strlen(text), "%s", separator);
    va_start(values, format);
    vsnprintf(text + strlen(text), size - strlen(text), format, values);
    va_end(values);
}

void common_sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *))
{
    if (count > 0)
        qsort(items, count, size, order);
}

int common_by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int common_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

uint32_t common_number(const void *bytes, size_t size)
{
    uint32_t number = 0;
    COMMON_FOR (i, size)
        number |= (uint32_t)((const uint8_t *)bytes)[i] << 8 * i;
    return number;
}
