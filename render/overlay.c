// Overlays: lines, shadows on the ground, blob shadows (dark discs), the ground grid, the floor,
// and panels (flat textured triangles, such as text). Overlays are blended and do not write depth.
// They must therefore be drawn after the models.
#include "render/gl_internal.h"

#include <limits.h>
#include <math.h>

// Begins an overlay: sets its GL state, binds its vertex array, and uses its program. Returns the
// program. If it cannot be built, returns NULL, and md5gl_end_frame() reports the error.
static const md5gl_program *begin_overlay(md5gl_renderer *renderer, enum md5gl_fixed_program which,
                                          GLuint array, bool tests_depth)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_program *const program =
        md5gli_get_fixed_program(renderer, which, &renderer->light_error);
    if (!program)
        return NULL;
    gl->UseProgram(program->name);
    gl->BindVertexArray(array);
    gl->Enable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    gl->DepthMask(GL_FALSE);
    if (tests_depth)
        gl->Enable(GL_DEPTH_TEST);
    else
        gl->Disable(GL_DEPTH_TEST);
    return program;
}

// Draws a plane on the ground with the program in use. Surfaces in the same plane, such as the
// soles of a model, must remain visible. A depth offset therefore moves the ground behind them.
static void draw_plane(const GladGLContext *gl, GLsizei num_vertices)
{
    gl->Enable(GL_POLYGON_OFFSET_FILL);
    gl->PolygonOffset(1.0f, 1.0f);
    gl->DrawArrays(GL_TRIANGLE_STRIP, 0, num_vertices);
    gl->PolygonOffset(0.0f, 0.0f);
    gl->Disable(GL_POLYGON_OFFSET_FILL);
}

// Draws lines, one for each two of vertices[count]. If `on_top`, the lines are visible through
// other objects.
void md5gl_draw_lines(md5gl_renderer *renderer, const md5gl_line_vertex *vertices, uint32_t count,
                      float width_pixels, bool on_top)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5_ASSERT(vertices != NULL || count == 0, "vertices: must not be NULL");
    MD5GL_ASSERT_IN_FRAME(renderer);
    const GladGLContext *gl = &renderer->gl;
    const uint32_t num_lines = count / 2;
    if (num_lines == 0)
        return;
    const md5gl_program *const line =
        begin_overlay(renderer, MD5GL_PROGRAM_LINE, renderer->line_array, !on_top);
    if (!line)
        return;
    md5gli_stream(renderer, GL_ARRAY_BUFFER, renderer->line_buffer, vertices,
                  (size_t)num_lines * 2 * sizeof *vertices);
    gl->Uniform1f(line->uniforms[MD5GL_LINE_WIDTH], width_pixels);
    gl->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)num_lines);
}

// Draws a floor at the height `z` around `center`. If `cell` is above 0, draws a grid whose cells
// have that side. If it is 0, draws a plain floor. Point lights of the frame light the floor,
// beginning with index `first_light`.
static void draw_floor(md5gl_renderer *renderer, float z, float cell, uint32_t first_light,
                       md5_vec3 center, float radius)
{
    MD5_ASSERT_NOT_NULL(renderer);
    MD5GL_ASSERT_IN_FRAME(renderer);
    const GladGLContext *gl = &renderer->gl;
    const bool is_lit = first_light < renderer->num_lights;
    const enum md5gl_fixed_program which = is_lit ? MD5GL_PROGRAM_LIT_FLOOR : MD5GL_PROGRAM_GRID;
    const md5gl_program *const program =
        begin_overlay(renderer, which, renderer->empty_array, true);
    if (!program)
        return;
    gl->Uniform4f(program->uniforms[MD5GL_GRID_AREA], center.x, center.y, z, radius);
    gl->Uniform1f(program->uniforms[MD5GL_GRID_CELL], cell);
    if (is_lit)
        md5gli_set_integer(gl, program, MD5GL_GRID_LIGHT, (GLint)first_light);
    draw_plane(gl, 4);
}

// Draws a horizontal grid at the height `z`, with square cells of `cell` units per side. Every
// tenth line is stronger, and the x and y axes are colored.
void md5gl_draw_grid(md5gl_renderer *renderer, float z, float cell, md5_vec3 center, float radius)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    if (cell > 0.0f)
        draw_floor(renderer, z, cell, MD5GL_MAX_POINT_LIGHTS, center, radius);
}

