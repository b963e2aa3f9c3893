// Animations of a glTF file as clips of MD5, which have a frame for each moment.
#ifndef DEMO_CONVERT_GLTF_CLIP_H
#define DEMO_CONVERT_GLTF_CLIP_H

#include "demo/convert/gltf_mesh.h"

// Adds all clips, and one of the rest pose if that is not the bind pose. `model` is that of the
// scene, for bounds, or NULL. Returns false and says why, also if scale that MD5 cannot say moves
// vertices too far and the job is not forced.
bool gltf_add_clips(const gltf_meshes *meshes, const md5_model *model, convert_scene *scene);

#endif
