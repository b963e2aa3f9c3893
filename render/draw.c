// Draws posed models: one instanced draw for each batch, mesh and pass.
#include "render/gl_internal.h"

// -- Passes -----------------------------------------------------------------------------------

typedef struct model_draw {
    const md5gl_model *model;
    uint32_t style;
    enum md5gl_pass pass;
    const float *colour; // edges only, else NULL
} model_draw;

static void bind_textures(md5gl_renderer *renderer, const md5gl_mesh *mesh,
                          const md5gl_program *program, uint32_t style)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_material *const material = &mesh->material;
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
    gl->Uniform2f(program->uniforms[MD5GL_SURFACE],
                  material->gloss > 0.0f ? material->gloss : 0.45f,
                  material->alpha_test > 0.0f ? material->alpha_test : 0.5f);
}

static void draw_mesh(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                      const md5gl_program *program, const md5gl_batch *batch, uint32_t first)
{
    const GladGLContext *gl = &renderer->gl;
    const GLsizei num_indices = (GLsizei)(3 * mesh->mesh->num_triangles);
    md5gl_bind_mesh(renderer, mesh, program, batch, draw->model->model->skeleton.num_joints);
    if (!md5gl_preskins(mesh->path)) {
        gl->Uniform1i(program->uniforms[MD5GL_FIRST_INSTANCE], 0);
        gl->DrawElementsInstanced(GL_TRIANGLES, num_indices, GL_UNSIGNED_INT, NULL,
                                  (GLsizei)batch->count);
        return;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        md5gl_set_posed_attributes(renderer, mesh, first + i);
        gl->Uniform1i(program->uniforms[MD5GL_FIRST_INSTANCE], (GLint)i);
        gl->DrawElements(GL_TRIANGLES, num_indices, GL_UNSIGNED_INT, NULL);
    }
}

static void set_culling(md5gl_renderer *renderer, bool culls)
{
    if (culls)
        renderer->gl.Enable(GL_CULL_FACE);
    else
        renderer->gl.Disable(GL_CULL_FACE);
}

// The depth of an opaque mesh needs neither its texture nor a fragment stage.
static const md5gl_program *program_of(const md5gl_renderer *renderer, const model_draw *draw,
                                       const md5gl_mesh *mesh)
{
    const bool opaque = draw->pass == MD5GL_PASS_DEPTH && md5gl_is_opaque(mesh);
    return md5gl_skinned_program(renderer, mesh->path, draw->model->blending,
                                 opaque ? MD5GL_PASS_DEPTH_OPAQUE : draw->pass);
}

// Sets all state of a mesh except its vertices.
static void set_up_mesh(md5gl_renderer *renderer, const model_draw *draw, const md5gl_mesh *mesh,
                        const md5gl_program *program)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_model *const model = draw->model;
    const bool coloured = model->storage ? model->storage->coloured : mesh->mesh->colors != NULL;
    gl->UseProgram(program->name);
    bind_textures(renderer, mesh, program, draw->style);
    gl->Uniform1i(program->uniforms[MD5GL_PLACED], model->placed);
    gl->Uniform1i(program->uniforms[MD5GL_COLOURED], coloured);
    gl->Uniform1i(program->uniforms[MD5GL_MULTISAMPLED], renderer->multisampled);
    if (draw->colour)
        gl->Uniform4fv(program->uniforms[MD5GL_FLAT_COLOUR], 1, draw->colour);
    set_culling(renderer, !(draw->style & MD5GL_NO_CULLING) && !mesh->material.two_sided);
}

// Draws all instances of all meshes of equal state in one call.
static void draw_storage(md5gl_renderer *renderer, const model_draw *draw)
{
    const md5gl_model *const model = draw->model;
    const bool culls = !(draw->style & MD5GL_NO_CULLING);
    const md5gl_draw_item *next;
    uint32_t count = 0;
    if (model->num_batches > 0)
        md5gl_update_commands(renderer, model);
    for (uint32_t batch = 0; batch < model->num_batches; batch++) {
        md5gl_bind_storage(renderer, model, batch);
        for (uint32_t first = 0;
             (next = md5gl_next_draw_group(model, draw->pass, culls, first, &count)) != NULL;
             first += count) {
            const md5gl_program *const program = program_of(renderer, draw, next->mesh);
            set_up_mesh(renderer, draw, next->mesh, program);
            md5gl_use_storage_program(renderer, model, program);
            md5gl_multi_draw(renderer, model, draw->pass, batch, first, count);
        }
    }
}

