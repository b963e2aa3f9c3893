// Pictures that a thread reads while the renderer is made and the model read: those beside the
// first model that are called as it is, such as its maps. Where there are no threads none are.
#ifndef DEMO_VIEWER_ASSETS_AHEAD_H
#define DEMO_VIEWER_ASSETS_AHEAD_H

#include "demo/looks/image.h"
#include "demo/viewer/platform/platform.h"

enum { VIEW_MOST_AHEAD = 6 }; // pictures: what is not needed must not cost much

// All but `thread` is the thread's own until its end.
typedef struct view_ahead {
    char *model, *paths[VIEW_MOST_AHEAD];
    view_image images[VIEW_MOST_AHEAD];
    size_t count;
    view_thread *thread;
} view_ahead;

// Begins to read for a model or a machine into what is zero, and stays where it is until
// view_end_ahead().
void view_begin_ahead(view_ahead *ahead, const char *model);
void view_end_ahead(view_ahead *ahead);

// Waits until all are read, and moves one to *image. Returns false if it is none of them.
bool view_take_ahead(view_ahead *ahead, const char *path, view_image *image);

#endif
