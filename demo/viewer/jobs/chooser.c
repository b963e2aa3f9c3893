#define _POSIX_C_SOURCE 200809L // posix_spawnp()

// Selection of files in the dialog of the desktop, by zenity or kdialog, which run as separate
// processes.
#include "demo/viewer/jobs/movie.h"
#include "demo/viewer/jobs/view.h"

// A dialog requires a visible window.
bool view_has_file_dialog(const view_state *viewer)
{
    const char *const desktop = getenv("XDG_CURRENT_DESKTOP");
    if (viewer->jobs.picker.has_failed || desktop == NULL || desktop[0] == '\0')
        return false;
    return viewer->window != NULL && view_is_window_visible(viewer->window);
}

#if !VIEW_STARTS_PROGRAMS

#define view_start_program(words, is_fed, third, end) ((void)(words), 0)
#define poll_process(picker, answer, size, status) ((void)(picker), false)

#else

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Starts a program that a pipe connects with the viewer. If `is_fed`, the viewer writes to the
// program's input, otherwise it reads the program's output. Returns the process, or 0 on failure.
int view_start_program(char *const *words, bool is_fed, int third, int *end)
{
    int ends[2]; // ends of the pipe: for reading, for writing
    if (pipe(ends) != 0)
        return 0;
    const int program_end = is_fed ? ends[0] : ends[1];
    const int viewer_end = is_fed ? ends[1] : ends[0];

    // In the program, its end of the pipe replaces its standard input or output.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, program_end, is_fed ? STDIN_FILENO : STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    if (third >= 0)
        posix_spawn_file_actions_adddup2(&actions, third, VIEW_THIRD_FILE);
    pid_t process = 0;
    if (posix_spawnp(&process, words[0], &actions, NULL, words, environ) != 0)
        process = 0;
    posix_spawn_file_actions_destroy(&actions);

    close(program_end);
    if (process == 0)
        close(viewer_end);
    *end = viewer_end;
    return process;
}

// Returns true if the dialog has ended. Sets its answer and its exit status, which is -1 if it did
// not exit normally. Does not wait.
static bool poll_process(const view_picker *picker, char *answer, size_t size, int *status)
{
    if (waitpid(picker->process, status, WNOHANG) != picker->process)
        return false;
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
    const ssize_t length = *status == 0 ? read(picker->pipe, answer, size) : 0;
    close(picker->pipe);
    answer[length > 0 ? length - 1 : 0] = '\0'; // without the line break
    return true;
}

#endif

// Starts the dialog of the desktop for a file (`is_file`) or a folder. The program is zenity or
// kdialog. First tries the program that belongs to the desktop, then the other. Sets
// picker->process, which remains 0 if none is installed.
static void start_dialog(view_picker *picker, const char *folder, bool is_file)
{
    enum { NUM_PROGRAMS = 2 };
    const char *const desktop = getenv("XDG_CURRENT_DESKTOP");
    const bool is_kde = desktop != NULL && strstr(desktop, "KDE") != NULL;

    // zenity has an option for the folder, kdialog has an argument without a name.
    char *const folder_option = common_format("--filename=%s/", folder);
    char *const folder_argument = folder_option + strlen("--filename=");
    char *const zenity[] = {"zenity", "--file-selection", folder_option,
                            is_file ? NULL : "--directory", NULL};
    char *const kdialog[] = {"kdialog", is_file ? "--getopenfilename" : "--getexistingdirectory",
                             folder_argument, NULL};
    char *const *const programs[NUM_PROGRAMS] = {
        is_kde ? kdialog : zenity,
        is_kde ? zenity : kdialog,
    };
    for (int i = 0; i < NUM_PROGRAMS && picker->process <= 0; i++)
        picker->process = view_start_program(programs[i], false, -1, &picker->pipe);
    free(folder_option);
}

// Opens the file dialog of the desktop, which is a separate program. Returns false if none is
// installed; the viewer then shows its own list of files.
bool view_open_file_dialog(view_state *viewer, view_action action, const char *folder)
{
    view_picker *const picker = &viewer->jobs.picker;
    const bool is_file = action == VIEW_FILES;
    // In a browser, the web page shows its own dialog.
    if (action != VIEW_EXPORT && view_send_page_request(is_file ? "files" : "folder"))
        return true;
    const bool is_already_open = picker->process > 0;
    if (is_already_open)
        return true;
    if (!view_has_file_dialog(viewer))
        return false;
    picker->action = action;
    start_dialog(picker, folder, is_file);
    return picker->process > 0;
}

// Returns the command for the answer of the dialog, or VIEW_NOTHING while it is open. The folder of
// exported files is set without a command.
view_command view_poll_file_dialog(view_state *viewer)
{
    view_picker *const picker = &viewer->jobs.picker;
    view_export *const export = &viewer->panels.export;
    char answer[4200] = "";
    int status = 0;
    if (picker->process <= 0 || !poll_process(picker, answer, sizeof answer, &status))
        return (view_command){.action = VIEW_NOTHING};
    const size_t length = strlen(answer);
    const bool is_canceled = status == 1;
    picker->process = 0;
    picker->has_failed = status != 0 && !is_canceled;
    if (picker->action == VIEW_EXPORT && length > 0) {
        if (length < sizeof export->choices.folder)
            memcpy(export->choices.folder, answer, length + 1);
        return (view_command){.action = VIEW_HANDLED};
    }
    if (picker->has_failed) // show our own list from now on
        return (view_command){.action = picker->action};
    if (length == 0)
        return (view_command){.action = VIEW_HANDLED};
    const bool is_file = picker->action == VIEW_FILES;
    return (view_command){
        .action = is_file ? VIEW_OPEN_FILE : VIEW_OPEN_FOLDER,
        .path = common_copy(answer),
    };
}
