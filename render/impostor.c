// Impostor sets: images of a character from many directions in each frame of a clip, and squares
// that are textured with them. A view is one of the directions.
//
// A set is an atlas of two textures. The first texture contains linear color and highlight, the
// second normal, depth and coverage. The atlas consists of blocks. A block contains the images of
// all views in one frame, in cells of equal size.
//
// The images of a frame are drawn into a canvas, an off-screen framebuffer with the cells of one
// block in twice the resolution. Each view is an instance of the model that is rotated to the view.
// The mipmaps of the canvas are averages of several pixels and are copied to the block of the
// frame.
//
// In the last mipmap level, an image has 8 texels per side. Images keep a distance of half a texel
// of that level from their neighbors, so that filtering does not mix neighbors. All values are
// multiplied by coverage, so texels outside of the character do not change filtered colors.
//
// impostor.vert selects the three views around the viewer's direction. impostor.glsl shifts each
// view according to its depth, and blends the views. It reads this depth from a coarse mipmap
// level, where it changes smoothly. At the discontinuities of the exact depth, the shift would tear
// parts apart. The shader also writes depth, so that impostors intersect the ground and each other
// correctly. For shadow maps, the shader uses the image of the view towards the light.
//
// Invariant: the images of the frame that an instance shows have been drawn.
#include "render/gl_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The two textures of a set.
enum { IMPOSTOR_COLOR, IMPOSTOR_SURFACE, NUM_PARTS };

enum {
    OVERSAMPLING = 2,   // pixels of the canvas per texel and axis
    MIN_LEVEL_SIDE = 8, // side of an image in the last mipmap; shaders/impostor.glsl expects it
};

static const GLint part_formats[NUM_PARTS] = {GL_SRGB8_ALPHA8, GL_RGBA8};
static const float default_gloss = 0.45f;

struct md5gl_impostors {
    md5gl_impostor_desc desc; // defaults are replaced by their values
    uint32_t num_views;       // per frame
    uint32_t columns;         // columns of images in a block
    uint32_t rows;            // rows of images in a block
    uint32_t blocks[2];       // blocks per row, rows of blocks
    uint32_t num_levels;      // mipmap levels
    size_t size;              // bytes of the textures
    GLuint textures[NUM_PARTS];
    bool *has_images; // [num_frames]

    // The canvas, into which the images of one frame are drawn.
    GLuint canvas[NUM_PARTS];
    GLuint depth;
    GLuint framebuffer;
    GLuint reader; // framebuffer for reading one level of the canvas
    GLuint frame_block;
    md5_mat34 *placements; // [num_views] rotate the model to each view and move it to its cell

    // The members below summarize the materials of the model.
    bool has_specular;
    float gloss;

    // The members below hold the instances.
    GLuint array;
    GLuint buffer;
    uint32_t count;
};

// -- Description ------------------------------------------------------------------------------

