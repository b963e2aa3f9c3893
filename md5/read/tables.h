// The tables of .md5mesh, .md5anim and .md5camera files, and the functions that read them. The
// tables contain the numbers of a file. md5/load derives models, clips and cameras from them.
// md5i_read_*_file() select the format by the first bytes of a file.
#ifndef MD5_READ_TABLES_H
#define MD5_READ_TABLES_H

#include "md5/core/bytes.h"
#include "md5/core/mesh.h"

// The first bytes of files of Doom 3 BFG.
#define MD5_BFG_MESH "BRM"
#define MD5_BFG_ANIM "BMD"
#define MD5_BFG_CAMERA "ACB"

// -- Joints --------------------------------------------------------------------------------------

// A joint of a file, before names and parents are copied to an asset.
typedef struct md5_file_joint {
    md5_span name;
    uint32_t offset; // offset of the joint in the text, bytes
    uint32_t parent; // MD5_NONE or below the number of joints
} md5_file_joint;

// Reads the name and the parent of joint `index`. A joint with a negative parent is a root. A
// parent out of range and the end of the table are errors.
bool md5i_read_joint(md5_lex *lex, uint32_t num_joints, uint32_t index, md5_file_joint *joint);

// Reads ( x y z ) of a rotation, unchanged. Warns if its length is more than 1.
bool md5i_read_rotation(md5_lex *lex, md5_vec3 *rotation);

// Reads ( x y z ) ( x y z ), which are a translation and a rotation. The rotation keeps x y z of
// the file, and its w is set to 0.
bool md5i_read_transform(md5_lex *lex, md5_xform *transform);

// Warns about `count` rotations longer than 1. `rotation` is the first of them, at `position`.
void md5i_warn_overlong(md5_lex *lex, const char *position, md5_vec3 rotation, uint32_t count);

// Writes order[num_joints], allocated in the arena: the roots, then their children, then the next
// level. In this order computing a joint seldom waits for the result of the previous joint. Warns
// about joints that precede their parents. A joint that is its own ancestor is an error. Takes
// linear time and does not recurse.
bool md5i_order_joints(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints,
                       const uint32_t **order);

// -- .md5mesh ------------------------------------------------------------------------------------

// The tables of a mesh file. They are in the arenas of the reader, not in a model.
typedef struct md5_mesh_file {
    md5_span command_line;
    uint32_t num_joints; // >= 1
    const md5_file_joint *joints;
    md5_xform *bind;       // [num_joints] model space; x y z of rotations as in the file
    bool has_w;            // rotations have a w (Doom 3 BFG, version 6); otherwise w is 0
    const uint32_t *order; // [num_joints] parents before children
    uint32_t num_meshes;
    md5_mesh_build *meshes;
    md5_arena_mark tables; // position in `arena` before the tables and texts of the first mesh
    // File vertices, indices and weights are in `mesh_arena`: see md5i_read_mesh_file(). False for
    // binary files, whose tables are in `arena`.
    bool uses_mesh_arena;
} md5_mesh_file;

// Sizes of the tables of a file, according to its counts.
typedef struct md5_mesh_counts {
    uint64_t num_joints;
    uint64_t num_meshes;
    uint64_t num_vertices;  // number of vertices of all meshes
    uint64_t max_vertices;  // largest number of vertices of a mesh
    size_t mesh_arena_size; // bytes of the tables that a model keeps unchanged
} md5_mesh_counts;

// Estimates the counts without parsing, which is much faster. The result may be wrong, because the
// keywords may occur in other places and counts may be wrong. No count exceeds the number of items
// that the text could contain.
md5_mesh_counts md5i_count_mesh_file(const char *text, size_t size);

// Memory that md5i_read_mesh_file() allocates if the counts are correct, in bytes. md5_mesh_counts
// contains the bytes in the arena `mesh_arena`.
typedef struct md5_mesh_sizes {
    uint64_t joints; // in the arena `joints`
    uint64_t meshes; // in `arena`, for the array of meshes
    uint64_t tables; // in `arena`, for other tables
} md5_mesh_sizes;
md5_mesh_sizes md5i_mesh_file_sizes(const md5_mesh_counts *counts);

