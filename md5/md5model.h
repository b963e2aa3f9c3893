// md5model: loads, poses and skins the MD5 models of id Software (Doom 3). The format has three
// kinds of text files: .md5mesh (a skeleton with meshes), .md5anim (an animation of a skeleton) and
// .md5camera (the path of a camera).
//
// A program that draws an animated model usually calls the functions in the following order:
//
//   1. md5_load_model() and md5_load_anim() read files and create assets.
//   2. md5_bind() creates a binding: it finds the animation track of each joint of the model.
//   3. md5_sample_position_at() converts a time to a sample position in the animation.
//   4. md5_sample() writes the pose at this position: one transform per joint, relative to the
//      parent of the joint.
//   5. md5_local_to_model() converts the pose to joint matrices in model space.
//   6. md5_build_palette() converts the joint matrices to a palette: one matrix per joint that
//      moves vertices from the bind pose to the current pose. The bind pose is the pose in which
//      the meshes were attached to the skeleton.
//   7. md5_skin() (md5skin.h) computes the vertices from the palette. A shader can do this too.
//
// Five functions perform one or several of the steps 4 to 6. They differ in their inputs and in
// their speed, but the results have the same bits:
//
//   function                input              results            use
//   md5_pose_palette()      sample position    joints, palette    one character
//   md5_pose_batch()        sample positions   joints, palettes   many characters, with threads
//   md5_local_to_palette()  pose               joints, palette    after blending or inverse
//                                                                 kinematics
//   md5_local_to_model()    pose               joints             without skinning, for example
//                                                                 on a server
//   md5_build_palette()     joints             palette            joints of another source, for
//                                                                 example of a ragdoll
//
// md5math.h contains vectors, quaternions and matrices, and md5skin.h contains skinning.
//
// Terms: a clip is an animation that was loaded (md5_anim). Model space is the coordinate system of
// a whole model; joint space is the coordinate system of one joint. Quaternions are interpolated by
// slerp (md5_quat_slerp()) or by nlerp (md5_quat_nlerp()). Two results are bit-identical, or have
// the same bits, if they are equal without any rounding difference.
//
// Space: all data is in the coordinate system of id Software, unless md5_load_opts.axes selects
// another one: x points forward, y left and z up. This system is right-handed. Lengths are in units
// of the file, usually inches. Vectors are columns, so a matrix M transforms a vector v to M * v.
// Quaternions follow the textbook order: the rotation of a joint in model space is the rotation of
// the parent times the rotation of the joint. Front faces are clockwise: for a triangle with the
// vertices a, b and c, the vector (c - a) x (b - a) points outward. The texture coordinate v = 0 is
// the top row of a texture.
//
// Types: counts and indices have the type uint32_t. Sizes in bytes, and counts of jobs and points
// that the caller supplies, have the type size_t. MD5_NONE is the index of a missing element. A
// comment that begins with [count] describes an array with `count` elements. A function accepts an
// invalid index only if its comment defines the result for invalid indices. A function that returns
// text or bytes writes them to an array of the caller, truncated to the size of the array, and
// returns the full size. Pass NULL and 0 to get only the size.
//
// Memory: an asset is a file that was loaded, for example an md5_model. Assets are read-only, and
// their memory is allocated by the caller's allocator. Most assets are a single memory block. A
// model consists of three blocks, plus one block for the skinning plan of each mesh. Free loaded
// assets with md5_free_*() and created objects with md5_destroy_*(). Both accept NULL. Functions
// that pose, blend and skin write to arrays of the caller, do not allocate memory and cannot fail.
// Every function that allocates memory fails with MD5_ERROR_MEMORY if memory runs out.
//
// Arguments: arrays must not overlap and pointers must not be NULL, unless the comment of the
// function allows it. Debug builds assert these rules and the range of indices. A pointer to an
// array may be NULL if the size or count of the array is 0. If `opts` is NULL, all options have
// their defaults. If `error` is NULL, the function does not report the reason of a failure.
//
// Compatibility: structures of options, descriptions and table entries end with the member
// `reserved`, which later versions replace by new members. All its elements must be 0. This is the
// case if the structure is initialized with `= MD5_INIT` or with designated initializers. Debug
// builds assert it.
//
// Threads: the library has no global state and starts no threads. Batch functions can use the
// caller's threads (see md5_threads). Several threads may use the same asset. All functions may run
// concurrently if no function writes to memory that another function uses. Calling md5_free_*()
// counts as writing to the asset.
#ifndef MD5MODEL_H
#define MD5MODEL_H

