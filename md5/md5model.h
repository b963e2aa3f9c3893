// md5model: reads, poses and skins id Software's MD5 models (.md5mesh, .md5anim,
// .md5camera).
//
// The steps, in the order of this header:
//
//   text --md5_load_model(), md5_load_anim()--> assets
//        --md5_bind()--> binding: which animation track drives which joint
//        --md5_moment_at(), md5_sample()--> pose: joint transforms relative to their parents
//        --md5_local_to_model()--> joint matrices in model space
//        --md5_build_palette()--> palette: matrices from the bind pose to the posed model
//        --md5_skin(), or a shader--> vertices
//
// Space: id Software's. x forward, y left, z up, right-handed, in the file's units (usually
// inches). Vectors are columns: v' = M * v. Quaternions follow textbook order: world = parent *
// local. Front faces are clockwise: (c - a) x (b - a) points outward. Texture v = 0 is the top row.
//
// Memory: an asset is one block from the caller's allocator and is read-only. Posing, blending and
// skinning write to the caller's arrays, allocate nothing and cannot fail. Arrays must not overlap
// unless a comment allows it. Pointers must not be NULL unless a comment allows it; debug builds
// assert this and the index arguments.
//
// Threads: there is no global state. Threads may share assets. All functions may run concurrently
// as long as none writes memory that another uses. md5_free_*() counts as a write to its asset.
#ifndef MD5MODEL_H
#define MD5MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(MD5_SHARED)
#ifdef MD5_BUILD
#define MD5_API __declspec(dllexport)
#else
#define MD5_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define MD5_API __attribute__((visibility("default")))
#else
#define MD5_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MD5_VERSION_MAJOR 0
#define MD5_VERSION_MINOR 1
#define MD5_VERSION_PATCH 0

// -- Values ---------------------------------------------------------------------------------

typedef struct md5_vec2 {
    float x, y;
} md5_vec2;

typedef struct md5_vec3 {
    float x, y, z;
} md5_vec3;

typedef struct md5_vec4 {
    float x, y, z, w;
} md5_vec4;

// Unit quaternion. Files store x y z. The loader computes w = -sqrt(|1 - x^2 - y^2 - z^2|), with
// which the textbook quaternion-to-matrix formula agrees with id's engine. If x y z are longer than
// 1, it then normalizes x y z w, unlike id's engine, whose matrix is then not a rotation. It warns
// if x^2 + y^2 + z^2 exceeds 1.00001.
typedef struct md5_quat {
    float x, y, z, w;
} md5_quat;

// Rotation, then translation: v' = rotation * v + translation. 32 bytes, for SIMD loads; `pad` is
// 0.
typedef struct md5_transform {
    md5_quat rotation;
    md5_vec3 translation;
    float pad;
} md5_transform;

// A transform as unit dual quaternion: real = rotation, dual = (translation, 0) * rotation / 2.
// Negating both parts gives the same transform.
typedef struct md5_dual_quat {
    md5_quat real, dual;
} md5_dual_quat;

// 3x4 matrix, row-major: row r is m[4*r] .. m[4*r + 3]; its last element is the translation. The
// bytes are three vec4 rows, as shaders read them.
typedef struct md5_mat34 {
    float m[12];
} md5_mat34;

// Axis-aligned bounding box. Empty if min.x > max.x.
typedef struct md5_bounds {
    md5_vec3 min, max;
} md5_bounds;

// Interpolates from `a` (t = 0) to `b` (t = 1) along the shorter great arc (Shoemake 1985). Both
// have unit length; t is clamped to 0..1. Every component is within 1e-6 of the exact result. If
// the shorter arc ends at -b, so does the result: the same rotation as b.
MD5_API md5_quat md5_slerp(md5_quat a, md5_quat b, float t);

// Returns the matrix of a transform, by the textbook formula (Shoemake 1985).
MD5_API md5_mat34 md5_mat34_from_transform(md5_transform transform);

// Returns a * b, which applies b first, then a.
MD5_API md5_mat34 md5_mat34_mul(md5_mat34 a, md5_mat34 b);

// Returns m * (point, 1).
MD5_API md5_vec3 md5_mat34_transform_point(md5_mat34 m, md5_vec3 point);

