// Environments: panoramas that light models and are drawn as the background.
//
// The CPU computes three results from a panorama: mipmaps (md5gl_pyramid), nine spherical harmonics
// of its light, and blurred reflections. The light that matt surfaces reflect is a polynomial of
// degree 2 in the normal. Its coefficients are in the frame's uniform block. Glossy surfaces read a
// texture with six levels, which are blurred for the roughnesses 0, 0.2 ... 1. Lit programs then
// contain sky_environment.glsl instead of sky_studio.glsl.
//
// Directions are in the environment's space, in which +z is up. The azimuth is the angle around z,
// measured from +x. The polar angle is the angle from +z.
#include "render/gl_internal.h"

#include <math.h>
#include <string.h>

struct md5gl_environment {
    md5_vec3 light[9];      // see md5gli_reflect_light()
    md5gl_texture panorama; // the panorama with its mipmaps
    md5gl_texture reflections;
    uint32_t width;      // width of the panorama, texels
    uint32_t num_levels; // mipmap levels of the panorama
};

// An image of all directions in the equirectangular projection: a column shows one azimuth, a row
// shows one polar angle. Colors are linear. See md5gl_create_environment().
typedef struct md5gl_panorama {
    uint32_t width;
    uint32_t height;
    float *rgb; // [3 * width * height]
} md5gl_panorama;

// A panorama and its mipmaps down to one texel. 32 levels suffice for a width of 2^31.
enum { MAX_LEVELS = 32 };
typedef struct md5gl_pyramid {
    md5gl_panorama levels[MAX_LEVELS];
    uint32_t num_levels;
    float *texels; // memory of all levels
} md5gl_pyramid;

static const double pi = 3.14159265358979323846;

// -- Harmonics --------------------------------------------------------------------------------

// Computes the real spherical harmonics of degrees 0 to 2 for a unit direction.
static void compute_harmonics(double x, double y, double z, double values[9])
{
    values[0] = 0.282094791773878;
    values[1] = 0.488602511902920 * y;
    values[2] = 0.488602511902920 * z;
    values[3] = 0.488602511902920 * x;
    values[4] = 1.092548430592079 * x * y;
    values[5] = 1.092548430592079 * y * z;
    values[6] = 0.315391565252520 * (3.0 * z * z - 1.0);
    values[7] = 1.092548430592079 * x * z;
    values[8] = 0.546274215296040 * (x * x - y * y);
}

// Returns the azimuth of the middle of column `x`, in radians.
static double column_azimuth(double x, uint32_t width)
{
    return pi - 2.0 * pi * (x + 0.5) / width;
}

// Returns the polar angle of the middle of row `y`, in radians.
static double row_polar_angle(double y, uint32_t height)
{
    return pi * (y + 0.5) / height;
}

// Adds the light of one row of a panorama to sums[i][k], where i is a spherical harmonic and k a
// color channel. All texels of the row have the polar angle `polar` and the solid angle
// `solid_angle`.
static void add_row(const float *rgb, uint32_t width, double polar, double solid_angle,
                    double sums[9][3])
{
    // Start with the direction of column 0, and rotate it by `step` for each column, instead of
    // computing a sine and a cosine for each.
    const double step = -2.0 * pi / width;
    const double step_cos = cos(step);
    const double step_sin = sin(step);
    const double horizontal = sin(polar);
    const double z = cos(polar);
    double c = cos(column_azimuth(0.0, width));
    double s = sin(column_azimuth(0.0, width));

    for (uint32_t column = 0; column < width; column++) {
        const float *const texel = rgb + 3 * (size_t)column;
        double values[9];
        compute_harmonics(horizontal * c, horizontal * s, z, values);
        for (uint32_t i = 0; i < 9; i++) {
            for (uint32_t k = 0; k < 3; k++)
                sums[i][k] += solid_angle * values[i] * texel[k];
        }
        const double next_c = c * step_cos - s * step_sin;
        s = s * step_cos + c * step_sin;
        c = next_c;
    }
}

