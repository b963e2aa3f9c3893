// md5model: reads, poses and skins id Software's MD5 models (.md5mesh, .md5anim,
// .md5camera).
//
// The road, in the order of this header:
//
//   text --md5_load_model(), md5_load_anim()--> assets
//        --md5_bind()--> which animation track drives which joint
//        --md5_moment_at(), md5_sample()--> pose: local joint transforms
//        --md5_local_to_model()--> joint matrices in model space
//        --md5_build_palette()--> palette: bind pose to posed
//        --md5_skin(), or a shader--> vertices
//
// Space: id's. x forward, y left, z up, right-handed, in the file's units (inches by custom).
// Vectors are columns: v' = M * v. Quaternions follow textbook order: world = parent * local.
// Front faces are clockwise: (c - a) x (b - a) points outward. Texture v = 0 is the top row.
//
// Memory: an asset is one block from the caller's allocator, read-only after it is made.
// Posing and skinning write into the caller's arrays, allocate nothing and cannot fail.
//
// Threads: no global state. Any number of threads may use the same asset at once, and any
// function may run beside any other as long as they do not write to the same memory.
// Only md5_free_*() must be the last to touch its asset.
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

// Unit length. Files store x y z; w is rebuilt as -sqrt(|1 - x^2 - y^2 - z^2|), which makes
// the textbook quaternion-to-matrix formula agree with what id's engine computes. If x y z are
// longer than 1, x y z w are then divided by their common length, which id's engine leaves out
// (there the matrix is no rotation). The loader warns if x^2 + y^2 + z^2 exceeds 1.00001.
typedef struct md5_quat {
    float x, y, z, w;
} md5_quat;

// Rotation, then translation: v' = rotation * v + translation. 32 bytes, so that SIMD code
// loads it as it lies; `pad` is 0.
typedef struct md5_transform {
    md5_quat rotation;
    md5_vec3 translation;
    float pad;
} md5_transform;

// The same as a unit dual quaternion: real = rotation, dual = (translation, 0) * rotation / 2.
// Both parts with the other sign are the same motion.
typedef struct md5_dual_quat {
    md5_quat real, dual;
} md5_dual_quat;

// 3x4 matrix, row-major: row r is m[4*r] .. m[4*r + 3], the last of which is the translation.
// The bytes are three vec4 rows, as shaders read them.
typedef struct md5_mat34 {
    float m[12];
} md5_mat34;

// Axis-aligned box. Empty when min.x > max.x.
typedef struct md5_bounds {
    md5_vec3 min, max;
} md5_bounds;

// Shortest-path spherical interpolation from `a` (t = 0) to `b` (t = 1); t is clamped to 0..1.
// Both unit length. Within 1e-6 of the exact answer in every component. When the shortest path
// leads through -b, the result approaches -b, which is the same rotation.
MD5_API md5_quat md5_slerp(md5_quat a, md5_quat b, float t);

// The matrix of a transform. Source of the formula: any textbook, e.g. Shoemake 1985.
MD5_API md5_mat34 md5_mat34_from_transform(md5_transform transform);

// a * b: first b, then a.
MD5_API md5_mat34 md5_mat34_mul(md5_mat34 a, md5_mat34 b);

// m * (point, 1).
MD5_API md5_vec3 md5_mat34_transform_point(md5_mat34 m, md5_vec3 point);

// The smallest box that holds `count` points; empty (min = +FLT_MAX, max = -FLT_MAX) for none.
MD5_API md5_bounds md5_bounds_of_points(const md5_vec3 *points, size_t count);

// The smallest box that holds both. An empty box adds nothing.
MD5_API md5_bounds md5_bounds_union(md5_bounds a, md5_bounds b);

// -- Errors ---------------------------------------------------------------------------------

typedef enum md5_status {
    MD5_OK,
    MD5_WARNING,        // not a failure: only ever passed to md5_warn_fn
    MD5_ERROR_IO,       // file cannot be read, or is too large; the message says why
    MD5_ERROR_MEMORY,   // the allocator gave NULL, or memory_limit would be passed
    MD5_ERROR_SYNTAX,   // a token that the grammar does not allow here
    MD5_ERROR_RANGE,    // a count or an index outside its table, or a number outside its range
    MD5_ERROR_VERSION,  // an MD5 file of a version that cannot be read
    MD5_ERROR_MISMATCH, // a model and an animation that have nothing in common
    MD5_ERROR_GPU,      // render/ only: OpenGL or a shader compiler refused
} md5_status;

