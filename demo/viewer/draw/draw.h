// One picture of the world: background, ground, model, crowd, lines.
#ifndef DEMO_VIEWER_DRAW_DRAW_H
#define DEMO_VIEWER_DRAW_DRAW_H

#include "demo/viewer/assets/panorama.h"
#include "demo/viewer/base/canvas.h"
#include "demo/viewer/base/font.h"
#include "demo/viewer/base/quality.h"
#include "demo/viewer/base/shown.h"
#include "demo/viewer/crowd/document.h"
#include "demo/viewer/draw/camera.h"
#include "demo/viewer/draw/overlay.h"

enum { VIEW_NUM_FRAME_TIMES = 120 };

struct view_ui;
struct view_pages;

// What one picture shows. The caller owns everything and builds a stage for each picture and each
// event of the mouse. Drawing skins the scene, updates its crowd and fills canvas and lines; the
// interface changes time, lights and parameters when the mouse does.
typedef struct view_stage {
    const view_options *options;
    md5gl_renderer *renderer;
    view_log *log;
    view_document *document;
    float width, height; // of the picture, pixels
    view_rect region;    // of the picture, centred on the camera's target
    view_play *play;
    const view_camera *camera;
    bool following; // use the document's camera path instead of `camera`
    const view_shown *shown;
    view_surface surface;
    view_onion onion;
    uint64_t hidden_meshes;    // a bit for each of the first 64
    int32_t joint;             // that is marked, or -1
    const view_pick *pick;     // the spot of the body that was clicked on
    const view_pick *measured; // the one to which the distance is shown
    view_lights *lights;
    const view_environment *environment; // of --environment
    view_parms *parms;
    const view_font *font;
    view_canvas *canvas; // memory for text and shapes
    view_lines *lines;   // memory for lines

    // For the panels.
    double now;               // seconds since the start
    double frame_seconds;     // that the last frames took, smoothed
    const float *frame_times; // [VIEW_NUM_FRAME_TIMES] seconds; frame i at i % VIEW_NUM_FRAME_TIMES
    uint32_t num_frame_times; // frames so far
    view_economy economy;     // what this picture leaves out
    md5gl_texture preview;    // of the chosen entry of a game's list, or 0
    float caption;            // height of a line of text below the picture, pixels

    // An open page has a panel of its own in place of all others; or NULL.
    struct view_pages *pages;
    void (*page_panel)(struct view_ui *ui, const struct view_stage *stage);
} view_stage;

// == Drawing (draw.c) ======================================================================

// The lens for a picture of width * height pixels: that of the camera, which follows the character,
// or of the camera path: camera.c.
view_lens view_stage_lens(const view_stage *stage, float width, float height);

// Begins a frame into `target` (NULL = the window) and draws everything but text. Pose the document
// first. `transparent` leaves out the background and the ground. Returns false and fills `error` on
// failure. The caller ends the frame with md5gl_end_frame() in both cases.
bool view_draw_world(const view_stage *stage, md5gl_target *target, uint32_t width, uint32_t height,
                     bool transparent, md5_error *error);

// Draws the gradient behind a picture, with the stage's canvas.
void view_draw_background(const view_stage *stage, float width, float height);

// Draws the lines of what is switched on, of a picture of that aspect: overlay.c.
void view_draw_overlays(const view_stage *stage, float aspect);

// Draws the marked joint with its weights, and what was clicked on, into the picture: overlay.c.
void view_draw_marks(const view_stage *stage);

// Draws the canvas over the frame.
void view_draw_canvas(const view_stage *stage);

// == Bodies: what is drawn of models in one picture =========================================

typedef enum view_body_use {
    VIEW_BODY_CASTS = 1,  // a shadow
    VIEW_BODY_SHOWN = 2,  // lit
    VIEW_BODY_STAGED = 4, // with what else its materials draw
} view_body_use;

typedef struct view_body {
    unsigned uses;
    const view_textures *textures;
    const md5gl_model *drawn;
    md5gl_impostors *impostors; // instead of a model, or NULL
} view_body;

enum { VIEW_MAX_BODIES = VIEW_MAX_KINDS * VIEW_MAX_LEVELS + VIEW_NUM_COMPANIONS };

typedef struct view_bodies {
    view_body bodies[VIEW_MAX_BODIES];
    uint32_t count;
} view_bodies;

// == Lights, materials and surfaces (lighting.c) ===========================================

// Sets the frame's lights and shadow casters for a view along `axes`. Pose the scene first. The
// frame keeps a pointer to `points`.
enum { VIEW_NUM_POINTS = 2 };
void view_set_lights(const view_stage *stage, view_axes axes,
                     md5gl_point_light points[VIEW_NUM_POINTS], md5gl_frame *frame);

// The value of a row of parameters but that of time: if it is as usual, that of the entity's key.
float view_parm_of(const view_stage *stage, int row);

// Sets the material of each mesh: its maps, or the checker if that is shown. Evaluates its stages
// at the time of playback.
void view_set_materials(const view_stage *stage, const view_textures *textures, md5gl_model *drawn);

// == Onion skin: ghosts of earlier and later frames of the clip ============================

typedef struct view_ghost {
    md5_moment moment;
    md5_vec4 tint; // see md5gl_instances: blue for earlier frames, orange for later ones
} view_ghost;

// Finds the ghosts of the current time, the nearest first; returns how many. A clip that plays once
// has none before its first and after its last frame.
uint32_t view_find_ghosts(const view_onion *onion, const view_play *play, const md5_anim *anim,
                          view_ghost ghosts[2 * VIEW_MAX_ONION]);

#endif
