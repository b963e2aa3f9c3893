// Reads skinned vertices back through transform feedback, for checking against the CPU.
#include "render/gl_internal.h"

static void skin_into(md5gl_renderer *renderer, const md5gl_mesh *mesh, uint32_t num_joints,
                      const GLuint buffers[2], size_t size)
{
    const GladGLContext *gl = &renderer->gl;
    md5gl_bind_mesh(renderer, mesh, md5gl_skinned_program(renderer, mesh, MD5GL_PASS_CAPTURE),
                    num_joints);
    for (GLuint i = 0; i < 2; i++) {
        gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
        gl->BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)size, NULL, GL_STREAM_READ);
        gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i]);
    }
    gl->Enable(GL_RASTERIZER_DISCARD);
    gl->BeginTransformFeedback(GL_POINTS);
    gl->DrawArrays(GL_POINTS, 0, (GLsizei)mesh->mesh->num_vertices);
    gl->EndTransformFeedback();
    gl->Disable(GL_RASTERIZER_DISCARD);
}

bool md5gl_capture(md5gl_renderer *renderer, const md5gl_model *model, uint32_t mesh_index,
                   const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                   md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_mesh *const mesh = &model->meshes[mesh_index];
    const uint32_t num_joints = model->model->skeleton.num_joints;
    const size_t size = mesh->mesh->num_vertices * sizeof *positions;
    md5gl_clear_error(error);
    if (size == 0)
        return true;
    md5gl_drop_errors(renderer);
    md5gl_reset_state(renderer);
    md5gl_stream(renderer, GL_TEXTURE_BUFFER, renderer->palettes.buffer, palette,
                 num_joints * sizeof *palette);
    GLuint buffers[2] = {0, 0};
    gl->GenBuffers(2, buffers);
    skin_into(renderer, mesh, num_joints, buffers, size);
    void *const places[2] = {positions, normals};
    for (int i = 0; i < 2; i++) {
        gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
        if (places[i])
            gl->GetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLsizeiptr)size, places[i]);
    }
    gl->DeleteBuffers(2, buffers);
    md5gl_reset_state(renderer);
    return md5gl_check(renderer, "capturing vertices", error);
}
