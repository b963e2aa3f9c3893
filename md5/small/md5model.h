// md5model, small form: loads id Software's MD5 models (.md5mesh, .md5anim), poses them, and packs
// their vertices for engines whose shaders skin.
//
//   file --md5_load_model(), md5_load_anim()--> model and animation
//        --md5_bind()--> binding: the animation track of each joint
//        --md5_sample_position_at(), md5_pose_palette()--> palette: a matrix for each joint
//   model->meshes[i] --md5_pack_influences()--> joints and weights of each vertex
//
// Your vertex shader transforms the positions of a mesh by the weighted matrices of the palette. To
// blend animations, write poses with md5_sample(), blend them with md5_blend_poses(), and compute
// joint matrices with md5_local_to_model().
//
// This form consists of two files, this header and md5model.c, and has no settings. It reads MD5
// text of version 10. The whole library also reads the other versions, skins on the CPU, derives
// tangents, compresses animations and reports warnings. Results of both forms are bit-identical,
// and structures have the same layout: members whose names begin with `reserved` take the space of
// members that only the whole library uses. They must be 0.
//
// Space: id Software's coordinate system, unless md5_load_opts.axes selects another one. x is
// forward, y left, z up, right-handed, in units of the file (usually inches). Vectors are columns:
// v' = M * v. Products follow the textbook order: a * b applies b first, then a; world = parent *
// local. Front faces are clockwise: (c - a) x (b - a) points outward. Texture v = 0 is the top row.
//
// Types: counts and indices are uint32_t. Sizes in bytes are size_t. MD5_NONE is the index of a
// missing element.
//
// Memory: models, animations and bindings are read-only and use the allocator of md5_load_opts.
// Free them with md5_free_model(), md5_free_anim() and md5_free_binding(), which accept NULL.
// Functions that pose, blend and pack write to the caller's arrays, do not allocate memory and
// cannot fail, except where a comment describes a failure. Arrays must not overlap and pointers
// must not be NULL unless a comment allows it; this form does not check that. If `opts` is NULL,
// all options have their defaults. If `error` is NULL, no error is reported.
//
// Threads: the library has no global state and starts no threads. All functions may run
// concurrently if no function writes memory that another one uses.
//
// Floating point: compile without -ffast-math. The results then have the same bits on every
// machine; the inline functions of this header also need -ffp-contract=off in your files.
#ifndef MD5MODEL_H
#define MD5MODEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MD5_SMALL 1 // the whole library does not define this macro

#define MD5_VERSION_MAJOR 0
#define MD5_VERSION_MINOR 3
#define MD5_VERSION_PATCH 0

// Precedes the declaration of each function. A program can define it, for example to export them.
#ifndef MD5_API
#define MD5_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// == Vectors and rotations =======================================================================

typedef struct md5_vec2 {
    float x;
    float y;
} md5_vec2;

typedef struct md5_vec3 {
    float x;
    float y;
    float z;
} md5_vec3;

typedef struct md5_vec4 {
    float x;
    float y;
    float z;
    float w;
} md5_vec4;

// Unit quaternion. Files store x, y and z; the loader computes w with md5_quat_from_xyz().
typedef struct md5_quat {
    float x;
    float y;
    float z;
    float w;
} md5_quat;

// A rotation followed by a translation: v' = rotation * v + translation. 32 bytes; `pad` is 0.
typedef struct md5_xform {
    md5_quat rotation;
    md5_vec3 translation;
    float pad;
} md5_xform;

// 3x4 matrix, row-major: row r is m[4*r] .. m[4*r + 3]; its last element is the translation.
// Shaders can read it as three vec4 rows.
typedef struct md5_mat34 {
    float m[12];
} md5_mat34;

// Axis-aligned bounding box. Empty if min.x > max.x.
typedef struct md5_bounds {
    md5_vec3 min;
    md5_vec3 max;
} md5_bounds;

