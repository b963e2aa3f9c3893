// A small game engine that contains the small form of md5model. Like Quake ports, it has a zone for
// memory, files in packs, its own layouts of bones and vertices, and shaders that skin. The example
// quake_engine.c is the code that connects it to md5model. The program prints one line for each
// loaded model.
//
//   engine BASE MESH ANIM [MESH ANIM ...]    paths within the folder BASE
//
// Settings:
// - ENGINE_ONLY: the engine without md5model.
// - ENGINE_CHECKS: fails if the vertices of the engine's shader differ from the results of
//   md5_skin().
// - ENGINE_BLENDS: also prints a hash of blended poses. Other hashes also contain poses between
//   frames.
// - ENGINE_TIMES: also prints the time to read the text of each mesh and clip, in microseconds. It
//   is the minimum of several measurements.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// -- Memory: a zone that is emptied with each level -----------------------------------------------

enum { ZONE_SIZE = 256 << 20, ZONE_ALIGNMENT = 16 };
static unsigned char *zone;
static size_t zone_used, zone_blocks;

static void *zone_alloc(size_t size)
{
    const size_t aligned_size = (size + ZONE_ALIGNMENT - 1) / ZONE_ALIGNMENT * ZONE_ALIGNMENT;
    if (aligned_size < size || aligned_size > ZONE_SIZE - zone_used)
        return NULL;
    zone_used += aligned_size;
    zone_blocks++;
    return zone + zone_used - aligned_size;
}

static void zone_free(void *memory)
{
    zone_blocks -= memory != NULL;
}

// Allocates memory that remains until the level ends. It is not a block of the zone.
static void *hunk_alloc(size_t size)
{
    void *const memory = zone_alloc(size);
    zone_free(memory);
    return memory;
}

// -- Files: the engine's own ---------------------------------------------------------------------

static const char *base_folder;

static void *read_file(const char *name, size_t *size)
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

// -- Drawing -------------------------------------------------------------------------------------

typedef float bone[3][4];

typedef struct engine_vertex {
    float position[3];
    int8_t normal[4];
    uint8_t joints[4], weights[4];
    float uv[2];
} engine_vertex;

// Computes the position of a vertex like the vertex shader of the engine. Weights are normalized
// bytes.
static void shade(const engine_vertex *in, const bone *bones, float out[3])
{
    for (int row = 0; row < 3; row++) {
        out[row] = 0.0f;
        for (int i = 0; i < 4; i++) {
            const float *const m = bones[in->joints[i]][row];
            out[row] +=
                in->weights[i] / 255.0f
                * (m[0] * in->position[0] + m[1] * in->position[1] + m[2] * in->position[2] + m[3]);
        }
    }
}

static uint32_t hash_bytes(uint32_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return hash;
}

#ifdef ENGINE_ONLY

// Replaces the model, so that the program contains the functions above even without the library.
static bool show(const char *mesh_name, const char *anim_name)
{
    size_t size = 0;
    void *const bytes = hunk_alloc(16);
    zone_free(read_file(mesh_name, &size));
    static const bone bones[4] = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    const engine_vertex v = {{1, 2, 3}, {0, 0, 127, 0}, {0, 0, 0, 0}, {255, 0, 0, 0}, {0, 0}};
    float out[3];
    shade(&v, bones, out);
    printf("%s %s %p %08x %g\n", mesh_name, anim_name, bytes, hash_bytes(2166136261u, &v, sizeof v),
           (double)sqrtf(out[0]));
    return true;
}

static void show_blends(void)
{
}

#else

// -- md5model in the engine ----------------------------------------------------------------------

#define ENGINE
#include "quake_engine.c" // NOLINT(bugprone-suspicious-include)

