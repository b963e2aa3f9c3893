// md5edit: changes, repairs and writes MD5 files, and checks files for compatibility with the
// engines that read MD5 files. Use it for tools such as converters and editors. Games use
// md5model.h instead, whose assets are read-only.
//
// A document is the content of one file: a model, an animation or a camera path. A program usually
// works as follows:
//
//   1. md5_parse_doc() reads a text and creates a document.
//   2. The program changes the document, directly or with md5_fix_...() and md5_edit_...().
//   3. md5_write_doc() writes the document as a text in the layout of id's exporter.
//
// For example, this code limits the vertices of a model to four weights:
//
//   md5_doc *doc = md5_parse_doc(MD5_DOC_MODEL, text, size, NULL, &error);
//   md5_fix_weights(doc, 4, 1e-3f, NULL, &error);
//   size_t length = md5_write_doc(doc, output, output_size, &error);
//   md5_free_doc(doc);
//
// md5_check_doc() reads a text and reports diagnostics: the rules of engines that the file
// violates, with their locations.
//
// A document contains the numbers of the file bit by bit, in the space and units of the file, and
// no data that is computed from them. To draw a changed document, write it and load the text with
// md5_parse_model().
//
// You may change numbers and names of a document, reduce counts, and replace arrays by your own
// arrays. Your arrays must exist as long as the document, because md5_free_doc() frees only the
// memory of the library. You may also create a document entirely from your own data: initialize an
// md5_doc with `= MD5_INIT` and set its arrays. Documents are independent of each other.
#ifndef MD5EDIT_H
#define MD5EDIT_H

#include "md5model.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// -- Documents ------------------------------------------------------------------------------------

// A joint of a model or of an animation.
typedef struct md5_doc_joint {
    const char *name; // name of the joint
    // Index of the parent, which may be larger than the index of this joint. If MD5_NONE, the joint
    // is a root.
    uint32_t parent;
    // The components of the joint that change during an animation, and the index of the first of
    // them in the numbers of a frame. Models do not use this member.
    md5_track track;
    // In a model, the position of the joint in the bind pose, in model space. In an animation, its
    // position in the base frame, relative to the parent.
    md5_vec3 position;
    // Rotation in the same space as `position`: x, y and z of the quaternion, as in the file. The
    // length may exceed 1.
    md5_vec3 rotation;
    // Comment that md5_write_doc() writes at the end of the joint's line. If NULL, it writes the
    // name of the parent, as in id's files.
    const char *comment;
    uint64_t reserved[2]; // must be 0
} md5_doc_joint;

// A comment of the text, and its position. The position is given by a line of the text: the comment
// is either at the end of this line or on a separate line below it. If the line does not exist any
// more when the document is written, the comment is written at the line's former position. Repairs
// do not move comments; comments of frames move with their frames.
//
// The position of a line consists of three numbers: `block`, `part` and `row`. The text is divided
// into parts. A part begins with one of the following keywords, which are numbered from 0:
//
//    0 MD5Version      5 frameRate               10 bounds         15 frame
//    1 commandline     6 numAnimatedComponents   11 baseframe      16 shader
//    2 numFrames       7 numCuts                 12 cuts           17 numverts
//    3 numJoints       8 joints                  13 camera         18 numtris
//    4 numMeshes       9 hierarchy               14 mesh           19 numweights
typedef struct md5_doc_comment {
    // Number of the mesh or frame that contains the line, starting at 1. If 0, the line is before
    // the first mesh or frame.
    uint32_t block;
    // `part` is the number of a keyword, as listed above. `row` is the number of lines from the
    // line with this keyword to the line of the comment; 0 means the line with the keyword itself.
    uint32_t part, row;
    // If true, the comment is at the end of the line, after other text. If false, the comment is on
    // a separate line below this line.
    bool is_behind;
    // Text of the comment. Control characters other than tabs are not allowed.
    const char *text;
} md5_doc_comment;

// A mesh of a model, as an .md5mesh file stores it.
typedef struct md5_doc_mesh {
    // Name of the mesh, written as a comment `// meshes: NAME`, and name of the material, written
    // as `shader "NAME"`.
    const char *name, *shader;
    uint32_t num_vertices, num_triangles, num_weights;
    md5_vertex *vertices; // [num_vertices] the vertices, which may share their weights
    md5_vec2 *texcoords;  // [num_vertices] texture coordinates
    uint32_t *indices;    // [3 * num_triangles] indices of vertices, clockwise seen from outside
    md5_weight *weights;  // [num_weights] weights of all vertices of the mesh
    uint64_t reserved[2]; // must be 0
} md5_doc_mesh;

// The kind of file that a document contains.
typedef enum md5_doc_kind { MD5_DOC_MODEL, MD5_DOC_ANIM, MD5_DOC_CAMERA } md5_doc_kind;

