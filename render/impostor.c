// Impostor sets: pictures of a character from many directions in each frame, and squares that show
// them.
//
// A set is an atlas, two textures of blocks: one block a frame, with the pictures of all its views.
// The views of a frame are drawn side by side, each an instance that is turned to its view, in
// twice the resolution, into a canvas; mipmaps of that average it, and are copied to the frame's
// block. Mipmaps end where a picture has 8 texels, and pictures keep half a texel of that level
// from their neighbours. Each picture has two texels: linear colour and highlight; normal, depth
// and coverage. All are multiplied by coverage, so that filtering needs no border.
//
// impostor.vert selects the three views around the viewer's direction; impostor.glsl shifts each by
// the depth of a coarse level, which changes smoothly (the exact depth would tear parts apart where
// it jumps), and blends them. Their depth is written, so that impostors stand on the ground and
// intersect each other; in shadow maps they show their pictures towards the light.
//
// Invariant: every instance's frame has pictures.
#include "render/gl_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { COLOUR, SURFACE, NUM_PARTS }; // of a picture

enum {
    OVERSAMPLING = 2,   // pixels of the canvas along a side of a texel
    MIN_LEVEL_SIDE = 8, // where mipmaps end, as shaders/impostor.glsl expects
};

static const GLint part_formats[NUM_PARTS] = {GL_SRGB8_ALPHA8, GL_RGBA8};
static const float usual_gloss = 0.45f;

struct md5gl_impostors {
    md5gl_impostor_desc desc; // without defaults
    uint32_t num_views;
    uint32_t columns, rows; // of the block of one frame's pictures
    uint32_t blocks[2];     // per row, and rows of blocks
    uint32_t num_levels;    // of mipmaps
    size_t size;            // bytes of the textures
    GLuint textures[NUM_PARTS];
    bool *has_pictures; // [num_frames]

    // What one frame's pictures are drawn into.
    GLuint canvas[NUM_PARTS];
    GLuint depth;
    GLuint framebuffer;
    GLuint reader;
    GLuint frame_block;
    md5_mat34 *placements; // [num_views] turn the model to each view and move it to its cell

    bool has_specular; // of the materials
    float gloss;
    GLuint array, buffer; // the instances
    uint32_t count;
};

// -- Description ------------------------------------------------------------------------------

static bool fill_description(const md5gl_impostor_desc *given, md5gl_impostor_desc *desc,
                             md5_error *error)
{
    enum { MAX_AROUND = 64, MAX_ABOVE = 16, MAX_TEXELS = 512 };
    const float quarter = 1.5708f;
    const md5_vec3 centre = given->center;
    *desc = *given;
    desc->num_around = given->num_around > 0 ? given->num_around : 12;
    desc->num_above = given->num_above > 0 ? given->num_above : 2;
    desc->texels = given->texels > 0 ? given->texels : 64;
    desc->gpu_limit = given->gpu_limit > 0 ? given->gpu_limit : (size_t)512 << 20;
    if (given->lowest == 0.0f && given->highest == 0.0f) {
        desc->lowest = 0.17f;
        desc->highest = 0.79f;
    }
    if (desc->num_frames == 0)
        return md5gli_fail(error, MD5_ERROR_RANGE, "no impostor frames: expected at least 1");
    if (!isfinite(centre.x) || !isfinite(centre.y) || !isfinite(centre.z) || !isfinite(desc->radius)
        || !(desc->radius > 0.0f))
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "invalid bounding sphere of impostors: expected a finite center and a "
                           "finite radius above 0");
    if (desc->num_around > MAX_AROUND || desc->num_above > MAX_ABOVE)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "too many impostor directions: expected at most %d around and %d above, "
                           "found %u and %u",
                           MAX_AROUND, MAX_ABOVE, desc->num_around, desc->num_above);
    if (!(desc->lowest >= -quarter && desc->lowest <= desc->highest && desc->highest <= quarter))
        return md5gli_fail(
            error, MD5_ERROR_RANGE,
            "invalid impostor angles: expected -pi/2 <= lowest <= highest <= pi/2, found %g and %g",
            desc->lowest, desc->highest);
    if (desc->texels < MIN_LEVEL_SIDE || desc->texels > MAX_TEXELS
        || (desc->texels & (desc->texels - 1)) != 0)
        return md5gli_fail(
            error, MD5_ERROR_RANGE,
            "invalid impostor size: expected a power of 2 from %d to %d texels, found %u",
            MIN_LEVEL_SIDE, MAX_TEXELS, desc->texels);
    return true;
}

