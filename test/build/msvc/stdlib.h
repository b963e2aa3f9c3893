#pragma once
#include <vcruntime.h>
int abs(int value);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
__declspec(noreturn) void abort(void);
__declspec(noreturn) void exit(int status);
char *getenv(const char *name);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
int atoi(const char *text);
void *bsearch(const void *key, const void *items, size_t count, size_t size,
              int (*compare)(const void *a, const void *b));
void qsort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