// A document: the content of an .md5mesh, .md5anim or .md5camera file, which a program can change
// and write. Members that do not apply to its kind are 0.
typedef struct md5_doc {
    md5_doc_kind kind; // kind of file
    // Command line of the program that created the file. NULL has the same meaning as "".
    const char *command_line;
    // Comment after the version number, in which exporters write their options. NULL has the same
    // meaning as "".
    const char *comment;
    // Number of joints of a model or an animation, at least 1, and number of meshes of a model.
    uint32_t num_joints, num_meshes;
    // If true, the document is an animation of version 6, which does not contain parents. It can be
    // written only after md5_fix_joints() has set the parents from a model.
    bool parents_unknown;
    md5_doc_joint *joints; // [num_joints] joints of a model or an animation
    md5_doc_mesh *meshes;  // [num_meshes] meshes of a model
    // `num_frames` is the number of frames of an animation or a camera path, at least 1.
    // `num_components` is the number of values per frame of an animation.
    uint32_t num_frames, num_components;
    double frame_rate; // frames per second, above 0
    float *numbers; // [num_frames][num_components] values of the animated components in each frame
    // [num_frames] Bounding box of each frame of an animation. If NULL, the file has no boxes; many
    // engines reject such a file.
    md5_bounds *bounds;
    // Number of elements of `comments`. The comment after the version and the comments of joints
    // are stored separately.
    uint32_t num_comments;
    md5_doc_comment *comments; // [num_comments] all other comments, in the order of the text
    uint32_t num_cuts, num_cut_views;
    // [num_cuts] Cuts of a camera path: the last frame of each shot, as in md5_camera.cuts.
    uint32_t *cuts;
    // [num_cut_views] Fixed views of cuts (see md5_cut_view), by ascending cut. Angles are
    // converted to rotations.
    md5_cut_view *cut_views;
    // [num_frames] The view of each frame of a camera path. x, y and z of a rotation are as in the
    // file; w is 0.
    md5_camera_view *views;
    // Functions with which the library allocated its memory in the document.
    md5_allocator allocator;
    md5_internal internal;
    uint64_t reserved[4]; // must be 0
} md5_doc;

// Reads the text of a file and creates a document, which a program can change. The text is read
// with the rules of md5_parse_model(), md5_parse_anim() or md5_parse_camera(), which `kind`
// selects. The options that change the result of a load, such as axes and scale, are ignored. Free
// the document with md5_free_doc(), which accepts NULL.
//
// Models and animations of version 6, and binary files of Doom 3 BFG, can be read too.
// md5_write_doc() writes them in version 10. If a model contains more meshes than its keyword
// numMeshes declares, the additional meshes are read with a warning. Fails with MD5_ERROR_VERSION
// for a file of version 12, because documents cannot store its normals.
MD5_EDIT_API md5_doc *md5_parse_doc(md5_doc_kind kind, const void *text, size_t size,
                                    const md5_load_opts *opts, md5_error *error);
MD5_EDIT_API void md5_free_doc(md5_doc *doc);

// Writes a document as the text of an MD5 file. The text and a NUL are written to text[size],
// truncated to `size`. Returns the length of the full text, or 0 on failure. To find the length
// before you allocate memory, call the function with a `size` of 0; `text` may then be NULL. The
// time is linear in the size of the document.
//
// Loading the text gives the same bits as loading the original file. There is one exception: if the
// original file contains the component w of rotations, w is recomputed. Such files are binary
// files, files of version 6, and camera paths with angles in cuts. Each number is written with the
// fewest decimals that give the same bits, without an exponent. The order of elements is unchanged.
//
// Fails with
//
// - MD5_ERROR_VERSION if the parents of joints are unknown;
// - MD5_ERROR_RANGE if an index is outside its table, a joint is its own ancestor, or a number is
//   not finite or outside 1e9;
// - MD5_ERROR_MISMATCH if a string contains a quotation mark or a control character, or if the name
//   of a mesh begins or ends with a space.
MD5_EDIT_API size_t md5_write_doc(const md5_doc *doc, char *text, size_t size, md5_error *error);

// -- Repairs --------------------------------------------------------------------------------------

// The following functions repair documents. Some repair models, others repair animations; their
// comments state this. Each function returns the number of changes, or 0 if nothing was wrong. On
// failure it returns MD5_NONE and leaves the tables unchanged. A repair fails for the same reasons
// as md5_write_doc(), and with MD5_ERROR_MEMORY if memory runs out.
//
// Time and memory are linear in the size of the document; an element that several elements share
// counts once for each of them. For animations they are linear in the number of joints times the
// number of frames. Arrays that a repair replaces remain in memory until the document is freed.

// Normalizes the rotations of a model whose length is above 1, including w, in the same way as a
// load does. id's engine does not normalize such rotations, so it draws the model distorted.
// Returns the number of changed rotations.
MD5_EDIT_API uint32_t md5_fix_rotations(md5_doc *doc, md5_error *error);

