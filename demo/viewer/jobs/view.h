// The state of the viewer (view_state), which jobs and the window share, and the functions that
// work on it.
//
// view_state contains the options, the shown document with its camera and playback time, the
// interface, and members that are used only with a window. Each job on it is declared below in its
// own section: opening files, drawing, undo, movies and images, export.
#ifndef DEMO_VIEWER_JOBS_VIEW_H
#define DEMO_VIEWER_JOBS_VIEW_H

#include "demo/common/write.h"
#include "demo/viewer/pages/page.h"
#include "demo/viewer/draw/previews.h"

// 1 if the viewer can start other programs, ffmpeg and the desktop's dialogs: on POSIX systems, but
// not in a browser.
#if defined(_WIN32) || defined(__EMSCRIPTEN__)
#define VIEW_STARTS_PROGRAMS 0
#else
#define VIEW_STARTS_PROGRAMS 1
#endif

// A movie while it is written.
typedef struct view_movie {
    common_writer writer; // file that ffmpeg opens again
    FILE *file;           // file of an APNG; NULL: ffmpeg writes the movie
    int pipe;             // input of ffmpeg
    int ffmpeg;           // process id
    bool is_broken;       // a write failed
    char *path;
    uint8_t *rgba; // [4 * width * height] the last image of a recorded window, or NULL
    uint32_t width;
    uint32_t height;
    uint32_t num_frames;
    double frame_rate;
    uint32_t num_added;
    uint32_t num_chunks;
    // Size of the part of a recording that can be played, without its end chunk, bytes.
    long whole;
    view_log *log;
} view_movie;

// Render target for images of a window with several samples or a reduced resolution. It is copied
// to the window.
typedef struct view_presented {
    md5gl_target *target; // or NULL
    uint32_t width;
    uint32_t height;
    uint32_t samples;
} view_presented;

// A file dialog of the desktop that is open.
typedef struct view_picker {
    int process;        // process id; 0: no dialog is open
    int pipe;           // output of the dialog
    view_action action; // purpose: VIEW_FILES, VIEW_OPEN_FOLDER or VIEW_EXPORT
    bool has_failed;    // the last dialog failed, so no other is opened
} view_picker;

// The object that the mouse drags, outside of the interface.
typedef enum view_camera_drag {
    VIEW_DRAG_NONE,
    VIEW_DRAG_ORBIT,
    VIEW_DRAG_PAN,
    VIEW_DRAG_ZOOM,
    VIEW_DRAG_STICK, // the control stick that moves the model
    // A panel, by touch: drag or scroll is decided when the finger moves or is lifted.
    VIEW_DRAG_FINGER,
    VIEW_DRAG_SCROLL, // the scroll position of a panel
    VIEW_DRAG_LIMB,   // the grasped body of a fallen character
} view_camera_drag;

// A camera that was placed to show a document. It is placed again when the document changes, until
// the user moves it.
typedef struct view_framing {
    view_camera camera;
    float size;          // size of the document
    float width, height; // size of the region; 0: view_frame_document() did not place the camera
} view_framing;

// Limits of undo: number of steps, and bytes of the options of all steps.
enum { VIEW_MAX_STEPS = 201, VIEW_MAX_STEP_BYTES = 256 << 10 };

