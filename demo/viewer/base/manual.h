// Help, manual page and shell completions, all made from the tables of options and keys.
#ifndef DEMO_VIEWER_BASE_MANUAL_H
#define DEMO_VIEWER_BASE_MANUAL_H

#include "demo/viewer/base/options.h"

#include <stdio.h>

// --help
void view_print_help(FILE *file);

// --list-bindings
void view_print_bindings(FILE *file);

// --man: a manual page in roff.
void view_print_manual(FILE *file);

// --completions: a script that a shell reads.
void view_print_completions(view_shell shell, FILE *file);

#endif
