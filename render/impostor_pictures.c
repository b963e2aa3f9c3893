// Draws the pictures of one frame: all views side by side, each an instance that is turned to its
// view, in twice the resolution. Mipmaps of that average it; they are copied to the set's textures.
#include "render/impostor.h"

#include <math.h>
#include <string.h>

// -- Views ------------------------------------------------------------------------------------

md5gl_view_axes md5gli_axes_of_view(const md5gl_impostors *impostors, uint32_t view)
{
    const md5gl_impostor_desc *const desc = &impostors->desc;
    const uint32_t ring = view / desc->num_around, step = view % desc->num_around;
    if (view + 1 == impostors->num_views)
        return (md5gl_view_axes){{0, 1, 0}, {1, 0, 0}, {0, 0, -1}};
    const float angle = 6.28318531f * (float)step / (float)desc->num_around;
    const float rings = desc->num_above > 1 ? (float)(desc->num_above - 1) : 1.0f;
    const float part = (float)ring / rings;
    const float raised = desc->lowest + (desc->highest - desc->lowest) * part;
    const float x = cosf(angle), y = sinf(angle), level = cosf(raised), rise = sinf(raised);
    return (md5gl_view_axes){
        {-y, x, 0}, {-rise * x, -rise * y, level}, {level * x, level * y, rise}};
}

// Returns the placement that turns a view's axes to x, y and z, and puts the sphere's centre into
// the view's cell. Cells are as wide as the sphere.
static md5_mat34 placement_of(const md5gl_impostors *impostors, uint32_t view)
{
    const md5gl_view_axes axes = md5gli_axes_of_view(impostors, view);
    const md5_vec3 rows[3] = {axes.right, axes.up, axes.back}, centre = impostors->desc.centre;
    const float radius = impostors->desc.radius;
    const uint32_t column = view % impostors->columns, line = view / impostors->columns;
    const float cell[3] = {radius * (float)(2 * column + 1), radius * (float)(2 * line + 1), 0.0f};
    md5_mat34 placement;
    for (int row = 0; row < 3; row++) {
        const md5_vec3 axis = rows[row];
        const float shift = cell[row] - md5_vec3_dot(axis, centre);
        const float values[4] = {axis.x, axis.y, axis.z, shift};
        memcpy(placement.m + 4 * row, values, sizeof values);
    }
    return placement;
}

// -- Canvas -----------------------------------------------------------------------------------

static uint32_t cell_pixels(const md5gl_impostors *impostors)
{
    return MD5GL_PICTURE_OVERSAMPLING * impostors->desc.texels;
}

static void create_canvas_texture(const GladGLContext *gl, const md5gl_impostors *impostors,
                                  GLuint texture, GLint format)
{
    const uint32_t cell = cell_pixels(impostors);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    // Level n + 1 becomes level n of the pictures.
    for (uint32_t level = 0; level <= impostors->num_levels; level++)
        gl->TexImage2D(
            GL_TEXTURE_2D, (GLint)level, format, (GLsizei)(impostors->columns * (cell >> level)),
            (GLsizei)(impostors->rows * (cell >> level)), 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)impostors->num_levels);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

static void attach(const GladGLContext *gl, const md5gl_impostors *impostors, GLenum binding,
                   GLint level)
{
    for (GLenum part = 0; part < MD5GL_NUM_PICTURE_PARTS; part++)
        gl->FramebufferTexture2D(binding, GL_COLOR_ATTACHMENT0 + part, GL_TEXTURE_2D,
                                 impostors->canvas[part], level);
}

static void create_framebuffers(const GladGLContext *gl, md5gl_impostors *impostors)
{
    static const GLenum attachments[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    const uint32_t cell = cell_pixels(impostors);
    gl->GenRenderbuffers(1, &impostors->depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, impostors->depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24,
                            (GLsizei)(impostors->columns * cell),
                            (GLsizei)(impostors->rows * cell));
    gl->GenFramebuffers(1, &impostors->reader);
    gl->GenFramebuffers(1, &impostors->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, impostors->framebuffer);
    attach(gl, impostors, GL_FRAMEBUFFER, 0);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                                impostors->depth);
    gl->DrawBuffers(2, attachments);
}