// Why and where a call failed. Holds no pointers: copy it freely.
typedef struct md5_error {
    md5_status status;
    uint32_t line, column; // 1-based, column in bytes; 0 = no place in a file
    char file[256];        // as given to the call, the end of it if it is longer; "" = none
    char message[256];     // UTF-8, NUL-terminated, one line; bytes that are not are escaped
} md5_error;

// Writes "file:line:column: error: message" (or "warning:"), leaving out what is not known, and
// a NUL, cut to `size` bytes. What is not printable UTF-8 is escaped. Returns the length that the
// whole text has.
MD5_API size_t md5_format_error(const md5_error *error, char *text, size_t size);

// -- Options --------------------------------------------------------------------------------

// Memory hooks. Leave all zero for malloc and free. An asset keeps a copy and calls free from
// md5_free_*(), so `user` must outlive every asset that was made with it.
typedef struct md5_allocator {
    void *(*alloc)(void *user, size_t size);             // 16-byte aligned, or NULL
    void (*free)(void *user, void *memory, size_t size); // size as it was passed to alloc
    void *user;
} md5_allocator;

// Called with every oddity that does not stop a load. `warning` is valid during the call only.
typedef void md5_warn_fn(void *user, const md5_error *warning);

// Write `md5_load_opts opts = {0};`. In every field zero means the default.
typedef struct md5_load_opts {
    md5_allocator allocator;
    size_t memory_limit;   // bytes that one call may hold at once; 0 = 1 GiB
    const char *file_name; // what messages call a text that is read from memory
    md5_warn_fn *warn;     // NULL: warnings are counted, not told
    void *warn_user;
    uint32_t max_warnings; // warnings told in one call; 0 = 100. The last one says so
} md5_load_opts;

// -- Assets ---------------------------------------------------------------------------------

// A file's positions, offsets, biases, numbers of frames and fields of view are from -1e9 to 1e9,
// else it is refused: poses, palettes and vertices are then finite.

typedef struct md5_joint {
    const char *name; // NUL-terminated bytes as in the file, in no known encoding
    int32_t parent;   // -1 = root
} md5_joint;

// Joints in file order. A parent may stand behind its child, so walk `order`.
typedef struct md5_skeleton {
    uint32_t num_joints;
    const md5_joint *joints; // [num_joints]
    const uint32_t *order;   // [num_joints], every joint once, parents first: level by level
} md5_skeleton;

// A file vertex: its weights are weights[first_weight .. first_weight + num_weights - 1] of its
// mesh. Ranges of several vertices may overlap. None: the vertex stays at the origin.
typedef struct md5_vertex {
    uint32_t first_weight, num_weights;
} md5_vertex;

typedef struct md5_weight {
    uint32_t joint;
    float bias;      // as in the file: from -1e9 to 1e9, sums other than 1 occur
    md5_vec3 offset; // in the joint's space
} md5_weight;

// How md5_skin() goes through a mesh, made when it is loaded.
typedef struct md5_skin_plan md5_skin_plan;

