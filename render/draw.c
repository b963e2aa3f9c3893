// Draws posed models: one instanced draw for each pass, run of equal skin, mesh and batch. Reads
// skinned vertices back, for verification against the CPU.
#include "render/gl_internal.h"

#include <math.h>
#include <string.h>

// -- Passes -----------------------------------------------------------------------------------

typedef struct model_draw {
    const md5gl_model *model;
    uint32_t style;
    enum md5gl_pass pass;
    const float *colour; // edges only, else NULL
} model_draw;

// Below all alpha, and further than the widest edge that shaders/surface.glsl makes soft.
static const float no_alpha_test = -1000.0f;

// Writes a colour of a material. The classic light multiplies the files' colours, the studio's
// those in linear colour.
static void write_paint(md5_vec3 color, bool is_linear, float paint[3])
{
    const float values[3] = {color.x, color.y, color.z};
    const bool is_white = color.x == 0.0f && color.y == 0.0f && color.z == 0.0f; // the default
    for (int i = 0; i < 3; i++) {
        const float value = values[i] > 0.0f ? values[i] < 1.0f ? values[i] : 1.0f : 0.0f;
        const float linear =
            value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
        paint[i] = is_white ? 1.0f : is_linear ? linear : value;
    }
}

static void bind_textures(md5gl_renderer *renderer, const md5gl_material *material,
                          const md5gl_program *program, uint32_t style)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_texture diffuse = material->diffuse ? material->diffuse : renderer->white;
    const struct {
        enum md5gl_unit unit;
        md5gl_texture texture;
    } bound[] = {
        {MD5GL_UNIT_TEXTURE, style & MD5GL_UNTEXTURED ? renderer->grey : diffuse},
        {MD5GL_UNIT_NORMALS, material->normals},
        {MD5GL_UNIT_SPECULAR, material->specular},
        {MD5GL_UNIT_GLOW, style & MD5GL_UNTEXTURED ? 0 : material->glow},
    };
    for (int i = 0; i < 4; i++) {
        gl->ActiveTexture(GL_TEXTURE0 + (GLenum)bound[i].unit);
        gl->BindTexture(GL_TEXTURE_2D, bound[i].texture ? bound[i].texture : renderer->white);
    }
    gl->Uniform3i(program->uniforms[MD5GL_MAPS], bound[1].texture != 0, bound[2].texture != 0,
                  bound[3].texture != 0);
    // The alpha up to which texels are cut out.
    const float limit = material->is_opaque           ? no_alpha_test
                        : material->alpha_test > 0.0f ? material->alpha_test
                                                      : 0.5f;
    gl->Uniform2f(program->uniforms[MD5GL_SURFACE],
                  material->gloss > 0.0f ? material->gloss : 0.45f, limit);
    float paints[6];
    write_paint(material->diffuse_color, !renderer->is_classic, paints);
    write_paint(material->specular_color, !renderer->is_classic, paints + 3);
    gl->Uniform3fv(program->uniforms[MD5GL_PAINTS], 2, paints);
}

// Draws `count` instances of a bound mesh as triangles or as their edges. OpenGL ES has no mode for
// the edges of polygons, so that they are lines of their own.
static void draw_elements(md5gl_renderer *renderer, const md5gl_mesh *mesh, enum md5gl_pass pass,
                          uint32_t count)
{
    const GladGLContext *gl = &renderer->gl;
    const GLsizei num_corners = (GLsizei)(3 * md5gli_num_drawn_triangles(mesh));
    const bool lines = renderer->is_es && pass == MD5GL_PASS_EDGES;
    if (lines && mesh->deform.write) // edges are those of the mesh
        return;
    if (lines)
        gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->edges);
    gl->DrawElementsInstanced(lines ? GL_LINES : GL_TRIANGLES,
                              lines ? 2 * num_corners : num_corners, GL_UNSIGNED_INT, NULL,
                              (GLsizei)count);
    if (lines)
        gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
}

