// Textures of stages: pictures of a game folder, flat or the six sides of a cube map.
#ifndef DEMO_VIEWER_SCENE_LAYER_TEXTURES_H
#define DEMO_VIEWER_SCENE_LAYER_TEXTURES_H

#include "demo/viewer/base/log.h"
#include "md5/md5game.h"
#include "render/md5gl_game.h"

// A texture of stages, each picture once for each way in which it is sampled.
typedef struct view_layer_texture {
    const char *text; // the image program, of the game
    md5_image_repeat repeat;
    md5_image_filter filter;
    md5_image_cube cube;
    md5_stage_light light;
    md5gl_texture texture; // 0: cannot be shown, which was logged
} view_layer_texture;

typedef struct view_layer_textures {
    view_layer_texture *loaded;
    size_t num_loaded;
    const char **lost; // [num_lost] image programs that view_warn_lost() reported
    size_t num_lost;
} view_layer_textures;

// Warns, once for each image program, why its picture cannot be shown. The text stays the game's.
void view_warn_lost(view_layer_textures *textures, const char *program, const char *why,
                    view_log *log);

// Returns the texture of a stage, which is loaded on first use; 0 if it cannot be shown. Of a lit
// stage it is one of a md5gl_material, unless `tests_alpha`: then it is one of a md5gl_stage.
md5gl_texture view_load_layer(view_layer_textures *textures, md5gl_renderer *renderer,
                              md5_game *game, const md5_stage *stage, bool tests_alpha,
                              view_log *log);
void view_free_layer_textures(view_layer_textures *textures, md5gl_renderer *renderer);

// Turns a picture of a cameraCubeMap (0 forward, 1 back, 2 left, 3 right, 4 up, 5 down), as a
// camera with up above sees it, into side `number` of a cube map: +x, -x, +y, -y, +z, -z.
void view_turn_camera_side(int number, uint32_t side, const uint8_t *from, uint8_t *to);

#endif
