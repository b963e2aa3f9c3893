// Decodes images on a thread while the renderer is created and the model is read. These are the
// images in the folder of the first model whose names begin with its name, such as its maps.
// Without threads, no images are decoded in advance.
#ifndef DEMO_VIEWER_ASSETS_AHEAD_H
#define DEMO_VIEWER_ASSETS_AHEAD_H

#include "demo/looks/image.h"
#include "demo/viewer/platform/platform.h"

enum { VIEW_MAX_PREFETCHED = 64 }; // number of images

// The thread owns all members except `thread` until it has ended.
typedef struct view_prefetch {
    char *model;
    char *paths[VIEW_MAX_PREFETCHED]; // paths of files, or texts of image programs (previews)
    view_image images[VIEW_MAX_PREFETCHED];
    size_t count;
    bool is_complete; // contains all images of the model, as for a preview: no files are read
    view_thread *thread;
} view_prefetch;

// Starts to decode images for a model or a machine. `ahead` must be zeroed. It must not move until
// view_end_prefetch() is called, because the thread refers to it.
void view_begin_prefetch(view_prefetch *ahead, const char *model);
void view_end_prefetch(view_prefetch *ahead);

// Waits until all images are decoded, and moves one of them to *image. Returns false if this image
// was not decoded.
bool view_get_prefetched(view_prefetch *ahead, const char *path, view_image *image);

#endif