// Whether the vertices of a mesh's instances are in its buffer `posed`.
static bool is_preskinned(const md5gl_model *model, const md5gl_mesh *mesh)
{
    return !model->baked && md5gli_preskins(mesh->path);
}

// Sets the attributes of a bound mesh to the skinned vertices of an instance.
static void set_posed_attributes(md5gl_renderer *renderer, const md5gl_mesh *mesh,
                                 uint32_t instance)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t vertices = md5gli_num_posed(mesh), first = vertices * instance;
    const md5gl_layout all = md5gli_make_layout(vertices * mesh->posed_count, true);
    const size_t position = first * sizeof(md5_vec3);
    const size_t tangent = all.tangents + first * sizeof(md5_vec4);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->posed);
    gl->VertexAttribPointer(MD5GL_AT_POSITION, 3, GL_FLOAT, GL_FALSE, 0, (const void *)position);
    gl->VertexAttribPointer(MD5GL_AT_NORMAL, 3, GL_FLOAT, GL_FALSE, 0,
                            (const void *)(all.normals + position));
    gl->VertexAttribPointer(MD5GL_AT_TANGENT, 4, GL_FLOAT, GL_FALSE, 0, (const void *)tangent);
    if (mesh->deform.write) {
        md5gli_set_attribute(gl, MD5GL_AT_TEXCOORD, 2, all.texcoords + first * sizeof(md5_vec2));
        md5gli_set_attribute(gl, MD5GL_AT_COLOUR, 4, all.colours + first * sizeof(md5_vec4));
    }
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
}

// Draws `count` instances of a batch from `first`. `before` is the number of instances of earlier
// batches.
static void draw_mesh(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                      const md5gl_program *program, const md5gl_batch *batch, uint32_t before,
                      uint32_t first, uint32_t count)
{
    const GladGLContext *gl = &renderer->gl;
    const GLint first_instance = program->uniforms[MD5GL_FIRST_INSTANCE];
    md5gli_bind_mesh(renderer, draw->model, mesh, program, batch, before);
    if (!is_preskinned(draw->model, mesh)) {
        gl->Uniform1i(first_instance, (GLint)first);
        draw_elements(renderer, mesh, draw->pass, count);
        return;
    }
    for (uint32_t i = first; i < first + count; i++) {
        set_posed_attributes(renderer, mesh, before + i);
        gl->Uniform1i(first_instance, (GLint)i);
        draw_elements(renderer, mesh, draw->pass, 1);
    }
}

// The program of a pass. What cannot be built for the frame's light is drawn in the studio's. The
// depth of an opaque mesh needs neither its texture nor a fragment stage.
static const md5gl_program *program_of(md5gl_renderer *renderer, const model_draw *draw,
                                       const md5gl_mesh *mesh, const md5gl_surface *surface)
{
    const bool is_lit = draw->pass == MD5GL_PASS_LIT;
    const bool is_opaque = draw->pass == MD5GL_PASS_DEPTH && !draw->model->faded
                           && surface->opacity_known && !surface->alpha_tested;
    const enum md5gl_pass pass = is_lit      ? renderer->lit_pass
                                 : is_opaque ? MD5GL_PASS_DEPTH_OPAQUE
                                             : draw->pass;
    md5_error error = {0};
    const md5gl_program *const program =
        md5gli_program_of(renderer, draw->model, mesh, pass, &error);
    if (program || !is_lit)
        return program;
    md5gli_fail_light(renderer, &error);
    return md5gli_program_of(renderer, draw->model, mesh, MD5GL_PASS_LIT, NULL);
}

// Whether a pass draws a mesh with a material.
static bool is_drawn(enum md5gl_pass pass, const md5gl_mesh *mesh, const md5gl_surface *surface)
{
    if (!mesh->visible || mesh->mesh->num_triangles == 0)
        return false;
    if (pass == MD5GL_PASS_LIT || pass == MD5GL_PASS_PICTURE)
        return !surface->material.is_staged;
    return pass != MD5GL_PASS_DEPTH || !surface->material.no_shadow;
}

