// md5material: reads the materials of a Doom 3 game folder, and the tables, images, skins and
// deforms that belong to materials. A renderer uses them to draw surfaces as the engine does.
//
// A material describes the appearance of a surface. It consists of stages, which are drawn in
// order. Each stage has an image and a blend mode. Most values of a material can change with time.
// They are numbers in an array, whose elements are called registers. A program computes all
// registers for each frame with md5_evaluate_material(); members of a material contain the indices
// of registers.
//
//   const md5_material *material = md5_game_material(game, "models/imp/skin", &error);
//   md5_evaluate_material(material, &input, registers); // [material->num_registers]
//
// md5game.h explains the rules for memory, errors and threads. Each section of this header explains
// its terms.
#ifndef MD5MATERIAL_H
#define MD5MATERIAL_H

#include "md5decl.h" // installed in the same folder
#include "md5image.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Tables ---------------------------------------------------------------------------------------

// A table: a function of one number x, defined by samples. Expressions of materials use tables, for
// example to let a light flicker.
//
// The value for x is read at the following position in the array `values`. Between two elements it
// is interpolated linearly.
//
//   repeated (the default): x * num_values, modulo num_values
//   clamped (is_clamped):   x * (num_values - 1), clamped to 0 .. num_values - 1
//
// As in the engine, a table with a single value has the value 1 for every x.
typedef struct md5_table {
    const md5_decl *decl; // the declaration in the game's files
    // If true, the table uses the element before the position. If false, it interpolates linearly
    // between two elements.
    bool is_snapped;
    // If true, for x below 0 and above 1 the table has its first and last value. If false, it
    // repeats.
    bool is_clamped;
    uint32_t num_values; // number of samples, at least 1
    const float *values; // [num_values + 1] the samples, followed by the first sample again
} md5_table;

// Returns the table with the given name, or NULL if no file declares it.
MD5_GAME_API const md5_table *md5_game_table(md5_game *game, const char *name, md5_error *error);

// -- Images ---------------------------------------------------------------------------------------
//
// Materials refer to images by image programs. An image program is either the name of a file, such
// as "textures/rock_d.tga", or an expression that computes an image from files, such as
// "heightmap(textures/rock_h.tga,4)". md5image.h describes the operations.

// Finds the file of an image. Returns its name in the spelling of its search path, or NULL if the
// file does not exist. If `name` has no extension or the extension .tga, the function searches for
// the .tga file first, then for the .jpg file. The result is NULL if the name begins with _,
// because such names are reserved for built-in images, which do not have a file.
MD5_GAME_API const char *md5_game_image_file(const md5_game *game, const char *name);

// Parses an image program that is written as in a material. Writes the result to *program; its data
// is owned by the game. Missing tokens cause warnings. As in the engine, a text of more than 255
// bytes is truncated. Returns false and writes an error if memory runs out.
MD5_GAME_API bool md5_game_image_program(md5_game *game, const char *text,
                                         md5_image_program *program, md5_error *error);

// Loads the image of an image program: reads all files of the program and computes the result. Free
// the image with md5_free_image(). `opts` may be NULL; its member file_name is not used.
//
// Files. If a name in the program has no extension or the extension .tga, the function tries the
// .tga file, then the .jpg file, then the .png file. It continues with the next file if a file is
// missing or damaged. If the name has another extension, only this file is tried.
//
// Compressed forms. The folder dds/ of a game contains compressed (DDS) forms of files and of the
// results of whole programs. The function tries the compressed forms last. If
// opts->compressed_first is set, it tries the compressed form of the whole program first, under the
// conditions that md5_image_opts explains.
//
// Built-in images. If the program consists of only one of the following names, the result is the
// built-in image of the engine, even if a file with this name exists:
//
//   _default, _white, _black, _flat, _ambient, _alphaNotch, _ramp, _alphaRamp, _borderClamp,
//   _noFalloff, _specularTable, _specular2DTable, _quadratic, _fog, _fogEnter, _normalCubeMap,
//   _scratchCubeMap
//
// If one of these names is a part of a larger program, the engine searches for a file with this
// name. MD5_PARSE_LENIENT uses the built-in image there too. Images that the engine creates while
// it draws, such as _currentRender, cause MD5_ERROR_MISMATCH. The image of a cube map is six times
// as high as it is wide. It contains the sides +x, -x, +y, -y, +z and -z from top to bottom.
//
// Errors. If a file is damaged and another file is read instead, the game reports a warning. If the
// function fails, it returns NULL; error->file is the name in the program, and the message lists
// every file that was tried with the reason of its failure.
MD5_GAME_API md5_image *md5_load_image(md5_game *game, const md5_image_program *program,
                                       const md5_image_opts *opts, md5_error *error);

