// md5material: materials of a Doom 3 game folder, with tables, images, skins and deforms.
//
//   const md5_material *material = md5_game_material(game, "models/imp/skin", &error);
//   md5_evaluate_material(material, &input, registers); // [material->num_registers]
//
// Memory, errors and threads: see md5game.h.
#ifndef MD5MATERIAL_H
#define MD5MATERIAL_H

#include "md5decl.h" // beside this file also when installed, like the other
#include "md5image.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Tables ---------------------------------------------------------------------------------------

typedef struct md5_table {
    const md5_decl *decl;
    bool is_snapped;     // not interpolated
    bool is_clamped;     // held at its ends instead of repeated
    uint32_t num_values; // >= 1
    // [num_values + 1] the first one again at the end. x = 1 of md5_evaluate_material() is the end
    // of the table; a table of one value is 1 everywhere, as in the engine.
    const float *values;
} md5_table;

MD5_GAME_API const md5_table *md5_game_table(md5_game *game, const char *name, md5_error *error);

// -- Images ---------------------------------------------------------------------------------------

// Returns the file of an image, as its search path spells it, or NULL if there is none. A name
// without an extension, or with .tga, means the .tga file, or else the .jpg file. Built-in images,
// whose names begin with _, have no file.
MD5_GAME_API const char *md5_game_image_file(const md5_game *game, const char *name);

// Parses an image program, written as in a material: "heightmap( textures/rock_h.tga, 4 )". Missing
// tokens are warnings; a text of more than 255 bytes is cut to these, as in the engine.
MD5_GAME_API bool md5_game_image_program(md5_game *game, const char *text,
                                         md5_image_program *program, md5_error *error);

// Loads the files of a program and computes its picture. A name without an extension, or with .tga,
// means the .tga file; if that is missing or damaged, the .jpg, then the .png file; a name with
// another extension only that file. The compressed forms in dds/, of each file and of the whole
// program, are tried last; with opts->compressed_first that of the whole program is tried first.
//
// If the program is only the name of a built-in picture (_default, _white, _black, _flat, _ambient,
// _alphaNotch, _ramp, _alphaRamp, _borderClamp, _noFalloff, _specularTable, _specular2DTable,
// _quadratic, _fog, _fogEnter, _normalCubeMap, _scratchCubeMap), the result is that picture, even
// if there is a file of this name; those that the engine makes while drawing, such as
// _currentRender, are errors (MD5_ERROR_MISMATCH). Cube maps are 6 times as high as wide: the sides
// +x, -x, +y, -y, +z, -z one below another. Inside larger programs the engine looks for files of
// these names; the lenient verdict uses the built-in pictures there, too.
//
// If a file is damaged and another form of it is read instead, that is a warning of the game. On
// failure error->file is the name in the program, and the message lists each file that was tried
// and why it failed. Of `opts` file_name is not used. Free the result with md5_free_image().
MD5_GAME_API md5_image *md5_load_image(md5_game *game, const md5_image_program *program,
                                       const md5_image_opts *opts, md5_error *error);

// -- Materials ------------------------------------------------------------------------------------

typedef enum md5_stage_light {
    MD5_STAGE_AMBIENT, // drawn after light, as its blend says
    MD5_STAGE_BUMP,
    MD5_STAGE_DIFFUSE,
    MD5_STAGE_SPECULAR
} md5_stage_light;

// Bits of md5_stage.bits. The lowest four: the blend's source factor (0 one, 1 zero, 3 destination
// color, 4 one minus that, 5 source alpha, 6 one minus that, 7 destination alpha, 8 one minus that,
// 9 source alpha saturated), the next four: the destination factor (0 zero, 2 one, 3 source color,
// 4 one minus that, 5 source alpha, 6 one minus that, 7 destination alpha, 8 one minus that).
enum {
    MD5_STAGE_NO_DEPTH = 0x100, // do not write depth
    MD5_STAGE_NO_RED = 0x200,
    MD5_STAGE_NO_GREEN = 0x400,
    MD5_STAGE_NO_BLUE = 0x800,
    MD5_STAGE_NO_ALPHA = 0x1000,
    MD5_STAGE_DEPTH_EQUAL = 0x20000 // draw where depth is equal, else where it is nearer or equal
};

typedef enum md5_texgen {
    MD5_TEXGEN_EXPLICIT, // the vertex's own coordinates
    MD5_TEXGEN_NORMAL,
    MD5_TEXGEN_REFLECT,
    MD5_TEXGEN_SKYBOX,
    MD5_TEXGEN_WOBBLE_SKY,
    MD5_TEXGEN_SCREEN,
    MD5_TEXGEN_SCREEN2,
    MD5_TEXGEN_GLASS_WARP
} md5_texgen;

typedef enum md5_vertex_color {
    MD5_VERTEX_COLOR_IGNORE,
    MD5_VERTEX_COLOR_MODULATE,
    MD5_VERTEX_COLOR_INVERSE
} md5_vertex_color;