// Projects the light of an equirectangular panorama to spherical harmonics. Each coefficient is the
// sum of all texels, weighted by the harmonic and by the solid angle of the texel. The function
// calls sin() and cos() only once per row, because they are slow. Each column's direction is the
// direction of the previous column, rotated by a constant angle.
void md5gli_project_light(uint32_t width, uint32_t height, const float *rgb, md5_vec3 harmonics[9])
{
    MD5_ASSERT(rgb != NULL && harmonics != NULL, "rgb, harmonics: must not be NULL");
    MD5_ASSERT(width > 0 && height > 0, "width, height: must be at least 1");
    double sums[9][3] = {{0}};
    for (uint32_t row = 0; row < height; row++) {
        const double polar = row_polar_angle(row, height);
        // The exact solid angle of a texel. The row's part is the difference of the cosines at its
        // borders, 2 sin(polar) sin(half of the row's angle). The column's part is its angle.
        const double solid_angle = 2.0 * sin(polar) * sin(0.5 * pi / height) * 2.0 * pi / width;
        add_row(rgb + 3 * (size_t)row * width, width, polar, solid_angle, sums);
    }
    for (uint32_t i = 0; i < 9; i++)
        harmonics[i] = (md5_vec3){(float)sums[i][0], (float)sums[i][1], (float)sums[i][2]};
}

// Returns a color multiplied by a factor.
static md5_vec3 scaled(md5_vec3 color, float factor)
{
    return (md5_vec3){color.x * factor, color.y * factor, color.z * factor};
}

// Converts light to the light that a matt surface reflects. This is a convolution with a cosine
// lobe, divided by pi. It multiplies the harmonics of degrees 0, 1 and 2 by 1, 2/3 and 1/4. The
// result is rewritten as a polynomial in the normal, which shaders evaluate faster than harmonics.
void md5gli_reflect_light(const md5_vec3 harmonics[9], md5_vec3 polynomial[9])
{
    MD5_ASSERT(harmonics != NULL && polynomial != NULL, "harmonics, polynomial: must not be NULL");
    // Constants of the real spherical harmonics, times the factors of the convolution. They belong
    // to degree 0, to degree 1, to products of two coordinates in degree 2, and to squares in
    // degree 2.
    const float even = 0.282094792f;
    const float first = 0.488602512f * 2.0f / 3.0f;
    const float second = 1.092548431f / 4.0f;
    const float square = 0.315391565f / 4.0f;

    // Harmonic 6, 3 z^2 - 1, contributes to the constant and to the coefficient of z^2.
    const md5_vec3 mean = scaled(harmonics[0], even);
    const md5_vec3 minus_one = scaled(harmonics[6], square);
    polynomial[0] = (md5_vec3){mean.x - minus_one.x, mean.y - minus_one.y, mean.z - minus_one.z};
    polynomial[1] = scaled(harmonics[3], first);
    polynomial[2] = scaled(harmonics[1], first);
    polynomial[3] = scaled(harmonics[2], first);
    polynomial[4] = scaled(harmonics[4], second);
    polynomial[5] = scaled(harmonics[5], second);
    polynomial[6] = scaled(harmonics[7], second);
    polynomial[7] = scaled(harmonics[6], 3.0f * square);
    polynomial[8] = scaled(harmonics[8], 0.5f * second);
}

// -- Levels -----------------------------------------------------------------------------------

// Returns the width or height of the next smaller mipmap level.
static uint32_t half_side(uint32_t side)
{
    return side > 1 ? side / 2 : 1;
}