static inline md5_vec3 md5_vec3_add(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

static inline md5_vec3 md5_vec3_sub(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 difference = {a.x - b.x, a.y - b.y, a.z - b.z};
    return difference;
}

static inline md5_vec3 md5_vec3_scale(md5_vec3 a, float s)
{
    const md5_vec3 product = {a.x * s, a.y * s, a.z * s};
    return product;
}

static inline float md5_vec3_dot(md5_vec3 a, md5_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline md5_vec3 md5_vec3_cross(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 cross = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return cross;
}

static inline md5_vec3 md5_vec3_lerp(md5_vec3 a, md5_vec3 b, float t)
{
    return md5_vec3_add(a, md5_vec3_scale(md5_vec3_sub(b, a), t));
}

// Returns a * b.
static inline md5_quat md5_quat_mul(md5_quat a, md5_quat b)
{
    const md5_quat product = {
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
        a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
    return product;
}

// Returns the conjugate, which is the inverse of a unit quaternion.
static inline md5_quat md5_quat_conjugate(md5_quat q)
{
    const md5_quat conjugate = {-q.x, -q.y, -q.z, q.w};
    return conjugate;
}

// Returns `v` rotated by the unit quaternion `q`.
static inline md5_vec3 md5_quat_rotate(md5_quat q, md5_vec3 v)
{
    const md5_vec3 axis = {q.x, q.y, q.z};
    const md5_vec3 twice = md5_vec3_scale(md5_vec3_cross(axis, v), 2);
    return md5_vec3_add(md5_vec3_add(v, md5_vec3_scale(twice, q.w)), md5_vec3_cross(axis, twice));
}

// Returns the rotation that a file stores as x y z: w = -sqrt(|1 - x^2 - y^2 - z^2|). If the length
// of x y z is above 1, x y z w are normalized.
static inline md5_quat md5_quat_from_xyz(float x, float y, float z)
{
    const float square = x * x + y * y + z * z;
    const float w = -sqrtf(fabsf(1.0f - square));
    // square + w * w, halved to prevent overflow
    const float scale = square > 1 ? sqrtf(0.5f) / sqrtf(square - 0.5f) : 1.0f;
    const md5_quat q = {x * scale, y * scale, z * scale, w * scale};
    return q;
}

// Returns a * b.
static inline md5_xform md5_xform_mul(md5_xform a, md5_xform b)
{
    const md5_xform product = {
        md5_quat_mul(a.rotation, b.rotation),
        md5_vec3_add(a.translation, md5_quat_rotate(a.rotation, b.translation)),
        0,
    };
    return product;
}

// Returns the inverse of `a`.
static inline md5_xform md5_xform_inverse(md5_xform a)
{
    const md5_quat back = md5_quat_conjugate(a.rotation);
    const md5_xform inverse = {
        back,
        md5_vec3_scale(md5_quat_rotate(back, a.translation), -1),
        0,
    };
    return inverse;
}

// Returns the bounds of points[count]. If `count` is 0, the result is empty and `points` may be
// NULL.
MD5_API md5_bounds md5_bounds_from_points(const md5_vec3 *points, size_t count);

// Returns the bounds of two boxes. An empty box has no effect.
MD5_API md5_bounds md5_bounds_union(md5_bounds a, md5_bounds b);

// == Errors ======================================================================================

// Initializes any structure of this header: all members are 0. It stands for {0} in C and {} in
// C++, so that one source compiles in both languages without a warning.
//   md5_error error = MD5_INIT;
// clang-format off
#ifdef __cplusplus
#define MD5_INIT {}
#else
#define MD5_INIT {0}
#endif
// clang-format on

// A member with this default value is 0 in C++ where an initializer does not name it, so that
// `md5_error error = {0};` compiles without a warning in C++14 and later, too.
#if defined(__cplusplus) && __cplusplus >= 201402L
#define MD5_MEMBER_INIT = {}
#else
#define MD5_MEMBER_INIT
#endif

#define MD5_NONE UINT32_MAX // index of a missing element; larger than every count

typedef enum md5_status {
    MD5_OK,
    MD5_ERROR_IO = 2,   // the file cannot be read or is too large; the message contains the reason
    MD5_ERROR_MEMORY,   // the allocator returned NULL, or its limit would be exceeded
    MD5_ERROR_SYNTAX,   // the grammar does not allow this token at this position
    MD5_ERROR_RANGE,    // a count, index or number is out of range
    MD5_ERROR_VERSION,  // unsupported version of an MD5 file
    MD5_ERROR_MISMATCH, // the animation does not match the model
    MD5_ERROR_MISSING,  // an argument is NULL, and `error` did not contain the reason
} md5_status;

// Why and where a call failed. Initialize it with MD5_INIT: only failures write it, so check
// results first. If a model or an animation is NULL because its load failed, md5_bind() fails and
// keeps the error of that load. One check after the last call is therefore sufficient.
typedef struct md5_error {
    uint32_t line MD5_MEMBER_INIT;   // from 1; 0 = no location in a file
    uint32_t column MD5_MEMBER_INIT; // from 1, in bytes
    md5_status status MD5_MEMBER_INIT;
    char file[256] MD5_MEMBER_INIT;    // as passed by the caller, cut at its start; "" = none
    char message[256] MD5_MEMBER_INIT; // UTF-8, NUL-terminated, one line; other bytes are escaped
} md5_error;

// Writes "file:line:column: error: message" and a NUL to text[size], truncated to `size`, without
// the parts that `error` lacks. Escapes bytes that are not printable UTF-8. Returns the full length
// of the text. `text` may be NULL if `size` is 0.
MD5_API size_t md5_format_error(const md5_error *error, char *text, size_t size);

// == Options of a load ===========================================================================

// Memory functions. Set both, or neither to use malloc and free. Models, animations and bindings
// store a copy, so `user` must outlive them.
typedef struct md5_allocator {
    void *(*alloc)(void *user, size_t size);             // 16-byte aligned, or NULL
    void (*free)(void *user, void *memory, size_t size); // the size that was passed to alloc
    void *user;
    size_t limit; // maximum number of bytes that one call may hold at a time; 0 = 1 GiB
} md5_allocator;

// Functions that read files. Set both: this form cannot read files of the operating system.
typedef struct md5_files {
    // Returns the content of a file and its size in *size. The result is not NULL for an empty
    // file. On failure returns NULL; error->message may contain the reason. `path` is the path that
    // was passed to the loading function.
    const void *(*open)(void *user, const char *path, size_t *size, md5_error *error);
    void (*close)(void *user, const void *bytes, size_t size); // called for each successful open()
    void *user;
} md5_files;

// Axes of a space, relative to a character that looks forward. A `LEFT` space is left-handed.
typedef enum md5_axes {
    MD5_AXES_ID,        // x forward, y left, z up: MD5 files
    MD5_AXES_Y_UP,      // x right, y up, z backward: OpenGL, Vulkan and Godot cameras
    MD5_AXES_GLTF,      // x left, y up, z forward: glTF, three.js and Godot models
    MD5_AXES_Y_UP_LEFT, // x right, y up, z forward: Unity, Direct3D
    MD5_AXES_Z_UP_LEFT, // x forward, y right, z up: Unreal
    MD5_AXES_BLENDER,   // x left, y backward, z up
} md5_axes;

// Weight of a triangle's unit normal at its vertices. A vertex normal is the sum over all triangles
// at the same position, including triangles that use another vertex at this position.
typedef enum md5_normals {
    MD5_NORMALS_ID,   // 1, as in id's engine
    MD5_NORMALS_AREA, // area of the triangle, as in most Quake engines
    MD5_NORMALS_ANGLE // angle at the vertex, independent of the triangulation (Thuermer, Wuethrich
                      // 1998)
} md5_normals;

// Options of loading and binding. Initialize them with MD5_INIT: a member that is 0 has its
// default. Load the model and all animations of a character with the same axes and scale:
// md5_bind() rejects differences. Triangles keep their order in all axes: clockwise, seen from
// outside.
typedef struct md5_load_opts {
    md5_allocator allocator;
    md5_files files;             // used by md5_load_*(); the memory of files does not count
    const char *file_name;       // name of in-memory data for messages; NULL = none
    void *reserved1[2];          // 0
    uint32_t reserved2;          // 0
    md5_axes axes;               // axes of the result; 0 = id's axes
    float scale;                 // units of the result per unit of the file, 1e-6 to 1e6; 0 = 1
    bool flip_v;                 // texture v = 0 is the bottom row
    bool drop_invalid_triangles; // omit triangles with invalid vertex indices; else they are an
                                 // error
    bool require_meshes;         // a model without meshes is an error
    bool allow_partial_binding;  // md5_bind() accepts animations that match few joints of the model
    bool reserved3;              // 0
    md5_normals normals;
    uint32_t reserved4;    // 0
    const void *reserved5; // 0
    uint64_t reserved[8];  // 0
} md5_load_opts;

// == Models and animations =======================================================================

// A load fails if a number in the file is outside -1e9 to 1e9. Therefore poses, palettes and
// vertices are finite.

typedef struct md5_rebase md5_rebase;
typedef struct md5_pose_plan md5_pose_plan;

// Private data of the library in a structure. Programs do not read it.
typedef struct md5_internal {
    md5_allocator allocator;
    void *memory;
    const void *reserved1;
    const md5_pose_plan *plan;
    const md5_rebase *rebases;
    uint32_t tag;
    uint32_t reserved2;
} md5_internal;

// A file vertex. Its weights are weights[first_weight .. first_weight + num_weights - 1] of its
// mesh; vertices may share weights. The position of a vertex without weights is the origin.
typedef struct md5_vertex {
    uint32_t first_weight;
    uint32_t num_weights;
} md5_vertex;

typedef struct md5_weight {
    uint32_t joint;
    float bias;      // as in the file; the biases of a vertex may have a sum other than 1
    md5_vec3 offset; // in joint space
} md5_weight;

// A mesh: the tables of the file, and the vertices to draw, which are derived from them.
typedef struct md5_mesh {
    const char *name;   // from `name "x"` or the comment `// meshes: x`; "" if neither exists
    const char *shader; // as in the file; "" if missing
    uint32_t num_file_vertices;
    uint32_t num_weights;
    const md5_vertex *file_vertices; // [num_file_vertices]
    const md5_weight *weights;       // [num_weights]
    // Drawn vertices, which are the vertices of the file in file order. `positions` and `normals`
    // are in the bind pose, model space.
    uint32_t num_vertices, num_triangles; // num_vertices == num_file_vertices
    const uint32_t *indices;   // [3 * num_triangles] drawn vertices, clockwise seen from outside
    bool is_mirrored;          // left-handed axes: (b - a) x (c - a) points outward
    const uint32_t *sources;   // [num_vertices] the file vertex of each drawn vertex
    const md5_vec2 *texcoords; // [num_vertices]
    const md5_vec3 *positions; // [num_vertices]
    const md5_vec3 *normals;   // [num_vertices] unit length, outward; the up direction if undefined
    const void *reserved1[2];
    // The influences of drawn vertex v have the indices first_influence[v] .. first_influence[v +
    // 1] - 1. They are sorted by descending absolute bias; each joint occurs once; influences that
    // are entirely 0 are omitted. An influence is (bias * point, bias), where `point` is the
    // position of the weight in the bind pose, model space. The exact position of the vertex is the
    // sum of palette[joint] * influence, for any number of weights and any biases.
    uint32_t num_influences, max_influences; // max_influences: largest number for one vertex
    const uint32_t *first_influence;         // [num_vertices + 1]
    const uint32_t *influence_joints;        // [num_influences]
    const md5_vec4 *influences;              // [num_influences]
    uint32_t max_weights;                    // largest number for one file vertex
    uint32_t num_off_sums; // number of file vertices whose biases do not sum to 1 within 1e-4
    float reserved2[2];
    md5_bounds bounds; // bounds of `positions`
    const void *reserved3;
    uint64_t reserved[8];
} md5_mesh;

typedef struct md5_joint {
    const char *name; // NUL-terminated bytes of the file, in unknown encoding
    uint32_t parent;  // MD5_NONE for a root
} md5_joint;

// Joints in file order. A parent may come after its child, so iterate over `order`.
typedef struct md5_skeleton {
    uint32_t num_joints;
    const md5_joint *joints; // [num_joints]
    const uint32_t *order;   // [num_joints] every joint once, level by level, parents first
    md5_axes axes;           // axes of all spaces: see md5_load_opts
    float scale;             // units per unit of the file
} md5_skeleton;

typedef struct md5_model { // skeleton and meshes of one .md5mesh file
    md5_skeleton skeleton;
    const md5_xform *bind_local;       // [num_joints] bind pose relative to the parent
    const md5_mat34 *bind;             // [num_joints] bind pose, model space
    const md5_mat34 *inverse_bind;     // [num_joints]
    uint32_t num_meshes, max_vertices; // max_vertices: num_vertices of the largest mesh
    md5_normals normals;               // md5_load_opts.normals of the load
    const md5_mesh *meshes;            // [num_meshes]
    md5_bounds bounds;                 // bounds of all meshes in the bind pose
    const char *command_line;
    uint32_t reserved1;
    bool flip_v; // md5_load_opts.flip_v of the load
    bool reserved2[2];
    size_t size;          // bytes of the block that contains the model, without the geometry
    size_t geometry_size; // bytes of the arrays of all meshes; 0 without meshes or after
                          // md5_release_geometry()
    md5_internal internal;
} md5_model;

typedef struct md5_track { // the animated components of a joint, as stored in an .md5anim file
    uint32_t flags;        // 1 Tx, 2 Ty, 4 Tz, 8 Qx, 16 Qy, 32 Qz
    uint32_t first;        // index of the first component in a frame
} md5_track;

// The content of an .md5anim file. `constant` contains the values that are equal in all frames;
// `rotations` and `translations` contain the other values for each frame.
typedef struct md5_anim {
    md5_skeleton skeleton;
    bool parents_unknown;        // always false: files of version 10 store parents
    const md5_track *tracks;     // [num_joints]
    const md5_xform *base_frame; // [num_joints] relative to the parent
    uint32_t num_frames;         // >= 1
    double frame_rate;           // frames per second, > 0
    double duration;             // duration of one cycle, seconds: (num_frames - 1) / frame_rate
    const md5_xform *constant;   // [num_joints]; values that change: as in the first frame
    uint32_t num_rotations, num_translations; // joints whose rotation or translation changes
    const uint32_t *rotation_joints;          // [num_rotations], ascending
    const uint32_t *translation_joints;       // [num_translations], ascending
    const md5_quat *rotations;                // [num_frames][num_rotations]
    const md5_vec3 *translations;             // [num_frames][num_translations]
    size_t reserved1;
    float reserved2[2];
    const md5_bounds *frame_bounds; // [num_frames] as in the file; NULL if missing
    uint32_t num_components;        // number of values in a frame of the file
    const char *command_line;
    uint32_t reserved3;
    size_t size; // bytes of the block that contains the animation
    md5_internal internal;
} md5_anim;

// Load a file, which opts->files opens. Return NULL on failure. Time and memory are linear in the
// size of the file for any content.
MD5_API md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error);
MD5_API md5_anim *md5_load_anim(const char *path, const md5_load_opts *opts, md5_error *error);

// Load from text[size], which does not need a terminating NUL and is not used after the call.
// Return NULL on failure, also if `size` is 0.
MD5_API md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                                   md5_error *error);
MD5_API md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts,
                                 md5_error *error);

