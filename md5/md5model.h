// md5model: reads, poses and skins id Software's MD5 models (.md5mesh, .md5anim, .md5camera).
//
//   text --md5_load_model(), md5_load_anim()--> assets
//        --md5_bind()--> binding: which animation track drives which joint
//        --md5_moment_at(), md5_sample()--> pose: joint transforms relative to their parents
//        --md5_local_to_model()--> joint matrices in model space
//        --md5_build_palette()--> palette: matrices from the bind pose to the posed model
//        --md5_skin(), or a shader--> vertices
//
// Five calls lead to a palette; all give the same bits:
//
//   from                 to                call
//   moment of a clip     joints, palette   md5_pose_palette(): one character
//   moments of clips     joints, palettes  md5_pose_batch(): many, and threads
//   pose                 joints, palette   md5_local_to_palette(): after blending or inverse
//                                          kinematics
//   pose                 joints            md5_local_to_model(): without a palette, as on a server
//   joints               palette           md5_build_palette(): of a ragdoll
//
// Values and their arithmetic are in md5math.h, skinning in md5skin.h.
//
// Space: id Software's, unless md5_load_opts.axes asks for others. x forward, y left, z up,
// right-handed, in the file's units (usually inches). Vectors are columns: v' = M * v. Quaternions
// follow textbook order: world = parent * local. Front faces are clockwise: (c - a) x (b - a)
// points outward. Texture v = 0 is the top row.
//
// Numbers: counts and indices are uint32_t; numbers of bytes, and of the caller's own jobs and
// points, are size_t. An index that is missing is MD5_NONE, which functions that answer invalid
// indices may be given. Texts and bytes that are returned are written to (array, size), cut to what
// fits; the size of the whole is returned, which NULL and 0 ask for.
//
// Memory: an asset is one block (a model: three, and one for the skinning plan of each mesh) from
// the caller's allocator and is read-only. What comes of files is freed by md5_free_*(), what is
// created by md5_destroy_*(); both do nothing for NULL. Posing, blending and skinning write to the
// caller's arrays, allocate nothing and cannot fail. Arrays must not overlap, nor pointers be NULL,
// unless a comment allows it; debug builds assert this and indices. NULL for `opts` means all
// defaults, for `error` that nobody asks.
//
// Growth: structures of options, descriptions and rows end with `reserved`, for members of later
// versions: 0, as `= {0}` and initializers that name members leave it, which debug builds assert.
//
// Threads: there is no global state and there are no threads of the library's own; batches can use
// those of the caller (md5_threads). Threads may share assets. All functions may run concurrently
// as long as none writes memory that another uses; md5_free_*() counts as a write to its asset.
#ifndef MD5MODEL_H
#define MD5MODEL_H

