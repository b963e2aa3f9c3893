// Tables, expressions of materials, and the stages that are made of them.
#include "md5/core/assert.h"
#include "md5/decl/containers.h"
#include "md5/decl/decls.h"
#include "md5/decl/game.h"
#include "md5/material/engine_words.h"
#include "md5/material/image.h"
#include "md5/material/material.h"
#include "md5/material/material_parser.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// == Tables =======================================================================================
//
// Tables: table NAME { [snap] [clamp] { v, v, ... } }

// The values of a table while they are read, in game->scratch.
typedef struct table_reader {
    md5_decl_lex lex;
    md5_table table;
    float *values;
    bool is_defaulted; // by an error
} table_reader;

static bool add_value(table_reader *reader, float value)
{
    reader->values = (float *)md5_grow(&reader->lex.game->scratch, reader->values,
                                       reader->table.num_values, sizeof(float));
    TRY(reader->values);
    reader->values[reader->table.num_values++] = value;
    return true;
}

// Reads { v, v, ... } behind its first brace. In lenient mode a token that is not a number
// reads as 0, a comma may be missing, and one may stand behind the last value. Returns false after
// an error.
static bool read_values(table_reader *reader)
{
    const bool is_lenient = md5_is_lenient(reader->lex.game);
    for (;;) {
        md5_token token;
        float value;
        if (is_lenient && md5i_decl_lex_take(&reader->lex, "}"))
            return true;
        TRY(md5i_decl_lex_float(&reader->lex, &value) || is_lenient);
        TRY(add_value(reader, value));
        const bool is_read = md5i_decl_lex_read(&reader->lex, &token);
        if (is_read && md5i_token_is(&token, "}"))
            return true;
        if (!is_read || !md5i_token_is(&token, ",")) {
            md5i_decl_lex_warn(&reader->lex, "expected comma or brace");
            TRY(is_lenient && is_read);
            md5i_decl_lex_unread(&reader->lex, &token);
        }
    }
}

static bool read_table(table_reader *reader)
{
    md5_token token;
    (void)md5i_decl_lex_skip_until(&reader->lex, "{");
    while (!reader->is_defaulted && md5i_decl_lex_read(&reader->lex, &token)
           && !md5i_token_is(&token, "}")) {
        if (md5i_token_is_word(&token, "snap")) {
            reader->table.is_snapped = true;
        } else if (md5i_token_is_word(&token, "clamp")) {
            reader->table.is_clamped = true;
        } else if (md5i_token_is(&token, "{")) {
            TRY(read_values(reader) || md5_is_lenient(reader->lex.game));
        } else {
            md5i_decl_error(&reader->lex, "snap, clamp or '{'", "unknown token %s",
                            MD5_SHOWN(&token));
        }
    }
    return !reader->is_defaulted && reader->table.num_values > 0;
}

bool md5i_parse_table(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return true;
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    table_reader reader = {.values = NULL};
    md5i_decl_lex_begin_decl(&reader.lex, game, entry, &reader.is_defaulted);
    const bool is_good = read_table(&reader);
    if (!is_good) // a table with an error is { { 0 } }
        reader.table = (md5_table){.num_values = 0};
    (void)(is_good || add_value(&reader, 0.0f));
    // What was read, with the first value again at the end.
    const uint32_t count = reader.table.num_values;
    md5_table *const table = MD5_NEW(&game->arena, md5_table, 1);
    float *const values = MD5_NEW(&game->arena, float, count + 1);
    const bool is_kept = table && values && md5_game_has_memory(game);
    if (is_kept) {
        memcpy(values, reader.values, count * sizeof *values);
        values[count] = values[0];
        *table = reader.table;
        table->decl = &entry->decl;
        table->values = values;
        entry->parsed = table;
        entry->decl.state = is_good ? MD5_DECL_PARSED : MD5_DECL_DEFAULTED;
    }
    md5i_arena_rewind(&game->scratch, before);
    return is_kept;
}

const md5_table *md5_game_table(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    return (const md5_table *)md5i_request(game, MD5_DECL_TABLE, name, md5i_parse_table, error);
}

// -- Values ---------------------------------------------------------------------------------------

// The value between two neighbours, or the first of them.
static float value_between(const md5_table *table, uint32_t first, float part)
{
    if (table->is_snapped)
        return table->values[first];
    return table->values[first] * (1.0f - part) + table->values[first + 1] * part;
}

float md5i_table_at(const md5_table *table, float x)
{
    MD5_ASSERT_NOT_NULL(table);
    const uint32_t count = table->num_values;
    if (count <= 1)
        return 1.0f;
    const float size = (float)count;
    const float last = (float)(count - 1);
    float place = table->is_clamped ? x * last : x * size;
    if (!(place > -FLT_MAX && place < FLT_MAX))
        return 0.0f;
    if (table->is_clamped) {
        place = place < 0.0f ? 0.0f : place > last ? last : place;
        const uint32_t first = (uint32_t)place;
        return value_between(table, first, place - (float)first);
    }
    if (place < 0.0f)
        place += size * ceilf(-place / size);
    const float whole = floorf(place);
    const uint32_t first = (uint32_t)fmodf(whole, size);
    return value_between(table, first < count ? first : 0, place - whole);
}

// == Expressions ==================================================================================
//
// Expressions of materials, compiled to operations on registers.
//
//   level 4: && ||   level 3: > >= < <= == !=   level 2: + -   level 1: * / %   level 0: terms
//
// Operators of one level are right-associative, as in the engine: what follows an operator is read
// at the same level again. Equal constants share a register, sums and products of constants are
// computed here, and x + 0, x * 1 and x * 0 are simplified, which is exact unless x is not finite.
//
// The engine's parser is recursive; this one keeps on a stack the frames that wait for the value
// being read: a level, which will look for an operator; an operator with its left operand; a
// bracket; a table.

enum { TOP_LEVEL = 4 };
enum { FRAME_OPERATOR = TOP_LEVEL + 1, FRAME_BRACKET, FRAME_TABLE }; // 1 to 4: a level

