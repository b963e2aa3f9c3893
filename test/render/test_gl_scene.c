#include "test/scoped.h"
#include "test/render/test_gl_scene.h"

#include "render/gl_internal.h"

// -- Context ----------------------------------------------------------------------------------

// The driver's callback cannot determine the running test: all tests share one count, which each
// test checks at its end.
static unsigned num_messages;
static char first_message[256];

static void GLAD_API_PTR count_message(GLenum source, GLenum type, GLuint id, GLenum severity,
                                       GLsizei length, const GLchar *message, const void *user)
{
    (void)source, (void)type, (void)id, (void)length, (void)user;
    enum { SEVERITY_HIGH = 0x9146, SEVERITY_MEDIUM = 0x9147 };
    if (severity != SEVERITY_HIGH && severity != SEVERITY_MEDIUM)
        return;
    if (num_messages++ == 0)
        snprintf(first_message, sizeof first_message, "%s", message);
}

void scene_expect_messages(void)
{
    num_messages = 0;
}

md5gl_proc scene_load(void *user, const char *name)
{
    (void)user;
    // SDL returns a function as an object pointer, which C can convert only by copying its bytes.
    void *const address = SDL_GL_GetProcAddress(name);
    md5gl_proc function = NULL;
    memcpy(&function, &address, sizeof function);
    return function;
}

// Constants of KHR_debug, which the library's loader does not define.
static void count_messages(const GladGLContext *gl)
{
    enum { DEBUG_OUTPUT = 0x92E0, DEBUG_OUTPUT_SYNCHRONOUS = 0x8242 };
    void(GLAD_API_PTR * set_callback)(GLDEBUGPROC, const void *);
    md5gl_proc function = scene_load(NULL, "glDebugMessageCallback");
    if (!function)
        function = scene_load(NULL, "glDebugMessageCallbackKHR");
    memcpy(&set_callback, &function, sizeof set_callback);
    if (SDL_GL_ExtensionSupported("GL_KHR_debug") && set_callback) {
        gl->Enable(DEBUG_OUTPUT);
        gl->Enable(DEBUG_OUTPUT_SYNCHRONOUS);
        set_callback(count_message, NULL);
    }
    num_messages = 0;
}

bool scene_wants_es(void)
{
    const char *const wanted = getenv("MD5_TEST_GL");
    return wanted && strcmp(wanted, "es") == 0;
}

static bool open_window(gl_scene *scene, bool es)
{
    // Draws off screen even if there is a display, so that tests are the same everywhere. The
    // environment may select another driver.
    SDL_setenv("SDL_VIDEODRIVER", "offscreen", 0);
    // SDL is initialized once for all tests and is never shut down, because the memory of a driver
    // that is still loaded is not reported as a leak.
    if (!SDL_WasInit(SDL_INIT_VIDEO)
        && (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0 || SDL_GL_LoadLibrary(NULL) != 0))
        return false;
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, es ? 0 : 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK,
                        es ? SDL_GL_CONTEXT_PROFILE_ES : SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_FLAGS, SDL_GL_CONTEXT_DEBUG_FLAG);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
    scene->window = SDL_CreateWindow("test", 0, 0, SCENE_WIDTH, SCENE_HEIGHT,
                                     SDL_WINDOW_OPENGL | SDL_WINDOW_HIDDEN);
    scene->context = scene->window ? SDL_GL_CreateContext(scene->window) : NULL;
    return scene->context != NULL;
}

static bool open_context(gl_scene *scene, bool es)
{
    *scene = (gl_scene){0};
    if (open_window(scene, es))
        return true;
    test_skip("no %s context: %s", es ? "OpenGL ES 3.0" : "OpenGL 3.3", SDL_GetError());
    scene_close(scene);
    return false;
}

bool scene_open_context(gl_scene *scene)
{
    return open_context(scene, scene_wants_es());
}

static bool create_renderer(gl_scene *scene, const md5_allocator *allocator)
{
    md5gl_opts opts = {.load = scene_load};
    if (allocator)
        opts.allocator = *allocator;
    md5_error error = {0};
    scene->renderer = md5gl_create_renderer(&opts, &error);
    if (!CHECK_DONE(scene->renderer, error)) {
        scene_close(scene);
        return false;
    }
    count_messages(&scene->renderer->gl);
    return true;
}

