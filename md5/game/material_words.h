// The words of a material outside its stages.
#ifndef MD5_GAME_MATERIAL_WORDS_H
#define MD5_GAME_MATERIAL_WORDS_H

#include "md5/game/material_parser.h"

// Reads the material behind its first brace, up to its last one. A mistake is reported, and in the
// engine's verdict sets parser->is_defaulted. Returns false if memory runs out.
bool md5i_read_material(md5_material_parser *parser, md5_decl_lex *lex);

// The sort of a material that sets none.
#define MD5_SORT_UNSET (-1.0f)

enum { MD5_COVERAGE_UNSET = 0 };

#endif
