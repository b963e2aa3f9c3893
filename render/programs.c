// Lists the files of shaders/ of which each program consists. Compiles and links the programs, and
// converts the driver's logs to errors.
//
// A program that draws a model combines files of several tables. The table `passes` contains the
// files of each pass, and `skin_functions` the files of each skinning path. Other tables contain
// the files for blending and morph targets. `fixed_sources` lists all programs that do not draw
// models.
#include "render/gl_internal.h"
#include "render/shaders.h"

#include <stdlib.h>
#include <string.h>

// -- Files ------------------------------------------------------------------------------------

// clang-format off
#define FRAME   {"frame.glsl", md5gli_shader_frame_glsl}
#define COLOR  {"color.glsl", md5gli_shader_color_glsl}
#define SHADOW  {"shadow.glsl", md5gli_shader_shadow_glsl}
#define FALLOFF {"falloff.glsl", md5gli_shader_falloff_glsl}
#define LIGHT   FALLOFF, {"light.glsl", md5gli_shader_light_glsl}
#define DITHER  {"dither.glsl", md5gli_shader_dither_glsl}
#define SPOT    {"spot.glsl", md5gli_shader_spot_glsl}
#define SKY     {"sky_studio.glsl", md5gli_shader_sky_studio_glsl}
#define AROUND  {"environment.glsl", md5gli_shader_environment_glsl}
#define PICTURE_SKY {"sky_environment.glsl", md5gli_shader_sky_environment_glsl}
#define CLASSIC {"classic.glsl", md5gli_shader_classic_glsl}
#define SURFACE {"surface.glsl", md5gli_shader_surface_glsl}
#define SHADE   {"shade.glsl", md5gli_shader_shade_glsl}
#define DISSOLVE {"dissolve.glsl", md5gli_shader_dissolve_glsl}
#define TABLE   {"table_buffer.glsl", md5gli_shader_table_buffer_glsl}
#define TABLE_TEXTURE {"table_texture.glsl", md5gli_shader_table_texture_glsl}
#define PREVIOUS {"previous.glsl", md5gli_shader_previous_glsl}
#define PALETTE {"palette.glsl", md5gli_shader_palette_glsl}
#define LINEAR  {"blend_linear.glsl", md5gli_shader_blend_linear_glsl}
#define DUAL    {"blend_dual.glsl", md5gli_shader_blend_dual_glsl}
#define PLAIN   {"bind_plain.glsl", md5gli_shader_bind_plain_glsl}
#define MORPHED {"bind_morphed.glsl", md5gli_shader_bind_morphed_glsl}
#define VIEWS   {"impostor_views.glsl", md5gli_shader_impostor_views_glsl}
#define POINT   {"impostor.glsl", md5gli_shader_impostor_glsl}
#define EXACT   {"skin_exact.glsl", md5gli_shader_skin_exact_glsl}

// The files that light a surface. Each kind of light has separate programs. One program with
// branches would be slower, because software GL executes all branches of a shader.
#define LIT_UNDER(...) FRAME, COLOR, SHADOW, __VA_ARGS__, DISSOLVE, SHADE
#define STUDIO_LIGHT SKY, LIGHT
#define PICTURE_LIGHT AROUND, PICTURE_SKY, LIGHT
#define CLASSIC_LIGHT SKY, LIGHT, CLASSIC
// clang-format on

static const md5gl_source skin_functions[MD5GL_NUM_SKINS] = {
    [MD5GL_SKIN_4] = {"skin4.glsl", md5gli_shader_skin4_glsl},
    [MD5GL_SKIN_8] = {"skin8.glsl", md5gli_shader_skin8_glsl},
    [MD5GL_SKIN_EXACT] = EXACT,
    [MD5GL_SKIN_POSED] = {"skin_posed.glsl", md5gli_shader_skin_posed_glsl},
    [MD5GL_SKIN_BAKED] = {"skin_baked.glsl", md5gli_shader_skin_baked_glsl},
};

