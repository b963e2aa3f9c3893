#include "demo/viewer/app/watch.h"

#include "demo/viewer/app/open.h"
#include "demo/viewer/app/stamp.h"
#include "demo/viewer/app/tell.h"

void view_watch_files(view_state *viewer)
{
    if (!viewer->options->watch || viewer->now < viewer->next_watch)
        return;
    viewer->next_watch = viewer->now + 0.25;
    const uint64_t now = view_stamp_files(viewer);
    if (now == viewer->files_stamp)
        return;
    const bool done = view_reload(viewer);
    // Taken before reading: files that change meanwhile, or were saved only in part, are read
    // again.
    viewer->files_stamp = now;
    view_notice(viewer, "%s", done ? "Reloaded" : "Reload failed: unchanged");
    view_tell_state(viewer, "watch");
}
