// Crowds: many characters (view_member) of one or several kinds (view_kind). A kind is a model with
// its clips. Each member has its own time and placement. All cores update them.
//
// The clips and machines of all members advance, including culled members, which are outside of the
// image. Only members that are visible or cast a visible shadow are posed and drawn. Members that
// are small in the image are updated every second or fourth frame, by the time since their last
// update.
//
// Each kind has a table of levels of detail (view_detail). The size of a member in the image
// selects its level: first the model with all triangles, then copies with fewer triangles. For
// kinds that play clips, baked clips (stored vertices) and impostors (images) follow. They are
// neither posed nor skinned.
#ifndef DEMO_VIEWER_CROWD_CROWD_H
#define DEMO_VIEWER_CROWD_CROWD_H

#include "demo/viewer/base/math.h"
#include "demo/viewer/motion/morphs.h"
#include "demo/viewer/motion/scene.h"

// Retargets clips to a scene whose model has different proportions, and adds the results to the
// scene. bindings[count] belong to one model. Retargeting happens once, while loading, so these
// clips cost no more than others during playback. Returns false and fills `error` if the models
// have no joints in common.
bool view_retarget_clips(view_scene *scene, const md5_binding *const *bindings, uint32_t count,
                         md5_error *error);

// -- Levels of detail ----------------------------------------------------------------------------

// A reduced list of triangles of a mesh. It refers to the unchanged vertices, so weights, texture
// coordinates, baked frames and buffers of the mesh remain valid.
typedef struct view_triangles {
    uint32_t *indices; // [3 * count] vertices of the mesh, freed by the caller
    uint32_t count;
} view_triangles;

// Returns true if the program was built with meshoptimizer, which reduces meshes.
bool view_can_reduce_meshes(void);

// Writes palette[model joints] of a pose in which every joint is bent. Meshes are reduced in this
// pose. In the bind pose of a straight limb, the vertices at the elbow or knee would seem
// superfluous.
void view_bend_joints(const md5_model *model, md5_mat34 *palette);

// Reduces a mesh to levels[num_levels], from fine to coarse. The surface of level i moves by about
// errors[i] units in the pose of the palette `bent`. The errors must increase. Open edges are
// unchanged, and texture seams remain closed. Triangles that a morph target of `morph` moves
// farther than the error are also unchanged; NULL = no targets. If view_can_reduce_meshes() returns
// false, each level contains all triangles.
void view_create_mesh_levels(const md5_mesh *mesh, const md5_mat34 *bent,
                             const md5_morph_mesh *morph, const float *errors, uint32_t num_levels,
                             view_triangles *levels);

// The source of the vertices or images of a level.
typedef enum view_detail_source {
    VIEW_DETAIL_POSED,    // the palettes of the level's members
    VIEW_DETAIL_CASTERS,  // the palettes of all visible members; only for shadows
    VIEW_DETAIL_BAKED,    // baked frames of the clips
    VIEW_DETAIL_PICTURED, // images of the clips: impostors
} view_detail_source;

enum { VIEW_NUM_REDUCED = 5, VIEW_MAX_LEVELS = 1 + VIEW_NUM_REDUCED + 3 };

// A level of detail of a kind, and the visible members that it draws.
typedef struct view_detail {
    view_detail_source source;
    float pixels;       // members up to this diameter in the image use this or a coarser level
    md5_model *model;   // a copy of the kind's model with fewer triangles; NULL: the kind's model
    md5gl_model *drawn; // NULL: impostors, or not better than the previous level, which is drawn
    md5_morph morph;    // the kind's morph targets, for `model`
    md5gl_morph *drawn_morph; // `morph` on the GPU; NULL: the kind does not have morph targets
    // Range of members in view_kind.placements and other arrays; for impostors, in
    // view_pictures.instances.
    uint32_t first, count;
} view_detail;

// Baked clips of a kind: vertices that were skinned in advance, for each frame of a clip.
//
// Between two baked frames a vertex moves in a straight line; in the clip it moves in an arc. The
// difference is therefore measured, and fast clips have several baked frames per frame. A member is
// drawn baked only if all vertices are within a pixel of their skinned positions. Then the switch
// is not visible and needs no fading.
typedef struct view_bakes {
    md5gl_baked *clips; // NULL: no member is baked
    uint32_t *rates;    // [clips] baked frames per frame of the clip
    float *sizes;       // [clips] maximum diameter at which a member is baked, pixels
} view_bakes;