// Computes the next smaller mipmap level. Each of its texels is the mean of 2 x 2 texels, or of 2
// if a side is 1. The result may overwrite the memory of the larger level.
static void halve_level(const md5gl_panorama *from, md5gl_panorama *half)
{
    // Offsets, in floats, from a texel to its right and lower neighbor. If a side is 1, there is no
    // such neighbor. The offset is then 0, so the texel is counted twice.
    const size_t right = from->width > 1 ? 3 : 0;
    const size_t below = from->height > 1 ? (size_t)from->width * 3 : 0;
    for (size_t y = 0; y < half->height; y++) {
        for (size_t x = 0; x < half->width; x++) {
            const float *const upper = from->rgb + 3 * (2 * y * from->width + 2 * x);
            const float *const lower = upper + below;
            float *const mean = half->rgb + 3 * (y * half->width + x);
            for (uint32_t i = 0; i < 3; i++) {
                const float upper_sum = upper[i] + upper[right + i];
                const float lower_sum = lower[i] + lower[right + i];
                mean[i] = 0.25f * (upper_sum + lower_sum);
            }
        }
    }
}

// Returns the number of texels of all levels of a panorama.
static uint64_t count_pyramid_texels(uint32_t width, uint32_t height)
{
    uint64_t texels = 0;
    for (;;) {
        texels += (uint64_t)width * height;
        if (width == 1 && height == 1)
            return texels;
        width = half_side(width);
        height = half_side(height);
    }
}

// Clamps a color component to 0..65000, the range of the GPU's formats. NaN becomes 0.
static float clamp_component(float value)
{
    const float max_value = 65000.0f;
    if (!(value > 0.0f))
        return 0.0f;
    return value < max_value ? value : max_value;
}

// Computes the next smaller level of a panorama in the memory `rgb`.
// NOLINTNEXTLINE(readability-non-const-parameter): halve_level() writes to the memory
static md5gl_panorama next_level(const md5gl_panorama *level, float *rgb)
{
    md5gl_panorama half = {half_side(level->width), half_side(level->height), rgb};
    halve_level(level, &half);
    return half;
}

// Returns memory for all levels of a panorama. Returns NULL and fills the error if memory runs out.
static float *allocate_pyramid(md5gl_renderer *renderer, const md5gl_panorama *source,
                               md5_error *error)
{
    const uint64_t num_texels = count_pyramid_texels(source->width, source->height);
    if (num_texels > SIZE_MAX / (3 * sizeof(float))) {
        (void)md5gli_fail(error, MD5_ERROR_MEMORY,
                          "environment map is too large: %u x %u texels exceed the address space",
                          source->width, source->height);
        return NULL;
    }
    return MD5GL_NEW(renderer, float, (size_t)num_texels * 3, error);
}

// Copies a panorama to the memory `rgb` and halves the copy until no side is above `max_side`.
static md5gl_panorama copy_reduced(const md5gl_panorama *source, uint32_t max_side, float *rgb)
{
    md5gl_panorama level = {source->width, source->height, rgb};
    const size_t num_components = 3 * (size_t)source->width * source->height;
    for (size_t i = 0; i < num_components; i++)
        rgb[i] = clamp_component(source->rgb[i]);
    while (level.width > max_side || level.height > max_side)
        level = next_level(&level, rgb);
    return level;
}

// Creates a panorama and all its mipmaps, down to one texel. The panorama is first halved until no
// side is above `max_side`. Returns false and fills the error if memory runs out.
static bool create_pyramid(md5gl_renderer *renderer, const md5gl_panorama *source,
                           uint32_t max_side, md5gl_pyramid *pyramid, md5_error *error)
{
    memset(pyramid, 0, sizeof *pyramid);
    pyramid->texels = allocate_pyramid(renderer, source, error);
    if (!pyramid->texels)
        return false;

    md5gl_panorama level = copy_reduced(source, max_side, pyramid->texels);
    pyramid->levels[0] = level;
    pyramid->num_levels = 1;

    // Store each level directly after the next larger level.
    while (level.width > 1 || level.height > 1) {
        float *const end = level.rgb + 3 * (size_t)level.width * level.height;
        level = next_level(&level, end);
        pyramid->levels[pyramid->num_levels] = level;
        pyramid->num_levels++;
    }
    return true;
}

// -- Reflections ------------------------------------------------------------------------------