#include "md5math.h" // installed in the same folder
#ifdef __cplusplus
extern "C" {
#endif

#define MD5_VERSION_MAJOR 0
#define MD5_VERSION_MINOR 3
#define MD5_VERSION_PATCH 0

// -- Initializers ---------------------------------------------------------------------------

// Initializes any structure of these headers: all its members become 0, which selects the defaults
// of options. The macro expands to {0} in C and to {} in C++, so that the same source compiles
// without a warning in both languages.
//
//   md5_error error = MD5_INIT;
//   md5_load_opts opts = MD5_INIT;
//   opts.scale = 0.5f;
//   md5_model *model = md5_load_model("imp.md5mesh", &opts, &error);
// clang-format off
#ifdef __cplusplus
#define MD5_INIT {}
#else
#define MD5_INIT {0}
#endif
// clang-format on

// Default initializer of members in C++14 and later. It allows `md5_error error = {0};`, which
// initializes only the first member explicitly, to compile without a warning in C++.
#if defined(__cplusplus) && __cplusplus >= 201402L
#define MD5_MEMBER_INIT = {}
#else
#define MD5_MEMBER_INIT
#endif

// -- Errors ---------------------------------------------------------------------------------

// The index of a missing element. The value is larger than every valid index and every count.
#define MD5_NONE UINT32_MAX

// Value that sets a member to zero if the default of the member is not 0, because 0 itself selects
// the default. For example, if the default of `damping` is 8, then 0 means 8, and MD5_EXPLICIT_ZERO
// means no damping. The value is the smallest normal float.
#define MD5_EXPLICIT_ZERO 1.17549435e-38f

// The kind of a failure.
typedef enum md5_status {
    MD5_OK, // no failure
    // A problem that does not stop a load. Only the warning callback md5_warn_fn receives this
    // status.
    MD5_WARNING,
    MD5_ERROR_IO,      // A file cannot be read or is too large. The message contains the reason.
    MD5_ERROR_MEMORY,  // The allocator returned NULL, or its limit would have been exceeded.
    MD5_ERROR_SYNTAX,  // The grammar does not allow the token at the reported location.
    MD5_ERROR_RANGE,   // A count, an index or a number is out of range.
    MD5_ERROR_VERSION, // The version of an MD5 file is not supported.
    // Two inputs do not match, for example an animation and a model with other joints.
    MD5_ERROR_MISMATCH,
    // An argument is NULL because an earlier load failed, but `error` contains no reason for it.
    MD5_ERROR_MISSING,
    MD5_ERROR_GPU, // OpenGL or the shader compiler failed. Only the renderer (md5gl) reports this.
} md5_status;

// The reason and the location of a failure, for messages to the user or to the author of a file.
//
// Initialize an error with MD5_INIT or md5_error_clear(). Functions write to an error only if they
// fail, so check the result of a function before you read its error.
//
// You can run a sequence of loads and check for failure once, at the end. If a load fails, it
// returns NULL. A later function that receives this NULL as an argument fails too: it returns NULL
// or false and does not change the error of the load. If the error contains no failure, the later
// function sets MD5_ERROR_MISSING. If several loads fail, the error is from the last one.
//
// An error contains no pointers and can be copied.
typedef struct md5_error {
    // Line in the file, starting at 1. If 0, the failure has no location in a file.
    uint32_t line MD5_MEMBER_INIT;
    // Column in the line, in bytes, starting at 1. If 0, the failure has no location in a file.
    uint32_t column MD5_MEMBER_INIT;
    md5_status status MD5_MEMBER_INIT; // The kind of the failure.
    // Name of the file as passed by the caller. If the name is too long, its start is omitted. If
    // it is "", the failure does not concern a file.
    char file[256] MD5_MEMBER_INIT;
    // Description of the failure in one line of UTF-8, terminated by NUL. Bytes that are not
    // printable UTF-8 are written as escape sequences.
    char message[256] MD5_MEMBER_INIT;
} md5_error;

// Resets an error to "no failure", so that it can be used for another sequence of calls. `error`
// may be NULL.
static inline void md5_error_clear(md5_error *error)
{
    if (error) {
        error->status = MD5_OK;
        error->line = error->column = 0;
        error->file[0] = error->message[0] = '\0';
    }
}

// Formats an error for display. Writes "file:line:column: error: message" and a NUL to text[size],
// truncated to `size`. For MD5_WARNING, "warning" replaces "error". Parts that the error does not
// contain, such as the location, are omitted. Bytes that are not printable UTF-8 are written as
// escape sequences. Returns the length of the full text.
MD5_API size_t md5_format_error(const md5_error *error, char *text, size_t size);

// -- Threads --------------------------------------------------------------------------------

// A program that has a thread pool can lend it to the library. To do so, it supplies a function
// (md5_threads.run) that divides a range of numbered items into parts and processes the parts on
// the threads of the pool. Each part receives a number, called worker, that identifies its thread.
// If the threads of your pool have no numbers, as with dispatch_apply() or parallel_for(), divide
// the range into num_workers parts and pass the index of the part as the worker. md5/docs/crowds.md
// contains an example.

// A function that processes the items `begin` to `end` - 1 of a range. The library passes such a
// function to md5_threads.run(), which calls it. `worker` selects the scratch memory that the call
// uses, so two calls that run at the same time must have different workers. `user` is the pointer
// that run() received. The function does not allocate memory and cannot fail, unless the comment of
// the library function that uses the pool states this.
typedef void md5_range_fn(void *user, uint32_t worker, size_t begin, size_t end);

// A thread pool of the caller. Functions that accept a pool also accept NULL; they then use only
// the calling thread. The results have the same bits for any number of workers and for any division
// into ranges.
typedef struct md5_threads {
    // Processes all items from 0 to `count` - 1. Calls range(user, worker, begin, end) for ranges
    // that together contain each item exactly once, in any order, with worker < num_workers.
    // Returns when all these calls have returned; their writes must then be visible to the calling
    // thread. The calling thread may be one of the workers. The library calls run() on the thread
    // that called the library, and never from a range function. run() cannot report errors: if the
    // pool has fewer threads than expected, it must use fewer workers.
    void (*run)(void *pool, size_t count, md5_range_fn *range, void *user);
    void *pool;           // first argument of run(); the library does not store it
    uint32_t num_workers; // number of workers, at least 1
} md5_threads;

// Processes the items 0 to `count` - 1 with the function `range`, and passes `user` to each call.
// The library calls this function for its own work; a program can use it to process its own items
// on the same pool. Uses threads->run(), except in three cases, in which it calls range() directly
// as worker 0: if `threads` is NULL, if `threads` has one worker, or if there is only one item.
MD5_API void md5_threads_run(const md5_threads *threads, size_t count, md5_range_fn *range,
                             void *user);

// -- Options --------------------------------------------------------------------------------

// The memory functions of the caller, for programs that manage their memory themselves. Set both
// functions, or none of them to use malloc() and free(). Each asset stores a copy of the structure,
// so the object that `user` points to must exist until the asset is freed.
typedef struct md5_allocator {
    // Allocates `size` bytes, aligned to 16 bytes. Returns NULL on failure.
    void *(*alloc)(void *user, size_t size);
    // Frees memory. `size` is the size that was passed to alloc().
    void (*free)(void *user, void *memory, size_t size);
    void *user; // first argument of both functions
    // Maximum number of bytes that one call of the library may hold at any time. The value 0 means
    // 1 GiB.
    size_t limit;
} md5_allocator;

typedef struct md5_packed md5_packed; // frames of a compressed animation (opaque)
// A joint that has different parents in the animation and in the model. The structure is opaque.
typedef struct md5_rebase md5_rebase;
// The tables that md5_sample() reads, copied into one block in the order in which it reads them.
// The structure is opaque.
typedef struct md5_pose_plan md5_pose_plan;

// Private data of the library in an asset. Programs must not read it. If a program creates a
// structure with this member, all members of md5_internal must be 0.
typedef struct md5_internal {
    md5_allocator allocator; // the allocator that the caller passed when the object was created
    // second memory block of the object, in addition to the block that contains the structure
    void *memory;
    const md5_packed *packed;  // compressed frames; NULL if the animation is not compressed
    const md5_pose_plan *plan; // tables that md5_sample() reads
    // joints that have different parents in the animation and in the model
    const md5_rebase *rebases;
    uint32_t tag; // kind of the object; debug builds use it to detect the use of a freed object
    // Debug builds use this member to detect that a callback of the program changes the object
    // while the library uses it: the member identifies the callback that is running.
    uint32_t callback;
} md5_internal;

// A function of the caller that receives warnings, which are problems that do not stop a load. It
// is called while the loading function runs, and `warning` is valid only during the call. Problems
// of the same kind are reported by a single warning. Its location is the location of the first
// problem, and its message contains the number of problems and the line of the last problem. Such a
// group counts as one warning in members named num_warnings.
typedef void md5_warn_fn(void *user, const md5_error *warning);

// Functions of the caller that read files, for example from an archive. Only loading functions call
// them. Set both functions, or none of them to read files of the operating system. A build with
// MD5_HAS_FILES=0 has no access to files of the operating system.
typedef struct md5_files {
    // Returns the content of a file and writes its size to *size. The result must not be NULL for
    // an empty file. On failure, returns NULL and may write the reason to error->message. `path` is
    // the path that the program passed to the loading function. If a machine file (md5machine.h)
    // refers to another file, `path` is relative to the folder of the machine file.
    const void *(*open)(void *user, const char *path, size_t *size, md5_error *error);
    // Releases the content. The library calls this function once for each successful call of
    // open().
    void (*close)(void *user, const void *bytes, size_t size);
    void *user; // first argument of both functions
} md5_files;

// Selects how vertex normals are computed. A vertex normal is the weighted sum of the unit normals
// of all triangles that have a vertex at the same position. Triangles of other vertices at this
// position are included. The value selects the weight of a triangle in this sum.
typedef enum md5_normals {
    MD5_NORMALS_ID, // The weight of each triangle is 1, as in id's engine.
    // The weight of a triangle is its area, as in most Quake engines.
    MD5_NORMALS_AREA,
    // The weight is the angle of the triangle at the vertex, so that the result does not depend on
    // the triangulation (Thuermer, Wuethrich 1998).
    MD5_NORMALS_ANGLE
} md5_normals;

// Parts of the geometry of a model, as flags that can be combined. The geometry is all data of
// meshes that a load computes from the content of the file.
typedef enum md5_geometry_part {
    // Tangents, and the duplicate vertices at mirror seams (see md5_mesh).
    MD5_GEOMETRY_TANGENTS = 1,
    // Skinning plans, which make md5_skin() faster. Programs whose shaders skin do not need them.
    MD5_GEOMETRY_SKIN_PLANS = 2,
    // The members loss4 and loss8 of md5_mesh: the errors of skinning with only 4 or 8 influences
    // per vertex. If this part is omitted, the errors are unknown, and both members are infinite.
    MD5_GEOMETRY_LOSSES = 4,
    MD5_GEOMETRY_ALL = 15, // All parts above, and also positions, normals and influences.
} md5_geometry_part;

// Options of loading functions. A member that is 0 has its default.
typedef struct md5_load_opts {
    // Functions that allocate and free memory for the asset and for the load.
    md5_allocator allocator;
    // Functions that read files, used by md5_load_*(). The memory of file contents does not count
    // towards the limit of the allocator.
    md5_files files;
    // File name that messages contain if the data is loaded from memory. If NULL, messages contain
    // no file name.
    const char *file_name;
    md5_warn_fn *warn; // Function that receives warnings. If NULL, warnings are only counted.
    void *warn_user;   // first argument of `warn`
    // Maximum number of warnings that one call reports. If there are more, the last reported
    // warning states that the limit was reached. The value 0 means 100.
    uint32_t max_warnings;
    // Axes of the loaded data: which of x, y and z point forward, left and up. The value 0 means
    // id's axes. See "Conversion" below.
    md5_axes axes;
    // Factor by which all lengths are multiplied, from 1e-6 to 1e6. 0 means 1.
    float scale;
    // If true, v = 0 is the bottom row of a texture, as in OpenGL. If false, v = 0 is the top row.
    bool flip_v;
    // Treatment of triangles with invalid vertex indices. If true, the load omits these triangles
    // and warns. If false, the load fails.
    bool drop_invalid_triangles;
    bool require_meshes; // If true, a load fails if the model has no meshes.
    // If true, md5_bind() accepts an animation if at least one of its joints is in the model. If
    // false, md5_bind() requires that at least half of the joints of the animation, and at least
    // half of the joints of the model, match.
    bool allow_partial_binding;
    // If true, the load sorts the drawn vertices so that vertices that are moved by the same joints
    // are adjacent, which makes skinning on the CPU faster. md5_mesh explains the effect.
    bool group_vertices;
    // Method for computing vertex normals. It has no effect on files of version 12, which contain
    // normals.
    md5_normals normals;
    // Parts of the geometry that the load does not compute, as md5_geometry_part flags.
    // md5_derive_geometry() can compute them later. Programs that only pose models and do not draw
    // them, such as servers, set MD5_GEOMETRY_ALL.
    uint32_t skip_geometry;
    // Thread pool for md5_load_character() (md5play.h). If NULL, only the calling thread is used.
    // The threads of the pool call the functions of `allocator` and `files` concurrently. `warn` is
    // called only on the calling thread, in the same order as without threads.
    const md5_threads *threads;
    uint64_t reserved[8]; // must be 0
} md5_load_opts;

// Conversion: the options `axes` and `scale` convert all data of an asset while it is loaded. Let C
// be the matrix md5_mat34_from_axes(axes, scale). A position p of the file becomes
//
//   C p
//
// and a transform or matrix M becomes
//
//   C M C^-1.
//
// This applies to model space, to the spaces of joints and to cameras. The directions forward, left
// and up of the file remain forward, left and up. A result that is computed from a converted asset
// equals the converted result of the original asset. Load all assets of a character with the same
// options, because md5_bind() rejects assets with different axes or scales.
//
// - The order of the vertices of a triangle is not changed: it is clockwise, seen from outside, as
//   Unity, Godot and Direct3D expect. In left-handed axes the vector (b - a) x (c - a) points
//   outward; see md5_mesh.is_mirrored.
// - Functions that use the up or forward direction, such as md5_solve_feet(), and the root motion
//   of state machines read these directions from md5_skeleton.axes. In comments, "model x", "model
//   y" and "model z" mean forward, left and up. Vectors that the caller passes are in the axes and
//   units of the asset.
// - The flags of md5_track are not converted: they describe components in the axes of the file.
// - The renderer md5gl draws models with any axes. However, its sky light and its ground shadows
//   assume that z is up.

// -- Meshes ---------------------------------------------------------------------------------

// A vertex as the file stores it. Its weights are the elements first_weight to first_weight +
// num_weights - 1 of md5_mesh.weights. Several vertices may use the same weights. A vertex without
// weights is at the origin.
typedef struct md5_vertex {
    uint32_t first_weight, num_weights;
} md5_vertex;

// The influence of one joint on a vertex, as the file stores it. The position of the vertex is the
// sum of `bias` times the transformed `offset` over all weights of the vertex.
typedef struct md5_weight {
    uint32_t joint; // index of the joint to which the weight belongs
    // Fraction of the position that this weight contributes, as in the file. The sum of the biases
    // of a vertex is usually 1, but files may contain other sums.
    float bias;
    md5_vec3 offset; // position of the point in the space of the joint
} md5_weight;

// The order in which md5_skin() computes the vertices of a mesh. The structure is opaque.
typedef struct md5_skin_plan md5_skin_plan;

// A mesh of a model. It contains two descriptions of the same surface: the vertices and weights as
// the file stores them (file_vertices, weights), and arrays for drawing, which the load computes
// from them (the members from num_vertices on).
typedef struct md5_mesh {
    // Name of the mesh, from a line `name "x"` or a comment `// meshes: x` of the file. The string
    // is "" if the file contains neither.
    const char *name;
    // Name of the material, as in the file. The string is "" if the file does not contain it.
    const char *shader;
    uint32_t num_file_vertices, num_weights;
    // [num_file_vertices] the vertices as the file stores them
    const md5_vertex *file_vertices;
    // [num_weights] the weights as the file stores them, used by file_vertices
    const md5_weight *weights;
    // Drawn vertices are the vertices that a renderer uses: all vertices of the file, in the order
    // of the file, followed by duplicates of vertices at mirror seams. A mirror seam is an edge at
    // which the texture is mirrored. A vertex at a mirror seam belongs to triangles of both texture
    // orientations and therefore needs two different tangents. Files of version 12 contain normals
    // and tangents, which are used as they are, without duplicates.
    //
    // If md5_load_opts.group_vertices is set, drawn vertices are sorted by their joints. All arrays
    // of drawn vertices then have this order, and `sources` contains the file vertex of each drawn
    // vertex. The values have the same bits as without the option. md5_skin() then takes 0.7 to
    // 1.05 of the time (0.95 for most models). Loading takes 10 % longer and needs up to 48 more
    // bytes per vertex.
    //
    // num_vertices is the number of drawn vertices, which is at least num_file_vertices.
    uint32_t num_vertices, num_triangles;
    // [3 * num_triangles] Indices of drawn vertices; the vertices of a triangle are clockwise, seen
    // from outside.
    const uint32_t *indices;
    // If true, the axes are left-handed; (b - a) x (c - a) points outward for a triangle a, b, c.
    bool is_mirrored;
    // [num_vertices] for each drawn vertex, the index of its vertex in file_vertices
    const uint32_t *sources;
    const md5_vec2 *texcoords; // [num_vertices] texture coordinates
    const md5_vec3 *positions; // [num_vertices] positions in the bind pose, in model space
    // [num_vertices] Normals in the bind pose, in model space: they have unit length and point
    // outward. If a normal is undefined, it is the up direction.
    const md5_vec3 *normals;
    // [num_vertices] Tangents in the bind pose, in model space, or NULL if the load omitted them.
    // x, y, z are the direction of increasing texture coordinate u; this vector has unit length and
    // is perpendicular to the normal N. w is +1 or -1 and defines the bitangent, which is the
    // direction of increasing v:
    //
    //   bitangent = cross(N, T) * w, where T is (x, y, z).
    const md5_vec4 *tangents;
    // [num_vertices] Linear red, green, blue and alpha from 0 to 1. NULL unless the file has
    // version 12.
    const md5_vec4 *colors;
    // An influence is the effect of one joint on one drawn vertex. It combines all weights of the
    // joint at this vertex. Drawn vertex v has the influences with the indices first_influence[v]
    // to first_influence[v + 1] - 1, sorted by descending absolute bias. Each joint occurs at most
    // once per vertex. An influence whose values are all 0 is omitted.
    //
    // An influence is stored as a vector with four components:
    //
    //   (bias * point, bias)
    //
    // where `point` is the position of the weight in the bind pose, in model space. The position of
    // the vertex in a pose is the sum, over its influences, of
    //
    //   palette[joint] * influence.
    //
    // This sum is exact for any number of weights and for any biases.
    //
    // `num_influences` is the number of influences of all vertices. `max_influences` is the largest
    // number of influences of one vertex.
    uint32_t num_influences, max_influences;
    // [num_vertices + 1] index of the first influence of each vertex
    const uint32_t *first_influence;
    const uint32_t *influence_joints; // [num_influences] index of the joint of each influence
    // [num_influences] the vector (bias * point, bias) of each influence
    const md5_vec4 *influences;
    uint32_t max_weights; // largest number of weights of one file vertex
    // Number of vertices of the file whose weights have biases that do not sum to 1 within 1e-4.
    uint32_t num_off_sums;
    // Largest displacement of a vertex, in units, if a renderer uses only the 4 (loss4) or 8
    // (loss8) strongest influences of each vertex. These are the results of md5_pack_loss() if its
    // argument `joints` is NULL. They are infinite if the load omitted MD5_GEOMETRY_LOSSES.
    float loss4, loss8;
    md5_bounds bounds; // bounding box of all `positions`
    // Data that makes md5_skin() faster. The pointer is NULL if the load omitted it or if the mesh
    // has no vertices; md5_skin() then takes longer, but its results have the same bits.
    const md5_skin_plan *skin_plan;
    uint64_t reserved[8]; // must be 0
} md5_mesh;

// -- Assets ---------------------------------------------------------------------------------

// A load fails if the file contains a number outside the range -1e9 to 1e9. Therefore all poses,
// palettes and vertices are finite.

// A joint of a skeleton.
typedef struct md5_joint {
    // Name of the joint: the bytes of the file in an unknown encoding, terminated by NUL.
    const char *name;
    uint32_t parent; // index of the parent joint; MD5_NONE if the joint is a root
} md5_joint;

// The joints of a model or an animation, in the order of the file. A parent may have a larger index
// than its child, so use the array `order` to process parents before their children.
typedef struct md5_skeleton {
    uint32_t num_joints;
    const md5_joint *joints; // [num_joints] name and parent of each joint
    // [num_joints] Indices of all joints, each once: first the roots, then their children, and so
    // on level by level.
    const uint32_t *order;
    // Axes of all coordinate systems of the model or animation; see md5_load_opts.axes.
    md5_axes axes;
    // Number by which the load multiplied all lengths (md5_load_opts.scale). 0 means 1.
    float scale;
} md5_skeleton;

// The content of one .md5mesh file: a skeleton and its meshes.
typedef struct md5_model {
    md5_skeleton skeleton;
    // [num_joints] bind pose: the transform of each joint relative to its parent
    const md5_xform *bind_local;
    const md5_mat34 *bind; // [num_joints] bind pose: the matrix of each joint in model space
    const md5_mat34 *inverse_bind; // [num_joints] inverse of each matrix of `bind`
    // `max_vertices` is the number of drawn vertices (num_vertices) of the largest mesh.
    uint32_t num_meshes, max_vertices;
    md5_normals normals;    // method by which normals were computed (md5_load_opts.normals)
    const md5_mesh *meshes; // [num_meshes] the meshes in the order of the file
    md5_bounds bounds;      // bounding box of all meshes in the bind pose
    // Command line of the program that wrote the file, as the file stores it. The string is "" if
    // it is missing.
    const char *command_line;
    // number of warnings that the load produced, including those it did not report
    uint32_t num_warnings;
    // If true, the load flipped the texture coordinate v (md5_load_opts.flip_v).
    bool flip_v;
    // If true, normals and tangents were read from the file, which has version 12.
    bool stores_normals;
    // If true, drawn vertices are sorted by their joints (md5_load_opts.group_vertices).
    bool has_grouped_vertices;
    // size in bytes of the memory block of this structure, without the arrays of the meshes
    size_t size;
    // Size of the arrays of all meshes in bytes, without skinning plans. The value is 0 if the
    // model has no meshes or after md5_release_geometry().
    size_t geometry_size;
    md5_internal internal;
} md5_model;

// The components of a joint's transform that change during an animation, as the .md5anim file
// stores them. The other components have the values of the base frame in every frame.
typedef struct md5_track {
    // Sum of the values of the animated components. The components x, y and z of the translation
    // have the values 1, 2 and 4. The components x, y and z of the rotation, a quaternion, have the
    // values 8, 16 and 32.
    uint32_t flags;
    // Index of the joint's first animated component in the list of numbers that the file stores per
    // frame.
    uint32_t first;
} md5_track;

// The content of an .md5anim file, or a compressed animation (see md5_compress_anim()). Programs
// bind, sample and play both kinds in the same way.
//
// Transforms that are equal in all frames are stored once, in `constant`. Rotations and
// translations that change are stored for each frame, in `rotations` and `translations`. The loader
// compares the values to decide which of them change; it does not use the flags of the tracks. 0
// and -0 count as equal, and the value of the first frame is stored.
typedef struct md5_anim {
    md5_skeleton skeleton;
    // True for animations of version 6, which do not store the parents of joints. All parents are
    // then MD5_NONE, and each transform is relative to the joint's parent in the model to which
    // md5_bind() binds the animation.
    bool parents_unknown;
    // [num_joints] The animated components of each joint. The pointer is NULL if the animation is
    // compressed.
    const md5_track *tracks;
    // [num_joints] The base frame of the file, which contains the default values of all components.
    // Each transform is relative to the parent. For a compressed animation, this is the first
    // frame, except that joint 0 has the position of the original base frame.
    const md5_xform *base_frame;
    uint32_t num_frames; // number of frames, at least 1
    double frame_rate;   // frames per second, above 0
    // Duration of one cycle of a closed loop, in seconds: (num_frames - 1) / frame_rate.
    double duration;
    // [num_joints] The transform of each joint, relative to the parent. A rotation or translation
    // that changes has the value of the first frame here.
    const md5_xform *constant;
    // Number of joints whose rotation changes, and number of joints whose translation changes.
    uint32_t num_rotations, num_translations;
    // [num_rotations] indices of the joints whose rotation changes, ascending
    const uint32_t *rotation_joints;
    // [num_translations] indices of the joints whose translation changes, ascending
    const uint32_t *translation_joints;
    // [num_frames][num_rotations] the rotations that change; NULL if the animation is compressed
    const md5_quat *rotations;
    // [num_frames][num_translations] the translations that change; NULL if the animation is
    // compressed
    const md5_vec3 *translations;
    // Size in bytes of the compressed data that sampling reads. The value is 0 if the animation is
    // not compressed.
    size_t packed_size;
    // Tolerance that was requested for the compression, in units. The value is 0 if the animation
    // is not compressed.
    float tolerance;
    // Largest displacement of a point of the skin that the compression causes, in units. It is at
    // most `tolerance`. The compressor measures it in model space, at each frame and halfway
    // between frames. For each joint it adds two terms: the displacement of the joint's origin, and
    // the largest displacement by the rotation error of a point at the skin distance of the joint
    // (see md5_compress_opts). A vertex whose weights are between 0 and 1 and sum to 1 is not
    // displaced more than the points of its joints.
    float max_error;
    // [num_frames] Bounding box of each frame, as the file stores it. The pointer is NULL if the
    // animation has no boxes.
    const md5_bounds *frame_bounds;
    // Number of values that the file stores per frame: the sum of the animated components of all
    // joints.
    uint32_t num_components;
    // command line of the program that wrote the file, as the file stores it
    const char *command_line;
    uint32_t num_warnings; // number of warnings that the load produced
    size_t size;           // size of the animation in memory, in bytes
    md5_internal internal;
} md5_anim;

// The position and direction of a camera. In its own space, the camera looks along +x, y points
// left and z points up. If md5_load_opts.axes selected other axes, these directions are converted
// to them.
typedef struct md5_camera_view {
    md5_vec3 position;
    md5_quat rotation;
    float fov; // horizontal field of view, in degrees
} md5_camera_view;

// A fixed view that a camera file can store for a cut, in addition to the frames. Virtual reality
// engines show this fixed view until the next cut instead of moving the camera along the path. The
// file contains it after the frame number of the cut, in one of two forms:
//
//   71 pos ( x y z ) rotA ( pitch yaw roll )   angles in degrees
//   71 pos ( x y z ) rot ( x y z )             a quaternion, as in frames
typedef struct md5_cut_view {
    uint32_t cut; // index of the cut in md5_camera.cuts
    // False if the file does not contain this value. Then use the value of the first frame after
    // the cut.
    bool has_position, has_rotation;
    md5_vec3 position;
    md5_quat rotation;
} md5_cut_view;

// The content of an .md5camera file: the path of a camera. A path consists of shots. Within a shot
// the camera moves continuously; at a cut it jumps to the start of the next shot.
typedef struct md5_camera {
    uint32_t num_frames; // number of frames, at least 1
    double frame_rate;   // frames per second, above 0
    // Duration in seconds: (num_frames - 1 - num_cuts) / frame_rate, but at least 0. No time passes
    // at a cut.
    double duration;
    uint32_t num_cuts;
    // [num_cuts] The last frame of each shot except the last shot. The next shot begins with the
    // following frame.
    const uint32_t *cuts;
    uint32_t num_cut_views;
    // [num_cut_views] the fixed views of cuts, sorted by ascending cut
    const md5_cut_view *cut_views;
    const md5_camera_view *frames; // [num_frames] the view of each frame
    // command line of the program that wrote the file, as the file stores it
    const char *command_line;
    uint32_t num_warnings; // number of warnings that the load produced
    size_t size;           // size of the camera path in memory, in bytes
    md5_internal internal;
} md5_camera;

// These functions load a model or an animation from a file. `path` has the encoding that the
// system's open() expects; on Windows it is UTF-8. `opts` and `error` may be NULL. They return NULL
// on failure, which includes a path of a pipe or a device. Free the result with md5_free_model() or
// md5_free_anim(). Time and memory are linear in the size of the file for any content.
MD5_API md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error);
MD5_API md5_anim *md5_load_anim(const char *path, const md5_load_opts *opts, md5_error *error);

