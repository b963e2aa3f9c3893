// Draws characters from vertex frames with OpenGL. Vertex frames are an animation that is stored as
// vertices, as in the models of Quake. Draws them by one of three methods, and prints how many
// bytes and calls the image costs:
//
//   upload   the CPU interpolates two frames for each character and uploads the vertices
//   buffers  one buffer contains all frames; two vertex attributes read two of them
//   texture  a buffer texture contains all frames; one draw call draws all characters
//
//   cc vertex_frames.c $(pkg-config --cflags --libs md5model sdl2 gl) -o vertex_frames
//   ./vertex_frames models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim texture walk.bmp
#define GL_GLEXT_PROTOTYPES // on Windows use a loader, such as glad
#include <SDL.h>
#include <SDL_opengl.h>
#include <md5model/md5skin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 240, NUM_CHARACTERS = 4, FRAMES_PER_SECOND = 10 };

// Vertex attributes. A and B are a vertex in two frames. With "upload" they are its position and
// its normal. ATTRIBUTE_CHARACTER contains what the shader needs to draw a character. It is the
// vector (first frame, second frame, fraction between them, y position).
enum { ATTRIBUTE_A, ATTRIBUTE_B, ATTRIBUTE_CHARACTER };

// The beginning of all vertex shaders: decodes a baked vertex, as md5skin.h describes.
static const char common_text[] =
    "#version 330 core\n"
    "layout(location = 2) in vec4 character;\n"
    "uniform mat4 camera; uniform vec3 low; uniform vec3 size; out vec3 lit;\n"
    "vec3 position(uvec2 v) { return low + size * vec3(v.x & 65535u, v.x >> 16u, v.y & 65535u); }\n"
    "vec3 normal(uvec2 v) {\n"
    "  vec2 uv = (vec2(v.y >> 16u & 255u, v.y >> 24u) - 127.0) / 127.0;\n"
    "  float z = 1.0 - abs(uv.x) - abs(uv.y);\n"
    "  vec2 side = vec2(uv.x < 0.0 ? -1.0 : 1.0, uv.y < 0.0 ? -1.0 : 1.0);\n"
    "  return normalize(vec3(z < 0.0 ? (1.0 - abs(uv.yx)) * side : uv, z));\n"
    "}\n"
    "void show(vec3 p, vec3 n) {\n"
    "  gl_Position = camera * vec4(p + vec3(0, character.w, 0), 1);\n"
    "  float light = max(dot(normalize(n), vec3(0.8, 0.4, 0.45)), 0);\n"
    "  lit = vec3(0.9, 0.85, 0.7) * (0.25 + 0.75 * light);\n"
    "}\n";
static const char upload_text[] =
    "layout(location = 0) in vec3 a; layout(location = 1) in vec3 b;\n"
    "void main() { show(a, b); }\n";
static const char buffers_text[] =
    "layout(location = 0) in uvec2 a; layout(location = 1) in uvec2 b;\n"
    "void main() {\n"
    "  show(mix(position(a), position(b), character.z), mix(normal(a), normal(b), character.z));\n"
    "}\n";
static const char texture_text[] =
    "uniform usamplerBuffer frames; uniform int num_vertices;\n"
    "void main() {\n" // gl_VertexID includes the base vertex of the mesh
    "  uvec2 a = texelFetch(frames, int(character.x) * num_vertices + gl_VertexID).xy;\n"
    "  uvec2 b = texelFetch(frames, int(character.y) * num_vertices + gl_VertexID).xy;\n"
    "  show(mix(position(a), position(b), character.z), mix(normal(a), normal(b), character.z));\n"
    "}\n";
static const char fragment_text[] =
    "#version 330 core\nin vec3 lit; out vec4 c; void main() { c = vec4(lit, 1); }\n";

typedef enum { METHOD_UPLOAD, METHOD_BUFFERS, METHOD_TEXTURE, NUM_METHODS } draw_method;
static const char *const method_names[NUM_METHODS] = {"upload", "buffers", "texture"};
static const char *const method_shaders[NUM_METHODS] = {upload_text, buffers_text, texture_text};

// The cost of an image. Buffer calls are the GL calls that fill buffers or set vertex attributes.
typedef struct cost {
    size_t uploaded_bytes;
    unsigned buffer_calls;
    unsigned draw_calls;
} cost;

static _Noreturn void fail(const char *message)
{
    SDL_Log("%s", message);
    exit(1);
}