// Adds the light of a panorama in a direction, times `weight`, to `sum`. The light is interpolated
// between the four nearest texels. At the left and right edges, columns repeat. At the top and
// bottom edges, the outer row is used again.
static void add_panorama_light(const md5gl_panorama *from, md5_vec3 direction, float weight,
                               float sum[3])
{
    // Compute the position in texels, relative to the center of the first texel.
    const float azimuth = atan2f(direction.y, direction.x);
    const float polar = acosf(fmaxf(fminf(direction.z, 1.0f), -1.0f));
    const float x = (0.5f - azimuth / (float)(2.0 * pi)) * (float)from->width - 0.5f;
    const float y = polar / (float)pi * (float)from->height - 0.5f;

    // Interpolate between the two columns and the two rows around this position.
    const float left = floorf(x);
    const float top = floorf(y);
    const int64_t column = (int64_t)left + from->width; // `left` is at least -1
    const uint32_t last_row = from->height - 1;
    const uint32_t columns[2] = {(uint32_t)column % from->width,
                                 (uint32_t)(column + 1) % from->width};
    const uint32_t rows[2] = {
        top > 0.0f ? (uint32_t)top : 0,
        top + 1.0f < (float)last_row ? (uint32_t)(top + 1.0f) : last_row,
    };
    const float across[2] = {1.0f - (x - left), x - left};
    const float down[2] = {1.0f - (y - top), y - top};

    for (uint32_t row = 0; row < 2; row++) {
        for (uint32_t k = 0; k < 2; k++) {
            const float *const texel =
                from->rgb + 3 * ((size_t)rows[row] * from->width + columns[k]);
            for (uint32_t i = 0; i < 3; i++)
                sum[i] += weight * across[k] * down[row] * texel[i];
        }
    }
}

// A rough surface reflects light from a range of directions around the mirror direction, called a
// lobe. A sample is one direction of a lobe with the axis +z. The z of the direction is also the
// weight of its light. Each sample represents a part of the sphere of directions. Its light is
// therefore read from the mipmap level whose texels are about as large as that part.
typedef struct lobe_sample {
    md5_vec3 direction; // unit vector
    uint32_t level;     // index in md5gl_pyramid.levels
} lobe_sample;

enum { NUM_SAMPLES = 64 };

// Returns the level of a pyramid whose texels have about the solid angle of a sample. Each level
// has a quarter of the texels of the larger one.
static uint32_t sample_level(const md5gl_pyramid *from, double solid_angle)
{
    // The solid angle of a texel of level 0 at the horizon, where texels are largest.
    const double texel = 2.0 * pi * pi / ((double)from->levels[0].width * from->levels[0].height);
    const double level = 0.5 * log2(solid_angle / texel) + 0.5; // the conversion rounds down
    const uint32_t last = from->num_levels - 1;
    if (level < 0.0)
        return 0;
    return level > last ? last : (uint32_t)level;
}

// Selects the directions of a lobe from which the light of a blurred reflection is sampled, and the
// mipmap level of each. The halfway directions have GGX's distribution, so samples are denser where
// light has more weight. They are arranged on a spiral of the golden angle. Directions below the
// horizon of the lobe are omitted. Returns the number of samples.
//
// The part of the sphere that a sample represents is inversely proportional to the density of
// samples. Its size selects the mipmap level, so that a few dozen samples suffice (Krivanek and
// Colbert, "Real-time Shading with Filtered Importance Sampling", 2008).
static int distribute_samples(const md5gl_pyramid *from, float roughness,
                              lobe_sample samples[NUM_SAMPLES])
{
    const double golden_angle = 2.39996322972865332;
    const double alpha = (double)roughness * roughness;
    const double square = alpha * alpha;
    int count = 0;
    for (uint32_t i = 0; i < NUM_SAMPLES; i++) {
        const double fraction = (i + 0.5) / (int)NUM_SAMPLES;
        const double azimuth = i * golden_angle;

        // The squared cosine of the angle between the axis and the halfway direction, at this
        // fraction of GGX's distribution. The light comes from twice that angle.
        const double half_square = (1.0 - fraction) / (1.0 + (square - 1.0) * fraction);
        const double facing = 2.0 * half_square - 1.0; // the cosine of twice the angle
        if (facing <= 0.0)
            continue;

        const double horizontal = sqrt(1.0 - facing * facing);
        samples[count].direction = (md5_vec3){(float)(horizontal * cos(azimuth)),
                                              (float)(horizontal * sin(azimuth)), (float)facing};

        // The density of samples: GGX of the halfway direction, divided by 4 for the reflection.
        const double lobe = half_square * (square - 1.0) + 1.0;
        const double density = square / (pi * lobe * lobe) / 4.0; // samples per solid angle
        samples[count].level = sample_level(from, 1.0 / ((int)NUM_SAMPLES * density));
        count++;
    }
    return count;
}

