// Containers for declarations: md5_name_map maps names to values, and md5_shared_array is an array
// whose copies share equal parts. Operations take linear or logarithmic time for any content, so
// that no game folder can make loading slow.
#ifndef MD5_DECL_CONTAINERS_H
#define MD5_DECL_CONTAINERS_H

#include "md5/core/grow.h"

// Searches a table of structures whose first member is a string. Returns the entry with the string
// `word`, or NULL. The table has `count` entries of `size` bytes.
const void *md5i_find_in_table(const char *word, const void *table, size_t count, size_t size);

// == Names ========================================================================================
//
// A map from names to values. It is a crit-bit tree, which is a binary tree that branches only at
// bits in which names differ. An operation takes time linear in the length of the name, for any set
// of other names.
//
// Invariants: an inner node has two children and no name, and tests one bit. This bit is 0 in all
// names below child[0] and 1 in all names below child[1]. All names below the node have the same
// bits before it.

// A node of the tree. Each name has a leaf. An inner node selects one of its children by one bit of
// the searched name.
typedef struct md5_name_node {
    struct md5_name_node *child[2];
    const char *name; // NULL for an inner node
    void *value;
    size_t byte;   // inner node: index of the byte with the tested bit
    unsigned bits; // inner node: all bits of that byte except the tested bit
} md5_name_node;

typedef struct md5_name_map {
    md5_name_node *root;
} md5_name_map;

// Returns the address of the value of a name, or NULL if the map does not contain the name.
void **md5i_name_map_find(const md5_name_map *names, const char *name);

// Like md5i_name_map_find(), but adds a missing name, with the value NULL. The map does not copy
// the string, so it must exist as long as the map. Returns NULL and sets the context's error if
// memory runs out.
void **md5i_name_map_add(md5_name_map *names, md5_arena *arena, const char *name);

// == Shared arrays ================================================================================
//
// Arrays of pointers whose copies share equal parts. Copying the structure md5_shared_array copies
// the array in constant time. Changing an element takes logarithmic time and memory. A model
// declaration can inherit the arrays of another model and change a few elements. In a long chain of
// such models, only the changes need memory.
//
// An array is a tree of nodes with MD5_SHARED_WIDTH children. An owner identifies the builder of an
// array, such as a declaration. Invariant: only the owner that created a node may change it, and
// only while it builds its array. Other owners change a copy of the node.

enum { MD5_SHARED_WIDTH = 4 };

typedef struct md5_shared_node {
    void *child[MD5_SHARED_WIDTH]; // nodes, or elements in the lowest level; NULL = none
    const void *owner;
    uint32_t count; // number of elements below this node that are not NULL
} md5_shared_node;

typedef struct md5_shared_array {
    void *root;          // a node, NULL = empty
    uint32_t num_levels; // the capacity is MD5_SHARED_WIDTH ^ num_levels elements
} md5_shared_array;

// Returns an element, or NULL if no element is set at this index.
void *md5i_shared_get(const md5_shared_array *array, uint32_t index);

// Sets an element. A `value` of NULL removes the element. All calls that build one array pass the
// same `owner`, and no other array has this owner. Returns false and sets the context's error if
// memory runs out.
bool md5i_shared_set(md5_shared_array *array, md5_arena *arena, const void *owner, uint32_t index,
                     void *value);

// md5i_shared_count() returns the number of elements that are not NULL. md5i_shared_array_at()
// returns such an element by its position among them, or NULL if `order` is too large.
uint32_t md5i_shared_count(const md5_shared_array *array);
void *md5i_shared_array_at(const md5_shared_array *array, uint32_t order);

#endif