static bool has_colours(const md5gl_mesh *mesh)
{
    return mesh->mesh->colors != NULL || mesh->deform.write != NULL;
}

void md5gli_use_model_program(md5gl_renderer *renderer, const md5gl_model *model,
                              const md5gl_mesh *mesh, const md5gl_program *program)
{
    const GladGLContext *gl = &renderer->gl;
    gl->UseProgram(program->name);
    gl->Uniform1i(program->uniforms[MD5GL_PLACED], model->placed);
    gl->Uniform1i(program->uniforms[MD5GL_TINTED], model->tinted);
    gl->Uniform1i(program->uniforms[MD5GL_COLOURED], has_colours(mesh));
}

// Sets all state of a mesh except its vertices.
static void set_up_mesh(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                        const md5gl_surface *surface, const md5gl_program *program)
{
    const GladGLContext *gl = &renderer->gl;
    md5gli_use_model_program(renderer, draw->model, mesh, program);
    if (surface->material.no_vertex_color)
        gl->Uniform1i(program->uniforms[MD5GL_COLOURED], 0);
    else if (surface->material.inverse_vertex_color && has_colours(mesh))
        gl->Uniform1i(program->uniforms[MD5GL_COLOURED], 2);
    bind_textures(renderer, &surface->material, program, draw->style);
    gl->Uniform1i(program->uniforms[MD5GL_ALPHA_MODE],
                  renderer->adds_light ? 2 : renderer->multisampled);
    if (draw->colour)
        gl->Uniform4fv(program->uniforms[MD5GL_FLAT_COLOUR], 1, draw->colour);
    if (draw->style & MD5GL_NO_CULLING || surface->material.two_sided)
        gl->Disable(GL_CULL_FACE);
    else
        gl->Enable(GL_CULL_FACE);
}

// Draws the instances of a run of one mesh, whose state is set, from tables.
static void draw_mesh_run(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                          const md5gl_program *program, const md5gl_run *run)
{
    const md5gl_model *const model = draw->model;
    const uint32_t run_end = run->first + run->count;
    uint32_t before = 0; // instances of earlier batches
    for (uint32_t b = 0; b < model->num_batches; b++) {
        const md5gl_batch *const batch = &model->batches[b];
        const uint32_t batch_end = before + batch->count;
        const uint32_t first = run->first > before ? run->first : before;
        const uint32_t end = run_end < batch_end ? run_end : batch_end;
        if (first < end)
            draw_mesh(renderer, draw, mesh, program, batch, before, first - before, end - first);
        before = batch_end;
    }
}

md5gl_run md5gli_run_at(const md5gl_model *model, uint32_t index)
{
    if (model->num_runs > 0)
        return index < model->num_runs ? model->runs[index] : (md5gl_run){0};
    return (md5gl_run){.count = index == 0 ? model->num_instances : 0};
}

static void draw_pass(md5gl_renderer *renderer, const model_draw *draw)
{
    const md5gl_model *const model = draw->model;
    md5gl_run run;
    for (uint32_t r = 0; (run = md5gli_run_at(model, r)).count > 0; r++) {
        for (uint32_t i = 0; i < model->model->num_meshes; i++) {
            const md5gl_mesh *const mesh = &model->meshes[i];
            const md5gl_surface *const surface = md5gli_surface_of(model, run.skin, i);
            if (!is_drawn(draw->pass, mesh, surface))
                continue;
            const md5gl_program *const program = program_of(renderer, draw, mesh, surface);
            set_up_mesh(renderer, draw, mesh, surface, program);
            draw_mesh_run(renderer, draw, mesh, program, &run);
        }
    }
}

void md5gli_draw_run(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_mesh *mesh,
                     const md5gl_program *program, const md5gl_run *run)
{
    const model_draw draw = {model, MD5GL_LIT, MD5GL_PASS_LIT, NULL};
    draw_mesh_run(renderer, &draw, mesh, program, run);
}

