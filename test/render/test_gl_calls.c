// Calls of GL in a frame of the viewer, counted by name. No call is redundant: each bound texture
// is sampled by a draw and was not bound before, and each uniform exists in the program. A larger
// crowd needs no more calls. If MD5_GL_CALLS is in the environment, the counts are printed.
#include "test/viewer/test_view_shot.h"

enum { NUM_TARGETS = 4, MAX_PROGRAMS = 256, MAX_UNITS = 32 };

// The texture that is bound to a unit, and true if a draw or an upload needed it.
typedef struct bound_texture {
    GLuint texture;
    bool is_used;
} bound_texture;

static struct {
    GladGLContext gl;
    GLuint unit;
    GLuint program;
    bound_texture bound[MAX_UNITS][NUM_TARGETS];
    bool samples[MAX_PROGRAMS][MAX_UNITS][NUM_TARGETS];
    bool is_known[MAX_PROGRAMS];
    unsigned num_unused;   // binds
    unsigned num_repeated; // binds
    unsigned num_lost;     // uniforms
    uint64_t num_uploaded; // bytes that were written to buffers
    char first[96];        // the first of the unused, repeated or lost calls
} watch;

static int target_index(GLenum target)
{
    switch (target) {
    case GL_TEXTURE_2D:
        return 0;
    case GL_TEXTURE_BUFFER:
        return 1;
    case GL_TEXTURE_2D_MULTISAMPLE:
        return 2;
    default:
        return 3;
    }
}

static int sampler_target_index(GLenum type)
{
    switch (type) {
    case GL_SAMPLER_BUFFER:
    case GL_UNSIGNED_INT_SAMPLER_BUFFER:
        return 1;
    case GL_SAMPLER_CUBE:
        return 3;
    case GL_SAMPLER_2D_MULTISAMPLE:
        return 2;
    case GL_SAMPLER_2D:
    case GL_SAMPLER_2D_SHADOW:
    case GL_UNSIGNED_INT_SAMPLER_2D:
        return 0;
    default:
        return -1;
    }
}

static void note(unsigned *count, const char *call, GLuint number)
{
    if ((*count)++ == 0 && watch.first[0] == '\0')
        snprintf(watch.first, sizeof watch.first, "%s %u, program %u", call, number, watch.program);
}

// Records that a texture is bound. Binding texture 0 resets the unit, and is reported neither as
// unused nor as repeated.
static void bind(GLenum target, GLuint texture)
{
    bound_texture *const bound = &watch.bound[watch.unit][target_index(target)];
    if (bound->texture != 0 && !bound->is_used)
        note(&watch.num_unused, "not sampled: unit", watch.unit);
    if (texture != 0 && bound->texture == texture)
        note(&watch.num_repeated, "bound again: unit", watch.unit);
    *bound = (bound_texture){texture, false};
}

static void use(GLuint program)
{
    const GladGLContext *const gl = &watch.gl;
    watch.program = program;
    GLint count = 0;
    if (program == 0 || !CHECK(program < MAX_PROGRAMS) || watch.is_known[program])
        return;
    watch.is_known[program] = true;
    gl->GetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    for (int i = 0; i < count; i++) {
        char name[128];
        GLint size;
        GLint unit = 0;
        GLenum type;
        gl->GetActiveUniform(program, (GLuint)i, sizeof name, NULL, &size, &type, name);
        const int target = sampler_target_index(type);
        if (target < 0)
            continue;
        gl->GetUniformiv(program, gl->GetUniformLocation(program, name), &unit);
        watch.samples[program][unit][target] = true;
    }
}

static void draw(void)
{
    for (int unit = 0; unit < MAX_UNITS; unit++) {
        for (int target = 0; target < NUM_TARGETS; target++)
            watch.bound[unit][target].is_used =
                watch.bound[unit][target].is_used || watch.samples[watch.program][unit][target];
    }
}

static void fill(GLenum target)
{
    watch.bound[watch.unit][target_index(target)].is_used = true;
}

static void upload(GLsizeiptr size, const void *data)
{
    watch.num_uploaded += data ? (uint64_t)size : 0;
}

static void set(GLint location)
{
    if (location < 0)
        note(&watch.num_lost, "no such uniform:", (GLuint)watch.program);
}