// Returns the bounds of points[count]. Without points: min = +FLT_MAX, max = -FLT_MAX, which is
// empty; `points` may then be NULL.
MD5_API md5_bounds md5_bounds_of_points(const md5_vec3 *points, size_t count);

// Returns the bounds of two boxes. An empty one adds nothing.
MD5_API md5_bounds md5_bounds_union(md5_bounds a, md5_bounds b);

// -- Errors ---------------------------------------------------------------------------------

typedef enum md5_status {
    MD5_OK,
    MD5_WARNING,        // not a failure: only passed to md5_warn_fn
    MD5_ERROR_IO,       // the file cannot be read or is too large; the message says why
    MD5_ERROR_MEMORY,   // the allocator returned NULL, or memory_limit would be exceeded
    MD5_ERROR_SYNTAX,   // the grammar does not allow this token here
    MD5_ERROR_RANGE,    // a count, index or number outside its range
    MD5_ERROR_VERSION,  // an MD5 file of an unsupported version
    MD5_ERROR_MISMATCH, // no joint of the animation belongs to the model
    MD5_ERROR_GPU,      // render/ only: OpenGL or the shader compiler failed
} md5_status;

// Why and where a call failed. Holds no pointers: copy it freely.
typedef struct md5_error {
    md5_status status;
    uint32_t line, column; // 1-based, column in bytes; 0 = no location in a file
    char file[256];        // as passed by the caller, only its end if it is longer; "" = none
    char message[256];     // UTF-8, NUL-terminated, one line; other bytes are escaped
} md5_error;

// Writes "file:line:column: error: message" (or "warning:") and a NUL to text[size], without the
// parts that `error` lacks. Cuts the text if it is too long; escapes bytes that are not printable
// UTF-8. Returns the length of the uncut text. `text` may be NULL if `size` is 0.
MD5_API size_t md5_format_error(const md5_error *error, char *text, size_t size);

// -- Options --------------------------------------------------------------------------------

// Memory functions: both, or neither for malloc and free. An asset keeps a copy, and md5_free_*()
// calls `free`, so `user` must outlive every asset made with it.
typedef struct md5_allocator {
    void *(*alloc)(void *user, size_t size);             // 16-byte aligned, or NULL
    void (*free)(void *user, void *memory, size_t size); // size as it was passed to alloc
    void *user;
} md5_allocator;

// Called for each problem that does not stop a load, from within the loading function. `warning`
// is valid only during the call.
typedef void md5_warn_fn(void *user, const md5_error *warning);

// Options of a load: begin with `md5_load_opts opts = {0};`. Zero in a field means its default.
typedef struct md5_load_opts {
    md5_allocator allocator;
    size_t memory_limit;   // bytes that one call may hold at a time; 0 = 1 GiB
    const char *file_name; // the name that messages use for a text in memory; NULL = none
    md5_warn_fn *warn;     // NULL: warnings are only counted
    void *warn_user;
    uint32_t max_warnings; // warnings reported in one call, the last one saying so; 0 = 100
} md5_load_opts;

// -- Assets ---------------------------------------------------------------------------------

// Positions, offsets, biases, frame components and fields of view are from -1e9 to 1e9. The loader
// rejects other files; so poses, palettes and vertices are finite.

typedef struct md5_joint {
    const char *name; // NUL-terminated bytes as in the file, whose encoding is unknown
    int32_t parent;   // -1 = root
} md5_joint;

// Joints in file order. A parent may come after its child, so iterate over `order`.
typedef struct md5_skeleton {
    uint32_t num_joints;
    const md5_joint *joints; // [num_joints]
    const uint32_t *order;   // [num_joints] every joint once, level by level, parents first
} md5_skeleton;

// A file vertex: its weights are weights[first_weight .. first_weight + num_weights - 1] of its
// mesh. Vertices may share weights. A vertex without weights stays at the origin.
typedef struct md5_vertex {
    uint32_t first_weight, num_weights;
} md5_vertex;

typedef struct md5_weight {
    uint32_t joint;
    float bias;      // as in the file; sums other than 1 occur
    md5_vec3 offset; // in the joint's space
} md5_weight;

// The order in which md5_skin() computes vertices; made by the loader.
typedef struct md5_skin_plan md5_skin_plan;