// Returns true if no component is infinite or NaN.
static bool is_finite_vec3(md5_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// Returns a copy of a description in which each 0 that stands for a default is replaced by the
// default.
static md5gl_impostor_desc with_defaults(const md5gl_impostor_desc *given)
{
    md5gl_impostor_desc desc = *given;
    if (desc.num_around == 0)
        desc.num_around = 12;
    if (desc.num_above == 0)
        desc.num_above = 2;
    if (desc.texels == 0)
        desc.texels = 64;
    if (desc.gpu_limit == 0)
        desc.gpu_limit = (size_t)512 << 20;
    if (desc.lowest == 0.0f && desc.highest == 0.0f) {
        desc.lowest = 0.17f;  // about 10 degrees, in radians
        desc.highest = 0.79f; // about 45 degrees
    }
    return desc;
}

// Returns true if the bounding sphere of the model is finite and not empty. The sphere determines
// which part of space the images show.
static bool has_valid_sphere(const md5gl_impostor_desc *desc)
{
    return is_finite_vec3(desc->center) && isfinite(desc->radius) && desc->radius > 0.0f;
}

// Returns true if the elevations of the lowest and the highest ring are ascending and within a
// quarter turn of the horizon. Elevations are in radians.
static bool has_valid_angles(const md5gl_impostor_desc *desc)
{
    const float quarter = 1.5708f;                           // pi / 2
    const bool is_ascending = desc->lowest <= desc->highest; // false for NaN
    return is_ascending && desc->lowest >= -quarter && desc->highest <= quarter;
}

// Returns true if the side of an image is in the supported range and a power of 2. Each mipmap
// level then halves it without rounding. Otherwise fills the error.
static bool check_image_side(uint32_t texels, md5_error *error)
{
    enum { MAX_TEXELS = 512 };
    const bool is_power_of_2 = (texels & (texels - 1)) == 0;
    const bool is_in_range = texels >= MIN_LEVEL_SIDE && texels <= MAX_TEXELS;
    if (is_in_range && is_power_of_2)
        return true;
    return md5gli_fail(
        error, MD5_ERROR_RANGE,
        "invalid impostor size: expected a power of 2 from %d to %d texels, found %u",
        MIN_LEVEL_SIDE, MAX_TEXELS, texels);
}

// Returns true if a description without default zeros is valid. Otherwise fills the error.
static bool check_description(const md5gl_impostor_desc *desc, md5_error *error)
{
    enum { MAX_AROUND = 64, MAX_ABOVE = 16 };
    if (desc->num_frames == 0)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "list of impostor frames is empty: expected at least 1");
    if (!has_valid_sphere(desc))
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "invalid bounding sphere of impostors: expected a finite center and a "
                           "finite radius above 0");
    if (desc->num_around > MAX_AROUND || desc->num_above > MAX_ABOVE)
        return md5gli_fail(
            error, MD5_ERROR_RANGE,
            "too many impostor views: expected at most %d horizontal and %d vertical "
            "directions, found %u and %u",
            MAX_AROUND, MAX_ABOVE, desc->num_around, desc->num_above);
    if (!has_valid_angles(desc))
        return md5gli_fail(
            error, MD5_ERROR_RANGE,
            "invalid impostor angles: expected -pi/2 <= lowest <= highest <= pi/2, found %g and %g",
            desc->lowest, desc->highest);
    return check_image_side(desc->texels, error);
}

// Returns the number of columns with which a grid of `count` cells is approximately a square.
static uint32_t square_columns(uint32_t count)
{
    return (uint32_t)ceil(sqrt((double)count));
}

// Arranges the views of one frame as cells of a block, and the frames as blocks of the atlas.
// Blocks and atlas are approximately squares.
static void arrange_atlas(md5gl_impostors *impostors)
{
    const md5gl_impostor_desc *const desc = &impostors->desc;
    impostors->num_views = desc->num_around * desc->num_above + 1; // 1: the view from below
    impostors->columns = square_columns(impostors->num_views);
    impostors->rows = (impostors->num_views + impostors->columns - 1) / impostors->columns;
    const uint64_t across = square_columns(desc->num_frames);
    impostors->blocks[0] = (uint32_t)across;
    impostors->blocks[1] = (uint32_t)((desc->num_frames + across - 1) / across);
}

// Computes the number of mipmap levels of an atlas of width x height texels. The last level has
// images of MIN_LEVEL_SIDE texels per side. Returns the size of both textures with all levels, in
// bytes.
static uint64_t count_levels(md5gl_impostors *impostors, uint64_t width, uint64_t height)
{
    enum { BYTES_PER_TEXEL = 4 };
    uint64_t size = 0;
    for (uint32_t side = impostors->desc.texels; side >= MIN_LEVEL_SIDE; side /= 2) {
        const uint64_t num_texels =
            (width >> impostors->num_levels) * (height >> impostors->num_levels);
        size += num_texels * BYTES_PER_TEXEL * NUM_PARTS;
        impostors->num_levels++;
    }
    return size;
}

