// Many characters of one or several kinds, each with its own time and placement, updated by all
// cores.
//
// The clips and machines of all members advance, also of culled ones. Only members that are visible
// or cast a visible shadow are posed and drawn. Members that are small in the picture are updated
// every second or fourth frame, by the time that has passed since. A table of levels of detail says
// how each kind's members are drawn by their size in the picture: from all triangles, from fewer
// where that shows nothing, then, if they play clips, from baked clips and as impostors. Neither of
// the latter is posed or skinned.
#ifndef DEMO_VIEWER_CROWD_CROWD_H
#define DEMO_VIEWER_CROWD_CROWD_H

#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/morphs.h"
#include "demo/viewer/motion/scene.h"

// Adds the clips of bindings[count], all of one model, to a scene whose model has other
// proportions: retargeted, which happens once, at load, so playback costs no more than that of any
// clip. Returns false and fills `error` if the models have no joints in common.
bool view_retarget_clips(view_scene *scene, const md5_binding *const *bindings, uint32_t count,
                         md5_error *error);

// -- Levels of detail ----------------------------------------------------------------------------

// Fewer triangles over the same vertices, which are not moved: weights, texture coordinates, baked
// frames and buffers of the whole mesh remain valid.
typedef struct view_triangles {
    uint32_t *indices; // [3 * count] vertices of the mesh; free it
    uint32_t count;
} view_triangles;

// Returns true if the program was built with meshoptimizer. Otherwise all triangles remain.
bool view_can_reduce_meshes(void);

// Writes palette[model joints] of a pose in which every joint is bent. Meshes are reduced in this
// pose: in the bind pose a straight limb needs no vertices at its elbow or knee.
void view_bend_joints(const md5_model *model, md5_mat34 *palette);

// Writes levels[num_levels], from fine to coarse: the triangles of a mesh, reduced so far that its
// surface moves by about errors[level] units, which rise, in the pose of the palette `bent`. Open
// edges keep their vertices, and so do triangles that a morph target of `morph` (NULL: there are
// none) moves farther than the error. Seams of the texture remain closed.
void view_reduce_mesh(const md5_mesh *mesh, const md5_mat34 *bent, const md5_morph_mesh *morph,
                      const float *errors, uint32_t num_levels, view_triangles *levels);

// What the members of a level are drawn from.
typedef enum view_detail_source {
    VIEW_DETAIL_POSED,    // their palettes
    VIEW_DETAIL_CASTERS,  // those of all visible members, which cast shadows only
    VIEW_DETAIL_BAKED,    // baked frames of their clips
    VIEW_DETAIL_PICTURED, // pictures of their clips: impostors
} view_detail_source;

enum { VIEW_NUM_REDUCED = 5, VIEW_MAX_LEVELS = 1 + VIEW_NUM_REDUCED + 3 };

// A row of a kind's table, and its visible members.
typedef struct view_detail {
    view_detail_source source;
    float pixels;       // members up to this diameter in the picture have this level or a later one
    md5_model *model;   // a copy of the kind's with fewer triangles; NULL: the kind's own
    md5gl_model *drawn; // NULL: no better than the row before, which is drawn instead; or pictures
    md5_morph morph;    // the kind's, of this model
    md5gl_morph *bent;  // NULL: the kind has none
    uint32_t first, count; // of view_kind.placements, ...; of pictures: in `instances`
} view_detail;

// A vertex moves in a straight line between two baked frames, but in an arc between two frames of a
// clip. So each clip is measured, and fast ones get several baked frames per frame. A member is
// only baked while no vertex is as far as a pixel from its skinned position, so that the switch
// shows nothing and needs no fading.
typedef struct view_bakes {
    md5gl_baked *clips; // NULL: no member is baked
    uint32_t *rates;    // [clips] baked frames per frame of the clip
    float *sizes;       // [clips] largest diameter at which a member is baked, pixels
} view_bakes;

// Impostors, whose pictures are drawn later, a few before each frame.
typedef struct view_pictures {
    md5gl_impostors *impostors; // NULL: every member is drawn as a model
    uint32_t *first;    // [clips + 1] index of each clip's first picture; then their total number
    uint32_t num_drawn; // pictures drawn since `look` changed, in the order of drawing
    uint32_t look;      // display settings of the pictures, as bits
    md5gl_impostor *instances;
} view_pictures;

// A posed member, to sort them by size.
typedef struct view_sized {
    float pixels;
    uint32_t member;
} view_sized;

// Returns the baked frames between which a sample position of the clip lies.
md5gl_clip_job view_baked_job(const view_bakes *bakes, uint32_t clip,
                              const md5_sample_position *sample);