// The functions that a frame calls often: parameters, arguments, recorded values.
#define CALLS(X)                                                                                 \
    X(ActiveTexture, (GLenum unit), (unit), watch.unit = unit - GL_TEXTURE0)                     \
    X(BindTexture, (GLenum target, GLuint name), (target, name), bind(target, name))             \
    X(BindSampler, (GLuint unit, GLuint name), (unit, name), (void)0)                            \
    X(UseProgram, (GLuint name), (name), use(name))                                              \
    X(BindVertexArray, (GLuint name), (name), (void)0)                                           \
    X(BindBuffer, (GLenum target, GLuint name), (target, name), (void)0)                         \
    X(BindBufferBase, (GLenum target, GLuint i, GLuint name), (target, i, name), (void)0)        \
    X(BufferData, (GLenum target, GLsizeiptr size, const void *data, GLenum usage),              \
      (target, size, data, usage), upload(size, data))                                           \
    X(BufferSubData, (GLenum target, GLintptr at, GLsizeiptr size, const void *data),            \
      (target, at, size, data), upload(size, data))                                              \
    X(TexImage2D,                                                                                \
      (GLenum target, GLint level, GLint format, GLsizei width, GLsizei height, GLint border,    \
       GLenum components, GLenum type, const void *texels),                                      \
      (target, level, format, width, height, border, components, type, texels), fill(target))    \
    X(TexSubImage2D,                                                                             \
      (GLenum target, GLint level, GLint x, GLint y, GLsizei width, GLsizei height,              \
       GLenum components, GLenum type, const void *texels),                                      \
      (target, level, x, y, width, height, components, type, texels), fill(target))              \
    X(TexBuffer, (GLenum target, GLenum format, GLuint name), (target, format, name),            \
      fill(target))                                                                              \
    X(GetTexParameteriv, (GLenum target, GLenum parameter, GLint * value),                       \
      (target, parameter, value), fill(target))                                                  \
    X(TexParameteri, (GLenum target, GLenum parameter, GLint value), (target, parameter, value), \
      fill(target))                                                                              \
    X(Enable, (GLenum parameter), (parameter), (void)0)                                          \
    X(Disable, (GLenum parameter), (parameter), (void)0)                                         \
    X(PixelStorei, (GLenum parameter, GLint value), (parameter, value), (void)0)                 \
    X(BindFramebuffer, (GLenum target, GLuint name), (target, name), (void)0)                    \
    X(DepthMask, (GLboolean on), (on), (void)0)                                                  \
    X(ColorMask, (GLboolean r, GLboolean g, GLboolean b, GLboolean a), (r, g, b, a), (void)0)    \
    X(Uniform1i, (GLint at, GLint a), (at, a), set(at))                                          \
    X(Uniform2i, (GLint at, GLint a, GLint b), (at, a, b), set(at))                              \
    X(Uniform3i, (GLint at, GLint a, GLint b, GLint c), (at, a, b, c), set(at))                  \
    X(Uniform4i, (GLint at, GLint a, GLint b, GLint c, GLint d), (at, a, b, c, d), set(at))      \
    X(Uniform1f, (GLint at, GLfloat a), (at, a), set(at))                                        \
    X(Uniform2f, (GLint at, GLfloat a, GLfloat b), (at, a, b), set(at))                          \
    X(Uniform4f, (GLint at, GLfloat a, GLfloat b, GLfloat c, GLfloat d), (at, a, b, c, d),       \
      set(at))                                                                                   \
    X(Uniform3fv, (GLint at, GLsizei count, const GLfloat *a), (at, count, a), set(at))          \
    X(Uniform4fv, (GLint at, GLsizei count, const GLfloat *a), (at, count, a), set(at))          \
    X(DrawArrays, (GLenum mode, GLint first, GLsizei count), (mode, first, count), draw())       \
    X(DrawArraysInstanced, (GLenum mode, GLint first, GLsizei count, GLsizei instances),         \
      (mode, first, count, instances), draw())                                                   \
    X(DrawElementsInstanced,                                                                     \
      (GLenum mode, GLsizei count, GLenum type, const void *at, GLsizei instances),              \
      (mode, count, type, at, instances), draw())

enum {
#define NUMBER(name, parameters, arguments, noted) CALL_##name,
    CALLS(NUMBER) NUM_CALLS
};

static unsigned counts[NUM_CALLS];