// Returns the index of the first joint with this name (case-sensitive). Returns MD5_NONE if it does
// not exist or `name` is NULL. Takes time linear in the number of joints, so store the result.
MD5_API uint32_t md5_find_joint(const md5_skeleton *skeleton, const char *name);

// Frees the arrays of all meshes, which are most of a model's memory, for programs that have
// uploaded them. The pointers become NULL. All other data remains at its address; bindings remain
// valid. Afterwards the meshes cannot be packed. A second call has no effect.
MD5_API void md5_release_geometry(md5_model *model);

MD5_API void md5_free_model(md5_model *model);
MD5_API void md5_free_anim(md5_anim *anim);

// == Binding =====================================================================================

// The match between the joints of an animation and of a model. Stores pointers to both, so free the
// binding first.
typedef struct md5_binding {
    const md5_model *model;
    const md5_skeleton *skeleton;
    const md5_xform *bind_local;   // [model joints]
    const md5_mat34 *inverse_bind; // [model joints] used by md5_pose_palette()
    const md5_anim *anim;
    const uint32_t *tracks; // [model joints] index of the animation joint; MD5_NONE: bind pose
    bool same_order;        // tracks[joint] == joint for all joints
    uint32_t num_missing, num_extra; // model joints without a track; unused animation joints
    uint32_t num_rebases;            // number of joints with another parent in the animation
    size_t size;
    md5_internal internal;
} md5_binding;

