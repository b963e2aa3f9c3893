// Draws posed models: one instanced draw for each pass, run of equal skin, mesh and batch; and
// lists of stages. Reads skinned vertices back, for verification against the CPU.
#include "render/md5gl_game.h"
#include "render/gl_internal.h"

#include <math.h>
#include <stddef.h>
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
    for (uint32_t i = 0; i < 3; i++) {
        const float value = values[i] > 0.0f ? values[i] < 1.0f ? values[i] : 1.0f : 0.0f;
        const float linear =
            value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
        paint[i] = is_white ? 1.0f : is_linear ? linear : value;
    }
}

// Sets the attributes of a bound mesh to the skinned vertices of an instance and, if
// `has_previous`, to where they were in the previous frame: where they are, unless that is known.
static void set_posed_attributes(md5gl_renderer *renderer, const md5gl_model *model,
                                 const md5gl_mesh *mesh, uint32_t instance, bool has_previous)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t vertices = mesh->deform.num_vertices;
    const md5gl_layout all = md5gli_make_layout(vertices * mesh->posed_count, MD5GL_NUM_ARRAYS);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->posed);
    md5gli_set_attributes(gl, &all, vertices * instance, 0,
                          mesh->deform.write ? MD5GL_NUM_ARRAYS : MD5GL_ARRAY_TEXCOORDS);
    if (has_previous) {
        const bool is_known = mesh->posed_count > model->num_instances;
        const size_t was = instance + (is_known ? model->num_instances : 0);
        gl->VertexAttribPointer(MD5GL_AT_PREVIOUS, 3, GL_FLOAT, GL_FALSE, 0,
                                (const void *)(vertices * was * sizeof(md5_vec3)));
        gl->EnableVertexAttribArray(MD5GL_AT_PREVIOUS);
    }
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
}

// The program of a pass. What cannot be built for the frame's light is drawn in the studio's; of
// another pass, NULL is returned, and nothing drawn. The depth of an opaque mesh needs neither its
// texture nor a fragment stage.
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
    if (program)
        return program;
    md5gli_fail_light(renderer, &error);
    return is_lit ? md5gli_program_of(renderer, draw->model, mesh, MD5GL_PASS_LIT, NULL) : NULL;
}

// Binds a program and sets what all instances share. Of a stage the material is NULL.
static void use_model_program(md5gl_renderer *renderer, const md5gl_model *model,
                              const md5gl_mesh *mesh, const md5gl_material *material,
                              const md5gl_program *program)
{
    const GladGLContext *gl = &renderer->gl;
    const bool has_colours =
        (mesh->mesh->colors || mesh->deform.write) && !(material && material->no_vertex_color);
    const GLint coloured = material && material->inverse_vertex_color ? 2 : 1;
    gl->UseProgram(program->name);
    md5gli_set_integer(gl, program, MD5GL_PLACED, model->placed);
    md5gli_set_integer(gl, program, MD5GL_TINTED, model->tinted);
    md5gli_set_integer(gl, program, MD5GL_COLOURED, has_colours ? coloured : 0);
}

// Sets all state of a mesh except its vertices.
static void set_up_mesh(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                        const md5gl_surface *surface, const md5gl_program *program)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_material *const material = &surface->material;
    const uint32_t style = draw->style;
    use_model_program(renderer, draw->model, mesh, material, program);
    const md5gl_texture diffuse = material->diffuse ? material->diffuse : renderer->white;
    const md5gl_texture maps[] = {// as in enum md5gl_unit, from MD5GL_UNIT_TEXTURE on
                                  style & MD5GL_UNTEXTURED ? renderer->grey : diffuse,
                                  material->normals, material->specular,
                                  style & MD5GL_UNTEXTURED ? 0 : material->glow};
    for (uint32_t i = 0; i < 4; i++)
        md5gli_bind_texture(renderer, program, (enum md5gl_unit)(MD5GL_UNIT_TEXTURE + i),
                            GL_TEXTURE_2D, maps[i] ? maps[i] : renderer->white);
    if (program->uniforms[MD5GL_MAPS] >= 0)
        gl->Uniform3i(program->uniforms[MD5GL_MAPS], maps[1] != 0,
                      maps[2] == 0 ? 0 : 1 + material->has_thin_parts, maps[3] != 0);
    // The alpha up to which texels are cut out.
    const float limit = material->is_opaque           ? no_alpha_test
                        : material->alpha_test > 0.0f ? material->alpha_test
                                                      : 0.5f;
    if (program->uniforms[MD5GL_SURFACE] >= 0)
        gl->Uniform2f(program->uniforms[MD5GL_SURFACE],
                      material->gloss > 0.0f ? material->gloss : 0.45f, limit);
    if (program->uniforms[MD5GL_PAINTS] >= 0) {
        float paints[6];
        write_paint(material->diffuse_color, !renderer->is_classic, paints);
        write_paint(material->specular_color, !renderer->is_classic, paints + 3);
        gl->Uniform3fv(program->uniforms[MD5GL_PAINTS], 2, paints);
    }
    md5gli_set_integer(gl, program, MD5GL_ALPHA_MODE,
                       renderer->adds_light ? 2 : renderer->multisampled);
    if (draw->colour)
        gl->Uniform4fv(program->uniforms[MD5GL_FLAT_COLOUR], 1, draw->colour);
    if (draw->style & MD5GL_NO_CULLING || surface->material.two_sided)
        gl->Disable(GL_CULL_FACE);
    else
        gl->Enable(GL_CULL_FACE);
}