// The loading functions detect the format of a file by its content. They support the following
// formats.
//
// Text files may have version 10 (Doom 3), version 12 (Storm Engine 2) or version 6 (the alpha
// version of Doom 3 of 2002). Models of version 6 contain bones with matrices. Animations of
// version 6 contain channels. A channel is the sequence of values of one component. Each joint has
// channels for x, y and z, and for yaw, pitch and roll in degrees (see md5_quat_from_euler()). A
// channel contains keys for a range of frames. Outside this range the nearest key is used, and the
// value of a channel without keys is 0. Camera paths of version 6 are not supported and cause an
// error.
//
// Binary files of two engines are supported. Doom 3 BFG: models (.bmd5mesh) and animations
// (.bMD5anim). RBDOOM-3-BFG: camera paths (.bcanim). Locations in messages treat a binary file as a
// single line. A binary model has at most four weights per vertex, whose sum is 1; its normals are
// computed as for text files. The root of a binary animation starts at the origin.
//
// Compressed animations, which md5_write_anim() has written, are supported too. The loader checks
// every number, so for any content the samples are finite and rotations have unit length. The
// compressed animation determines the axes and the scale; `opts` does not change them. A load fails
// with
//
// - MD5_ERROR_VERSION if the version is not supported,
// - MD5_ERROR_SYNTAX if the file is truncated or modified, which is detected by a checksum,
// - MD5_ERROR_RANGE if numbers contradict each other.