// Reads an .md5mesh, or a .bmd5mesh of Doom 3 BFG, of `size` bytes. Returns false with the
// context's error set. The result refers to the text and to memory in three arenas, which may be
// the same:
//
// - `joints` contains the joints, their bind pose and their order.
// - `mesh_arena` contains file vertices, weights and indices, which a model keeps unchanged.
// - `arena` contains everything else. It also contains the joints of version 6, and all tables of a
//   binary file.
bool md5i_read_mesh_file(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena,
                         const char *text, size_t size, md5_mesh_file *file);

// Like md5i_read_mesh_file() with one arena, but also reads meshes after the declared number.
bool md5i_read_all_meshes(md5_arena *arena, const char *text, size_t size, md5_mesh_file *file);

// The syntax of a version of .md5mesh: see mesh.h.
typedef struct md5_mesh_dialect md5_mesh_dialect;
extern const md5_mesh_dialect md5i_mesh_version_6;
extern const md5_mesh_dialect md5i_mesh_version_10;
extern const md5_mesh_dialect md5i_mesh_version_12;

// Read a text in a dialect. The line `MD5Version` may contain one of `versions`.
typedef struct md5_versions md5_versions;
bool md5i_read_mesh_text(md5_arena *arena, md5_arena *joints, md5_arena *mesh_arena,
                         const md5_mesh_dialect *dialect, const md5_versions *versions,
                         md5_span text, md5_mesh_file *file);
bool md5i_read_uncounted_meshes(md5_arena *arena, const md5_mesh_dialect *dialect,
                                const md5_versions *versions, md5_span text, md5_mesh_file *file);

// -- .md5anim ------------------------------------------------------------------------------------

// Flags of md5_track: the components that frames contain, in the order of their numbers.
enum {
    MD5_FLAG_TRANSLATION_X = 1,
    MD5_FLAG_TRANSLATION_Y = 2,
    MD5_FLAG_TRANSLATION_Z = 4,
    MD5_FLAG_ROTATION_X = 8,
    MD5_FLAG_ROTATION_Y = 16,
    MD5_FLAG_ROTATION_Z = 32,
    MD5_TRANSLATION_FLAGS = 7, // all flags of a translation
    MD5_ROTATION_FLAGS = 56,   // all flags of a rotation
    MD5_NUM_TRACK_FLAGS = 6,
};

// Returns the number of flags that are set.
uint32_t md5i_count_flags(uint32_t flags);

// The tables of an animation file. Each joint has a track: the components of its transform that
// frames contain. The other components are constant, and come from the base frame.
typedef struct md5_anim_file {
    md5_span command_line;
    uint32_t num_frames; // >= 1
    uint32_t num_joints; // >= 1
    uint32_t num_components;
    double frame_rate; // > 0
    const md5_file_joint *joints;
    bool parents_unknown;    // version 6 does not contain the hierarchy: all parents are MD5_NONE
    const uint32_t *order;   // [num_joints] parents before children
    const md5_track *tracks; // [num_joints]; first + number of flags <= num_components
    // [num_joints] relative to the parent. x y z of rotations are as in the file. w is 0, because
    // frames replace some of x y z before w is computed.
    const md5_xform *base_frame;
    const float *numbers;      // [num_frames][num_components]
    const md5_bounds *bounds;  // [num_frames]; NULL if the file does not have bounds for each frame
    bool has_unknown_keywords; // the file contains unknown keywords between frames
    md5_lex lex; // for a text: the position after the frames, or before them if they were not read
} md5_anim_file;

