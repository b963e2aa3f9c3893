#include "demo/viewer/assets/panorama.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Reading --------------------------------------------------------------------------------

static float linear_of(uint32_t byte)
{
    const float value = (float)byte / 255.0f;
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static bool decode_image(const uint8_t *bytes, size_t size, view_panorama *panorama,
                         view_image_fault *fault)
{
    float linear[256];
    view_image image;
    if (!view_decode_image(bytes, size, &image, fault))
        return false;
    const size_t count = (size_t)image.width * image.height;
    panorama->width = image.width;
    panorama->height = image.height;
    panorama->rgb = malloc(count * 3 * sizeof *panorama->rgb);
    for (uint32_t i = 0; i < 256; i++)
        linear[i] = linear_of(i);
    for (size_t i = 0; i < 3 * count && panorama->rgb != NULL; i++)
        panorama->rgb[i] = linear[image.rgba[i / 3 * 4 + i % 3]];
    free(image.rgba);
    return panorama->rgb != NULL || view_image_fail(fault, "out of memory");
}

bool view_read_panorama(const char *path, view_panorama *panorama, view_image_fault *fault)
{
    size_t size = 0;
    *panorama = (view_panorama){.rgb = NULL};
    uint8_t *const bytes = view_read_image_file(path, &size, fault);
    if (bytes == NULL)
        return false;
    const bool is_radiance = size >= 2 && bytes[0] == '#' && bytes[1] == '?';
    const bool is_read = is_radiance ? view_decode_radiance(bytes, size, panorama, fault)
                                     : decode_image(bytes, size, panorama, fault);
    free(bytes);
    return is_read;
}

// -- Environments ---------------------------------------------------------------------------

static float luminance(md5_vec3 color)
{
    return 0.2126f * color.x + 0.7152f * color.y + 0.0722f * color.z;
}

// The terms of the polynomial of first degree point to the light, see md5gl_environment_light().
// The mean over the sphere is the constant term and a third of that of z^2.
static void measure_light(view_environment *environment)
{
    const md5_vec3 *const light = md5gl_environment_light(environment->light);
    const float studio = 0.5f; // the mean of a picture's light that looks as bright as the studio
    const float mean = luminance(light[0]) + luminance(light[7]) / 3.0f;
    const md5_vec3 way = {luminance(light[1]), luminance(light[2]), luminance(light[3])};
    const float length = sqrtf(md5_vec3_dot(way, way));
    environment->exposure = mean > 1e-6f ? studio / mean : 1.0f;
    environment->brightest = (md5_vec3){0.0f, 0.0f, 1.0f};
    if (length > 0.01f * mean)
        environment->brightest = (md5_vec3){way.x / length, way.y / length, way.z / length};
}

bool view_load_environment(view_environment *environment, md5gl_renderer *renderer,
                           const char *path, view_log *log)
{
    view_panorama panorama;
    view_image_fault fault = {.message = ""};
    md5_error error = {0};
    if (!view_read_panorama(path, &panorama, &fault))
        return view_error(log, "%s: %s", path, fault.message);
    md5gl_environment *const light =
        md5gl_create_environment(renderer, panorama.width, panorama.height, panorama.rgb, &error);
    free(panorama.rgb);
    if (light == NULL)
        return view_error(log, "%s: %s", path, error.message);
    view_free_environment(environment, renderer);
    environment->light = light;
    measure_light(environment);
    return true;
}

void view_free_environment(view_environment *environment, md5gl_renderer *renderer)
{
    md5gl_destroy_environment(renderer, environment->light);
    environment->light = NULL;
}
