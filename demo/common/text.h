// Prints text from files and users safely on a terminal.
#ifndef DEMO_COMMON_TEXT_H
#define DEMO_COMMON_TEXT_H

#include "demo/common/memory.h"

#include <stdarg.h>
#include <stdbool.h>

// Returns `singular` if `count` is 1, otherwise `plural`. Example: "mesh" or "meshes".
const char *common_noun(uint64_t count, const char *singular, const char *plural);

// Prints like fprintf(), but supports only %s, %d, %lld, %u, %zu, %llu, %f and %g. %s has neither
// width nor precision. Its text cannot control a terminal: bytes that are not printable UTF-8 are
// printed as \xNN, as in the library's messages.
void common_print(FILE *file, const char *format, ...) COMMON_PRINTF(2, 3);

// Formats to text[size] like vsnprintf(), with the escapes of common_print(). No character is cut
// in two.
void common_write_text(char *text, size_t size, const char *format, va_list values);

// Prints JSON to standard output, with the directives of common_print(). %s becomes a quoted
// string, and NULL becomes "". Bytes that are not ASCII are interpreted as Latin-1. A number that
// is not finite, such as 1 / 0, becomes null.
void common_print_json(const char *format, ...) COMMON_PRINTF(1, 2);

// Prints the values with the format `text`, or as JSON with the format `json`. Both formats have
// the same directives in the same order.
void common_print_either(bool is_json, const char *text, const char *json, ...);

// Prints `text` like common_print(), except that line ends are not escaped.
void common_print_lines(FILE *file, const char *text);

// Writes all buffered standard output, and clears its errors. If some output could not be written,
// prints an error with the name of the program and returns 1. Otherwise returns 0.
int common_flush_output(const char *program);

// Closes standard output. Call it last. If some output could not be written, prints an error with
// the name of the program and returns 1. Otherwise returns 0.
int common_end_output(const char *program);

#endif
