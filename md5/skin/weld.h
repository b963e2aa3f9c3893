// Which points of a mesh are the same.
#ifndef MD5_SKIN_WELD_H
#define MD5_SKIN_WELD_H

#include "md5/core/arena.h"

// Writes first_equal[count]: for each point the first one that equals it in value (-0 = +0),
// itself if it is that one. Points are finite. Time is linear in `count` for any of them: a hash
// table finds them, and where points were chosen to make it crawl, they are sorted by digits.
bool md5_weld(md5_arena *arena, const md5_vec3 *points, uint32_t count, uint32_t *first_equal);

// The same, by sorting at once.
bool md5_weld_by_sorting(md5_arena *arena, const md5_vec3 *points, uint32_t count,
                         uint32_t *first_equal);

#endif
