// Draws lists of stages: their shadows, their bases, which are opaque, the light of translucent
// surfaces, and the stages, which are blended over all of that.
//
// A stage is one draw of a mesh by the program of MD5GL_PASS_STAGE, with state that GL has anyway:
// blending, masks, depth. Nothing is kept between calls. Texels are used as they are, without sRGB,
// since the engine blends bytes; alpha stays the coverage of the picture unless a stage reads it.
// Cut-outs are drawn depth first, then lit where depth is equal; in multisampled frames alpha
// decides about the samples of an edge, else the test is strict as the engine's.
#include "render/md5gl_game.h"
#include "render/gl_internal.h"

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

static bool list_reads_target_alpha(const md5gl_stage_list *list)
{
    for (uint32_t i = 0; i < list->num_stages; i++)
        if (reads_target_alpha(list->stages[i].source)
            || reads_target_alpha(list->stages[i].target))
            return true;
    return false;
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
    const GLenum source = blend_factor(stage->source), target = blend_factor(stage->target);
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

// A texture on the whole surface, with what the shader does to it.
typedef struct layer {
    md5gl_texture texture; // 0: white
    const float *matrix;   // two rows of three, or NULL: the identity
    float color[4];
    md5gl_vertex_color vertex_color;
    const float *alpha_test; // or NULL
    bool is_soft;            // its edge becomes coverage
    md5gl_texgen texgen;
    md5gl_texture normals; // of reflections, or 0
    enum written_alpha alpha;
} layer;

static const layer blank = {.color = {0.0f, 0.0f, 0.0f, 1.0f}, .alpha = ALPHA_ONE};

static layer layer_of(const md5gl_stage *stage, bool is_tested, enum written_alpha alpha)
{
    layer made = {.texture = stage->texture,
                  .matrix = stage->has_matrix ? stage->matrix[0] : NULL,
                  .vertex_color = stage->vertex_color,
                  .alpha_test = is_tested ? &stage->alpha_test : NULL,
                  .texgen = stage->texture ? stage->texgen : MD5GL_TEXGEN_MESH,
                  .normals = stage->normals,
                  .alpha = alpha};
    for (int i = 0; i < 4; i++) {
        const float value = stage->color[i];
        made.color[i] = value > 0.0f ? value < 1.0f ? value : 1.0f : 0.0f; // not a number: 0
    }
    return made;
}

static const GLint bumped_reflection = 5; // of stage_texgen in shaders/stage.frag

static bool is_direction(md5gl_texgen texgen)
{
    return texgen != MD5GL_TEXGEN_MESH && texgen != MD5GL_TEXGEN_SCREEN;
}

static void draw_layer(md5gl_renderer *renderer, const list_draw *draw, const layer *drawn)
{
    static const float identity[6] = {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    const GladGLContext *gl = &renderer->gl;
    const GLint *const uniforms = draw->program->uniforms;
    md5gl_run run;
    md5gli_use_model_program(renderer, draw->model, draw->mesh, draw->program);
    const bool is_cube = is_direction(drawn->texgen);
    const bool is_bumped = drawn->texgen == MD5GL_TEXGEN_REFLECT && drawn->normals != 0;
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)MD5GL_UNIT_SPECULAR);
    gl->BindTexture(GL_TEXTURE_CUBE_MAP, is_cube ? drawn->texture : 0);
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)MD5GL_UNIT_NORMALS);
    gl->BindTexture(GL_TEXTURE_2D, is_bumped ? drawn->normals : renderer->white);
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)MD5GL_UNIT_TEXTURE);
    gl->BindTexture(GL_TEXTURE_2D, drawn->texture && !is_cube ? drawn->texture : renderer->white);
    gl->Uniform1i(uniforms[MD5GL_STAGE_TEXGEN],
                  is_bumped ? bumped_reflection : (GLint)drawn->texgen);
    gl->Uniform3fv(uniforms[MD5GL_TEXTURE_ROWS], 2, drawn->matrix ? drawn->matrix : identity);
    gl->Uniform4fv(uniforms[MD5GL_STAGE_COLOUR], 1, drawn->color);
    const GLint test = drawn->is_soft ? 2 : 1;
    gl->Uniform3i(uniforms[MD5GL_STAGE_MODE], (GLint)drawn->vertex_color,
                  drawn->alpha_test != NULL ? test : 0, (GLint)drawn->alpha);
    gl->Uniform1f(uniforms[MD5GL_ALPHA_LIMIT], drawn->alpha_test ? *drawn->alpha_test : 0.0f);
    for (uint32_t i = 0; (run = md5gli_run_at(draw->model, i)).count > 0; i++)
        if (run.skin == draw->list->skin)
            md5gli_draw_run(renderer, draw->model, draw->mesh, draw->program, &run);
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
        layer drawn = layer_of(stage, true, ALPHA_ONE);
        drawn.color[0] = drawn.color[1] = drawn.color[2] = 0.0f;
        drawn.vertex_color = MD5GL_VERTEX_COLOR_IGNORE; // as in the engine
        drawn.is_soft = is_soft;
        draw_layer(renderer, draw, &drawn);
        is_cut = true;
    }
    if (!is_cut)
        draw_layer(renderer, draw, &blank);
}