#include "md5math.h" // beside this file also when installed
#ifdef __cplusplus
extern "C" {
#endif

#define MD5_VERSION_MAJOR 0
#define MD5_VERSION_MINOR 3
#define MD5_VERSION_PATCH 0

// -- Errors ---------------------------------------------------------------------------------

#define MD5_NONE UINT32_MAX      // an index that is missing: above every count
#define MD5_ZERO 1.17549435e-38f // in a member whose 0 means another default: exactly 0

typedef enum md5_status {
    MD5_OK,
    MD5_WARNING,        // not a failure: only passed to md5_warn_fn
    MD5_ERROR_IO,       // the file cannot be read or is too large; the message says why
    MD5_ERROR_MEMORY,   // the allocator returned NULL, or its limit would be exceeded
    MD5_ERROR_SYNTAX,   // the grammar does not allow this token here
    MD5_ERROR_RANGE,    // a count, index or number outside its range
    MD5_ERROR_VERSION,  // an MD5 file of an unsupported version
    MD5_ERROR_MISMATCH, // no joint of the animation belongs to the model
    MD5_ERROR_MISSING,  // an asset is NULL, and `error` held no failure that says why
    MD5_ERROR_GPU,      // render/ only: OpenGL or the shader compiler failed
} md5_status;

// Why and where a call failed. Begin with {0}, or md5_error_clear(): only failures write it, so
// look at results first. A call whose asset is NULL, because its load failed, fails too, returns
// NULL or false and leaves that load's failure (without one it is MD5_ERROR_MISSING): a chain of
// loads is checked once, at its end. Holds no pointers: copy it freely.
typedef struct md5_error {
    md5_status status;
    uint32_t line, column; // 1-based, column in bytes; 0 = no location in a file
    char file[256];        // as passed by the caller, only its end if it is longer; "" = none
    char message[256];     // UTF-8, NUL-terminated, one line; other bytes are escaped
} md5_error;

// Empties an error, for another chain of calls; NULL is allowed.
static inline void md5_error_clear(md5_error *error)
{
    if (error) {
        error->status = MD5_OK;
        error->line = error->column = 0;
        error->file[0] = error->message[0] = '\0';
    }
}

// Writes "file:line:column: error: message" (or "warning:") and a NUL to text[size], without the
// parts that `error` lacks; escapes bytes that are not printable UTF-8. Returns the length of the
// text.
MD5_API size_t md5_format_error(const md5_error *error, char *text, size_t size);

// -- Threads --------------------------------------------------------------------------------

// The caller's thread pool, for calls that can use one: a function that runs a range of numbered
// items, in parts, on its threads, and passes each part the number of its thread. A pool whose
// threads have no numbers (dispatch_apply(), parallel_for()) cuts 0..count into num_workers parts
// and passes the number of the part. .github/docs/crowds.md has an example.

// Does the items `begin` to `end` - 1. Two calls at the same time must have different workers,
// because a worker has memory of its own. It allocates and fails no more than the call that passed
// it.
typedef void md5_range_fn(void *user, uint32_t worker, size_t begin, size_t end);

// NULL where one may be passed: the calling thread alone. Results are the same bits with any number
// of workers, in any order of ranges.
typedef struct md5_threads {
    // Calls range(user, worker, begin, end) for ranges that together hold each item below `count`
    // once, in any order, worker < num_workers, and returns when all calls have returned: what they
    // wrote must then be visible to the calling thread, which may be a worker. It is called on the
    // thread that called the library, never within a range. Errors are the pool's own matter: with
    // fewer threads it only takes longer.
    void (*run)(void *pool, size_t count, md5_range_fn *range, void *user);
    void *pool;           // passed to run(); the library keeps neither this nor the structure
    uint32_t num_workers; // 1 or more
} md5_threads;

// Calls range() for all items below `count`: by threads->run(), or, if `threads` is NULL, has one
// worker, or there is only one item, directly as worker 0.
MD5_API void md5_threads_run(const md5_threads *threads, size_t count, md5_range_fn *range,
                             void *user);

// -- Options --------------------------------------------------------------------------------

// Memory functions: both, or neither for malloc and free. Assets keep a copy: `user` must outlive
// them.
typedef struct md5_allocator {
    void *(*alloc)(void *user, size_t size);             // 16-byte aligned, or NULL
    void (*free)(void *user, void *memory, size_t size); // size as it was passed to alloc
    void *user;
    size_t limit; // bytes that one call may hold at a time; 0 = 1 GiB
} md5_allocator;

typedef struct md5_packed md5_packed;       // the tracks of a compressed clip
typedef struct md5_rebase md5_rebase;       // a joint with another parent in the animation
typedef struct md5_pose_plan md5_pose_plan; // the tables that sampling reads, in the order of use

// What an asset holds for the library alone: nothing in it is for programs, which leave it 0 in
// structures that they make.
typedef struct md5_internal {
    md5_allocator allocator;
    void *memory; // beside the asset's block
    const md5_packed *packed;
    const md5_pose_plan *plan;
    const md5_rebase *rebases;
} md5_internal;

// Called for each problem that does not stop a load, from within the loading function. `warning` is
// valid only during the call. Loads report problems of one kind once, at the first one, with their
// number and the last line; num_warnings counts them as one.
typedef void md5_warn_fn(void *user, const md5_error *warning);

// How loads read files, as from an archive; called from within the loading function only. Both
// functions, or neither for the system's files, of which a build with MD5_NO_FILES has none.
typedef struct md5_files {
    // Returns all bytes of a file (of 0 bytes: not NULL), and their number in *size; or NULL,
    // perhaps with the reason in error->message. `path` is that of the load or made from it:
    // machine files name others relative to their own folder.
    const void *(*open)(void *user, const char *path, size_t *size, md5_error *error);
    void (*close)(void *user, const void *bytes, size_t size); // for each open() that succeeded
    void *user;
} md5_files;

// How much the unit normal of a triangle counts at its corners, where normals are summed from those
// of all triangles at a position, whichever of the vertices there the triangles use.
typedef enum md5_normals {
    MD5_NORMALS_ID,   // 1, as in id's engine
    MD5_NORMALS_AREA, // its area, as in most Quake engines: large triangles count more
    MD5_NORMALS_ANGLE // its angle there, however faces are cut (Thuermer and Wuethrich 1998)
} md5_normals;

typedef enum md5_part {      // what a load derives for the meshes of a model; flags
    MD5_PART_TANGENTS = 1,   // and the copies of vertices on mirror seams that they need
    MD5_PART_SKIN_PLANS = 2, // make md5_skin() fast; useless to programs whose shaders skin
    MD5_PART_LOSSES = 4,     // md5_mesh.loss4 and loss8; infinite without
    MD5_PART_GEOMETRY = 15,  // all of these, and positions, normals and influences
} md5_part;

typedef struct md5_load_opts { // 0 in a member is its default
    md5_allocator allocator;
    md5_files files;       // where md5_load_*() read; their bytes do not count as memory
    const char *file_name; // the name that messages use for bytes in memory; NULL = none
#ifdef MD5_NO_WARNINGS
    void *no_warn[2]; // the same layout
#else
    md5_warn_fn *warn; // NULL: warnings are only counted
    void *warn_user;
#endif
    uint32_t max_warnings; // warnings reported in one call, the last one saying so; 0 = 100
    md5_axes axes;         // of the result; 0 = id's: see below
    float scale;           // units of the result in a unit of the file, 1e-6 to 1e6; 0 = 1
    bool flip_v;           // texture v = 0 is the bottom row
    bool drops_triangles;  // with a corner beyond numverts, with a warning; else they are an error
    bool needs_meshes;     // a model without meshes is an error
    bool partial;          // md5_bind() takes clips that have few joints of the model: see there
    bool groups_vertices;  // drawn vertices on the same joints follow each other: see md5_mesh
    md5_normals normals;   // but version 12 stores normals, which are used as they are
    uint32_t without; // md5_part flags that are not derived now: see md5_complete_model(). Programs
                      // that only pose, such as servers, leave out MD5_PART_GEOMETRY
    // Of md5_load_character(): reads the files on these threads, which then call `allocator` and
    // `files` at the same time; `warn` is called on the calling thread, as by one thread alone.
    const md5_threads *threads;
    uint64_t reserved[8]; // 0
} md5_load_opts;

// Conversion: with C = md5_mat34_from_axes(axes, scale), every position p of an asset becomes C p,
// and every transform or matrix M becomes C M C^-1: of model space, of joints' own spaces and of
// cameras. So forward, left and up of a file are those of the result, and what is computed from a
// converted asset is what the file would give, converted. Load all assets of a character with the
// same options: md5_bind() refuses others.
//
// - Triangles keep their order: clockwise as a viewer sees them from outside, as Unity, Godot and
//   Direct3D expect. In left-handed axes (b - a) x (c - a) points outward: md5_mesh.is_mirrored.
// - Functions that need up or forward, such as md5_solve_feet(), and the root motion of machines
//   take them from md5_skeleton.axes: "model x", "y" and "z" in comments are forward, left and up.
//   The caller's vectors are in the axes and units of the asset.
// - md5_track.flags remain those of the file. md5gl draws any axes; its sky light and ground
//   shadows take z as up.

// -- Meshes ---------------------------------------------------------------------------------

// A file vertex: its weights are weights[first_weight .. first_weight + num_weights - 1] of its
// mesh, perhaps shared. A vertex without weights stays at the origin.
typedef struct md5_vertex {
    uint32_t first_weight, num_weights;
} md5_vertex;

typedef struct md5_weight {
    uint32_t joint;
    float bias;      // as in the file; sums other than 1 occur
    md5_vec3 offset; // in the joint's space
} md5_weight;

typedef struct md5_skin_plan md5_skin_plan; // the order in which md5_skin() computes vertices

// First the file's tables, then the drawn vertices that are derived from them.
typedef struct md5_mesh {
    const char *name;   // from `name "x"` or the comment `// meshes: x`; "" if neither
    const char *shader; // as in the file; "" if none
    uint32_t num_file_vertices, num_weights;
    const md5_vertex *file_vertices; // [num_file_vertices]
    const md5_weight *weights;       // [num_weights]
    // Drawn vertices: the file's, in file order, then copies of those on mirror seams, where one
    // vertex belongs to triangles of both texture orientations and needs two tangents. `positions`,
    // `normals`, `tangents` are in the bind pose, model space. Files of version 12 store normals
    // and tangents, which are used without copies. With md5_load_opts.groups_vertices all of them
    // are in an order by joints, which `sources` tells and all that is of a drawn vertex follows:
    // the same vertices to the last bit, which md5_skin() computes in 0.7 to 1.05 of the time, most
    // in 0.95. The load takes a tenth longer, and up to 48 bytes a vertex where reading took less.
    uint32_t num_vertices, num_triangles; // num_vertices >= num_file_vertices
    const uint32_t *indices;   // [3 * num_triangles] drawn vertices, clockwise seen from outside
    bool is_mirrored;          // left-handed axes: (b - a) x (c - a) points outward, else the other
    const uint32_t *sources;   // [num_vertices] the file vertex of each drawn one
    const md5_vec2 *texcoords; // [num_vertices]
    const md5_vec3 *positions; // [num_vertices]
    const md5_vec3 *normals;   // [num_vertices] unit length, outward; up if undefined
    // [num_vertices] or NULL (left out); unit length, perpendicular to the normal, along +u;
    // w = +-1: bitangent (along +v) = cross(N, T) * w
    const md5_vec4 *tangents;
    const md5_vec4 *colors; // [num_vertices] linear r g b a, 0 to 1, version 12 only; else NULL
    // Influences of drawn vertex v: first_influence[v] .. first_influence[v + 1] - 1, largest
    // absolute bias first, each joint once, none that is all 0. An influence is (bias * point,
    // bias), where point is the weight's position in the bind pose, model space. So the exact
    // vertex is the sum of palette[joint] * influence, for any number of weights and any biases.
    uint32_t num_influences, max_influences; // max_influences: of one vertex
    const uint32_t *first_influence;         // [num_vertices + 1]
    const uint32_t *influence_joints;        // [num_influences]
    const md5_vec4 *influences;              // [num_influences]
    uint32_t max_weights;                    // of one file vertex
    uint32_t num_off_sums; // file vertices whose biases do not sum to 1 within 1e-4
    float loss4, loss8;    // largest error of drawing with 4 or 8 influences a vertex, in units:
                           // md5_pack_loss() without a pose; infinite without MD5_PART_LOSSES
    md5_bounds bounds;     // of `positions`
    const md5_skin_plan *skin_plan; // NULL (left out): slower, same bits; or no vertices
    uint64_t reserved[8];           // 0
} md5_mesh;

// -- Assets ---------------------------------------------------------------------------------

// Numbers of files are from -1e9 to 1e9, or the load fails; so poses, palettes and vertices are
// finite.

typedef struct md5_joint {
    const char *name; // NUL-terminated bytes as in the file, whose encoding is unknown
    uint32_t parent;  // MD5_NONE = root
} md5_joint;

// Joints in file order: a parent may come after its child, so iterate over `order`.
typedef struct md5_skeleton {
    uint32_t num_joints;
    const md5_joint *joints; // [num_joints]
    const uint32_t *order;   // [num_joints] every joint once, level by level, parents first
    md5_axes axes;           // of all spaces: see md5_load_opts
    float scale;             // units in a unit of the file; 0 = 1
} md5_skeleton;

typedef struct md5_model { // skeleton and meshes of one .md5mesh
    md5_skeleton skeleton;
    const md5_xform *bind_local;       // [num_joints] bind pose relative to the parent
    const md5_mat34 *bind;             // [num_joints] bind pose, model space
    const md5_mat34 *inverse_bind;     // [num_joints]
    uint32_t num_meshes, max_vertices; // max_vertices: num_vertices of the largest mesh
    md5_normals normals;               // as the options of the load asked for
    const md5_mesh *meshes;            // [num_meshes]
    md5_bounds bounds;                 // of all meshes in the bind pose
    const char *command_line;
    uint32_t num_warnings; // of the load, reported or not
    bool flip_v;           // as the options of the load asked for
    bool stores_normals;   // version 12: normals, and tangents, are those of the file
    bool groups_vertices;  // the same; false of asset files, whose order stays as written
    size_t size;           // bytes of the block that holds all of this, except:
    size_t geometry_size;  // of the arrays of all meshes, skinning plans not included; 0:
                           // md5_release_geometry(), or no meshes
    md5_internal internal;
} md5_model;

typedef struct md5_track { // a joint's animated components, as stored in an .md5anim
    uint32_t flags;        // 1 Tx, 2 Ty, 4 Tz, 8 Qx, 16 Qy, 32 Qz
    uint32_t first;        // index of the first one in a frame
} md5_track;

// One .md5anim or compressed clip: both bind, sample and play alike. `constant` has the values that
// no frame changes; `rotations` and `translations` those that change, frame by frame. Values are
// compared, not flags: 0 and -0 are equal, and the first frame's is kept.
typedef struct md5_anim {
    md5_skeleton skeleton;
    bool parents_unknown;        // version 6: all are MD5_NONE, transforms are relative to the
                                 // parent in the model; see md5_bind()
    const md5_track *tracks;     // [num_joints]; NULL if compressed
    const md5_xform *base_frame; // [num_joints] relative to the parent; if compressed the first
                                 // frame, but for the position of joint 0
    uint32_t num_frames;         // >= 1
    double frame_rate;           // frames a second, > 0
    double duration;             // of one cycle, in seconds: (num_frames - 1) / frame_rate
    const md5_xform *constant;   // [num_joints]; the first frame where values change
    uint32_t num_rotations, num_translations; // joints whose rotation or translation changes
    const uint32_t *rotation_joints;          // [num_rotations], ascending
    const uint32_t *translation_joints;       // [num_translations], ascending
    const md5_quat *rotations;                // [num_frames][num_rotations]; NULL if compressed
    const md5_vec3 *translations;             // [num_frames][num_translations]; NULL if compressed
    size_t packed_size; // bytes that sampling reads instead of rotations and translations; 0: not
                        // compressed
    float tolerance;    // of compression, as asked for, units
    // The largest displacement of a point of the skin by compression, measured in model space at
    // all frames and halfway between them: that of the joint's origin plus its skin distance times
    // the chord of its angle. A vertex with weights from 0 to 1 that sum to 1 moves no farther than
    // its joints' points.
    float max_error;                // units, <= tolerance
    const md5_bounds *frame_bounds; // [num_frames] as in the file, or NULL if it has none
    uint32_t num_components;        // numbers in a frame of the file
    const char *command_line;
    uint32_t num_warnings;
    size_t size;
    md5_internal internal;
} md5_anim;

// In its own space a camera looks along +x, with y left and z up, or along what these become by
// md5_load_opts.axes.
typedef struct md5_camera_view {
    md5_vec3 position;
    md5_quat rotation;
    float fov; // horizontal field of view, degrees
} md5_camera_view;

// The view that a file stores with a cut: `71 pos ( x y z ) rotA ( pitch yaw roll )`, in degrees,
// or `rot ( x y z )`, as in frames. Virtual reality engines hold it until the next cut instead of
// playing.
typedef struct md5_cut_view {
    uint32_t cut;                    // index into the camera's cuts
    bool has_position, has_rotation; // false: use that of the first frame after the cut
    md5_vec3 position;
    md5_quat rotation;
} md5_cut_view;

typedef struct md5_camera { // one .md5camera: a camera path in shots, separated by cuts
    uint32_t num_frames;    // >= 1
    double frame_rate;      // frames a second, > 0
    double duration;        // seconds: (num_frames - 1 - num_cuts) / frame_rate, at least 0
    uint32_t num_cuts;
    const uint32_t *cuts; // [num_cuts] the last frame of each shot; the next shot begins after it
    uint32_t num_cut_views;
    const md5_cut_view *cut_views; // [num_cut_views], by ascending cut
    const md5_camera_view *frames; // [num_frames]
    const char *command_line;
    uint32_t num_warnings;
    size_t size;
    md5_internal internal;
} md5_camera;

// Loads a file. `path` is in the encoding of the system's open(), on Windows in UTF-8; a pipe or a
// device is an error. Returns NULL on failure. Time and memory are linear in the size of the file,
// whatever it contains.
MD5_API md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error);
MD5_API md5_anim *md5_load_anim(const char *path, const md5_load_opts *opts, md5_error *error);

