// Work with files in a window: commands about files, lists of folders, archives and games with
// previews, files that the user drops on the window, textures, repairs, the start page, dialogs of
// the desktop, and the background work for all of these. Each section below names the file that
// implements it.
#ifndef DEMO_VIEWER_JOBS_FILES_H
#define DEMO_VIEWER_JOBS_FILES_H

#include "demo/viewer/pages/page.h"
#include "demo/viewer/draw/previews.h"
#include "demo/viewer/ui/browser.h"

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

// -- Commands: files.c ---------------------------------------------------------------------------

// Runs commands about files and lists of files; ignores other commands.
void view_run_file_command(view_state *viewer, const view_command *command);

// -- Lists of files: lists.c ---------------------------------------------------------------------

// Lists a folder or an archive: the contents of a game, or the files of any other folder.
void view_list_location(view_state *viewer, const char *path);

// Shows the list of the files in a folder. `purpose` determines the use of the selected file.
void view_browse_files(view_state *viewer, const char *folder, view_list_purpose purpose);

// Lists the folder of files, with these files first.
void view_list_folder_with(view_state *viewer, const common_list *files, view_list_purpose purpose);

// Returns the folder whose files are listed first. It is the folder of the shown file. If no file
// is shown, it is the folder of the most recent file. Without recent files, it is the working
// directory. A program that was not started in a terminal can have the root folder as its working
// directory, in which users have no files; then returns the home folder. The caller frees the path.
char *view_get_default_folder(const view_state *viewer);

// Lists images for a map of a mesh, in the folder of its current image or of the model.
void view_list_images_for_map(view_state *viewer, const view_command *command);

// Lists the files that the option with the index `number` accepts. `form` is the value of the
// option for a selected file, see view_list_purpose.
void view_list_files_for_option(view_state *viewer, size_t number, const char *form);

// Lets the user select the folder of exported files, in the desktop's dialog or in our list.
void view_list_export_folders(view_state *viewer);

// Returns from the list of files to the export dialog. The folder that the user has selected
// becomes the folder of exported files.
void view_select_export_folder(view_state *viewer, const char *path);

// -- The listed game: games.c --------------------------------------------------------------------

// Opens a folder as a game in the background and lists its contents.
void view_browse_game(view_state *viewer, const char *location);

// Lists a section of the game.
void view_show_section(view_state *viewer, size_t section);

// Opens or closes the list of the last game, or of the game that contains the shown model.
void view_list_game(view_state *viewer);

// Shows an item of the listed game. An entity or a model is opened. A clip is played on the shown
// model. A skin is shown on the shown entity. A clip is opened like a model if no model of the game
// is shown.
void view_show_game_item(view_state *viewer, size_t section, const char *selected);

// Shows the progress of opening a game, or its contents when it is open. Returns true if the image
// changes.
bool view_update_scan(view_state *viewer);

// -- Replacing the document: replace.c -----------------------------------------------------------

// Opens another document with its stored settings. If it cannot be opened, the settings of the
// shown document are restored.
bool view_open_document(view_state *viewer, const char *const *files, size_t num_files);

// Opens a file. If `is_name` is true, opens an entity or a model of the listed game instead. `skin`
// is the skin of the entity; NULL: the skin that the game defines. Shows a notice if this fails.
void view_open_item(view_state *viewer, const char *file, bool is_name, const char *skin);

// Opens the next (step +1) or previous (step -1) document. If a game is shown, this is an item of
// the game. Otherwise it is a file of the same kind in the folder of the shown file.
void view_open_neighbor(view_state *viewer, int step);

// Checks the clip that was added to the scene, which is its current clip, and shows it.
void view_show_added_clip(view_state *viewer);

// Returns the name of the shown document in the listed game, or NULL; the caller frees it.
char *view_shown_game_name(const view_state *viewer);

// Stores the command that has led to an error.
void view_store_failed_command(view_state *viewer, const view_command *command);

// -- Dropped and selected files: drop.c ----------------------------------------------------------

// Opens a file or a folder that the user dropped on the window. Shows a model, an animation, a
// camera path or an environment image. Lists the files of a folder. Assigns an image to the only
// mesh; if the model has several meshes, offers it in the panel of textures.
void view_drop(view_state *viewer, const char *path);

// Lists the folder of a model that was dropped on the open model, with buttons for its uses. If the
// file has an error, opens the model instead, so that the error is shown.
void view_list_uses(view_state *viewer, char *path);

// Opens a clip without a named model, on the model in its folder that it fits. If several models
// fit, opens the clip alone and lists the models. `is_first` is true for the first document of the
// program: the settings of a former document are then not stored.
bool view_open_clip(view_state *viewer, const char *path, bool is_first);

// Opens a clip of another skeleton on its own model, and retargets it to the shown model. `path` is
// the clip's path, or "MODEL\nCLIP". If the model is not named, the clip's folder must contain
// exactly one model that fits. Otherwise lists models. The user's selection runs this command again
// with "MODEL\nCLIP".
void view_map_joints(view_state *viewer, const char *path);

// -- Textures: textures.c ------------------------------------------------------------------------

// Selects a mesh and opens the inspector with the list of its textures, also if panels are hidden.
void view_open_textures(view_state *viewer, uint32_t mesh);

// Returns the mesh for commands about textures. It is the selected mesh. If none is selected, it is
// the mesh of the last click, otherwise the first mesh.
uint32_t view_selected_texture_mesh(const view_state *viewer);

// Assigns an image to a map of a mesh; NULL: the image that is found automatically. Replaces the
// mesh's entries of the option --texture or of the option of another map.
void view_assign_texture(view_state *viewer, size_t mesh, md5gl_image_kind map, const char *path);

// Saves the materials after the user has confirmed their path; otherwise asks for the confirmation.
// `is_sure` is true if the user pressed the button that confirms. The confirmation is not valid if
// the path has changed since it was shown, or if a file at the path has appeared or disappeared.
void view_save_textures(view_state *viewer, bool is_sure);

// -- Repairs: repair.c ---------------------------------------------------------------------------

// Runs the command VIEW_REPAIR. If command->number is 0, only lists the changes in the dialog of
// problems. Otherwise repairs the file into a new file in the same folder, and opens the new file
// if command->item is not 0.
void view_repair_or_preview(view_state *viewer, const view_command *command);

// -- The start page: start.c ---------------------------------------------------------------------

// Opens the start page with lists of recent files, examples and lessons. If it is open, updates the
// lists.
void view_show_start(view_state *viewer);

// -- Background work: update.c -------------------------------------------------------------------

// Runs the background work of a window: the dialog of the desktop, the check of files, the scan of
// a game, and previews. Also stores changed settings in the configuration file, at most once per
// second, so that they are not lost if the program is killed. Call it in every frame. Returns true
// if the image changes.
bool view_update_files(view_state *viewer);

// Writes the configuration file, if one is used, when the window closes.
void view_save_config(view_state *viewer);

// -- Previews: pictures.c and state.c ------------------------------------------------------------

// Requests the previews that the last image of the window lacked (see ui_thumbnail()), and stores
// finished previews. Returns true if the displayed previews have changed.
bool view_update_file_previews(view_state *viewer);

// Frees the previews that are no longer visible: the previews of the game if `is_in_game` is true,
// otherwise the previews of files. With `is_all`, also frees visible previews.
void view_drop_previews(view_state *viewer, bool is_in_game, bool is_all);

// -- Stored settings: ask.c ----------------------------------------------------------------------

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