// Limits the number of weights per vertex of a model, for engines that support only a few, and
// normalizes the weights. Returns the number of changed vertices.
//
// Limiting. Weights of the same joint are merged first, which does not change the vertex. Then each
// vertex keeps the `max_weights` weights with the largest absolute bias. `max_weights` is at most
// 64; 0 keeps all weights.
//
// Normalizing. The biases of a vertex are scaled to the sum 1 if weights were removed, or if the
// sum differed from 1 by more than `tolerance`. Use 1e-3 for rounding errors of exporters, or
// INFINITY to normalize only vertices that lost weights. Sums below 1e-3 are unchanged.
//
// If `loss` is not NULL, *loss receives the largest distance, in units, by which the removed
// weights can displace a vertex. The distance is valid for any rotation of the joints around their
// positions, and for vertices whose weights all define the same position in the bind pose.
MD5_EDIT_API uint32_t md5_fix_weights(md5_doc *doc, uint32_t max_weights, float tolerance,
                                      float *loss, md5_error *error);

// Gives weights to vertices of a model that have no weights, or whose weights are all 0. Returns
// the number of these vertices.
//
// MD5 stores the position of a vertex in its weights, so a vertex without weights is drawn at the
// origin. The function moves it to the mean position of its neighbors in the mesh, and gives it
// the weights of the nearest point on the triangles that have at least one vertex with weights. A
// weighted vertex of the triangle replaces vertices without weights. A vertex whose weights are all
// 0 is moved to the mean of the points of these weights. A vertex receives at most `max_weights`
// weights (1 to 16; 0 means 16), and never more than any other vertex of the model has. Fails with
// MD5_ERROR_MISMATCH if no triangle has a vertex with weights, and with MD5_ERROR_RANGE if the
// model has more than 2^28 vertices or triangles. The time is O(n log n) for n vertices and
// triangles.
MD5_EDIT_API uint32_t md5_fill_weights(md5_doc *doc, uint32_t max_weights, md5_error *error);

// Computes the bounding box of each frame of an animation from the skin of `model`. Engines cull
// characters by these boxes, so a character with wrong boxes can disappear. The model must be
// loaded without axes and scale. Joints are matched as in md5_bind(). Returns the number of boxes
// that differed by more than 0.01. Fails with MD5_ERROR_MISMATCH if no joint matches the model or
// if the model has no vertices.
MD5_EDIT_API uint32_t md5_fix_bounds(md5_doc *doc, const md5_model *model, md5_error *error);

// Rotates the axes of the joints of an animation to the axes of the joints with the same names in
// `model`. Some programs orient a bone along x, others along y; an animation with other axes twists
// the model. The model must be loaded without axes and scale. Returns the number of joints whose
// values changed. The number is 0 if the axes are the same, or if the parents of joints are
// unknown. If `max_angle` is not NULL, *max_angle receives the largest angle between a bone of the
// animation and the same bone of the model, in degrees.
//
// The rotations are determined from the directions and lengths of bones in the first frame: at
// least 5 bones and half of all bones of equal length must differ by more than 10 degrees. A bone
// does not determine the rotation around itself, so a rotation by a multiple of 90 degrees is
// preferred. If several such rotations are possible, the function uses the rotation that fits most
// bones of the skeleton. If that rotation does not fit a joint, the function uses the multiple of
// 90 degrees that moves the first frame nearest to the bind pose. If no multiple of 90 degrees
// fits, it uses any rotation that does this. The positions of joints and the bounding boxes are not
// changed: call md5_fix_bounds() afterwards.
MD5_EDIT_API uint32_t md5_fix_axes(md5_doc *doc, const md5_model *model, float *max_angle,
                                   md5_error *error);

// Replaces the joints of an animation by the joints of `model`, so that both have the same names
// and parents in the same order. id's engine and most Quake engines require this. The model must be
// loaded without axes and scale. If `model` is NULL, the joints are unchanged. Returns the number
// of changed joints. Fails with MD5_ERROR_MISMATCH if no joint matches the model.
//
// The result has the same poses as md5_bind() computes. A joint that the animation does not have
// keeps its bind pose relative to its parent. A joint that the model does not have still moves its
// descendants. A joint with another parent keeps its position. Rotations whose length is above 1
// are normalized, including w.
//
// `all_components` selects the components that frames contain. If true, every joint has all
// components (flags 63), which is required by engines that ignore base frames. If false, each joint
// keeps its flags, and gets additional flags for values that differ from its base frame.
MD5_EDIT_API uint32_t md5_fix_joints(md5_doc *doc, const md5_model *model, bool all_components,
                                     md5_error *error);

// -- Edits ----------------------------------------------------------------------------------------

