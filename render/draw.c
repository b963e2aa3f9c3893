// Draws posed models and their material stages, and reads skinned vertices back.
//
// A pass (model_draw) draws all meshes of a model for one purpose, such as light, depth or edges. A
// stage list (list_draw) draws one mesh with the blended texture layers of a Doom 3 material.
// md5gl_capture() reads skinned vertices back, so that tests can compare them with the CPU skin.
//
// md5gl_pose() has divided the instances of a model in two ways, into runs and into batches. A run
// is a sequence of instances with the same skin (set of materials) and the same winding. A batch is
// a sequence of instances whose joint matrices fit into one table. Runs and batches can overlap, so
// a mesh needs one instanced draw call for each pair of a run and a batch that share instances.
#include "render/md5gl_game.h"
#include "render/gl_internal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// -- Passes -----------------------------------------------------------------------------------

// One draw of all meshes of a model for one purpose.
typedef struct model_draw {
    const md5gl_model *model;
    uint32_t style; // flags of md5gl_style
    enum md5gl_pass pass;
    const float *color; // RGBA of MD5GL_PASS_EDGES; NULL in all other passes
} model_draw;

// The limit of the alpha test for opaque materials, with which every texel passes.
// shaders/surface.glsl softens the edge around the limit. Therefore the limit must be far below 0,
// the lowest alpha.
static const float no_alpha_test = -1000.0f;

// Clamps a value to 0..1. Not a number becomes 0.
static float clamp_to_unit(float value)
{
    if (!(value > 0.0f))
        return 0.0f;
    return value < 1.0f ? value : 1.0f;
}

// Converts a value of an sRGB channel, 0..1, to a linear value.
static float linear_from_srgb(float value)
{
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

// Writes the diffuse or specular color of a material for the shader. Materials specify colors in
// sRGB. The studio's light multiplies linear colors, so `is_linear` converts the color. The classic
// light multiplies sRGB values, as Doom 3 does. Black is the initial value of a material's color
// and means white: the texture is not tinted.
static void write_material_color(md5_vec3 color, bool is_linear, float rgb[3])
{
    const float values[3] = {color.x, color.y, color.z};
    const bool is_white = color.x == 0.0f && color.y == 0.0f && color.z == 0.0f;
    for (uint32_t i = 0; i < 3; i++) {
        const float value = clamp_to_unit(values[i]);
        if (is_white)
            rgb[i] = 1.0f;
        else
            rgb[i] = is_linear ? linear_from_srgb(value) : value;
    }
}

// Returns true if md5gl_pose() has skinned the vertices of a mesh and stored them in the buffer
// `posed`. If false, the vertex shader of each draw computes the vertices.
static bool is_skinned_before(const md5gl_model *model, const md5gl_mesh *mesh)
{
    return mesh->posed && !model->baked;
}

// Makes the bound vertex array of a mesh read the vertices of one instance from the buffer `posed`.
// `has_previous` is true if the program draws motion vectors. Such a program also reads the
// positions of the instance in the previous frame. If the buffer does not contain them, the shader
// reads the current positions instead, and the motion is 0.
static void set_posed_attributes(md5gl_renderer *renderer, const md5gl_model *model,
                                 const md5gl_mesh *mesh, uint32_t instance, bool has_previous)
{
    const GladGLContext *gl = &renderer->gl;
    const size_t num_vertices = mesh->deform.num_vertices; // per instance
    const md5gl_layout layout =
        md5gli_make_layout(num_vertices * mesh->posed_count, MD5GL_NUM_ARRAYS);
    // A deform also computes texture coordinates and colors for each instance. Without a deform,
    // these attributes are equal in all instances and remain in the buffer `vertices`.
    const uint32_t num_arrays = mesh->deform.write ? MD5GL_NUM_ARRAYS : MD5GL_ARRAY_TEXCOORDS;
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->posed);
    md5gli_set_attributes(gl, &layout, num_vertices * instance, 0, num_arrays);

    if (has_previous) {
        size_t previous_instance = instance;
        if (mesh->posed_count > model->num_instances) // the previous instances follow the current
            previous_instance += model->num_instances;
        const size_t offset = num_vertices * previous_instance * sizeof(md5_vec3);
        gl->VertexAttribPointer(MD5GL_AT_PREVIOUS, 3, GL_FLOAT, GL_FALSE, 0, (const void *)offset);
        gl->EnableVertexAttribArray(MD5GL_AT_PREVIOUS);
    }
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
}

// Returns true if no texel of a surface can be cut out by its alpha. The depth pass can then draw
// the surface without a texture and without a fragment shader, which is faster. Returns false if
// md5gl_pose() has not examined the material yet.
static bool is_surface_opaque(const md5gl_model *model, const md5gl_surface *surface)
{
    return !model->faded && surface->is_opacity_computed && !surface->is_alpha_tested;
}

// Returns the pass whose program draws a surface. The lit pass has a separate program for each kind
// of light. The depth pass has a faster program for opaque surfaces.
static enum md5gl_pass effective_pass(const md5gl_renderer *renderer, const model_draw *draw,
                                      const md5gl_surface *surface)
{
    if (draw->pass == MD5GL_PASS_LIT)
        return renderer->lit_pass;
    if (draw->pass == MD5GL_PASS_DEPTH && is_surface_opaque(draw->model, surface))
        return MD5GL_PASS_DEPTH_OPAQUE;
    return draw->pass;
}

// Returns the program that draws a mesh in a pass. If the program for the frame's light cannot be
// built, returns the program for the studio's light. The mesh then remains visible. Returns NULL if
// the program of any other pass cannot be built. The caller then skips the mesh.
static const md5gl_program *get_pass_program(md5gl_renderer *renderer, const model_draw *draw,
                                             const md5gl_mesh *mesh, const md5gl_surface *surface)
{
    md5_error error = {0};
    const md5gl_program *const program = md5gli_get_mesh_program(
        renderer, draw->model, mesh, effective_pass(renderer, draw, surface), &error);
    if (program)
        return program;
    md5gli_fail_light(renderer, &error);
    if (draw->pass != MD5GL_PASS_LIT)
        return NULL;
    return md5gli_get_mesh_program(renderer, draw->model, mesh, MD5GL_PASS_LIT, NULL);
}

