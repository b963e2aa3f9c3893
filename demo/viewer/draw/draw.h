// Draws one image of the world: background, ground, model, crowd and lines. A `view_stage` contains
// everything that an image depends on.
#ifndef DEMO_VIEWER_DRAW_DRAW_H
#define DEMO_VIEWER_DRAW_DRAW_H

#include "demo/viewer/base/layout.h"
#include "demo/viewer/base/quality.h"
#include "demo/viewer/crowd/document.h"
#include "demo/viewer/platform/platform.h"

// == Camera (camera.c) ====================================================================

// Half of the image's height at distance 1: tan(15 degrees). The vertical field of view is 30
// degrees, which distorts as little as a portrait lens.
#define VIEW_HALF_HEIGHT 0.26794919f

// A three-quarter view from the front and slightly above.
#define VIEW_DEFAULT_CAMERA \
    ((view_camera){.azimuth = 30, .elevation = 12, .distance = 100, .scene_radius = 50})

// Returns the lens of a camera for an image of width * height pixels. The view of the camera fills
// `region`, a part of the image.
view_lens view_region_lens(const view_camera *camera, view_rect region, float width, float height);

// Returns half of the visible height at the depth of a position, units; 0 if it is behind the
// camera.
float view_half_height_at(const view_lens *lens, md5_vec3 position);

void view_lens_matrices(const view_lens *lens, md5_mat44 *view_from_world,
                        md5_mat44 *clip_from_view);

// Moves the target and the distance of the camera so that the whole shape is visible. The direction
// remains unchanged.
void view_frame_all(view_camera *camera, md5_bounds bounds, const view_hull *hull, float width,
                    float height);

// Returns the distance at which the whole shape is visible in the fraction `filled` of the image's
// width and height.
float view_fitting_distance(const view_camera *camera, const view_hull *hull, float filled,
                            float width, float height);

// Moves the camera near to mesh `mesh` in the current pose. If `material` is not -1, moves it near
// to all meshes with the material of mesh `material` instead. Returns false if both are -1.
bool view_frame_meshes(view_camera *camera, view_scene *scene, const view_play *play, int32_t mesh,
                       int32_t material);

// Moves the camera `drawn` towards `camera` by a fraction of the difference, 0 to 1. Angles take
// the shorter path. Values that cannot be interpolated are copied. Returns true until `drawn` is
// equal to `camera`.
bool view_follow_camera(view_camera *drawn, const view_camera *camera, float fraction);

// Moves the camera parallel to the image: `right` and `down` in pixels of an image of `height`
// pixels.
void view_pan(view_camera *camera, float right, float down, float height);

// Divides the distance from the camera to the target by `factor`. Pixel (x, y) is relative to the
// center of the image. The point that it shows remains at the same pixel.
void view_zoom(view_camera *camera, float factor, float x, float y, float height);

// Returns the lens of the document's camera path at the time of `play`.
view_lens view_path_lens(const view_document *document, const view_play *play,
                         const view_camera *camera, float width, float height);

// == Lines over the model (overlay.c) =====================================================

// A list of lines that grows; its memory is reused in each frame.
typedef struct view_lines {
    md5gl_line_vertex *vertices;
    uint32_t count;
    uint32_t capacity;
} view_lines;

// Draws the lines and empties the list. `on_top`: visible through the model.
void view_draw_lines(view_lines *lines, md5gl_renderer *renderer, float width, bool on_top);
void view_free_lines(view_lines *lines);

// Adds a line between two points in world space. `color` is 0xRRGGBBAA.
void view_add_line(view_lines *lines, md5_vec3 from, md5_vec3 to, uint32_t color);

// Adds a cross along the axes, whose arms have the length `size`.
void view_add_cross(view_lines *lines, md5_vec3 position, float size, uint32_t color);

// == Picking ===============================================================================
//
// Finds the mesh, triangle, vertex and joint of a clicked point of the body.

// A point of the skin, stored as indices into the model. It therefore moves with the skin in every
// pose.
typedef struct view_pick {
    bool is_set;
    uint32_t mesh;
    uint32_t triangle;
    uint32_t vertex;  // vertex of the triangle that is nearest to the point
    int32_t joint;    // joint with the largest influence on the point, or -1
    float weights[3]; // barycentric coordinates of the point in the triangle
} view_pick;

