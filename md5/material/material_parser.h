// The material parser: its state, and the functions of expressions.c and stage.c. A game has one
// parser, which is created when its first material is parsed. The arrays of the parser have the
// sizes of the engine's limits, so that parsing allocates memory only for the finished material.
#ifndef MD5_MATERIAL_MATERIAL_PARSER_H
#define MD5_MATERIAL_MATERIAL_PARSER_H

#include "md5/decl/decl_lex.h"
#include "md5/material/image.h"

enum {
    MD5_MAX_STAGES = 256,
    MD5_MAX_FRAMES = 8192, // depth of the stack of expressions
    MD5_CONSTANT_SLOTS = 8192
};

// A part of an expression that waits for the value of a later part. expressions.c explains
// this.
typedef struct md5_expression_frame {
    uint32_t kind;           // a level, or one of FRAME_* in expressions.c
    uint32_t left;           // FRAME_OPERATOR, FRAME_FUNCTION: register of the left operand
    md5_material_op_kind op; // FRAME_OPERATOR, FRAME_FUNCTION
    const md5_table *table;  // FRAME_TABLE; NULL if the table is unknown
} md5_expression_frame;

// The state of the parser, and the material that it reads. Functions that read keywords have no
// other parameter, so that tables of keywords can contain them. Such a table also contains an
// argument for its function, which becomes `value`.
//
// A material whose expressions change in each frame has registers, which are numbered floats. They
// contain the inputs of the expressions (time and parameters), constants, and results of
// operations.
typedef struct md5_material_parser {
    md5_game *game;
    const md5_decl *decl; // the declaration that is parsed
    md5_decl_lex *lex;
    bool is_defaulted; // the material has an error, and gets the content of a default material
    bool forces_overlays;
    int value;                  // argument for the function of the current keyword
    md5_image_repeat repeat;    // default of the stages
    md5_stage *stage;           // the current stage
    char image[MD5_IMAGE_TEXT]; // text of the current stage's image program
    md5_material material;      // contains the counts of stages, registers and operations
    md5_stage stages[MD5_MAX_STAGES];
    md5_material_op ops[MD5_MAX_REGISTERS]; // each has a register for its result
    float registers[MD5_MAX_REGISTERS];
    bool is_temporary[MD5_MAX_REGISTERS];   // the register is computed, not a constant
    uint16_t constants[MD5_CONSTANT_SLOTS]; // hash table: constant to register; 0 is empty
    md5_expression_frame frames[MD5_MAX_FRAMES];
    uint32_t num_frames;
} md5_material_parser;

// -- expressions.c --------------------------------------------------------------------------------

// Resets registers and operations to the state of a material without expressions.
void md5i_clear_expressions(md5_material_parser *parser);

// Reads an expression and returns the register of its value. Reports errors. In engine mode an
// error sets parser->is_defaulted.
uint32_t md5i_read_expression(md5_material_parser *parser);

// Adds the operation of an operator and returns the register of its result. Only + and * are
// simplified, as in the engine.
uint32_t md5i_add_op(md5_material_parser *parser, md5_material_op_kind kind, uint32_t a,
                     uint32_t b);

// Returns the register of a constant. Adds a register if the constant does not have one.
uint32_t md5i_add_constant(md5_material_parser *parser, float value);

// Reads an expected token. If there is a different token, reports it. In engine mode, this also
// sets parser->is_defaulted.
void md5i_expect_token(md5_material_parser *parser, const char *text);

// Adds an operation and returns the register of its result. Reports an error and returns 0 if the
// limit of registers is exceeded. The array of operations has the same capacity, so it cannot be
// full before.
uint32_t md5i_emit_material_op(md5_material_parser *parser, md5_material_op_kind kind, uint32_t a,
                               uint32_t b, const md5_table *table);

// -- stage.c --------------------------------------------------------------------------------------

// Reads a stage from the token after its first brace, and adds it. Reports errors. In engine mode
// an error sets parser->is_defaulted.
void md5i_read_stage(md5_material_parser *parser);

// Adds a stage with one image. Returns false if memory runs out.
bool md5i_add_plain_stage(md5_material_parser *parser, md5_stage_light light, const char *image);

#endif