// One mesh: first the file's tables, then the drawn vertices that are derived from them.
typedef struct md5_mesh {
    const char *name;   // from `name "x"` or the comment `// meshes: x`; "" if neither
    const char *shader; // as in the file; "" if none

    uint32_t num_file_vertices;
    uint32_t num_weights;
    const md5_vertex *file_vertices; // [num_file_vertices]
    const md5_weight *weights;       // [num_weights]

    // Drawn vertices: the file's, in file order, then copies of those on mirror seams, where one
    // vertex belongs to triangles of both texture orientations and needs two tangents. `positions`,
    // `normals`, `tangents` are in the bind pose, model space. Files of version 12 store normals
    // and tangents, which are used without copies.
    uint32_t num_vertices; // >= num_file_vertices
    uint32_t num_triangles;
    const uint32_t *indices;   // [3 * num_triangles] drawn vertices, clockwise seen from outside
    const uint32_t *sources;   // [num_vertices] the file vertex of each drawn one
    const md5_vec2 *texcoords; // [num_vertices]
    const md5_vec3 *positions; // [num_vertices]
    const md5_vec3 *normals;   // [num_vertices] unit length, outward; 0 0 1 if undefined
    const md5_vec4 *tangents;  // [num_vertices] unit length, perpendicular to the normal,
                               // along +u; w = +-1: bitangent (along +v) = cross(N, T) * w

    const md5_vec4 *colors; // [num_vertices] linear r g b a, 0 to 1, version 12 only; else NULL

    // Influences of drawn vertex v: first_influence[v] .. first_influence[v + 1] - 1, largest
    // absolute bias first, each joint once, none that is all 0. An influence is (bias * point,
    // bias), where point is the weight's position in the bind pose, model space. So the exact
    // vertex is the sum of palette[joint] * influence, for any number of weights and any biases.
    uint32_t num_influences;
    uint32_t max_influences;          // of one vertex
    const uint32_t *first_influence;  // [num_vertices + 1]
    const uint32_t *influence_joints; // [num_influences]
    const md5_vec4 *influences;       // [num_influences]

    uint32_t max_weights;  // of one file vertex
    uint32_t num_off_sums; // file vertices whose biases do not sum to 1 within 1e-4
    float loss4, loss8;    // largest error of drawing with 4 or 8 influences a vertex, in units:
                           // md5_path_loss() with 4 or 8 slots and no pose

    md5_bounds bounds; // of `positions`

    const md5_skin_plan *skin_plan; // NULL in a mesh that the caller made: md5_skin() is slower
} md5_mesh;

// Skeleton and meshes of one .md5mesh.
typedef struct md5_model {
    md5_skeleton skeleton;
    const md5_transform *bind_local; // [num_joints] bind pose relative to the parent
    const md5_mat34 *bind;           // [num_joints] bind pose, model space
    const md5_mat34 *inverse_bind;   // [num_joints]
    uint32_t num_meshes;
    const md5_mesh *meshes; // [num_meshes]
    md5_bounds bounds;      // of all meshes in the bind pose
    const char *command_line;
    uint32_t num_warnings; // of the load, reported or not
    size_t size;           // bytes of the block that holds all of this
    md5_allocator allocator;
} md5_model;

// A joint's animated components, as stored in an .md5anim.
typedef struct md5_track {
    uint32_t flags; // 1 Tx, 2 Ty, 4 Tz, 8 Qx, 16 Qy, 32 Qz
    uint32_t first; // index of the first one in a frame
} md5_track;

// One .md5anim, stored for sampling. `constant` has the values that no frame changes; `rotations`
// and `translations` have those that change, frame by frame. Values are compared, not flags: 0 and
// -0 are equal, and the first frame's is kept.
typedef struct md5_anim {
    md5_skeleton skeleton;
    const md5_track *tracks;         // [num_joints]
    const md5_transform *base_frame; // [num_joints] relative to the parent

    uint32_t num_frames; // >= 1
    double frame_rate;   // frames a second, > 0
    double duration;     // of one cycle, in seconds: (num_frames - 1) / frame_rate

    const md5_transform *constant;      // [num_joints]; the first frame where values change
    uint32_t num_rotations;             // joints whose rotation changes
    uint32_t num_translations;          // joints whose translation changes
    const uint32_t *rotation_joints;    // [num_rotations], ascending
    const uint32_t *translation_joints; // [num_translations], ascending
    const md5_quat *rotations;          // [num_frames][num_rotations]
    const md5_vec3 *translations;       // [num_frames][num_translations]

    const md5_bounds *frame_bounds; // [num_frames] as in the file, or NULL if it has none
    uint32_t num_components;        // numbers in a frame of the file
    const char *command_line;
    uint32_t num_warnings;
    size_t size;
    md5_allocator allocator;
} md5_anim;