// The following functions edit documents. A structure selects the changes: a member that is 0
// changes nothing, and all changes of one structure are applied together. Failures, time and memory
// are the same as for repair functions; the changed arrays are new arrays. A model and its
// animations still match each other if you apply the same edits of joints and space to all of them.

// Changes of the joints of a model or an animation, for md5_edit_joints().
typedef struct md5_joint_edit {
    // Name of a new root, which is a joint at the origin that becomes the parent of all joints
    // without a parent. If the only joint without a parent already has this name, nothing changes.
    // If NULL, no root is added.
    const char *root;
    // If true, the joints of a model are removed if neither they nor their descendants have
    // weights. To change the animations of the model in the same way, use md5_fix_joints().
    bool drops_unused;
    uint64_t reserved[4]; // must be 0
} md5_joint_edit;

// Applies edits of joints, and sorts the joints so that parents are before their children, as most
// engines require. If the order is already valid, it is unchanged. Returns the number of joints
// that were moved, removed or added.
MD5_EDIT_API uint32_t md5_edit_joints(md5_doc *doc, const md5_joint_edit *edit, md5_error *error);

// Changes of the meshes of a model, for md5_edit_meshes().
typedef struct md5_mesh_edit {
    // If true, meshes with the same material are merged into one mesh, at the position of the first
    // of them.
    bool is_merged;
    // If true, the function removes triangles with duplicate vertices, triangles without area in
    // the bind pose, vertices that no triangle uses, and weights that no vertex uses. A mesh that
    // would lose all its triangles is kept.
    bool drops_unused;
    // [num_meshes of the document] true for each mesh whose triangles are flipped, so that they
    // face the other side. If NULL, no mesh is flipped.
    const bool *flipped;
    // Largest number of vertices and of triangles of a mesh; max_vertices must be at least 3. A
    // larger mesh is split, in the order of its triangles. The value 0 means no limit.
    uint32_t max_vertices, max_triangles;
    uint64_t reserved[4]; // must be 0
} md5_mesh_edit;

// Applies edits of the meshes of a model, for example to reduce the number of draw calls or to
// satisfy the limits of an engine. In a merged or split mesh, the vertices have the order in which
// the triangles use them, and unused vertices are removed. Returns the sum of the numbers of merged
// meshes, split meshes, flipped triangles and other removed elements.
MD5_EDIT_API uint32_t md5_edit_meshes(md5_doc *doc, const md5_mesh_edit *edit, md5_error *error);

// Changes of the coordinate system of any document, for md5_edit_space(). They are applied in the
// order of the members: mirror, rotation, scale.
typedef struct md5_space_edit {
    // If true, the document is mirrored at the plane y = 0, which exchanges left and right, and
    // triangles are flipped.
    bool is_mirrored;
    // [num_joints] The index of each joint's partner on the other side, as written by
    // md5_build_mirror(). The member is used only if is_mirrored is true. The names and the order
    // of joints are then unchanged, and each joint receives the mirrored transform of its partner.
    // If NULL, each joint receives its own mirrored transform, so a left hand becomes a right hand
    // that keeps its name.
    const uint32_t *partners;
    // Rotation around the origin, in degrees. Multiples of 90 are exact. { 0, -90, 90 } converts
    // models whose up axis is y (MD5_AXES_Y_UP).
    md5_euler rotation;
    // Factor by which lengths are multiplied, from 1e-6 to 1e6. 0 means 1.
    float scale;
    uint64_t reserved[4]; // must be 0
} md5_space_edit;

// Applies edits of the space, for example to convert a model to other units. If the model is
// rotated, its joints rotate with it, so the spaces of joints do not change. Scaling and mirroring
// change the spaces of joints. The new bounding box of a frame contains the rotated box and may
// therefore be larger than the skin. Returns the number of joints, or the number of frames for a
// camera path, or 0 if the edits change nothing. Fails with MD5_ERROR_RANGE if the scale is out of
// range, or if `partners` does not contain each joint exactly once.
MD5_EDIT_API uint32_t md5_edit_space(md5_doc *doc, const md5_space_edit *edit, md5_error *error);

// The end of an animation, compared with its first frame. An animation that is played in a loop
// should be closed: its last frame equals its first frame.
typedef enum md5_loop_end {
    MD5_LOOP_OPEN,   // The animation ends at a pose that differs from the first pose.
    MD5_LOOP_CLOSED, // The animation ends at the first pose.
    // The animation ends one frame before the first pose: the change from the last frame to the
    // first frame has about the same size and direction as the changes between the frames next to
    // them.
    MD5_LOOP_WITHOUT_LAST_FRAME,
} md5_loop_end;

// Result of md5_find_loop(), which determines if an animation can be played in a loop.
typedef struct md5_loop {
    md5_loop_end end; // the end of the animation, compared with its first frame
    // Number of frames that must be changed to close the loop. Only MD5_LOOP_OPEN uses it. With
    // this number, each change is at most an average step between frames. The first frame is not
    // changed.
    uint32_t num_blended;
} md5_loop;