// Expects a token. Another one is a warning, and in engine mode sets parser->is_defaulted.
static void match(md5_material_parser *parser, const char *text)
{
    md5_token token;
    if (!md5_is_lenient(parser->game)) {
        parser->is_defaulted |= !md5i_decl_lex_expect(parser->lex, text);
        return;
    }
    // The token that is there instead is read again: only the missing one is skipped.
    if (!md5i_decl_lex_read(parser->lex, &token)) {
        md5i_decl_lex_warn(parser->lex, "couldn't find expected '%s'", text);
    } else if (!md5i_token_is(&token, text)) {
        md5i_decl_lex_warn(parser->lex, "expected '%s' but found %s", text, MD5_SHOWN(&token));
        md5i_decl_lex_unread(parser->lex, &token);
    }
}

// -- Registers ------------------------------------------------------------------------------------

void md5i_clear_expressions(md5_material_parser *parser)
{
    parser->material.num_registers = MD5_FIRST_REGISTER;
    parser->material.num_ops = 0;
    parser->num_frames = 0;
    memset(parser->constants, 0, sizeof parser->constants);
    for (uint32_t i = 0; i < MD5_FIRST_REGISTER; i++) {
        parser->is_temporary[i] = true;
        parser->registers[i] = 0.0f;
    }
}

static void exceed(md5_material_parser *parser, const char *what)
{
    md5_decl_lex lex;
    md5i_decl_lex_begin(&lex, parser->game, parser->decl->file, parser->decl->line, "", 0);
    md5i_decl_lex_warn(&lex, "material %s has too many %s", MD5_QUOTED(parser->decl->name), what);
    parser->is_defaulted = true;
}

static bool add_register(md5_material_parser *parser, float value, bool is_temporary)
{
    uint32_t *const count = &parser->material.num_registers;
    if (*count == MD5_MAX_REGISTERS) {
        exceed(parser, "registers");
        return false;
    }
    parser->registers[*count] = value;
    parser->is_temporary[*count] = is_temporary;
    ++*count;
    return true;
}

// Returns the register of a constant.
static uint32_t add_constant(md5_material_parser *parser, float value)
{
    // The slot of the constant, or the empty one where it belongs. At least half of the slots are
    // empty, so the search ends.
    const float folded = value == 0.0f ? 0.0f : value; // 0 and -0 are equal
    uint32_t bits;
    memcpy(&bits, &folded, sizeof bits);
    uint32_t slot = bits * 0x9E3779B1u >> 19;
    while (parser->constants[slot] != 0 && !(parser->registers[parser->constants[slot]] == value))
        slot = (slot + 1) % MD5_CONSTANT_SLOTS;
    if (parser->constants[slot] != 0)
        return parser->constants[slot];
    const uint32_t added = parser->material.num_registers;
    if (!add_register(parser, value, false))
        return 0;
    parser->constants[slot] = (uint16_t)added;
    return added;
}

static bool is_constant(const md5_material_parser *parser, uint32_t index, float value)
{
    return !parser->is_temporary[index] && parser->registers[index] == value;
}

static uint32_t emit(md5_material_parser *parser, md5_material_op_kind kind, uint32_t a, uint32_t b,
                     const md5_table *table)
{
    uint32_t *const count = &parser->material.num_ops;
    const uint32_t result = parser->material.num_registers;
    if (*count == MD5_MAX_OPS) {
        exceed(parser, "operations");
        return 0;
    }
    if (!add_register(parser, 0.0f, true))
        return 0;
    md5_material_op *const op = &parser->ops[(*count)++];
    op->kind = kind;
    op->a = a;
    op->b = b;
    op->result = result;
    op->table = table;
    return result;
}

// Returns the register of the value of an operation, which may be a constant too.
static uint32_t add_op(md5_material_parser *parser, md5_material_op_kind kind, uint32_t a,
                       uint32_t b)
{
    const bool are_constant = !parser->is_temporary[a] && !parser->is_temporary[b];
    if (kind == MD5_OP_ADD) {
        if (is_constant(parser, a, 0.0f))
            return b;
        if (is_constant(parser, b, 0.0f))
            return a;
        if (are_constant)
            return add_constant(parser, parser->registers[a] + parser->registers[b]);
    }
    if (kind == MD5_OP_MULTIPLY) {
        if (is_constant(parser, a, 1.0f) || is_constant(parser, b, 0.0f))
            return is_constant(parser, a, 0.0f) ? a : b;
        if (is_constant(parser, b, 1.0f) || is_constant(parser, a, 0.0f))
            return a;
        if (are_constant)
            return add_constant(parser, parser->registers[a] * parser->registers[b]);
    }
    return emit(parser, kind, a, b, NULL);
}

// -- Terms ----------------------------------------------------------------------------------------

static bool push(md5_material_parser *parser, uint32_t kind, uint32_t left, md5_material_op_kind op,
                 const md5_table *table)
{
    if (parser->num_frames == MD5_MAX_FRAMES) {
        exceed(parser, "brackets and operators in an expression");
        return false;
    }
    md5_expression_frame *const frame = &parser->frames[parser->num_frames++];
    frame->kind = kind;
    frame->left = left;
    frame->op = op;
    frame->table = table;
    return true;
}

// Begins to read at a level: each level first reads an operand of the level below.
static bool descend(md5_material_parser *parser, uint32_t level)
{
    for (; level > 0; level--)
        TRY(push(parser, level, 0, MD5_OP_ADD, NULL));
    return true;
}

// Returns whether a token is `word` with a number below `count`, such as parm11.
static bool is_numbered(const md5_token *token, const char *word, uint32_t count, uint32_t *number)
{
    const size_t length = strlen(word);
    const md5_token start = {.text = token->text, .size = length};
    if (token->size <= length || token->size > length + 2 || !md5i_token_is_word(&start, word))
        return false;
    const char first = token->text[length];
    const char second = token->size > length + 1 ? token->text[length + 1] : '\0';
    if (first < '0' || first > '9'
        || (second != '\0' && (first == '0' || second < '0' || second > '9')))
        return false;
    *number = (uint32_t)(first - '0');
    if (second != '\0')
        *number = 10 * *number + (uint32_t)(second - '0');
    return *number < count;
}