// Matches the joints of `anim` and `model` by name. Names are case-sensitive. If several joints
// have the same name, the k-th track drives the k-th joint. Posing is fastest if both have the same
// names and parents in the same order.
//
// - A model joint without a track keeps its bind pose relative to its parent.
// - An animation joint that the model does not have still moves its descendants.
// - If a joint's parent in the animation is an ancestor in the model, the joint follows that
//   ancestor; joints in between, which exist only in the model, do not displace it. If the
//   hierarchies contradict each other, the hierarchy of the model is used.
//
// Returns NULL with MD5_ERROR_MISMATCH
// - if fewer than half of the joints of the model or of the animation have a match, because the
//   animation probably belongs to another skeleton; the message contains the first missing joints.
//   With opts->allow_partial_binding this is an error only if no joint matches.
// - if the two were loaded with different axes or scales.
//
// If `model` or `anim` is NULL, fails without changing the error of its load. Time and memory are
// linear in the number of joints and the length of their names (times the logarithm if the orders
// differ).
MD5_API md5_binding *md5_bind(const md5_model *model, const md5_anim *anim,
                              const md5_load_opts *opts, md5_error *error);

MD5_API void md5_free_binding(md5_binding *binding);

// == Time ========================================================================================

typedef enum md5_wrap {
    MD5_WRAP_LOOP,  // closed loop, as in id's engine: num_frames - 1 intervals, last frame = first
    MD5_WRAP_CYCLE, // open loop: num_frames intervals, the last frame blends into the first
    MD5_WRAP_CLAMP, // no loop: the first frame before the start, the last frame after the end
} md5_wrap;

