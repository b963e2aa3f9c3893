// A slow reference for stages: composites them on the CPU, pixel by pixel, in double precision.
#ifndef TEST_RENDER_TEST_GL_STAGES_H
#define TEST_RENDER_TEST_GL_STAGES_H

#include "test/render/test_gl_scene.h"

// The texture of a stage and how it is sampled; LAYER_SIDE is its width and height in texels.
enum { LAYER_SIDE = 8 };
typedef struct gl_layer {
    uint8_t rgba[LAYER_SIDE * LAYER_SIDE][4];
    md5gl_wrap wrap;
    bool nearest;
    md5gl_texture texture;
} gl_layer;

// Creates a texture of random texels.
gl_layer layer_create(gl_stage *stage, md5gl_wrap wrap, bool nearest, uint64_t *random);

// A quad with vertex colors that differ at each corner; otherwise scene_square().
md5_model *layer_quad(void);

// Computes the picture of the list's stages over a black background under scene_frame(). Stage i
// uses the texture of layers[i]. Supports the bases NONE and BLACK. Depth is not considered: the
// mesh faces the camera and does not cover itself.
void layer_reference(const md5_model *model, const md5gl_stage_list *list, const gl_layer *layers,
                     gl_picture *picture);

// Draws an instance of the model, unlit, with the list.
void layer_draw(gl_stage *stage, const md5gl_stage_list *list, gl_picture *picture);

// Returns the largest difference of two pictures in any channel.
int layer_difference(const gl_picture *a, const gl_picture *b);

#endif