// Both sides cast shadows, as in md5gl_draw_shadows().
static void draw_shadow(md5gl_renderer *renderer, const list_draw *draw)
{
    const md5gl_shadow_map *const maps[] = {&renderer->sun, &renderer->contact};
    if (!renderer->shadowed || !has_base(draw->list) || !draw->list->casts_shadow)
        return;
    renderer->gl.Disable(GL_BLEND);
    set_depth(renderer, GL_LEQUAL, true);
    set_sides(renderer, MD5GL_CULL_NONE);
    for (int i = 0; i < 2; i++) {
        md5gli_bind_map(renderer, maps[i]);
        fill_depth(renderer, draw, false);
    }
    md5gli_bind_frame(renderer);
}

// Draws a mesh lit with a material, or with that of its skin if it is NULL.
static void draw_lit(md5gl_renderer *renderer, const list_draw *draw,
                     const md5gl_material *material)
{
    md5gl_run run;
    md5gli_bind_shadows(renderer);
    md5gli_set_coverage(renderer, true);
    for (uint32_t i = 0; (run = md5gli_run_at(draw->model, i)).count > 0; i++)
        if (run.skin == draw->list->skin)
            md5gli_draw_lit_run(renderer, draw->model, draw->list->mesh, material, &run);
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

// Adds the light of a translucent surface. Its alpha is what it covers, as that of added stages.
static void add_light(md5gl_renderer *renderer, const list_draw *draw)
{
    if (draw->list->base != MD5GL_BASE_ADDED)
        return;
    set_depth_offset(renderer, draw->list->depth_offset);
    set_depth(renderer, GL_LEQUAL, false);
    set_sides(renderer, lit_cull_of(draw));
    md5gli_set_shadowing(renderer, false);
    renderer->adds_light = true;
    draw_light(renderer, draw, true);
    renderer->adds_light = false;
    md5gli_set_shadowing(renderer, renderer->shadowed);
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

// -- Stages ---------------------------------------------------------------------------------------

// Makes a surface whose stages have used alpha opaque again.
static void restore_alpha(md5gl_renderer *renderer, const list_draw *draw)
{
    const md5gl_stage_list *const list = draw->list;
    const bool is_equal = list->stages[list->num_stages - 1].depth_equal;
    if (!renderer->opaque && !is_equal)
        return;
    renderer->gl.Disable(GL_BLEND);
    set_depth(renderer, is_equal ? GL_EQUAL : GL_LEQUAL, false);
    write_channels(renderer, UINT32_MAX, true);
    draw_layer(renderer, draw, &blank);
}

static void draw_list(md5gl_renderer *renderer, const list_draw *draw)
{
    const md5gl_stage_list *const list = draw->list;
    const bool uses_alpha = list_reads_target_alpha(list);
    if (list->num_stages == 0)
        return;
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
        const layer drawn = layer_of(stage, stage->is_tested && !has_base(list), alpha);
        draw_layer(renderer, draw, &drawn);
    }
    set_depth_offset(renderer, list->depth_offset);
    if (uses_alpha)
        restore_alpha(renderer, draw);
}

// -- Public ---------------------------------------------------------------------------------------

// Draws what `draw_part` draws of lists; it does nothing if a list has no such part.
static bool draw_lists(md5gl_renderer *renderer, const md5gl_model *model,
                       const md5gl_stage_list *lists, uint32_t count,
                       void (*draw_part)(md5gl_renderer *renderer, const list_draw *draw),
                       md5_error *error)
{
    renderer->gl.Enable(GL_DEPTH_TEST);
    bool built = true;
    for (uint32_t i = 0; i < count && built; i++) {
        const md5gl_stage_list *const list = &lists[i];
        MD5_ASSERT(list->mesh < model->model->num_meshes, "mesh: an index into the model's meshes");
        MD5_ASSERT(list->skin < model->num_skins, "skin: below the number of skins");
        MD5_ASSERT((unsigned)list->base <= MD5GL_BASE_ADDED, "base: one of md5gl_base");
        MD5_ASSERT((unsigned)list->cull <= MD5GL_CULL_NONE, "cull: one of md5gl_cull");
        MD5_ASSERT(list->stages != NULL || list->num_stages == 0, "stages: not NULL");
        MD5_ASSERT(list->lit_layers != NULL || list->num_lit_layers == 0, "lit_layers: not NULL");
        MD5_ASSERT_RESERVED(list);
        for (uint32_t j = 0; j < list->num_stages; j++) {
            const md5gl_stage *const stage = &list->stages[j];
            MD5_ASSERT((unsigned)stage->source <= MD5GL_FACTOR_SOURCE_ALPHA_SATURATE,
                       "source: one of md5gl_factor");
            MD5_ASSERT((unsigned)stage->target < MD5GL_FACTOR_SOURCE_ALPHA_SATURATE,
                       "target: one of md5gl_factor, not SATURATE");
            MD5_ASSERT((unsigned)stage->vertex_color <= MD5GL_VERTEX_COLOR_INVERSE,
                       "vertex_color: one of md5gl_vertex_color");
            MD5_ASSERT((unsigned)stage->texgen <= MD5GL_TEXGEN_SCREEN,
                       "texgen: one of md5gl_texgen");
            MD5_ASSERT_RESERVED(stage);
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
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)MD5GL_UNIT_SPECULAR);
    gl->BindTexture(GL_TEXTURE_CUBE_MAP, 0);
    return built;
}

bool md5gl_draw_stages(md5gl_renderer *renderer, const md5gl_model *model, md5gl_stage_pass pass,
                       const md5gl_stage_list *lists, uint32_t count, md5_error *error)
{
    if (!renderer || !model)
        return md5gli_fail_missing(error, renderer ? "model" : "renderer");
    MD5_ASSERT((unsigned)pass <= MD5GL_STAGE_PASS_STAGES, "pass: one of md5gl_stage_pass");
    MD5_ASSERT(lists != NULL || count == 0, "lists: not NULL");
    MD5_ASSERT(renderer->in_frame, "call it between md5gl_begin_frame() and md5gl_end_frame()");
    if (pass == MD5GL_STAGE_PASS_SHADOWS)
        return draw_lists(renderer, model, lists, count, draw_shadow, error);
    if (pass == MD5GL_STAGE_PASS_BASES)
        return draw_lists(renderer, model, lists, count, draw_base, error);
    return draw_lists(renderer, model, lists, count, add_light, error)
           && draw_lists(renderer, model, lists, count, draw_list, error);
}