// Draws a horizontal floor in a warm color at the height `z`. `center` and `radius` limit the floor
// as they limit the grid of md5gl_draw_grid().
void md5gl_draw_floor(md5gl_renderer *renderer, float z, md5_vec3 center, float radius,
                      uint32_t first_light)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    draw_floor(renderer, z, 0.0f, first_light, center, radius);
}

// Draws the shadows on an invisible, horizontal ground around `center`, up to the distance `radius`
// in units. Has no effect in a frame without shadows.
void md5gl_draw_ground(md5gl_renderer *renderer, md5_vec3 center, float radius)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_IN_FRAME(renderer);
    const GladGLContext *gl = &renderer->gl;
    if (!renderer->shadowed)
        return;
    const md5gl_program *const program =
        begin_overlay(renderer, MD5GL_PROGRAM_GROUND, renderer->empty_array, true);
    if (!program)
        return;
    gl->Uniform4f(program->uniforms[MD5GL_GROUND_AREA], center.x, center.y, renderer->ground,
                  radius);
    const md5gl_shaded_ground shaded = renderer->shaded_ground;
    const float corners_and_shift[8] = {shaded.near_corner.x, shaded.near_corner.y,
                                        shaded.far_corner.x,  shaded.far_corner.y,
                                        shaded.shift.x,       shaded.shift.y};
    gl->Uniform4fv(program->uniforms[MD5GL_GROUND_SHADED], 2, corners_and_shift);
    draw_plane(gl, 6);
}

// Draws simple shadows, which are dark discs on the ground, over the image.
void md5gl_draw_blob_shadows(md5gl_renderer *renderer, const md5gl_blob_shadow *blobs,
                             uint32_t count)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5_ASSERT(blobs != NULL || count == 0, "blobs: must not be NULL");
    MD5GL_ASSERT_IN_FRAME(renderer);
    MD5_VALIDATE_RESERVED(blobs, count);
    const GladGLContext *gl = &renderer->gl;
    if (count == 0 || count > INT_MAX)
        return;
    if (!begin_overlay(renderer, MD5GL_PROGRAM_BLOB, renderer->blob_array, true))
        return;
    md5gli_stream(renderer, GL_ARRAY_BUFFER, renderer->blob_buffer, blobs, count * sizeof *blobs);
    gl->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)count);
}

// Blends flat, textured triangles over the image, for example text. Each three of vertices[count]
// are a triangle.
void md5gl_draw_panel(md5gl_renderer *renderer, md5gl_texture texture, md5gl_texture_kind kind,
                      const md5gl_panel_vertex *vertices, uint32_t count)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5_ASSERT(vertices != NULL || count == 0, "vertices: must not be NULL");
    MD5_ASSERT((unsigned)kind <= MD5GL_TEXTURE_MASK && kind != MD5GL_TEXTURE_STAGE_CUBE,
               "kind: must be a value of md5gl_texture_kind, but not a cube map");
    MD5GL_ASSERT_IN_FRAME(renderer);

    const GladGLContext *gl = &renderer->gl;
    if (count < 3 || count > INT_MAX)
        return;
    const bool is_mask = kind == MD5GL_TEXTURE_MASK;
    const enum md5gl_fixed_program which = is_mask ? MD5GL_PROGRAM_PANEL : MD5GL_PROGRAM_IMAGE;
    const md5gl_program *const program =
        begin_overlay(renderer, which, renderer->panel_array, false);
    if (!program)
        return;

    const GLsizei num_complete = (GLsizei)(count / 3 * 3); // vertices of complete triangles
    md5gli_set_integer(gl, program, MD5GL_IS_COLOR, kind == MD5GL_TEXTURE_COLOR);
    md5gli_stream(renderer, GL_ARRAY_BUFFER, renderer->panel_buffer, vertices,
                  count * sizeof *vertices);
    md5gli_bind_texture(renderer, program, MD5GL_UNIT_TEXTURE, GL_TEXTURE_2D,
                        texture ? texture : renderer->white);
    gl->DrawArrays(GL_TRIANGLES, 0, num_complete);
}
