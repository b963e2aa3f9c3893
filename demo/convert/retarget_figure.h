// Figures: skeletons whose joints have roles in the human body, such as the left thigh. The files
// retarget*.c share them.
#ifndef DEMO_CONVERT_RETARGET_FIGURE_H
#define DEMO_CONVERT_RETARGET_FIGURE_H

#include "demo/convert/retarget.h"

// -- Roles (retarget_roles.c) ---------------------------------------------------------------------

// Parts of the body. The fingers begin with BODY_THUMB.
enum {
    BODY_HIPS,
    BODY_SPINE,
    BODY_NECK,
    BODY_HEAD,
    BODY_CLAVICLE,
    BODY_UPPER_ARM,
    BODY_FOREARM,
    BODY_HAND,
    BODY_THIGH,
    BODY_SHIN,
    BODY_FOOT,
    BODY_TOE,
    BODY_THUMB
};
enum { BODY_NUM_FINGERS = 5, BODY_NUM_PARTS = BODY_THUMB + BODY_NUM_FINGERS };

// A role is a part of the body on one side. Its number is 2 * part + side, and the side is 0 for
// left and 1 for right. The parts up to BODY_HEAD are in the middle of the body and have side 0.
enum { RETARGET_NUM_ROLES = 2 * BODY_NUM_PARTS };

// A chain of joints from parent to child, such as a spine. Its rotations are distributed over the
// chain of the other skeleton, which can have another number of joints.
enum { RETARGET_MAX_CHAIN = 64 };
typedef struct retarget_chain {
    uint32_t first; // or MD5_NONE
    uint32_t last;  // or MD5_NONE
} retarget_chain;

// Selects joints whose bones get the direction of the source's bones. The other joints get only the
// rotations of the source, so the directions differ if the rest poses do.
typedef enum retarget_alignment {
    ALIGN_NEVER = -1,
    ALIGN_LIMBS = 0,
    ALIGN_ALWAYS = 1
} retarget_alignment;

// A joint of the source or of the target. The second group of fields is used for joints of the
// target.
typedef struct retarget_joint {
    uint32_t depth;
    char base_name[64]; // name in lower case, without prefix, side and numbers
    int side;           // 0 left, 1 right, -1 neither
    bool is_helper;
    bool is_preferred; // in the part of the skeleton that the current role prefers
    uint32_t load;     // number of weights of vertices that the joint and its descendants have
    uint32_t leader;   // joint with which this joint moves rigidly, or MD5_NONE

    // Target only: the joints of the source whose rotations are interpolated to rotate this joint.
    uint32_t low; // or MD5_NONE
    uint32_t high;
    float fraction;           // interpolation factor from low to high
    bool is_mapped;           // a map defines the pair; in the source: must not rotate a joint
    retarget_alignment align; // ALIGN_LIMBS aligns the bone only if it is a limb
    bool is_chained;          // part of a chain with another length in the source
    bool is_idle;             // no joint of the source moves this joint
} retarget_joint;

// The source or the target, with the joints of its roles. If a role is missing, its chain is empty.
typedef struct retarget_figure {
    const md5_model *model;
    const md5_skeleton *skeleton; // skeleton of the model
    retarget_joint *joints;       // [num_joints]
    md5_xform *rest;              // [num_joints] bind pose, model space
    retarget_chain roles[RETARGET_NUM_ROLES];
    uint32_t pelvis;  // common ancestor of the thighs
    uint32_t body;    // common ancestor of pelvis and chest
    md5_quat space;   // rotation to a space with x forward, y left and z up
    const char *path; // path of the file, for messages about a map, or NULL
} retarget_figure;

extern const md5_quat retarget_no_rotation;

// Returns the parent of a joint, or MD5_NONE for a root and for MD5_NONE.
uint32_t retarget_parent_joint(const retarget_figure *figure, uint32_t joint);

// Returns the deepest common ancestor of two joints, or MD5_NONE. A joint counts as its own
// ancestor.
uint32_t retarget_common_parent(const retarget_figure *figure, uint32_t a, uint32_t b);

// Lists the joints of a chain from the first to the last. Returns their number, or 0 if the last
// joint is not a descendant of the first, or if the chain has more than RETARGET_MAX_CHAIN joints.
uint32_t retarget_list_chain(const retarget_figure *figure, retarget_chain chain,
                             uint32_t joints[RETARGET_MAX_CHAIN]);

// Returns the vector between two joints in a pose, in the axes of figure->space. joints[] are the
// transforms of all joints in model space.
md5_vec3 retarget_bone_vector(const retarget_figure *figure, const md5_xform *joints, uint32_t from,
                              uint32_t to);

// Returns the length of a part of a limb, from a role to the next role, or 0 if a joint is missing.
float retarget_bone_length(const retarget_figure *figure, int role);

// Returns the direction from the right to the left of the body in a pose, in the axes of
// figure->space. It is the sum of two unit vectors: between the upper arms, and between the thighs.
// A vector with a missing limb is omitted.
md5_vec3 retarget_left_direction(const retarget_figure *figure, const md5_xform *joints);

// Creates a figure and finds roles by the names of joints. retarget_complete_figure() must be
// called afterwards to find the roles that follow from the hierarchy. `space` is used if the limbs
// do not indicate the axes. `part` is the file of the skeleton, or NULL if it declares no bones.
retarget_figure retarget_create_figure(const md5_model *model, const convert_part *part,
                                       md5_quat space);

// Finds the roles that follow from the hierarchy, such as the spine, and the axes of the figure.
void retarget_complete_figure(retarget_figure *figure);

void retarget_free_figure(retarget_figure *figure);

// -- Pairs of joints (retarget_pairs.c) -----------------------------------------------------------

// Distributes the rotations of a source chain over a target chain, which can have another number of
// joints. Joints that a map defines are not changed. Returns true if both chains exist.
bool retarget_pair_chains(const retarget_figure *source, const retarget_figure *target,
                          retarget_chain from, retarget_chain to);

// Pairs the joints of both skeletons by their roles, such as the left knee. If too few roles exist
// in both skeletons and the user gave no map, removes the pairs again and returns false. The caller
// then pairs joints only by equal names.
bool retarget_pair_joints(const retarget_figure *source, const retarget_figure *target,
                          bool is_captured, bool has_map);

// Creates the retarget of the library from the pairs. Sets is_idle of the target's joints that the
// retarget does not move. Returns NULL on failure.
md5_retarget *retarget_create(const retarget_figure *source, retarget_figure *target,
                              md5_error *error);

// -- Maps (retarget_map.c) ------------------------------------------------------------------------

// Reads job->map, and then job->pairs, which may replace pairs of the map.
bool retarget_read_map(const convert_job *job, retarget_figure *const figures[2], md5_error *error);

// Prints the pairs in the form of a map.
void retarget_print_map(FILE *file, const retarget_figure *source, const retarget_figure *target);

#endif
