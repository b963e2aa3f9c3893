// Finds equal points of a mesh.
#ifndef MD5_SKIN_WELD_H
#define MD5_SKIN_WELD_H

#include "md5/core/arena.h"

// Writes first_equal[count]: for each point the index of the first one that equals it in value
// (-0 = +0), which may be its own. Points are finite. Time is linear in `count` for any input: a
// hash table finds equal points, and if points were chosen to collide, they are radix sorted.
// Returns false and sets the context's error if memory runs out.
bool md5i_weld(md5_arena *arena, const md5_vec3 *points, uint32_t count, uint32_t *first_equal);

// The same, by sorting without trying the hash table.
bool md5i_weld_by_sorting(md5_arena *arena, const md5_vec3 *points, uint32_t count,
                          uint32_t *first_equal);

#endif