// The files that only one pass uses. build_pass() adds the vertex files that all passes share.
static const md5gl_program_sources passes[MD5GL_NUM_PASSES] = {
#define LIT_BY(...)                                                                           \
    {                                                                                         \
        .fragment = { LIT_UNDER(__VA_ARGS__), SURFACE, {"lit.frag", md5gli_shader_lit_frag} } \
    }
    [MD5GL_PASS_LIT] = LIT_BY(STUDIO_LIGHT),
    [MD5GL_PASS_DEPTH] = {.fragment = {{"depth.frag", md5gli_shader_depth_frag}}},
    [MD5GL_PASS_DEPTH_OPAQUE] = {.fragment = {{NULL, NULL}}},
    [MD5GL_PASS_EDGES] = {.fragment = {{"flat.frag", md5gli_shader_flat_frag}}},
    [MD5GL_PASS_CAPTURE] = {.captured = {"captured_position", "captured_normal",
                                         "captured_tangent"}},
    [MD5GL_PASS_IMPOSTOR] = {.fragment = {SURFACE, {"picture.frag", md5gli_shader_picture_frag}}},
    [MD5GL_PASS_STAGE] = {.fragment = {FRAME, DISSOLVE, {"stage.frag", md5gli_shader_stage_frag}}},
    [MD5GL_PASS_OUTPUTS] = {.vertex = {PREVIOUS},
                            .fragment = {DISSOLVE,
                                         SURFACE,
                                         {"outputs.frag", md5gli_shader_outputs_frag}}},
    [MD5GL_PASS_LIT_ENVIRONMENT] = LIT_BY(PICTURE_LIGHT),
    [MD5GL_PASS_LIT_CLASSIC] = LIT_BY(CLASSIC_LIGHT),
    [MD5GL_PASS_LIT_SPOTS] = LIT_BY(SPOT, STUDIO_LIGHT),
    [MD5GL_PASS_LIT_ENVIRONMENT_SPOTS] = LIT_BY(SPOT, PICTURE_LIGHT),
    [MD5GL_PASS_LIT_CLASSIC_SPOTS] = LIT_BY(SPOT, CLASSIC_LIGHT),
};

enum { PRESKIN_BLEND = 4, PRESKIN_BIND = 5 }; // indices of these files in preskin_sources

static const md5gl_program_sources preskin_sources = {
    .compute = {{"preskin.glsl", md5gli_shader_preskin_glsl},
                TABLE,
                PREVIOUS,
                PALETTE,
                LINEAR,
                PLAIN,
                EXACT,
                {"preskin.comp", md5gli_shader_preskin_comp}},
};