// Text is version 10, version 12 of Storm Engine 2, or version 6 of Doom 3's alpha of 2002, whose
// models have bones with matrices and whose animations have channels: of each joint x, y and z, and
// yaw, pitch and roll in degrees (md5_quat_from_euler()), each with keys for a range of frames and
// the nearest key outside of it, 0 without keys. Camera paths of version 6 are errors.
//
// Other files are told by their contents: models and animations of Doom 3 BFG, .bmd5mesh and
// .bMD5anim, and camera paths of RBDOOM-3-BFG, .bcanim. Messages count such a file as one line.
// Such a model has at most four weights a vertex, whose sum is 1, and normals that are derived as
// for text; an animation's root begins at the origin.
//
// And animations that md5_write_anim() wrote, and asset files. Every number is checked: whatever
// the bytes are, samples are finite and rotations of unit length. MD5_ERROR_VERSION: another
// version; MD5_ERROR_SYNTAX: cut off or changed (checksum); MD5_ERROR_RANGE: numbers contradict
// each other. Axes and scale are those that the asset had, not those of `opts`.

// The same from text[size], which needs no NUL at its end and is not kept; NULL if `size` is 0.
MD5_API md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                                   md5_error *error);
MD5_API md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts,
                                 md5_error *error);

// Return the index of the first joint or mesh of that name (case-sensitive), or MD5_NONE if there
// is none or `name` is NULL. Linear in their number: call them once.
MD5_API uint32_t md5_find_joint(const md5_skeleton *skeleton, const char *name);
MD5_API uint32_t md5_find_mesh(const md5_model *model, const char *name);

