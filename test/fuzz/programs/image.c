// Fuzz target for the images of the programs: PNG, JPEG, TGA or DDS, or a Radiance image.
#include "test/fuzz/target.h"

#include "demo/looks/image.h"

static const char *fuzz_radiance(const uint8_t *data, size_t size)
{
    view_panorama panorama;
    md5_error error = {0};
    const bool is_read = view_decode_radiance(data, size, &panorama, &error);
    const bool has_message = is_read != (error.message[0] != '\0');
    const char *const wrong =
        is_read == (panorama.rgb != NULL) && has_message ? NULL : "neither pixels nor a message";
    free(panorama.rgb);
    return wrong;
}

const char *fuzz_image(const uint8_t *data, size_t size)
{
    view_image image;
    md5_error error = {0};
    if (size >= 2 && data[0] == '#' && data[1] == '?')
        return fuzz_radiance(data, size);
    const bool is_read = view_decode_image(data, size, MD5_MAX_IMAGE_PIXELS, &image, &error);
    const char *wrong = NULL;
    if (is_read != (image.rgba != NULL))
        wrong = "pixels and an error message";
    if (!is_read && error.message[0] == '\0')
        wrong = "refused without a message";
    if (is_read && (image.width == 0 || image.width > MD5_MAX_IMAGE_SIDE))
        wrong = "a size beyond the limits";
    if (is_read && (image.height == 0 || image.height > MD5_MAX_IMAGE_SIDE))
        wrong = "a size beyond the limits";
    free(image.rgba);
    return wrong;
}
