// A page: one technique, shown on one of our characters, with the C lines that do it.
//
// A page is a section of pages.txt: what it says, its sliders, the figures, the box in space and
// the plots that it shows. Before `show` is called, the figures stand where the row has them, and
// the plots are empty. `show` poses the figures and adds points, lines in space and facts (numbers
// with names). It keeps nothing, so the same sliders and time give the same picture. picture.c
// draws it; tests read the facts.
#ifndef DEMO_VIEWER_PAGES_PAGE_H
#define DEMO_VIEWER_PAGES_PAGE_H

#include "demo/viewer/ui/ui.h"
#include "md5/md5edit.h"

enum {
    VIEW_PAGE_SLIDERS = 6,
    VIEW_PAGE_TARGETS = 8,
    VIEW_PAGE_FIGURES = 8,
    VIEW_PAGE_PLOTS = 2,
    VIEW_PAGE_SERIES = 6,
    VIEW_PAGE_STEPS = 128, // of a plot from left to right
    VIEW_PAGE_POINTS = VIEW_PAGE_STEPS + 1,
    VIEW_PAGE_MARKS = 16,
    VIEW_PAGE_FACTS = 14,
    VIEW_PAGE_LABELS = 12,
    VIEW_PAGE_NUMBERS = 5,
    VIEW_PAGE_LINKS = 3,
    VIEW_PAGE_SPARE = 8, // poses of view_spare_pose()
};

#define VIEW_RED 0xE5604DFFu
#define VIEW_GREEN 0x6BBF59FFu
#define VIEW_BLUE 0x6FA8FFFFu
#define VIEW_YELLOW 0xF2C14EFFu
#define VIEW_VIOLET 0xC58AF0FFu
#define VIEW_CYAN 0x4FC9C4FFu
#define VIEW_DIM_LINE 0x8A93A1B0u

// -- The row of a page, made by render/embed.py ------------------------------------------------

// A number that the user moves.
typedef struct view_slider {
    const char *name;
    float low;
    float high;
    float first;
    const char *const *words; // of a choice, from 0; view_whole: a whole number; NULL: any number
} view_slider;
extern const char *const view_whole[];

// Curves in a box.
typedef struct view_plot_row {
    const char *title, *across; // across: name of the horizontal axis
    md5_vec2 low, high;         // the corners
    enum {
        VIEW_FIT_NOT,
        VIEW_FIT_HEIGHT, // to the points
        VIEW_FIT_TOP,    // likewise; the lower edge is 0
        VIEW_FIT_BARS,   // not; filled from the curves down to the whole numbers below
    } fit;
    struct {
        const char *name;
        view_color color;
    } series[VIEW_PAGE_SERIES]; // up to the first without a name
} view_plot_row;

struct view_picture;
struct view_kept;

typedef struct view_page {
    const char *name;
    const char *title;
    const char *family; // the chapter of the course
    const char *about;  // one to three sentences
    const char *first;  // what to try first, in two
    // Of C: those of its source between `// lines of NAME` and `// end of lines`. Or a machine, in
    // which $0 is the number, or word, of the first slider.
    const char *lines;
    const char *sources; // what the table of the sources has of it
    const char *model;   // NULL: VIEW_USUAL_MODEL
    const char *clip;    // whose beginning poses the figures; NULL: the bind pose
    double start;        // seconds: the time of the first picture
    view_slider sliders[VIEW_PAGE_SLIDERS]; // up to the first without a name
    const char *see[VIEW_PAGE_LINKS];       // names of pages, up to the first NULL

    // The figures from right to left, up to the first without a label, which is written above it at
    // the top of the box; none: one in the middle, without a label.
    struct {
        float y;
        const char *label;
    } figures[VIEW_PAGE_FIGURES];
    md5_bounds box; // world space: what the camera shows

    view_plot_row plots[VIEW_PAGE_PLOTS]; // up to the first without a title
    struct {
        const char *name;
        const char *unit;
    } facts[VIEW_PAGE_FACTS]; // of VIEW_FACTS(), in their order

    bool has_morphs; // the morph targets beside the character are loaded
    void (*show)(struct view_picture *picture, const float *values);

    // Fills a zeroed view_kept from the first `num_kept` sliders; NULL: nothing is kept.
    void (*keep)(const struct view_picture *picture, struct view_kept *kept);
    uint32_t num_kept;
} view_page;