// Writes the only sample of a perfect mirror. Its level is the smallest level with at least `width`
// columns, so that no detail of the result is lost. Returns 1, the number of samples.
static int sample_mirror(const md5gl_pyramid *from, uint32_t width, lobe_sample *sample)
{
    sample->direction = (md5_vec3){0.0f, 0.0f, 1.0f};
    sample->level = 0;
    while (sample->level + 1 < from->num_levels && from->levels[sample->level + 1].width >= width)
        sample->level++;
    return 1;
}

static const uint32_t max_panorama_side = 4096;
static const uint32_t reflection_width = 256; // reflections are blurred, so fewer texels suffice
enum { NUM_REFLECTION_LEVELS = 6 };

// -- Textures ---------------------------------------------------------------------------------

// Sets the sampling of the bound texture, a panorama with mipmaps. Columns repeat, because azimuths
// do.
static void set_levels(const GladGLContext *gl, uint32_t num_levels)
{
    md5gli_set_sampling(gl, GL_TEXTURE_2D, false, GL_LINEAR, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)num_levels - 1);
}

// Uploads a mipmap level to the bound texture. `format` is a format without alpha. GL converts the
// floats to this format.
static void upload_panorama_level(const GladGLContext *gl, uint32_t level, GLint format,
                                  const md5gl_panorama *panorama)
{
    gl->TexImage2D(GL_TEXTURE_2D, (GLint)level, format, (GLsizei)panorama->width,
                   (GLsizei)panorama->height, 0, GL_RGB, GL_FLOAT, panorama->rgb);
}

// Returns the weighted mean of the light around a direction. Rotates the samples of the lobe from
// the axis +z to the direction. c and s are cosine and sine of the direction's azimuth.
// `horizontal` and z are sine and cosine of its polar angle.
static md5_vec3 blurred_light(const md5gl_pyramid *pyramid, const lobe_sample *samples, int count,
                              float c, float s, float horizontal, float z)
{
    float sum[3] = {0.0f, 0.0f, 0.0f};
    float weights = 0.0f;
    for (int i = 0; i < count; i++) {
        // Rotate by the polar angle about y, then by the azimuth about z.
        const md5_vec3 d = samples[i].direction;
        const float outward = d.x * z + d.z * horizontal;
        const md5_vec3 to = {outward * c - d.y * s, outward * s + d.y * c,
                             d.z * z - d.x * horizontal};
        add_panorama_light(&pyramid->levels[samples[i].level], to, d.z, sum);
        weights += d.z;
    }
    return (md5_vec3){sum[0] / weights, sum[1] / weights, sum[2] / weights};
}

// Computes one level of the reflections. Each texel is the weighted mean of the light in the lobe
// around its direction.
static void blur_level(const md5gl_pyramid *pyramid, const lobe_sample *samples, int count,
                       const md5gl_panorama *level)
{
    for (uint32_t row = 0; row < level->height; row++) {
        const double polar = row_polar_angle(row, level->height);
        const float horizontal = (float)sin(polar);
        const float z = (float)cos(polar);
        for (uint32_t column = 0; column < level->width; column++) {
            const double azimuth = column_azimuth(column, level->width);
            const float c = (float)cos(azimuth);
            const float s = (float)sin(azimuth);
            const md5_vec3 light = blurred_light(pyramid, samples, count, c, s, horizontal, z);
            float *const texel = level->rgb + 3 * ((size_t)row * level->width + column);
            texel[0] = light.x;
            texel[1] = light.y;
            texel[2] = light.z;
        }
    }
}