// Uses a program and sets the uniforms that all instances share. `material` specifies how vertex
// colors are used. For stages `material` is NULL, because draw_stage() sets the use of vertex
// colors itself.
static void use_model_program(md5gl_renderer *renderer, const md5gl_model *model,
                              const md5gl_mesh *mesh, const md5gl_material *material,
                              const md5gl_program *program)
{
    const GladGLContext *gl = &renderer->gl;
    const bool has_colors = mesh->mesh->colors || mesh->deform.write;
    const bool ignores_colors = material && material->no_vertex_color;
    const bool inverts_colors = material && material->inverse_vertex_color;
    GLint colored = 0; // vertex colors are 0: not used, 1: used, 2: inverted
    if (has_colors && !ignores_colors)
        colored = inverts_colors ? 2 : 1;
    gl->UseProgram(program->name);
    md5gli_set_integer(gl, program, MD5GL_PLACED, model->placed);
    md5gli_set_integer(gl, program, MD5GL_TINTED, model->tinted);
    md5gli_set_integer(gl, program, MD5GL_COLORED, colored);
}

// Returns the alpha limit of a material: the shader discards texels with a lower alpha. The default
// is 0.5.
static float alpha_limit(const md5gl_material *material)
{
    if (material->is_opaque)
        return no_alpha_test;
    return material->alpha_test > 0.0f ? material->alpha_test : 0.5f;
}

// Binds a 2D texture. A unit must not remain empty, so the white texture is bound if `texture` is
// 0.
static void bind_or_white(md5gl_renderer *renderer, const md5gl_program *program,
                          enum md5gl_unit unit, md5gl_texture texture)
{
    md5gli_bind_texture(renderer, program, unit, GL_TEXTURE_2D,
                        texture ? texture : renderer->white);
}

// Binds the textures of a material. Sets the uniform `maps`, which contains the maps that the
// material has. With the style MD5GL_UNTEXTURED, the surface is gray and does not glow.
static void bind_material(md5gl_renderer *renderer, const md5gl_material *material, uint32_t style,
                          const md5gl_program *program)
{
    const bool is_untextured = (style & MD5GL_UNTEXTURED) != 0;
    const md5gl_texture diffuse = is_untextured ? renderer->gray : material->diffuse;
    const md5gl_texture glow = is_untextured ? 0 : material->glow;
    bind_or_white(renderer, program, MD5GL_UNIT_TEXTURE, diffuse);
    bind_or_white(renderer, program, MD5GL_UNIT_NORMALS, material->normals);
    bind_or_white(renderer, program, MD5GL_UNIT_SPECULAR, material->specular);
    bind_or_white(renderer, program, MD5GL_UNIT_GLOW, glow);

    if (program->uniforms[MD5GL_MAPS] >= 0) {
        GLint specular_mode = 0; // 1: a specular map, 2: its alpha marks thin parts
        if (material->specular)
            specular_mode = material->has_thin_parts ? 2 : 1;
        renderer->gl.Uniform3i(program->uniforms[MD5GL_MAPS], material->normals != 0, specular_mode,
                               glow != 0);
    }
}

// Returns the value of the uniform `alpha_mode`. It selects what shaders/lit.frag writes as alpha:
// 1, the coverage of the pixel, or the largest color component.
static GLint alpha_mode(const md5gl_renderer *renderer)
{
    enum { ALPHA_IS_ONE, ALPHA_IS_COVERAGE, ALPHA_IS_LARGEST_COMPONENT };
    if (renderer->adds_light)
        return ALPHA_IS_LARGEST_COMPONENT;
    return renderer->multisampled ? ALPHA_IS_COVERAGE : ALPHA_IS_ONE;
}

// Sets all state for drawing a mesh except its vertices: the program, culling, and the textures and
// uniforms of the material. Not all programs have all of the uniforms. GL ignores a uniform that
// the program does not have, because its location is -1.
static void set_up_mesh(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                        const md5gl_surface *surface, const md5gl_program *program)
{
    static const float default_gloss = 0.45f;
    const GladGLContext *gl = &renderer->gl;
    const md5gl_material *const material = &surface->material;
    use_model_program(renderer, draw->model, mesh, material, program);
    bind_material(renderer, material, draw->style, program);

    if (program->uniforms[MD5GL_SURFACE] >= 0) {
        const float gloss = material->gloss > 0.0f ? material->gloss : default_gloss;
        gl->Uniform2f(program->uniforms[MD5GL_SURFACE], gloss, alpha_limit(material));
    }
    if (program->uniforms[MD5GL_PAINTS] >= 0) {
        float colors[6]; // diffuse, specular
        write_material_color(material->diffuse_color, !renderer->is_classic, colors);
        write_material_color(material->specular_color, !renderer->is_classic, colors + 3);
        gl->Uniform3fv(program->uniforms[MD5GL_PAINTS], 2, colors);
    }
    md5gli_set_integer(gl, program, MD5GL_ALPHA_MODE, alpha_mode(renderer));
    if (draw->color)
        gl->Uniform4fv(program->uniforms[MD5GL_FLAT_COLOR], 1, draw->color);

    const bool shows_both_sides = (draw->style & MD5GL_NO_CULLING) != 0 || material->two_sided;
    if (shows_both_sides)
        gl->Disable(GL_CULL_FACE);
    else
        gl->Enable(GL_CULL_FACE);
}

// Returns true if a pass draws edges from the buffer of line indices. OpenGL ES needs this buffer,
// because it has no glPolygonMode() to draw triangles as lines.
static bool uses_line_indices(const md5gl_renderer *renderer, const model_draw *draw)
{
    return renderer->is_es && draw->pass == MD5GL_PASS_EDGES;
}

// The instances of one batch that a draw includes. All indices are indices into the instances of
// the model.
typedef struct batch_range {
    const md5gl_batch *batch;
    uint32_t batch_first; // first instance of the batch
    uint32_t first;       // first instance that is drawn
    uint32_t end;         // end of the drawn instances
} batch_range;

