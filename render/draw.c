// Draws models: palettes and placements go up, then one instanced draw for each mesh and pass.
#include "render/gl_internal.h"

#include <limits.h>

const md5gl_program *md5gl_skinned_program(const md5gl_renderer *renderer, const md5gl_mesh *mesh,
                                           enum md5gl_pass pass)
{
    return &renderer->skinned[mesh->path - MD5GL_PATH_4][pass];
}

void md5gl_bind_mesh(md5gl_renderer *renderer, const md5gl_mesh *mesh, const md5gl_program *program,
                     uint32_t num_joints)
{
    const GladGLContext *gl = &renderer->gl;
    gl->UseProgram(program->name);
    gl->Uniform1i(program->uniforms[MD5GL_NUM_JOINTS], (GLint)num_joints);
    gl->BindVertexArray(mesh->array);
    md5gl_bind_table(renderer, MD5GL_UNIT_PALETTES, &renderer->palettes);
    if (mesh->path == MD5GL_PATH_EXACT) {
        md5gl_bind_table(renderer, MD5GL_UNIT_INFLUENCES, &mesh->exact_influences);
        md5gl_bind_table(renderer, MD5GL_UNIT_INFLUENCE_JOINTS, &mesh->exact_joints);
    }
}

uint32_t md5gl_instances_per_draw(const md5gl_renderer *renderer, uint32_t num_joints,
                                  md5_error *error)
{
    // A placement takes three texels too, so that even without joints there is a limit.
    const uint64_t texels = 3 * (uint64_t)(num_joints > 0 ? num_joints : 1);
    // Shaders count texels in a signed int.
    const uint64_t most = renderer->max_texels < INT_MAX ? renderer->max_texels : INT_MAX;
    if (texels > most)
        md5gl_fail(error, MD5_ERROR_GPU,
                   "a palette of %u joints takes %llu texels, GL_MAX_TEXTURE_BUFFER_SIZE is %llu",
                   (unsigned)num_joints, (unsigned long long)texels, (unsigned long long)most);
    return (uint32_t)(most / texels);
}

// -- Passes -----------------------------------------------------------------------------------

typedef struct model_draw {
    const md5gl_model *model;
    uint32_t count; // instances
    uint32_t style;
    bool placed;
} model_draw;

static md5gl_texture surface_texture(const md5gl_renderer *renderer, const md5gl_mesh *mesh,
                                     uint32_t style)
{
    if (style & MD5GL_UNTEXTURED)
        return renderer->grey;
    return mesh->diffuse ? mesh->diffuse : renderer->white;
}

static void draw_pass(md5gl_renderer *renderer, const model_draw *draw, enum md5gl_pass pass,
                      const float colour[4])
{
    const GladGLContext *gl = &renderer->gl;
    const md5_model *const model = draw->model->model;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5gl_mesh *const mesh = &draw->model->meshes[i];
        if (!mesh->visible)
            continue;
        const md5gl_program *const program = md5gl_skinned_program(renderer, mesh, pass);
        md5gl_bind_mesh(renderer, mesh, program, model->skeleton.num_joints);
        md5gl_bind_table(renderer, MD5GL_UNIT_PLACEMENTS, &renderer->placements);
        gl->ActiveTexture(GL_TEXTURE0 + MD5GL_UNIT_TEXTURE);
        gl->BindTexture(GL_TEXTURE_2D, surface_texture(renderer, mesh, draw->style));
        gl->Uniform1i(program->uniforms[MD5GL_PLACED], draw->placed);
        gl->Uniform4fv(program->uniforms[MD5GL_FLAT_COLOUR], 1, colour);
        gl->Uniform1i(program->uniforms[MD5GL_MULTISAMPLED], renderer->multisampled);
        gl->DrawElementsInstanced(GL_TRIANGLES, (GLsizei)(3 * mesh->mesh->num_triangles),
                                  GL_UNSIGNED_INT, NULL, (GLsizei)draw->count);
    }
}

// Where pixels have samples, alpha becomes coverage: soft edges of holes without sorting.
static void draw_lit(md5gl_renderer *renderer, const model_draw *draw)
{
    static const float unused[4] = {0};
    const GladGLContext *gl = &renderer->gl;
    gl->Disable(GL_BLEND);
    gl->Enable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    gl->Enable(GL_SAMPLE_ALPHA_TO_ONE);
    draw_pass(renderer, draw, MD5GL_PASS_LIT, unused);
    gl->Disable(GL_SAMPLE_ALPHA_TO_COVERAGE);
    gl->Disable(GL_SAMPLE_ALPHA_TO_ONE);
}

static void draw_edges(md5gl_renderer *renderer, const model_draw *draw)
{
    // Premultiplied: dark over a lit surface; alone, a tone that shows on dark and on light.
    static const float over[4] = {0.02f, 0.02f, 0.03f, 0.6f};
    static const float alone[4] = {0.45f, 0.58f, 0.70f, 1.0f};
    const GladGLContext *gl = &renderer->gl;
    gl->Enable(GL_BLEND);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    gl->Enable(GL_POLYGON_OFFSET_LINE);
    gl->PolygonOffset(-1.0f, -1.0f); // before the surface that they bound
    draw_pass(renderer, draw, MD5GL_PASS_EDGES, draw->style & MD5GL_LIT ? over : alone);
    gl->PolygonOffset(0.0f, 0.0f);
    gl->Disable(GL_POLYGON_OFFSET_LINE);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

static void draw_passes(md5gl_renderer *renderer, const model_draw *draw)
{
    const GladGLContext *gl = &renderer->gl;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    if (draw->style & MD5GL_NO_CULLING)
        gl->Disable(GL_CULL_FACE);
    else
        gl->Enable(GL_CULL_FACE);
    if (draw->style & MD5GL_LIT)
        draw_lit(renderer, draw);
    if (draw->style & MD5GL_WIREFRAME)
        draw_edges(renderer, draw);
}

// -- Public -----------------------------------------------------------------------------------

bool md5gl_draw_models(md5gl_renderer *renderer, const md5gl_model *model,
                       const md5_mat34 *palettes, const md5_mat34 *placements, uint32_t count,
                       uint32_t style, md5_error *error)
{
    md5gl_clear_error(error);
    const uint32_t num_joints = model->model->skeleton.num_joints;
    const uint32_t most = md5gl_instances_per_draw(renderer, num_joints, error);
    if (most == 0)
        return false;
    for (uint32_t first = 0, left = count; left > 0;) {
        const uint32_t now = left < most ? left : most;
        const size_t palette = (size_t)first * num_joints;
        md5gl_stream(renderer, GL_TEXTURE_BUFFER, renderer->palettes.buffer, palettes + palette,
                     (size_t)now * num_joints * sizeof *palettes);
        if (placements)
            md5gl_stream(renderer, GL_TEXTURE_BUFFER, renderer->placements.buffer,
                         placements + first, now * sizeof *placements);
        const model_draw draw = {model, now, style, placements != NULL};
        draw_passes(renderer, &draw);
        first += now;
        left -= now;
    }
    return true;
}