// One mesh. The first part is what the file says, the second what one draws.
typedef struct md5_mesh {
    const char *name;   // from `name "x"` or the comment `// meshes: x`; "" if neither
    const char *shader; // as in the file; "" if none

    uint32_t num_file_vertices;
    uint32_t num_weights;
    const md5_vertex *file_vertices; // [num_file_vertices]
    const md5_weight *weights;       // [num_weights]

    // Drawn vertices: the file's, in the file's order, then copies of those that sit on a
    // mirror seam, where one vertex serves triangles of both texture orientations and needs two
    // tangents. `positions`, `normals`, `tangents` are in the bind pose, model space. Files of
    // version 12 bring normals and tangents; then these are used, and nothing is copied.
    uint32_t num_vertices; // >= num_file_vertices
    uint32_t num_triangles;
    const uint32_t *indices;   // [3 * num_triangles] drawn vertices, clockwise in front
    const uint32_t *sources;   // [num_vertices] the file vertex that each one came from
    const md5_vec2 *texcoords; // [num_vertices]
    const md5_vec3 *positions; // [num_vertices]
    const md5_vec3 *normals;   // [num_vertices] unit length, outward; 0 0 1 if undefined
    const md5_vec4 *tangents;  // [num_vertices] unit length, at right angles to the normal,
                               // along +u; w = +-1: bitangent (along +v) = cross(N, T) * w

    const md5_vec4 *colors; // [num_vertices] linear r g b a, 0 to 1; NULL but in version 12

    // Influences of drawn vertex v: first_influence[v] .. first_influence[v + 1] - 1, bias of
    // largest magnitude first, each joint once, none that is all 0. An influence holds (bias *
    // point, bias), point being the weight's offset in the bind pose, model space, so that the
    // exact vertex is the sum of palette[joint] * influence, for any number of weights and any sum
    // of biases.
    uint32_t num_influences;
    uint32_t max_influences;          // of one vertex
    const uint32_t *first_influence;  // [num_vertices + 1]
    const uint32_t *influence_joints; // [num_influences]
    const md5_vec4 *influences;       // [num_influences]

    uint32_t max_weights;  // of one file vertex
    uint32_t num_off_sums; // file vertices whose biases do not sum to 1 within 1e-4
    // What drawing with 4 or 8 influences a vertex would lose against the exact sum, in units, at
    // most: md5_path_loss() with 4 or 8 slots and no pose.
    float loss4, loss8;

    md5_bounds bounds; // of `positions`

    // NULL in a mesh that was put together by hand: md5_skin() then takes the slow way.
    const md5_skin_plan *skin_plan;
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
    uint32_t num_warnings; // given while it was read
    size_t size;           // bytes of the one block that holds all of this
    md5_allocator allocator;
} md5_model;

// What an .md5anim says of one joint, as stored in the file.
typedef struct md5_track {
    uint32_t flags; // animated components: 1 Tx, 2 Ty, 4 Tz, 8 Qx, 16 Qy, 32 Qz
    uint32_t first; // of the frame's numbers
} md5_track;

// One .md5anim, stored ready to sample: what never changes stands once in `constant`; what
// does stands in `rotations` and `translations`, frame after frame. A change is one of value:
// 0 and -0 are equal, and the first frame's stands for both.
typedef struct md5_anim {
    md5_skeleton skeleton;
    const md5_track *tracks;         // [num_joints]
    const md5_transform *base_frame; // [num_joints] relative to the parent

    uint32_t num_frames; // >= 1
    double frame_rate;   // frames a second, > 0
    double duration;     // seconds of one cycle: (num_frames - 1) / frame_rate

    const md5_transform *constant;      // [num_joints]; animated parts hold their first frame
    uint32_t num_rotations;             // joints whose rotation changes, by value, not by flag
    uint32_t num_translations;          // joints whose translation changes
    const uint32_t *rotation_joints;    // [num_rotations], ascending
    const uint32_t *translation_joints; // [num_translations], ascending
    const md5_quat *rotations;          // [num_frames][num_rotations]
    const md5_vec3 *translations;       // [num_frames][num_translations]

    const md5_bounds *frame_bounds; // [num_frames] as in the file, or NULL if it has none
    uint32_t num_components;        // numbers a frame has in the file
    const char *command_line;
    uint32_t num_warnings;
    size_t size;
    md5_allocator allocator;
} md5_anim;

// What a camera sees at one moment. In its own space a camera looks along x, with y to the left
// and z up, as everything in id's space.
typedef struct md5_camera_view {
    md5_vec3 position;
    md5_quat rotation;
    float fov; // horizontal field of view, degrees
} md5_camera_view;

