// Words of stages that have a file of their own.
#ifndef MD5_GAME_STAGE_WORDS_H
#define MD5_GAME_STAGE_WORDS_H

#include "md5/game/image_text.h"
#include "md5/game/material_parser.h"

// A stage that is being read. In the engine's verdict a word sets parser->is_defaulted after a
// mistake. It sets has_memory to false if memory runs out.
typedef struct md5_stage_reader {
    md5_material_parser *parser;
    md5_decl_lex *lex;
    md5_stage *stage;
    char image[MD5_IMAGE_TEXT];
    bool has_memory;
} md5_stage_reader;

enum { MD5_PROGRAM_VERTEX = 1, MD5_PROGRAM_FRAGMENT = 2 };

// In stage_matrix.c. The second argument of these and those below is the value in the table of
// words.
void md5i_read_scroll(md5_stage_reader *reader, int unused);
void md5i_read_scale(md5_stage_reader *reader, int unused);
void md5i_read_center_scale(md5_stage_reader *reader, int unused);
void md5i_read_shear(md5_stage_reader *reader, int unused);
void md5i_read_rotate(md5_stage_reader *reader, int unused);

// In stage_program.c.
void md5i_read_program(md5_stage_reader *reader, int which);
void md5i_read_mega_texture(md5_stage_reader *reader, int unused);
void md5i_read_vertex_parm(md5_stage_reader *reader, int unused);
void md5i_read_fragment_map(md5_stage_reader *reader, int unused);

#endif
