// Expressions: tables, the operations that a material is compiled to, and their evaluation.
#include "md5/core/assert.h"
#include "md5/game/containers.h"
#include "md5/game/decls.h"
#include "md5/game/material.h"
#include "md5/md5game.h"

#include <float.h>
#include <math.h>
#include <string.h>

// == Tables =======================================================================================
//
// Tables: table NAME { [snap] [clamp] { v, v, ... } }

// The values of a table while they are read, in game->scratch.
typedef struct table_reader {
    md5_decl_lex lex;
    md5_table table;
    float *values;
} table_reader;

static bool add_value(table_reader *reader, float value)
{
    reader->values = (float *)md5i_grow(&reader->lex.game->scratch, reader->values,
                                        reader->table.num_values, sizeof(float));
    TRY(reader->values);
    reader->values[reader->table.num_values++] = value;
    return true;
}

// Reads { v, v, ... } behind its first brace. In the lenient verdict a token that is not a number
// reads as 0, a comma may be missing, and one may stand behind the last value.
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
    while (md5i_decl_lex_read(&reader->lex, &token) && !md5i_token_is(&token, "}")) {
        if (md5i_token_is_word(&token, "snap")) {
            reader->table.is_snapped = true;
        } else if (md5i_token_is_word(&token, "clamp")) {
            reader->table.is_clamped = true;
        } else if (md5i_token_is(&token, "{")) {
            TRY(read_values(reader) || md5_is_lenient(reader->lex.game));
        } else {
            TRY(!md5i_mistake(&reader->lex, "snap, clamp or '{'", "unknown token %s",
                              md5i_token_show(&token).text));
        }
    }
    return reader->table.num_values > 0;
}

// Copies what was read into game->arena, with the first value again at the end.
static bool keep_table(md5_game *game, md5_decl_entry *entry, const table_reader *reader)
{
    const uint32_t count = reader->table.num_values;
    md5_table *const table = MD5_NEW(&game->arena, md5_table, 1);
    float *const values = MD5_NEW(&game->arena, float, count + 1);
    TRY(table && values);
    memcpy(values, reader->values, count * sizeof *values);
    values[count] = values[0];
    *table = reader->table;
    table->decl = &entry->decl;
    table->values = values;
    entry->parsed = table;
    return true;
}

bool md5i_parse_table(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return true;
    const md5_arena_mark before = md5i_arena_here(&game->scratch);
    table_reader reader = {.values = NULL};
    md5i_decl_lex_begin_decl(&reader.lex, game, entry);
    const bool is_good = read_table(&reader);
    if (!is_good) // a table with a mistake is { { 0 } }
        reader.table = (md5_table){.num_values = 0};
    const bool is_kept = game->context.error.status == MD5_OK
                         && (is_good || add_value(&reader, 0.0f))
                         && keep_table(game, entry, &reader);
    md5i_arena_rewind(&game->scratch, before);
    if (is_kept)
        entry->decl.state = is_good ? MD5_DECL_PARSED : MD5_DECL_DEFAULTED;
    return is_kept;
}

