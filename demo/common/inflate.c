#include "demo/common/inflate.h"

#include <stdint.h>
#include <string.h>

enum { MAX_BITS = 15, MAX_LITERALS = 288, MAX_DISTANCES = 32 };

typedef struct bit_reader {
    const unsigned char *at, *end;
    uint32_t bits; // the lowest come first
    unsigned count;
    bool is_past; // more bits were asked for than there are
    unsigned char *to;
    size_t used, size;
} bit_reader;

// A canonical Huffman code: how many codes of each length, and their symbols by code.
typedef struct huffman_code {
    uint16_t counts[MAX_BITS + 1];
    uint16_t symbols[MAX_LITERALS];
} huffman_code;

// Returns the next `count` bits, at most 16.
static uint32_t take_bits(bit_reader *reader, unsigned count)
{
    while (reader->count < count) {
        reader->is_past |= reader->at == reader->end;
        const uint32_t byte = reader->at < reader->end ? *reader->at++ : 0;
        reader->bits |= byte << reader->count;
        reader->count += 8;
    }
    const uint32_t value = reader->bits & ((UINT32_C(1) << count) - 1);
    reader->bits >>= count;
    reader->count -= count;
    return value;
}

// -- Codes ----------------------------------------------------------------------------------------

// Makes the code of lengths[count], of which 0 means no code. Returns false if there are more codes
// than fit. Fewer are allowed: one that does not exist is an error when it is read.
static bool make_code(huffman_code *code, const unsigned char *lengths, size_t count)
{
    uint16_t offsets[MAX_BITS + 1] = {0};
    int32_t left = 1;
    memset(code, 0, sizeof *code);
    for (size_t i = 0; i < count; i++)
        code->counts[lengths[i]]++;
    code->counts[0] = 0;
    for (size_t i = 1; i <= MAX_BITS; i++) {
        left = 2 * left - code->counts[i];
        if (left < 0)
            return false;
        offsets[i] = (uint16_t)(offsets[i - 1] + code->counts[i - 1]);
    }
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] > 0)
            code->symbols[offsets[lengths[i]]++] = (uint16_t)i;
    }
    return true;
}