// What a cut says of the view behind it: `71 pos ( x y z ) rotA ( pitch yaw roll )`, in degrees, or
// `rot ( x y z )`, as in frames. An engine for virtual reality holds it until the next cut instead
// of playing the frames.
typedef struct md5_cut_view {
    uint32_t cut;                    // which of the camera's cuts
    bool has_position, has_rotation; // false: the first frame behind the cut has it
    md5_vec3 position;
    md5_quat rotation;
} md5_cut_view;

// One .md5camera: a flight, in shots that cuts divide.
typedef struct md5_camera {
    uint32_t num_frames; // >= 1
    double frame_rate;   // frames a second, > 0
    double duration;     // seconds: (num_frames - 1 - num_cuts) / frame_rate, at least 0
    uint32_t num_cuts;
    const uint32_t *cuts; // [num_cuts] frames that only end a shot: the next begins behind
    uint32_t num_cut_views;
    const md5_cut_view *cut_views; // [num_cut_views], by ascending cut
    const md5_camera_view *frames; // [num_frames]
    const char *command_line;
    uint32_t num_warnings;
    size_t size;
    md5_allocator allocator;
} md5_camera;

// Reads a file. `path` is bytes as the system's open() takes them. `opts` and `error` may be
// NULL. Returns NULL on failure; `error` is always filled. Free with md5_free_*().
MD5_API md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error);
MD5_API md5_anim *md5_load_anim(const char *path, const md5_load_opts *opts, md5_error *error);
MD5_API md5_camera *md5_load_camera(const char *path, const md5_load_opts *opts, md5_error *error);

// The same from `size` bytes of text, which needs no NUL at its end and is not kept.
MD5_API md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                                   md5_error *error);
MD5_API md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts,
                                 md5_error *error);
MD5_API md5_camera *md5_parse_camera(const void *text, size_t size, const md5_load_opts *opts,
                                     md5_error *error);

// NULL is allowed and does nothing.
MD5_API void md5_free_model(md5_model *model);
MD5_API void md5_free_anim(md5_anim *anim);
MD5_API void md5_free_camera(md5_camera *camera);

// -- Binding --------------------------------------------------------------------------------

// What is composed for one model joint whose track is relative to another joint than the
// model's parent: see md5_bind().
typedef struct md5_rebase md5_rebase;

// What posing looks up, joint by joint, in the order in which it is needed.
typedef struct md5_pose_plan md5_pose_plan;

// Which animation joint drives which model joint. Refers to both; free it before them.
typedef struct md5_binding {
    const md5_model *model;
    const md5_anim *anim;
    const int32_t *tracks; // [model joints] animation joint, or -1: keeps its bind pose
    bool same_order;       // every model joint is driven by the animation joint of its number
    uint32_t num_missing;  // model joints that no track drives
    uint32_t num_extra;    // animation joints that drive nothing
    uint32_t num_rebases;  // joints with another parent in the animation than in the model
    const md5_rebase *rebases;
    const md5_pose_plan *plan;
    size_t size;
    md5_allocator allocator;
} md5_binding;

// Matches `anim` to `model` by joint name (case-sensitive; the k-th of several joints of one
// name drives the k-th). The same names and parents in the same order are the fast case.
//
// - A model joint without a track keeps its bind pose relative to its parent.
// - An animation joint that the model lacks drives nothing of its own, but its motion still
//   reaches the joints below it.
// - A joint whose parent in the animation stands further up the same branch of the model
//   follows that one: joints in between, which only the model has, do not displace it. Where the
//   two hierarchies contradict each other, the model's is used.
//
// Each of these is told through opts->warn and counted. When no name matches, returns NULL and
// MD5_ERROR_MISMATCH with the first difference. Of `opts`, allocator, memory_limit and warnings
// are used. Time and memory linear in the number of joints and the length of their names
// (times its logarithm where orders differ).
MD5_API md5_binding *md5_bind(const md5_model *model, const md5_anim *anim,
                              const md5_load_opts *opts, md5_error *error);
MD5_API void md5_free_binding(md5_binding *binding);

// -- Time -----------------------------------------------------------------------------------

typedef enum md5_wrap {
    MD5_WRAP_LOOP,  // id's rule: a cycle is num_frames - 1 intervals, the last frame is the first
    MD5_WRAP_CYCLE, // a cycle is num_frames intervals: the last frame blends into the first
    MD5_WRAP_CLAMP, // once: the first frame before the start, the last after the end
} md5_wrap;