// A camera's view at one time. In its own space a camera looks along +x, with y left and z up.
typedef struct md5_camera_view {
    md5_vec3 position;
    md5_quat rotation;
    float fov; // horizontal field of view, degrees
} md5_camera_view;

// The view that a file stores with a cut: `71 pos ( x y z ) rotA ( pitch yaw roll )`, in degrees,
// or `rot ( x y z )`, as in frames. A virtual reality engine holds it until the next cut instead of
// playing the frames.
typedef struct md5_cut_view {
    uint32_t cut;                    // index into the camera's cuts
    bool has_position, has_rotation; // false: use that of the first frame after the cut
    md5_vec3 position;
    md5_quat rotation;
} md5_cut_view;

// One .md5camera: a camera path in shots, separated by cuts.
typedef struct md5_camera {
    uint32_t num_frames; // >= 1
    double frame_rate;   // frames a second, > 0
    double duration;     // seconds: (num_frames - 1 - num_cuts) / frame_rate, at least 0
    uint32_t num_cuts;
    const uint32_t *cuts; // [num_cuts] the last frame of each shot; the next shot begins after it
    uint32_t num_cut_views;
    const md5_cut_view *cut_views; // [num_cut_views], by ascending cut
    const md5_camera_view *frames; // [num_frames]
    const char *command_line;
    uint32_t num_warnings;
    size_t size;
    md5_allocator allocator;
} md5_camera;

// Loads a file. `path` is in the encoding of the system's open(). `opts` and `error` may be NULL.
// Returns NULL on failure; fills `error` in any case. Free the result with md5_free_*(). Time and
// memory are linear in the size of the file, whatever it contains.
MD5_API md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error);
MD5_API md5_anim *md5_load_anim(const char *path, const md5_load_opts *opts, md5_error *error);
MD5_API md5_camera *md5_load_camera(const char *path, const md5_load_opts *opts, md5_error *error);

// The same from text[size], which needs no NUL at its end and is not kept; NULL if `size` is 0.
MD5_API md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                                   md5_error *error);
MD5_API md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts,
                                 md5_error *error);
MD5_API md5_camera *md5_parse_camera(const void *text, size_t size, const md5_load_opts *opts,
                                     md5_error *error);

// Frees an asset. Does nothing for NULL.
MD5_API void md5_free_model(md5_model *model);
MD5_API void md5_free_anim(md5_anim *anim);
MD5_API void md5_free_camera(md5_camera *camera);

// -- Binding --------------------------------------------------------------------------------

// The correction for a model joint whose track is relative to another joint than its parent in the
// model: see md5_bind().
typedef struct md5_rebase md5_rebase;

// The tables that sampling reads, in the order of use; made by md5_bind().
typedef struct md5_pose_plan md5_pose_plan;

// Which animation joint drives which model joint. Keeps pointers to both: free it before them.
typedef struct md5_binding {
    const md5_model *model;
    const md5_anim *anim;
    const int32_t *tracks; // [model joints] animation joint; -1 = none, keeps its bind pose
    bool same_order;       // tracks[joint] == joint for all
    uint32_t num_missing;  // model joints without a track
    uint32_t num_extra;    // animation joints that drive nothing
    uint32_t num_rebases;  // joints with another parent in the animation than in the model
    const md5_rebase *rebases;
    const md5_pose_plan *plan;
    size_t size;
    md5_allocator allocator;
} md5_binding;

