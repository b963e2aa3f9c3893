// md5gl inside an engine: it draws into the engine's framebuffer, uses its depth, and leaves the GL
// state that the engine set once for all of its draws.
#include "test/render/test_gl_values.h"

// The engine's framebuffer, and where md5gl's viewport lies in it.
enum { WIDTH = 240, HEIGHT = 180, LEFT = 30, BOTTOM = 20 };

typedef struct engine {
    gl_stage stage;
    const GladGLContext *gl;
    GLuint program;
    GLuint array;
    GLuint corners;
    GLuint texture;
    GLuint sampler;
    GLint rect;
    GLint depth;
    GLint shade;
    // The framebuffer of the engine, whose attachments may have several samples, and a framebuffer
    // with one sample from which the pixels are read.
    GLuint framebuffer;
    GLuint color;
    GLuint depth_buffer;
    GLuint resolved;
    GLuint resolved_color;
} engine;

// -- The engine -------------------------------------------------------------------------------

static GLuint compile(const engine *host, GLenum stage, const char *text)
{
    const char *const texts[] = {scene_is_es(host->stage.renderer)
                                     ? "#version 300 es\nprecision highp float;\n"
                                     : "#version 330 core\n",
                                 text};
    const GLuint shader = host->gl->CreateShader(stage);
    GLint compiled = 0;
    host->gl->ShaderSource(shader, 2, texts, NULL);
    host->gl->CompileShader(shader);
    host->gl->GetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    CHECK(compiled);
    return shader;
}

// Creates a program that draws a rectangle at a depth, in a color times a texture.
static void create_program(engine *host)
{
    static const char vertex[] =
        "layout(location = 0) in vec2 corner; out vec2 texcoord;\n"
        "uniform vec4 rect; uniform float depth;\n"
        "void main() { texcoord = corner;\n"
        "gl_Position = vec4(mix(rect.xy, rect.zw, corner), depth, 1.0); }\n";
    static const char fragment[] =
        "in vec2 texcoord; out vec4 color; uniform vec4 shade; uniform sampler2D image;\n"
        "void main() { color = shade * texture(image, texcoord); }\n";
    const GladGLContext *const gl = host->gl;
    host->program = gl->CreateProgram();
    gl->AttachShader(host->program, compile(host, GL_VERTEX_SHADER, vertex));
    gl->AttachShader(host->program, compile(host, GL_FRAGMENT_SHADER, fragment));
    gl->LinkProgram(host->program);
    host->rect = gl->GetUniformLocation(host->program, "rect");
    host->depth = gl->GetUniformLocation(host->program, "depth");
    host->shade = gl->GetUniformLocation(host->program, "shade");
}

static void create_objects(engine *host)
{
    static const float corners[] = {0, 0, 1, 0, 0, 1, 1, 1};
    static const uint8_t white[] = {255, 255, 255, 255};
    const GladGLContext *const gl = host->gl;
    host->stage.scene.has_objects = true;
    gl->GenVertexArrays(1, &host->array);
    gl->BindVertexArray(host->array);
    gl->GenBuffers(1, &host->corners);
    gl->BindBuffer(GL_ARRAY_BUFFER, host->corners);
    gl->BufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
    gl->VertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    gl->EnableVertexAttribArray(0);
    gl->GenTextures(1, &host->texture);
    gl->BindTexture(GL_TEXTURE_2D, host->texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, white);
    gl->GenSamplers(1, &host->sampler);
    gl->SamplerParameteri(host->sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
}

static GLuint add_renderbuffer(const GladGLContext *gl, GLsizei samples, GLenum format,
                               GLenum attachment)
{
    GLuint storage = 0;
    gl->GenRenderbuffers(1, &storage);
    gl->BindRenderbuffer(GL_RENDERBUFFER, storage);
    gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, WIDTH, HEIGHT);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, storage);
    return storage;
}