bool scene_open(gl_scene *scene, const md5_allocator *allocator)
{
    return scene_open_context(scene) && create_renderer(scene, allocator);
}

bool scene_share(gl_scene *scene)
{
    static gl_scene shared;
    if (!shared.renderer && !scene_open(&shared, NULL))
        return false;
    *scene = shared;
    scene->is_shared = true;
    scene_make_current(scene);
    num_messages = 0;
    return true;
}

bool scene_open_es(gl_scene *scene)
{
    return open_context(scene, true) && create_renderer(scene, NULL);
}

void scene_make_current(const gl_scene *scene)
{
    SDL_GL_MakeCurrent(scene->window, scene->context);
}

// Counts the first names that are names of an object.
static unsigned count_objects(const GladGLContext *gl)
{
    unsigned count = 0;
    for (uint32_t i = 1; i < 1000u; i++)
        count += (unsigned)gl->IsBuffer(i) + gl->IsFramebuffer(i) + gl->IsProgram(i)
                 + gl->IsRenderbuffer(i) + gl->IsShader(i) + gl->IsTexture(i)
                 + gl->IsVertexArray(i);
    return count;
}

void scene_close(gl_scene *scene)
{
    if (scene->renderer && !scene->is_shared) {
        const GladGLContext gl = scene->renderer->gl;
        md5gl_destroy_renderer(scene->renderer);
        CHECK_UINT(scene->has_objects ? 0 : count_objects(&gl), 0);
    }
    CHECK_THAT(num_messages == 0, "the driver reported: %s", first_message);
    num_messages = 0;
    if (scene->is_shared)
        return;
    if (scene->context)
        SDL_GL_DeleteContext(scene->context);
    if (scene->window)
        SDL_DestroyWindow(scene->window);
}

// -- Models -----------------------------------------------------------------------------------

static md5_model *parse(const char *text)
{
    md5_error error = {0};
    md5_model *const model = text_model(text, &error);
    CHECK_THAT(model != NULL, "line %u: %s", error.line, error.message);
    return model;
}

#define HEAD                                                      \
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\n" \
    "joints {\n\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"high\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n"
#define VERTICES                                                                \
    "mesh {\nshader \"\"\nnumverts 4\nvert 0 ( 0 1 ) 0 1\nvert 1 ( 1 1 ) 1 1\n" \
    "vert 2 ( 0 0 ) 2 1\nvert 3 ( 1 0 ) 3 1\nnumtris 2\ntri 0 0 2 1\ntri 1 1 2 3\n"

md5_model *scene_square(void)
{
    return parse(HEAD VERTICES "numweights 4\nweight 0 0 1 ( 0 -20 -20 )\n"
                               "weight 1 0 1 ( 0 20 -20 )\nweight 2 1 1 ( 0 -20 20 )\n"
                               "weight 3 1 1 ( 0 20 20 )\n}\n");
}

md5_model *scene_hinge(void)
{
    char text[1024] = HEAD "mesh {\nshader \"\"\nnumverts 4\n";
    size_t used = strlen(text);
    for (int i = 0; i < 4; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "vert %d ( %d %d ) %d 2\n", i,
                                 i % 2, 1 - i / 2, 2 * i);
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "numtris 2\ntri 0 0 2 1\ntri 1 1 2 3\nnumweights 8\n");
    for (int i = 0; i < 8; i++) {
        const int y = i / 2 % 2 ? 20 : -20;
        const int z = i / 4 ? 20 : -20;
        used += (size_t)snprintf(text + used, sizeof text - used, "weight %d %d 0.5 ( 0 %d %d )\n",
                                 i, i % 2, y, z);
    }
    snprintf(text + used, sizeof text - used, "}\n");
    return parse(text);
}

// Seen from above with y to the right, x points down: the upper corners have the smaller x.
md5_model *scene_floor(void)
{
    return parse(HEAD VERTICES "numweights 4\nweight 0 0 1 ( 20 -20 0 )\n"
                               "weight 1 0 1 ( 20 20 0 )\nweight 2 0 1 ( -20 -20 0 )\n"
                               "weight 3 0 1 ( -20 20 0 )\n}\n");
}

typedef struct random_joint {
    double position[3];
} random_joint;