// Draws one mesh for some instances of one batch. The state of the mesh is already set. If the
// vertex shader skins, one instanced draw call suffices. If the vertices are in the buffer `posed`,
// each instance has its own vertices there and needs its own draw call.
static void draw_range(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                       const md5gl_program *program, const batch_range *range)
{
    const GladGLContext *gl = &renderer->gl;
    const bool has_lines = uses_line_indices(renderer, draw);
    const GLenum primitive = has_lines ? GL_LINES : GL_TRIANGLES;
    const GLsizei num_edges = (GLsizei)(3 * mesh->deform.num_triangles);
    const GLsizei num_indices = has_lines ? 2 * num_edges : num_edges; // a line has two ends
    md5gli_bind_mesh(renderer, draw->model, mesh, program, range->batch, range->batch_first);
    if (has_lines)
        gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->edges);

    const bool is_posed = is_skinned_before(draw->model, mesh);
    const bool has_previous = program->uniforms[MD5GL_PREVIOUS] >= 0;
    const uint32_t instances_per_call = is_posed ? 1 : range->end - range->first;
    for (uint32_t i = range->first; i < range->end; i += instances_per_call) {
        if (is_posed)
            set_posed_attributes(renderer, draw->model, mesh, i, has_previous);
        md5gli_set_integer(gl, program, MD5GL_FIRST_INSTANCE, (GLint)(i - range->batch_first));
        gl->DrawElementsInstanced(primitive, num_indices, GL_UNSIGNED_INT, NULL,
                                  (GLsizei)instances_per_call);
    }

    // The index buffer is part of the vertex array, so other passes would draw the lines. Restore
    // the triangles.
    if (has_lines)
        gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
}

// Draws one mesh for the instances of a run. The state of the mesh is already set. A mirrored
// placement reverses the winding of triangles, so a mirrored run is drawn with the opposite front
// face.
static void draw_mesh_run(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                          const md5gl_program *program, const md5gl_run *run)
{
    const GladGLContext *gl = &renderer->gl;
    const bool is_deformed = mesh->deform.write != NULL;
    if (is_deformed && uses_line_indices(renderer, draw)) // they belong to the undeformed mesh
        return;

    if (run->is_mirrored)
        gl->FrontFace(renderer->front_face == GL_CW ? GL_CCW : GL_CW);

    // A batch can overlap the run only partly. Draw the instances that are in both.
    const uint32_t run_end = run->first + run->count;
    uint32_t batch_first = 0;
    for (uint32_t i = 0; i < draw->model->num_batches; i++) {
        const md5gl_batch *const batch = &draw->model->batches[i];
        const uint32_t batch_end = batch_first + batch->count;
        const uint32_t first = run->first > batch_first ? run->first : batch_first;
        const uint32_t end = run_end < batch_end ? run_end : batch_end;
        if (first < end)
            draw_range(renderer, draw, mesh, program,
                       &(batch_range){batch, batch_first, first, end});
        batch_first = batch_end;
    }

    if (run->is_mirrored)
        gl->FrontFace(renderer->front_face);
}

// Returns the number of runs of the model's instances. If md5gl_pose() has stored no runs, all
// instances have skin 0 and are one run.
static uint32_t count_runs(const md5gl_model *model)
{
    if (model->num_runs > 0)
        return model->num_runs;
    return model->num_instances > 0 ? 1 : 0;
}

// Returns a run of the model's instances. `index` must be below the result of count_runs().
static md5gl_run get_run(const md5gl_model *model, uint32_t index)
{
    if (model->num_runs > 0)
        return model->runs[index];
    return (md5gl_run){.count = model->num_instances};
}

// Draws one mesh for all instances with a skin. The state of the mesh is already set.
static void draw_skin(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                      const md5gl_program *program, uint32_t skin)
{
    const uint32_t num_runs = count_runs(draw->model);
    for (uint32_t i = 0; i < num_runs; i++) {
        const md5gl_run run = get_run(draw->model, i);
        if (run.skin == skin)
            draw_mesh_run(renderer, draw, mesh, program, &run);
    }
}

// Returns true if a pass does not draw surfaces with a material. The depth pass draws shadow maps
// and skips materials with no_shadow. All other passes except the edges skip materials that
// md5gl_draw_stages() draws.
static bool is_skipped(enum md5gl_pass pass, const md5gl_material *material)
{
    if (pass == MD5GL_PASS_DEPTH)
        return material->no_shadow;
    return pass != MD5GL_PASS_EDGES && material->is_staged;
}

// Draws all visible meshes of a model in a pass. The instances are drawn in runs, which are
// consecutive instances with the same skin (md5gl_run). The meshes of a run have the materials of
// its skin.
static void draw_pass(md5gl_renderer *renderer, const model_draw *draw)
{
    const md5gl_model *const model = draw->model;
    const uint32_t num_runs = count_runs(model);
    for (uint32_t r = 0; r < num_runs; r++) {
        const md5gl_run run = get_run(model, r);
        for (uint32_t i = 0; i < model->model->num_meshes; i++) {
            const md5gl_mesh *const mesh = &model->meshes[i];
            const md5gl_surface *const surface = md5gli_get_surface(model, run.skin, i);
            if (!mesh->visible || mesh->mesh->num_triangles == 0)
                continue;
            if (is_skipped(draw->pass, &surface->material))
                continue;

            const md5gl_program *const program = get_pass_program(renderer, draw, mesh, surface);
            if (!program)
                continue;
            set_up_mesh(renderer, draw, mesh, surface, program);
            draw_mesh_run(renderer, draw, mesh, program, &run);
        }
    }
}

// Switches alpha to coverage on or off. In a multisampled target, it converts the alpha of a pixel
// to the number of samples that are drawn. Cut-out edges therefore become soft without sorting.
//
// The stored alpha must nevertheless be 1. In an opaque target it is already 1, so alpha is masked.
// GL_SAMPLE_ALPHA_TO_ONE would be simpler, but OpenGL ES does not have it, and llvmpipe ignores it.
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

// Switches drawing of triangles as lines on or off. The lines lie exactly in the surface, so they
// must be moved towards the viewer to be visible. OpenGL has a polygon offset for lines. OpenGL ES
// does not, so a slightly nearer depth range is set instead.
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
    const float offset = on ? -1.0f : 0.0f;
    gl->PolygonOffset(offset, offset);
}