// The objects that the user has selected, clicked or highlighted. An index is -1 if there is no
// such object. At most one of `joint`, `mesh` and `material` is selected.
typedef struct view_selection {
    int32_t joint;
    int32_t mesh;
    int32_t material;      // first mesh with the selected material
    view_pick pick;        // clicked point of the body
    int32_t hovered_joint; // joint under the mouse in a list

    // Measured distances: between two joints, or between two points of the body.
    int32_t measured_from; // joint from which the distance to the marked joint is measured
    view_pick measured;    // point to which the distance from `pick` is measured

    double highlight_end;        // end of the highlight of `mesh`, seconds since the start
    view_pick highlighted_point; // vertex of the row under the mouse, or of a problem
    bool keeps_highlight;        // highlighted_point remains highlighted until the next press
} view_selection;

#define VIEW_NO_SELECTION \
    ((view_selection){    \
        .joint = -1, .mesh = -1, .material = -1, .hovered_joint = -1, .measured_from = -1})

// Returns the ray from the eye through pixel (x, y) of an image of width * height pixels, counted
// from its upper left corner.
md5_ray view_lens_ray(const view_lens *lens, float x, float y, float width, float height);

// Finds the first point of the body that a ray hits in the current pose, for which it skins the
// scene. Ignores the meshes whose bits in `hidden` are set. Back faces are hit only if the ray hits
// no front face. If nothing is hit, `is_set` of the result is false.
view_pick view_find_pick(view_scene *scene, uint64_t hidden, const md5_ray *ray);

// Returns the position of the point in the pose that was skinned last.
md5_vec3 view_pick_point(const view_scene *scene, const view_pick *pick);

// == The stage ============================================================================

enum { VIEW_NUM_FRAME_TIMES = 120 };

struct view_ui;
struct view_pages;
struct view_retargeting;

// The on-screen stick for fingers. It acts as the stick of a gamepad.
typedef struct view_stick {
    float x;      // center, pixels
    float y;      // center, pixels
    float reach;  // distance from the center to the end, pixels; 0: there is no stick
    view_pad pad; // deflection, as for a gamepad
} view_stick;

// Returns true if a mesh is hidden. `hidden` has one bit for each of the first 64 meshes.
static inline bool view_is_hidden(uint64_t hidden, uint32_t mesh)
{
    return mesh < 64 && (hidden >> mesh & 1) != 0;
}

// A step of the undo history.
typedef struct view_step {
    char *label;
    view_options options;   // copies of the options that can be undone
    size_t num_text_bytes;  // size of the texts in `options`
    const view_option *row; // first option that the step has changed, or NULL
    view_rotation rotation;
} view_step;

// A stage: everything that an image depends on. The caller owns all objects, and creates a stage
// for each image and each event of the mouse. Drawing skins the scene, updates its crowd, and fills
// the canvas and the lines. Panels may change the time, the lights and the parameters when they
// handle an event.
typedef struct view_stage {
    const view_step *steps; // [num_steps] undo history
    size_t num_steps;
    size_t step; // index of the current step
    const view_options *options;
    md5gl_renderer *renderer;
    view_log *log;
    view_document *document;
    float width;      // width of the image, pixels
    float height;     // height of the image, pixels
    view_rect region; // part of the image that is centered on the camera's target
    view_play *play;
    const view_camera *camera;
    bool following; // use the document's camera path instead of `camera`
    const view_shown *shown;
    uint64_t hidden_meshes;          // one bit for each of the first 64 meshes
    int32_t joint;                   // marked joint, or -1
    int32_t highlighted_mesh;        // mesh whose edges are highlighted, or -1
    const view_selection *selection; // NULL in an image without an interface
    view_lights *lights;
    const view_environment *environment; // environment of --environment
    view_parms *parms;
    struct view_retargeting *retargeting; // or NULL
    const view_font *font;
    view_canvas *canvas; // memory for text and shapes
    view_lines *lines;   // memory for lines

    // Only for panels:
    const struct view_config *config; // or NULL
    bool is_driving;                  // keys control a character
    bool is_touched;                  // the last press was by a finger
    const view_stick *stick;          // the stick that is dragged
    view_docks docks;
    double uptime;            // seconds since the start
    bool is_moving;           // the image changes in every frame
    const float *frame_times; // [VIEW_NUM_FRAME_TIMES] seconds; frame i at i % VIEW_NUM_FRAME_TIMES
    uint32_t num_frame_times; // frames so far
    view_quality_level quality_level; // quality reductions of this image
    float caption;                    // height of a line of text below the image, pixels

    double recorded; // length of the current recording, seconds; negative: no recording
    bool is_start;   // the start page is open
    bool plays_demo; // the demo scene is playing, with its own camera and without panels
    bool is_bare;    // only the background is drawn, because a list covers the start page

    // An open lesson, whose panel replaces all other panels, or NULL.
    struct view_pages *pages;
    bool lists_pages; // the list of lessons is shown, not a lesson
    void (*page_panel)(struct view_ui *ui, const struct view_stage *stage);
} view_stage;

