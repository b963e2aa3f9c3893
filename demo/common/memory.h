// Memory and strings of the programs. Unlike the library, a program has nothing better to do
// when memory runs out than to say so: these then print one line and exit with status 1.
#ifndef DEMO_COMMON_MEMORY_H
#define DEMO_COMMON_MEMORY_H

#include <stddef.h>

#if defined(__GNUC__)
#define COMMON_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define COMMON_PRINTF(text, values)
#endif

// count * size zeroed bytes; never NULL, also for none. Give back with free().
void *common_alloc(size_t count, size_t size);

// `memory` (may be NULL) with room for count * size bytes; what is new is not zeroed.
void *common_realloc(void *memory, size_t count, size_t size);

// Copies to be given back with free(). common_format() is sprintf into as much as it needs.
char *common_copy(const char *text);
char *common_format(const char *format, ...) COMMON_PRINTF(1, 2);

#endif