// Arranges the pictures of a frame in a block and the blocks in the atlas, both in a square.
static bool arrange(const md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error)
{
    const md5gl_impostor_desc *const desc = &impostors->desc;
    const uint64_t frames = desc->num_frames;
    const uint64_t limit = renderer->max_texture_size;
    const uint64_t across = (uint64_t)ceil(sqrt((double)frames));
    impostors->num_views = desc->num_around * desc->num_above + 1;
    impostors->columns = (uint32_t)ceil(sqrt(impostors->num_views));
    impostors->rows = (impostors->num_views + impostors->columns - 1) / impostors->columns;
    impostors->blocks[0] = (uint32_t)across;
    impostors->blocks[1] = (uint32_t)((frames + across - 1) / across);
    const uint64_t width = across * impostors->columns * desc->texels;
    const uint64_t height = (uint64_t)impostors->blocks[1] * impostors->rows * desc->texels;
    if (width > limit || height > limit)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "impostor texture is too large: %u frames require %llu x %llu texels; "
                           "GL_MAX_TEXTURE_SIZE is %llu",
                           desc->num_frames, (unsigned long long)width, (unsigned long long)height,
                           (unsigned long long)limit);
    uint64_t bytes = 0;
    for (uint32_t side = desc->texels; side >= MIN_LEVEL_SIDE; side /= 2) {
        const uint32_t level = impostors->num_levels++;
        bytes += (width >> level) * (height >> level) * 4 * NUM_PARTS;
    }
    if (bytes > desc->gpu_limit)
        return md5gli_fail(
            error, MD5_ERROR_MEMORY,
            "impostor textures are too large: %u frames require %llu bytes; the limit is %zu",
            desc->num_frames, (unsigned long long)bytes, desc->gpu_limit);
    impostors->size = (size_t)bytes;
    return true;
}

// -- Textures ---------------------------------------------------------------------------------

// Creates textures of `columns` x `rows` cells of `cell` texels, and binds none of them.
static void create_textures(md5gl_renderer *renderer, GLuint textures[NUM_PARTS], uint32_t columns,
                            uint32_t rows, uint32_t cell, uint32_t num_levels, bool is_filtered)
{
    const GladGLContext *gl = &renderer->gl;
    const GLint mipmapped = num_levels > 1 ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR;
    gl->ActiveTexture(GL_TEXTURE0);
    gl->GenTextures(NUM_PARTS, textures);
    for (uint32_t part = 0; part < NUM_PARTS; part++) {
        gl->BindTexture(GL_TEXTURE_2D, textures[part]);
        for (uint32_t level = 0; level < num_levels; level++)
            gl->TexImage2D(GL_TEXTURE_2D, (GLint)level, part_formats[part],
                           (GLsizei)(columns * (cell >> level)), (GLsizei)(rows * (cell >> level)),
                           0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)num_levels - 1);
        md5gli_set_sampling(gl, GL_TEXTURE_2D, false, is_filtered ? GL_LINEAR : GL_NEAREST,
                            is_filtered ? mipmapped : GL_NEAREST_MIPMAP_NEAREST);
    }
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

// -- Canvas -----------------------------------------------------------------------------------