typedef struct view_state {
    view_options *options;  // owned by the caller; menus change them
    view_step *steps;       // [num_steps] the first step is the state after opening
    size_t num_steps, step; // step: index of the shown step
    double step_time;       // time of the last step
    bool joins;             // a further change soon after the last step is merged into it
    view_log log;
    view_reports reports;   // warnings of the log, for a window
    uint32_t width, height; // size of the image, pixels
    md5gl_renderer *renderer;
    view_prefetch ahead; // prefetched images of the first document

    view_library *library;   // game whose contents are listed, or NULL
    view_section section;    // the listed section
    view_scan *scan;         // opens another library in the background, or NULL
    view_previews *previews; // previews of the library's contents, or NULL
    view_previews *images;   // previews of files, or NULL

    // The command that led to the last error, so that it can be repeated; VIEW_NOTHING: opening the
    // first document.
    view_command failed;

    struct view_checking *checking; // background check of the files for engines, or NULL
    const view_document *checked;   // the document that was checked; only its address is compared

    // Work that is deferred until after the first image: measuring, and loading the companion of
    // the demo scene.
    bool has_deferred_work;
    const char *noted_path; // the path that view_write_crash_note() has noted
    char *visitor;          // path of the companion's machine, or NULL

    // The document and its camera.
    view_document *document; // empty before the first file is opened
    view_play play;
    view_camera camera;           // camera as set by the user
    view_camera previous;         // camera before its last jump; a radius of 0: it has not jumped
    view_camera seen;             // camera as drawn in a window, in smooth motion to `camera`
    view_rect seen_region;        // free region as drawn, in smooth motion; width 0: not in motion
    bool is_smooth;               // draw `seen`: time passes between images
    view_framing framed;          // last result of view_frame_*()
    bool following;               // the view follows the camera path, which is loaded then
    view_environment environment; // image of --environment
    view_pick pick;               // the point that was clicked
    view_pick measured;           // second point of a distance measurement

    view_pages pages; // an open lesson is shown instead of the document and the interface

    // The interface over the document.
    view_ui ui;
    view_panels panels;
    view_font font;
    view_canvas canvas;
    view_lines lines;
    bool is_moving; // images are drawn continuously
    // Frame times, seconds; a ring buffer whose newest entry is at num_frame_times - 1.
    float frame_times[VIEW_NUM_FRAME_TIMES];
    uint32_t num_frame_times;

    // Features that the current image omits, and the switches of the user without this reduction.
    view_economy economy;
    view_shown drawn_shown;

    common_list cells; // files of the models of a contact sheet
    char *caption;     // text below the drawn image, or NULL

    // Only used with a window.
    view_window *window;
    view_picker picker;
    view_presented present;
    view_movie *movie; // recording of the window, or NULL
    // Export that is written between frames, or NULL; see export.c.
    struct view_export_job *exporting;
    struct view_conversion_job *converting; // conversion of a model that runs, or NULL
    view_quality quality;                   // quality, adjusted by the frame times
    view_config *config;                    // configuration file, or NULL
    const view_latest *documents;           // remembered settings of documents, or NULL
    bool is_restored;                       // the shown settings are restored from the last session
    uint64_t files_stamp;                   // stamp of the open files, with --watch
    double next_watch;                      // time of the next check of the files, seconds
    double now;                             // time since the start, seconds
    double noted; // time at which the state was last stored in the configuration, seconds
    bool has_released_control; // keys no longer control the character
    bool is_only_alt_down;     // the Alt key is down, and no other key was pressed since
    bool ignores_text;         // the key that is down was a command, so its text is ignored
    view_camera_drag drag;
    view_stick stick; // control stick while it is dragged
    bool is_touched;  // the last press was a touch
    bool is_double;   // the last press was the second of a double click
    bool is_alt;      // Alt was held at the last press
    float scrolled;   // distance of the last touch move, pixels, and its time
    double scrolled_at;
    float press_x, press_y; // position of the mouse press, pixels
    float press_travel;     // distance of the mouse since the press, pixels
    bool quit;
} view_state;

// -- Initialization and release ------------------------------------------------------------------

// Initializes the parts of the state that do not need a window, from the options: switches, camera
// and clock.
void view_begin(view_state *viewer, view_options *options);

// Closes the lesson, so that the document is shown again.
void view_close_page(view_state *viewer);

// Frees everything that view_begin(), opening and drawing allocated, in any state.
void view_end(view_state *viewer);

// Recreates the glyphs if the scale has changed. Returns false and logs an error on failure.
bool view_set_scale(view_state *viewer, float scale);

// Returns the contents of an image of width * height pixels, and the interface over it.
view_stage view_stage_of(view_state *viewer, float width, float height);

// A check of the document's files for problems in engines. It runs on a thread after the first
// image.
struct view_checking {
    view_thread *thread;
    common_list files;
    view_reports found;
    atomic_bool is_done;
    atomic_bool stops;
};