static void draw_pass(md5gl_renderer *renderer, const model_draw *draw)
{
    const md5gl_model *const model = draw->model;
    if (model->storage) {
        draw_storage(renderer, draw);
        return;
    }
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        const md5gl_mesh *const mesh = &model->meshes[i];
        if (!mesh->visible || mesh->mesh->num_triangles == 0)
            continue;
        const md5gl_program *const program = program_of(renderer, draw, mesh);
        set_up_mesh(renderer, draw, mesh, program);
        uint32_t first = 0;
        for (uint32_t b = 0; b < model->num_batches; b++) {
            draw_mesh(renderer, draw, mesh, program, &model->batches[b], first);
            first += model->batches[b].count;
        }
    }
}

// In a multisampled target alpha becomes coverage: cut-out edges are soft without sorting.
static void draw_lit(md5gl_renderer *renderer, const md5gl_model *model, uint32_t style)
{
    const GladGLContext *gl = &renderer->gl;
    md5gl_bind_shadows(renderer);
    gl->Disable(GL_BLEND);
    gl->Enable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    gl->Enable(GL_SAMPLE_ALPHA_TO_ONE);
    draw_pass(renderer, &(model_draw){model, style, MD5GL_PASS_LIT, NULL});
    gl->Disable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    gl->Disable(GL_SAMPLE_ALPHA_TO_ONE);
}

static void draw_edges(md5gl_renderer *renderer, const md5gl_model *model, uint32_t style)
{
    // Premultiplied: dark over a lit surface; alone, a tone visible on dark and light backgrounds.
    static const float over[4] = {0.02f, 0.02f, 0.03f, 0.6f};
    static const float alone[4] = {0.45f, 0.58f, 0.70f, 1.0f};
    const GladGLContext *gl = &renderer->gl;
    gl->Enable(GL_BLEND);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    gl->Enable(GL_POLYGON_OFFSET_LINE);
    gl->PolygonOffset(-1.0f, -1.0f); // in front of their own surface
    const float *const colour = style & MD5GL_LIT ? over : alone;
    draw_pass(renderer, &(model_draw){model, style, MD5GL_PASS_EDGES, colour});
    gl->PolygonOffset(0.0f, 0.0f);
    gl->Disable(GL_POLYGON_OFFSET_LINE);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

// -- Public -----------------------------------------------------------------------------------

void md5gl_draw_shadows(md5gl_renderer *renderer, const md5gl_model *model)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_shadow_map *const maps[] = {&renderer->sun, &renderer->contact};
    if (!renderer->shadowed)
        return;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    for (int i = 0; i < 2; i++) {
        md5gl_bind_map(renderer, maps[i]);
        draw_pass(renderer,
                  &(model_draw){model, MD5GL_LIT | MD5GL_NO_CULLING, MD5GL_PASS_DEPTH, NULL});
    }
    md5gl_bind_frame(renderer);
}

void md5gl_draw_posed(md5gl_renderer *renderer, const md5gl_model *model, uint32_t style)
{
    const GladGLContext *gl = &renderer->gl;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    if (style & MD5GL_LIT)
        draw_lit(renderer, model, style);
    if (style & MD5GL_WIREFRAME)
        draw_edges(renderer, model, style);
}

bool md5gl_draw_models(md5gl_renderer *renderer, md5gl_model *model, const md5_mat34 *palettes,
                       const md5_mat34 *placements, uint32_t count, uint32_t style,
                       md5_error *error)
{
    const bool posed = md5gl_pose_models(renderer, model, palettes, placements, count, error);
    if (posed)
        md5gl_draw_posed(renderer, model, style);
    return posed;
}
