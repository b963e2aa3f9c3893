// Opening documents: files, our own models, and lessons. The current document remains open until
// the new document is complete.
#ifndef DEMO_VIEWER_JOBS_OPEN_H
#define DEMO_VIEWER_JOBS_OPEN_H

#include "demo/viewer/pages/page.h"

typedef struct view_state view_state;

// The state of opening documents: work before and after the first image, the last failure, and the
// files that are watched for changes.
typedef struct view_opening {
    view_prefetch prefetch; // prefetched images of the first document

    // The command that led to the last error. The user can repeat it. VIEW_NOTHING means that the
    // first document could not be opened.
    view_command failed;

    // Work that is done after the first image, so that the image appears sooner. It consists of
    // measuring, and of loading the guest of the demo scene.
    bool has_deferred_work;
    char *guest_path; // path of the machine of the guest, or NULL

    bool is_restored;       // the shown settings are restored from the last session
    const char *noted_path; // the path that view_write_crash_note() has noted

    uint64_t files_stamp;   // stamp of the open files, with --watch
    double next_stamp_time; // time of the next check of the files, seconds
} view_opening;

// Opens files, or our own model if `num_files` is 0. Loads the scene and its textures, copies them
// to the GPU, and frames the document. If a file cannot be shown, logs the reason, keeps the
// current document, and returns false. With `uses_options`, the textures of the command line apply
// to these files.
bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool uses_options);

// Starts reading the images of the document that view_open_first() will open; see ahead.h.
void view_read_ahead(view_state *viewer);

// Does the work that was deferred for the first image in a window. Returns true if there was any.
bool view_finish_opening(view_state *viewer);

// Reads the image of --environment, if the option is set and a renderer exists. Returns false and
// logs an error on failure.
bool view_select_environment(view_state *viewer);

// Opens the files of the document again. Keeps the clip, the selection and the state of its
// machines. On failure, keeps the old document, logs an error and returns false.
bool view_reload(view_state *viewer);

// view_apply_texture_options() applies --texture and the options of other maps. It loads the whole
// model again only if more than its textures depends on them. view_hide_meshes() applies --hide.
// Both return false and log an error on failure.
bool view_apply_texture_options(view_state *viewer);
bool view_hide_meshes(view_state *viewer);

// Opens --game and the name in it. Returns false and logs an error on failure.
bool view_open_game_name(view_state *viewer);

// Opens the files of the command line, lists its folder, or shows the start page. Then applies the
// options for clip, range, joint, environment, lesson and time. On failure, logs an error. In a
// window, shows the error over the document that could be opened or over our own model, and returns
// true. Otherwise returns false.
bool view_open_first(view_state *viewer);

// Shows the clip, range, joint, environment, lesson and time that the options specify for the open
// document. Returns false and logs an error if the document does not have one of them.
bool view_apply_start_options(view_state *viewer);

// Applies --state and --flag to a monster's script: begins the named states that do not run, and
// sets its flags. If a name does not exist, returns false and logs an error with the valid names.
bool view_apply_script_options(view_state *viewer);

// Sets a slider of the open lesson, or a parameter of the machine. Returns false and logs an error
// if it does not exist.
bool view_set_parameter(view_state *viewer, const view_setting *setting);

// Opens the lesson of the option --lesson with its character, and sets its sliders to the values of
// --set. Returns false and logs an error if the lesson or a slider does not exist, or if the
// character cannot be opened. Returns true without the option.
bool view_select_page(view_state *viewer);

// Returns the folder of our own models, which the caller frees, or NULL.
char *view_find_models_folder(void);

// For each folder in `models`, returns its first machine. Without a machine, returns the model with
// the folder's name.
common_list view_list_examples(const char *models);

// Opens a lesson with its character, or the list of lessons.
bool view_open_lesson(view_state *viewer, int32_t number);

// Closes the lesson, so that the document is shown again.
void view_close_page(view_state *viewer);

// Returns the shown lesson; NULL if none or the list of lessons is shown.
const view_page *view_shown_page(const view_state *viewer);

// -- Changes of files ----------------------------------------------------------------------------

// Stores a hash of the state of the files, if the option --watch is set. A change of a file changes
// the hash.
void view_store_files_stamp(view_state *viewer);

// Returns a hash of the state of all files of the document (stamp.c). It changes if a file changes,
// appears or disappears.
uint64_t view_stamp_files(const view_state *viewer);

// Checks the files four times a second, and reloads the document if a file has changed.
void view_watch_files(view_state *viewer);

// -- Crash recovery ------------------------------------------------------------------------------

// Writes a note with the path of the file that is being opened. If opening crashes the program, the
// next start finds the note. If `path` is NULL, the note contains the path of the recorded movie;
// if there is none, the note is removed.
void view_write_crash_note(view_state *viewer, const char *path);

// view_read_crash_note() reads the note of a viewer that has crashed, and offers its file in the
// interface. view_resolve_lost_movie() keeps or deletes the movie that was recorded.
void view_read_crash_note(view_state *viewer);
void view_resolve_lost_movie(view_state *viewer, bool is_kept);

#endif
