// Draws the instances of an impostor set: into the shadow maps, and lit.
#include "render/impostor.h"

// -- Instances --------------------------------------------------------------------------------

// Returns the frames that an instance shows: the nearest one, or both neighbours in a volume.
static bool has_frames(const md5gl_impostors *impostors, float frame)
{
    const uint32_t last = impostors->desc.num_frames - 1;
    if (!(frame >= 0.0f && frame <= (float)last))
        return false;
    const uint32_t lower = (uint32_t)frame, nearest = (uint32_t)(frame + 0.5f);
    if (impostors->desc.layout != MD5GL_IMPOSTOR_VOLUME || (float)lower == frame)
        return impostors->has_pictures[nearest];
    return impostors->has_pictures[lower] && impostors->has_pictures[lower + 1];
}

bool md5gl_pose_impostors(md5gl_renderer *renderer, md5gl_impostors *impostors,
                          const md5gl_impostor *instances, uint32_t count, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && impostors != NULL, "renderer, impostors: not NULL");
    MD5_ASSERT(instances != NULL || count == 0, "instances: not NULL");
    md5gli_clear_error(error);
    impostors->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!has_frames(impostors, instances[i].frame))
            return md5gli_fail(error, MD5_ERROR_RANGE, "impostor %u: no pictures of frame %g",
                               (unsigned)i, (double)instances[i].frame);
    }
    if (count > 0)
        md5gli_stream(renderer, GL_ARRAY_BUFFER, impostors->buffer, instances,
                      count * sizeof *instances);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    impostors->count = count;
    return true;
}

// -- Drawing ----------------------------------------------------------------------------------

// The program of a pass. Those for other lights than the studio's are built here.
static const md5gl_program *find_program(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                                         enum md5gl_impostor_pass pass)
{
    const uint32_t layout = (uint32_t)impostors->desc.layout - MD5GL_IMPOSTOR_ARRAY;
    md5_error error;
    if (pass != MD5GL_IMPOSTOR_LIT || renderer->lit_pass == MD5GL_PASS_LIT)
        return &renderer->impostor[layout][pass];
    const enum md5gl_impostor_pass lit = renderer->lit_pass == MD5GL_PASS_LIT_CLASSIC
                                             ? MD5GL_IMPOSTOR_LIT_CLASSIC
                                             : MD5GL_IMPOSTOR_LIT_ENVIRONMENT;
    const md5gl_program *const program =
        md5gli_build_impostor_program(renderer, layout, lit, &error);
    if (program)
        return program;
    md5gli_fail_light(renderer, &error);
    return &renderer->impostor[layout][pass];
}

static const md5gl_program *use_program(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                                        enum md5gl_impostor_pass pass)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_impostor_desc *const desc = &impostors->desc;
    const md5gl_program *const program = find_program(renderer, impostors, pass);
    const GLint *const uniforms = program->uniforms;
    const bool is_volume = desc->layout == MD5GL_IMPOSTOR_VOLUME;
    gl->UseProgram(program->name);
    gl->Uniform4i(uniforms[MD5GL_VIEW_COUNTS], (GLint)desc->num_around, (GLint)desc->num_above, 0,
                  0);
    gl->Uniform2f(uniforms[MD5GL_VIEW_RANGE], desc->lowest, desc->highest);
    gl->Uniform4i(uniforms[MD5GL_PICTURE_GRID], (GLint)impostors->columns, (GLint)impostors->rows,
                  (GLint)(is_volume ? desc->num_frames : impostors->blocks[0]),
                  (GLint)impostors->blocks[1]);
    gl->Uniform1f(uniforms[MD5GL_PICTURE_TEXELS], (float)desc->texels);
    // The last level has 8 texels.
    gl->Uniform1f(uniforms[MD5GL_COARSE_LEVEL],
                  impostors->num_levels > 2 ? (float)(impostors->num_levels - 2) : 0.0f);
    gl->Uniform4f(uniforms[MD5GL_MODEL_SPHERE], desc->centre.x, desc->centre.y, desc->centre.z,
                  desc->radius);
    return program;
}

static void bind_pictures(md5gl_renderer *renderer, const md5gl_impostors *impostors, bool on)
{
    static const enum md5gl_unit units[] = {MD5GL_UNIT_TEXTURE, MD5GL_UNIT_NORMALS};
    const GladGLContext *gl = &renderer->gl;
    for (int part = 0; part < MD5GL_NUM_PICTURE_PARTS; part++) {
        gl->ActiveTexture(GL_TEXTURE0 + (GLenum)units[part]);
        gl->BindTexture(impostors->target, on ? impostors->textures[part] : 0);
    }
}

static void draw_squares(md5gl_renderer *renderer, const md5gl_impostors *impostors)
{
    renderer->gl.BindVertexArray(impostors->array);
    renderer->gl.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)impostors->count);
}

static void begin_drawing(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
}

void md5gl_draw_impostor_shadows(md5gl_renderer *renderer, const md5gl_impostors *impostors)
{
    MD5_ASSERT(renderer != NULL && impostors != NULL, "renderer, impostors: not NULL");
    MD5_ASSERT(renderer->in_frame, "call it between md5gl_begin_frame() and md5gl_end_frame()");
    const md5gl_shadow_map *const maps[] = {&renderer->sun, &renderer->contact};
    if (!renderer->shadowed || impostors->count == 0)
        return;
    begin_drawing(renderer);
    const md5gl_program *const program = use_program(renderer, impostors, MD5GL_IMPOSTOR_DEPTH);
    bind_pictures(renderer, impostors, true);
    for (int i = 0; i < 2; i++) {
        md5gli_bind_map(renderer, maps[i]);
        renderer->gl.Uniform1i(program->uniforms[MD5GL_SEEN_FROM], i + 1);
        draw_squares(renderer, impostors);
    }
    bind_pictures(renderer, impostors, false);
    md5gli_bind_frame(renderer);
}

void md5gl_draw_impostors(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                          uint32_t style)
{
    MD5_ASSERT(renderer != NULL && impostors != NULL, "renderer, impostors: not NULL");
    MD5_ASSERT(renderer->in_frame, "call it between md5gl_begin_frame() and md5gl_end_frame()");
    const GladGLContext *gl = &renderer->gl;
    if (impostors->count == 0 || !(style & MD5GL_LIT))
        return;
    begin_drawing(renderer);
    md5gli_bind_shadows(renderer);
    const md5gl_program *const program = use_program(renderer, impostors, MD5GL_IMPOSTOR_LIT);
    gl->Uniform1i(program->uniforms[MD5GL_SEEN_FROM], 0);
    gl->Uniform3i(program->uniforms[MD5GL_MAPS], (style & MD5GL_UNTEXTURED) != 0,
                  impostors->has_specular, 0);
    gl->Uniform2f(program->uniforms[MD5GL_SURFACE], impostors->gloss, 0.0f);
    gl->Uniform1i(program->uniforms[MD5GL_ALPHA_MODE], renderer->multisampled);
    bind_pictures(renderer, impostors, true);
    md5gli_set_coverage(renderer, true);
    draw_squares(renderer, impostors);
    md5gli_set_coverage(renderer, false);
    bind_pictures(renderer, impostors, false);
}
