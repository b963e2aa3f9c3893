// Impostor sets: checks what is asked for, chooses the texture that holds the pictures, creates it.
#include "render/impostor.h"

#include <math.h>

// -- Description ------------------------------------------------------------------------------

static uint32_t or_default(uint32_t value, uint32_t usual)
{
    return value > 0 ? value : usual;
}

static md5gl_impostor_desc with_defaults(const md5gl_impostor_desc *desc)
{
    md5gl_impostor_desc full = *desc;
    full.num_around = or_default(desc->num_around, 12);
    full.num_above = or_default(desc->num_above, 2);
    full.texels = or_default(desc->texels, 64);
    if (desc->lowest == 0.0f && desc->highest == 0.0f) {
        full.lowest = 0.17f;
        full.highest = 0.79f;
    }
    if (desc->memory_limit == 0)
        full.memory_limit = (size_t)512 << 20;
    return full;
}

static bool is_sphere(const md5gl_impostor_desc *desc)
{
    const md5_vec3 centre = desc->centre;
    return isfinite(centre.x) && isfinite(centre.y) && isfinite(centre.z) && isfinite(desc->radius)
           && desc->radius > 0.0f;
}

static bool check(const md5gl_impostor_desc *desc, md5_error *error)
{
    enum { MAX_AROUND = 64, MAX_ABOVE = 16, MIN_TEXELS = 8, MAX_TEXELS = 512 };
    const float quarter = 1.5708f;
    if (desc->num_frames == 0)
        return md5gli_fail(error, MD5_ERROR_RANGE, "impostors of 0 frames: at least 1 is needed");
    if (!is_sphere(desc))
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "impostors: the radius must be above 0 and the "
                           "sphere finite");
    if (desc->num_around > MAX_AROUND || desc->num_above > MAX_ABOVE)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "impostors of %u x %u directions: at most %d around and %d above",
                           (unsigned)desc->num_around, (unsigned)desc->num_above, MAX_AROUND,
                           MAX_ABOVE);
    if (!(desc->lowest >= -quarter && desc->lowest <= desc->highest && desc->highest <= quarter))
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "impostors seen from %g to %g radians above the horizontal plane: "
                           "-pi/2 <= lowest <= highest <= pi/2",
                           (double)desc->lowest, (double)desc->highest);
    if (desc->texels < MIN_TEXELS || desc->texels > MAX_TEXELS
        || (desc->texels & (desc->texels - 1)) != 0)
        return md5gli_fail(error, MD5_ERROR_RANGE,
                           "impostors of %u texels: the side is a power of 2 from %d to %d",
                           (unsigned)desc->texels, MIN_TEXELS, MAX_TEXELS);
    return true;
}

// -- Layouts ----------------------------------------------------------------------------------

// Texels of all levels of a texture, and its size at level 0.
typedef struct extent {
    uint64_t width, height, depth;
} extent;

static uint32_t least_square_side(uint32_t count)
{
    uint32_t side = 1;
    while (side * side < count)
        side++;
    return side;
}

static extent extent_of(const md5gl_impostors *impostors, md5gl_impostor_layout layout)
{
    const md5gl_impostor_desc *const desc = &impostors->desc;
    const uint64_t texels = desc->texels, frames = desc->num_frames;
    const uint64_t width = impostors->columns * texels, height = impostors->rows * texels;
    if (layout == MD5GL_IMPOSTOR_ARRAY)
        return (extent){texels, texels, frames * impostors->num_views};
    if (layout == MD5GL_IMPOSTOR_VOLUME)
        return (extent){width, height, frames};
    return (extent){width * impostors->blocks[0], height * impostors->blocks[1], 1};
}

// Arranges the blocks of the atlas in a square.
static void arrange_blocks(md5gl_impostors *impostors)
{
    const uint64_t frames = impostors->desc.num_frames;
    uint64_t across = (uint64_t)ceil(sqrt((double)frames));
    impostors->blocks[0] = (uint32_t)across;
    impostors->blocks[1] = (uint32_t)((frames + across - 1) / across);
}

static GLint get_limit(const md5gl_renderer *renderer, GLenum name)
{
    GLint value = 0;
    renderer->gl.GetIntegerv(name, &value);
    return value;
}

// Returns NULL if the context can hold the layout, otherwise the name of the limit.
static const char *exceeded_limit(const md5gl_renderer *renderer, const md5gl_impostors *impostors,
                                  md5gl_impostor_layout layout)
{
    const extent size = extent_of(impostors, layout);
    const uint64_t side = (uint64_t)get_limit(
        renderer, layout == MD5GL_IMPOSTOR_VOLUME ? GL_MAX_3D_TEXTURE_SIZE : GL_MAX_TEXTURE_SIZE);
    const uint64_t depth = layout == MD5GL_IMPOSTOR_ARRAY
                               ? (uint64_t)get_limit(renderer, GL_MAX_ARRAY_TEXTURE_LAYERS)
                               : side;
    if (size.width > side || size.height > side)
        return layout == MD5GL_IMPOSTOR_VOLUME ? "GL_MAX_3D_TEXTURE_SIZE" : "GL_MAX_TEXTURE_SIZE";
    if (size.depth > depth)
        return layout == MD5GL_IMPOSTOR_VOLUME ? "GL_MAX_3D_TEXTURE_SIZE"
                                               : "GL_MAX_ARRAY_TEXTURE_LAYERS";
    return NULL;
}

