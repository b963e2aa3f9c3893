// Meshes whose surface the caller forms anew in each pose: other vertices and triangles than those
// that are skinned. Such a mesh is skinned on the CPU; pose.c calls the caller's function.
#include "render/gl_internal.h"

#include <limits.h>
#include <string.h>

uint32_t md5gli_num_posed(const md5gl_mesh *mesh)
{
    return mesh->deform.write ? mesh->deform.num_vertices : mesh->mesh->num_vertices;
}

uint32_t md5gli_num_drawn_triangles(const md5gl_mesh *mesh)
{
    return mesh->deform.write ? mesh->deform.num_triangles : mesh->mesh->num_triangles;
}

// Ends a deform: the vertex array reads the mesh's own triangles, texture coordinates and colours.
static void use_own_surface(md5gl_renderer *renderer, md5gl_mesh *mesh)
{
    const GladGLContext *gl = &renderer->gl;
    const bool has_colours = mesh->mesh->colors != NULL;
    const md5gl_layout layout = md5gli_make_layout(mesh->mesh->num_vertices, has_colours);
    memset(&mesh->deform, 0, sizeof mesh->deform);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->vertices);
    md5gli_set_attribute(gl, MD5GL_AT_TEXCOORD, 2, layout.texcoords);
    if (has_colours)
        md5gli_set_attribute(gl, MD5GL_AT_COLOUR, 4, layout.colours);
    else
        gl->DisableVertexAttribArray(MD5GL_AT_COLOUR);
    gl->DeleteBuffers(1, &mesh->deformed_indices);
    mesh->deformed_indices = 0;
}

static void use_deform(md5gl_renderer *renderer, md5gl_mesh *mesh, const md5gl_deform *deform)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t size = 3 * (size_t)deform->num_triangles * sizeof *deform->indices;
    mesh->deform = *deform;
    mesh->deform.indices = NULL; // which are the caller's
    gl->GenBuffers(1, &mesh->deformed_indices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->deformed_indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)size, deform->indices, GL_STATIC_DRAW);
}

// Moves one mesh to the path that skins on the CPU; the others stay instanced. The model has to be
// given its morph weights again, whose copy for the CPU it may lack.
static void skin_on_cpu(md5gl_renderer *renderer, md5gl_model *model, md5gl_mesh *mesh)
{
    const GladGLContext *gl = &renderer->gl;
    for (GLuint i = MD5GL_AT_JOINTS; i <= MD5GL_AT_WEIGHTS_HIGH; i++)
        gl->DisableVertexAttribArray(i);
    if (mesh->posed == 0)
        gl->GenBuffers(1, &mesh->posed);
    mesh->path = MD5GL_PATH_CPU;
    mesh->reason = "deformed";
    model->morph = NULL;
    model->num_morphed = 0;
}

bool md5gl_set_deform(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh,
                      const md5gl_deform *deform, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    MD5_ASSERT(mesh < model->model->num_meshes, "mesh: an index into the model's meshes");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    md5gl_mesh *const formed = &model->meshes[mesh];
    md5gli_clear_error(error);
    if (deform) {
        MD5_ASSERT(deform->write != NULL && deform->indices != NULL, "deform: complete");
        MD5_ASSERT_RESERVED(deform);
        if (deform->num_vertices < formed->mesh->num_vertices || deform->num_vertices > INT_MAX
            || deform->num_triangles > INT_MAX / 6)
            return md5gli_fail(error, MD5_ERROR_RANGE, "mesh %u: %u vertices, %u triangles",
                               (unsigned)mesh, (unsigned)deform->num_vertices,
                               (unsigned)deform->num_triangles);
    }
    if (deform && !md5gli_build_variant(renderer, MD5GL_PATH_CPU, MD5GL_BLEND_LINEAR, error))
        return false;
    model->num_batches = 0; // what was posed has other vertices
    renderer->gl.BindVertexArray(formed->array);
    if (formed->deform.write)
        use_own_surface(renderer, formed);
    if (deform && formed->path != MD5GL_PATH_CPU)
        skin_on_cpu(renderer, model, formed);
    if (deform)
        use_deform(renderer, formed, deform);
    renderer->gl.BindVertexArray(0);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    return true;
}
