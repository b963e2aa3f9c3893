// The viewer: everything that is on the screen, in one struct that is passed along.
#ifndef DEMO_VIEWER_JOBS_VIEW_H
#define DEMO_VIEWER_JOBS_VIEW_H

#include "md5/md5model.h"
#include "render/md5gl.h"
#include "demo/viewer/base/config.h"
#include "demo/viewer/base/keys.h"
#include "demo/viewer/draw/draw.h"
#include "demo/viewer/draw/framing.h"
#include "demo/viewer/ui/browser.h"

enum { VIEW_NUM_FRAME_TIMES = 120 };

// What the mouse holds on to.
typedef enum view_drag_kind {
    VIEW_DRAG_NONE,
    VIEW_DRAG_ORBIT,
    VIEW_DRAG_PAN,
    VIEW_DRAG_ZOOM,
    VIEW_DRAG_TIME,
    VIEW_DRAG_PARAMETER,
    VIEW_DRAG_LAMP,
} view_drag_kind;

// What lies under the mouse in the panel.
typedef enum view_hit_kind {
    VIEW_HIT_FILES, // the model's name: opens the list
    VIEW_HIT_CLIPS, // the clip's: likewise
    VIEW_HIT_MESH,  // of that number: shown or not
} view_hit_kind;

typedef struct view_hit {
    view_rect rect;
    view_hit_kind kind;
    uint32_t mesh;
} view_hit;

enum { VIEW_MAX_HITS = 64 };

// Where the parts of the panel lie, in pixels; empty = not there.
typedef struct view_layout {
    view_hit hits[VIEW_MAX_HITS];
    uint32_t num_hits;
    view_rect error;
    view_rect bar;   // of time, with what surrounds it
    view_rect track; // its line, from the first frame to the last
    view_rect hierarchy;
    view_rect joints;     // its rows, within
    view_rect parameters; // of a machine: rows of equal height
    float slider_left;    // of its sliders
    view_rect lamps;      // likewise
} view_layout;

typedef struct view_state {
    const view_options *options;
    view_log log;
    uint32_t width, height; // pixels of the picture

    struct SDL_Window *window;
    void *context; // SDL_GLContext
    md5gl_renderer *renderer;
    view_font font;
    view_canvas canvas;
    view_lines lines;

    view_document *document; // that is shown; an empty one before the first is opened
    view_play play;
    view_camera camera;  // the own one
    view_framing framed; // how it was set last, by view_frame_*()
    bool flying;         // the picture is taken from the flight instead; there is one then
    view_shown shown;
    view_lamps lamps;
    view_layout layout;
    view_drag_kind drag;
    uint32_t dragged_parameter;
    view_lamp dragged_lamp;
    float hierarchy_scroll; // pixels
    int32_t hovered_joint;  // in the list, -1 = none
    int32_t chosen_joint;   // that was clicked on, likewise
    uint64_t hidden_meshes; // a bit for each of the first 64
    view_browser browser;
    view_config *config; // what is remembered; NULL = nothing

    float text_scale;                        // chosen by keys, on top of the screen's
    double frame_seconds;                    // that the last frames took, smoothed
    float frame_times[VIEW_NUM_FRAME_TIMES]; // seconds; the newest at num_frame_times - 1, going
                                             // round
    uint32_t num_frame_times;
    uint64_t files_stamp; // of what is open, with --watch
    double next_watch;    // when files are looked at next

    double now;       // seconds since the start
    char notice[256]; // told at the bottom for a while
    double notice_end;
    bool quit;
} view_state;

// Sets up what needs no window: switches, camera and clock, as the options say.
void view_begin(view_state *viewer, const view_options *options);

// Gives back what view_begin() and the window made, after view_close(), in any state.
void view_end(view_state *viewer);

// Opens files, or our own model where there are none: scene, GPU copies, textures, framing.
// Where anything named cannot be shown, tells why, keeps what was open, and returns false.
// `as_asked`: the textures that the command line names are meant for these files.
bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool as_asked);

// Opens what a person dropped on the window: model, animation, flight or texture; of a folder, the
// list of its files.
void view_drop(view_state *viewer, const char *path);

// Frees what view_open() made.
void view_close(view_state *viewer);

bool view_reload(view_state *viewer);

// For --watch: a number that changes when a file changes that is shown, with its textures, its
// machine's, companions' and crowd's files. view_note_files() keeps it after files were read;
// view_watch_files() looks a few times a second, and reads all again if it is another.
uint64_t view_stamp_files(const view_state *viewer);
void view_note_files(view_state *viewer);
void view_watch_files(view_state *viewer);

// The next (+1) or previous (-1) file of the kind in the same folder.
void view_open_neighbour(view_state *viewer, int step);

// Shows another clip, from its beginning.
void view_change_clip(view_state *viewer, size_t clip);

// Sets the camera as the options say, or as it suits the clip.
void view_frame_anew(view_state *viewer);

// The same camera, for a picture of another shape, unless the options set its distance.
void view_frame_for(view_state *viewer, uint32_t width, uint32_t height);

// Shows everything again, from the same direction.
void view_frame_again(view_state *viewer);

// Frames again if the free region has changed since, or if what is shown would leave the picture or
// be lost in it; unless a person has set target or distance of the camera meanwhile.
void view_keep_framed(view_state *viewer, uint32_t width, uint32_t height);