md5_model *scene_cloud(uint32_t num_joints, uint32_t num_vertices, uint32_t max_weights, bool off,
                       uint64_t *random)
{
    SCOPED random_joint *const joints = calloc(num_joints, sizeof *joints);
    test_text text = {0};
    test_text weights = {0};
    test_append(&text, "MD5Version 10\ncommandline \"\"\nnumJoints %u\nnumMeshes 1\njoints {\n",
                num_joints);
    for (uint32_t i = 0; i < num_joints; i++) {
        for (int k = 0; k < 3; k++)
            joints[i].position[k] = test_between(-20, 20, random);
        test_append(&text, "\"j%u\" %d ( %.9g %.9g %.9g ) ( 0 0 0 )\n", i, (int)i - 1,
                    joints[i].position[0], joints[i].position[1], joints[i].position[2]);
    }
    test_append(&text, "}\nmesh {\nshader \"\"\nnumverts %u\n", num_vertices);
    uint32_t num_weights = 0;
    for (uint32_t i = 0; i < num_vertices; i++) {
        const uint32_t count = 1 + test_random_u32(random) % max_weights;
        test_append(&text, "vert %u ( %.9g %.9g ) %u %u\n", i, test_random(random),
                    test_random(random), num_weights, count);

        // Adds the weights of one vertex. Joints are not rotated, so an offset is a difference of
        // positions.
        double position[3];
        double biases[256];
        double sum = 0;
        for (int j = 0; j < 3; j++)
            position[j] = test_between(-30, 30, random);
        for (uint32_t j = 0; j < count; j++)
            sum += biases[j] = test_between(0.2, 1, random);
        const double total = off ? test_between(0.7, 1.2, random) : 1;
        const double apart = off ? 2 : 0;
        const uint32_t any = test_random_u32(random);
        for (uint32_t j = 0; j < count; j++) {
            const uint32_t joint = (any + j) % num_joints;
            double offset[3];
            for (int k = 0; k < 3; k++)
                offset[k] =
                    position[k] - joints[joint].position[k] + test_between(-apart, apart, random);
            test_append(&weights, "weight %u %u %.9g ( %.9g %.9g %.9g )\n", num_weights + j, joint,
                        total * biases[j] / sum, offset[0], offset[1], offset[2]);
        }

        num_weights += count;
    }
    test_append(&text, "numtris %u\n", num_vertices / 3);
    for (uint32_t i = 0; i < num_vertices / 3; i++)
        test_append(&text, "tri %u %u %u %u\n", i, 3 * i, 3 * i + 1, 3 * i + 2);
    test_append(&text, "numweights %u\n", num_weights);
    test_append(&text, "%s}\n", weights.bytes);
    md5_model *const model = parse(text.bytes);
    free(text.bytes);
    free(weights.bytes);
    return model;
}

#define IDENTITY                               \
    {                                          \
        {                                      \
            1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 \
        }                                      \
    }
const md5_mat34 scene_identity = IDENTITY;
const md5_mat34 scene_identities[8] = {IDENTITY, IDENTITY, IDENTITY, IDENTITY,
                                       IDENTITY, IDENTITY, IDENTITY, IDENTITY};

md5_mat34 scene_moved(float x, float y, float z)
{
    md5_mat34 moved = scene_identity;
    moved.m[3] = x;
    moved.m[7] = y;
    moved.m[11] = z;
    return moved;
}

// Uniform: Shoemake, "Uniform random rotations", Graphics Gems III, 1992.
md5_mat34 scene_rotation(uint64_t *random)
{
    const double full_circle = 6.283185307179586;
    const double part = test_random(random);
    const double a = full_circle * test_random(random);
    const double b = full_circle * test_random(random);
    const double low = sqrt(1 - part);
    const double high = sqrt(part);
    const md5_xform transform = {.rotation = {
                                     (float)(low * sin(a)),
                                     (float)(low * cos(a)),
                                     (float)(high * sin(b)),
                                     (float)(high * cos(b)),
                                 }};
    return md5_mat34_from_xform(transform);
}

// -- Pictures ---------------------------------------------------------------------------------

// Rows of the view matrix: the directions to the right, up, and towards the eye.
static void set_view(md5gl_frame *frame, md5_vec3 right, md5_vec3 up, md5_vec3 back)
{
    frame->view_from_world = (md5_mat44){
        {right.x, up.x, back.x, 0, right.y, up.y, back.y, 0, right.z, up.z, back.z, 0, 0, 0, 0, 1}};
}