// Sets the state that all of the engine's draws rely on.
static void set_state(engine *host)
{
    const GladGLContext *const gl = host->gl;
    gl->UseProgram(host->program);
    gl->BindVertexArray(host->array);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, host->texture);
    gl->BindSampler(0, host->sampler);
    gl->BindFramebuffer(GL_FRAMEBUFFER, host->framebuffer);
    gl->Viewport(LEFT, BOTTOM, SCENE_WIDTH, SCENE_HEIGHT);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LESS);
    gl->Enable(GL_CULL_FACE);
    gl->CullFace(GL_FRONT);
    gl->FrontFace(GL_CW);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl->ClearColor(0.0f, 0.0f, 0.2f, 1.0f);
}

static bool open_either(gl_stage *stage, bool es)
{
    return (es ? scene_open_es(&stage->scene) : scene_open(&stage->scene, NULL))
           && scene_fill_stage(stage, scene_square, 1);
}

// Creates an engine with its own framebuffer and GL state. Returns false if there is no context.
static bool open_engine(engine *host, GLsizei samples, bool es)
{
    memset(host, 0, sizeof *host);
    gl_stage *const stage = &host->stage;
    if (!open_either(stage, es))
        return false;
    host->gl = scene_gl(stage->renderer);
    stage->frame.target = NULL;
    create_program(host);
    create_objects(host);
    const GladGLContext *const gl = host->gl;
    gl->GenFramebuffers(1, &host->resolved);
    gl->BindFramebuffer(GL_FRAMEBUFFER, host->resolved);
    host->resolved_color = add_renderbuffer(gl, 0, GL_RGBA8, GL_COLOR_ATTACHMENT0);
    gl->GenFramebuffers(1, &host->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, host->framebuffer);
    host->color = add_renderbuffer(gl, samples, GL_RGBA8, GL_COLOR_ATTACHMENT0);
    host->depth_buffer = add_renderbuffer(gl, samples, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT);
    CHECK(gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
    set_state(host);
    stage->frame.framebuffer = host->framebuffer;
    stage->frame.x = LEFT;
    stage->frame.y = BOTTOM;
    stage->frame.keep_contents = true;
    return true;
}

static void draw_rectangle(const engine *host, float left, float bottom, float right, float top,
                           float depth, const float color[4])
{
    host->gl->Uniform4f(host->rect, left, bottom, right, top);
    host->gl->Uniform1f(host->depth, depth);
    host->gl->Uniform4fv(host->shade, 1, color);
    host->gl->DrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void draw_model(engine *host)
{
    md5gl_renderer *const renderer = host->stage.renderer;
    md5_error error = {0};
    md5gl_save_state(renderer);
    stage_begin(&host->stage);
    CHECK(scene_pose_and_draw(renderer, host->stage.copy, scene_identities, NULL, 1, MD5GL_LIT,
                              &error));
    CHECK_DONE(md5gl_end_frame(renderer, &error), error);
    md5gl_restore_state(renderer);
}

// Checks a pixel to the right of and above the viewport's center.
static void check_pixel(const engine *host, int right, int up, const uint8_t expected[4])
{
    const GladGLContext *const gl = host->gl;
    uint8_t pixel[4] = {1, 2, 3, 4};
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, host->framebuffer);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, host->resolved);
    gl->BlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, host->resolved);
    gl->ReadPixels(LEFT + SCENE_WIDTH / 2 + right, BOTTOM + SCENE_HEIGHT / 2 + up, 1, 1, GL_RGBA,
                   GL_UNSIGNED_BYTE, pixel);
    gl->BindFramebuffer(GL_FRAMEBUFFER, host->framebuffer);
    for (int i = 0; i < 4; i++)
        CHECK_THAT(abs(pixel[i] - expected[i]) <= 1,
                   "pixel %d %d is %u %u %u %u, expected %u %u %u %u", right, up, pixel[0],
                   pixel[1], pixel[2], pixel[3], expected[0], expected[1], expected[2],
                   expected[3]);
}

static void close_engine(engine *host)
{
    const GladGLContext *const gl = host->gl;
    const GLuint framebuffers[] = {host->framebuffer, host->resolved};
    const GLuint storages[] = {host->color, host->depth_buffer, host->resolved_color};
    gl->DeleteFramebuffers(2, framebuffers);
    gl->DeleteRenderbuffers(3, storages);
    gl->DeleteProgram(host->program);
    scene_close_stage(&host->stage);
}

// -- Tests ------------------------------------------------------------------------------------