static const md5gl_program_sources fixed_sources[MD5GL_NUM_FIXED_PROGRAMS] = {
#define IMPOSTOR .vertex = {FRAME, VIEWS, {"impostor.vert", md5gli_shader_impostor_vert}}
#define LIT_IMPOSTOR(...)                                                 \
    {                                                                     \
        IMPOSTOR,                                                         \
            .fragment = {LIT_UNDER(__VA_ARGS__),                          \
                         VIEWS,                                           \
                         POINT,                                           \
                         {"impostor.frag", md5gli_shader_impostor_frag}}, \
    }
    [MD5GL_PROGRAM_LINE] =
        {
            .vertex = {FRAME, {"line.vert", md5gli_shader_line_vert}},
            .fragment = {{"line.frag", md5gli_shader_line_frag}},
        },
    [MD5GL_PROGRAM_GRID] =
        {
            .vertex = {FRAME, {"grid.vert", md5gli_shader_grid_vert}},
            .fragment = {FRAME, DITHER, {"grid.frag", md5gli_shader_grid_frag}},
        },
    [MD5GL_PROGRAM_LIT_FLOOR] =
        {
            .vertex = {FRAME, {"grid.vert", md5gli_shader_grid_vert}},
            .fragment = {FRAME, COLOR, FALLOFF, DITHER, {"grid.frag", md5gli_shader_grid_frag}},
        },
    [MD5GL_PROGRAM_GROUND] =
        {
            .vertex = {FRAME, {"ground.vert", md5gli_shader_ground_vert}},
            .fragment = {FRAME, SHADOW, {"ground.frag", md5gli_shader_ground_frag}},
        },
    [MD5GL_PROGRAM_PANEL] =
        {
            .vertex = {FRAME, {"panel.vert", md5gli_shader_panel_vert}},
            .fragment = {DITHER, {"panel.frag", md5gli_shader_panel_frag}},
        },
    [MD5GL_PROGRAM_IMAGE] =
        {
            .vertex = {FRAME, {"panel.vert", md5gli_shader_panel_vert}},
            .fragment = {COLOR, {"image.frag", md5gli_shader_image_frag}},
        },
    [MD5GL_PROGRAM_BLOB] =
        {
            .vertex = {FRAME, {"blob.vert", md5gli_shader_blob_vert}},
            .fragment = {{"blob.frag", md5gli_shader_blob_frag}},
        },
    [MD5GL_PROGRAM_BACKGROUND] =
        {
            .vertex = {{"environment.vert", md5gli_shader_environment_vert}},
            .fragment =
                {FRAME, COLOR, AROUND, {"environment.frag", md5gli_shader_environment_frag}},
        },
    [MD5GL_PROGRAM_SMOOTH] =
        {
            .vertex = {{"environment.vert", md5gli_shader_environment_vert}},
            .fragment = {{"smooth.frag", md5gli_shader_smooth_frag}},
        },
    [MD5GL_PROGRAM_RESOLVE] =
        {
            .vertex = {{"environment.vert", md5gli_shader_environment_vert}},
            .fragment = {{"resolve.frag", md5gli_shader_resolve_frag}},
        },
    [MD5GL_IMPOSTOR_LIT] = LIT_IMPOSTOR(STUDIO_LIGHT),
    [MD5GL_IMPOSTOR_DEPTH] = {IMPOSTOR, .fragment = {FRAME,
                                                     VIEWS,
                                                     POINT,
                                                     {"impostor_depth.frag",
                                                      md5gli_shader_impostor_depth_frag}}},
    [MD5GL_IMPOSTOR_LIT_ENVIRONMENT] = LIT_IMPOSTOR(PICTURE_LIGHT),
    [MD5GL_IMPOSTOR_LIT_CLASSIC] = LIT_IMPOSTOR(CLASSIC_LIGHT),
    [MD5GL_IMPOSTOR_LIT_SPOTS] = LIT_IMPOSTOR(SPOT, STUDIO_LIGHT),
    [MD5GL_IMPOSTOR_LIT_ENVIRONMENT_SPOTS] = LIT_IMPOSTOR(SPOT, PICTURE_LIGHT),
    [MD5GL_IMPOSTOR_LIT_CLASSIC_SPOTS] = LIT_IMPOSTOR(SPOT, CLASSIC_LIGHT),
};

// -- One program ------------------------------------------------------------------------------

static const char *const uniform_names[MD5GL_NUM_UNIFORMS] = {
#define NAME(uniform, name) [uniform] = (name),
    MD5GL_UNIFORMS(NAME)
#undef NAME
};

