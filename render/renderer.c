// The renderer: loads the functions of the OpenGL context, queries its limits, and creates the
// objects that all models share.
#include "render/gl_internal.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *default_alloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

// Frees memory if the application has not set an allocator.
static void default_free(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

// -- Functions and limits of the context ------------------------------------------------------

// The user data of load_checked(). glad does not report which function is missing, so
// load_checked() wraps the application's loader and stores the name.
typedef struct validating_loader {
    const md5gl_opts *opts;
    const char *first_missing; // name of the first function that was not found, or NULL
} validating_loader;

// Loads a GL function with the application's loader. Stores the name of the first missing function
// for the error message.
static GLADapiproc load_checked(void *user, const char *name)
{
    validating_loader *loader = (validating_loader *)user;
    const GLADapiproc function = loader->opts->load(loader->opts->load_user, name);
    if (!function && !loader->first_missing)
        loader->first_missing = name;
    return function;
}

// The version text of OpenGL ES and WebGL contexts begins with this prefix. The version text of
// desktop OpenGL begins with a number.
static const char es_prefix[] = "OpenGL ES";

// Returns true if the loader finds the functions that glad itself calls while it loads all others.
// Without them, glad would crash. Otherwise fills the error.
static bool check_first_functions(validating_loader *loader, md5_error *error)
{
    static const char *const names[] = {"glGetString", "glGetIntegerv", "glGetStringi"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!load_checked(loader, names[i]))
            return md5gli_fail(error, MD5_ERROR_GPU,
                               "OpenGL is not available: the loader does not find the function %s",
                               loader->first_missing);
    }
    return true;
}

// Returns the version text of the current context. glad has not loaded its functions yet, because
// the version decides which functions it loads. Returns NULL if no context is current.
static const char *query_version(const md5gl_opts *opts)
{
    PFNGLGETSTRINGPROC get_string;
    const md5gl_proc function = opts->load(opts->load_user, "glGetString");
    memcpy(&get_string, &function, sizeof get_string);
    return (const char *)get_string(GL_VERSION);
}

// Loads all functions of OpenGL, or of OpenGL ES if renderer->is_es. Returns true if the version of
// the context is supported.
static bool load_version(md5gl_renderer *renderer, validating_loader *loader)
{
    GladGLContext *gl = &renderer->gl;
    if (renderer->is_es) {
        gladLoadGLES2ContextUserPtr(gl, load_checked, loader);
        return gl->ES_VERSION_3_0 != 0;
    }
    gladLoadGLContextUserPtr(gl, load_checked, loader);
    return gl->VERSION_3_3 != 0;
}

// Loads the functions that every supported context has. Returns false and fills the error if no
// context is current, its version is not supported, or a function is missing.
static bool load_functions(md5gl_renderer *renderer, const md5gl_opts *opts, md5_error *error)
{
    validating_loader loader = {.opts = opts};
    if (!check_first_functions(&loader, error))
        return false;

    const char *const version = query_version(opts);
    if (!version)
        return md5gli_fail(
            error, MD5_ERROR_GPU,
            "no OpenGL context is current in this thread; make a context current first");
    renderer->is_es = strncmp(version, es_prefix, sizeof es_prefix - 1) == 0;
    renderer->is_webgl = renderer->is_es && strstr(version, "WebGL") != NULL;

    if (!load_version(renderer, &loader))
        return md5gli_fail(
            error, MD5_ERROR_GPU,
            "unsupported OpenGL version: expected OpenGL 3.3 or OpenGL ES 3.0, found %s", version);
    // WebGL lacks a few functions, such as the mapping of buffers. Its loaders therefore omit them,
    // which is not an error.
    if (loader.first_missing && !renderer->is_webgl)
        return md5gli_fail(
            error, MD5_ERROR_GPU,
            "OpenGL implementation is incomplete: %s%s does not have the function %s",
            renderer->is_es ? "" : "OpenGL ", version, loader.first_missing);
    return true;
}