static const float red[4] = {1, 0, 0, 1};
static const float green[4] = {0, 1, 0, 1};
static const float half_blue[4] = {0, 0, 1, 0.5f};
static const uint8_t red_pixel[4] = {255, 0, 0, 255};
static const uint8_t green_pixel[4] = {0, 255, 0, 255};
static const uint8_t cleared_pixel[4] = {0, 0, 51, 255};

// Draws a model between walls of the engine. The depth buffer of the engine must hide parts of the
// model, and the GL state must be unchanged.
static void check_between_walls(GLsizei samples, bool es)
{
    engine host;
    if (!open_engine(&host, samples, es))
        return;
    for (int round = 0; round < 2; round++) {
        // The model is 40 pixels wide, at depth 0. A red wall hides its left half; a green wall is
        // farther away. After the model, two half-transparent rectangles are drawn: one farther
        // away and one in front.
        gl_values before;
        gl_values after;
        const GladGLContext *const gl = host.gl;
        gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        draw_rectangle(&host, -1, -1, 0, 1, -0.5f, red);
        draw_rectangle(&host, -1, -1, 1, 1, 0.5f, green);
        values_read(&host.stage.scene, &before);
        draw_model(&host);
        values_read(&host.stage.scene, &after);
        values_are_equal(&after, &before, "a frame");
        draw_rectangle(&host, 0, 0, 1, 1, 0.4f, half_blue);
        draw_rectangle(&host, 0, -1, 1, -0.1f, -0.2f, half_blue);

        const gl_color lit = scene_sideways(1, 1, 1);
        uint8_t covered[4] = {0, 0, 0, 191};
        for (int i = 0; i < 3; i++)
            covered[i] = (uint8_t)lround(0.5 * lit.rgba[i] + (i == 2 ? 127.5 : 0));
        check_pixel(&host, -100, 0, cleared_pixel); // outside of the viewport
        check_pixel(&host, -10, 0, red_pixel);      // the wall in front of the model
        check_pixel(&host, 10, 0, lit.rgba);
        check_pixel(&host, 10, 10, lit.rgba); // hides the blue rectangle behind it
        check_pixel(&host, 10, -15, covered);
        check_pixel(&host, 50, 10, (uint8_t[4]){0, 128, 128, 191});
        check_pixel(&host, 50, -1, green_pixel);
    }
    CHECK_UINT(host.gl->GetError(), GL_NO_ERROR);
    close_engine(&host);
}

TEST (gl_engine_draws_around_the_model) {
    check_between_walls(0, scene_wants_es());
}

TEST (gl_engine_draws_around_the_model_with_samples) {
    check_between_walls(4, scene_wants_es());
}

TEST (gl_engine_on_es_draws_around_the_model) {
    check_between_walls(0, true);
    check_between_walls(4, true);
}

#define TEST_HERE(title) \
    TEST_IF (title, engine, host, open_engine(host, 0, scene_wants_es()), close_engine(host))

// Two views side by side in one framebuffer: clearing one leaves the other.
TEST_HERE (gl_frame_clears_its_viewport_only) {
    host->gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    host->stage.frame.keep_contents = false;
    memcpy(host->stage.frame.background, green, sizeof green);
    draw_model(host);
    check_pixel(host, -SCENE_WIDTH / 2 - 1, 0, cleared_pixel);
    check_pixel(host, SCENE_WIDTH / 2, 0, cleared_pixel);
    check_pixel(host, 0, SCENE_HEIGHT / 2, cleared_pixel);
    check_pixel(host, 0, -SCENE_HEIGHT / 2 - 1, cleared_pixel);
    check_pixel(host, -SCENE_WIDTH / 2, -SCENE_HEIGHT / 2, green_pixel);
    check_pixel(host, SCENE_WIDTH / 2 - 1, SCENE_HEIGHT / 2 - 1, green_pixel);
    check_pixel(host, 0, 0, scene_sideways(1, 1, 1).rgba);
}

