// Numbers in saved actors, monsters and ragdolls, which are little-endian on all platforms.
#ifndef TEST_GAME_SAVED_BYTES_H
#define TEST_GAME_SAVED_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Returns the integer in bytes[size]. `size` is at most 8.
static inline uint64_t read_saved_integer(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static inline float read_saved_float(const unsigned char *bytes)
{
    const uint32_t bits = (uint32_t)read_saved_integer(bytes, sizeof bits);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Writes 4 bytes at 4 * index.
static inline void write_word(unsigned char *bytes, size_t index, uint32_t word)
{
    for (size_t i = 0; i < 4; i++)
        bytes[4 * index + i] = (unsigned char)(word >> 8 * i);
}

// Writes 8 bytes at 8 * index.
static inline void write_number(unsigned char *bytes, size_t index, uint64_t number)
{
    write_word(bytes, 2 * index, (uint32_t)number);
    write_word(bytes, 2 * index + 1, (uint32_t)(number >> 32));
}

// Writes 4 bytes at 4 * index.
static inline void write_float(unsigned char *bytes, size_t index, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_word(bytes, index, bits);
}

// Writes 8 bytes at 8 * index.
static inline void write_double(unsigned char *bytes, size_t index, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_number(bytes, index, bits);
}

#endif