static bool choose_layout(md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error)
{
    md5gl_impostor_desc *const desc = &impostors->desc;
    const bool chooses = desc->layout == MD5GL_IMPOSTOR_AUTO;
    const char *limit = NULL;
    int layout = chooses ? (int)MD5GL_IMPOSTOR_ARRAY : (int)desc->layout;
    const int last = chooses ? (int)MD5GL_IMPOSTOR_VOLUME : layout;
    for (; layout <= last; layout++) {
        limit = exceeded_limit(renderer, impostors, (md5gl_impostor_layout)layout);
        if (limit == NULL)
            break;
    }
    if (limit != NULL)
        return md5gli_fail(error, MD5_ERROR_GPU, "%s is too small for impostors of %u frames",
                           limit, (unsigned)desc->num_frames);
    desc->layout = (md5gl_impostor_layout)layout;
    return true;
}

// Levels end where a picture has 8 texels a side, as shaders/impostor_atlas.glsl expects. Levels of
// a 3D texture would average frames.
static void count_levels(md5gl_impostors *impostors)
{
    enum { MIN_LEVEL_SIDE = 8 };
    impostors->num_levels = 1;
    for (uint32_t side = impostors->desc.texels;
         side > MIN_LEVEL_SIDE && impostors->desc.layout != MD5GL_IMPOSTOR_VOLUME; side /= 2)
        impostors->num_levels++;
}

static bool measure(md5gl_impostors *impostors, md5_error *error)
{
    const extent size = extent_of(impostors, impostors->desc.layout);
    uint64_t texels = 0;
    for (uint32_t level = 0; level < impostors->num_levels; level++)
        texels += (size.width >> level) * (size.height >> level) * size.depth;
    const uint64_t bytes = texels * 4 * MD5GL_NUM_PICTURE_PARTS;
    if (bytes > impostors->desc.memory_limit)
        return md5gli_fail(error, MD5_ERROR_MEMORY,
                           "impostors of %u frames take %llu bytes, but the limit is %zu",
                           (unsigned)impostors->desc.num_frames, (unsigned long long)bytes,
                           impostors->desc.memory_limit);
    impostors->size = (size_t)bytes;
    return true;
}

// -- Textures ---------------------------------------------------------------------------------