// Streams the block with the projection: cells of 2 * radius, the nearest point of a sphere at -1.
static void create_frame_block(md5gl_renderer *renderer, md5gl_impostors *impostors)
{
    md5gl_frame_block block;
    memset(&block, 0, sizeof block);
    const float radius = impostors->desc.radius;
    float *const clip = block.clip_from_world;
    clip[0] = 1.0f / (radius * (float)impostors->columns);
    clip[5] = 1.0f / (radius * (float)impostors->rows);
    clip[10] = -1.0f / radius;
    clip[12] = clip[13] = -1.0f;
    clip[15] = 1.0f;
    renderer->gl.GenBuffers(1, &impostors->frame_block);
    md5gli_stream(renderer, GL_UNIFORM_BUFFER, impostors->frame_block, &block, sizeof block);
}

bool md5gli_create_canvas(md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const uint32_t limit = renderer->max_target_size, cell = cell_pixels(impostors);
    if (impostors->columns > limit / cell)
        return md5gli_fail(error, MD5_ERROR_GPU, "%u pictures of %u texels exceed a framebuffer",
                           (unsigned)impostors->num_views, (unsigned)impostors->desc.texels);
    impostors->placements = (md5_mat34 *)md5gli_alloc(&renderer->allocator, impostors->num_views,
                                                      sizeof *impostors->placements, error);
    if (!impostors->placements)
        return false;
    for (uint32_t view = 0; view < impostors->num_views; view++)
        impostors->placements[view] = placement_of(impostors, view);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->GenTextures(MD5GL_NUM_PICTURE_PARTS, impostors->canvas);
    create_canvas_texture(gl, impostors, impostors->canvas[MD5GL_PICTURE_COLOUR], GL_SRGB8_ALPHA8);
    create_canvas_texture(gl, impostors, impostors->canvas[MD5GL_PICTURE_SURFACE], GL_RGBA8);
    create_framebuffers(gl, impostors);
    create_frame_block(renderer, impostors);
    const GLenum state = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    if (!md5gli_check(renderer, "creating impostors", error))
        return false;
    if (state != GL_FRAMEBUFFER_COMPLETE)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "the framebuffer for impostors is not complete (0x%04x)",
                           (unsigned)state);
    return true;
}

void md5gli_destroy_canvas(md5gl_renderer *renderer, md5gl_impostors *impostors)
{
    const GladGLContext *gl = &renderer->gl;
    gl->DeleteTextures(MD5GL_NUM_PICTURE_PARTS, impostors->canvas);
    gl->DeleteRenderbuffers(1, &impostors->depth);
    gl->DeleteFramebuffers(1, &impostors->framebuffer);
    gl->DeleteFramebuffers(1, &impostors->reader);
    gl->DeleteBuffers(1, &impostors->frame_block);
    md5gli_free(&renderer->allocator, impostors->placements,
                impostors->num_views * sizeof *impostors->placements);
}

// -- Drawing ----------------------------------------------------------------------------------

// OpenGL ES always encodes sRGB where the framebuffer has that encoding.
static void draw_canvas(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                        const md5gl_model *model)
{
    const GladGLContext *gl = &renderer->gl;
    const uint32_t cell = cell_pixels(impostors);
    gl->BindFramebuffer(GL_FRAMEBUFFER, impostors->framebuffer);
    gl->Viewport(0, 0, (GLsizei)(impostors->columns * cell), (GLsizei)(impostors->rows * cell));
    gl->ClearColor(0.0f, 0.0f, 0.0f, 0.0f);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, MD5GL_FRAME_BINDING, impostors->frame_block);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LEQUAL);
    gl->FrontFace(GL_CW); // id's winding
    if (!renderer->is_es)
        gl->Enable(GL_FRAMEBUFFER_SRGB);
    md5gli_draw_for_pictures(renderer, model);
    if (!renderer->is_es)
        gl->Disable(GL_FRAMEBUFFER_SRGB);
    gl->ActiveTexture(GL_TEXTURE0);
    for (int part = 0; part < MD5GL_NUM_PICTURE_PARTS; part++) {
        gl->BindTexture(GL_TEXTURE_2D, impostors->canvas[part]);
        gl->GenerateMipmap(GL_TEXTURE_2D);
    }
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