static const struct {
    const char *name;
    enum md5gl_unit unit;
} program_samplers[] = {
    {"palettes", MD5GL_UNIT_PALETTES},
    {"placements", MD5GL_UNIT_PLACEMENTS},
    {"influences", MD5GL_UNIT_INFLUENCES},
    {"influence_joints", MD5GL_UNIT_INFLUENCE_JOINTS},
    {"baked_jobs", MD5GL_UNIT_PALETTES},
    {"baked_clips", MD5GL_UNIT_INFLUENCES},
    {"baked_vertices", MD5GL_UNIT_INFLUENCE_JOINTS},
    {"diffuse", MD5GL_UNIT_TEXTURE},
    {"samples", MD5GL_UNIT_TEXTURE},
    {"mask", MD5GL_UNIT_TEXTURE},
    {"layer", MD5GL_UNIT_TEXTURE},
    {"cube", MD5GL_UNIT_SPECULAR}, // used by stages, which do not have a specular map
    {"normals", MD5GL_UNIT_NORMALS},
    {"specular", MD5GL_UNIT_SPECULAR},
    {"glow", MD5GL_UNIT_GLOW},
    {"ids", MD5GL_UNIT_GLOW}, // used by outputs, which do not have a glow map
    {"sun", MD5GL_UNIT_SUN},
    {"sun_depth", MD5GL_UNIT_SUN_DEPTH},
    {"contact_map", MD5GL_UNIT_CONTACT},
    {"spots", MD5GL_UNIT_SPOTS},
    {"tints", MD5GL_UNIT_TINTS},
    {"morph_first", MD5GL_UNIT_MORPH_FIRST},
    {"morph_deltas", MD5GL_UNIT_MORPH_DELTAS},
    {"morph_weights", MD5GL_UNIT_MORPH_WEIGHTS},
    {"reflections", MD5GL_UNIT_ENVIRONMENT},
    {"panorama", MD5GL_UNIT_TEXTURE},
    {"colors", MD5GL_UNIT_TEXTURE},
    {"surfaces", MD5GL_UNIT_NORMALS},
};

// Line numbers in a driver's log identify the file. The first line of file n has the number n *
// LINES_PER_FILE + 1. The directive #line can also number the files, but Mesa omits that number in
// most of its messages.
#define LINES_PER_FILE 1000

static const char *const headings[MD5GL_MAX_SOURCES] = {
    "#line 1\n",     "#line 1001\n",  "#line 2001\n", "#line 3001\n", "#line 4001\n",
    "#line 5001\n",  "#line 6001\n",  "#line 7001\n", "#line 8001\n", "#line 9001\n",
    "#line 10001\n", "#line 11001\n", "#line 12001\n"};

// Parses a number and returns its end, or NULL if the text does not begin with a number.
static const char *skip_number(const char *text, long *number)
{
    char *end = NULL;
    *number = strtol(text, &end, 10);
    return end != text ? end : NULL;
}

// Returns the line number at the beginning of a driver's message, and sets `message` to the text
// after it. If the format is unknown, returns -1 and sets `message` to the whole log. Known
// formats:
//
// - Mesa, with the column: "0:2015(3): error: x"
// - NVIDIA: "0(2015) : error x"
// - others: "ERROR: 0:2015: x"
//
// The number before the line is the index of a source string, which is always 0.
static long parse_log_line(const char *log, const char **message)
{
    static const char prefix[] = "ERROR: ";
    const size_t prefix_length = sizeof prefix - 1;
    const bool has_prefix = strncmp(log, prefix, prefix_length) == 0;
    long string;
    long line;
    long column;
    *message = log;
    const char *at = skip_number(has_prefix ? log + prefix_length : log, &string);
    if (!at || (*at != ':' && *at != '('))
        return -1;

    // Read the line, and skip the column that Mesa adds.
    at = skip_number(at + 1, &line);
    if (!at || line <= 0)
        return -1;
    if (at[0] == '(' && skip_number(at + 1, &column))
        at = skip_number(at + 1, &column);
    *message = at + strspn(at, "): ");
    return line;
}

// Returns the index of the last file of a stage.
static int find_last_file(const md5gl_source *files)
{
    int last = 0;
    while (last + 1 < MD5GL_MAX_SOURCES && files[last + 1].text)
        last++;
    return last;
}

