// Tables and expressions of materials.
//
// Expressions are compiled to operations on registers. md5_evaluate_material() executes these
// operations for each frame. Some of them sample tables. The parser's state is md5_material_parser.
#include "md5/core/assert.h"
#include "md5/decl/containers.h"
#include "md5/decl/decls.h"
#include "md5/decl/game.h"
#include "md5/material/engine_keywords.h"
#include "md5/material/image.h"
#include "md5/material/material.h"
#include "md5/material/material_parser.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// == Tables =======================================================================================
//
// table NAME { [snap] [clamp] { v, v, ... } }

// A table while it is read.
typedef struct table_reader {
    md5_decl_lex lex;
    md5_table table;
    float *values;     // in game->scratch
    bool is_defaulted; // the table has an error
} table_reader;

// Appends a value to the table. Returns false if memory runs out.
static bool add_value(table_reader *reader, float value)
{
    reader->values = (float *)md5_grow(&reader->lex.game->scratch, reader->values,
                                       reader->table.num_values, sizeof(float));
    TRY(reader->values);
    reader->values[reader->table.num_values++] = value;
    return true;
}

// Reads { v, v, ... } after its first brace. Returns false after an error. The lenient mode accepts
// three mistakes:
//
// - A token that is not a number. It is read as 0.
// - A missing comma.
// - A comma after the last value.
static bool read_values(table_reader *reader)
{
    const bool is_lenient = md5_is_lenient(reader->lex.game);
    for (;;) {
        // In lenient mode the list may be empty, or have a comma after the last value.
        if (is_lenient && md5i_decl_lex_accept(&reader->lex, "}"))
            return true;

        float value; // 0 if the token is not a number
        TRY(md5i_decl_lex_float(&reader->lex, &value) || is_lenient);
        TRY(add_value(reader, value));

        md5_token token;
        const bool is_read = md5i_decl_lex_read(&reader->lex, &token);
        if (is_read && md5i_token_is(&token, "}"))
            return true;
        if (!is_read || !md5i_token_is(&token, ",")) {
            md5i_decl_lex_warn(&reader->lex, "expected comma or brace");
            TRY(is_lenient && is_read);
            md5i_decl_lex_unread(&reader->lex, &token); // the next value, without a comma before it
        }
    }
}

// Reads the part of a table that begins with `token`, which is a keyword or the list of values.
// Returns false after an error in the list. Such an error ends the table only in engine mode.
static bool read_table_part(table_reader *reader, const md5_token *token)
{
    if (md5i_token_is_word(token, "snap")) {
        reader->table.is_snapped = true;
    } else if (md5i_token_is_word(token, "clamp")) {
        reader->table.is_clamped = true;
    } else if (md5i_token_is(token, "{")) {
        const bool is_valid = read_values(reader);
        return is_valid || md5_is_lenient(reader->lex.game);
    } else {
        md5i_decl_error(&reader->lex, "snap, clamp or '{'", "unknown token %s",
                        MD5_QUOTED_TOKEN(token));
    }
    return true;
}

// Reads the declaration of a table. The lexer must be after the name of the table. Stores the
// keywords and the values in `reader`. Returns false if the declaration has an error or no values,
// or if memory runs out.
static bool read_table(table_reader *reader)
{
    (void)md5i_decl_lex_skip_until(&reader->lex, "{");
    while (!reader->is_defaulted) {
        md5_token token;
        const bool is_read = md5i_decl_lex_read(&reader->lex, &token);
        if (!is_read || md5i_token_is(&token, "}"))
            break;
        TRY(read_table_part(reader, &token));
    }
    return !reader->is_defaulted && reader->table.num_values > 0;
}

// Copies a table to the memory of the game, and sets entry->parsed. The first value is stored again
// after the last one, so that sampling can interpolate from the last value to the first. Returns
// false if memory runs out.
static bool store_table(md5_game *game, const table_reader *reader, md5_decl_entry *entry)
{
    const uint32_t count = reader->table.num_values;
    md5_table *const table = MD5_ALLOC_ZEROED(&game->arena, md5_table, 1);
    float *const values = MD5_ALLOC_ZEROED(&game->arena, float, count + 1);
    TRY(table && values && md5_game_is_ok(game));

    memcpy(values, reader->values, count * sizeof *values);
    values[count] = values[0];
    *table = reader->table;
    table->decl = &entry->decl;
    table->values = values;
    entry->parsed = table;
    return true;
}