// A moment of a clip: between two of its frames.
typedef struct md5_moment {
    uint32_t frame0, frame1;
    float fraction; // 0 <= fraction < 1; 0 = frame0
    int64_t cycle;  // whole cycles before this one; negative before time 0
} md5_moment;

// Any `time` in seconds, also negative, is right to the last bit that a double has; play
// backward or at another speed by passing such times. NaN counts as 0, infinity as the largest
// time. At a whole cycle of MD5_WRAP_LOOP the moment is frame 0 of the next one.
MD5_API md5_moment md5_moment_at(const md5_anim *anim, double time, md5_wrap wrap);

// What the camera sees at `time`, in the file's space. As the original plays it: a frame that is a
// cut is only what the old shot moves towards; the new shot begins with the frame behind it.
// Positions and fields of view are lerped, rotations slerped. MD5_WRAP_LOOP repeats after
// `duration`, MD5_WRAP_CYCLE one frame later, as the original's `cycle`, the last view held.
// Views of cuts are not used: see md5_camera_cut_view().
MD5_API md5_camera_view md5_camera_at(const md5_camera *camera, double time, md5_wrap wrap);

// What the last cut before `time` says of the view behind it; NULL if there is none, or it does
// not.
MD5_API const md5_cut_view *md5_camera_cut_view(const md5_camera *camera, double time,
                                                md5_wrap wrap);

// -- Posing ---------------------------------------------------------------------------------

// What happens to the translation of joint 0, by which clips move a character.
typedef enum md5_root {
    MD5_ROOT_FILE,     // as stored
    MD5_ROOT_ID,       // as id's engine: the base frame's subtracted, each cycle's way added
    MD5_ROOT_IN_PLACE, // held at its first frame: add md5_root_motion() to the character
} md5_root;

// Writes pose[model joints]: transforms relative to the parent, of `moment`. Rotations are
// slerped, translations lerped.
MD5_API void md5_sample(const md5_binding *binding, const md5_moment *moment, md5_root root,
                        md5_transform *pose);

// The same without a model: writes pose[anim joints].
MD5_API void md5_sample_anim(const md5_anim *anim, const md5_moment *moment, md5_root root,
                             md5_transform *pose);

// The same as md5_sample(), along smooth curves through the frames, for slow motion of clips with
// few frames a second: at a frame exactly that frame, between them with a speed that does not jump.
// Each joint passes a frame with the mean of its speeds before and after it; `wrap`, which is to be
// that of the moment, says what comes before the first frame and after the last: the cycle's other
// end, or standing still. Translations are Catmull-Rom splines (1974), rotations Hermite's
// quaternion curves (Kim, Kim and Shin 1995). Root motion stays straight: it differs by less than
// the curve does. Takes a hundred times as long as md5_sample(): some 0.3 microseconds a joint.
MD5_API void md5_sample_cubic(const md5_binding *binding, const md5_moment *moment, md5_wrap wrap,
                              md5_root root, md5_transform *pose);

// How far joint 0 moves from one moment to another of the same clip, whole cycles included
// (each adds last frame minus first), in units: what MD5_ROOT_IN_PLACE takes away. The sum over
// any split of a stretch of time is the whole.
MD5_API md5_vec3 md5_root_motion(const md5_anim *anim, const md5_moment *from,
                                 const md5_moment *to);

// The file's box of a moment: that which holds both frames' boxes, with MD5_ROOT_FILE as stored,
// with MD5_ROOT_IN_PLACE moved as joint 0 is. With MD5_ROOT_ID as the engine gives it: about the
// origin joint, that is, without the way that joint 0 has come from the base frame; add the sampled
// pose[0].translation to have it where the pose is. Empty if the file has none. The files' boxes
// are often wrong: prefer the bounds of skinned vertices where it matters.
MD5_API md5_bounds md5_anim_bounds(const md5_anim *anim, const md5_moment *moment, md5_root root);

// Writes joints[skeleton->num_joints]: model-space matrices of `pose`, in joint order.
MD5_API void md5_local_to_model(const md5_skeleton *skeleton, const md5_transform *pose,
                                md5_mat34 *joints);