// These functions load a model or an animation from the content of a file in memory: the bytes
// text[size]. The text does not need a terminating NUL and is not used after the call. In all other
// respects they are like md5_load_model() and md5_load_anim(). They return NULL on failure, also if
// `size` is 0.
MD5_API md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                                   md5_error *error);
MD5_API md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts,
                                 md5_error *error);

// Finds a joint or a mesh by its name. Returns the index of the first joint or mesh with this name.
// Names are case-sensitive. Returns MD5_NONE if the name does not exist or if `name` is NULL. The
// search takes time linear in the number of joints or meshes, so store the result if you need it in
// each frame.
MD5_API uint32_t md5_find_joint(const md5_skeleton *skeleton, const char *name);
MD5_API uint32_t md5_find_mesh(const md5_model *model, const char *name);

// Finds a joint that the program requires, such as the hand that carries a weapon. Returns the
// result of md5_find_joint(). If the joint does not exist, debug builds end the program with a
// message that contains its name, and release builds return MD5_NONE.
MD5_API uint32_t md5_require_joint(const md5_skeleton *skeleton, const char *name);

// Frees the arrays and the skinning plans (data for md5_skin()) of all meshes, to save memory: they
// are 98 % of a model's memory. Call this function if the program has uploaded the meshes to the
// GPU and skins them in a shader.
//
// The pointers to the arrays become NULL. All other data of the model remains at its address.
// Bindings, state machines, their players, and models of the renderer (md5gl_model) remain valid.
// Afterwards the program must not skin, pack or query the model with the functions of md5skin.h.
// md5_create_machine(), md5gl_create_model() and the renderer's path MD5GL_PATH_CPU report an
// error. A second call has no effect. Like other writes, the call must not run while another thread
// uses the model.
MD5_API void md5_release_geometry(md5_model *model);