// Reads a term and returns its register; or opens a bracket, whose content is read next.
static uint32_t read_term(md5_material_parser *parser, bool *is_open)
{
    md5_token token;
    uint32_t number = 0;
    *is_open = false;
    if (!md5i_decl_lex_read(parser->lex, &token))
        token = (md5_token){.text = ""};
    if (md5i_token_is(&token, "(")) {
        *is_open = push(parser, FRAME_BRACKET, 0, MD5_OP_ADD, NULL) && descend(parser, TOP_LEVEL);
        return 0;
    }
    if (md5i_token_is_word(&token, "time"))
        return MD5_REGISTER_TIME;
    if (is_numbered(&token, "parm", 12, &number))
        return MD5_REGISTER_PARM0 + number;
    if (is_numbered(&token, "global", 8, &number))
        return MD5_REGISTER_GLOBAL0 + number;
    if (md5i_token_is_word(&token, "fragmentPrograms"))
        return add_constant(parser, 1.0f);
    if (md5i_token_is_word(&token, "sound"))
        return emit(parser, MD5_OP_SOUND, 0, 0, NULL);
    if (md5i_token_is(&token, "-")) {
        // Read what follows a minus. If that is not a number, it is an error; in lenient mode
        // then sets `is_open`, reads it as a term, and subtracts that from 0.
        md5_token next;
        if (!md5i_decl_lex_read(parser->lex, &next))
            next = (md5_token){.text = ""};
        if (next.kind == MD5_TOKEN_NUMBER || md5i_token_is(&next, "."))
            return add_constant(parser, -md5i_token_float(&next));
        md5i_decl_error(parser->lex, "a number", "Bad negative number %s", MD5_SHOWN(&next));
        if (parser->is_defaulted || next.size == 0)
            return 0;
        md5i_decl_lex_unread(parser->lex, &next);
        const uint32_t zero = add_constant(parser, 0.0f);
        *is_open = push(parser, FRAME_OPERATOR, zero, MD5_OP_SUBTRACT, NULL);
        return 0;
    }
    if (token.kind == MD5_TOKEN_NUMBER || md5i_token_is(&token, "."))
        return add_constant(parser, md5i_token_float(&token));
    md5_decl_entry *const entry =
        md5i_find_entry(parser->game, MD5_DECL_TABLE, token.text, token.size);
    if (entry && !md5i_parse_table(parser->game, entry)) {
        parser->is_defaulted = true; // out of memory
    } else if (entry) {
        match(parser, "[");
        *is_open = push(parser, FRAME_TABLE, 0, MD5_OP_TABLE, (const md5_table *)entry->parsed)
                   && descend(parser, TOP_LEVEL);
    } else {
        // A word that is no table is 1 in lenient mode, with or without an index.
        const bool is_word = token.kind != MD5_TOKEN_PUNCTUATION;
        md5i_decl_error(parser->lex, "a number, a parameter or a table, read as 1", "Bad term %s",
                        MD5_SHOWN(&token));
        if (!parser->is_defaulted && !is_word)
            md5i_decl_lex_unread(parser->lex, &token);
        *is_open = !parser->is_defaulted && is_word && md5i_decl_lex_take(parser->lex, "[")
                   && push(parser, FRAME_TABLE, 0, MD5_OP_TABLE, NULL)
                   && descend(parser, TOP_LEVEL);
    }
    return parser->is_defaulted ? 0 : add_constant(parser, 1.0f);
}

// -- Operators ------------------------------------------------------------------------------------

static const struct operator_word {
    const char *text;
    uint32_t level;
    md5_material_op_kind kind;
} operator_words[] = {
    {"*", 1, MD5_OP_MULTIPLY},
    {"/", 1, MD5_OP_DIVIDE},
    {"%", 1, MD5_OP_MODULO},
    {"+", 2, MD5_OP_ADD},
    {"-", 2, MD5_OP_SUBTRACT},
    {">", 3, MD5_OP_GREATER},
    {">=", 3, MD5_OP_GREATER_EQUAL},
    {"<", 3, MD5_OP_LESS},
    {"<=", 3, MD5_OP_LESS_EQUAL},
    {"==", 3, MD5_OP_EQUAL},
    {"!=", 3, MD5_OP_NOT_EQUAL},
    {"&&", 4, MD5_OP_AND},
    {"||", 4, MD5_OP_OR},
};

// Looks for an operator of a level that has its left operand. Returns whether there is one, whose
// right operand is read next.
static bool open_operator(md5_material_parser *parser, uint32_t level, uint32_t left)
{
    md5_token token;
    if (!md5i_decl_lex_read(parser->lex, &token))
        return false;
    for (uint32_t i = 0; i < MD5_COUNT(operator_words); i++) {
        const struct operator_word *const row = &operator_words[i];
        if (row->level == level && md5i_token_is(&token, row->text))
            return push(parser, FRAME_OPERATOR, left, row->kind, NULL) && descend(parser, level);
    }
    md5i_decl_lex_unread(parser->lex, &token);
    return false;
}

// Gives a value to the frames that wait for it, and the result to those below. Returns true if
// another term must be read first.
static bool hand_over(md5_material_parser *parser, uint32_t *value)
{
    while (parser->num_frames > 0) {
        const md5_expression_frame frame = parser->frames[--parser->num_frames];
        if (frame.kind == FRAME_OPERATOR) {
            *value = add_op(parser, frame.op, frame.left, *value);
        } else if (frame.kind == FRAME_BRACKET) {
            match(parser, ")");
        } else if (frame.kind == FRAME_TABLE) {
            match(parser, "]");
            *value = frame.table ? emit(parser, MD5_OP_TABLE, 0, *value, frame.table)
                                 : add_constant(parser, 1.0f);
        } else if (parser->is_defaulted) {
            *value = 0;
        } else if (open_operator(parser, frame.kind, *value)) {
            return true;
        }
    }
    return false;
}