// -- Materials ------------------------------------------------------------------------------------

// Selects which part of the lighting the image of a stage belongs to.
typedef enum md5_stage_light {
    // The stage is not lit: its image is blended over the surface after lighting.
    MD5_STAGE_AMBIENT,
    MD5_STAGE_BUMP,    // the image is a normal map
    MD5_STAGE_DIFFUSE, // the image contains the diffuse color
    MD5_STAGE_SPECULAR // the image contains the specular color
} md5_stage_light;

// Bits of md5_stage.bits. A stage that is not lit (MD5_STAGE_AMBIENT) is blended by this formula,
// in which `stage` is the color of the stage and `screen` is the color that has been drawn before:
//
//   result = stage * source_factor + screen * destination_factor
//
// Bits 0 to 3 select the source factor:
//   0: one                            6: one minus source alpha
//   1: zero                           7: destination alpha
//   3: destination color              8: one minus destination alpha
//   4: one minus destination color    9: source alpha, saturated
//   5: source alpha
//
// Bits 4 to 7 select the destination factor:
//   0: zero                           5: source alpha
//   2: one                            6: one minus source alpha
//   3: source color                   7: destination alpha
//   4: one minus source color         8: one minus destination alpha
//
// The remaining bits control the depth test, and which values the stage writes. They are:
enum {
    MD5_STAGE_NO_DEPTH = 0x100,  // the stage does not write depth
    MD5_STAGE_NO_RED = 0x200,    // the stage does not write the red channel
    MD5_STAGE_NO_GREEN = 0x400,  // the stage does not write the green channel
    MD5_STAGE_NO_BLUE = 0x800,   // the stage does not write the blue channel
    MD5_STAGE_NO_ALPHA = 0x1000, // the stage does not write the alpha channel
    // If the bit is set, the stage is drawn only where its depth equals the depth in the buffer. If
    // the bit is not set, it is drawn where the surface is nearer or has equal depth.
    MD5_STAGE_DEPTH_EQUAL = 0x20000
};

// Selects the source of the texture coordinates of a stage.
typedef enum md5_texgen {
    MD5_TEXGEN_EXPLICIT, // texture coordinates of the vertex
    MD5_TEXGEN_NORMAL,   // the normal of the vertex, as a direction in a cube map
    // The direction to the eye, reflected by the surface, as a direction in a cube map.
    MD5_TEXGEN_REFLECT,
    // The direction from the eye to the vertex, as a direction in a cube map.
    MD5_TEXGEN_SKYBOX,
    // The same as MD5_TEXGEN_SKYBOX, but rotated over time as md5_material.wobble_registers
    // describe.
    MD5_TEXGEN_WOBBLE_SKY,
    MD5_TEXGEN_SCREEN,    // the position on the screen
    MD5_TEXGEN_SCREEN2,   // the position on the screen (the keyword "screen2" of the engine)
    MD5_TEXGEN_GLASS_WARP // the position on the screen, for glass that distorts the image behind it
} md5_texgen;

// Selects how the vertex color changes the color of a stage.
typedef enum md5_vertex_color {
    MD5_VERTEX_COLOR_IGNORE,   // the vertex color is ignored
    MD5_VERTEX_COLOR_MODULATE, // the color of the stage is multiplied by the vertex color
    MD5_VERTEX_COLOR_INVERSE   // the color of the stage is multiplied by 1 minus the vertex color
} md5_vertex_color;

