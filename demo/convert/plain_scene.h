// The content of a file with nodes, as plain arrays. A reader of a format fills a plain_scene and
// does nothing else; convert_build() makes MD5 files from it.
//
//   file --reader of the format--> plain_scene --rig.c, meshes.c, clips.c--> parts of convert_scene
//
// rig.c selects joints, roots, names, the unit and the bone axes. meshes.c creates meshes and morph
// targets. clips.c selects the frame rate and samples clips and camera paths. Each rule therefore
// exists once for all formats. frames.c replaces these files for models whose vertices are stored
// in every frame, and capture.c prepares motion captures.
//
// The reader sets the axes of its format; the other files convert them. Textures have v = 0 in the
// top row. Triangles are counterclockwise. Indices refer to the arrays of the scene; MD5_NONE means
// none. The reader checks that all numbers are finite and that all indices are valid, except the
// joint indices of vertices, which meshes.c checks. The scene owns its arrays of structures and of
// indices, which plain_free() frees. The reader owns the texts and the arrays of numbers.
#ifndef DEMO_CONVERT_PLAIN_SCENE_H
#define DEMO_CONVERT_PLAIN_SCENE_H

#include "demo/convert/affine.h"
#include "demo/convert/budget.h"

// The parts of a node's transform that tracks can animate separately. A value is x y z, or x y z w
// for a rotation.
typedef enum plain_part {
    PLAIN_TRANSLATION,
    PLAIN_ROTATION,
    PLAIN_SCALE,
    PLAIN_NUM_PARTS,
    // Weights of the morph targets of a node's mesh; only for tracks.
    PLAIN_WEIGHTS = PLAIN_NUM_PARTS,
} plain_part;

// The ways in which a node inherits the scale of its parent. All formats but FBX have one way only.
// R and S are the rotation and the scale of the parent, r and s are the rotation and the scale of
// the node.
typedef enum plain_inheritance {
    PLAIN_INHERIT_SCALE,         // R S r s, the product of the transforms
    PLAIN_INHERIT_SCALE_BY_AXIS, // R r S s: the node is scaled along its own axes
    PLAIN_IGNORE_PARENT_SCALE,   // R r s: without the scale of the parent, but with its inherited
                                 // scale
    PLAIN_NUM_INHERITANCES,
} plain_inheritance;

// A node of the scene. It has a transform relative to its parent, and it places a mesh or a camera.
typedef struct plain_node {
    const char *name;       // or NULL
    const char *joint_name; // name in the MD5 model from which the file was written, or NULL
    const char *bone;       // bone in a human body, by the names of VRM, or NULL
    uint32_t parent;
    uint32_t mesh;
    uint32_t skin;
    uint32_t camera;
    bool is_in_scene;  // part of the selected scene
    bool is_matrix;    // the transform is `matrix` and cannot be animated; otherwise it is `parts`
    double matrix[16]; // column-major
    float *weights;    // [num_weights] default weights of the mesh's morph targets
    size_t num_weights;
    double parts[PLAIN_NUM_PARTS][4];
    plain_inheritance inheritance;
} plain_node;

// A skin: the joints that move the vertices of a mesh, and the bind pose of these joints.
typedef struct plain_skin {
    size_t num_joints; // 0: no mesh of the scene uses the skin
    uint32_t *joints;  // [num_joints] nodes
    // True: the joints are bound in the rest pose of the nodes, and vertices are in the space of
    // the scene. False: inverse_binds defines the bind pose.
    bool is_bound_at_rest;
    const float *inverse_binds; // [num_joints][16] column-major; NULL: identities
} plain_skin;

// The ways in which the corners of a primitive form triangles.
typedef enum plain_mode { PLAIN_TRIANGLES, PLAIN_STRIP, PLAIN_FAN, PLAIN_OTHER } plain_mode;

enum { PLAIN_MAX_SETS = 16 }; // sets of four joints and weights per vertex

// A primitive is the part of a mesh that has one material.
typedef struct plain_primitive {
    plain_mode mode; // PLAIN_OTHER: points or lines, of which only the positions are used
    uint32_t material;
    size_t num_vertices;
    const float *positions;               // [num_vertices][3]; NULL: the primitive is empty
    const float *frames;                  // [num_frames of the scene][num_vertices][3] positions
    const float *texcoords;               // [num_vertices][2]; NULL: all are 0
    double texture[2][3];                 // transform of texture coordinates, rows
    size_t num_sets;                      // sets of joints and weights
    const float *joints[PLAIN_MAX_SETS];  // [num_vertices][4] indices in the joints of the skin
    const float *weights[PLAIN_MAX_SETS]; // [num_vertices][4]
    size_t num_targets;                   // morph targets
    const float **moves; // [num_targets] displacements [num_vertices][3]; NULL: moves no vertex
    uint32_t *indices;   // [num_indices] vertices of the triangles; NULL: 0, 1, 2 ...
    size_t num_indices;
    bool has_normals; // false: flat shading, no two triangles share a normal
    bool has_colors;
} plain_primitive;