// Returns the placement that turns the axes of a view (to the right, up, and to the viewer: as in
// shaders/impostor_views.glsl) to x, y and z, and puts the sphere's centre into the view's cell.
// Cells are as wide as the sphere.
static md5_mat34 placement_of(const md5gl_impostors *impostors, uint32_t view)
{
    const md5gl_impostor_desc *const desc = &impostors->desc;
    md5_vec3 rows[3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}; // from below
    if (view + 1 < impostors->num_views) {
        const uint32_t ring = view / desc->num_around;
        const uint32_t step = view % desc->num_around;
        const float angle = 6.28318531f * (float)step / (float)desc->num_around;
        const float rings = desc->num_above > 1 ? (float)(desc->num_above - 1) : 1.0f;
        const float part = (float)ring / rings;
        const float raised = desc->lowest + (desc->highest - desc->lowest) * part;
        const float x = cosf(angle);
        const float y = sinf(angle);
        const float level = cosf(raised);
        const float rise = sinf(raised);
        rows[0] = (md5_vec3){-y, x, 0};
        rows[1] = (md5_vec3){-rise * x, -rise * y, level};
        rows[2] = (md5_vec3){level * x, level * y, rise};
    }
    const uint32_t column = view % impostors->columns;
    const uint32_t line = view / impostors->columns;
    const float cell[3] = {desc->radius * (float)(2 * column + 1),
                           desc->radius * (float)(2 * line + 1), 0.0f};
    md5_mat34 placement;
    for (uint32_t row = 0; row < 3; row++) {
        const md5_vec3 axis = rows[row];
        const float shift = cell[row] - md5_vec3_dot(axis, desc->center);
        const float values[4] = {axis.x, axis.y, axis.z, shift};
        memcpy(placement.m + 4 * row, values, sizeof values);
    }
    return placement;
}

static void attach(const GladGLContext *gl, const md5gl_impostors *impostors, GLenum binding,
                   GLint level)
{
    for (GLenum part = 0; part < NUM_PARTS; part++)
        gl->FramebufferTexture2D(binding, GL_COLOR_ATTACHMENT0 + part, GL_TEXTURE_2D,
                                 impostors->canvas[part], level);
}

// Creates the framebuffer in which pictures are drawn, and its block with the projection: cells of
// 2 * radius, the nearest point of a sphere at -1.
static bool create_canvas(md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error)
{
    static const GLenum attachments[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    const GladGLContext *gl = &renderer->gl;
    const uint32_t cell = OVERSAMPLING * impostors->desc.texels;
    const uint32_t columns = impostors->columns;
    const uint32_t rows = impostors->rows;
    const float radius = impostors->desc.radius;
    if (columns > renderer->max_target_size / cell)
        return md5gli_fail(
            error, MD5_ERROR_GPU,
            "impostor images are too large for a framebuffer: %u images of %u texels",
            impostors->num_views, impostors->desc.texels);
    impostors->placements = MD5GL_NEW(renderer, md5_mat34, impostors->num_views, error);
    if (!impostors->placements)
        return false;
    for (uint32_t view = 0; view < impostors->num_views; view++)
        impostors->placements[view] = placement_of(impostors, view);
    // Level n + 1 becomes level n of the pictures.
    create_textures(renderer, impostors->canvas, columns, rows, cell, impostors->num_levels + 1,
                    false);
    gl->GenRenderbuffers(1, &impostors->depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, impostors->depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, (GLsizei)(columns * cell),
                            (GLsizei)(rows * cell));
    gl->GenFramebuffers(1, &impostors->reader);
    gl->GenFramebuffers(1, &impostors->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, impostors->framebuffer);
    attach(gl, impostors, GL_FRAMEBUFFER, 0);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                                impostors->depth);
    gl->DrawBuffers(2, attachments);
    md5gl_frame_block block;
    memset(&block, 0, sizeof block);
    float *const clip = block.clip_from_world;
    clip[0] = 1.0f / (radius * (float)columns);
    clip[5] = 1.0f / (radius * (float)rows);
    clip[10] = -1.0f / radius;
    clip[12] = clip[13] = -1.0f;
    clip[15] = 1.0f;
    gl->GenBuffers(1, &impostors->frame_block);
    md5gli_stream(renderer, GL_UNIFORM_BUFFER, impostors->frame_block, &block, sizeof block);
    const GLenum state = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    if (!md5gli_check(renderer, "creating impostors", error))
        return false;
    if (state != GL_FRAMEBUFFER_COMPLETE)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "framebuffer for impostors is not complete (0x%04x)", state);
    return true;
}

