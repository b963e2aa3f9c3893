// The interface between shaders and C code (attributes, texture units, bindings, uniforms;
// described in shaders/README.md), and the programs that are built from shaders/.
//
// Each shader stage of a program is a sequence of files (md5gl_program_sources). Skinning paths,
// blending methods and passes can therefore be combined without copies of code. The renderer
// contains one md5gl_program for each combination. programs.c lists and builds them.
#ifndef MD5GL_PROGRAM_H
#define MD5GL_PROGRAM_H

#include "render/md5gl.h"

#include <glad/gl.h>

// -- Layout shared by shaders and buffers -----------------------------------------------------

enum md5gl_attribute {
    MD5GL_AT_POSITION = 0,
    MD5GL_AT_NORMAL = 1,
    MD5GL_AT_TEXCOORD = 2,
    MD5GL_AT_TANGENT = 3,
    MD5GL_AT_JOINTS = 4,      // paths 4 and 8; path EXACT: first influence
    MD5GL_AT_JOINTS_HIGH = 5, // path 8; path EXACT: end of the influences
    MD5GL_AT_WEIGHTS = 6,
    MD5GL_AT_WEIGHTS_HIGH = 7,
    MD5GL_AT_COLOR = 8,
    MD5GL_AT_PREVIOUS = 9, // position in the previous frame, if vertices were skinned before
};

enum md5gl_unit {
    MD5GL_UNIT_PALETTES,
    MD5GL_UNIT_PLACEMENTS,
    MD5GL_UNIT_INFLUENCES,
    MD5GL_UNIT_INFLUENCE_JOINTS,
    MD5GL_UNIT_TEXTURE, // diffuse texture, or the panel's mask
    MD5GL_UNIT_NORMALS,
    MD5GL_UNIT_SPECULAR,
    MD5GL_UNIT_GLOW,
    MD5GL_UNIT_SUN,       // the key light's shadow map, with depth comparison
    MD5GL_UNIT_SUN_DEPTH, // the same map, read as depth values
    MD5GL_UNIT_CONTACT,
    MD5GL_UNIT_SPOTS, // shadow maps of spot lights
    MD5GL_UNIT_TINTS,
    MD5GL_UNIT_MORPH_FIRST,
    MD5GL_UNIT_MORPH_DELTAS,
    MD5GL_UNIT_MORPH_WEIGHTS,
    MD5GL_UNIT_ENVIRONMENT, // reflections of the environment
    MD5GL_NUM_UNITS,
};

#define MD5GL_FRAME_BINDING 0 // binding of the uniform block Frame

// Bindings of the shader storage buffers of preskin.comp.
enum md5gl_storage_binding {
    MD5GL_BINDING_BIND,
    MD5GL_BINDING_FIRST_INFLUENCE,
    MD5GL_BINDING_POSED,
    MD5GL_NUM_STORAGE_BINDINGS,
};

// -- Programs -------------------------------------------------------------------------------

#define MD5GL_UNIFORMS(X)                     \
    X(MD5GL_NUM_JOINTS, "num_joints")         \
    X(MD5GL_PLACED, "placed")                 \
    X(MD5GL_TINTED, "tinted")                 \
    X(MD5GL_FIRST_INSTANCE, "first_instance") \
    X(MD5GL_FIRST_VERTEX, "first_vertex")     \
    X(MD5GL_NUM_MORPHS, "num_morphs")         \
    X(MD5GL_FIRST_MORPHED, "first_morphed")   \
    X(MD5GL_NUM_VERTICES, "num_vertices")     \
    X(MD5GL_NUM_INSTANCES, "num_instances")   \
    X(MD5GL_COLORED, "colored")               \
    X(MD5GL_MAPS, "maps")                     \
    X(MD5GL_SURFACE, "surface")               \
    X(MD5GL_GROUND_AREA, "ground_area")       \
    X(MD5GL_GROUND_SHADED, "ground_shaded")   \
    X(MD5GL_FLAT_COLOR, "flat_color")         \
    X(MD5GL_ALPHA_MODE, "alpha_mode")         \
    X(MD5GL_LINE_WIDTH, "line_width")         \
    X(MD5GL_GRID_AREA, "grid_area")           \
    X(MD5GL_GRID_CELL, "grid_cell")           \
    X(MD5GL_GRID_LIGHT, "grid_light")         \
    X(MD5GL_VIEW_COUNTS, "view_counts")       \
    X(MD5GL_VIEW_RANGE, "view_range")         \
    X(MD5GL_PICTURE_GRID, "picture_grid")     \
    X(MD5GL_PICTURE_TEXELS, "picture_texels") \
    X(MD5GL_MODEL_SPHERE, "model_sphere")     \
    X(MD5GL_CASTS, "casts")                   \
    X(MD5GL_COARSE_LEVEL, "coarse_level")     \
    X(MD5GL_TEXTURE_ROWS, "texture_rows")     \
    X(MD5GL_STAGE_COLOR, "stage_color")       \
    X(MD5GL_STAGE_MODE, "stage_mode")         \
    X(MD5GL_STAGE_TEXGEN, "stage_texgen")     \
    X(MD5GL_ALPHA_LIMIT, "alpha_limit")       \
    X(MD5GL_IS_COLOR, "is_color")             \
    X(MD5GL_RAYS, "rays")                     \
    X(MD5GL_PAINTS, "paints")                 \
    X(MD5GL_PREVIOUS, "previous")             \
    X(MD5GL_IDENTITY, "first_identity")       \
    X(MD5GL_LEVEL, "level")

