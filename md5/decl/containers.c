// Maps of names and shared arrays. Both are trees, so an operation does not compare or copy all
// elements, and is fast for any content.
#include "md5/decl/containers.h"

#include <string.h>

// Searches an array of structures whose first member is a string. Returns the element with the
// string `word`, or NULL. The array has `count` elements of `size` bytes.
const void *md5i_find_in_table(const char *word, const void *table, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        const void *const entry = (const char *)table + i * size;
        if (strcmp(*(const char *const *)entry, word) == 0)
            return entry;
    }
    return NULL;
}

// == Names ========================================================================================

// Returns the index of an inner node's child for a name: the value of the tested bit in the name.
// After the end of the name, all bits are 0.
static size_t child_index(const md5_name_node *node, const char *name, size_t length)
{
    const unsigned c = node->byte < length ? (unsigned char)name[node->byte] : 0;
    // node->bits contains all bits except the tested bit. So `node->bits | c` is 255 if the tested
    // bit is set, and below 255 otherwise. Adding 1 carries into bit 8 only for 255.
    return (1 + (node->bits | c)) >> 8;
}

// Returns the leaf that is reached by following the bits of `name` from the root, or NULL if the
// map is empty. No other leaf can have this name. The caller must still compare the names, because
// the inner nodes test only some bits.
static md5_name_node *closest_leaf(const md5_name_map *names, const char *name, size_t length)
{
    md5_name_node *node = names->root;
    while (node && !node->name)
        node = node->child[child_index(node, name, length)];
    return node;
}

void **md5i_name_map_find(const md5_name_map *names, const char *name)
{
    md5_name_node *const node = closest_leaf(names, name, strlen(name));
    return node && strcmp(node->name, name) == 0 ? &node->value : NULL;
}

// Returns a mask of all bits of a byte except the highest bit that is set in `bits`. `bits` is not
// 0.
static unsigned mask_without_highest(unsigned bits)
{
    unsigned highest = bits;
    while (highest & (highest - 1)) // while more than one bit is set
        highest &= highest - 1;     // clear the lowest bit
    return highest ^ 255;
}

// Returns true if a node must be above the new inner node `added`. This is the case for an inner
// node that tests an earlier bit of names.
static bool is_above(const md5_name_node *node, const md5_name_node *added)
{
    if (node->name)
        return false;
    return node->byte < added->byte || (node->byte == added->byte && node->bits < added->bits);
}

// Returns the address of the value of a name. Adds the name with the value NULL if the map does not
// contain it. Returns NULL if memory runs out.
void **md5i_name_map_add(md5_name_map *names, md5_arena *arena, const char *name)
{
    const size_t length = strlen(name);
    md5_name_node *const nearest = closest_leaf(names, name, length);

    // Find the first byte in which the name differs from the closest name.
    size_t byte = 0;
    while (nearest && nearest->name[byte] == name[byte]) {
        if (name[byte] == '\0') // both names end: they are equal
            return &nearest->value;
        byte++;
    }

    // Each name needs a leaf and, except for the first name, an inner node above the leaf.
    md5_name_node *const nodes = MD5_ALLOC_ZEROED(arena, md5_name_node, 2);
    if (!nodes)
        return NULL;
    md5_name_node *const leaf = &nodes[0];
    md5_name_node *const inner = &nodes[1];
    leaf->name = name;
    if (!nearest) {
        names->root = leaf;
        return &leaf->value;
    }

    // The inner node tests the first bit in which the name differs from the closest name.
    const unsigned nearest_byte = (unsigned char)nearest->name[byte];
    const unsigned name_byte = (unsigned char)name[byte];
    inner->byte = byte;
    inner->bits = mask_without_highest(nearest_byte ^ name_byte);

    // Insert the inner node below all nodes that test an earlier bit.
    md5_name_node **link = &names->root;
    while (is_above(*link, inner))
        link = &(*link)->child[child_index(*link, name, length)];

    const size_t side = child_index(inner, name, length);
    inner->child[side] = leaf;
    inner->child[1 - side] = *link;
    *link = inner;
    return &leaf->value;
}

// == Shared arrays ================================================================================

// Returns the number of elements that each child of a node at this level can contain. Levels are
// counted from 1 at the bottom. 2^32 elements need 16 levels.
static uint64_t child_capacity(uint32_t level)
{
    return (uint64_t)1 << (2 * (level - 1));
}