// Computes parts of the geometry that the load omitted because of md5_load_opts.skip_geometry. Use
// it if a program decides after the load that it needs these parts. `parts` contains
// md5_geometry_part flags; parts that already exist are not computed again. The result is
// bit-identical to a model that was loaded with these parts. Memory is allocated with the allocator
// of the load. Arrays may be replaced by new arrays, so the call must not run while another thread
// uses the model. Returns false if memory runs out, and with MD5_ERROR_MISMATCH after
// md5_release_geometry(). On failure the model is unchanged, except that some meshes may have a
// skinning plan.
//
// If a load omitted MD5_GEOMETRY_ALL, the model stores its checked source data in about half of the
// memory. The meshes are then in the same state as after md5_release_geometry(), with four
// differences: the bounds are empty, the losses are infinite, the other counts are as in the file,
// and num_influences and the counts after it are 0. Deriving any part first derives the geometry
// itself.
//
// Deriving tangents computes all geometry again, with more vertices if the mesh has mirror seams.
// If the load used flip_v, or a scale that is not a power of two, the last bits of the result may
// differ, because the numbers of the file are recomputed. Tangents of version 12 can be derived
// only if the load omitted all geometry; otherwise the function fails with MD5_ERROR_MISMATCH.
MD5_API bool md5_derive_geometry(md5_model *model, uint32_t parts, md5_error *error);

// These functions free a model or an animation. Both accept NULL. Free the bindings of the asset
// first.
MD5_API void md5_free_model(md5_model *model);
MD5_API void md5_free_anim(md5_anim *anim);

// -- Binding --------------------------------------------------------------------------------

// The connection between an animation and a model: for each joint of the model, the track of the
// animation that drives it. A binding stores pointers to the model and to the animation, so free
// the binding before you free them.
typedef struct md5_binding {
    // The model. The pointer is NULL if md5_bind_skeleton() created the binding.
    const md5_model *model;
    const md5_skeleton *skeleton;
    // [model joints] Bind pose: the transform of each joint relative to its parent.
    const md5_xform *bind_local;
    // [model joints] Inverse of each joint's matrix in the bind pose, in model space.
    // md5_pose_palette() uses it to compute the palette.
    const md5_mat34 *inverse_bind;
    const md5_anim *anim;
    // [model joints] Index of the joint of the animation that drives the joint of the model. If
    // MD5_NONE, the joint keeps its bind pose.
    const uint32_t *tracks;
    // If true, each joint has the same index in the animation and in the model (tracks[joint] ==
    // joint).
    bool same_order;
    // Number of model joints that no joint of the animation drives, and number of animation joints
    // that do not exist in the model.
    uint32_t num_missing, num_extra;
    // number of joints whose parent in the animation differs from their parent in the model
    uint32_t num_rebases;
    size_t size; // size of the binding in bytes
    md5_internal internal;
} md5_binding;

// Creates a binding, so that `anim` can be played on `model`. A joint of the animation drives the
// joint of the model with the same name; names are case-sensitive. If several joints have the same
// name, the k-th joint of the animation with this name drives the k-th joint of the model. Posing
// is fastest if the model and the animation have the same names and parents in the same order.
//
// The skeletons may differ:
//
// - A joint that only the model has keeps its bind pose, relative to its parent.
// - A joint that only the animation has still moves its descendants.
// - The parent of a joint in the animation may be a higher ancestor of the joint in the model. The
//   joint then follows this ancestor. The joints between them, which exist only in the model, do
//   not displace it.
// - The hierarchy of the model is used if the two hierarchies contradict each other, or if the
//   animation has parents_unknown.
//
// Each difference causes a warning. Returns NULL with MD5_ERROR_MISMATCH in two cases:
//
// - Fewer than half of the joints of the model, or fewer than half of the joints of the animation,
//   have a match. The animation then probably belongs to another skeleton; the message contains the
//   first missing joints. With opts->allow_partial_binding, this is an error only if no joint
//   matches.
// - The model and the animation were loaded with different axes or scales.
//
// If `model` or `anim` is NULL because its load failed, the function fails too and leaves the error
// of the load in place. It is therefore sufficient to check the result of md5_bind(). Free the
// result with md5_free_binding(). Time and memory are linear in the number of joints and in the
// length of their names. If the joints are not in the same order, the time is also proportional to
// the logarithm of the number of joints.
MD5_API md5_binding *md5_bind(const md5_model *model, const md5_anim *anim,
                              const md5_load_opts *opts, md5_error *error);