// Frees the arrays and skinning plans of all meshes, for programs that have uploaded them: 98 % of
// a model's memory. They become NULL; the rest stays where it is, and bindings, machines, players
// and md5gl_model stay valid. After that it is an error to skin, pack or query the model
// (md5skin.h); md5_create_machine() and md5gl_create_model() report an error, and so does
// MD5GL_PATH_CPU. A second call does nothing. Counts as a write to the model.
MD5_API void md5_release_geometry(md5_model *model);

// Derives what the load left out: then the model is the same, bit for bit, as one that was loaded
// with these parts. `parts`: md5_part flags; those that exist already stay. Memory comes from the
// allocator of the load. Counts as a write to the model; new arrays replace old ones. Returns
// false, and leaves the model as it was (but some meshes may have got their skinning plan), if
// memory runs out, or with MD5_ERROR_MISMATCH after md5_release_geometry() or of an asset file.
//
// Of a model that was loaded without MD5_PART_GEOMETRY, meshes are as after md5_release_geometry(),
// except that bounds are empty, losses infinite, counts those of the file, and num_influences and
// what follows 0. What they are made from is kept, checked, in about half of the memory. Any part
// begins by making the geometry.
//
// Tangents derive the geometry again, with more vertices if there are mirror seams. If the load
// converted by flip_v, or by a scale that is not a power of two, the last bits may differ: the
// file's numbers are computed back. Tangents of version 12 are not derived: MD5_ERROR_MISMATCH,
// unless the load left out the geometry.
MD5_API bool md5_complete_model(md5_model *model, uint32_t parts, md5_error *error);

