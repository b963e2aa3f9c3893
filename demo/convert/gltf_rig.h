// Reads nodes and skins of a glTF file, selects the nodes that become joints, and converts their
// transforms to MD5's. The main structures are gltf_node, gltf_joint, gltf_skin and gltf_rig.
//
// glTF: vertex = sum w * G * I * v. G is the world transform of a joint's node, with scale and
// shear, and I is its inverse bind matrix. MD5: vertex = sum w * M * p. M consists of rotation and
// translation only. Let
//
//     G = M * D      M: rotations multiplied along the hierarchy, and the position of G
//                    D: the residue, without translation
//
// (M is in id's axes on both sides: a joint without a rotation in glTF has none in MD5.) Then
// p = D * I * v is exact for every pose in which D equals its value in the rest pose. D contains
// units, scale and mirrors above the skeleton, constant scale of joints, and the scale of quantized
// positions. MD5 cannot store a D that changes.
#ifndef DEMO_CONVERT_GLTF_RIG_H
#define DEMO_CONVERT_GLTF_RIG_H

#include "demo/convert/gltf_file.h"

// -- Names ----------------------------------------------------------------------------------------

// Returns a valid and unique name for MD5 files and engines, of at most `max_size` bytes (more than
// 24). Invalid characters are replaced. If `name` is NULL or empty, it is `missing` and the number.
// `names` is an object with all names so far; it owns the result.
const char *gltf_name(json_t *names, const char *name, size_t max_size, const char *missing,
                      size_t number);

// -- Rigs -----------------------------------------------------------------------------------------

// An affine transform by columns; the last column is the translation.
typedef struct gltf_affine {
    convert_vec c[4];
} gltf_affine;

// Components of a node's transform, which clips animate: x y z, or x y z w of a rotation.
typedef enum gltf_part { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE, GLTF_NUM_PARTS } gltf_part;
extern const char *const gltf_parts[GLTF_NUM_PARTS]; // names of the components

// Transform of a node at some time, relative to its parent.
typedef struct gltf_state {
    double parts[GLTF_NUM_PARTS][4];
    gltf_affine affine;
    convert_quat rotation;
} gltf_state;

// World transform of a joint: M and G.
typedef struct gltf_posed {
    convert_xform pose; // M
    gltf_affine world;  // G
} gltf_posed;

typedef struct gltf_node {
    const char *name; // or NULL
    uint32_t parent;  // MD5_NONE: a root
    uint32_t mesh;    // or MD5_NONE
    uint32_t skin;    // or MD5_NONE
    uint32_t camera;  // or MD5_NONE
    uint32_t joint;   // or MD5_NONE
    uint32_t child;   // first child, or MD5_NONE
    uint32_t next;    // next sibling, or MD5_NONE
    uint32_t depth;   // 1: a root
    bool is_in_scene;
    bool is_animated; // a clip animates the transform
    bool is_hidden;   // by KHR_node_visibility
    bool is_matrix;   // the transform is a matrix, which clips cannot animate
    bool is_joint;    // the node becomes a joint
    bool has_camera;  // the node or a descendant is a camera
    gltf_state rest;
    gltf_affine world; // in the rest pose; gltf_open_rig() converts it to the output's space
} gltf_node;

typedef struct gltf_joint {
    uint32_t node;               // num_nodes - 1: the additional root, if it is needed
    uint32_t parent;             // index less than the joint's index
    const char *name;            // name in MD5
    gltf_affine above;           // world transform above the joint's node
    convert_quat above_rotation; // rotation of `above`, in id's axes
    bool is_mirrored;            // mirrored by a transform above the skeleton, along x in its space
    bool is_bound;               // `bind` is valid
    gltf_affine bind;            // world transform in the bind pose, with scale
    convert_xform bind_pose;
    convert_xform rest_pose;
    gltf_affine residue; // D in the rest pose
    gltf_affine inverse_residue;
} gltf_joint;

typedef struct gltf_skin {
    size_t num_joints;
    uint32_t *joints;           // [num_joints] indices of joints
    gltf_affine *inverse_binds; // [num_joints]
    bool *is_weighted;          // [num_joints] moves vertices; all true in a file without meshes
    gltf_affine placement;      // from mesh space to the bind pose
    bool is_used;
} gltf_skin;

typedef struct gltf_rig {
    gltf_file *file;
    gltf_node *nodes;
    uint32_t *order; // [num_nodes] indices of nodes; parents first
    gltf_joint *joints;
    gltf_skin *skins;
    size_t num_nodes;
    size_t num_joints;
    size_t num_skins;
    bool is_skinned;    // a mesh in the scene has a skin
    bool has_meshes;    // a node in the scene has a mesh
    double unit;        // output units per unit of the file
    gltf_affine output; // from the file's space to the output's space
    json_t *names;      // names of joints that are used

    // A model that was read before, for which the clips are converted, or NULL.
    const md5_model *model;
    double model_unit;    // convert_scene.unit of the model's file
    double model_yaw;     // convert_scene.source_yaw of the model's file
    json_t *model_joints; // joint indices by name
    json_t *shaders;      // names of the scene's materials, for gltf_name(), or NULL
} gltf_rig;

// Returns the joint of a node or of its nearest ancestor that is a joint, or MD5_NONE.
uint32_t gltf_parent_joint(const gltf_rig *rig, uint32_t node);

// Returns the path that a channel of an animation moves, or NULL, and its node, or MD5_NONE.
// Supports KHR_animation_pointer.
const char *gltf_target(const gltf_rig *rig, const json_t *channel, uint32_t *node);

// Returns the data that gltf_write.c stored in an object's extras, or NULL.
const json_t *gltf_extras(const json_t *object);

// Returns the rotation about the vertical axis that the writer of the file recorded, in degrees. If
// the file does not contain it, returns rig->model_yaw.
double gltf_source_yaw(const gltf_rig *rig);

// Finds and binds the joints. The caller sets `model` and the fields after it. Fills the file's
// error and returns false on failure; the caller must call gltf_free_rig() then too.
bool gltf_open_rig(gltf_rig *rig, gltf_file *file);
void gltf_free_rig(gltf_rig *rig);

// Computes `affine` and `rotation` from the parts.
void gltf_join_parts(gltf_state *state);

// Computes the world transforms posed[num_joints] from the states nodes[num_nodes].
void gltf_pose(const gltf_rig *rig, const gltf_state *nodes, gltf_posed *posed);

// Returns D.
gltf_affine gltf_residue(const gltf_posed *posed);

gltf_affine gltf_mul(const gltf_affine *a, const gltf_affine *b);
convert_vec gltf_point(const gltf_affine *a, convert_vec v);
double gltf_determinant(const gltf_affine *a);

// Returns the rotation that is nearest to a transform, by Newton's iteration for the polar
// decomposition (Higham 1986). A transform with a mirror is mirrored along x first. Returns the
// identity if the transform is singular.
convert_quat gltf_rotation(const gltf_affine *a);
gltf_affine gltf_from_xform(convert_xform t);

#endif