// Binds an animation to a skeleton without a model. Use it for a skeleton that several models
// share, or for a skeleton that the program created. `bind_local` is the bind pose, relative to the
// parent. Each parent in `skeleton` must be the index of a joint or MD5_NONE, and `order` must
// contain every joint once, parents before their children. The binding stores the pointers
// `skeleton` and `bind_local`. Joints are matched, and the function fails, by the rules of
// md5_bind(). Free the result with md5_free_binding().
//
// A palette that is posed with this binding is valid for all models with the same bind pose. For
// models with other bind poses, call md5_sample() once, and then md5_local_to_palette() for each
// model. State machines require a binding that was created with a model.
MD5_API md5_binding *md5_bind_skeleton(const md5_skeleton *skeleton, const md5_xform *bind_local,
                                       const md5_anim *anim, const md5_load_opts *opts,
                                       md5_error *error);

// Frees a binding. Accepts NULL.
MD5_API void md5_free_binding(md5_binding *binding);

// -- Time -----------------------------------------------------------------------------------

// The wrap mode: how a clip continues before its first frame and after its last frame.
typedef enum md5_wrap {
    // The clip repeats. Its last frame equals its first frame, as in id's engine, so a cycle has
    // num_frames - 1 intervals.
    MD5_WRAP_LOOP,
    // The clip repeats. Its last frame differs from its first frame, so it is blended from the last
    // frame to the first, and a cycle has num_frames intervals.
    MD5_WRAP_CYCLE,
    // The clip does not repeat. Before its start the first frame is shown, after its end the last
    // frame.
    MD5_WRAP_CLAMP,
} md5_wrap;

// The method of interpolation between two frames.
typedef enum md5_interpolation {
    // Rotations are interpolated by slerp, translations linearly.
    MD5_INTERPOLATE_LINEAR,
    // There is no interpolation: each frame is shown until the time of the next frame.
    MD5_INTERPOLATE_STEP,
    // Smooth curves pass through the frames; md5_sample() describes them.
    MD5_INTERPOLATE_CUBIC,
    // The same as MD5_INTERPOLATE_LINEAR, but rotations are interpolated by md5_quat_nlerp().
    MD5_INTERPOLATE_NLERP,
} md5_interpolation;

// A position in a clip at which a pose can be sampled: two frames and the fraction between them.
// Later versions will not add members.
typedef struct md5_sample_position {
    uint32_t frame0, frame1; // indices of the frames before and after the position
    // Position between the frames: 0 is exactly frame0. The fraction is always below 1.
    float fraction;
    // Wrap mode of the clip. Only MD5_INTERPOLATE_CUBIC uses it, to find the frames before the
    // first and after the last frame.
    md5_wrap wrap;
    // Method of interpolation. md5_sample_position_at() sets it to MD5_INTERPOLATE_LINEAR; you may
    // change it.
    md5_interpolation interpolation;
    // Number of completed cycles of a repeating clip. It is 0 in the first cycle and negative
    // before time 0.
    int64_t cycle;
} md5_sample_position;

// Converts a time in seconds to a sample position of a clip. The result is exact to the last bit of
// a double. `time` may be negative. To play a clip faster, slower or backward, let the program
// advance `time` accordingly. NaN counts as 0, and infinity counts as the largest time. With
// MD5_WRAP_LOOP, a time at the end of a cycle gives frame 0 of the next cycle.
MD5_API md5_sample_position md5_sample_position_at(const md5_anim *anim, double time,
                                                   md5_wrap wrap);

// Returns the sample position between two frames, for programs that select frames by their numbers.
// The position is at `frame0` if `fraction` is 0 and at `frame1` if `fraction` is 1. Both can be
// any frame of the clip. All arguments are clamped to their ranges; NaN counts as 0. In the result,
// the cycle is 0 and the wrap mode is MD5_WRAP_LOOP.
MD5_API md5_sample_position md5_sample_position_from_frames(const md5_anim *anim, uint32_t frame0,
                                                            uint32_t frame1, float fraction);

// These functions load a camera path from a file or from memory. They follow the same rules as
// md5_load_model() and md5_parse_model(). Free the result with md5_free_camera(), which accepts
// NULL.
MD5_API md5_camera *md5_load_camera(const char *path, const md5_load_opts *opts, md5_error *error);
MD5_API md5_camera *md5_parse_camera(const void *text, size_t size, const md5_load_opts *opts,
                                     md5_error *error);
MD5_API void md5_free_camera(md5_camera *camera);

// Returns the view of the camera at `time` seconds, in the space of the file. Positions and fields
// of view are interpolated linearly, rotations by slerp. As in id's engine, the last interval of a
// shot moves toward the frame of the cut, and the next shot starts at the following frame.
// MD5_WRAP_LOOP repeats the path after `duration`. MD5_WRAP_CYCLE holds the last view for one more
// frame before it repeats, like the keyword `cycle` in id's engine. Cut views (md5_cut_view) are
// not used.
//
// If `seconds` is above 0, the path is smoothed: the result is a weighted mean of the views up to
// `seconds` before and after `time`, of at most 512 frames. The weight of a view is
//
//   (1 - u^2)^2
//
// where u is its distance in time from `time`, divided by the size of the interval, so that u is
// from -1 to 1. Different shots are never blended: near the ends of a shot the interval becomes
// smaller, and at the ends the result is exactly the view in the file. Rotations are summed and
// normalized, so the camera should not rotate by more than 180 degrees within the interval.
MD5_API md5_camera_view md5_camera_at(const md5_camera *camera, double time, md5_wrap wrap,
                                      double seconds);

// Returns the fixed view of the last cut before `time`. Returns NULL if there is no such cut, or if
// the file contains no fixed view for it. `time` and `wrap` have the same meaning as for
// md5_camera_at().
MD5_API const md5_cut_view *md5_camera_cut_view(const md5_camera *camera, double time,
                                                md5_wrap wrap);

// -- Posing ---------------------------------------------------------------------------------

// Selects the translation of joint 0 in a sampled pose. In MD5 files, joint 0 moves the whole
// character.
typedef enum md5_root {
    MD5_ROOT_FILE, // The translation that the file stores.
    // The translation as in id's engine: the stored translation minus the translation of the base
    // frame, plus the displacement of all completed cycles.
    MD5_ROOT_ID,
    // The translation of the first frame, so that the character stays in place. Add the result of
    // md5_anim_root_motion() to the position of the character.
    MD5_ROOT_IN_PLACE,
} md5_root;

// Computes the pose of a clip at a sample position. Writes pose[joints of the binding]; each
// transform is relative to the parent. `root` selects the translation of joint 0. If
// sample.fraction is 0, the result is sample.frame0 as stored. Between two frames,
// sample.interpolation selects the method:
//
// - LINEAR: slerp for rotations, linear interpolation for translations.
// - STEP: the pose of frame0.
// - NLERP: like LINEAR, but with md5_quat_nlerp() for rotations. The comment of that function
//   contains the size of the difference.
// - CUBIC: smooth curves through the frames, for slow motion of clips with a low frame rate. The
//   curve passes exactly through each frame and has continuous velocity. The velocity of a joint at
//   a frame is the mean of the velocities before and after the frame. At the first and last frame,
//   sample.wrap defines the motion outside the clip: the motion continues at the other end of the
//   cycle, or the joint does not move. Translations are Catmull-Rom splines (1974), rotations are
//   Hermite quaternion curves (Kim, Kim and Shin 1995). This method takes about 100 times longer
//   than LINEAR: 0.3 microseconds per joint.
//
// To sample an animation without a model, bind it to its own skeleton:
// md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, ...).
MD5_API void md5_sample(const md5_binding *binding, md5_sample_position sample, md5_root root,
                        md5_xform *pose);

