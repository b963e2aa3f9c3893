// Converts meshes and morph targets of a plain scene to MD5 meshes, and its animations to clips and
// camera paths. The main structure is rig_meshes, the MD5 document of the scene.
#ifndef DEMO_CONVERT_MESHES_H
#define DEMO_CONVERT_MESHES_H

#include "demo/convert/rig.h"

// The weights of an MD5 mesh, displaced by a morph target.
typedef struct rig_moved {
    char *target;        // name of the morph target, from rig_target_name()
    uint32_t mesh;       // index of the mesh
    md5_weight *weights; // [num_weights of the mesh]
} rig_moved;

// The meshes of a scene as an MD5 model, and the results that are not part of it.
typedef struct rig_meshes {
    convert_rig *rig;
    md5_doc model;
    rig_moved *moved; // [num_moved] grouped by mesh
    size_t num_moved;
    common_text_index targets; // names of the morph targets of all primitives
    bool lacks_targets;        // some are not in `moved`, because they exceed the budget
    rig_names names;           // names of meshes that are used
    size_t num_flat;           // primitives without normals
    size_t num_colored;        // primitives with vertex colors
} rig_meshes;

// Converts the meshes of the scene. Fills the scene's error and returns false on failure; the
// caller must call rig_free_meshes() then too.
bool rig_convert_meshes(convert_rig *rig, rig_meshes *meshes);
void rig_free_meshes(rig_meshes *meshes);

// Adds each morph target as a model. Targets of several meshes with the same name become one
// target. If the remaining budget does not suffice for all of them, skips all of them with a note,
// and removes the weights from scene->weights[first_weights] on, which belong to them.
bool rig_add_targets(const rig_meshes *meshes, convert_scene *scene, size_t first_weights);

// Adds all clips, camera paths, and a clip of the rest pose if it differs from the bind pose.
// `model` is the model of the scene, for bounds, or NULL. Fills the scene's error and returns false
// on failure. MD5 cannot store scale. If scale moves vertices too far, this is a failure, unless
// the job is forced.
bool rig_add_clips(const rig_meshes *meshes, const md5_model *model, convert_scene *scene);

// Returns the name of a node's morph target as a file name. The caller frees it.
char *rig_target_name(const convert_rig *rig, uint32_t node, size_t target);

#endif
