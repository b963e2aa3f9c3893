// What walk_game.c stands on, and what an engine has already: a window, textured models, and hills
// that the game draws itself, lit and shadowed as md5gl's models are.
#define GL_GLEXT_PROTOTYPES // on Windows use a loader, such as glad
#define STB_IMAGE_IMPLEMENTATION
#include <SDL.h>
#include <SDL_opengl.h>
#include <math.h>
#include <stb/stb_image.h>
#include <md5model/md5gl_stb.h>

enum { WIDTH = 960, HEIGHT = 540 };
static SDL_Window *window;
static md5_error error;

static void need(bool works)
{
    if (!works)
        SDL_Log("%s:%u: %s %s", error.file, error.line, error.message, SDL_GetError()), exit(1);
}

static md5gl_proc load_proc(void *user, const char *name)
{
    (void)user;
    return (md5gl_proc)SDL_GL_GetProcAddress(name);
}

static md5gl_renderer *open_window(bool is_es)
{
    need(SDL_Init(SDL_INIT_VIDEO) == 0);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, is_es ? 0 : 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK,
                        is_es ? SDL_GL_CONTEXT_PROFILE_ES : SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
    window = SDL_CreateWindow("hills", 0, 0, WIDTH, HEIGHT, SDL_WINDOW_OPENGL);
    need(window && SDL_GL_CreateContext(window));
    md5gl_renderer *renderer = md5gl_create_renderer(&(md5gl_opts){.load = load_proc}, &error);
    need(renderer);
    return renderer;
}

// A model with the pictures that lie beside its file.
static md5gl_model *create_drawn(md5gl_renderer *renderer, const md5_model *model, const char *path)
{
    md5gl_model *drawn = md5gl_create_model(renderer, model, MD5GL_PATH_AUTO, &error);
    const md5gl_looks_desc desc = {
        .model = model, .path = path, .load = md5gl_stb_load, .release = md5gl_stb_release};
    const md5gl_looks *looks = drawn ? md5gl_load_looks(renderer, &desc, &error) : NULL;
    need(looks);
    for (uint32_t i = 0; looks && i < looks->num_meshes; i++)
        md5gl_set_material(drawn, 0, i, &looks->materials[i]);
    return drawn;
}

static void save_picture(md5gl_renderer *renderer, const char *path)
{
    static uint8_t rgba[4 * WIDTH * HEIGHT];
    need(md5gl_read_pixels(renderer, NULL, WIDTH, HEIGHT, rgba, &error));
    need(SDL_SaveBMP(SDL_CreateRGBSurfaceWithFormatFrom(rgba, WIDTH, HEIGHT, 32, 4 * WIDTH,
                                                        SDL_PIXELFORMAT_RGBA32),
                     path)
         == 0);
}

// -- Hills: a formula, here of C, below of GLSL ---------------------------------------------------

#define HILLS (16.0 * sin(0.013 * x) * cos(0.017 * y) + 5.0 * sin(0.031 * x + 0.02 * y))
#define TEXT(...) #__VA_ARGS__
#define EXPANDED(...) TEXT(__VA_ARGS__)

// The point of the ground above or below `place`.
static md5_vec3 on_ground(md5_vec3 place)
{
    const double x = place.x, y = place.y;
    return (md5_vec3){place.x, place.y, (float)HILLS};
}

static const char hills_vertex[] =
    "uniform mat4 clip_from_world; out vec3 position;\n"
    "void main() {\n"
    "  int corner = gl_VertexID % 6, cell = gl_VertexID / 6;\n"
    "  corner = corner < 3 ? corner : 6 - corner;\n" // two triangles
    "  float x = 10.0 * float(cell % 160 - 80 + corner % 2);\n"
    "  float y = 10.0 * float(cell / 160 - 80 + corner / 2);\n"
    "  position = vec3(x, y, " EXPANDED(
        HILLS) ");\n"
               "  gl_Position = clip_from_world * vec4(position, 1.0); }\n";
static const char hills_fragment[] =
    "in vec3 position; out vec4 color;\n"
    "void main() {\n"
    "  vec3 normal = normalize(cross(dFdx(position), dFdy(position)));\n"
    "  vec3 soil = mix(vec3(.30, .22, .12), vec3(.14, .24, .07), pow(normal.z, 8.0));\n"
    "  color = vec4(md5gl_shade(position, normal, soil, 0.1), 1.0); }\n";

static GLuint create_hills(md5gl_renderer *renderer, bool is_es)
{
    const char *version = is_es ? "#version 300 es\n" : "#version 330 core\n";
    const char *light = md5gl_shadow_glsl(renderer, MD5GL_LIGHTING_STUDIO, &error);
    const char *texts[2][3] = {{version, "", hills_vertex}, {version, light, hills_fragment}};
    const GLuint program = glCreateProgram();
    for (int i = 0; i < 2 && light; i++) {
        const GLuint shader = glCreateShader(i == 0 ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER);
        glShaderSource(shader, 3, texts[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
    }
    glLinkProgram(program);
    return program;
}

static void draw_hills(md5gl_renderer *renderer, GLuint program, const md5gl_frame *frame)
{
    static GLuint no_vertices;
    const md5_mat44 clip_from_world = md5_mat44_mul(frame->clip_from_view, frame->view_from_world);
    if (no_vertices == 0)
        glGenVertexArrays(1, &no_vertices);
    md5gl_use_shadows(renderer, program, 0, 0);
    glUniformMatrix4fv(glGetUniformLocation(program, "clip_from_world"), 1, GL_FALSE,
                       clip_from_world.m);
    glEnable(GL_DEPTH_TEST);
    glBindVertexArray(no_vertices);
    glDrawArrays(GL_TRIANGLES, 0, 6 * 160 * 160);
    md5gl_resume_frame(renderer);
}

// The picture from behind somebody, with an evening sun and a light.
static md5gl_frame make_frame(md5_xform place, md5_vec3 light)
{
    static md5gl_point_light point = {.range = 200, .color = {2, 1.3f, 0.5f}};
    const md5_vec3 at = place.translation, up = {0, 0, 1};
    const md5_vec3 eye = md5_xform_point(place, (md5_vec3){-150, 0, 90});
    point.position = light;
    return (md5gl_frame){
        .width = WIDTH,
        .height = HEIGHT,
        .background = {0.35f, 0.45f, 0.6f, 1},
        .view_from_world = md5_mat44_look_at(eye, md5_vec3_add(at, (md5_vec3){0, 0, 35}), up),
        .clip_from_view =
            md5_mat44_perspective(50, (float)WIDTH / HEIGHT, 5, 2000, MD5_DEPTH_MINUS_ONE_TO_ONE),
        .light_direction = {1, 1.5f, 1},
        .light = {0.9f, 0.8f, 0.65f},
        .ambient = {0.25f, 0.3f, 0.4f},
        .casters = {{at.x - 400, at.y - 400, at.z - 60}, {at.x + 400, at.y + 400, at.z + 90}},
        .softness = 0.05f,
        .shadow_texels = 2048,
        .point_lights = &point,
        .num_point_lights = 1,
    };
}
