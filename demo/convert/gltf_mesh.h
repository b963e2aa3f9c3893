// Meshes and morph targets of a glTF file as MD5 meshes; animations as clips and camera paths.
#ifndef DEMO_CONVERT_GLTF_MESH_H
#define DEMO_CONVERT_GLTF_MESH_H

#include "demo/convert/gltf_rig.h"

// The weights of an MD5 mesh as a morph target of its own moves them.
typedef struct gltf_moved {
    char *target; // as gltf_target_name() has it
    uint32_t mesh;
    md5_weight *weights; // [num_weights of the mesh]
} gltf_moved;

typedef struct gltf_meshes {
    gltf_rig *rig;
    md5_doc model;
    gltf_moved *moved; // [num_moved] grouped by mesh
    size_t num_moved;
    const char **shaders;         // [materials of the file] NULL: no mesh has it
    bool *is_flat;                // [materials of the file]
    json_t *names, *shader_names; // of meshes; of shaders
    size_t num_flat, num_colored; // primitives without normals; with colors of vertices
} gltf_meshes;

// What of a material has its base color, by the standard or the extension that was before; the
// texture of that. NULL: nothing.
const json_t *gltf_color(const json_t *material);
const json_t *gltf_color_texture(const json_t *material);

// Reads the scene's meshes. Returns false and says why; free them then too.
bool gltf_read_meshes(gltf_rig *rig, gltf_meshes *meshes);
void gltf_free_meshes(gltf_meshes *meshes);

// Adds each morph target as a model. The same name in several meshes is one target.
bool gltf_add_targets(const gltf_meshes *meshes, convert_scene *scene);

// Adds all clips, one of the rest pose if that is not the bind pose, and the paths of cameras.
// `model` is that of the scene, for bounds, or NULL. Returns false and says why, also if scale that
// MD5 cannot say moves vertices too far and the job is not forced.
bool gltf_add_clips(const gltf_meshes *meshes, const md5_model *model, convert_scene *scene);

// Returns the name of a node's morph target, as that of a file; free() it.
char *gltf_target_name(const gltf_rig *rig, uint32_t node, size_t target);

// A text as the name of a file: letters, digits and _; a copy. NULL: none is left.
char *gltf_file_name(const char *text);

#endif