// The impostors of one kind of crowd member: images of the model in each frame of its clips. The
// images are not drawn when the crowd is loaded, because this would take seconds. Instead, a few
// missing images are drawn before each frame.
typedef struct view_pictures {
    md5gl_impostors *impostors; // NULL: all members are drawn as models
    uint32_t *first; // [clips + 1] index of each clip's first image; the last entry is their number
    uint32_t num_drawn;        // images drawn since `look` changed, in the order of drawing
    uint32_t look;             // display settings of the images, as bits
    md5gl_impostor *instances; // visible impostors of this frame
} view_pictures;

// A posed member and its diameter in the image, by which members are sorted.
typedef struct view_sized {
    float pixels;
    uint32_t member;
} view_sized;

// Returns the baked frames that correspond to a sample position of the clip.
md5gl_clip_job view_baked_job(const view_bakes *bakes, uint32_t clip,
                              const md5_sample_position *sample);

// Returns the fraction of the pixels that show the impostor of a member; the other pixels show its
// model. A member of up to `pixels` pixels shows only its impostor (1). The fraction decreases to 0
// at 1.25 * `pixels`, so that the transition is smooth.
float view_impostor_fraction(float size, float pixels);

// -- Kinds ---------------------------------------------------------------------------------------

// A kind of character in a crowd: the model, clips and bounds that its members share, and the
// arrays of its visible members. The first kind refers to the document's scene and does not own it.
typedef struct view_kind {
    view_scene loaded; // model and clips; empty in the first kind, which uses the document's scene
    view_textures *owned_textures;
    md5_machine *owned_machine; // machine with retargeted clips, or NULL
    view_morphs owned_morphs;   // empty in the first kind

    const char *name; // name of the model, for messages
    const md5_model *model;
    const md5_machine *machine; // NULL: the kind plays clips
    uint32_t num_clips;
    const md5_binding **clips; // [num_clips] clips of the scene or of the machine
    view_sphere sphere;        // around any pose, model space
    float lowest;              // height of the lowest vertex in the frames of all clips
    md5gl_model *drawn;        // NULL without a renderer
    const view_textures *textures;
    const view_morphs *morphs; // morph targets of the members, or NULL

    uint32_t begin, end; // range of its members in view_crowd.members
    md5_mat34 *palettes; // [members * joints] palettes of the posed members
    float *reported; // [members * morphs of the machine] memory for the weights that machines set

    // Levels of detail from fine to coarse; the first is the kind's model. 0 levels without a
    // renderer.
    uint32_t num_levels;
    view_detail levels[VIEW_MAX_LEVELS];
    view_bakes bakes;
    view_pictures pictures;

    // Drawn members, level by level: first the posed members, then the baked. If reduced levels are
    // drawn, the posed members are sorted from near to far. Near members then hide the pixels of
    // far members, which need not be shaded.
    uint32_t num_seen;               // number of visible members that are posed
    view_sized *order;               // [num_seen]
    bool is_sorted;                  // `order` is sorted, and reduced levels are drawn
    md5_mat34 *copies;               // [num_seen * joints] palettes in the order of drawing
    const md5_mat34 *drawn_palettes; // `copies`, or `palettes` if all members are drawn unsorted
    float *morph_weights;            // [num_seen * targets]
    md5_mat34 *placements;           // [num_seen + baked members]
    md5_vec4 *tints;      // [num_seen + baked members] alpha = 1 + fraction shown by the impostor
    bool fades;           // at least one member shows both its model and its impostor
    md5gl_clip_job *jobs; // [baked members]
} view_kind;

// Returns the index of the level that draws a member with a diameter of `pixels` that plays `clip`.
// Impostors are not considered. Reduced and baked levels are considered only if `reduced` or
// `baked` is true.
uint32_t view_detail_at(const view_kind *kind, uint32_t clip, float pixels, bool reduced,
                        bool baked);

// Adds a level with baked clips for members up to a diameter of `pixels`. Bakes the clips of the
// kind with the triangles that members of this size have, and uploads them. If the clips need more
// than `memory` bytes or cannot be uploaded, logs a warning and adds no level. All members are then
// skinned.
void view_add_baked(view_kind *kind, float pixels, size_t memory, const md5_threads *threads,
                    const view_loader *loader);

// Adds VIEW_NUM_REDUCED levels with the same vertices and fewer triangles, for members up to a
// diameter of `pixels`. The surface of each level moves by less than a pixel. Then adds a level for
// shadow casters: the level with the fewest triangles whose error is less than a texel of the
// shadow map. `texel` is the side of a texel, units. If the upload fails, logs a warning and adds
// no level.
void view_add_reduced(view_kind *kind, float pixels, float texel, const md5_threads *threads,
                      const view_loader *loader);

// Frees all levels except the kind's model.
void view_free_levels(view_kind *kind, md5gl_renderer *renderer);

