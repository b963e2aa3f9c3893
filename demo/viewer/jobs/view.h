// The viewer's state, in one struct that jobs and window share, and the drawing of it.
#ifndef DEMO_VIEWER_JOBS_VIEW_H
#define DEMO_VIEWER_JOBS_VIEW_H

#include "demo/common/write.h"
#include "demo/viewer/pages/page.h"
#include "demo/viewer/draw/previews.h"

// Whether the viewer starts programs of others, ffmpeg and the desktop's dialogs: where POSIX has a
// function for that, and not in a browser.
#if defined(_WIN32) || defined(__EMSCRIPTEN__)
#define VIEW_STARTS_PROGRAMS 0
#else
#define VIEW_STARTS_PROGRAMS 1
#endif

// A movie that is written.
typedef struct view_movie {
    common_writer writer; // whose file ffmpeg opens again
    FILE *file;           // of an APNG; NULL: ffmpeg writes the movie
    int pipe;             // to ffmpeg
    int ffmpeg;           // process id
    bool is_broken;       // a write failed
    char *path;
    uint8_t *rgba; // [4 * width * height] the last picture of a window, or NULL
    uint32_t width;
    uint32_t height;
    uint32_t num_frames;
    double frame_rate;
    uint32_t num_added;
    uint32_t num_chunks;
    long whole; // bytes of a recording that can be played, without its end
    view_log *log;
} view_movie;

// What pictures of a window are drawn into before they are shown, if they have several samples or
// fewer pixels.
typedef struct view_presented {
    md5gl_target *target; // or NULL
    uint32_t width;
    uint32_t height;
    uint32_t samples;
} view_presented;

// A dialog of the desktop that is open.
typedef struct view_picker {
    int process;        // 0: none is
    int pipe;           // of its answer
    view_action action; // what is selected: VIEW_FILES, VIEW_OPEN_FOLDER, or that of VIEW_EXPORT
    bool has_failed;    // the last one: there are no more
} view_picker;

// What the mouse drags if it is no part of the interface.
typedef enum view_camera_drag {
    VIEW_DRAG_NONE,
    VIEW_DRAG_ORBIT,
    VIEW_DRAG_PAN,
    VIEW_DRAG_ZOOM,
    VIEW_DRAG_STICK,  // no camera, but what moves the model
    VIEW_DRAG_FINGER, // on a panel: what it does is known when it has moved, or is lifted
    VIEW_DRAG_SCROLL, // it scrolls
    VIEW_DRAG_LIMB,   // of one that lies: what was pressed on
} view_camera_drag;

// A camera placed to show a document. It is placed again when the document changes, until the user
// moves it.
typedef struct view_framing {
    view_camera camera;
    float size;          // of the document
    float width, height; // of the region; 0: the camera was not placed by view_frame_again()
} view_framing;

// Limits of undo: steps, and bytes of the options of all steps.
enum { VIEW_MAX_STEPS = 201, VIEW_MAX_STEP_BYTES = 256 << 10 };