// Arranges the images of an impostor set in its atlas. Computes the number of mipmap levels of the
// atlas and its size in bytes. Returns false and fills the error if the atlas is too large.
static bool plan_atlas(const md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error)
{
    const md5gl_impostor_desc *const desc = &impostors->desc;
    arrange_atlas(impostors);
    const uint64_t limit = renderer->max_texture_size;
    const uint64_t width = (uint64_t)impostors->blocks[0] * impostors->columns * desc->texels;
    const uint64_t height = (uint64_t)impostors->blocks[1] * impostors->rows * desc->texels;
    if (width > limit || height > limit)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "impostor texture is too large: %u frames require %llu x %llu texels, "
                           "but GL_MAX_TEXTURE_SIZE is %llu; use fewer frames",
                           desc->num_frames, (unsigned long long)width, (unsigned long long)height,
                           (unsigned long long)limit);

    const uint64_t bytes = count_levels(impostors, width, height);
    if (bytes > desc->gpu_limit)
        return md5gli_fail(error, MD5_ERROR_MEMORY,
                           "impostor textures are too large: %u frames require %llu bytes, but the "
                           "limit is %zu bytes; use fewer frames",
                           desc->num_frames, (unsigned long long)bytes, desc->gpu_limit);
    impostors->size = (size_t)bytes;
    return true;
}

// -- Textures ---------------------------------------------------------------------------------

// Creates the two textures of an atlas or a canvas, with undefined texels and `num_levels` mipmap
// levels. A texture has `columns` x `rows` cells with sides of `cell` texels. `is_filtered` is
// false for the canvas, because no shader samples it. Leaves no texture bound.
static void create_impostor_textures(md5gl_renderer *renderer, GLuint textures[NUM_PARTS],
                                     uint32_t columns, uint32_t rows, uint32_t cell,
                                     uint32_t num_levels, bool is_filtered)
{
    const GladGLContext *gl = &renderer->gl;
    GLint magnify = GL_NEAREST;
    GLint minify = GL_NEAREST_MIPMAP_NEAREST;
    if (is_filtered) {
        magnify = GL_LINEAR;
        minify = num_levels > 1 ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR;
    }
    gl->ActiveTexture(GL_TEXTURE0);
    gl->GenTextures(NUM_PARTS, textures);

    for (uint32_t part = 0; part < NUM_PARTS; part++) {
        gl->BindTexture(GL_TEXTURE_2D, textures[part]);
        for (uint32_t level = 0; level < num_levels; level++) {
            const GLsizei width = (GLsizei)(columns * (cell >> level));
            const GLsizei height = (GLsizei)(rows * (cell >> level));
            gl->TexImage2D(GL_TEXTURE_2D, (GLint)level, part_formats[part], width, height, 0,
                           GL_RGBA, GL_UNSIGNED_BYTE, NULL);
        }
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)num_levels - 1);
        md5gli_set_sampling(gl, GL_TEXTURE_2D, false, magnify, minify);
    }
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

// -- Canvas -----------------------------------------------------------------------------------

// The axes of a view's camera in model space, unit vectors, as in shaders/impostor_views.glsl.
typedef struct impostor_axes {
    md5_vec3 right;
    md5_vec3 up;
    md5_vec3 to_viewer;
} impostor_axes;

// Returns the axes of a view's camera. The views are `num_above` rings of `num_around` views around
// the model, from the elevation `lowest` to `highest` (radians), and a last view from below.
static impostor_axes get_impostor_axes(const md5gl_impostors *impostors, uint32_t view)
{
    const md5gl_impostor_desc *const desc = &impostors->desc;
    if (view + 1 == impostors->num_views)
        return (impostor_axes){.right = {0, 1, 0}, .up = {1, 0, 0}, .to_viewer = {0, 0, -1}};

    const uint32_t ring = view / desc->num_around;
    const uint32_t step = view % desc->num_around;
    const float azimuth = 6.28318531f * (float)step / (float)desc->num_around;
    const float last_ring = desc->num_above > 1 ? (float)(desc->num_above - 1) : 1.0f;
    const float fraction = (float)ring / last_ring;
    const float elevation = desc->lowest + (desc->highest - desc->lowest) * fraction;
    const float x = cosf(azimuth);
    const float y = sinf(azimuth);
    const float horizontal = cosf(elevation);
    const float vertical = sinf(elevation);
    return (impostor_axes){
        .right = {-y, x, 0},
        .up = {-vertical * x, -vertical * y, horizontal},
        .to_viewer = {horizontal * x, horizontal * y, vertical},
    };
}