// Draws the instances of a run of one mesh, whose state is set: those of a batch at once or, if
// their vertices are in the mesh's buffer `posed`, one by one. OpenGL ES has no mode for the edges
// of polygons, so that they are lines of their own.
static void draw_mesh_run(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                          const md5gl_program *program, const md5gl_run *run)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_model *const model = draw->model;
    const bool is_posed = mesh->posed && !model->baked;
    const bool has_lines = renderer->is_es && draw->pass == MD5GL_PASS_EDGES;
    const GLsizei num_corners = (GLsizei)(3 * mesh->deform.num_triangles);
    const uint32_t run_end = run->first + run->count;
    uint32_t before = 0;                 // instances of earlier batches
    if (has_lines && mesh->deform.write) // edges are those of the mesh
        return;
    for (uint32_t b = 0; b < model->num_batches; b++) {
        const md5gl_batch *const batch = &model->batches[b];
        const uint32_t batch_end = before + batch->count;
        const uint32_t first = run->first > before ? run->first : before;
        const uint32_t end = run_end < batch_end ? run_end : batch_end;
        if (first < end)
            md5gli_bind_mesh(renderer, model, mesh, program, batch, before);
        if (has_lines && first < end)
            gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->edges);
        for (uint32_t i = first, count; i < end; i += count) {
            count = is_posed ? 1 : end - first;
            if (is_posed)
                set_posed_attributes(renderer, model, mesh, i,
                                     program->uniforms[MD5GL_PREVIOUS] >= 0);
            md5gli_set_integer(gl, program, MD5GL_FIRST_INSTANCE, (GLint)(i - before));
            gl->DrawElementsInstanced(has_lines ? GL_LINES : GL_TRIANGLES,
                                      has_lines ? 2 * num_corners : num_corners, GL_UNSIGNED_INT,
                                      NULL, (GLsizei)count);
        }
        if (has_lines && first < end)
            gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
        before = batch_end;
    }
}

// Returns run `index` of the model's instances; the count is 0 after the last.
static md5gl_run run_at(const md5gl_model *model, uint32_t index)
{
    if (model->num_runs > 0)
        return index < model->num_runs ? model->runs[index] : (md5gl_run){0};
    return (md5gl_run){.count = index == 0 ? model->num_instances : 0};
}

// Draws the instances that wear a skin of one mesh, whose state is set.
static void draw_skin(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                      const md5gl_program *program, uint32_t skin)
{
    md5gl_run run;
    for (uint32_t i = 0; (run = run_at(draw->model, i)).count > 0; i++)
        if (run.skin == skin)
            draw_mesh_run(renderer, draw, mesh, program, &run);
}

