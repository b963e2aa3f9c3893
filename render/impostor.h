// An impostor set: textures with the pictures of all frames, a framebuffer in which those of one
// frame are drawn before they are copied there, and the instances.
//
// impostor.c makes the set and chooses how it is stored, impostor_pictures.c draws pictures,
// impostor_draw.c draws instances. Invariant: every instance's frame has pictures.
#ifndef MD5GL_IMPOSTOR_INTERNAL_H
#define MD5GL_IMPOSTOR_INTERNAL_H

#include "render/gl_internal.h"
#include "render/md5gl_game.h"

enum {
    MD5GL_PICTURE_COLOUR,
    MD5GL_PICTURE_SURFACE,
    MD5GL_NUM_PICTURE_PARTS,
    MD5GL_PICTURE_OVERSAMPLING = 2, // pixels drawn along a side of a texel
};

struct md5gl_impostors {
    md5gl_impostor_desc desc; // without defaults
    uint32_t num_views;
    uint32_t columns, rows; // of the block of one frame's pictures
    uint32_t blocks[2];     // ATLAS: blocks per row, rows of blocks
    uint32_t num_levels;    // of mipmaps
    size_t size;            // bytes of the textures
    GLenum target;
    GLuint textures[MD5GL_NUM_PICTURE_PARTS];
    bool *has_pictures; // [num_frames]

    // What one frame's pictures are drawn into, side by side.
    GLuint canvas[MD5GL_NUM_PICTURE_PARTS], depth, framebuffer, reader, frame_block;
    md5_mat34 *placements; // [num_views] turn the model to each view and move it to its cell

    bool has_specular; // of the materials
    float gloss;
    GLuint array, buffer; // the instances
    uint32_t count;
};

// Unit vectors of a view: to the right, up, and to the viewer. As in shaders/impostor_views.glsl.
typedef struct md5gl_view_axes {
    md5_vec3 right, up, back;
} md5gl_view_axes;
md5gl_view_axes md5gli_axes_of_view(const md5gl_impostors *impostors, uint32_t view);

// Creates the framebuffer in which pictures are drawn.
bool md5gli_create_canvas(md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error);
void md5gli_destroy_canvas(md5gl_renderer *renderer, md5gl_impostors *impostors);

#endif
