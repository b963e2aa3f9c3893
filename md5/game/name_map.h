// A map from names to values: a crit-bit tree, whose time is linear in the length of a name
// whatever the other names are. So no choice of names makes a game folder slow.
//
// Invariants: an inner node has two children and no name; all names below child[0] have the bit of
// the node cleared, those below child[1] set, and all agree in the bits before it.
#ifndef MD5_GAME_NAME_MAP_H
#define MD5_GAME_NAME_MAP_H

#include "md5/core/arena.h"

typedef struct md5_name_node {
    struct md5_name_node *child[2];
    const char *name; // NULL for an inner node
    void *value;
    size_t byte;   // of an inner node: the first byte that differs below it
    unsigned bits; // all bits but the highest that differs
} md5_name_node;

typedef struct md5_name_map {
    md5_name_node *root;
} md5_name_map;

// Returns where the value of a name is, or NULL if there is no such name.
void **md5i_name_map_find(const md5_name_map *names, const char *name);

// The same, but adds a name that is new, with the value NULL. The name must live as long as the
// map. Returns NULL and sets the context's error if memory runs out.
void **md5i_name_map_add(md5_name_map *names, md5_arena *arena, const char *name);

#endif
