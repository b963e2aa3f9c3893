// One program: its stages put together from files, compiled, linked; logs made into errors.
#include "render/gl_internal.h"

#include <stdlib.h>
#include <string.h>

static const char *const uniform_names[MD5GL_NUM_UNIFORMS] = {
    [MD5GL_NUM_JOINTS] = "num_joints",   [MD5GL_PLACED] = "placed",
    [MD5GL_FLAT_COLOUR] = "flat_colour", [MD5GL_LINE_WIDTH] = "line_width",
    [MD5GL_GRID_AREA] = "grid_area",     [MD5GL_GRID_CELL] = "grid_cell",
};

static const struct {
    const char *name;
    enum md5gl_unit unit;
} samplers[] = {
    {"palettes", MD5GL_UNIT_PALETTES},     {"placements", MD5GL_UNIT_PLACEMENTS},
    {"influences", MD5GL_UNIT_INFLUENCES}, {"influence_joints", MD5GL_UNIT_INFLUENCE_JOINTS},
    {"diffuse", MD5GL_UNIT_TEXTURE},       {"mask", MD5GL_UNIT_TEXTURE},
};

// The file that a log's first line speaks of: drivers begin it with the number that #line gave
// the file, as in "2:15(3): error" (Mesa), "2(15) : error" (NVIDIA), "ERROR: 2:15:" (others).
static const char *file_of_log(const char *log, const md5gl_source *files)
{
    const char *number = strncmp(log, "ERROR: ", 7) == 0 ? log + 7 : log;
    char *end = NULL;
    const long file = strtol(number, &end, 10);
    int num_files = 0;
    while (num_files < MD5GL_MAX_SOURCES && files[num_files].text)
        num_files++;
    const bool is_place = end != number && (*end == ':' || *end == '(');
    return is_place && file >= 0 && file < num_files ? files[file].file : files[num_files - 1].file;
}

static bool fail_with_log(const char *log, const md5gl_source *files, const char *step,
                          md5_error *error)
{
    const char *const file = file_of_log(log, files);
    const size_t line = strcspn(log, "\r\n");
    return md5gl_fail(error, MD5_ERROR_GPU, "shaders/%s: %s: %.*s", file, step,
                      line > 0 ? (int)line : 6, line > 0 ? log : "no log");
}

// Returns 0 on failure.
static GLuint compile_stage(md5gl_renderer *renderer, GLenum stage, const md5gl_source *files,
                            md5_error *error)
{
    // #line numbers the files, since drivers see one text and would count through.
    static const char *const headings[MD5GL_MAX_SOURCES] = {
        "#line 1 0\n", "#line 1 1\n", "#line 1 2\n", "#line 1 3\n", "#line 1 4\n"};
    const char *texts[1 + 2 * MD5GL_MAX_SOURCES] = {"#version 330 core\n"};
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

// What never changes of a program is told to it once.
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

static bool link_program(md5gl_renderer *renderer, const md5gl_program_sources *sources,
                         GLuint vertex, GLuint fragment, md5gl_program *program, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    program->name = gl->CreateProgram();
    gl->AttachShader(program->name, vertex);
    if (fragment)
        gl->AttachShader(program->name, fragment);
    if (sources->captured[0])
        gl->TransformFeedbackVaryings(program->name, 2, sources->captured, GL_SEPARATE_ATTRIBS);
    gl->LinkProgram(program->name);
    GLint linked = GL_FALSE;
    gl->GetProgramiv(program->name, GL_LINK_STATUS, &linked);
    if (!linked) {
        char log[1024] = "";
        gl->GetProgramInfoLog(program->name, sizeof log, NULL, log);
        gl->DeleteProgram(program->name);
        program->name = 0;
        return fail_with_log(log, sources->vertex, "does not link", error);
    }
    connect_program(gl, program);
    return true;
}

bool md5gl_build_program(md5gl_renderer *renderer, const md5gl_program_sources *sources,
                         md5gl_program *program, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const bool has_fragment = sources->fragment[0].text != NULL;
    const GLuint vertex = compile_stage(renderer, GL_VERTEX_SHADER, sources->vertex, error);
    if (!vertex)
        return false;
    const GLuint fragment =
        has_fragment ? compile_stage(renderer, GL_FRAGMENT_SHADER, sources->fragment, error) : 0;
    const bool built = (fragment || !has_fragment)
                       && link_program(renderer, sources, vertex, fragment, program, error);
    // A program keeps what is attached to it; on failure this is their end.
    gl->DeleteShader(vertex);
    gl->DeleteShader(fragment);
    return built;
}