// A projection that mirrors y, for example for a framebuffer whose first row is the top row, still
// shows the front of the model.
TEST_HERE (gl_mirrored_projection_shows_the_front) {
    md5gl_frame *const frame = &host->stage.frame;
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        for (int behind = 0; behind < 2; behind++) {
            *frame = scene_frame(NULL);
            frame->framebuffer = host->framebuffer;
            frame->x = LEFT;
            frame->y = BOTTOM;
            if (behind)
                scene_look_from_behind(frame);
            if (mirrored)
                frame->clip_from_view.m[5] *= -1;
            draw_model(host);
            check_pixel(host, 3, 3,
                        behind ? (uint8_t[4]){0, 0, 0, 255} : scene_sideways(1, 1, 1).rgba);
        }
    }
}

// The width of lines is in pixels of the framebuffer, independent of the position of the viewport.
TEST_HERE (gl_lines_follow_the_viewport) {
    const md5gl_line_vertex line[2] = {{{5, -70, 30}, {255, 0, 0, 255}},
                                       {{5, 70, 30}, {255, 0, 0, 255}}};
    md5gl_renderer *const renderer = host->stage.renderer;
    host->gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    md5gl_save_state(renderer);
    stage_begin(&host->stage);
    md5gl_draw_lines(renderer, line, 2, 6, false);
    CHECK(md5gl_end_frame(renderer, NULL));
    md5gl_restore_state(renderer);
    check_pixel(host, 0, 30, red_pixel);
    check_pixel(host, 60, 31, red_pixel);
    check_pixel(host, 0, 40, cleared_pixel);
}

// Checks that restoring the saved GL state undoes all changes of the renderer.
static void check_saving(bool es)
{
    gl_values before;
    gl_values after;
    gl_stage stage;
    if (!open_either(&stage, es))
        return;
    values_disturb(&stage.scene);
    values_read(&stage.scene, &before);
    md5gl_save_state(stage.renderer);

    // Creates, draws and destroys objects of every kind, on each path.
    md5gl_renderer *const renderer = stage.renderer;
    const md5_vec4 tint = {1, 1, 1, 1};
    md5_vec3 positions[4];
    md5gl_target *const target = md5gl_create_target(renderer, 32, 32, 4, NULL);
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(renderer, path))
            continue;
        md5gl_frame frame = scene_frame(target);
        frame.casters = (md5_bounds){{-20, -20, -20}, {20, 20, 20}};
        md5gl_model *const copy = md5gl_create_model(renderer, stage.model, path, NULL);
        CHECK(md5gl_capture(renderer, copy, 0, scene_identities, positions, NULL, NULL, NULL));
        CHECK(scene_pose(renderer, copy, scene_identities, scene_identities, 1, NULL));
        md5gl_begin_frame(renderer, &frame);
        CHECK(scene_look(renderer, copy, &tint, NULL, NULL));
        md5gl_draw_shadows(renderer, copy);
        md5gl_draw_model(renderer, copy, MD5GL_LIT | MD5GL_WIREFRAME);
        md5gl_draw_ground(renderer, (md5_vec3){0, 0, 0}, 100);
        md5gl_draw_grid(renderer, -20, 10, (md5_vec3){0, 0, 0}, 100);
        CHECK(md5gl_end_frame(renderer, NULL));
        md5gl_destroy_model(renderer, copy);
    }
    md5gl_destroy_target(renderer, target);

    values_are_defaults(&stage.scene, "drawing");
    md5gl_restore_state(stage.renderer);
    values_read(&stage.scene, &after);
    values_are_equal(&after, &before, "restoring");
    scene_close_stage(&stage);
}

TEST (gl_restored_state_equals_that_of_the_engine) {
    check_saving(scene_wants_es());
    check_saving(true);
}

// Shows a texture in the engine's framebuffer and checks its pixels.
static void check_shown(engine *host, GLuint texture, int right, int up, const uint8_t expected[4])
{
    static const float white[4] = {1, 1, 1, 1};
    host->gl->BindTexture(GL_TEXTURE_2D, texture);
    host->gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_rectangle(host, -1, -1, 1, 1, 0, white);
    check_pixel(host, right, up, expected);
}