// Determines if an animation can be played in a loop. Compares the positions and rotations of all
// joints in `num_frames` frames, starting at the frame `first`. If `num_frames` is 0, all frames
// from `first` on are used. The movement of joint 0 along x and y is ignored, because it moves the
// whole character. The result is never MD5_LOOP_WITHOUT_LAST_FRAME if fewer than 4 frames are
// compared. The result is always MD5_LOOP_OPEN if the animation is compressed or does not have the
// frames. The time is linear in the size of the animation.
MD5_EDIT_API md5_loop md5_find_loop(const md5_anim *anim, uint32_t first, uint32_t num_frames);

// Result of md5_find_root_motion(): the joint that moves a figure along the ground.
typedef struct md5_root_motion {
    // Index of the joint. If MD5_NONE, the figure does not travel.
    uint32_t joint;
    // Displacement of the joint from the first to the last frame, in model space, in units.
    md5_vec3 displacement;
    // Height of the joint above the ground (z = 0) in the first frame, in units.
    float height;
} md5_root_motion;

// Determines which joint carries the root motion of an animation. Engines move a character by joint
// 0, but exporters of motion captures often animate the hips instead. The result is the topmost
// joint that ends farther along x and y from its start than 20 % of the size of the skeleton, that
// carries at least half of the joints, and that does not move along z by more than half of this
// distance, as in a fall. A joint other than joint 0 is not reported if joint 0 moves by more than
// a quarter of its distance, as in a figure that walks and leans. Returns MD5_NONE as the joint if
// no such joint exists, if the parents of joints are unknown, or if memory runs out. The time is
// linear in the size of the animation.
MD5_EDIT_API md5_root_motion md5_find_root_motion(const md5_anim *anim);

// Changes of the root motion of an animation, for md5_edit_root(). Root motion is the part of the
// motion that moves the character.
typedef struct md5_root_edit {
    // Name of the joint that carries the motion, which must be a descendant of joint 0. Joint 0
    // receives the displacement of this joint along x and y since the first frame. If NULL, nothing
    // is changed.
    const char *joint;
    bool moves_height;    // If true, joint 0 also receives the displacement of the joint along z.
    bool moves_heading;   // If true, joint 0 also receives the rotation of the joint around z.
    uint64_t reserved[4]; // must be 0
} md5_root_edit;

// Moves root motion from a joint to joint 0 of an animation, so that games can move the character
// by it. All joints except joint 0 keep their poses in model space, and bounding boxes are
// unchanged; only vertices with weights on joint 0 move along with it. If joint 0 is the hips, add
// a root with md5_edit_joints() first. Returns the number of changed joints. Fails with
// MD5_ERROR_MISMATCH if the joint does not exist or is not a descendant of joint 0.
MD5_EDIT_API uint32_t md5_edit_root(md5_doc *doc, const md5_root_edit *edit, md5_error *error);

// Changes of the frames of an animation, for md5_edit_frames(). They are applied in the order of
// the members.
typedef struct md5_frame_edit {
    // Replaces the joints by the joints of this model, as md5_fix_joints() does. If NULL, the
    // joints are unchanged.
    const md5_model *model;
    // If true, frames contain all components of each joint, as for md5_fix_joints(). The member is
    // used only if `model` is not NULL.
    bool all_components;
    // The frames to keep: index of the first frame, and number of frames. If num_frames is 0, all
    // frames from `first` on are kept.
    uint32_t first, num_frames;
    bool is_reversed; // If true, the order of the kept frames is reversed.
    // Frame rate of the result, in frames per second. If 0, the frame rate is unchanged. The new
    // frames are sampled as by md5_sample(). The last frame remains the last frame, so the duration
    // changes by up to half a frame. If the new rate is a whole multiple of the original rate, the
    // original frames are bit-identical.
    double frame_rate;
    // A function of the caller that may change the pose of each frame. If NULL, poses are not
    // changed. The pose contains the transforms of the joints of `model`, or of the animation if
    // `model` is NULL, relative to their parents. For example, a function that calls
    // md5_mirror_pose() mirrors the animation. The function may be called several times for the
    // same frame, with the same pose.
    void (*change)(void *user, md5_xform *pose);
    void *user; // first argument of change()
    // If true, the last frame becomes equal to the first frame, so that the animation can be played
    // in a loop. The method depends on the result of md5_find_loop(). Either a copy of the first
    // frame is appended, and all other frames are bit-identical; or the last frames are blended
    // towards the first frame, and the frames before them are unchanged. Joint 0 keeps its path
    // along x and y. If a frame is appended, it continues this path by one step.
    bool is_closed;
    // If is_closed is true, the result of md5_find_loop() is written to *loop. If NULL, the result
    // is not written.
    md5_loop *loop;
    // If true, joint 0 has the position of the first frame in all frames, so that the character
    // stays in place.
    bool is_in_place;
    // Tolerance for removing components of frames that hardly change: the largest displacement of
    // the skin that is allowed, in units. If 0, no component is removed. A removed component loses
    // its flag, and the base frame gets its value in the first frame. If `model` is NULL, the skin
    // is assumed to end 1 unit, or the length of the last bone, beyond each chain of joints. The
    // weights of a vertex must sum to 1. Joint 0 keeps its translation.
    float tolerance;
    uint64_t reserved[4]; // must be 0
} md5_frame_edit;