// -- Creation ---------------------------------------------------------------------------------

static bool fill_set(md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error)
{
    if (!arrange(renderer, impostors, error))
        return false;
    impostors->gloss = usual_gloss;
    impostors->has_pictures = MD5GL_NEW(renderer, bool, impostors->desc.num_frames, error);
    if (!impostors->has_pictures)
        return false;

    // One instance is one md5gl_impostor of the buffer.
    static const struct {
        GLint size;
        size_t offset;
    } attributes[] = {{4, offsetof(md5gl_impostor, rotation)},
                      {4, offsetof(md5gl_impostor, translation)}, // and scale
                      {2, offsetof(md5gl_impostor, frame)}};      // and shown
    const GladGLContext *gl = &renderer->gl;
    gl->GenVertexArrays(1, &impostors->array);
    gl->GenBuffers(1, &impostors->buffer);
    gl->BindVertexArray(impostors->array);
    gl->BindBuffer(GL_ARRAY_BUFFER, impostors->buffer);
    for (uint32_t i = 0; i < 3; i++) {
        gl->EnableVertexAttribArray(i);
        gl->VertexAttribPointer(i, attributes[i].size, GL_FLOAT, GL_FALSE, sizeof(md5gl_impostor),
                                (const void *)attributes[i].offset);
        gl->VertexAttribDivisor(i, 1);
    }
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
    (void)md5gli_take_errors(renderer);
    md5gli_reset_transfers(renderer);
    create_textures(renderer, impostors->textures, impostors->columns * impostors->blocks[0],
                    impostors->rows * impostors->blocks[1], impostors->desc.texels,
                    impostors->num_levels, true);
    return md5gli_check(renderer, "creating impostors", error)
           && create_canvas(renderer, impostors, error)
           && md5gli_fixed_program(renderer, MD5GL_IMPOSTOR_LIT, error)
           && md5gli_fixed_program(renderer, MD5GL_IMPOSTOR_DEPTH, error);
}

md5gl_impostors *md5gl_create_impostors(md5gl_renderer *renderer, const md5gl_impostor_desc *desc,
                                        md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    if (!renderer) {
        md5gli_fail_missing(error, "renderer");
        return NULL;
    }
    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT_RESERVED(desc);
    MD5GL_ASSERT_NO_FRAME(renderer);
    md5gl_impostor_desc full;
    if (!fill_description(desc, &full, error))
        return NULL;
    md5gl_impostors *const impostors = MD5GL_NEW(renderer, md5gl_impostors, 1, error);
    md5gli_set_kind(impostors, MD5GL_KIND_IMPOSTORS);
    if (!impostors)
        return NULL;
    impostors->desc = full;
    const bool filled = fill_set(renderer, impostors, error);
    md5gli_reset_state(renderer);
    renderer->stats.impostor_bytes += impostors->size;
    renderer->stats.num_impostor_images += impostors->desc.num_frames * impostors->num_views;
    if (filled)
        return impostors;
    md5gl_destroy_impostors(renderer, impostors);
    return NULL;
}

