// The tables of .md5mesh, .md5anim and .md5camera files, before anything is derived from them.
#ifndef MD5_READ_TABLES_H
#define MD5_READ_TABLES_H

#include "md5/core/bytes.h"
#include "md5/core/mesh.h"

// What files of Doom 3 BFG begin with.
#define MD5_BFG_MESH "BRM"
#define MD5_BFG_ANIM "BMD"
#define MD5_BFG_CAMERA "ACB"

// -- Joints --------------------------------------------------------------------------------------

typedef struct md5_file_joint {
    md5_span name;
    uint32_t offset; // of the joint in the text, in bytes
    uint32_t parent; // MD5_NONE or below the number of joints
} md5_file_joint;

// Reads the name and the parent of joint number `index`: any negative parent is a root; one out of
// range is an error, and so is the end of the block.
bool md5i_read_joint(md5_lex *lex, uint32_t num_joints, uint32_t index, md5_file_joint *joint);

// Reads ( x y z ) of a rotation, unchanged. Warns if they are longer than 1.
bool md5i_read_rotation(md5_lex *lex, md5_vec3 *rotation);

// Reads ( x y z ) ( x y z ): translation, and x y z of the rotation as in the file; its w is 0.
bool md5i_read_transform(md5_lex *lex, md5_xform *transform);

// Warns of `count` rotations longer than 1. `rotation` is the first of them, at `position`.
void md5i_warn_overlong(md5_lex *lex, const char *position, md5_vec3 rotation, uint32_t count);

// Writes order[num_joints], allocated in the arena: roots, their children, the children of those,
// so that computing a joint seldom waits for the result of the previous one. Warns of each joint
// that comes before its parent. A joint that is its own ancestor is an error. Linear, no recursion.
bool md5i_order_joints(md5_lex *lex, const md5_file_joint *joints, uint32_t num_joints,
                       const uint32_t **order);

// -- .md5mesh ------------------------------------------------------------------------------------

typedef struct md5_mesh_file {
    md5_span command_line;
    uint32_t num_joints; // >= 1
    const md5_file_joint *joints;
    md5_xform *bind;       // [num_joints] model space; x y z of rotations as in the file
    bool has_w;            // their w is known, as in Doom 3 BFG and version 6; else it is 0
    const uint32_t *order; // [num_joints] parents before children
    uint32_t num_meshes;
    md5_mesh_build *meshes;
    md5_arena_mark tables; // md5i_arena_rewind() to it frees tables and texts of meshes, no more
    bool is_kept;          // file vertices, indices and weights are in the arena `kept`: see below
} md5_mesh_file;

// Sizes of the tables of a file, according to its counts.
typedef struct md5_mesh_counts {
    uint64_t num_joints, num_meshes, num_vertices; // of all meshes
    uint64_t max_vertices;                         // of one mesh
    size_t kept;                                   // bytes
} md5_mesh_counts;

// Estimates the counts without parsing, in a fraction of the time. The words may occur elsewhere,
// or counts may be wrong; no count exceeds what the text could hold.
md5_mesh_counts md5i_count_mesh_file(const char *text, size_t size);

// Bytes that md5i_read_mesh_file() takes, if the counts are right: from the arena of the joints;
// and from the first one, for meshes and for their tables. `kept` of the counts is what it takes
// from the arena of that name.
typedef struct md5_mesh_sizes {
    uint64_t joints;
    uint64_t meshes;
    uint64_t tables;
} md5_mesh_sizes;
md5_mesh_sizes md5i_mesh_file_sizes(const md5_mesh_counts *counts);

// Reads an .md5mesh, or a .bmd5mesh of Doom 3 BFG, of `size` bytes. The file refers to memory in
// the arenas and in the text. Joints, their bind pose and their order are in the arena `joints`;
// file vertices, weights and indices, which a model keeps as they are, in `kept`; the rest in
// `arena`. All three may be the same. Tables of version 6 joints and of binary files are in `arena`
// only. Returns false with the context's error set.
bool md5i_read_mesh_file(md5_arena *arena, md5_arena *joints, md5_arena *kept, const char *text,
                         size_t size, md5_mesh_file *file);

// The same, but also reads meshes after the declared number.
bool md5i_read_all_meshes(md5_arena *arena, const char *text, size_t size, md5_mesh_file *file);

