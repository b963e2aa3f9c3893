// Finds the vertices at the same position in linear time. It uses a hash table. If too many points
// collide in the table, it sorts the points instead.
#include "md5/skin/geometry.h"

// The bits of a point. Equal points have equal bits, because -0 is stored as +0.
typedef struct point_key {
    uint32_t words[3];
} point_key;

// Returns the key of a point: the bits of its coordinates, which are equal for equal points.
static point_key point_bits(md5_vec3 point)
{
    const float values[3] = {point.x + 0, point.y + 0, point.z + 0}; // -0 becomes +0
    point_key key;
    memcpy(&key, values, sizeof key);
    return key;
}

static bool are_positions_equal(md5_vec3 a, md5_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// -- By sorting -----------------------------------------------------------------------------

// A key has 12 digits of 8 bits, the digits of x first.
enum { NUM_DIGITS = 12, RADIX = 256 };

// Returns a digit of a key.
static uint32_t key_digit(const point_key *key, int digit)
{
    return key->words[digit / 4] >> (8 * (digit % 4)) & (RADIX - 1);
}

// Replaces the number of points with each value of a digit by the offset of the first of them in
// the sorted array. Returns true if all `count` points have the same value, so that they need not
// be sorted by this digit.
static bool convert_counts_to_offsets(uint32_t counts[RADIX], uint32_t count)
{
    uint32_t offset = 0;
    bool is_common = false;
    for (uint32_t value = 0; value < RADIX; value++) {
        const uint32_t num_points = counts[value];
        is_common = is_common || num_points == count;
        counts[value] = offset;
        offset += num_points;
    }
    return is_common;
}

// Sorts the indices 0 .. count - 1 by the keys of their points. Indices of equal points are in
// ascending order. The result is in `order` or in `buffer`, and the function returns this array. It
// is a radix sort, with a stable pass for each digit, least significant digit first.
static const uint32_t *sort_by_key(const md5_vec3 *points, uint32_t count, uint32_t *order,
                                   uint32_t *buffer)
{
    // For each digit, the number of points with each of its values.
    uint32_t counts[NUM_DIGITS][RADIX] = {{0}};
    uint32_t *from = order;
    uint32_t *to = buffer;
    for (uint32_t i = 0; i < count; i++) {
        const point_key key = point_bits(points[i]);
        from[i] = i;
        for (int digit = 0; digit < NUM_DIGITS; digit++)
            counts[digit][key_digit(&key, digit)]++;
    }

    for (int digit = 0; digit < NUM_DIGITS; digit++) {
        uint32_t *const offsets = counts[digit];
        if (convert_counts_to_offsets(offsets, count))
            continue;
        for (uint32_t i = 0; i < count; i++) {
            const point_key key = point_bits(points[from[i]]);
            to[offsets[key_digit(&key, digit)]++] = from[i];
        }
        uint32_t *const sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

// Writes first_equal[count], the first equal point of each point, by sorting. Slower than the hash
// table of md5i_weld(), but linear for any points.
bool md5i_weld_by_sorting(md5_arena *arena, const md5_vec3 *points, uint32_t count,
                          uint32_t *first_equal)
{
    const md5_arena_mark before = md5i_arena_position(arena);
    uint32_t *const order = MD5_ALLOC_ARRAY(arena, uint32_t, count);
    TRY(order);
    uint32_t *const buffer = MD5_ALLOC_ARRAY(arena, uint32_t, count);
    TRY(buffer);

    // After sorting, equal points are adjacent, and the first of them has the lowest index.
    const uint32_t *const sorted = sort_by_key(points, count, order, buffer);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t point = sorted[i];
        if (i == 0 || !are_positions_equal(points[point], points[first]))
            first = point;
        first_equal[point] = first;
    }
    md5i_arena_rewind(arena, before);
    return true;
}

// -- By hashing -----------------------------------------------------------------------------

// Limits of the number of slots that are probed. If a search exceeds them, the points are sorted
// instead, because a hostile file can contain points that all collide.
enum {
    STEPS_PER_POINT = 8,
    EXTRA_STEPS = 1024, // for the whole mesh
};

// Returns a hash of a point.
static inline uint32_t hash_point(md5_vec3 point)
{
    const point_key key = point_bits(point);
    uint64_t hash = key.words[0] | (uint64_t)key.words[1] << 32;
    hash = (hash ^ hash >> 29) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ key.words[2]) * UINT64_C(0xD6E8FEB86659FD93);
    return (uint32_t)(hash >> 32);
}

// Returns the size of the hash table for a number of points. It is a power of two. With this size,
// most points find their slot in the first step.
static uint32_t count_slots(uint32_t num_points)
{
    uint32_t num_slots = 2;
    while (num_slots < num_points + num_points / 2) // num_points < 2^31 / 14
        num_slots *= 2;
    return num_slots;
}

// Writes first_equal[count]: for each point the index of the first equal point, which may be the
// point itself. Finds equal points with a hash table. If points collide too often, sorts them
// instead.
bool md5i_weld(md5_arena *arena, const md5_vec3 *points, uint32_t count, uint32_t *first_equal)
{
    const md5_arena_mark before = md5i_arena_position(arena);
    const uint32_t num_slots = count_slots(count);
    uint32_t *const slots =
        MD5_ALLOC_ARRAY(arena, uint32_t, num_slots); // points; UINT32_MAX: empty
    TRY(slots);
    memset(slots, 0xFF, num_slots * sizeof *slots);

    int64_t steps = EXTRA_STEPS; // remaining steps for the points up to i
    for (uint32_t i = 0; i < count && steps >= 0; i++) {
        uint32_t slot = hash_point(points[i]) & (num_slots - 1);
        steps += STEPS_PER_POINT;

        // Search the slots from here on for an equal point. An empty slot counts as a slot that
        // contains the point itself, which is equal. This avoids a branch that would often be
        // mispredicted.
        uint32_t first = slots[slot] != UINT32_MAX ? slots[slot] : i;
        while (!are_positions_equal(points[first], points[i]) && steps-- > 0) {
            slot = (slot + 1) & (num_slots - 1);
            first = slots[slot] != UINT32_MAX ? slots[slot] : i;
        }
        slots[slot] = first;
        first_equal[i] = first;
    }

    md5i_arena_rewind(arena, before);
    const bool has_too_many_collisions = steps < 0;
    if (has_too_many_collisions)
        return md5i_weld_by_sorting(arena, points, count, first_equal);
    return true;
}

// Converts the result of md5i_weld() in place to chains. equals[i] becomes the index of the next
// equal point, or `count` for the last one.
//
// Visits the points from the last to the first. A group consists of all equal points. Until its
// first point is visited, the entry of that point is the group's most recently visited point. If no
// point of the group was visited yet, the entry is the first point itself.
void md5i_chain_equals(uint32_t *equals, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t first = equals[i];
        if (first > i) // the first point of a group, which refers to its next point already
            continue;
        equals[i] = equals[first] == first ? count : equals[first];
        if (first < i)
            equals[first] = i;
    }
}