// Matches the joints of `anim` and `model` by name (case-sensitive; the k-th of several joints of
// one name drives the k-th). Same names and parents in the same order are the fast case.
//
// - A model joint without a track keeps its bind pose relative to its parent.
// - An animation joint that the model lacks still moves the joints below it.
// - If a joint's parent in the animation is an ancestor in the model, the joint follows that
//   ancestor; joints in between, which only the model has, do not displace it. If the two
//   hierarchies contradict each other, the model's is used.
//
// Each difference is a warning. If no name matches, returns NULL and MD5_ERROR_MISMATCH with the
// first difference. `opts` and `error` may be NULL. Time and memory are linear in the number of
// joints and the length of their names (times its logarithm if orders differ).
MD5_API md5_binding *md5_bind(const md5_model *model, const md5_anim *anim,
                              const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_binding(md5_binding *binding);

// -- Time -----------------------------------------------------------------------------------

typedef enum md5_wrap {
    MD5_WRAP_LOOP,  // closed loop, as id's engine: num_frames - 1 intervals, last frame = first
    MD5_WRAP_CYCLE, // open loop: num_frames intervals, the last frame blends into the first
    MD5_WRAP_CLAMP, // no loop: the first frame before the start, the last after the end
} md5_wrap;

// A sample position in a clip: a pair of frames and the fraction between them.
typedef struct md5_moment {
    uint32_t frame0, frame1;
    float fraction; // 0 <= fraction < 1; 0 = frame0
    int64_t cycle;  // number of the loop, 0 from time 0 on; negative before
} md5_moment;

// Returns the sample position at `time` seconds, which may be negative, exact to the last bit of a
// double. To play backward or at another speed, pass such times. NaN counts as 0, infinity as the
// largest time. With MD5_WRAP_LOOP the end of a cycle is frame 0 of the next one.
MD5_API md5_moment md5_moment_at(const md5_anim *anim, double time, md5_wrap wrap);

// Returns the camera's view at `time` seconds, in the file's space. As in id's engine, a shot moves
// toward the frame that is its cut, and the next shot begins with the frame after that. Positions
// and fields of view are lerped, rotations slerped. MD5_WRAP_LOOP repeats after `duration`;
// MD5_WRAP_CYCLE holds the last view for one frame more, as `cycle` in id's engine. Views of cuts
// are not used: see md5_camera_cut_view().
MD5_API md5_camera_view md5_camera_at(const md5_camera *camera, double time, md5_wrap wrap);

// Returns the view that the file stores with the last cut before `time`; NULL if there is none. It
// belongs to the camera.
MD5_API const md5_cut_view *md5_camera_cut_view(const md5_camera *camera, double time,
                                                md5_wrap wrap);

// -- Posing ---------------------------------------------------------------------------------

// What to do with the translation of joint 0, with which clips move a character.
typedef enum md5_root {
    MD5_ROOT_FILE,     // as stored
    MD5_ROOT_ID,       // as in id's engine: minus the base frame's, plus each past cycle's motion
    MD5_ROOT_IN_PLACE, // that of the first frame: add md5_root_motion() to the character
} md5_root;

// Samples an animation: writes pose[model joints], transforms relative to the parent, at `moment`.
// Rotations are slerped, translations lerped.
MD5_API void md5_sample(const md5_binding *binding, const md5_moment *moment, md5_root root,
                        md5_transform *pose);

// Samples an animation without a model: writes pose[anim joints].
MD5_API void md5_sample_anim(const md5_anim *anim, const md5_moment *moment, md5_root root,
                             md5_transform *pose);

// Samples along smooth curves through the frames, for slow motion of clips with few frames a
// second: exact at each frame, with continuous velocity. A joint's velocity at a frame is the mean
// of those before and after it. `wrap` must be that of the moment; it says what comes before the
// first frame and after the last: the other end of the cycle, or no motion. Translations are
// Catmull-Rom splines (1974), rotations Hermite quaternion curves (Kim, Kim and Shin 1995).
// md5_root_motion() stays linear. A hundred times slower than md5_sample(): 0.3 microseconds a
// joint.
MD5_API void md5_sample_cubic(const md5_binding *binding, const md5_moment *moment, md5_wrap wrap,
                              md5_root root, md5_transform *pose);

// Returns the displacement of joint 0 between two moments of a clip, in units: what
// MD5_ROOT_IN_PLACE removes. Each cycle adds last frame minus first. Displacements of consecutive
// intervals add up to that of the whole.
MD5_API md5_vec3 md5_root_motion(const md5_anim *anim, const md5_moment *from,
                                 const md5_moment *to);

// Returns the union of the file's bounds of both frames, or empty bounds if the file has none. With
// MD5_ROOT_FILE as stored; with MD5_ROOT_IN_PLACE moved as joint 0 is. With MD5_ROOT_ID as id's
// engine does: relative to joint 0's displacement from the base frame; add the sampled
// pose[0].translation to place them at the pose. A file's bounds are often wrong: where it matters,
// use md5_skin_bounds().
MD5_API md5_bounds md5_anim_bounds(const md5_anim *anim, const md5_moment *moment, md5_root root);

// Writes joints[skeleton->num_joints]: model-space matrices of pose[num_joints], in joint order.
MD5_API void md5_local_to_model(const md5_skeleton *skeleton, const md5_transform *pose,
                                md5_mat34 *joints);

// Writes palette[model joints] = joints * inverse bind, which take vertices from the bind pose to
// the posed model, model space. `palette` and `joints` may be the same array.
MD5_API void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette);