void md5gli_draw_lit_run(md5gl_renderer *renderer, const md5gl_model *model, uint32_t mesh,
                         const md5gl_material *material, const md5gl_run *run)
{
    const model_draw draw = {model, MD5GL_LIT, MD5GL_PASS_LIT, NULL};
    const md5gl_mesh *const drawn = &model->meshes[mesh];
    md5gl_surface surface = *md5gli_surface_of(model, run->skin, mesh);
    if (material)
        surface.material = *material;
    const md5gl_program *const program = program_of(renderer, &draw, drawn, &surface);
    set_up_mesh(renderer, &draw, drawn, &surface, program);
    md5gli_draw_run(renderer, model, drawn, program, run);
}

// In a multisampled target alpha becomes coverage: cut-out edges are soft without sorting. Alpha
// itself stays 1. Where it is 1 already it is not written: OpenGL ES cannot replace it, and some
// drivers do not though they should (llvmpipe), so that edges shone.
void md5gli_set_coverage(md5gl_renderer *renderer, bool on)
{
    const GladGLContext *gl = &renderer->gl;
    const PFNGLENABLEPROC set = on ? gl->Enable : gl->Disable;
    if (!renderer->multisampled || renderer->adds_light)
        return;
    set(GL_SAMPLE_ALPHA_TO_COVERAGE);
    if (renderer->opaque)
        gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, !on);
    else
        set(GL_SAMPLE_ALPHA_TO_ONE);
}

// Draws polygons as lines in front of their own surface: by an offset, or, where lines have none,
// by a slightly nearer range of depths.
static void set_edge_mode(md5gl_renderer *renderer, bool on)
{
    const GladGLContext *gl = &renderer->gl;
    if (renderer->is_es) {
        gl->DepthRangef(0.0f, on ? 0.9999f : 1.0f);
        return;
    }
    gl->PolygonMode(GL_FRONT_AND_BACK, on ? GL_LINE : GL_FILL);
    if (on)
        gl->Enable(GL_POLYGON_OFFSET_LINE);
    else
        gl->Disable(GL_POLYGON_OFFSET_LINE);
    gl->PolygonOffset(on ? -1.0f : 0.0f, on ? -1.0f : 0.0f);
}

void md5gli_draw_for_pictures(md5gl_renderer *renderer, const md5gl_model *model)
{
    draw_pass(renderer, &(model_draw){model, MD5GL_LIT, MD5GL_PASS_PICTURE, NULL});
}

// -- Public -----------------------------------------------------------------------------------

void md5gl_draw_shadows(md5gl_renderer *renderer, const md5gl_model *model)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    MD5_ASSERT(renderer->in_frame, "call it between md5gl_begin_frame() and md5gl_end_frame()");
    const GladGLContext *gl = &renderer->gl;
    const md5gl_shadow_map *const maps[] = {&renderer->sun, &renderer->contact};
    if (!renderer->shadowed)
        return;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    for (int i = 0; i < 2; i++) {
        md5gli_bind_map(renderer, maps[i]);
        draw_pass(renderer,
                  &(model_draw){model, MD5GL_LIT | MD5GL_NO_CULLING, MD5GL_PASS_DEPTH, NULL});
    }
    md5gli_bind_frame(renderer);
}

void md5gl_draw_model(md5gl_renderer *renderer, const md5gl_model *model, uint32_t style)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    MD5_ASSERT(
        (style & ~(uint32_t)(MD5GL_LIT | MD5GL_UNTEXTURED | MD5GL_WIREFRAME | MD5GL_NO_CULLING))
            == 0,
        "style: flags of md5gl_style");
    MD5_ASSERT(renderer->in_frame, "call it between md5gl_begin_frame() and md5gl_end_frame()");
    const GladGLContext *gl = &renderer->gl;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    if (style & MD5GL_LIT) {
        md5gli_bind_shadows(renderer);
        gl->Disable(GL_BLEND);
        md5gli_set_coverage(renderer, true);
        draw_pass(renderer, &(model_draw){model, style, MD5GL_PASS_LIT, NULL});
        md5gli_set_coverage(renderer, false);
    }
    if (style & MD5GL_WIREFRAME) {
        // Premultiplied: dark over a lit surface; alone, a tone visible on dark and light
        // backgrounds.
        static const float over[4] = {0.02f, 0.02f, 0.03f, 0.6f};
        static const float alone[4] = {0.45f, 0.58f, 0.70f, 1.0f};
        const float *const colour = style & MD5GL_LIT ? over : alone;
        gl->Enable(GL_BLEND);
        set_edge_mode(renderer, true);
        draw_pass(renderer, &(model_draw){model, style, MD5GL_PASS_EDGES, colour});
        set_edge_mode(renderer, false);
    }
}