typedef enum md5_interpolation { // interpolation between two frames
    MD5_INTERPOLATE_LINEAR,      // slerp for rotations, lerp for translations
    MD5_INTERPOLATE_STEP,        // each frame is held until the next frame
    MD5_INTERPOLATE_NLERP = 3,   // as LINEAR, but rotations are interpolated linearly along the
                                 // shorter arc and normalized
} md5_interpolation;

// A sample position in an animation: two frames and the fraction between them.
typedef struct md5_sample_position {
    uint32_t frame0;
    uint32_t frame1;
    float fraction; // 0 <= fraction < 1; 0 = frame0
    md5_wrap wrap;
    md5_interpolation interpolation; // initially LINEAR; may be changed
    int64_t cycle;                   // index of the loop: 0 from time 0, negative before
} md5_sample_position;

// Returns the sample position at `time` seconds, exact to the last bit of a double. `time` may be
// negative; pass scaled or decreasing times to play at another speed or backward. NaN counts as 0,
// infinity as the largest time. With MD5_WRAP_LOOP the end of a cycle is frame 0 of the next cycle.
MD5_API md5_sample_position md5_sample_position_at(const md5_anim *anim, double time,
                                                   md5_wrap wrap);

// Returns the sample position between two frames, for programs that address frames by number:
// `frame0` at fraction 0, `frame1` at fraction 1. Both can be any frame of the animation. The cycle
// is 0, the wrap mode MD5_WRAP_LOOP. All arguments are clamped; NaN counts as 0.
MD5_API md5_sample_position md5_sample_position_from_frames(const md5_anim *anim, uint32_t frame0,
                                                            uint32_t frame1, float fraction);

