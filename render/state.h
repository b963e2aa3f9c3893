// The GL state that the renderer changes: its defaults, and a copy of the host's values.
//
// The renderer works in a GL context that it shares with the host, such as an engine. It never
// relies on the state of the context. After its work, the context has GL's defaults. After
// md5gl_restore_state(), it has the values that md5gl_save_state() stored in md5gl_host_state. Each
// member of md5gl_host_state is read by one glGet and written by one call.
#ifndef MD5GL_STATE_H
#define MD5GL_STATE_H

#include "render/program.h"

enum { MD5GL_MAX_SWITCHES = 20, MD5GL_MAX_BINDINGS = 7, MD5GL_MAX_PIXEL_STORES = 10 };

// The textures and the sampler that are bound to a texture unit.
typedef struct md5gl_unit_state {
    GLuint texture;
    GLuint cube;
    GLuint buffer_texture;
    GLuint samples;
    GLuint sampler;
} md5gl_unit_state;

// A range of a buffer at an indexed binding. The size 0 means the whole buffer.
typedef struct md5gl_range_state {
    GLint buffer;
    GLint64 start;
    GLint64 size;
} md5gl_range_state;

typedef struct md5gl_host_state {
    bool saved;
    GLuint program;
    GLuint array;
    GLuint draw_framebuffer;
    GLuint read_framebuffer;
    GLuint renderbuffer;
    GLuint buffers[MD5GL_MAX_BINDINGS];
    md5gl_range_state frame;
    md5gl_range_state captured[MD5GL_NUM_CAPTURED];
    md5gl_range_state storage[MD5GL_NUM_STORAGE_BINDINGS];
    GLuint active_unit;
    md5gl_unit_state units[MD5GL_NUM_UNITS];
    GLboolean switches[MD5GL_MAX_SWITCHES];
    GLint pixel_stores[MD5GL_MAX_PIXEL_STORES];
    GLboolean depth_mask;
    GLboolean color_mask[4];
    GLfloat depth_range[2];
    GLfloat clear_depth;
    GLfloat clear_color[4];
    GLfloat polygon_offset[2]; // factor and units of glPolygonOffset()
    GLuint depth_function;
    GLuint culled_face;
    GLuint front_face;
    GLint polygon_mode[2];
    GLuint blend_functions[4]; // source and target of color, source and target of alpha
    GLuint blend_equations[2]; // equations of color and alpha
    GLint viewport[4];
    GLint scissor[4];
} md5gl_host_state;

// Resets all GL state that the renderer changes to GL's defaults.
void md5gli_reset_state(md5gl_renderer *renderer);

// Resets pixel buffers and pixel storage, which affect transfers between memory and textures, to
// GL's defaults.
void md5gli_reset_transfers(md5gl_renderer *renderer);

#endif
