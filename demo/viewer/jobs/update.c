// Background work of a window: view_update_files() runs it once per frame. It consists of the
// dialog of the desktop, the check of files, previews, delayed commands, notices, and the storage
// of the settings.
#include "demo/viewer/jobs/check.h"
#include "demo/viewer/jobs/view.h"

#include "demo/common/text.h"

// Stores the options and the settings of the shown document in the configuration file. `is_soon`:
// see view_store_config(). Returns false and logs an error on failure.
static bool store_state(view_state *viewer, bool is_soon)
{
    view_store_shown_document(viewer);
    return view_store_config(viewer->config, viewer->options, is_soon, &viewer->log);
}

void view_save_config(view_state *viewer)
{
    view_end_hover_preview(viewer);
    if (viewer->config != NULL)
        store_state(viewer, false);
}

// Implements the option --watch. Checks the files of the document four times a second, and reloads
// the document when one of them has changed.
void view_watch_files(view_state *viewer)
{
    if (!viewer->options->watch || viewer->uptime < viewer->opening.next_stamp_time)
        return;
    viewer->opening.next_stamp_time = viewer->uptime + 0.25;
    const uint64_t stamp = view_stamp_files(viewer);
    if (stamp == viewer->opening.files_stamp)
        return;

    // Store the stamp from before reading: files that change during the reload, or were saved only
    // in part, are read again.
    const bool is_reloaded = view_reload(viewer);
    viewer->opening.files_stamp = stamp;
    if (!is_reloaded)
        view_store_failed_command(viewer, &(view_command){.action = VIEW_RELOAD});
    view_notice(viewer, "%s",
                is_reloaded ? "Reloaded" : "Reload failed; the previous version is kept");
    view_log_state(viewer, "watch");
}

// Runs the command that the user selected in a dialog of the desktop. Returns false while the
// dialog is open.
static bool update_file_dialog(view_state *viewer)
{
    const view_command answer = view_poll_file_dialog(viewer);
    if (answer.action == VIEW_NOTHING)
        return false;
    view_run_file_command(viewer, &answer);
    free(answer.path);
    view_log_state(viewer, "answered");
    return true;
}

// Starts a check of a new document, unless the window is hidden. Returns true if a check has ended.
static bool update_check(view_state *viewer)
{
    const bool is_hidden = viewer->window != NULL && view_is_window_hidden(viewer->window);
    if (viewer->jobs.checked_document != viewer->document && !is_hidden)
        view_begin_check(viewer);
    view_checking *const check = viewer->jobs.check;
    if (check == NULL || !atomic_load(&check->is_done))
        return false;
    view_move_reports(&viewer->log, &check->found, viewer->document->scene.model);
    view_end_check(viewer);
    return true;
}

// Shows a notice about the number of new problems, which opens their list. Does nothing if the list
// is visible.
static void announce_problems(view_state *viewer)
{
    const bool has_new_problems = viewer->log.num_warnings > 0 && !viewer->reports.was_announced;
    const bool is_list_shown = viewer->ui.docks.shows_problems;
    if (!has_new_problems || is_list_shown)
        return;
    const uint32_t count = view_count_problems(&viewer->log);
    viewer->reports.was_announced = true;
    view_notice(viewer, "%u %s" VIEW_DOT "show", count, common_noun(count, "problem", "problems"));
    viewer->ui.notice.action = VIEW_WARNINGS;
}

// Shows the notices that were postponed because another notice was visible, one after the other.
static void show_postponed_notices(view_state *viewer)
{
    if (viewer->uptime >= viewer->ui.notice.end)
        announce_problems(viewer);
    // The notice about problems, if it was shown, has changed the end.
    if (viewer->opening.is_restored && viewer->uptime >= viewer->ui.notice.end) {
        viewer->opening.is_restored = false;
        view_notice(viewer, "Continue last session" VIEW_DOT "reset");
        viewer->ui.notice.action = VIEW_RESET_ALL;
    }
}

// Sets the options whose values are due after a delay. Returns true if a value was due.
static bool run_delayed_commands(view_state *viewer)
{
    view_card *const card = &viewer->panels.card;
    bool was_due = false;
    view_command command = view_pop_delayed_command(card, viewer->uptime);
    while (command.action != VIEW_NOTHING) {
        was_due = true;
        view_execute_set(viewer, &command);
        free(command.path);
        command = view_pop_delayed_command(card, viewer->uptime);
    }
    return was_due;
}

// Stores the configuration once per second. A temporary value under the mouse is not stored.
static void store_state_periodically(view_state *viewer)
{
    const bool is_temporary = viewer->ui.hover_preview.before != NULL;
    if (viewer->config == NULL || is_temporary || viewer->uptime < viewer->config_time + 1)
        return;
    viewer->config_time = viewer->uptime;
    if (!store_state(viewer, true))
        viewer->config_time = INFINITY; // reported once; view_save_config() tries again
}

// Runs the background work of a window, once per frame. Returns true if the image changes. Every
// part of the work must run in every frame. Therefore the results are combined with |=, which
// always calls the function, and not with ||.
bool view_update_files(view_state *viewer)
{
    view_watch_files(viewer);
    bool is_changed = update_file_dialog(viewer);
    is_changed |= update_check(viewer);
    show_postponed_notices(viewer);
    is_changed |= run_delayed_commands(viewer);
    is_changed |= view_update_scan(viewer);
    is_changed |= view_update_file_previews(viewer);
    is_changed |= view_draw_next_thumbnail(viewer);
    is_changed |= view_update_hover_preview(viewer);
    store_state_periodically(viewer);
    return is_changed;
}
