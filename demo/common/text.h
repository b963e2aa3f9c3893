// Prints text from files and users safely on a terminal.
#ifndef DEMO_COMMON_TEXT_H
#define DEMO_COMMON_TEXT_H

#include "demo/common/memory.h"

#include <stdarg.h>
#include <stdbool.h>

// Prints like fprintf(), but knows only %s, %d, %lld, %u, %zu, %llu, %f and %g. Each %s takes
// neither width nor precision and is printed so that it cannot control a terminal: bytes that are
// not printable UTF-8 as \xNN, as in the library's messages.
void common_print(FILE *file, const char *format, ...) COMMON_PRINTF(2, 3);

// Writes like vsnprintf() to text[size], escaped in that way; no character is cut.
void common_write_text(char *text, size_t size, const char *format, va_list values);

// The same as JSON on standard output: %s becomes a quoted string, bytes that are not ASCII in it
// as Latin-1, and "" for NULL; a number that is not finite, such as 1 / 0, becomes null.
void common_print_json(const char *format, ...) COMMON_PRINTF(1, 2);

// Prints the values as text, or as JSON by the other format, for the same values in the same order.
void common_print_either(bool is_json, const char *text, const char *json, ...);

// Prints `text` as common_print() does, but keeps line ends.
void common_print_lines(FILE *file, const char *text);

// Closes standard output; call it last. Returns 0, or 1 and prints an error, with the name of the
// program, if some output could not be written.
int common_end_output(const char *program);

#endif