// Reads an .md5anim, or a .bMD5anim of Doom 3 BFG, of `size` bytes. The result refers to memory in
// the arena and in the text. Returns false with the context's error set.
//
// If `num_components` is not NULL, reads a text for the second time, up to the first frame.
// `numbers` is not set. Each frame has *num_components numbers. If the first reading found no
// errors, the second finds none. It needs at most as much memory as the first without `numbers`.
bool md5i_read_anim_file(md5_arena *arena, const char *text, size_t size,
                         const uint32_t *num_components, md5_anim_file *file);

// Read a text of version 10 or 12, or of version 6.
bool md5i_read_anim_text(md5_arena *arena, const md5_versions *versions, uint32_t version,
                         md5_span text, const uint32_t *num_components, md5_anim_file *file);
bool md5i_read_anim_v6(md5_arena *arena, const md5_versions *versions, md5_span text,
                       md5_anim_file *file);

// Conversion of an animation to a clip that can be sampled.
enum { MD5_ROTATION_CHANGES = 1, MD5_TRANSLATION_CHANGES = 2 };

// Finds the joints whose values change over the frames. Writes to moves[num_joints] the flags
// MD5_ROTATION_CHANGES and MD5_TRANSLATION_CHANGES of each joint, and counts both flags.
// changes[num_components] is scratch memory. Takes linear time in the number of joints plus the
// size of `numbers`, even if tracks share numbers.
void md5i_plan_clip(const md5_anim_file *source, uint8_t *changes, uint8_t *moves,
                    uint32_t *num_rotations, uint32_t *num_translations);

// The arrays of a clip. md5i_plan_clip() computes their sizes.
typedef struct md5_clip_arrays {
    md5_xform *base_frame;        // [num_joints]
    md5_xform *constant;          // [num_joints]
    uint32_t *rotation_joints;    // [num_rotations]
    uint32_t *translation_joints; // [num_translations]
    md5_quat *rotations;          // [num_frames][num_rotations]
    md5_vec3 *translations;       // [num_frames][num_translations]
} md5_clip_arrays;

// Fills the arrays of a clip. `moves` is the result of md5i_plan_clip(). arrays->base_frame may be
// source->base_frame. If `frame_buffer` is not NULL, source->numbers is not used: each frame is
// read again with source->lex, into frame_buffer[num_components].
void md5i_build_clip(const md5_anim_file *source, const uint8_t *moves, float *frame_buffer,
                     const md5_clip_arrays *arrays);

// -- .md5camera ----------------------------------------------------------------------------------

// The tables of a camera file. A cut is a frame at which the camera jumps instead of moving.
typedef struct md5_camera_file {
    md5_span command_line;
    uint32_t num_frames; // >= 1
    uint32_t num_cuts;
    double frame_rate;    // > 0
    const uint32_t *cuts; // [num_cuts] below num_frames
    uint32_t num_cut_views;
    const md5_cut_view *cut_views; // [num_cut_views]
    const md5_camera_view *frames; // [num_frames] x y z of rotations as in the file; w is 0
} md5_camera_file;

// Reads an .md5camera, or a .bcanim of RBDOOM-3-BFG, of `size` bytes. The file refers to memory in
// the arena and in the text. Returns false with the context's error set.
bool md5i_read_camera_file(md5_arena *arena, const char *text, size_t size, md5_camera_file *file);
bool md5i_read_camera_text(md5_arena *arena, const md5_versions *versions, uint32_t version,
                           md5_span text, md5_camera_file *file);

// -- Other formats -------------------------------------------------------------------------------

// Read the binary files of Doom 3 BFG and of its successors.
bool md5i_read_bfg_mesh(md5_arena *arena, const char *bytes, size_t size, md5_mesh_file *file);
bool md5i_read_bfg_anim(md5_arena *arena, const char *bytes, size_t size, md5_anim_file *file);
bool md5i_read_bfg_camera(md5_arena *arena, const char *bytes, size_t size, md5_camera_file *file);

// Reports an error if a text is a file of another known format. Returns false then.
bool md5i_reject_foreign(md5_arena *arena, md5_span text);

#endif