// Sets the model, the state machine and the clips of a kind, which shows `scene`. If the scene has
// neither a machine nor clips, the kind plays retargeted animations of the kind `source`. If
// `source` is NULL, this is an error. Returns false and logs an error on failure.
bool view_find_clips(view_kind *kind, const view_scene *scene, const view_kind *source,
                     view_log *log);

// Returns a sphere around the model in all poses of its clips. Also sets kind->lowest, the height
// of the lowest vertex.
view_sphere view_measure_bounding_sphere(view_kind *kind);

// -- Culling -------------------------------------------------------------------------------------
//
// Culling tests whether a sphere around a member, or its shadow, is in the visible volume of the
// image.

// Unit vectors of the image in world space.
typedef struct view_axes {
    md5_vec3 right, up, back; // back: from the target to the eye
} view_axes;

// A projection: the position of the eye, the axes of the image, and the visible volume.
typedef struct view_lens {
    md5_vec3 eye;
    view_axes axes;
    float half_x, half_y; // half the size of the image at depth 1, or at any depth if orthographic
    float shift_x, shift_y; // position of the axis in the image: 0 = center, 1 = right or top edge
    float near_z;
    float far_z;
    bool orthographic;
} view_lens;

// A plane that bounds the visible volume. A point is inside if dot(inward, point) >= begin;
// `inward` is a unit vector.
typedef struct view_plane {
    md5_vec3 inward;
    float begin;
    float shadow_shift; // inward displacement of a shadow per unit of fall; 0 if it is outward
} view_plane;

enum { VIEW_NUM_PLANES = 5 }; // without the far plane

// All data that culling needs: the visible volume of an image, and the light that casts shadows.
typedef struct view_culling {
    view_plane planes[VIEW_NUM_PLANES];
    view_lens lens;
    float height;       // height of the image, pixels
    bool all;           // every sphere is visible
    bool shadowed;      // shadows are drawn
    bool unbounded;     // shadows are infinitely long: the light is horizontal or from below
    float lowest;       // height of the lowest point that receives shadows
    float reach;        // distance at which a shadow affects pixels: md5gl_shadow_reach()
    float reach_upward; // vertical part of `reach`, perpendicular to an inclined light
} view_culling;

// Prepares culling for a lens. `frame` contains the matrices and the lights. `lowest` is the height
// of the lowest point that receives shadows.
view_culling view_prepare_culling(const view_lens *lens, const md5gl_frame *frame, float lowest);

// Returns true if the sphere or its shadow may be in the image. The test is conservative: it may
// return true for an invisible sphere, but never false for a visible one.
bool view_may_be_visible(const view_culling *culling, view_sphere sphere);

// Returns the diameter of a sphere in the image, pixels. The depth is at least the radius. A sphere
// at or behind the eye therefore counts as large, and the result is never negative.
float view_pixels_across(const view_culling *culling, view_sphere sphere);

// -- Crowds --------------------------------------------------------------------------------------

// A character of a crowd. It is controlled by a state machine or plays a single clip.
typedef struct view_member {
    md5_xform placement; // placement in the world
    double next_choice;  // time of the next change of behavior
    uint64_t random;     // state of the random number generator
    float target_speed;  // speed that the member approaches
    float waited;        // seconds since its last update
    double offset;       // without a machine: start time in its clip, seconds
    uint32_t clip;       // without a machine: index of its clip
    uint32_t kind;       // index into the crowd's kinds
    md5_player *player;  // NULL: the member plays a clip
    // Fraction of the pixels that the impostor shows; 1 = no model is drawn.
    float impostor_fraction;
    uint32_t impostor_index; // index among the impostors of its kind, if impostor_fraction > 0
    uint32_t draw_index;     // index among the members of its level, if a model is drawn
    float pixels;            // diameter in the image, if the member is visible
    uint32_t level;          // index of the level in view_kind.levels, if a model is drawn
    bool talks;              // the member talks to its group and does not walk away
    bool is_visible;         // visible in this update
    bool is_due;             // updated in this frame
    bool is_posed;           // drawn with its palette
} view_member;

// Distance between the members' cells, relative to the size of the largest kind. Each member stands
// in a cell of a square grid.
#define VIEW_MEMBER_SPACING 1.1f

// Texels per side of the shadow map, which covers the whole crowd.
enum { VIEW_CROWD_TEXELS = 2048 };

// VIEW_POSES_PER_BATCH is the number of poses in a batch. md5_pose_batch() writes up to 16 poses
// alternately. Direct writes to the palettes of thousands of members would each wait for another
// cache line. Posing would then take three times as long. A batch is therefore written to a buffer
// that fits into the second-level cache. The palettes are then copied to the members one after
// another.
enum { VIEW_MAX_KINDS = 8, VIEW_POSES_PER_BATCH = 32 };

