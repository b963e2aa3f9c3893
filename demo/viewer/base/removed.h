// Options of earlier versions that do not exist any more, with their replacements. Such an option
// is an error on the command line, and a warning in the configuration file.
#ifndef DEMO_VIEWER_BASE_REMOVED_H
#define DEMO_VIEWER_BASE_REMOVED_H

#include "demo/common/removed.h"

enum { VIEW_MAX_REMOVED_OPTIONS = 32 };

// The whole table, which only tests need.
extern const common_removed view_removed_options[];
extern const size_t view_num_removed_options;

// Returns the entry of a removed option, or NULL. `name` has `length` bytes and no dashes.
const common_removed *view_find_removed_option(const char *name, size_t length);

#endif