// Parses a table declaration unless it is parsed already. Expressions of materials sample a table
// like a curve. A table with an error becomes { { 0 } }. Returns false if memory runs out.
bool md5i_parse_table(md5_game *game, md5_decl_entry *entry)
{
    if (entry->parsed)
        return true;
    const md5_arena_mark before = md5i_arena_position(&game->scratch);
    table_reader reader = {.values = NULL};
    md5i_decl_lex_begin_decl(&reader.lex, game, entry, &reader.is_defaulted);

    const bool is_valid = read_table(&reader);
    if (!is_valid) {
        reader.table = (md5_table){.num_values = 0};
        (void)add_value(&reader, 0.0f);
    }
    const bool is_stored = store_table(game, &reader, entry);
    md5i_arena_rewind(&game->scratch, before);
    TRY(is_stored);
    entry->decl.state = is_valid ? MD5_DECL_PARSED : MD5_DECL_DEFAULTED;
    return true;
}

// Returns the table with the given name, or NULL if no file declares it.
const md5_table *md5_game_table(md5_game *game, const char *name, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(game, MD5_TAG_GAME);
    MD5_ASSERT_NOT_NULL(name);
    return (const md5_table *)md5i_request_decl(game, MD5_DECL_TABLE, name, md5i_parse_table,
                                                error);
}

// -- Values ---------------------------------------------------------------------------------------

// Interpolates between the value with the index `first` and the next value. The last value is
// followed by a copy of the first value. A snapped table does not interpolate, and returns the
// value at `first`.
static float value_between(const md5_table *table, uint32_t first, float fraction)
{
    if (table->is_snapped)
        return table->values[first];
    return table->values[first] * (1.0f - fraction) + table->values[first + 1] * fraction;
}

// Returns true if a number is neither infinite nor NaN.
static bool is_finite_number(float number)
{
    return number > -FLT_MAX && number < FLT_MAX;
}

// Returns the value of a clamped table at `x`. 0 is the first value, and 1 is the last value.
static float sample_clamped(const md5_table *table, float x)
{
    const float last = (float)(table->num_values - 1);
    float position = x * last; // in the array of values
    if (!is_finite_number(position))
        return 0.0f;
    if (position < 0.0f)
        position = 0.0f;
    else if (position > last)
        position = last;
    const uint32_t first = (uint32_t)position;
    return value_between(table, first, position - (float)first);
}

// Returns the value of a repeating table at `x`. 0 is the first value, and 1 is the first value of
// the next repetition.
static float sample_repeating(const md5_table *table, float x)
{
    const float size = (float)table->num_values;
    float position = x * size; // in the array of values
    if (!is_finite_number(position))
        return 0.0f;

    // Move a negative position into the first repetition: fmodf() would keep its sign.
    if (position < 0.0f)
        position += size * ceilf(-position / size);
    const float entry = floorf(position);
    const uint32_t first = (uint32_t)fmodf(entry, size);
    return value_between(table, first < table->num_values ? first : 0, position - entry);
}

// Returns the value of a table at `x`, where 1 is the end of the table. Interpolates between
// values, and clamps or repeats outside of 0..1 as the table specifies. A table with less than two
// values is constantly 1.
float md5i_sample_table(const md5_table *table, float x)
{
    MD5_ASSERT_NOT_NULL(table);
    if (table->num_values <= 1)
        return 1.0f;
    return table->is_clamped ? sample_clamped(table, x) : sample_repeating(table, x);
}

// == Expressions ==================================================================================
//
// Expressions of materials, compiled to operations on registers. A register is a numbered float of
// the material: an input, a constant, or the result of an operation. The value of an expression is
// represented by the number of the register that will contain it.
//
//   level 4: && ||   level 3: > >= < <= == !=   level 2: + -   level 1: * / %   level 0: terms
//
// Operators of one level are right-associative, as in the engine: the right operand of an operator
// is read at the level of the operator. Equal constants share a register. Sums and products of
// constants are computed while parsing. x + 0, x * 1 and x * 0 are simplified, which is exact if x
// is finite.
//
// The engine's parser is recursive. This parser uses an explicit stack of frames instead, so that
// nesting cannot overflow the stack of the thread. Each frame waits for a value. After the value
// was read, the top frame is removed and does its work:
//
//   level     searches for an operator of this level after the value
//   operator  combines its left operand with the value
//   bracket   expects `)`
//   table     expects `]`, and samples the table at the value
//   function  combines the value with the result of the earlier arguments
//
// A term such as a bracket contains another expression. The function that reads the start of such a
// term pushes the frames of that expression and sets `is_open`. The value that it returns is then
// unused, because the term has no value yet.