// Largest number of images of a fragment program, and largest number of parameters of a vertex
// program.
enum { MD5_MAX_FRAGMENT_IMAGES = 8, MD5_MAX_VERTEX_PARMS = 4 };

// The vertex program and the fragment program (old forms of shaders) of a stage, with their inputs.
// They replace the engine's own drawing of this stage. The library does not read the files of the
// programs.
typedef struct md5_stage_program {
    // names of the files of the two programs; if NULL, the stage does not have this program
    const char *vertex, *fragment;
    uint32_t num_vertex_parms, num_images;
    // [num_vertex_parms] Parameters of the vertex program. Each parameter is a vector of four
    // numbers, given by the indices of four registers.
    uint32_t vertex_parms[MD5_MAX_VERTEX_PARMS][4];
    // [num_images] Images of the fragment program, and how each image continues outside 0 to 1.
    md5_image_program images[MD5_MAX_FRAGMENT_IMAGES];
    md5_image_repeat repeat[MD5_MAX_FRAGMENT_IMAGES];
} md5_stage_program;

// A stage of a material. The members `condition`, `color`, `alpha_test` and `matrix` can change
// with time, so they do not contain values. They contain indices into the array that
// md5_evaluate_material() writes (indices of registers).
typedef struct md5_stage {
    md5_stage_light light;
    // Blend factors in bits 0 to 7, and MD5_STAGE_* bits; see the list above.
    uint32_t bits;
    // Image of the stage. image.text is "" if the stage shows a video or a dynamic image instead.
    md5_image_program image;
    md5_image_repeat repeat; // how the image continues outside the texture coordinates 0 to 1
    md5_image_filter filter; // filter with which the image is sampled
    // kind of image: 2D, or one of the two kinds of cube maps
    md5_image_cube cube;
    // If true, the engine shows the image in full size even if texture quality is set to low.
    bool no_picmip;
    bool high_quality; // If true, the engine does not compress the image.
    // If true, the stage is also drawn on texels that the alpha test of other stages discards.
    bool ignore_alpha_test;
    bool has_alpha_test; // If true, the stage has an alpha test; see `alpha_test`.
    bool has_matrix;     // If true, the stage transforms its texture coordinates; see `matrix`.
    md5_texgen texgen;   // source of the texture coordinates
    md5_vertex_color vertex_color; // effect of the vertex color on the stage
    // Kind of a dynamic image. The engine draws a view of the scene, such as a mirror, into it.
    md5_dynamic_image dynamic;
    // Size of the dynamic image, in pixels.
    int32_t dynamic_width, dynamic_height;
    // File of a video (keyword videoMap), or argument of the keyword soundMap. If NULL, neither is
    // used.
    const char *video;
    bool video_loops; // If true, the video is repeated when it ends.
    // If true, the stage shows the wave form of the playing sound (keyword soundMap).
    bool is_sound_map;
    // Index of a register. If the value of the register is 0, the stage is not drawn.
    uint32_t condition;
    // Indices of four registers that contain the color of the stage: red, green, blue, alpha.
    uint32_t color[4];
    // Index of a register. Texels whose alpha is not larger than the value of the register are
    // discarded.
    uint32_t alpha_test;
    // Indices of the six registers that contain the elements of the texture matrix, with which the
    // texture coordinates are transformed. md5_stage_matrix() reads them.
    uint32_t matrix[2][3];
    // Offset of the depth of this stage, so that it is drawn above the surface. If 0, the depth is
    // not changed.
    float polygon_offset;
    // Vertex program and fragment program that replace the engine's own drawing of the stage.
    md5_stage_program program;
} md5_stage;

// Selects how much of the background is visible through a surface with the material.
typedef enum md5_coverage {
    MD5_COVERAGE_OPAQUE = 1, // the surface hides everything behind it
    // The surface is opaque with holes, where the alpha test of a stage discards texels.
    MD5_COVERAGE_PERFORATED,
    MD5_COVERAGE_TRANSLUCENT // the surface is blended with the surfaces behind it
} md5_coverage;

// Selects the sides of triangles that are not drawn.
typedef enum md5_cull {
    MD5_CULL_BACK,  // back sides are not drawn
    MD5_CULL_FRONT, // front sides are not drawn
    MD5_CULL_NONE   // both sides are drawn
} md5_cull;

