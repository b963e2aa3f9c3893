#include "demo/viewer/assets/panorama.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float luminance(md5_vec3 color)
{
    return 0.2126f * color.x + 0.7152f * color.y + 0.0722f * color.z;
}

bool view_load_environment(view_environment *environment, md5gl_renderer *renderer,
                           const char *path, view_log *log)
{
    view_panorama panorama;
    md5_error error = {0};
    if (!view_read_panorama(path, &panorama, &error))
        return view_error(log, "%s: %s", path, error.message);
    md5gl_environment *const light =
        md5gl_create_environment(renderer, panorama.width, panorama.height, panorama.rgb, &error);
    free(panorama.rgb);
    if (light == NULL)
        return view_error(log, "%s: %s", path, error.message);
    md5gl_destroy_environment(renderer, environment->light);
    environment->light = light;
    // The terms of the polynomial of first degree point to the light, see
    // md5gl_environment_light(). The mean over the sphere is the constant term and a third of that
    // of z^2.
    const md5_vec3 *const terms = md5gl_environment_light(light);
    const float studio = 0.5f; // the mean of a picture's light that looks as bright as the studio
    const float mean = luminance(terms[0]) + luminance(terms[7]) / 3.0f;
    const md5_vec3 way = {luminance(terms[1]), luminance(terms[2]), luminance(terms[3])};
    const float length = md5_vec3_length(way);
    environment->exposure = mean > 1e-6f ? studio / mean : 1.0f;
    environment->brightest = (md5_vec3){0.0f, 0.0f, 1.0f};
    if (length > 0.01f * mean)
        environment->brightest = (md5_vec3){way.x / length, way.y / length, way.z / length};
    return true;
}