void md5gl_destroy_impostors(md5gl_renderer *renderer, md5gl_impostors *impostors)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(impostors, IMPOSTORS);
    if (!impostors)
        return;
    const GladGLContext *gl = &renderer->gl;
    renderer->stats.impostor_bytes -= impostors->size;
    renderer->stats.num_impostor_images -= impostors->desc.num_frames * impostors->num_views;
    const GLuint framebuffers[] = {impostors->framebuffer, impostors->reader};
    const GLuint buffers[] = {impostors->buffer, impostors->frame_block};
    gl->DeleteTextures(NUM_PARTS, impostors->textures);
    gl->DeleteTextures(NUM_PARTS, impostors->canvas);
    gl->DeleteRenderbuffers(1, &impostors->depth);
    gl->DeleteFramebuffers(2, framebuffers);
    gl->DeleteVertexArrays(1, &impostors->array);
    gl->DeleteBuffers(2, buffers);
    md5gli_free(renderer, impostors->placements);
    md5gli_free(renderer, impostors->has_pictures);
    md5gli_free(renderer, impostors);
}

bool md5gl_has_impostor_images(const md5gl_impostors *impostors, uint32_t frame)
{
    MD5GL_ASSERT_ALIVE(impostors, IMPOSTORS);
    return frame < impostors->desc.num_frames && impostors->has_pictures[frame];
}

// -- Pictures ---------------------------------------------------------------------------------

static void draw_canvas(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                        const md5gl_model *model)
{
    const GladGLContext *gl = &renderer->gl;
    const uint32_t cell = OVERSAMPLING * impostors->desc.texels;
    gl->BindFramebuffer(GL_FRAMEBUFFER, impostors->framebuffer);
    gl->Viewport(0, 0, (GLsizei)(impostors->columns * cell), (GLsizei)(impostors->rows * cell));
    gl->ClearColor(0.0f, 0.0f, 0.0f, 0.0f);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, MD5GL_FRAME_BINDING, impostors->frame_block);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_LEQUAL);
    gl->FrontFace(GL_CW); // id's winding
    // OpenGL ES always encodes sRGB where the framebuffer has that encoding.
    if (!renderer->is_es)
        gl->Enable(GL_FRAMEBUFFER_SRGB);
    md5gli_draw_for_pictures(renderer, model);
    if (!renderer->is_es)
        gl->Disable(GL_FRAMEBUFFER_SRGB);
    gl->ActiveTexture(GL_TEXTURE0);
    for (uint32_t part = 0; part < NUM_PARTS; part++) {
        gl->BindTexture(GL_TEXTURE_2D, impostors->canvas[part]);
        gl->GenerateMipmap(GL_TEXTURE_2D);
    }
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

