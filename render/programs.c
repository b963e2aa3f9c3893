// All programs, and the shader files that each is made of.
#include "render/gl_internal.h"
#include "render/shaders.h"

#include <string.h>

// clang-format off
#define FRAME   {"frame.glsl", md5gl_shader_frame_glsl}
#define COLOUR  {"colour.glsl", md5gl_shader_colour_glsl}
#define SHADOW  {"shadow.glsl", md5gl_shader_shadow_glsl}
#define LIGHT   {"light.glsl", md5gl_shader_light_glsl}
#define SKY     {"sky_studio.glsl", md5gl_shader_sky_studio_glsl}
#define AROUND  {"environment.glsl", md5gl_shader_environment_glsl}
#define PICTURE_SKY {"sky_environment.glsl", md5gl_shader_sky_environment_glsl}
#define CLASSIC {"classic.glsl", md5gl_shader_classic_glsl}
#define SURFACE {"surface.glsl", md5gl_shader_surface_glsl}
#define SHADE   {"shade.glsl", md5gl_shader_shade_glsl}
#define DISSOLVE {"dissolve.glsl", md5gl_shader_dissolve_glsl}
#define TABLE   {"table_buffer.glsl", md5gl_shader_table_buffer_glsl}
#define TABLE_TEXTURE {"table_texture.glsl", md5gl_shader_table_texture_glsl}
#define PALETTE {"palette.glsl", md5gl_shader_palette_glsl}
#define LINEAR  {"blend_linear.glsl", md5gl_shader_blend_linear_glsl}
#define DUAL    {"blend_dual.glsl", md5gl_shader_blend_dual_glsl}
#define PLAIN   {"bind_plain.glsl", md5gl_shader_bind_plain_glsl}
#define MORPHED {"bind_morphed.glsl", md5gl_shader_bind_morphed_glsl}
#define EXACT   {"skin_exact.glsl", md5gl_shader_skin_exact_glsl}
#define DRAW    {"draw.vert", md5gl_shader_draw_vert}
#define CAPTURE {"capture.vert", md5gl_shader_capture_vert}

// What lights a surface. Each of the lights has programs of its own, because software GL runs all
// branches of a shader.
#define LIT_UNDER(...) FRAME, COLOUR, SHADOW, __VA_ARGS__, DISSOLVE, SHADE
#define STUDIO_LIGHT SKY, LIGHT
#define PICTURE_LIGHT AROUND, PICTURE_SKY, LIGHT
#define CLASSIC_LIGHT SKY, LIGHT, CLASSIC
// clang-format on

// A program that draws a model combines the skinning of a path with the shaders of a pass.
static const md5gl_source skin_functions[MD5GL_NUM_SKINS] = {
    [MD5GL_SKIN_4] = {"skin4.glsl", md5gl_shader_skin4_glsl},
    [MD5GL_SKIN_8] = {"skin8.glsl", md5gl_shader_skin8_glsl},
    [MD5GL_SKIN_EXACT] = EXACT,
    [MD5GL_SKIN_POSED] = {"skin_posed.glsl", md5gl_shader_skin_posed_glsl},
    [MD5GL_SKIN_BAKED] = {"skin_baked.glsl", md5gl_shader_skin_baked_glsl},
};