void md5gli_draw_for_impostors(md5gl_renderer *renderer, const md5gl_model *model)
{
    draw_pass(renderer, &(model_draw){model, MD5GL_LIT, MD5GL_PASS_IMPOSTOR, NULL});
}

// -- Public -----------------------------------------------------------------------------------

// Draws all instances of a model into the shadow maps of the frame, so that they cast shadows.
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

// Lets the host's geometry cast shadows: calls draw(user, map) for each shadow map of the frame.
// Afterwards it sets the GL state again, as md5gl_resume_frame() does.
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

// Draws the edges of all triangles of a model as lines. Over a lit surface the lines are dark.
// Without a surface they have a medium tone, which is visible on dark and light backgrounds. The
// colors are premultiplied by alpha.
static void draw_edges(md5gl_renderer *renderer, const md5gl_model *model, uint32_t style)
{
    static const float over_surface[4] = {0.02f, 0.02f, 0.03f, 0.6f};
    static const float without_surface[4] = {0.45f, 0.58f, 0.70f, 1.0f};
    const float *const color = style & MD5GL_LIT ? over_surface : without_surface;
    renderer->gl.Enable(GL_BLEND);
    set_edge_mode(renderer, true);
    draw_pass(renderer, &(model_draw){model, style, MD5GL_PASS_EDGES, color});
    set_edge_mode(renderer, false);
}

// Draws all instances of a model: lit surfaces, then the edges of triangles as lines, as `style`
// selects.
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

    if (style & MD5GL_WIREFRAME)
        draw_edges(renderer, model, style);
}

// Draws data about the visible surfaces instead of an image: ids for picking, depth, normals and
// motion vectors. Engines use this data for temporal antialiasing, ambient occlusion and similar
// effects.
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
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (!md5gli_get_mesh_program(renderer, model, &model->meshes[i], MD5GL_PASS_OUTPUTS, error))
            return false;
    }

    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    draw_pass(renderer, &(model_draw){model, MD5GL_LIT, MD5GL_PASS_OUTPUTS, NULL});
    return true;
}

// -- Capturing --------------------------------------------------------------------------------

// Reads the first `size` bytes of the buffer that is bound for transform feedback. OpenGL ES has no
// glGetBufferSubData(), so there the buffer is mapped. Returns false and fills the error if the
// driver cannot map it.
static bool read_captured(md5gl_renderer *renderer, size_t size, void *data, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const GLenum binding = GL_TRANSFORM_FEEDBACK_BUFFER;
    if (gl->GetBufferSubData) {
        gl->GetBufferSubData(binding, 0, (GLsizeiptr)size, data);
        return true;
    }
    const void *bytes = NULL;
    if (gl->MapBufferRange)
        bytes = gl->MapBufferRange(binding, 0, (GLsizeiptr)size, GL_MAP_READ_BIT);
    if (!bytes)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "cannot read back vertices: the driver cannot map %zu bytes", size);
    memcpy(data, bytes, size);
    gl->UnmapBuffer(binding);
    return true;
}

// Creates the buffers that receive the outputs of a vertex shader (transform feedback), and binds
// buffer i to output i. sizes[] is in bytes.
static void create_capture_buffers(const GladGLContext *gl, const size_t sizes[MD5GL_NUM_CAPTURED],
                                   GLuint buffers[MD5GL_NUM_CAPTURED])
{
    gl->GenBuffers(MD5GL_NUM_CAPTURED, buffers);
    for (uint32_t i = 0; i < MD5GL_NUM_CAPTURED; i++) {
        gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
        gl->BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)sizes[i], NULL, GL_STREAM_READ);
        gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i]);
    }
}

// Runs the vertex shader for all vertices of a mesh in the first instance, and reads its outputs
// back: positions, normals and tangents. An output that is NULL is not read.
static bool capture_vertices(md5gl_renderer *renderer, const md5gl_model *model,
                             const md5gl_mesh *mesh, const md5gl_program *program,
                             const size_t sizes[MD5GL_NUM_CAPTURED],
                             void *const outputs[MD5GL_NUM_CAPTURED], md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    gl->UseProgram(program->name);
    md5gli_bind_mesh(renderer, model, mesh, program, &model->batches[0], 0);
    if (is_skinned_before(model, mesh))
        set_posed_attributes(renderer, model, mesh, 0, false);

    // Draw each vertex as a point, so that every vertex is written once. Nothing is rasterized.
    GLuint buffers[MD5GL_NUM_CAPTURED] = {0};
    create_capture_buffers(gl, sizes, buffers);
    gl->Enable(GL_RASTERIZER_DISCARD);
    gl->BeginTransformFeedback(GL_POINTS);
    gl->DrawArrays(GL_POINTS, 0, (GLsizei)mesh->mesh->num_vertices);
    gl->EndTransformFeedback();
    gl->Disable(GL_RASTERIZER_DISCARD);

    bool is_read = true;
    for (uint32_t i = 0; i < MD5GL_NUM_CAPTURED && is_read; i++) {
        gl->BindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
        if (outputs[i])
            is_read = read_captured(renderer, sizes[i], outputs[i], error);
    }
    gl->DeleteBuffers(MD5GL_NUM_CAPTURED, buffers);
    return is_read;
}

// Makes sure that the model has an instance to capture. If `palette` is not NULL, replaces all
// instances by one instance with this palette. If it is NULL, keeps the current instances. Returns
// false and fills the error on failure.
static bool pose_captured(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palette,
                          md5_error *error)
{
    const md5gl_instances instance = {.count = 1, .palettes = palette};
    if (palette && !md5gl_pose(renderer, model, &instance, error))
        return false;
    if (model->num_batches > 0)
        return true;
    return md5gli_fail(error, MD5_ERROR_RANGE,
                       "palette is missing: expected a palette, or a model with instances");
}