bool md5gl_draw_impostor_images(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                md5gl_model *model, uint32_t frame, const md5_mat34 *palette,
                                md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(impostors, IMPOSTORS);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!renderer || !impostors || !model)
        return md5gli_fail_missing(error, !renderer ? "renderer"
                                          : !model  ? "model"
                                                    : "impostor set");
    MD5_ASSERT(palette != NULL || model->model->skeleton.num_joints == 0,
               "palette: must not be NULL");
    MD5GL_ASSERT_NO_FRAME(renderer);
    if (frame >= impostors->desc.num_frames)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "impostor frame is out of range: expected below %u, found %u",
                           impostors->desc.num_frames, frame);
    (void)md5gli_take_errors(renderer);
    // Pose one instance for each view.
    const uint32_t num_views = impostors->num_views;
    const size_t num_joints = model->model->skeleton.num_joints;
    const size_t size = num_joints * sizeof(md5_mat34);
    md5_mat34 *const palettes = MD5GL_NEW(renderer, md5_mat34, num_views * num_joints, error);
    if (!palettes)
        return false;
    if (num_joints > 0) {
        for (uint32_t view = 0; view < num_views; view++)
            memcpy(palettes + view * num_joints, palette, size);
    }
    const md5gl_instances views = {
        .count = num_views, .palettes = palettes, .placements = impostors->placements};
    const bool posed = md5gl_pose(renderer, model, &views, error);
    md5gli_free(renderer, palettes);
    if (!posed)
        return false;
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (!md5gli_program_of(renderer, model, &model->meshes[i], MD5GL_PASS_PICTURE, error))
            return false;
    }

    // What instances need to be lit as the model.
    float sum = 0.0f;
    float count = 0.0f;
    impostors->has_specular = false;
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        const md5gl_material *const material = &md5gli_surface_of(model, 0, i)->material;
        if (!model->meshes[i].visible)
            continue;
        impostors->has_specular = impostors->has_specular || material->specular != 0;
        sum += material->gloss > 0.0f ? material->gloss : usual_gloss;
        count += 1.0f;
    }
    impostors->gloss = count > 0.0f ? sum / count : usual_gloss;
    draw_canvas(renderer, impostors, model);

    // Copy the canvas to the frame's block of the atlas.
    const GladGLContext *gl = &renderer->gl;
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, impostors->reader);
    for (uint32_t level = 0; level < impostors->num_levels; level++) {
        const GLsizei side = (GLsizei)(impostors->desc.texels >> level);
        const GLsizei width = (GLsizei)impostors->columns * side;
        const GLsizei height = (GLsizei)impostors->rows * side;
        attach(gl, impostors, GL_READ_FRAMEBUFFER, (GLint)level + 1); // halves the oversampling
        for (GLenum part = 0; part < NUM_PARTS; part++) {
            gl->ReadBuffer(GL_COLOR_ATTACHMENT0 + part);
            gl->BindTexture(GL_TEXTURE_2D, impostors->textures[part]);
            gl->CopyTexSubImage2D(
                GL_TEXTURE_2D, (GLint)level, (GLint)(frame % impostors->blocks[0]) * width,
                (GLint)(frame / impostors->blocks[0]) * height, 0, 0, width, height);
        }
    }
    md5gli_reset_state(renderer);
    impostors->has_pictures[frame] = md5gli_check(renderer, "drawing impostor images", error);
    return impostors->has_pictures[frame];
}

// -- Instances --------------------------------------------------------------------------------

bool md5gl_pose_impostors(md5gl_renderer *renderer, md5gl_impostors *impostors,
                          const md5gl_impostor *instances, uint32_t count, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(impostors, IMPOSTORS);
    if (!renderer || !impostors) {
        md5gli_fail_missing(error, renderer ? "impostor set" : "renderer");
        return false;
    }
    MD5_ASSERT(instances != NULL || count == 0, "instances: must not be NULL");
    const float last = (float)(impostors->desc.num_frames - 1);
    impostors->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float frame = instances[i].frame;
        if (!(frame >= 0.0f && frame <= last) || !impostors->has_pictures[(uint32_t)(frame + 0.5f)])
            return md5gli_fail(error, MD5_ERROR_RANGE, "impostor %u: frame %g has no images", i,
                               frame);
    }
    if (count > 0)
        md5gli_stream(renderer, GL_ARRAY_BUFFER, impostors->buffer, instances,
                      count * sizeof *instances);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    impostors->count = count;
    return true;
}