// The vertex stage lists only its last file; build_skinned() puts the common files before it.
static const md5gl_program_sources passes[MD5GL_NUM_PASSES] = {
    [MD5GL_PASS_LIT] =
        {
            .vertex = {DRAW},
            .fragment = {LIT_UNDER(STUDIO_LIGHT), SURFACE, {"lit.frag", md5gl_shader_lit_frag}},
        },
    [MD5GL_PASS_DEPTH] =
        {
            .vertex = {DRAW},
            .fragment = {{"depth.frag", md5gl_shader_depth_frag}},
        },
    [MD5GL_PASS_DEPTH_OPAQUE] = {.vertex = {DRAW}},
    [MD5GL_PASS_EDGES] =
        {
            .vertex = {DRAW},
            .fragment = {{"flat.frag", md5gl_shader_flat_frag}},
        },
    [MD5GL_PASS_CAPTURE] =
        {
            .vertex = {CAPTURE},
            .captured = {"captured_position", "captured_normal", "captured_tangent"},
        },
    [MD5GL_PASS_PICTURE] =
        {
            .vertex = {DRAW},
            .fragment = {SURFACE, {"picture.frag", md5gl_shader_picture_frag}},
        },
    [MD5GL_PASS_STAGE] =
        {
            .vertex = {DRAW},
            .fragment = {FRAME, DISSOLVE, {"stage.frag", md5gl_shader_stage_frag}},
        },
    [MD5GL_PASS_LIT_ENVIRONMENT] =
        {
            .vertex = {DRAW},
            .fragment = {LIT_UNDER(PICTURE_LIGHT), SURFACE, {"lit.frag", md5gl_shader_lit_frag}},
        },
    [MD5GL_PASS_LIT_CLASSIC] =
        {
            .vertex = {DRAW},
            .fragment = {LIT_UNDER(CLASSIC_LIGHT), SURFACE, {"lit.frag", md5gl_shader_lit_frag}},
        },
};

static md5gl_source blend_of(int variant)
{
    const md5gl_source blends[MD5GL_NUM_BLENDINGS] = {
        [MD5GL_BLEND_LINEAR] = LINEAR,
        [MD5GL_BLEND_DUAL] = DUAL,
    };
    return blends[variant % MD5GL_NUM_BLENDINGS];
}

static md5gl_source bind_of(int variant)
{
    return variant < MD5GL_NUM_BLENDINGS ? (md5gl_source)PLAIN : (md5gl_source)MORPHED;
}

enum { PRESKIN_BLEND = 3, PRESKIN_BIND = 4 }; // indices of these files in preskin_sources

static const md5gl_program_sources preskin_sources = {
    .compute = {{"preskin.glsl", md5gl_shader_preskin_glsl},
                TABLE,
                PALETTE,
                LINEAR,
                PLAIN,
                EXACT,
                {"preskin.comp", md5gl_shader_preskin_comp}},
};

static const md5gl_program_sources line_sources = {
    .vertex = {FRAME, {"line.vert", md5gl_shader_line_vert}},
    .fragment = {{"line.frag", md5gl_shader_line_frag}},
};

static const md5gl_program_sources grid_sources = {
    .vertex = {FRAME, {"grid.vert", md5gl_shader_grid_vert}},
    .fragment = {{"grid.frag", md5gl_shader_grid_frag}},
};

static const md5gl_program_sources ground_sources = {
    .vertex = {FRAME, {"ground.vert", md5gl_shader_ground_vert}},
    .fragment = {FRAME, SHADOW, {"ground.frag", md5gl_shader_ground_frag}},
};

static const md5gl_program_sources panel_sources = {
    .vertex = {FRAME, {"panel.vert", md5gl_shader_panel_vert}},
    .fragment = {{"panel.frag", md5gl_shader_panel_frag}},
};

static const md5gl_program_sources image_sources = {
    .vertex = {FRAME, {"panel.vert", md5gl_shader_panel_vert}},
    .fragment = {COLOUR, {"image.frag", md5gl_shader_image_frag}},
};

static const md5gl_program_sources background_sources = {
    .vertex = {{"environment.vert", md5gl_shader_environment_vert}},
    .fragment = {FRAME, COLOUR, AROUND, {"environment.frag", md5gl_shader_environment_frag}},
};