TEST (gl_engine_samples_a_targets_textures) {
    const gl_color lit = scene_sideways(1, 1, 1);
    const md5_mat34 palettes[2] = {scene_moved(100, 0, 0), scene_moved(100, 0, 0)};
    for (uint32_t samples = 1; samples <= 4; samples += 3) {
        engine host;
        if (!open_engine(&host, 0, scene_wants_es()))
            return;
        md5gl_renderer *const renderer = host.stage.renderer;
        md5gl_save_state(renderer);
        md5gl_target *const target =
            md5gl_create_target(renderer, SCENE_WIDTH, SCENE_HEIGHT, samples, NULL);
        const md5gl_frame frame = scene_frame(target);
        md5gl_begin_frame(renderer, &frame);
        CHECK(scene_pose_and_draw(renderer, host.stage.copy, palettes, NULL, 1, MD5GL_LIT, NULL));
        CHECK(md5gl_end_frame(renderer, NULL));
        md5gl_restore_state(renderer);
        const md5gl_target_names names = md5gl_get_target_names(target);
        CHECK(names.framebuffer != 0 && names.color != 0);
        CHECK((names.depth != 0) == (samples == 1));
        check_shown(&host, names.color, 10, 10, lit.rgba);
        check_shown(&host, names.color, 10, 30, (uint8_t[4]){0, 0, 0, 255});
        if (names.depth) {
            // The model is 100 of 500 units in front of the center, which is a depth of 0.4 in the
            // range 0 to 1.
            check_shown(&host, names.depth, 10, 10, (uint8_t[4]){102, 0, 0, 255});
            check_shown(&host, names.depth, 10, 30, (uint8_t[4]){255, 0, 0, 255});
        }
        md5gl_destroy_target(renderer, target);
        close_engine(&host);
    }
}

// Copies a target at its own size and at twice that. Pixels above and to the right do not change.
TEST (gl_copies_a_target_into_a_framebuffer) {
    const gl_color lit = scene_sideways(1, 1, 1);
    enum { WIDER = 2 * SCENE_WIDTH + 10, HIGHER = 2 * SCENE_HEIGHT + 10 };
    static uint8_t rgba[4 * WIDER * HIGHER];
    for (uint32_t samples = 1; samples <= 4; samples += 3) {
        gl_stage stage;
        if (!scene_open_stage(&stage, scene_square, 1))
            return;
        md5gl_renderer *const renderer = stage.renderer;
        md5gl_target *const from =
            md5gl_create_target(renderer, SCENE_WIDTH, SCENE_HEIGHT, samples, NULL);
        md5gl_target *const to = md5gl_create_target(renderer, WIDER, HIGHER, 1, NULL);
        const md5gl_frame frame = scene_frame(from);
        md5gl_begin_frame(renderer, &frame);
        CHECK(
            scene_pose_and_draw(renderer, stage.copy, scene_identities, NULL, 1, MD5GL_LIT, NULL));
        CHECK(md5gl_end_frame(renderer, NULL));
        const uint32_t framebuffer = md5gl_get_target_names(to).framebuffer;
        for (uint32_t scale = 1; scale <= 2; scale++) {
            const md5gl_frame empty = {
                .target = to, .width = WIDER, .height = HIGHER, .background = {0, 0, 1, 1}};
            md5gl_begin_frame(renderer, &empty);
            CHECK(md5gl_end_frame(renderer, NULL));
            CHECK(md5gl_copy_target(renderer, from, framebuffer, scale * SCENE_WIDTH,
                                    scale * SCENE_HEIGHT, NULL));
            CHECK(md5gl_read_pixels(renderer, to, WIDER, HIGHER, rgba, NULL));
            // GL's rows begin at the bottom: the center of the copy, and its upper right corner.
            const size_t middle =
                (HIGHER - scale * SCENE_HEIGHT / 2) * WIDER + scale * SCENE_WIDTH / 2;
            const size_t outside =
                (HIGHER - scale * SCENE_HEIGHT - 2) * WIDER + scale * SCENE_WIDTH + 2;
            for (int c = 0; c < 4; c++) {
                CHECK_NEAR(rgba[4 * middle + (size_t)c], lit.rgba[c], 2);
                CHECK_UINT(rgba[4 * outside + (size_t)c], c >= 2 ? 255 : 0);
            }
        }
        md5gl_destroy_target(renderer, to);
        md5gl_destroy_target(renderer, from);
        scene_close_stage(&stage);
    }
}