// Compiles a shader and adds it to a program. The text of the shader has two parts.
static void add_shader(GLuint program, GLenum kind, const char *first, const char *second)
{
    const char *const texts[2] = {first, second};
    const GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 2, texts, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
}

// Creates the program of one of the three methods. All vertex shaders begin with common_text.
static GLuint create_program(draw_method method)
{
    GLint is_linked = 0;
    const GLuint program = glCreateProgram();
    add_shader(program, GL_VERTEX_SHADER, common_text, method_shaders[method]);
    add_shader(program, GL_FRAGMENT_SHADER, fragment_text, "");
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &is_linked);
    if (!is_linked)
        fail("cannot link the shaders");
    return program;
}

// Returns a camera in front of the row of characters, which face +x.
static md5_mat44 make_camera(md5_bounds bounds)
{
    const md5_vec3 center = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    const float size = md5_vec3_length(md5_vec3_sub(bounds.max, bounds.min));
    const md5_vec3 eye = {center.x + 1.8f * size, center.y, center.z + 0.2f * size};
    const md5_mat44 view = md5_mat44_look_at(eye, center, (md5_vec3){0, 0, 1});
    const md5_depth gl = MD5_DEPTH_MINUS_ONE_TO_ONE;
    const float aspect = (float)WIDTH / (float)HEIGHT;
    return md5_mat44_mul(md5_mat44_perspective(30, aspect, 0.1f * size, 10 * size, gl), view);
}

// Bakes a looping clip: samples it at equal intervals, and stores the skinned vertices of each
// sample.
static md5_baked *bake(const md5_model *model, const md5_binding *binding)
{
    const double duration = binding->anim->duration;
    const uint32_t rounded = (uint32_t)(duration * (double)FRAMES_PER_SECOND + 0.5);
    const uint32_t num_frames = rounded > 0 ? rounded : 1;
    const size_t num_joints = model->skeleton.num_joints;
    md5_xform *pose = calloc(num_joints, sizeof *pose);
    md5_mat34 *palettes = calloc(num_frames * num_joints, sizeof *palettes);
    if (!pose || !palettes)
        fail("out of memory");
    for (uint32_t i = 0; i < num_frames; i++) {
        const md5_sample_position sample =
            md5_sample_position_at(binding->anim, duration * i / num_frames, MD5_WRAP_LOOP);
        md5_pose_palette(binding, sample, MD5_ROOT_IN_PLACE, pose, NULL, palettes + i * num_joints);
    }
    md5_baked *baked = md5_create_baked(model, palettes, num_frames, NULL, NULL);
    free(pose);
    free(palettes);
    return baked;
}

// Returns the two frames that a character shows, and the fraction between them. Each character is
// at another time of the clip.
static md5_sample_position character_sample(const md5_baked *clip, uint32_t character)
{
    const double cycles = 0.33 + 0.37 * character;
    const double frame = (cycles - (uint32_t)cycles) * clip->num_frames;
    const uint32_t frame0 = (uint32_t)frame % clip->num_frames;
    return (md5_sample_position){.frame0 = frame0,
                                 .frame1 = (frame0 + 1) % clip->num_frames,
                                 .fraction = (float)(frame - (uint32_t)frame)};
}

// Returns the value of ATTRIBUTE_CHARACTER for a character. It consists of two frames, the fraction
// between them, and the position of the character in the row.
static md5_vec4 character_values(const md5_baked *clip, uint32_t character, float spacing)
{
    const md5_sample_position sample = character_sample(clip, character);
    const float y = spacing * ((float)character - 0.5f * (NUM_CHARACTERS - 1));
    return (md5_vec4){(float)sample.frame0, (float)sample.frame1, sample.fraction, y};
}

// Draws all meshes. The index buffer and each frame contain the meshes one after the other.
static void draw_meshes(const md5_model *model, uint32_t num_instances, cost *sum)
{
    uint32_t first_index = 0;
    uint32_t first_vertex = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const uint32_t num_indices = 3 * model->meshes[i].num_triangles;
        glDrawElementsInstancedBaseVertex(GL_TRIANGLES, (GLsizei)num_indices, GL_UNSIGNED_INT,
                                          (void *)(first_index * sizeof(uint32_t)),
                                          (GLsizei)num_instances, (GLint)first_vertex);
        first_index += num_indices;
        first_vertex += model->meshes[i].num_vertices;
        sum->draw_calls++;
    }
}