// Returns true if the context has an extension.
static bool has_extension(const GladGLContext *gl, const char *wanted)
{
    GLint count = 0;
    gl->GetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++) {
        const char *const name = (const char *)gl->GetStringi(GL_EXTENSIONS, (GLuint)i);
        if (name && strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

// The first lines of compute shaders in a context before version 4.3. The extensions provide the
// features of GLSL 4.30 that compute shaders need.
static const char extension_heading[] = "#version 330 core\n"
                                        "#extension GL_ARB_compute_shader : require\n"
                                        "#extension GL_ARB_shader_storage_buffer_object : require\n"
                                        "#extension GL_ARB_shading_language_420pack : require\n";

// Returns true if the context supports compute shaders: by its version, or by three extensions.
static bool supports_compute(const GladGLContext *gl, GLint version, bool has_storage_buffers)
{
    if (version >= 43)
        return true;
    return has_storage_buffers && has_extension(gl, "GL_ARB_compute_shader")
           && has_extension(gl, "GL_ARB_shading_language_420pack");
}

// Loads a function by its name. Returns NULL if the context does not have it.
static md5gl_proc load_function(const md5gl_opts *opts, const char *name)
{
    return opts->load(opts->load_user, name);
}

// Loads the function that reports a lost context. The context has it if its version is new enough
// or if it has an extension.
static void load_reset_status(md5gl_renderer *renderer, const md5gl_opts *opts, GLint version)
{
    const bool is_core = version >= (renderer->is_es ? 32 : 45);
    // Before version 3.2, OpenGL ES has this function only under the name of the extension.
    const bool has_suffix = renderer->is_es && !is_core;
    const md5gl_proc function = load_function(opts, has_suffix ? "glGetGraphicsResetStatusKHR"
                                                               : "glGetGraphicsResetStatus");
    if (function && (is_core || has_extension(&renderer->gl, "GL_KHR_robustness")))
        memcpy(&renderer->optional.GetGraphicsResetStatus, &function, sizeof function);
}

// Loads the functions for compute shaders. The context has them in version 4.3, or in earlier
// versions with extensions.
static void load_compute(md5gl_renderer *renderer, const md5gl_opts *opts, GLint version)
{
    const GladGLContext *gl = &renderer->gl;
    md5gl_optional_functions *const optional = &renderer->optional;
    renderer->has_storage_buffers =
        version >= 43 || has_extension(gl, "GL_ARB_shader_storage_buffer_object");
    renderer->compute_heading = version >= 43 ? "#version 430 core\n" : extension_heading;
    if (!supports_compute(gl, version, renderer->has_storage_buffers))
        return;
    const md5gl_proc dispatch = load_function(opts, "glDispatchCompute");
    const md5gl_proc barrier = load_function(opts, "glMemoryBarrier");
    memcpy(&optional->DispatchCompute, &dispatch, sizeof dispatch);
    memcpy(&optional->MemoryBarrier, &barrier, sizeof barrier);
    renderer->has_compute = dispatch && barrier;
}

// Loads the functions that not every context has.
static void load_optional_functions(md5gl_renderer *renderer, const md5gl_opts *opts)
{
    GladGLContext *gl = &renderer->gl;
    GLint major = 0;
    GLint minor = 0;
    gl->GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->GetIntegerv(GL_MINOR_VERSION, &minor);
    const GLint version = 10 * major + minor;
    load_reset_status(renderer, opts, version);
    // Buffers cannot be mapped in WebGL. They are read with glGetBufferSubData(), which is not part
    // of OpenGL ES and must be loaded separately.
    const md5gl_proc get_data = load_function(opts, "glGetBufferSubData");
    if (renderer->is_webgl && get_data)
        memcpy(&gl->GetBufferSubData, &get_data, sizeof get_data);
    if (!renderer->is_es)
        load_compute(renderer, opts, version);
}

// Returns a limit of the context, or 0 if the context does not report it.
static uint32_t get_limit(const GladGLContext *gl, GLenum name)
{
    GLint value = 0;
    gl->GetIntegerv(name, &value);
    return value > 0 ? (uint32_t)value : 0;
}

// -- Shared objects -------------------------------------------------------------------------

// Adds an attribute of the bound buffer to the bound vertex array. Bytes are normalized to 0..1. If
// `divisor` is 0, the attribute advances per vertex. If it is 1, it advances per instance.
static void add_attribute(const GladGLContext *gl, GLuint attribute, GLint size, GLenum type,
                          size_t stride, size_t offset, GLuint divisor)
{
    gl->EnableVertexAttribArray(attribute);
    gl->VertexAttribPointer(attribute, size, type, type == GL_UNSIGNED_BYTE, (GLsizei)stride,
                            (const void *)offset);
    gl->VertexAttribDivisor(attribute, divisor);
}

// Creates the checkered texture for meshes without a diffuse texture (md5gl_checker_texture()).
// Returns 0 on failure.
static md5gl_texture create_checker(md5gl_renderer *renderer, md5_error *error)
{
    enum { SIDE = 128, CELL = 16 };
    uint8_t *const cells = MD5GL_NEW(renderer, uint8_t, (size_t)SIDE * SIDE * 4, error);
    if (!cells)
        return 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        const bool is_light = (i % SIDE / CELL + i / SIDE / CELL) % 2;
        memset(cells + 4 * i, is_light ? 196 : 138, 3);
        cells[4 * i + 3] = 255;
    }
    const md5gl_texture_desc desc = {.width = SIDE, .height = SIDE, .texels = cells};
    const md5gl_texture texture = md5gl_create_texture(renderer, &desc, error);
    md5gli_free(renderer, cells);
    return texture;
}

// Creates a vertex array and its buffer. Binds both, so that the caller can add attributes.
static void begin_array(const GladGLContext *gl, GLuint *array, GLuint *buffer)
{
    gl->GenVertexArrays(1, array);
    gl->GenBuffers(1, buffer);
    gl->BindVertexArray(*array);
    gl->BindBuffer(GL_ARRAY_BUFFER, *buffer);
}

// Creates the vertex arrays of overlays: lines, panels and blob shadows.
static void create_overlay_arrays(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;

    // The caller gives two vertices per line. Each line is one instance of the four vertices of
    // line.vert.
    const size_t vertex_size = sizeof(md5gl_line_vertex);
    const size_t line_size = 2 * vertex_size;
    const size_t rgba = offsetof(md5gl_line_vertex, rgba);
    begin_array(gl, &renderer->line_array, &renderer->line_buffer);
    add_attribute(gl, 0, 3, GL_FLOAT, line_size, 0, 1);
    add_attribute(gl, 1, 4, GL_UNSIGNED_BYTE, line_size, rgba, 1);
    add_attribute(gl, 2, 3, GL_FLOAT, line_size, vertex_size, 1);
    add_attribute(gl, 3, 4, GL_UNSIGNED_BYTE, line_size, vertex_size + rgba, 1);

    const size_t panel_size = sizeof(md5gl_panel_vertex);
    begin_array(gl, &renderer->panel_array, &renderer->panel_buffer);
    add_attribute(gl, 0, 2, GL_FLOAT, panel_size, offsetof(md5gl_panel_vertex, x), 0);
    add_attribute(gl, 1, 2, GL_FLOAT, panel_size, offsetof(md5gl_panel_vertex, u), 0);
    add_attribute(gl, 2, 4, GL_UNSIGNED_BYTE, panel_size, offsetof(md5gl_panel_vertex, rgba), 0);

    // Each blob shadow is one instance of the four vertices of blob.vert.
    const size_t blob_size = sizeof(md5gl_blob_shadow);
    begin_array(gl, &renderer->blob_array, &renderer->blob_buffer);
    add_attribute(gl, 0, 4, GL_FLOAT, blob_size, offsetof(md5gl_blob_shadow, position), 1);
    add_attribute(gl, 1, 4, GL_FLOAT, blob_size, offsetof(md5gl_blob_shadow, normal), 1);
}

// Creates the textures for materials without textures. Returns false and fills the error on
// failure.
static bool create_default_textures(md5gl_renderer *renderer, md5_error *error)
{
    static const uint8_t white[4] = {255, 255, 255, 255};
    static const uint8_t gray[4] = {176, 176, 176, 255};
    md5gl_texture_desc desc = {.width = 1, .height = 1, .texels = white};
    renderer->white = md5gl_create_texture(renderer, &desc, error);
    if (!renderer->white)
        return false;
    desc.texels = gray;
    renderer->gray = md5gl_create_texture(renderer, &desc, error);
    if (!renderer->gray)
        return false;
    renderer->checker = create_checker(renderer, error);
    return renderer->checker != 0;
}

// Creates the objects that all models share: the frame's uniform block, the vertex arrays of
// overlays, the shadow maps, and the textures that replace missing textures. Returns false and
// fills the error on failure.
static bool create_renderer_objects(md5gl_renderer *renderer, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    gl->GenBuffers(1, &renderer->frame_block);
    create_overlay_arrays(renderer);
    gl->GenVertexArrays(1, &renderer->empty_array);
    md5gli_create_shadows(renderer);
    return create_default_textures(renderer, error)
           && md5gli_check(renderer, "creating the renderer", error);
}

// -- Public -----------------------------------------------------------------------------------

// Stores the largest number of texels in a table, and the name of this limit for messages. Tables
// are buffer textures. In OpenGL ES they are 2D textures, which have another limit.
static void query_table_limit(md5gl_renderer *renderer)
{
    uint64_t max_texels;
    if (renderer->is_es) {
        max_texels = (uint64_t)MD5GL_TABLE_WIDTH * renderer->max_texture_size;
        renderer->max_texels_name = "1024 * GL_MAX_TEXTURE_SIZE";
    } else {
        max_texels = get_limit(&renderer->gl, GL_MAX_TEXTURE_BUFFER_SIZE);
        renderer->max_texels_name = "GL_MAX_TEXTURE_BUFFER_SIZE";
    }
    // Shaders index texels with a signed int, so a larger table could not be used.
    renderer->max_texels = max_texels < INT_MAX ? (uint32_t)max_texels : INT_MAX;
}

// Returns the largest number of samples per pixel of a target. Targets consist of renderbuffers. On
// desktops they also have multisampled textures, whose limit can be lower.
static uint32_t query_max_samples(const md5gl_renderer *renderer)
{
    const uint32_t max_samples = get_limit(&renderer->gl, GL_MAX_SAMPLES);
    if (renderer->is_es)
        return max_samples;
    const uint32_t max_texture_samples = get_limit(&renderer->gl, GL_MAX_COLOR_TEXTURE_SAMPLES);
    return max_samples < max_texture_samples ? max_samples : max_texture_samples;
}

// Returns the largest side of a target in pixels. The viewport must be able to cover a target, and
// its renderbuffers must have its size.
static uint32_t query_max_target_size(const GladGLContext *gl)
{
    GLint viewport[2] = {0, 0};
    gl->GetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    const GLint min_side = viewport[0] < viewport[1] ? viewport[0] : viewport[1];
    const uint32_t max_renderbuffer = get_limit(gl, GL_MAX_RENDERBUFFER_SIZE);
    return max_renderbuffer < (uint32_t)min_side ? max_renderbuffer : (uint32_t)min_side;
}

// Stores the limits of the device, such as the size of the largest texture. Also stores the name of
// the device and its version of OpenGL for messages.
static void query_device(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    renderer->max_texture_size = get_limit(gl, GL_MAX_TEXTURE_SIZE);
    query_table_limit(renderer);
    renderer->max_samples = query_max_samples(renderer);
    renderer->max_target_size = query_max_target_size(gl);

    const char *device = (const char *)gl->GetString(GL_RENDERER);
    const char *version = (const char *)gl->GetString(GL_VERSION);
    if (!device)
        device = "unknown device";
    if (!version)
        version = "of unknown version";
    snprintf(renderer->device_name, sizeof renderer->device_name, "%s / %s%s", device,
             renderer->is_es ? "" : "OpenGL ", version);
}

// Creates a renderer for the GL context of the calling thread: loads the GL functions, queries
// limits of the device, and creates common objects. Returns NULL and sets the error on failure.
md5gl_renderer *md5gl_create_renderer(const md5gl_opts *opts, md5_error *error)
{
    MD5_ASSERT_RESERVED(opts);
    if (!opts || !opts->load) {
        md5gli_fail(error, MD5_ERROR_GPU,
                    "md5gl_opts.load is NULL: expected a loader of OpenGL functions");
        return NULL;
    }

    md5_allocator allocator = opts->allocator;
    if (!allocator.alloc || !allocator.free)
        allocator = (md5_allocator){default_alloc, default_free, NULL, 0};
    md5gl_renderer *const renderer =
        (md5gl_renderer *)md5gli_alloc(&allocator, 1, sizeof *renderer, error);
    md5gli_set_kind(renderer, MD5GL_KIND_RENDERER);
    if (!renderer)
        return NULL;
    renderer->allocator = allocator;

    if (!load_functions(renderer, opts, error)) {
        md5gli_free(renderer, renderer);
        return NULL;
    }

    (void)md5gli_clear_errors(renderer);
    load_optional_functions(renderer, opts);
    query_device(renderer);
    md5gli_reset_state(renderer);
    const bool created = create_renderer_objects(renderer, error);
    md5gli_reset_state(renderer);
    if (created)
        return renderer;
    md5gl_destroy_renderer(renderer);
    return NULL;
}

// Deletes all programs of a renderer. A program that was never built has the name 0, which GL
// ignores.
static void destroy_programs(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    for (uint32_t variant = 0; variant < MD5GL_NUM_VARIANTS; variant++) {
        for (uint32_t skin = 0; skin < MD5GL_NUM_SKINS; skin++) {
            for (uint32_t pass = 0; pass < MD5GL_NUM_PASSES; pass++)
                gl->DeleteProgram(renderer->skinned[variant][skin][pass].name);
        }
        gl->DeleteProgram(renderer->preskin[variant].name);
    }
    for (uint32_t i = 0; i < MD5GL_NUM_FIXED_PROGRAMS; i++)
        gl->DeleteProgram(renderer->fixed[i].name);
}

// Deletes the shadow maps of a renderer. The maps of spot lights share one texture and one
// framebuffer, so their names are deleted repeatedly. GL ignores names that do not exist.
static void destroy_maps(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    for (uint32_t i = 0; i < MD5GL_NUM_MAPS; i++) {
        gl->DeleteTextures(1, &renderer->maps[i].shown.depth);
        gl->DeleteBuffers(1, &renderer->maps[i].frame_block);
        gl->DeleteFramebuffers(1, &renderer->maps[i].framebuffer);
    }
}

// Destroys a renderer. It may be incomplete after a failed creation, because GL ignores the name 0.
void md5gl_destroy_renderer(md5gl_renderer *renderer)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    if (!renderer)
        return;

    const GladGLContext *gl = &renderer->gl;
    destroy_programs(renderer);
    destroy_maps(renderer);
    const GLuint textures[] = {renderer->white, renderer->gray, renderer->checker};
    gl->DeleteTextures(3, textures);
    const GLuint buffers[] = {renderer->frame_block, renderer->line_buffer, renderer->panel_buffer,
                              renderer->blob_buffer};
    gl->DeleteBuffers(4, buffers);
    const GLuint samplers[] = {renderer->compare_sampler, renderer->depth_sampler};
    gl->DeleteSamplers(2, samplers);
    const GLuint arrays[] = {renderer->line_array, renderer->panel_array, renderer->blob_array,
                             renderer->empty_array};
    gl->DeleteVertexArrays(4, arrays);

    for (uint32_t i = 0; i < MD5GL_NUM_LIGHTINGS; i++)
        md5gli_free(renderer, renderer->host_texts[i]);
    md5gli_free(renderer, renderer);
}

const char *md5gl_device_name(const md5gl_renderer *renderer)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    return renderer->device_name;
}

md5gl_stats md5gl_get_stats(const md5gl_renderer *renderer)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    return renderer->stats;
}

md5gl_texture md5gl_checker_texture(const md5gl_renderer *renderer)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    return renderer->checker;
}
