// Draws a character with OpenGL and a custom renderer, without md5gl. The vertices are in one
// interleaved buffer with 8-bit joints and weights. The palette is in a uniform buffer, and the
// vertex shader skins.
//
//   cc own_gl.c $(pkg-config --cflags --libs md5model sdl2 gl) -o own_gl
//   ./own_gl models/bobbin/bobbin.md5mesh models/bobbin/wave.md5anim 0.8 bobbin.bmp
#define GL_GLEXT_PROTOTYPES // on Windows use a loader, such as glad
#include <SDL.h>
#include <SDL_opengl.h>
#include <md5model/md5skin.h>
#include <stddef.h>
#include <stdlib.h>

// OpenGL guarantees uniform buffers of at least 16 KiB, which is enough for 341 matrices of 48
// bytes.
enum { SIZE = 480, MAX_JOINTS = 341 };

// A vertex as the vertex shader reads it.
typedef struct vertex {
    md5_vec3 position;
    md5_vec3 normal;
    uint8_t joints[4];
    uint8_t weights[4];
} vertex;

// The vertex shader reads palette matrices as they are stored in memory: three rows of four floats.
static const char vertex_text[] =
    "#version 330 core\n"
    "layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in uvec4 joints; layout(location = 3) in vec4 weights;\n"
    "layout(std140) uniform palette { vec4 rows[3 * 341]; };\n"
    "uniform mat4 camera; out vec3 lit;\n"
    "void main() {\n"
    "  mat3x4 m = mat3x4(0);\n"
    "  for (int i = 0; i < 4; i++) { int j = 3 * int(joints[i]);\n"
    "    m += weights[i] * mat3x4(rows[j], rows[j + 1], rows[j + 2]); }\n"
    "  gl_Position = camera * vec4(vec4(position, 1) * m, 1);\n"
    "  vec3 n = normalize(vec4(normal, 0) * m);\n"
    "  lit = vec3(0.9, 0.85, 0.7) * (0.25 + 0.75 * max(dot(n, vec3(0.8, 0.4, 0.45)), 0));\n"
    "}\n";
static const char fragment_text[] =
    "#version 330 core\nin vec3 lit; out vec4 c; void main() { c = vec4(lit, 1); }\n";

// Compiles a shader and adds it to a program.
static void add_shader(GLuint program, GLenum kind, const char *text)
{
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
}

// Returns a camera in front of the character, which faces +x.
static md5_mat44 make_camera(md5_bounds bounds)
{
    const md5_vec3 center = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    const float size = md5_vec3_length(md5_vec3_sub(bounds.max, bounds.min));
    const md5_vec3 eye = {center.x + 1.6f * size, center.y + 0.7f * size, center.z + 0.3f * size};
    const md5_mat44 view = md5_mat44_look_at(eye, center, (md5_vec3){0, 0, 1});
    const md5_depth gl = MD5_DEPTH_MINUS_ONE_TO_ONE;
    return md5_mat44_mul(md5_mat44_perspective(35, 1, 0.1f * size, 10 * size, gl), view);
}

// Uploads a mesh as one vertex buffer and one index buffer, and draws it. An engine would upload it
// only once, when it loads the model.
static void draw_mesh(const md5_mesh *mesh)
{
    vertex *v = calloc(mesh->num_vertices + 1, sizeof *v);
    GLuint array;
    GLuint buffers[2];
    if (!v)
        exit(1);

    // Fill the vertices. The weights of a vertex are bytes with the sum 255.
    for (uint32_t i = 0; i < mesh->num_vertices; i++)
        v[i] = (vertex){.position = mesh->positions[i], .normal = mesh->normals[i]};
    const md5_pack_job pack = {.mesh = mesh,
                               .format = MD5_PACK_BYTES,
                               .joints = v->joints,
                               .joint_stride = sizeof *v,
                               .weights = v->weights,
                               .weight_stride = sizeof *v};
    if (!md5_pack_influences(&pack))
        exit(1); // a joint index is above 255

    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(sizeof *v * mesh->num_vertices), v, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)mesh->num_triangles * 12, mesh->indices,
                 GL_STATIC_DRAW);

    // The vertex shader defines the locations. Weights are bytes that OpenGL converts to 0 to 1.
    for (GLuint i = 0; i < 4; i++)
        glEnableVertexAttribArray(i);
    glVertexAttribPointer(0, 3, GL_FLOAT, 0, sizeof *v, (void *)offsetof(vertex, position));
    glVertexAttribPointer(1, 3, GL_FLOAT, 0, sizeof *v, (void *)offsetof(vertex, normal));
    glVertexAttribIPointer(2, 4, GL_UNSIGNED_BYTE, sizeof *v, (void *)offsetof(vertex, joints));
    glVertexAttribPointer(3, 4, GL_UNSIGNED_BYTE, 1, sizeof *v, (void *)offsetof(vertex, weights));
    glDrawElements(GL_TRIANGLES, (GLsizei)(3 * mesh->num_triangles), GL_UNSIGNED_INT, NULL);
    free(v);
}

