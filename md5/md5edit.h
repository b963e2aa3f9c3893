// md5edit: MD5 files as tables that may be changed, repaired and written; what engines say to them.
//
//   text --md5_parse_doc()--> document: what the file says, as it says it
//        --your changes, md5_fix_...(), md5_edit_...()--> document
//        --md5_write_doc()--> text, as id's exporter lays it out
//        --md5_check_doc()--> findings: rules of engines that it breaks, with their places
//
// A document has the numbers of the file, to the bit, in the file's space and units, and nothing
// that is derived from them: md5_parse_model() makes an md5_model of the text that was written.
// Numbers and names may be changed in place, counts lowered, and arrays replaced by the caller's
// own, which must live as long; md5_free_doc() frees what the library allocated. A document may
// also be all the caller's: `= {0}` and arrays. Different documents share nothing.
#ifndef MD5EDIT_H
#define MD5EDIT_H

#include "md5model.h" // beside this file also when installed

#ifdef MD5_NO_EXTRAS
#error "md5edit needs the readers of cameras, which MD5_NO_EXTRAS leaves out"
#endif

#ifdef __cplusplus
extern "C" {
#endif

// -- Documents ------------------------------------------------------------------------------------

typedef struct md5_doc_joint {
    const char *name;
    uint32_t parent;      // MD5_NONE = root; may come after the joint
    md5_track track;      // of an animation: which components frames have, and where
    md5_vec3 position;    // a model's bind pose, model space; an animation's base frame, relative
    md5_vec3 rotation;    // to the parent. x y z as in the file, perhaps longer than 1
    const char *comment;  // behind its row; NULL: the parent's name
    uint64_t reserved[2]; // 0
} md5_doc_joint;

// A line of a comment, behind a line of the text or below it. If there is no such line any more, it
// stands where that was. Repairs leave comments where they are; those of frames go with these.
typedef struct md5_doc_comment {
    uint32_t block;     // 0, or the number, from 1, of the mesh or frame
    uint32_t part, row; // of the line: which word begins the part, and how many lines below that
    bool is_behind;
    const char *text; // without control bytes but tabs
} md5_doc_comment;

typedef struct md5_doc_mesh {
    const char *name, *shader; // in the text `// meshes: NAME` and `shader "..."`
    uint32_t num_vertices, num_triangles, num_weights;
    md5_vertex *vertices; // [num_vertices] their weights, perhaps shared
    md5_vec2 *texcoords;  // [num_vertices]
    uint32_t *indices;    // [3 * num_triangles] vertices, clockwise seen from outside
    md5_weight *weights;  // [num_weights]
    uint64_t reserved[2]; // 0
} md5_doc_mesh;

typedef enum md5_doc_kind { MD5_DOC_MODEL, MD5_DOC_ANIM, MD5_DOC_CAMERA } md5_doc_kind;

typedef struct md5_doc { // what its kind does not have is 0
    md5_doc_kind kind;
    const char *command_line; // NULL = ""
    const char *comment;      // behind the version, where exporters write their options; NULL = ""
    uint32_t num_joints, num_meshes; // joints of models and animations, >= 1
    bool parents_unknown;            // of an animation of version 6, which is not written before
                                     // md5_fix_joints() gave it those of a model
    md5_doc_joint *joints;           // [num_joints]
    md5_doc_mesh *meshes;            // [num_meshes]
    uint32_t num_frames, num_components; // frames of animations and cameras, >= 1
    double frame_rate;                   // > 0
    float *numbers;                      // [num_frames][num_components]
    md5_bounds *bounds;                  // [num_frames]; NULL: none, which many engines refuse
    uint32_t num_comments;               // all but those behind the version and joints
    md5_doc_comment *comments;           // [num_comments] in the order of the text
    uint32_t num_cuts, num_cut_views;
    uint32_t *cuts;          // [num_cuts] frames of a camera
    md5_cut_view *cut_views; // [num_cut_views] by ascending cut; angles become rotations
    md5_camera_view *views;  // [num_frames] x y z of rotations as in the file; w is 0
    md5_allocator allocator;
    void *internal;       // as md5_internal
    uint64_t reserved[4]; // 0
} md5_doc;

// As md5_parse_model(), md5_parse_anim() and md5_parse_camera(), but axes, scale and what else
// `opts` says of the result is ignored. Models of version 6 and files of Doom 3 BFG become
// documents too, whose text is version 10. Meshes beyond numMeshes are read, with a warning.
// MD5_ERROR_VERSION: version 12, whose normals a document would lose.
MD5_EDIT_API md5_doc *md5_parse_doc(md5_doc_kind kind, const void *text, size_t size,
                                    const md5_load_opts *opts, md5_error *error);
MD5_EDIT_API void md5_free_doc(md5_doc *doc);

// Writes a document and a NUL to text[size]. Loading the text gives what loading the file gave, bit
// for bit (but w is computed anew where the file had it, in binary files, version 6 and angles of
// cuts): numbers have the fewest decimals that are read as the same bits, and no exponents; rows
// keep their order. Returns the length of the text; 0 on failure: MD5_ERROR_VERSION if parents are
// not known; MD5_ERROR_RANGE if an index is
// outside of its table, a joint its own ancestor, a number not finite, or beyond the 1e9 that is
// read; MD5_ERROR_MISMATCH for a text with a quote or a control byte, or a mesh's name with blanks
// at its ends. Linear time.
MD5_EDIT_API size_t md5_write_doc(const md5_doc *doc, char *text, size_t size, md5_error *error);

// -- Repairs --------------------------------------------------------------------------------------

// Each mends a document of the kind that it names and returns how many things it changed; 0:
// nothing was wrong. On failure, for which there are the same reasons as in writing and
// MD5_ERROR_MEMORY, it returns MD5_NONE and leaves the tables as they were. Time and memory are
// linear in the document and in what its rows share; for clips in joints times frames. Arrays that
// are replaced stay in memory until the document is freed.

// Model: brings rotations longer than 1 to unit length, w included, as loading does.
MD5_EDIT_API uint32_t md5_fix_rotations(md5_doc *model, md5_error *error);

// Model: keeps the `max_weights` (up to 64; 0: all) largest weights of each vertex, by absolute
// bias, after those of one joint were added up, which loses nothing; and divides by their sum those
// of vertices that had more, or whose sum was off from 1 by more than `tolerance` (1e-3 for what
// exporters round; INFINITY: none). Sums below 1e-3 stay. Returns the number of vertices. *loss,
// unless NULL: the largest distance, in units, by which what was cut off can displace a vertex
// whose weights meet in one point, however its joints turn about their own positions.
MD5_EDIT_API uint32_t md5_fix_weights(md5_doc *model, uint32_t max_weights, float tolerance,
                                      float *loss, md5_error *error);

// Animation: computes the bounds of each frame from the skin of `model`, which was loaded without
// axes or scale; joints are matched as by md5_bind(). Returns the number of boxes that were off by
// more than 0.01. MD5_ERROR_MISMATCH if no joint belongs to the model, or it has no vertices.
MD5_EDIT_API uint32_t md5_fix_bounds(md5_doc *anim, const md5_model *model, md5_error *error);

// Animation: gives it the joints of `model`, which was loaded without axes or scale: the same names
// and parents in the same order, as id's engine and most Quake engines demand. Poses are those of
// md5_bind(): a joint that the clip lacks keeps its bind pose relative to its parent, what extra
// joints did moves those below, and a joint with another parent is where it was. `model` NULL: the
// clip's own joints. Rotations longer than 1 come to unit length, w included. With `all_components`
// each joint gets flags 63, which engines ask for that ignore base frames; else those it had, and
// those of numbers that differ from its base frame. Returns the number of joints that are not as
// before. MD5_ERROR_MISMATCH if no joint belongs to the model.
MD5_EDIT_API uint32_t md5_fix_joints(md5_doc *anim, const md5_model *model, bool all_components,
                                     md5_error *error);

// -- Edits ----------------------------------------------------------------------------------------

// Each makes another document of one, all at once, as its job says, of which 0 leaves things as
// they are. Results, failures, time and memory are those of repairs; arrays are new ones. A model
// and its clips remain a pair if each goes through the same edits of joints and of space.

typedef struct md5_joint_edit { // of a model or an animation
    const char *root;     // a joint of this name becomes the parent of all that had none, at the
                          // origin, unless it is that already; NULL: none
    bool drops_unused;    // of a model: joints that no weight uses, nor one below them. Its clips
                          // get the others by md5_fix_joints()
    uint64_t reserved[4]; // 0
} md5_joint_edit;

// In any case parents come before their children, as most engines demand; what is in order stays.
// Returns the number of joints that are elsewhere, gone or new.
MD5_EDIT_API uint32_t md5_edit_joints(md5_doc *doc, const md5_joint_edit *edit, md5_error *error);

typedef struct md5_mesh_edit { // of a model
    bool is_merged;            // meshes of one shader become one, where the first of them was
    bool drops_unused; // triangles with a vertex twice, vertices without triangles, weights without
                       // vertices; but a mesh without any other triangle stays
    const bool *turned; // [num_meshes of the document] whether triangles face the other way; NULL:
                        // none
    uint32_t max_vertices, max_triangles; // what a mesh may have, from 3 vertices on: larger ones
                                          // are cut, in the order of their triangles; 0: any number
    uint64_t reserved[4];                 // 0
} md5_mesh_edit;

// Vertices of meshes that are made anew come in the order of their triangles, and those that none
// uses are left out. Returns the number of meshes merged or cut, triangles turned, and other rows
// that are gone.
MD5_EDIT_API uint32_t md5_edit_meshes(md5_doc *model, const md5_mesh_edit *edit, md5_error *error);

typedef struct md5_space_edit { // of any document, in this order
    bool is_mirrored; // at the plane y = 0: left and right are exchanged, and triangles turned
    const uint32_t *partners; // mirrored: [num_joints] the joint on the other side, as of
                              // md5_build_mirror(): names, and with them the order of joints, stay
                              // where they were. NULL: each joint keeps its name
    md5_euler turn; // about the origin, degrees; quarters of a circle are exact. { 0, -90, 90 }
                    // raises what was made with y up (MD5_AXES_Y_UP)
    float scale;    // units of the result in one of the document, 1e-6 to 1e6; 0 = 1
    uint64_t reserved[4]; // 0
} md5_space_edit;

// Joints turn with the model: their own spaces see scale and mirror only. Boxes of frames hold the
// turned boxes, perhaps more than the skin. Returns the number of joints, or of a camera's frames;
// 0 if the edit changes nothing. MD5_ERROR_RANGE: a scale out of range, or partners that are not
// each joint once.
MD5_EDIT_API uint32_t md5_edit_space(md5_doc *doc, const md5_space_edit *edit, md5_error *error);

// How a clip ends that may be meant as a loop, of which the last frame is the first again.
typedef enum md5_loop_end {
    MD5_LOOP_ELSEWHERE,  // at another pose
    MD5_LOOP_CLOSED,     // at the first one
    MD5_LOOP_LACKS_LAST, // one step before it: the jump to it is about as the steps beside that,
                         // and leads where they do
} md5_loop_end;

typedef struct md5_loop {
    md5_loop_end end;
    uint32_t num_blended; // frames to change so that it is closed, if it ends elsewhere: so many
                          // that it adds at most an average step to each, but not the first frame
} md5_loop;

// Judges `num_frames` frames of an animation from `first` on, 0: all of them, by the places and
// rotations of all joints; joint 0 may walk along x and y. A clip of less than 4 frames, and one
// that is compressed, is not found to lack its last. Linear time.
MD5_EDIT_API md5_loop md5_find_loop(const md5_anim *anim, uint32_t first, uint32_t num_frames);

typedef struct md5_frame_edit { // of an animation, in this order
    const md5_model *model;     // whose joints it gets, as by md5_fix_joints(); NULL: its own
    bool all_components;        // likewise
    uint32_t first, num_frames; // the frames that are kept; 0 frames = all from the first on
    double frame_rate; // of the result, sampled as md5_sample() does; 0 = as it is. The last frame
                       // stays the last, so the duration changes by up to half a frame. At a whole
                       // multiple of the rate all frames are kept to the bit
    // Called for each pose, relative to the parent, of the joints of `model` or the clip's own,
    // which it may change: md5_mirror_pose() mirrors the clip on its model. Called several times
    // for a frame, with the same pose. NULL: none.
    void (*change)(void *user, md5_xform *pose);
    void *user;
    // The last frame becomes the first, as md5_find_loop() says: the first is added, and all others
    // stay to the bit, or the last ones are blended towards it, and those before stay. Joint 0
    // keeps its way along x and y, on which it walks: by another step, if a frame is added.
    bool is_closed;
    md5_loop *loop;   // with is_closed: is set to what was found; NULL: that is not asked for
    bool is_in_place; // joint 0 keeps the place of the first frame
    // Units by which the skin may move: components that change less than that need no flag, and get
    // the values of the first frame as base frame. Without a model the skin ends 1 unit, or the
    // length of its last bone, behind each chain of joints. Weights of a vertex must sum to 1.
    // Joint 0 keeps its translation. 0: flags stay.
    float tolerance;
    uint64_t reserved[4]; // 0
} md5_frame_edit;

// Boxes of frames become those of both frames between which they are, moved as joint 0 is:
// md5_fix_bounds() computes right ones. Returns the number of frames if they are others, or another
// rate, else that of the joints that are not as before. MD5_ERROR_RANGE: frames that the clip does
// not have, or more than 2^24; a rate or a tolerance below 0.
MD5_EDIT_API uint32_t md5_edit_frames(md5_doc *anim, const md5_frame_edit *edit, md5_error *error);

// -- What engines say -----------------------------------------------------------------------------

// Engines that read MD5 files, some also in an old version; a set of them is bits. What those that
// are not `sure` do is never an error: the file may be meant for others.
#define MD5_ENGINE_LIBRARY (UINT32_C(1) << 31) // this library, for which no rule is
typedef struct md5_engines {
    uint32_t all, sure;
} md5_engines;

// Returns the engines of a name, perhaps with a version: "doom3", "ironwail:0.8.1", "md5model", or
// "all", which are those without old versions and this library. 0: there are none.
MD5_EDIT_API uint32_t md5_find_engines(const char *name);

// Writes the names of a set, separated by commas, and a NUL to text[size], cut if they are longer.
// Returns the length of the uncut text.
MD5_EDIT_API size_t md5_engine_names(uint32_t engines, char *text, size_t size);

// A rule that a file breaks.
typedef struct md5_finding {
    md5_error error;     // MD5_WARNING unless a sure engine refuses the file or reads beyond it;
                         // where it is broken first, line 0: as a whole
    char rule[24];       // its name; "": none, as of a message of this library
    uint32_t count;      // places where it is broken
    bool is_silent;      // no engine that was asked minds
    bool is_library_too; // this library reports the same line
    char engines[360];   // what they do, such as "stops doom3, darkmod; wrong in cube2"
} md5_finding;

// Writes rule `number`, from 0, as a finding whose message is what breaks it. Returns false if
// there are no more. Rules that engines take differently in models and animations come twice.
MD5_EDIT_API bool md5_get_rule(uint32_t number, md5_engines engines, md5_finding *rule);

typedef struct md5_check_joint {
    const char *name;
    int32_t parent;              // as the text has it, as are the others
    uint32_t line, flags, first; // of animations
} md5_check_joint;

typedef struct md5_check_shader {
    const char *name;
    uint32_t line, column;
} md5_check_shader;

// What a text says to engines, as far as it can be read.
typedef struct md5_check {
    const char *file; // of the options; NULL there: ""
    md5_doc_kind kind;
    md5_engines engines;
    uint32_t num_joints, num_shaders, num_findings;
    md5_check_joint *joints;   // [num_joints]
    md5_check_shader *shaders; // [num_shaders] of meshes
    md5_finding *findings;     // [num_findings] in the order in which they were found
    int32_t num_frames;        // as counted
    uint32_t bounds_line;      // of the word; 0: none
    md5_space_edit space;      // by md5_check_binding(): what brings a clip to its model
} md5_check;

// Looks for what breaks a rule in a text of a model or an animation, however broken it is: what
// md5_parse_doc() refuses, too. `text` NULL: nothing is read, for findings of the caller. `opts`
// and `error` may be NULL; of the options allocator and file_name are used. Returns NULL if memory
// runs out, or for a text of 2 GiB. Free with md5_free_check(). Time and memory are linear in the
// text.
MD5_EDIT_API md5_check *md5_check_doc(md5_doc_kind kind, const void *text, size_t size,
                                      md5_engines engines, const md5_load_opts *opts,
                                      md5_error *error);
MD5_EDIT_API void md5_free_check(md5_check *check); // NULL is allowed

// Adds what engines say to the shapes of its model, loaded without axes or scale. Returns false if
// memory runs out. Linear time, but for dense clouds of vertices, of which 64 neighbours are seen.
MD5_EDIT_API bool md5_check_model(md5_check *mesh, const md5_model *model);

// Whether a mesh is closed, as a whole, and its triangles face inwards.
MD5_EDIT_API bool md5_is_inside_out(const md5_mesh *mesh);

// Adds what engines say to a clip with a mesh, unless that was the last one: how their joints
// differ. Returns the number of findings; MD5_NONE if memory runs out. Time is that of sorting
// names.
MD5_EDIT_API uint32_t md5_check_pair(const md5_check *mesh, md5_check *clip);

// Adds what engines say to a clip whose bones are not as long as those of the model that it is
// bound to: the median of at least 5 is more than 5 % off, and 80 % are within 2 % of it, or it is
// more than 20 % off with at least 5 that do not hang on a root; and by that factor in all frames
// that are seen, 16 of many. Finds whether it is turned: whether its root is out of the bind pose
// by the same quarter turns in these frames, within 1 degree, and bones below it, too; of models
// with more than 5 joints. Returns false if memory runs out. Linear time, but for sorting.
MD5_EDIT_API bool md5_check_binding(md5_check *check, const md5_binding *clip);

// Adds to the first clip that is turned that it is, if all clips of a mesh are, or it alone:
// others may well begin in another direction. `clips` are those of one mesh, after
// md5_check_binding(). Returns false if memory runs out.
MD5_EDIT_API bool md5_check_turns(md5_check *const *clips, size_t num_clips);

// Adds a finding: `rule` is the name of one, `text` what was found. Findings may move. Returns
// false if memory runs out.
MD5_EDIT_API bool md5_add_finding(md5_check *check, const char *rule, uint32_t line,
                                  uint32_t column, const char *text);

// == Automatic weights ===========================================================================
//
// Automatic weights. Binds the vertices of a bare mesh to the joints of a skeleton, for
// meshes from a scanner, a sculpting program or a game whose skeleton is lost.
//
// The mesh is cut into voxels. From each joint's bones distances are measured along paths inside
// the mesh, so a hand that hangs beside a hip is not bound to the hip. Dionne and de Lasa,
// "Geodesic Voxel Binding for Production Character Meshes", 2013; differences are in
// md5/edit/weights.c.
//
// The result is in the form of .md5mesh files: joints, biases and positions in the joints' spaces.
// `md5tool bind` writes such a file.

// What to bind. Zero in a field of the second part means its default.
typedef struct md5_weights_desc {
    const md5_vec3 *positions; // [num_positions] model space, from -1e9 to 1e9
    uint32_t num_positions;    // at least 1
    const uint32_t *indices;   // [3 * num_triangles] positions; front and back do not matter
    uint32_t num_triangles;    // 0 is allowed: the volume is then that of the positions alone
    const md5_skeleton *skeleton;
    const md5_mat34 *bind; // [num_joints] bind pose, model space: rotations and translations

    const bool *excluded;    // [num_joints] joints that get no weights; NULL = none
    uint32_t resolution;     // voxels along the longest side of the mesh, 4 to 256; 0 = 64
    uint32_t max_influences; // of one vertex, 1 to 16; 0 = 4
    uint32_t smoothing;      // rounds over the edges of the mesh, 1 to 64; 0 = 3
    bool no_smoothing;
    float falloff;        // 0..1: how quickly influence ends, see below; 0 = 1, MD5_ZERO = 0
    uint64_t reserved[4]; // 0
} md5_weights_desc;

// Weights of one mesh, in one block of memory.
typedef struct md5_weights {
    uint32_t num_vertices;      // num_positions
    const md5_vertex *vertices; // [num_vertices] at least one weight each; equal positions share
                                // theirs
    uint32_t num_weights;
    const md5_weight *weights; // [num_weights] largest bias first; those of a vertex sum to 1
    uint32_t num_voxels;       // of the volume
    float voxel_size;          // units
    uint32_t num_bound;        // joints with a bone in the volume; only these get weights
    uint32_t num_distant;      // vertices that no bone reaches inside the mesh
    size_t size;
    md5_internal internal;
} md5_weights;

// Creates weights; free them with md5_destroy_weights().
//
// The volume consists of the voxels that triangles touch and of those that they enclose. If the
// mesh has holes larger than a voxel, what is behind them counts as outside, and paths follow the
// surface. A joint's bones lead from it to each of its children, and end where they first leave the
// volume; that of a joint without children continues its parent's, as far again. A joint outside of
// the volume, such as one on the floor that moves everything, has no bones and gets no weights.
// Paths go from voxel to voxel, in 26 directions; the distance is that of the straight line if this
// stays in the volume.
//
// A joint at distance d, as a share of the mesh's longest side, has the influence
//   1 / ((1 - falloff) d + falloff d^2)^2
// of which the largest `max_influences` are kept, after smoothing, and scaled to sum 1; those below
// 1/200 are dropped. Vertices in parts that no bone reaches, such as a separate button, take the
// straight distance (num_distant).
//
// Returns NULL on failure. A number out of range, an index of no position, or triangles that
// overlap in more than 2^26 voxels: MD5_ERROR_RANGE. No joint in the volume: MD5_ERROR_MISMATCH.
// `opts` and `error` may be NULL; of the options, memory and its limit count. Memory: 6 bytes for
// each voxel of the mesh's box, 36 for each of the volume, and for each position about 16
// (max_influences + 4) bytes. Time: the joints times v log v of the voxels, and of each position
// and influence a line through the voxels.
MD5_EDIT_API md5_weights *md5_create_weights(const md5_weights_desc *desc,
                                             const md5_load_opts *opts, md5_error *error);
MD5_EDIT_API void md5_destroy_weights(md5_weights *weights); // NULL is allowed

#ifdef __cplusplus
}
#endif

#endif