// -- Capturing --------------------------------------------------------------------------------

// Reads `size` bytes of the buffer bound for transform feedback.
static bool read_captured(md5gl_renderer *renderer, size_t size, void *data, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const GLenum binding = GL_TRANSFORM_FEEDBACK_BUFFER;
    if (gl->GetBufferSubData) {
        gl->GetBufferSubData(binding, 0, (GLsizeiptr)size, data);
        return true;
    }
    const void *const bytes = gl->MapBufferRange(binding, 0, (GLsizeiptr)size, GL_MAP_READ_BIT);
    if (!bytes)
        return md5gli_fail(error, MD5_ERROR_GPU, "the driver cannot map %zu bytes for reading",
                           size);
    memcpy(data, bytes, size);
    gl->UnmapBuffer(binding);
    return true;
}

bool md5gl_capture(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh_index,
                   const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                   md5_vec4 *tangents, md5_error *error)
{
    if (!renderer || !model)
        return md5gli_fail_missing(error, renderer ? "model" : "renderer");
    MD5_ASSERT(mesh_index < model->model->num_meshes, "mesh: an index into the model's meshes");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    const GladGLContext *gl = &renderer->gl;
    const md5gl_mesh *const mesh = &model->meshes[mesh_index];
    const size_t count = mesh->mesh->num_vertices;
    const size_t sizes[MD5GL_NUM_CAPTURED] = {count * sizeof *positions, count * sizeof *normals,
                                              count * sizeof *tangents};
    if (count == 0)
        return true;
    md5gli_clear_gl_errors(renderer);
    md5gli_reset_state(renderer);
    if (palette
        && !md5gl_pose(renderer, model, &(md5gl_instances){.count = 1, .palettes = palette}, error))
        return false;
    if (model->num_batches == 0)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "no palette given, and the model has no instances");
    GLuint buffers[MD5GL_NUM_CAPTURED] = {0};
    gl->GenBuffers(MD5GL_NUM_CAPTURED, buffers);
    const md5gl_program *const program =
        md5gli_program_of(renderer, model, mesh, MD5GL_PASS_CAPTURE, NULL);
    md5gli_bind_mesh(renderer, model, mesh, program, &model->batches[0], 0);
    if (is_preskinned(model, mesh))
        set_posed_attributes(renderer, mesh, 0);
    for (GLuint i = 0; i < MD5GL_NUM_CAPTURED; i++) {
        gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
        gl->BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)sizes[i], NULL, GL_STREAM_READ);
        gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i]);
    }
    gl->Enable(GL_RASTERIZER_DISCARD);
    gl->BeginTransformFeedback(GL_POINTS);
    gl->DrawArrays(GL_POINTS, 0, (GLsizei)count);
    gl->EndTransformFeedback();
    gl->Disable(GL_RASTERIZER_DISCARD);
    void *const outputs[MD5GL_NUM_CAPTURED] = {positions, normals, tangents};
    bool read = true;
    for (int i = 0; i < MD5GL_NUM_CAPTURED && read; i++) {
        gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
        read = !outputs[i] || read_captured(renderer, sizes[i], outputs[i], error);
    }
    gl->DeleteBuffers(MD5GL_NUM_CAPTURED, buffers);
    md5gli_reset_state(renderer);
    if (palette)
        model->num_batches = 0;
    return read && md5gli_check(renderer, "capturing vertices", error)
           && md5gli_check_context(renderer, error);
}