// Writes a row of a placement. The row computes one coordinate of a point: its distance from
// `center` along `axis`, plus `offset`.
static void set_placement_row(md5_mat34 *placement, int row, md5_vec3 axis, md5_vec3 center,
                              float offset)
{
    float *const values = placement->m + 4 * row;
    values[0] = axis.x;
    values[1] = axis.y;
    values[2] = axis.z;
    values[3] = offset - md5_vec3_dot(axis, center);
}

// Returns the placement that draws a view into its cell of the canvas. It rotates the axes of the
// view to x, y and z. It moves the center of the bounding sphere to the center of the cell. Cells
// are as wide as the sphere.
static md5_mat34 view_placement(const md5gl_impostors *impostors, uint32_t view)
{
    const md5gl_impostor_desc *const desc = &impostors->desc;
    const impostor_axes axes = get_impostor_axes(impostors, view);
    const uint32_t column = view % impostors->columns;
    const uint32_t row = view / impostors->columns;
    md5_mat34 placement;
    set_placement_row(&placement, 0, axes.right, desc->center,
                      desc->radius * (float)(2 * column + 1));
    set_placement_row(&placement, 1, axes.up, desc->center, desc->radius * (float)(2 * row + 1));
    set_placement_row(&placement, 2, axes.to_viewer, desc->center, 0.0f);
    return placement;
}

// Attaches a mipmap level of both textures of the canvas to the bound framebuffer.
static void attach_canvas(const GladGLContext *gl, const md5gl_impostors *impostors, GLenum binding,
                          GLint level)
{
    for (GLenum part = 0; part < NUM_PARTS; part++)
        gl->FramebufferTexture2D(binding, GL_COLOR_ATTACHMENT0 + part, GL_TEXTURE_2D,
                                 impostors->canvas[part], level);
}