// Copies one level of one part from the canvas, which is bound for reading.
static void copy_level(const GladGLContext *gl, const md5gl_impostors *impostors, uint32_t frame,
                       GLint level)
{
    const GLsizei side = (GLsizei)(impostors->desc.texels >> level);
    const GLsizei width = (GLsizei)impostors->columns * side;
    const GLsizei height = (GLsizei)impostors->rows * side;
    if (impostors->desc.layout == MD5GL_IMPOSTOR_VOLUME) {
        gl->CopyTexSubImage3D(GL_TEXTURE_3D, level, 0, 0, (GLint)frame, 0, 0, width, height);
        return;
    }
    if (impostors->desc.layout == MD5GL_IMPOSTOR_ATLAS) {
        const GLint x = (GLint)(frame % impostors->blocks[0]) * width;
        const GLint y = (GLint)(frame / impostors->blocks[0]) * height;
        gl->CopyTexSubImage2D(GL_TEXTURE_2D, level, x, y, 0, 0, width, height);
        return;
    }
    for (uint32_t view = 0; view < impostors->num_views; view++)
        gl->CopyTexSubImage3D(GL_TEXTURE_2D_ARRAY, level, 0, 0,
                              (GLint)(frame * impostors->num_views + view),
                              (GLint)(view % impostors->columns) * side,
                              (GLint)(view / impostors->columns) * side, side, side);
}

static void copy_canvas(md5gl_renderer *renderer, const md5gl_impostors *impostors, uint32_t frame)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, impostors->reader);
    for (uint32_t level = 0; level < impostors->num_levels; level++) {
        attach(gl, impostors, GL_READ_FRAMEBUFFER, (GLint)level + 1); // halves the oversampling
        for (GLenum part = 0; part < MD5GL_NUM_PICTURE_PARTS; part++) {
            gl->ReadBuffer(GL_COLOR_ATTACHMENT0 + part);
            gl->BindTexture(impostors->target, impostors->textures[part]);
            copy_level(gl, impostors, frame, (GLint)level);
        }
    }
    gl->BindTexture(impostors->target, 0);
}

// Notes what instances need to be lit as the model.
static void note_materials(md5gl_impostors *impostors, const md5gl_model *model)
{
    const uint32_t num_meshes = model->model->num_meshes;
    float sum = 0.0f, count = 0.0f;
    impostors->has_specular = false;
    for (uint32_t i = 0; i < num_meshes; i++) {
        const md5gl_material *const material = &md5gli_surface_of(model, 0, i)->material;
        if (!model->meshes[i].visible)
            continue;
        impostors->has_specular = impostors->has_specular || material->specular != 0;
        sum += material->gloss > 0.0f ? material->gloss : 0.45f;
        count += 1.0f;
    }
    impostors->gloss = count > 0.0f ? sum / count : 0.45f;
}

static bool build_programs(md5gl_renderer *renderer, const md5gl_model *model, md5_error *error)
{
    const int variant = md5gl_variant_of(model->blending, model->morph != NULL);
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (!md5gli_build_picture_program(renderer, model->meshes[i].path, variant, error))
            return false;
    }
    return true;
}

// Poses one instance for each view.
static bool pose_views(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                       md5gl_model *model, const md5_mat34 *palette, md5_error *error)
{
    const uint32_t num_views = impostors->num_views;
    const size_t num_joints = model->model->skeleton.num_joints;
    const size_t size = num_joints * sizeof(md5_mat34);
    md5_mat34 *const palettes =
        (md5_mat34 *)md5gli_alloc(&renderer->allocator, num_views, size, error);
    if (!palettes)
        return false;
    for (uint32_t view = 0; view < num_views && num_joints > 0; view++)
        memcpy(palettes + view * num_joints, palette, size);
    const bool posed =
        md5gl_pose_models(renderer, model, palettes, impostors->placements, num_views, error);
    md5gli_free(&renderer->allocator, palettes, num_views * size);
    return posed;
}

bool md5gl_draw_impostor_pictures(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                  md5gl_model *model, uint32_t frame, const md5_mat34 *palette,
                                  md5_error *error)
{
    MD5_ASSERT(renderer != NULL && impostors != NULL && model != NULL,
               "renderer, impostors, model: not NULL");
    MD5_ASSERT(palette != NULL || model->model->skeleton.num_joints == 0, "palette: not NULL");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    md5gli_clear_error(error);
    if (frame >= impostors->desc.num_frames)
        return md5gli_fail(error, MD5_ERROR_RANGE, "pictures of frame %u, but there are %u frames",
                           (unsigned)frame, (unsigned)impostors->desc.num_frames);
    md5gli_clear_gl_errors(renderer);
    if (!build_programs(renderer, model, error)
        || !pose_views(renderer, impostors, model, palette, error))
        return false;
    note_materials(impostors, model);
    draw_canvas(renderer, impostors, model);
    copy_canvas(renderer, impostors, frame);
    md5gli_reset_state(renderer);
    impostors->has_pictures[frame] = md5gli_check(renderer, "drawing pictures", error);
    return impostors->has_pictures[frame];
}
