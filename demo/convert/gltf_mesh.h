// Converts meshes and morph targets of a glTF file to MD5 meshes, and its animations to clips and
// camera paths. The main structure is gltf_meshes, the MD5 document of the file's scene.
#ifndef DEMO_CONVERT_GLTF_MESH_H
#define DEMO_CONVERT_GLTF_MESH_H

#include "demo/convert/gltf_rig.h"

// The weights of an MD5 mesh, displaced by a morph target.
typedef struct gltf_moved {
    char *target;        // name of the morph target, from gltf_target_name()
    uint32_t mesh;       // index of the mesh
    md5_weight *weights; // [num_weights of the mesh]
} gltf_moved;

typedef struct gltf_meshes {
    gltf_rig *rig;
    md5_doc model;
    gltf_moved *moved; // [num_moved] grouped by mesh
    size_t num_moved;
    const char **shaders; // [materials of the file] shader of the material, or NULL if it is unused
    bool *is_flat;        // [materials of the file] a mesh with the material has no normals
    json_t *names;        // names of meshes that are used
    json_t *shader_names; // names of shaders that are used
    size_t num_flat;      // primitives without normals
    size_t num_colored;   // primitives with vertex colors
} gltf_meshes;

// Return the object of a material that contains its base color, by the standard or by the older
// extension KHR_materials_pbrSpecularGlossiness, or the texture of the base color. NULL if missing.
const json_t *gltf_color(const json_t *material);
const json_t *gltf_color_texture(const json_t *material);

// Reads the meshes of the scene. Fills the file's error and returns false on failure; the caller
// must call gltf_free_meshes() then too.
bool gltf_read_meshes(gltf_rig *rig, gltf_meshes *meshes);
void gltf_free_meshes(gltf_meshes *meshes);

// Adds each morph target as a model. Targets of several meshes with the same name become one
// target.
bool gltf_add_targets(const gltf_meshes *meshes, convert_scene *scene);

// Adds all clips, camera paths, and a clip of the rest pose if it differs from the bind pose.
// `model` is the model of the scene, for bounds, or NULL. Fills the file's error and returns false
// on failure. Scale, which MD5 cannot store, is a failure if it moves vertices too far and the job
// is not forced.
bool gltf_add_clips(const gltf_meshes *meshes, const md5_model *model, convert_scene *scene);

// Returns the name of a node's morph target as a file name. The caller frees it.
char *gltf_target_name(const gltf_rig *rig, uint32_t node, size_t target);

// Returns a copy of a text as a file name of letters, digits and '_', or NULL if none remains.
char *gltf_file_name(const char *text);

#endif