// Creates the canvas and its framebuffer, which remains bound. Cells have twice the resolution of
// the images, so level n + 1 of the canvas has the size of level n of the atlas. Each texel of an
// image is therefore an average of four pixels.
static void create_canvas_framebuffer(md5gl_renderer *renderer, md5gl_impostors *impostors)
{
    static const GLenum attachments[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    const GladGLContext *gl = &renderer->gl;
    const uint32_t cell = OVERSAMPLING * impostors->desc.texels;
    const GLsizei width = (GLsizei)(impostors->columns * cell);
    const GLsizei height = (GLsizei)(impostors->rows * cell);
    create_impostor_textures(renderer, impostors->canvas, impostors->columns, impostors->rows, cell,
                             impostors->num_levels + 1, false);
    gl->GenRenderbuffers(1, &impostors->depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, impostors->depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    gl->GenFramebuffers(1, &impostors->reader);
    gl->GenFramebuffers(1, &impostors->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, impostors->framebuffer);
    attach_canvas(gl, impostors, GL_FRAMEBUFFER, 0);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                                impostors->depth);
    gl->DrawBuffers(2, attachments);
}

// Creates the uniform block with the orthographic projection of the canvas. A cell shows a square
// of 2 * radius units of model space. The nearest point of the sphere has depth -1.
static void create_canvas_block(md5gl_renderer *renderer, md5gl_impostors *impostors)
{
    const float radius = impostors->desc.radius;
    md5gl_frame_block block;
    memset(&block, 0, sizeof block);
    float *const clip = block.clip_from_world;
    clip[0] = 1.0f / (radius * (float)impostors->columns);
    clip[5] = 1.0f / (radius * (float)impostors->rows);
    clip[10] = -1.0f / radius;
    clip[12] = -1.0f; // the first cell begins at the corner
    clip[13] = -1.0f;
    clip[15] = 1.0f;
    renderer->gl.GenBuffers(1, &impostors->frame_block);
    md5gli_stream(renderer, GL_UNIFORM_BUFFER, impostors->frame_block, &block, sizeof block);
}

// Creates the canvas and the placements of the model for all views. The images of one frame are
// drawn into the canvas and then copied to the atlas. Returns false and fills the error on failure.
static bool create_canvas(md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error)
{
    const uint32_t cell = OVERSAMPLING * impostors->desc.texels;
    if (impostors->columns > renderer->max_target_size / cell)
        return md5gli_fail(
            error, MD5_ERROR_GPU,
            "impostor images are too large for a framebuffer: %u images of %u texels",
            impostors->num_views, impostors->desc.texels);

    impostors->placements = MD5GL_NEW(renderer, md5_mat34, impostors->num_views, error);
    if (!impostors->placements)
        return false;
    for (uint32_t view = 0; view < impostors->num_views; view++)
        impostors->placements[view] = view_placement(impostors, view);
    create_canvas_framebuffer(renderer, impostors);
    create_canvas_block(renderer, impostors);
    const GLenum state = renderer->gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
    if (!md5gli_check(renderer, "creating impostors", error))
        return false;
    if (state != GL_FRAMEBUFFER_COMPLETE)
        return md5gli_fail(
            error, MD5_ERROR_GPU,
            "cannot draw impostors: OpenGL does not support their framebuffer (status 0x%04x)",
            state);
    return true;
}

// -- Creation ---------------------------------------------------------------------------------

// Creates the vertex array and the buffer of the instances. Each instance is one md5gl_impostor.
static void create_instance_array(md5gl_renderer *renderer, md5gl_impostors *impostors)
{
    static const struct {
        GLint size;
        size_t offset;
    } attributes[] = {
        {4, offsetof(md5gl_impostor, rotation)},
        {4, offsetof(md5gl_impostor, translation)}, // translation and scale
        {2, offsetof(md5gl_impostor, frame)},       // frame and shown
    };
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
}

// Creates the objects of an impostor set: its textures, the canvas, the buffer of the instances and
// the programs. Returns false and fills the error on failure.
static bool create_impostor_objects(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                    md5_error *error)
{
    if (!plan_atlas(renderer, impostors, error))
        return false;
    impostors->gloss = default_gloss;
    impostors->has_images = MD5GL_NEW(renderer, bool, impostors->desc.num_frames, error);
    if (!impostors->has_images)
        return false;

    create_instance_array(renderer, impostors);
    (void)md5gli_clear_errors(renderer);
    md5gli_reset_transfers(renderer);
    const uint32_t columns = impostors->columns * impostors->blocks[0]; // columns of images
    const uint32_t rows = impostors->rows * impostors->blocks[1];
    create_impostor_textures(renderer, impostors->textures, columns, rows, impostors->desc.texels,
                             impostors->num_levels, true);
    if (!md5gli_check(renderer, "creating impostors", error))
        return false;
    if (!create_canvas(renderer, impostors, error))
        return false;
    return md5gli_get_fixed_program(renderer, MD5GL_IMPOSTOR_LIT, error)
           && md5gli_get_fixed_program(renderer, MD5GL_IMPOSTOR_DEPTH, error);
}

// Creates an impostor set without images. Impostors are images of a model from several directions,
// which are drawn instead of distant characters.
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

    const md5gl_impostor_desc complete = with_defaults(desc);
    if (!check_description(&complete, error))
        return NULL;
    md5gl_impostors *const impostors = MD5GL_NEW(renderer, md5gl_impostors, 1, error);
    md5gli_set_kind(impostors, MD5GL_KIND_IMPOSTORS);
    if (!impostors)
        return NULL;
    impostors->desc = complete;

    const bool created = create_impostor_objects(renderer, impostors, error);
    md5gli_reset_state(renderer);
    renderer->stats.impostor_bytes += impostors->size;
    renderer->stats.num_impostor_images += impostors->desc.num_frames * impostors->num_views;
    if (created)
        return impostors;
    md5gl_destroy_impostors(renderer, impostors);
    return NULL;
}