#ifdef ENGINE_CHECKS
// Checks that the weights of each vertex sum to 255, and that its position equals the result of
// md5_skin(). The tolerance is the sum of three errors: influences that do not fit into four slots
// (md5_pack_loss()), weights that are rounded to multiples of 1/255, and rounding of floats.
static bool check_surface(const md5_model *model, uint32_t index, const engine_vertex *vertices,
                          const bone *bones, const md5_mat34 *joints, const md5_mat34 *palette)
{
    const md5_mesh *const mesh = &model->meshes[index];
    md5_vec3 *const exact = (md5_vec3 *)malloc((mesh->num_vertices + 1) * sizeof *exact);
    if (!exact)
        return false;
    md5_skin(mesh, palette, exact, NULL, NULL);
    const float loss = md5_pack_loss(model, index, 4, joints);
    uint32_t wrong = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const engine_vertex *const fixture = &vertices[v];
        const int sum =
            fixture->weights[0] + fixture->weights[1] + fixture->weights[2] + fixture->weights[3];
        const bool moves = mesh->first_influence[v] < mesh->first_influence[v + 1];
        float drawn[3];
        float far = 0.0f;
        float size = 0.0f;
        shade(fixture, bones, drawn);
        for (int i = 0; i < 4; i++) {
            engine_vertex rigid = *fixture; // the vertex, moved by only one of its joints
            float to[3];
            memset(rigid.weights, 0, sizeof rigid.weights);
            rigid.joints[0] = fixture->joints[i];
            rigid.weights[0] = fixture->weights[i] > 0 ? 255 : 0;
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

// Compares three frames of the loaded model with the result of the library for the same files.
static bool check_alias(const alias *a, const char *mesh_name, const char *anim_name)
{
    md5_load_opts opts;
    memset(&opts, 0, sizeof opts);
    opts.files.open = md5_open;
    opts.files.close = md5_close;
    opts.skip_geometry = MD5_GEOMETRY_TANGENTS | MD5_GEOMETRY_SKIN_PLANS;
    md5_model *const model = md5_load_model(mesh_name, &opts, NULL);
    md5_anim *const anim = md5_load_anim(anim_name, &opts, NULL);
    md5_binding *const binding = md5_bind(model, anim, NULL, NULL);
    md5_xform *const pose = (md5_xform *)hunk_alloc(a->num_bones * sizeof *pose);
    md5_mat34 *const joints = (md5_mat34 *)hunk_alloc(a->num_bones * sizeof *joints);
    md5_mat34 *const palette = (md5_mat34 *)hunk_alloc(a->num_bones * sizeof *palette);
    bool is_good = binding && pose && joints && palette;
    for (uint32_t frame = 0; frame < a->num_frames && frame < 3 && is_good; frame++) {
        md5_pose_palette(binding, md5_sample_position_from_frames(anim, frame, frame, 0),
                         MD5_ROOT_FILE, pose, joints, palette);
        for (uint32_t i = 0; i < a->num_surfaces && is_good; i++)
            is_good = check_surface(model, i, a->surfaces[i].vertices,
                                    a->bones + (size_t)frame * a->num_bones, joints, palette);
    }
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return is_good;
}
#else
static bool check_alias(const alias *a, const char *mesh_name, const char *anim_name)
{
    (void)a;
    (void)mesh_name;
    (void)anim_name;
    return true;
}
#endif

#ifdef ENGINE_BLENDS
// Random poses, blended by weights below 0 to above 1, for all joints and for each of them.
static void show_blends(void)
{
    enum { JOINTS = 37, ROUNDS = 64 };
    uint32_t seed = 1;
    uint32_t hash = 2166136261u;
    for (int round = 0; round < ROUNDS; round++) {
        md5_xform poses[2][JOINTS], blend[JOINTS];
        float weights[JOINTS + 1];
        for (int i = 0; i < 2 * JOINTS * 8 + JOINTS + 1; i++) {
            seed = seed * 1664525u + 1013904223u;
            const float number = (float)(seed >> 8) / 8388608.0f - 1.0f;
            memcpy(i < 2 * JOINTS * 8 ? (char *)poses + i * sizeof number
                                      : (char *)&weights[i - 2 * JOINTS * 8],
                   &number, sizeof number);
        }
        for (int i = 0; i < 2 * JOINTS; i++) {
            md5_quat *const q = &poses[i / JOINTS][i % JOINTS].rotation;
            const float length = sqrtf(q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w);
            q->x /= length;
            q->y /= length;
            q->z /= length;
            q->w /= length;
        }
        for (int i = 0; i <= JOINTS; i++)
            weights[i] = 0.5f + weights[i];
        md5_blend_poses(poses[0], poses[1], weights[JOINTS], round % 2 ? weights : NULL,
                        (uint32_t)(1 + round % JOINTS), blend);
        hash = hash_bytes(hash, blend, (size_t)(1 + round % JOINTS) * sizeof *blend);
    }
    printf("blends: hash %08x\n", (unsigned)hash);
}

// Adds poses between the frames of a clip to a hash, in each interpolation of small/.
static uint32_t hash_samples(uint32_t hash, const char *mesh_name, const char *anim_name)
{
    enum { SAMPLES = 20 };
    static const md5_interpolation interpolations[] = {MD5_INTERPOLATE_LINEAR, MD5_INTERPOLATE_STEP,
                                                       MD5_INTERPOLATE_NLERP};
    md5_load_opts opts;
    memset(&opts, 0, sizeof opts);
    opts.files.open = md5_open;
    opts.files.close = md5_close;
    skip_parts(&opts);
    md5_model *const model = md5_load_model(mesh_name, &opts, NULL);
    md5_anim *const anim = md5_load_anim(anim_name, &opts, NULL);
    md5_binding *const binding = model && anim ? md5_bind(model, anim, &opts, NULL) : NULL;
    const uint32_t num_joints = binding ? model->skeleton.num_joints : 0;
    md5_xform *const pose = (md5_xform *)malloc((num_joints + 1) * sizeof *pose);
    md5_mat34 *const joints = (md5_mat34 *)malloc((num_joints + 1) * sizeof *joints);
    if (binding && pose && joints) {
        for (int i = 0; i < 3 * SAMPLES; i++) {
            md5_sample_position sample =
                md5_sample_position_at(anim, i * 0.0137, (md5_wrap)(i % 3));
            sample.interpolation = interpolations[i / SAMPLES];
            md5_sample(binding, sample, (md5_root)(i / 3 % 3), pose);
            md5_local_to_model(&model->skeleton, pose, joints);
            const md5_vec3 motion =
                md5_anim_root_motion(anim, md5_sample_position_at(anim, 0, MD5_WRAP_LOOP), sample);
            hash = hash_bytes(hash, pose, num_joints * sizeof *pose);
            hash = hash_bytes(hash, joints, num_joints * sizeof *joints);
            hash = hash_bytes(hash, &motion, sizeof motion);
        }
    }
    free(joints);
    free(pose);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return hash;
}
#else
static void show_blends(void)
{
}

static uint32_t hash_samples(uint32_t hash, const char *mesh_name, const char *anim_name)
{
    (void)mesh_name;
    (void)anim_name;
    return hash;
}
#endif

#ifdef ENGINE_TIMES
// Returns the time to read a mesh or a clip with the data that engines need, or 0 if the file is
// rejected.
static double measure_reading(const char *name, bool is_mesh)
{
    enum { SAMPLES = 9, READS = 8 };
    size_t size = 0;
    void *const text = read_file(name, &size);
    md5_load_opts opts;
    memset(&opts, 0, sizeof opts);
    skip_parts(&opts);
    double shortest = 0.0;
    if (text) {
        for (int sample = 0; sample < SAMPLES; sample++) {
            const clock_t start = clock();
            for (int read = 0; read < READS; read++) {
                md5_model *const model = is_mesh ? md5_parse_model(text, size, &opts, NULL) : NULL;
                md5_anim *const anim = is_mesh ? NULL : md5_parse_anim(text, size, &opts, NULL);
                const bool is_read = model || anim;
                md5_free_model(model);
                md5_free_anim(anim);
                if (!is_read)
                    return 0.0;
            }
            const double time = (double)(clock() - start) * 1e6 / CLOCKS_PER_SEC / READS;
            shortest = sample == 0 || time < shortest ? time : shortest;
        }
    }
    zone_free(text);
    return shortest;
}

static void print_times(const char *mesh_name, const char *anim_name)
{
    printf("times: %.1f %.1f\n", measure_reading(mesh_name, true),
           measure_reading(anim_name, false));
}
#else
static void print_times(const char *mesh_name, const char *anim_name)
{
    (void)mesh_name;
    (void)anim_name;
}
#endif

// Loads a mesh with a clip, and prints its counts and a hash of its bones, vertices and samples.
// Returns false if a check of the loaded data fails.
static bool show(const char *mesh_name, const char *anim_name)
{
    alias a;
    char text[600];
    uint32_t hash = 2166136261u;
    if (!load_alias(mesh_name, anim_name, &a, text)) {
        printf("%s %s: refused: %s\n", mesh_name, anim_name, text);
        return true;
    }
    hash = hash_bytes(hash, a.bones, sizeof *a.bones * a.num_bones * a.num_frames);
    for (uint32_t i = 0; i < a.num_surfaces; i++) {
        const surface *const s = &a.surfaces[i];
        hash = hash_bytes(hash, s->vertices, s->num_vertices * sizeof *s->vertices);
        hash = hash_bytes(hash, s->indices, s->num_indices * sizeof *s->indices);
        for (uint32_t v = 0; v < s->num_vertices; v++) {
            float drawn[3];
            shade(&s->vertices[v], a.bones, drawn);
            hash = hash_bytes(hash, drawn, sizeof drawn);
        }
    }
    hash = hash_samples(hash, mesh_name, anim_name);
    printf("%s %s: %u joints, %u meshes, hash %08x\n", mesh_name, anim_name, (unsigned)a.num_bones,
           (unsigned)a.num_surfaces, (unsigned)hash);
    print_times(mesh_name, anim_name);
    return check_alias(&a, mesh_name, anim_name);
}

#endif

int main(int argc, char **argv)
{
    bool is_good = argc >= 4;
    zone = (unsigned char *)malloc(ZONE_SIZE);
    base_folder = argc > 1 ? argv[1] : ".";
    show_blends();
    if (zone) {
        for (int i = 2; i + 1 < argc; i += 2) {
            zone_used = zone_blocks = 0;
            is_good = show(argv[i], argv[i + 1]) && is_good;
            if (zone_blocks != 0)
                printf("%u blocks of the zone are left\n", (unsigned)zone_blocks);
            is_good = is_good && zone_blocks == 0;
        }
    }
    return zone && is_good ? 0 : 1;
}
