#include "demo/viewer/scene/deforms.h"

#include "demo/common/memory.h"

#include <stdlib.h>

bool view_has_deforms(const view_layers *layers)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++)
        if (layers->meshes[i].deformed != NULL)
            return true;
    return false;
}

// The view in the space of a model that is placed.
static md5_deform_view seen_from(const md5_deform_view *view, const md5_mat34 *placement)
{
    const md5_mat34 back = md5_mat34_inverse(*placement);
    return (md5_deform_view){
        .eye = md5_mat34_point(back, view->eye),
        .left = md5_vec3_normalize(md5_mat34_direction(back, view->left), view->left),
        .up = md5_vec3_normalize(md5_mat34_direction(back, view->up), view->up),
    };
}

static void write_vertices(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                           const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                           md5_vec4 *colours)
{
    const view_layered *const layered = user;
    const md5_deformed out = {to_positions, texcoords, colours};
    (void)mesh;
    const md5_deform_view view = instance < layered->num_placements
                                     ? seen_from(&layered->view, &layered->placements[instance])
                                     : layered->view;
    md5_deform_vertices(layered->material, layered->table, layered->registers, layered->deformed,
                        positions, normals, &view, &out);
}

// Returns why a deform cannot be shown, to be freed.
static char *obstacle_of(const md5_material *material)
{
    switch (material->deform) {
    case MD5_DEFORM_EYEBALL:
        return common_format("deform eyeBall not shown: the mesh is not an eye and two triangles");
    case MD5_DEFORM_PARTICLE:
    case MD5_DEFORM_PARTICLE2:
        return common_format("deform not shown: particles of %s",
                             material->deform_decl != NULL ? material->deform_decl : "no name");
    default:
        return common_format("deform not shown: the mesh is not made of quads");
    }
}

static void set_deform(view_layers *layers, view_layered *layered, md5gl_renderer *renderer,
                       md5gl_model *drawn, const md5_model *model, view_log *log)
{
    const md5_mesh *const mesh = &model->meshes[layered->mesh];
    const md5_deform deform = layered->material->deform;
    md5gl_deform set = {.write = write_vertices, .user = layered};
    md5_error error;
    if (!md5_deform_size(deform, mesh, &set.num_vertices, &set.num_triangles)) {
        view_note_layer(layers, layered, obstacle_of(layered->material), log);
        return;
    }
    uint32_t *const indices = common_alloc(3 * (size_t)set.num_triangles, sizeof *indices);
    md5_deform_indices(deform, mesh, indices);
    set.indices = indices;
    if (md5gl_set_deform(renderer, drawn, layered->mesh, &set, &error))
        layered->deformed = mesh;
    else
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

void view_see_deforms(const view_layers *layers, const md5_deform_view *view,
                      const md5_mat34 *placements, uint32_t num_placements)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        layered->view = *view;
        layered->placements = placements;
        layered->num_placements = placements != NULL ? num_placements : 0;
    }
}
