// Sets the deforms of meshes, which the materials of a game define.
#include "demo/viewer/assets/textures.h"

// Callback of md5gl_deform: writes the deformed vertices of an instance. A deform may depend on the
// view, for example to turn sprites to the camera. The vertices are in the model space of the
// instance, so the view is transformed from world space to this space.
static void write_vertices(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                           const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                           md5_vec4 *colors)
{
    const view_layered *const layered = user;
    const md5_deformed out = {.positions = to_positions, .texcoords = texcoords, .colors = colors};
    md5_deform_view view = layered->view;
    (void)mesh;
    if (instance < layered->num_placements) {
        const md5_mat34 world_to_model = md5_mat34_inverse(layered->placements[instance]);
        const md5_vec3 left = md5_mat34_direction(world_to_model, view.left);
        const md5_vec3 up = md5_mat34_direction(world_to_model, view.up);
        view.eye = md5_mat34_point(world_to_model, view.eye);
        view.left = md5_vec3_normalize(left, view.left);
        view.up = md5_vec3_normalize(up, view.up);
    }
    md5_deform_vertices(layered->material, layered->table, layered->registers, layered->deformed,
                        positions, normals, &view, &out);
}

// Returns the reason why the deform of a material is not shown: the mesh lacks the required shape.
// The caller frees the text.
static char *deform_obstacle(const md5_material *material)
{
    if (material->deform == MD5_DEFORM_EYEBALL)
        return common_format("deform eyeBall is not shown: expected an eye and two triangles");
    if (material->deform == MD5_DEFORM_PARTICLE || material->deform == MD5_DEFORM_PARTICLE2) {
        const bool has_name = material->deform_decl != NULL;
        const char *const name = has_name ? material->deform_decl : "without a name";
        return common_format("deform is not shown: particles are not supported: %s", name);
    }
    return common_format("deform is not shown: expected a mesh of quads");
}

// Replaces the triangles of a mesh on the GPU by the triangles of its deform. Returns NULL on
// success, otherwise the reason why the mesh is not deformed, which the caller frees.
static char *set_deform(view_layered *layered, md5gl_renderer *renderer, md5gl_model *drawn,
                        const md5_mesh *mesh)
{
    const md5_material *const material = layered->material;
    md5gl_deform deform = {.write = write_vertices, .user = layered};
    if (!md5_deform_size(material->deform, mesh, &deform.num_vertices, &deform.num_triangles))
        return deform_obstacle(material);

    md5_error error = {0};
    uint32_t *const indices = common_alloc(3 * (size_t)deform.num_triangles, sizeof *indices);
    md5_deform_indices(material->deform, mesh, indices);
    deform.indices = indices;
    const bool is_set = md5gl_set_deform(renderer, drawn, layered->mesh, &deform, &error);
    free(indices);
    if (!is_set)
        return common_format("deform is not shown: %s", error.message);
    layered->deformed = mesh;
    return NULL;
}

// Replaces the triangles of meshes that their material deforms, such as sprites that face the
// camera.
void view_set_deforms(view_layers *layers, md5gl_renderer *renderer, md5gl_model *drawn,
                      const md5_model *model, view_log *log)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        const md5_material *const material = layered->material;
        if (material->deform == MD5_DEFORM_NONE)
            continue;
        char *const obstacle = set_deform(layered, renderer, drawn, &model->meshes[layered->mesh]);
        if (obstacle != NULL)
            view_note_layer(layers, layered->mesh, material, obstacle, log);
        else
            layers->has_deforms = true;
    }
}

// Sets the view for which the meshes are deformed when the model is posed. A deform, for example
// a sprite that turns to the viewer, changes the vertices depending on the view. All meshes with
// layers receive the same view.
void view_set_deform_view(const view_layers *layers, const md5_deform_view *view,
                          const md5_mat34 *placements, uint32_t num_placements)
{
    for (uint32_t i = 0; i < layers->num_meshes; i++) {
        view_layered *const layered = &layers->meshes[i];
        layered->view = *view;
        layered->placements = placements;
        layered->num_placements = placements != NULL ? num_placements : 0;
    }
}