// Stops the check of the files.
void view_end_check(view_state *viewer);

// -- The user's camera ---------------------------------------------------------------------------

// Sets the camera as the options specify, or so that it shows the clip.
void view_place_camera(view_state *viewer);

// Frames the whole document from the same direction, in the free region of an image of this size.
// The camera remains just in front of a crowd.
void view_frame_document(view_state *viewer, uint32_t width, uint32_t height);

// Frames the document again if the free region has changed, or if the document would be cut off or
// too small. Does nothing if the user has set the camera's target or distance since.
void view_update_framing(view_state *viewer, uint32_t width, uint32_t height);

// Shows another clip from its beginning.
void view_change_clip(view_state *viewer, size_t clip);

// Measures the clip again after a change of the root mode or of the clip.
void view_measure(view_state *viewer);

// -- Smooth motion -------------------------------------------------------------------------------

// Ends smooth motion at its target: for another document, and for images.
void view_snap(view_state *viewer);

// Frames the current pose instead of the whole clip, unless the options set the target.
void view_frame_pose(view_state *viewer);

// -- Drawing -------------------------------------------------------------------------------------

#define VIEW_CAPTION_BORDER 4.0f // pixels on each side of the text

// Draws one frame into a target (NULL: the window). `transparent` omits the background, `clean` the
// interface. With a viewer->economy of reduced resolution, draws the image of a window of
// viewer->width * height with fewer pixels and without panels.
bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               bool transparent, bool clean, md5_error *error);

// Draws an image of small->width * height pixels without the interface, and reads it into rgba[4 *
// width * height]. `small` is a copy of the viewer; only its drawing buffers are copied back. With
// `is_framed` its camera frames the pose. Returns false on failure.
bool view_draw_small(view_state *viewer, view_state *small, bool is_framed, uint32_t samples,
                     bool transparent, uint8_t *rgba);

// Implements view_preview_drawer; `user` is the viewer.
bool view_draw_preview(void *user, view_preview_subject *subject, uint32_t size, view_image *image);

// Draws the next thumbnail that a list of clips has requested. Returns true if it drew one.
bool view_draw_next_thumbnail(view_state *viewer);

// Draws one frame into the window, before the swap. With a viewer->economy, draws it with reduced
// quality into a smaller target, enlarges it, and draws the panels over it at full resolution.
// Returns false on failure.
bool view_present(view_state *viewer, md5_error *error);

// Draws the recording indicator over the frame, after the movie has received its image. Does
// nothing if no movie is recorded.
bool view_present_recording_sign(view_state *viewer, md5_error *error);

// Stores the duration of a frame for the panel.
void view_store_frame_time(view_state *viewer, double seconds);

// -- Notices and the log -------------------------------------------------------------------------

// Shows a line at the bottom of the window for 2.5 seconds.
void view_notice(view_state *viewer, const char *format, ...) COMMON_PRINTF(2, 3);

// Logs the state after an action at the level "debug".
void view_log_state(view_state *viewer, const char *action);

// -- Changes of options, and undo: ask.c ---------------------------------------------------------

// Sets an option to a text and applies its effect; "" resets the option. Opens the model
// again if the option affects loading. On failure, shows a notice or an error and changes nothing.
bool view_set_option(view_state *viewer, const view_option *option, const char *text);

// view_follow_trial() shows the list item on which the mouse has rested long enough as a preview,
// and reverts the preview when the mouse has left; returns true if the image changes.
// view_end_trial() reverts the preview.
bool view_follow_trial(view_state *viewer);
void view_end_trial(view_state *viewer);

// Resets the options of the card to their values before it was opened, and closes the card; or,
// with `is_reset`, to their defaults.
void view_revert_card(view_state *viewer, bool is_reset);

// Shows the clip, range, joint, environment, lesson and time that the options specify for the open
// document. Returns false and logs an error if the document does not have one of them.
bool view_apply_start_options(view_state *viewer);

