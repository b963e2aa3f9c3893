// The GL state that this room changes: its defaults, and a copy of the host's values.
//
// A renderer works in a context that also belongs to an engine. It never relies on what it finds,
// and leaves either GL's defaults or, between md5gl_save_state() and md5gl_restore_state(), what
// the host had: md5gl_host_state. Each member is read by one glGet and written by one call.
#ifndef MD5GL_STATE_H
#define MD5GL_STATE_H

#include "render/program.h"

enum { MD5GL_MAX_SWITCHES = 20, MD5GL_MAX_BINDINGS = 7, MD5GL_MAX_PIXEL_STORES = 10 };

// The textures and the sampler of a texture unit.
typedef struct md5gl_unit_state {
    GLuint texture, cube, buffer_texture, samples, sampler;
} md5gl_unit_state;

// A range of a buffer at an indexed binding; size 0 = the whole buffer.
typedef struct md5gl_range_state {
    GLint buffer;
    GLint64 start, size;
} md5gl_range_state;

typedef struct md5gl_host_state {
    bool saved;
    GLuint program, array, draw_framebuffer, read_framebuffer, renderbuffer;
    GLuint buffers[MD5GL_MAX_BINDINGS];
    md5gl_range_state frame, captured[MD5GL_NUM_CAPTURED], storage[MD5GL_NUM_STORAGE_BINDINGS];
    GLuint active_unit;
    md5gl_unit_state units[MD5GL_NUM_UNITS];
    GLboolean switches[MD5GL_MAX_SWITCHES];
    GLint pixel_stores[MD5GL_MAX_PIXEL_STORES];
    GLboolean depth_mask, colour_mask[4];
    GLfloat depth_range[2], clear_depth, clear_colour[4], polygon_offset[2];
    GLuint depth_function, culled_face, front_face;
    GLint polygon_mode[2];
    GLuint blend_functions[4], blend_equations[2]; // colour source, target, alpha source, target
    GLint viewport[4], scissor[4];
} md5gl_host_state;

// Resets all GL state that this room changes to GL's defaults.
void md5gli_reset_state(md5gl_renderer *renderer);

// Resets pixel buffers and pixel storage, which affect transfers between memory and textures.
void md5gli_reset_transfers(md5gl_renderer *renderer);

#endif