MD5_API void md5_free_model(md5_model *model);
MD5_API void md5_free_anim(md5_anim *anim);

// -- Binding --------------------------------------------------------------------------------

// Which animation joint drives which model joint. Keeps pointers to both: free it before them.
typedef struct md5_binding {
    const md5_model *model; // NULL if md5_bind_skeleton() made it
    const md5_skeleton *skeleton;
    const md5_xform *bind_local;   // [model joints]
    const md5_mat34 *inverse_bind; // [model joints] what md5_pose_palette() multiplies by
    const md5_anim *anim;
    const uint32_t *tracks; // [model joints] animation joint; MD5_NONE: keeps its bind pose
    bool same_order;        // tracks[joint] == joint for all
    uint32_t num_missing, num_extra; // model joints without a track; animation joints without use
    uint32_t num_rebases;            // joints with another parent in the animation
    size_t size;
    md5_internal internal;
} md5_binding;

// Matches the joints of `anim` and `model` by name (case-sensitive; the k-th of several joints of
// one name drives the k-th). Same names and parents in the same order are the fast case.
//
// - A model joint without a track keeps its bind pose relative to its parent.
// - An animation joint that the model lacks still moves the joints below it.
// - If a joint's parent in the animation is an ancestor in the model, the joint follows that
//   ancestor; joints in between, which only the model has, do not displace it. If the hierarchies
//   contradict each other, or the animation's has parents_unknown, the model's is used.
//
// Each difference is a warning. Returns NULL and MD5_ERROR_MISMATCH with the first missing joints
// if fewer than half of the model's joints or of the animation's have a partner: it is probably of
// another skeleton. With opts->partial only if none has one. Likewise if the two were loaded with
// different axes or scales. If `model` or `anim` is NULL, leaves the error of its load: check once,
// after the last call. Time and memory are linear in the joints and their names (times its
// logarithm if orders differ).
MD5_API md5_binding *md5_bind(const md5_model *model, const md5_anim *anim,
                              const md5_load_opts *opts, md5_error *error);

// The same for a skeleton without a model, such as one that several models share or that the
// program has made: parents are joints or MD5_NONE, `order` lists every joint once, parents first.
// `bind_local` is its bind pose, relative to the parent. Keeps both pointers. Palettes posed by
// this binding suit models in that bind pose; for others call md5_sample() once and
// md5_local_to_palette() for each. State machines need the binding of a model.
MD5_API md5_binding *md5_bind_skeleton(const md5_skeleton *skeleton, const md5_xform *bind_local,
                                       const md5_anim *anim, const md5_load_opts *opts,
                                       md5_error *error);
MD5_API void md5_free_binding(md5_binding *binding);

// -- Time -----------------------------------------------------------------------------------

typedef enum md5_wrap {
    MD5_WRAP_LOOP,  // closed loop, as id's engine: num_frames - 1 intervals, last frame = first
    MD5_WRAP_CYCLE, // open loop: num_frames intervals, the last frame blends into the first
    MD5_WRAP_CLAMP, // no loop: the first frame before the start, the last after the end
} md5_wrap;

typedef enum md5_interpolation { // between two frames
    MD5_INTERPOLATE_LINEAR,      // rotations are slerped, translations lerped
    MD5_INTERPOLATE_STEP,        // each frame holds until the next
#ifndef MD5_NO_CUBIC
    MD5_INTERPOLATE_CUBIC, // smooth through the frames: see md5_sample()
#endif
    MD5_INTERPOLATE_NLERP = 3, // as LINEAR, with rotations by md5_quat_nlerp()
} md5_interpolation;

// A sample position in a clip: two frames and the fraction between them. A value: it never grows.
typedef struct md5_moment {
    uint32_t frame0, frame1;
    float fraction;                  // 0 <= fraction < 1; 0 = frame0
    md5_wrap wrap;                   // with which it was made: what CUBIC finds beyond the ends
    md5_interpolation interpolation; // LINEAR when it is made; set it for another
    int64_t cycle;                   // number of the loop, 0 from time 0 on; negative before
} md5_moment;

// Returns the sample position at `time` seconds, which may be negative, exact to the last bit of a
// double. To play backward or at another speed, pass such times. NaN counts as 0, infinity as the
// largest time. With MD5_WRAP_LOOP the end of a cycle is frame 0 of the next one.
MD5_API md5_moment md5_moment_at(const md5_anim *anim, double time, md5_wrap wrap);