// Sets all state of drawing instances but what the pass needs.
static void begin_drawing(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                          const md5gl_program *program)
{
    const GladGLContext *gl = &renderer->gl;
    const md5gl_impostor_desc *const desc = &impostors->desc;
    const GLint *const uniforms = program->uniforms;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    gl->UseProgram(program->name);
    gl->Uniform2i(uniforms[MD5GL_VIEW_COUNTS], (GLint)desc->num_around, (GLint)desc->num_above);
    gl->Uniform2f(uniforms[MD5GL_VIEW_RANGE], desc->lowest, desc->highest);
    gl->Uniform4i(uniforms[MD5GL_PICTURE_GRID], (GLint)impostors->columns, (GLint)impostors->rows,
                  (GLint)impostors->blocks[0], (GLint)impostors->blocks[1]);
    gl->Uniform1f(uniforms[MD5GL_PICTURE_TEXELS], (float)desc->texels);
    // In the second to last level a picture has 16 texels a side.
    gl->Uniform1f(uniforms[MD5GL_COARSE_LEVEL],
                  impostors->num_levels > 2 ? (float)(impostors->num_levels - 2) : 0.0f);
    gl->Uniform4f(uniforms[MD5GL_MODEL_SPHERE], desc->center.x, desc->center.y, desc->center.z,
                  desc->radius);
    for (uint32_t part = 0; part < NUM_PARTS; part++) // MD5GL_UNIT_NORMALS is the second
        md5gli_bind_texture(renderer, program, (enum md5gl_unit)(MD5GL_UNIT_TEXTURE + part),
                            GL_TEXTURE_2D, impostors->textures[part]);
}

static void draw_squares(md5gl_renderer *renderer, const md5gl_impostors *impostors)
{
    renderer->gl.BindVertexArray(impostors->array);
    renderer->gl.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)impostors->count);
}

void md5gl_draw_impostor_shadows(md5gl_renderer *renderer, const md5gl_impostors *impostors)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_ALIVE(impostors, IMPOSTORS);
    MD5GL_ASSERT_IN_FRAME(renderer);
    const md5gl_program *const program = &renderer->fixed[MD5GL_IMPOSTOR_DEPTH];
    if (!renderer->shadowed || impostors->count == 0)
        return;
    begin_drawing(renderer, impostors, program);
    md5gli_set_integer(&renderer->gl, program, MD5GL_CASTS, true);
    for (uint32_t i = renderer->first_map; i < renderer->end_map; i++) {
        md5gli_bind_map(renderer, &renderer->maps[i]);
        draw_squares(renderer, impostors);
    }
    md5gli_bind_frame(renderer);
}

void md5gl_draw_impostors(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                          uint32_t style)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_ALIVE(impostors, IMPOSTORS);
    MD5GL_ASSERT_IN_FRAME(renderer);
    const GladGLContext *gl = &renderer->gl;
    if (impostors->count == 0 || !(style & MD5GL_LIT))
        return;
    // Programs for other lights than the studio's are built here. Their order is that of the
    // passes.
    static_assert((int)MD5GL_IMPOSTOR_LIT_CLASSIC_SPOTS - MD5GL_IMPOSTOR_LIT_ENVIRONMENT
                      == (int)MD5GL_PASS_LIT_CLASSIC_SPOTS - MD5GL_PASS_LIT_ENVIRONMENT,
                  "impostors and lit passes must have equally many programs");
    const enum md5gl_fixed_program which =
        renderer->lit_pass == MD5GL_PASS_LIT
            ? MD5GL_IMPOSTOR_LIT
            : (enum md5gl_fixed_program)(MD5GL_IMPOSTOR_LIT_ENVIRONMENT + (int)renderer->lit_pass
                                         - MD5GL_PASS_LIT_ENVIRONMENT);
    md5_error error = {0};
    const md5gl_program *program = md5gli_fixed_program(renderer, which, &error);
    if (!program) {
        md5gli_fail_light(renderer, &error);
        program = &renderer->fixed[MD5GL_IMPOSTOR_LIT];
    }
    begin_drawing(renderer, impostors, program);
    md5gli_set_integer(gl, program, MD5GL_CASTS, false);
    gl->Uniform3i(program->uniforms[MD5GL_MAPS], (style & MD5GL_UNTEXTURED) != 0,
                  impostors->has_specular, 0);
    gl->Uniform2f(program->uniforms[MD5GL_SURFACE], impostors->gloss, 0.0f);
    md5gli_set_integer(gl, program, MD5GL_ALPHA_MODE, renderer->multisampled);
    md5gli_set_coverage(renderer, true);
    draw_squares(renderer, impostors);
    md5gli_set_coverage(renderer, false);
}
