// A game engine in small, to which md5model was added as its archive has it: as Quake ports are
// built, with a zone for memory, files from packs, its own layouts of bones and vertices, frames by
// number, and shaders that skin. Prints what it loaded, one line each, and fails if what its shader
// computes is not what md5_skin() says.
//
//   engine BASE MESH ANIM [MESH ANIM ...]    paths within the folder BASE
//
// -DENGINE_ONLY: the engine before md5model came; -DENGINE_CHECKS: with md5_skin() to compare with.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ENGINE_ONLY
#include "md5skin.h"
#endif

// -- Memory: a zone that is emptied with each level -----------------------------------------------

enum { ZONE_SIZE = 256 << 20, ZONE_ALIGNMENT = 16 };
static unsigned char *zone;
static size_t zone_used, zone_blocks;

static void *zone_alloc(size_t size)
{
    const size_t whole = (size + ZONE_ALIGNMENT - 1) / ZONE_ALIGNMENT * ZONE_ALIGNMENT;
    if (whole < size || whole > ZONE_SIZE - zone_used)
        return NULL;
    zone_used += whole;
    zone_blocks++;
    return zone + zone_used - whole;
}

// -- Files: the engine's own ---------------------------------------------------------------------

static const char *base_folder;

static unsigned char *read_file(const char *name, size_t *size)
{
    char path[1024];
    if (snprintf(path, sizeof path, "%s/%s", base_folder, name) >= (int)sizeof path)
        return NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = (unsigned char *)zone_alloc(*size + 1);
    if (bytes)
        *size = fread(bytes, 1, *size, file);
    fclose(file);
    return bytes;
}

// -- What it draws -------------------------------------------------------------------------------

typedef struct bone {
    float m[3][4];
} bone;

typedef struct vertex {
    float position[3];
    int8_t normal[4];
    uint8_t joints[4], weights[4];
    float uv[2];
} vertex;

// The vertex shader: weights are normalized bytes.
static void shade(const vertex *in, const bone *bones, float out[3])
{
    for (int row = 0; row < 3; row++) {
        out[row] = 0.0f;
        for (int i = 0; i < 4; i++) {
            const float *const m = bones[in->joints[i]].m[row];
            out[row] +=
                in->weights[i] / 255.0f
                * (m[0] * in->position[0] + m[1] * in->position[1] + m[2] * in->position[2] + m[3]);
        }
    }
}

static uint32_t hash_of(uint32_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return hash;
}

#ifdef ENGINE_ONLY

// What stands for a model: so that everything above is in the program.
static bool show(const char *mesh_name, const char *anim_name)
{
    size_t size = 0;
    const unsigned char *const bytes = read_file(mesh_name, &size);
    static const bone bones[4] = {{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}};
    const vertex v = {{1, 2, 3}, {0, 0, 127, 0}, {0, 0, 0, 0}, {255, 0, 0, 0}, {0, 0}};
    float out[3];
    shade(&v, bones, out);
    printf("%s %s %p %08x %g\n", mesh_name, anim_name, (const void *)bytes,
           hash_of(2166136261u, &v, sizeof v), (double)sqrtf(out[0]));
    return true;
}

#else

// -- md5model in the engine ----------------------------------------------------------------------

static void *md5_zone_alloc(void *user, size_t size)
{
    (void)user;
    return zone_alloc(size);
}

static void md5_zone_free(void *user, void *memory, size_t size)
{
    (void)user, (void)memory, (void)size;
    zone_blocks--;
}

static const void *open_file(void *user, const char *path, size_t *size, md5_error *error)
{
    const void *const bytes = read_file(path, size);
    (void)user;
    if (!bytes)
        snprintf(error->message, sizeof error->message, "not in the pack");
    return bytes;
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    zone_blocks--;
}

static bool fill_vertices(const md5_mesh *mesh, vertex *vertices)
{
    md5_pack_job job;
    memset(&job, 0, sizeof job);
    job.mesh = mesh;
    job.format = MD5_PACK_BYTES;
    job.joints = vertices->joints;
    job.weights = vertices->weights;
    job.joint_stride = job.weight_stride = sizeof *vertices;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vec3 p = mesh->positions[v], n = mesh->normals[v];
        vertex *const to = &vertices[v];
        to->position[0] = p.x, to->position[1] = p.y, to->position[2] = p.z;
        to->normal[0] = (int8_t)lrintf(127.0f * n.x);
        to->normal[1] = (int8_t)lrintf(127.0f * n.y);
        to->normal[2] = (int8_t)lrintf(127.0f * n.z);
        to->normal[3] = 0;
        to->uv[0] = mesh->texcoords[v].x, to->uv[1] = mesh->texcoords[v].y;
    }
    return md5_pack_influences(&job);
}