// -- What is shown --------------------------------------------------------------------------

typedef enum view_figure_kind {
    VIEW_FIGURE_LIT,
    VIEW_FIGURE_HEAT,     // without textures: colours of the weights, or view_kept.heat
    VIEW_FIGURE_DUAL,     // skinned by dual quaternions
    VIEW_FIGURE_BAKED,    // vertices of view_kept.baked at `sample`
    VIEW_FIGURE_BOUND,    // view_kept.bound in the pose
    VIEW_FIGURE_IMPOSTOR, // a picture of the pose; all of one sample.frame0 share their pose
    VIEW_NUM_FIGURE_KINDS
} view_figure_kind;

// The page's character in a pose.
typedef struct view_figure {
    view_figure_kind kind;
    md5_xform *pose;            // [num_joints] relative to the parent
    md5_xform place;            // model to world, after `shape`
    md5_mat34 shape;            // stretches what is drawn of the model; at first the identity
    md5_sample_position sample; // of baked figures and impostors
    float morph_weights[VIEW_PAGE_TARGETS];
} view_figure;

typedef struct view_series {
    uint32_t count;
    md5_vec2 points[VIEW_PAGE_POINTS];
} view_series;

typedef struct view_mark {
    md5_vec2 point;
    view_color color;
} view_mark;

typedef struct view_plot {
    view_plot_row row; // a copy; `show` may change the corners
    view_series series[VIEW_PAGE_SERIES];
    view_mark marks[VIEW_PAGE_MARKS];
    uint32_t num_marks;
} view_plot;

typedef struct view_fact {
    const char *name;
    const char *unit;
    double value;
} view_fact;

typedef struct view_label {
    md5_vec3 place;
    view_color color;
    const char *text; // static
} view_label;

// What takes too long to compute for each picture. It depends on the character and the first
// sliders of a page, and is kept until these change.
typedef struct view_kept {
    const view_page *page; // that keeps it; NULL: nothing
    md5_baked *baked;
    md5_model *bound;                  // the character with other weights
    float *heat;                       // [vertices of all meshes] 0..1; NULL: influences
    double numbers[VIEW_PAGE_NUMBERS]; // of the page
    md5_vec2 points[VIEW_PAGE_POINTS]; // of a plot
    uint32_t num_points;
} view_kept;

// The input of a page and, after `show`, what it describes.
typedef struct view_picture {
    const view_page *page;
    const view_scene *scene; // the character: model and clips
    const md5_model *model;
    const md5_skeleton *skeleton;
    const float *values;   // of the sliders
    double time;           // seconds
    const view_kept *kept; // NULL if the page keeps nothing

    view_figure figures[VIEW_PAGE_FIGURES];
    uint32_t num_figures;
    view_plot plots[VIEW_PAGE_PLOTS];
    uint32_t num_plots;
    view_fact facts[VIEW_PAGE_FACTS];
    uint32_t num_facts, num_told; // told: of those of the row
    view_label labels[VIEW_PAGE_LABELS];
    uint32_t num_labels;
    view_lines lines;   // drawn through the figures
    md5_vec3 pen;       // where view_draw_to() goes on
    md5_bounds bounds;  // at first the box of the row
    bool has_no_floor;  // the page draws its own ground
    int32_t heat_joint; // of VIEW_FIGURE_HEAT: whose weights; -1: how many influences

    // Of impostors: a sphere around the character, and the numbers of their pictures.
    md5gl_impostor_desc impostor;
} view_picture;