// Reads back the vertices that the GPU computes for one mesh, for tests that compare them with
// md5_skin(). Writes positions, normals and tangents of all vertices. `palette` contains the skin
// matrices of all joints. If it is NULL, the first of the current instances is captured.
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

    const md5gl_mesh *const mesh = &model->meshes[mesh_index];
    const size_t count = mesh->mesh->num_vertices;
    if (count == 0)
        return true;

    (void)md5gli_clear_errors(renderer);
    md5gli_reset_state(renderer);
    if (!pose_captured(renderer, model, palette, error))
        return false;
    const md5gl_program *const program =
        md5gli_get_mesh_program(renderer, model, mesh, MD5GL_PASS_CAPTURE, error);
    if (!program)
        return false;

    const size_t sizes[MD5GL_NUM_CAPTURED] = {count * sizeof *positions, count * sizeof *normals,
                                              count * sizeof *tangents};
    void *const outputs[MD5GL_NUM_CAPTURED] = {positions, normals, tangents};
    const bool is_read = capture_vertices(renderer, model, mesh, program, sizes, outputs, error);
    md5gli_reset_state(renderer);
    if (palette) // the temporary instance must not be drawn
        model->num_batches = 0;
    return is_read && md5gli_check(renderer, "capturing vertices", error)
           && md5gli_check_context(renderer, error);
}

// == Stages ======================================================================================
//
// A stage is one texture layer of a Doom 3 material. It is drawn over the whole mesh by the program
// of MD5GL_PASS_STAGE. Stages differ in uniforms and in GL state, such as blending, masks and
// depth. A stage list contains the stages of one mesh and its base, the surface below the stages.
// The base of an opaque material fills the depth buffer before its stages are drawn.
//
// Stage lists are drawn in four parts: shadows, opaque bases, the light of translucent surfaces,
// and finally the stages, which are blended over the image.
//
// In the comments below, "the engine" is Doom 3's. These rules apply to all stages:
//
// - Texels are used without sRGB decoding, because the engine blends the bytes of the files.
// - Alpha in the target is coverage, unless a stage of the list reads it.
// - A base with holes is drawn twice: first only its depth, then its light at pixels with equal
//   depth.
// - In multisampled frames, the alpha of a pixel at the edge of a hole in a base selects how many
//   of its samples are drawn. In all other cases, the engine's alpha test applies: a texel is
//   either drawn or discarded.

// One stage list of a model, with the mesh and the program that draw it.
typedef struct list_draw {
    const md5gl_model *model;
    const md5gl_stage_list *list;
    const md5gl_mesh *mesh;
    const md5gl_program *program;
} list_draw;

// The alpha that the shader writes. shaders/stage.frag uses the same values.
enum written_alpha {
    ALPHA_UNCHANGED,
    ALPHA_ONE,
    ALPHA_MAX_COMPONENT, // the largest of red, green and blue
};

// -- State ----------------------------------------------------------------------------------------

// Returns the OpenGL constant of a blend factor.
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

// Returns true if a blend factor depends on the alpha of the target.
static bool reads_target_alpha(md5gl_factor factor)
{
    return factor == MD5GL_FACTOR_TARGET_ALPHA || factor == MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA
           || factor == MD5GL_FACTOR_SOURCE_ALPHA_SATURATE;
}

// Returns true if a blend factor is the alpha of the stage.
static bool reads_source_alpha(md5gl_factor factor)
{
    return factor == MD5GL_FACTOR_SOURCE_ALPHA || factor == MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA;
}

// Returns true if the material of a list is opaque: its base fills the depth buffer.
static bool has_base(const md5gl_stage_list *list)
{
    return list->base == MD5GL_BASE_BLACK || list->base == MD5GL_BASE_LIT;
}

// A number, because C++20 deprecates operations on values of two enumerations.
static const uint32_t all_colors = MD5GL_MASK_RED | MD5GL_MASK_GREEN | MD5GL_MASK_BLUE;

// Sets the channels that draws do not write. `masked` is a combination of MD5GL_MASK_* flags.
static void mask_channels(md5gl_renderer *renderer, uint32_t masked)
{
    renderer->gl.ColorMask(!(masked & MD5GL_MASK_RED), !(masked & MD5GL_MASK_GREEN),
                           !(masked & MD5GL_MASK_BLUE), !(masked & MD5GL_MASK_ALPHA));
}

// Returns true if a stage adds to the coverage of the target, which is stored in the alpha channel.
// A stage that only multiplies the target's color does not. A stage that writes no colors does not.
static bool adds_coverage(const md5gl_stage *stage)
{
    if (stage->source == MD5GL_FACTOR_TARGET_COLOR)
        return false;
    if (stage->source == MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR)
        return false;
    return stage->source != MD5GL_FACTOR_ZERO && (stage->masked & all_colors) != all_colors;
}

// Sets blending and channel masks for a stage, and returns the alpha that the shader must write.
// `uses_alpha` is true if any stage of the list reads the target's alpha. Alpha is then blended as
// the stage specifies. Otherwise the target's alpha is coverage (0 where nothing is drawn), and the
// stage adds its own coverage.
static enum written_alpha set_blending(md5gl_renderer *renderer, const md5gl_stage *stage,
                                       bool uses_alpha)
{
    const GladGLContext *gl = &renderer->gl;
    const GLenum source = blend_factor(stage->source);
    const GLenum target = blend_factor(stage->target);
    gl->Enable(GL_BLEND);

    // If the alpha of the target is used, it is blended with the same factors as the colors.
    if (uses_alpha) {
        gl->BlendFunc(source, target);
        mask_channels(renderer, stage->masked);
        return ALPHA_UNCHANGED;
    }

    // Alpha is coverage. The color factors of the stage do not apply to it. For all stages it is
    //
    //   coverage = alpha of the stage + (1 - alpha of the stage) * previous coverage
    const bool covers = !renderer->opaque && adds_coverage(stage);
    const uint32_t masked_colors = stage->masked & all_colors;
    mask_channels(renderer, covers ? masked_colors : masked_colors | MD5GL_MASK_ALPHA);
    gl->BlendFuncSeparate(source, target, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);

    // The shader can write coverage as alpha only if the color factors do not depend on the
    // source's alpha.
    const bool needs_alpha = reads_source_alpha(stage->source) || reads_source_alpha(stage->target);
    if (!covers || needs_alpha)
        return ALPHA_UNCHANGED;
    return stage->target == MD5GL_FACTOR_ZERO ? ALPHA_ONE : ALPHA_MAX_COMPONENT;
}