// A mesh, which several nodes can place. It has a primitive for each of its materials.
typedef struct plain_mesh {
    const char *name; // or NULL
    plain_primitive *primitives;
    size_t num_primitives;
    const char **target_names; // [num_target_names] of morph targets; texts may be NULL
    size_t num_target_names;

    // Data for the MD5 mesh. Only formats that resemble MD5 and files that were written from MD5
    // contain it.
    const char *md5_name; // may be empty or NULL
    const char *shader;   // shader of primitives without a material, or NULL
    double num_vertices; // the first vertices of the single primitive, which are never merged; or 0
} plain_mesh;

// A material. convert_build() sets its shader. Then the reader adds its appearance to
// convert_scene.materials.
typedef struct plain_material {
    const char *name; // or NULL
    char *shader;     // shader in the MD5 meshes, or NULL if no mesh uses the material
    bool is_flat;     // a mesh with the material has no normals
} plain_material;

// A camera. The node places it; in the space of the node it looks along -z, and y is up.
typedef struct plain_camera {
    bool is_perspective;
    double fov; // horizontal field of view at 4:3, degrees
} plain_camera;

// Interpolation between the keys of a track.
typedef enum plain_keys { PLAIN_LINEAR, PLAIN_STEP, PLAIN_CUBIC, PLAIN_NUM_KINDS } plain_keys;

// The keys of one part of a node's transform, or of the weights of its morph targets.
typedef struct plain_track {
    plain_part part;
    uint32_t node;
    plain_keys kind;
    size_t num_keys;     // at least 1
    size_t width;        // numbers per value
    const float *times;  // [num_keys] seconds, not negative, ascending
    const float *values; // [num_keys][width]; PLAIN_CUBIC: [num_keys][3][width] with both tangents
} plain_track;

// An animation of nodes. It becomes a clip and camera paths.
typedef struct plain_animation {
    const char *name; // or NULL
    double rate;      // frame rate of the clip from which the file was written, Hz; 0: unknown
    plain_track *tracks;
    size_t num_tracks;
    size_t num_skipped; // channels of the file that animate no plain_part
    double *fovs;       // [num_fovs] field of view in each frame of a camera path, degrees
    size_t num_fovs;
} plain_animation;

// A frame of a file with vertex frames, which contains the positions of all vertices in each frame.
typedef struct plain_frame {
    const char *name;
    size_t group; // consecutive frames of one group form a clip; 0: their names select the clip
    double rate;  // frame rate of a clip that begins with the frame, Hz
} plain_frame;

// The content of a file, which a reader has filled.
typedef struct plain_scene {
    const convert_job *job;
    md5_error *error;
    const char *path; // path of the file, for messages

    plain_node *nodes;
    size_t num_nodes;
    uint32_t *order; // [num_nodes] nodes, parents first
    plain_mesh *meshes;
    size_t num_meshes;
    plain_skin *skins;
    size_t num_skins;
    plain_material *materials;
    size_t num_materials;
    plain_camera *cameras;
    size_t num_cameras;
    plain_animation *animations;
    size_t num_animations;

    // Vertex frames. If there are any, each mesh has one primitive, whose `frames` contains the
    // positions. They use MD5's axes, and tracks have one key per frame; see frames.c.
    plain_frame *frames;
    size_t num_frames;

    convert_affine axes; // rotation from the file's axes to MD5's: x forward, y left, z up
    double unit;         // MD5 units per unit of the file; 0: it is guessed from the height
    // The scene is a motion capture, and parents precede their children. convert_build() then
    // selects the rest pose, the axes and the unit. The clips get a separate skeleton even if a
    // model was read before.
    bool is_captured;
    double yaw; // rotation about the vertical axis that the file's writer recorded, degrees
    bool has_yaw;

    common_list memory; // names and arrays of numbers that plain_free() frees
} plain_scene;

// The arrays of vertices that a reader fills. An influence is a joint of the skin with its weight.
typedef struct plain_vertices {
    size_t count;
    size_t num_sets;  // sets of four influences
    float *positions; // [count][3]
    float *texcoords; // [count][2]
    float *joints;    // [num_sets][count][4]
    float *weights;   // [num_sets][count][4]
} plain_vertices;

// The axes of glTF: x left, y up, z forward. convert_identity are the axes of MD5.
extern const convert_affine plain_gltf_axes;