const md5_table *md5_game_table(md5_game *game, const char *name, md5_error *error)
{
    if (!md5_game_begin(game, error))
        return NULL;
    MD5_ASSERT(name != NULL, "name: not NULL");
    md5_decl_entry *const entry = md5i_find_entry(game, MD5_DECL_TABLE, name, strlen(name));
    const bool is_there = entry && md5i_parse_table(game, entry);
    md5_game_end(game);
    return is_there ? (const md5_table *)entry->parsed : NULL;
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
    MD5_ASSERT(table != NULL, "table: not NULL");
    const uint32_t count = table->num_values;
    if (count <= 1)
        return 1.0f;
    const float size = (float)count, last = (float)(count - 1);
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

void md5i_match(md5_material_parser *parser, md5_decl_lex *lex, const char *text)
{
    md5_token token;
    if (!md5_is_lenient(lex->game)) {
        parser->is_defaulted |= !md5i_decl_lex_expect(lex, text);
        return;
    }
    // The token that is there instead is read again: only the missing one is skipped.
    if (!md5i_decl_lex_read(lex, &token)) {
        md5i_decl_lex_warn(lex, "couldn't find expected '%s'", text);
    } else if (!md5i_token_is(&token, text)) {
        md5i_decl_lex_warn(lex, "expected '%s' but found %s", text, md5i_token_show(&token).text);
        md5i_decl_lex_unread(lex, &token);
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
    md5i_decl_lex_warn(&lex, "material %s has too many %s", md5_quote_text(parser->decl->name).text,
                       what);
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

// Returns the slot of a constant, or the empty one where it belongs. 0 and -0 are equal. At least
// half of the slots are empty, so the search ends.
static uint16_t *constant_slot(md5_material_parser *parser, float value)
{
    const float folded = value == 0.0f ? 0.0f : value;
    uint32_t bits;
    memcpy(&bits, &folded, sizeof bits);
    uint32_t slot = bits * 0x9E3779B1u >> 19;
    while (parser->constants[slot] != 0 && !(parser->registers[parser->constants[slot]] == value))
        slot = (slot + 1) % MD5_CONSTANT_SLOTS;
    return &parser->constants[slot];
}

uint32_t md5i_add_constant(md5_material_parser *parser, float value)
{
    uint16_t *const slot = constant_slot(parser, value);
    if (*slot != 0)
        return *slot;
    const uint32_t added = parser->material.num_registers;
    if (!add_register(parser, value, false))
        return 0;
    *slot = (uint16_t)added;
    return added;
}

static bool is_constant(const md5_material_parser *parser, uint32_t at, float value)
{
    return !parser->is_temporary[at] && parser->registers[at] == value;
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

uint32_t md5i_add_op(md5_material_parser *parser, md5_material_op_kind kind, uint32_t a, uint32_t b)
{
    const bool are_constant = !parser->is_temporary[a] && !parser->is_temporary[b];
    if (kind == MD5_OP_ADD) {
        if (is_constant(parser, a, 0.0f))
            return b;
        if (is_constant(parser, b, 0.0f))
            return a;
        if (are_constant)
            return md5i_add_constant(parser, parser->registers[a] + parser->registers[b]);
    }
    if (kind == MD5_OP_MULTIPLY) {
        if (is_constant(parser, a, 1.0f) || is_constant(parser, b, 0.0f))
            return is_constant(parser, a, 0.0f) ? a : b;
        if (is_constant(parser, b, 1.0f) || is_constant(parser, a, 0.0f))
            return a;
        if (are_constant)
            return md5i_add_constant(parser, parser->registers[a] * parser->registers[b]);
    }
    return emit(parser, kind, a, b, NULL);
}

uint32_t md5i_add_table_op(md5_material_parser *parser, const char *name, size_t size, uint32_t at,
                           bool *found)
{
    md5_decl_entry *const entry = md5i_find_entry(parser->game, MD5_DECL_TABLE, name, size);
    *found = entry && md5i_parse_table(parser->game, entry);
    return *found ? emit(parser, MD5_OP_TABLE, 0, at, (const md5_table *)entry->parsed) : 0;
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

// A word that is neither a term nor a table: in the lenient verdict 1, with or without an index.
// Returns whether an index is read next.
static bool open_unknown(md5_material_parser *parser, md5_decl_lex *lex, const md5_token *token)
{
    parser->is_defaulted |= md5i_mistake(lex, "a number, a parameter or a table, read as 1",
                                         "Bad term %s", md5i_token_show(token).text);
    if (parser->is_defaulted)
        return false;
    if (token->kind == MD5_TOKEN_PUNCTUATION)
        md5i_decl_lex_unread(lex, token);
    return token->kind != MD5_TOKEN_PUNCTUATION && md5i_decl_lex_take(lex, "[")
           && push(parser, FRAME_TABLE, 0, MD5_OP_TABLE, NULL) && descend(parser, TOP_LEVEL);
}

// A table's name. Sets `is_open` if the index in the brackets behind it is read next. Returns false
// if memory runs out.
static bool open_table(md5_material_parser *parser, md5_decl_lex *lex, const md5_token *token,
                       bool *is_open)
{
    md5_decl_entry *const entry =
        md5i_find_entry(parser->game, MD5_DECL_TABLE, token->text, token->size);
    if (!entry) {
        *is_open = open_unknown(parser, lex, token);
        return true;
    }
    TRY(md5i_parse_table(parser->game, entry));
    md5i_match(parser, lex, "[");
    *is_open = push(parser, FRAME_TABLE, 0, MD5_OP_TABLE, (const md5_table *)entry->parsed)
               && descend(parser, TOP_LEVEL);
    return true;
}

// Reads a term and returns its register; or opens a bracket, whose content is read next.
static uint32_t read_term(md5_material_parser *parser, md5_decl_lex *lex, bool *is_open)
{
    md5_token token;
    uint32_t number = 0;
    *is_open = false;
    if (!md5i_decl_lex_read(lex, &token))
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
        return md5i_add_constant(parser, 1.0f);
    if (md5i_token_is_word(&token, "sound"))
        return emit(parser, MD5_OP_SOUND, 0, 0, NULL);
    if (md5i_token_is(&token, "-")) {
        // Read what follows a minus. If that is not a number, it is a mistake; the lenient verdict
        // then sets `is_open`, reads it as a term, and subtracts that from 0.
        md5_token next;
        if (!md5i_decl_lex_read(lex, &next))
            next = (md5_token){.text = ""};
        if (next.kind == MD5_TOKEN_NUMBER || md5i_token_is(&next, "."))
            return md5i_add_constant(parser, -md5i_token_float(&next));
        parser->is_defaulted |=
            md5i_mistake(lex, "a number", "Bad negative number %s", md5i_token_show(&next).text);
        if (parser->is_defaulted || next.size == 0)
            return 0;
        md5i_decl_lex_unread(lex, &next);
        const uint32_t zero = md5i_add_constant(parser, 0.0f);
        *is_open = push(parser, FRAME_OPERATOR, zero, MD5_OP_SUBTRACT, NULL);
        return 0;
    }
    if (token.kind == MD5_TOKEN_NUMBER || md5i_token_is(&token, "."))
        return md5i_add_constant(parser, md5i_token_float(&token));
    if (!open_table(parser, lex, &token, is_open))
        parser->is_defaulted = true; // out of memory
    return parser->is_defaulted ? 0 : md5i_add_constant(parser, 1.0f);
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

static const struct operator_word *operator_of(const md5_token *token, uint32_t level)
{
    for (size_t i = 0; i < sizeof operator_words / sizeof operator_words[0]; i++) {
        if (operator_words[i].level == level && md5i_token_is(token, operator_words[i].text))
            return &operator_words[i];
    }
    return NULL;
}

// Looks for an operator of a level that has its left operand. Returns whether there is one, whose
// right operand is read next.
static bool open_operator(md5_material_parser *parser, md5_decl_lex *lex, uint32_t level,
                          uint32_t left)
{
    md5_token token;
    if (!md5i_decl_lex_read(lex, &token))
        return false;
    const struct operator_word *const found = operator_of(&token, level);
    if (found)
        return push(parser, FRAME_OPERATOR, left, found->kind, NULL) && descend(parser, level);
    md5i_decl_lex_unread(lex, &token);
    return false;
}

// Gives a value to the frames that wait for it, and the result to those below. Returns true if
// another term must be read first.
static bool hand_over(md5_material_parser *parser, md5_decl_lex *lex, uint32_t *value)
{
    while (parser->num_frames > 0) {
        const md5_expression_frame frame = parser->frames[--parser->num_frames];
        if (frame.kind == FRAME_OPERATOR) {
            *value = md5i_add_op(parser, frame.op, frame.left, *value);
        } else if (frame.kind == FRAME_BRACKET) {
            md5i_match(parser, lex, ")");
        } else if (frame.kind == FRAME_TABLE) {
            md5i_match(parser, lex, "]");
            *value = frame.table ? emit(parser, MD5_OP_TABLE, 0, *value, frame.table)
                                 : md5i_add_constant(parser, 1.0f);
        } else if (parser->is_defaulted) {
            *value = 0;
        } else if (open_operator(parser, lex, frame.kind, *value)) {
            return true;
        }
    }
    return false;
}

uint32_t md5i_read_expression(md5_material_parser *parser, md5_decl_lex *lex)
{
    uint32_t value = 0;
    bool is_open;
    parser->num_frames = 0;
    (void)descend(parser, TOP_LEVEL);
    do {
        value = read_term(parser, lex, &is_open);
    } while (is_open || hand_over(parser, lex, &value));
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
    const float a = registers[op->a], b = registers[op->b];
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
    MD5_ASSERT(material != NULL, "material: not NULL");
    MD5_ASSERT(input != NULL, "input: not NULL");
    MD5_ASSERT_RESERVED(input);
    MD5_ASSERT(registers != NULL, "registers: not NULL");
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
    MD5_ASSERT(stage != NULL, "stage: not NULL");
    MD5_ASSERT(registers != NULL, "registers: not NULL");
    memcpy(matrix, identity, sizeof identity);
    if (!stage->has_matrix)
        return;
    for (int row = 0; row < 2; row++) {
        for (int column = 0; column < 3; column++)
            matrix[row][column] = registers[stage->matrix[row][column]];
        const float offset = matrix[row][2];
        if (offset < -most || offset > most)
            matrix[row][2] = offset - truncf(offset);
    }
}
