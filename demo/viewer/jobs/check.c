// Checks the files of the document for problems in engines, on a thread after the first image of a
// window.
#include "demo/viewer/jobs/check.h"
#include "demo/viewer/jobs/view.h"

// Main function of the thread. `user` is the view_checking. Always returns 0.
static int check_files(void *user)
{
    view_checking *const checking = user;
    view_check_files(&checking->files, &checking->found, &checking->stops);
    atomic_store(&checking->is_done, true);
    view_wake_window();
    return 0;
}

// Starts a thread that checks the files by the rules of id's engine. The list of problems shows its
// results.
void view_begin_check(view_state *viewer)
{
    const view_scene *const scene = &viewer->document->scene;
    view_end_check(viewer);
    viewer->jobs.checked_document = viewer->document;
    if (viewer->log.reports == NULL || scene->model == NULL)
        return;
    const bool is_md5_file =
        common_is_file(scene->path) && common_has_suffix(scene->path, ".md5mesh");
    if (!is_md5_file)
        return;

    view_checking *const check = common_alloc(1, sizeof *check);
    common_add(&check->files, common_copy(scene->path));
    for (size_t i = 0; i < scene->num_clips; i++) {
        if (common_has_suffix(scene->clips[i].path, ".md5anim"))
            common_add(&check->files, common_copy(scene->clips[i].path));
    }
    viewer->jobs.check = check;
    check->thread = view_start_thread(check_files, "check", check);
}

// Stops the check of files: requests the end of its thread, waits for the thread, and frees the
// diagnostics. Does nothing if no check runs.
void view_end_check(view_state *viewer)
{
    view_checking *const checking = viewer->jobs.check;
    if (checking == NULL)
        return;
    atomic_store(&checking->stops, true);
    view_wait_thread(checking->thread, "check");
    view_free_reports(&checking->found);
    common_free_list(&checking->files);
    free(checking);
    viewer->jobs.check = NULL;
}