// Shader programs, by name, with their inputs. A name is NULL if there is no such program.
enum { MD5_MAX_FRAGMENT_IMAGES = 8, MD5_MAX_VERTEX_PARMS = 4 };
typedef struct md5_stage_program {
    const char *vertex, *fragment;
    uint32_t num_vertex_parms, num_images;
    uint32_t vertex_parms[MD5_MAX_VERTEX_PARMS][4]; // registers
    md5_image_program images[MD5_MAX_FRAGMENT_IMAGES];
    md5_image_repeat repeat[MD5_MAX_FRAGMENT_IMAGES];
} md5_stage_program;

// One stage. Numbers that may change with time are indices of registers: md5_evaluate_material().
typedef struct md5_stage {
    md5_stage_light light;
    uint32_t bits;
    md5_image_program image; // image.text is "" if there is a video or a dynamic image instead
    md5_image_repeat repeat;
    md5_image_filter filter;
    md5_image_cube cube;
    bool no_picmip, high_quality;
    bool ignore_alpha_test, has_alpha_test, has_matrix;
    md5_texgen texgen;
    md5_vertex_color vertex_color;
    md5_dynamic_image dynamic;
    int32_t dynamic_width, dynamic_height;
    const char *video; // file of a videoMap or soundMap, or NULL
    bool video_loops, is_sound_map;
    uint32_t condition;    // the stage is drawn unless this register is 0
    uint32_t color[4];     // red, green, blue, alpha
    uint32_t alpha_test;   // texels of this alpha and below are left out
    uint32_t matrix[2][3]; // s' = m00 s + m01 t + m02, t' = m10 s + m11 t + m12
    float polygon_offset;  // of this stage alone; 0 = none
    md5_stage_program program;
} md5_stage;

typedef enum md5_coverage {
    MD5_COVERAGE_OPAQUE = 1,
    MD5_COVERAGE_PERFORATED, // alpha tested
    MD5_COVERAGE_TRANSLUCENT
} md5_coverage;

typedef enum md5_cull { MD5_CULL_BACK, MD5_CULL_FRONT, MD5_CULL_NONE } md5_cull;

typedef enum md5_deform {
    MD5_DEFORM_NONE,
    MD5_DEFORM_SPRITE,
    MD5_DEFORM_TUBE,
    MD5_DEFORM_FLARE,
    MD5_DEFORM_EXPAND,
    MD5_DEFORM_MOVE,
    MD5_DEFORM_EYEBALL,
    MD5_DEFORM_PARTICLE,
    MD5_DEFORM_PARTICLE2,
    MD5_DEFORM_TURBULENT
} md5_deform;

typedef enum md5_material_op_kind {
    MD5_OP_ADD,
    MD5_OP_SUBTRACT,
    MD5_OP_MULTIPLY,
    MD5_OP_DIVIDE,
    MD5_OP_MODULO, // of both truncated to integers; a divisor of 0 counts as 1
    MD5_OP_TABLE,  // table at b
    MD5_OP_GREATER,
    MD5_OP_GREATER_EQUAL,
    MD5_OP_LESS,
    MD5_OP_LESS_EQUAL,
    MD5_OP_EQUAL,
    MD5_OP_NOT_EQUAL,
    MD5_OP_AND,
    MD5_OP_OR,
    MD5_OP_SOUND // the amplitude of the entity's sound
} md5_material_op_kind;

// register[result] = register[a] op register[b]
typedef struct md5_material_op {
    md5_material_op_kind kind;
    uint32_t a, b, result;
    const md5_table *table; // of MD5_OP_TABLE
} md5_material_op;

// The first registers are time, the entity's parameters and those of the view.
enum {
    MD5_REGISTER_TIME,
    MD5_REGISTER_PARM0,
    MD5_REGISTER_GLOBAL0 = 13,
    MD5_FIRST_REGISTER = 21, // the first of the material's own
    MD5_MAX_REGISTERS = 4096 // num_registers never exceeds this
};

typedef struct md5_material {
    const md5_decl *decl;
    md5_coverage coverage;
    float sort; // surfaces are drawn by ascending sort
    md5_cull cull;
    bool creates_back_sides; // two-sided and lit: draw a flipped copy of each triangle
    bool no_shadows, no_self_shadow, force_shadows, no_portal_fog, no_fog, unsmoothed_tangents;
    bool allows_overlays, suppressed_in_subview, has_subview, is_portal_sky;
    bool is_fog_light, is_blend_light, is_ambient_light;
    bool has_polygon_offset;
    float polygon_offset;
    uint32_t contents; // the engine's bits: 1 solid, 2 opaque, 4 water, ...
    uint32_t surface;  // the engine's bits: 0 to 15 the type (1 metal, 2 stone, 3 flesh, ...), ...
    int32_t spectrum;
    md5_deform deform;
    uint32_t deform_registers[3];
    const char *deform_decl;      // the name of its table or particle, or NULL
    uint32_t wobble_registers[3]; // of MD5_TEXGEN_WOBBLE_SKY
    const char *gui;              // "entity", "entity2", "entity3" or a file; NULL = none
    const char *description, *editor_image, *render_bump; // NULL = none
    md5_image_program light_falloff;
    float decal_stay, decal_fade; // seconds
    float decal_start[4], decal_end[4];

    uint32_t num_stages, num_ops;
    const md5_stage *stages;    // [num_stages] in drawing order
    uint32_t num_registers;     // those of time and parameters included
    const float *registers;     // [num_registers] constants; 0 elsewhere
    const md5_material_op *ops; // [num_ops] in order of evaluation
} md5_material;