// Fills the error with the first line of a driver's log, and with the file and the line that it
// refers to. `failure` describes the failure, for example "shaders do not link". If the log does
// not begin with a known line number, the error names the last of the files, which contains main().
// Returns false.
static bool fail_with_log(const char *log, const md5gl_source *files, const char *failure,
                          md5_error *error)
{
    const char *message;
    const long line = parse_log_line(log, &message);
    int length = (int)strcspn(message, "\r\n");
    if (length == 0) {
        message = "no message from the driver";
        length = (int)strlen(message);
    }

    const int last_file = find_last_file(files);
    const long file = line / LINES_PER_FILE; // see `headings`
    if (line > 0 && file <= last_file)
        return md5gli_fail(error, MD5_ERROR_GPU, "shaders/%s:%ld: %s: %.*s", files[file].file,
                           line % LINES_PER_FILE, failure, length, message);
    return md5gli_fail(error, MD5_ERROR_GPU, "shaders/%s: %s: %.*s", files[last_file].file, failure,
                       length, message);
}

// OpenGL ES has default precisions that are too low or missing, so they are set. OpenGL on desktops
// always uses the highest precision.
#define ES_PRECISIONS                                           \
    "precision highp float;\nprecision highp int;\n"            \
    "precision highp sampler2D;\nprecision highp usampler2D;\n" \
    "precision highp sampler2DShadow;\n"
static const char es_heading[] = "#version 300 es\n" ES_PRECISIONS;

// Returns the version directive with which the text of a stage must begin.
static const char *stage_heading(const md5gl_renderer *renderer, GLenum stage)
{
    if (stage == MD5GL_COMPUTE_SHADER)
        return renderer->compute_heading;
    return renderer->is_es ? es_heading : "#version 330 core\n";
}

// Compiles a shader stage from its files. A #line directive before each file sets its line numbers.
// Returns 0 and fills the error on failure.
static GLuint compile_stage(md5gl_renderer *renderer, GLenum stage, const md5gl_source *files,
                            md5_error *error)
{
    const char *texts[1 + 2 * MD5GL_MAX_SOURCES] = {stage_heading(renderer, stage)};
    GLsizei num_texts = 1;
    for (int i = 0; i < MD5GL_MAX_SOURCES && files[i].text; i++) {
        texts[num_texts++] = headings[i];
        texts[num_texts++] = files[i].text;
    }

    const GladGLContext *gl = &renderer->gl;
    const GLuint shader = gl->CreateShader(stage);
    gl->ShaderSource(shader, num_texts, texts, NULL);
    gl->CompileShader(shader);
    GLint compiled = GL_FALSE;
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled)
        return shader;

    char log[1024] = "";
    gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    gl->DeleteShader(shader);
    fail_with_log(log, files, "shader does not compile", error);
    return 0;
}

// Sets the texture unit of each sampler of a program. Stores the units that the program reads as
// bits of `units`.
static void set_samplers(const GladGLContext *gl, md5gl_program *program)
{
    gl->UseProgram(program->name);
    for (uint32_t i = 0; i < sizeof program_samplers / sizeof program_samplers[0]; i++) {
        const GLint location = gl->GetUniformLocation(program->name, program_samplers[i].name);
        if (location < 0) // the program does not have this sampler
            continue;
        gl->Uniform1i(location, (GLint)program_samplers[i].unit);
        program->units |= 1u << program_samplers[i].unit;
    }
    gl->UseProgram(0);
}

// Links the attached stages of a program. Queries the locations of its uniforms. Sets the values
// that never change, which are the binding of the block Frame and the units of samplers. Returns
// false and fills the error if linking fails. The message names the last of the files.
static bool link_program(md5gl_renderer *renderer, const md5gl_source *files,
                         md5gl_program *program, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    gl->LinkProgram(program->name);
    GLint linked = GL_FALSE;
    gl->GetProgramiv(program->name, GL_LINK_STATUS, &linked);
    if (!linked) {
        char log[1024] = "";
        gl->GetProgramInfoLog(program->name, sizeof log, NULL, log);
        return fail_with_log(log, files, "shaders do not link", error);
    }

    for (uint32_t i = 0; i < MD5GL_NUM_UNIFORMS; i++)
        program->uniforms[i] = gl->GetUniformLocation(program->name, uniform_names[i]);
    const GLuint frame = gl->GetUniformBlockIndex(program->name, "Frame");
    if (frame != GL_INVALID_INDEX)
        gl->UniformBlockBinding(program->name, frame, MD5GL_FRAME_BINDING);
    set_samplers(gl, program);
    return true;
}

