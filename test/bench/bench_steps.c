// Runs one operation of libmd5model a given number of times, for test/long/instructions.sh:
// `bench_steps WORK COUNT`. Uses only functions that release 0.3.0 has under the same names, so
// that the script can also link this program with the library of an earlier commit.
#include "md5/md5model.h"
#include "md5/md5skin.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_JOINTS = 128 };

typedef struct bench_text {
    char *bytes;
    size_t size;
} bench_text;

typedef struct bench_steps {
    bench_text mesh, clip;
    md5_model *model;
    md5_xform from[MAX_JOINTS], to[MAX_JOINTS], mixed[MAX_JOINTS];
    float mask[MAX_JOINTS];
    md5_mat34 palette[MAX_JOINTS];
    md5_vec3 *positions, *normals; // size: the largest mesh
    md5_vec4 *tangents;            // size: the largest mesh
} bench_steps;

static void *allocate(size_t count, size_t size)
{
    void *const memory = calloc(count + 1, size);
    if (!memory)
        exit(1);
    return memory;
}

static bench_text read_text(const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "bench_steps: cannot read %s\n", path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    bench_text text = {.size = (size_t)ftell(file)};
    rewind(file);
    text.bytes = allocate(text.size, 1);
    if (fread(text.bytes, 1, text.size, file) != text.size)
        exit(1);
    fclose(file);
    return text;
}

// Poses in which all joints are rotated and moved slightly, and a mask whose weights are 0, values
// in between, and 1.
static void make_poses(bench_steps *steps)
{
    static const md5_quat rotations[] = {
        {0.6f, 0, 0, 0.8f}, {0, 0.28f, 0, 0.96f}, {0, 0, 0.1f, 0.995f}, {0.5f, 0.5f, 0.5f, 0.5f}};
    for (uint32_t i = 0; i < MAX_JOINTS; i++) {
        steps->from[i] = (md5_xform){.rotation = rotations[i % 4], .translation = {(float)i, 0, 1}};
        steps->to[i] = (md5_xform){.rotation = rotations[(i + 1) % 4], .translation = {1, 2, 3}};
        steps->mask[i] = 0.25f * (float)(i % 5);
    }
}

static void make_steps(bench_steps *steps)
{
    steps->mesh = read_text("models/bobbin/bobbin.md5mesh");
    steps->clip = read_text("models/bobbin/walk.md5anim");
    steps->model = md5_parse_model(steps->mesh.bytes, steps->mesh.size, NULL, NULL);
    if (!steps->model || steps->model->skeleton.num_joints > MAX_JOINTS)
        exit(1);
    make_poses(steps);
    md5_local_to_palette(steps->model, steps->from, NULL, steps->palette);
    steps->positions = allocate(steps->model->max_vertices, sizeof *steps->positions);
    steps->normals = allocate(steps->model->max_vertices, sizeof *steps->normals);
    steps->tangents = allocate(steps->model->max_vertices, sizeof *steps->tangents);
}

static void free_steps(bench_steps *steps)
{
    md5_free_model(steps->model);
    free(steps->mesh.bytes);
    free(steps->clip.bytes);
    free(steps->positions);
    free(steps->normals);
    free(steps->tangents);
}

static void read_mesh(bench_steps *steps)
{
    md5_free_model(md5_parse_model(steps->mesh.bytes, steps->mesh.size, NULL, NULL));
}

static void read_clip(bench_steps *steps)
{
    md5_free_anim(md5_parse_anim(steps->clip.bytes, steps->clip.size, NULL, NULL));
}

static void blend(bench_steps *steps, const float *mask, uint32_t num_joints)
{
    md5_blend_poses(steps->from, steps->to, 0.3f, mask, num_joints, steps->mixed);
}

static void blend_2(bench_steps *steps)
{
    blend(steps, NULL, 2);
}

static void blend_20(bench_steps *steps)
{
    blend(steps, NULL, 20);
}

static void blend_79(bench_steps *steps)
{
    blend(steps, NULL, 79);
}

static void blend_masked(bench_steps *steps)
{
    blend(steps, steps->mask, 79);
}

static void compute_palette(bench_steps *steps)
{
    md5_local_to_palette(steps->model, steps->from, NULL, steps->palette);
}

static void skin(bench_steps *steps, md5_vec3 *normals, md5_vec4 *tangents)
{
    for (uint32_t i = 0; i < steps->model->num_meshes; i++)
        md5_skin(&steps->model->meshes[i], steps->palette, steps->positions, normals, tangents);
}

static void skin_positions(bench_steps *steps)
{
    skin(steps, NULL, NULL);
}

static void skin_normals(bench_steps *steps)
{
    skin(steps, steps->normals, NULL);
}

static void skin_tangents(bench_steps *steps)
{
    skin(steps, steps->normals, steps->tangents);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(bench_steps *steps);
    } works[] = {
        {"read-mesh", read_mesh},
        {"read-clip", read_clip},
        {"blend-2", blend_2},
        {"blend-20", blend_20},
        {"blend-79", blend_79},
        {"blend-masked", blend_masked},
        {"local-palette", compute_palette},
        {"skin-positions", skin_positions},
        {"skin-normals", skin_normals},
        {"skin-tangents", skin_tangents},
    };
    static bench_steps steps;
    if (argc != 3) {
        fputs("usage: bench_steps WORK COUNT\n", stderr);
        return 2;
    }
    make_steps(&steps);
    const unsigned long count = strtoul(argv[2], NULL, 10);
    bool is_known = false;
    for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
        if (strcmp(works[i].name, argv[1]) != 0)
            continue;
        is_known = true;
        for (unsigned long step = 0; step < count; step++)
            works[i].run(&steps);
    }
    free_steps(&steps);
    return is_known ? 0 : 2;
}
