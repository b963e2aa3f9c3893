// The interface over the picture: panels, lists and the time bar.
//
// `view_ui` is the interface's own state; `view_facts` is what it shows, read only. Input functions
// return a view_request: the interface never changes what it shows.
#ifndef DEMO_VIEWER_UI_UI_H
#define DEMO_VIEWER_UI_UI_H

#include "demo/viewer/base/quality.h"
#include "demo/viewer/draw/pick.h"
#include "demo/viewer/draw/stage.h"
#include "demo/viewer/ui/browser.h"
#include "demo/viewer/ui/request.h"

// -- State of the interface ----------------------------------------------------------------

// What the mouse drags: the camera, or from VIEW_DRAG_TIME on a part of the interface.
typedef enum view_drag_kind {
    VIEW_DRAG_NONE,
    VIEW_DRAG_ORBIT,
    VIEW_DRAG_PAN,
    VIEW_DRAG_ZOOM,
    VIEW_DRAG_TIME,
    VIEW_DRAG_PARAMETER,
    VIEW_DRAG_LIGHT,
    VIEW_DRAG_PARM,
} view_drag_kind;

// A row of the panel that can be clicked on.
typedef enum view_hit_kind {
    VIEW_HIT_FILES,   // the model's name: opens the list
    VIEW_HIT_CLIPS,   // the clip's: likewise
    VIEW_HIT_MESH,    // of that number: shown or not
    VIEW_HIT_TEXTURE, // of mesh of that number: opens the list
} view_hit_kind;

typedef struct view_hit {
    view_rect rect;
    view_hit_kind kind;
    uint32_t mesh;
} view_hit;

enum { VIEW_MAX_HITS = 64 };

// A node of the state graph.
typedef struct view_state_hit {
    view_rect rect;
    uint32_t layer, state;
} view_state_hit;

enum { VIEW_MAX_STATE_HITS = 96 };

// Rectangles of the last drawn parts of the interface, in pixels; empty = not drawn.
typedef struct view_layout {
    view_hit hits[VIEW_MAX_HITS];
    uint32_t num_hits;
    view_rect error;
    view_rect bar;   // of time, with what surrounds it
    view_rect track; // its line, from the first frame to the last
    view_rect hierarchy;
    view_rect joints;                     // its rows, within
    view_rect parameters;                 // of a machine: rows of equal height
    float slider_left;                    // of its sliders
    view_rect lights;                     // likewise
    view_rect parms;                      // of materials, likewise
    view_rect channels[MD5_NUM_CHANNELS]; // rows of an entity's channels
    float channel_label;                  // width of the name in such a row
    view_rect surface;                    // the panel of what the body shows
    view_rect graph;                      // of states, with its nodes
    view_state_hit states[VIEW_MAX_STATE_HITS];
    uint32_t num_states;
} view_layout;

typedef struct view_ui {
    view_layout layout;
    view_browser browser;
    view_drag_kind drag;
    uint32_t dragged_parameter;
    view_light dragged_light;
    int dragged_parm;
    float dragged_high;     // the upper end of its slider, which stays while it is dragged
    float hierarchy_scroll; // pixels
    float shown_scroll;     // on its way there, if it moves smoothly
    bool is_smooth;         // after view_follow_lists()
    int32_t hovered_joint;  // in the list, -1 = none
    int32_t chosen_joint;   // that was clicked on, likewise
    char notice[256];       // shown at the bottom until notice_end, in seconds since the start
    double notice_end;
} view_ui;

// Sets up an interface with nothing open and nothing chosen; view_end_ui() frees what it holds.
void view_begin_ui(view_ui *ui);
void view_end_ui(view_ui *ui);

// -- Facts ----------------------------------------------------------------------------------

enum { VIEW_NUM_FRAME_TIMES = 120 };

// Filled for each picture and each event. All pointers belong to the caller. Drawing fills the
// stage's canvas and lines, and skins the scene for the marked joint; nothing else is written.
typedef struct view_facts {
    view_stage stage;
    float width, height;       // of the picture, in pixels
    const view_pick *pick;     // the spot of the body that was clicked on
    const view_pick *measured; // the one to which the distance is shown
    double now;                // seconds since the start
    double frame_seconds;      // that the last frames took, smoothed
    const float *frame_times; // [VIEW_NUM_FRAME_TIMES] seconds; frame i at i % VIEW_NUM_FRAME_TIMES
    uint32_t num_frame_times; // frames so far
    view_economy economy;     // what this picture leaves out
    md5gl_texture preview;    // of the chosen entry of a game's list, or 0
    float caption;            // height of a line of text below the picture, pixels
} view_facts;

// The part of the picture that no panel covers, in pixels: there the user's camera shows the model.
// Does not read facts->stage.region, which is computed from it.
view_rect view_free_region(const view_facts *facts);

// The keys of the mode that the document is in, as the help lists them; returns the number of
// lines.
uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES]);

// The joint that is hovered over or chosen, or -1.
int32_t view_marked_joint(const view_ui *ui, const view_scene *scene);

// -- Drawing --------------------------------------------------------------------------------

// Draws the marked joint with its weights, and the triangle that was clicked on, into the picture,
// before the panels.
void view_draw_marks(const view_ui *ui, const view_facts *facts);

// Adds panels, if they are shown, and open lists to the stage's canvas, and lays them out for the
// mouse.
void view_draw_ui(view_ui *ui, const view_facts *facts);

// -- Input ----------------------------------------------------------------------------------

// The left button is pressed at (x, y), in pixels. Sets ui->drag if a part of the interface is held
// from now on.
view_request view_press_ui(view_ui *ui, const view_facts *facts, float x, float y);

// Whether the panel of figures is at (x, y): a click beside its rows is not meant for the body
// behind it.
bool view_is_on_figures(const view_facts *facts, float x, float y);

// The mouse moves to x while ui->drag is a part of the interface.
view_request view_drag_ui(const view_ui *ui, const view_facts *facts, float x);

// The mouse moves with no button held. Returns whether that changes the picture.
bool view_point_ui(view_ui *ui, const view_facts *facts, float x, float y);

// Moves lists by a share of their way, 0 to 1; `line` is the height of a row. Returns whether they
// are still on their way. Before the first call they are drawn where they are.
bool view_follow_lists(view_ui *ui, float line, float share);

// The wheel turns by `steps` while the mouse is at (x, y).
view_request view_wheel_ui(view_ui *ui, const view_facts *facts, float x, float y, float steps);

#endif