// Computes the levels of the reflections and uploads them to the bound texture. Level k of n
// contains the reflections of a surface with roughness k / (n - 1). A texel is the mean of the
// light around its direction, weighted by GGX and the cosine. View and normal are assumed to
// coincide (Karis, "Real Shading in Unreal Engine 4", 2013). `texels` is memory for the largest
// level.
// NOLINTNEXTLINE(readability-non-const-parameter): blur_level() writes to the memory
static void upload_reflections(const GladGLContext *gl, const md5gl_pyramid *pyramid, float *texels)
{
    const uint32_t reflection_height = reflection_width / 2;
    for (uint32_t i = 0; i < NUM_REFLECTION_LEVELS; i++) {
        const md5gl_panorama level = {reflection_width >> i, reflection_height >> i, texels};
        const float roughness = (float)i / (float)(NUM_REFLECTION_LEVELS - 1);
        lobe_sample samples[NUM_SAMPLES];
        int count;
        if (roughness > 0.0f)
            count = distribute_samples(pyramid, roughness, samples);
        else
            count = sample_mirror(pyramid, level.width, samples);
        blur_level(pyramid, samples, count, &level);
        upload_panorama_level(gl, i, GL_RGB16F, &level);
    }
}

// Creates the texture of reflections. Returns 0 and fills the error on failure.
static md5gl_texture create_reflections(md5gl_renderer *renderer, const md5gl_pyramid *pyramid,
                                        md5_error *error)
{
    const uint32_t height = reflection_width / 2;
    const size_t num_components = (size_t)reflection_width * height * 3;
    float *const texels = MD5GL_NEW(renderer, float, num_components, error);
    if (!texels)
        return 0;

    const GLuint texture =
        md5gli_begin_texture(renderer, GL_TEXTURE_2D, reflection_width, height, error);
    if (texture != 0) {
        set_levels(&renderer->gl, NUM_REFLECTION_LEVELS);
        upload_reflections(&renderer->gl, pyramid, texels);
    }
    md5gli_free(renderer, texels);
    if (texture == 0)
        return 0;
    return md5gli_end_texture(renderer, GL_TEXTURE_2D, texture, true, error);
}

// Creates the texture of the background from all levels of a pyramid. Returns 0 and fills the error
// on failure.
static md5gl_texture create_background(md5gl_renderer *renderer, const md5gl_pyramid *pyramid,
                                       md5_error *error)
{
    const md5gl_panorama *const largest = &pyramid->levels[0];
    const GLuint texture =
        md5gli_begin_texture(renderer, GL_TEXTURE_2D, largest->width, largest->height, error);
    if (texture == 0)
        return 0;
    set_levels(&renderer->gl, pyramid->num_levels);
    for (uint32_t i = 0; i < pyramid->num_levels; i++)
        upload_panorama_level(&renderer->gl, i, GL_RGB9_E5, &pyramid->levels[i]);
    return md5gli_end_texture(renderer, GL_TEXTURE_2D, texture, true, error);
}

// Computes the light of an environment and creates its textures: the panorama for the background,
// and the reflections. Returns false and fills the error on failure.
static bool create_environment_textures(md5gl_renderer *renderer, const md5gl_panorama *source,
                                        md5gl_environment *environment, md5_error *error)
{
    const uint32_t limit = renderer->max_texture_size;
    const uint32_t max_side = limit < max_panorama_side ? limit : max_panorama_side;
    md5gl_pyramid pyramid;
    if (!create_pyramid(renderer, source, max_side, &pyramid, error))
        return false;

    // Compute the light that matt surfaces reflect.
    const md5gl_panorama *const largest = &pyramid.levels[0];
    md5_vec3 harmonics[9];
    md5gli_project_light(largest->width, largest->height, largest->rgb, harmonics);
    md5gli_reflect_light(harmonics, environment->light);

    environment->width = largest->width;
    environment->num_levels = pyramid.num_levels;
    environment->panorama = create_background(renderer, &pyramid, error);
    if (environment->panorama != 0)
        environment->reflections = create_reflections(renderer, &pyramid, error);
    md5gli_free(renderer, pyramid.texels);
    return environment->reflections != 0;
}