static bool build_pass(md5gl_renderer *renderer, int variant, enum md5gl_skin skin,
                       enum md5gl_pass pass, md5_error *error)
{
    md5gl_program_sources sources = passes[pass];
    const md5gl_source last = sources.vertex[0];
    int count = 0;
    sources.vertex[count++] = (md5gl_source)FRAME;
    if (renderer->is_es)
        sources.vertex[count++] = (md5gl_source)TABLE_TEXTURE;
    else
        sources.vertex[count++] = (md5gl_source)TABLE;
    sources.vertex[count++] = (md5gl_source)PALETTE;
    sources.vertex[count++] = blend_of(variant);
    sources.vertex[count++] = bind_of(variant);
    sources.vertex[count++] = skin_functions[skin];
    sources.vertex[count++] = last;
    md5gl_program *const program = &renderer->skinned[variant][skin][pass];
    return program->name != 0 || md5gli_build_program(renderer, &sources, program, error);
}

static bool build_skinned(md5gl_renderer *renderer, int variant, enum md5gl_skin skin,
                          md5_error *error)
{
    for (int pass = 0; pass < MD5GL_NUM_COMMON_PASSES; pass++) {
        if (!build_pass(renderer, variant, skin, (enum md5gl_pass)pass, error))
            return false;
    }
    return true;
}

bool md5gli_build_picture_program(md5gl_renderer *renderer, md5gl_path path, int variant,
                                  md5_error *error)
{
    const enum md5gl_skin skin = md5gli_skin_of(path);
    return build_pass(renderer, skin == MD5GL_SKIN_POSED ? 0 : variant, skin, MD5GL_PASS_PICTURE,
                      error);
}

const md5gl_program *md5gli_build_stage_program(md5gl_renderer *renderer, int variant,
                                                enum md5gl_skin skin, md5_error *error)
{
    return build_pass(renderer, variant, skin, MD5GL_PASS_STAGE, error)
               ? &renderer->skinned[variant][skin][MD5GL_PASS_STAGE]
               : NULL;
}

const md5gl_program *md5gli_build_lit_program(md5gl_renderer *renderer, int variant,
                                              enum md5gl_skin skin, enum md5gl_pass pass,
                                              md5_error *error)
{
    return build_pass(renderer, variant, skin, pass, error)
               ? &renderer->skinned[variant][skin][pass]
               : NULL;
}

bool md5gli_build_background(md5gl_renderer *renderer, md5_error *error)
{
    return renderer->background.name != 0
           || md5gli_build_program(renderer, &background_sources, &renderer->background, error);
}

static bool build_preskin(md5gl_renderer *renderer, int variant, md5_error *error)
{
    md5gl_program_sources sources = preskin_sources;
    sources.compute[PRESKIN_BLEND] = blend_of(variant);
    sources.compute[PRESKIN_BIND] = bind_of(variant);
    md5gl_program *const program = &renderer->preskin[variant];
    return program->name != 0 || md5gli_build_program(renderer, &sources, program, error);
}

bool md5gli_build_variant(md5gl_renderer *renderer, md5gl_path path, int variant, md5_error *error)
{
    if (path == MD5GL_PATH_COMPUTE && !build_preskin(renderer, variant, error))
        return false;
    const enum md5gl_skin skin = md5gli_skin_of(path);
    return build_skinned(renderer, skin == MD5GL_SKIN_POSED ? 0 : variant, skin, error);
}

bool md5gli_build_baked(md5gl_renderer *renderer, md5_error *error)
{
    return build_skinned(renderer, MD5GL_BLEND_LINEAR, MD5GL_SKIN_BAKED, error);
}

// -- Impostors --------------------------------------------------------------------------------

#define VIEWS                                                   \
    {                                                           \
        "impostor_views.glsl", md5gl_shader_impostor_views_glsl \
    }
#define POINT                                       \
    {                                               \
        "impostor.glsl", md5gl_shader_impostor_glsl \
    }

static const md5gl_source impostor_layouts[MD5GL_NUM_IMPOSTOR_LAYOUTS] = {
    {"impostor_array.glsl", md5gl_shader_impostor_array_glsl},
    {"impostor_atlas.glsl", md5gl_shader_impostor_atlas_glsl},
    {"impostor_volume.glsl", md5gl_shader_impostor_volume_glsl},
};