// Writes palette[model joints] = joints * inverse bind: takes a vertex from the bind pose to
// the posed model. `palette` and `joints` may be the same array.
MD5_API void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette);

// md5_local_to_model() and md5_build_palette() at once, faster, with the same bits. Writes
// joints[model joints] and palette[model joints], which must not overlap.
MD5_API void md5_local_to_palette(const md5_model *model, const md5_transform *pose,
                                  md5_mat34 *joints, md5_mat34 *palette);

// md5_sample(), md5_local_to_model() and md5_build_palette() at once, faster, with the same bits.
// Writes joints[model joints] and palette[model joints]. scratch[model joints] is memory to work
// in. The three must not overlap.
MD5_API void md5_pose_palette(const md5_binding *binding, const md5_moment *moment, md5_root root,
                              md5_transform *scratch, md5_mat34 *joints, md5_mat34 *palette);

// One character of a crowd: what md5_pose_palette() is given.
typedef struct md5_pose_job {
    const md5_binding *binding;
    md5_moment moment;
    md5_root root;
    md5_mat34 *palette; // [model joints], written
    md5_mat34 *joints;  // [model joints], written: model-space matrices; NULL: not wanted
} md5_pose_job;

// Poses `count` characters, of any models, clips and moments, faster than one by one, with the same
// bits. Those with the same binding go through together, 4 to 16 at a time, and need not stand
// together in `jobs`. All results of all jobs must be apart from each other. `scratch` is memory of
// md5_pose_batch_scratch() bytes, at any address, that no other thread uses meanwhile: to spread a
// crowd over threads, give each of them a part of the array and scratch of its own.
//
// Twice as fast where jobs of one clip stand together; and where palettes are more than the caches
// hold, those of thousands, by writing some 32 at a time into one buffer and copying that.
MD5_API void md5_pose_batch(const md5_pose_job *jobs, size_t count, void *scratch);

// Bytes that md5_pose_batch() needs for these jobs or any part of them: it depends on the model
// with the most joints, not on how many jobs there are.
MD5_API size_t md5_pose_batch_scratch(const md5_pose_job *jobs, size_t count);

// -- Blending -------------------------------------------------------------------------------

// Poses of the same `count` joints, as md5_sample() writes them, mixed and added joint by joint.
// The result may be the same array as either input; otherwise they must not overlap.
//
// joint_weights[count] is the part that each joint takes in it: a mask. NULL: 1 for all. A joint's
// weight is weight * joint_weights[joint], clamped; what is not a number counts as 0. Joints of
// weight 0 are the first input's, bit by bit. Fastest where arrays begin at a multiple of 64 bytes.

// Writes pose[count]: from `from` (weight 0) to `to` (weight 1, bit by bit). Rotations are slerped
// the shorter way, whichever of q and -q the inputs hold, to within 1e-6 radians; translations are
// lerped. A pose blended with itself is that pose.
MD5_API void md5_blend_poses(const md5_transform *from, const md5_transform *to, float weight,
                             const float *joint_weights, uint32_t count, md5_transform *pose);

// Writes difference[count], which added to `reference` gives `source`: rotations inverse(reference)
// * source, translations source - reference. `reference` is any pose the difference is meant
// against, such as the bind pose or a frame of the same clip.
MD5_API void md5_make_additive(const md5_transform *source, const md5_transform *reference,
                               uint32_t count, md5_transform *difference);

// Writes out[count] = `pose` with that much of a difference on top. The weight is -1 to 1; below 0
// the difference is taken away: what adding it by 1 gave goes back by -1 to rounding. Rotations are
// pose * slerp(identity, difference, weight): the joint turns about its own axes as it stands, so
// that a nod stays a nod on a head that `pose` has turned. Translations are added in the parent's
// space.
MD5_API void md5_add_pose(const md5_transform *pose, const md5_transform *difference, float weight,
                          const float *joint_weights, uint32_t count, md5_transform *out);