// Creates an environment map from a panorama of width x height linear RGB texels: its diffuse light
// and its blurred reflections. Returns NULL and sets the error on failure.
md5gl_environment *md5gl_create_environment(md5gl_renderer *renderer, uint32_t width,
                                            uint32_t height, const float *rgb, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    if (!renderer) {
        md5gli_fail_missing(error, "renderer");
        return NULL;
    }

    MD5_ASSERT_NOT_NULL(rgb);
    MD5GL_ASSERT_NO_FRAME(renderer);
    // The cast removes const; create_pyramid() only reads the texels.
    const md5gl_panorama source = {width, height, (float *)(uintptr_t)rgb};
    if (width == 0 || height == 0) {
        md5gli_fail(error, MD5_ERROR_GPU,
                    "environment map is empty: expected at least 1 x 1 texels, found %u x %u",
                    width, height);
        return NULL;
    }

    md5gl_environment *const environment = MD5GL_NEW(renderer, md5gl_environment, 1, error);
    md5gli_set_kind(environment, MD5GL_KIND_ENVIRONMENT);
    if (environment && md5gli_get_fixed_program(renderer, MD5GL_PROGRAM_BACKGROUND, error)
        && create_environment_textures(renderer, &source, environment, error))
        return environment;
    md5gl_destroy_environment(renderer, environment);
    return NULL;
}

// Destroys an environment. `environment` may be NULL.
void md5gl_destroy_environment(md5gl_renderer *renderer, md5gl_environment *environment)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(environment, ENVIRONMENT);
    if (!environment)
        return;
    const GLuint textures[2] = {environment->panorama, environment->reflections};
    renderer->gl.DeleteTextures(2, textures);
    md5gli_free(renderer, environment);
}

const md5_vec3 *md5gl_environment_light(const md5gl_environment *environment)
{
    MD5GL_ASSERT_ALIVE(environment, ENVIRONMENT);
    return environment->light;
}

// -- Frames -----------------------------------------------------------------------------------

// Returns the lit pass for the light of a frame. Shadows of spot lights select another variant
// later.
static enum md5gl_pass select_lit_pass(const md5gl_frame *frame)
{
    if (frame->lighting == MD5GL_LIGHTING_CLASSIC)
        return MD5GL_PASS_LIT_CLASSIC;
    return frame->environment ? MD5GL_PASS_LIT_ENVIRONMENT : MD5GL_PASS_LIT;
}

// Writes the sky of the studio to the uniform block. The host's shaders read it as a polynomial in
// the normal (sky_host.glsl). The sky equals the sky in shaders/sky_studio.glsl: white from above,
// and the ground's reflection from below.
static void write_studio_sky(const md5gl_frame *frame, md5gl_frame_block *block)
{
    static const float reflected[3] = {0.40f, 0.36f, 0.33f};
    block->environment[0] = 1.0f;
    for (uint32_t i = 0; i < 3; i++) {
        block->harmonics[0][i] = 0.5f * (1.0f + reflected[i]) * frame->ambient[i];
        block->harmonics[3][i] = 0.5f * (1.0f - reflected[i]) * frame->ambient[i];
    }
}