// Returns the share of its pixels that the impostor of a member of `size` pixels shows: 1 for sizes
// up to `pixels`, falling to 0 at 1.25 times that.
float view_impostor_share(float size, float pixels);

// -- Kinds ---------------------------------------------------------------------------------------

// A kind of character in a crowd: the model, clips and bounds that its members share, and the
// arrays of its visible members. The first kind refers to the document's scene and does not own it.
typedef struct view_kind {
    view_scene own; // model and clips; empty in the first kind, which uses the document's
    view_textures *own_textures;
    md5_machine *own_machine; // with retargeted clips
    view_morphs own_morphs;   // empty in the first kind

    const char *name; // of the model, for messages
    const md5_model *model;
    const md5_machine *machine; // NULL: it plays clips
    uint32_t num_clips;
    const md5_binding **clips; // [num_clips] of it or of its machine
    view_sphere sphere;        // around any pose, model space
    float lowest;              // height of the lowest vertex in the frames of all clips
    md5gl_model *drawn;        // NULL without a renderer
    const view_textures *textures;
    const view_morphs *morphs; // morph targets of the members, or NULL

    uint32_t begin, end; // range of its members
    md5_mat34 *palettes; // [members * joints] of each that is posed
    float *reported;     // [members * morphs of the machine] scratch memory

    // From fine to coarse; the first is the kind's model. 0 without a renderer.
    uint32_t num_levels;
    view_detail levels[VIEW_MAX_LEVELS];
    view_bakes bakes;
    view_pictures pictures;

    // What is drawn, level by level. With fewer triangles, the posed members are sorted from near
    // to far, so that fewer pixels are lit that others then cover. Those that are baked follow.
    uint32_t num_seen;               // visible members that are posed
    view_sized *order;               // [num_seen]
    bool is_sorted;                  // it is, and levels of fewer triangles are drawn
    md5_mat34 *copies;               // [num_seen * joints]
    const md5_mat34 *drawn_palettes; // these, or `palettes` if all members are drawn unsorted
    float *morph_weights;            // [num_seen * targets]
    md5_mat34 *placements;           // [num_seen + baked ones]
    md5_vec4 *tints;      // likewise; alpha = 1 + the share of pixels that its impostor shows
    bool fades;           // some fade into impostors
    md5gl_clip_job *jobs; // [baked ones]
} view_kind;

// Returns the row as which a member of a kind that plays `clip` is drawn at a diameter of `pixels`,
// impostors aside; rows with fewer triangles and baked ones are left out unless they are allowed.
uint32_t view_detail_at(const view_kind *kind, uint32_t clip, float pixels, bool reduced,
                        bool baked);

// Bakes and uploads the clips of a kind for members up to a diameter of `pixels`, from the
// triangles of the level that these have, and adds that level. If they take more than `memory`
// bytes, or if the device refuses them, logs a warning and adds none: the kind stays skinned.
void view_add_baked(view_kind *kind, float pixels, size_t memory, const md5_threads *threads,
                    const view_loader *loader);

// Frees all levels but the kind's own model.
void view_free_levels(view_kind *kind, md5gl_renderer *renderer);

// -- Culling -------------------------------------------------------------------------------------
//
// Tests spheres and their shadows against the frustum of a picture.

// Unit vectors of the picture in world space.
typedef struct view_axes {
    md5_vec3 right, up, back; // back: from the target to the eye
} view_axes;

// A projection: eye, axes and frustum.
typedef struct view_lens {
    md5_vec3 eye;
    view_axes axes;
    float half_x, half_y;   // half the picture's size at depth 1, or anywhere if orthographic
    float shift_x, shift_y; // where the axis meets the picture: 0 = centre, 1 = right or top edge
    float near_z;
    float far_z;
    bool orthographic;
} view_lens;

// A point is inside if dot(inward, point) >= begin.
typedef struct view_plane {
    md5_vec3 inward;
    float begin;
    float shadow_shift; // how far inward a shadow moves per unit of fall; 0 = outward
} view_plane;

enum { VIEW_NUM_PLANES = 5 }; // all but the far one

typedef struct view_sight {
    view_plane planes[VIEW_NUM_PLANES];
    view_lens lens;
    float height;       // of the picture, pixels
    bool all;           // every sphere is visible
    bool shadowed;      // shadows are drawn
    bool unbounded;     // shadows have no end: the light is level or from below
    float lowest;       // height of the lowest point that receives shadows
    float reach;        // how far from a shadow pixels depend on it: md5gl_shadow_reach()
    float reach_upward; // the upward part of `reach`, perpendicular to a slanting light
} view_sight;