typedef struct view_state {
    view_options *options;  // the caller's; menus change them
    view_step *steps;       // [num_steps] the first is no change, but what was opened
    size_t num_steps, step; // step: the last one that is shown
    double step_time;       // of the last one
    bool joins;             // another one at once is a part of it
    view_log log;
    view_reports reports;   // its warnings, for a window
    uint32_t width, height; // pixels of the picture
    md5gl_renderer *renderer;
    view_prefetch ahead; // pictures of what is opened first

    view_library *library;   // the game whose contents are listed, or NULL
    view_section section;    // the listed one
    view_scan *scan;         // opens another library, or NULL
    view_previews *previews; // of the library's contents, or NULL
    view_previews *images;   // of files, or NULL

    // What has led to the last error, for another try; VIEW_NOTHING: what was opened first.
    view_command failed;

    struct view_checking *checking; // what engines say to the files, or NULL
    const view_document *checked;   // the document that was checked; only compared

    // What was left for after the first picture: measuring, and the guest of the first minute.
    bool has_rest;
    const char *at_risk; // what view_note_risk() has noted
    char *visitor;       // or NULL

    // The document and its camera.
    view_document *document; // empty before the first is opened
    view_play play;
    view_camera camera;           // the user's, where it is set
    view_camera previous;         // before its last jump; a radius of 0: there was none
    view_camera seen;             // where it is drawn in a window, on its way there
    view_rect seen_region;        // likewise, what panels leave free; without width: as it is
    bool is_smooth;               // draw `seen`: time passes between pictures
    view_framing framed;          // as last set by view_frame_*()
    bool following;               // the picture follows the camera path, which exists then
    view_environment environment; // of --environment
    view_pick pick;               // the spot that was clicked on
    view_pick measured;           // another one, whose distance from it is shown

    view_pages pages; // an open page is shown instead of the document and the interface

    // The interface over it.
    view_ui ui;
    view_font font;
    view_canvas canvas;
    view_lines lines;
    bool is_moving;                          // picture after picture is drawn
    float frame_times[VIEW_NUM_FRAME_TIMES]; // seconds; the newest at num_frame_times - 1, going
                                             // round
    uint32_t num_frame_times;

    // What the picture that is drawn now leaves out, and the switches without that.
    view_economy economy;
    view_shown drawn_shown;

    common_list cells; // of a contact sheet of models: their files
    char *caption;     // below the picture that is drawn, or NULL

    // Only with a window.
    view_window *window;
    view_picker picker;
    view_presented present;
    view_movie *movie;                  // of the window, or NULL
    struct view_exporting *exporting;   // what is written between frames, or NULL: export.c
    struct view_converting *converting; // a model that is, or NULL
    view_quality quality;               // by the times of its frames
    view_config *config;                // NULL = none
    const view_latest *documents;       // what is remembered of them, or NULL
    bool is_restored;                   // what is shown is as it was left
    uint64_t files_stamp;               // of what is open, with --watch
    double next_watch;                  // time of the next check of the files
    double now;                         // seconds since the start
    double noted;                       // when the state was last noted for the configuration
    bool has_let_go;                    // keys no longer go to what moves the model
    bool is_alt_alone;                  // the key Alt is down, and no other was pressed since
    bool ignores_text;                  // of the key that is down, which was a command
    view_camera_drag drag;
    view_stick stick; // while it is dragged
    bool is_touched;  // the last press was a finger's
    bool is_double;   // it was the second of two
    bool is_alt;      // Alt was held
    float scrolled;   // pixels, by the last move of a finger, and when
    double scrolled_at;
    float press_x, press_y; // where the mouse was pressed, pixels
    float press_travel;     // how far it moved since
    bool quit;
} view_state;

// -- Beginning and end ---------------------------------------------------------------------

// Sets up what needs no window by the options: switches, camera and clock.
void view_begin(view_state *viewer, view_options *options);

// Closes the page: the document is shown again.
void view_close_page(view_state *viewer);

// Frees what view_begin(), opening and drawing made, in any state.
void view_end(view_state *viewer);

// Recreates the glyphs if the scale changed. Returns false, and logs why, if that fails.
bool view_set_scale(view_state *viewer, float scale);

// The contents of a picture of width * height pixels, and what the interface shows over it.
view_stage view_stage_of(view_state *viewer, float width, float height);

// What engines say is looked for on a thread, after the first picture.
struct view_checking {
    view_thread *thread;
    common_list files;
    view_reports found;
    atomic_bool is_done;
    atomic_bool stops;
};

// Ends the search for what engines say to the files.
void view_end_check(view_state *viewer);

// -- The user's camera ---------------------------------------------------------------------

// Sets the camera as the options specify, or so that it shows the clip.
void view_frame_anew(view_state *viewer);

// Frames everything, from the same direction, for a picture of that size: the free region, which
// shows a crowd from just in front of it.
void view_frame_again(view_state *viewer, uint32_t width, uint32_t height);

// Frames again if the free region has changed since, or if the contents would leave the picture or
// be too small in it; unless the user has set the camera's target or distance meanwhile.
void view_keep_framed(view_state *viewer, uint32_t width, uint32_t height);

// Shows another clip, from its beginning.
void view_change_clip(view_state *viewer, size_t clip);

// Measures the clip again after the root mode or the clip changed.
void view_measure(view_state *viewer);

// -- Smooth motion -------------------------------------------------------------------------

// Ends the motion where it leads: for another document, and for pictures.
void view_snap(view_state *viewer);

// Frames the pose of now instead of the whole clip, unless the options say what is framed.
void view_frame_still(view_state *viewer);

// -- Drawing -------------------------------------------------------------------------------

#define VIEW_CAPTION_BORDER 4.0f // pixels beside the text

// Draws one frame into a target (NULL = the window). `transparent` omits the background and
// `clean` the interface. With a viewer->economy of less resolution, it is what a window of
// viewer->width * height shows, in fewer pixels and without panels.
bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               bool transparent, bool clean, md5_error *error);