// The level of the operators with the lowest precedence.
enum { TOP_LEVEL = 4 };
// Kinds of frames. Kinds 1 to TOP_LEVEL are levels.
enum { FRAME_OPERATOR = TOP_LEVEL + 1, FRAME_BRACKET, FRAME_TABLE, FRAME_FUNCTION };

// The left operand of a FRAME_FUNCTION whose first argument is being read.
#define NO_OPERAND UINT32_MAX

// Reads an expected token. If there is a different token, reports it. In engine mode, this also
// sets parser->is_defaulted.
void md5i_expect_token(md5_material_parser *parser, const char *text)
{
    md5_token token;
    if (!md5_is_lenient(parser->game)) {
        if (!md5i_decl_lex_expect(parser->lex, text))
            parser->is_defaulted = true;
        return;
    }
    // A different token is not consumed: it is read next, as if the expected token were present.
    if (!md5i_decl_lex_read(parser->lex, &token)) {
        md5i_decl_lex_warn(parser->lex, "couldn't find expected '%s'", text);
    } else if (!md5i_token_is(&token, text)) {
        md5i_decl_lex_warn(parser->lex, "expected '%s' but found %s", text,
                           MD5_QUOTED_TOKEN(&token));
        md5i_decl_lex_unread(parser->lex, &token);
    }
}

// -- Registers ------------------------------------------------------------------------------------

// Removes all expressions of a material. The first registers, which contain the time and the
// parameters of the entity, remain.
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

// Reports that a limit of the parser is exceeded. `elements` is the plural of the limited element.
static void report_too_many(md5_material_parser *parser, const char *elements)
{
    md5_decl_lex lex;
    md5i_decl_lex_begin(&lex, parser->game, parser->decl->file, parser->decl->line, "", 0);
    md5i_decl_lex_warn(&lex, "material %s has too many %s", MD5_QUOTED(parser->decl->name),
                       elements);
    parser->is_defaulted = true;
}

// Adds a register with an initial value. A temporary register receives the result of an operation.
// Returns false and reports the error if the material has too many registers.
static bool add_register(md5_material_parser *parser, float value, bool is_temporary)
{
    uint32_t *const count = &parser->material.num_registers;
    if (*count == MD5_MAX_REGISTERS) {
        report_too_many(parser, "registers");
        return false;
    }
    parser->registers[*count] = value;
    parser->is_temporary[*count] = is_temporary;
    ++*count;
    return true;
}

// Multiplicative hashing: the upper bits of the product with 2^32 / golden ratio.
static const uint32_t HASH_MULTIPLIER = 0x9E3779B1u;
enum { HASH_SHIFT = 32 - 13 }; // MD5_CONSTANT_SLOTS is 2^13