uint32_t md5i_read_expression(md5_material_parser *parser)
{
    uint32_t value = 0;
    bool is_open;
    parser->num_frames = 0;
    (void)descend(parser, TOP_LEVEL);
    do {
        value = read_term(parser, &is_open);
    } while (is_open || hand_over(parser, &value));
    return value;
}

// == Evaluation ===================================================================================
//
// Evaluation of the registers of materials.

// Truncates a float to an integer, clamped to the range of int32_t; NaN becomes 0.
static int32_t whole(float value)
{
    if (!(value > -2147483648.0f))
        return value == value ? INT32_MIN : 0;
    return value < 2147483648.0f ? (int32_t)value : INT32_MAX;
}

static float truth(bool value)
{
    return value ? 1.0f : 0.0f;
}

static float value_of(const md5_material_op *op, const md5_material_input *input,
                      const float *registers)
{
    const float a = registers[op->a];
    const float b = registers[op->b];
    switch (op->kind) {
    case MD5_OP_ADD:
        return a + b;
    case MD5_OP_SUBTRACT:
        return a - b;
    case MD5_OP_MULTIPLY:
        return a * b;
    case MD5_OP_DIVIDE:
        return a / b;
    case MD5_OP_MODULO: {
        const int32_t by = whole(b);
        return by == 0 || by == -1 ? 0.0f : (float)(whole(a) % by);
    }
    case MD5_OP_TABLE:
        return md5i_table_at(op->table, b);
    case MD5_OP_SOUND:
        return input->sound;
    case MD5_OP_GREATER:
        return truth(a > b);
    case MD5_OP_GREATER_EQUAL:
        return truth(a >= b);
    case MD5_OP_LESS:
        return truth(a < b);
    case MD5_OP_LESS_EQUAL:
        return truth(a <= b);
    case MD5_OP_EQUAL:
        return truth(a == b);
    case MD5_OP_NOT_EQUAL:
        return truth(a != b);
    case MD5_OP_AND:
        return truth(a != 0.0f && b != 0.0f);
    default: // MD5_OP_OR
        return truth(a != 0.0f || b != 0.0f);
    }
}

void md5_evaluate_material(const md5_material *material, const md5_material_input *input,
                           float *registers)
{
    MD5_ASSERT_PART(material, decl);
    MD5_ASSERT_NOT_NULL(input);
    MD5_ASSERT_RESERVED(input);
    MD5_ASSERT_NOT_NULL(registers);
    memcpy(registers, material->registers, material->num_registers * sizeof *registers);
    registers[MD5_REGISTER_TIME] = input->time;
    memcpy(registers + MD5_REGISTER_PARM0, input->parms, sizeof input->parms);
    memcpy(registers + MD5_REGISTER_GLOBAL0, input->globals, sizeof input->globals);
    for (uint32_t i = 0; i < material->num_ops; i++) {
        const md5_material_op *const op = &material->ops[i];
        registers[op->result] = value_of(op, input, registers);
    }
}