enum md5gl_uniform {
#define MD5GL_UNIFORM(uniform, name) uniform,
    MD5GL_UNIFORMS(MD5GL_UNIFORM)
#undef MD5GL_UNIFORM
        MD5GL_NUM_UNIFORMS
};

typedef struct md5gl_program {
    GLuint name;
    GLint uniforms[MD5GL_NUM_UNIFORMS]; // locations; -1 if the program does not have the uniform
    uint32_t units;                     // bit mask of the texture units that the program samples
} md5gl_program;

// The purpose of a program that draws skinned models. It selects the code after skinning.
enum md5gl_pass {
    MD5GL_PASS_LIT,
    // The remaining passes compile their shaders on first use, to shorten the time to the first
    // frame.
    MD5GL_PASS_DEPTH,
    MD5GL_PASS_DEPTH_OPAQUE, // depth of meshes without alpha test
    MD5GL_PASS_EDGES,
    MD5GL_PASS_CAPTURE,
    MD5GL_PASS_IMPOSTOR,        // images of impostors
    MD5GL_PASS_STAGE,           // md5gl_draw_stages()
    MD5GL_PASS_OUTPUTS,         // md5gl_draw_outputs()
    MD5GL_PASS_LIT_ENVIRONMENT, // LIT in frames with an environment
    MD5GL_PASS_LIT_CLASSIC,     // LIT with MD5GL_LIGHTING_CLASSIC
    // LIT, LIT_ENVIRONMENT and LIT_CLASSIC with shadows of spot lights.
    MD5GL_PASS_LIT_SPOTS,
    MD5GL_PASS_LIT_ENVIRONMENT_SPOTS,
    MD5GL_PASS_LIT_CLASSIC_SPOTS,
    MD5GL_NUM_PASSES
};

// The place from which the vertex shader gets skinned vertices.
enum md5gl_skin {
    MD5GL_SKIN_4,
    MD5GL_SKIN_8,
    MD5GL_SKIN_EXACT,
    MD5GL_SKIN_POSED,
    MD5GL_SKIN_BAKED, // instances of baked clips, on any path
    MD5GL_NUM_SKINS
};

// Number of program variants: each blending method, without and with morph targets.
enum {
    MD5GL_NUM_BLENDINGS = MD5GL_BLEND_DUAL + 1,
    MD5GL_NUM_VARIANTS = 2 * MD5GL_NUM_BLENDINGS,
};
static inline int md5gl_variant_index(md5gl_blending blending, bool morphed)
{
    return (int)blending + (morphed ? (int)MD5GL_NUM_BLENDINGS : 0);
}

// One file of a shader. A stage is a sequence of files.
typedef struct md5gl_source {
    const char *file;
    const char *text;
} md5gl_source;

enum { MD5GL_MAX_SOURCES = 13, MD5GL_NUM_CAPTURED = 3 };

typedef struct md5gl_program_sources {
    // The list of a shader stage ends at the first file without text. A compute program has no
    // other stages.
    md5gl_source vertex[MD5GL_MAX_SOURCES];
    md5gl_source fragment[MD5GL_MAX_SOURCES];
    md5gl_source compute[MD5GL_MAX_SOURCES];
    const char *captured[MD5GL_NUM_CAPTURED]; // outputs of transform feedback, one buffer each
} md5gl_program_sources;

// Compiles and links a program, unless it exists already. On failure, deletes all its objects. The
// error message names the shader file.
bool md5gli_build_program(md5gl_renderer *renderer, const md5gl_program_sources *sources,
                          md5gl_program *program, md5_error *error);

// Builds the lit program of a path in a variant, unless it exists already. For the path COMPUTE,
// also builds the compute program. The program of baked clips is variant 0 of MD5GL_PATH_AUTO.
bool md5gli_build_variant(md5gl_renderer *renderer, md5gl_path path, int variant, md5_error *error);

// Sets a uniform of the program in use, if the program has that uniform.
void md5gli_set_integer(const GladGLContext *gl, const md5gl_program *program,
                        enum md5gl_uniform uniform, GLint value);

// The programs that do not skin and do not have variants.
enum md5gl_fixed_program {
    MD5GL_PROGRAM_LINE,
    MD5GL_PROGRAM_GRID,
    MD5GL_PROGRAM_LIT_FLOOR,
    MD5GL_PROGRAM_GROUND, // shadows on the ground
    MD5GL_PROGRAM_PANEL,
    MD5GL_PROGRAM_IMAGE,
    MD5GL_PROGRAM_BLOB,
    MD5GL_PROGRAM_BACKGROUND, // environment as the background
    MD5GL_PROGRAM_SMOOTH,     // smooths the edges of a target
    MD5GL_PROGRAM_RESOLVE,    // averages the samples of a target
    MD5GL_IMPOSTOR_LIT,
    MD5GL_IMPOSTOR_DEPTH, // for shadow maps
    // The same order as the passes LIT_ENVIRONMENT to LIT_CLASSIC_SPOTS.
    MD5GL_IMPOSTOR_LIT_ENVIRONMENT,
    MD5GL_IMPOSTOR_LIT_CLASSIC,
    MD5GL_IMPOSTOR_LIT_SPOTS,
    MD5GL_IMPOSTOR_LIT_ENVIRONMENT_SPOTS,
    MD5GL_IMPOSTOR_LIT_CLASSIC_SPOTS,
    MD5GL_NUM_FIXED_PROGRAMS
};

// Returns a program and builds it if it does not exist yet. On failure, returns NULL and fills the
// error.
const md5gl_program *md5gli_get_fixed_program(md5gl_renderer *renderer,
                                              enum md5gl_fixed_program which, md5_error *error);

#endif
