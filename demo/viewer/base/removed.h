// The options of earlier versions that no longer exist, with their replacements. The command line
// reports an entry as an error, the configuration file as a warning.
#ifndef DEMO_VIEWER_BASE_REMOVED_H
#define DEMO_VIEWER_BASE_REMOVED_H

#include "demo/common/removed.h"

enum { VIEW_MAX_REMOVED_OPTIONS = 32 };

// The whole table, for tests.
extern const common_removed view_removed_options[];
extern const size_t view_num_removed_options;

// Returns the entry of the option with this name (`length` bytes, without dashes), or NULL.
const common_removed *view_find_removed_option(const char *name, size_t length);

#endif