// OpenGL ES requires a fragment stage in every program, even if the program only writes depth or
// captures vertices.
static const md5gl_source no_fragments[MD5GL_MAX_SOURCES] = {{"(none)", "void main() {}\n"}};

// Compiles the stages of a program and attaches them. Returns false and fills the error on failure.
static bool attach_stages(md5gl_renderer *renderer, const md5gl_program_sources *sources,
                          GLuint program, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const bool lacks_fragments = !sources->fragment[0].text && !sources->compute[0].text;
    const struct {
        GLenum stage;
        const md5gl_source *files;
    } stages[] = {
        {GL_VERTEX_SHADER, sources->vertex},
        {GL_FRAGMENT_SHADER, renderer->is_es && lacks_fragments ? no_fragments : sources->fragment},
        {MD5GL_COMPUTE_SHADER, sources->compute},
    };

    for (uint32_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (stages[i].files[0].text == NULL)
            continue;
        const GLuint shader = compile_stage(renderer, stages[i].stage, stages[i].files, error);
        if (shader == 0)
            return false;
        gl->AttachShader(program, shader);
        gl->DeleteShader(shader); // the program keeps attached shaders
    }
    return true;
}

// Compiles and links a shader program, unless it exists already. Returns false with the first
// message of the compiler if this fails.
bool md5gli_build_program(md5gl_renderer *renderer, const md5gl_program_sources *sources,
                          md5gl_program *program, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    if (program->name != 0)
        return true;

    program->name = gl->CreateProgram();
    const bool is_attached = attach_stages(renderer, sources, program->name, error);
    if (sources->captured[0]) // must be set before linking
        gl->TransformFeedbackVaryings(program->name, MD5GL_NUM_CAPTURED, sources->captured,
                                      GL_SEPARATE_ATTRIBS);
    const bool is_compute = sources->compute[0].text != NULL;
    const md5gl_source *const first_stage = is_compute ? sources->compute : sources->vertex;
    if (is_attached && link_program(renderer, first_stage, program, error))
        return true;

    gl->DeleteProgram(program->name);
    program->name = 0;
    return false;
}

// Sets a uniform of the program in use, if the program has that uniform.
void md5gli_set_integer(const GladGLContext *gl, const md5gl_program *program,
                        enum md5gl_uniform uniform, GLint value)
{
    if (program->uniforms[uniform] >= 0)
        gl->Uniform1i(program->uniforms[uniform], value);
}

// -- Text for hosts ---------------------------------------------------------------------------

// All global names of the files in md5gl_shadow_glsl(). They get the prefix md5gl_, so that they do
// not collide with names in the host's shaders.
// clang-format off
#define HOST_NAMES(X) \
    X(Frame) X(clip_from_world) X(previous_clip_from_world) X(eye) X(light_direction) X(light) \
    X(ambient) X(viewport) X(origin) X(sun_from_world) X(contact_from_world) X(shadow) \
    X(contact) X(mode) X(point_positions) X(point_colors) X(point_cones) X(spot_from_world) \
    X(spot_texels) X(environment) X(harmonics) X(srgb_from_linear) X(KNEE) X(PALING) X(tone_map) \
    X(sun) X(sun_depth) X(contact_map) X(spots) X(BLOCKER_TAPS) \
    X(FILTER_TAPS) X(GOLDEN) X(next_tap) X(pixel_rotation) X(first_rotation) X(edge) X(MAX_SLOPE) X(sunlight) X(SPOT_RADIUS) X(SPOT_OFFSET) \
    X(spotlight) X(contact_shade) X(PI) X(rotated_to_panorama) X(panorama_coords) \
    X(sky_light) X(sky_mirror) X(sky_rim) X(surface_point) X(RIM) X(THICKNESS) X(schlick) \
    X(light_by) X(point_light) X(light_surface) X(classic_by) X(classic_surface) X(BASE_REFLECTANCE) \
    X(direction_to_eye) X(plain) X(shade)
