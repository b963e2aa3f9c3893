// Draws a character without a GPU. md5_skin() computes the vertices. The software renderer of SDL
// 2.0.18 or later draws the triangles with SDL_RenderGeometry(). stb_image.h loads the textures
// from the folder of the model.
//
//   cc own_software.c $(pkg-config --cflags --libs md5model sdl2) -o own_software
//   ./own_software models/bobbin/bobbin.md5mesh models/bobbin/wave.md5anim 0.8 bobbin.bmp
#include <SDL.h>
#include <math.h>
#include <md5model/md5skin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

enum { WIDTH = 480, HEIGHT = 480 };

// One triangle on the screen. The software renderer has no depth buffer, so triangles are sorted
// and drawn from the farthest to the nearest.
typedef struct face {
    float depth;
    SDL_Texture *texture; // NULL if the mesh does not have a texture
    SDL_Vertex corners[3];
} face;

// Orders faces from the farthest to the nearest.
static int compare_depth(const void *a, const void *b)
{
    const float first = ((const face *)a)->depth;
    const float second = ((const face *)b)->depth;
    return (first < second) - (first > second);
}

// Returns a camera in front of the character, which faces +x.
static md5_mat44 make_camera(md5_bounds bounds)
{
    const md5_vec3 center = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    const float size = md5_vec3_length(md5_vec3_sub(bounds.max, bounds.min));
    const md5_vec3 eye = {center.x + 1.6f * size, center.y + 0.7f * size, center.z + 0.3f * size};
    return md5_mat44_mul(md5_mat44_perspective(35, (float)WIDTH / (float)HEIGHT, 0.1f * size,
                                               10 * size, MD5_DEPTH_MINUS_ONE_TO_ONE),
                         md5_mat44_look_at(eye, center, (md5_vec3){0, 0, 1}));
}

// Loads the texture of a mesh from the model's folder. Its file name is the last part of the shader
// name with the extension .png. Returns NULL if the file cannot be read.
static SDL_Texture *load_texture(SDL_Renderer *renderer, const char *model, const char *shader)
{
    char path[1024];
    const char *slash = strrchr(model, '/');
    const char *name = strrchr(shader, '/');
    const int folder = slash ? (int)(slash + 1 - model) : 0;
    int width, height, channels;
    snprintf(path, sizeof path, "%.*s%s.png", folder, model, name ? name + 1 : shader);
    unsigned char *texels = stbi_load(path, &width, &height, &channels, 4);
    if (!texels)
        return NULL;
    SDL_Texture *texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_RGBA32,
                                             SDL_TEXTUREACCESS_STATIC, width, height);
    if (!texture || SDL_UpdateTexture(texture, NULL, texels, 4 * width) != 0)
        exit(1);
    stbi_image_free(texels);
    return texture;
}

// Returns a vertex of a face, lit by the sun.
static SDL_Vertex shade_vertex(md5_vec3 pixel, md5_vec3 normal, md5_vec2 texcoord)
{
    const md5_vec3 sun = {0.8f, 0.4f, 0.45f};
    const float light = fminf(fmaxf(md5_vec3_dot(normal, sun), 0), 1);
    const Uint8 shade = (Uint8)(80 + 175 * light);
    return (SDL_Vertex){
        .position = {pixel.x, pixel.y},
        .color = {shade, shade, shade, 255},
        .tex_coord = {texcoord.x, texcoord.y},
    };
}

// Returns true if the front of a face is visible. In MD5 files, the vertices of a triangle are
// clockwise as seen from the front. Such a face is also clockwise on the screen, where y points
// down.
static bool is_front_face(const face *f)
{
    const SDL_FPoint a = f->corners[0].position;
    const SDL_FPoint b = f->corners[1].position;
    const SDL_FPoint c = f->corners[2].position;
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0;
}

// Computes the corners of a face on the screen. The face shows triangle `triangle` of a mesh.
// Returns false if a corner is behind the camera.
static bool project_triangle(const md5_mesh *mesh, uint32_t triangle, const md5_vec3 *positions,
                             const md5_vec3 *normals, md5_mat44 camera, face *result)
{
    const md5_viewport window = {0, 0, WIDTH, HEIGHT, MD5_DEPTH_MINUS_ONE_TO_ONE};
    for (uint32_t corner = 0; corner < 3; corner++) {
        const uint32_t v = mesh->indices[3 * triangle + corner];
        md5_vec3 pixel = {0};
        if (!md5_mat44_project(camera, window, positions[v], &pixel))
            return false;
        result->depth += pixel.z;
        result->corners[corner] = shade_vertex(pixel, normals[v], mesh->texcoords[v]);
    }
    return true;
}