md5gl_frame scene_frame(md5gl_target *target)
{
    md5gl_frame frame = {
        .target = target,
        .width = SCENE_WIDTH,
        .height = SCENE_HEIGHT,
        .background = {0, 0, 0, 1},
        .light_direction = {0, 0, 1},
        .ambient = {1, 1, 1},
        .casters = {{1, 1, 1}, {-1, -1, -1}}, // nothing
    };
    // A unit is a pixel; the depth range is 500 units on both sides of the center.
    frame.clip_from_view.m[0] = 2.0f / (float)SCENE_WIDTH;
    frame.clip_from_view.m[5] = 2.0f / (float)SCENE_HEIGHT;
    frame.clip_from_view.m[10] = -1.0f / 500.0f;
    frame.clip_from_view.m[15] = 1;
    set_view(&frame, (md5_vec3){0, 1, 0}, (md5_vec3){0, 0, 1}, (md5_vec3){1, 0, 0});
    return frame;
}

void scene_look_from_behind(md5gl_frame *frame)
{
    set_view(frame, (md5_vec3){0, -1, 0}, (md5_vec3){0, 0, 1}, (md5_vec3){-1, 0, 0});
}

void scene_look_down(md5gl_frame *frame)
{
    set_view(frame, (md5_vec3){0, 1, 0}, (md5_vec3){-1, 0, 0}, (md5_vec3){0, 0, 1});
}

const uint8_t *picture_at(const gl_picture *picture, int right, int up)
{
    return picture->rgba[SCENE_HEIGHT / 2 - 1 - up][SCENE_WIDTH / 2 + right];
}

bool picture_is(const gl_picture *picture, int right, int up, const uint8_t expected[4],
                int tolerance)
{
    const uint8_t *const pixel = picture_at(picture, right, up);
    bool same = true;
    for (int i = 0; i < 4; i++)
        same = same && abs(pixel[i] - expected[i]) <= tolerance;
    if (!same)
        printf("pixel %d %d is %u %u %u %u, expected %u %u %u %u within %d\n", right, up, pixel[0],
               pixel[1], pixel[2], pixel[3], expected[0], expected[1], expected[2], expected[3],
               tolerance);
    return same;
}

void scene_finish(gl_scene *scene, const md5gl_frame *frame, gl_picture *picture)
{
    md5_error error = {0};
    CHECK_DONE(md5gl_end_frame(scene->renderer, &error), error);
    memset(picture, 77, sizeof *picture); // so that stale content is not taken for the frame
    CHECK_DONE(md5gl_read_pixels(scene->renderer, frame->target, SCENE_WIDTH, SCENE_HEIGHT,
                                 picture->rgba[0][0], &error),
               error);
}

bool scene_pose(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                const md5_mat34 *placements, uint32_t count, md5_error *error)
{
    const md5gl_instances instances = {
        .count = count, .palettes = palettes, .placements = placements};
    return md5gl_pose(renderer, model, &instances, error);
}

bool scene_pose_and_draw(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                         const md5_mat34 *placements, uint32_t count, uint32_t style,
                         md5_error *error)
{
    const bool posed = scene_pose(renderer, model, palettes, placements, count, error);
    if (posed)
        md5gl_draw_model(renderer, model, style);
    return posed;
}

bool scene_pose_baked(md5gl_renderer *renderer, md5gl_model *model, md5gl_baked *baked,
                      const md5gl_clip_job *jobs, const md5_mat34 *placements, uint32_t count,
                      md5_error *error)
{
    const md5gl_instances instances = {
        .count = count, .baked = baked, .jobs = jobs, .placements = placements};
    return md5gl_pose(renderer, model, &instances, error);
}

bool scene_look(md5gl_renderer *renderer, md5gl_model *model, const md5_vec4 *tints,
                const uint32_t *skins, md5_error *error)
{
    const md5gl_instances looks = {.count = model->num_instances, .tints = tints, .skins = skins};
    return md5gl_pose(renderer, model, &looks, error);
}