// Destroys an impostor set and its GPU memory. `impostors` may be NULL.
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
    md5gli_free(renderer, impostors->has_images);
    md5gli_free(renderer, impostors);
}

bool md5gl_has_impostor_images(const md5gl_impostors *impostors, uint32_t frame)
{
    MD5GL_ASSERT_ALIVE(impostors, IMPOSTORS);
    return frame < impostors->desc.num_frames && impostors->has_images[frame];
}

// -- Images -----------------------------------------------------------------------------------

// Draws the posed model from all directions into the canvas, and computes the mipmaps of the
// canvas, which copy_canvas() copies to the atlas.
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

    // Enable the conversion to sRGB. OpenGL ES has no such switch, because it always converts when
    // it writes to an sRGB framebuffer.
    if (!renderer->is_es)
        gl->Enable(GL_FRAMEBUFFER_SRGB);
    md5gli_draw_for_impostors(renderer, model);
    if (!renderer->is_es)
        gl->Disable(GL_FRAMEBUFFER_SRGB);

    gl->ActiveTexture(GL_TEXTURE0);
    for (uint32_t part = 0; part < NUM_PARTS; part++) {
        gl->BindTexture(GL_TEXTURE_2D, impostors->canvas[part]);
        gl->GenerateMipmap(GL_TEXTURE_2D);
    }
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

// Poses one instance of the model for each view, all with the same palette and each with the
// placement of its view. Returns false and fills the error on failure.
static bool pose_views(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                       md5gl_model *model, const md5_mat34 *palette, md5_error *error)
{
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
    return posed;
}

// Stores whether a visible mesh has a specular map, and the mean gloss of all visible meshes. An
// impostor has only one material, and its highlights should resemble those of the model.
static void set_highlights(md5gl_impostors *impostors, const md5gl_model *model)
{
    float sum = 0.0f; // sum of gloss
    uint32_t num_visible = 0;
    impostors->has_specular = false;
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        if (!model->meshes[i].visible)
            continue;
        const md5gl_material *const material = &md5gli_get_surface(model, 0, i)->material;
        if (material->specular != 0)
            impostors->has_specular = true;
        sum += material->gloss > 0.0f ? material->gloss : default_gloss;
        num_visible++;
    }
    impostors->gloss = num_visible > 0 ? sum / (float)num_visible : default_gloss;
}

// Copies the mipmaps of the canvas to the block of a frame in the atlas. The canvas has twice the
// resolution, so its level n + 1 becomes level n of the atlas.
static void copy_canvas(md5gl_renderer *renderer, const md5gl_impostors *impostors, uint32_t frame)
{
    const GladGLContext *gl = &renderer->gl;
    const GLint block_column = (GLint)(frame % impostors->blocks[0]);
    const GLint block_row = (GLint)(frame / impostors->blocks[0]);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, impostors->reader);
    for (uint32_t level = 0; level < impostors->num_levels; level++) {
        const GLsizei image_side = (GLsizei)(impostors->desc.texels >> level);
        const GLsizei block_width = (GLsizei)impostors->columns * image_side;
        const GLsizei block_height = (GLsizei)impostors->rows * image_side;
        const GLint x = block_column * block_width;
        const GLint y = block_row * block_height;
        attach_canvas(gl, impostors, GL_READ_FRAMEBUFFER, (GLint)level + 1);
        for (GLenum part = 0; part < NUM_PARTS; part++) {
            gl->ReadBuffer(GL_COLOR_ATTACHMENT0 + part);
            gl->BindTexture(GL_TEXTURE_2D, impostors->textures[part]);
            gl->CopyTexSubImage2D(GL_TEXTURE_2D, (GLint)level, x, y, 0, 0, block_width,
                                  block_height);
        }
    }
}