const md5gl_program *md5gli_build_impostor_program(md5gl_renderer *renderer, uint32_t layout,
                                                   enum md5gl_impostor_pass pass, md5_error *error)
{
    const md5gl_program_sources sources[MD5GL_NUM_IMPOSTOR_PASSES] = {
        [MD5GL_IMPOSTOR_LIT] =
            {
                .vertex = {FRAME, VIEWS, {"impostor.vert", md5gl_shader_impostor_vert}},
                .fragment = {LIT_UNDER(STUDIO_LIGHT),
                             VIEWS,
                             impostor_layouts[layout],
                             POINT,
                             {"impostor.frag", md5gl_shader_impostor_frag}},
            },
        [MD5GL_IMPOSTOR_DEPTH] =
            {
                .vertex = {FRAME, VIEWS, {"impostor.vert", md5gl_shader_impostor_vert}},
                .fragment = {FRAME,
                             VIEWS,
                             impostor_layouts[layout],
                             POINT,
                             {"impostor_depth.frag", md5gl_shader_impostor_depth_frag}},
            },
        [MD5GL_IMPOSTOR_LIT_ENVIRONMENT] =
            {
                .vertex = {FRAME, VIEWS, {"impostor.vert", md5gl_shader_impostor_vert}},
                .fragment = {LIT_UNDER(PICTURE_LIGHT),
                             VIEWS,
                             impostor_layouts[layout],
                             POINT,
                             {"impostor.frag", md5gl_shader_impostor_frag}},
            },
        [MD5GL_IMPOSTOR_LIT_CLASSIC] =
            {
                .vertex = {FRAME, VIEWS, {"impostor.vert", md5gl_shader_impostor_vert}},
                .fragment = {LIT_UNDER(CLASSIC_LIGHT),
                             VIEWS,
                             impostor_layouts[layout],
                             POINT,
                             {"impostor.frag", md5gl_shader_impostor_frag}},
            },
    };
    md5gl_program *const program = &renderer->impostor[layout][pass];
    const bool built =
        program->name != 0 || md5gli_build_program(renderer, &sources[pass], program, error);
    return built ? program : NULL;
}

bool md5gli_build_overlays(md5gl_renderer *renderer, md5_error *error)
{
    return md5gli_build_program(renderer, &line_sources, &renderer->line, error)
           && md5gli_build_program(renderer, &grid_sources, &renderer->grid, error)
           && md5gli_build_program(renderer, &ground_sources, &renderer->ground_shadow, error)
           && md5gli_build_program(renderer, &panel_sources, &renderer->panel, error)
           && md5gli_build_program(renderer, &image_sources, &renderer->image, error);
}

void md5gli_destroy_all_programs(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    for (int variant = 0; variant < MD5GL_NUM_VARIANTS; variant++) {
        for (int skin = 0; skin < MD5GL_NUM_SKINS; skin++) {
            for (int pass = 0; pass < MD5GL_NUM_PASSES; pass++)
                gl->DeleteProgram(renderer->skinned[variant][skin][pass].name);
        }
        gl->DeleteProgram(renderer->preskin[variant].name);
    }
    for (int layout = 0; layout < MD5GL_NUM_IMPOSTOR_LAYOUTS; layout++) {
        for (int pass = 0; pass < MD5GL_NUM_IMPOSTOR_PASSES; pass++)
            gl->DeleteProgram(renderer->impostor[layout][pass].name);
    }
    gl->DeleteProgram(renderer->line.name);
    gl->DeleteProgram(renderer->grid.name);
    gl->DeleteProgram(renderer->ground_shadow.name);
    gl->DeleteProgram(renderer->panel.name);
    gl->DeleteProgram(renderer->image.name);
    gl->DeleteProgram(renderer->background.name);
}