// Returns which child of a node at this level contains the element `index`.
static uint32_t child_at_level(uint32_t index, uint32_t level)
{
    return (uint32_t)(index / child_capacity(level)) % MD5_SHARED_WIDTH;
}

// Returns true if the tree has enough levels for an element with this index.
static bool has_capacity(const md5_shared_array *array, uint32_t index)
{
    return array->num_levels > 0 && index / child_capacity(array->num_levels) < MD5_SHARED_WIDTH;
}

// Returns an element of a shared array, or NULL if it is not set. Each level of the tree uses two
// bits of the index to select a child.
void *md5i_shared_get(const md5_shared_array *array, uint32_t index)
{
    void *node = array->root;
    if (!has_capacity(array, index))
        return NULL;
    for (uint32_t level = array->num_levels; node && level > 0; level--)
        node = ((const md5_shared_node *)node)->child[child_at_level(index, level)];
    return node;
}

// Returns a node that `owner` may change, with the content of `from`. This is `from` itself if the
// owner created it, otherwise a copy. If `from` is NULL, the node is empty. Returns NULL if memory
// runs out.
static md5_shared_node *make_writable(md5_arena *arena, const void *owner, void *from)
{
    md5_shared_node *const node = (md5_shared_node *)from;
    if (node && node->owner == owner)
        return node;
    md5_shared_node *const copy = MD5_ALLOC_ZEROED(arena, md5_shared_node, 1);
    if (!copy)
        return NULL;
    if (node)
        *copy = *node;
    copy->owner = owner;
    return copy;
}

// Adds levels above the root until the array can contain the element `index`. The old root becomes
// the first child of the new root. Returns false if memory runs out.
static bool reserve_shared(md5_shared_array *array, md5_arena *arena, const void *owner,
                           uint32_t index)
{
    while (!has_capacity(array, index)) {
        if (array->root) {
            md5_shared_node *const new_root = make_writable(arena, owner, NULL);
            TRY(new_root);
            new_root->child[0] = array->root;
            new_root->count = md5i_shared_count(array);
            array->root = new_root;
        }
        array->num_levels++;
    }
    return true;
}

// Sets an element of a shared array, or removes it if `value` is NULL. Copies only the nodes on the
// path to the element, because other arrays may share them. Nodes that already belong to `owner`
// are not copied. Returns false if memory runs out.
bool md5i_shared_set(md5_shared_array *array, md5_arena *arena, const void *owner, uint32_t index,
                     void *value)
{
    const bool was_set = md5i_shared_get(array, index) != NULL;
    if (!value && !was_set)
        return true;
    TRY(reserve_shared(array, arena, owner, index));

    // Replace the nodes on the path to the element by writable nodes, and change their counts.
    // `link` is the address of the pointer to the next node.
    void **link = &array->root;
    for (uint32_t level = array->num_levels; level > 0; level--) {
        md5_shared_node *const node = make_writable(arena, owner, *link);
        TRY(node);
        *link = node;
        if (value && !was_set)
            node->count++;
        else if (!value)
            node->count--;
        link = &node->child[child_at_level(index, level)];
    }
    *link = value; // `link` is now a child of a node at level 1, which is the element
    return true;
}

uint32_t md5i_shared_count(const md5_shared_array *array)
{
    return array->root ? ((const md5_shared_node *)array->root)->count : 0;
}

// Returns the number of elements in `child`, a child of a node at this level.
static uint32_t count_below(const void *child, uint32_t level)
{
    if (!child)
        return 0;
    return level == 1 ? 1 : ((const md5_shared_node *)child)->count;
}

// Returns the element with exactly `order` set elements before it. Returns NULL if the array has
// fewer elements.
void *md5i_shared_array_at(const md5_shared_array *array, uint32_t order)
{
    if (order >= md5i_shared_count(array))
        return NULL;

    // In each level, skip the children that contain only elements before the searched element.
    void *found = array->root;  // a node, and the element at the end of the loop
    uint32_t remaining = order; // number of elements to skip in `found`
    for (uint32_t level = array->num_levels; found && level > 0; level--) {
        const md5_shared_node *const node = (const md5_shared_node *)found;
        uint32_t child = 0;
        while (remaining >= count_below(node->child[child], level)) {
            remaining -= count_below(node->child[child], level);
            child++;
        }
        found = node->child[child];
    }
    return found;
}