// Returns the name of the first object that is NULL. If renderer and model exist, it is the
// impostor set.
static const char *missing_object(const md5gl_renderer *renderer, const md5gl_model *model)
{
    if (!renderer)
        return "renderer";
    return model ? "impostor set" : "model";
}

// Builds the programs that draw the meshes of a model into the canvas. Returns false and fills the
// error on failure.
static bool build_image_programs(md5gl_renderer *renderer, const md5gl_model *model,
                                 md5_error *error)
{
    for (uint32_t i = 0; i < model->model->num_meshes; i++) {
        const md5gl_mesh *const mesh = &model->meshes[i];
        if (!md5gli_get_mesh_program(renderer, model, mesh, MD5GL_PASS_IMPOSTOR, error))
            return false;
    }
    return true;
}

// Draws a model in one pose from all directions into a canvas, and copies the images to the atlas
// of an impostor set. `frame` is the index of the images that are replaced.
bool md5gl_draw_impostor_images(md5gl_renderer *renderer, md5gl_impostors *impostors,
                                md5gl_model *model, uint32_t frame, const md5_mat34 *palette,
                                md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(impostors, IMPOSTORS);
    MD5GL_ASSERT_NULL_OR_MODEL(model);
    if (!renderer || !impostors || !model)
        return md5gli_fail_missing(error, missing_object(renderer, model));
    MD5_ASSERT(palette != NULL || model->model->skeleton.num_joints == 0,
               "palette: must not be NULL");
    MD5GL_ASSERT_NO_FRAME(renderer);
    if (frame >= impostors->desc.num_frames)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "impostor frame is out of range: expected an index below %u, found %u",
                           impostors->desc.num_frames, frame);

    (void)md5gli_clear_errors(renderer);
    if (!pose_views(renderer, impostors, model, palette, error))
        return false;
    if (!build_image_programs(renderer, model, error)) // they depend on the pose
        return false;
    set_highlights(impostors, model);
    draw_canvas(renderer, impostors, model);
    copy_canvas(renderer, impostors, frame);
    md5gli_reset_state(renderer);
    impostors->has_images[frame] = md5gli_check(renderer, "drawing impostor images", error);
    return impostors->has_images[frame];
}

// -- Instances --------------------------------------------------------------------------------

// Returns true if the images for a frame number were drawn. The number can have a fraction and is
// rounded to the nearest frame.
static bool has_frame_images(const md5gl_impostors *impostors, float frame)
{
    const float last = (float)(impostors->desc.num_frames - 1);
    const bool is_in_range = frame >= 0.0f && frame <= last; // false if it is NaN
    return is_in_range && impostors->has_images[(uint32_t)(frame + 0.5f)];
}

// Sets the instances of an impostor set, which later draws use. Removes all instances and returns
// false if the images of an instance do not exist.
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

    // If this call fails, the impostors have no instances.
    impostors->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!has_frame_images(impostors, instances[i].frame))
            return md5gli_fail(
                error, MD5_ERROR_RANGE,
                "impostor %u has no images of frame %g; draw the images of this frame first", i,
                instances[i].frame);
    }

    if (count > 0)
        md5gli_stream(renderer, GL_ARRAY_BUFFER, impostors->buffer, instances,
                      count * sizeof *instances);
    renderer->gl.BindBuffer(GL_ARRAY_BUFFER, 0);
    impostors->count = count;
    return true;
}

