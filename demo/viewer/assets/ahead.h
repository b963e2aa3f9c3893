// Pictures that a thread reads while the renderer is made and the model read: those beside the
// first model that are called as it is, such as its maps. Where there are no threads none are.
#ifndef DEMO_VIEWER_ASSETS_AHEAD_H
#define DEMO_VIEWER_ASSETS_AHEAD_H

#include "demo/looks/image.h"
#include "demo/viewer/platform/platform.h"

enum { VIEW_MAX_AHEAD = 64 }; // number of images

// All but `thread` is the thread's own until its end.
typedef struct view_ahead {
    char *model;
    char *paths[VIEW_MAX_AHEAD]; // paths of files, or texts of image programs (previews)
    view_image images[VIEW_MAX_AHEAD];
    size_t count;
    bool is_complete; // no other images may be read from files
    view_thread *thread;
} view_ahead;

// Begins to read for a model or a machine into what is zero, and stays where it is until
// view_end_ahead().
void view_begin_ahead(view_ahead *ahead, const char *model);
void view_end_ahead(view_ahead *ahead);

// Waits until all are read, and moves one to *image. Returns false if it is none of them.
bool view_take_ahead(view_ahead *ahead, const char *path, view_image *image);

#endif