// Sets ATTRIBUTE_CHARACTER for the character that is drawn next.
static void set_character(md5_vec4 values, cost *sum)
{
    glVertexAttrib4f(ATTRIBUTE_CHARACTER, values.x, values.y, values.z, values.w);
    sum->uploaded_bytes += sizeof values;
    sum->buffer_calls++;
}

// Method "upload": for each character, the CPU decodes and interpolates the vertices. Then it
// uploads and draws them.
static void draw_by_upload(const md5_model *model, const md5_baked *clip, float spacing, cost *sum)
{
    const size_t size = clip->num_vertices * sizeof(md5_vec3);
    md5_vec3 *positions = malloc(2 * size);
    GLuint buffer;
    if (!positions)
        fail("out of memory");
    md5_vec3 *normals = positions + clip->num_vertices; // in the same buffer

    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glEnableVertexAttribArray(ATTRIBUTE_A);
    glEnableVertexAttribArray(ATTRIBUTE_B);
    glVertexAttribPointer(ATTRIBUTE_A, 3, GL_FLOAT, 0, sizeof *positions, NULL);
    glVertexAttribPointer(ATTRIBUTE_B, 3, GL_FLOAT, 0, sizeof *normals, (void *)size);

    for (uint32_t i = 0; i < NUM_CHARACTERS; i++) {
        md5_skin_baked(clip, 0, clip->num_vertices, character_sample(clip, i), positions, normals);
        // The GPU may still read the vertices of the previous character, so each one gets new
        // memory.
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(2 * size), NULL, GL_STREAM_DRAW);
        glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)(2 * size), positions);
        sum->uploaded_bytes += 2 * size;
        sum->buffer_calls += 2;
        set_character(character_values(clip, i, spacing), sum);
        draw_meshes(model, 1, sum);
    }
    free(positions);
}

// Uploads all frames. This is done only once, when the model is loaded. Returns the buffer, which
// remains bound to `target`.
static GLuint upload_clip(GLenum target, const md5_baked *clip)
{
    const size_t num_vertices = (size_t)clip->num_frames * clip->num_vertices;
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(target, buffer);
    glBufferData(target, (GLsizeiptr)(num_vertices * sizeof *clip->vertices), clip->vertices,
                 GL_STATIC_DRAW);
    return buffer;
}

// Makes a vertex attribute read the vertices of one frame. The bound buffer contains the frames one
// after the other, so the attribute gets the offset of the frame.
static void set_frame(GLuint attribute, const md5_baked *clip, uint32_t frame, cost *sum)
{
    const size_t frame_size = clip->num_vertices * sizeof *clip->vertices;
    glVertexAttribIPointer(attribute, 2, GL_UNSIGNED_INT, sizeof *clip->vertices,
                           (void *)(frame * frame_size));
    sum->buffer_calls++;
}

// Method "buffers": one buffer contains all frames. For each character, two vertex attributes are
// set to its two frames. The vertex shader interpolates between them.
static void draw_by_buffers(const md5_model *model, const md5_baked *clip, float spacing, cost *sum)
{
    upload_clip(GL_ARRAY_BUFFER, clip);
    glEnableVertexAttribArray(ATTRIBUTE_A);
    glEnableVertexAttribArray(ATTRIBUTE_B);
    for (uint32_t i = 0; i < NUM_CHARACTERS; i++) {
        const md5_sample_position sample = character_sample(clip, i);
        set_frame(ATTRIBUTE_A, clip, sample.frame0, sum);
        set_frame(ATTRIBUTE_B, clip, sample.frame1, sum);
        set_character(character_values(clip, i, spacing), sum);
        draw_meshes(model, 1, sum);
    }
}

// Method "texture": the vertex shader reads the two frames of each instance from a buffer texture.
// One call can therefore draw a mesh for all characters.
static void draw_by_texture(const md5_model *model, const md5_baked *clip, float spacing,
                            GLuint program, cost *sum)
{
    md5_vec4 characters[NUM_CHARACTERS];
    GLuint texture;
    GLuint buffer;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_BUFFER, texture);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RG32UI, upload_clip(GL_TEXTURE_BUFFER, clip));
    glUniform1i(glGetUniformLocation(program, "num_vertices"), (GLint)clip->num_vertices);

    // ATTRIBUTE_CHARACTER advances once per instance.
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glEnableVertexAttribArray(ATTRIBUTE_CHARACTER);
    glVertexAttribPointer(ATTRIBUTE_CHARACTER, 4, GL_FLOAT, 0, sizeof *characters, NULL);
    glVertexAttribDivisor(ATTRIBUTE_CHARACTER, 1);
    for (uint32_t i = 0; i < NUM_CHARACTERS; i++)
        characters[i] = character_values(clip, i, spacing);
    glBufferData(GL_ARRAY_BUFFER, sizeof characters, characters, GL_STREAM_DRAW);
    sum->uploaded_bytes += sizeof characters;
    sum->buffer_calls++;
    draw_meshes(model, NUM_CHARACTERS, sum);
}

