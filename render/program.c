// Builds one program: concatenates the files of each stage, compiles and links them, and turns the
// driver's logs into errors.
#include "render/gl_internal.h"

#include <stdlib.h>
#include <string.h>

static const char *const uniform_names[MD5GL_NUM_UNIFORMS] = {
    [MD5GL_NUM_JOINTS] = "num_joints",
    [MD5GL_PLACED] = "placed",
    [MD5GL_TINTED] = "tinted",
    [MD5GL_FIRST_INSTANCE] = "first_instance",
    [MD5GL_FIRST_VERTEX] = "first_vertex",
    [MD5GL_NUM_MORPHS] = "num_morphs",
    [MD5GL_NUM_MORPHED] = "num_morphed",
    [MD5GL_FIRST_MORPHED] = "first_morphed",
    [MD5GL_NUM_VERTICES] = "num_vertices",
    [MD5GL_NUM_INSTANCES] = "num_instances",
    [MD5GL_COLOURED] = "coloured",
    [MD5GL_MAPS] = "maps",
    [MD5GL_SURFACE] = "surface",
    [MD5GL_GROUND_AREA] = "ground_area",
    [MD5GL_GROUND_SIDES] = "ground_sides",
    [MD5GL_FLAT_COLOUR] = "flat_colour",
    [MD5GL_ALPHA_MODE] = "alpha_mode",
    [MD5GL_LINE_WIDTH] = "line_width",
    [MD5GL_GRID_AREA] = "grid_area",
    [MD5GL_GRID_CELL] = "grid_cell",
    [MD5GL_VIEW_COUNTS] = "view_counts",
    [MD5GL_VIEW_RANGE] = "view_range",
    [MD5GL_PICTURE_GRID] = "picture_grid",
    [MD5GL_PICTURE_TEXELS] = "picture_texels",
    [MD5GL_MODEL_SPHERE] = "model_sphere",
    [MD5GL_SEEN_FROM] = "seen_from",
    [MD5GL_COARSE_LEVEL] = "coarse_level",
    [MD5GL_TEXTURE_ROWS] = "texture_rows",
    [MD5GL_STAGE_COLOUR] = "stage_colour",
    [MD5GL_STAGE_MODE] = "stage_mode",
    [MD5GL_STAGE_TEXGEN] = "stage_texgen",
    [MD5GL_ALPHA_LIMIT] = "alpha_limit",
    [MD5GL_IS_COLOUR] = "is_colour",
    [MD5GL_RAYS] = "rays",
    [MD5GL_PAINTS] = "paints",
    [MD5GL_LEVEL] = "level",
};

static const struct {
    const char *name;
    enum md5gl_unit unit;
} samplers[] = {
    {"palettes", MD5GL_UNIT_PALETTES},
    {"placements", MD5GL_UNIT_PLACEMENTS},
    {"influences", MD5GL_UNIT_INFLUENCES},
    {"influence_joints", MD5GL_UNIT_INFLUENCE_JOINTS},
    {"baked_jobs", MD5GL_UNIT_PALETTES},
    {"baked_clips", MD5GL_UNIT_INFLUENCES},
    {"baked_vertices", MD5GL_UNIT_INFLUENCE_JOINTS},
    {"diffuse", MD5GL_UNIT_TEXTURE},
    {"mask", MD5GL_UNIT_TEXTURE},
    {"layer", MD5GL_UNIT_TEXTURE},
    {"cube", MD5GL_UNIT_SPECULAR}, // of stages, which have no specular map
    {"normals", MD5GL_UNIT_NORMALS},
    {"specular", MD5GL_UNIT_SPECULAR},
    {"glow", MD5GL_UNIT_GLOW},
    {"sun", MD5GL_UNIT_SUN},
    {"sun_depth", MD5GL_UNIT_SUN_DEPTH},
    {"contact_map", MD5GL_UNIT_CONTACT},
    {"tints", MD5GL_UNIT_TINTS},
    {"morph_first", MD5GL_UNIT_MORPH_FIRST},
    {"morph_deltas", MD5GL_UNIT_MORPH_DELTAS},
    {"morph_weights", MD5GL_UNIT_MORPH_WEIGHTS},
    {"reflections", MD5GL_UNIT_ENVIRONMENT},
    {"panorama", MD5GL_UNIT_TEXTURE},
    {"colours", MD5GL_UNIT_TEXTURE},
    {"surfaces", MD5GL_UNIT_NORMALS},
};

// Line numbers identify the file: #line numbers the n-th file's lines from n * LINES_PER_FILE + 1.
// (#line can also number the files, but Mesa omits that in most of its messages.)
#define LINES_PER_FILE 1000

static const char *const headings[MD5GL_MAX_SOURCES] = {
    "#line 1\n",     "#line 1001\n",  "#line 2001\n", "#line 3001\n", "#line 4001\n",
    "#line 5001\n",  "#line 6001\n",  "#line 7001\n", "#line 8001\n", "#line 9001\n",
    "#line 10001\n", "#line 11001\n", "#line 12001\n"};

// Skips a number; NULL if there is none.
static const char *skip_number(const char *text, long *number)
{
    char *end = NULL;
    *number = strtol(text, &end, 10);
    return end != text ? end : NULL;
}