// Sets up culling for a lens. `frame` holds its matrices and the lights; no shadow falls below
// `lowest`.
view_sight view_make_sight(const view_lens *lens, const md5gl_frame *frame, float lowest);

// Whether the sphere or its shadow may be in the picture. Never false if it is.
bool view_sees(const view_sight *sight, view_sphere sphere);

// -- Crowds --------------------------------------------------------------------------------------

// A character.
typedef struct view_member {
    md5_xform place;    // in the world
    double next_choice; // when it changes its behaviour
    uint64_t random;
    float wanted_speed;
    float waited;       // seconds since its last update
    double offset;      // without a machine: start time in its clip, seconds
    uint32_t clip;      // without a machine: index of its clip
    uint32_t kind;      // index into the crowd's kinds
    md5_player *player; // NULL: plays a clip
    float far_share;    // of its pixels that its impostor shows; 1 = it is not drawn as a model
    uint32_t far_at;    // index among the impostors of its kind, if far_share is above 0
    uint32_t drawn_at;  // index among the members of its level, if it is drawn as a model
    float pixels;       // its diameter in the picture, if it is visible
    uint32_t level;     // row of its kind's table as which its model, if it is drawn as one, is
    bool talks;         // to those around it, and does not walk away
    bool is_seen;       // visible in this update
    bool is_due;        // updated in this frame
    bool is_posed;      // drawn from its palette
} view_member;

// Texels along a side of the shadow map, which covers the whole crowd.
enum { VIEW_CROWD_TEXELS = 2048 };

// Poses made in one call, into a buffer that fits the second-level cache, and then copied to the
// palettes one after another. The batch writes up to 16 poses side by side; straight into the
// palettes of thousands, it would stall on each cache line and take three times as long.
enum { VIEW_MAX_KINDS = 8, VIEW_POSES_AT_ONCE = 32 };

typedef struct view_crowd {
    uint32_t count; // 0: there is none
    view_kind kinds[VIEW_MAX_KINDS];
    uint32_t num_kinds;
    common_list files;    // of all kinds but the first; each kind begins with its model
    view_member *members; // [count], sorted by kind, then by clip
    uint32_t *posed;      // [num_posed] members to pose in this update
    uint32_t num_posed;
    uint64_t num_joints;         // sum over the posed members
    uint32_t num_baked, num_far; // members that are drawn from baked clips; as impostors
    uint32_t num_faded;          // of these, drawn as models too
    unsigned char *scratch;      // `scratch_size` bytes for each worker
    size_t scratch_size;
    size_t buffer_size; // matrices at the begin of these, into which clips are posed
    const md5_threads *threads;
    bool reduces;          // draws small members and shadow casters with fewer triangles
    int coarser;           // halvings of the size by which small members' levels are selected
    bool culls;            // skips members that are not visible; false only in tests
    bool spares;           // updates small members less often
    float reduced_pixels;  // members up to this size are drawn with fewer triangles; 0 = none
    float baked_pixels;    // members up to this size are drawn from baked clips; 0 = none
    float impostor_pixels; // and up to this as impostors; 0 = none
    bool is_dual;          // drawn by dual quaternions, so that none is baked
    float size;            // of the largest kind's bounds
    float spread;          // half the side of the square they stand in
    double time;
    uint64_t num_frames;
    double seconds, last_seconds; // duration of an update: smoothed, and of the last one

    // Valid during an update.
    float step;              // seconds by which it advances
    float pace;              // seconds since the last frame that was drawn
    const view_sight *sight; // NULL: nothing is drawn
} view_crowd;

// Sets up the characters of --crowd in a square, in equal numbers of the scene's model, of which
// `first` has what is on the GPU and the morph targets, and of each model in `files`, which begin
// with a model; each is followed by its animations. Returns false and logs an error on failure;
// free in both cases.
bool view_make_crowd(view_crowd *crowd, const view_scene *scene, const view_kind *first,
                     const char *const *files, size_t num_files, const view_loader *loader);
void view_free_crowd(view_crowd *crowd, md5gl_renderer *renderer); // a zeroed one is allowed

// Number of visible characters, of which num_baked are drawn from baked clips and
// num_far - num_faded as impostors only.
uint32_t view_count_seen(const view_crowd *crowd);

// Advances the crowd to `time` and poses its visible members. Uses all cores.
void view_run_crowd(view_crowd *crowd, double time, const view_sight *sight);

#endif
