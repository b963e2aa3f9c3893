// Skinning for bench.c: synthetic meshes with a given number of influences, and models from files.
#ifndef TEST_BENCH_BENCH_SKIN_H
#define TEST_BENCH_BENCH_SKIN_H

#include "md5/md5skin.h"
#include "md5/skin/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SKINNING_VERTICES 5000
#define SKINNING_JOINTS 71

// All meshes of a model with one palette.
typedef struct skinning {
    md5_model *model;
    md5_mat34 *palette;
    md5_dual_quat *dual; // the palette as dual quaternions
    md5i_skin_job *jobs; // [meshes]
    md5_cpu level;
    double num_vertices;
} skinning;

static void write_generated_joints(FILE *to, double positions[SKINNING_JOINTS][3])
{
    fprintf(to, "MD5Version 10\ncommandline \"\"\nnumJoints %d\nnumMeshes 1\njoints {\n",
            SKINNING_JOINTS);
    for (int i = 0; i < SKINNING_JOINTS; i++) {
        positions[i][0] = 1.5 * i - 50.0;
        positions[i][1] = 3.0 * sin(5.0 * i);
        positions[i][2] = 3.0 * cos(7.0 * i);
        fprintf(to, "\"%d\" %d ( %.9g %.9g %.9g ) ( 0 0 0 )\n", i, i - 1, positions[i][0],
                positions[i][1], positions[i][2]);
    }
    fputs("}\n", to);
}

// Writes a tube along a chain of joints. All weights of a vertex have the same point. They use the
// nearest joint and the joints after it, with decreasing biases. If `is_scattered` is true, the
// first joint is random instead, as in a mesh whose vertices have a bad order.
static void write_generated_mesh(FILE *to, int num_influences, bool is_scattered)
{
    double positions[SKINNING_JOINTS][3];
    write_generated_joints(to, positions);
    fprintf(to, "mesh {\nshader \"\"\nnumverts %d\n", SKINNING_VERTICES);
    for (int i = 0; i < SKINNING_VERTICES; i++)
        fprintf(to, "vert %d ( %.6f %d ) %d %d\n", i, 0.01 * i, i % 2, i * num_influences,
                num_influences);
    fprintf(to, "numtris %d\n", SKINNING_VERTICES - 2);
    for (int i = 0; i < SKINNING_VERTICES - 2; i++)
        fprintf(to, "tri %d %d %d %d\n", i, i, i + 1 + i % 2, i + 2 - i % 2);
    fprintf(to, "numweights %d\n", SKINNING_VERTICES * num_influences);
    for (int i = 0; i < SKINNING_VERTICES * num_influences; i++) {
        const int vertex = i / num_influences;
        const int rank = i % num_influences;
        const int first = is_scattered ? vertex * 7919 % SKINNING_VERTICES : vertex;
        const int joint = (first * SKINNING_JOINTS / SKINNING_VERTICES + rank) % SKINNING_JOINTS;
        const double bias =
            2.0 * (num_influences - rank) / (num_influences * (num_influences + 1.0));
        const double x = 106.0 * vertex / SKINNING_VERTICES - 50.0 - positions[joint][0];
        const double y = 5.0 * cos(0.7 * vertex) - positions[joint][1];
        const double z = 5.0 * sin(0.7 * vertex) - positions[joint][2];
        fprintf(to, "weight %d %d %.9g ( %.9g %.9g %.9g )\n", i, joint, bias, x, y, z);
    }
    fputs("}\n", to);
}

static md5_model *generate_model(int num_influences, bool is_scattered)
{
    FILE *const file = tmpfile();
    if (!file)
        return NULL;
    write_generated_mesh(file, num_influences, is_scattered);
    const size_t size = (size_t)ftell(file);
    char *const text = malloc(size);
    rewind(file);
    md5_model *model = NULL;
    if (text && fread(text, 1, size, file) == size)
        model = md5_parse_model(text, size, NULL, NULL);
    free(text);
    fclose(file);
    return model;
}

static void free_skinning(skinning *fixture)
{
    if (fixture->model && fixture->jobs) {
        for (uint32_t i = 0; i < fixture->model->num_meshes; i++) {
            free(fixture->jobs[i].positions);
            free(fixture->jobs[i].normals);
            free(fixture->jobs[i].tangents);
        }
    }
    free(fixture->jobs);
    free(fixture->palette);
    free(fixture->dual);
    md5_free_model(fixture->model);
    *fixture = (skinning){0};
}

// Takes ownership of the model. Every joint is rotated slightly about its own z axis, and some are
// moved along it.
static void make_skinning(skinning *fixture, md5_model *model)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    *fixture = (skinning){.model = model};
    fixture->palette = calloc(num_joints + 1, sizeof *fixture->palette);
    fixture->jobs = calloc(model->num_meshes + 1, sizeof *fixture->jobs);
    fixture->dual = calloc(num_joints + 1, sizeof *fixture->dual);
    if (!fixture->palette || !fixture->dual || !fixture->jobs)
        exit(1);
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_xform rotation = {{0, 0, 0.0998f, -0.995f}, {0, 0, (float)(i % 3)}, 0};
        fixture->palette[i] = md5_mat34_mul(model->bind[i], md5_mat34_from_xform(rotation));
    }
    md5_build_palette(model, fixture->palette, fixture->palette);
    md5_build_dual_palette(fixture->palette, num_joints, fixture->dual);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        md5i_skin_job *const job = &fixture->jobs[i];
        fixture->num_vertices += mesh->num_vertices;
        *job = (md5i_skin_job){.mesh = mesh, .palette = fixture->palette};
        job->positions = calloc(mesh->num_vertices + 1, sizeof *job->positions);
        job->normals = calloc(mesh->num_vertices + 1, sizeof *job->normals);
        job->tangents = calloc(mesh->num_vertices + 1, sizeof *job->tangents);
        if (!job->positions || !job->normals || !job->tangents)
            exit(1);
    }
}

static uint64_t skin_all(const skinning *fixture, bool normals, bool tangents)
{
    uint64_t checksum = 0;
    for (uint32_t i = 0; i < fixture->model->num_meshes; i++) {
        md5i_skin_job job = fixture->jobs[i];
        job.normals = normals ? job.normals : NULL;
        job.tangents = tangents ? job.tangents : NULL;
        md5i_skin_with(fixture->level, &job);
        checksum += job.mesh->num_vertices > 0 && job.positions[0].x > 0.0f;
    }
    return checksum;
}

// Skins all meshes by dual quaternions, with normals.
static uint64_t skin_all_dual(const skinning *fixture)
{
    uint64_t checksum = 0;
    for (uint32_t i = 0; i < fixture->model->num_meshes; i++) {
        md5i_skin_job job = fixture->jobs[i];
        job.duals = fixture->dual;
        job.blend_duals = md5i_blend_duals;
        job.tangents = NULL;
        md5i_skin_with(fixture->level, &job);
        checksum += job.mesh->num_vertices > 0 && job.positions[0].x > 0.0f;
    }
    return checksum;
}

#endif