// Sets the side of triangles that is not drawn.
static void set_culling(md5gl_renderer *renderer, md5gl_cull cull)
{
    const GladGLContext *gl = &renderer->gl;
    gl->CullFace(cull == MD5GL_CULL_FRONT ? GL_FRONT : GL_BACK);
    if (cull == MD5GL_CULL_NONE)
        gl->Disable(GL_CULL_FACE);
    else
        gl->Enable(GL_CULL_FACE);
}

// Sets the comparison of the depth test, and whether draws write depth.
static void set_depth(md5gl_renderer *renderer, GLenum function, bool writes)
{
    renderer->gl.DepthFunc(function);
    renderer->gl.DepthMask(writes);
}

// Sets an offset of the depth of surfaces, in the smallest steps of the depth buffer. 0 switches it
// off.
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

// The use of a texel's alpha. shaders/stage.frag uses the same values.
enum alpha_test {
    ALPHA_IGNORED,
    ALPHA_TESTED, // texels below the limit are discarded
    ALPHA_SOFT,   // alpha near the limit becomes coverage
};

// A stage that draws the surface in black without a texture.
static const md5gl_stage black_stage = {.color = {0.0f, 0.0f, 0.0f, 1.0f}};

static const GLint bumped_reflection = 5; // a value of stage_texgen in shaders/stage.frag

// Binds the textures of a stage. Binds the cube map if `is_cube`, and the 2D texture otherwise.
// Binds the normal map if `is_bumped`. An unused 2D unit gets the white texture, and an unused cube
// unit gets none.
static void bind_stage_textures(md5gl_renderer *renderer, const md5gl_program *program,
                                const md5gl_stage *stage, bool is_cube, bool is_bumped)
{
    md5gl_texture image = renderer->white;
    if (stage->texture && !is_cube)
        image = stage->texture;
    md5gli_bind_texture(renderer, program, MD5GL_UNIT_SPECULAR, GL_TEXTURE_CUBE_MAP,
                        is_cube ? stage->texture : 0);
    md5gli_bind_texture(renderer, program, MD5GL_UNIT_NORMALS, GL_TEXTURE_2D,
                        is_bumped ? stage->normals : renderer->white);
    md5gli_bind_texture(renderer, program, MD5GL_UNIT_TEXTURE, GL_TEXTURE_2D, image);
}

