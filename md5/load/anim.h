// The builder of clips that store frames.
#ifndef MD5_LOAD_ANIM_H
#define MD5_LOAD_ANIM_H

#include "md5/load/asset.h"

// Builds a clip from a text that stores frames. This is a md5_build_asset function.
bool md5i_build_frames(md5_arena *arena, const char *text, size_t size, void **asset);

#endif