// Opens a window with OpenGL 3.3. Returns false and prints the reason if this is not possible.
static bool open_window(void)
{
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        SDL_Log("%s", SDL_GetError());
        return false;
    }
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_Window *window = SDL_CreateWindow("own_gl", 0, 0, SIZE, SIZE, SDL_WINDOW_OPENGL);
    if (!window || !SDL_GL_CreateContext(window)) {
        SDL_Log("%s", SDL_GetError());
        return false;
    }
    return true;
}

// Draws the posed model. `palette` is the pose, one matrix for each joint. Only the palette changes
// from frame to frame.
static void draw_model(const md5_model *model, const md5_mat34 palette[MAX_JOINTS])
{
    const GLuint program = glCreateProgram();
    add_shader(program, GL_VERTEX_SHADER, vertex_text);
    add_shader(program, GL_FRAGMENT_SHADER, fragment_text);
    glLinkProgram(program);
    glUseProgram(program);

    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer);
    glBufferData(GL_UNIFORM_BUFFER, MAX_JOINTS * sizeof *palette, palette, GL_STREAM_DRAW);
    glUniformMatrix4fv(glGetUniformLocation(program, "camera"), 1, 0, make_camera(model->bounds).m);

    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    for (uint32_t i = 0; i < model->num_meshes; i++)
        draw_mesh(&model->meshes[i]);
}

// Saves the image in the window to a file. Returns the exit code of the program.
static int save_image(const char *path)
{
    SDL_Surface *image = SDL_CreateRGBSurfaceWithFormat(0, SIZE, SIZE, 32, SDL_PIXELFORMAT_RGBA32);
    if (!image)
        return 1;
    for (int y = 0; y < SIZE; y++) // OpenGL returns the bottom row first
        glReadPixels(0, SIZE - 1 - y, SIZE, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                     (Uint8 *)image->pixels + y * image->pitch);
    return SDL_SaveBMP(image, path) == 0 ? 0 : 1;
}

// Poses the model at a time of the clip, draws it into a window, and saves the image.
int main(int argc, char **argv)
{
    static md5_xform pose[MAX_JOINTS];
    static md5_mat34 joints[MAX_JOINTS];
    static md5_mat34 palette[MAX_JOINTS];
    md5_model *model = argc == 5 ? md5_load_model(argv[1], NULL, NULL) : NULL;
    md5_anim *anim = model ? md5_load_anim(argv[2], NULL, NULL) : NULL;
    md5_binding *binding = md5_bind(model, anim, NULL, NULL);
    if (!model || !binding || model->skeleton.num_joints > MAX_JOINTS) {
        SDL_Log("usage: own_gl MODEL.md5mesh CLIP.md5anim SECONDS OUTPUT.bmp");
        return 2;
    }

    const double seconds = strtod(argv[3], NULL);
    const md5_sample_position sample = md5_sample_position_at(anim, seconds, MD5_WRAP_LOOP);
    md5_pose_palette(binding, sample, MD5_ROOT_IN_PLACE, pose, joints, palette);

    if (!open_window())
        return 1;
    draw_model(model, palette);
    return save_image(argv[4]);
}
