// The viewer: everything that is on the screen, in one struct that is passed along.
#ifndef DEMO_VIEWER_APP_VIEW_H
#define DEMO_VIEWER_APP_VIEW_H

#include "md5/md5model.h"
#include "render/md5gl.h"
#include "demo/viewer/ui/browser.h"
#include "demo/viewer/draw/camera.h"
#include "demo/viewer/base/canvas.h"
#include "demo/viewer/scene/companion.h"
#include "demo/viewer/base/config.h"
#include "demo/viewer/scene/crowd.h"
#include "demo/viewer/base/font.h"
#include "demo/viewer/base/keys.h"
#include "demo/viewer/scene/lamps.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/base/options.h"
#include "demo/viewer/draw/overlay.h"
#include "demo/viewer/scene/play.h"
#include "demo/viewer/scene/scene.h"
#include "demo/viewer/scene/textures.h"

// What is drawn besides the model, switched by keys and options.
typedef struct view_shown {
    bool grid, axes, edges, normals, skeleton, bounds;
    bool untextured, checker, maps, two_sided;
    bool classic, shadows;
    bool panel, statistics, frame_time, hierarchy, lamps, help;
} view_shown;

enum { VIEW_NUM_FRAME_TIMES = 120 };

// Another body, and a thing that is held.
enum { VIEW_NUM_COMPANIONS = 2 };

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

    view_scene scene;
    md5gl_model *drawn; // the scene's model on the GPU, or NULL
    view_textures textures;
    md5_bounds bounds; // of the whole clip
    view_hull hull;    // likewise
    float ground;      // height of the grid
    bool as_asked;     // it is what the command line names, with the textures that it names

    view_companion companions[VIEW_NUM_COMPANIONS];
    view_crowd crowd; // shown instead of the one, where there is one
    view_play play;
    view_camera camera; // the own one
    bool flying;        // the picture is taken from the flight instead; there is one then
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

// A model on the GPU, drawn by the path that is asked for; where that cannot be had, a warning says
// why, and another is taken, but not to verify it. NULL, told, if there is none.
md5gl_model *view_create_model(view_state *viewer, const md5_model *model);

// Puts the model of a scene on the GPU, with its textures: those that the command line names, if it
// is `as_asked`. Does nothing without a renderer.
bool view_upload(view_state *viewer, const view_scene *scene, bool as_asked, md5gl_model **drawn,
                 view_textures *textures);

// Frees what view_open() made.
void view_close(view_state *viewer);

bool view_reload(view_state *viewer);

// The next (+1) or previous (-1) file of the kind in the same folder.
void view_open_neighbour(view_state *viewer, int step);

// Shows another clip, from its beginning.
void view_change_clip(view_state *viewer, size_t clip);

// Sets the camera as the options say, or as it suits the clip.
void view_frame_anew(view_state *viewer);

// The same camera, for a picture of another shape.
void view_frame_for(view_state *viewer, uint32_t width, uint32_t height);

// Goes on with the own camera from where the flight is.
void view_leave_flight(view_state *viewer);

// How far the character has walked, where it does as in id's engine: the own camera goes along, or
// it would soon be out of sight.
md5_vec3 view_walked(const view_state *viewer);

// Measures the clip anew, after the root mode or the clip changed.
void view_measure(view_state *viewer);

// Draws one frame into a target (NULL = the window). `transparent` leaves out the background and
// `clean` the text.
bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               bool transparent, bool clean, md5_error *error);

// Says how each mesh is to look: its maps, or what is shown in their place.
void view_set_materials(const view_state *viewer, const view_textures *textures,
                        md5gl_model *drawn);

// Sets lights, and what casts shadows, for a picture that is seen along `axes`. Needs the pose of
// the moment. The frame refers to `points`.
enum { VIEW_NUM_POINTS = 2 };
void view_set_lights(const view_state *viewer, view_axes axes,
                     md5gl_point_light points[VIEW_NUM_POINTS], md5gl_frame *frame);

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

// The list of lights, with a slider each. Pressing returns whether it was on one.
void view_draw_lamps(view_state *viewer, float width, float height);
bool view_press_lamps(view_state *viewer, float x, float y);
void view_drag_lamp(view_state *viewer, float x);

// Shows a mesh or does not.
void view_toggle_mesh(view_state *viewer, uint32_t mesh);
void view_apply_hidden(view_state *viewer);

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

// A window takes from what is remembered, and gives back to it.
void view_restore_camera(view_state *viewer, const view_camera *camera);
void view_remember(view_state *viewer);

// Remakes the letters where the scale is another one.
bool view_set_scale(view_state *viewer, float scale);

// Tells at the bottom of the window for a few seconds.
void view_notice(view_state *viewer, const char *format, ...) COMMON_PRINTF(2, 3);

// Does what a key says; tells the state afterwards at the level "debug".
void view_perform(view_state *viewer, view_action action);
void view_tell_state(view_state *viewer, const char *action);

// Whether the picture changes by itself.
bool view_is_moving(const view_state *viewer);

#endif
