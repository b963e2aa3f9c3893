// Texts of files and of users on their way to a terminal.
#ifndef DEMO_COMMON_TEXT_H
#define DEMO_COMMON_TEXT_H

#include <stdio.h>

// Writes `text` so that no byte of it controls a terminal: whatever is not printable UTF-8 becomes
// \xNN, as in the library's messages.
void common_print_text(FILE *file, const char *text);

// The same, but lines end where they do.
void common_print_lines(FILE *file, const char *text);

// Whether all that was written to standard output has arrived; the place of a program's last call.
// If not, says so on standard error, as of `program`.
int common_end_output(const char *program);

#endif