// Applies edits of frames to an animation, for example to cut out a part, to change the frame rate,
// or to close a loop. The bounding box of each new frame is the union of the boxes of the two
// original frames around it, moved with joint 0. Call md5_fix_bounds() to compute exact boxes.
// Returns the number of frames if the frames or the frame rate changed, otherwise the number of
// changed joints. Fails with MD5_ERROR_RANGE if the animation does not have the frames, if the
// result has more than 2^24 frames, or if the rate or the tolerance is negative.
MD5_EDIT_API uint32_t md5_edit_frames(md5_doc *doc, const md5_frame_edit *edit, md5_error *error);

// -- Compatibility with engines -----------------------------------------------------------------

// These functions report which engines reject a file or display it incorrectly. Such a problem is a
// violation of a rule of an engine. Every rule has a name.
//
// A set of engines is a number in which each bit is an engine, or an old version of an engine. The
// following bit is this library; no rule exists for it.
#define MD5_ENGINE_LIBRARY (UINT32_C(1) << 31)

// The engines for which a file is checked. Each member is a set of engines, in which each bit is
// one engine.
typedef struct md5_engines {
    // `all` contains the engines to check. `sure` contains the engines for which the file is
    // certainly intended. A problem with an engine that is not in `sure` is never an error, because
    // the file may be intended for another engine.
    uint32_t all, sure;
} md5_engines;

// Returns the engines that a name selects, as a set with one bit per engine. Examples of names are
// "doom3", "ironwail:0.8.1" (a version of an engine) and "md5model" (this library). The name "all"
// selects this library and the current version of every engine. Returns 0 if the name is unknown.
MD5_EDIT_API uint32_t md5_find_engines(const char *name);

// Writes the names of the engines in a set, separated by commas, and a NUL to text[size], truncated
// to `size`. Returns the length of the full text.
MD5_EDIT_API size_t md5_engine_names(uint32_t engines, char *text, size_t size);

// A diagnostic: a rule of an engine that a file violates, with the location of the first violation.
typedef struct md5_diagnostic {
    // Message and location of the first violation; line 0 means the whole file. The status is
    // MD5_WARNING, unless an engine of the set md5_engines.sure rejects the file or reads memory
    // outside of it.
    md5_error error;
    // Name of the rule. The string is "" for messages of this library.
    char rule[24];
    uint32_t count; // number of violations of the rule in the file
    // If true, the rule does not concern any of the engines for which the file was checked.
    bool is_silent;
    // If true, this library itself also reports a problem on the same line.
    bool is_library_too;
    // Text that lists the reactions of the engines, for example "stops doom3, darkmod; wrong in
    // cube2".
    char engines[360];
    // Text that describes the remedy, for example "use md5tool fix". The pointer is NULL for
    // messages of this library.
    const char *fix;
} md5_diagnostic;

// Describes a rule, so that a program can list all rules. Writes the rule with the index `index`,
// starting at 0, as a diagnostic whose message describes the violation. `engines` selects the
// engines whose reactions are written. Returns false if no rule has this index. A rule that has
// different effects in models and in animations occurs twice.
MD5_EDIT_API bool md5_get_rule(uint32_t index, md5_engines engines, md5_diagnostic *diagnostic);

// A joint of a file that was checked, as in the text.
typedef struct md5_check_joint {
    const char *name;
    // Index of the parent, as in the text. It may be invalid.
    int32_t parent;
    // `line` is the line of the joint in the text. `flags` and `first` are, for animations, the
    // flags of the joint and the index of its first component, as in the text.
    uint32_t line, flags, first;
} md5_check_joint;

// The name of a material in a file that was checked, and the location of the name.
typedef struct md5_check_shader {
    const char *name;
    uint32_t line, column;
} md5_check_shader;