// Draws and reads a picture of small->width * height pixels, without the interface: rgba[4 * width
// * height]. `small` is a copy of the viewer, of which only the memory to draw with goes on; with
// `is_framed` its camera shows the pose. Returns false on failure.
bool view_draw_small(view_state *viewer, view_state *small, bool is_framed, uint32_t samples,
                     bool transparent, uint8_t *rgba);

// Draws a preview; see view_preview_drawer. `user` is the viewer.
bool view_draw_preview(void *user, view_preview_subject *subject, uint32_t size, view_image *image);

// Draws the next picture of a clip that a list of them wants. Returns whether there was one.
bool view_follow_pictures(view_state *viewer);

// Draws one frame into the window, before the swap: in full quality or, with a viewer->economy, in
// less, which is drawn into a smaller target and enlarged, below panels of full resolution. Returns
// false on failure.
bool view_present(view_state *viewer, md5_error *error);

// Draws the sign of a recording over that, after the movie has got its picture; or nothing.
bool view_present_sign(view_state *viewer, md5_error *error);

// Stores how long a picture took, for the panel.
void view_note_frame(view_state *viewer, double seconds);

// -- Reports -------------------------------------------------------------------------------

// Shows a line at the bottom of the window for a few seconds.
void view_notice(view_state *viewer, const char *format, ...) COMMON_PRINTF(2, 3);

// Logs the state after an action at the level "debug".
void view_tell_state(view_state *viewer, const char *action);

// -- Options while it runs: ask.c ----------------------------------------------------------

// Sets option `number` to a text, "": as without it, and shows the effect: what the options say of
// the model is opened again. If that fails, a notice or an error says why, and nothing is changed.
bool view_set_option(view_state *viewer, size_t number, const char *text);

// Shows what the mouse has rested on in a list for long enough, and takes it back when the mouse
// has left. Returns whether the picture changes. Ending takes it back.
bool view_follow_trial(view_state *viewer);
void view_end_trial(view_state *viewer);

// Sets the rows of the card to what they were when it was opened, and closes it; or to what is
// usual.
void view_take_back(view_state *viewer, bool is_reset);

// Shows clip, range, joint, environment, page and time that the options name, of what was opened.
// Returns false and logs an error if the document lacks one of them.
bool view_take_place(view_state *viewer);

// Begins the states of a monster's script that the options name and that do not run, or lets those
// of its flags be set that they name. Returns false and logs an error, with what is known, if it
// has none of a name.
bool view_tell_script(view_state *viewer);

// Notes what was changed as a step that can be undone. Steps are found by comparison, so that no
// command knows of them. Call it after each event.
void view_note_step(view_state *viewer);

// They begin anew, with the next call.
void view_forget_steps(view_state *viewer);
void view_free_step(view_step *step);

// Sets all that can be undone to what it is usually, and forgets what the action says.
void view_forget(view_state *viewer, view_action action);

// Shows step `number`, if there is one: undo and redo.
void view_go_to_step(view_state *viewer, size_t number);

// Writes what is shown now into the options.
void view_note_state(view_state *viewer);

// Sets what is shown by the options.
void view_take_options(view_state *viewer);

// -- Opening -------------------------------------------------------------------------------

// A slider of the open page, or a parameter of the machine. Returns false and logs an error if
// there is none.
bool view_set_parameter(view_state *viewer, const view_setting *setting);

// Writes the configuration file, if there is one, when the window closes.
void view_remember(view_state *viewer);

// Lists a folder or an archive: the contents of a game, or the files of any other folder.
void view_browse_place(view_state *viewer, const char *path);

// Lists the contents of a folder as a game, which is opened in the background.
void view_browse_game(view_state *viewer, const char *place);

// Lists a section of the game.
void view_show_section(view_state *viewer, size_t section);

// Opens files, or our own model if there are none: scene, GPU copies, textures, framing.
// If a file cannot be shown: logs why, keeps what was open, and returns false.
// `as_asked`: textures named on the command line apply to these files.
bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool as_asked);

// Begins to read pictures of what view_open_first() will open: see ahead.h.
void view_read_ahead(view_state *viewer);

// Loads what the first picture in a window did without. Returns whether there was anything.
bool view_open_rest(view_state *viewer);

// Opens what the user dropped on the window: model, animation, camera path or texture; of a folder,
// the list of its files. A texture of one of several meshes is offered in the page of one.
void view_drop(view_state *viewer, const char *path);

