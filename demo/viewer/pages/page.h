// A page: one technique, shown on one of our characters, with the C lines that do it.
//
// A page is a row of a table: sliders go in with the time, and `show` describes the picture:
// figures in poses, lines and labels in space, plots, and facts (numbers with names). It keeps
// nothing, so the same sliders and time give the same picture. picture.c draws it;
// tests read the facts.
#ifndef DEMO_VIEWER_PAGES_PAGE_H
#define DEMO_VIEWER_PAGES_PAGE_H

#include "demo/viewer/base/canvas.h"
#include "demo/viewer/motion/scene.h"
#include "md5/md5skin.h"

enum {
    VIEW_PAGE_SLIDERS = 6,
    VIEW_PAGE_TARGETS = 8,
    VIEW_PAGE_FIGURES = 8,
    VIEW_PAGE_PLOTS = 3,
    VIEW_PAGE_SERIES = 6,
    VIEW_PAGE_POINTS = 129,
    VIEW_PAGE_MARKS = 8,
    VIEW_PAGE_FACTS = 8,
    VIEW_PAGE_LABELS = 12,
    VIEW_PAGE_LINES = 8192,
    VIEW_PAGE_NUMBERS = 4,
};

#define VIEW_RED 0xE5604DFFu
#define VIEW_GREEN 0x6BBF59FFu
#define VIEW_BLUE 0x6FA8FFFFu
#define VIEW_YELLOW 0xF2C14EFFu
#define VIEW_VIOLET 0xC58AF0FFu
#define VIEW_CYAN 0x4FC9C4FFu
#define VIEW_DIM_LINE 0x8A93A1B0u
#define VIEW_PLAIN_TEXT 0xC9CFD8FFu

// A number that the user moves. `word` names its values if they are choices, which are whole.
typedef struct view_slider {
    const char *name;
    float low, high, first;
    const char *(*word)(float value);
    bool whole; // a whole number
} view_slider;

// -- What is shown --------------------------------------------------------------------------

typedef enum view_figure_kind {
    VIEW_FIGURE_LIT,
    VIEW_FIGURE_DUAL,     // skinned by dual quaternions
    VIEW_FIGURE_HEAT,     // without textures: colours of the weights, or view_kept.heat
    VIEW_FIGURE_BAKED,    // vertices of view_kept.baked at `moment`
    VIEW_FIGURE_BOUND,    // view_kept.bound in the pose
    VIEW_FIGURE_IMPOSTOR, // a picture of the pose; all of one moment.frame0 share their pose
    VIEW_NUM_FIGURE_KINDS
} view_figure_kind;

// The page's character in a pose.
typedef struct view_figure {
    view_figure_kind kind;
    md5_xform *pose;   // [num_joints] relative to the parent; initially the bind pose
    md5_xform place;   // model to world
    md5_vec4 tint;     // linear colour that multiplies the textures
    md5_moment moment; // of baked figures and impostors
    bool is_morphed;   // has weights of the scene's first morph targets
    float morph_weights[VIEW_PAGE_TARGETS];
} view_figure;

typedef struct view_series {
    view_color color;
    const char *name;
    uint32_t count;
    md5_vec2 points[VIEW_PAGE_POINTS];
} view_series;

typedef struct view_mark {
    md5_vec2 point;
    view_color color;
} view_mark;

// Curves in a box; `low` and `high` are its corners.
typedef struct view_plot {
    const char *title, *across; // across: name of the horizontal axis
    md5_vec2 low, high;
    view_series series[VIEW_PAGE_SERIES];
    view_mark marks[VIEW_PAGE_MARKS];
    uint32_t num_series, num_marks;
} view_plot;

typedef struct view_fact {
    const char *name, *unit;
    double value;
} view_fact;

typedef struct view_label {
    md5_vec3 place;
    view_color color;
    char text[48];
} view_label;

typedef struct view_line {
    md5_vec3 from, to;
    view_color color;
} view_line;

// The pictures of impostors: a sphere around the character, model space, and their numbers.
typedef struct view_impostor_look {
    uint32_t num_frames, num_around, texels;
    md5_vec3 centre;
    float radius;
} view_impostor_look;

// What takes too long to compute for each picture. It depends on the character and the first
// sliders of a page, and is kept until these change.
typedef struct view_kept {
    md5_baked *baked;
    md5_model *bound;                  // the character with other weights
    float *heat;                       // [vertices of all meshes] 0..1; NULL: influences
    double numbers[VIEW_PAGE_NUMBERS]; // of the page
    md5_vec2 points[VIEW_PAGE_POINTS]; // of a plot
    uint32_t num_points;
} view_kept;

// The input of a page and, after `show`, what it describes.
typedef struct view_picture {
    const view_scene *scene; // the character: model and clips
    const float *values;     // of the sliders
    double time;             // seconds
    const view_kept *kept;   // NULL if the page keeps nothing

    view_figure figures[VIEW_PAGE_FIGURES];
    uint32_t num_figures;
    view_plot plots[VIEW_PAGE_PLOTS];
    uint32_t num_plots;
    view_fact facts[VIEW_PAGE_FACTS];
    uint32_t num_facts;
    view_label labels[VIEW_PAGE_LABELS];
    uint32_t num_labels;
    view_line *lines; // [VIEW_PAGE_LINES], drawn through the figures
    uint32_t num_lines;
    md5_bounds bounds;  // world space: what the camera shows; empty: there is nothing in space
    bool shows_bones;   // of all figures
    bool has_no_floor;  // the page draws its own ground
    int32_t heat_joint; // of VIEW_FIGURE_HEAT: whose weights; -1: how many influences
    view_impostor_look impostor;
} view_picture;