// == Drawing (draw.c) ======================================================================

// Parts of a frame that an image can omit.
enum {
    VIEW_OMIT_NOTHING = 0,
    VIEW_OMIT_BACKGROUND = 1, // and the ground; the image is transparent
    VIEW_OMIT_INTERFACE = 2,  // panels and marks
};

// Returns the lens of the image: of the camera, which follows the character, or of the camera path
// (camera.c).
view_lens view_stage_lens(const view_stage *stage);

// Begins a frame in `target` (NULL: the window) and draws everything except text. The document must
// be posed. With `transparent`, the background and the ground are omitted. Returns false and fills
// `error` on failure. The caller ends the frame with md5gl_end_frame() in both cases.
bool view_draw_world(const view_stage *stage, md5gl_target *target, bool transparent,
                     md5_error *error);

// Draws the background (background.c) with the stage's canvas. With a lens, this is a sky down to
// the horizon of the lens. If `lens` is NULL, it is the gradient of a studio.
void view_draw_background(const view_stage *stage, const view_lens *lens);

// Draws the scenery behind everything else, as an image without lighting. It is the first mesh of
// its file. A depth test and lighting would take a fifth of the time of a frame. The file contains
// the triangles from far to near, so no depth test is needed. Triangles that are nearer than the
// character are omitted, because the character would be drawn over them.
void view_draw_scenery(const view_stage *stage, const view_lens *lens);

// Draws the shadows of the model on the ground. Draws the shadow map, unless the image is
// transparent. On a slow computer, the quality level may omit the map. Round shadows then replace
// it.
void view_draw_ground_shadows(const view_stage *stage, const md5gl_frame *frame, md5_vec3 center,
                              bool transparent);

// Adds lines of the enabled displays (overlay.c). If `on_top` is true, adds those that are drawn on
// top of the model, otherwise the others.
void view_add_overlays(const view_stage *stage, bool on_top);

// Draws the marked joint with its weights and the clicked point (overlay.c).
void view_draw_marks(const view_stage *stage);

// Draws the canvas over the frame.
void view_draw_canvas(const view_stage *stage);

// == Bodies (bodies.c, crowd_bodies.c) ===================================================

// Uses of a body in an image.
typedef enum view_body_use {
    VIEW_BODY_CASTS = 1,  // casts a shadow
    VIEW_BODY_SHOWN = 2,  // lit
    VIEW_BODY_STAGED = 4, // with its material stages
} view_body_use;

// A body: a model, or the impostors of a crowd, with its instances in one image. An instance is one
// copy of the model with a pose and a placement.
typedef struct view_body {
    unsigned uses;
    const view_textures *textures; // materials to set; NULL: already set
    md5gl_model *drawn;
    md5gl_instances instances;
    md5gl_impostors *impostors;     // drawn instead of a model, or NULL
    const md5gl_impostor *pictured; // [instances.count]
} view_body;

enum { VIEW_MAX_BODIES = VIEW_MAX_KINDS * VIEW_MAX_LEVELS + VIEW_NUM_COMPANIONS + 3 };

typedef struct view_bodies {
    view_body bodies[VIEW_MAX_BODIES];
    uint32_t count;
} view_bodies;

