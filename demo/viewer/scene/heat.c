#include "demo/viewer/scene/heat.h"

#include "demo/common/memory.h"

#include <stdlib.h>

md5_vec4 view_heat_color(float value)
{
    static const md5_vec4 stops[5] = {{0.02f, 0.06f, 0.55f, 1.0f},
                                      {0.01f, 0.40f, 0.72f, 1.0f},
                                      {0.06f, 0.58f, 0.08f, 1.0f},
                                      {0.91f, 0.64f, 0.04f, 1.0f},
                                      {0.83f, 0.04f, 0.02f, 1.0f}};
    if (!(value > 0.0f))
        return (md5_vec4){0.12f, 0.13f, 0.15f, 1.0f};
    const float place = 4.0f * (value < 1.0f ? value : 1.0f);
    int low = 0;
    while (low < 3 && place >= (float)(low + 1))
        low++;
    const float part = place - (float)low;
    const md5_vec4 a = stops[low], b = stops[low + 1];
    return (md5_vec4){a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, a.z + (b.z - a.z) * part,
                      1.0f};
}

static float weight_on(const md5_mesh *mesh, uint32_t vertex, int32_t joint)
{
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++)
        if ((int32_t)mesh->influence_joints[i] == joint)
            return mesh->influences[i].w;
    return 0.0f;
}

static uint32_t num_influences(const md5_mesh *mesh, uint32_t vertex)
{
    return mesh->first_influence[vertex + 1] - mesh->first_influence[vertex];
}

bool view_make_heat(view_heat *heat, md5gl_renderer *renderer, const md5_model *model,
                    const float *values, int32_t joint, md5_error *error)
{
    size_t total = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++)
        total += model->meshes[i].num_vertices;
    heat->model = common_alloc(1, sizeof *heat->model);
    heat->meshes = common_alloc(model->num_meshes, sizeof *heat->meshes);
    heat->colors = common_alloc(total, sizeof *heat->colors);
    *heat->model = *model;
    heat->model->meshes = heat->meshes;
    md5_vec4 *color = heat->colors;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        heat->meshes[i] = *mesh;
        heat->meshes[i].colors = color;
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            *color++ = view_heat_color(values != NULL ? *values++
                                       : joint >= 0   ? weight_on(mesh, v, joint)
                                                      : (float)num_influences(mesh, v) / 4.0f);
    }
    heat->drawn = md5gl_create_model(renderer, heat->model, MD5GL_PATH_AUTO, error);
    return heat->drawn != NULL;
}

void view_free_heat(view_heat *heat, md5gl_renderer *renderer)
{
    md5gl_destroy_model(renderer, heat->drawn);
    free(heat->model);
    free(heat->meshes);
    free(heat->colors);
    *heat = (view_heat){.drawn = NULL};
}

view_heat_facts view_measure_heat(const md5_model *model, int32_t joint)
{
    view_heat_facts facts = {.most = 0.0};
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const uint32_t count = num_influences(mesh, v);
            const double value = joint >= 0 ? (double)weight_on(mesh, v, joint) : (double)count;
            facts.most = value > facts.most ? value : facts.most;
            facts.num_vertices += (joint >= 0 ? value > 0.0 : count > 4) ? 1u : 0u;
        }
    }
    return facts;
}