void md5_stage_matrix(const md5_stage *stage, const float *registers, float matrix[2][3])
{
    static const float identity[2][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    const float most = 40.0f; // textures repeat, and large offsets would cost precision
    MD5_ASSERT_PART(stage, matrix);
    MD5_ASSERT_NOT_NULL(registers);
    memcpy(matrix, identity, sizeof identity);
    if (!stage->has_matrix)
        return;
    for (uint32_t row = 0; row < 2; row++) {
        for (uint32_t column = 0; column < 3; column++)
            matrix[row][column] = registers[stage->matrix[row][column]];
        const float offset = matrix[row][2];
        if (offset < -most || offset > most)
            matrix[row][2] = offset - truncf(offset);
    }
}

// == Stages of materials =========================================================================

enum { MD5_PROGRAM_VERTEX = 1, MD5_PROGRAM_FRAGMENT = 2 };

// == Texture matrices =============================================================================
//
// Texture matrices: each word multiplies its matrix from the right, in expressions.

static uint32_t product(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    return add_op(parser, MD5_OP_MULTIPLY, a, b);
}

static uint32_t sum(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    return add_op(parser, MD5_OP_ADD, a, b);
}

// The order of operations is the engine's, and so are the roundings.
static void multiply(md5_material_parser *parser, uint32_t by[2][3])
{
    md5_stage *const stage = parser->stage;
    uint32_t old[2][3];
    if (!stage->has_matrix) {
        stage->has_matrix = true;
        memcpy(stage->matrix, by, sizeof stage->matrix);
        return;
    }
    memcpy(old, stage->matrix, sizeof old);
    for (uint32_t row = 0; row < 2; row++) {
        for (uint32_t column = 0; column < 3; column++) {
            uint32_t *const to = &stage->matrix[row][column];
            const uint32_t first = product(parser, old[row][0], by[0][column]);
            *to = sum(parser, first, product(parser, old[row][1], by[1][column]));
            if (column == 2)
                *to = sum(parser, *to, old[row][2]);
        }
    }
}

// 0.5 - 0.5 x: what keeps the middle of a texture where it is.
static uint32_t centered(md5_material_parser *parser, uint32_t x)
{
    const uint32_t half = add_constant(parser, 0.5f);
    return add_op(parser, MD5_OP_SUBTRACT, half, product(parser, half, x));
}

enum { PAIR_SCROLL, PAIR_SCALE, PAIR_CENTER_SCALE, PAIR_SHEAR };

// Reads `a , b`.
static void read_pair(md5_material_parser *parser)
{
    const uint32_t a = md5i_read_expression(parser);
    match(parser, ",");
    const uint32_t b = md5i_read_expression(parser);
    const uint32_t one = add_constant(parser, 1.0f);
    if (parser->value == PAIR_SHEAR) {
        const uint32_t minus_half = add_constant(parser, -0.5f);
        const uint32_t s = product(parser, minus_half, a);
        const uint32_t t = product(parser, minus_half, b);
        uint32_t shear[2][3] = {{one, a, s}, {b, one, t}};
        multiply(parser, shear);
        return;
    }
    const uint32_t zero = add_constant(parser, 0.0f);
    const bool is_centered = parser->value == PAIR_CENTER_SCALE;
    const uint32_t s = is_centered ? centered(parser, a) : zero;
    const uint32_t t = is_centered ? centered(parser, b) : zero;
    uint32_t scroll[2][3] = {{one, zero, a}, {zero, one, b}};
    uint32_t scale[2][3] = {{a, zero, s}, {zero, b, t}};
    multiply(parser, parser->value == PAIR_SCROLL ? scroll : scale);
}

// a * first + b * second + 0.5
static uint32_t turned(md5_material_parser *parser, float a, uint32_t first, float b,
                       uint32_t second)
{
    const uint32_t left = product(parser, add_constant(parser, a), first);
    const uint32_t right = product(parser, add_constant(parser, b), second);
    return sum(parser, sum(parser, left, right), add_constant(parser, 0.5f));
}

// The value of one of the game's tables at a register.
static bool read_turn_table(md5_material_parser *parser, const char *name, uint32_t turns,
                            uint32_t *value)
{
    md5_decl_entry *const entry = md5i_find_entry(parser->game, MD5_DECL_TABLE, name, strlen(name));
    if (!entry || !md5i_parse_table(parser->game, entry)) {
        md5i_decl_error(parser->lex, "a table of this name: nothing is rotated",
                        "no %s for rotate defined", name);
        return false;
    }
    *value = emit(parser, MD5_OP_TABLE, 0, turns, (const md5_table *)entry->parsed);
    return true;
}

// Rotates by a number of full turns, around the middle of the texture, with the sine and cosine of
// the game's tables.
static void read_rotate(md5_material_parser *parser)
{
    uint32_t sine, cosine;
    const uint32_t turns = md5i_read_expression(parser);
    if (!read_turn_table(parser, "sinTable", turns, &sine)
        || !read_turn_table(parser, "cosTable", turns, &cosine))
        return;
    const uint32_t zero = add_constant(parser, 0.0f);
    const uint32_t minus_sine = add_op(parser, MD5_OP_SUBTRACT, zero, sine);
    const uint32_t s = turned(parser, -0.5f, cosine, 0.5f, sine);
    const uint32_t t = turned(parser, -0.5f, sine, -0.5f, cosine);
    uint32_t matrix[2][3] = {{cosine, minus_sine, s}, {sine, cosine, t}};
    multiply(parser, matrix);
}

// == Shader programs ==============================================================================
//
// Shader programs, and their inputs.

static void set_program(md5_material_parser *parser, int which, const char *name)
{
    md5_stage_program *const program = &parser->stage->program;
    if (which & MD5_PROGRAM_VERTEX)
        program->vertex = name;
    if (which & MD5_PROGRAM_FRAGMENT)
        program->fragment = name;
}

static void read_program(md5_material_parser *parser)
{
    md5_token token;
    if (md5i_decl_lex_read_on_line(parser->lex, &token))
        set_program(parser, parser->value, md5i_keep_token(parser->game, &token));
}

// A mega texture is a file of the engine's own format. Without the file, the material is defaulted
// in engine mode.
static void read_mega_texture(md5_material_parser *parser)
{
    char path[MD5_IMAGE_TEXT];
    md5_token token;
    if (!md5i_decl_lex_read_on_line(parser->lex, &token)) {
        md5i_decl_error(parser->lex, "a file", "missing file of 'megaTexture'");
        return;
    }
    size_t size = token.size < sizeof path / 2 ? token.size : sizeof path / 2;
    for (size_t i = 0; i < size; i++) {
        if (token.text[i] == '.')
            size = i;
    }
    (void)snprintf(path, sizeof path, "megaTextures/%.*s.mega", (int)size, token.text);
    if (md5i_game_find_file(parser->game, path))
        set_program(parser, MD5_PROGRAM_VERTEX | MD5_PROGRAM_FRAGMENT, "megaTexture.vfp");
    else
        parser->is_defaulted |= !md5_is_lenient(parser->game);
}

// Reads the number of an input, below `count`.
static bool read_number(md5_material_parser *parser, const char *what, int32_t count,
                        int32_t *number)
{
    md5_token token = {.text = ""};
    (void)md5i_decl_lex_read_on_line(parser->lex, &token);
    *number = md5i_token_int(&token);
    if (token.kind == MD5_TOKEN_NUMBER && *number >= 0 && *number < count)
        return true;
    md5i_decl_error(parser->lex, "a valid input index", "bad %s number", what);
    if (!parser->is_defaulted)
        md5i_skip_unknown_word(parser->lex, &token, MD5_WORD_STAGE);
    return false;
}

// vertexParm NUMBER x [, y [, z [, w]]]: one value counts for all, a missing z is 0, a missing w 1.
static void read_vertex_parm(md5_material_parser *parser)
{
    md5_stage_program *const program = &parser->stage->program;
    int32_t number;
    if (!read_number(parser, "vertexParm", MD5_MAX_VERTEX_PARMS, &number))
        return;
    if ((uint32_t)number >= program->num_vertex_parms)
        program->num_vertex_parms = (uint32_t)number + 1;
    uint32_t *const values = program->vertex_parms[number];
    values[0] = md5i_read_expression(parser);
    uint32_t count = 1;
    md5_token comma; // another token is lost, as in the engine
    while (count < 4 && md5i_decl_lex_read_on_line(parser->lex, &comma)
           && md5i_token_is(&comma, ","))
        values[count++] = md5i_read_expression(parser);
    for (uint32_t i = count; i < 4; i++)
        values[i] = count == 1 ? values[0] : add_constant(parser, i == 3 ? 1.0f : 0.0f);
}

// Words between the number of an image and the image. Those that set a filter, a depth or a cube
// are not kept.
static const struct fragment_word {
    const char *word;
    int repeat; // -1 = another word
} fragment_words[] = {
    {"cubeMap", -1},
    {"cameraCubeMap", -1},
    {"nearest", -1},
    {"linear", -1},
    {"clamp", MD5_IMAGE_CLAMP},
    {"noclamp", MD5_IMAGE_REPEAT},
    {"zeroclamp", MD5_IMAGE_CLAMP_ZERO},
    {"alphazeroclamp", MD5_IMAGE_CLAMP_ZERO_ALPHA},
    {"forceHighQuality", -1},
    {"uncompressed", -1},
    {"highquality", -1},
    {"nopicmip", -1},
};

static void read_fragment_map(md5_material_parser *parser)
{
    md5_stage_program *const program = &parser->stage->program;
    md5_token token = {.text = ""};
    char text[MD5_IMAGE_TEXT];
    int32_t unit;
    if (!read_number(parser, "fragmentMap", MD5_MAX_FRAGMENT_IMAGES, &unit))
        return;
    if ((uint32_t)unit >= program->num_images)
        program->num_images = (uint32_t)unit + 1;
    program->repeat[unit] = MD5_IMAGE_REPEAT;
    for (;;) {
        token = (md5_token){.text = ""};
        (void)md5i_decl_lex_read_on_line(parser->lex, &token);
        const struct fragment_word *const row =
            MD5_TOKEN_ROW(struct fragment_word, fragment_words, &token);
        if (!row)
            break;
        if (row->repeat >= 0)
            program->repeat[unit] = (md5_image_repeat)row->repeat;
    }
    md5i_decl_lex_unread(parser->lex, &token);
    if (md5i_read_image_text(parser->lex, text))
        (void)md5i_make_image_program(parser->game, text, &program->images[unit]);
}

// == Stages =======================================================================================
//
// Stages: { map IMAGE blend ... }

static md5_quoted material_name(const md5_material_parser *parser)
{
    return md5i_quote(parser->decl->name, strlen(parser->decl->name));
}

// -- Blend ----------------------------------------------------------------------------------------

typedef struct named_bits {
    const char *word;
    uint32_t bits;
} named_bits;

static const named_bits sources[] = {
    {"GL_ONE", 0},
    {"GL_ZERO", 1},
    {"GL_DST_COLOR", 3},
    {"GL_ONE_MINUS_DST_COLOR", 4},
    {"GL_SRC_ALPHA", 5},
    {"GL_ONE_MINUS_SRC_ALPHA", 6},
    {"GL_DST_ALPHA", 7},
    {"GL_ONE_MINUS_DST_ALPHA", 8},
    {"GL_SRC_ALPHA_SATURATE", 9},
    {NULL, 0},
};

static const named_bits destinations[] = {
    {"GL_ZERO", 0x00},      {"GL_ONE", 0x20},
    {"GL_SRC_COLOR", 0x30}, {"GL_ONE_MINUS_SRC_COLOR", 0x40},
    {"GL_SRC_ALPHA", 0x50}, {"GL_ONE_MINUS_SRC_ALPHA", 0x60},
    {"GL_DST_ALPHA", 0x70}, {"GL_ONE_MINUS_DST_ALPHA", 0x80},
    {NULL, 0x20},
};

static const named_bits blends[] = {
    {"blend", 0x65}, {"add", 0x20}, {"filter", 0x03}, {"modulate", 0x03}, {"none", 0x21}, {NULL, 0},
};

static const named_bits lights[] = {
    {"bumpmap", MD5_STAGE_BUMP},
    {"diffusemap", MD5_STAGE_DIFFUSE},
    {"specularmap", MD5_STAGE_SPECULAR},
    {NULL, 0},
};

// Returns the row of a word, or the last row, which has none.
static const named_bits *row_of(const named_bits *rows, const md5_token *token)
{
    while (rows->word && !md5i_token_is_word(token, rows->word))
        rows++;
    return rows;
}

static uint32_t factor_of(md5_material_parser *parser, const named_bits *rows,
                          const md5_token *token)
{
    const named_bits *const row = row_of(rows, token);
    if (!row->word)
        md5i_decl_error(parser->lex, "a blend mode such as blend, or two factors such as GL_ONE",
                        "unknown blend mode %s in material %s", MD5_SHOWN(token),
                        material_name(parser).text);
    return row->bits;
}

static void read_blend(md5_material_parser *parser)
{
    md5_token token;
    if (!md5i_decl_lex_read(parser->lex, &token))
        return;
    const named_bits *const blend = row_of(blends, &token);
    const named_bits *const light = row_of(lights, &token);
    if (blend->word) {
        parser->stage->bits = blend->bits;
        return;
    }
    if (light->word) {
        parser->stage->light = (md5_stage_light)light->bits;
        return;
    }
    const uint32_t source = factor_of(parser, sources, &token);
    const bool is_known = row_of(sources, &token)->word != NULL;
    // An unknown word alone leaves the blend as it is.
    if (!is_known && md5_is_lenient(parser->game) && !md5i_decl_lex_take(parser->lex, ","))
        return;
    if (is_known || !md5_is_lenient(parser->game))
        match(parser, ",");
    if (md5i_decl_lex_read(parser->lex, &token))
        parser->stage->bits = source | factor_of(parser, destinations, &token);
}

// -- Images ---------------------------------------------------------------------------------------

static void read_map(md5_material_parser *parser)
{
    // `map` leaves the kind of an earlier cubeMap as it is.
    if (parser->value != MD5_IMAGE_2D)
        parser->stage->cube = (md5_image_cube)parser->value;
    (void)md5i_read_image_text(parser->lex, parser->image);
}

static void read_dynamic(md5_material_parser *parser)
{
    parser->stage->dynamic = (md5_dynamic_image)parser->value;
    parser->stage->dynamic_width = md5i_decl_lex_int(parser->lex);
    parser->stage->dynamic_height = md5i_decl_lex_int(parser->lex);
    if (parser->value != MD5_IMAGE_REMOTE)
        parser->stage->texgen = MD5_TEXGEN_SCREEN;
}

static void read_video(md5_material_parser *parser)
{
    md5_token token;
    const bool is_sound_map = parser->value != 0;
    bool is_read = md5i_decl_lex_read(parser->lex, &token);
    const bool loops = is_read && !is_sound_map && md5i_token_is_word(&token, "loop");
    if (loops)
        is_read = md5i_decl_lex_read(parser->lex, &token);
    if (!is_read) {
        md5i_decl_lex_warn(parser->lex, "missing parameter for '%s' keyword in material %s",
                           is_sound_map ? "soundmap" : "videoMap", material_name(parser).text);
        return;
    }
    parser->stage->video = md5i_keep_token(parser->game, &token);
    parser->stage->video_loops = loops || is_sound_map;
    parser->stage->is_sound_map = is_sound_map;
}

static void set_filter(md5_material_parser *parser)
{
    parser->stage->filter = (md5_image_filter)parser->value;
}

static void set_repeat(md5_material_parser *parser)
{
    parser->stage->repeat = (md5_image_repeat)parser->value;
}

// -- State ----------------------------------------------------------------------------------------

// A word that sets one bool of md5_stage, given by its offset.
static void set_flag(md5_material_parser *parser)
{
    *(bool *)(void *)((char *)parser->stage + parser->value) = true;
}

static void skip_name(md5_material_parser *parser)
{
    md5i_decl_lex_skip_line(parser->lex);
}

static void set_vertex_color(md5_material_parser *parser)
{
    parser->stage->vertex_color = (md5_vertex_color)parser->value;
}

static void add_bits(md5_material_parser *parser)
{
    parser->stage->bits |= (uint32_t)parser->value;
}

static void set_texgen(md5_material_parser *parser)
{
    parser->stage->texgen = (md5_texgen)parser->value;
}

static void read_polygon_offset(md5_material_parser *parser)
{
    md5_token token;
    parser->stage->polygon_offset = 1.0f;
    if (!md5i_decl_lex_read_on_line(parser->lex, &token))
        return;
    md5i_decl_lex_unread(parser->lex, &token);
    (void)md5i_decl_lex_float(parser->lex, &parser->stage->polygon_offset);
}

static const named_bits texgens[] = {
    {"normal", MD5_TEXGEN_NORMAL},
    {"reflect", MD5_TEXGEN_REFLECT},
    {"skybox", MD5_TEXGEN_SKYBOX},
    {"wobbleSky", MD5_TEXGEN_WOBBLE_SKY},
    {NULL, 0},
};

static void read_texgen(md5_material_parser *parser)
{
    md5_token token;
    (void)md5i_decl_lex_any(parser->lex, &token);
    const named_bits *const row = row_of(texgens, &token);
    if (row->word) {
        parser->stage->texgen = (md5_texgen)row->bits;
    } else {
        // The engine puts no quotes around this name.
        const md5_quoted name = material_name(parser);
        md5i_decl_error(parser->lex, "normal, reflect, skybox or wobbleSky",
                        "bad texGen %s in material %.*s", MD5_SHOWN(&token),
                        (int)strlen(name.text) - 2, name.text + 1);
    }
    for (int i = 0; row->bits == MD5_TEXGEN_WOBBLE_SKY && i < 3; i++)
        parser->material.wobble_registers[i] = md5i_read_expression(parser);
}

static void read_alpha_test(md5_material_parser *parser)
{
    parser->stage->has_alpha_test = true;
    parser->stage->alpha_test = md5i_read_expression(parser);
    parser->material.coverage = MD5_COVERAGE_PERFORATED;
}

static void read_condition(md5_material_parser *parser)
{
    parser->stage->condition = md5i_read_expression(parser);
}

// -- Color ----------------------------------------------------------------------------------------

static void set_colored(md5_material_parser *parser)
{
    for (uint32_t i = 0; i < 4; i++)
        parser->stage->color[i] = MD5_REGISTER_PARM0 + i;
}

// color r, g, b, a
static void read_color(md5_material_parser *parser)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (i > 0)
            match(parser, ",");
        parser->stage->color[i] = md5i_read_expression(parser);
    }
}