// Returns a material. If no file declares it, it is implicit, as in the engine: one blended stage
// whose image is the name. After an error it has one stage with the image _default in the engine's
// verdict; in the lenient one it keeps what is right. It is defaulted beyond 256 stages, 4096
// registers, 4096 operations, as in the engine, and if expressions are nested more than 1600 deep.
MD5_GAME_API const md5_material *md5_game_material(md5_game *game, const char *name,
                                                   md5_error *error);

// What the registers of a material depend on.
typedef struct md5_material_input {
    float time;           // seconds
    float parms[12];      // of the entity: red, green, blue, then shaderParm3 to 11
    float globals[8];     // of the view
    float sound;          // amplitude of the entity's sound
    uint64_t reserved[4]; // 0
} md5_material_input;

// Writes registers[material->num_registers]. Allocates nothing.
MD5_GAME_API void md5_evaluate_material(const md5_material *material,
                                        const md5_material_input *input, float *registers);

// Writes the texture matrix of a stage, rows s and t, from evaluated registers; offsets beyond +-40
// lose their integer part, as in the engine. Writes the identity if the stage has no matrix.
MD5_GAME_API void md5_stage_matrix(const md5_stage *stage, const float *registers,
                                   float matrix[2][3]);

// -- Skins ----------------------------------------------------------------------------------------

typedef struct md5_skin_row {
    const char *from; // the name of a material, or NULL for all
    const char *to;
} md5_skin_row;

typedef struct md5_skin_def {
    const md5_decl *decl;
    uint32_t num_rows, num_models;
    const md5_skin_row *rows;  // [num_rows] the first one that matches is used
    const char *const *models; // [num_models] files that an editor offers it for
} md5_skin_def;

// Returns a skin. If no file declares it, it is implicit, as in the engine: every material becomes
// _default; or, if there is a material of its name, _default becomes that. In the lenient verdict
// an implicit skin without such a material replaces nothing.
MD5_GAME_API const md5_skin_def *md5_game_skin_def(md5_game *game, const char *name,
                                                   md5_error *error);

// Returns the name of the material that replaces `material`, spelled as in any file, or `material`
// itself if no row matches. A material that has been parsed and draws nothing is never replaced.
MD5_GAME_API const char *md5_skin_def_material(const md5_game *game, const md5_skin_def *skin,
                                               const char *material);

// -- Deforms --------------------------------------------------------------------------------------
//
// Surfaces that are deformed by their materials, for renderers, are computed from their skinned
// vertices for each image that is drawn: every quad of four vertices is a SPRITE that faces the
// viewer, or a TUBE that turns about its long axis; a FLARE is one quad with a border; an EYEBALL
// is an eye with two triangles, of which one marks its center and the other what it looks at, and
// the eye alone is drawn, textured from there; EXPAND moves along normals, MOVE along x, TURBULENT
// moves texture coordinates. The engine does not light them, so no normals are computed.

typedef struct md5_deform_view {
    md5_vec3 eye, left, up; // model space; unit vectors to the left and up
    uint64_t reserved[4];   // 0
} md5_deform_view;

// Arrays of the caller that md5_deform_vertices() fills, [num_vertices] of md5_deform_size() each.
typedef struct md5_deformed {
    md5_vec3 *positions; // model space
    md5_vec2 *texcoords;
    md5_vec4 *colors;     // NULL: not written; white if the mesh has none
    uint64_t reserved[4]; // 0
} md5_deformed;

// Returns whether a mesh can be deformed in this way, and writes how many vertices and triangles it
// has then. Sprites and tubes need quads, flares exactly one quad, EYEBALL at most 60 triangles in
// three groups that share no vertices, else the engine draws it as it is; particles cannot be.
MD5_GAME_API bool md5_deform_size(md5_deform deform, const md5_mesh *mesh, uint32_t *num_vertices,
                                  uint32_t *num_triangles);

// Writes indices[3 * num_triangles], for a mesh for which md5_deform_size() returns true.
MD5_GAME_API void md5_deform_indices(md5_deform deform, const md5_mesh *mesh, uint32_t *indices);

// Writes the deformed vertices of such a mesh. positions[mesh->num_vertices] and, unless NULL,
// normals are those of md5_skin(); `registers` those of md5_evaluate_material(); `table` that of
// material->deform_decl, for TURBULENT, which changes nothing if it is NULL. Allocates nothing.
MD5_GAME_API void md5_deform_vertices(const md5_material *material, const md5_table *table,
                                      const float *registers, const md5_mesh *mesh,
                                      const md5_vec3 *positions, const md5_vec3 *normals,
                                      const md5_deform_view *view, const md5_deformed *out);

#ifdef __cplusplus
}
#endif

#endif
