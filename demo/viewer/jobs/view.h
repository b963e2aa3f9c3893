// The viewer's state, in one struct that jobs and window share, and the drawing of it.
#ifndef DEMO_VIEWER_JOBS_VIEW_H
#define DEMO_VIEWER_JOBS_VIEW_H

#include "md5/md5model.h"
#include "render/md5gl.h"
#include "demo/common/file.h"
#include "demo/viewer/base/config.h"
#include "demo/viewer/base/quality.h"
#include "demo/viewer/draw/draw.h"
#include "demo/viewer/pages/picture.h"
#include "demo/viewer/draw/previews.h"
#include "demo/viewer/assets/library.h"
#include "demo/viewer/ui/panels.h"

typedef struct view_movie view_movie; // see output.h

// A movie of the window.
typedef struct view_recording {
    view_movie *movie; // NULL: none is recorded
    char *path;
    uint8_t *rgba; // [4 * width * height] the last picture
    uint32_t width, height, count;
} view_recording;

// What is shown beside the list of a game.
typedef struct view_shown_preview {
    char *wish;            // see view_wish_of(); NULL: no picture
    md5gl_texture texture; // of the renderer
} view_shown_preview;

// What the mouse drags if it is no part of the interface.
typedef enum view_camera_drag {
    VIEW_DRAG_NONE,
    VIEW_DRAG_ORBIT,
    VIEW_DRAG_PAN,
    VIEW_DRAG_ZOOM,
} view_camera_drag;

// A camera placed to show a document. It is placed again when the document changes, until the user
// moves it.
typedef struct view_framing {
    view_camera camera;
    float size;          // of the document
    float width, height; // of the region; 0: the camera was not placed by view_frame_again()
} view_framing;

typedef struct view_state {
    const view_options *options;
    view_log log;
    uint32_t width, height; // pixels of the picture
    md5gl_renderer *renderer;

    view_library *library;   // the game whose contents are listed, or NULL
    view_section section;    // the listed one
    view_scan *scan;         // opens another library, or NULL
    view_previews *previews; // of the library's contents, or NULL
    view_shown_preview preview;

    // The document and its camera.
    view_document *document; // empty before the first is opened
    view_play play;
    view_camera camera;  // the user's, where it is set
    view_camera seen;    // where it is drawn in a window, on its way there
    bool is_smooth;      // draw `seen`: time passes between pictures
    view_framing framed; // as last set by view_frame_*()
    bool following;      // the picture follows the camera path, which exists then
    view_shown shown;
    view_surface surface;
    view_onion onion;
    view_lights lights;
    view_environment environment; // of --environment
    view_parms parms;             // of materials
    uint64_t hidden_meshes;       // a bit for each of the first 64
    view_pick pick;               // the spot that was clicked on
    view_pick measured;           // another one, whose distance from it is shown

    view_pages pages; // an open page is shown instead of the document and the interface

    // The interface over it.
    view_ui ui;
    view_font font;
    view_canvas canvas;
    view_lines lines;
    double frame_seconds;                    // duration of the last frames, smoothed
    float frame_times[VIEW_NUM_FRAME_TIMES]; // seconds; the newest at num_frame_times - 1, going
                                             // round
    uint32_t num_frame_times;

    // What the picture that is drawn now leaves out, and the switches without that.
    view_economy economy;
    view_shown drawn_shown;

    // Of a contact sheet: the files of its cells, what opens one, and the one that is drawn.
    common_list cells;
    void (*open_cell)(struct view_state *viewer, uint32_t cell); // NULL: there is none
    uint32_t cell;

    // Only with a window.
    struct SDL_Window *window;
    void *context; // SDL_GLContext
    view_recording recording;
    view_quality quality;     // by the times of its frames
    view_config *config;      // NULL = none
    view_chosen_list *chosen; // textures of meshes; the caller's
    float text_scale;         // chosen by keys, on top of the screen's
    uint64_t files_stamp;     // of what is open, with --watch
    double next_watch;        // time of the next check of the files
    double now;               // seconds since the start
    double noted;             // when the state was last noted for the configuration
    view_camera_drag drag;
    float press_x, press_y; // where the mouse was pressed, pixels
    float press_travel;     // how far it moved since
    bool quit;
} view_state;

// -- Beginning and end ---------------------------------------------------------------------

// Sets up what needs no window: camera and clock, by the options. view_take_switches() of app/ sets
// the switches.
void view_begin(view_state *viewer, const view_options *options);

// Frees what view_begin() and drawing made, after the document was closed, in any state.
void view_end(view_state *viewer);

// Recreates the glyphs if the scale changed. Returns false, and logs why, if that fails.
bool view_set_scale(view_state *viewer, float scale);

// The contents of a picture of width * height pixels, and what the interface shows over it.
view_stage view_stage_of(view_state *viewer, float width, float height);

// The name of what is shown if it is of the listed game; to be freed; or NULL.
char *view_shown_name(const view_state *viewer);

// -- The user's camera ---------------------------------------------------------------------

// Sets the camera as the options specify, or so that it shows the clip.
void view_frame_anew(view_state *viewer);

// Frames everything, from the same direction, for a picture of that size: the free region, which
// shows a crowd from just in front of it.
void view_frame_again(view_state *viewer, uint32_t width, uint32_t height);

// Frames the pose at the current time instead of the whole clip, for a picture of it alone.
void view_frame_still(view_state *viewer);

// Continues with the user's camera from the current position of the camera path.
void view_leave_camera_path(view_state *viewer);

// Frames again if the free region has changed since, or if the contents would leave the picture or
// be too small in it; unless the user has set the camera's target or distance meanwhile.
void view_keep_framed(view_state *viewer, uint32_t width, uint32_t height);

// The camera of the current picture: the camera path, or the user's camera in the free region.
view_lens view_choose_lens(view_state *viewer, float width, float height);

// -- Smooth motion -------------------------------------------------------------------------

// Moves camera and lists of a window on for `seconds`, exponentially, so that the motion does not
// depend on the frame rate. Returns whether they are still on their way. Until the first call they
// are drawn where they are set.
bool view_follow(view_state *viewer, double seconds);

// Ends the motion where it leads: for another document, and for pictures.
void view_snap(view_state *viewer);

// -- Drawing -------------------------------------------------------------------------------

// Draws one frame into a target (NULL = the window). `transparent` omits the background and
// `clean` the interface.
bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               bool transparent, bool clean, md5_error *error);

// Draws what a window of viewer->width * height shows into a target of fewer pixels, without
// panels.
bool view_draw_small(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
                     md5_error *error);

// Draws panels over the picture that is in the window.
bool view_draw_interface(view_state *viewer, md5_error *error);

// -- Reports -------------------------------------------------------------------------------

// Shows a line at the bottom of the window for a few seconds.
void view_notice(view_state *viewer, const char *format, ...) COMMON_PRINTF(2, 3);

// Logs the state after an action at the level "debug".
void view_tell_state(view_state *viewer, const char *action);

#endif