// Skins a mesh, adds its front faces to `faces`, and returns their number.
static size_t add_mesh(const md5_mesh *mesh, const md5_mat34 *palette, md5_mat44 camera,
                       SDL_Texture *texture, face *faces)
{
    md5_vec3 *positions = malloc((mesh->num_vertices + 1) * sizeof *positions);
    md5_vec3 *normals = malloc((mesh->num_vertices + 1) * sizeof *normals);
    if (!positions || !normals)
        exit(1);
    md5_skin(mesh, palette, positions, normals, NULL);

    size_t count = 0;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        face result = {.texture = texture};
        if (project_triangle(mesh, i, positions, normals, camera, &result)
            && is_front_face(&result))
            faces[count++] = result;
    }
    free(normals);
    free(positions);
    return count;
}

// Draws the faces from the farthest to the nearest.
static void draw_faces(SDL_Renderer *renderer, face *faces, size_t count)
{
    qsort(faces, count, sizeof *faces, compare_depth);
    SDL_SetRenderDrawColor(renderer, 40, 44, 52, 255);
    SDL_RenderClear(renderer);
    for (size_t i = 0; i < count; i++)
        SDL_RenderGeometry(renderer, faces[i].texture, faces[i].corners, 3, NULL, 0);
    SDL_RenderFlush(renderer);
}

// Returns the number of triangles of all meshes.
static size_t count_triangles(const md5_model *model)
{
    size_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        count += model->meshes[i].num_triangles;
    return count;
}

// Draws the posed model. `path` is the file of the model, whose folder contains the textures.
static void draw_model(SDL_Renderer *renderer, const md5_model *model, const md5_mat34 *palette,
                       const char *path)
{
    face *faces = malloc((count_triangles(model) + 1) * sizeof *faces);
    if (!faces)
        exit(1);
    const md5_mat44 camera = make_camera(md5_skin_bounds(model, palette));
    size_t count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *mesh = &model->meshes[i];
        SDL_Texture *texture = load_texture(renderer, path, mesh->shader);
        count += add_mesh(mesh, palette, camera, texture, faces + count);
    }
    draw_faces(renderer, faces, count);
    free(faces);
}

// Poses the model at a time of the clip, draws it, and saves the image.
int main(int argc, char **argv)
{
    if (argc != 5) {
        SDL_Log("usage: own_software MODEL.md5mesh CLIP.md5anim SECONDS OUTPUT.bmp");
        return 2;
    }
    md5_error error = MD5_INIT;
    md5_model *model = md5_load_model(argv[1], NULL, &error);
    md5_anim *anim = md5_load_anim(argv[2], NULL, &error);
    md5_binding *binding = md5_bind(model, anim, NULL, &error);
    if (!model || !binding) {
        SDL_Log("%s:%u: %s", error.file, (unsigned)error.line, error.message);
        return 1;
    }

    // Allocate the pose and the image.
    const size_t num_joints = model->skeleton.num_joints;
    md5_xform *pose = malloc(num_joints * sizeof *pose);
    md5_mat34 *palette = malloc(num_joints * sizeof *palette);
    SDL_Surface *surface =
        SDL_CreateRGBSurfaceWithFormat(0, WIDTH, HEIGHT, 24, SDL_PIXELFORMAT_RGB24);
    SDL_Renderer *renderer = surface ? SDL_CreateSoftwareRenderer(surface) : NULL;
    if (!pose || !palette || !renderer)
        exit(1);

    const double seconds = strtod(argv[3], NULL);
    const md5_sample_position sample = md5_sample_position_at(anim, seconds, MD5_WRAP_LOOP);
    md5_pose_palette(binding, sample, MD5_ROOT_IN_PLACE, pose, NULL, palette);
    draw_model(renderer, model, palette, argv[1]);
    if (SDL_SaveBMP(surface, argv[4]) != 0)
        SDL_Log("%s", SDL_GetError());

    SDL_DestroyRenderer(renderer); // also destroys the textures
    SDL_FreeSurface(surface);
    free(palette);
    free(pose);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return 0;
}