// md5_local_to_model() and md5_build_palette() in one call: faster, same bits. Writes
// joints[model joints] and palette[model joints].
MD5_API void md5_local_to_palette(const md5_model *model, const md5_transform *pose,
                                  md5_mat34 *joints, md5_mat34 *palette);

// md5_sample(), md5_local_to_model() and md5_build_palette() in one call: faster, same bits. Writes
// joints[model joints] and palette[model joints]; uses scratch[model joints] as working memory.
MD5_API void md5_pose_palette(const md5_binding *binding, const md5_moment *moment, md5_root root,
                              md5_transform *scratch, md5_mat34 *joints, md5_mat34 *palette);

// One character of a crowd: the arguments of md5_pose_palette().
typedef struct md5_pose_job {
    const md5_binding *binding;
    md5_moment moment;
    md5_root root;
    md5_mat34 *palette; // [model joints], written
    md5_mat34 *joints;  // [model joints], written: model-space matrices; may be NULL
} md5_pose_job;

// Poses jobs[count], of any models, clips and moments: faster than one by one, same bits. Jobs with
// the same binding are posed 4 to 16 at a time; they may be anywhere in `jobs`. Results of
// different jobs must not overlap. `scratch` has md5_pose_batch_scratch() bytes, at any address. To
// use several threads, give each a part of `jobs` and its own scratch.
//
// For speed keep jobs of one clip together (twice as fast). If palettes exceed the caches, as
// those of thousands of characters do, write about 32 at a time to one buffer and copy from there.
MD5_API void md5_pose_batch(const md5_pose_job *jobs, size_t count, void *scratch);

// Returns the bytes of scratch memory that md5_pose_batch() needs for these jobs or any part of
// them. They depend on the model with the most joints, not on `count`.
MD5_API size_t md5_pose_batch_scratch(const md5_pose_job *jobs, size_t count);

// -- Blending -------------------------------------------------------------------------------

// These functions blend and add poses of the same `count` joints, as md5_sample() writes them. The
// result may be the same array as any input; otherwise arrays must not overlap.
//
// joint_weights[count] is a mask: a joint's weight is weight * joint_weights[joint], clamped; NaN
// counts as 0. NULL: 1 for all. Joints of weight 0 are those of the first input, bit by bit. Arrays
// aligned to 64 bytes are fastest.

// Writes pose[count]: `from` at weight 0, `to` at weight 1, bit by bit; weights are clamped to
// 0..1. Rotations are slerped along the shorter arc, whether the inputs hold q or -q, within 1e-6
// radians; translations are lerped. Blending a pose with itself gives that pose.
MD5_API void md5_blend_poses(const md5_transform *from, const md5_transform *to, float weight,
                             const float *joint_weights, uint32_t count, md5_transform *pose);

// Writes difference[count], which md5_add_pose() adds to `reference` to get `source`: rotations
// inverse(reference) * source, translations source - reference. `reference` is any pose, such as
// the bind pose or a frame of the same clip.
MD5_API void md5_make_additive(const md5_transform *source, const md5_transform *reference,
                               uint32_t count, md5_transform *difference);

// Writes out[count] = `pose` plus weight times `difference`; weights are clamped to -1..1. Adding
// by -1 undoes adding by 1, up to rounding error. Rotations are pose * slerp(identity, difference,
// weight): joints turn about their own axes, so a nod stays a nod on a turned head. Translations
// are added in the parent's space.
MD5_API void md5_add_pose(const md5_transform *pose, const md5_transform *difference, float weight,
                          const float *joint_weights, uint32_t count, md5_transform *out);