md5gl_texture scene_texture(md5gl_renderer *renderer, md5gl_texture_kind kind, uint32_t width,
                            uint32_t height, const uint8_t *texels, md5_error *error)
{
    const md5gl_texture_desc desc = {
        .kind = kind, .width = width, .height = height, .texels = texels};
    return md5gl_create_texture(renderer, &desc, error);
}

md5gl_texture scene_normals(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                            const uint8_t *rgba, uint32_t normals, md5_error *error)
{
    const md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_NORMALS,
                                     .width = width,
                                     .height = height,
                                     .texels = rgba,
                                     .normals = normals};
    return md5gl_create_texture(renderer, &desc, error);
}

md5gl_texture scene_stage_texture(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                  const uint8_t *rgba, md5gl_wrap wrap, bool is_nearest,
                                  md5_error *error)
{
    const md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_STAGE,
                                     .width = width,
                                     .height = height,
                                     .texels = rgba,
                                     .wrap = wrap,
                                     .is_nearest = is_nearest};
    return md5gl_create_texture(renderer, &desc, error);
}

md5gl_texture scene_stage_cube(md5gl_renderer *renderer, uint32_t side,
                               const uint8_t *const rgba[6], bool is_nearest, md5_error *error)
{
    md5gl_texture_desc desc = {
        .kind = MD5GL_TEXTURE_STAGE_CUBE, .width = side, .height = side, .is_nearest = is_nearest};
    memcpy(desc.faces, rgba, sizeof desc.faces);
    return md5gl_create_texture(renderer, &desc, error);
}

