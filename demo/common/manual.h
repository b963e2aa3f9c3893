// Prints what rows of a table say as a template lays them out: help, manual pages, and scripts with
// which shells complete options.
#ifndef DEMO_COMMON_MANUAL_H
#define DEMO_COMMON_MANUAL_H

#include "md5/md5model.h"

#include <stdio.h>

// The library's version as a literal, "1.2.3".
#define COMMON_DOTTED(a, b, c) #a "." #b "." #c
#define COMMON_DOTS(...) COMMON_DOTTED(__VA_ARGS__)
#define COMMON_VERSION COMMON_DOTS(MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH)

// The texts of a row, which templates name by their numbers. `kind`: a letter.
typedef struct common_row {
    char kind;
    const char *values[10];
} common_row;

// Prints a template. In it
//   ~( ~)    surround what is printed for each of the rows, of which there is at least one,
//   ~0       is a value of the row,
//   ~[0 ~]   surround what only rows with this value have, or, with a letter, those of this kind,
//   ~, ~;    surround what is printed between them: not at the first time.
// `escapes`: in values each first text is replaced by the second one, and so on up to NULL.
void common_print_rows(FILE *file, const char *template, const char *const *escapes,
                       const common_row *rows, size_t count);

extern const char *const common_plain[]; // no escapes
extern const char *const common_roff[];  // of manual pages; hyphens can be copied into a shell

#endif