static void draw_pass(md5gl_renderer *renderer, const model_draw *draw)
{
    const md5gl_model *const model = draw->model;
    md5gl_run run;
    for (uint32_t r = 0; (run = run_at(model, r)).count > 0; r++) {
        for (uint32_t i = 0; i < model->model->num_meshes; i++) {
            const md5gl_mesh *const mesh = &model->meshes[i];
            const md5gl_surface *const surface = md5gli_surface_of(model, run.skin, i);
            const bool is_left_out =
                draw->pass == MD5GL_PASS_DEPTH
                    ? surface->material.no_shadow
                    : draw->pass != MD5GL_PASS_EDGES && surface->material.is_staged;
            if (!mesh->visible || mesh->mesh->num_triangles == 0 || is_left_out)
                continue;
            const md5gl_program *const program = program_of(renderer, draw, mesh, surface);
            if (!program)
                continue;
            set_up_mesh(renderer, draw, mesh, surface, program);
            draw_mesh_run(renderer, draw, mesh, program, &run);
        }
    }
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
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_MODEL(model);
    MD5GL_ASSERT_IN_FRAME(renderer);
    const GladGLContext *gl = &renderer->gl;
    if (!renderer->shadowed)
        return;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    for (uint32_t i = renderer->first_map; i < renderer->end_map; i++) {
        md5gli_bind_map(renderer, &renderer->maps[i]);
        draw_pass(renderer,
                  &(model_draw){model, MD5GL_LIT | MD5GL_NO_CULLING, MD5GL_PASS_DEPTH, NULL});
    }
    md5gli_bind_frame(renderer);
}

void md5gl_draw_casters(md5gl_renderer *renderer, md5gl_draw_caster *draw, void *user)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5_ASSERT_NOT_NULL(draw);
    MD5GL_ASSERT_IN_FRAME(renderer);
    for (uint32_t i = renderer->first_map; i < renderer->end_map; i++) {
        md5gli_reset_state(renderer);
        md5gli_bind_map(renderer, &renderer->maps[i]);
        renderer->gl.Enable(GL_DEPTH_TEST);
        draw(user, &renderer->maps[i].shown);
    }
    if (renderer->shadowed)
        md5gl_resume_frame(renderer);
}

void md5gl_draw_model(md5gl_renderer *renderer, const md5gl_model *model, uint32_t style)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_MODEL(model);
    MD5_ASSERT(
        (style & ~(uint32_t)(MD5GL_LIT | MD5GL_UNTEXTURED | MD5GL_WIREFRAME | MD5GL_NO_CULLING))
            == 0,
        "style: must be flags of md5gl_style");
    MD5GL_ASSERT_IN_FRAME(renderer);
    MD5_ASSERT(!renderer->has_outputs,
               "frame target: must not be created by md5gl_create_outputs()");
    const GladGLContext *gl = &renderer->gl;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    if (style & MD5GL_LIT) {
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

bool md5gl_draw_outputs(md5gl_renderer *renderer, const md5gl_model *model, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!renderer || !model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return false;
    }
    MD5GL_ASSERT_IN_FRAME(renderer);
    MD5_ASSERT(!renderer->target || renderer->has_outputs,
               "frame target: must be created by md5gl_create_outputs()");
    const GladGLContext *gl = &renderer->gl;
    for (uint32_t i = 0; i < model->model->num_meshes; i++)
        if (!md5gli_program_of(renderer, model, &model->meshes[i], MD5GL_PASS_OUTPUTS, error))
            return false;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    draw_pass(renderer, &(model_draw){model, MD5GL_LIT, MD5GL_PASS_OUTPUTS, NULL});
    return true;
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
    const void *const bytes =
        gl->MapBufferRange ? gl->MapBufferRange(binding, 0, (GLsizeiptr)size, GL_MAP_READ_BIT)
                           : NULL;
    if (!bytes)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "cannot read back vertices: the driver cannot map %zu bytes", size);
    memcpy(data, bytes, size);
    gl->UnmapBuffer(binding);
    return true;
}

