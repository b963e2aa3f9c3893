// Prints text from files and users safely on a terminal.
#ifndef DEMO_COMMON_TEXT_H
#define DEMO_COMMON_TEXT_H

#include <stdio.h>

// Prints `text` so that it cannot control a terminal: writes bytes that are not printable UTF-8 as
// \xNN, as in the library's messages.
void common_print_text(FILE *file, const char *text);

// The same between two texts of the program's own.
void common_print_between(FILE *file, const char *before, const char *text, const char *after);

// The same, but keeps line ends.
void common_print_lines(FILE *file, const char *text);

// Closes standard output; call it last. Returns 0, or 1 and prints an error, with the name of the
// program, if some output could not be written.
int common_end_output(const char *program);

#endif