// Reads the picture of --environment, if it is given and something is drawn. Logs an error on
// failure.
bool view_select_environment(view_state *viewer);

bool view_reload(view_state *viewer);

// Shows what --texture and the other maps say, without reading the model again where nothing else
// depends on them, and what --hide says. Return false and log an error if that is not possible.
bool view_dress(view_state *viewer);
bool view_hide_meshes(view_state *viewer);

// Opens --game and what its name names. Returns false and logs an error on failure.
bool view_open_game_name(view_state *viewer);

// Opens what the command line names, or what a start without words shows: files, a folder to list,
// and what it says of them: clip, range, joint, environment, page, time. Returns false and logs an
// error if that cannot be shown; a window shows the error over what could be opened, or over our
// own model, and returns true.
bool view_open_first(view_state *viewer);

// Carries out commands about files and lists of them; ignores others.
void view_perform_file(view_state *viewer, const view_command *command);

// Of clips where there are none.
#define VIEW_NO_CLIP "No animation: drop an .md5anim here"

// A dialog of the desktop, chooser.c: none without XDG_CURRENT_DESKTOP, where nobody sees it, and
// after one has failed. Asking opens it in a folder, or returns false. Following returns what its
// answer asks for, after a failure our own list, VIEW_NOTHING until then.
bool view_has_desktop(const view_state *viewer);

// Starts a program where that is possible, without a shell, so that names need no quoting, and sets
// the end of a pipe: to what it reads or, unless it `is_fed`, from what it writes. It finds the
// descriptor `third` as VIEW_THIRD_FILE; -1: none. Returns its process, or 0.
enum { VIEW_THIRD_FILE = 3 };
int view_start_program(char *const *words, bool is_fed, int third, int *end);
bool view_ask_desktop(view_state *viewer, view_action action, const char *folder);
view_command view_follow_desktop(view_state *viewer);

// -- Following -----------------------------------------------------------------------------

// What goes on in the background of a window: the dialog of the desktop, the three that follow, and
// the configuration file, which is written when nothing has changed for a second, so that nothing
// is lost if the program is ended; the camera alone is no reason to. Call it in every frame.
// Returns whether the picture changes.
bool view_follow_files(view_state *viewer);

// What the commands about files share with opening: the folder of our own models, to be freed, or
// NULL, and of each folder in it the first machine, or else the model that is called so; a page of
// techniques with its character, or the contents; looking for what engines say, on a thread; and
// the stamp of the files, with --watch.
char *view_own_models(void);
common_list view_list_examples(const char *models);
bool view_show_technique(view_state *viewer, int32_t number);
void view_begin_check(view_state *viewer);
void view_note_files(view_state *viewer);

// A number for the state of all files of what is shown: another one if one has changed (stamp.c).
uint64_t view_stamp_files(const view_state *viewer);

// Checks the files a few times a second, and reloads all if one has changed.
void view_watch_files(view_state *viewer);

// Takes the opened game, or shows how far that is. Returns whether the picture changes.
bool view_follow_scan(view_state *viewer);

// Asks for the pictures that the last picture of the window wanted, see ui_thumbnail(), and takes
// those that are ready. Returns whether what is shown has changed.
bool view_follow_previews(view_state *viewer);

// Frees the pictures of files or of the game that are not seen any more, or all of them.
void view_drop_pictures(view_state *viewer, bool is_in_game, bool is_all);

// The texture of a small picture, on the frame that previews are drawn on; 0 if memory runs out.
md5gl_texture view_make_texture(md5gl_renderer *renderer, const uint8_t *rgba, uint32_t width,
                                uint32_t height);

// -- Pages of techniques -------------------------------------------------------------------

// --lesson: opens the page with its character, with the sliders of --set. Returns false and logs an
// error if there is no such page or slider or its character cannot be opened; true without the
// option.
bool view_select_page(view_state *viewer);

// -- Movies and pictures -------------------------------------------------------------------
//
// PNG, APNG, and GIF, MP4 and WebM through ffmpeg if it is installed.

// Begins a movie of `num_frames` pictures, or of a number that is not known yet: 0; the extension
// of `path` selects the format. Returns NULL and logs an error if the file cannot be created or
// ffmpeg is missing.
view_movie *view_begin_movie(const char *path, uint32_t width, uint32_t height, double frame_rate,
                             uint32_t num_frames, view_log *log);

// Adds rgba[4 * width * height], top row first, straight alpha. Returns false after any failure.
bool view_add_picture(view_movie *movie, const uint8_t *rgba);

