// One picture of the world: background, ground, model, crowd, lines.
#ifndef DEMO_VIEWER_DRAW_DRAW_H
#define DEMO_VIEWER_DRAW_DRAW_H

#include "demo/viewer/base/layout.h"
#include "demo/viewer/base/quality.h"
#include "demo/viewer/crowd/document.h"
#include "demo/viewer/platform/platform.h"

// == The camera, what it sees, and where it shows a document (camera.c) ===================

// Half the picture's height over the distance: tan(15 degrees), a vertical field of view of 30
// degrees, with as little distortion as a portrait lens.
#define VIEW_HALF_HEIGHT 0.26794919f

// A three-quarter view from the front and slightly above.
#define VIEW_DEFAULT_CAMERA \
    ((view_camera){.azimuth = 30, .elevation = 12, .distance = 100, .scene_radius = 50})

// The lens of a camera for a picture of width * height pixels, so that what the camera sees fills a
// region of it.
view_lens view_region_lens(const view_camera *camera, view_rect region, float width, float height);

// Half the height of the view at a position's depth, in units; 0 behind the camera.
float view_half_height_at(const view_lens *lens, md5_vec3 place);

void view_lens_matrices(const view_lens *lens, md5_mat44 *view_from_world,
                        md5_mat44 *clip_from_view);

// Moves target and distance so that the whole shape is visible; keeps the direction.
void view_frame_all(view_camera *camera, md5_bounds bounds, const view_hull *hull, float width,
                    float height);

// The distance at which the whole shape is visible, in `filled` of the picture's width and height.
float view_fitting_distance(const view_camera *camera, const view_hull *hull, float filled,
                            float width, float height);

// Comes near to a mesh in the pose, or to all that have the material of mesh `material`. Returns
// false if both are -1.
bool view_frame_meshes(view_camera *camera, view_scene *scene, const view_play *play, int32_t mesh,
                       int32_t material);

// Moves `seen` by a share of its way to `camera`, 0 to 1, the shorter way around. What is not a
// distance is taken over. Returns whether it is still on its way; it arrives exactly.
bool view_follow_camera(view_camera *seen, const view_camera *camera, float share);

// Mouse motion: `right` and `down` in pixels of a picture of `height` pixels.
void view_pan(view_camera *camera, float right, float down, float height);

// Moves nearer by `factor` (> 1) and keeps the point under pixel (x, y), counted from the picture's
// centre, where it is.
void view_zoom(view_camera *camera, float factor, float x, float y, float height);

// The lens of the document's camera path at the time of `play`.
view_lens view_path_lens(const view_document *document, const view_play *play,
                         const view_camera *camera, float width, float height);

// == Lines over the model (overlay.c) =====================================================

// A growing list of lines; keeps its memory between frames.
typedef struct view_lines {
    md5gl_line_vertex *vertices;
    uint32_t count;
    uint32_t room;
} view_lines;

// Draws them and empties the list. `on_top`: through the model.
void view_draw_lines(view_lines *lines, md5gl_renderer *renderer, float width, bool on_top);
void view_free_lines(view_lines *lines);

// `color` is 0xRRGGBBAA.
void view_add_line(view_lines *lines, md5_vec3 from, md5_vec3 to, uint32_t color);

// A cross along the axes, whose arms are `size` long.
void view_add_cross(view_lines *lines, md5_vec3 place, float size, uint32_t color);

// == Picking ===============================================================================
//
// What a click on the body hits: mesh, triangle, vertex and joint.

// Indices into the model, so that it stays on the same spot of the skin in every pose.
typedef struct view_pick {
    bool is_set;
    uint32_t mesh;
    uint32_t triangle;
    uint32_t vertex;  // of the triangle: the one nearest to the spot
    int32_t joint;    // that moves the spot most, or -1
    float weights[3]; // barycentric coordinates of the spot in the triangle
} view_pick;

// The ray from the eye through pixel (x, y) of a picture of width * height, from the top left.
md5_ray view_lens_ray(const view_lens *lens, float x, float y, float width, float height);

// Finds what the ray hits first in the current pose, unless its bit in `hidden` is set: the outside
// of a triangle, or only if there is none, an inside. Skins the scene. Not set if nothing is hit.
view_pick view_find_pick(view_scene *scene, uint64_t hidden, const md5_ray *ray);

// The spot in the pose that was skinned last.
md5_vec3 view_pick_point(const view_scene *scene, const view_pick *pick);

// == What one picture shows ===============================================================

enum { VIEW_NUM_FRAME_TIMES = 120 };

struct view_ui;
struct view_pages;
struct view_retargeting;

// What one picture shows. The caller owns everything and builds a stage for each picture and each
// event of the mouse. Drawing skins the scene, updates its crowd and fills canvas and lines; the
// interface changes time, lights and parameters when the mouse does.
// A stick on the screen, below a finger: it is heard as a gamepad's.
typedef struct view_stick {
    float x, y, reach; // its middle, and from there to its end, pixels; 0: there is none
    view_pad pad;      // as which it is heard: how far it is pushed
} view_stick;

// Whether a mesh is among the hidden ones: a bit for each of the first 64.
static inline bool view_is_hidden(uint64_t hidden, uint32_t mesh)
{
    return mesh < 64 && (hidden >> mesh & 1) != 0;
}