// Begins the states of a monster's script that the options name and that do not run, and sets its
// flags as the options specify. If a name does not exist, returns false and logs an error with the
// valid names.
bool view_apply_script_options(view_state *viewer);

// Stores changes as a step that can be undone. Steps are found by comparing the options, so that
// commands need no code for undo. Call it after each event.
void view_store_step(view_state *viewer);

// view_clear_steps() removes all steps; the next call of view_store_step() stores the first.
void view_clear_steps(view_state *viewer);
void view_free_step(view_step *step);

// Resets all settings that can be undone to their defaults, and deletes the stored settings of the
// document. VIEW_RESET_ALL deletes nothing; VIEW_FORGET_ALL only deletes, the settings of all
// files.
void view_reset_settings(view_state *viewer, view_action action);

// Shows step `number`, if it exists: undo and redo.
void view_show_step(view_state *viewer, size_t number);

// Writes the current state into the options.
void view_update_options(view_state *viewer);

// Applies the options to the current state.
void view_apply_options(view_state *viewer);

// -- Opening -------------------------------------------------------------------------------------

// Sets a slider of the open lesson, or a parameter of the machine. Returns false and logs an error
// if it does not exist.
bool view_set_parameter(view_state *viewer, const view_setting *setting);

// Writes the configuration file, if one is used, when the window closes.
void view_save_config(view_state *viewer);

// Lists a folder or an archive: the contents of a game, or the files of any other folder.
void view_list_location(view_state *viewer, const char *path);

// Opens a folder as a game in the background and lists its contents.
void view_browse_game(view_state *viewer, const char *place);

// Lists a section of the game.
void view_show_section(view_state *viewer, size_t section);

// Opens files, or our own model if num_files is 0: loads the scene, copies it to the GPU, loads the
// textures and frames the document. If a file cannot be shown, logs the reason, keeps the open
// document, and returns false. `uses_options`: apply the textures named on the command line to
// these files.
bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool uses_options);

// Starts reading the images of the document that view_open_first() will open; see ahead.h.
void view_read_ahead(view_state *viewer);

// Does the work that was deferred for the first image in a window. Returns true if there was any.
bool view_finish_opening(view_state *viewer);

// Opens a file that the user dropped on the window: a model, animation, camera path or texture.
// Lists the files of a folder. If the model has several meshes, offers a texture in the panel of
// textures.
void view_drop(view_state *viewer, const char *path);

// Reads the image of --environment, if the option is set and a renderer exists. Returns false and
// logs an error on failure.
bool view_select_environment(view_state *viewer);

// Opens the files of the document again and keeps the clip, the selection and the state of its
// machines. On failure, keeps the document, logs an error and returns false.
bool view_reload(view_state *viewer);

// view_apply_texture_options() applies --texture and the options of other maps; it reads the model
// again only if other data depends on them. view_hide_meshes() applies --hide. Both return false
// and log an error on failure.
bool view_apply_texture_options(view_state *viewer);
bool view_hide_meshes(view_state *viewer);

// Opens --game and the name in it. Returns false and logs an error on failure.
bool view_open_game_name(view_state *viewer);

// Opens the files of the command line, lists its folder, or shows the start page, and applies the
// options for clip, range, joint, environment, lesson and time. On failure, logs an error and
// returns false; in a window, shows the error over the document that could be opened, or over our
// own model, and returns true.
bool view_open_first(view_state *viewer);

// Runs commands about files and lists of files; ignores other commands.
void view_run_file_command(view_state *viewer, const view_command *command);

// Notice for commands on clips in a document without clips.
#define VIEW_NO_CLIP "No animation: drop an .md5anim here"

// File dialogs of the desktop (chooser.c). They are not available without XDG_CURRENT_DESKTOP, if
// the window is not visible, and after a dialog has failed. view_open_file_dialog() opens a dialog
// in a folder, or returns false. view_poll_file_dialog() returns the command for its answer, the
// command to show our own list if the dialog failed, or VIEW_NOTHING while it is open.
bool view_has_file_dialog(const view_state *viewer);
bool view_open_file_dialog(view_state *viewer, view_action action, const char *folder);
view_command view_poll_file_dialog(view_state *viewer);