// A deform: a change of the vertices of a surface that is computed for each frame. The section
// "Deforms" below describes each value.
typedef enum md5_deform {
    MD5_DEFORM_NONE,
    MD5_DEFORM_SPRITE,
    MD5_DEFORM_TUBE,
    MD5_DEFORM_FLARE,
    MD5_DEFORM_EXPAND,
    MD5_DEFORM_MOVE,
    MD5_DEFORM_EYEBALL,
    MD5_DEFORM_PARTICLE,  // the surface is replaced by particles; not supported
    MD5_DEFORM_PARTICLE2, // the surface is replaced by particles; not supported
    MD5_DEFORM_TURBULENT
} md5_deform;

// Operations that compute the values of registers from two operands a and b, which are registers
// too. Comparisons and logical operations have the value 1 for true and 0 for false.
typedef enum md5_material_op_kind {
    MD5_OP_ADD,      // a + b
    MD5_OP_SUBTRACT, // a - b
    MD5_OP_MULTIPLY, // a * b
    MD5_OP_DIVIDE,   // a / b
    // The remainder a % b, after a and b were truncated to integers. If b is 0, the result is 0.
    MD5_OP_MODULO,
    // The value of the table md5_material_op.table at the number b.
    MD5_OP_TABLE,
    MD5_OP_GREATER,       // a > b
    MD5_OP_GREATER_EQUAL, // a >= b
    MD5_OP_LESS,          // a < b
    MD5_OP_LESS_EQUAL,    // a <= b
    MD5_OP_EQUAL,         // a == b
    MD5_OP_NOT_EQUAL,     // a != b
    MD5_OP_AND,           // a && b
    MD5_OP_OR,            // a || b
    // The amplitude of the entity's sound, md5_material_input.sound; a and b are not used.
    MD5_OP_SOUND,
    MD5_OP_MIN, // the smaller of a and b; only in materials of The Dark Mod
    MD5_OP_MAX, // the larger of a and b; only in materials of The Dark Mod
} md5_material_op_kind;

// One operation in the evaluation of a material. md5_evaluate_material() performs it as follows:
//
//   registers[result] = registers[a] op registers[b]
typedef struct md5_material_op {
    md5_material_op_kind kind;
    // Indices of the registers that contain the operands, and of the register that receives the
    // result.
    uint32_t a, b, result;
    const md5_table *table; // for MD5_OP_TABLE, the table; NULL for all other kinds
} md5_material_op;

// Indices of registers, the elements of the array that md5_evaluate_material() writes. The first
// registers contain the members of md5_material_input.
enum {
    MD5_REGISTER_TIME,         // register of md5_material_input.time
    MD5_REGISTER_PARM0,        // first of 12 registers for md5_material_input.parms
    MD5_REGISTER_GLOBAL0 = 13, // first of 8 registers for md5_material_input.globals
    // First register that contains a constant or a result of the material.
    MD5_FIRST_REGISTER = 21,
    MD5_MAX_REGISTERS = 4096 // largest value of md5_material.num_registers
};