// Draws one stage of a material on the whole mesh, for all instances with the skin of the list. The
// caller has set blending, masks and depth. The stage's texgen selects the source of its texture
// coordinates. They can be directions that select texels of a cube map.
static void draw_stage(md5gl_renderer *renderer, const list_draw *draw, const md5gl_stage *stage,
                       enum alpha_test test, enum written_alpha alpha)
{
    static const float identity[6] = {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    const GladGLContext *gl = &renderer->gl;
    const GLint *const uniforms = draw->program->uniforms;
    const md5gl_texgen texgen = stage->texture ? stage->texgen : MD5GL_TEXGEN_MESH;
    const bool is_cube = texgen != MD5GL_TEXGEN_MESH && texgen != MD5GL_TEXGEN_SCREEN;
    const bool is_bumped = texgen == MD5GL_TEXGEN_REFLECT && stage->normals != 0;
    use_model_program(renderer, draw->model, draw->mesh, NULL, draw->program);
    bind_stage_textures(renderer, draw->program, stage, is_cube, is_bumped);

    // Set the uniforms of shaders/stage.frag.
    const float *const texture_rows = stage->has_matrix ? stage->matrix[0] : identity;
    float color[4];
    for (uint32_t i = 0; i < 4; i++)
        color[i] = clamp_to_unit(stage->color[i]);
    gl->Uniform1i(uniforms[MD5GL_STAGE_TEXGEN], is_bumped ? bumped_reflection : (GLint)texgen);
    gl->Uniform3fv(uniforms[MD5GL_TEXTURE_ROWS], 2, texture_rows);
    gl->Uniform4fv(uniforms[MD5GL_STAGE_COLOR], 1, color);
    gl->Uniform3i(uniforms[MD5GL_STAGE_MODE], (GLint)stage->vertex_color, (GLint)test,
                  (GLint)alpha);
    gl->Uniform1f(uniforms[MD5GL_ALPHA_LIMIT], test != ALPHA_IGNORED ? stage->alpha_test : 0.0f);

    const model_draw lit = {draw->model, MD5GL_LIT, MD5GL_PASS_LIT, NULL};
    draw_skin(renderer, &lit, draw->mesh, draw->program, draw->list->skin);
}

// -- Bases ----------------------------------------------------------------------------------------

// Draws the surface in black and fills the depth buffer where at least one stage passes its alpha
// test. If no stage has an alpha test, draws the whole surface. If `is_soft`, alpha selects the
// samples of a pixel instead of being tested.
static void fill_depth(md5gl_renderer *renderer, const list_draw *draw, bool is_soft)
{
    const md5gl_stage_list *const list = draw->list;
    const enum alpha_test test = is_soft ? ALPHA_SOFT : ALPHA_TESTED;
    bool has_tested_stage = false;
    for (uint32_t i = 0; i < list->num_stages; i++) {
        const md5gl_stage *const stage = &list->stages[i];
        const bool is_visible = stage->color[3] > 0.0f; // false for NaN
        if (!stage->is_tested || !is_visible)
            continue;
        md5gl_stage black = *stage;
        black.color[0] = black.color[1] = black.color[2] = 0.0f;
        black.vertex_color = MD5GL_VERTEX_COLOR_IGNORE; // as in the engine
        draw_stage(renderer, draw, &black, test, ALPHA_ONE);
        has_tested_stage = true;
    }
    if (!has_tested_stage)
        draw_stage(renderer, draw, &black_stage, ALPHA_IGNORED, ALPHA_ONE);
}

// Draws the surface into all shadow maps of the frame. Both sides cast shadows, as in
// md5gl_draw_shadows().
static void draw_shadow(md5gl_renderer *renderer, const list_draw *draw)
{
    if (!renderer->shadowed || !has_base(draw->list) || !draw->list->casts_shadow)
        return;
    renderer->gl.Disable(GL_BLEND);
    set_depth(renderer, GL_LEQUAL, true);
    set_culling(renderer, MD5GL_CULL_NONE);
    for (uint32_t i = renderer->first_map; i < renderer->end_map; i++) {
        md5gli_bind_map(renderer, &renderer->maps[i]);
        fill_depth(renderer, draw, false);
    }
    md5gli_bind_frame(renderer);
}

// Draws a mesh with a material in the light of the frame. If `material` is NULL, uses the material
// that the mesh has in the skin of the list.
static void draw_lit(md5gl_renderer *renderer, const list_draw *draw,
                     const md5gl_material *material)
{
    const model_draw lit = {draw->model, MD5GL_LIT, MD5GL_PASS_LIT, NULL};
    md5gl_surface surface = *md5gli_get_surface(draw->model, draw->list->skin, draw->list->mesh);
    if (material)
        surface.material = *material;
    md5gli_set_coverage(renderer, true);
    const md5gl_program *const program = get_pass_program(renderer, &lit, draw->mesh, &surface);
    set_up_mesh(renderer, &lit, draw->mesh, &surface, program);
    draw_skin(renderer, &lit, draw->mesh, program, draw->list->skin);
    md5gli_set_coverage(renderer, false);
}

// Returns true if the mesh of a list has a two-sided material in the skin of the list.
static bool is_two_sided(const list_draw *draw)
{
    const md5gl_stage_list *const list = draw->list;
    return md5gli_get_surface(draw->model, list->skin, list->mesh)->material.two_sided;
}

// Draws the lit parts of a material: first the material of the skin, then the additional lit layers
// of the list. The layers are always added to the target. The first part replaces the target's
// color, unless `is_added`.
static void draw_light(md5gl_renderer *renderer, const list_draw *draw, bool is_added)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BlendFuncSeparate(GL_ONE, GL_ONE, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    if (is_added)
        gl->Enable(GL_BLEND);
    draw_lit(renderer, draw, NULL);

    gl->Enable(GL_BLEND);
    for (uint32_t i = 0; i < draw->list->num_lit_layers; i++) {
        md5gl_material layer = draw->list->lit_layers[i];
        layer.is_opaque = true;
        layer.two_sided = is_two_sided(draw);
        draw_lit(renderer, draw, &layer);
    }
}

// Returns the faces that are culled when a list is drawn lit. A two-sided material culls no faces.
// Any other material culls one side, even if the list itself culls none.
static md5gl_cull lit_cull_mode(const list_draw *draw)
{
    if (is_two_sided(draw))
        return MD5GL_CULL_NONE;
    return draw->list->cull == MD5GL_CULL_FRONT ? MD5GL_CULL_FRONT : MD5GL_CULL_BACK;
}

// Switches on or off whether surfaces receive shadows in the draws that follow.
static void set_shadowing(md5gl_renderer *renderer, bool on)
{
    const float value = on ? 1.0f : 0.0f;
    renderer->gl.BindBuffer(GL_UNIFORM_BUFFER, renderer->frame_block);
    renderer->gl.BufferSubData(GL_UNIFORM_BUFFER, offsetof(md5gl_frame_block, shadow), sizeof value,
                               &value);
}

// Adds the light that a translucent surface reflects to the image. Its alpha adds to the coverage
// of the target.
static void draw_light_pass(md5gl_renderer *renderer, const list_draw *draw)
{
    if (draw->list->base != MD5GL_BASE_ADDED)
        return;
    set_depth_offset(renderer, draw->list->depth_offset);
    set_depth(renderer, GL_LEQUAL, false);
    set_culling(renderer, lit_cull_mode(draw));
    set_shadowing(renderer, false);
    renderer->adds_light = true;
    draw_light(renderer, draw, true);
    renderer->adds_light = false;
    set_shadowing(renderer, renderer->shadowed);
}

// Draws the opaque base of a material. First fills the depth buffer, with holes where the alpha
// tests of all stages fail. Then, if the base is lit, draws its light at pixels with equal depth. A
// base that is not lit is black.
static void draw_base(md5gl_renderer *renderer, const list_draw *draw)
{

    const md5gl_stage_list *const list = draw->list;
    const bool is_lit = list->base == MD5GL_BASE_LIT;
    if (!has_base(list))
        return;

    // In an opaque target, alpha must remain 1. With multisampling the shader's alpha selects
    // samples and is not 1, so it is not written.
    const bool keeps_alpha = renderer->multisampled && renderer->opaque;
    renderer->gl.Disable(GL_BLEND);
    set_depth_offset(renderer, list->depth_offset);
    set_depth(renderer, GL_LEQUAL, true);
    set_culling(renderer, is_lit ? lit_cull_mode(draw) : list->cull);
    // In multisampled frames, the edges of the base are as soft as those of other cut-out surfaces.
    // Stages with an equal depth test are drawn only on the samples of the base, so their edges
    // match.
    md5gli_set_coverage(renderer, true);
    if (is_lit)
        mask_channels(renderer, all_colors | MD5GL_MASK_ALPHA);
    else
        mask_channels(renderer, keeps_alpha ? MD5GL_MASK_ALPHA : 0);
    fill_depth(renderer, draw, renderer->multisampled);
    md5gli_set_coverage(renderer, false);
    if (!is_lit)
        return;

    // A lit base has written only depth so far: draw its colors where the depth is equal.
    mask_channels(renderer, 0);
    set_depth(renderer, GL_EQUAL, false);
    draw_light(renderer, draw, false);
}

// -- Blended stages ------------------------------------------------------------------------------

// Returns true if a stage of a list reads the alpha of the target.
static bool uses_target_alpha(const md5gl_stage_list *list)
{
    for (uint32_t i = 0; i < list->num_stages; i++) {
        const md5gl_stage *const stage = &list->stages[i];
        if (reads_target_alpha(stage->source) || reads_target_alpha(stage->target))
            return true;
    }
    return false;
}

// Sets the alpha of the target to 1 where the last stage of a list was drawn. The stages of this
// list have stored other values in alpha, and the image must be opaque there. In a target that is
// not opaque, this is correct only if the last stage was drawn at equal depth: an opaque base is
// then below it.
static void restore_opacity(md5gl_renderer *renderer, const list_draw *draw)
{
    const md5gl_stage_list *const list = draw->list;
    const bool is_equal = list->stages[list->num_stages - 1].depth_equal;
    if (!renderer->opaque && !is_equal)
        return;
    renderer->gl.Disable(GL_BLEND);
    set_depth(renderer, is_equal ? GL_EQUAL : GL_LEQUAL, false);
    mask_channels(renderer, all_colors);
    draw_stage(renderer, draw, &black_stage, ALPHA_IGNORED, ALPHA_ONE);
}

// Returns true if a stage does not change the target. Materials contain such stages to cut holes
// into the base by their alpha test.
static bool has_no_effect(const md5gl_stage *stage)
{
    return stage->source == MD5GL_FACTOR_ZERO && stage->target == MD5GL_FACTOR_ONE
           && !stage->writes_depth;
}

// Sets blending and depth for a stage of a list and draws it. `uses_alpha` is true if a stage of
// the list reads the target's alpha.
static void draw_blended_stage(md5gl_renderer *renderer, const list_draw *draw,
                               const md5gl_stage *stage, bool uses_alpha)
{
    const md5gl_stage_list *const list = draw->list;
    const enum written_alpha alpha = set_blending(renderer, stage, uses_alpha);
    const bool has_offset = stage->depth_offset != 0.0f;
    set_depth_offset(renderer, has_offset ? stage->depth_offset : list->depth_offset);
    set_depth(renderer, stage->depth_equal ? GL_EQUAL : GL_LEQUAL, stage->writes_depth);
    // If the list has a base, its holes are in the depth buffer already.
    const bool is_tested = stage->is_tested && !has_base(list);
    draw_stage(renderer, draw, stage, is_tested ? ALPHA_TESTED : ALPHA_IGNORED, alpha);
}

// Draws the stages of a list in their order, blended over the image so far.
static void draw_list(md5gl_renderer *renderer, const list_draw *draw)
{
    const md5gl_stage_list *const list = draw->list;
    if (list->num_stages == 0)
        return;

    const bool uses_alpha = uses_target_alpha(list);
    set_depth_offset(renderer, list->depth_offset);
    set_culling(renderer, list->cull);
    for (uint32_t i = 0; i < list->num_stages; i++) {
        if (!has_no_effect(&list->stages[i]))
            draw_blended_stage(renderer, draw, &list->stages[i], uses_alpha);
    }

    set_depth_offset(renderer, list->depth_offset);
    if (uses_alpha)
        restore_opacity(renderer, draw);
}

// Asserts that the enumerators of a stage have valid values.
static void validate_stage(const md5gl_stage *stage)
{
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

// Asserts that a list and its stages have valid values.
static void validate_list(const md5gl_model *model, const md5gl_stage_list *list)
{
    MD5_ASSERT(list->mesh < model->model->num_meshes,
               "mesh: must be an index into the model's meshes");
    MD5_ASSERT(list->skin < model->num_skins, "skin: must be below the number of skins");
    MD5_ASSERT((unsigned)list->base <= MD5GL_BASE_ADDED, "base: must be a value of md5gl_base");
    MD5_ASSERT((unsigned)list->cull <= MD5GL_CULL_NONE, "cull: must be a value of md5gl_cull");
    MD5_ASSERT(list->stages != NULL || list->num_stages == 0, "stages: must not be NULL");
    MD5_ASSERT(list->lit_layers != NULL || list->num_lit_layers == 0,
               "lit_layers: must not be NULL");

    MD5_VALIDATE_RESERVED(list->stages, list->num_stages);
    for (uint32_t i = 0; i < list->num_stages; i++)
        validate_stage(&list->stages[i]);
    (void)model; // unused without assertions
}

// Resets the GL state that stage lists change to its values at the start of a frame. Other draws of
// the frame rely on these values.
static void reset_list_state(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    set_depth_offset(renderer, 0.0f);
    set_depth(renderer, GL_LEQUAL, true);
    gl->CullFace(GL_BACK);
    gl->Disable(GL_BLEND);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

// A function that draws one part of a list, such as its shadow or its base. It does nothing if the
// list does not have that part.
typedef void list_part_function(md5gl_renderer *renderer, const list_draw *draw);

// Draws a part of one list if its mesh is visible. Returns false and fills the error if the program
// of the stages cannot be built.
static bool draw_list_part(md5gl_renderer *renderer, const md5gl_model *model,
                           const md5gl_stage_list *list, list_part_function *draw_part,
                           md5_error *error)
{
    validate_list(model, list);
    const md5gl_mesh *const mesh = &model->meshes[list->mesh];
    const bool has_triangles = mesh->visible && mesh->mesh->num_triangles > 0;
    if (!has_triangles || model->num_batches == 0)
        return true;
    const md5gl_program *const program =
        md5gli_get_mesh_program(renderer, model, mesh, MD5GL_PASS_STAGE, error);
    if (!program)
        return false;
    draw_part(renderer, &(list_draw){model, list, mesh, program});
    return true;
}

// Draws the same part of all lists in their order. If a program cannot be built, returns false and
// fills the error. Later lists are then not drawn.
static bool draw_lists(md5gl_renderer *renderer, const md5gl_model *model,
                       const md5gl_stage_list *lists, uint32_t count, list_part_function *draw_part,
                       md5_error *error)
{
    renderer->gl.Enable(GL_DEPTH_TEST);
    MD5_VALIDATE_RESERVED(lists, count);
    bool is_drawn = true;
    for (uint32_t i = 0; i < count && is_drawn; i++)
        is_drawn = draw_list_part(renderer, model, &lists[i], draw_part, error);
    reset_list_state(renderer);
    return is_drawn;
}

// Draws one pass of the stages of Doom 3 materials, lists[count], for all instances of a model:
// shadows, opaque bases, or light and stages.
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
    return draw_lists(renderer, model, lists, count, draw_light_pass, error)
           && draw_lists(renderer, model, lists, count, draw_list, error);
}