// Starts a program without a shell, so that names need no quoting, and sets one end of a pipe: to
// the program's input if `is_fed`, otherwise from its output. The program inherits the descriptor
// `third` as VIEW_THIRD_FILE; -1: none. Returns the process id, or 0 on failure.
enum { VIEW_THIRD_FILE = 3 };
int view_start_program(char *const *words, bool is_fed, int third, int *end);

// -- Background work -----------------------------------------------------------------------------

// Runs the background work of a window: the dialog of the desktop, the check of files, scan,
// previews and trials. Stores the configuration file after a second without changes, so that no
// settings are lost if the program is ended; a change of the camera does not cause a store. Call it
// in every frame. Returns true if the image changes.
bool view_follow_files(view_state *viewer);

// Functions that opening shares with commands about files. view_find_models_folder() returns the
// folder of our own models, which the caller frees, or NULL. view_list_examples() returns the first
// machine of each folder in it, or else the model with the folder's name. view_open_lesson() opens
// a lesson with its character, or the list of lessons. view_begin_check() starts the check of the
// files on a thread. view_store_files_stamp() stores the stamp of the files, with --watch.
char *view_find_models_folder(void);
common_list view_list_examples(const char *models);
bool view_open_lesson(view_state *viewer, int32_t number);
void view_begin_check(view_state *viewer);
void view_store_files_stamp(view_state *viewer);

// Returns a hash of the state of all files of the document; it changes if a file changes (stamp.c).
uint64_t view_stamp_files(const view_state *viewer);

// Checks the files four times a second, and reloads the document if a file has changed.
void view_watch_files(view_state *viewer);

// Shows the progress of opening a game, or its contents when it is open. Returns true if the image
// changes.
bool view_follow_scan(view_state *viewer);

// Requests the previews that the last image of the window needed, see ui_picture(), and stores
// completed previews. Returns true if the displayed previews have changed.
bool view_follow_previews(view_state *viewer);

// Frees the previews of files or of the game that are no longer visible; with `is_all`, all of
// them.
void view_drop_previews(view_state *viewer, bool is_in_game, bool is_all);

// Creates a texture from a small image, blended over the background of previews; 0 if memory runs
// out.
md5gl_texture view_make_texture(md5gl_renderer *renderer, const uint8_t *rgba, uint32_t width,
                                uint32_t height);

// -- Lessons -------------------------------------------------------------------------------------

// Opens the lesson of the option --lesson with its character and the sliders of --set. Returns
// false and logs an error if the lesson or a slider does not exist or the character cannot be
// opened. Returns true without the option.
bool view_select_page(view_state *viewer);

// -- Movies and images ---------------------------------------------------------------------------
//
// PNG and APNG; GIF, MP4 and WebM through ffmpeg if it is installed.

// Begins a movie of `num_frames` images; 0: the number is not known yet. The extension of `path`
// selects the format. Returns NULL and logs an error if the file cannot be created or ffmpeg is
// missing.
view_movie *view_begin_movie(const char *path, uint32_t width, uint32_t height, double frame_rate,
                             uint32_t num_frames, view_log *log);

// Adds an image rgba[4 * width * height], top row first, straight alpha. Returns false after any
// failure.
bool view_add_movie_image(view_movie *movie, const uint8_t *rgba);

// Finishes the file and frees the movie. Returns false and logs an error if the file is incomplete.
bool view_end_movie(view_movie *movie);

// Writes a note of the file that is opened, in case the program crashes; NULL: only of a movie that
// is recorded, if any.
void view_write_crash_note(view_state *viewer, const char *path);

// view_read_crash_note() reads the note of a viewer that crashed, for a card of the interface.
// view_resolve_lost_movie() keeps or deletes the recovered movie.
void view_read_crash_note(view_state *viewer);
void view_resolve_lost_movie(view_state *viewer, bool is_kept);

// Adds the contents of the window's framebuffer to the recording, before the swap. A change of the
// window's size and a write error end the recording.
void view_record_frame(view_state *viewer);