// Returns the register of a constant. Adds a register if the constant does not have one.
uint32_t md5i_add_constant(md5_material_parser *parser, float value)
{
    // Find the slot of the constant, or the empty slot for it, in a hash table. At least half of
    // the slots are empty, so the search ends.
    const float key = value == 0.0f ? 0.0f : value; // 0 and -0 share a register
    uint32_t bits;
    memcpy(&bits, &key, sizeof bits);

    uint32_t slot = bits * HASH_MULTIPLIER >> HASH_SHIFT;
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

// Returns true if a register is a constant with this value.
static bool is_constant(const md5_material_parser *parser, uint32_t index, float value)
{
    return !parser->is_temporary[index] && parser->registers[index] == value;
}

// Adds an operation and returns the register of its result. Reports an error and returns 0 if the
// limit of registers is exceeded. The array of operations has the same capacity, so it cannot be
// full before.
uint32_t md5i_emit_material_op(md5_material_parser *parser, md5_material_op_kind kind, uint32_t a,
                               uint32_t b, const md5_table *table)
{
    const uint32_t result = parser->material.num_registers;
    if (!add_register(parser, 0.0f, true))
        return 0;

    md5_material_op *const op = &parser->ops[parser->material.num_ops++];
    op->kind = kind;
    op->a = a;
    op->b = b;
    op->result = result;
    op->table = table;
    return result;
}

// Returns the register of a + b. Adds an operation only if both operands are needed and one of them
// is not a constant.
static uint32_t add_sum(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    if (is_constant(parser, a, 0.0f))
        return b;
    if (is_constant(parser, b, 0.0f))
        return a;
    if (!parser->is_temporary[a] && !parser->is_temporary[b])
        return md5i_add_constant(parser, parser->registers[a] + parser->registers[b]);
    return md5i_emit_material_op(parser, MD5_OP_ADD, a, b, NULL);
}

// Returns the register of a * b. Adds an operation only if both operands are needed and one of them
// is not a constant.
static uint32_t add_product(md5_material_parser *parser, uint32_t a, uint32_t b)
{
    if (is_constant(parser, a, 0.0f) || is_constant(parser, b, 1.0f))
        return a;
    if (is_constant(parser, b, 0.0f) || is_constant(parser, a, 1.0f))
        return b;
    if (!parser->is_temporary[a] && !parser->is_temporary[b])
        return md5i_add_constant(parser, parser->registers[a] * parser->registers[b]);
    return md5i_emit_material_op(parser, MD5_OP_MULTIPLY, a, b, NULL);
}

// Adds the operation of an operator and returns the register of its result. Only + and * are
// simplified, as in the engine.
uint32_t md5i_add_op(md5_material_parser *parser, md5_material_op_kind kind, uint32_t a, uint32_t b)
{
    if (kind == MD5_OP_ADD)
        return add_sum(parser, a, b);
    if (kind == MD5_OP_MULTIPLY)
        return add_product(parser, a, b);
    return md5i_emit_material_op(parser, kind, a, b, NULL);
}

// -- Terms ----------------------------------------------------------------------------------------

// Pushes a frame, which waits for the next value. `left`, `op` and `table` are used only by the
// kinds of frames that md5_expression_frame lists for them. Reports an error and returns false if
// the stack is full.
static bool push_frame(md5_material_parser *parser, uint32_t kind, uint32_t left,
                       md5_material_op_kind op, const md5_table *table)
{
    if (parser->num_frames == MD5_MAX_FRAMES) {
        report_too_many(parser, "brackets and operators in an expression");
        return false;
    }
    md5_expression_frame *const frame = &parser->frames[parser->num_frames++];
    frame->kind = kind;
    frame->left = left;
    frame->op = op;
    frame->table = table;
    return true;
}

// Pushes the frames of a level and of all levels below it, because an operand of a level is an
// expression of the next lower level.
static bool push_levels(md5_material_parser *parser, uint32_t level)
{
    for (; level > 0; level--)
        TRY(push_frame(parser, level, 0, MD5_OP_ADD, NULL));
    return true;
}

static bool is_decimal_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns the value of a number of one or two digits without a leading 0. Returns UINT32_MAX if the
// text is not such a number.
static uint32_t parse_two_digits(const char *digits, size_t num_digits)
{
    if (num_digits == 0 || num_digits > 2 || !is_decimal_digit(digits[0]))
        return UINT32_MAX;
    const uint32_t first = (uint32_t)(digits[0] - '0');
    if (num_digits == 1)
        return first;

    const bool has_leading_zero = first == 0;
    if (has_leading_zero || !is_decimal_digit(digits[1]))
        return UINT32_MAX;
    return 10 * first + (uint32_t)(digits[1] - '0');
}

// Returns true if a token is `keyword` followed by a number below `count`, such as `parm11`. Then
// stores the number in `number`.
static bool match_numbered_keyword(const md5_token *token, const char *keyword, uint32_t count,
                                   uint32_t *number)
{
    const size_t length = strlen(keyword);
    const md5_token start = {.text = token->text, .size = length};
    if (token->size <= length || !md5i_token_is_word(&start, keyword))
        return false;
    const uint32_t value = parse_two_digits(token->text + length, token->size - length);
    if (value >= count)
        return false;
    *number = value;
    return true;
}

// Returns true if a token is a number in an expression. A single point counts as the number 0.
static bool is_number(const md5_token *token)
{
    return token->kind == MD5_TOKEN_NUMBER || md5i_token_is(token, ".");
}

// Reads a token. Returns an empty token at the end of the text.
static md5_token read_expression_token(md5_material_parser *parser)
{
    md5_token token;
    if (!md5i_decl_lex_read(parser->lex, &token))
        token = (md5_token){.text = ""};
    return token;
}

// Opens a bracket or the index of a table. Returns false if a limit is exceeded.
static bool open_nested(md5_material_parser *parser, uint32_t kind, const md5_table *table)
{
    const md5_material_op_kind op = kind == FRAME_TABLE ? MD5_OP_TABLE : MD5_OP_ADD;
    TRY(push_frame(parser, kind, 0, op, table));
    return push_levels(parser, TOP_LEVEL);
}

// Opens the arguments of min() or max(), which only The Dark Mod has. Returns true if `token` is
// such a function, and sets *is_open to false if a limit is exceeded. Returns false in engine mode.
static bool open_function(md5_material_parser *parser, const md5_token *token, bool *is_open)
{
    const bool is_min = md5i_token_is_word(token, "min");
    const bool is_max = md5i_token_is_word(token, "max");
    if (!md5_is_lenient(parser->game) || !(is_min || is_max))
        return false;
    // A token without an opening parenthesis is not a function, but the name of a table.
    if (!md5i_decl_lex_accept(parser->lex, "("))
        return false;
    const md5_material_op_kind op = is_min ? MD5_OP_MIN : MD5_OP_MAX;
    *is_open =
        push_frame(parser, FRAME_FUNCTION, NO_OPERAND, op, NULL) && push_levels(parser, TOP_LEVEL);
    return true;
}

// Reads the end of an argument of min() or max(). `value` is the argument, and becomes the result
// of all arguments up to this one. Returns true if another argument follows, which must be read
// next. The functions need at least two arguments.
static bool end_argument(md5_material_parser *parser, const md5_expression_frame *frame,
                         uint32_t *value)
{
    const bool is_first_argument = frame->left == NO_OPERAND;
    if (!is_first_argument)
        *value = md5i_add_op(parser, frame->op, frame->left, *value);
    if (!parser->is_defaulted && md5i_decl_lex_accept(parser->lex, ","))
        return push_frame(parser, FRAME_FUNCTION, *value, frame->op, NULL)
               && push_levels(parser, TOP_LEVEL);
    md5i_expect_token(parser, is_first_argument ? "," : ")");
    return false;
}

// Reads the number after a minus and returns the register of the negative number. A term that is
// not a number is an error. In lenient mode such a term is subtracted from 0 instead: sets
// `is_open`, so that the term is read next.
static uint32_t read_negative_number(md5_material_parser *parser, bool *is_open)
{
    const md5_token token = read_expression_token(parser);
    if (is_number(&token))
        return md5i_add_constant(parser, -md5i_token_float(&token));

    md5i_decl_error(parser->lex, "a number", "Bad negative number %s", MD5_QUOTED_TOKEN(&token));
    if (parser->is_defaulted || token.size == 0)
        return 0;

    md5i_decl_lex_unread(parser->lex, &token);
    const uint32_t zero = md5i_add_constant(parser, 0.0f);
    *is_open = push_frame(parser, FRAME_OPERATOR, zero, MD5_OP_SUBTRACT, NULL);
    return 0;
}

// Reports a term that is neither a number, a parameter nor a table. In lenient mode the value of
// the term is 1. If an index follows the term, as after the name of a table, opens the index, so
// that it is read and its value is ignored.
static void read_unknown_term(md5_material_parser *parser, const md5_token *token, bool *is_open)
{
    md5i_decl_error(parser->lex, "a number, a parameter or a table, read as 1", "Bad term %s",
                    MD5_QUOTED_TOKEN(token));
    if (parser->is_defaulted)
        return;
    if (token->kind == MD5_TOKEN_PUNCTUATION) // it belongs to the text after the expression
        md5i_decl_lex_unread(parser->lex, token);
    else if (md5i_decl_lex_accept(parser->lex, "["))
        *is_open = open_nested(parser, FRAME_TABLE, NULL);
}

// Reads the term `NAME [`, and sets `is_open`, so that the index of the table is read next. A name
// that is not a table is an unknown term, whose value is 1. Returns the register of that value, or
// 0 after an error.
static uint32_t read_table_term(md5_material_parser *parser, const md5_token *token, bool *is_open)
{
    md5_decl_entry *const entry =
        md5i_find_entry(parser->game, MD5_DECL_TABLE, token->text, token->size);
    if (!entry) {
        read_unknown_term(parser, token, is_open);
    } else if (!md5i_parse_table(parser->game, entry)) {
        parser->is_defaulted = true; // out of memory
    } else {
        md5i_expect_token(parser, "[");
        *is_open = open_nested(parser, FRAME_TABLE, (const md5_table *)entry->parsed);
    }
    return parser->is_defaulted ? 0 : md5i_add_constant(parser, 1.0f);
}

// Reads a term of an expression: a number, a parameter, a bracket, a function or a table. Returns
// the register of its value. If the term contains an expression, such as a bracket, sets *is_open,
// and the caller must read that expression next.
static uint32_t read_term(md5_material_parser *parser, bool *is_open)
{
    const md5_token token = read_expression_token(parser);
    uint32_t number = 0;
    *is_open = false;

    if (md5i_token_is(&token, "(")) {
        *is_open = open_nested(parser, FRAME_BRACKET, NULL);
        return 0;
    }

    // Read an input of the material: the time, a parameter, or the sound.
    if (md5i_token_is_word(&token, "time"))
        return MD5_REGISTER_TIME;
    if (match_numbered_keyword(&token, "parm", 12, &number))
        return MD5_REGISTER_PARM0 + number;
    if (match_numbered_keyword(&token, "global", 8, &number))
        return MD5_REGISTER_GLOBAL0 + number;
    if (md5i_token_is_word(&token, "fragmentPrograms"))
        return md5i_add_constant(parser, 1.0f);
    if (md5i_token_is_word(&token, "sound"))
        return md5i_emit_material_op(parser, MD5_OP_SOUND, 0, 0, NULL);

    // Read a number, or begin a function or the lookup in a table.
    if (md5i_token_is(&token, "-"))
        return read_negative_number(parser, is_open);
    if (is_number(&token))
        return md5i_add_constant(parser, md5i_token_float(&token));
    if (open_function(parser, &token, is_open))
        return 0;
    return read_table_term(parser, &token, is_open);
}

// -- Operators ------------------------------------------------------------------------------------

static const struct operator_symbol {
    const char *text;
    uint32_t level;
    md5_material_op_kind kind;
} operator_symbols[] = {
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

// Reads an operator of the given level. `left` is its left operand, which was just read. Returns
// true if the next token is such an operator: its right operand must be read next. Otherwise does
// not consume the token and returns false.
static bool read_operator(md5_material_parser *parser, uint32_t level, uint32_t left)
{
    md5_token token;
    if (!md5i_decl_lex_read(parser->lex, &token))
        return false;
    for (uint32_t i = 0; i < MD5_COUNT(operator_symbols); i++) {
        const struct operator_symbol *const symbol = &operator_symbols[i];
        if (symbol->level == level && md5i_token_is(&token, symbol->text)) {
            TRY(push_frame(parser, FRAME_OPERATOR, left, symbol->kind, NULL));
            return push_levels(parser, level);
        }
    }
    md5i_decl_lex_unread(parser->lex, &token);
    return false;
}

// Reads the `]` after the index of a table. Returns the register of the value of the table at
// `index`, or the register of 1 if the table is unknown.
static uint32_t close_table(md5_material_parser *parser, const md5_table *table, uint32_t index)
{
    md5i_expect_token(parser, "]");
    if (!table)
        return md5i_add_constant(parser, 1.0f);
    return md5i_emit_material_op(parser, MD5_OP_TABLE, 0, index, table);
}

// Passes the value of a term to the innermost pending operation, which is the top frame. Then
// passes the result to the next frame, and so on, until a frame needs another term. Values are
// registers. Returns true if a frame needs another term. If no frame is left, returns false, and
// *value is the value of the whole expression.
static bool pass_value_up(md5_material_parser *parser, uint32_t *value)
{
    while (parser->num_frames > 0) {
        const md5_expression_frame frame = parser->frames[--parser->num_frames];
        switch (frame.kind) {
        case FRAME_OPERATOR:
            *value = md5i_add_op(parser, frame.op, frame.left, *value);
            break;
        case FRAME_BRACKET:
            md5i_expect_token(parser, ")");
            break;
        case FRAME_TABLE:
            *value = close_table(parser, frame.table, *value);
            break;
        case FRAME_FUNCTION:
            if (end_argument(parser, &frame, value))
                return true;
            break;
        default: // a level
            if (parser->is_defaulted)
                *value = 0;
            else if (read_operator(parser, frame.kind, *value))
                return true;
            break;
        }
    }
    return false;
}

// Reads an expression, such as `sinTable[time * 0.5] + 1`, and returns the register that will
// contain its value. Keeps open brackets and operators on a stack instead of recursion.
uint32_t md5i_read_expression(md5_material_parser *parser)
{
    uint32_t value = 0;
    bool is_open;
    parser->num_frames = 0;
    (void)push_levels(parser, TOP_LEVEL);
    do {
        value = read_term(parser, &is_open);
    } while (is_open || pass_value_up(parser, &value));
    return value;
}

// == Evaluation ===================================================================================

// Truncates a float to an integer, clamped to the range of int32_t. NaN becomes 0.
static int32_t truncate_operand(float value)
{
    if (!(value > -2147483648.0f))
        return value == value ? INT32_MIN : 0;
    return value < 2147483648.0f ? (int32_t)value : INT32_MAX;
}

static float bool_to_float(bool value)
{
    return value ? 1.0f : 0.0f;
}

// Computes one operation. Logical results are 0 or 1, as in the engine.
static float compute_op(const md5_material_op *op, const md5_material_input *input,
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
        const int32_t divisor = truncate_operand(b);
        if (divisor == 0 || divisor == -1) // INT32_MIN % -1 is undefined
            return 0.0f;
        return (float)(truncate_operand(a) % divisor);
    }
    case MD5_OP_TABLE:
        return md5i_sample_table(op->table, b);
    case MD5_OP_SOUND:
        return input->sound;
    case MD5_OP_MIN:
        return a < b ? a : b;
    case MD5_OP_MAX:
        return a > b ? a : b;
    case MD5_OP_GREATER:
        return bool_to_float(a > b);
    case MD5_OP_GREATER_EQUAL:
        return bool_to_float(a >= b);
    case MD5_OP_LESS:
        return bool_to_float(a < b);
    case MD5_OP_LESS_EQUAL:
        return bool_to_float(a <= b);
    case MD5_OP_EQUAL:
        return bool_to_float(a == b);
    case MD5_OP_NOT_EQUAL:
        return bool_to_float(a != b);
    case MD5_OP_AND:
        return bool_to_float(a != 0.0f && b != 0.0f);
    default: // MD5_OP_OR
        return bool_to_float(a != 0.0f || b != 0.0f);
    }
}

// Computes the values of all expressions of a material for one frame: sets the time and the
// parameters, then runs the operations in their order.
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
        registers[op->result] = compute_op(op, input, registers);
    }
}

// Writes the texture matrix of a stage, which transforms texture coordinates. `registers` are the
// current values of the material's expressions.
void md5_stage_matrix(const md5_stage *stage, const float *registers, float matrix[2][3])
{
    static const float identity[2][3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}};
    // Textures repeat, so that the integer part of an offset has no effect. It is removed from
    // large offsets to preserve precision.
    const float max_offset = 40.0f;

    MD5_ASSERT_PART(stage, matrix);
    MD5_ASSERT_NOT_NULL(registers);

    memcpy(matrix, identity, sizeof identity);
    if (!stage->has_matrix)
        return;

    for (uint32_t row = 0; row < 2; row++) {
        for (uint32_t column = 0; column < 3; column++)
            matrix[row][column] = registers[stage->matrix[row][column]];
        const float offset = matrix[row][2];
        if (offset < -max_offset || offset > max_offset)
            matrix[row][2] = offset - truncf(offset);
    }
}