void scene_read_level(const gl_scene *scene, md5gl_texture texture, int level, uint32_t width,
                      uint32_t height, uint8_t *rgba)
{
    const GladGLContext *const gl = &scene->renderer->gl;
    GLuint framebuffer = 0;
    if (!scene_is_es(scene->renderer)) { // OpenGL ES cannot return the size
        GLint size[2] = {0, 0};
        gl->BindTexture(GL_TEXTURE_2D, texture);
        gl->GetTexLevelParameteriv(GL_TEXTURE_2D, level, GL_TEXTURE_WIDTH, &size[0]);
        gl->GetTexLevelParameteriv(GL_TEXTURE_2D, level, GL_TEXTURE_HEIGHT, &size[1]);
        gl->BindTexture(GL_TEXTURE_2D, 0);
        CHECK(size[0] == (GLint)width && size[1] == (GLint)height);
    }
    gl->GenFramebuffers(1, &framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, level);
    CHECK_UINT(gl->CheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    gl->ReadPixels(0, 0, (GLsizei)width, (GLsizei)height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->DeleteFramebuffers(1, &framebuffer);
    CHECK_UINT(gl->GetError(), GL_NO_ERROR);
}

GladGLContext *scene_gl(md5gl_renderer *renderer)
{
    return &renderer->gl;
}

bool scene_is_es(const md5gl_renderer *renderer)
{
    return renderer->is_es;
}

gl_optional scene_optional(md5gl_renderer *renderer)
{
    return (gl_optional){&renderer->optional.GetGraphicsResetStatus,
                         &renderer->optional.DispatchCompute};
}

gl_limits scene_limits(md5gl_renderer *renderer)
{
    return (gl_limits){
        .max_texels = &renderer->max_texels,
        .max_texture_size = &renderer->max_texture_size,
        .has_compute = &renderer->has_compute,
        .has_shadows = &renderer->has_shadows,
        .max_samples = renderer->max_samples,
        .max_target_size = renderer->max_target_size,
        .max_texels_name = renderer->max_texels_name,
    };
}

void scene_shade_whole_ground(md5gl_renderer *renderer)
{
    renderer->shaded_ground =
        (md5gl_shaded_ground){.near_corner = {-1e4f, -1e4f}, .far_corner = {1e4f, 1e4f}};
}

uint32_t scene_num_batches(const md5gl_model *copy)
{
    return copy->num_batches;
}

md5gl_blending scene_blending(const md5gl_model *copy)
{
    return copy->blending;
}

const md5_model *scene_model(const md5gl_model *copy)
{
    return copy->model;
}

const char *scene_path_reason(const md5gl_model *model, uint32_t mesh)
{
    const char *reason = NULL;
    md5gl_mesh_path(model, mesh, &reason);
    return reason;
}

void scene_draw(gl_scene *scene, const md5gl_frame *frame, md5gl_model *model, uint32_t style,
                gl_picture *picture)
{
    md5_error error = {0};
    md5gl_begin_frame(scene->renderer, frame);
    CHECK_DONE(
        scene_pose_and_draw(scene->renderer, model, scene_identities, NULL, 1, style, &error),
        error);
    scene_finish(scene, frame, picture);
}

// Ambient 1, halfway between the light of the sky and the light of the ground (shaders/light.glsl),
// encoded as sRGB.
static uint8_t shade_sideways(double linear, double ground)
{
    const double lit = linear * (1 + ground) / 2.0;
    const double encoded = lit <= 0.0031308 ? 12.92 * lit : 1.055 * pow(lit, 1.0 / 2.4) - 0.055;
    return (uint8_t)lround(255 * encoded);
}

gl_color scene_sideways(double red, double green, double blue)
{
    return (gl_color){
        {shade_sideways(red, 0.40), shade_sideways(green, 0.36), shade_sideways(blue, 0.33), 255}};
}

// -- Stages -----------------------------------------------------------------------------------

bool scene_open_stage(gl_stage *stage, md5_model *(*make)(void), uint32_t samples)
{
    return scene_open(&stage->scene, NULL) && scene_fill_stage(stage, make, samples);
}

bool scene_fill_stage(gl_stage *stage, md5_model *(*make)(void), uint32_t samples)
{
    stage->num_textures = 0;
    md5gl_renderer *const renderer = stage->renderer = stage->scene.renderer;
    stage->target = md5gl_create_target(renderer, SCENE_WIDTH, SCENE_HEIGHT, samples, NULL);
    stage->model = make();
    stage->copy = md5gl_create_model(renderer, stage->model, MD5GL_PATH_AUTO, NULL);
    stage->frame = scene_frame(stage->target);
    if (CHECK(stage->target && stage->copy))
        return true;
    scene_close_stage(stage);
    return false;
}

void scene_close_stage(gl_stage *stage)
{
    while (stage->num_textures > 0)
        md5gl_destroy_texture(stage->renderer, stage->textures[--stage->num_textures]);
    md5gl_destroy_model(stage->renderer, stage->copy);
    md5gl_destroy_target(stage->renderer, stage->target);
    scene_close(&stage->scene);
    md5_free_model(stage->model);
}

void stage_begin(const gl_stage *stage)
{
    md5gl_begin_frame(stage->renderer, &stage->frame);
}

void stage_finish(gl_stage *stage, gl_picture *picture)
{
    scene_finish(&stage->scene, &stage->frame, picture);
}

void stage_pose(const gl_stage *stage, const md5_mat34 *palettes, const md5_mat34 *placements,
                uint32_t count)
{
    md5_error error = {0};
    CHECK_DONE(scene_pose(stage->renderer, stage->copy, palettes, placements, count, &error),
               error);
}

void stage_draw(gl_stage *stage, uint32_t style, gl_picture *picture)
{
    scene_draw(&stage->scene, &stage->frame, stage->copy, style, picture);
}

void stage_draw_posed(gl_stage *stage, const md5_mat34 *palettes, const md5_mat34 *placements,
                      uint32_t count, gl_picture *picture)
{
    stage_begin(stage);
    stage_pose(stage, palettes, placements, count);
    md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
    stage_finish(stage, picture);
}

void stage_use_path(gl_stage *stage, md5gl_path path)
{
    md5gl_destroy_model(stage->renderer, stage->copy);
    stage->copy = md5gl_create_model(stage->renderer, stage->model, path, NULL);
}

md5gl_texture stage_keep(gl_stage *stage, md5gl_texture texture)
{
    if (CHECK(texture != 0 && stage->num_textures < COUNT_OF(stage->textures)))
        stage->textures[stage->num_textures++] = texture;
    return texture;
}

md5gl_texture stage_color(gl_stage *stage, uint32_t width, uint32_t height, const uint8_t *rgba)
{
    return stage_keep(
        stage, scene_texture(stage->renderer, MD5GL_TEXTURE_COLOR, width, height, rgba, NULL));
}

void stage_light(gl_stage *stage, float key, float ambient)
{
    for (int i = 0; i < 3; i++) {
        stage->frame.light[i] = key;
        stage->frame.ambient[i] = ambient;
    }
}