// Begins a recording of the window in the current folder, MODEL-1.apng or with the extension of
// the option --record-as; or ends the current recording. Shows a notice.
void view_toggle_recording(view_state *viewer);

// Saves the image of the window under an unused name in the current folder. `clean` omits the
// interface and the background.
void view_save_screenshot(view_state *viewer, bool clean);

// Returns the first of MODEL-1.ENDING, MODEL-2.ENDING, ... that does not exist in the folder; the
// caller frees it. NULL: all names are used.
char *view_find_unused_path(const char *folder, const char *model, const char *ending);

// Returns the color of a pixel of the window; 0 on failure.
view_color view_color_at(view_state *viewer, float x, float y);

// The images of --output, one after another: one or several files, a movie, or the cells of a
// sheet; with --clips all, clip by clip.
typedef struct view_output {
    view_state *viewer;
    bool is_sheet;
    bool is_movie;
    bool is_saved; // no failure so far
    uint32_t num_clips;
    uint32_t clip;      // index of the current clip
    uint32_t count;     // number of images of the current clip
    uint32_t picture;   // index of the next image of the current clip
    uint32_t num_cells; // number of cells of a sheet that are filled
    uint32_t num_done;  // number of images that are drawn
    uint32_t total;     // number of images of all clips
    float azimuth;      // azimuth of the first image of a turntable
    md5gl_target *target;
    uint8_t *rgba, *sheet; // sheet: NULL if no sheet is written
    view_movie *movie;     // movie that is written to `path`, or NULL
    char *path;
} view_output;

// view_begin_output() begins to write the output of the options. view_step_output() draws one
// image, and returns true if images remain. view_end_output() must be called once, at any time,
// also after a failure; an incomplete output leaves no file. It returns true if everything was
// written; otherwise the log contains the reason.
bool view_begin_output(view_output *output, view_state *viewer);
bool view_step_output(view_output *output);
bool view_end_output(view_output *output);

// Returns the name of --output with the fields {model} {anim} {frame} {time} {n} replaced by their
// values, and with `is_numbered` a number before its extension. {frame:04} pads with zeros. Unknown
// fields are unchanged. The caller frees it.
char *view_name_output(const view_state *viewer, uint32_t n, bool is_numbered);

// -- Export from the window ----------------------------------------------------------------------
//
// An export does the same work as a command line, in a separate state, between the frames of the
// window. The user can continue to work.

// Returns the arguments of this command line without the program's name, from the shown document
// and the choices of the dialog; free them with common_free_list(). If a choice is invalid, returns
// an empty list, and the dialog shows the problem.
common_list view_export_words(view_state *viewer);

// Returns the command line that shows the same contents in a window. The caller frees it.
char *view_command_line(view_state *viewer);

// Opens or closes the dialog, starts the export, starts it again under the next unused name, or
// stops it.
void view_perform_export(view_state *viewer, view_action action);

// Saves clips for the model to which they are retargeted, in its folder: VIEW_SAVE_CLIP: the shown
// clip; VIEW_SAVE_CLIPS: all clips; VIEW_SAVE_MAP: the joint map.
void view_save_retargeted(view_state *viewer, size_t what);

// Continues the export, and updates the dialog. Call it in every frame. Returns true if the image
// changes.
bool view_follow_export(view_state *viewer);

// Returns the shown lesson; NULL if none or the list of lessons is shown.
const view_page *view_shown_page(const view_state *viewer);

// Sets options that describe the shown document, without the window. Their texts belong to the
// viewer.
void view_describe_document(view_state *viewer, view_options *now);

// Stores the options of the document in the configuration, if one is used.
void view_remember_document(view_state *viewer);

// Stops the export. An incomplete export leaves no file.
void view_stop_export(view_state *viewer);

// -- Jobs ----------------------------------------------------------------------------------------

// Runs the job of the options instead of a window: --thumbnail, --no-render, --output or --frames.
// A thumbnail does not require an opened document. Returns false and logs or prints the reason on
// failure.
bool view_run_job(view_state *viewer);

#endif