// Computes the matrix that the background is drawn with. It transforms (x, y, 1) to a direction
// from the eye in world space. x and y are viewport positions from -1 to 1. Its columns are vectors
// in the plane at distance 1 from the eye: half of the view's width, half of its height, and the
// middle of the view. A parallel projection has only one direction. Its background is therefore
// drawn with a field of view of 45 degrees.
static void compute_rays(const md5gl_frame *frame, float rays[9])
{
    const float *const clip = frame->clip_from_view.m;
    const float *const view = frame->view_from_world.m;
    const float aspect = frame->height > 0 ? (float)frame->width / (float)frame->height : 1.0f;
    const bool has_perspective = clip[11] != 0.0f;
    const float slope = 0.41421356f; // the tangent of half of 45 degrees
    const float mirrored = clip[0] * clip[5] < 0.0f ? -1.0f : 1.0f;
    const float across = has_perspective ? 1.0f / clip[0] : slope * aspect;
    const float up = has_perspective ? 1.0f / clip[5] : slope * mirrored;
    float middle[3] = {0.0f, 0.0f, -1.0f};
    if (has_perspective) {
        middle[0] = clip[8] * across;
        middle[1] = clip[9] * up;
    }

    // Transform the columns from view space to world space.
    for (uint32_t i = 0; i < 3; i++) {
        const float *const axes = view + 4 * i; // component i of the three view axes in world space
        rays[i] = axes[0] * across;
        rays[3 + i] = axes[1] * up;
        rays[6 + i] = axes[0] * middle[0] + axes[1] * middle[1] + axes[2] * middle[2];
    }
}

// Selects the environment of a frame and the program of lit surfaces, and writes the environment to
// the frame's uniform block. block->harmonics receives the polynomial of the light that matt
// surfaces reflect, times the frame's ambient color.
void md5gli_begin_environment(md5gl_renderer *renderer, const md5gl_frame *frame,
                              md5gl_frame_block *block)
{
    const md5gl_environment *const environment = frame->environment;
    renderer->environment = environment;
    renderer->reflections = environment ? environment->reflections : 0;
    renderer->lit_pass = select_lit_pass(frame);
    renderer->light_error.status = MD5_OK;
    if (!environment) {
        write_studio_sky(frame, block);
        return;
    }

    compute_rays(frame, renderer->rays);
    block->environment[0] = cosf(frame->environment_angle);
    block->environment[1] = sinf(frame->environment_angle);
    block->environment[2] = (float)(NUM_REFLECTION_LEVELS - 1); // level of roughness 1
    block->environment[3] = 1.0f;                               // the frame has an environment

    for (uint32_t i = 0; i < 9; i++) {
        block->harmonics[i][0] = environment->light[i].x * frame->ambient[0];
        block->harmonics[i][1] = environment->light[i].y * frame->ambient[1];
        block->harmonics[i][2] = environment->light[i].z * frame->ambient[2];
    }
}

void md5gli_fail_light(md5gl_renderer *renderer, const md5_error *error)
{
    renderer->light_error = *error;
    renderer->lit_pass = MD5GL_PASS_LIT;
}

// Returns the mipmap level of the panorama whose texels are as wide as pixels in the middle of the
// viewport. It avoids flicker.
static float background_level(const md5gl_renderer *renderer)
{
    // The angles of a pixel and of a texel, radians. The first column of the rays is half of the
    // view's width.
    const float *const right = renderer->rays;
    const float across = sqrtf(right[0] * right[0] + right[1] * right[1] + right[2] * right[2]);
    const float pixel = 2.0f * across / (float)(renderer->width > 0 ? renderer->width : 1);
    const float texel = 6.2831853f / (float)renderer->environment->width;
    return fmaxf(log2f(pixel / texel), 0.0f);
}

// Draws the environment map as the background of the viewport, without writing depth.
void md5gl_draw_environment(md5gl_renderer *renderer)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_IN_FRAME(renderer);
    const GladGLContext *gl = &renderer->gl;
    const md5gl_program *const program = &renderer->fixed[MD5GL_PROGRAM_BACKGROUND];
    if (!renderer->environment)
        return;
    gl->UseProgram(program->name);
    gl->BindVertexArray(renderer->empty_array);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    gl->Disable(GL_DEPTH_TEST); // also disables writing of depth
    md5gli_bind_texture(renderer, program, MD5GL_UNIT_TEXTURE, GL_TEXTURE_2D,
                        renderer->environment->panorama);
    gl->UniformMatrix3fv(program->uniforms[MD5GL_RAYS], 1, GL_FALSE, renderer->rays);
    gl->Uniform1f(program->uniforms[MD5GL_LEVEL], background_level(renderer));
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
}