// Returns the sample position of programs that count frames: from `frame0` (fraction 0) to `frame1`
// (1), any of the clip, with cycle 0 and MD5_WRAP_LOOP. All are clamped; NaN counts as 0.
MD5_API md5_moment md5_moment_from_frames(const md5_anim *anim, uint32_t frame0, uint32_t frame1,
                                          float fraction);

#ifndef MD5_NO_EXTRAS
// As those of models and animations.
MD5_API md5_camera *md5_load_camera(const char *path, const md5_load_opts *opts, md5_error *error);
MD5_API md5_camera *md5_parse_camera(const void *text, size_t size, const md5_load_opts *opts,
                                     md5_error *error);
MD5_API void md5_free_camera(md5_camera *camera);

// Returns the camera's view at `time` seconds, in the file's space. As in id's engine, a shot moves
// toward the frame that is its cut, and the next shot begins with the frame after that. Positions
// and fields of view are lerped, rotations slerped. MD5_WRAP_LOOP repeats after `duration`;
// MD5_WRAP_CYCLE holds the last view for one frame more, as `cycle` in id's engine. Cut views are
// not used.
//
// `seconds` above 0 smooth paths that shake: the view is then a weighted mean of those up to
// `seconds` before and after `time`, at most 512 frames, with weights (1 - u^2)^2, u from -1 to 1.
// Shots are never blended: the span shrinks towards the ends of a shot, which are as in the file.
// Rotations are summed and normalized: no span should turn by more than half a circle.
MD5_API md5_camera_view md5_camera_at(const md5_camera *camera, double time, md5_wrap wrap,
                                      double seconds);

// Returns the camera's view of the last cut before `time`; NULL if there is none.
MD5_API const md5_cut_view *md5_camera_cut_view(const md5_camera *camera, double time,
                                                md5_wrap wrap);
#endif

// -- Posing ---------------------------------------------------------------------------------

typedef enum md5_root { // the translation of joint 0, with which clips move a character
    MD5_ROOT_FILE,      // as stored
    MD5_ROOT_ID,        // as in id's engine: minus the base frame's, plus each past cycle's motion
    MD5_ROOT_IN_PLACE,  // that of the first frame: add md5_anim_root_motion() to the character
} md5_root;

// Writes pose[joints of the binding] at `moment`, transforms relative to the parent. At fraction 0
// it is the first frame as stored; between two frames moment.interpolation says:
//
// - LINEAR: rotations are slerped, translations lerped.
// - STEP: the first frame.
// - CUBIC: smooth curves through the frames, for slow motion of clips with few frames a second:
//   exact at each frame, with continuous velocity. A joint's velocity at a frame is the mean of
//   those before and after it; beyond the first and last frame moment.wrap says whether that is the
//   other end of the cycle or no motion. Translations are Catmull-Rom splines (1974), rotations
//   Hermite quaternion curves (Kim, Kim and Shin 1995). A hundred times slower: 0.3 microseconds a
//   joint.
// - NLERP: as LINEAR, but rotations by md5_quat_nlerp(), which says how far that is from slerp.
//
// md5_anim_root_motion() is linear in any case. For an animation without a model bind it to its own
// skeleton: md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, ...).
MD5_API void md5_sample(const md5_binding *binding, md5_moment moment, md5_root root,
                        md5_xform *pose);

// Returns the displacement of joint 0 between two moments of a clip, in units: what
// MD5_ROOT_IN_PLACE removes. Each cycle adds last frame minus first, so that displacements of
// intervals add up.
MD5_API md5_vec3 md5_anim_root_motion(const md5_anim *anim, md5_moment from, md5_moment to);

// Returns the union of the file's bounds of both frames, which are often wrong (md5_skin_bounds()
// is not), or empty bounds if the file has none. With MD5_ROOT_FILE as stored; with
// MD5_ROOT_IN_PLACE moved as joint 0 is; with MD5_ROOT_ID as id's engine does, relative to joint
// 0's displacement from the base frame: add the sampled pose[0].translation to place them at the
// pose.
MD5_API md5_bounds md5_anim_bounds(const md5_anim *anim, md5_moment moment, md5_root root);

// Writes joints[skeleton->num_joints]: model-space matrices of pose[num_joints], in joint order.
MD5_API void md5_local_to_model(const md5_skeleton *skeleton, const md5_xform *pose,
                                md5_mat34 *joints);

// The same as transforms, in joint order. Rotations are renormalized joint by joint, so that long
// chains stay rotations. `joints` may be `pose`.
MD5_API void md5_local_to_model_xforms(const md5_skeleton *skeleton, const md5_xform *pose,
                                       md5_xform *joints);

// The inverse, for joints that something else has placed, such as a ragdoll: writes
// pose[num_joints], relative to the parent, of joints[num_joints] in model space, with rotations of
// unit length in both. `pose` may be `joints`.
MD5_API void md5_model_to_local_xforms(const md5_skeleton *skeleton, const md5_xform *joints,
                                       md5_xform *pose);

// Returns the model-space matrix of something attached to a joint: joints[joint] * offset.
MD5_API md5_mat34 md5_attach_to_joint(const md5_mat34 *joints, uint32_t joint, md5_xform offset);

// Writes palette[model joints] = joints * inverse bind, which take vertices from the bind pose to
// the posed model, model space. `palette` and `joints` may be the same array.
MD5_API void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette);

// Both in one call: faster, same bits. Writes joints and palette, [model joints]; either may be
// NULL.
MD5_API void md5_local_to_palette(const md5_model *model, const md5_xform *pose, md5_mat34 *joints,
                                  md5_mat34 *palette);

