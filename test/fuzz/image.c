// A picture: PNG, TGA or JPEG. Not the library's, so that it is no part of replay.c.
#include "test/fuzz/target.h"

#include "demo/viewer/scene/image.h"

#include <stdlib.h>

const char *fuzz_image(const uint8_t *data, size_t size)
{
    view_image image;
    view_image_fault fault = {""};
    const bool is_read = view_decode_image(data, size, &image, &fault);
    const char *wrong = NULL;
    if (is_read != (image.rgba != NULL))
        wrong = "pixels, and a fault";
    if (!is_read && fault.message[0] == '\0')
        wrong = "refused without a word";
    if (is_read
        && (image.width == 0 || image.height == 0 || image.width > VIEW_IMAGE_MAX_SIDE
            || image.height > VIEW_IMAGE_MAX_SIDE))
        wrong = "a size beyond the limits";
    free(image.rgba);
    return wrong;
}