typedef struct view_crowd {
    uint32_t count; // 0: no crowd
    view_kind kinds[VIEW_MAX_KINDS];
    uint32_t num_kinds;
    common_list files;    // files of all kinds after the first; each kind begins with its model
    view_member *members; // [count], sorted by kind, then by clip
    uint32_t *posed;      // [num_posed] members to pose in this update
    uint32_t num_posed;
    uint64_t num_joints;    // sum over the posed members
    uint32_t num_baked;     // members drawn from baked clips
    uint32_t num_far;       // members drawn as impostors
    uint32_t num_faded;     // members drawn as both impostors and models
    unsigned char *scratch; // `scratch_size` bytes for each worker
    size_t scratch_size;
    size_t buffer_size; // number of matrices at the beginning of each scratch, for posed clips
    const md5_threads *threads;
    bool reduces;          // small members and shadow casters have fewer triangles
    int coarser;           // levels are selected for the diameter divided by 2^coarser
    bool culls;            // invisible members are skipped; false only in tests
    bool throttles;        // small members are updated less often
    float reduced_pixels;  // members up to this size have fewer triangles; 0 = none
    float baked_pixels;    // members up to this size are drawn from baked clips; 0 = none
    float impostor_pixels; // members up to this size are drawn as impostors; 0 = none
    bool is_dual;          // dual-quaternion skinning, for which members are not baked
    float size;            // size of the largest kind's bounds
    float spread;          // half the side of the crowd's square
    double time;
    uint64_t num_frames;
    double seconds;      // smoothed duration of an update
    double last_seconds; // duration of the last update

    // Valid during an update.
    float step;                  // time step, seconds
    float pace;                  // time since the last drawn frame, seconds
    const view_culling *culling; // NULL: nothing is drawn
} view_crowd;

// Creates the characters of --crowd in a square. The scene's model and each model in `files` get
// equal numbers of members. `first` contains the GPU objects and the morph targets of the scene's
// model. In `files`, each model is followed by its animations. Returns false and logs an error on
// failure; the caller frees the crowd in both cases.
bool view_make_crowd(view_crowd *crowd, const view_scene *scene, const view_kind *first,
                     const char *const *files, size_t num_files, const view_loader *loader);
void view_free_crowd(view_crowd *crowd, md5gl_renderer *renderer); // may be zero-initialized

// Returns the number of visible characters. Of these, num_baked are drawn from baked clips and
// num_far - num_faded only as impostors.
uint32_t view_count_visible(const view_crowd *crowd);

// Advances the crowd to `time` and poses its visible members. Uses all cores.
void view_run_crowd(view_crowd *crowd, double time, const view_culling *culling);

// -- Members: members.c, advance.c ---------------------------------------------------------------

// Creates all members: distributes them over the cells of the square, and gives each a player or a
// clip. Returns false and logs an error on failure.
bool view_create_members(view_crowd *crowd, view_log *log);

// Returns the next random number, from 0 to below 1, of the generator xorshift64 (Marsaglia 2003).
float view_next_random(uint64_t *state);

// Returns the size of a pose in bytes.
size_t view_pose_size(const view_kind *kind);

// Poses a player and writes its palette, which may be NULL. `scratch` contains the local pose,
// followed by the scratch memory of md5_player_pose().
void view_pose_player(const view_kind *kind, md5_player *player, unsigned char *scratch,
                      md5_mat34 *palette);

// -- Parts of an update: advance.c, posing.c -----------------------------------------------------
//
// view_run_crowd() calls these functions in this order.

// Advances the members from `begin` to before `end` by crowd->step, and selects their levels of
// detail if the crowd is drawn. Runs on several threads; `user` is the crowd.
void view_advance_part(void *user, uint32_t worker, size_t begin, size_t end);

// Assigns an index among the drawn members to each visible member, and selects the members to pose.
// A member that becomes visible is always posed, unless it is baked or drawn only as an impostor.
void view_select_posed(view_crowd *crowd);

// Computes the palettes of the posed members from `begin` to before `end`. Players pose members
// with machines one by one. Members with clips are posed in batches. Runs on several threads;
// `user` is the crowd.
void view_pose_part(void *user, uint32_t worker, size_t begin, size_t end);

// Writes the placement, palette and other drawing data of the visible members from `begin` to
// before `end`. Runs on several threads; `user` is the crowd.
void view_write_member_range(void *user, uint32_t worker, size_t begin, size_t end);

#endif