// Returns the next symbol, or -1 if no code fits.
static int take_symbol(bit_reader *reader, const huffman_code *code)
{
    int value = 0, first = 0, index = 0;
    for (size_t length = 1; length <= MAX_BITS; length++) {
        value |= (int)take_bits(reader, 1);
        const int count = code->counts[length];
        if (value - count < first)
            return reader->is_past ? -1 : code->symbols[index + (value - first)];
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    return -1;
}

// -- Blocks ---------------------------------------------------------------------------------------

static bool copy_stored(bit_reader *reader)
{
    reader->bits = 0;
    reader->count = 0;
    if (reader->end - reader->at < 4)
        return false;
    const size_t size = (size_t)(reader->at[0] | reader->at[1] << 8);
    const size_t inverted = (size_t)(reader->at[2] | reader->at[3] << 8);
    reader->at += 4;
    if (size != (inverted ^ 0xFFFF) || size > (size_t)(reader->end - reader->at)
        || size > reader->size - reader->used)
        return false;
    memcpy(reader->to + reader->used, reader->at, size);
    reader->at += size;
    reader->used += size;
    return true;
}

// Copies `length` bytes from `distance` bytes before, which may be bytes that this copies.
static bool repeat_bytes(bit_reader *reader, size_t length, size_t distance)
{
    if (distance > reader->used || length > reader->size - reader->used)
        return false;
    for (size_t i = 0; i < length; i++, reader->used++)
        reader->to[reader->used] = reader->to[reader->used - distance];
    return true;
}

// A match whose length is `symbol`.
static bool copy_match(bit_reader *reader, int symbol, const huffman_code *distances)
{
    static const uint16_t lengths[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                       15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                       67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned char length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t starts[] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    const int number = symbol - 257;
    if (number >= (int)sizeof length_bits)
        return false;
    const size_t length = lengths[number] + take_bits(reader, length_bits[number]);
    const int place = take_symbol(reader, distances);
    if (place < 0 || place >= (int)(sizeof starts / sizeof starts[0]))
        return false;
    const unsigned extra = place < 4 ? 0 : (unsigned)place / 2 - 1;
    return repeat_bytes(reader, length, starts[place] + take_bits(reader, extra));
}

static bool copy_coded(bit_reader *reader, const huffman_code *literals,
                       const huffman_code *distances)
{
    enum { END_OF_BLOCK = 256 };
    for (;;) {
        const int symbol = take_symbol(reader, literals);
        if (symbol == END_OF_BLOCK)
            return true;
        if (symbol < 0 || (symbol < END_OF_BLOCK && reader->used == reader->size))
            return false;
        if (symbol < END_OF_BLOCK)
            reader->to[reader->used++] = (unsigned char)symbol;
        else if (!copy_match(reader, symbol, distances))
            return false;
    }
}

static bool copy_fixed(bit_reader *reader)
{
    unsigned char lengths[MAX_LITERALS];
    huffman_code literals, distances;
    for (int i = 0; i < MAX_LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    (void)make_code(&literals, lengths, MAX_LITERALS);
    memset(lengths, 5, MAX_DISTANCES);
    (void)make_code(&distances, lengths, MAX_DISTANCES);
    return copy_coded(reader, &literals, &distances);
}

// Reads the lengths of the codes of literals and distances, themselves coded.
static bool take_lengths(bit_reader *reader, const huffman_code *code, unsigned char *lengths,
                         size_t count)
{
    for (size_t i = 0; i < count;) {
        const int symbol = take_symbol(reader, code);
        if (symbol < 0 || (symbol == 16 && i == 0))
            return false;
        if (symbol < 16) {
            lengths[i++] = (unsigned char)symbol;
            continue;
        }
        const unsigned char repeated = symbol == 16 ? lengths[i - 1] : 0;
        size_t times = symbol == 16   ? 3 + take_bits(reader, 2)
                       : symbol == 17 ? 3 + take_bits(reader, 3)
                                      : 11 + take_bits(reader, 7);
        if (times > count - i)
            return false;
        for (; times > 0; times--)
            lengths[i++] = repeated;
    }
    return true;
}

static bool copy_dynamic(bit_reader *reader)
{
    static const unsigned char order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                          11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[MAX_LITERALS + MAX_DISTANCES] = {0};
    huffman_code literals, distances;
    const size_t num_literals = 257 + take_bits(reader, 5);
    const size_t num_distances = 1 + take_bits(reader, 5);
    const size_t num_lengths = 4 + take_bits(reader, 4);
    if (num_literals > MAX_LITERALS)
        return false;
    for (size_t i = 0; i < num_lengths; i++)
        lengths[order[i]] = (unsigned char)take_bits(reader, 3);
    if (!make_code(&literals, lengths, sizeof order))
        return false;
    memset(lengths, 0, sizeof order);
    return take_lengths(reader, &literals, lengths, num_literals + num_distances)
           && make_code(&distances, lengths + num_literals, num_distances)
           && make_code(&literals, lengths, num_literals)
           && copy_coded(reader, &literals, &distances);
}

bool common_inflate(const unsigned char *from, size_t from_size, unsigned char *to, size_t to_size)
{
    bit_reader reader = {.at = from, .end = from + from_size, .size = to_size};
    reader.to = to;
    bool is_last = false, is_good = true;
    while (!is_last && is_good) {
        is_last = take_bits(&reader, 1) != 0;
        const uint32_t kind = take_bits(&reader, 2);
        is_good = kind == 0   ? copy_stored(&reader)
                  : kind == 1 ? copy_fixed(&reader)
                  : kind == 2 ? copy_dynamic(&reader)
                              : false;
        is_good = is_good && !reader.is_past;
    }
    return is_good && reader.used == to_size;
}
