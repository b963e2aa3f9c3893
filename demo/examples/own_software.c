// Draws without a GPU: vertices from md5_skin(), triangles by SDL's software renderer.
//
//   cc own_software.c $(pkg-config --cflags --libs md5model sdl2) -lm -o own_software
//   ./own_software models/bobbin/bobbin.md5mesh models/bobbin/wave.md5anim 0.8 bobbin.bmp
#include <SDL.h>
#include <math.h>
#include <md5model/md5skin.h>
#include <stdlib.h>

enum { WIDTH = 480, HEIGHT = 480 };

// One triangle on the screen. The software renderer has no depth: far ones are drawn first.
typedef struct face {
    float depth;
    SDL_Vertex corners[3];
} face;

static int compare_depth(const void *a, const void *b)
{
    const float first = ((const face *)a)->depth, second = ((const face *)b)->depth;
    return (first < second) - (first > second);
}

// A camera in front of the character, which faces +x.
static md5_mat44 make_camera(md5_bounds bounds)
{
    const md5_vec3 centre = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    const float size = md5_vec3_length(md5_vec3_sub(bounds.max, bounds.min));
    const md5_vec3 eye = {centre.x + 1.6f * size, centre.y + 0.7f * size, centre.z + 0.3f * size};
    return md5_mat44_mul(md5_mat44_perspective(35, (float)WIDTH / HEIGHT, 0.1f * size, 10 * size,
                                               MD5_DEPTH_MINUS_ONE_TO_ONE),
                         md5_mat44_look_at(eye, centre, (md5_vec3){0, 0, 1}));
}

static SDL_Vertex project(const md5_mat44 *camera, md5_vec3 p, md5_vec3 normal, float *depth)
{
    const float *m = camera->m; // column-major
    const float w = m[3] * p.x + m[7] * p.y + m[11] * p.z + m[15];
    const float x = (m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12]) / w;
    const float y = (m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13]) / w;
    const float light = fmaxf(0.8f * normal.x + 0.4f * normal.y + 0.45f * normal.z, 0);
    const Uint8 shade = (Uint8)(50 + 190 * fminf(light, 1));
    *depth += w;
    return (SDL_Vertex){.position = {(x + 1) * WIDTH / 2, (1 - y) * HEIGHT / 2},
                        .color = {shade, shade, (Uint8)(shade / 4 * 3), 255}};
}

// Adds the triangles that are seen from outside, and returns how many: id's are clockwise.
static size_t add_mesh(const md5_mesh *mesh, const md5_mat34 *palette, const md5_mat44 *camera,
                       face *faces)
{
    md5_vec3 *positions = malloc((mesh->num_vertices + 1) * sizeof *positions);
    md5_vec3 *normals = malloc((mesh->num_vertices + 1) * sizeof *normals);
    size_t count = 0;
    if (!positions || !normals)
        exit(1);
    md5_skin(mesh, palette, positions, normals, NULL);
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        face made = {0};
        for (int c = 0; c < 3; c++) {
            const uint32_t v = mesh->indices[3 * i + (uint32_t)c];
            made.corners[c] = project(camera, positions[v], normals[v], &made.depth);
        }
        const SDL_FPoint a = made.corners[0].position, b = made.corners[1].position,
                         c = made.corners[2].position;
        if ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0) // y points down here
            faces[count++] = made;
    }
    free(normals);
    free(positions);
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        SDL_Log("usage: own_software MODEL.md5mesh CLIP.md5anim SECONDS OUTPUT.bmp");
        return 2;
    }
    md5_error error = {0};
    md5_model *model = md5_load_model(argv[1], NULL, &error);
    md5_anim *anim = md5_load_anim(argv[2], NULL, &error);
    md5_binding *binding = md5_bind(model, anim, NULL, &error);
    if (!model || !binding) {
        SDL_Log("%s:%u: %s", error.file, (unsigned)error.line, error.message);
        return 1;
    }
    size_t num_triangles = 1, num_joints = model->skeleton.num_joints, count = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        num_triangles += model->meshes[i].num_triangles;
    md5_xform *pose = malloc(num_joints * sizeof *pose);
    md5_mat34 *palette = malloc(num_joints * sizeof *palette);
    face *faces = malloc(num_triangles * sizeof *faces);
    SDL_Surface *surface =
        SDL_CreateRGBSurfaceWithFormat(0, WIDTH, HEIGHT, 24, SDL_PIXELFORMAT_RGB24);
    SDL_Renderer *renderer = surface ? SDL_CreateSoftwareRenderer(surface) : NULL;
    if (!pose || !palette || !faces || !renderer)
        exit(1);
    const md5_moment moment = md5_moment_at(anim, strtod(argv[3], NULL), MD5_WRAP_LOOP);
    md5_pose_palette(binding, moment, MD5_ROOT_IN_PLACE, pose, NULL, palette);
    const md5_mat44 camera = make_camera(md5_skin_bounds(model, palette));
    for (uint32_t i = 0; i < model->num_meshes; i++)
        count += add_mesh(&model->meshes[i], palette, &camera, faces + count);
    qsort(faces, count, sizeof *faces, compare_depth);
    SDL_SetRenderDrawColor(renderer, 40, 44, 52, 255);
    SDL_RenderClear(renderer);
    for (size_t i = 0; i < count; i++)
        SDL_RenderGeometry(renderer, NULL, faces[i].corners, 3, NULL, 0);
    SDL_RenderFlush(renderer);
    if (SDL_SaveBMP(surface, argv[4]) != 0)
        SDL_Log("%s", SDL_GetError());
    SDL_DestroyRenderer(renderer);
    SDL_FreeSurface(surface);
    free(faces), free(palette), free(pose);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return 0;
}