static void set_sampling(const GladGLContext *gl, const md5gl_impostors *impostors)
{
    const bool mipmapped = impostors->num_levels > 1;
    gl->TexParameteri(impostors->target, GL_TEXTURE_MAX_LEVEL, (GLint)impostors->num_levels - 1);
    gl->TexParameteri(impostors->target, GL_TEXTURE_MIN_FILTER,
                      mipmapped ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    gl->TexParameteri(impostors->target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(impostors->target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(impostors->target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl->TexParameteri(impostors->target, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
}

static void create_levels(const GladGLContext *gl, const md5gl_impostors *impostors, GLint format)
{
    const extent size = extent_of(impostors, impostors->desc.layout);
    for (uint32_t level = 0; level < impostors->num_levels; level++) {
        const GLsizei width = (GLsizei)(size.width >> level);
        const GLsizei height = (GLsizei)(size.height >> level);
        if (impostors->target == GL_TEXTURE_2D)
            gl->TexImage2D(GL_TEXTURE_2D, (GLint)level, format, width, height, 0, GL_RGBA,
                           GL_UNSIGNED_BYTE, NULL);
        else
            gl->TexImage3D(impostors->target, (GLint)level, format, width, height,
                           (GLsizei)size.depth, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    }
}

static bool create_textures(md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error)
{
    static const GLenum targets[] = {
        [MD5GL_IMPOSTOR_AUTO] = 0, // none has it
        [MD5GL_IMPOSTOR_ARRAY] = GL_TEXTURE_2D_ARRAY,
        [MD5GL_IMPOSTOR_ATLAS] = GL_TEXTURE_2D,
        [MD5GL_IMPOSTOR_VOLUME] = GL_TEXTURE_3D,
    };
    static const GLint formats[] = {GL_SRGB8_ALPHA8, GL_RGBA8};
    const GladGLContext *gl = &renderer->gl;
    impostors->target = targets[impostors->desc.layout];
    md5gli_clear_gl_errors(renderer);
    md5gli_reset_transfers(renderer);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->GenTextures(MD5GL_NUM_PICTURE_PARTS, impostors->textures);
    for (int part = 0; part < MD5GL_NUM_PICTURE_PARTS; part++) {
        gl->BindTexture(impostors->target, impostors->textures[part]);
        create_levels(gl, impostors, formats[part]);
        set_sampling(gl, impostors);
    }
    gl->BindTexture(impostors->target, 0);
    return md5gli_check(renderer, "creating impostors", error);
}

// One instance is one md5gl_impostor of the buffer.
static void create_array(md5gl_renderer *renderer, md5gl_impostors *impostors)
{
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
    for (GLuint i = 0; i < 3; i++) {
        gl->EnableVertexAttribArray(i);
        gl->VertexAttribPointer(i, attributes[i].size, GL_FLOAT, GL_FALSE, sizeof(md5gl_impostor),
                                (const void *)attributes[i].offset);
        gl->VertexAttribDivisor(i, 1);
    }
    gl->BindVertexArray(0);
    gl->BindBuffer(GL_ARRAY_BUFFER, 0);
}

// -- Public -----------------------------------------------------------------------------------

static bool build_program(md5gl_renderer *renderer, const md5gl_impostors *impostors,
                          enum md5gl_impostor_pass pass, md5_error *error)
{
    const uint32_t layout = (uint32_t)impostors->desc.layout - MD5GL_IMPOSTOR_ARRAY;
    return md5gli_build_impostor_program(renderer, layout, pass, error) != NULL;
}

static bool fill_set(md5gl_renderer *renderer, md5gl_impostors *impostors, md5_error *error)
{
    impostors->num_views = impostors->desc.num_around * impostors->desc.num_above + 1;
    impostors->columns = least_square_side(impostors->num_views);
    impostors->rows = (impostors->num_views + impostors->columns - 1) / impostors->columns;
    impostors->gloss = 0.45f;
    arrange_blocks(impostors);
    if (!choose_layout(renderer, impostors, error))
        return false;
    count_levels(impostors);
    if (!measure(impostors, error))
        return false;
    impostors->has_pictures =
        (bool *)md5gli_alloc(&renderer->allocator, impostors->desc.num_frames, sizeof(bool), error);
    if (!impostors->has_pictures)
        return false;
    create_array(renderer, impostors);
    return create_textures(renderer, impostors, error)
           && md5gli_create_canvas(renderer, impostors, error)
           && build_program(renderer, impostors, MD5GL_IMPOSTOR_LIT, error)
           && build_program(renderer, impostors, MD5GL_IMPOSTOR_DEPTH, error);
}

md5gl_impostors *md5gl_create_impostors(md5gl_renderer *renderer, const md5gl_impostor_desc *desc,
                                        md5_error *error)
{
    MD5_ASSERT(renderer != NULL && desc != NULL, "renderer, desc: not NULL");
    MD5_ASSERT_RESERVED(desc);
    MD5_ASSERT((int)desc->layout >= 0 && (int)desc->layout <= (int)MD5GL_IMPOSTOR_VOLUME,
               "layout: one of md5gl_impostor_layout");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    md5gli_clear_error(error);
    const md5gl_impostor_desc full = with_defaults(desc);
    if (!check(&full, error))
        return NULL;
    md5gl_impostors *const impostors =
        (md5gl_impostors *)md5gli_alloc(&renderer->allocator, 1, sizeof *impostors, error);
    if (!impostors)
        return NULL;
    impostors->desc = full;
    const bool filled = fill_set(renderer, impostors, error);
    md5gli_reset_state(renderer);
    if (filled)
        return impostors;
    md5gl_destroy_impostors(renderer, impostors);
    return NULL;
}

void md5gl_destroy_impostors(md5gl_renderer *renderer, md5gl_impostors *impostors)
{
    if (!impostors)
        return;
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    const GladGLContext *gl = &renderer->gl;
    gl->DeleteTextures(MD5GL_NUM_PICTURE_PARTS, impostors->textures);
    gl->DeleteVertexArrays(1, &impostors->array);
    gl->DeleteBuffers(1, &impostors->buffer);
    md5gli_destroy_canvas(renderer, impostors);
    md5gli_free(&renderer->allocator, impostors->has_pictures,
                impostors->desc.num_frames * sizeof(bool));
    md5gli_free(&renderer->allocator, impostors, sizeof *impostors);
}

md5gl_impostor_layout md5gl_impostors_layout(const md5gl_impostors *impostors)
{
    MD5_ASSERT(impostors != NULL, "impostors: not NULL");
    return impostors->desc.layout;
}

uint32_t md5gl_impostors_views(const md5gl_impostors *impostors)
{
    MD5_ASSERT(impostors != NULL, "impostors: not NULL");
    return impostors->num_views;
}

size_t md5gl_impostors_size(const md5gl_impostors *impostors)
{
    MD5_ASSERT(impostors != NULL, "impostors: not NULL");
    return impostors->size;
}

bool md5gl_has_impostor_pictures(const md5gl_impostors *impostors, uint32_t frame)
{
    MD5_ASSERT(impostors != NULL, "impostors: not NULL");
    return frame < impostors->desc.num_frames && impostors->has_pictures[frame];
}
