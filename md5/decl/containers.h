// Containers: arrays that grow, names with values, and arrays whose copies share what is equal.
#ifndef MD5_DECL_CONTAINERS_H
#define MD5_DECL_CONTAINERS_H

#include "md5/core/grow.h"

// Returns the row of an array whose first member is the word, or NULL.
const void *md5i_find_row(const char *word, const void *rows, size_t count, size_t size);

// == Names ========================================================================================
//
// A map from names to values: a crit-bit tree, whose time is linear in the length of a name
// whatever the other names are. So no choice of names makes a game folder slow.
//
// Invariants: an inner node has two children and no name; all names below child[0] have the bit of
// the node cleared, those below child[1] set, and all agree in the bits before it.

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

// == Shared arrays ================================================================================
//
// Arrays of pointers whose copies share what is equal: copying the structure copies the array, in
// constant time, and a change costs the logarithm of its length. So a chain of models that each
// inherit and change a little takes memory for the changes, not for the chain times its length.
//
// A tree of nodes with MD5_SHARED_WIDTH children. Invariant: a node is only changed by the owner
// that made it, while it makes its own array; other owners change a copy of it.

enum { MD5_SHARED_WIDTH = 4 };

typedef struct md5_shared_node {
    void *child[MD5_SHARED_WIDTH]; // nodes, or elements in the lowest level; NULL = none
    const void *owner;
    uint32_t count; // elements below that are not NULL
} md5_shared_node;

typedef struct md5_shared_array {
    void *root;          // a node, NULL = empty
    uint32_t num_levels; // there is room for MD5_SHARED_WIDTH ^ num_levels elements
} md5_shared_array;

// Returns an element, or NULL if there is none at this index.
void *md5i_shared_get(const md5_shared_array *array, uint32_t index);

// Sets an element; `value` may be NULL. `owner` is the same in all calls that make one array, and
// no other array's. Returns false and sets the context's error if memory runs out.
bool md5i_shared_set(md5_shared_array *array, md5_arena *arena, const void *owner, uint32_t index,
                     void *value);

// Return the number of elements that are not NULL, and the one of them that has `order` others
// before it, or NULL.
uint32_t md5i_shared_count(const md5_shared_array *array);
void *md5i_shared_nth(const md5_shared_array *array, uint32_t order);

#endif
