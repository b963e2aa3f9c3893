// Help, manual page and shell completions, all made from the tables of options and keys.
#ifndef DEMO_VIEWER_BASE_MANUAL_H
#define DEMO_VIEWER_BASE_MANUAL_H

#include "demo/viewer/base/options.h"

#include <stdio.h>

// Prints what the options ask for: --help, --version, --list-bindings, a manual page in roff for
// --man, or for --completions a script that a shell reads. Returns false if they ask for none.
bool view_print_asked(const view_options *options, FILE *file);

#endif