// -- Describing a picture (page.c) ----------------------------------------------------------

#define VIEW_USUAL_MODEL "bobbin/bobbin.md5mesh"

// Further ones beyond the limits replace the last. Strings are static.
void view_add_point(view_plot *plot, int series, double x, double y);
void view_plot_step(view_plot *plot, int series, int i, double x, double y);
void view_add_mark(view_plot *plot, double x, double y, view_color color);
void view_add_fact(view_picture *picture, const char *name, double value, const char *unit);
void view_add_facts(view_picture *picture, const double *values, size_t count);
void view_add_label(view_picture *picture, md5_vec3 place, view_color color, const char *text);

// Adds values of the next facts of the row.
#define VIEW_FACTS(picture, ...)                           \
    view_add_facts(picture, (const double[]){__VA_ARGS__}, \
                   sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

// The x of step `i` of VIEW_PAGE_STEPS.
double view_plot_x(const view_plot *plot, int i);

// The same, but `now` after the last one; view_plot_step() adds a point of a step, and the last as
// a mark.
double view_step_x(const view_plot *plot, int i, double now);

void view_page_line(view_picture *picture, md5_vec3 from, md5_vec3 to, view_color color);
void view_page_cross(view_picture *picture, md5_vec3 place, float size, view_color color);

// Continues a path of lines from where the last one ended; with color 0 it begins there.
void view_draw_to(view_picture *picture, md5_vec3 to, view_color color);

// The three axes of a transform: red, green, blue.
void view_add_frame(view_picture *picture, md5_xform transform, float size);

// From the joint's parent to it; nothing if it has none.
void view_add_bone(view_picture *picture, const view_figure *figure, uint32_t joint,
                   view_color color);

// The clip of that name; NULL if the character has none.
const view_clip *view_page_clip(const view_picture *picture, const char *name);

// Samples a clip in place at `seconds`, in a loop; the bind pose without the clip.
void view_sample_clip(const view_picture *picture, const char *name, double seconds,
                      md5_xform *pose);

// The index of a joint; 0 if there is none of that name.
uint32_t view_page_joint(const view_picture *picture, const char *name);

// The position of a joint in model space, and that of a figure's joint in the world.
md5_vec3 view_posed_place(const view_picture *picture, const md5_xform *pose, uint32_t joint);
md5_vec3 view_joint_place(const view_picture *picture, const view_figure *figure, uint32_t joint);

// Turns a joint, and what is below it, about its place.
void view_turn_joint(const view_picture *picture, md5_xform *pose, const char *name, md5_quat turn);

// Turns a figure about the middle of its body. Returns the place of that.
md5_xform view_spin(view_figure *figure, md5_quat turn);

// Memory for a pose, [num_joints], until view_end_picture(); there are eight, 0 to 7.
md5_xform *view_spare_pose(view_picture *picture, uint32_t number);

// The number a slider shows, rounded: for choices, which are not negative; and its word.
uint32_t view_choice(const view_picture *picture, uint32_t slider);
const char *view_word(const view_picture *picture, uint32_t slider);

// Of a slider whose values below 0 let it move by itself.
float view_moving_part(const view_picture *picture, float part);

// The angle between two rotations of any length, degrees; and the largest of two poses' joints.
double view_angle(md5_quat a, md5_quat b);
double view_largest_angle(const view_picture *picture, const md5_xform *a, const md5_xform *b);

// -- The pages ------------------------------------------------------------------------------

// Begin the functions of a page: view_page.show, with the values of the sliders, and view_page.keep
// if its text says `keeps`.
#define VIEW_SHOW(name)                                                       \
    void view_show_page_##name(struct view_picture *picture, const float *v); \
    void view_show_page_##name(struct view_picture *picture, const float *v)
#define VIEW_KEEP(name)                                                                     \
    void view_keep_page_##name(const struct view_picture *picture, struct view_kept *kept); \
    void view_keep_page_##name(const struct view_picture *picture, struct view_kept *kept)

extern const view_page view_page_rows[]; // in the order of the contents
extern const uint32_t view_num_pages;
const view_page *view_page_at(uint32_t number); // NULL: there are not so many
int32_t view_find_page(const char *name);       // -1: there is none
uint32_t view_num_sliders(const view_page *page);
char *view_page_lines(const view_page *page, const float *values); // as shown; free them

// Sets up what the row of a page has and, if the scene has a model, shows it, with what it keeps,
// which is made if `kept` is zeroed. view_end_picture() frees the picture.
void view_show_page(view_picture *picture, const view_page *page, const view_scene *scene,
                    const float *values, double time, view_kept *kept);
void view_end_picture(view_picture *picture);

// Frees what a page keeps; a zeroed one is allowed.
void view_free_kept(view_kept *kept);

// -- A character with automatic weights (md5skin.h) in place of its own (skin.c) -------------

// Joins the meshes of a model and computes weights for all vertices, in the order of meshes. `desc`
// has resolution, influences, smoothing and falloff; the rest is filled. Joints get no weights
// whose vertices no distance could know: parts of the face, and things to hold. Returns NULL and
// fills `error` on failure.
md5_weights *view_bind_weights(const md5_model *model, md5_weights_desc desc, md5_error *error);

// == The open page (picture.c) ============================================================

// Which page is open. {.open = -1}: none.
typedef struct view_pages {
    int32_t open; // number of a page; VIEW_CONTENTS: the list of all; -1: none
    float values[VIEW_PAGE_SLIDERS];
    view_picture picture; // as last drawn
    view_lens lens;
    view_rect panel;   // likewise, pixels
    ui_scroll scroll;  // of the panel, or of the contents
    uint32_t unfolded; // the slider whose choices are listed, from 1; 0: none

    // Of the contents: the folder of the characters, or NULL; the pictures so far, as a texture and
    // as its texels; and the character of most of them.
    char *folder;
    uint32_t num_thumbnails;
    md5gl_texture thumbnails;
    uint8_t *atlas;
    view_document *usual;

    // The character of a page on the GPU, in each of the ways in which pages draw it; NULL until a
    // figure needs it.
    md5gl_model *models[VIEW_NUM_FIGURE_KINDS]; // lit: the document's own; heat: that of `heat`
    view_heat heat;
    md5gl_baked *baked;
    md5gl_impostors *impostors;
    md5gl_impostor_desc impostors_desc;

    view_kept kept; // what the open page keeps, and from what it was made
    float kept_values[VIEW_PAGE_SLIDERS];
    const md5_model *made_of; // what is kept and drawn
} view_pages;

enum { VIEW_CONTENTS = 1000 };

// Opens a page, or the contents, with its sliders as they begin.
void view_open_page(view_pages *pages, int32_t number);

// Whether the contents are open and a page has no picture yet.
bool view_lacks_thumbnails(const view_pages *pages);

// Draws the next one, or for --output all. Call it outside of a frame. What cannot be drawn stays
// black. They are freed once, at the end.
void view_prepare_thumbnails(const view_stage *stage);
void view_free_thumbnails(view_pages *pages, md5gl_renderer *renderer);

// Frees what pages keep, on the GPU and beside it. Call it before the document is freed, and
// outside of a frame.
void view_free_pages(view_pages *pages, md5gl_renderer *renderer);

// Draws the stage's open page into `target`, as view_draw_world(). `seconds` is the time since it
// was opened; `clean`: no panel will cover it. Begins a frame; the caller ends it. Returns false
// and fills `error` on failure.
bool view_draw_page(const view_stage *stage, double seconds, md5gl_target *target, bool transparent,
                    bool clean, md5_error *error);

// The panel of the stage's open page or contents, as last drawn by view_draw_page(). With
// --panel=no it is left out: the drawing and its plots have all of the room.
void view_page_panel(view_ui *ui, const view_stage *stage);

#endif
