// What posing, drawing and capturing share about a mesh: its path, the layout of its vertices, how
// it is bound.
#include "render/gl_internal.h"

#include <limits.h>

// -- Paths ------------------------------------------------------------------------------------

enum md5gl_skin md5gli_skin_of(md5gl_path path)
{
    static const enum md5gl_skin skins[] = {
        [MD5GL_PATH_AUTO] = MD5GL_SKIN_EXACT, // no mesh has it
        [MD5GL_PATH_4] = MD5GL_SKIN_4,           [MD5GL_PATH_8] = MD5GL_SKIN_8,
        [MD5GL_PATH_EXACT] = MD5GL_SKIN_EXACT,   [MD5GL_PATH_CPU] = MD5GL_SKIN_POSED,
        [MD5GL_PATH_COMPUTE] = MD5GL_SKIN_POSED,
    };
    return skins[path];
}

uint32_t md5gli_vertices_before(const md5gl_model *model, const md5gl_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; &model->meshes[i] != mesh; i++)
        count += model->meshes[i].mesh->num_vertices;
    return count;
}

bool md5gli_preskins(md5gl_path path)
{
    return path == MD5GL_PATH_CPU || path == MD5GL_PATH_COMPUTE;
}

uint32_t md5gli_instances_per_draw(const md5gl_renderer *renderer, uint32_t num_joints,
                                   md5_error *error)
{
    // A placement takes three texels too, so there is a limit even without joints.
    const uint64_t texels = 3 * (uint64_t)(num_joints > 0 ? num_joints : 1);
    // Shaders index texels with a signed int.
    const uint64_t limit = renderer->max_texels < INT_MAX ? renderer->max_texels : INT_MAX;
    if (texels > limit)
        md5gli_fail(error, MD5_ERROR_GPU,
                    "a palette of %u joints takes %llu texels, "
                    "but %s is %llu",
                    (unsigned)num_joints, (unsigned long long)texels, renderer->max_texels_name,
                    (unsigned long long)limit);
    return (uint32_t)(limit / texels);
}

// -- Vertices ---------------------------------------------------------------------------------

md5gl_layout md5gli_make_layout(size_t count, bool has_colours)
{
    md5gl_layout layout;
    layout.normals = count * sizeof(md5_vec3);
    layout.tangents = layout.normals + count * sizeof(md5_vec3);
    layout.texcoords = layout.tangents + count * sizeof(md5_vec4);
    layout.colours = layout.texcoords + count * sizeof(md5_vec2);
    layout.end = layout.colours + (has_colours ? count * sizeof(md5_vec4) : 0);
    return layout;
}

void md5gli_set_attribute(const GladGLContext *gl, GLuint attribute, GLint size, size_t offset)
{
    gl->VertexAttribPointer(attribute, size, GL_FLOAT, GL_FALSE, 0, (const void *)offset);
    gl->EnableVertexAttribArray(attribute);
}

void md5gli_bind_mesh(md5gl_renderer *renderer, const md5gl_mesh *mesh,
                      const md5gl_program *program, const md5gl_batch *batch, uint32_t num_joints)
{
    const GladGLContext *gl = &renderer->gl;
    gl->UseProgram(program->name);
    gl->Uniform1i(program->uniforms[MD5GL_NUM_JOINTS], (GLint)num_joints);
    gl->BindVertexArray(mesh->array);
    md5gli_bind_table(renderer, MD5GL_UNIT_PALETTES, &batch->palettes);
    md5gli_bind_table(renderer, MD5GL_UNIT_PLACEMENTS, &batch->placements);
    md5gli_bind_table(renderer, MD5GL_UNIT_TINTS, &batch->tints);
    if (mesh->exact_joints.texture) {
        md5gli_bind_table(renderer, MD5GL_UNIT_INFLUENCES, &mesh->exact_influences);
        md5gli_bind_table(renderer, MD5GL_UNIT_INFLUENCE_JOINTS, &mesh->exact_joints);
    }
}