// clang-format on
#define HOST_DEFINE(name) "#define " #name " md5gl_" #name "\n"
#define HOST_UNDEFINE(name) "#undef " #name "\n"

// Returns one text that consists of all texts in their order. Returns NULL and fills the error if
// memory runs out.
static char *concatenate(md5gl_renderer *renderer, const char *const *texts, size_t count,
                         md5_error *error)
{
    size_t size = 1; // the final zero byte
    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i]);
    char *const text = MD5GL_NEW(renderer, char, size, error); // zeroed
    if (!text)
        return NULL;

    char *end = text;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(texts[i]);
        memcpy(end, texts[i], length);
        end += length;
    }
    return text;
}

// Returns GLSL source code that gives shaders of the host the light and shadows of a frame. The
// first call for each kind of lighting joins the text from the library's shader files. Later calls
// return the same text.
const char *md5gl_shadow_glsl(md5gl_renderer *renderer, md5gl_lighting lighting, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    if (!renderer) {
        md5gli_fail_missing(error, "renderer");
        return NULL;
    }
    MD5_ASSERT((unsigned)lighting < MD5GL_NUM_LIGHTINGS,
               "lighting: must be a value of md5gl_lighting");
    if (renderer->host_texts[lighting]) // created by an earlier call
        return renderer->host_texts[lighting];

    const char *const precisions = renderer->is_es ? ES_PRECISIONS : "";
    const char *const texts[] = {
        precisions,
        HOST_NAMES(HOST_DEFINE),
        md5gli_shader_frame_glsl,
        md5gli_shader_color_glsl,
        md5gli_shader_shadow_glsl,
        md5gli_shader_spot_glsl,
        md5gli_shader_environment_glsl,
        md5gli_shader_sky_host_glsl,
        md5gli_shader_falloff_glsl,
        md5gli_shader_light_glsl,
        lighting == MD5GL_LIGHTING_CLASSIC ? md5gli_shader_classic_glsl : "",
        md5gli_shader_shade_glsl,
        HOST_NAMES(HOST_UNDEFINE) "#undef CLASSIC\n#undef SPOTS\n#line 1\n",
    };
    const size_t count = sizeof texts / sizeof texts[0];
    renderer->host_texts[lighting] = concatenate(renderer, texts, count, error);
    return renderer->host_texts[lighting];
}

// -- All programs -----------------------------------------------------------------------------

// The place from which the vertex shader gets skinned vertices, for each path. No mesh has the path
// AUTO. Its entry is used for baked clips instead, which need the same shader on all paths.
static const enum md5gl_skin skins[] = {
    [MD5GL_PATH_AUTO] = MD5GL_SKIN_BAKED, [MD5GL_PATH_4] = MD5GL_SKIN_4,
    [MD5GL_PATH_8] = MD5GL_SKIN_8,        [MD5GL_PATH_EXACT] = MD5GL_SKIN_EXACT,
    [MD5GL_PATH_CPU] = MD5GL_SKIN_POSED,  [MD5GL_PATH_COMPUTE] = MD5GL_SKIN_POSED,
};

// The files for each blending method, and the files without and with morph targets. See
// md5gl_variant_index().
static const md5gl_source blends[MD5GL_NUM_BLENDINGS] = {
    [MD5GL_BLEND_LINEAR] = LINEAR,
    [MD5GL_BLEND_DUAL] = DUAL,
};
static const md5gl_source binds[] = {PLAIN, MORPHED};

