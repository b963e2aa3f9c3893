// Pictures that the engine generates.
#ifndef MD5_GAME_IMAGE_BUILTIN_H
#define MD5_GAME_IMAGE_BUILTIN_H

#include "md5/game/image.h"
#include "md5/md5game.h"

// Whether a name, in lower case, is that of a built-in picture.
bool md5i_is_builtin_image(const char *name);

// Sets how a stage samples a built-in picture, whatever its material says; another one is repeated.
void md5i_set_builtin_sampling(const char *name, md5_stage *stage);

// Makes a built-in picture. Returns NULL and sets `error` if memory runs out, or if the engine
// makes the picture while drawing.
md5_image *md5i_make_builtin_image(const char *name, const md5_image_opts *opts, md5_error *error);

#endif