// == Posing ======================================================================================

typedef enum md5_root { // translation of joint 0, which moves the character
    MD5_ROOT_FILE,      // as stored
    MD5_ROOT_ID,        // as in id's engine: minus the base frame, plus the motion of past cycles
    MD5_ROOT_IN_PLACE,  // as in the first frame; add md5_anim_root_motion() to the character
} md5_root;

// Writes pose[model joints] at `sample`; transforms are relative to the parent. At fraction 0 the
// result is frame0 as stored. Between two frames, sample.interpolation selects the interpolation.
MD5_API void md5_sample(const md5_binding *binding, md5_sample_position sample, md5_root root,
                        md5_xform *pose);

// Returns the displacement of joint 0 between two sample positions of an animation, in units. This
// is the motion that MD5_ROOT_IN_PLACE removes. Each cycle adds the last frame minus the first
// frame, so that the displacements of consecutive intervals can be added. Always linear.
MD5_API md5_vec3 md5_anim_root_motion(const md5_anim *anim, md5_sample_position from,
                                      md5_sample_position to);

// Writes joints[skeleton->num_joints]: the model-space matrices of pose[num_joints], in joint
// order. The palette of a blended pose is joints[i] * model->inverse_bind[i].
MD5_API void md5_local_to_model(const md5_skeleton *skeleton, const md5_xform *pose,
                                md5_mat34 *joints);

