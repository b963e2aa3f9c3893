// What models need of meshes and animations. Each file is read once.
#ifndef MD5_GAME_MODEL_ASSETS_H
#define MD5_GAME_MODEL_ASSETS_H

#include "md5/game/game.h"

typedef struct md5_mesh_asset {
    const char *file; // as it was asked for first
    uint32_t num_joints;
    const md5_joint *joints; // [num_joints]
    const uint32_t *numbers; // [num_joints] 0, 1, 2 ...: the joints of the channel of all
} md5_mesh_asset;

typedef struct md5_anim_asset {
    const char *file;
    uint32_t num_frames, milliseconds;
} md5_anim_asset;

// Return NULL if there is no such file, or if it is broken; or, with the context's error set, if
// memory runs out.
const md5_mesh_asset *md5i_find_mesh_asset(md5_game *game, const char *file);
const md5_anim_asset *md5i_find_anim_asset(md5_game *game, const char *file);

#endif
