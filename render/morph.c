// Morph targets: deltas of the bind pose in tables that the vertex shader, or the compute shader,
// reads by vertex number, and the weights of each instance.
#include "render/gl_internal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct md5gl_morph {
    const md5_morph *source;
    md5gl_table first, deltas;
};

const md5_morph *md5gli_morph_source(const md5gl_morph *morph)
{
    return morph->source;
}

// -- Creation ---------------------------------------------------------------------------------

// A delta as bind_morphed.glsl reads it.
typedef struct delta_texels {
    float position[3], target, normal[3], pad, tangent[3], more_pad;
} delta_texels;

static bool fits(const md5gl_renderer *renderer, uint64_t texels, const char *what,
                 md5_error *error)
{
    const uint64_t limit = renderer->max_texels < INT_MAX ? renderer->max_texels : INT_MAX;
    return texels <= limit
           || md5gli_fail(error, MD5_ERROR_GPU, "%s take %llu texels, but %s is %llu", what,
                          (unsigned long long)texels, renderer->max_texels_name,
                          (unsigned long long)limit);
}

// Writes the first delta of each vertex of a mesh, and returns the number behind the last.
static uint32_t write_first(const md5_mesh *mesh, const md5_morph_mesh *morph, uint32_t before,
                            uint32_t *first)
{
    uint32_t next = 0; // of the changed vertices
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        first[vertex] = before + morph->first[next];
        if (next < morph->num_vertices && morph->vertices[next] == vertex)
            next++;
    }
    return before + morph->num_deltas;
}

static void write_deltas(const md5_morph_mesh *morph, delta_texels *texels)
{
    for (uint32_t i = 0; i < morph->num_deltas; i++) {
        const md5_morph_delta *const delta = &morph->deltas[i];
        const md5_vec3 p = delta->position, n = delta->normal, t = delta->tangent;
        texels[i] = (delta_texels){
            {p.x, p.y, p.z}, (float)delta->target, {n.x, n.y, n.z}, 0.0f, {t.x, t.y, t.z}, 0.0f};
    }
}

static bool upload(md5gl_renderer *renderer, md5gl_morph *morph, size_t num_vertices,
                   size_t num_deltas, md5_error *error)
{
    const md5_model *const model = morph->source->model;
    uint32_t *const first =
        (uint32_t *)md5gli_alloc(&renderer->allocator, num_vertices + 1, sizeof *first, error);
    // Texture buffers without a texel are of no use to drivers.
    const size_t room = num_deltas + 1;
    delta_texels *const deltas =
        (delta_texels *)md5gli_alloc(&renderer->allocator, room, sizeof *deltas, error);
    const bool has_memory = first && deltas;
    uint32_t vertices = 0, written = 0;
    for (uint32_t i = 0; i < model->num_meshes && has_memory; i++) {
        write_deltas(&morph->source->meshes[i], deltas + written);
        written =
            write_first(&model->meshes[i], &morph->source->meshes[i], written, first + vertices);
        vertices += model->meshes[i].num_vertices;
    }
    if (has_memory) {
        first[vertices] = written;
        memset(&deltas[num_deltas], 0, sizeof *deltas);
        morph->first =
            md5gli_create_table(renderer, GL_R32UI, first, (num_vertices + 1) * sizeof *first);
        morph->deltas = md5gli_create_table(renderer, GL_RGBA32F, deltas, room * sizeof *deltas);
    }
    md5gli_free(&renderer->allocator, first, (num_vertices + 1) * sizeof *first);
    md5gli_free(&renderer->allocator, deltas, room * sizeof *deltas);
    return has_memory;
}

md5gl_morph *md5gl_create_morph(md5gl_renderer *renderer, const md5_morph *source, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && source != NULL, "renderer, morph: not NULL");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    uint64_t num_vertices = 0, num_deltas = 0;
    md5gli_clear_error(error);
    for (uint32_t i = 0; i < source->model->num_meshes; i++) {
        num_vertices += source->model->meshes[i].num_vertices;
        num_deltas += source->meshes[i].num_deltas;
    }
    if (!fits(renderer, num_vertices + 1, "vertices of morph targets", error)
        || !fits(renderer, 3 * (num_deltas + 1), "deltas of morph targets", error))
        return NULL;
    md5gl_morph *const morph =
        (md5gl_morph *)md5gli_alloc(&renderer->allocator, 1, sizeof *morph, error);
    if (!morph)
        return NULL;
    morph->source = source;
    md5gli_clear_gl_errors(renderer);
    if (upload(renderer, morph, (size_t)num_vertices, (size_t)num_deltas, error)
        && md5gli_check(renderer, "uploading morph targets", error))
        return morph;
    md5gl_destroy_morph(renderer, morph);
    return NULL;
}