// Returns the displacement of joint 0 between two sample positions of a clip, in units. This is the
// motion that md5_sample() removes from a pose if `root` is MD5_ROOT_IN_PLACE. It is always
// interpolated linearly. Each completed cycle adds the position of the last frame minus the
// position of the first frame. The displacements of consecutive intervals can therefore be added.
MD5_API md5_vec3 md5_anim_root_motion(const md5_anim *anim, md5_sample_position from,
                                      md5_sample_position to);

// Returns a bounding box for a sampled pose: the union of the boxes that the file contains for both
// frames of `sample`. Returns an empty box if the file contains no boxes. The boxes in files are
// often wrong; md5_skin_bounds() computes exact bounds. `root` is the mode with which the pose is
// sampled:
//
// - MD5_ROOT_FILE: the boxes as stored.
// - MD5_ROOT_IN_PLACE: the boxes moved with joint 0.
// - MD5_ROOT_ID: the boxes as in id's engine, which are relative to joint 0's displacement from the
//   base frame. To move the result to the pose, add the translation of joint 0 in the pose,
//   pose[0].translation.
MD5_API md5_bounds md5_anim_bounds(const md5_anim *anim, md5_sample_position sample, md5_root root);

// Converts a pose to joint matrices in model space. Reads pose[skeleton->num_joints], with
// transforms relative to the parent, and writes joints[skeleton->num_joints] in joint order.
MD5_API void md5_local_to_model(const md5_skeleton *skeleton, const md5_xform *pose,
                                md5_mat34 *joints);

// Converts a pose to model space like md5_local_to_model(), but writes transforms instead of
// matrices. Use it if another system, such as a ragdoll, needs the rotations of joints. The
// rotation of each joint is normalized, so that rounding errors do not accumulate in long chains of
// joints. `joints` may be the same array as `pose`.
MD5_API void md5_local_to_model_xforms(const md5_skeleton *skeleton, const md5_xform *pose,
                                       md5_xform *joints);

// Converts transforms in model space to a pose relative to the parents. This is the inverse of
// md5_local_to_model_xforms(). Use it for joints that another system has moved, such as a ragdoll.
// Reads joints[skeleton->num_joints] and writes pose[skeleton->num_joints]. All rotations must have
// unit length; the resulting rotations have unit length too. `pose` may be the same array as
// `joints`.
MD5_API void md5_model_to_local_xforms(const md5_skeleton *skeleton, const md5_xform *joints,
                                       md5_xform *pose);

// Returns the model-space matrix of an object that is attached to a joint, such as a weapon in a
// hand: joints[joint] * offset. `offset` is the transform of the object in the space of the joint.
MD5_API md5_mat34 md5_attach_to_joint(const md5_mat34 *joints, uint32_t joint, md5_xform offset);

// Computes the palette from joint matrices in model space. For each joint of the model, writes
//
//   palette[joint] = joints[joint] * model->inverse_bind[joint].
//
// The palette transforms vertices from the bind pose to the current pose, in model space. `palette`
// and `joints` may be the same array.
MD5_API void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette);

// Converts a pose to joint matrices and to a palette. The results have the same bits as those of
// md5_local_to_model() and md5_build_palette(), but one call is faster. Reads pose[model joints]
// and writes joints[model joints] and palette[model joints]. `joints` or `palette` may be NULL.
MD5_API void md5_local_to_palette(const md5_model *model, const md5_xform *pose, md5_mat34 *joints,
                                  md5_mat34 *palette);

// Computes joint matrices and a palette from a clip. The results have the same bits as those of
// md5_sample() and md5_local_to_palette(), but one call is faster. Writes joints[model joints] and
// palette[model joints]; either may be NULL. The function uses pose[model joints] as working
// memory.
MD5_API void md5_pose_palette(const md5_binding *binding, md5_sample_position sample, md5_root root,
                              md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette);

// The arrays that a program needs to pose one character, in one memory block. They save a program
// from allocating each array. `pose` initially contains the bind pose. The other arrays are not
// initialized.
typedef struct md5_pose_buffers {
    md5_xform *pose; // [num_joints] transforms of the joints, relative to their parents
    // [num_joints] matrices of the joints in model space; [num_joints] palette of the model
    md5_mat34 *joints, *palette;
    void *scratch; // scratch memory with the size that was requested
    uint32_t num_joints;
    size_t size; // size of the whole block in bytes
    md5_internal internal;
} md5_pose_buffers;

// Creates the arrays for posing one character of a model. `scratch_size` is the size of scratch
// memory that another function requires, such as md5_player_pose_scratch(), or 0. If `allocator` is
// NULL, malloc() is used. Returns NULL if memory runs out or if `model` is NULL. Free the result
// with md5_destroy_pose_buffers().
MD5_API md5_pose_buffers *md5_create_pose_buffers(const md5_model *model, size_t scratch_size,
                                                  const md5_allocator *allocator, md5_error *error);
MD5_API void md5_destroy_pose_buffers(md5_pose_buffers *buffers); // accepts NULL

// One character of md5_pose_batch(). The members have the same meaning as the arguments of
// md5_pose_palette().
typedef struct md5_pose_job {
    const md5_binding *binding;
    md5_sample_position sample;
    md5_root root;
    md5_mat34 *palette; // [model joints] the palette is written to this array
    // [model joints] The joint matrices in model space are written to this array. If NULL, they are
    // not written.
    md5_mat34 *joints;
    // Number of elements of both arrays. Debug builds check that it is the number of joints of the
    // model. If 0, nothing is checked.
    uint32_t num_joints;
    uint64_t reserved[4]; // must be 0
} md5_pose_job;

// Poses many characters in one call. The results have the same bits as those of md5_pose_palette()
// for each job, but the call is faster. jobs[count] may have different models, clips and sample
// positions. The arrays that different jobs write must not overlap. `threads` may be NULL.
// `scratch` is memory of the caller with md5_pose_batch_scratch() bytes, at any alignment.
//
// Jobs with the same binding are processed in groups of 4 to 16 by SIMD instructions if their
// interpolation is MD5_INTERPOLATE_LINEAR or MD5_INTERPOLATE_NLERP. Such jobs may be anywhere in
// `jobs`, but posing is twice as fast if jobs with the same clip are adjacent. If the palettes of
// all jobs together are larger than the CPU caches (thousands of characters), pose about 32
// characters at a time into one buffer and copy the palettes from there.
MD5_API void md5_pose_batch(const md5_pose_job *jobs, size_t count, const md5_threads *threads,
                            void *scratch);

// Returns the size in bytes of the scratch memory that md5_pose_batch() needs for these jobs or for
// any part of them. The size depends on the largest model and on the number of workers, not on
// `count`.
MD5_API size_t md5_pose_batch_scratch(const md5_pose_job *jobs, size_t count,
                                      const md5_threads *threads);

// -- Blending -------------------------------------------------------------------------------

// These functions combine poses that have the same joints. `count` is the number of joints. Each
// pose is an array of `count` transforms, as written by md5_sample(). The resulting pose may be the
// same array as an input. Arrays that are aligned to 64 bytes are processed fastest.
//
// joint_weights[count] is a mask, which limits an operation to a part of the body. The operation is
// applied to each joint with the weight
//
//   weight * joint_weights[joint]
//
// clamped to the range that the operation allows; NaN counts as 0. If `joint_weights` is NULL, the
// weight of each joint is `weight`. The transform of a joint with weight 0 is bit-identical to its
// transform in the first input.

