// Which points of a mesh are the same.
#ifndef MD5_SKIN_WELD_H
#define MD5_SKIN_WELD_H

#include "md5/core/arena.h"

// Writes first_equal[count]: for each point the first one that equals it in value (-0 = +0),
// itself if it is that one. Time is linear in `count` for any points: they are sorted by digits,
// because a hash table could be made to crawl by points chosen to collide.
bool md5_weld(md5_arena *arena, const md5_vec3 *points, uint32_t count, uint32_t *first_equal);

#endif