// md5_make_additive() and md5_add_pose() in one call: faster, same bits, no memory for the
// difference. Adds an additive clip to `pose` as it is sampled.
MD5_API void md5_add_difference(const md5_transform *pose, const md5_transform *source,
                                const md5_transform *reference, float weight,
                                const float *joint_weights, uint32_t count, md5_transform *out);

// -- Skinning -------------------------------------------------------------------------------

// Writes positions[mesh->num_vertices], exact for any weights, and, unless NULL, normals and
// tangents [num_vertices]; model space, in the order of the drawn vertices. `palette` is that of
// md5_build_palette(). Directions are those of the bind pose, rotated by the blended matrices and
// normalized; they stay as in the bind pose if that blend is shorter than 1e-15 or longer than
// 1e19, as of biases that cancel out. Sums are floats, and infinite beyond the range of float.
MD5_API void md5_skin(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
                      md5_vec3 *normals, md5_vec4 *tangents);

// Returns the bounds of all meshes as md5_skin() would pose them, up to rounding error, for files
// whose own bounds are missing or wrong. Takes about as long as skinning positions, and no memory.
// Empty for a model without vertices.
MD5_API md5_bounds md5_skin_bounds(const md5_model *model, const md5_mat34 *palette);

// Dual quaternion skinning preserves volume at twisting joints. md5_skin() interpolates between the
// positions to which each joint would move a vertex, which shrinks joints that twist. Here one
// rigid transform moves it, blended from the dual quaternions of its joints; sharp bends bulge a
// little. Kavan, Collins, Zara and O'Sullivan, "Geometric Skinning with Approximate Dual Quaternion
// Blending", 2008. Vertices of one joint are those of md5_skin(), up to rounding error.
//
// Writes dual[count] from palette[count] of md5_build_palette(). Drops scale, which MD5 joints do
// not have.
MD5_API void md5_dual_palette(const md5_mat34 *palette, uint32_t count, md5_dual_quat *dual);

// Writes the same arrays as md5_skin(), from the dual palette, in up to twice the time. The blended
// transform moves mesh->positions, even if a vertex's weights do not meet in one point. Only the
// ratios of the biases count, as if their sum were 1 (md5_skin() scales the vertex by their sum);
// if they cancel out or are all 0, only the first influence counts. A vertex without influences
// goes to the origin, as in md5_skin(). The bind pose is unchanged in any case.
MD5_API void md5_skin_dual(const md5_mesh *mesh, const md5_dual_quat *palette, md5_vec3 *positions,
                           md5_vec3 *normals, md5_vec4 *tangents);

// Packs the influences of each drawn vertex into `slots` (1 to 255) for a vertex format, largest
// first. Drops the rest and scales biases to sum 1 (if they cancel out: weight 1 on the first;
// negative ones stay negative). Empty slots are joint 0 with weight 0. Writes
// joints[num_vertices * slots] and weights[num_vertices * slots]. A shader moves mesh->positions by
// the weighted palette.
MD5_API void md5_pack_influences(const md5_mesh *mesh, uint32_t slots, uint32_t *joints,
                                 float *weights);

// Returns the largest error, in units, of drawing meshes[mesh] with `slots` packed influences, for
// any rotation of each joint about its own position in joints[num_joints] (model space):
//   | sum (b_i - w_i) a_i |  +  sum | b_i (p_i - o_i) - w_i (c - o_i) |
// over the joints i of a vertex, with b bias, w packed weight, p bind position of the weight, c
// bind position of the vertex, o and a the joint's bind and posed position. This counts dropped
// weights, sums other than 1, and weights whose offsets do not meet in one point. If `joints` is
// NULL, the posed positions are those of the bind pose, all displaced by the size of the model (the
// diagonal of its bounds), which adds | sum (b_i - w_i) | times that size. 0 up to rounding error
// means that the packed form is exact.
MD5_API float md5_path_loss(const md5_model *model, uint32_t mesh, uint32_t slots,
                            const md5_mat34 *joints);

#ifdef __cplusplus
}
#endif

#endif