// What was shown, and the first option that the step has changed, or NULL.
typedef struct view_step {
    char *label, *lines; // see view_write_settings()
    const view_option *row;
    view_turn turn;
} view_step;

typedef struct view_stage {
    const view_step *steps; // [num_steps] that can be undone
    size_t num_steps, step; // step: what is shown
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
    uint64_t hidden_meshes;    // a bit for each of the first 64
    int32_t joint;             // that is marked, or -1
    const view_pick *pick;     // the spot of the body that was clicked on
    const view_pick *measured; // the one to which the distance is shown
    int32_t measured_from;     // the joint from which it is shown to the marked one, or -1
    const view_pick *lit;      // a vertex that is pointed at in a list
    int32_t material;          // that is selected: the first mesh that has it, or -1
    int32_t lit_mesh;          // whose edges are lit, or -1
    view_lights *lights;
    const view_environment *environment; // of --environment
    view_parms *parms;
    struct view_retargeting *retargeting; // or NULL
    const view_font *font;
    view_canvas *canvas; // memory for text and shapes
    view_lines *lines;   // memory for lines

    // For the panels.
    const struct view_config *config; // or NULL
    bool is_driving;                  // keys go to what moves the model
    bool is_touched;                  // by fingers, when it was last pressed
    const view_stick *stick;          // that is held
    view_docks docks;
    double now;               // seconds since the start
    bool is_moving;           // picture after picture is drawn
    const float *frame_times; // [VIEW_NUM_FRAME_TIMES] seconds; frame i at i % VIEW_NUM_FRAME_TIMES
    uint32_t num_frame_times; // frames so far
    view_economy economy;     // what this picture leaves out
    float caption;            // height of a line of text below the picture, pixels

    double recorded; // seconds of the movie of the window; below 0: there is none
    bool is_start;   // the start page is open
    bool plays;      // the first minute plays, by its own camera and without panels
    bool is_bare;    // nothing but the background: a list covers the start page

    // An open page, which has a panel in place of all others; or NULL.
    struct view_pages *pages;
    void (*page_panel)(struct view_ui *ui, const struct view_stage *stage);
} view_stage;

// == Drawing (draw.c) ======================================================================

// The lens of the picture: that of the camera, which follows the character, or of the camera path:
// camera.c.
view_lens view_stage_lens(const view_stage *stage);

// Begins a frame into `target` (NULL = the window) and draws everything but text. Pose the document
// first. `transparent` leaves out the background and the ground. Returns false and fills `error` on
// failure. The caller ends the frame with md5gl_end_frame() in both cases.
bool view_draw_world(const view_stage *stage, md5gl_target *target, bool transparent,
                     md5_error *error);

// Draws what is behind a picture, with the stage's canvas: the sky of a place down to the horizon
// of a lens, or with NULL the gradient of a studio.
void view_draw_background(const view_stage *stage, const view_lens *lens);

// Adds the lines of what is switched on, drawn on top or not: overlay.c.
void view_add_overlays(const view_stage *stage, bool on_top);

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
    const view_textures *textures; // that its materials are set to; NULL: they are
    md5gl_model *drawn;
    md5gl_instances instances;
    md5gl_impostors *impostors;     // instead of a model, or NULL
    const md5gl_impostor *pictured; // [instances.count] of them
} view_body;

enum { VIEW_MAX_BODIES = VIEW_MAX_KINDS * VIEW_MAX_LEVELS + VIEW_NUM_COMPANIONS + 3 };

typedef struct view_bodies {
    view_body bodies[VIEW_MAX_BODIES];
    uint32_t count;
} view_bodies;

// Poses all bodies, and draws their shadows and then themselves in a style. Returns false and fills
// `error` on failure.
bool view_draw_bodies(const view_stage *stage, const view_bodies *bodies, uint32_t style,
                      md5_error *error);

// == The model that is retargeted ==========================================================

// What moves the companion that is retargeted, as the options say.
typedef struct view_retargeting {
    char *key;           // what it was made for; NULL: nothing
    convert_pair *pairs; // [joints of the companion] who moves each
    // The shown clip, as it is saved for the companion; NULL: its pose is transferred alone.
    md5_anim *anim;
    md5_binding *binding;
} view_retargeting;

void view_clear_retargeting(view_retargeting *retargeting);

// What carries a clip of the scene over to that companion. Adds its inputs, files or names in the
// game, to an empty list that the job refers to.
convert_job view_retarget_job(const view_options *options, const view_scene *scene,
                              const char *clip, common_list *inputs);

// == Lights, materials and surfaces ========================================================

// Returns the frame of a picture through a lens: its background, lights and shadow casters. Pose
// the scene first. The frame keeps a pointer to `points`.
enum { VIEW_NUM_STUDIO_POINTS = 2, VIEW_NUM_POINTS }; // and a fire
md5gl_frame view_light_frame(const view_stage *stage, const view_lens *lens, md5gl_target *target,
                             bool transparent, md5gl_point_light points[VIEW_NUM_POINTS]);

// The value of a row of parameters but that of time: if it is as usual, that of the machine's curve
// of its name, such as parm7, or else of the entity's key.
float view_parm_of(const view_stage *stage, int row);

// Sets the material of each mesh: its maps, or the checker if that is shown. Evaluates its stages
// at the time of playback.
void view_set_materials(const view_stage *stage, const view_textures *textures, md5gl_model *drawn);

#endif
