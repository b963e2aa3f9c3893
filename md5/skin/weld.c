#include "md5/skin/weld.h"

#include <string.h>

enum { NUM_DIGITS = 12, RADIX = 256 };

// Up to this many points, comparing all pairs takes less than counting digits.
enum { FEW_POINTS = 24 };

// The bits of a point, in which equal values are equal.
typedef struct point_key {
    uint32_t words[3];
} point_key;

static uint32_t float_bits(float value)
{
    const float plain = value + 0.0f; // -0 becomes +0
    uint32_t bits;
    memcpy(&bits, &plain, sizeof bits);
    return bits;
}

static point_key key_of(md5_vec3 point)
{
    return (point_key){{float_bits(point.x), float_bits(point.y), float_bits(point.z)}};
}

static uint32_t digit_of(const point_key *key, int digit)
{
    return key->words[digit / 4] >> (8 * (digit % 4)) & (RADIX - 1);
}

// From the number of points with each value of a digit to the place of the first of them.
// Returns false where all points share one value, so that there is nothing to sort.
static bool counts_to_places(uint32_t *counts, uint32_t count)
{
    uint32_t place = 0;
    for (int value = 0; value < RADIX; value++) {
        const uint32_t here = counts[value];
        if (here == count)
            return false;
        counts[value] = place;
        place += here;
    }
    return true;
}

// Sorts the numbers 0 .. count - 1 by key, equal keys by number: least significant digit first,
// each pass stable. Returns the sorted one of the two buffers.
static const uint32_t *sort_by_key(const point_key *keys, uint32_t count, uint32_t *order,
                                   uint32_t *other)
{
    uint32_t counts[NUM_DIGITS][RADIX] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        for (int digit = 0; digit < NUM_DIGITS; digit++)
            counts[digit][digit_of(&keys[i], digit)]++;
    }
    for (int digit = 0; digit < NUM_DIGITS; digit++) {
        uint32_t *const places = counts[digit];
        if (!counts_to_places(places, count))
            continue;
        for (uint32_t i = 0; i < count; i++)
            other[places[digit_of(&keys[order[i]], digit)]++] = order[i];
        uint32_t *const sorted = other;
        other = order;
        order = sorted;
    }
    return order;
}

static void weld_few(const point_key *keys, uint32_t count, uint32_t *first_equal)
{
    for (uint32_t i = 0; i < count; i++) {
        first_equal[i] = 0;
        while (memcmp(&keys[first_equal[i]], &keys[i], sizeof keys[i]) != 0)
            first_equal[i]++;
    }
}

bool md5_weld(md5_arena *arena, const md5_vec3 *points, uint32_t count, uint32_t *first_equal)
{
    point_key *keys = md5_arena_alloc(arena, count, sizeof *keys);
    TRY(keys);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = key_of(points[i]);
    if (count <= FEW_POINTS) {
        weld_few(keys, count, first_equal);
        return true;
    }
    uint32_t *order = md5_arena_alloc(arena, count, sizeof *order);
    TRY(order);
    uint32_t *other = md5_arena_alloc(arena, count, sizeof *other);
    TRY(other);

    const uint32_t *const sorted = sort_by_key(keys, count, order, other);
    for (uint32_t i = 0, first = 0; i < count; i++) {
        const uint32_t point = sorted[i];
        if (i == 0 || memcmp(&keys[point], &keys[first], sizeof keys[point]) != 0)
            first = point;
        first_equal[point] = first;
    }
    return true;
}
