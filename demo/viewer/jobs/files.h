// Everything about files in a window: lists of folders, archives and games with previews, files
// that the user drops on the window, and dialogs of the desktop. Also runs the background work for
// them.
#ifndef DEMO_VIEWER_JOBS_FILES_H
#define DEMO_VIEWER_JOBS_FILES_H

#include "demo/viewer/pages/page.h"
#include "demo/viewer/draw/previews.h"

typedef struct view_state view_state;

// The game whose contents are listed, and the threads that create previews.
typedef struct view_lists {
    view_library *game;           // game whose contents are listed, or NULL
    view_section section;         // the listed section
    view_previews *game_previews; // previews of the game's contents, or NULL
    view_previews *file_previews; // previews of files, or NULL
} view_lists;

// A file dialog of the desktop that is open.
typedef struct view_picker {
    int process;        // process id; 0: no dialog is open
    int pipe;           // output of the dialog
    view_action action; // purpose: VIEW_FILES, VIEW_OPEN_FOLDER or VIEW_EXPORT
    bool has_failed;    // the last dialog failed, so no other is opened
} view_picker;

// Lists a folder or an archive: the contents of a game, or the files of any other folder.
void view_list_location(view_state *viewer, const char *path);

// Opens a folder as a game in the background and lists its contents.
void view_browse_game(view_state *viewer, const char *location);

// Lists a section of the game.
void view_show_section(view_state *viewer, size_t section);

// Opens a file or a folder that the user dropped on the window. Shows a model, an animation, a
// camera path or an environment image. Lists the files of a folder. Assigns an image to the only
// mesh; if the model has several meshes, offers it in the panel of textures.
void view_drop(view_state *viewer, const char *path);

// Runs commands about files and lists of files; ignores other commands.
void view_run_file_command(view_state *viewer, const view_command *command);

// Runs the background work of a window: the dialog of the desktop, the check of files, the scan of
// a game, and previews. Also stores changed settings in the configuration file, at most once per
// second, so that they are not lost if the program is killed. Call it in every frame. Returns true
// if the image changes.
bool view_update_files(view_state *viewer);

// Shows the progress of opening a game, or its contents when it is open. Returns true if the image
// changes.
bool view_update_scan(view_state *viewer);

// Requests the previews that the last image of the window lacked (see ui_thumbnail()), and stores
// finished previews. Returns true if the displayed previews have changed.
bool view_update_file_previews(view_state *viewer);

// Frees the previews that are no longer visible: those of the game if `is_in_game` is true,
// otherwise those of files. With `is_all`, also frees visible previews.
void view_drop_previews(view_state *viewer, bool is_in_game, bool is_all);

// Writes the configuration file, if one is used, when the window closes.
void view_save_config(view_state *viewer);

// Stores the options of the shown document in the configuration, if one is used. They apply when
// the document is opened again.
void view_store_shown_document(view_state *viewer);

// -- Dialogs of the desktop: chooser.c -----------------------------------------------------------

// File dialogs of the desktop (chooser.c). They are available only if XDG_CURRENT_DESKTOP is set,
// the window is visible, and no dialog has failed before. view_open_file_dialog() opens a dialog in
// a folder, or returns false. view_poll_file_dialog() returns VIEW_NOTHING while the dialog is
// open, and then the command for its answer. If the dialog failed, this is the command that shows
// our own list.
bool view_has_file_dialog(const view_state *viewer);
bool view_open_file_dialog(view_state *viewer, view_action action, const char *folder);
view_command view_poll_file_dialog(view_state *viewer);

// Starts a program with the arguments words[], up to NULL. No shell is used, so names need no
// quoting. A pipe connects the program with the viewer, and *end receives the viewer's end. It
// leads to the program's input if `is_fed` is true, otherwise from its output. The program inherits
// the descriptor `third` as VIEW_THIRD_FILE, unless `third` is -1. Returns the process id, or 0 on
// failure.
enum { VIEW_THIRD_FILE = 3 };
int view_start_program(char *const *words, bool is_fed, int third, int *end);

#endif
