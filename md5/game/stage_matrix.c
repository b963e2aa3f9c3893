// Texture matrices: each word multiplies its matrix from the right, in expressions.
#include "md5/game/stage_words.h"
#include "md5/game/verdict.h"

#include <string.h>

static uint32_t product(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    return md5i_add_op(parser, MD5_OP_MULTIPLY, a, b);
}

static uint32_t sum(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    return md5i_add_op(parser, MD5_OP_ADD, a, b);
}

// The order of operations is the engine's, and so are the roundings.
static void multiply(md5_stage_reader *reader, uint32_t by[2][3])
{
    md5_material_parser *const parser = reader->parser;
    md5_stage *const stage = reader->stage;
    uint32_t old[2][3];
    if (!stage->has_matrix) {
        stage->has_matrix = true;
        memcpy(stage->matrix, by, sizeof stage->matrix);
        return;
    }
    memcpy(old, stage->matrix, sizeof old);
    for (int row = 0; row < 2; row++) {
        for (int column = 0; column < 3; column++) {
            uint32_t *const to = &stage->matrix[row][column];
            const uint32_t first = product(parser, old[row][0], by[0][column]);
            *to = sum(parser, first, product(parser, old[row][1], by[1][column]));
            if (column == 2)
                *to = sum(parser, *to, old[row][2]);
        }
    }
}

// Reads `a , b`.
static void read_pair(md5_stage_reader *reader, uint32_t *a, uint32_t *b)
{
    *a = md5i_read_expression(reader->parser, reader->lex);
    md5i_match(reader->parser, reader->lex, ",");
    *b = md5i_read_expression(reader->parser, reader->lex);
}

void md5i_read_scroll(md5_stage_reader *reader, int unused)
{
    uint32_t a, b;
    (void)unused;
    read_pair(reader, &a, &b);
    const uint32_t one = md5i_add_constant(reader->parser, 1.0f);
    const uint32_t zero = md5i_add_constant(reader->parser, 0.0f);
    uint32_t matrix[2][3] = {{one, zero, a}, {zero, one, b}};
    multiply(reader, matrix);
}

void md5i_read_scale(md5_stage_reader *reader, int unused)
{
    uint32_t a, b;
    (void)unused;
    read_pair(reader, &a, &b);
    const uint32_t zero = md5i_add_constant(reader->parser, 0.0f);
    uint32_t matrix[2][3] = {{a, zero, zero}, {zero, b, zero}};
    multiply(reader, matrix);
}

// 0.5 - 0.5 x: what keeps the middle of a texture where it is.
static uint32_t centered(md5_material_parser *parser, uint32_t x)
{
    const uint32_t half = md5i_add_constant(parser, 0.5f);
    return md5i_add_op(parser, MD5_OP_SUBTRACT, half, product(parser, half, x));
}

void md5i_read_center_scale(md5_stage_reader *reader, int unused)
{
    uint32_t a, b;
    (void)unused;
    read_pair(reader, &a, &b);
    const uint32_t zero = md5i_add_constant(reader->parser, 0.0f);
    const uint32_t s = centered(reader->parser, a), t = centered(reader->parser, b);
    uint32_t matrix[2][3] = {{a, zero, s}, {zero, b, t}};
    multiply(reader, matrix);
}

void md5i_read_shear(md5_stage_reader *reader, int unused)
{
    uint32_t a, b;
    (void)unused;
    read_pair(reader, &a, &b);
    md5_material_parser *const parser = reader->parser;
    const uint32_t one = md5i_add_constant(parser, 1.0f);
    const uint32_t minus_half = md5i_add_constant(parser, -0.5f);
    const uint32_t s = product(parser, minus_half, a), t = product(parser, minus_half, b);
    uint32_t matrix[2][3] = {{one, a, s}, {b, one, t}};
    multiply(reader, matrix);
}

// a * first + b * second + 0.5
static uint32_t turned(md5_material_parser *parser, float a, uint32_t first, float b,
                       uint32_t second)
{
    const uint32_t left = product(parser, md5i_add_constant(parser, a), first);
    const uint32_t right = product(parser, md5i_add_constant(parser, b), second);
    return sum(parser, sum(parser, left, right), md5i_add_constant(parser, 0.5f));
}

static bool read_table(md5_stage_reader *reader, const char *name, uint32_t at, uint32_t *value)
{
    bool found;
    *value = md5i_add_table_op(reader->parser, name, strlen(name), at, &found);
    if (found)
        return true;
    reader->parser->is_defaulted |= md5i_mistake(
        reader->lex, "a table of this name: nothing is rotated", "no %s for rotate defined", name);
    return false;
}

// Rotates by a number of full turns, around the middle of the texture, with the sine and cosine of
// the game's tables.
void md5i_read_rotate(md5_stage_reader *reader, int unused)
{
    md5_material_parser *const parser = reader->parser;
    uint32_t sine, cosine;
    (void)unused;
    const uint32_t at = md5i_read_expression(parser, reader->lex);
    if (!read_table(reader, "sinTable", at, &sine) || !read_table(reader, "cosTable", at, &cosine))
        return;
    const uint32_t zero = md5i_add_constant(parser, 0.0f);
    const uint32_t minus_sine = md5i_add_op(parser, MD5_OP_SUBTRACT, zero, sine);
    const uint32_t s = turned(parser, -0.5f, cosine, 0.5f, sine);
    const uint32_t t = turned(parser, -0.5f, sine, -0.5f, cosine);
    uint32_t matrix[2][3] = {{cosine, minus_sine, s}, {sine, cosine, t}};
    multiply(reader, matrix);
}
