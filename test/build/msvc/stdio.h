#pragma once
#include <stdarg.h>
#include <vcruntime.h>
typedef struct _iobuf FILE;
FILE *__acrt_iob_func(unsigned index);
#define stdin (__acrt_iob_func(0))
#define stdout (__acrt_iob_func(1))
#define stderr (__acrt_iob_func(2))
#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int snprintf(char *text, size_t size, const char *format, ...);
int vsnprintf(char *text, size_t size, const char *format, va_list values);
int vprintf(const char *format, va_list values);
int vfprintf(FILE *file, const char *format, va_list values);
int fputs(const char *text, FILE *file);
int fputc(int c, FILE *file);
int puts(const char *text);
int sscanf(const char *text, const char *format, ...);
int putchar(int c);
int putc(int c, FILE *file);
FILE *fopen(const char *path, const char *mode);
FILE *_wfopen(const wchar_t *path, const wchar_t *mode);
FILE *_fdopen(int descriptor, const char *mode);
int _fileno(FILE *file);
int remove(const char *path);
int fclose(FILE *file);
int fflush(FILE *file);
int ferror(FILE *file);
void clearerr(FILE *file);
int getc(FILE *file);
size_t fread(void *bytes, size_t size, size_t count, FILE *file);
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file);
int fseek(FILE *file, long offset, int origin);
long ftell(FILE *file);
void rewind(FILE *file);
