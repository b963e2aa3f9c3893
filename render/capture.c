// Reads back skinned vertices through transform feedback, for verification against the CPU.
#include "render/gl_internal.h"

enum { NUM = MD5GL_NUM_CAPTURED };

static void skin_into(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_mesh *mesh,
                      const GLuint buffers[NUM], const size_t sizes[NUM])
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_program *const program =
        md5gli_program_of(renderer, model, mesh, MD5GL_PASS_CAPTURE, NULL);
    if (model->baked) {
        md5gli_bind_baked(renderer, model, mesh, program, &model->batches[0]);
    } else {
        md5gli_bind_mesh(renderer, mesh, program, &model->batches[0],
                         model->model->skeleton.num_joints);
        if (!md5gli_preskins(mesh->path))
            md5gli_bind_morph(renderer, model, mesh, program, 0);
    }
    if (!model->baked && md5gli_preskins(mesh->path))
        md5gli_set_posed_attributes(renderer, mesh, 0);
    for (GLuint i = 0; i < NUM; i++) {
        gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
        gl->BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)sizes[i], NULL, GL_STREAM_READ);
        gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i]);
    }
    gl->Enable(GL_RASTERIZER_DISCARD);
    gl->BeginTransformFeedback(GL_POINTS);
    gl->DrawArrays(GL_POINTS, 0, (GLsizei)mesh->mesh->num_vertices);
    gl->EndTransformFeedback();
    gl->Disable(GL_RASTERIZER_DISCARD);
}

bool md5gl_capture(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh_index,
                   const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                   md5_vec4 *tangents, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    MD5_ASSERT(mesh_index < model->model->num_meshes, "mesh: an index into the model's meshes");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    const GladGLContext *gl = &renderer->gl;
    const md5gl_mesh *const mesh = &model->meshes[mesh_index];
    const size_t count = mesh->mesh->num_vertices;
    const size_t sizes[NUM] = {count * sizeof *positions, count * sizeof *normals,
                               count * sizeof *tangents};
    md5gli_clear_error(error);
    if (count == 0)
        return true;
    md5gli_clear_gl_errors(renderer);
    md5gli_reset_state(renderer);
    if (palette && !md5gl_pose_models(renderer, model, palette, NULL, 1, error))
        return false;
    if (model->num_batches == 0)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "no palette given, and the model has no instances");
    GLuint buffers[NUM] = {0};
    gl->GenBuffers(NUM, buffers);
    skin_into(renderer, model, mesh, buffers, sizes);
    void *const outputs[NUM] = {positions, normals, tangents};
    bool read = true;
    for (int i = 0; i < NUM && read; i++) {
        gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
        read = !outputs[i]
               || md5gli_read_buffer(renderer, GL_TRANSFORM_FEEDBACK_BUFFER, sizes[i], outputs[i],
                                     error);
    }
    gl->DeleteBuffers(NUM, buffers);
    md5gli_reset_state(renderer);
    if (palette)
        model->num_batches = 0;
    return read && md5gli_check(renderer, "capturing vertices", error)
           && md5gli_check_context(renderer, error);
}