#ifdef ENGINE_CHECKS
// Every vertex has weights of sum 255, and is where md5_skin() has it: but for what four slots
// cannot hold (md5_pack_loss()), weights that are rounded to a 255th, each by less than one, and
// floats.
static bool check_mesh(const md5_model *model, uint32_t index, const vertex *vertices,
                       const bone *bones, const md5_mat34 *joints)
{
    const md5_mesh *const mesh = &model->meshes[index];
    md5_vec3 *const exact = (md5_vec3 *)malloc((mesh->num_vertices + 1) * sizeof *exact);
    if (!exact)
        return false;
    md5_skin(mesh, (const md5_mat34 *)(const void *)bones, exact, NULL, NULL);
    const float loss = md5_pack_loss(model, index, 4, joints);
    uint32_t wrong = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const vertex *const of = &vertices[v];
        const int sum = of->weights[0] + of->weights[1] + of->weights[2] + of->weights[3];
        const bool moves = mesh->first_influence[v] < mesh->first_influence[v + 1];
        float drawn[3], far = 0.0f, size = 0.0f;
        shade(of, bones, drawn);
        for (int i = 0; i < 4; i++) {
            vertex rigid = *of; // where one of its joints alone has it
            float to[3];
            memset(rigid.weights, 0, sizeof rigid.weights);
            rigid.joints[0] = of->joints[i];
            rigid.weights[0] = of->weights[i] > 0 ? 255 : 0;
            shade(&rigid, bones, to);
            const float away = hypotf(hypotf(to[0] - drawn[0], to[1] - drawn[1]), to[2] - drawn[2]);
            far = rigid.weights[0] && away > far ? away : far;
            size = fmaxf(size, fabsf(to[0]) + fabsf(to[1]) + fabsf(to[2]));
        }
        const float error =
            hypotf(hypotf(drawn[0] - exact[v].x, drawn[1] - exact[v].y), drawn[2] - exact[v].z);
        const bool is_good =
            sum == (moves ? 255 : 0)
            && (!moves || error <= loss + 4.0f / 255.0f * far + 1e-5f * (1.0f + size));
        if (!is_good && wrong++ == 0)
            printf("mesh %u vertex %u: sum %d, error %g, loss %g, joints apart %g\n",
                   (unsigned)index, (unsigned)v, sum, (double)error, (double)loss, (double)far);
    }
    free(exact);
    return wrong == 0;
}
#endif

static bool show_model(const md5_model *model, const md5_binding *binding, uint32_t *hash)
{
    const uint32_t num_joints = model->skeleton.num_joints, last = binding->anim->num_frames - 1;
    vertex *const vertices = (vertex *)zone_alloc((model->max_vertices + 1) * sizeof *vertices);
    bone *const bones = (bone *)zone_alloc(num_joints * sizeof *bones);
    md5_xform *const pose = (md5_xform *)zone_alloc(num_joints * sizeof *pose);
    md5_mat34 *const joints = (md5_mat34 *)zone_alloc(num_joints * sizeof *joints);
    bool is_good = vertices && bones && pose && joints;
    // As the game says: between the frames that the server sent.
    for (uint32_t frame = 0; frame < last + 2 && frame < 3 && is_good; frame++) {
        const md5_moment moment =
            md5_moment_from_frames(binding->anim, frame, frame < last ? frame + 1 : 0, 0.4f);
        md5_pose_palette(binding, moment, MD5_ROOT_ID, pose, joints, (md5_mat34 *)(void *)bones);
        *hash = hash_of(*hash, bones, num_joints * sizeof *bones);
        for (uint32_t m = 0; m < model->num_meshes && is_good; m++) {
            const md5_mesh *const mesh = &model->meshes[m];
            memset(vertices, 0, mesh->num_vertices * sizeof *vertices);
            if (!fill_vertices(mesh, vertices)) {
                printf("mesh %u has joints above 255\n", (unsigned)m);
                continue;
            }
            *hash = hash_of(*hash, vertices, mesh->num_vertices * sizeof *vertices);
            *hash = hash_of(*hash, mesh->indices,
                            3 * sizeof *mesh->indices * (size_t)mesh->num_triangles);
            for (uint32_t v = 0; v < mesh->num_vertices; v++) {
                float drawn[3];
                shade(&vertices[v], bones, drawn);
                *hash = hash_of(*hash, drawn, sizeof drawn);
            }
#ifdef ENGINE_CHECKS
            is_good = check_mesh(model, m, vertices, bones, joints);
#endif
        }
    }
    zone_blocks -= 4;
    return is_good;
}

static bool show(const char *mesh_name, const char *anim_name)
{
    md5_load_opts opts;
    md5_error error;
    memset(&opts, 0, sizeof opts);
    memset(&error, 0, sizeof error);
    opts.allocator.alloc = md5_zone_alloc;
    opts.allocator.free = md5_zone_free;
    opts.files.open = open_file;
    opts.files.close = close_file;
    opts.normals = MD5_NORMALS_AREA;
    opts.flip_v = true;
    opts.without = MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS | MD5_PART_LOSSES;
    md5_model *const model = md5_load_model(mesh_name, &opts, &error);
    md5_anim *const anim = !model ? NULL : md5_load_anim(anim_name, &opts, &error);
    md5_binding *const binding = md5_bind(model, anim, &opts, &error);
    uint32_t hash = 2166136261u;
    const bool is_good = !binding || show_model(model, binding, &hash);
    if (binding)
        printf("%s %s: %u joints, %u meshes, hash %08x\n", mesh_name, anim_name,
               (unsigned)model->skeleton.num_joints, (unsigned)model->num_meshes, (unsigned)hash);
    else
        printf("%s %s: refused: %s:%u: %s\n", mesh_name, anim_name, error.file,
               (unsigned)error.line, error.message);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return is_good;
}

#endif

int main(int argc, char **argv)
{
    bool is_good = argc >= 4;
    zone = (unsigned char *)malloc(ZONE_SIZE);
    base_folder = argc > 1 ? argv[1] : ".";
    for (int i = 2; i + 1 < argc && zone; i += 2) {
        zone_used = zone_blocks = 0;
        is_good = show(argv[i], argv[i + 1]) && is_good;
#ifndef ENGINE_ONLY
        if (zone_blocks != 0)
            printf("%u blocks of the zone are left\n", (unsigned)zone_blocks);
        is_good = is_good && zone_blocks == 0;
#endif
    }
    return zone && is_good ? 0 : 1;
}