// All three in one call: faster, same bits. Writes joints and palette, [model joints] each, of
// which either may be NULL; uses pose[model joints] as working memory.
MD5_API void md5_pose_palette(const md5_binding *binding, md5_moment moment, md5_root root,
                              md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette);

// What posing one character takes, in one block, as of malloc(): not initialized but for the pose,
// which is the bind pose.
typedef struct md5_pose_buffers {
    md5_xform *pose;             // [num_joints]
    md5_mat34 *joints, *palette; // [num_joints]
    void *scratch;               // of the size that was asked for, which may be 0
    uint32_t num_joints;
    size_t size;
    md5_internal internal;
} md5_pose_buffers;

// `scratch_size`: that of another call, such as md5_player_pose_scratch(). `allocator` may be NULL:
// malloc(). Returns NULL if memory runs out, or if `model` is NULL.
MD5_API md5_pose_buffers *md5_create_pose_buffers(const md5_model *model, size_t scratch_size,
                                                  const md5_allocator *allocator, md5_error *error);
MD5_API void md5_destroy_pose_buffers(md5_pose_buffers *buffers); // NULL is allowed

typedef struct md5_pose_job { // the arguments of md5_pose_palette()
    const md5_binding *binding;
    md5_moment moment;
    md5_root root;
    md5_mat34 *palette;   // [model joints], written
    md5_mat34 *joints;    // [model joints], written: model-space matrices; may be NULL
    uint32_t num_joints;  // that both have room for, which debug builds compare; 0 = unknown
    uint64_t reserved[4]; // 0
} md5_pose_job;

// Poses jobs[count], of any models, clips and moments: faster than one by one, same bits. Jobs with
// the same binding, anywhere in `jobs`, are posed 4 to 16 at a time, if their moments are LINEAR,
// or NLERP. Results of different jobs must not overlap. `scratch`: md5_pose_batch_scratch() bytes,
// at any address. Jobs of one clip together are twice as fast. If palettes exceed the caches, as
// those of thousands of characters do, write about 32 at a time to one buffer and copy from there.
MD5_API void md5_pose_batch(const md5_pose_job *jobs, size_t count, const md5_threads *threads,
                            void *scratch);

// For these jobs or any part of them: by the largest model and the number of workers, not `count`.
MD5_API size_t md5_pose_batch_scratch(const md5_pose_job *jobs, size_t count,
                                      const md5_threads *threads);

// -- Blending -------------------------------------------------------------------------------

// Poses of the same `count` joints, as md5_sample() writes them; the result may be the same array
// as any input. joint_weights[count] is a mask: a joint's weight is weight * joint_weights[joint],
// clamped; NaN counts as 0. NULL: 1 for all. Joints of weight 0 are those of the first input, bit
// by bit. Arrays aligned to 64 bytes are fastest.

// Writes weights[skeleton->num_joints], 0 to 1, from id's channel words: `J` adds a joint, `*J` a
// joint and its descendants, `-J` and `-*J` remove them, from left to right. J is a bare word, or
// any name in quotes of either kind, without escapes: `*"Bip01 L Hand"`; only if no joint has the
// quoted name, signs at its beginning count as signs. Names are case-sensitive; if no joint
// matches, case is ignored, as in id's engine. With `feather` n > 0, a joint n levels or more below
// the joint of its word has full weight; weights above it rise linearly: (level + 1) / (n + 1). A
// joint that is added twice keeps the larger weight. MD5_ERROR_SYNTAX, with line and column in
// `words`: an unknown joint, a stray sign or an open quote. Time: length of the text plus words
// times joints.
MD5_API bool md5_build_mask(const md5_skeleton *skeleton, const char *words, uint32_t feather,
                            float *weights, md5_error *error);

// Writes pose[count]: `from` at weight 0, `to` at weight 1, bit by bit; weights are clamped to
// 0..1. Rotations are slerped along the shorter arc, be they q or -q, within 1e-6 radians;
// translations are lerped. Blending a pose with itself gives that pose.
MD5_API void md5_blend_poses(const md5_xform *from, const md5_xform *to, float weight,
                             const float *joint_weights, uint32_t count, md5_xform *pose);

typedef struct md5_blend_job {  // the arguments of md5_blend_poses(), and how rotations blend
    const md5_xform *from, *to; // [count]
    const float *joint_weights; // [count], or NULL
    md5_xform *pose;            // [count], written
    float weight;
    uint32_t count;
    md5_interpolation interpolation; // LINEAR, which is slerp, or NLERP: see md5_quat_nlerp()
    uint64_t reserved[2];            // 0
} md5_blend_job;

// Blends jobs[count], one after the other: a job may blend what one before it wrote. NLERP has the
// ends, arcs and masks of slerp; md5_quat_nlerp() says how far between them it is from that.
MD5_API void md5_blend_batch(const md5_blend_job *jobs, size_t count);

// Writes difference[count], which md5_add_pose() adds to `reference`, any pose, to get `source`:
// rotations inverse(reference) * source, translations source - reference.
MD5_API void md5_subtract_pose(const md5_xform *source, const md5_xform *reference, uint32_t count,
                               md5_xform *difference);

// Writes out[count] = `pose` plus weight, clamped to -1..1, times the difference of `source` from
// `reference`; if that is NULL, `source` is such a difference, as of md5_subtract_pose(): the same
// bits. With both, an additive clip is added as it is sampled. Adding by -1 undoes adding by 1, up
// to rounding error. Rotations are pose * slerp(identity, difference, weight): joints turn about
// their own axes, so a nod stays a nod on a turned head. Translations are added in the parent's
// space.
MD5_API void md5_add_pose(const md5_xform *pose, const md5_xform *source,
                          const md5_xform *reference, float weight, const float *joint_weights,
                          uint32_t count, md5_xform *out);

#ifndef MD5_NO_COMPRESSED
// -- Compressed clips -----------------------------------------------------------------------