// A material of a Doom 3 game. Words in quotes in the comments are the keywords of the engine, if
// their names differ from the members.
typedef struct md5_material {
    const md5_decl *decl;  // the declaration in the game's files
    md5_coverage coverage; // how much of the background is visible through a surface
    float sort;            // surfaces are drawn in ascending order of this number
    md5_cull cull;         // sides of triangles that are not drawn
    // If true, the material is two-sided and lit. A renderer must then draw a second, flipped copy
    // of each triangle, so that both sides have correct normals.
    bool creates_back_sides;
    bool no_shadows;     // If true, surfaces do not cast shadows.
    bool no_self_shadow; // If true, surfaces cast shadows only on other surfaces.
    bool force_shadows;  // If true, surfaces cast shadows even if the material is translucent.
    // If true, a fog light with this material does not hide the areas behind portals (openings
    // between areas of a map).
    bool no_portal_fog;
    bool no_fog; // If true, fog is not drawn on surfaces.
    // If true, each vertex uses the tangents of its largest triangle instead of a mean over all its
    // triangles.
    bool unsmoothed_tangents;
    bool allows_overlays;       // If true, blood and other overlays may be drawn on surfaces.
    bool suppressed_in_subview; // If true, surfaces are not drawn in mirrors and camera views.
    // If true, surfaces show another view of the scene, as a mirror does.
    bool has_subview;
    bool is_portal_sky;      // If true, surfaces show the sky of the map ("portalSky").
    bool is_fog_light;       // If true, a light with this material is a volume of fog.
    bool is_blend_light;     // If true, a light with this material blends its image over surfaces.
    bool is_ambient_light;   // If true, a light with this material has no direction.
    bool has_polygon_offset; // If true, the member polygon_offset is set.
    // Offset of the depth of surfaces, with which decals are drawn above another surface.
    float polygon_offset;
    // Collision properties, as a set of bits with the engine's numbers (bit n has the value 1 <<
    // n). The table lists each bit with the keyword that sets it:
    //   0: solid           5: moveableclip   13: aassolid             20: areaportal
    //   1: opaque          6: ikclip         14: aasobstacle          21: qer_nocarve
    //   2: water           7: blood          15: flashlight_trigger
    //   3: playerclip     12: trigger
    //   4: monsterclip
    uint32_t contents;
    // Properties of the surface, as a set of bits with the engine's numbers. Bits 0 to 3 together
    // contain a number, the type of the surface:
    //   0: none            4: wood            8: plastic
    //   1: metal           5: cardboard       9: ricochet
    //   2: stone           6: liquid         10 to 15: surftype10 to surftype15
    //   3: flesh           7: glass
    // Each of the following bits is set by the keyword of this name:
    //   4: nodamage        7: ladder         10: discrete
    //   5: slick           8: noimpact       11: noFragment
    //   6: collision       9: nosteps        12: nullNormal
    uint32_t surface;
    int32_t spectrum; // only lights whose material has the same number illuminate the surface
    // change of the vertices that is computed for each frame
    md5_deform deform;
    // Indices of the three registers that contain the parameters P0, P1 and P2 of the deform; see
    // "Deforms" below.
    uint32_t deform_registers[3];
    // Name of the table or the particle system that the deform uses. If NULL, the deform does not
    // use either.
    const char *deform_decl;
    // Indices of three registers with the arguments of "texGen wobbleSky", which rotates a sky over
    // time (see MD5_TEXGEN_WOBBLE_SKY).
    uint32_t wobble_registers[3];
    // User interface that is drawn on the surface ("guisurf"). "entity", "entity2" and "entity3"
    // stand for a user interface of the entity; any other text is the name of a file. If NULL, the
    // surface has no user interface.
    const char *gui;
    const char *description; // text that level editors show; if NULL, the material has no such text
    // Name of an image that level editors show ("qer_editorimage"). If NULL, the material has no
    // such image.
    const char *editor_image;
    // Command with which a tool of the engine creates the normal map. If NULL, the material has no
    // such command.
    const char *render_bump;
    // In a material of a light, the image that contains the brightness of the light along its z
    // axis. The text is "" if the material has no such image.
    md5_image_program light_falloff;
    // In a material of a decal (an image on a surface, such as a bullet hole), the time until the
    // decal starts to fade, and the duration of the fade, in seconds.
    float decal_stay, decal_fade;
    float decal_start[4]; // color of a decal before it fades: red, green, blue, alpha
    float decal_end[4];   // color of a decal after it has faded: red, green, blue, alpha

    uint32_t num_stages, num_ops;
    // [num_stages] The stages, in the order in which they are drawn.
    const md5_stage *stages;
    // number of registers that the material uses, at least MD5_FIRST_REGISTER
    uint32_t num_registers;
    // [num_registers] Values of the registers that are constant; 0 for all other registers.
    const float *registers;
    // [num_ops] The operations that compute the other registers, in order of evaluation.
    const md5_material_op *ops;
} md5_material;