// The result of checking a file against the rules of engines: its diagnostics and some of its
// content. If the file contains a syntax error, only the part before it is checked.
typedef struct md5_check {
    // Name of the file, from md5_load_opts.file_name. It is "" if file_name is NULL.
    const char *file;
    md5_doc_kind kind;
    md5_engines engines; // the engines for which the file was checked
    uint32_t num_joints, num_shaders, num_diagnostics;
    md5_check_joint *joints;     // [num_joints] joints of the file, as in the text
    md5_check_shader *shaders;   // [num_shaders] materials of the meshes
    md5_diagnostic *diagnostics; // [num_diagnostics] diagnostics, in the order of detection
    int32_t num_frames;          // number of frames that the file declares
    // Line of the keyword `bounds` in the text. If 0, the keyword is missing.
    uint32_t bounds_line;
    // Change of scale and rotation that adapts an animation to its model. md5_check_binding()
    // writes it.
    md5_space_edit space;
    md5_internal internal;
} md5_check;

// Checks the text of a model or an animation against the rules of engines. The text may have any
// defects, including those that md5_parse_doc() rejects. `kind` is the kind of the file and
// `engines` selects the engines. `opts` and `error` may be NULL; only the allocator and the
// file_name of `opts` are used. If `text` is NULL, nothing is checked, and the caller can add
// diagnostics to the empty result.
//
// Returns NULL if memory runs out or if the text has 2 GiB or more. Free the result with
// md5_free_check(). Time and memory are linear in the size of the text.
MD5_EDIT_API md5_check *md5_check_doc(md5_doc_kind kind, const void *text, size_t size,
                                      md5_engines engines, const md5_load_opts *opts,
                                      md5_error *error);
MD5_EDIT_API void md5_free_check(md5_check *check); // accepts NULL

// Adds diagnostics about the geometry of a model, such as triangles that face inwards. `check` is
// the result for the text of `model`. The model must be loaded without axes and scale. Returns
// false if memory runs out. The time is linear in the size of the model. For a vertex in a dense
// cloud of vertices, only 64 neighbors are examined.
MD5_EDIT_API bool md5_check_model(md5_check *check, const md5_model *model);

// Returns true if the triangles of a mesh face inwards, so that only the inside of the mesh is
// drawn. The mesh must be closed as a whole; otherwise the result is false.
MD5_EDIT_API bool md5_is_inside_out(const md5_mesh *mesh);

// Adds diagnostics to `clip` about the differences between the joints of an animation (`clip`) and
// the joints of a model (`mesh`). Does nothing if this model was the last one with which the
// animation was compared. Returns the number of added diagnostics, or MD5_NONE if memory runs out.
// The time is the time to sort the names of the joints.
MD5_EDIT_API uint32_t md5_check_pair(const md5_check *mesh, md5_check *clip);

// Checks if an animation has the size and the direction of its model. If an exporter has scaled or
// rotated only one of them, the model collapses or is drawn rotated. Returns false if memory runs
// out. The time is linear in the number of joints, plus the time to sort the lengths of the bones.
//
// Size. The lengths of the bones of the animation are compared with the lengths in the model. The
// factor is the median of the ratios of these lengths. A diagnostic is added if the factor is the
// same in all examined frames (16 frames of a long animation) and one of the following conditions
// is true:
//
// - At least 5 bones exist, the factor differs from 1 by more than 5 %, and 80 % of the bones are
//   within 2 % of the factor.
// - The factor differs from 1 by more than 20 %, and at least 5 bones exist that are not children
//   of a root.
//
// Direction. The animation is rotated if, in the examined frames, its root differs from the bind
// pose by the same multiple of 90 degrees, within 1 degree, and the bones below the root do too.
// This is examined only for models with more than 5 joints. The result is written to check->space.
// md5_check_turns() adds the diagnostic.
MD5_EDIT_API bool md5_check_binding(md5_check *check, const md5_binding *clip);

// Adds a diagnostic about animations that are rotated relative to their model. `clips` are all
// animations of one model, after a call of md5_check_binding() for each. The diagnostic is added to
// the first rotated animation if exactly one animation is rotated, or if all animations are rotated
// in the same way. If several, but not all, are rotated, they may be intended to start in another
// direction, and no diagnostic is added. Returns false if memory runs out.
MD5_EDIT_API bool md5_check_turns(md5_check *const *clips, size_t num_clips);

// Adds a diagnostic of the caller. `rule` is the name of a rule, `line` and `column` are the
// location, and `text` is the message. The array md5_check.diagnostics may move. Returns false if
// memory runs out.
MD5_EDIT_API bool md5_add_diagnostic(md5_check *check, const char *rule, uint32_t line,
                                     uint32_t column, const char *text);

// == Automatic weights ===========================================================================
//
// Automatic weights attach a mesh without weights to the joints of a skeleton. Use them for meshes
// from a scanner or a sculpting program, or for meshes of a game whose skeleton is lost.
//
// The mesh is divided into voxels, which are small cubes. For each joint, the distances from its
// bones are measured along paths inside the mesh. Therefore a hand next to a hip is not attached to
// the hip. The method is from Dionne and de Lasa, "Geodesic Voxel Binding for Production Character
// Meshes", 2013; md5/edit/weights.c describes the differences.
//
// The result has the form of .md5mesh files: joints, biases and positions in the space of joints.
// The command `md5tool bind` writes such a file.