// Clips in a fifth to an eighth of their memory, with an error that is measured.
//
//   md5_anim *walk = md5_compress_anim(anim, &(md5_compress_opts){.model = model}, NULL, &error);
//   md5_binding *binding = md5_bind(model, walk, NULL, &error); // and so on, as of any clip
//
// Constant tracks are stored once. Of the others, frames that are interpolated from their
// neighbours well enough are dropped. What remains are integers of as many bits as the tolerance
// asks for: each joint has its own step, finer for joints with much of the model below them. Any
// moment costs the same. A rotation may be -q where the animation has q. MD5_INTERPOLATE_NLERP and
// CUBIC go through the samples of the frames, and are several times slower. The same input gives
// the same bytes and samples with every compiler, platform and instruction set.

typedef struct md5_compress_opts {
    float tolerance; // largest displacement at the skin, units; 0 = 0.01 times the clip's scale
    // The skin distance of a joint is that of the farthest vertex that it moves. Taken from the
    // weights of `model`, whose joints are matched by name (differences are warnings, as those of
    // md5_bind(); vertices of a joint that the clip lacks move with its parent); or from
    // distances[anim joints], units, if that is not NULL. Without both: the longest bone from the
    // joint to a child, or, if it has none, from its parent. Joints without vertices, and all if
    // there is neither: 0. At least 1 unit (times the clip's scale) in any case, so that rotations
    // keep their directions.
    const md5_model *model;
    const float *distances;
    uint64_t reserved[8]; // 0
} md5_compress_opts;

// Compresses an animation. `compress` may be NULL. Returns NULL with
// - MD5_ERROR_RANGE if the tolerance is negative or not finite, or finer than floats of the clip's
//   size can keep; if the clip has more than 65535 joints or frames beyond 1e9 units;
// - MD5_ERROR_VERSION for version 6, which stores no hierarchy (parents_unknown);
// - MD5_ERROR_MISMATCH if no joint of the model is in the animation, or if it is compressed.
//
// The result is the smallest of 16 attempts, each of which is decoded and measured; if none holds,
// of more with finer steps. Some 9 microseconds a joint and frame. Time and memory are linear in
// joints times frames. Bounds of frames and the command line are not kept.
MD5_API md5_anim *md5_compress_anim(const md5_anim *anim, const md5_compress_opts *compress,
                                    const md5_load_opts *opts, md5_error *error);

// Makes a plain animation of a compressed one, whose frames are the samples of the clip at them:
// for tools. There are no bounds of frames. Returns NULL with MD5_ERROR_MISMATCH if `anim` is not
// compressed.
MD5_API md5_anim *md5_decompress_anim(const md5_anim *anim, const md5_load_opts *opts,
                                      md5_error *error);

// Writes a compressed clip to bytes[size] as a file for md5_load_anim(): one of its own, or a part
// of another one. Returns its size, and writes nothing if there is less room. The bytes do not
// depend on their position or the platform, and end with a checksum. Returns 0 if the clip is not
// compressed.
MD5_API size_t md5_write_anim(const md5_anim *anim, void *bytes, size_t size);
#endif

#ifndef MD5_NO_ASSET_FILES
// -- Asset files ----------------------------------------------------------------------------
//
// An asset file is models and clips as they are in memory, to be used where its bytes lie: baked
// once, later mapped, so that processes share its memory.
//
//   const md5_assets baked = {.num_models = 1, .models = model, .num_anims = 9, .anims = anims};
//   size_t size = md5_write_assets(&baked, NULL, 0); // then to bytes[size], which become a file
//   ...
//   void *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
//   md5_assets *assets = md5_map_assets(bytes, size, false, NULL, &error);
//   md5_binding *walk = md5_bind(assets->models, &assets->anims[8], NULL, &error);
//
// One of a single model, or of one clip, is also a file for md5_load_model() or
// md5_load_anim(), under any name, and so for all that loads files, such as md5_load_character().
// It is then checked as if it were not trusted, and copied into the one block of the asset, of
// which md5_release_geometry() frees nothing. Axes, scale, flip_v and parts stay as written.

typedef struct md5_assets {
    uint32_t num_models, num_anims;
    const md5_model *models; // [num_models] to write several, copy the structures side by side
    const md5_anim *anims;   // [num_anims] likewise
    size_t size;             // of what md5_map_assets() made: bytes of its block
    md5_internal internal;
    uint64_t reserved[4]; // 0
} md5_assets;

// Writes models and clips to bytes[size]. Returns the size of the file, and writes nothing if
// there is less room. The same assets give the same bytes on all little-endian platforms. Returns 0
// if the geometry of a model was released, or left out by the load.
MD5_API size_t md5_write_assets(const md5_assets *assets, void *bytes, size_t size);

// Makes the assets of a file, whose bytes[size], at a multiple of 16, stay where they are,
// unchanged, until md5_free_assets(). They are those that were written, bit for bit but for
// num_warnings, which is 0, read-only, and freed together. Allocates one block, for what has
// pointers. Unless the file `is_trusted`, which only the program could write, compares a checksum
// and checks every value: whatever the bytes are, assets are safe to use and poses finite, though
// perhaps of no use.
//
// Returns NULL with MD5_ERROR_SYNTAX if the bytes are no asset file, cut off or changed;
// MD5_ERROR_VERSION if another version, or a machine of another byte order, wrote them;
// MD5_ERROR_RANGE for a value that assets cannot have, or another address. Of `opts` only
// allocator, file_name and needs_meshes count. Time: linear in the size, or, if trusted, in joints
// and meshes.
MD5_API md5_assets *md5_map_assets(const void *bytes, size_t size, bool is_trusted,
                                   const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_assets(md5_assets *assets);
#endif

#ifdef __cplusplus
}
#endif

#endif