// Sets the uniforms of the program in use that describe an impostor set: its views, the
// arrangement of the images in the atlas, and the bounding sphere of the model.
static void set_impostor_uniforms(const GladGLContext *gl, const md5gl_impostors *impostors,
                                  const md5gl_program *program)
{
    const md5gl_impostor_desc *const desc = &impostors->desc;
    const md5_vec3 center = desc->center;
    const GLint *const uniforms = program->uniforms;
    // In the second to last level, an image has a side of 16 texels. Its depth shifts the views;
    // see impostor.glsl.
    const float coarse_level =
        impostors->num_levels > 2 ? (float)(impostors->num_levels - 2) : 0.0f;
    gl->Uniform2i(uniforms[MD5GL_VIEW_COUNTS], (GLint)desc->num_around, (GLint)desc->num_above);
    gl->Uniform2f(uniforms[MD5GL_VIEW_RANGE], desc->lowest, desc->highest);
    gl->Uniform4i(uniforms[MD5GL_PICTURE_GRID], (GLint)impostors->columns, (GLint)impostors->rows,
                  (GLint)impostors->blocks[0], (GLint)impostors->blocks[1]);
    gl->Uniform1f(uniforms[MD5GL_PICTURE_TEXELS], (float)desc->texels);
    gl->Uniform1f(uniforms[MD5GL_COARSE_LEVEL], coarse_level);
    gl->Uniform4f(uniforms[MD5GL_MODEL_SPHERE], center.x, center.y, center.z, desc->radius);
}

// Prepares drawing impostors with a program in any pass. Sets the GL state, uses the program, sets
// its uniforms, and binds the textures of the set.
static void begin_drawing(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                          const md5gl_program *program)
{
    const GladGLContext *gl = &renderer->gl;
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    gl->UseProgram(program->name);
    set_impostor_uniforms(gl, impostors, program);
    for (uint32_t part = 0; part < NUM_PARTS; part++) { // units TEXTURE and NORMALS
        const enum md5gl_unit unit = (enum md5gl_unit)(MD5GL_UNIT_TEXTURE + part);
        md5gli_bind_texture(renderer, program, unit, GL_TEXTURE_2D, impostors->textures[part]);
    }
}

// Draws one square per instance with the program and the state that begin_drawing() has set.
static void draw_squares(md5gl_renderer *renderer, const md5gl_impostors *impostors)
{
    renderer->gl.BindVertexArray(impostors->array);
    renderer->gl.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)impostors->count);
}

// Draws all instances of an impostor set into the shadow maps of the frame, so that they cast
// shadows.
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

// Returns the program that draws impostors in the light of the frame. These programs are enumerated
// in the same order as the lit passes, so an offset converts one to the other. MD5GL_PASS_LIT is an
// exception, because it is not adjacent to the other lit passes.
static enum md5gl_fixed_program lit_impostor_program(const md5gl_renderer *renderer)
{
    static_assert((int)MD5GL_IMPOSTOR_LIT_CLASSIC_SPOTS - MD5GL_IMPOSTOR_LIT_ENVIRONMENT
                      == (int)MD5GL_PASS_LIT_CLASSIC_SPOTS - MD5GL_PASS_LIT_ENVIRONMENT,
                  "impostors and lit passes must have equally many programs");
    if (renderer->lit_pass == MD5GL_PASS_LIT)
        return MD5GL_IMPOSTOR_LIT;
    return (enum md5gl_fixed_program)(MD5GL_IMPOSTOR_LIT_ENVIRONMENT + (int)renderer->lit_pass
                                      - MD5GL_PASS_LIT_ENVIRONMENT);
}

// Draws all instances of an impostor set, if `style` contains MD5GL_LIT. If the shader for the
// frame's lighting does not compile, uses the standard shader. md5gl_end_frame() then reports the
// error.
void md5gl_draw_impostors(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                          uint32_t style)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_ALIVE(impostors, IMPOSTORS);
    MD5GL_ASSERT_IN_FRAME(renderer);
    const GladGLContext *gl = &renderer->gl;
    if (impostors->count == 0 || !(style & MD5GL_LIT))
        return;

    md5_error error = {0};
    const md5gl_program *program =
        md5gli_get_fixed_program(renderer, lit_impostor_program(renderer), &error);
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