// Arguments of md5_create_weights(): the mesh and the skeleton. Members after `bind` are optional:
// a value of 0 selects the default.
typedef struct md5_weights_desc {
    // [num_positions] Positions of the vertices, in model space, from -1e9 to 1e9.
    const md5_vec3 *positions;
    uint32_t num_positions; // number of elements of `positions`, at least 1
    // [3 * num_triangles] Vertices of the triangles, as indices of positions. The orientation of
    // triangles has no effect.
    const uint32_t *indices;
    // Number of triangles. If it is 0, the volume of the mesh is computed from the positions only.
    uint32_t num_triangles;
    // The skeleton to which the mesh is attached.
    const md5_skeleton *skeleton;
    // [num_joints] Bind pose in model space. The matrices must consist of rotations and
    // translations.
    const md5_mat34 *bind;

    // [num_joints] true for joints that must not receive weights. If NULL, every joint can receive
    // weights.
    const bool *excluded;
    // Number of voxels (small cubes) along the longest side of the mesh, 4 to 256. 0 means 64.
    uint32_t resolution;
    // Largest number of weights per vertex, 1 to 16. 0 means 4.
    uint32_t max_influences;
    // Number of times that weights are smoothed along the edges of the mesh, 1 to 64. 0 means 3.
    uint32_t smoothing;
    bool no_smoothing; // If true, weights are not smoothed.
    // Rate at which the influence of a joint decreases with the distance, 0 to 1; see
    // md5_create_weights(). The value 0 means 1, MD5_EXPLICIT_ZERO means 0.
    float falloff;
    uint64_t reserved[4]; // must be 0
} md5_weights_desc;

// The weights that md5_create_weights() computed for one mesh, in one memory block.
typedef struct md5_weights {
    uint32_t num_vertices; // number of vertices, which is num_positions of the arguments
    // [num_vertices] Each vertex has at least one weight. Vertices at equal positions share their
    // weights.
    const md5_vertex *vertices;
    uint32_t num_weights;
    // [num_weights] For each vertex the largest bias is first, and the biases sum to 1.
    const md5_weight *weights;
    // Number of voxels (small cubes) that the volume of the mesh consists of.
    uint32_t num_voxels;
    float voxel_size; // side length of a voxel, in units
    // Number of joints that have a bone inside the volume of the mesh. Only these joints receive
    // weights.
    uint32_t num_bound;
    // Number of vertices that no bone reaches on a path inside the mesh.
    uint32_t num_distant;
    size_t size; // size of the weights in memory, in bytes
    md5_internal internal;
} md5_weights;

// Computes the weights of a mesh. `opts` and `error` may be NULL; only the allocator and its limit
// are used. Free the result with md5_destroy_weights().
//
// Volume. The volume consists of the voxels that triangles touch and the voxels that they enclose.
// If the mesh has holes larger than a voxel, the space behind these holes is outside, and paths
// follow the surface.
//
// Bones. A joint has a bone to each of its children. The bone ends where it first leaves the
// volume. A joint without children has one bone, which continues the bone of its parent with the
// same length. A joint outside the volume, such as a root on the floor, has no bones and receives
// no weights.
//
// Distances. Paths connect voxels in 26 directions. If the straight line from the bone to a
// position is inside the volume, the distance is its length. Vertices in parts that no bone
// reaches, such as a separate button, use the straight distance; num_distant is their number.
//
// Weights. A joint at the distance d, divided by the longest side of the mesh, has the influence
//
//   1 / ((1 - falloff) d + falloff d^2)^2
//
// After smoothing, each vertex keeps the `max_influences` largest influences. Influences below
// 1/200 are dropped, and the others are scaled to the sum 1.
//
// Returns NULL with MD5_ERROR_RANGE if a number is out of range, if an index refers to a missing
// position, or if finding the voxels that the triangles touch takes more than 2^26 tests, which
// happens with many large triangles. Returns NULL with MD5_ERROR_MISMATCH if no joint is in the
// volume, and with MD5_ERROR_MEMORY if memory runs out.
//
// Memory: 6 bytes per voxel of the mesh's bounding box, 36 bytes per voxel of the volume, and about
// 16 (max_influences + 4) bytes per position. Time: the number of joints times v log v, where v is
// the number of voxels of the volume; in addition, one line through the voxels for each position
// and influence.
MD5_EDIT_API md5_weights *md5_create_weights(const md5_weights_desc *desc,
                                             const md5_load_opts *opts, md5_error *error);
MD5_EDIT_API void md5_destroy_weights(md5_weights *weights); // accepts NULL

#ifdef __cplusplus
}
#endif

#endif