// Creates a vertex array whose index buffer contains the indices of all meshes, one after the
// other. The array and the buffer remain bound.
static void create_indices(const md5_model *model)
{
    GLuint array;
    GLuint buffer;
    size_t size = 0;
    size_t offset = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        size += model->meshes[i].num_triangles * 3 * sizeof(uint32_t);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)size, NULL, GL_STATIC_DRAW);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const size_t mesh_size = model->meshes[i].num_triangles * 3 * sizeof(uint32_t);
        glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, (GLintptr)offset, (GLsizeiptr)mesh_size,
                        model->meshes[i].indices);
        offset += mesh_size;
    }
}

// Opens a window with OpenGL 3.3. Its context becomes current.
static void open_window(void)
{
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        fail(SDL_GetError());
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_Window *window = SDL_CreateWindow("vertex_frames", 0, 0, WIDTH, HEIGHT, SDL_WINDOW_OPENGL);
    if (!window || !SDL_GL_CreateContext(window))
        fail(SDL_GetError());
}

// Saves the image in the window to a file. Returns the exit code of the program.
static int save_image(const char *path)
{
    const Uint32 format = SDL_PIXELFORMAT_RGBA32;
    SDL_Surface *image = SDL_CreateRGBSurfaceWithFormat(0, WIDTH, HEIGHT, 32, format);
    if (!image)
        return 1;
    for (int y = 0; y < HEIGHT; y++) // OpenGL returns the bottom row first
        glReadPixels(0, HEIGHT - 1 - y, WIDTH, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                     (Uint8 *)image->pixels + y * image->pitch);
    return SDL_SaveBMP(image, path) == 0 ? 0 : 1;
}

// Returns the method with this name, or NUM_METHODS if there is none.
static draw_method find_method(const char *name)
{
    draw_method method = METHOD_UPLOAD;
    while (method < NUM_METHODS && strcmp(name, method_names[method]) != 0)
        method++;
    return method;
}

// Sets the uniforms of the vertex shader, which are the camera and the range of the baked
// positions.
static void set_uniforms(GLuint program, const md5_baked *clip)
{
    const md5_vec3 low = clip->bounds.min;
    glUniformMatrix4fv(glGetUniformLocation(program, "camera"), 1, 0, make_camera(clip->bounds).m);
    glUniform3f(glGetUniformLocation(program, "low"), low.x, low.y, low.z);
    glUniform3f(glGetUniformLocation(program, "size"), clip->step.x, clip->step.y, clip->step.z);
}

// Bakes the clip, draws the characters by the selected method, and prints the cost.
int main(int argc, char **argv)
{
    const draw_method method = argc == 5 ? find_method(argv[3]) : NUM_METHODS;
    md5_model *model = argc == 5 ? md5_load_model(argv[1], NULL, NULL) : NULL;
    md5_anim *anim = model ? md5_load_anim(argv[2], NULL, NULL) : NULL;
    md5_binding *binding = md5_bind(model, anim, NULL, NULL);
    md5_baked *clip = model && binding ? bake(model, binding) : NULL;
    if (!clip || method == NUM_METHODS)
        fail("usage: vertex_frames MODEL.md5mesh CLIP.md5anim upload|buffers|texture OUTPUT.bmp");

    open_window();
    create_indices(model);
    const GLuint program = create_program(method);
    glUseProgram(program);
    set_uniforms(program, clip);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);

    cost sum = {0, 0, 0};
    const float spacing = 0.9f * (clip->bounds.max.y - clip->bounds.min.y);
    if (method == METHOD_UPLOAD)
        draw_by_upload(model, clip, spacing, &sum);
    else if (method == METHOD_BUFFERS)
        draw_by_buffers(model, clip, spacing, &sum);
    else
        draw_by_texture(model, clip, spacing, program, &sum);
    printf("%s: %u frames, %u vertices; uploaded bytes: %zu, buffer calls: %u, draw calls: %u\n",
           method_names[method], clip->num_frames, clip->num_vertices, sum.uploaded_bytes,
           sum.buffer_calls, sum.draw_calls);
    return save_image(argv[4]);
}