// md5_make_additive() of `source` and `reference` and md5_add_pose() of the result at once, faster,
// with the same bits and no memory for the difference: an additive clip as it is sampled goes on
// top of `pose`. `out` may be the same array as any of the three.
MD5_API void md5_add_difference(const md5_transform *pose, const md5_transform *source,
                                const md5_transform *reference, float weight,
                                const float *joint_weights, uint32_t count, md5_transform *out);

// -- Skinning -------------------------------------------------------------------------------

// Writes positions[mesh->num_vertices], exact for any weights, and, where they are not NULL,
// normals and tangents: the bind pose's, turned by the blend of the joints' rotations and
// brought to unit length; as they are in the bind pose if that blend is shorter than 1e-15 or
// longer than 1e19, as of biases that cancel out. Sums are of floats, and infinite beyond their
// range. Model space, in the order of the drawn vertices.
MD5_API void md5_skin(const md5_mesh *mesh, const md5_mat34 *palette, md5_vec3 *positions,
                      md5_vec3 *normals, md5_vec4 *tangents);

// The box of all meshes as md5_skin() would place them, to within rounding: what a file's own boxes
// should say where they are missing or wrong. Takes about as long as skinning positions, and no
// memory. Empty for a model without vertices.
MD5_API md5_bounds md5_skin_bounds(const md5_model *model, const md5_mat34 *palette);

// Skinning that keeps the volume of what twists. md5_skin() puts a vertex between the places to
// which its joints would take it, which draws joints that turn apart together. Here it is moved by
// one rigid motion, which the dual quaternions of its joints blend to; what bends sharply bulges a
// little instead. Kavan, Collins, Zara and O'Sullivan, "Geometric Skinning with Approximate Dual
// Quaternion Blending", 2008. What one joint moves comes out as of md5_skin(), to rounding.
//
// Writes dual[count] from palette[count] of md5_build_palette(). A scale, which joints of MD5 do
// not have, is not kept.
MD5_API void md5_dual_palette(const md5_mat34 *palette, uint32_t count, md5_dual_quat *dual);

// Writes what md5_skin() does, from the dual palette, in up to twice the time. A motion needs one
// place to begin at, which is mesh->positions: weights that do not meet in one point go along with
// the vertex instead of each with its joint. Only the ratios of the biases count, as if their sum
// were 1, however small or large they are (md5_skin() scales the vertex by their sum instead); if
// they cancel out or are all 0, the first influence counts alone. A vertex without influences goes
// to the origin, as there. The bind pose stays as it is in any case.
MD5_API void md5_skin_dual(const md5_mesh *mesh, const md5_dual_quat *palette, md5_vec3 *positions,
                           md5_vec3 *normals, md5_vec4 *tangents);

// The influences of each drawn vertex in a fixed number of slots (1 to 255), largest first, the
// rest dropped, biases scaled to sum 1 (where they cancel out, weight 1 on the first; negative
// ones stay negative), empty slots joint 0 with weight 0: what a vertex format for a palette
// shader holds. Writes joints[num_vertices * slots] and weights[num_vertices * slots]. Such a
// shader moves mesh->positions by the weighted palette.
MD5_API void md5_pack_influences(const md5_mesh *mesh, uint32_t slots, uint32_t *joints,
                                 float *weights);

// The most, in units, by which a vertex of mesh number `mesh` drawn from `slots` packed
// influences can be off its exact place, whichever way each joint turns about its own position
// in joints[num_joints] (model space):
//   | sum (b_i - w_i) a_i |  +  sum | b_i (p_i - o_i) - w_i (c - o_i) |
// over the joints i of a vertex, with b bias, w packed weight, p bind point of the weight, c bind
// position of the vertex, o and a the joint's bind and posed position. It counts dropped
// weights, sums other than 1, and weights whose offsets do not meet in one point. With `joints`
// NULL, positions are the bind pose's, moved together by as much as the model's size (the
// diagonal of its bounds), which adds | sum (b_i - w_i) | times that.
// 0 to within rounding means that the packed form is exact.
MD5_API float md5_path_loss(const md5_model *model, uint32_t mesh, uint32_t slots,
                            const md5_mat34 *joints);

#ifdef __cplusplus
}
#endif

#endif