#define COUNT(name, parameters, arguments, noted)    \
    static void GLAD_API_PTR count_##name parameters \
    {                                                \
        counts[CALL_##name]++;                       \
        noted;                                       \
        watch.gl.name arguments;                     \
    }
CALLS(COUNT)

static void print_counts(const char *title)
{
    STRINGS(names) = {
#define NAME(name, parameters, arguments, noted) #name,
        CALLS(NAME)};
    unsigned sum = 0;
    for (int i = 0; i < NUM_CALLS; i++) {
        printf("%-28s %6u\n", names[i], counts[i]);
        sum += counts[i];
    }
    printf("%-28s %6u; binds not sampled %u, repeated %u, uniforms lost %u (%s)\n", title, sum,
           watch.num_unused, watch.num_repeated, watch.num_lost, watch.first);
}

// The calls of one frame.
typedef struct frame_calls {
    unsigned num_draws;
    unsigned num_binds;
    uint64_t num_uploaded; // bytes
} frame_calls;

static frame_calls sum_calls(void)
{
    const unsigned num_draws = counts[CALL_DrawArrays] + counts[CALL_DrawArraysInstanced]
                               + counts[CALL_DrawElementsInstanced];
    const unsigned num_binds = counts[CALL_BindTexture] + counts[CALL_BindSampler]
                               + counts[CALL_BindBuffer] + counts[CALL_BindBufferBase]
                               + counts[CALL_BindVertexArray] + counts[CALL_BindFramebuffer]
                               + counts[CALL_UseProgram];
    return (frame_calls){num_draws, num_binds, watch.num_uploaded};
}

// Checks and counts the calls of the second frame, because the first frame builds programs and
// tables.
static frame_calls check_frame(const gl_scene *scene, const char *line)
{
    enum { WIDTH = 160, HEIGHT = 120 };
    md5gl_renderer *const renderer = scene->renderer;
    SCOPED_SHOT viewer = {0};
    if (!shot_open(&viewer, scene, line))
        return (frame_calls){0};
    md5gl_target *const target = md5gl_create_target(renderer, WIDTH, HEIGHT, 4, NULL);
    for (int i = 0; i < 2 && CHECK(target); i++) {
        if (i == 1) {
            memset(&watch, 0, sizeof watch);
            memset(counts, 0, sizeof counts);
            watch.gl = *scene_gl(renderer);
#define REPLACE(name, parameters, arguments, noted) scene_gl(renderer)->name = count_##name;
            CALLS(REPLACE)
        }
        viewer.state.play.time = 0.5 + 0.1 * i;
        CHECK(view_draw(&viewer.state, target, WIDTH, HEIGHT, VIEW_OMIT_NOTHING, NULL));
    }
    *scene_gl(renderer) = watch.gl;
    md5gl_destroy_target(renderer, target);
    if (getenv("MD5_GL_CALLS"))
        print_counts(line);
    CHECK(counts[CALL_DrawElementsInstanced] > 0);
    CHECK_THAT(watch.num_unused + watch.num_repeated + watch.num_lost == 0,
               "%s: %u textures are bound but not sampled, %u again, %u uniforms do not exist: %s",
               line, watch.num_unused, watch.num_repeated, watch.num_lost, watch.first);
    return sum_calls();
}

#define BOBBIN "models/bobbin/bobbin.md5mesh models/bobbin/wave.md5anim "

TEST_UNSHARED_SCENE (gl_calls_of_a_frame_are_not_in_vain) {
    check_frame(scene, BOBBIN);
    check_frame(scene, BOBBIN "--light classic --panel=no");
    check_frame(scene, BOBBIN "--crowd 40");
    check_frame(scene, BOBBIN "--crowd 60 --crowd-baked 128");
    // Draws impostors of a clip with two frames, which need a picture of each frame.
    check_frame(scene, "models/bobbin/bobbin.md5mesh models/bobbin/eyes_down.md5anim "
                       "--crowd 60 --crowd-impostors 64 --camera-distance 250");
}

// The number of draw calls and binds does not depend on the number of characters. Each further
// character uploads its palette and the matrix of its placement.
TEST_UNSHARED_SCENE (gl_calls_of_a_frame_do_not_grow_with_a_crowd) {
    enum {
        NUM_JOINTS = 79,
        FEW = 40,
        MANY = 80,
        MAX_DRAWS = 10,
        MAX_BINDS = 480,
        MAX_BYTES = (NUM_JOINTS + 1) * sizeof(md5_mat34) // palette of each further character
    };
    const frame_calls few = check_frame(scene, BOBBIN "--crowd 40 --panel=no");
    const frame_calls many = check_frame(scene, BOBBIN "--crowd 80 --panel=no");
    CHECK_UINT(many.num_draws, few.num_draws);
    CHECK_UINT(many.num_binds, few.num_binds);
    CHECK(many.num_draws <= MAX_DRAWS);
    CHECK(many.num_binds <= MAX_BINDS);
    CHECK(many.num_uploaded - few.num_uploaded <= (uint64_t)(MANY - FEW) * MAX_BYTES);
}
