// Meshes and morph targets of a glTF file as MD5 meshes.
#ifndef DEMO_CONVERT_GLTF_MESH_H
#define DEMO_CONVERT_GLTF_MESH_H

#include "demo/convert/gltf_rig.h"

// Where an MD5 mesh comes from: a primitive of a node's mesh.
typedef struct gltf_origin {
    uint32_t node, material;   // MD5_NONE: without material
    const json_t *targets;     // its morph targets, or NULL
    size_t num_targets;        // also those that move nothing here
    uint32_t *vertices;        // [num_vertices] of the primitive
    const gltf_affine **bases; // [num_weights] what takes a vertex to the joint's space
} gltf_origin;

typedef struct gltf_meshes {
    gltf_rig *rig;
    md5_doc model;
    gltf_origin *origins; // [model.num_meshes]
    gltf_affine **bases;  // [num_bases] arrays that origins point into
    size_t num_bases;
    const char **shaders;         // [materials of the file] NULL: no mesh has it
    json_t *names, *shader_names; // of meshes; of shaders
} gltf_meshes;

// Reads the scene's meshes. Returns false and says why; free them then too.
bool gltf_read_meshes(gltf_rig *rig, gltf_meshes *meshes);
void gltf_free_meshes(gltf_meshes *meshes);

// Adds each morph target as a model. The same name in several meshes is one target.
bool gltf_add_targets(const gltf_meshes *meshes, convert_scene *scene);

// Returns the name of a node's morph target, as that of a file; free() it.
char *gltf_target_name(const gltf_rig *rig, uint32_t node, size_t target);

// A text as the name of a file: lower-case letters, digits and _; a copy. NULL: none is left.
char *gltf_file_name(const char *text);

#endif
