// Pictures of materials of a game.
#ifndef DEMO_VIEWER_SCENE_GAME_IMAGE_H
#define DEMO_VIEWER_SCENE_GAME_IMAGE_H

#include "demo/viewer/scene/image.h"
#include "md5/md5game.h"

// Decodes what the library does not: PNG and JPEG.
md5_image_decoder view_game_decoder(void);

// Reads the picture of an image program; see view_decode_image(). Of the game, only its files are
// read: one thread at a time.
bool view_read_game_image(md5_game *game, const md5_image_program *program, view_image *image,
                          view_image_fault *fault);

// Returns the picture that a material has as a map: of its first stage for diffuse, bump or
// specular light, or for the diffuse map of a material without one its first stage with a picture.
// NULL if there is none.
const md5_image_program *view_material_image(const md5_material *material, view_map map);

#endif
