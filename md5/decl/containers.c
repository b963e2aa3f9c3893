// Arrays that grow, names with values, and shared arrays.
#include "md5/decl/containers.h"

#include <string.h>

const void *md5i_find_row(const char *word, const void *rows, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        const void *const row = (const char *)rows + i * size;
        if (strcmp(*(const char *const *)row, word) == 0)
            return row;
    }
    return NULL;
}

// == Names ========================================================================================

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
    md5_name_node *const nodes = MD5_NEW(arena, md5_name_node, 2);
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
    // Put `added`, an inner node whose byte and bits are set, and its leaf into the tree.
    md5_name_node **link = &names->root;
    while (!(*link)->name
           && ((*link)->byte < nodes[1].byte
               || ((*link)->byte == nodes[1].byte && (*link)->bits < nodes[1].bits)))
        link = &(*link)->child[side_of(*link, nodes[0].name, length)];
    const size_t side = side_of(&nodes[1], nodes[0].name, length);
    nodes[1].child[side] = &nodes[0];
    nodes[1].child[1 - side] = *link;
    *link = &nodes[1];
    return &nodes[0].value;
}

// == Shared arrays ================================================================================

// The number of elements below each child of a node of this level, 1 being the lowest one. 2^32
// elements need 16 levels.
static uint64_t width_of(uint32_t level)
{
    return (uint64_t)1 << (2 * (level - 1));
}

static uint32_t child_of(uint32_t index, uint32_t level)
{
    return (uint32_t)(index / width_of(level)) % MD5_SHARED_WIDTH;
}

void *md5i_shared_get(const md5_shared_array *array, uint32_t index)
{
    void *node = array->root;
    if (array->num_levels == 0 || index / width_of(array->num_levels) >= MD5_SHARED_WIDTH)
        return NULL;
    for (uint32_t level = array->num_levels; node && level > 0; level--)
        node = ((const md5_shared_node *)node)->child[child_of(index, level)];
    return node;
}

// Returns a node of the owner with the contents of the node `from`, which may be NULL. Returns NULL
// if memory runs out.
static md5_shared_node *own_node(md5_arena *arena, const void *owner, void *from)
{
    md5_shared_node *const node = (md5_shared_node *)from;
    if (node && node->owner == owner)
        return node;
    md5_shared_node *const own = MD5_NEW(arena, md5_shared_node, 1);
    if (own && node)
        *own = *node;
    if (own)
        own->owner = owner;
    return own;
}

bool md5i_shared_set(md5_shared_array *array, md5_arena *arena, const void *owner, uint32_t index,
                     void *value)
{
    const bool was_there = md5i_shared_get(array, index) != NULL;
    if (!value && !was_there)
        return true;
    // Add levels until there is room for an index.
    while (array->num_levels == 0 || index / width_of(array->num_levels) >= MD5_SHARED_WIDTH) {
        if (array->root) {
            md5_shared_node *const above = own_node(arena, owner, NULL);
            TRY(above);
            above->child[0] = array->root;
            above->count = md5i_shared_count(array);
            array->root = above;
        }
        array->num_levels++;
    }
    void **link = &array->root;
    for (uint32_t level = array->num_levels;; level--) {
        md5_shared_node *const node = own_node(arena, owner, *link);
        TRY(node);
        *link = node;
        node->count += (uint32_t)(value != NULL) - (uint32_t)was_there;
        if (level == 1) {
            node->child[child_of(index, 1)] = value;
            return true;
        }
        link = &node->child[child_of(index, level)];
    }
}

uint32_t md5i_shared_count(const md5_shared_array *array)
{
    return array->root ? ((const md5_shared_node *)array->root)->count : 0;
}

// The elements below a child.
static uint32_t count_below(const void *child, uint32_t level)
{
    if (!child)
        return 0;
    return level == 1 ? 1 : ((const md5_shared_node *)child)->count;
}

void *md5i_shared_nth(const md5_shared_array *array, uint32_t order)
{
    void *below = array->root;
    if (order >= md5i_shared_count(array))
        return NULL;
    for (uint32_t level = array->num_levels; below && level > 0; level--) {
        const md5_shared_node *const node = (const md5_shared_node *)below;
        uint32_t child = 0;
        while (order >= count_below(node->child[child], level))
            order -= count_below(node->child[child++], level);
        below = node->child[child];
    }
    return below;
}
