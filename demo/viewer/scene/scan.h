// Opens a library on a thread of its own, so that a window stays responsive.
#ifndef DEMO_VIEWER_SCENE_SCAN_H
#define DEMO_VIEWER_SCENE_SCAN_H

#include "demo/viewer/scene/library.h"

typedef struct view_scan view_scan;

// Begins to open a folder or an archive. Never fails; what goes wrong is an error at the end.
view_scan *view_begin_scan(const char *place);

// Returns whether the scan has ended. Before that, the number of files that were found so far is
// in *num_files.
bool view_has_scanned(view_scan *scan, size_t *num_files);

const char *view_scanned_place(const view_scan *scan);

// Waits for the end and frees the scan. Returns the library, or NULL and an error.
view_library *view_end_scan(view_scan *scan, md5_error *error);

// Stops and frees a scan. NULL is allowed.
void view_stop_scan(view_scan *scan);

#endif