// Samples a pose and writes its joint matrices and its palette, [model joints] each, in one call;
// either may be NULL. Joint matrices transform from joint space to model space, for example for
// attachments. Palette matrices transform vertices from the bind pose to the current pose. Uses
// pose[model joints] as working memory.
MD5_API void md5_pose_palette(const md5_binding *binding, md5_sample_position sample, md5_root root,
                              md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette);

// Blends two poses of the same `count` joints. Writes pose[count], which may be one of the inputs:
// bit-identical to `from` at weight 0 and to `to` at weight 1. The weight of a joint is weight *
// joint_weights[joint], clamped to 0..1; NaN counts as 0. If `joint_weights` is NULL, all are 1.
// Rotations are interpolated by slerp along the shorter arc, within 1e-6 radians; translations by
// lerp. Blending a pose with itself returns the same pose.
MD5_API void md5_blend_poses(const md5_xform *from, const md5_xform *to, float weight,
                             const float *joint_weights, uint32_t count, md5_xform *pose);

// == Vertices for shaders ========================================================================

// Storage format of joints and weights in md5_pack_influences().
typedef enum md5_pack_format {
    MD5_PACK_FLOATS, // uint32_t joints, float weights with a sum of 1; may be negative
    MD5_PACK_BYTES,  // uint8_t joints and weights for normalized 8-bit attributes; the sum is 255
} md5_pack_format;

// A member that is 0 has its default.
typedef struct md5_pack_job {
    const md5_mesh *mesh;
    uint32_t slots; // joints and weights per vertex, 1 to 255; 0 = 4
    md5_pack_format format;
    void *joints, *weights;             // [num_vertices * slots] in the selected format
    size_t joint_stride, weight_stride; // bytes from vertex to vertex; 0 = no gaps
    uint64_t reserved[4];               // 0
} md5_pack_job;

// Packs the influences of each drawn vertex, largest first. Drops the influences beyond `slots` and
// scales the remaining biases to a sum of 1. If they cancel out, the first influence has weight 1.
// Unused slots have joint 0 and weight 0. With strides, both arrays may be members of an
// interleaved vertex; floats must be at float-aligned addresses.
//
// MD5_PACK_BYTES: each weight is 255 times the float weight, rounded down. The remaining units are
// added to the weights with the largest remainders; equal remainders are ordered by slot. Negative
// weights cannot be stored and are dropped; the others are scaled to a sum of 1. All weights of a
// vertex without influences, which is at the origin, are 0.
//
// Returns false and writes nothing if a vertex uses a joint that the format cannot store (an index
// above 255 in bytes). Takes time linear in the number of influences.
MD5_API bool md5_pack_influences(const md5_pack_job *job);

#ifdef __cplusplus
}
#endif

#endif