// Returns the line that a message begins with, as in "0:2015(3): error: x" (Mesa),
// "0(2015) : error x" (NVIDIA), "ERROR: 0:2015: x" (others), and sets `rest` to x. Returns -1 for
// other formats.
static long line_of_log(const char *log, const char **rest)
{
    long string, line, column;
    const char *at = skip_number(strncmp(log, "ERROR: ", 7) == 0 ? log + 7 : log, &string);
    *rest = log;
    if (!at || (*at != ':' && *at != '('))
        return -1;
    at = skip_number(at + 1, &line);
    if (!at || line <= 0)
        return -1;
    if (at[0] == '(' && skip_number(at + 1, &column))
        at = skip_number(at + 1, &column);
    *rest = at + strspn(at, "): ");
    return line;
}

// Fills the error with the first line of a log and the file and line that it refers to.
static bool fail_with_log(const char *log, const md5gl_source *files, const char *step,
                          md5_error *error)
{
    const char *rest;
    const long line = line_of_log(log, &rest);
    const size_t length = strcspn(rest, "\r\n");
    const char *const text = length > 0 ? rest : "the driver gives no reason";
    const int shown = length > 0 ? (int)length : (int)strlen(text);
    int last = 0;
    while (last + 1 < MD5GL_MAX_SOURCES && files[last + 1].text)
        last++;
    if (line > 0 && line / LINES_PER_FILE <= last)
        return md5gli_fail(error, MD5_ERROR_GPU, "shaders/%s:%ld: %s: %.*s",
                           files[line / LINES_PER_FILE].file, line % LINES_PER_FILE, step, shown,
                           text);
    return md5gli_fail(error, MD5_ERROR_GPU, "shaders/%s: %s: %.*s", files[last].file, step, shown,
                       text);
}

// OpenGL ES needs a precision for everything: the highest, as desktops have.
static const char es_heading[] = "#version 300 es\n"
                                 "precision highp float;\nprecision highp int;\n"
                                 "precision highp sampler2D;\nprecision highp usampler2D;\n"
                                 "precision highp sampler2DShadow;\n"
                                 "precision highp sampler2DArray;\nprecision highp sampler3D;\n";

static const char *heading_of(const md5gl_renderer *renderer, GLenum stage)
{
    if (stage == MD5GL_COMPUTE_SHADER)
        return renderer->compute_heading;
    return renderer->is_es ? es_heading : "#version 330 core\n";
}

// Returns 0 on failure.
static GLuint compile_stage(md5gl_renderer *renderer, GLenum stage, const md5gl_source *files,
                            md5_error *error)
{
    const char *texts[1 + 2 * MD5GL_MAX_SOURCES] = {heading_of(renderer, stage)};
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
    fail_with_log(log, files, "does not compile", error);
    return 0;
}

// Sets up what never changes in a program: locations of uniforms, texture units, the block Frame.
static void connect_program(const GladGLContext *gl, md5gl_program *program)
{
    for (int i = 0; i < MD5GL_NUM_UNIFORMS; i++)
        program->uniforms[i] = gl->GetUniformLocation(program->name, uniform_names[i]);
    const GLuint frame = gl->GetUniformBlockIndex(program->name, "Frame");
    if (frame != GL_INVALID_INDEX)
        gl->UniformBlockBinding(program->name, frame, MD5GL_FRAME_BINDING);
    gl->UseProgram(program->name);
    for (size_t i = 0; i < sizeof samplers / sizeof samplers[0]; i++)
        gl->Uniform1i(gl->GetUniformLocation(program->name, samplers[i].name),
                      (GLint)samplers[i].unit);
    gl->UseProgram(0);
}

// Links the attached stages.
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
        return fail_with_log(log, files, "does not link", error);
    }
    connect_program(gl, program);
    return true;
}

// In OpenGL ES a program that only writes depth, or captures, needs a fragment stage all the same.
static const md5gl_source no_fragments[MD5GL_MAX_SOURCES] = {{"(none)", "void main() {}\n"}};

bool md5gli_build_program(md5gl_renderer *renderer, const md5gl_program_sources *sources,
                          md5gl_program *program, md5_error *error)
{
    static const GLenum stages[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER, MD5GL_COMPUTE_SHADER};
    const bool lacks_fragments = !sources->fragment[0].text && !sources->compute[0].text;
    const md5gl_source *const files[] = {
        sources->vertex, renderer->is_es && lacks_fragments ? no_fragments : sources->fragment,
        sources->compute};
    const GladGLContext *gl = &renderer->gl;
    program->name = gl->CreateProgram();
    bool built = true;
    for (int i = 0; i < 3 && built; i++) {
        if (files[i][0].text == NULL)
            continue;
        const GLuint shader = compile_stage(renderer, stages[i], files[i], error);
        built = shader != 0;
        if (built)
            gl->AttachShader(program->name, shader);
        gl->DeleteShader(shader); // a program keeps what is attached to it
    }
    if (sources->captured[0])
        gl->TransformFeedbackVaryings(program->name, MD5GL_NUM_CAPTURED, sources->captured,
                                      GL_SEPARATE_ATTRIBS);
    built = built
            && link_program(renderer, sources->compute[0].text ? sources->compute : sources->vertex,
                            program, error);
    if (built)
        return true;
    gl->DeleteProgram(program->name);
    program->name = 0;
    return false;
}