// Poses all bodies, draws their shadows, then the bodies in a style. Returns false and fills
// `error` on failure.
bool view_draw_bodies(const view_stage *stage, const view_bodies *bodies, uint32_t style,
                      md5_error *error);

// Draws one pass of the material stages of all bodies. Displays that hide textures also hide the
// stages. Returns false and fills `error` on failure.
bool view_draw_layers(const view_stage *stage, const view_bodies *bodies, md5gl_stage_pass pass,
                      md5_error *error);

// Draws the images of impostors that are missing or out of date. A frame cannot be interrupted, so
// call it before the frame begins. Returns false and fills `error` on failure.
bool view_prepare_pictures(const view_stage *stage, md5_error *error);

// Adds the bodies of all kinds of a crowd.
void view_list_crowd(const view_stage *stage, view_bodies *bodies);

// == Retargeting (companions.c) ==========================================================

// The transfer of the scene's animation to the companion VIEW_RETARGETED. It is created again when
// the user selects another clip or another map of joints.
typedef struct view_retargeting {
    char *key;           // options and clip that it was created for; NULL: none
    convert_pair *pairs; // [joints of the companion] source joint of each
    // The current clip as it is saved for the companion. NULL: only the pose is transferred.
    md5_anim *anim;
    md5_binding *binding;
} view_retargeting;

void view_clear_retargeting(view_retargeting *retargeting);

// Returns the job that converts a clip of the scene to the companion. The job refers to `inputs`,
// an empty list to which the function adds its input files or names in the game.
convert_job view_retarget_job(const view_options *options, const view_scene *scene,
                              const char *clip, common_list *inputs);

// == Lights, materials and surfaces (light.c, materials.c, surface.c) ====================

// Returns the frame of an image: its background, lights and shadow casters. Pose the scene first.
// The frame keeps a pointer to `points`, which are the lights of the studio and a fire.
enum { VIEW_NUM_STUDIO_POINTS = 2, VIEW_NUM_POINTS };
md5gl_frame view_light_frame(const view_stage *stage, const view_lens *lens, md5gl_target *target,
                             bool transparent, md5gl_point_light points[VIEW_NUM_POINTS]);

// Returns the posed bounds of the scene's model.
md5_bounds view_scene_bounds(const view_document *document);

// Returns the posed bounds of companion `index` in world space. They are empty if the companion
// does not exist.
md5_bounds view_companion_bounds(const view_document *document, uint32_t index);

// Returns the height of the ground. It is not above the lowest point of a body, because it would
// hide the part below.
float view_find_ground(view_document *document);

// Returns the value of a material parameter ("parm"), except the time. The first source that
// defines it has priority: the user; the time at which a dead entity begins to burn, only for parm
// 7; the machine's curve with the name of the parm, such as "parm7"; the entity's key.
float view_parm_value(const view_stage *stage, int row);

// Sets the material of each mesh: its maps, or the checker texture. Evaluates its stages at the
// time of playback.
void view_set_materials(const view_stage *stage, const view_textures *textures, md5gl_model *drawn);

// Returns true if the material stages of the meshes are drawn. They are not drawn in displays that
// replace the textures, such as the checker.
bool view_shows_layers(const view_stage *stage, const view_textures *textures);

// Returns true if the weights of the selected joint are displayed. A crowd has no selected joint.
bool view_shows_weights(const view_stage *stage);

// Creates the data of the selected surface display. Call it before each image, outside of a frame.
// Returns false and fills `error` on failure.
bool view_prepare_surface(const view_stage *stage, md5_error *error);

// Sets the blending of a model on the GPU, linear or dual-quaternion, to the blending of the scene.
// If the driver rejects the shaders, logs the error and changes the scene to linear blending.
void view_blend_as_selected(view_scene *scene, md5gl_model *drawn, const view_loader *loader);

// == Companions (companions.c) ===========================================================

// Poses a companion according to its kind: writes its palette and returns its placement.
md5_mat34 view_pose_companion(view_companion *companion, const view_stage *stage);

// Adds a point light for the fire that the model carries, in the color of Bobbin's fire.
void view_add_fire(const view_stage *stage, md5gl_frame *frame,
                   md5gl_point_light points[VIEW_NUM_POINTS]);

#endif
