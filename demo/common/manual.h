// Prints help texts, manual pages and shell completions by expanding a template with the entries of
// a table.
#ifndef DEMO_COMMON_MANUAL_H
#define DEMO_COMMON_MANUAL_H

#include "md5/md5model.h"

#include <stdio.h>

// The library's version as a literal, "1.2.3".
#define COMMON_DOTTED(a, b, c) #a "." #b "." #c
#define COMMON_DOTS(...) COMMON_DOTTED(__VA_ARGS__)
#define COMMON_VERSION COMMON_DOTS(MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH)

// An entry of the table. Templates refer to values by their indices.
typedef struct common_manual_entry {
    char kind; // a letter
    const char *values[10];
} common_manual_entry;

// Prints a template for entries[count]; `count` is at least 1. Directives of the template:
//   ~( ~)    text that is printed for each entry
//   ~0       a value of the entry
//   ~[0 ~]   text that is printed only for entries with this value or, with a letter, of this kind
//   ~, ~;    text that is printed between entries: not for the first entry
// `escapes` consists of pairs of texts and ends with NULL: in values, the first text of a pair is
// replaced by the second.
void common_print_template(FILE *file, const char *template, const char *const *escapes,
                           const common_manual_entry *entries, size_t count);

extern const char *const common_plain[]; // no escapes
extern const char *const common_roff[];  // escapes of manual pages; hyphens can be copied to shells

#endif
