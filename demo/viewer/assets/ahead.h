// Pictures that a thread reads while the window opens: those beside the first model that are called
// as it is, such as its maps. Where there are no threads none are.
#ifndef DEMO_VIEWER_ASSETS_AHEAD_H
#define DEMO_VIEWER_ASSETS_AHEAD_H

#include "demo/looks/image.h"

// Begins to read for a model or a machine, until view_end_ahead().
void view_begin_ahead(const char *model);
void view_end_ahead(void);

// Waits until all are read, and moves one to *image. Returns false if it is none of them.
bool view_take_ahead(const char *path, view_image *image);

#endif