// Goes on with the own camera from where the camera path is.
void view_leave_flight(view_state *viewer);

// How a picture of now is taken: by the camera path, or by the own camera, in the free region.
view_lens view_choose_lens(view_state *viewer, float width, float height);

// Measures the clip anew, after the root mode or the clip changed.
void view_measure(view_state *viewer);

// Draws one frame into a target (NULL = the window). `transparent` leaves out the background and
// `clean` the text.
bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               bool transparent, bool clean, md5_error *error);

// What a picture of this state, of width * height pixels, is made of.
view_stage view_stage_of(view_state *viewer, float width, float height);

// Small windows have small panels: fewer figures.
bool view_is_compact(const view_state *viewer, float width);

// What the panel shows at this moment: the machine with its parameters, or the time bar.
bool view_shows_machine(const view_state *viewer);
bool view_shows_bar(const view_state *viewer);

// The rows of the panel in a picture of that width, and where it stands, in pixels.
struct view_rows;
void view_list_figures(const view_state *viewer, float width, struct view_rows *rows);
view_rect view_figures_box(const view_state *viewer, float width, float height);
#define VIEW_BAR_HEIGHT 40.0f // of the time bar, in units of layout

// The part of a picture that no panel covers, in pixels: there the own camera shows its model.
view_rect view_free_region(const view_state *viewer, float width, float height);

// Adds the panel to the canvas and lays it out.
void view_draw_panel(view_state *viewer, float width, float height);
void view_draw_lists(view_state *viewer, float width, float height);

// The list of joints, and the joint that is hovered over or chosen in it: in the picture, with the
// weights of the vertices as heat. Where the mouse is changes it; both return whether it did.
void view_draw_hierarchy(view_state *viewer, float width, float height);
void view_draw_joint(view_state *viewer, float width, float height);
bool view_point_hierarchy(view_state *viewer, float x, float y);
bool view_press_hierarchy(view_state *viewer, float x, float y);
int32_t view_marked_joint(const view_state *viewer); // or -1
float view_hierarchy_left(const view_state *viewer, float width);

// The list of lights, with a slider each. Pressing returns whether it was on one.
void view_draw_lamps(view_state *viewer, float width, float height);
bool view_press_lamps(view_state *viewer, float x, float y);
void view_drag_lamp(view_state *viewer, float x);

// Shows a mesh or does not.
void view_toggle_mesh(view_state *viewer, uint32_t mesh);

// The list of files, or of clips, that is open over the picture. It takes keys and mouse first:
// these return false for what is not its own. Coordinates in pixels.
void view_open_browser(view_state *viewer, view_browser_kind kind);
void view_browse_folder(view_state *viewer, const char *folder); // opens it on that one
void view_draw_browser(view_state *viewer, float width, float height);
bool view_key_browser(view_state *viewer, int32_t code, bool repeated);
bool view_type_browser(view_state *viewer, const char *text);
bool view_point_browser(view_state *viewer, float x, float y);
bool view_press_browser(view_state *viewer, float x, float y);
bool view_wheel_browser(view_state *viewer, float steps);

// The panel of a machine, to the right of the picture: what its layers are doing, its parameters;
// and where it is.
void view_draw_machine(view_state *viewer, float width, float height);
view_rect view_machine_box(const view_state *viewer, float width, float height);

// Adds the names of the clips to a panel, those that play now lit; the rows of a machine's panel.
void view_add_machine_clips(const view_machine *machine, struct view_rows *rows);
void view_list_machine(const view_state *viewer, float width, struct view_rows *rows);

// Whether a press of the mouse was for a parameter; then a drag that began there moves its value.
bool view_press_machine(view_state *viewer, float x, float y);
void view_drag_machine(view_state *viewer, float x);

// A key that drives the machine (see view_is_driving()) is pressed or released.
void view_drive(view_state *viewer, const view_binding *binding, bool down);

// The target follows the mouse, at the character's distance from the eye.
void view_point_machine(view_state *viewer, float x, float y);

// Switches as the options say, and options that say what the window shows: what is set by one and
// described by the other is the same. view_begin() does the first.
void view_take_switches(view_state *viewer);
void view_describe(const view_state *viewer, view_options *options);

// Takes the camera of the last time, unless the command line says anything about it.
void view_restore_camera(view_state *viewer, const view_camera *camera);

// Opens what the command line names, or what is remembered if it names nothing, and lists the
// folder that it names.
bool view_open_first(view_state *viewer);

// Whether the next start is to show the model that is shown now: one alone, not a crowd.
bool view_remembers_model(const view_state *viewer);

// Writes the configuration file at the end of a window, if there is one.
void view_remember(view_state *viewer);

// Remakes the letters where the scale is another one.
bool view_set_scale(view_state *viewer, float scale);

// Tells at the bottom of the window for a few seconds.
void view_notice(view_state *viewer, const char *format, ...) COMMON_PRINTF(2, 3);

// What keys do depends on it.
view_mode view_mode_of(const view_state *viewer);

// What they do now, as the help lists it; returns the number of lines.
uint32_t view_current_keys(const view_state *viewer, view_key_line lines[VIEW_MAX_KEY_LINES]);

// Does what a key says; tells the state afterwards at the level "debug".
void view_perform(view_state *viewer, view_action action);
void view_tell_state(view_state *viewer, const char *action);

// Whether the picture changes by itself.
bool view_is_moving(const view_state *viewer);

#endif
