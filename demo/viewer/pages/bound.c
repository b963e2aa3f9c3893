#include "demo/viewer/pages/bound.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Weights --------------------------------------------------------------------------------

static bool is_special(const char *name)
{
    static const char *const words[] = {"prop", "eye", "lid", "belly", "cheek", "tongue", "twist"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (common_contains(name, words[i]))
            return true;
    return false;
}

md5_weights *view_bind_weights(const md5_model *model, md5_weights_desc desc, md5_error *error)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    size_t num_positions = 0, num_indices = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        num_positions += model->meshes[i].num_vertices;
        num_indices += 3 * (size_t)model->meshes[i].num_triangles;
    }
    md5_vec3 *const positions = common_alloc(num_positions, sizeof *positions);
    uint32_t *const indices = common_alloc(num_indices, sizeof *indices);
    bool *const excluded = common_alloc(num_joints, sizeof *excluded);
    uint32_t first = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        memcpy(positions + first, mesh->positions, mesh->num_vertices * sizeof *positions);
        for (uint32_t k = 0; k < 3 * mesh->num_triangles; k++)
            indices[at++] = first + mesh->indices[k];
        first += mesh->num_vertices;
    }
    for (uint32_t i = 0; i < num_joints; i++)
        excluded[i] = is_special(model->skeleton.joints[i].name);
    desc.positions = positions;
    desc.num_positions = first;
    desc.indices = indices;
    desc.num_triangles = (uint32_t)(num_indices / 3);
    desc.skeleton = &model->skeleton;
    desc.bind = model->bind;
    desc.excluded = excluded;
    md5_weights *const weights = md5_make_weights(&desc, NULL, error);
    free(positions);
    free(indices);
    free(excluded);
    return weights;
}

// -- Model ----------------------------------------------------------------------------------

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

enum { LINE = 512 }; // bytes of a line, at the most

// Where the next line goes: LINE bytes.
static char *next(text *to)
{
    if (to->room - to->size < LINE) {
        to->room = 2 * to->room + 65536;
        to->bytes = common_realloc(to->bytes, to->room, 1);
    }
    return to->bytes + to->size;
}

// Adds what snprintf() wrote to next().
static void add(text *to, int size)
{
    to->size += size > 0 && size < LINE ? (size_t)size : 0;
}

static void write_joints(text *to, const md5_model *model)
{
    add(to, snprintf(next(to), LINE,
                     "MD5Version 10\ncommandline \"\"\n\nnumJoints %u\nnumMeshes %u\n\njoints {\n",
                     model->skeleton.num_joints, model->num_meshes));
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        const md5_joint *const joint = &model->skeleton.joints[i];
        md5_xform at = md5_xform_from_mat34(model->bind[i]);
        // The file leaves w out, which is negative there.
        const float sign = at.rotation.w > 0.0f ? -1.0f : 1.0f;
        add(to, snprintf(next(to), LINE, "\t\"%.300s\" %d ( %.9g %.9g %.9g ) ( %.9g %.9g %.9g )\n",
                         joint->name, (int)joint->parent, (double)at.translation.x,
                         (double)at.translation.y, (double)at.translation.z,
                         (double)(sign * at.rotation.x), (double)(sign * at.rotation.y),
                         (double)(sign * at.rotation.z)));
    }
    add(to, snprintf(next(to), LINE, "}\n"));
}

static void write_mesh(text *to, const md5_mesh *mesh, const md5_weights *weights, uint32_t first)
{
    uint32_t num_weights = 0;
    add(to, snprintf(next(to), LINE, "\nmesh {\n\tshader \"%.300s\"\n\n\tnumverts %u\n",
                     mesh->shader, mesh->num_vertices));
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const uint32_t count = weights->vertices[first + v].num_weights;
        add(to, snprintf(next(to), LINE, "\tvert %u ( %.9g %.9g ) %u %u\n", v,
                         (double)mesh->texcoords[v].x, (double)mesh->texcoords[v].y, num_weights,
                         count));
        num_weights += count;
    }
    add(to, snprintf(next(to), LINE, "\n\tnumtris %u\n", mesh->num_triangles));
    for (uint32_t t = 0; t < mesh->num_triangles; t++)
        add(to, snprintf(next(to), LINE, "\ttri %u %u %u %u\n", t, mesh->indices[3 * t],
                         mesh->indices[3 * t + 1], mesh->indices[3 * t + 2]));
    add(to, snprintf(next(to), LINE, "\n\tnumweights %u\n", num_weights));
    uint32_t at = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vertex vertex = weights->vertices[first + v];
        for (uint32_t i = 0; i < vertex.num_weights; i++) {
            const md5_weight *const weight = &weights->weights[vertex.first_weight + i];
            add(to, snprintf(next(to), LINE, "\tweight %u %u %.9g ( %.9g %.9g %.9g )\n", at++,
                             weight->joint, (double)weight->bias, (double)weight->offset.x,
                             (double)weight->offset.y, (double)weight->offset.z));
        }
    }
    add(to, snprintf(next(to), LINE, "}\n"));
}

md5_model *view_bound_model(const md5_model *model, const md5_weights *weights, md5_error *error)
{
    text file = {.bytes = NULL};
    uint32_t first = 0;
    write_joints(&file, model);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        write_mesh(&file, &model->meshes[i], weights, first);
        first += model->meshes[i].num_vertices;
    }
    md5_model *const bound = md5_parse_model(file.bytes, file.size, NULL, error);
    free(file.bytes);
    return bound;
}