// The axes of SMD and PSK: x left, y back, z up.
extern const convert_affine plain_back_axes;

// Maximum duration of a clip of a file that libassimp reads, in seconds. A longer clip was probably
// read with a wrong unit of time.
enum { PLAIN_MAX_CLIP_SECONDS = 600 };

// Search for the frame rate of the keys of a clip. Initialize it with {0}.
enum { PLAIN_NUM_RATES = 6 };
typedef struct plain_rate_search {
    bool is_excluded[PLAIN_NUM_RATES]; // a key is not at a frame of this common rate
} plain_rate_search;

// Returns true if a time is at a frame, except for the rounding of times in files.
bool plain_is_frame_time(double seconds, double rate);

void plain_add_key_time(plain_rate_search *search, double seconds);

// Returns the lowest common frame rate at which the time of every key is the time of a frame, in
// Hz. Returns 60 if there is no such rate.
double plain_find_rate(const plain_rate_search *search);

// Fills the scene's error. The value of the expression is false.
#define plain_fail(scene, ...) \
    convert_fail((scene)->error, MD5_ERROR_SYNTAX, (scene)->path, __VA_ARGS__)

// Fills the error of the scene of a reader, unless the reader has failed before. Such a reader
// continues after an error, with results that are not used, and reports only the first error. It is
// a structure with the members `plain` and `has_failed`.
#define plain_fail_once(reader, ...)                                                 \
    ((reader)->has_failed = (reader)->has_failed                                     \
                            || !convert_fail((reader)->plain.error, MD5_ERROR_RANGE, \
                                             (reader)->plain.path, __VA_ARGS__))

// Charges elements to the budget. Returns false and fills the scene's error if it is exceeded.
bool plain_charge(const plain_scene *scene, uint64_t count);

// Reads a little-endian float at an offset of the file, which contains it. Fills the scene's error
// and returns false if the number is not from -1e9 to 1e9.
bool plain_read_float(const plain_scene *scene, const uint8_t *bytes, size_t offset, float *number);

// Charges count * width numbers to the budget of memory and allocates them. All numbers are 0.
// Their owner is the scene. Fills the scene's error and returns NULL if the budget is exceeded.
float *plain_allocate_floats(plain_scene *scene, uint64_t count, uint64_t width);

// Charges and allocates the arrays of `count` vertices with up to `max_influences` influences. All
// numbers are 0. The owner of the arrays is the scene. Fills the scene's error and returns false if
// the budget is exceeded.
bool plain_allocate_vertices(plain_scene *scene, size_t count, size_t max_influences,
                             plain_vertices *vertices);

// Stores an influence of a vertex. `influence` is less than `max_influences`.
void plain_set_influence(const plain_vertices *vertices, size_t vertex, size_t influence,
                         float joint, float weight);

// Sets the arrays of a primitive to the vertices in `vertices` from index `first` on.
void plain_set_vertices(plain_primitive *primitive, const plain_vertices *vertices, size_t first);

void plain_free(plain_scene *scene);

// For convert_build(): adds the model, the morph targets and the clips of a scene with frames.
bool plain_build_frames(plain_scene *plain, convert_scene *scene);

// Selects the rest pose, the axes and the unit of a motion capture. Fills the scene's error and
// returns false on failure.
bool plain_orient_capture(plain_scene *plain);

// Returns a root node of the selected scene with no transform and no mesh.
plain_node plain_new_node(void);

// Returns a primitive of triangles with normals, without a material.
plain_primitive plain_new_primitive(size_t num_vertices);

// Adds a primitive to a mesh that has none, with the properties of plain_new_primitive().
plain_primitive *plain_add_primitive(plain_mesh *mesh, size_t num_vertices);

// Sets the joints of a skin to `count` consecutive nodes, beginning with node `first`. The skin is
// bound in their rest pose.
void plain_bind_nodes(plain_skin *skin, uint32_t first, uint32_t count);

// Adds the tracks of a node's translation and rotation: translations[num_keys][3] and
// rotations[num_keys][4].
void plain_add_tracks(plain_animation *animation, uint32_t node, size_t num_keys,
                      const float *times, const float *translations, const float *rotations);

// Sets the order of nodes whose parents precede them.
void plain_set_order(plain_scene *scene);

// Returns a copy of a text as a file name of letters, digits and '_', or NULL if none remains.
char *plain_file_name(const char *text);

// Converts the scene to MD5 and adds the parts to `scene`. They are the model with its morph
// targets, the clips and the camera paths. If `scene` already has a model, clips are adapted to
// that model. Sets the shaders of materials. Fills the scene's error and returns false on failure.
bool convert_build(plain_scene *plain, convert_scene *scene);

#endif
