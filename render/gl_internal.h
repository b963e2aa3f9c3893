// What the files of this room share. Nothing here leaves it, but to tests.
#ifndef MD5GL_INTERNAL_H
#define MD5GL_INTERNAL_H

#include "render/md5gl.h"

#include <glad/gl.h>

#if defined(__GNUC__)
#define MD5GL_PRINTF(text, values) __attribute__((format(printf, text, values)))
#else
#define MD5GL_PRINTF(text, values)
#endif

// -- Layout that shaders and buffers agree on (shaders/README.md) -----------------------------

enum md5gl_attribute {
    MD5GL_AT_POSITION = 0,
    MD5GL_AT_NORMAL = 1,
    MD5GL_AT_TEXCOORD = 2,
    MD5GL_AT_JOINTS = 4,      // paths 4 and 8; path exact: first influence
    MD5GL_AT_JOINTS_HIGH = 5, // path 8; path exact: end of the influences
    MD5GL_AT_WEIGHTS = 6,
    MD5GL_AT_WEIGHTS_HIGH = 7,
};

enum md5gl_unit {
    MD5GL_UNIT_PALETTES,
    MD5GL_UNIT_PLACEMENTS,
    MD5GL_UNIT_INFLUENCES,
    MD5GL_UNIT_INFLUENCE_JOINTS,
    MD5GL_UNIT_TEXTURE, // diffuse texture, or the panel's mask
    MD5GL_NUM_UNITS = 8,
};

#define MD5GL_FRAME_BINDING 0 // of the uniform block Frame

// -- Programs -------------------------------------------------------------------------------

enum md5gl_uniform {
    MD5GL_NUM_JOINTS,
    MD5GL_PLACED,
    MD5GL_FLAT_COLOUR,
    MD5GL_MULTISAMPLED,
    MD5GL_LINE_WIDTH,
    MD5GL_GRID_AREA,
    MD5GL_GRID_CELL,
    MD5GL_NUM_UNIFORMS,
};

typedef struct md5gl_program {
    GLuint name;
    GLint uniforms[MD5GL_NUM_UNIFORMS]; // -1 = has none, which glUniform ignores
} md5gl_program;

// What becomes of skinned vertices.
enum md5gl_pass { MD5GL_PASS_LIT, MD5GL_PASS_EDGES, MD5GL_PASS_CAPTURE, MD5GL_NUM_PASSES };
enum { MD5GL_NUM_PATHS = 3 }; // 4, 8, exact

// One file of a shader, and a stage as the files that follow each other in it.
typedef struct md5gl_source {
    const char *file, *text;
} md5gl_source;

enum { MD5GL_MAX_SOURCES = 5 };

typedef struct md5gl_program_sources {
    md5gl_source vertex[MD5GL_MAX_SOURCES]; // up to the first without a text
    md5gl_source fragment[MD5GL_MAX_SOURCES];
    const char *captured[2]; // transform feedback into a buffer each; NULL = none
} md5gl_program_sources;

// Compiles and links. On failure nothing is left behind, and the message names the file.
bool md5gl_build_program(md5gl_renderer *renderer, const md5gl_program_sources *sources,
                         md5gl_program *program, md5_error *error);

bool md5gl_build_all_programs(md5gl_renderer *renderer, md5_error *error);
void md5gl_destroy_all_programs(md5gl_renderer *renderer);

// -- Renderer -------------------------------------------------------------------------------

// A buffer that shaders read as a texture.
typedef struct md5gl_table {
    GLuint buffer, texture;
} md5gl_table;

struct md5gl_renderer {
    GladGLContext gl;
    md5_allocator allocator; // both hooks set
    char device_name[256];

    // Limits of the context.
    uint32_t max_texels; // of a texture buffer; 3.3 guarantees 65536
    uint32_t max_texture_size, max_target_size, max_samples;

    md5gl_program skinned[MD5GL_NUM_PATHS][MD5GL_NUM_PASSES];
    md5gl_program line, grid, panel;

    GLuint frame_block;               // uniform buffer behind the block Frame
    md5gl_table palettes, placements; // of the draw that is under way
    GLuint line_array, line_buffer;
    GLuint panel_array, panel_buffer;
    GLuint bare_array; // without attributes
    md5gl_texture white, grey, checker;

    md5gl_target *target; // of the frame that is under way, NULL = default framebuffer
    bool multisampled;    // what that frame is drawn into
};

// -- Models ---------------------------------------------------------------------------------

typedef struct md5gl_mesh {
    const md5_mesh *mesh;
    md5gl_path path; // never AUTO
    bool visible;
    md5gl_texture diffuse; // borrowed
    GLuint array, vertices, influences, indices;
    md5gl_table exact_influences, exact_joints; // path exact only
} md5gl_mesh;

struct md5gl_model {
    const md5_model *model;
    size_t size;
    md5gl_mesh meshes[]; // [model->num_meshes]
};

// What drawing may lose without anybody measuring it, as a part of the model's diagonal: a fifth
// of the 1e-4 within which the GPU must agree with the CPU, 1/25 of a pixel where the model is
// 2000 high. Files round to six decimals, which costs models of a few units nearly as much.
#define MD5GL_MEASURABLE_LOSS 2e-5f

const md5gl_program *md5gl_skinned_program(const md5gl_renderer *renderer, const md5gl_mesh *mesh,
                                           enum md5gl_pass pass);

// Binds the program, the vertices and the texture buffers of a mesh.
void md5gl_bind_mesh(md5gl_renderer *renderer, const md5gl_mesh *mesh, const md5gl_program *program,
                     uint32_t num_joints);

// How many instances' palettes fit into one texture buffer; 0 and MD5_ERROR_GPU if not one does.
uint32_t md5gl_instances_per_draw(const md5gl_renderer *renderer, uint32_t num_joints,
                                  md5_error *error);

// -- Buffers --------------------------------------------------------------------------------

md5gl_table md5gl_create_table(md5gl_renderer *renderer, GLenum format, const void *data,
                               size_t size);
void md5gl_destroy_table(md5gl_renderer *renderer, md5gl_table *table);
void md5gl_bind_table(md5gl_renderer *renderer, enum md5gl_unit unit, const md5gl_table *table);

// Gives the buffer new storage with `size` bytes of `data`, so that draws which still read the
// old one need not be waited for. Leaves it bound to `binding`.
void md5gl_stream(md5gl_renderer *renderer, GLenum binding, GLuint buffer, const void *data,
                  size_t size);

// -- State ----------------------------------------------------------------------------------

// Sets all GL state that this room touches to GL's defaults.
void md5gl_reset_state(md5gl_renderer *renderer);

// The same for what decides how pixels and bytes travel between memory and textures.
void md5gl_reset_transfers(md5gl_renderer *renderer);

// -- Errors and memory ----------------------------------------------------------------------

void md5gl_clear_error(md5_error *error); // NULL is allowed, as in the next

// Fills the error. Returns false.
bool md5gl_fail(md5_error *error, md5_status status, const char *format, ...) MD5GL_PRINTF(3, 4);

// Takes all errors that GL holds. Returns false and fills the error, naming the first and
// `where`, when there were any.
bool md5gl_check(md5gl_renderer *renderer, const char *where, md5_error *error);
void md5gl_drop_errors(md5gl_renderer *renderer); // those of other people

// Zeroed memory, or NULL and MD5_ERROR_MEMORY.
void *md5gl_alloc(const md5_allocator *allocator, size_t count, size_t size, md5_error *error);
void md5gl_free(const md5_allocator *allocator, void *memory, size_t size); // NULL is allowed

#endif