// Returns the material with the given name. The result is NULL only if memory runs out: a material
// that is missing or invalid is replaced as follows.
//
// - If no file declares the material, the game creates an implicit material, as the engine does. It
//   has one stage, which is blended over the background. The name of the material is the name of
//   the image.
// - If the declaration contains an error, MD5_PARSE_ENGINE replaces all stages by one stage with
//   the image _default. MD5_PARSE_LENIENT keeps all valid parts of the declaration.
// - If the material exceeds 256 stages, 4096 registers or 4096 operations, or if expressions are
//   nested more than 1600 deep, all stages are replaced by one stage with the image _default in
//   both modes.
MD5_GAME_API const md5_material *md5_game_material(md5_game *game, const char *name,
                                                   md5_error *error);

// Input of md5_evaluate_material(): all values that can change a material over time.
typedef struct md5_material_input {
    float time; // time of the game, in seconds
    // Parameters of the entity: red, green, blue, alpha (shaderParm0 to shaderParm3), and
    // shaderParm4 to shaderParm11.
    float parms[12];
    float globals[8];     // parameters of the view: the engine's variables global0 to global7
    float sound;          // amplitude of the sound that the entity plays
    uint64_t reserved[4]; // must be 0
} md5_material_input;

// Computes all registers of a material, which are the values that can change with time. Call this
// function before the material is drawn in a frame. Members of md5_stage contain indices into the
// result. Writes registers[material->num_registers]. Does not allocate memory.
MD5_GAME_API void md5_evaluate_material(const md5_material *material,
                                        const md5_material_input *input, float *registers);

// Writes the texture matrix of a stage. `registers` is the result of md5_evaluate_material(). A
// renderer transforms the texture coordinates s and t as follows:
//
//   s' = matrix[0][0] * s + matrix[0][1] * t + matrix[0][2]
//   t' = matrix[1][0] * s + matrix[1][1] * t + matrix[1][2]
//
// As in the engine, the integer part of matrix[0][2] and of matrix[1][2] is removed if their
// absolute value is above 40. The result is the identity if the stage does not have a matrix.
MD5_GAME_API void md5_stage_matrix(const md5_stage *stage, const float *registers,
                                   float matrix[2][3]);

// -- Skins ----------------------------------------------------------------------------------------
//
// A skin changes the appearance of a model: it replaces materials of the model's meshes by other
// materials.

// An entry of a skin: the replacement of one material.
typedef struct md5_skin_replacement {
    const char *from; // name of the material that is replaced; if NULL, every material is replaced
    const char *to;   // name of the material that is drawn instead
} md5_skin_replacement;

// A skin: a list of materials that replace the materials of a model.
typedef struct md5_skin_def {
    const md5_decl *decl; // the declaration in the game's files
    uint32_t num_replacements, num_models;
    // [num_replacements] The replacements. If several replacements match a material, the first
    // replacement is used.
    const md5_skin_replacement *replacements;
    // [num_models] Names of the models for which level editors offer the skin.
    const char *const *models;
} md5_skin_def;

// Returns the skin with the given name. The result is NULL only if memory runs out. If no file
// declares the skin, the game creates an implicit skin, as the engine does:
//
// - If a material with the name of the skin exists, the skin replaces the material _default by this
//   material.
// - Otherwise, the skin replaces every material by _default in MD5_PARSE_ENGINE. In
//   MD5_PARSE_LENIENT it replaces nothing.
//
// In MD5_PARSE_ENGINE, an invalid declaration of a skin also replaces every material by _default.
MD5_GAME_API const md5_skin_def *md5_game_skin_def(md5_game *game, const char *name,
                                                   md5_error *error);

// Applies a skin to a material. Returns the name of the material that replaces `material`, or
// `material` itself if no entry matches. `material` may have any spelling that the engine accepts.
// As in the engine, a material that draws nothing is never replaced; this rule applies only if the
// material has been parsed before.
MD5_GAME_API const char *md5_skin_def_material(const md5_game *game, const md5_skin_def *skin,
                                               const char *material);