// The syntax of a version of .md5mesh: see mesh.h.
typedef struct md5_mesh_dialect md5_mesh_dialect;
extern const md5_mesh_dialect md5i_mesh_version_6, md5i_mesh_version_10, md5i_mesh_version_12;

// Read a text in a dialect. `versions` are those that its line `MD5Version` may contain.
typedef struct md5_versions md5_versions;
bool md5i_read_mesh_text(md5_arena *arena, md5_arena *joints, md5_arena *kept,
                         const md5_mesh_dialect *dialect, const md5_versions *versions,
                         md5_span text, md5_mesh_file *file);
bool md5i_read_meshes_beyond_count(md5_arena *arena, const md5_mesh_dialect *dialect,
                                   const md5_versions *versions, md5_span text,
                                   md5_mesh_file *file);

// -- .md5anim ------------------------------------------------------------------------------------

enum { MD5_TRANSLATES = 7, MD5_ROTATES = 56 }; // flags of md5_track
uint32_t md5i_num_flags(uint32_t flags);

typedef struct md5_anim_file {
    md5_span command_line;
    uint32_t num_frames; // >= 1
    uint32_t num_joints; // >= 1
    uint32_t num_components;
    double frame_rate; // > 0
    const md5_file_joint *joints;
    bool parents_unknown;    // of version 6: all are -1
    const uint32_t *order;   // [num_joints] parents before children
    const md5_track *tracks; // [num_joints]; first + bits set <= num_components
    // [num_joints] relative to the parent; x y z of rotations as in the file, w is 0: frames
    // replace some of the three before w is computed.
    const md5_xform *base_frame;
    const float *numbers;     // [num_frames][num_components]
    const md5_bounds *bounds; // [num_frames], or NULL if the file has no bounds for each frame
    bool has_others;          // text between frames that is none
    md5_lex lex;              // of a text; behind the frames, or before them: see below
} md5_anim_file;

// Reads an .md5anim, or a .bMD5anim of Doom 3 BFG, of `size` bytes. The file refers to memory in
// the arena and in the text. Returns false with the context's error set.
//
// If `num_components` is not NULL, reads everything before the frames again, but not `numbers`: the
// frames have that many numbers each. A text that was read without an error has none then, and
// takes no more memory than was taken for everything else.
bool md5i_read_anim_file(md5_arena *arena, const char *text, size_t size,
                         const uint32_t *num_components, md5_anim_file *file);

// Read a text of version 10 or 12, or of version 6.
bool md5i_read_anim_text(md5_arena *arena, const md5_versions *versions, uint32_t version,
                         md5_span text, const uint32_t *num_components, md5_anim_file *file);
bool md5i_read_anim_v6(md5_arena *arena, const md5_versions *versions, md5_span text,
                       md5_anim_file *file);

// A clip of it, ready to sample.
enum { MD5_MOVES_ROTATION = 1, MD5_MOVES_TRANSLATION = 2 };

// Finds which joints change over the frames, by value: writes moves[num_joints] (MD5_MOVES_*) and
// the numbers of rotating and translating joints. changes[num_components] is scratch memory. Time
// is linear in the joints and the size of `numbers`, not in joints * frames, even if tracks share
// numbers.
void md5i_clip_plan(const md5_anim_file *source, uint8_t *changes, uint8_t *moves,
                    uint32_t *num_rotations, uint32_t *num_translations);

// The arrays of a clip. md5i_clip_plan() computes their sizes.
typedef struct md5_clip_arrays {
    md5_xform *base_frame;        // [num_joints]
    md5_xform *constant;          // [num_joints]
    uint32_t *rotation_joints;    // [num_rotations]
    uint32_t *translation_joints; // [num_translations]
    md5_quat *rotations;          // [num_frames][num_rotations]
    md5_vec3 *translations;       // [num_frames][num_translations]
} md5_clip_arrays;
// The base frames of both may be the same. Instead of the numbers of a file takes those that it
// reads again from the lexer into again[num_components], if that is not NULL.
void md5i_clip_build(const md5_anim_file *source, const uint8_t *moves, float *again,
                     const md5_clip_arrays *arrays);

// -- .md5camera ----------------------------------------------------------------------------------

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
bool md5i_refuse_foreign(md5_arena *arena, md5_span text);

#endif