bool md5gl_capture(md5gl_renderer *renderer, md5gl_model *model, uint32_t mesh_index,
                   const md5_mat34 *palette, md5_vec3 *positions, md5_vec3 *normals,
                   md5_vec4 *tangents, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!renderer || !model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return false;
    }
    MD5_ASSERT(mesh_index < model->model->num_meshes,
               "mesh: must be an index into the model's meshes");
    MD5GL_ASSERT_NO_FRAME(renderer);
    const GladGLContext *gl = &renderer->gl;
    const md5gl_mesh *const mesh = &model->meshes[mesh_index];
    const size_t count = mesh->mesh->num_vertices;
    const size_t sizes[MD5GL_NUM_CAPTURED] = {count * sizeof *positions, count * sizeof *normals,
                                              count * sizeof *tangents};
    if (count == 0)
        return true;
    (void)md5gli_take_errors(renderer);
    md5gli_reset_state(renderer);
    if (palette
        && !md5gl_pose(renderer, model, &(md5gl_instances){.count = 1, .palettes = palette}, error))
        return false;
    if (model->num_batches == 0)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "no palette: expected a palette, or a model with instances");
    GLuint buffers[MD5GL_NUM_CAPTURED] = {0};
    const md5gl_program *const program =
        md5gli_program_of(renderer, model, mesh, MD5GL_PASS_CAPTURE, error);
    if (!program)
        return false;
    gl->GenBuffers(MD5GL_NUM_CAPTURED, buffers);
    gl->UseProgram(program->name);
    md5gli_bind_mesh(renderer, model, mesh, program, &model->batches[0], 0);
    if (mesh->posed && !model->baked)
        set_posed_attributes(renderer, model, mesh, 0, false);
    for (uint32_t i = 0; i < MD5GL_NUM_CAPTURED; i++) {
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
    for (uint32_t i = 0; i < MD5GL_NUM_CAPTURED && read; i++) {
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

// == Stages ======================================================================================
//
// Draws lists of stages: their shadows, their bases, which are opaque, the light of translucent
// surfaces, and the stages, which are blended over all of that.
//
// A stage is one draw of a mesh by the program of MD5GL_PASS_STAGE, with state that GL has anyway:
// blending, masks, depth. Nothing is kept between calls. Texels are used as they are, without sRGB,
// since the engine blends bytes; alpha stays the coverage of the picture unless a stage reads it.
// Cut-outs are drawn depth first, then lit where depth is equal; in multisampled frames alpha
// decides about the samples of an edge, else the test is strict as the engine's.

// What is drawn: one list of a model.
typedef struct list_draw {
    const md5gl_model *model;
    const md5gl_stage_list *list;
    const md5gl_mesh *mesh;
    const md5gl_program *program;
} list_draw;

// What the shader writes as alpha: as it is, 1, or the largest of red, green and blue.
enum written_alpha { ALPHA_AS_IT_IS, ALPHA_ONE, ALPHA_OF_COLOUR };

// -- State ----------------------------------------------------------------------------------------

static GLenum blend_factor(md5gl_factor factor)
{
    static const GLenum factors[] = {
        [MD5GL_FACTOR_ZERO] = GL_ZERO,
        [MD5GL_FACTOR_ONE] = GL_ONE,
        [MD5GL_FACTOR_SOURCE_COLOR] = GL_SRC_COLOR,
        [MD5GL_FACTOR_ONE_MINUS_SOURCE_COLOR] = GL_ONE_MINUS_SRC_COLOR,
        [MD5GL_FACTOR_TARGET_COLOR] = GL_DST_COLOR,
        [MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR] = GL_ONE_MINUS_DST_COLOR,
        [MD5GL_FACTOR_SOURCE_ALPHA] = GL_SRC_ALPHA,
        [MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA] = GL_ONE_MINUS_SRC_ALPHA,
        [MD5GL_FACTOR_TARGET_ALPHA] = GL_DST_ALPHA,
        [MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA] = GL_ONE_MINUS_DST_ALPHA,
        [MD5GL_FACTOR_SOURCE_ALPHA_SATURATE] = GL_SRC_ALPHA_SATURATE,
    };
    return factors[factor];
}

static bool reads_target_alpha(md5gl_factor factor)
{
    return factor == MD5GL_FACTOR_TARGET_ALPHA || factor == MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA
           || factor == MD5GL_FACTOR_SOURCE_ALPHA_SATURATE;
}

static bool reads_source_alpha(md5gl_factor factor)
{
    return factor == MD5GL_FACTOR_SOURCE_ALPHA || factor == MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA;
}

// Whether a list fills depth.
static bool has_base(const md5gl_stage_list *list)
{
    return list->base == MD5GL_BASE_BLACK || list->base == MD5GL_BASE_LIT;
}

static void write_channels(md5gl_renderer *renderer, uint32_t masked, bool alpha)
{
    renderer->gl.ColorMask(!(masked & MD5GL_MASK_RED), !(masked & MD5GL_MASK_GREEN),
                           !(masked & MD5GL_MASK_BLUE), alpha);
}

// Sets blending and masks. Alpha is coverage, unless the list uses it: a stage then adds its share
// of what is not yet covered. Returns what the shader is to write as alpha: if the blending of
// colours does not read it, what the stage covers.
static enum written_alpha set_blending(md5gl_renderer *renderer, const md5gl_stage *stage,
                                       bool uses_alpha)
{
    const GladGLContext *gl = &renderer->gl;
    const uint32_t all = MD5GL_MASK_RED | MD5GL_MASK_GREEN | MD5GL_MASK_BLUE;
    const GLenum source = blend_factor(stage->source);
    const GLenum target = blend_factor(stage->target);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(source, target);
    if (uses_alpha) {
        write_channels(renderer, stage->masked, !(stage->masked & MD5GL_MASK_ALPHA));
        return ALPHA_AS_IT_IS;
    }
    const bool covers = !renderer->opaque && stage->source != MD5GL_FACTOR_TARGET_COLOR
                        && stage->source != MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR
                        && (stage->masked & all) != all && stage->source != MD5GL_FACTOR_ZERO;
    write_channels(renderer, stage->masked, covers);
    gl->BlendFuncSeparate(source, target, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    if (!covers || reads_source_alpha(stage->source) || reads_source_alpha(stage->target))
        return ALPHA_AS_IT_IS;
    return stage->target == MD5GL_FACTOR_ZERO ? ALPHA_ONE : ALPHA_OF_COLOUR;
}

static void set_sides(md5gl_renderer *renderer, md5gl_cull cull)
{
    const GladGLContext *gl = &renderer->gl;
    gl->CullFace(cull == MD5GL_CULL_FRONT ? GL_FRONT : GL_BACK);
    if (cull == MD5GL_CULL_NONE)
        gl->Disable(GL_CULL_FACE);
    else
        gl->Enable(GL_CULL_FACE);
}

static void set_depth(md5gl_renderer *renderer, GLenum function, bool writes)
{
    renderer->gl.DepthFunc(function);
    renderer->gl.DepthMask(writes);
}

static void set_depth_offset(md5gl_renderer *renderer, float offset)
{
    const GladGLContext *gl = &renderer->gl;
    if (offset != 0.0f)
        gl->Enable(GL_POLYGON_OFFSET_FILL);
    else
        gl->Disable(GL_POLYGON_OFFSET_FILL);
    gl->PolygonOffset(0.0f, offset);
}

// -- One draw -------------------------------------------------------------------------------------

// What the shader does with texels by their alpha: nothing, leaves out, or makes the edge coverage.
enum alpha_test { ALPHA_IGNORED, ALPHA_TESTED, ALPHA_SOFT };

static const md5gl_stage blank = {.color = {0.0f, 0.0f, 0.0f, 1.0f}};

static const GLint bumped_reflection = 5; // of stage_texgen in shaders/stage.frag

// Draws a stage on the whole surface.
static void draw_layer(md5gl_renderer *renderer, const list_draw *draw, const md5gl_stage *stage,
                       enum alpha_test test, enum written_alpha alpha)
{
    static const float identity[6] = {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    const GladGLContext *gl = &renderer->gl;
    const GLint *const uniforms = draw->program->uniforms;
    const md5gl_texgen texgen = stage->texture ? stage->texgen : MD5GL_TEXGEN_MESH;
    const bool is_cube = texgen != MD5GL_TEXGEN_MESH && texgen != MD5GL_TEXGEN_SCREEN;
    const bool is_bumped = texgen == MD5GL_TEXGEN_REFLECT && stage->normals != 0;
    float color[4];
    for (uint32_t i = 0; i < 4; i++) {
        const float value = stage->color[i];
        color[i] = value > 0.0f ? value < 1.0f ? value : 1.0f : 0.0f; // not a number: 0
    }
    use_model_program(renderer, draw->model, draw->mesh, NULL, draw->program);
    md5gli_bind_texture(renderer, draw->program, MD5GL_UNIT_SPECULAR, GL_TEXTURE_CUBE_MAP,
                        is_cube ? stage->texture : 0);
    md5gli_bind_texture(renderer, draw->program, MD5GL_UNIT_NORMALS, GL_TEXTURE_2D,
                        is_bumped ? stage->normals : renderer->white);
    md5gli_bind_texture(renderer, draw->program, MD5GL_UNIT_TEXTURE, GL_TEXTURE_2D,
                        stage->texture && !is_cube ? stage->texture : renderer->white);
    gl->Uniform1i(uniforms[MD5GL_STAGE_TEXGEN], is_bumped ? bumped_reflection : (GLint)texgen);
    gl->Uniform3fv(uniforms[MD5GL_TEXTURE_ROWS], 2,
                   stage->has_matrix ? stage->matrix[0] : identity);
    gl->Uniform4fv(uniforms[MD5GL_STAGE_COLOUR], 1, color);
    gl->Uniform3i(uniforms[MD5GL_STAGE_MODE], (GLint)stage->vertex_color, (GLint)test,
                  (GLint)alpha);
    gl->Uniform1f(uniforms[MD5GL_ALPHA_LIMIT], test ? stage->alpha_test : 0.0f);
    draw_skin(renderer, &(model_draw){draw->model, MD5GL_LIT, MD5GL_PASS_LIT, NULL}, draw->mesh,
              draw->program, draw->list->skin);
}

// -- Bases ----------------------------------------------------------------------------------------

// Fills depth: where one of the stages that test alpha keeps a pixel, or, if none does, everywhere.
// `is_soft`: alpha decides about samples instead.
static void fill_depth(md5gl_renderer *renderer, const list_draw *draw, bool is_soft)
{
    const md5gl_stage_list *const list = draw->list;
    bool is_cut = false;
    for (uint32_t i = 0; i < list->num_stages; i++) {
        const md5gl_stage *const stage = &list->stages[i];
        if (!stage->is_tested || !(stage->color[3] > 0.0f))
            continue;
        md5gl_stage black = *stage;
        black.color[0] = black.color[1] = black.color[2] = 0.0f;
        black.vertex_color = MD5GL_VERTEX_COLOR_IGNORE; // as in the engine
        draw_layer(renderer, draw, &black, is_soft ? ALPHA_SOFT : ALPHA_TESTED, ALPHA_ONE);
        is_cut = true;
    }
    if (!is_cut)
        draw_layer(renderer, draw, &blank, ALPHA_IGNORED, ALPHA_ONE);
}

// Both sides cast shadows, as in md5gl_draw_shadows().
static void draw_shadow(md5gl_renderer *renderer, const list_draw *draw)
{
    if (!renderer->shadowed || !has_base(draw->list) || !draw->list->casts_shadow)
        return;
    renderer->gl.Disable(GL_BLEND);
    set_depth(renderer, GL_LEQUAL, true);
    set_sides(renderer, MD5GL_CULL_NONE);
    for (uint32_t i = renderer->first_map; i < renderer->end_map; i++) {
        md5gli_bind_map(renderer, &renderer->maps[i]);
        fill_depth(renderer, draw, false);
    }
    md5gli_bind_frame(renderer);
}

// Draws a mesh lit with a material, or with that of its skin if it is NULL.
static void draw_lit(md5gl_renderer *renderer, const list_draw *draw,
                     const md5gl_material *material)
{
    const model_draw lit = {draw->model, MD5GL_LIT, MD5GL_PASS_LIT, NULL};
    md5gl_surface surface = *md5gli_surface_of(draw->model, draw->list->skin, draw->list->mesh);
    if (material)
        surface.material = *material;
    md5gli_set_coverage(renderer, true);
    const md5gl_program *const program = program_of(renderer, &lit, draw->mesh, &surface);
    set_up_mesh(renderer, &lit, draw->mesh, &surface, program);
    draw_skin(renderer, &lit, draw->mesh, program, draw->list->skin);
    md5gli_set_coverage(renderer, false);
}

// Draws the light of all lit layers, of which the first one replaces what is there unless it
// `is_added`, too.
static void draw_light(md5gl_renderer *renderer, const list_draw *draw, bool is_added)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_stage_list *const list = draw->list;
    gl->BlendFuncSeparate(GL_ONE, GL_ONE, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    if (is_added)
        gl->Enable(GL_BLEND);
    draw_lit(renderer, draw, NULL);
    gl->Enable(GL_BLEND);
    for (uint32_t i = 0; i < list->num_lit_layers; i++) {
        md5gl_material added = list->lit_layers[i];
        added.is_opaque = true;
        added.two_sided =
            md5gli_surface_of(draw->model, list->skin, list->mesh)->material.two_sided;
        draw_lit(renderer, draw, &added);
    }
}

static md5gl_cull lit_cull_of(const list_draw *draw)
{
    const md5gl_stage_list *const list = draw->list;
    if (md5gli_surface_of(draw->model, list->skin, list->mesh)->material.two_sided)
        return MD5GL_CULL_NONE;
    return list->cull == MD5GL_CULL_FRONT ? MD5GL_CULL_FRONT : MD5GL_CULL_BACK;
}

// Switches the shadows on what is drawn.
static void set_shadowing(md5gl_renderer *renderer, bool on)
{
    const float value = on ? 1.0f : 0.0f;
    renderer->gl.BindBuffer(GL_UNIFORM_BUFFER, renderer->frame_block);
    renderer->gl.BufferSubData(GL_UNIFORM_BUFFER, offsetof(md5gl_frame_block, shadow), sizeof value,
                               &value);
}

// Adds the light of a translucent surface. Its alpha is what it covers, as that of added stages.
static void add_light(md5gl_renderer *renderer, const list_draw *draw)
{
    if (draw->list->base != MD5GL_BASE_ADDED)
        return;
    set_depth_offset(renderer, draw->list->depth_offset);
    set_depth(renderer, GL_LEQUAL, false);
    set_sides(renderer, lit_cull_of(draw));
    set_shadowing(renderer, false);
    renderer->adds_light = true;
    draw_light(renderer, draw, true);
    renderer->adds_light = false;
    set_shadowing(renderer, renderer->shadowed);
}

static void draw_base(md5gl_renderer *renderer, const list_draw *draw)
{
    const md5gl_stage_list *const list = draw->list;
    const bool is_lit = list->base == MD5GL_BASE_LIT;
    if (!has_base(list))
        return;
    renderer->gl.Disable(GL_BLEND);
    set_depth_offset(renderer, list->depth_offset);
    set_depth(renderer, GL_LEQUAL, true);
    set_sides(renderer, is_lit ? lit_cull_of(draw) : list->cull);
    // Where samples are many, edges are as soft as those of other cut-outs. What is drawn over the
    // base has its depth, so keeps its samples.
    md5gli_set_coverage(renderer, true);
    write_channels(renderer, is_lit ? UINT32_MAX : 0,
                   !is_lit && !(renderer->multisampled && renderer->opaque));
    fill_depth(renderer, draw, renderer->multisampled);
    md5gli_set_coverage(renderer, false);
    if (!is_lit)
        return;
    write_channels(renderer, 0, true);
    set_depth(renderer, GL_EQUAL, false);
    draw_light(renderer, draw, false);
}

// -- Blended stages ------------------------------------------------------------------------------

static void draw_list(md5gl_renderer *renderer, const list_draw *draw)
{
    const md5gl_stage_list *const list = draw->list;
    bool uses_alpha = false; // of the target
    if (list->num_stages == 0)
        return;
    for (uint32_t i = 0; i < list->num_stages; i++)
        uses_alpha = uses_alpha || reads_target_alpha(list->stages[i].source)
                     || reads_target_alpha(list->stages[i].target);
    set_depth_offset(renderer, list->depth_offset);
    set_sides(renderer, list->cull);
    for (uint32_t i = 0; i < list->num_stages; i++) {
        const md5gl_stage *const stage = &list->stages[i];
        // Nothing changes: such stages are there for their alpha test.
        if (stage->source == MD5GL_FACTOR_ZERO && stage->target == MD5GL_FACTOR_ONE
            && !stage->writes_depth)
            continue;
        const enum written_alpha alpha = set_blending(renderer, stage, uses_alpha);
        set_depth_offset(renderer,
                         stage->depth_offset != 0.0f ? stage->depth_offset : list->depth_offset);
        set_depth(renderer, stage->depth_equal ? GL_EQUAL : GL_LEQUAL, stage->writes_depth);
        const bool is_tested = stage->is_tested && !has_base(list);
        draw_layer(renderer, draw, stage, is_tested ? ALPHA_TESTED : ALPHA_IGNORED, alpha);
    }
    set_depth_offset(renderer, list->depth_offset);
    if (uses_alpha) {
        // The surface becomes opaque again.
        const bool is_equal = list->stages[list->num_stages - 1].depth_equal;
        if (renderer->opaque || is_equal) {
            renderer->gl.Disable(GL_BLEND);
            set_depth(renderer, is_equal ? GL_EQUAL : GL_LEQUAL, false);
            write_channels(renderer, UINT32_MAX, true);
            draw_layer(renderer, draw, &blank, ALPHA_IGNORED, ALPHA_ONE);
        }
    }
}

// Draws what `draw_part` draws of lists; it does nothing if a list has no such part.
static bool draw_lists(md5gl_renderer *renderer, const md5gl_model *model,
                       const md5gl_stage_list *lists, uint32_t count,
                       void (*draw_part)(md5gl_renderer *renderer, const list_draw *draw),
                       md5_error *error)
{
    renderer->gl.Enable(GL_DEPTH_TEST);
    bool built = true;
    MD5_VALIDATE_RESERVED(lists, count);
    for (uint32_t i = 0; i < count && built; i++) {
        const md5gl_stage_list *const list = &lists[i];
        MD5_ASSERT(list->mesh < model->model->num_meshes,
                   "mesh: must be an index into the model's meshes");
        MD5_ASSERT(list->skin < model->num_skins, "skin: must be below the number of skins");
        MD5_ASSERT((unsigned)list->base <= MD5GL_BASE_ADDED, "base: must be a value of md5gl_base");
        MD5_ASSERT((unsigned)list->cull <= MD5GL_CULL_NONE, "cull: must be a value of md5gl_cull");
        MD5_ASSERT(list->stages != NULL || list->num_stages == 0, "stages: must not be NULL");
        MD5_ASSERT(list->lit_layers != NULL || list->num_lit_layers == 0,
                   "lit_layers: must not be NULL");
        MD5_VALIDATE_RESERVED(list->stages, list->num_stages);
        for (uint32_t j = 0; j < list->num_stages; j++) {
            const md5gl_stage *const stage = &list->stages[j];
            MD5_ASSERT((unsigned)stage->source <= MD5GL_FACTOR_SOURCE_ALPHA_SATURATE,
                       "source: must be a value of md5gl_factor");
            MD5_ASSERT((unsigned)stage->target < MD5GL_FACTOR_SOURCE_ALPHA_SATURATE,
                       "target: must be a value of md5gl_factor, but not SATURATE");
            MD5_ASSERT((unsigned)stage->vertex_color <= MD5GL_VERTEX_COLOR_INVERSE,
                       "vertex_color: must be a value of md5gl_vertex_color");
            MD5_ASSERT((unsigned)stage->texgen <= MD5GL_TEXGEN_SCREEN,
                       "texgen: must be a value of md5gl_texgen");
            (void)stage; // unused without assertions
        }
        list_draw draw = {model, list, &model->meshes[list->mesh], NULL};
        if (!draw.mesh->visible || draw.mesh->mesh->num_triangles == 0 || model->num_batches == 0)
            continue;
        draw.program = md5gli_program_of(renderer, model, draw.mesh, MD5GL_PASS_STAGE, error);
        built = draw.program != NULL;
        if (built)
            draw_part(renderer, &draw);
    }
    // Back to what the frame began with, which other draws rely on.
    const GladGLContext *gl = &renderer->gl;
    set_depth_offset(renderer, 0.0f);
    set_depth(renderer, GL_LEQUAL, true);
    gl->CullFace(GL_BACK);
    gl->Disable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    return built;
}

bool md5gl_draw_stages(md5gl_renderer *renderer, const md5gl_model *model, md5gl_stage_pass pass,
                       const md5gl_stage_list *lists, uint32_t count, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!renderer || !model) {
        md5gli_fail_missing(error, renderer ? "model" : "renderer");
        return false;
    }
    MD5_ASSERT((unsigned)pass <= MD5GL_STAGE_PASS_STAGES,
               "pass: must be a value of md5gl_stage_pass");
    MD5_ASSERT(lists != NULL || count == 0, "lists: must not be NULL");
    MD5GL_ASSERT_IN_FRAME(renderer);
    if (pass == MD5GL_STAGE_PASS_SHADOWS)
        return draw_lists(renderer, model, lists, count, draw_shadow, error);
    if (pass == MD5GL_STAGE_PASS_BASES)
        return draw_lists(renderer, model, lists, count, draw_base, error);
    return draw_lists(renderer, model, lists, count, add_light, error)
           && draw_lists(renderer, model, lists, count, draw_list, error);
}
