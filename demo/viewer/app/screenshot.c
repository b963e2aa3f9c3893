#include "demo/viewer/app/screenshot.h"

#include "demo/common/file.h"
#include "demo/viewer/app/tell.h"
#include "demo/viewer/jobs/output.h"

#include <stdlib.h>

char *view_free_name(const char *folder, const char *model, const char *ending)
{
    for (unsigned n = 1; n < 10000; n++) {
        char *const name = common_format("%s-%u.%s", model, n, ending);
        char *const path = common_join(folder, name);
        free(name);
        if (common_file_stamp(path) == 0)
            return path;
        free(path);
    }
    return NULL;
}

void view_save_screenshot(view_state *viewer, bool clean)
{
    char *const folder = common_absolute(".");
    char *const path = view_free_name(folder, viewer->document->scene.name, "png");
    // The notice of the last picture must not appear in the next.
    viewer->ui.notice_end = 0.0;
    view_snap(viewer);
    if (path != NULL && view_save_picture(viewer, path, clean, clean)) {
        view_info(&viewer->log, "%s", path);
        view_notice(viewer, "Saved %s in %s", common_base(path), folder);
    } else {
        view_notice(viewer, "Cannot save a screenshot in %s", folder);
    }
    free(path);
    free(folder);
}
