#include "demo/viewer/scene/deforms.h"

#include "demo/common/memory.h"

#include <stdlib.h>

static bool can_form(const view_layered *layered, const md5_model *model, uint32_t *num_vertices,
                     uint32_t *num_triangles)
{
    return layered->material->deform != MD5_DEFORM_NONE
           && md5_deform_size(layered->material->deform, &model->meshes[layered->mesh],
                              num_vertices, num_triangles);
}

bool view_has_deforms(const view_layers *layers, const md5_model *model)
{
    uint32_t num_vertices, num_triangles;
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        if (can_form(&layers->meshes[i], model, &num_vertices, &num_triangles))
            return true;
    return false;
}

static void write_vertices(void *user, uint32_t mesh, const md5_vec3 *positions,
                           const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                           md5_vec4 *colours)
{
    const view_layered *const layered = user;
    const md5_deformed out = {to_positions, texcoords, colours};
    (void)mesh;
    md5_deform_vertices(layered->material, layered->table, layered->registers, layered->deformed,
                        positions, normals, &layered->view, &out);
}

static void set_deform(view_layers *layers, view_layered *layered, md5gl_renderer *renderer,
                       md5gl_model *drawn, const md5_model *model, view_log *log)
{
    const md5_mesh *const mesh = &model->meshes[layered->mesh];
    const md5_deform deform = layered->material->deform;
    md5gl_deform set = {.write = write_vertices, .user = layered};
    md5_error error;
    if (!can_form(layered, model, &set.num_vertices, &set.num_triangles)) {
        const bool has_kind = deform != MD5_DEFORM_EYEBALL && deform != MD5_DEFORM_PARTICLE
                              && deform != MD5_DEFORM_PARTICLE2;
        view_note_layer(layers, layered,
                        common_format(has_kind ? "deform not shown: the mesh is not made of quads"
                                               : "deform not shown: eyeballs and particles"),
                        log);
        return;
    }
    uint32_t *const indices = common_alloc(3 * (size_t)set.num_triangles, sizeof *indices);
    md5_deform_indices(deform, mesh, indices);
    set.indices = indices;
    layered->deformed = mesh;
    if (!md5gl_set_deform(renderer, drawn, layered->mesh, &set, &error))
        view_note_layer(layers, layered, common_format("deform not shown: %s", error.message), log);
    free(indices);
}

void view_set_deforms(view_layers *layers, md5gl_renderer *renderer, md5gl_model *drawn,
                      const md5_model *model, view_log *log)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        if (layers->meshes[i].material->deform != MD5_DEFORM_NONE)
            set_deform(layers, &layers->meshes[i], renderer, drawn, model, log);
}

void view_see_deforms(const view_layers *layers, const md5_deform_view *view)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        layers->meshes[i].view = *view;
}