// -- Deforms --------------------------------------------------------------------------------------
//
// A deform changes the vertices of a surface after skinning, for example so that a sprite faces the
// viewer. The following functions help a renderer to draw such surfaces: md5_deform_size() and
// md5_deform_indices() are called once for a mesh, and md5_deform_vertices() for each frame. P0, P1
// and P2 are the values of the registers md5_material.deform_registers. Deforms that require quads
// use the vertices 0 to 3 as the first quad, the vertices 4 to 7 as the second quad, and so on.
//
//   SPRITE:    Rotates each quad so that it faces the viewer.
//   TUBE:      Rotates each quad around its long axis so that it faces the viewer.
//   FLARE:     Adds a border to a single quad. The border widens the quad by P0 units as seen
//              by the viewer. The quad is brighter the more it faces the viewer.
//   EXPAND:    Moves each vertex along its normal by P0 units.
//   MOVE:      Moves each vertex along the x axis by P0 units.
//   EYEBALL:   Projects the texture of an eye so that the eye looks at a target. The mesh
//              consists of the eye and of two separate triangles. The triangle nearer to the eye
//              marks the origin of the look, and the other triangle marks its target. Only the eye
//              is drawn. Its texture is projected along the direction from the origin to the
//              target.
//   TURBULENT: Moves the texture coordinates by values of a table. P0 is the range, P1 the offset
//              and P2 the scale of the table's argument, which depends on the vertex position.
//
// The engine does not light deformed surfaces, so normals are not computed.

// The view for which the vertices of a surface are changed, such as the position of the viewer.
typedef struct md5_deform_view {
    md5_vec3 eye; // position of the viewer, in model space
    // Unit vectors that point to the left and up on the screen, in model space.
    md5_vec3 left, up;
    uint64_t reserved[4]; // must be 0
} md5_deform_view;

// The arrays to which md5_deform_vertices() writes. The caller owns them. Each array has the number
// of elements that md5_deform_size() writes to *num_vertices.
typedef struct md5_deformed {
    md5_vec3 *positions; // the positions, in model space, are written to this array
    md5_vec2 *texcoords; // the texture coordinates are written to this array
    // The vertex colors are written to this array. They are white if the mesh has no colors. If
    // NULL, the colors are not written.
    md5_vec4 *colors;
    uint64_t reserved[4]; // must be 0
} md5_deformed;

// Checks if a mesh can be deformed, and computes the size of the result. Returns true, and writes
// the numbers of vertices and triangles of the deformed surface, if the mesh has the required form:
//
//   SPRITE, TUBE:            only quads: 4 vertices and 2 triangles for each quad
//   FLARE:                   exactly one quad
//   EYEBALL:                 at most 60 triangles in three groups that do not share vertices
//   EXPAND, MOVE, TURBULENT: at least one vertex
//
// Returns false for all other meshes, which the engine draws unchanged, and for particles, which
// are not supported.
MD5_GAME_API bool md5_deform_size(md5_deform deform, const md5_mesh *mesh, uint32_t *num_vertices,
                                  uint32_t *num_triangles);

// Writes the vertex indices of the deformed surface to indices[3 * num_triangles]. `num_triangles`
// is the result of md5_deform_size(), which must have returned true for this deform and mesh.
MD5_GAME_API void md5_deform_indices(md5_deform deform, const md5_mesh *mesh, uint32_t *indices);

// Computes the vertices of a deformed surface for one frame, and writes them to the arrays in *out.
// md5_deform_size() must have returned true for material->deform and `mesh`. Does not allocate
// memory. Parameters:
//
//   table:     the table with the name material->deform_decl, for TURBULENT. If it is NULL,
//              TURBULENT changes nothing.
//   registers: the result of md5_evaluate_material()
//   positions: [mesh->num_vertices] positions from md5_skin()
//   normals:   [mesh->num_vertices] normals from md5_skin(), for EXPAND. If it is NULL, EXPAND
//              changes nothing.
MD5_GAME_API void md5_deform_vertices(const md5_material *material, const md5_table *table,
                                      const float *registers, const md5_mesh *mesh,
                                      const md5_vec3 *positions, const md5_vec3 *normals,
                                      const md5_deform_view *view, const md5_deformed *out);

#ifdef __cplusplus
}
#endif

#endif