// Builds the program that draws skinned models in a pass, unless it exists already. `variant` is a
// combination of a blending method and morph targets (md5gl_variant_index()). The vertex stage
// begins with the file of the pass, if it has one. The files for skinning and the file with main()
// follow. Returns false and fills the error on failure.
static bool build_pass(md5gl_renderer *renderer, int variant, enum md5gl_skin skin,
                       enum md5gl_pass pass, md5_error *error)
{
    // Captures run outside of frames. The block Frame is not bound then, so it must not be
    // declared.
    static const md5gl_source empty_frame = {"frame.glsl", ""};
    static const md5gl_source capture_entry = {"capture.vert", md5gli_shader_capture_vert};
    static const md5gl_source draw_entry = {"draw.vert", md5gli_shader_draw_vert};
    md5gl_program *const program = &renderer->skinned[variant][skin][pass];
    if (program->name != 0)
        return true;

    const bool is_capture = pass == MD5GL_PASS_CAPTURE;
    const md5gl_source frame = is_capture ? empty_frame : (md5gl_source)FRAME;
    const md5gl_source table = renderer->is_es ? (md5gl_source)TABLE_TEXTURE : (md5gl_source)TABLE;
    const md5gl_source skinning[] = {
        frame,
        table,
        PALETTE,
        blends[variant % MD5GL_NUM_BLENDINGS],
        binds[variant / MD5GL_NUM_BLENDINGS],
        skin_functions[skin],
        is_capture ? capture_entry : draw_entry,
    };

    // Insert the files after the file of the pass.
    md5gl_program_sources sources = passes[pass];
    const uint32_t num_pass_files = sources.vertex[0].text != NULL ? 1 : 0;
    memcpy(&sources.vertex[num_pass_files], skinning, sizeof skinning);
    return md5gli_build_program(renderer, &sources, program, error);
}

// Builds the lit program of a skinning path, unless it exists already. For MD5GL_PATH_COMPUTE, also
// builds the compute program. `variant` is a combination of a blending method and morph targets
// (md5gl_variant_index()).
bool md5gli_build_variant(md5gl_renderer *renderer, md5gl_path path, int variant, md5_error *error)
{
    if (path == MD5GL_PATH_COMPUTE) {
        md5gl_program_sources sources = preskin_sources;
        sources.compute[PRESKIN_BLEND] = blends[variant % MD5GL_NUM_BLENDINGS];
        sources.compute[PRESKIN_BIND] = binds[variant / MD5GL_NUM_BLENDINGS];
        if (!md5gli_build_program(renderer, &sources, &renderer->preskin[variant], error))
            return false;
    }
    // Vertices that are skinned before the draw need neither blending nor morph targets, so one
    // variant suffices.
    const enum md5gl_skin skin = skins[path];
    const int pass_variant = skin == MD5GL_SKIN_POSED ? 0 : variant;
    return build_pass(renderer, pass_variant, skin, MD5GL_PASS_LIT, error);
}

// Returns the program that draws a mesh in a pass, such as the depth pass of shadows. Builds the
// program on first use. Returns NULL and sets the error on failure.
const md5gl_program *md5gli_get_mesh_program(md5gl_renderer *renderer, const md5gl_model *model,
                                             const md5gl_mesh *mesh, enum md5gl_pass pass,
                                             md5_error *error)
{
    // Neither blending nor morph targets affect vertices that are skinned already or baked, so one
    // variant suffices.
    const enum md5gl_skin skin = skins[model->baked ? MD5GL_PATH_AUTO : mesh->path];
    const bool is_posed = skin == MD5GL_SKIN_BAKED || skin == MD5GL_SKIN_POSED;
    const int variant = is_posed ? 0 : md5gl_variant_index(model->blending, model->morph != NULL);
    if (!build_pass(renderer, variant, skin, pass, error))
        return NULL;
    return &renderer->skinned[variant][skin][pass];
}

// Returns a program and builds it if it does not exist yet. Returns NULL and fills the error on
// failure.
const md5gl_program *md5gli_get_fixed_program(md5gl_renderer *renderer,
                                              enum md5gl_fixed_program which, md5_error *error)
{
    md5gl_program *const program = &renderer->fixed[which];
    return md5gli_build_program(renderer, &fixed_sources[which], program, error) ? program : NULL;
}