// One value for the channels whose bits are set: red 1, green 2, blue 4, alpha 8.
static void read_channels(md5_material_parser *parser)
{
    const uint32_t value = md5i_read_expression(parser);
    for (uint32_t i = 0; i < 4; i++) {
        if (parser->value >> i & 1)
            parser->stage->color[i] = value;
    }
}

// -- Words ----------------------------------------------------------------------------------------

#define STAGE_FLAG(member) set_flag, (int)offsetof(md5_stage, member)

static const struct stage_word {
    const char *word;
    void (*read)(md5_material_parser *parser);
    int value; // parser->value
} words[] = {
    {"name", skip_name, 0},
    {"blend", read_blend, 0},
    {"map", read_map, MD5_IMAGE_2D},
    {"remoteRenderMap", read_dynamic, MD5_IMAGE_REMOTE},
    {"mirrorRenderMap", read_dynamic, MD5_IMAGE_MIRROR},
    {"xrayRenderMap", read_dynamic, MD5_IMAGE_XRAY},
    {"screen", set_texgen, MD5_TEXGEN_SCREEN},
    {"screen2", set_texgen, MD5_TEXGEN_SCREEN2},
    {"glassWarp", set_texgen, MD5_TEXGEN_GLASS_WARP},
    {"videomap", read_video, false},
    {"soundmap", read_video, true},
    {"cubeMap", read_map, MD5_IMAGE_CUBE},
    {"cameraCubeMap", read_map, MD5_IMAGE_CAMERA_CUBE},
    {"ignoreAlphaTest", STAGE_FLAG(ignore_alpha_test)},
    {"nearest", set_filter, MD5_FILTER_NEAREST},
    {"linear", set_filter, MD5_FILTER_LINEAR},
    {"clamp", set_repeat, MD5_IMAGE_CLAMP},
    {"noclamp", set_repeat, MD5_IMAGE_REPEAT},
    {"zeroclamp", set_repeat, MD5_IMAGE_CLAMP_ZERO},
    {"alphazeroclamp", set_repeat, MD5_IMAGE_CLAMP_ZERO_ALPHA},
    {"uncompressed", STAGE_FLAG(high_quality)},
    {"highquality", STAGE_FLAG(high_quality)},
    {"forceHighQuality", STAGE_FLAG(high_quality)},
    {"nopicmip", STAGE_FLAG(no_picmip)},
    {"vertexColor", set_vertex_color, MD5_VERTEX_COLOR_MODULATE},
    {"inverseVertexColor", set_vertex_color, MD5_VERTEX_COLOR_INVERSE},
    {"privatePolygonOffset", read_polygon_offset, 0},
    {"texGen", read_texgen, 0},
    {"scroll", read_pair, PAIR_SCROLL},
    {"translate", read_pair, PAIR_SCROLL},
    {"scale", read_pair, PAIR_SCALE},
    {"centerScale", read_pair, PAIR_CENTER_SCALE},
    {"shear", read_pair, PAIR_SHEAR},
    {"rotate", read_rotate, 0},
    {"maskRed", add_bits, MD5_STAGE_NO_RED},
    {"maskGreen", add_bits, MD5_STAGE_NO_GREEN},
    {"maskBlue", add_bits, MD5_STAGE_NO_BLUE},
    {"maskAlpha", add_bits, MD5_STAGE_NO_ALPHA},
    {"maskColor", add_bits, MD5_STAGE_NO_RED | MD5_STAGE_NO_GREEN | MD5_STAGE_NO_BLUE},
    {"maskDepth", add_bits, MD5_STAGE_NO_DEPTH},
    {"alphaTest", read_alpha_test, 0},
    {"colored", set_colored, 0},
    {"color", read_color, 0},
    {"red", read_channels, 1},
    {"green", read_channels, 2},
    {"blue", read_channels, 4},
    {"alpha", read_channels, 8},
    {"rgb", read_channels, 7},
    {"rgba", read_channels, 15},
    {"if", read_condition, 0},
    {"program", read_program, MD5_PROGRAM_VERTEX | MD5_PROGRAM_FRAGMENT},
    {"fragmentProgram", read_program, MD5_PROGRAM_FRAGMENT},
    {"vertexProgram", read_program, MD5_PROGRAM_VERTEX},
    {"megaTexture", read_mega_texture, 0},
    {"vertexParm", read_vertex_parm, 0},
    {"fragmentMap", read_fragment_map, 0},
};

