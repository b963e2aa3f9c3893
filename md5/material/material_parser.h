// The state of the parse of one material. A game has one parser, which its first material makes;
// its sizes are the engine's limits, so that parsing allocates only what stays.
#ifndef MD5_MATERIAL_MATERIAL_PARSER_H
#define MD5_MATERIAL_MATERIAL_PARSER_H

#include "md5/decl/decl_lex.h"
#include "md5/material/image.h"

enum {
    MD5_MAX_STAGES = 256,
    MD5_MAX_OPS = 4096,
    MD5_MAX_FRAMES = 8192, // of expressions that are open at a time
    MD5_CONSTANT_SLOTS = 8192
};

// A part of an expression that waits for the value of what is being read: see stage.c.
typedef struct md5_expression_frame {
    uint32_t kind;
    uint32_t left; // register
    md5_material_op_kind op;
    const md5_table *table;
} md5_expression_frame;

typedef struct md5_material_parser {
    md5_game *game;
    const md5_decl *decl;
    md5_decl_lex *lex; // of the text that is read
    bool is_defaulted; // there is an error
    bool forces_overlays;
    int value;                  // of the word that is read: see `words`
    md5_image_repeat repeat;    // of stages that set none
    md5_stage *stage;           // that is read
    char image[MD5_IMAGE_TEXT]; // its own
    md5_material material;      // counts of stages, registers and operations included
    md5_stage stages[MD5_MAX_STAGES];
    md5_material_op ops[MD5_MAX_OPS];
    float registers[MD5_MAX_REGISTERS];
    bool is_temporary[MD5_MAX_REGISTERS];   // not a constant
    uint16_t constants[MD5_CONSTANT_SLOTS]; // registers by the hash of their constant; 0 = none
    md5_expression_frame frames[MD5_MAX_FRAMES];
    uint32_t num_frames;
} md5_material_parser;

// -- stage.c --------------------------------------------------------------------------------------

// Forgets all registers and operations.
void md5i_clear_expressions(md5_material_parser *parser);

// Reads an expression and returns the register of its value. An error is reported, and in the
// engine mode sets parser->is_defaulted.
uint32_t md5i_read_expression(md5_material_parser *parser);

// Reads a stage behind its first brace, and adds it. An error is reported, and in engine
// mode sets parser->is_defaulted.
void md5i_read_stage(md5_material_parser *parser);

// Adds a stage of one image.
bool md5i_add_plain_stage(md5_material_parser *parser, md5_stage_light light, const char *image);

#endif
