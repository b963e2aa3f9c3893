// Image programs and built-in pictures.
#ifndef MD5_GAME_IMAGE_PROGRAM_H
#define MD5_GAME_IMAGE_PROGRAM_H

#include "md5/game/decl_lex.h"
#include "md5/game/image.h"
#include "md5/md5game.h"

// == Programs =====================================================================================
//
// Image programs: NAME, or OPERATION( ... ) nested to any depth.
//
// The engine reads a program twice: first from the material, to a text of at most 255 bytes that
// names the image; then from that text, when it makes the image. So do we, with one reader.

enum { MD5_IMAGE_TEXT = 256 };

// Reads a program and writes its text: tokens with one blank between them, none before ( , and ).
// Reports tokens that are missing. Returns false if memory runs out.
bool md5i_read_image_text(md5_decl_lex *lex, char text[MD5_IMAGE_TEXT]);

// Makes the program of a text: without .tga, with / for \; "" becomes _default. Uses game->arena.
// Returns false if memory runs out.
bool md5i_make_image_program(md5_game *game, const char *text, md5_image_program *program);

// == Built-in pictures ============================================================================
//
// Pictures that the engine generates.

// Sets how a stage samples a built-in picture, whatever its material says; another one is repeated.
void md5i_set_builtin_sampling(const char *name, md5_stage *stage);

#endif