// Creates a mask from the text `patterns`, which is a list of joints. Writes
// weights[skeleton->num_joints], from 0 to 1. The syntax is the same as for id's animation
// channels, which are lists of joints in Doom 3's model definitions. The items of the list are
// evaluated from left to right:
//
// - J: adds the joint J.
// - *J: adds the joint J and its descendants.
// - -J: removes the joint J.
// - -*J: removes the joint J and its descendants.
//
// J is a name without quotes, or any name in single or double quotes, for example *"Bip01 L Hand".
// There are no escape sequences. If a quoted name begins with a sign (* or -), the sign is part of
// the name if a joint with this name exists; otherwise it has the meaning above. Names are
// case-sensitive. If no joint matches, case is ignored, as in id's engine.
//
// If `feather` is n > 0, the mask has a soft border. A joint that is `level` levels below the joint
// J of an item has the weight
//
//   min(1, (level + 1) / (n + 1))
//
// where J itself has the level 0. If `feather` is 0, the weight of each joint that an item adds is
// 1.
//
// A joint that is added twice keeps the larger weight.
//
// Returns false with MD5_ERROR_SYNTAX if an item matches no joint, if a sign is at an invalid
// position, or if a closing quote is missing. The error contains the line and column in `patterns`.
// The time is linear in the length of the text plus the number of items times the number of joints.
MD5_API bool md5_build_mask(const md5_skeleton *skeleton, const char *patterns, uint32_t feather,
                            float *weights, md5_error *error);

// Interpolates between two poses. Writes pose[count]. The result is bit-identical to `from` at
// weight 0 and to `to` at weight 1. Weights are clamped to 0..1. Rotations are interpolated by
// slerp along the shorter arc, with an error of at most 1e-6 radians; the result is the same if a
// quaternion q is replaced by -q. Translations are interpolated linearly. Blending a pose with
// itself returns the same pose.
MD5_API void md5_blend_poses(const md5_xform *from, const md5_xform *to, float weight,
                             const float *joint_weights, uint32_t count, md5_xform *pose);

// One operation of md5_blend_batch(). The members have the same meaning as the arguments of
// md5_blend_poses(); `interpolation` additionally selects how rotations are interpolated.
typedef struct md5_blend_job {
    const md5_xform *from, *to; // [count] the poses at weight 0 and at weight 1
    // [count] factor of `weight` for each joint; if NULL, the factor is 1
    const float *joint_weights;
    md5_xform *pose; // [count] the result is written to this array
    float weight;
    uint32_t count;
    // Method for rotations: MD5_INTERPOLATE_LINEAR (slerp) or MD5_INTERPOLATE_NLERP
    // (md5_quat_nlerp()).
    md5_interpolation interpolation;
    uint64_t reserved[2]; // must be 0
} md5_blend_job;

// Performs several blends: calls md5_blend_poses() for each element of jobs[count], in order. A job
// may therefore use the result of an earlier job. With MD5_INTERPOLATE_NLERP, rotations move along
// the same shorter arc between the same two end points as with MD5_INTERPOLATE_LINEAR, but not with
// constant speed; the comment of md5_quat_nlerp() contains the largest difference. Masks have the
// same effect with both methods.
MD5_API void md5_blend_batch(const md5_blend_job *jobs, size_t count);

// Computes the difference between two poses, which md5_add_pose() can add to any other pose. Writes
// difference[count]. The rotation of each joint is inverse(reference) * source, the translation is
// source - reference. Adding the difference to `reference` with md5_add_pose() gives `source`.
// `reference` can be any pose.
MD5_API void md5_subtract_pose(const md5_xform *source, const md5_xform *reference, uint32_t count,
                               md5_xform *difference);

// Adds a motion, such as a nod or a recoil, to a pose. Writes out[count]: `pose`, plus `weight`
// times the difference between `source` and `reference`. The weight is clamped to -1..1. If
// `reference` is NULL, `source` must be a difference that md5_subtract_pose() has written; the
// result then has the same bits as with the two original poses. If `reference` is not NULL,
// `source` is an ordinary pose, such as a sample of the clip that contains the motion.
//
// The resulting rotation is
//
//   pose * slerp(identity, difference, weight).
//
// Joints therefore rotate around their own axes, so that a nod remains a nod if the head is
// rotated. Translations are added in the space of the parent. Adding with weight -1 reverses adding
// with weight 1, except for rounding.
MD5_API void md5_add_pose(const md5_xform *pose, const md5_xform *source,
                          const md5_xform *reference, float weight, const float *joint_weights,
                          uint32_t count, md5_xform *out);

// -- Compressed clips -----------------------------------------------------------------------

// A compressed clip uses one fifth to one eighth of the memory of the original. The compressor
// measures the error that it causes, and keeps it below a tolerance that you select.
//
//   md5_compress_opts compress = MD5_INIT;
//   compress.model = model;
//   md5_anim *walk = md5_compress_anim(anim, &compress, NULL, &error);
//   md5_binding *binding = md5_bind(model, walk, NULL, &error); // use it like any other clip
//
// Method: a rotation or translation that is constant is stored once. A rotation or translation that
// changes is stored without the frames that can be interpolated from the neighboring frames within
// the tolerance. The frames that are kept are quantized, which means that they are stored as
// integer multiples of a step. Each joint has a separate step, which is finer for joints that move
// large parts of the model.
//
// The time for sampling does not depend on the sample position. A sampled rotation may be -q
// instead of q, which is the same rotation. MD5_INTERPOLATE_NLERP and MD5_INTERPOLATE_CUBIC
// interpolate decoded frames and take several times longer. The same input gives the same bytes and
// the same samples with every compiler, platform and instruction set.

// Options of md5_compress_anim(), which compresses an animation.
typedef struct md5_compress_opts {
    // Largest allowed displacement of a point of the skin, in units. The value 0 means 0.01 times
    // the scale of the clip.
    float tolerance;
    // `model` and `distances` define the skin distance of each joint: the distance from the joint
    // to the farthest vertex that it moves. The compressor needs it to convert a rotation error
    // into a displacement of the skin.
    //
    // - If `distances` is not NULL, the skin distances are distances[anim joints], in units.
    //   `model` is not used.
    // - Otherwise, if `model` is not NULL, skin distances are computed from the weights of this
    //   model. Its joints are matched with the clip's joints by name. Differences cause warnings,
    //   as in md5_bind(). Vertices of a joint that the clip does not have move with the parent of
    //   the joint.
    // - If both are NULL, the skin distance is the length of the longest bone from the joint to a
    //   child. For a joint without children, it is the length of the bone from its parent. If the
    //   clip has no bones, all skin distances are 0.
    //
    // The skin distance of a joint without vertices is 0. However, the smallest value that the
    // compression uses is 1 unit times the scale of the clip, so that rotations keep their
    // directions.
    const md5_model *model;
    const float *distances;
    uint64_t reserved[8]; // must be 0
} md5_compress_opts;

// Compresses an animation. `compress_opts` may be NULL. Free the result with md5_free_anim().
// Bounds of frames and the command line are not stored in the result.
//
// The function makes 16 attempts, decodes and measures each result, and returns the smallest result
// that is within the tolerance. If no attempt is within the tolerance, it makes more attempts with
// finer steps. It takes about 9 microseconds per joint and frame. Time and memory are linear in the
// number of joints times the number of frames.
//
// Returns NULL with
//
// - MD5_ERROR_RANGE if the tolerance is negative, not finite, or smaller than the precision of
//   floats for the size of the clip;
// - MD5_ERROR_RANGE if the clip has more than 65535 joints, positions outside 1e9 units, or a skin
//   distance above 1e9 units of the file;
// - MD5_ERROR_VERSION if the clip has version 6, which does not store a hierarchy
//   (parents_unknown);
// - MD5_ERROR_MISMATCH if the clip has no joint of the model, or if it is already compressed.
// - MD5_ERROR_MEMORY if memory runs out.
MD5_API md5_anim *md5_compress_anim(const md5_anim *anim, const md5_compress_opts *compress_opts,
                                    const md5_load_opts *opts, md5_error *error);

// Converts a compressed clip to an uncompressed animation, for tools. Each frame of the result is
// the compressed clip sampled at this frame. The result has no bounding boxes of frames. Returns
// NULL with MD5_ERROR_MISMATCH if `anim` is not compressed. Free the result with md5_free_anim().
MD5_API md5_anim *md5_decompress_anim(const md5_anim *anim, const md5_load_opts *opts,
                                      md5_error *error);

// Writes a compressed clip to bytes[size], so that it can be stored in a file or in a part of
// another file. md5_load_anim() and md5_parse_anim() read this format. Returns the size of the
// data; if `size` is smaller, nothing is written. Returns 0 if the clip is not compressed. The data
// does not depend on the platform or on its position in a file, and it ends with a checksum.
MD5_API size_t md5_write_anim(const md5_anim *anim, void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