void md5gl_destroy_morph(md5gl_renderer *renderer, md5gl_morph *morph)
{
    if (!morph)
        return;
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    md5gli_destroy_table(renderer, &morph->first);
    md5gli_destroy_table(renderer, &morph->deltas);
    md5gli_free(&renderer->allocator, morph, sizeof *morph);
}

// -- Weights ----------------------------------------------------------------------------------

static bool skins_on_cpu(const md5gl_model *model)
{
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (model->meshes[i].path == MD5GL_PATH_CPU)
            return true;
    }
    return false;
}

static bool keep_weights(md5gl_renderer *renderer, md5gl_model *model, const float *weights,
                         size_t size, md5_error *error)
{
    if (size > model->weights_size) {
        md5gli_free(&renderer->allocator, model->weights, model->weights_size);
        model->weights = (float *)md5gli_alloc(&renderer->allocator, size, 1, error);
        model->weights_size = model->weights ? size : 0;
        if (!model->weights)
            return false;
    }
    if (size > 0)
        memcpy(model->weights, weights, size);
    return true;
}

static bool build_programs(md5gl_renderer *renderer, const md5gl_model *model, md5_error *error)
{
    const int variant = md5gl_variant_of(model->blending, true);
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (!md5gli_build_variant(renderer, model->meshes[i].path, variant, error))
            return false;
    }
    return true;
}

#if !defined(NDEBUG)
static bool are_finite(const float *weights, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(weights[i]))
            return false;
    }
    return true;
}
#endif

bool md5gl_set_morph(md5gl_renderer *renderer, md5gl_model *model, const md5gl_morph *morph,
                     const float *weights, uint32_t count, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && model != NULL, "renderer, model: not NULL");
    md5gli_clear_error(error);
    model->morph = NULL;
    model->num_morphed = 0;
    const size_t num_targets = morph ? morph->source->num_targets : 0;
    MD5_ASSERT(weights != NULL || count * num_targets == 0, "weights: not NULL");
    MD5_ASSERT(are_finite(weights, count * num_targets), "weights: finite numbers");
    if (count * num_targets == 0)
        return true;
    if (morph->source->model != model->model)
        return md5gli_fail(error, MD5_ERROR_MISMATCH, "the morph targets are of another model");
    const size_t size = count * num_targets * sizeof *weights;
    if (!fits(renderer, (uint64_t)count * num_targets, "weights of morph targets", error)
        || !build_programs(renderer, model, error)
        || (skins_on_cpu(model) && !keep_weights(renderer, model, weights, size, error)))
        return false;
    if (!model->morph_weights.texture)
        model->morph_weights = md5gli_create_table(renderer, GL_R32F, NULL, 0);
    md5gli_fill_table(renderer, &model->morph_weights, weights, size);
    model->morph = morph;
    model->num_morphed = count;
    if (!renderer->in_frame)
        md5gli_reset_state(renderer);
    return true;
}

const float *md5gli_weights_of(const md5gl_model *model, uint32_t instance)
{
    if (instance >= model->num_morphed)
        return NULL;
    return model->weights + (size_t)instance * model->morph->source->num_targets;
}

void md5gli_bind_morph(md5gl_renderer *renderer, const md5gl_model *model, const md5gl_mesh *mesh,
                       const md5gl_program *program, uint32_t first)
{
    const GladGLContext *gl = &renderer->gl;
    if (!model->morph)
        return;
    gl->Uniform1i(program->uniforms[MD5GL_NUM_MORPHS], (GLint)model->morph->source->num_targets);
    gl->Uniform1i(program->uniforms[MD5GL_NUM_MORPHED], (GLint)model->num_morphed);
    gl->Uniform1i(program->uniforms[MD5GL_FIRST_MORPHED], (GLint)first);
    gl->Uniform1i(program->uniforms[MD5GL_FIRST_VERTEX],
                  (GLint)md5gli_vertices_before(model, mesh));
    md5gli_bind_table(renderer, MD5GL_UNIT_MORPH_FIRST, &model->morph->first);
    md5gli_bind_table(renderer, MD5GL_UNIT_MORPH_DELTAS, &model->morph->deltas);
    md5gli_bind_table(renderer, MD5GL_UNIT_MORPH_WEIGHTS, &model->morph_weights);
}
