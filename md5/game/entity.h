// What entities and actors share.
#ifndef MD5_GAME_ENTITY_H
#define MD5_GAME_ENTITY_H

#include "md5/md5game.h"

// Writes the base frame with its root at the origin: what the engine shows for a held frame 1.
void md5i_base_frame_pose(const md5_binding *binding, md5_xform *pose);

#endif
