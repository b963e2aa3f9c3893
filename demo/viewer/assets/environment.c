// Loads the panorama of --environment, which lights the scene.
#include "demo/viewer/assets/textures.h"

// Returns the brightness of a linear color, with the weights of Rec. 709.
static float luminance(md5_vec3 color)
{
    return 0.2126f * color.x + 0.7152f * color.y + 0.0722f * color.z;
}

// Sets the exposure and the brightest direction of an environment from its light.
//
// md5gl_environment_light() returns the light as a polynomial of the direction. The terms of first
// degree (indices 1 to 3) form a vector to the brightest side. The mean over the sphere is the
// constant term (0) plus a third of the term of z^2 (7).
static void measure_environment(view_environment *environment)
{
    const md5_vec3 *const terms = md5gl_environment_light(environment->light);
    const float studio = 0.5f; // mean light of an image that looks as bright as the studio
    const float mean = luminance(terms[0]) + luminance(terms[7]) / 3.0f;
    environment->exposure = mean > 1e-6f ? studio / mean : 1;

    const md5_vec3 direction = {luminance(terms[1]), luminance(terms[2]), luminance(terms[3])};
    const float length = md5_vec3_length(direction);
    const bool has_direction = length > 0.01f * mean;
    environment->brightest = (md5_vec3){0, 0, 1};
    if (has_direction)
        environment->brightest =
            (md5_vec3){direction.x / length, direction.y / length, direction.z / length};
}

// Replaces the environment map by the panorama in a file. Returns false and logs an error on
// failure. Decodes the panorama and creates the environment map before the current one is
// destroyed, so that a failure keeps it.
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
    measure_environment(environment);
    return true;
}
