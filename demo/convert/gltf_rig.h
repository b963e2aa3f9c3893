// Nodes, skins and joints of a glTF file, and what becomes of them in MD5.
//
// glTF: vertex = sum w * G * I * v, with G a joint's node in the world, which may scale and shear,
// and I its inverse bind. MD5: vertex = sum w * M * p, where M only turns and moves. With
//
//     G = M * D      M: rotations multiplied along the hierarchy, the position of G; D: the rest
//
// (M is in id's axes on both sides: a joint that glTF does not turn is not turned in MD5.) Then
// p = D * I * v is exact for every pose in which D is what it is in the rest pose: units, scale and
// mirrors above the skeleton, constant scale of joints and quantized positions are all in it. A D
// that changes is what MD5 cannot say.
#ifndef DEMO_CONVERT_GLTF_RIG_H
#define DEMO_CONVERT_GLTF_RIG_H

#include "demo/convert/gltf_file.h"

// -- Names ----------------------------------------------------------------------------------------

// Returns a name, which may be NULL, in at most `longest` bytes, more than 24, and without what MD5
// files or engines do not take; instead of none `missing` and a number; unique among `names`, an
// object that has those that were given, and as long as which it lives.
const char *gltf_name(json_t *names, const char *name, size_t longest, const char *missing,
                      size_t number);

// -- Rigs -----------------------------------------------------------------------------------------

typedef struct gltf_affine { // columns; the last one is the translation
    convert_vec c[4];
} gltf_affine;

// What a node's transform has, and clips replace: x y z, or a rotation's x y z w.
typedef enum gltf_part { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE, GLTF_NUM_PARTS } gltf_part;
extern const char *const gltf_parts[GLTF_NUM_PARTS]; // their names

typedef struct gltf_state { // of a node at some time, relative to its parent
    double parts[GLTF_NUM_PARTS][4];
    gltf_affine affine;
    convert_quat rotation;
} gltf_state;

typedef struct gltf_posed { // a joint: M and G
    convert_xform pose;
    gltf_affine world;
} gltf_posed;

typedef struct gltf_node {
    const char *name;                           // NULL: it has none
    uint32_t parent, mesh, skin, camera, joint; // MD5_NONE: none
    uint32_t child, next;          // the first one, and that behind the node of its parent
    uint32_t depth;                // 1: a root
    bool is_in_scene, is_animated; // animated: its transform, by some clip
    bool is_hidden;                // by KHR_node_visibility
    bool is_matrix, is_joint;      // joint: it becomes one
    bool has_camera;               // it is one, or one is below
    gltf_state rest;
    gltf_affine world; // in the rest pose, in the space of the output
} gltf_node;

typedef struct gltf_joint {
    uint32_t node;     // num_nodes - 1: perhaps that which was added
    uint32_t parent;   // comes before
    const char *name;  // as MD5 has it
    gltf_affine above; // of a root: where its node is
    convert_quat turn; // the rotation of `above`
    bool is_mirrored;  // there is a mirror above the skeleton, along x in its space
    bool is_bound;     // `bind` is known
    gltf_affine bind;  // with scale
    convert_xform bind_pose;
    convert_xform rest_pose;
    gltf_affine residue, inverse_residue; // D in the rest pose; without translation
} gltf_joint;

typedef struct gltf_skin {
    size_t num_joints;
    uint32_t *joints;           // [num_joints] numbers of joints
    gltf_affine *inverse_binds; // [num_joints]
    bool *is_weighted;          // [num_joints] moves vertices; those of a skin of no mesh all do
    gltf_affine place;          // mesh space to the bind pose
    bool is_used;
} gltf_skin;

typedef struct gltf_rig {
    gltf_file *file;
    gltf_node *nodes;
    uint32_t *order; // [num_nodes] parents first
    gltf_joint *joints;
    gltf_skin *skins;
    size_t num_nodes;
    size_t num_joints;
    size_t num_skins;
    bool is_skinned, has_meshes; // in the scene
    double unit;                 // of the output in one of the file
    gltf_affine output;          // from the file's space to that of the output
    json_t *names;               // of joints
    // The model that clips are for, which was read before, or NULL; of its file, if that was glTF:
    const md5_model *model;
    double model_unit;
    double model_turn;
    json_t *model_joints; // their numbers by their names
    json_t *shaders;      // of the scene's materials, as names that were given; or NULL
} gltf_rig;

// The joint that a node is or is below; MD5_NONE if there is none.
uint32_t gltf_parent_joint(const gltf_rig *rig, uint32_t node);

// What a channel of an animation moves, also by KHR_animation_pointer: a node, or MD5_NONE, and
// what of it, or NULL.
const char *gltf_target(const gltf_rig *rig, const json_t *channel, uint32_t *node);

// What md5model wrote into an object's extras, or NULL.
const json_t *gltf_extras(const json_t *object);

// How the writer of the file has turned it, in degrees; that of the model if the file does not say.
double gltf_turn(const gltf_rig *rig);

// Finds joints and binds them. `model` and what follows are set before. Returns false and says why;
// free it then too.
bool gltf_open_rig(gltf_rig *rig, gltf_file *file);
void gltf_free_rig(gltf_rig *rig);

// Computes `affine` and `rotation` of the parts, of which a clip may have replaced some.
void gltf_join_parts(gltf_state *state);

// Computes posed[num_joints] of nodes[num_nodes].
void gltf_pose(const gltf_rig *rig, const gltf_state *nodes, gltf_posed *posed);

// D, of M and G.
gltf_affine gltf_residue(const gltf_posed *posed);

gltf_affine gltf_mul(const gltf_affine *a, const gltf_affine *b);
convert_vec gltf_point(const gltf_affine *a, convert_vec v);
double gltf_determinant(const gltf_affine *a);

// The rotation that is nearest to a map, by Newton's iteration for the polar decomposition (Higham
// 1986). Of one that mirrors, that of the map after a mirror along x. None if it flattens.
convert_quat gltf_rotation(const gltf_affine *a);
gltf_affine gltf_from_xform(convert_xform t);

#endif