typedef struct view_page {
    const char *name, *title, *family;
    const char *about; // one or two sentences
    const char *model; // "bobbin/bobbin.md5mesh"
    double start;      // seconds: the time of the first picture
    view_slider sliders[VIEW_PAGE_SLIDERS];
    uint32_t num_sliders;
    bool has_morphs; // the morph targets beside the character are loaded
    void (*show)(view_picture *picture);

    // Fills a zeroed view_kept from the first `num_kept` sliders; NULL: nothing is kept.
    void (*keep)(const view_picture *picture, view_kept *kept);
    uint32_t num_kept;
} view_page;

// -- Describing a picture (page.c) ----------------------------------------------------------

// Sets up an empty picture, and frees it.
void view_begin_picture(view_picture *picture, const view_scene *scene, const float *values,
                        double time);
void view_end_picture(view_picture *picture);

// Frees what a page keeps; a zeroed one is allowed.
void view_free_kept(view_kept *kept);

// Adds a figure at (x, y) of the ground and returns it, or the last one if there are too many.
view_figure *view_add_figure(view_picture *picture, float x, float y);

// Adds a plot; the strings are static text. Series are added to the last plot and get points by
// view_add_point(); further ones beyond the limits replace the last.
void view_add_plot(view_picture *picture, const char *title, const char *across, md5_vec2 low,
                   md5_vec2 high);
void view_add_series(view_picture *picture, const char *name, view_color color);
void view_add_point(view_picture *picture, float x, float y);
// Fits the height of the last plot to its points.
void view_fit_plot(view_picture *picture);
void view_add_mark(view_picture *picture, float x, float y, view_color color);

void view_add_fact(view_picture *picture, const char *name, double value, const char *unit);
void view_add_label(view_picture *picture, md5_vec3 place, view_color color, const char *text);
void view_add_stroke(view_picture *picture, md5_vec3 from, md5_vec3 to, view_color color);

// A small cross, as a target has it.
void view_add_cross(view_picture *picture, md5_vec3 place, float size, view_color color);

// The three axes of a transform: red, green, blue.
void view_add_frame(view_picture *picture, md5_xform transform, float size);

// Shows this box.
void view_show_box(view_picture *picture, md5_vec3 low, md5_vec3 high);

// The clip of that name; NULL if the character has none.
const view_clip *view_page_clip(const view_picture *picture, const char *name);

// Samples a clip in place at `seconds`, in a loop; the bind pose without the clip.
void view_sample_clip(const view_picture *picture, const char *name, double seconds,
                      md5_xform *pose);

// The index of a joint; 0 if there is none of that name.
uint32_t view_page_joint(const view_picture *picture, const char *name);

// The position of a figure's joint in the world.
md5_vec3 view_joint_place(const view_picture *picture, const view_figure *figure, uint32_t joint);

// Memory for a pose, [num_joints], until view_end_picture(); there are eight, 0 to 7.
md5_xform *view_spare_pose(view_picture *picture, uint32_t number);

// The number a slider shows, rounded: for choices.
int view_choice(const view_picture *picture, uint32_t slider);

// -- The table of pages (picture.c) ---------------------------------------------------------

uint32_t view_num_pages(void);
const view_page *view_page_at(uint32_t number);
int32_t view_find_page(const char *name); // -1: there is none

// The C lines of a page, taken from its source when the viewer is built; "" if it has none.
const char *view_page_lines(const char *name);

// The pages, family by family; the table lists them in this order.

extern const view_page view_page_easing, view_page_timing, view_page_follow;
extern const view_page view_page_interpolation, view_page_slerp, view_page_euler;
extern const view_page view_page_curves, view_page_squad;
extern const view_page view_page_crossfade, view_page_inertial, view_page_additive;
extern const view_page view_page_masks, view_page_sync, view_page_machine;
extern const view_page view_page_quaternion_w, view_page_palette, view_page_dual;
extern const view_page view_page_influences, view_page_bind;
extern const view_page view_page_ik, view_page_limits, view_page_goals, view_page_walk;
extern const view_page view_page_gaze;
extern const view_page view_page_morph, view_page_bake, view_page_impostor;

// Lines of pages, made by .ci/embed.py from the sources in this folder: those between
// `// lines of NAME` and `// end of lines`.
typedef struct view_lines_of {
    const char *name, *text;
} view_lines_of;
extern const view_lines_of view_lines_of_pages[];

// -- A character with automatic weights (md5skin.h) in place of its own (skin.c) -------------

// Joins the meshes of a model and computes weights for all vertices, in the order of meshes. `desc`
// has resolution, influences, smoothing and falloff; the rest is filled. Joints get no weights
// whose vertices no distance could know: parts of the face, and things to hold. Returns NULL and
// fills `error` on failure.
md5_weights *view_bind_weights(const md5_model *model, md5_weights_desc desc, md5_error *error);

#endif
