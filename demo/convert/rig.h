// Reads nodes and skins of a plain scene, selects the nodes that become joints, and converts their
// transforms to MD5's. The main structures are rig_node, rig_joint, rig_skin and convert_rig.
//
// The position of a vertex is a sum over its weights w:
//
//     scene: sum of w * G * I * v    v: the vertex, G: world transform of the joint's node,
//                                    with scale and shear, I: inverse bind matrix of the joint
//     MD5:   sum of w * M * p        p: position of the weight, M: rotation and translation only
//
// Let
//
//     G = M * D      M: rotations multiplied along the hierarchy, and the position of G
//                    D: the residue, without translation
//
// M is in MD5's axes on both sides: a joint without a rotation in the scene has none in MD5. Then
//
//     p = D * I * v
//
// is exact for every pose in which D equals its value in the rest pose. D contains units, scale and
// mirrors above the skeleton, constant scale of joints, and the scale of quantized positions. MD5
// cannot store a D that changes.
#ifndef DEMO_CONVERT_RIG_H
#define DEMO_CONVERT_RIG_H

#include "demo/convert/affine.h"
#include "demo/convert/plain_scene.h"

// -- Names ----------------------------------------------------------------------------------------

// A set of names with a value for each name.
typedef struct rig_names {
    common_text_index index;
    size_t *values; // [index.count]
} rig_names;

// Returns a valid and unique name for MD5 files and engines, of at most `max_size` bytes (more than
// 24). Invalid characters are replaced. If `name` is NULL or empty, it is `missing` and the number.
// `names` contains all names so far; it owns the result.
const char *rig_add_name(rig_names *names, const char *name, size_t max_size, const char *missing,
                         size_t number);

void rig_free_names(rig_names *names);

// -- Rigs -----------------------------------------------------------------------------------------

// Transform of a node at some time, relative to its parent.
typedef struct rig_state {
    double parts[PLAIN_NUM_PARTS][4];
    convert_affine affine;
    convert_quat rotation;
    double inherited_scale[3]; // from the parent, along the axes of the node; see plain_inheritance
} rig_state;

// World transform of a joint: M and G.
typedef struct rig_posed {
    convert_xform pose;   // M
    convert_affine world; // G
} rig_posed;

// A node of the plain scene while joints are selected.
typedef struct rig_node {
    const plain_node *in;
    uint32_t joint;   // or MD5_NONE
    uint32_t depth;   // 1: a root
    bool is_animated; // a clip animates the transform
    bool is_joint;    // the node becomes a joint
    bool has_camera;  // the node or a descendant is a camera
    rig_state rest;
    convert_affine world; // in the rest pose; rig_open() converts it to the output's space
} rig_node;

// A joint of the MD5 skeleton, and the node from which it was created.
typedef struct rig_joint {
    uint32_t node;               // num_nodes - 1: the additional root, if it is needed
    uint32_t parent;             // index less than the joint's index
    uint32_t clip_parent;        // parent in clips: as in rig->model; also less than the index
    const char *name;            // name in MD5
    uint32_t model_joint;        // joint of rig->model with this name, or MD5_NONE
    convert_affine above;        // world transform above the joint's node
    convert_quat above_rotation; // rotation of `above`, in MD5's axes
    bool is_mirrored;            // mirrored by a transform above the skeleton, along x in its space
    bool is_bound;               // `bind` is valid
    convert_affine bind;         // world transform in the bind pose, with scale
    convert_xform bind_pose;
    convert_xform rest_pose;
    convert_affine residue; // D in the rest pose
    convert_affine inverse_residue;
} rig_joint;

// A skin of the plain scene, whose nodes are replaced by joints.
typedef struct rig_skin {
    size_t num_joints;
    uint32_t *joints;              // [num_joints] indices of joints
    convert_affine *inverse_binds; // [num_joints]
    bool *is_weighted;             // [num_joints] moves vertices; all true in a file without meshes
    convert_affine placement;      // from mesh space to the bind pose
    bool is_bound_at_rest;
    bool is_used;
} rig_skin;

// The skeleton of a plain scene: its nodes, joints and skins, and the space of the output.
typedef struct convert_rig {
    plain_scene *plain;
    plain_node origin; // the additional root
    rig_node *nodes;
    uint32_t *order; // [num_nodes] indices of nodes; parents first
    rig_joint *joints;
    rig_skin *skins;
    size_t num_nodes;
    size_t num_joints;
    size_t num_skins;
    bool is_skinned;            // a mesh in the scene has a skin
    bool has_meshes;            // a node in the scene has a mesh
    double unit;                // output units per unit of the file
    convert_affine output;      // from the file's space to the output's space
    convert_affine bone_axes;   // rotation from the file's axes to MD5's, for rotations of joints
    convert_quat from_md5_axes; // the inverse rotation
    rig_names names;            // names of joints that are used

    // A model that was read before, for which the clips are converted, or NULL.
    const md5_model *model;
    double model_unit;      // convert_scene.unit of the model's file
    double model_yaw;       // convert_scene.source_yaw of the model's file
    rig_names model_joints; // joint indices by name
    rig_names shaders;      // names of shaders that are used
} convert_rig;

// Returns the joint of a node or of its nearest ancestor that is a joint, or MD5_NONE.
uint32_t rig_parent_joint(const convert_rig *rig, uint32_t node);

// Returns the first root of the skeleton that no clip moves, or MD5_NONE.
uint32_t rig_find_still_root(const convert_rig *rig);

// Returns the rotation about the vertical axis that the writer of the file recorded, in degrees. If
// the file does not contain it, returns rig->model_yaw.
double rig_source_yaw(const convert_rig *rig);

// Finds and binds the joints. The caller sets `plain`, `model` and the fields after it. Fills the
// scene's error and returns false on failure; the caller must call rig_free() then too.
bool rig_open(convert_rig *rig);
void rig_free(convert_rig *rig);

// Computes `affine` and `rotation` from the parts.
void rig_join_parts(rig_state *state);

// Computes the world transforms posed[num_joints] from the states nodes[num_nodes]. Updates the
// states of joints that do not inherit scale in the usual way.
void rig_pose(const convert_rig *rig, rig_state *nodes, rig_posed *posed);

// Returns D.
convert_affine rig_residue(const rig_posed *posed);

#endif