// Finishes the file and frees the movie. Returns false and logs an error if it was not written
// completely.
bool view_end_movie(view_movie *movie);

// Notes what the program may not survive; NULL: nothing but a movie that is recorded.
void view_note_risk(view_state *viewer, const char *path);

// Finds what the last viewer did not survive, for a card of the interface, which may end it.
void view_find_risk(view_state *viewer);
void view_end_lost_movie(view_state *viewer, bool is_kept);

// Adds what is in the window's framebuffer to a movie that is recorded, before the swap. A window
// of another size than at the beginning, and a failure to write, end the movie.
void view_record_frame(view_state *viewer);

// Begins a movie of the window in the current folder, MODEL-1.apng or with the ending of
// --record-as, or ends the one that is recorded; a notice says which.
void view_toggle_recording(view_state *viewer);

// Saves what the window shows under an unused name in the current folder; `clean`: without the
// interface, and with a transparent background.
void view_save_screenshot(view_state *viewer, bool clean);

// Returns MODEL-1.ending, MODEL-2.ending, ... in the folder: the first that does not exist; to be
// freed. NULL: there are too many.
char *view_free_name(const char *folder, const char *model, const char *ending);

// The color that the window shows at a pixel; 0: it cannot be drawn.
view_color view_color_at(view_state *viewer, float x, float y);

// What --output asks for, picture by picture: one or several files, a movie, or the cells of a
// sheet; with --clips all, clip by clip.
typedef struct view_output {
    view_state *viewer;
    bool is_sheet;
    bool is_movie;
    bool is_saved; // nothing has failed
    uint32_t num_clips;
    uint32_t clip;
    uint32_t count, picture; // of this clip
    uint32_t num_cells;
    uint32_t num_done;
    uint32_t total;
    float azimuth; // where a turntable begins
    md5gl_target *target;
    uint8_t *rgba, *sheet; // sheet: or NULL
    view_movie *movie;     // that is written to `path`, or NULL
    char *path;
} view_output;

// Begins to write what the viewer's options ask for; each step draws a picture, and returns whether
// there are more. The end can be at any time, but must be once, also if beginning has failed: what
// is not whole then leaves no file. It returns whether all was written; else the log says why.
bool view_begin_output(view_output *output, view_state *viewer);
bool view_step_output(view_output *output);
bool view_end_output(view_output *output);

// The name of the options with the fields {model} {anim} {frame} {time} {n} replaced by their
// values, of which {frame:04} pads with zeros, and perhaps a number before its extension; unknown
// fields stay as they are. The caller frees it.
char *view_name_output(const view_state *viewer, uint32_t n, bool is_numbered);

// -- Exporting from the window -------------------------------------------------------------
//
// What is exported is what a command line does, in a state of its own, between the frames of the
// window: the user can go on meanwhile.

// The words of that command line behind the program's name, by what the window shows and what the
// dialog's choices are; free them with common_free_list(). None if a choice cannot be read, and the
// dialog then says so.
common_list view_export_words(view_state *viewer);

// The command line that shows in a window what this one shows. Free it.
char *view_command_line(view_state *viewer);

// Opens or closes the dialog, begins what it says, or once more under the next free name, or stops.
void view_perform_export(view_state *viewer, view_action action);

// Saves VIEW_SAVE_CLIP, the shown clip, or VIEW_SAVE_CLIPS, all, for the model that they are
// retargeted to, or VIEW_SAVE_MAP: beside that model.
void view_save_retargeted(view_state *viewer, size_t what);

// Goes on with what is exported, and tells the dialog what it needs to know. Call it in every
// frame. Returns whether the picture changes.
bool view_follow_export(view_state *viewer);

// The page that is shown, or NULL.
const view_page *view_shown_page(const view_state *viewer);

// Sets options that describe what is shown, without what is of the window; their texts are those of
// the viewer's.
void view_describe_shown(view_state *viewer, view_options *now);

// Notes the options of the document for the configuration, if there is one.
void view_remember_document(view_state *viewer);

// Ends what is exported; if it is not whole, it leaves no file.
void view_stop_export(view_state *viewer);

// -- Jobs ----------------------------------------------------------------------------------

// Runs what the options ask for instead of a window: --thumbnail, --no-render, --output
// or --frames. A thumbnail does not require an opened document. Returns false and logs or prints
// the reason on failure.
bool view_run_job(view_state *viewer);

#endif