// -- Stages ---------------------------------------------------------------------------------------

static md5_stage *new_stage(md5_material_parser *parser)
{
    md5_stage *const stage = &parser->stages[parser->material.num_stages];
    memset(stage, 0, sizeof *stage);
    stage->repeat = parser->repeat;
    stage->filter = MD5_FILTER_DEFAULT;
    stage->condition = add_constant(parser, 1.0f);
    for (uint32_t i = 0; i < 4; i++)
        stage->color[i] = stage->condition;
    for (uint32_t i = 0; i < MD5_MAX_FRAGMENT_IMAGES; i++)
        stage->program.images[i].text = "";
    return stage;
}

// A built-in image has its own ways of being sampled.
static bool set_image(md5_material_parser *parser, const char *image, md5_stage *stage)
{
    TRY(md5i_make_image_program(parser->game, image, &stage->image));
    if (stage->image.text[0] == '_')
        md5i_set_builtin_sampling(stage->image.steps[0].file, stage);
    return true;
}

void md5i_read_stage(md5_material_parser *parser)
{
    md5_token token;
    if (parser->material.num_stages == MD5_MAX_STAGES) {
        md5i_decl_lex_warn(parser->lex, "material %s exceeded %d stages",
                           material_name(parser).text, MD5_MAX_STAGES);
        parser->is_defaulted = true;
        return;
    }
    md5_stage *const stage = parser->stage = new_stage(parser);
    parser->image[0] = '\0';
    while (!parser->is_defaulted && md5_game_has_memory(parser->game)) {
        // A text that ends within a stage ends the stage, which in engine mode is a
        // error; in the lenient one the material reports the end.
        const bool is_lenient = md5_is_lenient(parser->game);
        const bool is_read = is_lenient ? md5i_decl_lex_read(parser->lex, &token)
                                        : md5i_decl_lex_any(parser->lex, &token);
        parser->is_defaulted |= !is_read && !is_lenient;
        if (parser->is_defaulted)
            break;
        if (!is_read || md5i_token_is(&token, "}")) {
            parser->material.num_stages++;
            // The image of a stage, once its last word has been read.
            const bool has_other =
                stage->video || stage->dynamic || stage->program.vertex || stage->program.fragment;
            if (parser->image[0] == '\0' && has_other) {
                stage->image.text = "";
                return;
            }
            if (parser->image[0] == '\0')
                md5i_decl_lex_warn(parser->lex, "material %s had stage with no image",
                                   material_name(parser).text);
            (void)set_image(parser, parser->image, stage);
            return;
        }
        const struct stage_word *const row = MD5_TOKEN_ROW(struct stage_word, words, &token);
        if (row) {
            parser->value = row->value;
            row->read(parser);
            continue;
        }
        md5i_unknown_word(parser->lex, &token, MD5_WORD_STAGE, "unknown token", parser->decl->name,
                          "a stage keyword or '}'");
    }
}

bool md5i_add_plain_stage(md5_material_parser *parser, md5_stage_light light, const char *image)
{
    md5_stage *const stage = new_stage(parser);
    parser->material.num_stages++;
    stage->light = light;
    stage->repeat = MD5_IMAGE_REPEAT;
    return set_image(parser, image, stage);
}
