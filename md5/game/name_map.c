#include "md5/game/name_map.h"

#include <string.h>

// The side of an inner node's child on the path to a name.
static size_t side_of(const md5_name_node *node, const char *name, size_t length)
{
    const unsigned c = node->byte < length ? (unsigned char)name[node->byte] : 0;
    return (1 + (node->bits | c)) >> 8;
}

// Returns the only name of a tree that may equal `name`.
static md5_name_node *closest(const md5_name_map *names, const char *name, size_t length)
{
    md5_name_node *node = names->root;
    while (node && !node->name)
        node = node->child[side_of(node, name, length)];
    return node;
}

void **md5i_name_map_find(const md5_name_map *names, const char *name)
{
    md5_name_node *const node = closest(names, name, strlen(name));
    return node && strcmp(node->name, name) == 0 ? &node->value : NULL;
}

// All bits but the highest that is set.
static unsigned without_highest(unsigned bits)
{
    while (bits & (bits - 1))
        bits &= bits - 1;
    return bits ^ 255;
}

// Puts `added`, an inner node whose byte and bits are set, and its leaf into the tree.
static void insert(md5_name_map *names, md5_name_node *added, md5_name_node *leaf, size_t length)
{
    md5_name_node **at = &names->root;
    while (
        !(*at)->name
        && ((*at)->byte < added->byte || ((*at)->byte == added->byte && (*at)->bits < added->bits)))
        at = &(*at)->child[side_of(*at, leaf->name, length)];
    const size_t side = side_of(added, leaf->name, length);
    added->child[side] = leaf;
    added->child[1 - side] = *at;
    *at = added;
}

void **md5i_name_map_add(md5_name_map *names, md5_arena *arena, const char *name)
{
    const size_t length = strlen(name);
    md5_name_node *const near = closest(names, name, length);
    size_t byte = 0;
    while (near && near->name[byte] == name[byte]) {
        if (name[byte] == '\0')
            return &near->value;
        byte++;
    }
    md5_name_node *const nodes = (md5_name_node *)md5i_arena_alloc(arena, 2, sizeof *nodes);
    if (!nodes)
        return NULL;
    nodes[0].name = name;
    if (!near) {
        names->root = &nodes[0];
        return &nodes[0].value;
    }
    nodes[1].byte = byte;
    nodes[1].bits =
        without_highest((unsigned char)near->name[byte] ^ (unsigned)(unsigned char)name[byte]);
    insert(names, &nodes[1], &nodes[0], length);
    return &nodes[0].value;
}
